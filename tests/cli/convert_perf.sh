#!/usr/bin/env bash
# perfdata convert, judged by perf: `perf script` shows of the output what it shows of the original, in every container; and
# by a second decoder, which finds the same values in both byte orders.
. "$(dirname "$0")/frame_lib.sh"
command -v perf >/dev/null || skip "perf is not installed"

convert() { # INPUT OUTPUT OPTION...
    rm -rf "$2"
    "$PERFDATA" convert -q -i "$1" -o "$2" "${@:3}" || fail "convert $*: $?"
    "$PERFDATA" check -q "$2" >check.out || fail "check of $*: $(head -n 3 check.out)"
}
# What perf shows of a recording, a stream being read from a pipe. Records of equal time come in any order from directories.
shown() { # FILE
    if [ ! -d "$1" ] && [ "$(od -An -tu8 -j8 -N8 "$1" | tr -d ' ')" = 16 ]; then
        perf script -i - <"$1" 2>/dev/null
    else
        perf script -i "$1" 2>/dev/null
    fi | LC_ALL=C sort
}
alike() { # ORIGINAL OUTPUT
    shown "$1" >want.txt
    shown "$2" >got.txt
    same want.txt got.txt
}
ways=0
all_ways() { # FILE
    local way
    for way in '--to file' '--to pipe' '--to dir' '--to file -z' '--to pipe -z9' '--to dir -z' '--to file --decompress' \
        '--to pipe --decompress' '--to file --reencode' '--to file --attr-size 128' '--to pipe --attr-size 128'; do
        # shellcheck disable=SC2086
        convert "$1" out $way
        alike "$1" out
        [ "$(wc -l <want.txt)" -ge 5 ] || fail "$1: perf shows next to nothing"
        ways=$((ways + 1))
    done
    convert "$1" pipe --to pipe
    convert pipe file --to file
    alike "$1" file
}

record graph.data -q -e cpu-clock -F 499 -g -- bash -c work
all_ways graph.data
record two.data -q -e cpu-clock,page-faults -F 499 -- bash -c work
all_ways two.data
record zstd.data -q -z -e cpu-clock -F 1999 -g -- bash -c work
"$PERFDATA" dump --json zstd.data | grep '"COMPRESSED' >/dev/null || fail "nothing is compressed"
all_ways zstd.data
perf record -q -e cpu-clock -F 499 -g -o - -- bash -c work 2>/dev/null >stream.pipe </dev/null || skip "perf record -o -"
all_ways stream.pipe
convert stream.pipe file --to file
convert file back --to pipe
same stream.pipe back
perf record -q -z -e cpu-clock -F 1999 -g -o - -- bash -c work 2>/dev/null >stream.zstd </dev/null || skip "perf record -z -o -"
all_ways stream.zstd
convert stream.zstd file --to file
convert file back --to pipe
same stream.zstd back
record threads -q -a --threads -e cpu-clock -F 199 -- bash -c work
[ -f threads/data.0 ] || fail "perf made no directory"
all_ways threads
record threads.zstd -q -a -z --threads -e cpu-clock -F 499 -g -- bash -c work
all_ways threads.zstd

# Tracepoints: the text that perf makes of them needs the tracing data.
if perf record -q -a -e sched:sched_switch -o trace.data -- sleep 0.2 >/dev/null 2>&1; then
    all_ways trace.data
    grep -q 'prev_comm' want.txt || fail "perf shows no text"
    perf record -q -a -e sched:sched_switch -o - -- sleep 0.2 2>/dev/null >trace.pipe </dev/null
    all_ways trace.pipe
    convert trace.pipe file --to file
    convert file back --to pipe
    same trace.pipe back
fi

# A newer perf, where there is one: its attrs are too large for this one until they are shrunk.
fields=comm,tid,time,event,period,ip
newer=${PERFDATA_NEWER_PERF:-$(ls "${PERFDATA_CORPUS:-/nonexistent}"/../tools/perf-latest 2>/dev/null || true)}
if [ -n "$newer" ] && "$newer" record -q -e cpu-clock -F 499 -o new.data -- bash -c work >/dev/null 2>&1; then
    perf script -i new.data >/dev/null 2>&1 && fail "perf reads attrs of 144 bytes"
    convert new.data small.data --attr-size 128
    "$newer" script -F "$fields" -i new.data 2>/dev/null | awk '{ $1 = $1; print }' | sort >want.txt
    perf script -F "$fields" -i small.data 2>/dev/null | awk '{ $1 = $1; print }' | sort >got.txt
    same want.txt got.txt
    convert small.data big.data --attr-size 144
    same new.data big.data
    convert graph.data two.zst --compressed2
    "$newer" script -F "$fields" -i graph.data 2>/dev/null | sort >want.txt
    "$newer" script -F "$fields" -i two.zst 2>/dev/null | sort >got.txt
    same want.txt got.txt
fi
echo "$ways conversions read by $(perf --version)"

# ---- The other byte order, by the second decoder.
command -v python3 >/dev/null || exit 0
cat >values.py <<'END'
import json, subprocess, sys

decoder, unconverted = sys.argv[1], set(map(int, sys.argv[4].split(",")))

def records(name):
    out = subprocess.run([sys.executable, decoder, "--attrs", name], capture_output=True, text=True).stdout
    for line in map(json.loads, out.splitlines()):
        if "header" in line or "feature" in line:
            continue
        for attr in line.get("attr", {}), line.get("fields", {}).get("attr", {}):
            attr.pop("flag_word", None)  # its bits are under their names
        yield line

ours, theirs = list(records(sys.argv[2])), list(records(sys.argv[3]))
assert len(ours) == len(theirs) and len(ours) > 5, (len(ours), len(theirs))
for a, b in zip(ours, theirs):
    if a.get("type") in unconverted:
        a, b = ({k: r[k] for k in ("offset", "type", "misc", "size")} for r in (a, b))
    assert a == b, f"{sys.argv[2]}:\n{a}\n{b}"
print(len(ours), "records alike")
END
same_values() { # FILE
    "$PERFDATA" convert -q -f -i "$1" -o plain --decompress
    "$PERFDATA" convert -f -i plain -o other --endian big 2>said || fail "--endian big: $(cat said)"
    # The types that are told to be left as they are.
    left=$(python3 - "$PERFDATA_SOURCE" said <<'END'
import re, sys
names = dict(re.findall(r"PD_RECORD_(\w+) = (\d+),", open(sys.argv[1] + "/include/perfdata/constants.h").read()))
left = re.findall(r"\d+ ([A-Z_0-9]+)", open(sys.argv[2]).read())
print(",".join(["80"] + [names.get(name, name) for name in left]))
END
    )
    python3 values.py "$PERFDATA_SOURCE/tests/oracle/second_decoder.py" plain other "$left" || fail "$1 in the other order"
}
for f in graph.data two.data zstd.data stream.pipe $([ -e trace.data ] && echo trace.data); do
    same_values "$f"
done
for f in "${PERFDATA_CORPUS:-/nonexistent}"/*; do
    [ -f "$f" ] && [ "$(stat -c %s "$f")" -lt 300000 ] && [ "$(head -c 8 "$f")" = PERFILE2 ] || continue
    case $f in *platform_system_extras* | *pipe*) continue ;; esac
    "$PERFDATA" check -q "$f" >/dev/null 2>&1 || continue
    same_values "$f"
done
