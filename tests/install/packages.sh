#!/usr/bin/env bash
# What users do with the libraries: find_package, pkg-config, add_subdirectory; static and shared; from C and
# from C++17. The shared ones export what headers declare, under a version, and libperfdata what
# libperfdata-ops uses, under one of its own. And cpack makes a .deb: it has the dependencies of what is in
# it, all files are where Debian wants them, and unpacked it works. Whether it installs on a clean Debian:
# tests/full/debian_root.sh.
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
cat >user/sort.c <<'END_OF_C'
#include <perfdata/ops/sort.h>
#include <stdio.h>
static void count(void *user, const struct pd_error *why)
{
    (void)why;
    ++*(unsigned *)user;
}
int main(int argc, char **argv)
{
    struct pd_reader *r;
    unsigned n = 0;
    struct pd_sort_options options = {.size = sizeof options, .finding = count, .user = &n};
    struct pd_sink sink = {0};
    if (argc < 3 || pd_reader_open(&r, argv[1], NULL, NULL) || pd_sink_open(&sink, argv[2], NULL, NULL))
        return 1;
    const enum pd_code code = pd_sort(r, &sink, &options, NULL, NULL);
    pd_reader_close(r);
    return code || n || pd_sink_close(&sink, NULL);
}
END_OF_C
sed 's/rec = {0}/rec = {}/; s/NULL/nullptr/g; s/#include <stdio.h>/#include <cstdio>/' user/main.c \
    >user/main.cpp
cat >user/CMakeLists.txt <<'END_OF_CMAKE'
cmake_minimum_required(VERSION 3.25)
include(CheckLanguage)
project(user LANGUAGES C)
check_language(CXX)
if(SUBDIRECTORY)
    add_subdirectory(${SUBDIRECTORY} perfdata)
else()
    find_package(perfdata 0.1 REQUIRED)
    if(TARGET perfdata::ops)
        message(FATAL_ERROR "a component that was not asked for")
    endif()
    find_package(perfdata 0.1 REQUIRED COMPONENTS ops text redact)
    find_package(perfdata 0.1 QUIET COMPONENTS nonsense)
    if(perfdata_FOUND)
        message(FATAL_ERROR "a component that there is not")
    endif()
endif()
add_executable(user_sort sort.c)
target_link_libraries(user_sort PRIVATE perfdata::ops)
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
works() { # PROGRAM [RECORDING]
    [ "$("$1" "${2:-$recording}")" = 43 ] || fail "$1 gives $("$1" "$recording")"
}
configure() { # SOURCE BUILD OPTION...
    cmake "${generator[@]}" -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 "${@:3}" \
        >log 2>&1 || fail "$(tail -n 20 log)"
    cmake --build "$2" -j 2 ${targets:+--target $targets} >log 2>&1 || fail "$(tail -n 20 log)"
}
# Was this tree built as the static package is, but for optimisation? Then it need not be built again.
cache() { sed -n "s/^$1:[A-Z]*=//p" "$PERFDATA_BUILD/CMakeCache.txt"; }
plain=''
[ -n "$(cache CMAKE_C_FLAGS)" ] || [ "$(cache PERFDATA_FUZZ)" = ON ] ||
    [ "$(cache BUILD_SHARED_LIBS)" = ON ] || plain=$PERFDATA_BUILD

for shared in OFF ON; do
    root=$tmp/root-$shared
    build=b-$shared
    if [ $shared = OFF ] && [ -n "$plain" ]; then
        build=$plain
    else
        configure "$PERFDATA_SOURCE" "$build" -DBUILD_SHARED_LIBS=$shared -DPERFDATA_BUILD_TESTS=OFF \
            -DCMAKE_INSTALL_PREFIX="$root" -DCMAKE_INSTALL_LIBDIR=lib
    fi
    cmake --install "$build" --prefix "$root" >log || fail "install: $(tail -n 5 log)"
    for file in bin/perfdata include/perfdata/perfdata.h include/perfdata/ops/sort.h \
        lib/pkgconfig/perfdata.pc lib/pkgconfig/perfdata-ops.pc lib/cmake/perfdata/perfdataConfig.cmake \
        share/man/man1/perfdata.1 share/man/man3/perfdata.3 share/man/man5/perfdata.5 \
        share/bash-completion/completions/perfdata share/zsh/site-functions/_perfdata \
        share/fish/vendor_completions.d/perfdata.fish; do
        [ -f "$root/$file" ] || fail "$file is not installed"
    done

    configure user "u-$shared" -DCMAKE_PREFIX_PATH="$root"
    works "u-$shared/user_c"
    [ ! -e "u-$shared/user_cxx" ] || works "u-$shared/user_cxx"
    "u-$shared/user_sort" "$recording" sorted.data && works "u-$shared/user_c" sorted.data || fail "user_sort"

    mv "$root" "$root-moved" # perfdata.pc finds its place
    root=$root-moved
    export PKG_CONFIG_PATH=$root/lib/pkgconfig
    # shellcheck disable=SC2046
    cc user/main.c -o with_pc $(pkg-config --cflags --libs perfdata) -Wl,-rpath,"$root/lib" ||
        fail "pkg-config"
    works ./with_pc
    # shellcheck disable=SC2046
    cc user/sort.c -o with_pc $(pkg-config --cflags --libs perfdata-ops) -Wl,-rpath,"$root/lib" ||
        fail "pkg-config perfdata-ops"
    ./with_pc "$recording" sorted.data || fail "sort with pkg-config"
    # What the shared library needs itself need not be there to build against it.
    [ "$shared" = OFF ] ||
        PKG_CONFIG_LIBDIR=$root/lib/pkgconfig PKG_CONFIG_PATH='' pkg-config --cflags --libs perfdata-ops \
        >log ||
        fail "pkg-config without the development files of others"
    "$root/bin/perfdata" check -q "$recording" || fail "the installed command"
done
# libperfdata-ops finds libperfdata beside it, also where a program opens it by dlopen().
ldd "$root/lib/libperfdata-ops.so" >libraries
grep -q "libperfdata.so.* => $root/lib/" libraries || fail "$(cat libraries)"

# ---- The names of shared libraries. `root` is their prefix.
names() { # NAME VERSION HEADER...: what the library exports under that version is what the headers declare
    local library=$root/lib/lib$1.so want=lib$1.so.$soversion soname
    soname=$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')
    [ "$soname" = "$want" ] || fail "SONAME $soname, expected $want"
    nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort >exported
    { grep "@@$2\$" exported || true; } | sed 's/@.*//' | sort -u >public
    for kind in functions objects; do "$PERFDATA_SOURCE/tests/repo/declared" $kind "${@:3}"; done |
        sort -u >declared
    diff declared public >log || fail "$1: declared < > exported: $(head -n 10 log)"
    ! grep -v "@@$2\$" exported >others || ! grep -v "^pi_[a-z0-9_]*@@PERFDATA_PRIVATE_$version\$" others ||
        fail "$1: exported, or without version"
}
version=$(sed -n 's/^Version: //p' "$root/lib/pkgconfig/perfdata.pc")
case $version in
0.*) soversion=${version%.*} ;;
*) soversion=${version%%.*} ;;
esac
names perfdata "PERFDATA_$soversion" "$root"/include/perfdata/{,session/}*.h
[ -s others ] && [ "$(wc -l <declared)" -gt 200 ] ||
    fail "only $(wc -l <declared) declarations, $(wc -l <others) private names"
names perfdata-ops "PERFDATA_OPS_$soversion" "$root"/include/perfdata/ops/*.h
[ ! -s others ] || fail "libperfdata-ops has private names: $(head -n 3 others)"

# ---- As a part of another project: it builds the library, and neither tests nor packages of its own.
targets="user_c user_sort" configure user sub -DSUBDIRECTORY="$PERFDATA_SOURCE"
works sub/user_c
cmake --build sub -j 2 >log 2>&1 || fail "$(tail -n 20 log)"
[ -z "$(find sub -name 'test_*' -o -name 'CPackConfig.cmake' -o -name perfdata -type f)" ] ||
    fail "tests, packages or the command in another project"
cmake --install sub --prefix "$tmp/nothing" >log 2>&1 || fail "$(tail -n 20 log)"
[ -z "$(find nothing -type f 2>/dev/null)" ] || fail "installed by another project: $(find nothing -type f)"

# ---- A shared library with sanitizers, whose run-time clang links into programs alone
if command -v clang >/dev/null; then
    targets=perfdata_lib configure "$PERFDATA_SOURCE" sanitized -DBUILD_SHARED_LIBS=ON -DPERFDATA_OPS=OFF \
        -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS=-fsanitize=address,undefined -DPERFDATA_BUILD_TESTS=OFF
fi

# ---- The package, of the build of the shared one
for tool in dpkg-deb dpkg-shlibdeps cpack; do
    command -v $tool >/dev/null || { echo "skipped: no package, $tool is not installed"; exit 77; }
done
cmake -S "$PERFDATA_SOURCE" -B b-ON -DCMAKE_INSTALL_PREFIX=/usr -U CMAKE_INSTALL_LIBDIR >log 2>&1 ||
    fail "$(tail -n 20 log)"
(cmake --build b-ON -j 2 && cd b-ON && cpack -G DEB) >log 2>&1 || fail "$(tail -n 20 log)"
set -- b-ON/*.deb
[ $# = 1 ] || fail "packages: $*"
[[ $1 == b-ON/perfdata_*_$(dpkg --print-architecture).deb ]] || fail "$1"
dpkg-deb -f "$1" >fields
for library in libc6 libzstd1 libxxhash0 libjansson4 libsodium23; do
    grep -q "^Depends:.*\b$library\b" fields || fail "does not depend on $library: $(cat fields)"
done
dpkg-deb -x "$1" deb
arch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for file in bin/perfdata include/perfdata/perfdata.h "lib/$arch/libperfdata.so" \
    "lib/$arch/libperfdata-ops.so" "lib/$arch/pkgconfig/perfdata.pc" "lib/$arch/pkgconfig/perfdata-ops.pc" \
    "lib/$arch/cmake/perfdata/perfdataConfig.cmake" share/man/man1/perfdata.1 share/man/man1/perfdata-info.1 \
    share/man/man3/perfdata.3 share/man/man5/perfdata.5 share/bash-completion/completions/perfdata \
    share/doc/perfdata/copyright; do
    [ -e "deb/usr/$file" ] || fail "no /usr/$file"
done
[ -z "$(find deb -path deb/usr -prune -o -type f -print)" ] || fail "files outside of /usr"
if find deb -type f -exec grep -lF -e "$tmp" {} + |
    grep -v '/libperfdata\|/bin/perfdata'; then fail "the build directory is in these"; fi
ldd deb/usr/bin/perfdata >libraries
! grep -q 'libperfdata\|not found' libraries || fail "the command links more than its own: $(cat libraries)"
LD_LIBRARY_PATH=$tmp/deb/usr/lib/$arch ldd "deb/usr/lib/$arch/libperfdata-ops.so" >libraries
grep -q "libperfdata.so.* => $tmp/deb/" libraries && ! grep -q 'not found' libraries ||
    fail "$(cat libraries)"
deb/usr/bin/perfdata check -q "$PERFDATA_SOURCE"/corpus/*.data || fail "the unpacked command"
