# SPDX-License-Identifier: BSD-2-Clause
"""Questions for PathRecords that a manager puts by SNMP through a real snmpd, compared with saquery."""

import collections
import ipaddress
import os
import re
import subprocess

import pytest
from lab.fabric import HERE
from lab.gateway import Gateway, section
from lab.processes import DEADLINE, wait_until
from lab.snmpd import Snmpd
from lab.tables import MIBS, Manager, dotted

SM = (1, 3, 6, 1, 3, 117, 7, 1)
REQUESTS, RESULTS = (*SM, 10, 1, 1), (*SM, 10, 2, 1)
PREFIX = tuple(bytes.fromhex("fe80000000000000"))
ACCESS = "rocommunity public 127.0.0.1\nrwcommunity private 127.0.0.1\n"
STATUS, MASK, TO_GID, FROM_GID, COUNT, TO_LID, FROM_LID, _, FLOW = 3, *range(5, 13)
PKEY, SL, MTU_SELECTOR, MTU = range(15, 19)
ACTIVE, NOT_IN_SERVICE, NOT_READY, GO, WAIT, DESTROY = range(1, 7)
BY_GID, BY_LID = 1 << 2 | 1 << 3, 1 << 4 | 1 << 5
ROWS_OF_A_CONTEXT = 64


class Paths:
    """A gateway below a master agent, and a manager that may write."""

    def __init__(self, fabric, writable=True):
        self.fabric = fabric
        fabric.subnet_manager(lmc=1).wait_master()
        self.snmpd = fabric.keep(Snmpd(fabric.directory, more=ACCESS)).start()
        self.gateway = fabric.keep(Gateway(fabric, sweep={"interval": 600, "settle": 300},
                                           more=section("subagent", socket=self.snmpd.socket, writable=writable)))
        self.manager = Manager(self.snmpd.address, "private")
        wait_until(lambda: self.manager.walk((*SM, 2)), "the tables to have rows")

    def rows(self, entry):
        """Index behind the subnet's prefix -> {column: value} of a table."""
        found = {}
        for oid, value in self.manager.walk(entry, tool="snmpbulkwalk").items():
            assert oid[len(entry) + 1:][:8] == PREFIX
            found.setdefault(oid[len(entry) + 9:], {})[oid[len(entry)]] = value
        return found

    def results(self, session):
        """The rows of a question's answer, column by column, as a manager walks them."""
        found = {}
        for column in range(4, 22):
            below = (*RESULTS, column, *PREFIX, session)
            for oid, value in self.manager.walk(below).items():
                found.setdefault(oid[len(below):], {})[column] = value
        return [found[at] for at in sorted(found)]

    def set(self, session, *settings, prefix=PREFIX):
        """Sets columns of a question, as (column, type, value) each; returns the error, or an empty text."""
        arguments = [str(part) for column, kind, value in settings
                     for part in (dotted((*REQUESTS, column, *prefix, session)), kind, value)]
        done = subprocess.run(["snmpset", "-v2c", "-c", "private", "-M", "", "-m", "", "-On", "-t", "5", "-r", "0",
                               self.snmpd.address, *arguments], capture_output=True, text=True, timeout=DEADLINE, check=False)
        if done.returncode == 0:
            return ""
        return re.search(r"Reason: (\w+)", done.stderr)[1]

    def ask(self, session, source, to, bits=0, *more):
        """Puts a question about two GIDs at once."""
        return self.set(session, *more, mask(BY_GID | bits), (FROM_GID, "x", source.hex()), (TO_GID, "x", to.hex()),
                        (STATUS, "i", GO))


@pytest.fixture
def serve(fabric):
    return lambda **options: Paths(fabric, **options)


def mask(bits):
    return (MASK, "x", bits.to_bytes(8, "big").hex())


def saquery(fabric, *arguments):
    """The PathRecords that saquery prints, as rows of the table."""
    said = subprocess.run(["/usr/sbin/saquery", "-p", *arguments], cwd=fabric.directory, timeout=300, text=True, check=True,
                          env={**os.environ, **fabric.env_for("storage1", "libsimreports.so")}, stdout=subprocess.PIPE)
    records = re.split(r"^PathRecord dump:\n", said.stdout, flags=re.MULTILINE)[1:]
    return [row_of(dict(re.findall(r"^\s*(\w+?)\.{2,}(.*)$", record, re.MULTILINE))) for record in records]


def row_of(said):
    number = {name: int(value, 0) for name, value in said.items() if name not in ("sgid", "dgid")}
    gids = {column: ipaddress.IPv6Address(said[name]).packed for column, name in ((4, "dgid"), (5, "sgid"))}
    hop = number["hop_flow_raw"]
    pair = {name: (number[name] >> 6, number[name] & 63) for name in ("mtu", "rate", "pkt_life")}
    return {**gids, 6: number["num_path_revers"] & 127, 7: number["dlid"], 8: number["slid"], 9: hop >> 31,
            10: (hop >> 8 & 0xFFFFF).to_bytes(3, "big"), 11: hop & 255, 12: number["tclass"],
            13: number["pkey"].to_bytes(2, "big"), 14: number["sl"], 15: pair["mtu"][0], 16: pair["mtu"][1] - 1,
            17: pair["rate"][0], 18: pair["rate"][1], 19: pair["pkt_life"][0], 20: pair["pkt_life"][1],
            21: number["preference"]}


def test_answers_are_what_saquery_says(serve, fabric):
    paths = serve()
    one, two = fabric.gid_of("node1"), fabric.gid_of("node2")
    said = saquery(fabric, "--sgid-to-dgid", f"{ipaddress.IPv6Address(one)}-{ipaddress.IPv6Address(two)}")
    assert paths.ask(17, one, two) == ""
    assert paths.results(17) == said and len(said) > 1  # the LMC
    source, to = fabric.lid_of("leaf1"), fabric.lid_of("node2")
    assert paths.set(2**31 - 1, mask(BY_LID), (FROM_LID, "i", source), (TO_LID, "i", to), (STATUS, "i", GO)) == ""
    assert paths.results(2**31 - 1) == saquery(fabric, "--slid", str(source), "--dlid", str(to))
    assert paths.ask(18, one, two, 1 << 12, (COUNT, "i", 1)) == ""
    assert paths.results(18) == saquery(fabric, "--numb_path", "1", "--sgid", str(ipaddress.IPv6Address(one)),
                                        "--dgid", str(ipaddress.IPv6Address(two)))
    assert len(paths.results(18)) == 1
    # MTU selector 0 (greater), of 4096 octets: there is none; 1 (less): all
    assert paths.ask(19, one, two, 3 << 16, (MTU_SELECTOR, "i", 0), (MTU, "i", 4)) == ""
    assert paths.results(19) == []
    assert collections.Counter(session for session, _ in paths.rows(RESULTS)) == {17: len(said), 18: 1, 2**31 - 1: 1}
    row = paths.rows(REQUESTS)[(19,)]
    assert (row[FROM_GID], row[TO_GID], row[MTU_SELECTOR], row[MTU], row[STATUS]) == (one, two, 0, 4, ACTIVE)
    assert FROM_LID not in row and row[MASK] == (BY_GID | 3 << 16).to_bytes(8, "big")


def test_a_row_lives_as_its_status_says(serve, fabric):
    paths = serve()
    one, two = fabric.gid_of("node1"), fabric.gid_of("node2")
    for wrong in (ACTIVE, NOT_IN_SERVICE):
        assert paths.set(5, (STATUS, "i", wrong)) == "inconsistentValue"
    assert paths.set(5, (STATUS, "i", DESTROY)) == ""  # it is not there, as is wanted
    assert paths.set(5, (STATUS, "i", WAIT)) == ""
    assert paths.rows(REQUESTS)[(5,)][STATUS] == NOT_READY
    assert paths.set(5, (STATUS, "i", WAIT)) == paths.set(5, (STATUS, "i", GO)) == "inconsistentValue"
    assert paths.set(5, (STATUS, "i", ACTIVE)) == "inconsistentValue"
    assert paths.set(5, (FROM_GID, "x", one.hex()), (TO_GID, "x", two.hex())) == ""
    assert paths.set(5, mask(BY_GID)) == ""
    assert paths.rows(REQUESTS)[(5,)][STATUS] == NOT_IN_SERVICE and paths.results(5) == []
    assert paths.set(5, (STATUS, "i", ACTIVE)) == paths.set(5, (STATUS, "i", ACTIVE)) == ""
    assert {row[4] for row in paths.results(5)} == {two}
    assert paths.set(5, (TO_GID, "x", one.hex())) == "inconsistentValue"
    assert paths.set(5, (STATUS, "i", NOT_IN_SERVICE)) == "" and paths.results(5) == []
    assert paths.set(5, (STATUS, "i", ACTIVE), (TO_GID, "x", fabric.gid_of("storage1").hex())) == ""
    assert {row[4] for row in paths.results(5)} == {fabric.gid_of("storage1")}
    assert paths.set(5, (STATUS, "i", DESTROY)) == ""
    assert paths.rows(REQUESTS) == paths.rows(RESULTS) == {}


def test_refusals(serve, fabric):
    paths = serve()
    one, two = fabric.gid_of("node1"), fabric.gid_of("node2")
    wrong = {
        "wrongValue": [[(STATUS, "i", NOT_READY)], [(STATUS, "i", 7)], [(FROM_LID, "i", 0)], [(FROM_LID, "i", 65536)],
                       [(SL, "i", 16)], [(MTU_SELECTOR, "i", 3)], [(MTU, "i", 5)], [(MTU, "i", -1)], [(FLOW, "x", "100000")],
                       [mask(1)], [mask(1 << 11)], [mask(1 << 63)]],
        "wrongLength": [[(FROM_GID, "x", one.hex()[2:])], [(MASK, "x", "00")], [(PKEY, "x", "ffff00")]],
        "wrongType": [[(FROM_GID, "i", 1)], [(STATUS, "s", "x")]],
        "inconsistentName": [[(SL, "i", 1)]],
        "inconsistentValue": [[(STATUS, "i", GO)], [(STATUS, "i", GO), mask(1 << 2), (TO_GID, "x", two.hex())]],
        "notWritable": [[(4, "t", 1)]],
    }
    for error, sets in wrong.items():
        for one_set in sets:
            assert paths.set(9, *one_set) == error, one_set
    assert paths.set(9, (STATUS, "i", WAIT), prefix=(*PREFIX[:7], 1)) == "noCreation"
    assert paths.set(2**31, (STATUS, "i", WAIT)) == "noCreation"
    assert paths.rows(REQUESTS) == {}
    # all or none
    assert paths.set(9, (STATUS, "i", WAIT), (SL, "i", 16)) == "wrongValue"
    assert paths.rows(REQUESTS) == {}
    for session in range(ROWS_OF_A_CONTEXT):
        assert paths.set(session, (STATUS, "i", WAIT)) == ""
    assert paths.set(1000, (STATUS, "i", WAIT)) == "resourceUnavailable"
    assert paths.set(3, (STATUS, "i", DESTROY)) == paths.set(1000, (STATUS, "i", WAIT)) == ""
    assert len(paths.rows(REQUESTS)) == ROWS_OF_A_CONTEXT


def test_the_example_of_the_page_finds_a_path(serve, fabric):
    """mibs/README.md, with the names of the modules."""
    paths = serve()
    page = (HERE.parents[1] / "mibs" / "README.md").read_text().split("### Questions for paths\n")[1]
    script = re.search(r"```sh\n(.*?)```", page, re.DOTALL)[1]
    source, to = fabric.lid_of("leaf1"), fabric.lid_of("leaf2")
    for old, new in (("127.0.0.1", paths.snmpd.address), ("i 4 ", f"i {source} "), ("i 7 ", f"i {to} ")):
        assert old in script
        script = script.replace(old, new)
    done = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, timeout=DEADLINE, check=True,
                          env={**os.environ, "MIBDIRS": MIBS, "MIBS": "IB-SM-MIB", "SNMPCONFPATH": "/nonexistent"})
    assert f"INTEGER: {to}\n" in done.stdout and paths.rows(REQUESTS) == {}


def test_without_leave_nobody_asks(serve, fabric):
    paths = serve(writable=False)
    assert paths.ask(1, fabric.gid_of("node1"), fabric.gid_of("node2")) == "notWritable"
    assert paths.rows(REQUESTS) == paths.rows(RESULTS) == {}
