#!/usr/bin/env bash
# map.sh - a task of the array: exports the recording in line SLURM_ARRAY_TASK_ID (from 0 on) of `list`.
# parts/N.status is there when parts/N.folded is complete. Status 3, of a damaged recording, is a result: that
# of the records that are intact. If nothing of it can be read, parts/N.folded is not there.
#SBATCH --job-name=perfdata-map
#SBATCH --ntasks=1
#SBATCH --mem=256M
set -eu
n=$SLURM_ARRAY_TASK_ID
rm -f "parts/$n.status" "parts/$n.folded" # of a try before this one
recording=$(sed -n "$((n + 1))p" list)
status=0
"${PERFDATA:-perfdata}" export --to folded -q -f -o "parts/$n.folded" "$recording" 2>"parts/$n.messages" ||
    status=$?
cat "parts/$n.messages" >&2
[ "$status" = 0 ] || [ "$status" = 3 ] || exit "$status"
echo "$status" >"parts/$n.status.new"
mv "parts/$n.status.new" "parts/$n.status"
