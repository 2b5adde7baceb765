#!/usr/bin/env bash
# perf script prints the same before and after `perfdata sort`, for recordings made here and those of the
# corpus.
. "$(dirname "$0")/../frame_lib.sh"
command -v perf >/dev/null || skip 'perf is not installed'

# same_script FILE: with time for all, and without.
same_script() {
    local status=0
    "$PERFDATA" sort -q -f -m 64K -o sorted.data "$1" 2>err || status=$?
    [ $status = 2 ] && grep -q 'cannot be sorted: records without a time' err && return
    "$PERFDATA" sort -n sorted.data >out || fail "$1: not in order: $(cat out)"
    perf script -i "$1" >before 2>/dev/null </dev/null || return 0 # what perf does not read
    perf script -i sorted.data >after 2>err </dev/null ||
        fail "$1: perf does not read what was sorted: $(head -c 400 err)"
    cmp -s before after || fail "$1: perf script differs: $(diff before after | head -n 6)"
    compared=$((compared + 1))
}
compared=0
record x.data -e cpu-clock,page-faults -g -- bash -c work
same_script x.data
if perf check feature -q zstd 2>/dev/null || perf version --build-options 2>/dev/null |
    grep -q 'zstd: *\[ *on'; then
    record z.data -z -e cpu-clock -- bash -c work
    same_script z.data
fi
perf record -o - -e cpu-clock -- bash -c work >pipe.data 2>/dev/null </dev/null && same_script pipe.data
"$PERFDATA" gen -q --preset database -c 20000 -o gen.data
same_script gen.data
mapfile -t recordings < <(corpus_files 4)
for file in "$PERFDATA_SOURCE"/corpus/*.data "${recordings[@]}"; do
    [ ! -f "$file" ] || [ "$(stat -c %s "$file")" -gt 3000000 ] || [[ $file = *.md ]] ||
        [[ $file = *.tsv ]] || same_script "$file"
done
[ $compared -ge 4 ] || fail "only $compared recordings were compared"
echo "$compared recordings"
