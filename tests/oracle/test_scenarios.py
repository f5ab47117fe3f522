# SPDX-License-Identifier: BSD-2-Clause
"""Small stories, each with the oracle of the random trials."""

import hunt
import pytest
from oracle.scenarios import SCENARIOS


def trial(name):
    hunt.tell(name)


@pytest.mark.parametrize("name", SCENARIOS)
def test(outcome, name):
    outcome()
