#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the pages of doc/ as they are written, with real managers: tests/managers/run.sh [FILE] [PYTEST-OPTION...]
#
# Builds the package, installs it with the managers in a fresh Debian 12 below /var/tmp, and boots that in namespaces of
# its own for each test of this folder, or of FILE alone. Needs root, and the network for packages: no test reaches
# beyond its loopback. Leaves nothing behind, except for the fresh Debian if IBTRAPD_KEEP names a directory for it, which
# the next run with that directory takes again.
set -eu

managers='zabbix-server-pgsql zabbix-frontend-php php-cli php-pgsql postgresql prometheus prometheus-alertmanager
          prometheus-snmp-exporter snmpd snmptrapd snmp rsyslog rsyslog-openssl rsyslog-relp openssl curl jq
          libumad2sim0 infiniband-diags logrotate procps sqlite3'
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..

[ "$(id -u)" -eq 0 ] || {
    echo "$0: only root can boot a machine" >&2
    exit 1
}
file=$here
case ${1:-} in
*.py)
    file=$here/$(basename "$1")
    shift
    ;;
esac

if [ -z "${IBTRAPD_BUILD_DIR:-}" ]; then
    "$top/tests/packages.sh"
    cmake -S "$top" --preset default
    cmake --build "$top/build"
    IBTRAPD_BUILD_DIR=$top/build
fi
IBTRAPD_BUILD_DIR=$(cd "$IBTRAPD_BUILD_DIR" && pwd)

scratch=$(mktemp -d /var/tmp/ibtrapd-managers-XXXXXX)
trap 'rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$scratch"
root=${IBTRAPD_KEEP:-$scratch/root}

# Shows a command's output only if it fails.
quietly() {
    "$@" >"$scratch/log" 2>&1 || {
        cat "$scratch/log" >&2
        exit 1
    }
}

inside() {
    timeout 1200 unshare -mpf --kill-child --mount-proc="$root/proc" chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive "$@"
}

# debootstrap is a script, which needs no installation.
make_root() {
    echo "Installing a fresh Debian in $root"
    (cd "$scratch" && quietly apt-get download debootstrap && dpkg-deb -x debootstrap_*.deb debootstrap)
    DEBOOTSTRAP_DIR=$scratch/debootstrap/usr/share/debootstrap
    export DEBOOTSTRAP_DIR
    quietly timeout 1200 sh "$scratch/debootstrap/usr/sbin/debootstrap" --variant=minbase --include=systemd,dbus,ca-certificates \
        bookworm "$root"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no daemon starts before a test starts it
    chmod 755 "$root/usr/sbin/policy-rc.d"
    quietly inside apt-get install -y --no-install-recommends $managers
    make_repository
    touch "$root/complete"
}

# A repository in the root, for a machine without network: with the package that mibs/README.md fetches.
make_repository() {
    mkdir "$root/repository"
    quietly inside sh -c 'cd /repository && apt-get download erlang-snmp && for file in *.deb; do
        dpkg-deb -f "$file"
        echo "Filename: ./$file"
        echo "Size: $(stat -c %s "$file")"
        echo "SHA256: $(sha256sum "$file" | cut -d " " -f 1)"
    done >Packages'
}

if [ ! -e "$root/complete" ]; then
    make_root
fi
echo "Installing ibtrapd's package"
(cd "$scratch" && quietly cpack -G DEB --config "$IBTRAPD_BUILD_DIR/CPackConfig.cmake" -B "$scratch/package")
cp "$scratch"/package/ibtrapd_*.deb "$root/ibtrapd.deb"
quietly inside apt-get install -y --reinstall --no-install-recommends /ibtrapd.deb

export IBTRAPD_BUILD_DIR IBTRAPD_MANAGERS_ROOT="$root" IBTRAPD_PAGES="$root/usr/share/doc/ibtrapd"
unshare -n sh -c 'ip link set lo up && exec timeout 3600 /usr/bin/python3 -B -m pytest -q -p no:cacheprovider "$@"' \
    pytest "$file" "$@"
