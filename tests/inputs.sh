#!/usr/bin/env bash
# inputs.sh before|after: tests write nothing into what they read. `before` notes the files of the recordings
# in the repository and in PERFDATA_CORPUS, `after` compares; ctest runs them around all tests (a fixture).
set -euo pipefail
cd "$PERFDATA_SOURCE"
noted=$PERFDATA_BUILD/tests/inputs.before
folders=(corpus fuzz/seeds fuzz/regressions tests/damaged)
[ ! -d "${PERFDATA_CORPUS:-}" ] || folders+=("$PERFDATA_CORPUS")
list() { find "${folders[@]}" -printf '%p %y %l %m %s %T@\n' | LC_ALL=C sort; }

case $1 in
before) list >"$noted" ;;
after)
    [ -s "$noted" ] || { echo "FAILED: nothing was noted before the tests" && exit 1; }
    list >"$noted.now"
    if diff "$noted" "$noted.now"; then
        echo "$(wc -l <"$noted") files are as they were"
    else
        echo "FAILED: these changed while the tests ran"
        exit 1
    fi
    ;;
esac
