#!/usr/bin/env bash
# Every bound is in the table of src/support/limits.h, from which SECURITY.md's is printed: no other name says
# of a number that it is the most, no message has such a number, and each row is used. Says of itself that it
# can fail.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${PERFDATA_SOURCE:-$here/../..}"
check() { python3 "$here/limits.py" "$@"; }
check .

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
fresh() {
    rm -rf "${copy:?}"/*
    for part in src encode ops cli include; do cp -r "$part" "$copy"; done
}
must_fail() { # what is said
    if check "$copy" >"$copy/said" 2>&1; then
        echo "not found: $1" >&2
        exit 1
    fi
    grep -qF -- "$1" "$copy/said" || { cat "$copy/said" >&2; echo "not said: $1" >&2; exit 1; }
}
fresh
echo '#define MOST_SHEEP ((size_t)7 << 10)' >>"$copy/ops/sort/sort.c"
must_fail 'MOST_SHEEP'
fresh
echo '#define MOST_DIGITS 4096' >>"$copy/ops/sort/sort.c" # which is one of another file's exceptions
must_fail 'ops/sort/sort.c: MOST_DIGITS'
fresh
echo 'enum { LEAST = 1, SHEEP_MAX = 40 };' >>"$copy/cli/verbs/sort.c"
must_fail 'SHEEP_MAX'
fresh
echo 'static const size_t largest_sheep = 4096;' >>"$copy/src/codec/decode.c"
must_fail 'largest_sheep'
fresh
echo 'static const char said[] = "no more than 4096 sheep";' >>"$copy/encode/codec/attr.c"
must_fail 'no more than 4096 sheep'
fresh
row='    X(SHEEP, 12, COUNT, "sheep", "wool", "") \'
sed -i "/^#define PD_LIMITS(X)/a\\$row\\" "$copy/src/support/limits.h"
must_fail 'PD_LIMIT_SHEEP'
