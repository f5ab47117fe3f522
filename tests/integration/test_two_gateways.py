# SPDX-License-Identifier: BSD-2-Clause
"""Two gateways, each beside a subnet manager: one set of events, across a handover."""

import socket

import pytest
from lab import notices
from lab.fabric import two_managers
from lab.gateway import Gateway, section
from lab.processes import wait_until

EVENT = "system-image-guid-change"
OPTIONS = {"active": "with-master-sm", "beside_sm": True, "sweep": {"interval": 5, "settle": 300}}


@pytest.fixture
def pair(syslog):
    with two_managers() as (fabric, master, standby):
        gateways = [fabric.keep(Gateway(fabric, host=host, syslog=[syslog.address], **OPTIONS))
                    for host in ("sm1", "sm2")]
        for gateway in gateways:
            gateway.wait_subscribed()
            gateway.wait_status(lambda one: len(one["sms"]) == 2, "both subnet managers to be known")
        yield fabric, master, gateways


def wait_active(gateway, active):
    gateway.wait_status(lambda one: one["role"]["active"] == active, f"the role active={active}")


def told(syslog, guid):
    return [one for one in syslog.poll(1)
            if one.message_id == EVENT and int(one.data["systemImageGuid"], 0) == guid]


def held(gateway, event):
    """For each event of this kind in its journal, the reason for its suppression; None: receivers were notified."""
    return [one.get("suppressed") for one in gateway.journal() if one["event"] == event]


def raise_and_count(fabric, syslog, gateways, guid):
    """How often the receivers are notified, once these gateways have the event."""
    before = [len(held(one, EVENT)) for one in gateways]
    fabric.client("node1").trap(notices.system_image_guid_change(6, guid))
    wait_until(lambda: [len(held(one, EVENT)) for one in gateways] == [count + 1 for count in before], "all to journal it")
    syslog.wait_for(lambda one: one.message_id == EVENT and int(one.data["systemImageGuid"], 0) == guid, "the event")
    return len(told(syslog, guid))


def test_one_set_of_events_across_a_handover(pair, syslog):
    fabric, master, (first, second) = pair
    wait_active(first, True)
    wait_active(second, False)
    syslog.wait_for(lambda one: one.message_id == "gateway-started", "each to tell of itself", count=2)
    assert raise_and_count(fabric, syslog, [first, second], 1) == 1
    assert held(first, EVENT) == [None] and held(second, EVENT) == ["standby"]

    master.kill()
    wait_active(second, True)
    wait_active(first, False)
    second.wait_subscribed()
    failed_over = syslog.wait_for(lambda one: one.message_id == "sm-failed-over", "the handover")
    assert "sm2" in failed_over[0].text
    # The simulator delivers Reports to a subnet manager, and the one at the first gateway's port has ended.
    assert raise_and_count(fabric, syslog, [second], 2) == 1
    assert held(second, EVENT) == ["standby", None]

    wait_until(lambda: held(first, "sm-failed-over"), "the handover in the journal of the silent one")
    assert held(first, "sm-failed-over") == ["standby"] and held(second, "sm-failed-over") == [None]
    assert len([one for one in syslog.poll(1) if one.message_id == "sm-failed-over"]) == 1


DEAD = section("syslog", "dead", transport="tcp", address="127.0.0.1:9")


def failing(syslog, count):
    found = syslog.wait_for(lambda one: one.message_id == "receiver-failing", "the alarms", count=count)
    return {one.data["alarmKey"] for one in found}


def test_the_alarms_of_two_gateways_have_different_keys(fabric, syslog):
    """At a manager of both, neither closes the other's."""
    fabric.subnet_manager().wait_master()
    for host in ("monitor", "node2"):
        fabric.keep(Gateway(fabric, host=host, syslog=[syslog.address], more=DEAD))
    assert failing(syslog, 2) == {"gateway monitor receiver dead", "gateway node2 receiver dead"}


def test_a_gateway_without_a_name_has_the_hosts(fabric, syslog):
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], more=DEAD))
    assert failing(syslog, 1) == {"gateway monitor receiver dead"}
    gateway.stop()
    config = gateway.config.read_text()
    gateway.config.write_text(config.replace(section("gateway", name="monitor"), ""))
    assert gateway.config.read_text() != config
    syslog.clear()
    gateway.start()
    assert failing(syslog, 1) == {f"gateway {socket.gethostname()[:45]} receiver dead"}
    [ended] = syslog.wait_for(lambda one: one.message_id == "alarm-cleared", "the end of the alarm under the old name")
    assert ended.data["alarmKey"] == "gateway monitor receiver dead" and ended.data["alarmState"] == "cleared"
    [alarm] = [one["key"] for one in gateway.listed_alarms("--all")]
    assert alarm == f"gateway {socket.gethostname()[:45]} receiver dead"
