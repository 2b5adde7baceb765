#!/usr/bin/env bash
# perfdata merge: ids, pids and events of recordings written by hand, the output against what must stand in
# it; pieces of a recording put together again; byte orders and containers; what it refuses.
. "$(dirname "$0")/../frame_lib.sh"

# write FILE [CONTAINER [ORDER]]: encodes the lines of standard input, with a header line before them.
write() {
    { echo "{\"header\":{\"container\":\"${2:-file}\",\"order\":\"${3:-little}\"}}" && unfold; } |
        "$PERFDATA" encode -q -f -o "$1"
}
# The records, their event and fields alone.
records() {
    "$PERFDATA" decode "$1" | sed -E -n '
        /FINISHED_ROUND/d
        s/\}\}$//
        s/^\{"record":\{"type":"([A-Z_0-9]*)",.*"attr":([0-9]*),/\1 \2 /p
        s/^\{"record":\{"type":"(ID_INDEX|EVENT_UPDATE|TIME_CONV|FINISHED_INIT)".*"offset":"[0-9]*",/\1 /p'
}
expect_records() { # FILE, expected on standard input
    unfold >want
    records "$1" >got
    diff want got >differences || fail "$1: $(cat differences)"
    expect 0 "$PERFDATA" check "$1"
}

# ---- Ids: those of another event that collide are renumbered, wherever they are spoken of.
reads() { # CONFIG ID ID
    unfold <<END
{"attr":{"type":"HARDWARE","config":"$1","sample_type":"IP|TID|TIME|ID|STREAM_ID|READ|IDENTIFIER",
    "read_format":"ID|GROUP","flags":"sample_id_all|comm"},"ids":["$2","$3"]}
END
}
cycles=$(reads 0x0 1 2)
instructions=$(reads 0x1 2 3)
write a.data <<END
$cycles
{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"first"},
    "sample_id":{"pid":7,"tid":7,"time":"0","id":"1","stream_id":"1","identifier":"1"}}}
{"record":{"type":"SAMPLE","sample":{"identifier":"2","ip":"0x10","pid":7,"tid":8,"time":"100","id":"2",
    "stream_id":"2","read":{"nr":1,"values":[{"value":"5","id":"1"}]}}}}
{"record":{"type":"SAMPLE","sample":{"identifier":"1","ip":"0x11","pid":7,"tid":8,"time":"300","id":"1",
    "stream_id":"9","read":{"nr":1,"values":[{"value":"6","id":"2"}]}}}}
END
b_text() {
    unfold <<END
$instructions
{"record":{"type":"ID_INDEX","id_index":{"entries":[{"id":"2","idx":"0","cpu":"0","tid":"7"},
    {"id":"3","idx":"1","cpu":"1","tid":"7"}]}}}
{"record":{"type":"EVENT_UPDATE","event_update":{"type":"NAME","id":"2","name":"second"}}}
{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"other"},
    "sample_id":{"pid":7,"tid":7,"time":"0","id":"2","stream_id":"2","identifier":"2"}}}
{"record":{"type":"SAMPLE","sample":{"identifier":"2","ip":"0x20","pid":7,"tid":9,"time":"200","id":"2",
    "stream_id":"2","read":{"nr":2,"values":[{"value":"5","id":"2"},{"value":"6","id":"3"}]}}}}
{"record":{"type":"LOST","lost":{"id":"2","lost":"3"},
    "sample_id":{"pid":7,"tid":9,"time":"250","id":"3","stream_id":"3","identifier":"3"}}}
{"record":{"type":"THROTTLE","throttle":{"time":"260","id":"3","stream_id":"2"},
    "sample_id":{"pid":7,"tid":9,"time":"260","id":"2","stream_id":"2","identifier":"2"}}}
{"record":{"type":"BPF_EVENT","bpf_event":{"type":"PROG_LOAD","flags":0,"id":2,"tag":"0000000000000000"},
    "sample_id":{"pid":7,"tid":9,"time":"270","id":"2","stream_id":"2","identifier":"2"}}}
{"record":{"type":"CGROUP","cgroup":{"id":"2","path":"/"},
    "sample_id":{"pid":7,"tid":9,"time":"280","id":"2","stream_id":"2","identifier":"2"}}}
{"record":{"type":"READ","read":{"pid":7,"tid":9,"values":{"nr":1,"values":[{"value":"8","id":"2"}]}},
    "sample_id":{"pid":7,"tid":9,"time":"400","id":"2","stream_id":"2","identifier":"2"}}}
END
}
unfold >both.want <<'END'
COMM 0 "comm":{"pid":7,"tid":7,"comm":"first"},
    "sample_id":{"pid":7,"tid":7,"time":"0","id":"1","stream_id":"1","identifier":"1"}
SAMPLE 0 "sample":{"identifier":"2","ip":"0x10","pid":7,"tid":8,"time":"100","id":"2","stream_id":"2",
    "read":{"nr":"1","values":[{"value":"5","id":"1"}]}}
ID_INDEX "id_index":{"nr":"2","entries":[{"id":"4","idx":"0","cpu":"0","tid":"7"},
    {"id":"3","idx":"1","cpu":"1","tid":"7"}]}
EVENT_UPDATE "event_update":{"type":"NAME","id":"4","name":"second"}
COMM 1 "comm":{"pid":7,"tid":7,"comm":"other"},
    "sample_id":{"pid":7,"tid":7,"time":"0","id":"4","stream_id":"4","identifier":"4"}
SAMPLE 1 "sample":{"identifier":"4","ip":"0x20","pid":7,"tid":9,"time":"200","id":"4","stream_id":"4",
    "read":{"nr":"2","values":[{"value":"5","id":"4"},{"value":"6","id":"3"}]}}
LOST 1 "lost":{"id":"4","lost":"3"},
    "sample_id":{"pid":7,"tid":9,"time":"250","id":"3","stream_id":"3","identifier":"3"}
THROTTLE 1 "throttle":{"time":"260","id":"3","stream_id":"4"},
    "sample_id":{"pid":7,"tid":9,"time":"260","id":"4","stream_id":"4","identifier":"4"}
BPF_EVENT 1 "bpf_event":{"type":"PROG_LOAD","flags":0,"id":2,"tag":"0000000000000000"},
    "sample_id":{"pid":7,"tid":9,"time":"270","id":"4","stream_id":"4","identifier":"4"}
CGROUP 1 "cgroup":{"id":"2","path":"/"},
    "sample_id":{"pid":7,"tid":9,"time":"280","id":"4","stream_id":"4","identifier":"4"}
SAMPLE 0 "sample":{"identifier":"1","ip":"0x11","pid":7,"tid":8,"time":"300","id":"1","stream_id":"9",
    "read":{"nr":"1","values":[{"value":"6","id":"2"}]}}
READ 1 "read":{"pid":7,"tid":9,"values":{"nr":"1","values":[{"value":"8","id":"4"}]}},
    "sample_id":{"pid":7,"tid":9,"time":"400","id":"4","stream_id":"4","identifier":"4"}
END
for order in little big; do
    b_text | write b.data file $order
    expect 0 "$PERFDATA" merge -f -o m.data a.data b.data
    has err '2 events; 0 duplicates left out, 1 ids renumbered'
    [ $order = little ] || has err 'b.data: is of the other byte order'
    expect_records m.data <both.want
    "$PERFDATA" decode m.data | grep '^{"ids"' | sed 's/,"offset".*//' >ids
    printf '{"ids":["1","2"],"of":0\n{"ids":["4","3"],"of":1\n' | cmp - ids || fail "ids: $(cat ids)"
    # Each container of an input, and a stream as output.
    "$PERFDATA" convert -q -f --to pipe -i b.data -o b.pipe
    expect 0 "$PERFDATA" merge -f -o m2.data a.data b.pipe
    expect_records m2.data <both.want
    rm -rf b.dir m.dir
    "$PERFDATA" convert -q --to dir -i b.data -o b.dir
    expect 0 "$PERFDATA" merge -f -o m2.data a.data b.dir
    expect_records m2.data <both.want
    # A directory as output, with what else an input that is one has.
    mkdir b.dir/kcore_dir
    echo kernel >b.dir/kcore_dir/kallsyms
    expect 0 "$PERFDATA" merge --to dir -o m.dir a.data b.dir
    cmp -s b.dir/kcore_dir/kallsyms m.dir/kcore_dir/kallsyms || fail 'kcore_dir did not come along'
    [ "$(hash_of m.dir)" = "$(hash_of m.data)" ] ||
        fail 'the directory has another content'
    expect 0 "$PERFDATA" check m.dir
    expect 0 "$PERFDATA" merge -f -o m2.data a.data b.dir
    has err 'b.dir has files beside the records (kcore_dir), which do not come along'
    expect 0 "$PERFDATA" merge -f --to dir -o m.dir b.dir b.dir
    has err 'b.dir has files beside the records (kcore_dir), which do not come along'
    expect 2 "$PERFDATA" merge -f --to dir -o b.dir a.data b.dir
    has err 'never overwritten'
    expect 0 "$PERFDATA" merge -z -f -o z.data a.data b.data
    "$PERFDATA" convert -q -f --decompress -i z.data -o m2.data
    expect_records m2.data <both.want
    expect 0 "$PERFDATA" merge -f -o m2.data a.data z.data # the ids of z.data are known already
    has err '2 events; .* 0 ids renumbered'
    "$PERFDATA" merge -q -o - a.data b.data >m.pipe
    "$PERFDATA" convert -q -f --to file -i m.pipe -o m2.data
    expect_records m2.data <both.want
    [ "$order" = little ] || "$PERFDATA" merge -q -f -o m2.data b.data a.data # of the first's byte order
    [ "$order" = little ] || [ "$("$PERFDATA" info --json m2.data | grep -o '"order":"big"')" ] ||
        fail 'the order is not that of the first'
done

# Appended: as they stand, one behind the other.
expect 0 "$PERFDATA" merge -a -f -o m.data a.data b.data
{ grep -E '^COMM 0|^SAMPLE 0' both.want && grep -v -E '^COMM 0|^SAMPLE 0' both.want; } | expect_records m.data

# ---- The same event: one, with the ids of both; side-band that both have, once.
sed 's/"ids":\["1","2"\]/"ids":["2","5"]/' <<<"$cycles" >c.text
unfold >>c.text <<'END'
{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"first"},
    "sample_id":{"pid":7,"tid":7,"time":"0","id":"1","stream_id":"1","identifier":"1"}}}
{"record":{"type":"SAMPLE","sample":{"identifier":"2","ip":"0x10","pid":7,"tid":8,"time":"100","id":"2",
    "stream_id":"2","read":{"nr":1,"values":[{"value":"5","id":"5"}]}}}}
{"record":{"type":"COMM","comm":{"pid":9,"tid":9,"comm":"twice"},
    "sample_id":{"pid":9,"tid":9,"time":"150","id":"2","stream_id":"2","identifier":"2"}}}
{"record":{"type":"COMM","comm":{"pid":9,"tid":9,"comm":"twice"},
    "sample_id":{"pid":9,"tid":9,"time":"150","id":"2","stream_id":"2","identifier":"2"}}}
END
write c.data <c.text
expect 0 "$PERFDATA" merge -f -o m.data a.data c.data
has err '1 events; 1 duplicates left out, 0 ids renumbered'
expect_records m.data <<'END'
COMM 0 "comm":{"pid":7,"tid":7,"comm":"first"},
    "sample_id":{"pid":7,"tid":7,"time":"0","id":"1","stream_id":"1","identifier":"1"}
SAMPLE 0 "sample":{"identifier":"2","ip":"0x10","pid":7,"tid":8,"time":"100","id":"2","stream_id":"2",
    "read":{"nr":"1","values":[{"value":"5","id":"1"}]}}
SAMPLE 0 "sample":{"identifier":"2","ip":"0x10","pid":7,"tid":8,"time":"100","id":"2","stream_id":"2",
    "read":{"nr":"1","values":[{"value":"5","id":"5"}]}}
COMM 0 "comm":{"pid":9,"tid":9,"comm":"twice"},
    "sample_id":{"pid":9,"tid":9,"time":"150","id":"2","stream_id":"2","identifier":"2"}
COMM 0 "comm":{"pid":9,"tid":9,"comm":"twice"},
    "sample_id":{"pid":9,"tid":9,"time":"150","id":"2","stream_id":"2","identifier":"2"}
SAMPLE 0 "sample":{"identifier":"1","ip":"0x11","pid":7,"tid":8,"time":"300","id":"1","stream_id":"9",
    "read":{"nr":"1","values":[{"value":"6","id":"2"}]}}
END

# ---- Other machines: pids are moved, ids are never shared, what differs is told.
"$PERFDATA" edit -q -f --set-feature hostname=one -i a.data -o a1.data
"$PERFDATA" edit -q -f --set-feature hostname=two -i c.data -o c1.data
expect 0 "$PERFDATA" merge -f -o m.data a1.data c1.data
has err 'c1.data: feature HOSTNAME: counts as another machine'
has err 'feature HOSTNAME: differs'
has err '0 duplicates left out, 1 ids renumbered'
records m.data | grep -c '"pid":10000007,"tid":10000007,"comm":"first"' >/dev/null ||
    fail 'the pid of another machine was not moved'
records m.data | grep '"pid":10000007,"tid":10000008,"time":"100","id":"6"' >/dev/null ||
    fail 'the pid or id of a sample was not moved'
records m.data | grep '"pid":7,"tid":8,"time":"100","id":"2"' >/dev/null ||
    fail 'the first machine was changed'
# Each of these tells machines apart; another recording of the second one is of the second one.
for feature in hostname osrelease arch cpuid nrcpus; do
    one=one two=two
    [ $feature != nrcpus ] || one=4 two=8
    "$PERFDATA" edit -q -f --set-feature $feature=$one -i a.data -o a2.data
    "$PERFDATA" edit -q -f --set-feature $feature=$two -i c.data -o c2.data
    "$PERFDATA" edit -q -f --rename-comm first=third -i c2.data -o c3.data
    expect 0 "$PERFDATA" merge -f -o m.data a2.data c2.data c3.data
    has err "c2.data: feature ${feature^^}: counts as another machine"
    ! grep 'c3.data.*another machine' err || fail "$feature: a third machine"
    for pid in 7,.*first 10000007,.*first 10000007,.*third; do
        records m.data | grep -q "\"pid\":$pid" || fail "$feature: no $pid"
    done
done
expect 0 "$PERFDATA" merge -f --pids keep -o m.data a1.data c1.data
has err '1 duplicates left out, 0 ids renumbered'
! records m.data | grep 1000000 || fail 'pids were moved'
expect 0 "$PERFDATA" merge -f --pids move -o m.data a.data c.data
has err 'counts as another machine'
write large.data <<END
$cycles
{"record":{"type":"COMM","comm":{"pid":10000000,"tid":0,"comm":"large"},
    "sample_id":{"pid":7,"tid":7,"time":"5","id":"1","stream_id":"1","identifier":"1"}}}
{"record":{"type":"COMM","comm":{"pid":-1,"tid":0,"comm":"kernel"},
    "sample_id":{"pid":-1,"tid":0,"time":"6","id":"1","stream_id":"1","identifier":"1"}}}
END
expect 3 "$PERFDATA" merge -f --pids move -o m.data a.data large.data
has err 'pid too large to be moved'
has err '1 records could not be rewritten and were left out'
records m.data | grep -e '"pid":-1,"tid":0,"comm":"kernel"},"sample_id":{"pid":-1,"tid":0,' >/dev/null ||
    fail 'idle task or kernel were moved'

# ---- Samples that do not tell their event get its id, as does the side-band.
plain() { # CONFIG
    cat <<END
{"attr":{"type":"SOFTWARE","config":"$1","sample_type":"IP|TID|TIME","flags":"sample_id_all|comm"}}
END
}
{ plain 0x0 && cat <<'END'; } | write d.data
{"record":{"type":"SAMPLE","sample":{"ip":"0x1","pid":1,"tid":1,"time":"10"}}}
END
{ plain 0x2 && cat <<'END'; } | write e.data
{"record":{"type":"COMM","comm":{"pid":1,"tid":1,"comm":"init"},"sample_id":{"pid":1,"tid":1,"time":"5"}}}
{"record":{"type":"SAMPLE","sample":{"ip":"0x2","pid":1,"tid":1,"time":"20"}}}
END
expect 0 "$PERFDATA" merge -f -o m.data d.data e.data
expect_records m.data <<'END'
COMM 1 "comm":{"pid":1,"tid":1,"comm":"init"},"sample_id":{"pid":1,"tid":1,"time":"5","identifier":"2"}
SAMPLE 0 "sample":{"identifier":"1","ip":"0x1","pid":1,"tid":1,"time":"10"}
SAMPLE 1 "sample":{"identifier":"2","ip":"0x2","pid":1,"tid":1,"time":"20"}
END
# Of several ids it is the first.
{ plain 0x0 | sed 's/}$/,"ids":["5","6"]}/' && cat <<'END'; } | write d-ids.data
{"record":{"type":"SAMPLE","sample":{"ip":"0x1","pid":1,"tid":1,"time":"10"}}}
END
{ plain 0x2 | sed 's/}$/,"ids":["9","8"]}/' && cat <<'END'; } | write e-ids.data
{"record":{"type":"SAMPLE","sample":{"ip":"0x2","pid":1,"tid":1,"time":"20"}}}
END
expect 0 "$PERFDATA" merge -f -o m.data d-ids.data e-ids.data
expect_records m.data <<'END'
SAMPLE 0 "sample":{"identifier":"5","ip":"0x1","pid":1,"tid":1,"time":"10"}
SAMPLE 1 "sample":{"identifier":"9","ip":"0x2","pid":1,"tid":1,"time":"20"}
END
# Of one event they need none.
expect 0 "$PERFDATA" merge -f -o m.data d.data d.data
! records m.data | grep identifier || fail 'an id that nobody needs'
# Nor does what perf synthesizes, with id 0, as long as it is laid out as the first event says.
identified() { # ID CONFIG SAMPLE_TYPE SIZE
    unfold <<END
{"attr":{"type":"SOFTWARE","size":$4,"config":"$2","sample_type":"$3|IDENTIFIER",
    "flags":"sample_id_all|comm"},"ids":["$1"]}
END
}
{ identified 1 0x0 'TID|TIME' 128 && cat <<'END'; } | write d.data
{"record":{"type":"COMM","comm":{"pid":1,"tid":1,"comm":"init"},
    "sample_id":{"pid":1,"tid":1,"time":"0","identifier":"0"}}}
{"record":{"type":"SAMPLE","sample":{"identifier":"1","pid":1,"tid":1,"time":"10"}}}
END
{ identified 2 0x2 'TID|TIME|CPU' 96 && cat <<'END'; } | write e.data
{"record":{"type":"COMM","comm":{"pid":2,"tid":2,"comm":"second"},
    "sample_id":{"pid":2,"tid":2,"time":"0","cpu":3,"identifier":"0"}}}
{"record":{"type":"SAMPLE","sample":{"identifier":"2","pid":2,"tid":2,"time":"20","cpu":3}}}
END
expect 0 "$PERFDATA" merge -f -o m.data d.data e.data
has err 'e.data: attrs are made as large as the largest of another input'
# Not if what is behind its own bytes would become fields.
identified 5 0x5 'TID|TIME' 128 | write whole.data
at=$(od -An -tu8 -j24 -N8 whole.data)
"$PERFDATA" corrupt -q --set $((at + 4))=60000000 --set $((at + 100))=07 -o short.data whole.data >/dev/null
expect 0 "$PERFDATA" check -q short.data
expect 2 "$PERFDATA" merge -o none.data d.data short.data
has err 'short.data: cannot be merged: bytes behind attr.size where others have fields'
[ ! -e none.data ] || fail 'an output of what cannot be merged'
expect_records m.data <<'END'
COMM 0 "comm":{"pid":1,"tid":1,"comm":"init"},"sample_id":{"pid":1,"tid":1,"time":"0","identifier":"0"}
SAMPLE 0 "sample":{"identifier":"1","pid":1,"tid":1,"time":"10"}
COMM 1 "comm":{"pid":2,"tid":2,"comm":"second"},
    "sample_id":{"pid":2,"tid":2,"time":"0","cpu":3,"res":0,"identifier":"2"}
SAMPLE 1 "sample":{"identifier":"2","pid":2,"tid":2,"time":"20","cpu":3,"res":0}
END
# What both say of the kernel and of tasks stands there once, whatever fields their events give a sample_id: a
# second map of the kernel costs perf 6.1 its symbols. So does what has a time; but not what differs.
of_both() { # FIELDS of the sample_id
    unfold <<END
{"record":{"type":"MMAP","misc":"cpumode=KERNEL","mmap":{"pid":-1,"tid":0,"addr":"0xffffffff81000000",
    "len":"0x1000000","pgoff":"0xffffffff81000000","filename":"[kernel.kallsyms]_text"},
    "sample_id":{"pid":0,"tid":0,"time":"0"$1,"identifier":"0"}}}
{"record":{"type":"COMM","comm":{"pid":1,"tid":1,"comm":"init"},
    "sample_id":{"pid":1,"tid":1,"time":"0"$1,"identifier":"0"}}}
{"record":{"type":"KSYMBOL","ksymbol":{"addr":"0x10","len":8,"ksym_type":"BPF","flags":0,"name":"prog"},
    "sample_id":{"pid":0,"tid":0,"time":"15"$1,"identifier":"0"}}}
END
}
{ identified 1 0x0 'TID|TIME' 128 && of_both '' && cat <<'END'; } | write f.data
{"record":{"type":"SAMPLE","sample":{"identifier":"1","pid":1,"tid":1,"time":"20"}}}
END
{ identified 2 0x2 'TID|TIME|CPU' 128 && of_both ',"cpu":0,"res":0' && cat <<'END'; } | write g.data
{"record":{"type":"KSYMBOL","ksymbol":{"addr":"0x10","len":9,"ksym_type":"BPF","flags":0,"name":"prog"},
    "sample_id":{"pid":0,"tid":0,"time":"15","cpu":0,"res":0,"identifier":"0"}}}
{"record":{"type":"SAMPLE","sample":{"identifier":"2","pid":1,"tid":1,"time":"20","cpu":3}}}
END
types='COMM KSYMBOL KSYMBOL MMAP SAMPLE SAMPLE'
for files in 'f.data g.data' 'g.data f.data'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" merge -f -o m.data $files
    has err '3 duplicates left out'
    [ "$(records m.data | cut -d ' ' -f 1 | sort | xargs)" = "$types" ] || fail "$files: $(records m.data)"
    expect 0 "$PERFDATA" check m.data
done
# Entries of attrs are as large as each attr says: perf looks for the ids behind attr.size, not where the
# entry ends.
attrs=$(od -A n -t u8 -j 24 -N 8 m.data)
sizes=$(for at in 16 $((attrs + 4)) $((attrs + 144 + 4)); do od -A n -t u4 -j $at -N 4 m.data; done | xargs)
[ "$sizes" = '144 128 128' ] || fail "sizes of the entry and of the attrs: $sizes"

# ---- What an input says, without a time, of tasks that were there at its start
state() {
    unfold <<'END'
{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"IP|TID|TIME",
    "flags":"sample_id_all|comm|task"}}
END
}
named() { # TIME NAME
    unfold <<END
{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"$2"},
    "sample_id":{"pid":7,"tid":7,"time":"$1"}}}
END
}
forked() { # PPID [PID [TIME]]
    local pid=${2:-7} time=${3:-0}
    unfold <<END
{"record":{"type":"FORK","fork":{"pid":$pid,"ppid":$1,"tid":$pid,"ptid":$1,"time":"$time"},
    "sample_id":{"pid":0,"tid":0,"time":"$time"}}}
END
}
seen() { # TIME [PID]
    local pid=${2:-7}
    echo '{"record":{"type":"SAMPLE","sample":{"ip":"0x1","pid":'"$pid"',"tid":'"$pid"',"time":"'"$1"'"}}}'
}
# Names and times, in the order of the records; and as perf 6.1 shows them.
order() {
    "$PERFDATA" decode "$1" | sed -n -E '
        s/.*"(FORK)".*"ppid":([0-9]*).*/\1 \2/p
        s/.*"type":"COMM".*"comm":"([a-z]*)".*"time":"([0-9]*)".*/\1 \2/p
        s/.*"SAMPLE".*"time":"([0-9]*)".*/\1/p' | paste -sd,
}
shows() {
    perf script -F comm,time --ns -i "$1" 2>/dev/null </dev/null |
        sed -E 's/ +([:a-z0-9]+) +0\.0*([0-9]+): */\1 \2/' | paste -sd,
}
merged() { # DUPLICATES, the order that is expected, what perf shows
    expect 0 "$PERFDATA" merge -f -o m.data p.data q.data
    has err " $1 duplicates"
    shift
    [ "$(order m.data)" = "$1" ] || fail "merged: $(order m.data), expected $1"
    expect 0 "$PERFDATA" check m.data
    ! command -v perf >/dev/null || [ "$(shows m.data)" = "$2" ] ||
        fail "perf shows $(shows m.data), expected $2"
}
# A copy is no duplicate where something else was told since, of which it knows nothing.
{ state && named 0 one && seen 100 && named 200 two && seen 300; } | write p.data
{ state && named 0 one && seen 500; } | write q.data
merged 0 'one 0,100,two 200,300,one 0,500' 'one 100,two 300,one 500'
# It is, if the input knows.
{ state && named 0 one && named 200 two && seen 500; } | write q.data
merged 2 'one 0,100,two 200,300,500' 'one 100,two 300,two 500'
# A record that both have shows that it does, too, also where another input wrote its copy before that came.
{ state && named 0 one && seen 50 && named 100 two && named 200 three && seen 300; } | write p.data
{ state && named 200 other | sed 's/"pid":7,"tid":7/"pid":8,"tid":8/g' && named 0 one && named 200 three &&
    seen 400; } | write q.data
merged 2 'one 0,50,two 100,three 200,other 200,300,400' 'one 50,three 300,three 400'
# A FORK gives the name of the parent: what belongs together is written together.
{ state && forked 5 && named 0 one && seen 100 && seen 900; } | write p.data
{ state && forked 1 && named 0 one && seen 500; } | write q.data
merged 0 'FORK 5,one 0,100,FORK 1,one 0,500,900' 'one 100,one 500,one 900'
{ state && forked 5 && named 0 one && seen 500; } | write q.data
merged 2 'FORK 5,one 0,100,500,900' 'one 100,one 500,one 900'
# A FORK alone, which a piece has for the parent's sake, is a duplicate: it would take the name.
{ state && forked 5 && named 0 one && seen 100 && named 200 two && seen 900; } | write p.data
{ state && forked 5 && seen 500 5; } | write q.data
merged 1 'FORK 5,one 0,100,two 200,500,900' 'one 100,:5 500,two 900'
# A child has the name of its parent at the FORK: that comes before it, whoever has begun already.
{ state && seen 100 5 && seen 900 5; } | write p.data
{ state && forked 1 && named 0 one && forked 7 8 200 && seen 500 8; } | write q.data
merged 0 '100,FORK 1,one 0,FORK 7,500,900' ':5 100,one 500,:5 900'
# What is told at the start may have happened any time before the first sample: with a time is more exact.
{ state && named 0 one && seen 100 && seen 450 && named 460 two && seen 900; } | write p.data
{ state && named 0 two && named 400 other |
    sed 's/"pid":7,"tid":7,"comm":"other"/"pid":8,"tid":8,"comm":"other"/' && seen 500; } | write q.data
merged 0 'one 0,100,other 400,450,two 0,two 460,500,900' 'one 100,one 450,two 500,two 900'
{ state && named 0 one && seen 100 && seen 450 && seen 900; } | write p.data
merged 0 'one 0,100,other 400,450,two 0,500,900' 'one 100,one 450,two 500,two 900'
{ state && named 0 one && seen 100 && seen 900; } | write p.data
{ state && named 0 two && named 400 other |
    sed 's/"pid":7,"tid":7,"comm":"other"/"pid":8,"tid":8,"comm":"other"/'; } | write q.data
merged 0 'one 0,100,other 400,two 0,900' 'one 100,two 900' # no sample

# ---- What is refused, and why.
clocked=$(plain 0x0 | sed 's/"sample_id_all|comm"/"sample_id_all|comm|use_clockid","clockid":"MONOTONIC"/')
{ echo "$clocked" && cat <<'END'; } | write f.data
{"record":{"type":"SAMPLE","sample":{"ip":"0x1","pid":1,"tid":1,"time":"10"}}}
END
expect 2 "$PERFDATA" merge -o none.data d.data f.data
has err 'f.data: cannot be merged: its times are of another clock'
[ ! -e none.data ] || fail 'something was written'
expect 0 "$PERFDATA" merge --any-clock -f -o m.data d.data f.data
has err 'f.data: its times are of another clock'
tiny >tiny.data
expect 2 "$PERFDATA" merge -o none.data d.data tiny.data
has err 'tiny.data: cannot be merged: its records have no time'
expect 2 "$PERFDATA" merge -a -o none.data d.data tiny.data
has err 'some events have sample_id_all'
expect 0 "$PERFDATA" merge -a -f -o m.data tiny.data tiny.data
expect 2 "$PERFDATA" merge d.data e.data
has err 'where to'
expect 2 "$PERFDATA" merge -f -o d.data d.data e.data
has err 'never overwritten'
expect 2 "$PERFDATA" merge -o - --to dir d.data e.data
expect 2 "$PERFDATA" merge -o x --pids some d.data e.data
expect 2 "$PERFDATA" merge -o none.data d.data missing.data
head -c 300 b.data >cut.data
expect 3 "$PERFDATA" merge -f -o m.data a.data cut.data
has err 'cut.data'
expect 0 "$PERFDATA" check -q m.data

# An input that is no recording, or whose header is damaged, is told; the others are merged as if alone.
: >empty.data
head -c 50 b.data >short.data
echo 'no recording' >none.data
"$PERFDATA" merge -q -f -o want.data a.data b.data
for bad in empty.data short.data none.data; do
    for files in "$bad a.data b.data" "a.data $bad b.data" "a.data b.data $bad"; do
        # shellcheck disable=SC2086
        expect 3 "$PERFDATA" merge -f -o m.data $files
        has err "$bad: "
        cmp m.data want.data || fail "$files: not what the others are"
    done
    expect 3 "$PERFDATA" merge -f -o $bad a.data $bad
    has err 'this is the input, which is never overwritten'
    rm -f m.data
    expect 3 "$PERFDATA" merge -o m.data $bad empty.data
    [ ! -e m.data ] || fail 'an output of nothing'
done
expect 3 "$PERFDATA" merge -f --to dir -o m.dir empty.data b.dir
has err '^perfdata merge: empty.data'
[ -e m.dir/kcore_dir/kallsyms ] || fail 'the directory is not the first that can be read'
for verb in 'merge -f -o m.data' cmp check 'export --to folded' hash; do
    # shellcheck disable=SC2086
    expect 2 "$PERFDATA" $verb - - <a.data
    has err 'standard input can be one of the inputs only'
done

# ---- Whatever is damaged: what is written is sound, or the exit status says that it may not be.
"$PERFDATA" gen -q --random -c 300 -t ALL --features all -o any.data
for seed in 1 2 3 4 5 6 7 8 9 10; do
    alive "$PERFDATA" corrupt -q -f -E 0.001 --seed $seed -i any.data -o bad.data >corrupted || true
    for way in "sort -m 1" "merge a.data" "merge --pids move bad.data" "merge -a a.data"; do
        status=0
        rm -f y.data
        # shellcheck disable=SC2086
        "$PERFDATA" $way -q -f -o y.data bad.data >out 2>err </dev/null || status=$?
        [ $status -le 4 ] || fail "seed $seed: $way: exit status $status: $(head -c 400 err)"
        [ $status != 0 ] || expect 0 "$PERFDATA" check -q y.data
        [ $status = 0 ] || [ -s err ] || fail "seed $seed: $way: exit status $status without a word"
    done
done

# Records that wait, of an input whose attrs are beyond its end: they are of no event.
"$PERFDATA" gen -q -t COMM,MMAP2,FORK -c 50 -f -o waiting.data
"$PERFDATA" corrupt -q -f --set 0x18=ffffffffffff -i waiting.data -o bad.data >corrupted
for way in "merge -a" "merge" "merge --pids move"; do
    # shellcheck disable=SC2086
    expect 3 "$PERFDATA" $way -f -o y.data waiting.data bad.data
    has err 'bad.data: at offset 24 (0x18), attrs: '
    expect 0 "$PERFDATA" check -q y.data
done

# ---- Pieces of a recording, in any number: the same records in the same order, each once.
normal() { # the records in order of time
    "$PERFDATA" sort -q -f --to file -o normal.data "$1"
    "$PERFDATA" convert -q -f --decompress --to file -i normal.data -o plain.data
    "$PERFDATA" decode plain.data | grep '^{"record"' | grep -v FINISHED_ROUND | sed 's/"offset":"[0-9]*",//'
}
for options in '--endian little' '--endian big' '--to pipe' '--to dir' '-z'; do
    rm -rf x.data m.data piece-*
    # shellcheck disable=SC2086
    "$PERFDATA" gen -q --preset build -c 6000 $options -o x.data
    n=0
    for time in ,1416.9 1416.900000001,1417.1 1417.100000001,; do
        "$PERFDATA" filter -q --sideband=all --time $time -i x.data -o piece-$((n++))
    done
    for memory in 1 64M; do
        expect 0 "$PERFDATA" merge -m $memory -f -o m.data piece-*
        expect 0 "$PERFDATA" sort -n m.data
        normal x.data | sort >want # equal times of different pieces may stand otherwise
        normal m.data | sort >got
        same want got
        "$PERFDATA" hash --sections x.data | grep -E ' (attrs?|event_desc|cmdline|hostname)' >want || true
        "$PERFDATA" hash --sections m.data | grep -E ' (attrs?|event_desc|cmdline|hostname)' >got || true
        same want got
    done
done

# Build ids without a pid (perf before 2.6.35) beside others, in either order.
for pair in 'trap-build-id-without-pid feature-build-id' 'feature-build-id trap-build-id-without-pid'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" merge -f -o m.data $(printf "$PERFDATA_SOURCE/corpus/conformance/%s.data " $pair)
    "$PERFDATA" extract --build-ids m.data | sort | cmp - <(echo "000102030405060708090a0b0c0d0e0f /lib/md5.so
000102030405060708090a0b0c0d0e0f10111213 [kernel.kallsyms]
100102030405060708090a0b0c0d0e0f10111213 /bin/tool") || fail "build ids of $pair"
done

# One input is only put in order, parts of large records without an end among them.
rm -rf x.data
"$PERFDATA" gen -q -t SIMPLEPERF_SPLIT:30,SIMPLEPERF_SPLIT_END:10,SAMPLE:40 -c 60 -o parts.data
"$PERFDATA" gen -q --preset database -c 5000 -o x.data
for one in parts x; do
    expect 0 "$PERFDATA" merge -f -o m.data $one.data
    [ "$(hash_of $one.data)" = "$(hash_of m.data)" ] ||
        fail "one input: another content than that of $one.data"
    "$PERFDATA" sort -q -f -o s.data $one.data
    for made in s m; do
        "$PERFDATA" dump $made.data | cut -d' ' -f3- | grep -v FINISHED_ROUND >$made.txt
    done
    same s.txt m.txt
done

# Memory stays within what is allowed.
"$PERFDATA" gen -q --preset server --size 4M -o tiny.data -f
"$PERFDATA" gen -q --preset server --size 64M -f -o large.data
flat 6000 "$PERFDATA" merge -q -f -m 4M -o y.data x.data

# ---- A record of no known event is not given to that of another input which has its id: it is told and left
# out.
# The only event of a recording has all its records, whatever id they have: beside others they get its id.
{ identified 5 0x0 'TID|TIME' 128; } | write h.data
{ identified 6 0x2 'TID|TIME|CPU' 128 && cat <<'END'; } | write i.data
{"record":{"type":"SAMPLE","attr":0,"sample":{"identifier":"5","pid":1,"tid":1,"time":"10","cpu":1}}}
END
for files in 'h.data i.data' 'i.data h.data'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" merge -f -o m.data $files
    expect 0 "$PERFDATA" check m.data
    records m.data | grep -q '"identifier":"6","pid":1,"tid":1,"time":"10","cpu":1' ||
        fail "$files: an id of another event: $(records m.data)"
done
event() { # CONFIG ID
    echo '{"attr":{"type":"HARDWARE","config":"'"$1"'","sample_type":"IP|TID|TIME|IDENTIFIER",' \
        '"flags":"sample_id_all"},"ids":["'"$2"'"]}'
}
sample() { # ID
    echo '{"record":{"type":"SAMPLE","sample":{"identifier":"'"$1"'","ip":"0x10","pid":7,"tid":8,' \
        '"time":"1"}}}'
}
write a.data < <(event 0x0 1 && event 0x1 2 && sample 2 && sample 3 && sample 9)
write b.data < <(event 0x2 3 && sample 3)
expect 3 "$PERFDATA" merge -f -o c.data a.data b.data
has err 'a.data: .*record 1 of type 9 (SAMPLE).*no event of its input has its id, but one of another'
has err '1 records could not be rewritten and were left out'
"$PERFDATA" info c.data >out
for event in '0 .* 0 samples' '1 .* 1 samples' '2 .* 1 samples'; do
    has out "^  $event"
done

# A record of no event has the layout of its recording's first one, a READ without a trailer, too: where the
# output's first one has another, or readers cannot tell, it is told and left out; else it stays.
of_two() { # FORMAT SAMPLE_TYPE ID ID
    local id
    for id in "$3" "$4"; do
        echo '{"attr":{"type":"SOFTWARE","config":"'"$id"'","sample_type":"IP|TID|TIME|IDENTIFIER'"$2"'",' \
            '"read_format":"'"$1"'","flags":"sample_id_all"},"ids":["'"$id"'"]}'
    done
}
trailer='"sample_id":{"pid":1,"tid":1,"time":"101","identifier":"'
read_of() { # ID VALUES
    echo '{"record":{"type":"READ","read":{"pid":1,"tid":1,"values":{'"$2"'}},'"$trailer$1"'"}}}'
}
left_out() { # TYPE: of a.data and b.data
    expect 0 "$PERFDATA" check b.data
    expect 3 "$PERFDATA" merge -f -o c.data a.data b.data
    has err "b.data: .*record 0 of type .* ($1).*which event it is of is not known"
    has err '1 records could not be rewritten and were left out'
    expect 0 "$PERFDATA" check c.data
}
of_two TOTAL_TIME_ENABLED '' 1 2 | write a.data
for values in '"value":"7"' '"value":"7","lost":"8"'; do
    format=0x0
    [ "$values" = '"value":"7"' ] || format=LOST
    { of_two $format '' 3 4 && read_of 99 "$values"; } | write b.data
    left_out READ
    expect 0 "$PERFDATA" merge -f -o c.data b.data a.data
    [ "$(records c.data)" = "$(records b.data)" ] || fail "READ of no event: $(records c.data)"
done
{ of_two TOTAL_TIME_ENABLED '|CPU' 3 4 &&
    echo '{"record":{"type":"COMM","comm":{"pid":1,"tid":1,"comm":"hello"},'"$trailer"'99","cpu":0}}}'; } |
    write b.data
left_out COMM
{ of_two TOTAL_TIME_ENABLED '|ADDR' 3 4 && sample 99; } | write b.data
left_out SAMPLE
inherits() { # FORMAT ID VALUES
    echo '{"attr":{"type":"HARDWARE","config":"'"$2"'","sample_type":"IP|TID|TIME|ID",' \
        '"read_format":"'"$1"'","flags":"inherit"},"ids":["'"$2"'"]}'
    echo '{"record":{"type":"READ","read":{"pid":1,"tid":1,"values":{'"$3"'}}}}'
}
inherits LOST 10 '"value":"5","lost":"3"' | write a.data
inherits TOTAL_TIME_ENABLED 20 '"value":"7","time_enabled":"1000"' | write b.data
expect 3 "$PERFDATA" merge -f -a -o c.data a.data b.data
has err 'b.data: .*record 0 of type 8 (READ).*which event it is of is not known'
[ "$(records c.data)" = "$(records a.data)" ] || fail "READ without a trailer: $(records c.data)"
# One without an id is of its recording's first event, and gets the id of that.
of_two TOTAL_TIME_ENABLED '' 1 2 | write a.data
{ of_two 0x0 '' 3 4 && read_of 0 '"value":"7"'; } | write b.data
expect 0 "$PERFDATA" merge -f -o c.data a.data b.data
records c.data | grep -q '"values":{"value":"7"}}.*"identifier":"3"' || fail "READ of id 0: $(records c.data)"

# Large records of simpleperf: each is written as a whole, and once; one without an end is not the begin of
# another input's, unless that has the same parts: then it is there.
large() { # FILE BYTES...: with one large record of such parts, in hex; "end" ends it, "sample" is one
    local file=$1 part
    shift
    {
        echo '{"header":{"container":"file","order":"little"}}'
        echo '{"attr":{"type":"SOFTWARE","config":"0","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}'
        for part; do
            case $part in
            end) echo '{"record":{"type":"SIMPLEPERF_SPLIT_END","simpleperf_split_end":{}}}' ;;
            sample) echo '{"record":{"type":"SAMPLE","sample":{"ip":"1","pid":1,"tid":1,"time":"5"}}}' ;;
            *) echo '{"record":{"type":"SIMPLEPERF_SPLIT","simpleperf_split":{"data":"'"$part"'"}}}' ;;
            esac
        done
    } | "$PERFDATA" encode -q -f -o "$file" || fail "encode of $file"
}
parts() { # FILE: the data of its parts
    "$PERFDATA" dump --json "$1" | sed -n 's/.*"SIMPLEPERF_SPLIT".*"data":"\([0-9a-f]*\)".*/\1/p
        s/.*"SIMPLEPERF_SPLIT_END".*/end/p' | paste -sd' '
}
first=0b80000000001800 # of the type 32779, and 24 bytes
large one.data $first 3400000000000000 5600000000000000 end
large two.data $first 3400000000000000 7800000000000000 end
large open.data $first 9a00000000000000
large begun.data $first 3400000000000000
large further.data $first 9a00000000000000 bc00000000000000
for command in 'merge -f -o m.data' 'merge -f -a -o m.data'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" $command one.data two.data one.data
    [ "$(parts m.data)" = "$(parts one.data) $(parts two.data)" ] || fail "$command: $(parts m.data)"
    has err '4 duplicates left out'
    expect 0 "$PERFDATA" check -q m.data
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" $command open.data one.data
    [ "$(parts m.data)" = "$(parts one.data) $(parts open.data)" ] || fail "$command: $(parts m.data)"
    expect 0 "$PERFDATA" check -q m.data
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" $command open.data one.data open.data
    [ "$(parts m.data)" = "$(parts one.data) $(parts open.data)" ] || fail "$command: $(parts m.data)"
    for twice in 'begun one one' 'open further further' 'open further open further'; do
        # shellcheck disable=SC2086
        expect 0 "$PERFDATA" $command $(printf '%s.data ' $twice)
        [ "$(parts m.data)" = "$(parts "${twice##* }.data")" ] || fail "$command $twice: $(parts m.data)"
    done
done
# What stands between the parts may come into other pieces than these.
large cut.data $first sample 3400000000000000 sample 5600000000000000 end
expect 0 "$PERFDATA" split -f --chunks 2 -o 'piece-%d.data' cut.data
expect 0 "$PERFDATA" merge -f -o m.data piece-0.data piece-1.data
[ "$(parts m.data)" = "$(parts cut.data)" ] || fail "pieces of a large record: $(parts m.data)"

# ---- Groups come along, whichever input has them, also one that names a single event.
for of in none one; do
    {
        echo '{"header":{"container":"file","order":"little"}}'
        for id in 1 2 3; do
            echo '{"attr":{"type":"SOFTWARE","config":"'$id'","sample_type":"TID|TIME",
                "flags":"sample_id_all"},"ids":["'$id'"]}'
        done
        [ $of = none ] || echo '{"feature":"group_desc","content":{"nr_groups":2,"groups":[
            {"name":"a","leader_idx":0,"nr_members":1},{"name":"b","leader_idx":1,"nr_members":2}]}}'
    } | unfold | "$PERFDATA" encode -q -f -o $of.data
done
groups='"a","leader_idx":0,"nr_members":1},{"name":"b","leader_idx":1,"nr_members":2}'
for inputs in 'one.data one.data' 'one.data none.data'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" merge -f -o m.data $inputs
    "$PERFDATA" decode m.data >m.json
    has m.json "$groups"
done
expect 0 "$PERFDATA" merge -f -o m.data none.data one.data
"$PERFDATA" decode m.data >m.json
has m.json '{"name":"a","leader_idx":0,"nr_members":1},{"name":"b","leader_idx":3,"nr_members":2}'

# ---- A sample of no event, whose ids may have to change, cannot be: it is left out, and that is damage.
for of in known unknown; do
    {
        echo '{"header":{"container":"file","order":"little"}}'
        echo '{"attr":{"type":"SOFTWARE","config":"'${#of}'","sample_type":"IP|TID|TIME|IDENTIFIER",
            "flags":"sample_id_all"},"ids":["1"]}'
        [ $of = known ] || echo '{"attr":{"type":"SOFTWARE","config":"0x9",
            "sample_type":"IP|TID|TIME|PERIOD|IDENTIFIER","flags":"sample_id_all"},"ids":["2"]}'
        echo '{"record":{"type":"SAMPLE","sample":{"identifier":"1","pid":7,"tid":8,"time":"1"}}}'
        [ $of = known ] || echo '{"record":{"type":"SAMPLE",
            "raw":"0900000000000000100000000000000007000000080000000100000000000000"}}'
    } | unfold | "$PERFDATA" encode -q -f -o $of.data
done
for options in '' '--pids move' '-a --to pipe'; do
    # shellcheck disable=SC2086
    expect 3 "$PERFDATA" merge -q -f $options -o m.data known.data unknown.data
    has err 'record 1 of type 9 (SAMPLE), byte 0, its ids are to change, and its layout is not known'
    expect 0 "$PERFDATA" check -q m.data
done

# ---- As long as no other input has begun, records without a time stay in their order.
timed() { # RECORD...: a recording of them, and a sample
    printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}' "$@" \
        '{"record":{"type":"SAMPLE","sample":{"pid":7,"tid":7,"time":"'$((9 - $#))'"}}}'
}
timed '{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"a"}}}' \
    '{"record":{"type":"KSYMBOL","ksymbol":{"addr":"0x1000","len":16,"name":"k"}}}' \
    '{"record":{"type":"COMM","comm":{"pid":8,"tid":8,"comm":"b"}}}' | "$PERFDATA" encode -q -f -o three.data
timed | "$PERFDATA" encode -q -f -o none.data
expect 0 "$PERFDATA" merge -f -o m.data none.data three.data
types=$("$PERFDATA" dump --json m.data | grep -o '"type":"[A-Z]*"' | cut -d'"' -f4 | paste -sd' ')
[ "$types" = 'COMM KSYMBOL COMM SAMPLE SAMPLE' ] || fail "another order: $types"
