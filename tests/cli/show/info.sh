#!/usr/bin/env bash
# perfdata info: what it says of a recording written by hand, of damaged ones, and of real ones against what
# perf says.
. "$(dirname "$0")/../frame_lib.sh"
tiny >tiny.data

# ---- Every line, on a file whose bytes are known.
expect 0 "$PERFDATA" info tiny.data
cat >expected <<'END'
file         tiny.data
container    file, header of 104 bytes, attrs of 128, version 2, little-endian
size         304 bytes
data         56 bytes at offset 248
records      2, 56 bytes
time         5.000000123 to 5.000000123, 0.000000000 s
lost         nothing
tasks        1
events
  0 cpu-clock: period 1000, 0 ids, 1 samples
    sample_type IP|TID|TIME
types
  COMM                          1   50.0%            24 bytes
  SAMPLE                        1   50.0%            32 bytes
END
same expected out
empty err

expect 0 "$PERFDATA" info --tasks --mmaps tiny.data
has out '^ *71 *71 *-1  tiny$'
expect 0 "$PERFDATA" info --header-only tiny.data
has out '0 cpu-clock: period 1000, 0 ids$'
grep -q -e SAMPLE -e '^records' out && fail '--header-only reads records'
expect 2 "$PERFDATA" info --header-only --stats tiny.data

# Where, with what and how it was recorded, and how many samples a second: 3 in 2 seconds.
{
    echo '{"header":{"container":"file","order":"little"}}'
    echo '{"attr":{"type":"SOFTWARE","size":128,"sample_type":"TIME"},"ids":[]}'
    for time in 1 2 3; do
        echo '{"record":{"type":"SAMPLE","misc":2,"attr":0,"sample":{"time":"'$time'000000000"}}}'
    done
    echo '{"feature":"hostname","content":{"text":"web7"}}'
    echo '{"feature":"osrelease","content":{"text":"6.1.0-9"}}'
    echo '{"feature":"version","content":{"text":"6.1.20"}}'
    echo '{"feature":"arch","content":{"text":"aarch64"}}'
    echo '{"feature":"cmdline","content":{"args":[{"text":"perf"},{"text":"record"},{"text":"-a"}]}}'
} >origin.json
expect 0 "$PERFDATA" encode -f -o origin.data origin.json
expect 0 "$PERFDATA" info origin.data
grep -A 3 '^host' out >got
cat >expected <<'END'
host         web7, aarch64
kernel       6.1.0-9
perf         6.1.20
command      perf record -a
END
same expected got
has out '^time         1.000000000 to 3.000000000, 2.000000000 s, 2 samples a second$'

# Several files, one summary each; as JSON one object a line.
expect 0 "$PERFDATA" info tiny.data tiny.data
[ "$(grep -c '^file ' out)" = 2 ] || fail 'two files, not two summaries'
expect 0 "$PERFDATA" info --json tiny.data tiny.data
[ "$(wc -l <out)" = 2 ] || fail 'two files, not two lines of JSON'
if command -v python3 >/dev/null; then
    python3 - out <<'END' || fail 'JSON'
import json, sys
for line in open(sys.argv[1]):
    o = json.loads(line)
    keys = """file container version order size header_size attr_size feature_word data unfinished truncated
        members records sample_time time lost n_tasks events sections features damage notes""".split()
    assert list(o) == keys, list(o)
    assert o['records']['types'] == [{'type': 3, 'name': 'COMM', 'count': 1, 'bytes': 24},
                                     {'type': 9, 'name': 'SAMPLE', 'count': 1, 'bytes': 32}]
    assert o['sample_time'] == {'count': 1, 'first': '5000000123', 'last': '5000000123', 'duration': '0'}
    assert o['data'] == {'offset': 248, 'size': 56} and o['order'] == 'little' and not o['unfinished']
    assert o['events'][0]['name'] == 'cpu-clock' and o['events'][0]['samples'] == 1
    assert o['events'][0]['attr']['sample_type'] == 'IP|TID|TIME'
    assert o['damage'] == [] and o['notes'] == []
END
fi

# ---- What damage says was lost may not fit a sum of 64 bits: it is the largest then, not a small one.
"$PERFDATA" decode --short "$PERFDATA_SOURCE/corpus/two-events.data" | awk '
    { print }
    /"type":"SAMPLE"/ && !done++ {
        for (i = 0; i < 2; i++) {
            said = "\"lost\":\"" (i ? "18446744073709551615" : "7") "\"}"
            id = ",\"sample_id\":{\"pid\":1,\"tid\":1,\"time\":\"1\"}"
            print "{\"record\":{\"type\":\"LOST_SAMPLES\",\"lost_samples\":{" said id "}}"
            print "{\"record\":{\"type\":\"LOST\",\"lost\":{\"id\":\"1\"," said id "}}"
        }
    }' | "$PERFDATA" encode -q -o much-lost.data
expect 0 "$PERFDATA" info much-lost.data
has out '^lost  *18446744073709551615 records (2 LOST), 18446744073709551615 samples (2 LOST_SAMPLES)$'
expect 0 "$PERFDATA" info --stats much-lost.data
has out 'LOST_SAMPLES events: 18446744073709551615$'

# ---- Counts of many records, where samples that differ in numbers alone have a loop of their own, against
# sums over the text: with samples and others at time 0, tid 0, of unknown events, and with times that go
# back.
if command -v python3 >/dev/null; then
    cat >sums.py <<'END'
import json, random, subprocess, sys
perfdata, seed = sys.argv[1], int(sys.argv[2])
def run(*args, **kw):
    return subprocess.run([perfdata, *args], check=True, capture_output=True, text=True, **kw).stdout
random.seed(seed)
fields = 'ip,tid,time,cpu,period' + random.choice(['', ',identifier', ',callchain', ',addr'])
events = random.choice([1, 3])
options = ['--seed', str(seed), '--count', '3000', '--events', str(events), '--sample-type', fields]
run('gen', '-q', *options, '-f', '-o', 'g.data')
lines = run('decode', '--short', 'g.data').splitlines()
for i, line in enumerate(lines):
    if not line.startswith('{"record"'):
        continue
    o = json.loads(line)
    s = o['record'].get('sample')
    if s is None:
        continue
    how = random.randrange(30)
    if how == 0:
        s['time'] = '0'
    elif how == 1:
        s['pid'] = s['tid'] = 0
    elif how == 2:
        s['time'] = str(random.getrandbits(64))
    elif how == 3:
        s['tid'] = random.choice([0xffffffff, 1 << 22, 12345])
    elif how == 4 and 'identifier' in s:
        s['identifier'] = '987654321'
    lines[i] = json.dumps(o)
run('encode', '-q', '-f', '-o', 'e.data', input='\n'.join(lines) + '\n')
types, times, sample_times, tids, unowned, n = {}, [], [], set(), 0, 0
per = [0] * events
for line in run('decode', 'e.data').splitlines():
    r = json.loads(line).get('record')
    if r is None:
        continue
    n += 1
    t = types.setdefault(r['type'], [0, 0])
    t[0] += 1
    t[1] += r['size']
    who = r.get('sample')
    if r['type'] == 'SAMPLE' and 'attr' in r:
        per[r['attr']] += 1
    if r['type'] == 'SAMPLE' and not who: # of an unknown event: identifier, ip, pid, tid, time
        raw = bytes.fromhex(r['raw'])
        who = {'tid': int.from_bytes(raw[20:24], 'little'), 'time': str(int.from_bytes(raw[24:32], 'little'))}
        unowned += 1
    if who:
        sample_times.append(int(who['time']))
    time = int((who or r.get('sample_id', {})).get('time', 0))
    times += [time] if time else []
    for one in (who, r.get('comm'), r.get('fork')):
        tids |= {one['tid']} if one and 0 <= one['tid'] < 1 << 22 else set()
o = json.loads(run('info', '--json', 'e.data'))
def check(what, is_, wanted):
    if is_ != wanted:
        sys.exit(f'seed {seed}: {what} is {is_}, not {wanted}')
check('types', {t['name']: [t['count'], t['bytes']] for t in o['records']['types']}, types)
counts = [o['records'][k] for k in ('count', 'bytes', 'unowned_samples')]
check('records', counts, [n, sum(t[1] for t in types.values()), unowned])
check('samples', [e['samples'] for e in o['events']], [per[i] for i in range(events)])
check('tasks', o['n_tasks'], len(tids))
for key, all in (('sample_time', sample_times), ('time', times)):
    check(key, [o[key][k] for k in ('count', 'first', 'last')], [len(all), str(min(all)), str(max(all))])
END
    for seed in 1 2 3 4 5 6 7 8; do
        python3 sums.py "$PERFDATA" $seed || fail 'sums'
    done
fi

# ---- Notes are no damage: status 0.
note() { # FILE PATTERN
    expect 0 "$PERFDATA" info "$1"
    has out "^note: at offset [0-9]*: .*$2"
    empty err
    expect 0 "$PERFDATA" info --json "$1"
    has out '"notes":\[{'
}
{ tiny_header 0 && tiny_records; } >unfinished.data
note unfinished.data 'not finished'
has out '"unfinished":true'
{ tiny && printf 'stray'; } >trailing.data
note trailing.data '5 bytes follow'
{ tiny_header 96 && tiny_records && le 4 200 && le 2 0 24 && zeros 16 && le 4 201 && le 2 0 16 &&
    zeros 8; } >unknown.data
note unknown.data '2 records of unknown types, the first of type 200'
{ head -c 128 tiny.data && le 8 $((7 | 1 << 40)) && tail -c +137 tiny.data; } >bits.data
note bits.data 'unknown bits 0x10000000000 in sample_type'

# ---- Damage: status 3, the place on stderr, the rest on stdout.
damage() { # FILE PATTERN
    expect 3 "$PERFDATA" info "$1"
    has err "^perfdata info: $1: at offset [0-9].*$2"
    has out '^file '
    expect 3 "$PERFDATA" info --json "$1"
    has out '"damage":\[{"code":"'
}
head -c 290 tiny.data >cut.data
damage cut.data 'data: ends at 304, beyond the end of the file at 290'
has out '"count":1,"bytes":24'
{ head -c 278 tiny.data && le 2 7 && tail -c +281 tiny.data; } >size.data
damage size.data 'found 7'
{ head -c 24 tiny.data && le 8 1000 && tail -c +33 tiny.data; } >attrs.data
damage attrs.data attrs

# ---- Features, of a file with one of each kind: known, without content, unknown, damaged.
str64() { # TEXT
    le 4 64 && printf '%s' "$1" && zeros $((64 - ${#1}))
}
features() { # with a HOSTNAME that claims to have $1 bytes
    head -c 72 tiny.data && le 8 $((1 << 3 | 1 << 7 | 1 << 15 | 1 << 40)) && tail -c +81 tiny.data
    le 8 368 68 436 8 444 0 444 3
    le 4 "$1" && str64 host | tail -c +5 && le 4 4 3 && printf abc
}
features 64 >features.data
expect 0 "$PERFDATA" info features.data
cat >expected <<'END'
features
    3 HOSTNAME               68 bytes at offset 368
    7 NRCPUS                  8 bytes at offset 436
   15 BRANCH_STACK            0 bytes at offset 444
   40 (unknown)               3 bytes at offset 444
note: at offset 444: feature 40, of 3 bytes, is not known
END
sed -n '/^features/,$p' out >a
same expected a
printf '%s\n' '{"header":{}}' '{"feature":"BPF_PROG_INFO","content":{"programs":[]}}' \
    '{"feature":"BPF_BTF","content":{"entries":[]}}' | "$PERFDATA" encode -o no_bpf.data
expect 0 "$PERFDATA" info -I --header-only no_bpf.data
has out '^# bpf_prog_info empty$'
has out '^# btf info empty$'

# ---- The functions of BPF programs: many with many types, the first of an id, either byte order, names
# without an end.
if command -v python3 >/dev/null; then
    python3 - >bpf.data <<'END'
import struct, sys
def btf(order, id, types, strings):
    head = struct.pack(order + 'HBBIIIII', 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(strings))
    data = head + types + strings
    return struct.pack('<II', id, len(data)) + data
def prog(id, functions, first, step):
    """Of which each has 8 bytes: size and type. Its address and tag are the same bytes."""
    data = b''.join(struct.pack('<II', 77, first + i * step) for i in range(functions))
    info = bytes(4) + struct.pack('<I', id) + bytes(96) + struct.pack('<II', functions, functions) + bytes(16)
    info += struct.pack('<IIQIIQIIQ', id, 8, 0, functions, 0, 0, 0, 0, 0)
    info += struct.pack('<II', functions, functions) + bytes(24)
    return struct.pack('<IIQ', len(info), len(data), 0) + info + data
def func(order, name, kind=12, members=0):
    return struct.pack(order + 'III', name, kind << 24 | members, 0)
many = b''.join(func('<', 1) for _ in range(10000))
mixed = func('>', 0, 1) + bytes(4) + func('>', 0, 4, 2) + bytes(24) + func('>', 1) + func('>', 6)
types = [
    btf('<', 5, many, b'\0many\0'),
    btf('>', 6, mixed, b'\0four\0five\0'),
    btf('<', 6, many, b'\0second\0'),
    btf('<', 7, func('<', 1), b'\0' + 1000 * b'n'),
    btf('<', 8, func('<', 1), b'\0' + 511 * b'n'),
]
programs = [prog(5, 15000, 10000, 0), prog(6, 6, 1, 1), prog(7, 2, 1, 0), prog(8, 1, 1, 0)]
features = [struct.pack('<I', len(x)) + b''.join(x) for x in (programs, types)]
head = b'PERFILE2' + struct.pack('<8Q4Q', 104, 144, 104, 144, 248, 0, 0, 0, 3 << 25, 0, 0, 0)
attr = struct.pack('<IIQQQQQ', 1, 128, 0, 1000, 7, 0, 0) + bytes(80) + bytes(16)
at = [280, 280 + len(features[0])]
sections = struct.pack('<4Q', at[0], len(features[0]), at[1], len(features[1]))
sys.stdout.buffer.write(head + attr + sections + b''.join(features))
END
    expect 0 "$PERFDATA" info -I --header-only bpf.data
    grep -c '_many addr' out >got
    sed -n '/bpf_prog_info 6:/,$s/.*bpf_prog_[0-9a-f]*\(.*\) addr.*/\1/p' out | sed "s/n\{511\}/LONG/" >>got
    printf '%s\n' 15000 '' '' _four _five '' '' _LONG... _LONG... _LONG >want
    same want got
fi
expect 0 "$PERFDATA" info -I --header-only features.data
cat >expected <<'END'
# header version : 1
# data offset    : 248
# data size      : 56
# feat offset    : 304
# hostname : host
# nrcpus online : 3
# nrcpus avail : 4
# contains samples with branch stack
# feature 40 : 3 bytes
END
grep -v -e '^# captured on    : ' -e '^# missing features: ' -e '^# =*$' -e '^#$' out >a
same expected a
has out '^# missing features: TRACING_DATA BUILD_ID OSRELEASE .* PMU_CAPS $'
# simpleperf's protobuf messages, whose fields come in any order; of one that comes twice the last counts.
unfold <<'END' | "$PERFDATA" encode -o proto.data -
{"header":{}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME"}}
{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"hello"}}}
{"feature":"SIMPLEPERF_DEBUG_UNWIND",
    "content":{"fields":[{"file":[{"size":300},{"path":"/d"}]},{"key":80,"value":1},{"file":[]}]}}
{"feature":"SIMPLEPERF_FILE2","content":{"files":[{"message":{"fields":[{"symbol":[{"vaddr":16}]},
    {"path":"/x"},{"min_vaddr":"0x10"},{"path":"/e"},{"min_vaddr":"0x1000"},{"symbol":[]}]}},
    {"message":{"fields":[]}}]}}
{"feature":"SIMPLEPERF_ETM_BRANCH_LIST","content":{"fields":[{"magic":"m"},
    {"etm_data":[{"addrs":[]},{"path":"/b"},{"addrs":[{"addr":1}]}]},
    {"lbr_data":[{"samples":[{"binary_id":1}]},{"binaries":[{"path":"/y"}]},{"samples":[]}]}]}}
END
cat >expected <<'END'
# simpleperf file for unwinding : /d, 300 bytes
# simpleperf file for unwinding : , 0 bytes
# simpleperf file : /e, 2 symbols from 0x1000
# simpleperf file : , 0 symbols from 0x0
# simpleperf branches of : /b, from 2 addresses
# simpleperf branch stacks : 2 samples in 1 binaries
END
"$PERFDATA" convert --endian big -o proto.big proto.data
for file in proto.data proto.big; do
    expect 0 "$PERFDATA" check --strict $file
    expect 0 "$PERFDATA" info -I --header-only $file
    grep '^# simpleperf' out >a
    same expected a
done
expect 0 "$PERFDATA" info -I features.data
has out '^file  '
has out '^# hostname : host$'
expect 0 "$PERFDATA" info -v features.data
has out '^ *text: .*host'
expect 0 "$PERFDATA" info --json features.data
features='{"hostname":{"text":"host"},"nrcpus":{"nr_cpus_avail":4,"nr_cpus_online":3},"branch_stack":{.*}'
has out '"features":'"$features"',"40":{"raw":"616263"}}'
has out '"sections":\[{"feature":3,"name":"HOSTNAME","offset":368,"size":68,"intact":true}'
# The same through a pipe, where sections come last.
cat features.data | "$PERFDATA" info -I --header-only - | grep -v '^# captured' >a
"$PERFDATA" info -I --header-only features.data | grep -v '^# captured' >b
same b a
# Damaged: told, and the rest shown.
features 65 >damaged.data
for option in -I --header-only --json -v; do
    expect 3 "$PERFDATA" info $option damaged.data
    has err '^perfdata info: damaged.data: at offset 3[67][0-9].*'
done
expect 3 "$PERFDATA" info -I damaged.data
has out '^# HOSTNAME : 68 bytes, damaged$'
has out '^# nrcpus online : 3$'
expect 3 "$PERFDATA" info --json damaged.data
has out '"hostname":{"raw":"41000000686f7374'
has out '"damage":\[{"code":"'

# ---- Memory does not grow with the file.
flat 2000 "$PERFDATA" info

# ---- Against perf.
stats() { # perf's counts in our names
    { perf report --stats -i "$1" 2>/dev/null || true; } | sed -n '
        s/ *events: */ /; s/  (.*//; s/^ *//
        s/^BPF /BPF_EVENT /; s/^ATTR /HEADER_ATTR /; s/^FEATURE /HEADER_FEATURE /
        s/^BUILD_ID /HEADER_BUILD_ID /
        s/^TRACING_DATA /HEADER_TRACING_DATA /
        /^[A-Z_0-9]* [0-9]*$/p; /stats:$/p'
}
ours() {
    sed 's/ *events: */ /; s/  (.*//; s/^ *//'
}
compare_stats() {
    stats "$1" >perf.stats
    has perf.stats '^SAMPLE [1-9]'
    "$PERFDATA" info --stats "$1" | ours >our.stats
    same perf.stats our.stats
}
record one.data -e cpu-clock -g -- bash -c work
compare_stats one.data
record two.data -a -F 5000 -e cpu-clock -e page-faults -- bash -c work
compare_stats two.data
record switches.data --switch-events --namespaces -e cpu-clock -- bash -c work
compare_stats switches.data
has our.stats '^SWITCH [1-9]'
# Lost samples, of which perf 6.1 has a line for each event.
lost=$(unfold <<'END'
{"record":{"type":"LOST_SAMPLES","lost_samples":{"lost":"7"},
    "sample_id":{"pid":1,"tid":1,"time":"1"}}}
END
)
"$PERFDATA" decode --short one.data |
    awk -v lost="$lost" '{ print } /"type":"SAMPLE"/ && !done++ { print lost }' |
    "$PERFDATA" encode -q -o lost.data
compare_stats lost.data
has our.stats '^LOST_SAMPLES 7$'
perf record -o - -e cpu-clock -- bash -c work >pipe.data 2>record.log </dev/null ||
    skip "perf record -o -: $(tail -n 1 record.log)"
perf report --stats -i - <pipe.data >perf.out 2>/dev/null || true
"$PERFDATA" info --stats - < <(cat pipe.data) | ours >our.stats
grep -q '^SAMPLE [1-9]' our.stats || fail 'no samples in a pipe'
grep -q "SAMPLE events: *$(sed -n 's/^SAMPLE //p' our.stats | head -n 1)\b" perf.out ||
    fail "a pipe's samples: $(cat perf.out)"

for file in one.data two.data switches.data; do
    expect 0 "$PERFDATA" info $file
    empty err
    cp out summary
    # First and last sample.
    perf script -i $file -F time 2>/dev/null | sed 's/[ :]//g' | sort -n >seconds
    first=$(head -n 1 seconds) last=$(tail -n 1 seconds)
    has summary "^time  *${first}[0-9]* to ${last}[0-9]*, "
    # perf's own header.
    perf report --header-only -i $file >header 2>/dev/null
    has header "^# data offset *: $(sed -n 's/^data .*at offset \([0-9]*\)$/\1/p' summary)$"
    "$PERFDATA" info -I $file | grep '^# ' >our.info # all of it: tests/oracle/perf_header.py
    for key in hostname 'os release' 'perf version' arch 'nrcpus online' 'nrcpus avail' cpudesc cpuid \
        'total memory' cmdline 'time of first sample' 'time of last sample' 'sample duration'; do
        grep "^# $key : " header >a || continue
        grep "^# $key : " our.info >b || fail "-I has no $key"
        same a b
    done
    # Names and kinds of tasks.
    "$PERFDATA" info --tasks $file >tasks
    perf script -i $file --show-task-events 2>/dev/null |
        sed -n 's/.*PERF_RECORD_COMM\( exec\)*: .*:\([0-9]*\)\/\([0-9]*\)$/\2 \3/p' | sort -u >perf.tasks
    [ -s perf.tasks ] || fail "perf shows no COMM of $file"
    awk '/^ / && $4 != "" { print $1, $2 }' tasks | sort -u >our.tasks
    [ -z "$(comm -23 perf.tasks our.tasks)" ] ||
        fail "tasks of $file: $(comm -23 perf.tasks our.tasks | head -n 3)"
    # One line for each mapping.
    "$PERFDATA" info --mmaps $file >mmaps
    maps=$("$PERFDATA" info --stats $file | awk '$1 == "MMAP" || $1 == "MMAP2" { n += $3 } END { print n }')
    [ "$(wc -l <mmaps)" = "$maps" ] || fail "$(wc -l <mmaps) lines of mappings, $maps records"
    has mmaps '^ *[0-9]*/[0-9]* *[0-9a-f]*-[0-9a-f]* r-xp .*/'
done

# Losses, provoked by a buffer of one page.
record lost.data -m 1 -F 20000 -g -a -e cpu-clock -- bash -c work
lost=$(perf report -D -i lost.data 2>/dev/null |
    sed -n 's/.*PERF_RECORD_LOST: id:[0-9]*: lost:\([0-9]*\)$/\1/p' | paste -sd+)
if [ -n "$lost" ]; then
    expect 0 "$PERFDATA" info lost.data
    has out "^lost  *$((lost)) records"
else
    echo 'note: nothing was lost, so losses were not compared'
fi

# Real recordings of other machines and versions.
if [ -n "${PERFDATA_CORPUS:-}" ]; then
    n=0
    mapfile -t recordings < <(corpus_files 6)
    for file in "${recordings[@]}"; do
        stats "$file" >perf.stats
        grep -q '^SAMPLE [1-9]' perf.stats || continue
        # Features under other types' numbers, which perf misreads, too
        case $file in *powerpc*) continue ;; esac
        "$PERFDATA" info --stats "$file" | ours | grep '^[A-Z_0-9]* ' >our.stats || true
        sed '/stats:$/,$d' perf.stats >a
        sed -i '/stats:$/,$d' our.stats
        head -n "$(wc -l <a)" our.stats >b
        cmp -s a b || fail "counts of $file: $(diff a b | head -n 4)"
        n=$((n + 1))
    done
    [ $n -ge "$(least "$(effort 8 30)")" ] || fail "only $n files of the corpus were compared"
fi
