# SPDX-License-Identifier: BSD-2-Clause
"""The fabric, OpenSM and the gateway of each test, in the machine that run.sh boots."""

import os
import subprocess

import pytest
from machine import CONFIG, Fabric, Gateway, SubnetManager, TrapDaemon, install, kernel_log, run, with_watchdog

OOPS = ("BUG:", "WARNING:", "Oops", "general protection", "Call Trace")


def pytest_collection_modifyitems(items):
    if "IBTRAPD_IN_MACHINE" not in os.environ:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="tests/kernel/run.sh makes the machine for this test"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Adds to a failure what the gateway and OpenSM say."""
    report = (yield).get_result()
    if report.failed and call_needs_logs(item):
        report.sections.append(("ibtrapctl status", said("ibtrapctl", "status")))
        report.sections.append(("journal", said("journalctl", "-u", "ibtrapd", "-o", "short-precise", "-n", "60", "--no-pager")))
        report.sections.append(("fabric", said("sh", "-c", "cd /sys/module/ibfabric/parameters && cat sent lost; tail -n 30 "
                                               "/var/tmp/opensm/log; dmesg | tail -n 15")))


def call_needs_logs(item):
    return "site" in item.fixturenames


def said(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


class Site:
    """fabric, gateway, and the subnet manager, which connect() starts."""

    def __init__(self):
        self.fabric, self.gateway, self.subnet_manager = Fabric(), Gateway(), SubnetManager()

    def connect(self, parameters=None, config="", fabric_items="", sweep_items="", **options):
        """Loads the fabric, brings OpenSM up, and starts the gateway."""
        self.fabric.load(**(parameters or {}))
        self.subnet_manager.start(**options)
        self.gateway.configure(config, fabric_items, sweep_items)
        self.gateway.start()
        return self

    def clean(self):
        self.gateway.stop()
        self.subnet_manager.stop()
        self.fabric.unload()


@pytest.fixture
def site():
    """An installed package, not started, without a journal; no fabric."""
    if not CONFIG.parent.exists():
        install()
    run("dmesg", "--clear")
    one = Site()
    yield one
    one.clean()
    with_watchdog()
    run("sh", "-c", "rm -rf /var/lib/ibtrapd* /var/log/ibtrapd*; journalctl --rotate -q; journalctl --vacuum-time=1s -q")
    assert not [line for line in kernel_log().splitlines() if any(word in line for word in OOPS)]


@pytest.fixture
def traps():
    daemon = TrapDaemon()
    yield daemon
    daemon.stop()
