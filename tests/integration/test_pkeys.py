# SPDX-License-Identifier: BSD-2-Clause
"""P_Key tables that OpenSM changes become events. smpquery says what the tables are."""

import re

import pytest
from lab.processes import wait_until

NODE1, NODE2 = 0x0002C90300B10001, 0x0002C90300B20001
DEFAULT = "Default=0x7fff, ipoib: ALL=full;\n"


class Partitions:
    """OpenSM's file of partitions."""

    def __init__(self, fabric):
        self.fabric = fabric
        self.path = fabric.directory / "partitions.conf"
        self.path.write_text(DEFAULT)

    def of_port(self, node):
        """The P_Keys of a node's first port, as smpquery shows them."""
        text = self.fabric.run(["/usr/sbin/smpquery", "pkeys", str(self.fabric.lid_of(node))], "node2")
        return {int(word, 16) for word in re.findall(r"\b0x[0-9a-f]{4}\b", text)} - {0}

    def set(self, site, rules, expected):
        """Gives OpenSM these rules, and waits until the port of node1 has these P_Keys."""
        self.path.write_text(DEFAULT + rules)
        site.sm.reload()
        wait_until(lambda: self.of_port("node1") == expected, f"OpenSM to set {expected}")


def changed(site):
    """What the events about node1 say, oldest first."""
    return [event["reason"] for event in site.gateway.journal() if event["event"] == "pkeys-changed"
            and event.get("subjectName") == "node1"]


@pytest.mark.parametrize("method", ["smp", "sa"])
def test_partitions_that_change_are_told(open_site, fabric, method):
    partitions = Partitions(fabric)
    site = open_site(sm_options={"partition_config_file": partitions.path},
                     sweep={"method": method, "interval": 5, "pkeys": True})
    site.gateway.wait_subscribed()
    site.gateway.wait_swept(2)
    assert partitions.of_port("node1") == {0xFFFF}
    assert not changed(site)
    partitions.set(site, f"p=0x0005: 0x{NODE1:016x}=full, 0x{NODE2:016x}=limited;\n", {0xFFFF, 0x8005})
    wait_until(lambda: changed(site) == ["0x8005 (full) came"], "the first change")
    message = site.message("pkeys-changed")[0]
    assert message.severity == "notice" and message.data["category"] == "security"
    partitions.set(site, f"p=0x0005: 0x{NODE1:016x}=limited;\nq=0x0006: 0x{NODE1:016x}=full;\n", {0xFFFF, 0x0005, 0x8006})
    wait_until(lambda: "0x0005 (limited) instead of 0x8005" in "; ".join(changed(site))
               and "0x8006 (full) came" in "; ".join(changed(site)), "the second change")
    site.gateway.stop()
    partitions.set(site, "", {0xFFFF})
    site.gateway.start()
    site.gateway.wait_subscribed()
    wait_until(lambda: "0x0005 (limited) went; 0x8006 (full) went" in "; ".join(changed(site)), "the change in the pause")
    assert [event for event in site.gateway.journal() if event["event"] == "pkeys-changed"][-1]["foundLate"]


def test_tables_are_not_read_unless_asked_for(open_site, fabric):
    partitions = Partitions(fabric)
    site = open_site(sm_options={"partition_config_file": partitions.path}, sweep={"method": "smp", "interval": 5})
    site.gateway.wait_subscribed()
    site.gateway.wait_swept(1)
    partitions.set(site, f"p=0x0005: 0x{NODE1:016x}=full;\n", {0xFFFF, 0x8005})
    site.gateway.wait_swept(2)
    assert not [event for event in site.gateway.journal() if event["event"] == "pkeys-changed"]


def test_what_the_subnet_manager_hides_is_told(open_site, fabric):
    """Limited members of a partition do not share it: OpenSM hides the hosts from the gateway's host, and their links."""
    path = fabric.directory / "partitions.conf"
    path.write_text("Default=0x7fff, ipoib: ALL=limited, SELF=full, ALL_SWITCHES=full;\n")
    site = open_site(sm_options={"partition_config_file": path}, sweep={"method": "sa", "interval": 5})
    sweep = site.gateway.wait_status(lambda one: one["sweep"]["last"] and one["sweep"]["links"], "a sweep")["sweep"]
    assert sweep["silent"] == 0 and sweep["complete"]
    assert sweep["hidden"] == 6  # of the switches to the five hosts but the subnet manager's, and the own port's link
    assert "hides 6 ports or their links from this host" in site.gateway.control("status").stdout
