#!/usr/bin/env bash
# perfdata report: options, output and differences. tests/oracle/report.py compares its sums with perf's.
. "$(dirname "$0")/../frame_lib.sh"

# Four samples of one event with periods, two tasks, in 4 seconds; and a second recording.
recording() { # FILE: lines "TIME TID PERIOD" on standard input
    {
        echo '{"header":{"container":"file","order":"little"}}'
        echo '{"attr":{"type":"HARDWARE","size":128,"sample_type":"IP|TID|TIME|CPU|PERIOD",' \
            '"flags":"freq|sample_id_all"},"ids":[]}'
        for tid in 1 2; do
            echo '{"record":{"type":"COMM","attr":0,"comm":{"pid":'$tid',"tid":'$tid',"comm":"task'$tid'"},' \
                '"sample_id":{"pid":'$tid',"tid":'$tid',"time":"0","cpu":0}}}'
        done
        while read -r time tid period; do
            echo '{"record":{"type":"SAMPLE","misc":2,"attr":0,"sample":{"ip":"0x10","pid":'"$tid"',' \
                '"tid":'"$tid"',"time":"'"$time"'","cpu":'$((tid - 1))',"period":"'"$period"'"}}}'
        done
    } >x.json
    expect 0 "$PERFDATA" encode -f -o "$1" x.json
}
recording a.data <<<'1000000000 1 10
2000000000 2 30
4000000000 1 40
5000000000 1 20'
recording b.data <<<'1000000000 1 50
1000000001 3 50'

expect 0 "$PERFDATA" report -s comm a.data
cat >want <<'E2'
# cycles: 4 samples, period 100
#   Share    Samples  Command
   70.00%          3  task1
   30.00%          1  task2
E2
same want out
expect 0 "$PERFDATA" report -s cpu,pid --limit 1 a.data
has out '^   70.00%          3  0    1$'
[ "$(wc -l <out)" = 3 ] || fail 'more than one row'
expect 0 "$PERFDATA" report -s time/2,event a.data
cat >want <<'E2'
# cycles: 4 samples, period 100
#   Share    Samples  Time                     Event
   60.00%          2  3.000000000,5.000000000  cycles
   40.00%          2  1.000000000,2.999999999  cycles
E2
same want out
# Rows of equal periods are in the order of the keys, the first of which may be the same.
recording same.data <<<'1000000000 1 30
5000000000 1 30
2000000000 2 30'
expect 0 "$PERFDATA" report -s pid,time/2 same.data
cat >want <<'E2'
# cycles: 3 samples, period 90
#   Share    Samples  Pid  Time
   33.33%          1  1    1.000000000,2.999999999
   33.33%          1  1    3.000000000,5.000000000
   33.33%          1  2    1.000000000,2.999999999
E2
same want out
# A slice is what filter takes by it.
expect 0 "$PERFDATA" filter -q -f --time 1.000000000,2.999999999 -i a.data -o c.data
[ "$("$PERFDATA" dump -F ip c.data | wc -l)" = 2 ] || fail 'filter by a slice'

expect 0 "$PERFDATA" report --json -s comm,dso a.data
printf '%s' '{"events":[{"name":"cycles","samples":4,"period":"100","rows":[' \
    '{"keys":{"comm":"task1","dso":"[unknown]"},"samples":3,"period":"70","share":0.69999999999999996},' \
    '{"keys":{"comm":"task2","dso":"[unknown]"},"samples":1,"period":"30","share":' \
    '0.29999999999999999}]}]}' >want
echo >>want
same want out

# 70 % and 30 % against 50 % of task1 and 50 % of a task without a name.
expect 0 "$PERFDATA" report -s comm --baseline b.data a.data
cat >want <<'E2'
# cycles: 4 samples, period 100
#Baseline     Delta  Command
   50.00%    -50.00%  :3
             +30.00%  task2
   50.00%    +20.00%  task1
E2
same want out
expect 0 "$PERFDATA" report -s comm --baseline b.data --json a.data
has out '"comm":":3"},"samples":0,"period":"0","share":0,"baseline":{"samples":1,"period":"50","share":0.5}'

expect 0 "$PERFDATA" report -s comm --comms task2 a.data
has out '^  100.00%          1  task2$'
expect 0 "$PERFDATA" report -s comm --exclude-cpu 0 --time ,4.5 a.data
has out '^  100.00%          1  task2$'
expect 0 "$PERFDATA" report -s comm --pid 77 a.data
empty out

# A stream, from a pipe; damage, behind which nothing is lost.
expect 0 "$PERFDATA" report -s comm a.data
mv out want
expect 0 "$PERFDATA" convert -q --to pipe -i a.data -o p.data
"$PERFDATA" report -s comm - <p.data >out
same want out
head -c -8 p.data >d.data
expect 3 "$PERFDATA" report -s comm d.data
has out 'cycles: 3 samples, period 80'

# Names from a file cannot break a table or JSON.
sed -i 's/"task1"/"a\\nb\\u001b[1m"/' x.json
expect 0 "$PERFDATA" encode -f -o n.data x.json
expect 0 "$PERFDATA" report -s comm n.data
! grep -q $'\e' out || fail 'a control character'
[ "$(wc -l <out)" = 4 ] || fail "a newline in a name: $(cat out)"

expect 2 "$PERFDATA" report -s comm,dos a.data
has err 'there is no "dos"'
expect 2 "$PERFDATA" report -s time a.data
expect 2 "$PERFDATA" report -s time/0 a.data
expect 2 "$PERFDATA" report --limit 0 a.data
expect 2 "$PERFDATA" report -e page-faults a.data
has err 'there is no event'

# perf's differences of two recordings: names, shares, signs.
record one.data -e cpu-clock -F 999 -- sh -c 'seq 1 60000 | sort -rn | md5sum'
record two.data -e cpu-clock -F 999 -- sh -c 'seq 1 60000 | sort -n | md5sum'
perf diff -s comm one.data two.data 2>/dev/null </dev/null |
    sed -n 's/^ *\([0-9.]*%\) *\([+-][0-9.]*%\) *\([^ ]*\) *$/\1 \2 \3/p' | sort >want
"$PERFDATA" report -s comm --baseline one.data two.data |
    sed -n 's/^ *\([0-9.]*%\) *\([+-][0-9.]*%\) *\([^ ]*\)$/\1 \2 \3/p' | sort >got
# perf leaves out those that only one has.
while read -r line; do grep -qxF -e "$line" got || fail "no line $line: $(cat got)"; done <want
[ -s want ] || fail 'perf diff shows nothing'
