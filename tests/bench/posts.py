#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the receiver of the kind http, compared with a bare libcurl loop that posts as many events in a request, to a
server in a process of its own that reads and answers. Prints a table on standard error, JSON on standard output."""

import contextlib
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import drive  # noqa: E402
import report  # noqa: E402

EVENTS = 200000
RUNS = 3
BATCH = 256


@contextlib.contextmanager
def server():
    """Its URL."""
    with subprocess.Popen([drive.PROGRAMS / "bench-http-sink"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/"
        process.stdin.close()
        process.wait(10)


def by_gateway(**items):
    with server() as url:
        done = drive.flood(drive.receiver("http", url=url, batch=BATCH, **items), reports=EVENTS, hold="bench")
    return {"perS": done["drainPerS"], "cpuUs": done["drainCpuUs"]}


def by_bare_loop():
    with server() as url:
        done = drive.run("bench-bare-http", url, EVENTS, BATCH)
    return {"perS": done["perS"], "cpuUs": done["cpuUs"]}


def main():
    results, rows = [], []
    for name, function in (("ibtrapd", by_gateway), ("ibtrapd, gzip", lambda: by_gateway(gzip=True)),
                           ("bare loop", by_bare_loop)):
        one = {"by": name} | report.median_of(RUNS, function)
        results.append(one)
        rows.append(list(one.values()))
    report.table(["by", "events/s", "CPU us/event"], rows)
    report.emit("http", results)


if __name__ == "__main__":
    main()
