#!/usr/bin/env bash
# Sources are as clang-format 14 (Debian 12) makes them by .clang-format, and no line of C or Python has more
# than 110 columns. Not looked at: what is generated, tables of golden bytes (tests/golden), and those of the
# schema (*.def).
set -euo pipefail
cd "$PERFDATA_SOURCE"
fail() {
    echo "FAILED: $*"
    exit 1
}
generated='^include/perfdata/(constants|records|visitor)\.h$'
files() {
    if git rev-parse --git-dir >/dev/null 2>&1; then git ls-files; else find . -type f ! -path './build*' | sed 's,^\./,,'; fi
}
mapfile -t sources < <(files | grep -E '\.[ch]$' | grep -vE "$generated")
[ ${#sources[@]} -gt 300 ] || fail "${#sources[@]} sources"

# The length in characters, not bytes.
mapfile -t lines < <(files | grep -E '\.(c|h|py)$' | grep -vE "$generated|^tests/golden/")
python3 - "${lines[@]}" <<'END' || fail 'lines of more than 110 columns'
import sys
long = [f"{path}:{i}" for path in sys.argv[1:] for i, line in enumerate(open(path, encoding="utf-8"), 1) if len(line.rstrip("\n")) > 110]
print("\n".join(long[:20]))
sys.exit(1 if long else 0)
END

clang-format --version 2>/dev/null | grep -q 'version 14\.' || {
    echo 'clang-format 14 is not installed; lengths of lines are as they should be'
    exit 77
}
clang-format --style=file --dry-run --Werror "${sources[@]}" 2>&1 | grep -m 5 error: && fail "clang-format makes other lines"
exit 0
