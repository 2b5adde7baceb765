#!/usr/bin/env bash
# What filter, sort, split, merge, redact, hash, export and edit take of records inside COMPRESSED ones, they
# take where these were decompressed, several at once. They give what they give of the same records by
# themselves: bytes, messages but for the places of damage, and exit status. Compressed are short and long
# samples, of one event and of several, in one frame and in many, so that records go on in the next one.
. "$(dirname "$0")/../frame_lib.sh"

# run NAME INPUT VERB...: its output, its status; messages without the input's name and the places.
run() {
    local name=$1 input=$2 status=0
    shift 2
    "$PERFDATA" "$@" -f -o "$name" -i "$input" 2>"$name.err" || status=$?
    echo "$status" >"$name.status"
}

same() {
    run plain a.data "$@" --decompress
    run inside a.z "$@" --decompress
    cmp plain inside || fail "$*: not what it is of plain records"
    cmp plain.status inside.status || fail "$*: another status"
    cmp <(sed 's/a\.data//' plain.err) <(sed 's/a\.z//' inside.err) || fail "$*: other messages"
}

pieces() {
    rm -rf plain.d inside.d
    mkdir plain.d inside.d
    "$PERFDATA" split -q "$@" --decompress -o plain.d/%d a.data
    "$PERFDATA" split -q "$@" --decompress -o inside.d/%d a.z
    diff -r plain.d inside.d || fail "split $*: other pieces"
}

compare() {
    pid=$("$PERFDATA" dump -F pid a.data | grep -v '^ *0 *$' | sed -n '1s/[^0-9]//gp')
    comm=$("$PERFDATA" dump -F comm a.data | sed -n '2s/ //gp')
    same filter
    same filter --pid "$pid"
    same filter --exclude-pid "$pid" --exclude-cpu 1
    same filter --comms "$comm"
    same filter --exclude-comms "$comm" --time 10%-90%
    same filter --cpu 0-3 -e 0 --with-children
    same sort
    same sort -m 32K
    same redact --pids hash --times hash
    same convert --reencode
    pieces --by pid
    pieces --by event
    pieces --chunks 3
    for verb in hash 'export --to folded -o -' 'export --to speedscope -o -' 'dump -F comm,tid,time,event'; do
        # shellcheck disable=SC2086
        "$PERFDATA" $verb a.data >plain 2>/dev/null || true
        # shellcheck disable=SC2086
        "$PERFDATA" $verb a.z >inside 2>/dev/null || true
        [ "${verb%% *}" = hash ] && sed -i 's/a\..*//' plain inside
        cmp plain inside || fail "$verb: not what it is of plain records"
    done
    "$PERFDATA" edit -q -f --time-shift 5 -o edited a.z
    run inside edited convert --decompress
    run plain a.data edit --time-shift 5
    cmp plain inside || fail "edit: not what it is of plain records"
}

usual=ip,tid,time,cpu,period
while read -r how; do
    # shellcheck disable=SC2086
    "$PERFDATA" gen -q -f -c 4000 $how -o a.data
    for z in '-z' '--compressed2' '-z --frames 4K'; do
        # shellcheck disable=SC2086
        "$PERFDATA" convert -q -f $z -o a.z a.data
        compare
    done
done <<END
--events 1 --sample-type $usual
--events 1 --sample-type $usual,callchain --depth 10
--preset tracing
--preset build
END

# Pipe streams, which have one record more, and damage.
"$PERFDATA" gen -q -f -c 4000 --preset server --to pipe -o a.data
"$PERFDATA" convert -q -f -z -o a.z a.data
same filter -q --comms "$comm"
same filter -q --exclude-pid "$pid"
"$PERFDATA" gen -q -f -c 4000 --preset server -o whole.data
"$PERFDATA" corrupt -q -f --seed 7 -E 0.00003 -o a.data whole.data >/dev/null
"$PERFDATA" convert -q -f -z -o a.z a.data 2>/dev/null || [ $? -eq 3 ]
for verb in filter 'filter --exclude-cpu 1' sort; do
    for input in data z; do
        # shellcheck disable=SC2086
        run $input a.$input $verb -q --decompress
    done
    cmp data z || fail "$verb of damaged records: not what it is of plain ones"
    cmp data.status z.status || fail "$verb of damaged records: another status"
    [ "$(wc -l <data.err)" = "$(wc -l <z.err)" ] || fail "$verb of damaged records: not as many messages"
done

# With -z, records before the first sample or time stay as they are, as with perf record -z: of a recording by
# perf, 296. sort and merge end a round behind them.
recording=$PERFDATA_SOURCE/corpus/callgraph.data
early=$("$PERFDATA" decode "$recording" | grep '^{"record"' |
    grep -nE '"SAMPLE"|"time":"[1-9]' | sed -n '1s/:.*//p')
[ "$early" = 297 ] || fail "$early: another first record with a time"
for verb in convert 'filter --sideband all' sort merge; do
    # shellcheck disable=SC2086
    "$PERFDATA" $verb -q -f -z -o zipped "$recording"
    first=$("$PERFDATA" dump zipped | grep '^0x' | grep -n COMPRESSED | sed -n '1s/:.*//p')
    [ "$first" = 297 ] || [ "$first" = 298 ] || fail "$verb -z: the first compressed record is number $first"
done

# A reading ends in the middle of what threads have decompressed, more than they have room for: the next one
# begins anew.
"$PERFDATA" gen -q -f --preset dwarf --seed 840 -c 2000 -z9 --frames 1M -o large.z
for j in 1 2 4; do
    mkdir $j
    "$PERFDATA" split -q --chunks 2 -j$j -o $j/%d large.z
    diff -r 1 $j || fail "split -j$j: other pieces"
done

# Records out of place between COMPRESSED ones are lost alone, also with --keep-tail and with threads:
# the frame goes on behind them.
for seed in 1 2 3; do
    "$PERFDATA" gen -q -f -t ALL -z -c 300 --seed $seed -o any.z
    expect 3 "$PERFDATA" repair -f -o mended any.z
    mv err mended.err
    [ "$("$PERFDATA" dump any.z | grep -c COMPRESSED)" -gt 4 ] || fail 'nothing compressed behind damage'
    for how in -j2 --keep-tail '--keep-tail -j2'; do
        # shellcheck disable=SC2086 # several words
        expect 3 "$PERFDATA" repair -f $how -o other any.z
        cmp mended other || fail "repair $how: not what it keeps otherwise"
        same mended.err err
    done
done
