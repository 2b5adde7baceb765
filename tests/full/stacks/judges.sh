#!/usr/bin/env bash
# judges.sh RECORDING... - what `go tool pprof` reads in `perfdata export --to pprof` is what the folded
# stacks say: each stack with its files, offsets and sum. PPROF: another command for it.
set -euo pipefail
perfdata=${PERFDATA:?the perfdata executable}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
for recording; do
    "$perfdata" export --to folded -s comm,pid,tid "$recording" | LC_ALL=C sort >"$tmp/folded"
    "$perfdata" export --to pprof -f -o "$tmp/profile" "$recording"
    ${PPROF:-go tool pprof} -raw "$tmp/profile" 2>"$tmp/log" >"$tmp/raw" || fail "$(tail -n 3 "$tmp/log")"
    python3 - "$tmp/raw" >"$tmp/read" <<'END'
import re, sys

section, samples, places, files = "", [], {}, {}
for line in open(sys.argv[1]):
    if line.rstrip() in ("Samples:", "Locations", "Mappings"):
        section = line.rstrip()
    elif section == "Samples:" and (m := re.fullmatch(r" +(\d+): ([\d ]+)\n", line)):
        samples.append([m[1], m[2].split(), {}])
    elif section == "Samples:" and samples:
        samples[-1][2].update(re.findall(r"(\w+):\[(.*?)\](?= |$)", line))
    elif section == "Locations" and (m := re.match(r" *(\d+): (0x[\da-f]+) (?:M=(\d+))?", line)):
        places[m[1]] = int(m[2], 16), m[3]
    elif section == "Mappings" and (m := re.match(r"(\d+): (0x[\da-f]+)/\S+/0x0 (.*?) ", line)):
        files[m[1]] = int(m[2], 16), m[3]


def frame(number):
    address, file = places[number]
    start, name = files[file] if file else (0, "[unknown]")
    return f"{name}+0x{address - (start if start < 1 << 63 else 0):x}"


for total, stack, labels in samples:
    # pprof leaves out a number that is 0.
    head = [labels["comm"], "pid " + labels.get("pid", "0"), "tid " + labels.get("tid", "0")]
    print(";".join(head + [frame(n) for n in reversed(stack)]), total)
END
    LC_ALL=C sort "$tmp/read" | cmp -s - "$tmp/folded" ||
        fail "$recording: $(LC_ALL=C sort "$tmp/read" | diff - "$tmp/folded" | head -n 4)"
    echo "$recording: $(wc -l <"$tmp/folded") stacks"
done
