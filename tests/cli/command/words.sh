#!/usr/bin/env bash
# What the command says where a user went wrong: values of options, inputs of another kind, options without
# effect; each thing once.
. "$(dirname "$0")/../frame_lib.sh"
cp "$PERFDATA_SOURCE/corpus/callgraph.data" x.data

# A wrong value is told with all right ones and the nearest.
while read -r wanted arguments; do
    # shellcheck disable=SC2086
    expect 2 "$PERFDATA" $arguments
    has err "there is no \".*\", but .*$wanted.*; did you mean \"$wanted\"[?]\$"
done <<'END'
SAMPLE gen -t SAMPEL -o y
server gen --preset sever -o y
CALLCHAIN gen --sample-type ip,calchain -o y
little gen --endian litle -o y
pipe gen --to pip -o y
pipe convert --to pip x.data -o y
big convert --endian bigg x.data -o y
big encode --endian bigg
comm report -s com x.data
folded export --to foldd x.data
cgroup export --to folded -s comm,cgrop x.data
SAMPLE filter -r SMAPLE x.data -o y
needed filter --sideband neded x.data -o y
cgroup split --by cgrp x.data -o y%d
auto merge --pids atuo x.data -o y
event dump -F time,evnt x.data
HOSTNAME extract --feature hostnme x.data
CMDLINE edit --drop-feature cmdlin x.data -o y
hash redact --comms=hsh x.data -o y
decode bench --only decod x.data
offset cmp --ignore ofset x.data x.data
always info --color=alway x.data
END
[ ! -e y ] || fail 'an output'

# What is no recording is called that, however short it is.
printf 'hello' >no.data
for verb in info dump check hash "filter -o y" "convert -o y" "repair -o y"; do
    # shellcheck disable=SC2086
    expect 3 "$PERFDATA" $verb -i no.data
    has err 'no[.]data.*magic: found 0x6f6c6c6568, so this is no perf.data'
done
has err 'if it is a recording whose header is gone, --like OTHER'
head -c 20000 x.data >cut.data
expect 3 "$PERFDATA" repair -f -i cut.data -o y
has err 'lost: .*HOSTNAME.*; --like OTHER takes those'

# JSON in many lines.
expect 0 "$PERFDATA" decode -o x.json x.data
head -n 1 x.json | jq . >pretty.json
expect 3 "$PERFDATA" encode -f -o y pretty.json
has err 'line 1: .*an object takes one line, as jq -c . makes it'
jq -c . pretty.json >line.json
expect 0 "$PERFDATA" encode -f -o y line.json

# Callers that nothing shows.
printf 'process a 100%%\nfunction f 0x1000 10%%\nfunction g 0x2000 90%% from f\n' >work.txt
expect 0 "$PERFDATA" gen --workload work.txt -c 100 -f -o y
has err 'work.txt: "from CALLER" has no effect'
for sampled in callchain branch_stack stack_user,regs_user; do
    expect 0 "$PERFDATA" gen --workload work.txt -c 100 -f -o y --sample-type "ip,tid,time,$sampled"
    ! grep -q CALLER err || fail "--sample-type $sampled: $(cat err)"
done

# What inputs contradict each other in is told once, not for each of them.
for n in 1 2 3 4; do
    expect 0 "$PERFDATA" edit -f --set-feature cmdline="run $n" --set-feature version="6.$n" -o "m$n" x.data
done
expect 0 "$PERFDATA" merge -f -o y m1 m2 m3 m4
[ "$(grep -c 'feature CMDLINE: differs' err)" = 1 ] || fail "merge: $(cat err)"
has err '^perfdata merge: m2 and 2 other inputs: feature CMDLINE: differs'
has err '^perfdata merge: m2 and 2 other inputs: feature VERSION: differs'

# Recordings of perf stat.
perf stat record -o stat.data -- true 2>/dev/null >/dev/null || skip 'perf stat does not record here'
expect 0 "$PERFDATA" filter -f -i stat.data --pid 1 -o y
has err 'stat.data: is a recording of perf stat: its counts are no samples and all stay'
expect 0 "$PERFDATA" filter -f -i x.data -o y
! grep -q 'perf stat' err || fail "of perf record: $(cat err)"

# Types of records as perf calls them, of a stream too.
expect 0 "$PERFDATA" convert --to pipe -o x.pipe x.data
names() { sed -n 's/^ *\([A-Z_0-9]*\) events: *\([0-9]*\).*/\1 \2/p'; }
for file in x.data x.pipe; do
    perf report --stats -i "${file/*.pipe/-}" <$file 2>/dev/null | names >want
    [ "$(wc -l <want)" -ge 10 ] || fail "perf report --stats: $(cat want)"
    expect 0 "$PERFDATA" info --stats $file
    names <out >got
    same want got
done
