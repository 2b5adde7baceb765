#!/usr/bin/env bash
# -j: output, messages and exit status are those of one thread, on intact and damaged recordings; and there
# really are threads.
. "$(dirname "$0")/../frame_lib.sh"

gen() {
    expect 0 "$PERFDATA" gen -q -o "$@"
}

# both FILE VERB...: with one thread and with several.
both() {
    local file=$1 status=0
    shift
    "$PERFDATA" "$@" "$file" >one 2>one.err </dev/null || status=$?
    expect "$status" "$PERFDATA" "$@" -j3 "$file"
    cmp -s one out || fail "$* $file: -j3 prints something else: $(diff one out | head -n 4)"
    cmp -s one.err err || fail "$* $file: -j3 says something else: $(diff one.err err | head -n 4)"
}

gen build.data --preset build -c 4000
gen big.data --preset build -c 2000 --endian big
gen tracing.data --preset tracing -c 2000
gen all.data -t ALL -c 2000 --seed 5
gen zipped.data --preset build -c 2000 -z
gen pipe.data --preset build -c 2000 --to pipe
gen dir --preset build -c 2000 --to dir
"$PERFDATA" corrupt -q -E 0.0003 --seed 3 -o bad.data build.data >/dev/null
"$PERFDATA" corrupt -q --truncate -5000 -o short.data build.data >/dev/null
gen one.data --events 1 --sample-type ip,tid,time,cpu,period,callchain -c 30000
"$PERFDATA" corrupt -q -E 0.00001 --seed 9 -o bad-one.data one.data >/dev/null
for file in build.data big.data tracing.data all.data zipped.data pipe.data dir bad.data bad-one.data \
    short.data; do
    both "$file" dump
    both "$file" dump --json
    both "$file" dump -F comm,pid,tid,cpu,time,event,ip,period
    both "$file" dump -x --limit 700
    both "$file" decode
    both "$file" decode --short
done

# both_write FILE VERB...: the same for the recordings, texts or directories written to `written/`.
both_write() {
    local file=$1 one=0 three=0
    shift
    rm -rf written* && mkdir written
    "$PERFDATA" "$@" "$file" >one 2>one.err </dev/null || one=$?
    mv written written.one && mkdir written
    "$PERFDATA" "$@" -j3 "$file" >three 2>three.err </dev/null || three=$?
    [ $one = $three ] || fail "$* $file: exit status $three with -j3, $one without"
    cmp -s one three || fail "$* $file: -j3 prints something else: $(diff one three | head -n 4)"
    cmp -s one.err three.err ||
        fail "$* $file: -j3 says something else: $(diff one.err three.err | head -n 4)"
    diff -rq written.one written >differs || fail "$* $file: -j3 writes something else: $(cat differs)"
}

# Compressed with many frames, in one, and damaged in the middle of both; in a file that is a pipe stream.
gen frames.data --preset build -c 4000 -z --frames 16K
gen stream.data --preset build -c 4000 -z --frames 0
gen zipped-pipe.data --preset build -c 2000 -z --frames 16K --to pipe
gen zipped-dir --preset build -c 4000 -z --frames 16K --to dir
gen long-frames.data --preset build -c 12000 -z --frames 512K
for name in frames stream zipped-pipe long-frames; do
    size=$(stat -c %s "$name.data")
    "$PERFDATA" corrupt -q --set "$((size / 3))=0123456789abcdef" --set "$((size / 3 * 2))=5555555555" \
        -o "bad-$name.data" "$name.data" >/dev/null
done
gen three.data --preset build -c 12000 -z --frames 512K -j3
same three.data long-frames.data
gen dir-three --preset build -c 4000 -z --frames 16K --to dir -j3
diff -rq dir-three zipped-dir || fail 'gen -j3 writes another directory'
key=$(printf %064d 7)
echo "$key" >key
# Each recording with every few of the verbs, each time others.
lines() {
    local file
    for file in build.data big.data all.data frames.data stream.data long-frames.data zipped-pipe.data \
        pipe.data dir zipped-dir bad.data bad-frames.data bad-stream.data bad-zipped-pipe.data \
        bad-long-frames.data short.data; do
        sed "s/^/$file /" <<END
info --json
check
hash --sections
filter --exclude-comms make -o written/x
filter --comms make -z --frames 8K -o written/x
convert --endian big -o written/x
convert -z9 --frames 8K --to file -o written/x
convert -z --frames 0 --to pipe -o written/x
sort -o written/x
sort -z --frames 8K -o written/x
split --chunks 3 -o written/%d
redact --key key -o written/x
export --to folded -o written/x
export --to parquet -m 64K -o written/x
decode -o written/x
encode -f -o written/x
END
    done | every 4
}
while read -r file line; do
    read -ra args <<<"$line"
    if [ "${args[0]}" = encode ]; then
        "$PERFDATA" decode -q -f --short -o "$file.json" "$file" 2>/dev/null || true
        file=$file.json
    fi
    both_write "$file" "${args[@]}"
done < <(lines)
both_write frames.data merge -o written/x stream.data build.data
# Tables of one group, of many, and of fewer than two threads fill; names that only a group has.
for memory in 64M 40K 1; do
    both_write build.data export --to parquet -m $memory -o written/x frames.data
done
both_write tracing.data export --to parquet -F prev_comm,next_pid -m 64K -o written/x
both_write bad-one.data export --to parquet -m 100K -o written/x
both_write bad-frames.data merge -z --frames 8K -o written/x stream.data

# fails_into TEXT ARGUMENT...: exit status 4, and the message ends so; standard output is where it is to go.
fails_into() {
    local text=$1 status=0
    shift
    "$PERFDATA" "$@" 2>err </dev/null || status=$?
    [ $status = 4 ] || fail "$* into what takes no more: exit status $status"
    has err "standard output: $text"
    [ "$(wc -l <err)" = 1 ] || fail "$* into what takes no more: $(cat err)"
}

# For all kinds of outputs, with bytes before and behind. Failures to write are reported, and the written part
# has no holes.
gen long.data --preset build -c 30000
for line in 'dump long.data' 'dump one.data' 'dump -F comm,tid,time,event one.data' \
    'dump --limit 7777 one.data' 'dump -x one.data' 'decode long.data' 'decode one.data'; do
    read -ra args <<<"$line"
    expect 0 "$PERFDATA" "${args[@]}"
    mv out one
    { echo before && cat one && echo behind; } >around
    for j in 2 3; do
        "$PERFDATA" "${args[@]}" -j$j | cat >piped
        same piped one
        { echo before && "$PERFDATA" "${args[@]}" -j$j && echo behind; } >file
        same file around
        echo before >file
        "$PERFDATA" "${args[@]}" -j$j >>file
        echo behind >>file
        same file around
        fails_into 'No space left on device' "${args[@]}" -j$j >/dev/full
        (
            ulimit -f 600 # KiB
            fails_into 'File too large' "${args[@]}" -j$j >file
        )
        head -c $((600 << 10)) one | cmp -s - file ||
            fail "$line -j$j: another beginning in a file that is too small"
    done
done
for j in 2 3; do
    fails_into 'No space left on device' export --to parquet -m 100K -j$j long.data >/dev/full
    expect 0 "$PERFDATA" decode -j$j -o file.json long.data
    "$PERFDATA" decode long.data >one
    same file.json one
    rm file.json
done

# Texts of several batches: lines of other forms, wrong or missing ones, attrs and headers between records.
for name in long all pipe bad; do
    "$PERFDATA" decode -q -f -o "$name.json" $name.data 2>/dev/null || true
done
"$PERFDATA" decode -q -f -o dir.json dir
n=$(wc -l <long.json)
nth() { # NAME SCRIPT: long.json changed by sed
    sed -E "$2" long.json >"$1.json"
}
nth spaces "$((n / 2))~7s/,\"size\"/, \"size\"/"
nth blank "$((n / 3))~5s/\$/\n  \t/"
nth missing "$((n / 2))d"
nth twice "$((n / 2))p"
nth offset "$((n - 100))s/\"offset\":\"[0-9]*\"/\"offset\":\"7\"/"
nth unknown "$((n - 200))s/.*/{\"nonsense\":1}/"
nth header "$((n / 2))s/.*/{\"header\":{}}/"
nth zeros "$((n / 2))s/.*/\x00\x00/"
nth attr "$((n / 4 * 3))s/\"sample\":\{/&\"none\":1,/"
nth known "$((n / 4 * 3))s/\$/\n{\"known_attr\":{\"sample_type\":\"IP\"},\"of\":0}/"
late() { # records of two events of a stream, of which the second is told among them
    local event='{"attr":{"sample_type":"IDENTIFIER|IP|TIME"},"ids":["%d"]}\n'
    local sample='{"record":{"type":"SAMPLE","attr":%d,"sample":{"identifier":"%d","ip":"0x5","time":"1"}}}\n'
    echo '{"header":{"container":"pipe"}}'
    # shellcheck disable=SC2059 # formats
    for attr in 0 1; do
        printf "$event" "$((attr + 7))"
        yes "$(printf "$sample" $attr $((attr + 7)))" | head -n 20000
    done
}
late | "$PERFDATA" encode -f -o late.data && "$PERFDATA" decode -q -f -o late.json late.data
head -c 3000000 long.json >cut.json
printf %s "$(cat long.json)" >no-end.json
{
    head -n $((n / 2)) long.json
    head -c 17M /dev/zero | tr '\0' ' '
    tail -n $((n / 2)) long.json
} >wide.json
cat pipe.json pipe.json >double.json
for name in long all pipe bad dir spaces blank missing twice offset unknown header zeros attr known late cut \
    no-end wide double; do
    both_write $name.json encode -f -o written/x
done
head -c 10M /dev/zero | tr '\0' x >x
for _ in $(seq 12); do cat x && echo; done >lines.json
one=$(peak_memory "$PERFDATA" encode -f -o made.data lines.json)
many=$(peak_memory "$PERFDATA" encode -j16 -f -o made.data lines.json)
little_more "$one" "$many" 50000 || fail "long lines: encode takes $one kB, with -j16 $many kB"
rm x lines.json
"$PERFDATA" encode -j3 -f -o made.data <long.json
same made.data long.data
mkfifo slow
"$PERFDATA" encode -j3 -f -o - slow >made.data &
pid=$!
exec 3>slow
head -n $((n / 2)) long.json >&3
sent=$(sed -nE "$((n / 2 + 1))s/.*\"offset\":\"([0-9]*)\".*/\1/p" long.json)
for _ in $(seq 200); do
    [ "$(stat -c %s made.data)" -lt "$sent" ] || break
    sleep 0.05
done
[ "$(stat -c %s made.data)" = "$sent" ] || fail "encode -j3 wrote $(stat -c %s made.data) bytes of $sent"
tail -n +$((n / 2 + 1)) long.json >&3
exec 3>&-
wait $pid || fail 'encode -j3 of a pipe'
same made.data long.data

# -j0: as many as this process may use.
[ "$("$PERFDATA" bench --json -j0 --repeat 1 --only frame one.data | grep -o '"threads":[0-9]*')" = \
    "\"threads\":$(nproc)" ] || fail "-j0 with $(nproc) cores"
[ "$(taskset -c "$(taskset -cp $$ | grep -o '[0-9]*$')" "$PERFDATA" bench --json -j0 --repeat 1 --only frame \
    one.data | grep -o '"threads":[0-9]*')" = '"threads":1' ] || fail "-j0 with one core"

# A reader that takes nothing holds the command up while its threads are there.
own=0
! grep -qa __tsan_init "$PERFDATA" || own=1 # ThreadSanitizer has one, too
# held ARGUMENT...: how many threads it has.
held() {
    local pid
    rm -f fifo
    mkfifo fifo
    "$PERFDATA" "$@" >fifo 2>/dev/null &
    pid=$!
    exec 3<fifo
    head -c 1000 <&3 >/dev/null
    tasks=(/proc/$pid/task/*)
    exec 3<&-
    wait $pid || true
    echo $((${#tasks[@]} - own))
}
for verb in dump decode; do
    for j in 3 16 64; do
        n=$(held $verb -j$j long.data)
        [ "$n" = $((j < 16 ? j : 16)) ] || fail "$verb -j$j has $n threads"
    done
done
# Threads decompress four recordings at a time, not five.
for seed in 1 2 3 4 5; do gen zipped.$seed --seed $seed --preset build -z -c 30000; done
four=$(held merge -q --any-clock -j4 -o - zipped.[1-4])
five=$(held merge -q --any-clock -j4 -o - zipped.[1-5])
[ "$five" -lt "$four" ] || fail "merge -j4 has $four threads for four recordings, $five for five"
