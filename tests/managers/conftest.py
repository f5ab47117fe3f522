# SPDX-License-Identifier: BSD-2-Clause
"""A machine with ibtrapd's package and real managers, on a simulated fabric. run.sh makes its root."""

import contextlib
import json
import os
import pathlib
import shutil
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "package")]

from lab import pages  # noqa: E402
from lab.fabric import LIBRARIES, PROGRAMS, SA_KEY, Fabric, two_managers  # noqa: E402
from lab.receivers import Rsyslogd, TrapSocket  # noqa: E402
from machine import Machine, wait_until  # noqa: E402

CONFIG = "/etc/ibtrapd/ibtrapd.conf"
DROP_IN = "/run/systemd/system/ibtrapd.service.d"


def pytest_collection_modifyitems(items):
    if "IBTRAPD_MANAGERS_ROOT" not in os.environ:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="tests/managers/run.sh makes the machine for this test"))


class Site:
    """The machine, and the fabric that its gateway is connected to."""

    def __init__(self, booted_machine, fabric):
        self.machine, self.fabric = booted_machine, fabric
        self.run, self.path = booted_machine.run, booted_machine.path
        self.subnet_manager = None

    def connect(self):
        """Prepares the service for the simulated fabric, on which it starts a subnet manager."""
        self.subnet_manager = self.fabric.subnet_manager().wait_master()
        self.attach("monitor")

    def attach(self, host, **more):
        """Prepares the service for a host of the simulated fabric. `more` environment for its programs."""
        self.secret("/etc/ibtrapd/sa_key", SA_KEY)
        environment = self.fabric.env_for(host, "libsimreports.so") | more
        environment["LD_PRELOAD"] = environment["LD_PRELOAD"].replace(str(PROGRAMS), "/run/outside")
        environment["SIM_TABLES"] = "/var/lib/ibtrapd"
        self.path(DROP_IN).mkdir(exist_ok=True)
        self.path(DROP_IN + "/simulated.conf").write_text(
            "[Service]\nWorkingDirectory=/var/lib/ibtrapd\n"
            + "".join(f'Environment="{name}={value}"\n' for name, value in environment.items()))
        self.run("systemctl", "daemon-reload")

    def secret(self, path, text):
        self.run("install", "-o", "ibtrapd", "-m", "600", "/dev/null", path)
        self.path(path).write_text(f"{text}\n")

    def shell(self, text, good=(0,)):
        """Runs lines of a page as root."""
        return self.run("sh", "-ec", text, good=good)

    def start_gateway(self, config, connected=True, more=""):
        """Starts ibtrapd with that configuration and `more` items of its section fabric, and waits until it has
        subscribed."""
        key = f'fabric {{ sa_key_file = "/etc/ibtrapd/sa_key" {more}}}\n' 'sweep { interval = 5 settle = 0 }\n' if connected else ""
        self.path(CONFIG).write_text(key + config)
        self.run("ibtrapd", "--check-config")
        self.start()
        self.wait(lambda: not connected or "active" in self.machine.property("ibtrapd", "StatusText"), "ibtrapd to subscribe")

    def start(self):
        """Starts ibtrapd, which the simulator now and then does not let in on a busy machine."""
        def started():
            refused = "refused" in self.shell("systemctl start ibtrapd || echo refused")
            assert not refused or "ibpanic" in self.log_of("ibtrapd"), self.log_of("ibtrapd")
            return not refused

        self.wait(started, "ibtrapd to start")

    def add_config(self, text):
        """Adds to the configuration of a gateway that runs, which reads it at the next reload."""
        path = self.path(CONFIG)
        path.write_text(path.read_text() + text)

    def shows(self, command, block, timeout=60):
        """Waits until a command shows what a page says. Returns its whole output."""
        said = []

        def shown():
            said.append(self.shell(command, good=range(256)))
            return pages.shows(said[-1], block)

        try:
            self.wait(shown, f"'{command}' to show\n{block}", timeout)
        except AssertionError as error:
            raise AssertionError(f"{error}\nIt showed:\n{said[-1]}") from None
        return said[-1]

    def json(self, *command):
        return json.loads(self.run("ibtrapctl", "--json", *command, good=(0, 1)))

    def log_of(self, unit):
        return self.run("journalctl", "-o", "cat", "-u", unit, good=(0, 1))

    @staticmethod
    def wait(true, what, timeout=60):
        return wait_until(true, what, timeout)


@contextlib.contextmanager
def booted_machine(outside):
    """A machine that sees the directory `outside` as /run/outside."""
    outside.chmod(0o755)
    for library in LIBRARIES:
        shutil.copy(PROGRAMS / library, outside)
    with Machine(outside, os.environ["IBTRAPD_MANAGERS_ROOT"]) as booting:
        booting.run("hostname", "monitor")  # as the pages show it
        booting.run("systemctl", "start", "systemd-journald.socket", "systemd-journald-dev-log.socket", "systemd-journald")
        yield booting


@contextlib.contextmanager
def booted(outside):
    with booted_machine(outside) as booting, Fabric() as fabric:
        yield Site(booting, fabric)


@contextlib.contextmanager
def two_booted(outside):
    """Two machines, gw1 and gw2, each for a host with a subnet manager: the fabric, its subnet managers, the sites."""
    with two_managers() as (fabric, *managers), booted_machine(outside) as one, booted_machine(outside) as two:
        sites = Site(one, fabric), Site(two, fabric)
        for site, name, host in zip(sites, ("gw1", "gw2"), ("sm1", "sm2")):
            site.run("hostname", name)
            site.attach(host, SIM_BESIDE_SM="1")
        yield fabric, managers, sites


@pytest.fixture
def site(tmp_path):
    with booted(tmp_path) as one:
        yield one


@pytest.fixture
def manager():
    with TrapSocket() as socket:
        yield socket


@pytest.fixture
def collector(tmp_path):
    """A log server. Its messages are lab.receivers.SyslogMessage."""
    with Rsyslogd(tmp_path) as rsyslogd:
        yield rsyslogd
