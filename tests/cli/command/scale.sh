#!/usr/bin/env bash
# docs/SCALE.md: its lines for GNU parallel, run as they stand, give what one process gives; begun by another
# run, they do what is left; a damaged piece is a partial result with status 3. What it says of filtered
# pieces holds for real recordings, however they are cut.
. "$(dirname "$0")/../frame_lib.sh"
command -v parallel >/dev/null || skip 'GNU parallel is not installed'
command -v python3 >/dev/null || skip 'python3 is not installed'
bin=$PWD/bin
mkdir bin examples
ln -s "$PERFDATA" bin/perfdata
ln -s "$PERFDATA_SOURCE/examples/slurm" examples/slurm
PATH=$bin:$PATH
export HOME=$PWD # parallel writes there
export PARALLEL=--will-cite

awk -v RS='```' '/^sh\n/ { sub(/^sh\n/, ""); printf "%s", $0 > ("block" ++n) }' \
    "$PERFDATA_SOURCE/docs/SCALE.md"
[ -s block4 ] && [ ! -e block5 ] || fail "blocks: $(ls block*)"
run() { bash -e "$1" >out 2>err </dev/null || fail "$1: $(cat err)"; }

expect 0 "$PERFDATA" gen -c 4000 --seed 3 --sample-type ip,tid,time,cpu,period,callchain -o x.data
run block1
# Two jobs ran before; one of them failed.
printf 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n' >kept.log
cp parts/0000.data kept/0000.data # as it would not be if the job ran again
printf '1\t:\t1.0\t1.0\t0\t0\t0\t0\tperfdata filter\n2\t:\t1.0\t1.0\t0\t0\t4\t0\tperfdata filter\n' >>kept.log
run block2
same parts/0000.data kept/0000.data
awk -F '\t' 'NR > 1 && $7 == 0 { n[$1]++ } END { for (i = 1; i < 17; i++) if (n[i] != 1) exit 1 }' kept.log ||
    fail "$(cat kept.log)"
rm kept.log y.data kept/*
run block2
"$PERFDATA" filter -q --sideband=all -e cycles -o one.data x.data || fail filter
"$PERFDATA" hash one.data | cut -d ' ' -f 1 >want
"$PERFDATA" hash y.data | cut -d ' ' -f 1 >got
same want got
"$PERFDATA" report -s comm,dso one.data >want
"$PERFDATA" report -s comm,dso y.data >got
same want got

# Real recordings have records of tasks that end or are named where no sample is kept, and records without a
# time or of equal time. What is said of them there, for each way to cut.
shown() { # FILE: what is shown of its samples
    "$PERFDATA" report -s comm,pid,tid,dso "$1" 2>err || [ $? = 3 ]
    "$PERFDATA" export --to folded -q -s comm,tid "$1" 2>err | LC_ALL=C sort
}
kept_alike() { # FILE EVENT SIDEBAND DIFFERENCE HOW...
    local file=$1 event=$2 sideband=$3 difference=$4 piece status=0
    shift 4
    rm -rf pieces
    mkdir pieces
    "$PERFDATA" split -q "$@" -i "$file" -o 'pieces/%d' 2>err || return 0 # damaged, or with AUX data
    for piece in pieces/*; do
        "$PERFDATA" filter -q --sideband="$sideband" -e "$event" -o "$piece.kept" "$piece" 2>err || return 0
    done
    "$PERFDATA" filter -q -f --sideband="$sideband" -e "$event" -o one.data "$file" || fail "filter of $file"
    "$PERFDATA" merge -q -f -o merged.data pieces/*.kept || fail "merge of $file"
    alive "$PERFDATA" cmp --ignore offset,order,container one.data merged.data >differences || status=$?
    [ "$status" -le 1 ] || fail "cmp of $file: status $status"
    # If the filter drops no sample, it leaves SAMPLE_TIME, also where that was wrong.
    if grep -Ev "^feature sample_time: |$difference" differences >unexpected; then
        fail "$file, $event, $*, --sideband=$sideband: $(head -n 4 unexpected)"
    fi
    shown one.data >want
    shown merged.data >got
    same want got
    alike[$1$2$sideband]=$((${alike[$1$2$sideband]:-0} + 1))
    [ "$(hash_of one.data)" != "$(hash_of merged.data)" ] ||
        hashes[$1$2$sideband]=$((${hashes[$1$2$sideband]:-0} + 1))
}
declare -A alike hashes
none='^$'
again='^record [0-9]+ (FORK|COMM|MMAP2?) at 0x[0-9a-f]+: only in merged.data$'
fewer='^record [0-9]+ (FORK|COMM|EXIT|MMAP2?) at 0x[0-9a-f]+: only in one.data$'
either='^record [0-9| ]+ (FORK|COMM|EXIT|MMAP2?) at [0-9a-fx| ]+: '
while read -r file; do
    event=$("$PERFDATA" report -s event "$file" 2>err | awk '!/^#/ && NF { print $NF; exit }')
    [ -n "$event" ] || continue
    kept_alike "$file" "$event" all "$none" --chunks 4
    kept_alike "$file" "$event" all "$none" --by pid
    kept_alike "$file" "$event" all "$again" --by cpu
    kept_alike "$file" "$event" all "$again" --by event
    kept_alike "$file" "$event" needed "$fewer" --chunks 4
    kept_alike "$file" "$event" needed "$fewer" --by pid
    kept_alike "$file" "$event" needed "$either" --by cpu
done < <(ls "$PERFDATA_SOURCE"/corpus/*.data && corpus_files 12)
for way in --chunks4all --bypidall --chunks4needed --bypidneeded; do
    [ "${alike[$way]:-0}" -ge 3 ] || fail "$way: ${alike[$way]:-0} recordings"
    echo "$way: ${alike[$way]} recordings alike, ${hashes[$way]:-0} of them with the same hash"
done
# Only SAMPLE_TIME, or the order of records of equal time, makes the hash of chunks another one.
[ $((10 * hashes[--chunks4all])) -ge $((9 * alike[--chunks4all])) ] || fail "hashes: $(declare -p hashes)"

run block3
"$PERFDATA" export --to folded -q x.data | LC_ALL=C sort >want
same want profile.folded
"$PERFDATA" export --to folded -q parts/*.data | LC_ALL=C sort >got
same want got

run block4
rows() {
    for table; do
        python3 "$PERFDATA_SOURCE/tests/cli/export/parquet_read.py" "$table" time tid ip period callchain \
            2>groups | tail -n +2
    done | LC_ALL=C sort
}
"$PERFDATA" export --to parquet -q -o x.parquet x.data || fail export
rows x.parquet >want
rows tables/*.parquet >got
same want got

# ---- A piece that is cut short
head -c $(($(stat -c %s parts/0005.data) * 2 / 3)) parts/0005.data >cut
mv cut parts/0005.data
rm stacks.log
status=0
bash -e block3 >out 2>err </dev/null || status=$?
[ "$status" = 1 ] || fail "status $status" # one job
[ "$(awk '$7 == 3 { print $1 }' stacks.log)" = 6 ] || fail "$(cat stacks.log)"
examples/slurm/add.py stacks/* >got
status=0
"$PERFDATA" export --to folded -q parts/*.data 2>err >out || status=$?
[ "$status" = 3 ] || fail "status $status"
LC_ALL=C sort out >want
same want got
