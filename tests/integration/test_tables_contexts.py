# SPDX-License-Identifier: BSD-2-Clause
"""Switches and hosts as devices in SNMP contexts of their own, through a real snmpd, compared with infiniband-diags."""

import json
import re

import pytest
from lab.devices import SYSTEM, Devices, rows, scalars
from lab.own_mib import OWN
from lab.processes import wait_until
from lab.sockets import free_port
from lab.tables import Manager, ask, switch_ports
from lab.watch import discovered

INTERFACES, IF_X = (1, 3, 6, 1, 2, 1, 2), (1, 3, 6, 1, 2, 1, 31, 1, 1, 1)
ENTITIES, ALIASES = (1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1), (1, 3, 6, 1, 2, 1, 47, 1, 3, 2, 1)
IF_TABLE, IF_NUMBER = INTERFACES + (2, 1), INTERFACES + (1, 0)
PORTS = 12
MTUS = {"256": 256, "512": 512, "1024": 1024, "2048": 2048, "4096": 4096}
OPER = {"Active": 1, "Down": 2, "Initialize": 5, "Armed": 5}
LANES = {"1X": 1, "4X": 4, "8X": 8, "12X": 12, "2X": 2}

def test_a_switch_is_a_device(fabric):
    fabric.subnet_manager().wait_master()
    devices = Devices(fabric)
    leaf1 = devices.wait_for("leaf1")
    system = scalars(leaf1)
    assert set(system) == {1, 2, 3, 4, 5, 6, 7}
    said = ask(fabric, "smpquery", "nodeinfo", fabric.lid_of("leaf1"))
    assert system[1] == (f"InfiniBand switch, {PORTS} ports, vendor {int(said['VendorId'], 0):#08x}, device "
                         f"{int(said['DevId'], 0):#06x}, revision {int(said['Revision'], 0):#x}, GUID {said['Guid']}: leaf1").encode()
    assert system[2].lstrip(".") == f"{OWN}.3.2"
    assert (system[4], system[6], system[7]) == (b"", b"", 2)
    assert scalars(devices.by_community("leaf1"))[5] == b"leaf1"
    assert leaf1.walk(INTERFACES)[IF_NUMBER] == PORTS + 1
    check_interfaces(fabric, leaf1, "leaf1")
    check_interfaces(fabric, devices.wait_for("leaf2"), "leaf2")


def check_interfaces(fabric, manager, name):
    table, more = rows(manager, IF_TABLE), rows(manager, IF_X)
    assert list(table) == list(more) == [*range(1, PORTS + 1), 255]
    names = {int(guid, 16): node[2] for guid, node in discovered(fabric, "monitor")[0].items()}
    peers = {(int(guid, 16), port): f"to {names[int(peer, 16)]} port {peer_port}".encode()
             for guid, port, peer, peer_port in discovered(fabric, "monitor")[1]}
    links, lid = switch_ports(fabric), fabric.lid_of(name)
    for port in range(1, PORTS + 1):
        said = ask(fabric, "smpquery", "portinfo", lid, port)
        width, lane, state, _, _, _ = links[fabric.guid_of(name), port]
        row, extra = table[port], more[port]
        assert (row[1], row[3], row[6], row[7]) == (port, 199, lid.to_bytes(2, "big"), 1)
        assert row[8] == OPER[state] == OPER[said["LinkState"]]
        assert row[4] == MTUS[said["NeighborMTU" if state == "Active" else "MtuCap"]]
        if width:  # 8 of 10 bits are data
            rate = LANES[width] * float(lane) * 1000 * 8 / 10
            assert (row[5], extra[15]) == (min(int(rate * 1e6), 2**32 - 1), rate)
            assert row[2].startswith(f"{name} port {port}, {width} ".encode())
        assert (extra[1], extra[17], extra[14]) == (str(port).encode(), 1, 2)
        assert extra[18] == peers.get((fabric.guid_of(name), port), b"")
    assert (table[255][6], table[255][8], more[255][1], more[255][17]) == (lid.to_bytes(2, "big"), 1, b"0", 2)


def traffic(fabric, port):
    """The octets and packets of a port as draft-ietf-ipoib-ibif-mib-05, 5.4, makes them of counters."""
    said = {name: int(value, 0) for name, value in ask(fabric, "perfquery", "-x", fabric.lid_of("leaf1"), port).items()
            if value.isdigit()}
    return {6: said["PortRcvData"] * 4 + said["PortRcvPkts"] * 4, 7: said["PortRcvPkts"],
            10: said["PortXmitData"] * 4 + said["PortXmitPkts"] * 4}


def test_counters_are_what_perfquery_says(fabric):
    errors = {"PortRcvErrors": 3, "PortRcvRemotePhysicalErrors": 5, "PortXmitDiscards": 7, "PortXmitConstraintErrors": 11,
              "PortRcvConstraintErrors": 13, "VL15Dropped": 17}
    fabric.count_errors("leaf1", 3, **errors)
    fabric.subnet_manager().wait_master()
    leaf1 = Devices(fabric, counters={"ports": "switches", "interval": 5}).wait_for("leaf1")
    before = traffic(fabric, 3)
    wait_until(lambda: (found := rows(leaf1, IF_X)[3]) and 6 in found and all(found[n] >= before[n] for n in before),
               "a reading of the counters")
    row, more, after = rows(leaf1, IF_TABLE)[3], rows(leaf1, IF_X)[3], traffic(fabric, 3)
    assert all(more[column] <= after[column] for column in after)
    assert (row[13], row[14], row[19], row[15], row[20]) == (13 + 17, 5 + 3, 7 + 11, 0, 0)
    again = rows(leaf1, IF_X)[3]
    assert row[17] <= again[11] and (again[11] - row[17]) < 1000
    assert [more[column] for column in (2, 3, 4, 5, 8, 9, 12, 13)] == [0] * 8


def test_devices_come_and_go(fabric):
    fabric.subnet_manager().wait_master()
    fabric.unlink("leaf2")
    devices = Devices(fabric)
    leaf1, leaf2 = devices.wait_for("leaf1"), devices.manager("leaf2")
    port = IF_TABLE + (8, 11)
    assert scalars(leaf2) == {}
    fabric.relink("leaf2")
    devices.wait_for("leaf2")
    wait_until(lambda: leaf1.walk(port).get(port) == OPER["Active"], "the link to be up")
    up_since = rows(leaf1, IF_TABLE)[11][9]
    fabric.unlink("leaf2")
    wait_until(lambda: scalars(leaf2) == {}, "the device to go")
    assert "No Such Instance" in leaf2.run("snmpget", ".1.3.6.1.2.1.1.5.0")
    assert leaf1.walk(port)[port] == OPER["Down"]
    table = rows(leaf1, IF_TABLE)
    assert ticks(table[11][9]) > ticks(up_since) > 0 == ticks(table[7][9])
    fabric.relink("leaf2")
    devices.wait_for("leaf2")


# A user who may read about leaf1 alone, one who may read nothing but the ports of leaf2, and a community over IPv6.
OWN_NODES = """
agentAddress udp6:[::1]:{port}
createUser ofleaf1 SHA "correct horse"
createUser ofleaf2 SHA "correct horse"
group first usm ofleaf1
group second usm ofleaf2
view ports included .1.3.6.1.2.1.2
access first {leaf1} usm auth exact all none none
access second {leaf2} usm auth exact ports none none
com2sec6 -Cn {leaf1} six ::1 overipv6
group six v2c six
access six {leaf1} v2c noauth exact all none none
"""


def test_vacm_decides_by_node(fabric):
    """Who may read about one node learns nothing about another; over IPv6 a community has a context, too."""
    fabric.subnet_manager().wait_master()
    devices, port = Devices(fabric), free_port()
    devices.wait_for("leaf2")
    leaf1, leaf2 = (f"{fabric.guid_of(name):016x}" for name in ("leaf1", "leaf2"))
    devices.restart_snmpd(OWN_NODES.format(leaf1=leaf1, leaf2=leaf2, port=port))
    devices.wait_for("leaf1")
    devices.wait_for("leaf2")

    def says(user, context, oid, *options):
        manager = devices.manager("")
        manager = Manager(manager.address, who=["-v3", "-u", user, "-l", "authNoPriv", "-a", "SHA", "-A", "correct horse",
                                                "-n", context])
        return manager.run("snmpget", *options, oid, check=False)

    name, number = ".1.3.6.1.2.1.1.5.0", "." + ".".join(map(str, IF_NUMBER))
    assert "6C 65 61 66 31" in says("ofleaf1", leaf1, name) and f"INTEGER: {PORTS + 1}" in says("ofleaf2", leaf2, number)
    for user, context, oid in (("ofleaf1", leaf2, name), ("ofleaf1", "", name), ("ofleaf2", leaf1, number),
                               ("ofleaf2", leaf2, name)):
        said = says(user, context, oid, "-t", "2", "-r", "0")
        assert not re.search("STRING|INTEGER", said), (user, context, oid)
    six = Manager(f"udp6:[::1]:{port}", "overipv6")
    assert scalars(six)[5] == b"leaf1" and six.walk(INTERFACES)[IF_NUMBER] == PORTS + 1


def test_a_switch_has_its_ports_in_it(fabric):
    """RFC 4133: the switch, its ports below it, and the interface that each port is."""
    fabric.subnet_manager().wait_master()
    devices = Devices(fabric, "all")
    for name, ports in (("leaf1", range(1, PORTS + 1)), ("node1", [1])):
        manager = devices.wait_for(name)
        said = ask(fabric, "smpquery", "nodeinfo", fabric.lid_of(name))
        found, is_switch = rows(manager, ENTITIES), name == "leaf1"
        assert list(found) == [1, *(port + 1 for port in ports)]
        assert all(row.keys() == set(range(2, 19)) for row in found.values())
        whole = found.pop(1)
        assert [int(whole[column], 0) for column in (8, 12, 13)] == [int(said[of], 0) for of in ("Revision", "VendorId", "DevId")]
        assert (whole[2], whole[7]) == (scalars(manager)[1], name.encode())
        assert whole[3].lstrip(".") == f"{OWN}.3.{2 if is_switch else 1}"
        assert [whole[column] for column in (4, 5, 6, 16)] == [0, 3 if is_switch else 9, -1, 1]
        for index, row in found.items():
            assert [row[column] for column in (4, 5, 6, 16)] == [1, 10, index - 1, 2]
            assert row[7] == rows(manager, IF_X)[index - 1][1] == str(index - 1).encode()
        assert manager.walk(ALIASES) == {
            (*ALIASES, 2, port + 1, 0): "." + ".".join(map(str, (*IF_TABLE, 1, port))) for port in ports}
    assert "notWritable" in manager.set((*ENTITIES, 14, 1), "s", "mine")


def kinds(manager, below):
    """Column -> the type of its values, as net-snmp names it."""
    lines = manager.run("snmpwalk", "." + ".".join(map(str, below))).splitlines()
    found = (re.match(r"^\.([0-9.]+) = (?:([\w-]+): |\"\")", line) for line in lines)
    return {int(one[1].split(".")[len(below)]): (one[2] or "STRING").replace("Hex-", "") for one in found if one}


def test_columns_and_types_are_those_of_the_hosts_own_interfaces(fabric):
    """snmpd's own IF-MIB and system group, which the default context has, have the same objects. Deprecated ones, and
    those for agents with extensions (sysORTable), are not served."""
    fabric.subnet_manager().wait_master()
    devices = Devices(fabric, counters={"ports": "switches", "interval": 5})
    leaf1, own = devices.wait_for("leaf1"), devices.manager("")
    wait_until(lambda: 6 in rows(leaf1, IF_X)[3], "a reading of the counters")
    assert kinds(leaf1, IF_TABLE) == {n: kind for n, kind in kinds(own, IF_TABLE).items() if n not in (12, 18, 21, 22)}
    assert kinds(leaf1, IF_X) == kinds(own, IF_X) | {14: "INTEGER"}  # ifLinkUpDownTrapEnable, which snmpd leaves out
    assert kinds(leaf1, SYSTEM) == {n: kind for n, kind in kinds(own, SYSTEM).items() if n < 8} | {7: "INTEGER"}


def test_com2sec_lines_let_managers_without_snmpv3_in(fabric):
    fabric.subnet_manager().wait_master()
    devices = Devices(fabric)
    devices.wait_for("leaf2")
    listed = devices.gateway.control("contexts").stdout.splitlines()[1:]
    assert [line.split() for line in listed] == [
        [name, "switch", f"{fabric.guid_of(name):#018x}", "0", f"{fabric.guid_of(name):016x}"] for name in ("leaf1", "leaf2")]
    asked = json.loads(devices.gateway.control("--json", "contexts").stdout)["contexts"]
    assert [one["context"] for one in asked] == [line.split()[-1] for line in listed]
    assert devices.gateway.control("contexts", "communities", "two words", check=False).returncode != 0
    devices.restart_snmpd(devices.gateway.control("contexts", "communities", "secret").stdout)
    for name in ("leaf1", "leaf2"):
        manager = devices.by_community(f"secret-{fabric.guid_of(name):016x}")
        wait_until(lambda: scalars(manager).get(5) == name.encode(), f"the device {name}")  # noqa: B023
    assert list(rows(manager, IF_TABLE)) == [*range(1, PORTS + 1), 255]


def ticks(value):
    """Of TimeTicks as net-snmp prints them: (123) 0:00:01.23."""
    return int(value.split(")")[0].lstrip("("))


@pytest.mark.parametrize("contexts", ["all", "off"])
def test_hosts_are_devices_if_wanted(fabric, contexts):
    fabric.subnet_manager().wait_master()
    devices = Devices(fabric, contexts)
    if contexts == "off":
        gateway = devices.manager("")
        wait_until(lambda: gateway.walk((1, 3, 6, 1, 3, 2, 2, 1, 2, 2)), "the tables")
        assert scalars(devices.manager("leaf1")) == scalars(devices.manager("node1")) == {}
        return
    node1 = devices.wait_for("node1")
    assert scalars(node1)[1].startswith(b"InfiniBand host, 1 port,")
    assert node1.walk(INTERFACES)[IF_NUMBER] == 1
    table, more = rows(node1, IF_TABLE), rows(node1, IF_X)
    assert list(table) == list(more) == [1]
    assert (table[1][6], table[1][8], more[1][18]) == (fabric.lid_of("node1").to_bytes(2, "big"), 1, b"to leaf1 port 3")
    assert scalars(devices.wait_for("leaf1"))[5] == b"leaf1"


def test_nothing_can_be_set(fabric):
    fabric.subnet_manager().wait_master()
    leaf1 = Devices(fabric).wait_for("leaf1")
    for oid, kind, value in (((*IF_TABLE, 7, 3), "i", "2"), ((*SYSTEM, 5, 0), "s", "spine")):
        assert "notWritable" in leaf1.set(oid, kind, value)
    assert scalars(leaf1)[5] == b"leaf1"
