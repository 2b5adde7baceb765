#!/usr/bin/env bash
# sort, merge and split write samples that wait in memory in a short way: sort and split not those that they
# compress, and none of them what was in a temporary file. All ways give the same bytes, messages and exit
# status, of damaged recordings, too.
. "$(dirname "$0")/../frame_lib.sh"

# way STATUS NAME ARGS...: runs ARGS -o NAME, again compressed, which is then decompressed, and with little
# memory.
way() {
    local status=$1 name=$2
    shift 2
    expect "$status" "$PERFDATA" "$@" -q -f -o "$name"
    mv err "$name.err"
    expect "$status" "$PERFDATA" "$@" -q -f -z -o zipped
    cmp err "$name.err" || fail "$name: other messages"
    "$PERFDATA" convert -q -f --decompress -o plain zipped 2>/dev/null || [ $? -eq 3 ]
    cmp plain "$name" || fail "$name: not what it is by the other way"
    expect "$status" "$PERFDATA" "$@" -q -f -m 32K -o spilled
    cmp err "$name.err" || fail "$name: other messages with little memory"
    cmp spilled "$name" || fail "$name: not what it is with little memory"
}

"$PERFDATA" gen -q --preset server -c 6000 -o a.data
"$PERFDATA" gen -q --preset server -c 6000 --seed 2 -o b.data
"$PERFDATA" gen -q --events 1 --sample-type ip,tid,time,cpu,period -c 6000 -o fixed.data
"$PERFDATA" corrupt -q --seed 5 -E 0.00003 -o bad.data a.data >/dev/null

way 0 sorted sort a.data
way 0 sorted sort fixed.data
way 0 merged merge a.data b.data
way 0 merged merge a.data fixed.data
way 3 sorted sort bad.data
way 3 merged merge bad.data b.data

# pieces STATUS INPUT HOW...: the same of all pieces; and in the other byte order, where samples are learnt of
# one by one, too.
pieces() {
    local status=$1 input=$2
    shift 2
    rm -rf plain.d zipped.d big.d
    mkdir plain.d zipped.d big.d
    expect "$status" "$PERFDATA" split -q "$@" -o plain.d/%d "$input"
    mv err plain.err
    expect "$status" "$PERFDATA" split -q "$@" -z -o zipped.d/%d "$input"
    cmp err plain.err || fail "split $* of $input: other messages"
    [ "$(ls plain.d)" = "$(ls zipped.d)" ] || fail "split $* of $input: other pieces"
    for piece in plain.d/*; do
        "$PERFDATA" convert -q -f --decompress -o plain "zipped.d/${piece##*/}" 2>/dev/null || [ $? -eq 3 ]
        cmp plain "$piece" || fail "split $* of $input: $piece is not what it is by the other way"
    done
    [ "$status" = 0 ] || return 0
    "$PERFDATA" convert -q -f --endian big -o big "$input"
    expect 0 "$PERFDATA" split -q "$@" -o big.d/%d big
    [ "$(ls plain.d)" = "$(ls big.d)" ] || fail "split $* of $input: other pieces in the other order"
    for piece in plain.d/*; do
        "$PERFDATA" convert -q -f --endian little -o plain "big.d/${piece##*/}"
        cmp plain "$piece" || fail "split $* of $input: $piece is not what it is in the other order"
    done
}

pieces 0 a.data --by pid
pieces 0 fixed.data --by cpu
pieces 3 bad.data --by pid
pieces 3 bad.data --by event
for input in '0 a.data' '0 fixed.data' '3 bad.data'; do
    for how in '--chunks 5' '--chunks 60' '--time 20ms' '--size 50K'; do
        # shellcheck disable=SC2086
        pieces $input $how
    done
done

# Of recordings that are in order, merge takes samples from the window. In the other byte order it takes each
# record by itself.
"$PERFDATA" gen -q --preset tracing -c 6000 --seed 3 -o c.data
for name in a b c fixed bad; do
    "$PERFDATA" sort -q -o $name.sorted $name.data 2>/dev/null || [ $? -eq 3 ]
    "$PERFDATA" convert -q --endian big -o $name.big $name.sorted 2>/dev/null || [ $? -eq 3 ]
done
for two in 'a b' 'a fixed' 'a c' 'bad b' 'a a'; do
    read -r one other <<<"$two"
    for input in sorted big; do
        status=0
        "$PERFDATA" merge -q -f -o $input.out "$one.$input" "$other.$input" 2>/dev/null || status=$?
        echo $status >$input.status
    done
    cmp sorted.status big.status || fail "merge of $two: not the same status"
    "$PERFDATA" convert -q -f --endian little -o turned.out big.out 2>/dev/null || [ $? -eq 3 ]
    [ "$two" = 'bad b' ] || cmp turned.out sorted.out || fail "merge of $two: not what it is one by one"
    [ "$("$PERFDATA" dump turned.out 2>/dev/null | grep -c SAMPLE)" -gt 6000 ] || fail "merge of $two"
done
