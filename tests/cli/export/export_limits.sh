#!/usr/bin/env bash
# perfdata export and symbols just within limits of SECURITY.md, and just beyond: samples that wait for their
# call chains, ranges of branches, parts of programs, lines of maps, places of kernels. The numbers are those
# of that page; symbols.sh has that of functions inlined in one another.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'
export HOME=$dir/home
id=00112233445566778899aabbccddeeff01234567

# elf NAME OPTION...: a program whose function stands at byte 0x1000. Options, of Python: loads=N segments, in
# each of which a byte has an address 0x7000000 higher; note=BYTES of notes, with a build id at their end;
# sections=N, the last of which has the symbols; link=BYTES of a section that names `program.debug`, instead
# of symbols.
elf() {
    python3 - "$@" <<'END_OF_PROGRAM'
import struct
import sys

def build(loads=1, note=0, sections=5, link=0):
    names = b"\0.text\0.strtab\0.shstrtab\0.symtab\0.gnu_debuglink\0"
    texts = b"\0function\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0x1000, 0x100)
    notes = b""
    if note:
        notes = struct.pack("<III4s", 4, note - 52, 1, b"GNU") + bytes(note - 52)
        notes += struct.pack("<III4s", 4, 20, 3, b"GNU") + b"\xff" * 20
    last = b"program.debug".ljust(link, b"\0") if link else symbols
    at = 64 + 56 * (loads + 1)
    places = []
    for part in (notes, texts, names, last):
        places.append(at)
        at += len(part)
    head = b"\x7fELF\2\1\1".ljust(16, b"\0")
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, at, 0, 64, 56, loads + 1, 64, 0, 3)
    for i in range(loads):
        move = 0x7000000 if loads > 1 else 0
        head += struct.pack("<IIQQQQQQ", 1, 5, i << 16, (i << 16) + move, 0, 1 << 16, 1 << 16, 4096)
    head += struct.pack("<IIQQQQQQ", 4, 4, places[0], 0, 0, len(notes), len(notes), 4)
    def section(name, kind, flags, offset, size, link=0):
        return struct.pack("<IIQQQQIIQQ", names.index(name), kind, flags, 0, offset, size, link, 0, 1, 0)
    table = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, sections, 3, 0, 0, 0)
    table += section(b".text", 1, 6, 0x1000, 0x100)
    table += section(b".strtab", 3, 0, places[1], len(texts))
    table += section(b".shstrtab", 3, 0, places[2], len(names))
    table += bytes(64 * (sections - 5))
    if link:
        table += section(b".gnu_debuglink", 1, 0, places[3], len(last))
    else:
        table += section(b".symtab", 2, 0, places[3], len(last), 2)
    return head + notes + texts + names + last + table

with open(sys.argv[1], "wb") as f:
    f.write(build(**{k: int(v) for k, v in (option.split("=") for option in sys.argv[2:])}))
END_OF_PROGRAM
}

sample() { # IP [MORE]
    echo '{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=USER","sample":{"identifier":"71",' \
        "\"ip\":\"$1\",\"pid\":7,\"tid\":7,\"time\":\"10\"${2-}}}}"
}
mapping() { # ADDRESS NAME
    echo '{"record":{"type":"MMAP2","attr":0,"misc":"cpumode=USER|mmap_build_id","mmap2":{"pid":7,"tid":7,' \
        "\"addr\":\"$1\",\"len\":\"0x1000000\",\"pgoff\":\"0\",\"build_id_size\":20,\"build_id\":\"$id\"," \
        "\"prot\":5,\"flags\":2,\"filename\":\"$2\"},\"sample_id\":{\"time\":\"4\",\"identifier\":\"71\"}}}"
}
recording() { # SAMPLE-TYPE [FLAGS]: the head of one
    echo '{"header":{"container":"file"}}'
    echo "{\"attr\": {\"type\": \"HARDWARE\", \"config\": 0," \
        "\"sample_type\": \"IDENTIFIER|IP|TID|TIME${1-}\"," \
        "\"branch_sample_type\": \"ANY\", \"flags\": \"sample_id_all${2-}\"}, \"ids\": [\"71\"]}"
}

# ---- Samples that wait for their call chain: 16 MiB, with 16 bytes for each frame, 36 to 280 besides.
frames=$(for ((n = 0; n < 4000; n++)); do printf '"0xff10",'; done)
for n in 261 262; do
    {
        recording '|CALLCHAIN' '|defer_callchain|defer_output'
        line=$(sample 0xff10 ",\"callchain\":{\"ips\":[\"KERNEL\",$frames\"USER_DEFERRED\",\"0x5\"]}")
        for ((i = 0; i < n; i++)); do echo "$line"; done
        echo '{"record":{"type":"CALLCHAIN_DEFERRED","attr":0,"misc":"cpumode=USER",' \
            '"callchain_deferred":{"cookie":"0x5","ips":["0x43"]},' \
            '"sample_id":{"pid":7,"tid":7,"time":"20","identifier":"71"}}}'
    } | "$PERFDATA" encode -f -o waiting.data || fail encode
    expect 0 "$PERFDATA" export --to folded -s tid waiting.data
    [ "$(sed -nE 's/.*;\[unknown\]\+0x43;.* ([0-9]*)$/\1/p' out)" = 261 ] || fail "$n: not 261 are joined"
    [ $n = 261 ] || has err 'of 1 samples the user'
    [ $n = 262 ] || empty err
done

# ---- A range for AutoFDO.
for n in 100000 100001; do
    {
        recording '|BRANCH_STACK'
        mapping 0x400000 /bin/a
        sample 0x400010 ",\"branch_stack\":{\"entries\":[{\"from\":\"0x$(printf %x $((0x400100 + 0x$n)))\",
            \"to\":\"0x400200\"},{\"from\":\"0x400050\",\"to\":\"0x400100\"}]}"
    } | unfold | "$PERFDATA" encode -f -o range.data || fail encode
    expect 0 "$PERFDATA" export --to autofdo -f -o range range.data
    [ "$(grep -c '^100-100100:1$' range/$id.autofdo)" = $((n == 100000)) ] || fail "a range of 0x$n bytes"
    [ "$(grep -c '^100-' range/$id.autofdo)" = $((n == 100000)) ] || fail "a range of 0x$n bytes is there"
done

# ---- Segments of a program: what is in the last one has an address, or is an offset.
{
    recording '|BRANCH_STACK'
    mapping 0x400000 "$dir/program"
    sample 0x400010 ',"branch_stack":{"entries":[{"from":"0x7f0010","to":"0x400020"}]}'
    sample 0x400010 ',"branch_stack":{"entries":[{"from":"0x800010","to":"0x400020"}]}'
} | "$PERFDATA" encode -o branches.data || fail encode
for n in 64 65; do
    elf program loads=$n
    expect 0 "$PERFDATA" export --to bolt --binary program -f -o bolt branches.data
    cut -d ' ' -f 2 bolt/$id.bolt >got
    printf '%s\n' 73f0010 400010 >want
    same want got
done

# ---- What is looked for in a program.
{
    recording
    mapping 0x10000000 "$dir/program"
    mapping 0x20000000 //anon
    sample 0x10001010
    sample 0x20000008
    sample 0x20001008
} | "$PERFDATA" encode -o x.data || fail encode
is_found() { # 1 or 0: so often the function is
    expect 0 "$PERFDATA" symbols x.data
    [ "$(grep -c '^1010	10	function$' out)" = "$1" ] || fail "other than $1 functions: $2"
}
elf program
is_found 1 'a program'
elf program sections=65536
is_found 1 '65,536 sections'
elf program sections=65537
is_found 0 '65,537 sections'
elf program.debug
elf program link=4095
is_found 1 'a link of 4,095 bytes'
elf program link=4096
is_found 0 'a link of 4,096 bytes'
elf program note=65536
is_found 0 'another build id'
has err 'program has the build id ffff'
elf program note=65540
is_found 1 'notes of 65,540 bytes'
! grep 'build id' err || fail 'a build id behind 64 KiB'

# ---- A line of a map; the next one is read as it is.
mkdir -p root/tmp
for n in 65521 65522; do
    {
        printf '20000000 1000 ' && head -c $n /dev/zero | tr '\0' x && echo
        echo '20001000 1000 next'
    } >root/tmp/perf-7.map
    expect 0 "$PERFDATA" symbols --root root x.data
    [ "$(sed -n 's/^20000008	8	//p' out | wc -c)" = 65522 ] || fail "a line of $((n + 14)) bytes"
    has out '^20001008	8	next$'
done

# ---- Names: of those that symbols writes, export takes 4,096 bytes.
name() { head -c "$1" /dev/zero | tr '\0' "$2"; }
for n in 4096 4097; do
    { printf '20000000 1000 ' && name $n X && echo; } >root/tmp/perf-7.map
    expect 0 "$PERFDATA" symbols --root root -f -o x.syms x.data
    { grep -v '^20000008' x.syms && printf '20000008\t8\t%s\t%s\n' "$(name $n F)" "$(name $n I)"; } >y.syms
    for what in 'x 4096' 'y 8192'; do
        expect 0 "$PERFDATA" export --to folded -s none --symbols "${what% *}.syms" x.data
        [ "$(tr -dc XFI <out | wc -c)" = "${what#* }" ] || fail "$n: other than ${what#* } bytes of names"
    done
done
# As their source has them, where both are within the limit: what linkers have, and what readers see. Of Rust,
# as libiberty itself takes no longer names of C++ than 1,024 bytes.
of_source() { # NAME: what symbols writes of it
    printf '20000000 1000 %s\n' "$1" >root/tmp/perf-7.map
    expect 0 "$PERFDATA" symbols --root root x.data
    sed -n 's/^20000008	8	//p' out
}
type=$(name 2040 t)
if [ "$(of_source _RNvC1a1f)" = a::f ]; then
    [ "$(of_source "_RNvC1a4085$(name 4085 f)")" = "a::$(name 4085 f)" ] || fail 'a name of 4,096 bytes'
    [ "$(of_source "_RNvC1a4086$(name 4086 f)")" = "_RNvC1a4086$(name 4086 f)" ] || fail 'one of 4,097 bytes'
    [ "$(of_source "_RINvC1a1fNtC1b2040${type}B7_E")" = "a::f::<b::$type, b::$type>" ] ||
        fail 'a source of 4,096 bytes'
    [ "$(of_source "_RINvC1a2ffNtC1b2040${type}B8_E")" = "_RINvC1a2ffNtC1b2040${type}B8_E" ] ||
        fail 'a source of 4,097 bytes'
fi

# ---- Places of kernels: far from each other, each with a sample.
kernels() { # N
    recording
    python3 - "$1" <<'END_OF_PROGRAM'
import sys
for i in range(int(sys.argv[1])):
    at = 0xFFFF_F000_0000_0000 + (i << 27)
    print('{"record":{"type":"MMAP","attr":0,"misc":"cpumode=KERNEL","mmap":{"pid":-1,"tid":0,'
          f'"addr":"{at:#x}","len":"0x1000","pgoff":"{at:#x}","filename":"[kernel.kallsyms]_text"}},'
          '"sample_id":{"time":"1","identifier":"71"}}}')
    print('{"record":{"type":"SAMPLE","attr":0,"misc":"cpumode=KERNEL","sample":{"identifier":"71",'
          f'"ip":"{at + 0x18:#x}","pid":7,"tid":7,"time":"10"}}}}}}')
END_OF_PROGRAM
}
for n in 1024 1025; do
    rm -rf kernels.dir
    kernels $n | "$PERFDATA" encode -f -o kernels.data || fail encode
    "$PERFDATA" convert -q --to dir -o kernels.dir kernels.data && mkdir kernels.dir/kcore_dir
    printf 'ffffffff810000%s\n' '00 T _text' '10 T one' '20 t two' >kernels.dir/kcore_dir/kallsyms
    expect 0 "$PERFDATA" symbols kernels.dir
    [ "$(grep -c '	8	one$' out)" = $((n == 1024 ? n : 0)) ] || fail "$n places: $(grep -c one out) names"
done
