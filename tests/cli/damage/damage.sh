#!/usr/bin/env bash
# Damage is never skipped silently: a verb names the damaged data with its offset, and the exit status is 3.
# Checks R12.
. "$(dirname "$0")/../frame_lib.sh"
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

# A sample of 16 bytes of an event that samples IP, TID and what only a later kernel knows: short for TID, but
# its layout is not known, so it is no damage to any verb. The same with the known bits alone is.
short_sample() { # NAME BYTE, the sixth of sample_type
    printf 'PERFILE2\20\0\0\0\0\0\0\0''\100\0\0\0\0\0\110\0''\1\0\0\0\100\0\0\0' >"$1"
    printf '\0\0\0\0\0\0\0\0\240\17\0\0\0\0\0\0\3\0\0\0\0\'"$2"'\0\0' >>"$1"
    head -c 32 /dev/zero >>"$1"
    printf '\11\0\0\0\1\0\20\0\1\0\0\0\0\0\0\0' >>"$1"
}
short_sample later.data 125
short_sample short.data 0
for verb in check info dump 'filter -f -o out.data' 'filter -f --pid 7 -o out.data' 'convert -f -o out.data' \
    'repair -f -o out.data'; do
    # shellcheck disable=SC2086 # the verb and its options
    expect 0 "$PERFDATA" $verb later.data
done
expect 0 "$PERFDATA" check later.data
has out 'kept as bytes'
cat later.data | "$PERFDATA" filter --pid 7 -o - - 2>err | cmp -s later.data - ||
    fail "a stream's filter lost a sample"
for verb in check info dump 'filter -f -o out.data' 'filter -f --pid 7 -o out.data'; do
    # shellcheck disable=SC2086 # the verb and its options
    expect 3 "$PERFDATA" $verb short.data
    cat out err | grep -q 'at offset 88 .*SAMPLE' || fail "$verb: the sample is not named"
done

# attr_size 255: the two entries of 144 bytes are no whole number of them.
with_byte stride.data 16 ff
for verb in check info dump 'dump -F tid,time'; do
    # shellcheck disable=SC2086 # the verb and its options
    expect 3 "$PERFDATA" $verb stride.data
    cat out err | grep -q 'at offset 32 .*attrs.size' || fail "$verb: attrs.size is not named"
done
expect 3 "$PERFDATA" filter -o filtered.data stride.data

# A call chain that says it has more entries than its record: nr stands behind header, IP, TID, TIME, ID, CPU,
# PERIOD.
sample=$("$PERFDATA" dump --json good.data | sed -n 's/^{"type":"SAMPLE".*"offset":"\([0-9]*\)".*/\1/p' |
    head -1)
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

# A string in a feature that says it is longer than its section: in a file, and as a record of a stream.
section=$("$PERFDATA" info --json good.data | sed -n 's/.*"name":"HOSTNAME","offset":\([0-9]*\),.*/\1/p')
with_byte feature.data "$section" 7f
expect 3 "$PERFDATA" convert -q --to pipe -o feature.pipe feature.data
for verb in check info 'info -I' dump 'convert -f -o out.data' 'convert -f --to file -o out.data' \
    'convert -f --to pipe -o out.data' 'convert -f --endian big -o out.data' \
    'filter -f --pid 1 -o out.data'; do
    for file in feature.pipe feature.data; do
        # shellcheck disable=SC2086 # the verb and its options
        expect 3 "$PERFDATA" $verb -i $file
        grep -q 'feature hostname, text: found 127, expected 64' out err ||
            fail "$verb $file: the feature is not named"
    done
    grep -q "at offset $((section + 4)) " out err || fail "$verb: wrong offset"
done
expect 3 "$PERFDATA" info feature.data
has out 'events' # the rest is shown all the same
