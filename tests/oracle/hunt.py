#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Does random things to a fabric and its gateways, and checks that everybody believes what is true once it is quiet.

    tests/oracle/hunt.py [--seed N] [--trials N] [--minutes N] [--rounds N] [--pair | --single]
    tests/oracle/hunt.py --scenario 'a_cable_*'

A seed, which is printed, decides the fabric and all actions. What failed is printed with its actions, and the scratch
directory is kept."""

import argparse
import contextlib
import fnmatch
import pathlib
import random
import shutil
import sys
import tempfile
import time
import traceback

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), *(str(TESTS / name) for name in ("receivers", "faults"))]

from lab.processes import LabError  # noqa: E402
from oracle import nets  # noqa: E402
from oracle.actions import Actions  # noqa: E402
from oracle.guests import GuestActions, GuestSite  # noqa: E402
from oracle.scenarios import SCENARIOS, play, site_options  # noqa: E402
from oracle.sites import Site, Unfit, Untrue  # noqa: E402

TRIES = 3  # of a trial whose simulator fails


def options_of(seed, pair=None):
    """The site that a seed decides."""
    chance = random.Random(seed)
    pair_by_seed = chance.random() < 0.25
    return {
        "net_text": nets.site_net() if chance.random() < 0.4 else nets.random_net(chance),
        "seed": seed,
        "pair": pair_by_seed if pair is None else pair,
        "hold_down": chance.choice([0, 0, 1]),
    }


def run(seed, rounds=6, pair=None, which=None, only=None):
    """One trial. Raises Untrue with the actions and the differences."""
    options = {**options_of(seed, pair), "which": which}
    return attempt(options, random_play(Actions, seed, rounds, only), f"seed {seed}")


def run_guests(seed, rounds=6, pair=None, only=None):
    """One trial with receivers that come and go."""
    play = random_play(GuestActions, seed, rounds, only)
    return attempt(options_of(seed, pair), play, f"guests of seed {seed}", GuestSite)


def random_play(kind, seed, rounds, only):
    """What plays the actions that the seed decides on a site."""

    def play(site):
        actions = kind(site, seed, only)
        for _ in range(rounds):
            actions.round()
        actions.heal()
        site.finish()

    return play


def tell(name):
    """One scenario."""
    return attempt(site_options(name), lambda site: play(site, name), f"scenario {name}")


def attempt(options, play, name, kind=Site):
    """Plays on a site, which it returns; again if the simulator fails."""
    for number in range(TRIES):
        try:
            with kind(**options) as site:
                _play_or_report(site, play, name)
                return site
        except Unfit as error:
            print(f"{name}: {error}", flush=True)
            if number == TRIES - 1:
                raise


def _play_or_report(site, play, name):
    try:
        play(site)
    except (Untrue, LabError) as error:
        raise Untrue(report(name, site, error)) from error


def report(name, site, error):
    """Keeps the scratch directory. Returns what was done, and what is wrong."""
    kept = pathlib.Path(tempfile.mkdtemp(prefix="ibtrapd-oracle-")) / "fabric"
    with contextlib.suppress(shutil.Error):  # the programs still run: a file may vanish
        shutil.copytree(site.fabric.directory, kept, ignore=shutil.ignore_patterns("*.sock"))
    (kept / "truth").write_text(site.describe())
    actions = "\n  ".join(site.story)
    return f"{name}, {len(site.gateways)} gateway(s); what was left is in {kept}\n  {actions}\n{error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32), help="the first")
    parser.add_argument("--trials", type=int, default=1, help="with this seed and the following ones")
    parser.add_argument("--minutes", type=float, help="as many trials as begin within that time")
    parser.add_argument("--rounds", type=int, default=6, help="quiet periods of a trial")
    parser.add_argument("--receivers", help="names, separated by commas, of the receivers to have")
    parser.add_argument("--only", help="names of the only actions, separated by commas")
    parser.add_argument("--pair", action="store_const", const=True, help="two gateways, whatever the seed says")
    parser.add_argument("--single", action="store_const", const=False, dest="pair")
    parser.add_argument("--guests", action="store_true", help="receivers that filter, come and go")
    parser.add_argument("--scenario", help="the scenarios with such names, instead of random trials")
    arguments = parser.parse_args()
    done = [judge(name, trial) for name, trial in trials(arguments)]
    print(f"{len(done)} trials, {done.count(False)} failed", flush=True)
    sys.exit(0 if all(done) else 1)


def trials(arguments):
    """Names, and functions that return the site."""
    if arguments.scenario:
        for name in fnmatch.filter(SCENARIOS, arguments.scenario):
            yield name, lambda name=name: tell(name)
        return
    which = arguments.receivers.split(",") if arguments.receivers else None
    only = arguments.only.split(",") if arguments.only else None
    begin, seed = time.monotonic(), arguments.seed
    while (time.monotonic() < begin + 60 * arguments.minutes if arguments.minutes is not None
           else seed < arguments.seed + arguments.trials):
        if arguments.guests:
            yield f"guests of seed {seed}", lambda seed=seed: run_guests(seed, arguments.rounds, arguments.pair, only)
        else:
            yield f"seed {seed}", lambda seed=seed: run(seed, arguments.rounds, arguments.pair, which, only)
        seed += 1


def judge(name, trial):
    """Prints what came out. Returns whether all was right."""
    began, right = time.monotonic(), False
    try:
        site = trial()
        right = True
        words = f"{len(site.story)} actions, {sum(len(one.view.messages) for one in site.observers)} messages"
    except Untrue as error:
        words = f"UNTRUE\n{error}\n"
    except Exception:
        words = f"BROKEN\n{traceback.format_exc()}"
    print(f"{name}: {time.monotonic() - began:.1f} s, {words}", flush=True)
    return right


if __name__ == "__main__":
    main()
