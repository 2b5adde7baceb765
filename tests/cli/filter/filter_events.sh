#!/usr/bin/env bash
# perfdata filter against perf: several events, their names and modifiers, and the mode of the cpu.
. "$(dirname "$0")/../filter_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'

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

echo "$compared selections compared"
