#!/usr/bin/env bash
# What a program links that uses one public header. For each there is a program that refers to all functions
# and objects of the header, linked statically, with all third-party libraries to choose from; the linker's
# map tells which of these it took, which must be those of the table. So nobody who decodes a record pays for
# compression, nor a reader for keys, and libperfdata needs nothing of libperfdata-ops.
set -euo pipefail
[ -e "$PERFDATA_BUILD/libperfdata.a" ] || { echo "skipped: the library is not static"; exit 77; }
grep -q '^CMAKE_C_FLAGS:.*fsanitize' "$PERFDATA_BUILD/CMakeCache.txt" &&
    { echo "skipped: sanitizers link more"; exit 77; }
libraries="libzstd libxxhash libsodium libjansson"
for library in $libraries; do
    [[ $(gcc -print-file-name="$library.a") == /* ]] || { echo "skipped: no $library.a"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=$PERFDATA_SOURCE/include/perfdata

# Headers, and the libraries that their programs link. Those of one record, attr or feature link none, those
# of a recording libzstd (to read compressed ones) and libxxhash (to find numbers and texts).
declare -A table
add_row() { # LIBRARIES HEADER...
    local header
    for header in "${@:2}"; do table[$header]=$1; done
}
add_row "" attr base codec constants error feature names records version visitor
add_row "" session/{compare,complete,event,fields,large_record,mappings,regs,ring,sample,sink,text,tracepoint}
add_row "libzstd" perfdata reader writer session/{columns,part,push,sorter,visit}
add_row "libxxhash libzstd" session/{metadata,session,tasks}
add_row "" ops/symbol # types alone
add_row "libzstd" ops/{expression,gen,repair,rewrite,sort,transform}
add_row "libxxhash libzstd" ops/{convert,difference,export,filter,hash,index,merge,report,split}
add_row "libsodium libxxhash libzstd" ops/redact
add_row "libjansson" ops/parse

write_program() { # HEADER
    local headers=("$include/$1.h") kind
    [ "$1" != perfdata ] || headers=("$include"/*.h) # it includes these
    printf '#include <perfdata/%s.h>\nconst void *volatile used[] = {\n' "$1"
    for kind in functions objects inline; do
        "$PERFDATA_SOURCE/tests/repo/declared" $kind "${headers[@]}" | sed 's/.*/    (const void *)\&&,/'
    done
    printf '    0};\nint main(void) { return used[0] == (void *)1; }\n'
}

link_program() { # HEADER
    local own=("$PERFDATA_BUILD/libperfdata.a")
    [[ $1 != ops/* ]] || own=("$PERFDATA_BUILD/libperfdata-ops.a" "${own[@]}")
    write_program "$1" >"$work/program.c"
    # shellcheck disable=SC2046,SC2086 # words
    gcc -std=gnu11 -static -Wl,-Map="$work/map" -I"$PERFDATA_SOURCE/include" -o "$work/program" \
        "$work/program.c" "${own[@]}" $(printf -- '-l:%s.a ' $libraries)
}

# The libraries of which the map says that a member was taken, but for this project's and the compiler's.
read_map() {
    awk '/^Archive member included/ { on = 1; next }
        on && !NF && seen { exit }
        on && /^[^ ]/ { sub(/\.a\(.*/, ""); sub(/.*\//, ""); print; seen = 1 }' "$1" |
        sed -E '/^(libperfdata(-ops)?|libc|libm|libgcc|libgcc_eh)$/d' | sort -u | tr '\n' ' ' | sed 's/ $//'
}

compare() { # HEADER, LIBRARIES of the table, LIBRARIES of the map
    local library wrong=0
    for library in $3; do
        [[ " $2 " == *" $library "* ]] ||
            { echo "perfdata/$1.h: its program links $library, which the table does not name" >&2; wrong=1; }
    done
    for library in $2; do
        [[ " $3 " == *" $library "* ]] ||
            { echo "perfdata/$1.h: the table names $library, which its program does not link" >&2; wrong=1; }
    done
    return $wrong
}

failed=0
complain() {
    echo "$*" >&2
    failed=1
}
declare -A linked
while read -r header; do
    if [ -z "${table[$header]+there}" ]; then
        complain "perfdata/$header.h is not in the table"
    elif link_program "$header" 2>"$work/said"; then
        linked[$header]=$(read_map "$work/map")
        compare "$header" "${table[$header]}" "${linked[$header]}" || failed=1
    else
        complain "perfdata/$header.h is not linked: $(grep -m 4 -e undefined -e error "$work/said")"
    fi
done < <(cd "$include" && find . -name '*.h' | sed 's,^\./,,; s,\.h$,,' | sort)
for header in "${!table[@]}"; do
    [ -e "$include/$header.h" ] || complain "perfdata/$header.h is in the table, but not there"
done

# It can fail, both ways.
must_say() { # WHAT, HEADER, LIBRARIES of a table that is wrong
    ! compare "$2" "$3" "${linked[$2]}" 2>"$work/said" || complain "not found: $2.h, $3"
    grep -qxF "$1" "$work/said" || complain "not said: $1"
}
must_say 'perfdata/reader.h: its program links libzstd, which the table does not name' reader ""
must_say 'perfdata/codec.h: the table names libzstd, which its program does not link' codec "libzstd"
must_say 'perfdata/ops/redact.h: its program links libsodium, which the table does not name' ops/redact \
    "libxxhash libzstd"
must_say 'perfdata/ops/parse.h: the table names libxxhash, which its program does not link' ops/parse \
    "libjansson libxxhash"
exit $failed
