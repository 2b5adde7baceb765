#!/usr/bin/env bash
# corpus/conformance/run distinguishes crashes, hangs, refusals, acceptance, memory and values, and finds no
# errors here.
. "$(dirname "$0")/frame_lib.sh"
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
runs 1 --row 'no reader' 'false {}' sample-ip
has out '^| no reader | refused (1): `sample-ip` |$'
runs 2 'no-such-command {}' sample-ip
has err 'no-such-command: No such file or directory$'
runs 2 'true {}' no-such-file
runs 2 true sample-ip
