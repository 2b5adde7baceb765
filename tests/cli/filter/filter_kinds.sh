#!/usr/bin/env bash
# perfdata filter against perf: other kinds of recordings. One process, namespaces and cgroups, context
# switches, copies of the stack, compressed records, tracepoints, a directory, a pipe stream.
. "$(dirname "$0")/../filter_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'

# ---- One process and its children; several kinds of records around the samples.
record own.data -g -e task-clock -F 1999 -- bash -c tasks && some own.data
record switches.data -a -e cpu-clock -F 499 --switch-events --namespaces --all-cgroups -- bash -c tasks &&
    some switches.data
record stacks.data -a -e cpu-clock -F 99 --call-graph dwarf,1024 -- bash -c tasks && some stacks.data
if perf record -z -o - -e cpu-clock true >/dev/null 2>&1; then
    record small.data -a -g -z -e cpu-clock -F 997 -- bash -c tasks && some small.data
fi
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
    record points.data -a -g -e sched:sched_switch,cpu-clock -F 499 -- bash -c tasks
    some points.data
    of_event points.data sched:sched_switch \
        -e "tracepoint:$(cat /sys/kernel/tracing/events/sched/sched_switch/id)"
fi
if perf record -q --threads -a -g -e cpu-clock -F 997 -o directory -- bash -c tasks >err 2>&1 </dev/null &&
    [ -d directory ]; then
    some directory
fi

# ---- A pipe stream, from a file and from a pipe.
perf record -q -a -g -e cpu-clock -F 997 -o - -- bash -c tasks >stream 2>err </dev/null ||
    skip "perf record -o -: $(tail -n 1 err)"
name=$(most stream comm 3 | tail -n 1)
agrees stream --comms "$name"
"$PERFDATA" filter -q -o - --comms "$name" - <stream | cat >piped
same filtered.data piped

echo "$compared selections compared"
