# SPDX-License-Identifier: BSD-2-Clause
"""The page about Zabbix and the template, with the server of Debian 12 or 13 (6.0, 7.0) and PostgreSQL. Zabbix' API
imports the template and tells of problems."""

import json
import socket
import urllib.request

import pytest
from conftest import CONFIG, booted
from lab import notices, pages
from lab.fabric import gid
from lab.receivers import listening
from lab.watch import discovered
from test_snmpd import LET_IN, offline_packages

FRONTEND = 8080
TEMPLATE = "/usr/share/doc/ibtrapd/examples/zabbix-6.0.yaml"
PORTS = "/usr/share/doc/ibtrapd/examples/zabbix-6.0-ports.yaml"
GATEWAY, OTHER = "127.0.0.1", "10.9.9.9"
EVENTS = "ibtrapd: all events"
WARNING, HIGH = 2, 4  # severities of Zabbix
NODE1, LEAF2 = "node 0x0002c90300b10000", "node 0x0002c90200c20000"
LINK = "link 0x0002c90200c10000/12-0x0002c90200c20000/12"
HOSTILE = f"x ZBXTRAP {OTHER} IBTRAPD-MIB::ibtrapdAlarmState.0 cleared"

DATABASE = r"""
systemctl start postgresql@$(ls /etc/postgresql)-main
runuser -u postgres -- psql -q -c "CREATE USER zabbix PASSWORD 'secret'" -c "CREATE DATABASE zabbix OWNER zabbix ENCODING 'UTF8' TEMPLATE template0"
cd /usr/share/zabbix-server-pgsql
zcat schema.sql.gz images.sql.gz data.sql.gz | PGPASSWORD=secret psql -1 -q -h 127.0.0.1 -U zabbix zabbix >/dev/null
"""
SERVER = "DBHost=127.0.0.1\nDBPassword=secret\nCacheUpdateFrequency=2\nHistoryCacheSize=4M\n"
WEB = """<?php
$DB = ['TYPE' => 'POSTGRESQL', 'SERVER' => '127.0.0.1', 'PORT' => '0', 'DATABASE' => 'zabbix', 'USER' => 'zabbix',
       'PASSWORD' => 'secret', 'SCHEMA' => '', 'ENCRYPTION' => false, 'KEY_FILE' => '', 'CERT_FILE' => '', 'CA_FILE' => '',
       'VERIFY_HOST' => false, 'CIPHER_LIST' => '', 'VAULT_URL' => '', 'VAULT_DB_PATH' => '', 'VAULT_TOKEN' => '',
       'DOUBLE_IEEE754' => true];
$IMAGE_FORMAT_DEFAULT = IMAGE_FORMAT_PNG;
"""


class Api:
    """Zabbix' JSON-RPC."""

    def __init__(self):
        self._token = None
        self.version = self("apiinfo.version")
        self._token = self("user.login", username="Admin", password="zabbix")

    def __call__(self, method, **parameters):
        request = {"jsonrpc": "2.0", "method": method, "params": parameters, "id": 1, "auth": self._token}
        call = urllib.request.Request(f"http://127.0.0.1:{FRONTEND}/api_jsonrpc.php", json.dumps(request).encode(),
                                      {"Content-Type": "application/json-rpc"})
        with urllib.request.urlopen(call, timeout=60) as response:
            answer = json.loads(response.read())
        assert "error" not in answer, answer
        return answer["result"]

    def problems(self, host=None):
        """The open problems of a host by name: severity and tags."""
        found = self("problem.get", output="extend", selectTags="extend", **({"hostids": [host]} if host else {}))
        return {one["name"]: (int(one["severity"]), {tag["tag"]: tag["value"] for tag in one["tags"]}) for one in found}


class Zabbix:
    def __init__(self, site):
        site.shell(DATABASE)
        site.path("/etc/zabbix/zabbix_server.conf.d/database.conf").write_text(SERVER)
        [trapper] = pages.blocks("snmptrapd-zabbix", "zabbix-server")
        site.path("/etc/zabbix/zabbix_server.conf.d/snmptrap.conf").write_text(trapper)
        site.path("/etc/zabbix/zabbix.conf.php").write_text(WEB)
        site.run("systemd-tmpfiles", "--create", "/usr/lib/tmpfiles.d/zabbix-server.conf")  # as at a boot
        site.run("systemctl", "start", "zabbix-server")
        site.run("systemd-run", "--unit=frontend", "php", "-d", "memory_limit=512M", "-d", "max_execution_time=300",
                 "-S", f"127.0.0.1:{FRONTEND}", "-t", "/usr/share/zabbix")
        site.wait(lambda: accepts(FRONTEND), "the frontend to listen")
        self.api = Api()
        traps = self.template(site, TEMPLATE, "ibtrapd by SNMP trap")
        self.gateway, self.other = (self.host(name, address, traps) for name, address in (("gateway", GATEWAY), ("other", OTHER)))

    def template(self, site, path, name):
        """Imports it; returns its identifier."""
        create = {"createMissing": True, "updateExisting": True}
        missing = {"createMissing": True}
        groups = ["groups"] if self.api.version.startswith("6.0.") else ["template_groups", "host_groups"]
        self.api("configuration.import", format="yaml", source=site.path(path).read_text(),
                 rules={**dict.fromkeys(groups, missing), "templates": create, "items": create, "triggers": create, "valueMaps": create,
                        "discoveryRules": create})
        [template] = self.api("template.get", filter={"host": name})
        return template["templateid"]

    def host(self, name, address, template, community="public"):
        [group] = self.api("hostgroup.get", filter={"name": "Discovered hosts"})
        interface = {"type": 2, "main": 1, "useip": 1, "ip": address, "dns": "", "port": "161",
                     "details": {"version": 2, "community": community}}
        return self.api("host.create", host=name, groups=[{"groupid": group["groupid"]}], interfaces=[interface],
                        templates=[{"templateid": template}])["hostids"][0]

    def values(self, host, item):
        [found] = self.api("item.get", hostids=[host], filter={"name": item})
        return [one["value"] for one in self.api("history.get", itemids=[found["itemid"]], history=2, output="extend",
                                                 sortfield="clock")]


def accepts(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def follow_the_page(site):
    """The page's steps on Zabbix' host."""
    offline_packages(site)
    fetch, load, _, directory, start = pages.blocks("snmptrapd-zabbix", "sh")
    site.shell(fetch)
    site.shell(load)
    site.shell(directory)
    [handler] = pages.blocks("snmptrapd-zabbix", "zabbix-trap")
    site.path("/usr/local/bin/zabbix-trap").write_text(handler)
    site.path("/etc/snmp/snmptrapd.conf").write_text(pages.blocks("snmptrapd-zabbix", "snmptrapd")[2])
    site.shell(start)
    site.wait(lambda: listening(162), "snmptrapd to listen")


def has_event(zabbix, name):
    return any(f"ibtrapdEventName.0 {name}\n" in one for one in zabbix.values(zabbix.gateway, EVENTS))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with booted(tmp_path_factory.mktemp("outside")) as one:
        one.connect()
        yield one


@pytest.fixture(scope="module")
def zabbix(site):
    follow_the_page(site)
    ready = Zabbix(site)
    block = pages.blocks("snmptrapd-zabbix", "ibtrapd")[2].replace("zabbix.example.org", GATEWAY)
    site.path("/etc/ibtrapd/names").write_text(f'0x0002c90200c20000 "{HOSTILE}"\n')
    site.start_gateway(block, more='node_name_map = "/etc/ibtrapd/names" ')
    site.wait(lambda: has_event(ready, "gateway-started"), "the first event in Zabbix", 180)
    return ready


def open_alarms(zabbix, host=None):
    """The keys of the alarms that are open problems."""
    return {tags["alarm"] for _, tags in zabbix.api.problems(host or zabbix.gateway).values() if "alarm" in tags}


def wait_for_alarms(site, zabbix, keys):
    try:
        site.wait(lambda: open_alarms(zabbix) == set(keys), f"the problems {keys}", 180)
    except AssertionError as error:
        raise AssertionError(f"{error}; there are {open_alarms(zabbix)}\n{site.run('ibtrapctl', 'events')}") from None


def test_each_alarm_is_a_problem_and_ends_alone(site, zabbix):
    site.fabric.unlink("node1", 1)
    site.fabric.unlink("leaf1", 12)
    wait_for_alarms(site, zabbix, [NODE1, LINK])
    problems = zabbix.api.problems(zabbix.gateway)
    [host] = [name for name in problems if name.startswith("Host node1 ") and " left the fabric" in name]
    [link] = [name for name in problems if name.startswith("Port 12 of leaf1 ") and name.endswith(" went down.")]
    assert problems[host][0] == HIGH and problems[link][0] == WARNING
    assert problems[host][1]["node"] == "node1" and problems[link][1]["node"] == "leaf1"
    site.fabric.relink("leaf1", 12)
    wait_for_alarms(site, zabbix, [NODE1])
    site.fabric.relink("node1", 1)
    wait_for_alarms(site, zabbix, [])


def test_a_hostile_name_sends_no_trap_of_another_host(site, zabbix):
    """It also closes no problem, although it has the words of a clear."""
    site.fabric.unlink("leaf2")  # at once: a sweep between two links would tell of the first one
    wait_for_alarms(site, zabbix, [LEAF2])
    [(name, (severity, tags))] = zabbix.api.problems(zabbix.gateway).items()
    assert severity == HIGH and tags["node"] == HOSTILE.replace("ZBXTRAP", "ZBX-TRAP") and tags["node"] in name
    site.run("ibtrapctl", "test", "heartbeat")  # more traps come, and are read
    site.wait(lambda: has_event(zabbix, "heartbeat"), "the heartbeat in Zabbix", 180)
    assert open_alarms(zabbix) == {LEAF2}
    assert zabbix.values(zabbix.other, EVENTS) == [] and open_alarms(zabbix, zabbix.other) == set()
    site.fabric.relink("leaf2")
    wait_for_alarms(site, zabbix, [])


def test_a_test_opens_no_problem(site, zabbix):
    site.run("ibtrapctl", "test", "link-down")
    site.wait(lambda: any("ibtrapdEventName.0 link-down" in one and "ibtrapdTest.0 true" in one
                          for one in zabbix.values(zabbix.gateway, "ibtrapd: alarms")), "the test in Zabbix", 180)
    site.fabric.unlink("node1", 1)  # a problem that comes later
    wait_for_alarms(site, zabbix, [NODE1])
    site.fabric.relink("node1", 1)
    wait_for_alarms(site, zabbix, [])


def test_a_security_event_is_a_problem(site, zabbix):
    gids = gid(0x0002C90300B10001), gid(0x0002C90300B20001)
    site.fabric.client("node2").trap(notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, *gids))
    site.wait(lambda: any("P_Key" in name for name in zabbix.api.problems(zabbix.gateway)), "the problem", 180)


def test_a_silent_gateway_is_a_problem(site, zabbix):
    zabbix.api("usermacro.create", hostid=zabbix.other, macro="{$IBTRAPD.SILENCE.MAX}", value="30s")
    site.wait(lambda: "No heartbeat from ibtrapd" in zabbix.api.problems(zabbix.other), "the problem", 180)
    assert "No heartbeat from ibtrapd" not in zabbix.api.problems(zabbix.gateway)


def test_the_file_can_be_rotated(site, zabbix):
    [rotation] = pages.blocks("snmptrapd-zabbix", "logrotate")
    site.path("/etc/logrotate.d/snmptrap").write_text(rotation)
    site.run("logrotate", "-f", "/etc/logrotate.d/snmptrap")
    assert site.path("/var/log/snmptrap/snmptrap.log.1").stat().st_size > 0
    site.run("ibtrapctl", "test", "vendor-trap")
    site.wait(lambda: has_event(zabbix, "vendor-trap"), "an event from the new file", 180)


def serve_tables(site):
    config = site.path(CONFIG)
    config.write_text(config.read_text() + pages.blocks("snmp", "ibtrapd")[2] + "counters { interval = 5 }\n")
    path = site.path("/etc/snmp/snmpd.conf")
    path.write_text(path.read_text() + pages.blocks("snmp", "snmpd")[1])
    site.run("systemctl", "restart", "snmpd")
    site.shell(LET_IN)
    site.wait(lambda: "NOT SERVED" not in site.run("ibtrapctl", "status"), "snmpd to serve the tables")


def ask_now(zabbix, *items):
    for one in items:
        zabbix.api("task.create", type=6, request={"itemid": one})


def test_the_ports_are_read(site, zabbix):
    serve_tables(site)
    site.fabric.count_errors("leaf1", 3, SymbolErrorCounter=7)
    host = zabbix.host("ports", GATEWAY, zabbix.template(site, PORTS, "ibtrapd ports by SNMP"), "fabric")
    [rule] = zabbix.api("discoveryrule.get", hostids=[host])

    def items(name):
        return {one["name"]: one for one in zabbix.api("item.get", hostids=[host], output="extend", search={"name": name})}

    def found():
        ask_now(zabbix, rule["itemid"])
        return items(": state")

    site.wait(found, "the ports to be discovered", 180)
    linked = {f"{node} port {port}" for node, port in linked_ports(site)}
    assert {name.removesuffix(": state") for name in items(": state")} == linked

    def values():
        wanted = [items("leaf1 port 3: state"), items("leaf1 port 3: symbol errors")]
        found = [one for some in wanted for one in some.values()]
        ask_now(zabbix, *(one["itemid"] for one in found))
        return sorted(one["lastvalue"] for one in found) == ["4", "7"]

    try:
        site.wait(values, "the values of a port", 180)
    except AssertionError as error:
        there = {name: (one["lastvalue"], one["state"], one["error"]) for name, one in items("leaf1 port 3").items()}
        raise AssertionError(f"{error}: {there}") from None
    site.fabric.unlink("leaf1", 12)

    def problem():
        ask_now(zabbix, *(one["itemid"] for one in items("leaf1 port 12: state").values()))
        return "Port 12 of leaf1 is not active" in zabbix.api.problems(host)

    site.wait(problem, "the problem of the port", 180)
    site.fabric.relink("leaf1", 12)


def linked_ports(site):
    """(name, port) of both ends of each link, as ibnetdiscover has them; the map names leaf2."""
    nodes, links = discovered(site.fabric, "monitor")
    names = {guid: HOSTILE if name == "leaf2" else name for guid, (_, _, name) in nodes.items()}
    for guid, port, peer, peer_port in links:
        yield from ((names[guid], port), (names[peer], peer_port))
