# SPDX-License-Identifier: BSD-2-Clause
"""Reads /proc about a process."""

import pathlib
import threading


def cpu_seconds(pid):
    """The processor time of all its living threads, to the nanosecond."""
    total = 0
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"):
        total += int(path.read_text().split()[0])
    return total / 1e9


def status_mib(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value.split()[0]) / 1024
    raise KeyError(name)


def memory(pid):
    return {"residentMiB": status_mib(pid, "VmRSS"), "peakMiB": status_mib(pid, "VmHWM")}


def private_mib(pid):
    """The resident memory without shared memory."""
    return status_mib(pid, "RssAnon") + status_mib(pid, "RssFile")


class Meanwhile:
    """Calls a function again and again, in a thread of its own, for as long as the block runs."""

    def __init__(self, call, pause=0.0):
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(call, pause))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()

    def _run(self, call, pause):
        while not self._end.wait(pause):
            call()


class Peak(Meanwhile):
    """The most private memory of a process, by samples every few milliseconds."""

    def __init__(self, pid):
        super().__init__(lambda: setattr(self, "mib", max(self.mib, private_mib(pid))), 0.003)
        self.mib = 0
