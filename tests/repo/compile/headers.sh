#!/usr/bin/env bash
# headers.sh - each public header compiles by itself, as C11 and as C++17, without a warning; the stable ones
# include no experimental ones; constants are plain numbers; the library has all functions that they declare;
# and no name that it exports begins otherwise than with pd_ or pi_.
set -euo pipefail
cd "$PERFDATA_SOURCE"
failed=0
trap 'rm -rf "$scratch"' EXIT
scratch=$(mktemp -d)

complain() {
    printf '%s\n' "$*" >&2
    failed=1
}

compile() { # language, standard, compiler, header
    local warnings=(-Wall -Wextra -Wpedantic -Werror -Wshadow -Wundef)
    printf '#include <%s>\n#include <%s>\n' "$4" "$4" >"$scratch/one.$1" # twice: the guards work
    "$3" -x "$1" -std="$2" "${warnings[@]}" -Iinclude -fsyntax-only "$scratch/one.$1" ||
        complain "$4 as $2 with $3"
}

headers=$(cd include && find perfdata -name '*.h' | sort)
[ -n "$headers" ] || complain "no headers found"
experimental=$(grep -lE '#include <perfdata/(session|ops)/' include/perfdata/*.h) || true
[ -z "$experimental" ] || complain "stable headers include experimental ones: $experimental"
experimental=$(grep -l '#include <perfdata/ops/' include/perfdata/session/*.h) || true
[ -z "$experimental" ] || complain "headers of libperfdata include those of libperfdata-ops: $experimental"
# What makes bindings for other languages does not see what macros of the C library expand to.
hidden=$(grep -nE '^#define PD_\w+ .*(U?INT(8|16|32|64|MAX|PTR)_(C|MAX)|\(u?int)' -r include) || true
[ -z "$hidden" ] || complain "constants that are no plain numbers: $hidden"
cc=0 cxx=0
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    cc=1
    for header in $headers; do
        compile c c11 "$compiler" "$header"
    done
done
for compiler in g++ clang++; do
    # clang++ may be there without a C++ library
    printf '#include <cstdint>\n' | "$compiler" -x c++ -fsyntax-only - 2>/dev/null || continue
    cxx=1
    for header in $headers; do
        compile c++ c++17 "$compiler" "$header"
    done
done
[ "$cc" = 1 ] || complain "no C compiler"
[ "$cxx" = 1 ] || echo "no C++ compiler: headers were not compiled as C++"

for name in libperfdata libperfdata-ops; do
    library=$PERFDATA_BUILD/$name.so dynamic=-D
    [ -e "$library" ] || library=$PERFDATA_BUILD/$name.a dynamic=
    [ -e "$library" ] || complain "no $name in $PERFDATA_BUILD"
    nm $dynamic -g --defined-only "$library" 2>/dev/null |
        awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }'
done | sort -u >"$scratch/defined"
# Sanitizers and coverage add names of their own.
allowed='^(p[di]_|__(asan|odr_asan|msan|sanitizer|ubsan|sancov|gcov|llvm|start_|stop_)|_init$|_fini$)'
others=$(grep -Ev "$allowed" "$scratch/defined" || true)
[ -z "$others" ] || complain "exported without pd_ or pi_: $others"
# shellcheck disable=SC2086 # words
(cd include && ../tests/repo/declared functions $headers) | sort -u >"$scratch/declared"
[ "$(wc -l <"$scratch/declared")" -gt 50 ] || complain "only $(wc -l <"$scratch/declared") declarations found"
missing=$(comm -23 "$scratch/declared" "$scratch/defined")
[ -z "$missing" ] || complain "declared but not in the library: $missing"
exit "$failed"
