#!/usr/bin/env bash
# perfdata corrupt: makes the damage that its options say, reproducibly; prints it; never changes the input.
. "$(dirname "$0")/../frame_lib.sh"

tiny >tiny.data
zeros 100000 >zeros
corrupt() { # INPUT OUTPUT OPTION...: the lines go to the file out
    expect 0 "$PERFDATA" corrupt -f -o "$2" "${@:3}" "$1"
}

# changes FILE FILE: the offsets at which they differ.
changes() {
    { cmp -l "$1" "$2" || true; } | awk '{ print $1 - 1 }'
}

# ---- --set.
corrupt tiny.data a --set 0x108=7874 --set 280=ff
printf 'set 0x108: 7469 -> 7874\nset 0x118: 00 -> ff\n' >want && same want out
[ "$(changes tiny.data a | tr '\n' ' ')" = '264 265 280 ' ] ||
    fail "those bytes alone: $(changes tiny.data a)"
# Across a piece of input; a later one wins
corrupt zeros a --set 65530=0102030405060708090a0b0c --set 65530=ff
[ "$(tail -c +65531 a | head -c 13 | od -An -tx1 | tr -d ' \n')" = ff02030405060708090a0b0c00 ] ||
    fail "set across pieces"
rm -f a
expect 2 "$PERFDATA" corrupt -o a --set 1000=00 tiny.data
[ ! -e a ] || fail "an output for what could not be done"
for wrong in 5 =00 5= 5=0 5=xx x=00 -1=00; do
    expect 2 "$PERFDATA" corrupt -o a --set "$wrong" tiny.data
done

# ---- --truncate.
corrupt tiny.data a --truncate 100
cmp a <(head -c 100 tiny.data)
has out '^truncated 0x64: 204 bytes are cut$'
corrupt tiny.data a --truncate -4
cmp a <(head -c -4 tiny.data)
# shellcheck disable=SC2002
cat tiny.data | "$PERFDATA" corrupt -o - --truncate -4 - 2>err | cmp - a || fail "the end of a stream"
has err '^truncated'
corrupt tiny.data a --truncate -1000 && [ ! -s a ] || fail "more is cut than there is"
corrupt tiny.data a --truncate 1000 && cmp tiny.data a
has out 'nothing is cut'
corrupt tiny.data a --truncate 0 && [ ! -s a ] || fail "nothing is kept"
expect 2 "$PERFDATA" corrupt -o b --truncate many tiny.data

# ---- -E: about as many as asked for, as told, and again.
corrupt zeros a -E 0.01 --seed 5
mv out told
n=$(changes zeros a | wc -l)
[ "$n" -gt 800 ] && [ "$n" -lt 1200 ] || fail "$n of 100000 bytes changed, with probability 0.01"
[ "$(wc -l <told)" = "$n" ] || fail "a line each"
changes zeros a >want
sed 's/^changed \(0x[0-9a-f]*\): .*/\1/' told | while read -r at; do echo $((at)); done >got
same want got
corrupt zeros b -E 0.01 --seed 5 && same a b && same told out
corrupt zeros b -E 0.01 --seed 6 && ! cmp -s a b || fail "another seed, the same damage"
# shellcheck disable=SC2002
cat zeros | "$PERFDATA" corrupt -o - -E 0.01 --seed 5 - 2>err | cmp - a || fail "through pipes"
same told err
corrupt zeros b -E 0.01 --seed 5 --truncate 99000
cmp b <(head -c 99000 a) || fail "one kind of damage changes what another does" 
corrupt zeros b -E 1 && [ "$(changes zeros b | wc -l)" = 100000 ] || fail "every byte becomes another"
corrupt zeros b -E 0 && cmp zeros b && empty out
for wrong in x -1 1.5 nan ''; do
    expect 2 "$PERFDATA" corrupt -o c -E "$wrong" tiny.data
done

# ---- --unknown-record: all else is as before, in files, streams and both byte orders.
"$PERFDATA" convert -i tiny.data -o tiny.pipe --to pipe
"$PERFDATA" convert -i tiny.data -o big.data --endian big
"$PERFDATA" convert -i "${PERFDATA_SOURCE:-$(dirname "$0")/../../..}/corpus/two-events.data" -o big.pipe \
    --endian big --to pipe
cp "${PERFDATA_SOURCE:-$(dirname "$0")/../../..}"/corpus/two-events.data real.data
for file in tiny.data tiny.pipe big.data big.pipe real.data; do
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        corrupt "$file" bad --unknown-record --seed $seed
        grep -q '^inserted ' out || fail "it does not say what"
        read -r _ at bytes rest < <(grep '^inserted ' out)
        at=$((${at%:})) n=$((${#bytes} / 2))
        [ "$(stat -c %s bad)" = $(($(stat -c %s "$file") + n)) ] || fail "$n bytes $rest"
        "$PERFDATA" check --json bad >check.out || fail "$file seed $seed: $(cat check.out)"
        grep -q '"raw":1' check.out || fail "one record is unknown: $(cat check.out)"
        { head -c $at bad && tail -c +$((at + n + 1)) bad; } >without
        changed=$(changes without "$file" | wc -l)
        case $file in
        *.pipe) [ "$changed" = 0 ] || fail "a stream needs no change but the record" ;;
        *) [ "$changed" -le $((2 * $(grep -c '^adjusted ' out))) ] ||
            fail "$file: $changed bytes changed: $(cat out)" ;;
        esac
        echo "$at" >>places
    done
done
[ "$(sort -u places | wc -l)" -gt 15 ] || fail "always at the same place"
"$PERFDATA" hash --sections real.data | grep -v '  records\|real.data' >want
corrupt real.data bad --unknown-record
"$PERFDATA" hash --sections bad | grep -v '  records\|bad' >got
same want got
# shellcheck disable=SC2002
cat real.data | "$PERFDATA" corrupt -o - --unknown-record - 2>err | cmp - bad || fail "of a stream"
corrupt real.data worse --unknown-record --set 0x30=0000000000000000
has out '^set 0x30: '
cmp <(head -c 56 worse | tail -c 8) <(zeros 8) || fail "--set has the last word"
expect 3 "$PERFDATA" corrupt -o c --unknown-record zeros
[ ! -e c ] || fail "an output of what is no recording"

# ---- JSON.
corrupt real.data a --json --unknown-record -E 0.001 --set 5=00 --truncate -7
if command -v python3 >/dev/null; then
    python3 - <<'END' || fail "JSON: $(head -3 out)"
import json
lines = [json.loads(l) for l in open('out')]
data = open('a', 'rb').read()
assert {l['what'] for l in lines} == {'adjusted', 'inserted', 'set', 'changed', 'truncated'}, lines
last = {}
for l in lines:
    for i in range(len(l.get('new', '')) // 2):
        last[int(l['offset']) + i] = int(l['new'][2 * i:2 * i + 2], 16)
assert all(at >= len(data) or data[at] == byte for at, byte in last.items())
assert lines[-1]['what'] == 'truncated' and lines[-1]['offset'] == str(len(data)), lines[-1]
END
fi

# ---- Outputs and wrong usage.
sum=$(md5sum <tiny.data)
expect 2 "$PERFDATA" corrupt -f -o tiny.data -E 0.5 tiny.data
expect 2 "$PERFDATA" corrupt -o a -E 0.5 tiny.data # it is there
expect 2 "$PERFDATA" corrupt -o c tiny.data
expect 2 "$PERFDATA" corrupt -E 0.5 tiny.data
expect 2 "$PERFDATA" corrupt -o c -E 0.5 none.data
expect 2 "$PERFDATA" corrupt -o c -E 0.5 .
expect 2 "$PERFDATA" corrupt -o c --unknown-record none.data
mkdir recording && cp tiny.data recording/data
expect 2 "$PERFDATA" corrupt -o c --unknown-record recording
expect 4 "$PERFDATA" corrupt -o /dev/full -E 0.5 tiny.data
head -c 1000000 /dev/zero >long # more than waits to be written at the end
for damage in '-E 0.0001' '--set 0=01' '--truncate 900000'; do
    # shellcheck disable=SC2086
    expect 4 "$PERFDATA" corrupt -o /dev/full $damage long
    has err '^perfdata corrupt: /dev/full: No space left on device$'
done
expect 4 bash -c 'set -o pipefail; "$PERFDATA" corrupt -q -o - --set 0=01 long 2>said | :'
! grep -v '^set 0x0' said || fail "a closed pipe: $(cat said)"
[ "$sum" = "$(md5sum <tiny.data)" ] || fail "the input was changed"
[ ! -e c ] || fail "an output without a reason"
[ -z "$(find . -name '.perfdata-*')" ] || fail "left behind: $(find . -name '.perfdata-*')"

# A live stream flows.
mkfifo live
"$PERFDATA" corrupt -o - --set 0=58 - <live 2>/dev/null >flowed &
pid=$!
exec 3>live
printf hello >&3
for _ in $(seq 50); do
    [ -s flowed ] && break
    sleep 0.1
done
[ "$(cat flowed)" = Xello ] || fail "a live stream waits: $(cat flowed)"
exec 3>&-
wait $pid

flat 2000 "$PERFDATA" corrupt -f -o /dev/null -E 0.00001 -i
