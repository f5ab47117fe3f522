#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the Debian packages of HEAD twice, in folders of different names and under different umasks, and compares them octet
# for octet: reproducible.sh [DIRECTORY]. By hand; some ten minutes.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
commit=$(git -C "$top" rev-parse HEAD)
work=$(mktemp -d "${1:-/var/tmp}/ibtrapd-reproducible-XXXXXX")
trap 'rm -rf "$work"' EXIT

# Builds in the folder $work/$1/$2 under the umask $3.
build() {
    mkdir -p "$work/$1/$2"
    git -C "$top" archive "$commit" | tar x -C "$work/$1/$2"
    (umask "$3" && cd "$work/$1/$2" && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage --build=binary --no-sign) >"$work/$1.log" 2>&1 || {
        tail -n 40 "$work/$1.log" >&2
        exit 1
    }
}

# Tells which files of two packages differ, or which rights and times.
tell() {
    for each in one two; do
        dpkg-deb -R "$work/$each/$1" "$work/$each/unpacked"
        dpkg-deb -c "$work/$each/$1" >"$work/$each/listed"
    done
    diff -rq "$work/one/unpacked" "$work/two/unpacked" || diff "$work/one/listed" "$work/two/listed"
}

build one ibtrapd 022
build two a-longer-name 027
status=0
for package in "$work"/one/*.deb; do
    name=$(basename "$package")
    if cmp -s "$package" "$work/two/$name"; then
        echo "equal: $name"
    else
        echo "differs: $name"
        tell "$name" || true
        status=1
    fi
done
exit $status
