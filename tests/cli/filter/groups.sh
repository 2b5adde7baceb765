#!/usr/bin/env bash
# Groups that are sampled by their leader, {a,b}:S: members count as in perf, and -e MEMBER keeps what belongs
# to it.
. "$(dirname "$0")/../frame_lib.sh"
record x.data -F 4000 -e '{cpu-clock,page-faults,context-switches}:S' -- \
    sh -c 'for i in 1 2 3 4 5 6; do
        ls -R /usr/include | sort
        n=0
        while [ $n -lt 9999 ]; do n=$((n + 1)); done
    done'

counts() { grep -A1 '^[a-z].* stats:' | sed -n 's/ stats:$//; s/^ *SAMPLE events: *//; /^--/!p'; }
perf report --stats -i x.data 2>/dev/null | counts >want
[ "$(wc -l <want)" = 6 ] || skip "perf report --stats: $(cat want)"
"$PERFDATA" info --stats x.data | counts >got
same want got

# A line for each member, whose period is what it has counted since the sample before, shown or not.
lines() { sed 's/ *$//' | sort; }
for time in '' 20%-60%; do
    perf script -i x.data ${time:+--time "$time"} -F comm,tid,time,event,period,ip 2>/dev/null | lines >want
    "$PERFDATA" dump ${time:+--time "$time"} -F comm,tid,time,event,period,ip x.data | lines >got
    same want got
    [ "$(sed 's/.* \([a-z-]*\):.*/\1/' got | sort -u | wc -l)" = 3 ] || fail "members: $(head -n 3 got)"
done

# The leader's samples hold the member's counts: perf shows what it showed.
shares() { perf report --stdio --no-children -s comm,dso -i "$1" 2>/dev/null | grep -v '^#' | grep .; }
shares x.data >want
for option in '-e page-faults' '-e page-faults,cpu-clock' '-e cpu-clock'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" filter -f -i x.data -o y.data $option
    shares y.data >got
    same want got
done
expect 0 "$PERFDATA" filter -f -i x.data -o y.data --exclude-event page-faults
shares y.data >got
same want got
