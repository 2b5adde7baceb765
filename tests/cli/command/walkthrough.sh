#!/usr/bin/env bash
# docs/walkthrough.sh runs, and what it makes is what it says.
. "$(dirname "$0")/../frame_lib.sh"
for groups in /sys/fs/cgroup/{perf_event,unified,}; do
    [ ! -e $groups/cgroup.procs ] || break
done
[ -e $groups/cgroup.procs ] || skip 'no cgroups are mounted'
[ "$(id -u)" = 0 ] && mkdir $groups/walk-test 2>/dev/null && rmdir $groups/walk-test ||
    skip 'no cgroups can be made here'
command -v cc >/dev/null || skip 'cc is not installed'
record probe.data -a --all-cgroups -e cpu-clock -- true
mkdir files
expect 0 bash "$PERFDATA_SOURCE/docs/walkthrough.sh" files
rmdir $groups/walk-build $groups/walk-backup
cd files
for file in *.data; do expect 0 "$PERFDATA" check -q "$file"; done

# Of the build alone, as many as perf counts of its cgroup; two seconds; its family.
"$PERFDATA" report --json -s cgroup monday.data |
    jq '[.events[].rows[] | select(.keys.cgroup == "/walk-build").samples] | add' >want
"$PERFDATA" report --json -s cgroup build.data | jq '[.events[].rows[].samples] | add' >got
cmp want got || fail "samples of the build: $(cat want), in the piece $(cat got)"
[ "$(cat got)" -ge 20 ] || fail "only $(cat got) samples of the build"
perf script -F time -i cut.data 2>/dev/null | tr -d ' :' | sort -n | sed -n '1p;$p' | paste -sd' ' |
    awk '{exit $2 - $1 > 2}' || fail 'the piece is longer than two seconds'
"$PERFDATA" report --json -s comm family.data | jq -r '.events[].rows[].keys.comm' >names
grep -qx cc1 names || fail "the family has no compiler: $(paste -sd, names)"
# What is shared has libc, but not the command line, nor where the build ran.
! grep -qaF -e --all-cgroups share.data || fail 'the command line'
"$PERFDATA" dump share.data >shown
grep -q '/usr/.*libc' shown || fail 'no libc'
"$PERFDATA" report -s comm --baseline build.data tuesday-build.data >difference
grep -q '^ *[0-9.]*% *[-+][0-9.]*%' difference || fail "no difference: $(cat difference)"
