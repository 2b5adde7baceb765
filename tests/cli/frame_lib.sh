# Sourced by the tests of the command: a directory of its own, expectations, and recordings.
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C.UTF-8

: "${PERFDATA:?the perfdata executable}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

exec {frame_said}>&2 # for fail in what has its output elsewhere
fail() {
    echo "FAILED: $*" >&"$frame_said"
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

# PERFDATA_TEST_EFFORT=full, in .ci/full: all inputs instead of some of each kind.
full() { [ "${PERFDATA_TEST_EFFORT:-}" = full ]; }

# effort USUAL FULL: one of both.
effort() { if full; then echo "$2"; else echo "$1"; fi; }

# A sanitizer takes memory, too: one keeps freed memory, another marks allocated memory, a third has larger
# code.
sanitized() { grep -qaE '__(asan|msan|tsan)_init|__ubsan' "$PERFDATA"; }

# With sanitizers a process takes ten times as long, and its output is compared without them. So they get a
# third of the recordings, except with full effort, and do not check for leaks at the end of each: the
# library's tests and the replays of the fuzzers do.
hurried() { ! full && sanitized; }
! hurried || export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
# A report is none of the command's own statuses.
! sanitized ||
    export ASAN_OPTIONS="${ASAN_OPTIONS:-}:exitcode=134" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}:exitcode=134" \
        MSAN_OPTIONS="${MSAN_OPTIONS:-}:exitcode=134"

# alive COMMAND…: its status, unless a signal or a sanitizer ended it.
alive() {
    local status=0
    "$@" || status=$?
    [ "$status" -lt 128 ] || fail "status $status: $*"
    return "$status"
}

# every N: each Nth line of standard input, from the first on; with full effort all.
every() {
    local n=$1
    ! hurried || n=$((n * 3))
    if full; then cat; else awk "NR % $n == 1 || $n == 1"; fi
}

# least N: the least number of inputs that `every` passes.
least() { if hurried; then echo $(($1 / 4)); else echo "$1"; fi; }

# corpus_files N: the recordings of PERFDATA_CORPUS, if it is set, a path a line. Usually each Nth of those
# below 600 kB.
corpus_files() {
    local file
    for file in ${PERFDATA_CORPUS:+"$PERFDATA_CORPUS"/*}; do
        [[ $file != *.@(md|tsv) ]] && [ -f "$file" ] || continue
        { ! full && [ "$(stat -Lc %s "$file")" -ge 600000 ]; } || printf '%s\n' "$file"
    done | every "$1"
}

# hash_of FILE: the content hash of a recording.
hash_of() { "$PERFDATA" hash -q "$1" | cut -d' ' -f1; }

# expect STATUS COMMAND...: runs the command, whose output goes to the files out and err.
expect() {
    local want=$1 got=0
    shift
    "$@" >out 2>err </dev/null || got=$?
    [ "$got" = "$want" ] || fail "exit status $got, expected $want: $*: $(cat err out | head -c 600)"
}

# Standard input, with lines that begin with spaces appended to the previous line.
unfold() { sed -e ':more' -e '$!N' -e 's/\n  *//' -e 'tmore' -e 'P' -e 'D'; }

# The file contains a line that matches.
has() {
    grep -q -e "$2" "$1" || fail "$1 has no \"$2\": $(head -c 400 "$1")"
}

empty() {
    [ ! -s "$1" ] || fail "$1 is not empty: $(head -c 400 "$1")"
}

# Both files are equal, and not empty.
same() {
    [ -s "$1" ] || fail "$1 is empty"
    cmp -s "$1" "$2" || fail "$1 and $2 differ: $(diff "$1" "$2" | head -n 6)"
}

# record_alone COMMAND...: one recording at a time, of all tests of a build tree. Recordings of the whole
# machine see other processes, and the kernel marks records of one recording if another one requests it
# (foreign_build_id() in tests/oracle/oracle.py).
recording_lock=${PERFDATA_BUILD:-/tmp}/recording.lock
record_alone() {
    if [ -n "${recording_held:-}" ]; then "$@"; else flock -o "$recording_lock" "$@"; fi
}
# record_together COMMAND...: a function that makes several recordings at once.
record_together() {
    local recording_held=1
    exec 8>"$recording_lock"
    flock 8
    "$@"
    exec 8>&-
}
if command -v perf >/dev/null; then
    perf_program=$(command -v perf)
    perf() {
        case $1 in
        record | stat) record_alone "$perf_program" "$@" ;;
        *) "$perf_program" "$@" ;;
        esac
    }
fi

# record FILE OPTION... -- COMMAND...: perf record, with a software event; the test is skipped where that is
# not possible.
record() {
    local file=$1 try
    shift
    command -v perf >/dev/null || skip "perf is not installed"
    for try in 1 2 3 4 5; do # perf 6.1 itself crashes now and then
        ! perf record -o "$file" "$@" >record.log 2>&1 </dev/null || return 0
        sleep $try
    done
    skip "perf record $*, $try times: $(tail -n 1 record.log)"
}

# own_tasks FILE: the tids of a recording of the whole machine that descend from this test. Other processes
# and their programs may disappear between two runs of perf, which then shows other symbols for them.
task_events() {
    perf script --show-task-events -F comm,tid,time,event -i "$1" 2>/dev/null </dev/null |
        grep -a PERF_RECORD_
}
own_tasks() {
    task_events "$1" |
        awk -v root=$$ -F '[(:)]+' '
            BEGIN { own[root] = 1 }
            /PERF_RECORD_FORK/ && own[$(NF - 2)] { own[$(NF - 4)] = 1; print $(NF - 3) }'
}

# Something to record that takes a moment and forks.
work() {
    local i
    for i in 1 2 3; do
        find /usr/share | sort | md5sum
    done
}
export -f work

# le BYTES NUMBER...: little-endian numbers.
le() {
    local n=$1 v i
    shift
    for v; do
        for ((i = 0; i < n; i++)); do
            # shellcheck disable=SC2059
            printf "\\x$(printf %02x $((v >> 8 * i & 255)))"
        done
    done
}

zeros() {
    head -c "$1" /dev/zero
}

# The smallest useful recording, written by hand: one event with IP, TID and TIME, a COMM and a SAMPLE at
# offset 272. tiny_header DATA_SIZE: header and attr, 248 bytes.
tiny_header() {
    printf PERFILE2
    le 8 104 144 104 144 248 "$1" 0 0
    zeros 32
    le 4 1 128
    le 8 0 1000 7 0 0
    zeros 80
    le 8 0 0
}
tiny_records() {
    le 4 3 && le 2 0 24 && le 4 71 71 && printf 'tiny\0\0\0\0'
    le 4 9 && le 2 2 32 && le 8 0x401000 && le 4 71 71 && le 8 5000000123
}
tiny() {
    tiny_header 56
    tiny_records
}

# chunk [START]: standard input as a COMPRESSED record of one raw zstd block, with START in a new frame.
chunk() {
    local n frame=0
    cat >block
    n=$(stat -c %s block)
    [ -z "${1:-}" ] || frame=6
    le 4 81 && le 2 0 $((8 + frame + 3 + n))
    [ $frame = 0 ] || printf '\x28\xb5\x2f\xfd\0\x38'
    le 1 $((n << 3 & 255)) $((n << 3 >> 8 & 255)) $((n << 3 >> 16 & 255))
    cat block
}
# tiny_sample TIME: one of tiny's event.
tiny_sample() { le 4 9 && le 2 2 32 && le 8 0x401000 && le 4 71 71 && le 8 "$1"; }

# many N: a recording of 2^N samples.
many() {
    local i
    tiny_header $((24 + (32 << $1)))
    tiny_records >samples
    head -c 24 samples
    tail -c 32 samples >twice
    mv twice samples
    for ((i = 0; i < $1; i++)); do
        cat samples samples >twice
        mv twice samples
    done
    cat samples
    rm samples
}

# The logarithm of the number of samples in a recording whose size would show in memory: with 2^18 even a
# pointer each takes 2 MB. Sanitizers hide that, so fewer are enough there, and the test only shows that
# nothing breaks.
large_power() { if full; then echo 21; elif sanitized; then echo 17; else echo 18; fi; }

# The peak of memory that a command takes, in kB. A small program measures it, since the peak of the parent
# process is a lower limit for its children.
peak_memory() {
    [ -x /usr/bin/time ] || skip 'time is not installed'
    /usr/bin/time -q -o peak -f %M "$@" >/dev/null 2>&1 || true
    cat peak
}

# QEMU runs the command: it keeps translated code, which counts as the memory of the command.
emulated() { [[ $PERFDATA = */emulated/* ]]; }

# most_memory KB: this much, plus the memory of a sanitizer, which has a shadow of each byte, or of QEMU.
most_memory() {
    if sanitized; then
        echo $((2 * $1 + 100000))
    elif emulated; then
        echo $(($1 + 100000))
    else
        echo "$1"
    fi
}

# little_more SMALL LARGE KB: LARGE is at most KB more than SMALL.
little_more() { [ $(($2 - $1)) -lt "$(most_memory "$3")" ]; }

# flat KB COMMAND...: on a recording that is 8 MB larger, 64 with full effort, the command takes at most KB
# more memory. 2000 is enough for buffers of the size of a window; other data has separate limits.
flat() {
    local small large most=$1
    shift
    [ -e large.data ] || many "$(large_power)" >large.data
    small=$(peak_memory "$@" tiny.data)
    large=$(peak_memory "$@" large.data)
    ! emulated || return 0
    little_more "$small" "$large" "$most" ||
        fail "$* takes $small kB for a small file, $large kB for a large one"
}

# filters OPTION...: it filters; findings are nothing but names that the recording does not have.
filters() {
    local status=0
    "$PERFDATA" filter -q -f "$@" 2>filters.err || status=$?
    [ "$status" -le 1 ] || fail "filter $*: exit status $status: $(head -n 3 filters.err)"
    [ "$status" = "$(grep -c ': no [a-z]* is called ' filters.err | sed 's/[^0].*/1/')" ] ||
        fail "filter $*: exit status $status, but: $(head -n 3 filters.err)"
}
