# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures of the tests of single receivers: the sending program, and the real peers."""

import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(pathlib.Path(__file__).parent)]

from lab.fabric import BUILD  # noqa: E402
from lab.processes import Process  # noqa: E402
from lab.shards import pytest_collection_modifyitems  # noqa: E402, F401

SEND = BUILD / "tests" / "receivers" / "send_syslog"


def pytest_sessionstart():
    if not SEND.exists():
        pytest.exit(f"not built (or IBTRAPD_BUILD_DIR is wrong): {SEND}", returncode=2)


class Sender(Process):
    """A running send_syslog. Its messages are read from its log."""

    def _said(self, word):
        return [line.split(" ", 1)[1] for line in self.log_text().splitlines() if line.startswith(word + " ")]

    @property
    def acknowledged(self):
        return max(map(int, self._said("acked")), default=0)

    @property
    def errors(self):
        return self._said("error")

    @property
    def seconds(self):
        return float(self._said("took")[0])


@pytest.fixture
def sender(tmp_path):
    """Starts send_syslog with options; options of Process begin with an underscore."""
    started = []

    def start(_stdout=None, **options):
        log = tmp_path / f"sender-{len(started)}"
        arguments = [f"{name}={value}" for name, value in options.items()]
        process = Sender("send_syslog", [SEND, *arguments], log=log, cwd=tmp_path, env={"TZ": "UTC"}, stdout=_stdout)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
