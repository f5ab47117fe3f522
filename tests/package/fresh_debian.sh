# SPDX-License-Identifier: BSD-2-Clause
# What tests/managers/run.sh and tests/kernel/run.sh share; they read it with `.`, with $here, the folder of the script,
# and $top. Builds ibtrapd unless IBTRAPD_BUILD_DIR names a build, makes the directory $scratch, which is removed at the
# end, and defines functions. Needs root.

[ "$(id -u)" -eq 0 ] || {
    echo "$0: only root can make a machine" >&2
    exit 1
}

if [ -z "${IBTRAPD_BUILD_DIR:-}" ]; then
    "$top/tests/packages.sh"
    cmake -S "$top" --preset default
    cmake --build "$top/build"
    IBTRAPD_BUILD_DIR=$top/build
fi
IBTRAPD_BUILD_DIR=$(cd "$IBTRAPD_BUILD_DIR" && pwd)

scratch=$(mktemp -d "/var/tmp/ibtrapd-$(basename "$here")-XXXXXX")
trap 'rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$scratch"

# Shows a command's output only if it fails.
quietly() {
    "$@" >"$scratch/log" 2>&1 || {
        cat "$scratch/log" >&2
        exit 1
    }
}

# Runs a command in the Debian below $root, half an hour at most.
inside() {
    timeout 1800 unshare -mpf --kill-child --mount-proc="$root/proc" chroot "$root" env -i \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"
}

# Makes a new Debian, 12 or $IBTRAPD_SUITE, in $root, where no daemon starts when its package is installed: install_debian PACKAGE,...
# debootstrap is a script, which needs no installation.
install_debian() {
    (cd "$scratch" && quietly apt-get download debootstrap && dpkg-deb -x debootstrap_*.deb debootstrap)
    DEBOOTSTRAP_DIR=$scratch/debootstrap/usr/share/debootstrap
    export DEBOOTSTRAP_DIR
    quietly timeout 1800 sh "$scratch/debootstrap/usr/sbin/debootstrap" --variant=minbase --include="$1" "${IBTRAPD_SUITE:-bookworm}" "$root"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
}

# Packs the build: build_package DEB [VERSION]
build_package() {
    "$top/tests/package/make_deb.sh" "$IBTRAPD_BUILD_DIR" "$@"
}
