#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures switches as devices in SNMP contexts: walks of the IF-MIB over all their ports through a real snmpd, by rows; and
what 2,000 contexts cost the master agent.

    devices.py [HOSTS]"""

import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from bench import inner, process, report, walk  # noqa: E402
from lab.fabric import BUILD  # noqa: E402
from lab.gateway import section  # noqa: E402
from lab.processes import Process, wait_until  # noqa: E402
from lab.snmpd import Snmpd  # noqa: E402

HOSTS = 1850  # with their switches 2,000 nodes; these have 10,000 ports
IF_MIB = ["1.3.6.1.2.1.2.2.1", "1.3.6.1.2.1.31.1.1.1"]
CONTEXTS, REGIONS = 2000, 2  # REGIONS of each context, as the gateway registers


def communities(gateway, path):
    """Lines of snmpd.conf; writes the communities into a file."""
    lines = gateway.control("contexts", "communities", "secret").stdout
    found = [line.split()[-1] for line in lines.splitlines() if line.startswith("com2sec")]
    path.write_text("".join(f"{one}\n" for one in found))
    return lines, len(found)


def walk_devices(hosts, directory):
    with Snmpd(directory) as snmpd:
        snmpd.start()
        with inner.gateway(hosts, 0, sweep_interval=3600, more=section("subagent", socket=snmpd.socket)) as gateway:
            inner.wait_for(gateway, lambda status: status["sweep"]["sweeps"] > 0 and status["port_counters"].get("last"))
            names = directory / "communities"
            count = 0
            while count == 0:
                lines, count = communities(gateway, names)
                time.sleep(0.1)
            snmpd.stop()
            snmpd.start(lines)
            inner.wait_for(gateway, lambda status: status["tables"]["up"])
            client = [walk.PROGRAMS / "bench-walk", "-c", names, snmpd.address]
            rows = [walk.measure(f"{count} switches, {table}, rows of all columns, {n} at a time",
                                 lambda n=n, oids=oids: read(client, n, oids), snmpd.pid, gateway.process.pid)
                    for table, oids in (("ifTable", IF_MIB[:1]), ("ifXTable", IF_MIB[1:])) for n in (5, 50)]
            return {"sweep": gateway.status()["sweep"], "reads": rows, "MiB": process.private_mib(gateway.process.pid)}


def read(client, repetitions, oids):
    argv = [*map(str, client), str(repetitions), *oids]
    return walk.json.loads(subprocess.run(argv, stdout=subprocess.PIPE, timeout=600, check=True,
                                          env={"SNMPCONFPATH": "/nonexistent"}).stdout)["varbinds"]


def register(directory):
    """Seconds and memory until a subagent has registered all contexts; with the start of its process."""
    with Snmpd(directory) as snmpd:
        snmpd.start()
        before, begin = process.private_mib(snmpd.pid), time.monotonic()
        one = Process("many_contexts", [BUILD / "tests" / "receivers" / "many_contexts", snmpd.socket, CONTEXTS, REGIONS],
                      log=directory / f"contexts-{snmpd.pid}.log", cwd=directory)
        try:
            wait_until(lambda: one.check() and "up" in one.log_text(), "the contexts", interval=0.005)
            return {"seconds": time.monotonic() - begin, "snmpdMiB": process.private_mib(snmpd.pid) - before}
        finally:
            one.kill()


def main():
    with tempfile.TemporaryDirectory(prefix="ibtrapd-bench-") as name:
        cost = report.median_of(3, lambda: register(pathlib.Path(name)))
        results = walk_devices(int(sys.argv[1]) if len(sys.argv) > 1 else HOSTS, pathlib.Path(name))
    keys = ("what", "varbinds", "seconds", "aSecond", "snmpdPercent", "subagentPercent", "clientPercent")
    report.table(["what is read", "varbinds", "s", "a second", "snmpd %", "subagent %", "client %"],
                 [[one[key] for key in keys] for one in results["reads"]])
    report.table(["contexts", "regions of each", "s to register", "snmpd MiB"], [[CONTEXTS, REGIONS, *cost.values()]])
    report.emit("devices", {"register": cost, **results})


if __name__ == "__main__":
    main()
