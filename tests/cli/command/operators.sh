#!/usr/bin/env bash
# What a single operator decides in merge, cmp, hash, split, repair, sort and filter: each line here fails
# when that operator is another one, as changing them one by one showed. Those that may be others are in
# tests/mutation/equivalent_operators.txt.
. "$(dirname "$0")/../frame_lib.sh"
corpus=${PERFDATA_SOURCE:-$(dirname "$0")/../../..}/corpus
set=$corpus/conformance

# ---- merge: of one recording it is that one, with its lists of counted parts; an index of AUX data comes
# only from an input that has one; build ids that both have are there once.
expect 0 "$PERFDATA" merge -q -o one.data "$corpus/two-events.data"
[ "$(hash_of one.data)" = "$(hash_of "$corpus/two-events.data")" ] || fail "merge of one recording"
"$PERFDATA" gen -q -t SAMPLE:90,AUXTRACE:10 -c 60 -o aux.data
expect 1 "$PERFDATA" extract --feature auxtrace aux.data
expect 0 "$PERFDATA" merge -q -o aux.merged aux.data
expect 1 "$PERFDATA" extract --feature auxtrace aux.merged
expect 0 "$PERFDATA" merge -q -o twice.data "$corpus/two-events.data" "$corpus/two-events.data"
"$PERFDATA" extract --feature build_id twice.data >got
"$PERFDATA" extract --feature build_id "$corpus/two-events.data" >want
same want got

# Records of an input without attrs would be taken for those of another one's events.
expect 0 "$PERFDATA" corrupt -q --set 0x20=0000000000000000 -o no-attrs.data "$corpus/two-events.data"
expect 0 "$PERFDATA" check -q no-attrs.data
expect 3 "$PERFDATA" merge -f -a -o twice.data "$corpus/two-events.data" no-attrs.data
has err 'its input has no attr that tells its layout'
expect 0 "$PERFDATA" check -q twice.data

# Where records still wait, nothing is looked for behind the last input: valgrind sees it, as sanitizers do.
of_task() { # PID NAME TIME: that the task has the name, at a time or before all
    printf '%s\n' '{"header":{}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}'
    for time in 0 "$3"; do
        printf '{"record":{"type":"COMM","comm":{"pid":%d,"tid":%d,"comm":"%s"},' $(($1 + time)) \
            $(($1 + time)) "$2"
        printf '"sample_id":{"pid":1,"tid":1,"time":"%d"}}}\n' "$time"
    done
    printf '{"record":{"type":"SAMPLE","sample":{"ip":"0x10","pid":%d,"tid":%d,"time":"900"}}}\n' "$1" "$1"
}
for task in 'five 5 100' 'six 6 200'; do
    read -r name pid time <<<"$task"
    of_task "$pid" "$name" "$time" | "$PERFDATA" encode -q -o "$name.data"
done
watched=()
if command -v valgrind >/dev/null && ! sanitized && [[ $(head -c 2 "$PERFDATA") != '#!' ]]; then
    watched=(valgrind -q --error-exitcode=99)
fi
expect 0 "${watched[@]}" "$PERFDATA" merge -q -o waiting.data five.data six.data
[ "$("$PERFDATA" dump waiting.data | grep -c ']: COMM')" = 4 ] || fail 'a name is lost'

# ---- cmp: where in the file AUX data is does not count where order does not; equal exactly where the hashes
# are.
[ "$(hash_of "$set/feature-auxtrace.data")" = "$(hash_of "$set/feature-auxtrace-simpleperf.data")" ] ||
    fail "these say the same"
expect 0 "$PERFDATA" cmp --ignore offset,order,container "$set/feature-auxtrace.data" \
    "$set/feature-auxtrace-simpleperf.data"

# ---- hash: features of large numbers, which only streams have, are a part; what is damaged in a record is
# told with its place in the input.
{ cat "$set/container-pipe.data" && le 4 80 && le 2 0 24 && le 8 1000 5; } >large.pipe
expect 0 "$PERFDATA" hash --sections large.pipe
has out '  features from number 256 on 1$'
{ cat "$set/container-pipe.data" && le 4 80 && le 2 0 20 && le 8 7 && le 4 2; } >damaged.pipe
end=$(stat -c %s damaged.pipe)
alive "$PERFDATA" hash damaged.pipe >out 2>err || true
has err "at offset $end .*feature nrcpus"

# ---- split: 100 samples of 32 bytes in 97 pieces. 3200 is 32 times 97 and 96 more, which are shared out,
# too: three pieces have two.
{
    printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
        '{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}'
    for ((i = 0; i < 100; i++)); do
        printf '{"record":{"type":"SAMPLE","sample":{"ip":"0x1","pid":7,"tid":7,"time":"%d"}}}\n' \
            $((1000 + i))
    done
} | "$PERFDATA" encode -q -o hundred.data -
expect 0 "$PERFDATA" split -q --chunks 97 -o 'piece-%d' hundred.data
for piece in piece-*; do "$PERFDATA" dump -F time "$piece" | grep -c .; done | sort | uniq -c |
    awk '{ print $1, $2 }' >got
printf '%s\n' '94 1' '3 2' >want
same want got

# Each piece of a stream has the tracing data of the whole.
"$PERFDATA" gen -q --preset tracing -c 60 --to pipe -o tracing.pipe
expect 0 "$PERFDATA" split -q --chunks 3 -o 'tracing-%d' tracing.pipe
"$PERFDATA" extract --tracing-data tracing.pipe >want
for piece in tracing-?; do
    "$PERFDATA" extract --tracing-data "$piece" >got || fail "$piece has no tracing data"
    same want got
done

# Tracing data that is cut off leaves the records before it.
head -c 4000 tracing.pipe >cut.pipe
expect 3 "$PERFDATA" split -q --chunks 3 -o 'cut-%d' cut.pipe
has err 'HEADER_TRACING_DATA), byte 0, payload: the input ends after'
expect 0 "$PERFDATA" check -q cut-0

# ---- repair: what is intact comes along, AUX data and its index; an index of what was lost in part does not.
"$PERFDATA" gen -q -t SAMPLE:90,AUXTRACE:10 -c 60 --features all -o indexed.data
for file in aux.data indexed.data "$set/feature-auxtrace.data"; do
    expect 0 "$PERFDATA" repair -f -o repaired.data "$file"
    [ "$(hash_of repaired.data)" = "$(hash_of "$file")" ] || fail "repair of $file"
done
expect 0 "$PERFDATA" extract --feature auxtrace repaired.data
same out <("$PERFDATA" extract --feature auxtrace "$set/feature-auxtrace.data")

# ---- sort: the number of records, without the ends of rounds; a file whose records have no time is refused.
expect 0 "$PERFDATA" sort -v -f -o sorted.data hundred.data
has err 'sort: 100 records, '
tiny >tiny.data
expect 2 "$PERFDATA" sort -f -o sorted.data tiny.data
has err 'there is no sample_id_all'
# Files of a directory that go to a stream are one order, not one behind the other.
"$PERFDATA" gen -q --preset server -c 300 --to dir -o server.dir
cp server.dir/data.0 server.dir/data.1
"$PERFDATA" sort -q -o - server.dir >sorted.pipe || fail "sort of a directory to standard output"
expect 0 "$PERFDATA" sort -n sorted.pipe

# ---- filter of a stream: a thread stays in the process that it was first seen in, as in perf script --pid,
# whatever records say later.
{
    printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
        '{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"IP|TID|TIME","flags":"sample_id_all|comm"}}'
    for comm in '10 10 main' '10 11 first' '20 11 second'; do
        # shellcheck disable=SC2086
        set -- $comm
        time=$((${time:-0} + 10))
        task=$(printf '"pid":%d,"tid":%d' "$1" "$2")
        printf '{"record":{"type":"COMM","comm":{%s,"comm":"%s"},"sample_id":{%s,"time":"%d"}}}\n' \
            "$task" "$3" "$task" $time
        for pid in 10 20; do
            [ "$2" != 11 ] ||
                printf '{"record":{"type":"SAMPLE","sample":{"ip":"0x1","pid":%d,"tid":11,"time":"%d"}}}\n' \
                $pid $((time + pid / 10))
        done
    done
} | "$PERFDATA" encode -q -o threads.data -
"$PERFDATA" convert -q --to pipe -i threads.data -o threads.pipe
for file in threads.data threads.pipe; do
    "$PERFDATA" filter -q -f -o ten.data --pid 10 - < <(cat $file)
    [ "$("$PERFDATA" dump -F time ten.data | grep -c .)" = 4 ] || fail "filter --pid 10 of $file"
done

# ---- filter by cgroup: the one that is named, neither another nor one whose name is not known.
{
    printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME|CGROUP","flags":"sample_id_all|cgroup"}}'
    for id in 1 2; do
        printf '{"record":{"type":"CGROUP","cgroup":{"id":"%d","path":"/%d"},' $id $id
        printf '"sample_id":{"pid":1,"tid":1,"time":"1"}}}\n'
    done
    for id in 1 2 3; do
        printf '{"record":{"type":"SAMPLE","sample":{"ip":"0x1","pid":7,"tid":7,"time":"1%d",' $id
        printf '"cgroup":"%d"}}}\n' $id
    done
} | "$PERFDATA" encode -q -o cgroups.data -
expect 0 "$PERFDATA" filter -q -f -o one.data --cgroup /1 cgroups.data
[ "$("$PERFDATA" dump -F time one.data | grep -c .)" = 1 ] || fail "filter --cgroup"
expect 0 "$PERFDATA" filter -q -f -o others.data --exclude-cgroup /1 cgroups.data
[ "$("$PERFDATA" dump -F time others.data | grep -c .)" = 2 ] || fail "filter --exclude-cgroup"
