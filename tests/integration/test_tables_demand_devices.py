# SPDX-License-Identifier: BSD-2-Clause
"""Tables of devices that no sweep reads: read from the fabric when a manager asks, compared with infiniband-diags."""

import re

from lab.devices import Devices
from lab.tables import ask
from lab.watch import discovered
from test_tables_demand import QOS, arbitration, lanes

SMA, PMA = (1, 3, 6, 1, 3, 117, 3, 1), (1, 3, 6, 1, 3, 117, 6, 1)
GUIDS, PKEYS, LANES, HIGH, LOW = (3, 1, 1), (6, 1, 1), (7, 1, 1), (8, 1, 1), (8, 2, 1)
LINEAR, MULTICAST = (9, 1, 1), (11, 1, 1)
GROUP = bytes.fromhex("ff12401bffff00000000000000000016")
PORTS = {"leaf1": [1, 2, 3, 11, 12], "node1": [1]}  # whose links are up, by nets/small


def rows(manager, entry):
    """Index -> {column: value} of a table."""
    found = {}
    for oid, value in manager.walk(entry, tool="snmpbulkwalk").items():
        found.setdefault(oid[len(entry) + 1:], {})[oid[len(entry)]] = value
    return found


def column(manager, entry, number):
    return {at: row[number] for at, row in rows(manager, entry).items() if number in row}


def words(fabric, *query):
    """The hexadecimal numbers that smpquery prints in a table, row by row."""
    text = fabric.run(["/usr/sbin/smpquery", *map(str, query)], "monitor")
    return [int(word, 16) for row in re.findall(r"^ *\d+: ((?: *0x[0-9a-f]+)+)", text, re.MULTILINE)
            for word in row.split()]


def routes(fabric, *options):
    """LID -> what ibroute says behind it."""
    text = fabric.run(["/usr/sbin/ibroute", *map(str, options)], "monitor")
    return {int(lid, 16): rest for lid, rest in re.findall(r"^0x([0-9a-f]+) +(.*?) *$", text, re.MULTILINE)}


def test_the_tables_of_a_switch_and_a_host_are_what_the_tools_say(fabric):
    fabric.subnet_manager(**QOS).wait_master()
    for host in ("node1", "node2"):
        fabric.client(host).join(GROUP)
    devices = Devices(fabric, contexts="all")
    for name, ports in PORTS.items():
        manager, lid = devices.wait_for(name), fabric.lid_of(name)
        check_lanes(fabric, manager, name, lid, ports)
        check_pkeys(fabric, manager, name, lid, ports)
        end = 255 if name == "leaf1" else 1
        guids = words(fabric, "guidinfo", lid)[:int(ask(fabric, "smpquery", "portinfo", lid, 0 if end == 255 else 1)["GuidCap"])]
        assert guids and column(manager, SMA + GUIDS, 3) == {
            (end, at): guid.to_bytes(8, "big") for at, guid in enumerate(guids, 1)}
    check_routes(fabric, devices.manager("leaf1"), fabric.lid_of("leaf1"))
    assert rows(devices.manager("node1"), SMA + LINEAR) == rows(devices.manager("node1"), SMA + MULTICAST) == {}


def check_lanes(fabric, manager, name, lid, ports):
    expected = {}
    for port in ports:
        for at, row in lanes(fabric, lid, port).items():
            out, into = (port, at or 255) if name == "leaf1" else (255, 255)
            if name != "leaf1" or at == 0 or at in ports:
                expected |= {(out, into, sl): lane for sl, lane in enumerate(row)}
    assert column(manager, SMA + LANES, 4) == expected
    for priority, table in ((2, HIGH), (1, LOW)):
        expected = {(port, at): weight for port in ports
                    for at, weight in enumerate(arbitration(fabric, lid, port)[priority], 1)}
        assert column(manager, SMA + table, 4) == expected and len(expected) > 3
        assert set(column(manager, SMA + table, 3)) == set(expected)


def check_pkeys(fabric, manager, name, lid, ports):
    expected = {}
    for port in [0, *ports] if name == "leaf1" else ports:
        index = 255 if name != "leaf1" else port or 255
        expected |= {(index, at): pkey for at, pkey in enumerate(words(fabric, "pkeys", lid, port))}
    found = rows(manager, SMA + PKEYS)
    assert {at: row[4] for at, row in found.items()} == {at: pkey & 0x7fff for at, pkey in expected.items()}
    assert {at: row[3] for at, row in found.items()} == {
        at: 1 if not pkey & 0x7fff else 3 if pkey & 0x8000 else 2 for at, pkey in expected.items()}


def check_routes(fabric, manager, lid):
    expected = {(dlid,): int(rest.split()[0]) for dlid, rest in routes(fabric, lid).items()}
    assert column(manager, SMA + LINEAR, 2) == expected and len(expected) >= 8
    masks = {}
    for (mlid,), mask in column(manager, SMA + MULTICAST, 2).items():
        masks[mlid] = {port for port in range(256) if mask[port // 8] >> (7 - port % 8) & 1}
    text = fabric.run(["/usr/sbin/ibroute", "-M", str(lid)], "monitor")
    first = text.splitlines()[2].index(": ") + 2  # the column of port 0, two before port 1
    said = {int(line[2:6], 16): {(at - first) // 2 for at, mark in enumerate(line) if at >= first and mark == "x"}
            for line in text.splitlines() if line.startswith("0x")}
    assert masks == said and any(len(ports) > 1 for ports in said.values())


DETAILS = {  # the table: perfquery's option, and column -> its name of the counter
    (2, 1, 1): ("-E", {2: "PortLocalPhysicalErrors", 3: "PortMalformedPktErrors", 4: "PortBufferOverrunErrors",
                       5: "PortDLIDMappingErrors", 6: "PortVLMappingErrors", 7: "PortLoopingErrors"}),
    (2, 2, 1): ("-D", {2: "PortInactiveDiscards", 3: "PortNeighborMTUDiscards", 4: "PortSwLifetimeLimitDiscards",
                       5: "PortSwHOQLifetimeLimitDiscards"}),
    (2, 3, 1): ("--flowctlcounters", {2: "PortXmitFlowPkts", 3: "PortRcvFlowPkts"}),
    (4, 1, 1): ("--vlxmitflowctlerrors", {vl + 2: f"PortVLXmitFlowCtlUpdateErrors{vl}" for vl in range(16)}),
    (4, 2, 1): ("--vlxmitcounters", {vl + 2: f"PortVLXmitWait{vl}" for vl in range(16)}),
}
SET = {"PortRcvErrorDetails.PortLoopingErrors": 7, "PortXmitDiscardDetails.PortInactiveDiscards": 300,
       "PortFlowCtlCounters.PortXmitFlowPkts": 100000, "PortVLXmitFlowCtlUpdateErrors.PortVLXmitFlowCtlUpdateErrors5": 3}


def test_the_details_of_counters_are_what_perfquery_says(fabric):
    fabric.subnet_manager().wait_master()
    for field, value in SET.items():
        assert "set to" in fabric.console(f'PerformanceSet "leaf1"[3] {field}={value}')
    manager = Devices(fabric).wait_for("leaf1")
    lid = fabric.lid_of("leaf1")
    for table, (option, columns) in DETAILS.items():
        found = rows(manager, PMA + table)
        assert found.keys() == {(port,) for port in PORTS["leaf1"]}
        for port in PORTS["leaf1"]:
            said = ask(fabric, "perfquery", option, lid, port)
            assert {columns[number]: value for number, value in found[port,].items()} == {
                name: int(said[name]) for name in columns.values()}, (option, port)
    assert rows(manager, PMA + (4, 3, 1)) == {}  # the simulator has no SwPortVLCongestion
