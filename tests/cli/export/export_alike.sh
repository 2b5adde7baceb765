#!/usr/bin/env bash
# perfdata export: random recordings in which names and mappings change between samples that are alike,
# against a model that takes each record in order of time (export_alike.py). Plain, compressed, big-endian,
# from a pipe, and in little memory: only the first of these takes samples in runs, the second one by one.
. "$(dirname "$0")/../frame_lib.sh"
here=$(dirname "$0")

samples=0
for ((seed = 1; seed <= $(effort 6 200); seed++)); do
    keys=$(python3 "$here/export_alike.py" "$seed" 3000 in.jsonl want) || fail "seed $seed: no recording"
    sort -o want want
    "$PERFDATA" encode -q -f -o in.data in.jsonl || fail "seed $seed: encode"
    "$PERFDATA" convert -q -f -z -o zip.data in.data || fail "seed $seed: -z"
    "$PERFDATA" convert -q -f --endian big -o big.data in.data || fail "seed $seed: --endian"
    for how in in.data zip.data big.data - '-m 16K in.data'; do
        # shellcheck disable=SC2086
        "$PERFDATA" export --to folded -s "$keys" $how <in.data >out || fail "seed $seed, $how"
        sort out >got
        same want got || fail "seed $seed, $how"
    done
    samples=$((samples + $(grep -c '"SAMPLE"' in.jsonl)))
done
[ "$samples" -gt 10000 ] || fail "only $samples samples"
