#!/usr/bin/env bash
# perfdata redact: by hand, what hides between and behind what is meant, and what is not understood; and
# recordings of perf, of which `perf report` shows the same percentages under the mapped names, in every
# container and byte order.
. "$(dirname "$0")/../frame_lib.sh"

redact() { # INPUT OUTPUT OPTION...
    rm -rf "$2"
    "$PERFDATA" redact -q -f --map map -i "$1" -o "$2" "${@:3}" || fail "redact $*: $?"
    "$PERFDATA" check -q "$2" >check.out || fail "check of $*: $(head -n 3 check.out)"
}
without() { # FILE WORD...: none of the words is in it
    local word
    for word in "${@:2}"; do
        ! grep -qaF -e "$word" "$1" || fail "$1 has \"$word\""
    done
}
mapped() { # NAME: what it became
    awk -F '\t' -v name="$1" '$1 == name && $3 == "name" { print $2; exit }' map
}

# ---- By hand: words in paddings, gaps, behind the attr, and a record and a feature that are not known.
comm() { # NAME-AND-PADDING of 16 bytes
    le 4 3 && le 2 0 32 && le 4 7 7 && printf %b "$1"
}
mmap() { # PATH-AND-PADDING of 32 bytes
    le 4 1 && le 2 2 72 && le 4 7 7 && le 8 $((0x400000)) 4096 0 && printf %b "$1"
}
# hand EXTRA-FILE: a header, ids in a gap, an attr of 128 bytes with 16 more behind it, records, a table, a
# gap, and a feature
hand() {
    { comm 'program\0hiddenX\0' && mmap '/home/alice/bin/program\0secretX\0' &&
        mmap '//anon\0hiddenXXXXXXXXXXXXXXXXX\0\0' &&
        comm 'swapper\0hiddenX\0' && cat "$1"; } >records
    local size table at
    size=$(stat -c %s records)
    table=$((264 + size))
    at=$((table + 16 + 16))
    printf PERFILE2
    le 8 104 160 104 160 264 "$size" 0 0
    le 8 $((1 << 3)) 0 0 0
    le 4 1 128
    le 8 0 1000 7 0 0
    zeros 80
    printf hiddenXXhiddenXX
    le 8 0 0
    cat records
    le 8 $at 68
    printf hiddenXXhiddenXX
    le 4 64 && printf 'buildhost7' && zeros 6 && printf hiddenX && zeros 41
}
: >nothing
hand nothing >hand.data
redact hand.data out.data
without out.data hidden secret alice program buildhost
for word in swapper //anon; do grep -qaF -e $word out.data || fail "$word is gone"; done
"$PERFDATA" dump out.data >dump
has dump "comm: $(mapped program)\$"
has dump "filename: /$(mapped home)/$(mapped alice)/$(mapped bin)/$(mapped program)\$"
has map "^/home/alice/bin/program	/name.*	path\$"
[ "$(stat -c %a map)" = 600 ] || fail "others may read the map"
# Numbered in order of appearance.
[ "$(mapped program) $(mapped home) $(mapped alice) $(mapped bin)" = 'name1 name2 name3 name4' ] ||
    fail "$(cat map)"
[ "$(wc -l <map)" = 6 ] || fail "the map has $(wc -l <map) lines"
# Words of the stack in the user part of a call chain, and the payload of a tracepoint.
short() {
    unfold <<'END'
{"header":{"container":"file","order":"ORDER"}}
{"attr":{"type":"TRACEPOINT","config":"0x174","sample_type":"IP|TID|CALLCHAIN|RAW"}}
{"record":{"type":"SAMPLE","sample":{"ip":"0xffffffff81000000","pid":7,"tid":7,
    "callchain":{"ips":["0xffffffffffffff80","0xffffffff81000000","0x6b65726e656c2121","0xfffffffffffffe00",
    "0x7f0123456789","0x6f6f722f3d544f4f","0x00612f656d6f682f"]},"raw":{"data":"NUMBER7365637265742121"}}}}
END
}
for order in little big; do
    for raw in 7401 0174 7501; do
        short | sed "s/ORDER/$order/; s/NUMBER/$raw/" | "$PERFDATA" encode -q -f -o short.data
        redact short.data out.data
        "$PERFDATA" decode --short out.data |
            sed -n 's/.*"ips":\[\([^]]*\)\].*"data":"\([^"]*\)".*/\1 \2/p' >got.txt
        kept=$raw
        [ $raw != 7501 ] || kept=0000
        echo '"KERNEL","0xffffffff81000000","0x6b65726e656c2121","USER","0x7f0123456789","0x0","0x0"' \
            ${kept}0000000000000000 >want.txt
        same want.txt got.txt
    done
done
# A deferred call chain is all of the user's part.
unfold >deferred.json <<'END'
{"header":{"container":"file","order":"little"}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|CALLCHAIN"}}
{"record":{"type":"CALLCHAIN_DEFERRED","callchain_deferred":{"cookie":"0x7",
    "ips":["0x7f0123456789","0x6f6f722f3d544f4f"]}}}
END
"$PERFDATA" encode -q -f -o deferred.data deferred.json
redact deferred.data out.data
"$PERFDATA" decode --short out.data | sed -n 's/.*"ips":\[\([^]]*\)\].*/\1/p' >got.txt
echo '"0x7f0123456789","0x0"' >want.txt
same want.txt got.txt
redact short.data out.data --payloads keep
"$PERFDATA" decode --short out.data | grep -q 0x6f6f722f3d544f4f || fail 'a call chain changed'


# Each option by itself, against all others.
for way in comms:program hostname:buildhost paths:alice; do
    redact hand.data out.data "--${way%:*}=keep"
    grep -qaF "${way#*:}" out.data || fail "--${way%:*}=keep does not keep it"
    without out.data hidden
    redact hand.data out.data "--${way%:*}=drop"
    without out.data "${way#*:}" hidden
done
redact hand.data out.data --paths drop
"$PERFDATA" dump out.data >dump
[ "$(grep -c 'filename: //anon$' dump)" = 2 ] || fail "a path that is dropped"
redact hand.data out.data --comms drop
"$PERFDATA" dump out.data >dump
! grep -q ': COMM' dump || fail "records of names that are dropped"

# A key: the same names in every file, others with another one, and of no use without it.
printf 'a key of some bytes' >key1
printf 'one more key of bytes' >key2
redact hand.data out.data --key key1
first=$(mapped program)
[[ $first =~ ^[a-z2-7]{15}$ ]] || fail "a keyed name is \"$first\""
{ comm 'other\0\0\0\0\0\0\0\0\0\0\0' && comm 'program\0hiddenX\0'; } >more
hand more >more.data
redact more.data out.data --key key1
[ "$(mapped program)" = "$first" ] || fail "a key gives one name, then another"
redact more.data out.data --key key2
[ "$(mapped program)" != "$first" ] || fail "two keys give the same name"
# It moves times by less than 2^58 nanoseconds, so that they do not wrap around.
time_of() {
    "$PERFDATA" dump "$1" | sed -n 's/^ *time: \([0-9]*\)$/\1/p' | sort -n | sed -n 1p
}
"$PERFDATA" gen -q --preset server -c 100 -o times.data
for key in key1 key2; do
    redact times.data out.data --times hash --key $key
    moved=$(($(time_of out.data) - $(time_of times.data)))
    ((moved > 0 && moved < 1 << 58)) || fail "$key moves times by $moved"
done
# Without a key the first one becomes 10^15.
redact times.data out.data --times hash
"$PERFDATA" dump out.data | sed -n 's/^ *time: \([1-9][0-9]*\)$/\1/p' >text
[ "$(sed -n 1p text)" = 1000000000000000 ] || fail "the first time is $(sed -n 1p text)"
# More bytes in one part than the memory that is there from the start.
{
    printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP"}}'
    printf '{"feature":"bpf_btf","content":{"entries":[{"id":7,"data":"'
    printf hidden%.0s {1..50000} | od -An -v -tx1 | tr -d ' \n'
    echo '"}]}}'
} | "$PERFDATA" encode -q -o long.data -
redact long.data out.data
without out.data hidden
[ "$(stat -c %s long.data)" = "$(stat -c %s out.data)" ] || fail "bytes are missing"
# A build id of 16 bytes in a field of 20 stays one: perf drops the zeros behind it.
mapped_id() { # BUILD-ID: a recording that maps a file with it
    printf '%s\n' '{"header":{"container":"file","order":"little"}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP"}}' \
        '{"record":{"type":"MMAP2","misc":16386,"mmap2":{"build_id_size":20,"build_id":"'"$1"'"}}}' |
        "$PERFDATA" encode -q -f -o -
}
mapped_id 00112233445566778899aabbccddeeff00000000 >md5.data
redact md5.data out.data --key key1
"$PERFDATA" decode out.data >text
has text '"build_id":"[0-9a-f]\{32\}00000000"'
without text 0011223344 '"build_id":"00000000'
printf short >key3
expect 2 "$PERFDATA" redact --key key3 -o no.data hand.data
has err 'at least'
[ ! -e no.data ] || fail "an output after wrong usage"

# What is not understood is refused, or dropped with a word.
{ le 4 250 && le 2 0 24 && printf unknownXunknownX; } >extra
hand extra >unknown.data
expect 2 "$PERFDATA" redact -o no.data unknown.data
has err 'record 4 of type 250.*--unknown=drop'
[ ! -e no.data ] || fail "an output although something was refused"
expect 0 "$PERFDATA" redact -o dropped.data --unknown drop unknown.data
has err '1 records 250 do not come along'
without dropped.data unknownX hidden
# Of a large record in parts the end goes with them.
expect 0 "$PERFDATA" gen -q -t SIMPLEPERF_SPLIT:30,SIMPLEPERF_SPLIT_END:10,SAMPLE:40 -c 60 -o parts.data
expect 0 "$PERFDATA" check -q parts.data
expect 0 "$PERFDATA" redact -f -o dropped.data --unknown drop parts.data
has err 'records SIMPLEPERF_SPLIT_END do not come along'
expect 0 "$PERFDATA" check -q dropped.data
cp hand.data feature.data
# 64 instead of 3
printf '\x00\x00\x00\x00\x00\x00\x00\x00\x01' | dd of=feature.data bs=1 seek=72 conv=notrunc status=none
expect 2 "$PERFDATA" redact -o no.data feature.data
has err 'feature: .*(64)'
expect 0 "$PERFDATA" redact -f -o dropped.data --unknown drop feature.data
has err 'feature 64 does not come along'
without dropped.data buildhost
# A record that contradicts itself, and bytes behind what is known.
{ le 4 7 && le 2 0 24 && le 8 1 2; } >extra
hand extra >bad.data
expect 3 "$PERFDATA" redact -f -o no.data bad.data
[ ! -e no.data ] || fail "an output although a record could not be read"
{ le 4 68 && le 2 0 24 && printf behindXXbehindXX; } >extra
hand extra >tail.data
expect 2 "$PERFDATA" redact -f -o no.data tail.data
has err 'rest'
# A stream, and bytes behind it.
"$PERFDATA" convert -q -i hand.data -o hand.pipe --to pipe
{ cat hand.pipe && printf stray; } >stray.pipe
expect 0 "$PERFDATA" redact -f -o out.pipe stray.pipe
has err '5 bytes'
without out.pipe stray hidden alice

# ---- Messages of simpleperf: the sizes of all parts around a name follow, from two bytes to one.
message() { # KEY <content: as a field
    local n part=part.$BASHPID
    cat >"$part"
    n=$(stat -c %s "$part")
    le 1 "$1"
    if [ "$n" -lt 128 ]; then le 1 "$n"; else le 1 $((n % 128 + 128)) $((n / 128)); fi
    cat "$part"
}
symbol() { # NAME
    { le 1 8 52 16 86 && printf %s "$1" | message 26; } | message 34
}
section() { # NAME FILE: the recording by hand with this feature
    "$PERFDATA" edit -q -f --set-feature "$1=@$2" -o feature.data hand.data || fail "no feature $1"
}
{ printf /home/alice/lib/secretX.so | message 10 && le 1 16 0 24 64 &&
    symbol "$(printf 'secretsymbol%.0s' {1..15})" &&
    symbol program; } >file
{ le 4 "$(stat -c %s file)" && cat file; } >files
section simpleperf_file2 files
redact feature.data out.data
without out.data secret alice
"$PERFDATA" info --json out.data >info.out
has info.out "\"path\": *\"/$(mapped home)/$(mapped alice)/$(mapped lib)/$(mapped secretX.so)\""
has info.out "\"name\": *\"$(mapped program)\""
has info.out '"vaddr": *"0x34"'
"$PERFDATA" convert -q -f --endian big -o big.data feature.data
redact big.data out.data --addrs hash
"$PERFDATA" info --json out.data >info.out
has info.out "\"name\": *\"$(mapped program)\""
[[ $(awk '$3 == "addr" { print $1, $2 }' map | head -1) =~ \
    ^0x0000-0x0fff\ 0x([0-9a-f]+)000-0x([0-9a-f]+)fff$ ]] || fail "the map has no 0x34: $(<map)"
has info.out "\"vaddr\": *\"0x${BASH_REMATCH[1]}034\""
! grep -q '"0x34"' info.out || fail "an address stays"
redact feature.data out.data --paths drop
without out.data secret alice
{ cat file && le 1 120 7; } >more
{ le 4 "$(stat -c %s more)" && cat more; } >files # a field that is not known
section simpleperf_file2 files
expect 2 "$PERFDATA" redact -o no.data feature.data
has err 'simpleperf_file2.*not known'
# The size of a kernel's map that ends where all addresses or modules do tells where it begins, as do its
# symbol, also of a kernel of 32 bits, and the name of a breakpoint.
unfold >kernel.json <<'END'
{"header":{"container":"file","order":"little"}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID","config2":"0xffffffffffff0000"}}
{"record":{"type":"MMAP","misc":1,"mmap":{"pid":4294967295,"tid":0,"addr":"0x15600000",
    "len":"0xffffffffaa9fffff","pgoff":"0xffffffff96600198","filename":"[kernel.kallsyms]_stext"}}}
{"record":{"type":"MMAP","misc":1,"mmap":{"pid":4294967295,"tid":0,"addr":"0xffffffffc0292000",
    "len":"0x3fd6dfff","pgoff":"0x0","filename":"[bluetooth]"}}}
{"record":{"type":"MMAP","misc":1,"mmap":{"pid":4294967295,"tid":0,"addr":"0xc0000000","len":"0x1000",
    "pgoff":"0xc0de8000","filename":"[kernel.kallsyms]_text"}}}
{"record":{"type":"MMAP","misc":2,"mmap":{"pid":7,"tid":7,"addr":"0x7f1234567000","len":"0x1000",
    "pgoff":"0x55aabbccd000","filename":"//anon"}}}
{"record":{"type":"MMAP","misc":2,"mmap":{"pid":7,"tid":7,"addr":"0x7f2345678000","len":"0x1000",
    "pgoff":"0xffffffffbadc0000","filename":"/file"}}}
{"record":{"type":"SAMPLE","misc":2,"sample":{"ip":"0xffffffff96700000","pid":7,"tid":7}}}
END
"$PERFDATA" encode -q -f -o kernel.data kernel.json
{ le 4 1 && le 4 32 && printf mem:0xffffffff81234567:rw && zeros 8 && le 4 0 1; } >breakpoint
"$PERFDATA" edit -q -f --set-feature group_desc=@breakpoint -o named.data kernel.data
for how in hash drop; do
    redact named.data out.data --paths keep --addrs $how
    "$PERFDATA" decode --short out.data >got.txt
    ! grep -E 'aa9fffff|3fd6dfff|9660|c0292|c0de|1234567|aabbccd|2345678|badc|8123' got.txt ||
        fail "--addrs $how tells an address"
    grep -q '"bp_len":"0xffffffffffff0000"' got.txt ||
        fail "--addrs $how: a number of a software event is gone"
done
# So do the words of events of other PMUs, as of probes, that are addresses of the kernel.
printf '%s\n' '{"header":{"container":"file","order":"little"}}' '{"attr":{"type":"7",'\
'"sample_type":"IP|TID","bp_addr":"0xffffffff81777777","config2":"0xffffffff81888888"}}' |
    "$PERFDATA" encode -q -f -o probe.data
for how in keep hash drop; do
    redact probe.data out.data --addrs $how
    "$PERFDATA" decode out.data | { grep -oE '81777777|81888888' || true; } | paste -sd, >got.txt
    [ "$(cat got.txt)" = "$([ $how != keep ] || echo 81777777,81888888)" ] ||
        fail "--addrs $how: of an event of another PMU it leaves $(cat got.txt)"
done
# A build id in letters becomes what its bytes become.
branches() { # MAGIC
    printf %s "$1" | message 10
    {
        printf /home/alice/bin/program | message 10
        printf 'deadbeef%.0s' {1..5} | message 18
        { le 1 8 52 && { printf '\x55' | message 10 && le 1 16 8 24 1; } | message 18; } | message 26
    } | message 18
}
branches simpleperf:EtmBranchList >list
section simpleperf_etm_branch_list list
{ le 4 67 && le 2 0 100 && le 4 4294967295 && printf '\xde\xad\xbe\xef%.0s' {1..5} && zeros 4 &&
    printf program && zeros 57; } >ids
"$PERFDATA" edit -q --set-feature build_id=@ids -o both.data feature.data
redact both.data out.data
"$PERFDATA" info --json out.data >info.out
without out.data deadbeef alice
id=$(awk '$3 == "build-id" { print $2 }' map)
[[ $id =~ ^[0-9a-f]{40}$ ]] || fail "build ids: \"$id\""
[ "$(grep -o "\"$id\"" info.out | wc -l)" = 2 ] || fail "$id is not twice in $(cat info.out)"
has info.out '"branch": *"00"'
# One of 8 bytes or more is an id. A shorter one is a name, since so few bytes of the new id may be those of
# another, too.
for times in 1 2; do
    { printf /home/alice/bin/program | message 10 && printf 'deadbeef%.0s' $(seq $times) | message 18; } >id
    { printf simpleperf:EtmBranchList | message 10 && message 18 <id; } >list
    section simpleperf_etm_branch_list list
    redact feature.data out.data
    "$PERFDATA" info --json out.data >info.out
    case $times in
    1) id=$(mapped deadbeef) ;;
    2) id=$(awk '$3 == "build-id" { print substr($2, 1, 16) }' map) ;;
    esac
    [ -n "$id" ] || fail "no id of $times times 4 bytes: $(<map)"
    has info.out "\"build_id\": *\"$id\""
done
branches simpleperf:EtmBranchList >list
section simpleperf_etm_branch_list list
redact feature.data out.data --payloads drop
"$PERFDATA" info out.data >info.out
! grep -qi branch_list info.out || fail "branches that are dropped"
branches secretmagic >list
section simpleperf_etm_branch_list list
expect 2 "$PERFDATA" redact -o no.data feature.data
has err 'simpleperf_etm_branch_list.*not known'

# ---- Tracepoints that somebody made, of all names; a version that is none; a breakpoint.
{ le 4 3 && for name in foo:up cycles:up r1a8:u; do le 4 64 && printf %s $name && zeros $((64 - ${#name})) &&
    le 4 0 1; done; } >groups
section group_desc groups
redact feature.data out.data
"$PERFDATA" info --json out.data >info.out
has info.out "\"$(mapped foo):$(mapped up)\".*\"cycles:up\".*\"r1a8:u\""
tracing() { # VERSION [PAGE]
    local page=${2-}
    printf '\x17\x08\x44tracing%s\0\0\x08' "$1"
    le 4 4096
    printf 'header_page\0' && le 8 ${#page} && printf %s "$page" && printf 'header_event\0' && le 8 0
    le 4 0 0 0 0
    le 8 0
}
tracing 0.6 >trace
section tracing_data trace
redact feature.data out.data
# Of the page's fields those of the kernel stay, but not a line that is longer than theirs.
short=$'\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;'
long=$(printf '\tfield: char data;%-62s' secretword)
[ ${#long} = 80 ] || fail "a line of ${#long}"
tracing 0.6 "$short"$'\n'"$long"$'\n' >trace
section tracing_data trace
redact feature.data out.data
without out.data secretword
grep -qaF "$short" out.data || fail "a field of the page is gone"
tracing 0.6secret >trace
section tracing_data trace
expect 2 "$PERFDATA" redact -o no.data feature.data
has err 'tracing_data.*not known'
cp hand.data break.data
printf '\x05' | dd of=break.data bs=1 seek=104 conv=notrunc status=none
printf breakXXX | dd of=break.data bs=1 seek=160 conv=notrunc status=none
redact break.data out.data
grep -qaF breakXXX out.data || fail "the address of a breakpoint is gone"
redact break.data out.data --addrs hash
without out.data breakXXX

# Where a damaged feature is, all verbs say alike: in the file, not in the feature.
damaged=$PERFDATA_SOURCE/fuzz/regressions/file/damaged-hostname
where=$("$PERFDATA" check "$damaged" 2>&1 | grep -o 'at offset [0-9]* (0x[0-9a-f]*), feature hostname') ||
    true
[ "$where" = 'at offset 788 (0x314), feature hostname' ] || fail "check: $where"
for verb in 'redact -o no.data' 'redact -f --unknown=drop -o out.data' \
    'edit -f --rename-comm a=b -o out.data' 'edit -f --max-stack 3 -o out.data' \
    'edit -f --time-shift 5 -o out.data' 'convert -f --endian big -o out.data' \
    'convert -f --reencode -o out.data' hash 'repair -f -o out.data' 'decode -o text.json -f' info; do
    # shellcheck disable=SC2086
    alive "$PERFDATA" $verb "$damaged" >said 2>&1 || true
    ! grep -E '^perfdata.* at offset [0-9]+' said | grep -v 'at offset 788 ' || fail "$verb: $(<said)"
    grep -qF "$where" said || fail "$verb: $(<said)"
done

# Of a tracepoint's format the common fields are left, and two empty lines behind them, without which perf
# cannot read it.
if [ -r "${PERFDATA_CORPUS-}/perfparser__probe.data.file" ]; then
    redact "$PERFDATA_CORPUS/perfparser__probe.data.file" out.data
    "$PERFDATA" extract -f --tracing-data -o format out.data
    grep -a -A1 'common_pid' format | grep -qx '' || fail "the common fields do not end"
    if command -v perf >/dev/null; then
        perf script -f -i out.data >said 2>&1 || fail "perf script: $(head -c 400 said)"
        ! grep -E "expected '|FAILED TO PARSE" said || fail "the format cannot be read"
    fi
fi

# Names that are to stay do, and no other becomes one of them.
redact hand.data out.data --keep name2,secretX.so,bin
! grep -qE $'\t(name2|bin)\t' map || fail "another becomes a name that stays: $(<map)"
! grep -qE $'^(name2|bin)\t' map || fail "what stays is in the map: $(<map)"

# ---- The map and the output are two files, whatever they are called.
ln -sf o2.data link
mkdir -p sub
for names in 'o2.data o2.data' './o2.data o2.data' 'link o2.data' 'o2.data sub/../o2.data' '- /dev/stdout' \
    '/dev/fd/1 -' 'o2.data link'; do
    for there in no yes; do
        rm -f o2.data
        [ $there = no ] || : >o2.data
        expect 2 "$PERFDATA" redact -f --map "${names% *}" -o "${names#* }" hand.data
        has err 'this is the output'
        [ $there = no ] || [ ! -s o2.data ] || fail "$names: something was written"
    done
done
"$PERFDATA" convert -q --to dir -i hand.data -o hand.dir
"$PERFDATA" redact -q -o o.dir hand.dir
expect 2 "$PERFDATA" redact -f --map o.dir/map -o o.dir hand.dir
has err 'this is inside the output'
rm -f o2.data
expect 0 "$PERFDATA" redact -f --map sub/o2.data -o o2.data hand.data

# ---- A record of no event is unknown data: its numbers may be anything.
unfold <<'END' | "$PERFDATA" encode -q -f -o odd.data
{"header":{"container":"file","order":"little"}}
{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"TID|TIME|IDENTIFIER","flags":"sample_id_all"},
    "ids":["1"]}
{"attr":{"type":"SOFTWARE","config":"0x2","sample_type":"TID|TIME|IDENTIFIER","flags":"sample_id_all"},
    "ids":["2"]}
{"record":{"type":"FORK","attr":0,"fork":{"pid":7,"ppid":1,"tid":7,"ptid":1,"time":"5"},
    "sample_id":{"pid":7,"tid":7,"time":"7311146936414270583","identifier":"7955377262162766188"}}}
{"record":{"type":"SAMPLE","attr":0,"sample":{"identifier":"1","pid":7,"tid":7,"time":"10"}}}
END
expect 2 "$PERFDATA" redact -o no.data odd.data
has err 'FORK.*event id'
expect 0 "$PERFDATA" redact -f --unknown=drop -o out.data odd.data
has err '1 records FORK do not come along'
! "$PERFDATA" decode out.data | grep -q FORK || fail 'a record of no event passes'

# ---- The proof.
expect 0 "$PERFDATA" redact -f -o out.data --prove alice,buildhost7 hand.data
has err 'none of the 2 strings'
expect 1 "$PERFDATA" redact -o no.data --map no.map --paths keep --prove alice,buildhost7 hand.data
[ ! -e no.map ] || fail "a map of an output that is not there"
has err '"alice" is in record 1 of type 1 (MMAP)'
[ ! -e no.data ] || fail "an output that has what it must not"
expect 1 "$PERFDATA" redact -o no.data --hostname keep --prove @<(printf 'nobody\nbuildhost7\n') hand.data
has err '"buildhost7" is at offset .*hostname'
expect 1 "$PERFDATA" redact -o - --paths keep --prove alice hand.data
empty out

# ---- Recordings of perf.
shares() { # FILE OPTION...: percentage, comm and dso
    perf report -f -i "$@" -w 0,32,200 --no-children --sort comm,dso -g none -t '|' --stdio 2>/dev/null |
        sed '/^#/d; /|/!d; s/ *| */|/g; s/^ *//; s/ *$//'
}
rename() { # the same under the mapped names
    awk -F '\t' 'NR == FNR { if ($3 == "name") name[$1] = $2; next }
        function to(s, inner) {
            if (s ~ / [(]deleted[)]$/)
                return to(substr(s, 1, length(s) - 10)) " (deleted)"
            inner = s
            gsub(/[][]/, "", inner)
            return s in name ? name[s] : s ~ /^\[.*]$/ && inner in name ? "[" name[inner] "]" : s
        }
        { split($0, p, "|"); print p[1] "|" to(p[2]) "|" to(p[3]) }' map -
}
judged() { # ORIGINAL OUTPUT OPTION...
    shares "$1" "${@:3}" | rename | sort >want.txt
    shares "$2" "${@:3}" | sort >got.txt
    same want.txt got.txt
}
record x.data -e cpu-clock -F 1999 -g -- bash -c work
redact x.data y.data --prove md5sum,/usr/share
judged x.data y.data
"$PERFDATA" convert -q -i x.data -o x.pipe --to pipe
"$PERFDATA" convert -q -i x.data -o x.zstd -z
"$PERFDATA" convert -q -i x.data -o x.big --endian big
"$PERFDATA" convert -q -i x.data -o x.dir --to dir
for form in pipe zstd big dir; do
    redact "x.$form" "y.$form" --prove md5sum,/usr/share
    "$PERFDATA" info "y.$form" >info.out
    rm -rf plain
    "$PERFDATA" convert -q -i "y.$form" -o plain --to file --decompress --endian little
    judged x.data plain
done
"$PERFDATA" info y.zstd >info.out
has info.out '^compressed'
# Of nothing that is hashed or dropped perf stops reading what comes behind it, as that the records are
# compressed.
n=$(perf script -G -i x.zstd -F ip 2>/dev/null | wc -l)
for what in hostname cmdline paths comms pids addrs times build-ids payloads events machine; do
    for how in hash drop; do
        redact x.zstd y.zstd "--$what" $how
        [ "$(perf script -G -i y.zstd -F ip 2>/dev/null | wc -l)" = "$n" ] ||
            fail "--$what $how: perf script does not show $n samples"
        perf report --header-only -I -i y.zstd 2>/dev/null | grep -q '^# sample duration' ||
            fail "--$what $how: not all features"
    done
done
expect 1 "$PERFDATA" redact -o no.data --comms keep --prove md5sum x.zstd
has err 'COMM.*compressed'
# Through a pipe in both directions, and with all that can be hashed: still one sample for each.
"$PERFDATA" redact -q --key key1 --map map -f -o - --pids hash --times hash - <x.pipe | cat >all.pipe
"$PERFDATA" check -q all.pipe
[ "$(perf script -G -i - -F comm <all.pipe 2>/dev/null | wc -l)" = \
    "$(perf script -G -i x.data -F comm 2>/dev/null | wc -l)" ] ||
    fail "samples are missing"
for space in pid name build-id inode; do
    awk -F '\t' -v space=$space '$3 == space { print $2 }' map >to
    [ "$(sort -u to | wc -l)" = "$(wc -l <to)" ] || fail "two become the same $space"
done
# Times: as far apart as before.
gaps() { # nanoseconds, below 2^53
    awk '{ gsub(/[.:]/, ""); if (NR > 1) printf "%d\n", $1 - last; last = $1 }'
}
redact x.data y.data --times hash
perf script -i x.data --ns -F time -G 2>/dev/null | gaps >want.txt
perf script -i y.data --ns -F time -G 2>/dev/null | gaps >got.txt
same want.txt got.txt
! cmp -s <(perf script -i x.data --ns -F time -G 2>/dev/null) \
    <(perf script -i y.data --ns -F time -G 2>/dev/null) || fail "times stay"
# Registers and stacks.
record stack.data -e cpu-clock -F 499 --call-graph dwarf,4096 -- bash -c work
redact stack.data y.data
judged stack.data y.data
bytes='"data": *"[0-9a-f]*[1-9a-f]'
"$PERFDATA" dump --json stack.data >dump
has dump "$bytes"
"$PERFDATA" dump --json y.data >dump
! grep -q -e "$bytes" dump || fail "stacks stay"
redact stack.data y.data --payloads drop
"$PERFDATA" info y.data >info.out
has info.out 'sample_type .*CALLCHAIN'
! grep -qE 'sample_type .*(REGS|STACK)' info.out ||
    fail "payloads that are dropped: $(grep sample_type info.out)"

# Tracepoints: the payload is gone, but for the number of the tracepoint, without which perf script dies.
"$PERFDATA" gen -q --preset tracing -c 2000 -o tracing.data
redact tracing.data y.data
perf script -i y.data -F comm,time,event >got.txt 2>/dev/null || fail "perf script of tracepoints: $?"
[ "$(wc -l <got.txt)" = "$(perf script -i tracing.data -F comm,time,event 2>/dev/null | wc -l)" ] ||
    fail "tracepoints"
perf script -i y.data -F comm,time,event,trace >got.txt 2>/dev/null ||
    fail "perf script of tracepoints, decoded: $?"

# Of a system that is not the kernel's the number of a tracepoint stays, but nothing else in its place.
redacted_ids() { # INPUT
    redact "$1" out.data
    "$PERFDATA" extract -f --tracing-data -o format out.data
    grep -a '^ID: ' format || true
}
LC_ALL=C sed 's/sched\x00/dehcs\x00/; s/raw_syscalls\x00/other_system\x00/' tracing.data >other.data
[ "$(redacted_ids other.data | sort -u)" = "$(grep -a '^ID: ' other.data | sort -u)" ] || fail 'other numbers'
LC_ALL=C sed -E ':more; s/^(ID: s*)[0-9]/\1s/; tmore' other.data >lettered.data
grep -qaE '^ID: s+$' lettered.data || fail 'no number was changed'
! redacted_ids lettered.data | grep . || fail 'a word stands where a number was'

# Of the common fields, lines as the kernel writes them stay, with and without the sign; any other is gone.
common_lines() { # OF TO
    LC_ALL=C sed -E "s/^(\t*)$1/\1$2/" other.data >lines.data
    [ "$1" = "$2" ] || ! cmp -s other.data lines.data || fail "$1: nothing was changed"
    redact lines.data out.data
    "$PERFDATA" extract -f --tracing-data -o format out.data
    grep -a $'^\tfield:.*common_' format | sort -u | wc -l
}
[ "$(common_lines field field)" = 4 ] || fail 'the common fields of a tracepoint do not stay'
for change in 'field:unsigned char common_flags=field:my_words char common_flags' \
    '(field:int common_pid;.offset:)4=\2s' '(field:int common_pid;.*size:4;.)signed=\2secret' \
    '(field:int common_pid;.*signed:1);=\2s' '(field:unsigned short common_type;.*signed:)0;=\2;s' \
    '(field:unsigned char common_preempt_count);=\2s' 'field:(int common_pid;.*)=words:\2'; do
    [ "$(common_lines "${change%%=*}" "${change#*=}")" = 3 ] || fail "a word of a common field stays: $change"
done

# Nothing that the original tells of names, files, cgroups, build ids or the machine is in the output: neither
# in its bytes nor in those that it has compressed.
searched() { # ORIGINAL OUTPUT LEAST
    "$PERFDATA" dump --json "$1" >dump
    alive "$PERFDATA" extract -q -f --build-ids -o ids "$1" || true
    rm -rf plain
    "$PERFDATA" convert -q --decompress --to file -i "$2" -o plain
    "$PERFDATA" check -q plain
    python3 - "$2" "$3" <<'END' || fail "$2 tells of $1"
import re, socket, sys
text = open("dump", "rb").read()
stays = {b"swapper", b"vmlinux", b"[vdso]", b"[heap]", b"[stack]", b"//anon", b"kernel.kallsyms"}
stays.add(b"anon_hugepage")
words = {socket.gethostname().encode()}
for m in re.finditer(rb'"(?:comm|filename|path|prev_comm|next_comm)":"([^"]+)"', text):
    words |= {part for part in m[1].split(b"/") if part[:1] != b"["}
named = re.findall(rb'"build_id":"[0-9a-f]{40}"', text)
for m in re.finditer(rb"([0-9a-f]{40})", open("ids", "rb").read() + b"".join(named)):
    words |= {bytes.fromhex(m[1].decode()), m[1]}
words = {word for word in words if len(word) > 6} - stays # shorter ones look like addresses in call chains
found = sorted(w for w in words if any(w in open(name, "rb").read() for name in (sys.argv[1], "plain")))
if found or len(words) < int(sys.argv[2]):
    sys.exit(f"{len(words)} searched, found {found[:10]}")
END
}
record all.data -z --buildid-mmap --namespaces --all-cgroups -g -a -F 500 -e cpu-clock -- bash -c work
redact all.data y.data
searched all.data y.data 40
judged all.data y.data --tid "$(own_tasks all.data | sort -u | paste -sd ,)"
"$PERFDATA" convert -q -f -i all.data -o all.pipe --to pipe -z
redact all.pipe y.pipe
searched all.pipe y.pipe 40
redact stack.data y.data
searched stack.data y.data 10
if perf record -o trace.data -a -e sched:sched_switch,sched:sched_process_exec -- \
    bash -c work >record.log 2>&1 </dev/null; then
    redact trace.data y.data
    searched trace.data y.data 40
fi

# Memory does not grow with the recording.
flat 2000 "$PERFDATA" redact -f -o /dev/null

# A name without room for its NUL stays where it is kept. (The array is 64 bytes at offset 200 of the file.)
v1=$PERFDATA_SOURCE/corpus/conformance/container-v1.data
{ head -c 200 "$v1" && printf 'cycles,%.0s' {1..9} && printf x && tail -c +265 "$v1"; } >full.data
expect 0 "$PERFDATA" check full.data
expect 0 "$PERFDATA" redact -f -o y.data full.data
cmp -s <(head -c 264 full.data | tail -c 64) <(head -c 264 y.data | tail -c 64) ||
    fail 'the name of 64 bytes is another one'
# One that would become longer than the array is not cut: nothing is written. (It has modifiers, which stay.)
{ head -c 200 "$v1" && printf 'a:b:' && printf 'u%.0s' {1..59} && zeros 1 && tail -c +265 "$v1"; } >full.data
expect 0 "$PERFDATA" check full.data
expect 3 "$PERFDATA" redact -o no.data full.data
has err 'name: found [0-9]*, the limit is 63'
[ ! -e no.data ] || fail 'an output with a name that was cut'

# ---- Of a large record one of whose parts is dropped, neither later parts nor the end stay.
unfold <<'END' | "$PERFDATA" encode -q -f -o parts.data
{"header":{"container":"file","order":"little"}}
{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"TID|TIME"}}
{"record":{"type":"SIMPLEPERF_SPLIT","misc":0,"simpleperf_split":{"data":"61626364"}}}
{"record":{"type":"SIMPLEPERF_SPLIT","misc":0,"simpleperf_split":{}}}
{"record":{"type":"SIMPLEPERF_SPLIT_END","misc":0,"simpleperf_split_end":{}}}
{"record":{"type":"SIMPLEPERF_SPLIT","misc":0,"simpleperf_split":{}}}
{"record":{"type":"SIMPLEPERF_SPLIT_END","misc":0,"simpleperf_split_end":{}}}
END
expect 3 "$PERFDATA" redact -f --unknown=drop -o out.data parts.data
has err '2 records SIMPLEPERF_SPLIT do not come along'
has err '1 records SIMPLEPERF_SPLIT_END do not come along'
expect 3 "$PERFDATA" decode --short -f -o out.json out.data
[ "$(grep -o 'SIMPLEPERF_SPLIT[_A-Z]*' out.json | tr '\n' ' ')" = \
    'SIMPLEPERF_SPLIT SIMPLEPERF_SPLIT_END ' ] || fail "other parts: $(grep SPLIT out.json)"
