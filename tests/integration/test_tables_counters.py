# SPDX-License-Identifier: BSD-2-Clause
"""Counters in the contexts of nodes, the IB-PMA-MIB's and the IB-IF-MIB's, through a real snmpd, compared with perfquery."""

from lab.devices import Devices, rows
from lab.processes import wait_until
from lab.tables import ask

PMA, IF_ERRORS = (1, 3, 6, 1, 3, 117, 6, 1), (1, 3, 6, 1, 3, 117, 2, 1, 1, 1)
COUNTERS, TRAFFIC = PMA + (1, 1, 1), PMA + (1, 2, 1)

# perfquery's names -> columns, and values that are set: some are beyond the draft's ranges, some are full.
OF_COUNTERS = {
    "SymbolErrorCounter": (2, 65535), "LinkErrorRecoveryCounter": (3, 255), "LinkDownedCounter": (4, 2), "PortRcvErrors": (5, 3),
    "PortRcvRemotePhysicalErrors": (6, 5), "PortRcvSwitchRelayErrors": (7, 1000), "PortXmitDiscards": (8, 7),
    "PortXmitConstraintErrors": (9, 11), "PortRcvConstraintErrors": (10, 13), "LocalLinkIntegrityErrors": (11, 15),
    "ExcessiveBufferOverrunErrors": (12, 1), "VL15Dropped": (13, 300),
}
OF_TRAFFIC = {"PortXmitData": 2, "PortRcvData": 3, "PortXmitPkts": 4, "PortRcvPkts": 5}
OF_INTERFACE = {  # column of ibIfPortStatTable -> column of ibPmaPortCntrsTable
    2: 2, 3: 3, 4: 4, 7: 6, 8: 10, 13: 11, 14: 12, 15: 13,
}
CAUSES = {  # column of ibIfPortStatTable -> the register, and values of it: the last one after a reset
    5: ("PortRcvErrorDetails.PortLocalPhysicalErrors", 5, 40000, 30000), 6: ("PortRcvErrorDetails.PortMalformedPacketErrors", 0, 2, 4),
    9: ("PortXmitDiscardDetails.PortInactiveDiscards", 7, 8, 2), 10: ("PortXmitDiscardDetails.PortNeighborMTUDiscards", 0, 0, 0),
    11: ("PortXmitDiscardDetails.PortSwLifetimeLimitDiscards", 1, 65535, 65535),
    12: ("PortXmitDiscardDetails.PortSwHOQLifetimeLimitDiscards", 12, 13, 1),
}


def registers(fabric, name, port):
    """The port's PortCounters as perfquery reads them."""
    return {field: int(value) for field, value in ask(fabric, "perfquery", fabric.lid_of(name), port).items() if value.isdigit()}


def start(fabric, **counters):
    devices = Devices(fabric, "all", counters={"ports": "all", "interval": 5, **counters})
    leaf1 = devices.wait_for("leaf1")
    wait_until(lambda: rows(leaf1, COUNTERS), "a reading of the counters")
    return devices, leaf1


def test_registers_are_what_perfquery_says(fabric):
    fabric.count_errors("leaf1", 3, **{name: value for name, (_, value) in OF_COUNTERS.items()})
    fabric.subnet_manager().wait_master()
    devices, leaf1 = start(fabric)
    said = registers(fabric, "leaf1", 3)
    assert rows(leaf1, COUNTERS)[3] == {column: value for column, value in OF_COUNTERS.values()}
    assert {name: said[name] for name in OF_COUNTERS} == {name: value for name, (_, value) in OF_COUNTERS.items()}
    node1 = devices.wait_for("node1")
    wait_until(lambda: rows(node1, TRAFFIC), "a reading of the host's counters")
    before = rows(node1, TRAFFIC)[1]
    after = registers(fabric, "node1", 1)
    assert all(0 < before[column] <= after[name] for name, column in OF_TRAFFIC.items())
    assert rows(node1, COUNTERS).keys() == {1}


def test_traffic_beyond_the_drafts_range_is_passed_on(fabric):
    """Where a port has 64 bits the gateway reads these: a register of 32 bits is full beyond its end."""
    for name, value in (("PortXmitData", 100000), ("PortRcvData", 2**31 + 5), ("PortXmitPkts", 2**33)):
        fabric.console(f'PerformanceSet "leaf1"[3] PortCountersExtended.{name}={value}')
    fabric.subnet_manager().wait_master()
    _, leaf1 = start(fabric)
    found = rows(leaf1, TRAFFIC)[3]
    said = {name: int(value) for name, value in ask(fabric, "perfquery", "-x", fabric.lid_of("leaf1"), 3).items()
            if value.isdigit()}
    assert 100000 <= found[2] <= said["PortXmitData"] < 200000
    assert 2**31 + 5 <= found[3] <= said["PortRcvData"] < 2**31 + 100000
    assert found[4] == 2**32 - 1 < said["PortXmitPkts"]


def test_a_reset_shows_in_the_registers_and_not_in_the_interfaces(fabric):
    fabric.count_errors("leaf1", 3, **{name: value for name, (_, value) in OF_COUNTERS.items()})
    fabric.subnet_manager().wait_master()
    devices, leaf1 = start(fabric)
    before = {column: value for column, value in OF_COUNTERS.values()}
    assert of_registers(leaf1) == {column: before[of] for column, of in OF_INTERFACE.items()}
    fabric.count_errors("leaf1", 3, **{name: 1 for name in OF_COUNTERS})
    wait_until(lambda: set(rows(leaf1, COUNTERS)[3].values()) == {1}, "the next reading")
    # What a full or fallen counter counted is added; one that did not fall adds nothing.
    assert of_registers(leaf1) == {
        column: before[of] + (before[of] > 1) for column, of in OF_INTERFACE.items()}
    assert "notWritable" in leaf1.set((*COUNTERS, 2, 3), "i", "0")


def of_registers(leaf1):
    return {column: value for column, value in rows(leaf1, IF_ERRORS)[3].items() if column not in CAUSES}


def test_causes_of_errors_are_summed_when_errors_grow(fabric):
    fabric.subnet_manager().wait_master()
    _, leaf1 = start(fabric)
    assert not CAUSES.keys() & rows(leaf1, IF_ERRORS)[3].keys()  # no port told of them
    sums = dict.fromkeys(CAUSES, 0)
    for step in (1, 2, 3):
        for column, (register, *values) in CAUSES.items():
            before, value = ([0] + values)[step - 1:step + 1]
            fabric.console(f'PerformanceSet "leaf1"[3] {register}={value}')
            sums[column] += value if value < before else value - before
        fabric.count_errors("leaf1", 3, PortRcvErrors=10 * step, PortXmitDiscards=10 * step)
        wait_until(lambda: {column: value for column, value in rows(leaf1, IF_ERRORS)[3].items() if column in CAUSES} == sums,
                   f"the sums {sums}")
    assert sums == {5: 70000, 6: 4, 9: 10, 10: 0, 11: 65535, 12: 14}
    assert not CAUSES.keys() & rows(leaf1, IF_ERRORS)[1].keys()


def test_registers_of_no_reading_are_not_shown(fabric):
    """Unlike what is read when a manager asks for it."""
    fabric.subnet_manager().wait_master()
    leaf1 = Devices(fabric, counters={"ports": "off"}).wait_for("leaf1")
    assert leaf1.walk(PMA + (1,)) == leaf1.walk(IF_ERRORS) == {}
