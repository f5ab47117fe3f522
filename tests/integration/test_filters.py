# SPDX-License-Identifier: BSD-2-Clause
"""Receivers with filters: no alarm that one was told of stays raised there. The alarm is that of a silent receiver."""

import json
import re

import pytest
from lab.gateway import Gateway, section
from lab.manager import AnsweringManager
from lab.processes import wait_until
from lab.receivers import SyslogSink

FILTERS = {
    "severity": {"severity": "error"},  # receiver-back is a notice
    "events": {"events": ["receiver-failing"]},
    "nothing": {},
}


@pytest.fixture
def pager():
    with SyslogSink() as one:
        yield one


@pytest.fixture
def open_gateway(fabric, pager):
    """A gateway on a machine without an adapter, with a receiver that gets no answers and the pager."""

    def build(manager, **filters):
        gateway = fabric.keep(Gateway(fabric, preload=False, more=section(
            "snmp", "nms", address=manager.address, inform=True, timeout=200, retries=0) + section(
            "syslog", "pager", transport="udp", address=pager.address, **filters)))
        gateway.wait_status(lambda _: True, "ibtrapd to run")
        message(pager, "receiver-failing")
        return gateway

    return build


def ask(gateway, *arguments):
    return json.loads(gateway.control(*arguments, "--json").stdout)


def settled(gateway, number):
    """The outcome at each receiver, once none waits for the event."""
    fates = {one["name"]: one for one in ask(gateway, "explain", number)["receivers"]}
    return None if any(one["state"] == "waiting" for one in fates.values()) else fates


def message(inbox, event):
    [one] = inbox.wait_for(lambda one: one.message_id == event, event)
    return one


@pytest.mark.parametrize("name", FILTERS)
def test_a_clear_passes_where_its_raise_did(open_gateway, pager, name):
    manager = AnsweringManager()
    open_gateway(manager, **FILTERS[name])
    raised = message(pager, "receiver-failing")
    with manager:
        assert message(pager, "receiver-back").data["alarmKey"] == raised.data["alarmKey"]


def test_a_clear_of_what_was_kept_out_is_kept_out(open_gateway, pager):
    manager = AnsweringManager()
    gateway = open_gateway(manager, severity="error")
    gateway.config.write_text(gateway.config.read_text() + section(
        "syslog", "chief", transport="udp", address=pager.address, severity="alert"))
    gateway.control("reload")
    with manager:
        message(pager, "receiver-back")
        [number] = [one["number"] for one in ask(gateway, "events")["events"] if one["event"] == "receiver-back"]
        fates = wait_until(lambda: settled(gateway, number), "the receivers to have decided")
        assert (fates["chief"]["state"], fates["chief"]["reason"]) == ("filtered", "severity")
        assert fates["pager"]["state"] == "sent"


@pytest.mark.parametrize("how", ["reload", "restart"])
def test_an_alarm_ends_after_the_filter_became_narrower(open_gateway, pager, how):
    manager = AnsweringManager()
    gateway = open_gateway(manager)
    narrower = re.sub(r'(syslog "pager" \{)', r'\1 severity = "alert"', gateway.config.read_text())
    assert narrower != gateway.config.read_text()
    gateway.config.write_text(narrower)
    if how == "reload":
        gateway.control("reload")
    else:
        gateway.stop()
        gateway.start()
    with manager:
        message(pager, "receiver-back")
