#!/usr/bin/env bash
# perfdata split --by cgroup and pid, on a recording written by hand: which samples are in which piece, what
# it is called, what a piece carries.
. "$(dirname "$0")/../frame_lib.sh"

{
    echo '{"header":{"container":"file","order":"little"}}'
    echo '{"attr":{"type":"SOFTWARE","config":"0x0","size":128,"sample_type":"IP|TID|TIME|CGROUP",' \
        '"flags":"comm|sample_id_all"},"ids":["1"]}'
    while read -r id path; do
        echo '{"record":{"type":"CGROUP","attr":0,"cgroup":{"id":"'"$id"'","path":"'"$path"'"},' \
            '"sample_id":{"pid":0,"tid":0,"time":"1"}}}'
    done <<<'70 /b.slice
9000000000 /a.slice/x y
5 /never'
    time=10
    while read -r pid cgroup; do
        time=$((time + 1))
        echo '{"record":{"type":"SAMPLE","misc":2,"attr":0,"sample":{"ip":"0x1010","pid":'"$pid"',"tid":7,' \
            '"time":"'$time'","cgroup":"'"$cgroup"'"}}}'
    done <<<'30 9000000000
4 70
30 70
-1 12
4 9000000000'
} >x.json
expect 0 "$PERFDATA" encode -i x.json -o x.data

# has_times FILE "TIMES"
has_times() {
    local got
    got=$("$PERFDATA" dump --json "$1" | sed -n 's/.*"SAMPLE".*"time":"\([0-9]*\)".*/\1/p' | paste -sd' ')
    [ "$got" = "$2" ] || fail "$1: samples at \"$got\", expected \"$2\""
    expect 0 "$PERFDATA" check -q "$1"
}

# In the order of their first samples; a cgroup without samples has no piece, one without a path its number.
expect 0 "$PERFDATA" split -v --json --by cgroup -o 'c-%02d.data' x.data
has err 'c-00.data: cgroup /a.slice/x y, 2 samples, 3 other records'
has err 'c-02.data: cgroup 12, 1 samples'
[ "$(jq -r '.[].cgroup' out | paste -sd,)" = '/a.slice/x y,/b.slice,12' ] || fail "--json: $(cat out)"
[ "$(echo c-*)" = 'c-00.data c-01.data c-02.data' ] || fail "pieces: $(ls)"
has_times c-00.data '11 15'
has_times c-01.data '12 13'
has_times c-02.data '14'
for piece in c-*; do # each has all paths
    [ "$("$PERFDATA" dump --json "$piece" | grep -c '"CGROUP"')" = 3 ] || fail "$piece: paths"
done
expect 0 "$PERFDATA" merge -f -o m.data c-*
expect 0 "$PERFDATA" cmp --ignore offset,order x.data m.data

# Processes: by their pid.
expect 0 "$PERFDATA" split --by pid -o 'p-%03d.data' x.data
[ "$(echo p-*)" = 'p-004.data p-030.data p-unknown.data' ] || fail "pieces: $(ls)"
has_times p-004.data '12 15'
has_times p-030.data '11 13'
has_times p-unknown.data '14'

# Tracing data of a stream, whose bytes stand behind their record, is in each piece.
python3 - <<'END'
import struct

text = b"\x17\x08\x44tracing0.6\0" + bytes([0, 8]) + struct.pack("<I", 4096)
text += b"header_page\0" + bytes(8) + b"header_event\0" + bytes(8)
open("formats", "wb").write(text + bytes(4 + 4 + 4 + 4 + 8))  # without formats, symbols, texts and names
END
expect 0 "$PERFDATA" edit --set-feature tracing_data=@formats -i x.data -o t.data
expect 0 "$PERFDATA" convert --to pipe -i t.data -o t.pipe
expect 0 "$PERFDATA" split --by pid -o 't-%03d' t.pipe
for piece in t-004 t-030 t-unknown; do
    "$PERFDATA" extract --tracing-data $piece | cmp - formats || fail "$piece: tracing data"
    expect 0 "$PERFDATA" check -q $piece
done

# A record that goes with its task, in the piece of the task that its fields name if nothing else does; both
# choices agree.
{
    echo '{"header":{"container":"file","order":"little"}}'
    echo '{"attr":{"type":"SOFTWARE","config":"0","sample_type":"IP|TID|TIME"}}'
    for pid in 5 7; do
        echo '{"record":{"type":"SAMPLE","misc":"cpumode=USER","attr":0,"sample":{"ip":"1","pid":'$pid',' \
            '"tid":'$pid',"time":"10'$pid'"}}}'
        echo '{"record":{"type":"READ","attr":0,"read":{"pid":'$pid',"tid":'$pid',"values":{"value":"1"}}}}'
    done
} >reads.json
expect 0 "$PERFDATA" encode -o reads.data reads.json
expect 0 "$PERFDATA" split --by pid -o 'r-%d.data' reads.data
for pid in 5 7; do
    expect 0 "$PERFDATA" filter --pid $pid -f -o f.data reads.data
    for file in r-$pid.data f.data; do
        [ "$("$PERFDATA" dump --json $file | grep '"READ"' | grep -o '"pid":[0-9]*')" = '"pid":'$pid ] ||
            fail "$file has not the READ of $pid alone"
    done
done

# Each end of a round is in all pieces, where it is in the order of processing: perf processes the samples
# older than the round before, so 11 and 12 behind the second end, 14 behind the third, 17 behind the fifth.
{
    echo '{"header":{"container":"file","order":"little"}}'
    echo '{"attr":{"type":"SOFTWARE","config":"0","sample_type":"IP|TID|TIME",' \
        '"flags":"sample_id_all"}}'
    time=10
    for what in 4 30 R 4 R R 30 R 4 4 R R R; do
        time=$((time + 1))
        case $what in
        R) echo '{"record":{"type":"FINISHED_ROUND"}}' ;;
        *) echo '{"record":{"type":"SAMPLE","misc":2,"attr":0,"sample":{"ip":"1","pid":'$what',"tid":7,' \
            '"time":"'$time'"}}}' ;;
        esac
    done
} >rounds.json
expect 0 "$PERFDATA" encode -o rounds.data rounds.json
expect 0 "$PERFDATA" split --json --by pid -o 'e-%d.data' rounds.data
counts=$(jq -r '.[] | "\(.pid) \(.samples) \(.carried)"' out | paste -sd,)
[ "$counts" = '4 4 0,30 2 7' ] || fail "pid, samples, copies: $counts"
while read -r pid all; do
    got=$("$PERFDATA" dump --json e-$pid.data | jq -r '.sample.time // "R"' | paste -sd' ')
    [ "$got" = "$all" ] || fail "piece $pid: \"$got\", expected \"$all\""
done <<'END'
4 R R 11 R 14 R R R 19 20 R
30 R R 12 R R R 17 R R
END
# The second piece repeats what is around the records, and seven ends: 56 bytes, and not all may be allowed.
expect 3 "$PERFDATA" split -f --by pid --max-copied 1 -o 'e-%d.data' rounds.data
around=$(sed -n 's/.*found \([0-9]*\), the limit is 1$/\1/p' err)
expect 0 "$PERFDATA" split -f --by pid --max-copied $((around + 56)) -o 'e-%d.data' rounds.data
expect 3 "$PERFDATA" split -f --by pid --max-copied $((around + 55)) -o 'e-%d.data' rounds.data
has err "found $((around + 56)), the limit is $((around + 55))"
expect 3 "$PERFDATA" split -f --by pid --max-copied $((around + 17)) -o 'e-%d.data' rounds.data
has err "found $((around + 24)), the limit is $((around + 17))"

# An existing file stops all; one that no piece would take the place of does not.
rm p-004.data p-unknown.data
touch p-000.data
expect 2 "$PERFDATA" split --by pid -o 'p-%03d.data' x.data
has err 'p-030.data: the file exists'
[ ! -e p-004.data ] || fail 'a piece was written'
rm p-030.data
expect 0 "$PERFDATA" split --by pid -o 'p-%03d.data' x.data

sed 's/|CGROUP"/"/; s/,"cgroup":"[0-9]*"}}}/}}}/' x.json >none.json
expect 0 "$PERFDATA" encode -i none.json -o none.data
expect 2 "$PERFDATA" split --by cgroup -o 'n-%d' none.data
has err 'all-cgroups'

# Samples in the machine's byte order, of tasks that came before, are counted without a look at each; others
# one by one. Either way the pieces are the same, of a few keys and of more than are written at a time.
for n in 20 150; do
    expect 0 "$PERFDATA" gen -q -f --seed $n -c 8000 --tasks $((12 * n)) --cpus $n -o little.data
    expect 0 "$PERFDATA" convert -q -f --endian big -o big.data little.data
    for by in pid cpu event; do
        for order in little big; do
            expect 0 "$PERFDATA" split -q -f --json --by $by -o "$order-$n-$by-%03d" $order.data
            sed "s/\"$order-/\"/g" out >"$order.json"
        done
        cmp -s little.json big.json || fail "$n, --by $by: the pieces have other records"
        for piece in little-$n-$by-*7 little-$n-$by-000; do
            [ -e "$piece" ] || continue
            "$PERFDATA" convert -q -f --endian big -o converted "$piece" &&
                cmp -s converted "big-${piece#little-}" || fail "$piece differs from that of the other order"
        done
    done
    [ "$(find . -name "big-$n-*" | wc -l)" -gt $((2 * n)) ] || fail 'too few pieces'
done

# The same pieces, however many are written at a time, which depends on how many files may be open.
expect 0 "$PERFDATA" gen -q -f --seed 7 -c 40000 --tasks 8000 -o many.data
mkdir all
expect 0 "$PERFDATA" split -q --json --by pid -o 'all/%d' many.data
mv out all.json
[ "$(find all -type f | wc -l)" -gt 1024 ] || fail 'too few pieces'
for files in 128 24; do
    rm -rf some
    mkdir some
    (ulimit -n $files && exec "$PERFDATA" split -q --json --by pid -o 'some/%d' many.data) >some.json ||
        fail "with $files open files"
    sed 's/"some\//"all\//g' some.json | cmp - all.json || fail "$files files: other counts of records"
    diff -r some all >diff || fail "$files files: the pieces differ: $(head -3 diff)"
done

# Which piece needs which task is remembered of 262,144; where there are more, the recording is read again. A
# piece has the names of its own tasks and of no others, either way.
for n in 3 140000; do
    python3 - $n <<'END'
import struct
import sys

n = int(sys.argv[1])
kinds = 1 | 2 | 4 | 128  # IP, TID, TIME, CPU
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1, kinds, 0, 1 << 18 | 1 << 9).ljust(128, b"\0")


def record(kind, body):
    return struct.pack("<IHH", kind, 0, 8 + len(body)) + body


def task(cpu, i):  # numbers of processes and threads that are all different
    return 4 * i + 2 * cpu + 4, 4 * i + 2 * cpu + 5


data, time = [], 0
for cpu in range(2):
    for i in range(3):
        pid, tid = task(cpu, i)
        name = b"of-%d-%d" % (cpu, i)
        data.append(record(3, struct.pack("<II8sIIQII", pid, pid, name, pid, tid, 1, cpu, 0)))
for i in range(n):
    for cpu in range(2):
        time += 1
        data.append(record(9, struct.pack("<QIIQII", 1, *task(cpu, i), 1 + time, cpu, 0)))
data = b"".join(data)
at = 104 + 144
head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 144, 104, 144, at, len(data), 0, 0) + bytes(32)
open("needs.data", "wb").write(head + attr + bytes(16) + data)
END
    expect 0 "$PERFDATA" check -q needs.data
    expect 0 "$PERFDATA" split -q -f --by cpu -o 'needs-%d' needs.data
    for cpu in 0 1; do
        [ "$("$PERFDATA" dump --json needs-$cpu | grep -o '"of-[01]-[0-9]*' | paste -sd' ')" = \
            "\"of-$cpu-0 \"of-$cpu-1 \"of-$cpu-2" ] || fail "$n tasks: names of the piece of cpu $cpu"
        "$PERFDATA" info --stats needs-$cpu >stats
        [ "$(awk '$1 == "SAMPLE" { print $3; exit }' stats)" = "$n" ] || fail "$n tasks: samples of $cpu"
    done
done
