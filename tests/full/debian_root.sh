#!/usr/bin/env bash
# debian_root.sh - builds the .deb and installs it with apt in a fresh Debian root made by debootstrap, where
# the command works and a program is built against the library. Needs root, debootstrap and a Debian mirror
# (DEBIAN_MIRROR).
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
[ "$(id -u)" = 0 ] || { echo "needs root" >&2; exit 1; }
command -v debootstrap >/dev/null ||
    { apt-get update -q && apt-get install -q -y --no-install-recommends debootstrap; }
tmp=$(mktemp -d)
root=$tmp/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$tmp"' EXIT
set -x
cmake -S "$source" -B "$tmp/b" -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
    -DPERFDATA_BUILD_TESTS=OFF
cmake --build "$tmp/b" -j "$(nproc)"
(cd "$tmp/b" && cpack -G DEB)
debootstrap --variant=minbase "$suite" "$root" "$mirror"
cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
cp "$tmp"/b/*.deb "$root/tmp/perfdata.deb"
cp "$source"/corpus/*.data "$root/tmp/"
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        "$@"
}
inside apt-get install -q -y --no-install-recommends /tmp/perfdata.deb
inside perfdata check /tmp/callgraph.data /tmp/two-events.data
inside sh -c 'perfdata convert -o - /tmp/two-events.data -z |
    perfdata cmp --ignore container - /tmp/two-events.data'
inside sh -c 'test -f /usr/share/man/man1/perfdata.1 &&
    test -f /usr/share/bash-completion/completions/perfdata'
inside apt-get install -q -y --no-install-recommends gcc libc6-dev pkg-config
awk -v RS='```' '/^c\n/ && !done { sub(/^c\n/, ""); print; done = 1 }' "$source/README.md" >"$root/tmp/read.c"
inside sh -c 'cd /tmp && gcc read.c -o read $(pkg-config --cflags --libs perfdata) &&
    test "$(./read two-events.data | wc -l)" = 43'
inside apt-get remove -q -y perfdata
inside sh -c '! command -v perfdata'
[ -z "$(find "$root/usr" -name '*perfdata*')" ] ||
    { echo "left behind: $(find "$root/usr" -name '*perfdata*')" >&2; exit 1; }
echo "installed, used, built against and removed in a fresh $suite"
