# SPDX-License-Identifier: BSD-2-Clause
"""The program under test: ibtrapd on a simulated fabric, and ibtrapctl to ask it."""

import ipaddress
import json
import os
import pathlib
import re
import secrets
import signal
import subprocess

from lab.fabric import BUILD, PROGRAMS, SA_KEY
from lab.processes import DEADLINE, LabError, wait_until

IBTRAPD = BUILD / "ibtrapd"
IBTRAPCTL = BUILD / "ibtrapctl"
MODULES = BUILD / "modules"  # of receivers

# A checker that ibtrapd runs under, such as valgrind with its options; see tests/checkers/.
WRAPPER = os.environ.get("IBTRAPD_WRAPPER", "").split()
COMPLAINT = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error: |^==\d+== .*", re.MULTILINE)


def section(kind, title=None, **items):
    """A section of the configuration file."""
    body = " ".join(f"{name} = {_literal(value)}" for name, value in items.items() if value is not None)
    return f"{kind} {_literal(title) + ' ' if title else ''}{{ {body} }}\n"


def secret_file(directory, name, content, mode=0o600):
    path = directory / name
    path.write_text(f"{content}\n")
    path.chmod(mode)
    return path


def _literal(value):
    if isinstance(value, list):
        return "{" + ", ".join(map(_literal, value)) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


# A policy that sends every event to receivers.
EVERYTHING = (
    section("policy", "multicast-too", events=["mcast-group-*"], enabled=True)
    + section("repeats", window=0)
    + section("flap", changes=0)
    + section("storm", rate=0)
    + section("consequences", hold=False)
)


class Gateway:
    """ibtrapd at a host of the fabric, whose name is the gateway's, too.

    snmp, syslog: addresses of receivers; path: the local syslog socket. sa_key: None: no key; a text is written to the
    key file unchanged. sweep, counters: items of those sections; without them it neither sweeps nor reads counters.
    policy: the sections of the policy; None: the gateway's default. state: the journal's directory. beside_sm: a subnet
    manager runs at this host. more: further sections. mkey: the M_Key that the host's port requires. expected: the file of
    the expected topology. hardened: the subnet manager drops what a client without the SA key asks for (simhardened.h).
    leds: a directory with the LEDs of the nodes, which then have some (simleds.h).
    registers: a directory with the registers of the nodes (simregisters.h). preload=False: without the simulator, as
    on a machine without an HCA."""

    def __init__(self, fabric, snmp=(), syslog=(), path=None, host="monitor", sa_key=SA_KEY, sa_key_mode=0o600,
                 preload=True, names=None, device=None, port=None, verify_interval=2, more="", sweep=None, counters=None,
                 active=None, state=None, policy=EVERYTHING, beside_sm=False,
                 mkey=None, hardened=False, all_traps=None, expected=None, match=None, modules=MODULES, leds=None,
                 registers=None, sm_log=None, unhealthy=None, notices=None, fabric_name=None):
        self.fabric = fabric
        self.host = host
        self.preload = preload
        self.beside_sm = beside_sm
        self.mkey = mkey
        self.hardened = hardened
        self.leds = leds
        self.registers = registers
        self.modules = modules
        self.directory = fabric.directory / f"ibtrapd-{secrets.token_hex(4)}"
        self.socket = self.directory / "ctl.sock"
        self.config = self.directory / "ibtrapd.conf"
        self.process = None
        self._receivers = [section("snmp", f"snmp{n}", address=address) for n, address in enumerate(snmp)]
        self._receivers += [section("syslog", f"udp{n}", transport="udp", address=a, each_part=True) for n, a in enumerate(syslog)]
        self._receivers += [section("syslog", "local", path=path, format="rfc5424", each_part=True)] if path else []
        self._receivers += [more]
        self._sa_key, self._sa_key_mode = sa_key, sa_key_mode
        self._fabric_items = {"device": device, "port": port, "node_name_map": names}
        self._fabric_items |= {"verify_interval": verify_interval, "active": active, "all_traps": all_traps}
        self._fabric_items |= {"expected_topology": expected, "expected_match": match, "sm_log": sm_log, "notices": notices}
        self._fabric_items |= {"unhealthy_ports": unhealthy, "name": fabric_name}
        self._sweep, self._counters = sweep or {"method": "off"}, counters or {"ports": "off"}
        self._policy = policy
        self.state = state or self.directory / "state"

    def __enter__(self):
        self.directory.mkdir()
        self._write_config()
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        if COMPLAINT.search(self.log):
            raise LabError(f"a checker complains of ibtrapd:\n{self.log[-6000:]}")

    def start(self):
        self.process = self.fabric.start(
            self.directory.name,
            [*WRAPPER, IBTRAPD, "--foreground", "--modules", self.modules, "--config", self.config],
            env=self._environment(),
        )

    def _environment(self):
        if not self.preload:
            return None
        beside = {"SIM_BESIDE_SM": "1"} if self.beside_sm else {}
        protected = {"SIM_MKEY": str(self.mkey)} if self.mkey else {}
        hardened = {"SIM_HARDENED_SM": str(self.directory / "requests")} if self.hardened else {}
        leds = {"SIM_LEDS": str(self.leds)} if self.leds else {}
        leds |= {"SIM_REGISTERS": str(self.registers)} if self.registers else {}
        return self.fabric.env_for(self.host, "libsimreports.so") | beside | protected | hardened | leds

    def sa_requests(self):
        """Method, attribute and fate of each request to the hardened subnet manager."""
        return [tuple(line.split()) for line in (self.directory / "requests").read_text().splitlines()]

    def stop(self):
        """Stops it with SIGTERM, returns its exit status."""
        return self.process.stop(signal.SIGTERM)

    def kill(self):
        """Kills it, as a crash would."""
        self.process.kill()
        self.fabric.forget(self.process)

    @property
    def log(self):
        return self.process.log_text()

    def control(self, *arguments, check=True):
        """Runs ibtrapctl, returns the completed process."""
        done = subprocess.run([IBTRAPCTL, "--socket", self.socket, *map(str, arguments)], capture_output=True,
                              text=True, timeout=DEADLINE, check=False)
        if check and done.returncode != 0:
            raise LabError(f"ibtrapctl {arguments}: {done.stderr}")
        return done

    def journal(self):
        """All events in the journal, oldest first."""
        lines = self.control("--file", self.state / "journal.db", "journal", "export").stdout.splitlines()
        return [json.loads(line) for line in lines]

    def has_taken(self, mib):
        """Whether it ever had so much memory. False under a checker, which takes memory, too."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        sanitized = re.search(r"^IBTRAPD_SANITIZE:\w+=.", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) >> 10 >= mib and not sanitized and not WRAPPER

    def status(self):
        """ibtrapctl's status as JSON; None: there is no control socket yet."""
        done = self.control("status", "--json", check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def status_text(self):
        """ibtrapctl's status as text."""
        return self.control("status").stdout

    def listed_alarms(self, *options):
        """The alarms that ibtrapctl lists. "--all": also those that follow from others, or that somebody has handled."""
        return json.loads(self.control("alarms", *options, "--json").stdout)["alarms"]

    def receiver(self, name):
        """What ibtrapctl says of a receiver."""
        listed = json.loads(self.control("receivers", "--json").stdout)["receivers"]
        return next(one for one in listed if one["name"] == name)

    def wait_told(self, name, timeout=DEADLINE):
        """Waits until a receiver has all events so far."""
        wait_until(lambda: self.receiver(name)["queued"] == 0, f"the receiver {name} to have all", timeout)

    def sweeps(self):
        """How many sweeps it has finished."""
        return self.status()["sweep"]["sweeps"]

    def wait_swept(self, count=1):
        """Waits until it has finished that many more sweeps."""
        before = self.sweeps()
        return self.wait_status(lambda one: one["sweep"]["sweeps"] >= before + count, "ibtrapd to sweep")

    def subscriptions(self):
        """The state of each subscription, by trap number as text."""
        status = self.status()
        return {str(one["trap"]): one["state"] for one in status["subscriptions"]} if status else {}

    def counter(self, name):
        return self.status()["counters"][name]

    def wait_status(self, predicate, what, timeout=DEADLINE):
        """Waits until the status fulfils the predicate, returns the status."""

        def good():
            self.process.check()
            status = self.status()
            return status if status and predicate(status) else None

        try:
            return wait_until(good, what, timeout, interval=0.1)
        except LabError as error:
            raise LabError(f"{error}\nibtrapd's log:\n{self.log[-3000:]}") from None

    def wait_nodes(self, count):
        """Waits until it knows so many nodes; nets/small.net has 8."""
        status = self.wait_status(lambda one: one["sweep"]["nodes"] == count, "ibtrapd to know the fabric")
        self._wait_fabric()
        return status

    def wait_counters(self):
        """Waits until it has read the counters of the fabric."""
        self.wait_status(lambda one: one["port_counters"]["last"], "the counters to be read")
        self._wait_fabric()

    def _wait_fabric(self):
        """A status has a sweep before the pipeline has taken the sweep in."""
        wait_until(lambda: self.control("topology", check=False).returncode == 0, "the fabric of the first sweep")

    def wait_subscribed(self, except_for=(), timeout=DEADLINE):
        """Waits until every subscription except the named ones is subscribed."""

        def all_stand(status):
            waiting = [one for one in status["subscriptions"] if one["state"] != "subscribed"]
            return status["subscriptions"] and {str(one["trap"]) for one in waiting} <= set(except_for)

        return self.wait_status(all_stand, "ibtrapd to subscribe", timeout)

    def _write_config(self):
        key_file = None
        if self._sa_key is not None:
            key_file = secret_file(self.directory, "sa.key", self._sa_key, self._sa_key_mode)
        self.config.write_text(
            section("fabric", sa_key_file=key_file, **self._fabric_items)
            + section("sweep", **self._sweep)
            + section("counters", **self._counters)
            + section("journal", directory=self.state)
            + section("gateway", name=self.host)
            + self._policy
            + "".join(self._receivers)
            + section("control", socket=self.socket)
            + section("log", level="debug")
        )


def begin_alone(fabric, more, **options):
    """Starts a gateway on a machine without an adapter, and waits until it answers. more: further sections."""
    gateway = fabric.keep(Gateway(fabric, preload=False, more=more, **options))
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    return gateway


def without_service_user():
    """An environment in which root checks a configuration as root, also where a package has made the user ibtrapd."""
    return os.environ | {"LD_PRELOAD": f"{PROGRAMS / 'libnouser.so'} {os.environ.get('LD_PRELOAD', '')}".strip()}


def check_config(text, directory):
    """Runs ibtrapd --check-config on a configuration. Returns the exit status and the output."""
    config = pathlib.Path(directory) / "ibtrapd.conf"
    config.write_text(text)
    done = subprocess.run([IBTRAPD, "--check-config", "--modules", MODULES, "--config", config], capture_output=True, text=True,
                          timeout=DEADLINE, check=False, env=without_service_user())
    return done.returncode, done.stdout + done.stderr


def subscriptions_at_sm(fabric, gateway_host="monitor", host="node2"):
    """How many of the gateway's subscriptions the subnet manager lists. Its list is one MAD, which has room for a few
    only."""
    subscriber = ipaddress.IPv6Address(fabric.gid_of(gateway_host))
    return fabric.run(["saquery", "IIR"], host).count(f"SubscriberGID...........{subscriber}\n")
