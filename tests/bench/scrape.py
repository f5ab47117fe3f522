#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures a scrape of the metrics of all ports of a fabric of 2,000 nodes: its time, its size, the gateway's memory, and
the longest that the main loop takes to answer another client meanwhile.

    scrape.py [HOSTS]"""

import pathlib
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from bench import inner, process, report  # noqa: E402
from lab.gateway import section  # noqa: E402
from lab.sockets import free_port  # noqa: E402

HOSTS = 1850  # with their switches 2,000 nodes
RUNS = 5
PIECE = 1 << 20


class Other(process.Meanwhile):
    """A client that asks for the verdict all the time, and the longest that it waited."""

    def __init__(self, port):
        super().__init__(self._ask)
        self.longest = 0
        self._url = f"http://127.0.0.1:{port}/healthz"

    def _ask(self):
        begin = time.monotonic()
        with urllib.request.urlopen(self._url, timeout=30) as response:
            response.read()
        self.longest = max(self.longest, time.monotonic() - begin)


def scrape(port):
    begin = time.monotonic()
    octets = lines = 0
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as response:
        while piece := response.read(PIECE):
            octets += len(piece)
            lines += piece.count(b"\n")
    return {"seconds": time.monotonic() - begin, "octets": octets, "lines": lines}


def measure(gateway, port):
    with process.Peak(gateway.process.pid) as peak:
        alone = report.median_of(RUNS, lambda: scrape(port))
    with Other(port) as other:
        time.sleep(1)
        quiet, other.longest = other.longest, 0
        for _ in range(RUNS):
            scrape(port)
    return {**alone, "peakMiB": peak.mib, "otherQuietMs": 1000 * quiet, "otherMs": 1000 * other.longest}


def main():
    results, port = [], free_port()
    hosts = int(sys.argv[1]) if len(sys.argv) > 1 else HOSTS
    for ports in ("off", "errors", "all"):
        with inner.gateway(hosts, 0, sweep_interval=3600,
                           more=section("metrics", listen=f"127.0.0.1:{port}", ports=ports)) as gateway:
            status = inner.wait_for(gateway, lambda one: one["sweep"]["sweeps"] > 0 and one["port_counters"].get("last"))
            results.append({"ports": ports, "nodes": status["sweep"]["nodes"], **measure(gateway, port)})
    report.table(["ports", "nodes", "s", "octets", "lines", "peak MiB", "another client waits ms, alone", "meanwhile"],
                 [[one[key] for key in ("ports", "nodes", "seconds", "octets", "lines", "peakMiB", "otherQuietMs", "otherMs")]
                  for one in results])
    report.emit("scrape", results)


if __name__ == "__main__":
    main()
