#!/usr/bin/env bash
# What is shipped tells nothing of who made it: no file has the name of this machine, the path of this
# checkout or of a home; and in recordings, and what the fuzzer's inputs have of them, there are no tasks but
# those that corpus/record.sh starts (corpus/names), and those that perfdata redact named.
set -euo pipefail
fail() {
    echo "FAILED: $*"
    exit 1
}
tasks=$(mktemp)
trap 'rm -f "$tasks"' EXIT
cd "$PERFDATA_SOURCE"
files() {
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -z
    else
        find . -type f ! -path './build*' -print0
    fi
}
mapfile -d '' -t all < <(files)
[ ${#all[@]} -gt 500 ] || fail "${#all[@]} files"

# Short names, and those that any machine may have, are words of the language as well.
words=()
host=$(uname -n)
for word in "$host" "${host%%.*}" "${USER-}" "${HOME-}" "$PWD" "$(realpath .)"; do
    case $word in
        localhost | debian | ubuntu | linux | example | runner | build | /root | perfdata) ;;
        ?????*) words+=("$word") ;;
    esac
done
for word in "${words[@]}"; do
    found=$(grep -laF -- "$word" "${all[@]}" | head -n 5) || true
    [ -z "$found" ] || fail "\"$word\" is in $found"
done

# Tasks of the recordings, by their maps' files too; threads that each kernel has in what is made of them.
for recording in corpus/*.data; do
    "$PERFDATA" info --tasks "$recording" | sed '1,/^# *pid/d' | awk '{ print $4 }' >"$tasks" 2>/dev/null ||
        fail "$recording"
    foreign=$(grep -vxE 'name[0-9]+|swapper|:-?[0-9]+' "$tasks" | grep -vxFf corpus/names) || true
    [ -z "$foreign" ] || fail "$recording has tasks: $foreign"
    [ "$("$PERFDATA" info -I --header-only "$recording" | grep '^# hostname')" = '# hostname : example' ] ||
        fail "$recording: the host"
    "$PERFDATA" info --json --mmaps "$recording" >/dev/null || fail "$recording"
    foreign=$("$PERFDATA" info --mmaps "$recording" | awk '$NF ~ /^\// { print $NF }' | tr / '\n' | sort -u |
        grep -vxE '|name[0-9]+' | grep -vxFf corpus/names) || true
    [ -z "$foreign" ] || fail "$recording has paths of $foreign"
done
tasks='ksoftirqd|kthreadd|kworker/|migration/[0-9]|rcu_preempt|watchdog|pool_workqueue|record\.sh|memfd:'
found=$(grep -laE "$tasks" corpus/*.data \
    $(find fuzz/seeds fuzz/regressions -type f)) || true
[ -z "$found" ] || fail "tasks of another machine: $found"
