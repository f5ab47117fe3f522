#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Shows ibtrapd at work, on a simulated fabric if there is no real one.
# Installs missing packages and builds first. Options: see --help.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."

# Runs a command, and shows its output only if it fails.
quietly() {
    output=$("$@" 2>&1) || {
        printf '%s\n' "$output" >&2
        exit 1
    }
}

tests/packages.sh
echo "Building ibtrapd."
quietly cmake --preset default
quietly cmake --build build
cd tests
exec /usr/bin/python3 -B -m lab.demo "$@"
