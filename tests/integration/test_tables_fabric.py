# SPDX-License-Identifier: BSD-2-Clause
"""The tables of the IBSWITCH-MIB about the fabric, through a real snmpd, compared with infiniband-diags."""

import csv
import pathlib
import re

import pytest
from lab.gateway import Gateway, section
from lab.own_mib import OWN_IDS
from lab.processes import wait_until
from lab.snmpd import Snmpd
from lab.tables import GSW, Manager, ask, global_id, switch_ports
from lab.watch import discovered

TESTS = pathlib.Path(__file__).resolve().parents[1]
LEAF1, LEAF2 = 0x0002C90200C10000, 0x0002C90200C20000
LEAVES = {LEAF1: "leaf1", LEAF2: "leaf2"}
PORTS = 12

TABLES = {
    "gswInventoryTable": (2, 2), "gswSwitchComTable": (2, 3), "gswPortComTable": (2, 4), "gswSensorTable": (2, 10),
    "gswIBNodeTable": (2, 20), "gswIBSwTable": (2, 25), "gswTopoComTable": (5, 1), "gswIBTopoTable": (5, 5),
    "gswIBPortTable": (10, 5), "gswIBPortPerfTable": (11, 5), "gswEventTable": (15, 1), "gswAgtCmtyTable": (25, 11),
}
CHANGING = [(1, 2), (2, 3, 1, 10), (2, 3, 1, 42), (15, 1)]

# smpquery's names of PortInfo fields -> the column, and the conversion of the text to the column's value.
WIDTHS = {"1X": 1, "4X": 2, "8X": 4, "12X": 8, "2X": 16}
SPEEDS = {"2.5 Gbps": 1, "5.0 Gbps": 2, "10.0 Gbps": 4}
STATES = {"Down": 2, "Initialize": 3, "Armed": 4, "Active": 5}
PHYSICAL = {"Sleep": 2, "Polling": 3, "Disabled": 4, "LinkUp": 6}
VLS = {"VL0": 1, "VL0-1": 2, "VL0-3": 3, "VL0-7": 4, "VL0-14": 5}
MTUS = {"256": 1, "512": 2, "1024": 3, "2048": 4, "4096": 5}


def octets(size):
    return lambda text: int(text, 0).to_bytes(size, "big")


def number(text):
    return int(text, 0)


def one_of(words):
    return words.__getitem__


def set_of(words, more=0):
    return lambda text: sum(words[word] for word in text.split(" or ")) + more


PORT_INFO = {
    "GidPrefix": (6, octets(8)), "Lid": (7, octets(2)), "SMLid": (8, octets(2)), "CapMask": (9, number),
    "DiagCode": (10, number), "LinkWidthEnabled": (12, set_of(WIDTHS, 1)), "LinkWidthSupported": (13, set_of(WIDTHS, 1)),
    "LinkWidthActive": (14, set_of(WIDTHS, 1)), "LinkSpeedSupported": (15, set_of(SPEEDS)), "LinkState": (16, one_of(STATES)),
    "PhysLinkState": (17, one_of(PHYSICAL)), "LinkDownDefState": (18, one_of({"Sleep": 1, "Polling": 2})),
    "LMC": (20, number), "LinkSpeedActive": (21, set_of(SPEEDS)), "LinkSpeedEnabled": (22, set_of(SPEEDS)),
    "NeighborMTU": (23, one_of(MTUS)), "VLCap": (24, one_of(VLS)), "MtuCap": (25, one_of(MTUS)),
    "OperVLs": (28, one_of(VLS)), "MkeyViolations": (29, number), "PkeyViolations": (30, number),
    "QkeyViolations": (32, number), "LocalPhysErr": (36, number), "OverrunErr": (37, number),
}
PORT_COLUMNS = {1, 2, 38} | {column for column, _ in PORT_INFO.values()}

ERRORS = {
    "SymbolErrorCounter": 3, "LinkErrorRecoveryCounter": 4, "LinkDownedCounter": 5, "PortRcvErrors": 6,
    "PortRcvRemotePhysicalErrors": 7, "PortRcvSwitchRelayErrors": 8, "PortXmitDiscards": 9,
    "PortXmitConstraintErrors": 10, "PortRcvConstraintErrors": 11, "LocalLinkIntegrityErrors": 12,
    "ExcessiveBufferOverrunErrors": 13, "VL15Dropped": 14,
}
TRAFFIC = {"PortXmitData": 15, "PortRcvData": 16, "PortXmitPkts": 17, "PortRcvPkts": 18}


@pytest.fixture
def open_tables(fabric):
    """Starts a gateway below a master agent; a manager that reads its tables, once they have rows."""

    def build(method="smp", **options):
        snmpd = fabric.keep(Snmpd(fabric.directory)).start()
        fabric.subnet_manager().wait_master()
        fabric.keep(Gateway(fabric, sweep={"method": method, "interval": 60, "settle": 300}, **options,
                                      more=section("subagent", socket=snmpd.socket)))
        manager = Manager(snmpd.address)
        wait_until(lambda: manager.column(2, 2, 1, 1), "the tables to have rows")
        return manager

    return build


def own_index(guid):
    return tuple(global_id(guid))


def port_indices():
    return {own_index(guid) + (port,) for guid in LEAVES for port in range(PORTS + 1)}


def test_the_inventory_is_what_ibnetdiscover_finds(fabric, open_tables):
    manager = open_tables()
    nodes, links = discovered(fabric, "monitor")
    switches = {int(guid, 16): name for guid, (kind, _, name) in nodes.items() if kind == 2}
    assert switches == LEAVES
    by_local_id = {(2, *guid.to_bytes(8, "big")): guid for guid in switches}
    assert manager.column(2, 1) == {(0,): 2}
    assert manager.column(2, 2, 1, 1) == dict.fromkeys(by_local_id, 2)
    assert manager.column(2, 2, 1, 2) == {index: guid.to_bytes(8, "big") for index, guid in by_local_id.items()}
    assert manager.column(2, 2, 1, 7) == {index: switches[guid].encode() for index, guid in by_local_id.items()}
    assert manager.column(2, 2, 1, 8) == {index: global_id(guid) for index, guid in by_local_id.items()}
    assert manager.column(2, 3, 1, 2) == {own_index(guid): PORTS for guid in switches}
    assert manager.column(2, 3, 1, 22) == {own_index(guid): 1 for guid in switches}  # online
    between = {(int(guid, 16), port): (int(peer, 16), peer_port) for guid, port, peer, peer_port in links
               if int(guid, 16) in switches and int(peer, 16) in switches}
    assert len(between) == 4
    assert manager.column(5, 1, 1, 3) == {own_index(guid) + (port,): global_id(peer)
                                          for (guid, port), (peer, _) in between.items()}
    assert manager.column(5, 1, 1, 4) == {own_index(guid) + (port,): peer_port
                                          for (guid, port), (_, peer_port) in between.items()}


@pytest.mark.parametrize("method", ["smp", "sa"])
def test_ports_are_what_smpquery_says(fabric, open_tables, method):
    manager = open_tables(method)
    found = manager.column(10, 5, 1)
    assert {index[0] for index in found} == PORT_COLUMNS
    assert {index[1:] for index in found} == port_indices()
    for guid, name in LEAVES.items():
        for port in range(PORTS + 1):
            said = ask(fabric, "smpquery", "portinfo", fabric.lid_of(name), port)
            expected = {column: read(said[field]) for field, (column, read) in PORT_INFO.items()}
            index = own_index(guid) + (port,)
            if method == "sa" and said["LinkState"] == "Down":  # OpenSM keeps few attributes of ports that are down
                expected = {16: STATES["Down"]}
            assert {column: found[(column, *index)] for column in expected} == expected, (name, port)


def test_ports_are_what_iblinkinfo_says(fabric, open_tables):
    manager = open_tables()
    found = manager.column(10, 5, 1)
    said = switch_ports(fabric)
    assert len(said) == len(LEAVES) * PORTS
    for (guid, port), (width, speed, state, physical, _, _) in said.items():
        at = own_index(guid) + (port,)
        assert (found[(16, *at)], found[(17, *at)]) == (STATES[state], PHYSICAL[physical])
        if width:
            assert (found[(14, *at)], found[(21, *at)]) == (WIDTHS[width] + 1, SPEEDS[f"{speed} Gbps"])


def test_nodes_are_what_smpquery_says(fabric, open_tables):
    manager = open_tables()
    found = manager.column(2, 20, 1)
    assert len(found) == 11 * len(LEAVES)
    for guid, name in LEAVES.items():
        said = ask(fabric, "smpquery", "nodeinfo", fabric.lid_of(name))
        expected = {1: global_id(guid), 2: name.encode(), 3: int(said["BaseVers"]), 4: int(said["ClassVers"]), 5: 2,
                    6: int(said["NumPorts"]), 7: octets(8)(said["Guid"]), 8: octets(8)(said["PortGuid"]),
                    9: number(said["DevId"]), 10: number(said["Revision"]), 11: number(said["VendorId"])}
        assert {column: found[(column, *own_index(guid))] for column in expected} == expected
        revision = manager.column(2, 3, 1, 21)[own_index(guid)].decode()
        assert int(revision, 0) == number(said["Revision"])


def traffic(fabric, port):
    said = ask(fabric, "perfquery", "-x", fabric.lid_of("leaf1"), port)
    return {field: number(said[field]) for field in TRAFFIC}


def counters(manager, guid, port):
    """The accumulated counters of a port by column; empty before the first reading."""
    at = own_index(guid) + (port,)
    found = {index[0]: value for index, value in manager.column(11, 5, 1).items() if index[1:] == at and index[0] > 2}
    assert all(len(value) == 16 and value[:8] == bytes(8) for value in found.values())
    return {column: int.from_bytes(value, "big") for column, value in found.items()}


def wait_counters(manager, guid, port, condition):
    """Waits until a port's accumulated counters fulfil the condition; returns them."""

    def good():
        found = counters(manager, guid, port)
        return found if found and condition(found) else None

    return wait_until(good, "the sums of a port's counters")


def test_counters_are_what_perfquery_says(fabric, open_tables):
    fabric.count_errors("leaf1", 3, **{field: 3 + n for n, field in enumerate(ERRORS)})
    manager = open_tables(counters={"ports": "switches", "interval": 5})
    for port in (2, 3):
        before = traffic(fabric, port)
        found = wait_counters(manager, LEAF1, port, lambda found: all(  # at least one reading after that
            found[column] >= before[field] for field, column in TRAFFIC.items()))
        said, after = ask(fabric, "perfquery", fabric.lid_of("leaf1"), port), traffic(fabric, port)
        assert all(found[column] <= after[field] for field, column in TRAFFIC.items())
        assert {field: found[column] for field, column in ERRORS.items()} == {field: number(said[field]) for field in ERRORS}
    assert found[ERRORS["SymbolErrorCounter"]] == 3
    assert {index[1:] for index in manager.column(11, 5, 1)} == {
        own_index(guid) + (port,) for (guid, port), said in switch_ports(fabric).items() if said[2] == "Active"}


def test_counters_go_on_when_somebody_resets_them(fabric, open_tables):
    symbols, downed = ERRORS["SymbolErrorCounter"], ERRORS["LinkDownedCounter"]
    fabric.count_errors("leaf1", 3, SymbolErrorCounter=40, LinkDownedCounter=255)
    manager = open_tables(counters={"ports": "switches", "interval": 5})
    assert wait_counters(manager, LEAF1, 3, lambda found: found[symbols] == 40)[downed] == 255
    fabric.run(["/usr/sbin/perfquery", "-R", str(fabric.lid_of("leaf1")), "3"], "monitor")
    assert ask(fabric, "perfquery", fabric.lid_of("leaf1"), 3)["SymbolErrorCounter"] == "0"
    fabric.count_errors("leaf1", 3, SymbolErrorCounter=2)
    assert wait_counters(manager, LEAF1, 3, lambda found: found[symbols] == 42)[downed] == 255


# ibtrapdPortTable.

PORTS_OF_OWN = (*OWN_IDS, 1, 7, 1)
OWN_ERRORS = {
    "SymbolErrorCounter": 15, "LinkErrorRecoveryCounter": 16, "LinkDownedCounter": 17, "PortRcvErrors": 18,
    "PortRcvRemotePhysicalErrors": 19, "PortRcvSwitchRelayErrors": 20, "PortXmitDiscards": 21,
    "PortXmitConstraintErrors": 22, "PortRcvConstraintErrors": 23, "LocalLinkIntegrityErrors": 24,
    "ExcessiveBufferOverrunErrors": 25, "VL15Dropped": 26,
}
OWN_TRAFFIC = {"PortXmitData": (10, 4), "PortRcvData": (11, 4), "PortXmitPkts": (12, 1), "PortRcvPkts": (13, 1)}
OWN_STATES = {"Down": 1, "Initialize": 2, "Armed": 3, "Active": 4}
OWN_COUNTERS = range(10, 31)  # with the error rates


def own_ports(manager):
    """(GUID, port) -> column -> value."""
    found = {}
    for oid, value in manager.walk(PORTS_OF_OWN).items():
        column, *guid, port = oid[len(PORTS_OF_OWN):]
        found.setdefault((int.from_bytes(bytes(guid), "big"), port), {})[column] = value
    return found


def test_the_port_table_is_what_iblinkinfo_and_ibnetdiscover_say(fabric, open_tables):
    manager = open_tables(counters={"ports": "off"})
    nodes, links = discovered(fabric, "monitor")
    said, found = switch_ports(fabric), own_ports(manager)
    assert {one for one in found if one[0] in LEAVES} == said.keys()
    hosts = {int(guid, 16): name for guid, (kind, _, name) in nodes.items() if kind == 1}
    assert {guid for guid, _ in found} == {*LEAVES, *hosts}
    peers = {(int(guid, 16), port): (int(peer, 16), peer_port) for guid, port, peer, peer_port in links}
    peers |= {there: here for here, there in peers.items()}
    names = {**LEAVES, **hosts}
    for one, row in found.items():
        peer, peer_port = peers.get(one, (0, 0))
        assert (row[3].decode(), row[4]) == (names[one[0]], 2 if one[0] in LEAVES else 1)
        assert (row[5], row[6].decode(), row[7]) == (peer.to_bytes(8, "big"), names.get(peer, ""), peer_port)
        if one in said:
            width, speed, state, *_ = said[one]
            assert row[8] == OWN_STATES[state]
            assert row[9] == (int(width.removesuffix("X")) * float(speed) * 1000 if width and state != "Down" else 0)
        assert not set(row) & set(OWN_COUNTERS)


def test_the_port_table_counts_as_perfquery_does(fabric, open_tables):
    node1 = next(int(guid, 16) for guid, (_, _, name) in discovered(fabric, "monitor")[0].items() if name.startswith("node1"))
    errors = {("leaf1", LEAF1, 3): 3, ("node1", node1, 1): 5}
    for (name, _, port), first in errors.items():
        fabric.count_errors(name, port, **{field: first + n for n, field in enumerate(ERRORS)})
    manager = open_tables(counters={"ports": "all", "interval": 5})
    before = traffic(fabric, 3)
    found = wait_until(lambda: (now := own_ports(manager)) and 10 in now[LEAF1, 3] and all(
        now[LEAF1, 3][column] >= factor * before[field] for field, (column, factor) in OWN_TRAFFIC.items()) and now,
                       "the counters")
    for name, guid, port in errors:
        said = ask(fabric, "perfquery", fabric.lid_of(name), port)
        assert {field: found[guid, port][column] for field, column in OWN_ERRORS.items()} == {
            field: number(said[field]) for field in ERRORS}
    after = traffic(fabric, 3)
    assert all(found[LEAF1, 3][column] <= factor * after[field] for field, (column, factor) in OWN_TRAFFIC.items())
    assert found[LEAF1, 3][27] == found[LEAF1, 3][30] == 0  # what was there before the first reading is no error rate
    fabric.count_errors("leaf1", 3, SymbolErrorCounter=600)
    found = wait_until(lambda: (now := own_ports(manager)[LEAF1, 3])[27] > 0 and now, "the error rate")
    counted = found[OWN_ERRORS["SymbolErrorCounter"]] - 3
    for hours, rates, bits in ((0.2, 27, 29), (125 / 60, 28, 30)):
        # A window is up to a twelfth longer. The window is what was watched, a minute at least.
        assert counted / hours / 13 * 12 - 1 <= found[rates] <= counted * 60 + 1
        assert found[bits] == pytest.approx(found[rates] / 3600 / (found[9] * 1e6) * 1e18, rel=0.01)


def test_without_readings_there_are_no_counters(open_tables):
    manager = open_tables()
    assert manager.column(11, 5) == {}


def test_a_link_that_goes_leaves_the_tables(fabric, open_tables):
    manager = open_tables()
    fabric.unlink("leaf1", 11)
    gone = {own_index(LEAF1) + (11,), own_index(LEAF2) + (11,)}
    wait_until(lambda: not gone & manager.column(5, 1, 1, 3).keys(), "the link to go")
    assert len(manager.column(5, 1, 1, 3)) == 2
    assert manager.column(10, 5, 1, 16)[own_index(LEAF1) + (11,)] == STATES["Down"]


def still(found):
    """Without values that change all the time: dates, and events."""
    return {oid: value for oid, value in found.items()
            if not any(oid[len(GSW):][:len(ids)] == ids for ids in CHANGING)}


def test_all_ways_to_walk_agree(open_tables):
    manager = open_tables()
    walked = still(manager.walk())
    assert list(walked) == sorted(walked)
    for options in (["-Cr1"], ["-Cr10"], ["-Cr1000"]):
        assert still(manager.walk(tool="snmpbulkwalk", options=options)) == walked
    for ids in TABLES.values():
        of_table = {oid: value for oid, value in walked.items() if oid[len(GSW):len(GSW) + 2] == ids}
        assert still(manager.walk(GSW + ids)) == of_table


def test_snmptable_shows_all_tables(open_tables):
    manager = open_tables()
    for name, ids in TABLES.items():
        found = manager.column(*ids)
        text = manager.run("snmptable", "-Ob", "-Ci", "-CH", "-Cf", "|", f"IBSWITCH-MIB::{name}", mibs=True)
        rows = [line.split("|") for line in text.splitlines() if "|" in line]
        assert {row[0].strip() for row in rows} == {".".join(map(str, index[2:])) for index in found}, name
        assert sum(cell != "?" for row in rows for cell in row[1:]) == len(found), name


def test_each_column_without_an_instance_has_its_reason(open_tables):
    manager = open_tables(counters={"ports": "all", "interval": 5})
    wait_counters(manager, LEAF1, 3, lambda found: True)
    answered = {oid[:12] for oid in manager.walk()}
    with open(TESTS / "mibs" / "objects.tsv", encoding="utf-8") as file:
        columns = {row["name"]: tuple(map(int, row["oid"].split("."))) for row in csv.DictReader(file, delimiter="\t")
                   if row["module"] == "IBSWITCH-MIB" and row["kind"] == "column"}
    silent = {name: oid for name, oid in columns.items() if oid not in answered and not name.startswith("gswEvent")}
    assert len(columns) - len(silent) > 80
    told = (TESTS.parent / "mibs" / "README.md").read_text().split("## What ibtrapd answers")[1].split("These values differ")[0]
    reasons = set(re.findall(r"gsw\w+", told))
    table_of = {ids: table for table, ids in TABLES.items()}
    assert {name for name, oid in silent.items() if not {name, table_of[oid[8:10]]} & reasons} == set()


def test_names_are_readable(open_tables):
    manager = open_tables()
    text = manager.run("snmpwalk", "-Ob", "IBSWITCH-MIB::gswSwitchName", mibs=True)
    assert re.findall(r"gswSwitchName\.(\S+) = STRING: (.*)", text) == [
        (".".join(map(str, (2, *guid.to_bytes(8, "big")))), name) for guid, name in LEAVES.items()]
