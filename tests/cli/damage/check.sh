#!/usr/bin/env bash
# perfdata check: exit status and findings for intact, unusual and damaged recordings, and that the proof
# detects errors.
. "$(dirname "$0")/../frame_lib.sh"
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
sums='"records":2,"decoded":2,"raw":0,"impossible":0,"features":0,"impossible_features":0,"bytes":304'
has out '^{"file":"tiny.data","findings":\[\],"ok":true,"status":0,'"$sums"'}$'
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
    same_through_a_pipe "$1"
}
# The notes about records, sections and the end of a file are those of the same bytes from a pipe.
same_through_a_pipe() { # FILE
    local got=0 piped=0
    "$PERFDATA" check --strict "$1" >seeks || got=$?
    cat "$1" | "$PERFDATA" check --strict - >piped || piped=$?
    [ $got = $piped ] || fail "$1: status $got, through a pipe $piped"
    diff <(sed "s,^$1: ,standard input: ," seeks) piped || fail "$1: something else is told through a pipe"
}
{ tiny_header 0 && tiny_records; } >unfinished.data
note unfinished.data 40 'not finished'
tiny_header 0 >empty.data # no records and no features: it lacks nothing
expect 0 "$PERFDATA" check --strict empty.data
"$PERFDATA" check --strict - < <(cat empty.data) >out
has out '^standard input: ok: 0 records.* 248 bytes$'
{ tiny && printf 'stray'; } >trailing.data
note trailing.data 304 '5 bytes follow'
{ tiny_header 96 && tiny_records && le 4 200 && le 2 0 24 && zeros 16 && le 4 201 && le 2 0 16 &&
    zeros 8; } >unknown.data
note unknown.data 304 '2 records of unknown types'
has out '"raw":2,'
{ head -c 128 tiny.data && le 8 $((7 | 1 << 40)) && tail -c +137 tiny.data; } >bits.data
note bits.data 104 'unknown bits 0x10000000000 in sample_type'
{ head -c 104 tiny.data && zeros 64 && tail -c +169 tiny.data; } >zero.data
note zero.data 104 'attr 0 is all zeros'
# Feature 99, of no bytes.
{ head -c 84 tiny.data && le 1 8 && tail -c +86 tiny.data && le 8 320 4 && printf abcd; } >feature.data
note feature.data 320 'feature 99'
# HOSTNAME of 4 bytes, as writers other than perf make it, and ARCH of none; then a comm of 8 bytes: no NUL,
# but nothing is lost.
{ head -c 72 tiny.data && le 8 $((1 << 3 | 1 << 6)) && tail -c +81 tiny.data && le 8 336 8 344 4 && le 4 4 &&
    printf host && le 4 0; } >unended.data
note unended.data 340 'text of hostname has no NUL at its end$'
"$PERFDATA" info -I unended.data >out
has out '^# hostname : host$'
"$PERFDATA" convert --to pipe -o unended.pipe unended.data
expect 0 "$PERFDATA" check unended.pipe
has out 'note: at offset [0-9]*.*: text of hostname has no NUL at its end$'
same_through_a_pipe unended.pipe
{ head -c 264 tiny.data && printf abcdefgh && tail -c +273 tiny.data; } >comm.data
note comm.data 264 'comm of COMM has no NUL at its end$'
# Both: that of the record comes first, in a pipe as in a file, which has its sections looked at first.
{ head -c 264 unended.data && printf abcdefgh && tail -c +273 unended.data; } >both.data
note both.data 264 'comm of COMM has no NUL at its end, as others$'

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
# From a pipe they may be there, behind the data: it is not known to be damaged. Sections that overlap are.
expect 2 bash -c '"$PERFDATA" check - < <(cat attrs.data)'
{ head -c 24 tiny.data && le 8 240 && tail -c +33 tiny.data; } >over.data
expect 3 bash -c '"$PERFDATA" check - < <(cat over.data)'
has err 'at offset 24 .*start of a section inside another one: found 240, expected 304'
{ head -c 40 tiny.data && le 8 96 && tail -c +49 tiny.data; } >over.data
expect 3 bash -c '"$PERFDATA" check - < <(cat over.data)'
has err 'at offset 40 .*data.offset: found 96'
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

flat 2000 "$PERFDATA" check

# ---- Every truncation of a small file: one clear answer, never a crash, never silence.
for n in $(seq 0 303); do
    head -c "$n" tiny.data >part-$n.data
    full || [ $((n % 19)) = 0 ] || continue
    expect 3 "$PERFDATA" check part-$n.data
done
expect 3 "$PERFDATA" check part-*.data
cat out err | sed -n 's/^\(perfdata check: \)\?part-\([0-9]*\).data: .*at offset.*/\2/p' | sort -nu >parts
cmp parts <(seq 0 303) || fail 'no offset, but all from 0 to 303 should have one'
! grep ': ok' out || fail 'a part is intact'
rm part-*.data

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
"$perf_program" record -e cpu-clock -o killed.data -- sleep 60 >/dev/null 2>&1 </dev/null &
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
    mapfile -t recordings < <(corpus_files 1)
    expect 0 "$PERFDATA" check "${recordings[@]}"
    n=$(grep -c ': ok: ' out)
    [ "$n" = ${#recordings[@]} ] || fail "$n of ${#recordings[@]} recordings are ok"
    [ "$n" -ge "$(least "$(effort 80 100)")" ] || fail "only $n files in the corpus"
    for file in "$PERFDATA_CORPUS"/malformed/*; do
        case $file in
        */EECS583-*) # killed before its first record: unfinished, but intact
            expect 0 "$PERFDATA" check "$file"
            ;;
        *) expect 3 "$PERFDATA" check "$file" ;;
        esac
        cat out err | grep -q 'at offset' || fail "$file: no offset"
    done
fi

# The tracing data of a stream is a feature like that of a file.
LC_ALL=C sed 's/header_page/header_pagf/' \
    "$PERFDATA_SOURCE/corpus/conformance/record-header-tracing-data.data" >damaged.pipe
for jobs in 1 2; do
    expect 3 "$PERFDATA" check -j$jobs damaged.pipe
    has out 'at offset 198 .*feature tracing_data, header_page_name: found 102, expected 101$'
done

# Records that can be decoded and written again, but that no perf accepts: noted, in each thread, in a stream,
# and inside compressed records.
"$PERFDATA" gen -q -f -c 3000 -o many.data
for odd in '0x347d=da 13424 no event has its id' '0x3470=40 13424 none of this type can stand here' \
    '0x3476=b0 13424 its size, 176, takes in records that follow it, from its byte 96 on' \
    '0x3470=46 13424 none of this type can stand here' \
    '0x3470=4a 13424 its size, 96, is more than the 10 bytes of its fields' \
    '0x3470=4d 13424 its size, 96, is more than the 24 bytes of its fields' \
    '0x3470=55 13424 none of this type can stand here'; do
    read -r set offset text <<<"$odd"
    "$PERFDATA" corrupt -q -f --set "$set" -o odd.data many.data
    note odd.data "$offset" "$text"
    "$PERFDATA" convert -q -f -z -o oddz.data odd.data
    if [ "$set" != 0x3470=40 ]; then # in a stream that is an attr
        "$PERFDATA" convert -q -f --to pipe -o odd.pipe.data odd.data
        expect 1 "$PERFDATA" check --strict odd.pipe.data
        has out "note: .*$text"
        same_through_a_pipe odd.pipe.data
    fi
    expect 1 "$PERFDATA" check --strict oddz.data
    has out "note: .*$text"
    same_through_a_pipe oddz.data
    expect 1 "$PERFDATA" check --strict --json odd.data
    has out '"kind":"note","code":"\(unknown-ids\|out-of-place\|swallowed-records\)","offset":13424'
done
# As tracing data, what was a sample is damaged, too: it is shorter than it says.
"$PERFDATA" corrupt -q -f --set 0x3470=42 -o odd.data many.data
expect 3 "$PERFDATA" check odd.data
has out 'note: at offset 13424 .*(HEADER_TRACING_DATA): none of this type can stand here$'
record='at offset 13424 .*(HEADER_TRACING_DATA)'
has out "damage: $record, byte 12, data: only 84 bytes are left, 1008 are needed\$"
# Each type of perf itself that perf 6.1 or 7.3 refuses where a SAMPLE was, and a size that hides what it was.
for type in 40 42 44 46 47 4a 4c 4d 4e 4f 50 52 55 56; do
    "$PERFDATA" corrupt -q -f --set 0x3470=$type -o odd.data many.data
    status=0
    "$PERFDATA" check --strict odd.data >out 2>err || status=$?
    [ $status != 0 ] || fail "a SAMPLE of type 0x$type passes"
    has out 'at offset 13424 '
    status=0
    "$PERFDATA" repair -q -f --keep-tail -o mended.data odd.data >out 2>err || status=$?
    [ $status = 3 ] || fail "repair of a SAMPLE of type 0x$type: status $status"
    expect 0 "$PERFDATA" check --strict -q mended.data
done

# A stream's only event so far has all records, whatever id they name (evlist__id2evsel() of perf); of
# several, one is missing.
attr_line() { # IDS
    echo '{"record":{"type":"HEADER_ATTR","header_attr":{"attr":{"type":"SOFTWARE","size":128,' \
        '"config":"0x0","sample_type":"IP|TID|TIME|ID","flags":"sample_id_all"},"ids":['"$1"']}}}'
}
update_line() { # ID
    echo '{"record":{"type":"EVENT_UPDATE",' \
        '"event_update":{"type":"UNIT","id":"'"$1"'","unit":"x"}}}'
}
stream() { # LINES: of records
    { echo '{"header":{"container":"pipe","order":"little"}}' && cat; } | "$PERFDATA" encode -q -f -o s.data
}
{ attr_line '' && update_line 5 && attr_line '"5"'; } | stream
expect 0 "$PERFDATA" check s.data
! grep -q 'event id' out || fail "$(cat out)"
{ attr_line '"7"' && attr_line '"5"' && update_line 9; } | stream
expect 0 "$PERFDATA" check s.data
has out 'note: .*EVENT_UPDATE.*'
