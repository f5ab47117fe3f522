# SPDX-License-Identifier: BSD-2-Clause
"""Tables that no sweep reads: read from the fabric when a manager asks, compared with infiniband-diags."""

import collections
import ipaddress
import os
import re
import subprocess
import threading

import pytest
from lab.gateway import Gateway, section
from lab.metrics import scrape
from lab.notices import SET, sa_mad
from lab.processes import LabError, wait_until
from lab.snmpd import Snmpd
from lab.sockets import free_port
from lab.tables import Manager
from lab.watch import discovered

SM = (1, 3, 6, 1, 3, 117, 7, 1)
PREFIX = tuple(bytes.fromhex("fe80000000000000"))
SWITCHES, LINKS = (4, 1, 1), (9, 1, 1)
PARTITIONS, GROUPS, MEMBERS, SERVICES = (5, 1, 1), (7, 1, 1), (7, 2, 1), (13, 1, 1)
PAIRS, PORTS, ARBITRATION = (14, 1, 1), (15, 1, 1), (16, 1, 1)

QOS = {"qos": "TRUE", "qos_max_vls": 4, "qos_high_limit": 4, "qos_vlarb_high": "0:4,1:8,2:16,3:32",
       "qos_vlarb_low": "0:1,1:2,2:3,3:64", "qos_sl2vl": "0,1,2,3,3,2,1,0,0,1,2,3,3,2,1,0"}


class Demand:
    """A gateway below a master agent, and a manager that reads its tables."""

    def __init__(self, fabric, rate=None, **options):
        self.fabric = fabric
        self.snmpd = fabric.keep(Snmpd(fabric.directory)).start()
        self.metrics = free_port()
        self.gateway = fabric.keep(Gateway(fabric, sweep={"interval": 600, "settle": 300}, **options,
                                           more=section("subagent", socket=self.snmpd.socket, reads_per_second=rate)
                                           + section("metrics", listen=f"127.0.0.1:{self.metrics}")))
        self.manager = Manager(self.snmpd.address)
        wait_until(lambda: self.rows((2, 1, 1)), "the tables to have rows")

    def rows(self, table):
        """Index -> {column: value} of a table."""
        above, found = SM + table, {}
        for oid, value in self.manager.walk(above, tool="snmpbulkwalk").items():
            found.setdefault(oid[len(above) + 1:], {})[oid[len(above)]] = value
        return found

    def sent(self):
        """When each read on demand was sent, in seconds, and to what place, by the log of all MADs."""
        lines = re.findall(r"^(\S+).* to (LID \d+): (Get\w*\(.*?\)), TransactionID 0x[4-7]", self.gateway.log, re.MULTILINE)
        return [(seconds(at), place, what) for at, place, what in lines]


def seconds(stamp):
    hours, minutes, rest = re.search(r"(\d+):(\d+):([\d.]+)", stamp).groups()
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def index(guid, *rest):
    return PREFIX + tuple(guid.to_bytes(8, "big")) + rest


def lanes(fabric, lid, port, inner=False):
    """Port in -> the lanes of SL 0 to 15, as smpquery prints them."""
    text = fabric.run(["/usr/sbin/smpquery", "sl2vl", str(lid), str(port)], "monitor")
    return {int(found[1]): [int(one) for one in found[3].strip("|").split("|")]
            for found in re.finditer(r"ports: in\s*(\d+), out\s*(\d+): (.*)$", text, re.MULTILINE)}


def arbitration(fabric, lid, port):
    """Priority -> the weights, as smpquery prints them."""
    text = fabric.run(["/usr/sbin/smpquery", "vlarb", str(lid), str(port)], "monitor")
    found = {}
    for word, rows in re.findall(r"(Low|High) priority VL Arbitration Table:\n((?:(?:VL|WEIGHT).*\n)+)", text):
        weights = "|".join(re.findall(r"WEIGHT: (.*)", rows))
        found[{"Low": 1, "High": 2}[word]] = [int(one, 16) for one in weights.split("|") if one.strip()]
    return found


def test_lanes_and_arbitration_are_what_smpquery_says(fabric):
    fabric.subnet_manager(**QOS).wait_master()
    demand = Demand(fabric)
    nodes, links = discovered(fabric, "monitor")
    up = {}
    for guid, port, _, _ in links:
        up.setdefault(int(guid, 16), []).append(port)
    pairs, ports, weights = demand.rows(PAIRS), demand.rows(PORTS), demand.rows(ARBITRATION)
    expected_pairs, expected_ports, expected_weights = {}, {}, {}
    for guid, (kind, _, name) in ((int(guid, 16), node) for guid, node in nodes.items()):
        lid = fabric.lid_of(name)
        for port in up[guid]:
            for at, row in lanes(fabric, lid, port).items():
                if kind == 2 and (at == 0 or at in up[guid]):
                    expected_pairs[index(guid, at, port)] = row
                elif kind != 2:
                    expected_ports[index(guid, port)] = row
            for priority, row in arbitration(fabric, lid, port).items():
                expected_weights |= {index(guid, port, priority, at): weight for at, weight in enumerate(row, 1)}
    assert {at: [row[column] for column in range(5, 21)] for at, row in pairs.items()} == expected_pairs
    assert {at: [row[column] for column in range(4, 20)] for at, row in ports.items()} == expected_ports
    assert {at: row[6] for at, row in weights.items()} == expected_weights
    assert all((row[3], row[4]) == at[-2:] and row[2] == bytes(at[8:16]) for at, row in pairs.items())
    assert all(row[3] == at[-1] for at, row in ports.items())
    assert all((row[5], row[3], row[4]) == at[-3:] for at, row in weights.items())
    assert len(pairs) > 50 and len(ports) > 5 and len(set(expected_weights.values())) > 5


PARTITIONS_CONF = """
Default=0x7fff,ipoib,defmember=full: ALL=full, SELF=full;
blue=0x0123,defmember=limited: 0x{:016x}=full, 0x{:016x};
"""
BLUE, ALL_ROUTERS = bytes.fromhex("ff12401bffff00000000000000000016"), bytes.fromhex("ff12401bffff000000000000ffffffff")


def saquery(fabric, *arguments):
    """The records that saquery prints: a list of {name: value as text}."""
    said = subprocess.run(["/usr/sbin/saquery", *arguments], cwd=fabric.directory, timeout=300, text=True, check=True,
                          env={**os.environ, **fabric.env_for("storage1", "libsimreports.so")}, stdout=subprocess.PIPE)
    records = re.split(r"^\w+ .*dump:\n", said.stdout, flags=re.MULTILINE)[1:]
    return [dict(re.findall(r"^\s*(\w[\w ]*?)\.{2,}(.*)$", record, re.MULTILINE)) for record in records]


def gid(text):
    return ipaddress.IPv6Address(text).packed


def test_groups_are_what_saquery_says(fabric):
    fabric.subnet_manager().wait_master()
    node1, node2 = fabric.client("node1"), fabric.client("node2")
    for client, group in ((node1, BLUE), (node1, ALL_ROUTERS), (node2, ALL_ROUTERS)):
        client.join(group)
    demand = Demand(fabric)
    groups, said = demand.rows(GROUPS), saquery(fabric, "-g")
    assert len(said) >= 2
    assert groups.keys() == {PREFIX + tuple(gid(one["MGID"])) for one in said}
    for one in said:
        row = groups[PREFIX + tuple(gid(one["MGID"]))]
        assert row[1] == bytes(PREFIX) and row[2] == gid(one["MGID"]) and row[3] == bytes(4)
        assert row[4] == int(one["Mlid"], 0).to_bytes(2, "big") and row[7] == int(one["pkey"], 0).to_bytes(2, "big")
        assert (row[5], row[8] << 6 | row[9], row[11]) == (int(one["Mtu"], 0) & 63, int(one["Rate"], 0), int(one["SL"], 0))
    members = demand.rows(MEMBERS)
    expected = {}
    for one in saquery(fabric, "--smkey", "1", "-m"):
        element = gid(one["PortGid"]) + bytes([int(one["ScopeState"], 0) & 15, 1 if int(one["ProxyJoin"], 0) else 2])
        expected.setdefault(PREFIX + tuple(gid(one["MGID"])) + (0,), set()).add(element)
    assert len(expected) == 2 and {len(one) for one in expected.values()} == {1, 2}
    for at, row in members.items():
        assert (row[3], row[5], row[6]) == (0, len(row[4]), 18)
        assert {row[4][i:i + 18] for i in range(0, row[5], 18)} == expected.pop(at)
    assert not expected
    assert len(demand.sent()) == 2  # with the key and without, for all columns


def test_partitions_are_what_smpquery_says(fabric):
    path = fabric.directory / "partitions.conf"
    path.write_text(PARTITIONS_CONF.format(fabric.guid_of("node1"), fabric.guid_of("node2")))
    fabric.subnet_manager(partition_config_file=path).wait_master()
    demand = Demand(fabric)
    expected = {}
    for guid, (kind, _, name) in discovered(fabric, "monitor")[0].items():
        port = 0 if kind == 2 else 1
        text = fabric.run(["/usr/sbin/smpquery", "pkeys", str(fabric.lid_of(name)), str(port)], "monitor")
        for pkey in {int(word, 16) for word in re.findall(r"0x([0-9a-f]{4})\b", text)} - {0}:
            element = bytes.fromhex(guid[2:]) + bytes([port, 1 if pkey & 0x8000 else 2])
            expected.setdefault(PREFIX + tuple((pkey | 0x8000).to_bytes(2, "big")) + (0,), set()).add(element)
    assert set(at[8:10] for at in expected) == {(0xff, 0xff), (0x81, 0x23)}
    found = demand.rows(PARTITIONS)
    assert {at: {row[4][i:i + 10] for i in range(0, row[5], 10)} for at, row in found.items()} == expected
    assert {element[-1] for element in expected[PREFIX + (0x81, 0x23, 0)]} == {1, 2}


SERVICE_RECORD, ALL_FIELDS = 0x31, (1 << 37) - 1 - 8


def test_services_are_what_was_registered(fabric):
    fabric.subnet_manager().wait_master()
    node1 = fabric.client("node1")
    ids = (bytes.fromhex("1000000000000001"), bytes.fromhex("ff00000000000002"))
    names, leases, data = ("storage", "café " + 57 * "n"), (0xFFFFFFFF, 3600), bytes(range(64))
    for one, name, lease in zip(ids, names, leases):
        record = one + fabric.gid_of("node1") + b"\xff\xff\0\0" + lease.to_bytes(4, "big") + 16 * b"K"
        record += name.encode()[:64].ljust(64, b"\0") + data
        answer = node1.request(sa_mad(SET, SERVICE_RECORD, node1.next_tid(), ALL_FIELDS, record), node1.port_info().sm_lid, 1)
        assert answer[4:6] == bytes(2)
    found = Demand(fabric).rows(SERVICES)
    assert len(saquery(fabric, "-S")) == 2
    assert found.keys() == {PREFIX + tuple(one + fabric.gid_of("node1") + b"\xff\xff") for one in ids}
    for (_, row), one, name, lease in zip(sorted(found.items()), ids, ("storage", "caf?? " + 57 * "n"), (-1, 3600)):
        assert (row[2], row[3], row[4]) == (one, fabric.gid_of("node1"), b"\xff\xff")
        assert row[5] == -1 if lease < 0 else 3500 < row[5] <= 3600
        assert (row[6], row[7], len(row[8])) == (bytes(16), name.encode(), 64)
        assert row[8][:56] == data[:56]  # OpenSM 3.3.23 loses the last ServiceData64




RATE = 30


def test_without_a_subnet_manager_its_tables_are_not_empty(fabric):
    """A manager that found them empty would believe that there is nothing."""
    subnet_manager = fabric.subnet_manager().wait_master()
    demand = Demand(fabric)
    assert demand.rows(SERVICES) == {}
    subnet_manager.kill()
    demand.gateway.wait_status(lambda one: not one["sm"]["answers"], "the subnet manager to be missed")
    with pytest.raises(LabError, match="genError"):
        wait_until(lambda: demand.rows(GROUPS) and None, "an error")
    assert demand.rows(SWITCHES)  # though what is behind its last row is not known
    assert any(oid[:len(SM + LINKS)] == SM + LINKS for oid in demand.manager.walk(SM, tool="snmpbulkwalk"))


def test_ten_managers_share_the_rate(fabric):
    """All together cause no more MADs a second than are allowed, and none of them twice within a minute."""
    fabric.subnet_manager(**QOS).wait_master()
    demand = Demand(fabric, rate=RATE)
    found = [None] * 10

    def walk(i):
        found[i] = [demand.rows(table) for table in (PAIRS, PORTS)]

    walkers = [threading.Thread(target=walk, args=(i,)) for i in range(len(found))]
    for walker in walkers:
        walker.start()
    for walker in walkers:
        walker.join()
    assert all(one == found[0] for one in found) and len(found[0][0]) > 50
    sent = demand.sent()
    assert {one: n for one, n in collections.Counter(one[1:] for one in sent).items() if n > 1} == {}
    assert len(sent) > 2 * RATE
    times = [one[0] for one in sent]
    most = max(sum(at <= one < at + 1 for one in times) for at in times)
    assert most <= RATE * 1.02 + 1
    assert most > RATE / 2


def test_a_silent_node_has_no_instances_and_delays_nobody(fabric):
    fabric.subnet_manager(**QOS).wait_master()
    demand = Demand(fabric)
    fabric.lose("leaf2", 0, 100)
    silent, answering = fabric.guid_of("leaf2"), fabric.guid_of("leaf1")
    found = {}

    def walk():
        found.update(demand.rows(PAIRS))

    walker = threading.Thread(target=walk)
    walker.start()
    wait_until(lambda: any(place == f"LID {fabric.lid_of('leaf2')}" for _, place, _ in demand.sent()), "a read of leaf2")
    demand.rows((8, 1, 1))
    assert walker.is_alive()  # for some two seconds more
    walker.join()
    assert {at[8:16] for at, row in found.items() if 5 in row} == {tuple(answering.to_bytes(8, "big"))}
    assert any(at[8:16] == tuple(silent.to_bytes(8, "big")) for at in found)  # what the sweep knows is there
    before = len(demand.sent())
    assert demand.rows(PAIRS) == found
    assert len(demand.sent()) == before
    counted = demand.gateway.status()["tables"]["reads"]
    metrics = scrape(demand.metrics)
    assert counted["sent"] == metrics["ibtrapd_demand_queries_total"] == before
    assert counted["answered"] == metrics["ibtrapd_demand_answered_total"] > 20
    assert counted["silent"] == metrics["ibtrapd_demand_silent_total"] > 0
    assert f"{before} queries on demand, {counted['answered']} answered" in demand.gateway.control("status").stdout
