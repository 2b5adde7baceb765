#!/usr/bin/env bash
# judges.sh - what perf2bolt, llvm-profgen and create_gcov make of `perfdata export` is what they make of the
# recording itself: of a program of a fixed address and one of any, and of a library that both use, also with
# interrupts; and what perf2bolt makes of a kernel.
# BOLT, PROFGEN, CREATE_GCOV, DUMP_GCOV: other names of these programs. Needs ptrace.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
perfdata=${PERFDATA:?the perfdata executable}
bolt=${BOLT:-perf2bolt-22} profgen=${PROFGEN:-llvm-profgen-22}
create_gcov=${CREATE_GCOV:-create_gcov} dump_gcov=${DUMP_GCOV:-dump_gcov}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
quiet() {
    "$@" >log 2>&1 || fail "$*: $(tail -n 5 log)"
}
same() { # WHAT LEAST: a and b, of at least so many lines
    [ "$(wc -l <a)" -ge "$2" ] || fail "$1: only $(wc -l <a) lines"
    cmp -s <(sort a) <(sort b) || fail "$1: $(diff <(sort a) <(sort b) | head -n 6)"
    echo "$1: $(wc -l <a) lines"
}

# autofdo 0.19 does not know DWARF 5.
gcc -O2 -o step "$here/step.c"
gcc -O2 -gdwarf-4 -fPIC -shared -Wl,--build-id -o liblibrary.so "$here/library.c"
gcc -O2 -gdwarf-4 -pie -fPIE -Wl,--build-id -o pie "$here/work.c" "$tmp/liblibrary.so"
gcc -O2 -gdwarf-4 -no-pie -fno-pie -Wl,--build-id -o fixed "$here/work.c" "$tmp/liblibrary.so"

export_of() { # FORMAT RECORDING... FILE: its profile, as the file `profile`
    rm -rf all
    quiet "$perfdata" export --to "$1" -o all --binary pie --binary fixed --binary liblibrary.so "${@:2:$#-2}"
    mv all/"$(awk -F '\t' -v file="$tmp/${!#}" '$4 == file { print $1 }' all/index)" profile
}

judge() { # RECORDING FILE: what each judge makes of it, and of the exports
    export_of bolt "$1" "$2"
    quiet "$bolt" -p "$1" -o a "$2"
    quiet "$bolt" -pa -p profile -o b "$2"
    same "perf2bolt $program $*" 10
    export_of profgen "$1" "$2"
    quiet "$profgen" --perfdata "$1" --binary "$2" --format=text --output a
    quiet "$profgen" --unsymbolized-profile profile --binary "$2" --format=text --output b
    same "llvm-profgen $program $*" 10
    export_of autofdo "$1" "$2"
    for profiler in perf text; do
        from=$1
        [ $profiler = perf ] || from=profile
        quiet "$create_gcov" --profile=$from --profiler=$profiler --binary="$2" --gcov=$profiler.gcov \
            -gcov_version=2
        "$dump_gcov" $profiler.gcov -gcov_version=2 >$profiler.txt
    done
    cp perf.txt a
    cp text.txt b
    same "create_gcov $program $*" 10
}

map_kernel() { # The text of a recording: with a mapping of the kernel
    head -n 2 "$1" | sed 's/exclude_kernel|//'
    echo '{"record":{"type":"MMAP","attr":0,"misc":"cpumode=KERNEL","mmap":{"pid":4294967295,"tid":0,' \
        '"addr":"0xffffffff81000000","len":"0x1000000","pgoff":"0xffffffff81000000",' \
        '"filename":"[kernel.kallsyms]_text"},"sample_id":{"time":"1","identifier":"71"}}}'
    tail -n +3 "$1"
}

# Interrupts, before the second and the ninth newest branch of each second sample: into the kernel and back.
interrupt() {
    local entry='\{"from":"(0x[0-9a-f]+)"[^}]*\}' kernel=0xffffffff81001230
    local both="&,{\"from\":\"$kernel\",\"to\":\"\\1\"},{\"from\":\"\\1\",\"to\":\"$kernel\"}"
    sed -E -e "0~2s/$entry/$both/9" -e "0~2s/$entry/$both/2"
}

for program in pie fixed; do
    ./step 97 "$tmp/$program" >text
    quiet "$perfdata" encode -f -o x.data text
    map_kernel text | interrupt >interrupted
    quiet "$perfdata" encode -f -o interrupted.data interrupted
    grep -q ffffffff81001230 interrupted || fail 'no interrupt'
    for file in $program liblibrary.so; do
        judge x.data $file
        judge interrupted.data $file
    done

    # The exports of pieces add up to that of the whole.
    rm -rf pieces
    mkdir pieces
    quiet "$perfdata" split --chunks 3 -o pieces/%d x.data
    for format in bolt profgen; do
        export_of $format x.data $program
        cp profile whole
        : >sum
        for piece in pieces/*; do
            export_of $format "$piece" $program
            cat profile >>sum
        done
        for profile in whole sum; do
            case $format in
            bolt) quiet "$bolt" -pa -p $profile -o $profile.out $program ;;
            profgen)
                quiet "$profgen" --unsymbolized-profile $profile --binary $program --format=text \
                    --output $profile.out
                ;;
            esac
        done
        cp whole.out a
        cp sum.out b
        same "$format of pieces of $program" 10
    done

    # create_gcov reads one profile: that of all pieces together is that of the whole.
    export_of autofdo x.data $program
    cp profile a
    export_of autofdo pieces/* $program
    cp profile b
    same "autofdo of pieces of $program" 10
done

# A kernel: the program, moved to where kernels are.
link() { # ADDRESS FILE
    gcc -O2 -static -nostdlib -no-pie -fno-pie -mcmodel=kernel -fno-asynchronous-unwind-tables \
        -Wl,--build-id -Wl,--emit-relocs -Wl,-Ttext-segment=$1 -o "$2" "$here/kernel.c"
}
link 0x41000000 below
link 0xffffffff81000000 vmlinux
./step 97 "$tmp/below" | sed -E -e 's/0x41([0-9a-f]{6})\b/0xffffffff81\1/g' -e 's/USER/KERNEL/' \
    -e '/"MMAP2"/d' >stepped
map_kernel stepped >text
quiet "$perfdata" encode -f -o x.data text
rm -rf all
quiet "$perfdata" export --to bolt --kernel -o all x.data
quiet "$bolt" -p x.data -o a vmlinux
quiet "$bolt" -pa -p all/*.bolt -o b vmlinux
same 'perf2bolt vmlinux' 10
