# SPDX-License-Identifier: BSD-2-Clause
"""The page about policy: each reason, each promise and each example of it, at a log server."""

import re
import signal

import pytest
from conftest import CONFIG
from lab import notices, pages
from lab.fabric import Fabric

INACTIVE, MOVED, DEAD, MAINTENANCE, WINDOW, SHELVE = pages.indented("policy")
[POLICIES] = pages.blocks("policy", "ibtrapd")
REASONS = {row[0].strip("`"): row for row in pages.table("policy", "reason")}
NODES, MULTICAST = 8, bytes.fromhex("ff12401bffff00000000000000000007")
NOTICE = "system-image-guid-change"
LINK = ("leaf1", 12)


class Watched:
    """A gateway that knows the fabric, and the log server that it sends to."""

    def __init__(self, site, collector, config="", more="", filters=""):
        self.site, self.fabric, self.collector = site, site.fabric, collector
        self.subnet_manager = None
        site.connect()
        self.receiver = f'syslog "logs" {{ transport = "udp" address = "{collector.address}" {filters} }}\n'
        site.start_gateway(config + self.receiver, more=more)
        site.wait(lambda: site.json("status")["sweep"]["nodes"] == NODES, "ibtrapd to know the fabric")

    def configure(self, change):
        path = self.site.path(CONFIG)
        path.write_text(change(path.read_text()))
        self.site.run("ibtrapctl", "reload")

    def events(self, name=None):
        return [one for one in self.site.json("events", "--limit", "1000")["events"] if name in (None, one["event"])]

    def journalled(self, name, reason=None, count=1):
        """Waits until the journal has so many events of that name, suppressed for that reason; None: notified."""
        def there():
            found = [one for one in self.events(name) if one.get("suppressed") == reason]
            return found if len(found) >= count else None

        try:
            return self.site.wait(there, f"{count} {name}, {reason}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.site.run('ibtrapctl', 'events')}") from None

    def message(self, name, about="", count=1, timeout=60):
        """Waits until the log server has so many messages of that name and with these words, returns the last."""
        def fits(one):
            return one.message_id == name and about in one.text

        return self.collector.wait_for(fits, f"{name} {about}", timeout, count)[-1]

    def got(self, name, about=""):
        return [one for one in self.collector.poll() if one.message_id == name and about in one.text]

    def all_before(self):
        """Waits until the log server has all events up to now: they arrive in order."""
        before = len(self.got("heartbeat"))
        self.site.run("ibtrapctl", "test", "heartbeat")
        self.message("heartbeat", count=before + 1)

    def image_change(self, guid):
        self.subnet_manager = self.subnet_manager or self.fabric.client("sm1")
        self.subnet_manager.report(notices.system_image_guid_change(6, guid), self.fabric.lid_of("monitor"))


def as_root(shown):
    """What a page shows of alice, for root, who runs the tests."""
    return shown.replace("alice (uid 1000)", "root (uid 0)")


def make_disabled(site, collector):
    one = Watched(site, collector)
    one.fabric.client("node1").join(MULTICAST)
    one.journalled("mcast-group-created", "disabled")
    one.fabric.unlink(*LINK)
    one.message("link-down")
    one.configure(lambda text: text + 'policy "no-links" { events = {"link-*"} enabled = false }\n')
    one.fabric.relink(*LINK)
    one.message("link-up")  # the end of an alarm that was sent
    one.fabric.unlink(*LINK)
    one.journalled("link-down", "disabled")
    one.all_before()
    assert not one.got("mcast-group-created") and len(one.got("link-down")) == 1


def make_consequence(site, collector):
    one = Watched(site, collector)
    one.fabric.unlink("leaf2")
    dead = one.message("switch-removed")
    site.shows("ibtrapctl events", DEAD)
    one.all_before()
    assert not one.got("host-removed") and not one.got("link-down")
    assert all(trap.data["severity"] == "notice" and "alarmKey" not in trap.data for trap in one.got("gid-out-of-service"))
    assert all(node in dead.text for node in ("sm2", "node2", "storage1"))
    for port in 11, 12, 3:  # the switch comes back with one of three nodes
        one.fabric.relink("leaf2", port)
    back = one.message("switch-added")
    one.message("host-removed", "sm2")
    one.message("host-removed", "storage1")
    missing = [said.text for said in one.collector.poll() if "are still missing" in said.text]
    assert missing and re.search(r"\d of the 3 nodes that went with it are still missing", missing[0]), (back.text, missing)


def make_duplicate(site, collector):
    one = Watched(site, collector)
    for _ in range(3):
        one.image_change(7)
    one.journalled(NOTICE, "duplicate", 2)
    counted = one.message("event-repeated", timeout=120)
    assert counted.data["repeatCount"] == "2" and len(one.got(NOTICE)) == 1


def make_hold_down(site, collector):
    one = Watched(site, collector, POLICIES)
    one.fabric.unlink("node1")
    one.journalled("host-removed", "hold-down")
    one.fabric.relink("node1")
    one.journalled("host-added", "never-notified")
    one.fabric.unlink("node2")
    held = one.journalled("host-removed", "hold-down", 2)[-1]
    told = one.message("host-removed", timeout=90)
    assert "node2" in told.text and told.data["relatedId"] == held["id"] and not one.got("host-added")


def make_flapping(site, collector):
    one = Watched(site, collector, "flap { quiet = 10 }\n")
    for change in range(1, 5):
        one.fabric.unlink(*LINK)
        site.wait(lambda: len(one.events("link-down")) >= change, "the link to be down")
        if change < 4:
            one.fabric.relink(*LINK)
            site.wait(lambda: len(one.events("link-up")) >= change, "the link to be up")
    flapping = one.message("flapping")
    one.journalled("link-down", "flapping")
    settled = one.message("settled", timeout=120)
    assert settled.data["clearsId"] == flapping.data["id"] and re.search(r"\d", settled.text)
    down = len(one.got("link-down"))
    assert down > len(one.got("link-up")) or one.message("link-down", count=down + 1)  # the alarm is active


def make_storm(site, collector):
    one = Watched(site, collector, "storm { rate = 5 }\n")  # fewer, as the machine may be busy
    guid = 0

    def suppressed():
        nonlocal guid
        for guid in range(guid + 1, guid + 301):
            one.image_change(guid)
        return any(said.get("suppressed") == "storm" for said in one.events(NOTICE))

    site.wait(suppressed, "a storm", 120)
    assert one.message("storm-summary", timeout=120).data["summarised"] == NOTICE


def make_maintenance(site, collector):
    one = Watched(site, collector)
    start, _, show, _, stop, _ = MAINTENANCE.splitlines()
    window = as_root(WINDOW)
    site.shell(start)
    site.shows(show, window.split(", 2 alarms")[0])
    one.fabric.unlink("node1")
    one.journalled("host-removed", "maintenance")
    site.run("systemctl", "restart", "ibtrapd")
    site.shows(show, window)
    one.all_before()
    assert not one.got("host-removed")
    site.shell(stop)
    assert "node1" in one.message("host-removed").text


def make_shelved(site, collector):
    one = Watched(site, collector)
    one.fabric.unlink(*LINK)
    alarm = one.message("link-down")
    number = one.events("link-down")[-1]["number"]
    assert "shelve 4 60" in SHELVE
    site.shell(SHELVE.replace("shelve 4 60", f"shelve {number} 60"))
    site.shows("ibtrapctl alarms", "shelved until 2026-11-22T06:20:42Z")
    one.fabric.relink(*LINK)
    assert one.message("link-up").data["clearsId"] == alarm.data["id"]
    one.fabric.unlink(*LINK)
    one.journalled("link-down", "shelved")
    one.all_before()
    assert len(one.got("link-down")) == 1
    site.run("ibtrapctl", "alarms", "shelve", alarm.data["alarmKey"], "0")
    one.message("link-down", count=2)


def make_never_notified(site, collector):
    one = Watched(site, collector, POLICIES)
    one.fabric.unlink("node1")
    one.journalled("host-removed", "hold-down")
    one.fabric.relink("node1")
    one.journalled("host-added", "never-notified")
    one.all_before()
    assert not one.got("host-added")


def make_awaits_sweep(site, collector):
    one = Watched(site, collector)
    one.fabric.unlink("node1")
    one.journalled("gid-out-of-service", "awaits-sweep")
    one.message("host-removed", "node1")
    one.all_before()
    assert not one.got("gid-out-of-service")


MAKERS = {"disabled": make_disabled, "consequence": make_consequence, "duplicate": make_duplicate, "hold-down": make_hold_down,
          "flapping": make_flapping, "storm": make_storm, "maintenance": make_maintenance, "shelved": make_shelved,
          "awaits-sweep": make_awaits_sweep, "never-notified": make_never_notified}
ELSEWHERE = {"standby"}  # test_high_availability.py


@pytest.mark.parametrize("reason", [reason for reason in REASONS if reason not in ELSEWHERE])
def test_a_reason(site, collector, reason):
    MAKERS[reason](site, collector)


def test_alarms_that_no_longer_hold_end(site, collector):
    one = Watched(site, collector)
    one.fabric.unlink(*LINK)
    one.message("link-down")
    one.fabric.link("leaf1", 12, "leaf2", 5)
    moved = one.message("alarm-cleared")
    assert moved.data["clearsId"] == one.got("link-down")[0].data["id"]
    site.shows("ibtrapctl events", MOVED)
    one.fabric.link("storage1", 2, "leaf1", 5)
    one.message("port-added")
    one.fabric.unlink("storage1", 2)
    port = one.message("port-removed")
    one.fabric.unlink("storage1", 1)
    one.message("host-removed", "storage1")
    assert one.message("alarm-cleared", count=2).data["clearsId"] == port.data["id"]


def test_a_link_that_no_subnet_manager_sets_up(site, collector):
    one = Watched(site, collector)
    one.fabric.unlink("node1")
    one.message("host-removed")
    site.subnet_manager.process.popen.send_signal(signal.SIGSTOP)
    one.fabric.relink("node1")
    one.message("link-inactive")
    site.shows("ibtrapctl events", INACTIVE)
    assert not one.got("host-added")
    site.subnet_manager.process.popen.send_signal(signal.SIGCONT)
    site.subnet_manager.reload()
    one.message("host-added")
    one.message("link-active")


def test_policies_change_what_receivers_get(site, collector, tmp_path):
    names = "/etc/ibtrapd/names"
    site.path(names).write_text('0x0002c90200c20000 "spine1"\n')
    one = Watched(site, collector, POLICIES, more=f'node_name_map = "{names}" ')
    one.fabric.unlink(*LINK)
    core = one.message("link-down")
    assert core.severity == core.data["severity"] == "critical" and "spine1" in core.text and core.data["rule"] == "core"
    site.run("systemctl", "stop", "ibtrapd")
    renamed = tmp_path / "renamed.net"
    renamed.write_text(one.fabric.net.read_text().replace('"node1"', '"node9"'))
    with Fabric(renamed) as site.fabric:  # the simulator cannot rename a node
        site.connect()
        site.start()
        assert one.journalled("node-renamed", "disabled")[0]["rule"] == "no-renames"
        one.all_before()
        assert not one.got("node-renamed")


def test_a_filter_that_refuses_the_root_cause(site, collector):
    """The receiver gets the alarm about its node, and the end, although others do not."""
    one = Watched(site, collector, filters='nodes = {"node2"}')
    one.fabric.unlink("leaf2")
    gone = one.message("host-removed", "node2")
    one.journalled("host-removed", "consequence", 3)
    one.fabric.relink("leaf2")
    assert one.message("host-added", "node2").data["alarmKey"] == gone.data["alarmKey"]
    [link] = one.got("link-down")
    assert "node2" in link.text and one.message("link-up").data["alarmKey"] == link.data["alarmKey"]
    assert not one.got("switch-removed") and all("node2" in said.text for said in one.got("host-removed"))
    one.fabric.unlink("node1")
    number = one.journalled("host-removed")[-1]["number"]
    site.wait(lambda: re.search(r"logs +syslog +filtered .* nodes", site.run("ibtrapctl", "explain", number)), "the item")


def test_a_receiver_of_links(site, collector):
    one = Watched(site, collector, filters='events = {"link-*"}')
    one.fabric.unlink("leaf2")
    one.message("link-down", count=5)
    one.fabric.relink("leaf2")
    one.message("link-up", count=5)
    assert {said.message_id for said in one.collector.poll()} <= {"link-down", "link-up", "link-state-change"}


def test_no_filter_leaves_an_alarm_raised(site, collector):
    one = Watched(site, collector, filters='severity = "warning"')
    for number in 1, 2:
        one.fabric.unlink(*LINK)
        down = one.message("link-down", count=number)
        if number == 2:
            one.configure(lambda text: text.replace('severity = "warning"', 'severity = "critical"'))
        one.fabric.relink(*LINK)
        up = one.message("link-up", count=number)
        assert up.severity != "warning" and up.data["alarmKey"] == down.data["alarmKey"]
    assert "clearsId" not in up.data  # the filter changed meanwhile


def test_an_alarm_is_acknowledged(site, collector):
    one = Watched(site, collector)
    one.fabric.unlink(*LINK)
    one.message("link-down")
    number = one.events("link-down")[-1]["number"]
    [line] = re.findall(r"`(ibtrapctl alarms acknowledge [^`]*)`", pages.text("policy"))
    site.shell(line.replace(" 4 ", f" {number} "))
    site.shows("ibtrapctl alarms", as_root("acknowledged 2026-11-22T05:20:42Z by alice (uid 1000): cable ordered"))
    one.fabric.relink(*LINK)
    one.message("link-up")


def test_policy_lets_a_test_pass(site, collector):
    one = Watched(site, collector, POLICIES)
    for name in "node-renamed", "host-removed":
        site.run("ibtrapctl", "test", name)
        assert one.message(name).text.startswith("[test]")
    assert not site.json("alarms", "--all")["alarms"]


def test_a_stop_sends_the_counts(site, collector):
    one = Watched(site, collector)
    for _ in range(3):
        one.image_change(7)
    one.journalled(NOTICE, "duplicate", 2)
    site.run("systemctl", "stop", "ibtrapd")
    assert one.message("event-repeated").data["repeatCount"] == "2"
