#!/usr/bin/env bash
# slurm.sh - examples/slurm on a cluster of this machine: slurmctld, munged and two slurmd, started here. The
# profile of an array of jobs is that of one process; a task that is killed is submitted again, and the
# profile is the same; a damaged recording is a partial result, which the report tells, and so is one of which
# nothing can be read. Needs root.
set -euo pipefail
source=$(cd "$(dirname "$0")/../../.." && pwd)
real=${PERFDATA:?the perfdata executable}
tmp=$(mktemp -d)
pids=()
stop() {
    [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
    wait
    rm -rf "$tmp"
}
trap stop EXIT
fail() {
    echo "FAILED: $*" >&2
    tail -n 5 "$tmp"/*.log >&2 || true
    exit 1
}
until_done() { # SECONDS COMMAND...: until it succeeds
    local left=$((10 * $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $((left--)) -gt 0 ] || fail "not in time: $*"
        sleep 0.1
    done
}

# ---- The cluster
mkdir -m 711 "$tmp/munge" "$tmp/state" "$tmp/n1" "$tmp/n2"
chmod 711 "$tmp"
head -c 128 /dev/urandom >"$tmp/munge/key"
chmod 400 "$tmp/munge/key"
munged --foreground --force --key-file="$tmp/munge/key" --socket="$tmp/munge/socket" \
    --pid-file="$tmp/munge/pid" --log-file="$tmp/munge/log" --seed-file="$tmp/munge/seed" \
    2>"$tmp/munged.log" &
pids+=($!)
cat >"$tmp/slurm.conf" <<END
ClusterName=here
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmctldPort=17100
AuthInfo=socket=$tmp/munge/socket
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/%n
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/%n.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1
NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=17101 CPUs=2 RealMemory=2000
NodeName=n2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=17102 CPUs=2 RealMemory=2000
PartitionName=all Nodes=n[1-2] Default=YES State=UP
END
export SLURM_CONF=$tmp/slurm.conf
until_done 20 munge -S "$tmp/munge/socket" -n
slurmctld -D 2>"$tmp/ctld.log" &
pids+=($!)
for node in n1 n2; do
    slurmd -D -N $node 2>"$tmp/d-$node.log" &
    pids+=($!)
done
idle() { [ "$(sinfo -h -N -t idle -o %N | wc -l)" = 2 ]; }
until_done 60 idle

# ---- Eight recordings, of which one is cut short, and a file that is none
mkdir "$tmp/in"
for i in {1..8}; do
    "$real" gen -q -c 20000 --seed "$i" --sample-type ip,tid,time,cpu,period,callchain -o "$tmp/in/$i.data"
    echo "in/$i.data"
done >"$tmp/list"
echo 'no recording' >"$tmp/in/none"
echo in/none >>"$tmp/list"
head -c 1000000 "$tmp/in/5.data" >"$tmp/in/cut"
mv "$tmp/in/cut" "$tmp/in/5.data"
"$real" export --to folded -q -o "$tmp/whole" "$tmp"/in/*.data 2>"$tmp/messages" || [ $? = 3 ]
LC_ALL=C sort "$tmp/whole" >"$tmp/want"
reduced() { [ -s "$1/report" ]; }
check() { # DIRECTORY TRIES
    until_done 300 reduced "$1"
    cmp "$1/profile.folded" "$tmp/want" || fail "the profile of $1"
    [ "$(head -n 1 "$1/report")" = "9 of 9 recordings, 2 of them partial, after $2 tries" ] ||
        fail "$(cat "$1/report")"
    grep -q "^partial: $tmp/in/5.data: " "$1/report" || fail "$(cat "$1/report")"
    grep -q "^partial, without a result: $tmp/in/none: " "$1/report" || fail "$(cat "$1/report")"
}

cd "$tmp"
PERFDATA=$real "$source/examples/slurm/submit.sh" "$tmp/list" "$tmp/first" >"$tmp/job"
check "$tmp/first" 1
nodes=$(cat "$tmp"/n?.log | grep -c 'launch task\|Launching batch job' || true)
echo "Slurm: $(head -n 1 "$tmp/first/report"); $nodes jobs on two nodes"

# The task of the third recording is killed the first time, while it works.
cat >"$tmp/dies" <<END
#!/usr/bin/env bash
case " \$* " in
*/3.data*)
    if mkdir "$tmp/died" 2>/dev/null; then
        kill -KILL \$PPID
        exit 1
    fi
    ;;
esac
exec "$real" "\$@"
END
chmod +x "$tmp/dies"
PERFDATA=$tmp/dies "$source/examples/slurm/submit.sh" "$tmp/list" "$tmp/second" >"$tmp/job"
check "$tmp/second" 2
[ -d "$tmp/died" ] || fail 'no task was killed'
grep -q '^tasks 2 again' "$tmp"/second/log/reduce-* || fail 'the killed task was not submitted again'
echo "Slurm: $(head -n 1 "$tmp/second/report"), one task killed: the same profile"
