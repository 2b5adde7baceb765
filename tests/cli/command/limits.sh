#!/usr/bin/env bash
# What the command does beyond limits of SECURITY.md that little is enough to reach, and what is just within
# them. The numbers are those of that page.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'

# refused TEXT COMMAND...: wrong usage, which is told with that text; nothing is written.
refused() {
    local text=$1
    shift
    expect 2 "$PERFDATA" "$@"
    has err "$text"
    [ ! -e never ] || fail "$* left an output"
}

# repeat N TEXT
repeat() { for _ in $(seq "$1"); do printf %s "$2"; done; }

# nested N DIR: so many directories inside each other, in each of which is a file.
nested() {
    local path=$2 i
    for i in $(seq "$1"); do
        path=$path/$i
        mkdir -p "$path"
        echo "$i" >"$path/file"
    done
}

"$PERFDATA" gen -q -c 100 -o x.data

# ---- Options

expect 0 "$PERFDATA" info -j 1024 x.data
refused 1024 info -j 1025 x.data
expect 0 "$PERFDATA" bench --repeat 1 --only frame x.data
refused 1000 bench --repeat 1001 --only frame x.data
many() { for i in $(seq "$1"); do printf -- '--command\nc%d=true\n' "$i"; done; }
mapfile -t args < <(many 64)
expect 0 "$PERFDATA" bench --repeat 1 "${args[@]}" x.data
mapfile -t args < <(many 65)
refused 64 bench --repeat 1 "${args[@]}" x.data
expect 0 "$PERFDATA" bench --repeat 1 --command "long=true $(repeat 3900 0123456789)" x.data
expect 1 "$PERFDATA" bench --repeat 1 --command "long=true $(repeat 4000 0123456789)" x.data
has err 'too long'
weights() { seq -s, -f FORK:%g "$1"; }
expect 0 "$PERFDATA" gen -q --random -c 10 -t "$(weights 256)" -o weights.data
refused 256 gen -q --random -c 10 -t "$(weights 257)" -o never
fields() { seq -s, -f 'f%g' "$1"; }
expect 0 "$PERFDATA" export --to parquet -F "$(fields 1024)" -o fields.parquet x.data
refused 1024 export --to parquet -F "$(fields 1025)" -o never x.data
expect 0 "$PERFDATA" report -s comm,pid,tid,dso,cpu,cgroup,event,time/3 x.data
"$PERFDATA" symbols -q -o known.syms x.data
refused "more than 8 keys" report --symbols known.syms -s comm,pid,tid,dso,sym,cpu,cgroup,event,time/3 x.data

# ---- Files that options name

head -c 65536 /dev/urandom >key
expect 0 "$PERFDATA" redact --unknown drop --pids hash --key key -o keyed.data -i x.data
echo >>key
refused '65536 bytes at most' redact --unknown drop --pids hash --key key -o never -i x.data
printf 'event cycles 100%%\nprocess p 100%%\n function f 0x10 100%%\n' >text
head -c $((1048576 - $(wc -c <text) - 1)) /dev/zero | tr '\0' '#' >pad
{ cat text pad && echo; } >full
[ "$(wc -c <full)" = 1048576 ] || fail 'another size'
mv full text
expect 0 "$PERFDATA" gen -q --workload text -c 10 -o text.data
echo >>text
refused '1 MiB' gen -q --workload text -c 10 -o never
# longest N BEFORE BEHIND: a line of a description whose name may go on for N bytes, and no more.
longest() {
    printf 'process p\n%s%s%s\n' "$2" "$(repeat "$1" x)" "$3" >text
    expect 0 "$PERFDATA" gen -q -f --workload text -c 10 -o text.data
    printf 'process p\n%s%s%s\n' "$2" "$(repeat $(($1 + 1)) x)" "$3" >text
    refused 'too long' gen -q --workload text -c 10 -o never
}
longest 57 'event sched:' ''
longest 39 ' function ' ' 0x10 5%'
longest 126 'process q in /' ''
truncate -s 256M feature
echo >>feature
refused '256 MiB' edit --set-feature hostname=@feature -o never -i x.data
truncate -s 256M x.syms
echo >>x.syms
refused '256 MiB' report --symbols x.syms x.data
rm feature x.syms

# ---- Texts

"$PERFDATA" decode -q -o x.json x.data
{ head -n 1 x.json && head -c $((16 << 20)) /dev/zero | tr '\0' ' ' && sed 1d x.json; } >wide.json
expect 3 "$PERFDATA" encode -q -o never wide.json
has err '16777216'
[ ! -e never ] || fail 'a line that is too long left an output'

# ---- Directories

"$PERFDATA" convert -q --to dir -o x.d -i x.data
nested 18 x.d
expect 0 "$PERFDATA" convert --to dir -o copy.d -i x.d
has err '/1/2/3/4/5/6/7/8/9 is not copied'
[ -e copy.d/1/2/3/4/5/6/7/8/file ] || fail 'the eighth directory is not copied'
expect 0 "$PERFDATA" decode -o x.d.json x.d
has err '/1/2/3/4/5/6/7/8/9 is not printed'
has x.d.json '1/2/3/4/5/6/7/8/file'
cp -r x.d y.d
seventeen=$(seq -s/ 17)
echo other >"y.d/$(seq -s/ 16)/file"
expect 1 "$PERFDATA" cmp x.d y.d
cp "x.d/$(seq -s/ 16)/file" "y.d/$(seq -s/ 16)/file"
echo other >"y.d/$seventeen/file"
expect 0 "$PERFDATA" cmp x.d y.d
rm -r "y.d/${seventeen:?}"
expect 1 "$PERFDATA" cmp x.d y.d

# ---- What is told

# pipe COMMAND...: a stream of one event with an id, whose samples have an address, and what the command
# writes.
pipe() {
    printf PERFILE2 && le 8 16
    le 4 64 && le 2 0 80 && le 4 1 64 && le 8 0 1 1 0 0 && le 4 0 0 && le 8 0 7
    "$@"
}
# records N TYPE STEP: so many without content.
records() {
    python3 -c 'import struct, sys
n, kind, step = map(int, sys.argv[1:])
sys.stdout.buffer.write(b"".join(struct.pack("<IHH", kind + i * step, 0, 8) for i in range(n)))' "$@"
}

pipe records 10 9 0 >ten.pipe
pipe records 70 9 0 >damaged.pipe
expect 3 "$PERFDATA" hash ten.pipe
[ "$(grep -c 'at offset' err)" = 10 ] || fail 'hash does not tell all ten places'
! grep 'places' err || fail 'there are no more'
for verb in hash 'cmp damaged.pipe'; do
    # shellcheck disable=SC2086 # words
    alive "$PERFDATA" $verb damaged.pipe >out 2>err || true
    [ "$(grep -c 'at offset' err)" = 10 ] || fail "$verb: other than 10 places are told"
    has err '\(7\|14\)0 places could not be read'
done
for verb in check info 'filter -f -o whole.data'; do
    # shellcheck disable=SC2086 # words
    expect 3 "$PERFDATA" $verb damaged.pipe
    [ "$(cat out err | grep -c 'at offset .* record [0-9]* of type 9')" = 70 ] ||
        fail "$verb: not all 70 are told"
done
# Between these, samples that are whole: each place is lost by itself.
apart() { for _ in $(seq "$1"); do le 4 9 && le 2 0 8 && le 4 9 && le 2 0 16 && le 8 7; done; }
for n in 10 12; do
    pipe apart $n >apart.pipe
    expect 3 "$PERFDATA" repair -f -o whole.data apart.pipe
    [ "$(grep -c 'are lost' err)" = 10 ] || fail "repair: not 10 places are told: $(cat err)"
    has err "in $n places"
done
expect 3 "$PERFDATA" repair --report apart.pipe
[ "$(grep -c '^lost: ' out)" = 12 ] || fail 'repair --report: not all places are told'
expect 3 "$PERFDATA" info --json damaged.pipe
python3 -c 'import json, sys; assert len(json.load(sys.stdin)["damage"]) == 64' <out ||
    fail 'not 64 are listed'
pipe records 64 1000 1 >types.pipe
expect 0 "$PERFDATA" redact --unknown drop -o some.data -i types.pipe
[ "$(grep -c 'do not come along' err)" = 64 ] || fail 'not each type is told'
! grep 'of other types' err || fail 'there are no others'
pipe records 70 1000 1 >types.pipe
expect 0 "$PERFDATA" redact --unknown drop -f -o some.data -i types.pipe
has err '6 records of other types do not come along'
some() { seq -s, -f app%g "$1"; }
expect 1 "$PERFDATA" filter -c "$(some 17)" -o none.data -i x.data
[ "$(grep -c 'did you mean "app"' err)" = 16 ] || fail 'not 16 names are compared'
has err 'no task is called "app17"$'
for seed in 1 2 3 4 5 6; do "$PERFDATA" gen -q --seed $seed -c 400 -o gen.$seed; done
"$PERFDATA" merge -q --any-clock -o all.data gen.?
expect 1 "$PERFDATA" redact --unknown drop --comms keep --prove app --prove a -o never -i all.data
[ "$(grep -c 'is in record\|is at offset' err)" = 20 ] || fail 'other than 20 leaks are told'
has err '[0-9]* places have what they must not'

# ---- How far cmp looks ahead: what stands in one recording alone is all that differs, up to there.
own() { records 100 100000 1; }
behind() { records "$1" 1000 1 && own; }
pipe own >own.pipe
pipe behind 4000 >behind.pipe
expect 1 "$PERFDATA" cmp own.pipe behind.pipe
[ "$(grep -c 'only in own' out) $(grep -c 'only in behind' out)" = '0 4000' ] ||
    fail 'cmp does not look 4,000 records ahead'
pipe behind 4200 >behind.pipe
expect 1 "$PERFDATA" cmp own.pipe behind.pipe
has out 'only in own'

# The same of large records: of 60,000 bytes, 4 MiB are more than 60 and fewer than 80.
large() {
    python3 -c 'import struct, sys
sys.stdout.buffer.write(b"".join(struct.pack("<IHH", 1000 + i, 0, 60000) + bytes(59992)
    for i in range(int(sys.argv[1]))))' "$1"
    own
}
pipe large 60 >behind.pipe
expect 1 "$PERFDATA" cmp own.pipe behind.pipe
[ "$(grep -c 'only in own' out) $(grep -c 'only in behind' out)" = '0 60' ] ||
    fail 'cmp does not look 60 large records ahead'
pipe large 80 >behind.pipe
expect 1 "$PERFDATA" cmp own.pipe behind.pipe
has out 'only in own'

# ---- The name of a module
module() { # N: a sample in a module whose name has so many letters
    local file
    file=/lib/modules/6/$(repeat "$1" x).ko
    printf '%s\n' '{"header":{}}' \
        '{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}'
    printf '{"record":{"type":"MMAP","misc":"cpumode=KERNEL","mmap":{"pid":-1,"tid":0,"pgoff":"0",'
    printf '"addr":"0xffffffffc0000000","len":"0x1000","filename":"%s"}}}\n' "$file"
    printf '{"record":{"type":"SAMPLE","misc":"cpumode=KERNEL","sample":'
    printf '{"ip":"0xffffffffc0000010","pid":1,"tid":1,"time":"5"}}}\n'
}
for n in 199 200 201; do
    module $n | "$PERFDATA" encode -q -f -o module.data
    letters=$("$PERFDATA" dump -F ip,dso module.data | grep -o '\[x*\]' | tr -dc x | wc -c)
    [ "$letters" = $((n < 200 ? n : 200)) ] || fail "a module's name of $n letters has $letters"
done

# 64 MiB of records wait in memory for older ones, with what is noted of each: samples of 24 bytes do in a
# file of 8 MiB, and not in one of 16 MiB.
for size in 8 16; do
    python3 -c 'import struct, sys
attr = struct.pack("<IIQQQQQ16x", 1, 64, 0, 1, 0x10004, 0, 1 << 18)
samples = (struct.pack("<IHHQQ", 9, 0, 24, 1, n) for n in range('$size' * 2 ** 20 // 24, 0, -1))
stream = struct.pack("<8sQIHH", b"PERFILE2", 16, 64, 0, 80) + attr + struct.pack("<Q", 1) + b"".join(samples)
sys.stdout.buffer.write(stream)' >backward.data
    expect 0 "$PERFDATA" sort -v -f -o sorted.data backward.data
    grep -q ' 0 temporary files' err && waits=8 || waits=16
    [ $waits = $size ] || fail "of $size MiB: $(cat err)"
done
