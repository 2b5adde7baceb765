#!/usr/bin/env bash
# judges.sh RECORDING... - what `go tool pprof` reads in `perfdata export --to pprof` is what the folded
# stacks say: each stack with its files, offsets and sum. And the functions that it finds in programs, at any
# place and at a fixed one, are those that they have there. PPROF: another command for it.
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
    elif section == "Mappings" and (m := re.match(r"(\d+): (0x[\da-f]+)/\S+/(0x[\da-f]+) (.*?) ", line)):
        files[m[1]] = int(m[2], 16) - int(m[3], 16), m[4]


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

# A program of many functions, each with a sample in it; twice, at addresses that the kernel would choose.
for n in {1..300}; do
    echo "__attribute__((noinline)) int f$n(int x) { return x * $n + (x >> $((n % 7))); }"
done >"$tmp/program.c"
echo 'int main(int n, char **v) { return n > 9 ? **v : 0; }' >>"$tmp/program.c"
record() { # PROGRAM BASE: as jsonl; BASE is where byte 0 of a program is loaded that has no place of its own
    local offset address size where
    # The executable PT_LOAD: offset in the file, address, size.
    read -r offset address size < <(readelf -lW "$1" | awk '$1 == "LOAD" && / R E / { print $2, $3, $5 }')
    where=$((address + $2 - offset % 4096))
    echo '{"header":{"container":"file"}}'
    echo '{"attr":{"type":"SOFTWARE","config":0,"sample_type":"IDENTIFIER|IP|TID|TIME|PERIOD",' \
        '"flags":"sample_id_all"},"ids":["71"]}'
    echo '{"record":{"type":"MMAP2","attr":0,"misc":"cpumode=USER",' \
        '"mmap2":{"pid":7,"tid":7,"prot":5,"flags":2,' \
        "\"addr\":\"$where\",\"len\":\"$(((size + 4095) & ~4095))\",\"pgoff\":\"$((offset & ~4095))\"," \
        "\"filename\":\"$1\"},"'"sample_id":{"time":"1","identifier":"71"}}}'
    nm "$1" | while read -r address _ name; do
        [[ $name =~ ^f[0-9]+$ ]] || continue
        echo '{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER",' \
            '"sample":{"identifier":"71","pid":7,' "\"ip\":\"$((0x$address + 1 + $2))\"," \
            '"tid":7,"time":"9","period":"'"${name#f}"'"}}}'
    done
}
for kind in pie no-pie; do
    gcc -g -O1 "-$kind" -o "$tmp/$kind" "$tmp/program.c"
    base=0
    [ $kind = no-pie ] || base=$((0x555555554000))
    record "$tmp/$kind" $base >"$tmp/$kind.jsonl"
    "$perfdata" encode -f -o "$tmp/recording" "$tmp/$kind.jsonl"
    "$perfdata" export --to pprof -f -o "$tmp/profile" "$tmp/recording"
    # A function's name is its sum.
    ${PPROF:-go tool pprof} -symbolize=local -sample_index=0 -unit=ns -nodecount=1000 -nodefraction=0 -top \
        "$tmp/profile" 2>"$tmp/log" | awk '$NF ~ /^f[0-9]+$/ { print $1, $NF }' | sort >"$tmp/got"
    for n in {1..300}; do echo "${n}ns f$n"; done | sort >"$tmp/want"
    cmp -s "$tmp/got" "$tmp/want" ||
        fail "$kind: $(diff "$tmp/got" "$tmp/want" | head -n 4) $(cat "$tmp/log")"
    echo "$kind: $(wc -l <"$tmp/got") functions"
done
