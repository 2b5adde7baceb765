#!/usr/bin/env bash
# docs/API.md lists each function that a public header declares, by tier and header, inline ones, too. The
# stable core, perfdata/*.h, has no more than 75 functions that were written by hand, inline ones included;
# each declaration of the others, in perfdata/session/ and perfdata/ops/, is marked PD_EXPERIMENTAL. The maps
# of symbols name the exported ones and no others, and so do shared libraries. All lists are made from the
# headers:
#   tests/repo/api_doc.sh --write
set -euo pipefail
cd "${PERFDATA_SOURCE:-$(dirname "$0")/../..}"
doc=docs/API.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
most=75
# As one reads them; the others in the order of their names.
first="version base error names constants records visitor attr codec feature reader writer"
failed=0
complain() {
    printf '%s\n' "$*" >&2
    failed=1
}

declared() { tests/repo/declared functions "$@"; }

# Accessors of lists follow from the schema, and are told in a line.
list_functions() { # header
    local names generated
    names=$(declared "$1")
    generated=$(grep -cE '_(at|next)$' <<<"$names" || true)
    if [ "$(basename "$1")" = records.h ]; then
        printf '%s accessors of list elements, `pd_LAYOUT_at()` and `pd_LAYOUT_next()`, ' "$generated"
        echo 'generated from the schema.'
        names=$(grep -vE '_(at|next)$' <<<"$names" || true)
    fi
    [ -z "$names" ] || sed 's/.*/- `&()`/' <<<"$names"
    tests/repo/declared inline "$1" | sed 's/.*/- `&()`, inline/'
}

count_functions() { # headers
    declared "${@/*\/records.h/\/dev\/null}" | wc -l
}

list_tier() { # title, headers
    local title=$1 header text inline
    shift
    inline=$(tests/repo/declared inline "$@" | wc -l)
    printf '## %s: %s functions' "$title" "$(count_functions "$@")"
    [ "$inline" = 0 ] || printf ', and %s inline ones' "$inline"
    echo
    for header in "$@"; do
        text=$(list_functions "$header")
        printf '\n### `%s`\n\n%s\n' "${header#include/}" "${text:-No functions.}"
    done
}

stable=()
for name in $first; do stable+=("include/perfdata/$name.h"); done
for header in include/perfdata/*.h; do
    [[ " ${stable[*]} include/perfdata/perfdata.h " == *" $header "* ]] ||
        complain "$header: is it stable? $0 has the list"
done
{
    sed '/^<!-- functions: begin -->$/q' $doc
    list_tier "Stable core" "${stable[@]}"
    echo
    list_tier "Experimental, libperfdata" include/perfdata/session/*.h
    echo
    list_tier "Experimental, libperfdata-ops" include/perfdata/ops/*.h
    sed -n '/^<!-- functions: end -->$/,$p' $doc
} >"$scratch/API.md"

if [ "${1-}" = --write ]; then
    cp "$scratch/API.md" $doc
    exec python3 tests/repo/symbols.py --write
fi
diff -u $doc "$scratch/API.md" || complain "$doc is out of date: tests/repo/api_doc.sh --write"

# ---- What the text names is there
for name in $(grep -oE '\bpd_[a-z0-9_]+\(\)' $doc | tr -d '()' | sort -u); do
    grep -qr "[ *]$name(" include || complain "$doc names $name(), which is not there"
done
for name in $(grep -oE '\bpd_set_[a-z_]+`' $doc | tr -d '\`' | sort -u); do
    grep -q "\b$name\b" include/perfdata/constants.h || complain "$doc names $name, which is not there"
done

# ---- perfdata.h names each header, and no other
listed=$(sed -n '/^#ifndef/q; s/^ \*   \([a-z_]*\.h\) .*/\1/p' include/perfdata/perfdata.h | sort)
diff <(find include/perfdata -name '*.h' ! -name perfdata.h -printf '%f\n' | sort) - <<<"$listed" ||
    complain 'the list at the head of perfdata.h is not that of the headers'

# ---- Which structs can grow: each is told of once, but those that start with their size
grow=$(sed -n '/^## What can grow/,/^## Stable core/p' $doc)
for name in $(sed -n '/^struct pd_[a-z0-9_]* {$/{N;/\n *size_t size;/!s/^struct \(pd_[a-z0-9_]*\) .*/\1/p}' \
    include/perfdata/{,session/,ops/}*.h | grep -v '^struct' | sort -u); do
    grep -q "^struct $name {" include/perfdata/records.h && continue
    told=$(grep -o "\`$name\`" <<<"$grow" | wc -l || true)
    [ "$told" = 1 ] || complain "$doc does not say once whether $name can grow, but $told times"
done

# ---- The tiers
n=$(($(count_functions "${stable[@]}") + $(tests/repo/declared inline "${stable[@]}" | wc -l)))
[ "$n" -le $most ] || complain "the stable core has $n functions, more than $most"
[ "$n" -ge 50 ] || complain "only $n functions found in the stable core"
marked() { # PD_API or PD_EXPERIMENTAL in these headers, elsewhere than where they are defined
    grep -nE "^[^#]*\\b$1 [a-z]" "${@:2}" | grep -v 'base.h:[0-9]*: \*' || true
}
wrong=$(marked PD_EXPERIMENTAL "${stable[@]}" &&
    marked PD_API include/perfdata/session/*.h include/perfdata/ops/*.h)
[ -z "$wrong" ] || complain "marked for the other tier: $wrong"
# Functions at the margin without either; and types of the JSON library.
wrong=$(grep -rnE '^(const |unsigned |struct |enum )?[a-z_0-9]+ \**pd_[a-z_0-9]+\(' include/perfdata || true)
[ -z "$wrong" ] || complain "declared without PD_API or PD_EXPERIMENTAL: $wrong"
check_inline() { # TIER, its mark, headers
    local name
    for name in $(tests/repo/declared inline "${@:3}"); do
        grep -qE "^$2 ([a-z_0-9]+ )+\\**$name\(" "${@:3}" || complain "$1, but not declared with $2: $name()"
    done
}
check_inline stable 'static inline' "${stable[@]}"
check_inline experimental PD_EXPERIMENTAL_INLINE include/perfdata/{session,ops}/*.h
wrong=$(grep -rnw 'json_t\|jansson' include/perfdata || true)
[ -z "$wrong" ] || complain "the JSON library in a public header: $wrong"

python3 tests/repo/symbols.py || complain "the maps of symbols are out of date: tests/repo/api_doc.sh --write"
exit $failed
