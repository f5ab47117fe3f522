# SPDX-License-Identifier: BSD-2-Clause
"""What is wrong with the fabric, from its cables alone: the oracle. It shares no code with the gateway.

`Truth` has the cables that are plugged, as the test plugged them. What is visible follows from them. What is wrong
also depends on what the gateway has seen before, since nobody misses what nobody ever saw. Where a state of the cables
lasted for so short a time that the gateway may have seen it or not, there are several `World`s."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from oracle.nets import HOST, ROUTER, SWITCH

REMOVED = {SWITCH: ("switch-removed", "error"), HOST: ("host-removed", "error"),
           ROUTER: ("router-removed", "error")}


class Sight(NamedTuple):
    """What a sweep from the gateway's port reaches."""

    nodes: frozenset
    links: frozenset

    @property
    def ends(self):
        return {end for one in self.links for end in one}


class World(NamedTuple):
    """What is established: the gateway has seen it and nothing has superseded it since."""

    nodes: frozenset
    links: frozenset

    def after(self, sight):
        """A link is superseded when one of its ends is seen in another link."""
        kept = {one for one in self.links if one in sight.links or not one & sight.ends}
        return World(self.nodes | sight.nodes, frozenset(kept) | sight.links)


@dataclass(frozen=True)
class Alarm:
    """One true alarm, with what receivers filter by."""

    key: str
    event: str
    severity: str
    category: str
    names: frozenset  # of the nodes that it is about


def node_key(guid):
    return f"node 0x{guid:016x}"


def port_key(end):
    return f"port 0x{end.guid:016x}/{end.port}"


def link_key(one, prefix=""):
    return f"{prefix}link " + "-".join(f"0x{end.guid:016x}/{end.port}" for end in sorted(one))


def rate_key(one):
    return link_key(one, "rate ")


FABRIC_KEYS = ("node ", "port ", "link ", "rate link ")


def is_about_fabric(key):
    return key.startswith(FABRIC_KEYS)


def is_about_many(key):
    """An alarm about many nodes that left at once: it stands while some of them are missing."""
    return key.startswith("together node ")


class Truth:
    """The cables, seen from the gateways' hosts. `watching`: a gateway may see every state in between."""

    def __init__(self, net, vantage):
        self.net = net
        self.vantage = net.by_name[vantage].guid
        self.plugged = set(net.links)
        self.slow = set()
        self.inert = set()  # plugged while no subnet manager ran: connected, and not ACTIVE
        self.managed = True
        self.watching = False
        self.worlds = self._lasting = {World(frozenset(), frozenset())}

    # What the test does.

    def plug(self, one):
        assert not {end for other in self.plugged for end in other} & one, "an end is in use"
        self.plugged.add(one)
        if not self.managed:
            self.inert.add(one)
        self._instant()

    def unplug(self, *links):
        """Unplugs all of them at the same moment."""
        self.plugged -= set(links)
        self.inert -= set(links)
        self._instant()

    def manage(self, managed):
        """Whether a subnet manager runs, which makes all links ACTIVE."""
        self.managed = managed
        if managed:
            self.inert.clear()
            self._instant()

    def forget(self, key):
        """An operator clears the alarm of a node or a link: nobody misses it, or what hung on it, any more."""
        def after(world):
            guid = next((one for one in world.nodes if node_key(one) == key), None)
            return World(world.nodes - {guid}, frozenset(
                one for one in world.links if link_key(one) != key and guid not in {end.guid for end in one}))

        self.worlds = self._lasting = {after(world) for world in self.worlds}

    def watch(self, watching):
        self.watching = watching
        self._instant()

    def crash(self):
        """The gateway is killed. It may forget what it saw since all was quiet."""
        self.worlds = self.worlds | self._lasting

    def _instant(self):
        if self.watching:
            self.worlds = self.worlds | {world.after(self.carried()) for world in self.worlds}

    # What the test learns.

    def seen(self):
        """The gateway has certainly seen the present state."""
        self.worlds = {world.after(self.carried()) for world in self.worlds}

    def fits(self, keys):
        """Whether there is a world in which exactly these alarms are true."""
        return any(set(self.alarms(world)) == set(keys) for world in self.worlds)

    def settle(self, keys):
        """Keeps the worlds in which exactly these alarms are true."""
        self.worlds = {world for world in self.worlds if set(self.alarms(world)) == set(keys)}
        self._lasting = self.worlds

    def nearest(self, keys):
        """The world whose alarms differ least from these."""
        return min(self.worlds, key=lambda world: (len(set(self.alarms(world)) ^ set(keys)), sorted(
            map(sorted, world.links))))

    # What is so.

    def sight(self):
        """What is connected."""
        return self._reach(self.plugged)

    def carried(self):
        """What links in the state ACTIVE connect: the rest has not joined the fabric."""
        return self._reach(self.plugged - self.inert)

    def _reach(self, cables):
        near = {}
        for one in cables:
            first, second = one
            near.setdefault(first.guid, []).append((second.guid, one))
            near.setdefault(second.guid, []).append((first.guid, one))
        nodes, links, waiting = {self.vantage}, set(), [self.vantage]
        while waiting:
            for peer, one in near.get(waiting.pop(), []):
                links.add(one)
                if peer not in nodes:
                    nodes.add(peer)
                    # A host does not forward: nothing is behind it but itself.
                    if self.net.nodes[peer].kind == SWITCH:
                        waiting.append(peer)
        return Sight(frozenset(nodes), frozenset(links))

    def alarms(self, world):
        """The alarms that are true in that world, by key."""
        sight = self.carried()
        down = {one for one in world.links - sight.links if not one & sight.ends}
        found = [self._node_alarm(guid) for guid in world.nodes - sight.nodes]
        found += [self._link_alarm(one) for one in down]
        found += [self._port_alarm(end, one) for one in down for end in one if self._is_reduced(end, sight)]
        found += [self._rate_alarm(one) for one in self.slow & sight.links]
        return {alarm.key: alarm for alarm in found}

    def is_excused(self, key, world, told):
        """Whether a receiver need not be told of a true alarm, because it was told of its root cause, or by another name."""
        return key in told or key in {alarm for alarm, roots in self._roots(world).items() if roots & told}

    def named(self, messages):
        """The alarms of the nodes that the alarms about many nodes name."""
        texts = [set(re.findall(r"[^\s,;]+", one.text.removesuffix("."))) for one in messages if is_about_many(one.key)]
        return {node_key(node.guid) for node in self.net.nodes.values() if any(node.name in text for text in texts)}

    def _roots(self, world):
        """For each true alarm the alarms that explain it."""
        sight = self.carried()
        missing = world.nodes - sight.nodes
        roots = {node_key(guid): self._roots_of_node(guid, world, sight) for guid in missing}
        for one in world.links - sight.links:
            gone = {node_key(end.guid) for end in one if end.guid in missing}
            causes = gone.union(*(roots[node] for node in gone))
            for end in one:
                roots[port_key(end)] = causes - {node_key(end.guid)}
            roots[link_key(one)] = causes | {port_key(end) for end in one}
        return roots

    def _roots_of_node(self, guid, world, sight):
        """The missing switches that hang together with it, through links that are established."""
        behind, waiting = {guid}, [guid]
        while waiting:
            at = waiting.pop()
            near = {end.guid for one in world.links for end in one if any(other.guid == at for other in one)}
            for peer in near - behind - sight.nodes:
                behind.add(peer)
                waiting.append(peer)
        return {node_key(peer) for peer in behind - {guid} if self.net.nodes[peer].kind == SWITCH}

    def _is_reduced(self, end, sight):
        return (self.net.nodes[end.guid].kind != SWITCH and end.guid in sight.nodes
                and any(other.guid == end.guid for other in sight.ends))

    def _node_alarm(self, guid):
        event, severity = REMOVED[self.net.nodes[guid].kind]
        return Alarm(node_key(guid), event, severity, "node", frozenset({self.net.name(guid)}))

    def _names(self, one):
        return frozenset(self.net.name(end.guid) for end in one)

    def _port_alarm(self, end, one):
        return Alarm(port_key(end), "port-removed", "error", "port", self._names(one))

    def _link_alarm(self, one):
        return Alarm(link_key(one), "link-down", "warning", "link", self._names(one))

    def _rate_alarm(self, one):
        return Alarm(rate_key(one), "link-degraded", "warning", "link", self._names(one))
