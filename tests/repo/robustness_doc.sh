#!/usr/bin/env bash
# docs/ROBUSTNESS.md and the tests agree: each file that its table names for an invariant says so at its head
# ("Checks" and its number), and each that says so is named there; invariants are numbered from 1; all
# harnesses are in the table of harnesses; the table of runs is the sum of fuzz/log.tsv, and fuzz/log.gone has
# the commits of it that git does not have. The inputs that are kept have 8 MiB at most. Each promise of
# SECURITY.md names an invariant.
set -euo pipefail
cd "$PERFDATA_SOURCE"
doc=docs/ROBUSTNESS.md
failed=0
complain() {
    printf '%s: %s\n' "$doc" "$*" >&2
    failed=1
}

# Lines "R4 FILE" of the table.
# shellcheck disable=SC2016 # the backquotes are the document's
named() {
    grep -E '^\| R[0-9]+ \|' $doc | while IFS='|' read -r _ number _ files; do
        grep -oE '`[^`]+`' <<<"$files" | tr -d '`' | sed "s/^/${number// /} /"
    done
}

# The same of the heads of all tests and harnesses: their first comment, its lines joined.
cited() {
    local file
    find fuzz/fuzz_*.c tests -name "*.c" -o -name "*.sh" -o -name "*.py" | while IFS= read -r file; do
        awk '/^#!|SPDX/ { next } /^ *($|[^ \/*#"])/ { exit }
            { gsub(/^ *[\/*#]+|\*\/$/, ""); printf "%s ", $0 }' "$file" |
            { grep -oE '\<Checks +R[0-9]+(, +R[0-9]+)*' || true; } | { grep -oE 'R[0-9]+' || true; } |
            sed "s,\$, $file,"
    done
}

named | sort >"${TMPDIR:-/tmp}/named.$$"
cited | sort >"${TMPDIR:-/tmp}/cited.$$"
trap 'rm -f "${TMPDIR:-/tmp}"/{named,cited}.$$' EXIT
while read -r line; do
    complain "${line/ -/ }: $([[ ${line#* } == -* ]] && echo "not in the table" || echo "not said there")"
done < <(diff "${TMPDIR:-/tmp}"/{named,cited}.$$ | sed -nE 's/^< (.*)/\1/p; s/^> (R[0-9]+) (.*)/\1 -\2/p')
[ "$(wc -l <"${TMPDIR:-/tmp}/named.$$")" -gt 50 ] ||
    complain "only $(wc -l <"${TMPDIR:-/tmp}/named.$$") references found"

numbers=$(sed -nE 's/^\| R([0-9]+) \|.*/\1/p' $doc)
[ "$numbers" = "$(seq "$(wc -l <<<"$numbers")")" ] ||
    complain "invariants are not numbered from 1: $(xargs <<<"$numbers")"
for harness in fuzz/fuzz_*.c; do
    name=$(basename "$harness" .c)
    grep -qE "^\| \`${name#fuzz_}\` \|" $doc || complain "nothing is said of runs of ${name#fuzz_}"
    [ -d "fuzz/seeds/${name#fuzz_}" ] || complain "${name#fuzz_} has no seeds"
done
# shellcheck disable=SC2016 # the backquotes are the document's
[ "$(fuzz/campaign/log.py)" = "$(sed -n '/^<!-- fuzz.campaign.log/,/^<!-- end/{/^<!--/d;p}' $doc)" ] ||
    complain "the table of runs is another one: fuzz/campaign/log.py --write"
made=$(mktemp)
printf '%s\n' 'date	commit	harness	engine	seconds	cpu	executions	edges	features	findings' \
    '2026-01-01T00:00Z	a	file	asan	100	1800	1000	70	80	1' \
    '2026-01-02T00:00Z	b	file	plain	100	3600.0	2345678	7	8	0' \
    '2026-01-02T00:00Z	b	file	asan	100	0	0	60	90	0' \
    '2026-01-02T01:00Z	b	file	asan	100	0	0	65	50	0' \
    '2026-01-02T02:00Z	d	file	afl	100	0	0	9000	0	0' \
    '2026-01-03T00:00Z	c	attr	asan	100	36	5	6	7	0' \
    '2026-01-03T00:00Z	c	text	plain	100	36	5	6	7	0' >"$made"
for row in '| `attr` | 1 | 0.01 | 5 | 6 | 7 |  |' '| `file` | 5 | 1.50 | 2,346,678 | 65 | 90 | 1 |' \
    '| `text` | 1 | 0.01 | 5 |  |  |  |' '| all | 7 | 1.52 | 2,346,688 |  |  | 1 |'; do
    grep -qFx "$row" <<<"$(fuzz/campaign/log.py "$made")" || complain "the log is not added up: $row"
done
printf '%s\n' d b >"$made.gone"
for row in '| of these, of commits in the history | 3 | 0.52 | 1,010 |  |  | 1 |' \
    '| of these, of commits that are not | 4 | 1.00 | 2,345,678 |  |  |  |'; do
    grep -qFx "$row" <<<"$(fuzz/campaign/log.py "$made" "$made.gone")" ||
        complain "commits are not told apart: $row"
done
rm "$made" "$made.gone"
wrong=$(fuzz/campaign/log.py --gone 2>&1) || complain "$wrong"
kept=$({ [ ! -d fuzz/corpus ] || find fuzz/corpus -type f -printf '%s\n'; } |
    awk '{ n += $1 } END { print n + 0 }')
[ "$kept" -le $((8 << 20)) ] || complain "fuzz/corpus has $kept bytes"
# Each item of the list of promises, on a line of its own.
promises=$(sed -n '/^Whatever the bytes are/,/^\[docs/p' SECURITY.md |
    awk '/^- / { if (n++) print ""; printf "%s", $0; next } /^  / { printf " %s", $0 } END { print "" }')
[ "$(wc -l <<<"$promises")" -gt 4 ] || complain "SECURITY.md promises nothing"
while read -r line; do
    said=$(grep -oE '\(R[0-9]+(, R[0-9]+)*\)' <<<"$line" | grep -oE 'R[0-9]+') ||
        complain "SECURITY.md promises without an invariant: $line"
    for number in $said; do
        grep -q "^| $number |" $doc || complain "SECURITY.md: there is no $number"
    done
done <<<"$promises"
for file in fuzz/regressions/*/*; do
    grep -qF "\`${file#fuzz/regressions/}\`" $doc || complain "$file is not in the table of findings"
done
exit $failed
