# SPDX-License-Identifier: BSD-2-Clause
"""Receivers of every kind. Each keeps its own view of the alarms. Some can be away for a while."""

import contextlib
import heapq
import json
import random
import socket
import threading
import time

import peers
from lab import ber
from lab.gateway import section
from lab.own_mib import OWN
from lab.receivers import File, SyslogSink, TrapSocket, syslog_message
from oracle.views import CLEARED, RAISED, Message, View, of_fields

EVENT_ID, EVENT_NAME, ALARM_STATE, ALARM_KEY, EVENT_TEXT = (f"{OWN}.1.1.{number}.0" for number in (1, 2, 6, 7, 17))
STATES = {2: RAISED, 3: CLEARED}
UNNAMED = (None, None, 0)
REQUEST, ANSWER = 0xA6, 0xA2  # an inform; its Response has the same content


def of_notification(notification):
    """A message from a notification that has the objects of the IBTRAPD-MIB; None: it has not."""
    values = {one.oid: one.value for one in notification.varbinds}
    if EVENT_ID not in values:
        return None
    text = {oid: values.get(oid, b"").decode() for oid in (EVENT_ID, EVENT_NAME, ALARM_KEY, EVENT_TEXT)}
    return Message(text[EVENT_ID], text[EVENT_NAME], STATES.get(values.get(ALARM_STATE)), text[ALARM_KEY], "",
                   text[EVENT_TEXT], UNNAMED, UNNAMED)


class Observer:
    """A receiver. Subclasses have an inbox whose items `message` turns into Message or None."""

    can_be_away = False

    def __init__(self, name, receiver_filter=None):
        self.view = View(name, receiver_filter)
        self.name = name
        self._taken = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def poll(self):
        """Takes what arrived since the last call."""
        items = self.inbox.poll()
        new, self._taken = items[self._taken:], len(items)
        for one in filter(None, map(self.message, new)):
            self.view.take(one)

    @property
    def section(self):
        return section(self.kind, self.name, **self.items, **self.view.filter.items)


class Syslog(Observer):
    """RFC 5424 over UDP."""

    kind = "syslog"

    def __enter__(self):
        self.inbox = SyslogSink().__enter__()
        self.items = {"transport": "udp", "address": self.inbox.address}
        return self

    def __exit__(self, *_):
        self.inbox.__exit__()

    def message(self, item):
        return of_fields(item.data, item.text, item.process)


class Lines(File):
    def __init__(self, path):
        super().__init__()
        self.path = path

    def decode(self, entry):
        return entry


class JsonFile(Observer):
    """A file with a JSON object a line. A kill may truncate a line; the next run writes the event again."""

    kind = "file"

    def __init__(self, name, directory, receiver_filter=None):
        super().__init__(name, receiver_filter)
        path = directory / f"{name}.json"
        self.inbox = Lines(path)
        self.items = {"path": path, "sync": False}

    def message(self, item):
        try:
            fields = json.loads(item)
        except ValueError:
            return None
        return of_fields(fields, fields["text"])


class Relp(Observer):
    """rsyslogd with RELP, which can be killed."""

    kind = "syslog"
    can_be_away = True

    def __init__(self, name, directory, receiver_filter=None):
        super().__init__(name, receiver_filter)
        self.inbox = peers.Rsyslogd(directory, "relp")
        self.items = {"transport": "relp", "address": f"127.0.0.1:{self.inbox.port}"}

    def __enter__(self):
        self.inbox.__enter__()
        return self

    def __exit__(self, *_):
        self.inbox.__exit__()

    def leave(self):
        self.inbox.kill()

    def come_back(self):
        self.inbox.__enter__()

    def message(self, item):
        found = syslog_message(item.encode(errors="surrogateescape"))
        return of_fields(found.data, found.text)


class Traps(Observer):
    """SNMP traps. With own=False, those that a manager gets by default, with extra varbinds."""

    kind = "snmp"

    def __init__(self, name, receiver_filter=None, own=True):
        super().__init__(name, receiver_filter)
        self._own = own

    def __enter__(self):
        self.inbox = TrapSocket().__enter__()
        self.items = {"address": self.inbox.address, **({"sets": ["own"]} if self._own else {"extra_varbinds": True})}
        return self

    def __exit__(self, *_):
        self.inbox.__exit__()

    def message(self, item):
        return of_notification(item)


class LossyPath(threading.Thread):
    """A UDP socket that confirms informs. On their way, datagrams are lost or late, also their answers.

    loss: the part that is lost, either way. late: the part that takes longer, up to `delay` seconds. first_loss: the
    part of the informs whose first datagram is lost. lose_first_of: the name of an event; of its informs the first
    datagram is lost. away: all are lost."""

    def __init__(self, seed):
        super().__init__(daemon=True)
        self.loss = self.late = self.delay = self.first_loss = 0.0
        self.lose_first_of = None
        self.away = False
        self.arrived = []
        self._chance = random.Random(seed)
        self._waiting = []  # (when, order, datagram, sender)
        self._met = set()
        self._ended = threading.Event()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self._socket.bind(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._socket.getsockname()[1]

    def run(self):
        while not self._ended.is_set():
            due = self._waiting[0][0] - time.monotonic() if self._waiting else 0.1
            self._socket.settimeout(min(max(due, 0.001), 0.1))
            with contextlib.suppress(TimeoutError, ConnectionError):
                self._set_out(*self._socket.recvfrom(65536))
            while self._waiting and self._waiting[0][0] <= time.monotonic():
                self._arrive(*heapq.heappop(self._waiting)[2:])

    def end(self):
        self._ended.set()
        self.join()
        self._socket.close()

    def _set_out(self, datagram, sender):
        is_first = datagram not in self._met
        self._met.add(datagram)
        if self.away or (is_first and self._loses_first(datagram)) or self._chance.random() < self.loss:
            return
        delay = self._chance.uniform(0, self.delay) if self._chance.random() < self.late else 0
        heapq.heappush(self._waiting, (time.monotonic() + delay, len(self._met) + len(self._waiting), datagram, sender))

    def _loses_first(self, datagram):
        name = self.lose_first_of
        return name and name.encode() in datagram or self._chance.random() < self.first_loss

    def _arrive(self, datagram, sender):
        if self.away:
            return
        self.arrived.append(ber.notification(datagram))
        if self._chance.random() >= self.loss:
            with contextlib.suppress(OSError):
                self._socket.sendto(answer_to(datagram), sender)


def answer_to(datagram):
    """The Response to an inform: the same message with another kind of PDU."""
    message = ber.Reader(ber.Reader(datagram).take(ber.SEQUENCE)[1])
    message.integer()
    message.take(0x04)
    place = len(datagram) - len(message.octets)
    assert datagram[place] == REQUEST
    return datagram[:place] + bytes([ANSWER]) + datagram[place + 1:]


class Inbox:
    def __init__(self, path):
        self.path = path

    def poll(self):
        return self.path.arrived[:]


class Informs(Observer):
    """SNMP informs over a path that loses datagrams."""

    kind = "snmp"
    can_be_away = True

    def __init__(self, name, seed, receiver_filter=None):
        super().__init__(name, receiver_filter)
        self.path = LossyPath(seed)
        self.inbox = Inbox(self.path)
        self.items = {"address": self.path.address, "sets": ["own"], "inform": True, "timeout": 500, "retries": 5}

    def __enter__(self):
        self.path.start()
        return self

    def __exit__(self, *_):
        self.path.end()

    def leave(self):
        self.path.away = True

    def come_back(self):
        self.path.away = False

    def message(self, item):
        return of_notification(item)
