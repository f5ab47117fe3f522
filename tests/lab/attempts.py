"""What the gateway tries in vain, and that nothing else waits for it."""

from lab.processes import DEADLINE, wait_until


def failures_of(gateway, names):
    """How often each of these receivers failed; empty before all of them have."""
    found = {one["name"]: one["failed"] for one in gateway.status()["receivers"] if one["name"] in names}
    return found if all(found.values()) else {}


def wait_passing(attempts, pass_one):
    """Waits until two events pass, one after the other, during the same attempts: to who waits for an end of these, one
    event comes at most. attempts() are those under way, empty when there is none."""

    def both_pass():
        before = attempts()
        pass_one()
        pass_one()
        return before and attempts() == before

    wait_until(both_pass, "events to pass during an attempt", timeout=4 * DEADLINE)
