# SPDX-License-Identifier: BSD-2-Clause
"""The tables of the IB-SM-MIB, through a real snmpd, compared with infiniband-diags value by value."""

import re

import pytest
from lab.fabric import two_managers
from lab.gateway import Gateway, section
from lab.processes import wait_until
from lab.snmpd import Snmpd
from lab.tables import Manager, ask, switch_ports
from lab.watch import discovered

SM = (1, 3, 6, 1, 3, 117, 7)
PREFIX = tuple(bytes.fromhex("fe80000000000000"))
CONFIG, NODES, PORTS, SWITCHES, MANAGERS, LINKS = 1, 2, 3, 4, 8, 9

WIDTHS = {"1X": 1, "4X": 2, "8X": 4, "12X": 8, "2X": 16}
SPEEDS = {"2.5 Gbps": 1, "5.0 Gbps": 2, "10.0 Gbps": 4}
STATES = {"Down": 1, "Initialize": 2, "Armed": 3, "Active": 4}
PHYSICAL = {"Sleep": 1, "Polling": 2, "Disabled": 3, "LinkUp": 5}
VLS = {"VL0": 1, "VL0-1": 2, "VL0-3": 3, "VL0-7": 4, "VL0-14": 5}
MTUS = {"256": 1, "512": 2, "1024": 3, "2048": 4, "4096": 5}


def number(text):
    return int(text, 0)


def octets(size):
    return lambda text: int(text, 0).to_bytes(size, "big")


def one_of(words):
    return words.__getitem__


def set_of(words):
    return lambda text: sum(words[word] for word in text.split(" or "))


def truth(text):
    return 1 if int(text, 0) else 2


# smpquery's names of fields -> the column, and how its text becomes the column's value.
NODE_INFO = {
    "BaseVers": (3, number), "ClassVers": (4, number), "NumPorts": (6, number), "SystemGuid": (7, octets(8)),
    "PartCap": (9, number), "DevId": (10, octets(2)), "Revision": (11, octets(4)), "VendorId": (13, octets(3)),
}
PORT_INFO = {
    "GidPrefix": (5, octets(8)), "Lid": (6, number), "SMLid": (7, number), "CapMask": (8, octets(4)),
    "DiagCode": (9, octets(2)), "MkeyLeasePeriod": (10, number), "LinkWidthEnabled": (11, set_of(WIDTHS)),
    "LinkWidthSupported": (12, set_of(WIDTHS)), "LinkWidthActive": (13, set_of(WIDTHS)),
    "LinkSpeedSupported": (14, set_of(SPEEDS)), "LinkState": (15, one_of(STATES)), "PhysLinkState": (16, one_of(PHYSICAL)),
    "LinkDownDefState": (17, one_of({"Sleep": 1, "Polling": 2})), "ProtectBits": (18, number), "LMC": (19, number),
    "LinkSpeedActive": (20, set_of(SPEEDS)), "LinkSpeedEnabled": (21, set_of(SPEEDS)), "NeighborMTU": (22, one_of(MTUS)),
    "SMSL": (23, number), "VLCap": (24, one_of(VLS)), "VLHighLimit": (25, number), "VLArbHighCap": (26, number),
    "VLArbLowCap": (27, number), "MtuCap": (28, one_of(MTUS)), "VLStallCount": (29, number), "HoqLife": (30, number),
    "OperVLs": (31, one_of(VLS)), "PartEnforceInb": (32, truth), "PartEnforceOutb": (33, truth),
    "FilterRawInb": (34, truth), "FilterRawOutb": (35, truth), "MkeyViolations": (36, number),
    "PkeyViolations": (37, number), "QkeyViolations": (38, number), "GuidCap": (39, number), "SubnetTimeout": (40, number),
    "RespTimeVal": (41, number), "LocalPhysErr": (42, number), "OverrunErr": (43, number), "InitType": (44, octets(1)),
    "InitReply": (45, octets(1)),
}
SWITCH_INFO = {
    "LinearFdbCap": (3, number), "RandomFdbCap": (4, number), "McastFdbCap": (5, number), "LinearFdbTop": (6, number),
    "DefPort": (7, number), "DefMcastPrimPort": (8, number), "DefMcastNotPrimPort": (9, number), "LifeTime": (10, number),
    "StateChange": (11, number), "LidsPerPort": (12, number), "PartEnforceCap": (13, number), "InboundPartEnf": (14, truth),
    "OutboundPartEnf": (15, truth), "FilterRawInbound": (16, truth), "FilterRawOutbound": (17, truth),
    "EnhancedPort0": (18, truth),
}


def index(guid, *port):
    return PREFIX + tuple(guid.to_bytes(8, "big")) + port


def start(fabric, method="smp", writable=False):
    """Starts a gateway below a master agent; a manager that reads its tables, once they have rows."""
    access = "rwcommunity public 127.0.0.1\n" if writable else "rocommunity public 127.0.0.1\n"
    snmpd = fabric.keep(Snmpd(fabric.directory, more=access)).start()
    fabric.keep(Gateway(fabric, sweep={"method": method, "interval": 60, "settle": 300},
                        more=section("subagent", socket=snmpd.socket, writable=writable)))
    manager = Manager(snmpd.address)
    wait_until(lambda: rows(manager, SWITCHES), "the tables to have rows")
    return manager


def rows(manager, group, table=1):
    """Index -> {column: value} of a table."""
    above, found = SM + (1, group, table, 1), {}
    for oid, value in manager.walk(above).items():
        found.setdefault(oid[len(above) + 1:], {})[oid[len(above)]] = value
    return found


def said(fabric, *query, fields):
    """What smpquery says, by column."""
    answer = ask(fabric, "smpquery", *query)
    return {column: read(answer[field]) for field, (column, read) in fields.items()}


@pytest.mark.parametrize("method", ["smp", "sa"])
def test_nodes_ports_and_switches_are_what_smpquery_says(fabric, method):
    fabric.subnet_manager(lmc=2).wait_master()
    manager = start(fabric, method)
    nodes, links = discovered(fabric, "monitor")
    guids = {int(guid, 16): node for guid, node in nodes.items()}
    found = {group: rows(manager, group) for group in (NODES, PORTS, SWITCHES, LINKS)}
    assert found[NODES].keys() == {index(guid) for guid in guids}
    assert found[SWITCHES].keys() == {index(guid) for guid, (kind, _, _) in guids.items() if kind == 2}
    for guid, (kind, _, name) in guids.items():
        lid = fabric.lid_of(name)
        row = found[NODES][index(guid)]
        expected = said(fabric, "nodeinfo", lid, fields=NODE_INFO) | {
            1: bytes(PREFIX), 2: guid.to_bytes(8, "big"), 5: kind, 8: fabric.guid_of(name).to_bytes(8, "big"),
            14: name.encode()}
        assert {column: value for column, value in row.items() if column != 12} == expected
        reached = {port for _, _, peer, port in links if int(peer, 16) == guid}
        assert row[12] in (reached if method == "smp" or kind != 2 else {0})  # OpenSM's NodeRecords of switches say 0
        if kind == 2:
            expected = said(fabric, "switchinfo", lid, fields=SWITCH_INFO)
            assert found[SWITCHES][index(guid)] == expected | {1: bytes(PREFIX), 2: guid.to_bytes(8, "big")}
        check_ports(fabric, found[PORTS], guid, name, kind, method)
    assert found[LINKS].keys() == {index(int(guid, 16), port) for guid, port, _, _ in links}
    assert found[LINKS] == {
        index(int(guid, 16), port): {1: bytes(PREFIX), 2: bytes.fromhex(guid[2:]), 3: port, 4: bytes.fromhex(peer[2:]),
                                     5: peer_port} for guid, port, peer, peer_port in links}


def check_ports(fabric, found, guid, name, kind, method):
    ports = range(13) if kind == 2 else range(1, 3 if name == "storage1" else 2)  # no cable in its port 2
    assert {at[-1] for at in found if at[:-1] == index(guid)} == set(ports)
    for port in ports:
        row = found[index(guid, port)]
        expected = said(fabric, "portinfo", fabric.lid_of(name), port, fields=PORT_INFO)
        assert (row[1], row[2], row[3], row[4]) == (bytes(PREFIX), guid.to_bytes(8, "big"), port, bytes(8))
        if method == "sa" and kind == 2 and expected[15] == STATES["Down"]:  # OpenSM keeps two states of these
            expected = {column: value for column, value in expected.items() if column in (15, 16)}
        assert {column: value for column, value in row.items() if column > 4} == expected, (name, port)


def test_ports_are_what_iblinkinfo_says(fabric):
    fabric.subnet_manager().wait_master()
    found = rows(start(fabric), PORTS)
    for (guid, port), (width, speed, state, physical, _, _) in switch_ports(fabric).items():
        row = found[index(guid, port)]
        assert (row[15], row[16]) == (STATES[state], PHYSICAL[physical])
        if width:
            assert (row[13], row[20]) == (WIDTHS[width], SPEEDS[f"{speed} Gbps"])


def sminfo(fabric, name):
    """(port GUID, priority, state) of the subnet manager there."""
    text = fabric.run(["/usr/sbin/sminfo", str(fabric.lid_of(name))], "monitor")
    guid, priority, state = re.search(r"sm guid (0x\w+).*priority (\d+) state (\d)", text).groups()
    return int(guid, 0).to_bytes(8, "big"), int(priority), int(state)


def test_subnet_managers_are_what_sminfo_says():
    with two_managers() as (fabric, _, _):
        manager = start(fabric)
        master, others = rows(manager, CONFIG), rows(manager, MANAGERS)
        sm1, sm2 = sminfo(fabric, "sm1"), sminfo(fabric, "sm2")
        assert (sm1[2], sm2[2]) == (3, 2)
        assert master.keys() == {PREFIX}
        row = master[PREFIX]
        assert (row[2], row[3], row[6]) == sm1
        port = said(fabric, "portinfo", fabric.lid_of("sm1"), 1, fields=PORT_INFO)
        assert (row[14], row[17]) == (port[19], port[10])
        assert (row[1], row[4], row[5], row[8]) == (bytes(PREFIX), bytes(8), 1, 1)
        assert row.keys() == {1, 2, 3, 4, 5, 6, 7, 8, 14, 17}
        assert others.keys() == {PREFIX + tuple(sm2[0])}
        row = others[PREFIX + tuple(sm2[0])]
        assert ((row[2], row[5], row[6]), row[1], row[3]) == (sm2, bytes(PREFIX), bytes(2))
        assert row[4] > 0 and master[PREFIX][7] > 0


def test_what_goes_leaves_the_tables(fabric):
    fabric.subnet_manager().wait_master()
    manager = start(fabric)
    node2 = int(next(guid for guid, node in discovered(fabric, "monitor")[0].items() if node[2] == "node2"), 16)
    assert index(node2) in rows(manager, NODES)
    fabric.unlink("leaf2", 3)
    wait_until(lambda: index(node2) not in rows(manager, NODES), "the host to go")
    assert index(node2, 1) not in rows(manager, PORTS)
    assert index(node2, 1) not in rows(manager, LINKS)


def test_nothing_but_questions_for_paths_can_be_set(fabric):
    fabric.subnet_manager().wait_master()
    manager = start(fabric, writable=True)
    state, no_row = ((*SM, 1, 3, 1, 1, 15) + index(fabric.guid_of("leaf1"), port) for port in (3, 200))
    for oid, value in ((state, "1"), (no_row, "1")):
        assert "notWritable" in manager.set(oid, "i", value), oid
    assert rows(manager, PORTS)[index(fabric.guid_of("leaf1"), 3)][15] == STATES["Active"]


def test_all_ways_to_walk_agree(fabric):
    fabric.subnet_manager().wait_master()
    manager = start(fabric)
    walked = manager.walk(SM)
    assert list(walked) == sorted(walked) and len(walked) > 1000
    counts = SM + (1, 1, 1, 1, 7)  # ActCount
    for options in (["-Cr1"], ["-Cr1000"]):
        again = manager.walk(SM, tool="snmpbulkwalk", options=options)
        assert {oid: value for oid, value in again.items() if oid[:len(counts)] != counts} == \
            {oid: value for oid, value in walked.items() if oid[:len(counts)] != counts}
