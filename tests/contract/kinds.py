# SPDX-License-Identifier: BSD-2-Clause
"""Every kind of receiver, one entry each: its peer, its section of the configuration, and what it promises.

The kind alertmanager is not here: it promises nothing about events. It posts the alarms that are active, none for what
began and ended in an outage, and again what was confirmed; integration/test_alertmanager.py holds it to that."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field

import stupid
from lab.gateway import MODULES, section
from lab.kafka import BROKER

EVENT = "system-image-guid-change"


@dataclass(frozen=True, eq=False)
class Kind:
    """`make(site)` returns a peer, which is a context manager; `items` are those of its section, beside the address."""

    name: str
    section: str
    make: Callable
    items: dict = field(default_factory=dict)
    at: str = "address"  # the item that has the peer's address
    confirms: bool = False  # the peer's program confirms each event; else only the kernel has it
    refuses: bool = False  # this peer can refuse one event; Kafka's can in integration/test_kafka.py
    keeps: bool = True  # what is sent while the peer is away waits; else it is lost, as over UDP
    answers: bool = True  # the peer can send something
    dies: bool = True  # the peer can go away while the receiver is open
    ahead: bool = True  # the receiver sends on while nothing is confirmed, and the peer shows it
    tls: bool = False
    many: dict = field(default_factory=dict)  # items with which an answer may be long
    runs: Callable = lambda: True  # whether this machine can have such a peer

    def text(self, site, peer, name=None, **more):
        """Its section of the configuration."""
        tls = {"ca_file": site.authority.file} if self.tls else {}
        return section(self.section, name or self.name, **{self.at: peer.address, "events": [EVENT]} | self.items | tls | more)


def secured(peer):
    """Makes a peer of that class, with a certificate."""
    def make(site):
        made = peer()
        made.secure(site.certificate)
        return made
    return make


def plain(peer):
    return lambda site: peer()


INFORMS = {"inform": True, "timeout": 1000, "retries": 1}
ALL = [
    Kind("trap", "snmp", plain(stupid.Traps), {"extra_varbinds": True}, keeps=False, answers=False),
    Kind("inform-v2c", "snmp", plain(stupid.Informs), {"extra_varbinds": True} | INFORMS, confirms=True, refuses=True),
    Kind("inform-v3", "snmp", plain(stupid.InformsV3), {"version": "3", "user": "somebody"} | INFORMS, confirms=True,
         refuses=True),
    Kind("agentx", "agentx", lambda site: stupid.AgentxMaster(site.directory), {"extra_varbinds": True}, at="socket",
         confirms=True, refuses=True),
    Kind("syslog-udp", "syslog", plain(stupid.SyslogUdp), {"transport": "udp"}, keeps=False, answers=False),
    Kind("syslog-tcp", "syslog", plain(stupid.SyslogTcp), {"transport": "tcp"}),
    Kind("syslog-tls", "syslog", secured(stupid.SyslogTls), {"transport": "tls"}, tls=True),
    Kind("relp", "syslog", plain(stupid.Relp), {"transport": "relp"}, confirms=True, refuses=True),
    Kind("relp-tls", "syslog", secured(stupid.RelpTls), {"transport": "relp-tls"}, confirms=True, refuses=True, tls=True),
    Kind("file", "file", lambda site: stupid.Directory(site.directory, f"out-{next(site.names)}"), at="path",
         answers=False, dies=False),
    Kind("journald", "syslog", plain(stupid.Journal), {"transport": "local", "format": "rfc3164"}, at="path",
         answers=False, runs=lambda: os.access(stupid.Journal.HOME, os.W_OK)),
    Kind("kafka", "kafka", plain(stupid.Kafka), {"settings": ["linger.ms=0"]}, at="brokers", confirms=True,
         answers=False, ahead=False, runs=lambda: BROKER.exists() and shutil.which("kcat")),
    Kind("http", "http", plain(stupid.Http), at="url", confirms=True, refuses=True, ahead=False,
         many={"format": "elasticsearch", "batch": 512, "index": "many"},
         runs=lambda: (MODULES / "http.so").exists()),
]
