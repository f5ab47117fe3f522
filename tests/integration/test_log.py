# SPDX-License-Identifier: BSD-2-Clause
"""ibtrapd's log: the lines that each folder's level selects, and an event's way through the folders."""

import re
import subprocess

import pytest
from lab import notices
from lab.gateway import IBTRAPD, Gateway, section
from lab.processes import DEADLINE, wait_until
from lab.receivers import Snmptrapd

STARTED = " info: daemon: ibtrapd "
NO_PORT = " warning: ib: no InfiniBand port found"
LINE = re.compile(r"\S+Z (error|warning|info|debug): ([a-z]+): (.*)")
FOLDERS = "ib topology policy journal sink agentx agent pipeline control daemon".split()
COMMUNITY = "community-that-nobody-reads"


def log_of(tmp_path, levels, last):
    """The log of a gateway without a fabric, up to that line."""
    config, log = tmp_path / "ibtrapd.conf", tmp_path / "log"
    config.write_text(
        section("journal", directory=tmp_path / "state")
        + section("control", socket=tmp_path / "sock")
        + section("file", "events", path=tmp_path / "events")
        + f'log {{ level = "error" levels = {levels} }}\n'
    )
    with open(log, "w", encoding="utf-8") as stream:
        process = subprocess.Popen([IBTRAPD, "--config", config], stderr=stream)
    try:
        wait_until(lambda: last in log.read_text(), f"'{last}' in the log")
    finally:
        process.terminate()
        assert process.wait(DEADLINE) == 0
    return log.read_text()


@pytest.mark.parametrize("levels, there, missing", [('{"daemon=info"}', STARTED, NO_PORT),
                                                    ('{"ib=warning"}', NO_PORT, STARTED)])
def test_folders_have_levels(tmp_path, levels, there, missing):
    log = log_of(tmp_path, levels, there)
    assert missing not in log


def test_a_folder_without_debug_messages_is_refused(fabric):
    gateway = fabric.keep(Gateway(fabric, preload=False))
    gateway.wait_status(lambda one: True, "ibtrapd to answer")
    for folder in FOLDERS:
        gateway.control("log", "debug", folder)
    refused = gateway.control("log", "debug", "model", check=False)
    assert refused.returncode != 0
    assert refused.stderr.strip().endswith("these have: " + " ".join(FOLDERS))


class Way:
    """Finds lines of the log, each after the one before; fails if one does not appear."""

    def __init__(self, gateway):
        self.gateway, self.place = gateway, 0

    def lines(self):
        return self.gateway.log.splitlines()

    def next(self, folder, pattern):
        """The match of the pattern in that folder's next debug line that matches."""

        def look():
            for number, line in enumerate(self.lines()[self.place:], self.place):
                parts = LINE.fullmatch(line)
                found = parts and parts[1] == "debug" and parts[2] == folder and re.search(pattern, parts[3])
                if found:
                    self.place = number + 1
                    return found
            return None

        return wait_until(look, f"a line of {folder}/ with '{pattern}' after line {self.place}")


def test_one_event_can_be_followed_through_the_folders(fabric, syslog):
    fabric.subnet_manager().wait_master()
    snmptrapd = fabric.keep(Snmptrapd(fabric.directory))
    more = section("snmp", "informed", address=snmptrapd.address, inform=True, community=COMMUNITY)
    gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], more=more))
    gateway.wait_subscribed()
    fabric.client("node1").trap(notices.system_image_guid_change(6, 1))

    way = Way(gateway)
    tid = way.next("ib", r"^from LID \d+: Report\(Notice\), TransactionID (0x\w{8}), trap 145$")[1]
    way.next("pipeline", rf"^Report of LID \d+, TransactionID {tid}: handled$")
    event = way.next("pipeline", r"^event (\S+) system-image-guid-change made: ")[1]
    way.next("policy", rf"^event {event} system-image-guid-change: notified")
    number = int(way.next("journal", rf"^event {event} is number (\d+)$")[1])
    first, last = map(int, way.next("journal", r"^committed numbers (\d+) to (\d+): ").groups())
    assert first <= number <= last
    committed = way.place
    way.next("ib", rf"^to LID \d+: ReportResp\(Notice\), TransactionID {tid}, trap 145$")
    way.place = committed
    way.next("sink", rf"^informed: number {number} \({event}\) handed over, not confirmed yet$")
    way.next("sink", r"^informed: confirmed \d+ of \d+ in flight$")
    assert int(way.next("sink", r"^informed: cursor moved to number (\d+)$")[1]) >= number
    way.place = committed
    way.next("sink", rf"^udp0: number {number} \({event}\) handed over and sent$")

    assert gateway.stop() == 0
    own = [line for line in way.lines() if re.match(r"\d{4}-", line)]  # the other lines are events, on standard output
    assert all(LINE.fullmatch(line) for line in own)
    assert COMMUNITY not in gateway.log
