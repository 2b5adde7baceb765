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
record a.data -e cpu-clock -F 500 -a -- bash -c work &
record b.data -e cpu-clock,page-faults -F 700 -a -- bash -c work
wait
[ -s a.data ] || skip 'perf record'
expect 0 "$PERFDATA" merge -o m.data a.data b.data
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

# One recording in pieces by cpu: the same as the whole.
for cpu in 0 1-4095; do
    "$PERFDATA" filter -q --sideband=all -C $cpu -i a.data -o piece-$cpu.data
done
expect 0 "$PERFDATA" merge -f -o m.data piece-*.data
together m.data a.data
