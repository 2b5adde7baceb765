#!/usr/bin/env bash
# The programs of examples/ compile against the installed package, by find_package and by pkg-config, and do
# what they say: perf shows what they wrote, and counts as they counted. Without perf_event_open the recorder
# is skipped, which is said.
. "$(dirname "$0")/../cli/frame_lib.sh"
: "${PERFDATA_SOURCE:?}" "${PERFDATA_BUILD:?}"
cache() { sed -n "s/^$1:[A-Z]*=//p" "$PERFDATA_BUILD/CMakeCache.txt"; }
cc=$(cache CMAKE_C_COMPILER)
flags=$(cache CMAKE_C_FLAGS)
[ "$(cache PERFDATA_FUZZ)" != ON ] || skip "the library of a fuzz build cannot be used alone"
tools=${PERFDATA_CORPUS:-/nonexistent}/../tools
newer=${PERFDATA_NEWER_PERF:-$(ls "$tools/perf-latest" 2>/dev/null || true)}
perfs=()
! command -v perf >/dev/null || perfs=(perf ${newer:+"$newer"})

cmake --install "$PERFDATA_BUILD" --prefix "$dir/usr" >install.log
cmake -S "$PERFDATA_SOURCE/examples" -B found -DCMAKE_PREFIX_PATH="$dir/usr" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_C_FLAGS="$flags -g -Wall -Wextra -Werror" >cmake.log
cmake --build found >build.log || fail "find_package: $(tail -n 20 build.log)"
pc=$(find "$dir/usr" -name perfdata.pc)
export PKG_CONFIG_PATH=${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
mkdir bare
for source in "$PERFDATA_SOURCE"/examples/*.c; do
    name=$(basename "$source" .c)
    [ -x "found/$name" ] || fail "examples/CMakeLists.txt has no $name"
    # shellcheck disable=SC2046,SC2086 # words
    library=perfdata
    ! grep -q '<perfdata/ops/' "$source" || library=perfdata-ops
    "$cc" -std=gnu11 $flags -pthread "$source" $(pkg-config --cflags --libs $library) -o "bare/$name" ||
        fail "pkg-config: $name"
done
[ "$(pkg-config --variable=prefix perfdata | xargs realpath)" = "$(realpath "$dir/usr")" ] ||
    fail "another perfdata.pc"
LD_LIBRARY_PATH=$(dirname "${pc%/*}")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

for way in found bare; do
    rm -f new.data new.pipe
    "$way/write" new.data
    "$PERFDATA" check -q new.data
    [ "$("$way/read" new.data)" = "7 1000 401000" ] || fail "$way: read gives $("$way/read" new.data)"
    [ "$("$PERFDATA" info -I new.data | sed -n 's/^# hostname : //p')" = box ] || fail "$way: the feature"
done
for perf in "${perfs[@]}"; do
    shown=$("$perf" script -F comm,tid,time,ip -i new.data 2>/dev/null | xargs)
    [ "$shown" = "hello 7 0.000001: 401000" ] || fail "$perf shows: $shown"
done
got=0
found/write "$dir" || got=$?
[ $got = 1 ] || fail "write to a directory: $got"

cat >two.jsonl <<'END'
{"header":{}}
{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME","flags":"sample_id_all"}}
{"record":{"type":"COMM","comm":{"pid":7,"tid":7,"comm":"hello"}}}
{"record":{"type":"COMM","comm":{"pid":8,"tid":8,"comm":"other"}}}
{"record":{"type":"SAMPLE","misc":"cpumode=USER","sample":{"ip":1,"pid":7,"tid":7,"time":1000}}}
{"record":{"type":"SAMPLE","misc":"cpumode=USER","sample":{"ip":2,"pid":8,"tid":8,"time":2000}}}
END
"$PERFDATA" encode -o two.data two.jsonl
[ "$(found/filter two.data one.data other)" = "1 of 2 samples" ] || fail "filter"
[ "$(found/read one.data)" = "8 2000 2" ] || fail "what filter kept: $(found/read one.data)"
got=0
found/filter none.data x.data other 2>err || got=$?
[ $got = 1 ] && has err 'No such file' || fail "filter of a missing file: $got: $(cat err)"

"$PERFDATA" convert --to pipe -o two.pipe two.data
(head -c 300 two.pipe && sleep 0.1 && tail -c +301 two.pipe) | found/live >shown
found/read two.data | cmp - shown || fail "live shows of a stream: $(cat shown)"
head -c 100 two.pipe >cut.pipe
got=0
found/live <cut.pipe >/dev/null 2>err || got=$?
[ $got = 1 ] && has err 'ends after' || fail "live of a cut stream: $got: $(cat err)"

got=0
found/live nobody 2>err || got=$?
[ $got = 2 ] && has err 'nobody is no PID' || fail "live of a name: $got: $(cat err)"
bash -c 'for ((i = 0; i < 2000000; i++)); do :; done' &
busy=$!
got=0
found/live $busy >shown 2>err || got=$?
wait $busy
[ $got = 77 ] || { [ $got = 0 ] && [ "$(cut -d' ' -f1 shown | sort -u)" = $busy ]; } ||
    fail "live of a process: $got: $(cat err; head -n 3 shown)"

# ---- Programs that were once written against the headers alone, each judged by another way to the same
corpus=$PERFDATA_SOURCE/corpus
for short in "stream 40" "flame 60" "patch 50"; do
    [ "$(wc -l <"$PERFDATA_SOURCE/examples/${short% *}.c")" -le "${short#* }" ] ||
        fail "examples: not $short lines"
done
found/dump two.data >shown
[ "$(grep -c ': SAMPLE' shown)" = 2 ] && grep -q '^ *tid: 8' shown || fail "dump: $(head shown)"
got=0
found/dump cut.pipe >/dev/null 2>err || got=$?
[ $got = 1 ] && has err 'ends after' || fail "dump of a cut stream: $got: $(cat err)"

found/stream 8 <two.pipe >one.pipe
"$PERFDATA" check -q one.pipe
[ "$(found/read one.pipe)" = "8 2000 2" ] || fail "stream: $(found/read one.pipe)"
[ "$(found/patch two.data patched.data SAMPLE.ip 0x77)" = "2 records" ] || fail "patch"
[ "$(found/read patched.data | xargs)" = "7 1000 77 8 2000 77" ] || fail "patch: $(found/read patched.data)"
[ "$(found/patch two.data patched.data MMAP.ip 0x77)" = "0 records" ] && cmp patched.data two.data ||
    fail "patch of nothing"

found/patch two.data later.data SAMPLE.time 1500 >/dev/null
found/together two.data later.data | grep SAMPLE | xargs >shown
has shown '^1000 A SAMPLE 7 1500 B SAMPLE 7 1500 B SAMPLE 8 2000 A SAMPLE 8$' || fail "together: $(cat shown)"

for file in "$corpus"/*.data "$corpus"/conformance/sample-branch-stack*.data; do
    "$PERFDATA" info "$file" >/dev/null 2>&1 || continue
    wanted=$(found/read "$file" | wc -l)
    for n in 1 3 16; do
        [ "$(found/threads "$file" $n)" = "$wanted samples" ] ||
            fail "threads: $n, $file: $(found/threads "$file" $n), not $wanted"
    done
    [ "$(found/branches "$file")" = "$("$PERFDATA" decode "$file" | jq -r 'select(.record.type == "SAMPLE") |
        .record.sample.branch_stack.entries[]?.flags' | awk '{
            n++; m += /mispred/
            if (match($0, /cycles=[0-9]+/)) { c += substr($0, RSTART + 7, RLENGTH - 7); t++ }
        } END { print n + 0 " branches, " m + 0 " mispredicted, " c + 0 " cycles in " t + 0 }')" ] ||
        fail "branches of $file: $(found/branches "$file")"
done
[[ $(found/branches "$corpus/conformance/sample-branch-stack.data") != 0\ * ]] || fail "branches: none"
# The places are those of frames, which perf judges: tests/oracle/frames.py.
found/flame "$corpus/callgraph.data" | sed 's/^[^;]*;//; s/ 1$//' >flames
found/frames "$corpus/callgraph.data" | awk '
    /^\t/ { f = $2; sub(/^\(/, "", f); sub(/\)$/, "", f); if (f !~ /\+0x/) f = f "+0x" $1
             s = s == "" ? f : f ";" s; next }
    { if (s != "") print s; s = "" } END { print s }' | cmp - flames || fail "flame"
[ "$(wc -l <flames)" -gt 10 ] || fail "flame: $(wc -l <flames) lines"

got=0
record_alone found/recorder rec.data >said 2>err || got=$?
[ $got != 77 ] || skip "all but the recorder passed, for which: $(cat err)"
[ $got = 0 ] || fail "recorder: $got: $(cat err)"
"$PERFDATA" check -q rec.data
samples=$(sed -n 's/^\([0-9]*\) samples,.*/\1/p' said)
[ "$samples" -gt 20 ] || fail "recorder: $(cat said)"
[ "$(found/read rec.data | wc -l)" = "$samples" ] ||
    fail "read counts $(found/read rec.data | wc -l), not $samples"
for perf in "${perfs[@]}"; do
    "$perf" script -F comm,ip -i rec.data >shown 2>err || fail "$perf script: $(cat err)"
    [ "$(grep -c '^ *recorder ' shown)" = "$samples" ] ||
        fail "$perf shows $(grep -c recorder shown) samples of $samples"
    "$perf" report --stdio --sort comm,dso,sym -i rec.data >report 2>err || fail "$perf report: $(cat err)"
    grep -qE '^ +[0-9.]+% +recorder +recorder +\[\.\] busy' report ||
        fail "$perf report does not show busy(): $(grep % report | head -n 3)"
done
echo "recorder: $(cat said), judged by: ${perfs[*]:-no perf}"
