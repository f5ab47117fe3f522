# SPDX-License-Identifier: BSD-2-Clause
"""Changes of the fabric become events: links, hosts and switches are added, removed and moved."""

import datetime
import json
import signal

import expected as want
import pytest
from lab.fabric import Fabric
from lab.gateway import Gateway, section
from lab.history import move_to_the_past
from lab.processes import wait_until
from lab.tables import fields

LEAF1, LEAF2 = 0x0002C90200C10000, 0x0002C90200C20000
NODE1 = 0x0002C90300B10000
SWEEP = {"method": "smp", "interval": 3600, "settle": 300}
LOSSES = {"switch-removed", "host-removed", "port-removed", "link-down", "host-moved", "link-moved", "sm-vanished"}
CHANGES = LOSSES | {"switch-added", "host-added", "port-added", "link-up", "switch-moved", "link-degraded",
                    "node-renamed", "lid-changed"}


def switch_id(guid):
    return guid.to_bytes(8, "big") + bytes(7) + b"\2"


def topology_events(site):
    return [one for one in site.syslog.poll() if one.message_id in CHANGES]


def link_trap_id(site):
    """The event of the trap 128 that arrived first."""
    return site.message("link-state-change")[0].data["id"]


def open_swept(open_site, sweep):
    """A site whose gateway has subscribed and knows the fabric."""
    site = open_site(sweep=sweep)
    site.gateway.wait_subscribed()
    site.gateway.wait_nodes(8)
    site.gateway.wait_swept(0)
    return site


@pytest.fixture
def swept(open_site):
    return open_swept(open_site, SWEEP)


def test_link_between_switches_goes_down_and_comes_back(swept):
    swept.fabric.unlink("leaf1", 11)
    down = swept.message("link-down")[0]
    assert "ort 11 of leaf1" in down.text and "port 11 of leaf2" in down.text and down.text.endswith("went down.")
    assert down.severity == "warning"
    assert down.data["relatedId"] in {one.data["id"] for one in swept.message("link-state-change")}
    trap = swept.notification(f"{want.SWITCH}.0.1")[0]
    row = ".".join(map(str, switch_id(LEAF1))) + ".11"
    assert [(one.oid, one.value) for one in trap.varbinds] == [
        (f"{want.SWITCH}.5.1.1.1.{row}", switch_id(LEAF1)),
        (f"{want.SWITCH}.5.1.1.3.{row}", switch_id(LEAF2)),
        (f"{want.SWITCH}.5.1.1.5.{row}", 5),
    ]
    port_trap = swept.notification(f"{want.SWITCH}.0.2")[0]
    assert [one.value for one in port_trap.varbinds] == [switch_id(LEAF1), 2]

    swept.fabric.relink("leaf1", 11)
    up = swept.message("link-up")[0]
    assert up.data["alarmKey"] == down.data["alarmKey"] and up.data["alarmKey"].startswith("link ")
    assert swept.notification(f"{want.SWITCH}.0.1", count=2)[1].varbinds[2].value == 4
    assert {one.message_id for one in topology_events(swept)} == {"link-down", "link-up"}


def test_host_goes_and_comes_back(swept):
    swept.fabric.unlink("node1")
    gone = swept.message("host-removed")[0]
    assert "node1" in gone.text and "port 3 of leaf1" in gone.text
    assert int(gone.data["subjectNodeGuid"], 0) == NODE1 and gone.data["subjectName"] == "node1"
    down = swept.message("link-down")[0]
    assert down.data["causeId"] == gone.data["id"]
    trap = swept.notification(f"{want.SWITCH}.0.2")[0]
    assert [one.value for one in trap.varbinds] == [switch_id(LEAF1), 4]
    out = swept.message("gid-out-of-service")[0]
    assert "node1" in out.text and out.data.get("alarmState", "none") == "none"

    swept.fabric.relink("node1")
    back = swept.message("host-added")[0]
    assert back.data["alarmKey"] == gone.data["alarmKey"]
    into = swept.message("gid-in-service")[0]
    assert "node1" in into.text
    assert (gone.data["relatedId"], back.data["relatedId"]) == (out.data["id"], into.data["id"])


def test_switch_dies_and_its_hosts_are_its_consequences(swept):
    swept.fabric.unlink("leaf2")
    dead = swept.message("switch-removed")[0]
    assert dead.data["affected"] == "3"
    assert all(name in dead.text for name in ("leaf2", "sm2", "node2", "storage1"))
    hosts = swept.message("host-removed", count=3)
    links = swept.message("link-down", count=5)
    assert {one.data["causeId"] for one in hosts} == {dead.data["id"]}
    assert all(one.data["causeId"] for one in links)
    trap = swept.notification(f"{want.SWITCH}.0.1")[0]
    assert [one.value for one in trap.varbinds] == [switch_id(LEAF2), switch_id(LEAF1), 3]


@pytest.mark.parametrize("node, port, gone, back", [("node1", None, "host-removed", "host-added"),
                                                    ("leaf1", 11, "link-down", "link-up")])
def test_what_no_subnet_manager_sets_up_has_not_joined(open_site, node, port, gone, back):
    """The cable is back while the subnet manager hangs. A port in state Init is no news, and after some sweeps an
    alarm. The subnet manager goes on, and everything ends."""
    site = open_swept(open_site, {"method": "smp", "interval": 5, "settle": 300})
    site.fabric.unlink(node, port)
    lost = site.message(gone)[0].data["alarmKey"]
    site.sm.process.popen.send_signal(signal.SIGSTOP)
    site.fabric.relink(node, port)
    inactive = site.message("link-inactive")[0]
    assert "both ends are in state Init, in 3 sweeps in a row" in inactive.text and node in inactive.text
    assert site.notification(f"{want.OWN}.0.135")
    assert not {one.message_id for one in site.syslog.poll()} & {"host-added", "link-up", "link-interrupted",
                                                                "alarm-cleared", "link-active"}
    keys = {one["key"] for one in site.gateway.listed_alarms("--all")}
    assert {lost, inactive.data["alarmKey"]} <= keys
    assert site.gateway.status()["sweep"]["inactive"] == 1
    assert "1 of them not active" in site.gateway.control("status").stdout
    site.sm.process.popen.send_signal(signal.SIGCONT)
    site.sm.reload()
    assert site.message(back)[0].data["alarmKey"] == lost
    assert site.message("link-active")[0].data["clearsId"] == inactive.data["id"]
    site.message("sm-back")
    wait_until(lambda: not site.gateway.listed_alarms("--all"), "all alarms to end")


def test_host_moves_to_another_switch(swept):
    swept.fabric.unlink("node1")
    swept.fabric.link("node1", 1, "leaf2", 7)
    moved = swept.message("host-moved")[0]
    assert "node1" in moved.text and "port 7 of leaf2" in moved.text and "port 3 of leaf1" in moved.text
    assert "host-removed" not in {one.message_id for one in topology_events(swept)}


def test_cable_is_put_into_another_port(swept):
    swept.fabric.unlink("leaf1", 12)
    swept.fabric.link("leaf1", 12, "leaf2", 9)
    moved = swept.message("link-moved")[0]
    assert "12" in moved.text and "port 9 of leaf2" in moved.text
    # The document of the IBSWITCH-MIB, 3.3 and 3.13: a trap tells each link that is deleted or added.
    row = ".".join(map(str, switch_id(LEAF1))) + ".12"
    assert [[(one.oid, one.value) for one in trap.varbinds]
            for trap in swept.notification(f"{want.SWITCH}.0.1", count=2)] == [[
        (f"{want.SWITCH}.5.1.1.1.{row}", switch_id(LEAF1)),
        (f"{want.SWITCH}.5.1.1.3.{row}", switch_id(LEAF2)),
        (f"{want.SWITCH}.5.1.1.5.{row}", status),
    ] for status in (5, 4)]
    assert not {one.message_id for one in topology_events(swept)} & {"switch-removed", "switch-moved"}


def test_one_of_two_links_between_the_same_switches(swept):
    swept.fabric.unlink("leaf1", 11)
    swept.message("link-down")
    swept.fabric.unlink("leaf1", 12)
    dead = swept.message("switch-removed")[0]
    assert "leaf2" in dead.text
    downs = {one.data["alarmKey"] for one in swept.message("link-down", count=2)}
    assert len(downs) == 2


def test_lossy_fabric_loses_nobody(open_site):
    """One answer in five is lost at each of these ports; nothing was unplugged."""
    site = open_site(sweep={**SWEEP, "settle": 0, "timeout": 50, "attempts": 3})
    site.gateway.wait_subscribed()
    site.gateway.wait_nodes(8)
    for node, port in (("leaf2", 11), ("leaf2", 12), ("leaf2", 3), ("node2", 1), ("storage1", 1), ("node1", 1)):
        site.fabric.lose(node, port, 20)
    for _ in range(30):
        before = site.gateway.sweeps()
        site.gateway.control("sweep", "now")
        site.gateway.wait_status(lambda one: one["sweep"]["sweeps"] > before, "a sweep")  # noqa: B023
    assert [one for one in site.syslog.poll() if one.message_id in LOSSES] == []


def test_what_changed_while_the_gateway_was_away_is_found_late(swept):
    swept.gateway.stop()
    swept.fabric.unlink("node2")
    swept.fabric.unlink("leaf1", 12)
    swept.fabric.unlink("storage1")
    swept.fabric.link("storage1", 1, "leaf1", 9)
    swept.syslog.clear()
    swept.gateway.start()
    late = [swept.message(name)[0] for name in ("host-removed", "host-moved", "link-down")]
    assert all(one.data["foundLate"] == "true" for one in late)
    assert "node2" in late[0].text and "storage1" in late[1].text
    assert swept.gateway.control("topology", "list", "--json").stdout


def test_node_is_renamed_and_another_has_the_same_name(traps, syslog, tmp_path):
    """The simulator cannot rename a node, so the fabric is started again with another file."""
    state = tmp_path / "state"
    with Fabric() as fabric:
        fabric.subnet_manager().wait_master()
        gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], sweep=SWEEP, state=state))
        gateway.wait_subscribed()
        gateway.wait_nodes(8)
    renamed = tmp_path / "renamed.net"
    renamed.write_text(fabric.net.read_text().replace('"node1"', '"node2x"').replace('"storage1"', '"sm1 "'))
    with Fabric(renamed) as fabric:
        fabric.subnet_manager().wait_master()
        gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], sweep=SWEEP, state=state))
        gateway.wait_subscribed()
        renames = syslog.wait_for(lambda one: one.message_id == "node-renamed", "renamed nodes", count=2)
    assert any("node1" in one.text and "node2x" in one.text for one in renames)
    assert all(one.data["foundLate"] == "true" for one in renames)


@pytest.mark.parametrize("shown, told", [("MT4119 ConnectX5", "node1"), ("db7", "db7")])
def test_a_receiver_by_name_hears_of_a_host_with_another_name_after_a_start(traps, syslog, tmp_path, shown, told):
    """The gateway starts while the host shows another name. The name of a factory hides no name."""
    state = tmp_path / "state"
    more = section("syslog", "by-name", transport="udp", address=syslog.address, nodes=["node1*"])
    booting = tmp_path / "booting.net"
    for net in ("small", booting):
        with Fabric(net) as fabric:
            booting.write_text(fabric.net.read_text().replace('"node1"', f'"{shown}"'))
            fabric.subnet_manager().wait_master()
            gateway = fabric.keep(Gateway(fabric, more=more, sweep=SWEEP, state=state))
            gateway.wait_subscribed()
            gateway.wait_nodes(8)
            if net == booting:
                gateway.wait_swept(0)
                gateway.stop()
                gateway.start()
                gateway.wait_subscribed()
                gateway.wait_swept(0)
                fabric.unlink(shown)
                [removed] = syslog.wait_for(lambda one: one.message_id == "host-removed", "the host's end")
    assert f"Host {told} (LID" in removed.text


def test_a_node_without_a_name_is_known_as_it_is_shown(syslog, tmp_path):
    """What completion offers for NODE is known to each command that takes a node."""
    unnamed = tmp_path / "unnamed.net"
    with Fabric() as fabric:
        unnamed.write_text(fabric.net.read_text().replace('"node1"', '"MT4119 ConnectX5"'))
    with Fabric(unnamed) as fabric:
        fabric.subnet_manager().wait_master()
        gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], sweep=SWEEP))
        gateway.wait_subscribed()
        gateway.wait_status(lambda one: one["sweep"]["nodes"] == 8, "ibtrapd to know the fabric")
        names = gateway.control("completion", "NODE").stdout.splitlines()
        [shown] = [one for one in names if one.startswith("host at leaf")]
        assert gateway.control("node", shown).stdout.startswith(f"{shown}: host\n")
        assert "is known" not in gateway.control("events", "--node", shown, "--event", "bad-mkey").stdout
        began = gateway.control("maintenance", "start", "work", "60", shown, "MT4119*", "node1").stdout
        assert f"fits {shown}" not in began
        assert "no node that is known now fits node1;" in began
        assert "only the description of a factory, which many nodes have, fits MT4119*;" in " ".join(began.split())
        tested = json.loads(gateway.control("--json", "test", "link-down", "--node", shown).stdout)["event"]
        assert tested["subjectName"] == shown


def test_a_maintenance_of_a_host_that_left_finds_the_host(swept):
    swept.fabric.unlink("node1")
    swept.message("host-removed")
    began = swept.gateway.control("maintenance", "start", "work", "60", "node1", "nobody").stdout
    assert "no node that is known now fits nobody;" in began and "fits node1" not in began


def test_another_subnet_manager_takes_over(traps, syslog, paired_swept):
    site = paired_swept
    site.sm.kill()
    failed_over = site.message("sm-failed-over")[0]
    assert "sm2" in failed_over.text
    assert int(failed_over.data["smGuid"], 0) == site.fabric.guid_of("sm2")
    assert site.notification(f"{want.SWITCH}.0.2")[0].varbinds[1].value in (5, 6)


def test_the_next_gateway_tells_that_the_subnet_manager_is_back(swept):
    swept.sm.kill()
    gone = [swept.message(name)[0].data["id"] for name in ("sm-unreachable", "subscription-lost", "sm-vanished")]
    swept.gateway.stop()
    swept.sm.start()
    swept.gateway.start()
    back = [swept.message(name)[0] for name in ("sm-back", "subscription-restored", "sm-appeared")]
    assert [one.data["clearsId"] for one in back] == gone


@pytest.fixture
def paired_swept(traps, syslog):
    from conftest import make_site, two_managers

    with two_managers() as (fabric, master, standby):
        site = make_site(fabric, master, traps, syslog, sweep=SWEEP)
        site.standby = standby
        site.gateway.wait_subscribed()
        site.gateway.wait_status(lambda one: len(one["sms"]) == 2, "both subnet managers to be known")
        yield site


def test_counters_that_grow_are_told_of_and_settle(open_site):
    thresholds = ["SymbolErrorCounter=10", "LocalLinkIntegrityErrors=1"]
    site = open_site(sweep=SWEEP, counters={"interval": 5, "thresholds": thresholds})
    site.gateway.wait_subscribed()
    site.gateway.wait_counters()
    site.fabric.count_errors("leaf1", 3, SymbolErrorCounter=25, LocalLinkIntegrityErrors=2)
    reached = site.message("threshold-reached")[0]
    assert reached.data["counter"] == "SymbolErrorCounter"
    assert (reached.data["counterOld"], reached.data["counterNew"]) == ("0", "25")
    assert "ort 3 of leaf1" in reached.text
    derived = site.message("link-integrity-threshold")[0]
    assert derived.data["derived"] == "true"
    trap = site.notification(want.sma(2))[0]
    assert [one.value for one in trap.varbinds] == [site.fabric.lid_of("leaf1"), 3]
    cleared = site.message("threshold-cleared")[0]
    assert cleared.data["alarmKey"] == reached.data["alarmKey"]


def test_a_link_that_was_down_for_a_moment_is_named(open_site):
    """The sweep after the traps finds all as it was; the counters know the port."""
    site = open_site(sweep=SWEEP | {"settle": 3000}, counters={"interval": 3600})
    site.gateway.wait_subscribed()
    site.gateway.wait_counters()
    last = site.gateway.status()["port_counters"]["last"]
    site.fabric.unlink("leaf1", 12)
    site.fabric.relink("leaf1", 12)
    for leaf in ("leaf1", "leaf2"):
        site.fabric.count_errors(leaf, 12, LinkDownedCounter=1)
    [event] = site.message("link-interrupted")
    assert "ort 12 of leaf1" in event.text and "port 12 of leaf2" in event.text and event.data["reason"].endswith(" by 1")
    traps = {one.data["id"] for one in site.syslog.items if one.message_id == "link-state-change"}
    assert event.data["relatedId"] in traps
    assert not {one.message_id for one in topology_events(site)}
    assert site.gateway.status()["port_counters"]["last"] == last  # what it read early was no reading
    site.fabric.unlink("leaf1", 11)
    site.fabric.relink("leaf1", 11)
    site.fabric.count_errors("leaf1", 11, LinkDownedCounter=1)
    second = site.message("link-interrupted", count=2)[1]
    assert "ort 11 of leaf1" in second.text
    site.fabric.unlink("node1")
    site.message("host-removed")
    assert len([one for one in site.syslog.poll() if one.message_id == "link-interrupted"]) == 2


def test_a_threshold_is_cleared_by_the_next_gateway(open_site):
    counters = {"interval": 5, "thresholds": ["SymbolErrorCounter=10"]}
    site = open_site(sweep=SWEEP, counters=counters)
    site.gateway.wait_subscribed()
    site.gateway.wait_counters()
    site.fabric.count_errors("leaf1", 3, SymbolErrorCounter=25)
    reached = site.message("threshold-reached")[0]
    site.gateway.stop()
    site.gateway.start()
    assert site.message("threshold-cleared")[0].data["clearsId"] == reached.data["id"]


def test_errors_on_a_link_are_one_alarm(open_site):
    """Both ends count, the gateway restarts, and the limits go away in the end."""
    counters = {"interval": 5, "thresholds": ["SymbolErrorCounter=0"]}
    site = open_site(sweep=SWEEP, counters=counters)
    site.gateway.wait_subscribed()
    site.gateway.wait_counters()
    site.fabric.count_errors("leaf1", 12, SymbolErrorCounter=25)
    [raised] = site.message("link-errors-raised")
    assert "ort 12 of leaf1" in raised.text and "port 12 of leaf2" in raised.text
    assert (raised.data["counter"], raised.data["errors"]) == ("SymbolErrorCounter", "25")
    assert raised.data["errorRate"].endswith(" per bit") and raised.data["linkRate"].startswith("4X ")
    site.fabric.count_errors("leaf2", 12, SymbolErrorCounter=250)
    site.fabric.count_errors("leaf1", 12, PortRcvErrors=250)
    other = site.message("link-errors-raised", count=2)[1]
    assert other.data["counter"] == "PortRcvErrors" and other.data["errorRate"].endswith(" per hour")
    site.gateway.stop()
    site.gateway.start()
    site.gateway.wait_counters()
    site.fabric.count_errors("leaf1", 12, SymbolErrorCounter=500)
    site.fabric.count_errors("leaf1", 3, SymbolErrorCounter=25)
    site.message("link-errors-raised", count=3)
    none = 'counters { bit_error_rates = {"SymbolErrorCounter=0/0"} error_rates = {"SymbolErrorCounter=0/0"}'
    config = site.gateway.config.read_text()
    assert "counters {" in config
    site.gateway.config.write_text(config.replace("counters {", none))
    site.gateway.control("reload")
    cleared = site.message("link-errors-cleared", count=2)
    assert raised.data["alarmKey"] in {one.data["alarmKey"] for one in cleared}
    assert {one.data["counter"] for one in cleared} == {"SymbolErrorCounter"}
    with site.gateway.config.open("a") as file:
        file.write('counters { ports = "off" }\n')
    site.gateway.control("reload")
    [over] = site.message("alarm-cleared")
    assert over.data["alarmKey"] == other.data["alarmKey"] and "not read any more" in over.data["reason"]


def test_a_port_that_waits_too_long(open_site):
    """The simulated port does not say how long its ticks are: of SDR, 4 ns at least."""
    counters = {"interval": 5, "short_window": 1, "long_window": 2, "congestion": 5, "congestion_clear": 1}
    site = open_site(sweep=SWEEP, counters=counters)
    site.gateway.wait_subscribed()
    site.gateway.wait_counters()
    site.fabric.count_errors("leaf1", 12, PortXmitWait=4200000000, PortXmitDiscards=300)
    [raised] = site.message("congestion-raised")
    assert "ort 12 of leaf1" in raised.text and "port 12 of leaf2" in raised.text
    assert raised.data["counter"] == "PortXmitWait" and raised.data["errorRate"].endswith("% of the time")
    assert "discarded 300 packets" in raised.data["reason"] and "does not say" in raised.data["reason"]
    site.gateway.stop()
    site.gateway.start()
    site.gateway.wait_counters()
    config = site.gateway.config.read_text()
    assert "congestion = 5" in config
    site.gateway.config.write_text(config.replace("congestion = 5", "congestion = 0"))
    site.gateway.control("reload")
    [cleared] = site.message("congestion-cleared")
    assert cleared.data["alarmKey"] == raised.data["alarmKey"] == f"congestion 0x{LEAF1:016x}/12"
    assert cleared.data["clearsId"] == raised.data["id"]


def test_a_link_that_fails_again_and_again(open_site):
    """The journal remembers: the gateway runs on three days, on each of which a cable fails."""
    site = open_site(sweep=SWEEP)
    site.gateway.wait_subscribed()
    site.gateway.wait_nodes(8)
    assert site.gateway.control("links", "--worst").stdout == \
        "No link failed in the last 30 days; failures in maintenance do not count.\n"
    for time in range(3):
        site.fabric.unlink("leaf1", 11)
        site.message("link-down", count=time + 1)
        assert "leaf1" in site.gateway.control("links").stdout  # at once
        site.fabric.relink("leaf1", 11)
        site.message("link-up", count=time + 1)
    site.gateway.stop()
    move_to_the_past(site.gateway.state / "journal.db", "link-down", (20, 9, 1))
    site.gateway.start()
    [event] = site.message("link-unreliable")
    assert "ort 11 of leaf1" in event.text and "port 11 of leaf2" in event.text
    assert (event.data["occasions"], event.data["failures"], event.data["occasionDays"]) == ("3", "3", "30")
    days = [datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(one) for one in (20, 9, 1)]
    assert [one[:10] for one in event.data["dates"].split(", ")] == [str(one) for one in days]
    [link] = json.loads(site.gateway.control("links", "--worst", "--json").stdout)["links"]
    assert [(one["node"], one["port"]) for one in link["ends"]] == [(f"0x{LEAF1:016x}", 11), (f"0x{LEAF2:016x}", 11)]
    assert link["unreliable"] and len(link["occasions"]) == 3
    wait_until(lambda: "leaf1 port 11 - leaf2 port 11, unreliable" in site.gateway.control("links", "5").stdout,
             "the names, which the first sweep brings")
    site.gateway.control("alarms", "clear", event.data["alarmKey"], "new cable")
    assert site.message("alarm-cleared")[0].data["alarmKey"] == event.data["alarmKey"]
    assert "No link" in site.gateway.control("links", "--worst").stdout
    site.gateway.stop()
    site.gateway.start()
    site.gateway.wait_nodes(8)
    assert "No link" in site.gateway.control("links", "--worst").stdout
    assert len(site.message("link-unreliable")) == 1


@pytest.mark.parametrize(("counter", "attribute", "option", "values", "words"), [
    ("PortRcvErrors", "PortRcvErrorDetails", "-E", {"PortMalformedPacketErrors": 240, "PortVLMappingErrors": 9,
                                                    "PortBufferOverrunErrors": 1},
     "240 malformed packets, 1 buffer overrun, 9 VL mapping errors"),
    ("PortXmitDiscards", "PortXmitDiscardDetails", "-D", {"PortInactiveDiscards": 7, "PortNeighborMTUDiscards": 20000,
                                                          "PortSwLifetimeLimitDiscards": 3},
     "7 packets for an inactive port, 20000 packets larger than the neighbour's MTU, "
     "3 packets beyond their lifetime in the switch"),
])
def test_an_alarm_about_errors_says_why(open_site, counter, attribute, option, values, words):
    site = open_site(sweep=SWEEP, counters={"interval": 5})
    site.gateway.wait_subscribed()
    site.gateway.wait_counters()
    for name, value in values.items():
        site.fabric.console(f'PerformanceSet "leaf1"[12] {attribute}.{name}={value}')
    site.fabric.count_errors("leaf1", 12, **{counter: sum(values.values())})
    [raised] = site.message("link-errors-raised")
    assert (raised.data["counter"], raised.data["reason"]) == (counter, words)
    assert raised.text.endswith(f"Since its counters were reset, the port has counted {words}.")
    said = fields(site.fabric.run(["/usr/sbin/perfquery", option, str(site.fabric.lid_of("leaf1")), "12"], "monitor"))
    counted = [one for name, one in said.items() if name not in {"PortSelect", "CounterSelect"} and one != "0"]
    assert sorted(map(int, counted)) == sorted(values.values())  # perfquery has other names for some


def test_topology_is_printed(swept):
    text = swept.gateway.control("topology").stdout
    assert '"leaf1"' in text and '"storage1"' in text
    nodes = json.loads(swept.gateway.control("topology", "--json").stdout)["nodes"]
    assert len(nodes) == 8
    swept.fabric.unlink("node1")
    swept.message("host-removed")
    kept = json.loads(swept.gateway.control("topology", "list", "--json").stdout)["snapshots"]
    assert len(kept) >= 2
    numbers = sorted(one["snapshot"] for one in kept)
    assert "node1" in swept.gateway.control("topology", "diff", numbers[0], numbers[-1]).stdout


def test_the_same_as_ibnetdiscover_finds(swept):
    nodes = json.loads(swept.gateway.control("topology", "--json").stdout)["nodes"]
    output = swept.fabric.run(["ibnetdiscover"], "node2")
    for one in nodes:
        assert f'"{one["description"]}"' in output


def test_a_sweep_that_reaches_its_limit_is_told(open_site):
    site = open_site(sweep=SWEEP | {"max_nodes": 4})
    over = site.message("sweep-overflow")[0]
    assert over.severity == "error" and over.data["alarmKey"] == "gateway monitor sweep"
    assert "its limit of nodes with 5 nodes found" in over.text and "port " in over.text
    status = site.gateway.wait_status(lambda one: one["sweep"]["nodes"] >= 5, "the part to be known")["sweep"]
    assert not status["complete"] and "its limit of nodes" in status["problem"] and status["failed"] == 0
    assert status["overflowed"] >= 1

    config = site.gateway.config.read_text()
    site.gateway.stop()
    site.gateway.config.write_text(config.replace("max_nodes = 4", "max_nodes = 100"))
    site.gateway.start()  # it remembers the alarm
    back = site.message("sweep-recovered")[0]
    assert back.data["alarmKey"] == "gateway monitor sweep" and "found 8 nodes" in back.text
    assert site.gateway.status()["sweep"]["problem"] == ""
    assert len(site.message("sweep-overflow")) == 1


def test_the_first_sweep_says_how_far_it_is(fabric, open_site):
    """A host that does not answer holds it up for a minute."""
    fabric.console('Error "node2"[1] 100')
    gateway = open_site(sweep={**SWEEP, "attempts": 10, "timeout": 6000}).gateway
    status = gateway.wait_status(lambda one: one["sweep"]["found"] == 7, "the other nodes")
    assert status["sweep"]["running"] and status["sweep"]["sweeps"] == 0
    assert "\nSweep    smp, the first runs, 7 nodes so far\n" in gateway.control("status").stdout


def place(site, *words):
    return json.loads(site.gateway.control("--json", *words).stdout)


def test_a_node_and_a_port_are_shown_by_name(open_site):
    """What ibtrapctl node and port have is what the other commands have of it, also after the node left."""
    site = open_site(sweep=SWEEP, counters={"interval": 5, "thresholds": ["SymbolErrorCounter=0"]})
    site.gateway.wait_subscribed()
    site.gateway.wait_counters()
    nodes = json.loads(site.gateway.control("--json", "topology").stdout)["nodes"]
    leaf1 = next(one for one in nodes if one["guid"] == f"0x{LEAF1:016x}")
    for name in "leaf1", leaf1["guid"]:
        shown = place(site, "node", name)
        assert [one["guid"] for one in shown["nodes"]] == [leaf1["guid"]]
        assert [one["port"] for one in shown["nodes"][0]["ports"]] == [one["port"] for one in leaf1["ports"]]
    site.fabric.count_errors("leaf1", 11, SymbolErrorCounter=3)
    wait_until(lambda: place(site, "port", "leaf1/11")["nodes"][0]["ports"][0]["counters"]["values"]
               ["SymbolErrorCounter"] == 3, "the reading of the errors")
    site.fabric.unlink("leaf1", 11)
    down = site.message("link-down")[0]
    port = place(site, "port", "leaf1/11")
    assert [one["event"] for one in port["alarms"]] == ["link-down"]
    assert down.data["id"] in [one["id"] for one in port["events"]]
    assert place(site, "port", "leaf1", "12")["alarms"] == []
    told = {one["name"]: one["state"] for one in port["events"][0]["receivers"]}
    assert told["udp0"] in ("sent", "waiting") and told.keys() >= {"udp0", "snmp0"}
    text = site.gateway.control("port", "leaf1/11").stdout
    assert "\n          receivers: " in text and "udp0 " in text
    assert "Reseat the cable" in text and "SymbolErrorCounter 3" in text
    assert {"leaf1", "node1"} <= set(site.gateway.control("completion", "NODE").stdout.split())
    assert str(port["alarms"][0]["number"]) in site.gateway.control("completion", "ALARM").stdout.split()
    assert site.gateway.control("completion", "RECEIVER").stdout.split()
    for words in (["alarms", "shelve", port["alarms"][0]["number"], "2h"], ["sweep", "now"], ["reload"]):
        assert place(site, *words)["version"] == 1
    site.fabric.unlink("node1", 1)
    site.message("host-removed")
    gone = place(site, "node", "node1")
    assert gone["nodes"] == [] and {one["event"] for one in gone["alarms"]} == {"host-removed", "link-down"}
    text = site.gateway.control("node", "node1").stdout
    assert "node1 is not in the fabric now." in text and "and 1 alarm here that follows" in text
    assert "  port 3   down    no link\n" in site.gateway.control("node", "leaf1").stdout
    assert "did you mean 'leaf2'" in site.gateway.control("node", "lef2", check=False).stderr
    assert "leaf1 has no port 99" in site.gateway.control("port", "leaf1/99", check=False).stderr


def host_of_two_adapters(tmp_path):
    two = tmp_path / "two.net"
    with Fabric() as fabric:
        two.write_text(fabric.net.read_text().replace('"node1"', '"gpu17 mlx5_0"').replace('"node2"', '"gpu17 mlx5_1"'))
    return two


def test_the_last_events_of_a_host_are_those_of_all_its_adapters(syslog, tmp_path):
    with Fabric(host_of_two_adapters(tmp_path)) as fabric:
        fabric.subnet_manager().wait_master()
        gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], sweep=SWEEP))
        gateway.wait_subscribed()
        gateway.wait_status(lambda one: one["sweep"]["nodes"] == 8, "ibtrapd to know the fabric")
        for adapter in 11 * ["gpu17 mlx5_0"] + ["gpu17 mlx5_1"] + 11 * ["gpu17 mlx5_0"] + 11 * ["gpu17 mlx5_1"]:
            gateway.control("test", "link-down", "--node", adapter)
            if adapter == "gpu17 mlx5_1":
                shown = json.loads(gateway.control("--json", "node", "gpu17").stdout)
                guids = {one["guid"] for one in shown["nodes"]}
                events = json.loads(gateway.control("--json", "events", "--limit", "100").stdout)["events"]
                own = [one["number"] for one in events if {one.get("subjectNodeGuid"), one.get("peerNodeGuid")} & guids]
                assert len(guids) == 2 and [one["number"] for one in shown["events"]] == own[:-11:-1]


def test_a_host_that_is_gone_is_shown_with_all_its_adapters(syslog, tmp_path):
    with Fabric(host_of_two_adapters(tmp_path)) as fabric:
        fabric.subnet_manager().wait_master()
        gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], sweep=SWEEP))
        gateway.wait_subscribed()
        gateway.wait_status(lambda one: one["sweep"]["nodes"] == 8, "ibtrapd to know the fabric")
        for adapter in ("gpu17 mlx5_0", "gpu17 mlx5_1"):
            fabric.unlink(adapter)
        wait_gone = lambda: len(json.loads(gateway.control("--json", "node", "gpu17").stdout)["nodes"]) == 0
        wait_until(wait_gone, "both adapters to leave")
        shown = json.loads(gateway.control("--json", "node", "gpu17").stdout)
        keys = {one["key"] for one in shown["alarms"]}
        assert len({key for key in keys if key.startswith("node ")}) == 2, keys
        assert {one["system"] for one in shown["alarms"] if one["key"].startswith("node ")} == {"gpu17"}
