#!/usr/bin/env bash
# On a terminal: a bar for long work on standard error, colours on standard output; neither without a
# terminal, nor with NO_COLOR and -q.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'
esc=$'\033'

# terminal SHELL_COMMAND: runs it on a terminal of its own; what that shows is in the file out, the carriage
# returns as ^M.
cat >terminal.py <<'END_OF_PYTHON'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp('bash', ['bash', '-c', 'exec </dev/null; ' + sys.argv[1]])
shown = b''
while True:
    try:
        part = os.read(fd, 65536)
    except OSError: # the other end is closed
        break
    if not part:
        break
    shown += part
open('out', 'wb').write(shown.replace(b'\r\n', b'\n').replace(b'\r', b'^M'))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END_OF_PYTHON
terminal() { # STATUS SHELL_COMMAND
    local got=0
    TERM=xterm python3 terminal.py "$2" </dev/null >/dev/null || got=$?
    [ "$got" = "$1" ] || fail "exit status $got, expected $1: $2: $(head -c 400 out)"
}
plain() {
    ! grep -q "$esc" out || fail "$1: $(grep "$esc" out | head -n 3 | cat -v)"
}
uncoloured() {
    sed -E "s/$esc\[[0-9]*m//g" out
}

tiny >a.data
"$PERFDATA" corrupt -q -o b.data --set 280=05 a.data >/dev/null
export NO_COLOR=

# ---- Colours: the text is the same but for them.
for command in 'info a.data' 'dump a.data' 'dump -x a.data' 'cmp a.data b.data'; do
    status=0
    # shellcheck disable=SC2086
    "$PERFDATA" $command >want || status=$?
    ! grep -q "$esc" want || fail "colours in a file: $command"
    terminal $status "$PERFDATA $command"
    grep -q "$esc\[[1-9]" out || fail "$command: no colours on a terminal"
    [ "$(uncoloured)" = "$(cat want)" ] || fail "$command: $(uncoloured | diff - want)"
    [ "$(grep -o "$esc\[[1-9][0-9]*m" out | wc -l)" = "$(grep -o "$esc\[0m" out | wc -l)" ] ||
        fail "$command: a colour without end"
    terminal $status "NO_COLOR=1 $PERFDATA $command"
    plain "NO_COLOR"
    terminal $status "TERM=dumb $PERFDATA $command"
    plain "TERM=dumb"
    terminal $status "$PERFDATA $command --color=never"
    plain "never"
    terminal $status "$PERFDATA $command | cat; exit \${PIPESTATUS[0]}"
    plain "a pipe"
    # shellcheck disable=SC2086
    "$PERFDATA" $command --color=always >out || [ $? = $status ]
    grep -q "$esc\[[1-9]" out || fail "$command: always"
    [ "$(uncoloured)" = "$(cat want)" ] || fail "$command: always"
done
for command in 'info --json a.data' 'dump --json a.data' 'dump -F tid,ip a.data' 'info --help'; do
    terminal 0 "$PERFDATA $command"
    plain "$command"
done
expect 2 "$PERFDATA" info --color=red a.data
has err 'red'

# ---- The bar: of a stream that takes longer than a second, and of a file that is large enough.
many 16 >large.data
"$PERFDATA" convert -q --to pipe -o stream.data large.data
size=$(stat -c %s stream.data)
slow="{ head -c $((size / 2)) stream.data; sleep 1.5; tail -c +$((size / 2 + 1)) stream.data; }"
terminal 0 "$slow | $PERFDATA filter -i - -o /dev/null"
has out '\^M[0-9.]* MiB, [0-9.]* MiB/s'
terminal 0 "$slow | $PERFDATA info - >summary"
has out 'MiB/s'
[ -s summary ] && ! grep -q 'MiB/s' summary || fail "the bar is on standard error"
terminal 0 "stty cols 12 <&2; $slow | $PERFDATA info - >summary"
has out 'MiB'
sed 's/\^M/\n/g' out | awk 'length > 11 { exit 1 }' ||
    fail "a bar wider than the terminal: $(head -c 400 out)"
terminal 0 "$slow | TERM=dumb $PERFDATA info - >summary"
plain "a bar on a terminal that knows no more than text"
# encode skips empty lines.
{ "$PERFDATA" decode a.data; printf '%200000s' '' | tr ' ' '\n'; } >blank.jsonl
slowly='{ head -c 100000 blank.jsonl; sleep 1.5; tail -c +100001 blank.jsonl; }'
terminal 0 "$slowly | $PERFDATA encode -f -o encoded.data -"
has out 'MiB/s'
terminal 0 "$slow | $PERFDATA filter -q -i - -o /dev/null"
empty out
terminal 0 "$slow | $PERFDATA filter -i - -o /dev/null 2>err"
! grep -q MiB out err || fail "a bar in a file"
terminal 0 "$slow | $PERFDATA dump - | tail -n 1 >last" # a pager has the terminal to itself
empty out
