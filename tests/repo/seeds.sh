#!/usr/bin/env bash
# make_seeds (fuzz/campaign) makes the seeds of fuzz/seeds that stand there; `cmake --build BUILD --target
# seeds` writes them. Compressed ones need only be there: another libzstd compresses to other bytes.
set -euo pipefail
cd "${PERFDATA_SOURCE:-$(dirname "$0")/../..}"
make_seeds=${PERFDATA_BUILD:-build/release}/fuzz/make_seeds
[ -x "$make_seeds" ] || { echo "skipped: no make_seeds in this build"; exit 77; }
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
(cd fuzz/seeds && find . -type d) | (cd "$made" && xargs mkdir -p)
"$make_seeds" "$made" corpus/*.data corpus/conformance/sample-offcpu.data
n=$(find "$made" -type f | wc -l)
[ "$n" -gt 250 ] || { echo "$n seeds"; exit 1; }
differ=$(diff -rq "$made" fuzz/seeds |
    grep -vE "^Only in fuzz/seeds|^Files .*/(random-z-|zstd/).* differ" || true)
[ -z "$differ" ] || { echo "cmake --build BUILD --target seeds"; echo "$differ"; exit 1; }
