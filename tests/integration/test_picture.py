# SPDX-License-Identifier: BSD-2-Clause
"""ibtrapctl topology --dot and --svg, as Graphviz and an XML parser read them, against what ibnetdiscover found and what
the simulator was told to do."""

import collections
import html
import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree

import pytest
from lab.fabric import Fabric
from lab.gateway import Gateway
from lab.processes import wait_until

SWEEP = {"method": "smp", "interval": 3600, "settle": 300}
SVG = "{http://www.w3.org/2000/svg}"
EVIL = b"</text><script>alert(1)</script>]]>&amp;'\\N\\"  # as many octets as a name may have: 63 at most
FAULT, DEGRADED, MISSING = "#dc2626", "#d97706", "#6b7280"


def discovered(fabric):
    """The nodes, with their names, and the links that ibnetdiscover finds."""
    names, links = {}, collections.Counter()
    for block in fabric.discover().split("\n\n"):
        head = re.search(r'^(?:Switch|Ca)\t\d+ "([^"]+)"\s+# "([^"]*)"', block, re.MULTILINE)
        if head:
            names[head[1]] = head[2]
            for line in re.finditer(r'^\[(\d+)\](?:\([0-9a-f]+\))?\s*"([^"]+)"\[(\d+)\]', block, re.MULTILINE):
                links[frozenset([(head[1], int(line[1])), (line[2], int(line[3]))])] += 1
    assert set(links.values()) == {2}  # each is told from both ends
    return names, set(links)


def parsed(dot):
    """The graph as Graphviz understands it."""
    done = subprocess.run(["dot", "-Tjson0"], input=dot, capture_output=True, check=True, text=True, timeout=300)
    assert done.stderr == ""
    graph = json.loads(done.stdout)
    nodes = {one["_gvid"]: one for one in graph["objects"] if "label" in one}
    edges = [(frozenset([(nodes[one["tail"]]["name"], int(one["taillabel"])),
                         (nodes[one["head"]]["name"], int(one["headlabel"]))]), one) for one in graph.get("edges", [])]
    return {one["name"]: one for one in nodes.values()}, edges


def drawing(gateway, *options):
    root = xml.etree.ElementTree.fromstring(gateway.control("topology", "--svg", *options).stdout)
    assert root.tag == f"{SVG}svg"
    assert {one.tag for one in root.iter()} <= {f"{SVG}{tag}" for tag in (
        "svg", "title", "desc", "style", "rect", "g", "path", "text")}
    nodes = {one.get("data-guid"): one for one in root.iter(f"{SVG}g") if one.get("data-guid")}
    lines = {(one.get("data-ends"), one.get("class")): int(one.get("data-links"))
             for one in root.iter(f"{SVG}path") if one.get("data-ends")}
    return nodes, lines


def label_of(node):
    return html.unescape(node["label"].replace("\\\\", "\\").split("\\n")[0])


@pytest.fixture
def swept(open_site):
    site = open_site(sweep=SWEEP)
    site.gateway.wait_subscribed()
    site.gateway.wait_status(lambda one: one["sweep"]["complete"] and one["sweep"]["nodes"] == 8, "a sweep")
    return site


def test_the_graph_is_what_ibnetdiscover_finds(swept):
    names, links = discovered(swept.fabric)
    nodes, edges = parsed(swept.gateway.control("topology", "--dot", "--hosts").stdout)
    assert {name: label_of(node) for name, node in nodes.items()} == names
    assert {ends for ends, _ in edges} == links and len(edges) == len(links)
    assert not [one for _, one in edges if one.get("style") or one["color"] in (FAULT, DEGRADED, MISSING)]

    nodes, edges = parsed(swept.gateway.control("topology", "--dot").stdout)
    hosts = collections.Counter(name for ends in links for name, _ in ends
                                if name.startswith("S") and any(other.startswith("H") for other, _ in ends))
    assert set(nodes) == {name for name in names if name.startswith("S")}
    assert {name: int(re.search(r"\\n(\d+) hosts?$", node["label"])[1]) for name, node in nodes.items()} == hosts
    assert {ends for ends, _ in edges} == {ends for ends in links if not any(name.startswith("H") for name, _ in ends)}


def test_the_drawing_has_the_same(swept):
    names, links = discovered(swept.fabric)
    nodes, lines = drawing(swept.gateway, "--hosts")
    assert {guid: node.find(f"{SVG}title").text.split("\n")[0] for guid, node in nodes.items()} == {
        f"0x{name[2:]}": label for name, label in names.items()}
    between = [ends for ends in links if all(name.startswith("S") for name, _ in ends)]
    assert sum(lines.values()) == len(between) and {state for _, state in lines} == {"good"}
    assert swept.gateway.control("topology", "--svg").stdout == swept.gateway.control("topology", "--svg").stdout


def test_troubles_are_drawn(swept):
    swept.fabric.unlink("leaf1", 11)
    swept.message("link-down")
    swept.fabric.unlink("node1")
    swept.message("host-removed")

    def has(state, count):
        edges = parsed(swept.gateway.control("topology", "--dot").stdout)[1]
        return [ends for ends, one in edges if one.get("style") == state] if count is None else len(
            [1 for _, one in edges if one.get("style") == state]) == count

    wait_until(lambda: has("dashed", 1) and has("dotted", 1), "both links to be drawn")  # node1's follows from node1
    ends = has("dashed", None)
    assert any({port for _, port in one} == {11} for one in ends)
    nodes, _ = parsed(swept.gateway.control("topology", "--dot").stdout)
    [absent] = [node for node in nodes.values() if "dotted" in node.get("style", "")]
    assert absent["name"] == "H-0002c90300b10000" and "node1" in absent["label"], absent
    drawn, lines = drawing(swept.gateway)
    assert "absent" in drawn["0x0002c90300b10000"].get("class").split()
    assert [count for (_, state), count in lines.items() if state == "fault"] == [1]


def test_what_is_expected_and_missing_is_dotted(fabric):
    fabric.subnet_manager().wait_master()
    path = fabric.directory / "expected"
    path.write_text(fabric.discover())
    fabric.unlink("leaf1", 11)
    with Gateway(fabric, sweep=SWEEP, expected=path) as gateway:
        gateway.wait_nodes(8)
        wait_until(lambda: gateway.control("topology", check=False).returncode == 0, "answers about the fabric")
        dotted = []

        def find():
            dotted[:] = [ends for ends, one in parsed(gateway.control("topology", "--dot").stdout)[1]
                         if one.get("style") == "dotted" and one["color"] == MISSING]
            return dotted

        wait_until(find, "the missing link to be drawn")
        assert [{port for _, port in one} for one in dotted] == [{11}]


def test_a_hostile_name_is_only_a_name(tmp_path):
    text = (pathlib.Path(__file__).parents[1] / "lab/nets/small.net").read_bytes()
    for name in (b"leaf2", b"node1"):
        text = re.sub(rb'(?m)^((?:Hca|Switch)\s+\d+ "' + name + rb'").*$', lambda one: one[1] + b' # "' + EVIL + b'"', text)
    net = tmp_path / "hostile.net"
    net.write_bytes(text)
    with Fabric(net) as fabric:
        fabric.subnet_manager().wait_master()
        with Gateway(fabric, sweep=SWEEP) as gateway:
            gateway.wait_status(lambda one: one["sweep"]["complete"] and one["sweep"]["nodes"] == 8, "a sweep")
            nodes, _ = parsed(gateway.control("topology", "--dot", "--hosts").stdout)
            # Two nodes have the name: their places or GUIDs tell them apart.
            assert sorted(label_of(node).startswith(EVIL.decode() + " ") for node in nodes.values()) == [False] * 6 + [True] * 2
            drawn, _ = drawing(gateway, "--hosts")
            titles = [node.find(f"{SVG}title").text.split("\n")[0] for node in drawn.values()]
            assert sum(title.startswith(EVIL.decode() + " ") for title in titles) == 2


def test_wrong_use_is_told(swept):
    for words in (["--dot", "--svg"], ["--hosts"], ["--dot", "3"], ["--svg", "--json"]):
        done = swept.gateway.control("topology", *words, check=False)
        assert done.returncode == 2 and "Usage: ibtrapctl topology" in done.stderr and done.stdout == "", words
