# SPDX-License-Identifier: BSD-2-Clause
"""Sends numbered Reports and checks their events, for tests in which something fails meanwhile."""

import json

from lab import notices
from lab.gateway import section
from lab.processes import wait_until, whole_lines

EVENT = "system-image-guid-change"


class Reporter:
    """Sends Reports to a gateway and checks that none is lost."""

    def __init__(self, fabric, gateway):
        self.gateway = gateway
        self._client, self._lid = fabric.client("sm1"), fabric.lid_of("monitor")
        self.count = 0

    def send(self, count):
        """Sends the next Reports; each must be acknowledged."""
        for number in range(self.count + 1, self.count + count + 1):
            self._client.report(notices.system_image_guid_change(6, number), self._lid)
        self.count += count
        assert all([self._client.receive(20) for _ in range(count)])

    def send_until_acknowledged(self, count):
        """Sends as a subnet manager does: repeats a Report unchanged until it is answered."""
        for number in range(self.count + 1, self.count + count + 1):
            tid = self._client.next_tid()
            assert any(self.is_acknowledged(number, tid) for _ in range(20)), f"Report {number} is not acknowledged"
        self.count += count

    def is_acknowledged(self, number, tid=None):
        """Sends one Report. Returns whether its answer comes within a second."""
        tid = self._client.next_tid() if tid is None else tid
        self._client.report(notices.system_image_guid_change(6, number), self._lid, tid)
        while (answer := self._client.receive(1)) is not None:
            if int.from_bytes(answer[1][12:16], "big") == tid:  # not a late answer to an earlier Report
                return True
        return False

    @property
    def numbers(self):
        return list(range(1, self.count + 1))

    def wait_file(self, path):
        """Checks that all events are there, once each and in order."""
        wait_until(lambda: numbers_in(path)[-1:] == [self.count], f"event {self.count} in {path.name}")
        assert numbers_in(path) == self.numbers, numbers_in(path)


def numbers_in(path):
    return [int(one["systemImageGuid"], 16) for one in map(json.loads, whole_lines(path)) if one["event"] == EVENT]


def names_in(path):
    return [one["event"] for one in map(json.loads, whole_lines(path))]


def file_section(path, name="file"):
    return section("file", name, path=path)


def wait_port(gateway):
    gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")
