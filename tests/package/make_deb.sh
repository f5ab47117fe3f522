#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Packs a finished build as debian/ says, in seconds: tests/package/make_deb.sh BUILD-DIRECTORY DEB [VERSION]
#
# For tests, which need packages of several versions. Writes the package to the file DEB, and those of the receiver modules
# beside it, with "-kafka" and "-http" in their names. The programs have the version that they were built with.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
out=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/source"
cp -r "$top/debian" "$scratch/source/"
cd "$scratch/source"
[ -z "${3:-}" ] || sed -i "1s/(.*)/($3)/" debian/changelog
IBTRAPD_BUILD_DIR=$build DEB_RULES_REQUIRES_ROOT=no DEB_BUILD_OPTIONS='nocheck noautodbgsym' debian/rules binary \
    >"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    exit 1
}
cd "$OLDPWD"
mv "$scratch"/ibtrapd_*.deb "$out"
mv "$scratch"/ibtrapd-kafka_*.deb "${out%.deb}-kafka.deb"
mv "$scratch"/ibtrapd-http_*.deb "${out%.deb}-http.deb"
