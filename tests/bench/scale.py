#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures what grows with the fabric, with 2,000, 6,000 and 12,000 nodes: first and later sweeps, counter readings, the
page, the map, a scrape of all ports, lists of ibtrapctl, memory. The last column is the growth from the first fabric to
the last one for each node: 1 is linear.

    scale.py [HOSTS ...]"""

import pathlib
import statistics
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from bench import inner, process, report  # noqa: E402
from lab.fabric import BUILD  # noqa: E402
from lab.gateway import section  # noqa: E402
from lab.sockets import free_port  # noqa: E402

HOSTS = (1850, 5580, 11140)
CHANGES, INTERVAL_S, SWEEPS, RUNS = 100, 10, 4, 3


def seconds(function):
    def once():
        begin = time.monotonic()
        function()
        return time.monotonic() - begin

    return statistics.median(once() for _ in range(RUNS))


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as response:
        while response.read(1 << 20):
            pass


def ctl(gateway, *words):
    subprocess.run([BUILD / "ibtrapctl", "--socket", gateway.socket, *words], stdout=subprocess.DEVNULL, check=True)


def later_sweeps(gateway):
    """The times of sweeps 2 to SWEEPS, and of the readings behind them, in milliseconds."""
    sweeps, readings = [], []
    for count in range(2, SWEEPS + 1):
        done = inner.wait_for(gateway, lambda one: one["sweep"]["sweeps"] >= count)["sweep"]
        read = inner.wait_for(gateway, lambda one: one["port_counters"]["last"] >= done["last"])["port_counters"]
        sweeps.append(done["duration_us"] / 1000)
        readings.append(read["duration_us"] / 1000)
    return statistics.median(sweeps), statistics.median(readings), read["ports"]


def measure(hosts):
    port = free_port()
    more = section("metrics", listen=f"127.0.0.1:{port}", ports="all", page=True)
    begin = time.monotonic()
    with inner.gateway(hosts, CHANGES, sweep_interval=INTERVAL_S, more=more) as gateway, \
         process.Peak(gateway.process.pid) as peak:
        first = inner.wait_for(gateway, lambda one: one["sweep"]["sweeps"] > 0 and one["port_counters"].get("last"), 0.02)
        up = time.monotonic() - begin
        sweep, reading, ports = later_sweeps(gateway)
        return {"nodes": first["sweep"]["nodes"], "ports": ports, "upS": up,
                "firstSweepMs": first["sweep"]["duration_us"] / 1000, "sweepMs": sweep, "readingMs": reading,
                "stateS": seconds(lambda: get(port, "/state.json")),
                "mapS": seconds(lambda: get(port, "/fabric.svg")), "svgS": seconds(lambda: ctl(gateway, "topology", "--svg")),
                "scrapeS": seconds(lambda: get(port, "/metrics")), "jsonS": seconds(lambda: ctl(gateway, "--json", "topology")),
                "restMiB": process.private_mib(gateway.process.pid), "peakMiB": peak.mib}


def main():
    results = [measure(int(hosts)) for hosts in sys.argv[1:] or HOSTS]
    smallest, largest = results[0], results[-1]
    growth = largest["nodes"] / smallest["nodes"]
    report.table(["what", *(f"{one['nodes']} nodes" for one in results), "growth for each node"],
                 [[what, *(one[what] for one in results), largest[what] / smallest[what] / growth] for what in smallest])
    report.emit("scale", results)


if __name__ == "__main__":
    main()
