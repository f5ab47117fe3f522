# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures and helpers of the integration tests. Each test has a fabric of its own."""

import pathlib
import sys
import time
from dataclasses import dataclass

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab.fabric import PROGRAMS, Fabric, MadClient, SubnetManager, two_managers  # noqa: E402
from lab.gateway import IBTRAPCTL, IBTRAPD, Gateway  # noqa: E402
from lab.processes import DEADLINE, LabError  # noqa: E402
from lab.receivers import SyslogSink, TrapSocket  # noqa: E402
from lab.shards import pytest_collection_modifyitems  # noqa: E402, F401


def pytest_sessionstart():
    missing = [str(program) for program in (IBTRAPD, IBTRAPCTL, PROGRAMS / "madsend") if not program.exists()]
    if missing:
        pytest.exit(f"not built (or IBTRAPD_BUILD_DIR is wrong): {', '.join(missing)}", returncode=2)


@dataclass
class Site:
    """A fabric with its subnet manager and the gateway between it and two receivers."""

    fabric: Fabric
    sm: SubnetManager
    gateway: Gateway
    traps: TrapSocket
    syslog: SyslogSink
    standby: SubnetManager | None = None

    def host(self, name) -> MadClient:
        return self.fabric.client(name)

    @property
    def gateway_lid(self):
        return self.fabric.lid_of(self.gateway.host)

    def notification(self, oid, count=1):
        return self.traps.wait_for(lambda one: one.oid == oid, f"notification {oid}", count=count)

    def message(self, event, count=1):
        return self.syslog.wait_for(lambda one: one.message_id == event, f"syslog {event}", count=count)

    def raise_until_received(self, client, notice, event):
        """Raises a trap every second until its event arrives, which shows that the subscription works again."""
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            client.trap(notice)
            self.syslog.poll(1)
            found = [one for one in self.syslog.poll() if one.message_id == event]
            if found:
                return found[0]
        raise LabError(f"no {event} within {DEADLINE} s; ibtrapd's log:\n{self.gateway.log[-3000:]}")


@pytest.fixture
def fabric():
    with Fabric() as simulated:
        yield simulated


@pytest.fixture
def traps():
    with TrapSocket() as receiver:
        yield receiver


@pytest.fixture
def syslog():
    with SyslogSink() as receiver:
        yield receiver


def make_site(fabric, sm, traps, syslog, **options):
    gateway = fabric.keep(Gateway(fabric, snmp=[traps.address], syslog=[syslog.address], **options))
    return Site(fabric, sm, gateway, traps, syslog)


@pytest.fixture
def open_site(fabric, traps, syslog):
    """Brings up the subnet manager and a gateway with the given options; does not wait for the gateway."""

    def build(sm_options=None, **options):
        sm = fabric.subnet_manager(**(sm_options or {})).wait_master()
        return make_site(fabric, sm, traps, syslog, **options)

    return build


@pytest.fixture
def site(open_site):
    """A site whose gateway has subscribed to everything."""
    opened = open_site()
    opened.gateway.wait_subscribed()
    return opened


@pytest.fixture
def paired_site(traps, syslog):
    """The same with a second, standby subnet manager."""
    with two_managers() as (fabric, master, standby):
        opened = make_site(fabric, master, traps, syslog)
        opened.standby = standby
        opened.gateway.wait_subscribed()
        yield opened
