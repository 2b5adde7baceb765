#!/usr/bin/env bash
# perfdata convert: there and back again gives the same bytes, on small recordings and on all of the corpus;
# its messages, its exit status, and that it never leaves a partial output. Checks R8, R11.
. "$(dirname "$0")/../frame_lib.sh"

convert() { # INPUT OUTPUT OPTION...
    "$PERFDATA" convert -q -f -i "$1" -o "$2" "${@:3}" || fail "convert $*: $?"
}
checked() {
    "$PERFDATA" check -q "$1" >check.out || fail "check $1: $(head -n 3 check.out)"
}
frames() { # FILE: how many zstd frames
    LC_ALL=C grep -oaP '\x28\xb5\x2f\xfd' "$1" | wc -l
}
no_leftovers() {
    [ -z "$(find . -name '.perfdata-*')" ] || fail "left behind: $(find . -name '.perfdata-*')"
}

# ---- Every way there and back. A recording with a feature, which the first way makes one with the offsets of
# a writer.
{
    head -c 72 <(tiny_header 56) && le 8 16 0 0 0 && tail -c +105 <(tiny_header 56) && tiny_records
    le 8 320 8 && le 4 4 && printf '6.1\0'
} >first.data
checked first.data
convert first.data first.pipe --to pipe
convert first.pipe tiny.data --to file
[ "$(cmp -l first.data tiny.data | awk '{ print $1 }' || true)" = 233 ] ||
    fail "only where no ids are may differ"
checked tiny.data
convert tiny.data copy && same tiny.data copy
convert tiny.data copy --reencode && same tiny.data copy
for way in '--to pipe' '--to dir' -z --compressed2 '-z19 --compressed2' '-z --frames 1' '-z --frames 0' \
    '--endian big' '--attr-size 136' '--attr-size 72' \
    '--to pipe --endian big -z' '--to dir --compressed2 --endian big' \
    '--to pipe --attr-size 64'; do
    rm -rf there
    # shellcheck disable=SC2086
    convert tiny.data there $way
    checked there
    convert there back --to file --decompress --endian little --attr-size 128
    same tiny.data back
done
# --frames alone makes new frames of what is compressed, the same as from plain records; gen writes them, too.
"$PERFDATA" gen -q -c 20000 -o many.data
convert many.data one.z -z --frames 0
for size in 4K 256K; do
    convert many.data many.z -z --frames $size
    convert one.z again.z --frames $size
    same many.z again.z
    [ "$(frames many.z)" -gt "$(frames one.z)" ] || fail "frames of $size"
    convert many.z again.z --frames 0
    same one.z again.z
done
convert many.data again.z -z
same many.z again.z
[ "$(frames one.z)" = 1 ] || fail "one frame"
convert many.data again.data --frames 4K
same many.data again.data
# Of a stream, too, live or not; of a file that cannot seek the header alone tells that its records are
# compressed.
convert many.data many.z -z1
convert many.z many.pipe --to pipe
for input in many.z many.pipe; do
    for how in '--frames 4K' --decompress '--endian big' '--endian big --decompress' '-z3 --endian big'; do
        # shellcheck disable=SC2086
        convert "$input" seeks.z $how
        # shellcheck disable=SC2086,SC2002
        cat "$input" | "$PERFDATA" convert -q -f --to file $how -o live.z - || fail "$input $how: $?"
        checked live.z
        [ "$("$PERFDATA" hash live.z | cut -c1-32)" = "$("$PERFDATA" hash many.data | cut -c1-32)" ] ||
            fail "$input $how: other content from what cannot seek"
        [ "$(frames seeks.z)" = "$(frames live.z)" ] || fail "$input $how: other frames"
    done
done
printf '\0\0\0\0' | dd of=many.z bs=1 seek=75 count=1 conv=notrunc status=none # bit 27 of the features
convert many.z again.z --endian big
checked again.z
for how in '--endian big' --decompress '--frames 4K'; do
    # shellcheck disable=SC2086,SC2002
    cat many.z | "$PERFDATA" convert -f $how -o unmarked.z - 2>err && fail "$how: compressed, without a word"
    has err 'compressed records that no feature tells, in an input that cannot seek'
    [ ! -e unmarked.z ] || fail 'an output was left'
done
# In a directory they are found in any file of it, also where another one is damaged.
convert many.data many.dir --to dir -z1
printf '\0\0\0\0' | dd of=many.dir/data bs=1 seek=75 count=1 conv=notrunc status=none
convert many.dir plain.dir --decompress
[ "$(frames plain.dir/data.0)" = 0 ] || fail 'a directory: still compressed'
[ "$(hash_of plain.dir)" = "$(hash_of many.dir)" ] || fail 'a directory: other content'
at=$(od -An -tu8 -j40 -N8 many.dir/data)
printf '\0\0' | dd of=many.dir/data bs=1 seek=$((at + 6)) conv=notrunc status=none
rm -rf plain.dir
expect 3 "$PERFDATA" convert -q -o plain.dir --decompress many.dir
[ -s plain.dir/data.0 ] && [ "$(frames plain.dir/data.0)" = 0 ] || fail 'a directory with damage'
"$PERFDATA" convert -i many.data -o - --frames 4k5 >/dev/null 2>err && fail "no size"
grep -q 'no number of bytes' err || fail "says what a size is"
for way in 'sort' 'filter --exclude-pid 4000000' 'merge'; do
    # shellcheck disable=SC2086
    "$PERFDATA" $way -q -z --frames 4K -o frames.z many.data
    [ "$(frames frames.z)" -gt 10 ] || fail "frames by $way"
    checked frames.z
    rm frames.z
done
"$PERFDATA" gen -q -c 20000 -z --frames 4K -o frames.z
convert many.data again.z -z --frames 4K
[ "$(frames frames.z)" = "$(frames again.z)" ] || fail "frames of gen"
"$PERFDATA" convert -q -i tiny.data -o - >stdout.pipe
convert tiny.data tiny.pipe --to pipe
same tiny.pipe stdout.pipe
head -c 16 tiny.pipe | cmp - <(printf PERFILE2 && le 8 16) || fail "a pipe stream begins with its header"
"$PERFDATA" convert -q -i - -o - <tiny.pipe | cmp - tiny.pipe || fail "a stream through"
# Entries of build ids that have no pid (perf before 2.6.35) get it: records of a stream have one.
for old in "${PERFDATA_SOURCE:?}"/corpus/conformance/trap-build-id-without-pid{,.be}.data; do
    convert "$old" old.pipe --to pipe
    convert old.pipe again.data --to file
    for made in "$old" old.pipe again.data; do
        checked "$made"
        "$PERFDATA" extract --build-ids "$made" | cmp - <(
            echo '000102030405060708090a0b0c0d0e0f10111213 [kernel.kallsyms]'
            echo '100102030405060708090a0b0c0d0e0f10111213 /bin/tool'
        ) || fail "build ids of $made"
        [ "$("$PERFDATA" hash - <"$made")" = "$("$PERFDATA" hash - <"$old")" ] ||
            fail "another content: $made"
    done
    "$PERFDATA" decode old.pipe >text
    pids=$(jq -c 'select(.record.type == "HEADER_BUILD_ID").record.header_build_id.file.pid' text | sort -u)
    [ "$pids" = -1 ] || fail "pids that perf takes"
done
# shellcheck disable=SC2002
cat tiny.data | "$PERFDATA" convert -q -i - -o - --to file | cmp - tiny.data || fail "a file through pipes"
# shellcheck disable=SC2002
cat tiny.pipe | "$PERFDATA" convert -q -i - -o new.data --to file
same tiny.data new.data
rm -rf tiny.dir
convert tiny.data tiny.dir --to dir
mkdir -p tiny.dir/kcore_dir tiny.dir/kcore_dir__7
echo symbols >tiny.dir/kcore_dir/kallsyms
echo guest >tiny.dir/kcore_dir__7/modules
chmod 400 tiny.dir/kcore_dir/kallsyms
chmod 640 tiny.dir/data.0
chmod 750 tiny.dir
convert tiny.dir/ again.dir/
diff -r tiny.dir again.dir || fail "a directory is copied"
[ "$(cd tiny.dir && stat -c '%a %n' . -- * */*)" = "$(cd again.dir && stat -c '%a %n' . -- * */*)" ] ||
    fail "modes"
convert tiny.dir big.dir --endian big
convert big.dir again.dir --endian little
diff -r tiny.dir again.dir || fail "a directory, twice in the other byte order"
expect 0 "$PERFDATA" convert -f -i tiny.dir -o file.data --to file
has err 'only a directory can hold'
same tiny.data file.data
# Compressed anew, both members: the feature that says so stands in the first.
"$PERFDATA" gen -q -c 500 -z --to pipe -o small.pipe
rm -rf zip.dir
convert small.pipe zip.dir --to dir --endian big
expect 0 "$PERFDATA" extract --feature compressed zip.dir
[ "$(hash_of small.pipe)" = "$(hash_of zip.dir)" ] ||
    fail "a compressed stream as a directory"

# ---- An unfinished recording is copied as it is, and finished when asked to be a file.
{ tiny_header 0 && tiny_records; } >unfinished.data
convert unfinished.data copy && same unfinished.data copy
convert unfinished.data done.data --to file
checked done.data
"$PERFDATA" check --strict -q done.data >/dev/null || fail "it is not finished"
convert unfinished.data unfinished.pipe --to pipe
convert unfinished.pipe back --to file && same done.data back
# Bytes behind a stream stay with a stream.
{ cat tiny.pipe && printf 'thanks\n'; } >stray.pipe
convert stray.pipe a --endian big && convert a b --endian little && same stray.pipe b
# Unless they are the start of a record in the other byte order, where they would be damage.
convert tiny.pipe big.pipe --endian big
leaves_out() { # STREAM ORDER OTHER-STREAM OTHER-ORDER BYTES: these, behind the stream
    # shellcheck disable=SC2059
    { cat "$1" && printf "$5"; } >stray.pipe
    checked stray.pipe
    convert stray.pipe a --endian "$2" && same stray.pipe a
    expect 0 "$PERFDATA" convert -f --endian "$4" -i stray.pipe -o a
    has err 'bytes that are no record do not come along: in the other byte order a record would begin like'
    same "$3" a
}
for bytes in '\0' '\0\0\0\11'; do
    leaves_out tiny.pipe little big.pipe big "$bytes"
done
for bytes in '\n' '\104' '\11\0\0\0'; do
    leaves_out big.pipe big tiny.pipe little "$bytes"
done

# ---- What is told.
expect 0 "$PERFDATA" convert -f -i tiny.data -o out.data --endian big
empty err
# A record type that nobody knows keeps its content.
{ tiny_header 72 && tiny_records && le 4 200 && le 2 0 16 && le 8 1; } >new.data
expect 0 "$PERFDATA" convert -f -i new.data -o out.data --endian big
has err 'in the old byte order still: 1 200'
expect 0 "$PERFDATA" convert -q -f -i new.data -o out.data --endian big
empty err
convert out.data back --endian little && same new.data back
# So does what follows registers of an unknown abi, and what an attr has behind the known fields.
set="$PERFDATA_SOURCE/corpus/conformance"
expect 0 "$PERFDATA" convert -f -i "$set/trap-regs-abi.data" -o out.data --endian big
has err 'in the old byte order still: bytes behind unknown registers of 2 SAMPLE$'
convert out.data back --endian little && same "$set/trap-regs-abi.data" back
cat >tail.jsonl <<'END'
{"header":{"container":"file","attr_size":152}}
{"attr":{"type":"SOFTWARE","size":152,"sample_type":"IP|TID|TIME","tail":"0102030405060708"}}
END
"$PERFDATA" encode -f -o tail.data tail.jsonl || fail 'encode an attr with a tail'
expect 0 "$PERFDATA" convert -f -i tail.data -o out.data --endian big
has err 'in the old byte order still: unknown fields of 1 attrs$'
expect 0 "$PERFDATA" convert -f -i "$set/trap-regs-abi.data" -o out.data --to pipe
empty err
{ head -c 184 tiny.data && le 8 1 && tail -c +193 tiny.data; } >regs.data
expect 2 "$PERFDATA" convert -f -i regs.data -o out2 --attr-size 64
has err '"*--attr-size 64 would lose a field'
has err 'sample_regs_user'
[ ! -e out2 ] || fail "an output although it was refused"

# ---- Damage: the intact part is converted, status 3.
head -c 290 tiny.data >cut.data
for to in file pipe dir; do
    rm -rf out.$to
    expect 3 "$PERFDATA" convert -i cut.data -o out.$to --to $to
    has err 'cut.data: at offset'
    checked out.$to
    "$PERFDATA" dump --json out.$to | grep '"COMM"' >/dev/null ||
        fail "the intact record does not come along to $to"
done
no_leftovers
# A sample that contradicts its own layout, here without the time that its attr requires: every conversion
# reports it, as check does.
{
    tiny_header 80 && tiny_records
    le 4 9 && le 2 2 24 && le 8 0x401000 && le 4 71 71
} >odd.data
"$PERFDATA" convert -q -f -i odd.data -o odd.pipe --to pipe 2>/dev/null || [ $? = 3 ]
for f in odd.data odd.pipe; do
    expect 3 "$PERFDATA" check -q $f
    for way in '' --reencode '--to file' '--to pipe' '--to dir' -z '--endian big' '--attr-size 136'; do
        rm -rf odd.out
        # shellcheck disable=SC2086
        expect 3 "$PERFDATA" convert -q -i $f -o odd.out $way
        has err 'SAMPLE.*time'
    done
    "$PERFDATA" convert -q -f -i $f -o copy 2>/dev/null || [ $? = 3 ]
    same $f copy
    "$PERFDATA" convert -q -f -i $f -o there --endian big 2>/dev/null || [ $? = 3 ]
    "$PERFDATA" convert -q -f -i there -o back --endian little 2>/dev/null || [ $? = 3 ]
    same $f back
done

# Records of merged files have the numbers that check gives them.
convert tiny.data cut.dir --to dir
cp cut.dir/data.0 cut.dir/data.1
head -c -5 cut.dir/data.1 >cut.dir/data.2
expect 3 "$PERFDATA" check -q cut.dir
number=$(grep -o 'record [0-9]* of type' out)
for to in file pipe; do
    expect 3 "$PERFDATA" convert -q -f -i cut.dir -o cut.out --to $to
    has err "data.2: .*$number"
    checked cut.out
done
# One member follows `data`, unless `data` has records of later times: they come in the order of time.
"$PERFDATA" gen -q -c 1000 --seed 3 -f -o ordered.data
convert ordered.data late.dir --to dir
last=$("$PERFDATA" decode --short ordered.data | grep '"SAMPLE"' | tail -n 1)
"$PERFDATA" decode --short late.dir/data |
    awk -v last="$last" '!done && /"feature"/ { print last; done = 1 } { print }' |
    "$PERFDATA" encode -q -f -o late.dir/data -
samples=$("$PERFDATA" dump -F time ordered.data | wc -l)
for to in file pipe; do
    convert late.dir late.out --to $to
    "$PERFDATA" dump -F time late.out >times
    sort -n -c times || fail 'a late record of `data` does not come late'
    [ "$(wc -l <times)" = $((samples + 1)) ] || fail "samples: $(wc -l <times)"
done
# Compressed records that cannot be read are left out, or stay if the container is only copied.
many 15 >many.data
convert many.data many.z -z
convert many.z many.zpipe --to pipe
for f in many.z many.zpipe; do
    size=$(stat -c %s $f)
    head -c $((size - size / 4)) $f >short
    { head -c $((size / 2)) $f && printf 'XXXXXXXX' && tail -c +$((size / 2 + 9)) $f; } >broken
    for in in short broken; do
        expect 3 "$PERFDATA" check -q $in
        other=pipe # a file that is asked to be a file is copied
        [ $f = many.z ] || other='file'
        for way in "--to $other" '--to dir' -z --decompress '--endian big'; do
            rm -rf out.z
            # shellcheck disable=SC2086
            expect 3 "$PERFDATA" convert -q -i $in -o out.z $way
            checked out.z
        done
        "$PERFDATA" convert -q -f -i $in -o copy 2>/dev/null || [ $? = 3 ]
        same $in copy
    done
done

# ---- Wrong usage, and outputs that cannot be.
expect 2 "$PERFDATA" convert -i tiny.data
expect 2 "$PERFDATA" convert -i tiny.data -o x --to tape
has err 'tape'
expect 2 "$PERFDATA" convert -i tiny.data -o x --endian middle
expect 2 "$PERFDATA" convert -i tiny.data -o x --attr-size 65
expect 2 "$PERFDATA" convert -i tiny.data -o x -z23
expect 2 "$PERFDATA" convert -i tiny.data -o x -z --decompress
expect 2 "$PERFDATA" convert -i tiny.data -o x --frames 64K --decompress
has err "exclude each other"
expect 2 "$PERFDATA" convert -i tiny.data -o - --to dir
expect 2 "$PERFDATA" convert -i nothing.data -o x
expect 2 "$PERFDATA" convert -i tiny.data -o tiny.data -f
has err 'never overwritten'
expect 2 "$PERFDATA" convert -i tiny.dir -o tiny.dir/ -f
expect 2 "$PERFDATA" convert -i tiny.data -o back
has err '-f replaces it'
expect 2 "$PERFDATA" convert -i tiny.data -o again.dir --to dir
mkdir other && touch other/precious
expect 2 "$PERFDATA" convert -i tiny.data -o other --to dir -f
[ -e other/precious ] || fail "a directory that is no recording was replaced"
expect 4 "$PERFDATA" convert -i tiny.data -o /nowhere/x --to dir
expect 4 "$PERFDATA" convert -i tiny.data -o /nowhere/x
expect 0 "$PERFDATA" convert -f -i tiny.data -o back --to dir
[ -d back ] || fail "with -f a directory takes the place of a file"
checked back
expect 2 "$PERFDATA" convert -f -i tiny.data -o back
rm -r back
expect 0 "$PERFDATA" convert -f --compression-level=3 -i tiny.data -o z.data
expect 0 "$PERFDATA" convert -f -z -i tiny.data -o -
no_leftovers

# ---- Memory does not grow with the recording; 2^18 samples are 8 MiB.
many 18 >many.data
for way in '--to pipe' -z '--endian big' '--to dir'; do
    # shellcheck disable=SC2086
    peak=$(peak_memory "$PERFDATA" convert -q -f -i many.data -o many.out $way)
    [ "$peak" -lt "$(most_memory 8000)" ] || fail "$way: $peak kB"
    rm -rf many.out
done

# ---- Records of many unknown types: each of the first has its own count, the others are counted together

{
    printf 'PERFILE2\20\0\0\0\0\0\0\0'
    for type in {1000..1079}; do
        record=$(printf '%04x' "$type")
        for _ in 1 2; do printf "\\x${record:2}\\x${record:0:2}\0\0\0\0\20\0content."; done
    done
} >many.types
expect 0 "$PERFDATA" convert --endian big -o many.big many.types
has err ' 2 1000, .* 2 1063, 32 of other types$'
expect 0 "$PERFDATA" redact --unknown drop -o many.dropped many.types
[ "$(grep -c ' 2 records 10[0-9][0-9] do not come along' err)" = 64 ] || fail "not 64 types are told"
has err ' 32 records of other types do not come along'

# ---- The corpus.
[ -n "${PERFDATA_CORPUS:-}" ] || {
    echo "the corpus is not there: only small recordings were converted"
    exit 0
}
rm -rf there
n=0
mapfile -t recordings < <(corpus_files 4)
for f in "${recordings[@]}"; do
    alive "$PERFDATA" check -q "$f" >/dev/null 2>&1 || continue
    convert "$f" copy
    same "$f" copy
    other=big
    [ "$(head -c 8 "$f")" = 2ELIFREP ] && other=little
    convert "$f" there --endian $other
    "$PERFDATA" info there 2>&1 >/dev/null | grep -v 'only 1 bytes are left' >err &&
        fail "$f --endian $other: $(head -n 1 err)"
    # A single byte behind a stream may look like the start of a record in the other order: status 3, and it
    # stays.
    "$PERFDATA" convert -q -f -i there -o back --endian "$([ $other = big ] && echo little || echo big)" \
        2>err || [ $? = 3 ]
    if [ -n "$("$PERFDATA" dump --json "$f" 2>/dev/null | grep -m 1 '"COMPRESSED')" ]; then
        # A zstd stream is made anew: the records in it are what stays.
        convert "$f" plain --decompress
        convert back back.plain --decompress
        same plain back.plain
    else
        same "$f" back
    fi
    # A file loses nothing of a stream, nor a stream of a file.
    for to in file pipe dir; do
        rm -rf there
        convert "$f" there --to $to
        "$PERFDATA" check -q there >check.out 2>&1 || fail "$f --to $to: $(head -n 2 check.out)"
        convert there once --to file --decompress
        convert once pipe --to pipe
        convert pipe twice --to file
        convert twice pipe2 --to pipe
        convert pipe2 thrice --to file
        same twice thrice
    done
    rm -r there
    convert "$f" there -z
    checked there
    convert there plain --decompress
    convert there there2 --compressed2
    convert there2 plain2 --decompress
    same plain plain2
    n=$((n + 1))
done
echo "$n recordings of the corpus"
[ "$n" -gt "$(least 10)" ] || fail "only $n recordings of the corpus"

# The level of a stream is that of its feature, unless another one is asked for.
"$PERFDATA" gen -q -f -c 500 --to pipe -o stream
"$PERFDATA" convert -q -f -z7 -o level7 stream
for ask in '--compressed2 7' '-z3 3'; do
    read -r option level <<<"$ask"
    "$PERFDATA" convert -q -f "$option" -o levels level7
    "$PERFDATA" dump levels | grep -A3 'feature: compressed' | grep -q "level: $level$" ||
        fail "$option: not level $level"
done
