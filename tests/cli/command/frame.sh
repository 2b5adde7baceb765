#!/usr/bin/env bash
# The frame of the command: verbs, help, options, exit status, sources of input, and failing standard output.
. "$(dirname "$0")/../frame_lib.sh"
tiny >tiny.data

# Verbs and help.
expect 2 "$PERFDATA"
has err 'which verb'
expect 2 "$PERFDATA" nonsense
has err '"nonsense"'
empty out
expect 2 "$PERFDATA" --nonsense
expect 0 "$PERFDATA" --version
has out '^perfdata [0-9]'
expect 0 "$PERFDATA" help
cp out help
for verb in help version; do # which have no options
    expect 0 "$PERFDATA" help "$verb"
    same out help
done
for verb in info dump check; do
    has help "^  $verb "
    expect 0 "$PERFDATA" help "$verb"
    cp out a
    expect 0 "$PERFDATA" "$verb" --help
    same a out
    has out "^Usage: perfdata $verb"
    has out '^Examples:'
    empty err
    grep -q "^  perfdata $verb\|| perfdata $verb" out || fail "no example of $verb"
done
# Only working verbs are listed.
while read -r verb; do
    expect 0 "$PERFDATA" "$verb" --help
    # No line is too long, and the texts of options begin in the same column.
    python3 - <<'END' || fail "$verb --help"
for line in open("out", encoding="utf-8").read().split("\n"):
    assert len(line) <= 110 and line == line.rstrip(), line
    if line.startswith(("  -", "      --")):
        assert "  " not in line[6:] or line[27:29] == "  " and line[29] != " ", line
END
done < <(sed -n 's/^  \([a-z]*\)  .*/\1/p' help | grep -v -x -e help -e version -e perfdata)
# ---- Words that are nearly right.
for name in version -V; do
    expect 0 "$PERFDATA" "$name"
    has out '^perfdata [0-9]'
done
mean() { # WANT COMMAND...: "" for none
    local want=$1
    shift
    expect 2 "$PERFDATA" "$@"
    [ "$(sed -n 's/.*did you mean "\([^"]*\)".*/\1/p' err)" = "$want" ] || fail "$*: $(cat err)"
}
mean filter fliter
mean info inf
mean version verson
mean '' banana
mean --with-children filter --with-childern
mean --output filter --ouput=x
mean '' filter --banana
mean --baseline report --base-line

# Options.
expect 2 "$PERFDATA" info --no-such-option tiny.data
has err -- --no-such-option
expect 2 "$PERFDATA" info -Z tiny.data
has err 'there is no option -Z'
expect 2 "$PERFDATA" dump --limit
has err 'needs an argument'
expect 2 "$PERFDATA" dump --limit x tiny.data
expect 2 "$PERFDATA" dump --limit -1 tiny.data
expect 2 "$PERFDATA" info -j x tiny.data
expect 0 "$PERFDATA" info -j 4 tiny.data
expect 2 "$PERFDATA" dump tiny.data tiny.data
has err 'one input file only'
expect 0 "$PERFDATA" info tiny.data --json
expect 0 "$PERFDATA" info -- tiny.data

# Input: default, -i, operand, standard input from a file and from a pipe.
expect 2 "$PERFDATA" info
has err '^perfdata info: perf.data: No such file'
cp tiny.data perf.data
expect 0 "$PERFDATA" dump
cp out reference
expect 0 "$PERFDATA" dump -i tiny.data
same reference out
expect 0 "$PERFDATA" dump tiny.data
same reference out
"$PERFDATA" dump - <tiny.data >out
same reference out
"$PERFDATA" dump -i - < <(cat tiny.data) >out
same reference out
mkfifo fifo
cat tiny.data >fifo &
expect 0 "$PERFDATA" dump fifo
wait $!
same reference out
expect 2 "$PERFDATA" info missing.data
expect 3 "$PERFDATA" info /dev/null
expect 3 "$PERFDATA" info /dev/zero
has err magic
mkdir empty
expect 2 "$PERFDATA" info empty
# What several passes need is kept for them.
"$PERFDATA" dump -F comm,time - < <(cat tiny.data) >out
has out 'tiny .*5.000000: '
TMPDIR=$dir/missing "$PERFDATA" dump -F comm - < <(cat tiny.data) >out 2>err &&
    fail 'no temporary file, no error'
has err 'No such file or directory'

# Several files: the worst status counts, and the others are processed.
expect 2 "$PERFDATA" info missing.data tiny.data
has out '^file  *tiny.data'
head -c 280 tiny.data >cut.data
expect 3 "$PERFDATA" info cut.data missing.data tiny.data
has out '^file  *tiny.data'

# Messages: verb, file, offset.
expect 3 "$PERFDATA" dump cut.data
has err '^perfdata dump: cut.data: at offset [0-9]'

# Standard output that cannot be written: never 0.
for command in --version help 'info tiny.data' 'dump tiny.data' 'dump --json tiny.data' 'check tiny.data' \
    'info --help'; do
    got=0
    # shellcheck disable=SC2086
    "$PERFDATA" $command >/dev/full 2>err || got=$?
    [ "$got" = 4 ] || fail "$command to a full device: status $got"
    has err 'standard output: No space left'
    got=0
    # shellcheck disable=SC2086
    "$PERFDATA" $command >&- 2>err || got=$?
    [ "$got" = 4 ] || fail "$command to a closed descriptor: status $got"
done
# A reader that goes away: quiet, not 0; also where SIGPIPE is ignored already.
many 16 >many.data
"$PERFDATA" dump -q many.data 2>err | head -n 1 >/dev/null && fail 'a closed pipe gave 0'
[ "${PIPESTATUS[0]}" = 4 ] || fail "a closed pipe gave ${PIPESTATUS[0]}"
empty err
# All standard descriptors closed: no file may get their numbers.
got=0
"$PERFDATA" dump tiny.data <&- >&- 2>&- || got=$?
[ "$got" = 4 ] || fail "without descriptors: status $got"
same tiny.data perf.data

# A live stream flows: what has arrived is printed while the writer still holds the pipe open.
{ printf PERFILE2 && le 8 16 && le 4 68 && le 2 0 8; } >stream.data
mkfifo live
{
    sleep 10 &
    echo $! >holder # before the records, so that a reader of the records finds it
    cat stream.data
    wait
} >live &
writer=$!
"$PERFDATA" dump live >live.out 2>live.err &
reader=$!
for _ in $(seq 50); do
    [ ! -s live.out ] || break
    sleep 0.1
done
has live.out FINISHED_ROUND
kill "$(cat holder)"
wait $writer || true
wait $reader || fail "the stream's end: $(cat live.err)"
