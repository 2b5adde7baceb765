#!/usr/bin/env bash
# judges.sh - what DuckDB reads in `perfdata export --to parquet`: counts by event are those of `info`, sums
# of periods those of `report`, a range of times what `filter --time` keeps, groups that a query of times need
# not read; a folder of 50 recordings is one table.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
perfdata=${PERFDATA:?the perfdata executable}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
npm install --prefix "$tmp" --no-audit --no-fund --ignore-scripts @duckdb/node-api@1.5.6-r.1 \
    >"$tmp/log" 2>&1 ||
    fail "npm: $(tail -n 2 "$tmp/log")"
export NODE_PATH=$tmp/node_modules
query() { node "$here/query.cjs" "$@"; }
same() { cmp -s "$1" "$2" || fail "$3: $(diff "$1" "$2" | head -n 4)"; }
counts() { # RECORDING: the samples of each event
    "$perfdata" info --json "$1" | jq -r '.events[] | select(.samples > 0) | [.name, .samples] | @tsv'
}

judge() { # RECORDING
    local table=$tmp/table.parquet
    "$perfdata" export --to parquet -q -f -o "$table" "$1"
    counts "$1" | LC_ALL=C sort >"$tmp/want"
    [ -s "$tmp/want" ] || fail "$1: no samples"
    query "SELECT event, count(*) FROM '$table' GROUP BY event" | LC_ALL=C sort >"$tmp/got"
    same "$tmp/want" "$tmp/got" "events of $1"

    "$perfdata" report --json -s comm "$1" |
        jq -r '.events[] | .name as $e | .rows[] | [$e, .keys.comm, .samples, .period] | @tsv' |
        LC_ALL=C sort >"$tmp/want"
    query "SELECT event, comm, count(*), sum(period) FROM '$table' GROUP BY event, comm" |
        LC_ALL=C sort >"$tmp/got"
    same "$tmp/want" "$tmp/got" "periods of $1"

    local range from to
    range=$(query "SELECT quantile_disc(time, 0.3), quantile_disc(time, 0.4) FROM '$table'")
    from=${range%	*} to=${range#*	}
    local seconds=${from::-9}.${from: -9},${to::-9}.${to: -9}
    "$perfdata" filter -q -f --time "$seconds" -o "$tmp/part.data" "$1"
    counts "$tmp/part.data" | LC_ALL=C sort >"$tmp/want"
    query "SELECT event, count(*) FROM '$table' WHERE time BETWEEN $from AND $to GROUP BY event" |
        LC_ALL=C sort >"$tmp/got"
    same "$tmp/want" "$tmp/got" "times of $1"
    echo "$(basename "$1"): $(query "SELECT count(*) FROM '$table'") rows; $seconds"
}

"$perfdata" gen -q -c 300000 --seed 3 --sample-type ip,tid,time,cpu,period,callchain,addr,weight,data_src \
    -o "$tmp/many.data"
"$perfdata" gen -q --preset tracing -c 50000 -o "$tmp/tracing.data"
judge "${PERFDATA_SOURCE:-$here/../../..}/corpus/callgraph.data"
judge "${PERFDATA_SOURCE:-$here/../../..}/corpus/two-events.data"
judge "$tmp/tracing.data"
judge "$tmp/many.data"
outside=$(query "SELECT count(*) FROM parquet_metadata('$tmp/table.parquet') WHERE path_in_schema = 'time'
    AND stats_min_value::UBIGINT > (SELECT quantile_disc(time, 0.4) FROM '$tmp/table.parquet')")
[ "$outside" -ge 1 ] || fail "no group of rows can be skipped"

mkdir "$tmp/folder"
for i in {1..50}; do
    "$perfdata" gen -q -c 2000 --seed "$i" -o - --to file >"$tmp/one.data"
    "$perfdata" export --to parquet -q -o "$tmp/folder/$i.parquet" "$tmp/one.data"
    counts "$tmp/one.data"
done | awk -F '\t' '{ n[$1] += $2 } END { for (e in n) print e "\t" n[e] }' | LC_ALL=C sort >"$tmp/want"
query "SELECT event, count(*) FROM '$tmp/folder/*.parquet' GROUP BY event" | LC_ALL=C sort >"$tmp/got"
same "$tmp/want" "$tmp/got" 'the folder'
files=$(query "SELECT count(DISTINCT filename) FROM read_parquet('$tmp/folder/*.parquet', filename = true)")
[ "$files" = 50 ] || fail "$files files"
echo "a folder of 50 recordings: $(awk '{ n += $NF } END { print n }' "$tmp/want") rows"
