# SPDX-License-Identifier: BSD-2-Clause
"""The sweeper on a simulated fabric: it finds all nodes, and knows when a sweep is incomplete."""

import pytest

from lab.watch import FabricWatch, discovered, hidden_links, links_of, nodes_of, silent_ports

LEAF1, LEAF2 = "0x0002c90200c10000", "0x0002c90200c20000"
SM1, NODE2 = "0x0002c90300a10000", "0x0002c90300b20000"


@pytest.fixture
def watch(fabric):
    """Starts the sweeper at the monitor's host, on a fabric that is up."""
    fabric.subnet_manager().wait_master()
    return lambda **options: fabric.keep(FabricWatch(fabric, **options))


def port_of(snapshot, guid, number):
    ports = next(node["ports"] for node in snapshot["nodes"] if node["guid"] == guid)
    return next(port for port in ports if port["number"] == number)


def test_it_finds_what_ibnetdiscover_finds(fabric, watch):
    snapshot = watch().snapshot()
    nodes, links = discovered(fabric, "monitor")
    assert snapshot["complete"]
    assert len(nodes) == 8 and len(links) == 16
    assert nodes_of(snapshot) == nodes
    assert links_of(snapshot) == links
    assert not silent_ports(snapshot)


def test_ports_are_as_the_subnet_manager_made_them(fabric, watch):
    snapshot = watch().snapshot()
    leaf = port_of(snapshot, LEAF1, 0)
    host = port_of(snapshot, SM1, 1)
    unused = port_of(snapshot, LEAF1, 5)
    assert leaf["lid"] == fabric.lid_of("leaf1")
    assert (host["lid"], host["state"], host["physical"]) == (fabric.lid_of("sm1"), 4, 5)
    assert host["guid"] == f"0x{fabric.guid_of('sm1'):016x}"
    assert (unused["state"], unused["known"], unused["peer"]) == (1, True, None)
    assert (host["widths"], host["speeds"]) == ([2, 2, 31], [1, 1, 7])  # 4X SDR, up to QDR


def test_the_subnet_manager_is_found(fabric, watch):
    [sm] = watch().snapshot()["sms"]
    assert sm == {"guid": f"0x{fabric.guid_of('sm1'):016x}", "node": SM1, "lid": fabric.lid_of("sm1"),
                  "priority": 0, "state": 3}


def test_links_go_and_come(fabric, watch):
    watcher = watch()
    before = watcher.snapshot()
    fabric.unlink("leaf1", 11)
    without = watcher.wait_for(lambda now: len(links_of(now)) == 14, "the link to go")
    assert links_of(before) - links_of(without) == {(LEAF1, 11, LEAF2, 11), (LEAF2, 11, LEAF1, 11)}
    assert without["complete"] and nodes_of(without) == nodes_of(before)
    fabric.relink("leaf1", 11)
    watcher.wait_for(lambda now: links_of(now) == links_of(before), "the link to come back")


def test_a_switch_that_is_cut_off_is_gone_with_its_hosts(fabric, watch):
    watcher = watch()
    watcher.snapshot()
    fabric.unlink("leaf1", 11)
    fabric.unlink("leaf1", 12)
    left = watcher.wait_for(lambda now: len(now["nodes"]) == 4, "half of the fabric to go")
    assert left["complete"]
    assert LEAF2 not in nodes_of(left) and NODE2 not in nodes_of(left)


def test_who_does_not_answer_is_behind_a_silent_port(fabric, watch):
    watcher = watch(attempts=2, timeout=100)
    before = watcher.snapshot()
    fabric.console('Error "node2"[1] 100')
    after = watcher.sweep()
    assert not after["complete"]
    assert silent_ports(after) == {(LEAF2, 3)}
    assert nodes_of(before).keys() - nodes_of(after).keys() == {NODE2}
    assert not hidden_links(after, before)


def make_lossy(fabric, percent):
    """Every switch on the way, and every node, loses that share of its MADs."""
    for node in ("leaf1", "leaf2", "node1", "node2", "storage1"):
        fabric.console(f'Error "{node}" {percent}')


def test_a_lossy_fabric_never_looks_smaller_than_it_is(fabric, watch):
    watcher = watch(attempts=3, timeout=50)
    truth = watcher.snapshot()
    make_lossy(fabric, 20)
    seen = [watcher.sweep() for _ in range(20)]
    for snapshot in seen:
        assert not hidden_links(snapshot, truth)
        assert links_of(snapshot) <= links_of(truth)
    assert not all(snapshot["complete"] for snapshot in seen)  # otherwise the test tried nothing
    assert all(links_of(snapshot) == links_of(truth) for snapshot in seen if snapshot["complete"])


def test_patience_finds_all_of_a_lossy_fabric(fabric, watch):
    watcher = watch(attempts=40, timeout=30)
    truth = watcher.snapshot()
    make_lossy(fabric, 20)
    for _ in range(3):
        assert watcher.sweep() == truth


def test_a_poke_makes_it_sweep(fabric, watch):
    watcher = watch()
    before = watcher.snapshot()
    watcher.command("poke")
    assert watcher.snapshot() == before
    assert watcher.end() == 0


def test_it_sweeps_periodically(watch):
    watcher = watch(interval=300, settle=50)
    assert all(watcher.snapshot()["complete"] for _ in range(4))


def test_an_own_port_that_was_down_hides_nothing(fabric, watch):
    watcher = watch()
    before = watcher.snapshot()
    fabric.unlink("monitor")
    watcher.command("now")  # the only possible answer is that there is none
    fabric.relink("monitor")
    for _ in range(100):
        snapshot = watcher.sweep()
        assert nodes_of(snapshot) == nodes_of(before) or not snapshot["complete"]
        if snapshot == before:
            break
    else:
        pytest.fail("the fabric does not come back")


def test_counters_are_read_after_the_sweep(fabric, watch):
    fabric.console('PerformanceSet "leaf1"[3] PortCounters.SymbolErrorCounter=5')
    watcher = watch(counters="switches")
    counters = watcher.counters()
    assert counters[(LEAF1, 3)]["SymbolErrorCounter"] == 5
    assert {guid for guid, _ in counters} == {LEAF1, LEAF2}


def test_it_ends_in_the_middle_of_a_sweep(fabric, watch):
    watcher = watch(attempts=100, timeout=1000)
    watcher.snapshot()
    fabric.console('Error "node2"[1] 100')
    watcher.command("now")
    assert watcher.end() == 0
