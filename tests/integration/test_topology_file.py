# SPDX-License-Identifier: BSD-2-Clause
"""ibtrapctl topology save and check.

Random edits of what ibnetdiscover of infiniband-diags wrote: what was edited is what ibtrapctl tells, no more, no
less."""

import json
import os
import random
import re
import subprocess

import pytest
from lab.fabric import Fabric
from lab.gateway import IBTRAPCTL, Gateway

SWEEP = {"method": "smp", "interval": 3600, "settle": 300}


class Topology:
    """ibnetdiscover's text as blocks of nodes, and the list of the edits."""

    def __init__(self, text):
        self.blocks = [block for block in text.split("\n\n") if re.search(r'^(Switch|Ca)\t', block, re.MULTILINE)]
        self.expected = []
        self.real = list(self.links())

    def text(self):
        return "\n\n".join(self.blocks) + "\n"

    def ids(self, kind="[SH]"):
        found = [re.search(rf'^(?:Switch|Ca)\t\d+ "({kind}-[0-9a-f]+)"', block, re.MULTILINE) for block in self.blocks]
        return [one[1] for one in found if one]

    def links(self):
        """(node, port, peer, peer's port) of each link, from both of its ends."""
        for block in self.blocks:
            own = re.search(r'^(?:Switch|Ca)\t\d+ "([^"]+)"', block, re.MULTILINE)[1]
            for line in re.finditer(r'^\[(\d+)\](?:\([0-9a-f]+\))?\s*"([^"]+)"\[(\d+)\]', block, re.MULTILINE):
                yield own, int(line[1]), line[2], int(line[3])

    def replace(self, node, pattern, by):
        for i, block in enumerate(self.blocks):
            if re.search(rf'^(?:Switch|Ca)\t\d+ "{node}"', block, re.MULTILINE):
                self.blocks[i], count = re.subn(pattern, by, block, flags=re.MULTILINE)
                assert count == 1, (node, pattern, block)

    def free_port(self, switch):
        """A port that neither the file nor, as far as it was not edited, the fabric connects; None: there is none."""
        size = int(re.search(rf'^Switch\t(\d+) "{switch}"', self.text(), re.MULTILINE)[1])
        links = [*self.links(), *self.real]
        used = {one[1] for one in links if one[0] == switch} | {one[3] for one in links if one[2] == switch}
        return next((port for port in range(1, size + 1) if port not in used), None)

    def add_link(self, link):
        for own, port, peer, peer_port in (link, (*link[2:], *link[:2])):
            self.replace(own, r"\Z", f'\n[{port}]\t"{peer}"[{peer_port}]\t\t# "made up" lid 0 4xSDR')

    def remove_link(self, link):
        own, port, peer, peer_port = link
        self.replace(own, rf"^\[{port}\].*\n?", "")
        self.replace(peer, rf"^\[{peer_port}\].*\n?", "")

    def remove_node(self, node):
        for link in [link for link in self.links() if link[0] == node]:
            self.replace(link[2], rf"^\[{link[3]}\].*\n?", "")
        self.blocks = [block for block in self.blocks if f'\t1 "{node}"' not in block and f' "{node}"\t\t#' not in block]


def key_of(link):
    ends = sorted(((int(link[0][2:], 16), link[1]), (int(link[2][2:], 16), link[3])))
    return "link " + "-".join(f"0x{guid:016x}/{port}" for guid, port in ends)


def node_key(node):
    return f"node 0x{int(node[2:], 16):016x}"


def edit(topology, chance, touched):
    """Makes one edit of nodes that no other edit touched. What it makes of the present fabric is added to the list."""
    links = [one for one in topology.links()
             if one in topology.real and not touched & {one[0], one[2]} and one[0] < one[2]]
    kind = chance.choice(["unexpected link", "unexpected host", "host", "slow", "port", "link", "switch"])
    if not links:
        return
    link = chance.choice(links)
    hosts = [one for one in links if one[0].startswith("H")]
    host = chance.choice(hosts) if hosts else None
    if kind == "unexpected link":
        topology.remove_link(link)
        topology.expected.append(("link-unexpected", key_of(link)))
        touched |= {link[0], link[2]} if link[0].startswith("H") else set()
    elif kind == "unexpected host" and host:
        topology.remove_node(host[0])
        topology.expected.append(("node-unexpected", node_key(host[0])))
        touched.add(host[0])
    elif kind == "host":
        name = f"H-{chance.getrandbits(40) | 1 << 41:016x}"
        topology.blocks.append(f'caguid=0x{name[2:]}\nCa\t1 "{name}"\t\t# "made up"')
        topology.expected.append(("host-missing", node_key(name)))
        touched.add(name)
    elif kind == "link":
        switches = [one for one in topology.ids("S") if one not in touched]
        if len(switches) < 2:
            return
        ends = [(one, topology.free_port(one)) for one in chance.sample(switches, 2)]
        if None in (ends[0][1], ends[1][1]):
            return
        topology.add_link((*ends[0], *ends[1]))
        topology.expected.append(("link-missing", key_of((*ends[0], *ends[1]))))
    elif kind == "switch":
        place, name = chance.choice(topology.ids("S")), f"S-{chance.getrandbits(40) | 1 << 41:016x}"
        port = topology.free_port(place)
        if port is None or place in touched:
            return
        topology.blocks.append(f'switchguid=0x{name[2:]}\nSwitch\t4 "{name}"\t\t# "made up"')
        topology.add_link((name, 1, place, port))
        topology.expected.append(("switch-missing", node_key(name)))
        for number in range(2, 2 + chance.randrange(3)):
            host = f"H-{chance.getrandbits(40) | 1 << 41:016x}"
            topology.blocks.append(f'caguid=0x{host[2:]}\nCa\t1 "{host}"\t\t# "made up"')
            topology.add_link((name, number, host, 1))
            topology.expected.append(("host-missing", node_key(host)))
            touched.add(host)
        touched.add(name)
    elif kind == "slow":
        topology.replace(link[0], rf"^(\[{link[1]}\].*) \d+x\w+$", r"\1 12xNDR")
        topology.replace(link[2], rf"^(\[{link[3]}\].*) \d+x\w+$", r"\1 12xNDR")
        topology.expected.append(("link-below-expected", key_of(link)))
        touched |= {link[0], link[2]} if link[0].startswith("H") else set()
    elif kind == "port" and host:
        free = topology.free_port(host[2])
        if free is None:
            return
        topology.replace(host[0], rf'^(\[{host[1]}\].*"{host[2]}")\[{host[3]}\]', rf"\1[{free}]")
        topology.replace(host[2], rf"^\[{host[3]}\]", f"[{free}]")
        topology.expected.append(("link-miscabled", key_of((host[0], host[1], host[2], free))))
        touched.add(host[0])


@pytest.mark.parametrize("net, seeds", [("small", 25), ("wide", 8)])
def test_random_edits_are_told_and_nothing_else(net, seeds):
    with Fabric(net) as fabric:
        fabric.subnet_manager().wait_master()
        real = fabric.discover()
        with Gateway(fabric, sweep=SWEEP) as gateway:
            gateway.wait_status(lambda one: one["sweep"]["complete"] and one["sweep"]["nodes"] ==
                                len(Topology(real).blocks), "a sweep")
            path = fabric.directory / "edited"
            for seed in range(seeds):
                chance, topology, touched = random.Random(seed), Topology(real), set()
                for _ in range(chance.randrange(6)):
                    edit(topology, chance, touched)
                path.write_text(topology.text())
                for match in ("guid", "name"):
                    done = gateway.control("topology", "check", path, match, "--json", check=False)
                    assert done.returncode < 2, done.stderr + topology.text()
                    found = json.loads(done.stdout)["differences"]
                    keys = sorted((one["event"], one["alarmKey"].split(" ", 1)[1]) for one in found)
                    assert keys == sorted(topology.expected), f"seed {seed}, by {match}: {topology.text()}"
                    assert done.returncode == bool(keys) and not any(one["unseen"] for one in found)


def test_what_is_saved_is_what_there_is(open_site):
    site = open_site(sweep=SWEEP)
    site.gateway.wait_subscribed()
    site.gateway.wait_status(lambda one: one["sweep"]["complete"] and one["sweep"]["nodes"] == 8, "a sweep")
    fabric = site.fabric
    path = fabric.directory / "discovered"
    path.write_text(fabric.discover())
    own = fabric.directory / "own"
    saved_text = site.gateway.control("topology", "save", own).stdout
    assert saved_text == f"{own} has 8 nodes and 8 links.\n"
    assert json.loads(site.gateway.control("--json", "topology", "save", own).stdout) == {
        "version": 1, "file": str(own), "nodes": 8, "links": 8, "complete": True}
    assert not own.with_name("own.new").exists()
    for one in (own, path):
        assert site.gateway.control("topology", "check", one).stdout == f"The fabric is as in {one}.\n"
        assert site.gateway.control("topology", "check", one, "name").returncode == 0
    missing = site.gateway.control("topology", "check", fabric.directory / "none", check=False)
    assert missing.returncode == 2 and "No such file" in missing.stderr and missing.stdout == ""
    assert site.gateway.control("topology", "check", path, "lid", check=False).returncode == 2

    fabric.unlink("leaf2")
    site.message("switch-removed")
    differs = site.gateway.control("topology", "check", own, check=False)
    assert differs.returncode == 1
    assert differs.stdout.startswith(f"4 differences from {own}:\nSwitch leaf2 is expected and not in the fabric; it ")
    assert differs.stdout.count("\n  Host ") == 3
    own.write_text("kept")
    site.gateway.stop()
    failed = site.gateway.control("topology", "save", own, check=False)
    assert failed.returncode == 1 and own.read_text() == "kept" and not own.with_name("own.new").exists()
    assert site.gateway.control("topology", "check", path, check=False).returncode == 2


def test_saving_replaces_files_only(open_site):
    site = open_site(sweep=SWEEP)
    site.gateway.wait_status(lambda one: one["sweep"]["complete"] and one["sweep"]["nodes"] == 8, "a sweep")
    here = site.fabric.directory

    def save(name):
        return site.gateway.control("topology", "save", here / name, check=False)

    os.mkfifo(here / "pipe")
    (here / "device").symlink_to("/dev/null")
    (here / "nothing").symlink_to(here / "gone")
    for name, why in (("pipe", "is not a regular file"), ("device", "is not a regular file"),
                      (".", "is not a regular file"), ("nothing", "No such file"), ("x" * 5000, "too long")):
        done = save(name)
        assert done.returncode == 1 and why in done.stderr, (name, done)
    assert (here / "pipe").is_fifo() and (here / "device").is_symlink() and (here / "nothing").is_symlink()
    (here / "real").write_text("old")
    (here / "link").symlink_to("real")
    assert save("link").returncode == 0
    assert (here / "link").is_symlink() and "switchguid" in (here / "real").read_text()
    assert not list(here.glob("*.new"))


def test_an_answer_that_is_not_whole_is_trouble(open_site):
    site = open_site(sweep=SWEEP)
    site.gateway.wait_status(lambda one: one["sweep"]["complete"] and one["sweep"]["nodes"] == 8, "a sweep")
    path = site.fabric.directory / "a\n\"b"
    command = [IBTRAPCTL, "--socket", site.gateway.socket, "topology"]
    subprocess.run([*command, "save", path], check=True)
    done = subprocess.run([*command, "check", path, "--json"], stdout=subprocess.PIPE, check=True)
    assert json.loads(done.stdout)["file"] == str(path)
    for more in ([], ["--json"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([*command, "check", path, *more], stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and "cannot write" in done.stderr
