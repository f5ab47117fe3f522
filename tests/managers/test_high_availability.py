# SPDX-License-Identifier: BSD-2-Clause
"""The page about two gateways: two machines, each with the package and beside a subnet manager, and one log server."""

import re

import pytest
from conftest import two_booted
from lab import pages

ACTIVE, STANDBY, JOURNALLED, FAILOVER, WITHOUT = pages.indented("high-availability")
[SECTION] = pages.blocks("high-availability", "ibtrapd")
SWEEP = "sweep { interval = 5 settle = 0 }\n"
LINK = ("leaf1", 12)


def names_of(collector, host):
    return {one.message_id for one in collector.poll() if one.host == host}


def message(collector, host, name, count=1):
    return collector.wait_for(lambda one: one.host == host and one.message_id == name, f"{name} of {host}", 120, count)[-1]


def events(site, name):
    return [one for one in site.json("events")["events"] if one["event"] == name]


def starts(site, collector, more=""):
    receiver = f'syslog "logs" {{ transport = "udp" address = "{collector.address}" }}\n'
    section = SECTION.replace("fabric {", 'fabric {\n    sa_key_file = "/etc/ibtrapd/sa_key"\n' + more)
    site.start_gateway(section + SWEEP + receiver, connected=False)
    site.wait(lambda: all(one["state"] == "subscribed" for one in site.json("status")["subscriptions"]), "all subscriptions")
    site.wait(lambda: len(site.json("status")["sms"]) == 2, "both subnet managers to be known")


@pytest.fixture
def pair(tmp_path):
    with two_booted(tmp_path) as all_of_it:
        yield all_of_it


def test_one_set_of_events(pair, collector):
    fabric, (master, _), (first, second) = pair
    for site in first, second:
        starts(site, collector)
    first.shows("ibtrapctl status", ACTIVE)
    second.shows("ibtrapctl status", STANDBY)
    fabric.unlink("node2")
    message(collector, "gw1", "host-removed")
    second.shows("ibtrapctl events", JOURNALLED)
    fabric.unlink(*LINK)
    link = message(collector, "gw1", "link-down")
    message(collector, "gw2", "gateway-started")  # a standby tells of itself
    assert not {"host-removed", "link-down"} & names_of(collector, "gw2")

    master.kill()
    message(collector, "gw2", "sm-failed-over")
    for event in re.split(r"(?m)^(?=\d)", FAILOVER)[1:]:  # sweep and subscription go on side by side
        second.shows("ibtrapctl events", event)
    second.shows("ibtrapctl status", ACTIVE)
    again = message(collector, "gw2", "link-down")  # the alarms that are active, once more
    assert again.data["alarmKey"] == link.data["alarmKey"]
    message(collector, "gw2", "host-removed")
    fabric.relink(*LINK)
    end = message(collector, "gw2", "link-up")
    assert end.data["alarmKey"] == link.data["alarmKey"]
    message(collector, "gw1", "subscription-lost")
    own = [one.data["alarmKey"] for one in collector.poll() if one.message_id == "subscription-lost"]
    assert own and all(re.fullmatch(r"gateway gw[12] subscriptions", key) for key in own)


def test_ends_that_the_other_did_not_begin(pair, collector):
    """The clear of an alarm that the other gateway sent has no clearsId."""
    fabric, (master, _), (first, second) = pair
    for site in first, second:
        starts(site, collector)
    fabric.unlink(*LINK)
    link = message(collector, "gw1", "link-down")
    second.wait(lambda: events(second, "link-down"), "the standby to journal it")
    fabric.relink(*LINK)
    message(collector, "gw1", "link-up")
    second.wait(lambda: events(second, "link-up"), "the standby to journal the end")
    master.kill()
    end = message(collector, "gw2", "link-up")  # the ends of alarms of the last 15 minutes
    assert end.data["alarmKey"] == link.data["alarmKey"] and "clearsId" not in end.data


def test_without_any_subnet_manager(pair, collector):
    """The gateway at the port of the last master tells, once without_sm is over; it is shorter here."""
    fabric, (master, standby), (first, second) = pair
    for site in first, second:
        starts(site, collector, "    without_sm = 10\n")
    first.shows("ibtrapctl status", ACTIVE)
    standby.kill()
    master.kill()
    first.shows("ibtrapctl status", WITHOUT)
    second.shows("ibtrapctl status", "Role STANDBY, receivers get events about this gateway only: there is no master subnet ...")
    for host in "gw1", "gw2":
        message(collector, host, "sm-unreachable")
    message(collector, "gw1", "sm-vanished")  # of the standby; the master's follows from its silence
    assert "subscription-lost" not in names_of(collector, "gw1")
    assert "sm-vanished" not in names_of(collector, "gw2")
    fabric.unlink("node1")
    message(collector, "gw1", "host-removed")
    master.start()
    for host in "gw1", "gw2":
        message(collector, host, "sm-back")
