#!/usr/bin/env bash
# What perf script shows of merged recordings is what it shows of each, together: of two made here at the same time, which
# have events and ids of their own, and of a recording with itself in pieces.
. "$(dirname "$0")/frame_lib.sh"
command -v perf >/dev/null || skip 'perf is not installed'

# The samples as perf shows them, a line each, whatever the width of its columns. Names are left out: each recording knows some
# that the other does not.
script() {
    perf script -F pid,tid,time,event,ip -i "$1" 2>/dev/null </dev/null | sed 's/  */ /g; s/^ //' | sort
}
together() { # MERGED FILE...
    local merged=$1
    shift
    for file; do script "$file"; done | sort >want
    script "$merged" >got
    same want got
}
# With names, too, of two that overlap. Where they contradict each other perf can show only one: kernel workers have names in /proc
# that change, and each tells of a name with a time of its own, between which a sample may be.
names() {
    perf script -F comm,pid,tid,cpu,time,event,ip,sym,dso -i "$1" 2>/dev/null </dev/null
}
with_names() { # MERGED FILE...
    local merged=$1
    shift
    for file; do names "$file"; done >want
    names "$merged" >got
    perf script --show-task-events -F comm,tid,time,event -i "$merged" 2>/dev/null </dev/null | grep -a PERF_RECORD_COMM >told || true
    python3 - <<'END' || fail "names in $merged of $*"
import collections, re, sys

# Other programs may be deleted by somebody between two runs of perf, which then has no symbols of them.
def samples(name):
    lines = (re.sub(" +", " ", line.strip()) for line in open(name, errors="replace"))
    return collections.Counter(line for line in lines if re.search(r"(:|\((/usr/\S*|\[.*\])\))$", line))

told = collections.defaultdict(list)
for line in open("told", errors="replace"):
    m = re.search(r"([\d.]+): PERF_RECORD_COMM.*:(\d+)/(\d+)$", line.strip())
    told[m[3]].append(float(m[1]))
want, got = samples("want"), samples("got")
assert sum(want.values()) > 1000 and len(told) > 10, (sum(want.values()), len(told))
missing, instead = want - got, collections.defaultdict(list)
for line in got - want:
    instead[line.split("]", 1)[-1]].append(line)
bad = []
for line in missing:
    m = re.match(r"(.*?) -?\d+/(-?\d+) \[\d+\] ([\d.]+):", line)
    if m is None: # of a call chain. The map of the kernel reaches to its init code only once perf has loaded symbols
        later = (got - want)[f"{line.split()[0]} [unknown] ([unknown])"] == missing[line]
        bad += [] if later and line.endswith("([kernel.kallsyms])") else [(line, None)]
        continue
    comm, tid, time = m.groups()
    there = instead.get(line.split("]", 1)[-1])
    if not there or not (comm.startswith((":", "kworker/")) or any(abs(float(time) - t) < 0.02 for t in told[tid])):
        bad.append((line, there))
print(sum(want.values()), "samples,", sum(missing.values()), "with another name")
if bad:
    sys.exit(f"{len(bad)} with a wrong name or place: {bad[:5]}")
END
}
busy() { # many short processes, and threads that name themselves
    local i
    for i in $(seq 100); do
        sh -c 'read -r x </proc/self/stat; exec ls /' >/dev/null
        bash -c 'printf changed >/proc/self/comm; read -r x </proc/self/stat; sleep 0.001'
    done
}
export -f busy
for with in '' -g; do
    # shellcheck disable=SC2086
    record first.data -e cpu-clock -F 3000 $with -a -- bash -c 'busy; busy; busy' &
    sleep 0.5
    record second.data -e cpu-clock -F 4000 -a -- bash -c busy
    wait
    expect 0 "$PERFDATA" merge -f -o m.data first.data second.data
    expect 0 "$PERFDATA" check m.data
    with_names m.data first.data second.data
    expect 0 "$PERFDATA" merge -f -o m.data second.data first.data
    with_names m.data first.data second.data
done

record a.data -e cpu-clock -F 500 -a -- bash -c work &
record b.data -e cpu-clock,page-faults -F 700 -a -- bash -c work
wait
[ -s a.data ] || skip 'perf record'
expect 0 "$PERFDATA" merge -f -o m.data a.data b.data
expect 0 "$PERFDATA" check m.data
expect 0 "$PERFDATA" sort -n m.data
together m.data a.data b.data
perf report --stdio -i m.data >out 2>err </dev/null || fail "perf report: $(head -c 400 err)"

# As a stream and in the other byte order, too.
"$PERFDATA" merge -q -o - a.data b.data >m.pipe
perf script -F comm,tid,time,event -i - <m.pipe >out 2>err || fail "perf does not read the stream: $(head -c 400 err)"
"$PERFDATA" convert -q --endian big -i b.data -o big.data
expect 0 "$PERFDATA" merge -f -o m2.data a.data big.data
cmp <(script m.data) <(script m2.data) || fail 'the other byte order gives another recording'

# Events without ids in their samples.
record c.data -e cpu-clock -- bash -c work
record d.data -e page-faults -c 100 -- bash -c work
expect 0 "$PERFDATA" merge -f -o m.data c.data d.data
together m.data c.data d.data

# Events of other sample_types: what is synthesized has id 0 in both.
record d.data -e sched:sched_switch -a -- bash -c work
if [ -s d.data ]; then
    expect 0 "$PERFDATA" merge -f -o m.data a.data d.data
    expect 0 "$PERFDATA" check m.data
    together m.data a.data d.data
fi

# One recording in pieces by cpu: the same as the whole.
for cpu in 0 1-4095; do
    "$PERFDATA" filter -q --sideband=all -C $cpu -i a.data -o piece-$cpu.data
done
expect 0 "$PERFDATA" merge -f -o m.data piece-*.data
together m.data a.data
