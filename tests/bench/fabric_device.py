#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures walks of the fabric as one device through a real snmpd: IF-MIB and lldpRemTable of all ports of its switches.

    fabric_device.py [HOSTS]"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from bench import inner, process, report, walk  # noqa: E402
from lab.gateway import section  # noqa: E402
from lab.processes import wait_until  # noqa: E402
from lab.snmpd import Snmpd  # noqa: E402

HOSTS = 1850  # with their switches 2,000 nodes; these have 10,000 ports
IF_TABLE, IF_X_TABLE = "1.3.6.1.2.1.2.2.1", "1.3.6.1.2.1.31.1.1.1"
NEIGHBOURS = "1.0.8802.1.1.2.1.4.1.1"
MODULES = "snmpEngine,snmp_mib,usmConf,usmStats,usmUser,vacm_conf,vacm_context,vacm_vars"  # as ibtrapd-snmpd.service


def run(hosts, directory):
    with Snmpd(directory, modules=MODULES) as snmpd:
        snmpd.start()
        client = walk.Clients(snmpd.address)
        with inner.gateway(hosts, 0, sweep_interval=3600, more=section("subagent", fabric_socket=snmpd.socket)) as gateway:
            inner.wait_for(gateway, lambda status: status["sweep"]["sweeps"] > 0 and status["port_counters"].get("last"))
            wait_until(lambda: client.bulkwalk(IF_X_TABLE + ".1") > 1, "the interfaces")
            pids = snmpd.pid, gateway.process.pid
            reads = [walk.measure(f"{what}, rows of all columns, {n} at a time", lambda n=n, oid=oid: client.rows(n, [oid]), *pids)
                     for what, oid in (("ifTable", IF_TABLE), ("ifXTable", IF_X_TABLE), ("lldpRemTable", NEIGHBOURS))
                     for n in (5, walk.REPETITIONS)]
            reads += [walk.measure(f"ifXTable, snmpbulkwalk -Cr{walk.REPETITIONS}", lambda: client.bulkwalk(IF_X_TABLE), *pids)]
            return {"sweep": gateway.status()["sweep"], "reads": reads, "MiB": process.private_mib(gateway.process.pid)}


def main():
    with tempfile.TemporaryDirectory(prefix="ibtrapd-bench-") as name:
        results = run(int(sys.argv[1]) if len(sys.argv) > 1 else HOSTS, pathlib.Path(name))
    keys = ("what", "varbinds", "seconds", "aSecond", "snmpdPercent", "subagentPercent", "clientPercent")
    report.table(["what is read", "varbinds", "s", "a second", "snmpd %", "subagent %", "client %"],
                 [[one[key] for key in keys] for one in results["reads"]])
    report.emit("fabric_device", results)


if __name__ == "__main__":
    main()
