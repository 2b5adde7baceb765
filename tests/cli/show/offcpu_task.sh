#!/usr/bin/env bash
# Task, period, ip and stack of off-cpu samples are those in the raw data, as for perf 7.3, wherever a verb
# asks for them; also in streams that name the event behind the samples, and in stacks of unusual forms. Bytes
# are worked out by hand.
. "$(dirname "$0")/../frame_lib.sh"

zero=0000000000000000
task=6600000065000000
period=8039c80500000000
three=0300000000000000
user=00feffffffffffff
leaf=1020400000000000
caller=1010400000000000
cgroup=0700000000000000
stack="$task $period $three $user $leaf $caller $cgroup 00000000"
attr() { # ID
    echo '{"attr":{"type":"SOFTWARE","config":10,"sample_type":"IDENTIFIER|IP|TID|TIME|CPU|PERIOD|RAW",
        "flags":"sample_id_all"},"ids":["'"$1"'"]}'
}
sample() { # EVENT BYTES
    echo '{"record":{"type":"SAMPLE","misc":"cpumode=USER","attr":'"$1"',
        "sample":{"identifier":"7'$(($1 + 1))'",
        "ip":"0x401000","pid":301,"tid":302,"time":"5000000007'"$1"'","period":"1",
        "raw":{"data":"'"${2// /}"'"}}}}'
}
mapping() { # PID ADDRESS FILE
    echo '{"record":{"type":"MMAP","attr":0,"mmap":{"pid":'"$1"',"tid":'"$1"',"addr":"'"$2"'","len":"0x1000",
        "filename":"'"$3"'"},"sample_id":{"identifier":"71"}}}'
}
name() { # ID NAME
    echo '{"record":{"type":"EVENT_UPDATE","event_update":{"type":"NAME","id":"'"$1"'","name":"'"$2"'"}}}'
}
named='{"feature":"EVENT_DESC","content":{"events":[{"attr":{"type":"SOFTWARE","config":10,"size":128},
    "name":"offcpu-time","ids":["71"]},
    {"attr":{"type":"SOFTWARE","config":10,"size":128},"name":"mine","ids":["72"]}]}}'
encode() { # NAME, and the text on standard input
    unfold >"$1.jsonl"
    "$PERFDATA" encode -f -o "$1.data" "$1.jsonl" || fail "encode $1"
}
raw() { # FILE N: the raw data of the nth sample, as bytes
    "$PERFDATA" dump --json "$1" | grep '"type":"SAMPLE"' |
        sed -n "$2{s/.*\"raw\":{\"size\":[0-9]*,\"data\":\"\([0-9a-f]*\)\".*/\1/p}"
}
bytes() { # FILE N BYTES, with spaces between numbers
    local found
    found=$(raw "$1" "$2")
    [ "$found" = "${3// /}" ] || fail "$1: sample $2: $found, not $3"
}
count() { # FILE: of the samples with a stack, and of all
    "$PERFDATA" dump --json "$1" >json || fail "dump of $1"
    echo "$(grep -c '"offcpu":{' json || true) $(grep -c '"type":"SAMPLE"' json || true)"
}

{
    echo '{"header":{"container":"file"}}'
    attr 71 && attr 72
    echo "$named"
    mapping 301 0x401000 /bin/outer && mapping 102 0x402000 /bin/inner
    sample 0 "$stack" && sample 1 "$stack"
} | encode in
"$PERFDATA" dump -F pid,tid,period,event,ip in.data >out || fail 'dump -F'
diff - out <<'END' || fail 'dump -F'
  102/101     97008000 offcpu-time: 
	          402010
	          401010

  301/302            1        mine:            401000
END
latest=${PERFDATA_PERF_LATEST:-$PERFDATA_SOURCE/../shared/tools/perf-latest}
if [ -x "$latest" ]; then
    "$latest" script -i in.data -F comm,pid,tid,period,event,ip 2>/dev/null | sed '/^$/d;s/  */ /g' >wanted
    "$PERFDATA" dump -F comm,pid,tid,period,event,ip in.data | sed '/^$/d;s/  */ /g' >out
    diff wanted out || fail "perf $latest differs"
fi

# What an EVENT_UPDATE of a stream says holds, whatever the feature says that comes behind it.
{
    echo '{"header":{"container":"pipe"}}'
    attr 71 && attr 72
    name 71 mine && name 72 offcpu-time
    echo "$named"
    sample 0 "$stack" && sample 1 "$stack"
} | encode updated
"$PERFDATA" dump --json updated.data | grep '"offcpu":{' >out || fail 'a name of an EVENT_UPDATE'
grep -q '"identifier":"72"' out && [ "$(wc -l <out)" = 1 ] ||
    fail "the feature's name holds: $(cut -c1-80 out)"
"$PERFDATA" split -q --by pid -o 'by-%d.data' in.data || fail 'split --by pid'
[ "$(count by-102.data), $(count by-301.data)" = '1 1, 0 1' ] || fail 'split --by pid'
for container in file pipe; do
    "$PERFDATA" convert -q -f --to $container -o in.$container in.data || fail "convert to $container"
    for what in '--pid 102' '--tid 101' '--exclude-pid 301' '--dsos /bin/inner' '--exclude-dsos outer'; do
        # shellcheck disable=SC2086 # two words
        "$PERFDATA" filter -q -f $what -i in.$container -o out.data || fail "filter $what"
        [ "$(count out.data)" = '1 1' ] || fail "$container: filter $what: $(count out.data)"
    done
done
"$PERFDATA" filter -q --pid 102 -o - - <in.pipe >out.data || fail 'filter of a live stream'
[ "$(count out.data)" = '1 1' ] || fail 'filter of a live stream'
"$PERFDATA" report --sort pid,tid,dso --limit 1 in.data >out || fail report
grep -q 'offcpu-time: 1 samples, period 97008000$' out || fail 'report: period'
grep -q '  100.00% *1 *102 *101  inner$' out || fail 'report: task and file'
"$PERFDATA" info in.data | grep -qx 'tasks  *2' || fail 'info: tasks'

# merge moves the pids in the raw data with the others, and takes no event without a name for an off-cpu one.
"$PERFDATA" merge -q --pids move -f -o out.data in.data in.data || fail 'merge --pids move'
[ "$(count out.data)" = '2 4' ] || fail "merge: $(count out.data)"
bytes out.data 1 "$stack"
bytes out.data 2 "e69698 00e5969800 $period $three $user $leaf $caller $cgroup 00000000"
bytes out.data 4 "$stack"
{
    echo '{"header":{"container":"file"}}'
    attr 71 && attr 72
    sample 0 "$stack"
} | encode unnamed
"$PERFDATA" merge -q --pids keep -f -o out.data in.data unnamed.data || fail 'merge'
"$PERFDATA" info out.data >out
[ "$(grep -c '^  [0-9] ' out)" = 3 ] || fail "merge of events with and without names: $(cat out)"

# Without call chains, the entry behind the marker stays, as the ip.
"$PERFDATA" edit -q --strip callchain -f -o out.data in.data || fail 'edit --strip callchain'
bytes out.data 1 "$task $period 0200000000000000 $user $leaf $cgroup 00000000"
bytes out.data 2 "$stack"

# Names behind the samples: what has the form of such a sample and no name yet is one.
{
    echo '{"header":{"container":"pipe"}}'
    attr 71 && attr 72
    name 72 mine
    sample 0 "$stack" && sample 1 "$stack"
    sample 0 "$task $period 0100000000000000 $leaf $cgroup 00000000"
    name 71 offcpu-time
    sample 0 "$task $period 0100000000000000 $leaf $cgroup 00000000"
} | encode late
[ "$(count late.data)" = '2 4' ] || fail "late names: $(count late.data)"
"$PERFDATA" decode late.data >out || fail 'decode'
[ "$(grep -c '"offcpu":{' out)" = 2 ] || fail 'decode of late names'
"$PERFDATA" edit -q --max-stack 1 -f -o out.data late.data || fail 'edit --max-stack'
bytes out.data 1 "$task $period 0200000000000000 $user $leaf $cgroup 00000000"
bytes out.data 2 "$stack"
"$PERFDATA" redact -q --payloads keep --addrs drop --paths keep -f -o out.data late.data || fail redact
bytes out.data 1 "$task $period $three $user $zero $zero $cgroup 00000000"
bytes out.data 2 "$stack"
bytes out.data 3 "$task $period 0100000000000000 $zero $cgroup 00000000"
bytes out.data 4 "$task $period 0100000000000000 $zero $cgroup 00000000"

# No stack, a stack of the kernel, one without a marker: a conversion turns them all.
{
    sed -n 1,4p in.jsonl
    sample 0 "$task $period $zero $cgroup 00000000"
    sample 0 "$task $period 0200000000000000 80ffffffffffffff 0010208180ffffff $cgroup 00000000"
    sample 0 "$task $period 0100000000000000 $leaf $cgroup 00000000"
    sample 1 "$task $period $zero $cgroup 00000000"
} | encode forms
"$PERFDATA" convert -q --endian big -o big.data forms.data || fail 'convert --endian big'
head='0000006600000065 0000000005c83980'
bytes big.data 1 "$head $zero 0000000000000007 00000000"
bytes big.data 2 "$head 0000000000000002 ffffffffffffff80 ffffff8081201000 0000000000000007 00000000"
bytes big.data 3 "$head 0000000000000001 0000000000402010 0000000000000007 00000000"
bytes big.data 4 "$task $period $zero $cgroup 00000000"
"$PERFDATA" convert -q --endian little -o back.data big.data || fail 'convert --endian little'
cmp forms.data back.data || fail 'the way back'
[ "$(hash_of forms.data)" = "$(hash_of big.data)" ] || fail hash
"$PERFDATA" dump -F pid,tid,period,ip forms.data >out || fail 'dump -F'
printf '  102/101     97008000 \n\n  102/101     97008000 \n' | diff - <(head -3 out) || fail 'no stack'
