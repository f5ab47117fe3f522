# SPDX-License-Identifier: BSD-2-Clause
"""Informs to a manager that loses some datagrams and refuses some notifications."""

import json
import re
import threading

import pytest
from lab.gateway import Gateway, section
from lab.manager import GEN_ERR, LOST, AnsweringManager, event_name
from lab.metrics import scrape
from lab.processes import wait_until
from lab.sockets import free_port


@pytest.fixture
def open_gateway(fabric):
    """A gateway on a machine without an adapter, and its receiver, the manager."""

    def build(manager, more="", **items):
        gateway = fabric.keep(Gateway(fabric, preload=False, more=more + section(
            "snmp", "nms", address=manager.address, inform=True, sets=["own"], **items)))
        gateway.wait_status(lambda _: True, "ibtrapd to run")
        wait_until(lambda: [event_name(one) for one in manager.taken] == ["gateway-started"], "the first inform")
        manager.taken.clear()
        return gateway

    return build


def names(notifications):
    return [event_name(one) for one in notifications]


def receiver(gateway):
    return gateway.receiver("nms")


def explain(gateway, event):
    [number] = [one["number"] for one in json.loads(gateway.control("events", "--json").stdout)["events"]
                if one["event"] == event]
    return next(one for one in json.loads(gateway.control("explain", number, "--json").stdout)["receivers"]
                if one["name"] == "nms")


def test_a_lost_link_down_arrives_before_its_link_up(open_gateway):
    def lose_first_link_down(notification):
        return LOST if event_name(notification) == "link-down" and not manager.lost else 0

    with AnsweringManager(lose_first_link_down) as manager:
        gateway = open_gateway(manager, timeout=3000)
        down = threading.Thread(target=gateway.control, args=("test", "link-down"))
        down.start()
        wait_until(lambda: manager.lost, "the link-down that gets lost")
        gateway.control("test", "link-up")
        down.join()
        assert names(manager.taken) == ["link-down", "link-up"]


def test_what_the_manager_refuses_is_given_up_and_nothing_else(open_gateway):
    def refuse_link_downs(notification):
        return GEN_ERR if event_name(notification) == "link-down" else 0

    port = free_port()
    with AnsweringManager(refuse_link_downs) as manager:
        gateway = open_gateway(manager, more=section("metrics", listen=f"127.0.0.1:{port}"))
        assert gateway.control("test", "link-down", check=False).returncode == 1
        for _ in range(2):  # given up when others pass before and after it
            gateway.control("test", "heartbeat", check=False)
        wait_until(lambda: explain(gateway, "link-down")["state"] == "given up", "the others to have passed", timeout=300)
        gateway.control("test", "link-up")
        wait_until(lambda: "receiver-refuses" in names(manager.taken), "the event that tells it")
        others = [name for name in names(manager.taken) if not name.startswith("receiver-")]
        assert others == ["heartbeat", "heartbeat", "link-up"]
        assert set(names(manager.refused)) == {"link-down"}

        found = explain(gateway, "link-down")
        assert re.match(r"refused \d+ times: 127\.0\.0\.1 port \d+ answers with error", found["reason"])
        assert explain(gateway, "link-up")["state"] == "delivered"
        wait_until(lambda: receiver(gateway)["queued"] == 0, "all others to be confirmed")
        shown = receiver(gateway)
        assert (shown["state"], shown["refused"], shown["dropped"]) == ("working", 1, 1)
        assert scrape(port).get("ibtrapd_receiver_refused_total", receiver="nms", kind="snmp") == 1
        assert "receiver nms: gave up number" in gateway.log


def test_a_manager_that_refuses_everything_is_failing_until_it_takes_events_again(open_gateway):
    refuses = threading.Event()
    with AnsweringManager(lambda notification: GEN_ERR if refuses.is_set() else 0) as manager:
        gateway = open_gateway(manager)
        gateway.control("receivers", "pause", "nms")
        for event in ("link-down", "link-up", "heartbeat"):
            gateway.control("test", event, check=False)
        refuses.set()
        gateway.control("receivers", "resume", "nms")
        wait_until(lambda: "its events wait" in gateway.log, "another event to be refused, too", timeout=300)
        assert receiver(gateway)["state"] == "failing"
        refuses.clear()
        wait_until(lambda: "receiver-back" in names(manager.taken), "the events that waited", timeout=300)
        assert sorted(names(manager.taken)) == ["heartbeat", "link-down", "link-up", "receiver-back", "receiver-failing"]
        assert receiver(gateway)["dropped"] == 0
