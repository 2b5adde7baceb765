#!/usr/bin/env bash
# corpus/conformance/run distinguishes crashes, hangs, refusals, acceptance, memory and values, and finds no
# errors here.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'
set="$PERFDATA_SOURCE/corpus/conformance"
runs() { # STATUS ARGUMENT...
    local want=$1 got=0
    shift
    "$set/run" "$@" >out 2>err || got=$?
    [ $got = "$want" ] || fail "run $*: exit status $got: $(cat out err)"
}
few='container-file container-zstd.be record-comm.be sample-ip trap-callchain-nr feature-hostname'
memory=2048
! sanitized || memory=200000000 # shadow memory is address space, too
# shellcheck disable=SC2086 # names
{
    runs 0 --memory $memory --json "$set/adapters/perfdata $PERFDATA {}" $few
    has out '^6 files, 6 ok$'
    runs 0 -v --memory $memory "$PERFDATA check -q {}" $few
    [ "$(grep -c '^[a-z].* ok$' out)" = 6 ] || fail "$(cat out)"
    runs 1 'false {}' $few
    has out '^6 files, 1 ok, 5 refused$'
    runs 1 'true {}' $few
    has out '^trap-callchain-nr  *accepted '
    has out '^6 files, 5 ok, 1 accepted$'
}
runs 1 "sh -c 'kill -SEGV \$\$' {}" sample-ip
has out '^sample-ip  *crash  *SIGSEGV$'
runs 1 --time 0.3 'sh -c "sleep 5" {}' sample-ip
has out '^sample-ip  *hang '
cat >one.json <<'END'
{"offset": 248, "type": "COMM", "values": {"comm.pid": 7}}
END
runs 1 --json "sh -c 'cat $PWD/one.json' {}" record-comm
has out '^record-comm  *values  *COMM at 248: comm.pid 7, is 101$'
runs 1 --table 'no reader' 'false {}' sample-ip
has out '^| no reader | refused | no message | 1 | `sample-ip` |$'
echo 'echo "$1: bad 17" >&2; exit 3' >cause
runs 1 --table 'no reader' "sh $PWD/cause {}" sample-ip sample-addr
has out '^| no reader | refused | FILE bad N | 2 | `sample-ip`, `sample-addr` |$'

# What is printed before a failure is compared; records of types that are always printed must all be there.
cat >one.json <<'END'
{"prints": ["SAMPLE", "COMM"]}
{"offset": 256, "type": "COMM", "values": {"size": 48}}
END
runs 1 --json "sh -c 'cat $PWD/one.json; exit 3' {}" sample-identifier
has out '^sample-identifier  *refused  *exit status 3'
has out '^sample-identifier  *lost  *SAMPLE at 304$'
has out '^1 files, 0 ok, 1 refused, 1 lost$'
printf '%s\n' '{"offset": 256, "type": "COMM", "values": {"size": 49}}' >one.json
runs 1 --json "sh -c 'cat $PWD/one.json; exit 3' {}" sample-identifier
has out '^sample-identifier  *values  *COMM at 256: size 49, is 48$'
echo '{"offset": 304, "type": "SAMPLE", "values": {"sample": {"callchain": {"ips": [7]}}}}' >one.json
runs 0 --json "sh -c 'cat $PWD/one.json' {}" sample-identifier
for line in '{"offset": "x", "type": "COMM"}' 'no JSON' '[1]' '{"type": "COMM"}' \
    '{"offset": 1, "type": []}'; do
    echo "$line" >one.json
    runs 1 --json "sh -c 'cat $PWD/one.json' {}" sample-ip record-comm
    has out '^sample-ip  *adapter  *line 1: '
    has out '^2 files, 0 ok, 2 adapter$'
done

# A failure for want of memory is one of memory: by what the reader says, or since it succeeds with more.
runs 1 "sh -c 'echo out of memory >&2; exit 3' {}" sample-ip
has out '^sample-ip  *memory  *more than 2048 MiB$'
if ! sanitized; then
    runs 1 --memory 300 "python3 -c '
import mmap, sys
try:
    mmap.mmap(-1, 400 << 20)
except OSError:
    sys.exit(3)' {}" sample-ip
    has out '^sample-ip  *memory  *more than 300 MiB$'
fi

# Nothing outlives its turn, not even in a session of its own.
echo 'setsid sleep 31.4159 & setsid sh -c "sleep 31.4160 & sleep 31.4161" & sleep 31.4162' >many
runs 1 --time 0.5 "sh $PWD/many {}" sample-ip
has out '^sample-ip  *hang '
runs 0 "sh -c 'setsid sleep 31.4163 & exit 0' {}" sample-ip
! pgrep -f 'sleep 31\.41' >left || fail "processes that go on: $(cat left)"

# The table of the README is what the runner prints.
if full && perf --version 2>/dev/null | grep -q ' 6\.1\.'; then
    "$set/run" --json --table 'perf 6.1' "$set/adapters/perf perf {}" >out || true
    grep '^| perf 6.1 ' "$set/README.md" | diff - out || fail 'the table of corpus/conformance/README.md'
fi
runs 2 'no-such-command {}' sample-ip
has err 'no-such-command: No such file or directory$'
runs 2 'true {}' no-such-file
runs 2 true sample-ip
