#!/usr/bin/env bash
# What the command does beyond limits of SECURITY.md that take too much time or memory to reach, when they are
# lowered (lowered.tsv), and what is just within them. USUAL is a command with the usual ones. Run by run.
. "$(dirname "$0")/../cli/frame_lib.sh"
case $0 in /*) ;; *) fail 'run me by an absolute path' ;; esac
: "${USUAL:?the perfdata executable with the usual limits}"

# refused STATUS TEXT COMMAND...: the lowered command ends with it, and tells that; the usual one does not.
refused() {
    local status=$1 text=$2
    shift 2
    expect "$status" "$PERFDATA" "$@"
    has err "$text"
    expect 0 "$USUAL" "$@"
    ! grep -q "$text" err || fail "$text: without a lower limit: $*"
}

# ---- PROVEN: 128 bytes of a feature are decoded, more are only compared; check says so.

"$USUAL" gen -q -c 10 --features none -o plain.data
# hostname SIZE: a recording with a HOSTNAME of so many bytes, and FILE.bad, where its text has a wrong size.
hostname() {
    local at
    { le 4 $(($1 - 4)) && zeros $(($1 - 5)) | tr '\0' x && zeros 1; } >section
    "$USUAL" edit -q --set-feature hostname=@section -o "$1.data" plain.data
    at=$("$USUAL" decode "$1.data" | sed -nE 's/.*"feature":"hostname".*"offset":"([0-9]+)".*/\1/p')
    cp "$1.data" "$1.bad"
    printf '\377' | dd of="$1.bad" bs=1 seek="$at" conv=notrunc status=none
    expect 3 "$USUAL" check "$1.bad"
}
hostname 128
hostname 129
expect 3 "$PERFDATA" check 128.bad
expect 0 "$PERFDATA" check 128.data
if grep -q 'not decoded' out; then fail "128: $(cat out err)"; fi
expect 0 "$PERFDATA" check 129.bad
has out 'features that have more than 128 bytes, and are not decoded: 1, the first is hostname'
expect 1 "$PERFDATA" check --strict 129.bad
for verb in 'convert --to file' 'convert --to dir' filter sort repair; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" $verb -q -o kept 129.bad
    LC_ALL=C grep -qraP '\xff\0\0\0x{124}\0' kept || fail "$verb: the feature is lost"
    rm -r kept
done
"$USUAL" gen -q --preset tracing --to pipe -c 500 -o tracing.pipe
expect 0 "$PERFDATA" check tracing.pipe
has out 'not decoded: 1, the first is tracing_data'

at=$("$USUAL" decode tracing.pipe |
    sed -nE 's/.*"HEADER_TRACING_DATA".*"size":([0-9]+).*"offset":"([0-9]+)".*/\1 \2/p')
cp tracing.pipe tracing.bad
# The version in it has no end.
zeros 40 | tr '\0' x | dd of=tracing.bad bs=1 seek=$((${at% *} + ${at#* } + 10)) conv=notrunc status=none
expect 3 "$USUAL" check tracing.bad
for verb in 'convert --to pipe' 'edit --time-shift +1' filter sort repair; do
    # shellcheck disable=SC2086
    expect 3 "$USUAL" $verb -q -f -o kept tracing.bad
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" $verb -q -f -o kept tracing.bad
    LC_ALL=C grep -qaE 'x{40}' kept || fail "$verb: the tracing data is lost"
    rm kept
done

# ---- SORT_MEMORY: hash puts more than 64 KiB of hashes into temporary files.

"$USUAL" gen -q -c 20000 -o first.data
"$USUAL" gen -q -c 20000 --seed 4 -o second.data
"$USUAL" edit -q --time-shift -1000 -o earlier.data second.data
"$USUAL" merge -q -a -o late.data first.data earlier.data
expect 0 "$PERFDATA" hash late.data
cp out lowered
expect 0 env TMPDIR=/nonexistent "$USUAL" hash late.data
same out lowered
expect 4 env TMPDIR=/nonexistent "$PERFDATA" hash late.data
has err 'a temporary file could not be written'

# ---- LARGE_RECORD: one that comes in parts of which `merge` holds more than 100,000 bytes.

large() { # BYTES: a large record in two parts, of a type that is not known
    python3 -c 'import json, struct, sys
size = int(sys.argv[1])
whole = struct.pack("<IHH", 40000, size >> 16, size & 65535) + bytes(size - 8)
print(json.dumps({"header": {}}))
print(json.dumps({"attr": {"sample_type": "IP|TID|TIME", "flags": "sample_id_all"}}))
for part in whole[:50000], whole[50000:]:
    record = {"type": "SIMPLEPERF_SPLIT", "simpleperf_split": {"data": part.hex()}}
    print(json.dumps({"record": record}))
print(json.dumps({"record": {"type": "SIMPLEPERF_SPLIT_END", "simpleperf_split_end": {}}}))' "$1" |
        "$USUAL" encode -q -f -o large.data
}
large 99000
expect 0 "$PERFDATA" merge -f -o merged large.data large.data
expect 0 "$PERFDATA" check merged
large 99990 # and the heads of its parts, which merge holds, too
expect 0 "$PERFDATA" check large.data
refused 3 'record in parts: found 100006, the limit is 100000' merge -f -o merged large.data large.data
large 101000
refused 3 'record in parts: .*the limit is 100000' merge -f -o merged large.data large.data
expect 3 "$PERFDATA" check large.data
has out 'the limit is 100000'
expect 0 "$USUAL" check large.data

# ---- PIECE_HELD, INDEX_BLOCKS, INDEX_TASKS, REPORT

refused 3 'payload that each piece must carry: found [0-9]*, the limit is 64' \
    split -q -f --chunks 3 -o 'piece%d' tracing.pipe
tasks() { # N: samples of so many tasks
    local i
    printf '%s\n' '{"header":{}}' '{"attr":{"sample_type":"IP|TID|TIME","flags":"sample_id_all"}}'
    for i in $(seq "$1"); do
        echo "{\"record\":{\"type\":\"SAMPLE\",\"sample\":{\"pid\":$i,\"tid\":$i,\"time\":\"$i\"}}}"
    done
}
tasks 8 | "$USUAL" encode -q -o 8.data
tasks 9 | "$USUAL" encode -q -o 9.data
expect 0 "$PERFDATA" index -f 8.data
refused 3 'tasks: found 9, the limit is 8' index -f 9.data
printf '%s\n' 'event cycles 1000 Hz' 'process one' >one.txt
"$USUAL" gen -q --workload one.txt -c 40000 -o blocks.data
refused 3 'blocks: found 5, the limit is 4' index -f blocks.data
expect 1 "$PERFDATA" index --check blocks.data # of the usual command
has err 'blocks: found [0-9]*, the limit is 4'
expect 0 "$PERFDATA" index -f --block 1M blocks.data
refused 3 'memory of the report: found [0-9]*, the limit is 65536' report -s time/100000 blocks.data

# ---- EXPORT_NAMES

"$USUAL" gen -q --preset branch -c 3000 -o branch.data
for to in autofdo bolt profgen; do
    refused 3 'branches of a file: found [0-9]*, the limit is 4096' export --to $to -f -o profiles branch.data
    rm -rf profiles
done
{
    echo 'event cycles 1000 Hz'
    for i in $(seq 10 60); do echo "process p$i in /$i$(zeros 100 | tr '\0' 0)"; done
} >names.txt
"$USUAL" gen -q --workload names.txt -c 3000 -o names.data
for to in folded pprof speedscope firefox parquet; do
    refused 3 'names: found [0-9]*, the limit is 4096' export --to $to -f -o profile names.data
done
# stacks N DEPTH: N stacks of one task, of 8 frames, of which no two begin alike as long as that is possible.
stacks() {
    awk -v n="$1" -v depth="$2" 'BEGIN {
        print "{\"header\":{}}"
        print "{\"attr\":{\"sample_type\":\"IP|TID|TIME|CALLCHAIN\"}}"
        for (i = 0; i < n; i++) {
            chain = ""
            for (j = 0; j < depth; j++)
                chain = sprintf(",\"%d\"", 4096 + 16 * (int(i / 8 ^ j) % 8)) chain
            printf "{\"record\":{\"type\":\"SAMPLE\",\"misc\":\"cpumode=USER\",\"sample\":{\"ip\":\"4096\"," \
                "\"pid\":7,\"tid\":7,\"time\":\"%d\",\"callchain\":{\"ips\":[\"USER\"%s]}}}}\n", i + 1, chain
        }
    }'
}
stacks 512 4 | "$USUAL" encode -q -o 512.data
stacks 513 4 | "$USUAL" encode -q -o 513.data
stacks 200 40 | "$USUAL" encode -q -o deep.data
expect 0 "$PERFDATA" export --to speedscope -f -o profile 512.data
refused 3 'stacks of a thread: found 4104, the limit is 4096' export --to speedscope -f -o profile 513.data
expect 0 "$PERFDATA" export --to speedscope -f -o profile deep.data
refused 3 'frames of a thread: found 4104, the limit is 4096' export --to firefox -f -o profile deep.data
printf '%s\n' 'event cycles 1000 Hz' 'process one' ' function f 0x2000-0x9000 100%' >spread.txt
"$USUAL" gen -q --workload spread.txt -c 3000 -o spread.data
for to in pprof speedscope firefox; do
    refused 3 'frames: found [0-9]*, the limit is 4096' export --to $to -f -o profile spread.data
done

# ---- PARQUET_ROWS: a group has 64 rows. PARQUET_GROUP: and up to 16 KiB, whatever may be used.

reader=$(dirname "$0")/../cli/export/parquet_read.py
# groups FILE: the rows of the greatest group; all rows are as usual.
groups() {
    expect 0 "$USUAL" export --to parquet -f -o usual "$1"
    expect 0 "$PERFDATA" export --to parquet -f -o lowered "$1"
    python3 "$reader" usual >want 2>groups
    [ "$(wc -l <groups)" = 1 ] || fail "$1: $(cat groups)"
    python3 "$reader" lowered >got 2>groups
    same want got
    sed -n 's/^group of \([0-9]*\):.*/\1/p' groups | sort -n | tail -n 1
}
most=$(groups spread.data)
[ "$most" = 64 ] || fail "a group of $most rows, not 64"
"$USUAL" gen -q -c 500 --depth 200 --sample-type ip,tid,time,callchain -o chains.data
most=$(groups chains.data)
{ [ "$most" -gt 4 ] && [ "$most" -lt 60 ]; } || fail "a group of $most rows, not of 16 KiB"

# ---- SYMBOLS_ELF: a program with more symbols has none.

program() { # N: with so many functions, and a recording of it
    local id address
    seq -f 'void f%g(void) {}' "$1" | cc -x c -shared -fPIC -Wl,--build-id -o "$1.so" -
    id=$(readelf -n "$1.so" | sed -n 's/.*Build ID: //p')
    address=$(nm "$1.so" | awk '$3 == "f1" { print $1 }')
    unfold >text <<END
{"header":{}}
{"attr":{"sample_type":"IP|TID|TIME"}}
{"record":{"type":"MMAP2","misc":"cpumode=USER|mmap_build_id",
    "mmap2":{"pid":7,"tid":7,"addr":"0x10000000","len":"0x10000","pgoff":"0","build_id_size":20,
    "build_id":"$id","prot":5,"flags":2,"filename":"$dir/$1.so"}}}
{"record":{"type":"SAMPLE","misc":"cpumode=USER","sample":{"ip":"0x$(printf %x $((0x10000000 + 0x$address)))",
    "pid":7,"tid":7,"time":"10"}}}
END
    "$USUAL" encode -q -o "$1.data" <text
}
program 20
program 400
expect 0 "$PERFDATA" symbols 20.data
has out 'f1$'
expect 0 "$PERFDATA" symbols 400.data
if grep -q 'f1$' out; then fail '400 functions'; fi
has err 'have no symbols here'
expect 0 "$USUAL" symbols 400.data
has out 'f1$'

# ---- TEXT_ATTRS, TEXT_PAYLOAD

attrs() {
    echo '{"header":{}}'
    for _ in $(seq "$1"); do echo '{"attr":{"sample_type":"IP"}}'; done
}
attrs 4 >4.text
attrs 5 >5.text
expect 0 "$PERFDATA" encode -f -o encoded 4.text
refused 3 'more than 4 attrs' encode -f -o encoded 5.text
payload() {
    printf '%s\n' '{"header":{"container":"pipe"}}' '{"record":{"type":"AUXTRACE","auxtrace":{}}}' \
        "{\"payload\":\"$(zeros $((2 * $1)) | tr '\0' 0)\"}"
}
payload 64 >64.text
payload 72 >72.text
expect 0 "$PERFDATA" encode -f -o encoded 64.text
refused 3 'payload: more than 64 bytes' encode -f -o encoded 72.text

# ---- MERGE_NOTES: two notes are told.

for n in 1 2; do
    "$USUAL" edit -q --set-feature cmdline="run $n" --set-feature version="6.$n" --set-feature cpudesc="$n" \
        -o "merged$n" plain.data
done
differing() { # N COMMAND: so many features differ
    expect 0 "$2" merge -f -o "merged.$1" merged1 merged2
    [ "$(grep -c differs err)" = "$1" ] || fail "merge, not $1: $(cat err)"
}
differing 3 "$USUAL"
differing 2 "$PERFDATA"
same merged.2 merged.3

# ---- TOLD_ONCE: of one place, damage is told once; of more, that of the others by each reader that finds it.

"$USUAL" gen -q -c 10 --features none --to pipe -o plain.pipe
short_comm() { le 4 3 && le 2 0 12 && le 4 7; }
empty_attr() { le 4 64 && le 2 0 24 && le 8 1 0; }
{ cat plain.pipe && empty_attr; } >one.pipe
{ cat plain.pipe && short_comm && empty_attr; } >two.pipe
told() { # FILE COMM-ERRORS ATTR-ERRORS
    expect 3 "$command" info "$1"
    [ "$(grep -c COMM err) $(grep -c HEADER_ATTR err)" = "$2 $3" ] || fail "$command: $1: $(cat err)"
}
command=$PERFDATA
told one.pipe 0 1
told two.pipe 1 2
command=$USUAL
told two.pipe 1 1
