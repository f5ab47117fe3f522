#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the time from reading a Report to sending the trap, with the journal's commit in between, at several rates,
compared with the disk alone. Prints a table on standard error, JSON with histograms on standard output."""

import os
import tempfile
import time

import drive
import report
from lab.sockets import free_port

RATES = {100: 1000, 1000: 10000, 20000: 100000, 50000: 150000}  # events a second: number of events
RUNS = 3
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
EVENT, BLOCK, FILE = 600, 4096, 16 << 20  # octets: of an event on disk, of the smallest write, of the file


def measure(rate):
    port = free_port()
    done = drive.flood(drive.receiver("snmp", address=f"127.0.0.1:{port}"), reports=RATES[rate], rate=rate, sink=port)
    if done["misplaced"]:
        raise SystemExit(f"{done['misplaced']} traps out of their turn")
    return done


def bare(rate):
    """A minimal journal: a file of full size; one write and one sync for all waiting events. Returns the milliseconds
    from the arrival of each event to the end of its sync."""
    with tempfile.TemporaryFile(prefix="ibtrapd-bench-", buffering=0) as file:
        file.write(bytes(FILE))
        os.fsync(file.fileno())
        times = sorted(commit_all(file.fileno(), rate, RATES[rate]))
    return {name: times[int(share * (len(times) - 1))] * 1000 for name, share in SHARES.items()}


def commit_all(fd, rate, events):
    octets, at, done, times = bytes(FILE), 0, 0, []
    begin = time.perf_counter()
    while done < events:
        came = done / rate
        if (left := came - (time.perf_counter() - begin)) > 0:
            time.sleep(left)
            came = time.perf_counter() - begin
        due = min(events, int((time.perf_counter() - begin) * rate) + 1)
        size = -(-(due - done) * EVENT // BLOCK) * BLOCK
        at = at if at + size <= FILE else 0
        at += os.pwrite(fd, octets[:size], at)
        os.fdatasync(fd)
        end = time.perf_counter() - begin
        times += [end - came, *(end - later / rate for later in range(done + 1, due))]
        done = due
    return times


def main():
    results, rows = [], []
    for rate in RATES:
        disk, runs = zip(*[(bare(rate), measure(rate)) for _ in range(RUNS)])
        alone = sorted(disk, key=lambda one: one["p99"])[RUNS // 2]
        middle = sorted(runs, key=lambda one: one["datagramMs"]["p99"])[RUNS // 2]
        results.append({"rate": rate, "diskMs": alone, **middle})
        rows.append([rate, alone["p50"], alone["p99"],
                     *(float(middle["datagramMs"][share]) for share in ("p50", "p90", "p99", "p99.9", "p100")),
                     float(middle["answerMs"]["p50"]), float(middle["answerMs"]["p99"])])
    report.table(["events/s", "disk p50 ms", "p99", "trap p50", "p90", "p99", "p99.9", "most", "answered p50", "p99"], rows)
    report.emit("latency", results)


if __name__ == "__main__":
    main()
