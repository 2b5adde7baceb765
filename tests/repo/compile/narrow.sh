#!/usr/bin/env bash
# The sources compile for a machine of 32 bits, without warnings: no type of 128 bits, no size in 64. Clang
# parses them with the headers of this machine; .ci/cross builds for others and runs the tests there.
set -euo pipefail
cd "$PERFDATA_SOURCE"
skip() {
    echo "skipped: $*"
    exit 77
}
git rev-parse >/dev/null 2>&1 || skip "not a checkout"
! grep -qs -e '^CMAKE_C_FLAGS:.*-fsanitize' "$PERFDATA_BUILD/CMakeCache.txt" ||
    skip "it is the same whatever the flags"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/gnu"
: >"$work/gnu/stubs-32.h" # a list of functions that glibc lacks, in a package of its own
# As i386, which aligns 64-bit numbers to 4 bytes
parse=(clang -m32 -std=gnu11 -D_FILE_OFFSET_BITS=64 -fsyntax-only -Wall -Wextra -Wconversion
    -Werror -Wno-ignored-attributes -isystem "$work" -isystem "/usr/include/$(gcc -print-multiarch)"
    -Iinclude -I. -Itests/support)
echo '#include <stdio.h>' >"$work/test.c"
"${parse[@]}" "$work/test.c" 2>/dev/null || skip "clang has no headers for it"
git ls-files 'src/*.c' 'encode/*.c' 'ops/*.c' 'cli/*.c' 'tests/unit/*.c' 'tests/property/*.c' \
    'tests/golden/*.c' 'tests/support/*.c' 'examples/*.c' 'fuzz/*.c' |
    while read -r file; do [ ! -f "$file" ] || echo "$file"; done | xargs -n 8 -P 2 "${parse[@]}"
echo 'unsigned __int128 wide;' >"$work/test.c"
! "${parse[@]}" "$work/test.c" 2>/dev/null || { echo "FAILED: a type of 128 bits is not noticed"; exit 1; }
