#!/usr/bin/env bash
# perfdata filter against perf on other kinds of recordings: several events, tracepoints, one process, compressed, a pipe
# stream, namespaces and cgroups, context switches, copies of the stack.
. "$(dirname "$0")/filter_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'

# some FILE: a few selections of each kind.
some() {
    local name pid
    most "$1" comm 40 | grep -v , >names || true
    while read -r name; do
        agrees "$1" --comms "$name"
    done < <(sed -n '1p; 3p; 6p' names)
    agrees "$1" --comms "$(paste -sd, names)"
    pid=$(most "$1" pid 2 | tail -n 1)
    agrees "$1" --pid "$pid"
    times "$1" >t
    [ ! -s t ] || agrees "$1" --time "$(nth t 300),$(nth t 700)" --comms "$(head -n 3 names | paste -sd,)"
}

# of_event FILE NAME OPTION...: perf shows only that event's samples, all of them.
of_event() {
    local file=$1 name=$2
    shift 2
    expect 0 "$PERFDATA" filter -q -f -i "$file" -o filtered.data "$@"
    script -i "$file" >all
    awk -v RS= -v ORS='\n\n' -v event=" $name:" 'index(substr($0, 1, index($0 "\n", "\n")), event)' all >wanted
    script -i filtered.data | awk -v RS= -v ORS='\n\n' 1 >got
    same wanted got
}

# ---- Two events, by name and by alias.
record two.data -a -g -e cpu-clock,page-faults -F 997 -- bash -c tasks
some two.data
of_event two.data page-faults -e page-faults
of_event two.data page-faults -e faults
of_event two.data cpu-clock --exclude-event page-faults
expect 2 "$PERFDATA" filter -o no.data -i two.data -e cycles
has err 'there is no event "cycles", but cpu-clock'
agrees two.data --comms ls

# ---- Modifiers.
record modes.data -a -g -e cpu-clock:u,cpu-clock:k -F 997 -- bash -c tasks
some modes.data
of_event modes.data cpu-clock:u -e cpu-clock:u
of_event modes.data cpu-clock:k -e cpu-clock:k
"$PERFDATA" filter -o both.data -i modes.data -e cpu-clock 2>err
grep -q 'kept \([0-9]*\) of \1 samples' err || fail "-e cpu-clock: $(cat err)"

# ---- Samples by mode of the cpu, as perf script shows it with -F misc.
record misc.data -a -e cpu-clock -F 997 -- bash -c tasks
for mode in user:U kernel:K; do
    expect 0 "$PERFDATA" filter -q -f -i misc.data -o filtered.data "--all-${mode%:*}"
    script -i filtered.data -F misc | tr -d ' ' | sort -u >got
    [ "$(cat got)" = "${mode#*:}" ] || fail "--all-${mode%:*} kept $(paste -sd' ' got)"
    n=$(script -i misc.data -F misc | grep -c "${mode#*:}")
    [ "$(script -i filtered.data -F misc | wc -l)" = "$n" ] || fail "--all-${mode%:*} did not keep all $n"
done

# ---- One process and its children; several kinds of records around the samples.
record own.data -g -e task-clock -F 1999 -- bash -c tasks && some own.data
record switches.data -a -e cpu-clock -F 499 --switch-events --namespaces --all-cgroups -- bash -c tasks && some switches.data
record stacks.data -a -e cpu-clock -F 199 --call-graph dwarf,1024 -- bash -c tasks && some stacks.data
if perf record -z -o - -e cpu-clock true >/dev/null 2>&1; then
    record small.data -a -g -z -e cpu-clock -F 997 -- bash -c tasks && some small.data
fi
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
    record points.data -a -g -e sched:sched_switch,cpu-clock -F 499 -- bash -c tasks
    some points.data
    of_event points.data sched:sched_switch -e "tracepoint:$(cat /sys/kernel/tracing/events/sched/sched_switch/id)"
fi

# ---- A pipe stream, from a file and from a pipe.
perf record -q -a -g -e cpu-clock -F 997 -o - -- bash -c tasks >stream 2>err </dev/null || skip "perf record -o -: $(tail -n 1 err)"
name=$(most stream comm 3 | tail -n 1)
agrees stream --comms "$name"
"$PERFDATA" filter -q -o - --comms "$name" - <stream | cat >piped
same filtered.data piped

echo "$compared selections compared"
