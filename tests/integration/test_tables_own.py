# SPDX-License-Identifier: BSD-2-Clause
"""The IBTRAPD-MIB's tables below a real snmpd, compared with ibtrapctl on the same gateway."""

import json
import time

import pytest
from lab import notices
from lab.fabric import gid
from lab.gateway import section
from lab.own_mib import OWN_IDS
from lab.processes import wait_until
from lab.snmpd import Snmpd
from lab.tables import GSW, Manager, dotted, global_id

OWN = (*OWN_IDS, 1)
SUBSCRIPTIONS, RECEIVERS, ALARMS, LOG, FLOW, WINDOWS = ((*OWN, n) for n in (2, 3, 4, 5, 6, 9))
UPTIME = (1, 3, 6, 1, 2, 1, 1, 3, 0)
TICKS = 100  # sysUpTime units in a second
READ_LASTS_S = 1.1  # the subagent reads the gateway's state again after a second
GID1, GID2 = gid(0x0002C90300B10001), gid(0x0002C90300B20001)
DEAD = "gateway monitor receiver dead"


@pytest.fixture
def snmpd(tmp_path):
    with Snmpd(tmp_path) as one:
        yield one.start()


@pytest.fixture
def site(open_site, snmpd):
    opened = open_site(more=section("subagent", socket=snmpd.socket)
                       + section("syslog", "dead", transport="tcp", address="127.0.0.1:9")
                       + section("syslog", "untried", transport="tcp", address="127.0.0.1:9", events=["vendor-trap"]))
    opened.gateway.wait_subscribed()
    opened.gateway.wait_status(lambda one: one["tables"]["up"], "the tables to be served")
    return opened


@pytest.fixture
def manager(snmpd):
    return Manager(snmpd.address)


def text(value):
    """Decodes octets as text; net-snmp prints all octets as hexadecimal digits."""
    return value.decode()


def rows(manager, table):
    """Index -> column -> value."""
    found = {}
    for oid, value in manager.walk(table).items():
        below = oid[len(table):]
        found.setdefault(below[2:], {})[below[1]] = value
    return found


def uptime(manager):
    return ticks(manager.walk(UPTIME)[UPTIME])


def ticks(value):
    """net-snmp prints "(4711) 0:00:47.11"."""
    return int(value.split(")")[0].strip("("))


def report_bad_pkeys(site, count):
    for key in range(count):
        site.host("node1").trap(notices.bad_key(257, 6, 7, 0x8001 + key, 1, 2, 3, GID1, GID2))
    site.message("bad-pkey", count)


def test_subscriptions(site, manager):
    report_bad_pkeys(site, 3)
    now = uptime(manager)
    found = rows(manager, SUBSCRIPTIONS)
    told = {65536 if one["trap"] == "vendor" else one["trap"] for one in site.gateway.status()["subscriptions"]}
    assert {index[0] for index in found} == told
    for (trap,), row in found.items():
        assert (row[2], row[3], text(row[4])) == (3, 0, "")  # subscribed
        assert row[6] == (3 if trap == 257 else 0)
        assert (0 < ticks(row[7]) <= now + TICKS) if trap == 257 else ticks(row[7]) == 0


def test_times_are_those_of_the_masters_clock(site, manager, snmpd):
    report_bad_pkeys(site, 1)
    before = rows(manager, SUBSCRIPTIONS)[257,]
    now = uptime(manager)
    assert 0 < ticks(before[7]) <= now
    snmpd.stop()
    snmpd.start()
    site.gateway.wait_status(lambda one: one["tables"]["up"], "the tables to be served again")
    after = rows(manager, SUBSCRIPTIONS)[257,]
    assert ticks(after[7]) == 0  # before the master began
    assert after[6] == before[6]
    report_bad_pkeys(site, 2)
    time.sleep(READ_LASTS_S)
    assert 0 < ticks(rows(manager, SUBSCRIPTIONS)[257,][7]) <= uptime(manager)


def test_receivers(site, manager):
    report_bad_pkeys(site, 2)
    site.gateway.wait_status(lambda one: any(r["name"] == "dead" and r["problem"] for r in one["receivers"]),
                             "a receiver to fail")
    site.gateway.wait_status(lambda one: all(r["queued"] == 0 for r in one["receivers"] if r["name"] != "dead"),
                             "the others to have everything")
    time.sleep(READ_LASTS_S)
    told = {one["name"]: one for one in site.gateway.status()["receivers"]}
    found = rows(manager, RECEIVERS)
    names = {bytes(index[1:]).decode(): row for index, row in found.items()}
    assert all(index[0] == len(index) - 1 for index in found)  # the index is a text of variable length
    assert names.keys() == told.keys()
    kinds = {name: row[2] for name, row in names.items()}
    assert kinds == {"snmp0": 2, "udp0": 6, "dead": 7, "untried": 7, "standard-output": 11}
    for name, row in names.items():
        assert text(row[3]) == told[name]["address"]
        assert row[8] == told[name]["sent"] and row[10] == told[name]["filtered"] and row[11] == 0
        if name == "dead":
            assert row[4] in (3, 4) and text(row[5]) and row[12] == told[name]["queued"] > 0 and ticks(row[14]) == 0
            assert ticks(row[6]) > 0
        elif name == "untried":
            assert (row[4], text(row[5]), row[7], row[10] > 0) == (1, "", 0, True)
        else:
            assert (row[4], text(row[5]), row[12], row[13]) == (2, "", 0, 0)
            assert 0 < ticks(row[14]) <= uptime(manager) and row[7] == row[8] > 0 and row[9] == 0


def test_alarms(site, manager):
    wait_until(lambda: site.gateway.listed_alarms("--all"), "an alarm")
    site.gateway.control("alarms", "acknowledge", DEAD, "on it")
    time.sleep(READ_LASTS_S)
    told = {one["key"]: one for one in site.gateway.listed_alarms("--all")}
    found = {text(row[2]): (index, row) for index, row in rows(manager, ALARMS).items()}
    assert found.keys() == told.keys() and DEAD in found
    written = site.gateway.journal()
    numbers = {one["id"]: number for number, one in enumerate(written, 1)}
    raised = {one["id"]: one for one in written}
    for key, (index, row) in found.items():
        one = told[key]
        assert text(row[4]) == one["event"] and text(row[13]) == one["text"]
        assert row[14] == (1 if key == DEAD else 2) and row[15] == 2
        assert text(row[16]) == ("on it" if key == DEAD else "")
        assert index == (numbers[text(row[3])],)
        event = raised[text(row[3])]
        assert text(row[19]) == event.get("subjectSystem", "")
        assert (row[20], row[21]) == (event.get("parts", 0), event.get("partsChanged", 0))


def test_maintenance_windows(site, manager):
    site.gateway.control("maintenance", "start", "rack7", 60, "node*", "leaf2", "--comment", "new cables")
    site.gateway.control("maintenance", "start", "move", 60, "--all")
    time.sleep(READ_LASTS_S)
    told = json.loads(site.gateway.control("maintenance", "list", "--json").stdout)["maintenance"]
    found = rows(manager, WINDOWS)
    assert list(found) == [(1,), (2,)] and {one["name"] for one in told} == {"rack7", "move"}
    for one, row in zip(told, found.values()):
        assert (text(row[2]), text(row[5]), text(row[6])) == (one["name"], " ".join(one["nodes"]), one["who"])
        assert (row[4] == 1, text(row[7])) == (one["all"], one["comment"] or "")
        assert int.from_bytes(row[3][:2], "big") == int(one["until"][:4]) and row[3][6] == int(one["until"][17:19])
    site.gateway.control("maintenance", "stop", "move")
    time.sleep(READ_LASTS_S)
    assert [text(row[2]) for row in rows(manager, WINDOWS).values()] == ["rack7"]


def test_what_a_receiver_was_told_is_in_the_log_at_once(site, manager):
    report_bad_pkeys(site, 1)
    newest = manager.walk(FLOW)[*FLOW, 12, 0]  # the gateway's state was just read
    report_bad_pkeys(site, 2)
    assert text(manager.walk((*LOG, 1, 3, newest + 1), "snmpget")[*LOG, 1, 3, newest + 1]) == "bad-pkey"


def test_event_log(site, manager):
    report_bad_pkeys(site, 5)
    written = site.gateway.journal()
    found = rows(manager, LOG)
    assert list(found) == [(n,) for n in range(1, len(found) + 1)] and len(found) == len(written)
    for event, row in zip(written, found.values()):
        assert text(row[2]) == event["id"] and text(row[3]) == event["event"] and text(row[18]) == event["text"]
        assert text(row[28]) == event.get("suppressed", "") and text(row[29]) == event.get("subjectSystem", "")
        assert (row[30], row[31]) == (event.get("parts", 0), event.get("partsChanged", 0))
    reported = [row for row in found.values() if text(row[3]) == "bad-pkey"]
    assert len(reported) == 5
    assert all(row[22] == 257 and len(row[19]) == 80 and text(row[24]) == "" for row in reported)
    flow = manager.walk(FLOW)
    assert (flow[*FLOW, 11, 0], flow[*FLOW, 12, 0]) == (1, len(written))


def test_flow(site, manager):
    report_bad_pkeys(site, 4)
    time.sleep(READ_LASTS_S)
    status = site.gateway.status()
    flow = {oid[-2]: value for oid, value in manager.walk(FLOW).items()}
    counters = status["counters"]
    assert (flow[1], flow[2]) == (counters["reports"], counters["acknowledged"]) and flow[1] >= 4
    assert flow[7] == counters["events"] == flow[9] == flow[12]
    assert (flow[3], flow[4], flow[5], flow[6], flow[10]) == (0, 0, 0, 0, 0)


EVENTS = (*GSW, 15, 1)
LEAF1 = 0x0002C90200C10000


def test_events_of_a_switch(open_site, manager, snmpd, fabric):
    site = open_site(more=section("subagent", socket=snmpd.socket), sweep={"interval": 5})
    site.gateway.wait_subscribed()
    site.gateway.wait_swept()
    site.gateway.wait_status(lambda one: one["tables"]["up"], "the tables to be served")
    lid = fabric.lid_of("leaf1")
    for port in (5, 6):
        notice = notices.port_error(131, lid, port, producer=notices.SWITCH, issuer_lid=lid, issuer_gid=gid(LEAF1))
        site.host("sm1").report(notice, site.gateway_lid)
    site.message("flow-control-timeout", 2)
    time.sleep(READ_LASTS_S)
    written = site.gateway.journal()
    found = {index: row for index, row in rows(manager, EVENTS).items() if index[:16] == tuple(global_id(LEAF1))}
    names = [written[index[16] - 1]["event"] for index in found]
    assert names.count("flow-control-timeout") == 2
    for index, row in found.items():
        assert (row[1], row[2], row[5]) == (global_id(LEAF1), index[16], 1)
        assert text(row[6]) == written[index[16] - 1]["text"]
    assert manager.column(2, 3, 1, 42)[tuple(global_id(LEAF1))] == len(found)  # gswEventNumEntries


def test_what_is_asked_one_by_one_is_what_a_walk_finds(site, manager):
    report_bad_pkeys(site, 2)
    time.sleep(READ_LASTS_S)
    walked = manager.walk(LOG)
    for oid in list(walked)[::7]:
        assert manager.walk(oid, "snmpget") == {oid: walked[oid]}
    missing = (*LOG, 1, 2, len(rows(manager, LOG)) + 1000)
    assert "No Such Instance" in manager.run("snmpget", dotted(missing))
