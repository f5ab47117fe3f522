# SPDX-License-Identifier: BSD-2-Clause
"""net-snmp's snmpd as a master agent, on the loopback."""

import pathlib
import signal

from lab.processes import Process
from lab.receivers import listening
from lab.sockets import free_port, unix_listens


class Snmpd:
    """An snmpd with an AgentX socket in its own directory, not started yet. It forwards notifications to `sinks`,
    addresses of SNMPv2c receivers. `more`: further lines of its configuration. `modules`: the only ones that it starts."""

    def __init__(self, directory, sinks=(), more="rocommunity public 127.0.0.1\n", modules=None):
        self._port = free_port()
        self._work = pathlib.Path(directory) / f"snmpd-{self._port}"
        self._lines = [f"trap2sink {sink} public" for sink in sinks]
        self._more = more
        self._modules = ["-I", modules] if modules else []
        self._process = None
        self.address = f"127.0.0.1:{self._port}"
        self.socket = self._work / "master"

    def __enter__(self):
        self._work.mkdir()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self, further=""):
        """Starts it, with further lines in its configuration."""
        config = self._work / "snmpd.conf"
        config.write_text("\n".join([f"agentAddress udp:{self.address}", "master agentx",
                                     f"agentXSocket {self.socket}", *self._lines, self._more, further]))
        self._process = Process(
            "snmpd",
            ["/usr/sbin/snmpd", "-f", "-C", "-c", config, "-p", self._work / "pid", "-Lf", self._work / "snmpd.log",
             "-M", "", "-m", "", *self._modules],
            log=self._work / "log",
            cwd=self._work,
            env={"SNMP_PERSISTENT_DIR": str(self._work), "SNMPCONFPATH": str(self._work)},
        )
        self._process.wait_ready(lambda: listening(self._port) and unix_listens(self.socket), "snmpd to listen")
        return self

    @property
    def pid(self):
        return self._process.pid

    def freeze(self):
        """Stops it (SIGSTOP): it exists but does not run."""
        self._process.popen.send_signal(signal.SIGSTOP)

    def thaw(self):
        self._process.popen.send_signal(signal.SIGCONT)

    def kill(self):
        """Kills it, as a crash would; its socket stays."""
        self._process.kill()

    def stop(self):
        if self._process:
            self.thaw()
            self._process.stop(signal.SIGTERM)
            self._process = None
