#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fills the directory DIR with the MIB modules that the modules in mibs/ import. The IETF's modules
# come from the Debian package erlang-snmp, which is downloaded and unpacked but not installed.
# IF-MIB, which no package contains, is a stand-in.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: $0 DIR" >&2
    exit 2
fi
modules='SNMPv2-SMI SNMPv2-TC SNMPv2-CONF SNMPv2-MIB SNMP-FRAMEWORK-MIB
         SNMP-TARGET-MIB SNMP-NOTIFICATION-MIB INET-ADDRESS-MIB'
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)

complete() {
    for m in $modules; do
        [ -s "$dir/$m.mib" ] || return 1
    done
}

if ! complete; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    # apt downloads as the user _apt when root runs it.
    chmod 755 "$scratch"
    cd "$scratch"
    if [ "$(id -u)" -eq 0 ] && id _apt >/dev/null 2>&1; then
        chown _apt "$scratch"
    fi
    if ! apt-get download -q erlang-snmp >log 2>&1; then
        cat log >&2
        echo "$0: erlang-snmp did not download; run 'apt-get update' first" >&2
        exit 1
    fi
    dpkg-deb -x erlang-snmp_*.deb .
    for m in $modules; do
        cp usr/lib/erlang/lib/snmp-*/mibs/"$m.mib" "$dir/"
    done
fi
cp "$here/standin/IF-MIB.txt" "$dir/"
