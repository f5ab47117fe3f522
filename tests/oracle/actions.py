# SPDX-License-Identifier: BSD-2-Clause
"""Random actions on a site: faults and repairs of the fabric, and what happens to gateways, subnet managers, receivers
and policy meanwhile."""

import random

from oracle.nets import HOST, PROTECTED, SWITCH, link

DOWN_MOST = 8  # links that may be unplugged at a time


class Actions:
    """Chooses by a seed. `pair`: the site has two gateways; what one of them alone would see is left out."""

    # How often each is chosen.
    WEIGHTS = {
        "unplug": 6, "plug_back": 10, "unplug_node": 5, "unplug_behind": 3, "move_fast": 5, "move_slowly": 5, "swap": 2,
        "move_and_unplug": 3, "slow": 4, "full_rate": 4, "slow_and_move": 3, "flap": 4, "new_host": 2,
        "maintenance": 3, "end_maintenance": 2, "shelve": 2, "reload": 2, "receiver_leaves": 3, "receiver_returns": 2,
        "losses": 2, "restart": 2, "kill": 2, "gateway_leaves": 2, "manager_leaves": 1, "manager_returns": 3,
        "hand_over": 6,
    }

    def __init__(self, site, seed, only=None):
        self.site = site
        self.truth, self.net = site.truth, site.net
        self.chance = random.Random(seed)
        self.weights = {name: weight for name, weight in self.WEIGHTS.items() if not only or name in only}
        self.down = []  # links that are unplugged and may be plugged again

    def round(self):
        """Some actions, and then all must be right."""
        for _ in range(self.chance.randint(1, 4)):
            self._act()
            if self.chance.random() < 0.3 and self.site.running:
                self.site.converge()
        self._repair_managers()
        self.site.quiet()

    def _act(self):
        """Does the first action, in a random order, that is possible now."""
        waiting = dict(self.weights)
        while waiting:
            name = self.chance.choices(list(waiting), waiting.values())[0]
            del waiting[name]
            if getattr(self, f"_{name}")():
                return

    def heal(self):
        """All is plugged and fast again."""
        for one in sorted(self.truth.slow, key=sorted):
            self.site.slow(one, False)
        while self._plug_back():
            pass
        while self._manager_returns():
            pass

    # Choosing.

    def _choose(self, items):
        items = sorted(items, key=lambda one: sorted(one) if isinstance(one, frozenset) else one)
        return self.chance.choice(items) if items else None

    def _cables(self):
        """Links that may be unplugged."""
        kept = {self.net.by_name[name].guid for name in PROTECTED}
        return {one for one in self.truth.plugged if not any(end.guid in kept for end in one)}

    def _faults_left(self):
        return len(self.down) < DOWN_MOST

    def _nodes(self):
        names = {self.net.name(end.guid) for one in self._cables() for end in one}
        return names - {"leaf1"}

    def _is_move_fit(self):
        """With two gateways, both have to see a new link: each remembers what it saw."""
        site = self.site
        return not site.pair or (len(site.running) == len(site.gateways) and site.all_managed)

    def _place_for(self, end):
        """A free port of a switch for the other end of a cable."""
        free = [one for one in self.site.free_ends() if one.guid != end.guid]
        return self._choose(free)

    def _moved(self, one):
        """The cable with one of its ends elsewhere; None: there is no place."""
        kept = self._choose(end for end in one if any(
            self.net.nodes[other.guid].kind == SWITCH for other in one - {end}))
        place = kept and self._place_for(kept)
        return link(kept, place) if place else None

    def _unplug_one(self, one):
        self.site.unplug(one)
        self.down.append(one)

    def _plug_new(self, one):
        """A link at a place where none was; what was there is not plugged again."""
        self.site.plug(one)
        self.down = [other for other in self.down if not other & one]
        if self.site.pair:
            self.site.converge()
        return True

    # The fabric.

    def _unplug(self):
        one = self._choose(self._cables())
        if not one or not self._faults_left():
            return False
        self._unplug_one(one)
        return True

    def _plug_back(self):
        free = {end for end in self.site.free_ends(None)}
        fitting = [one for one in self.down if one <= free]
        if not fitting:
            return False
        one = self.chance.choice(fitting)
        self.down.remove(one)
        near = {end.guid for end in one}
        self.site.plug(one)
        # What was unplugged as a whole often returns as a whole.
        for other in [other for other in self.down if {end.guid for end in other} & near]:
            if other <= set(self.site.free_ends(None)) and self.chance.random() < 0.7:
                self.down.remove(other)
                self.site.plug(other)
        return True

    def _unplug_node(self):
        name = self._choose(self._nodes())
        if not name or not self._faults_left():
            return False
        self.down += self.site.unplug_node(name)
        return True

    def _unplug_behind(self):
        """A switch dies, something behind it goes, the switch returns."""
        switches = [name for name in self._nodes() if self.net.by_name[name].kind == SWITCH]
        name = self._choose(switches)
        if not name or not self._faults_left():
            return False
        links = self.site.unplug_node(name)
        if self.chance.random() < 0.5 and self.site.running:
            self.site.converge()
        lost = self.chance.sample(links, min(len(links), self.chance.randint(1, 2)))
        hidden = sorted(self._cables() - self.truth.sight().links, key=sorted)
        if hidden:
            self._unplug_one(self.chance.choice(hidden))
        self.down += lost
        self.site.plug_all([one for one in links if one not in lost])
        return True

    def _move_fast(self):
        one = self._choose(self._cables())
        new = one and self._is_move_fit() and self._moved(one)
        if not new:
            return False
        self.site.unplug(one)
        return self._plug_new(new)

    def _move_slowly(self):
        one = self._choose(self._cables())
        new = one and self._is_move_fit() and self._moved(one)
        if not new:
            return False
        self.site.unplug(one)
        if self.site.running:
            self.site.converge()
        return self._plug_new(new)

    def _swap(self):
        """Two hosts exchange their places."""
        hosts = [one for one in self._cables() if any(self.net.nodes[end.guid].kind == HOST for end in one)]
        if len(hosts) < 2 or not self._is_move_fit():
            return False
        first, second = self.chance.sample(sorted(hosts, key=sorted), 2)
        (host1, at1), (host2, at2) = self._host_first(first), self._host_first(second)
        for one in (first, second):
            self.site.unplug(one)
        self._plug_new(link(host1, at2))
        return self._plug_new(link(host2, at1))

    def _host_first(self, one):
        return sorted(one, key=lambda end: self.net.nodes[end.guid].kind == SWITCH)

    def _move_and_unplug(self):
        """Of a node with several cables, one moves and another goes."""
        names = [name for name in self._nodes() if len(self.site.links_of(name)) >= 2]
        name = self._choose(names)
        if not name or not self._is_move_fit() or not self._faults_left():
            return False
        gone, moved = self.chance.sample(self.site.links_of(name), 2)
        kept = next(end for end in moved if end.guid == self.net.by_name[name].guid)
        place = self._place_for(kept)
        if not place:
            return False
        self._unplug_one(gone)
        self.site.unplug(moved)
        return self._plug_new(link(kept, place))

    def _new_host(self):
        ends = [end for end in self.site.free_ends(HOST) if self.net.name(end.guid).startswith("spare")]
        place = ends and self._place_for(ends[0])
        return bool(place) and self._is_move_fit() and self._plug_new(link(ends[0], place))

    def _slow(self):
        one = self._choose(self._cables() - self.truth.slow)
        if not one or len(self.truth.slow) > 3:
            return False
        self.site.slow(one)
        return True

    def _full_rate(self):
        one = self._choose(self.truth.slow)
        if not one:
            return False
        self.site.slow(one, False)
        return True

    def _slow_and_move(self):
        slow = [one for one in self.truth.slow & self._cables() if self.site.running]
        one = self._choose(slow)
        new = one and self._is_move_fit() and self._moved(one)
        if not new:
            return False
        self.site.unplug(one)
        if self.chance.random() < 0.5:
            self.site.converge()
        if self.chance.random() < 0.3:
            self.site.plug(one)  # in the same place
            return True
        self.site.slow(one, False)
        return self._plug_new(new)

    def _flap(self):
        one = self._choose(self._cables())
        if not one or not self.site.running:
            return False
        for _ in range(self.chance.randint(2, 4)):
            self.site.unplug(one)
            self.site.converge()
            self.site.plug(one)
            self.site.converge()
        if self.chance.random() < 0.5:
            self._unplug_one(one)
        return True

    # Policy and receivers.

    def _maintenance(self):
        if len(self.site.windows) > 1 or len(self.site.running) < len(self.site.gateways):
            return False
        names, count = sorted(self._nodes()), self.chance.randint(0, 3)
        nodes = self.chance.sample(names, min(count, len(names)))
        name = f"work{len(self.site.story)}"
        self.site.control("maintenance", "start", name, 60, *(nodes or ["--all"]))
        self.site.windows.add(name)
        return True

    def _end_maintenance(self):
        if not self.site.windows or len(self.site.running) < len(self.site.gateways):
            return False
        name = sorted(self.site.windows)[0]
        self.site.control("maintenance", "stop", name)
        self.site.windows.discard(name)
        return True

    def _shelve(self):
        keys = [key for gateway in self.site.running for key in gateway.alarms() or {}]
        if not keys or len(self.site.running) < len(self.site.gateways):
            return False
        self.site.shelve(self._choose(keys))
        return True

    def _reload(self):
        if not self.site.running:
            return False
        choose = self.chance.choice
        self.site.reload(hold_down=choose([0, 1, 2]), repeats={"window": choose([0, 2])},
                         flap={"changes": choose([0, 3, 4]), "within": 60, "quiet": 1},
                         storm={"rate": choose([0, 3, 8]), "period": choose([1, 2])},
                         consequences={"hold": choose([True, True, False])})
        return True

    def _receivers(self, away):
        return [one for one in self.site.observers
                if one.can_be_away and getattr(one, "is_away", False) == away]

    def _receiver_leaves(self):
        here = self._receivers(False)
        if not here:
            return False
        self.site.leave(self.chance.choice(here))
        return True

    def _receiver_returns(self):
        away = self._receivers(True)
        if not away:
            return False
        self.site.come_back(self.chance.choice(away))
        return True

    def _losses(self):
        lossy = [one.path for one in self.site.observers if hasattr(one, "path")]
        if not lossy:
            return False
        for path in lossy:
            path.loss, path.late = self.chance.choice([(0, 0), (0.2, 0.2), (0.3, 0)])
            path.delay, path.first_loss = 0.6, self.chance.choice([0, 0, 0.5])
            self.site.note(f"informs: lost {path.loss}, late {path.late}, first datagrams lost {path.first_loss}")
        return True

    # Gateways and subnet managers.

    def _restart(self):
        return self._replace_gateway(kill=False)

    def _kill(self):
        return self._replace_gateway(kill=True)

    def _replace_gateway(self, kill):
        if not self.site.running:
            return False
        self.site.restart_gateway(self.chance.choice(self.site.running), kill)
        return True

    def _gateway_leaves(self):
        """The next quiet period starts it again."""
        if len(self.site.running) < len(self.site.gateways) or self.site.windows:
            return False
        self.site.stop_gateway(self.chance.choice(self.site.gateways), kill=self.chance.random() < 0.5)
        return True

    def _manager_leaves(self):
        if self.site.pair or not self.site.all_managed:
            return False
        self.site.kill_manager()
        return True

    def _manager_returns(self):
        away = [host for host in self.site.managers if host not in self.site.working_managers]
        if not away:
            return False
        self.site.start_manager(away[0])
        return True

    def _hand_over(self):
        site = self.site
        if not site.pair or not site.all_managed or len(site.running) < 2:
            return False
        site.hand_over()
        return True

    def _repair_managers(self):
        """Mostly the subnet managers are back when all has to be right. While a link waits for them, receivers may know
        of its former place, or not."""
        if self.site.truth.inert or self.chance.random() < 0.7:
            self._manager_returns()
