# SPDX-License-Identifier: BSD-2-Clause
"""No acknowledged event is lost: events whose Reports were acknowledged reach every receiver, despite crashes.

IBTRAPD_KILLS sets how often ibtrapd is killed, IBTRAPD_BURST how many events a receiver misses."""

import json
import os
import random
import signal
import subprocess
import time

import pytest
from lab import notices
from lab.gateway import IBTRAPCTL, Gateway, section
from lab.processes import LabError, wait_until, whole_lines

KILLS = int(os.environ.get("IBTRAPD_KILLS", "100"))
BURST = int(os.environ.get("IBTRAPD_BURST", "2000"))
EVENT = "system-image-guid-change"


class FileGateway(Gateway):
    """A gateway that also writes every event to a file, one JSON object per line."""

    def __init__(self, fabric):
        self.output = fabric.directory / "events.json"
        super().__init__(fabric, more=section("file", "file", path=self.output))

    def events(self):
        """(the test's number of the event, its identifier), in the order of the file."""
        found = [json.loads(line) for line in whole_lines(self.output)]
        return [(int(one["systemImageGuid"], 16), one["id"]) for one in found if one["event"] == EVENT]


@pytest.fixture
def gateway(fabric):
    fabric.subnet_manager().wait_master()
    return fabric.keep(FileGateway(fabric))


def test_hangup_opens_files_again(gateway, fabric):
    """Rotates the file as logrotate does: renames the old one; after the signal, events go to a new one."""
    wait_port(gateway)
    client, lid, rotated = fabric.client("sm1"), fabric.lid_of("monitor"), gateway.output.with_suffix(".1")
    for number in (1, 2):
        client.report(notices.system_image_guid_change(6, number), lid)
        wait_until(lambda: [one[0] for one in gateway.events()] == [number], f"event {number}")  # noqa: B023
        if number == 1:
            gateway.output.rename(rotated)
            gateway.process.popen.send_signal(signal.SIGHUP)
            wait_until(lambda: "was reloaded" in gateway.log, "the log to say so")
    assert [json.loads(line)["systemImageGuid"] for line in rotated.read_text().splitlines()
            if json.loads(line)["event"] == EVENT] == ["0x0000000000000001"]


def test_a_trap_that_waits_for_a_sweep_is_told_after_a_kill(fabric):
    """The gateway is killed with an acknowledged trap that no receiver of whole systems has yet."""
    fabric.subnet_manager().wait_master()
    output = fabric.directory / "systems.json"
    more = section("file", "file", path=output)
    gateway = fabric.keep(Gateway(fabric, more=more, sweep={"method": "smp", "interval": 3600, "settle": 60000}))
    gateway.wait_subscribed()
    gateway.wait_nodes(8)
    gateway.wait_swept(0)
    fabric.client("sm1").report(notices.link_state_change(fabric.lid_of("leaf2")), fabric.lid_of("monitor"))

    def kept():
        shown = json.loads(gateway.control("--json", "events", "--event", "link-state-change").stdout)
        return [one["suppressed"] for one in shown["events"]]

    def told():
        return [one["event"] for one in map(json.loads, whole_lines(output))].count("link-state-change")

    wait_until(lambda: "awaits-sweep" in kept(), "the journal to have the trap")
    assert told() == 0
    gateway.kill()
    gateway.start()
    wait_until(lambda: told() == 1, "the file to have the trap")


def wait_port(gateway):
    gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")


def collect(client, answered, tids, seconds):
    """Takes the acknowledgements that come within some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            answer = client.receive(max(0.01, end - time.monotonic()))
        except LabError:
            continue  # there was no gateway to deliver a Report to
        if answer:
            answered.add(tids[int.from_bytes(answer[1][12:16], "big")])


def check_order(events, answered):
    """Every acknowledged event is there; first occurrences are in order; repeats have the same identifier."""
    identifiers = {}
    first = []
    for number, identifier in events:
        if number not in identifiers:
            first.append(number)
        assert identifiers.setdefault(number, identifier) == identifier, f"event {number} has two identifiers"
    assert answered <= set(first), f"lost: {sorted(answered - set(first))[:10]}"
    assert first == sorted(first)


def test_killed_again_and_again_while_reports_flow(gateway, fabric):
    chance = random.Random(20261121)
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    answered, tids, number = set(), {}, 0
    for _ in range(KILLS):
        wait_port(gateway)
        for _ in range(chance.randrange(5, 60)):
            number += 1
            tid = client.next_tid()
            tids[tid] = number
            client.report(notices.system_image_guid_change(6, number), lid, tid)
        collect(client, answered, tids, chance.random() * 0.05)
        gateway.kill()
        collect(client, answered, tids, 0.05)
        gateway.start()
    wait_port(gateway)
    assert len(answered) > KILLS
    wait_until(lambda: answered <= {one for one, _ in gateway.events()}, "all acknowledged events in the file")
    check_order(gateway.events(), answered)
    assert set(one for one, _ in gateway.events()) <= set(tids.values())


def test_report_repeated_across_a_restart_is_one_event(gateway, fabric):
    client, lid, tid = fabric.client("sm1"), fabric.lid_of("monitor"), 4711
    wait_port(gateway)
    client.report(notices.system_image_guid_change(6, 1), lid, tid)
    assert client.receive()
    gateway.kill()
    gateway.start()
    wait_port(gateway)
    client.report(notices.system_image_guid_change(6, 1), lid, tid)
    assert client.receive()
    client.report(notices.system_image_guid_change(6, 2), lid)
    assert client.receive()
    wait_until(lambda: 2 in [one for one, _ in gateway.events()], "the last event in the file")
    # The file may have the event twice with the same identifier; the Report did not become two events.
    assert len({identifier for number, identifier in gateway.events() if number == 1}) == 1


def test_a_receiver_gets_what_it_missed(gateway, fabric):
    """A file whose directory is missing for a while."""
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    wait_port(gateway)
    away = gateway.directory / "away"
    gateway.stop()
    gateway.config.write_text(gateway.config.read_text() + section("file", "late", path=away / "late.json"))
    gateway.start()
    wait_port(gateway)
    expected = list(range(1, BURST + 1))
    for number in expected:
        client.report(notices.system_image_guid_change(6, number), lid)
    wait_until(lambda: numbers(gateway.output) == expected, "the other receiver to have all", timeout=300)
    late = next(one for one in gateway.status()["receivers"] if one["name"] == "late")
    assert late["queued"] >= BURST and "away" in late["problem"]
    away.mkdir()
    wait_until(lambda: numbers(away / "late.json") == expected, "the late receiver to have all", timeout=300)
    names = [json.loads(line)["event"] for line in gateway.output.read_text().splitlines()]
    assert "receiver-failing" in names
    wait_until(lambda: "receiver-back" in gateway.output.read_text(), "receiver-back")


def numbers(path):
    found = [json.loads(line) for line in whole_lines(path)]
    return [int(one["systemImageGuid"], 16) for one in found if one["event"] == EVENT]


def test_a_stopped_gateway_loses_nothing(gateway, fabric):
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    wait_port(gateway)
    for number in range(1, 201):
        client.report(notices.system_image_guid_change(6, number), lid)
    answered = [client.receive() for _ in range(200)]
    assert all(answered)
    assert gateway.stop() in (0, -signal.SIGTERM)
    gateway.start()
    wait_port(gateway)
    wait_until(lambda: len(gateway.events()) >= 200, "all events in the file")
    assert [one for one, _ in gateway.events()] == list(range(1, 201))


def ctl(gateway, *words):
    done = subprocess.run([IBTRAPCTL, "--socket", gateway.socket, "--file", gateway.directory / "state" / "journal.db",
                           *words], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def test_ibtrapctl_journal(gateway, fabric):
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    wait_port(gateway)
    for number in range(1, 11):
        client.report(notices.system_image_guid_change(6, number), lid)
    wait_until(lambda: len(gateway.events()) == 10, "all events in the file")

    status, output, _ = ctl(gateway, "journal", "check")
    assert status == 0 and "sound" in output
    status, output, _ = ctl(gateway, "journal", "stats", "--json")
    stats = json.loads(output)
    assert status == 0 and stats["events"] >= 11
    status, output, _ = ctl(gateway, "journal", "export")
    exported = [json.loads(line) for line in output.splitlines()]
    assert status == 0 and [one["id"] for one in exported if one["event"] == EVENT] == [i for _, i in gateway.events()]
    status, output, _ = ctl(gateway, "journal", "export", str(stats["last"]))
    assert status == 0 and output == ""

    def pruned():
        ctl(gateway, "journal", "prune", "0")
        return json.loads(ctl(gateway, "journal", "stats", "--json")[1])["events"] < 3

    wait_until(pruned, "the journal to be pruned")
    gateway.stop()
    status, output, _ = ctl(gateway, "journal", "check")
    assert status == 0 and "sound" in output
    journal = gateway.directory / "state" / "journal.db"
    journal.write_bytes(b"x" * 8192)
    status, _, error = ctl(gateway, "journal", "check")
    assert status == 1 and "not a database" in error
    journal.unlink()
    status, _, error = ctl(gateway, "journal", "check")
    assert status == 1 and f"there is no journal at {journal}; " in error
