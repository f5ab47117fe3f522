# SPDX-License-Identifier: BSD-2-Clause
"""Events at different receivers: snmptrapd over IPv4, IPv6 and by name, the local syslog socket, several at once."""

import itertools

import expected as want
from lab import notices
from lab.attempts import failures_of, wait_passing
from lab.fabric import gid
from lab.gateway import Gateway, section
from lab.processes import wait_until
from lab.receivers import Rsyslogd, Snmptrapd, SyslogSink, TrapSocket
from lab.sockets import has_ipv6, has_localhost

GID1, GID2 = gid(0x0002C90300B10001), gid(0x0002C90300B20001)
MULTICAST = bytes.fromhex("ff12401bffff00000000000000000007")


def raise_everything(fabric, gateway_lid, wait_for_event):
    """Reports one event after the other; returns their number."""
    node, sm = fabric.client("node1"), fabric.client("sm1")
    node.trap(notices.capability_change(6, 0x0251486A))
    node.trap(notices.system_image_guid_change(6, 0x0002C903FFEEDDCC))
    node.trap(notices.bad_mkey(6, 1, 0x15, 0, 99))
    node.trap(notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, GID1, GID2))
    node.trap(notices.bad_key(258, 6, 7, 0x80010000, 1, 2, 3, GID1, GID2))
    node.trap(notices.bad_pkey_at_switch(0x15, 6, 7, 0x8001, 1, 2, 3, GID1, GID2, 2, 5))
    node.trap(notices.vendor_notice(0x0002C9, 77, b"theirs"))
    node.join(MULTICAST)
    node.leave(MULTICAST)
    for trap in (129, 130, 131):
        sm.report(notices.port_error(trap, 6, 1), gateway_lid)
    sm.report(notices.Notice(4711, bytes(54)), gateway_lid)
    fabric.unlink("node2")
    wait_for_event("gid-out-of-service")
    fabric.relink("node2")
    wait_for_event("gid-in-service")
    return 17


def test_snmptrapd_prints_exactly_what_was_sent(fabric, traps, syslog):
    fabric.subnet_manager().wait_master()
    ipv4 = fabric.keep(Snmptrapd(fabric.directory))
    inboxes = [traps, ipv4]
    if has_ipv6():
        inboxes += [fabric.keep(Snmptrapd(fabric.directory, ipv6=True)), fabric.keep(TrapSocket(ipv6=True))]
    by_name = traps.address.replace("127.0.0.1", "localhost") if has_localhost() else traps.address
    snmp = [by_name, *(one.address for one in inboxes[1:])]
    gateway = fabric.keep(Gateway(fabric, snmp=snmp, syslog=[syslog.address]))
    gateway.wait_subscribed()

    count = raise_everything(fabric, fabric.lid_of("monitor"), lambda event: wait_message(syslog, event))
    assert gateway.stop() == 0
    for inbox in inboxes:
        inbox.wait_for(lambda one: one.oid == want.own(81), "the last event's notification")

    sent = [(one.oid, one.varbinds) for one in traps.items]
    assert len(sent) == count + len(["gateway-started", "gateway-stopped"])
    for inbox in inboxes[1:]:
        assert [(one.oid, one.varbinds) for one in inbox.items] == sent


def wait_message(syslog, event):
    return syslog.wait_for(lambda one: one.message_id == event, event)[0]


def test_each_event_has_one_identity_everywhere(site):
    count = raise_everything(site.fabric, site.gateway_lid, site.message)
    messages = [one for one in site.syslog.poll() if one.data["category"] != "gateway"]
    identifiers = [one.data["id"] for one in messages]
    assert len(messages) == count
    assert len(set(identifiers)) == count

    own_events = [one for one in site.traps.poll(1) if one.oid.startswith(want.OWN)]
    of_snmp = [varbind.value.decode() for one in own_events for varbind in one.varbinds
               if varbind.oid == f"{want.OWN}.1.1.1.0"]
    assert of_snmp
    assert set(of_snmp) <= {one.data["id"] for one in site.syslog.items}


def test_rsyslogd_receives_exactly_what_was_sent(fabric, syslog):
    fabric.subnet_manager().wait_master()
    rsyslogd = fabric.keep(Rsyslogd(fabric.directory))
    gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address, rsyslogd.address]))
    gateway.wait_subscribed()
    raise_everything(fabric, fabric.lid_of("monitor"), lambda event: wait_message(syslog, event))
    assert gateway.stop() == 0
    for inbox in (syslog, rsyslogd):
        wait_message(inbox, "gateway-stopped")
    assert rsyslogd.items == syslog.items


def test_local_syslog_socket(fabric):
    fabric.subnet_manager().wait_master()
    path = fabric.directory / "log"
    local = fabric.keep(SyslogSink(path))
    gateway = fabric.keep(Gateway(fabric, path=path))
    gateway.wait_subscribed()
    fabric.client("node1").trap(notices.system_image_guid_change(6, 1))
    message = local.wait_for(lambda one: one.message_id == "system-image-guid-change", "the message")[0]
    want.check_message(message, "system-image-guid-change", "notice", "node", 145)
    assert message.process == str(gateway.process.pid)
    assert message.facility == 3


def test_dead_receivers_do_not_disturb_the_others(fabric, syslog, traps):
    fabric.subnet_manager().wait_master()
    dead = "127.0.0.1:9"
    gateway = fabric.keep(Gateway(fabric, snmp=[dead, traps.address], syslog=[dead, syslog.address],
                                  path=fabric.directory / "nobody-listens"))
    gateway.wait_subscribed()
    numbers, client = itertools.count(1), fabric.client("sm1")

    def pass_one():
        guid = next(numbers)
        client.report(notices.system_image_guid_change(6, guid), fabric.lid_of("monitor"))
        found = traps.wait_for(lambda one: one.oid == want.sma(6), "notifications", count=guid)
        assert [int.from_bytes(one.varbinds[1].value, "big") for one in found] == list(range(1, guid + 1))
        syslog.wait_for(lambda one: one.message_id == "system-image-guid-change", "messages", count=guid)

    # Over UDP, the syslog sink cannot know that its receiver is dead.
    wait_passing(lambda: failures_of(gateway, ["snmp0", "local"]), pass_one)


def test_a_test_tries_a_receiver_that_was_mended_at_once(fabric):
    away = fabric.directory / "away"
    gateway = fabric.keep(Gateway(fabric, more=section("file", "late", path=away / "late.json")))
    gateway.wait_status(lambda status: [one for one in status["receivers"] if one["name"] == "late" and one["failed"]],
                        "the receiver to fail")
    away.mkdir()
    gateway.control("test", "gateway-started", "--receiver", "late")
    assert '"test":true' in (away / "late.json").read_text().replace(" ", "")


def test_names_of_a_node_name_map(fabric, traps, syslog):
    fabric.subnet_manager().wait_master()
    names = fabric.directory / "node-name-map"
    names.write_text(f'# names\n0x{fabric.guid_of("leaf2"):016x} "rack 2 top"\n')
    gateway = fabric.keep(Gateway(fabric, snmp=[traps.address], syslog=[syslog.address], names=names))
    gateway.wait_subscribed()
    fabric.unlink("node2")
    message = syslog.wait_for(lambda one: one.message_id == "link-state-change", "the message")[0]
    assert "rack 2 top" in message.text


def test_start_and_stop_are_events(fabric, traps, syslog):
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, snmp=[traps.address], syslog=[syslog.address]))
    gateway.wait_subscribed()
    assert gateway.stop() == 0
    for event, number in (("gateway-started", 80), ("gateway-stopped", 81)):
        message = syslog.wait_for(lambda one, event=event: one.message_id == event, event)[0]
        notification = traps.wait_for(lambda one, number=number: one.oid == want.own(number), event)[0]
        want.check_common(notification.varbinds[:7], event, "notice", "gateway", message)


STATE, KEY, NAME, TEST = (f"{want.OWN}.1.1.{number}.0" for number in (6, 7, 10, 39))


def problems(traps):
    """The problems that a manager has open that knows no MIB but reads these objects: their keys, and their nodes."""
    found = {}
    for one in traps.poll():
        value = {varbind.oid: varbind.value for varbind in one.varbinds}
        if value.get(TEST) == 1:
            continue
        if value[STATE] == 2:
            found[value[KEY]] = value[NAME].decode()
        elif value[STATE] == 3:
            found.pop(value[KEY], None)
    return found


def test_a_manager_of_any_make_can_open_and_close_problems(fabric, traps, syslog):
    fabric.subnet_manager().wait_master()
    more = section("snmp", "nms", address=traps.address, extra_varbinds=True)
    gateway = fabric.keep(Gateway(fabric, more=more, syslog=[syslog.address], sweep={"interval": 5, "settle": 100}))
    gateway.wait_subscribed()
    gateway.wait_swept()
    assert problems(traps) == {}
    fabric.unlink("leaf1", 12)
    fabric.unlink("node2")
    wait_until(lambda: sorted(problems(traps).values()) == ["leaf1", "leaf2", "node2"], "the problems")
    alarms = {one["key"] for one in gateway.listed_alarms("--all")}
    assert {key.decode() for key in problems(traps)} == alarms
    gateway.control("test", "link-down")
    gateway.control("test", "link-integrity-threshold")
    assert len(problems(traps)) == 3
    fabric.relink("leaf1", 12)
    fabric.relink("node2")
    wait_until(lambda: problems(traps) == {}, "the problems to be over")


def test_a_manager_without_these_objects_gets_no_test_as_a_real_event(fabric, traps):
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, snmp=[traps.address]))
    gateway.wait_subscribed()
    for event in ("link-down", "link-integrity-threshold", "host-removed"):
        gateway.control("test", event)
    found = [one for one in traps.poll() if TEST in {varbind.oid for varbind in one.varbinds}]
    assert len(found) == 3 and all(one.oid.startswith(want.OWN) for one in found)
    assert not [one for one in traps.poll() if one.oid.startswith(want.SWITCH) or one.oid == want.sma(2)]
