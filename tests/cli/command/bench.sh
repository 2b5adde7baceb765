#!/usr/bin/env bash
# `perfdata bench`: every case runs, counts the records, and leaves no files behind.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export TMPDIR=$dir/tmp
mkdir "$TMPDIR"
failed=0
fail()
{
    echo "FAILED: $*"
    failed=1
}

"$PERFDATA" gen -q -c 3000 --seed 5 -o "$dir/x y's.data" || exit 1
"$PERFDATA" bench --json --repeat 1 --command 'lines=wc -c {in} > {out}' "$dir/x y's.data" > "$dir/json" ||
    fail "all cases"
python3 - "$dir/json" "$("$PERFDATA" info --json "$dir/x y's.data")" <<'END' || failed=1
import json, sys
got, info = json.load(open(sys.argv[1])), json.loads(sys.argv[2])
cases = {c["case"]: c for c in got["cases"]}
wanted = (
    "read hops memcpy cp frame plan decode encode check info filter reencode pipe sort dump fields text-out "
    "text-in lines"
).split()
assert list(cases) == wanted, list(cases)
for c in cases.values():
    assert c["task_clock_ns"] > 0 and c["wall_ns"] > 0 and c["peak_rss"] > 0, c
    assert c["records"] == cases["hops"]["records"] == cases["frame"]["records"] >= 3000, c
END
[ -z "$(ls -A "$TMPDIR")" ] || fail "left behind: $(ls -R "$TMPDIR")"

cases=$("$PERFDATA" bench --only frame,read --repeat 2 "$dir/x y's.data" | awk '{print $1}' | tr '\n' ' ')
[ "$cases" = 'case read frame ' ] ||
    fail "--only"
# libzstd alone, where there is something for it to do.
"$PERFDATA" gen -q -z -c 30000 --seed 5 -o "$dir/z.data" || exit 1
"$PERFDATA" bench --json --only inflate,frame --repeat 3 "$dir/z.data" > "$dir/json" || fail "inflate"
[ "$(grep -o '"case":"[a-z]*"' "$dir/json" | tr '\n' ' ')" = '"case":"inflate" "case":"frame" ' ] ||
    fail "inflate is not there"
grep -q inflate <("$PERFDATA" bench --only inflate "$dir/x y's.data") && fail "inflate without zstd"
# Several threads, also of what one alone can read.
"$PERFDATA" gen -q --size 12M --seed 5 -o "$dir/large.data" || exit 1
for file in large z; do
    "$PERFDATA" bench --json -j2 --repeat 1 --only frame,plan,decode,encode,check,dump,fields,text-out \
        "$dir/$file.data" > "$dir/json" || fail "-j2"
    [ "$(grep -o '"case"' "$dir/json" | wc -l)" = 8 ] || fail "cases with -j2"
    grep -q '"threads":2,' "$dir/json" || fail "the number of threads"
done
for wrong in "--only nothing" "--repeat 0" "--repeat x" "--command x"; do
    # shellcheck disable=SC2086
    "$PERFDATA" bench $wrong "$dir/x y's.data" > /dev/null 2>&1
    [ $? -eq 2 ] || fail "$wrong is not refused"
done
"$PERFDATA" bench "$dir/missing" > /dev/null 2>&1
[ $? -eq 2 ] || fail "a missing file"
"$PERFDATA" bench --only read --command 'bad=false' "$dir/x y's.data" > /dev/null 2>&1
[ $? -eq 1 ] || fail "a command that fails"
head -c 20000 "$dir/x y's.data" > "$dir/cut"
"$PERFDATA" bench --only read "$dir/cut" > /dev/null 2>&1
[ $? -eq 3 ] || fail "a damaged file"
[ -z "$(ls -A "$TMPDIR")" ] || fail "left behind"
exit $failed
