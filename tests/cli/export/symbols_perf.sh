#!/usr/bin/env bash
# perfdata symbols against perf script 6.1: the function of each frame and the offset in it, of new recordings
# of programs in C and C++, and shares of functions against perf report: as they were linked, static, at
# a fixed address, stripped, and with their symbols
# in another file, by its link or by the build id, or in perf's cache; several names for one address; of
# node's, which compiles while it runs; and of the kernel.
. "$(dirname "$0")/../frame_lib.sh"
command -v perf >/dev/null || skip 'perf is not installed'
command -v python3 >/dev/null || skip 'python3 is not installed'
command -v c++ >/dev/null || skip 'no compiler is installed'
frames=$(dirname "$0")/symbols_frames.py
case $frames in /*) ;; *) fail 'run me by an absolute path' ;; esac
export HOME=$dir/home # of perf's cache
mkdir home

cat >c.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static int __attribute__((noinline)) compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static unsigned __attribute__((noinline)) mix(unsigned x)
{
    for (int i = 0; i < 300; i++)
        x = x * 31 + (unsigned)i;
    return x;
}
int main(void)
{
    static int v[100000];
    unsigned sum = 0;
    char text[64];
    for (int r = 0; r < 4; r++) {
        for (int i = 0; i < 100000; i++)
            v[i] = rand();
        qsort(v, 100000, sizeof *v, compare);
        for (int i = 0; i < 20000; i++)
            sum += mix(i) + (unsigned)snprintf(text, 64, "%d %d", i, r);
    }
    printf("%u %d\n", sum, WHICH);
}
END
cat >cc.cc <<'END'
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
namespace work {
template <class T> struct box {
    T value;
    __attribute__((noinline)) void spin(int n) { for (int i = 0; i < n; i++) value = value * 3 + i; }
};
__attribute__((noinline)) int sort_them(std::vector<int> &v)
{
    std::sort(v.begin(), v.end(), [](int a, int b) { return (a ^ 0x55) < (b ^ 0x55); });
    return v[0];
}
}
int main()
{
    work::box<unsigned long> b{WHICH};
    std::vector<int> v(20000);
    unsigned sum = 0;
    for (int r = 0; r < 60; r++) {
        for (auto &e : v) e = rand();
        sum += work::sort_them(v);
        b.spin(300000);
    }
    std::string t;
    for (int i = 0; i < 30000; i++) t += std::to_string(i);
    printf("%u %lu %zu\n", sum, b.value, t.size());
}
END

agrees() { # PROGRAM LEAST: so many frames have functions in it, as perf says
    record "$1.data" -g -e cpu-clock -F 999 -- "./$1"
    expect 0 "$PERFDATA" symbols -f -o "$1.syms" "$1.data"
    python3 "$frames" "$1.data" "$1.syms" >got || fail "$1: perf script"
    # Entries of linkage tables: perf has some without a name, and none of stripped programs.
    sed 1d got | grep -vE 'perf @plt\+|perf \[unknown\], perfdata .*@plt' >differ || true
    [ ! -s differ ] || fail "$1: $(head -n 3 differ)"
    # Shares of functions; what has no name, perf lists by address, and entries of linkage tables partly as
    # _init (symbols_frames.py says why), in which no program is for long.
    perf report -i "$1.data" --no-children -s dso,sym --stdio -g none 2>/dev/null |
        sed -nE 's/ +\[[.k]\] / /; s/^ +([0-9.]+%) +/\1 /p' | sed -E 's/ +/ /g; s/ $//' |
        grep -v ' 0x' | grep -vE '@plt$| _init$' | sort >want
    "$PERFDATA" report -s dso,sym --symbols "$1.syms" "$1.data" 2>err |
        sed -nE 's/^ +([0-9.]+%) +[0-9]+ +/\1 /p' | sed -E 's/ +/ /g' |
        grep -vE '\[unknown\]$|@plt$| _init$' | sort >got
    cmp -s want got || fail "$1: $(diff want got | head -n 4)"
    [ "$(grep -c . "$1.syms")" -ge "$2" ] || fail "$1: $(head -n 1 got)"
}

# Every place of a program's code, linkage tables among it, in which samples fall by chance only.
agrees_everywhere() { # PROGRAM ENTRY...: functions that it has in such a table
    python3 "$frames" --walk "$PWD/$1" walk.data
    expect 0 "$PERFDATA" symbols -f -o walk.syms walk.data
    python3 "$frames" walk.data walk.syms >got || fail "$1: perf script of every place"
    [[ $(head -n 1 got) =~ ^([0-9]+)\ agree\ 0\ differ$ ]] && [ "${BASH_REMATCH[1]}" -gt 100 ] ||
        fail "$1: every place: $(head -n 3 got)"
    for entry in "${@:2}"; do
        grep -q "	c	$entry@plt$" walk.syms || fail "$1: no entry of $entry"
    done
}

cc -O1 -g -fno-omit-frame-pointer -DWHICH=1 -o plain c.c
agrees plain 10
agrees_everywhere plain qsort printf snprintf rand
grep -q 'mix$' plain.syms || fail 'a static function'
cc -O1 -no-pie -fno-omit-frame-pointer -DWHICH=2 -o fixed c.c
agrees fixed 10
agrees_everywhere fixed qsort printf snprintf rand
cc -O1 -static -fno-omit-frame-pointer -DWHICH=3 -o static c.c
agrees static 10
cc -O1 -fno-omit-frame-pointer -DWHICH=4 -o stripped c.c
strip stripped
agrees stripped 3
! grep -q 'mix$' stripped.syms || fail 'a static function of a stripped program'
cc -O1 -g -fno-omit-frame-pointer -DWHICH=5 -o linked c.c
objcopy --only-keep-debug linked linked.debug
strip linked
objcopy --add-gnu-debuglink=linked.debug linked
agrees linked 10
grep -q 'mix$' linked.syms || fail 'symbols of another file'
c++ -O2 -fno-omit-frame-pointer -DWHICH=6 -o cplus cc.cc
record cplus.data -g -e cpu-clock -F 999 -- ./cplus
"$PERFDATA" symbols cplus.data >names 2>err || fail symbols
# A build without libiberty leaves names as they are.
grep -q "$(printf '\t')_Z" names ||
    agrees cplus 10

# The separate file by its build id, below a root; perf sees the program as it was.
cc -O1 -g -fno-omit-frame-pointer -Wl,--build-id -DWHICH=7 -o apart c.c
record apart.data -g -e cpu-clock -F 999 -- ./apart
id=$(readelf -n apart | sed -n 's/.*Build ID: //p')
mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}"
objcopy --only-keep-debug apart "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
cp apart whole
strip apart
rm -rf home/.debug
expect 0 "$PERFDATA" symbols --root root -o apart.syms apart.data
mv whole apart
python3 "$frames" apart.data apart.syms >got
sed 1d got | grep -vE 'perf @plt\+|perf \[unknown\], perfdata .*@plt' >differ || true
[ ! -s differ ] || fail "apart: $(head -n 3 differ)"
grep -q 'mix$' apart.syms || fail 'symbols by a build id'

# Stripped after it ran: perf's cache has it whole.
cc -O1 -g -fno-omit-frame-pointer -Wl,--build-id -DWHICH=8 -o late c.c
record late.data -g -e cpu-clock -F 999 -- ./late
strip -o less late
mv less late
expect 0 "$PERFDATA" symbols -o late.syms late.data
python3 "$frames" late.data late.syms >got
sed 1d got | grep -vE 'perf @plt\+|perf \[unknown\], perfdata .*@plt' >differ || true
[ ! -s differ ] || fail "late: $(head -n 3 differ)"
grep -q 'mix$' late.syms || fail 'symbols of a copy'

# Several names for an address, none with a size: which comes last in a table, which is longest.
{
    echo .text
    for at in a b c d e f; do
        names=()
        for n in {1..6}; do names+=("$at${n}_$(printf '%.*s' $n xxxxxx)"); done
        for name in "${names[@]}"; do printf '.globl %s\n.type %s,%%function\n' "$name" "$name"; done
        printf '%s:\n' "${names[@]}" && echo '.fill 128, 1, 0'
    done
    printf '.globl last\n.type last,%%function\nlast: .fill 16, 1, 0\n.size last, .-last\n'
    echo '.section .note.GNU-stack,"",%progbits'
} >alias.s
cc -shared -nostdlib -Wl,--build-id -o alias.so alias.s
agrees_everywhere alias.so
strip alias.so
agrees_everywhere alias.so

# Names of the kernel: some by hand, also of another boot with the kernel elsewhere; then those of this one.
agrees_kernel() { # RECORDED LEAST KALLSYMS: so many frames at addresses of RECORDED
    python3 "$frames" --walk-kernel "$1" kernel.data
    rm -rf kernel.dir
    "$PERFDATA" convert -q --to dir -o kernel.dir kernel.data || fail convert
    mkdir kernel.dir/kcore_dir
    cp "$3" kernel.dir/kcore_dir/kallsyms
    expect 0 "$PERFDATA" symbols -f -o kernel.syms kernel.dir
    python3 "$frames" kernel.data kernel.syms --kallsyms "$3" >got || fail "$1: perf script"
    [[ $(head -n 1 got) =~ ^([0-9]+)\ agree\ 0\ differ$ ]] && [ "${BASH_REMATCH[1]}" -ge "$2" ] ||
        fail "$1, $3: $(head -n 3 got)"
}
printf 'ffffffff8100%s\n' '0000 T _text' '0000 T _stext' '0100 t first_local' '0100 T global' '0100 w w' \
    '0200 T global2' '0200 W weak' '0300 t text' '0300 D data' '0400 t text2' '0400 R constant' '0500 t x' \
    '0500 t xx' '0580 b bss' '0600 t y' '0600 t $x' '0700 t __last' '0700 t last' '9000 t far' \
    '9000 T far_alias' >hand
agrees_kernel hand 30 hand
sed 's/^ffffffff81/ffffffffa2/' hand >elsewhere
agrees_kernel hand 30 elsewhere
agrees_kernel elsewhere 30 hand
if grep -q '^f.* T _text$' /proc/kallsyms; then
    cat /proc/kallsyms >live
    agrees_kernel live 30 live
fi

# What node compiles: its map in /tmp, and the images that perf makes of its dump.
command -v node >/dev/null || exit 0
cat >work.js <<'END'
function mix(x) { for (let i = 0; i < 2000; i++) x = (x * 31 + i) | 0; return x }
function outer(n) { let sum = 0; for (let i = 0; i < n; i++) sum += mix(i); return sum }
const start = Date.now(); let total = 0
while (Date.now() - start < 1000) total += outer(500)
END
compiled() { # RECORDING
    expect 0 "$PERFDATA" symbols -o "$1.syms" "$1"
    python3 "$frames" "$1" "$1.syms" >got || fail "$1: perf script"
    # Where a label lies inside of a function, perf takes the one or the other.
    local alike='perf @plt\+|perf \[unknown\], perfdata .*@plt|/node\+0x.* perf construct_'
    sed 1d got | grep -vE "$alike" >differ || true
    [ ! -s differ ] || fail "$1: $(head -n 3 differ)"
    grep -q 'mix .*work\.js' "$1.syms" || fail "$1: no function of JavaScript"
}
record map.data -g -e cpu-clock -F 999 -- node --perf-basic-prof work.js
maps=$(perf script -F pid -i map.data 2>/dev/null | sort -u | sed 's|^ *|/tmp/perf-|; s|$|.map|')
compiled map.data
# shellcheck disable=SC2086
rm -f $maps
full || exit 0
record dump.data -k mono -g -e cpu-clock -F 999 -- node --perf-prof work.js
perf inject --jit -i dump.data -o images.data >log 2>&1 || fail "perf inject: $(tail -n 1 log)"
compiled images.data
grep -q 'jitted-.*\.so' images.data.syms || fail 'no images'
