# SPDX-License-Identifier: BSD-2-Clause
"""snmptrapd as a manager with every version, transport and user. It can be killed and started again."""

import pathlib
import re
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass

from lab import ber
from lab.fabric import BUILD
from lab.own_mib import OWN
from lab.processes import Process
from lab.receivers import File, listening, printed_varbind
from lab.sockets import free_port, has_ipv6
from peers import Authority, accepting

ANY_TLS = BUILD / "tests" / "receivers" / "any_tls.so"

AUTHS = ["SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"]
PRIVS = ["AES", "AES-192", "AES-256", "AES-192-C", "AES-256-C"]
AUTH_PASSWORD, PRIV_PASSWORD = "an auth password", "a privacy password"
ENGINE_ID = "8000000001020304"

SENDER, FIELD, VARBIND, END = "\x1c", "\x1d", "\x1e", "\x1f"


@dataclass(frozen=True)
class Trap:
    """One notification as snmptrapd prints it; the fields of v1 are empty in other versions."""

    security: str
    agent: str
    enterprise: str
    generic: int
    specific: int
    varbinds: tuple

    @property
    def oid(self):
        return self.value("1.3.6.1.6.3.1.1.4.1.0")

    @property
    def own_varbinds(self):
        """Without sysUpTime.0 and snmpTrapOID.0."""
        return self.varbinds[2:]

    def value(self, oid):
        return next(one.value for one in self.varbinds if one.oid == oid)


def user_names():
    """name -> (auth, priv), None where a level has none."""
    users = {"nobody": (None, None)}
    users |= {f"user-{auth}": (auth, None) for auth in AUTHS}
    users |= {f"user-{auth}-{priv}": (auth, priv) for auth in AUTHS for priv in PRIVS}
    return users


def create_user(name, auth, priv, engine_id):
    """The user's line in snmptrapd.conf: with an engine ID for traps, without one for informs."""
    parts = ["createUser", *(["-e", f"0x{engine_id}"] if engine_id else []), name]
    parts += [auth, f'"{AUTH_PASSWORD}"'] if auth else []
    parts += [priv, f'"{PRIV_PASSWORD}"'] if priv else []
    return " ".join(parts)


def decode_varbind(text):
    oid, value = text.strip().split(" = ", 1)
    if value.startswith("IpAddress: "):
        return ber.Varbind(oid.lstrip("."), "IpAddress", socket.inet_aton(value.split(": ")[1]))
    return printed_varbind(text)


class Certificates:
    """Certificates of a manager and of gateways, from two authorities, because Net-SNMP 5.9.3 frees a common issuer
    twice."""

    def __init__(self, directory):
        self.managers, self.gateways = Authority(directory, "managers"), Authority(directory, "gateways")
        self.manager, self.gateway = self.managers.issue("manager"), self.gateways.issue("gateway")

    def options(self, transport, port):
        """The certificate options of send_events."""
        return {"transport": transport, "version": 3, "port": port, "ca": self.managers.file,
                "cert": self.gateway.cert, "key": self.gateway.key}

    def install(self, configuration):
        """Installs them where snmptrapd finds them, and returns its configuration lines about them."""
        for folder, name, file in [("certs", "manager.pem", self.manager.cert),
                                   ("private", "manager.key", self.manager.key),
                                   ("ca-certs", "gateways.pem", self.gateways.file)]:
            (configuration / "tls" / folder).mkdir(parents=True, exist_ok=True)
            shutil.copy(file, configuration / "tls" / folder / name)
        return ["[snmp] localCert manager", "[snmp] trustCert gateways",
                f"certSecName 10 {self.gateway.fingerprint} --cn"]


class Manager(File):
    """snmptrapd on loopback addresses: UDP and TCP over IPv4, UDP over IPv6; with certificates, TLS and DTLS."""

    ending = END
    FORMAT = FIELD.join(["%P", "%a", "%N", "%w", "%q", f"%V{VARBIND}%v{END}"])

    def __init__(self, directory, sender_engine_id=None, certificates=None):
        super().__init__()
        self.port, self.tls_port = free_port(), free_port()
        self._certificates = certificates
        self._sender_engine_id = sender_engine_id
        self._work = pathlib.Path(directory) / f"snmptrapd-{self.port}"
        self.path = self._work / "traps"

    def __enter__(self):
        self._work.mkdir(parents=True)
        self.start()
        return self

    def __exit__(self, *_):
        self._process.stop()

    def start(self):
        engines = [None, self._sender_engine_id] if self._sender_engine_id else [None]
        lines = ["disableAuthorization yes", f"exactEngineID 0x{ENGINE_ID}"]
        lines += [create_user(name, *kind, engine) for engine in engines for name, kind in user_names().items()]
        lines += self._certificates.install(self._work) if self._certificates else []
        addresses = [f"udp:127.0.0.1:{self.port}", f"tcp:127.0.0.1:{self.port}"]
        addresses += [f"udp6:[::1]:{self.port}"] if has_ipv6() else []
        if self._certificates:
            addresses += [f"tlstcp:127.0.0.1:{self.tls_port}", f"dtlsudp:127.0.0.1:{self.tls_port}"]
        config = self._work / "snmptrapd.conf"
        config.write_text("\n".join(lines) + "\n")
        self._process = Process(
            "snmptrapd",
            ["/usr/sbin/snmptrapd", "-f", "-n", "-C", "-c", config, "-p", self._work / "pid", "-A", "-Lf", self.path,
             "-F", self.FORMAT, "-M", "", "-m", "", "-On", "-Oe", "-Ox",
             *addresses],
            log=self._work / "log",
            cwd=self._work,
            env={"SNMP_PERSISTENT_DIR": str(self._work), "SNMPCONFPATH": str(self._work), "LD_PRELOAD": str(ANY_TLS)},
        )
        self._process.wait_ready(lambda: listening(self.port) and listening(self.port, ipv6=has_ipv6()), "snmptrapd")
        if self._certificates:
            self._process.wait_ready(lambda: listening(self.tls_port) and accepting(self.tls_port), "snmptrapd's TLS")

    def kill(self):
        self._process.stop(signal.SIGKILL)

    def decode(self, entry):
        _, started, rest = entry.rpartition("NET-SNMP version")  # before it: the unfinished output of a killed snmptrapd
        entry = rest.partition("\n")[2] if started else entry
        security, agent, enterprise, generic, specific, varbinds = entry.split(FIELD)
        return Trap(security, agent, enterprise.strip().lstrip("."), int(generic), int(specific.lstrip(".")),
                    tuple(decode_varbind(part) for part in varbinds.split(VARBIND) if part.strip()))


EVENT_ID, EVENT_TEXT = f"{OWN}.1.1.1.0", f"{OWN}.1.1.17.0"


def number_of(trap):
    """The number of the made-up event in a notification."""
    return int(trap.value(EVENT_ID).decode().rsplit("-", 1)[1], 16)


class Sender:
    """The program send_events; its SNMP engine lives in a directory."""

    def __init__(self, program, state):
        self.program, self.state = program, pathlib.Path(state)

    def command(self, *groups):
        words = [str(self.program), f"state={self.state}"]
        for i, group in enumerate(groups):
            words += (["+"] if i else []) + [f"{key}={value}" for key, value in group.items()]
        return words

    def run(self, *groups, timeout=300):
        """Returns its output for each group, and its stderr; fails if the program fails."""
        done = subprocess.run(self.command(*groups), capture_output=True, text=True, timeout=timeout)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines(), done.stderr

    def refuse(self, group):
        done = subprocess.run(self.command({"limit": 2, **group}), capture_output=True, text=True, timeout=300)
        assert done.returncode == 1
        return done.stderr

    def start(self, *groups):
        return subprocess.Popen(self.command(*groups), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    @property
    def engine(self):
        """The saved (engine ID as hexadecimal, boots)."""
        found = re.fullmatch(r"engine-id ([0-9a-f]+)\nboots (\d+)\n", (self.state / "snmp-engine").read_text())
        return found[1], int(found[2])


@dataclass(frozen=True)
class UsmHeader:
    engine_id: str
    boots: int
    time: int
    user: str


def usm_header(datagram):
    """The security parameters of an SNMPv3 message."""
    message = ber.Reader(ber.Reader(datagram).take(ber.SEQUENCE)[1])
    assert message.integer() == 3
    message.take(ber.SEQUENCE)
    usm = ber.Reader(ber.Reader(message.take(0x04)[1]).take(ber.SEQUENCE)[1])
    engine_id = usm.take(0x04)[1].hex()
    return UsmHeader(engine_id, usm.integer(), usm.integer(), usm.take(0x04)[1].decode())


def v3(name):
    """Options of send_events for one of the users."""
    auth, priv = user_names()[name]
    options = {"version": 3, "user": name}
    options |= {"auth": auth, "authpw": AUTH_PASSWORD} if auth else {}
    return options | ({"priv": priv, "privpw": PRIV_PASSWORD} if priv else {})
