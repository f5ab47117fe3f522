# SPDX-License-Identifier: BSD-2-Clause
"""What ends the service, and what starts it again: the watchdog, a crash, another OpenSM, an upgrade, a purge."""

import os
import pathlib
import signal

from machine import install, prop, run, wait


def test_the_watchdog_restarts_a_stopped_gateway(site):
    """WatchdogSec= as shipped."""
    site.connect()
    site.gateway.wait_subscribed()
    pid = site.gateway.pid()
    os.kill(pid, signal.SIGSTOP)
    wait(lambda: prop("ibtrapd", "NRestarts") == "1" and prop("ibtrapd", "ActiveState") == "active", "the watchdog", 240)
    assert site.gateway.pid() != pid
    site.gateway.wait_subscribed()


def test_a_killed_gateway_is_started_again(site):
    site.connect()
    site.gateway.wait_subscribed()
    os.kill(site.gateway.pid(), signal.SIGKILL)
    wait(lambda: prop("ibtrapd", "NRestarts") == "1", "the restart")
    site.gateway.wait_subscribed()


def test_a_subnet_manager_that_starts_anew_gets_all_subscriptions(site):
    site.connect()
    site.gateway.wait_subscribed()
    site.subnet_manager.kill()
    site.subnet_manager.start()
    wait(lambda: run("saquery", "-C", "fab2", "IIR", good=(0, 1)).count("InformInfoRecord dump") >= 13, "the subscriptions")


def test_upgrade_and_purge(site):
    site.connect()
    site.gateway.wait_subscribed()
    run("systemctl", "enable", "ibtrapd")
    pid = site.gateway.pid()
    install("2.0", "--force-confold")
    assert prop("ibtrapd", "ActiveState") == "active" and site.gateway.pid() != pid
    assert run("systemctl", "is-enabled", "ibtrapd") == "enabled\n"
    site.gateway.wait_subscribed()
    run("dpkg", "-P", "ibtrapd")
    assert prop("ibtrapd", "LoadState") == "not-found"
    assert not [path for path in map(pathlib.Path, ("/etc/ibtrapd", "/var/lib/ibtrapd", "/var/log/ibtrapd")) if path.exists()]
