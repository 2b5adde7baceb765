#!/usr/bin/env bash
# docs/SCALE.md: its lines for GNU parallel, run as they stand, give what one process gives; begun by another
# run, they do what is left; a damaged piece is a partial result with status 3.
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

# Real recordings have records of tasks that end or are named where no sample is kept.
kept_alike() { # FILE EVENT
    local piece
    rm -rf pieces
    mkdir pieces
    "$PERFDATA" split -q --chunks 4 -i "$1" -o 'pieces/%d' 2>err || return 0
    for piece in pieces/*; do
        "$PERFDATA" filter -q --sideband=all -e "$2" -o "$piece.kept" "$piece" 2>err || return 0 # damaged
    done
    "$PERFDATA" filter -q -f --sideband=all -e "$2" -o one.data "$1" || fail "filter of $1"
    "$PERFDATA" merge -q -f -o merged.data pieces/*.kept || fail "merge of $1"
    [ "$(hash_of merged.data)" = "$(hash_of one.data)" ] || fail "$1: the kept pieces have another content"
    alike=$((alike + 1))
}
alike=0
while read -r file; do
    event=$("$PERFDATA" report -s event "$file" 2>err | awk '!/^#/ && NF { print $NF; exit }')
    [ -z "$event" ] || kept_alike "$file" "$event"
done < <(ls "$PERFDATA_SOURCE"/corpus/*.data && corpus_files 12)
[ $alike -ge 3 ] || fail "$alike recordings"

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
