#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the pages of doc/ as they are written, with real managers: tests/managers/run.sh [FILE] [PYTEST-OPTION...]
#
# Builds the package, installs it with the managers in a fresh Debian 12 below /var/tmp, and boots that in namespaces of
# its own for each test of this folder, or of FILE alone. Needs root, and the network for packages: no test reaches
# beyond its loopback. Leaves nothing behind, except for the fresh Debian if IBTRAPD_KEEP names a directory for it, which
# the next run with that directory takes again. IBTRAPD_SUITE=trixie makes a Debian 13, for which IBTRAPD_DEB names a
# package that was built there.
set -eu

managers='zabbix-server-pgsql zabbix-frontend-php php-cli php-pgsql postgresql prometheus prometheus-alertmanager
          prometheus-snmp-exporter snmpd snmptrapd snmp rsyslog rsyslog-openssl rsyslog-relp openssl curl jq
          libumad2sim0 infiniband-diags logrotate procps sqlite3'
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..

file=$here
case ${1:-} in
*.py)
    file=$here/$(basename "$1")
    shift
    ;;
esac

. "$top/tests/package/fresh_debian.sh"
root=${IBTRAPD_KEEP:-$scratch/root}

make_root() {
    echo "Installing a fresh Debian in $root"
    install_debian systemd,dbus,ca-certificates
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
if [ -n "${IBTRAPD_DEB:-}" ]; then
    cp "$IBTRAPD_DEB" "$root/ibtrapd.deb"
else
    build_package "$root/ibtrapd.deb"
fi
quietly inside apt-get install -y --reinstall --no-install-recommends /ibtrapd.deb

export IBTRAPD_BUILD_DIR IBTRAPD_MANAGERS_ROOT="$root" IBTRAPD_PAGES="$root/usr/share/doc/ibtrapd"
unshare -n sh -c 'ip link set lo up && exec timeout 3600 /usr/bin/python3 -B -m pytest -q -p no:cacheprovider "$@"' \
    pytest "$file" "$@"
