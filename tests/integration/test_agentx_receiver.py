# SPDX-License-Identifier: BSD-2-Clause
"""Notifications through a master agent: a real snmpd forwards them."""

import os
import pathlib
import pwd
import re
import subprocess
import sys

import expected as want
import pytest
from lab import notices
from lab.gateway import Gateway, section
from lab.processes import wait_until
from lab.receivers import TrapSocket
from lab.snmpd import Snmpd

SOURCES = pathlib.Path(__file__).resolve().parents[2]
GUID = "1.3.6.1.3.117.3.1.1.6.0"  # ibSmaSystemImageGuid.0


@pytest.fixture
def behind():
    """The notifications that snmpd forwards."""
    with TrapSocket() as receiver:
        yield receiver


@pytest.fixture
def snmpd(fabric, behind):
    return fabric.keep(Snmpd(fabric.directory, sinks=[behind.address]))


def is_ours(notification):
    """Without snmpd's own notifications about its start and end."""
    return notification.oid.startswith(("1.3.6.1.3.", want.OWN))


def receiver(gateway, name="master"):
    return next(one for one in gateway.status()["receivers"] if one["name"] == name)


def report(fabric, numbers):
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    for number in numbers:
        client.report(notices.system_image_guid_change(6, number), lid)


def guids(inbox):
    """The numbers of the Reports, in the order of first arrival."""
    found = [int.from_bytes(one.value, "big") for item in inbox.poll() for one in item.varbinds if one.oid == GUID]
    return list(dict.fromkeys(found))


def start(fabric, snmpd, **items):
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, more=section("agentx", "master", socket=snmpd.socket, **items)))
    gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")
    return gateway


@pytest.mark.parametrize("items", [{}, {"extra_varbinds": True, "sets": ["sma", "switch", "own"]}])
def test_it_passes_on_exactly_what_an_snmp_receiver_gets(fabric, traps, behind, snmpd, items):
    snmpd.start()
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, more=section("snmp", "direct", address=traps.address, **items)
                                  + section("agentx", "master", socket=snmpd.socket, **items)))
    gateway.wait_subscribed()
    sm, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    for trap in (129, 130, 131):
        sm.report(notices.port_error(trap, 6, 1), lid)
    report(fabric, [1])
    fabric.client("node1").trap(notices.vendor_notice(0x0002C9, 77, b"theirs"))
    traps.wait_for(lambda one: one.oid == want.own(7), "the vendor's trap")
    assert gateway.stop() == 0
    sent = [(one.oid, one.varbinds) for one in traps.poll(1)]
    behind.wait_for(lambda one: one.oid == sent[-1][0], "the last notification")
    assert [(one.oid, one.varbinds) for one in behind.items if is_ours(one)] == sent


def test_a_context_is_no_hindrance(fabric, behind, snmpd):
    snmpd.start()
    start(fabric, snmpd, context="mlx5_0-1")
    report(fabric, [1])
    wait_until(lambda: guids(behind) == [1], "the notification")


def test_without_snmpd_events_wait(fabric, behind, snmpd):
    gateway = start(fabric, snmpd)
    report(fabric, range(1, 6))
    wait_until(lambda: "master agentx" in receiver(gateway)["problem"], "the receiver to complain")
    assert receiver(gateway)["address"] == str(snmpd.socket)
    assert receiver(gateway)["kind"] == "agentx"
    snmpd.start()
    wait_until(lambda: guids(behind) == list(range(1, 6)), "all notifications")
    wait_until(lambda: not receiver(gateway)["problem"] and receiver(gateway)["queued"] == 0, "the receiver to work")


def test_nothing_is_lost_when_snmpd_is_killed(fabric, behind, snmpd):
    snmpd.start()
    gateway = start(fabric, snmpd)
    report(fabric, range(1, 11))
    wait_until(lambda: len(guids(behind)) >= 5, "some notifications")
    snmpd.kill()
    report(fabric, range(11, 21))
    wait_until(lambda: receiver(gateway)["problem"], "the receiver to notice")
    snmpd.start()
    report(fabric, range(21, 31))
    wait_until(lambda: len(guids(behind)) == 30, "all notifications")
    assert guids(behind) == list(range(1, 31))


def test_nothing_is_lost_when_snmpd_is_restarted_while_all_is_quiet(fabric, behind, snmpd):
    snmpd.start()
    gateway = start(fabric, snmpd)
    report(fabric, [1])
    wait_until(lambda: guids(behind) == [1] and receiver(gateway)["queued"] == 0, "the first notification")
    failed = receiver(gateway)["failed"]
    snmpd.stop()
    snmpd.start()
    report(fabric, [2])
    wait_until(lambda: guids(behind) == [1, 2], "the second notification")
    assert receiver(gateway)["failed"] == failed


CONNECT = """
import os, socket, sys
os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[1]))
try:
    socket.socket(socket.AF_UNIX).connect(sys.argv[3])
except PermissionError:
    sys.exit(13)
"""


def connecting_as(uid, gid, path):
    return subprocess.run([sys.executable, "-c", CONNECT, str(uid), str(gid), path], timeout=300, check=False).returncode


def told_permissions():
    """The lines agentXPerms that the documentation tells users to write."""
    pages = [SOURCES / "README.md", *(SOURCES / "doc").glob("*.md"), *(SOURCES / "config" / "man").glob("*.in")]
    found = [re.findall(r"^ *(agentXPerms .*)$", page.read_text(), re.MULTILINE) for page in pages]
    return {line for lines in found for line in lines}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
def test_the_documented_permissions_let_in_the_daemons_user_alone(fabric):
    """Whoever may use the socket may register any object, and answer managers in snmpd's name."""
    lines = told_permissions()
    assert len(lines) == 1, lines
    nobody = pwd.getpwnam("nobody")
    line = re.sub(r"\bibtrapd\b", nobody.pw_name, lines.pop())
    fabric.directory.chmod(0o755)
    snmpd = fabric.keep(Snmpd(fabric.directory, more=f"{line}\nrocommunity public 127.0.0.1\n"))
    snmpd.start()
    snmpd.socket.parent.chmod(0o755)
    assert connecting_as(nobody.pw_uid, nobody.pw_gid, snmpd.socket) == 0
    assert connecting_as(54321, nobody.pw_gid, snmpd.socket) == 13
