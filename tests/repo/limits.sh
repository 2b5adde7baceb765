#!/usr/bin/env bash
# Every bound is in the table of src/support/limits.h, from which SECURITY.md's is printed: no other name says
# of a number that it is the most, no message has such a number, nothing is compared with another large one,
# no message says that something is too much without a limit near it, and each row is used. Says of itself
# that it can fail.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${PERFDATA_SOURCE:-$here/../..}"
check() { python3 "$here/limits.py" "$@"; }
check .

# limits.tsv names of each row a test that goes beyond the limit and fails when the number is another one, or
# one in tests/limits, for limits that lowered.tsv lowers.
sed -nE 's/^ +X\(([A-Z_]+),.*/\1/p' src/support/limits.h | grep -vx NAME | sort >"${TMPDIR:-/tmp}/rows.$$"
trap 'rm -f "${TMPDIR:-/tmp}/rows.$$"' EXIT
cut -f1 tests/repo/limits.tsv | sort | diff "${TMPDIR:-/tmp}/rows.$$" - ||
    { echo 'limits.tsv has not the rows of limits.h' >&2; exit 1; }
while IFS=$'\t' read -r limit test more; do
    { [ -f "$test" ] && [ -z "$more" ]; } || { echo "limits.tsv: $limit: $test: no such test" >&2; exit 1; }
done <tests/repo/limits.tsv
# Those of tests/limits are lowered there; others may be, too, where a test is for one place alone.
as_lowered='s,\ttests/limits/run$,\tsame,p; s,\ttests/limits/beyond.sh$,\tbeyond,p'
missing=$(sed -nE "$as_lowered" tests/repo/limits.tsv |
    grep -vxFf <(cut -f1,2 tests/limits/lowered.tsv) || true)
[ -z "$missing" ] || { echo "lowered.tsv has not: $missing" >&2; exit 1; }

# What it must find: each with a name of its own, so one look finds all.
copy=$(mktemp -d)
trap 'rm -rf "$copy" "${TMPDIR:-/tmp}/rows.$$"' EXIT
for part in src encode ops cli include; do cp -r "$part" "$copy"; done
echo '#define MOST_SHEEP ((size_t)7 << 10)' >>"$copy/ops/sort/sort.c"
echo '#define MOST_DIGITS 4096' >>"$copy/ops/sort/sort.c" # which is one of another file's exceptions
echo 'enum { LEAST = 1, SHEEP_MAX = 40 };' >>"$copy/cli/verbs/sort.c"
echo 'static const size_t largest_sheep = 4096;' >>"$copy/src/codec/decode.c"
echo '#define SHEEP_ROOM 4096' >>"$copy/ops/split/pieces.c"
echo 'enum { GOATS, SHEEP_CAP = 4096 };' >>"$copy/ops/split/pieces.c"
echo 'static int f(int n) { return n > 1000000; }' >>"$copy/src/codec/decode.c"
echo 'static const char many[] = "there are too many sheep";' >>"$copy/src/codec/decode.c"
echo 'static const char said[] = "no more than 4096 sheep";' >>"$copy/encode/codec/attr.c"
echo 'static const char more[] = "more than 4 MiB";' >>"$copy/encode/codec/attr.c"
row='    X(SHEEP, 12, COUNT, "sheep", "wool", "") \'
sed -i "/^#define PI_LIMITS(X)/a\\$row\\" "$copy/src/support/limits.h"
if check "$copy" >"$copy/said" 2>&1; then
    echo "nothing found in: $copy" >&2
    exit 1
fi
for bound in MOST_SHEEP 'ops/sort/sort.c: MOST_DIGITS' SHEEP_MAX largest_sheep 'no more than 4096 sheep' \
    SHEEP_ROOM SHEEP_CAP '> 1000000' 'more than 4 MiB' 'too many sheep' PI_LIMIT_SHEEP; do
    grep -qF -- "$bound" "$copy/said" || { cat "$copy/said" >&2; echo "not found: $bound" >&2; exit 1; }
done
[ "$(wc -l <"$copy/said")" = 11 ] || { cat "$copy/said" >&2; echo 'more was found' >&2; exit 1; }
