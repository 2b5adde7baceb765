#!/usr/bin/env bash
# perfdata filter against perf: perf prints the same for the filtered recording as for the whole one with the
# same options, byte for byte. Recordings of the whole system, with whatever else runs there.
. "$(dirname "$0")/../filter_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'

# ---- By name, process, thread, cpu and time; all of them together.
record x.data -a -g -e cpu-clock -F 1999 -- bash -c tasks
most x.data comm 400 >names
[ "$(wc -l <names)" -ge 8 ] || fail "too few tasks: $(cat names)"
grep -q '^thread-' names || fail 'no renamed threads'
grep -q '^renamed child' names || fail 'no renamed child'
while read -r name; do
    case $name in
    *,*) ;;
    *) agrees x.data --comms "$name" ;;
    esac
done < <(head -n "$(effort 6 16)" names)
agrees x.data --comms "$(grep -v , names | paste -sd,)"
agrees x.data -c ls,sort,no-such-name
mapfile -t pids < <(most x.data pid 6)
mapfile -t tids < <(most x.data tid 8)
for pid in "${pids[@]}"; do agrees x.data --pid "$pid"; done
for tid in "${tids[@]:$(effort 6 4)}"; do agrees x.data --tid "$tid"; done
agrees x.data --pid "${pids[1]},${pids[3]},4000000"
while read -r cpu; do
    agrees x.data -C "$cpu"
done < <(most x.data cpu 2 | tr -d '[]' | sed 's/^0*\(.\)/\1/')
times x.data >t
a=$(nth t 200) b=$(nth t 400) c=$(nth t 600) d=$(nth t 800)
for range in "$a,$b" ",$b" "$c," "$a,$b $c,$d" "$a,$a" 10% 25%/3 '0%-10%,30%-40%' '50%-100%'; do
    agrees x.data --time "$range"
done
agrees x.data --comms ls,sort --time "$a,$d" -C 0
busy=$(printf '%s\n' "${pids[@]}" | grep -vx 0 | sed -n 2p) # perf takes no number twice
agrees x.data --comms swapper,ls --pid "0,$busy"
"$PERFDATA" check -q filtered.data || fail 'check of a filtered recording'

# ---- Nothing is lost between a selection and its opposite; the same input gives the same bytes.
counts() { # "kept N of M samples and K of L other records"
    expect 0 "$PERFDATA" filter -f -i x.data -o filtered.data "$@"
    local kept='kept \([0-9]*\) of \([0-9]*\) samples and \([0-9]*\) of \([0-9]*\) other records'
    sed -n "s/.*$kept\$/\\1 \\2 \\3 \\4/p" err
}
read -r kept all others _ < <(counts --comms ls,sort)
cp filtered.data again.data
read -r dropped same_all _ < <(counts --exclude-comms ls,sort)
[ "$all" = "$same_all" ] || fail "$all samples, and $same_all"
[ $((kept + dropped)) = "$all" ] || fail "$kept kept and $dropped dropped of $all samples"
[ "$kept" -gt 0 ] && [ "$dropped" -gt 0 ] || fail "$kept kept, $dropped dropped: that tests nothing"
counts --comms ls,sort >/dev/null
same again.data filtered.data
[ "$(script -i filtered.data -G -F time | wc -l)" = "$kept" ] || fail "perf does not see $kept samples"

# ---- How much side-band: perf shows the same with all of it, and more than none of it is needed.
script -i x.data --comms ls,sort >wanted
expect 0 "$PERFDATA" filter -q -f -i x.data -o all.data --comms ls,sort --sideband all
script -i all.data >got
same wanted got
expect 0 "$PERFDATA" filter -f -i x.data -o none.data --comms ls,sort --sideband=none
has err "kept $kept of $all samples"
script -i none.data >got
cmp -s wanted got && fail 'no side-band is needed?'
size() { stat -c %s "$1"; }
[ "$(size none.data)" -lt "$(size filtered.data)" ] || fail 'none is not smaller than needed'
[ "$(size filtered.data)" -lt "$(size all.data)" ] || fail 'needed is not smaller than all'
[ "$others" -gt 10 ] || fail "$others other records"

# ---- Through a pipe.
"$PERFDATA" filter -q --to file -o - --comms ls,sort - <x.data | cat >piped.data
same filtered.data piped.data

echo "$compared selections compared"
