#!/usr/bin/env bash
# Each C program in the documentation is one of examples/, to the letter; install/examples compiles and runs
# those. README.md has at most 120 lines, the page of each building at most 40; the
# changelog has no line twice. No page names a file of ours that is not there.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$PERFDATA_SOURCE"
awk -v RS='```' -v tmp="$tmp" '/^c\n/ { sub(/^c\n/, ""); printf "%s", $0 > (tmp "/" ++n ".c") }' README.md \
    docs/*.md
n=0
for block in "$tmp"/*.c; do
    found=
    for example in examples/*.c; do
        ! cmp -s "$block" "$example" || found=$example
    done
    [ -n "$found" ] || { echo "no program of examples/: $(head -n 12 "$block")"; exit 1; }
    n=$((n + 1))
done
[ $n -ge 2 ] || { echo "the documentation quotes $n programs"; exit 1; }

for page in README.md:120 src/README.md:40 encode/README.md:40 ops/README.md:40 cli/README.md:40; do
    lines=$(wc -l <"${page%:*}")
    [ "$lines" -le "${page#*:}" ] || { echo "${page%:*} has $lines lines, more than ${page#*:}"; exit 1; }
done
twice=$(grep '^- ' CHANGELOG.md | sort | uniq -d)
[ -z "$twice" ] || { echo "CHANGELOG.md has twice: $twice"; exit 1; }

pages=(*.md docs/*.md */README.md)
ours='(src|encode|ops)/[A-Za-z0-9_/-]+\.[a-z0-9]+|(tests|fuzz|bench|cmake|\.ci)/[A-Za-z0-9_./-]+'
for file in $(grep -ohE "\`($ours)\`" "${pages[@]}" | tr -d '\`' | grep -v NAME | sort -u); do
    [ -e "$file" ] || { echo "there is no $file: $(grep -lF "$file" "${pages[@]}" | xargs)"; exit 1; }
done
