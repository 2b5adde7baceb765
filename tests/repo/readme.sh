#!/usr/bin/env bash
# Each C program in the documentation is one of examples/, to the letter; install/examples compiles and runs
# those.
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
