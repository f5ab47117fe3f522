#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the gateway's memory at rest and at its peak, with fabrics of 2,000 nodes and of 48,000 hosts. It sweeps
them itself; a hundred hosts change with each sweep. The memory of the fabric in the process is not counted."""

import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from bench import inner, process, report  # noqa: E402

FABRICS = ((1850, 24), (48000, 256))  # hosts; the target in MiB
CHANGES, SWEEPS, INTERVAL_S = 100, 6, 15


def between_sweeps(gateway, count):
    """Waits for the end of that sweep and of the counter reading after it, and a little longer."""
    done = inner.wait_for(gateway, lambda status: status["sweep"]["sweeps"] >= count)
    inner.wait_for(gateway, lambda status: status["port_counters"].get("last")
                   and status["port_counters"]["last"] >= done["sweep"]["last"])
    time.sleep(2)


def measure(hosts, limit):
    at_rest = []
    with inner.gateway(hosts, CHANGES, sweep_interval=INTERVAL_S) as gateway:
        with process.Peak(gateway.process.pid) as peak:
            for count in range(1, SWEEPS + 1):
                between_sweeps(gateway, count)
                at_rest.append(process.private_mib(gateway.process.pid))
        sweep = gateway.status()["sweep"]
    return {"hosts": hosts, "nodes": sweep["nodes"], "links": sweep["links"], "sweeps": SWEEPS,
            "restMiB": statistics.median(at_rest[1:]), "lastRestMiB": at_rest[-1], "peakMiB": peak.mib,
            "limitMiB": limit, "restsMiB": at_rest}


def main():
    results = [measure(*fabric) for fabric in FABRICS]
    report.table(["hosts", "nodes", "links", "at rest MiB", "after the last sweep", "peak MiB", "to be within"],
                 [[one[key] for key in ("hosts", "nodes", "links", "restMiB", "lastRestMiB", "peakMiB", "limitMiB")]
                  for one in results])
    report.emit("memory", results)


if __name__ == "__main__":
    main()
