#!/usr/bin/env bash
# No folder holds more than 20 sources side by side: C, headers, schema tables, scripts (all that may be run).
# The test is itself tested with a folder of 21.
set -euo pipefail
cd "${PERFDATA_SOURCE:-$(dirname "$0")/../..}"
check() { # TREE
    (cd "$1" && find . \( -name .git -o -path './build*' -o -path ./corpus \) -prune -o -type f \
        \( -name '*.[ch]' \
        -o -name '*.def' -o -name '*.cpp' -o -name '*.sh' -o -name '*.py' -o -perm -u+x \) -printf '%h\n') |
        sort | uniq -c | awk '
            $1 > 20 { print $2 ": " $1 " sources; the most is 20"; bad = 1 }
            END { if (NR < 30) print NR " folders"; exit bad || NR < 30 }'
}
check .

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r .ci bench cli encode examples fuzz include ops src tests tools "$copy"
check "$copy"
there=$(find "$copy/src/codec" -maxdepth 1 -type f -name '*.[ch]' | wc -l)
for ((i = there; i < 20; i++)); do : >"$copy/src/codec/sheep$i.c"; done
check "$copy"
: >"$copy/src/codec/sheep.def"
if said=$(check "$copy"); then
    echo "21 sources in a folder are not found" >&2
    exit 1
fi
[ "$said" = "./src/codec: 21 sources; the most is 20" ] || { echo "$said" >&2; exit 1; }
