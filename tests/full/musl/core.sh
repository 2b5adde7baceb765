#!/usr/bin/env bash
# core.sh - the core with musl: builds it with musl-gcc and -Werror, and runs its tests, linked statically
# with Debian's libzstd and libxxhash, and with as much of cmocka as cmocka.h has. Tests that need more than
# the core do not link: it names them. Needs musl-tools.
set -euo pipefail
cd "$(dirname "$0")/../../.."
here=tests/full/musl build=build/musl libraries=/usr/lib/$(gcc -print-multiarch)
headers=(-idirafter /usr/include -idirafter "/usr/include/$(gcc -print-multiarch)")
cmake -S . -B $build -G Ninja -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_BUILD_TYPE=Release -DPERFDATA_WERROR=ON \
    -DPERFDATA_OPS=OFF -DPERFDATA_TEXT=OFF -DPERFDATA_REDACT=OFF -DPERFDATA_CLI=OFF \
    -DPERFDATA_BUILD_TESTS=OFF "-DCMAKE_C_FLAGS=${headers[*]}"
cmake --build $build
mkdir -p $build/tests/support
compile() { # SOURCE FOLDER
    musl-gcc -std=gnu11 -O1 -D_FILE_OFFSET_BITS=64 -I$here -Itests/support -Iinclude -I. -I$build \
        "${headers[@]}" -c -o "$2/$(basename "$1" .c).o" "$1"
}
export PERFDATA_SOURCE=$PWD PERFDATA_BUILD=$PWD/$build
for source in tests/support/*.c $here/glibc.c ops/gen/random_values.c; do
    compile "$source" $build/tests/support
done
passed=0 more=() status=0
for source in $(find tests/golden tests/unit -name '*.c' -not -path '*/ops/*' | sort); do
    name=$(basename "$source" .c)
    test=$build/tests/test_$name
    compile "$source" $build/tests
    if ! musl-gcc -static -o "$test" "$build/tests/$name.o" $build/tests/support/*.o $build/libperfdata.a \
        "$libraries"/lib{zstd,xxhash}.a 2>"$test.log"; then
        grep -q 'undefined reference' "$test.log" || { cat "$test.log"; exit 1; }
        more+=("$name")
    elif timeout 300 "$test" >"$test.log" 2>&1; then
        passed=$((passed + 1))
    else
        echo "FAILED: $name: $(tail -n 3 "$test.log")"
        status=1
    fi
done
echo "musl: $passed tests pass; these need more than the core: ${more[*]}"
[ $passed -ge 45 ] || { echo "FAILED: only $passed tests of the core"; exit 1; }
exit $status
