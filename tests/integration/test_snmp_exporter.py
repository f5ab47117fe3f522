# SPDX-License-Identifier: BSD-2-Clause
"""Every table as the real snmp_exporter scrapes it, with a module that its real generator makes of the MIB modules."""

import collections
import os
import re
import shutil
import socket
import subprocess
import urllib.parse
import urllib.request

import pytest
from lab.fabric import HERE, two_managers
from lab.gateway import Gateway, section
from lab.notices import SET, sa_mad
from lab.processes import DEADLINE, Process, wait_until
from lab.snmpd import Snmpd
from lab.sockets import free_port
from lab.tables import MIBS, Manager

GENERATOR, EXPORTER = shutil.which("prometheus-snmp-generator"), shutil.which("prometheus-snmp-exporter")
MODULES = ("IB-SM-MIB", "IBSWITCH-MIB", "IBTRAPD-MIB")
PREFIX = tuple(bytes.fromhex("fe80000000000000"))
PATHS = (1, 3, 6, 1, 3, 117, 7, 1, 10, 1, 1)
ALL_ROUTERS = bytes.fromhex("ff12401bffff000000000000ffffffff")
SERVICE_RECORD, ALL_FIELDS = 0x31, (1 << 37) - 1 - 8
# No agent has these, or nothing on this fabric.
EMPTY = {"gswSensorTable", "gswEventTable", "ibSmMultiPathReqTable", "ibSmMultiPathResultTable", "ibSmTraceReqTable",
         "ibSmTraceResultTable", "ibSmServiceAssocTable", "ibtrapdModuleTable", "ibtrapdWindowTable"}

pytestmark = pytest.mark.skipif(not (GENERATOR and EXPORTER), reason="prometheus-snmp-exporter is not installed")


def tables():
    texts = [(HERE.parents[1] / "mibs" / f"{name}.txt").read_text("ascii") for name in MODULES]
    return re.findall(r"(?m)^(\w+Table)\s+OBJECT-TYPE", "\n".join(texts))


def generate(directory):
    """snmp.yml with a module for each table, of the name of the table."""
    directory.mkdir()
    modules = "".join(f"  {one}: {{walk: [{one}], timeout: 20s}}\n" for one in tables())
    auths = "auths:\n  public_v2: {version: 2, community: public}\n"  # since 0.23; 0.21 asks with `public` by itself
    for text in (auths + "modules:\n" + modules, "modules:\n" + modules):
        (directory / "generator.yml").write_text(text)
        done = subprocess.run([GENERATOR, "generate"], cwd=directory, env={**os.environ, "MIBDIRS": MIBS},
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        if done.returncode == 0:
            return directory / "snmp.yml"
    raise AssertionError(done.stderr)


def indexes(text):
    """Module -> (name of a column -> its OID, the names of its index)."""
    found = {}
    for name, body in re.findall(r"(?m)^ *(\w+Table):\n((?:(?! *\w+Table:\n).*\n)*)", text):
        columns = re.findall(r"- name: (\w+)\n\s+oid: ([\d.]+)\n(?:(?!\s+- name:).*\n)*", body)
        found[name] = ({column: tuple(map(int, oid.split("."))) for column, oid in columns},
                       list(dict.fromkeys(re.findall(r"- labelname: (\w+)\n", body))))
    return found


def test_all_indexes_of_octets_have_a_size(tmp_path):
    """Or are texts, whose length is in the index."""
    text = generate(tmp_path / "generator").read_text()
    lines = re.findall(r"- labelname: (\w+)\n\s+type: OctetString\n(.*)", text)
    assert len(lines) > 100
    assert not {name for name, line in lines if "fixed_size:" not in line}
    assert "PhysAddress48" not in text  # cut off after six octets


class Exporter:
    """snmp_exporter with these modules, on the loopback."""

    def __init__(self, config, directory):
        self.port = free_port()
        self._process = Process("snmp_exporter", [EXPORTER, f"--config.file={config}",
                                                  f"--web.listen-address=127.0.0.1:{self.port}"], log=directory / "exporter.log", cwd=directory)

    def __enter__(self):
        self._process.wait_ready(self._listens, "snmp_exporter to listen")
        return self

    def __exit__(self, *_):
        self._process.kill()

    def _listens(self):
        try:
            return socket.create_connection(("127.0.0.1", self.port), DEADLINE).close() is None
        except ConnectionRefusedError:
            return False

    def scrape(self, table, target):
        """Name of a column -> how many rows have a value in the column; and (name, labels) of all samples."""
        query = urllib.parse.urlencode({"module": table, "target": target, "auth": "public_v2"})
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/snmp?{query}", timeout=DEADLINE) as answer:
            text = answer.read().decode()
        samples = re.findall(r"(?m)^(\w+)\{(.*)\} \S+$", text)
        assert len(set(samples)) == len(samples)
        return collections.Counter(name for name, _ in samples), samples


@pytest.fixture
def served():
    """A gateway whose tables have rows, and a manager that may write."""
    with two_managers() as (fabric, _, _):
        snmpd = fabric.keep(Snmpd(fabric.directory, more="rwcommunity public 127.0.0.1\n")).start()
        fabric.keep(Gateway(fabric, sweep={"interval": 600, "settle": 300}, counters={"ports": "all", "interval": 5},
                            more=section("subagent", socket=snmpd.socket, writable=True)))
        node1 = fabric.client("node1")
        node1.join(ALL_ROUTERS)
        record = (bytes.fromhex("1000000000000001") + fabric.gid_of("node1") + b"\xff\xff\0\0\xff\xff\xff\xff" + bytes(16)
                  + b"storage".ljust(64, b"\0") + bytes(64))
        assert node1.request(sa_mad(SET, SERVICE_RECORD, node1.next_tid(), ALL_FIELDS, record), node1.port_info().sm_lid,
                             1)[4:6] == bytes(2)
        manager = Manager(snmpd.address)
        wait_until(lambda: manager.walk((1, 3, 6, 1, 3, 117, 7, 1, 4)), "the tables to have rows")
        wait_until(lambda: manager.walk((1, 3, 6, 1, 3, 2, 2, 1, 11)), "the counters to be read")
        for column, kind, value in ((3, "i", "5"), (10, "i", str(fabric.lid_of("node1"))), (9, "i", str(fabric.lid_of("node2"))),
                                    (5, "x", "0000000000000030"), (3, "i", "1")):
            assert "Error" not in manager.set((*PATHS, column, *PREFIX, 4711), kind, value)
        yield fabric, manager


def test_every_table_is_scraped_whole(served):
    """Each column has as many samples as rows, and the labels of the index tell the rows apart."""
    fabric, manager = served
    config = generate(fabric.directory / "generator")
    known = indexes(config.read_text())
    sizes = {name: int(size) for name, size in
             re.findall(r"- labelname: (\w+)\n\s+type: OctetString\n\s+fixed_size: (\d+)", config.read_text())}
    assert known.keys() == set(tables())
    lacking, empty = {}, set()
    with Exporter(config, fabric.directory) as exporter:
        for table, (columns, index) in known.items():
            found, samples = exporter.scrape(table, manager.address)
            for name, oid in columns.items():
                rows = len(manager.walk(oid))
                if found[name] != rows:
                    lacking[name] = (found[name], rows)
            if not sum(found[name] for name in columns):
                empty.add(table)
            for name, labels in samples:
                found_sizes = {one: len(value) // 2 for one, value in re.findall(r'(\w+)="0x(\w*)"', labels) if one in sizes}
                assert name not in columns or found_sizes == {one: sizes[one] for one in index if one in sizes}
    assert not lacking
    assert empty <= EMPTY
