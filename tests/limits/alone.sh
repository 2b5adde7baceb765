#!/usr/bin/env bash
# alone.sh LIMIT - of a limit beyond which the result is the same: that the command keeps to it when it alone
# is lowered, since it takes another number of instructions, or writes in another form, and gives the same.
# Run by run.
. "$(dirname "$0")/../cli/frame_lib.sh"
case $0 in /*) ;; *) fail 'run me by an absolute path' ;; esac
: "${USUAL:?the perfdata executable with the usual limits}"
limit=$1

# instructions COMMAND...: how many it takes.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null </dev/null |
        sed -n 's/.*Collected *: //p'
}

# otherwise PERCENT ARGUMENT...: the lowered command writes to `written` what the usual one does, with so many
# more or fewer instructions. Keys of hash tables are drawn, so that with these no run is as another one.
otherwise() {
    local percent=$1 usual lowered apart
    shift
    rm -rf written && mkdir written
    usual=$(instructions "$USUAL" "$@")
    mv written by-usual && mkdir written
    lowered=$(instructions "$PERFDATA" "$@")
    diff -rq by-usual written || fail "$limit: $*: another result"
    [ -n "$(ls written)" ] || fail "$limit: $*: nothing is written"
    apart=$((lowered > usual ? lowered - usual : usual - lowered))
    [ $((apart * 100)) -ge $((usual * percent)) ] ||
        fail "$limit: $*: $lowered instructions, usually $usual"
    echo "$limit: $lowered instructions, usually $usual"
}

gen() { "$USUAL" gen -q "$@"; }

# tasks: a hundred of them, with a sample each.
tasks() {
    local i
    echo '{"header":{}}'
    echo '{"attr":{"sample_type":"IP|TID|TIME","flags":"sample_id_all"}}'
    for i in $(seq 100); do
        echo "{\"record\":{\"type\":\"COMM\",\"comm\":{\"pid\":$i,\"tid\":$i,\"comm\":\"c$i\"}}}"
        echo "{\"record\":{\"type\":\"SAMPLE\",\"sample\":{\"pid\":$i,\"tid\":$i,\"time\":\"$i\"}}}"
    done
}

case $limit in
FILTER_NOTES)
    gen -c 20000 -o x.data
    otherwise 5 filter -q --cpu 1 -o written/x x.data
    ;;
PIECES_NEEDS)
    gen -c 5000 --tasks 40 -o x.data
    otherwise 5 split -q --by pid -o written/%d x.data
    ;;
PIECES_AT_ONCE)
    tasks | "$USUAL" encode -q -o x.data
    otherwise 1 split -q --by pid -o written/%d x.data
    ;;
EXPORT_CHANGES | EXPORT_ALIKE | EXPORT_PROCESSES)
    gen -c 20000 --tasks 400 -o x.data
    otherwise 5 export --to folded -o written/x x.data
    ;;
EXPORT_BRANCHES)
    gen --preset branch -c 3000 -o x.data
    otherwise 2 export --to bolt -o written/x x.data
    ;;
PARQUET_ENTRIES)
    reader=$(dirname "$0")/../cli/export/parquet_read.py
    gen -c 5000 -o x.data
    "$USUAL" export --to parquet -o usual x.data
    "$PERFDATA" export --to parquet -o lowered x.data
    python3 "$reader" usual >want 2>/dev/null
    python3 "$reader" lowered >got 2>/dev/null
    same want got
    ! cmp -s usual lowered || fail "$limit: nothing is written otherwise"
    ;;
QUICK_LINE | PLAIN_DEPTH)
    gen -c 500 -o x.data
    "$USUAL" decode -o x.json x.data
    otherwise 5 encode -o written/x x.json
    ;;
UNTOUCHED)
    gen -c 5000 --events 4 --sample-type ip,tid,time,cpu,period -o x.data
    otherwise 5 redact -q --unknown drop --pids keep --comms keep --paths keep --addrs keep \
        -o written/x x.data
    ;;
DIRECTORY_FILES) # there are never more: split is what opens most, and its own limit is not above this one
    tasks | "$USUAL" encode -q -o x.data
    expect 4 "$PERFDATA" split -q --by pid -o piece%d x.data
    has err 'Too many open files'
    [ ! -e piece1 ] || fail 'a piece is left behind'
    ;;
*) fail "$limit: no such limit" ;;
esac
