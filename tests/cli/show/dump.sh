#!/usr/bin/env bash
# perfdata dump: its records and their offsets, compared with perf report -D; its options; damage.
. "$(dirname "$0")/../frame_lib.sh"
tiny >tiny.data

# ---- What follows a TRACING_DATA record is read before it is printed, which must not change its bytes.
# Random features may be damaged, which is told.
for seed in 5 6 7; do
    expect 0 "$PERFDATA" gen -q -f -o all.data -t ALL -c 2000 --seed $seed
    { "$PERFDATA" decode all.data || :; } 2>/dev/null |
        sed -n 's/.*"header_tracing_data":{"data_size":\([0-9]*\).*/\1/p' >wanted
    { "$PERFDATA" dump all.data || :; } 2>/dev/null |
        sed -n '/: HEADER_TRACING_DATA/{n;s/^  data_size: //p}' >found
    same wanted found
    { "$PERFDATA" dump -x all.data || :; } 2>/dev/null |
        awk '/^0x/ { tracing = /HEADER_TRACING_DATA/ } tracing && /^\. +0000:/ { print $3 $4 }' >hex
    [ -s wanted ] && [ "$(sort -u hex)" = 4200 ] || fail "bytes of TRACING_DATA: $(sort -u hex)"
done

# ---- Offsets, sizes, types, by hand.
expect 0 "$PERFDATA" dump tiny.data
grep '^0x' out >headers
printf '%s\n' '0xf8 [0x18]: COMM' '0x110 [0x20]: SAMPLE cpumode=USER' >expected
same expected headers
has out '^  comm: tiny$'
has out '^  ip: 0x401000$'
has out '^  time: 5000000123$'
expect 0 "$PERFDATA" dump -x tiny.data
sed -n 's/ *$//; /^\. /p' out >hex
cat >expected <<'END'
.  0000:  03 00 00 00 00 00 18 00 47 00 00 00 47 00 00 00  ........G...G...
.  0010:  74 69 6e 79 00 00 00 00                          tiny....
.  0000:  09 00 00 00 02 00 20 00 00 10 40 00 00 00 00 00  ...... ...@.....
.  0010:  47 00 00 00 47 00 00 00 7b f2 05 2a 01 00 00 00  G...G...{..*....
END
same expected hex

# ---- Options.
headers() {
    "$PERFDATA" dump "$@" | sed -n 's/^\(0x[0-9a-f]*\) .*/\1/p' | paste -sd' '
}
pick() { # EXPECTED OPTION...
    local want=$1 got
    shift
    got=$(headers "$@" tiny.data)
    [ "$got" = "$want" ] || fail "dump $*: \"$got\", expected \"$want\""
}
pick 0xf8 --limit 1
pick '' --limit 0
pick '0xf8 0x110' --limit 3
pick '0xf8 0x110' --offset 0
pick '0xf8 0x110' --offset 0xf8
pick '0xf8 0x110' --offset 271
pick 0x110 --offset 272
pick 0x110 --offset 0x12f
pick '' --offset 0x130
pick 0x110 --time 5,6
pick 0x110 --time 5.000000123,
pick '' --time 5.000000124,
pick 0x110 --time ,5.000000123
pick '' --time ,5.000000122
pick 0x110 --time '1,2 5,6'
pick 0x110 --time 0%-100%
expect 2 "$PERFDATA" dump --time 5 tiny.data
has err '"5"'
expect 2 "$PERFDATA" dump --time 6,5 tiny.data
expect 2 "$PERFDATA" dump --offset here tiny.data
expect 2 "$PERFDATA" dump --json -x tiny.data
expect 2 "$PERFDATA" dump --json -F ip tiny.data
expect 2 "$PERFDATA" dump -x -F ip tiny.data

# ---- JSON.
expect 0 "$PERFDATA" dump --json tiny.data
[ "$(wc -l <out)" = 2 ] || fail 'two records, not two lines'
if command -v python3 >/dev/null; then
    python3 - out <<'END' || fail 'JSON'
import json, sys
comm, sample = map(json.loads, open(sys.argv[1]))
assert (comm['type'], comm['misc'], comm['size'], int(comm['offset'])) == ('COMM', 0, 24, 248), comm
assert comm['comm'] == {'pid': 71, 'tid': 71, 'comm': 'tiny'}, comm
head = (sample['type'], sample['misc'], sample['size'], int(sample['offset']))
assert head == ('SAMPLE', 'cpumode=USER', 32, 272), sample
assert sample['sample'] == {'ip': '0x401000', 'pid': 71, 'tid': 71, 'time': '5000000123'}, sample
END
fi

# ---- Records of unknown types are shown as bytes; damage ends the dump after what is intact.
{ tiny_header 80 && tiny_records && le 4 200 && le 2 0 24 && printf 0123456789abcdef; } >unknown.data
expect 0 "$PERFDATA" dump unknown.data
has out '^0x130 \[0x18\]: .*200'
has out '30 31 32 33'
head -c 290 tiny.data >cut.data
expect 3 "$PERFDATA" dump cut.data
has out '^0xf8 \[0x18\]: COMM'
has err '^perfdata dump: cut.data: at offset 272'
# A sample that is too short for its event: told, shown as bytes, and the next one is read.
{ tiny_header 80 && tail -c +249 tiny.data | head -c 24 && le 4 9 && le 2 2 24 && zeros 16 &&
    tail -c 32 tiny.data; } >short.data
expect 3 "$PERFDATA" dump short.data
has err 'at offset 272 .*SAMPLE'
has out '^0x110 \[0x18\]: SAMPLE'
has out '^  ip: 0x401000$'

flat 2000 "$PERFDATA" dump

# ---- Against perf: the same records, and the same bytes, in the same places.
constants=$PERFDATA_SOURCE/include/perfdata/constants.h
sed -n 's/^ *PD_RECORD_\([A-Z0-9_]*\) = \([0-9]*\),.*/\2 \1/p' "$constants" | sort >names
[ -s names ] || fail "no record types in $constants"
compare_dump() {
    perf report -D -i "$1" 2>/dev/null >perf.out
    # "0x108@x.data [0x50]: event: 69"
    sed -n 's/^\(0x[0-9a-f]*\)@.* \[\(0x[0-9a-f]*\)\]: event: \([0-9]*\)$/\3 \1 \2/p' perf.out | sort |
        join - names | sed 's/^[0-9]* \([^ ]*\) \([^ ]*\) /\1 [\2]: /' | sort >perf.headers
    "$PERFDATA" dump "$1" | sed -n 's/^\(0x[0-9a-f]* \[0x[0-9a-f]*\]: [A-Z0-9_]*\).*/\1/p' >our.headers
    sort our.headers >our.sorted
    same perf.headers our.sorted
    # In file order.
    mapfile -t offsets < <(cut -d ' ' -f 1 our.headers)
    printf '%d\n' "${offsets[@]}" >offsets
    sort -n -c offsets || fail "$1 is not dumped in file order"
    # perf shows the bytes when it delivers a record, which is in the order of time.
    awk '/^0x/ { split($1, at, "@") } /^\.  [0-9a-f]+:/ { sub(/ *$/, ""); print at[1], $0 }' perf.out |
        sort >perf.hex
    "$PERFDATA" dump -x "$1" |
        awk '/^0x/ { at = $1 } /^\.  [0-9a-f]+:/ { sub(/ *$/, ""); print at, $0 }' | sort >our.hex
    same perf.hex our.hex
}
record one.data -e cpu-clock -g -- bash -c work
compare_dump one.data
record many.data -a -e cpu-clock -e page-faults --switch-events --namespaces -- bash -c work
compare_dump many.data
has our.headers SWITCH_CPU_WIDE
has our.headers NAMESPACES

# Ranges of time, as perf takes them.
perf script -i many.data -F time 2>/dev/null | sed 's/[ :]//g' | sort -n >seconds
first=$(sed -n "$(($(wc -l <seconds) / 3))p" seconds) last=$(sed -n "$(($(wc -l <seconds) / 2))p" seconds)
for range in "$first,$last" "$first," ",$last" '10%/2' '0%-30%'; do
    perf script -i many.data -F time --time "$range" 2>/dev/null | wc -l >a
    "$PERFDATA" dump --time "$range" many.data | grep -c '\]: SAMPLE' >b
    same a b
done
