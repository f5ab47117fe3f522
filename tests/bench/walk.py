#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures reading the tables of a fabric of 2,000 nodes through a real snmpd: with snmpbulkwalk, and by rows of many
columns. For comparison, reads a minimal subagent's table and one of snmpd's own tables through the same snmpd.

    walk.py [HOSTS]"""

import contextlib
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from bench import inner, process, report  # noqa: E402
from lab.fabric import BUILD, HERE  # noqa: E402
from lab.gateway import section  # noqa: E402
from lab.own_mib import OWN as OWN_MIB  # noqa: E402
from lab.processes import Process, wait_until  # noqa: E402
from lab.snmpd import Snmpd  # noqa: E402

HOSTS = 1850  # with their switches 2,000 nodes
PROGRAMS = BUILD / "tests" / "bench"
GSW = "1.3.6.1.3.2.2.1"
PORTS = f"{OWN_MIB}.1.7.1"  # ibtrapdPortEntry
REPETITIONS = 50
RUNS = 3

BARE = "1.3.6.1.4.1.8072.9999.9999.118.1.1"  # of bench-subagent
BARE_COLUMNS, BARE_ROWS = 20, 5000

# nsExtendConfigTable: the commands that snmpd may run; reading the table runs none.
OWN = "1.3.6.1.4.1.8072.1.3.2.2.1"
OWN_ROWS = 500


def entries():
    """The rows of the IBSWITCH-MIB's tables."""
    with open(HERE.parent / "mibs" / "objects.tsv", encoding="utf-8") as file:
        return [one["oid"] for one in csv.DictReader(file, delimiter="\t")
                if one["module"] == "IBSWITCH-MIB" and one["kind"] == "row"]


class Clients:
    """Each reads everything once, and returns the number of varbinds."""

    def __init__(self, address):
        self.address = address

    def bulkwalk(self, oid):
        with tempfile.TemporaryFile() as output:
            return self._run(["snmpbulkwalk", "-v2c", "-c", "public", "-t", "10", f"-Cr{REPETITIONS}", "-M", "", "-m", "",
                              "-Oqn", self.address, oid], output, lambda text: text.count(b"\n."))

    def rows(self, repetitions, oids):
        with tempfile.TemporaryFile() as output:
            return self._run([PROGRAMS / "bench-walk", self.address, str(repetitions), *oids], output,
                             lambda text: json.loads(text)["varbinds"])

    @staticmethod
    def _run(argv, output, count):
        subprocess.run(argv, stdout=output, timeout=600, check=True, env={"SNMPCONFPATH": "/nonexistent"})
        output.seek(0)
        return count(output.read())


def children_seconds():
    import resource
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(what, client, snmpd, subagent):
    """Medians of some runs: varbinds a second, and the share of a processor that each of the three processes used."""

    def run():
        watched = [pid for pid in (snmpd, subagent) if pid]
        before, begin = [process.cpu_seconds(pid) for pid in watched] + [children_seconds()], time.monotonic()
        varbinds = client()
        seconds = time.monotonic() - begin
        after = [process.cpu_seconds(pid) for pid in watched] + [children_seconds()]
        shares = [100 * (b - a) / seconds for a, b in zip(before, after)]
        return {"varbinds": varbinds, "seconds": seconds, "aSecond": varbinds / seconds, "snmpdPercent": shares[0],
                "subagentPercent": shares[1] if subagent else 0, "clientPercent": shares[-1]}

    return {"what": what, **report.median_of(RUNS, run)}


@contextlib.contextmanager
def bare_subagent(snmpd, directory):
    argv = [PROGRAMS / "bench-subagent", snmpd.socket, BARE_COLUMNS, BARE_ROWS]
    one = Process("bench-subagent", argv, log=directory / "subagent.log", cwd=directory)
    try:
        wait_until(lambda: one.check() and "up" in one.log_text(), "the subagent to register")
        yield one
    finally:
        one.kill()


def read_gateway(snmpd, gateway, client):
    memory = [process.private_mib(gateway.process.pid)]
    pids = snmpd.pid, gateway.process.pid
    tables = entries()
    with process.Peak(gateway.process.pid) as peak:
        results = [measure(f"the IBSWITCH-MIB, snmpbulkwalk -Cr{REPETITIONS}", lambda: client.bulkwalk(GSW), *pids)]
        results += [measure(f"its tables, rows of all columns, {n} at a time", lambda n=n: client.rows(n, tables), *pids)
                    for n in (5, REPETITIONS)]
        results += [measure(f"ibtrapdPortTable, rows of all columns, {n} at a time", lambda n=n: client.rows(n, [PORTS]), *pids)
                    for n in (5, REPETITIONS)]
    memory.append(process.private_mib(gateway.process.pid))
    return results, {"beforeMiB": memory[0], "afterMiB": memory[1], "peakMiB": peak.mib}


def read_yardsticks(snmpd, client, directory):
    with bare_subagent(snmpd, directory) as subagent:
        pids = snmpd.pid, subagent.pid
        results = [measure(f"a bare subagent, snmpbulkwalk -Cr{REPETITIONS}", lambda: client.bulkwalk(BARE), *pids)]
        results += [measure(f"a bare subagent, rows of {BARE_COLUMNS} columns, {n} at a time",
                            lambda n=n: client.rows(n, [BARE]), *pids) for n in (5, REPETITIONS)]
    own = snmpd.pid, None
    results += [measure(f"snmpd's own, snmpbulkwalk -Cr{REPETITIONS}", lambda: client.bulkwalk(OWN), *own),
                measure("snmpd's own, rows of all columns, 5 at a time", lambda: client.rows(5, [OWN]), *own)]
    return results


def run(hosts):
    lines = "rocommunity public 127.0.0.1\n" + "".join(f"extend command{n:04} /bin/true {n}\n" for n in range(OWN_ROWS))
    with tempfile.TemporaryDirectory(prefix="ibtrapd-bench-") as name, Snmpd(name, more=lines) as snmpd:
        snmpd.start()
        client = Clients(snmpd.address)
        tables = section("subagent", socket=snmpd.socket)
        with inner.gateway(hosts, 0, sweep_interval=3600, more=tables) as gateway:
            inner.wait_for(gateway, lambda status: status["sweep"]["sweeps"] > 0 and status["tables"]["up"]
                           and status["port_counters"].get("last"))
            sweep = gateway.status()["sweep"]
            results, memory = read_gateway(snmpd, gateway, client)
        results += read_yardsticks(snmpd, client, pathlib.Path(name))
    return {"nodes": sweep["nodes"], "links": sweep["links"], "memory": memory, "reads": results}


def main():
    results = run(int(sys.argv[1]) if len(sys.argv) > 1 else HOSTS)
    keys = ("what", "varbinds", "seconds", "aSecond", "snmpdPercent", "subagentPercent", "clientPercent")
    report.table(["what is read", "varbinds", "s", "a second", "snmpd %", "subagent %", "client %"],
                 [[one[key] for key in keys] for one in results["reads"]])
    memory = results["memory"]
    report.table(["nodes", "links", "MiB before", "after", "peak"],
                 [[results["nodes"], results["links"], *memory.values()]])
    report.emit("walk", results)


if __name__ == "__main__":
    main()
