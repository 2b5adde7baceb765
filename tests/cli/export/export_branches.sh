#!/usr/bin/env bash
# perfdata export --to bolt, profgen and autofdo: files worked out by hand from branch stacks, with the
# addresses of a binary and without; branches from file to file and of the kernel; damaged binaries.
. "$(dirname "$0")/../frame_lib.sh"

is() { # FILE: it is standard input
    cat >want
    same want "$1"
}

# Newest first. The fourth is of the kernel, and left out: for perf2bolt, instructions behind the fifth ran up
# to the third, for the other tools up to the fourth.
stack() {
    echo '"branch_stack":{"entries":[
        {"from":"0x400100","to":"0x400200","flags":"mispred"},
        {"from":"0x400080","to":"0x4000f0","flags":"mispred"},
        {"from":"0x7f0010","to":"0x400050"},{"from":"0xffffffff81000000","to":"0x400040"},
        {"from":"0x400030","to":"0x7f0000"}]}' | tr -d '\n'
}
unfold >in.jsonl <<END
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID|TIME|BRANCH_STACK",
    "branch_sample_type": "ANY", "flags": "sample_id_all"}, "ids": ["71"]}
{"record":{"type":"MMAP","attr":0,"misc":"cpumode=USER",
    "mmap":{"pid":7,"tid":7,"addr":"0x400000","len":"0x3000","pgoff":"0x1000","filename":"/bin/a b"},
    "sample_id":{"time":"3","identifier":"71"}}}
{"record":{"type":"MMAP2","attr":0,"misc":"cpumode=USER|mmap_build_id",
    "mmap2":{"pid":7,"tid":7,"addr":"0x7f0000","len":"0x1000","pgoff":"0","build_id_size":20,
    "build_id":"00112233445566778899aabbccddeeff01234567","prot":5,"flags":2,
    "filename":"/lib/l.so"},"sample_id":{"time":"4","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400200","pid":7,"tid":7,"time":"10",$(stack)}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400204","pid":7,"tid":7,"time":"11",$(stack)}}}
END
"$PERFDATA" encode -o in.data in.jsonl || fail encode
library=00112233445566778899aabbccddeeff01234567

expect 0 "$PERFDATA" export --to bolt -o bolt in.data
is bolt/index <<END
1-a_b.bolt		offsets	/bin/a b
$library.bolt	$library	offsets	/lib/l.so
END
is bolt/1-a_b.bolt <<END
B 1030 0 2 0
B 1080 10f0 0 2
B 1100 1200 2 2
T 1080 10f0 1100 2
T 0 1050 1080 2
END
is bolt/$library.bolt <<END
B 10 0 2 0
T 0 0 10 2
END

# ---- An ELF file of one segment: byte 0x1000 is at address 0x401000.
elf() { # SEGMENTS [BUILD ID]
    printf '\x7fELF\x02\x01\x01' && zeros 9 && le 2 3 62 && le 4 1 && le 8 0 64 0 && le 4 0
    le 2 64 56 $1 64 0 0
    le 4 1 5 && le 8 0x1000 0x401000 0x401000 0x2000 0x2000 4096
    le 4 4 4 && le 8 176 0 0 36 36 4
    le 4 4 20 3 && printf 'GNU\0' && printf '%b' "$(sed 's/../\\x&/g' <<<"$2")"
}
mkdir bin
elf 2 $library >'bin/a b'
expect 0 "$PERFDATA" export --to bolt --binary 'bin/a b' -o with in.data
is with/index <<END
1-a_b.bolt		addresses	/bin/a b
$library.bolt	$library	addresses	/lib/l.so
END
is with/1-a_b.bolt <<END
B 401030 0 2 0
B 401080 4010f0 0 2
B 401100 401200 2 2
T 401080 4010f0 401100 2
T 0 401050 401080 2
END
elf 2 ff112233445566778899aabbccddeeff01234567 >bin/l.so
elf 1 $library >bin/named
expect 0 "$PERFDATA" export --to bolt --binary bin/l.so -o other in.data # another build id
has other/index "offsets	/lib/l.so"
expect 0 "$PERFDATA" export --to bolt --binary bin/named -o third in.data # without one
has third/index "offsets	/lib/l.so"

# Looked up by the build id that the recording has, below a root or in perf's cache; another file is not
# taken.
mkdir -p root/lib home/.debug/.build-id/00/${library#00}
elf 2 ff112233445566778899aabbccddeeff01234567 >root/lib/l.so
expect 0 env HOME=/none "$PERFDATA" export --to bolt --root root -o wrong in.data
has wrong/index "offsets	/lib/l.so"
has err 'l.so has the build id ff112233'
elf 2 $library >root/lib/l.so
expect 0 env HOME=/none "$PERFDATA" export --to bolt --root root -o found in.data
cmp found/$library.bolt with/$library.bolt || fail 'the library below the root'
cmp found/1-a_b.bolt bolt/1-a_b.bolt || fail 'a file without a build id is not looked up'
mv root/lib/l.so home/.debug/.build-id/00/${library#00}/elf
expect 0 env HOME="$PWD/home" "$PERFDATA" export --to bolt -o cached in.data
same with/$library.bolt cached/$library.bolt
has cached/index "addresses	/lib/l.so"

# ---- The kernel, where it is asked for: the fourth entry is one of its own, to a file and from nowhere; it
# has a mapping in the second recording.
expect 0 "$PERFDATA" export --to bolt --kernel -o kernel in.data
is kernel/1-a_b.bolt <<END
B 1030 0 2 0
B 1080 10f0 0 2
B 1100 1200 2 2
B 0 1040 2 0
T 1080 10f0 1100 2
T 0 1050 1080 2
END
head -n 2 in.jsonl >k.jsonl
unfold >>k.jsonl <<'END'
{"record":{"type":"MMAP","attr":0,"misc":"cpumode=KERNEL",
    "mmap":{"pid":4294967295,"tid":0,"addr":"0xffffffff81000000","len":"0x1000000",
    "pgoff":"0xffffffff81000000","filename":"[kernel.kallsyms]_text"},
    "sample_id":{"time":"1","identifier":"71"}}}
END
sed 1,2d in.jsonl >>k.jsonl
"$PERFDATA" encode -o k.data k.jsonl || fail encode
expect 0 "$PERFDATA" export --to bolt --kernel -o mapped k.data
is mapped/*kernel*.bolt <<END
B ffffffff81000000 0 2 0
END
for format in bolt profgen autofdo; do
    expect 0 "$PERFDATA" export --to $format --kernel -o all-$format k.data
    grep kernel all-$format/index >got
    is got <<<"1-_kernel.kallsyms_.$format		addresses	[kernel.kallsyms]"
    expect 0 "$PERFDATA" export --to $format -o user-$format k.data
    expect 0 "$PERFDATA" export --to $format -o plain-$format in.data
    # The kernel has taken the first number.
    for file in "2-a_b.$format 1-a_b.$format" "$library.$format $library.$format"; do
        cmp "user-$format/${file% *}" "plain-$format/${file#* }" || fail "$format without --kernel"
    done
done

# ---- The other formats, with and without the binary.
# From elsewhere: 1 less where the code begins, at 0x1000 and 0x401000.
elsewhere=fffffffffffff001
for option in '' '--binary=bin/a b'; do
    rm -rf profgen autofdo
    expect 0 "$PERFDATA" export --to profgen ${option:+"$option"} -o profgen in.data in.data
    is profgen/1-a_b.profgen <<END
2
50-80:4
f0-100:4
4
80->f0:4
100->200:4
$elsewhere->40:4
$elsewhere->50:4
END
    elsewhere=ffffffffffbff001
    [ "$(cut -f 3 profgen/index | head -n 1)" = "${numbers:-offsets}" ] || fail 'numbers of profgen'
    numbers=addresses
    expect 0 "$PERFDATA" export --to autofdo ${option:+"$option"} -o autofdo in.data
    is autofdo/1-a_b.autofdo <<END
2
1050-1080:2
10f0-1100:2
2
1200:1
1204:1
2
1080->10f0:2
1100->1200:2
END
    [ "$(cut -f 3 autofdo/index | uniq)" = offsets ] || fail 'numbers of autofdo'
done
is autofdo/$library.autofdo <<END
0
0
0
END

# ---- An interrupt at 90: into the kernel, which is mapped or not, and back.
for known in in k; do
    {
        grep -v '"SAMPLE"' $known.jsonl
        unfold <<'END'
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400200","pid":7,"tid":7,"time":"10","branch_stack":{"entries":[
    {"from":"0x400100","to":"0x400200"},{"from":"0xffffffff81000008","to":"0x400090"},
    {"from":"0x400090","to":"0xffffffff81000000"},{"from":"0x400070","to":"0x400080"}]}}}}
END
    } >interrupt.jsonl
    "$PERFDATA" encode -f -o interrupt.data interrupt.jsonl || fail encode
    for format in bolt profgen autofdo; do
        expect 0 "$PERFDATA" export --to $format -o $known-$format interrupt.data
    done
    is $known-bolt/*-a_b.bolt < <(printf '%s\n' 'B 1100 1200 1 0' 'T 1070 1080 1100 1')
    is $known-profgen/*-a_b.profgen < <(printf '%s\n' 2 80-90:1 90-100:1 3 '70->80:1' '100->200:1' \
        'fffffffffffff001->90:1')
    is $known-autofdo/*-a_b.autofdo < <(printf '%s\n' 2 1080-1090:1 1090-1100:1 1 1200:1 2 \
        '1070->1080:1' '1100->1200:1')
    [ "$(wc -l <$known-profgen/index)" = 1 ] || fail 'the kernel has a file without --kernel'
done

# ---- Pieces add up to the whole; a selection.
expect 0 "$PERFDATA" export --to bolt --time 0.000000010,0.000000010 -o first in.data
expect 0 "$PERFDATA" export --to bolt --time 0.000000011,0.000000011 -o second in.data
sum() {
    awk '{k = $1 " " $2 " " $3; w[k] += $5} $1 == "B" {n[k] += $4} $1 == "T" {n[k] = $4}
        END {for (k in n) print k, n[k], w[k]}' "$@" | sort
}
sum first/1-a_b.bolt second/1-a_b.bolt >got
sum bolt/1-a_b.bolt >want
same want got

# ---- One build id at two paths, in one recording or in two: one file, with the branches of both; its program
# headers may come from either path.
copy_at() { # PID ADDRESS PATH [BYTES]: a process that has the library there; 10 to 4 twice; bytes of its id
    unfold <<END
{"record":{"type":"MMAP2","attr":0,"misc":"cpumode=USER|mmap_build_id",
    "mmap2":{"pid":$1,"tid":$1,"addr":"0x$2000","len":"0x2000","pgoff":"0","build_id_size":${4-20},
    "build_id":"$library","prot":5,"flags":2,
    "filename":"$3"},"sample_id":{"time":"$1","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x$2004","pid":$1,"tid":$1,"time":"2$1","branch_stack":{"entries":[
    {"from":"0x$2010","to":"0x$2004","flags":"mispred"},{"from":"0x$2010","to":"0x$2004"},
    {"from":"0x$2018","to":"0x$2008"}]}}}}
END
}
head -n 2 in.jsonl >head
{
    cat head
    copy_at 7 7f0 /lib/l.so
    copy_at 8 9f0 /container/lib/l.so
} >copies.jsonl
{
    cat head
    copy_at 8 9f0 /container/lib/l.so
} >copy.jsonl
"$PERFDATA" encode -o copies.data copies.jsonl && "$PERFDATA" encode -o copy.data copy.jsonl || fail encode
# What three copies make, by hand.
counts() { # FORMAT
    case $1 in
    bolt) printf '%s\n' 'B 10 4 3 3' 'T 10 4 10 3' 'T 18 8 10 3' ;;
    profgen) printf '%s\n' 2 4-10:3 8-10:3 2 '10->4:6' '18->8:3' ;;
    autofdo) printf '%s\n' 2 4-10:3 8-10:3 1 4:3 2 '10->4:6' '18->8:3' ;;
    esac
}
for format in bolt profgen autofdo; do
    expect 0 env HOME=/none "$PERFDATA" export --to $format -o copies-$format copies.data copy.data
    counts $format >want
    same want copies-$format/$library.$format
    is copies-$format/index <<<"$library.$format	$library	offsets	/lib/l.so"
done

# A build id of 16 bytes, with the zeros that some recordings have behind it.
whole=$library library=00112233445566778899aabbccddeeff00000000
{
    cat head
    copy_at 7 7f0 /lib/l.so 16
    copy_at 8 9f0 /container/lib/l.so 20
    copy_at 9 af0 /l.so 16
} >short.jsonl
"$PERFDATA" encode -o short.data short.jsonl || fail encode
expect 0 env HOME=/none "$PERFDATA" export --to bolt -o short short.data
counts bolt >want
same want short/${library::32}.bolt
is short/index <<<"${library::32}.bolt	${library::32}	offsets	/lib/l.so"
library=$whole

mkdir -p elsewhere/container/lib
elf 2 $library >elsewhere/container/lib/l.so
expect 0 env HOME=/none "$PERFDATA" export --to bolt --root elsewhere -o other-path copies.data
is other-path/index <<<"$library.bolt	$library	addresses	/lib/l.so"

# ---- An earlier export is replaced with -f, whatever its format; another directory is not.
expect 2 "$PERFDATA" export --to bolt -o bolt in.data
has err 'bolt: it exists; -f replaces it'
expect 0 "$PERFDATA" export --to profgen -f -o bolt in.data
is <(ls bolt) < <(ls profgen)
refused() { # WHY: `bolt` is no export any more, and stays as it is
    find bolt | sort >before
    for force in -f -q; do
        expect 2 "$PERFDATA" export --to bolt $force -o bolt in.data
        has err 'a directory that is not an earlier export is not replaced'
    done
    find bolt | sort >after
    same before after
}
for extra in 'touch bolt/mine' 'mkdir bolt/mine' 'ln -s . bolt/mine' 'rm bolt/index' 'echo x >bolt/index' \
    'printf "1-a_b.profgen\\t\\toffsets\\t/bin/a b" >bolt/index' \
    'rm bolt/1-a_b.profgen && mkdir bolt/1-a_b.profgen' 'rm bolt/* && ln -s ../in.jsonl bolt/index'; do
    rm -rf bolt
    cp -r profgen bolt
    eval "$extra"
    refused "$extra"
done
rm -rf bolt/*
chmod 755 bolt
expect 0 "$PERFDATA" export --to bolt -o bolt in.data # an empty directory is there to be filled
[ "$(stat -c %a bolt)" = 755 ] || fail "the mode of bolt: $(stat -c %a bolt)"
is <(ls bolt) < <(ls profgen | sed 's/profgen$/bolt/')
rm -rf bolt
expect 0 "$PERFDATA" convert --to dir -o recording in.data
expect 2 "$PERFDATA" export --to bolt -f -o recording in.data
expect 2 "$PERFDATA" convert --to dir -f -o profgen in.data
has err 'a directory that is no recording is not replaced'
rm profgen/1-a_b.profgen # one that is listed may be missing
expect 0 "$PERFDATA" export --to bolt -f -o profgen in.data

# ---- A lost entry, behind which a range would end before it begins, and a newest entry twice, of a branch
# forward. llvm-profgen leaves out such ranges; create_gcov the branches before them, too, and one of the two.
{
    head -n 3 in.jsonl
    while read -r entries; do
        echo '{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",' \
            '"ip":"0x400204","pid":7,"tid":7,"time":"11","branch_stack":{"entries":['"$entries"']}}}}'
    done <<'END'
{"from":"0x400050","to":"0x400080"},{"from":"0x400200","to":"0x400090"},{"from":"0x4002f0","to":"0x4001f0"}
{"from":"0x400300","to":"0x400310"},{"from":"0x400300","to":"0x400310"},{"from":"0x400400","to":"0x4002f8"}
END
} >odd.jsonl
"$PERFDATA" encode -o odd.data odd.jsonl || fail encode
expect 0 "$PERFDATA" export --to profgen -o odd odd.data
is odd/1-a_b.profgen < <(printf '%s\n' 2 1f0-200:1 2f8-300:1 5 '50->80:1' '200->90:1' '2f0->1f0:1' \
    '300->310:2' '400->2f8:1')
expect 0 "$PERFDATA" export --to autofdo -f -o odd odd.data
is odd/1-a_b.autofdo < <(printf '%s\n' 2 11f0-1200:1 12f8-1300:1 1 1204:2 4 '1050->1080:1' '12f0->11f0:1' \
    '1300->1310:1' '1400->12f8:1')

# ---- What is not silent: no branch stacks; a binary of another build id, or of no file.
grep -v '"SAMPLE"' in.jsonl >none.jsonl
unfold >>none.jsonl <<'END'
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x400200","pid":7,"tid":7,"time":"10","branch_stack":{"entries":[]}}}}
END
"$PERFDATA" encode -o none.data none.jsonl || fail encode
for format in bolt profgen autofdo; do
    expect 0 "$PERFDATA" export --to $format -f -o x none.data
    has err 'no sample has a branch stack'
    expect 0 "$PERFDATA" export --to $format -f -q -o x none.data
    empty err
done
expect 0 "$PERFDATA" export --to bolt -f -o x --binary bin/l.so --binary 'bin/a b' --binary bin/named \
    --binary "$PERFDATA" in.data
grep -o 'binary: .*:' err >got
printf 'binary: %s:\n' bin/l.so bin/named "$PERFDATA" >want
same want got
expect 0 "$PERFDATA" export --to bolt -f -o x --binary 'bin/a b' --binary 'bin/a b' in.data
empty err # it is named twice
rm -rf x

# ---- Wrong usage, and binaries that are none.
expect 2 "$PERFDATA" export --to bolt in.data
expect 2 "$PERFDATA" export --to bolt -s pid -o x in.data
expect 2 "$PERFDATA" export --to profgen --sort none -o x in.data
expect 2 "$PERFDATA" export --to autofdo --count -o x in.data
has err '--count is for stacks'
expect 2 "$PERFDATA" export --to folded --binary 'bin/a b' in.data
expect 2 "$PERFDATA" export --to folded --kernel in.data
expect 2 "$PERFDATA" export --to folded --root . in.data
expect 2 "$PERFDATA" export --to bolt --binary missing -o x in.data
expect 2 "$PERFDATA" export --to bolt --binary in.data -o x in.data
has err 'not an ELF file'
size=$(stat -c %s 'bin/a b')
for ((n = 0; n < size; n += 7)); do
    head -c $n 'bin/a b' >cut
    "$PERFDATA" export --to bolt --binary cut -o x in.data >out 2>err || [ $? = 2 ] || fail "$n bytes"
    rm -rf x
done
