# SPDX-License-Identifier: BSD-2-Clause
"""Bad Reports: forged, repeated, malformed, random, too many at once."""

import random

import expected as want
import pytest
from lab import notices
from lab.fabric import DEBUG, DELIVERED, ERRORS, INFORMATION
from lab.processes import wait_until

EVENT, OID = "system-image-guid-change", want.sma(6)
LAST = 0xFFFFFFFFFFFFFFFF
UNREGISTERED_CLASS = 0x10  # device administration


def report_last(client, lid):
    client.report(notices.system_image_guid_change(6, LAST), lid)


def wait_last(site):
    """Waits for the event of report_last. By then, all earlier Reports were processed."""
    value = LAST.to_bytes(8, "big")
    site.traps.wait_for(lambda one: one.oid == OID and one.varbinds[1].value == value, "the last notification")
    return [one for one in site.traps.items if one.oid == OID and one.varbinds[1].value != value]


def test_report_is_acknowledged(site):
    client = site.host("sm1")
    tid = client.next_tid()
    notice = notices.system_image_guid_change(6, 1)
    client.report(notice, site.gateway_lid, tid)
    lid, answer = client.receive()
    assert lid == site.gateway_lid
    assert answer[:4] == bytes([1, notices.SA_CLASS, 2, notices.REPORT_RESPONSE])
    assert answer[4:6] == b"\0\0"
    assert int.from_bytes(answer[12:16], "big") == tid
    assert int.from_bytes(answer[16:18], "big") == notices.NOTICE_ATTRIBUTE
    site.message(EVENT)


def test_the_subnet_manager_sees_every_report_acknowledged(open_site):
    """OpenSM retires a Report when it gets an answer with the Report's TransactionID and attribute."""
    site = open_site({"log_flags": ERRORS | INFORMATION | DEBUG})
    site.gateway.wait_subscribed()
    node = site.host("node1")
    for guid in range(1, 6):
        node.trap(notices.system_image_guid_change(6, guid))
    site.message(EVENT, count=5)

    def all_retired():
        sent = site.sm.log.count(f" to InformInfo LID {site.gateway_lid} ")
        return sent >= 5 and site.sm.log.count("Received Report Response. Retiring the transaction") == sent

    wait_until(all_retired, "OpenSM to retire each Report")
    assert site.gateway.counter("acknowledged") >= 5


def test_a_mad_of_a_class_that_nobody_registered_has_no_effect(site):
    client = site.host("node1")
    client.send(bytes([1, UNREGISTERED_CLASS, 1, 1]) + bytes(252), site.gateway_lid, 1)
    report_last(site.host("sm1"), site.gateway_lid)
    assert wait_last(site) == []


def test_forged_report_is_counted_not_forwarded(site):
    site.host("node1").report(notices.system_image_guid_change(6, 1), site.gateway_lid)
    site.gateway.wait_status(lambda status: status["counters"]["foreign"] == 1, "the forged Report to be counted")
    report_last(site.host("sm1"), site.gateway_lid)
    assert wait_last(site) == []


def test_repeated_report_is_acknowledged_again_but_one_event(site):
    client = site.host("sm1")
    tid = client.next_tid()
    for _ in range(4):
        client.report(notices.system_image_guid_change(6, 1), site.gateway_lid, tid)
    assert all(client.receive() for _ in range(4))
    report_last(client, site.gateway_lid)
    assert len(wait_last(site)) == 1
    assert site.gateway.counter("repeated") == 3


def test_burst_arrives_complete_and_in_order(site):
    client, lid, count = site.host("sm1"), site.gateway_lid, 500
    for guid in range(1, count + 1):
        client.report(notices.system_image_guid_change(6, guid), lid)
    report_last(client, lid)
    guids = [int.from_bytes(one.varbinds[1].value, "big") for one in wait_last(site)]
    assert guids == list(range(1, count + 1))
    assert len(site.message(EVENT, count=count + 1)) == count + 1


@pytest.mark.parametrize("fields", [{"attribute": 0x0099}, {"attribute": 0x0003}, {"version": 1}],
                         ids=["unknown attribute", "wrong attribute", "wrong class version"])
def test_malformed_report_is_an_event_with_its_octets(site, fields):
    client, lid = site.host("sm1"), site.gateway_lid
    notice, tid = notices.system_image_guid_change(6, 1), client.next_tid()
    client.report(notice, lid, tid, **fields)

    message = site.message("malformed-mad")[0]
    want.check_message(message, "malformed-mad", "warning", "fabric")
    notification = site.notification(want.own(9))[0]
    want.check_common(notification.varbinds[:7], "malformed-mad", "warning", "fabric", message)
    source, raw, _ = notification.varbinds[7:]
    assert source == want.own_lid(site.fabric.lid_of("sm1"))
    assert raw.oid == want.raw_notice(b"").oid and raw.type == "OCTET STRING" and len(raw.value) == 256
    sent = notices.report_mad(notice, tid, **fields)
    assert raw.value[:8] == sent[:8]
    assert raw.value[12:DELIVERED] == sent[12:DELIVERED]
    assert message.data["raw"] == raw.value.hex()
    assert site.gateway.counter("malformed") == 1

    report_last(client, lid)
    assert wait_last(site) == []


@pytest.mark.parametrize("octet, version", [(0, 0), (0, 2), (2, 3), (2, 255)])
def test_some_versions_never_reach_a_program(site, octet, version):
    """The simulator drops them with a warning, as the kernel does (doc/troubleshooting.md); ibtrapd counts all it gets."""
    client, lid = site.host("sm1"), site.gateway_lid
    mad = bytearray(notices.report_mad(notices.system_image_guid_change(6, 1), client.next_tid()))
    mad[octet] = version
    client.send(bytes(mad), lid, 1)
    wait_until(lambda: "bad smp headers" in (site.fabric.directory / "ibsim.log").read_text(), "the simulator's warning")
    report_last(client, lid)
    assert wait_last(site) == []
    assert site.gateway.counter("malformed") == 0


def test_other_methods_do_no_harm(site):
    client, lid = site.host("sm1"), site.gateway_lid
    for method in (notices.GET, notices.SET, notices.DELETE, notices.TRAP_METHOD, 0x12, 0x7F):
        client.send(notices.sa_mad(method, notices.NOTICE_ATTRIBUTE, client.next_tid(), 0, bytes(80)), lid, 1)
    report_last(client, lid)
    assert wait_last(site) == []


def test_random_reports_become_events_and_harm_nothing(site):
    client, lid, source = site.host("sm1"), site.gateway_lid, random.Random(117)
    count = 300
    for _ in range(count):
        mad = bytearray(source.randbytes(notices.MAD_SIZE))
        mad[0:4] = bytes([1, notices.SA_CLASS, source.choice([1, 2, 2, 2]), notices.REPORT_METHOD])
        mad[12:16] = notices.u32(client.next_tid())
        if source.random() < 0.8:
            mad[16:18] = notices.u16(notices.NOTICE_ATTRIBUTE)
        if source.random() < 0.5:
            mad[56] |= 0x80
            mad[60:62] = notices.u16(source.choice([64, 68, 128, 129, 144, 145, 256, 257, 258, 259]))
        client.send(bytes(mad), lid, 1)
    report_last(client, lid)
    wait_last(site)
    messages = [one for one in site.syslog.poll(1) if one.data["category"] != "gateway"]
    assert len(messages) == count + 1
    assert site.gateway.process.running
