# Sourced by the tests of the command: a directory of its own, expectations, and recordings.
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C.UTF-8

: "${PERFDATA:?the perfdata executable}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

# expect STATUS COMMAND...: runs the command, whose output goes to the files out and err.
expect() {
    local want=$1 got=0
    shift
    "$@" >out 2>err </dev/null || got=$?
    [ "$got" = "$want" ] || fail "exit status $got, expected $want: $*: $(cat err out | head -c 600)"
}

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

# record FILE OPTION... -- COMMAND...: perf record, with a software event; the test is skipped where that is not possible.
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

# The smallest useful recording, written by hand: one event with IP, TID and TIME, a COMM and a SAMPLE at offset 272.
# tiny_header DATA_SIZE: header and attr, 248 bytes.
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

# The peak of memory that a command takes, in kB.
peak_memory() {
    command -v python3 >/dev/null || skip 'python3 is not installed'
    python3 - "$@" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}

# A sanitizer takes memory, too: one keeps what was freed, another marks what was allocated, before it is used, a third has larger code.
sanitized() { grep -qaE '__(asan|msan)_init|__ubsan' "$PERFDATA"; }

# little_more SMALL LARGE KB: no more than so much more.
little_more() {
    local spare=$3
    if sanitized; then spare=100000; fi
    [ $(($2 - $1)) -lt "$spare" ]
}

# flat COMMAND...: on a recording that is 64 MB larger the command takes no more memory, but for a little.
flat() {
    local small large
    [ -e large.data ] || many 21 >large.data
    small=$(peak_memory "$@" tiny.data)
    large=$(peak_memory "$@" large.data)
    [[ $PERFDATA != */emulated/* ]] || return 0 # QEMU keeps what it translated, and counts
    little_more "$small" "$large" 6000 || fail "$* takes $small kB for a small file, $large kB for a large one"
}
