#!/usr/bin/env bash
# perfdata symbols: of programs that are compiled here, the functions that nm tells, and those that addr2line
# says are inlined; stripped programs with their symbols elsewhere; other build ids; roots; maps of
# just-in-time code; kallsyms beside the recording; damaged programs.
. "$(dirname "$0")/../frame_lib.sh"
command -v cc >/dev/null || skip 'no compiler is installed'
export HOME=$dir/home
mkdir home root

cat >x.c <<'END'
static inline __attribute__((always_inline)) int deep(int x) { return x % 7 ? x * 3 : x - 1; }
static inline __attribute__((always_inline)) int mid(int x) { return deep(x) + deep(x * 5); }
__attribute__((noinline)) int leaf(int x) { return mid(x) ^ 5; }
int main(int argc, char **argv) { (void)argv; return leaf(argc); }
END
cc -O1 -g -Wl,--build-id=0x00112233445566778899aabbccddeeff01234567 -o whole x.c
address() { nm whole | awk -v name="$1" '$3 == name { print $1 }'; }
# Where the code is: the program header that has the byte.
offset_of() { # ADDRESS
    readelf -lW whole | awk -v address=$((0x$1)) '
        function number(hex,  n, i) {
            for (i = 3; i <= length(hex); i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
            return n
        }
        $1 == "LOAD" && address >= number($3) && address < number($3) + number($5) {
            printf "%x\n", address - number($3) + number($2) }'
}
leaf=$(offset_of "$(address leaf)") main=$(offset_of "$(address main)")

recording() { # NAME BUILD-ID: of the program of that name, with three samples
    unfold <<END
{"header":{"container":"file"}}
{"attr": {"type": "HARDWARE", "config": 0, "sample_type": "IDENTIFIER|IP|TID|TIME|CALLCHAIN",
    "flags": "sample_id_all"}, "ids": ["71"]}
{"record":{"type":"MMAP","attr":0,"misc":"cpumode=KERNEL",
    "mmap":{"pid":4294967295,"tid":0,"addr":"0xffffffff81000000","len":"0x1000000",
    "pgoff":"0xffffffff81000000","filename":"[kernel.kallsyms]_text"},
    "sample_id":{"time":"1","identifier":"71"}}}
{"record":{"type":"MMAP2","attr":0,"misc":"cpumode=USER|mmap_build_id",
    "mmap2":{"pid":7,"tid":7,"addr":"0x10000000","len":"0x10000","pgoff":"0","build_id_size":20,
    "build_id":"$2","prot":5,"flags":2,"filename":"$1"},"sample_id":{"time":"4","identifier":"71"}}}
{"record":{"type":"MMAP2","attr":0,"misc":"cpumode=USER",
    "mmap2":{"pid":7,"tid":7,"addr":"0x20000000","len":"0x10000","pgoff":"0","maj":0,"min":0,"ino":"0",
    "ino_generation":"0","prot":5,"flags":2,"filename":"//anon"},"sample_id":{"time":"5","identifier":"71"}}}
{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
    "ip":"0x$(printf %x $((0x10000000 + 0x$leaf + 2)))","pid":7,"tid":7,"time":"10",
    "callchain":{"ips":["KERNEL","0xffffffff81000018","USER","0x20000008",
    "0x$(printf %x $((0x10000000 + 0x$main)))","0x77"]}}}}
END
}
id=00112233445566778899aabbccddeeff01234567
recording "$dir/whole" $id | "$PERFDATA" encode -o x.data || fail encode

program() { # NAME: what is found in it
    printf 'file\t%s\t%s\n' $id "$1"
    printf '%s\t%s\t%s\n' "$main" 0 main "$(printf %x $((0x$leaf + 2)))" 2 leaf | sort
}
is() { # the expected lines
    { echo 'perfdata-symbols 1' && cat; } >want
    same want out
}
expect 0 "$PERFDATA" symbols x.data
program "$dir/whole" | is
has err 'of 3 files 2 have no symbols'
expect 0 "$PERFDATA" symbols -v -o file.syms x.data
has err '/tmp/perf-7.map: no symbols'

# ---- Stripped: its symbols are in a file that it names, below debug directories, or in perf's cache.
cp whole kept
objcopy --only-keep-debug kept debug
mv debug whole.debug
objcopy --strip-all --add-gnu-debuglink=whole.debug kept whole
mv whole.debug debug
for place in whole.debug .debug/whole.debug home/.debug/.build-id/00/${id#00}/debug \
    root/usr/lib/debug/.build-id/00/${id#00}.debug; do
    expect 0 "$PERFDATA" symbols --root root x.data
    [ "$(cat out)" = 'perfdata-symbols 1' ] || fail "symbols from nowhere: $(cat out)"
    mkdir -p "$(dirname $place)"
    cp debug $place
    expect 0 "$PERFDATA" symbols --root root x.data
    program "$dir/whole" | is
    rm $place
done
# ---- From a server of debug files, if one is configured; its answer is checked, too.
mkdir -p served/buildid/$id
export DEBUGINFOD_CACHE_PATH=$dir/answers
for served in debug /bin/true; do
    rm -rf answers
    cp $served served/buildid/$id/debuginfo
    export DEBUGINFOD_URLS=file://$dir/served
    expect 0 "$PERFDATA" symbols x.data
    if grep -q 'libdebuginfod.so.1 is not installed' err; then
        echo 'libdebuginfod is not installed: no server is asked'
    elif [ $served = debug ]; then
        program "$dir/whole" | is
    else
        [ "$(cat out)" = 'perfdata-symbols 1' ] || fail "symbols of another file: $(cat out)"
        has err "the recording $id"
    fi
    unset DEBUGINFOD_URLS
    expect 0 "$PERFDATA" symbols x.data
    [ "$(cat out)" = 'perfdata-symbols 1' ] || fail "a server was asked that is not configured: $(cat out)"
done
# ---- Stripped in one place and whole in another: below roots, where it was, or in perf's cache; with the
# same build id. Only if there is none, symbols for the linker will do.
try_copies() {
    local place each leaf main cached=home/.debug/.build-id/00/${id#00}/elf
    local places=("root$dir/whole" "second$dir/whole" whole "$cached")
    local symbols=("$PERFDATA" symbols --root root --root second copies.data)
    cc -O1 -g -rdynamic -Wl,--build-id=0x$id -o whole x.c
    leaf=$(offset_of "$(address leaf)") main=$(offset_of "$(address main)")
    recording "$dir/whole" $id | "$PERFDATA" encode -o copies.data || fail encode
    objcopy --redefine-sym leaf=better whole better
    strip -o less better
    objcopy --remove-section .note.gnu.build-id better nameless
    cc -O1 -g -rdynamic -Wl,--build-id=0xff${id#00} -o other x.c
    mkdir -p "root$dir" "second$dir" "${cached%/elf}"
    for place in "${places[@]}"; do
        for each in "${places[@]}"; do cp less "$each"; done
        expect 0 "${symbols[@]}" -v
        program "$dir/whole" | is # as it is for the linker
        has err "$dir/whole: stripped"
        cp other "$place"
        expect 0 "${symbols[@]}"
        program "$dir/whole" | is
        ! grep -q stripped err || fail "that is for -v: $(cat err)"
        cp better "$place"
        expect 0 "${symbols[@]}" -v
        program "$dir/whole" | sed 's/leaf$/better/' | is
        ! grep -q 'stripped\|build id' err || fail "$(cat err)"
        [ "$place" != "${places[0]}" ] || continue
        cp nameless "$place" # without a build id it may be any
        expect 0 "${symbols[@]}"
        program "$dir/whole" | is
        cp better "$place" # the right one is known: another one below / is none of its concern
        cp other whole
        expect 0 "${symbols[@]}" -v
        ! grep -q 'build id' err || fail "$(cat err)"
    done
    rm -r root second home/.debug
    mkdir root
}
try_copies
cp kept whole

# ---- Mangled names; what stands behind one stays. A build without libiberty leaves all as they are.
shown=_ZN2of4leafEi
for behind in '' @plt; do
    objcopy --redefine-sym leaf="_ZN2of4leafEi$behind" kept whole
    expect 0 "$PERFDATA" symbols x.data
    ! grep -q 'of::leaf$' out || shown=of::leaf
    program "$dir/whole" | sed "s/leaf\$/$shown$behind/" | is
done
cp kept whole

# ---- Another build id is refused, and told; below a root, or in perf's cache, is the right one.
mkdir -p root"$dir" "home/.debug/.build-id/00/${id#00}"
cp whole root"$dir"/whole
cc -O2 -Wl,--build-id=0xff112233445566778899aabbccddeeff01234567 -o whole x.c
expect 0 "$PERFDATA" symbols x.data
[ "$(cat out)" = 'perfdata-symbols 1' ] || fail "$(cat out)"
has err "whole has the build id ff112233445566778899aabbccddeeff01234567, the recording $id"
expect 0 "$PERFDATA" symbols --root root x.data
program "$dir/whole" | is
cp root"$dir"/whole "home/.debug/.build-id/00/${id#00}/elf"
expect 0 "$PERFDATA" symbols x.data
program "$dir/whole" | is
# That is told alone if all files have symbols.
recording "$dir/whole" $id | sed 's/"ips":\[[^]]*\]/"ips":[]/' | "$PERFDATA" encode -o one.data || fail encode
expect 0 "$PERFDATA" symbols one.data
has err 'whole has the build id'
! grep -q 'no symbols' err || fail "$(cat err)"
cp root"$dir"/whole whole

# ---- Just-in-time code, and the kernel of a directory.
mkdir -p root/tmp
{
    printf '1fffff00 200 a name;of it\nnonsense\n30000000 zz y\n'
    for ((n = 0; n < 16; n++)); do # inside of it, one in the other, before the address that is asked for
        printf '%x %x inner %d\n' $((0x1fffff10 + n)) $((0x80 - 3 * n)) $n
    done
    for ((n = 0; n < 16; n++)); do # and beside one another
        printf '%x 4 small %d\n' $((0x1fffff90 + 4 * n)) $n
    done
} >root/tmp/perf-7.map
"$PERFDATA" convert -q --to dir -o x.dir x.data || fail convert
mkdir x.dir/kcore_dir
printf 'ffffffff810000%s\n' '00 T _text' '10 t one' '10 T the_one' '20 t two' >x.dir/kcore_dir/kallsyms
expect 0 "$PERFDATA" symbols --root root x.dir
{
    printf 'file\t-\t[kernel.kallsyms]\nffffffff81000018\t8\tthe_one\n'
    program "$dir/whole"
    printf 'file\t-\t/tmp/perf-7.map\n20000008\t108\ta name;of it\n'
} | is
expect 0 "$PERFDATA" symbols --root root -o x.syms x.dir
expect 0 "$PERFDATA" export --to folded -s none --symbols x.syms x.data
echo '[unknown]+0x77;main;a name:of it;the_one 1' >want
same want out

# Of several names at an address the last one has a length, as perf sees it, and is taken. Data ends a
# function, and the kernel the page after its last one.
kernel() { # SYMBOL OFFSET LINE...: nothing if there is no symbol
    printf 'ffffffff%s\n' "${@:3}" >x.dir/kcore_dir/kallsyms
    expect 0 "$PERFDATA" symbols --root root x.dir
    [ "$(sed -n 's/^ffffffff81000018\t//p' out)" = "${1:+$2	$1}" ] || fail "$1: $(grep ^ffff out)"
}
kernel __x64_sys_call 8 '81000010 T __ia32_sys_longer_call' '81000010 T __x64_sys_call' '81000020 t next'
kernel ____thunk 8 '81000010 T thunk' '81000010 T __thunk' '81000010 w ____thunk' '81000020 t next'
kernel data 0 '81000010 t one' '81000018 d data' '81000020 t next'
kernel data 0 '81000018 t one' '81000018 B data'
kernel one 8 '81000010 t one' '81000018 r constant' '81000018 t $x' '81000020 t next'
kernel one 1017 '80fff001 t one' '81001000 t next'
kernel one 1017 '80fff001 t one' 'c0000000 t next	[module]'
kernel '' '' '80ffe000 t one' 'c0000000 t next	[module]'
kernel one 1017 '80fff001 t one'
kernel '' '' '80ffe000 t one'

# With address space randomization the kernel is elsewhere in each boot: its _text in the recording and in
# kallsyms tell how far. Functions of two boots are known side by side, unless an address may be of both.
boot() { # ADDRESS: makes y.data of a boot with the kernel there
    recording "$dir/whole" $id | sed "s/0xffffffff810000/0xffffffff${1}00/g" |
        "$PERFDATA" encode -f -o y.data || fail "encode $1"
}
of_kernel() { # FILE...: writes what is known of its kernels
    printf 'ffffffffa20000%s\n' '00 T _text' '10 T one' '20 t two' >x.dir/kcore_dir/kallsyms
    expect 0 "$PERFDATA" symbols --root root "$@"
    grep ^ffff out || :
}
[ "$(of_kernel x.dir)" = 'ffffffff81000018	8	one' ] || fail "another boot: $(cat out)"
boot 9f00
[ "$(of_kernel y.data x.dir)" = 'ffffffff81000018	8	one
ffffffff9f000018	8	one' ] || fail "two boots: $(cat out)"
boot 8120
[ "$(of_kernel y.data x.dir)" = 'ffffffff81000018	8	one' ] || fail "boots that are near: $(cat out)"

# Each kernel has the functions that its recording has beside it.
of_build() { # LETTER ADDRESS FUNCTION: makes LETTER.dir, with such a kernel
    local entry='{"type":0,"misc":"cpumode=KERNEL|build_id_size","size":100,"file":{"pid":-1,"build_id":"%s",
        "size":20,"reserved_1":0,"reserved_2":0,"filename":"[kernel.kallsyms]","filename_pad":"%s"}}'
    # shellcheck disable=SC2059
    entry=$(printf "$entry" "$(printf "$1%.0s" {1..40})" "$(printf '00%.0s' {1..47})" | tr -d '\n')
    { recording "$dir/whole" $id | sed "s/0xffffffff81000018/0xffffffff8100$2/" &&
        echo "{\"feature\":\"build_id\",\"content\":{\"entries\":[$entry]}}"; } |
        "$PERFDATA" encode -f -o y.data || fail "encode $1"
    "$PERFDATA" convert -q --to dir -o "$1.dir" y.data && mkdir "$1.dir/kcore_dir"
    printf 'ffffffff8100%s\n' '0000 T _text' "0010 T $3" '0200 t two' >"$1.dir/kcore_dir/kallsyms"
}
of_build a 0018 one
of_build b 0028 another
for order in 'a.dir b.dir' 'b.dir a.dir'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" symbols --root root $order
    [ "$(grep ^ffff out | sort)" = 'ffffffff81000018	8	one
ffffffff81000028	18	another' ] || fail "two kernels: $(cat out)"
done

# ---- Modules: their functions are in kallsyms, with addresses; in the recording they are at offsets in a
# module, by its name or that of its file. A guest's kernel is another one.
unfold >modules.jsonl <<'END'
{"header":{"container":"file"}}
{"attr":{"type":"HARDWARE","sample_type":"IP|TID|TIME|CALLCHAIN","sample_period":"1","flags":"sample_id_all"}}
{"record":{"type":"MMAP","misc":"cpumode=KERNEL","mmap":{"pid":-1,"tid":0,"addr":"0xffffffff81000000",
    "len":"0x1f000000","pgoff":"0xffffffff81000000","filename":"[kernel.kallsyms]_text"}}}
{"record":{"type":"MMAP","misc":"cpumode=KERNEL","mmap":{"pid":-1,"tid":0,"addr":"0xffffffffc0001000",
    "len":"0x2000","pgoff":"0","filename":"[foo_mod]"}}}
{"record":{"type":"MMAP","misc":"cpumode=KERNEL","mmap":{"pid":-1,"tid":0,"addr":"0xffffffffc0004000",
    "len":"0x2000","pgoff":"0","filename":"/lib/modules/6.1/kernel/net/bar-baz.ko.xz"}}}
{"record":{"type":"MMAP","misc":"cpumode=GUEST_KERNEL","mmap":{"pid":0,"tid":0,"addr":"0xffffffff81000000",
    "len":"0x1000000","pgoff":"0xffffffff81000000","filename":"[guest.kernel.kallsyms]_text"}}}
{"record":{"type":"SAMPLE","misc":"cpumode=KERNEL","sample":{"ip":"0xffffffffc0001060","pid":7,"tid":7,
    "time":"1000","callchain":{"ips":["KERNEL","0xffffffffc0001060","0xffffffffc0001250","0xffffffffc0004018",
    "0xffffffff81000120"]}}}}
{"record":{"type":"SAMPLE","misc":"cpumode=GUEST_KERNEL","sample":{"ip":"0xffffffff81000120","pid":0,"tid":0,
    "time":"1001","callchain":{"ips":[]}}}}
END
"$PERFDATA" encode -o modules.data modules.jsonl && "$PERFDATA" convert -q --to dir -o modules modules.data ||
    fail modules
mkdir modules/kcore_dir
printf 'ffffffff%s\n' '81000000 T _text' '81000100 T func' '81000200 T next' '9f000000 d data	[foo_mod]' \
    'c0001050 t foo_init	[foo_mod]' 'c0001200 t foo_go	[foo_mod]' 'c0004010 t baz	[bar_baz]' \
    'c0004100 t last	[bar_baz]' >modules/kcore_dir/kallsyms
expect 0 "$PERFDATA" symbols modules
is <<END
file	-	[kernel.kallsyms]
ffffffff81000120	20	func
file	-	[foo_mod]
60	10	foo_init
250	50	foo_go
file	-	[bar_baz]
18	8	baz
END
expect 0 "$PERFDATA" symbols -o modules.syms modules
expect 0 "$PERFDATA" export --to folded -s none --symbols modules.syms modules
printf '%s\n' '[guest.kernel.kallsyms]+0xffffffff81000120 1' 'func;baz;foo_go;foo_init 1' >want
sort out >got
same want got

# ---- Inlined functions.
samples_from() { # OFFSET: a recording of a sample at each of the 24 bytes of the file from there on
    local at
    for ((at = 0x$1; at < 0x$1 + 24; at++)); do
        printf '{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",
            "ip":"0x%x","pid":7,"tid":7,"time":"11","callchain":{"ips":[]}}}}\n' $((0x10000000 + at))
    done | unfold >more
    recording "$dir/whole" $id | cat - more | "$PERFDATA" encode -f -o more.data || fail encode
}
if "$PERFDATA" symbols --inline x.data >out 2>err; then
    samples_from $leaf
    expect 0 "$PERFDATA" symbols --inline more.data
    awk -F '\t' '$3 == "leaf" { line = $1; for (i = 3; i <= NF; i++) line = line " " $i
        print line }' out >got
    moved=$((0x$(address leaf) - 0x$leaf))
    for ((at = 0x$leaf; at < 0x$leaf + 24; at++)); do # the innermost first, each with its line
        addr2line -f -i -e whole "$(printf %x $((at + moved)))" |
            awk -v at="$(printf %x $at)" 'NR % 2 { all = " " $0 all } END { print at all }'
    done >want
    same want got
    [ "$(grep -c 'leaf mid deep' got)" -ge 3 ] || fail 'nothing is inlined'
    # Those of the copy in perf's cache, where the file itself has symbols alone.
    cp out want
    mkdir -p "home/.debug/.build-id/00/${id#00}"
    cp whole "home/.debug/.build-id/00/${id#00}/elf"
    strip -g whole
    expect 0 "$PERFDATA" symbols --inline more.data
    same want out
    mv "home/.debug/.build-id/00/${id#00}/elf" whole
    # Of more than 32 that are inlined in one another, the outermost are left out.
    mv whole kept
    for n in 32 33; do
        {
            echo '#define INLINED static inline __attribute__((always_inline)) int'
            echo 'INLINED i0(int x) { return x % 7 ? x * 3 : x - 1; }'
            for ((i = 1; i < n; i++)); do
                echo "INLINED i$i(int x) { return i$((i - 1))(x) + $i; }"
            done
            echo "__attribute__((noinline)) int leaf(int x) { return i$((n - 1))(x) ^ 5; }"
            echo 'int main(int argc, char **argv) { (void)argv; return leaf(argc); }'
        } >deep.c
        cc -O1 -g -Wl,--build-id=0x$id -o whole deep.c
        deep=$(offset_of "$(address leaf)")
        samples_from "$deep"
        expect 0 "$PERFDATA" symbols --inline more.data
        # The function, the outermost one that is left, and the innermost.
        awk -F '\t' -v most=0 'NF > most { most = NF; line = $3 " " $4 " " $NF " " NF - 3 }
            END { print line }' <(grep 'leaf' out) >got
        echo 'leaf i31 i0 32' >want
        same want got
    done
    mv kept whole
fi

# ---- Programs that are damaged.
cp whole intact
size=$(stat -c %s whole)
for ((n = 0; n < size; n += $(effort 997 97))); do
    head -c $n intact >whole
    expect 0 "$PERFDATA" symbols x.data
done
for ((n = 0; n < 64; n++)); do
    { head -c $n intact && printf '\xff\xff' && tail -c +$((n + 3)) intact; } >whole
    expect 0 "$PERFDATA" symbols x.data
done
rm whole
mkfifo whole
expect 0 "$PERFDATA" symbols x.data

# ---- Wrong usage.
expect 2 "$PERFDATA" symbols missing.data
expect 2 "$PERFDATA" symbols --root
expect 2 "$PERFDATA" symbols --root missing x.data
has err '--root: missing: No such file or directory'
expect 2 "$PERFDATA" symbols --root x.data x.data
has err '--root: x.data: Not a directory'
