#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures whether the gateway's memory grows, with millions of Reports of many kinds, sweeps that find another fabric
each time, alarms, two receivers, and a journal that drops its oldest rows, in one process.

    soak.py [EVENTS [A_SECOND]]"""

import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from bench import inner, process, report  # noqa: E402

EVENTS, A_SECOND = 10_000_000, 20_000
HOSTS, CHANGES, ROWS = 1900, 10, 100_000
SAMPLES = 200
SHOWN = 20


def look(gateway, begin):
    status = gateway.status()
    return {"s": round(time.monotonic() - begin, 1), "acknowledged": status["counters"]["acknowledged"],
            "events": status["counters"]["events"], "alarms": status["journal"]["alarms"],
            "sweeps": status["sweep"]["sweeps"], "privateMiB": process.private_mib(gateway.process.pid)}


def soak(events, a_second):
    samples, begin = [], time.monotonic()
    with inner.gateway(HOSTS, CHANGES, rate=a_second, rows=ROWS) as gateway:
        inner.wait_for(gateway, lambda status: status["counters"]["acknowledged"] > 0)
        while not samples or samples[-1]["acknowledged"] < events:
            time.sleep(events / a_second / SAMPLES)
            gateway.process.check()
            samples.append(look(gateway, begin))
    return samples


def median_of_fifth(samples, fifth):
    n = len(samples)
    return statistics.median(one["privateMiB"] for one in samples[n * fifth // 5:n * (fifth + 1) // 5])


def main():
    events = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    a_second = int(sys.argv[2]) if len(sys.argv) > 2 else A_SECOND
    samples = soak(events, a_second)
    report.table(list(samples[0]), [list(one.values()) for one in samples[::max(1, len(samples) // SHOWN)]])
    medians = [median_of_fifth(samples, fifth) for fifth in range(5)]
    report.table(["median MiB of the 1st fifth", "2nd", "3rd", "4th", "5th"], [medians])
    report.emit("soak", {"mediansMiB": medians, "samples": samples})


if __name__ == "__main__":
    main()
