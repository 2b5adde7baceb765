#!/usr/bin/env bash
# The README's C programs compile as they stand, warnings as errors, and do what they say: one writes a recording that
# check accepts and perf shows, the other reads it back.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
awk -v RS='```' '/^c\n/ { sub(/^c\n/, ""); print > ("block" ++n ".c") }' "$PERFDATA_SOURCE/README.md"
lib=$(find "$PERFDATA_BUILD" -maxdepth 1 -name 'libperfdata*.a' | head -1)
flags=$(sed -n 's/^CMAKE_C_FLAGS:[A-Z]*=//p' "$PERFDATA_BUILD/CMakeCache.txt")
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$PERFDATA_BUILD/CMakeCache.txt")
for name in read:1 write:2; do
    # shellcheck disable=SC2086 # the flags are words
    "$cc" -std=c11 -Wall -Wextra -Werror $flags -I"$PERFDATA_SOURCE/include" "block${name#*:}.c" "$lib" \
        $(pkg-config --libs libzstd libxxhash) -o "${name%:*}"
done
./write new.data
"$PERFDATA" check new.data
[ "$(./read new.data)" = "7 1000 401000" ] || { echo "read gives: $(./read new.data)"; exit 1; }
if command -v perf >/dev/null; then
    shown=$(perf script -F comm,tid,time,ip -i new.data 2>/dev/null | xargs)
    [ "$shown" = "hello 7 0.000001: 401000" ] || { echo "perf shows: $shown"; exit 1; }
else
    echo "no perf: not compared with it"
fi
