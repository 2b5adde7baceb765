#!/usr/bin/env bash
# edit: features are set and dropped in every container, and everything else stays unchanged.
. "$(dirname "$0")/../frame_lib.sh"

edit() { # INPUT OUTPUT OPTION...
    "$PERFDATA" edit -q -f -i "$1" -o "$2" "${@:3}" || fail "edit $*: $?"
}
convert() { # INPUT OUTPUT OPTION...
    "$PERFDATA" convert -q -f -i "$1" -o "$2" "${@:3}" || fail "convert $*: $?"
}
checked() {
    "$PERFDATA" check -q "$1" >check.out || fail "check $1: $(head -n 3 check.out)"
}
feature() { # FILE NAME: its bytes
    "$PERFDATA" extract -q -f --feature "$2" -o section "$1" 2>/dev/null && cat section || echo none
}
says() { # FILE NAME TEXT: the feature is this text in its slot
    [ "$(feature "$1" "$2" | tail -c +5 | tr -d '\0')" = "$3" ] ||
        fail "$1: $2 is $(feature "$1" "$2" | tr -d '\0')"
}
# records FILE: all of them but those that are about features, without offsets.
records() {
    "$PERFDATA" dump "$1" 2>/dev/null | awk '
        function flush() {
            if (text !~ /HEADER_(FEATURE|BUILD_ID|TRACING_DATA)|\n  feature: /) printf "%s", text
            text = ""
        }
        /^0x/ { flush(); sub(/^[^ ]* /, "") }
        !/file_offset/ { text = text $0 "\n" }
        END { flush() }'
}
# others OLD NEW NAME...: besides the named features, both have the same.
others() {
    local n
    cmp -s <(records "$1") <(records "$2") ||
        fail "$2: its records: $(diff <(records "$1") <(records "$2") | head -n 5)"
    for n in $(seq 0 40); do
        case " ${*:3} 18 " in *" $n "*) continue ;; esac
        [ "$1" = "$2" ] || cmp -s <(feature "$1" "$n") <(feature "$2" "$n") ||
            fail "$2: feature $n has changed"
    done
}
str64() {
    le 4 64 && printf %s "$1" && zeros $((64 - ${#1}))
}
feature_record() { # NUMBER SIZE, the bytes follow from standard input
    le 4 80 && le 2 0 $((16 + $2)) && le 8 "$1" && cat
}

# ---- By hand: HOSTNAME, an unknown feature 200, and two AUXTRACE records with their index.
aux() { # CPU BYTES
    le 4 71 && le 2 0 48 && le 8 ${#2} 0 0 && le 4 0 71 "$1" 0 && printf %s "$2"
}
hand() { # EXTRA-RECORDS-FILE
    { tiny_records && cat "$1" && aux 0 'first of 0 pads.' && aux 1 'all of 1 padding'; } >records
    local size table at
    size=$(stat -c %s records)
    table=$((248 + size))
    at=$((248 + 56 + $(stat -c %s "$1")))
    printf PERFILE2
    le 8 104 144 104 144 248 "$size" 0 0
    le 8 $((1 << 3 | 1 << 18)) 0 0 $((1 << 8))
    le 4 1 128
    le 8 0 1000 7 0 0
    zeros 80
    le 8 0 0
    cat records
    le 8 $((table + 48)) 68 $((table + 116)) 40 $((table + 156)) 5
    str64 somewhere
    le 8 2 $at 48 $((at + 64)) 48
    printf 'bytes'
}
: >nothing
hand nothing >first.data
checked first.data
# The first edit only changes the offset of no ids.
edit first.data hand.data --drop-feature 99
[ "$(cmp -l first.data hand.data | awk '{ print $1 }' || true)" = 233 ] ||
    fail "only where no ids are may differ"
checked hand.data
edit hand.data out.data --set-feature hostname=elsewhere
checked out.data
# The layout is the writer's own here: only the name differs.
{ head -c 480 hand.data && str64 elsewhere && tail -c +549 hand.data; } >want
same want out.data
edit hand.data out.data --set-feature HOSTNAME=elsewhere --set-feature 3=somewhere
same hand.data out.data
edit hand.data out.data --drop-feature hostname --drop-feature 200
others hand.data out.data 3 200
expect 1 "$PERFDATA" extract --feature hostname out.data
expect 1 "$PERFDATA" extract --feature 200 out.data
edit out.data back.data --set-feature hostname=somewhere --set-feature 200=@<(printf bytes)
same hand.data back.data
"$PERFDATA" edit -q -i - -o out.data -f --set-feature 200=@<(printf BYTES) < <(cat hand.data)
printf BYTES | cmp - <(feature out.data 200) || fail "an unknown feature from a file"
others hand.data out.data 200

# ---- What is set by text. perf fills slots of 64 bytes with zeros.
value() { # OPTION-VALUE WANTED-BYTES-FILE
    edit hand.data out.data --set-feature "$1"
    feature out.data "${1%%=*}" >got
    cmp -s got "$2" || fail "$1: $(xxd got | head -n 4)"
    checked out.data
}
for name in hostname osrelease version arch cpudesc cpuid; do
    str64 'a text' >want && value "$name=a text" want
done
le 4 8 4 >want && value nrcpus=8,4 want
le 4 8 8 >want && value nrcpus=8 want
le 8 8388608 >want && value total_mem=8G want && value total_mem=8388608 want && value total_mem=8192M want
{ le 4 4 && str64 perf && str64 record && str64 'a "b' && str64 ''; } >want
value "cmdline= perf  rec\"ord\" 'a \"b' \"\"" want
le 8 1500000000 2000000001 >want && value sample_time=1500000000,2000000001 want &&
    value sample_time=1.5,2.000000001 want
le 8 1 >want && value clockid=1 want
le 4 62 0 >want && value e_machine=62 want
le 4 8 5 >want && value e_machine=8,0x5 want
le 4 64 >want && value cln_size=64 want
edit hand.data out.data --set-feature stat --set-feature branch_stack
"$PERFDATA" info --json out.data | grep -q STAT || fail "no STAT"
others hand.data out.data 15 19
edit out.data back.data --drop-feature stat --drop-feature branch_stack
same hand.data back.data

# ---- Every container, there and back.
convert hand.data hand.pipe --to pipe
convert hand.data hand.dir --to dir
convert hand.data hand.z -z
convert hand.data hand.big --endian big
convert hand.big big.pipe --to pipe
convert hand.dir big.dir --endian big
convert hand.z zstd.pipe --to pipe -z
convert hand.data v1.data --attr-size 64
printf PERFFILE | dd of=v1.data conv=notrunc status=none
checked v1.data
for f in hand.pipe hand.dir hand.z hand.big big.pipe big.dir zstd.pipe v1.data; do
    rm -rf new back
    edit $f new --set-feature hostname=elsewhere --set-feature cpudesc=quick --set-feature nrcpus=7,6 \
        --drop-feature 200
    checked new
    says new hostname elsewhere
    says new cpudesc quick
    [ "$("$PERFDATA" info -I new | grep -c 'nrcpus avail : 7')" = 1 ] || fail "$f: nrcpus"
    expect 1 "$PERFDATA" extract --feature 200 new
    others $f new 3 7 8 200
    edit new back --set-feature hostname=somewhere --drop-feature cpudesc --drop-feature NRCPUS \
        --set-feature 200=@<(printf bytes)
    others $f back
    [ "$("$PERFDATA" info --json $f | grep -o '"container":"[a-z]*"')" = \
        "$("$PERFDATA" info --json new | grep -o '"container":"[a-z]*"')" ] || fail "$f: another container"
    case $f in
    *.pipe | *.dir) ;;
    *) same $f back ;;
    esac
    # To standard output it is a stream.
    "$PERFDATA" edit -q -i $f -o - --set-feature hostname=elsewhere >stdout.pipe
    checked stdout.pipe
    says stdout.pipe hostname elsewhere
    # What is not there needs no dropping.
    rm -rf new
    edit $f new --drop-feature cpudesc
    diff -r $f new || fail "$f: nothing was to change"
done
for f in hand.pipe big.pipe zstd.pipe; do
    # shellcheck disable=SC2002
    cat $f |
        "$PERFDATA" edit -q -i - -o new -f --set-feature hostname=elsewhere --set-feature hostname=somewhere
    same $f new
done
head -c 8 v1.data | cmp - <(printf PERFFILE)
mkdir -p hand.dir/kcore_dir && echo symbols >hand.dir/kcore_dir/kallsyms
edit hand.dir new --set-feature hostname=elsewhere
cmp hand.dir/kcore_dir/kallsyms new/kcore_dir/kallsyms || fail "other files of a directory"
cmp hand.dir/data.0 new/data.0 || fail "the records of a directory"
rm -r new

# ---- A stream: what is set stands before the mark, or, where there is none, before the records.
tiny >tiny.data
{
    printf PERFILE2 && le 8 16
    le 4 64 && le 2 0 136 && head -c 232 tiny.data | tail -c 128
} >head.pipe
{ cat head.pipe && le 4 80 && le 2 0 16 && le 8 32 && tiny_records; } >mark.pipe
{ cat head.pipe && str64 here | feature_record 3 68 && le 4 80 && le 2 0 16 && le 8 32 &&
    tiny_records; } >want
edit mark.pipe new --set-feature hostname=here
same want new
{ cat head.pipe && tiny_records; } >bare.pipe
{ cat head.pipe && str64 here | feature_record 3 68 && tiny_records; } >want
edit bare.pipe new --set-feature hostname=here
same want new
edit head.pipe new --set-feature hostname=here
cat head.pipe <(str64 here | feature_record 3 68) >want
same want new
# Google's perf 3.3 has types of its own for them, and begins with the host name.
{ head -c 16 head.pipe && le 4 69 && le 2 0 76 && str64 here && le 4 76 && le 2 0 16 && le 8 9 &&
    tail -c +17 bare.pipe; } >old.pipe
edit old.pipe new --set-feature hostname=there --drop-feature total_mem
{ head -c 16 head.pipe && le 4 69 && le 2 0 76 && str64 there && tail -c +17 bare.pipe; } >want
same want new
expect 2 "$PERFDATA" edit -i old.pipe -o never --drop-feature hostname
has err 'must be the first record'
# Build ids and tracing data are records of their own.
entry() { # TYPE
    le 4 "$1" && le 2 2 44 && le 4 4294967295 && printf %020d 7 && le 4 0 && printf 'a.so\0\0\0\0'
}
blob() {
    printf '\027\010\104tracing0.5\0\0\010' && le 4 4096
    printf 'header_page\0' && le 8 0 && printf 'header_event\0' && le 8 0 && le 4 0 0 0 0
}
entry 0 >ids
blob >tracing
edit bare.pipe new --set-feature build_id=@ids --set-feature tracing_data=@tracing
checked new
feature new tracing_data | cmp - tracing || fail "tracing data in a stream"
expect 0 "$PERFDATA" extract --build-ids new
has out a.so
"$PERFDATA" edit -q -i bare.pipe -o ids.pipe --set-feature build_id=@ids --set-feature tracing_data=@tracing
edit ids.pipe new --drop-feature build_id --drop-feature tracing_data
same bare.pipe new
edit ids.pipe new --set-feature build_id=@ids --set-feature tracing_data=@tracing
same ids.pipe new
edit tiny.data new --set-feature build_id=@ids --set-feature tracing_data=@tracing
feature new build_id | cmp - ids || fail "build ids in a file"

# ---- Records with features among the data of a file, as perf inject leaves them, change too; the index moves
# along.
{ str64 somewhere | feature_record 3 68 && entry 67; } | cat >extra
truncate -s %4 extra
hand extra >inject.data
"$PERFDATA" check -q inject.data >/dev/null || fail "inject.data"
edit inject.data out.data --set-feature hostname=elsewhere --drop-feature build_id
checked out.data
! grep -aq somewhere out.data || fail "the old name is still there"
! grep -aq a.so out.data || fail "the build id is still there"
[ "$(grep -aoc elsewhere out.data)" -ge 1 ] || fail "the new name is not there"
edit inject.data out.data --drop-feature hostname --drop-feature build_id
! grep -aq somewhere out.data || fail "the old name is still there"
edit hand.data want --drop-feature hostname
same want out.data

# ---- What cannot be.
refused() { # TEXT COMMAND-LINE...
    local text=$1
    shift
    expect 2 "$PERFDATA" edit -f "$@"
    has err "$text"
    [ ! -e never ] || fail "an output although it was refused: $*"
}
refused 'what is to change' -i hand.data -o never
refused 'where to' -i hand.data --set-feature hostname=x
refused 'there is no "host"' -i hand.data -o never --set-feature host=x
refused 'there is no ""' -i hand.data -o never --set-feature =x
refused 'there is no "256"' -i hand.data -o never --drop-feature 256
refused 'never overwritten' -i hand.data -o hand.data --set-feature hostname=x
refused 'never overwritten' -i hand.dir -o hand.dir --set-feature hostname=x
expect 2 "$PERFDATA" edit -i hand.data -o back.data --set-feature hostname=x
has err '-f replaces it'
refused 'a value is needed' -i hand.data -o never --set-feature hostname
refused 'number' -i hand.data -o never --set-feature cln_size=big
refused 'kB' -i hand.data -o never --set-feature total_mem=8X
refused 'kB' -i hand.data -o never --set-feature total_mem=99999999999T
refused 'AVAILABLE,ONLINE' -i hand.data -o never --set-feature nrcpus=1,x
"$PERFDATA" convert -q --to file -f -o own.data "$PERFDATA_SOURCE/corpus/callgraph.data"
refused 'cpu_topology is for another number' -i own.data -o never --set-feature nrcpus=9,3
refused 'cpu_topology is for another number' -i own.data -o never --drop-feature nrcpus
"$PERFDATA" convert -f --to pipe -i own.data -o own.pipe
refused 'nrcpus: cpu_topology is for another number' -i own.pipe -o never --set-feature nrcpus=9,3
refused 'nrcpus: cpu_topology is for another number' -i own.pipe -o never --drop-feature nrcpus
expect 0 "$PERFDATA" edit -f -i own.pipe -o new --set-feature nrcpus=9,3 --drop-feature cpu_topology
refused 'can only be set in a directory' -i own.data -o never --set-feature dir_format=1
refused 'more cpus' -i hand.data -o never --set-feature nrcpus=1,2
refused 'FIRST,LAST' -i hand.data -o never --set-feature sample_time=1
refused 'FIRST,LAST' -i hand.data -o never --set-feature sample_time=1.0000000001,2
refused 'before the first' -i hand.data -o never --set-feature sample_time=2.0,1.0
refused 'quote' -i hand.data -o never --set-feature "cmdline=perf 'record"
refused 'always empty' -i hand.data -o never --set-feature stat=1
refused 'cache=x.*=@FILE' -i hand.data -o never --set-feature cache=x
refused 'No such file' -i hand.data -o never --set-feature cache=@none
printf '\100\0\0\0short' >short
refused 'hostname=@short.*text' -i hand.data -o never --set-feature hostname=@short
refused 'build_id=@short' -i hand.data -o never --set-feature build_id=@short
refused 'AUXTRACE records' -i hand.data -o never --drop-feature auxtrace
refused 'AUXTRACE records' -i hand.data -o never --set-feature auxtrace=@nothing
refused 'compressed records need' -i hand.z -o never --drop-feature compressed
refused 'compressed records need' -i zstd.pipe -o never --drop-feature compressed
refused 'drop-feature dir_format: a directory needs it' -i hand.dir -o never --drop-feature dir_format
refused 'no directory' -i hand.pipe -o never --set-feature dir_format=1
refused 'marks the end' -i hand.pipe -o never --set-feature hostname=@nothing
head -c 65520 /dev/zero >large
refused 'too large' -i hand.pipe -o never --set-feature 200=@large
edit hand.data out.data --set-feature 200=@large
feature out.data 200 | cmp - large
expect 2 "$PERFDATA" edit -i none.data -o never --set-feature hostname=x
expect 4 "$PERFDATA" edit -i hand.data -o /nowhere/x --set-feature hostname=x
expect 2 "$PERFDATA" edit -i hand.data -o never --nonsense
expect 0 "$PERFDATA" edit --help
has out '=@FILE'
[ -z "$(find . -name '.perfdata-*')" ] || fail "left behind: $(find . -name '.perfdata-*')"
# Damage: what is intact comes along, status 3.
head -c 290 tiny.data >cut.data
expect 3 "$PERFDATA" edit -f -i cut.data -o out.data --set-feature hostname=here
has err 'cut.data: at offset'
checked out.data
says out.data hostname here

# ---- Memory does not grow with the recording.
many 18 >many.data
convert many.data many.pipe --to pipe
for f in many.data many.pipe; do
    peak=$(peak_memory "$PERFDATA" edit -q -f -i $f -o many.out --set-feature hostname=x)
    [ "$peak" -lt "$(most_memory 8000)" ] || fail "$f: $peak kB"
done

# ---- As perf sees it.
record perf.data -e cpu-clock -g -- ls /
script() {
    perf script -i "$1" 2>/dev/null
}
header() {
    perf report --header-only -i "$1" 2>/dev/null |
        grep -v 'captured on\|data size\|feat offset\|data offset\|missing features'
}
edit perf.data new.data --set-feature hostname=elsewhere --set-feature 'cmdline=perf record -a' \
    --drop-feature cpuid
[ -n "$(script perf.data)" ] || fail "perf script says nothing"
cmp <(script perf.data) <(script new.data) || fail "perf script differs"
diff <(header perf.data) <(header new.data) >diff.out || true
has diff.out '> # hostname : elsewhere'
has diff.out '> # cmdline : perf record -a'
has diff.out '< # cpuid'
[ "$(grep -c '^[<>]' diff.out)" = 5 ] || fail "perf's header: $(cat diff.out)"
"$PERFDATA" edit -q -i perf.data -o - --set-feature hostname=elsewhere >new.pipe
[ "$(header - <new.pipe | grep -c 'hostname : elsewhere')" = 1 ] || fail "a stream's host name"
cmp <(script perf.data) <(script - <new.pipe) || fail "perf script differs on a stream"
edit new.pipe new2.pipe --set-feature hostname=nowhere --drop-feature cpuid
[ "$(header - <new2.pipe | grep -c 'hostname : nowhere')" = 1 ] || fail "a stream's host name"
cmp <(script perf.data) <(script - <new2.pipe) || fail "perf script differs on a stream"
record z.data -e cpu-clock -z -g -- ls /
edit z.data new.data --set-feature hostname=elsewhere
cmp <(script z.data) <(script new.data) || fail "perf script differs on a compressed file"
[ "$(header new.data | grep -c 'hostname : elsewhere')" = 1 ] || fail "a compressed file's host name"

# ---- The corpus: set, and set back.
[ -n "${PERFDATA_CORPUS:-}" ] || {
    echo "the corpus is not there: only small recordings were edited"
    exit 0
}
n=0
mapfile -t recordings < <(corpus_files 4)
for f in "${recordings[@]}"; do
    alive "$PERFDATA" check -q "$f" >/dev/null 2>&1 || continue
    feature "$f" hostname >old
    rm -rf there back
    edit "$f" there --set-feature hostname=elsewhere --drop-feature cln_size
    says there hostname elsewhere
    if [ ! -s old ] || cmp -s old <(echo none); then
        edit there back --drop-feature hostname
    else
        edit there back --set-feature hostname=@old
    fi
    checked back
    cmp -s <(records "$f") <(records there) || fail "$f: other records"
    edit "$f" same --drop-feature 99
    edit back back2 --drop-feature 99
    same same back2
    n=$((n + 1))
done
echo "$n recordings of the corpus"
[ "$n" -gt "$(least 10)" ] || fail "only $n recordings in the corpus"
