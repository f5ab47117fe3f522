# SPDX-License-Identifier: BSD-2-Clause
"""The local log where systemd's journal reads it, with a real systemd-journald in a namespace of its own: each field of
an event is a field of the entry, and the message is the line that syslog daemons get."""

import json
import re
import shutil
import subprocess

import pytest
from conftest import BUILD
from lab.journald import Journald, missing
from lab.processes import wait_until
from test_syslog import HOSTILE, lines_of_stdout, numbers

MANY = 5000  # by default journald takes 10,000 of a service within 30 seconds
SEVERITIES = ["emergency", "alert", "critical", "error", "warning", "notice", "informational", "debug"]


@pytest.fixture
def journald(tmp_path):
    if missing():
        pytest.skip("systemd-journald does not start without /sys/fs/cgroup, as in a bare chroot")
    journald = Journald(tmp_path)
    journald.start()
    yield journald
    journald.remove()


def field(name):
    return "IBTRAPD_" + re.sub("([A-Z])", r"_\1", name).upper()


def text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def identifiers():
    """The MESSAGE_ID of each event type, from the catalog that is installed."""
    catalog = (BUILD / "config" / "ibtrapd.catalog").read_text()
    return {event: number for number, event in re.findall(r"^-- (\w{32})$.*?IBTRAPD_EVENT=(\S+)$", catalog,
                                                           re.MULTILINE | re.DOTALL)}


@pytest.mark.parametrize("name", HOSTILE)
def test_each_value_is_a_field_of_the_entry(journald, sender, name):
    octets, clean = HOSTILE[name]
    node = octets.decode(errors="surrogateescape")
    assert sender(count=4, node=node, **journald.options).wait() == 0
    entries = journald.wait(4)
    sent = [json.loads(line) for line in lines_of_stdout(sender, format="json", count=4, node=node)]
    lines = lines_of_stdout(sender, format="rfc3164", count=4, node=node)
    known = identifiers()
    for entry, values, line in zip(entries, sent, lines, strict=True):
        assert entry["MESSAGE"] == line.split("]: ", 1)[1]
        assert entry["PRIORITY"] == str(SEVERITIES.index(values["severity"]))
        assert entry["SYSLOG_FACILITY"] == "3"
        assert entry["MESSAGE_ID"] == known[values["event"]]
        assert entry["IBTRAPD_NODE"] == clean
        del values["text"]  # the message has it
        ours = {key: value for key, value in entry.items() if key.startswith("IBTRAPD_") and key != "IBTRAPD_NODE"}
        assert ours == {field(key): text(value) for key, value in values.items()}


def test_the_journal_finds_a_node(journald, sender):
    assert sender(count=2, node="leaf1", **journald.options).wait() == 0
    assert sender(count=1, node="leaf2", **journald.options).wait() == 0
    journald.wait(3)
    assert len(journald.entries("IBTRAPD_NODE=leaf1")) == 2
    assert len(journald.entries("IBTRAPD_NODE=leaf2", "IBTRAPD_EVENT=bad-pkey-at-switch")) == 1


def test_many_arrive_in_order(journald, sender):
    assert sender(count=MANY, node="leaf1", **journald.options).wait() == 0
    assert numbers([entry["IBTRAPD_ID"] for entry in journald.wait(MANY)]) == list(range(MANY))


def test_a_journal_that_comes_later_gets_all(journald, sender):
    journald.stop()
    process = sender(count=100, **journald.options)
    wait_until(lambda: process.errors, "an error")
    assert str(journald.options["path"]) in process.errors[0]
    journald.start()
    assert process.wait() == 0, process.errors
    assert numbers([entry["IBTRAPD_ID"] for entry in journald.wait(100)]) == list(range(100))


def test_another_format_is_for_the_socket_of_syslog(journald, sender):
    assert sender(count=1, node="leaf1", **{**journald.options, "format": "cef"}).wait() == 0
    messages = wait_until(lambda: [one for one in subprocess.run(
        ["journalctl", f"--namespace={journald.name}", "--output=json", "--quiet", "_TRANSPORT=syslog"],
        stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines() if one], "the message")
    assert "CEF:0|ibtrapd|" in messages[0]
    assert not journald.entries("IBTRAPD_NODE=leaf1")


def test_the_catalog_has_a_message_for_each_event(tmp_path):
    catalog = tmp_path / "usr/lib/systemd/catalog"
    catalog.mkdir(parents=True)
    (tmp_path / "var/lib/systemd/catalog").mkdir(parents=True)
    shutil.copy(BUILD / "config" / "ibtrapd.catalog", catalog)
    journalctl = ["journalctl", f"--root={tmp_path}"]
    subprocess.run([*journalctl, "--update-catalog"], check=True)
    listed = subprocess.run([*journalctl, "--list-catalog"], stdout=subprocess.PIPE, text=True, check=True).stdout
    events = set(re.findall(r"^\.It Ic (\S+)$", (BUILD / "config/man/ibtrapd-events.7").read_text(), re.MULTILINE))
    known = identifiers()
    assert set(known) == events
    assert sorted(line.split(" ", 1)[0] for line in listed.splitlines()) == sorted(known.values())
