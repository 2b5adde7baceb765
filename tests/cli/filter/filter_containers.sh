#!/usr/bin/env bash
# perfdata filter writes what it reads: a directory makes a directory, compressed records stay compressed, a
# stream makes a stream, version 1 stays version 1; unless something else is asked for.
. "$(dirname "$0")/../filter_lib.sh"

container() { # FILE CONTAINER
    expect 0 "$PERFDATA" info "$1"
    has out "^container *$2"
}
# kept FILE WANTED: the records of a filtered recording, whatever holds them, in the order of its parts.
records() {
    "$PERFDATA" dump "$1" | sed -n 's/^0x[^[]*\[\(0x[^]]*\)\]: */\1 /p' |
        grep -v -e ' COMPRESSED' -e ' HEADER_' || true
}

# level FILE: that of the COMPRESSED feature, as perf shows it; without perf, 7.
level() {
    if command -v perf >/dev/null; then
        perf report --header-only -I -i "$1" 2>/dev/null |
            sed -n 's/^# compressed : Zstd, level = \([0-9]*\),.*/\1/p'
    else
        echo 7
    fi
}

# ---- A small directory, by hand: samples in two data.N files, one of them empty, and files of other kinds.
tiny >tiny.data
expect 0 "$PERFDATA" convert -q -i tiny.data -o dir --to dir
tail -c 32 tiny.data >dir/data.0
{ tail -c 32 tiny.data && tail -c 32 tiny.data; } >dir/data.1
: >dir/data.2
chmod 640 dir/data.1
chmod 750 dir
mkdir dir/kcore_dir
echo symbols >dir/kcore_dir/kallsyms
chmod 400 dir/kcore_dir/kallsyms
expect 0 "$PERFDATA" filter -i dir -o out.dir --tid 71
has err 'kept 3 of 3 samples and 1 of 1 other'
diff -r dir out.dir || fail 'a directory that is kept whole'
[ "$(cd dir && stat -c '%a %n' . -- * */*)" = "$(cd out.dir && stat -c '%a %n' . -- * */*)" ] || fail 'modes'
expect 0 "$PERFDATA" check out.dir
expect 0 "$PERFDATA" filter -f -i dir/ -o out.dir/ --limit 2
has err 'kept 2 of 3 samples and 1 of 1 other'
[ "$(stat -c '%s %n' out.dir/data.*)" = \
    "$(printf '%s\n' '32 out.dir/data.0' '32 out.dir/data.1' '0 out.dir/data.2')" ] ||
    fail "samples are not where they were: $(stat -c '%s %n' out.dir/data.*)"
expect 2 "$PERFDATA" filter -i dir -o out.dir
has err '-f replaces it'
expect 2 "$PERFDATA" filter -f -i dir -o dir
has err 'never overwritten'
expect 2 "$PERFDATA" filter -i dir -o - --to dir
expect 0 "$PERFDATA" filter -i dir -o one.data --to file
has err 'only a directory can hold'
container one.data file
expect 0 "$PERFDATA" filter -q -i dir -o one.pipe --to pipe
container one.pipe 'pipe stream'
"$PERFDATA" filter -q -i dir -o - >two.pipe
same one.pipe two.pipe
for f in one.data one.pipe; do
    expect 0 "$PERFDATA" check $f
    [ "$("$PERFDATA" dump --json $f | grep -c '"SAMPLE"')" = 3 ] || fail "samples in $f"
done
expect 0 "$PERFDATA" filter -q -i one.pipe -o made.dir --to dir
container made.dir directory
# Damage ends one file, not the others.
printf '\11' >>dir/data.0
expect 3 "$PERFDATA" filter -f -i dir -o out.dir
has err 'kept 3 of 3 samples'
expect 0 "$PERFDATA" check out.dir
[ -z "$(find . -name '.perfdata-*')" ] || fail "left behind: $(find . -name '.perfdata-*')"

# ---- Compression: as in the input, or as asked.
for type in COMPRESSED COMPRESSED2; do
    option=-z7
    [ $type = COMPRESSED ] || option='-z7 --compressed2'
    for to in file pipe dir; do
        rm -rf in.$to out.$to plain.$to
        # shellcheck disable=SC2086
        expect 0 "$PERFDATA" convert -q -i "$PERFDATA_SOURCE/corpus/callgraph.data" -o in.$to --to $to $option
        expect 0 "$PERFDATA" filter -q -i in.$to -o out.$to -c sha256sum
        expect 0 "$PERFDATA" filter -q -i in.$to -o plain.$to -c sha256sum --decompress
        expect 0 "$PERFDATA" check out.$to plain.$to
        "$PERFDATA" dump out.$to | grep -c ": $type\$" >n || fail "no $type records in $to"
        ! "$PERFDATA" dump plain.$to | grep -q ': COMPRESSED' || fail "compressed records in $to"
        [ "$(level out.$to)" = 7 ] || fail "level of $type in $to: $(level out.$to)"
        expect 1 "$PERFDATA" extract --feature compressed plain.$to
        records out.$to >got
        records plain.$to >wanted
        same wanted got
        rm -rf again.$to
        expect 0 "$PERFDATA" filter -q -i plain.$to -o again.$to --compression-level=7
        [ "$(level again.$to)" = 7 ] || fail "--compression-level=7 in $to: $(level again.$to)"
        expect 0 "$PERFDATA" check again.$to
        [ $to != file ] || expect 0 "$PERFDATA" filter -q -f -i plain.$to -o again.pipe -z --to pipe
        [ $to != file ] || "$PERFDATA" dump again.pipe | grep -q ': COMPRESSED' ||
            fail '-z to another container'
        if command -v perf >/dev/null && [ $type = COMPRESSED ]; then
            perf script --no-inline -i in.$to -c sha256sum >wanted 2>/dev/null
            perf script --no-inline -i out.$to >got 2>/dev/null
            same wanted got
            perf script --no-inline -i again.$to >got 2>/dev/null
            same wanted got
        fi
        latest=${PERFDATA_PERF_LATEST:-$PERFDATA_SOURCE/../shared/tools/perf-latest}
        if [ -x "$latest" ]; then
            "$latest" script --no-inline -i plain.$to >wanted 2>/dev/null
            "$latest" script --no-inline -i out.$to >got 2>/dev/null
            same wanted got
        fi
    done
done
expect 2 "$PERFDATA" filter -i tiny.data -o no.data -z23
expect 2 "$PERFDATA" filter -i tiny.data -o no.data -z --decompress
[ ! -e no.data ] || fail 'output after wrong usage'

# ---- Version 1 stays version 1, and is finished.
{ printf PERFFILE && tiny_header 0 | tail -c +9 && tiny_records; } >v1.wide
{
    printf PERFFILE
    le 8 104 80 104 80 184 56 0 0
    zeros 32
    le 4 1 64 && le 8 0 1000 7 0 0 && zeros 16 && le 8 0 0
    tiny_records
} >v1.data
expect 0 "$PERFDATA" check v1.data
expect 0 "$PERFDATA" filter -q -i v1.data -o v1.out --tid 71
[ "$(head -c 8 v1.out)" = PERFFILE ] || fail 'version 1 is lost'
expect 0 "$PERFDATA" check --strict v1.out
if command -v perf >/dev/null; then
    script -i v1.data >wanted
    script -i v1.out >got
    same wanted got
fi
