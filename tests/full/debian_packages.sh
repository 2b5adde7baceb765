#!/usr/bin/env bash
# debian_packages.sh - dpkg-buildpackage makes three packages of a copy of the tree: no file is in two of them
# or in none, the symbols file has all that the libraries export, a program that is built with
# libperfdata-dev depends on libperfdata0 of this minor version, and the command runs without the libraries.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
mkdir "$tmp/tree"
git -C "$source" ls-files -z | (cd "$source" && xargs -0 cp --parents -t "$tmp/tree")
cp -r "$tmp/tree/packaging/debian" "$tmp/tree/debian"
(cd "$tmp/tree" && dpkg-buildpackage -b -uc -us >"$tmp/log" 2>&1) || fail "$(tail -n 30 "$tmp/log")"
! grep 'dh_missing: warning\|dpkg-gensymbols: warning\|dpkg-shlibdeps: warning' "$tmp/log" || fail "warnings"
cd "$tmp"
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$tmp/tree/debian/changelog")
for package in libperfdata0 libperfdata-dev perfdata; do
    deb=$(echo ${package}_"$version"_*.deb)
    dpkg-deb -x "$deb" root
    dpkg-deb -c "$deb" | awk '$1 !~ /^d/ { print $6 }' | grep -v '/usr/share/doc/' >>files
    dpkg-deb -e "$deb" "control-$package"
done
[ -z "$(sort files | uniq -d)" ] || fail "in two packages: $(sort files | uniq -d)"
symbols=control-libperfdata0/symbols
for library in perfdata perfdata-ops; do
    file=$(echo root/usr/lib/*/lib$library.so.*.*.*)
    nm -D --defined-only "$file" | awk 'tolower($2) != "a" { sub(/@@/, "@", $3); print $3 }' |
        sort >exported
    awk -v so="lib$library.so" '/^lib/ { on = index($1, so ".") == 1 } on && /^ / { print $1 }' "$symbols" |
        grep -v '^PERFDATA' | sort >listed
    ! readelf -d "$file" | grep 'RUNPATH\|RPATH' || fail "$library looks for libraries in its own folder"
    diff exported listed >difference || fail "$library: exported < > symbols: $(head -n 5 difference)"
done
! grep -q '^Depends:.*libperfdata0' control-perfdata/control || fail "the command needs the libraries"
[[ $(root/usr/bin/perfdata --version) == *" $version"* ]] || fail "debian/changelog says $version"
root/usr/bin/perfdata check -q "$source"/corpus/*.data || fail "the command"
pc=$(echo root/usr/lib/*/pkgconfig)
# shellcheck disable=SC2046 # words
cc "$source/examples/read.c" -o reader $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs perfdata) ||
    fail "a program"
LD_LIBRARY_PATH=$(dirname "$pc") ./reader "$source/corpus/two-events.data" >lines
[ "$(wc -l <lines)" = 43 ] || fail "a program reads $(wc -l <lines) samples"
mkdir debian && cp "$tmp/tree/debian/control" debian/
dpkg-shlibdeps -O -S"$tmp/tree/debian/libperfdata0" -l"$(dirname "$pc")" reader >depends 2>log ||
    fail "$(cat log)"
grep -q "libperfdata0 (>= 0.*libperfdata0 (<< 0" depends || fail "a program depends on: $(cat depends)"
echo "packages: $(ls ./*.deb | wc -l), $(wc -l <files) files"
