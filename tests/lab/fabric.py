# SPDX-License-Identifier: BSD-2-Clause
"""A fabric simulated by ibsim, with OpenSM on it and clients that send MADs."""

import collections
import contextlib
import os
import pathlib
import re
import secrets
import select
import signal
import subprocess
import tempfile
import time

from lab import notices
from lab.processes import DEADLINE, LabError, Process, wait_until

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("IBTRAPD_BUILD_DIR", HERE.parents[1] / "build")).resolve()
PROGRAMS = BUILD / "tests" / "lab"

PROMPT = b"sim> "
SUBNET_PREFIX = bytes.fromhex("fe80000000000000")
SA_KEY = 1

UNCLAIMED = "libsimunclaimed.so"  # preloaded into each client
LIBRARIES = UNCLAIMED, "libsimreports.so"  # preloaded into a gateway

# OpenSM's log_flags.
ERRORS, INFORMATION, DEBUG = 1, 2, 8

# umad2sim forwards only this many octets of a MAD.
DELIVERED = 224


def umad2sim():
    """The library that makes a libibumad program a client of ibsim."""
    found = sorted(pathlib.Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
    if not found:
        raise LabError("libumad2sim.so is missing: install the package libumad2sim0")
    return found[0]


def gid(guid):
    """The GID of a port on the simulated subnet."""
    return SUBNET_PREFIX + guid.to_bytes(8, "big")


class Fabric:
    """ibsim with a topology file. When it ends, all programs started on it end and its scratch directory is removed.
    `options` of ibsim: -N nodes, -S switches, -P ports, beyond 2,048, 256 and 13,312."""

    def __init__(self, net="small", options=()):
        self.options = options
        self.net = net if isinstance(net, pathlib.Path) else HERE / "nets" / f"{net}.net"
        self.socket_name = f"ibtrapd-lab-{os.getpid()}-{secrets.token_hex(4)}"
        self._stack, self._managers = contextlib.ExitStack(), []

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.directory = pathlib.Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix="ibtrapd-lab-", ignore_cleanup_errors=True))
            )
            self._start_ibsim()
            stack.callback(lambda: self._ibsim.kill())
            self._stack = stack.pop_all()
        return self

    def _start_ibsim(self):
        self._ibsim = Process(
            "ibsim",
            ["/usr/bin/ibsim", "-s", *self.options, self.net],
            log=self.directory / "ibsim.log",
            cwd=self.directory,
            env={"IBSIM_SOCKNAME": self.socket_name},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._read_prompt()

    def __exit__(self, *_):
        self._stack.close()

    def keep(self, manager):
        """Enters a context manager. The fabric's end leaves them all, the last one first."""
        return self._stack.enter_context(manager)

    def start(self, name, argv, env=None, **options):
        """Starts a program in the scratch directory."""
        process = Process(name, argv, log=self.directory / f"{name}.log", cwd=self.directory, env=env, **options)
        self._stack.callback(process.kill)
        return process

    def env_for(self, host, library=None):
        """The environment of a client at a host, with the lab's libraries preloaded before umad2sim."""
        libraries = [PROGRAMS / name for name in (UNCLAIMED, library) if name]
        return {
            "IBSIM_SOCKNAME": self.socket_name,
            "SIM_HOST": host,
            "SIM_TABLES": str(self.directory),
            "LD_PRELOAD": ":".join(map(str, [*libraries, umad2sim()])),
        }

    def console(self, command):
        """Gives ibsim one command, returns what it printed."""
        try:
            self._ibsim.popen.stdin.write(command.encode() + b"\n")
            self._ibsim.popen.stdin.flush()
        except BrokenPipeError:
            self._ibsim.wait()
            self._ibsim.check()
        return self._read_prompt()

    def unlink(self, node, port=None):
        return self._link("Unlink", node, port)

    def relink(self, node, port=None):
        return self._link("ReLink", node, port)

    def link(self, node, port, peer, peer_port):
        """Connects two unconnected ports."""
        output = self.console(f'Link "{node}"[{port}] "{peer}"[{peer_port}]')
        if "#" in output:
            raise LabError(f"Link {node}[{port}] {peer}[{peer_port}]: {output}")

    def lose(self, node, port, percent):
        """Makes a port lose that percentage of the MADs that it should answer."""
        self.console(f'Error "{node}"[{port}] {percent}')

    def count_errors(self, node, port, **counters):
        """Sets error counters of a port, as PortCounters names them."""
        for name, value in counters.items():
            self.console(f'PerformanceSet "{node}"[{port}] PortCounters.{name}={value}')

    def lid_of(self, node):
        """The LID that the subnet manager assigned to a node; 0: none yet."""
        return self._port_of(node)[1]

    def guid_of(self, node):
        """The port GUID of a host's first port, or of a switch."""
        return self._port_of(node)[0]

    def gid_of(self, node):
        return gid(self.guid_of(node))

    def forget(self, process):
        """Makes ibsim notice that a client was killed. ibsim ends itself if that client was about to connect: then it
        starts anew with its subnet managers, and without its other clients."""
        try:
            clients = re.findall(r"Client (\d+): pid (\d+) ", self.console("Attached"))
            for number in (number for number, pid in clients if int(pid) == process.pid):
                self.console(f"X {number}")
        except LabError:
            if "can't connect to in socket" not in self._ibsim.log_text():
                raise
            self._ibsim.wait()
            self._ibsim.log.unlink()
            self._start_ibsim()
            for manager in self._managers:
                manager.process.kill()
                sweeps = manager.log.count("SUBNET UP")
                manager.start()
                manager.wait_master(sweeps + 1)

    def subnet_manager(self, host="sm1", **options):
        """Starts OpenSM at a host."""
        self._managers.append(self.keep(SubnetManager(self, host, **options)))
        return self._managers[-1]

    def client(self, host):
        """A client that sends MADs from a host, or from a switch."""
        return self.keep(MadClient(self, host))

    def run(self, argv, host, library=None, more=None, timeout=DEADLINE):
        """Runs a program of infiniband-diags at a host, returns its output. more: of its environment."""
        env = os.environ | self.env_for(host, library) | (more or {})
        done = subprocess.run(argv, cwd=self.directory, env=env, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout

    def discover(self, host="node1"):
        """What ibnetdiscover writes at a host. The simulator may lose a datagram of it: then it runs once more."""

        def whole():
            text = self.run(["/usr/sbin/ibnetdiscover"], host)
            return text if text.startswith("#\n# Topology file") and "ibwarn" not in text else None

        return wait_until(whole, "ibnetdiscover to write the whole fabric")

    def _link(self, command, node, port):
        output = self.console(f'{command} "{node}"' + (f"[{port}]" if port else ""))
        if "#" in output:
            raise LabError(f"{command} {node} {port or ''}: {output}")

    def _port_of(self, node):
        found = re.search(r"^([0-9a-f]+)\t\[[01]\].*\blid (\d+)", self.console(f'Dump "{node}"'), re.MULTILINE)
        if not found:
            raise LabError(f"no node {node} in the fabric")
        return int(found[1], 16), int(found[2])

    def _read_prompt(self):
        pipe = self._ibsim.popen.stdout.fileno()
        deadline, output = time.monotonic() + DEADLINE, b""
        while not output.endswith(PROMPT):
            if not select.select([pipe], [], [], max(0, deadline - time.monotonic()))[0]:
                raise LabError("ibsim does not answer")
            piece = os.read(pipe, 65536)
            if not piece:
                self._ibsim.wait()
                self._ibsim.check()
            output += piece
        return output[: -len(PROMPT)].decode(errors="replace")


@contextlib.contextmanager
def two_managers(attempts=6):
    """A fabric with a master subnet manager at sm1 and a standby at sm2.

    umad2sim has no timeouts: if a MAD gets lost while sm2 starts, sm1 waits for ever. Then everything is started
    again, and has twice the time: a busy machine is slow, too."""
    for attempt in range(attempts):
        with Fabric() as fabric:
            master = fabric.subnet_manager("sm1").wait_master()
            standby = fabric.subnet_manager("sm2").wait_standby()
            if master.has_swept(2, 5 << attempt):  # the second time for the other's arrival
                yield fabric, master, standby
                return
    raise LabError(f"two subnet managers did not find together in {attempts} attempts")


class SubnetManager:
    """OpenSM at a host. `options` are written to its configuration file."""

    def __init__(self, fabric, host, priority=0, **options):
        self.fabric = fabric
        self.host = host
        self.options = {
            "force_log_flush": "TRUE",
            "log_flags": ERRORS | INFORMATION,
            "sweep_interval": 0,
            "sminfo_polling_timeout": 300,
            "polling_retry_number": 2,
            "sm_priority": priority,
            **options,
        }
        self.directory = fabric.directory / f"opensm-{host}"
        self.config = self.directory / "opensm.conf"
        self.faults = {}  # the environment of simtraps.c
        self.process = None

    def __enter__(self):
        self.directory.mkdir()
        self.start()
        return self

    def __exit__(self, *_):
        self.process.kill()

    @property
    def lid(self):
        return self.fabric.lid_of(self.host)

    @property
    def log(self):
        path = self.directory / "osm.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def start(self):
        self._write_config()
        argv = ["/usr/sbin/opensm", "-F", self.config, "-f", self.directory / "osm.log"]
        environment = {
            **self.fabric.env_for(self.host, "libsimtraps.so"),
            "OSM_TMP_DIR": str(self.directory),
            "OSM_CACHE_DIR": str(self.directory),
            **self.faults,
        }
        self.process = Process(f"opensm at {self.host}", argv, log=self.directory / "output.log",
                               cwd=self.fabric.directory, env=environment)

    def wait_master(self, count=1, timeout=DEADLINE):
        """Waits until its log shows that it has finished `count` heavy sweeps as the master."""
        wait_until(lambda: self.process.check() and self.log.count("SUBNET UP") >= count,
                   f"OpenSM at {self.host} to bring the subnet up", timeout)
        return self

    def has_swept(self, count, timeout):
        """Whether it finishes so many sweeps within that time."""
        try:
            self.wait_master(count, timeout)
        except LabError:
            return False
        return True

    def take_over(self, attempts=6):
        """Waits until the standby is master. If a MAD gets lost meanwhile, the standby waits for ever, as in two_managers,
        starts again, and has twice the time."""
        for attempt in range(attempts):
            if self.has_swept(1, 5 << attempt):
                return
            self.kill()
            self.start()
        raise LabError(f"OpenSM at {self.host} did not become master in {attempts} attempts")

    def wait_standby(self):
        """Waits until it is standby to a master."""
        wait_until(lambda: self.process.check() and "Entering STANDBY" in self.log,
                   f"OpenSM at {self.host} to stand by")
        return self

    def set_priority(self, priority):
        """Gives a running subnet manager a new priority, which it announces to the others. The highest priority becomes
        master."""
        self.options["sm_priority"] = priority
        self.reload()

    def kill(self):
        """Kills it, as a crash would."""
        self.process.kill()
        self.fabric.forget(self.process)

    def restart(self):
        """A crash and a new start at the same host."""
        self.kill()
        rounds = self.log.count("SUBNET UP")
        self.start()
        return self.wait_master(rounds + 1)

    def reload(self):
        """Makes it read its files again, and sweep."""
        self._write_config()
        self.process.popen.send_signal(signal.SIGHUP)

    def _write_config(self):
        self.config.write_text("".join(f"{name} {value}\n" for name, value in self.options.items()))


ON_THE_WAY = 8  # a socket of the simulator takes ten


class MadClient:
    """madsend at a host: sends any MAD, receives the answers."""

    def __init__(self, fabric, host):
        self.fabric = fabric
        self.host = host
        self._tid = secrets.randbits(31)
        self._unanswered, self._taken = 0, collections.deque()  # Reports; answers that were taken before anyone asked

    def __enter__(self):
        name = f"madsend-{self.host}-{secrets.token_hex(2)}"
        self._process = Process(name, [PROGRAMS / "madsend"], log=self.fabric.directory / f"{name}.log",
                                cwd=self.fabric.directory, env=self.fabric.env_for(self.host),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._expect("ready")
        return self

    def __exit__(self, *_):
        self._process.popen.stdin.close()
        try:
            self._process.popen.wait(5)
        except subprocess.TimeoutExpired:
            pass
        self._process.kill()

    @property
    def lid(self):
        return self.port_info().lid

    def next_tid(self):
        """The next TransactionID. The simulator preserves only its lower half."""
        self._tid = (self._tid + 1) & 0xFFFFFFFF
        return self._tid

    def send(self, mad, dlid, qpn):
        self._command(f"{mad[1]} {dlid} {qpn} {mad.hex()}")
        self._expect("sent")

    def receive(self, seconds=5):
        """Returns (source LID, MAD); None: nothing arrived."""
        answer = self._taken.popleft() if self._taken else self._take(seconds)
        if answer == "none":
            return None
        if answer.startswith("failed"):
            raise LabError(f"the MAD from {self.host} was not delivered: {answer}")
        lid, mad = answer.split()
        return int(lid), bytes.fromhex(mad)

    def request(self, mad, dlid, qpn, seconds=5):
        """Sends a MAD and returns the answer to it."""
        self.send(mad, dlid, qpn)
        answer = self.receive(seconds)
        if answer is None:
            raise LabError(f"no answer from LID {dlid} to {self.host}")
        return answer[1]

    def port_info(self):
        return notices.PortInfo.of_mad(self.request(notices.local_port_info_mad(self.next_tid()), 0xFFFF, 0))

    def trap(self, notice):
        """Sends a Trap to the master subnet manager with its own LID as IssuerLID, as a port does."""
        port = self.port_info()
        self.send(notices.trap_mad(notice.issued(issuer_lid=port.lid), self.next_tid()), port.sm_lid, 0)

    def report(self, notice, dlid, tid=None, **fields):
        """Sends a Report to a subscriber. Few Reports are without an answer at a time: umad2sim holds its lock while it
        writes to the simulator, and if the sockets of both are full, both wait for ever."""
        if self._unanswered >= ON_THE_WAY and (answer := self._take(1)) != "none":
            self._taken.append(answer)
        self.send(notices.report_mad(notice, self.next_tid() if tid is None else tid, **fields), dlid, 1)
        self._unanswered += 1

    def join(self, mgid):
        return self._membership(notices.join_mad, mgid)

    def leave(self, mgid):
        return self._membership(notices.leave_mad, mgid)

    def _membership(self, build, mgid):
        mad = build(mgid, self.fabric.gid_of(self.host), self.next_tid())
        status = int.from_bytes(self.request(mad, self.port_info().sm_lid, 1)[4:6], "big")
        if status:
            raise LabError(f"the SA refuses with status 0x{status:04x}")

    def _take(self, seconds):
        """The next answer, as madsend writes it. After none, none is on the way any more."""
        self._command(f"recv {seconds}")
        answer = self._answer(seconds)
        self._unanswered = 0 if answer == "none" else max(0, self._unanswered - 1)
        return answer

    def _command(self, line):
        try:
            self._process.popen.stdin.write(line.encode() + b"\n")
            self._process.popen.stdin.flush()
        except BrokenPipeError:
            self._process.wait()
            self._process.check()

    def _answer(self, seconds=0):
        pipe = self._process.popen.stdout
        if not select.select([pipe], [], [], DEADLINE + seconds)[0]:
            raise LabError(f"madsend at {self.host} does not answer")
        line = pipe.readline().decode().strip()
        if not line:
            self._process.wait()
            self._process.check()
        return line

    def _expect(self, expected):
        answer = self._answer()
        if answer != expected:
            raise LabError(f"madsend at {self.host}: {answer}")
