#!/usr/bin/env bash
# perfdata cmp: it reports differences made by hand in the text form by record and field; inserted or removed
# records do not make the rest differ; containers, byte order and order count or not, as the options say;
# recordings are equal exactly if their hashes are.
. "$(dirname "$0")/../frame_lib.sh"
source=${PERFDATA_SOURCE:-$(dirname "$0")/../../..}

# edit OUTPUT SCRIPT: two.data with its text changed by sed.
# The text in its short form: places and sizes are left to the encoder, so that lines can be added and
# removed.
command -v python3 >/dev/null || skip 'python3 is not installed'
"$PERFDATA" decode "$source/corpus/two-events.data" | python3 -c '
import json, sys
lines = [json.loads(l) for l in sys.stdin]
ids = {l["of"]: l["ids"] for l in lines if "ids" in l and "attr" not in l}
attrs = 0
for l in lines:
    if "header" in l:
        l = {"header": {"container": "file", "order": "little"}}
    elif "attr" in l:
        l = {"attr": l["attr"], "ids": ids[attrs]}
        attrs += 1
    elif "ids" in l or "table" in l or "raw" in l:
        continue
    l.pop("offset", 0)
    for key in "size", "offset":
        l.get("record", {}).pop(key, 0)
    print(json.dumps(l, separators=(",", ":")))' >text
edit() {
    sed -E "$2" text | "$PERFDATA" encode -f -o "$1" - || fail "encode: $2"
}
edit two.data ''
cmp_two() { # STATUS FILE OPTION...
    expect "$1" "$PERFDATA" cmp two.data "$2" "${@:3}"
}
lines() {
    [ "$(wc -l <out)" = "$1" ] || fail "$(wc -l <out) differences, expected $1: $(head -n 5 out)"
}

edit same.data ''
cmp_two 0 same.data
empty out
expect 0 "$PERFDATA" cmp --ignore offset two.data "$source/corpus/two-events.data"

# ---- One field: of a sample, a string, an attr, a feature; each with its place and both values. Line K of
# the text is the record that dump shows at the same offset.
n=$(grep -n '"SAMPLE"' text | sed -n 20p | cut -d : -f 1)
line=$(sed -n "${n}p" text)
ip=$(sed -E 's/.*"ip":"([^"]*)".*/\1/' <<<"$line")
edit ip.data "${n}s/\"ip\":\"[^\"]*\"/\"ip\":\"0x1234\"/"
cmp_two 1 ip.data
lines 1
has out "^record [0-9]* SAMPLE at 0x[0-9a-f]*: ip: $ip | 0x1234\$"
offset=$(sed -E 's/.* at (0x[0-9a-f]*): .*/\1/' out)
"$PERFDATA" dump --limit 1 --offset "$offset" ip.data | grep -q 'ip: 0x1234' ||
    fail "no such record at $offset"
cmp_two 1 ip.data --json
there='{"record":[0-9]*,"offset":"[0-9]*","value":"'$ip'"}'
has out '"kind":"record","type":"SAMPLE","field":"ip","a":'"$there"',"b":{.*"value":"0x1234"}}$'

n=$(grep -n '"COMM"' text | tail -n 1 | cut -d : -f 1)
edit comm.data "${n}s/\"comm\":\"[^\"]*\"/\"comm\":\"other\"/"
cmp_two 1 comm.data
lines 1
has out ' COMM at 0x[0-9a-f]*: comm: ".*" | "other"$'
edit feature.data '/"hostname"/s/("text":)"[^"]*"/\1"elsewhere"/'
cmp_two 1 feature.data
lines 1
has out '^feature hostname: text: ".*" | "elsewhere"$'
edit attr.data '/^\{"attr"/s/("sample_period":)"[0-9]*"/\1"77"/'
cmp_two 1 attr.data
has out '^attr 0: sample_period: [0-9]* | 77$'
has out '^attr 1: sample_period: '
lines 2
"$PERFDATA" edit -q --drop-feature cpudesc -o dropped.data two.data
cmp_two 1 dropped.data
lines 1
has out '^feature cpudesc: only in two.data$'

# ---- Records inserted, removed, and changed nearby: nothing else differs.
a=$(grep -n '"SAMPLE"' text | sed -n 5p | cut -d : -f 1)
b=$(grep -n '"SAMPLE"' text | sed -n 30p | cut -d : -f 1)
edit removed.data "${a}d"
cmp_two 1 removed.data
lines 1
has out '^record [0-9]* SAMPLE at 0x[0-9a-f]*: only in two.data$'
c=$(grep -n '"SAMPLE"' text | sed -n 31p | cut -d : -f 1)
edit three.data "${a}d; ${b}{p; p; }; ${c}s/(\"tid\":)[0-9]+/\199/"
cmp_two 1 three.data
has out ': only in two.data$'
[ "$(grep -c ': only in three.data$' out)" = 2 ] || fail "two were inserted: $(cat out)"
has out ': tid: [0-9]* | 99$'
lines 4
edit block.data "$((a + 1)),$((a + 40))d"
cmp_two 1 block.data
lines 40
cmp_two 1 block.data --limit 3
lines 3
has err 'stopped after 3'
# A hundred new records, of which no window of a few would find the end.
{
    head -n "$a" text
    for i in {1..100}; do sed -n "${a}s/\"ip\":\"[^\"]*\"/\"ip\":\"0x$i\"/p" text; done
    tail -n "+$((a + 1))" text
} |
    "$PERFDATA" encode -f -o hundred.data -
cmp_two 1 hundred.data
lines 100
[ "$(grep -c 'only in hundred.data$' out)" = 100 ] || fail "what was inserted"
# Every sample is other, and only in that.
edit every.data '/"SAMPLE"/s/"period":"[0-9]*"/"period":"5"/'
cmp_two 1 every.data
if grep -v ': period: [0-9]* | 5$' out; then fail "only the period is other"; fi

# ---- Order.
edit swapped.data "${a}{h;d}; $((a + 1))G"
cmp_two 1 swapped.data
cmp_two 0 swapped.data --ignore order
edit swapped.data "${a}{h;d}; $((a + 1))G; ${b}s/(\"tid\":)[0-9]+/\199/"
cmp_two 1 swapped.data --ignore order
lines 1
has out ': tid: [0-9]* | 99$'
edit double.data "${a}p" # a multiset: twice is not once
cmp_two 1 double.data --ignore order
lines 1

# ---- Containers, compression, byte order: reported, but their content is equal.
for way in '--to pipe' '--to dir' '--endian big' '--to pipe --endian big -z' '--attr-size 136'; do
    rm -rf there
    # shellcheck disable=SC2086
    "$PERFDATA" convert -q -o there $way two.data
    cmp_two 0 there --ignore container
    cmp_two 0 there --ignore offset,order,container
    cmp_two 1 there
    ! grep -v '^container: \|^attr [01]: \(size\|config3\): \|^feature compressed: ' out ||
        fail "$way: only the container is other"
done
"$PERFDATA" convert -q -o ip.pipe --to pipe --endian big ip.data
cmp_two 1 ip.pipe --ignore container
lines 1
has out ": ip: $ip | 0x1234\$"
"$PERFDATA" cmp --ignore container two.data - <there >out || fail "from standard input"
"$PERFDATA" convert -q -o - two.data | "$PERFDATA" cmp --ignore container - two.data || fail "from a pipe"

# ---- What is behind an AUXTRACE, padding, gaps.
aux() { # BYTE
    tiny_header $((56 + 48 + 8)) && tiny_records && le 4 71 && le 2 0 48 && le 8 8 0 0 && le 4 0 0 0 0 &&
        printf '1234567%s' "$1"
}
aux 8 >aux.data
aux 9 >aux9.data
expect 1 "$PERFDATA" cmp aux.data aux9.data
lines 1
has out ' AUXTRACE at .*: payload: '
expect 1 "$PERFDATA" cmp --ignore order aux.data aux9.data
lines 1
expect 0 "$PERFDATA" cmp --ignore order aux.data aux.data
tiny >tiny.data
"$PERFDATA" corrupt -q -o pad.data --set 269=78 tiny.data >/dev/null
expect 1 "$PERFDATA" cmp tiny.data pad.data
has out ' COMM at 0xf8: comm.pad: '
expect 0 "$PERFDATA" cmp --ignore offset tiny.data pad.data
{ tiny; printf tail; } >gap.data
expect 1 "$PERFDATA" cmp tiny.data gap.data
has out '^container: gap.size: 0 | 4$'
expect 0 "$PERFDATA" cmp --ignore offset tiny.data gap.data

# ---- Equal exactly where the hashes are, on all pairs.
files=(two.data same.data ip.data comm.data feature.data attr.data dropped.data removed.data swapped.data
    double.data there ip.pipe tiny.data pad.data aux.data aux9.data)
declare -A hashes=()
for x in "${files[@]}"; do
    hashes[$x]=$("$PERFDATA" hash "$x" | cut -d ' ' -f 1)
done
turn=0
for x in "${files[@]}"; do
    for y in "${files[@]}"; do
        # Usually each pair one way round, half of them this and half that.
        turn=$((turn + 1))
        full || { if [[ $x < $y ]]; then [ $((turn % 2)) = 0 ]; else [ $((turn % 2)) = 1 ]; fi; } || continue
        want=1
        [ "${hashes[$x]}" != "${hashes[$y]}" ] || want=0
        expect $want "$PERFDATA" cmp --limit 1 --ignore offset,order,container "$x" "$y"
    done
done

# ---- Files of a directory that hold no records: by their bytes.
"$PERFDATA" convert --to dir -i two.data -o a.dir 2>/dev/null
mkdir -p a.dir/kcore_dir/sub
echo symbols >a.dir/kcore_dir/kallsyms
head -c 100000 /dev/zero >a.dir/kcore_dir/kcore
ln -s kcore a.dir/kcore_dir/link
touch a.dir/kcore_dir/sub/empty
cp -a a.dir b.dir
expect 0 "$PERFDATA" cmp a.dir b.dir
printf x | dd of=b.dir/kcore_dir/kcore bs=1 seek=70000 conv=notrunc 2>/dev/null
echo more >>b.dir/kcore_dir/kallsyms
ln -sf kallsyms b.dir/kcore_dir/link
rm b.dir/kcore_dir/sub/empty
touch b.dir/extra
expect 1 "$PERFDATA" cmp a.dir b.dir
cat >want <<'END'
file extra: only in b.dir
file kcore_dir/kallsyms: size: 8 | 13
file kcore_dir/kcore: byte 70000: 0 | 120
file kcore_dir/link: target: "kcore" | "kallsyms"
file kcore_dir/sub/empty: only in a.dir
END
same want out
expect 1 "$PERFDATA" cmp --json a.dir b.dir
python3 - <<'END' || fail "--json: $(cat out)"
import json
lines = [json.loads(line) for line in open("out")]
assert lines[0] == {"kind": "file", "file": "extra", "b": {}}, lines
kcore = {"kind": "file", "file": "kcore_dir/kcore", "field": "byte 70000"}
assert lines[2] == {**kcore, "a": {"value": 0}, "b": {"value": 120}}, lines
END
expect 1 "$PERFDATA" cmp --limit 2 a.dir b.dir
lines 2
# What is beside the records counts where both can have it
expect 1 "$PERFDATA" cmp --ignore container a.dir b.dir
lines 5
expect 0 "$PERFDATA" cmp --ignore container a.dir two.data
expect 1 "$PERFDATA" cmp a.dir two.data
has out 'file kcore_dir/kcore: only in a.dir'

# ---- What an attr has behind the known fields: zeros there mean nothing, whatever its size.
tail_of() { # SIZE [TAIL]: a recording with such an attr
    printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
        "{\"attr\":{\"type\":\"SOFTWARE\",\"size\":$1${2:+,\"tail\":\"$2\"}}}" | "$PERFDATA" encode -q -f -o -
}
tail_of 152 0000000000000007 >a.data
tail_of 152 0000000000000008 >b.data
expect 1 "$PERFDATA" cmp --ignore container a.data b.data
has out '^attr 0: tail: .*07 | .*08$'
tail_of 152 0000000000000000 >a.data
tail_of 144 >b.data
expect 0 "$PERFDATA" cmp --ignore container a.data b.data
expect 1 "$PERFDATA" cmp a.data b.data

# ---- Elements: the first eight that differ.
text_of() { # ADDRESS...: a recording with a call chain
    local ips
    ips=$(printf '"%s",' "$@" | sed 's/,$//')
    printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
        '{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"IP|CALLCHAIN"}}' \
        "{\"record\":{\"type\":\"SAMPLE\",\"sample\":{\"ip\":\"0x1\",\"callchain\":{\"ips\":[$ips]}}}}" |
        "$PERFDATA" encode -q -f -o - -
}
text_of 1 2 3 4 5 6 7 8 9 10 11 12 >a.data
text_of 1 0 0 4 0 0 0 0 0 0 0 >b.data
expect 1 "$PERFDATA" cmp a.data b.data
[ "$(grep -o 'ips\[[0-9]*\]' out | paste -sd' ')" = \
    'ips[1] ips[2] ips[4] ips[5] ips[6] ips[7] ips[8] ips[9]' ] || fail "elements: $(cat out)"
has out 'callchain.nr: 12 | 11'
spaces_of() { # INODE...: a recording with namespaces of a task
    local entries
    entries=$(printf '{"dev":"4","inode":"%s"},' "$@" | sed 's/,$//')
    printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
        '{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"IP"}}' \
        '{"record":{"type":"NAMESPACES","namespaces":{"pid":1,"tid":1,"namespaces":['"$entries"']}}}' |
        "$PERFDATA" encode -q -f -o - -
}
spaces_of 1 2 3 4 5 6 7 8 9 10 11 12 >a.data
spaces_of 1 0 0 4 0 0 0 0 0 0 0 >b.data
expect 1 "$PERFDATA" cmp a.data b.data
[ "$(grep -o 'namespaces\[[0-9]*\].inode' out | tr -dc '0-9\n' | paste -sd' ')" = '1 2 4 5 6 7 8 9' ] ||
    fail "elements of a list: $(cat out)"

# ---- Damage, wrong usage.
head -c 15000 two.data >cut.data
expect 3 "$PERFDATA" cmp two.data cut.data
has err 'cut.data'
has out 'only in two.data'
python3 - <<'END'
import struct
data = bytearray(open("two.data", "rb").read())
table = sum(struct.unpack_from("<QQ", data, 40))
here = [i for i in range(256) if data[72 + i // 8] >> i % 8 & 1]
section = struct.unpack_from("<Q", data, table + 16 * here.index(12))[0]
struct.pack_into("<I", data, section, 0x7FFFFFFF)  # EVENT_DESC: the number of events
open("cut.data", "wb").write(data)
END
expect 3 "$PERFDATA" cmp two.data cut.data
has err 'cut.data: .*event_desc, nr_events: found 2147483647'
# What is not read any more because of a limit is not compared: CPU_TOPOLOGY behind NRCPUS again and again.
"$PERFDATA" convert -q --to pipe -o two.pipe "$source/corpus/two-events.data"
"$PERFDATA" decode two.pipe |
    sed -E 's/"offset":"[0-9]*",?//; /"NRCPUS"/s/,"feature":\{[^}]*\}//' |
    awk '{ print } /"NRCPUS"/ { two = one = $0; sub(/"data":"0200000002/, "\"data\":\"0100000001", one) }
        END { for (i = 0; i < 20; i++) print one "\n" two }' |
    "$PERFDATA" encode -q -o again.pipe || fail encode
expect 3 "$PERFDATA" cmp again.pipe again.pipe
has err 'again.pipe: .*NRCPUS, which CPU_TOPOLOGY depends on, again: found 17, the limit is 16'
expect 2 "$PERFDATA" cmp two.data
expect 2 "$PERFDATA" cmp two.data same.data ip.data
expect 2 "$PERFDATA" cmp two.data none.data
expect 2 "$PERFDATA" cmp --ignore time two.data same.data
has err '"time"'
expect 2 "$PERFDATA" cmp - -

# ---- Three records differ in what is no content: the name of an id that is 0. All others differ in content.
alike() { # NAME: the name of the id, in sample_type and in small letters; it is also part of what differs
    echo '{"header":{"container":"file"}}'
    echo "{\"attr\":{\"sample_type\":\"IP|TID|TIME|$1\",\"flags\":\"sample_id_all|mmap\"},\"ids\":[\"7\"]}"
    for i in $(seq 100); do
        name=$i
        [ "$i" -le 3 ] || name=$1$i
        echo "{\"record\":{\"type\":\"MMAP\",\"mmap\":{\"pid\":5,\"tid\":5,\"filename\":\"$name\"}," \
            "\"sample_id\":{\"pid\":5,\"tid\":5,\"time\":\"$i\",\"${1,,}\":\"0\"}}}"
    done
}
alike ID | "$PERFDATA" encode -f -o id.data -
alike IDENTIFIER | "$PERFDATA" encode -f -o identifier.data -
expect 1 timeout 60 "$PERFDATA" cmp id.data identifier.data
[ "$(grep -c 'sample_id.id: 0 | none' out)" = 100 ] || fail 'records that are alike but for no content'
[ "$(grep -c 'filename: ' out)" = 97 ] || fail 'records that are not alike'

# ---- Without order: records of no time, which is 0, in the order of the file.
timeless() { # COUNT
    echo '{"header":{"container":"file"}}'
    echo '{"attr":{"sample_type":"IP|TID|TIME","flags":"sample_id_all|comm"},"ids":["7"]}'
    for i in $(seq "$1"); do
        echo "{\"record\":{\"type\":\"COMM\",\"comm\":{\"pid\":$i,\"tid\":$i,\"comm\":\"c$i\"}," \
            "\"sample_id\":{\"pid\":$i,\"tid\":$i,\"time\":\"0\"}}}"
    done
}
timeless 1 | "$PERFDATA" encode -f -o one.data -
timeless 30 | "$PERFDATA" encode -f -o thirty.data -
expect 1 "$PERFDATA" cmp --ignore order one.data thirty.data
sed -n 's/^record \([0-9]*\).*/\1/p' out >places
[ "$(wc -l <places)" = 29 ] && sort -n places | cmp -s - places ||
    fail "records without a time: $(head -n 3 out)"

# ---- Memory: with and without order.
for how in '' '--ignore order'; do
    for size in tiny large; do
        [ -e large.data ] || many "$(large_power)" >large.data
        # shellcheck disable=SC2086
        peak_memory "$PERFDATA" cmp $how $size.data $size.data >$size.kb
    done
    little_more "$(cat tiny.kb)" "$(cat large.kb)" 20000 || fail "cmp $how takes $(cat large.kb) kB"
done
expect 0 "$PERFDATA" cmp --ignore order large.data large.data
rm large.data

# ---- What is lacking now and then is found however much came before: what was looked ahead to is let go.
expect 0 "$PERFDATA" gen -c 40000 --seed 3 --sample-type ip,tid,time,callchain --depth 20 -o large.data
expect 0 "$PERFDATA" convert --to pipe -o all.pipe large.data
python3 - >want <<'END'
import struct
data, at, samples, record = open("all.pipe", "rb").read(), 16, 0, 0
large, fewer = bytearray(data[:at]), bytearray(data[:at])
while at < len(data):
    kind, _, size = struct.unpack_from("<IHH", data, at)
    samples += kind == 9
    if kind not in (2, 68):  # LOST and FINISHED_ROUND, which are alike
        if kind == 9 and samples > 600 and samples % 4000 < 600:
            print(f"record {record} SAMPLE at {len(large):#x}: only in large.pipe")
        else:
            fewer += data[at : at + size]
        large += data[at : at + size]
        record += 1
    at += size
open("large.pipe", "wb").write(large)
open("fewer.pipe", "wb").write(fewer)
END
expect 1 "$PERFDATA" cmp large.pipe fewer.pipe
same want out
[ "$(wc -l <want)" = 5400 ] || fail 'samples that are lacking'
rm large.data *.pipe

# ---- Recordings of others: as big-endian streams they have the same content, except features that are too
# large for a record.
n=0
mapfile -t recordings < <(corpus_files 5)
for file in "${recordings[@]}"; do
    [ "$(stat -Lc %s "$file")" -lt 300000 ] && "$PERFDATA" hash -q "$file" >/dev/null 2>&1 || continue
    alive "$PERFDATA" convert -f -o there.pipe --to pipe --endian big "$file" 2>notes || continue
    ! grep -q 'too large for a record' notes && "$PERFDATA" hash -q there.pipe >/dev/null 2>&1 || continue
    expect 0 "$PERFDATA" cmp --ignore container "$file" there.pipe
    n=$((n + 1))
done
[ -z "${PERFDATA_CORPUS:-}" ] || [ $n -gt "$(least "$(effort 5 20)")" ] ||
    fail "only $n recordings of the corpus"
