# SPDX-License-Identifier: BSD-2-Clause
"""Random actions on the receivers of a site, all of which filter: they come, go, move and lose what waits, while nodes
get other names and the journal's rows end. Each receiver's manager does what it is told, also what is sent again."""

import dataclasses
import itertools

from lab import notices
from lab.gateway import MODULES, section
from lab.http_server import Server, answer, close
from oracle import observers
from oracle.actions import Actions
from oracle.nets import Net
from oracle.sites import Site
from oracle.views import Filter, View, of_fields

SECONDS = 1  # the age at which an event is not sent any more, at some guests: what ends an alarm or stands is sent
ROWS = 1024  # events that the journal keeps with `rows = 1000`
SOME = 50  # Reports at a time
LONG_AGO = 36500  # days
GUESTS_MOST = 7
NOISE = "system-image-guid-change"
AGAIN = "Sent again: "


class NamedNet(Net):
    """A net whose nodes get other names from a map. ibsim knows the first ones."""

    def __init__(self, text):
        super().__init__(text)
        self.shown = {guid: [node.name] for guid, node in self.nodes.items()}  # the last one now

    def name(self, guid):
        return self.shown[guid][-1]

    def words(self, end):
        return f'"{self.nodes[end.guid].name}"[{end.port}]'

    def rename(self, guid, name):
        self.shown[guid].append(name)
        self.by_name[name] = self.nodes[guid]

    @property
    def map(self):
        return "".join(f'0x{guid:016x} "{names[-1]}"\n' for guid, names in self.shown.items())


class NamedFilter:
    """A filter, where what it wants may depend on when a node had which name: unknown then."""

    def __init__(self, receiver_filter, net):
        self._filter, self._net = receiver_filter, net

    @property
    def items(self):
        return self._filter.items

    def wants(self, alarm):
        names = [next(one for one in self._net.shown.values() if one[-1] == name) for name in sorted(alarm.names)]
        found = {self._filter.wants(dataclasses.replace(alarm, names=frozenset(one)))
                 for one in itertools.product(*names)}
        return found.pop() if len(found) == 1 else None


class ObedientView(View):
    """Does what it is told again, too."""

    def take(self, message):
        if message.text.startswith(AGAIN) and message.state:
            self._ids.pop(message.id, None)
        super().take(message)


class Guest:
    """Mixed into an observer: its section can leave, come back and get another address."""

    misses = False  # ends that the journal does not have any more, while it was away

    def settle(self, net, receiver_filter, start, max_age=None):
        self.filter, self.net, self.start, self.max_age = receiver_filter, net, start, max_age
        self.forget()
        return self

    def forget(self):
        self.view = ObedientView(self.name, NamedFilter(self.filter, self.net))
        self._taken = 0

    @property
    def section(self):
        return section(self.kind, self.name, start=self.start, max_age=self.max_age, **self.items, **self.view.filter.items)


class SyslogGuest(Guest, observers.Syslog):
    pass


class TrapGuest(Guest, observers.Traps):
    pass


class HttpGuest(Guest, observers.Observer):
    """A server that confirms. While it is away it breaks off, has a problem, or refuses all that comes."""

    kind = "http"
    can_be_away = True
    ways = itertools.cycle([400, None, 409, 503, 422])

    def __init__(self, name):
        super().__init__(name)
        self.servers = []  # the last one now: a guest may move

    def __enter__(self):
        self.servers.append(Server(self.behave).__enter__())
        self.items, self.is_away = {"url": self.servers[-1].url}, False
        return self

    def __exit__(self, *_):
        self.servers.pop().__exit__()

    def leave(self):
        self.way = next(self.ways)

    def come_back(self):
        pass

    def behave(self, connection, request):
        if not self.is_away:
            return answer(200)(connection, request)
        return answer(self.way)(connection, request) if self.way else close(connection, request)

    def poll(self):
        events = [event for request in self.servers[-1].accepted for event in request.json]
        new, self._taken = events[self._taken:], len(events)
        for one in new:
            self.view.take(of_fields(one, one["text"]))


KINDS = [SyslogGuest, TrapGuest] + [HttpGuest] * (MODULES / "http.so").exists()


class GuestSite(Site):
    """A site whose receivers are guests."""

    net_kind = NamedNet

    def __init__(self, net_text, seed=0, **options):
        super().__init__(net_text, seed=seed, **options)
        self.outside, self.paused = [], set()
        self.numbers = itertools.count(1)

    def make_receivers(self):
        return [self.make_guest() for _ in range(5)]

    def make_guest(self):
        choose = self.chance.choice
        guest = choose(KINDS)(f"guest{next(self.numbers)}")
        return guest.settle(self.net, self.choose_filter(), choose(["now", "backlog"]), choose([None, None, SECONDS]))

    def choose_filter(self):
        """One item filters, or two."""
        choose = self.chance.choice
        hosts = sorted(node.name for node in self.net.nodes.values() if node.kind != "switch")
        nodes = choose([("node*",), ("leaf?", "spine*"), ("*x*", "dual*"), tuple(self.chance.sample(hosts, 3))])
        events = choose([("link-*",), ("*-removed", "*-added"), ("link-down",), ("host-*", "port-*", "link-degraded")])
        items = {"severity": choose(["warning", "error"]), "events": events, "nodes": nodes,
                 "categories": choose([("node",), ("link", "port")])}
        chosen = {("nodes",): 8, ("events",): 4, ("severity",): 2, ("categories",): 2, ("nodes", "severity"): 2, (): 2}
        names = self.chance.choices(list(chosen), chosen.values())[0]
        return Filter(**{name: items[name] for name in names})

    @property
    def map_file(self):
        return self.fabric.directory / "names"

    @property
    def sections(self):
        self.map_file.write_text(self.net.map)
        return "".join(one.section for one in self.observers) + section("journal", rows=1000) + section(
            "policy", "noise", events=[NOISE], enabled=False)

    def reload_all(self, words):
        self.note(words)
        for gateway in self.running:
            gateway.wait_status(lambda one: True, "ibtrapd to have read its files")
        for gateway in self.gateways:
            gateway._fabric_items["node_name_map"] = self.map_file
            gateway.take_configuration()

    def unplug_node(self, name):
        return super().unplug_node(self.net.by_name[name].name)

    def enter(self, guest):
        self._stack.enter_context(guest)
        return guest

    def end_silence(self):
        for name in sorted(self.paused & {one.name for one in self.observers}):
            self.control("receivers", "resume", name)
        self.paused.clear()
        super().end_silence()

    def check_stories(self):
        """What comes again, or never, has another order."""

    def noise(self):
        """As many events as the journal keeps, of which no receiver hears, until it has dropped the others."""
        self.note("noise")
        for guest in self.outside:
            guest.misses = True
        clients = {self.fabric.lid_of(host): self.fabric.client(host) for host in self.managers}
        for gateway in self.running:
            gateway.wait_subscribed()
            lid, numbers = self.fabric.lid_of(gateway.host), itertools.count(1)

            def make(count, gateway=gateway, lid=lid, numbers=numbers):
                client = clients[gateway.status()["sm"]["lid"]]  # others are foreign to it
                for _ in range(count):
                    client.report(notices.system_image_guid_change(6, next(numbers)), lid)
                for _ in range(count):
                    client.receive()

            def has_dropped(gateway=gateway, make=make):
                make(1)
                journal = gateway.status()["journal"]
                return journal["last"] - journal["first"] < ROWS + SOME

            for _ in range(ROWS // SOME + 4):
                make(SOME)
            gateway.control("journal", "prune", LONG_AGO)  # looks at the number of events, too, at the next commit
            self._wait(has_dropped, "the journal to drop events")


class GuestActions(Actions):
    """The fabric's faults, fewer, and what happens to guests."""

    WEIGHTS = {
        "unplug": 6, "plug_back": 8, "unplug_node": 5, "move_fast": 2, "slow": 3, "full_rate": 3, "flap": 2,
        "maintenance": 2, "end_maintenance": 2, "shelve": 1, "restart": 2, "kill": 3, "hand_over": 4,
        "guest_comes": 3, "guest_leaves": 6, "guest_returns": 8, "guest_moves": 3, "guest_is_killed_in": 3, "flush": 2,
        "resync": 2, "pause": 2, "rename": 4, "noise": 3, "receiver_leaves": 5, "receiver_returns": 3,
    }

    def _guest_comes(self):
        if len(self.site.observers) >= GUESTS_MOST:
            return False
        guest = self.site.enter(self.site.make_guest())
        self.site.observers.append(guest)
        self.site.reload_all(f"{guest.name} comes, with {guest.filter}")
        return True

    def _guest_leaves(self):
        if len(self.site.observers) < 2:
            return False
        guest = self.chance.choice(self.site.observers)
        self.site.observers.remove(guest)
        self.site.outside.append(guest)
        self.site.reload_all(f"{guest.name} leaves")
        return True

    def _guest_returns(self):
        if not self.site.outside:
            return False
        guest = self.chance.choice(self.site.outside)
        self.site.outside.remove(guest)
        self.site.observers.append(guest)
        if guest.misses:
            guest.poll()
            guest.view.active.clear()
            guest.misses = False
        self.site.reload_all(f"{guest.name} returns, start = {guest.start}")
        return True

    def _guest_is_killed_in(self):
        """A gateway is killed while a guest is brought into line."""
        if not self.site.running or not (self._guest_returns() or self._guest_comes()):
            return False
        return self._kill()

    def _guest_moves(self):
        """Another manager, which knows nothing, and may ask for all that the journal has."""
        if not self.site.observers:
            return False
        guest = self.chance.choice(self.site.observers)
        self.site.enter(guest)
        guest.forget()
        self.site.reload_all(f"{guest.name} moves")
        if self.chance.random() < 0.5:
            self.site.control("receivers", "resync", guest.name)
        return True

    def _work_on_guest(self, what):
        guests = self.site.observers
        if not guests or len(self.site.running) < len(self.site.gateways):
            return False
        guest = self.chance.choice(guests)
        self.site.control("receivers", what, guest.name)
        return guest

    def _flush(self):
        return bool(self._work_on_guest("flush"))

    def _resync(self):
        return bool(self._work_on_guest("resync"))

    def _pause(self):
        if self.site.pair:
            return False
        guest = self._work_on_guest("pause")
        if guest:
            self.site.paused.add(guest.name)
        return bool(guest)

    def _receiver_leaves(self):
        return not self.site.pair and super()._receiver_leaves()

    def _rename(self):
        net = self.site.net
        name = self._choose(one for one in self._nodes() if len(net.shown[net.by_name[one].guid]) < 3)
        if not name:
            return False
        node = net.by_name[name]
        new = node.name if name != node.name else f"x{node.name}"
        net.rename(node.guid, new)
        self.site.reload_all(f"{name} is called {new}")
        return True

    def _noise(self):
        if not self.site.running or not self.site.all_managed:
            return False
        self.site.noise()
        return True
