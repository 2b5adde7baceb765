#!/usr/bin/env bash
# perfdata dump -F data_src, brstack, cgroup, trace, +FIELD and -FIELD: perf's words for all values that there
# are, on recordings written by hand, and perf's lines of others.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'
perf script --help >/dev/null 2>&1 || skip 'perf is not installed'

cat >values.py <<'END'
import json, sys

what = sys.argv[1]
print('{"header":{"container":"file","order":"little"}}')
attr = {"type": "SOFTWARE", "config": "0x0", "size": 128, "flags": "sample_id_all"}
attr["sample_type"] = "IP|TID|TIME|" + ("DATA_SRC" if what == "data_src" else "BRANCH_STACK")
if what == "brstack":
    attr["branch_sample_type"] = "ANY|TYPE_SAVE"
print(json.dumps({"attr": attr, "ids": ["1"]}))


def sample(i, more):
    value = {"ip": hex(4096 + i), "pid": 1, "tid": 1, "time": str(i + 1), **more}
    print(json.dumps({"record": {"type": "SAMPLE", "misc": 2, "attr": 0, "sample": value}}))


if what == "data_src":  # of each part every value, with parts beside it that change its words
    parts = [(0, 5), (5, 14), (19, 5), (24, 2), (26, 7), (33, 4), (37, 1), (38, 2), (40, 3)]
    values = {0, 7 << 40}
    for at, n in parts:
        some = range(1 << n) if n <= 7 else [1 << i | k for i in range(n) for k in (0, 2, 4, 6, 8)]
        some = [v for v in some if n < 7 or bin(v).count("1") < 4]  # perf has room for 100 bytes
        values |= {v << at | more for v in some for more in (0, 2 << 5, 4 << 5, 1 << 37, 1 << 33, 1 << 20)}
    values |= {h << 43 | n << 33 | m for h in range(5) for n in range(16) for m in (0, 2 << 5, 1 << 37)}
    for i, v in enumerate(sorted(values)):
        sample(i, {"data_src": hex(v)})
else:
    flags = list(range(16)) + [t << 20 | 2 for t in range(16)] + [15 << 20 | n << 26 | 2 for n in range(8)]
    flags += [0xFFFF0 | 2, 0x10] + [2 | s << 24 for s in range(4)]
    for i in range(0, len(flags), 7):
        some = [{"from": hex(0x400000 + f), "to": "0x50", "flags": hex(f)} for f in flags[i : i + 7]]
        sample(i, {"branch_stack": {"entries": some}})
    sample(99, {"branch_stack": {"entries": []}})
END
squeezed() { sed 's/  *$//; s/  */ /g'; } # perf makes data_src as wide as the widest so far
for what in data_src brstack; do
    python3 values.py $what >x.json
    expect 0 "$PERFDATA" encode -f -i x.json -o x.data
    perf script -F ip,$what -i x.data >perf.out 2>perf.err || fail "perf script: $(cat perf.err)"
    squeezed <perf.out >want
    expect 0 "$PERFDATA" dump -F ip,$what x.data
    squeezed <out >got
    same want got
    cat x.data | "$PERFDATA" dump -F ip,$what - | cmp -s - out || fail "$what of a stream"
    "$PERFDATA" dump -j2 -F ip,$what x.data | cmp -s - out || fail "$what with threads"
done
[ "$(wc -l <want)" = 8 ] || fail "brstack: $(cat want)"
cmp -s perf.out out || fail "brstack: other spaces: $(diff perf.out out | head -n 4)"

# Those that others recorded: no call stacks of the hardware, which perf adds to call chains.
for named in branch-4.14:comm,time,ip,brstack weight_struct:ip,data_src,weight; do
    file=perf_data_converter__perf.data.${named%:*}
    [ -f "${PERFDATA_CORPUS:-/nothing}/$file" ] || continue
    fields=${named#*:}
    perf script -F $fields -i "$PERFDATA_CORPUS/$file" 2>/dev/null | squeezed | sort >want
    [ -s want ] || fail "perf script -F $fields shows nothing of $file"
    "$PERFDATA" dump -F $fields "$PERFDATA_CORPUS/$file" 2>/dev/null | squeezed | sort >got
    cmp -s want got || fail "$file, -F $fields: $(diff want got | head -n 4)"
done

# Cgroups by their paths, as perf 7.3 has it: a space, the path, or "unknown".
{
    echo '{"header":{"container":"file","order":"little"}}'
    echo '{"attr":{"type":"SOFTWARE","config":"0x0","size":128,"sample_type":"IP|TID|TIME|CGROUP"},' \
        '"ids":["1"]}'
    for cgroup in 9 10; do
        echo '{"record":{"type":"SAMPLE","misc":2,"attr":0,"sample":{"ip":"0x10","pid":1,"tid":1,' \
            '"time":"5","cgroup":"'$cgroup'"}}}'
    done
    echo '{"record":{"type":"CGROUP","attr":0,"cgroup":{"id":"9","path":"/a b"}}}'
} >x.json
expect 0 "$PERFDATA" encode -f -i x.json -o x.data
expect 0 "$PERFDATA" dump -F cgroup,ip x.data
printf ' /a b               10\n unknown               10\n' >want
same want out

# Fields of tracepoints, named, in the place where perf prints its own text of them.
expect 0 "$PERFDATA" gen -f --preset tracing -c 300 -o t.data
expect 0 "$PERFDATA" dump -F event,trace t.data
grep -q '^ *sched:sched_switch: prev_comm=' out || fail "trace: $(head -n 3 out)"

# More than the usual, or less; what no event has is not usual.
cp "$PERFDATA_SOURCE/corpus/callgraph.data" c.data
expect 0 "$PERFDATA" dump -F comm,tid,cpu,time,period,event,ip c.data
mv out usual
expect 0 "$PERFDATA" dump -F +comm c.data
same usual out
expect 0 "$PERFDATA" dump -F -ip,-period,+pid c.data
mv out want
expect 0 "$PERFDATA" dump -F comm,pid,tid,cpu,time,event c.data
same want out
expect 2 "$PERFDATA" dump -F +addr c.data
has err 'no event has the field addr'
expect 2 "$PERFDATA" dump -F ip,+comm c.data
has err '+FIELD and -FIELD do not go with FIELD'

# The file of each address, at its time, in the order of time. Addresses of call chains are others in perf.
frames() { sed -E 's/^\t *[0-9a-f]+ /\t/; s/ *$//'; }
record d.data -g -F 2000 -e cpu-clock -- sh -c 'for i in 1 2 3 4 5 6; do ls -lR /usr/include | sort; done'
n=0
for file in d.data ${PERFDATA_CORPUS:+"$PERFDATA_CORPUS"/edu-org-computadores__perf.data} \
    ${PERFDATA_CORPUS:+"$PERFDATA_CORPUS"/perf_data_converter__perf.data.branch-4.14}; do
    perf script -i "$file" -F comm,time,ip,dso 2>/dev/null | frames >want
    "$PERFDATA" dump -F comm,time,ip,dso "$file" | frames >got
    # perf keeps mappings when a program is replaced by another, so it knows a frame of the old one. In d.data
    # that happens thirteen times, and takes a sample or two, or more where the machine is busy.
    most=3
    [ "$file" != d.data ] || most=100
    paste -d '\n' want got | awk -v most=$most 'NR % 2 { want = $0; next }
        $0 != want && ($0 !~ /\(\[unknown\]\)$/ || ++old > most) { print want; print }' >differ
    [ ! -s differ ] || fail "$file, dso: $(head -n 4 differ)"
    [ "$(wc -l <want)" = "$(wc -l <got)" ] || fail "$file, dso: other lines"
    n=$((n + $(wc -l <got)))
done
[ "$n" -gt 100 ] || fail "only $n lines with a dso"
"$PERFDATA" dump -j2 -F comm,time,ip,dso d.data >want
cat d.data | "$PERFDATA" dump -F comm,time,ip,dso - | cmp -s - want || fail 'dso of a stream'
expect 2 "$PERFDATA" dump -F comm,dso d.data
has err 'dso is that of ip'
# Names at that time, too, which stand behind the samples in the file.
cat >names.jsonl <<'END'
{"header":{}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}
{"record":{"type":"SAMPLE","misc":"cpumode=USER","sample":{"ip":1,"pid":7,"tid":7,"time":1000}}}
{"record":{"type":"SAMPLE","misc":"cpumode=USER","sample":{"ip":1,"pid":7,"tid":7,"time":3000}}}
{"record":{"type":"SAMPLE","misc":"cpumode=USER","sample":{"ip":1,"pid":7,"tid":7,"time":5000}}}
{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"second"},"sample_id":{"pid":7,"tid":7,"time":4000}}}
{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"first"},"sample_id":{"pid":7,"tid":7,"time":2000}}}
END
"$PERFDATA" encode -o names.data names.jsonl
[ "$("$PERFDATA" dump -F comm,time,ip,dso names.data | awk '{ print $1 }' | xargs)" = ':7 first second' ] ||
    fail "names in the order of time: $("$PERFDATA" dump -F comm,time,ip,dso names.data)"
