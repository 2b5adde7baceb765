#!/usr/bin/env bash
# perfdata check: exit status and findings for intact, remarkable and damaged recordings, and that the proof proves.
. "$(dirname "$0")/frame_lib.sh"
tiny >tiny.data

# ---- Intact.
expect 0 "$PERFDATA" check tiny.data
has out '^tiny.data: ok: 2 records decoded, encoded and compared, 0 raw; 304 bytes$'
[ "$(wc -l <out)" = 1 ] || fail "more than a line: $(cat out)"
empty err
expect 0 "$PERFDATA" check -q tiny.data
empty out
empty err
expect 0 "$PERFDATA" check --strict tiny.data
expect 0 "$PERFDATA" check --json tiny.data
has out '^{"file":"tiny.data","findings":\[\],"ok":true,"status":0,"records":2,"decoded":2,"raw":0,"impossible":0,"features":0,"impossible_features":0,"bytes":304}$'
"$PERFDATA" check - <tiny.data >out
has out '^standard input: ok: 2 records'
"$PERFDATA" check - < <(cat tiny.data) >out
has out '^standard input: ok: 2 records.* 304 bytes$'

# ---- Notes: 0, and 1 with --strict.
note() { # FILE OFFSET PATTERN
    expect 0 "$PERFDATA" check "$1"
    has out "^$1: note: at offset $2 .*$3"
    has out "^$1: ok: "
    empty err
    expect 0 "$PERFDATA" check -q "$1"
    empty out
    expect 1 "$PERFDATA" check --strict "$1"
    has out "^$1: note: at offset $2 .*$3"
    expect 1 "$PERFDATA" check --strict -q "$1"
    has out "$3"
    expect 1 "$PERFDATA" check --strict --json "$1"
    has out "{\"kind\":\"note\",\"code\":\"[a-z-]*\",\"offset\":$2,"
    has out '"status":1,'
}
{ tiny_header 0 && tiny_records; } >unfinished.data
note unfinished.data 40 'not finished'
{ tiny && printf 'stray'; } >trailing.data
note trailing.data 304 '5 bytes follow'
{ tiny_header 96 && tiny_records && le 4 200 && le 2 0 24 && zeros 16 && le 4 201 && le 2 0 16 && zeros 8; } >unknown.data
note unknown.data 304 '2 records of unknown types'
has out '"raw":2,'
{ head -c 128 tiny.data && le 8 $((7 | 1 << 40)) && tail -c +137 tiny.data; } >bits.data
note bits.data 104 'unknown bits 0x10000000000 in sample_type'
{ head -c 104 tiny.data && zeros 64 && tail -c +169 tiny.data; } >zero.data
note zero.data 104 'attr 0 is all zeros'
# Feature 99, of no bytes.
{ head -c 84 tiny.data && le 1 8 && tail -c +86 tiny.data && le 8 320 4 && printf abcd; } >feature.data
note feature.data 320 'feature 99'
# HOSTNAME of 4 bytes, as writers other than perf make it, and ARCH of none; then a comm of 8 bytes: no NUL, but nothing is lost.
{ head -c 72 tiny.data && le 8 $((1 << 3 | 1 << 6)) && tail -c +81 tiny.data && le 8 336 8 344 4 && le 4 4 && printf host && le 4 0; } >unended.data
note unended.data 340 'text of hostname has no NUL at its end$'
"$PERFDATA" info -I unended.data >out
has out '^# hostname : host$'
"$PERFDATA" convert --to pipe -o unended.pipe unended.data
expect 0 "$PERFDATA" check unended.pipe
has out 'note: at offset [0-9]*.*: text of hostname has no NUL at its end$'
{ head -c 264 tiny.data && printf abcdefgh && tail -c +273 tiny.data; } >comm.data
note comm.data 264 'comm of COMM has no NUL at its end$'

# ---- Damage: 3, with the offset.
damage() { # FILE OFFSET PATTERN
    expect 3 "$PERFDATA" check "$1"
    has out "^$1: damage: at offset $2 .*$3"
    has out "^$1: damaged: "
    empty err
    expect 3 "$PERFDATA" check -q "$1"
    has out "$3"
    expect 3 "$PERFDATA" check --json "$1"
    has out '"ok":false,"status":3,'
}
head -c 290 tiny.data >cut.data
damage cut.data 40 'data: ends at 304, beyond the end of the file at 290'
damage cut.data 272 'the input ends after 18 of 32 bytes'
{ head -c 278 tiny.data && le 2 7 && tail -c +281 tiny.data; } >small.data
damage small.data 272 'found 7'
{ head -c 278 tiny.data && le 2 40 && tail -c +281 tiny.data; } >large.size
damage large.size 272 'ends after 32 of 40'
{ head -c 24 tiny.data && le 8 1000 && tail -c +33 tiny.data; } >attrs.data
damage attrs.data 24 attrs
{ head -c 254 tiny.data && le 2 16 && tail -c +257 tiny.data; } >comm.data
expect 3 "$PERFDATA" check comm.data
{ head -c 84 tiny.data && le 1 8 && tail -c +86 tiny.data && le 8 320 400 && printf abcd; } >section.data
damage section.data 320 'beyond the end'
expect 3 "$PERFDATA" check /dev/null
expect 2 "$PERFDATA" check missing.data

# ---- Several files: each its lines, the worst status.
expect 3 "$PERFDATA" check tiny.data cut.data tiny.data
[ "$(grep -c '^tiny.data: ok' out)" = 2 ] || fail 'not all files were checked'
expect 3 "$PERFDATA" check --json tiny.data cut.data
[ "$(wc -l <out)" = 2 ] || fail 'not a line of JSON for each file'

flat "$PERFDATA" check

# ---- Every truncation of a small file: one clear answer, never a crash, never silence.
for n in $(seq 0 303); do
    head -c "$n" tiny.data >part.data
    expect 3 "$PERFDATA" check part.data
    cat out err | grep -q 'part.data: .*at offset' || fail "a file of $n bytes: no offset"
done

# ---- Real recordings.
record one.data -e cpu-clock -g -- bash -c work
record many.data -a -e cpu-clock -e page-faults --switch-events --namespaces -d --phys-data -- bash -c work
record dwarf.data -e cpu-clock --call-graph dwarf -- bash -c 'find /usr/share | md5sum'
for file in one.data many.data dwarf.data; do
    expect 0 "$PERFDATA" check --strict $file
    total=$(perf report --stats -i $file 2>/dev/null | awk '$1 == "TOTAL" { print $3 }')
    read -r decoded raw <<<"$(sed -n 's/.*ok: \([0-9]*\) records.*, \([0-9]*\) raw; .*/\1 \2/p' out)"
    [ $((decoded + raw)) = "$total" ] || fail "$file: $decoded decoded and $raw raw, perf counts $total"
    [ "$decoded" -gt $((total * 9 / 10)) ] || fail "$file: only $decoded of $total records were decoded"
done
perf record -e cpu-clock -o killed.data -- sleep 60 >/dev/null 2>&1 </dev/null &
pid=$!
for _ in $(seq 50); do
    [ "$(stat -c %s killed.data 2>/dev/null || echo 0)" -le 400 ] || break
    sleep 0.1
done
sleep 0.3
child=$(cat /proc/$pid/task/$pid/children 2>/dev/null || true)
kill -KILL $pid
wait $pid 2>/dev/null || true
# shellcheck disable=SC2086
[ -z "$child" ] || kill $child 2>/dev/null || true
expect 0 "$PERFDATA" check killed.data
has out 'note: .*not finished'
expect 1 "$PERFDATA" check --strict killed.data

if [ -n "${PERFDATA_CORPUS:-}" ]; then
    n=0
    for file in "$PERFDATA_CORPUS"/*data*; do
        expect 0 "$PERFDATA" check "$file"
        has out ': ok: '
        n=$((n + 1))
    done
    [ $n -ge 100 ] || fail "only $n files in the corpus"
    for file in "$PERFDATA_CORPUS"/malformed/*; do
        case $file in
        */EECS583-*) expect 0 "$PERFDATA" check "$file" ;; # killed before its first record: unfinished, but intact
        *) expect 3 "$PERFDATA" check "$file" ;;
        esac
        cat out err | grep -q 'at offset' || fail "$file: no offset"
    done
fi

# The tracing data of a stream is a feature like that of a file.
LC_ALL=C sed 's/header_page/header_pagf/' "$PERFDATA_SOURCE/corpus/conformance/record-header-tracing-data.data" >damaged.pipe
for jobs in 1 2; do
    expect 3 "$PERFDATA" check -j$jobs damaged.pipe
    has out 'at offset 198 .*feature tracing_data, header_page_name: found 102, expected 101$'
done
