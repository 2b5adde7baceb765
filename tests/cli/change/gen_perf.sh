#!/usr/bin/env bash
# gen, judged by perf, the installed one and a newer one where there is one: script, report and inject have
# nothing to say against what is made, but for the lines below; counts by type agree with info --stats; and
# perf report shows the percentages that a workload describes.
. "$(dirname "$0")/../frame_lib.sh"
command -v perf >/dev/null || skip "perf is not installed"
tools=${PERFDATA_CORPUS:-/nonexistent}/../tools
newer=${PERFDATA_NEWER_PERF:-$(ls "$tools/perf-latest" 2>/dev/null || true)}
full || newer= # it judges with full effort
perfs=(perf ${newer:+"$newer"})

# What cannot be avoided (docs/GEN.md): the programs of a workload are not there, and lost records are told.
usual='continuing without symbols$|^Processed [0-9]+ events and lost [0-9]+ chunks!$'
usual+='|^Check IO/CPU overload!$|^Warning:$|^$'

# silent FILE PERF COMMAND...: perf runs and has nothing else to say.
silent() {
    local file=$1 input=(-i "$1")
    shift
    [ -d "$file" ] || [ "$(od -An -j8 -N1 -tu1 "$file" | tr -d ' ')" != 16 ] || input=(-i -)
    "$@" "${input[@]}" <"$file" >said.out 2>said.err || fail "$*: $? for $made: $(tail -n 3 said.err)"
    ! grep -vE "$usual" said.err >said.more || fail "$* says of $made: $(head -n 3 said.more)"
}
# The counts before those of each event.
counts() {
    sed -E 's/ *\([^)]*\)$//; s/^ *//; s/: */: /; /^[^A ].* stats: *$/,$d' | grep 'events:' || true
}
judged=0
judge() { # OPTION...: as files, on which all perf commands work
    local perf
    made="gen $*"
    rm -rf made.data injected
    "$PERFDATA" gen "$@" -o made.data || fail "$made: $?"
    for perf in "${perfs[@]}"; do
        silent made.data "$perf" script --no-inline
        [ "$(wc -l <said.out)" -gt 100 ] || fail "$perf script shows next to nothing of $made"
        silent made.data "$perf" report --stats
        counts <said.out >theirs
        "$PERFDATA" info --stats made.data | counts >ours
        same ours theirs
        silent made.data "$perf" inject -o injected
        rm -rf injected
        judged=$((judged + 1))
    done
}

for preset in server build database tracing dwarf branch; do
    judge --preset $preset -c 6000
done
for ((seed = 1; seed <= $(effort 2 6); seed++)); do
    judge --random -c 3000 --seed $seed --events $((1 + seed % 4))
    judge --random -c 3000 --seed $seed --endian big --events $((1 + seed % 4))
done
for seed in $(effort 14 "14 15 16"); do
    judge --random --features all -c 3000 --seed $seed
done
judge --random -c 3000 --sample-type ip,tid,time
judge --random -c 3000 --sample-type ip,tid,time,callchain,cpu,period,read,raw,weight --cpus 64 --tasks 500 \
    --depth 100
judge --random -c 3000 -z
judge --preset server -c 6000 -z9
judge --preset build -c 6000 --endian big
judge --preset database -c 6000 --tasks 200 --cpus 32 --depth 40 --events 6

# Streams and directories: perf script reads them all; of report --stats and inject, docs/GEN.md says which
# not. Of streams of the other byte order perf swaps too little (docs/GEN.md), so that those are not judged.
counts_agree() { # FILE PERF
    silent "$1" "$2" report --stats
    counts <said.out | grep -v COMPRESSED >theirs
    # As perf has the names
    "$PERFDATA" info --stats "$1" | counts | grep -v COMPRESSED | sed 's/^HEADER_//' >ours
    same ours theirs
}
for mode in --random '--preset server' '--preset tracing'; do
    for to in pipe 'pipe -z' dir 'dir -z'; do
        rm -rf made.data injected
        made="gen $mode --to $to"
        # shellcheck disable=SC2086
        "$PERFDATA" gen $mode --to $to -c 3000 --seed 4 -o made.data || fail "$made"
        for perf in "${perfs[@]}"; do
            silent made.data "$perf" script --no-inline
            [ "$(wc -l <said.out)" -gt 100 ] || fail "$perf script shows next to nothing of $made"
            case $mode,$to in
            *,dir*) counts_agree made.data "$perf" ;;
            *tracing,pipe | *'pipe -z') ;;
            *)
                counts_agree made.data "$perf"
                silent made.data "$perf" inject -o injected
                rm -rf injected
                ;;
            esac
            judged=$((judged + 1))
        done
    done
done

# Percentages: of programs, and of functions by their addresses, in every event.
cat >web.txt <<'END'
cpus 3
event cycles 4000 Hz 60%
event page-faults 40%
process web 3 threads 60% in /opt/web
 function main 0x1000 10%
 function parse 0x2000 50% from main
 function copy 0x3000 25% in /opt/lib.so from parse
 function write 0x123000 15% in [kernel.kallsyms] from parse
process db 2 copies 700 samples 30%
 function scan 0x5000 100%
END
"$PERFDATA" gen --workload web.txt -c 20000 -o web.data
near() { # LINE-PATTERN PERCENT: in the reports of both events
    local got n=0
    while read -r got; do
        n=$((n + 1))
        awk -v a="$got" -v b="$2" 'BEGIN { exit !(a - b < 1 && b - a < 1) }' ||
            fail "$1 has $got%, described are $2%"
    done < <(sed -nE "s/^ *([0-9.]+)% +$1 *$/\1/p" report)
    [ $n = 2 ] || fail "$1 is in $n reports: $(cat report)"
}
for perf in "${perfs[@]}"; do
    "$perf" report --stdio --sort comm,dso -g none --no-children -i web.data 2>/dev/null |
        grep -v '^#' >report
    near 'web +web' 36
    near 'web +lib.so' 15
    near 'web +\[kernel[^ ]*' 9
    near 'db +db' 30
    near 'swapper +\[kernel[^ ]*' 10
    "$perf" report --stdio --sort dso,sym -g none --no-children -i web.data 2>/dev/null | grep -v '^#' >report
    near 'web +\[\.\] 0x0*1000' 6
    near 'web +\[\.\] 0x0*2000' 30
    near 'lib.so +\[\.\] 0x0*3000' 15
    near 'db +\[\.\] 0x0*5000' 30
done
echo "$judged recordings judged by ${perfs[*]}"
