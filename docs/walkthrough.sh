#!/usr/bin/env bash
# A session with perfdata, from a recording to what is shared of it: two days of a machine on which a build
# and a backup run, each in a cgroup of its own. tests/cli/command/walkthrough.sh runs it.
#
#     walkthrough.sh DIRECTORY       makes its files there; needs root, for the cgroups and perf record -a
set -eu
cd "$1"
perfdata=${PERFDATA:-perfdata}
for groups in /sys/fs/cgroup/{perf_event,unified,}; do # version 1; 2, beside it or alone
    [ ! -e $groups/cgroup.procs ] || break
done
say() { printf '\n# %s\n' "$*"; }

# ---- Two days. A service is a cgroup, a process in it, and what that starts.
service() { # NAME COMMAND...
    mkdir -p "$groups/walk-$1"
    (
        echo 0 >"$groups/walk-$1/cgroup.procs"
        shift
        exec "$@"
    )
}
build='for i in 1 2 3; do
    seq 1 $0 | sed "s/.*/int f&(int x) { return x * & + $i; }/" | cc -O2 -x c -c -o build.o -
done'
backup='for i in 1 2; do find /usr/include /usr/share/doc -type f | sort | md5sum; done'
day() { # FILE FUNCTIONS
    perf record -q -a --all-cgroups -e cpu-clock -F 999 -g -o "$1" -- sleep 1000 &
    local recorder=$!
    sleep 0.5
    service build sh -c "$build" "$2"
    service backup sh -c "$backup" >/dev/null
    kill -INT "$recorder"
    wait "$recorder" || true
}
say "record"
day monday.data 300
day tuesday.data 900

# ---- Look: what is this recording, who took the time?
say "info, report"
"$perfdata" info monday.data | head -n 12
"$perfdata" report -s cgroup --limit 4 monday.data
"$perfdata" report -s comm --limit 5 --cgroup /walk-build monday.data

# ---- Cut: the build and all it starts, the first two seconds. Whatever reads perf.data reads the piece.
say "filter"
"$perfdata" filter --cgroup /walk-build -o build.data monday.data
"$perfdata" filter --time +0s,+2s -o cut.data build.data
"$perfdata" filter --comms sh --with-children -o family.data build.data
perf report --stdio --no-children -g none -s comm -i cut.data 2>/dev/null | grep -v '^#' | head -n 5

# ---- Share: without names that say whose it is, as the command line; the system's files stay and resolve.
say "redact"
"$perfdata" redact --keep-paths '/usr/*' --addrs shift --prove=--all-cgroups -o share.data cut.data
"$perfdata" report -s dso --limit 3 share.data

# ---- Compare the two days, as perf diff does.
say "report --baseline"
"$perfdata" filter -q --cgroup /walk-build -o tuesday-build.data tuesday.data
"$perfdata" report -s comm --limit 5 --baseline build.data tuesday-build.data
