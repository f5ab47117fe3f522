#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures whether the gateway keeps up: 50,000 Reports a second for ten minutes, with receivers of four kinds, a journal
that drops its oldest rows. Fails if a Report is not acknowledged, or if a receiver lacks an event. Prints a table on
standard error, JSON on standard output.

    steady.py [SECONDS [A_SECOND]]"""

import sys

import drive
import many
import report
from lab.gateway import section
from lab.sockets import free_port

SECONDS, A_SECOND = 600, 50000
ROWS = 1_000_000
AFTER_S = 120  # for the receivers' last events, and for the end


def main():
    seconds, rate = [int(word) for word in sys.argv[1:]] + [SECONDS, A_SECOND][len(sys.argv) - 1:]
    with many.Peers() as peers:
        sink = free_port()

        def receivers(directory):
            kinds = [(name, kind, items) for name, kind, items in many.kinds(peers, directory) if name != "v2c"]
            kinds.append(("v2c", "snmp", {"address": f"127.0.0.1:{sink}"}))
            return "".join(section(kind, name, rate=0, events=["gid-in-service"], **items) for name, kind, items in kinds)
        done = drive.flood(receivers, rows=ROWS, limit_s=seconds + AFTER_S, reports=seconds * rate, rate=rate, sink=sink,
                           **{"await": 4})
    if None in [one["behindMs"] for one in done["receivers"]]:
        raise SystemExit(f"not every receiver got all events: {done['receivers']}")
    report.table(["", "p50 ms", "p99", "p99.9", "most"],
                 [[what, *(float(done[key][share]) for share in ("p50", "p99", "p99.9", "p100"))]
                  for what, key in (("Report to answer", "answerMs"), ("Report to trap", "datagramMs"))])
    report.table(["receiver", "events", "the last event, ms after the last answer", "CPU us/event"],
                 [[one["name"], one["sent"], one["behindMs"], one["cpuMs"] * 1000 / done["reports"]]
                  for one in done["receivers"]])
    report.emit("steady", [done])


if __name__ == "__main__":
    main()
