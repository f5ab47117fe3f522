# SPDX-License-Identifier: BSD-2-Clause
"""A real systemd-journald in a namespace of its own."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess

from lab.processes import Process, wait_until


def missing():
    """Whether systemd-journald cannot start here."""
    return not os.path.ismount("/sys/fs/cgroup")


class Journald:
    """A systemd-journald of this test alone, which can be stopped and started again."""

    def __init__(self, directory):
        self.directory = directory
        self.name = f"ibtrapd-test-{os.getpid()}"
        self.sockets = pathlib.Path(f"/run/systemd/journal.{self.name}")
        self.options = {"transport": "local", "path": self.sockets / "dev-log", "format": "rfc3164"}
        self._process = None

    def start(self):
        self._process = Process("systemd-journald", ["/lib/systemd/systemd-journald", self.name],
                                log=self.directory / "journald", cwd=self.directory)
        self._process.wait_ready(lambda: (self.sockets / "socket").is_socket(), "systemd-journald to listen")

    def stop(self):
        self._process.stop(signal.SIGTERM)
        shutil.rmtree(self.sockets, ignore_errors=True)

    def remove(self):
        self.stop()
        for home in ("/var/log/journal", "/run/log/journal"):
            for left in pathlib.Path(home).glob(f"*.{self.name}"):
                shutil.rmtree(left)

    def entries(self, *matches):
        done = subprocess.run(["journalctl", f"--namespace={self.name}", "--all", "--output=json", "--quiet",
                               "SYSLOG_IDENTIFIER=ibtrapd", *matches], stdout=subprocess.PIPE, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def wait(self, count, *matches):
        return wait_until(lambda: len(entries := self.entries(*matches)) >= count and entries, f"{count} entries")

    def send(self, identifier, message):
        """Sends a message by journald's own protocol."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(f"SYSLOG_IDENTIFIER={identifier}\nPRIORITY=6\nMESSAGE={message}\n".encode(),
                          str(self.sockets / "socket"))
