#!/usr/bin/env bash
# npm.sh RECORDING... - what packages of npm read in exports: pprof-format has the stacks of folded text,
# speedscope's schema accepts its profile, and its page shows it in a Chromium. Recordings of cpu-clock.
# SCREENSHOTS: a directory for pictures of the pages, to be looked at.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
perfdata=${PERFDATA:?the perfdata executable}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
npm install --prefix "$tmp" --no-audit --no-fund --ignore-scripts ajv@8.20.0 pprof-format@2.3.2 \
    speedscope@1.25.0 >"$tmp/log" 2>&1 || fail "npm: $(tail -n 2 "$tmp/log")"
export NODE_PATH=$tmp/node_modules
for recording; do
    "$perfdata" export --to folded -s comm,pid,tid "$recording" | LC_ALL=C sort >"$tmp/folded"
    "$perfdata" export --to pprof -f -o "$tmp/profile" "$recording"
    "$perfdata" export --to speedscope -f -o "$tmp/profile.json" "$recording"
    [ -s "$tmp/folded" ] || fail "$recording: no stacks"
    node "$here/pprof.cjs" "$tmp/profile" | LC_ALL=C sort >"$tmp/read"
    cmp -s "$tmp/read" "$tmp/folded" || fail "$recording: $(diff "$tmp/read" "$tmp/folded" | head -n 4)"
    echo "pprof-format: $(wc -l <"$tmp/folded") stacks of $recording"
    node "$here/page.cjs" "$tmp/profile.json" "$tmp/page.png"
    [ -z "${SCREENSHOTS:-}" ] || cp "$tmp/page.png" "$SCREENSHOTS/$(basename "$recording").png"
done
