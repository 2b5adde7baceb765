#!/usr/bin/env bash
# reduce.sh TRY - adds up what the tasks made. Tasks that were killed, or failed, have no status, or status 0
# without stacks: they are submitted again, twice at most, and the reduction behind them. A recording of which
# nothing can be read has status 3 and no stacks; the report names it as without a result.
#SBATCH --job-name=perfdata-reduce
#SBATCH --ntasks=1
#SBATCH --mem=1G
set -euo pipefail
try=$1
missing=() partial=() parts=()
n=0
while IFS= read -r recording; do
    made=none
    [ ! -e "parts/$n.folded" ] || made=stacks
    case $(cat "parts/$n.status" 2>/dev/null || true):$made in
    0:stacks) parts+=("parts/$n.folded") ;;
    3:stacks)
        partial+=("partial: $recording: $(head -n 1 "parts/$n.messages")")
        parts+=("parts/$n.folded")
        ;;
    3:none) partial+=("partial, without a result: $recording: $(head -n 1 "parts/$n.messages")") ;;
    *) missing+=("$n") ;;
    esac
    n=$((n + 1))
done <list
if [ ${#missing[@]} -gt 0 ] && [ "$try" -lt 3 ]; then
    array=$(sbatch --parsable --array="$(IFS=,; echo "${missing[*]}")" --output='log/map-%A-%a' map.sh)
    echo "tasks ${missing[*]} again, as job $array"
    sbatch --parsable --dependency="afterany:$array" --output='log/reduce-%j' reduce.sh $((try + 1))
    exit
fi
python3 add.py ${parts[@]+"${parts[@]}"} >profile.new
{
    echo "$((n - ${#missing[@]})) of $n recordings, ${#partial[@]} of them partial, after $try tries"
    [ ${#partial[@]} -eq 0 ] || printf '%s\n' "${partial[@]}"
    for n in ${missing[@]+"${missing[@]}"}; do echo "missing: $(sed -n "$((n + 1))p" list)"; done
} >report.new
mv profile.new profile.folded
mv report.new report
[ ${#missing[@]} -eq 0 ]
