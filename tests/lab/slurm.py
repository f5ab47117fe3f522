# SPDX-License-Identifier: BSD-2-Clause
"""Slurm with real daemons of Debian: slurmctld, a slurmd for each node on this host, and munged."""

import os
import pathlib
import secrets
import shutil
import socket
import subprocess

from lab.processes import Process, wait_until
from lab.sockets import free_port

PROGRAMS = ("slurmctld", "slurmd", "munged", "scontrol")


def missing():
    """The programs that this host lacks."""
    lacking = [name for name in PROGRAMS if not (shutil.which(name) or pathlib.Path("/usr/sbin", name).exists())]
    if not (_address() or "").startswith("127."):
        lacking.append("an address of this host's name on the loopback")
    return lacking


def _address():
    """Where slurmctld and slurmd listen, and nowhere else: at the address of the host's name, on Debian often 127.0.1.1."""
    try:
        return socket.gethostbyname(socket.gethostname())
    except OSError:  # slurmctld ends then
        return None


class Slurm:
    """A cluster; `partitions`: names and their nodes, as Slurm writes nodes."""

    def __init__(self, directory, nodes, partitions):
        self.directory = directory
        self.nodes = nodes
        self.config = directory / "slurm.conf"
        self._key, self._socket = directory / "munge.key", directory / "munge.socket"
        self.ports = {node: free_port() for node in nodes}
        self.port = free_port()
        lines = [f"PartitionName={name} Nodes={members} Default=NO State=UP" for name, members in partitions.items()]
        lines += [f"NodeName={node} NodeHostname=localhost NodeAddr={_address()} Port={port} CPUs=1 RealMemory=1 State=UNKNOWN"
                  for node, port in self.ports.items()]
        self.config.write_text(f"""ClusterName=lab
SlurmctldHost=localhost({_address()})
SlurmctldPort={self.port}
AuthType=auth/munge
AuthInfo=socket={self._socket}
CryptoType=crypto/munge
SlurmUser={_user()}
SlurmdUser={_user()}
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool-%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd-%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/linear
ReturnToService=2
SlurmdTimeout=300
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
""" + "\n".join(lines) + "\n")
        self._processes = []
        self.controller = None

    def __enter__(self):
        self._key.write_bytes(secrets.token_bytes(128))
        self._key.chmod(0o400)
        (self.directory / "state").mkdir()
        self._munged = self._start("munged", ["/usr/sbin/munged", "-F", "-f", f"--socket={self._socket}", f"--key-file={self._key}",
                                              f"--pid-file={self.directory}/munged.pid",
                                              f"--seed-file={self.directory}/munged.seed",
                                              f"--log-file={self.directory}/munged.log"])
        wait_until(self._socket.is_socket, "munged to listen")
        self.start_controller()
        for node in self.nodes:
            (self.directory / f"spool-{node}").mkdir()
            self._start(f"slurmd-{node}", ["/usr/sbin/slurmd", "-D", "-f", self.config, "-N", node])
        wait_until(lambda: all(self.states(node) == {"IDLE"} for node in self.nodes), "the nodes to be idle")
        return self

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.kill()

    def _start(self, name, argv):
        process = Process(name, argv, log=self.directory / f"{name}.out", cwd=self.directory, env=self.environment())
        self._processes.append(process)
        return process

    def start_controller(self):
        self.controller = self._start("slurmctld", ["/usr/sbin/slurmctld", "-D", "-f", self.config])
        wait_until(lambda: self.controller.check() and self.scontrol("ping").returncode == 0, "slurmctld to answer")

    def stop_controller(self):
        """Stops slurmctld, which writes its state before."""
        self.controller.stop()

    def environment(self):
        return {"SLURM_CONF": str(self.config)}

    def scontrol(self, *arguments):
        return subprocess.run(["scontrol", *map(str, arguments)], env={**os.environ, **self.environment()}, text=True,
                              capture_output=True, timeout=60, check=False)

    def _node(self, node):
        text = self.scontrol("show", "node", node, "--oneliner").stdout
        return dict(part.split("=", 1) for part in text.split() if "=" in part), text

    def states(self, node):
        return set(self._node(node)[0].get("State", "").rstrip("*").split("+"))

    def reason(self, node):
        text = self._node(node)[1]
        return text.split("Reason=", 1)[1].split(" [", 1)[0].strip() if "Reason=" in text else ""


def _user():
    import pwd
    return pwd.getpwuid(os.getuid()).pw_name
