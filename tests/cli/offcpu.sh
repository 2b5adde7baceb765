#!/usr/bin/env bash
# Stacks of off-cpu samples, which are in raw data: shown where the event is called so, and only there; no
# address passes a redaction.
. "$(dirname "$0")/frame_lib.sh"

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
"$PERFDATA" redact -q -o redacted.data in.data || fail redact
"$PERFDATA" dump --json redacted.data >out || fail 'dump of the redacted'
! grep -qi '1020400000000000\|0x402010' out || fail 'an address passes the redaction'
