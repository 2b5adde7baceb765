#!/usr/bin/env bash
# Samples of counters (READ): perf takes the difference to the last value as a period, so filter and split
# must not add what they drop to the sample that follows. perf's sums of the selected tasks stay what they
# were in the whole recording; values by hand.
. "$(dirname "$0")/../frame_lib.sh"

# Two counters of a group, and values of 2 counters in each sample: "TID A B".
{
    echo '{"header":{"container":"file","order":"little"}}'
    for n in 1 2; do
        echo '{"attr":{"type":"SOFTWARE","config":"0x'$n'","size":128,"sample_type":"IP|TID|TIME|READ|ID",' \
            '"read_format":"GROUP|ID|TOTAL_TIME_ENABLED|LOST","flags":"sample_id_all"},"ids":["'$n'"]}'
    done
    n=0
    while read -r tid a b; do
        n=$((n + 1))
        echo '{"record":{"type":"SAMPLE","misc":2,"attr":0,"sample":{"ip":"0x'$n'",' \
            '"pid":'"$tid"',"tid":'"$tid"',"time":"'$n'000000000","id":"1",' \
            '"read":{"time_enabled":"9","values":[' \
                '{"value":"'"$a"'","id":"1","lost":"0"},{"value":"'"$b"'","id":"2","lost":"0"}]}}}}'
    done <<<'5 10 1
7 30 5
5 60 5
7 100 8
5 150 20'
} >x.json
expect 0 "$PERFDATA" encode -f -o x.data x.json
values() { # of both counters, a sample a line
    "$PERFDATA" decode --short "$1" |
        sed -n 's/.*"values":\[{"value":"\([0-9]*\)".*{"value":"\([0-9]*\)".*/\1 \2/p' |
        paste -sd,
}
want() { # FILE VALUES
    [ "$(values "$1")" = "$2" ] || fail "$1: $(values "$1"), not $2"
    expect 0 "$PERFDATA" check -q --strict "$1"
}
# Task 5 counted 10, 30 and 50 of A; 1, 0 and 12 of B. Task 7 20 and 40; 4 and 3.
filter() { expect 0 "$PERFDATA" filter -q -f -i x.data -o y.data "$@"; }
filter --tid 5 && want y.data '10 1,40 1,90 13'
filter --tid 7 && want y.data '20 4,60 7'
filter --exclude-tid 5 && want y.data '20 4,60 7'
filter --every 2 && want y.data '10 1,40 1,90 13'
filter --limit 2 && want y.data '10 1,30 5'
filter --time 2.5, && want y.data '30 0,70 3,120 15'
filter && cmp -s x.data y.data || fail 'nothing is dropped, but bytes change'
expect 0 "$PERFDATA" convert -q -f --endian big -i x.data -o b.data
expect 0 "$PERFDATA" filter -q -f --tid 5 -i b.data -o y.data && want y.data '10 1,40 1,90 13'
"$PERFDATA" convert -q --to pipe -i x.data -o - | "$PERFDATA" filter -q --tid 7 -o s.data -
want s.data '20 4,60 7'
expect 0 "$PERFDATA" split -q -f --by pid -i x.data -o 'p%d.data'
want p5.data '10 1,40 1,90 13'
want p7.data '20 4,60 7'
expect 0 "$PERFDATA" split -q -f --time 2s -i x.data -o 't%d.data'
want t0.data '10 1,30 5'
want t1.data '30 0,70 3'
want t2.data '50 12'

# report and export count the same of a choice, in whatever order the samples stand: in y.data the third, and
# the second behind the fourth, wait for an older COMM, those behind that do not.
counted() { # FILE [OPTION...]: the sums of both counters
    "$PERFDATA" report --json -s comm -i "$@" |
        python3 -c 'import json, sys; print(*(event["period"] for event in json.load(sys.stdin)["events"]))'
    for event in task-clock page-faults; do
        "$PERFDATA" export --to folded -e $event "$@" | awk '{ n += $NF } END { print n }'
    done
}
{
    sed -n '1,4p;6p' x.json
    echo '{"record":{"type":"COMM","misc":8192,"attr":0,"comm":{"pid":5,"tid":5,"comm":"five"},"sample_id":' \
        '{"pid":5,"tid":5,"time":"2100000000","id":"1"}}}'
    sed -n '7p;5p;8p' x.json
} >y.json
expect 0 "$PERFDATA" encode -f -o y.data y.json
for f in x.data y.data s.pipe; do
    [ $f != s.pipe ] || "$PERFDATA" convert -q --to pipe -i y.data -o $f
    [ "$(counted $f | paste -sd' ')" = '150 20 150 20' ] || fail "$f: $(counted $f)"
    [ "$(counted $f --tid 5 | paste -sd' ')" = '90 13 90 13' ] || fail "$f, 5: $(counted $f --tid 5)"
    [ "$(counted $f --exclude-tid 5 | paste -sd' ')" = '60 7 60 7' ] || fail "$f, 7: $(counted $f --tid 7)"
    [ "$(counted $f --time 2.5, | paste -sd' ')" = '120 15 120 15' ] || fail "$f: $(counted $f --time 2.5,)"
done

# The sums by task are those of the whole recording, to perf, too.
record g.data -a -e '{cpu-clock,page-faults,context-switches}:S' -- \
    sh -c 'for i in 1 2 3; do ls -lR /usr/share/doc | sort -r | md5sum; done'
sums() { # FILE COMM
    perf report --stdio --no-children --no-group -F period,comm -t , -w 30,30 -i "$1" 2>/dev/null </dev/null |
        sed -n "s/^ *\([0-9]*\) *,$2 *$/\1/p" | paste -sd' '
}
counts() { # FILE COMM: the same, as perfdata's own report of this task alone has them
    "$PERFDATA" report --json -s comm --comms "$2" -i "$1" |
        python3 -c 'import json, sys; print(*(event["period"] for event in json.load(sys.stdin)["events"]))'
}
all=
for comm in ls sort sh; do
    want=$(sums g.data $comm)
    expect 0 "$PERFDATA" filter -q -f --comms $comm -i g.data -o y.data
    [ "$(sums y.data $comm)" = "$want" ] || fail "$comm: $(sums y.data $comm), not $want"
    [ "$(counts g.data $comm)" = "$want" ] || fail "report, $comm: $(counts g.data $comm), not $want"
    all+=$want
done
[ -n "$all" ] || fail 'perf shows no task'

# Pieces that are joined again have the values of the whole; so have pieces of task and time.
expect 0 "$PERFDATA" merge -q -f -o m.data t0.data t1.data t2.data
want m.data '10 1,30 5,60 5,100 8,150 20'
expect 0 "$PERFDATA" merge -q -f -o m.data p7.data p5.data
want m.data '10 1,30 5,60 5,100 8,150 20'
for how in '--time 10ms' '--by cpu' '--chunks 7'; do
    rm -f g[0-9]*.data
    read -ra words <<<"$how"
    expect 0 "$PERFDATA" split -q -f "${words[@]}" -i g.data -o 'g%03d.data'
    expect 0 "$PERFDATA" merge -q -f -o m.data g[0-9]*.data
    for comm in ls sort sh; do
        [ "$(sums m.data $comm)" = "$(sums g.data $comm)" ] ||
            fail "split $how, merge: $comm: $(sums m.data $comm), not $(sums g.data $comm)"
    done
done
