# SPDX-License-Identifier: BSD-2-Clause
"""A simulated fabric, its gateways, subnet managers and receivers, and the truth about its cables. Every action tells
the simulator and the truth the same, and is noted in the story."""

import contextlib
import json
import os
import pathlib
import random
import tempfile
import time

import faults
from lab.fabric import BUILD, Fabric
from lab.gateway import Gateway, section
from lab.processes import LabError, wait_until
from oracle import observers
from oracle.nets import HOST, SWITCH, Net, link
from oracle.truth import Truth, is_about_fabric, is_about_many
from oracle.views import Filter, different_orders, wrong_names

RATES = BUILD / "tests" / "oracle" / "libsimrates.so"
TYPES = {"ca": HOST}  # the words of `ibtrapctl topology --json` that differ from ours


class Untrue(Exception):
    """The gateway says something that is not so, or does not say what is so."""


class Unfit(Exception):
    """The simulator or a subnet manager failed; that says nothing about the gateway."""


WITHOUT_SM = 10  # seconds, the least that are allowed


# Short times, so that it is quiet soon.
POLICY = {
    "flap": {"changes": 4, "within": 60, "quiet": 1},
    "storm": {"rate": 8, "period": 1},
    "repeats": {"window": 2},
    "consequences": {"hold": True},
}


# The filters of some receivers, by the receivers' names.
FILTERS = {
    "severe": Filter(severity="warning"),
    "grave": Filter(severity="error"),
    "links": Filter(events=("link-*",)),
    "nodes": Filter(categories=("node",)),
    "leaf2": Filter(nodes=("leaf2", "node1")),
    "node4": Filter(nodes=("node4",)),
}


def policy_text(policy, hold_down=0, held=("node*",)):
    text = "".join(section(kind, **items) for kind, items in policy.items())
    return text + (section("policy", "held", nodes=list(held), hold_down=hold_down) if hold_down else "")


class OracleGateway(Gateway):
    """A gateway with the site's receivers, whose configuration can be changed."""

    def __init__(self, fabric, site, **options):
        self.site = site
        super().__init__(fabric, sweep={"method": "smp", "interval": 5, "settle": 150}, policy=site.policy_text,
                         more=site.sections, **options)
        self._fabric_items |= {"without_sm": WITHOUT_SM}
        self.faults = faults.Faults(fabric.directory) if site.faulty else None
        self.running = False

    def _environment(self):
        environment = super()._environment()
        preload, more = f"{RATES}:{environment['LD_PRELOAD']}", {"SIM_RATES": str(self.site.rates)}
        if self.faults:
            preload = f"{faults.LIBRARY}:{preload}"
            more |= {"FAULTS": str(self.faults.path), "FAULTS_DISK": str(self.state)}
        return environment | more | {"LD_PRELOAD": preload}

    def start(self):
        super().start()
        self.running = True

    def stop(self):
        self.running = False
        return super().stop()

    def kill(self):
        self.running = False
        super().kill()

    def take_configuration(self):
        """The site's present policy and receivers come into the file, which the gateway may be reading, and into
        force."""
        self._policy, self._receivers = self.site.policy_text, [self.site.sections]
        config, self.config = self.config, self.config.with_suffix(".new")
        self._write_config()
        self.config = self.config.replace(config)
        if self.running:
            self.tell("reload")

    def tell(self, *words):
        """ibtrapctl, once the gateway answers."""
        self.wait_status(lambda one: True, "ibtrapd to answer")
        self.control(*words)

    def ask(self, *words):
        """ibtrapctl's answer as JSON; None: it does not answer, as it is starting."""
        done = self.control(*words, "--json", check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def alarms(self):
        answer = self.ask("alarms", "--all")
        return None if answer is None else {one["key"]: one for one in answer["alarms"]}

    def topology(self):
        """Nodes as (GUID, kind, name), links, and the links that are not ACTIVE; None: it knows no fabric yet."""
        answer = self.ask("topology")
        if not answer or "nodes" not in answer:
            return None
        nodes = {(int(one["guid"], 16), TYPES.get(one["type"], one["type"]), one["name"]) for one in answer["nodes"]}
        links = [(link((int(one["guid"], 16), port["port"]), (int(port["peer"]["guid"], 16), port["peer"]["port"])),
                  port["state"]) for one in answer["nodes"] for port in one["ports"] if port["peer"]]
        return nodes, {one for one, _ in links}, {one for one, state in links if state in ("initialize", "armed")}


class Site:
    """pair: two gateways, beside a subnet manager each. which: names of the receivers; None: all. faulty: the gateway's
    disk can be made to fail."""

    # Seconds until it has to be quiet; all times that are configured are far shorter.
    PATIENCE = float(os.environ.get("IBTRAPD_PATIENCE", "600"))
    net_kind = Net

    def __init__(self, net_text, seed=0, pair=False, policy=None, hold_down=0, held=("node*",), which=None,
                 faulty=False):
        self.net = self.net_kind(net_text)
        self.truth = Truth(self.net, "sm1" if pair else "monitor")
        self.pair = pair
        self.chance = random.Random(seed)
        self.policy = POLICY | (policy or {})
        self.hold_down, self.held = hold_down, held
        self.which = which
        self.faulty = faulty
        self.story = []
        self.windows = set()
        self.shelved = set()
        self.managers = {}
        self.gateways = []
        self.observers = []
        self.calm = 0.6
        self._stack = contextlib.ExitStack()

    # Begin and end.

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self._bring_up(stack)
            self.gateways = [self.fabric.keep(OracleGateway(self.fabric, self, host=host, **more))
                             for host, more in self._places()]
            self._stack = stack.pop_all()
            try:
                self._begin()
            except BaseException:
                self._stack.close()
                raise
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _places(self):
        if not self.pair:
            return [("monitor", {})]
        return [(host, {"active": "with-master-sm", "beside_sm": True}) for host in ("sm1", "sm2")]

    def _bring_up(self, stack):
        """umad2sim has no timeouts: if a MAD gets lost while the second subnet manager starts, the first waits for
        ever. Then everything is started again, and has twice the time: a busy machine is slow, too."""
        for number in range(6):
            with contextlib.ExitStack() as attempt:
                self.fabric = attempt.enter_context(Fabric(self._net_file(attempt)))
                self.rates = self.fabric.directory / "rates"
                self._enter_receivers(attempt)
                if self._start_managers(8 << number):
                    stack.enter_context(attempt.pop_all())
                    return
        raise Unfit("the subnet managers did not come up")

    def _start_managers(self, patience):
        """Returns whether they work, each within that many seconds."""
        try:
            first = self.fabric.subnet_manager("sm1").wait_master(timeout=patience)
            self.managers = {"sm1": first}
            if self.pair:
                second = self.managers["sm2"] = self.fabric.subnet_manager("sm2")
                wait_until(lambda: "Entering STANDBY" in second.log, "a standby subnet manager", patience)
                first.wait_master(2, timeout=patience)  # it sweeps again because of the other's arrival
        except LabError:
            return False
        return True

    def _net_file(self, stack):
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ibtrapd-oracle-")))
        path = directory / "fabric.net"
        path.write_text(self.net.text)
        return path

    def _enter_receivers(self, stack):
        self.observers = [stack.enter_context(one) for one in self.make_receivers()
                          if self.which is None or one.name in self.which]

    @property
    def sections(self):
        return "".join(one.section for one in self.observers)

    def make_receivers(self):
        """The receivers that all sites have. With two gateways none is ever late, as nothing says which gateway's
        message is the later one."""
        make, where = observers, self.fabric.directory
        made = [make.Syslog("syslog"), make.Traps("traps"), make.Traps("manager", own=False)]
        made += [make.Syslog(f"syslog-{name}", one) for name, one in FILTERS.items()]
        made += [make.Traps("traps-severe", FILTERS["severe"])]
        if not self.pair:
            made += [make.JsonFile("file", where), make.Informs("informs", self.chance.random()),
                     make.Relp("relp", where)]
        return made

    def _begin(self):
        self.truth.watch(True)
        self.converge()
        for gateway in self.gateways:
            gateway.wait_subscribed()
        if self.pair:
            self.wait_roles()

    @property
    def policy_text(self):
        return policy_text(self.policy, self.hold_down, self.held)

    def observer(self, name):
        return next(one for one in self.observers if one.name == name)

    def note(self, words):
        self.story.append(words)

    # Cables.

    def find(self, name, port):
        """The link that is plugged into a port."""
        return next(one for one in self.truth.plugged if self.net.end(name, port) in one)

    def find_in(self, links, name, port):
        return next(one for one in links if self.net.end(name, port) in one)

    def links_of(self, name):
        guid = self.net.by_name[name].guid
        return sorted((one for one in self.truth.plugged if any(end.guid == guid for end in one)), key=sorted)

    def unplug(self, one):
        self.note(f"unplug {self.net.link_words(one)}")
        self.truth.unplug(one)
        self._console("Unlink", self.net.words(min(one)))
        self._write_rates()

    def plug(self, one):
        self.note(f"plug {self.net.link_words(one)}")
        self.truth.plug(one)
        self._console("Link", *(self.net.words(end) for end in sorted(one)))
        self._write_rates()

    def unplug_node(self, name):
        """All cables of the node at the same moment; returns them."""
        self.note(f"unplug node {name}")
        links = self.links_of(name)
        self.truth.unplug(*links)
        self._console("Unlink", f'"{name}"')
        self._write_rates()
        return links

    def plug_all(self, links):
        for one in links:
            self.plug(one)

    def slow(self, one, slow=True):
        self.note(f"{'slow' if slow else 'full rate'}: {self.net.link_words(one)}")
        (self.truth.slow.add if slow else self.truth.slow.discard)(one)
        self._write_rates()

    def _write_rates(self):
        """The slow cables, for simrates.c. A gateway may see their ends elsewhere for a moment."""
        ends = {end for one in self.truth.slow & self.truth.plugged for end in one}
        draft = self.rates.with_suffix(".new")
        draft.write_text("".join(f"0x{end.guid:016x} {end.port}\n" for end in sorted(ends)))
        draft.replace(self.rates)

    def _console(self, *words):
        output = self.fabric.console(" ".join(words))
        if "#" in output:
            raise Unfit(f"ibsim: {' '.join(words)}: {output}")

    def free_ends(self, kind=SWITCH):
        used = {end for one in self.truth.plugged for end in one}
        return [end for guid, node in self.net.nodes.items() if kind in (None, node.kind)
                for end in self.net.ports_of(guid) if end not in used]

    # Gateways and subnet managers.

    @property
    def running(self):
        return [one for one in self.gateways if one.running]

    def stop_gateway(self, gateway=None, kill=False):
        gateway = gateway or self.gateways[0]
        self.note(f"{'kill' if kill else 'stop'} the gateway at {gateway.host}")
        gateway.kill() if kill else gateway.stop()
        if kill and not self.pair:
            self.truth.crash()
        self.truth.watch(bool(self.running))

    def start_gateway(self, gateway=None):
        gateway = gateway or self.gateways[0]
        self.note(f"start the gateway at {gateway.host}")
        gateway.start()
        self.truth.watch(True)

    def restart_gateway(self, gateway=None, kill=False):
        self.stop_gateway(gateway, kill)
        self.start_gateway(gateway)

    def control(self, *words):
        """Every running gateway does it."""
        self.note("ibtrapctl " + " ".join(map(str, words)))
        for gateway in self.running:
            gateway.tell(*words)

    def reload(self, **changes):
        self.note(f"reload with {changes}")
        self.policy |= {name: items for name, items in changes.items() if name != "hold_down"}
        self.hold_down = changes.get("hold_down", self.hold_down)
        for gateway in self.gateways:
            gateway.take_configuration()

    def change_filter(self, name, receiver_filter):
        """A reload gives a receiver another filter."""
        self.note(f"{name} gets {receiver_filter}")
        self.observer(name).view.filter = receiver_filter
        for gateway in self.gateways:
            gateway.take_configuration()

    def kill_manager(self, host="sm1"):
        self.note(f"kill the subnet manager at {host}")
        self.managers[host].kill()
        self.managers[host].running = False
        self.truth.manage(bool(self.working_managers))

    def start_manager(self, host="sm1"):
        """Waits until a master has swept after the arrival. umad2sim has no timeouts: if a MAD gets lost meanwhile, the
        master waits for ever, and all are started again."""
        self.note(f"start the subnet manager at {host}")
        self._start_manager(host)
        for _ in range(5):
            if self._has_swept():
                self.truth.manage(True)
                return
            self._restart_managers(sorted(self.managers, key=lambda one: one == host))
        raise Unfit("the subnet managers did not come up")

    def _restart_managers(self, hosts):
        self.note("the simulator lost a MAD: the subnet managers start again")
        for one in hosts:
            self.managers[one].kill()
        for one in hosts:
            self._start_manager(one)

    def _count_sweeps(self):
        self._sweeps_before = sum(one.log.count("SUBNET UP") for one in self.managers.values())

    def _start_manager(self, host):
        self._count_sweeps()
        self.managers[host].start()
        self.managers[host].running = True

    def _has_swept(self):
        """Whether a subnet manager becomes master soon, or sweeps again."""
        try:
            wait_until(lambda: sum(one.log.count("SUBNET UP") for one in self.managers.values())
                       > self._sweeps_before, "a master subnet manager", 4)
        except LabError:
            return False
        return True

    @property
    def working_managers(self):
        """The hosts whose subnet managers run."""
        return [host for host, one in self.managers.items() if getattr(one, "running", True)]

    @property
    def all_managed(self):
        return len(self.working_managers) == len(self.managers)

    def active_gateways(self):
        status = [(one, one.status()) for one in self.running]
        return [one for one, answer in status if answer and answer["role"]["active"]]

    def wait_roles(self, host=None):
        """Waits until one gateway is active, or the one at this host. Returns its host."""

        def decided():
            self._sweep()
            active = [one.host for one in self.active_gateways()]
            return active[0] if len(active) == 1 and host in (None, active[0]) else None

        return self._wait(decided, "one gateway to be active")

    def hand_over(self):
        """The other subnet manager becomes master, and its gateway active."""
        master = self.wait_roles()
        other = next(host for host in self.managers if host != master)
        self._count_sweeps()
        self.kill_manager(master)
        if not self._has_swept():
            self.note("the simulator lost a MAD: the other subnet manager starts again")
            self.managers[other].kill()
            self._start_manager(other)
        self.wait_roles(other)
        return master, other

    # Waiting.

    def _sweep(self):
        for gateway in self.running:
            gateway.control("sweep", "now", check=False)

    def sweep(self):
        """A sweep that begins now has ended, at every gateway."""
        before = {gateway: self._sweeps(gateway) for gateway in self.running}
        for gateway, count in before.items():
            def swept(gateway=gateway, count=count):
                gateway.control("sweep", "now", check=False)
                return self._sweeps(gateway) >= count + 2  # one may have been under way
            self._wait(swept, "a sweep")

    @staticmethod
    def _sweeps(gateway):
        status = gateway.status()
        return status["sweep"]["sweeps"] if status else 0

    def _wait(self, condition, what, timeout=None):
        def checked():
            for gateway in self.running:
                gateway.process.check()
            return condition()

        try:
            return wait_until(checked, what, timeout or self.PATIENCE, 0.1)
        except LabError as error:
            raise Untrue(str(error)) from None

    def topology_differences(self, gateway):
        found, sight = gateway.topology(), self.truth.sight()
        if found is None:
            return ["no topology"]
        nodes = {(guid, self.net.nodes[guid].kind, self.net.name(guid)) for guid in sight.nodes}
        lacks = [f"lacks {name}" for _, _, name in nodes - found[0]] + [
            f"lacks {self.net.link_words(one)}" for one in sight.links - found[1]]
        return lacks + [f"has {name} ({kind})" for _, kind, name in found[0] - nodes] + [
            f"has {self.net.link_words(one)}" for one in found[1] - sight.links] + [
            f"{self.net.link_words(one)} is not active" for one in found[2] & sight.links if self.truth.managed] + [
            f"{self.net.link_words(one)} is active" for one in self.truth.inert & found[1] - found[2]]

    def converge(self):
        """Waits until every gateway shows the fabric as it is. A subnet manager that waits for a lost MAD sets up no
        link."""
        differences, since = [], time.monotonic()

        def equal():
            nonlocal since
            self._sweep()
            if time.monotonic() > since + 20 and differences and all(one.endswith("not active") for one in differences):
                self._restart_managers(self.working_managers)
                since = time.monotonic()
            differences[:] = [f"{gateway.host}: topology {one}" for gateway in self.running
                              for one in self.topology_differences(gateway)]
            return not differences

        try:
            self._wait(equal, "the topology to be right")
        except Untrue as error:
            raise Untrue("\n".join([str(error), *differences])) from None
        self.truth.seen()
        return self

    def describe(self):
        """The truth, for a person who has to find out what went wrong."""
        sight, lines = self.truth.sight(), []
        hidden = [node.name for guid, node in self.net.nodes.items() if guid not in sight.nodes]
        lines.append(f"not visible: {', '.join(hidden)}")
        for number, world in enumerate(self.truth.worlds, 1):
            lines.append(f"alarms, world {number} of {len(self.truth.worlds)}:")
            lines += [f"  {alarm.event} {key} {' '.join(sorted(alarm.names))}"
                      for key, alarm in sorted(self.truth.alarms(world).items())]
        lines += ["plugged:", *sorted(f"  {self.net.link_words(one)}" for one in self.truth.plugged)]
        for one in self.observers:
            lines += ["", f"{one.name} got:", *(f"  {message}" for message in one.view.messages)]
        return "\n".join(lines) + "\n"

    # The check.

    def poll(self):
        for one in self.observers:
            one.poll()

    def wait_told(self, key, state="raised", name="syslog"):
        """Waits until a receiver got an event with this alarm key."""
        view = self.observer(name).view

        def told():
            self.poll()
            return any(one.key == key and one.state == state for one in view.messages)

        self._wait(told, f"{key} {state} at {name}")

    def wait_event(self, event, name="syslog"):
        """Waits until a receiver got such an event."""
        view = self.observer(name).view

        def told():
            self.poll()
            return any(one.event == event for one in view.messages)

        self._wait(told, f"{event} at {name}")

    def wait_listed(self, key, listed=True):
        """Waits until every gateway has this alarm, or has it no more."""
        self._wait(lambda: all((key in (one.alarms() or {})) == listed for one in self.running),
                   f"{key} {'in' if listed else 'to leave'} the list of alarms")

    def end_silence(self):
        """Nothing is in maintenance or away any more."""
        for gateway in self.gateways:
            if not gateway.running:
                self.start_gateway(gateway)
        for name in sorted(self.windows):
            self.control("maintenance", "stop", name)
        self.windows.clear()
        for one in self.observers:
            if getattr(one, "is_away", False):
                self.come_back(one)

    def shelve(self, key):
        """At every gateway that has the alarm, until it is to be quiet."""
        self.note(f"shelve {key}")
        self.shelved.add(key)
        self._shelve(key, 5)

    def _shelve(self, key, minutes):
        for gateway in self.running:
            gateway.wait_status(lambda one: True, "ibtrapd to answer")
            gateway.control("alarms", "shelve", key, minutes, check=False)

    def unshelve(self):
        """Only an active alarm can be unshelved, and one that began again is still shelved."""
        for key in sorted(self.shelved):
            self._shelve(key, 0)

    def clear(self, key, reason):
        """By hand, at every gateway."""
        self.truth.forget(key)
        self.control("alarms", "clear", key, reason)

    def leave(self, observer):
        self.note(f"receiver {observer.name} leaves")
        observer.leave()
        observer.is_away = True

    def come_back(self, observer):
        self.note(f"receiver {observer.name} is back")
        observer.come_back()
        observer.is_away = False

    def quiet(self, calm=None):
        """Once it is quiet, everybody believes what is true."""
        self.note("quiet")
        self.end_silence()
        self.converge()
        calm = self.calm if calm is None else calm
        deadline, right_since, differences = time.monotonic() + self.PATIENCE, None, []
        while right_since is None or time.monotonic() < right_since + calm:
            self._sweep()
            self.unshelve()
            differences = self.differences()
            right_since = None if differences else right_since or time.monotonic()
            is_final = any(one.view.faults for one in self.observers)  # nothing to come mends that
            if right_since is None and (is_final or time.monotonic() > deadline):
                raise Untrue("\n".join(differences))
            time.sleep(0.2)
        self.truth.settle({key for key in self.running[0].alarms() if is_about_fabric(key)})
        self.check_stories()

    def finish(self):
        """The last check: nothing comes late, either."""
        self.quiet(calm=max(self.hold_down, self.policy["flap"]["quiet"], self.policy["storm"]["period"]) + 1)

    def differences(self):
        """What is not right now."""
        for gateway in self.running:
            gateway.process.check()
        self.poll()
        found = [f"{gateway.host}: topology {one}" for gateway in self.running
                 for one in self.topology_differences(gateway)]
        if found:
            return found
        lists = {gateway.host: gateway.alarms() for gateway in self.running}
        if None in lists.values():
            return ["a gateway does not answer"]
        found = [one for host, alarms in lists.items() for one in self._list_differences(host, alarms)]
        world = self.truth.nearest({key for key in next(iter(lists.values())) if is_about_fabric(key)})
        alarms = self.truth.alarms(world)

        def excused_at(view):
            told = set(view.active) | self.truth.named(view.active.values())
            return lambda key: self.policy["consequences"]["hold"] and self.truth.is_excused(key, world, told)

        for one in self.observers:
            found += one.view.compare(alarms, excused_at(one.view), self.all_managed)
        return found

    def _list_differences(self, host, listed):
        about_fabric = {key for key in listed if is_about_fabric(key)}
        lasting = set(filter(is_about_many, listed)) if any(key.startswith("node ") for key in about_fabric) else set()
        others = sorted(set(listed) - about_fabric - lasting) if self.all_managed else []
        found = [f"{host}: alarms has {key}" for key in others]
        if self.truth.fits(about_fabric):
            return found
        true = self.truth.alarms(self.truth.nearest(about_fabric))
        found += [f"{host}: alarms lacks {key}" for key in sorted(set(true) - about_fabric)]
        return found + [f"{host}: alarms has {key}, which is not true" for key in sorted(about_fabric - set(true))]

    def check_stories(self):
        """Everybody was told the same, in the same order, with right names."""
        found = different_orders([one.view for one in self.observers], of_one_gateway=not self.pair)
        for one in self.observers:
            found += [f"{one.name}: {words}" for message in one.view.messages
                      for words in wrong_names(self.net, message)]
        if found:
            raise Untrue("\n".join(found))
