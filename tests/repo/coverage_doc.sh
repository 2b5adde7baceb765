#!/usr/bin/env bash
# docs/COVERAGE.md names only what there is: items 1 to 198 once each, tests, and names of the library with
# their headers; and it calls those records raw that have no layout in the schema.
set -euo pipefail
cd "$PERFDATA_SOURCE"
doc=docs/COVERAGE.md
failed=0
[ -r $doc ] || { echo "there is no $doc" >&2; exit 1; }

complain() {
    printf '%s: %s\n' "$doc" "$*" >&2
    failed=1
}

# Tokens in backquotes that match a pattern, once each.
# shellcheck disable=SC2016 # the backquotes are the document's
tokens() {
    grep -oE '`[^`]+`' $doc | tr -d '`' | grep -E "$1" | sort -u
}

# ---- Items.
items=$(sed -n 's/^| \([0-9]\{1,\}\) |.*/\1/p' $doc | sort -n)
[ "$items" = "$(seq 198)" ] ||
    complain "items missing, unknown or twice: $(diff <(seq 198) - <<<"$items" |
        sed -n 's/^[<>] //p' | xargs)"

# Each row has its number, its item, four states and its tests.
while IFS='|' read -r _ number _ a b c d tests _; do
    for state in "$a" "$b" "$c" "$d"; do
        case $state in
        ' yes ' | ' rewrite ' | ' raw ' | ' no ' | ' – ') ;;
        *) complain "item$number: what is \"$state\"?" ;;
        esac
    done
    case $a$b$c$d in
    *yes* | *rewrite* | *raw*) [[ $tests == *'`'*'`'* ]] || complain "item$number names no test" ;;
    esac
done < <(grep -E '^\| [0-9]+ \|' $doc)

# ---- Tests.
references=0
while IFS= read -r reference; do
    file=tests/${reference%%:*}
    references=$((references + 1))
    if [ ! -f "$file" ]; then
        complain "$reference: there is no $file"
        continue
    fi
    if [[ $reference != *:* ]]; then
        [ -x "$file" ] || complain "$file is not run: it is not executable"
        continue
    fi
    # Names are separated by commas, quoted ones may contain some.
    while IFS= read -r name; do
        if [[ $name == '"'* ]]; then
            name=${name//\"/}
            grep -qF -e "{\"$name" -e "WORD(\"$name\"" "$file" ||
                complain "$file has no golden case \"$name\""
        else
            grep -qE "cmocka_unit_test\\($name\\)" "$file" || complain "$file does not run a test $name"
        fi
    done < <(grep -oE '"[^"]*"|[^,"]+' <<<"${reference#*:}")
done < <(tokens '^(unit|golden|property|cli|oracle|repo|install)/')
[ $references -gt 50 ] || complain "only $references references to tests found"

# Other files of the tree.
while IFS= read -r path; do
    [ -e "$path" ] || complain "there is no $path"
done < <(tokens '^(tests|src|include|encode|cli|docs|fuzz|tools)/' | grep -vE '^cli/[a-z_/]*\.sh(:|$)')

# ---- Names of the library.
names=0
while IFS= read -r name; do
    names=$((names + 1))
    grep -qrwF -e "$name" include/perfdata || complain "$name is in no public header"
done < <(grep -oE '\b(pd|PD)_[A-Za-z0-9_]+' $doc | sort -u)
[ $names -gt 150 ] || complain "only $names names of the library found"

# `a`, `b` (`one.h`, `other.h`): each of them is in one of the headers behind it.
while IFS= read -r group; do
    mapfile -t headers < <(grep -oE '[a-z_/]+\.h$' <<<"${group//[,)]/$'\n'}" | sed 's,^,include/perfdata/,')
    while IFS= read -r name; do
        grep -qwFs -e "$name" "${headers[@]}" || complain "$name is not in ${headers[*]}"
    done < <(grep -oE '\b(pd|PD)_[A-Za-z0-9_]+' <<<"$group")
done < <(grep -E '^\|' $doc | tr -d '`' | grep -oE '[^()|]*\([a-z_/]+\.h(, [a-z_/]+\.h)*\)')

# ---- Records of the tool: encoded from fields where the schema has a layout, raw where it has none.
while read -r type name encode; do
    layout=no
    ! grep -qE "^RECORD\\([a-z0-9_]+, *(SIMPLEPERF_)?$name," src/schema/*.def || layout=yes
    case $layout/$encode in
    yes/yes | no/raw | no/no) ;;
    yes/*) complain "$type $name is $encode, but has a layout in the schema" ;;
    *) complain "$type $name is $encode, but has no layout in the schema" ;;
    esac
done < <(sed -nE 's/^\| [0-9]+ \| ([0-9]+) ([A-Z0-9_]+)[^|]*\|[^|]*\|[^|]*\| ([a-z]+) \|.*/\1 \2 \3/p' $doc |
    awk '$1 >= 64')

exit $failed
