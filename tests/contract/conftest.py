# SPDX-License-Identifier: BSD-2-Clause
"""One fabric for all tests of this folder, and for each test a gateway with the receivers under test."""

import contextlib
import itertools
import os
import pathlib
import re
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "receivers"), str(pathlib.Path(__file__).parent)]

import kinds  # noqa: E402
import peers  # noqa: E402
import stupid  # noqa: E402
from lab import notices  # noqa: E402
from lab.fabric import Fabric  # noqa: E402
from lab.gateway import Gateway, section  # noqa: E402
from lab.processes import wait_until  # noqa: E402
from lab.shards import pytest_collection_modifyitems  # noqa: E402, F401

# Names of nodes: up to 63 octets each from the nodes themselves, 64 kB from an administrator's file.
NAMES = {
    "leaf2": b"\x1b[2J\x1b]0;owned\x07 %n%s [x] $(reboot)`id`;|",
    "node1": b"] [forged@1 x=y] \\ msg=forged|sev=10\\=\\|\tcat=",
    "node2": b"\xff\xfe\xc0\xaf\xed\xa0\x80 \xc2\x9b2J \x7f\x08\x08",
    "storage1": b"x" * 62 + b"\xc3",
}
LONG = "leaf1"

EACH = os.environ.get("IBTRAPD_CONTRACT") == "each"  # the long matrix


def hostile_net(directory):
    text = (TESTS / "lab/nets/small.net").read_bytes()
    for name, octets in NAMES.items():
        text = re.sub(rb'(?m)^((?:Hca|Switch)\s+\d+ "' + name.encode() + rb'").*$',
                      lambda found: found[1] + b' # "' + octets + b'"', text)  # noqa: B023
    path = directory / "hostile.net"
    path.write_bytes(text)
    return path


class Site:
    """The fabric, whose events have hostile names, and what the peers of one test run share."""

    def __init__(self, fabric, directory):
        self.fabric, self.directory = fabric, directory
        self.names = itertools.count(1)
        self.authority = peers.Authority(directory, "authority")
        self.certificate = self.authority.issue("peer")
        fabric.subnet_manager().wait_master()
        self.client, self.lid = fabric.client("sm1"), fabric.lid_of("monitor")
        self.lids = [fabric.lid_of(name) for name in (*NAMES, LONG)]
        self.map = directory / "names"
        self.map.write_bytes(b'0x%016x "%s"\n' % (fabric.guid_of(LONG), b"y" * 65536))


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    directory = tmp_path_factory.mktemp("contract")
    with Fabric(hostile_net(directory)) as fabric:
        yield Site(fabric, directory)


class Running:
    """A gateway with a receiver of each kind, its peers by their kinds, and a file that has every event: the witness."""

    def __init__(self, site, stack, these):
        self.site, self.stack = site, stack
        self.peers = {kind: stack.enter_context(kind.make(site)) for kind in these}
        self.witness = stack.enter_context(stupid.Directory(site.directory, f"witness-{next(site.names)}"))
        self.count = 0
        self.gateway = None

    def start(self, more="", **items):
        """Starts the gateway; `items` are those of each receiver, `more` has further sections."""
        text = "".join(kind.text(self.site, peer, **items) for kind, peer in self.peers.items())
        more = section("file", "witness", path=self.witness.address) + text + more
        self.gateway = self.stack.enter_context(Gateway(
            self.site.fabric, more=more, names=self.site.map, sweep={"method": "smp", "interval": 3600, "settle": 300}))
        self.wait_ready()

    def wait_ready(self):
        self.gateway.wait_status(lambda one: one["port"]["lid"] != 0 and one["sweep"]["nodes"] == 8,
                                 "the gateway to know the fabric")

    def become(self, mode):
        for peer in self.peers.values():
            peer.become(mode)

    def send(self, count, seen=True):
        """Sends so many further Reports, and waits until the journal has each, and with `seen` the witness. Returns their
        numbers."""
        numbers = list(range(self.count + 1, self.count + count + 1))
        for number in numbers:
            lid = self.site.lids[number % len(self.site.lids)]
            self.site.client.report(notices.system_image_guid_change(lid, number), self.site.lid)
        for number in numbers:
            assert self.site.client.receive(20), f"Report {number} is not acknowledged"
        self.count += count
        if seen:
            stupid.wait_took(self.witness, numbers, "the witness")
        return numbers

    def status(self, kind):
        return next(one for one in self.gateway.status()["receivers"] if one["name"] == kind.name)

    def wait_all(self, numbers=None, these=None):
        """Waits until each peer has these numbers, or all; the first occurrence of each is in order."""
        wanted = list(range(1, self.count + 1)) if numbers is None else numbers
        for kind in self.peers if these is None else these:
            stupid.wait_took(self.peers[kind], wanted, kind.name)
            self.check_order(kind)

    def check_order(self, kind):
        firsts = list(dict.fromkeys(self.peers[kind].numbers))
        assert firsts == sorted(firsts), f"{kind.name} has them in another order: {firsts}"

    def check_once(self, kind):
        numbers = self.peers[kind].numbers
        assert len(numbers) == len(set(numbers)), f"{kind.name} has some twice: {numbers}"

    def wait_confirmed(self, these=None):
        """Waits until nothing waits for the receivers any longer."""
        for kind in self.peers if these is None else these:
            wait_until(lambda: self.status(kind)["queued"] == 0, f"{kind.name} to have confirmed")  # noqa: B023

    def wait_problem(self, these):
        for kind in these:
            self.gateway.wait_status(lambda _: self.status(kind)["problem"], f"{kind.name} to complain")  # noqa: B023


def pytest_generate_tests(metafunc):
    """Every kind beside all others; with IBTRAPD_CONTRACT=each, every kind alone, too."""
    if "these" not in metafunc.fixturenames:
        return
    here = [kind for kind in kinds.ALL if kind.runs()]
    sets = [here] + ([[kind] for kind in here] if EACH else [])
    metafunc.parametrize("these", sets, ids=["together", *(one[0].name for one in sets[1:])])


@pytest.fixture
def run(site, these):
    with contextlib.ExitStack() as stack:
        yield Running(site, stack, these)
