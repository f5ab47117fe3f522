# SPDX-License-Identifier: BSD-2-Clause
"""Every trap, from the fabric to both receivers, with exact OIDs, types, values and order."""

from dataclasses import dataclass
from typing import Callable

import expected as want
import pytest
from lab import notices, pages
from lab.fabric import gid
from lab.gateway import check_config

MULTICAST = bytes.fromhex("ff12401bffff00000000000000000007")
GID1, GID2 = gid(0x0002C90300B10001), gid(0x0002C90300B20001)
NO_GID = bytes(16)
FORWARDED, DIRECT = "forwarded by the subnet manager", "reported directly"


@dataclass(frozen=True)
class Case:
    """One kind of trap. `build` makes the Notice from the subject's LID; the other fields are the expected results."""

    event: str
    trap: int
    build: Callable
    oid: str
    varbinds: Callable
    data: dict
    severity: str = "warning"
    category: str = "security"
    way: str = FORWARDED
    note: str = ""

    def __str__(self):
        return f"{self.trap}{self.note}"


def bad_key_varbinds(key, lid):
    return [
        want.key(key), want.lid(lid), want.gid1(GID1), want.queue_pair1(0x123456), want.lid2(7), want.gid2(GID2),
        want.queue_pair2(0xFEDCBA), want.service_level(11),
    ]


BAD_KEY_DATA = {
    "lid2": "7", "sl": "11", "qp1": "0x123456", "qp2": "0xfedcba",
    "gid1": "fe80::2:c903:b1:1", "gid2": "fe80::2:c903:b2:1",
}


def port_error_case(trap, event, number):
    return Case(
        event, trap, lambda lid, garbage: notices.port_error(trap, lid, 9, garbage=garbage), want.sma(number),
        lambda lid: [want.lid(lid), want.port_number(9)], {"port": "9"}, category="link", way=DIRECT,
    )


def at_switch_case(bits, varbinds, data, note):
    valid = sum(1 << bit for bit in bits)
    return Case(
        "bad-pkey-at-switch", 259,
        lambda lid, garbage: notices.bad_pkey_at_switch(
            valid, lid, 7, 0x8001, 11, 0x123456, 0xFEDCBA, GID1, GID2, 2, 5, garbage=garbage),
        want.sma(10), varbinds, data, note=note,
    )


CASES = [
    Case(
        "capability-change", 144,
        lambda lid, garbage: notices.capability_change(lid, 0x0251486A, garbage=garbage), want.sma(5),
        lambda lid: [want.lid(lid), want.capability_mask(0x0251486A)],
        {"capabilityMask": "0x0251486a", "changeFlags": "0x0000"}, "informational", "port",
    ),
    Case(
        "capability-change", 144,
        lambda lid, garbage: notices.capability_change(lid, 0x0251486A, flags=0x21, mask2=0x8002, garbage=garbage),
        want.sma(5), lambda lid: [want.lid(lid), want.capability_mask(0x0251486A)],
        {"changeFlags": "0x0021", "capabilityMask2": "0x8002"}, "informational", "port", note="-local-changes",
    ),
    Case(
        "system-image-guid-change", 145,
        lambda lid, garbage: notices.system_image_guid_change(lid, 0x0002C903FFEEDDCC, garbage=garbage), want.sma(6),
        lambda lid: [want.lid(lid), want.system_image_guid(0x0002C903FFEEDDCC)],
        {"systemImageGuid": "0x0002c903ffeeddcc"}, "notice", "node",
    ),
    Case(
        "bad-mkey", 256,
        lambda lid, garbage: notices.bad_mkey(lid, 0x02, 0x0015, 0x80000001, 0x1122334455667788, garbage=garbage),
        want.sma(7),
        lambda lid: [
            want.key(0x1122334455667788), want.lid(lid), want.method(0x02), want.attribute_id(0x0015),
            want.attribute_modifier(0x80000001),
        ],
        {"mkey": "0x1122334455667788", "method": "0x02", "attribute": "0x0015", "attributeModifier": "0x80000001"},
    ),
    Case(
        "bad-mkey", 256,
        lambda lid, garbage: notices.bad_mkey(
            lid, 0x01, 0x0011, 0, 1, drslid=0xFFFF, return_path=b"\1\2\3", truncated=True, garbage=garbage),
        want.sma(7),
        lambda lid: [
            want.key(1), want.lid(lid), want.method(0x01), want.attribute_id(0x0011), want.attribute_modifier(0),
        ],
        {"drSlid": "65535", "drPath": "010203", "drPathTruncated": "1"}, note="-directed-route",
    ),
    Case(
        "bad-pkey", 257,
        lambda lid, garbage: notices.bad_key(
            257, lid, 7, 0x8001, 11, 0x123456, 0xFEDCBA, GID1, GID2, garbage=garbage),
        want.sma(8), lambda lid: bad_key_varbinds(0x8001, lid), {**BAD_KEY_DATA, "pkey": "0x8001"},
    ),
    Case(
        "bad-qkey", 258,
        lambda lid, garbage: notices.bad_key(
            258, lid, 7, 0x80010000, 11, 0x123456, 0xFEDCBA, GID1, GID2, garbage=garbage),
        want.sma(9), lambda lid: bad_key_varbinds(0x80010000, lid),
        {**BAD_KEY_DATA, "qkey": "0x80010000"},
    ),
    at_switch_case(
        range(8),
        lambda lid: bad_key_varbinds(0x8001, lid)
        + [want.switch_lid(2), want.data_valid(range(8)), want.port_number(5)],
        {**BAD_KEY_DATA, "dataValid": "0x00ff", "switchLid": "2", "port": "5"}, "-all-valid",
    ),
    at_switch_case(
        [0, 2, 4],
        lambda lid: [
            want.key(0x8001), want.lid(lid), want.gid1(NO_GID), want.queue_pair1(0x123456), want.lid2(0),
            want.gid2(NO_GID), want.queue_pair2(0), want.service_level(0), want.switch_lid(2),
            want.data_valid([0, 2, 4]), want.port_number(5),
        ],
        {"dataValid": "0x0015"}, "-some-valid",
    ),
    port_error_case(129, "link-integrity-threshold", 2),
    port_error_case(130, "buffer-overrun-threshold", 3),
    port_error_case(131, "flow-control-timeout", 4),
    Case(
        "link-state-change", 128, lambda lid, garbage: notices.link_state_change(lid, garbage=garbage), want.sma(1),
        lambda lid: [want.lid(lid)], {}, "notice", "link", way=DIRECT,
    ),
]


@pytest.mark.parametrize("garbage", [False, True], ids=["clean", "garbage"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_trap_of_the_sma_mib(site, case, garbage):
    lid = site.fabric.lid_of("node1")
    notice = case.build(lid, garbage)
    if case.way == FORWARDED:
        site.host("node1").trap(notice)
    else:
        site.host("sm1").report(notice.issued(issuer_lid=lid), site.gateway_lid)

    message = site.message(case.event)[0]
    notification = site.notification(case.oid)[0]

    assert list(notification.varbinds) == case.varbinds(lid)
    assert notification.community == "public"
    want.check_message(message, case.event, case.severity, case.category, case.trap)
    assert {**message.data, **case.data, "lid": str(lid)} == message.data
    assert site.gateway.counter("malformed") == 0


def own_notification(site, number, event, severity, category, count=1):
    """Waits for notifications of the project's own MIB, returns the last one's varbinds without the common ones."""
    notification = site.notification(want.own(number), count)[-1]
    message = site.message(event, count)[-1]
    want.check_message(message, event, severity, category)
    varbinds = list(notification.varbinds)
    lead = 1 if varbinds[0].oid == want.gid1(NO_GID).oid else 0
    want.check_common(varbinds[lead : lead + 7], event, severity, category, message)
    assert (varbinds[-1].oid, varbinds[-1].value.decode()) == (f"{want.OWN}.1.1.66.0", message.data["fabric"])
    return varbinds[:lead], varbinds[lead + 7 : -1], message


def test_host_goes_and_comes(site):
    guid = site.fabric.gid_of("node2")

    site.fabric.unlink("node2")
    before, after, message = own_notification(site, 2, "gid-out-of-service", "notice", "node")
    assert (before, after, message.data["trap"]) == ([want.gid1(guid)], [], "65")

    site.fabric.relink("node2")
    before, after, message = own_notification(site, 1, "gid-in-service", "informational", "node")
    assert (before, after, message.data["trap"]) == ([want.gid1(guid)], [], "64")

    leaf2 = site.fabric.lid_of("leaf2")
    changes = site.notification(want.sma(1), count=2)
    assert [list(one.varbinds) for one in changes] == [[want.lid(leaf2)]] * 2
    want.check_message(site.message("link-state-change")[0], "link-state-change", "notice", "link", 128)


def test_link_between_switches(site):
    site.fabric.unlink("leaf1", 12)
    changes = site.notification(want.sma(1), count=2)
    lids = [site.fabric.lid_of("leaf1"), site.fabric.lid_of("leaf2")]
    assert sorted(one.varbinds[0].value for one in changes) == sorted(lids)
    assert {one.data["lid"] for one in site.message("link-state-change", count=2)} == set(map(str, lids))


def test_multicast_group(site):
    member = site.host("node1")

    member.join(MULTICAST)
    before, after, message = own_notification(site, 3, "mcast-group-created", "informational", "multicast")
    assert (before, after, message.data["trap"]) == ([want.gid1(MULTICAST)], [], "66")

    member.leave(MULTICAST)
    before, after, message = own_notification(site, 4, "mcast-group-deleted", "informational", "multicast")
    assert (before, after, message.data["trap"]) == ([want.gid1(MULTICAST)], [], "67")


@pytest.mark.parametrize("garbage", [False, True], ids=["clean", "garbage"])
@pytest.mark.parametrize("trap, number, event, severity, category", [
    (64, 1, "gid-in-service", "informational", "node"),
    (65, 2, "gid-out-of-service", "notice", "node"),
    (66, 3, "mcast-group-created", "informational", "multicast"),
    (67, 4, "mcast-group-deleted", "informational", "multicast"),
])
def test_traps_of_the_subnet_manager(site, trap, number, event, severity, category, garbage):
    notice = notices.gid_notice(trap, GID1, garbage, issuer_lid=1, issuer_gid=site.fabric.gid_of("sm1"))
    site.host("sm1").report(notice, site.gateway_lid)
    before, after, message = own_notification(site, number, event, severity, category)
    assert (before, after, message.data["trap"]) == ([want.gid1(GID1)], [], str(trap))
    assert message.data["gid1"] == "fe80::2:c903:b1:1"


@pytest.mark.parametrize("trap, number, event", [(68, 5, "path-removed"), (69, 6, "path-restored")])
def test_path_records(site, trap, number, event):
    issuer = site.fabric.gid_of("sm1")
    notice = notices.path_notice(trap, bytes(range(1, 55)), issuer_lid=1, issuer_gid=issuer)
    site.host("sm1").report(notice, site.gateway_lid)
    before, after, message = own_notification(site, number, event, "notice", "fabric")
    assert before == [want.gid1(issuer)]
    assert after == [want.raw_notice(notice.octets())]
    assert message.data["raw"] == notice.octets().hex()


def test_the_notices_of_the_page(open_site, tmp_path):
    """The example of the page, with SHARP's numbers: a switch's notice and a vendor's have the sentences of the page."""
    book = tmp_path / "notices"
    book.write_text(pages.blocks("notices", "notices")[0])
    site = open_site(notices=book, all_traps=True)
    site.gateway.wait_subscribed()
    site.host("node1").trap(notices.Notice(133, bytes(54), producer=notices.SWITCH))
    [message] = site.message("unknown-trap")
    assert message.severity == "warning" and message.text.endswith(": SHARP: nobody confirmed a QP in time.")
    site.host("node1").trap(notices.vendor_notice(0x0002C9, 1234, b"\x00\x07\x01\x00"))
    [message] = site.message("vendor-trap")
    [shown] = [line.split(" raised ", 1)[1] for line in pages.indented("notices") if " raised " in line]
    assert message.severity == "error" and message.text.endswith(shown.strip())


def test_a_notice_of_another_book(open_site, tmp_path):
    """A site's row gives a notice its sentence and severity, from the first one after a reload on."""
    book = tmp_path / "notices"
    book.write_text("0x4d2 0x0002c9 error SHARP tree {1} of {0:1:hex} lost {2:2} nodes\n")
    site = open_site(notices=book)
    site.gateway.wait_subscribed()
    notice = notices.vendor_notice(0x0002C9, 0x4D2, b"\x0a\x07\x01\x00")
    site.host("node1").trap(notice)
    [message] = site.message("vendor-trap")
    assert message.severity == "error"
    assert message.text.endswith("raised a trap of vendor 0x0002c9, device 0x04d2: SHARP tree 7 of 0x0a lost 256 nodes.")
    book.write_text("1234 0x0002c9 warning a tree\n")
    site.gateway.control("reload")
    site.host("node2").trap(notice)
    message = site.message("vendor-trap", count=2)[1]
    assert message.severity == "warning" and message.text.endswith(": a tree.")
    book.write_text("1234 0x0002c9 warning {60}\n")
    refused = site.gateway.control("reload", check=False)
    assert refused.returncode == 1 and f"{book}:1: '{{60}}' is no field" in refused.stderr
    status, output = check_config(site.gateway.config.read_text(), tmp_path)
    assert status == 1 and f"{book}:1: " in output


def test_vendor_trap(site):
    node = site.host("node1")
    notice = notices.vendor_notice(0x0002C9, 0x4D2, b"details of their own")
    node.trap(notice)
    before, after, message = own_notification(site, 7, "vendor-trap", "notice", "vendor")
    raw = notice.issued(issuer_lid=node.lid, issuer_gid=site.fabric.gid_of("node1")).octets()
    assert before == []
    assert after == [want.own_lid(node.lid), want.vendor_id(0x0002C9), want.trap_number(0x4D2), want.raw_notice(raw)]
    assert message.data["raw"] == raw.hex()


def test_unknown_trap(site):
    lid = site.fabric.lid_of("node1")
    notice = notices.Notice(4711, bytes(range(54)), issuer_lid=lid, issuer_gid=site.fabric.gid_of("node1"))
    site.host("sm1").report(notice, site.gateway_lid)
    before, after, message = own_notification(site, 8, "unknown-trap", "notice", "fabric")
    assert before == []
    assert after == [want.own_lid(lid), want.trap_number(4711), want.raw_notice(notice.octets())]
    assert message.data["trap"] == "4711"
    assert message.data["raw"] == notice.octets().hex()


@pytest.mark.parametrize("trap, reason", [(129, 1), (130, 2), (131, 3)])
def test_port_of_a_switch_also_by_the_switch_mib(site, trap, reason):
    lid, guid = site.fabric.lid_of("leaf1"), site.fabric.guid_of("leaf1")
    notice = notices.port_error(trap, lid, 12, producer=notices.SWITCH, issuer_lid=lid, issuer_gid=gid(guid))
    site.host("sm1").report(notice, site.gateway_lid)
    oid, varbinds = want.switch_port_trap(guid, 12, reason)
    assert site.notification(oid)[0].varbinds == varbinds
    assert list(site.notification(want.sma(trap - 127))[0].varbinds) == [want.lid(lid), want.port_number(12)]


def test_security_traps_of_a_switch_also_by_the_switch_mib(site):
    guid = site.fabric.guid_of("leaf1")
    leaf = site.host("leaf1")

    leaf.trap(notices.bad_mkey(6, 1, 0x15, 0, 99, producer=notices.SWITCH))
    oid, varbinds = want.switch_trap(guid, 2)
    assert site.notification(oid)[0].varbinds == varbinds

    leaf.trap(notices.bad_pkey_at_switch(0xFF, 6, 7, 0x8001, 1, 2, 3, GID1, GID2, leaf.lid, 11))
    oid, varbinds = want.switch_port_trap(guid, 11, 4)
    assert site.notification(oid)[0].varbinds == varbinds


@pytest.mark.parametrize("issuer, producer", [("node1", notices.CA), ("sm1", notices.CLASS_MANAGER),
                                              ("leaf2", notices.SWITCH)])
def test_the_switch_is_the_one_that_the_notice_names(open_site, issuer, producer):
    """Whoever issued the notice, and whatever the issuer says that it is."""
    site = open_site(sweep={"interval": 5})
    site.gateway.wait_subscribed()
    site.gateway.wait_swept()
    lid, guid = site.fabric.lid_of("leaf1"), site.fabric.guid_of("leaf1")
    header = {"producer": producer, "issuer_lid": site.fabric.lid_of(issuer), "issuer_gid": site.fabric.gid_of(issuer)}
    client = site.host("sm1")

    client.report(notices.port_error(129, lid, 12, **header), site.gateway_lid)
    client.report(notices.bad_pkey_at_switch(0xFF, 6, 7, 0x8001, 1, 2, 3, GID1, GID2, lid, 11, **header),
                  site.gateway_lid)
    oid, first = want.switch_port_trap(guid, 12, 1)
    _, second = want.switch_port_trap(guid, 11, 4)
    assert [one.varbinds for one in site.notification(oid, 2)] == [first, second]
    ports = [(one.data["subjectName"], one.data["subjectPort"]) for one in
             (site.message("link-integrity-threshold")[0], site.message("bad-pkey-at-switch")[0])]
    assert ports == [("leaf1", "12"), ("leaf1", "11")]


def test_no_switch_notification_about_a_host_that_a_switch_names(open_site):
    site = open_site(sweep={"interval": 5})
    site.gateway.wait_subscribed()
    site.gateway.wait_swept()
    lid, fabric = site.fabric.lid_of("node1"), site.fabric
    site.host("sm1").report(notices.port_error(129, lid, 1, producer=notices.SWITCH, issuer_lid=fabric.lid_of("leaf1"),
                                               issuer_gid=fabric.gid_of("leaf1")), site.gateway_lid)
    site.notification(want.sma(2))
    assert not [one for one in site.traps.poll(1) if one.oid.startswith(want.SWITCH)]


def test_no_switch_notification_without_a_switch(site):
    client, lid = site.host("sm1"), site.fabric.lid_of("leaf1")
    client.report(notices.port_error(129, lid, 12, producer=notices.SWITCH), site.gateway_lid)
    client.report(notices.port_error(130, 6, 1, issuer_gid=GID1), site.gateway_lid)
    client.report(notices.bad_mkey(6, 1, 0x15, 0, 99, issuer_gid=GID1), site.gateway_lid)
    site.notification(want.sma(2))
    site.notification(want.sma(3))
    site.notification(want.sma(7))
    assert not [one for one in site.traps.poll(1) if one.oid.startswith(want.SWITCH)]
