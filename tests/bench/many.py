#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures what many receivers of mixed kinds cost: how long the subnet manager waits for its acknowledgements while
Reports come at 20,000 a second, the processor time of each receiver beside that of a bare loop, and whether a dead or a
slow receiver spoils the time to another one. Prints tables on standard error, JSON on standard output.

    many.py [RECEIVERS...]          # 1 4 16 64"""

import contextlib
import selectors
import socket
import statistics
import sys
import threading
import time

import drive
import report
from lab.gateway import section
from lab.sockets import free_port

COUNTS = (1, 4, 16, 64)
RATE, REPORTS = 20000, 40000  # enough that the journal's file, not only its memory, is read
QUIET_RATE, QUIET_REPORTS, QUIET_COUNT = 1000, 5000, 8
BARE = 200000
SHARES = ("p50", "p99")


class Peers(contextlib.ExitStack):
    """The receivers' ends, which cost as little as may be: a UDP port that nobody reads, so that the kernel drops what
    comes; a TCP port whose connections the kernel empties; and one that reads a few octets a second."""

    def __enter__(self):
        self.datagrams = self.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.datagrams.bind(("127.0.0.1", 0))
        self._selector = self.enter_context(selectors.DefaultSelector())
        self.fast, self.slow = self._listen("fast"), self._listen("slow")
        self._octets, self._end = bytearray(1 << 22), threading.Event()
        thread = threading.Thread(target=self._serve)
        thread.start()
        self.callback(thread.join)
        self.callback(self._end.set)
        return self

    def _listen(self, kind):
        listener = self.enter_context(socket.create_server(("127.0.0.1", 0), backlog=128))
        self._selector.register(listener, selectors.EVENT_READ, kind)
        return listener

    def _serve(self):
        while not self._end.is_set():
            for key, _ in self._selector.select(0.2):
                if isinstance(key.data, str):
                    self._accept(key.fileobj, key.data)
                elif not key.fileobj.recv_into(self._octets, 0, socket.MSG_TRUNC):
                    self._selector.unregister(key.fileobj)
            time.sleep(0.002)  # so that a sender need not wake this thread for each message

    def _accept(self, listener, kind):
        connection = self.enter_context(listener.accept()[0])
        if kind == "fast":
            self._selector.register(connection, selectors.EVENT_READ, None)
        else:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)


def port_of(listener):
    return listener.getsockname()[1]


def kinds(peers, directory):
    """One of each kind: the kind's name, and the section's kind and items."""
    return [("v2c", "snmp", {"address": f"127.0.0.1:{port_of(peers.datagrams)}"}),
            ("v3", "snmp", {"address": f"127.0.0.1:{port_of(peers.datagrams)}", **drive.v3(directory)}),
            ("tcp", "syslog", {"address": f"127.0.0.1:{port_of(peers.fast)}", "transport": "tcp"}),
            ("file", "file", {"path": "/dev/null"})]


def sections(peers, count):
    """Returns a function that makes so many receivers, the kinds in turn."""
    def make(directory):
        mixed = kinds(peers, directory)
        return "".join(section(mixed[i % len(mixed)][1], f"{i:02}-{mixed[i % len(mixed)][0]}", rate=0,
                               events=["gid-in-service"], **mixed[i % len(mixed)][2]) for i in range(count))
    return make


def load(count):
    with Peers() as peers:
        done = drive.flood(sections(peers, count), reports=REPORTS, rate=RATE, **{"await": count})
    behind = [one["behindMs"] for one in done["receivers"]]
    if None in behind:
        raise SystemExit("not every receiver got all events")
    cpu = {}
    for one in done["receivers"]:
        cpu.setdefault(one["name"].partition("-")[2], []).append(one["cpuMs"] * 1000 / REPORTS)
    return {"receivers": count, "answerMs": {share: done["answerMs"][share] for share in SHARES},
            "cpuUs": done["cpuUs"], "receiverCpuUs": {kind: statistics.mean(all_) for kind, all_ in cpu.items()},
            "behindMs": {"least": min(behind), "most": max(behind)}}


def bare():
    """The bare loops' processor time for each event."""
    with Peers() as peers:
        port = port_of(peers.datagrams)
        return {"v2c": drive.run("bench-bare-snmp", "2c", "trap", port, BARE, 1)["cpuUs"],
                "v3": drive.run("bench-bare-snmp", "3", "trap", port, BARE, 1)["cpuUs"],
                "tcp": drive.run("bench-bare-syslog", "tcp", port_of(peers.fast), BARE)["cpuUs"]}


def beside(other):
    """The time from Report to datagram at one receiver, among others of which one may be dead or slow."""
    with Peers() as peers:
        sink = free_port()
        bad = {"dead": ("snmp", {"address": f"127.0.0.1:{free_port()}", "inform": True}),
               "dead connection": ("syslog", {"address": f"127.0.0.1:{free_port()}", "transport": "tcp"}),
               "slow": ("syslog", {"address": f"127.0.0.1:{port_of(peers.slow)}", "transport": "relp"})}

        def make(directory):
            text = section("snmp", "measured", address=f"127.0.0.1:{sink}", events=["gid-in-service"], rate=0)
            text += sections(peers, QUIET_COUNT - 1)(directory)
            if other in bad:
                text += section(bad[other][0], "bad", events=["gid-in-service"], rate=0, **bad[other][1])
            return text
        done = drive.flood(make, reports=QUIET_REPORTS, rate=QUIET_RATE, sink=sink, **{"await": QUIET_COUNT})
    return {"beside": other, "datagramMs": {share: done["datagramMs"][share] for share in SHARES},
            "answerMs": {share: done["answerMs"][share] for share in SHARES}}


def main():
    counts = [int(word) for word in sys.argv[1:]] or COUNTS
    compared, loads, rows = bare(), [], []
    for count in counts:
        one = load(count)
        loads.append(one)
        rows.append([count, *(float(one["answerMs"][share]) for share in SHARES), one["cpuUs"],
                     *(one["receiverCpuUs"].get(kind, "") for kind in ("v2c", "v3", "tcp", "file")),
                     one["behindMs"]["least"], one["behindMs"]["most"]])
    rows.append(["bare", "", "", "", compared["v2c"], compared["v3"], compared["tcp"], "", "", ""])
    report.table(["receivers", "answered p50 ms", "p99", "CPU us/event", "of it each v2c", "v3", "tcp", "file",
                  "first had all after ms", "last"], rows)
    spoiled = [beside(other) for other in ("none", "dead", "dead connection", "slow")]
    report.table(["one more receiver is", "trap p50 ms", "p99", "answered p50", "p99"],
                 [[one["beside"], *(float(one[what][share]) for what in ("datagramMs", "answerMs") for share in SHARES)]
                  for one in spoiled])
    report.emit("many", [{"bareCpuUs": compared}, *loads, *spoiled])


if __name__ == "__main__":
    main()
