#!/usr/bin/env bash
# perfdata convert, judged by perf: `perf script` prints the same for the output as for the original, in every
# container; and by a second decoder, which finds the same values in both byte orders.
. "$(dirname "$0")/../frame_lib.sh"
command -v perf >/dev/null || skip "perf is not installed"

convert() { # INPUT OUTPUT OPTION...
    rm -rf "$2"
    "$PERFDATA" convert -q -i "$1" -o "$2" "${@:3}" || fail "convert $*: $?"
    "$PERFDATA" check -q "$2" >check.out || fail "check of $*: $(head -n 3 check.out)"
}
# What perf shows of a recording, a stream being read from a pipe. Records of equal time come in any order
# from directories.
shown() { # FILE COMMAND...
    if [ ! -d "$1" ] && [ "$(od -An -tu8 -j8 -N8 "$1" | tr -d ' ')" = 16 ]; then
        "$judge" "${@:2}" -i - <"$1" 2>/dev/null
    else
        "$judge" "${@:2}" -i "$1" 2>/dev/null
    fi
}
# Counts by record type, but for those of the container; perf counts nothing in streams with compressed
# records or tracing data.
counts() { # FILE
    shown "$1" report --stats | sed -nE 's/ *\([^)]*\)$//
        /^ *(TOTAL|ATTR|FEATURE|EVENT_TYPE|HEADER_[A-Z_]*|TRACING_DATA|BUILD_ID|COMPRESSED2?) events:/d
        /events:/p'
}
judge=perf
original() { # FILE: what the outputs are compared with
    shown "$1" script --no-inline | LC_ALL=C sort >want.txt
    counts "$1" >want.stats || : >want.stats
    [ "$(wc -l <want.txt)" -ge 5 ] || fail "$1: perf shows next to nothing"
}
alike() { # OUTPUT
    shown "$1" script --no-inline | LC_ALL=C sort >got.txt
    same want.txt got.txt
    counts "$1" >got.stats || return 0
    ! grep -q SAMPLE want.stats || ! grep -q SAMPLE got.stats || same want.stats got.stats
}
ways=0
turn=0
# Usually each recording goes some of the ways, the next one others.
all_ways() { # FILE
    local way
    original "$1"
    turn=$((turn + 1))
    for way in '--to file' '--to pipe' '--to dir' '--to file -z' '--to pipe -z9' '--to dir -z' \
        '--to file -z --frames 2K' '--to pipe -z --frames 2K' \
        '--to file --decompress' '--to pipe --decompress' '--to file --reencode' '--to file --attr-size 128' \
        '--to pipe --attr-size 128'; do
        turn=$((turn + 1))
        full || [ $((turn % 4)) = 0 ] || continue
        # shellcheck disable=SC2086
        convert "$1" out $way
        alike out
        ways=$((ways + 1))
    done
    convert "$1" pipe --to pipe
    convert pipe file --to file
    alike file
    convert "$1" z --to file -z
    convert z plain --decompress
    alike plain
}
# A directory shows the same in the same order when its members are one stream, which goes to a directory and
# back.
one_stream() { # DIRECTORY
    local to
    shown "$1" script --no-inline >want.txt
    for to in file pipe; do
        convert "$1" merged --to $to
        shown merged script --no-inline >got.txt
        same want.txt got.txt
        "$PERFDATA" dump -F time merged >times 2>/dev/null
        sed 's/ *:.*//' times | sort -c -n || fail "$1 --to $to is not in the order of time"
    done
    convert "$1" merged --to file
    convert merged again.dir --to dir
    convert again.dir again --to file
    same merged again
}

record graph.data -q -e cpu-clock -F 499 -g -- bash -c work
all_ways graph.data
record two.data -q -e cpu-clock,page-faults -F 499 -- bash -c work
all_ways two.data
record zstd.data -q -z -e cpu-clock -F 1999 -g -- bash -c work
"$PERFDATA" dump --json zstd.data | grep '"COMPRESSED' >/dev/null || fail "nothing is compressed"
all_ways zstd.data
perf record -q -e cpu-clock -F 499 -g -o - -- bash -c work 2>/dev/null >stream.pipe </dev/null ||
    skip "perf record -o -"
all_ways stream.pipe
convert stream.pipe file --to file
convert file back --to pipe
same stream.pipe back
perf record -q -z -e cpu-clock -F 1999 -g -o - -- bash -c work 2>/dev/null >stream.zstd </dev/null ||
    skip "perf record -z -o -"
all_ways stream.zstd
convert stream.zstd file --to file
convert file back --to pipe
same stream.zstd back
record threads -q -a --threads -e cpu-clock -F 199 -- bash -c work
[ -f threads/data.0 ] || fail "perf made no directory"
all_ways threads
one_stream threads
record threads.zstd -q -a -z --threads -e cpu-clock -F 499 -g -- bash -c work
all_ways threads.zstd
one_stream threads.zstd
if perf record -q --kcore -e cpu-clock -o kcore -- bash -c work >/dev/null 2>&1; then
    all_ways kcore
    one_stream kcore
fi

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
tools=${PERFDATA_CORPUS:-/nonexistent}/../tools
newer=${PERFDATA_NEWER_PERF:-$(ls "$tools/perf-latest" 2>/dev/null || true)}
full || newer= # it judges with full effort
if [ -n "$newer" ] &&
    record_alone "$newer" record -q -e cpu-clock -F 499 -o new.data -- bash -c work >/dev/null 2>&1; then
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
    # The newer perf is the judge of what it recorded itself, in all containers.
    judge=$newer
    record_alone "$newer" record -q -a --threads -e cpu-clock -F 499 -o new.dir -- bash -c work >/dev/null \
        2>&1
    record_alone "$newer" record -q -e cpu-clock -F 499 -o - -- bash -c work >new.pipe 2>/dev/null </dev/null
    for f in new.data new.pipe new.dir; do
        all_ways $f
    done
    one_stream new.dir
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
constants = open(sys.argv[1] + "/include/perfdata/constants.h").read()
names = dict(re.findall(r"PD_RECORD_(\w+) = (\d+),", constants))
left = re.findall(r"\d+ ([A-Z_0-9]+)", open(sys.argv[2]).read())
print(",".join(["80"] + [names.get(name, name) for name in left]))
END
    )
    python3 values.py "$PERFDATA_SOURCE/tests/oracle/second_decoder.py" plain other "$left" ||
        fail "$1 in the other order"
}
for f in graph.data two.data zstd.data stream.pipe $([ -e trace.data ] && echo trace.data); do
    same_values "$f"
done
mapfile -t recordings < <(corpus_files 15)
for f in "${recordings[@]}"; do
    [ "$(stat -c %s "$f")" -lt 300000 ] && [ "$(head -c 8 "$f")" = PERFILE2 ] || continue
    case $f in *platform_system_extras* | *pipe*) continue ;; esac
    alive "$PERFDATA" check -q "$f" >/dev/null 2>&1 || continue
    same_values "$f"
done
