#!/usr/bin/env bash
# perfdata export --to parquet, read by a program that knows the format alone (parquet_read.py): rows worked
# out by hand, with names that are not UTF-8, mappings that change, call chains whose end comes later, missing
# values, fields of tracepoints; groups of rows; selections; several recordings; damage.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'
case $0 in /*) ;; *) fail 'run me by an absolute path' ;; esac
reader=$(dirname "$0")/parquet_read.py

rows() { # COLUMNS OPTION...: the expected rows are standard input
    local columns=$1
    shift
    sed 's/ | /\t/g' >want
    expect "${status:-0}" "$PERFDATA" export --to parquet -f -o table "$@"
    # shellcheck disable=SC2086
    python3 "$reader" table $columns 2>groups | tail -n +2 >got || fail "the table cannot be read"
    same want got
}

unfold >in.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "flags": "sample_id_all",
    "sample_type": "IDENTIFIER|IP|TID|TIME|ADDR|CPU|PERIOD|CALLCHAIN|WEIGHT|DATA_SRC"}, "ids": ["71"]}
{"attr": {"type": "SOFTWARE", "config": 2, "flags": "sample_id_all", "sample_type": "IDENTIFIER|TIME"},
    "ids": ["72"]}
{"record":{"type":"COMM","attr":0,"comm":{"pid":7,"tid":7,"comm":{"hex":"6f6e65ff09"}},
    "sample_id":{"time":"2","identifier":"71"}}}
{"record":{"type":"MMAP2","attr":0,"misc":"cpumode=USER|mmap_build_id",
    "mmap2":{"pid":7,"tid":7,"addr":"0x400000","len":"0x1000","pgoff":"0x2000","build_id_size":20,
    "build_id":"00112233445566778899aabbccddeeff01234567","prot":5,"flags":2,
    "filename":{"hex":"2fc3a43bff"}},"sample_id":{"time":"3","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400010","pid":7,"tid":7,"time":"10","addr":"0xffffffffffffffff","cpu":1,
    "period":"18446744073709551615","weight":"300","data_src":"0x200000002",
    "callchain":{"ips":["KERNEL","0xffffffff81000010","USER","0x400010","0x400020"]}}}}
{"record":{"type":"SAMPLE","attr":1,"sample":{"identifier":"72","time":"11"}}}
{"record":{"type":"MMAP","attr":0,"misc":"cpumode=USER",
    "mmap":{"pid":7,"tid":7,"addr":"0x400000","len":"0x1000","pgoff":"0","filename":"/bin/b"},
    "sample_id":{"time":"12","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400011","pid":7,"tid":8,"time":"13","addr":"1","cpu":0,"period":"5","weight":"1",
    "data_src":"0x8000000000000","callchain":{"ips":[]}}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x10","pid":4294967295,"tid":4294967295,"time":"18446744073709551614","addr":"0","cpu":0,
    "period":"1","weight":"0","data_src":"0","callchain":{"ips":["USER","0x10"]}}}}
END
"$PERFDATA" encode -o in.data in.jsonl || fail encode
rows 'time cpu pid tid comm event period' in.data <<'END'
10 | 1 | 7 | 7 | one\xff\x09 | cycles | 18446744073709551615
11 | \N | \N | \N | \N | page-faults | 1
13 | 0 | 7 | 8 | :8 | cycles | 5
18446744073709551614 | 0 | -1 | -1 | :-1 | cycles | 1
END
[ "$(cat groups)" = 'group of 4: 10 18446744073709551614' ] || fail "$(cat groups)"
rows 'ip dso build_id offset sym addr' in.data <<'END'
4194320 | /ä;\xff | 00112233445566778899aabbccddeeff01234567 | 8208 | \N | 18446744073709551615
\N | \N | \N | \N | \N | \N
4194321 | /bin/b | \N | 17 | \N | 1
16 | \N | \N | \N | \N | 0
END
rows 'weight callchain' in.data <<'END'
300 | [18446744071578845200,4194320,4194336]
\N | \N
1 | []
0 | [16]
END
# op 2 is a load; lvl_num is at bit 33; the highest bits are reserved.
rows 'mem_op mem_lvl mem_lvl_num mem_region' in.data <<'END'
2 | 0 | 1 | 0
\N | \N | \N | \N
0 | 0 | 0 | 0
0 | 0 | 0 | 0
END

# ---- Selections; several recordings follow each other; every container and byte order.
rows 'time pid' --time 0.000000011,0.000000013 in.data in.data <<'END'
11 | \N
13 | 7
11 | \N
13 | 7
END
rows 'time' -e page-faults in.data <<<11
expect 1 "$PERFDATA" export --to parquet -f -o table --comms nobody in.data
[ "$(python3 "$reader" table time 2>groups)" = time ] || fail 'rows of nobody'
expect 0 "$PERFDATA" export --to parquet -f -o want.table in.data
"$PERFDATA" convert -q --endian big -o big.data in.data || fail convert
"$PERFDATA" convert -q --to pipe -o pipe.data in.data || fail convert
"$PERFDATA" convert -q -z -o zip.data in.data || fail convert
for file in big.data pipe.data zip.data; do
    expect 0 "$PERFDATA" export --to parquet -f -o got.table "$file"
    same want.table got.table
done
"$PERFDATA" export --to parquet - <pipe.data >got.table || fail 'standard input'
same want.table got.table

# ---- Rows stand in the order in which perf processes samples (perf script -F time).
unfold >order.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "sample_type": "TID|TIME", "flags": "sample_id_all"}, "ids": []}
{"record":{"type":"SAMPLE","attr":0,"sample":{"pid":7,"tid":7,"time":"30"}}}
{"record":{"type":"SAMPLE","attr":0,"sample":{"pid":7,"tid":7,"time":"10"}}}
{"record":{"type":"FINISHED_ROUND"}}
{"record":{"type":"SAMPLE","attr":0,"sample":{"pid":7,"tid":7,"time":"20"}}}
END
"$PERFDATA" encode -q -o order.data order.jsonl || fail encode
rows time order.data <<'END'
10
20
30
END

# ---- Symbols.
printf 'perfdata-symbols 1\nfile\t-\t/bin/b\n11\t1\tf(\\x01)\tinlined\n' >in.syms
rows 'time sym' --symbols in.syms -e cycles in.data <<'END'
10 | \N
13 | f(\x01)
18446744073709551614 | \N
END

# ---- The user's part of a chain comes later; the row waits for it.
unfold >deferred.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID|TIME|CALLCHAIN",
    "flags": "sample_id_all|defer_callchain|defer_output"}, "ids": ["71"]}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=KERNEL","sample":{"identifier":"71",
    "ip":"0xff10","pid":7,"tid":7,"time":"10",
    "callchain":{"ips":["KERNEL","0xff10","USER_DEFERRED","0x5"]}}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=KERNEL","sample":{"identifier":"71",
    "ip":"0xff20","pid":7,"tid":8,"time":"11","callchain":{"ips":["KERNEL","0xff20"]}}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=KERNEL","sample":{"identifier":"71",
    "ip":"0xff30","pid":7,"tid":8,"time":"12",
    "callchain":{"ips":["KERNEL","0xff30","USER_DEFERRED","0x5"]}}}}
{"record":{"type":"CALLCHAIN_DEFERRED","attr":0,"misc":"cpumode=USER",
    "callchain_deferred":{"cookie":"0x5","ips":["0x41","0x42"]},
    "sample_id":{"pid":7,"tid":7,"time":"13","identifier":"71"}}}
END
"$PERFDATA" encode -o deferred.data deferred.jsonl || fail encode
rows 'time tid ip callchain' deferred.data <<'END'
11 | 8 | 65312 | [65312]
10 | 7 | 65296 | [65296,65,66]
12 | 8 | 65328 | [65328]
END
has err "of 1 samples the user's part of the call chain is missing"

# ---- Fields of tracepoints, beside what dump shows; and fields of samples.
expect 0 "$PERFDATA" gen --preset tracing -c 3000 -f -o tracing.data
"$PERFDATA" sort -f -o sorted.data tracing.data || fail sort
"$PERFDATA" dump -F event,trace sorted.data | grep -w sched_switch | # in the order of the file
    sed 's/.*prev_comm=\(\S*\) .*prev_state=\(\S*\) .*next_pid=\(\S*\).*/\1 | \2 | \3/' >switches
[ "$(wc -l <switches)" -ge 100 ] || fail "$(wc -l <switches) switches"
rows 'prev_comm prev_state next_pid nosuch' -F prev_comm,prev_state,next_pid,nosuch -e sched:sched_switch \
    tracing.data < <(sed 's/$/ | \\N/' switches)
has err 'no sample has the field "nosuch"'
# The tracepoint's own, where another column, or the sample, has one of that name.
expect 0 "$PERFDATA" gen --preset tracing -c 3000 -f -o tracing.data
"$PERFDATA" dump -F event,trace tracing.data |
    sed -n 's/.*sched_wakeup: .*comm=\([^ ]*\) pid=\([0-9]*\) .*/\1 | \2/p' | sort >want
[ "$(wc -l <want)" -gt 50 ] || fail 'no wakeups'
expect 0 "$PERFDATA" export --to parquet -F trace.comm,trace.pid,trace.ip -e sched:sched_wakeup -f -o table \
    tracing.data
python3 "$reader" table trace.comm trace.pid trace.ip 2>groups | tr '\t' ' ' | sed 's/ \\N$//; s/ / | /' |
    grep -v trace | sort >got
same want got
rows 'weight data_src' -F data_src in.data <<'END'
300 | 8589934594
\N | \N
1 | 2251799813685248
0 | 0
END

# ---- Groups: as many rows as memory allows, and the same rows.
expect 0 "$PERFDATA" gen -c 20000 --seed 5 --sample-type ip,tid,time,cpu,period,callchain -f -o many.data
"$PERFDATA" export --to parquet -f -o whole many.data || fail whole
"$PERFDATA" export --to parquet -m 100K -f -o groups.table many.data || fail groups
python3 "$reader" whole >want 2>groups || fail 'whole cannot be read'
[ "$(wc -l <groups)" = 1 ] || fail "$(cat groups)"
python3 "$reader" groups.table >got 2>groups || fail 'groups cannot be read'
same want got
[ "$(wc -l <groups)" -ge 10 ] || fail "$(cat groups)"
# Texts of a group count with what they take: a row of 26 columns and four names takes less than 1,100 bytes.
expect 0 "$PERFDATA" gen --preset tracing --tasks 4000 -c 20000 -f -o names.data
names=prev_comm,next_comm,trace.prev_comm,trace.next_comm
"$PERFDATA" export --to parquet -m 200K -F $names -e sched:sched_switch -f -o table names.data || fail names
python3 "$reader" table 2>names >/dev/null || fail 'names cannot be read'
least=$(sed -n 's/^group of \([0-9]*\):.*/\1/p' names | sed '$d' | sort -n | head -1)
[ "$least" -ge 93 ] || fail "a group of $least rows"
[ "$(wc -l <names)" -ge 3 ] || fail "$(cat names)"
samples=$("$PERFDATA" info --json many.data | jq '[.events[].samples] | add')
[ "$(wc -l <got)" = $((samples + 1)) ] || fail "$samples samples, $(wc -l <got) lines"

# ---- Damage: what is intact has rows. Options that stacks or samples do not have.
head -c $(($(stat -c %s many.data) / 2)) many.data >cut.data
expect 3 "$PERFDATA" export --to parquet -f -o table cut.data
python3 "$reader" table time tid ip callchain 2>groups | LC_ALL=C sort >got || fail 'a cut recording'
python3 "$reader" whole time tid ip callchain 2>groups | LC_ALL=C sort >want
[ -z "$(LC_ALL=C comm -13 want got)" ] || fail 'rows of a cut recording'
[ "$(wc -l <got)" -gt 5000 ] || fail "$(wc -l <got) rows"
for wrong in --count '-s pid' '-F ,' --kernel; do
    # shellcheck disable=SC2086
    expect 2 "$PERFDATA" export --to parquet $wrong -f -o table in.data
done
expect 2 "$PERFDATA" export --to parquet -F addr,time -f -o table in.data
has err '"addr" is a column of every table; trace.addr is'
expect 2 "$PERFDATA" export --to folded -F addr in.data
