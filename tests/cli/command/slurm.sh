#!/usr/bin/env bash
# examples/slurm, without Slurm: an sbatch that runs each job at once (tests/full/scale/slurm.sh has the real
# one). Recordings that are damaged are partial results, also one of which nothing can be read; what failed
# otherwise is submitted again, and told as missing in the end. Paths are those of the caller's folder.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'
slurm=$PERFDATA_SOURCE/examples/slurm
mkdir bin
ln -s "$PERFDATA" bin/perfdata
cat >bin/sbatch <<'END'
#!/usr/bin/env bash
echo "$*" >>log/submitted
ids=none
for word; do
    case $word in
    --array=*) ids=${word#*=} ;;
    --*) ;;
    *) break ;;
    esac
    shift
done
[ "$ids" = "${ids/-/}" ] || ids=$(seq -s , "${ids%-*}" "${ids#*-}")
for id in ${ids//,/ }; do
    { SLURM_ARRAY_TASK_ID=$id bash "$@" >>log/jobs 2>&1; } 2>/dev/null || echo "$* $id: $?" >>log/failed
done
echo 1
END
chmod +x bin/sbatch
PATH=$PWD/bin:$PATH
submit() { # LIST DIRECTORY
    PERFDATA=bin/perfdata bash "$slurm/submit.sh" "$@" >job || fail "submit: $(cat "$2"/log/*)"
}
first() { [ "$(head -n 1 "$1/report")" = "$2" ] || fail "$1: $(cat "$1/report")"; }

# ---- Damage. The paths are relative, one has spaces, and the last line has no end.
mkdir recordings lists
"$PERFDATA" gen -q -c 2000 --seed 3 --sample-type ip,tid,time,cpu,period,callchain -o recordings/0.data
echo 'no recording' >recordings/1.data
head -c $(($(stat -c %s recordings/0.data) * 2 / 3)) recordings/0.data >'recordings/ 2 .data'
: >recordings/3.data
"$PERFDATA" filter -q --pid 999999 -o recordings/4.data recordings/0.data || fail filter
printf '%s\n' recordings/0.data '' ./recordings/1.data >lists/all
printf '%s' "recordings/ 2 .data
$PWD/recordings/3.data
recordings/4.data" >>lists/all
submit lists/all profile
printf '%s\n' "$PWD/recordings/0.data" "$PWD/./recordings/1.data" "$PWD/recordings/ 2 .data" \
    "$PWD/recordings/3.data" "$PWD/recordings/4.data" >want
same want profile/list
printf '%s\n' '--parsable --array=0-4 --output=log/map-%A-%a map.sh' \
    '--parsable --dependency=afterany:1 --output=log/reduce-%j reduce.sh 1' >want
same want profile/log/submitted
first profile '5 of 5 recordings, 3 of them partial, after 1 tries'
has profile/report "^partial, without a result: $PWD/./recordings/1.data: .*no perf.data$"
has profile/report "^partial: $PWD/recordings/ 2 .data: .*beyond the end"
has profile/report "^partial, without a result: $PWD/recordings/3.data: .*ends after 0 of"
[ "$(wc -l <profile/report)" = 4 ] || fail "$(cat profile/report)"
expect 3 "$PERFDATA" export --to folded -q recordings/0.data 'recordings/ 2 .data'
LC_ALL=C sort out >want
same want profile/profile.folded
[ ! -e profile/log/failed ] || fail "$(cat profile/log/failed)"

# ---- Nothing can be read of any: a profile without stacks.
echo recordings/1.data >list
submit list nothing
first nothing '1 of 1 recordings, 1 of them partial, after 1 tries'
[ -e nothing/profile.folded ] || fail 'no profile'
empty nothing/profile.folded

# ---- Status 2, of a recording that is not there: three tries, then it is missing, and the reduction fails.
cp lists/all list
printf '\nrecordings/missing.data\n' >>list
submit list other
first other '5 of 6 recordings, 3 of them partial, after 3 tries'
has other/report "^missing: $PWD/recordings/missing.data$"
same want other/profile.folded
printf '%s\n' 'map.sh 5: 2' 'map.sh 5: 2' 'map.sh 5: 2' 'reduce.sh 3 none: 1' >failures
LC_ALL=C sort other/log/failed >got # the reductions wait for each other here
same failures got

# ---- Tasks that leave less than a result the first time: killed, another status, no stacks, no status.
echo recordings/0.data >list
submit list whole
# shellcheck disable=SC2016 # for bin/dies
for how in 'kill -KILL $PPID' 'exit 1' 'exit 4' 'exit 0' 'mkdir parts/0.status.new; exit 3'; do
    rm -rf tried again
    printf '%s\n' '#!/usr/bin/env bash' "if mkdir '$PWD/tried' 2>/dev/null; then $how; fi" \
        'rm -rf parts/0.status.new' "exec '$PERFDATA' \"\$@\"" >bin/dies
    chmod +x bin/dies
    PERFDATA=bin/dies bash "$slurm/submit.sh" list again >job || fail "$how: $(cat again/log/*)"
    first again '1 of 1 recordings, 0 of them partial, after 2 tries'
    has again/log/jobs '^tasks 0 again'
    same whole/profile.folded again/profile.folded
done
# Stacks of a try before are not those of a recording of which nothing can be read by now.
cp recordings/0.data recordings/5.data
echo recordings/5.data >list
submit list twice
cp recordings/1.data recordings/5.data
(cd twice && sbatch --array=0 map.sh && sbatch reduce.sh 1) >job
first twice '1 of 1 recordings, 1 of them partial, after 1 tries'
empty twice/profile.folded

# ---- Lists that name nothing are refused before anything is made.
: >list
for list in list no-such-list; do
    expect 2 bash "$slurm/submit.sh" "$list" refused
    has err "$list"
    [ ! -e refused ] || fail "$list: made all the same"
done
expect 2 bash "$slurm/submit.sh" lists/all
has err '^usage: '
