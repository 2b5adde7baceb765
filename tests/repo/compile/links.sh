#!/usr/bin/env bash
# What a program must link that uses one public header: all functions of the header are called by name, and
# nothing is linked but the static library of the header and the libraries of the table. So nobody who decodes
# a record pays for compression, nor a reader for keys, and libperfdata needs nothing of libperfdata-ops.
set -euo pipefail
[ -e "$PERFDATA_BUILD/libperfdata.a" ] || { echo "skipped: the library is not static"; exit 77; }
grep -q '^CMAKE_C_FLAGS:.*fsanitize' "$PERFDATA_BUILD/CMakeCache.txt" &&
    { echo "skipped: sanitizers link more"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The libraries that a header's functions may need.
needs() {
    case $1 in
    base | error | names | constants | records | attr | codec | feature | visitor | version) ;;
    session/fields | session/compare | session/text | session/event | session/regs) ;;
    session/large_record | session/tracepoint) ;;
    ops/redact) echo -lzstd -lxxhash -lsodium ;;
    ops/parse) echo -ljansson ;;
    *) echo -lzstd -lxxhash ;;
    esac
}

links() { # HEADER LIBRARY...
    local own=("$PERFDATA_BUILD/libperfdata.a")
    [[ $1 != ops/* ]] || own=("$PERFDATA_BUILD/libperfdata-ops.a" "${own[@]}")
    gcc -std=gnu11 -I"$PERFDATA_SOURCE/include" -o "$work/program" "$work/$1.c" "${own[@]}" "${@:2}" \
        2>"$work/said"
}

failed=0
mapfile -t headers < <(cd "$PERFDATA_SOURCE/include/perfdata" && find . -name '*.h' |
    sed 's,^\./,,; s,\.h$,,' | sort)
for header in "${headers[@]}"; do
    declarations=$PERFDATA_SOURCE/include/perfdata/$header.h
    functions=$("$PERFDATA_SOURCE/tests/repo/declared" functions "$declarations" | sed 's/.*/(void *)&,/')
    mkdir -p "$(dirname "$work/$header")"
    {
        printf '#include <perfdata/%s.h>\n' "$header"
        printf 'void *volatile used[] = {%s};\n' "${functions:-(void *)0}"
        echo 'int main(void) { return used[0] == (void *)1; }'
    } >"$work/$header.c"
    # shellcheck disable=SC2046
    if ! links "$header" $(needs "$header"); then
        echo "perfdata/$header.h needs more than: $(needs "$header")" >&2
        sed -n '1,4p' "$work/said" >&2
        failed=1
    fi
done
# It can fail.
! links reader || { echo "a reader is linked without libzstd?" >&2; failed=1; }
exit $failed
