#!/usr/bin/env bash
# gen: the same options give the same bytes, another seed others; check accepts all of it, in both byte orders
# and all containers; memory does not grow; and errors of a description are reported with their line.
. "$(dirname "$0")/../frame_lib.sh"

gen() {
    "$PERFDATA" gen "$@"
}
checked() { # OUTPUT OPTION...
    rm -rf "$1"
    expect 0 gen -o "$@"
    expect 0 "$PERFDATA" check -q "$1"
}

# Reproducible; every seed its own.
for mode in --random '-t ALL' '--preset server' '--preset tracing'; do
    # shellcheck disable=SC2086
    {
        checked one $mode -c 3000 --seed 5
        checked two $mode -c 3000 --seed 5
        checked other $mode -c 3000 --seed 6
    }
    same one two
    ! cmp -s one other || fail "$mode: seeds 5 and 6 give the same"
done

# All containers, orders and presets.
for to in file pipe dir; do
    for order in little big; do
        for zip in '' -z9 --compressed2; do
            for mode in --random '-t ALL' '-t ALL:1,SAMPLE:200 --events 9 --features all' '--preset dwarf' \
                '--preset database'; do
                # shellcheck disable=SC2086
                checked made $mode -c 1500 --to $to --endian $order $zip --seed ${#mode}
            done
        done
    done
done
for preset in server build database tracing dwarf branch; do
    checked made --preset $preset -c 5000
    "$PERFDATA" info --stats made >stats
    has stats 'SAMPLE events'
    has stats 'FINISHED_ROUND events'
done
for ((seed = 0; seed < 40; seed++)); do
    checked made -t ALL --seed $seed -c 400 --events $((1 + seed % 5))
    checked made --random --seed $seed -c 400 --events $((1 + seed % 5))
done

# Its misc says what a build id has.
for seed in 21 41 66 78; do
    checked made -t HEADER_BUILD_ID --seed $seed -c 50 --to pipe
done

# Every type that can be asked for is there.
checked all -t ALL -c 5000
"$PERFDATA" info --stats all >stats
for type in MMAP LOST COMM EXIT THROTTLE UNTHROTTLE FORK READ SAMPLE MMAP2 AUX ITRACE_START LOST_SAMPLES \
    SWITCH SWITCH_CPU_WIDE NAMESPACES KSYMBOL BPF_EVENT CGROUP TEXT_POKE AUX_OUTPUT_HW_ID CALLCHAIN_DEFERRED \
    ID_INDEX AUXTRACE_INFO AUXTRACE AUXTRACE_ERROR THREAD_MAP CPU_MAP STAT STAT_CONFIG STAT_ROUND \
    EVENT_UPDATE TIME_CONV; do
    has stats " $type events"
done

# The count of random records is exact, weights and fields are those asked for.
checked made -t SAMPLE:90,MMAP2:10 -c 2000 --sample-type ip,tid,time,callchain --events 1 --features none
has <("$PERFDATA" info --stats made) 'TOTAL events: *2000$'
"$PERFDATA" info --stats made >stats
samples=$(sed -n 's/^ *SAMPLE events: *\([0-9]*\) .*/\1/p' stats)
[ "$samples" -gt 1700 ] && [ "$samples" -lt 1900 ] ||
    fail "$samples samples of 2000 records, of which 90% were asked for"
"$PERFDATA" dump --json made >records
grep -m 1 '"SAMPLE"' records >sample
for field in ip tid time callchain; do
    has sample "\"$field\""
done
! grep -q '"period"' sample || fail 'a field nobody asked for'

# --size, and a stream to standard output.
checked made --size 1M
size=$(stat -c %s made)
[ "$size" -gt 1000000 ] && [ "$size" -lt 1200000 ] || fail "--size 1M gives $size bytes"
gen -c 2000 --to pipe -o direct
! "$PERFDATA" decode --short direct | grep -q 'HEADER_FEATURE.*"header_feature":{"feat_id":"[^"]*"}}}' ||
    fail 'a stream has the mark behind its features, of which one perf or the other complains'
gen -c 2000 -o - | cat >stream
same direct stream

# Memory.
for mode in '--preset server' --random; do
    # shellcheck disable=SC2086
    kb=$(peak_memory "$PERFDATA" gen $mode --size "$(effort 100M 500M)" --to pipe -o /dev/null)
    [ "$kb" -lt "$(most_memory 8000)" ] || fail "$mode takes $kb kB"
done

# A text, and what is wrong with others.
cat >web.txt <<'END'
# two processes
cpus 2
event cycles 100000 period
process web 3 threads 60% in /opt/web
 function main 0x1000 20%
 function work 0x2000-0x2100 80% from main
process db 40%
 function scan 0x3000 100% in [kernel.kallsyms]
END
checked made --workload web.txt -c 4000
"$PERFDATA" dump made >dump
has dump 'filename: /opt/web$'
has dump 'filename: /usr/bin/db$' # where a process is that no place is told of
wrong() { # LINE TEXT WHY
    printf '%b' "$2" >bad.txt
    rm -f made
    expect 2 gen --workload bad.txt -o made
    has err "bad.txt: line $1: .*$3"
    [ ! -e made ] || fail 'a wrong text leaves an output'
}
wrong 1 'proces x\n' 'a line begins with'
wrong 2 'process x\n function f zz 5%\n' 'number'
wrong 2 'process x\n function f 0x10 5\n' 'percentage'
wrong 3 'process x\n function f 0x10 60%\n function g 0x20 60%\n' 'more than 100%'
wrong 2 'process x\n function f 0x10 5% from g\n' 'caller'
wrong 1 ' function f 0x10 5%\n' 'needs a process'
wrong 1 'process x 3 apples\n' 'threads, copies or samples'
wrong 1 'process a_name_that_is_too_long_for_a_task\n' 'too long'
wrong 1 'sample ip,nonsense\n' 'sample field'
wrong 1 'event cycles 5\n' 'Hz or period'
wrong 2 'cpus 2\nevent y\nprocess x\n' 'is not understood'
wrong 1 'cpus 0\n' 'out of range'
wrong 1 'rate 99999999999999999999999\n' 'too large'
wrong 2 'cpus 2\n' 'no process'

# Options.
# Numbers of tasks go up from 1000 on, as those of Linux do, and no two tasks have the same.
gen -c 30000 --seed 2 --preset server -o made -f
"$PERFDATA" decode made | jq -r 'select(.record.type == "FORK").record.fork | "\(.pid) \(.tid)"' >tasks
[ "$(wc -l <tasks)" -gt 20 ] || fail 'tasks'
[ -z "$(cut -d ' ' -f 2 tasks | sort | uniq -d)" ] || fail 'two tasks of one number'
! awk '$1 < 1000 || $2 < $1' tasks | grep . || fail 'numbers of tasks go down'
# Formats of tracepoints say where each field is: behind the one before.
gen -c 300 --preset tracing -o made -f
grep -a $'^\tfield:' made | sed -n '/common_type/,$ p' |
    sed 's/.*offset:\([0-9-]*\);.*size:\([0-9]*\);.*/\1 \2/' >fields
awk '$1 && $1 != end { wrong++ } { end = $1 + $2 } END { exit wrong || NR < 20 }' fields ||
    fail 'offsets of fields'
rm -f made
expect 2 gen -c 5
has err 'where to'
expect 2 gen -o made --preset nothing
has err 'server, build'
expect 2 gen -o made --random --preset server
has err 'exclude each other'
expect 2 gen -o made -t COMPRESSED
has err 'not possible'
expect 2 gen -o made -t NOTHING
expect 2 gen -o made --sample-type ip,nothing
expect 2 gen -o made --sample-type weight,weight_struct
expect 2 gen -o made --events 65
expect 2 gen -o made --cpus 0
expect 2 gen -o made --size 5X
expect 2 gen -o made --endian middle
expect 2 gen -o - --to dir
expect 2 gen -o made operand
[ ! -e made ] || fail 'wrong usage leaves an output'
echo precious >there
expect 2 gen -o there
[ "$(cat there)" = precious ] || fail 'an existing file was written'
if [ -w /dev/full ]; then
    expect 4 gen -o /dev/full --to pipe
fi
