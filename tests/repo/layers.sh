#!/usr/bin/env bash
# Who may use whom. Fails on an include that the table does not allow, in sources and public headers, on files
# that include each other in a loop, and on sources whose functions call each other in a loop (by the symbols
# of the objects). Says of itself that it can fail.
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
must_fail() { # what is said, each in a line
    if check "$copy" >"$copy/said" 2>&1; then
        echo "not found: $1" >&2
        exit 1
    fi
    local line
    for line in "$@"; do
        grep -qF -- "$line" "$copy/said" || { cat "$copy/said" >&2; echo "not said: $line" >&2; exit 1; }
    done
}
fresh() {
    rm -rf "${copy:?}"/*
    mkdir -p "$copy"
    for part in include src encode ops cli; do cp -r "$source/$part" "$copy"; done
}
fresh
sed -i '1a #include "ops/filter/filter.h"' "$copy/src/container/reader/reader.c"
must_fail 'src/container/reader/reader.c includes ops/filter/filter.h'
fresh
sed -i '1a #include "src/codec/parts.h"' "$copy/src/support/wire.h"
must_fail 'src/support/wire.h includes src/codec/parts.h'
fresh
for name in zstd.h boost/any.h unistd.h sys/mman.h dlfcn.h pthread.h; do
    sed -i "1a #include <$name>" "$copy/src/codec/decode.c"
done
sed -i '1a #include <ops/filter/filter.h>' "$copy/src/container/reader/reader.c"
sed -i '1a # include /* up */ "cli/lib/cli.h"' "$copy/ops/sort/sort.c"
sed -i '1a #include "cli/verbs/split.c"' "$copy/cli/verbs/sort.c"
must_fail "src/codec/decode.c includes "{zstd,boost/any,unistd,sys/mman,dlfcn,pthread}.h:" src/codec may" \
    'src/container/reader/reader.c includes ops/filter/filter.h' \
    'ops/sort/sort.c includes cli/lib/cli.h' \
    'cli/verbs/sort.c includes cli/verbs/split.c: no verb uses another'
fresh
touch "$copy/ops/sort/one.c"
for file in first second; do
    printf '#include "%s.h"\n' $([ $file = first ] && echo second || echo first) >"$copy/ops/sort/$file.h"
done
must_fail 'include each other: ops/sort/first.h ops/sort/second.h'

# Public headers: above, in a loop, of another tier, of the system, unknown.
include() { # FILE HEADER...
    for name in "${@:2}"; do sed -i "1a #include <$name>" "$copy/$1"; done
}
fresh
include src/support/keyed.c perfdata/reader.h
include src/codec/decode.c perfdata/reader.h perfdata/../perfdata/session/tasks.h
include src/session/visit.c perfdata/ops/filter.h perfdata/perfdata.h
include encode/codec/encode.c perfdata/writer.h
must_fail 'src/support/keyed.c includes include/perfdata/reader.h: src/support may not use src/container' \
    'src/codec/decode.c includes include/perfdata/reader.h: src/codec may not use src/container' \
    'src/codec/decode.c includes include/perfdata/session/tasks.h: src/codec may not use src/session' \
    'src/session/visit.c includes include/perfdata/ops/filter.h: src/session may not use ops/filter' \
    'src/session/visit.c includes include/perfdata/perfdata.h: src/session may not use cli' \
    'encode/codec/encode.c includes include/perfdata/writer.h: encode/codec may not use encode/container'
fresh
include include/perfdata/base.h perfdata/reader.h unistd.h stdio.h src/support/wire.h
include include/perfdata/reader.h perfdata/session/part.h
include include/perfdata/session/sorter.h perfdata/ops/sort.h
include include/perfdata/ops/convert.h perfdata/ops/merge.h
base=include/perfdata/base.h
must_fail "$base includes include/perfdata/reader.h: src/support may not use src/container" \
    "$base includes unistd.h: include/perfdata may not use it" \
    "$base includes stdio.h: include/perfdata may not use it" \
    "$base includes src/support/wire.h: include/perfdata may not use src/support"
part=include/perfdata/session/part.h
must_fail "include/perfdata/reader.h includes $part: include/perfdata may not use include/perfdata/session" \
    'session/sorter.h includes include/perfdata/ops/sort.h: include/perfdata/session may not use' \
    'include each other: include/perfdata/attr.h include/perfdata/base.h' \
    "include each other: include/perfdata/ops/convert.h include/perfdata/ops/merge.h"
fresh
include include/perfdata/ops/filter.h perfdata/ops/expression.h
include include/perfdata/ops/expression.h perfdata/ops/filter.h
must_fail 'include each other: include/perfdata/ops/expression.h include/perfdata/ops/filter.h'
fresh
touch "$copy/include/perfdata/ops/new.h"
rm "$copy/include/perfdata/ops/hash.h"
must_fail 'include/perfdata/ops/new.h is in no layer' \
    'include/perfdata/ops/hash.h is in the table, but not there'

# Each spelling of an include.
fresh
spellings=0 said=()
write_spelling() { # TEXT, as printf takes it
    spellings=$((spellings + 1))
    # shellcheck disable=SC2059 # it is a format
    printf "$1" >"$copy/src/codec/spelling_$spellings.c"
    said+=("src/codec/spelling_$spellings.c includes ${2:-unistd.h}: src/codec may not use it")
}
write_spelling '#include<unistd.h>\n'
write_spelling '\t # \t include\t<unistd.h> // why\n'
write_spelling '#include_next <unistd.h>\n'
write_spelling '#import "unistd.h"\n'
write_spelling '%%:include <unistd.h>\n'
write_spelling '#inc\\\nlude <unistd.h>\n'
write_spelling '/* one\n two */ # /* up */ include /* three */ <unistd.h>/* four\n */\n'
write_spelling '// no comment begins here: /*\n#include <unistd.h>\n/* */\n'
write_spelling 'static const char text[] = "/*";\n#include <unistd.h>\n/* */\n'
write_spelling '#define HEADER <unistd.h>\n#include HEADER\n' HEADER
printf '// #include <zstd.h>\n/*\n#include <zstd.h>\n*/\n' >"$copy/src/codec/comment.c"
must_fail "${said[@]}"
! grep -q zstd "$copy/said" || { echo "an include in a comment is none" >&2; exit 1; }

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
