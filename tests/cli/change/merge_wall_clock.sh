#!/usr/bin/env bash
# perfdata merge --wall-clock: recordings of different clocks on one time. perf script prints the time of day
# of each (-F tod), by the same CLOCK_DATA; merged, the times themselves are those.
. "$(dirname "$0")/../frame_lib.sh"
export TZ=UTC
for clock in CLOCK_MONOTONIC CLOCK_BOOTTIME CLOCK_REALTIME; do
    record $clock.data -k $clock -e cpu-clock -F 999 -- sh -c 'for i in 1 2 3 4; do ls -R /usr/include; done'
done
record own.data -e cpu-clock -- true

# As perf knows them: the day and microseconds, and the address.
for clock in CLOCK_MONOTONIC CLOCK_BOOTTIME; do
    perf script -F tod,ip,tid -i $clock.data 2>/dev/null |
        sed -n 's/^ *\([0-9]*\) \([-0-9]*\) \([:.0-9]*\)  *\([0-9a-f]*\)$/\2T\3 \1 \4/p'
done | sort >want
[ "$(wc -l <want)" -ge 20 ] || fail "perf script -F tod shows only $(head -n 3 want)"
times() { # FILE: the same of the times in it
    perf script --ns -F time,ip,tid -i "$1" 2>/dev/null |
        sed -n 's/^ *\([0-9]*\) *\([0-9]*\)[.]\([0-9]\{6\}\)[0-9]*: *\([0-9a-f]*\).*/\2 \3 \1 \4/p' |
        while read -r seconds micro tid ip; do
            printf '%(%Y-%m-%dT%H:%M:%S)T.%s %s %s\n' "$seconds" "$micro" "$tid" "$ip"
        done
}
for n in 1 2; do # the streams of these are files first
    expect 0 "$PERFDATA" merge -f --wall-clock -o m.data CLOCK_MONOTONIC.data CLOCK_BOOTTIME.data
    expect 0 "$PERFDATA" check -q m.data
    times m.data | sort >got
    same want got
    for clock in CLOCK_MONOTONIC CLOCK_BOOTTIME; do
        "$PERFDATA" convert -q --to pipe -o s.pipe $clock.data && mv s.pipe $clock.data || fail convert
    done
done

# One event of one clock; no clock of another is told; the recording that has it already is as it was.
expect 0 "$PERFDATA" merge -f --wall-clock -o m.data CLOCK_REALTIME.data CLOCK_MONOTONIC.data
"$PERFDATA" decode m.data | grep '^{"attr"' >attrs
! grep -v '"clockid":"REALTIME"' attrs || fail "attrs: $(cat attrs)"
expect 0 "$PERFDATA" merge -f --wall-clock -o n.data CLOCK_MONOTONIC.data CLOCK_BOOTTIME.data
"$PERFDATA" info m.data >text
grep -q CLOCK_DATA text || fail "no CLOCK_DATA: $(cat text)"
"$PERFDATA" info n.data >text
! grep CLOCK_DATA text || fail 'CLOCK_DATA of another clock'
expect 0 "$PERFDATA" merge -f --wall-clock -o m.data CLOCK_REALTIME.data
expect 0 "$PERFDATA" merge -f -o n.data CLOCK_REALTIME.data
expect 0 "$PERFDATA" cmp --ignore offset m.data n.data

# The clock of perf record without -k is not the wall's by any record.
expect 2 "$PERFDATA" merge -f --wall-clock -o none.data CLOCK_REALTIME.data own.data
has err 'own.data: cannot be merged: its wall clock is not known'
expect 2 "$PERFDATA" merge -f -o none.data CLOCK_REALTIME.data CLOCK_MONOTONIC.data
has err 'another clock'
[ ! -e none.data ] || fail 'an output'
