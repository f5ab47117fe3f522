# SPDX-License-Identifier: BSD-2-Clause
"""The clock is wrong, or is set while ibtrapd runs: no event is lost or doubled, and the order stays."""

import json
import socket
from datetime import datetime, timedelta, timezone
from itertools import pairwise

import pytest
from faults import FaultyGateway
from lab.gateway import section
from lab.processes import wait_until
from peers_that_fail import Receiver
from reports import EVENT, Reporter, file_section, names_in, wait_port

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


def test_the_clock_is_far_ahead_for_a_moment(fabric):
    """Retention by age takes nothing that a receiver has yet to get."""
    fabric.subnet_manager().wait_master()
    output = fabric.directory / "events.json"
    late = socket.socket()
    late.bind(("127.0.0.1", 0))
    address = "127.0.0.1:%d" % late.getsockname()[1]
    gateway = fabric.keep(FaultyGateway(
        fabric, more=file_section(output) + section("syslog", "late", transport="tcp", address=address)))
    wait_port(gateway)
    reporter = Reporter(fabric, gateway)
    for _ in range(16):
        reporter.send(150)
    gateway.faults.utc_us = 40 * DAY // timedelta(microseconds=1)
    looks = gateway.log.count("retention: ")
    wait_until(lambda: gateway.log.count("retention: ") > looks + 1, "retention to look at all events")
    gateway.faults.utc_us = 0
    reporter.send(20)
    with Receiver(late) as receiver:
        wait_until(lambda: receiver.numbers[-1:] == [reporter.count], "the last event")
        assert receiver.numbers == reporter.numbers
    assert "journal-dropping" not in names_in(output)


def test_maintenance_and_shelvings_follow_the_clock(fabric):
    """What suppresses events is told while the clock is wrong, and lasts no longer when the clock is right again."""
    gateway = fabric.keep(FaultyGateway(fabric, path=fabric.directory / "missing"))

    def ask(*command):
        return json.loads(gateway.control(*command, "--json").stdout)[command[0]]

    def hours_left():
        now = datetime.now(timezone.utc) + timedelta(microseconds=gateway.faults.utc_us)
        ends = [one["until"] for one in ask("maintenance", "list")] + [one["shelved_until"] for one in ask("alarms")]
        return [round((datetime.fromisoformat(end) - now) / HOUR, 1) for end in ends if end]

    def expect_at(clock):
        gateway.faults.utc_us = clock // timedelta(microseconds=1)
        wait_until(lambda: hours_left() == [2, 2], f"both ends at {clock}")

    gateway.wait_status(lambda _: ask("alarms"), "the alarm about the receiver")
    gateway.faults.utc_us = 300 * DAY // timedelta(microseconds=1)
    end = datetime.now(timezone.utc) + 300 * DAY + 2 * HOUR
    gateway.control("maintenance", "start", "rack7", end.strftime("%Y-%m-%dT%H:%M:%SZ"), "leaf9")
    gateway.control("alarms", "shelve", ask("alarms")[0]["number"], 120)
    for clock in 300 * DAY, DAY, 0 * DAY, -DAY, 20 * DAY:
        expect_at(clock)
    gateway.kill()
    gateway.faults.utc_us = 0
    gateway.start()
    gateway.wait_status(lambda _: True, "ibtrapd to run again")
    expect_at(0 * DAY)
    expect_at(DAY)
