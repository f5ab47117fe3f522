# SPDX-License-Identifier: BSD-2-Clause
"""Peers that know no more of a protocol than to confirm: they keep the octets of each message, and the number in it.

A peer has an address that it keeps, `came`, a list of (number, octets) in the order of arrival, and these modes:

    GOOD     takes and confirms
    HOLD     takes and does not confirm; a stream without confirmations is not read
    AWAY     is not there
    GARBAGE  sends random octets
    ENDLESS  sends what the protocol allows, without an end
    CLOSE    closes each connection at once; over datagrams, takes and says nothing
    MANY     answers with as many values as an answer has octets for; where a protocol has no such values, as ENDLESS

`refused` has the numbers that it refuses, where the protocol can."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import struct
import threading
import time

from lab import http_server
from lab.kafka import MockCluster, consume
from lab.processes import DEADLINE, LabError, wait_until
from lab.sockets import free_port

GOOD, HOLD, AWAY, GARBAGE, ENDLESS, CLOSE, MANY = "good", "hold", "away", "garbage", "endless", "close", "many"

# Where the number of a Report is in each encoding.
SYSLOG = re.compile(rb'systemImageGuid="0x([0-9a-f]{16})"')
JSON = re.compile(rb'"systemImageGuid": ?"0x([0-9a-f]{16})"')
JOURNAL = re.compile(rb"^IBTRAPD_SYSTEM_IMAGE_GUID=0x([0-9a-f]{16})$", re.MULTILINE)
# ibSmaSystemImageGuid.0, 1.3.6.1.3.117.3.1.1.6.0, and an OCTET STRING of 8 octets.
BER = re.compile(rb"\x2b\x06\x01\x03\x75\x03\x01\x01\x06\x00\x04\x08(.{8})", re.DOTALL)
AGENTX = re.compile(b"".join(bytes([0, 0, 0, one]) for one in (117, 3, 1, 1, 6, 0, 8)) + rb"(.{8})", re.DOTALL)


def number_in(pattern, octets):
    """The number of the Report in a message; None: there is none."""
    found = pattern.search(octets)
    return None if not found else int.from_bytes(found[1], "big") if len(found[1]) == 8 else int(found[1], 16)


class Peer:
    pattern = SYSLOG

    def __init__(self):
        self.came = []
        self.refused = set()
        self.refusals = []  # the numbers, in the order of arrival
        self.mode = AWAY

    def __enter__(self):
        self.become(GOOD)
        return self

    def __exit__(self, *_):
        self.become(AWAY)

    @property
    def numbers(self):
        return [number for number, _ in self.came]

    def take(self, octets):
        """Keeps a message. False: it refuses it."""
        number = number_in(self.pattern, octets)
        if number in self.refused:
            self.refusals.append(number)
            return False
        if number is not None:
            self.came.append((number, octets))
        return True


class Listener(Peer):
    """Serves a stream: each connection in a thread of its own, until the mode changes."""

    confirms = False

    def __init__(self):
        super().__init__()
        self._listening, self._threads = None, []

    def become(self, mode):
        """What it holds when it becomes GOOD, it then takes. Every other change ends the connections."""
        before, self.mode = self.mode, mode
        if (before, mode) in ((HOLD, GOOD), (GOOD, HOLD)):
            return
        ending, self._listening = self._listening, None
        if ending:
            with contextlib.suppress(OSError):
                ending.shutdown(socket.SHUT_RDWR)
            ending.close()
        for thread in self._threads:
            thread.join(DEADLINE)
        self._threads = []
        if mode != AWAY:
            self._listening = self.listen()
            self._start(self._accept, self._listening, mode)

    def _start(self, work, *arguments):
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listening, mode):
        while True:
            try:
                client, _ = listening.accept()
            except OSError:  # closed
                return
            self._start(self._serve, client, listening)

    def _serve(self, client, listening):
        with contextlib.suppress(OSError), client:
            client.settimeout(0.05)
            if self.mode == CLOSE:
                return
            if self.mode == GARBAGE:
                client.sendall(os.urandom(1000))
            with self.wrap(client) as stream:
                self._talk(stream, listening)

    def _talk(self, stream, listening):
        octets, answers = b"", b""
        while listening is self._listening:
            if self.mode in (ENDLESS, MANY):
                with contextlib.suppress(TimeoutError):
                    stream.sendall(answers + self.endless)
                    answers = b""
            if self.mode == GOOD and answers:
                stream.sendall(answers)
                answers = b""
            if self.mode == HOLD and not self.confirms:
                time.sleep(0.02)
                continue
            try:
                piece = stream.recv(65536)
            except TimeoutError:
                continue
            if not piece:
                return
            octets += piece
            while (size := self.whole(octets)) > 0:
                answers += self.answer(octets[:size]) if self.mode in (GOOD, HOLD) else self.begin(octets[:size])
                octets = octets[size:]

    def listen(self):
        """A socket that listens."""
        return self._tcp()

    def _tcp(self):
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listening.bind(("127.0.0.1", self.port))
        listening.listen()
        return listening

    def wrap(self, client):
        return contextlib.nullcontext(client)

    def whole(self, octets):
        """The length of the message at the begin of the octets; 0: it is not complete."""
        raise NotImplementedError

    def answer(self, message):
        """Takes a message, and returns the answer."""
        self.take(message)
        return b""

    def begin(self, message):
        """The answer of a peer that misbehaves: only to what opens a session."""
        return b""


class Tls:
    """With a certificate: see peers.Authority."""

    def secure(self, certificate):
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate.cert, certificate.key)

    def wrap(self, client):
        client.settimeout(5)
        stream = self._context.wrap_socket(client, server_side=True)
        stream.settimeout(0.05)
        return stream


class SyslogTcp(Listener):
    endless = b"words " * 10000

    def __init__(self):
        super().__init__()
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"

    def whole(self, octets):
        length, space, _ = octets.partition(b" ")
        size = len(length) + 1 + int(length) if space else len(octets) + 1
        return size if size <= len(octets) else 0


class SyslogTls(Tls, SyslogTcp):
    pass


class Relp(Listener):
    confirms = True
    endless = (b"0 hint 1000 " + bytes(1000) + b"\n") * 60
    FRAME = re.compile(rb"(\d+) (\w+) (\d+) ?")

    def __init__(self):
        super().__init__()
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"

    def whole(self, octets):
        head = self.FRAME.match(octets)
        size = head.end() + int(head[3]) + 1 if head else len(octets) + 1
        return size if size <= len(octets) else 0

    def answer(self, message):
        return self._response(message, self.take(message))

    def begin(self, message):
        return self._response(message, True) if b" open " in message[:20] else b""

    def _response(self, message, good):
        number, command = self.FRAME.match(message).group(1, 2)
        text = b"200 OK\nrelp_version=0\ncommands=syslog" if command == b"open" else b"200 OK" if good else b"500 no"
        return b"%s rsp %d %s\n" % (number, len(text), text)


class RelpTls(Tls, Relp):
    pass


class AgentxMaster(Listener):
    """RFC 2741, in network byte order, which is what subagents of ours send."""

    confirms = True
    pattern = AGENTX
    HEADER = struct.Struct(">BBBBIIII")
    OPEN, NOTIFY, PING, RESPONSE, NETWORK_ORDER, PROCESSING_ERROR = 1, 12, 13, 18, 0x10, 268
    endless = (HEADER.pack(1, RESPONSE, NETWORK_ORDER, 0, 1, 1, 1, 8) + bytes(8)) * 2000

    def __init__(self, directory):
        super().__init__()
        self.address = str(directory / f"agentx-{free_port()}")

    def listen(self):
        pathlib.Path(self.address).unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(self.address)
        listening.listen()
        return listening

    def whole(self, octets):
        size = self.HEADER.size + self.HEADER.unpack_from(octets)[7] if len(octets) >= self.HEADER.size else 1 << 30
        return size if size <= len(octets) else 0

    def answer(self, message):
        return self._response(message, 0 if self.take(message) else self.PROCESSING_ERROR)

    def begin(self, message):
        return self._response(message, 0) if message[1] == self.OPEN else b""

    def _response(self, message, error):
        if message[1] == self.RESPONSE:
            return b""
        _, _, _, _, _, transaction, packet, _ = self.HEADER.unpack_from(message)
        head = self.HEADER.pack(1, self.RESPONSE, self.NETWORK_ORDER, 0, 1, transaction, packet, 8)
        return head + struct.pack(">IHH", 0, error, 0)


class Datagrams(Peer):
    """Serves datagrams over UDP, or at the path of a Unix socket."""

    def __init__(self):
        super().__init__()
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self._socket = self._thread = None

    def become(self, mode):
        before, self.mode = self.mode, mode
        if mode == AWAY and before != AWAY:
            self._thread.join(DEADLINE)
            self._socket.close()
        elif mode != AWAY and before == AWAY:
            self._socket = self.bind()
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            self._socket.settimeout(0.02)
            self._thread = threading.Thread(target=self._serve, daemon=True)
            self._thread.start()

    def bind(self):
        bound = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        bound.bind(("127.0.0.1", self.port))
        return bound

    def _serve(self):
        held, last = [], None
        while self.mode != AWAY:
            for datagram, sender in held if self.mode == GOOD else []:
                self._send(self.answer(datagram), sender)
            held = held if self.mode == HOLD else []
            with contextlib.suppress(TimeoutError, ConnectionError):
                last = self._socket.recvfrom(65536)
                held += self._obey(*last)
            if self.mode == ENDLESS and last:
                self._send(self.other(last[0]), last[1])

    def _obey(self, datagram, sender):
        """Returns what it has to answer later."""
        if self.mode == GARBAGE:
            self._send(os.urandom(200), sender)
        if self.mode not in (GOOD, HOLD) or not self.take(datagram):
            if self.mode == GOOD:
                self._send(self.refuse(datagram), sender)
            return []
        if self.mode == HOLD:
            return [(datagram, sender)]
        self._send(self.answer(datagram), sender)
        return []

    def _send(self, octets, sender):
        if octets and sender:
            with contextlib.suppress(OSError):  # its socket is closed
                self._socket.sendto(octets, sender)

    def answer(self, datagram):
        return b""

    other = refuse = answer


class SyslogUdp(Datagrams):
    pass


class Traps(Datagrams):
    pattern = BER


class Journal(Datagrams):
    """The two sockets of a namespace of systemd's journal; root alone may make them."""

    pattern = JOURNAL
    HOME = pathlib.Path("/run/systemd")

    def __init__(self):
        super().__init__()
        self._directory = self.HOME / f"journal.contract-{os.getpid()}-{self.port}"
        self.address = str(self._directory / "dev-log")

    def bind(self):
        shutil.rmtree(self._directory, ignore_errors=True)
        self._directory.mkdir(parents=True)
        self._syslog = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)  # by which the journal is known
        self._syslog.bind(self.address)
        bound = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        bound.bind(str(self._directory / "socket"))
        return bound

    def become(self, mode):
        super().become(mode)
        if mode == AWAY:
            shutil.rmtree(self._directory, ignore_errors=True)


def ber(tag, *parts):
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < 0x80 else bytes([0x82]) + size.to_bytes(2, "big")
    return bytes([tag]) + length + content


def ber_parts(octets):
    """(tag, content) of each value in octets."""
    parts = []
    while octets:
        long = octets[1] & 0x80
        start = 2 + (octets[1] & 0x7F if long else 0)
        size = int.from_bytes(octets[2:start], "big") if long else octets[1]
        parts.append((octets[0], octets[start:start + size]))
        octets = octets[start + size:]
    return parts


class Informs(Datagrams):
    """Answers SNMPv2c informs: the same message with the tag of a response."""

    pattern = BER
    RESPONSE, INFORM, GEN_ERR = 0xA2, 0xA6, 5

    def answer(self, datagram):
        return self._response(datagram, 0)

    def refuse(self, datagram):
        return self._response(datagram, self.GEN_ERR)

    def other(self, datagram):
        return self._response(datagram, 0, 0x55)

    def _response(self, datagram, error, other=0):
        [(_, message)] = ber_parts(datagram)
        version, community, (tag, pdu) = ber_parts(message)
        return ber(0x30, ber(*version), ber(*community), self._pdu(pdu, error, other)) if tag == self.INFORM else b""

    def _pdu(self, pdu, error, other):
        (tag, number), _, index, varbinds = ber_parts(pdu)
        number = number[:-1] + bytes([number[-1] ^ other])
        return ber(self.RESPONSE, ber(tag, number), ber(2, bytes([error])), ber(*index), ber(*varbinds))


class InformsV3(Informs):
    """The same over SNMPv3 without authentication, with an engine that the sender has to discover."""

    ENGINE, REPORT = bytes.fromhex("8000000001020304"), 0xA8
    UNKNOWN_ENGINE_IDS = bytes.fromhex("2b060106030f01010400")  # usmStatsUnknownEngineIDs.0

    def _response(self, datagram, error, other=0):
        [(_, message)] = ber_parts(datagram)
        version, (_, header), (_, usm), (_, scoped) = ber_parts(message)
        (engine, _, _, user, *_) = ber_parts(ber_parts(usm)[0][1])
        number, size, _, model = ber_parts(header)
        context, name, (_, pdu) = ber_parts(scoped)
        answer = self._pdu(pdu, error, other) if engine[1] else self._report(pdu)
        security = ber(0x30, ber(4, self.ENGINE), ber(2, b"\x01"), ber(2, b"\x01"), ber(*user), ber(4), ber(4))
        return ber(0x30, ber(*version), ber(0x30, ber(*number), ber(*size), ber(4, b"\0"), ber(*model)),
                   ber(4, security), ber(0x30, ber(4, context[1] or self.ENGINE), ber(*name), answer))

    def _report(self, pdu):
        counter = ber(0x30, ber(6, self.UNKNOWN_ENGINE_IDS), ber(0x41, b"\x01"))
        return ber(self.REPORT, ber(*ber_parts(pdu)[0]), ber(2, b"\0"), ber(2, b"\0"), ber(0x30, counter))


class Directory(Peer):
    """A file in a directory that is away with it. A file that is open stays, so only the start can fail."""

    pattern = JSON

    def __init__(self, directory, name):
        super().__init__()
        self._directory = directory / name
        self.address = str(self._directory / "events.json")

    def become(self, mode):
        self.mode = mode
        if mode != AWAY:
            self._directory.mkdir(exist_ok=True)
        elif self._directory.is_dir() and not pathlib.Path(self.address).exists():
            self._directory.rmdir()

    @property
    def came(self):
        path = pathlib.Path(self.address)
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        return [(number, line) for line in lines if (number := number_in(self.pattern, line)) is not None]

    @came.setter
    def came(self, _):
        pass


class Kafka(Peer):
    """librdkafka's mock cluster in a program of its own, and kcat, which reads what is in it."""

    pattern = JSON
    SLOW = {GOOD: 0, HOLD: 20000}  # milliseconds

    def __init__(self):
        super().__init__()
        self._cluster = MockCluster(1)
        self.address = self._cluster.brokers
        self._known = []
        self._cluster.tell("single ibtrapd")  # order holds within a partition

    def __exit__(self, *_):
        self._cluster.__exit__()

    def become(self, mode):
        before, self.mode = self.mode, mode
        if mode == AWAY or before == HOLD:
            self._cluster.tell("down")
        if mode != AWAY:
            self._cluster.tell(f"slow {self.SLOW[mode]}")
            self._cluster.tell("up")

    @property
    def came(self):
        if self.mode == GOOD:
            with contextlib.suppress(LabError):  # the broker is not up yet
                self._known = [(int(one["value"]["systemImageGuid"], 16), str(one["value"]).encode())
                               for one in consume(self.address, "ibtrapd") if "systemImageGuid" in one["value"]]
        return self._known

    @came.setter
    def came(self, _):
        pass


class Http(Peer):
    """An HTTP server; a request is an array of events, one request at a time."""

    pattern = JSON
    HOSTILE = {
        GARBAGE: http_server.raw(os.urandom(1000)),
        ENDLESS: http_server.flood("", "HTTP/1.1 100 Continue\r\n\r\n" * 100),
        CLOSE: http_server.close,
        MANY: http_server.answer(200, body='{"errors":true,"items":[' + "{}," * 400_000 + "{}]}"),
    }

    def __init__(self):
        super().__init__()
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}/"
        self._server = None

    def become(self, mode):
        before, self.mode = self.mode, mode
        if (before, mode) in ((HOLD, GOOD), (GOOD, HOLD)):
            return
        if self._server:
            self._server.__exit__()
        self._server = None if mode == AWAY else http_server.Server(self._behave, port=self.port).__enter__()

    def _behave(self, connection, request):
        if self.mode in self.HOSTILE:
            return self.HOSTILE[self.mode](connection, request)
        status = 200 if self._take_all(list(self._events(request.body.decode()))) else 400
        while self.mode == HOLD and not connection.server.done.is_set():
            time.sleep(0.02)
        return self.mode == GOOD and http_server.answer(status)(connection, request)

    def _events(self, text):
        """The octets of each element of the array."""
        decoder, rest = json.JSONDecoder(), text[1:]
        while rest != "]":
            _, end = decoder.raw_decode(rest)
            yield rest[:end].encode()
            rest = rest[end:].lstrip(",\n")

    def _take_all(self, events):
        """Takes all events of a request, or none. A refusal of several refuses none of them: they come again, one by one."""
        refused = [one for one in events if number_in(self.pattern, one) in self.refused]
        return not (refused and len(events) > 1) and all([self.take(one) for one in events])


def wait_took(peer, numbers, what, timeout=300):
    """Waits until the peer has all these numbers."""
    wait_until(lambda: set(numbers) <= set(peer.numbers), f"{what} to have {len(numbers)} events", timeout, interval=0.2)
