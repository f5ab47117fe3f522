#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures how many Reports a second the gateway takes through the kernel's umad, and where others are lost:
tests/kernel/run.sh rate.py [RATE...]

The fabric sends Reports to the gateway's port from the address of its subnet manager, RATE a second, for two seconds. They
pass ib_mad (receive ring of 512), ib_umad (200,001 wait for a reader at most) and the gateway's ring. Prints a row for each
rate and, if no rates are given, what is left of 260,000 Reports that come while the gateway is stopped. It judges nothing.
"""

import os
import signal
import sys
import time

from conftest import Site
from machine import GATEWAY_HOST, install, run, wait, without_watchdog

RATES = [2000, 5000, 10000, 20000, 40000, 60000]
SECONDS, QUIET = 2, 10
WAITING, STEADY_RATE = 260000, 20000
DEADLINE = 600


def counters(site):
    return site.gateway.wait_status(lambda status: True, "the status")["counters"]


def settled(site, sent):
    """The counters once all that arrived is handled."""
    wait(lambda: run("dmesg").count("ibfabric: ") >= sent, "the fabric to send", DEADLINE)
    last, since = counters(site), time.monotonic()
    while time.monotonic() - since < QUIET:
        now = counters(site)
        if (now["reports"], now["acknowledged"]) != (last["reports"], last["acknowledged"]):
            last, since = now, time.monotonic()
        time.sleep(0.5)
    return last, since


def seconds_sent():
    line = [line for line in run("dmesg").splitlines() if "ibfabric: " in line][-1].split()
    return int(line[-2]) / 1e6


def flood(site, count, rate, held=False):
    """Sends Reports, returns what became of them."""
    before, lost, sent = counters(site), site.fabric.lost(), run("dmesg").count("ibfabric: ")
    if held:
        os.kill(site.gateway.pid(), signal.SIGSTOP)
    began = time.monotonic()
    site.fabric.write("flood", GATEWAY_HOST, count, rate)
    if held:
        wait(lambda: run("dmesg").count("ibfabric: ") > sent, "the fabric to send", DEADLINE)
        began = time.monotonic()
        os.kill(site.gateway.pid(), signal.SIGCONT)
    after, ended = settled(site, sent + 1)
    ring = site.fabric.lost()["no_buffer"] - lost["no_buffer"]
    read = after["reports"] - before["reports"]
    return {"sent": count, "a second": round(count / seconds_sent()), "lost in the ring of 512": ring,
            "lost in umad's list": count - ring - read, "read": read, "no room": after["no_room"] - before["no_room"],
            "acknowledged": after["acknowledged"] - before["acknowledged"], "seconds": round(ended - began, 1)}


def show(row):
    print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)


def main():
    install()
    without_watchdog()
    run("dmesg", "-n", "1")
    site = Site().connect(config='journal { rows = 100000 }\nlog { level = "error" }\n', sweep_items='method = "off"')
    site.gateway.wait_subscribed()
    for rate in [int(word) for word in sys.argv[1:]] or RATES:
        show(flood(site, rate * SECONDS, rate))
    if len(sys.argv) == 1:
        print("stopped meanwhile:", flush=True)
        show(flood(site, WAITING, STEADY_RATE, held=True))
    site.clean()


main()
