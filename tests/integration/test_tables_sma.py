# SPDX-License-Identifier: BSD-2-Clause
"""The tables of the IB-SMA-MIB in the contexts of nodes, through a real snmpd, compared with infiniband-diags value by
value."""

import pytest
from lab.devices import Devices, rows
from lab.fabric import two_managers
from lab.processes import wait_until
from lab.tables import ask
from test_tables_sm import MTUS, PHYSICAL, STATES, VLS, number, octets, sminfo, truth

SMA = (1, 3, 6, 1, 3, 117, 3, 1)
NODE, SWITCH, END_PORT = SMA + (1,), SMA + (2,), SMA + (4,)
PORTS, MANAGERS, DIAGNOSTICS = SMA + (5, 1, 1), SMA + (12, 1, 1, 1), SMA + (13, 1, 1)
TRUE, FALSE = 1, 2


def one_of(*words):
    """The label of a text is its place, from 1 on; others come behind the last one."""
    return lambda text: words.index(text) + 1 if text in words else len(words) + 1


def known(labels, other):
    return lambda text: labels.get(text, other)


# smpquery's names of fields -> the object, and how its text becomes the object's value.
NODE_INFO = {
    "BaseVers": (2, number), "ClassVers": (3, number), "NumPorts": (5, number), "SystemGuid": (6, octets(8)),
    "Guid": (7, octets(8)), "PartCap": (9, number), "DevId": (10, octets(2)), "Revision": (11, octets(4)),
    "VendorId": (13, octets(3)),
}
SWITCH_INFO = {
    "LinearFdbCap": (1, number), "RandomFdbCap": (2, number), "McastFdbCap": (3, number), "LinearFdbTop": (4, number),
    "DefPort": (5, number), "DefMcastPrimPort": (6, number), "DefMcastNotPrimPort": (7, number), "LifeTime": (8, number),
    "StateChange": (9, truth), "LidsPerPort": (10, number), "PartEnforceCap": (11, number), "InboundPartEnf": (12, truth),
    "OutboundPartEnf": (13, truth), "FilterRawInbound": (14, truth), "FilterRawOutbound": (15, truth),
    "EnhancedPort0": (16, truth),
}
# The bits of CapabilityMask that objects 5 to 23 show (IBA 14.2.5.6).
CAPABILITIES = [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19, 20, 21, 22, 23]
END_PORT_INFO = {
    "GidPrefix": (2, octets(8)), "Lid": (3, number), "SMLid": (4, number), "MkeyLeasePeriod": (24, number),
    "ProtectBits": (25, lambda text: number(text) + 1), "SMSL": (26, number), "MkeyViolations": (34, number),
    "PkeyViolations": (35, number), "QkeyViolations": (36, number), "GuidCap": (37, number), "SubnetTimeout": (38, number),
    "RespTimeVal": (39, number),
}
PORT_INFO = {
    "LinkWidthEnabled": (2, one_of("1X", "4X", "1X or 4X", "12X", "1X or 12X", "4X or 12X", "1X or 4X or 12X")),
    "LinkWidthSupported": (3, one_of("1X", "1X or 4X", "1X or 4X or 12X")), "LinkWidthActive": (4, one_of("1X", "4X", "12X")),
    "LinkSpeedSupported": (5, one_of("2.5 Gbps")), "LinkState": (6, known(STATES, 5)), "PhysLinkState": (7, known(PHYSICAL, 7)),
    "LinkDownDefState": (8, one_of("Sleep", "Polling")), "LMC": (9, number), "LinkSpeedActive": (10, one_of("2.5 Gbps")),
    "LinkSpeedEnabled": (11, lambda text: 1 if text == "2.5 Gbps" else 3), "NeighborMTU": (12, known(MTUS, 6)),
    "VLCap": (13, known(VLS, 6)), "VLHighLimit": (14, number), "VLArbHighCap": (15, number), "VLArbLowCap": (16, number),
    "MtuCap": (17, known(MTUS, 6)), "VLStallCount": (18, number), "HoqLife": (19, number), "OperVLs": (20, known(VLS, 6)),
    "PartEnforceInb": (21, truth), "PartEnforceOutb": (22, truth), "FilterRawInb": (23, truth), "FilterRawOutb": (24, truth),
    "LocalPhysErr": (25, number), "OverrunErr": (26, number),
}


def said(answer, fields):
    return {at: read(answer[name]) for name, (at, read) in fields.items()}


def scalars(manager, group):
    return {oid[-2]: value for oid, value in manager.walk(group).items()}


def bits(value, which):
    return [TRUE if value >> bit & 1 else FALSE for bit in which]


def check_node(fabric, manager, name):
    answer = ask(fabric, "smpquery", "nodeinfo", fabric.lid_of(name))
    kind = {"Channel Adapter": 1, "Switch": 2, "Router": 3}[answer["NodeType"]]
    assert scalars(manager, NODE) == said(answer, NODE_INFO) | {
        1: name.encode(), 4: kind, 8: fabric.guid_of(name).to_bytes(8, "big"), 12: 0}
    answer = kind == 2 and ask(fabric, "smpquery", "switchinfo", fabric.lid_of(name))
    assert scalars(manager, SWITCH) == (said(answer, SWITCH_INFO) if answer else {})


def check_end_port(fabric, manager, name, port):
    answer = ask(fabric, "smpquery", "portinfo", fabric.lid_of(name), port)
    expected = said(answer, END_PORT_INFO) | {1: bytes(8)}
    expected |= dict(enumerate(bits(number(answer["CapMask"]), CAPABILITIES), 5))
    expected |= dict(enumerate(bits(number(answer["InitType"]), range(4)), 27))
    expected |= dict(enumerate(bits(number(answer["InitReply"]), range(3)), 31))
    assert scalars(manager, END_PORT) == expected


def check_ports(fabric, manager, name, ports):
    found, codes = rows(manager, PORTS), rows(manager, DIAGNOSTICS)
    assert list(found) == [port for port in ports if port]
    assert list(codes) == [port or 255 for port in ports]
    for port in ports:
        answer = ask(fabric, "smpquery", "portinfo", fabric.lid_of(name), port)
        code = number(answer["DiagCode"])
        assert codes[port or 255] == {2: min(code & 15, 5) + 1, 3: code >> 4 & 0x7FF, 4: TRUE if code >> 15 else FALSE}
        if port:
            assert found[port] == said(answer, PORT_INFO), port


def test_a_node_is_what_smpquery_says(fabric):
    fabric.subnet_manager(lmc=1).wait_master()
    devices = Devices(fabric, "all")
    for name, ports in (("leaf1", [*range(1, 13), 0]), ("leaf2", [*range(1, 13), 0]), ("node1", [1]), ("monitor", [1])):
        manager = devices.wait_for(name)
        wait_until(lambda: scalars(manager, END_PORT), "its PortInfo")  # noqa: B023
        check_node(fabric, manager, name)
        check_end_port(fabric, manager, name, ports[-1])
        check_ports(fabric, manager, name, ports)
    assert "notWritable" in manager.set((*PORTS, 6, 1), "i", "1")


def test_subnet_managers_are_what_sminfo_says():
    with two_managers() as (fabric, _, _):
        devices = Devices(fabric, "all")
        for name, port in (("sm1", 1), ("sm2", 1)):
            manager = devices.wait_for(name)
            wait_until(lambda: 4 in rows(manager, MANAGERS).get(1, {}), "its SMInfo")  # noqa: B023
            found, (guid, priority, state) = rows(manager, MANAGERS), sminfo(fabric, name)
            assert found.keys() == {port}
            assert {at: value for at, value in found[port].items() if at != 4} == {
                2: guid, 3: bytes(8), 5: priority, 6: state + 1}
            assert 0 < found[port][4] < 2**32
        assert rows(devices.wait_for("leaf1"), MANAGERS) == {}


@pytest.mark.parametrize("name", ["leaf2", "node2"])
def test_a_node_that_left_has_no_instances(fabric, name):
    fabric.subnet_manager().wait_master()
    devices = Devices(fabric, "all")
    manager = devices.wait_for(name)
    assert manager.walk(SMA)
    fabric.unlink(*(("leaf2",) if name == "leaf2" else ("leaf2", 3)))
    wait_until(lambda: not manager.walk(SMA), "the node to go")
