#!/usr/bin/env bash
# perfdata repair: truncated, killed and damaged recordings of every container; losses are reported; the
# result passes check, and perf opens it. tests/unit/ops/repair.c and tests/property/repair_cut.c cut at every
# byte.
. "$(dirname "$0")/../frame_lib.sh"
cp "$PERFDATA_SOURCE/corpus/callgraph.data" good.data
cp "$PERFDATA_SOURCE/corpus/two-events.data" two.data
size=$(stat -c %s good.data)

json() { python3 -c "import json,sys; d=json.load(open('out')); print($1)"; }
records() { "$PERFDATA" dump --json -q "$1" 2>/dev/null | grep -c '"type":"[A-Z]' || true; }
samples() { "$PERFDATA" dump --json -q "$1" 2>/dev/null | grep -c '"type":"SAMPLE"' || true; }
# The samples of a recording as perf prints them; it opens it without a message about damage.
opened() {
    command -v perf >/dev/null || return 0
    perf script -F time,event,ip -i "$1" >perf.txt 2>perf.err || fail "perf does not open $1: $(cat perf.err)"
    ! grep -qi 'truncated\|invalid\|fail\|incompatible\|unexpected' perf.err ||
        fail "perf complains of $1: $(cat perf.err)"
}
good() { # FILE: valid, and perf opens it
    expect 0 "$PERFDATA" check -q "$1"
    opened "$1"
}

expect 2 "$PERFDATA" repair good.data
expect 0 "$PERFDATA" repair -o same.data good.data
good same.data
[ "$(hash_of good.data)" = "$(hash_of same.data)" ] ||
    fail 'a sound recording is changed'
expect 2 "$PERFDATA" repair -o same.data good.data
expect 2 "$PERFDATA" repair -f -o good.data good.data

# A stream is whole though bytes follow that are no record, also behind a last record of an unknown type.
"$PERFDATA" gen -q --to pipe --endian big -c 5 -o whole.pipe
printf '\0\0\0\140\0\0\0\20abcdefgh' >>whole.pipe
{ cat whole.pipe && printf 'ab'; } >stray.pipe
expect 0 "$PERFDATA" repair -o same.pipe stray.pipe
same whole.pipe same.pipe
# But not where something else follows that is as long as it says.
{ cat whole.pipe && printf '\336\255\276\357\1\1\0\20abcdefgh'; } >bad.pipe
expect 3 "$PERFDATA" repair -f -o same.pipe bad.pipe
has err 'lost 32 bytes in 1 place'
# A record that begins in the last COMPRESSED one, and does not end there, is lost in it, not in these bytes.
tiny >tiny.data
"$PERFDATA" convert -q --to pipe -o open.pipe tiny.data
{ tiny_sample 5000000200 && tiny_sample 5000000300; } >two
head -c 45 two | chunk start >>open.pipe
at=$(stat -c %s open.pipe)
{ cat open.pipe && le 4 9 0; } >behind.pipe # a record of no size
printf abc >>open.pipe
expect 3 "$PERFDATA" repair -f -o same.pipe open.pipe
has err "bytes $((at - 62)) to $((at - 1)) are lost: at offset $((at - 62)) .*record inside COMPRESSED"
good same.pipe
expect 3 "$PERFDATA" repair -f -o same.pipe behind.pipe
has err "bytes $((at - 62)) to $((at + 7)) are lost"
good same.pipe
# Where the compressed data is damaged, too, zstd stops on some machines before it has made the begin.
expect 3 "$PERFDATA" repair -o r.pipe \
    "$PERFDATA_SOURCE/tests/damaged/stream-with-a-record-cut-inside-compressed-and-stray-bytes.data"
has err 'bytes 1652 to 4048 are lost: at offset 1652 .*\(record inside COMPRESSED\|data is damaged\)'
good r.pipe

# A report that cannot be printed leaves no output; so it is printed before the output takes its place.
if [ -w /dev/full ]; then
    head -c $((size / 2)) good.data >half.data
    for how in --report --json; do
        got=0
        "$PERFDATA" repair $how -o unsaid.data half.data >/dev/full 2>err || got=$?
        [ $got = 4 ] || fail "repair $how to a full device: $got"
        has err 'No space left'
        [ ! -e unsaid.data ] || fail "repair $how left an output without a report"
    done
fi

# Killed: data size 0 and no features; that is no damage.
data=$((0x$(od -An -tx8 -j40 -N8 good.data | tr -d ' ')))
bytes=$((0x$(od -An -tx8 -j48 -N8 good.data | tr -d ' ')))
head -c $((data + bytes)) good.data >killed.data
zeros 8 | dd of=killed.data bs=1 seek=48 conv=notrunc status=none
zeros 32 | dd of=killed.data bs=1 seek=72 conv=notrunc status=none
expect 0 "$PERFDATA" repair -o k.data killed.data
good k.data
[ "$(records k.data)" = "$(records good.data)" ] || fail 'records of a killed recording are missing'
# One of tracepoints has not got their formats, without which perf does not open it.
"$PERFDATA" gen -q --preset tracing -c 300 -o points.data
{
    read -r at
    read -r size
} < <("$PERFDATA" info --json points.data | grep -o '"data":{[^}]*' | grep -o '[0-9][0-9]*')
head -c $((at + size)) points.data >points.cut
zeros 8 | dd of=points.cut bs=1 seek=48 conv=notrunc status=none
zeros 32 | dd of=points.cut bs=1 seek=72 conv=notrunc status=none
expect 0 "$PERFDATA" repair -f -o k.data points.cut
has err 'the formats of its tracepoints are gone'
expect 0 "$PERFDATA" repair -f --like points.data -o k.data points.cut
! grep formats err || fail 'the formats of the sister are there'
expect 0 "$PERFDATA" repair -f -o k.data points.data
! grep formats err || fail 'the formats are there'
rm k.data

# Cut: what is lost is told in bytes of the input, and the features that stood behind the data are named.
for n in 600 5000 20001 $((data + bytes - 1)) $((data + bytes)) $((size - 1)); do
    head -c "$n" good.data >cut.data
    expect 3 "$PERFDATA" repair -f --json -o r.data cut.data
    lost=$(json 'd["lost_bytes"]')
    [ "$n" -ge $((data + bytes)) ] || has err HOSTNAME
    if [ "$lost" -gt 0 ]; then
        [ "$(json 'd["lost"][0]["offset"] + d["lost"][0]["bytes"]')" = "$n" ] || fail "cut at $n: $(cat out)"
    fi
    good r.data
    expect 3 "$PERFDATA" repair --report cut.data # writes nothing
    [ "$lost" = 0 ] || has out "$lost bytes"
done

# Streams, compressed ones, other byte order.
"$PERFDATA" convert -q --to pipe -o p.pipe good.data
"$PERFDATA" convert -q -z -o z.data good.data
"$PERFDATA" convert -q --endian big -o big.data good.data
for f in p.pipe z.data big.data; do
    size=$(stat -c %s $f)
    for part in 2 3 5 7; do
        head -c $((size * part / 8 + 3)) $f >cut.data
        got=0
        "$PERFDATA" repair -q -f -o r.data cut.data >out 2>err || got=$?
        [ $got = 3 ] || [ $got = 0 ] || fail "$f, $part/8: status $got"
        good r.data
        [ "$(records r.data)" -ge "$(records cut.data)" ] || fail "$f, $part/8: records are missing"
    done
done
cat cut.data | "$PERFDATA" repair -q -f -o r2.data - >out 2>err || true
same r.data r2.data

# To standard output a file goes as a stream.
head -c 20001 good.data >cut.data
"$PERFDATA" repair -q -o - cut.data >s.pipe 2>err && fail 'damage gives status 0'
[ "$(od -An -tu8 -j8 -N8 s.pipe | tr -d ' ')" = 16 ] || fail 'no pipe stream'
alive "$PERFDATA" repair -q -f -o r.data cut.data 2>err || true
[ "$(samples s.pipe)" = "$(samples r.data)" ] || fail 'the stream has other samples'
expect 0 "$PERFDATA" check -q s.pipe
expect 2 "$PERFDATA" repair --report -o - cut.data

# Damage in the middle: with --keep-tail all but a few records are kept, else only those before it; both
# report the losses.
n=$(samples good.data)
sample=$("$PERFDATA" dump --json good.data | sed -n 's/^{"type":"SAMPLE".*"offset":"\([0-9]*\)".*/\1/p' |
    sed -n 10p)
cp good.data bad.data
printf '\0\0\0\0\0\0\0\0' | dd of=bad.data bs=1 seek="$sample" conv=notrunc status=none
expect 3 "$PERFDATA" repair --keep-tail --json -f -o r.data bad.data
[ "$(json 'len(d["lost"]), d["lost"][0]["offset"]')" = "1 $sample" ] || fail "$(cat out)"
good r.data
[ "$(samples r.data)" = $((n - 1)) ] || fail "$(samples r.data) samples of $n, expected one to be lost"
"$PERFDATA" info -I r.data | grep -q hostname || fail 'the features are lost'
expect 3 "$PERFDATA" repair -f -o r.data bad.data
has err "bytes $sample to"
good r.data
[ "$(samples r.data)" = 9 ] || fail "$(samples r.data) samples before the damage, expected 9"

# perf stops at a record of an event that it does not know, or with a build id of impossible size.
python3 - <<'END'
import json, struct, subprocess, os
def records(name):
    dump = [os.environ["PERFDATA"], "dump", "--json", name]
    out = subprocess.run(dump, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]
data = bytearray(open("two.data", "rb").read())
size = lambda at: struct.unpack_from("<H", data, at + 6)[0]
entry, attrs = struct.unpack_from("<QQ", data, 16)
ids_at, ids_bytes = struct.unpack_from("<QQ", data, attrs + entry - 16)
samples = [int(r["offset"]) for r in records("two.data") if r["type"] == "SAMPLE"]
ids = {data[ids_at + i:ids_at + i + 8].hex() for i in range(0, ids_bytes, 8)}
for at in samples: # the first sample that has one of the ids of the first event: another one instead
    where = [i for i in range(at + 8, at + size(at), 8) if data[i:i + 8].hex() in ids]
    if where:
        struct.pack_into("<Q", data, where[0], 0x123456789)
        break
else:
    raise SystemExit("no sample has an id")
maps = [int(r["offset"]) for r in records("two.data") if r["type"] == "MMAP2"]
struct.pack_into("<H", data, maps[0] + 4, struct.unpack_from("<H", data, maps[0] + 4)[0] | 0x4000)
data[maps[0] + 40] = 99
open("bad.data", "wb").write(data)
END
expect 3 "$PERFDATA" repair -f -o r.data bad.data
has err 'event id'
has err 'build id'
good r.data
[ "$(samples r.data)" = $(($(samples two.data) - 1)) ] || fail 'more than the one sample is lost'

# A feature that cannot be decoded is left out, the others stay.
section=$("$PERFDATA" info --json good.data | sed -n 's/.*"name":"HOSTNAME","offset":\([0-9]*\),.*/\1/p')
cp good.data bad.data
printf '\377\377\377\377' | dd of=bad.data bs=1 seek="$section" conv=notrunc status=none
expect 3 "$PERFDATA" repair -f -o r.data bad.data
has err 'HOSTNAME .*left out'
good r.data
"$PERFDATA" info -I r.data | grep -q 'arch' || fail 'another feature is lost'

# The header or the attrs are lost: repair says so, or takes those of another recording; event ids come from
# the file itself.
{ zeros 400 && tail -c +401 two.data; } >zeroed.data
tail -c +300 two.data >behead.data
head -c 104 two.data >headonly
cp two.data noattrs.data
printf '\377\377\377\377\377\377' | dd of=noattrs.data bs=1 seek=26 conv=notrunc status=none
for f in zeroed.data behead.data noattrs.data; do
    rm -f r.data
    expect 3 "$PERFDATA" repair -o r.data $f
    [ ! -e r.data ] || fail "$f: something was written"
    expect 3 "$PERFDATA" repair --like two.data -o r.data $f
    has err 'stand in for them'
    good r.data
    "$PERFDATA" dump -F time,event,ip two.data >want.txt 2>/dev/null
    "$PERFDATA" dump -F time,event,ip r.data >got.txt 2>/dev/null
    same want.txt got.txt
    "$PERFDATA" info -I r.data | grep -q hostname || fail "$f: no features"
done
# The other header may be shorter: here the attrs stand where the last features would.
python3 - <<'END'
import struct
data = open("two.data", "rb").read()
_, _, entry, attrs, size, start, bytes_ = struct.unpack_from("<7Q", data)
own = bytearray(data[attrs : attrs + size])
ids = b""
for at in range(entry - 16, size, entry):
    place, n = struct.unpack_from("<QQ", own, at)
    struct.pack_into("<Q", own, at, 88 + size + len(ids))
    ids += data[place : place + n]
begin = 88 + size + len(ids)
head = data[:8] + struct.pack("<8Q", 88, entry, 88, size, begin, bytes_, 0, 0) + bytes(16)
open("short.data", "wb").write(head + own + ids + data[start : start + bytes_])
END
expect 0 "$PERFDATA" check -q short.data
tail -c +300 two.data >behead.data
rm -f r.data
expect 3 "$PERFDATA" repair --like short.data -o r.data behead.data
"$PERFDATA" dump -F time,event,ip r.data >got.txt 2>/dev/null
same want.txt got.txt
# Of several lists of ids that the file has, the first counts; others may come from elsewhere.
python3 - <<'END'
import struct
data = bytearray(open("two.data", "rb").read())
at = struct.unpack_from("<Q", data, 40)[0]
places = []  # of records from the list on
while at < sum(struct.unpack_from("<QQ", data, 40)):
    kind, _, n = struct.unpack_from("<IHH", data, at)
    if places or kind == 69:
        places.append((at, n))
    at += n
first, n = places[0]
index = data[first : first + n]
for entry in range(16, n, 32):  # id, idx, cpu, tid
    struct.pack_into("<Q", index, entry, struct.unpack_from("<Q", index, entry)[0] + 1000)
at = places[1][0]
end = next(at + size for at, size in places[1:] if at + size - places[1][0] >= n)
data[at:end] = index + struct.pack("<IHH", 68, 0, 8) * ((end - at - n) // 8)
open("ids.data", "wb").write(data)
data[104:136] = struct.pack("<4Q", 1, 2, 3, 4)  # ids of its attrs
open("sister.data", "wb").write(data)
END
"$PERFDATA" dump -F time,event,ip ids.data >want.txt 2>/dev/null
tail -c +300 ids.data >behead.data
rm -f r.data
expect 3 "$PERFDATA" repair --like sister.data -o r.data behead.data
"$PERFDATA" dump -F time,event,ip r.data >got.txt 2>/dev/null
[ -s want.txt ] || fail 'no samples'
same want.txt got.txt
expect 2 "$PERFDATA" repair --like big.data -f -o r.data two.data
expect 3 "$PERFDATA" repair --like two.data -f -o r.data headonly

# The same if the attrs do not explain the samples. Samples with the same layout are not lost then.
"$PERFDATA" gen -q --preset server -c 3000 -o server.data
python3 - <<'END'
import random, struct
random.seed(5)
for name in "good", "two", "server":
    data = open(name + ".data", "rb").read()
    entry, attrs, size = struct.unpack_from("<3Q", data, 16)
    other = struct.unpack_from("<Q", data, attrs + 24)[0] ^ 1 # without IP
    for what, at, new in (
        ("zero", attrs, bytes(size)),
        ("random", attrs, random.randbytes(size)),
        ("first", attrs + 24, struct.pack("<Q", other)),
        ("last", attrs + size - entry, bytes(entry)),
    ):
        open(f"{name}.{what}", "wb").write(data[:at] + new + data[at + len(new):])
END
for name in good two server; do
    for what in zero random first last; do
        rm -f r.data
        expect 3 "$PERFDATA" repair --like $name.data --keep-tail -o r.data $name.$what
        has err 'stand in for them'
        good r.data
        [ "$(hash_of r.data)" = "$(hash_of $name.data)" ] || fail "$name, $what: it is not what it was"
        rm r.data
        expect 3 "$PERFDATA" repair -o r.data $name.$what
        has err 'attrs.*--like OTHER'
        [ $what = last ] || [ ! -e r.data ] || fail "$name, $what: something was written"
    done
done

# Damage of ids at the end of other records does not count as that, though reading ends there after four
# samples.
python3 - <<'END'
import struct
data = bytearray(open("two.data", "rb").read())
at, size = struct.unpack_from("<2Q", data, 40)
n = 0
while n < 5:
    kind, misc, bytes_ = struct.unpack_from("<IHH", data, at)
    if kind < 64 and kind != 9: # the last word is the id
        n += 1
        struct.pack_into("<Q", data, at + bytes_ - 8, 0x123456789)
    at += bytes_
data[at:at + 8] = bytes(8)
open("early.data", "wb").write(data)
END
expect 3 "$PERFDATA" repair --keep-tail -f -o r.data early.data
has err 'events that its attrs do not have'
good r.data
[ "$(samples r.data)" = "$(samples two.data)" ] || fail 'samples are missing'

# A feature that is damaged in the other recording is not taken from it.
python3 - <<'END'
import struct
data = bytearray(open("two.data", "rb").read())
start, size = struct.unpack_from("<QQ", data, 40)
bits = [n for n in range(256) if data[72 + n // 8] >> n % 8 & 1]
at, = struct.unpack_from("<Q", data, start + size + 16 * bits.index(3)) # HOSTNAME
data[at:at + 4] = b"\xff" * 4
open("unnamed.data", "wb").write(data)
END
{ zeros 104 && tail -c +105 two.data; } >zeroed.data
expect 3 "$PERFDATA" repair --like unnamed.data -f -o r.data zeroed.data
good r.data
[ "$(samples r.data)" = "$(samples two.data)" ] || fail 'samples are missing'
"$PERFDATA" info two.data | grep -q ' HOSTNAME ' || fail 'no name to compare with'
! "$PERFDATA" info r.data | grep -q ' HOSTNAME ' || fail 'a damaged name is taken'

# Attrs of another recording that do not explain the samples, or no samples at all: an error, and no output.
"$PERFDATA" edit -q --strip callchain -o other.data good.data
{ zeros 104 && tail -c +105 good.data; } >zeroed.data
: >empty
rm -f r.data
expect 3 "$PERFDATA" repair --like other.data -o r.data zeroed.data
has err 'the events of other.data are not those of its samples'
expect 3 "$PERFDATA" repair --like other.data -o r.data good.zero
has err 'do not explain its samples; nor do those'
expect 3 "$PERFDATA" repair --like good.data -o r.data empty
has err 'nothing is left of empty'
[ ! -e r.data ] || fail 'something was written'
expect 0 "$PERFDATA" repair --like other.data -f -o r.data good.data # its own are intact
[ "$(hash_of r.data)" = "$(hash_of good.data)" ] || fail 'a sound recording is changed'

# If the header has a wrong position of the data, repair finds the data, and the features behind it.
python3 - <<'END'
import struct
for name in "good", "server":
    data = open(name + ".data", "rb").read()
    start, size = struct.unpack_from("<2Q", data, 40)
    for what, section in (
        ("offset", (2**64 - 1, size)),
        ("size", (start, 2**64 - 1)),
        ("half", (start, size // 2)),
        ("both", (7, 7)),
        ("end", (len(data) - size, size)),
    ):
        open(f"{name}.{what}", "wb").write(data[:40] + struct.pack("<2Q", *section) + data[56:])
END
for name in good server; do
    for what in offset size half both end; do
        expect 3 "$PERFDATA" repair -f -o r.data $name.$what
        has err 'data.*found .*expected'
        [ "$(hash_of r.data)" = "$(hash_of $name.data)" ] || fail "$name, $what: it is not what it was"
        good r.data
    done
done

# What it says of its samples' times stays, whatever they are.
expect 0 "$PERFDATA" repair -f -o r.data server.data
[ "$(hash_of r.data)" = "$(hash_of server.data)" ] || fail 'a sound recording is changed'

# A stream or directory without attrs is an error.
"$PERFDATA" convert -q --to pipe -o two.pipe two.data
{ head -c 16 two.pipe && tail -c +4001 two.pipe; } >noattrs.pipe
expect 3 "$PERFDATA" repair --like two.data -f -o r.data noattrs.pipe
has err 'the attrs are gone.*not for those of a stream'
"$PERFDATA" convert -q --to dir -o noattrs.dir two.data
truncate -s 50 noattrs.dir/data
expect 3 "$PERFDATA" repair --like two.data -f -o r.data noattrs.dir
has err 'not for those of a directory'
rm -r noattrs.dir

# An unknown type may be that of a later perf: it is kept with a message, as perf stops there, or left out.
python3 - <<'END'
import struct
data = bytearray(open("two.data", "rb").read())
start, size = struct.unpack_from("<QQ", data, 40)
at = start
for _ in range(40):
    at += struct.unpack_from("<H", data, at + 6)[0]
data[at:at] = struct.pack("<IHHQ", 99, 0, 16, 1)
struct.pack_into("<Q", data, 48, size + 16)
for i in range(sum(bin(b).count("1") for b in data[72:104])): # the table of features
    place = start + size + 16 + 16 * i
    struct.pack_into("<Q", data, place, struct.unpack_from("<Q", data, place)[0] + 16)
open("later.data", "wb").write(data)
open("at", "w").write(str(at))
END
expect 0 "$PERFDATA" repair -f -o r.data later.data
has err 'kept 1 records of types that are not known.*--drop-unknown'
[ "$(hash_of r.data)" = "$(hash_of later.data)" ] ||
    fail 'a record of a later perf is not kept'
if command -v perf >/dev/null; then # what is said of perf
    perf script -i r.data >perf.txt 2>perf.err && [ ! -s perf.err ] &&
        fail 'perf goes on behind a type that it does not know'
    has perf.err 'failed to process type: 99'
fi
expect 3 "$PERFDATA" repair --drop-unknown --json -f -o r.data later.data
[ "$(json 'd["lost_bytes"], d["lost"][0]["offset"], d["unknown"]')" = "16 $(cat at) 0" ] || fail "$(cat out)"
good r.data
[ "$(hash_of r.data)" = "$(hash_of two.data)" ] ||
    fail 'more is lost than a record'
"$PERFDATA" convert -q -z -o laterz.data later.data
expect 3 "$PERFDATA" repair --drop-unknown -f -o r.data laterz.data
[ "$(hash_of r.data)" = "$(hash_of two.data)" ] ||
    fail 'more is lost than a compressed record'

# Reading continues behind damage, in another byte order or with several events, with the bytes there and not
# with older bytes of the window. The ends of lost ranges are behind their starts.
for f in "$PERFDATA_SOURCE"/tests/damaged/keep-tail-*.data; do
    expect 3 "$PERFDATA" repair --keep-tail -f -o r.data "$f"
    grep -o 'bytes [0-9]* to [0-9]*' err | while read -r _ from _ to; do
        [ "$to" -ge "$from" ] || fail "$f: an end before its begin: $from to $to"
    done
    expect 0 "$PERFDATA" check -q r.data
done
"$PERFDATA" gen -q -f -c 3000 -o g.data
"$PERFDATA" corrupt -q -f --set 0x34ae=be --set 0x355e=7b -o bad.data g.data
expect 3 "$PERFDATA" repair --keep-tail --report -f -o r.data bad.data
has out '^lost: .*, expected '
expect 0 "$PERFDATA" check --strict r.data
[ "$(samples r.data)" -ge 2935 ] || fail "only $(samples r.data) samples"

# Records that can be decoded, but stop perf: an id of no event, a type that cannot occur there, a size that
# includes the next record.
for set in 0x347d=da 0x3470=42 0x3476=b0; do
    "$PERFDATA" corrupt -q -f --set $set -o bad.data g.data
    for how in '' --keep-tail; do
        # shellcheck disable=SC2086
        expect 3 "$PERFDATA" repair $how -f -o r.data bad.data
        expect 0 "$PERFDATA" check --strict r.data
        opened r.data
    done
    [ "$(samples r.data)" = 2939 ] || [ "$(samples r.data)" = 2940 ] ||
        fail "$set: $(samples r.data) samples are left"
done

# Lost features are in the report, with their end.
expect 3 "$PERFDATA" repair --report "$PERFDATA_SOURCE/tests/damaged/keep-tail-framing.data"
has out '^lost: feature HOSTNAME (3): .* ends at 2131968, beyond the end of the file at 11517'
expect 3 "$PERFDATA" repair --report --json "$PERFDATA_SOURCE/tests/damaged/keep-tail-framing.data"
[ "$(json 'd["lost_features"][1]["name"], d["lost_features"][1]["number"]')" = "HOSTNAME 3" ] ||
    fail "$(cat out)"
head -c 9000 two.data >cut.data
expect 3 "$PERFDATA" repair --report --json cut.data
[ "$(json '[f["name"] for f in d["lost_features"]].count("HOSTNAME")')" = 1 ] || fail "$(cat out)"

# A directory: each file by itself, the others stay.
if command -v perf >/dev/null &&
    perf record --threads -o dir -F 999 -e cpu-clock -a -- sleep 0.2 >record.log 2>&1 </dev/null; then
    n=$(samples dir)
    size=$(stat -c %s dir/data.0)
    truncate -s $((size / 2 + 5)) dir/data.0
    left=$("$PERFDATA" dump --json -q dir 2>/dev/null | grep -c '"type":"SAMPLE"' || true)
    expect 3 "$PERFDATA" repair -o fixed dir
    has err 'data.0'
    good fixed
    [ "$(samples fixed)" = "$left" ] || fail "$(samples fixed) samples of the directory, expected $left of $n"
    truncate -s 30 dir/data.0
    truncate -s -300 dir/data # its features are gone
    expect 3 "$PERFDATA" repair -f -o fixed dir
    good fixed
fi

# Recordings that others found malformed: a result that check passes, or a refusal that says why.
if [ -n "${PERFDATA_CORPUS:-}" ] && [ -d "$PERFDATA_CORPUS/malformed" ]; then
    for f in "$PERFDATA_CORPUS"/malformed/*; do
        for how in '' --keep-tail; do
            rm -f r.data
            got=0
            # shellcheck disable=SC2086
            "$PERFDATA" repair -q $how -o r.data "$f" >out 2>err || got=$?
            [ $got = 0 ] || [ $got = 3 ] || fail "$f: status $got: $(cat err)"
            if [ -e r.data ]; then
                expect 0 "$PERFDATA" check -q r.data
            else
                [ -s err ] || fail "$f: refused without a word"
            fi
        done
    done
fi

# Large records of simpleperf in parts, one of which is damaged: what is kept of them passes check, whatever
# else is lost.
"$PERFDATA" gen -q --random -c 400 --seed 1 -t SIMPLEPERF_SPLIT:3,SIMPLEPERF_SPLIT_END:2,COMM:2,SAMPLE:2 \
    -o parts.data || fail 'gen'
expect 0 "$PERFDATA" repair -f -o same.data parts.data
same parts.data same.data
"$PERFDATA" dump parts.data >parts
for type in SIMPLEPERF_SPLIT SIMPLEPERF_SPLIT_END; do
    for place in $(sed -nE "s/^(0x[0-9a-f]+) .*: $type .*/\1/p; s/^(0x[0-9a-f]+) .*: $type\$/\1/p" parts |
        sed -n '2p;9p'); do
        "$PERFDATA" corrupt -q -f --set "$(printf '0x%x' $((place + 1)))=11" -o bad.data parts.data \
            >/dev/null || fail 'corrupt'
        for how in '' --keep-tail; do
            # shellcheck disable=SC2086
            "$PERFDATA" repair -q -f $how -o mended.data bad.data 2>err || [ $? = 3 ] ||
                fail "repair $how: $(cat err)"
            expect 0 "$PERFDATA" check -q mended.data
        done
    done
done

# ---- A directory: whatever is damaged in `data` or another file of it, check finds nothing in the output.
expect 0 "$PERFDATA" gen -q -c 500 --to dir -o whole.dir
repaired_dir() { # WHAT: gx
    rm -rf gy
    "$PERFDATA" repair -q -f -i gx -o gy >out 2>err || [ $? = 3 ] || fail "$1: $(cat err)"
    [ ! -e gy ] || expect 0 "$PERFDATA" check gy
}
for ((seed = 1; seed <= $(full && echo 200 || echo 24); seed++)); do
    rm -rf gx
    cp -r whole.dir gx
    member=data
    [ $((seed % 3)) != 0 ] || member=data.0
    case $((seed % 4)) in
    0) head -c $((seed * 8191 % $(stat -c %s whole.dir/$member))) whole.dir/$member >gx/$member ;;
    *) "$PERFDATA" corrupt -q -f -E 0.002 --seed $seed -o gx/$member whole.dir/$member >/dev/null ;;
    esac
    repaired_dir "damage $seed of $member"
done
expect 0 "$PERFDATA" edit -q --set-feature dir_format=0 -o zero.dir whole.dir # as if there were no data.0
for name in zero missing missing-too; do
    rm -rf gx
    cp -r whole.dir gx
    if [ $name = zero ]; then cp zero.dir/data gx/data; else rm gx/data.0; fi
    # The features' bits are others: DIR_FORMAT is an empty section.
    [ $name != missing-too ] || printf '\377' | dd of=gx/data bs=1 seek=72 conv=notrunc status=none
    expect 3 "$PERFDATA" check gx
    repaired_dir $name
    [ -e gy ] || fail "$name: nothing is repaired"
    if [ $name = zero ]; then
        "$PERFDATA" hash whole.dir | cut -d ' ' -f 1 >want
        "$PERFDATA" hash gy | cut -d ' ' -f 1 >got
        same want got
    fi
done

# What is not there is not kept.
rm -rf gx gy
cp -r whole.dir gx
rm gx/data.0
ln -s nowhere gx/data.0
expect 3 "$PERFDATA" repair -o gy gx
has err '^perfdata repair: kept [0-9]* samples'
rm -r gy
expect 0 "$PERFDATA" repair -o gy whole.dir
has err '^perfdata repair: kept all [0-9]* samples'
rm -r gy

# Where a file is missing between others, these are numbered anew.
rm -rf gx
cp -r whole.dir gx
cp gx/data.0 gx/data.7
mv gx/data.0 gx/data.3
expect 3 "$PERFDATA" check gx
repaired_dir gaps
[ "$(cd gy && echo data*)" = 'data data.0 data.1' ] || fail "gaps: $(ls gy)"
cmp -s gy/data.0 gx/data.3 && cmp -s gy/data.1 gx/data.7 || fail 'gaps: other records'

# A large record that a file leaves open would be the begin of one of another file, which is lost; the report
# is the same without an output.
part() { # DATA
    echo '{"record":{"type":"SIMPLEPERF_SPLIT","simpleperf_split":{"data":"'"$1"'"}}}'
}
{
    echo '{"directory":"."}'
    echo '{"member":"data"}'
    echo '{"header":{"container":"file","order":"little"}}'
    echo '{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}'
    echo '{"record":{"type":"SAMPLE","sample":{"ip":"1","pid":1,"tid":1,"time":"10"}}}'
    echo '{"member":"data.0"}'
    part 0b80000000001800
    echo '{"member":"data.1"}'
    part 0b80000000001000
    part 3400000000000000
    echo '{"record":{"type":"SIMPLEPERF_SPLIT_END","simpleperf_split_end":{}}}'
} | "$PERFDATA" encode -q -o open.dir || fail 'encode of a directory'
expect 3 "$PERFDATA" repair --report -o closed.dir open.dir
has out 'lost: data.1, 0 to 39 (40 bytes)'
cp out report
expect 0 "$PERFDATA" check closed.dir
expect 3 "$PERFDATA" repair --report open.dir
same report out
for how in 'convert --to file' merge sort 'filter --tid 1'; do
    # shellcheck disable=SC2086
    expect 3 "$PERFDATA" $how -f -o joined.data open.dir
    has err 'data.1: at offset 0 .*behind one of another file'
    rm -rf joined.data
done

# What is lost of several files is told of each by itself, in their order, where it has the same place or one
# before that of another file, too.
tiny >tiny.data
"$PERFDATA" convert -q --to dir -o cut.dir tiny.data
tiny_records | tail -c 32 >sample
cat sample <(head -c 16 sample) >cut.dir/data.0
cp cut.dir/data.0 cut.dir/data.1
head -c 20 sample >cut.dir/data.2
expect 3 "$PERFDATA" repair --json --report cut.dir
[ "$(json '[(l["member"], l["offset"], l["bytes"]) for l in d["lost"]]')" = \
    "[('data.0', 32, 16), ('data.1', 32, 16), ('data.2', 0, 20)]" ] || fail "$(cat out)"

# ---- An ID_INDEX with an id of no event, at which perf stops, is left out; another stays.
index_of() { # ID
    unfold <<JSON
{"header":{"container":"file","order":"little"}}
{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"IP|TID|TIME","flags":"sample_id_all"},
    "ids":["5","6"]}
{"record":{"type":"ID_INDEX","id_index":{"entries":[{"id":"5","idx":"0","cpu":"0","tid":"7"},
    {"id":"$1","idx":"1","cpu":"1","tid":"7"}]}}}
{"record":{"type":"SAMPLE","sample":{"ip":"0x1","pid":7,"tid":7,"time":"10"}}}
JSON
}
index_of 6 | "$PERFDATA" encode -q -f -o listed.data
expect 0 "$PERFDATA" repair -f -o out.data listed.data
cmp listed.data out.data || fail 'an ID_INDEX was changed'
index_of 7 | "$PERFDATA" encode -q -f -o listed.data
expect 0 "$PERFDATA" check listed.data
has out 'note: .* (ID_INDEX): no event has its id, 7'
expect 3 "$PERFDATA" repair -f -o out.data listed.data
! "$PERFDATA" decode out.data | grep -q ID_INDEX || fail 'an ID_INDEX of no event stays'
has err 'kept 1 samples and 0 other records; lost 80 bytes in 1 place'
! command -v perf >/dev/null || perf script -i out.data >/dev/null 2>&1 </dev/null ||
    fail 'perf does not read it'

# A COMM whose size says that the next record is in it, and the one behind that, in part or whole: it alone is
# is lost, its own bytes, as large as it was.
"$PERFDATA" gen -q -f -c 40 --events 1 --sample-type ip,tid,time,cpu,period,raw -o whole.data
cat >swallow.py <<'END'
import json
import os
import struct
import subprocess

COMM = 3
whole = open("whole.data", "rb").read()
at, size = struct.unpack_from("<QQ", whole, 40)
records, end, tried = [], at + size, 0
while at < end:
    kind, _, size = struct.unpack_from("<IHH", whole, at)
    records.append((at, size, kind))
    at += size
for (at, size, kind), one, two in zip(records, records[1:], records[2:]):
    for more in range(one[1] + 8, one[1] + two[1] + 8, 8) if kind == COMM else ():
        bad = bytearray(whole)
        struct.pack_into("<H", bad, at + 6, size + more)
        open("bad.data", "wb").write(bad)
        repair = f"{os.environ['PERFDATA']} repair --json --keep-tail -q -f -o r.data bad.data"
        said = json.loads(subprocess.run(repair.split(), stdout=subprocess.PIPE).stdout)
        lost = [(lost["offset"], lost["bytes"]) for lost in said["lost"]]
        assert lost == [(at, size)], f"{at}: {size} bytes and {more}: {lost}"
        tried += 1
assert tried > 100
END
PERFDATA=$PERFDATA python3 swallow.py || fail 'a record that swallowed others'
