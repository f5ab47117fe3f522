#!/usr/bin/python3
"""From a Report's being read to the trap's leaving, with the journal's commit between them, at several rates. A table on
the error output, JSON with histograms on the standard one."""

import drive
import report

RATES = {100: 1000, 1000: 10000, 20000: 100000, 50000: 150000}  # events a second, and how many of them
RUNS = 3


def measure(rate):
    port = drive.free_port()
    done = drive.flood(drive.receiver("snmp", address=f"127.0.0.1:{port}"), reports=RATES[rate], rate=rate, sink=port)
    if done["misplaced"]:
        raise SystemExit(f"{done['misplaced']} traps out of their turn")
    return done


def main():
    results, rows = [], []
    for rate in RATES:
        runs = sorted((measure(rate) for _ in range(RUNS)), key=lambda one: one["datagramMs"]["p99"])
        middle = runs[RUNS // 2]
        results.append({"rate": rate, **middle})
        rows.append([rate, *(float(middle["datagramMs"][share]) for share in ("p50", "p90", "p99", "p99.9", "p100")),
                     float(middle["answerMs"]["p50"]), float(middle["answerMs"]["p99"])])
    report.table(["events/s", "p50 ms", "p90", "p99", "p99.9", "most", "answered p50", "p99"], rows)
    report.emit("latency", results)


if __name__ == "__main__":
    main()
