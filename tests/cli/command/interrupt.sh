#!/usr/bin/env bash
# Ctrl-C while something is captured: filter, convert and sort finish their output with what has come, and
# succeed; a second one ends them without an output.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'
"$PERFDATA" convert --to pipe -o x.pipe "$PERFDATA_SOURCE/corpus/callgraph.data" 2>/dev/null || fail convert

cat >run.py <<'END'
"""run.py HOW COMMAND…: interrupts it, while a writer of a stream waits or goes on, or perf record."""
import os, signal, subprocess, sys, time

how, command = sys.argv[1], sys.argv[2:]
usual = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell has it ignored in the background


if how == "perf":
    record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", "-"]
    some = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; : >going"
    record += ["--", "sh", "-c", some + "; while :; do :; done"]
    writer = subprocess.Popen(record, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=usual)
    p = subprocess.Popen(command, stdin=writer.stdout, preexec_fn=usual)
    writer.stdout.close()
    while not os.path.exists("going") and writer.poll() is None:
        time.sleep(0.1)
    time.sleep(0.5)
    p.send_signal(signal.SIGINT)
    writer.send_signal(signal.SIGINT)
    writer.wait()
    sys.exit(p.wait() % 256)
p = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=usual)
stream = open("x.pipe", "rb").read()
p.stdin.write(stream[:-5] if how == "cut" else stream)
p.stdin.flush()
time.sleep(0.4)
p.send_signal(signal.SIGINT)
if how == "twice":
    p.send_signal(signal.SIGINT)
    time.sleep(0.05)
    p.send_signal(signal.SIGINT)
end = time.time() + 10
while how == "endless" and p.poll() is None and time.time() < end:
    try:
        p.stdin.write(b"\x44\0\0\0\0\0\x08\0" * 512)  # FINISHED_ROUND
        p.stdin.flush()
        time.sleep(0.02)
    except BrokenPipeError:
        break
said = p.stderr.read()
sys.stderr.write(said.decode())
sys.exit(p.wait() % 256)
END
hash_of() { "$PERFDATA" hash "$1" | cut -d' ' -f1; }
want=$(hash_of x.pipe)
for verb in "filter -o y.data" "convert --to file -o y.data" "sort -o y.data" "filter --comms * -o y.data"; do
    # shellcheck disable=SC2086
    set -- ${verb/\*/sort}
    rm -f y.data
    expect 0 python3 run.py whole "$PERFDATA" "$@" -i -
    expect 0 "$PERFDATA" check -q y.data
    case $verb in
    *comms*) [ "$("$PERFDATA" dump --json y.data | grep -c '"SAMPLE"')" = 8 ] || fail "$verb: no samples" ;;
    *) [ "$(hash_of y.data)" = "$want" ] || fail "$verb: another content" ;;
    esac
    case $verb in "filter -o"* | sort*) ;; *) continue ;; esac # one that flows, one that needs all at first
    rm -f y.data
    expect 0 python3 run.py cut "$PERFDATA" "$@" -i -
    has err 'the interruption cut the last record'
    expect 0 "$PERFDATA" check -q y.data
    rm -f y.data
    expect 0 python3 run.py endless "$PERFDATA" "$@" -i -
    expect 0 "$PERFDATA" check -q y.data
    rm -f y.data
    expect 254 python3 run.py twice "$PERFDATA" "$@" -i - # ended by signal 2
    [ ! -e y.data ] && [ -z "$(ls -A | grep '^[.]perfdata')" ] || fail "$verb: left behind: $(ls -A)"
done

# With perf record, which the same Ctrl-C ends.
perf record -q -e cpu-clock -o probe.data -- true 2>/dev/null || skip 'perf record does not record here'
rm -f y.data
expect 0 python3 run.py perf "$PERFDATA" filter -o y.data -i -
expect 0 "$PERFDATA" check -q y.data
[ "$(perf script -i y.data 2>/dev/null | wc -l)" -ge 50 ] || fail 'too few samples'
