#!/usr/bin/env bash
# perfdata redact leaves most samples as they are, and sees that without decoding them where their bytes are
# in the machine's order. In the other order each is decoded: both give the same. Some samples get reserved
# bytes, words of a stack and bytes behind the fields that are to be redacted. Raw data at the end changes in
# all of them, and is found without decoding unless its size is wrong.
. "$(dirname "$0")/../frame_lib.sh"

# spoil FILE: changes each third sample of a recording that has chains and one layout of samples.
spoil() {
    python3 - "$1" <<'END'
import random
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
rng = random.Random(7)
at, size = struct.unpack_from("<QQ", data, 40)
end, fixed, counts = at + size, 8 + 7 * 8, [0, 0, 0, 0]  # IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CALLCHAIN
while at < end:
    kind, size = struct.unpack_from("<IxxH", data, at)
    how = rng.randrange(12) if kind == 9 else 9
    (n,) = struct.unpack_from("<Q", data, at + fixed - 8) if kind == 9 else (0,)
    if kind == 9 and fixed + 8 * n != size:
        sys.exit(f"a sample of {size} bytes has {n} entries")
    if how == 0:
        struct.pack_into("<I", data, at + fixed - 20, rng.randrange(3))  # reserved
    elif how == 1 and n > 1:
        word = rng.choice([b"secret!!", b"\0\0\0\0\0\0a\0", b"\0\0\0\0\0\0\0\x80"])
        place = at + fixed + 8 * rng.randrange(1, n)
        data[place:place + 8] = word
        data[at + fixed:at + fixed + 8] = struct.pack("<q", rng.choice([-512, -128, -2560]))
    elif how == 2 and n:
        struct.pack_into("<Q", data, at + fixed - 8, n - 1)  # the last entry is left over
    elif how == 3:
        struct.pack_into("<Q", data, at + fixed - 8, rng.choice([n + 1, 1 << 61, 0]))
    counts[min(how, 3)] += how < 4
    at += size
open(sys.argv[1], "wb").write(data)
if min(counts) < 50:
    sys.exit(f"too few are changed: {counts}")
END
}

# spoil_raw FILE: changes every fourth sample of a recording whose samples end with raw data of tracepoints.
spoil_raw() {
    python3 - "$1" <<'END'
import random
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
rng = random.Random(7)
at, size = struct.unpack_from("<QQ", data, 40)
end, counts = at + size, [0, 0, 0, 0]
while at < end:
    kind, size = struct.unpack_from("<IxxH", data, at)
    sizes = [p for p in range(8, size - 4, 4) if struct.unpack_from("<I", data, at + p)[0] == size - p - 4]
    if kind == 9 and len(sizes) == 1:
        place, how = at + sizes[0], rng.randrange(16)
        n = size - sizes[0] - 4
        if how == 0:
            struct.pack_into("<I", data, place, n - 8)  # 8 bytes are left over
        elif how == 1:
            struct.pack_into("<I", data, place, rng.choice([n + 8, n + 1, 1 << 31, 0xffffffff]))
        elif how == 2:
            struct.pack_into("<H", data, place + 4, 0x6261)  # not the number of its event
        elif how == 3:
            struct.pack_into("<I", data, place, rng.choice([n - 1, n - 7, 1, 0]))
        counts[min(how, 3)] += how < 4
    at += size
open(sys.argv[1], "wb").write(data)
if min(counts) < 50:
    sys.exit(f"too few are changed: {counts}")
END
}

# both VERB FILE OPTION...: the outcome in both orders.
both() {
    local verb=$1 file=$2 status=0 other=0
    shift 2
    "$PERFDATA" convert -q -f --endian big -o big.data "$file" 2>/dev/null || [ $? = 3 ] || fail "$file"
    "$PERFDATA" "$verb" -q -f "$@" -o little.out "$file" 2>little.err || status=$?
    "$PERFDATA" "$verb" -q -f "$@" -o big.out big.data 2>big.err || other=$?
    [ $status = $other ] || fail "$verb $file $*: status $status, $other: $(head -1 little.err big.err)"
    [ -s little.out ] || [ $status -gt 1 ] || fail "$verb $file $*: no output"
    [ -e big.out ] || return 0
    expect 0 "$PERFDATA" convert -q -f --endian little -o turned.out big.out
    cmp -s little.out turned.out || fail "$verb $file $*: the outputs differ"
    rm big.out
}

fields=ip,tid,time,cpu,period,callchain
expect 0 "$PERFDATA" gen -q -f -c 5000 --events 3 --sample-type identifier,$fields -o whole.data
cp whole.data spoilt.data
spoil spoilt.data || fail 'nothing to test with'
for file in whole.data spoilt.data; do
    both redact $file
    for options in '--unknown drop' '--unknown drop --payloads keep' '--unknown drop --payloads drop' \
        '--unknown drop --addrs hash' '--unknown drop --addrs drop' \
        '--unknown drop --times hash --pids hash'; do
        # shellcheck disable=SC2086
        both redact $file $options
    done
done
for options in '--time-shift 1' '--strip callchain' '--max-stack 2'; do
    # shellcheck disable=SC2086
    both edit whole.data $options
done
expect 0 "$PERFDATA" gen -q -f --preset tracing -c 5000 -o raw.data
cp raw.data raw_spoilt.data
spoil_raw raw_spoilt.data || fail 'nothing to test raw data with'
for file in raw.data raw_spoilt.data; do
    both redact $file
    for options in '--unknown drop' '--unknown drop --payloads keep' '--unknown drop --payloads drop' \
        '--unknown drop --addrs hash'; do
        # shellcheck disable=SC2086
        both redact $file $options
    done
done
both edit raw.data --time-shift 1
both edit raw.data --strip callchain
[ "$(grep -ao task-13 raw.data | wc -l)" -gt 100 ] || fail 'no names in raw data'
expect 0 "$PERFDATA" redact -q -f --prove task-13 -o y.data raw.data
! grep -aq task-13 y.data || fail 'a name is left in raw data'
expect 3 "$PERFDATA" redact -q -f --unknown drop --prove secret -o y.data spoilt.data
for fields in ip,tid,time,cpu ip,tid,time,addr,cpu,weight,data_src tid,time,cpu,callchain,raw; do
    expect 0 "$PERFDATA" gen -q -f --random -t SAMPLE:9,COMM:1 -c 3000 --events 2 --sample-type $fields \
        -o random.data
    both redact random.data --unknown drop
done
