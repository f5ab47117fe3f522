# SPDX-License-Identifier: BSD-2-Clause
"""The gateway sends heartbeats to the receivers that ask for them."""

import expected as want
from lab import notices
from lab.fabric import gid
from lab.gateway import Gateway, section

GID1, GID2 = gid(0x0002C90300B10001), gid(0x0002C90300B20001)


def test_receivers_get_heartbeats(open_site):
    site = open_site(more=section("gateway", heartbeat=1))
    site.gateway.wait_subscribed()
    site.host("node1").trap(notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, GID1, GID2))
    site.message("bad-pkey")
    site.notification(want.own(90), 3)
    beats = site.syslog.wait_for(lambda one: one.message_id == "heartbeat" and " answers." in one.text, "a heartbeat",
                                 count=2)
    assert {one.severity for one in beats} == {"informational"}
    assert "event" in beats[0].text and "in 1 s, no receiver failing, the subnet manager answers." in beats[0].text


def test_a_heartbeat_says_what_is_wrong(fabric, syslog):
    # The third receiver is standard output.
    dead = section("syslog", "dead", transport="tcp", address="127.0.0.1:1")
    fabric.keep(Gateway(fabric, preload=False, syslog=[syslog.address], more=section("gateway", heartbeat=1) + dead))
    syslog.wait_for(lambda one: one.message_id == "heartbeat" and
                    "0 events in 1 s, 1 of 3 receivers failing, the subnet manager does not answer" in one.text, "a heartbeat")


def test_by_default_there_is_none(site):
    site.host("node1").trap(notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, GID1, GID2))
    site.message("bad-pkey")
    assert site.gateway.stop() == 0
    site.message("gateway-stopped")
    assert not [one for one in site.syslog.items if one.message_id == "heartbeat"]


def test_a_reload_starts_and_ends_it(site):
    config = site.gateway.config.read_text()
    site.gateway.config.write_text(config + section("gateway", heartbeat=1))
    site.gateway.control("reload")
    site.message("heartbeat", 2)
    site.gateway.config.write_text(config)
    site.gateway.control("reload")
    site.syslog.clear()
    assert site.gateway.stop() == 0
    site.message("gateway-stopped")
    assert not [one for one in site.syslog.items if one.message_id == "heartbeat"]
