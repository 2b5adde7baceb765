#!/usr/bin/env bash
# perfdata decode and encode: together they give the same bytes for any input, in all containers and both byte
# orders; short texts written by hand become recordings that perf prints; errors in a text are named, and
# leave no output. Checks R9.
. "$(dirname "$0")/../frame_lib.sh"

# round FILE: through the text and back; decode's exit status is in $status.
round() {
    rm -rf text.jsonl back
    status=0
    "$PERFDATA" decode "$1" -o text.jsonl 2>err || status=$?
    [ "$status" = 0 ] || [ "$status" = 3 ] || fail "decode $1: $status: $(head -n 3 err)"
    "$PERFDATA" encode -o back text.jsonl 2>err || fail "encode what decode made of $1: $?: $(head -n 3 err)"
    diff -r "$1" back >/dev/null || fail "$1 does not come back"
}
# raw N FILE: of text.jsonl, so many lines are raw.
raws() {
    [ "$(grep -c '"raw":' text.jsonl || true)" -le "$1" ] ||
        fail "$2: more than $1 lines are bytes: $(grep -m 3 '"raw":' text.jsonl | cut -c1-200)"
}

# ---- Identity, by container and byte order
tiny >tiny.data
round tiny.data
[ "$status" = 0 ] || fail "tiny.data is intact"
raws 0 tiny.data
comm='"comm":{"pid":71,"tid":71,"comm":"tiny"}'
grep -q '^{"record":{"type":"COMM","misc":0,"size":24,"offset":"248","attr":0,'"$comm"'}}$' text.jsonl ||
    fail "the COMM record: $(grep COMM text.jsonl)"
for source in tiny.data "$PERFDATA_SOURCE"/corpus/*.data; do
    round "$source"
    raws 1 "$source"
    for way in '--to pipe' '--to dir' -z '--compressed2 --to pipe' '--endian big' '--to pipe --endian big' \
        '--to dir --endian big -z' '--attr-size 64' '--attr-size 136'; do
        rm -rf other
        # shellcheck disable=SC2086
        alive "$PERFDATA" convert -q -i "$source" -o other $way 2>/dev/null || continue
        round other
        [ "$status" = 0 ] || fail "$source $way: decode says $status"
        raws 2 "$source $way"
        [ -d other ] && continue
        # shellcheck disable=SC2002
        cat other | "$PERFDATA" decode - >streamed.jsonl
        same text.jsonl streamed.jsonl
        "$PERFDATA" decode - <other | "$PERFDATA" encode | cmp - other || fail "$source $way: through pipes"
    done
done

# ---- A directory with other files, links and modes
"$PERFDATA" convert -q -i tiny.data -o tiny.dir --to dir
mkdir -p tiny.dir/kcore_dir/deep
printf 'a\0b' >tiny.dir/kcore_dir/kcore
: >tiny.dir/kcore_dir/deep/empty
ln -s kcore tiny.dir/kcore_dir/link
chmod 400 tiny.dir/kcore_dir/kcore
chmod 750 tiny.dir/kcore_dir/deep
chmod 755 tiny.dir
round tiny.dir
[ "$(cd tiny.dir && find . -printf '%m %y %l %p\n' | sort)" = \
    "$(cd back && find . -printf '%m %y %l %p\n' | sort)" ] || fail "modes and links"
expect 2 "$PERFDATA" encode -o - text.jsonl
expect 2 "$PERFDATA" encode -o back text.jsonl
expect 0 "$PERFDATA" encode -f -o back text.jsonl

# ---- Damage, and what is no recording at all
: >empty
round empty
[ "$status" = 3 ] || fail "an empty file: $status"
head -c 200000 "$PERFDATA" >binary
round binary
[ "$status" = 3 ] || fail "no recording: $status"
"$PERFDATA" decode - <binary >streamed.jsonl 2>/dev/null && fail "no recording, from a pipe"
same text.jsonl streamed.jsonl
for n in 7 16 100 104 200 247 250 260 273 300; do
    head -c $n tiny.data >cut
    round cut
done
{ cat tiny.data && printf 'more bytes'; } >longer
round longer
seed=${PERFDATA_SEED:-1}
"$PERFDATA" convert -q -i "$PERFDATA_SOURCE/corpus/two-events.data" -o two.pipe --to pipe
"$PERFDATA" convert -q -i "$PERFDATA_SOURCE/corpus/two-events.data" -o two.big --endian big
for source in tiny.data "$PERFDATA_SOURCE/corpus/two-events.data" two.pipe two.big; do
    size=$(stat -c %s "$source")
    for i in $(seq 40); do
        cp "$source" damaged
        chmod 600 damaged
        for k in 1 2 3; do
            seed=$(((seed * 1103515245 + 12345) & 0x7fffffff))
            range=$((k == 1 ? 104 : size))
            printf "\\x$(printf %02x $((seed >> 7 & 255)))" |
                dd of=damaged bs=1 seek=$((seed / 3 % range)) conv=notrunc status=none
        done
        round damaged
    done
done

# ---- Short texts
cat >short.jsonl <<'END'
{"header":{"container":"file","order":"little"}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}

{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"hello"}}}
{"record":{"type":"SAMPLE","misc":"cpumode=USER","sample":{"ip":"0x401000","pid":7,"tid":7,"time":"1000"}}}
END
shows() { # FILE TEXT
    command -v perf >/dev/null || return 0
    local shown
    shown=$(perf script -F comm,tid,time,ip -i "$1" 2>/dev/null | xargs)
    [ "$shown" = "$2" ] || fail "perf shows of $1: $shown"
}
for order in little big; do
    for container in file pipe; do
        rm -f new.data
        sed "s/\"file\"/\"$container\"/" short.jsonl | "$PERFDATA" encode --endian $order -o new.data ||
            fail "short: $?"
        expect 0 "$PERFDATA" check new.data
        has out '2 records\|3 records'
        shows new.data 'hello 7 0.000001: 401000'
        round new.data
        raws 0 new.data
    done
done
# Ids are given where there are none, AUX data follows its record, features stand before or behind.
unfold >more.jsonl <<'END'
{"header":{"container":"file"}}
{"feature":"nrcpus","content":{"nr_cpus_avail":2,"nr_cpus_online":2}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME|ID","flags":"sample_id_all"}}
{"attr":{"type":"SOFTWARE","config":3,"sample_type":"IP|TID|TIME|ID","flags":"sample_id_all"},
    "ids":["77","78"]}
{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"hello"}}}
{"record":{"type":"AUXTRACE","auxtrace":{"size":"10"}}}
{"payload":"00112233"}
{"payload":"445566778899"}
{"record":{"type":"SAMPLE","misc":"cpumode=USER","sample":{"ip":1,"pid":7,"tid":7,"time":1000}}}
{"record":{"type":"SAMPLE","attr":1,"misc":"cpumode=USER","sample":{"ip":2,"pid":7,"tid":7,"time":2000}}}
{"feature":"hostname","content":{"text":"box"}}
END
expect 0 "$PERFDATA" encode -o more.data more.jsonl
expect 0 "$PERFDATA" check more.data
expect 0 "$PERFDATA" dump --json more.data
[ "$(sed -n 's/.*"time":"\([12]\)000","id":"\([0-9]*\)".*/\1=\2/p' out | xargs)" = "1=1 2=77" ] ||
    fail "ids: $(cat out)"
expect 0 "$PERFDATA" extract --auxtrace -o aux more.data
[ "$(xxd -p aux 2>/dev/null || od -An -tx1 aux | tr -d ' \n')" = 00112233445566778899 ] || fail "AUX data"
expect 0 "$PERFDATA" info -I more.data
has out box
round more.data

# The bytes behind a record are counted, where it does not say how many.
sed 's/,"auxtrace":{"size":"10"}//' more.jsonl >uncounted.jsonl
expect 0 "$PERFDATA" encode -o uncounted.data uncounted.jsonl
same more.data uncounted.data
sed '/"payload"/d' uncounted.jsonl >bare.jsonl
expect 0 "$PERFDATA" encode -o bare.data bare.jsonl
expect 0 "$PERFDATA" check bare.data
rm bare.data

# A directory, of a `data` with the attrs, further files with records, and others.
cat >dir.jsonl <<'END'
{"directory":"."}
{"member":"data"}
{"header":{}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}
{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"hello"}}}
{"member":"data.0"}
{"record":{"type":"SAMPLE","misc":"cpumode=USER","sample":{"ip":"0x401000","pid":7,"tid":7,"time":"1000"}}}
{"directory":"kcore_dir","mode":"0750"}
{"member":"kcore_dir/kallsyms","mode":"0400"}
{"raw":"610a"}
END
expect 0 "$PERFDATA" encode -o short.dir dir.jsonl
expect 0 "$PERFDATA" check short.dir
has out '2 records'
[ "$(cat short.dir/kcore_dir/kallsyms)" = a ] &&
    [ "$(stat -c %a short.dir short.dir/kcore_dir | xargs)" = "700 750" ] || fail "the directory"
shows short.dir 'hello 7 0.000001: 401000'
# What comes behind `data` may be no file at all.
printf '%s\n' '{"directory":"."}' '{"member":"data"}' '{"header":{}}' '{"link":"x","to":"y"}' \
    '{"member":"data.0"}' \
    '{"record":{"type":"FINISHED_ROUND"}}' '{"directory":"kcore_dir"}' >links.jsonl
expect 0 "$PERFDATA" encode -o links.dir links.jsonl
expect 0 "$PERFDATA" check links.dir
[ "$(readlink links.dir/x)" = y ] && [ -d links.dir/kcore_dir ] || fail "a link and a directory behind data"
round short.dir

# ---- decode --short: the same content, whatever the container and byte order; and its text comes back
content() { "$PERFDATA" hash "$1" | cut -c1-32; }
brief() { # FILE
    rm -rf brief.data
    "$PERFDATA" decode --short "$1" -o brief.jsonl -f 2>err || fail "decode --short $1: $?: $(head -n 3 err)"
    ! grep -E '"(offset|room|table|ids_section)":"?[0-9[]' brief.jsonl | grep -vq '"AUXTRACE"\|_topology' ||
        fail "$1: $(grep -m 1 '"offset"' brief.jsonl)"
    "$PERFDATA" encode -o brief.data brief.jsonl 2>err ||
        fail "encode what decode --short made of $1: $(head -n 3 err)"
    [ "$(content "$1")" = "$(content brief.data)" ] ||
        fail "$1 says something else after decode --short and encode"
    "$PERFDATA" decode --short brief.data -o again.jsonl -f
    same brief.jsonl again.jsonl
}
for source in tiny.data more.data "$PERFDATA_SOURCE"/corpus/*.data; do
    brief "$source"
    for way in '--to pipe' '--to dir' '--endian big' '--to dir --endian big' '--to pipe --endian big -z'; do
        rm -rf other
        # shellcheck disable=SC2086
        alive "$PERFDATA" convert -q -i "$source" -o other $way 2>/dev/null || continue
        brief other
    done
done
for to in file pipe; do
    "$PERFDATA" gen --random -t ALL -c 400 --seed 3 --to $to -o all.$to 2>/dev/null
    brief all.$to
done
# Edits that change sizes and counts.
"$PERFDATA" decode --short "$PERFDATA_SOURCE/corpus/callgraph.data" >brief.jsonl 2>err
grep -q '"callchain":{"ips":\["USER",' brief.jsonl ||
    fail "a chain without its count: $(grep -m 1 callchain brief.jsonl)"
longer='a host whose name needs more than the sixty-four bytes that perf leaves for it'
sed -e 's/"ips":\["USER",/"ips":["USER","0x1234",/' -e 's/"comm":"[^"]*"/"comm":"a-longer-name"/' \
    -e "/\"feature\":\"hostname\"/s/\"text\":\"[^\"]*\"/\"text\":\"$longer\"/" \
    -e '/"feature":"cmdline"/s/"args":\[/&{"text":"nice"},/' brief.jsonl | "$PERFDATA" encode -o edited.data
expect 0 "$PERFDATA" check edited.data
[ "$("$PERFDATA" dump --json edited.data | grep -c '"USER","0x1234"')" = \
    "$(grep -c '"ips":\["USER"' brief.jsonl)" ] || fail "edited chains"
"$PERFDATA" info -I edited.data >out
has out 'hostname : a host whose name needs more than the sixty-four bytes'
has out 'cmdline : nice '
if command -v perf >/dev/null; then
    perf script -F comm,ip -i edited.data >out 2>err
    grep -q '^ *a-longer-name' out || fail "perf shows other names: $(head -n 3 out)"
    [ "$(grep -cE '^[[:space:]]*1234 *$' out)" = "$(grep -c '"ips":\["USER"' brief.jsonl)" ] ||
        fail "perf shows other chains: $(head -n 5 out)"
fi
expect 3 "$PERFDATA" decode --short binary
empty out
has err 'the short form cannot express'
# For damaged recordings encode accepts the output, or decode says that there is no such text.
"$PERFDATA" gen --random -t ALL --features all --seed 5 -c 150 -z -o many.data
taken=0 told=0
for n in $(seq 40); do
    "$PERFDATA" corrupt -E 0.005 --seed "$n" -f -o damaged many.data >/dev/null
    status=0
    "$PERFDATA" decode --short -f -o brief.jsonl damaged 2>said || status=$?
    if "$PERFDATA" encode -f -o back.data brief.jsonl 2>err; then
        taken=$((taken + 1))
    else
        [ "$status" = 3 ] && grep -q 'the short form cannot express.*encode refuses the text' said ||
            fail "decode --short of seed $n: $status: $(cat said), then $(cat err)"
        told=$((told + 1))
    fi
done
[ $taken -gt 20 ] && [ $told -gt 0 ] || fail "$taken texts taken, $told not"

# ---- Errors: line, key, value and what was expected; no output is left
H='{"header":{"container":"file","order":"little"}}'
A='{"attr":{"type":"SOFTWARE","sample_type":"IP|TID"}}'
C='{"attr":{"sample_type":"IP|TID|CALLCHAIN"}}'
D='{"directory":"."}'
exact_text() { "$PERFDATA" decode tiny.data | head -n 3; }
refused() { # STATUS PATTERN LINE...
    local want=$1 pattern=$2 got=0
    shift 2
    rm -rf new.data
    printf '%s\n' "$@" | "$PERFDATA" encode -o new.data 2>err || got=$?
    [ "$got" = "$want" ] || fail "$*: $got: $(cat err)"
    has err "$pattern"
    [ ! -e new.data ] && [ -z "$(find . -name '.perfdata-*')" ] || fail "$*: something is left"
}
refused 3 'no lines' ''
refused 3 'line 1: at byte .*no JSON' '{'
refused 3 'line 1: .*no JSON' 'text'
refused 3 'line 1: the line: \[1\] found, expected: a JSON object' '[1]'
refused 3 'line 1: .*duplicate' '{"header":{},"header":{}}'
refused 3 'line 1: the line: {"x":1} found, expected: one of header' '{"x":1}'
refused 3 'line 1: the line: {"x":"aaa*… found, expected: one of header' \
    "{\"x\":\"$(printf 'a%.0s' {1..500})\"}"
refused 3 'line 1: record: a header line' '{"record":{"type":3}}'
refused 3 'line 2: record: there is no attr' "$H" '{"record":{"type":"SAMPLE","sample":{"ip":1}}}'
refused 3 'line 2: header: .*first' "$H" "$H"
refused 3 'line 1: header.container: "box" found, expected: "file" or "pipe"' '{"header":{"container":"box"}}'
refused 3 'line 1: header.order: "middle" found, expected: "little" or "big"' '{"header":{"order":"middle"}}'
refused 3 'header.x: no key' '{"header":{"x":1}}'
refused 3 'header.version: 3 found' '{"header":{"version":3}}'
refused 3 'line 2: attr.sample_type: "IPP" found, expected: names of the set sample_type' "$H" \
    '{"attr":{"sample_type":"IPP"}}'
refused 3 'line 2: "y" is no key of a line of "attr"' "$H" '{"attr":{},"y":0}'
refused 3 'line 3: record.sample.ip: "q" found, expected: a number of 64 bits' "$H" "$A" \
    '{"record":{"type":9,"sample":{"ip":"q"}}}'
refused 3 'line 3: record.sample.tid: 4294967296 found, expected: a number of 32 bits' "$H" "$A" \
    '{"record":{"type":9,"sample":{"tid":4294967296}}}'
refused 3 'line 3: record.sample.time: 1 found, expected: no such key' "$H" "$A" \
    '{"record":{"type":9,"sample":{"time":1}}}'
refused 3 'line 3: record: size: found 9, expected 24' "$H" "$A" '{"record":{"type":9,"size":9}}'
refused 3 'record.attr: 1 found' "$H" "$A" '{"record":{"type":9,"attr":1}}'
refused 3 'record.offset: expected only' "$H" "$A" '{"record":{"type":9,"offset":8}}'
refused 3 'line 4: record: the record of line 3 says that 16 more bytes' "$H" "$A" \
    '{"record":{"type":"AUXTRACE","auxtrace":{"size":16}}}' '{"record":{"type":9}}'
refused 3 'the end: the record of line 3 says that 16 more bytes' "$H" "$A" \
    '{"record":{"type":"AUXTRACE","auxtrace":{"size":16}}}'
refused 3 'payload: 1 bytes found' "$H" "$A" '{"payload":"00"}'
refused 3 'payload: "0" found' "$H" "$A" '{"payload":"0"}'
refused 3 'raw: only a text' "$H" '{"raw":"00"}'
refused 3 'line 1: raw: 5 found, expected: bytes' '{"raw":5}'
refused 3 'line 2: feature: "nothing" found, expected: the name of a feature' "$H" '{"feature":"nothing"}'
refused 3 'line 2: feature: 300 found, expected: the name of a feature' "$H" '{"feature":300}'
refused 3 'content.text: 5 found, expected: text' "$H" '{"feature":"hostname","content":{"text":5}}'
refused 3 'line 3: feature: "stat" found, expected: each feature once' "$H" '{"feature":"stat"}' \
    '{"feature":"stat"}'
refused 3 'only behind a line' '{"member":"data","mode":"0600"}'
refused 3 'inside the directory' '{"directory":".","mode":"0700"}' '{"member":"a/../../x","mode":"0600"}'
refused 3 'mode: "rw" found, expected: octal' '{"directory":".","mode":"0700"}' \
    '{"member":"data","mode":"rw"}'
refused 3 'line 3: "a/not-there": a line of "directory"' "$D" '{"link":"a","to":"/tmp"}' \
    '{"member":"a/not-there"}'
refused 3 'line 3: "a": another line' "$D" '{"link":"a","to":"x"}' '{"member":"a"}'
refused 3 'line 2: "b/x": a line of "directory"' "$D" '{"link":"b/x","to":"y"}'
refused 3 'line 3: "a": another line' "$D" '{"directory":"a"}' '{"directory":"a"}'
refused 3 'line 4: header: it must be' "$D" '{"member":"data"}' '{"header":{}}' '{"header":{}}'
refused 3 'line 5: record: expected only in' "$D" '{"member":"data"}' "$H" '{"member":"kcore"}' \
    '{"record":{"type":3}}'
refused 3 'line 5: record: expected only in' "$D" '{"member":"data"}' "$H" '{"link":"x","to":"y"}' \
    '{"record":{"type":68}}'
refused 3 'line 5: record: expected only in' "$D" '{"member":"data"}' "$H" '{"directory":"x"}' \
    '{"record":{"type":68}}'
refused 3 'line 6: link: the record of line 5 says' "$D" '{"member":"data"}' "$H" '{"attr":{}}' \
    '{"record":{"type":"AUXTRACE","auxtrace":{"size":16}}}' '{"link":"x","to":"y"}'
refused 3 'line 3: header: expected only behind' "$D" '{"member":"other"}' "$H"
refused 3 'no line {"member":"data"}' "$D" '{"link":"x","to":"y"}'
refused 3 'header.container: "pipe"' "$D" '{"member":"data"}' '{"header":{"container":"pipe"}}'
refused 3 'record.auxtrace.size: nothing found' "$(exact_text)" '{"record":{"type":"AUXTRACE"}}'
refused 3 'line 3: record: .*nr: found 3, expected 1' "$H" "$C" \
    '{"record":{"type":9,"sample":{"callchain":{"nr":3,"ips":["0x1"]}}}}'
refused 3 'callchain.zz: 1 found, expected: no such key' "$H" "$C" \
    '{"record":{"type":9,"sample":{"callchain":{"zz":1}}}}'
refused 3 'record.sample: an array found, expected: an object' "$H" "$C" '{"record":{"type":9,"sample":[1]}}'
refused 3 'sample.ip: -1 found, expected: a number of 64' "$H" "$C" '{"record":{"type":9,"sample":{"ip":-1}}}'
refused 3 'sample.ip: "18446744073709551616" found' "$H" "$C" \
    '{"record":{"type":9,"sample":{"ip":"18446744073709551616"}}}'
refused 3 'sample.ip: 1.5 found' "$H" "$C" '{"record":{"type":9,"sample":{"ip":1.5}}}'
refused 3 'sample.ip: null found' "$H" "$C" '{"record":{"type":9,"sample":{"ip":null}}}'
refused 3 'comm.comm: 5 found, expected: text' "$H" "$C" '{"record":{"type":3,"comm":{"comm":5}}}'
refused 3 'record.type: "COMMM" found' "$H" "$C" '{"record":{"type":"COMMM"}}'
refused 3 'record.type: nothing found' "$H" "$C" '{"record":{}}'
refused 3 'record: 5 found, expected: an object' "$H" "$C" '{"record":5}'
refused 3 'attr: 5 found, expected: an object' "$H" '{"attr":5}'
refused 3 'attr: attrs\[0\].config4: found 1' "$H" '{"attr":{"size":64,"config4":1}}'
refused 3 'attr: attrs\[0\].size: found 7, expected 64' "$H" '{"attr":{"size":7}}'
refused 3 'attr: attrs\[0\].size: found 4000000000, expected 144' "$H" '{"attr":{"size":4000000000}}'
refused 3 'ids: 5 found, expected: an array' "$H" '{"attr":{},"ids":5}'
refused 3 'content: .*nr: found 3, expected 1' "$H" \
    '{"feature":"cmdline","content":{"nr":3,"args":[{"text":"x"}]}}'
refused 3 'line 1: attr: a header line' '{"attr":{}}' "$H"
for size in 0 3 63; do
    refused 3 "line 1: header.attr_size: $size found, expected: 64 to 65520" \
        '{"header":{"attr_size":"'$size'"}}'
done
for size in 64 80 127; do
    refused 3 "line 2: attr: 128 bytes found, expected: at most $size" '{"header":{"attr_size":'$size'}}' \
        '{"attr":{"size":128}}'
done
refused 3 'line 1: header.attr_size: "x" found' '{"header":{"attr_size":"x"}}'
refused 3 'header.attr_size: 70000 found' '{"header":{"attr_size":70000}}'
refused 3 'line 3: at byte 4: no JSON' "$H" "$A" 'text {'
refused 3 'maximum parsing depth' "$(printf '[%.0s' {1..5000})"
refused 3 'before the first member' '{"directory":".","mode":"0700"}' '{"raw":"00"}'
"$PERFDATA" decode tiny.data >tiny.jsonl
refused 3 'line 4: record.offset: 272 found, expected: 280, where the lines before it end' \
    "$(sed '/COMM/s/tiny/a longer name/; s/"size":24,//' tiny.jsonl)"
refused 3 'line 3: record: .*size' "$(sed '/COMM/s/tiny/a longer name/' tiny.jsonl)"
expect 2 "$PERFDATA" encode --endian big -o new.data tiny.jsonl
has err 'convert --endian'
expect 0 "$PERFDATA" encode --endian little -o new.data tiny.jsonl
for way in -z '--compressed2 --to pipe'; do
    # shellcheck disable=SC2086
    "$PERFDATA" convert -q -f -i tiny.data -o zip.data $way
    "$PERFDATA" decode --short -f -o zip.jsonl zip.data
    expect 2 "$PERFDATA" encode --endian big -o big.data zip.jsonl
    has err 'holds others, in the byte order of the header; perfdata convert --endian'
    [ ! -e big.data ] || fail "records inside another of the other byte order: written"
    expect 0 "$PERFDATA" encode -f --endian little -o little.data zip.jsonl
    expect 0 "$PERFDATA" check little.data
done
expect 2 "$PERFDATA" encode --endian middle -o other.data tiny.jsonl
expect 2 "$PERFDATA" encode -o new.data tiny.jsonl
expect 2 "$PERFDATA" encode -o other.data none.jsonl
expect 2 "$PERFDATA" decode none.data
got=0
head -c 200000000 /dev/zero | tr '\0' ' ' | "$PERFDATA" encode -o long.data 2>err || got=$?
[ "$got" = 3 ] && has err 'line 1: it is longer than 16777216 bytes' && [ ! -e long.data ] ||
    fail "a line of 200 MB: $got"
kb=$({ head -c 200000000 /dev/zero | tr '\0' ' ' || true; } | peak_memory "$PERFDATA" encode -o long.data)
[ "$kb" -lt "$(most_memory 40000)" ] || fail "a line of 200 MB takes $kb kB"
[ "$("$PERFDATA" decode tiny.data -o /dev/full >/dev/null 2>&1; echo $?)" = 4 ] || fail "a full device"

# ---- The corpus, malformed files included
[ -n "${PERFDATA_CORPUS:-}" ] || {
    echo "PERFDATA_CORPUS is not set: only the files of corpus/ went through the text"
    exit 0
}
n=0
while IFS= read -r file; do
    round "$file"
    n=$((n + 1))
done < <({ find "$PERFDATA_CORPUS/malformed" -type f && corpus_files 1; } | sort | every 4)
[ $n -gt 0 ] || fail "PERFDATA_CORPUS has no files"
echo "$n files of the corpus came back"
