#!/usr/bin/env bash
# C++: the programs of examples/*.cpp, twins of those in C, compile as C++17 and C++20 without a word,
# extensions refused, and write and read what these do; the macros that make views can be used, and constants
# are plain numbers.
. "$(dirname "$0")/../cli/frame_lib.sh"
: "${PERFDATA_SOURCE:?}" "${PERFDATA_BUILD:?}"
cache() { sed -n "s/^$1:[A-Z]*=//p" "$PERFDATA_BUILD/CMakeCache.txt"; }
flags=$(cache CMAKE_C_FLAGS)
[ -e "$PERFDATA_BUILD/libperfdata.a" ] || skip 'the library is not a static one'
[[ $flags != *-fsanitize=* ]] || skip 'a library with sanitizers'
cat >macros.cpp <<'END'
#include <perfdata/perfdata.h>
static_assert(PD_SAMPLE_CGROUP == 0x200000, "a constant");
static_assert(PD_NOWHERE == UINT64_MAX, "the last offset");
int main()
{
    static const uint64_t ips[] = {PD_CONTEXT_USER, 1};
    static const pd_namespace_entry entries[] = {{1, 2}};
    const pd_vec vec = PD_VEC64(ips, 2);
    const pd_list list = PD_LIST(entries, 1);
    const pd_str text = PD_STR("abc");
    return !(pd_vec_at(&vec, 1) == 1 && list.n == 1 && text.len == 3);
}
END
for compiler in g++ clang++; do
    printf '#include <cstdint>\n' | "$compiler" -x c++ -fsyntax-only - 2>/dev/null || continue
    for standard in c++17 c++20; do
        for source in macros.cpp "$PERFDATA_SOURCE"/examples/*.cpp; do
            name=$(basename "$source" .cpp)
            "$compiler" -std=$standard -pedantic-errors -Wall -Wextra -Werror -I"$PERFDATA_SOURCE/include" \
                "$source" "$PERFDATA_BUILD/libperfdata.a" -lzstd -lxxhash -o "$name.$standard" >said 2>&1 ||
                fail "$compiler, $standard, $name: $(head -n 8 said)"
        done
        ./macros.$standard || fail "$compiler, $standard: the macros"
        ./write.$standard new.data
        "$PERFDATA" check -q new.data
        [ "$(./read.$standard new.data)" = "7 1000 401000" ] || fail "$compiler, $standard: read"
        wanted=$("$PERFDATA" decode "$PERFDATA_SOURCE/corpus/callgraph.data" |
            jq -r '.record.type' | awk '/^COMM/ { c++ } /^MMAP/ { m++ } /^SAMPLE/ { s++ }
                END { print c + 0 " names, " m + 0 " mappings, " s + 0 " samples" }')
        [ "$(./visitor.$standard "$PERFDATA_SOURCE/corpus/callgraph.data")" = "$wanted" ] ||
            fail "$compiler, $standard: visitor, not $wanted"
        [[ $(./visitor.$standard "$PERFDATA_SOURCE/corpus/callgraph.data" 2) == *" 2 samples" ]] ||
            fail "$compiler, $standard: a visitor that stops"
        ran=1
    done
done
[ -n "${ran-}" ] || skip 'there is no C++ compiler'
