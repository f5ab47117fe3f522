# SPDX-License-Identifier: BSD-2-Clause
"""Nodes with hostile names: the output at receivers, terminals and logs."""

import json
import pathlib
import re
import unicodedata

import pytest
from lab.fabric import Fabric
from lab.gateway import Gateway, section
from lab.metrics import scrape
from lab.receivers import Socket, SyslogSink, TrapSocket, address_text, loopback
from lab.sockets import free_port

# Names that the simulator's file can hold: up to 63 octets, no double quote, no end of line.
NAMES = {
    "leaf2": b"\x1b[2J\x1b]0;owned\x07 %n%s {mkey}[x] $(reboot)`id`;|",
    "node1": b"] [forged@1 x=y] \\ msg=forged|sev=10\\=\\|\tcat=",
    "node2": b"\xff\xfe\xc0\xaf\xed\xa0\x80 \xc2\x9b2J \x7f\x08\x08",
    "storage1": b"x" * 62 + b"\xc3",
}
FORMATS = ["rfc3164", "ecs", "cef", "leef"]


class Lines(Socket):
    """The datagrams, undecoded."""

    def __init__(self):
        family, host = loopback(False)
        super().__init__(family, (host, 0))
        self.address = address_text(self._socket.getsockname())

    decode = staticmethod(bytes)


@pytest.fixture
def net(tmp_path):
    text = (pathlib.Path(__file__).parents[1] / "lab/nets/small.net").read_bytes()
    for name, octets in NAMES.items():
        text = re.sub(rb'(?m)^((?:Hca|Switch)\s+\d+ "' + name.encode() + rb'").*$',
                      lambda found: found[1] + b' # "' + octets + b'"', text)  # noqa: B023
    path = tmp_path / "hostile.net"
    path.write_bytes(text)
    return path


def harmful(text, allowed=""):
    """Control characters, and characters that change the direction of writing or end a line."""
    return [one for one in text if one not in allowed and (unicodedata.category(one) in ("Cc", "Zl", "Zp", "Cs"))]


def text_of(octets):
    return octets.decode()  # raises an exception unless it is UTF-8


def json_of(datagram):
    return json.loads(datagram[datagram.index("{"):])


def check_lines(lines, fmt):
    texts = [text_of(one) for one in lines.poll(0.5)]
    assert texts
    for text in texts:
        assert harmful(text, "\t" if fmt == "leef" else "") == [], fmt
        if fmt == "ecs":
            assert json_of(text)["ecs"]["version"]
        if fmt == "leef":
            assert text.count("\tsev=") == 1 and text.count("\tcat=") == 1
        if fmt == "cef":
            assert len(re.findall(r"(?<!\\) msg=", text)) == 1
    return texts


def test_names_do_no_harm(net):
    with Fabric(net) as fabric, SyslogSink() as syslog, TrapSocket() as traps:
        fabric.subnet_manager().wait_master()
        others = {fmt: fabric.keep(Lines()) for fmt in FORMATS}
        archive, port = fabric.directory / "events.json", free_port()
        more = "".join(section("syslog", fmt, transport="udp", address=one.address, format=fmt)
                       for fmt, one in others.items()) + section("file", "archive", path=archive)
        more += section("metrics", listen=f"127.0.0.1:{port}", ports="all")
        gateway = fabric.keep(Gateway(fabric, snmp=[traps.address], syslog=[syslog.address], more=more,
                                      sweep={"method": "smp", "interval": 3600, "settle": 300}))
        gateway.wait_subscribed()
        gateway.wait_nodes(8)
        fabric.unlink("leaf2")
        dead = syslog.wait_for(lambda one: one.message_id == "switch-removed", "the dead switch")[0]
        fabric.unlink("node1")
        syslog.wait_for(lambda one: one.message_id == "host-removed" and "forged" in one.data["subjectName"],
                        "the host")
        fabric.relink("node1")
        fabric.relink("leaf2")
        syslog.wait_for(lambda one: one.message_id == "switch-added", "the switch's return")

        assert "?[2J?]0;owned? %n%s {mkey}[x] $(reboot)`id`;|" in dead.text
        for one in syslog.poll(0.5):  # each of them was parsed as RFC 5424
            assert one.data_id.startswith("ibtrapd@") and "forged@1" not in one.elements
            assert harmful(one.text + "".join(one.data.values())) == []
        told = {one.data["subjectName"] for one in syslog.poll() if "subjectName" in one.data}
        assert any(one.startswith("] [forged@1 x=y] \\ msg=forged|sev=10\\=\\|?cat=") for one in told)
        for fmt, lines in others.items():
            assert any("owned" in text for text in check_lines(lines, fmt)), fmt
        for line in archive.read_text(encoding="utf-8").split("\n")[:-1]:
            assert harmful(line) == [] and json.loads(line)["event"]
        strings = [one.value for trap in traps.poll() for one in trap.varbinds
                   if isinstance(one.value, bytes) and b"owned" in one.value]
        assert strings and all(harmful(text_of(one)) == [] for one in strings)

        for command in ("status", "topology", "topology list", "topology diff 1 now", "journal export"):
            arguments = ["--file", gateway.state / "journal.db"] if command.startswith("journal") else []
            assert harmful(gateway.control(*arguments, *command.split()).stdout, "\t\n") == [], command
        nodes = json.loads(gateway.control("topology", "--json").stdout)["nodes"]
        assert {one["description"] for one in nodes} >= {"x" * 62 + "\ufffd", "?[2J?]0;owned? %n%s {mkey}[x] $(reboot)`id`;|"}
        assert harmful(gateway.log, "\n") == []
        labels = {labels["node"] for labels, _ in scrape(port).all_of("ibtrapd_port_state")}
        assert labels >= {"x" * 62 + "\ufffd", "?[2J?]0;owned? %n%s {mkey}[x] $(reboot)`id`;|"}
        assert harmful("".join(labels)) == []
