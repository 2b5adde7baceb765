#!/usr/bin/env bash
# What perf script shows of merged recordings is what it shows of each, together: of two made here at the same
# time, which have events and ids of their own, and of a recording with itself in pieces.
. "$(dirname "$0")/../frame_lib.sh"
command -v perf >/dev/null || skip 'perf is not installed'

# The samples as perf shows them, a line each, whatever the width of its columns. Names are left out: each
# recording knows some that the other does not.
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
# With names, too, of two that overlap, of the tasks that descend from this test. Where they contradict each
# other perf can show only one: each tells of a name with a time of its own, and of tasks that were there
# before when it got to them. Then it is the one told last.
names() {
    perf script -F comm,pid,tid,cpu,time,event,ip,sym,dso -i "$1" 2>/dev/null </dev/null
}
wanted_names() { # FILE...
    for file; do own_tasks "$file"; done >own
    for file; do names "$file"; done >want
    for file; do task_events "$file"; done >told.want
}
with_names() { # MERGED
    names "$1" >got
    task_events "$1" >told.got
    python3 - <<'END' || fail "names in $1"
import collections, re, sys

own = set(open("own").read().split())

def samples(name):
    """Two counts of each sample: of the lines of its call chain, and of its names by all but the name."""
    lines, names, mine = collections.Counter(), collections.defaultdict(collections.Counter), False
    for line in open(name, errors="replace"):
        m = re.match(r" *(.*?) +-?\d+/(-?\d+) +(\[\d+\] +([\d.]+): .*)", line)
        if m:
            mine = m[2] in own
            if mine:
                names[m[2], m[4], re.sub(" +", " ", m[3].strip())][m[1]] += 1
        elif mine and line.strip():
            lines[re.sub(" +", " ", line.strip())] += 1
    return lines, names

def comms(name):
    """What was told of each task: pairs of time and name."""
    out = collections.defaultdict(list)
    for line in open(name, errors="replace"):
        m = re.search(r"([\d.]+): PERF_RECORD_COMM(?: exec)?: (.*):\d+/(\d+)$", line.strip())
        if m and m[3] in own:
            out[m[3]].append((float(m[1]), m[2]))
    return out

(chain, want), (got_chain, got) = samples("want"), samples("got")
told, got_told = comms("told.want"), comms("told.got")
n = sum(sum(c.values()) for c in want.values())
assert n > 300 and len(told) > 10, (n, len(told))
lost = [(tid, t) for tid in told for t in told[tid] if t[0] > 0 and t not in got_told[tid]]
assert not lost, f"names that are not told: {lost[:5]}"
assert want.keys() == got.keys(), list(want.keys() ^ got.keys())[:5]
other, bad = 0, []
for key in want:
    assert sum(want[key].values()) == sum(got[key].values()), key
    for name in got[key] - want[key]:
        other += 1
        last = max((t for t in got_told[key[0]] if t[0] <= float(key[1])), default=(0, None))[0]
        if not any(t == (last, name) for t in got_told[key[0]]):
            bad.append((key, want[key], name))
# The map of the kernel reaches to its init code only once perf has loaded symbols.
missing, added = chain - got_chain, got_chain - chain
for line in missing:
    unknown = added[f"{line.split()[0]} [unknown] ([unknown])"]
    if not (line.endswith("([kernel.kallsyms])") and unknown == missing[line]):
        bad.append(line)
print(n, "samples,", other, "with another name")
if bad:
    sys.exit(f"{len(bad)} with a wrong name or place: {bad[:5]}")
END
}
busy() { # many short processes, and threads that name themselves
    local i
    for i in $(seq "$(effort 50 100)"); do
        sh -c 'read -r x </proc/self/stat; exec ls /' >/dev/null
        bash -c 'printf changed >/proc/self/comm; read -r x </proc/self/stat; sleep 0.001'
    done
}
export -f busy effort full
overlapping() { # OPTION...
    record first.data -e cpu-clock -F 997 "$@" -a -- bash -c 'busy; busy; busy' &
    sleep 0.5
    record second.data -e cpu-clock -F 1333 -a -- bash -c busy
    wait
}
for with in '' -g; do
    # shellcheck disable=SC2086
    record_together overlapping $with
    wanted_names first.data second.data
    expect 0 "$PERFDATA" merge -f -o m.data first.data second.data
    expect 0 "$PERFDATA" check m.data
    with_names m.data
    expect 0 "$PERFDATA" merge -f -o m.data second.data first.data
    with_names m.data
done

same_work() {
    record a.data -e cpu-clock -F 500 -a -- bash -c work &
    record b.data -e cpu-clock,page-faults -F 700 -a -- bash -c work
    wait
}
record_together same_work
[ -s a.data ] || skip 'perf record'
expect 0 "$PERFDATA" merge -f -o m.data a.data b.data
expect 0 "$PERFDATA" check m.data
expect 0 "$PERFDATA" sort -n m.data
together m.data a.data b.data
perf report --stdio -i m.data >out 2>err </dev/null || fail "perf report: $(head -c 400 err)"

# As a stream and in the other byte order, too.
"$PERFDATA" merge -q -o - a.data b.data >m.pipe
perf script -F comm,tid,time,event -i - <m.pipe >out 2>err ||
    fail "perf does not read the stream: $(head -c 400 err)"
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
