#!/usr/bin/env bash
# No verb overwrites its input, also where that is a directory, a file of one, or lies in what a directory
# would replace; what is said of inputs and temporary files that cannot be used, and in which file of a
# directory damage is. Checks R11, R16.
. "$(dirname "$0")/../frame_lib.sh"

# ---- Recordings: a.d, from which cd.d is copied for each try, has two files of records and one that perf did
# not write.
tiny >tiny.data
expect 0 "$PERFDATA" convert -i tiny.data -o a.d --to dir
cp a.d/data.0 a.d/data.1
mkdir a.d/kcore_dir
echo symbols >a.d/kcore_dir/kallsyms
mkdir plain
cp tiny.data plain/in.data

fresh() {
    rm -rf cd.d
    cp -a a.d cd.d
    cp tiny.data cd.d/in.data
    cp -a a.d cd.d/sub
    cp -a cd.d before.d
}
unharmed() {
    diff -r before.d cd.d >diff.out || fail "$* changed the input: $(head -n 3 diff.out)"
    [ -z "$(find . -name '.perfdata-*')" ] || fail "$* left $(find . -name '.perfdata-*')"
    rm -rf before.d
}
# refused WHY ARGUMENT...: status 2, one sentence that says why, and nothing has changed.
refused() {
    local why=$1
    shift
    fresh
    expect 2 "$PERFDATA" "$@"
    has err "$why"
    [ "$(wc -l <err)" = 1 ] || fail "$*: more than one sentence: $(cat err)"
    unharmed "$@"
}

# ---- The output is a directory that contains the input.
refused 'contains the input' convert -f -i cd.d/data --to dir -o cd.d
refused 'contains the input' convert -f -i cd.d/data --to dir -o cd.d/
refused 'contains the input' filter -f -i cd.d/data --to dir -o cd.d
refused 'contains the input' convert -f -i cd.d/in.data --to dir -o cd.d
refused 'contains the input' convert -f -i cd.d/sub -z -o cd.d
refused 'contains the input' filter -f -i cd.d/sub -o cd.d
refused 'contains the input' edit -f --set-feature hostname=x -i cd.d/sub -o cd.d
# By another name, and as standard input.
ln -s cd.d way
refused 'contains the input' convert -f -i way/in.data --to dir -o cd.d
rm way
fresh
ln cd.d/in.data hard.data
expect 2 "$PERFDATA" convert -f -i hard.data --to dir -o cd.d
has err 'contains the input'
"$PERFDATA" convert -f -i - --to dir -o cd.d <cd.d/in.data 2>err &&
    fail 'what contains standard input was replaced'
has err 'contains the input'
unharmed 'hard links'
# A directory whose file is a link into the one to be replaced.
cp -a a.d linked.d
ln -sf ../cd.d/data.1 linked.d/data.1
refused 'contains the input' convert -f -i linked.d -o cd.d
rm -r linked.d

# ---- It is the input, or part of it, or in it.
for name in cd.d cd.d/ ./cd.d cd.d/. cd.d/sub/..; do
    refused 'is the input' convert -f -i cd.d -o $name
    refused 'is the input' filter -f -i $name -o cd.d
done
for name in data data.0 data.1 kcore_dir/kallsyms; do
    refused 'part of the input' convert -f -i cd.d --to file -o cd.d/$name
    refused 'part of the input' filter -f -i cd.d --to file -o cd.d/$name
    refused 'part of the input' convert -f -i cd.d --to dir -o cd.d/$name
    refused 'part of the input' edit -f --set-feature hostname=x -i cd.d -o cd.d/$name
done
refused 'part of the input' filter -f -i cd.d -o cd.d/data.0
refused 'part of the input' convert -f -i cd.d -o cd.d/sub
refused 'part of the input' extract -f --feature cmdline -i cd.d -o cd.d/data.1
ln -s cd.d/data.1 soft
refused 'part of the input' convert -f -i cd.d --to file -o soft
rm soft
for way in '--to dir' '--to file' '--to pipe'; do
    # shellcheck disable=SC2086
    refused 'inside the input' convert -i cd.d $way -o cd.d/new
    # shellcheck disable=SC2086
    refused 'inside the input' filter -i cd.d $way -o cd.d/kcore_dir/new
done
ln -s cd.d/new soft
refused 'inside the input' convert -i cd.d --to file -o soft
rm soft
fresh
ln cd.d/data.1 hard.1
expect 2 "$PERFDATA" convert -f -i cd.d --to file -o hard.1
has err 'part of the input'
cp -a cd.d/. moved.d
ln -sf ../outside moved.d/data.1
cp a.d/data.1 outside
expect 2 "$PERFDATA" convert -f -i moved.d --to file -o outside
has err 'part of the input'
same a.d/data.1 outside
unharmed 'links to members'
rm -r moved.d outside hard.1

# Standard output.
fresh
for name in data data.0 data.1 kcore_dir/kallsyms; do
    for verb in convert filter; do
        "$PERFDATA" $verb -i cd.d -o - --to file 1<>cd.d/$name 2>err && fail "standard output overwrote $name"
        has err 'standard output: this is part of the input'
        "$PERFDATA" $verb -i cd.d -o /dev/fd/5 --to pipe 5>>cd.d/$name 2>err &&
            fail "a descriptor overwrote $name"
        has err 'part of the input'
    done
done
unharmed 'standard output'

# ---- What is beside the input is none of its business; nor are devices.
fresh
expect 0 "$PERFDATA" convert -i cd.d -o beside.d
for name in data data.0 data.1 in.data kcore_dir/kallsyms sub/data.1; do
    same cd.d/$name beside.d/$name
done
expect 0 "$PERFDATA" convert -f -i cd.d -o beside.d
expect 0 "$PERFDATA" convert -f -i cd.d -o cd.d.new
expect 0 "$PERFDATA" filter -f -i cd.d --to file -o beside.d/../cd.data
expect 0 "$PERFDATA" convert -i cd.d --to file -o /dev/null
expect 0 "$PERFDATA" convert -i cd.d/data -o cd.d.new/new
expect 0 "$PERFDATA" convert -f -i plain/in.data --to dir -o beside.d
unharmed 'an output elsewhere'
rm -r beside.d cd.d.new cd.data

# ---- -z has levels 1 to 22.
for verb in convert filter; do
    rm -f z.data
    for level in -z0 -z23 -z00 -z18446744073709551616 --compression-level=0 --compression-level=23; do
        expect 2 "$PERFDATA" $verb -i tiny.data -o z.data $level
        [ ! -e z.data ] || fail "$verb $level wrote something"
    done
    expect 2 "$PERFDATA" $verb -i tiny.data -o z.data -z0 -z5
    has err 'levels 1 to 22'
    for level in -z -z1 -z22 --compression-level=7; do
        expect 0 "$PERFDATA" $verb -f -i tiny.data -o z.data $level
    done
done

# ---- An input that cannot be read is not there.
for verb in info dump 'convert -o x' 'filter -o x' 'filter --time 10%-20% -o x' \
    'edit --drop-feature cmdline -o x' 'encode -o x'; do
    got=0
    # shellcheck disable=SC2086
    "$PERFDATA" $verb -i - <&- 2>err || got=$?
    [ $got = 2 ] || fail "$verb without standard input: $got, $(cat err)"
    has err 'standard input: Bad file descriptor'
    got=0
    # shellcheck disable=SC2086
    "$PERFDATA" $verb -i - <a.d 2>err || got=$?
    [ $got = 2 ] || fail "$verb with a directory as standard input: $got, $(cat err)"
done

# ---- A full temporary file is named.
many 16 >many.data
"$PERFDATA" convert -i many.data -o many.pipe --to pipe
mkdir full
# full WHAT FILE ARGUMENT...: through pipes, with a limit of the size of files that only a temporary one
# exceeds
# exceeds
full() {
    local what=$1 input=$2 got=0
    shift 2
    # shellcheck disable=SC2002
    (ulimit -f 64 && cat "$input" | TMPDIR=$dir/full "$PERFDATA" "$@" 2>err | cat >/dev/null) || got=$?
    [ $got = 4 ] || fail "$*: status $got: $(cat err)"
    has err "$what"
    [ "$(wc -l <err)" = 1 ] || fail "$*: $(cat err)"
}
full "standard input: a temporary file in $dir/full: " many.pipe filter -i - --time 10%-30% -o x.data
full "standard output: a temporary file in $dir/full: " many.pipe convert -i - -o - --to file
full "standard output: a temporary file in $dir/full: " many.data filter -i many.data -o - --to file
full 'temporary file' many.data filter -i many.data -o - --to pipe
rmdir full
full "a temporary file in $dir/full: No such" many.pipe filter -i - --time 10%-30% -o x.data
[ ! -e x.data ] || fail 'something was written'

# ---- In which file of a directory is the damage?
rm -rf cd.d bad.d
cp -a a.d bad.d
rm -r bad.d/kcore_dir
{ cat a.d/data.0 && head -c 20 a.d/data.0; } >bad.d/data.1 # the last record is cut off
for verb in info dump 'convert -f -o x.d' 'convert -f -o x.data --to file' 'convert -f -o x.pipe --to pipe' \
    'convert -f -z -o x.d' 'convert -f --endian big -o x.d' 'convert -f --reencode -o x.d' \
    'filter -f -o x.d' 'filter -f -o x.data --to file' 'filter -f --to pipe -o x.pipe' \
    'edit -f --set-feature hostname=x -o x.d'; do
    for name in bad.d bad.d/; do
        # shellcheck disable=SC2086
        expect 3 "$PERFDATA" $verb -i $name
        has err ' bad\.d/data\.1: at offset '
    done
done
# Equal damage in both, and a record that is whole but impossible: a COMM whose text does not end.
cp bad.d/data.1 bad.d/data.0
for verb in info dump 'convert -f -o x.d' 'convert -f -o x.data --to file' 'filter -f -o x.d'; do
    # shellcheck disable=SC2086
    expect 3 "$PERFDATA" $verb -q -i bad.d
    has err ' bad\.d/data\.0: at offset '
    has err ' bad\.d/data\.1: at offset '
    [ "$(wc -l <err)" = 2 ] || fail "$verb: $(cat err)"
done
cp a.d/data.0 bad.d/data.0
{ cat a.d/data.0 && le 4 9 && le 2 2 24 && le 8 0x401000 && le 4 71 71; } >bad.d/data.1
for verb in info dump 'convert -f -o x.d' 'convert -f --reencode -o x.d' 'convert -f --endian big -o x.d' \
    'convert -f -o x.data --to file' 'filter -f -o x.d' 'filter -f --to file -o x.data'; do
    # shellcheck disable=SC2086
    expect 3 "$PERFDATA" $verb -i bad.d
    has err ' bad\.d/data\.1: at offset '
done
# Damage of `data` itself; a file alone has no other name.
cp a.d/data.0 bad.d/data.1
head -c 250 a.d/data >bad.d/data
expect 3 "$PERFDATA" info bad.d
has err ' bad\.d/data: at offset '
expect 3 "$PERFDATA" info bad.d/data
has err ' bad\.d/data: at offset '

# ---- What an option has read is an input, too.
mkdir named && cd named
"$PERFDATA" edit --set-feature hostname=box -o x.data ../tiny.data
cp x.data sister.data
echo work >names
printf 'process cc1\n' >workload
printf %032d 7 >key
"$PERFDATA" extract --feature hostname -o host x.data
mkdir dir && cp key dir/key
md5sum sister.data names workload key host dir/key >sums
kept() { # COMMAND OF PERFDATA...
    expect 2 "$PERFDATA" "$@"
    has err 'never overwritten'
    md5sum --quiet -c sums || fail "overwritten: $*"
}
kept repair -f --like sister.data -i x.data -o sister.data
kept filter -f --comms file://names -i x.data -o names
kept gen -f --workload workload -o workload
kept edit -f --set-feature hostname=@host -o host x.data
kept redact -f --key key -o key x.data
kept redact -f --key key --map key -o y.data x.data
kept redact -f --prove @names -o names x.data
kept redact -f --prove @names --map names -o y.data x.data
ln -s key link
kept redact -f --key key -o link x.data
cd ..

# ---- One that perf made.
record perf.d -e page-faults --threads -- true
[ -e perf.d/data.0 ] || skip "this perf makes no directories"
cp -a perf.d kept.d
for name in data data.0; do
    expect 2 "$PERFDATA" convert -f -i perf.d --to file -o perf.d/$name
    expect 2 "$PERFDATA" convert -f -i perf.d/data --to dir -o perf.d
done
expect 2 "$PERFDATA" convert -i perf.d --to dir -o perf.d/sub
diff -r kept.d perf.d || fail 'the directory was changed'
