#!/usr/bin/env bash
# filter to standard output writes a pipe stream, as perf record does, unless --to file is given; and the
# other way round.
. "$(dirname "$0")/../frame_lib.sh"
good=$PERFDATA_SOURCE/corpus/callgraph.data
expect 0 "$PERFDATA" filter -q -c sha256sum -o file.data "$good"
"$PERFDATA" filter -q -c sha256sum -o - "$good" >pipe.data
"$PERFDATA" filter -q -c sha256sum -o - --to file "$good" >file2.data
expect 0 "$PERFDATA" filter -q --to file -o back.data pipe.data
expect 0 "$PERFDATA" filter -q --to pipe -o pipe2.data file.data
expect 0 "$PERFDATA" check file.data pipe.data file2.data back.data pipe2.data
expect 2 "$PERFDATA" filter -q --to zip -o no.data "$good"
same file.data file2.data
for f in pipe.data pipe2.data; do
    expect 0 "$PERFDATA" info "$f"
    has out '^container *pipe stream'
done
expect 0 "$PERFDATA" info back.data
has out '^container *file'
[ ! -e no.data ] || fail 'output after wrong usage'
if command -v perf >/dev/null; then
    perf script --no-inline -i file.data >want 2>/dev/null
    [ -s want ] || fail 'perf shows nothing'
    perf script --no-inline -i - <pipe.data >got 2>/dev/null
    same want got
    perf script --no-inline -i back.data >got 2>/dev/null
    same want got
else
    echo 'no perf: its view of the pipe is not compared'
fi
