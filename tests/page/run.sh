#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Looks at the page of the metrics listener in a headless Chromium: tests/page/run.sh [--pictures] [PYTEST-OPTION...]
#
# Installs Chromium, its driver and Selenium if they are missing. With --pictures it also writes the pictures of doc/.
# Two minutes. Nothing reaches beyond the loopback.
set -eu

packages='chromium chromium-driver python3-selenium python3-pytest fonts-dejavu-core'
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)

if ! dpkg-query -W -f='${Status}\n' $packages 2>/dev/null | grep -cx 'install ok installed' | grep -qx 5; then
    sudo=$([ "$(id -u)" -eq 0 ] || echo sudo)
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages >/dev/null
fi
if [ -z "${IBTRAPD_BUILD_DIR:-}" ]; then
    "$top/tests/packages.sh"
    cmake -S "$top" --preset default
    cmake --build "$top/build"
    export IBTRAPD_BUILD_DIR=$top/build
fi
if [ "${1:-}" = --pictures ]; then
    shift
    export IBTRAPD_PICTURES=$top/doc/pictures
fi
exec /usr/bin/python3 -B -m pytest -q -p no:cacheprovider "$@" "$here"
