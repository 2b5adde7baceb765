#!/usr/bin/env bash
# perfdata merge: features of which each input has a part: tracing data of one kernel, files of simpleperf.
. "$(dirname "$0")/../frame_lib.sh"

# ---- Files of simpleperf: all, each once.
files() { # ENTRY...: a recording with them
    printf '%s\n' '{"header":{}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}' \
        '{"record":{"type":"SAMPLE","sample":{"ip":"0x10","pid":1,"tid":1,"time":"'$RANDOM'"}}}' \
        '{"feature":"SIMPLEPERF_FILE2","content":{"files":['"$(IFS=,; echo "$*")"']}}'
}
entry() { # PATH SYMBOL
    echo '{"message":{"fields":[{"path":"'"$1"'"},{"symbol":[{"vaddr":16},{"len":8},{"name":"'"$2"'"}]}]}}'
}
files "$(entry /a one)" "$(entry /b two)" >1.json
files "$(entry /b two)" "$(entry /c three)" "$(entry /a one)" >2.json
files >3.json
files "$(entry /b other)" >4.json
for n in 1 2 3 4; do expect 0 "$PERFDATA" encode -o $n.data $n.json; done
expect 0 "$PERFDATA" merge -o all.data 1.data 2.data 3.data 4.data
! grep -q SIMPLEPERF err || fail "merge: $(cat err)"
expect 0 "$PERFDATA" check -q all.data
"$PERFDATA" decode all.data | grep '"feature":"simpleperf_file2"' | grep -o '"name":"[a-z]*"' |
    paste -sd' ' >got
echo '"name":"one" "name":"two" "name":"three" "name":"other"' >want
same want got

# ---- Build ids: each file once, whatever stands beside it; guests have files of their own.
one() { # NAME FEATURE CONTENT
    printf '%s\n' '{"header":{}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}' \
        '{"record":{"type":"SAMPLE","sample":{"ip":"0x10","pid":1,"tid":1,"time":"'"${#1}"'"}}}' \
        '{"feature":"'"$2"'","content":{"entries":['"$3"']}}' | "$PERFDATA" encode -q -o "$1"
}
id() { # CPUMODE NAME BYTE: with that byte twenty times
    echo '{"type":67,"misc":"cpumode='"$1"'|build_id_size","file":{"pid":-1,"build_id":"'"$(
        for _ in {1..20}; do printf %s "$3"; done)"'","size":20,"filename":"'"$2"'"}}'
}
one ids BUILD_ID "$(id USER /a 01),$(id USER '' 01),$(id KERNEL /a 02)"
one more_ids BUILD_ID "$(id USER /b 02),$(id USER /a 01),$(id USER '' 01),$(id GUEST_USER /a 01)"
one other_ids BUILD_ID "$(id USER /b 01)"
expect 0 "$PERFDATA" merge -o ids.data ids more_ids
! grep BUILD_ID err || fail 'nothing differs'
"$PERFDATA" decode ids.data | grep -o '"misc":"cpumode=[A-Z_]*\|"build_id":"..\|"filename":"[^"]*"' |
    sed 's/"misc":"cpumode=//; s/"[a-z_]*":"//; s/"//' | paste -d' ' - - - >got
printf '%s\n' 'USER 01 /a' 'USER 01 ' 'KERNEL 02 /a' 'USER 02 /b' 'GUEST_USER 01 /a' >want
same want got
expect 0 "$PERFDATA" merge -f -o ids.data ids more_ids other_ids
has err 'other_ids: feature BUILD_ID: names other build ids for some files'
[ "$("$PERFDATA" decode ids.data | grep -o '"filename":' | wc -l)" = 5 ] || fail 'a file has two build ids'

# ---- What a section counts: all inputs' parts.
one btf BPF_BTF '{"id":97,"data":"9feb01"}'
one more_btf BPF_BTF '{"id":98,"data":"9feb02"}'
expect 0 "$PERFDATA" merge -o btf.data btf more_btf
"$PERFDATA" decode btf.data | grep -o '"count":[0-9]*\|"id":[0-9]*,\|"data":"[0-9a-f]*"' | paste -sd' ' >got
echo '"count":2 "id":97, "data":"9feb01" "id":98, "data":"9feb02"' >want
same want got

# ---- Tracing data: perf shows of the merged recording what it shows of each. Without names of tasks: those
# of the kernel's workers change without a record, so each recording has names of its own (merge_perf.sh).
record a.data -e sched:sched_switch -a -- sleep 0.1
record b.data -e sched:sched_wakeup,sched:sched_switch,irq:softirq_entry -a -- sleep 0.1
record c.data -e irq:softirq_raise -a -- sleep 0.1
shown() { # names of events are as wide as the widest
    perf script -F tid,cpu,time,event,trace -i "$1" 2>/dev/null | sed 's/  */ /g'
}
for file in a b c; do shown $file.data; done | sort >want
[ "$(wc -l <want)" -ge 30 ] || fail "perf script shows only $(cat want)"
for to in file pipe; do
    expect 0 "$PERFDATA" merge -f --to $to -o m.data a.data b.data c.data
    expect 0 "$PERFDATA" check -q m.data
    shown "$([ $to = pipe ] && echo - || echo m.data)" <m.data | sort >got
    same want got
done
formats() { "$PERFDATA" extract --tracing-data "$1" | grep -ac '^ID: '; }
[ "$(formats m.data)" = $(($(formats b.data) + 1)) ] || fail "$(formats m.data) formats"
# Merged with a part of itself, nothing changes.
expect 0 "$PERFDATA" merge -f -o n.data m.data c.data
"$PERFDATA" extract --tracing-data m.data >want
"$PERFDATA" extract --tracing-data n.data >got
cmp want got || fail 'formats that are there are added again'

# ---- Contradictions: the same number of another event; another kernel, or kind of machine.
expect 0 "$PERFDATA" extract --tracing-data -o formats a.data
python3 - <<'END' || fail 'no format of sched_switch'
formats = open("formats", "rb").read()
assert formats.count(b"prev_comm") >= 2
open("other", "wb").write(formats.replace(b"prev_comm", b"prev_come"))
assert formats.count(b"commit;") == 1
open("kernel", "wb").write(formats.replace(b"commit;", b"commot;"))
start = formats.index(b"\0") + 1  # of "0.6": then the byte order, the bytes of a long, and of a page
long = 12 - formats[start + 1]
open("machine", "wb").write(formats[: start + 1] + bytes([long]) + formats[start + 2 :])
END
for kind in other machine kernel; do
    expect 0 "$PERFDATA" edit -f --set-feature tracing_data=@$kind -i a.data -o $kind.data
    expect 2 "$PERFDATA" merge -f -o bad.data b.data $kind.data
    [ ! -e bad.data ] || fail 'an output'
done
has err 'kernel.data: cannot be merged: its tracing data is of another kernel than that of an earlier input'
expect 2 "$PERFDATA" merge -f -o bad.data b.data machine.data
has err 'machine.data: cannot be merged: its tracing data is of another kind of machine than that of an ear'
expect 2 "$PERFDATA" merge -f -o bad.data b.data other.data
has err 'other.data: feature TRACING_DATA: sched_switch is another tracepoint than the one of the same number'
has err 'other.data: cannot be merged: its tracepoints are not those of an earlier input'

# ---- CPU_TOPOLOGY can only be read with as many cpus as NRCPUS has: that of another input may not fit.
cpus() { # FILE NRCPUS TOPOLOGY: a recording with both features, or one of them, for so many cpus
    local place='{"core_id":0,"socket_id":0}'
    {
        files | sed '$d'
        [ -z "$2" ] || echo '{"feature":"NRCPUS","content":{"nr_cpus_avail":'"$2"',"nr_cpus_online":'"$2"'}}'
        [ -z "$3" ] || echo '{"feature":"CPU_TOPOLOGY","content":{"sockets":[{"text":"0-'$(($3 - 1))'"}],' \
            '"cores":[{"text":"0"}],"cpus":['"$place$(yes ",$place" | head -n $(($3 - 1)) | tr -d '\n')"']}}'
    } | "$PERFDATA" encode -q -f -o "$1" || fail "encode of $*"
}
cpus both4 4 4 && cpus both8 8 8 && cpus only8 8 '' && cpus none '' ''
merged() { # CPUS SOCKET INPUT...: what the output says, of an input that has both
    "$PERFDATA" merge -f --pids keep -o m.data "${@:3}" 2>told || fail "merge of ${*:3}: $(cat told)"
    expect 0 "$PERFDATA" check -q m.data
    "$PERFDATA" decode m.data >lines
    sed -n 's/.*"nr_cpus_avail":\([0-9]*\).*/cpus \1/p; s/.*"sockets":\[{"text":"\([-0-9]*\)".*/\1/p' lines |
        paste -sd' ' >got
    echo "cpus $1${2:+ $2}" >want
    same want got
}
merged 4 0-3 none both4 both8
merged 8 0-7 both8 both4
merged 8 0-7 only8 both4 both8
merged 8 '' only8 both4
has told 'both4: feature CPU_TOPOLOGY: is for another number of cpus than NRCPUS.* left out'
expect 0 "$PERFDATA" repair -f --like both4 -o m.data only8
expect 0 "$PERFDATA" check -q m.data
! "$PERFDATA" decode m.data | grep -q cpu_topology || fail 'repair took a CPU_TOPOLOGY that does not fit'
expect 0 "$PERFDATA" repair -f --like both8 -o m.data only8
"$PERFDATA" decode m.data | grep -q cpu_topology || fail 'repair did not take a CPU_TOPOLOGY that fits'

# ---- BPF_BTF: the parts of all inputs behind their count; what stands behind the parts of the first one
# comes behind all of them.
btf() { # FILE COUNT BYTES: a recording whose BPF_BTF has so many entries, and these bytes
    python3 - "$@" <<'END'
import struct
import sys

count, content = int(sys.argv[2]), bytes.fromhex(sys.argv[3])
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1, 7, 0, 1 << 18).ljust(128, b"\0") + bytes(16)
btf = struct.pack("<I", count) + content
at = 104 + len(attr)
head = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 144, 104, 144, at, 0, 0, 0)
features = struct.pack("<QQQQ", 1 << 26, 0, 0, 0)
section = struct.pack("<QQ", at + 16, len(btf))
open(sys.argv[1], "wb").write(head + features + attr + section + btf)
END
}
btf behind.data 1 "$(printf '07000000020000009feb')aabbccdd"
btf two.data 2 "$(printf '08000000010000009f09000000020000001122')"
btf other.data 0 01020304
expect 0 "$PERFDATA" merge -f -o m.data behind.data two.data
expect 0 "$PERFDATA" check -q m.data
[ "$("$PERFDATA" extract --feature bpf_btf m.data | od -An -v -tx1 | tr -d ' \n')" = \
    "0300000007000000020000009feb08000000010000009f09000000020000001122aabbccdd" ] || fail 'BPF_BTF of two'
! grep -q 'BPF_BTF.*differs' err || fail "BPF_BTF: $(cat err)"
expect 0 "$PERFDATA" merge -f -o m.data behind.data other.data
has err 'other.data: feature BPF_BTF: differs'
expect 0 "$PERFDATA" check -q m.data
