#!/usr/bin/env bash
# submit.sh LIST DIRECTORY - one profile of many recordings, as jobs of Slurm. LIST has the path of a
# recording in each line, from the folder of the caller on; DIRECTORY, which is made, must be seen by all
# nodes. A job array (map.sh) exports each recording for itself; the job that depends on it (reduce.sh) adds
# these up in DIRECTORY/profile.folded, and says in DIRECTORY/report what it is of. PERFDATA: the command.
# Prints the id of the first job that reduces.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -ne 2 ]; then
    echo 'usage: submit.sh LIST DIRECTORY' >&2
    exit 2
fi
list=$1 directory=$2
if ! grep -q . -- "$list"; then
    echo "submit.sh: $list names no recording" >&2
    exit 2
fi
mkdir -- "$directory" "$directory/parts" "$directory/log"
awk 'length { print (/^\// ? "" : ENVIRON["PWD"] "/") $0 }' <"$list" >"$directory/list"
[[ ${PERFDATA:-} != */* ]] || PERFDATA=$(realpath -s "$PERFDATA")
export PERFDATA
cp "$here/map.sh" "$here/reduce.sh" "$here/add.py" "$directory"
cd -- "$directory"
array=$(sbatch --parsable --array="0-$(($(wc -l <list) - 1))" --output='log/map-%A-%a' map.sh)
sbatch --parsable --dependency="afterany:$array" --output='log/reduce-%j' reduce.sh 1
