#!/usr/bin/env bash
# The examples of the README, of the manual pages and of every --help are run as they stand, each page in a
# directory that has what they read; so is the C program of perfdata(3). Every verb has a page, every page is
# well-formed where groff is there, and what manual pages call a function is one.
set -euo pipefail
: "${PERFDATA:?}" "${PERFDATA_SOURCE:?}" "${PERFDATA_BUILD:?}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
failed=0
complain() {
    printf 'FAILED: %s\n' "$*" >&2
    failed=1
}
pages=$PERFDATA_SOURCE/docs/man
mkdir bin stock
ln -s "$PERFDATA" bin/perfdata
PATH=$tmp/bin:$PATH
for tool in less jq flamegraph.pl; do # they only look
    command -v $tool >/dev/null || { printf '#!/bin/sh\ncat\n' >bin/$tool && chmod +x bin/$tool; }
done
printf '#!/bin/sh\nexec perfdata info "${1:--}"\n' >bin/reader # what corrupt is for
chmod +x bin/reader

# ---- What the examples read.
if ! command -v perf >/dev/null; then
    echo "no perf: examples that record are not run"
    perf=missing
fi
(
    cd stock
    cp "$PERFDATA_SOURCE/corpus/callgraph.data" x.data
    cp x.data perf.data
    cp x.data old.data
    cp x.data a.data
    cp "$PERFDATA_SOURCE/corpus/two-events.data" b.data
    perfdata hash a.data b.data >MANIFEST
    perfdata convert -q --to dir -o recording x.data
    perfdata extract --feature cpu_topology -o t.bin a.data
    printf '{"header":{}}\n{"attr":{"type":"SOFTWARE","sample_type":"IP|TID|TIME"}}\n' >fixture.jsonl
    sed -n '/^```$/,/^```$/p' "$PERFDATA_SOURCE/docs/GEN.md" | sed '1d; /^```/,$d' >web.txt
    printf 'sixteen bytes at least' >secret.key
    printf 'all:\n\tcc -O2 -c main.c -o main.o\n' >Makefile
    printf 'int main(void) { return 0; }\n' >main.c
    mkdir sysroot
)

mkdir damaged # of which others say so
(
    cd damaged
    cp ../stock/x.data sister.data
    perfdata corrupt -q --truncate 25000 -o killed.data sister.data >/dev/null
    perfdata corrupt -q --set 0=00000000000000000000000000000000 -o headless.data sister.data >/dev/null
    perfdata corrupt -q --seed 1 -E 0.0001 -o damaged.data sister.data >/dev/null
)

# run WHERE COMMAND: status 0, or 1 where there are findings, 3 from what is for damaged files; and no
# complaint about the usage.
run() {
    local status=0
    if [ "${perf:-}" = missing ] && [[ $2 == *'perf '* ]]; then
        return
    fi
    local lock=()
    # As in tests/cli/frame_lib.sh
    [[ $2 != *'perf record'* ]] || lock=(flock -o "$PERFDATA_BUILD/recording.lock")
    "${lock[@]}" timeout 120 bash -c "set -o pipefail; $2" >out 2>err </dev/null || status=$?
    [ $status -eq 3 ] && [[ $2 == *'perfdata repair'* ]] && status=0
    [ $status -le 1 ] && ! grep -q ': command not found\|perfdata .* --help' err ||
        complain "$1: $2: exit status $status: $(tail -n 3 err | tr '\n' ' ')"
}
run_all() { # WHERE, commands on standard input
    rm -rf work
    cp -r stock work
    [[ $1 != *repair* ]] || cp damaged/* work
    cd work
    local n=0 command
    while IFS= read -r command <&3; do
        rm -f part-*.data
        [[ $command != *'perfdata merge'*part-* ]] || perfdata split -q --chunks 3 -o 'part-%04d.data' x.data
        # What another example of the page wrote.
        [[ ! $command =~ \ -o\ ([a-z.-]+) ]] || [ -e "../stock/${BASH_REMATCH[1]}" ] ||
            rm -rf "${BASH_REMATCH[1]}"
        run "$1" "$command"
        n=$((n + 1))
    done 3<"../$2"
    cd ..
    [ $n -gt 0 ] || complain "$1: no examples"
}

# The commands of the section: lines between .nf and .fi, or those behind .TP; without what roff has for - and
# \.
examples_of() {
    awk '{ $0 = begun $0; begun = "" } sub(/\\$/, "") { begun = $0; next }
        /^\.SH/ { in_examples = /EXAMPLES/ } !in_examples { next }
        /^\.nf/ { nf = 1; next } /^\.fi/ { nf = 0; next }
        nf { print } tp { print; tp = 0 } /^\.TP/ { tp = 1 }' "$1" | sed 's/\\-/-/g; s/\\e/\\/g; s/\\&//g'
}
for page in "$pages"/*.1; do
    examples_of "$page" >commands
    run_all "$(basename "$page")" commands
done

# ---- --help: what is behind two spaces or more, or a colon at the end of a line above, is a comment.
verbs=$(perfdata --list-options | cut -f 1 | grep -v -x -e help -e version)
for verb in $verbs; do
    [ -f "$pages/perfdata-$verb.1" ] || complain "no page for $verb"
    grep -qF "perfdata\\-$verb" "$pages/perfdata.1" || complain "perfdata(1) does not name $verb"
    perfdata "$verb" --help | sed -n '/^Examples:/,$s/^  \(perf.*\)/\1/p' |
        sed -E 's/   *[^ |].*$//' >commands
    run_all "perfdata $verb --help" commands
done

# ---- The README's blocks of commands.
awk '/^```console/ { on = 1; next } /^```/ { on = 0 } on && sub(/^\$ /, "")' "$PERFDATA_SOURCE/README.md" \
    >commands
run_all README.md commands

# ---- perfdata(3)
examples_of "$pages/perfdata.3" >program.c
lib=$(find "$PERFDATA_BUILD" -maxdepth 1 -name libperfdata.a -o -maxdepth 1 -name libperfdata_lib_static.a)
flags=$(sed -n 's/^CMAKE_C_FLAGS:[A-Z]*=//p' "$PERFDATA_BUILD/CMakeCache.txt")
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$PERFDATA_BUILD/CMakeCache.txt")
if [ -n "$lib" ]; then
    # shellcheck disable=SC2046,SC2086 # words
    "$cc" -std=c11 -Wall -Wextra -Werror $flags -I"$PERFDATA_SOURCE/include" program.c "$lib" \
        $(pkg-config --libs libzstd libxxhash) \
        -o program || complain "perfdata(3) does not compile"
    [ "$(./program stock/b.data | wc -l)" = 43 ] ||
        complain "perfdata(3) gives $(./program stock/b.data | wc -l) samples"
fi
for name in $(grep -o 'pd_[a-z_]*()' "$pages/perfdata.3" | tr -d '()' | sort -u); do
    grep -qr "[ *]$name(" "$PERFDATA_SOURCE/include" ||
        complain "perfdata(3) names $name(), which is not there"
done

# ---- The pages themselves.
if command -v groff >/dev/null; then
    for page in "$pages"/*.[135]; do
        # as man --warnings does on a terminal of 80 columns
        groff -Kutf8 -Tutf8 -t -man -ww -rLL=80n -rLT=80n "$page" 2>warnings >shown || complain "$page"
        [ ! -s warnings ] || complain "$page: $(head -n 3 warnings)"
        [ -s shown ] || complain "$page is empty"
    done
fi
exit $failed
