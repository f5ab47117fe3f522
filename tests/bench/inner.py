# SPDX-License-Identifier: BSD-2-Clause
"""Runs bench-inner: the whole gateway and a fabric of any size in one process. The fabric's memory is not counted."""

import contextlib
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab.fabric import BUILD  # noqa: E402
from lab.gateway import Gateway, section  # noqa: E402
from lab.processes import Process  # noqa: E402

PROGRAM = BUILD / "tests" / "bench" / "bench-inner"
WINDOW = 2000  # unanswered Reports at most


class Inner(Gateway):
    """A gateway that tests can query and watch like any other."""

    def __init__(self, directory, process):
        self.directory, self.process = directory, process
        self.socket = directory / "ctl"


@contextlib.contextmanager
def gateway(hosts, changes, rate=0, sweep_interval=5, rows=1000000, more=""):
    """`changes` hosts are down in one sweep and up again in the next; `rate` Reports come in a second. `more`: further
    sections of the configuration."""
    with tempfile.TemporaryDirectory(prefix="ibtrapd-bench-") as name, \
         socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
        here = pathlib.Path(name)
        sink.bind(("127.0.0.1", 0))  # no program reads from this port
        address = f"127.0.0.1:{sink.getsockname()[1]}"
        config = here / "ibtrapd.conf"
        config.write_text(
            section("sweep", interval=sweep_interval) + section("counters", interval=sweep_interval)
            + section("journal", directory=here / "state", rows=rows) + section("control", socket=here / "ctl")
            + section("snmp", "nms", address=address, rate=0)
            + section("syslog", "siem", transport="udp", address=address, rate=0) + section("log", level="warning")
            + more)
        process = Process("bench-inner", [PROGRAM, config, *map(str, (hosts, changes, rate, WINDOW))],
                          log=here / "log", cwd=here)
        try:
            yield Inner(here, process)
        finally:
            process.stop()


def wait_for(one, predicate, interval=0.1):
    while True:
        one.process.check()
        status = one.status()
        if status and predicate(status):
            return status
        time.sleep(interval)
