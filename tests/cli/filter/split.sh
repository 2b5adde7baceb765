#!/usr/bin/env bash
# perfdata split, judged by perf: `perf script` prints the same for consecutive pieces as for the whole;
# pieces by cpu, process or event together have the samples of the whole. Also names, refusals, and the files
# left after a failure.
. "$(dirname "$0")/../frame_lib.sh"

# ---- Tests without perf

cp "$PERFDATA_SOURCE/corpus/callgraph.data" whole.data
expect 2 "$PERFDATA" split whole.data -o 'p-%d.data'
has err 'chunks'
expect 2 "$PERFDATA" split --chunks 2 whole.data
expect 2 "$PERFDATA" split --chunks 2 --time 1s -o 'p-%d.data' whole.data
for bad in '--chunks 0' '--chunks x' '--size 0' '--size 10Q' '--time 0s' '--time 3parsecs' '--by colour'; do
    # shellcheck disable=SC2086
    expect 2 "$PERFDATA" split $bad -o 'p-%d.data' whole.data
done
for name in plain.data 'p-%s' 'p-%d-%d' 'dir-%d/p' '%99999999d'; do
    expect 2 "$PERFDATA" split --chunks 2 -o "$name" whole.data
done
[ "$(ls)" = "$(printf 'err\nout\nwhole.data')" ] || fail "something was left behind: $(ls -a)"

# If a file with the name of a piece exists, no piece is written and nothing is left.
echo mine >p-2.data
expect 2 "$PERFDATA" split --chunks 3 -o 'p-%d.data' whole.data
has err 'p-2.data.*exists'
[ ! -e p-0.data ] && [ "$(cat p-2.data)" = mine ] || fail 'a piece was written'
expect 0 "$PERFDATA" split -f --chunks 3 -o 'p-%d.data' whole.data
[ "$(ls -A | grep -c '^p-')" = 3 ] && [ -z "$(ls -A | grep '^\.perfdata')" ] || fail "left: $(ls -A)"
cp whole.data in-1.data
expect 2 "$PERFDATA" split -f --chunks 3 -o 'in-%d.data' in-1.data
has err 'never overwritten'
cmp -s whole.data in-1.data || fail 'the input was changed'
rm p-*

# The same input gives the same bytes; numbers are padded as asked; --json tells of each piece.
expect 0 "$PERFDATA" split --json --chunks 3 -o 'a%%-%04d.data' whole.data
python3 - <<'END' || fail "--json: $(cat out)"
import json
pieces = json.load(open("out"))
assert [p["file"] for p in pieces] == ["a%-0000.data", "a%-0001.data", "a%-0002.data"], pieces
assert pieces[0]["carried"] == 0 and all(p["carried"] > 0 for p in pieces[1:])
END
# A failure to print is reported, and nothing else; no piece is written.
got=0
"$PERFDATA" split --json --chunks 3 -o 'full%d' whole.data >/dev/full 2>err || got=$?
[ "$got" = 4 ] || fail "--json to a full device: status $got"
[ "$(cat err)" = 'perfdata split: standard output: No space left on device' ] ||
    fail "--json to a full device: $(cat err)"
[ ! -e full0 ] || fail 'a piece that was not told'
expect 0 "$PERFDATA" split --chunks 3 -o 'b%d' whole.data
for i in 0 1 2; do same "a%-000$i.data" b$i; done
cat whole.data | "$PERFDATA" split -q --chunks 3 -o 'c%d' - || fail "from a pipe: $?"
same b1 c1
rm -f a%* b? c?

# AUX area traces are refused with a message, before anything is written.
for type in AUXTRACE_INFO AUXTRACE; do
    "$PERFDATA" gen -q -f -c 100 --types SAMPLE:90,$type:10 --to file -o aux.data 2>err ||
        fail "gen: $(cat err)"
    expect 2 "$PERFDATA" split --chunks 2 -o 'p-%d' aux.data
    has err 'AUX area traces cannot be cut'
    [ ! -e p-0 ] || fail 'a piece was written'
done

# A truncated recording: pieces of the intact part, with a message.
head -c 30000 whole.data >cut.data
expect 3 "$PERFDATA" split --chunks 2 -o 'p-%d' cut.data
for p in p-?; do expect 0 "$PERFDATA" check -q $p; done
rm p-?

# Merged again, pieces of any kind have the records of the whole, each once, and its content; only records
# without a time may come in another order if pieces are of tasks, each of which has the records that it
# needs.
for how in '--by pid' '--by cpu' '--by event' '--chunks 3' '--size 20K'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" split $how -o 'p-%04d' whole.data
    expect 0 "$PERFDATA" merge -f -o m.data p-*
    expect 0 "$PERFDATA" cmp --ignore offset,order whole.data m.data
    [ "$how" = '--by pid' ] ||
        [ "$(hash_of m.data)" = "$(hash_of whole.data)" ] ||
        fail "$how: another content"
    rm p-*
done

# Each piece has a record with a time of task 7, which is the same in all, before those without a time, as
# perf record --tail-synthesize has them; merged, these are there once, as in the whole.
timed() { # TYPE FIELDS TIME
    printf '{"record":{"type":"%s","attr":0,"%s":{%s},"sample_id":{"pid":7,"tid":7,"time":"%s"}}}\n' \
        "$1" "${1,,}" "$2" "$3"
}
sample() { # PID TIME
    printf '{"record":{"type":"SAMPLE","attr":0,"sample":{"pid":%s,"tid":%s,"time":"%s"}}}\n' "$1" "$1" "$2"
}
{
    echo '{"header":{"container":"file"}}'
    echo '{"attr":{"type":"SOFTWARE","config":0,"sample_type":"TID|TIME","flags":"sample_id_all"},"ids":[]}'
    timed COMM '"pid":9,"tid":9,"comm":"nine"' 6
    timed FORK '"pid":7,"ppid":7,"tid":8,"ptid":7,"time":"5"' 5
    echo '{"record":{"type":"FINISHED_ROUND"}}'
    sample 10 50
    sample 10 51
    sample 11 60
    sample 7 70
    echo '{"record":{"type":"FINISHED_ROUND"}}'
    timed COMM '"pid":7,"tid":7,"comm":"seven"' 0
    timed FORK '"pid":7,"ppid":7,"tid":8,"ptid":7,"time":"0"' 0
} >tail.jsonl
"$PERFDATA" encode -q -o hand.data tail.jsonl || fail encode
for n in 2 3 4; do
    rm -f p-*
    expect 0 "$PERFDATA" split --chunks $n -o 'p-%d' hand.data
    expect 0 "$PERFDATA" merge -f -o m.data p-*
    expect 0 "$PERFDATA" cmp --ignore offset,order hand.data m.data
done
rm -f p-*

# ---- The judge

script() { # FILE...: what perf script shows of them, one behind the other
    local f
    for f; do
        if [ ! -d "$f" ] && [ "$(od -An -tu8 -j8 -N8 "$f" | tr -d ' ')" = 16 ]; then
            perf script --no-inline -i - <"$f" 2>/dev/null
        else
            perf script --no-inline -i "$f" 2>/dev/null
        fi
    done
}

pieces() { # FILE OPTION...: cuts it into out/
    rm -rf out
    mkdir out
    "$PERFDATA" split -q -i "$1" "${@:2}" -o "out/%04d" 2>err || fail "split $*: $? $(head -c 600 err)"
    for p in out/*; do
        "$PERFDATA" check -q "$p" >check.out 2>&1 || fail "check of $p of $*: $(head -n 3 check.out)"
    done
}

in_time() { # FILE OPTION...
    local how n
    script "$1" >want.txt
    n=$(wc -l <want.txt)
    [ "$n" -ge 100 ] || fail "$1: perf shows only $n lines"
    for how in "${@:2}"; do
        # shellcheck disable=SC2086
        pieces "$1" $how
        script out/* >got.txt
        cmp -s want.txt got.txt || fail "$1 $how: $(diff want.txt got.txt | head -n 6)"
        # Together again they have the content of the whole, also the times of its samples, or two zeros
        # there.
        "$PERFDATA" merge -q -f -o merged out/* || fail "merge of $1 $how"
        "$PERFDATA" cmp --ignore offset,order,container "$1" merged >diff.txt 2>&1 ||
            fail "$1 $how: merged, it has another content: $(head -n 6 diff.txt)"
    done
}

by_key() { # FILE KEY LEAST
    script "$1" | sort >want.txt
    pieces "$1" --by "$2"
    script out/* | sort >got.txt
    cmp -s want.txt got.txt || fail "$1 --by $2: $(diff want.txt got.txt | head -n 6)"
    [ "$(ls out | wc -l)" -ge "$3" ] || fail "$1 --by $2: $(ls out | wc -l) pieces"
}

tree() { # forks, execs and exits, on all cpus
    local i
    for i in 1 2 3 4; do
        find /usr/share/doc /usr/include 2>/dev/null | sort | md5sum &
        bash -c "exec -a name$i sh -c 'i=0; while [ \$i -lt 20000 ]; do i=\$((i+1)); done'"
    done
    wait
}
export -f tree

record two.data -F 997 -g -e cpu-clock,page-faults -a -- bash -c tree
in_time two.data '--chunks 7' '--size 200K'
by_key two.data cpu 1
by_key two.data event 2
record few.data -F 999 -e cpu-clock -- bash -c 'ls -R /usr/include; sort -R /etc/services; true'
by_key few.data pid 2
"$PERFDATA" convert -q --endian big -i two.data -o big.data
in_time big.data '--chunks 3'
"$PERFDATA" convert -q -z -i two.data -o z.data
in_time z.data '--time 200ms'
"$PERFDATA" convert -q --to pipe -i two.data -o two.pipe
in_time two.pipe '--chunks 4'
by_key two.pipe event 2
record threads --threads -F 997 -a -e cpu-clock -- bash -c tree
in_time threads '--chunks 4'

record tail.data --tail-synthesize -F 997 -g -a -e cpu-clock -- bash -c tree
in_time tail.data '--chunks 5' '--time 100ms'
record stacks.data -z --call-graph dwarf,2048 -F 499 -e cpu-clock -- bash -c tree
in_time stacks.data '--chunks 5'

# Each record of the whole is in one piece, besides the copies.
"$PERFDATA" dump --json two.data >whole.json
pieces two.data --chunks 7
for p in out/*; do "$PERFDATA" dump --json $p; done >all.json
[ "$(grep -c '"type":"SAMPLE"' whole.json)" = "$(grep -c '"type":"SAMPLE"' all.json)" ] ||
    fail 'samples are missing, or there twice'
fields() {
    sed 's/"offset":"[0-9]*",//; s/"index":"\{0,1\}[0-9]*"\{0,1\},//' "$@" | grep -v FINISHED_ROUND | sort -u
}
fields whole.json >want.txt
fields all.json >got.txt
same want.txt got.txt
