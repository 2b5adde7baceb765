#!/usr/bin/env bash
# perfdata export --to folded: lines worked out by hand. Mappings that change, kernel and user, a thread
# that is renamed, call chains whose end comes later, stacks of off-cpu samples, names that would end a
# frame or a line; sums of several recordings, of periods or of samples; selections; stacks that do not fit
# into memory; damage.
. "$(dirname "$0")/../frame_lib.sh"

lines() { # OPTION...: the expected lines are standard input, in any order
    sort >want
    expect "${status:-0}" "$PERFDATA" export --to folded "$@"
    sort out >got
    same want got
}

unfold >in.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CALLCHAIN",
    "flags": "sample_id_all"}, "ids": ["71"]}
{"record":{"type":"MMAP","attr":0,"misc":"cpumode=KERNEL",
    "mmap":{"pid":4294967295,"tid":0,"addr":"0xffffffff81000000","len":"0x1000000",
    "pgoff":"0xffffffff81000000","filename":"[kernel.kallsyms]_text"},
    "sample_id":{"time":"1","identifier":"71"}}}
{"record":{"type":"COMM","attr":0,"comm":{"pid":7,"tid":7,"comm":"one"},
    "sample_id":{"time":"2","identifier":"71"}}}
{"record":{"type":"MMAP","attr":0,"misc":"cpumode=USER",
    "mmap":{"pid":7,"tid":7,"addr":"0x400000","len":"0x1000","pgoff":"0x2000","filename":"/bin/a;b"},
    "sample_id":{"time":"3","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=KERNEL","sample":{"identifier":"71",
    "ip":"0xffffffff81000010","pid":7,"tid":7,"time":"10","cpu":1,"period":"100",
    "callchain":{"ips":["KERNEL","0xffffffff81000010","0xffffffff81000020","USER","0x400010","0x400020"]}}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=KERNEL","sample":{"identifier":"71",
    "ip":"0xffffffff81000010","pid":7,"tid":7,"time":"11","cpu":0,"period":"11",
    "callchain":{"ips":["KERNEL","0xffffffff81000010","0xffffffff81000020","USER","0x400010","0x400020"]}}}}
{"record":{"type":"COMM","attr":0,"comm":{"pid":7,"tid":8,"comm":"t w\no;\u0001"},
    "sample_id":{"time":"12","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400010","pid":7,"tid":8,"time":"13","cpu":0,"period":"5",
    "callchain":{"ips":["USER","0x400010"]}}}}
{"record":{"type":"MMAP","attr":0,"misc":"cpumode=USER",
    "mmap":{"pid":7,"tid":7,"addr":"0x400000","len":"0x1000","pgoff":"0",
    "filename":{"hex":"2f62696e2fff"}},
    "sample_id":{"time":"14","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400010","pid":7,"tid":8,"time":"15","cpu":0,"period":"7",
    "callchain":{"ips":["USER","0x400010"]}}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400030","pid":9,"tid":9,"time":"16","cpu":0,"period":"3",
    "callchain":{"ips":[]}}}}
END
"$PERFDATA" encode -o in.data in.jsonl || fail encode
kernel='[kernel.kallsyms]+0xffffffff81000020;[kernel.kallsyms]+0xffffffff81000010'
lines in.data <<END
one;/bin/a:b+0x2020;/bin/a:b+0x2010;$kernel 111
t w\\x0ao:\\x01;/bin/a:b+0x2010 5
t w\\x0ao:\\x01;/bin/\\xff+0x10 7
:9;[unknown]+0x400030 3
END
lines --all-kernel in.data <<END
one;/bin/a:b+0x2020;/bin/a:b+0x2010;$kernel 111
END
lines --all-user in.data <<END
t w\\x0ao:\\x01;/bin/a:b+0x2010 5
t w\\x0ao:\\x01;/bin/\\xff+0x10 7
:9;[unknown]+0x400030 3
END
lines --count -s pid,cpu in.data <<END
pid 7;cpu 1;/bin/a:b+0x2020;/bin/a:b+0x2010;$kernel 1
pid 7;cpu 0;/bin/a:b+0x2020;/bin/a:b+0x2010;$kernel 1
pid 7;cpu 0;/bin/a:b+0x2010 1
pid 7;cpu 0;/bin/\\xff+0x10 1
pid 9;cpu 0;[unknown]+0x400030 1
END
lines -s tid,comm --tid 8,9 in.data in.data <<END
t w\\x0ao:\\x01;tid 8;/bin/a:b+0x2010 10
t w\\x0ao:\\x01;tid 8;/bin/\\xff+0x10 14
:9;tid 9;[unknown]+0x400030 6
END
lines -s none --all-user --time 0.000000013,0.000000015 in.data <<END
/bin/a:b+0x2010 5
/bin/\\xff+0x10 7
END
lines -s none --exclude-comms one --exclude-pid 9 in.data <<END
/bin/a:b+0x2010 5
/bin/\\xff+0x10 7
END
lines -s none -d '/bin/a;b' in.data <<END
/bin/a:b+0x2010 5
END

# ---- The same of every container and byte order, and from a pipe.
expect 0 "$PERFDATA" export --to folded in.data
cp out want
"$PERFDATA" convert -q --endian big -o big.data in.data || fail convert
"$PERFDATA" convert -q --to pipe -o pipe.data in.data || fail convert
"$PERFDATA" convert -q -z -o zip.data in.data || fail convert
for file in big.data pipe.data zip.data; do
    expect 0 "$PERFDATA" export --to folded -i "$file"
    same want out
done
"$PERFDATA" export --to folded - <pipe.data >out || fail 'standard input'
same want out
"$PERFDATA" export --to folded -o file in.data || fail '-o'
same want file

# ---- Several events: the name of the event comes first.
unfold >two.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID"}, "ids": ["71"]}
{"attr": {"type": "HARDWARE", "config": 1, "sample_type": "IDENTIFIER|IP|TID|PERIOD"}, "ids": ["72"]}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER",
    "sample":{"identifier":"71","ip":"0x10","pid":7,"tid":7}}}
{"record":{"type":"SAMPLE","attr":1,"misc":"cpumode=USER",
    "sample":{"identifier":"72","ip":"0x10","pid":7,"tid":7,"period":"20"}}}
END
"$PERFDATA" encode -o two.data two.jsonl || fail encode
lines two.data <<END
cycles;:7;[unknown]+0x10 1
instructions;:7;[unknown]+0x10 20
END
# Where samples have no period, each counts that of the event, which `perf record -c` sets; or 1 where asked.
sed 's/"config": 0,/"config": 0, "sample_period": "1000",/' two.jsonl >fixed.jsonl
"$PERFDATA" encode -o fixed.data fixed.jsonl || fail encode
lines fixed.data <<END
cycles;:7;[unknown]+0x10 1000
instructions;:7;[unknown]+0x10 20
END
# Samples that tell no task are of task -1, as in perf script, which may be renamed like others.
{
    cat <<'END'
{"header":{"container":"file"}}
{"attr":{"type":"SOFTWARE","config":0,"sample_period":1,"sample_type":"IP|TIME","flags":"sample_id_all"}}
END
    for at in 10 20; do
        echo '{"record":{"type":"COMM","comm":{"pid":-1,"tid":-1,"comm":"since '$at'"},
            "sample_id":{"time":'$at'}}}'
        for ((i = 1; i <= 5; i++)); do
            echo '{"record":{"type":"SAMPLE","misc":"cpumode=USER",
                "sample":{"ip":"0x10","time":'$((at + i))'}}}'
        done
    done
} | unfold >alone.jsonl
"$PERFDATA" encode -o alone.data alone.jsonl || fail encode
lines alone.data <<END
since 10;[unknown]+0x10 5
since 20;[unknown]+0x10 5
END
lines --count fixed.data <<END
cycles;:7;[unknown]+0x10 1
instructions;:7;[unknown]+0x10 1
END
# An event that one of several recordings has is enough; that none has is wrong usage.
sed '/"config": 1,/d; /"72"/d; /"SAMPLE","attr":1/d' two.jsonl >one.jsonl
"$PERFDATA" encode -o one.data one.jsonl || fail encode
for files in 'one.data two.data' 'two.data one.data'; do
    # shellcheck disable=SC2086
    lines -e instructions $files <<END
:7;[unknown]+0x10 20
END
    # shellcheck disable=SC2086
    lines --exclude-event instructions $files <<END
:7;[unknown]+0x10 2
END
done
expect 2 "$PERFDATA" export --to folded -e instructions,faults two.data one.data
has err 'there is no event "faults" in any input$'
empty out
expect 2 "$PERFDATA" export --to folded -e instructions one.data
has err 'one.data: there is no event "instructions", but cycles$'
for files in '--baseline one.data two.data' '--baseline two.data one.data'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" report -s comm -e instructions $files
    has out '^# instructions: '
    ! grep -q cycles out || fail "cycles: $files"
    # shellcheck disable=SC2086
    expect 2 "$PERFDATA" report -s comm -e faults $files
    has err 'there is no event "faults" in any input$'
done
lines -e instructions two.data <<END
:7;[unknown]+0x10 20
END
lines -e cycles two.data <<END
:7;[unknown]+0x10 1
END

# The name stands there for events without samples, too, as those of a piece may be, but for the dummy of
# perf; so the lines of pieces add up to those of the whole.
sed '/"SAMPLE","attr":1/d' two.jsonl | "$PERFDATA" encode -q -f -o one.data
lines one.data <<END
cycles;:7;[unknown]+0x10 1
END
sed '/"SAMPLE","attr":1/d; s/"HARDWARE", "config": 1/"SOFTWARE", "config": 9/' two.jsonl |
    "$PERFDATA" encode -q -f -o one.data
lines one.data <<END
:7;[unknown]+0x10 1
END
add_up() { # FILE HOW...
    local file=$1 piece
    shift
    rm -f piece-*
    "$PERFDATA" split -q -f "$@" -i "$file" -o 'piece-%d.data' >/dev/null 2>&1 || return 0
    for piece in piece-*.data; do
        "$PERFDATA" export --to folded -q "$piece" 2>/dev/null
    done | python3 "$PERFDATA_SOURCE/examples/slurm/add.py" /dev/stdin >got
    "$PERFDATA" export --to folded -q "$file" 2>/dev/null | LC_ALL=C sort >want
    cmp -s got want || fail "$file, $*: pieces do not add up: $(diff got want | head -n 4)"
    [ ! -s want ] || n_added=$((n_added + 1))
}
if command -v python3 >/dev/null; then
    n_added=0
    while read -r file; do
        for how in '--chunks 5' '--by pid' '--by event'; do
            # shellcheck disable=SC2086
            add_up "$file" $how
        done
    done < <(ls "$PERFDATA_SOURCE"/corpus/*.data && corpus_files 20)
    [ $n_added -ge 9 ] || fail "$n_added recordings with stacks were cut"
fi

# ---- The user's part of a chain comes later: for its thread and cookie alone, and for all that wait for it.
unfold >deferred.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID|TIME|CALLCHAIN",
    "flags": "sample_id_all|defer_callchain|defer_output"}, "ids": ["71"]}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=KERNEL","sample":{"identifier":"71",
    "ip":"0xff10","pid":7,"tid":7,"time":"10",
    "callchain":{"ips":["KERNEL","0xff10","USER_DEFERRED","0x5"]}}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=KERNEL","sample":{"identifier":"71",
    "ip":"0xff20","pid":7,"tid":7,"time":"11",
    "callchain":{"ips":["KERNEL","0xff20","USER_DEFERRED","0x5"]}}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=KERNEL","sample":{"identifier":"71",
    "ip":"0xff30","pid":7,"tid":8,"time":"12",
    "callchain":{"ips":["KERNEL","0xff30","USER_DEFERRED","0x5"]}}}}
{"record":{"type":"CALLCHAIN_DEFERRED","attr":0,"misc":"cpumode=USER",
    "callchain_deferred":{"cookie":"0x5","ips":["0x41","0x42"]},
    "sample_id":{"pid":7,"tid":7,"time":"13","identifier":"71"}}}
{"record":{"type":"CALLCHAIN_DEFERRED","attr":0,"misc":"cpumode=USER",
    "callchain_deferred":{"cookie":"0x5","ips":["0x43"]},
    "sample_id":{"pid":7,"tid":7,"time":"14","identifier":"71"}}}
END
"$PERFDATA" encode -o deferred.data deferred.jsonl || fail encode
joined=$(printf 'tid %s 1\n' '7;[unknown]+0x42;[unknown]+0x41;[unknown]+0xff10' \
    '7;[unknown]+0x42;[unknown]+0x41;[unknown]+0xff20' '8;[unknown]+0xff30')
lines -s tid deferred.data <<<"$joined"
has err 'of 1 samples the user'
# 4096 samples wait; of one more, the first stays without the user's part.
for n in 4096 4097; do
    awk -v n=$n 'NR <= 2
        NR == 3 {
            for (i = 0; i < n; i++) {
                one = $0
                sub(/"time":"10"/, "\"time\":\"" i "\"", one)
                print one
            }
        }
        END { sub(/"time":"14"/, "\"time\":\"5000\""); print }' deferred.jsonl >waiting.jsonl
    "$PERFDATA" encode -f -o waiting.data waiting.jsonl || fail encode
    {
        echo 'tid 7;[unknown]+0x43;[unknown]+0xff10 4096'
        [ $n = 4096 ] || echo 'tid 7;[unknown]+0xff10 1'
    } | lines -s tid waiting.data
    [ $n = 4096 ] || has err 'of 1 samples the user'
done
# If nothing of its chain is known, a sample has its address.
sed -e 's/"KERNEL","0xff30",//' -e 's/cpumode=KERNEL\(.*"0xff30"\)/cpumode=USER\1/' deferred.jsonl >bare.jsonl
"$PERFDATA" encode -o bare.data bare.jsonl || fail encode
lines -s tid bare.data <<<"$joined"
expect 2 "$PERFDATA" export --to folded -s none,comm bare.data
has err 'none is nothing beside others'

# ---- Stacks of off-cpu samples are in their raw data, with process, thread and time; see offcpu.sh.
unfold >off.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "SOFTWARE", "config": 10, "sample_type": "IDENTIFIER|IP|TID|TIME|CPU|PERIOD|RAW",
    "flags": "sample_id_all"}, "ids": ["71"]}
{"feature":"EVENT_DESC","content":{"events":[{"attr": {"type": "SOFTWARE", "config": 10, "size": 128},
    "name": "offcpu-time", "ids": ["71"]}]}}
{"record":{"type":"COMM","attr":0,"comm":{"pid":101,"tid":101,"comm":"sleeper"},
    "sample_id":{"time":"1","identifier":"71"}}}
{"record": {"type": "SAMPLE", "misc": "cpumode=USER", "attr": 0,
    "sample": {"identifier": "71", "ip": "0x401000", "pid": 0, "tid": 0, "time": "50000000071", "cpu": 1,
    "period": "1", "raw": {"data": "66000000650000008039c80500000000030000000000000000feffffffffffff
    00104000000000001020400000000000070000000000000000000000"}}}}
END
"$PERFDATA" encode -o off.data off.jsonl || fail encode
lines -s comm,pid,tid off.data <<END
sleeper;pid 102;tid 101;[unknown]+0x402010;[unknown]+0x401000 97008000
END

# ---- A sample without a cgroup, as perf report -s cgroup has it.
lines -s cgroup deferred.data <<END
N/A;[unknown]+0x42;[unknown]+0x41;[unknown]+0xff10 1
N/A;[unknown]+0x42;[unknown]+0x41;[unknown]+0xff20 1
N/A;[unknown]+0xff30 1
END

# ---- Frames that only perf finds are told as missing.
expect 0 "$PERFDATA" gen --preset dwarf -c 300 -o dwarf.data
expect 0 "$PERFDATA" export --to folded dwarf.data
has err 'call-graph dwarf.* not made'
expect 0 "$PERFDATA" export --to folded in.data
empty err

# ---- In little memory the same lines, in the same order.
expect 0 "$PERFDATA" gen --size 600K --seed 5 --sample-type ip,tid,time,period,callchain -o many.data
expect 0 "$PERFDATA" export --to folded -s comm,tid -v many.data
cp out want
has err ', 0 bytes in temporary files'
expect 0 "$PERFDATA" export --to folded -s comm,tid -v -m 16K many.data
same want out
! grep -q ', 0 bytes' err || fail 'nothing in temporary files'
has err " $(wc -l <out) stacks, "
[ "$(sed 's/ [0-9]*$//' out | sort | uniq -d | wc -l)" = 0 ] || fail 'a stack twice'

# ---- Damage: status 3, and what is intact.
head -c -20 in.data >cut.data
status=3 lines cut.data <<END
one;/bin/a:b+0x2020;/bin/a:b+0x2010;$kernel 111
t w\\x0ao:\\x01;/bin/a:b+0x2010 5
t w\\x0ao:\\x01;/bin/\\xff+0x10 7
END

# Of several, one of which nothing can be read is left out; one that does not exist is wrong usage.
head -c 50 in.data >nothing.data
for files in 'in.data nothing.data' 'nothing.data in.data'; do
    read -ra files <<<"$files"
    status=3 lines "${files[@]}" < <("$PERFDATA" export --to folded in.data)
    has err 'nothing.data: .*the input ends after 50 of'
done
expect 3 "$PERFDATA" export --to folded nothing.data nothing.data
empty out
expect 2 "$PERFDATA" export --to folded in.data no-such-file
expect 3 "$PERFDATA" export --to folded -f -o nothing.data in.data nothing.data
has err 'this is the input, which is never overwritten'

# ---- Cut anywhere, each format is whole or there is none.
size=$(stat -c %s in.data)
for ((n = 104; n < size; n += $(effort 61 7))); do
    head -c $n in.data >cut.data
    for format in folded pprof speedscope firefox bolt profgen autofdo; do
        rm -rf made
        "$PERFDATA" export --to $format -o made cut.data >/dev/null 2>err || [ $? = 3 ] ||
            fail "$n bytes: $(<err)"
        [ -s err ] || fail "$n bytes, $format: nothing is said"
    done
done

# ---- Wrong usage.
expect 2 "$PERFDATA" export in.data
has err 'to which format'
expect 2 "$PERFDATA" export --to fold in.data
expect 2 "$PERFDATA" export --to folded -s comm, in.data
expect 2 "$PERFDATA" export --to folded -s '' in.data
expect 2 "$PERFDATA" export --to folded --all-user --all-kernel in.data
expect 2 "$PERFDATA" export --to folded -e no-such-event in.data
expect 2 "$PERFDATA" export --to folded -f -o in.data in.data two.data
expect 2 "$PERFDATA" export --to folded -f -o two.data in.data two.data
expect 2 "$PERFDATA" export --to folded -o file in.data

# ---- More processes than have numbers at a time: each with its own mapping, and again behind all others.
python3 - >crowd.jsonl <<'END'
N = 66000
put = '{"record":{"type":"%s","attr":0,"misc":"cpumode=USER","%s":{%s}}}'
print('{"header":{"container":"file"}}')
print('{"attr":{"type":"SOFTWARE","sample_type":"IP|TID"}}')
for pid in range(1, N + 1):
    at = 4096 * (pid % 7 + 1)
    print(put % ("MMAP", "mmap", f'"pid":{pid},"tid":{pid},"addr":"{hex(at)}","len":"0x1000","pgoff":"0",'
                 f'"filename":"/bin/{pid % 7}"'))
for ip in (16, 32):
    for pid in range(1, N + 1):
        print(put % ("SAMPLE", "sample", f'"ip":"{hex(4096 * (pid % 7 + 1) + ip)}","pid":{pid},"tid":{pid}'))
END
"$PERFDATA" encode -o crowd.data crowd.jsonl || fail encode
for file in 0 1 2 3 4 5 6; do
    printf '/bin/%s+0x%s %s\n' $file 10 $((66000 / 7 + (file > 0 && file <= 66000 % 7)))
    printf '/bin/%s+0x%s %s\n' $file 20 $((66000 / 7 + (file > 0 && file <= 66000 % 7)))
done | lines -s none --count crowd.data

# Samples without frames are others than those with a chain of small numbers, whatever keys the hashes have.
unfold <<'JSON' | "$PERFDATA" encode -q -f -o small.data
{"header":{"container":"file","order":"little"}}
{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"TID|CALLCHAIN"}}
{"record":{"type":"SAMPLE","sample":{"pid":7,"tid":7,"callchain":{"ips":[]}}}}
{"record":{"type":"SAMPLE","sample":{"pid":7,"tid":7,"callchain":{"ips":["0x0","0x1"]}}}}
JSON
for _ in $(seq 20); do
    "$PERFDATA" export --to folded --count small.data
done >out
[ "$(sort out | uniq -c | awk '{ print $1, $NF }' | sort -u)" = '20 1' ] || fail "$(sort out | uniq -c)"
