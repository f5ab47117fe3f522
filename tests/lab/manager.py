# SPDX-License-Identifier: BSD-2-Clause
"""A manager of SNMPv2c informs, in a thread, that loses or refuses what the test says."""

import contextlib
import socket
import threading

from lab import ber
from lab.own_mib import OWN

LOST = "lost"  # it never got the datagram
GEN_ERR = 5  # RFC 3416 3


def event_name(notification):
    """ibtrapdEventName, or None."""
    return next((one.value.decode() for one in notification.varbinds if one.oid == f"{OWN}.1.1.2.0"), None)


def event_id(notification):
    """ibtrapdEventId, or None."""
    return next((one.value.decode() for one in notification.varbinds if one.oid == f"{OWN}.1.1.1.0"), None)


def response(datagram, status):
    """The answer to an inform: the same message with the tag of a response and an error status."""
    content = ber.Reader(datagram).take(ber.SEQUENCE)[1]
    message = ber.Reader(content)
    message.integer()
    message.take(0x04)
    pdu = ber.Reader(message.take(ber.INFORM)[1])
    pdu.integer()
    at = len(datagram) - len(pdu.octets)  # of the error status, 02 01 00; the PDU ends the message
    answer = bytearray(datagram)
    answer[at + 2] = status
    tag = datagram.index(bytes([ber.INFORM]), len(datagram) - len(content))
    answer[tag] = 0xA2
    return bytes(answer)


class AnsweringManager(threading.Thread):
    """Answers each inform. `verdict(notification)` returns LOST, an error status, or 0, which takes it.

    `taken` has the notifications that it took, `refused` those that it refused, in the order of arrival."""

    def __init__(self, verdict=lambda notification: 0):
        super().__init__(daemon=True)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(0.2)
        self._verdict = verdict
        self._ended = False
        self.taken, self.refused, self.lost = [], [], []

    @property
    def port(self):
        return self._socket.getsockname()[1]

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._ended = True
        self.join()
        self._socket.close()

    def run(self):
        while not self._ended:
            with contextlib.suppress(TimeoutError, ConnectionError):
                self._answer(*self._socket.recvfrom(65536))

    def _answer(self, datagram, sender):
        notification = ber.notification(datagram)
        verdict = self._verdict(notification)
        if verdict == LOST:
            self.lost.append(notification)
            return
        (self.refused if verdict else self.taken).append(notification)
        self._socket.sendto(response(datagram, verdict), sender)
