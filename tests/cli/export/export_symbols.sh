#!/usr/bin/env bash
# perfdata export --symbols: functions by hand. Files are found by their build ids, or else by their names;
# functions that are inlined; symbols of the kernel that records tell; the same in all formats; files of
# symbols that are none.
. "$(dirname "$0")/../frame_lib.sh"
case $0 in /*) ;; *) fail 'run me by an absolute path' ;; esac
reader=$(dirname "$0")/export_read.py

lines() { # OPTION...: the expected lines are standard input, in any order
    sort >want
    expect 0 "$PERFDATA" export --to folded "$@"
    sort out >got
    same want got
}

id=00112233445566778899aabbccddeeff01234567
unfold >in.jsonl <<END
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID|TIME|PERIOD|CALLCHAIN",
    "flags": "sample_id_all"}, "ids": ["71"]}
{"record":{"type":"KSYMBOL","attr":0,"ksymbol":{"addr":"0xffffffffc0000000","len":4096,"ksym_type":1,
    "flags":0,"name":"bpf_prog_1"},"sample_id":{"time":"1","identifier":"71"}}}
{"record":{"type":"MMAP","attr":0,"misc":"cpumode=USER",
    "mmap":{"pid":7,"tid":7,"addr":"0x400000","len":"0x1000","pgoff":"0x2000","filename":"/bin/a;b"},
    "sample_id":{"time":"3","identifier":"71"}}}
{"record":{"type":"MMAP2","attr":0,"misc":"cpumode=USER|mmap_build_id",
    "mmap2":{"pid":7,"tid":7,"addr":"0x500000","len":"0x1000","pgoff":"0","build_id_size":20,
    "build_id":"$id","prot":5,"flags":2,"filename":"/lib/l.so"},"sample_id":{"time":"4","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=KERNEL","sample":{"identifier":"71",
    "ip":"0xffffffffc0000010","pid":7,"tid":7,"time":"10","period":"100",
    "callchain":{"ips":["KERNEL","0xffffffffc0000010","USER","0x400010","0x500020","0x400020"]}}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400010","pid":7,"tid":7,"time":"11","period":"11",
    "callchain":{"ips":["USER","0x400018","0x500020","0x400020"]}}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400030","pid":7,"tid":7,"time":"12","period":"5","callchain":{"ips":["USER","0x400030"]}}}}
END
"$PERFDATA" encode -o in.data in.jsonl || fail encode
tab=$'\t'
cat >x.syms <<END
perfdata-symbols 1
file${tab}-${tab}/bin/a;b
2010${tab}10${tab}le;af${tab}in${tab}deepest\\x01
2018${tab}18${tab}le;af${tab}in${tab}deepest\\x01
2020${tab}0${tab}outer\\\\
file${tab}$id${tab}/elsewhere/l.so
20${tab}4${tab}middle
END
lines -s none --symbols x.syms in.data <<'END'
outer\;middle;le:af;in;deepest\x01;bpf_prog_1 100
outer\;middle;le:af;in;deepest\x01 11
/bin/a:b+0x2030 5
END

# ---- Frames behind one that has others inlined keep their mode: of a guest, and of the kernel.
unfold >modes.jsonl <<END
{"header":{"container":"file"}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME|CALLCHAIN","flags":"sample_id_all"}}
{"record":{"type":"MMAP","misc":"cpumode=GUEST_USER","mmap":{"pid":7,"tid":7,"addr":"0x400000",
    "len":"0x10000","pgoff":"0","filename":"/guest/program"}}}
{"record":{"type":"MMAP","misc":"cpumode=KERNEL","mmap":{"pid":4294967295,"tid":0,
    "addr":"0xffffffffc0000000","len":"0x10000","pgoff":"0","filename":"/lib/modules/x.ko"}}}
{"record":{"type":"SAMPLE","misc":"cpumode=GUEST_USER","sample":{"ip":"0x401000","pid":7,"tid":7,
    "time":"1000","callchain":{"ips":["GUEST_USER","0x401000","0x402000","0x403000"]}}}}
{"record":{"type":"SAMPLE","misc":"cpumode=KERNEL","sample":{"ip":"0xffffffffc0001000","pid":7,"tid":7,
    "time":"2000","callchain":{"ips":["KERNEL","0xffffffffc0001000","0xffffffffc0002000",
    "0xffffffffc0003000","USER","0x400100"]}}}}
END
"$PERFDATA" encode -o modes.data modes.jsonl || fail encode
printf '%s\n' 'perfdata-symbols 1' $'file\t-\t/guest/program' $'1000\t0\tleaf' $'2000\t0\tmiddle\tin' \
    $'3000\t0\tmain' $'file\t-\t[x]' $'1000\t0\tkleaf' $'2000\t0\tkmiddle\tkin' $'3000\t0\tkmain' >modes.syms
lines -s none --count --symbols modes.syms modes.data <<'END'
main;middle;in;leaf 1
[unknown]+0x400100;kmain;kmiddle;kin;kleaf 1
END

# ---- Files of another build id, and parts of several files.
grep -v '^20.*middle' x.syms >first.syms
{
    head -n 1 x.syms
    printf 'file\tff%s\t/lib/l.so\n20\t0\twrong\n' "${id#00}"
} >wrong.syms
lines -s none --symbols first.syms --symbols wrong.syms in.data <<'END'
outer\;/lib/l.so+0x20;le:af;in;deepest\x01;bpf_prog_1 100
outer\;/lib/l.so+0x20;le:af;in;deepest\x01 11
/bin/a:b+0x2030 5
END
sed "s/ff${id#00}/-/" wrong.syms >named.syms
lines -s none --symbols named.syms --symbols first.syms in.data <<'END'
outer\;wrong;le:af;in;deepest\x01;bpf_prog_1 100
outer\;wrong;le:af;in;deepest\x01 11
/bin/a:b+0x2030 5
END

# ---- Shares: the address of a sample, not of its call chain, and what is inlined counts for the function.
expect 0 "$PERFDATA" report -s sym --symbols x.syms in.data
sed -n 's/^ *[0-9.]*% *//p' out >got
printf '%s\n' '1  bpf_prog_1' '1  le;af' '1  [unknown]' >want
same want got
expect 2 "$PERFDATA" report -s sym in.data
has err 'needs --symbols'

# ---- The other formats.
if command -v python3 >/dev/null; then
    sed 's/\\\\//; s/;af/af/' x.syms >plain.syms
    expect 0 "$PERFDATA" export --to folded --symbols plain.syms -s comm,pid,tid in.data
    sort out | sed 's/a:b/a;b/' >want
    for format in pprof speedscope firefox; do
        expect 0 "$PERFDATA" export --to $format --symbols plain.syms -f -o profile in.data
        python3 "$reader" $format profile 2>ids | sed 's/^cycles[^;]*;//' | LC_ALL=C sort >got || fail $format
        same want got
    done
fi

# ---- Damaged files: status 3, where, and all that is intact.
bad() { # TEXT: of a line 3
    { printf 'perfdata-symbols 1\nfile\t-\t/a\n' && printf "$1"; } >bad.syms
    tail -n +2 x.syms >rest.syms
    case $1 in *'\n') cat rest.syms >>bad.syms ;; esac
    expect 3 "$PERFDATA" export --to folded -s none --symbols bad.syms in.data
    has err "bad.syms: line ${2:-3}: "
    [ "$(grep -c 'bad.syms: line' err)" = 1 ] || fail "$1: not one line is told"
    case $1 in *'\n') same intact out ;; *) same plain out ;; esac
}
expect 0 "$PERFDATA" export --to folded -s none --symbols x.syms in.data
cp out intact
head -n 1 x.syms >none.syms
expect 0 "$PERFDATA" export --to folded -s none --symbols none.syms in.data
cp out plain
bad '20\n'
bad '20\t1\n'
bad 'x\t1\ta\n'
bad '20\t\ta\n'
bad '00000000000000001\t0\ta\n'
bad '20\t1\ta\n20\t2\tb\n' 4
bad '20\t1\ta'
bad '20\t1\ta\0\n'
bad 'file\t-\n'
bad 'file\tXY\t/b\n'
# Cut in the middle of any line: what is before it is used, also by report.
for n in $(seq 20 7 "$(wc -c <x.syms)"); do
    head -c "$n" x.syms >cut.syms
    status=3
    [ -n "$(tail -c 1 cut.syms)" ] || status=0
    sed '$d' cut.syms >whole.syms
    [ $status = 3 ] || cp cut.syms whole.syms
    expect 0 "$PERFDATA" export --to folded -s none --symbols whole.syms in.data
    cp out want
    expect $status "$PERFDATA" export --to folded -s none --symbols cut.syms in.data
    same want out
    expect 0 "$PERFDATA" report -s sym --symbols whole.syms in.data
    cp out want
    expect $status "$PERFDATA" report -s sym --symbols cut.syms in.data
    same want out
done
# A damaged name of a file is not that of the file before: its symbols are left out, too.
sed "s/^file${tab}-.*/&\nfile${tab}XX${tab}\/lib\/l.so/" x.syms >bad.syms
expect 3 "$PERFDATA" export --to folded -s none --symbols bad.syms in.data
[ "$(grep -c 'bad.syms: line [3-6]: ' err)" = 4 ] || fail 'a symbol of a file that is not known'
has out '^/bin/a:b+0x2020;middle;/bin/a:b+0x2010;bpf_prog_1 100$'
# Of many damaged lines, ten are told.
{ cat x.syms && printf "y\n%.0s" {1..30}; } >bad.syms
expect 3 "$PERFDATA" export --to folded -s none --symbols bad.syms in.data
[ "$(grep -c 'bad.syms: line' err)" = 10 ] || fail "$(grep -c 'bad.syms: line' err) lines are told"
has err 'bad.syms: 30 lines could not be read$'
same intact out
# It is an input, which is never overwritten.
expect 2 "$PERFDATA" export --to folded --symbols x.syms -f -o x.syms in.data
[ "$(head -n 1 x.syms)" = 'perfdata-symbols 1' ] || fail 'the file of symbols is overwritten'
# Files that are none are wrong usage.
printf '20\t1\ta\n' >bad.syms
for file in bad.syms in.data /dev/null; do
    expect 2 "$PERFDATA" export --to folded --symbols $file in.data
    has err "$file: not a file of symbols"
    empty out
done
expect 2 "$PERFDATA" export --to folded --symbols missing in.data
expect 2 "$PERFDATA" export --to bolt --symbols x.syms -o x in.data
expect 2 "$PERFDATA" export --to bolt --root missing -o x in.data
has err '--root: missing: No such file or directory'
