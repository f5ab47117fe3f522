#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the time from start to subscribed and to the end of the first sweep, the time of a reload, the CPU at rest
and with sweeps, and memory. The gateway has its default configuration and runs with OpenSM on simulated fabrics of
about 100 and 2,000 nodes."""

import pathlib
import shutil
import socket
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from bench import process, report  # noqa: E402
from lab.fabric import Fabric  # noqa: E402
from lab.fattree import fat_tree  # noqa: E402
from lab.gateway import Gateway, section  # noqa: E402

FABRICS = ((4, 36), (60, 64))  # leaves, ports of a switch
SM_HOST, HOST = "node0-0", "node1-0"
STARTS, RELOADS = 5, 9
REST_S, PERIOD_S = 50, 60  # seconds of rest between two sweeps; from one sweep to the next


class DefaultGateway(Gateway):
    """The default configuration, with two receivers that no program reads from."""

    def _write_config(self):
        self._sinks = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for sink in self._sinks:
            sink.bind(("127.0.0.1", 0))
        self.write(rate=1000)

    def write(self, rate):
        snmp, syslog = (f"127.0.0.1:{sink.getsockname()[1]}" for sink in self._sinks)
        self.config.write_text(section("journal", directory=self.state) + section("control", socket=self.socket)
                               + section("snmp", "nms", address=snmp, rate=rate)
                               + section("syslog", "siem", transport="udp", address=syslog))

    def look(self):
        status = self.status() or {"subscriptions": [], "sweep": {}, "port_counters": {}}
        counters_done = status["port_counters"].get("last") is not None
        return {"subscribed": sum(one["state"] == "subscribed" for one in status["subscriptions"]) >= 13,
                "swept": status["sweep"].get("sweeps", 0) > 0,
                "complete": status["sweep"].get("complete", False) and counters_done}

    def wait_for(self, what):
        while not self.look()[what]:
            self.process.check()
            time.sleep(0.005)


def start(gateway):
    """Starts it again with an empty journal. Returns the seconds."""
    gateway.stop()
    shutil.rmtree(gateway.state)
    begin = time.monotonic()
    gateway.start()
    gateway.wait_for("subscribed")
    subscribed = time.monotonic()
    gateway.wait_for("swept")
    return {"subscribedS": subscribed - begin, "sweptS": time.monotonic() - begin}


def timed_ms(gateway, *command):
    begin = time.monotonic()
    gateway.control(*command)
    return 1000 * (time.monotonic() - begin)


def reload(gateway):
    """Reloads the same configuration, and one with another receiver. For comparison, the time of an ibtrapctl
    command."""
    rates = iter(range(1001, 1001 + RELOADS))

    def change_and_reload():
        gateway.write(rate=next(rates))
        return timed_ms(gateway, "reload")

    return {"status": report.median_of(RELOADS, lambda: timed_ms(gateway, "status")),
            "unchanged": report.median_of(RELOADS, lambda: timed_ms(gateway, "reload")),
            "changed": report.median_of(RELOADS, change_and_reload)}


def cpu_percent(pid, seconds):
    before, begin = process.cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return 100 * (process.cpu_seconds(pid) - before) / (time.monotonic() - begin)


def rest(gateway):
    """Starts it again, so that the next sweep is almost a minute away."""
    start(gateway)
    gateway.wait_for("complete")
    sweeps, pid = gateway.sweeps(), gateway.process.pid
    at_rest = cpu_percent(pid, REST_S)
    assert gateway.sweeps() == sweeps
    with_sweeps = cpu_percent(pid, PERIOD_S)
    return {"cpuAtRestPercent": at_rest, "cpuWithSweepsPercent": with_sweeps,
            "sweeps": gateway.sweeps() - sweeps, **process.memory(pid)}


def measure(net):
    with Fabric(net) as fabric:
        fabric.subnet_manager(SM_HOST).wait_master(timeout=120)
        gateway = fabric.keep(DefaultGateway(fabric, host=HOST))
        gateway.wait_for("swept")
        starts = report.median_of(STARTS, lambda: start(gateway))
        result = {"nodes": gateway.status()["sweep"]["nodes"], **starts, "reloadMs": reload(gateway)}
        return result | rest(gateway)


def main():
    results = []
    with tempfile.TemporaryDirectory() as directory:
        for leaves, ports in FABRICS:
            net = pathlib.Path(directory) / f"{leaves}.net"
            net.write_text(fat_tree(leaves, ports))
            results.append(measure(net))
    report.table(["nodes", "subscribed s", "first sweep s", "reload ms", "changed ms", "status ms", "CPU at rest %",
                  "with sweeps %", "MiB", "peak MiB"],
                 [[one["nodes"], one["subscribedS"], one["sweptS"], one["reloadMs"]["unchanged"],
                   one["reloadMs"]["changed"], one["reloadMs"]["status"], one["cpuAtRestPercent"],
                   one["cpuWithSweepsPercent"], one["residentMiB"], one["peakMiB"]] for one in results])
    report.emit("start", results)


if __name__ == "__main__":
    main()
