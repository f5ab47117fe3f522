# SPDX-License-Identifier: BSD-2-Clause
"""Switches and adapters tell why a link went down."""

import csv
import json
import re

import expected as want
import pytest
from lab.devices import Devices, rows
from lab.fabric import HERE, Fabric
from lab.gateway import section
from lab.metrics import request, scrape
from lab.processes import wait_until
from lab.registers import Firmware
from lab.snmpd import Snmpd
from lab.sockets import free_port
from lab.tables import Manager

SWEEP = {"method": "smp", "interval": 3600, "settle": 300, "vendor_registers": True, "vendor_interval": 0}
ENTITIES, SENSORS = (1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1), (1, 3, 6, 1, 2, 1, 99, 1, 1, 1)
UNPLUGGED, BIT_ERRORS, REMOTE_FAULT = 23, 2, 20
UNPLUGGED_MODULE = 4


@pytest.fixture
def fabric(tmp_path):
    """The nodes are NVIDIA's."""
    net = tmp_path / "nvidia.net"
    nodes = (HERE / "nets" / "small.net").read_text()
    for kind in ("caguid", "switchguid"):
        nodes = nodes.replace(f"\n{kind}=", f"\nvendid=0x2c9\ndevid=0xd2f0\n{kind}=")
    net.write_text(nodes)
    with Fabric(net) as simulated:
        yield simulated


@pytest.fixture
def firmware(request, open_site, fabric, tmp_path):
    """The registers of both switches, and a site whose gateway reads them. A parameter: items of section `sweep`, the
    interval of the counters, and whether there are metrics and the page."""
    made = Firmware(tmp_path / "registers", fabric)
    snmpd = fabric.keep(Snmpd(fabric.directory)).start()
    made.manager = Manager(snmpd.address)
    made.page = free_port()
    more = section("subagent", socket=snmpd.socket)
    sweep = SWEEP | getattr(request, "param", {})
    if sweep.pop("metrics", False):
        more += section("metrics", listen=f"127.0.0.1:{made.page}", page=True, ports="errors")
    made.site = open_site(counters={"interval": sweep.pop("counters", 3600)}, sweep=sweep, registers=made.directory,
                          more=more)
    made.site.gateway.wait_subscribed()
    made.site.gateway.wait_nodes(8)
    made.site.gateway.wait_swept(0)
    for switch in ("leaf1", "leaf2"):
        made.general_info(switch)
    return made


@pytest.mark.parametrize("firmware", [{"metrics": True}], indirect=True)
def test_a_cable_between_switches_is_unplugged(firmware):
    firmware.link_down("leaf1", 11, local=UNPLUGGED, remote=REMOTE_FAULT, blame=1)
    firmware.trouble("leaf1", 11, 1024, "Cable is unplugged.")
    firmware.link_down("leaf2", 11, local=REMOTE_FAULT, blame=2)
    firmware.site.fabric.unlink("leaf1", 11)
    down = firmware.site.message("link-down")[0]
    assert down.text.endswith("went down: the cable was unplugged at leaf1.")
    assert down.data["linkCause"] == "the cable was unplugged at leaf1"
    assert down.data["blame"] == "own" and down.data["localReason"] == "the cable was unplugged"
    assert down.data["remoteReason"].startswith("the port was told") and down.data["deviceText"] == "Cable is unplugged"
    assert alarm_of(firmware.site, down)["text"] == down.text
    why = 'Went down last: the cable was unplugged, which it blames on its own end; it says: Cable is unplugged.'
    assert f"           {why}\n" in firmware.site.gateway.control("port", "leaf1/11").stdout
    [mine] = [labels for labels in down_metrics(firmware.page) if labels["node"] == "leaf1"]
    assert (mine["port"], mine["blame"], mine["reason"]) == ("11", "own", "the cable was unplugged")
    assert mine["remote_reason"].startswith("the port was told") and mine["device_text"] == "Cable is unplugged."
    firmware.site.fabric.relink("leaf1", 11)
    firmware.site.message("link-up")
    assert down_metrics(firmware.page) == []


def down_metrics(port):
    return [labels for labels, _ in scrape(port).all_of("ibtrapd_port_down_info")]


def alarm_of(site, event):
    alarms = site.gateway.listed_alarms()
    return next(one for one in alarms if one["key"] == event.data["alarmKey"])


@pytest.mark.parametrize("firmware", [{"settle": 0}], indirect=True)
def test_a_message_that_waits_for_nothing_gets_its_reason_later(firmware):
    firmware.link_down("leaf1", 11, local=UNPLUGGED, blame=1)
    firmware.site.fabric.unlink("leaf1", 11)
    down = firmware.site.message("link-down")[0]
    assert down.text.endswith("went down.") and "linkCause" not in down.data
    wait_until(lambda: "unplugged at leaf1" in alarm_of(firmware.site, down)["text"], "the alarm to have the reason")
    alarm = alarm_of(firmware.site, down)
    assert alarm["count"] == 1
    firmware.site.fabric.relink("leaf1", 11)
    firmware.site.message("link-up")
    assert len(firmware.site.message("link-down")) == 1  # the reason was no further message


def test_a_host_leaves_for_bit_errors(firmware):
    firmware.link_down("leaf1", 3, local=BIT_ERRORS)
    firmware.site.fabric.unlink("node1")
    gone = firmware.site.message("host-removed")[0]
    assert "left the fabric: too many bit errors at leaf1; it hung on port 3 of leaf1" in gone.text


def interrupt(firmware):
    """Port 12 of leaf1 goes down and comes up before the sweep after its trap."""
    site = firmware.site
    site.gateway.wait_counters()
    site.fabric.unlink("leaf1", 12)
    site.fabric.relink("leaf1", 12)
    for leaf in ("leaf1", "leaf2"):
        site.fabric.count_errors(leaf, 12, LinkDownedCounter=1)
    return site.message("link-interrupted")[0]


@pytest.mark.parametrize("firmware", [{"settle": 3000}], indirect=True)
def test_a_link_that_was_interrupted_says_why(firmware):
    firmware.link_down("leaf2", 12, local=BIT_ERRORS)
    event = interrupt(firmware)
    assert "before a sweep saw it: too many bit errors at leaf2; LinkDownedCounter grew by 1" in event.text
    assert event.data["linkCause"] == "too many bit errors at leaf2"


@pytest.mark.parametrize("firmware", [{"settle": 3000}], indirect=True)
def test_a_link_that_was_interrupted_is_told_without_an_answer(firmware):
    event = interrupt(firmware)
    assert "before a sweep saw it; LinkDownedCounter grew by 1" in event.text and "linkCause" not in event.data


def test_without_the_registers_the_sentence_is_the_old_one(firmware):
    firmware.site.fabric.unlink("leaf1", 11)
    down = firmware.site.message("link-down")[0]
    assert down.text.endswith("went down.") and "linkCause" not in down.data


def without_modules(firmware, switch):
    for port in range(1, 13):
        firmware.module(switch, port, "", "", "", celsius=0, high=0, kind=UNPLUGGED_MODULE)


def test_a_manager_reads_what_is_plugged_in(firmware):
    without_modules(firmware, "leaf1")
    firmware.module("leaf1", 3, "NVIDIA", "MCP4Y10-N001", "MT2231FT00123", celsius=41.5, high=75)
    firmware.module("leaf1", 11, "Mellanox", "MFS1S00-H010E", "MT2119FT44444", celsius=-3, high=70, volts=3.2971,
                    received=(812, 0, 7), sent=(900, 901), length=0x83)
    firmware.module("leaf1", 4, "NVIDIA", "", "", celsius=-128, high=-128)  # 0x8000: measures nothing
    table = tuple(map(int, want.OWN.split("."))) + (1, 8, 1)
    rows = {}
    for oid, value in firmware.manager.walk(table).items():
        rows.setdefault(oid[-1], {})[oid[len(table)]] = value
    assert set(rows) == set(range(1, 13))
    assert rows[1] == {3: UNPLUGGED_MODULE} and rows[4] == {3: 2, 4: b"NVIDIA"}
    assert rows[3][3] == 2 and rows[3][8] == 4150 and rows[3][9] == 7500
    assert [rows[3][column] for column in (4, 5, 7)] == [b"NVIDIA", b"MCP4Y10-N001", b"MT2231FT00123"]
    assert rows[11][8] == -300 and 10 not in rows[11] and 13 not in rows[11] and 16 not in rows[11]
    assert [rows[11][column] for column in (11, 12, 14, 15)] == [32971, 300, 7, 900]


def test_a_manager_reads_firmware_and_temperature(firmware):
    firmware.firmware("leaf1", 27, 2010, 3004)
    firmware.firmware("leaf2", 27, 2008, 42)
    firmware.temperature("leaf1", 47.5, 105)
    firmware.temperature("leaf2", 110, 105)
    versions = firmware.manager.column(2, 3, 1, 20)
    assert sorted(versions.values()) == [b"v27.2008.0042", b"v27.2010.3004"]
    assert sorted(firmware.manager.column(2, 10, 1, 5).values()) == [47, 110]
    assert sorted(firmware.manager.column(2, 10, 1, 4).values()) == [4, 5]
    assert list(firmware.manager.column(2, 10, 1, 6).values()) == [b"Temp 1"] * 2


def test_a_manager_reads_the_serial_number_of_a_switch(fabric, tmp_path):
    fabric.subnet_manager().wait_master()
    made = Firmware(tmp_path / "registers", fabric)
    for switch in ("leaf1", "leaf2"):
        made.general_info(switch)
    made.board("leaf1", "MT2044X00001", "MQM8790-HS2F", "Jaguar Unmng IB 200")
    devices = Devices(fabric, registers=made.directory, sweep={"vendor_registers": True, "vendor_interval": 0})
    node = rows(devices.wait_for("leaf1"), ENTITIES)[1]
    assert (node[11], node[13]) == (b"MT2044X00001", b"MQM8790-HS2F")
    node = rows(devices.wait_for("leaf2"), ENTITIES)[1]  # tells no board
    assert (node[11], node[13]) == (b"", b"0xd2f0")


def device(fabric, tmp_path):
    """The registers of leaf1, and a manager in the context of leaf1."""
    fabric.subnet_manager().wait_master()
    made = Firmware(tmp_path / "registers", fabric)
    made.general_info("leaf1")
    devices = Devices(fabric, registers=made.directory, sweep={"vendor_registers": True, "vendor_interval": 0})
    return made, lambda: devices.wait_for("leaf1")


def test_a_manager_sees_modules_fans_and_power_supplies(fabric, tmp_path):
    """RFC 4133 and RFC 3433: what has the place of what, and the sensors of all, by the numbers of the registers."""
    made, manager = device(fabric, tmp_path)
    without_modules(made, "leaf1")
    made.module("leaf1", 3, "NVIDIA", "MFS1S00-H010E", "MT2231FT00123", celsius=-3.5, high=75, volts=3.3,
                received=(812, 0, 7), sent=(900,))
    made.fans("leaf1", there=0b101)
    made.fan_speed("leaf1", 0, 6021)
    made.fan_speed("leaf1", 2, 5990)
    made.supplies("leaf1", True, False, watts=72, serial="MT1943", part="MTEF-PSF-AC-")
    made.temperature("leaf1", 47.5, 105)
    made.temperature("leaf1", 26, 60, sensor=1)
    found = rows(manager(), ENTITIES)
    places = {index: (row[4], row[5], row[7]) for index, row in found.items() if index > 255}
    module = "the module in port 3"
    assert places == {
        300: (1, 7, b"Fan 0"), 302: (1, 7, b"Fan 2"), 401: (1, 6, b"Power supply 1"), 402: (1, 6, b"Power supply 2"),
        1003: (4, 9, b"Module in port 3"), 2001: (1, 8, b"Temperature of the ASIC"),
        2002: (1, 8, b"Temperature of the air"), 2100: (300, 8, b"Speed of fan 0"), 2102: (302, 8, b"Speed of fan 2"),
        2201: (401, 8, b"Power of supply 1"), 2202: (402, 8, b"Power of supply 2"),
        3003: (1003, 8, f"Temperature of {module}".encode()), 4003: (1003, 8, f"Voltage of {module}".encode()),
        10031: (1003, 8, b"Light received by port 3, lane 1"), 10033: (1003, 8, b"Light received by port 3, lane 3"),
        20031: (1003, 8, b"Light sent by port 3, lane 1")}
    assert all(row.keys() == set(range(2, 19)) for row in found.values())
    assert [found[1003][column] for column in (11, 12, 13, 16)] == [b"MT2231FT00123", b"NVIDIA", b"MFS1S00-H010E", 1]
    assert [found[402][column] for column in (11, 13, 16)] == [b"MT19431", b"MTEF-PSF-AC-1", 1]
    sensors = rows(manager(), SENSORS)
    assert {index: [row[column] for column in (1, 2, 3, 4)] for index, row in sensors.items()} == {
        2001: [8, 9, 1, 475], 2002: [8, 9, 1, 260], 2100: [10, 9, 0, 6021], 2102: [10, 9, 0, 5990],
        2201: [6, 9, 0, 72], 2202: [6, 9, 0, 72], 3003: [8, 9, 1, -35], 4003: [4, 9, 3, 3300],
        10031: [6, 8, 3, 812], 10033: [6, 8, 3, 7], 20031: [6, 8, 3, 900]}
    assert all(row[5] == 1 and row[6] and row[8] == 0 for row in sensors.values())


@pytest.mark.parametrize("firmware", [{"vendor_interval": 1}], indirect=True)
def test_a_module_gets_hot_and_a_cable_is_replaced(firmware):
    site = firmware.site
    without_modules(firmware, "leaf1")
    site.gateway.stop()  # leaves devices alone for a day that had no registers when it asked them
    site.gateway.start()
    firmware.module("leaf1", 11, "NVIDIA", "MCP4Y10-N001", "MT1", celsius=76, high=75)
    hot = site.message("module-hot")[0]
    assert "is too hot: it has 76.0 degrees" in hot.text and hot.data["subjectPort"] == "11"
    firmware.module("leaf1", 11, "NVIDIA", "MCP4Y10-N001", "MT2", celsius=40, high=75)
    replaced = site.message("cable-replaced")[0]
    assert replaced.text.endswith("serial number MT2 instead of NVIDIA MCP4Y10-N001, serial number MT1.")
    assert site.message("hardware-good")[0].data["clearsId"] == hot.data["id"]


@pytest.fixture
def rounds(firmware):
    """The gateway reads the registers of leaf1, with modules in two ports, every second."""
    without_modules(firmware, "leaf1")
    firmware.module("leaf1", 11, "NVIDIA", 'MCP"4Y10', "MT1", celsius=41.5, high=75)
    for port in (1, 2, 3, 4, 5, 11, 12):
        firmware.bit_errors("leaf1", port, raw=(3, 9), effective=(15, 254))
        firmware.histogram("leaf1", port, [10**9, 10**5, 30, 0, 0, 0, 0, 0])
        firmware.recoveries("leaf1", port, successful=1)
    firmware.firmware("leaf1", 27, 2010, 3004)
    firmware.board("leaf1", "MT2044X00001", "MQM8790-HS2F", "Jaguar Unmng IB 200")
    firmware.temperature("leaf1", 47.5, 105, low=95)
    firmware.temperature("leaf1", 26, 60, sensor=1)
    firmware.sensors("leaf1")
    firmware.fans("leaf1", there=0xFF)
    firmware.supplies("leaf1", True, True, watts=72, serial="MT19", part="MTEF")
    firmware.site.gateway.stop()  # leaves devices alone for a day that had no registers when it asked them
    firmware.site.gateway.start()
    wait_until(lambda: inventory(firmware.site.gateway), "the first round")
    return firmware


def inventory(gateway):
    answer = gateway.control("inventory", "--json", check=False)  # the gateway may still start
    return json.loads(answer.stdout)["inventory"] if answer.returncode == 0 else []


@pytest.mark.parametrize("firmware", [{"vendor_interval": 1}], indirect=True)
def test_what_is_plugged_in_is_an_inventory(rounds):
    gateway = rounds.site.gateway
    wait_until(lambda: len(inventory(gateway)) == 13, "all ports of leaf1")
    switch, *ports = inventory(gateway)
    assert switch["port"] == 0 and switch["node"] == "leaf1" and switch["firmware"] == "27.2010.3004"
    assert (switch["psid"], switch["serial"], switch["uptime"]) == ("MT_0000000012", "MT2044X00001", 86400)
    assert (switch["temperature"], switch["temperature_high"], switch["ambient"]) == (47.5, 105, 26)
    assert (switch["fans"], switch["fans_out"], switch["supplies"]) == (8, 0, 2)
    assert (switch["supply_power"], switch["supply_serial"]) == ([72, 72], ["MT190", "MT191"])
    module = next(one for one in ports if one["port"] == 11)
    assert (module["vendor"], module["serial"], module["temperature"]) == ("NVIDIA", "MT1", 41.5)
    assert (module["peer"], module["peer_port"], module["kind"]) == ("leaf2", 11, "optical")
    assert next(one for one in ports if one["port"] == 12)["kind"] == "unplugged"
    rows = list(csv.DictReader(gateway.control("inventory", "--csv", "--node", "leaf*").stdout.splitlines()))
    assert [row["port"] for row in rows] == [str(n) for n in range(13)]
    assert rows[11]["part"] == 'MCP"4Y10' and rows[11]["temperature"] == "41.5" and rows[0]["firmware"] == "27.2010.3004"
    assert (rows[0]["supply_part"], rows[0]["supply_power"]) == ("MTEF0 MTEF1", "72 72")
    assert gateway.control("inventory", "--csv", "--node", "node1").stdout.count("\n") == 1
    assert "MT2044X00001" in gateway.control("inventory").stdout


@pytest.mark.parametrize("firmware", [{"vendor_interval": 1}], indirect=True)
def test_a_node_and_a_port_show_their_hardware(rounds):
    gateway = rounds.site.gateway
    wait_until(lambda: len(inventory(gateway)) == 13, "all ports of leaf1")
    node = gateway.control("node", "leaf1").stdout
    assert "product      Jaguar Unmng IB 200, serial number MT2044X00001\n" in node
    assert "firmware     27.2010.3004, PSID MT_0000000012, up for 86400 s\n" in node
    assert "temperature  47.5 degrees, limit 105, air 26\n" in node
    assert "hardware     8 fans, 0 too slow; 2 power supplies with power\n" in node
    module = 'NVIDIA MCP"4Y10, serial number MT1'
    assert f"           {module}, optical, 41.5 degrees, limit 75\n" in gateway.control("port", "leaf1/11").stdout
    assert "           Errors a bit: 3e-09 raw, 1.5e-253 effective\n" in gateway.control("port", "leaf1/11").stdout
    assert f"           At the other end: {module}, 41.5 degrees\n" in gateway.control("port", "leaf2/11").stdout


@pytest.mark.parametrize("firmware", [{"vendor_interval": 1, "metrics": True}], indirect=True)
def test_the_page_shows_the_hardware_of_a_node(rounds):
    gateway = rounds.site.gateway
    wait_until(lambda: len(inventory(gateway)) == 13, "all ports of leaf1")
    [node] = json.loads(request(rounds.page, path="/node/leaf1").text)["nodes"]
    assert node["hardware"]["product"] == "Jaguar Unmng IB 200" and node["hardware"]["supply_power"] == [72, 72]
    modules = {port["port"]: port.get("module", {}).get("serial") for port in node["ports"]}
    assert modules[11] == "MT1" and modules[12] is None


@pytest.mark.parametrize("firmware", [{"vendor_interval": 1}], indirect=True)
def test_a_switch_gets_hot_and_loses_a_fan_and_a_power_supply(rounds):
    site = rounds.site
    wait_until(lambda: inventory(site.gateway)[0].get("supplies") == 2, "a whole round")
    rounds.temperature("leaf1", 106, 105, low=95)
    assert "its ASIC has 106.0 degrees; its limit is 105.0" in site.message("temperature-high")[0].text
    rounds.fans("leaf1", there=0xFF, too_slow=8)
    assert "fan 3 is out of its range" in site.message("fan-failed")[0].text
    rounds.supplies("leaf1", True, False)
    assert "power supply 2 gives no power" in site.message("power-supply-failed")[0].text
    rounds.firmware("leaf1", 27, 2010, 3004, uptime=10)
    assert "up for 10 seconds" in site.message("switch-restarted")[0].text
    rounds.temperature("leaf1", 60, 105, low=95)
    assert site.message("hardware-good")[0].data["alarmKey"].startswith("temperature-high node ")


@pytest.mark.parametrize("firmware", [{"vendor_interval": 1, "counters": 5}], indirect=True)
def test_a_link_gets_worse_before_it_loses_a_block(rounds):
    site = rounds.site
    wait_until(lambda: "PhyBlocksNearFECLimit" in site.gateway.control("node", "leaf1", "--json").stdout,
               "the counters of registers")
    rounds.histogram("leaf1", 11, [10**9, 10**5, 30, 0, 0, 0, 20, 30])
    worse = site.message("link-errors-raised")[0]
    assert worse.text.startswith("PhyBlocksNearFECLimit of port 11 of leaf1") and "by 50 in" in worse.text


@pytest.mark.parametrize("firmware", [{"vendor_interval": 1}], indirect=True)
def test_vendstat_reads_the_same_firmware(rounds):
    """vendstat shares no code with the gateway; mstreg 4.21 refuses or ends before it asks for a register by LID."""
    fabric = rounds.site.fabric
    more = {"SIM_REGISTERS": str(rounds.directory), "SIM_REGISTERS_AGENT": "1"}
    rounds.general_info("leaf1")
    told = fabric.run(["/usr/sbin/vendstat", "-N", str(fabric.lid_of("leaf1"))], "node2", "libsimreports.so", more)
    known = wait_until(lambda: inventory(rounds.site.gateway), "the first round")[0]
    fields = dict(re.findall(r"^(\w+):\s+(.*)$", told, re.MULTILINE))
    assert fields["fw_psid"] == f"'{known['psid']}'" and int(fields["hw_uptime"], 16) == known["uptime"], told
    assert [*map(int, fields["fw_version"].split("."))] == [*map(int, known["firmware"].split("."))] == [27, 2010, 3004]
