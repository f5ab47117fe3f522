# SPDX-License-Identifier: BSD-2-Clause
"""The fabric as one device: in a context of its own, and alone below a second snmpd; compared with infiniband-diags."""

import re
import shlex
import signal

import pytest
from lab.fabric import BUILD
from lab.gateway import Gateway, section
from lab.processes import LabError, Process, wait_until
from lab.receivers import listening
from lab.snmpd import Snmpd
from lab.sockets import free_port
from lab.tables import Manager, ask, fields, switch_ports
from lab.watch import discovered

SYSTEM, INTERFACES, IF_X = (1, 3, 6, 1, 2, 1, 1), (1, 3, 6, 1, 2, 1, 2), (1, 3, 6, 1, 2, 1, 31, 1, 1, 1)
IF_TABLE, IF_NUMBER = INTERFACES + (2, 1), INTERFACES + (1, 0)
LLDP = (1, 0, 8802, 1, 1, 2, 1)
LLDP_PORTS, LLDP_NEIGHBOURS = LLDP + (3, 7, 1), LLDP + (4, 1, 1)
PORTS = 12
OPER = {"Active": 1, "Down": 2, "Initialize": 5, "Armed": 5}
LANES = {"1X": 1, "4X": 4, "8X": 8, "12X": 12, "2X": 2}

# As the service ibtrapd-snmpd has it.
MODULES = "snmpEngine,snmp_mib,usmConf,usmStats,usmUser,vacm_conf,vacm_context,vacm_vars"

ACCESS = """
createUser reader SHA "correct horse"
group readers usm reader
view all included .1
access readers "" usm auth exact all none none
access readers fabric usm auth exact all none none
com2sec -Cn fabric inside 127.0.0.1 inside
group communities v2c inside
access communities fabric v2c noauth exact all none none
"""


class Site:
    """A gateway below two master agents: one for all, one for the fabric alone."""

    def __init__(self, fabric, whose=None, **options):
        self.all = fabric.keep(Snmpd(fabric.directory, more=ACCESS)).start()
        self.alone = fabric.keep(Snmpd(fabric.directory, modules=MODULES)).start()
        sections = section("subagent", socket=self.all.socket, fabric_socket=self.alone.socket, fabric_ports=whose)
        self.gateway = fabric.keep(Gateway(fabric, sweep={"interval": 5, "settle": 300}, **options, more=sections))

    def in_context(self, name="fabric"):
        return Manager(self.all.address, who=["-v3", "-u", "reader", "-l", "authNoPriv", "-a", "SHA", "-A", "correct horse",
                                              "-n", name])

    def by_community(self):
        return Manager(self.all.address, "inside")

    def without_context(self):
        return Manager(self.alone.address)


def rows(manager, entry, index=1):
    """index -> {column: value}; an index of several numbers is a tuple."""
    found = {}
    for oid, value in manager.walk(entry, tool="snmpbulkwalk").items():
        column, *ids = oid[len(entry):]
        assert len(ids) == index
        found.setdefault(ids[0] if index == 1 else tuple(ids), {})[column] = value
    return found


def names_of(manager):
    """ifName -> ifIndex; empty: nobody answers."""
    try:
        return {row[1].decode(): index for index, row in rows(manager, IF_X).items() if 1 in row}
    except LabError as error:
        assert "Timeout" in str(error), error
        return {}


def wait_names(manager, expected):
    try:
        wait_until(lambda: set(names_of(manager)) == expected, f"interfaces {sorted(expected)}")
    except LabError as error:
        raise LabError(f"{error}: there are {sorted(names_of(manager))}") from None
    return names_of(manager)


SWITCHES = {f"{leaf}/{port}" for leaf in ("leaf1", "leaf2") for port in range(1, PORTS + 1)}
HOSTS = {"sm1/1", "sm2/1", "monitor/1", "node1/1", "node2/1", "storage1/1", "storage1/2"}


def test_each_switch_port_is_an_interface(fabric):
    fabric.subnet_manager().wait_master()
    site = Site(fabric)
    alone = site.without_context()
    names = wait_names(alone, SWITCHES)
    status = site.gateway.wait_status(lambda one: one["fabric_device"]["up"], "the fabric to be served")
    assert status["fabric_device"]["socket"] == str(site.alone.socket)
    for manager in (site.in_context(), site.by_community()):
        wait_names(manager, SWITCHES)
        assert names_of(manager) == names
        assert manager.walk(SYSTEM)[SYSTEM + (5, 0)] == alone.walk(SYSTEM)[SYSTEM + (5, 0)]
    check_system(alone)
    check_interfaces(fabric, alone, names)
    check_neighbours(fabric, alone, names)
    ask_for_single_instances(alone, names)


def check_system(manager):
    system = {oid[-2]: value for oid, value in manager.walk(SYSTEM).items()}
    assert set(system) == set(range(1, 8))
    assert system[1] == b"InfiniBand fabric monitor, subnet prefix 0xfe80000000000000, 2 switches, 6 hosts, 0 routers"
    assert system[2].endswith(".3.4") and system[5].startswith(b"fabric@") and system[7] == 2
    below_mib_2 = {oid[6] for oid in manager.walk((1, 3, 6, 1, 2, 1))}
    assert below_mib_2 == {1, 2, 11, 31}, "nothing of the host"


def check_interfaces(fabric, manager, names):
    table, more = rows(manager, IF_TABLE), rows(manager, IF_X)
    assert list(table) == list(more) == sorted(names.values())
    assert manager.walk(INTERFACES)[IF_NUMBER] == len(table) == 2 * PORTS
    words = {int(guid, 16): node[2] for guid, node in discovered(fabric, "monitor")[0].items()}
    peers = {(int(guid, 16), port): f"to {words[int(peer, 16)]}/{peer_port}".encode()
             for guid, port, peer, peer_port in discovered(fabric, "monitor")[1]}
    links = switch_ports(fabric)
    assert len(links) == len(table)
    for (guid, port), (width, lane, state, _, _, _) in links.items():
        row, extra = (one[names[f"{words[guid]}/{port}"]] for one in (table, more))
        said = ask(fabric, "smpquery", "portinfo", fabric.lid_of(words[guid]), port)
        assert (row[1], row[3], row[7]) == (names[f"{words[guid]}/{port}"], 199, 1)
        assert row[2] == f"{words[guid]} port {port}".encode()
        assert row[6] == fabric.lid_of(words[guid]).to_bytes(2, "big")
        assert row[8] == OPER[state] == OPER[said["LinkState"]]
        if width:  # 8 of 10 bits are data
            rate = LANES[width] * float(lane) * 1000 * 8 / 10
            assert (row[5], extra[15]) == (min(int(rate * 1e6), 2**32 - 1), rate)
        assert (extra[17], extra[14]) == (1, 2)
        assert extra[18] == peers.get((guid, port), b"")


def check_neighbours(fabric, manager, names):
    ports, found = rows(manager, LLDP_PORTS), rows(manager, LLDP_NEIGHBOURS, index=3)
    assert {row[3].decode(): index for index, row in ports.items()} == names
    assert all(row[2] == 5 and row[4] == row[3] for row in ports.values())
    nodes, links = discovered(fabric, "monitor")
    expected = {}
    for guid, port, peer, peer_port in links:
        name = nodes[peer][2]
        if nodes[guid][2].startswith("leaf"):
            expected[0, names[f"{nodes[guid][2]}/{port}"], 1] = (
                7, f"{int(peer, 16):016x}".encode(), 5, str(peer_port).encode(), f"{name}/{peer_port}".encode(),
                name.encode(), b"\x20" if name.startswith("leaf") else b"\x01")
    assert {index: (row[4], row[5], row[6], row[7], row[8], row[9], row[11]) for index, row in found.items()} == expected
    assert all(row[11] == row[12] and row[10].startswith(b"InfiniBand ") for row in found.values())
    local = {oid[-2]: value for oid, value in manager.walk(LLDP + (3,)).items() if len(oid) == len(LLDP) + 3}
    assert set(local) == {1, 2, 3, 4, 5, 6}
    assert (local[1], local[3], local[5]) == (7, manager.walk(SYSTEM)[SYSTEM + (5, 0)], b"\x20")


def ask_for_single_instances(manager, names):
    """Gets, and GetNexts that begin between rows."""
    first, last = names["leaf1/1"], names["leaf2/12"]
    wanted = {first: b"leaf1/1", last: b"leaf2/12"}
    for index, name in wanted.items():
        assert manager.walk(IF_X + (1, index), tool="snmpget") == {IF_X + (1, index): name}
    for index in (0, 1, first - 1, first + PORTS, 999, 2**31 - 1, 2**32 - 1):
        assert not manager.walk(IF_X + (1, index), tool="snmpget"), index
        found, = manager.walk(IF_X + (1, index), tool="snmpgetnext")
        after = [one for one in sorted(names.values()) if one > index]
        assert found == IF_X + ((1, after[0]) if after else (2, first)) or not after
    linked = names["leaf1/3"]
    for ids, good in (((0, linked, 1), True), ((0, linked, 2), False), ((1, linked, 1), False), ((0, linked), False),
                      ((0, names["leaf1/5"], 1), False), ((0, linked, 1, 1), False)):
        assert bool(manager.walk(LLDP_NEIGHBOURS + (9, *ids), tool="snmpget")) is good, ids
    for ids in ((), (0,), (0, linked), (0, linked, 0), (0, linked - 1, 7)):
        found, = manager.walk(LLDP_NEIGHBOURS + (9, *ids), tool="snmpgetnext")
        assert found == LLDP_NEIGHBOURS + (9, 0, linked if len(ids) > 1 else first, 1), ids


def test_octets_are_what_perfquery_says_and_never_fall(fabric):
    fabric.subnet_manager().wait_master()
    site = Site(fabric, counters={"ports": "switches", "interval": 5})
    manager = site.without_context()
    index = wait_names(manager, SWITCHES)["leaf1/2"]
    before = octets(fabric, "leaf1", 2)
    wait_until(lambda: (row := rows(manager, IF_X)[index]) and 6 in row and row[6] >= before[6] and row[10] >= before[10],
               "a reading of the counters")
    row, after = rows(manager, IF_X)[index], octets(fabric, "leaf1", 2)
    assert row[6] <= after[6] and row[10] <= after[10]
    fabric.run(["/usr/sbin/perfquery", "-R", str(fabric.lid_of("leaf1")), "2"], "monitor")  # resets the port's own counters
    highest = row
    for _ in range(3):
        seen = site.gateway.status()["port_counters"]
        wait_until(lambda: site.gateway.status()["port_counters"] != seen, "another reading")
        row = rows(manager, IF_X)[index]
        assert all(row[column] >= highest[column] for column in (6, 7, 10, 11))
        highest = row


def octets(fabric, node, port):
    """ifHCInOctets and ifHCOutOctets: draft-ietf-ipoib-ibif-mib-05, 5.4, adds the four octets that PortRcvData leaves out."""
    said = fields(fabric.run(["/usr/sbin/perfquery", "-x", str(fabric.lid_of(node)), str(port)], "monitor"))
    return {6: (int(said["PortRcvData"]) + int(said["PortRcvPkts"])) * 4,
            10: (int(said["PortXmitData"]) + int(said["PortXmitPkts"])) * 4}


def test_numbers_stay(fabric):
    """Over a restart of the gateway and of snmpd, and of a switch that is away for a while."""
    fabric.subnet_manager().wait_master()
    site = Site(fabric)
    manager = site.without_context()
    before = wait_names(manager, SWITCHES)
    fabric.unlink("leaf2")
    wait_names(manager, {name for name in SWITCHES if name.startswith("leaf1/")})
    site.gateway.stop()
    site.alone.stop()
    site.alone.start()
    site.gateway.start()
    wait_names(manager, {name for name in SWITCHES if name.startswith("leaf1/")})
    assert names_of(manager).items() <= before.items()
    fabric.relink("leaf2")
    wait_names(manager, SWITCHES)
    assert names_of(manager) == before


def test_hosts_are_there_on_request(fabric):
    fabric.subnet_manager().wait_master()
    site = Site(fabric, "all")
    names = wait_names(site.without_context(), SWITCHES | HOSTS)
    neighbours = rows(site.without_context(), LLDP_NEIGHBOURS, index=3)
    assert neighbours[0, names["node1/1"], 1][8] == b"leaf1/3"


def test_who_serves_nothing_answers_nothing(fabric):
    """The gateway away, off, or a context with another name."""
    fabric.subnet_manager().wait_master()
    site = Site(fabric)
    wait_names(site.without_context(), SWITCHES)
    wait_names(site.in_context(), SWITCHES)
    with pytest.raises(LabError, match="[Uu]nknown context|Timeout|No Such|noAccess|authorizationError"):
        site.in_context("fabrik").walk(SYSTEM)
    refused = site.without_context().set(SYSTEM + (6, 0), "s", "cellar")
    assert "notWritable" in refused or "noAccess" in refused, refused
    site.gateway.stop()
    wait_until(lambda: not site.without_context().walk(IF_X), "no interfaces without the gateway")
    assert not site.without_context().walk(SYSTEM)


class Service:
    """What ibtrapd-snmpd.service starts, with other directories and another port."""

    def __init__(self, directory):
        self.directory, self.port = directory, free_port()
        unit = (BUILD / "systemd/ibtrapd-snmpd.service").read_text().replace("\\\n", " ")
        self.command, = (shlex.split(self.place(line)) for line in re.findall("^ExecStart=(.*)$", unit, re.MULTILINE))
        self.environment = dict(self.place(line).split("=", 1) for line in re.findall("^Environment=(.*)$", unit, re.MULTILINE))
        for name in ("etc", "var", "run"):
            (directory / name).mkdir()

    def place(self, line):
        places = {"/var/lib/ibtrapd-snmpd": "var", "/run/ibtrapd-snmpd": "run", "/[^ :=]*etc/ibtrapd": "etc"}
        for pattern, name in places.items():
            line = re.sub(pattern, str(self.directory / name), line)
        return line

    def run(self, password, tries):
        """Which of the passwords are accepted when snmpd.conf has this one."""
        (self.directory / "etc/snmpd.conf").write_text(
            f'agentAddress udp:127.0.0.1:{self.port}\ncreateUser nms SHA "{password}" AES "another password"\n'
            "view fabric included .1.3.6.1.2.1\nrouser nms priv -V fabric\n")
        process = Process("snmpd", [*self.command, "-p", self.directory / "pid"], log=self.directory / "log",
                          cwd=self.directory, env=self.environment)
        try:
            process.wait_ready(lambda: listening(self.port), "snmpd to listen")
            return [one for one in tries if self.accepts(one)]
        finally:
            process.stop(signal.SIGTERM)

    def accepts(self, password):
        who = ["-v3", "-u", "nms", "-l", "authPriv", "-a", "SHA", "-A", password, "-x", "AES", "-X", "another password"]
        said = Manager(f"127.0.0.1:{self.port}", who=who).run("snmpget", ".1.3.6.1.2.1.11.1.0", check=False)
        return "Counter32" in said


def test_a_password_that_was_changed_holds_after_a_restart(tmp_path):
    """snmpd keeps keys of users in a file of its own: that of a former password must not outlive it."""
    service, both = Service(tmp_path), ("the first one", "the second one")
    assert service.run(both[0], both) == [both[0]]
    assert service.run(both[1], both) == [both[1]]
    assert service.run(both[1], both) == [both[1]]
