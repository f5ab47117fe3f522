#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Packs a finished build as config/packaging/ibtrapd.spec says, in seconds: tests/package/make_rpm.sh BUILD-DIRECTORY RPM
# [VERSION]
#
# For tests, with Debian's rpmbuild. Writes the package to the file RPM, and those of the receiver modules beside it, with
# "-kafka" and "-http" in their names. What the macros of RHEL's systemd do is said here in plain commands, as Debian's rpm has no
# such macros. The program in it has the version that it was built with.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
out=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cp "$top/config/packaging/ibtrapd.spec" "$scratch"
[ -z "${3:-}" ] || sed -i "s/^Version: .*/Version: $3/" "$scratch/ibtrapd.spec"
version=$(sed -n 's/^Version: *//p' "$scratch/ibtrapd.spec")
tar -C "$top" -czf "$scratch/ibtrapd-$version.tar.gz" --transform "s,^,ibtrapd-$version/," LICENSE systemd

rpmbuild -bb --nodeps --without check --define "_topdir $scratch/top" --define "_sourcedir $scratch" \
    --define "_rpmdir $scratch/rpms" --define '_rpmfilename %%{NAME}.rpm' --define "debug_package %{nil}" \
    --define "_binary_payload w1.gzdio" \
    --define "finished_build $build" --define "dist .trial" \
    --define 'systemd_post() if [ $1 -eq 1 ]; then systemctl --no-reload preset %* || :; fi' \
    --define 'systemd_preun() if [ $1 -eq 0 ]; then systemctl --no-reload disable --now %* || :; fi' \
    --define 'systemd_postun() :' \
    "$scratch/ibtrapd.spec" >"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    exit 1
}
mv "$scratch/rpms/ibtrapd.rpm" "$out"
mv "$scratch/rpms/ibtrapd-kafka.rpm" "${out%.rpm}-kafka.rpm"
mv "$scratch/rpms/ibtrapd-http.rpm" "${out%.rpm}-http.rpm"
