#!/usr/bin/env bash
# perfdata dump -F: the lines of perf script -F, on recordings of many kinds.
. "$(dirname "$0")/../frame_lib.sh"
tiny >tiny.data

# ---- By hand.
fields() { # FIELDS EXPECTED
    expect 0 "$PERFDATA" dump -F "$1" tiny.data
    printf '%s\n' "$2" >expected
    same expected out
}
fields comm,pid,tid,time,event,ip '            tiny    71/71        5.000000: cpu-clock:            401000'
fields ip,time '    5.000000:            401000'
fields tid '   71 '
fields period '      1000 '
fields misc 'U     '

expect 2 "$PERFDATA" dump -F cpu tiny.data
has err 'no event has the field cpu'
expect 2 "$PERFDATA" dump -F ip,sym tiny.data
has err 'sym needs symbols'
expect 2 "$PERFDATA" dump -F nonsense tiny.data
has err '"nonsense"'
expect 2 "$PERFDATA" dump -F '' tiny.data
"$PERFDATA" dump --help | grep -A4 -e '-F, --fields' >help
for field in comm tid pid time cpu event ip addr period misc weight phys_addr; do
    has help "\b$field\b"
done
flat 2000 "$PERFDATA" dump -F comm,time,ip

# ---- A name at the time of each sample, though the COMM records come later in the file.
{
    tiny_header 176
    le 4 9 && le 2 2 32 && le 8 1 && le 4 7 7 && le 8 100
    le 4 9 && le 2 2 32 && le 8 2 && le 4 7 7 && le 8 300
    le 4 9 && le 2 2 32 && le 8 3 && le 4 8 8 && le 8 100
    le 4 3 && le 2 0 40 && le 4 7 7 && printf 'early\0\0\0' && le 4 7 7 && le 8 50
    le 4 3 && le 2 0 40 && le 4 7 7 && printf 'late\0\0\0\0' && le 4 7 7 && le 8 200
} >plain.data
{ head -c 144 plain.data && le 8 $((1 << 18)) && tail -c +153 plain.data; } >late.data # with sample_id_all
expect 0 "$PERFDATA" dump -F comm,ip late.data
sed 's/^ *//; s/  */ /' out >names
printf '%s\n' 'early 1' 'late 2' ':8 3' >expected
same expected names

# ---- What one line lends the next: the columns of a task until its name changes, the seconds. Tids 7 and 263
# are remembered at the same place, the name of 9 is too long to be, and the sample at 120 is older than what
# is.
long=$(printf 'n%.0s' {1..90})
sample() { # PID TID TIME CPU
    le 4 9 && le 2 2 40 && le 8 1 && le 4 "$1" "$2" && le 8 "$3" && le 4 "$4" 0
}
named() { # TID NAME TIME, the name of a multiple of 8 bytes with its NULs
    le 4 3 && le 2 0 $((40 + $(printf "$2" | wc -c))) && le 4 7 "$1" && printf "$2" && le 4 7 "$1" &&
        le 8 "$3" && le 4 0 0
}
{
    named 7 'early\0\0\0' 50
    named 7 'late\0\0\0\0' 1000000200
    named 9 "$long\\0\\0\\0\\0\\0\\0" 50
    sample 0 0 90 0
    sample 7 7 100 0
    sample 7 7 150999 12
    sample 7 263 200 999
    sample 7 7 999999999 1000
    sample 7 7 1000000200 4294967295
    sample 7 7 65000000300 100
    sample 7 7 120 7
    sample 8 7 130 7
    sample 7 9 140 7
    sample 7 9 123456789012345 7
} >lines
{
    tiny_header "$(wc -c <lines)" >header
    head -c 128 header
    le 8 $((0x87)) 0 $((1 << 18)) && zeros 80 # of the attr, sample_type, read_format and sample_id_all
    le 8 0 0 && cat lines
} >lending.data
expect 0 "$PERFDATA" dump -F comm,pid,tid,cpu,time,event lending.data
cat >expected <<EOF
         swapper     0/0     [000]     0.000000: cpu-clock: 
           early     7/7     [000]     0.000000: cpu-clock: 
           early     7/7     [012]     0.000150: cpu-clock: 
            :263     7/263   [999]     0.000000: cpu-clock: 
           early     7/7     [1000]     0.999999: cpu-clock: 
            late     7/7     [-01]     1.000000: cpu-clock: 
            late     7/7     [100]    65.000000: cpu-clock: 
           early     7/7     [007]     0.000000: cpu-clock: 
           early     8/7     [007]     0.000000: cpu-clock: 
$long     7/9     [007]     0.000000: cpu-clock: 
$long     7/9     [007] 123456.789012: cpu-clock: 
EOF
same expected out
expect 0 "$PERFDATA" dump -F comm,pid,tid,cpu,time,event -j2 lending.data
same expected out

# ---- Against perf. It prints in the order of time, dump in that of the file.
compare() { # FILE FIELDS
    perf script --no-inline -i "$1" -F "$2" 2>perf.err | sort >perf.lines
    "$PERFDATA" dump -F "$2" "$1" 2>our.err | sort >our.lines
    empty our.err
    same perf.lines our.lines
}
record all.data -a -F 1500 -e cpu-clock -- bash -c work
for list in comm comm,pid,tid,time,cpu,event,ip,period,misc time ip cpu pid event period misc tid,cpu,ip \
    comm,ip; do
    compare all.data $list
done
[ "$(perf script -i all.data -F comm | sort -u | wc -l)" -ge 4 ] || fail 'too few names to compare'
record task.data -e cpu-clock -- bash -c work
compare task.data comm,pid,tid,time,event,ip,period
expect 2 "$PERFDATA" dump -F cpu task.data
perf script -i task.data -F cpu >/dev/null 2>&1 && fail 'perf prints a cpu that was not sampled'
record two.data -a -e cpu-clock -e page-faults -- bash -c work
compare two.data comm,pid,tid,time,cpu,event,ip,period
record fixed.data -c 100000 -e cpu-clock -- bash -c work
compare fixed.data comm,time,period,event,ip
record data.data -d --phys-data -W -e cpu-clock -e page-faults -- bash -c work
compare data.data pid,time,event,addr,ip,weight,ins_lat,phys_addr
compare data.data comm,addr,phys_addr
if perf record -a --data-page-size --code-page-size -d -e cpu-clock -o pages.data -- \
    bash -c work >record.log 2>&1 </dev/null; then
    compare pages.data time,cpu,addr,ip,data_page_size,code_page_size
fi
if perf record --intr-regs=ip,sp --user-regs=ip,sp -e cpu-clock -o regs.data -- \
    bash -c work >record.log 2>&1 </dev/null; then
    compare regs.data time,ip,iregs,uregs,event
    has our.lines ' ABI:2 '
fi
# Call chains: perf shows user addresses relative to their file, which takes maps; the kernel's are as
# recorded.
record chain.data -g -e cpu-clock:k -- bash -c work
perf script --no-inline -i chain.data -F time,ip 2>/dev/null | grep -v '^\s[0-9a-f ]\{15\}[0-9a-f]$' |
    sort >perf.lines || true
perf script --no-inline -i chain.data -F time,ip 2>/dev/null | grep '^\sffff[0-9a-f]\{12\}$' |
    sort >perf.chain
"$PERFDATA" dump -F time,ip chain.data | grep '^\sffff[0-9a-f]\{12\}$' | sort >our.chain
same perf.chain our.chain
"$PERFDATA" dump -F time,ip chain.data | grep -v '^\s[0-9a-f ]\{15\}[0-9a-f]$' | sort >our.lines
same perf.lines our.lines

# A field that no event has: of a stream that is known with its first sample.
for file in two.data stream.data; do
    [ $file = two.data ] || "$PERFDATA" convert -q --to pipe -i two.data -o stream.data
    expect 2 "$PERFDATA" dump -F comm,weight $file
    empty out
    has err 'no event has the field weight'
done

# Ids are those of the attrs.
"$PERFDATA" dump -F id two.data | sort -u | tr -d ' ' >ids
perf evlist -v -i two.data 2>/dev/null | grep -c '^[a-z]' >events
[ "$(wc -l <ids)" -ge 2 ] || fail "ids of $(cat events) events: $(cat ids)"
"$PERFDATA" info --json two.data | grep -o '"ids":\[[^]]*\]' | grep -o '[0-9]*' | sort >all.ids
[ -z "$(sort ids | comm -23 - all.ids)" ] || fail 'ids that no attr has'
