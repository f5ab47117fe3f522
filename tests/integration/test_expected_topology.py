# SPDX-License-Identifier: BSD-2-Clause
"""The fabric as it should be: what differs from it is an alarm from the first sweep on, and ends with the difference.

The expectation is real: what ibnetdiscover of infiniband-diags wrote."""

import re

import pytest
from lab.fabric import HERE, Fabric, two_managers
from lab.gateway import Gateway, check_config, section
from lab.processes import LabError, wait_until

SWEEP = {"method": "smp", "interval": 3600, "settle": 300}
DIFFERENCES = {"switch-missing", "host-missing", "router-missing", "link-missing", "link-miscabled",
               "link-below-expected", "node-unexpected", "link-unexpected"}
NODE1 = 0x0002C90300B10000


def alarms(gateway):
    """The active alarms about differences, by event and about what."""
    listed = gateway.listed_alarms("--all")
    return sorted((one["event"], one["key"].split(" ", 1)[1]) for one in listed if one["event"] in DIFFERENCES)


def wait_alarms(gateway, expected):
    try:
        wait_until(lambda: [event for event, _ in alarms(gateway)] == sorted(expected), f"alarms {expected}")
    except LabError as error:
        raise LabError(f"{error}; they are {alarms(gateway)}\n{gateway.log[-3000:]}") from None


def told(site, *events):
    return [one for one in site.syslog.poll() if one.message_id in events]


@pytest.fixture
def saved(fabric):
    """A fabric with its subnet manager, and the file of ibnetdiscover about it."""
    fabric.subnet_manager().wait_master()
    path = fabric.directory / "expected"
    path.write_text(fabric.discover())
    return fabric, path


def start(fabric, traps, syslog, **options):
    from conftest import make_site  # pylint: disable=import-outside-toplevel
    site = make_site(fabric, None, traps, syslog, sweep=SWEEP, **options)
    site.gateway.wait_subscribed()
    site.gateway.wait_swept(0)
    site.gateway.wait_status(lambda one: one["sweep"]["sweeps"] >= 1, "a sweep")
    return site


def test_what_is_wrong_before_the_start_is_told_and_ends(saved, traps, syslog):
    fabric, path = saved
    fabric.unlink("leaf1", 12)
    fabric.unlink("node2")
    fabric.unlink("storage1")
    fabric.link("storage1", 1, "leaf2", 7)
    site = start(fabric, traps, syslog, expected=path)
    wait_alarms(site.gateway, ["link-missing", "host-missing", "link-miscabled"])
    [missing] = told(site, "host-missing")
    assert "node2" in missing.text and "port 3 of leaf2" in missing.text and missing.severity == "error"
    [link] = told(site, "link-missing")
    assert "ort 12 of leaf1" in link.text and "port 12 of leaf2" in link.text
    [miscabled] = told(site, "link-miscabled")
    assert "torage1" in miscabled.text and "port 7 of leaf2" in miscabled.text
    assert "should be connected to port 4 of leaf2" in miscabled.text
    before = alarms(site.gateway)

    site.gateway.stop()  # alarms survive, and are not told again
    fabric.relink("leaf1", 12)
    site.gateway.start()
    site.gateway.wait_status(lambda one: one["sweep"]["sweeps"] >= 1, "a sweep")
    wait_alarms(site.gateway, ["host-missing", "link-miscabled"])
    assert set(alarms(site.gateway)) < set(before)
    end = site.message("as-expected")[0]
    assert end.data["alarmKey"] == link.data["alarmKey"] and end.data["clearsId"] == link.data["id"]
    assert "is as expected again" in end.text
    assert len(told(site, "host-missing", "link-miscabled")) == 2

    fabric.relink("node2")
    fabric.unlink("storage1")
    fabric.link("storage1", 1, "leaf2", 4)
    wait_alarms(site.gateway, [])
    assert len(site.message("as-expected", count=3)) == 3


def test_a_port_tells_where_its_cable_should_lead(saved, traps, syslog):
    fabric, path = saved
    fabric.unlink("leaf1", 12)
    gateway = start(fabric, traps, syslog, expected=path).gateway
    wait_alarms(gateway, ["link-missing"])
    assert "expected: leaf2 port 12\n" in gateway.control("port", "leaf1/12").stdout
    assert "expected: leaf2 port 11\n" in gateway.control("port", "leaf1/11").stdout
    node = gateway.control("node", "leaf1").stdout  # only what is not as expected
    assert node.count("expected: ") == 1 and "  port 12  down    no link\n           expected: leaf2 port 12\n" in node


def test_a_changed_file_is_told_once_it_is_in_force(saved, traps, syslog):
    fabric, path = saved
    fabric.unlink("leaf1", 12)
    gateway = start(fabric, traps, syslog, expected=path).gateway
    wait_alarms(gateway, ["link-missing"])
    path.write_text(fabric.discover())
    assert "expected: leaf2 port 12\n" in gateway.control("port", "leaf1/12").stdout
    gateway.control("reload")
    wait_alarms(gateway, [])
    assert "expected: " not in gateway.control("port", "leaf1/12").stdout


def test_a_switch_that_dies_later_is_one_alarm_at_receivers(saved, traps, syslog):
    fabric, path = saved
    site = start(fabric, traps, syslog, expected=path, policy=section("flap", changes=0) + section("storm", rate=0))
    assert alarms(site.gateway) == []
    fabric.unlink("leaf2")
    wait_alarms(site.gateway, ["switch-missing"])
    journal = {one["event"]: one for one in site.gateway.journal()}
    assert journal["switch-missing"]["suppressed"] == "consequence"
    assert journal["switch-missing"]["causeId"] == journal["switch-removed"]["id"]
    assert "missing with it 3 nodes: sm2, node2, storage1" in journal["switch-missing"]["text"]
    assert not told(site, *DIFFERENCES)


def table_of(dump):
    """A planner's table of the links in a dump."""
    names = dict(re.findall(r'^(?:Switch|Ca)\s+\d+ "(\S+)"\s+# "(.*)"', dump, re.MULTILINE))
    rows, node = ["Start Device;Start Port;End Device;End Port;Rate"], None
    for line in dump.splitlines():
        if block := re.match(r'(?:Switch|Ca)\s+\d+ "(\S+)"', line):
            node = names[block[1]]
        elif link := re.match(r'\[(\d+)\]\S*\s+"(\S+)"\[(\d+)\].* (\d+x\S+)$', line):
            rows.append(f"{node};Port {link[1]};{names[link[2]]};{link[3]};{link[4]}")
    return "\ufeff" + "".join(row + "\r\n" for row in rows)


def test_a_planners_table_has_names_and_no_guids(saved, traps, syslog):
    fabric, path = saved
    path.write_text(table_of(path.read_text()))
    fabric.unlink("leaf1", 12)
    fabric.unlink("node2")
    quiet = section("flap", changes=0) + section("storm", rate=0)
    site = start(fabric, traps, syslog, expected=path, policy=quiet)
    wait_alarms(site.gateway, ["link-missing", "host-missing"])
    [missing] = told(site, "host-missing")
    assert "Host node2 " in missing.text and "port 3 of leaf2" in missing.text
    assert "0xff" not in missing.text and not int(missing.data.get("subjectNodeGuid", "0"), 0)
    fabric.relink("node2")
    fabric.relink("leaf1", 12)
    wait_alarms(site.gateway, [])
    fabric.unlink("node1")
    wait_alarms(site.gateway, ["host-missing"])
    journal = {one["event"]: one for one in site.gateway.journal()}
    assert journal["host-missing"]["suppressed"] == "consequence"
    assert journal["host-missing"]["causeId"] == journal["host-removed"]["id"]


def test_reload_takes_another_file_or_none(saved, traps, syslog):
    fabric, path = saved
    text = path.read_text()
    slow = text.replace('"H-0002c90300b10000"[1](2c90300b10001) \t\t# "node1" lid', "\0")
    assert slow.count("\0") == 1
    slow = re.sub("\0( \\d+) 4xSDR", '"H-0002c90300b10000"[1](2c90300b10001) \t\t# "node1" lid\\1 4xEDR', slow)
    path.write_text(slow)
    site = start(fabric, traps, syslog, expected=path)
    wait_alarms(site.gateway, ["link-below-expected"])
    [below] = told(site, "link-below-expected")
    assert "4X SDR (10 Gb/s) instead of 4X EDR (100 Gb/s)" in below.text

    path.write_text(text + "nonsense\n")
    refused = site.gateway.control("reload", check=False)
    line = text.count("\n") + 1
    assert refused.returncode == 1 and f"{path}:{line}: 'nonsense' is no line of ibnetdiscover(8)" in refused.stderr
    assert [event for event, _ in alarms(site.gateway)] == ["link-below-expected"]

    path.write_text(text)  # without a reload, nobody looks at it
    site.gateway.control("reload")
    wait_alarms(site.gateway, [])
    assert site.message("as-expected")[0].data["alarmKey"] == below.data["alarmKey"]

    fabric.unlink("leaf1", 12)
    wait_alarms(site.gateway, ["link-missing"])
    config = site.gateway.config.read_text()
    site.gateway.config.write_text(config.replace(f'expected_topology = "{path}"', ""))
    site.gateway.control("reload")
    wait_alarms(site.gateway, [])
    cleared = site.message("alarm-cleared")[0]
    assert "no topology is expected any more" in cleared.text and "link-missing" in cleared.text


def test_a_replaced_adapter_by_guid_and_by_name(saved, traps, syslog):
    path = saved[1]
    net = saved[0].directory / "replaced.net"
    net.write_text((HERE / "nets" / "small.net").read_text().replace("0x0002c90300b10000", "0x0002c90300bf0000"))
    with Fabric(net) as fabric:
        fabric.subnet_manager().wait_master()
        site = start(fabric, traps, syslog, expected=path)
        wait_alarms(site.gateway, ["host-missing", "node-unexpected"])
        [missing] = told(site, "host-missing")
        assert "in its place is port 1 of node1" in missing.text
        assert int(missing.data["subjectNodeGuid"], 0) == NODE1
        [unexpected] = told(site, "node-unexpected")
        assert unexpected.severity == "informational" and "port 3 of leaf1" in unexpected.text
        config = site.gateway.config.read_text()
        site.gateway.config.write_text(config.replace("fabric {", 'fabric { expected_match = "name"', 1))
        site.gateway.control("reload")
        wait_alarms(site.gateway, [])


def test_alarms_survive_a_handover(syslog):
    with two_managers() as (fabric, master, _):
        path = fabric.directory / "expected"
        path.write_text(fabric.discover())
        fabric.unlink("node2")
        options = {"active": "with-master-sm", "beside_sm": True, "sweep": {"interval": 5, "settle": 300}}
        first, second = [fabric.keep(Gateway(fabric, host=host, syslog=[syslog.address], expected=path, **options))
                         for host in ("sm1", "sm2")]
        for gateway in first, second:
            gateway.wait_subscribed()
            gateway.wait_status(lambda one: one["sweep"]["sweeps"] >= 1, "a sweep")
            wait_alarms(gateway, ["host-missing"])
        [missing] = syslog.wait_for(lambda one: one.message_id == "host-missing", "the alarm")
        assert [one["suppressed"] for one in second.journal() if one["event"] == "host-missing"] == ["standby"]

        master.kill()
        syslog.wait_for(lambda one: one.message_id == "host-missing", "the alarm again", count=2)
        fabric.relink("node2")
        [end] = syslog.wait_for(lambda one: one.message_id == "as-expected", "the end of the alarm")
        assert end.data["alarmKey"] == missing.data["alarmKey"]
        wait_alarms(second, [])


def test_the_configuration_is_checked_with_the_file(tmp_path):
    path = tmp_path / "expected"
    path.write_text('Switch 4 "S-0000000000000001"\n[5] "S-0000000000000001"[1]\n')
    status, text = check_config(section("fabric", expected_topology=path), tmp_path)
    assert status == 1 and f"{path}:2: the node has 4 ports, and no port 5" in text
