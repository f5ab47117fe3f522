#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the package on a real kernel: tests/kernel/run.sh [PROGRAM|PYTEST-OPTION...]
#
# Makes a Debian 12 with its kernel below /var/tmp, builds the package and, for that kernel, the fabric of fabric/, and
# boots both in QEMU without KVM. There it runs this folder's tests, or PROGRAM of this folder, such as rate.py. It prints
# what they print, and ends with their exit status. Needs root, and the network for packages; the machine has no network.
# No module is loaded into this host's kernel. Leaves nothing behind, except for Debian and its disk (4 GB) if IBTRAPD_KEEP
# names a directory for them, which the next run with that directory takes again.
set -eu

packages='linux-image-amd64 linux-headers-amd64 initramfs-tools systemd-sysv systemd dbus kmod udev make gcc rdma-core
          ibverbs-providers ibverbs-utils infiniband-diags opensm snmptrapd snmp python3-pytest procps strace'
time_limit=14400 # seconds, for the machine
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..

program=
case ${1:-} in
*.py | *.sh)
    program=$1
    shift
    [ -f "$here/$program" ] || {
        echo "$0: $here has no program $program" >&2
        exit 2
    }
    ;;
esac

. "$top/tests/package/fresh_debian.sh"
kept=${IBTRAPD_KEEP:-$scratch}
root=$kept/root
disk=$kept/disk
share=$scratch/share
mkdir -p "$kept" "$share"

install_here() {
    command -v qemu-system-x86_64 >/dev/null && command -v mkfs.ext4 >/dev/null && return
    echo "Installing QEMU"
    quietly apt-get update
    quietly env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends qemu-system-x86 e2fsprogs
}

make_root() {
    echo "Installing Debian with its kernel in $root"
    install_debian ca-certificates
    mkdir -p "$root/etc/initramfs-tools/conf.d"
    echo 'MODULES=list' >"$root/etc/initramfs-tools/conf.d/machine"
    printf 'virtio_pci\nvirtio_blk\next4\n' >"$root/etc/initramfs-tools/modules"
    quietly inside apt-get install -y --no-install-recommends $packages
    quietly inside apt-get clean
    install_package_needs
    set_up_root
    touch "$root/complete"
}

# What the package depends on, for machines without network.
install_package_needs() {
    build_package "$root/ibtrapd.deb"
    quietly inside sh -c 'apt-get install -y --no-install-recommends /ibtrapd.deb && apt-get purge -y ibtrapd && rm /ibtrapd.deb'
}

set_up_root() {
    quietly inside systemctl disable opensm.service snmptrapd.service
    quietly inside passwd -d root
    rm "$root/usr/sbin/policy-rc.d"
    echo '/dev/vda / ext4 defaults 0 1' >"$root/etc/fstab"
    echo fabric >"$root/etc/hostname"
    : >"$root/etc/machine-id"
    cat >"$root/etc/systemd/system/outside.service" <<'END'
[Unit]
Description=What tests/kernel/run.sh runs
[Service]
Type=simple
ExecStartPre=/bin/mkdir -p /run/outside
ExecStartPre=/sbin/modprobe -a 9pnet_virtio 9p
ExecStartPre=/bin/mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 outside /run/outside
ExecStart=/bin/sh /run/outside/inside.sh
ExecStopPost=/bin/systemctl poweroff --force
END
    mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
    ln -s ../outside.service "$root/etc/systemd/system/multi-user.target.wants/"
}

# The fabric, in a copy of the sources that the root sees.
build_fabric() {
    echo "Building the fabric for $kernel"
    rm -rf "$root/usr/src/ibfabric"
    cp -r "$here/fabric" "$root/usr/src/ibfabric"
    quietly inside make -C "/lib/modules/$kernel/build" M=/usr/src/ibfabric modules
    cp "$root/usr/src/ibfabric/ibfabric.ko" "$share"
}

make_disk() {
    rm -f "$disk"
    truncate -s 6G "$disk.new"
    quietly nice mkfs.ext4 -q -F -d "$root" "$disk.new"
    mv "$disk.new" "$disk"
}

# Copies what runs in the machine.
fill_share() {
    cp "$here"/*.py "$here"/*.sh "$share"
    for argument in "$@"; do
        printf '%s\n' "$argument"
    done >"$share/arguments"
    echo "$program" >"$share/program"
}

boot() {
    echo "Booting $kernel"
    timeout -k 10 $time_limit nice qemu-system-x86_64 -accel tcg,tb-size=512 -cpu max -smp 1 -m 2G -display none \
        -monitor none -nic none -no-reboot -kernel "$root/boot/vmlinuz-$kernel" -initrd "$root/boot/initrd.img-$kernel" \
        -append 'console=ttyS0 root=/dev/vda rw quiet net.ifnames=0 systemd.mask=serial-getty@ttyS0.service panic=-1 oops=panic' \
        -drive "file=$disk,format=raw,if=virtio,snapshot=on" -serial "file:$scratch/console" -serial stdio \
        -virtfs "local,path=$share,mount_tag=outside,security_model=none" </dev/null || echo "QEMU ended with $?" >&2
}

install_here
[ -e "$root/complete" ] || make_root
kernel=$(basename "$(ls -d "$root"/lib/modules/* | sort -V | tail -n 1)")
[ -e "$disk" ] || make_disk
build_package "$share/1.0.deb" 1.0
build_package "$share/2.0.deb" 2.0
build_fabric
fill_share "$@"
boot
[ -e "$share/status" ] || {
    echo "$0: the machine ended before its tests did; its console:" >&2
    tail -n 60 "$scratch/console" >&2
    exit 1
}
exit "$(cat "$share/status")"
