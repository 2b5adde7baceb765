#!/usr/bin/env bash
# perfdata convert on recordings that others made, judged by two versions of perf: `perf script` and `perf
# report --stats` print the same for the output as for the original.
. "$(dirname "$0")/../frame_lib.sh"
[ -n "${PERFDATA_CORPUS:-}" ] || skip "the corpus is not there"
command -v perf >/dev/null || skip "perf is not installed"
newer=${PERFDATA_NEWER_PERF:-$(ls "$PERFDATA_CORPUS"/../tools/perf-latest 2>/dev/null || true)}
full || newer= # it judges with full effort

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
        sed -nE 's/ \(excludes.*//; s/ *\([^)]*\)$//
            /^ *(TOTAL|ATTR|FEATURE|EVENT_TYPE|HEADER_[A-Z_]*|TRACING_DATA|BUILD_ID|COMPRESSED2?) events:/d
            p'
}
# perf 6.1 has the names of events from EVENT_UPDATE records in streams, which only one of its own has, and
# from EVENT_DESC in files: so they are not compared from one to the other, nor are the columns, which depend
# on them. Symbols depend on whether build ids come as a section or as records, and are not all there for the
# callchains of tracepoints in a stream; and without the NRCPUS feature, which simpleperf does not write, perf
# 7.3 knows no CPU in a stream.
nameless() {
    sed -E 's/^([^\t].*[0-9]+\.[0-9]{6}:) +([0-9]+ +)?(raw )?[^ ]+: */\1 \2/
        s/^[^A].* stats:$/stats:/; s/ +/ /g
        s/^(\t *[0-9a-f]+) .*/\1/; s/([0-9a-f]{4}) [^ ]+( \([^ ]*\))$/\1\2/'"$simpleperf" "$1"
}
# perf report --stats knows neither compressed records nor tracing data that come in a stream.
has_counts() {
    ! is_pipe "$1" ||
        [ -z "$("$PERFDATA" dump --json "$1" 2>/dev/null |
            grep -m 1 -oE '^\{"type":"(COMPRESSED2?|HEADER_TRACING_DATA)"')" ]
}
# Does the first file show what the second does, if names are left out for a container that has others?
alike() { # OTHER_CONTAINER WANT GOT
    if [ "$1" = yes ]; then
        diff <(nameless "$2") <(nameless "$3") >difference
    else
        diff "$2" "$3" >difference
    fi
}
judged=0
judge() { # PERF ORIGINAL OUTPUT WHAT: want.txt and want.stats are what perf shows of the original
    local other=no
    ! is_pipe "$2" || is_pipe "$3" || other=yes
    ! is_pipe "$3" || is_pipe "$2" || other=yes
    given "$1" "$3" script --no-inline >got.txt || fail "$2, $4: $1 refuses it"
    if ! alike $other want.txt got.txt; then
        # Of some branch stacks perf 6.1 shows something else each time.
        given "$1" "$3" script --no-inline >again.txt || :
        cmp -s got.txt again.txt && fail "$2, $4: $1: $(head -n 4 difference)"
        return 0
    fi
    judged=$((judged + 1))
    if [ -s want.stats ] && has_counts "$3"; then
        stats "$1" "$3" >got.stats || fail "$2, $4: $1 refuses to count"
        alike $other want.stats got.stats || fail "$2, $4: $1: $(head -n 4 difference)"
    fi
}
# perf goes no further in the features than to an empty CPUDESC, so it does not find the one that tells of
# compression.
reads_features() {
    "$PERFDATA" info "$1" 2>/dev/null | grep -q ' CPUDESC  *0 bytes' || return 0
    return 1
}
all_ways() { # PERF FILE
    local -a attrs=()
    # perf 6.1 reads larger attrs only in streams.
    [ "$1" != perf ] || attrs=(--attr-size 128)
    convert "$2" plain --decompress
    judge "$1" "$2" plain --decompress
    convert plain z -z
    ! reads_features plain || judge "$1" "$2" z -z
    convert z again --decompress
    judge "$1" "$2" again "-z --decompress"
    convert "$2" file --to file "${attrs[@]}"
    judge "$1" "$2" file "--to file"
    convert "$2" pipe --to pipe
    judge "$1" "$2" pipe "--to pipe"
    convert pipe again --to file "${attrs[@]}"
    judge "$1" "$2" again "--to pipe --to file"
}
n=0
m=0
mapfile -t recordings < <(corpus_files 7)
for f in "${recordings[@]}"; do
    alive "$PERFDATA" check -q "$f" >/dev/null 2>&1 || continue
    simpleperf=
    case $f in *platform_system_extras*) simpleperf='; s/ \[[0-9]+\]//' ;; esac
    perf=
    for try in perf $newer; do # the newer one has what the older one refuses
        if given "$try" "$f" script --no-inline >want.txt && [ -s want.txt ]; then
            perf=$try
            break
        fi
    done
    [ -n "$perf" ] || continue
    stats "$perf" "$f" >want.stats || : >want.stats
    all_ways "$perf" "$f"
    [ "$perf" = perf ] && n=$((n + 1)) || m=$((m + 1))
done
echo "$judged conversions of $n recordings read by $(perf --version), and of $m by a newer perf"
[ "$n" -gt "$(hurried && echo 2 || effort 5 50)" ] || fail "only $n recordings"
