# SPDX-License-Identifier: BSD-2-Clause
"""More Reports than the kernel keeps for a program that does not read."""

import os
import signal
import time

from machine import GATEWAY_HOST, SM_HOST, run, wait, without_watchdog

NODES = 4  # three hosts, one switch
KEPT = 200001  # by ib_umad for one program
SENT, RATE, FEW = 260000, 3000, 100
DRAIN = 1200  # seconds


def flood(site, count, rate):
    """Sends Reports, numbered on from the last ones, as the subnet manager of the gateway's port does."""
    ended = run("dmesg").count("ibfabric: ")
    site.fabric.write("flood", GATEWAY_HOST, count, rate)
    wait(lambda: run("dmesg").count("ibfabric: ") > ended, "the fabric to send", 300)


def settle(read, quiet=5):
    """Waits until a value stays."""
    last, since = read(), time.monotonic()

    def stays():
        nonlocal last, since
        now = read()
        if now != last:
            last, since = now, time.monotonic()
        return time.monotonic() - since > quiet

    wait(stays, "rest", DRAIN)
    return last


def test_reports_that_come_while_the_gateway_is_stopped(site):
    """ib_umad drops in silence what comes after 200,001 MADs that nobody read: the gap is counted, a sweep finds the rest."""
    def counters():
        return site.gateway.wait_status(lambda status: True, "the status")["counters"]

    without_watchdog()
    site.connect(config='journal { rows = 100000 }\nlog { level = "warning" }\n')
    site.gateway.wait_subscribed()
    site.gateway.wait_swept(NODES)
    flood(site, FEW, 1000)
    before = site.gateway.wait_status(lambda status: status["counters"]["reports"] >= FEW, "the first Reports")["counters"]
    assert before["reports"] == FEW and before["missed"] == 0
    ring = site.fabric.lost()["no_buffer"]

    os.kill(site.gateway.pid(), signal.SIGSTOP)
    flood(site, SENT, RATE)
    site.fabric.link(2, False)
    wait(lambda: "(IB_TIMEOUT): SubnAdmReport(Notice)" in site.subnet_manager.log(), "OpenSM to report it, and give up")
    settle(lambda: site.fabric.sent(SM_HOST)["gmps"])
    os.kill(site.gateway.pid(), signal.SIGCONT)

    read = settle(lambda: counters()["reports"]) - FEW
    flood(site, FEW, 1000)
    after = site.gateway.wait_status(lambda status: status["counters"]["missed"] > 0, "the gap")["counters"]
    ring = site.fabric.lost()["no_buffer"] - ring
    print(f"sent {SENT}, lost in the ring {ring}, read {read}, missed {after['missed']}")
    assert KEPT - FEW < read <= KEPT  # a few places have answers to the gateway's requests
    assert SENT - ring - read <= after["missed"] <= SENT - read  # of gaps that follow each other soon, some are not counted
    assert f"{after['missed']} reports of the subnet manager did not arrive" in site.gateway.log()
    wait(lambda: "host-removed" in {event["event"] for event in site.gateway.events()}, "the sweep to tell what the lost Report told")
