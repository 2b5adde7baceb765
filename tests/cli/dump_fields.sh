#!/usr/bin/env bash
# perfdata dump -F: the lines of perf script -F, on recordings of many kinds.
. "$(dirname "$0")/frame_lib.sh"
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
flat "$PERFDATA" dump -F comm,time,ip

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

# ---- Against perf. It prints in the order of time, dump in that of the file.
compare() { # FILE FIELDS
    perf script --no-inline -i "$1" -F "$2" 2>perf.err | sort >perf.lines
    "$PERFDATA" dump -F "$2" "$1" 2>our.err | sort >our.lines
    empty our.err
    same perf.lines our.lines
}
record all.data -a -F 4000 -e cpu-clock -- bash -c work
for list in comm comm,pid,tid,time,cpu,event,ip,period,misc time ip cpu pid event period misc tid,cpu,ip comm,ip; do
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
if perf record -a --data-page-size --code-page-size -d -e cpu-clock -o pages.data -- bash -c work >record.log 2>&1 </dev/null; then
    compare pages.data time,cpu,addr,ip,data_page_size,code_page_size
fi
if perf record --intr-regs=ip,sp --user-regs=ip,sp -e cpu-clock -o regs.data -- bash -c work >record.log 2>&1 </dev/null; then
    compare regs.data time,ip,iregs,uregs,event
    has our.lines ' ABI:2 '
fi
# Call chains: perf shows user addresses relative to their file, which takes maps; the kernel's are as recorded.
record chain.data -g -e cpu-clock:k -- bash -c work
perf script --no-inline -i chain.data -F time,ip 2>/dev/null | grep -v '^\s[0-9a-f ]\{15\}[0-9a-f]$' | sort >perf.lines || true
perf script --no-inline -i chain.data -F time,ip 2>/dev/null | grep '^\sffff[0-9a-f]\{12\}$' | sort >perf.chain
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
