#!/usr/bin/env bash
# fuzz/build.sh - builds the harnesses, their seeds and dictionaries into $OUT in the way of OSS-Fuzz, whose
# environment it takes: CC, CFLAGS, LIB_FUZZING_ENGINE, SRC (the directory of the sources' copy), WORK, OUT.
# All have defaults: libFuzzer with AddressSanitizer and UBSan, into build/fuzzers. With AFL++:
#
#     CC=afl-clang-fast CFLAGS=-O2 fuzz/build.sh && afl-fuzz -i fuzz/seeds/file -o findings
#     build/fuzzers/fuzz_file
set -euo pipefail
cd "$(dirname "$0")/.."
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
out=${OUT:-$PWD/build/fuzzers} work=${WORK:-$PWD/build/fuzzers/work}
CC=${CC:-clang} CFLAGS=${CFLAGS--O1 -g -fno-omit-frame-pointer $sanitizers} cmake -S . -B "$work" -G Ninja \
    -DPERFDATA_FUZZ=ON -DPERFDATA_FUZZ_ENGINE="${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}" \
    -DPERFDATA_BUILD_TESTS=OFF \
    -DCMAKE_BUILD_TYPE=None -DPERFDATA_WERROR="${PERFDATA_WERROR:-OFF}"
cmake --build "$work" --target fuzzers
mkdir -p "$out"
for harness in fuzz/fuzz_*.c; do
    name=$(basename "$harness" .c)
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
