#!/usr/bin/env bash
# perfdata redact: words of paths, tasks and events that stay because perf needs them, and names that must get
# the same new name. Each line: the text in the recording, and the expected output, where <x> is the new name
# of x.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'

cat >texts <<'END'
path	/lib/modules/6.1/snd-pcm.ko.xz	/<lib>/<modules>/<6.1>/<snd_pcm>.ko.xz
path	/lib/snd-pcm.ko.gz	/<lib>/<snd_pcm>.ko.gz
path	/lib/snd-pcm.ko.zst	/<lib>/<snd_pcm>.ko.zst
path	/lib/ext4.ko (deleted)	/<lib>/<ext4>.ko (deleted)
path	/lib/plain-name.zst	/<lib>/<plain-name.zst>
path	[ext4]	[<ext4>]
path	[snd_pcm]	[<snd_pcm>]
path	[kernel.kallsyms]_other	[kernel.kallsyms]<_other>
path	[kernel.kallsyms]_text	[kernel.kallsyms]_text
path	[open	<[open>
path	/usr/./x/../vmlinux	/<usr>/./<x>/../vmlinux
path	/boot/vmlinux-6.1	/<boot>/vmlinux-<6.1>
path	/boot/vmlinux-	/<boot>/vmlinux-
path	/dir/	/<dir>/
path	..	..
path	task	<task>
path	task (deleted)	<task> (deleted)
path	[stack:77]	[stack:77]
path	[stack:7x]	[<stack:7x>]
path	[guest.kernel.kallsyms.12]	[guest.kernel.kallsyms.12]
path	[guest.kernel.kallsyms.a]	[<guest.kernel.kallsyms.a>]
path	[vdso]	[vdso]
path	/dev/zero (deleted)	/dev/zero (deleted)
comm	swapper	swapper
comm	swapper/12	swapper/12
comm	swapper/x	<swapper/x>
comm	task	<task>
event	cycles:ppu	cycles:ppu
event	cycles:main	<cycles>:<main>
event	sched:sched_switch	sched:sched_switch
event	probe_app:task	<probe_app>:<task>
event	probe_app:task:uk	<probe_app>:<task>:uk
event	probe_app:task:	<probe_app>:<task:>
event	probe_app:task:it	<probe_app>:<task:it>
event	r1a8:u	r1a8:u
event	rabc:u	<rabc>:<u>
event	r1x:u	<r1x>:<u>
event	a1:u	<a1>:<u>
event	cpu/event=1/:k	cpu/event=1/:k
event	foo.bar:k	foo.bar:k
event	foo:k	<foo>:<k>
event	plain	plain
event	mem:0x7f0012:rw	<mem>:<0x7f0012:rw>
END

cat >text.py <<'END'
import json, re, subprocess, sys
perfdata, mode = sys.argv[1:3]
texts = [line.rstrip("\n").split("\t") for line in open("texts")]
if mode == "make":
    print(json.dumps({"header": {"container": "file", "order": "little", "attr_size": 128}}))
    attr = {"type": "SOFTWARE", "size": 128, "config": "0x1", "sample_type": "IP|TID", "flags": "mmap|comm"}
    print(json.dumps({"attr": attr, "ids": ["7"]}))
    for i, (kind, text, _) in enumerate(texts):
        task = {"pid": i + 1, "tid": i + 1}
        mmap = {**task, "addr": "0x1000", "len": "0x1000", "pgoff": "0x0", "filename": text}
        update = {"type": "NAME", "id": "7", "name": text}
        one = {
            "path": {"type": "MMAP", "misc": 0, "mmap": mmap},
            "comm": {"type": "COMM", "misc": 0, "comm": {**task, "comm": text}},
            "event": {"type": "EVENT_UPDATE", "misc": 0, "event_update": update},
        }[kind]
        print(json.dumps({"record": one}))
    sys.exit()
decode = [perfdata, "decode", "--short", "out.data"]
out = subprocess.run(decode, check=True, stdout=subprocess.PIPE, text=True).stdout

def name_of(record):
    for layout, field in (("mmap", "filename"), ("comm", "comm"), ("event_update", "name")):
        if layout in record:
            return record[layout][field]

records = [json.loads(line).get("record") for line in out.splitlines()]
got = [name_of(record) for record in records if record]
assert len(got) == len(texts), (len(got), len(texts))
names, bad = {}, 0
for (kind, text, want), become in zip(texts, got):
    words = re.findall(r"<([^>]*)>", want)
    pattern = re.sub(r"<[^>]*>", lambda _: "(" + mode + ")", re.sub(r"[.\[\]*()]", r"\\\g<0>", want))
    found = re.fullmatch(pattern, become)
    right = found and all(names.setdefault(w, n) == n for w, n in zip(words, found.groups()))
    if not right:
        bad += 1
        expected = [names.get(w) for w in words]
        print(f"FAILED: {kind} {text!r}: {become!r}, not {want}: {expected}", file=sys.stderr)
assert len(set(names.values())) == len(names), "two became one"
print(f"{len(texts)} texts, {len(names)} names")
sys.exit(bad != 0)
END
python3 text.py "$PERFDATA" make >text
expect 0 "$PERFDATA" encode -o in.data text
expect 0 "$PERFDATA" redact -o out.data in.data
python3 text.py "$PERFDATA" 'name[0-9]+' || fail "names with numbers"
printf 'sixteen bytes and some' >key
expect 0 "$PERFDATA" redact -f --key key -o out.data in.data
python3 text.py "$PERFDATA" '[a-z2-7]{15}' || fail "names with a key"

# The number of a thread in a name is a pid as well.
expect 0 "$PERFDATA" redact -f --pids hash -o out.data in.data
"$PERFDATA" dump out.data >dump
! grep -q 'stack:77\|kallsyms\.12' dump || fail "the number of a thread is in a name"
has dump '\[name[0-9]*\]$'

# The address of a breakpoint is in its event's name, also where names of probes stay.
expect 0 "$PERFDATA" redact -f --paths keep --addrs hash -o out.data in.data
"$PERFDATA" dump out.data >dump
! grep -q 0x7f0012 dump || fail "the address of a breakpoint is in a name"
has dump 'probe_app:task$'

# A name that is kept is that of no other.
expect 0 "$PERFDATA" redact -f --keep name1,name3 --map map -o out.data in.data
! cut -f 2 map | grep -qx 'name[13]' || fail "another name becomes one that is kept"
cut -f 2 map | grep -qx name2 || fail "no name has the number between them"

# Of old writers a DSO has its name where others have an address; in big-endian order one of five letters,
# with zeros behind it, is taken for such an address, so the record cannot have it.
dso() { # ORDER
    unfold <<TEXT | "$PERFDATA" encode -f -o "$1.data"
{"header":{"order":"$1"}}
{"attr":{"sample_type":"IP"}}
{"record":{"type":"SIMPLEPERF_DSO",
    "simpleperf_dso":{"dso_type":"ELF_FILE","dso_id":"7","name":"a long name",
    "name_pad":"$(printf %032d 0)"}}}
TEXT
    expect 0 "$PERFDATA" check "$1.data"
}
dso little
dso big
expect 0 "$PERFDATA" redact -f -o out.data little.data
"$PERFDATA" dump out.data >dump
has dump 'name: name1$'
expect 2 "$PERFDATA" redact -f -o out.data big.data
has err '(SIMPLEPERF_DSO), .*must not pass'
expect 0 "$PERFDATA" redact -f --unknown drop -o out.data big.data
has err '1 records SIMPLEPERF_DSO do not come along'
"$PERFDATA" dump out.data >dump
! grep -q SIMPLEPERF_DSO dump || fail "a DSO: $(cat dump)"
