# SPDX-License-Identifier: BSD-2-Clause
"""The gateway keeps its subscriptions through failures of the subnet manager, the port and the gateway."""

import time

import pytest
from lab import notices
from lab.gateway import Gateway, secret_file, subscriptions_at_sm
from lab.processes import wait_until

EVENT = "system-image-guid-change"
TRAPS = {str(number) for number in (64, 65, 66, 67, 68, 69, 128, 129, 130, 131, 144, 145, 256, 257, 258, 259)}
M_KEY = 0x1122334455667788
SECURITY = {"256", "257", "258", "259"}


def image_change(guid):
    return notices.system_image_guid_change(6, guid)


def states(site, traps):
    return {site.gateway.subscriptions()[trap] for trap in traps}


def test_status_tells_port_manager_subscriptions_and_receivers(site):
    site.host("node1").trap(image_change(1))
    site.message(EVENT)
    status = site.gateway.wait_status(lambda one: one["counters"]["acknowledged"] >= 1, "an acknowledged Report")
    fabric = site.fabric

    assert status["version"] == 1
    assert status["port"]["device"] == "ibsim0" and status["port"]["port"] == 1
    assert status["port"]["lid"] == site.gateway_lid
    assert "active" in str(status["port"]["state"]).lower()
    assert int(str(status["port"]["guid"]), 0) == fabric.guid_of("monitor")
    assert status["sm"]["lid"] == site.sm.lid
    assert int(str(status["sm"]["guid"]), 0) == fabric.guid_of("sm1")
    assert site.gateway.subscriptions() == {trap: "subscribed" for trap in TRAPS | {"vendor"}}
    assert status["counters"]["foreign"] == status["counters"]["malformed"] == 0
    receivers = {one["name"]: one for one in status["receivers"]}
    host, port = site.traps.address.split(":")
    assert host in receivers["snmp0"]["address"] and port in receivers["snmp0"]["address"]
    assert receivers["snmp0"]["sent"] >= 1
    assert receivers["udp0"]["kind"] == "syslog" and receivers["udp0"]["failed"] == 0

    text = site.gateway.status_text()
    assert "subscribed" in text and "259" in text and port in text


def test_subscription_records_and_unsubscribing_on_exit(site):
    assert subscriptions_at_sm(site.fabric) > 0
    assert site.gateway.stop() == 0
    assert subscriptions_at_sm(site.fabric) == 0


def test_subnet_manager_restarts_on_the_same_lid(site):
    lid = site.sm.lid
    site.sm.restart()
    assert site.sm.lid == lid
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)
    site.gateway.wait_subscribed()


def test_subnet_manager_is_away_for_a_while(site):
    site.sm.kill()
    site.gateway.wait_status(
        lambda status: any(one["state"] != "subscribed" for one in status["subscriptions"]), "the loss to be noticed")
    site.message("subscription-lost")
    site.sm.start()
    site.sm.wait_master(2)
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)
    site.message("subscription-restored")


def test_handover_to_another_subnet_manager(paired_site):
    site, second = paired_site, paired_site.standby
    second.set_priority(10)
    second.take_over()
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)
    status = site.gateway.wait_subscribed()
    assert status["sm"]["lid"] == second.lid != site.sm.lid
    assert int(str(status["sm"]["guid"]), 0) == site.fabric.guid_of("sm2")


def test_failover_to_the_standby_subnet_manager(paired_site):
    site, second = paired_site, paired_site.standby
    site.sm.kill()
    second.take_over()
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)
    assert site.gateway.wait_subscribed()["sm"]["lid"] == second.lid


def test_former_subnet_manager_is_foreign(paired_site):
    site, second = paired_site, paired_site.standby
    second.set_priority(10)
    site.gateway.wait_status(lambda status: status["sm"]["lid"] == second.lid, "the gateway to follow")
    site.host("sm1").report(image_change(3), site.gateway_lid)
    site.gateway.wait_status(lambda status: status["counters"]["foreign"] == 1, "the Report to be counted")


def test_gateway_restarts(site):
    site.gateway.stop()
    site.gateway.start()
    site.gateway.wait_subscribed()
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)


def test_gateway_crashes_and_comes_back(site):
    site.gateway.kill()
    site.gateway.start()
    site.gateway.wait_subscribed()
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)


def test_port_goes_down_and_up(site):
    site.fabric.unlink("monitor")
    site.gateway.wait_status(lambda status: "active" not in str(status["port"]["state"]).lower(), "the port to be down")
    site.fabric.relink("monitor")
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)
    site.gateway.wait_subscribed()


def test_port_is_down_at_start(open_site, fabric):
    fabric.unlink("monitor")
    site = open_site(device="ibsim0", port=1)
    status = site.gateway.wait_status(lambda status: True, "the control socket")
    assert "active" not in str(status["port"]["state"]).lower()
    fabric.relink("monitor")
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)
    site.gateway.wait_subscribed()


def test_gateway_starts_before_the_subnet_manager(fabric, traps, syslog):
    gateway = fabric.keep(Gateway(fabric, snmp=[traps.address], syslog=[syslog.address], device="ibsim0", port=1))
    gateway.wait_status(lambda status: True, "the control socket")
    fabric.subnet_manager().wait_master()
    gateway.wait_subscribed()


def test_no_infiniband_port(fabric, syslog):
    gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], preload=False))
    wait_until(lambda: gateway.process.check() and "no InfiniBand port" in gateway.log, "the complaint")
    status = gateway.wait_status(lambda status: True, "the control socket")
    assert not any(one["state"] == "subscribed" for one in status["subscriptions"])
    assert "no InfiniBand port" in gateway.status_text()
    assert gateway.stop() == 0


def test_no_sa_key(open_site):
    site = open_site(sa_key=None)
    site.gateway.wait_subscribed(except_for=SECURITY)
    site.gateway.wait_status(
        lambda status: states(site, SECURITY) == {"rejected"}, "the security traps to be rejected")
    details = [one["detail"] for one in site.gateway.status()["subscriptions"] if str(one["trap"]) in SECURITY]
    assert all("SA key" in detail for detail in details)
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)


# A hardened subnet manager. Each check renews one subscription in place of the queries that are dropped.

SET_INFORM_INFO, ROUNDS, VERIFY_INTERVAL = ("02", "0003", "sent"), 6, 1


def test_a_hardened_subnet_manager_costs_no_subscription(open_site):
    site = open_site(sa_key=None, hardened=True, verify_interval=VERIFY_INTERVAL)
    site.gateway.wait_subscribed(except_for=SECURITY)
    status = site.gateway.wait_status(lambda status: status["sm"]["unanswered"], "the silence to be found out")
    assert status["sm"]["unanswered"] == "NodeRecord, InformInfoRecord"
    before, began = len(site.gateway.sa_requests()), time.monotonic()
    wait_until(lambda: site.gateway.sa_requests()[before:].count(SET_INFORM_INFO) >= ROUNDS, f"{ROUNDS} renewals")
    sent = site.gateway.sa_requests()[before:]
    checks = (time.monotonic() - began) / VERIFY_INTERVAL + 2
    assert sent.count(SET_INFORM_INFO) <= checks  # and not all of them each time
    assert len(sent) <= 4 * checks
    assert {one["state"] for one in site.gateway.status()["subscriptions"] if str(one["trap"]) not in SECURITY} == {"subscribed"}
    assert not {one["event"] for one in site.gateway.journal()} & {
        "sm-unreachable", "sm-back", "subscription-lost", "subscription-restored"}
    assert site.gateway.log.count("does not answer queries for") == 1
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)
    site.sm.kill()  # what is left is enough to notice that
    site.message("sm-unreachable")


def test_a_hardened_subnet_manager_answers_who_knows_the_key(open_site):
    site = open_site(hardened=True)
    site.gateway.wait_subscribed()
    wait_until(lambda: ("12", "00f3", "sent") in site.gateway.sa_requests(), "the subscriptions to be verified")
    status = site.gateway.wait_status(lambda status: not status["sm"]["unanswered"], "all queries to be answered")
    assert status["problem"] == ""
    assert "sm-unreachable" not in {one["event"] for one in site.gateway.journal()}


def test_wrong_sa_key(open_site):
    site = open_site(sa_key="0x2")
    site.gateway.wait_subscribed(except_for=SECURITY)
    site.gateway.wait_status(
        lambda status: states(site, SECURITY) == {"no-answer"}, "the security traps to go unanswered")
    details = [one["detail"] for one in site.gateway.status()["subscriptions"] if str(one["trap"]) in SECURITY]
    assert all("SA key" in detail for detail in details)
    site.raise_until_received(site.host("node1"), image_change(2), EVENT)


def test_port_that_wants_an_mkey(open_site, fabric):
    key_file = secret_file(fabric.directory, "mkey", M_KEY + 1)
    site = open_site(mkey=M_KEY, sweep={"method": "off", "mkey_file": key_file})
    refused = lambda status: "mkey_file" in (status["port"]["no_smps"] or "")
    site.gateway.wait_status(refused, "the kernel to refuse SMPs")
    site.gateway.wait_subscribed()  # as the kernel says how the port is
    secret_file(fabric.directory, "mkey", M_KEY)
    assert "restart" not in site.gateway.control("reload").stdout
    site.gateway.wait_status(lambda status: status["port"]["known_by"] == "smp", "the port to answer")
    site.gateway.wait_subscribed()
    site.gateway.stop()
    site.gateway.start()
    site.gateway.wait_subscribed()


@pytest.mark.parametrize("text", ["1234605616436508552", "0x1122334455667788"])
def test_sa_key_in_decimal_and_hexadecimal(open_site, text):
    site = open_site(sm_options={"sa_key": "0x1122334455667788"}, sa_key=text)
    site.gateway.wait_subscribed()


def test_sa_key_file_that_others_can_read_is_refused(open_site):
    site = open_site(sa_key_mode=0o640)
    assert site.gateway.process.wait() == 1
    assert "sa.key" in site.gateway.log and "0640" in site.gateway.log


@pytest.mark.parametrize("text", ["", "one", "0x", "-1", "0x11223344556677889", "1 2"])
def test_sa_key_file_that_holds_no_key_is_refused(open_site, text):
    site = open_site(sa_key=text)
    assert site.gateway.process.wait() == 1
    assert "sa.key" in site.gateway.log


SECURITY_EVENTS = {256: "bad-mkey", 257: "bad-pkey", 258: "bad-qkey", 259: "bad-pkey-at-switch"}


@pytest.mark.parametrize("sa_key", [1, None], ids=["key", "no key"])
def test_one_subscription_to_all_traps(fabric, sa_key):
    """OpenSM then reports traps that nobody has named, and each trap once. It reports security traps even to a client
    without the SA key, which it refuses to give them by number."""
    manager = fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, all_traps=True, sa_key=sa_key))
    gateway.wait_subscribed(except_for=() if sa_key else SECURITY)
    node = fabric.client("node1")
    for trap in (*SECURITY_EVENTS, 4711):
        node.trap(notices.Notice(trap, bytes(54)))
    node.trap(image_change(7))
    expected = {*SECURITY_EVENTS.values(), "unknown-trap", EVENT}

    def all_are_there():
        return expected <= {one["event"] for one in gateway.journal()}

    wait_until(all_are_there, "all six events", timeout=300)
    told = [one["event"] for one in gateway.journal()]
    assert {event: told.count(event) for event in expected} == dict.fromkeys(expected, 1)
    assert manager.lid == gateway.status()["sm"]["lid"]
