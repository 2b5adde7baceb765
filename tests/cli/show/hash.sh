#!/usr/bin/env bash
# perfdata hash: equal in every container, compression and byte order, of small recordings, of all of the
# corpus, and of recordings made here; other where something else is said; lists are checked.
. "$(dirname "$0")/../frame_lib.sh"

convert() { # INPUT OUTPUT OPTION...
    rm -rf "$2"
    "$PERFDATA" convert -q -i "$1" -o "$2" "${@:3}" || fail "convert $*: $?"
}
equal() { # FILE FILE
    [ "$(hash_of "$1")" = "$(hash_of "$2")" ] ||
        fail "$1 and $2 say the same: $(diff <("$PERFDATA" hash --sections "$1") \
            <("$PERFDATA" hash --sections "$2"))"
}
differ() {
    [ "$(hash_of "$1")" != "$(hash_of "$2")" ] || fail "$1 and $2 do not say the same"
}
# everywhere FILE: through all containers, both byte orders, compressed or not.
everywhere() {
    local way
    for way in '--to pipe' '--to file' '--to dir' -z '--endian big' '--to pipe --endian big --compressed2' \
        '--to dir --endian big -z' '--attr-size 136' --reencode; do
        # shellcheck disable=SC2086
        convert "$1" there $way
        equal "$1" there
        convert there back --to pipe --decompress --endian little
        equal "$1" back
    done
}

# ---- By hand.
tiny >tiny.data
everywhere tiny.data
[[ $(hash_of tiny.data) =~ ^[0-9a-f]{32}$ ]] || fail "32 digits"
[ "$("$PERFDATA" hash - <tiny.data)" = "$(hash_of tiny.data)  -" ] || fail "from standard input"
# shellcheck disable=SC2002
[ "$(cat tiny.data | "$PERFDATA" hash -)" = "$(hash_of tiny.data)  -" ] || fail "through a pipe"
change() { # OFFSET HEX: a copy of tiny.data with other bytes
    "$PERFDATA" corrupt -q -f -o other.data --set "$1=$2" tiny.data >/dev/null
}
change 264 78 && differ tiny.data other.data # the comm's name
change 269 78 && equal tiny.data other.data  # its padding
change 276 01 && differ tiny.data other.data # misc
change 280 01 && differ tiny.data other.data # ip
change 112 01 && differ tiny.data other.data # the attr's config
change 152 ff && differ tiny.data other.data # another flag of it
{
    tiny_header 80 && tiny_records && le 4 68 && le 2 0 8 # FINISHED_ROUND
    le 4 9 && le 2 2 32 && le 8 0x401010 && le 4 71 71 && le 8 5000000100
} | head -c -16 >unfinished.data
{ tiny_header 88 && head -c 24 <(tiny_records) && le 4 9 && le 2 2 32 && le 8 0x401010 && le 4 71 71 &&
    le 8 5000000100 &&
    tail -c 32 <(tiny_records); } >sorted.data
{ tiny_header 96 && tiny_records && le 4 68 && le 2 0 8 && le 4 9 && le 2 2 32 && le 8 0x401010 &&
    le 4 71 71 && le 8 5000000100; } >late.data
equal sorted.data late.data

# As the records come, and all sorted at the end, as it is done with a pipe.
both() { # FILE [FINDINGS]
    local quick sorted
    quick=$("$PERFDATA" hash "$1" 2>quick.err | cut -d' ' -f1) || true
    # shellcheck disable=SC2002
    sorted=$(cat "$1" | "$PERFDATA" hash - 2>sorted.err | cut -d' ' -f1) || true
    [ "$quick" = "$sorted" ] && [ -n "$quick" ] || fail "$1: $quick in order of rounds, $sorted sorted"
    [ "$(wc -l <quick.err)" = "${2:-0}" ] && [ "$(wc -l <sorted.err)" = "${2:-0}" ] ||
        fail "$1: $(cat quick.err sorted.err)"
}
"$PERFDATA" gen -q --seed 3 -c 20000 --events 1 --sample-type ip,tid,time,period,callchain -f -o many.data
both many.data
"$PERFDATA" decode many.data | grep '"SAMPLE"' | sed 's/.*"offset":"\([0-9]*\)".*/\1/' >offsets
# An impossible number of entries in a chain is told once, also when a last sample that is older than all asks
# for another reading.
set_words() { # OUTPUT OFFSET=BYTES...
    local output=$1 given=() word
    for word in "${@:2}"; do given+=(--set "$word"); done
    "$PERFDATA" corrupt -q -f -o "$output" "${given[@]}" many.data >/dev/null
}
chain=$(($(sed -n 10p offsets) + 40))=ffffffffffffff00
time=$(($(tail -1 offsets) + 24))=0100000000000000
set_words older.data "$time" && both older.data && differ many.data older.data
set_words damaged.data "$chain" && both damaged.data 1
set_words damaged.data "$chain" "$time" && both damaged.data 1

{ tiny_header 88 && head -c 24 <(tiny_records) && for ip in 1 2; do le 4 9 && le 2 2 32 && le 8 $ip &&
    le 4 71 71 && le 8 77; done; } >one.data
{ tiny_header 88 && head -c 24 <(tiny_records) && for ip in 2 1; do le 4 9 && le 2 2 32 && le 8 $ip &&
    le 4 71 71 && le 8 77; done; } >two.data
differ one.data two.data # of equal time, the order on disk counts

# ---- Sections, JSON.
expect 0 "$PERFDATA" hash --sections tiny.data
has out '^  [0-9a-f]\{32\}  attrs 1$'
has out '^  [0-9a-f]\{32\}  records 2$'
has out "^$(hash_of tiny.data)  tiny.data$"
expect 0 "$PERFDATA" hash --json --sections tiny.data late.data
[ "$(wc -l <out)" = 2 ] || fail "an object a line"
if command -v python3 >/dev/null; then
    python3 - <<'END' || fail "JSON"
import json
a, b = (json.loads(l) for l in open('out'))
assert a['file'] == 'tiny.data' and len(a['hash']) == 32, a
assert [s['section'] for s in a['sections']] == ['attrs', 'records'], a
assert b['sections'][0] == a['sections'][0] and b['sections'][1]['count'] == '3', b
END
fi

# ---- Lists.
mkdir sub
cp late.data 'sub/a  b*.data'
cp late.data $'sub/new\nline\\.data'
cp late.data $'sub/return\r.data'
"$PERFDATA" hash tiny.data sub/* >list
[ "$(wc -l <list)" = 4 ] || fail "a line each" # as sha256sum of coreutils 9 prints them:
has list "^\\\\$(hash_of late.data)  sub/return\\\\r\\.data\$"
expect 0 "$PERFDATA" hash -c list
has out '^tiny.data: OK$'
expect 0 "$PERFDATA" hash -q --check list
printf '# nothing\n\n' >none
expect 2 "$PERFDATA" hash --check none
has err 'no line'
empty out
"$PERFDATA" hash --sections tiny.data | "$PERFDATA" hash -c - >out ||
    fail "a list with sections, from standard input"
sed 's/^\(.*\)  tiny/# a comment\n\n\1 *tiny/' list >other
expect 0 "$PERFDATA" hash -c other
change 280 01
cp other.data tiny.data
expect 1 "$PERFDATA" hash -c list
has out '^tiny.data: FAILED$'
[ "$(grep -c ': OK$' out)" = 3 ] || fail "the others are as they were"
expect 1 "$PERFDATA" hash -q -c list
[ "$(cat out)" = 'tiny.data: FAILED' ] || fail "-q leaves what differs"
expect 1 "$PERFDATA" hash --json -c list
has out '"ok":false'
echo "$(hash_of late.data)  none.data" >list
expect 2 "$PERFDATA" hash -c list
has err none.data
echo 'cafe  late.data' >list
expect 2 "$PERFDATA" hash -c list
has err 'list: line 1'
expect 2 "$PERFDATA" hash -c none
expect 2 "$PERFDATA" hash -c list late.data
expect 2 "$PERFDATA" hash none.data

# ---- Damage: the hash of what is intact.
head -c 330 late.data >cut.data
expect 3 "$PERFDATA" hash cut.data
has out '  cut.data$'
has err cut.data
expect 3 "$PERFDATA" hash unfinished.data

# A CPU_TOPOLOGY waits for the number of cpus; its damage is told once, with its place.
cat >topology.jsonl <<'END'
{"header":{"container":"pipe","order":"little"}}
{"record":{"type":"HEADER_ATTR","header_attr":{"attr":{"size":128,"sample_type":"IP|TID|TIME"}}}}
{"record":{"type":"HEADER_FEATURE","header_feature":{"feat_id":"CPU_TOPOLOGY","data":"010000004000000061"}}}
END
expect 0 "$PERFDATA" encode -q -o topology.data topology.jsonl
expect 3 "$PERFDATA" hash topology.data
[ "$(grep cpu_topology err | grep -c offset)/$(grep -c cpu_topology err)" = 1/1 ] || fail "$(cat err)"

# ---- Memory: hashes of records wait in temporary files.
tiny >tiny.data
flat 20000 "$PERFDATA" hash
mkdir spill
TMPDIR=$dir/spill expect 0 "$PERFDATA" hash large.data
convert large.data large.pipe --to pipe -z
equal large.data large.pipe
rm -f large.data large.pipe
[ -z "$(ls spill)" ] || fail "left behind: $(ls spill)"

# ---- The committed list of corpus/.
corpus=${PERFDATA_SOURCE:-$(dirname "$0")/../../..}/corpus
expect 3 sh -c 'cd "$1" && "$2" hash -q -c MANIFEST' - "$corpus" "$PERFDATA" # conformance/ has damaged ones
empty out
for file in $(cd "$corpus" && find . -name '*.data' -printf '%P\n'); do
    grep -qF "  $file" "$corpus/MANIFEST" || fail "$file is not in corpus/MANIFEST"
done
for file in "$corpus"/*.data; do
    everywhere "$file"
done

# ---- All of the corpus of real recordings, there and back.
n=0
mapfile -t recordings < <(corpus_files 4)
for file in "${recordings[@]}"; do
    alive "$PERFDATA" hash -q "$file" >want 2>/dev/null || continue # not a recording, or damaged
    want=$(cut -d ' ' -f 1 want)
    convert "$file" big.dir --to dir --endian big -z 2>/dev/null
    [ "$(hash_of big.dir)" = "$want" ] || fail "$file as a big-endian compressed directory"
    rm -f pipe.data
    "$PERFDATA" convert -i big.dir -o pipe.data --to pipe --decompress 2>notes || fail "$file to a stream"
    grep -q 'too large for a record' notes && continue
    [ "$(hash_of pipe.data)" = "$want" ] || fail "$file as a big-endian stream"
    convert pipe.data file.data --to file --endian little
    [ "$(hash_of file.data)" = "$want" ] || fail "$file back as a file"
    n=$((n + 1))
done
[ -z "${PERFDATA_CORPUS:-}" ] || [ $n -gt "$(least "$(effort 12 50)")" ] ||
    fail "only $n recordings of the corpus"

# ---- Made here: several events, call chains, threads' own files, compressed ones.
record plain.data -e cpu-clock,page-faults -g -F 2000 -- bash -c work
everywhere plain.data
record zip.data -e cpu-clock -z -F 2000 -- bash -c work
everywhere zip.data
rm -rf threads.data
record threads.data -e cpu-clock -a --threads -F 2000 -- bash -c work
everywhere threads.data
