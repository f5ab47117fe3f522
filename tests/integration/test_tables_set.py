# SPDX-License-Identifier: BSD-2-Clause
"""Settings that a manager makes by SNMP through a real snmpd: refused ones, accepted ones, and their persistence."""

import itertools
import json
import subprocess

import pytest
from lab.gateway import section
from lab.processes import DEADLINE, wait_until
from lab.receivers import TrapV1Socket
from lab.snmpd import Snmpd
from lab.tables import GSW, Manager, dotted, global_id

LEAF1, LEAF2, NOBODY = (tuple(global_id(guid)) for guid in (0x0002C90200C10000, 0x0002C90200C20000, 0x17))
NAME, SAN, LEVEL = (*GSW, 2, 2, 1, 7), (*GSW, 2, 2, 1, 12), (*GSW, 2, 3, 1, 41)
COMMUNITY, RECIPIENT = (*GSW, 25, 11, 1, 3), (*GSW, 25, 11, 1, 4)
SYS_CONTACT = (1, 3, 6, 1, 2, 1, 1, 4, 0)
EVENT_SWITCH, EVENT_TEXT = (*GSW, 15, 1, 1, 1), (*GSW, 15, 1, 1, 6)
CHANGED = "setting-changed"


def inventory(switch):
    """The index of the inventory's table: the type and the GUID."""
    return (switch[15], *switch[:8])


def name(switch):
    return (*NAME, *inventory(switch))


def san(switch):
    return (*SAN, *inventory(switch))


ACCESS = "rocommunity public 127.0.0.1\nrwcommunity private 127.0.0.1\nsysContact nobody\n"


@pytest.fixture
def recipient():
    with TrapV1Socket() as receiver:
        yield receiver


@pytest.fixture
def other():
    with TrapV1Socket() as receiver:
        yield receiver


# An object of another subagent that refuses a Set only at its commit.
STUBBORN = (1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 4711)


@pytest.fixture
def snmpd(tmp_path):
    stubborn = tmp_path / "stubborn"
    stubborn.write_text("#!/bin/sh\n[ $1 != -s ] || echo not-writable\n")
    stubborn.chmod(0o755)
    with Snmpd(tmp_path, more=ACCESS + f"pass {dotted(STUBBORN)} {stubborn}\n") as one:
        yield one.start()


@pytest.fixture
def serve(open_site, snmpd, recipient, tmp_path):
    """Starts a gateway, by default with writable tables."""

    def start(writable=True, **options):
        names = tmp_path / "names"
        names.write_text('0x0002c90200c10000 "map1"\n')
        tables = section("subagent", socket=snmpd.socket, writable=writable, recipient_port=recipient.port)
        site = open_site(sweep={"interval": 5}, names=names, more=tables, **options)
        wait_served(site, snmpd)
        return site

    return start


def wait_served(site, snmpd):
    site.gateway.wait_status(lambda one: one["tables"]["up"], "the tables to be served")
    wait_until(lambda: inventory(LEAF2) in Manager(snmpd.address).column(*NAME[len(GSW):]), "the switches to be in the tables")


def snmpset(snmpd, *triples):
    """Sets several (OID, type, value) in one request; returns the error, or an empty text."""
    arguments = [str(part) for oid, kind, value in triples for part in (dotted(oid), kind, value)]
    done = subprocess.run(["snmpset", "-v2c", "-c", "private", "-M", "", "-m", "", "-On", "-t", "5", "-r", "0",
                           snmpd.address, *arguments], capture_output=True, text=True, timeout=DEADLINE, check=False)
    if done.returncode == 0:
        return ""
    reason = next(line for line in done.stderr.splitlines() if line.startswith("Reason: "))
    return reason.removeprefix("Reason: ").split(" ")[0]


def octets(text):
    return text.encode().hex()


def get(snmpd, oid):
    """The value as snmpget prints it."""
    return Manager(snmpd.address).run("snmpget", dotted(oid)).partition(" = ")[2].strip()


def name_of(snmpd, switch=LEAF1):
    """GswOlsName has 256 octets in the document, the rest of them NULs."""
    value = Manager(snmpd.address).column(*NAME[len(GSW):])[inventory(switch)]
    return value.rstrip(b"\0").decode()


def receivers(site):
    answer = json.loads(site.gateway.control("receivers", "--json").stdout)
    return [one["name"] for one in answer["receivers"] if one["name"].startswith("recipient-")]


def traps_of(recipient, switch):
    """The descriptions of gswEventTrap about a switch."""
    found = []
    for trap in recipient.poll():
        values = {one.oid: one.value for one in trap.varbinds}
        about = [value for oid, value in values.items() if oid.startswith(dotted(EVENT_SWITCH)[1:] + ".")]
        text = [value for oid, value in values.items() if oid.startswith(dotted(EVENT_TEXT)[1:] + ".")]
        if trap.specific == 10 and about == [bytes(switch)]:
            found.append(text[0].decode())
    return found


def wait_trap(recipient, switch, part, community="watch"):
    def about(trap):
        return trap.community == community and any(
            one.oid.startswith(dotted(EVENT_TEXT)[1:]) and part.encode() in one.value for one in trap.varbinds)

    found = recipient.wait_for(about, f"gswEventTrap with '{part}'")[0]
    assert (found.enterprise, found.generic, found.specific) == (dotted(GSW)[1:], 6, 10)
    assert any(part in text for text in traps_of(recipient, switch))


REFUSALS = [
    (name(LEAF1), "i", 1, "wrongType"),
    (name(LEAF1), "x", "6e" * 257, "wrongLength"),
    (name(LEAF1), "x", "6e" * 128, "wrongValue"),
    (name(LEAF1), "x", "610a62", "wrongValue"),
    (name(LEAF1), "x", "ff", "wrongValue"),
    ((*LEVEL, *LEAF1), "i", 6, "wrongValue"),
    ((*LEVEL, *LEAF1), "i", -1, "wrongValue"),
    ((*COMMUNITY, *LEAF1, 1), "s", "x" * 17, "wrongLength"),
    ((*RECIPIENT, *LEAF1, 1), "a", "224.0.0.1", "wrongValue"),
    ((*RECIPIENT, *LEAF1, 1), "s", "abcd", "wrongType"),
    ((*GSW, 2, 2, 1, 1, *inventory(LEAF1)), "i", 2, "notWritable"),
    (name(NOBODY), "s", "x", "noCreation"),
    ((*COMMUNITY, *LEAF1, 7), "s", "x", "noCreation"),
]


def test_refusals(serve, snmpd):
    site = serve()
    for oid, kind, value, reason in REFUSALS:
        assert snmpset(snmpd, (oid, kind, value)) == reason, (oid, value)
    assert name_of(snmpd) == "map1" and receivers(site) == []
    assert not any(one["event"] == CHANGED for one in site.gateway.journal())


def test_without_leave_nothing_is_written(serve, snmpd):
    serve(writable=False)
    assert snmpset(snmpd, (name(LEAF1), "s", "spine7")) == "notWritable"
    assert name_of(snmpd) == "map1"


def test_all_or_none(serve, snmpd):
    site = serve()
    assert snmpset(snmpd, (name(LEAF1), "s", "spine7"), ((*LEVEL, *LEAF1), "i", 9)) == "wrongValue"
    assert snmpset(snmpd, (name(LEAF1), "s", "spine7"), (SYS_CONTACT, "s", "me")) == "notWritable"
    assert name_of(snmpd) == "map1"
    assert snmpset(snmpd, (name(LEAF1), "s", "spine7"), (name(LEAF2), "s", "spine8")) == ""
    assert (name_of(snmpd, LEAF1), name_of(snmpd, LEAF2)) == ("spine7", "spine8")
    told = site.message(CHANGED, count=2)
    assert [one.data["subjectName"] for one in told] == ["spine7", "spine8"]


def test_what_another_refuses_later_is_undone(serve, snmpd):
    site = serve()
    assert snmpset(snmpd, (name(LEAF1), "s", "spine7"), ((*STUBBORN, 1, 0), "s", "x")) == "notWritable"
    assert name_of(snmpd) == "map1"
    told = [one.text for one in site.message(CHANGED, count=2)]
    assert 'from nothing to "spine7"' in told[0] and 'from "spine7" to nothing' in told[1]


BEACON_OPER, BEACON = (*GSW, 2, 3, 1, 30), (*GSW, 2, 3, 1, 31)
LIGHT, DARK = "INTEGER: 1", "INTEGER: 2"


def test_the_led_of_a_switch_is_switched_and_does_what_it_says(serve, snmpd, tmp_path, fabric):
    leds = tmp_path / "leds"
    leds.mkdir()
    site = serve(leds=leds)
    one, two = (leds / str(fabric.lid_of(leaf)) for leaf in ("leaf1", "leaf2"))
    columns = [(*column, *leaf) for column in (BEACON, BEACON_OPER) for leaf in (LEAF1, LEAF2)]
    wait_until(lambda: [get(snmpd, one) for one in columns] == [DARK] * 4, "the LEDs to be read")
    assert snmpset(snmpd, ((*BEACON, *LEAF1), "i", 1)) == ""
    assert one.read_text() == "1" and not two.exists()
    assert get(snmpd, (*BEACON_OPER, *LEAF1)) == LIGHT and get(snmpd, (*BEACON_OPER, *LEAF2)) == DARK
    told = site.message(CHANGED)[0]
    assert told.data["subjectName"] == "map1" and "gswBeaconAdmStatus from off to on, by an SNMP manager" in told.text
    two.write_text("stuck")
    assert snmpset(snmpd, ((*BEACON, *LEAF1), "i", 2), ((*BEACON, *LEAF2), "i", 1)) == "commitFailed"
    wait_until(lambda: one.read_text() == "1", "the other LED to be as before")
    assert snmpset(snmpd, ((*BEACON, *LEAF1), "i", 2), ((*STUBBORN, 1, 0), "s", "x")) == "notWritable"
    assert one.read_text() == "1"
    assert snmpset(snmpd, ((*BEACON, *LEAF1), "i", 3)) == "wrongValue"
    assert snmpset(snmpd, ((*BEACON_OPER, *LEAF1), "i", 2)) == "notWritable"
    assert snmpset(snmpd, ((*BEACON, *NOBODY), "i", 2)) == "noCreation"
    assert snmpset(snmpd, ((*BEACON, *LEAF1), "i", 2)) == ""
    assert one.read_text() == "0" and get(snmpd, (*BEACON, *LEAF1)) == DARK


def test_a_switch_without_an_led_has_no_beacon(serve, snmpd):
    serve()
    assert get(snmpd, (*BEACON, *LEAF1)).startswith("No Such Instance")
    assert snmpset(snmpd, ((*BEACON, *LEAF1), "i", 1)) == "noCreation"


def test_more_than_fits_a_set_is_refused_as_such(serve, snmpd):
    serve()
    rows = [((*COMMUNITY, *LEAF1, 1 + n % 6), "s", f"c{n}") for n in range(65)]
    assert snmpset(snmpd, *rows) == "resourceUnavailable"
    assert snmpset(snmpd, *rows[:64]) == ""


def test_a_name_is_the_name_in_messages_from_then_on(serve, snmpd):
    site = serve()
    assert snmpset(snmpd, (name(LEAF1), "x", octets("spine7") + "00" * 250)) == ""
    told = site.message(CHANGED)[0]
    assert told.data["subjectName"] == "spine7"
    assert 'gswSwitchName from nothing to "spine7", by an SNMP manager' in told.text
    assert name_of(snmpd) == "spine7"
    site.gateway.control("test", "switch-added", "--node", "spine7", check=False)
    assert site.message("switch-added")[0].data["subjectName"] == "spine7"

    site.gateway.control("reload")
    assert name_of(snmpd) == "spine7"
    site.gateway.stop()
    site.gateway.start()
    wait_served(site, snmpd)
    assert name_of(snmpd) == "spine7"
    assert snmpset(snmpd, (name(LEAF1), "s", "")) == ""
    assert name_of(snmpd) == "map1"
    texts = [one["text"] for one in site.gateway.journal() if one["event"] == CHANGED]
    assert len(texts) == 2 and 'from "spine7" to nothing' in texts[1]


# The names of trap recipients: the address, and a digest of the community.
WATCH, ONE, TWO = "recipient-127.0.0.1-ed9f", "recipient-127.0.0.1-a3c8", "recipient-127.0.0.1-360d"


def add_recipient(snmpd, switch, row, community="watch"):
    assert snmpset(snmpd, ((*COMMUNITY, *switch, row), "s", community),
                   ((*RECIPIENT, *switch, row), "a", "127.0.0.1")) == ""


def test_a_recipient_gets_the_events_of_its_switches(serve, snmpd, recipient):
    site = serve()
    add_recipient(snmpd, LEAF1, 3)
    assert snmpset(snmpd, (san(LEAF2), "s", "san2"), (san(LEAF1), "s", "san1")) == ""
    wait_trap(recipient, LEAF1, "san1")
    assert traps_of(recipient, LEAF2) == []

    add_recipient(snmpd, LEAF2, 1)
    assert snmpset(snmpd, (san(LEAF2), "s", "san3")) == ""
    wait_trap(recipient, LEAF2, "san3")
    assert receivers(site) == [WATCH]


def test_recipients_last_and_end(serve, snmpd, recipient):
    site = serve()
    add_recipient(snmpd, LEAF1, 1)
    wait_until(lambda: receivers(site), "the recipient to be a receiver")
    site.gateway.control("reload")
    assert receivers(site) == [WATCH]
    site.gateway.stop()
    site.gateway.start()
    wait_served(site, snmpd)
    assert receivers(site) == [WATCH]
    assert snmpset(snmpd, (san(LEAF1), "s", "after")) == ""
    wait_trap(recipient, LEAF1, "after")
    assert snmpset(snmpd, ((*RECIPIENT, *LEAF1, 1), "a", "0.0.0.0")) == ""
    wait_until(lambda: receivers(site) == [], "the recipient to be gone")


def test_other_ports_and_communities(serve, snmpd, recipient, other):
    site = serve()
    add_recipient(snmpd, LEAF1, 1, "one")
    add_recipient(snmpd, LEAF1, 2, "two")
    wait_until(lambda: receivers(site) == [ONE, TWO], "two receivers")
    assert snmpset(snmpd, (san(LEAF1), "s", "first")) == ""
    wait_trap(recipient, LEAF1, "first", "one")
    wait_trap(recipient, LEAF1, "first", "two")
    text = site.gateway.config.read_text()
    site.gateway.config.write_text(text.replace(f"recipient_port = {recipient.port}", f"recipient_port = {other.port}"))
    site.gateway.control("reload")
    wait_served(site, snmpd)
    assert snmpset(snmpd, (san(LEAF1), "s", "second")) == ""
    wait_trap(other, LEAF1, "second", "one")
    wait_trap(other, LEAF1, "second", "two")
    assert snmpset(snmpd, ((*RECIPIENT, *LEAF1, 1), "a", "0.0.0.0")) == ""
    wait_until(lambda: receivers(site) == [TWO], "the first to be gone")


def test_the_level_decides_what_is_a_trap(serve, snmpd, recipient):
    serve()
    add_recipient(snmpd, LEAF1, 1)
    assert snmpset(snmpd, ((*LEVEL, *LEAF1), "i", 3)) == ""
    assert get(snmpd, (*LEVEL, *LEAF1)) == "INTEGER: 3"
    assert snmpset(snmpd, (san(LEAF1), "s", "quiet")) == ""  # a notice
    assert snmpset(snmpd, ((*LEVEL, *LEAF1), "i", 4)) == ""
    assert snmpset(snmpd, (san(LEAF1), "s", "loud")) == ""
    wait_trap(recipient, LEAF1, '"loud"')
    assert not any('to "quiet"' in text for text in traps_of(recipient, LEAF1))


def test_a_community_is_told_nobody(serve, snmpd, recipient):
    site = serve()
    add_recipient(snmpd, LEAF1, 1, "sesame")
    told = site.message(CHANGED, count=2)
    assert any("gswAgtCmtyStr of row 1" in one.text for one in told)
    add_recipient(snmpd, LEAF1, 1, "sesame2")
    assert snmpset(snmpd, (san(LEAF1), "s", "after")) == ""
    wait_trap(recipient, LEAF1, "after", "sesame2")
    exported = json.dumps(site.gateway.journal())
    shown = site.gateway.control("receivers", "--json").stdout + site.gateway.control("status", "--json").stdout
    assert "sesame" not in exported + shown + site.gateway.log


def alarms(site):
    return [one["key"] for one in site.gateway.listed_alarms("--all")]


def test_a_recipient_that_failed_and_is_unset_leaves_no_alarm(serve, snmpd):
    """No program listens at its address, and the host reports that."""
    site = serve()
    assert snmpset(snmpd, ((*COMMUNITY, *LEAF1, 1), "s", "watch"), ((*RECIPIENT, *LEAF1, 1), "a", "127.0.0.2")) == ""
    key = "gateway monitor receiver recipient-127.0.0.2-ed9f"

    def failed():
        assert snmpset(snmpd, (san(LEAF1), "s", f"san{next(numbers)}")) == ""
        return key in alarms(site)

    numbers = itertools.count()
    wait_until(failed, "the alarm")
    assert snmpset(snmpd, ((*RECIPIENT, *LEAF1, 1), "a", "0.0.0.0")) == ""
    wait_until(lambda: key not in alarms(site), "the alarm to be over")
    site.syslog.wait_for(lambda one: one.message_id == "alarm-cleared" and "is no longer configured" in one.text, "why")
