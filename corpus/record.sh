#!/bin/bash
# record.sh DIR [PERFDATA] - makes the recordings of this folder anew, with the system's perf, and aslr.data
# with $PERF_LATEST, a perf 7.3 (its features E_MACHINE and CLN_SIZE; inject --aslr takes REGS_USER away, and
# moves all addresses). Every run gives other bytes; the committed ones are those that MANIFEST has the hashes
# of. What tells of the machine and of who records goes at once: all tasks but those of work.sh, all paths but
# those every Debian has, the host's name and the command line (docs/REDACT.md). tests/repo/shipped.sh holds
# them to it.
set -euo pipefail
out=$(realpath "${1:?usage: record.sh DIR [PERFDATA]}")
names=$(realpath "$(dirname "$0")/names") # of tasks, and where Debian has their programs
perfdata=$(realpath "${2:-$(command -v perfdata)}")
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

# CMDLINE as perf stores it: a count, then strings in slots of a multiple of 64 bytes.
cmdline() {
    local word slot
    printf '%b' "\\x$(printf %02x $#)\\0\\0\\0"
    for word; do
        slot=$(((${#word} + 64) / 64 * 64))
        printf '%b' "\\x$(printf %02x $slot)\\0\\0\\0"
        printf %s "$word"
        head -c $((slot - ${#word})) /dev/zero
    done
}
# neutral FILE WORD...: what was recorded goes to DIR, as if by the command of these words on a host
# "example".
neutral() {
    local name=$1
    shift
    cmdline "$@" >cmdline
    "$perfdata" redact -q -f --keep "@$names" -o redacted.data "$work/$name"
    "$perfdata" edit -q -f --set-feature hostname=example --set-feature osrelease=6.18.0 \
        --set-feature cmdline=@cmdline -o "$out/$name" redacted.data
}
if [ "${RECORD-}" != no ]; then # RECORD=no: of what is in DIR already
    perf record -q -a -g -e cpu-clock -F 999 -o callgraph.data -- ./work.sh
    perf record -q -e cpu-clock,page-faults -F 499 -o two-events.data -- ./work.sh
else
    cp "$out/callgraph.data" "$out/two-events.data" .
fi
if [ "${RECORD-}" != no ] && [ -n "${PERF_LATEST-}" ]; then
    "$PERF_LATEST" record -q -d --user-regs=ip,sp -g -e cpu-clock,page-faults -F 499 -o whole.data \
        -- ./work.sh
    "$PERF_LATEST" inject --aslr -i whole.data -o aslr.data
else
    cp "$out/aslr.data" .
fi
neutral callgraph.data perf record -q -a -g -e cpu-clock -F 999 -o callgraph.data -- ./work.sh
neutral two-events.data perf record -q -e cpu-clock,page-faults -F 499 -o two-events.data -- ./work.sh
neutral aslr.data perf record -q -d --user-regs=ip,sp -g -e cpu-clock,page-faults -F 499 -o aslr.data \
    -- ./work.sh
cd "$out"
for name in aslr.data callgraph.data two-events.data; do
    hash=$("$perfdata" hash $name | cut -d' ' -f1)
    sed -i "s/^[0-9a-f]*  $name\$/$hash  $name/" MANIFEST
done
