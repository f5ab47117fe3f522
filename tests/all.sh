#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs missing packages, builds, and runs all tests: tests/all.sh [CTEST-OPTION...]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."

echo "Installs packages, builds, and runs all tests: about 15 minutes on two processors."
echo "1 of 3: packages"
tests/packages.sh
echo "2 of 3: build"
cmake --preset default --log-level=WARNING
if [ -t 1 ]; then cmake --build build; else cmake --build build -- --quiet; fi
echo "3 of 3: tests"
exec /usr/bin/python3 -B tests/lab/all_tests.py build "$@"
