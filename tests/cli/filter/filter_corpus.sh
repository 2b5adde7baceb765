#!/usr/bin/env bash
# perfdata filter against perf on recordings of other projects: for the first and second most frequent name of
# each, perf prints the same for the filtered file as for the whole one with the same option. The result is
# intact.
. "$(dirname "$0")/../filter_lib.sh"
[ -d "${PERFDATA_CORPUS:-}" ] || skip 'PERFDATA_CORPUS is not set'
command -v perf >/dev/null || skip 'perf is not installed'

# What cannot agree: perf makes samples out of what a hardware trace holds, which is copied whole; it shows
# differences to the sample before for groups of counters; and it reads beyond an empty branch stack, into
# whatever record follows.
excepted() {
    "$PERFDATA" info --json "$1" | grep -q -e '"AUXTRACE"' -e 'GROUP' || [[ $1 == *perf.lbr.data ]]
}

mapfile -t recordings < <(corpus_files 4)
for file in "${recordings[@]}"; do
    # What perf itself refuses, or finds no samples in.
    [ "$(stat -c %s "$file")" -lt 600000 ] && most "$file" comm 2 >names 2>/dev/null && [ -s names ] ||
        continue
    ! excepted "$file" || continue
    while read -r name; do
        [[ $name == *,* ]] || agrees "$file" --comms "$name"
    done <names
    expect 0 "$PERFDATA" check filtered.data
done
[ "${compared:-0}" -ge "$(least "$(effort 8 30)")" ] || fail "only ${compared:-0} comparisons"
echo "$compared selections compared"
