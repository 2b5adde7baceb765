#!/usr/bin/env bash
# Events by the names that a recording gives them, and the fields of tracepoints: a stream made by hand, and
# perf's own.
. "$(dirname "$0")/../frame_lib.sh"

# ---- By hand: a tracepoint event 321 that the tracing data calls own:mine, and a software event called
# "named".
attr_record() { # TYPE CONFIG ID: with TID, TIME, ID and RAW
    le 4 64 && le 2 0 144
    le 4 "$1" 128 && le 8 "$2" 1 $((2 | 4 | 64 | 1024)) 0 $((1 << 18)) && zeros 80
    le 8 "$3"
}
sample() { # ID PID X NAME
    le 4 9 && le 2 1 $((8 + 8 + 8 + 8 + 4 + 8 + 4 + 8))
    le 4 "$2" "$2" && le 8 5000000123 "$1"
    le 4 20 && le 2 321 && le 1 0 0 && le 4 "$2" "$3" && printf '%s' "$4" && zeros $((8 - ${#4}))
}
format() {
    printf 'name: mine\nID: 321\nformat:\n'
    printf '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
    printf '\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n'
    printf '\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n'
    printf '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n'
    printf '\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n'
    printf '\tfield:char who[8];\toffset:12;\tsize:8;\tsigned:0;\n'
    printf '\nprint fmt: "x=%%d", REC->x\n'
}
blob() {
    printf '\x17\x08\x44tracing0.6\0\0\x08' && le 4 4096
    printf 'header_page\0' && le 8 0 && printf 'header_event\0' && le 8 0
    le 4 0 1 && printf 'own\0' && le 4 1
    format >format && le 8 "$(stat -c %s format)" && cat format
    le 4 0 0 && le 8 0
}
event_name() { # ID NAME
    le 4 78 && le 2 0 $((24 + 8)) && le 8 2 "$1" && printf '%s' "$2" && zeros $((8 - ${#2}))
}
{
    printf PERFILE2 && le 8 16
    attr_record 2 321 11
    attr_record 1 0 12
    blob >tracing
    le 4 66 && le 2 0 12 && le 4 "$(stat -c %s tracing)" && cat tracing
    event_name 12 named
    sample 11 7 -5 alpha
    sample 12 7 6 beta
    sample 11 8 4096 gamma
} >hand.pipe
expect 0 "$PERFDATA" check hand.pipe
expect 0 "$PERFDATA" dump hand.pipe
grep -A30 SAMPLE out | grep -e trace: -e event: >got
cat >want <<'END'
  event: own:mine
  trace: x=-5 who=alpha
  event: named
  event: own:mine
  trace: x=4096 who=gamma
END
same want got
expect 0 "$PERFDATA" dump --json hand.pipe
sed -n 's/.*"trace":\({[^}]*}\).*/\1/p' out >got
printf '%s\n' '{"x":-5,"who":"alpha"}' '{"x":4096,"who":"gamma"}' >want
same want got
[ "$("$PERFDATA" dump -F event hand.pipe | tr -d ' ' | paste -sd' ')" = 'own:mine: named: own:mine:' ] ||
    fail 'names with -F'
kept() { # samples that are left, by their first register of choice: the pid
    "$PERFDATA" dump -F pid "$1" | tr -d ' ' | paste -sd' '
}
expect 0 "$PERFDATA" filter -q -e own:mine -o mine.pipe hand.pipe
[ "$(kept mine.pipe)" = '7 8' ] || fail "own:mine: $(kept mine.pipe)"
expect 0 "$PERFDATA" filter -q -e named -o named.pipe hand.pipe
[ "$(kept named.pipe)" = 7 ] || fail "named: $(kept named.pipe)"
expect 2 "$PERFDATA" filter -q -e own:other -o other.pipe hand.pipe
has err '"own:other", but own:mine, named'
# As a file, where names are in sections and in records of the data.
expect 0 "$PERFDATA" convert -q --to file -o hand.data hand.pipe
expect 0 "$PERFDATA" filter -q -e own:mine -o mine.data hand.data
[ "$(kept mine.data)" = '7 8' ] || fail "own:mine of a file: $(kept mine.data)"
# The twin of the other byte order: raw bytes stay as they were.
expect 0 "$PERFDATA" convert -q --endian big -o big.pipe hand.pipe
"$PERFDATA" dump big.pipe | grep -A30 SAMPLE | grep -e trace: -e event: >got
"$PERFDATA" dump hand.pipe | grep -A30 SAMPLE | grep -e trace: -e event: >want
same want got
# A file through a pipe, whose names stand behind its data.
"$PERFDATA" dump hand.data | grep -e trace: -e event: >want
# shellcheck disable=SC2002
cat hand.data | "$PERFDATA" dump - | grep -e trace: -e event: >got
same want got
# Patterns.
expect 0 "$PERFDATA" filter -q -f -e 'own:*' -o mine.data hand.data
[ "$(kept mine.data)" = '7 8' ] || fail "own:*: $(kept mine.data)"
expect 0 "$PERFDATA" filter -q -f -e '*' -o mine.data hand.data
[ "$(kept mine.data)" = '7 7 8' ] || fail "*: $(kept mine.data)"
expect 2 "$PERFDATA" filter -q -f -e 'other:*' -o mine.data hand.data

# ---- perf's own, which names its events in the stream.
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
    record file.data -a -e sched:sched_switch -e cpu-clock:u -- bash -c work
    perf script -F event --no-inline -i file.data 2>/dev/null | tr -d ' ' | sort | uniq -c >want
    "$PERFDATA" dump -F event file.data | tr -d ' ' | sort | uniq -c >got
    same want got
    perf record -q -a -e sched:sched_switch -e cpu-clock:u -o - -- bash -c work >stream 2>err </dev/null ||
        skip "perf record -o -: $(tail -n 1 err)"
    n=$("$PERFDATA" dump -F event stream | grep -c sched:sched_switch)
    "$PERFDATA" filter -q -e sched:sched_switch -o - - <stream >filtered
    [ "$("$PERFDATA" dump -F event filtered | grep -c .)" = "$n" ] || fail 'sched:sched_switch of a stream'
    # shellcheck disable=SC2002
    cat stream | "$PERFDATA" filter -q -e sched:sched_switch -o - - | cat >flowed
    [ "$("$PERFDATA" dump -F event flowed | grep -c .)" = "$n" ] || fail 'sched:sched_switch of a live stream'
fi
