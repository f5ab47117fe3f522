#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs missing packages, builds, and runs all tests.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."

tests/packages.sh
cmake --preset default
cmake --build build
ctest --test-dir build --output-on-failure --parallel 8 "$@"
