# SPDX-License-Identifier: BSD-2-Clause
"""Sweeps of the SA's tables, the subnet managers, and the counters, on a simulated fabric."""

import pytest

from lab.fabric import Fabric, two_managers
from lab.watch import FabricWatch, discovered, links_of, nodes_of

LEAF1, LEAF2 = "0x0002c90200c10000", "0x0002c90200c20000"
SM1, SM2 = "0x0002c90300a10000", "0x0002c90300a20000"
DOWN = 1


@pytest.fixture
def watch(fabric):
    """Starts the sweeper at the monitor's host, on a fabric that is up."""
    fabric.subnet_manager().wait_master()
    return lambda **options: fabric.keep(FabricWatch(fabric, **options))


def ports_of(snapshot):
    """(GUID, port) -> the snapshot's entry."""
    return {(node["guid"], port["number"]): port for node in snapshot["nodes"] for port in node["ports"]}


def test_the_sa_has_what_ibnetdiscover_finds(fabric, watch):
    snapshot = watch(method="sa").snapshot()
    nodes, links = discovered(fabric, "monitor")
    assert snapshot["complete"]
    assert len(nodes) == 8 and len(links) == 16
    assert nodes_of(snapshot) == nodes
    assert links_of(snapshot) == links


def test_both_methods_see_the_same(fabric, watch):
    by_sa = watch(method="sa").snapshot()
    by_smp = fabric.keep(FabricWatch(fabric, "node1")).snapshot()
    assert by_smp["complete"] and by_sa["complete"]
    seen = ports_of(by_sa)
    assert len(seen) == 33  # 2 switches of 13 ports, 6 hosts, one of them with a port without a cable
    assert seen["0x0002c90300b30000", 2]["state"] == DOWN
    for place, port in ports_of(by_smp).items():
        if port["state"] == DOWN and place[0] in (LEAF1, LEAF2):  # OpenSM keeps two states of these
            port["widths"] = port["speeds"] = [0, 0, 0]
        assert seen.pop(place) == port
    assert not seen
    assert by_sa["sms"] == by_smp["sms"]


def test_a_table_that_needs_a_larger_buffer():
    with Fabric("wide") as fabric:
        fabric.subnet_manager().wait_master()
        snapshot = fabric.keep(FabricWatch(fabric, method="sa")).snapshot()
        assert snapshot["complete"]
        assert len(ports_of(snapshot)) == 2 * 37 + 3
        assert links_of(snapshot) == discovered(fabric, "monitor")[1]


def test_a_link_that_went_leaves_the_sa(fabric, watch):
    watcher = watch(method="sa")
    before = watcher.snapshot()
    fabric.unlink("leaf1", 11)
    without = watcher.wait_for(lambda now: len(links_of(now)) == 14, "the link to go")
    assert links_of(before) - links_of(without) == {(LEAF1, 11, LEAF2, 11), (LEAF2, 11, LEAF1, 11)}
    assert nodes_of(without) == nodes_of(before)


def test_both_subnet_managers_are_found():
    with two_managers() as (fabric, master, standby):
        watcher = fabric.keep(FabricWatch(fabric))
        found = {sm["node"]: (sm["state"], sm["lid"]) for sm in watcher.snapshot()["sms"]}
        assert found == {SM1: (3, master.lid), SM2: (2, standby.lid)}


def test_counters_are_read_back(fabric, watch):
    fabric.console('PerformanceSet "leaf1"[3] PortCounters.SymbolErrorCounter=5')
    fabric.console('PerformanceSet "leaf1"[3] PortCounters.LocalLinkIntegrityErrors=7')
    fabric.console('PerformanceSet "node1"[1] PortCounters.LinkDownedCounter=2')
    counters = watch(counters="all").counters()
    assert counters[LEAF1, 3]["SymbolErrorCounter"] == 5
    assert counters[LEAF1, 3]["LocalLinkIntegrityErrors"] == 7
    assert counters["0x0002c90300b10000", 1]["LinkDownedCounter"] == 2
    assert counters[LEAF1, 11]["SymbolErrorCounter"] == 0
    assert len(counters) == 16  # both ends of eight links


def test_counters_of_switches_only(watch):
    counters = watch(counters="switches").counters()
    assert {guid for guid, _ in counters} == {LEAF1, LEAF2}
    assert len(counters) == 10
