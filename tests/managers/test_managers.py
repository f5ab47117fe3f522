# SPDX-License-Identifier: BSD-2-Clause
"""The page about managers as it is written: the fabric as one device and a switch in its context, with Debian's snmpd,
snmp_exporter and Zabbix."""

import re

import pytest
from lab import pages
from lab.watch import discovered
from test_snmpd import LET_IN
from test_zabbix import Zabbix

PAGE = "managers"
INSTALL, START, EXPORT = (pages.block(PAGE, "sh", words) for words in ("apt-get", "snmpbulkwalk", "snmp_exporter"))
SWITCHES = {f"{leaf}/{port}" for leaf in ("leaf1", "leaf2") for port in range(1, 13)}


def serve(site, more=""):
    """By the page. The machine has snmpd, and no network to fetch it from."""
    site.connect()
    site.start_gateway(more)
    site.shell(INSTALL.split("\n", 1)[1])
    site.add_config(pages.blocks(PAGE, "ibtrapd")[0])
    reload, walk = START.splitlines()
    site.shell(reload)
    rows = site.wait(lambda: len(found := site.shell(walk, good=(0, 1, 2)).splitlines()) == 24 and found, "the interfaces")
    assert {line.split('"')[1] for line in rows} == SWITCHES
    site.shows("ibtrapctl status", pages.indented(PAGE)[0])
    return walk


def test_the_fabric_is_a_device(site):
    serve(site)
    site.path("/etc/ibtrapd/snmpd.conf").write_text(pages.blocks(PAGE, "snmpd")[0])
    site.run("systemctl", "restart", "ibtrapd-snmpd")
    by_user = "-v3", "-u", "nms", "-l", "authPriv", "-a", "SHA", "-A", "a password", "-x", "AES", "-X", "another password"
    walk = "snmpwalk", *by_user, "-On", "127.0.0.1:1161"
    site.wait(lambda: '"leaf1/12"' in site.run(*walk, ".1", good=(0, 1, 2)), "the fabric for an SNMPv3 user")
    table = site.run("snmptable", *by_user, "-Ci", "-OXq", "127.0.0.1:1161", ".1.3.6.1.2.1.2.2", good=(0, 1, 2))
    names = site.run(*walk, ".1.0.8802.1.1.2.1.4.1.1.9")
    links = [one for one in discovered(site.fabric, "node1")[1] if int(one[0], 16) >> 16 & 0xFF in (0xC1, 0xC2)]
    assert len(names.splitlines()) == len(links) > 0, table
    assert site.log_of("ibtrapd-snmpd").count("rror") == 0


def test_snmp_exporter_reads_it(site):
    serve(site, "counters { interval = 5 }")
    block = EXPORT.replace("\ncurl '", "\ncurl -s --retry 20 --retry-connrefused '")
    exported = site.shell(block)
    found = re.findall(r'^ifOperStatus\{ifAlias="(.*?)",ifIndex="(\d+)",ifName="(.*?)"\} (\d)$', exported, re.MULTILINE)
    assert {name for _, _, name, _ in found} == SWITCHES
    assert ("to leaf2/12", "1") in {(alias, state) for alias, _, name, state in found if name == "leaf1/12"}
    site.wait(lambda: "ifHCOutOctets{" in site.shell(EXPORT.splitlines()[-1]), "the counters")


@pytest.mark.parametrize("way", ["fabric", "context"])
def test_zabbix_finds_the_ports(site, way):
    """With the templates that Zabbix brings, and items that their discovery rule makes: the page's for the fabric, and
    the one that names ports by ifDescr for a switch."""
    serve(site)
    if way == "context":
        site.run("systemctl", "start", "snmpd")
        path = site.path("/etc/snmp/snmpd.conf")
        path.write_text(path.read_text() + pages.blocks("snmp", "snmpd")[1] + pages.blocks("snmp", "snmpd")[2])
        config = site.path("/etc/ibtrapd/ibtrapd.conf")
        config.write_text(config.read_text().replace("subagent {", 'subagent { socket = "/var/agentx/master"'))
        site.shell(LET_IN)
    zabbix = Zabbix(site)
    names = ["Generic by SNMP", "Interfaces by SNMP"] if way == "fabric" else ["Network Generic Device by SNMP"]
    assert all(f'"{name}"' in pages.text(PAGE) for name in names)
    templates = zabbix.api("template.get", filter={"name": names}, output=["templateid"])
    assert len(templates) == len(names)
    [group] = zabbix.api("hostgroup.get", filter={"name": "Discovered hosts"})
    details = {"version": 2, "community": "fabric"} if way == "fabric" else {
        "version": 3, "securityname": "devices", "securitylevel": 2, "authprotocol": 1, "authpassphrase": "a password",
        "privprotocol": 1, "privpassphrase": "another password", "contextname": f"{site.fabric.guid_of('leaf1'):016x}"}
    interface = {"type": 2, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": "1161" if way == "fabric" else "161",
                 "details": details}
    [host] = zabbix.api("host.create", host=way, groups=[{"groupid": group["groupid"]}], interfaces=[interface],
                        templates=templates)["hostids"]
    rules = zabbix.api("discoveryrule.get", hostids=[host], output=["itemid", "name"])
    [ports] = [one["itemid"] for one in rules if "etwork interfaces discovery" in one["name"]]
    expected = SWITCHES if way == "fabric" else {f"leaf1 port {port}" for port in range(1, 13)}

    def states():
        zabbix.api("task.create", type=6, request={"itemid": ports})
        items = zabbix.api("item.get", hostids=[host], search={"key_": "net.if.status"}, output=["name", "lastvalue"])
        return {re.match(r"Interface ([^(,]+?)[(,:]", one["name"])[1]: one["lastvalue"] for one in items}

    try:
        site.wait(lambda: expected <= states().keys(), "the ports in Zabbix", 240)
    except AssertionError as error:
        rules = zabbix.api("discoveryrule.get", hostids=[host], output=["name", "state", "error"])
        raise AssertionError(f"{error}: there are {sorted(states())}; {rules}") from None
    linked = "leaf1/12" if way == "fabric" else "leaf1 port 12"
    site.wait(lambda: states()[linked] == "1", "the state of a link in Zabbix", 240)
