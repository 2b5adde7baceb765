#!/usr/bin/env bash
# perfdata filter of a live pipe stream: it writes round by round, and gives the same samples as two readings
# of the stream.
. "$(dirname "$0")/../filter_lib.sh"

# ---- By hand: one event with IP, TID and TIME, sample_id_all. A record of a task stands behind the samples
# that it names.
attr() {
    le 4 64 && le 2 0 136 && le 4 1 112 && le 8 0 1000 $((1 + 2 + 4)) 0 $((1 << 18)) && zeros 64 && le 8 7 8
}
comm() { # PID NAME(7) TIME
    le 4 3 && le 2 0 40 && le 4 "$1" "$1" && printf '%s\0' "$2" && le 4 "$1" "$1" && le 8 "$3"
}
sample() { # PID TIME
    le 4 9 && le 2 2 32 && le 8 4096 && le 4 "$1" "$1" && le 8 "$2"
}
finished() { le 4 68 && le 2 0 8; }
{
    printf PERFILE2 && le 8 16
    attr
    comm 5 five--- 0
    comm 6 six---- 0
} >head.part
{ sample 5 10 && sample 6 11 && finished; } >1.part
{ sample 5 25 && sample 5 20 && comm 5 renamed 22 && sample 6 24 && finished; } >2.part
{ comm 5 five--- 19 && sample 6 35 && finished; } >3.part
{ comm 6 five--- 40 && sample 6 41 && sample 5 42; } >4.part
cat {head,1,2,3,4}.part >stream

times_of() {
    "$PERFDATA" dump --json "$1" | sed -n 's/.*"SAMPLE".*"time":"\([0-9]*\)".*/\1/p' | paste -sd' '
}
# flows "TIMES" OPTION...: in one pass and in several, with the same samples.
flows() {
    local want=$1 got
    shift
    expect 0 "$PERFDATA" filter -q -f -i stream -o several.pass "$@"
    # shellcheck disable=SC2002
    cat stream | "$PERFDATA" filter -q -i - -o - "$@" >one.pass || fail "filter -i - $*: $?"
    for got in several one; do
        [ "$(times_of $got.pass)" = "$want" ] ||
            fail "$* in $got: samples at \"$(times_of $got.pass)\", expected \"$want\""
        expect 0 "$PERFDATA" check $got.pass
    done
}
flows '10 11 25 20 24 35 41 42'
flows '10 20 41' -c five---
flows '25 42' --comms renamed
flows '11 25 24 35 42' --exclude-comms five---
flows '10 25 20 42' --pid 5
flows '11 24 35 41' --exclude-tid 5
flows '20 24' --time 0.000000015,0.000000024
flows '25' --time 0.00000002,0.00000003 --comms renamed
flows '10 20' --comms five--- --limit 2
flows '10 41' --comms five--- --every 2
flows '11' -e cpu-clock --exclude-comms five---,renamed --limit 1
flows '24' --time 50%/1 --pid 6 --exclude-time ,0.000000012
flows '10 20 41' -c five--- --sideband none
"$PERFDATA" filter -q -f -i stream -o wanted --sideband none -c five--- -r SAMPLE,COMM
# shellcheck disable=SC2002
cat stream | "$PERFDATA" filter -q -i - -o - --sideband none -c five--- -r SAMPLE,COMM | cmp - wanted ||
    fail 'listed records'
# shellcheck disable=SC2002
cat stream | "$PERFDATA" filter -q -i - -o - -z -c five--- >zipped
[ "$(times_of zipped)" = '10 20 41' ] || fail "compressed on the way: $(times_of zipped)"
# shellcheck disable=SC2002
cat zipped | "$PERFDATA" filter -q -i - -o - --exclude-time 0.000000015,0.000000030 >again
[ "$(times_of again)" = '10 41' ] || fail "compressed again: $(times_of again)"
expect 0 "$PERFDATA" info again
has out '^compressed'
# shellcheck disable=SC2002
cat stream | "$PERFDATA" filter -q -i - -o file.data --to file -c five---
expect 0 "$PERFDATA" info file.data
has out '^container *file'
[ "$(times_of file.data)" = '10 20 41' ] || fail "a stream to a file: $(times_of file.data)"

# ---- What is wrong is told before anything is written.
status=0
# shellcheck disable=SC2002
cat stream | "$PERFDATA" filter -i - -o none.data -e cycles 2>err || status=$?
[ $status = 2 ] && [ "$(wc -l <err)" = 1 ] || fail "an event that is not there: status $status, $(cat err)"
has err 'there is no event "cycles", but cpu-clock'
status=0
# shellcheck disable=SC2002
cat stream | "$PERFDATA" filter -i - -o none.data -C 0 2>err || status=$?
[ $status = 2 ] && [ ! -e none.data ] || fail "cpus that are not there: status $status"
status=0
{ cat stream && le 4 9 && le 2 2 32 && le 8 1; } | "$PERFDATA" filter -i - -o - -c five--- >cut.out 2>err ||
    status=$?
[ $status = 3 ] && [ "$(times_of cut.out)" = '10 20 41' ] ||
    fail "a stream that is cut: status $status, samples at $(times_of cut.out)"
{ cat head.part 1.part && le 4 71 && le 2 0 48 && le 8 100 0 0 && le 4 0 0 0 0 && zeros 99; } >aux
status=0
# shellcheck disable=SC2002
cat aux | "$PERFDATA" filter -i - -o - -c five--- >cut.out 2>err || status=$?
[ $status = 3 ] && expect 0 "$PERFDATA" check cut.out && [ "$(times_of cut.out)" = 10 ] ||
    fail "AUX data that is cut: $status"
{ cat aux && zeros 1 && sample 5 50; } >whole.aux
# shellcheck disable=SC2002
cat whole.aux | "$PERFDATA" filter -q -i - -o - --exclude-comms six---- | cmp - <(
    cat head.part && sample 5 10 && finished &&
        tail -c +$(($(stat -c %s head.part 1.part | paste -sd+) + 1)) whole.aux
) || fail 'AUX data that flows'

# ---- Live: rounds that are complete come out before the next ones go in.
# grows N: until live.out has N bytes.
grows() {
    local i
    for ((i = 0; i < 200; i++)); do
        [ "$(stat -c %s live.out)" -lt "$1" ] || return 0
        sleep 0.05
    done
    fail "$2: $(stat -c %s live.out) bytes came out, not $1"
}
live() { # SIZES OPTION...: sizes of the output after each part
    local part sizes=$1
    shift
    rm -f fifo live.out
    mkfifo fifo
    "$PERFDATA" filter -q -i fifo -o - "$@" >live.out &
    exec 3>fifo
    for part in $sizes; do
        cat "${part%:*}.part" >&3
        grows "${part#*:}" "$part $*"
    done
    exec 3>&-
    wait $! || fail "filter $*: $?"
    "$PERFDATA" filter -q -f -i stream -o wanted --sideband all "$@"
    same wanted live.out
}
start=$(stat -c %s head.part)
live "head:$start 1:$((start + 72)) 2:$((start + 216)) 3:$((start + 296)) 4:$((start + 400))"
live "head:$start 1:$((start + 40)) 2:$((start + 152)) 3:$((start + 200)) 4:$((start + 272))" --tid 5
live "head:$start 1:$start 2:$((start + 40)) 3:$((start + 120)) 4:$((start + 120))" --comms five---

# ---- Memory does not grow with what waits, nor with what flows.
many "$(if sanitized; then echo 17; else effort 20 21; fi)" >large.data
for way in '20000 --comms tiny' '2000 --time 1,2'; do
    most=${way%% *} way=${way#* }
    { cat head.part && tail -c +273 large.data; } >large.stream
    small=$(peak_memory bash -c "cat stream | '$PERFDATA' filter -q -i - -o - $way")
    large=$(peak_memory bash -c "cat large.stream | '$PERFDATA' filter -q -i - -o - $way")
    little_more "$small" "$large" "$most" ||
        fail "$way: $small kB for a small stream, $large kB for a large one"
done
rm -f large.*

# ---- Recorded by perf: what flows through equals what is read twice, and perf shows of it what it shows of
# the whole.
command -v python3 >/dev/null || skip 'python3 is not installed'
for how in '' -z; do
    # shellcheck disable=SC2086
    perf record -q -a -g -e cpu-clock -F 4999 -m 4 $how -o - -- bash -c tasks >stream 2>err </dev/null ||
        skip "perf record: $(tail -n 1 err)"
    "$PERFDATA" dump --json stream | grep -c FINISHED_ROUND >rounds || true
    most stream comm 8 | grep -v , >names
    for selection in "--comms=$(sed -n 2p names)" "--comms=$(sed -n 3,5p names | paste -sd,)" \
        "--pid=$(most stream pid 2 | tail -n 1)"; do
        shown stream stream "$selection" >wanted
        # shellcheck disable=SC2002
        cat stream | "$PERFDATA" filter -q -i - -o - "$selection" >flown || fail "filter $selection"
        shown stream flown >got
        same wanted got
        expect 0 "$PERFDATA" filter -q -f -i stream -o read --decompress --sideband all "$selection"
        # shellcheck disable=SC2002
        cat stream | "$PERFDATA" filter -q -i - -o - --decompress "$selection" >flown
        # Only SAMPLE_TIME, two numbers, may differ.
        [ "$(stat -c %s flown)" = "$(stat -c %s read)" ] &&
            [ "$( (cmp -l flown read || true) | wc -l)" -le 16 ] ||
            fail "$selection of $(cat rounds) rounds: other records than in several passes"
    done
done
