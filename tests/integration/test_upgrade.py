# SPDX-License-Identifier: BSD-2-Clause
"""A journal that version 0.1.0 wrote is taken up: its events, alarms, snapshots, and the places of its receivers."""

import json
import pathlib
import sqlite3

import pytest
from lab.gateway import Gateway, section
from lab.processes import wait_until

OLD = pathlib.Path(__file__).parent / "journals/0.1.0.sql"
LINK = "link 0x0002c90200c10000/12-0x0002c90200c20000/12"


@pytest.fixture
def state(tmp_path):
    path = tmp_path / "state"
    path.mkdir()
    journal = sqlite3.connect(path / "journal.db")
    journal.executescript(OLD.read_text())
    journal.close()
    return path


def rows(state, what):
    journal = sqlite3.connect(f"file:{state / 'journal.db'}?mode=ro", uri=True)
    try:
        return journal.execute(what).fetchall()
    finally:
        journal.close()


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_journal_of_0_1_0_goes_on(fabric, state, tmp_path):
    old_events = rows(state, "SELECT sequence, id, type FROM event ORDER BY sequence")
    old_alarms = {key for key, in rows(state, "SELECT key FROM alarm")}
    assert len(old_events) > 20 and LINK in old_alarms
    fabric.unlink("leaf1", 12)
    fabric.unlink("leaf2")
    fabric.subnet_manager().wait_master()
    late, kept = tmp_path / "late", tmp_path / "kept"
    gateway = fabric.keep(Gateway(fabric, state=state, policy="", sweep={"interval": 5, "settle": 0}, more=section(
        "file", "gone", path=late, start="backlog", each_part=True) + section("file", "kept", path=kept)))
    gateway.wait_subscribed()
    gateway.wait_nodes(4)
    listed = json.loads(gateway.control("alarms", "--all", "--json").stdout)["alarms"]
    assert {one["key"] for one in listed} >= old_alarms - {"receiver gone"}
    assert [one["note"] for one in listed if one["key"] == LINK] == ["cable ordered"]
    assert old_events == [
        (one["number"], one["id"], one["event"]) for one in json.loads(gateway.control(
            "events", "--limit", 1000, "--json").stdout)["events"][:len(old_events)]]
    wait_until(lambda: "switch-removed" in [one["event"] for one in lines(late)], "what waited for the receiver")
    assert len(gateway.control("topology", "list").stdout.splitlines()) > 5
    fabric.relink("leaf1", 12)
    fabric.relink("leaf2")
    wait_until(lambda: {"link-up", "switch-added"} <= {one["event"] for one in lines(kept)}, "the ends")
    ends = {one["alarmKey"] for one in lines(kept) if one.get("alarmState") == "cleared"}
    assert LINK in ends
    old = {one for _, one, _ in old_events}
    assert old & {one["id"] for one in lines(late)} and not old & {one["id"] for one in lines(kept)}  # it had them
    [(version,)] = rows(state, "PRAGMA user_version")
    assert version > 4
