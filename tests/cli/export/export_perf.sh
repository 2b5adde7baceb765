#!/usr/bin/env bash
# perfdata export --to folded against perf: the stacks that perf script 6.1 prints, folded by a script of
# its own (export_fold.py), frame by frame with offsets in files, and their sums; of recordings that others
# made, and of new ones. Kernel frames are compared as such: perf names them after files of the machine that
# reports.
. "$(dirname "$0")/../frame_lib.sh"
command -v perf >/dev/null || skip 'perf is not installed'
command -v python3 >/dev/null || skip 'python3 is not installed'
fold=$(dirname "$0")/export_fold.py
case $fold in /*) ;; *) fold=$OLDPWD/$fold ;; esac

# With -b without offsets, and what perf has no file for may be the kernel. Lines with kernel frames as K;
# equal lines added up; a stack without frames is left out, its sum is not.
plain() {
    python3 -c '
import collections, re, sys
sums, all, bare = collections.Counter(), 0, sys.argv[1:]
high = re.compile(r"\+0xffff[0-9a-f]{12}$")
kernel = re.compile(r"/lib/modules/|.*vmlinux|\[(?!unknown|vd?s|heap|stack|anon)")
def simple(frame):
    if bare and "+0x" in frame and not high.search(frame):
        frame = frame[: frame.rindex("+0x")]
    if bare and frame == "[unknown]" or high.search(frame) or kernel.match(frame):
        return "K"
    return frame
for line in sys.stdin:
    stack, total = line.rstrip("\n").rsplit(" ", 1)
    frames = stack.split(";")
    all += int(total)
    if len(frames) > 1:
        sums[";".join(frames[:1] + [simple(f) for f in frames[1:]])] += int(total)
print("all", all)
for stack, total in sorted(sums.items()):
    print(stack, total)' "$@"
}

# Without the event that stands before the stacks of a recording with several, of which one has samples.
without_event() { # FILE
    local several='s/^[^;]*;//'
    [ "$(perf evlist -i "$1" 2>/dev/null | grep -v '^#\|dummy' | sort -u | wc -l)" -gt 1 ] || several=
    sed "$several"
}

compared=0
agrees() { # FILE [OPTION of both]...
    local file=$1 status=0
    shift
    python3 "$fold" "$file" "$@" >folded 2>err || status=$?
    [ $status = 0 ] && [ -s folded ] || return 0 # perf does not read it, or it has several events
    local bare=-b
    ! grep -q '+0x[0-9a-f]* [0-9]*$' folded || bare=
    plain $bare <folded >want
    "$PERFDATA" export --to folded "$@" "$file" 2>err | without_event "$file" | plain $bare >got || true
    if [ -z "${few:-}" ]; then
        same want got
    else
        [ "$(diff want got | grep -c '^[<>]')" -le $(($(wc -l <want) / few + 4)) ] ||
            fail "$(diff want got | head -n 6)"
        [ "$(head -n 1 want)" = "$(head -n 1 got)" ] || fail "$(head -qn 1 want got)"
    fi
    compared=$((compared + 1))
}

# ---- Recordings of others. Left out: in these, perf makes stacks of registers and copies of stacks, or of
# branches, and empty call chains are shown without a frame.
corpus_files "$(effort 3 1)" >files
while read -r file; do
    alive "$PERFDATA" info "$file" >info 2>/dev/null || true
    ! grep -qE 'sample_type.*(STACK_USER|READ)|call_stack' info || continue
    case $file in
    */performance_modelisation__perf.data.a05ee1) continue ;; # in perf, an exec does not end old mappings
    *lbr*) continue ;;                                        # perf makes the user part of branches
    esac
    agrees "$file"
done <files
[ "$compared" -ge "$([ -s files ] && effort 1 18 || echo 0)" ] || fail "$compared recordings compared"

# ---- New ones. In samples that an exec interrupts, the old program is still mapped for perf: the frames of
# a few stacks differ, no sum does.
few=20
record x.data -a -g -e cpu-clock -F 999 -- bash -c work
agrees x.data
agrees x.data --comms sort,md5sum
agrees x.data --cpu 0
record fixed.data -g -e cpu-clock -c 1000000 -- bash -c work # without a period in the samples
agrees fixed.data
"$PERFDATA" edit --strip period -o stripped.data x.data || fail edit
agrees stripped.data
[ "$(wc -l <got)" -gt 5 ] || fail 'that compares nothing'
