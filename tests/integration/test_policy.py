# SPDX-License-Identifier: BSD-2-Clause
"""Which events receivers get: consequences, flapping links, storms, maintenance and rules of the configuration.

The journal has the suppressed events, with the reason."""

import collections
import json
import os

import pytest
from lab import notices
from lab.gateway import EVERYTHING, section
from lab.processes import wait_until

SWEEP = {"method": "smp", "interval": 3600, "settle": 100}
NOTICE = "system-image-guid-change"


def raise_notices(site, guids):
    """Distinct events of one kind."""
    client = site.host("sm1")
    for guid in guids:
        client.report(notices.system_image_guid_change(6, guid), site.gateway_lid)


def wait_for_all_before(site):
    """Waits until receivers have all events up to now. Events arrive in order."""
    site.host("sm1").report(notices.bad_mkey(6, 1, 0x15, 0, 99), site.gateway_lid)
    site.message("bad-mkey")


def wait_journalled(site, event, count):
    """Waits until the journal has that many events of a kind, returns them."""

    def found():
        events = [one for one in site.gateway.journal() if one["event"] == event]
        return events if len(events) >= count else None

    return wait_until(found, f"{count} {event} in the journal")


def total(counted):
    """How many events these summarise."""
    return sum(int(one.data["repeatCount"]) for one in counted if "repeatCount" in one.data)


def messages(site, event):
    return [one for one in site.syslog.poll() if one.message_id == event]


@pytest.fixture
def open_swept(open_site):
    """Brings up a site whose gateway has subscribed and knows the fabric."""

    def build(policy, **options):
        site = open_site(sweep=SWEEP, policy=policy, **options)
        site.gateway.wait_subscribed()
        site.gateway.wait_nodes(8)
        return site

    return build


def test_a_dead_switch_is_told_without_its_consequences(open_swept):
    site = open_swept(policy="")
    site.fabric.unlink("leaf2")
    dead = site.message("switch-removed")[0]
    hosts = wait_journalled(site, "host-removed", 3)
    links = wait_journalled(site, "link-down", 5)
    assert {one["suppressed"] for one in hosts + links} == {"consequence"}
    assert {one["causeId"] for one in hosts} == {dead.data["id"]}
    wait_for_all_before(site)
    assert not messages(site, "host-removed") + messages(site, "link-down")


def test_a_link_that_flaps_is_told_once(open_swept):
    site = open_swept(policy=section("flap", changes=4, within=3600, quiet=3))
    for change in range(1, 4):
        site.fabric.unlink("leaf1", 11)
        wait_journalled(site, "link-down", change)
        site.fabric.relink("leaf1", 11)
        wait_journalled(site, "link-up", change)
    settled = site.message("settled")[0]
    flapping = site.message("flapping")[0]
    assert flapping.data["alarmKey"] == settled.data["alarmKey"]
    assert settled.data["clearsId"] == flapping.data["id"]
    assert "4 changes" in flapping.text and "ort 11 of leaf1" in flapping.text
    site.message("link-up", count=2)  # the final state
    wait_for_all_before(site)
    held = [one for one in site.gateway.journal() if one.get("suppressed") == "flapping"]
    assert len(held) >= 1
    assert total(messages(site, "flapping") + messages(site, "settled")) == len(held)
    assert len(messages(site, "flapping")) == len(messages(site, "settled")) == 1


def test_a_storm_is_summed_up(open_site):
    site = open_site(policy=section("storm", rate=1, period=1) + section("repeats", window=0))
    site.gateway.wait_subscribed()
    raise_notices(site, range(1, 301))

    def all_told():
        return len(messages(site, NOTICE)) + total(messages(site, "storm-summary")) >= 300

    wait_until(all_told, "summaries of the storm")
    journalled = wait_journalled(site, NOTICE, 300)
    held = [one for one in journalled if one.get("suppressed") == "storm"]
    assert len(journalled) == 300 and len(held) == 300 - len(messages(site, NOTICE))
    summaries = messages(site, "storm-summary")
    assert total(summaries) == len(held)
    assert all(one.data["summarised"] == NOTICE for one in summaries)


def test_repeats_are_counted(open_site):
    site = open_site(policy=section("repeats", window=2) + section("storm", rate=0))
    site.gateway.wait_subscribed()
    raise_notices(site, [7] * 20)
    wait_until(lambda: len(messages(site, NOTICE)) + total(messages(site, "event-repeated")) >= 20, "all repeats")
    held = [one for one in wait_journalled(site, NOTICE, 20) if one.get("suppressed") == "duplicate"]
    assert held and total(messages(site, "event-repeated")) == len(held)


def test_rules_change_events_and_disable_them(open_site):
    rules = [
        section("policy", "quiet", events=["system-*", "bad-pkey"], enabled=False),
        section("policy", "loud", events=[NOTICE], enabled=True, severity="critical", category="security"),
    ]
    site = open_site(policy=EVERYTHING + "".join(rules))
    site.gateway.wait_subscribed()
    site.host("sm1").report(
        notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, site.fabric.gid_of("node1"), site.fabric.gid_of("node2")),
        site.gateway_lid)
    raise_notices(site, [1])
    loud = site.message(NOTICE)[0]
    assert (loud.severity, loud.data["severity"], loud.data["category"]) == ("critical", "critical", "security")
    assert loud.data["rule"] == "loud"
    assert not messages(site, "bad-pkey")
    [quiet] = wait_journalled(site, "bad-pkey", 1)
    assert (quiet["suppressed"], quiet["rule"]) == ("disabled", "quiet")


def test_maintenance_of_a_node(open_swept):
    site = open_swept(policy="")
    site.gateway.control("maintenance", "start", "rack 1", 60, "node1", "0x0002c90300b2*")
    [window] = json.loads(site.gateway.control("maintenance", "list", "--json").stdout)["maintenance"]
    assert (window["name"], window["nodes"]) == ("rack 1", ["node1", "0x0002c90300b2*"])
    assert "node1 0x0002c90300b2*" in site.gateway.control("maintenance", "list").stdout
    said = site.gateway.control("maintenance", "start", "rack 1", 90, "--comment", "new cables").stdout
    assert said.startswith("The maintenance rack 1 now lasts until ") and "node1 0x0002c90300b2*" in said
    [window] = json.loads(site.gateway.control("status", "--json").stdout)["maintenance"]
    assert (window["nodes"], window["all"], window["comment"]) == (["node1", "0x0002c90300b2*"], False, "new cables")
    assert "(uid " in window["who"]

    for name in ("node1", "node2"):
        site.fabric.unlink(name)
    gone = wait_journalled(site, "host-removed", 2)
    assert {one["suppressed"] for one in gone} == {"maintenance"}
    site.fabric.relink("node2")
    [back] = wait_journalled(site, "host-added", 1)
    assert back["suppressed"] == "never-notified"
    wait_for_all_before(site)
    assert not messages(site, "host-removed")
    listed = json.loads(site.gateway.control("maintenance", "list", "--json").stdout)
    assert [one["held_back"] for one in listed["maintenance"]] == [listed["held_back"]] != [0]
    shown = site.gateway.control("status").stdout
    assert "rack 1 until " in shown and "new cables" in shown and f"), {listed['held_back']} alarm" in shown
    assert json.loads(site.gateway.control("status", "--json").stdout)["maintenance"] == listed["maintenance"]
    health = json.loads(site.gateway.control("health", "--json").stdout)
    assert health["fabric"]["state"] == "ok" and " in maintenance" in health["fabric"]["line"], health
    site.gateway.control("maintenance", "start", "everything", 60, "--all")
    done = site.gateway.control("health", check=False)
    assert done.returncode == 1 and done.stdout.startswith("fabric WARNING: all nodes are in maintenance until ")
    assert "has ended" in site.gateway.control("maintenance", "stop", "everything").stdout

    site.gateway.control("maintenance", "stop", "rack 1")
    told = site.message("host-removed")[0]
    assert told.data["subjectName"] == "node1"
    assert told.data["relatedId"] in {one["id"] for one in gone}
    assert "no maintenance" in site.gateway.control("maintenance", "stop", "rack 1", check=False).stderr


def test_what_maintenance_refuses(open_site):
    gateway = open_site().gateway
    gateway.wait_status(lambda one: True, "ibtrapd to run")
    for words, status, sentence in (
        (("", 60), 1, "1 to 63 characters"),
        (("x" * 64, 60), 1, "1 to 63 characters"),
        (("a\nb", 60), 1, "1 to 63 characters"),
        (("a", 0), 1, "in the future"),
        (("a", "2020-01-01T00:00:00Z"), 1, "in the future"),
        (("a", "tomorrow"), 2, "Usage"),
        (("a", 60, "x" * 128), 1, "64 patterns"),
        (("a", 60, ""), 1, "64 patterns"),
        (("a", 60), 1, "say which nodes, or --all"),
        (("a", 60, "--all", "b"), 1, "not both"),
        (("a", 60, "--all", "--comment", ""), 1, "1 to 255 characters"),
    ):
        done = gateway.control("maintenance", "start", *words, check=False)
        assert done.returncode == status and sentence in done.stderr
    assert gateway.control("maintenance", "list").stdout == "There is no maintenance.\n"
    for number in range(32):
        gateway.control("maintenance", "start", number, 60, "--all")
    assert "32" in gateway.control("maintenance", "start", "more", 60, "--all", check=False).stderr
    gateway.control("maintenance", "start", 7, 30)


def test_maintenance_and_alarms_survive_a_crash(open_swept):
    site = open_swept(policy="")
    site.fabric.unlink("node1")
    told = site.message("host-removed")[0]
    site.gateway.control("maintenance", "start", "leaf2", 60, "node2")
    site.fabric.unlink("node2")
    wait_journalled(site, "host-removed", 2)
    wait_for_all_before(site)
    site.gateway.kill()
    site.syslog.clear()
    site.gateway.start()
    site.gateway.wait_subscribed()
    [window] = json.loads(site.gateway.control("maintenance", "list", "--json").stdout)["maintenance"]
    assert window["name"] == "leaf2"
    site.fabric.relink("node1")
    back = site.message("host-added")[0]
    assert back.data["clearsId"] == told.data["id"]
    assert not messages(site, "host-removed")
    site.gateway.control("maintenance", "stop", "leaf2")
    assert site.message("host-removed")[0].data["subjectName"] == "node2"


def test_dry_run(open_site, tmp_path):
    site = open_site()
    site.gateway.wait_subscribed()
    raise_notices(site, [7] * 5 + [8])
    site.message(NOTICE, count=6)
    site.gateway.control("test", NOTICE)
    wait_for_all_before(site)
    wanted = tmp_path / "wanted.conf"
    wanted.write_text(
        section("policy", "loud", events=[NOTICE], severity="critical")
        + section("file", "all", path="/nonexistent/all")
        + section("file", "bad", path="/nonexistent/bad", severity="critical", security=False))
    answer = json.loads(site.gateway.control("dry-run", wanted, "--json").stdout)
    by_name = {one["name"]: one for one in answer["receivers"]}
    assert answer["suppressed"] == {"duplicate": 4}
    assert by_name["all"]["by_event"].items() >= {NOTICE: 2, "event-repeated": 1, "bad-mkey": 1}.items()
    assert set(by_name["bad"]["by_event"]) == {NOTICE, "event-repeated"}
    text = site.gateway.control("dry-run", wanted).stdout
    assert "duplicate 4" in text and "Receiver bad: 3" in text
    assert all(len(line) <= 100 for line in text.splitlines())
    last = json.loads(site.gateway.control("dry-run", wanted, 1, "--json").stdout)
    assert last["events"] == 1

    wanted.write_text("storm {\n rate = -1\n}\n")
    refused = site.gateway.control("dry-run", wanted, check=False)
    assert refused.returncode == 1 and f"{wanted}:2: item 'rate': value '-1'" in refused.stderr
    assert "cannot read" in site.gateway.control("dry-run", tmp_path / "none", check=False).stderr


def test_a_dry_run_counts_the_events_that_a_receiver_got(open_swept, tmp_path):
    """The ends, too, of alarms that no receiver heard of because of their cause, and no trap that a sweep explained."""
    kept = {name: tmp_path / name for name in ("errors", "all")}
    receivers = section("file", "errors", path=kept["errors"], severity="error") + section("file", "all", path=kept["all"])
    site = open_swept(policy="", more=receivers)
    site.fabric.unlink("leaf2")
    site.message("switch-removed")
    site.fabric.relink("leaf2")
    site.message("switch-added")
    wait_journalled(site, "host-added", 3)
    wait_for_all_before(site)
    wanted = tmp_path / "wanted.conf"
    wanted.write_text(receivers)
    for said in json.loads(site.gateway.control("dry-run", wanted, "--json").stdout)["receivers"]:
        path = kept[said["name"]]
        wait_until(lambda: "switch-added" in path.read_text(), "the file")
        came = [json.loads(line) for line in path.read_text().splitlines()]
        assert said["by_event"] == collections.Counter(one["event"] for one in came if not one.get("test")), said["name"]


def test_a_dry_run_opens_no_file_for_its_client(open_site, tmp_path):
    """Without this, a client could stop the gateway by a FIFO, and learn which files there are."""
    gateway = open_site().gateway
    gateway.wait_subscribed()
    os.mkfifo(tmp_path / "fifo")
    wanted = tmp_path / "wanted.conf"
    for path in (tmp_path / "fifo", "/nonexistent/file"):
        wanted.write_text(section("fabric", node_name_map=path, sa_key_file=path) + section("sweep", mkey_file=path))
        gateway.control("dry-run", wanted)
