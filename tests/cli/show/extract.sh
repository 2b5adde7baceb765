#!/usr/bin/env bash
# extract: parts of recordings made by hand and by perf, byte for byte.
. "$(dirname "$0")/../frame_lib.sh"

# A recording with two features, HOSTNAME (3) and number 200, and two AUXTRACE records.
str64() {
    le 4 64 && printf %s "$1" && zeros $((64 - ${#1}))
}
aux() { # CPU BYTES
    le 4 71 && le 2 0 48 && le 8 ${#2} 0 0 && le 4 0 71 "$1" 0 && printf %s "$2"
}
data() {
    tiny_records && aux 0 'first of 0 pads.' && aux 1 'all of 1 padding' && aux 0 'second of 0, pad'
}
{
    data >records
    size=$(stat -c %s records)
    table=$((248 + size))
    {
        printf PERFILE2
        le 8 104 144 104 144 248 "$size" 0 0
        le 8 $((1 << 3)) 0 0 $((1 << 8))
        le 4 1 128
        le 8 0 1000 7 0 0
        zeros 80
        le 8 0 0
        cat records
        le 8 $((table + 32)) 68 $((table + 100)) 5
        str64 somewhere
        printf 'bytes'
    } >hand.data
}
expect 0 "$PERFDATA" extract --feature hostname hand.data
str64 somewhere >want
same want out
expect 0 "$PERFDATA" extract --feature HOSTNAME -o section hand.data
same want section
expect 2 "$PERFDATA" extract --feature HOSTNAME -o section hand.data
expect 0 "$PERFDATA" extract --feature HOSTNAME -f -o section hand.data
expect 0 "$PERFDATA" extract --feature 200 hand.data
printf bytes >want
same want out
expect 0 "$PERFDATA" extract --auxtrace hand.data
printf 'first of 0 pads.all of 1 paddingsecond of 0, pad' >want
same want out
expect 0 "$PERFDATA" extract --auxtrace=0 hand.data
printf 'first of 0 pads.second of 0, pad' >want
same want out
cat hand.data | "$PERFDATA" extract --auxtrace=1 - >out
printf 'all of 1 padding' >want
same want out

# What is not there, and wrong usage.
expect 1 "$PERFDATA" extract --auxtrace=2 hand.data
has err 'hand.data: has no AUX data'
empty out
expect 1 "$PERFDATA" extract --tracing-data -o none hand.data
[ ! -e none ] || fail "an output without content"
expect 1 "$PERFDATA" extract --build-ids hand.data
expect 2 "$PERFDATA" extract hand.data
expect 2 "$PERFDATA" extract --auxtrace --build-ids hand.data
expect 2 "$PERFDATA" extract --auxtrace=x hand.data
expect 2 "$PERFDATA" extract --feature nonsense hand.data
has err 'there is no "nonsense"'
# AUX data cut short: what is there, and the exit status of damage.
head -c $((248 + $(tiny_records | wc -c) + 48 + 5)) hand.data >cut.data
expect 3 "$PERFDATA" extract --auxtrace cut.data
printf first >want
same want out

# A build id that stands in the section and in records is one line.
unfold >twice.jsonl <<'END_TEXT'
{"header":{}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID"}}
{"record":{"type":"HEADER_BUILD_ID","misc":"cpumode=USER",
    "header_build_id":{"file":{"build_id":"000102030405060708090a0b0c0d0e0f10111213","filename":"/bin/x"}}}}
{"record":{"type":"HEADER_BUILD_ID","misc":"cpumode=USER",
    "header_build_id":{"file":{"build_id":"000102030405060708090a0b0c0d0e0f10111213","filename":"/bin/y"}}}}
{"feature":"BUILD_ID","content":{"entries":[{"type":0,"misc":"cpumode=USER",
    "file":{"build_id":"000102030405060708090a0b0c0d0e0f10111213","build_id_pad":"00000000",
    "filename":"/bin/x"}}]}}
END_TEXT
expect 0 "$PERFDATA" encode -o twice.data twice.jsonl
expect 0 "$PERFDATA" extract --build-ids twice.data
printf '000102030405060708090a0b0c0d0e0f10111213 %s\n' /bin/x /bin/y >want
sort out >got
same want got

# As perf says it.
record perf.data -e cpu-clock -g -- ls -lR /usr/include
perf buildid-list -i perf.data | sort >want
expect 0 "$PERFDATA" extract --build-ids
sort out >got
same want got
"$PERFDATA" convert --to pipe -o - perf.data | "$PERFDATA" extract --build-ids - | sort >got
same want got

# Only files that samples are in; the kernel, whose image may have another name; where all may be.
for file in perf.data "$PERFDATA_SOURCE"/corpus/{callgraph,two-events}.data; do
    perf buildid-list --with-hits -i "$file" 2>/dev/null | grep '^[0-9a-f]' | sort >want
    [ "$(wc -l <want)" -ge 2 ] || fail "perf finds only $(cat want)"
    expect 0 "$PERFDATA" extract --build-ids --with-hits "$file"
    sort out >got
    same want got
done
"$PERFDATA" convert --to pipe -o - "$file" | "$PERFDATA" extract --build-ids --with-hits - | sort >got
same want got
expect 1 "$PERFDATA" extract --build-ids --with-hits twice.data # has no samples
has err 'no build ids of files that samples are in'
expect 2 "$PERFDATA" extract --with-hits --tracing-data perf.data
for image in '[kernel.kallsyms]' /boot/vmlinux; do
    unfold >kernel.jsonl <<END_TEXT
{"header":{}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID"}}
{"record":{"type":"MMAP","misc":"cpumode=KERNEL","mmap":{"pid":-1,"tid":0,"addr":"0x8000000000000000",
    "len":"0x1000000","pgoff":"0x8000000000000000","filename":"[kernel.kallsyms]_text"}}}
{"record":{"type":"SAMPLE","misc":"cpumode=KERNEL","sample":{"ip":"0x8000000000000100","pid":1,"tid":1}}}
{"feature":"BUILD_ID","content":{"entries":[{"type":0,"misc":"cpumode=KERNEL",
    "file":{"build_id":"000102030405060708090a0b0c0d0e0f10111213","build_id_pad":"00000000",
    "filename":"$image"}},{"type":0,"misc":"cpumode=KERNEL",
    "file":{"build_id":"010102030405060708090a0b0c0d0e0f10111213","build_id_pad":"00000000",
    "filename":"/lib/modules/x.ko"}}]}}
END_TEXT
    expect 0 "$PERFDATA" encode -f -o kernel.data kernel.jsonl
    expect 0 "$PERFDATA" extract --build-ids --with-hits kernel.data
    echo "000102030405060708090a0b0c0d0e0f10111213 $image" >want
    same want out
done
