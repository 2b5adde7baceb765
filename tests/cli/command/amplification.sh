#!/usr/bin/env bash
# Hostile recordings that make large outputs from a few bytes: entries of the same bytes, one attr that makes
# all others large, records that each piece of `split` must carry, a long name in each line. Each verb writes
# at most a stated multiple of its input, or names the limit that it would exceed and leaves no output. Checks
# R13.
. "$(dirname "$0")/../frame_lib.sh"

python3 - <<'END'
import struct

def attr(size=128):  # IP, TID, TIME; sample_id_all
    return struct.pack("<IIQQQQQ", 0, size, 0, 1000, 7, 0, 1 << 18) + bytes(size - 48)

def record(kind, body):
    return struct.pack("<IHH", kind, 2, 8 + len(body)) + body

def text(name):
    return name + bytes(8 - len(name) % 8)

def sample(pid, time):
    return record(9, struct.pack("<QIIQ", 0x400000, pid, pid, time))

def mmap2(time):
    fixed = struct.pack("<IIQQQIIQQII", 1, 1, 0x400000, 0x1000, 0, 0, 0, 0, 0, 5, 2)
    return record(10, fixed + text(b"/a" * 100) + struct.pack("<IIQ", 1, 1, time))

def file(name, data, features=(), sections=b"", entries=None):
    """features: numbers; sections: their bytes; entries: offset in these and size of each."""
    data_at = 104 + 144
    table = data_at + len(data)
    behind = table + 16 * len(features)
    bitmap = sum(1 << n for n in features).to_bytes(32, "little")
    head = b"PERFILE2" + struct.pack("<8Q", 104, 144, 104, 144, data_at, len(data), 0, 0) + bitmap
    entries = entries or [(0, len(sections))] * len(features)
    index = b"".join(struct.pack("<QQ", behind + at, n) for at, n in entries)
    open(name, "wb").write(head + attr() + bytes(16) + data + index + sections)

samples = b"".join(sample(1, 10000 + i) for i in range(1000))
file("features.data", samples[:50 * 32], range(32, 160), bytes(100000))
file("maps.data", b"".join(mmap2(i + 1) for i in range(4000)) + samples)
file("pids.data", b"".join(sample(i + 1, 10000 + i) for i in range(10000)), [100], bytes(300000))
named = record(3, struct.pack("<II", 1, 1) + text(b"x" * 60000) + struct.pack("<IIQ", 1, 1, 1))
file("task.data", named + samples * 10)
name = text(b"y" * 200000)
desc = struct.pack("<II", 1, 128) + attr() + struct.pack("<II", 0, len(name)) + name
file("event.data", samples * 10, [12], desc)
with open("attrs.pipe.data", "wb") as f:
    f.write(b"PERFILE2" + struct.pack("<Q", 16) + record(64, attr(65520)) + record(64, attr(64)) * 5000)
END

# Features that together are larger than the file: those beyond that limit are damaged.
expect 3 "$PERFDATA" check features.data
has out 'features of the file, all together: found 200000, the limit is 103896'

# wrote FILE TIMES OUT WHAT: OUT, a file or a directory, has at most TIMES the size of FILE and 64 KiB more.
wrote() {
    local size most
    size=$(du -sb "$3" 2>/dev/null | cut -f1) || true
    most=$(($(stat -c %s "$1") * $2 + 65536))
    [ "${size:-0}" -le "$most" ] || fail "$4: $1: $size bytes, $most at most"
}

for f in *.data; do
    for verb in 'convert --to file' 'convert --to pipe' 'convert --endian big' 'convert --decompress' filter \
        sort repair 'edit --drop-feature hostname' 'redact --unknown=drop' merge decode; do
        rm -f made
        status=0
        # shellcheck disable=SC2086
        case $verb in
        merge) "$PERFDATA" merge -q -o made "$f" 2>err ;;
        *) "$PERFDATA" $verb -q -o made -i "$f" 2>err ;;
        esac || status=$?
        case $status in 0 | 2 | 3) ;; *) fail "$verb $f: $(cat err)" ;; esac
        wrote "$f" 8 made "$verb"
    done
    for verb in dump 'dump -F comm,tid,time,event,ip' 'dump --json' info 'info --json' hash; do
        # shellcheck disable=SC2086
        "$PERFDATA" $verb -i "$f" 2>err | head -c 100000000 >made || true
        wrote "$f" 20 made "$verb"
    done
done

# One attr of 65,520 bytes makes the entries of all others in a file as large.
for verb in 'convert --to file -i' merge; do
    rm -f made
    # shellcheck disable=SC2086
    expect 3 "$PERFDATA" ${verb% -i} -o made ${verb#"${verb% -i}"} attrs.pipe.data
    has err 'zeros behind attrs smaller than the largest: found 327280000, the limit is 73277184'
    [ ! -e made ] || fail "$verb: something was written"
done

# Pieces: more than 64 MiB and 64 times the input are not repeated, unless that is asked for; less than that
# if it is.
mkdir pieces
for how in 'maps.data --chunks 1000' 'maps.data --size 4K' 'pids.data --by pid'; do
    # shellcheck disable=SC2086
    expect 3 "$PERFDATA" split -o 'pieces/%d' $how
    most=$((64 * $(stat -c %s "${how%% *}") + (64 << 20)))
    has err "bytes of copies in all pieces: found .*, the limit is $most\$"
    [ -z "$(ls -A pieces)" ] || fail "$how: something was left: $(ls -A pieces | head)"
done
expect 3 "$PERFDATA" split --max-copied 1M --chunks 3 -o 'pieces/%d' maps.data
has err 'bytes of copies in all pieces: found .*, the limit is 1048576'
expect 0 "$PERFDATA" split --max-copied 3M --chunks 3 -o 'pieces/%d' maps.data
[ "$(ls pieces | wc -l)" = 3 ] || fail "pieces: $(ls pieces)"
rm pieces/*
expect 3 "$PERFDATA" split --chunks 50 -o 'pieces/%d' features.data
wrote features.data 50 pieces split
expect 2 "$PERFDATA" split --max-copied 0 --chunks 3 -o 'pieces/%d' maps.data

# Names in lines end in "...".
"$PERFDATA" dump -F comm,event task.data 2>err >out; head -1 out | grep -q '^x\{252\}\.\.\. ' ||
    fail 'the name of a task'
"$PERFDATA" dump -F event event.data 2>err >out; head -1 out | grep -q '^ *y\{252\}\.\.\.: *$' ||
    fail 'the name of an event'
"$PERFDATA" filter -q -e "$(printf 'y%.0s' {1..100000})*" -o made event.data ||
    fail 'an event by its long name'
