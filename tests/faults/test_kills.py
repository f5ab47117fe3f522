# SPDX-License-Identifier: BSD-2-Clause
"""No acknowledged event is lost, however often ibtrapd is killed. kills.py kills it more often.

IBTRAPD_KILLS sets the number of kills, IBTRAPD_SEED the seed."""

import os
import random

import kills
import pytest
from model import Model, Violation


def test_no_kill_at_a_point_loses_or_invents_anything():
    """Of the schedule, so many points as take a minute; another seed takes others. kills.py --points takes all."""
    chance = random.Random(int(os.environ.get("IBTRAPD_SEED", "20261121")))
    trial = kills.run(0, 1, chance.sample(kills.SCHEDULE, int(os.environ.get("IBTRAPD_POINTS", "20"))))
    assert trial.met > trial.missed


def test_no_kill_loses_or_invents_anything():
    trial = kills.run(int(os.environ.get("IBTRAPD_KILLS", "25")), int(os.environ.get("IBTRAPD_SEED", "20261121")))
    assert trial.model.acknowledged


IN_ORDER = [(1, "a"), (2, "b"), (1, "a"), (2, "b"), (3, "c")]


def model():
    made = Model()
    made.sent, made.acknowledged = {1, 2, 3, 4}, {1, 2, 3}
    made.journalled([(7, "a"), (8, "b"), (9, "c")])
    return made


def test_the_model_allows_repeats():
    model().check({"one": IN_ORDER, "other": [(1, "a"), (2, "b"), (3, "c")]})


@pytest.mark.parametrize("events, words", [
    (IN_ORDER[:4], "lost [3]"),
    ([*IN_ORDER, (5, "e")], "nobody sent 5"),
    ([*IN_ORDER, (1, "x")], "1 is event a and event x"),
    ([(2, "b"), *IN_ORDER], "came after 8"),
])
def test_the_model_finds(events, words):
    with pytest.raises(Violation, match=words.replace("[", r"\[")):
        model().check({"one": events})


def test_the_model_finds_what_stood_by():
    made = model()
    made.held = {2}
    with pytest.raises(Violation, match="for the other gateway"):
        made.check({"one": IN_ORDER})


def test_the_model_finds_two_orders():
    made = model()
    made.places.clear()
    with pytest.raises(Violation, match="different orders"):
        made.check({"one": IN_ORDER, "other": [(3, "c"), *IN_ORDER]})
