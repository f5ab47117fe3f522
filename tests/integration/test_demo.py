# SPDX-License-Identifier: BSD-2-Clause
"""The demonstration: whatever it does on the fabric, both receivers get."""

import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]


def test_the_demonstration_misses_nothing():
    done = subprocess.run([sys.executable, "-B", "-m", "lab.demo", "--simulated"], cwd=TESTS, capture_output=True,
                          text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("none missing.\n")
