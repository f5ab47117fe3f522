# SPDX-License-Identifier: BSD-2-Clause
"""The runner behind tests/all.sh, with a ctest that writes what the real one writes."""

import os
import pathlib
import subprocess
import sys

RUNNER = pathlib.Path(__file__).resolve().parents[1] / 'lab/all_tests.py'
LISTED = '  Test #1: unit-text\n  Test #2: unit-kafka\n  Test #3: rules-prose\n\nTotal Tests: 3\n'
RAN = '''Internal ctest changing into directory: /b
Test project /b
      Start 1: unit-text
1/3 Test #1: unit-text ........................   Passed    0.01 sec
      Start 2: unit-kafka
2/3 Test #2: unit-kafka .......................***Skipped   0.01 sec
      Start 3: rules-prose
3/3 Test #3: rules-prose ......................***Failed    0.02 sec
doc/page.md: heavy

67% tests passed, 1 tests failed out of 3

The following tests FAILED:
\t  3 - rules-prose (Failed)
Errors while running CTest
'''
LOG = '''skipped: built without librdkafka
SKIPPED [2] tests/a/test_b.py:7: snmptt is not installed
SKIPPED [1] tests/a/test_c.py:8: snmptt is not installed
'''


def test_the_last_line_says_what_was_tried_and_left_out(tmp_path):
    ctest = tmp_path / 'ctest'
    ctest.write_text(f"#!/bin/sh\nfor one; do [ \"$one\" = -N ] && cat <<'E' && exit\n{LISTED}E\ndone\ncat <<'E'\n{RAN}E\nexit 8\n")
    ctest.chmod(0o755)
    (tmp_path / 'Testing/Temporary').mkdir(parents=True)
    (tmp_path / 'Testing/Temporary/LastTest.log').write_text(LOG)
    done = subprocess.run([sys.executable, '-B', RUNNER, tmp_path], capture_output=True, text=True, check=False,
                          env=os.environ | {'PATH': f'{tmp_path}:{os.environ["PATH"]}'})
    *before, last = done.stdout.splitlines()
    assert done.returncode == 8 or done.returncode == 1
    assert last == ('1 of 3 tests passed in 0 minutes: unit 1. '
                    'Left out: 1 (built without librdkafka); 3 (snmptt is not installed). By hand: tests/*/run.sh.')
    assert before == ['2 of 3 tests: unit is done', '3 of 3 tests: rules is done',
                      '3/3 Test #3: rules-prose ......................***Failed    0.02 sec', 'doc/page.md: heavy', 'Failed: rules-prose']
