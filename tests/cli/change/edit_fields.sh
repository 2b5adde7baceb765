#!/usr/bin/env bash
# perfdata edit: fields of samples, call chains, times and names of tasks, judged by perf, in every container
# and byte order.
. "$(dirname "$0")/../frame_lib.sh"

edit() { # INPUT OUTPUT OPTION...
    rm -rf "$2"
    "$PERFDATA" edit -q -i "$1" -o "$2" "${@:3}" || fail "edit $*: $?"
    "$PERFDATA" check -q "$2" >check.out || fail "check of $*: $(head -n 3 check.out)"
}
shown() { # FILE OPTION...: what perf script shows of it as a little-endian file
    rm -rf plain
    "$PERFDATA" convert -q -i "$1" -o plain --to file --decompress --endian little
    perf script -i plain --ns "${@:2}" 2>/dev/null
}
sample_type() {
    "$PERFDATA" info "$1" | sed -n 's/^ *sample_type //p' | head -n 1
}

# ---- Wrong usage.
: >in.data
for option in --strip=tid --strip=callchain,time --strip=nothing --strip= --max-stack=0 --max-stack=x \
    --time-shift=x --time-shift= --time-shift=1e3 --time-shift=.5 --rename-comm=a --rename-comm==b \
    --rename-comm=a=sixteen-letters-; do
    expect 2 "$PERFDATA" edit -o no.data "$option" in.data
    has err "${option%%=*}"
done
expect 2 "$PERFDATA" edit -o no.data in.data

# ---- By hand: AUX data goes with all records about it, and its index.
record_of() { # TYPE NUMBER-OF-8-BYTES...
    le 4 "$1" && le 2 0 $((8 + 8 * ($# - 1))) && le 8 "${@:2}"
}
{ tiny_records && record_of 11 0 16 0 && record_of 71 16 0 0 0 $((71 << 32)) 0 && le 8 1 2; } >records
{
    size=$(stat -c %s records)
    printf PERFILE2
    le 8 104 144 104 144 248 "$size" 0 0 $((1 << 18)) 0 0 0
    le 4 1 128
    le 8 0 1000 7 0 0
    zeros 80
    le 8 0 0
    cat records
    le 8 $((248 + size + 16)) 24 1 $((248 + size - 64)) 48
} >aux.data
"$PERFDATA" check -q aux.data
expect 0 "$PERFDATA" edit -o out.data --strip aux aux.data
has err '1 records AUXTRACE do not come along'
has err 'feature auxtrace does not come along'
"$PERFDATA" info --stats out.data >stats
! grep -q AUX stats || fail "AUX data stays: $(grep AUX stats)"
[ "$("$PERFDATA" dump out.data | grep -c '^0x')" = $(($("$PERFDATA" dump aux.data | grep -c '^0x') - 2)) ] ||
    fail "other records went"

# The feature that tells of branches goes with them.
printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
    '{"attr":{"type":"SOFTWARE","sample_type":"IP|BRANCH_STACK"}}' \
    '{"record":{"type":"SAMPLE","sample":{"ip":"0x1","branch_stack":{"nr":0}}}}' \
    '{"feature":"branch_stack"}' | "$PERFDATA" encode -q -o branches.data -
for field in addr branch; do
    expect 0 "$PERFDATA" edit -f -o out.data --strip $field branches.data
    [ $field = addr ] || has err 'feature branch_stack does not come along'
    "$PERFDATA" decode out.data | head -n 1 >header # bit 15 of its features
    has header "\"adds_features\":\"00$([ $field = addr ] && echo 80 || echo 00)0*\""
done

# An empty stack of branches without its index is a form of its own, and so are counters: both go with the
# branches.
for form in HW_INDEX:1 COUNTERS:2; do
    unfold <<END | "$PERFDATA" encode -q -f -o branches.data -
{"header":{"container":"file","order":"little"}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|BRANCH_STACK","branch_sample_type":"${form%:*}"}}
{"record":{"type":"SAMPLE","variant":${form#*:},
    "sample":{"ip":"0x1","branch_stack":{"nr":0}}}}
END
    expect 0 "$PERFDATA" edit -f -o out.data --strip branch branches.data
    [ "$("$PERFDATA" dump out.data | xargs)" = '0xf8 [0x10]: SAMPLE ip: 0x1' ] ||
        fail "$("$PERFDATA" dump out.data)"
done

# The id of a record stands where the first event has it, which for the other one here is the time: a record
# of that would be of no event with another time.
attr() { # CONFIG SAMPLE_TYPE PLACE-OF-ID
    le 4 1 64 && le 8 "$1" 1000 "$2" 0 0 && zeros 16 && le 8 "$3" 8
}
{
    printf PERFILE2 && le 8 104 80 120 160 280 48 0 0 && zeros 32
    le 8 5 77                        # ids
    attr 0 $((4 | 64)) 104           # TIME, ID
    attr 1 $((1 | 4)) 112            # IP, TIME
    le 4 9 && le 2 2 24 && le 8 70 5 # of the first
    le 4 9 && le 2 2 24 && le 8 1 77
} >times.data
expect 0 "$PERFDATA" check times.data
expect 3 "$PERFDATA" edit -o no.data --time-shift 5 times.data
has err 'at offset 304 .*what is also the id of its event'
[ ! -e no.data ] || fail "an output with a record of no event"

# ---- Recordings of perf.
record x.data -e cpu-clock -F 1999 -g -d -- bash -c work
"$PERFDATA" convert -q -i x.data -o x.pipe --to pipe
"$PERFDATA" convert -q -i x.data -o x.zstd -z
"$PERFDATA" convert -q -i x.data -o x.big --endian big
"$PERFDATA" convert -q -i x.data -o x.dir --to dir
fields=comm,tid,time,period,event
for form in data pipe zstd big dir; do
    edit "x.$form" out --strip callchain,addr,weight
    case $(sample_type out) in *CALLCHAIN* | *ADDR*) fail "$form: $(sample_type out)" ;; esac
    shown x.data -G -F $fields,ip >want.txt
    shown out -F $fields,ip >got.txt
    same want.txt got.txt

    edit "x.$form" out --max-stack 3
    perf script -i x.data --ns -F $fields,ip --max-stack 3 2>/dev/null >want.txt
    shown out -F $fields,ip >got.txt
    same want.txt got.txt

    edit "x.$form" out --rename-comm find=sort --rename-comm sort=find
    shown x.data -G -F $fields |
        sed 's/^\( *\)find\b/\1@/; s/^\( *\)sort\b/\1find/; s/^\( *\)@/\1sort/' >want.txt
    shown out -G -F $fields >got.txt
    same want.txt got.txt

    edit "x.$form" out --time-shift +1000.000000001
    edit out back --time-shift=-1000.000000001
    [ "$("$PERFDATA" hash "x.$form" | cut -d ' ' -f 1)" = "$("$PERFDATA" hash back | cut -d ' ' -f 1)" ] ||
        fail "$form: there and back"
    shown x.data -F time -G | awk '{ gsub(/[.:]/, ""); printf "%d\n", $1 + 1000000000001 }' >want.txt
    shown out -F time -G | awk '{ gsub(/[.:]/, ""); printf "%d\n", $1 }' >got.txt
    same want.txt got.txt
done
# The copies of the attrs in EVENT_DESC, and the time of the samples.
edit x.data out --strip callchain --time-shift 1000
"$PERFDATA" info --json out >info.json
! grep -q CALLCHAIN info.json || fail "an attr has the old sample_type"
perf report -i out --header-only -I 2>/dev/null | sed -n 's/^# time of \(first\|last\) sample : //p' >got.txt
perf report -i x.data --header-only -I 2>/dev/null | sed -n 's/^# time of \(first\|last\) sample : //p' |
    awk '{ printf "%.6f\n", $1 + 1000 }' >want.txt
same want.txt got.txt
# What perf stat tells of its intervals is no moment.
perf stat record -o stat.data -e task-clock -I 50 -- sleep 0.12 >/dev/null 2>&1
perf stat report -i stat.data 2>want.txt
[ "$(grep -c task-clock want.txt)" -ge 3 ] || fail "no intervals: $(<want.txt)"
for change in 'edit --time-shift +3600' 'edit --time-shift=-1' 'redact --times hash'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" $change -f -o out -i stat.data
    perf stat report -i out 2>got.txt
    same want.txt got.txt
done
# Before time 1 nothing can be.
expect 2 "$PERFDATA" edit -o no.data --time-shift=-1000000000 x.data
has err 'out of range'
[ ! -e no.data ] || fail "an output after wrong usage"
# Registers and stacks, together with a feature.
record stack.data -e cpu-clock -F 499 --call-graph dwarf,4096 -- bash -c work
edit stack.data out --strip regs,stack --set-feature hostname=elsewhere
[ "$(sample_type out)" = "$(sample_type stack.data | sed 's/|REGS_USER//; s/|STACK_USER//')" ] ||
    fail "$(sample_type out)"
shown stack.data -G -F $fields,ip >want.txt
shown out -G -F $fields,ip >got.txt
same want.txt got.txt
grep -qa elsewhere out || fail "the feature is not set"
[ "$(stat -c %s out)" -lt $(($(stat -c %s stack.data) / 4)) ] ||
    fail "stripping 4096 bytes a sample saves nothing"

flat 2000 "$PERFDATA" edit -f --max-stack 8 --time-shift 1 -o /dev/null

# Behind registers of an abi that nobody knows, fields cannot be found: that is refused, and is no damage.
expect 2 "$PERFDATA" edit --strip stack -o none.data "$PERFDATA_SOURCE/corpus/conformance/trap-regs-abi.data"
has err '--strip: .*record 0 of type 9 (SAMPLE).* not known'
[ ! -e none.data ] || fail 'an output of what was refused'
# The most entries of a call chain are said as long as there are some.
said() { # the sample_max_stack of an attr that says $1, after an edit
    printf '%s\n' '{"header":{"order":"little"}}' '{"attr":{"type":"SOFTWARE","size":128,'\
'"sample_type":"IP|ADDR|CALLCHAIN","sample_max_stack":"'"$1"'"}}' | "$PERFDATA" encode -q -f -o in.data
    edit in.data out "${@:2}"
    "$PERFDATA" decode out | sed -nE 's/.*"sample_max_stack":"?([0-9]+).*/\1/p'
}
for case in '100 100 --strip addr' '100 0 --strip callchain' '100 9 --max-stack 9' '5 5 --max-stack 9' \
    '0 9 --max-stack 9' '0 65534 --max-stack 65534'; do
    read -r before after option value <<<"$case"
    got=$(said "$before" "$option" "$value")
    [ "${got:-0}" = "$after" ] || fail "$case: $got"
done
# Fields before the registers are found, and go.
for name in ADDR READ PERIOD CALLCHAIN RAW BRANCH_STACK; do
    option=${name,,}
    option=${option%_stack}
    case $name in
        CALLCHAIN) field='1 77' ;;
        RAW) field=$((4 | 77 << 32)) ;;
        BRANCH_STACK) field=0 ;;
        *) field=77 ;;
    esac
    # shellcheck disable=SC2086
    printf '%s\n' '{"header":{"order":"little"}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP|'$name'|REGS_USER","sample_regs_user":"0x1"}}' \
        '{"record":{"type":"SAMPLE","raw":"'"$(
            le 8 16 $field 9 55 | od -An -v -tx1 | tr -d ' \n'
        )"'"}}' | "$PERFDATA" encode -q -f -o in.data
    edit in.data out --strip "$option"
    [ "$(sample_type out)" = 'IP|REGS_USER' ] || fail "--strip $option: $(sample_type out)"
    [ "$(tail -c 32 out | od -An -v -td8 -w8 | tail -n 3 | tr -d ' ' | paste -sd ,)" = 16,9,55 ] ||
        fail "--strip $option: $("$PERFDATA" dump out)"
done
# So are samples of no known event: when all events have lost what tells them apart, a reader would take them
# for samples without the field. Of events that are alike, the layout is known: they lose it.
stranger() { # FIELDS of the second event, beside those of the first: IDENTIFIER, IP, TID, PERIOD
    printf '%s\n' '{"header":{}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|PERIOD|IDENTIFIER"},"ids":["1"]}' \
        '{"attr":{"type":"SOFTWARE","config":"0x9","sample_type":"'"$1"'"},"ids":["2"]}' \
        '{"record":{"type":"SAMPLE","raw":"'"$(
            { le 8 3 16 && le 4 7 8 && le 8 99; } | od -An -v -tx1 | tr -d ' \n'
        )"'"}}'
}
stranger 'IP|TID|IDENTIFIER' | "$PERFDATA" encode -q -f -o in.data
expect 2 "$PERFDATA" edit --strip period -o none.data in.data
has err '--strip: .*record 0 of type 9 (SAMPLE).* event id: .* not known'
[ ! -e none.data ] || fail 'an output of what was refused'
edit in.data out --strip addr
stranger 'IP|TID|PERIOD|IDENTIFIER' | "$PERFDATA" encode -q -f -o in.data
edit in.data out --strip period
"$PERFDATA" dump out >dumped
grep -q '\[0x20\]: SAMPLE' dumped || fail "a sample keeps its period: $(cat dumped)"
! grep -q '^  period\|^  rest' dumped || fail "a sample keeps its period: $(cat dumped)"
# Other changes leave such a sample as it is, and say so.
stranger 'IP|TID|TIME|IDENTIFIER' | "$PERFDATA" encode -q -f -o in.data
for change in '--time-shift +1' '--rename-comm a=b' '--max-stack 1'; do
    # shellcheck disable=SC2086
    expect 0 "$PERFDATA" edit -f $change -o out in.data
    has err '1 records SAMPLE stay as they are: their fields are not known'
    cmp -s <(tail -c 40 in.data) <(tail -c 40 out) || fail "$change: another sample"
done
