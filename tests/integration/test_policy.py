"""What receivers get to hear of: consequences, flapping links, storms, maintenance and rules of the configuration.

Whatever they do not get is in the journal, with the reason."""

import pytest
from lab import notices
from lab.gateway import EVERYTHING, section
from lab.processes import wait_until

SWEEP = {"method": "smp", "interval": 3600, "settle": 100}
NOTICE = "system-image-guid-change"


def raise_notices(site, guids):
    """Events of one kind, each another one."""
    client = site.host("sm1")
    for guid in guids:
        client.report(notices.system_image_guid_change(6, guid), site.gateway_lid)


def wait_for_all_before(site):
    """Waits until receivers have what came up to now: events arrive in order."""
    site.host("sm1").report(notices.bad_mkey(6, 1, 0x15, 0, 99), site.gateway_lid)
    site.message("bad-mkey")


def wait_journalled(site, event, count):
    """Waits until so many events of a kind are in the journal, returns them."""

    def found():
        events = [one for one in site.gateway.journal() if one["event"] == event]
        return events if len(events) >= count else None

    return wait_until(found, f"{count} {event} in the journal")


def total(counted):
    """How many events these stand for."""
    return sum(int(one.data["repeatCount"]) for one in counted if "repeatCount" in one.data)


def messages(site, event):
    return [one for one in site.syslog.poll() if one.message_id == event]


@pytest.fixture
def open_swept(open_site):
    """Brings up a site whose gateway has subscribed and knows the fabric."""

    def build(policy):
        site = open_site(sweep=SWEEP, policy=policy)
        site.gateway.wait_subscribed()
        site.gateway.wait_status(lambda one: one["sweep"]["nodes"] == 8, "ibtrapd to know the fabric")
        return site

    return build


def test_a_dead_switch_is_told_without_its_consequences(open_swept):
    site = open_swept(policy="")
    site.fabric.unlink("leaf2")
    dead = site.message("switch-removed")[0]
    hosts = wait_journalled(site, "host-removed", 3)
    links = wait_journalled(site, "link-down", 5)
    assert {one["held"] for one in hosts + links} == {"consequence"}
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
    site.message("link-up", count=2)  # how it is in the end
    wait_for_all_before(site)
    held = [one for one in site.gateway.journal() if one.get("held") == "flapping"]
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
    held = [one for one in journalled if one.get("held") == "storm"]
    assert len(journalled) == 300 and len(held) == 300 - len(messages(site, NOTICE))
    summaries = messages(site, "storm-summary")
    assert total(summaries) == len(held)
    assert all(one.data["summarised"] == NOTICE for one in summaries)


def test_repeats_are_counted(open_site):
    site = open_site(policy=section("repeats", window=2) + section("storm", rate=0))
    site.gateway.wait_subscribed()
    raise_notices(site, [7] * 20)
    wait_until(lambda: len(messages(site, NOTICE)) + total(messages(site, "event-repeated")) >= 20, "all repeats")
    held = [one for one in wait_journalled(site, NOTICE, 20) if one.get("held") == "duplicate"]
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
    assert (quiet["held"], quiet["rule"]) == ("disabled", "quiet")
