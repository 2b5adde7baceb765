#!/usr/bin/env bash
# .ci/full goes on where it stopped, also behind stages that write a log into the tree: .ci/full and .ci/tree
# as they are, in a tree with stages of our own.
set -euo pipefail
command -v git >/dev/null || { echo 'git is not installed'; exit 77; }
fail() {
    echo "$*" >&2
    exit 1
}
logs=$(sed -n 's/^logs=(\(.*\))$/\1/p' "$PERFDATA_SOURCE/.ci/tree")
[ -n "$logs" ] || fail '.ci/tree has no list of logs'
# Each is there, and what a stage is told to log to, or fuzz/run and tests/coverage write, is listed.
for log in $logs; do
    [ -f "$PERFDATA_SOURCE/$log" ] || fail "there is no $log"
done
told=$(grep -rhoE -- '--log [^ ]+' "$PERFDATA_SOURCE/.ci/stages" | cut -d' ' -f2)
for log in fuzz/log.tsv tests/coverage.tsv $told; do
    [[ " $logs " == *" $log "* ]] || fail "$log is not in .ci/tree"
done

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
export HOME=$tmp GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git init -q .
git config user.name x && git config user.email x@x
mkdir -p .ci/stages fuzz tests/mutation src
cp "$PERFDATA_SOURCE"/.ci/{full,tree} .ci/
printf '#!/bin/sh\n' >.ci/install
echo build >.gitignore
stages=$(sed -e ':a' -e '/\\$/N; s/\\\n//; ta' .ci/full | sed -n 's/^    set -- //p')
for stage in $stages; do
    printf '#!/bin/sh\necho %s >>build/ran\n' "$stage" >".ci/stages/$stage"
done
for log in $logs; do
    echo run >"$log"
    echo "echo run >>$log" >>.ci/stages/verbs
done
echo 'exit 1' >>.ci/stages/fuzz
echo code >src/a.c
chmod +x .ci/*[a-z] .ci/stages/*
commit() { git add -A && git commit -qm x; }
commit

# runs STAGE...: .ci/full runs these, and no others.
runs() {
    mkdir -p build && : >build/ran
    .ci/full >build/out 2>&1 && fail "a stage that fails is not told"
    [ "$(xargs <build/ran)" = "$*" ] || fail "ran $(xargs <build/ran), not $*"
}
# shellcheck disable=SC2086 # words
runs $stages
[ -n "$(git status --porcelain)" ] || fail 'no log was written'
runs fuzz
commit
runs fuzz
# Any other change is another tree: all is run, and again if it is not committed.
echo other >>src/a.c
# shellcheck disable=SC2086
runs $stages && runs $stages
commit
# shellcheck disable=SC2086
runs $stages && runs fuzz
echo new >src/b.c
[ -z "$(.ci/tree)" ] || fail 'a new file is overlooked'
