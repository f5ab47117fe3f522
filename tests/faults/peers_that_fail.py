# SPDX-License-Identifier: BSD-2-Clause
"""Misbehaving receivers of syslog over TCP, each in a thread."""

import contextlib
import re
import select
import socket
import ssl
import threading
import time

GUID = re.compile(rb'systemImageGuid="0x([0-9a-f]+)"')


def receive(client, most):
    """Reads from the connection; empty: it ended for whatever reason."""
    try:
        return client.recv(most)
    except OSError:
        return b""


class Receiver(threading.Thread):
    """Accepts connections one after the other. `numbers` has the messages that arrived complete."""

    def __init__(self, listening=None):
        super().__init__(daemon=True)
        self.socket = listening or socket.create_server(("127.0.0.1", 0))
        self.socket.listen()
        self.numbers = []
        self.connections = 0
        self.ended = False
        self._client = None

    @property
    def address(self):
        return "%s:%d" % self.socket.getsockname()[:2]

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def run(self):
        while not self.ended:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            with client:
                self._client = client
                self.serve(client)

    def drop(self):
        """Ends the present connection."""
        self._client.shutdown(socket.SHUT_RDWR)

    def serve(self, client):
        self.read(client, most=1 << 62)

    def read(self, client, most):
        """Reads that many octets; records the complete frames."""
        octets, size = b"", 0
        while size < most and (piece := receive(client, min(65536, most - size))):
            size += len(piece)
            octets = self.take_frames(octets + piece)

    def take_frames(self, octets):
        while (space := octets.find(b" ")) > 0 and len(octets) > space + int(octets[:space]):
            end = space + 1 + int(octets[:space])
            found = GUID.search(octets[:end])
            if found and b"system-image-guid-change" in octets[:end]:
                self.numbers.append(int(found[1], 16))
            octets = octets[end:]
        return octets


class TlsReceiver(Receiver):
    """The same with TLS."""

    def __init__(self, certificate):
        super().__init__()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate.cert, certificate.key)

    def serve(self, client):
        with contextlib.suppress(OSError), self._context.wrap_socket(client, server_side=True) as self._client:
            super().serve(self._client)


class RelpBreaker(Receiver):
    """Closes in the middle of a RELP frame several times, and then behaves correctly."""

    FRAME = re.compile(rb"(\d+) (\w+) (\d+) ?")

    def __init__(self, times):
        super().__init__()
        self.times = times

    def serve(self, client):
        octets, left = b"", 1777 * self.connections if self.connections <= self.times else 1 << 62
        while left > 0 and (piece := receive(client, min(65536, left))):
            left -= len(piece)
            octets = self.confirm(client, octets + piece)

    def confirm(self, client, octets):
        while (head := self.FRAME.match(octets)) and len(octets) > head.end() + int(head[3]):
            end = head.end() + int(head[3])
            found = GUID.search(octets[:end])
            if found and b"system-image-guid-change" in octets[:end]:
                self.numbers.append(int(found[1], 16))
            answer = b"200 OK\nrelp_version=0\ncommands=syslog" if head[2] == b"open" else b"200 OK"
            try:
                client.sendall(b"%s rsp %d %s\n" % (head[1], len(answer), answer))
            except OSError:
                return b""
            octets = octets[end + 1:]
        return octets


class Talker(Receiver):
    """Never stops talking: repeats `words`, after an answer to the first octets if there is one."""

    def __init__(self, words, answer=None):
        super().__init__()
        self.words, self.answer = words, answer

    def serve(self, client):
        with contextlib.suppress(OSError):
            if self.answer:
                client.recv(65536)
                client.sendall(self.answer)
            while True:
                client.sendall(self.words)


class TalkingManager(threading.Thread):
    """An SNMP manager that repeats an answer to another request for ever."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.ended = False

    @property
    def address(self):
        return "127.0.0.1:%d" % self.socket.getsockname()[1]

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.socket.close()

    def run(self):
        """Follows the gateway from one socket to the next."""
        self.socket.settimeout(0.05)
        answer, sender = None, None
        while not self.ended:
            with contextlib.suppress(OSError):
                if answer is None or self._came():
                    datagram, sender = self.socket.recvfrom(65536)
                    answer = other_answer(datagram)
                self.socket.sendto(answer, sender)

    def _came(self):
        return bool(select.select([self.socket], [], [], 0)[0])


def other_answer(inform):
    """The answer to an inform, with another request-id."""
    octets = bytearray(inform)
    tag = octets.index(b"public\xa6") + 6
    octets[tag] = 0xA2
    number = tag + 2 + (octets[tag + 1] & 0x7F if octets[tag + 1] & 0x80 else 0)
    octets[number + 1 + octets[number + 1]] ^= 0x55
    return bytes(octets)


class Sleeper(Receiver):
    """Reads nothing until it is woken, so that the TCP windows fill."""

    def __init__(self, listening=None):
        super().__init__(listening)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.awake = threading.Event()

    def serve(self, client):
        self.awake.wait()
        super().serve(client)


class LateManager(threading.Thread):
    """An SNMP manager that answers informs after some seconds."""

    def __init__(self, decode, late, at=("127.0.0.1", 0)):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(at)
        self.decode, self.late = decode, late
        self.came = []
        self.waiting = []

    @property
    def address(self):
        return "127.0.0.1:%d" % self.socket.getsockname()[1]

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.socket.close()

    def run(self):
        self.socket.settimeout(0.05)
        while True:
            try:
                datagram, sender = self.socket.recvfrom(65536)
                self.came.append(self.decode(datagram))
                self.waiting.append((time.monotonic() + self.late, datagram.replace(b"public\xa6", b"public\xa2", 1), sender))
            except TimeoutError:
                pass
            except OSError:
                return
            while self.waiting and self.waiting[0][0] < time.monotonic():
                _, answer, sender = self.waiting.pop(0)
                self.socket.sendto(answer, sender)
