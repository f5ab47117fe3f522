#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the Debian packages of HEAD twice, in folders of different names and under different umasks, and compares them octet
# for octet: reproducible.sh [DIRECTORY]. By hand; some ten minutes.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${1:-/var/tmp}/ibtrapd-reproducible-XXXXXX")
trap 'rm -rf "$work"' EXIT

# Builds in the folder $work/$1/$2 under the umask $3.
build() {
    mkdir -p "$work/$1/$2"
    git -C "$top" archive HEAD | tar x -C "$work/$1/$2"
    (umask "$3" && cd "$work/$1/$2" && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage --build=binary --no-sign) >"$work/$1.log" 2>&1 || {
        tail -n 40 "$work/$1.log" >&2
        exit 1
    }
}

build one ibtrapd 022
build two a-longer-name 027
status=0
for package in "$work"/one/*.deb; do
    other=$work/two/$(basename "$package")
    if cmp "$package" "$other"; then
        echo "equal: $(basename "$package")"
    else
        status=1
        ! command -v diffoscope >/dev/null || diffoscope "$package" "$other" || true
    fi
done
exit $status
