#!/usr/bin/env bash
# perfdata sort: shuffled records, compared with an order made in Python; every container and byte order; very
# little memory; its messages, and its exit status.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'

# The records of a recording as text, in a random order that keeps what follows a record behind it.
cat >shuffle.py <<'END'
import json, random, sys
random.seed(int(sys.argv[1]))
lines = [json.loads(line) for line in sys.stdin]
head, ids, records = [], {}, []
for line in lines:
    if "record" in line:
        del line["record"]["offset"]
        records.append([line])
    elif "payload" in line:
        line.pop("offset", None)
        records[-1].append(line)
    elif "header" in line:
        head.append({"header": {key: line["header"][key] for key in ("container", "order")}})
    elif "ids" in line:
        ids[line["of"]] = line["ids"]
    elif "attr" in line:
        head.append({"attr": line["attr"], "ids": ids[line["of"]]})
span = int(sys.argv[2])
places = sorted((i + random.randrange(span), i) for i in range(len(records)))
for line in head:
    print(json.dumps(line))
for _, i in places:
    for line in records[i]:
        print(json.dumps(line))
END

# The rule: records with a time by time, equal times in their old order; records without a time in their old
# order; perf's rounds determine the places of the latter among the others.
cat >order.py <<'END'
import json, sys
def records(path):
    result = []
    for line in open(path):
        line = json.loads(line)
        if "payload" in line:
            result[-1][2].append(line["payload"])
        elif "record" in line:
            r = line["record"]
            del r["offset"]
            time = r["sample"]["time"] if r["type"] == "SAMPLE" else r.get("sample_id", {}).get("time", 0)
            time = int(time)
            result.append([time, json.dumps(r, sort_keys=True), []])
    return result
def is_round(r):
    return '"FINISHED_ROUND"' in r[1]
before, after = records(sys.argv[1]), records(sys.argv[2])
key, limit, done, newest = [], 0, 0, 0
for i, r in enumerate(before):
    if is_round(r):
        done, limit = max(done, limit), newest
    newest = max(newest, r[0])
    key.append((r[0] or done, i))
want = [before[i] for _, i in sorted(key)]
timed = [r[0] for r in before if r[0]]
in_order = timed == sorted(timed)
if in_order:
    want = before
want = [r for r in want if not is_round(r)]
got = [r for r in after if not is_round(r)]
assert len(want) > 100, len(want)
for i, (w, g) in enumerate(zip(want, got)):
    assert w == g, (i, w, g)
assert len(want) == len(got), (len(want), len(got))
# perf processes all in the order in which it stands: whatever is without a time comes when nothing waits.
queue, limit, newest = 0, 0, 0
for r in after:
    if is_round(r):
        if newest <= limit: queue = 0
        limit = newest
    elif r[0]:
        assert r[0] >= newest
        queue, newest = 1, r[0]
    elif not in_order:
        assert not queue, r
END

random_recording() { # SEED SPAN OPTION...
    local seed=$1 span=$2
    shift 2
    "$PERFDATA" gen -q -f --random --features none -c 700 --seed "$seed" "$@" -o plain.data
    "$PERFDATA" decode plain.data | python3 shuffle.py "$seed" "$span" >shuffled.json
    "$PERFDATA" encode -q -f -o shuffled.data <shuffled.json
    "$PERFDATA" decode shuffled.data >before.json
}
types=SAMPLE:80,MMAP2:5,COMM:4,THROTTLE:2,AUXTRACE:3,TIME_CONV:2,FINISHED_ROUND:3
seed=${SEED:-1}
for span in 1 5 60 2000 700; do
    for endian in little big; do
        echo "seed $seed, span $span, $endian"
        # With a period they are usual (src/codec/usual.h), and go ahead of others without being decoded.
        random_recording "$seed" "$span" -t "$types" --endian $endian \
            --sample-type ip,tid,time,identifier,cpu"$( ((seed / 2 % 2)) || echo ,period)"
        for memory in 1 64M; do
            expect 0 "$PERFDATA" sort -q -f -m $memory -i shuffled.data -o sorted.data
            empty out
            empty err
            "$PERFDATA" decode sorted.data >after.json
            python3 order.py before.json after.json ||
                fail "seed $seed, span $span, memory $memory: not the order"
            expect 0 "$PERFDATA" sort -n sorted.data
            expect 0 "$PERFDATA" check sorted.data
            expect 0 "$PERFDATA" sort -f -m $memory -i shuffled.data -o again.data
            has err " $(grep '^{"record":' before.json | grep -vc FINISHED_ROUND) records, "
            [ "$span" = 1 ] || expect 1 "$PERFDATA" sort -n shuffled.data
            expect 0 "$PERFDATA" sort -q -f -i sorted.data -o again.data # what is in order stays as it is
            cmp <(tail -c +105 sorted.data) <(tail -c +105 again.data) ||
                fail 'sorting again changes something'
        done
        seed=$((seed + 1))
    done
done

# Equal times stay as they stand, whichever comes through memory or a file.
random_recording 99 700 -t SAMPLE --sample-type ip,tid,time,identifier
sed -E 's/"time": "([0-9]*)[0-9]{9}"/"time": "\1000000000"/' shuffled.json |
    "$PERFDATA" encode -q -f -o shuffled.data
"$PERFDATA" decode shuffled.data >before.json
expect 0 "$PERFDATA" sort -f -m 1 -v -i shuffled.data -o sorted.data
has err 'temporary files'
"$PERFDATA" decode sorted.data >after.json
python3 order.py before.json after.json || fail 'records of equal time changed places'

# A record without a time that is last, where no round was, comes before all: however many samples are sorted
# at a time, none goes out before it.
"$PERFDATA" gen -q -f --random --features none -c 1 -t TIME_CONV -o plain.data
"$PERFDATA" decode plain.data | sed -n '/TIME_CONV/s/"offset":"[0-9]*",//p' >last
for n in 4095 4096 4097; do
    "$PERFDATA" gen -q -f --features none -c $n -t SAMPLE --sample-type ip,tid,time,identifier -o plain.data
    "$PERFDATA" decode plain.data | sed -E '/"SAMPLE"/s/"offset":"[0-9]*",//
        1s/("data":.*"size":")[0-9]*(",?.*"event_types")/\1'$((n * 40 + 32))'\2/' >lines
    at=$(grep -n -m 1 '"SAMPLE"' lines | cut -d : -f 1)
    sed "$at{h;d}; $((at + 1))G; \$r last" lines | "$PERFDATA" encode -q -f -o shuffled.data
    "$PERFDATA" decode shuffled.data >before.json
    expect 0 "$PERFDATA" sort -q -f -i shuffled.data -o sorted.data
    "$PERFDATA" decode sorted.data >after.json
    grep -m 1 '"record"' after.json | grep -q TIME_CONV || fail "$n samples: the last record is not the first"
    python3 order.py before.json after.json || fail "$n samples: not the order"
done

container() {
    "$PERFDATA" info --json "$1" | sed -n 's/^[^,]*,"container":"\([a-z]*\)".*/\1/p' | sed 's/directory/dir/'
}
# Every container: the content stays, the container too.
for endian in little big; do
    for to in file pipe dir; do
        for z in '' -z --compressed2; do
            what="$endian $to $z"
            rm -rf x.data y.data
            # shellcheck disable=SC2086
            "$PERFDATA" gen -q --preset build -c 5000 --endian $endian --to $to $z -o x.data
            expect 1 "$PERFDATA" sort -n x.data
            expect 0 "$PERFDATA" sort -q -m 10K -o y.data x.data
            expect 0 "$PERFDATA" sort -n y.data
            expect 0 "$PERFDATA" check y.data
            [ "$(hash_of x.data)" = "$(hash_of y.data)" ] || fail "$what: the content is another"
            [ "$(container x.data)" = $to ] && [ "$(container y.data)" = $to ] ||
                fail "$what: another container"
            "$PERFDATA" sort -q -o - x.data >stream.data
            [ "$(container stream.data)" = pipe ] || fail "$what: no stream to standard output"
            "$PERFDATA" sort -n - <stream.data >out || fail "$what: that is not in order"
        done
    done
done
rm -rf x.data

# The files of a directory, each in order, merged: a COMM without a time stays behind the sample before it in
# its file, for perf too, which keeps samples until the end of a round.
task_sample() { le 4 9 && le 2 2 32 && le 8 0x401000 && le 4 7 7 && le 8 "$1"; } # TIME
task_comm() { le 4 3 && le 2 0 40 && le 4 7 7 && printf '%s\0\0\0' "$1" && le 4 7 7 && le 8 0; } # 5 LETTERS
mkdir threads.data
{
    printf PERFILE2 && le 8 104 144 104 144 248 $((40 + 2 * 32)) 0 0 && zeros 32
    le 4 1 128 && le 8 0 1000 7 0 $((1 << 18)) && zeros 80 && le 8 0 0 # sample_id_all
    task_comm first && task_sample 10000 && task_sample 40000
} >threads.data/data
{ task_sample 20000 && task_comm later && task_sample 30000; } >threads.data/data.0
expect 0 "$PERFDATA" sort -n threads.data
for to in file pipe; do
    expect 0 "$PERFDATA" sort -q -f --to $to -o merged.data threads.data
    [ "$("$PERFDATA" dump merged.data | grep -o 'first\|later\|FINISHED_ROUND\|time: [1-9].*' | xargs)" = \
        'first time: 10000 time: 20000 FINISHED_ROUND FINISHED_ROUND later time: 30000 time: 40000' ] ||
        fail "to $to: $("$PERFDATA" dump merged.data)"
    ! command -v perf >/dev/null ||
        [ "$(perf script -F comm -i merged.data 2>err </dev/null | xargs)" = 'first first later later' ] ||
        fail "to $to: perf shows $(perf script -F comm,time -i merged.data </dev/null)"
done

# Where the first record stands that is behind a later one: found by Python, too.
"$PERFDATA" gen -q --preset build -c 5000 -o x.data
expect 1 "$PERFDATA" sort -n x.data
where=$("$PERFDATA" decode x.data | python3 -c '
import json, sys
newest = n = count = 0
for line in sys.stdin:
    line = json.loads(line)
    if "record" not in line: continue
    r = line["record"]
    time = int(r["sample"]["time"]) if r["type"] == "SAMPLE" else int(r.get("sample_id", {}).get("time", 0))
    if time and time < newest:
        count += 1
        if count == 1: first = "record %d (%s) at offset %s " % (n, r["type"], r["offset"])
    newest = max(newest, time)
    n += 1
print(first, count)')
has out "${where% *}"
has out "so have ${where##* } of "
empty err

# Without time.
tiny >tiny.data
expect 2 "$PERFDATA" sort -n tiny.data
has err 'tiny.data cannot be sorted: .*sample_id_all'
expect 2 "$PERFDATA" sort -o none.data tiny.data
[ ! -e none.data ] || fail 'something was written'
"$PERFDATA" gen -q -c 50 --random -t SAMPLE --sample-type ip,tid -o untimed.data
expect 2 "$PERFDATA" sort -n untimed.data
has err 'no event samples TIME'
"$PERFDATA" gen -q -c 50 -t SAMPLE,COMM --sample-type ip,tid --to dir --cpus 3 -o untimed.dir
expect 2 "$PERFDATA" sort -o sorted.dir untimed.dir
has err 'untimed.dir cannot be sorted: .*no event samples TIME'
[ ! -e sorted.dir ] || fail 'a directory was written'

# Wrong usage, and the habits.
expect 2 "$PERFDATA" sort x.data
has err 'where to'
expect 2 "$PERFDATA" sort -n -o y.data x.data
expect 2 "$PERFDATA" sort -m 12Q -o z.data x.data
has err '12Q'
expect 2 "$PERFDATA" sort -m 0 -o z.data x.data
expect 2 "$PERFDATA" sort -f -o x.data x.data
has err 'never overwritten'
expect 4 env TMPDIR=/nonexistent "$PERFDATA" sort -m 1 -o z.data x.data
has err 'temporary file'
[ ! -e z.data ] || fail 'half a file was left'

# Damage: the intact part is sorted, and the exit status is 3.
head -c $(($(stat -c %s x.data) / 2)) x.data >cut.data
expect 3 "$PERFDATA" sort -f -o y.data cut.data
expect 0 "$PERFDATA" sort -n y.data
expect 3 "$PERFDATA" check -q cut.data

# An AUXTRACE of whose 64 bytes the data has 24 is left out; the samples before it are sorted.
{
    printf PERFILE2 && le 8 104 144 104 144 248 $((2 * 32 + 48 + 24)) 0 0 && zeros 32
    le 4 1 128 && le 8 0 1000 7 0 $((1 << 18)) && zeros 80 && le 8 0 0 # sample_id_all
    for time in 30 20; do le 4 9 && le 2 2 32 && le 8 0x401000 && le 4 71 71 && le 8 $time; done
    le 4 71 && le 2 0 48 && le 8 64 0 0 && le 4 0 71 0 0 && zeros 24
} >cut.data
expect 3 "$PERFDATA" sort -f -o intact.data cut.data
has err 'AUXTRACE), byte 0, payload: the input ends after 24 of 64 bytes'
expect 0 "$PERFDATA" check intact.data
[ "$("$PERFDATA" dump intact.data | grep -o 'AUXTRACE\|time: .*' | xargs)" = 'time: 20 time: 30' ] ||
    fail "$("$PERFDATA" dump intact.data)"

# More than the reader's window.
"$PERFDATA" gen -q --preset build -c 20000 -o long.data
"$PERFDATA" sort -q -f -o sorted.data long.data
"$PERFDATA" dump -F tid,cpu,time,period long.data | sort >a
"$PERFDATA" dump -F tid,cpu,time,period sorted.data | sort >b
same a b

# Memory stays within what is allowed.
"$PERFDATA" gen -q --preset server --size 4M -o tiny.data -f
"$PERFDATA" gen -q --preset server --size 64M -o large.data
flat 2000 "$PERFDATA" sort -q -f -m 4M -o y.data -i

# A sample that is damaged behind its time is told by -n, too. (Its call chain claims too many entries.)
"$PERFDATA" dump --json "$PERFDATA_SOURCE/corpus/callgraph.data" >all
at=$(sed -n 's/^{"type":"SAMPLE".*"offset":"\([0-9]*\)".*/\1/p' all | head -n 1)
"$PERFDATA" corrupt -q -f --set $((at + 8 + 48 + 3))=ff -o bad.data "$PERFDATA_SOURCE/corpus/callgraph.data" \
    >/dev/null
expect 3 "$PERFDATA" check bad.data
expect 3 "$PERFDATA" sort -n bad.data
has err "at offset $at "
