# SPDX-License-Identifier: BSD-2-Clause
"""Watches receivers whose attempts fail, and checks that other receivers do not wait for these attempts."""

from lab.processes import DEADLINE, wait_until


def failures_of(gateway, names):
    """How often each of these receivers failed; empty until all of them have failed."""
    found = {one["name"]: one["failed"] for one in gateway.status()["receivers"] if one["name"] in names}
    return found if all(found.values()) else {}


def wait_passing(attempts, pass_one):
    """Waits until two events pass, one after the other, during the same attempts. A receiver that waited for the end of
    an attempt would get one event at most. attempts() returns the attempts under way; empty: none."""

    def both_pass():
        before = attempts()
        pass_one()
        pass_one()
        return before and attempts() == before

    wait_until(both_pass, "events to pass during an attempt", timeout=4 * DEADLINE)
