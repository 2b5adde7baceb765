#!/usr/bin/env bash
# Names in a recording may contain terminal control sequences, newlines and marks of direction: no verb prints
# these in text, messages or JSON; printable text stays as perf shows it. Checks R17.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'

# Puts control characters and marks of direction into every string of a text, of as many bytes: some slots
# have a size of their own.
cat >evil.py <<'END_OF_PYTHON'
import json, random, sys
parts = [b'\x1b]0;', b'\n', b'\x07', b'\xc2\x9b', b'\x7f', b'\t', b'Z', b'\r', b'\x9b', b'\xd8\x9c']
parts += [chr(c).encode() for c in (0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a))]
slots = set('''comm filename name text path args unit value key prog_name pmu_name dname cpumask cpulist cpus
sockets cores dies map size msg filter printk cmdlines'''.split())
pick = random.Random(1)

def evil(n):
    b = b''
    while len(b) < n:
        part = pick.choice(parts)
        b += part if len(b) + len(part) <= n else b''
    try:
        return b.decode()
    except UnicodeDecodeError:
        return {'hex': b.hex()}

def changed(x, slot=None):
    if isinstance(x, dict):
        if slot in slots and set(x) == {'hex'}:
            return evil(len(x['hex']) // 2)
        return {k: changed(v, k) for k, v in x.items()}
    if isinstance(x, list):
        return [changed(v, slot) for v in x]
    word = isinstance(x, str) and slot in slots and len(x) > 1
    word = word and not x.lstrip('-').isdigit() and not x.startswith('0x')
    return evil(len(x.encode())) if word else x

for line in sys.stdin:
    o = json.loads(line)
    print(json.dumps(o if 'simpleperf_' in line else changed(o)))
END_OF_PYTHON
"$PERFDATA" gen -q --random -c 400 -t ALL --features all --seed 3 -o plain.data
"$PERFDATA" decode --short plain.data | grep -v '"type":"SIMPLEPERF' >plain.json || true
python3 evil.py <plain.json >evil.json
"$PERFDATA" encode -q -o evil.data evil.json || fail "the recording cannot be made"
grep -qaF $'\033]0;' evil.data || fail "no control characters in it"
unfold >samples.json <<'END'
{"header":{"container":"file","order":"little","attr_size":128}}
{"attr":{"type":"SOFTWARE","size":128,"sample_type":"IP|TID|TIME","flags":"sample_id_all"},"ids":[]}
{"record":{"type":"COMM","misc":0,"comm":{"pid":7,"tid":7,"comm":"\u001b[2J\n\u009b\\x\u202e"},
    "sample_id":{"pid":7,"tid":7,"time":"1"}}}
{"record":{"type":"SAMPLE","misc":2,"sample":{"ip":"0x10","pid":7,"tid":7,"time":"5"}}}
{"feature":"event_desc","content":{"attr_size":128,
    "events":[{"attr":{"type":"SOFTWARE","size":128,"sample_type":"IP|TID|TIME","flags":"sample_id_all"},
    "name":"ev\u001b]0;P\u0007\t\n\u009bZ\u2066\u200d","ids":[]}]}}
{"feature":"hostname","content":{"text":"a\u001b[2J\n# cmdline : forged"}}
END
"$PERFDATA" encode -q -f -o samples.data samples.json || fail "no samples"

controlled() { # FILE: what must not be in text; a tab only between the columns of a map
    local bad='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\xc2-\xf4\x80-\xbf])[\x80-\x9f]'
    bad+='|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]'
    LC_ALL=C grep -naP "$bad" "$1" | head -n 3 | cat -v
}
n=0
while read -r args; do
    for recording in evil.data samples.data; do
        status=0
        # shellcheck disable=SC2086
        "$PERFDATA" ${args//FILE/$recording} >text 2>told </dev/null || status=$?
        [ $status -lt 128 ] || fail "status $status: $args"
        for file in text told; do
            [ -z "$(controlled $file)" ] || fail "$args $recording: $(controlled $file)"
        done
        n=$((n + 1))
    done
done <<'END'
info FILE
info -I FILE
info --stats FILE
info --tasks FILE
info --mmaps FILE
info --json FILE
dump FILE
dump -x FILE
dump --json FILE
dump -F comm,pid,tid,time,event,ip FILE
check -v FILE
check --json FILE
cmp FILE plain.data
cmp --json plain.data FILE
hash --sections FILE
repair -v --report -f -o x.data FILE
merge -v -f -o x.data FILE plain.data
sort -v -f -o x.data FILE
filter -v -f -o x.data --comms x FILE
split -v -f --by event -o piece-%d.data FILE
extract --build-ids FILE
convert -v -f --to pipe -o x.data FILE
edit -v -f -o x.data --strip raw FILE
redact -v -f -o x.data --unknown=drop --map map.tsv FILE
decode FILE
decode --short FILE
report -s comm,pid,dso,event FILE
report --json -s comm,dso FILE
symbols FILE
export --to folded -s comm FILE
export --to speedscope -s comm FILE
export --to firefox -s comm FILE
END
[ $n = 64 ] || fail "$n runs"
[ -z "$(controlled map.tsv)" ] || fail "the map: $(controlled map.tsv)"
# A name stays in its line, and a backslash what it is.
"$PERFDATA" dump -F comm,event samples.data >text
expected='\x1b[2J\x0a\xc2\x9b\x\xe2\x80\xae ev\x1b]0;P\x07\x09\x0a\xc2\x9bZ\xe2\x81\xa6'$'\xe2\x80\x8d: '
[ "$(cat text)" = "$expected" ] || fail "$(cat -v text)"
"$PERFDATA" info -I samples.data >text
grep -qxF '# hostname : a\x1b[2J\x0a# cmdline : forged' text || fail "$(grep -a hostname text)"
# What decode writes is the same recording.
for recording in evil.data samples.data; do
    "$PERFDATA" decode "$recording" >text
    "$PERFDATA" encode -q -f -o again.data text || fail "$recording from its text"
    cmp again.data "$recording" || fail "$recording is another one"
done
