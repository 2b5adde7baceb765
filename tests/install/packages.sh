#!/usr/bin/env bash
# What users do with the library: find_package, pkg-config, add_subdirectory; static and shared; from C and from C++17. The shared
# one exports what headers declare, under a version, and nothing else.
set -euo pipefail
: "${PERFDATA_SOURCE:?}" "${PERFDATA_BUILD:?}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
generator=(-G Ninja)
command -v ninja >/dev/null || generator=()

mkdir user
cat >user/main.c <<'END_OF_C'
#include <perfdata/perfdata.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    struct pd_reader *r;
    struct pd_record rec = {0};
    unsigned n = 0;
    if (argc < 2 || pd_reader_open(&r, argv[1], NULL, NULL) != PD_OK)
        return 1;
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        n += pd_reader_decode(r, &rec, NULL) == PD_OK && rec.type == PD_RECORD_SAMPLE;
    pd_reader_close(r);
    printf("%u\n", n);
}
END_OF_C
sed 's/rec = {0}/rec = {}/; s/NULL/nullptr/g; s/#include <stdio.h>/#include <cstdio>/' user/main.c >user/main.cpp
cat >user/CMakeLists.txt <<'END_OF_CMAKE'
cmake_minimum_required(VERSION 3.25)
include(CheckLanguage)
project(user LANGUAGES C)
check_language(CXX)
if(SUBDIRECTORY)
    add_subdirectory(${SUBDIRECTORY} perfdata)
else()
    find_package(perfdata 0.1 REQUIRED)
endif()
add_executable(user_c main.c)
target_link_libraries(user_c PRIVATE perfdata::perfdata)
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
    add_executable(user_cxx main.cpp)
    target_link_libraries(user_cxx PRIVATE perfdata::perfdata)
endif()
END_OF_CMAKE
recording=$PERFDATA_SOURCE/corpus/two-events.data
works() { # PROGRAM
    [ "$("$1" "$recording")" = 43 ] || fail "$1 gives $("$1" "$recording")"
}
configure() { # SOURCE BUILD OPTION...
    cmake "${generator[@]}" -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Debug "${@:3}" >log 2>&1 || fail "$(tail -n 20 log)"
    cmake --build "$2" -j 2 >log 2>&1 || fail "$(tail -n 20 log)"
}

for shared in OFF ON; do
    root=$tmp/root-$shared
    configure "$PERFDATA_SOURCE" "b-$shared" -DBUILD_SHARED_LIBS=$shared -DPERFDATA_BUILD_TESTS=OFF -DCMAKE_C_FLAGS=-O0 \
        -DCMAKE_INSTALL_PREFIX="$root" -DCMAKE_INSTALL_LIBDIR=lib
    cmake --install "b-$shared" >log || fail "install: $(tail -n 5 log)"
    for file in bin/perfdata include/perfdata/perfdata.h lib/pkgconfig/perfdata.pc lib/cmake/perfdata/perfdataConfig.cmake \
        share/man/man1/perfdata.1 share/man/man3/perfdata.3 share/man/man5/perfdata.5 \
        share/bash-completion/completions/perfdata share/zsh/site-functions/_perfdata share/fish/vendor_completions.d/perfdata.fish; do
        [ -f "$root/$file" ] || fail "$file is not installed"
    done

    configure user "u-$shared" -DCMAKE_PREFIX_PATH="$root"
    works "u-$shared/user_c"
    [ ! -e "u-$shared/user_cxx" ] || works "u-$shared/user_cxx"

    mv "$root" "$root-moved" # perfdata.pc finds its place
    root=$root-moved
    export PKG_CONFIG_PATH=$root/lib/pkgconfig
    # shellcheck disable=SC2046
    cc user/main.c -o with_pc $(pkg-config --cflags --libs perfdata) -Wl,-rpath,"$root/lib" || fail "pkg-config"
    works ./with_pc
    # What the shared library needs itself need not be there to build against it.
    [ "$shared" = OFF ] || PKG_CONFIG_LIBDIR=$root/lib/pkgconfig PKG_CONFIG_PATH='' pkg-config --cflags --libs perfdata >log ||
        fail "pkg-config without the development files of others"
    LD_LIBRARY_PATH=$root/lib "$root/bin/perfdata" check -q "$recording" || fail "the installed command"
done

# ---- The shared library's names. `root` is its prefix.
library=$root/lib/libperfdata.so
soname=$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')
version=$(sed -n 's/^Version: //p' "$root/lib/pkgconfig/perfdata.pc")
case $version in
0.*) want=libperfdata.so.${version%.*} ;;
*) want=libperfdata.so.${version%%.*} ;;
esac
[ "$soname" = "$want" ] || fail "SONAME $soname, expected $want"
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort >exported
if grep -v "^pd_[a-z0-9_A-Z]*@@PERFDATA_${want#libperfdata.so.}\$" exported; then fail "exported, or without version"; fi
cat "$root"/include/perfdata/*.h | tr '\n' ' ' | grep -oE 'PD_API [^;({]*\(' | grep -oE 'pd_[a-z0-9_]+\(' | tr -d '(' | sort -u >declared
cat "$root"/include/perfdata/*.h | tr '\n' ' ' | grep -oE 'PD_API extern [^;]*;' | grep -oE 'pd_[a-zA-Z0-9_]+(\[[^]]*\])*;' | grep -oE '^[a-zA-Z0-9_]+' |
    sort -u >>declared
sort -u declared >sorted
[ "$(wc -l <sorted)" -gt 200 ] || fail "only $(wc -l <sorted) declarations"
diff sorted <(sed 's/@.*//' exported | sort -u) >log || fail "declared < > exported: $(head -n 10 log)"

# ---- As a part of another project: it builds the library, and neither tests nor packages of its own.
configure user sub -DSUBDIRECTORY="$PERFDATA_SOURCE" -DCMAKE_C_FLAGS=-O0
works sub/user_c
[ -z "$(find sub -name 'test_*' -o -name 'CPackConfig.cmake')" ] || fail "tests or packages in another project"
