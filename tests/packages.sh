#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs the packages to build and test ibtrapd, on Debian 12 or 13: packages.sh [build|checkers]
# With `build`, only those to build it; with `checkers`, also those for tests/fuzz and tests/checkers.
# Does nothing if all packages are installed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

build='build-essential debhelper cmake ninja-build pkg-config libibumad-dev libibmad-dev
       libibverbs-dev libsnmp-dev libsqlite3-dev libjansson-dev libevent-dev libncurses-dev
       librdkafka-dev libssl-dev libsystemd-dev libcmocka-dev libcurl4-openssl-dev zlib1g-dev file python3'
lab='opensm ibsim-utils libibnetdisc-dev libumad2sim0 infiniband-diags snmp snmpd snmptrapd
     smitools rsyslog rsyslog-openssl rsyslog-relp rsyslog-elasticsearch
     logrotate openssl curl jq kcat
     python3-jsonschema python3-pytest python3-pyte systemd mandoc iproute2 rpm graphviz'
checkers='clang clang-tidy cppcheck gcovr libclang-rt-dev lintian llvm valgrind'
formatter=clang-format-14 # not in Debian 13; tests/rules/format.sh skips its check without it
exporter=prometheus-snmp-exporter # tests/integration/test_snmp_exporter.py is skipped without it
snmptt='snmptt libnet-ip-perl php-cli' # tests/integration/test_trap_receivers.py is skipped without it
icinga=icinga2-bin # tests/integration/test_trap_receivers.py skips a test without it
slurm='slurmctld slurmd slurm-client munge' # tests/integration/test_slurm.py is skipped without it
policy=/usr/sbin/policy-rc.d

modules=yes # fetch the MIB modules that ours import
case ${1:-} in
build) wanted=$build if_there_is= modules= ;;
checkers) wanted="$build $lab $checkers" if_there_is="$formatter $exporter $snmptt $icinga $slurm" ;;
*) wanted="$build $lab" if_there_is="$exporter $snmptt $icinga $slurm" ;;
esac

missing() {
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Runs a command, and shows its output only if it fails.
quietly() {
    output=$("$@" 2>&1) || {
        printf '%s\n' "$output" >&2
        exit 1
    }
}

# Installs packages without starting their daemons, now or at the next boot: a second subnet manager
# would disturb a real fabric.
install_asleep() {
    if [ ! -e $policy ]; then
        trap 'as_root rm -f $policy' EXIT
        as_root sh -c "printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy"
    fi
    quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
    [ -d /run/systemd/system ] || return 0
    for package in "$@"; do
        case $package in
        icinga2-bin) quietly as_root systemctl disable icinga2 ;;
        opensm | snmpd | snmptrapd | snmptt | slurmctld | slurmd | munge | prometheus-snmp-exporter) quietly as_root systemctl disable "$package" ;;
        esac
    done
}

lacking=$(missing $wanted)
if [ -n "$lacking" ] || { [ -n "$modules" ] && ! apt-cache show erlang-snmp >/dev/null 2>&1; }; then
    quietly as_root apt-get update
fi
for package in $(missing $if_there_is); do
    if apt-cache show "$package" >/dev/null 2>&1; then
        lacking="$lacking $package"
    fi
done
if [ -n "$lacking" ]; then
    echo "Installing:" $lacking
    install_asleep $lacking
fi
[ -z "$modules" ] || "$here/mibs/base-modules.sh" "$here/../build/mib-base"
