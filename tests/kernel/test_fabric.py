# SPDX-License-Identifier: BSD-2-Clause
"""Fabrics that only a kernel can show: partitions, global routing headers, ports without SMPs, asynchronous events."""

import json
import os
import pathlib

import pytest
from machine import EDR, GATEWAY_HOST, HOST_GUID, NDR, XDR, run, subscribed, wait

NODES = 4  # three hosts, one switch
GATEWAY_GUID = f"0x{HOST_GUID + GATEWAY_HOST * 16 + 1:016x}"
NO_QP0, REFUSED = 1, 2  # fabric.h


def sees_a_host_go(site):
    """A Report arrives, is acknowledged, and the sweep tells the rest."""
    site.gateway.wait_swept(NODES)
    site.fabric.link(2, False)
    wait(lambda: {"gid-out-of-service", "host-removed"} <= {event["event"] for event in site.gateway.events()}, "the events")
    counters = site.gateway.status()["counters"]
    assert counters["reports"] == counters["acknowledged"] > 0


# Partitions: the switch and each host drop what is in none of their own.

def test_the_default_partition_at_another_index(site):
    site.connect({"first_pkey": [0, 0x8001, 0]})
    pkeys = [pathlib.Path(f"/sys/class/infiniband/fab1/ports/1/pkeys/{i}").read_text().strip() for i in range(2)]
    assert pkeys == ["0x8001", "0xffff"]
    site.gateway.wait_subscribed()
    sees_a_host_go(site)
    assert site.fabric.sent(GATEWAY_HOST)["pkey_indexes"] == 1 << 1


def test_a_limited_member_of_the_default_partition(site):
    """OpenSM reports nothing to it about other limited members, so that sweeps alone tell."""
    site.connect(partitions="Default=0x7fff: ALL=limited, SELF=full;\n")
    assert pathlib.Path("/sys/class/infiniband/fab1/ports/1/pkeys/0").read_text() == "0x7fff\n"
    site.gateway.wait_subscribed()
    site.gateway.wait_swept(NODES)
    site.fabric.link(2, False)
    wait(lambda: "host-removed" in {event["event"] for event in site.gateway.events()}, "the event")


def test_another_partition_than_the_default_one(site):
    """OpenSM lets no port out of the default partition: of the others, the item 'pkey' names one."""
    partitions = f"Default=0x7fff: ALL=limited, SELF=full;\nother=0x0001: {GATEWAY_GUID}=full, SELF=full;\n"
    site.connect(fabric_items='pkey = "0x8001"', partitions=partitions)
    pkeys = [pathlib.Path(f"/sys/class/infiniband/fab1/ports/1/pkeys/{i}").read_text().strip() for i in range(2)]
    assert pkeys == ["0x7fff", "0x8001"]
    site.gateway.wait_subscribed()
    site.gateway.wait_swept(NODES)
    assert site.fabric.sent(GATEWAY_HOST)["request_indexes"] == 1 << 1
    site.gateway.configure(fabric_items='pkey = "0x8002"')
    run("systemctl", "restart", "ibtrapd")
    site.gateway.wait_status(lambda status: "is not in the partition with P_Key 0x8002" in status["problem"],
                             "the missing partition")


def test_nodes_are_asked_in_the_default_partition(site):
    """The subnet manager alone is in the partition of item 'pkey'; a full member of the default one reaches all nodes there."""
    partitions = (f"Default=0x7fff: ALL=limited, {GATEWAY_GUID}=full, SELF=full;\n"
                  f"other=0x0001: {GATEWAY_GUID}=full, SELF=full;\n")
    site.connect(fabric_items='pkey = "0x8001"', partitions=partitions, config="counters { interval = 5 }\n")
    site.gateway.wait_subscribed()
    lost = site.fabric.lost()["pkey"]
    read = site.gateway.wait_status(lambda status: status["port_counters"].get("ports"), "the counters")["port_counters"]
    assert read["ports"] == 6 and read["silent"] == 0
    assert site.fabric.lost()["pkey"] == lost
    assert site.fabric.sent(GATEWAY_HOST)["request_indexes"] == 1 << 0 | 1 << 1


# What virtual functions and multi-plane adapters lack.

def test_a_port_that_requires_a_grh(site):
    site.connect({"smps": [0, NO_QP0, 0], "grh": [0, 1, 0]})
    site.gateway.wait_subscribed()
    sees_a_host_go(site)
    sent = site.fabric.sent(GATEWAY_HOST)
    assert sent["with_grh"] == sent["gmps"]  # the kernel refused the first one that had none
    assert site.fabric.lost()["grh"] == 0  # nobody answered one of them without


@pytest.mark.parametrize("kind", [NO_QP0, REFUSED])
def test_a_port_without_smps(site, kind):
    site.connect({"smps": [0, kind, 0]})
    site.gateway.wait_subscribed()
    sees_a_host_go(site)
    status = site.gateway.status()
    assert status["sweep"]["method"] == "sa" or status["sweep"]["no_smps"]
    assert "this host may send no SMPs" in site.gateway.status_text()
    assert site.gateway.log().count("this host may send no SMPs") == 1


def test_a_virtual_function_as_they_are(site):
    """No SMPs, a GRH, and a P_Key before the default one, all at once."""
    site.connect({"smps": [0, REFUSED, 0], "grh": [0, 1, 0], "first_pkey": [0, 0x8001, 0]})
    site.gateway.wait_subscribed()
    sees_a_host_go(site)
    sent = site.fabric.sent(GATEWAY_HOST)
    assert sent["with_grh"] == sent["gmps"] and sent["pkey_indexes"] == 1 << 1 and sent["smps"] == 0


# Asynchronous events of the adapter.

def debug_the_port(site):
    run("ibtrapctl", "log", "debug", "ib")
    descriptors = pathlib.Path(f"/proc/{site.gateway.pid()}/fd")
    wait(lambda: "anon_inode:[infinibandevent]" in [os.readlink(one) for one in descriptors.iterdir()], "the adapter to be watched")


@pytest.mark.parametrize("kind", [0, NO_QP0])
def test_the_adapter_tells_of_a_client_reregistration(site, kind):
    site.connect({"smps": [0, kind, 0]})
    site.gateway.wait_subscribed()
    debug_the_port(site)
    site.subnet_manager.kill()
    site.subnet_manager.start()
    wait(lambda: "adapter event: client reregistration" in site.gateway.log(), "the event")
    wait(lambda: run("saquery", "-C", "fab2", "IIR", good=(0, 1)).count("InformInfoRecord dump") >= 13, "the subscriptions")


def test_the_adapter_tells_of_a_port_that_goes_down(site):
    site.connect()
    site.gateway.wait_subscribed()
    debug_the_port(site)
    site.fabric.link(GATEWAY_HOST, False)
    wait(lambda: "adapter event: port error" in site.gateway.log(), "the event")
    site.gateway.wait_status(lambda status: subscribed(status) == 0, "the port to be down")
    site.fabric.link(GATEWAY_HOST, True)
    site.gateway.wait_subscribed()
    assert "adapter event: port active" in site.gateway.log()


def test_an_open_adapter_can_be_unplugged(site):
    """The thread that waits for events must let the device go."""
    site.connect()
    site.gateway.wait_subscribed()
    debug_the_port(site)
    site.fabric.plug(GATEWAY_HOST, False)
    wait(lambda: "Port     none" in site.gateway.status_text(), "the loss")
    site.fabric.plug(GATEWAY_HOST, True)
    site.gateway.wait_subscribed()


# Fabrics.

def test_several_switches(site):
    site.connect({"hosts": 6, "switches": 3})
    site.gateway.wait_subscribed()
    site.gateway.wait_swept(9)
    site.fabric.trunk(1, False)  # the third switch and its two hosts
    wait(lambda: "switch-removed" in {event["event"] for event in site.gateway.events()}, "the switch to be gone")
    site.fabric.trunk(1, True)
    wait(lambda: "switch-added" in {event["event"] for event in site.gateway.events()}, "the switch to be back")
    site.gateway.wait_swept(9)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_mkeys(site, level):
    key = 0x1234ABCD
    file = pathlib.Path("/etc/ibtrapd/mkey")
    file.write_text(f"{key:#x}\n")
    run("chown", "ibtrapd", file)
    file.chmod(0o600)
    site.connect(sweep_items='mkey_file = "/etc/ibtrapd/mkey"', m_key=f"{key:#018x}", m_key_protection_level=level,
                 m_key_lease_period=0)
    site.gateway.wait_subscribed()
    sees_a_host_go(site)


def test_a_subnet_manager_at_another_sl(site):
    site.connect(sm_sl=3)
    assert pathlib.Path("/sys/class/infiniband/fab1/ports/1/sm_sl").read_text() == "3\n"
    site.gateway.wait_subscribed()
    assert site.fabric.sent(GATEWAY_HOST)["sls"] & 1 << 3


def test_a_fabric_that_loses_datagrams(site):
    site.connect()
    site.gateway.wait_subscribed()
    site.fabric.write("drop_permille", 50)
    site.gateway.wait_swept(NODES, 300)
    site.fabric.link(2, False)
    wait(lambda: {"gid-out-of-service", "host-removed"} <= {event["event"] for event in site.gateway.events()}, "the events")
    site.fabric.write("drop_permille", 0)
    site.gateway.wait_subscribed()


def test_lmc(site):
    site.connect(lmc=2)
    site.gateway.wait_subscribed()
    sees_a_host_go(site)


def test_speeds_up_to_xdr(site):
    """What the kernel and infiniband-diags of Debian 12 know ends at NDR."""
    site.connect({"hosts": 4, "speed": [0, EDR, NDR, XDR]})
    site.gateway.wait_swept(5)
    rates = [pathlib.Path(f"/sys/class/infiniband/fab{host}/ports/1/rate").read_text().strip() for host in range(3)]
    assert rates == ["40 Gb/sec (4X QDR)", "100 Gb/sec (4X EDR)", "400 Gb/sec (4X NDR)"]
    nodes = {node["name"]: node for node in json.loads(run("ibtrapctl", "topology", "--json"))["nodes"]}
    assert [nodes[f"host{host}"]["ports"][0]["speed"] for host in range(4)] == ["QDR", "EDR", "NDR", "XDR"]
    leaf = {port["port"]: port.get("speed") for port in nodes["leaf1"]["ports"]}
    assert [leaf[port] for port in range(1, 5)] == ["QDR", "EDR", "NDR", "XDR"]
    assert not [event for event in site.gateway.events() if event["category"] == "link"]
