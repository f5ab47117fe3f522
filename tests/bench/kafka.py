#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the receiver of the kind kafka as it sends a backlog from the journal, compared with a bare librdkafka producer
with the same settings, to librdkafka's mock cluster in a process of its own. Prints a table on standard error, JSON on
standard output."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab.kafka import MockCluster  # noqa: E402

import drive  # noqa: E402
import report  # noqa: E402

EVENTS = 200000
RUNS = 3


def by_gateway():
    with MockCluster() as cluster:
        done = drive.flood(drive.receiver("kafka", brokers=cluster.brokers), reports=EVENTS, hold="bench")
    return {"perS": done["drainPerS"], "cpuUs": done["drainCpuUs"]}


def by_bare_producer(*options):
    with MockCluster() as cluster:
        done = drive.run("bench-bare-kafka", cluster.brokers, EVENTS, *options)
    return {"perS": done["perS"], "cpuUs": done["cpuUs"]}


def by_bare_producer_of_json():
    return by_bare_producer("json")


def main():
    results, rows = [], []
    for name, function in (("ibtrapd", by_gateway), ("bare producer", by_bare_producer),
                           ("bare producer that makes JSON", by_bare_producer_of_json)):
        one = {"by": name} | report.median_of(RUNS, function)
        results.append(one)
        rows.append(list(one.values()))
    report.table(["by", "events/s", "CPU us/event"], rows)
    report.emit("kafka", results)


if __name__ == "__main__":
    main()
