# SPDX-License-Identifier: BSD-2-Clause
"""Random faults. IBTRAPD_SEEDS has other seeds, separated by blanks; IBTRAPD_ROUNDS is the number of quiet periods of
each. hunt.py does it for hours."""

import os

import hunt
import pytest

SEEDS = [int(one) for one in os.environ.get("IBTRAPD_SEEDS", "1 2 3 4 5 6").split()]
ROUNDS = int(os.environ.get("IBTRAPD_ROUNDS", "4"))


def trial(seed):
    hunt.run(seed, ROUNDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_believe_what_is_true(outcome, seed):
    outcome()
