# SPDX-License-Identifier: BSD-2-Clause
"""The clock is wrong, or is set while ibtrapd runs: no event is lost or doubled, and the order stays."""

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from faults import FaultyGateway
from reports import EVENT, Reporter, file_section, wait_port

HOUR = timedelta(hours=1)
DAY = 24 * HOUR


def jumps(events):
    """After how many events the time jumped, and by how many whole hours."""
    times = [datetime.fromisoformat(one["time"]) for one in events]
    hours = [round((then - now) / HOUR) * HOUR for now, then in pairwise(times)]
    return {n: jump for n, jump in enumerate(hours, 1) if jump}


@pytest.mark.parametrize("jump", [-HOUR, HOUR, -40 * DAY, 20 * DAY], ids=str)
def test_the_clock_is_set(fabric, jump):
    fabric.subnet_manager().wait_master()
    output = fabric.directory / "events.json"
    gateway = fabric.keep(FaultyGateway(fabric, more=file_section(output)))
    wait_port(gateway)
    reporter = Reporter(fabric, gateway)
    reporter.send(20)
    gateway.faults.utc_us = jump // timedelta(microseconds=1)
    reporter.send(20)
    reporter.wait_file(output)
    gateway.kill()
    gateway.start()  # with the clock of this moment
    wait_port(gateway)
    reporter.send(20)
    gateway.faults.utc_us = 0
    reporter.send(20)
    assert gateway.status()["journal"]["durable"]
    events = [one for one in gateway.journal() if one["event"] == EVENT]
    assert len(events) == 80 and jumps(events) == {20: jump, 60: -jump}
    gateway.wait_status(lambda status: all(one["queued"] == 0 for one in status["receivers"]), "the file to have all")
    assert gateway.stop() == 0
