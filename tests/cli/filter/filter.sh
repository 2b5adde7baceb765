#!/usr/bin/env bash
# perfdata filter: its options, messages and exit status, on recordings written by hand.
# tests/unit/ops/filter.c tests the kept records, and the other tests of this name compare them with perf.
. "$(dirname "$0")/../filter_lib.sh"

# Two events, cpu-clock:u and page-faults, with IDENTIFIER, IP, TID, TIME, CPU; sample_id_all; a SAMPLE_TIME
# section.
attr() { # CONFIG FLAGS
    le 4 1 112 && le 8 "$1" 1000 $((65536 + 1 + 2 + 4 + 128)) 0 $(((1 << 18) | $2)) && zeros 64
}
sample() { # ID PID TID NANOSECONDS CPU
    le 4 9 && le 2 2 48 && le 8 "$1" 4096 && le 4 "$2" "$3" && le 8 "$4" && le 4 "$5" 0
}
comm() { # PID TID NAME(7) NANOSECONDS
    le 4 3 && le 2 0 56 && le 4 "$1" "$2" && printf '%s\0' "$3" && le 4 "$1" "$2" && le 8 "$4" && le 4 0 0 &&
        le 8 11
}
records() {
    comm 5 5 five--- 0
    comm 7 7 'six,sev' 0
    sample 11 5 5 1000000000 0
    sample 22 5 6 1250000000 1
    sample 11 7 7 1500000000 2
    sample 22 7 7 2000000000 3
}
recording() {
    records >r
    printf PERFILE2
    le 8 104 128 120 256 376 "$(stat -c %s r)" 0 0
    le 4 $((1 << 21)) && zeros 28
    le 8 11 22
    attr 0 $((1 << 5 | 1 << 6)) && le 8 104 8
    attr 2 0 && le 8 112 8
    cat r
    le 8 $((376 + $(stat -c %s r) + 16)) 16 1000000000 2000000000
}
recording >x.data
expect 0 "$PERFDATA" check x.data

# picks "TIMES" OPTION...: which samples are kept.
picks() {
    local want=$1 got
    shift
    filters -i x.data -o y.data "$@"
    got=$("$PERFDATA" dump --json y.data | sed -n 's/.*"SAMPLE".*"time":"\([0-9]*\)0000000".*/\1/p' |
        paste -sd' ')
    [ "$got" = "$want" ] || fail "filter $*: samples at \"$got\", expected \"$want\""
}
picks '100 125 150 200'
picks '100 125' --pid 5
picks '100 125 150 200' --pid 5,7
picks '100 125 150 200' --pid 5 --pid=7
picks '125' --tid 6
picks '' --pid -1
picks '100' --comms five---
picks '100' -c no,five---,neither
picks '125' -c :6
printf 'six,sev\n:6\n' >names
picks '125 150 200' --comms "file://$dir/names"
picks '100 125 150 200' --comms "five---,file://$dir/names"
picks '100 150' -C 0,2
picks '125 150 200' --cpu 1-3
picks '100 150' -e cpu-clock
picks '100 150' -e cpu-clock:u
picks '125 200' -e faults
picks '125 200' -e page-faults,page-faults
picks '125 150' --time 1.25,1.5
picks '100 125' --time ,1.25
picks '150 200' --time 1.250000001,
picks '100 200' --time '0,1 2,3'
picks '100' --time 10%
picks '125' --time 0%-0%,25%-50% --pid 5 --tid 6
picks '200' --time 50%/2 --cpu 3
picks '150 200' --exclude-pid 5
picks '100 150 200' --exclude-tid 6
picks '125 150 200' --exclude-comms five---
picks '100 125' --exclude-cpu 2-3
picks '125 200' --exclude-event cpu-clock
picks '100 200' --exclude-time 1.1,1.9
picks '' --exclude-record SAMPLE
picks '100 125 150 200' --all-user
picks '' --all-kernel
picks '100 150' --every 2
picks '100 125 150' --limit 3
picks '150' --pid 7 --limit 1
picks '' --record COMM
picks '100' --record sample,9 --limit 1

# ---- Talk.
expect 0 "$PERFDATA" filter -f -i x.data -o y.data --pid 5
has err '^perfdata filter: kept 2 of 4 samples and 1 of 2 other records$'
empty out
expect 0 "$PERFDATA" filter -f -i x.data -o y.data --pid 5 --sideband none
has err 'and 0 of 2 other records$'
expect 0 "$PERFDATA" filter -f -i x.data -o y.data --pid 5 --sideband=all
has err 'and 2 of 2 other records$'

# ---- Wrong usage: one sentence with the word that is wrong, and nothing is written.
wrong() { # MESSAGE OPTION...
    local message=$1
    shift
    expect 2 "$PERFDATA" filter -i x.data -o wrong.data "$@"
    has err "$message"
    [ "$(wc -l <err)" = 1 ] || fail "filter $*: more than one line: $(cat err)"
    [ ! -e wrong.data ] || fail "filter $* wrote something"
}
wrong '"five"' --pid five
wrong '"5x"' --tid 4,5x
wrong '"4294967296"' --pid 4294967296
wrong '""' --pid ''
wrong '"1-"' --cpu 1-
wrong '"3-2"' --cpu 0,3-2
wrong '"a"' --exclude-cpu a
wrong '"NOTHING"' --record SAMPLE,NOTHING
wrong '"cycles", but cpu-clock:u, page-faults' --event cycles
wrong '"cpu-clock:k"' --event cpu-clock:k
wrong '"1"' --time 1
wrong '"2,1"' --time 2,1
wrong '"110%"' --time 110%
wrong '"0"' --every 0
wrong '"-1"' --limit -1
wrong '"some"' --sideband some
wrong 'exclude each other' --all-user --all-kernel
wrong 'no-such-file' --comms file://no-such-file
wrong 'one' x.data x.data
expect 2 "$PERFDATA" filter -i no-such.data -o wrong.data
has err no-such.data

# ---- Without a cpu in the samples, cpus cannot be selected; without a time, parts of it neither.
tiny >tiny.data
expect 2 "$PERFDATA" filter -i tiny.data -o wrong.data --cpu 0
has err 'do not tell their cpu'
expect 0 "$PERFDATA" filter -f -i tiny.data -o y.data --time 50%-100%

# ---- Damage: what is intact is kept, and the status says so.
{
    head -c $((376 + 2 * 56 + 48)) x.data
    le 4 9 && le 2 2 48 && le 8 11 4096 && le 4 5
} >cut.data
expect 3 "$PERFDATA" filter -f -i cut.data -o y.data --pid 5
has err 'kept 1 of 1 samples'
expect 0 "$PERFDATA" check y.data
head -c 100 x.data >cut.data
expect 3 "$PERFDATA" filter -f -i cut.data -o z.data
[ ! -e z.data ] || fail 'a file without a header was filtered'

# ---- Cpus and events whose verdicts are remembered in one place.
records() {
    comm 5 5 five--- 0
    for time in 100 125 150 175 200 225; do
        sample 11 5 5 ${time}0000000 $((time % 50 ? 256 : 0))
        sample 22 5 5 ${time}5000000 $((time % 50 ? 219 : 0)) # 219 is 256 - 37
    done
}
cp x.data first.data
recording >x.data
picks '100 150 200' -e cpu-clock --cpu 0
picks '125 175 225' -e cpu-clock --cpu 256
"$PERFDATA" filter -q -f -i x.data -o y.data -e page-faults --cpu 219
[ "$("$PERFDATA" dump -F cpu y.data | grep -c 219)" = 3 ] || fail 'samples of cpu 219 are missing'
mv first.data x.data

# ---- Memory does not grow with the samples.
flat 6000 "$PERFDATA" filter -q -f -o large.out --comms tiny
rm -f large.out

# ---- More than the reader's window: neighbours are written at once, before it moves.
"$PERFDATA" gen -q --preset build -c 20000 -o long.data
"$PERFDATA" filter -q -f -i long.data -o y.data
"$PERFDATA" dump -F tid,cpu,time,period long.data >a
"$PERFDATA" dump -F tid,cpu,time,period y.data >b
same a b
"$PERFDATA" filter -q -f -i long.data --every 3 -o y.data
"$PERFDATA" dump -F tid,cpu,time,period y.data >b
awk 'NR % 3 == 1' a >c
same b c

# The largest number is no time: what says when samples were taken stays what it is.
{
    printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME"}}'
    for time in 300 100 18446744073709551615 200; do
        printf '{"record":{"type":"SAMPLE","sample":{"ip":"0x1","pid":5,"tid":5,"time":"%s"}}}\n' $time
    done
    echo '{"feature":"sample_time","content":{"first":"100","last":"300"}}'
} | "$PERFDATA" encode -q -o unknown.data -
"$PERFDATA" edit -q --drop-feature SAMPLE_TIME -i unknown.data -o bare.data
for verb in 'filter --pid 5' 'split --by pid' redact 'edit --max-stack 1' 'convert --to pipe'; do
    rm -f y[5%]*.data
    # shellcheck disable=SC2086
    "$PERFDATA" $verb -q -f -o y%d.data -i unknown.data
    "$PERFDATA" decode y[5%]*.data >text
    grep -q '"first":"100","last":"300"' text || fail "$verb: other times of samples"
done
"$PERFDATA" filter -q -f --time 0%-50% -i bare.data -o y.data
[ "$("$PERFDATA" dump -F time y.data | wc -l)" = 1 ] || fail 'a share of times that are known'

# No times, no share of them: nothing is damaged.
"$PERFDATA" gen -q -t SAMPLE --sample-type ip,tid -c 5 -o timed.data
"$PERFDATA" edit -q --drop-feature SAMPLE_TIME -i timed.data -o untimed.data
for verb in dump 'filter -o y.data -f'; do
    # shellcheck disable=SC2086
    expect 2 "$PERFDATA" $verb --time 10%/2 -i untimed.data
    has err 'untimed.data: a share of the time, as samples have no time$'
done

# ---- A map says another process than the thread is of: perf gives it to that of the thread, so it stays with
# its samples, however these are chosen. Ids need more than 16 bits.
unfold <<'END' | "$PERFDATA" encode -q -f -o two.data
{"header":{"container":"file","order":"little"}}
{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"TID|TIME","flags":"sample_id_all|comm|mmap2"}}
{"record":{"type":"FORK","fork":{"pid":100050,"ppid":1,"tid":100050,"ptid":1,"time":"1"},
    "sample_id":{"pid":1,"tid":1,"time":"1"}}}
{"record":{"type":"FORK","fork":{"pid":100050,"ppid":100050,"tid":100051,"ptid":100050,"time":"2"},
    "sample_id":{"pid":100050,"tid":100050,"time":"2"}}}
{"record":{"type":"COMM","comm":{"pid":100050,"tid":100050,"comm":"here"},
    "sample_id":{"pid":100050,"tid":100050,"time":"3"}}}
{"record":{"type":"MMAP2","mmap2":{"pid":60,"tid":100051,"addr":"0x1000","len":"0x1000","pgoff":"0x0","maj":0,
    "min":0,"ino":"0","ino_generation":"0","prot":5,"flags":2,"filename":"/lib/of-both"},
    "sample_id":{"pid":60,"tid":100051,"time":"4"}}}
{"record":{"type":"MMAP2","mmap2":{"pid":70,"tid":70,"addr":"0x1000","len":"0x1000","pgoff":"0x0","maj":0,
    "min":0,"ino":"0","ino_generation":"0","prot":5,"flags":2,"filename":"/lib/other"},
    "sample_id":{"pid":70,"tid":70,"time":"5"}}}
{"record":{"type":"SAMPLE","sample":{"pid":100050,"tid":100050,"time":"10"}}}
{"record":{"type":"SAMPLE","sample":{"pid":70,"tid":70,"time":"11"}}}
END
for how in '--pid 100050' '--comms here' '--exclude-pid 70' '--time 0,0.000000010' '--tid 100050'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" filter -q -f $how -o out.data two.data
    "$PERFDATA" decode --short out.data | grep -o '"filename":"[^"]*"\|"SAMPLE"' >got
    printf '"filename":"/lib/of-both"\n"SAMPLE"\n' | cmp - got || fail "$how: $(cat got)"
done
