# SPDX-License-Identifier: BSD-2-Clause
"""The receiver kind alertmanager: the alerts that an Alertmanager has are the alarms of the gateway, whatever happened.

Each test runs with a server of the tests. Where Debian's Alertmanager is installed, those whose outcome is Alertmanager's own
doing run with it, too: what it takes, keeps, ends and forgets."""

import json
import time

import pytest
from lab import pages
from lab.alertmanager import PROGRAM, Alertmanager, FakeAlertmanager, moment, written
from lab.fabric import two_managers
from lab.gateway import Gateway, section
from lab.processes import wait_until

SWEEP = {"interval": 5, "settle": 100}
EXPIRE = 20  # seconds


@pytest.fixture(params=["fake", "real"])
def peer_kind(request):
    if request.param == "real" and not PROGRAM:
        pytest.skip("prometheus-alertmanager is not installed")
    return {"fake": FakeAlertmanager, "real": Alertmanager}[request.param]


@pytest.fixture
def peer(fabric, peer_kind, tmp_path):
    return fabric.keep(peer_kind(tmp_path))


def alarms_of(gateway):
    return gateway.listed_alarms("--all")


def receiver(gateway, name="alerts"):
    return gateway.receiver(name)


def key_and_severity(peer):
    return sorted((one["labels"]["alarmkey"], one["labels"]["alertname"], one["labels"]["severity"])
                  for one in peer.alerts() if "alarmkey" in one["labels"])


def agree(gateway, peer):
    return key_and_severity(peer) == sorted((one["key"], one["event"], one["severity"]) for one in alarms_of(gateway))


def wait_agreed(gateway, *peers):
    """The oracle: what the peers have is what the gateway's list says."""
    for peer in peers:
        wait_until(lambda peer=peer: agree(gateway, peer), f"the lists to agree: {key_and_severity(peer)}")


def wait_alarms(gateway, count):
    """Waits for so many alarms beside the one that the receiver fails."""
    wait_until(lambda: len([one for one in alarms_of(gateway) if one["event"] != "receiver-failing"]) == count,
               f"{count} alarms")


def begin(open_site, *peers, more="", **items):
    items = {"urls": ", ".join(one.url for one in peers), "expire": EXPIRE, **items}
    site = open_site(sweep=SWEEP, more=section("alertmanager", "alerts", **items) + more)
    site.gateway.wait_subscribed()
    site.gateway.wait_nodes(8)
    return site


def test_alarms_are_raised_and_resolved(open_site, peer):
    site = begin(open_site, peer)
    site.fabric.unlink("leaf1", 12)
    wait_alarms(site.gateway, 1)
    wait_agreed(site.gateway, peer)
    [alarm] = alarms_of(site.gateway)
    [alert] = peer.alerts()
    assert alert["labels"]["node"] and alert["labels"]["category"] and alert["labels"]["source"]
    assert alert["annotations"]["summary"] == alarm["text"]
    assert alert["annotations"]["explain"] == f"ibtrapctl explain {alarm['id']}"
    site.fabric.relink("leaf1", 12)
    wait_alarms(site.gateway, 0)
    wait_agreed(site.gateway, peer)
    wait_until(lambda: receiver(site.gateway)["state"] == "working", "the receiver to work")
    wait_until(lambda: receiver(site.gateway)["queued"] == 0, "the events to be confirmed")


# Restarts and outages. The alerts expire late, so that an expiry explains nothing.

LATE = {"expire": 3600}


def begin_with_alarm(open_site, *peers, **items):
    site = begin(open_site, *peers, **{**LATE, **items})
    site.fabric.unlink("leaf1", 12)
    wait_alarms(site.gateway, 1)
    wait_agreed(site.gateway, *peers)
    return site


def test_what_ends_and_begins_while_the_gateway_is_down(open_site, peer):
    site = begin_with_alarm(open_site, peer, expire=EXPIRE)  # that long what ended meanwhile may stand
    before = peer.alerts()
    assert site.gateway.stop() == 0
    assert len(peer.alerts()) == 1
    site.gateway.start()
    site.gateway.wait_subscribed()
    wait_until(lambda: receiver(site.gateway)["state"] == "working", "the receiver to work")
    wait_agreed(site.gateway, peer)
    assert [one["labels"] for one in peer.alerts()] == [one["labels"] for one in before]
    site.gateway.kill()
    site.fabric.relink("leaf1", 12)
    site.fabric.unlink("storage1", 1)
    site.gateway.start()
    site.gateway.wait_subscribed()
    wait_until(lambda: "storage1" in str(alarms_of(site.gateway)), "the other alarm")
    wait_agreed(site.gateway, peer)


def test_alerts_end_if_the_gateway_is_gone_and_begin_again_with_it(open_site, peer):
    site = begin_with_alarm(open_site, peer, expire=EXPIRE)
    before = peer.alerts()
    site.gateway.kill()
    wait_until(lambda: not peer.alerts(), "the alert to expire")
    site.gateway.start()
    site.gateway.wait_subscribed()
    wait_agreed(site.gateway, peer)
    assert [one["labels"] for one in peer.alerts()] == [one["labels"] for one in before]


def change_while_paused(site, peer):
    """Pauses the receiver, ends its alarm and raises another one: the peer is told neither."""
    before = peer.alerts()
    site.gateway.control("receivers", "pause", "alerts")
    site.fabric.relink("leaf1", 12)
    site.fabric.unlink("storage1", 1)
    wait_until(lambda: "leaf1" not in str(alarms_of(site.gateway)) and "storage1" in str(alarms_of(site.gateway)),
               "the alarms to change")
    assert receiver(site.gateway)["state"] == "paused" and receiver(site.gateway)["queued"] > 0
    assert peer.alerts() == before


def test_a_paused_receiver_tells_nothing_until_it_goes_on(open_site, peer):
    site = begin_with_alarm(open_site, peer)
    change_while_paused(site, peer)
    site.gateway.control("receivers", "resume", "alerts")
    wait_agreed(site.gateway, peer)
    wait_until(lambda: receiver(site.gateway)["queued"] == 0, "the events to be confirmed")
    assert receiver(site.gateway)["state"] == "working"


def test_a_flush_gives_up_events_and_no_alarm(open_site, peer):
    site = begin_with_alarm(open_site, peer)
    change_while_paused(site, peer)
    site.gateway.control("receivers", "flush", "alerts")
    site.gateway.control("receivers", "resume", "alerts")
    wait_agreed(site.gateway, peer)
    assert "storage1" in str(peer.alerts())


def test_what_ends_and_begins_while_the_peer_is_down(open_site, peer):
    site = begin_with_alarm(open_site, peer)
    peer.stop()
    site.fabric.relink("leaf1", 12)
    wait_alarms(site.gateway, 0)
    wait_until(lambda: receiver(site.gateway)["state"] == "failing", "the failure to be told")
    assert "127.0.0.1" in receiver(site.gateway)["problem"]
    site.fabric.unlink("storage1", 1)
    wait_until(lambda: "storage1" in str(alarms_of(site.gateway)), "the other alarm")
    peer.start()
    wait_agreed(site.gateway, peer)
    wait_until(lambda: receiver(site.gateway)["state"] == "working", "the receiver to work")


def fail_for_a_while(site, peer):
    """Lets the peer fail at another alarm. The gateway posts everything again when it recovers."""
    peer.fail()
    site.fabric.unlink("storage1", 1)
    wait_until(lambda: receiver(site.gateway)["state"] == "failing", "the failure to be told")
    peer.recover()


def test_what_the_peer_would_end_too_soon_is_posted_again(open_site, peer):
    site = begin_with_alarm(open_site, peer)
    [alert] = peer.alerts()
    labels, moments = alert["labels"], [time.time() + seconds for seconds in (0, 200)]
    peer.ask("/api/v2/alerts", [{"labels": labels, "startsAt": alert["startsAt"], "endsAt": written(moments[0])}])
    peer.ask("/api/v2/alerts", [{"labels": labels, "startsAt": written(time.time()), "endsAt": written(moments[1])}])

    def end():
        return next(moment(one["endsAt"]) for one in peer.alerts() if one["labels"] == labels)
    assert end() - moments[1] < 1
    fail_for_a_while(site, peer)
    wait_until(lambda: end() > moments[1] + 1000, "the alert to be posted again")
    wait_agreed(site.gateway, peer)


def test_what_the_peer_has_although_it_ended_is_resolved_again(open_site, peer):
    site = begin_with_alarm(open_site, peer)
    [alert] = peer.alerts()
    site.fabric.relink("leaf1", 12)
    wait_alarms(site.gateway, 0)
    wait_agreed(site.gateway, peer)
    now = time.time()
    peer.ask("/api/v2/alerts", [{"labels": alert["labels"], "startsAt": written(now), "endsAt": written(now + 3600)}])
    assert len(peer.alerts()) == 1
    fail_for_a_while(site, peer)
    wait_until(lambda: alert["labels"] not in [one["labels"] for one in peer.alerts()], "the alert to be resolved again")
    wait_until(lambda: "storage1" in str(alarms_of(site.gateway)), "the other alarm")
    wait_agreed(site.gateway, peer)


def test_a_peer_that_restarts_has_all_alerts_again(open_site, peer):
    """It keeps alerts in memory. At the latest it has them after a quarter of `expire`."""
    site = begin_with_alarm(open_site, peer, expire=EXPIRE)
    site.fabric.unlink("storage1", 1)
    wait_until(lambda: "storage1" in str(alarms_of(site.gateway)), "the other alarm")
    wait_agreed(site.gateway, peer)
    peer.stop()
    peer.start()
    wait_agreed(site.gateway, peer)
    site.fabric.relink("leaf1", 12)
    site.fabric.relink("storage1", 1)
    wait_alarms(site.gateway, 0)
    wait_agreed(site.gateway, peer)


def test_what_ends_while_the_peer_does_not_answer(open_site, fabric, tmp_path):
    peer = fabric.keep(FakeAlertmanager(tmp_path))
    site = begin_with_alarm(open_site, peer)
    peer.fault = 503
    site.fabric.relink("leaf1", 12)
    wait_alarms(site.gateway, 0)
    wait_until(lambda: "answers 503" in (receiver(site.gateway)["problem"] or ""), "the failure to be told")
    assert len(peer.alerts()) == 1
    peer.fault = None
    wait_agreed(site.gateway, peer)


def test_an_alert_that_is_refused_keeps_no_other_away(open_site, fabric, tmp_path):
    peer = fabric.keep(FakeAlertmanager(tmp_path))
    peer.refuses = lambda alert: "storage1" in (alert["labels"].get("node"), alert["labels"].get("peer"))
    site = begin(open_site, peer)
    site.fabric.unlink("storage1", 1)
    wait_until(lambda: "storage1" in str(alarms_of(site.gateway)), "the alarm")
    wait_until(lambda: "refused" in (receiver(site.gateway)["problem"] or ""), "the refusal to be told")
    site.fabric.unlink("leaf1", 12)
    wait_until(lambda: any("leaf1" in one["text"] and "storage1" not in one["text"] for one in alarms_of(site.gateway)),
               "another alarm")
    wait_until(lambda: any(one["labels"]["alertname"] == "link-down" for one in peer.alerts()), "the other alert")
    assert not any(peer.refuses(one) for one in peer.alerts())
    peer.refuses = lambda alert: False
    wait_agreed(site.gateway, peer)
    wait_until(lambda: receiver(site.gateway)["state"] == "working", "the receiver to work")


def test_a_peer_that_answers_but_takes_nothing_fails_once(open_site, fabric, tmp_path):
    peer = fabric.keep(FakeAlertmanager(tmp_path))
    site = begin_with_alarm(open_site, peer)
    peer.post_fault = 503
    greetings = peer.greetings
    site.fabric.relink("leaf1", 12)
    wait_until(lambda: peer.greetings >= greetings + 4, "it to be tried again")
    failed = receiver(site.gateway)["failed"]  # each of them after a greeting, but for the first
    assert 3 <= failed <= peer.greetings - greetings + 1
    assert "takes alerts again" not in site.gateway.log
    peer.post_fault = None
    wait_agreed(site.gateway, peer)
    wait_until(lambda: "takes alerts again" in site.gateway.log, "the end of the failure to be told")


def test_a_peer_that_answers_again_works_although_it_is_owed_nothing(fabric, tmp_path):
    """The filter leaves out the alarm that the receiver fails, so that nothing is to be posted."""
    peer = fabric.keep(FakeAlertmanager(tmp_path))
    peer.fault = 503
    more = section("alertmanager", "alerts", urls=peer.url, events=["link-down"])
    gateway = fabric.keep(Gateway(fabric, preload=False, more=more))
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    wait_until(lambda: "answers 503" in (receiver(gateway)["problem"] or ""), "the failure to be told")
    peer.fault = None
    wait_until(lambda: receiver(gateway)["state"] == "working", "the receiver to work")
    assert peer.greetings and not peer.posts


def test_alertmanagers_are_judged_each_on_its_own(open_site, fabric, tmp_path):
    first, second, third = peers = [fabric.keep(FakeAlertmanager(tmp_path)) for _ in range(3)]
    site = begin_with_alarm(open_site, *peers)
    second.stop()
    site.fabric.relink("leaf1", 12)
    wait_alarms(site.gateway, 0)
    wait_agreed(site.gateway, first, third)
    wait_until(lambda: (receiver(site.gateway)["problem"] or "").startswith("1 of 3 Alertmanagers: "), "the failure to be told")
    wait_until(lambda: receiver(site.gateway)["queued"] == 0, "the events to be confirmed by the others")
    site.fabric.unlink("leaf1", 12)
    wait_alarms(site.gateway, 1)
    second.start()
    wait_agreed(site.gateway, *peers)


def test_alerts_are_posted_again_before_they_expire(open_site, fabric, tmp_path):
    peer = fabric.keep(FakeAlertmanager(tmp_path))
    begin_with_alarm(open_site, peer, expire=20)

    def posts():
        return [alert for batch in list(peer.posts) for alert in batch]
    wait_until(lambda: len(posts()) >= 2, "a refresh")
    assert len({json.dumps(one["labels"], sort_keys=True) for one in posts()}) == 1
    assert len({one["startsAt"] for one in posts()}) == 1
    assert len({one["endsAt"] for one in posts()}) == len(posts())


@pytest.mark.parametrize("ahead", [-400, -40, 90])
def test_an_end_is_an_end_by_the_clock_of_the_peer(open_site, fabric, tmp_path, ahead):
    peer = fabric.keep(FakeAlertmanager(tmp_path))
    peer.ahead = ahead
    site = begin_with_alarm(open_site, peer, expire=60)
    site.fabric.relink("leaf1", 12)
    wait_alarms(site.gateway, 0)
    wait_agreed(site.gateway, peer)


def test_the_other_gateway_of_a_pair_goes_on_with_the_alerts(tmp_path):
    with two_managers() as (fabric, master, _):
        peer = fabric.keep(FakeAlertmanager(tmp_path))
        more = section("alertmanager", "alerts", urls=peer.url, source="pair", **LATE)
        gateways = [fabric.keep(Gateway(fabric, host=host, active="with-master-sm", beside_sm=True, more=more,
                                        sweep={"interval": 5, "settle": 300})) for host in ("sm1", "sm2")]
        for gateway in gateways:
            gateway.wait_subscribed()
            gateway.wait_status(lambda one: len(one["sms"]) == 2, "both subnet managers to be known")
        fabric.unlink("storage1", 1)
        for gateway in gateways:
            wait_until(lambda gateway=gateway: "storage1" in str(alarms_of(gateway)), "the alarm")

        def told():  # the link's alert may come before, and has its switch as the node
            return [one for one in peer.alerts()
                    if (one["labels"]["alertname"], one["labels"].get("node")) == ("host-removed", "storage1")]

        def ends():  # of that alert; what goes on ends in an hour
            return [one for batch in list(peer.posts) for one in batch
                    if one["labels"] == before["labels"] and moment(one["endsAt"]) < time.time()]

        [before] = wait_until(told, "the alert")
        posts = len(peer.posts)
        master.kill()
        gateways[0].kill()
        gateways[1].wait_status(lambda one: one["role"]["active"], "the other to take over")
        wait_until(lambda: before["labels"] in [one["labels"] for batch in peer.posts[posts:] for one in batch],
                   "the other to post it")
        [after] = told()
        assert after["labels"] == before["labels"] and after["startsAt"] <= before["startsAt"]
        assert not ends()
        fabric.relink("storage1", 1)
        wait_until(lambda: "storage1" not in str(peer.alerts()), "the other to end it")
        wait_until(lambda: receiver(gateways[1])["queued"] == 0, "the events to be confirmed")
        assert ends()


# What receivers are told, and what not.

def test_shelved_alarms_end_and_acknowledged_ones_say_so(open_site, fabric, tmp_path):
    peer = fabric.keep(FakeAlertmanager(tmp_path))
    site = begin_with_alarm(open_site, peer)
    [alarm] = alarms_of(site.gateway)
    site.gateway.control("alarms", "acknowledge", alarm["key"], "new cable ordered")
    wait_until(lambda: [one["annotations"].get("acknowledged") for one in peer.alerts()] == ["new cable ordered"], "the note")
    site.gateway.control("alarms", "shelve", alarm["key"], "60")
    wait_until(lambda: not peer.alerts(), "the alert to end")
    site.gateway.control("alarms", "shelve", alarm["key"], "0")
    wait_agreed(site.gateway, peer)
    assert len(alarms_of(site.gateway)) == 1


def test_the_filter_decides(open_site, fabric, tmp_path):
    peer = fabric.keep(FakeAlertmanager(tmp_path))
    site = begin(open_site, peer, nodes=["storage*"], **LATE)
    site.fabric.unlink("leaf1", 12)
    site.fabric.unlink("storage1", 1)
    wait_until(lambda: "storage1" in str(alarms_of(site.gateway)), "both alarms")
    wait_until(peer.alerts, "the alert")
    assert all("storage1" in (one["labels"]["node"], one["labels"].get("peer")) for one in peer.alerts())
    link = next(one["key"] for one in alarms_of(site.gateway) if "leaf1" in one["text"])
    wait_until(lambda: receiver(site.gateway)["queued"] == 0, "the events to be confirmed")
    assert link not in [one["labels"]["alarmkey"] for one in peer.alerts()]


def test_alerts_of_others_stay(open_site, peer):
    site = begin_with_alarm(open_site, peer)
    theirs = [{"alertname": "link-down", "source": "elsewhere", "alarmkey": "link x"}, {"alertname": "disk-full"},
              {"alertname": "link-down", "source": peer.alerts()[0]["labels"]["source"], "test": "true", "alarmkey": "link y"}]
    ends = {"startsAt": "2020-01-01T00:00:00Z", "endsAt": "2100-01-01T00:00:00Z"}
    peer.ask("/api/v2/alerts", [{"labels": labels, **ends} for labels in theirs])
    assert site.gateway.stop() == 0
    site.gateway.start()
    site.gateway.wait_subscribed()
    site.fabric.relink("leaf1", 12)
    wait_until(lambda: "leaf1" not in str(peer.alerts()), "the gateway's own alert to end")
    assert sorted(map(str, theirs)) == sorted(str(one["labels"]) for one in peer.alerts())


def test_a_test_event_is_an_alert_that_ends_by_itself(open_site, peer):
    site = begin(open_site, peer, **LATE)
    shown = site.gateway.control("test", "link-down", "--receiver", "alerts").stdout
    assert "delivered" in shown
    [alert] = [one for one in peer.alerts() if one["labels"].get("test") == "true"]
    assert alert["labels"]["alertname"] == "link-down"


FAULTS = {404: "without /api/v2", 401: "check the user, password or token", 500: "answers 500"}


def test_an_answer_that_is_none_is_explained(fabric, tmp_path):
    more = ""
    for fault in FAULTS:
        peer = fabric.keep(FakeAlertmanager(tmp_path))
        peer.fault = fault
        more += section("alertmanager", f"alerts{fault}", urls=peer.url)
    gateway = fabric.keep(Gateway(fabric, preload=False, more=more))  # on a machine without an adapter
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    for fault, words in FAULTS.items():
        wait_until(lambda fault=fault, words=words: words in (receiver(gateway, f"alerts{fault}")["problem"] or ""), words)


def test_a_long_answer_takes_no_memory(fabric, tmp_path):
    peer = fabric.keep(FakeAlertmanager(tmp_path))
    peer.answer = b"[" + b"{}," * 20000000 + b"{}]"
    gateway = fabric.keep(Gateway(fabric, preload=False, more=section("alertmanager", "alerts", urls=peer.url)))
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    wait_until(lambda: peer.posts or peer.greetings >= 2, "posts")
    wait_until(lambda: receiver(gateway)["state"] == "working", "the receiver to work")
    assert not gateway.has_taken(40)


# The page.

@pytest.mark.skipif(not PROGRAM, reason="prometheus-alertmanager is not installed")
def test_the_routes_and_inhibition_of_the_page(open_site, fabric, tmp_path):
    config = pages.blocks("alertmanager", "alertmanager")[0].replace("group_wait: 30s", "group_wait: 1s")
    peer = fabric.keep(Alertmanager(tmp_path, config))
    site = begin_with_alarm(open_site, peer, source="fabric1")
    [alert] = peer.alerts()
    assert [one["name"] for one in alert["receivers"]] == ["chat"]
    site.gateway.control("test", "switch-removed", "--receiver", "alerts")

    def post(**labels):
        peer.ask("/api/v2/alerts", [{"labels": {"source": "made-up", **labels}}])

    def found(name):
        return next((one for one in peer.alerts() if one["labels"]["alertname"] == name), None)
    assert [one["name"] for one in found("switch-removed")["receivers"]] == ["tests"]
    post(alertname="host-removed", severity="error", node="n1")
    post(alertname="link-degraded", severity="warning", node="n1")
    post(alertname="link-unreliable", severity="warning", node="n2", port="1")
    post(alertname="link-errors-raised", severity="warning", node="n2", port="1")
    post(alertname="port-removed", severity="warning", node="n2")
    post(alertname="bad-mkey", severity="warning", category="security", node="n2")
    for name, inhibited in (("link-degraded", True), ("link-errors-raised", True), ("port-removed", False)):
        wait_until(lambda name=name, inhibited=inhibited: bool(found(name)["status"]["inhibitedBy"]) == inhibited
                   and found(name)["status"]["state"] != "unprocessed", f"inhibition of {name}")
    assert [one["name"] for one in found("host-removed")["receivers"]] == ["oncall"]
    assert [one["name"] for one in found("bad-mkey")["receivers"]] == ["security"]

    groups = [(one["receiver"]["name"], one["labels"]) for one in peer.ask("/api/v2/alerts/groups")]
    assert ("chat", {"source": "fabric1", "node": alert["labels"]["node"]}) in groups
    key = {"name": "alarmkey", "value": alert["labels"]["alarmkey"], "isRegex": False, "isEqual": True}
    peer.ask("/api/v2/silences", {"matchers": [key], "startsAt": "2020-01-01T00:00:00Z", "endsAt": "2100-01-01T00:00:00Z",
                                  "createdBy": "test", "comment": "new cable ordered"})
    wait_until(lambda: found("link-down")["status"]["silencedBy"], "the silence")
    assert site.gateway.stop() == 0
    site.gateway.start()
    site.gateway.wait_subscribed()
    wait_until(lambda: receiver(site.gateway)["state"] == "working", "the receiver to work")
    assert found("link-down")["status"]["silencedBy"]
