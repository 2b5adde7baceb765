#!/usr/bin/env bash
# check -j: output and exit status are those of one thread, wherever the data is cut into parts, whatever
# their content. Tests the command itself, and one whose parts have 1000 bytes. Checks R6.
. "$(dirname "$0")/../frame_lib.sh"
small=$PERFDATA_BUILD/tests/perfdata_small_parts
"$small" --version >/dev/null 2>&1 || skip "$small does not run here"

# both COMMAND FILE...: with one thread and with several.
both() {
    local command=$1 how one several
    shift
    [ $# -gt 0 ] || fail "no files"
    for how in "" --json "--strict -q"; do
        one=0 several=0
        # shellcheck disable=SC2086
        "$PERFDATA" check $how "$@" >one 2>one.err </dev/null || one=$?
        # shellcheck disable=SC2086
        "$command" check $how -j3 "$@" >several 2>several.err </dev/null || several=$?
        [ $one = $several ] || fail "check $how $*: exit status $one, -j3 $several"
        cmp -s one several || fail "check $how $*: -j3 prints something else: $(diff one several | head -n 4)"
        cmp -s one.err several.err ||
            fail "check $how $*: -j3 says something else: $(diff one.err several.err | head -n 4)"
    done
}

# ---- Small recordings of all kinds.
both "$small" "$PERFDATA_SOURCE"/corpus/*.data "$PERFDATA_SOURCE"/corpus/conformance/*.data
mapfile -t recordings < <(corpus_files 1)
[ ${#recordings[@]} = 0 ] || both "$small" "${recordings[@]}"

# ---- Random ones, damaged at random, and with unknown records.
gen() {
    expect 0 "$PERFDATA" gen -q -f -o "$@"
}
gen build.data --preset build -c 400
gen big.data --preset build -c 400 --endian big
gen server.data --preset server -c 400
gen all.data -t ALL -c 400 --seed 5
gen stacks.data -c 100 --sample-type ip,tid,time,stack_user
gen aux.data -t SAMPLE:90,AUXTRACE:10 -c 300
gen zipped.data --preset build -c 400 -z
gen framed.data --preset build -c 400 -z --frames 2K
gen pipe.data --preset build -c 400 --to pipe
gen dir --preset build -c 400 --to dir
seeds=$(effort 3 6)
! hurried || seeds=1
for file in build big server all stacks aux zipped framed pipe; do
    for ((seed = 1; seed <= seeds; seed++)); do
        "$PERFDATA" corrupt -q -f -E 0.0002 --seed $seed -o bad-$file$seed.data $file.data >/dev/null
        "$PERFDATA" corrupt -q -f --unknown-record --seed $seed -o unknown-$file$seed.data $file.data \
            >/dev/null
        "$PERFDATA" corrupt -q -f --truncate -$((seed * 7001)) -o short-$file$seed.data $file.data >/dev/null
    done
done
both "$small" ./*.data dir
"$PERFDATA" check build.data >one
"$small" check -j2 - <build.data >several
sed -i 's/^standard input/build.data/' several
same one several
"$small" check -j2 - < <(cat build.data) >several
sed -i 's/^standard input/build.data/' several
same one several

# ---- Raw data that looks like records, at any place: 40 samples in a sample; and one of those is damaged.
python3 - <<'END'
import struct
IP_TID_TIME_RAW = 1 | 2 | 4 | 1024
def sample(raw):
    raw += bytes(-(len(raw) + 4) % 8)
    body = struct.pack("<QIIQI", 0x400000, 7, 7, 1000, len(raw)) + raw
    return struct.pack("<IHH", 9, 2, 8 + len(body)) + body
comm = struct.pack("<IHHII", 3, 0, 24, 7, 7) + b"sixteens" # without a NUL
fake = b"".join(sample(b"fake") for i in range(40))
damaged = bytearray(fake)
struct.pack_into("<H", damaged, 48 * 30 + 6, 4)
def write(name, records):
    fixed = struct.pack("<IIQQQQQ", 1, 64, 0, 4000, IP_TID_TIME_RAW, 0, 0)
    attr = fixed + bytes(16) + struct.pack("<QQ", 0, 0)
    header = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 80, 104, 80, 184, len(records), 0, 0) + bytes(32)
    open(name, "wb").write(header + attr + records)
def event(name, n): # a sample of an event that nobody knows, behind n of one of two that are not alike
    attr = lambda more, ids: (struct.pack("<IIQQQQQ", 1, 64, 0, 4000, 1 << 16 | 1 | more, 0, 0) + bytes(16) +
                              struct.pack("<QQ", ids, 8))
    samples = [struct.pack("<IHHQQ", 9, 2, 24, id, 0x400000) for id in [1] * n + [3] + [1] * 100]
    sections = struct.pack("<QQQQQQQQ", 104, 80, 120, 160, 280, 24 * len(samples), 0, 0)
    header = b"PERFILE2" + sections + bytes(32)
    attrs = struct.pack("<QQ", 1, 2) + attr(0, 104) + attr(2, 112)
    open(name, "wb").write(header + attrs + b"".join(samples))
for n in range(12):
    write(f"fake{n}.data", sample(b"plain") * n + (sample(b"----" + fake) + sample(b"plain") * 3) * 20)
    write(f"odd{n}.data", sample(b"plain") * (n * 20 + 1) + comm + sample(b"plain") * 100)
    event(f"event{n}.data", n * 20 + 1)
    five = sample(b"----" + bytes(damaged)) * 5
    write(f"false{n}.data", sample(b"plain") * n + five + sample(b"plain") * 50)
END
expect 0 "$PERFDATA" check fake0.data
has out ': ok: 80 records'
both "$small" fake*.data false*.data odd*.data event*.data
expect 0 "$small" check -j2 odd11.data
has out 'note: .*comm of COMM has no NUL'
expect 0 "$small" check -j2 event11.data
has out 'note: .*1 records of unknown events'

# ---- Recordings of several parts of the usual size: whole, damaged in the middle and at the end.
gen long.data --size 8M --sample-type ip,tid,time,callchain --seed 3
both "$PERFDATA" long.data
"$PERFDATA" corrupt -q --set 3000006=0400 --set 6000000=ffffffffffffffff -o bad.data -f long.data >/dev/null
both "$PERFDATA" bad.data
"$PERFDATA" corrupt -q --unknown-record -o unknown.data -f long.data >/dev/null
both "$PERFDATA" unknown.data
"$PERFDATA" corrupt -q --truncate -100000 -o short.data -f long.data >/dev/null
both "$PERFDATA" short.data

# ---- And threads there are.
gen longer.data --size "$(sanitized && echo 20M || echo 60M)" --sample-type ip,tid,time,callchain
for try in 1 2 3 4 5 6 7 8 9 10; do
    most=0
    "$PERFDATA" check -q -j3 longer.data &
    pid=$!
    while tasks=(/proc/$pid/task/*) && [ -e "${tasks[0]}" ]; do
        [ ${#tasks[@]} -le $most ] || most=${#tasks[@]}
    done
    wait $pid
    [ $most -lt 2 ] || break
done
[ $most -ge 2 ] || fail "check -j3 has $most threads, $try times"
