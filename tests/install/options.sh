#!/usr/bin/env bash
# What builds that leave something out have, and what they need: the smallest, libperfdata alone, configured
# where pkg-config finds libzstd and libxxhash and nothing else. With full effort also the command without
# JSON, without redaction, and without both.
set -euo pipefail
# shellcheck source=tests/cli/frame_lib.sh
. "$(dirname "$0")/../cli/frame_lib.sh"
: "${PERFDATA_SOURCE:?}" "${PERFDATA_BUILD:?}"
recording=$PERFDATA_SOURCE/corpus/two-events.data
[ -z "$(sed -n 's/^CMAKE_TOOLCHAIN_FILE:[A-Z]*=//p' "$PERFDATA_BUILD/CMakeCache.txt")" ] ||
    skip "for another machine"
found=$(pkg-config --variable pc_path pkg-config | tr : '\n')

# build NAME "MODULE..." OPTION...: installs to NAME what is built where pkg-config finds these modules alone.
build() {
    local name=$1 module folder
    mkdir "pc-$name"
    for module in $2; do
        while read -r folder; do
            [ ! -e "$folder/$module.pc" ] || ln -sf "$folder/$module.pc" "pc-$name/"
        done <<<"$found"
    done
    PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$dir/pc-$name cmake -S "$PERFDATA_SOURCE" -B "b-$name" -G Ninja \
        -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_INSTALL_PREFIX="$dir/$name" -DCMAKE_INSTALL_LIBDIR=lib "${@:3}" \
        >log 2>&1 ||
        fail "$name: $(tail -n 20 log)"
    cmake --build "b-$name" -j 2 >log 2>&1 || fail "$name: $(tail -n 20 log)"
    cmake --install "b-$name" >log 2>&1 || fail "$name: $(tail -n 20 log)"
}

# there NAME FILE..., absent NAME FILE...
there() { for file in "${@:2}"; do [ -e "$1/$file" ] || fail "$1: no $file"; done; }
absent() { for file in "${@:2}"; do [ ! -e "$1/$file" ] || fail "$1: $file"; done; }

# A program that names all functions of all headers that are installed, linked as pkg-config says.
links() { # NAME MODULE
    local headers
    headers=$(cd "$1/include" && find perfdata -name '*.h' | sort)
    {
        # shellcheck disable=SC2086 # words
        printf '#include <%s>\n' $headers
        echo 'void *volatile used[] = {'
        # shellcheck disable=SC2086 # words
        (cd "$1/include" && "$PERFDATA_SOURCE/tests/repo/declared" functions $headers) |
            sed 's/.*/    (void *)&,/'
        echo '}; int main(void) { return used[0] == (void *)1; }'
    } >all.c
    export PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$dir/$1/lib/pkgconfig:$dir/pc-$1
    # shellcheck disable=SC2046
    cc all.c $(pkg-config --cflags --libs "$2") -o all || fail "$1: $2"
    unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR
    LD_LIBRARY_PATH=$dir/$1/lib ./all || fail "$1: the program"
}

# finds NAME COMPONENT...: does find_package() with these components?
finds() {
    mkdir -p find
    {
        printf 'cmake_minimum_required(VERSION 3.25)\nproject(find LANGUAGES C)\n'
        printf 'find_package(perfdata REQUIRED COMPONENTS %s)\n' "${*:2}"
    } >find/CMakeLists.txt
    rm -rf b-find
    PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$dir/pc-$1 cmake -S find -B b-find -DCMAKE_PREFIX_PATH="$dir/$1" \
        >log 2>&1
}

# ---- libperfdata alone
build small "libzstd libxxhash" -DPERFDATA_OPS=OFF
there small lib/libperfdata.a include/perfdata/reader.h include/perfdata/session/metadata.h \
    lib/pkgconfig/perfdata.pc \
    share/man/man3/perfdata.3
absent small bin lib/libperfdata-ops.a include/perfdata/ops lib/pkgconfig/perfdata-ops.pc share/man/man1 \
    share/bash-completion
links small perfdata
finds small || fail "small: find_package: $(tail -n 5 log)"
! finds small ops || fail "small: has the component ops"

full || { echo "the other builds: with full effort"; exit 0; }

# ---- The command without verbs; VERB... are lacking
lacks() { # NAME VERB...
    local perfdata=$dir/$1/bin/perfdata verb
    "$perfdata" check -q "$recording" || fail "$1: check"
    for verb in info sort decode encode redact; do
        "$perfdata" help >said
        "$perfdata" --list-options >words
        if [[ " ${*:2} " == *" $verb "* ]]; then
            ! grep -q "^  $verb " said && ! grep -q "^$verb	" words || fail "$1: lists $verb"
            got=0
            "$perfdata" "$verb" x 2>err || got=$?
            [ $got = 2 ] && has err "was built without \"$verb\"" || fail "$1: $verb: $got: $(cat err)"
            absent "$1" "share/man/man1/perfdata-$verb.1"
        else
            grep -q "^  $verb " said && grep -q "^$verb	" words || fail "$1: does not list $verb"
            there "$1" "share/man/man1/perfdata-$verb.1"
        fi
    done
}
build text "libzstd libxxhash libsodium" -DPERFDATA_TEXT=OFF
lacks text decode encode
absent text include/perfdata/ops/parse.h
there text include/perfdata/ops/redact.h lib/libperfdata-ops.a
links text perfdata-ops
finds text ops redact || fail "text: find_package: $(tail -n 5 log)"
! finds text ops text || fail "text: has the component text"

build redact "libzstd libxxhash jansson" -DPERFDATA_REDACT=OFF
lacks redact redact
absent redact include/perfdata/ops/redact.h
there redact include/perfdata/ops/parse.h
links redact perfdata-ops
finds redact ops text || fail "redact: find_package: $(tail -n 5 log)"
! finds redact redact || fail "redact: has the component redact"

build both "libzstd libxxhash" -DPERFDATA_TEXT=OFF -DPERFDATA_REDACT=OFF -DBUILD_SHARED_LIBS=ON
there both lib/libperfdata-ops.so
lacks both decode encode redact
links both perfdata-ops

build none "libzstd libxxhash libsodium jansson" -DPERFDATA_CLI=OFF -DBUILD_SHARED_LIBS=ON
absent none bin share/man/man1 share/bash-completion
there none lib/libperfdata-ops.so include/perfdata/ops/parse.h
