# SPDX-License-Identifier: BSD-2-Clause
"""Topology files of ibsim: reads them, and writes random ones."""

import re
from typing import NamedTuple

SWITCH, HOST, ROUTER = "switch", "host", "router"
KINDS = {"Switch": SWITCH, "Hca": HOST, "Ca": HOST, "Rt": ROUTER}
GUIDS = {"switchguid": SWITCH, "caguid": HOST, "rtguid": ROUTER}
PORT = re.compile(r'\[(\d+)\]\s+"(.+?)"\[(\d+)\]')
NODE = re.compile(r'(Switch|Hca|Ca|Rt)\s+(\d+)\s+"(.+?)"')
GUID = re.compile(r"(switchguid|caguid|rtguid)=(0x[0-9a-f]+)")


class End(NamedTuple):
    """One end of a cable."""

    guid: int  # of the node
    port: int


def link(one, other):
    return frozenset({End(*one), End(*other)})


class Node(NamedTuple):
    name: str
    kind: str
    guid: int
    ports: int


class Net:
    """The nodes by GUID, and the links that are plugged at first."""

    def __init__(self, text):
        self.text = text
        self.nodes, self.links = {}, set()
        self._read(text)
        self.by_name = {node.name: node for node in self.nodes.values()}
        self.links = {link((self.by_name[a].guid, p), (self.by_name[b].guid, q)) for a, p, b, q in self.links}

    def _read(self, text):
        guids, name = {}, None
        for line in text.splitlines():
            if found := GUID.match(line):
                guids[GUIDS[found[1]]] = int(found[2], 16)
            elif found := NODE.match(line):
                kind, name = KINDS[found[1]], found[3]
                guid = guids.pop(kind)
                self.nodes[guid] = Node(name, kind, guid, int(found[2]))
            elif found := PORT.match(line):
                self.links.add((name, int(found[1]), found[2], int(found[3])))

    def name(self, guid):
        return self.nodes[guid].name

    def end(self, name, port):
        return End(self.by_name[name].guid, port)

    def words(self, end):
        """An end as a person says it, and as ibsim's console wants it."""
        return f'"{self.name(end.guid)}"[{end.port}]'

    def link_words(self, one):
        return "-".join(self.words(end) for end in sorted(one))

    def ports_of(self, guid):
        return [End(guid, port) for port in range(1, self.nodes[guid].ports + 1)]


PREFIXES = {SWITCH: ("switchguid", 0x0002C90200000000, "Switch"), HOST: ("caguid", 0x0002C90300000000, "Hca"),
            ROUTER: ("rtguid", 0x0002C90400000000, "Rt")}


class Builder:
    """Writes a topology file. Every link takes the next free port of both nodes."""

    def __init__(self):
        self._nodes = {}
        self._links = {}

    def add(self, kind, name, ports, *peers):
        self._nodes[name] = (kind, ports)
        self._links[name] = []
        for peer in peers:
            self.connect(name, peer)
        return name

    def connect(self, one, other):
        first, second = len(self._links[one]) + 1, len(self._links[other]) + 1
        self._links[one].append((first, other, second))
        self._links[other].append((second, one, first))

    def text(self):
        numbers = {kind: 0 for kind in PREFIXES}
        parts = []
        for name, (kind, ports) in self._nodes.items():
            word, base, form = PREFIXES[kind]
            numbers[kind] += 1
            ends = "".join(f'[{port}]\t"{peer}"[{peer_port}]\n' for port, peer, peer_port in self._links[name])
            parts.append(f'{word}=0x{base + (numbers[kind] << 16):016x}\n{form}\t{ports} "{name}"\n{ends}')
        return "\n".join(parts)


PROTECTED = ("sm1", "sm2", "monitor")  # hosts of subnet managers and gateways; they hang on leaf1


def site_net():
    """Two leaves, two spines, a switch behind leaf2 and one behind that; hosts and a router with two ports."""
    make = Builder()
    for name in ("leaf1", "leaf2", "spine1", "spine2", "edge1", "tail1"):
        make.add(SWITCH, name, 12)
    for name in PROTECTED:
        make.add(HOST, name, 1, "leaf1")
    for one, other in (("leaf1", "spine1"), ("leaf1", "spine1"), ("leaf1", "spine2"), ("leaf2", "spine1"),
                       ("leaf2", "spine2"), ("leaf2", "edge1"), ("edge1", "tail1")):
        make.connect(one, other)
    for name, leaf in (("node1", "leaf1"), ("node2", "leaf2"), ("node3", "leaf2"), ("node4", "edge1"),
                       ("node5", "edge1"), ("node6", "tail1")):
        make.add(HOST, name, 1, leaf)
    make.add(HOST, "dual1", 2, "leaf1", "leaf2")
    make.add(HOST, "dual2", 2, "leaf2", "edge1")
    make.add(HOST, "dual3", 2, "edge1", "edge1")
    make.add(ROUTER, "router1", 2, "leaf2", "edge1")
    make.add(HOST, "spare1", 1)
    return make.text()


def random_net(chance):
    """A tree of switches with some links more, and hosts of one or two ports."""
    make = Builder()
    switches = [make.add(SWITCH, "leaf1", 16)]
    for name in PROTECTED:
        make.add(HOST, name, 1, "leaf1")
    for number in range(2, chance.randint(3, 7)):
        switches.append(make.add(SWITCH, f"leaf{number}", 16, chance.choice(switches)))
    for _ in range(chance.randint(0, 3)):
        make.connect(*chance.sample(switches, 2))
    for number in range(1, chance.randint(4, 8)):
        make.add(HOST, f"node{number}", 1, chance.choice(switches))
    for number in range(1, chance.randint(2, 4)):
        make.add(HOST, f"dual{number}", 2, chance.choice(switches), chance.choice(switches))
    if chance.random() < 0.5:
        make.add(ROUTER, "router1", 2, chance.choice(switches), chance.choice(switches))
    make.add(HOST, "spare1", 1)
    return make.text()
