#!/usr/bin/env bash
# perfdata convert on the recordings that others made, judged by two versions of perf: `perf script` and `perf report --stats`
# show of the output what they show of the original.
. "$(dirname "$0")/frame_lib.sh"
[ -n "${PERFDATA_CORPUS:-}" ] || skip "the corpus is not there"
command -v perf >/dev/null || skip "perf is not installed"
newer=${PERFDATA_NEWER_PERF:-$(ls "$PERFDATA_CORPUS"/../tools/perf-latest 2>/dev/null || true)}

convert() { # INPUT OUTPUT OPTION...
    rm -rf "$2"
    "$PERFDATA" convert -q -i "$1" -o "$2" "${@:3}" || fail "convert $*: $?"
}
is_pipe() {
    [ "$(od -An -tu8 -j8 -N8 "$1" | tr -d ' ')" = 16 ]
}
given() { # PERF FILE COMMAND...: a stream comes through a pipe
    # shellcheck disable=SC2002
    if is_pipe "$2"; then cat "$2" | "$1" "${@:3}" -i -; else "$1" "${@:3}" -i "$2"; fi 2>/dev/null </dev/null
}
# Counts by record type, without those of the container and the percentages, which are of all.
stats() {
    given "$1" "$2" report --stats |
        sed -nE 's/ *\([^)]*\)$//; /^ *(TOTAL|ATTR|FEATURE|EVENT_TYPE|HEADER_[A-Z_]*|TRACING_DATA|BUILD_ID|COMPRESSED2?) events:/d; p'
}
# Of a stream made of a file, perf 6.1 shows other names of events: it has them from EVENT_UPDATE records, which only a stream
# of its own has. So they are not compared there.
judged=0
judge() { # PERF ORIGINAL OUTPUT WHAT: want.txt and want.stats are what perf shows of the original
    local status=0 want=want.txt counts=want.stats
    local -a fields=()
    if is_pipe "$3" && ! is_pipe "$2"; then
        fields=(-F -event) want=want.nameless counts=want.stats.nameless
    fi
    given "$1" "$3" script --no-inline "${fields[@]}" >got.txt || status=$?
    [ $status = 0 ] || fail "$2, $4: $1 refuses it"
    cmp -s "$want" got.txt || fail "$2, $4: $1: $(diff "$want" got.txt | head -n 4)"
    judged=$((judged + 1))
    [ -s want.stats ] || return 0 # of some streams perf shows no counts
    stats "$1" "$3" >got.stats || fail "$2, $4: $1 refuses to count"
    [ $counts = want.stats ] || sed -i -E 's/^.* stats:$/stats:/' got.stats
    cmp -s $counts got.stats || fail "$2, $4: $1: $(diff $counts got.stats | head -n 4)"
}
all_ways() { # PERF FILE
    local -a attrs=()
    # perf 6.1 reads larger attrs only in streams.
    [ "$1" != perf ] || attrs=(--attr-size 128)
    convert "$2" plain --decompress
    judge "$1" "$2" plain --decompress
    convert plain z -z
    judge "$1" "$2" z -z
    convert z again --decompress
    judge "$1" "$2" again "-z --decompress"
    convert "$2" file --to file "${attrs[@]}"
    judge "$1" "$2" file "--to file"
    convert "$2" pipe --to pipe
    judge "$1" "$2" pipe "--to pipe"
    convert pipe again --to file "${attrs[@]}"
    judge "$1" "$2" again "--to pipe --to file"
}
for perf in perf $newer; do
    n=0
    for f in "$PERFDATA_CORPUS"/*; do
        [ -f "$f" ] && "$PERFDATA" check -q "$f" >/dev/null 2>&1 || continue
        given "$perf" "$f" script --no-inline >want.txt || continue
        [ -s want.txt ] || continue
        stats "$perf" "$f" >want.stats || : >want.stats
        sed -E 's/^.* stats:$/stats:/' want.stats >want.stats.nameless
        given "$perf" "$f" script --no-inline -F -event >want.nameless || :
        all_ways "$perf" "$f"
        n=$((n + 1))
    done
    echo "$n recordings read by $("$perf" --version)"
done
echo "$judged conversions"
