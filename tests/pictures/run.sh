#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes the pictures of terminals in doc/pictures: the recording of tests/demo.sh and the screen of `ibtrapctl watch`.
# They are what a terminal emulator shows of the real programs, on a simulated fabric. Takes a minute after the
# build, on a machine that does nothing else: the recording has times.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

"$here/../packages.sh"
exec /usr/bin/python3 -B "$here/make.py"
