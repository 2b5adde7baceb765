#!/usr/bin/env bash
# perfdata index: with it, verbs print and write what they do without; with a wrong one they say so and read
# all. tests/property/ops/index_random.c compares the library on random recordings.
. "$(dirname "$0")/../frame_lib.sh"

"$PERFDATA" gen --preset build --count 30000 --seed 5 -o plain.data
"$PERFDATA" gen --preset database --count 30000 --seed 6 -z --frames 16K -o zstd.data
"$PERFDATA" gen --random -t SAMPLE:90,COMM:3,FORK:3,SWITCH:30,FINISHED_ROUND:2 --endian big \
    --sample-type ip,tid,time,cpu,id --count 20000 -o big.data

# ---- The same output

# Each line: what is run on a recording, whose output is in `out`.
runs='filter --time 50%-52% -q -o out -f
filter --time +1ms,+3ms -q -o out -f
filter --time 10%/7 --sideband=none -q -o out -f
filter --time 40%-43%,80%-81% --exclude-comms *s* -q -o out -f
filter --time 50%-60% --exclude-cpu 0 --dsos [kernel.kallsyms] -q -o out -f
filter --time 50%-60% -z -j2 -q -o out -f
dump --time 50%-51%
dump --json --time 33%-34%
dump -F comm,pid,tid,time,event --time 70%-71%
dump -F comm,tid,time,ip,dso --time 70%-71%
dump -j2 --time 20%-22%
report -s comm,dso --time 50%-51%
report -s time/7,event --time 50%-51%
report -s comm,tid --time 0%-3%
export --to folded --time 50%-51%,80%-81% -v
export --to parquet --time 30%-31% -o out -f
export --to pprof --time 30%-31% --pid 1000 -o out -f
info --stats
info --tasks --mmaps --json'

# all FILE DIR: each of them, into DIR. What an index adds to the output of info is left out.
all() {
    local n=0 line
    mkdir -p "$2"
    while read -r line; do
        n=$((n + 1))
        rm -f out
        set -f
        # shellcheck disable=SC2086 # words
        alive "$PERFDATA" $line "$1" >"$2/$n" 2>"$2/$n.said" || echo "status $?" >>"$2/$n.said"
        set +f
        [ ! -e out ] || mv out "$2/$n.out"
        sed -i 's/"index":{[^}]*},//' "$2/$n"
    done <<<"$runs"
}

for file in plain zstd big; do
    all $file.data without
    expect 0 "$PERFDATA" index -q --block 8K $file.data
    "$PERFDATA" index -q -j3 --block 8K -o threads.pdi $file.data -f
    cmp $file.data.pdi threads.pdi
    all $file.data with
    diff -r without with >difference || fail "$file: $(head -c 500 difference)"
    rm -r without with
    expect 0 "$PERFDATA" index -q --check $file.data
    "$PERFDATA" info $file.data | grep -q '^index ' || fail "info does not tell of the index"
done
"$PERFDATA" filter --time 50%-51% plain.data -o with.data 2>with
mv plain.data.pdi kept
"$PERFDATA" filter --time 50%-51% plain.data -o without.data 2>without
cmp with without # how many of how many

# ---- It is really used

mv kept plain.data.pdi
if command -v strace >/dev/null && strace -o trace -e trace=pread64 true 2>/dev/null; then
    read_bytes() {
        strace -f -o trace -e trace=pread64 "$@" >/dev/null 2>&1
        awk '/pread64/ {n += $NF} END {print n}' trace
    }
    for verb in dump 'report -s comm' 'export --to folded'; do
        # shellcheck disable=SC2086 # words
        some=$(read_bytes "$PERFDATA" $verb --time 50%-51% plain.data)
        mv plain.data.pdi kept
        # shellcheck disable=SC2086
        all=$(read_bytes "$PERFDATA" $verb --time 50%-51% plain.data)
        [ $((some * 3)) -lt $((all * 2)) ] || fail "$verb: with an index $some bytes are read, without $all"
        mv kept plain.data.pdi
    done
fi

# ---- Another recording, and damage

said() { # WORDS COMMAND…
    local words=$1
    shift
    "$@" >/dev/null 2>said || fail "$*: $(cat said)"
    grep -q "$words" said || fail "$*: does not say '$words': $(cat said)"
}
cp plain.data other.data
cp plain.data.pdi other.data.pdi
said 'kept' "$PERFDATA" filter --time 50%-51% other.data -o y.data
! grep -q 'not used' said || fail "the index of a copy is not used"
printf '\377' | dd of=other.data bs=1 seek=200 conv=notrunc status=none # of an attr
said 'not used, and all is read: it was made with another header or feature' "$PERFDATA" info other.data
[ -z "$("$PERFDATA" info -q other.data 2>&1 >/dev/null)" ] || fail "-q is not quiet"
expect 1 "$PERFDATA" index --check other.data
cp zstd.data other.data
said 'made with another size' "$PERFDATA" dump --time 50%-51% other.data
cp zstd.data.pdi other.data.pdi
printf 'x' | dd of=other.data.pdi bs=1 seek=1000 conv=notrunc status=none
said 'checksum' "$PERFDATA" dump --time 50%-51% other.data
expect 1 "$PERFDATA" index --check other.data
: >other.data.pdi
said 'not used' "$PERFDATA" dump --time 50%-51% other.data
expect 1 "$PERFDATA" index --check other.data
rm other.data.pdi
mkdir other.data.pdi
said 'not used' "$PERFDATA" dump --time 50%-51% other.data
rmdir other.data.pdi
expect 2 "$PERFDATA" index --check other.data # there is none

# ---- What it does not serve

said 'sideband=all' "$PERFDATA" filter --time 50%-51% --sideband=all plain.data -o y.data -f
"$PERFDATA" gen --random --sample-type tid,time,read,id --count 2000 -t SAMPLE:9,COMM:1 -o reads.data
"$PERFDATA" index -q --block 1K reads.data
said 'READ' "$PERFDATA" filter --time 50%-51% reads.data -o y.data -f
"$PERFDATA" gen --count 2000 --to pipe -o stream.data
expect 2 "$PERFDATA" index stream.data
! grep -q 'convert -z' err || fail 'a stream is not compressed'
"$PERFDATA" gen --count 2000 -z --frames 0 -o one.data
expect 2 "$PERFDATA" index one.data
has err 'convert -z'
"$PERFDATA" gen --random --sample-type ip,tid --count 2000 -o timeless.data
expect 2 "$PERFDATA" index timeless.data
"$PERFDATA" corrupt --truncate 30000 plain.data -o cut.data >said 2>&1
expect 3 "$PERFDATA" index cut.data
for file in stream one timeless cut; do
    [ ! -e $file.data.pdi ] || fail "$file has an index"
done

# ---- The command

expect 2 "$PERFDATA" index plain.data # it exists
expect 0 "$PERFDATA" index -f plain.data zstd.data
expect 2 "$PERFDATA" index -o x.pdi plain.data zstd.data
expect 2 "$PERFDATA" index -
expect 2 "$PERFDATA" index --block nothing plain.data
expect 0 "$PERFDATA" index -o x.pdi plain.data
cmp x.pdi plain.data.pdi
expect 0 "$PERFDATA" index --check -o x.pdi plain.data
expect 1 "$PERFDATA" index --check -o x.pdi zstd.data

expect 0 "$PERFDATA" index --block 9223372036854775808 -o x.pdi -f zstd.data # a block is all of it
expect 0 "$PERFDATA" index --check -o x.pdi zstd.data

# ---- A name that nobody gave: no link is followed, and a directory gets no file more

echo kept >target
rm plain.data.pdi
ln -s target plain.data.pdi
expect 2 "$PERFDATA" index plain.data
expect 2 "$PERFDATA" index -f plain.data
has err 'no regular file'
ln -sf missing plain.data.pdi
expect 2 "$PERFDATA" index -f plain.data
[ "$(cat target)" = kept ] && [ ! -e missing ] || fail 'index wrote through a link'
rm plain.data.pdi
mkfifo plain.data.pdi
expect 2 "$PERFDATA" index -f plain.data
rm plain.data.pdi
ln -s target named.pdi
expect 0 "$PERFDATA" index -f -o named.pdi plain.data
[ -L named.pdi ] || fail "named.pdi is no link any more"
expect 0 "$PERFDATA" index --check -o target plain.data
"$PERFDATA" gen --count 2000 --to dir -o x.dir
expect 2 "$PERFDATA" index x.dir/data
has err 'part of the directory'
expect 0 "$PERFDATA" check x.dir
expect 0 "$PERFDATA" index -o x.pdi -f x.dir/data

# A large record of simpleperf whose first part is left out and whose end is not is no damage.
"$PERFDATA" gen -q --random -t ALL -c 3000 --seed 2 --events 3 --features all --endian big -o parts.data
"$PERFDATA" convert -q -z --frames 4K -i parts.data -o parts.z.data
expect 0 "$PERFDATA" info parts.z.data
"$PERFDATA" index -q --block 1K parts.z.data
expect 0 "$PERFDATA" info parts.z.data
has out '^index '
