# SPDX-License-Identifier: BSD-2-Clause
"""A machine with ibtrapd's package and real managers, on a simulated fabric. run.sh makes its root."""

import os
import pathlib
import shutil
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "package")]

from lab.fabric import PROGRAMS, SA_KEY, Fabric  # noqa: E402
from lab.receivers import TrapSocket  # noqa: E402
from machine import Machine, wait_until  # noqa: E402

CONFIG = "/etc/ibtrapd/ibtrapd.conf"
DROP_IN = "/run/systemd/system/ibtrapd.service.d"


def pytest_collection_modifyitems(items):
    if "IBTRAPD_MANAGERS_ROOT" not in os.environ:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="tests/managers/run.sh makes the machine for this test"))


class Site:
    """The machine, and the fabric that its gateway is connected to."""

    def __init__(self, machine, fabric):
        self.machine, self.fabric = machine, fabric
        self.run, self.path = machine.run, machine.path
        self.subnet_manager = None

    def connect(self):
        """Prepares the service for the simulated fabric."""
        self.subnet_manager = self.fabric.subnet_manager().wait_master()
        self.secret("/etc/ibtrapd/sa_key", SA_KEY)
        environment = self.fabric.env_for("monitor", "libsimreports.so")
        environment["LD_PRELOAD"] = environment["LD_PRELOAD"].replace(str(PROGRAMS), "/run/outside")
        environment["SIM_TABLES"] = "/var/lib/ibtrapd"
        self.path(DROP_IN).mkdir()
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

    def start_gateway(self, config, connected=True):
        """Starts ibtrapd with that configuration, and waits until it has subscribed."""
        key = 'fabric { sa_key_file = "/etc/ibtrapd/sa_key" }\nsweep { interval = 5 settle = 0 }\n' if connected else ""
        self.path(CONFIG).write_text(key + config)
        self.run("ibtrapd", "--check-config")
        self.run("systemctl", "start", "ibtrapd")
        self.wait(lambda: not connected or "active" in self.machine.property("ibtrapd", "StatusText"), "ibtrapd to subscribe")

    def log_of(self, unit):
        return self.run("journalctl", "-o", "cat", "-u", unit, good=(0, 1))

    @staticmethod
    def wait(true, what, timeout=60):
        return wait_until(true, what, timeout)


@pytest.fixture
def site(tmp_path):
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents[:3]:
        parent.chmod(parent.stat().st_mode | 0o011)
    shutil.copy(PROGRAMS / "libsimreports.so", tmp_path)
    with Machine(tmp_path, os.environ["IBTRAPD_MANAGERS_ROOT"]) as machine, Fabric() as fabric:
        machine.run("systemctl", "start", "systemd-journald.socket", "systemd-journald-dev-log.socket", "systemd-journald")
        yield Site(machine, fabric)


@pytest.fixture
def manager():
    with TrapSocket() as socket:
        yield socket
