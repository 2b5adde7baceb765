#!/usr/bin/env bash
# perfdata export --to pprof, speedscope and firefox: the same stacks and sums as in folded text, read by a
# program that knows the formats alone (export_read.py); build ids of mappings; names that would break JSON.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'
case $0 in /*) ;; *) fail 'run me by an absolute path' ;; esac
reader=$(dirname "$0")/export_read.py

agree() { # FILE: of any number of events; at least N lines
    expect 0 "$PERFDATA" export --to folded -s comm,pid,tid "$1"
    LC_ALL=C sort out >want
    [ "$(wc -l <want)" -ge "$2" ] || fail "$1: $(wc -l <want) stacks"
    local format
    for format in pprof speedscope firefox; do
        expect 0 "$PERFDATA" export --to $format -f -o profile "$1"
        python3 "$reader" $format profile 2>ids | sed "s/^${3:-}//" | LC_ALL=C sort >got ||
            fail "$format of $1 cannot be read"
        same want got
    done
}

agree "$PERFDATA_SOURCE/corpus/callgraph.data" 40 'cpu-clock[^;]*;'
expect 0 "$PERFDATA" export --to pprof -f -o profile "$PERFDATA_SOURCE/corpus/callgraph.data"
python3 "$reader" pprof profile >out 2>ids
"$PERFDATA" extract --build-ids "$PERFDATA_SOURCE/corpus/callgraph.data" >known
wanted=$(grep -Ev '^(range|first) ' ids | grep -c /)
[ "$wanted" -ge 1 ] || fail 'no files'
grep -Ev '^(range|first) ' ids | grep / | while read -r id name; do
    grep -q "^$id $name\$" known || fail "$name has the build id $id"
done

expect 0 "$PERFDATA" gen --size 300K --seed 5 --sample-type ip,tid,time,period,callchain -o many.data
agree many.data 300

unfold >names.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "SOFTWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID|TIME|PERIOD",
    "flags": "sample_id_all"}, "ids": ["71"]}
{"record":{"type":"COMM","attr":0,"comm":{"pid":7,"tid":7,"comm":"a\"\\b\nc"},
    "sample_id":{"time":"2","identifier":"71"}}}
{"record":{"type":"MMAP2","attr":0,"misc":"cpumode=USER|mmap_build_id",
    "mmap2":{"pid":7,"tid":7,"addr":"0x400000","len":"0x1000","pgoff":"0x2000","build_id_size":20,
    "build_id":"00112233445566778899aabbccddeeff01234567","prot":5,"flags":2,
    "filename":{"hex":"2f225cff"}},"sample_id":{"time":"3","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400010","pid":7,"tid":7,"time":"10","period":"18446744073709551615"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x10","pid":7,"tid":7,"time":"11","period":"5"}}}
END
"$PERFDATA" encode -o names.data names.jsonl || fail encode
sed 's/18446744073709551615/7/' names.jsonl | "$PERFDATA" encode -f -o names7.data || fail encode
# The readers' own text has \\ where a name has a backslash.
agree names7.data 2 'cpu-clock[^;]*;'
"$PERFDATA" export --to pprof -f -o profile names.data || fail pprof
python3 "$reader" pprof profile >out 2>ids || fail 'the reader'
has out ' 9223372036854775807$'
has ids '^00112233445566778899aabbccddeeff01234567 /"\\\\xff$'

# ---- A file is where its code is mapped, by offsets in it: pprof finds the program header by these. Two
# tasks have /bin/a at different addresses, with data in front and two stretches of code; /bin/b has an
# address below its code, and /bin/c one behind 4 GiB.
unfold >code.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID|TIME|PERIOD",
    "flags": "sample_id_all"}, "ids": ["71"]}
END
mapped() { # PID ADDR LENGTH PGOFF PROT FILE
    echo '{"record":{"type":"MMAP2","attr":0,"misc":"cpumode=USER","mmap2":{"pid":'"$1"',"tid":'"$1"',' \
        '"addr":"'"$2"'","len":"'"$3"'","pgoff":"'"$4"'","prot":'"$5"',"flags":2,"filename":"'"$6"'"},' \
        '"sample_id":{"time":"3","identifier":"71"}}}'
}
sampled() { # PID ADDR
    echo '{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",' \
        '"ip":"'"$2"'","pid":'"$1"',"tid":'"$1"',"time":"9","period":"1"}}}'
}
{
    mapped 7 0x400000 0x3000 0 1 /bin/a
    mapped 7 0x403000 0x2000 0x3000 5 /bin/a
    mapped 8 0x7f0000008000 0x1000 0x8000 5 /bin/a
    mapped 8 0x10000 0x2000 0x1000 1 /bin/b
    mapped 8 0x12000 0x2000 0x3000 5 /bin/b
    mapped 8 0x20000 0x1000 0x100000000 5 /bin/c
    sampled 7 0x403010
    sampled 8 0x7f0000008020
    sampled 8 0x10123
    sampled 8 0x20010
    sampled 0 0x10 # a label of 0 is no number
} >>code.jsonl
"$PERFDATA" encode -o code.data code.jsonl || fail encode
agree code.data 5 'cycles;'
expect 0 "$PERFDATA" export --to pprof -f -o profile code.data
python3 "$reader" pprof profile 2>&1 >out | grep '^range' >got
cat >want <<'END'
range /bin/a 0x3000 0x6000
range /bin/b 0x1000 0x4000
range /bin/c 0x100000000 0x1000
END
same want got

# ---- The first mapping is the program, which pprof takes for that whose name it is called with: what has the
# greatest sum in its stacks, and is no library, no kernel and no memory without a file.
first() { # WANTED
    "$PERFDATA" encode -f -o code.data code.jsonl || fail encode
    expect 0 "$PERFDATA" export --to pprof -f -o profile code.data
    [ "$(python3 "$reader" pprof profile 2>&1 >out | sed -n 's/^first //p')" = "$1" ] ||
        fail "$1 is not first: $(python3 "$reader" pprof profile 2>&1)"
}
first /bin/a
{
    sampled 8 0x10124
    sampled 8 0x10125
    mapped 9 0x7f0000000000 0x1000 0 5 /lib/libc.so.6
    mapped 9 0x7f0000010000 0x1000 0 5 /lib/l.so
    mapped 9 0x7f0000020000 0x1000 0 5 //anon
    mapped 9 0x7f0000030000 0x1000 0 5 '[vdso]'
    for address in 0 10000 20000 30000; do
        printf 'sampled 9 0x7f00000%05d\n' {$address,$address,$address,$address}
    done >lines
    . ./lines
} >>code.jsonl
first /bin/b
{
    mapped 9 0x7f0000040000 0x1000 0 5 /bin/.sources
    sampled 9 0x7f0000040000 | sed 's/"period":"1"/"period":"9"/'
} >>code.jsonl
first /bin/.sources

# ---- Two events are two types of samples of pprof, and two profiles of speedscope; -e chooses.
unfold >two.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID|TIME|PERIOD",
    "flags": "sample_id_all"}, "ids": ["71"]}
{"attr": {"type": "SOFTWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID|TIME|PERIOD",
    "flags": "sample_id_all"}, "ids": ["72"]}
{"record":{"type":"COMM","attr":0,"comm":{"pid":7,"tid":7,"comm":"a"},
    "sample_id":{"time":"2","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x10","pid":7,"tid":7,"time":"10","period":"100"}}}
{"record":{"type":"SAMPLE","attr":1,"misc":"cpumode=USER","sample":{"identifier":"72",
    "ip":"0x10","pid":7,"tid":7,"time":"11","period":"5"}}}
{"record":{"type":"SAMPLE","attr":1,"misc":"cpumode=USER","sample":{"identifier":"72",
    "ip":"0x20","pid":7,"tid":7,"time":"12","period":"6"}}}
END
"$PERFDATA" encode -o two.data two.jsonl || fail encode
is() { # FORMAT [OPTION]...: standard input is what the reader says of it
    local format=$1
    shift
    cat >want
    expect 0 "$PERFDATA" export --to "$format" -f -o profile "$@" two.data
    python3 "$reader" "$format" profile >got 2>ids || fail "$format cannot be read"
    grep -E '^(type|profile) ' ids >>got || true
    same want got
}
is pprof <<'END'
cpu-clock;a;pid 7;tid 7;[unknown]+0x10 5
cpu-clock;a;pid 7;tid 7;[unknown]+0x20 6
cycles;a;pid 7;tid 7;[unknown]+0x10 100
type cycles count
type cpu-clock nanoseconds
END
is speedscope <<'END'
cpu-clock;a;pid 7;tid 7;[unknown]+0x10 5
cpu-clock;a;pid 7;tid 7;[unknown]+0x20 6
cycles;a;pid 7;tid 7;[unknown]+0x10 100
profile cycles: a pid 7 tid 7 none 100
profile cpu-clock: a pid 7 tid 7 nanoseconds 11
END
is pprof --count -e cpu-clock <<'END'
cpu-clock;a;pid 7;tid 7;[unknown]+0x10 1
cpu-clock;a;pid 7;tid 7;[unknown]+0x20 1
type cpu-clock samples
END
is speedscope -e cycles <<'END'
a;pid 7;tid 7;[unknown]+0x10 100
profile a pid 7 tid 7 none 100
END
# A stack of both events is one sample of pprof, with a value of each.
expect 0 "$PERFDATA" export --to pprof -f -o profile two.data
agree two.data 3

# ---- Nothing to export is a profile without samples.
"$PERFDATA" filter -q --exclude-record SAMPLE -o none.data names.data || fail filter
for format in pprof speedscope firefox; do
    expect 0 "$PERFDATA" export --to $format -f -o profile none.data
    python3 "$reader" $format profile >out || fail "$format without samples"
    empty out
done
