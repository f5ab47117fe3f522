#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the gateway's sweep with a bare discovery by libibnetdisc, in turn, on the same simulated fabrics of about
100, 500, 2,000 and 12,000 nodes, with the same number of MADs in flight."""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from bench import report  # noqa: E402
from lab.fabric import BUILD, Fabric  # noqa: E402
from lab.fattree import fat_tree  # noqa: E402

PROGRAM = BUILD / "tests" / "bench" / "bench-sweep"
FABRICS = ((4, 36, 25), (25, 36, 11), (60, 64, 5), (150, 160, 1))  # leaves, ports of a switch, rounds
LARGE = ("-N", "16384", "-S", "1024", "-P", "131072")
IN_FLIGHT = (2, 8, 64)
WHO = ("ibtrapd", "ibtrapd-alone", "libibnetdisc")
RUNS = 5  # one after the other; after some more, the simulator refuses libibnetdisc an agent
ATTEMPTS = 5


def look(fabric, who, in_flight):
    """The simulator loses a datagram now and then, and libibnetdisc then waits for ever; its library hangs now and then
    when a program exits. So a program that takes too long is started again."""
    for _ in range(ATTEMPTS):
        try:
            done = subprocess.run([PROGRAM, who, str(in_flight), str(RUNS)], cwd=fabric.directory,
                                  env=fabric.env_for("node0-0"), stdout=subprocess.PIPE, text=True, timeout=20,
                                  check=True)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            print(f"once more: {error}", file=sys.stderr)
            continue
        return json.loads(done.stdout)
    raise SystemExit(f"{who} did not end in {ATTEMPTS} attempts")


def measure(fabric, in_flight, rounds):
    times = {who: [] for who in WHO}
    for _ in range(rounds):
        looks = {who: look(fabric, who, in_flight) for who in WHO}
        assert len({(one["nodes"], one["links"]) for one in looks.values()}) == 1
        for who in WHO:
            times[who] += looks[who]["timesMs"]
    medians = {who: statistics.median(times[who]) for who in WHO}
    return {"nodes": looks["ibtrapd"]["nodes"], "links": looks["ibtrapd"]["links"], "mads": looks["ibtrapd"]["mads"],
            "inFlight": in_flight, "mediansMs": medians,
            "leastMs": {who: min(times[who]) for who in WHO}, "timesMs": times,
            "ratio": medians["ibtrapd"] / medians["libibnetdisc"]}


def main():
    results = []
    with tempfile.TemporaryDirectory() as directory:
        for leaves, ports, rounds in FABRICS:
            net = pathlib.Path(directory) / f"{leaves}.net"
            net.write_text(fat_tree(leaves, ports))
            with Fabric(net, LARGE) as fabric:
                results += [measure(fabric, in_flight, rounds) for in_flight in IN_FLIGHT]
    print("medians of 25 looks and more, of 5 at the largest, in milliseconds", file=sys.stderr)
    report.table(["nodes", "links", "MADs", "in flight", *WHO, "ratio, 1.1 at most"],
                 [[one["nodes"], one["links"], one["mads"], one["inFlight"], *one["mediansMs"].values(), one["ratio"]]
                  for one in results])
    report.emit("sweep", results)


if __name__ == "__main__":
    main()
