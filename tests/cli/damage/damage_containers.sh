#!/usr/bin/env bash
# Containers that are damaged or incomplete: the exit status and the sentence that each verb has for them.
# Checks R12.
. "$(dirname "$0")/../frame_lib.sh"

# ---- A directory without `data` is a missing input.
tiny >tiny.data
mkdir none
for verb in info check dump 'filter -o out.data' 'convert --to file -o out.data'; do
    # shellcheck disable=SC2086 # the verb and its options
    expect 2 "$PERFDATA" $verb none
    empty out
    [ "$(wc -l <err)" = 1 ] || fail "$verb: more than one sentence: $(cat err)"
    has err 'none: .*"data".*No such file or directory$'
done
mkdir none/data
expect 2 "$PERFDATA" info none
has err 'Is a directory$'
expect 2 "$PERFDATA" info nowhere
expect 2 "$PERFDATA" info none tiny.data # the others are read all the same
has out '^file *tiny.data$'

# ---- Files of a directory: what is missing is named by every verb, the rest is read.
expect 0 "$PERFDATA" convert --to dir -o whole tiny.data
[ -e whole/data.0 ] || fail 'no data.0'
each_verb() { # DIRECTORY STATUS PATTERN
    local verb
    for verb in info check dump 'filter -f -o out.kept' 'convert -f --to file -o out.data' \
        'convert -f --to dir -o out.dir'; do
        # shellcheck disable=SC2086
        expect "$2" timeout 20 "$PERFDATA" $verb "$1"
        [ -z "$3" ] || [ "$(cat out err | grep -c "$3")" = 1 ] ||
            fail "$verb $1: not once \"$3\": $(cat out err)"
    done
}
each_verb whole 0 ''
damaged() { # NAME STATUS PATTERN COMMAND...
    local name=$1 status=$2 pattern=$3
    shift 3
    rm -rf "$name"
    cp -r whole "$name"
    (cd "$name" && "$@")
    each_verb "$name" "$status" "$pattern"
}
damaged kcore 0 '' mkdir kcore_dir
damaged empty_member 0 '' cp /dev/null data.1
damaged others 0 '' mkdir data.d
damaged gap 3 'number of the next data.N file: found 2, expected 1' cp data.0 data.2
damaged subdirectory 3 'data.1: it is not there, or no file: Is a directory' mkdir data.1
damaged dangling 3 'data.1: it is not there, or no file: No such file' ln -s nowhere data.1
damaged waiting 3 'data.1: it is not there, or no file: Invalid argument' mkfifo data.1
damaged none_left 3 'data.N files: found 0, expected 1' rm data.0
expect 3 "$PERFDATA" info subdirectory
has out 'SAMPLE  *1 '
cp -r whole link_to_file
mv link_to_file/data.0 link_to_file/elsewhere
ln -s elsewhere link_to_file/data.0
expect 0 "$PERFDATA" info link_to_file
has out 'SAMPLE  *1 '

# ---- Cut off at every byte. A stream may end between two records, a file may not.
expect 0 "$PERFDATA" convert --to pipe -o tiny.pipe tiny.data
expect 0 "$PERFDATA" dump --json tiny.pipe
ends=" 16 $(sed -n 's/.*"offset":"\([0-9]*\)".*/\1/p' out | tr '\n' ' ') $(stat -c %s tiny.pipe) "
# All at once, and some by themselves: with full effort all. Those that are told to be cut must be those that
# are.
mkdir cut
cut_all() { # FILE
    local n
    rm -f cut/*
    for ((n = 0; n < $(stat -c %s "$1"); n++)); do
        head -c "$n" "$1" >cut/$n
    done
    expect 3 "$PERFDATA" info cut/*
    sed -n 's/^perfdata info: cut\/\([0-9]*\): .*offset [0-9].*/\1/p' err | sort -nu >told
}
alone() { full || [ $(($1 % 7)) = 0 ] || [[ $ends == *" $1 "* ]]; }
size=$(stat -c %s tiny.pipe)
cut_all tiny.pipe
for ((n = 0; n < size; n++)); do [[ $ends == *" $n "* ]] || echo "$n"; done >want
same want told
cp tiny.pipe "cut/$size"
for ((n = 0; n <= size; n++)); do
    alone $n || continue
    want=3
    [[ $ends != *" $n "* ]] || want=0
    expect $want "$PERFDATA" info cut/$n
    got=0
    cat cut/$n | "$PERFDATA" check - >out 2>err || got=$?
    [ $got = $want ] || fail "check - of $n bytes: $got"
done
cut_all tiny.data
seq 0 $(($(stat -c %s tiny.data) - 1)) >want
same want told
for ((n = 0; n < $(stat -c %s tiny.data); n++)); do
    alone $n || continue
    expect 3 "$PERFDATA" info cut/$n
    got=0
    cat cut/$n | "$PERFDATA" info - >out 2>err || got=$?
    [ $got = 3 ] || fail "info - of $n bytes: $got"
    has err 'offset [0-9]'
    if grep -q 'bytes follow' out; then fail "info - of $n bytes: $(grep 'bytes follow' out)"; fi
done

# ---- Overlapping sections of a file through a pipe are told once.
# Event types inside the data
{ head -c 48 tiny.data && le 8 56 280 8 && tail -c +73 tiny.data; } >overlap.data
# Attrs that begin inside the header
{ head -c 24 tiny.data && le 8 96 && tail -c +33 tiny.data; } >overlap.data
expect 3 "$PERFDATA" info overlap.data
[ "$(grep -c 'inside another' err)" = 1 ] || fail "overlap: $(cat err)"
cat overlap.data | "$PERFDATA" info - >out 2>err && fail 'overlap in a stream: status 0'
[ "$(grep -c 'inside another' err)" = 1 ] || fail "overlap in a stream: $(cat err)"

# ---- What stands behind the last record of a stream, and where.
for tail in x '[ perf record: Captured and wrote 0.010 MB - ]' "$(head -c 5000 /dev/zero | tr '\0' .)"; do
    { cat tiny.pipe && printf %s "$tail"; } >tail.pipe
    expect 0 "$PERFDATA" info tail.pipe
    has out "^note: at offset $size: ${#tail} bytes follow the last record"
    cat tail.pipe | "$PERFDATA" info - >out 2>err || fail "tail in a stream: $(cat err)"
    has out "^note: at offset $size: ${#tail} bytes follow the last record"
    # Byte by byte, as a slow writer gives them.
    if [ ${#tail} -lt 100 ]; then
        dd if=tail.pipe bs=1 status=none | "$PERFDATA" info - >out 2>err || fail "slow tail: $(cat err)"
        has out "^note: at offset $size: ${#tail} bytes follow the last record"
    fi
done

# ---- Damaged compressed data: records before and behind it are there, each loss has a sentence.
{ tiny_sample 5000000200 && tiny_sample 5000000300; } >two
{
    chunk start <two
    { le 4 81 && le 2 0 16 && le 1 6 0 0 0 0 0 0 0; } # a block of the reserved type
    chunk <two
    chunk start <two
} >chunks
{ tiny_header $((56 + $(stat -c %s chunks))) && tiny_records && cat chunks; } >lost.data
expect 3 "$PERFDATA" info lost.data
has out '^ *SAMPLE *5 '
has out '^ *COMPRESSED *4 '
has err 'at offset 385 .*: the compressed data is damaged'
has err "at offset 401 .*COMPRESSED records passed over since the damage before"
[ "$(wc -l <err)" = 2 ] || fail "lost.data: $(cat err)"
for verb in check dump 'filter -f -o out.data' 'convert -f --decompress -o out.data'; do
    # shellcheck disable=SC2086
    expect 3 "$PERFDATA" $verb lost.data
    grep -q 'at offset 385 ' out err || fail "$verb: $(cat err)"
done

# ---- A bomb: half a gigabyte of records out of one chunk is more than allowed, and never in memory.
{
    printf '\x28\xb5\x2f\xfd\0\x38'
    for ((i = 0; i < 4096; i++)); do printf '\x02\0\x10\x08'; done # 131072 bytes of 8: records of 2056 bytes
} >bomb
{ tiny_header $((64 + $(stat -c %s bomb))) && tiny_records && le 4 81 && le 2 0 $((8 + $(stat -c %s bomb))) &&
    cat bomb; } >bomb.data
expect 3 "$PERFDATA" info bomb.data
has err 'at offset 304 .*decompressed size: found 268435457, the limit is 268435456'
has out '^records *130564,'
small=$(peak_memory "$PERFDATA" info tiny.data)
large=$(peak_memory "$PERFDATA" info bomb.data)
little_more "$small" "$large" 6000 || fail "a bomb takes $large kB, a small file $small kB"

# ---- What is damaged in a record of perf in another file of a directory than `data`: every verb says so,
# with that file and place.
"$PERFDATA" gen -q -c 400 --to dir -o tool
cp tool/data.0 tool/data.1
# HOSTNAME: a text of 99 bytes in none
printf '\120\0\0\0\0\0\030\0\003\0\0\0\0\0\0\0\143\0\0\0\0\0\0\0' >>tool/data.1
place=$(($(stat -c %s tool/data.0) + 16 + 4)) # behind the size of the text
for verb in check info dump hash 'sort -n' 'sort -f -o out.data' 'sort -f --to dir -o out.dir' \
    'merge -f -o out.data' 'merge -a -f -o out.data' 'filter -f -o out.data' \
    'convert -f --to file -o out.data' 'convert -f --to dir -o out.dir' 'convert -f -z --to dir -o out.dir' \
    'split -f --chunks 2 -o piece-%d'; do
    rm -rf out.dir out.data
    # shellcheck disable=SC2086
    "$PERFDATA" help ${verb%% *} | grep -q -e --to || [[ $verb != *--to* ]] || continue
    # shellcheck disable=SC2086
    expect 3 timeout 20 "$PERFDATA" $verb tool
    [ "$(cat out err | grep -c "data.1: .*at offset $place .*hostname")" = 1 ] || fail "$verb: $(cat out err)"
done

# ---- In a member of a directory, every verb gives a damaged record the number that check gives it.
"$PERFDATA" gen -q -c 3000 --to dir -o three.dir
cp three.dir/data.0 three.dir/data.1
cp -r three.dir whole.dir
"$PERFDATA" convert -q -z --frames 4K -i three.dir -o threez.dir
truncate -s -10 three.dir/data.1 threez.dir/data.1
numbers() { grep -a -h 'data.1.*at offset' out err | grep -a -o ' record [0-9]*' | sort -u; }
for dir in three.dir threez.dir; do
    expect 3 "$PERFDATA" check "$dir"
    want=$(numbers)
    [ "${want# record }" -gt 5900 ] || fail "$dir: check says '$want': $(cat out)"
    for verb in 'convert -f -o x.out' 'convert -f -z -o x.out' 'convert --endian big -f -o x.out' \
        'convert --to file -f -o x.file' 'convert --decompress -f -o x.out' 'filter -f -o x.out' \
        'redact -f -o x.out' 'sort -f -o x.out' 'sort -n' hash info report 'export --to folded' \
        'cmp whole.dir' 'merge -f -o x.file whole.dir' dump; do
        rm -rf x.out
        # shellcheck disable=SC2086
        "$PERFDATA" $verb "$dir" >out 2>err || true
        [ "$(numbers)" = "$want" ] || fail "$verb $dir: '$(numbers)', check says '$want': $(head -c 500 err)"
    done
done
