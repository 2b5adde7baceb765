#!/bin/bash
# record.sh DIR - makes the recordings of this folder anew, with the system's perf. Every run gives other bytes; the
# committed ones are those that README.md here describes.
set -euo pipefail
out=$(realpath "${1:?usage: record.sh DIR}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >work.sh <<'WORK'
#!/bin/sh
# two busy programs with short-lived children
for i in 1 2 3; do
  head -c 300000 /dev/zero | sha256sum
  seq 1 4000 | sort -rn | tail -1
done >/dev/null
WORK
chmod +x work.sh
# A private host name, so that the recording does not tell where it was made.
in_private() { unshare --uts sh -c 'hostname example && exec "$@"' sh "$@"; }
in_private perf record -q -a -g -e cpu-clock -F 999 -o "$out/callgraph.data" -- ./work.sh
in_private perf record -q -e cpu-clock,page-faults -F 499 -o "$out/two-events.data" -- ./work.sh
