# SPDX-License-Identifier: BSD-2-Clause
"""The receiving side: an SNMP trap socket, snmptrapd, and syslog sinks. All of them are inboxes."""

import pathlib
import re
import select
import socket
import time
from dataclasses import dataclass

from lab import ber
from lab.processes import DEADLINE, LabError, Process
from lab.sockets import free_port


class Inbox:
    """Collects arriving items in order. Subclasses return new items from drain(seconds)."""

    def __init__(self):
        self.items = []

    def poll(self, seconds=0):
        """Waits up to `seconds` for new items, returns all items so far."""
        self.items.extend(self.drain(seconds))
        return self.items

    def wait_for(self, predicate, what, timeout=DEADLINE, count=1):
        """Waits for the first `count` items that fulfil the predicate, and returns them."""
        deadline = time.monotonic() + timeout
        while True:
            found = [item for item in self.poll() if predicate(item)]
            if len(found) >= count:
                return found[:count]
            if time.monotonic() > deadline:
                seen = "\n  ".join(map(str, self.items)) or "nothing"
                raise LabError(f"{len(found)} of {count} {what} within {timeout} s; came:\n  {seen}")
            self.poll(0.2)

    def clear(self):
        """Forgets all items so far."""
        self.poll()
        self.items.clear()


class Socket(Inbox):
    """A datagram socket whose datagrams are decoded as they come."""

    def __init__(self, family, address):
        super().__init__()
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self._socket.bind(address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def drain(self, seconds):
        items = []
        while select.select([self._socket], [], [], 0 if items else seconds)[0]:
            items.append(self.decode(self._socket.recv(65536)))
        return items


def loopback(ipv6):
    return (socket.AF_INET6, "::1") if ipv6 else (socket.AF_INET, "127.0.0.1")


def address_text(name):
    host, port = name[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class TrapSocket(Socket):
    """Receives SNMPv2c notifications as ber.Notification."""

    def __init__(self, ipv6=False):
        family, host = loopback(ipv6)
        super().__init__(family, (host, 0))
        self.address = address_text(self._socket.getsockname())

    decode = staticmethod(ber.notification)


class TrapV1Socket(Socket):
    """Receives SNMPv1 traps as ber.TrapV1."""

    def __init__(self):
        super().__init__(socket.AF_INET, ("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

    decode = staticmethod(ber.trap_v1)


RFC5424 = re.compile(
    r"<(?P<priority>\d{1,3})>1"
    r" (?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d))"
    r" (?P<host>[\x21-\x7e]{1,255})"
    r" (?P<application>[\x21-\x7e]{1,48})"
    r" (?P<process>[\x21-\x7e]{1,128})"
    r" (?P<message_id>[\x21-\x7e]{1,32})"
    r' (?P<data>-|(?:\[[^ ="\]]{1,32}(?: [^ ="\]]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*\])+)'
    r"(?: \ufeff?(?P<text>.*))?",
    re.DOTALL,
)
ELEMENT = re.compile(r'\[([^ ="\]]{1,32})((?: [^ ="\]]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*)\]')
PARAMETER = re.compile(r' ([^ ="\]]{1,32})="((?:[^"\\\]]|\\["\\\]])*)"')
SEVERITIES = ["emergency", "alert", "critical", "error", "warning", "notice", "informational", "debug"]


@dataclass(frozen=True)
class SyslogMessage:
    facility: int
    severity: str
    time: str
    host: str
    application: str
    process: str
    message_id: str
    data_id: str  # name of the first element of structured data
    data: dict  # its parameters
    elements: dict  # of all elements: their parameters by their names
    text: str


def parameters(body, text):
    """The parameters of one element of structured data."""
    pairs = [(name, re.sub(r"\\(.)", r"\1", value)) for name, value in PARAMETER.findall(body)]
    if len(dict(pairs)) != len(pairs):
        raise LabError(f"a parameter comes twice: {text!r}")
    return dict(pairs)


def syslog_message(datagram):
    """Decodes one RFC 5424 message."""
    text = datagram.decode()
    found = RFC5424.fullmatch(text)
    if not found:
        raise LabError(f"not RFC 5424: {text!r}")
    priority = int(found["priority"])
    if priority > 191:
        raise LabError(f"priority {priority}: {text!r}")
    elements = [(name, parameters(body, text)) for name, body in ELEMENT.findall(found["data"])]
    if len(dict(elements)) != len(elements):
        raise LabError(f"an element comes twice: {text!r}")
    data_id, data = elements[0] if elements else ("-", {})
    return SyslogMessage(
        priority // 8, SEVERITIES[priority % 8], found["time"], found["host"], found["application"], found["process"],
        found["message_id"], data_id, data, dict(elements), found["text"] or "",
    )


class SyslogSink(Socket):
    """Receives RFC 5424 messages over UDP, or at the path of a Unix socket."""

    def __init__(self, path=None, ipv6=False):
        if path:
            super().__init__(socket.AF_UNIX, str(path))
            self.address = str(path)
        else:
            family, host = loopback(ipv6)
            super().__init__(family, (host, 0))
            self.address = address_text(self._socket.getsockname())

    decode = staticmethod(syslog_message)


def listening(port, ipv6=False):
    """Whether some program has a UDP socket at a port."""
    table = "/proc/net/udp6" if ipv6 else "/proc/net/udp"
    return f":{port:04X} " in pathlib.Path(table).read_text()


class File(Inbox):
    """A file that a program appends to. Subclasses define the end of an entry and decode entries."""

    ending = "\n"

    def __init__(self):
        super().__init__()
        self._offset = 0

    def drain(self, seconds):
        deadline = time.monotonic() + seconds
        while not (entries := self._new_entries()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return [self.decode(entry) for entry in entries]

    def _new_entries(self):
        if not self.path.exists():
            return []
        with open(self.path, errors="surrogateescape", newline="") as file:
            file.seek(self._offset)
            complete, ending, _ = file.read().rpartition(self.ending)
        self._offset += len((complete + ending).encode(errors="surrogateescape"))
        return complete.split(self.ending) if ending else []


class Rsyslogd(File):
    """rsyslogd, which receives over UDP and writes each message to a file unchanged."""

    CONFIG = """\
global(workDirectory="{work}")
module(load="imudp")
input(type="imudp" address="127.0.0.1" port="{port}")
template(name="asReceived" type="string" string="%rawmsg%\\n")
action(type="omfile" file="{path}" template="asReceived")
"""

    def __init__(self, directory):
        super().__init__()
        self._port = free_port()
        self._work = pathlib.Path(directory) / f"rsyslogd-{self._port}"
        self.path = self._work / "syslog"
        self.address = f"127.0.0.1:{self._port}"

    def __enter__(self):
        self._work.mkdir()
        config = self._work / "rsyslog.conf"
        config.write_text(self.CONFIG.format(work=self._work, port=self._port, path=self.path))
        self._process = Process("rsyslogd", ["/usr/sbin/rsyslogd", "-n", "-f", config, "-i", self._work / "pid"],
                                log=self._work / "log", cwd=self._work)
        self._process.wait_ready(lambda: listening(self._port), "rsyslogd to listen")
        return self

    def __exit__(self, *_):
        self._process.stop()

    def decode(self, entry):
        return syslog_message(entry.encode(errors="surrogateescape"))


BETWEEN_VARBINDS, AFTER_TRAP = "\x1e", "\x1f"
NUMERIC = ["-On", "-Oe", "-Ox"]
PRINTED_TYPES = {
    "INTEGER": "INTEGER", "Gauge32": "Gauge32", "Counter32": "Counter32", "Counter64": "Counter64",
    "Timeticks": "TimeTicks", "OID": "OBJECT IDENTIFIER", "Hex-STRING": "OCTET STRING", "STRING": "OCTET STRING",
}


def printed_varbind(text):
    """Reads one varbind as snmptrapd prints it with numeric OIDs, types and hexadecimal strings."""
    oid, value = text.strip().split(" = ", 1)
    kind, content = ("STRING", "") if value == '""' else value.split(": ", 1)
    return ber.Varbind(oid.lstrip("."), PRINTED_TYPES[kind], _printed_value(kind, content))


def _printed_value(kind, content):
    if kind == "Hex-STRING":
        return bytes.fromhex(content)
    if kind == "STRING":
        return content.strip('"').encode()
    if kind == "OID":
        return content.strip().lstrip(".")
    return int(re.search(r"-?\d+", content)[0])


def printed_notification(text):
    """Reads one notification as snmptrapd prints it with the options of NUMERIC."""
    varbinds = [printed_varbind(part) for part in text.split(BETWEEN_VARBINDS) if part.strip()]
    return ber.Notification("", varbinds[0].value, varbinds[1].value, tuple(varbinds[2:]))


class Snmptrapd(File):
    """net-snmp's snmptrapd on the loopback. Without MIB directories, items are ber.Notification; with them, text."""

    ending = AFTER_TRAP

    def __init__(self, directory, mibs=(), ipv6=False, output=()):
        super().__init__()
        self._mibs = [str(path) for path in mibs]
        self._options = list(output) or NUMERIC
        self._ipv6 = ipv6
        self._port = free_port()
        self._work = pathlib.Path(directory) / f"snmptrapd-{self._port}"
        self.path = self._work / "traps"
        self.address = address_text((loopback(ipv6)[1], self._port))

    def __enter__(self):
        self._work.mkdir()
        config = self._work / "snmptrapd.conf"
        config.write_text("disableAuthorization yes\n")
        self._process = Process(
            "snmptrapd",
            ["/usr/sbin/snmptrapd", "-f", "-n", "-C", "-c", config, "-p", self._work / "pid", "-Lf", self.path,
             "-F", f"%V{BETWEEN_VARBINDS}%v{AFTER_TRAP}", "-M", ":".join(self._mibs), "-m", "ALL" if self._mibs else "",
             *self._options, f"{'udp6' if self._ipv6 else 'udp'}:{self.address}"],
            log=self._work / "log",
            cwd=self._work,
            env={"SNMP_PERSISTENT_DIR": str(self._work), "SNMPCONFPATH": str(self._work)},
        )
        self._process.wait_ready(lambda: listening(self._port, self._ipv6), "snmptrapd to listen")
        return self

    def __exit__(self, *_):
        self._process.stop()

    def decode(self, entry):
        text = entry.split("\n", 1)[1] if entry.startswith("NET-SNMP version") else entry
        return text if self._mibs else printed_notification(text)
