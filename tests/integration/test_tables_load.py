# SPDX-License-Identifier: BSD-2-Clause
"""The subagent under failures: snmpd ends, hangs or is slow, the fabric changes during a walk. And access control by
SNMPv3."""

import contextlib
import itertools
import json
import threading
import time

import pytest
from lab import notices
from lab.attempts import wait_passing
from lab.fabric import Fabric
from lab.gateway import Gateway, section
from lab.own_mib import OWN_IDS
from lab.processes import LabError, wait_until
from lab.receivers import TrapSocket
from lab.snmpd import Snmpd
from lab.sockets import unix_of
from lab.tables import GSW, Manager, dotted, global_id, read_line

OWN = (*OWN_IDS, 1)
SUBSCRIPTION_CHANGED = (*OWN, 2, 1, 5)
UPTIME = (1, 3, 6, 1, 2, 1, 1, 3, 0)
SWITCHES = (*GSW, 2, 1, 0)
PORTS = (*GSW, 10, 5)
LEAF1, LEAF2 = tuple(global_id(0x0002C90200C10000)), tuple(global_id(0x0002C90200C20000))
EVENT = "system-image-guid-change"
GUID = "1.3.6.1.3.117.3.1.1.6.0"  # ibSmaSystemImageGuid.0
READ_LASTS_S = 1.1  # the subagent reads the gateway's state again after a second


@pytest.fixture
def snmpd(tmp_path):
    with Snmpd(tmp_path) as one:
        yield one


@pytest.fixture
def manager(snmpd):
    return Manager(snmpd.address)


@pytest.fixture
def site(open_site, snmpd):
    """A gateway below snmpd, with a sweep done."""
    snmpd.start()
    opened = open_site(sweep={"interval": 600, "settle": 0}, more=section("subagent", socket=snmpd.socket))
    opened.gateway.wait_subscribed()
    wait_up(opened.gateway)
    swept(opened.gateway, 2)
    return opened


def wait_up(gateway):
    return gateway.wait_status(lambda one: one["tables"]["up"], "the tables to be served", timeout=300)


def swept(gateway, count, meanwhile=lambda: None):
    """Sweeps until the fabric has that many switches."""

    def look():
        meanwhile()
        gateway.control("sweep", "now")
        nodes = json.loads(gateway.control("topology", "--json", check=False).stdout or "{}").get("nodes", [])
        return sum(node["type"] == "switch" for node in nodes) == count

    wait_until(look, f"{count} switches", interval=0.5)


def report(site, numbers, client=None):
    client = client or site.host("sm1")
    for number in numbers:
        client.report(notices.system_image_guid_change(6, number), site.gateway_lid)


def numbers_in(syslog):
    return [int(one.data["systemImageGuid"], 0) for one in syslog.poll() if one.message_id == EVENT]


def numbers_in_traps(traps):
    return [int.from_bytes(one.value, "big") for item in traps.poll() for one in item.varbinds if one.oid == GUID]


def expect(site, numbers):
    """Checks that each receiver gets each event once, in order."""
    numbers = list(numbers)
    site.message(EVENT, len(numbers))
    wait_until(lambda: len(numbers_in_traps(site.traps)) >= len(numbers), "all notifications")
    assert numbers_in(site.syslog) == numbers_in_traps(site.traps) == numbers


@contextlib.contextmanager
def walkers(snmpd, count):
    """Managers that walk all the time, with or without answers. Returns the number of completed walks."""
    end, done = threading.Event(), []

    def walk():
        manager = Manager(snmpd.address)
        while not end.is_set():
            with contextlib.suppress(LabError):
                done.append(len(manager.walk(tool="snmpbulkwalk", options=["-Cr20", "-t1", "-r0"])))

    threads = [threading.Thread(target=walk) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield done
    finally:
        end.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_snmpd_is_restarted_under_load(site, snmpd, manager, end):
    instances, client = manager.walk(PORTS).keys(), site.host("sm1")
    with walkers(snmpd, 2) as walks:
        for begin in range(1, 151, 50):
            wait_until(lambda before=len(walks): len(walks) > before, "a walk to end")
            report(site, range(begin, begin + 20), client)
            getattr(snmpd, end)()
            report(site, range(begin + 20, begin + 40), client)
            snmpd.start()
            report(site, range(begin + 40, begin + 50), client)
            wait_up(site.gateway)
    expect(site, range(1, 151))
    counters = site.gateway.status()["counters"]
    assert counters["reports"] == counters["acknowledged"] and counters["reports"] >= 150
    assert manager.walk(PORTS).keys() == instances


def wait_passes_beside_snmpd(site):
    """All receivers but snmpd get events while the gateway waits for an answer of snmpd."""
    numbers, client = itertools.count(1), site.host("sm1")

    def pass_one():
        number = next(numbers)
        report(site, [number], client)
        expect(site, range(1, number + 1))

    wait_passing(lambda: unix_of(site.gateway.process.pid), pass_one)


def test_a_hanging_snmpd_delays_nothing(site, snmpd, manager):
    with walkers(snmpd, 2) as walks:
        wait_until(lambda: walks, "a walk")
        snmpd.freeze()
    wait_passes_beside_snmpd(site)
    assert site.gateway.stop() == 0


@pytest.mark.parametrize("kind, title", [("subagent", None), ("agentx", "hangs")])
def test_an_snmpd_that_hangs_from_the_start_delays_nothing(open_site, snmpd, kind, title):
    """Only a receiver's own events wait for it."""
    snmpd.start()
    snmpd.freeze()
    site = open_site(more=section(kind, title, socket=snmpd.socket))
    site.gateway.wait_subscribed()
    wait_passes_beside_snmpd(site)
    status = site.gateway.status()
    assert title or not status["tables"]["up"]
    assert [one["sent"] for one in status["receivers"] if one["name"] == title] == ([0] if title else [])
    assert site.gateway.stop() == 0


def test_an_snmpd_that_wakes_up_serves_again(open_site, tmp_path):
    with TrapSocket() as behind, Snmpd(tmp_path, sinks=[behind.address]) as snmpd:
        snmpd.start()
        site = open_site(more=section("subagent", socket=snmpd.socket) + section("agentx", "slow", socket=snmpd.socket))
        site.gateway.wait_subscribed()
        wait_up(site.gateway)
        snmpd.freeze()
        report(site, range(1, 31))
        expect(site, range(1, 31))
        snmpd.thaw()
        wait_until(lambda: set(numbers_in_traps(behind)) == set(range(1, 31)), "all notifications")
        wait_up(site.gateway)
        assert read_line(Manager(snmpd.address).run("snmpget", dotted(SWITCHES)).strip())


def next_of(manager, oid):
    return read_line(manager.run("snmpgetnext", dotted(oid)).strip())


def go_on(manager, oid, end=None):
    """The instances of the port table after an OID that a slow manager reads: OID -> value, at most `end`."""
    found = {}
    while end is None or len(found) < end:
        oid, value = next_of(manager, oid)
        if oid[:len(PORTS)] != PORTS:
            break
        found[oid] = value
    return found


def of_switch(oids, index):
    return [oid for oid in oids if oid[len(PORTS) + 2:][:16] == index]


def test_a_walk_sees_one_moment_though_a_switch_goes(site, manager):
    whole = manager.walk(PORTS)
    assert of_switch(whole, LEAF1) and of_switch(whole, LEAF2)
    time.sleep(READ_LASTS_S)
    walked = go_on(manager, PORTS, 20)
    site.fabric.unlink("leaf2")
    swept(site.gateway, 1, meanwhile=lambda: walked.update(go_on(manager, list(walked)[-1], 1)))
    walked |= go_on(manager, list(walked)[-1], 40)
    later = manager.walk(PORTS)  # another manager
    walked |= go_on(manager, list(walked)[-1], 40)
    assert list(walked.items()) == list(whole.items())[:len(walked)]
    assert of_switch(walked, LEAF2)
    assert of_switch(later, LEAF1) == of_switch(whole, LEAF1) and not of_switch(later, LEAF2)
    site.fabric.relink("leaf2")
    swept(site.gateway, 2)
    assert manager.walk(PORTS).keys() == whole.keys()


def ticks(text):
    """net-snmp prints "(4711) 0:00:47.11"."""
    return int(text.split(")")[0].strip("("))


def test_the_time_of_the_last_change_moves_with_a_change_only(site, manager):
    def changed():
        time.sleep(READ_LASTS_S)
        return {ticks(value) for value in manager.walk(SUBSCRIPTION_CHANGED).values()}

    before = changed()
    assert changed() == before
    site.sm.kill()
    site.message("subscription-lost")
    site.sm.start()
    site.sm.wait_master(2)
    site.message("subscription-restored")
    site.gateway.wait_subscribed()
    after = changed()
    assert max(before) < min(after) <= max(after) <= ticks(manager.walk(UPTIME)[UPTIME])


# SNMPv3: one user, two contexts, and a view of some groups without some of their columns.

WITH_USERS = f"""
createUser reader SHA "correct horse" AES "battery staple"
group readers usm reader
view some included {dotted((*GSW, 2))}
view some included {dotted(PORTS)}
view some excluded {dotted((*PORTS, 1, 7))}
access readers fabric-a usm priv exact some none none
access readers fabric-b usm priv exact some none none
"""


def reader(snmpd, context, level="authPriv", password="correct horse"):
    secrets = {"noAuthNoPriv": [], "authNoPriv": ["-a", "SHA", "-A", password],
               "authPriv": ["-a", "SHA", "-A", password, "-x", "AES", "-X", "battery staple"]}
    return Manager(snmpd.address, who=["-v3", "-u", "reader", "-n", context, "-l", level, *secrets[level]])


@pytest.fixture
def two_fabrics(tmp_path):
    """A gateway on each of two fabrics, below one snmpd."""
    with Snmpd(tmp_path, more=WITH_USERS) as snmpd, contextlib.ExitStack() as stack:
        snmpd.start()
        gateways = []
        for net, context in ("small", "fabric-a"), ("wide", "fabric-b"):
            fabric = stack.enter_context(Fabric(net))
            fabric.subnet_manager().wait_master()
            tables = section("subagent", socket=snmpd.socket, context=context)
            gateways.append(fabric.keep(Gateway(fabric, sweep={"interval": 600}, more=tables)))
            wait_up(gateways[-1])
            swept(gateways[-1], 2)
        time.sleep(READ_LASTS_S)
        yield snmpd, gateways


def port_numbers(walked):
    return {oid[-1] for oid in of_switch(walked, LEAF1)}


def test_each_context_shows_its_own_fabric(two_fabrics):
    snmpd, gateways = two_fabrics
    for context, ports in ("fabric-a", 12), ("fabric-b", 36):
        assert port_numbers(reader(snmpd, context).walk(PORTS)) == set(range(ports + 1))
    gateways[0].stop()
    assert port_numbers(reader(snmpd, "fabric-b").walk(PORTS)) == set(range(37))
    assert not port_numbers(reader(snmpd, "fabric-a").walk(PORTS))


def test_the_view_of_a_user_is_kept_to(two_fabrics):
    snmpd, _ = two_fabrics
    walked = reader(snmpd, "fabric-a").walk(tool="snmpbulkwalk")
    assert {oid[len(GSW)] for oid in walked} == {2, 10}
    columns = {oid[len(PORTS) + 1] for oid in walked if oid[:len(PORTS)] == PORTS}
    assert {6, 8} <= columns and 7 not in columns
    lid = (*PORTS, 1, 7, *LEAF1, 0)
    assert "No Such" in reader(snmpd, "fabric-a").run("snmpget", dotted(lid))


@pytest.mark.parametrize("context, options, why", [
    ("fabric-a", {"level": "noAuthNoPriv"}, "authorizationError"),
    ("fabric-a", {"level": "authNoPriv"}, "authorizationError"),
    ("fabric-a", {"password": "wrong horse"}, "Authentication failure"),
    ("", {}, "authorizationError"),
])
def test_others_are_refused(two_fabrics, context, options, why):
    snmpd, _ = two_fabrics
    with pytest.raises(LabError, match=why):
        reader(snmpd, context, **options).run("snmpget", dotted(SWITCHES))
