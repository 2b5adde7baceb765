#!/usr/bin/env bash
# Damage is never passed over in silence: what a verb cannot read it names with its offset, and the exit status is 3.
. "$(dirname "$0")/frame_lib.sh"
cp "$PERFDATA_SOURCE/corpus/callgraph.data" good.data
chmod 600 good.data

# FILE OFFSET BYTE: a copy of good.data with one byte replaced.
with_byte() {
    cp good.data "$1"
    printf "\\x$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# A sample of a stream without attrs.
printf 'PERFILE2\20\0\0\0\0\0\0\0\11\0\0\0\1\0\20\0\64\22\0\0\0\0\0\0' >lonely.data
expect 0 "$PERFDATA" dump -F ip lonely.data
expect 0 "$PERFDATA" check lonely.data

# attr_size 255: the two entries of 144 bytes are no whole number of them.
with_byte stride.data 16 ff
for verb in check info dump 'dump -F tid,time'; do
    # shellcheck disable=SC2086 # the verb and its options
    expect 3 "$PERFDATA" $verb stride.data
    cat out err | grep -q 'at offset 32 .*attrs.size' || fail "$verb: attrs.size is not named"
done
expect 3 "$PERFDATA" filter -o filtered.data stride.data

# A call chain that says it has more entries than its record: nr stands behind header, IP, TID, TIME, ID, CPU, PERIOD.
sample=$("$PERFDATA" dump --json good.data | sed -n 's/^{"type":"SAMPLE".*"offset":"\([0-9]*\)".*/\1/p' | head -1)
with_byte chain.data $((sample + 56)) 7f
for verb in check info dump; do
    expect 3 "$PERFDATA" $verb chain.data
    cat out err | grep -q "at offset $sample .*SAMPLE.*ips" || fail "$verb: the chain is not named"
done
for sideband in needed all none; do
    expect 3 "$PERFDATA" filter -f --sideband=$sideband -o filtered.data chain.data
    has err "at offset $sample .*SAMPLE.*ips"
done

# Bytes behind a pipe's last record: a note with the offset where they start, also when the input cannot seek.
expect 0 "$PERFDATA" convert --to pipe -o good.pipe good.data
size=$(stat -c %s good.pipe)
printf '[ perf record: Woken up 1 times to write data ]\n' >>good.pipe
expect 0 "$PERFDATA" check good.pipe
has out "at offset $size "
cat good.pipe | "$PERFDATA" check - >out 2>err || fail "a pipe with text behind it: status $?"
has out "at offset $size "
