#!/usr/bin/env bash
# Stacks of off-cpu samples, which are in raw data: shown where the event is called so, and only there; read
# back from the text; turned with the byte order; redacted and cut like call chains. Bytes are worked out by
# hand, from off_cpu.bpf.c of perf.
. "$(dirname "$0")/../frame_lib.sh"

unfold >in.jsonl <<'END'
{"header":{"container":"file"}}
{"attr": {"type": "SOFTWARE", "config": 10, "sample_type": "IDENTIFIER|IP|TID|TIME|CPU|PERIOD|RAW",
    "flags": "sample_id_all"}, "ids": ["71"]}
{"attr": {"type": "SOFTWARE", "config": 10, "sample_type": "IDENTIFIER|IP|TID|TIME|CPU|PERIOD|RAW",
    "flags": "sample_id_all"}, "ids": ["72"]}
{"feature":"EVENT_DESC","content":{"events":[{"attr": {"type": "SOFTWARE", "config": 10, "size": 128},
    "name": "offcpu-time", "ids": ["71"]},
    {"attr": {"type": "SOFTWARE", "config": 10, "size": 128}, "name": "mine", "ids": ["72"]}]}}
{"record": {"type": "SAMPLE", "misc": "cpumode=USER", "attr": 0,
    "sample": {"identifier": "71", "ip": "0x401000", "pid": 101, "tid": 102, "time": "50000000071", "cpu": 1,
    "period": "1", "raw": {"data": "66000000650000008039c80500000000030000000000000000feffffffffffff
    00104000000000001020400000000000070000000000000000000000"}}}}
{"record": {"type": "SAMPLE", "misc": "cpumode=USER", "attr": 1,
    "sample": {"identifier": "72", "ip": "0x401000", "pid": 101, "tid": 102, "time": "50000000072", "cpu": 1,
    "period": "1", "raw": {"data": "66000000650000008039c80500000000030000000000000000feffffffffffff
    00104000000000001020400000000000070000000000000000000000"}}}}
END
"$PERFDATA" encode -o in.data in.jsonl || fail encode
"$PERFDATA" convert -q --endian big -o big.data in.data || fail convert
for file in in.data big.data; do
    "$PERFDATA" dump "$file" >out || fail "dump $file"
    [ "$(grep -c '^  offcpu:' out)" = 1 ] || fail "$file: not one off-cpu sample"
    grep -A9 '^  offcpu:' out | grep -qx '      0x402010' || fail "$file: no frame"
    "$PERFDATA" dump --json "$file" >out || fail "dump --json $file"
    stack='"nr":"3","ips":\["USER","0x401000","0x402010"\],"cgroup":"7"'
    [ "$(grep -c '"offcpu":{"pid":102,"tid":101,"period":"97008000",'"$stack" out)" = 1 ] ||
        fail "$file: JSON"
done

# The raw data of the nth sample, as bytes.
raw() {
    "$PERFDATA" dump --json "$1" | grep '"type":"SAMPLE"' |
        sed -n "$2{s/.*\"raw\":{\"size\":[0-9]*,\"data\":\"\([0-9a-f]*\)\".*/\1/p}"
}
expect() { # FILE N BYTES, with spaces between numbers
    local found
    found=$(raw "$1" "$2")
    [ "$found" = "${3// /}" ] || fail "$1: sample $2: $found, not $3"
}
same_hash() {
    [ "$("$PERFDATA" hash "$1" "$2" | cut -d' ' -f1 | uniq | wc -l)" = 1 ] || fail "hash of $2"
}
makes() { # TEXT FILE: the text makes these bytes
    "$PERFDATA" encode -f -o same.data "$1" && cmp "$2" same.data || fail "$2: the text makes other bytes"
}
sample() { # BYTES: the line of a sample
    echo '{"record":{"type":"SAMPLE","attr":0,"sample":{"identifier":"71","raw":{"data":"'"${1// /}"'"}}}}'
}
zero=0000000000000000
task=6600000065000000
period=8039c80500000000
one=0100000000000000
three=0300000000000000
user=00feffffffffffff
leaf=0010400000000000
caller=1020400000000000
cgroup=0700000000000000
big_begin="0000006600000065 0000000005c83980 0000000000000003 fffffffffffffe00"
big_end="0000000000000007 00000000"

# A conversion turns each number of it, and the way back gives the same bytes.
expect in.data 1 "$task $period $three $user $leaf $caller $cgroup 00000000"
expect big.data 1 "$big_begin 0000000000401000 0000000000402010 $big_end"
"$PERFDATA" convert -q --endian little -o back.data big.data && cmp in.data back.data || fail 'the way back'
same_hash in.data big.data
alive "$PERFDATA" cmp in.data big.data >out || true
! grep offcpu out || fail cmp

# The text: the same bytes again, from the frames alone, too; what contradicts itself is refused.
for file in in.data big.data; do
    "$PERFDATA" decode "$file" >out || fail "decode $file"
    grep -q '"offcpu":{"pid":102,.*"ips":\["USER","0x401000","0x402010"\],"cgroup":"7"' out ||
        fail "$file: no frames in the text"
    makes out "$file"
    sed -E '/"offcpu"/s/,"data":"[0-9a-f]*"//' out >frames
    cmp -s out frames && fail 'no data taken out'
    makes frames "$file"
    sed '/"offcpu"/s/"0x402010"/"0x402011"/' out >other
    ! "$PERFDATA" encode -f -o other.data other 2>err || fail 'what contradicts itself is taken'
    grep -q 'record.offcpu: .*the same as in the raw data' err || fail "$(cat err)"
    "$PERFDATA" decode --short "$file" >short || fail "decode --short $file"
    [ "$(grep -c '"raw"' short)" = 1 ] || fail 'raw data of the one other event alone'
    sed '/"offcpu"/{s/"0x402010"/"0x402011"/;s/,"padding":"00000000"//}' short >other
    "$PERFDATA" encode -f -o other.data other || fail "encode of what was edited"
    "$PERFDATA" cmp "$file" other.data >out && fail "no difference"
    grep -q 'offcpu.ips\[2\]: 0x402010 | 0x402011' out || fail "$(cat out)"
    [ "$(grep -c SAMPLE out)" = 1 ] || fail "$(cat out)"
done
expect other.data 1 "$big_begin 0000000000401000 0000000000402011 $big_end"

# Raw data that is not as expected stays bytes, in text and conversions; one left in the other order is both.
{
    sed -n 1,4p in.jsonl
    sample "$task $period 0400000000000000 $user $leaf $caller $cgroup 00000000"
    sample 01020304
    sample "0000006600000065 0000000005c83980 0000000000000001 fffffffffffffe00 $big_end"
} >odd.jsonl
"$PERFDATA" encode -o odd.data odd.jsonl || fail 'encode odd'
"$PERFDATA" decode odd.data >out || fail 'decode odd'
makes out odd.data
[ "$(grep -c '"offcpu":{' out)" = 1 ] || fail 'odd: frames'
"$PERFDATA" decode --short odd.data | "$PERFDATA" encode -f -o same.data - || fail 'odd: short text'
same_hash odd.data same.data
"$PERFDATA" convert -q --endian big -o oddbig.data odd.data || fail 'odd: convert'
for n in 1 2; do
    expect oddbig.data $n "$(raw odd.data $n)"
done
expect oddbig.data 3 "$task $period $one $user $cgroup 00000000"
same_hash odd.data oddbig.data
"$PERFDATA" convert -q --endian little -f -o back.data oddbig.data || fail 'odd: convert back'
cmp odd.data back.data || fail 'odd: the way back'

# In a stream the name comes with the records.
"$PERFDATA" convert -q --to pipe -o in.pipe in.data || fail 'convert to a stream'
"$PERFDATA" decode - <in.pipe >out || fail 'decode of a stream'
[ "$(grep -c '"offcpu":{' out)" = 1 ] || fail 'frames in a stream'
makes out in.pipe

# What a redaction makes of it, with other addresses as of call chains: in pages, one behind the other.
redact() {
    "$PERFDATA" redact -q -f -o "${file%.*}.out" "$@" "$file" || fail "redact $* $file"
}
nothing=$(printf '0%.0s' {1..120})
moved="0000010000000000 1010010000000000"
for file in in.data in.pipe; do
    redact
    expect in.out 1 "$task $period $three $user $leaf $caller $one 00000000"
    expect in.out 2 "$nothing"
    redact --addrs drop --paths drop --pids drop
    expect in.out 1 "$zero $period $three $user $zero $zero $zero 00000000"
    redact --addrs hash --paths keep
    expect in.out 1 "$task $period $three $user $moved $cgroup 00000000"
    redact --addrs hash --paths keep --payloads keep
    expect in.out 1 "$task $period $three $user $moved $cgroup 00000000"
    expect in.out 2 "$(raw in.data 2)"
    redact --pids hash --paths keep
    expect in.out 1 "0200000001000000 $period $three $user $leaf $caller $cgroup 00000000"
    redact --payloads drop
    ! "$PERFDATA" dump --json in.out | grep -q '"raw"' || fail 'raw data that was to go'
done
file=big.data
redact --addrs hash --paths keep
expect big.out 1 "$big_begin 0000000000010000 0000000000011010 $big_end"

# Text on the stack is no address, bytes behind the fields and odd raw data are nobody's; all can be proven.
{
    sed -n 1,4p in.jsonl
    sample "$task $period 0400000000000000 $user $leaf 7365637265746e69 7365637265740000 $cgroup 54455854"
    sample "$task $period 0900000000000000 $user $leaf 7365637265746e61 7365637265740000 $cgroup 54455854"
} >text.jsonl
"$PERFDATA" encode -o text.data text.jsonl || fail 'encode text'
file=text.data
redact --prove secretni,secretna,TEXT
expect text.out 1 "$task $period 0400000000000000 $user $leaf $zero 7365637265740000 $one 00000000"
expect text.out 2 "${nothing}0000000000000000"
! "$PERFDATA" redact -q -f -o text.out --prove secret text.data 2>err || fail 'a string that stays passes'
redact --prove secret --addrs drop

# Cut like a call chain; the marker does not count.
"$PERFDATA" edit -q --max-stack 1 -o cut.data in.data || fail 'edit --max-stack'
expect cut.data 1 "$task $period 0200000000000000 $user $leaf $cgroup 00000000"
expect cut.data 2 "$(raw in.data 2)"
