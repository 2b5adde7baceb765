#!/usr/bin/env bash
# The output file of a verb that writes a recording: files that are never overwritten, files that are
# replaced, outputs written in place, and that an error or a signal leaves nothing behind.
. "$(dirname "$0")/../frame_lib.sh"
tiny >in.data
chmod 640 in.data
filter() {
    "$PERFDATA" filter -q "$@"
}
expect 0 filter -o reference.data in.data
has reference.data PERFILE2
[ "$(stat -c %a reference.data)" = 640 ] || fail "mode $(stat -c %a reference.data), the input has 640"
filter --to file -o - - <in.data | cat >piped.data
expect 0 "$PERFDATA" check piped.data

# No trace of temporary files.
clean() {
    local left
    left=$(find . -name '.perfdata-*' -o -name '*.new*')
    [ -z "$left" ] || fail "$1 left $left"
}
clean success

# An existing file only with -f; with it a new file, with the input's mode.
expect 2 filter in.data
has err 'where to'
echo precious >there
expect 2 filter -o there in.data
has err 'there: the file exists; -f replaces it'
[ "$(cat there)" = precious ] || fail 'an existing file was written'
chmod 444 there
expect 0 filter -f -o there in.data
same reference.data there
[ "$(stat -c %a there)" = 640 ] || fail "mode $(stat -c %a there) after -f"
expect 2 filter -f -o . in.data
has err 'directory'

# Never the input, under any name.
cp in.data copy
ln in.data hard
ln -s in.data soft
for name in in.data ./in.data hard soft; do
    expect 2 filter -f -o $name in.data
    has err 'is the input'
    expect 2 filter -f -o in.data -i $name
done
filter -f -o in.data - <in.data 2>err && fail 'standard input was overwritten'
has err 'is the input'
filter --to file -o - in.data 1<>in.data 2>err && fail 'the input was overwritten through standard output'
filter --to file -o - in.data >>in.data 2>err && fail 'the input was appended to'
has err 'is the input'
same copy in.data
clean 'refusing the input'

# Symbolic links lead to the output.
mkdir sub
ln -s sub/target link
expect 0 filter -o link in.data
[ -L link ] || fail 'the link was replaced'
same reference.data sub/target
expect 2 filter -o link in.data
echo old >sub/target
expect 0 filter -f -o link in.data
[ -L link ] || fail 'the link was replaced with -f'
same reference.data sub/target
ln -s loop loop
expect 4 filter -o loop in.data

# Whatever is no regular file is written in place, without -f.
expect 0 filter -o /dev/null in.data
[ -c /dev/null ] || fail '/dev/null was replaced'
expect 4 filter -o /dev/full in.data
has err '/dev/full: No space left'
mkfifo fifo
cat fifo >out.data &
expect 0 filter -o fifo in.data
wait $!
same reference.data out.data
[ -p fifo ] || fail 'the FIFO was replaced'
filter -o /dev/stdout in.data >out.data
same reference.data out.data
filter -o /dev/fd/5 in.data 5>out.data
same reference.data out.data
{ printf 'before' && filter --to file -o - in.data; } >out.data
{ printf 'before' && cat reference.data; } >expected
same expected out.data
echo line >out.data
filter --to file -o - in.data >>out.data
{ echo line && cat reference.data; } >expected
same expected out.data
if command -v script >/dev/null; then
    script -qec "'$PERFDATA' filter -o - in.data" typescript </dev/null >out 2>&1 &&
        fail 'binary went to a terminal'
    has out 'not written to a terminal'
    grep -q PERFILE2 out && fail 'binary went to a terminal'
fi

# Failures: status 4, and nothing is left.
expect 4 filter -o missing/out.data in.data
has err 'missing/out.data: No such file'
many 16 >many.data
got=0
(ulimit -f 64 && filter -o big.data many.data 2>err) || got=$?
[ "$got" = 4 ] || fail "status $got where the file may not grow"
has err 'big.data: '
[ ! -e big.data ] || fail 'half a file is left'
clean 'a full disk'
got=0
TMPDIR=$dir/missing filter --to file -o - in.data 2>err | cat >out.data || got=$?
[ "$got" = 0 ] || [ "$got" = 4 ] || fail "status $got without room for a temporary file"
filter --to file -o - many.data 2>err | head -c 1000 >/dev/null && fail 'a closed pipe gave 0'
empty err

# Damage: the intact part is written, status 3.
head -c 290 in.data >cut.data
expect 3 filter -o mended.data cut.data
has err 'at offset 272'
expect 0 "$PERFDATA" info mended.data

# With standard descriptors closed the output must not become standard error, into which the damage is told.
got=0
filter -o closed.data cut.data </dev/null >&- 2>&- || got=$?
[ "$got" = 3 ] || fail "status $got without descriptors"
same mended.data closed.data

# Signals: the temporary file goes.
many 21 >huge.data
for signal in TERM INT HUP; do
    for try in 1 2 3 4 5 6; do
        [ $try != 6 ] || skip "SIG$signal came too late five times"
        # A background job of a script ignores SIGINT.
        env --default-signal=INT "$PERFDATA" filter -q -o killed.data huge.data &
        pid=$!
        while kill -0 $pid 2>/dev/null && ! compgen -G '.perfdata-*' >/dev/null; do
            :
        done
        kill -$signal $pid 2>/dev/null || true
        got=0
        wait $pid 2>/dev/null || got=$?
        clean "SIG$signal"
        [ $got = 0 ] || break
        rm killed.data
    done
    [ $got -gt 128 ] || fail "status $got after SIG$signal"
    [ ! -e killed.data ] || fail "half a file after SIG$signal"
done

# A name is no order to the terminal.
expect 2 "$PERFDATA" check $'no\e[31m\nsuch'
[ "$(cat err)" = 'perfdata check: no\x1b[31m\x0asuch: No such file or directory' ] ||
    fail "a name: $(cat -v err)"

# Signals that end the command leave no temporary file.
mkdir -p signals && "$PERFDATA" gen -q -c 100000 -o long.data
for name in ALRM XCPU USR1 USR2 TERM; do
    "$PERFDATA" convert -q -z19 -o signals/out.data long.data &
    pid=$!
    for _ in $(seq 200); do
        [ -z "$(ls -A signals)" ] || break
        sleep 0.01
    done
    kill -$name $pid && ! wait $pid || true
    [ -z "$(ls -A signals)" ] || [ "$(ls -A signals)" = out.data ] || fail "SIG$name leaves $(ls -A signals)"
    rm -f signals/out.data
done

# Standard output is that by each of its names: no text comes between.
"$PERFDATA" gen -q -c 10 -o few.data
for name in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    "$PERFDATA" corrupt -o $name --set 0x0=5051 few.data 2>/dev/null >out.bad || true
    [ "$(wc -c <out.bad)" = "$(wc -c <few.data)" ] || fail "corrupt -o $name: more than the bytes"
    expect 2 "$PERFDATA" repair --json -o $name few.data
    expect 2 "$PERFDATA" convert --to dir -o $name few.data
    has err 'standard output'
done
