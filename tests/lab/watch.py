# SPDX-License-Identifier: BSD-2-Clause
"""Runs the sweeper alone at a host of the simulated fabric, and infiniband-diags beside it."""

import json
import re
import secrets
import select
import subprocess
import time

from lab.fabric import PROGRAMS
from lab.processes import DEADLINE, LabError, Process


class FabricWatch:
    """fabricwatch at a host: sweeps and returns the snapshots. The options are fabricwatch's."""

    def __init__(self, fabric, host="monitor", **options):
        self.fabric = fabric
        self.host = host
        self.options = [f"{name}={value}" for name, value in options.items()]
        self._lines = b""

    def __enter__(self):
        name = f"fabricwatch-{secrets.token_hex(2)}"
        self._process = Process(name, [PROGRAMS / "fabricwatch", *self.options],
                                log=self.fabric.directory / f"{name}.log", cwd=self.fabric.directory,
                                env=self.fabric.env_for(self.host, "libsimreports.so"),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_):
        self._process.kill()

    @property
    def log(self):
        return self._process.log_text()

    def command(self, word):
        self._process.popen.stdin.write(word.encode() + b"\n")
        self._process.popen.stdin.flush()

    def end(self):
        """Ends fabricwatch in good order; returns its exit status."""
        self._process.popen.stdin.close()
        return self._process.wait()

    def snapshot(self, timeout=DEADLINE):
        """The next snapshot."""
        return self._next("nodes", timeout)

    def counters(self, timeout=DEADLINE):
        """The next reading: the counters by (GUID, port)."""
        reading = self._next("counters", timeout)
        return {(port["guid"], port["port"]): port for port in reading["counters"]}

    def sweep(self):
        """Sweeps now, returns the snapshot."""
        self.command("now")
        return self.snapshot()

    def wait_for(self, condition, what):
        """Sweeps until a snapshot meets the condition; returns it."""
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            snapshot = self.sweep()
            if condition(snapshot):
                return snapshot
        raise LabError(f"gave up after {DEADLINE} s waiting for {what}")

    def _next(self, key, timeout):
        deadline = time.monotonic() + timeout
        while True:
            found = json.loads(self._line(deadline))
            if key in found:
                return found

    def _line(self, deadline):
        pipe = self._process.popen.stdout
        while b"\n" not in self._lines:
            if not select.select([pipe], [], [], max(0, deadline - time.monotonic()))[0]:
                raise LabError(f"fabricwatch says nothing:\n{self.log[-2000:]}")
            piece = pipe.read1(65536)
            if not piece:
                self._process.wait()
                self._process.check()
            self._lines += piece
        line, self._lines = self._lines.split(b"\n", 1)
        return line


def nodes_of(snapshot):
    """GUID -> (type, number of ports, description)."""
    return {node["guid"]: (node["type"], node["port_count"], node["description"]) for node in snapshot["nodes"]}


def links_of(snapshot):
    """All links, from either end: (GUID, port, peer's GUID, peer's port)."""
    return {
        (node["guid"], port["number"], port["peer"], port["peer_port"])
        for node in snapshot["nodes"]
        for port in node["ports"]
        if port["peer"]
    }


def silent_ports(snapshot):
    return {(node["guid"], port["number"]) for node in snapshot["nodes"] for port in node["ports"] if port["silent"]}


def hidden_links(snapshot, truth):
    """Links of the nodes in a snapshot that the snapshot neither contains nor reports as silent."""
    shown = nodes_of(snapshot)
    missing = {link for link in links_of(truth) - links_of(snapshot) if link[0] in shown}
    return {link for link in missing if link[:2] not in silent_ports(snapshot)}


TYPES = {"Ca": 1, "Switch": 2, "Rt": 3}
NODE = re.compile(r'^(Ca|Switch|Rt)\s+(\d+) "[HSR]-([0-9a-f]+)"\s+# "(.*?)"')
LINK = re.compile(r'^\[(\d+)\]\S*\s+"[HSR]-([0-9a-f]+)"\[(\d+)\]')


def discovered(fabric, host):
    """The nodes and links that ibnetdiscover finds, in the form of nodes_of and links_of."""
    nodes, links, at = {}, set(), None
    for line in fabric.run(["/usr/sbin/ibnetdiscover"], host).splitlines():
        if found := NODE.match(line):
            at = f"0x{found[3]}"
            nodes[at] = (TYPES[found[1]], int(found[2]), found[4])
        elif found := LINK.match(line):
            links.add((at, int(found[1]), f"0x{found[2]}", int(found[3])))
    return nodes, links
