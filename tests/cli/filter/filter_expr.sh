#!/usr/bin/env bash
# perfdata filter --filter, --ip and --addr: tracepoints against what perf script prints of them, fields of
# samples of a recording by hand, and what errors point at.
. "$(dirname "$0")/../frame_lib.sh"

# A recording by hand: a sample's time is its number; ADDR, PERIOD and WEIGHT follow from it.
{
    echo '{"header":{"container":"file","order":"big"}}'
    echo '{"attr":{"type":"HARDWARE","size":128,"sample_type":"IP|TID|TIME|ADDR|PERIOD|WEIGHT"},"ids":[]}'
    for n in 1 2 3 4 5 6 7 8; do
        echo '{"record":{"type":"SAMPLE","misc":2,"attr":0,"sample":{"ip":"0x40'$n'","pid":'$n',"tid":'$n',' \
            '"time":"'$n'","addr":"0xfffffffffffff00'$n'","period":"'$((n * 100))'","weight":"'$n'"}}}'
    done
} >x.json
expect 0 "$PERFDATA" encode -f -o x.data x.json
numbers() {
    expect 0 "$PERFDATA" filter -q -f "$@" -i x.data -o y.data
    "$PERFDATA" dump -F ip y.data | sed 's/.*40//' | tr -d '\n'
}
want() { # NUMBERS OPTION...
    local want=$1
    shift
    got=$(numbers "$@")
    [ "$got" = "$want" ] || fail "filter $*: $got, not $want"
}
want 678 --filter 'period > 500'
want 5678 --filter 'period>=500'
want 12 --filter 'period < 300'
want 123 --filter 'period <= 0x12c' # 300
want 2 --filter 'weight == 02'
want 1345678 --filter 'weight != 2'
want 2367 --filter 'weight & 2'
want 12 --filter 'weight == 1 || weight == 2 && period > 100'
want 2 --filter '(weight == 1 || weight == 2) && period > 100'
want 1458 --filter '!(weight & 2)' # not 2, 3, 6, 7
want 2367 --filter '!!(weight & 2)'
want 148 --filter '! ( weight & 2 ) && !weight == 5'
want 7 --filter 'addr == 0xfffffffffffff007'
want 78 --filter 'addr > 0xfffffffffffff006'
want '' --filter 'addr < 1'
want 12345678 --filter 'weight > -1'
want '' --filter 'weight == -1'
want 34 --ip 0x403-0x404
want 348 --ip 0x403-0x404,0x408
want 1 --addr 0xfffffffffffff001
want 4 --ip 0x403-0x404 --filter 'weight>3' --tid 4,5
want 3 --filter 'sample.period == 300'

wrong() { # EXPRESSION MARKS MESSAGE
    expect 2 "$PERFDATA" filter -f --filter "$1" -i x.data -o y.data
    [ "$(sed -n 's/^perfdata filter:   \( *\^\^*\)$/\1/p' err)" = "$2" ] || fail "$1: $(cat err)"
    has err "$3"
}
wrong 'period > ' '         ^' 'a value is missing'
wrong 'period 5' '       ^' 'is missing'
wrong 'perod > 5' '^^^^^' 'no event has this field'
wrong 'period > 5 && (weight == 1' '                          ^' 'or ) is missing'
wrong 'period > 5 weight == 1' '           ^' 'the end is missing'
wrong 'period > 18446744073709551616' '         ^^^^^^^^^^^^^^^^^^^^' 'no number'
wrong 'period > x' '         ^' 'no number'
wrong 'period ~ "x"' '^^^^^^' 'for texts'
wrong 'weight == "1' '          ^^' 'the quote has no end'
wrong '' '^' 'a field is missing'
nested() { printf '(%.0s' $(seq "$1") && printf 'period > 0' && printf ')%.0s' $(seq "$1"); }
expect 0 "$PERFDATA" filter -f --filter "$(nested 100)" -i x.data -o y.data
expect 2 "$PERFDATA" filter -f --filter "$(nested 101)" -i x.data -o y.data
has err 'too deep'
expect 2 "$PERFDATA" filter -f --ip 5-4 -i x.data -o y.data
expect 2 "$PERFDATA" filter -f --addr , -i x.data -o y.data

# Tracepoints, by the text that perf makes of them.
record t.data -e sched:sched_switch,sched:sched_process_exec -a -- \
    sh -c 'for i in 1 2 3 4; do ls /usr/lib | sort | head -n 3; sleep 0.01; done'
perf script -F event,trace -i t.data 2>/dev/null </dev/null | sed 's/^ *//' >all
judge() { # EXPRESSION LINES-BY-AWK
    expect 0 "$PERFDATA" filter -q -f --filter "$1" -i t.data -o y.data
    perf script -F event,trace -i y.data 2>/dev/null </dev/null | sed 's/^ *//' >got
    awk "$2" all >want
    cmp -s want got || fail "$1: $(diff want got | head -n 4)"
    [ -s want ] || echo "nothing to compare: $1"
}
judge 'prev_comm == "ls"' '/prev_comm=ls /'
judge 'prev_comm ~ "s*"' '/prev_comm=s/'
judge 'prev_comm != "ls"' '/sched_switch/ && !/prev_comm=ls /'
judge 'next_pid == 0 && prev_prio < 120' '/next_pid=0 / && match($0, /prev_prio=[0-9]+/) &&
    substr($0, RSTART + 10, RLENGTH - 10) < 120'
judge 'filename ~ "*/sort" || prev_comm == "sleep"' '/filename=[^ ]*\/sort / || /prev_comm=sleep /'
judge '!(prev_comm == "ls") && prev_comm ~ "*"' '/sched_switch/ && !/prev_comm=ls /'
# A stream through a pipe, whose formats come with it.
"$PERFDATA" convert -q --to pipe -i t.data -o - |
    "$PERFDATA" filter -q -f --filter 'prev_comm == "ls"' -o s.data -
perf script -F event,trace -i s.data 2>/dev/null </dev/null | sed 's/^ *//' >got
awk '/prev_comm=ls /' all >want
cmp want got || fail 'a stream'
