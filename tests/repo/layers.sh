#!/usr/bin/env bash
# Who may use whom. Fails on an include that the table does not allow, on files that include each other in a
# loop, and on sources whose functions call each other in a loop (by the symbols of the objects). Says of
# itself that it can fail.
#   layers.sh [TREE [BUILD]]     TREE: the sources, by default this project's; BUILD: with the objects of TREE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=${PERFDATA_SOURCE:-$here/../..}
build=${PERFDATA_BUILD:-}

check() { python3 "$here/layers.py" "$@"; }

if [ $# -gt 0 ]; then
    check "$@"
    exit
fi
check "$source" ${build:+"$build"}

# What it must find.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
must_fail() { # what is said
    if check "$copy" >"$copy/said" 2>&1; then
        echo "not found: $1" >&2
        exit 1
    fi
    grep -qF -- "$1" "$copy/said" || { cat "$copy/said" >&2; echo "not said: $1" >&2; exit 1; }
}
fresh() {
    rm -rf "${copy:?}"/*
    mkdir -p "$copy"
    for part in src encode ops cli; do cp -r "$source/$part" "$copy"; done
}
fresh
sed -i '1a #include "ops/filter/filter.h"' "$copy/src/container/reader/reader.c"
must_fail 'src/container/reader/reader.c includes ops/filter/filter.h'
fresh
sed -i '1a #include "src/codec/parts.h"' "$copy/src/support/wire.h"
must_fail 'src/support/wire.h includes src/codec/parts.h'
fresh
for name in perfdata/ops/filter.h perfdata/reader.h zstd.h boost/any.h; do
    sed -i "1a #include <$name>" "$copy/src/codec/decode.c"
done
sed -i '1a #include <ops/filter/filter.h>' "$copy/src/container/reader/reader.c"
sed -i '1a # include /* up */ "cli/lib/cli.h"' "$copy/ops/sort/sort.c"
sed -i '1a #include "cli/verbs/split.c"' "$copy/cli/verbs/sort.c"
for name in perfdata/ops/filter.h perfdata/reader.h zstd.h boost/any.h; do
    must_fail "src/codec/decode.c includes $name: src/codec may not use it"
done
must_fail 'src/container/reader/reader.c includes ops/filter/filter.h'
must_fail 'ops/sort/sort.c includes cli/lib/cli.h'
must_fail 'cli/verbs/sort.c includes cli/verbs/split.c: no verb uses another'
fresh
touch "$copy/ops/sort/one.c"
for file in first second; do
    printf '#include "%s.h"\n' $([ $file = first ] && echo second || echo first) >"$copy/ops/sort/$file.h"
done
must_fail 'include each other: ops/sort/first.h ops/sort/second.h'
fresh
mkdir "$copy/src/attic"
touch "$copy/src/attic/file.c"
must_fail 'src/attic is in no layer'
# Objects that call each other.
fresh
objects=$copy/objects/CMakeFiles/perfdata_lib.dir/ops/sort
mkdir -p "$objects"
printf 'void pi_two(void); void pi_one(void); void pi_one(void) { pi_two(); }\n' >"$copy/one.c"
printf 'void pi_one(void); void pi_two(void); void pi_two(void) { pi_one(); }\n' >"$copy/two.c"
for file in one two; do
    touch "$copy/ops/sort/$file.c"
    ${CC:-cc} -c -o "$objects/$file.c.o" "$copy/$file.c"
done
check() { python3 "$here/layers.py" "$1" "$copy/objects"; }
must_fail 'call each other: ops/sort/one.c ops/sort/two.c'
echo "the layers hold"
