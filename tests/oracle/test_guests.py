# SPDX-License-Identifier: BSD-2-Clause
"""Receivers that filter, come and go. IBTRAPD_SEEDS and IBTRAPD_ROUNDS are those of test_random.py."""

import hunt
import pytest
from oracle.test_random import ROUNDS, SEEDS


def trial(seed):
    hunt.run_guests(seed, ROUNDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_guests_believe_what_is_true(outcome, seed):
    outcome()
