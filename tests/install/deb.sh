#!/usr/bin/env bash
# cpack makes a .deb: it has the dependencies of what is in it, all files are where Debian wants them, and unpacked it works.
# Whether it installs on a clean Debian: tests/full/debian_root.sh.
set -euo pipefail
: "${PERFDATA_SOURCE:?}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
for tool in dpkg-deb dpkg-shlibdeps cpack; do
    command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
cmake -S "$PERFDATA_SOURCE" -B b -DBUILD_SHARED_LIBS=ON -DPERFDATA_BUILD_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O0 \
    -DCMAKE_INSTALL_PREFIX=/usr >log 2>&1 || fail "$(tail -n 20 log)"
cmake --build b -j 2 >log 2>&1 || fail "$(tail -n 20 log)"
(cd b && cpack -G DEB) >log 2>&1 || fail "$(tail -n 20 log)"
set -- b/*.deb
[ $# = 1 ] || fail "packages: $*"
[[ $1 == b/perfdata_*_$(dpkg --print-architecture).deb ]] || fail "$1"
dpkg-deb -f "$1" >fields
for library in libc6 libzstd1 libxxhash0 libjansson4; do
    grep -q "^Depends:.*\b$library\b" fields || fail "does not depend on $library: $(cat fields)"
done
dpkg-deb -x "$1" root
arch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for file in bin/perfdata include/perfdata/perfdata.h "lib/$arch/libperfdata.so" "lib/$arch/pkgconfig/perfdata.pc" \
    "lib/$arch/cmake/perfdata/perfdataConfig.cmake" share/man/man1/perfdata.1 share/man/man1/perfdata-info.1 share/man/man3/perfdata.3 \
    share/man/man5/perfdata.5 share/bash-completion/completions/perfdata share/doc/perfdata/copyright; do
    [ -e "root/usr/$file" ] || fail "no /usr/$file"
done
[ -z "$(find root -path root/usr -prune -o -type f -print)" ] || fail "files outside of /usr"
if find root -type f -exec grep -lF -e "$tmp" {} + | grep -v '/libperfdata\|/bin/perfdata'; then fail "the build directory is in these"; fi
export LD_LIBRARY_PATH=$tmp/root/usr/lib/$arch
ldd root/usr/bin/perfdata >libraries
grep -q "libperfdata.so.* => $LD_LIBRARY_PATH/" libraries && ! grep -q 'not found' libraries || fail "$(cat libraries)"
root/usr/bin/perfdata check -q "$PERFDATA_SOURCE"/corpus/*.data || fail "the unpacked command"
