#!/usr/bin/env bash
# fuzz/build.sh [KIND [HARNESS...]] - builds the harnesses, or those named, with their seeds and dictionaries
# into $OUT. Kinds:
#
#     asan    libFuzzer with AddressSanitizer and UBSan (the default), without tracing comparisons
#     plain   libFuzzer with the assertions alone, without tracing comparisons
#     cmp     libFuzzer with the assertions alone, and comparisons traced
#     msan    libFuzzer with MemorySanitizer
#     i386    as asan, for 32 bits (packages libzstd-dev:i386 and the like, lib32stdc++-12-dev)
#     afl     AFL++; fuzz/run calls afl-fuzz
#     s390x, armhf   for these machines, to be run under QEMU, which replay files and change them blindly
#                    (campaign/driver.c); .ci/cross installs what it takes
#
# It is OSS-Fuzz's way, too, whose environment wins: CC, CFLAGS, LIB_FUZZING_ENGINE, SRC (the directory of the
# sources' copy), WORK, OUT (build/fuzzers/KIND).
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-asan}
[ $# -le 1 ] || shift
[ "${1-$kind}" != "$kind" ] || set -- fuzz/fuzz_*.c
set -- "${@##*fuzz_}"
set -- "${@%.c}"
out=${OUT:-$PWD/build/fuzzers/$kind} work=${WORK:-${OUT:-$PWD/build/fuzzers/$kind}/work}
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
compiler=clang options=()
case $kind in
asan) flags="-O2 -g -fno-omit-frame-pointer -fno-sanitize-coverage=trace-cmp $sanitizers" ;;
plain) flags="-O2 -g -fno-sanitize-coverage=trace-cmp" ;;
cmp) flags="-O2 -g" ;;
msan) flags="-O1 -g -fno-omit-frame-pointer -fsanitize=memory -fno-sanitize-recover=all" ;;
i386)
    # a ring's positions are aligned, as its page is
    flags="-m32 -O1 -g -fno-omit-frame-pointer -Wno-atomic-alignment $sanitizers"
    # clang looks for libFuzzer's C++ library beside a cross compiler
    LDFLAGS=-L$(dirname "$(gcc -m32 -print-file-name=libstdc++.a)")
    export LDFLAGS PKG_CONFIG_LIBDIR=/usr/lib/i386-linux-gnu/pkgconfig:/usr/share/pkgconfig
    ;;
afl) compiler=afl-clang-fast flags=-O2 ;;
s390x) triplet=s390x-linux-gnu ;;
armhf) triplet=arm-linux-gnueabihf ;;
*) sed -n '2,15s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
if [ -n "${triplet-}" ]; then
    options=(--toolchain cmake/cross.cmake "-DCROSS_TRIPLET=$triplet")
    flags="-O2 -g" compiler=$triplet-gcc
fi
CC=${CC:-$compiler} CFLAGS=${CFLAGS-$flags} cmake -S . -B "$work" -G Ninja "${options[@]}" \
    -DPERFDATA_FUZZ=ON -DPERFDATA_FUZZ_ENGINE="${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}" \
    -DPERFDATA_BUILD_TESTS=OFF \
    -DCMAKE_BUILD_TYPE=None -DPERFDATA_WERROR="${PERFDATA_WERROR:-OFF}"
cmake --build "$work" --target "${@/#/fuzz_}"
mkdir -p "$out"
for harness; do
    name=fuzz_$harness
    cp "$work/fuzz/$name" "$out/"
    seeds=()
    for directory in fuzz/{seeds,regressions}/"${name#fuzz_}"; do
        [ ! -d "$directory" ] || seeds+=("$directory")
    done
    # an archive of files whose names do not collide, as OSS-Fuzz wants it
    rm -f "$out/${name}_seed_corpus.zip"
    python3 -c 'import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as z:
    for d in sys.argv[2:]:
        for f in sorted(os.listdir(d)):
            z.write(os.path.join(d, f), os.path.basename(os.path.dirname(d)) + "-" + f)' \
        "$out/${name}_seed_corpus.zip" "${seeds[@]}"
    case $name in
    fuzz_text) cp fuzz/text.dict "$out/$name.dict" ;;
    *) cp fuzz/binary.dict "$out/$name.dict" ;;
    esac
done
