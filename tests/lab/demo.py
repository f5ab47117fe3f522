# SPDX-License-Identifier: BSD-2-Clause
"""A live demonstration of the main job: changes on an InfiniBand fabric reach snmptrapd and syslog.

Without an active InfiniBand port, or with --simulated, the fabric is a simulated one with a real subnet
manager. With a port, ibtrapd runs on it in the foreground."""

import argparse
import itertools
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Callable

from lab import notices
from lab.fabric import BUILD, Fabric
from lab.gateway import IBTRAPD, Gateway, section
from lab.processes import LabError, die_with_parent
from lab.receivers import BETWEEN_VARBINDS, Rsyslogd, Snmptrapd

MIBS = [BUILD / "mibs", BUILD / "mib-base"]
LEFT, RIGHT = 31, 66
WIDTH = LEFT + 2 + RIGHT
STEP_DEADLINE, QUIET = 10, 0.3
MULTICAST = bytes.fromhex("ff12401bffff00000000000000000007")
BODY_LINES = 4
OCTETS = re.compile(r'"((?:[0-9A-F]{2} )+)"')
# The varbinds that every notification has here (extra_varbinds). They agree with the syslog message beside it.
COMMON = ("ibtrapdEvent", "ibtrapdSubnetPrefix", "ibtrapdAlarm", "ibtrapdDerived", "ibtrapdTest")
# The defaults, except that events of multicast groups, and events that occur twice in a minute here, reach receivers.
POLICY = section("policy", "multicast-too", events=["mcast-group-*"], enabled=True) + section("repeats", window=0)
COLOURS = {"snmptrapd": "\033[36m", "syslog": "\033[33m", "journal": "\033[2m", "missing": "\033[1;31m", "": ""}


@dataclass(frozen=True)
class Expected:
    """One event: its name in syslog and the notifications that snmptrapd gets for it."""

    event: str
    notifications: tuple


def sma(event, notification, *more):
    return Expected(event, (f"IB-SMA-MIB::ibSma{notification}", *more))


def own(event, notification):
    return Expected(event, (f"IBTRAPD-MIB::ibtrapd{notification}",))


def switch(event, *notifications):
    return Expected(event, tuple(f"IBSWITCH-MIB::gsw{one}" for one in notifications))


LINK_STATE = sma("link-state-change", "PortLinkStateChange")
GONE, BACK = own("gid-out-of-service", "GidOutOfService"), own("gid-in-service", "GidInService")
SWITCH_PORT = "IBSWITCH-MIB::gswIBPortTrap"


@dataclass(frozen=True)
class Step:
    """One action on the fabric, and the events that have to arrive. Events about nodes behind a dead node reach only
    the journal."""

    told: str
    do: Callable
    expected: list
    held: list = field(default_factory=list)


class Scene:
    """The fabric, the programs that act on it, and the two receivers."""

    def __init__(self, fabric):
        self.fabric = fabric
        fabric.subnet_manager().wait_master()
        self.snmptrapd = fabric.keep(Snmptrapd(fabric.directory, MIBS, output=["-ObQ"]))
        self.rsyslogd = fabric.keep(Rsyslogd(fabric.directory))
        self.gateway = fabric.keep(Gateway(
            fabric, names=self._names(), sweep={"settle": 300}, policy=POLICY, syslog=[self.rsyslogd.address],
            more=section("snmp", "nms", address=self.snmptrapd.address, extra_varbinds=True)))
        self._journalled = 0
        self.node, self.leaf, self.sm = (fabric.client(host) for host in ("node1", "leaf1", "sm1"))

    def _names(self):
        """A node-name-map with all nodes in the traps."""
        path = self.fabric.directory / "node-name-map"
        nodes = ("sm1", "sm2", "monitor", "node1", "node2", "storage1", "leaf1", "leaf2")
        path.write_text("".join(f'0x{self.fabric.guid_of(name):016x} "{name}"\n' for name in nodes))
        return path

    def new_in_journal(self):
        """The events that were journalled since the last call."""
        events = json.loads(self.gateway.control("events", "--json").stdout)["events"]
        new = [event for event in events if event["number"] > self._journalled]
        self._journalled = events[-1]["number"]
        return new

    def report(self, notice):
        """Sends the gateway a Report from the subnet manager's own host."""
        notice = notice.issued(issuer_lid=self.leaf.lid, issuer_gid=self.fabric.gid_of("leaf1"))
        self.sm.report(notice, self.fabric.lid_of("monitor"))

    def paths(self, trap):
        issuer = {"issuer_lid": self.fabric.lid_of("sm1"), "issuer_gid": self.fabric.gid_of("sm1")}
        self.sm.report(notices.path_notice(trap, bytes(54), **issuer), self.fabric.lid_of("monitor"))

    def port_error(self, trap):
        self.report(notices.port_error(trap, self.leaf.lid, 12, producer=notices.SWITCH))

    def bad_key(self, trap, key):
        fabric = self.fabric
        self.node.trap(notices.bad_key(trap, fabric.lid_of("node2"), self.node.lid, key, 3, 0x4A1, 0x52,
                                       fabric.gid_of("node2"), fabric.gid_of("node1")))

    def bad_pkey_at_switch(self):
        fabric = self.fabric
        self.leaf.trap(notices.bad_pkey_at_switch(
            0xFF, fabric.lid_of("node1"), fabric.lid_of("node2"), 0x8005, 3, 0x4A1, 0x52,
            fabric.gid_of("node1"), fabric.gid_of("node2"), self.leaf.lid, 3))

    def bad_mkey(self):
        lid = self.fabric.lid_of("node2")
        self.leaf.trap(notices.bad_mkey(lid, 0x02, 0x0015, 12, 0xBAD0BAD0, producer=notices.SWITCH))


BY_HAND = " (OpenSM never forwards this trap: the Report is sent from its host.)"

STEPS = [
    Step("The cable between leaf1 port 12 and leaf2 port 12 is pulled.",
         lambda scene: scene.fabric.unlink("leaf1", 12),
         [LINK_STATE, LINK_STATE, switch("link-down", "TopoComTrap", "IBTopoTrap")]),
    Step("The cable is plugged in again.",
         lambda scene: scene.fabric.relink("leaf1", 12),
         [LINK_STATE, LINK_STATE, switch("link-up", "TopoComTrap", "IBTopoTrap")]),
    Step("The host node2 loses its link to leaf2.",
         lambda scene: scene.fabric.unlink("node2"),
         [LINK_STATE, GONE, switch("host-removed", "IBTopoTrap")], ["link-down"]),
    Step("node2 is back.",
         lambda scene: scene.fabric.relink("node2"),
         [LINK_STATE, BACK, switch("host-added", "IBTopoTrap")], ["link-up"]),
    Step("The switch leaf2 loses power.",
         lambda scene: scene.fabric.unlink("leaf2"),
         [LINK_STATE, *[GONE] * 4, switch("switch-removed", "TopoComTrap", "IBTopoTrap")],
         ["host-removed"] * 3 + ["link-down"] * 5),
    Step("leaf2 is back.",
         lambda scene: scene.fabric.relink("leaf2"),
         [LINK_STATE, *[BACK] * 4, switch("switch-added", "TopoComTrap", "IBTopoTrap")],
         ["host-added"] * 3 + ["link-up"] * 5),
    Step("node1 creates a multicast group.",
         lambda scene: scene.node.join(MULTICAST), [own("mcast-group-created", "McastGroupCreated")]),
    Step("node1, its last member, leaves it.",
         lambda scene: scene.node.leave(MULTICAST), [own("mcast-group-deleted", "McastGroupDeleted")]),
    Step("The subnet manager withdraws paths (UnPath)." + BY_HAND,
         lambda scene: scene.paths(68), [own("path-removed", "UnPath")]),
    Step("The subnet manager offers the paths again (RePath)." + BY_HAND,
         lambda scene: scene.paths(69), [own("path-restored", "RePath")]),
    Step("leaf1 port 12 reaches its threshold of link integrity errors." + BY_HAND,
         lambda scene: scene.port_error(129),
         [sma("link-integrity-threshold", "LinkIntegrityThresReached", SWITCH_PORT)]),
    Step("leaf1 port 12 reaches its threshold of buffer overruns." + BY_HAND,
         lambda scene: scene.port_error(130), [sma("buffer-overrun-threshold", "ExcessBuffOverrunThres", SWITCH_PORT)]),
    Step("leaf1 port 12 waits in vain for flow control updates." + BY_HAND,
         lambda scene: scene.port_error(131), [sma("flow-control-timeout", "FlowCntrlUpdateTimerExpire", SWITCH_PORT)]),
    Step("node1 changes its node description and capability mask.",
         lambda scene: scene.node.trap(notices.capability_change(scene.node.lid, 0x0251486A, flags=0x01)),
         [sma("capability-change", "CapabilityMaskModified")]),
    Step("node1 changes its system image GUID.",
         lambda scene: scene.node.trap(notices.system_image_guid_change(scene.node.lid, 0x0002C90300B1FFFF)),
         [sma("system-image-guid-change", "SysImageGuidModified")]),
    Step("node2 tries to set PortInfo at leaf1 with a wrong M_Key.",
         lambda scene: scene.bad_mkey(), [sma("bad-mkey", "BadManagementKey", "IBSWITCH-MIB::gswIBSwitchTrap")]),
    Step("node2 sends node1 a packet with a wrong P_Key.",
         lambda scene: scene.bad_key(257, 0x8005), [sma("bad-pkey", "BadPartitionKey")]),
    Step("node2 sends node1 a packet with a wrong Q_Key.",
         lambda scene: scene.bad_key(258, 0x80010000), [sma("bad-qkey", "BadQueueKey")]),
    Step("node1 sends a packet with a wrong P_Key; leaf1 drops it at port 3.",
         lambda scene: scene.bad_pkey_at_switch(), [sma("bad-pkey-at-switch", "BadPKeyAtSwitchPort", SWITCH_PORT)]),
    Step("An adapter of node1 raises a trap of its vendor's own.",
         lambda scene: scene.node.trap(notices.vendor_notice(0x0002C9, 0x1017, b"temperature 104 C")),
         [own("vendor-trap", "VendorTrap")]),
]


@dataclass
class Outcome:
    """The events that arrived for a step: entries of (kind, heading, body) with their arrival times."""

    entries: dict = field(default_factory=lambda: defaultdict(list))
    notifications: Counter = field(default_factory=Counter)
    events: Counter = field(default_factory=Counter)
    held: Counter = field(default_factory=Counter)

    def take(self, scene):
        """Collects the events that arrived at both receivers, and those only in the journal. Returns whether there were
        any."""
        now = time.time()
        arrived = [(self._snmp, text) for text in scene.snmptrapd.drain(0)]
        arrived += [(self._syslog, message) for message in scene.rsyslogd.drain(0)]
        arrived += [(self._held, event) for event in scene.new_in_journal() if "suppressed" in event]
        for add, item in arrived:
            add(now, item)
        return bool(arrived)

    def missing(self, step):
        wanted_events = Counter(one.event for one in step.expected)
        wanted = Counter(itertools.chain.from_iterable(one.notifications for one in step.expected))
        return [name for expected, arrived in ((wanted, self.notifications), (wanted_events, self.events),
                                               (Counter(step.held), self.held))
                for name in (expected - arrived).elements()]

    def _snmp(self, now, text):
        varbinds = [part.lstrip().split(" = ", 1) for part in text.split(BETWEEN_VARBINDS) if part.strip()]
        heading = varbinds[1][1]
        self.notifications[heading] += 1
        objects = [(name.split("::")[-1], plain(value)) for name, value in varbinds[2:]]
        self._add(now, "snmptrapd", heading, *(f"{name} = {value}" for name, value in objects
                                               if not name.startswith(COMMON)))

    def _syslog(self, now, message):
        self.events[message.message_id] += 1
        self._add(now, "syslog", f"{message.severity} {message.message_id}", message.text)

    def _held(self, _, event):
        self.held[event["event"]] += 1

    def _add(self, now, kind, heading, *body):
        self.entries[kind, heading, body].append(now)


def plain(value):
    """A value as snmptrapd prints it, on one line, octets without blanks."""
    line = " ".join(value.split())
    octets = OCTETS.fullmatch(line)
    return octets[1].replace(" ", "") if octets else line


def clock(seconds):
    return time.strftime("%H:%M:%S", time.localtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}"


class Screen:
    """Prints two columns: the action on the left, the events of each receiver on the right."""

    def __init__(self):
        self._colours = sys.stdout.isatty()

    def rule(self):
        print("─" * LEFT + "  " + "─" * RIGHT)

    def row(self, left, right):
        """left: lines; right: pairs of kind and line."""
        height = max(len(left), len(right))
        left = left + [""] * (height - len(left))
        right = right + [("", "")] * (height - len(right))
        for text, (kind, line) in zip(left, right):
            print(f"{text:<{LEFT}}  {self._paint(kind, line)}".rstrip())

    def step(self, began, step, outcome):
        left = [clock(began), *textwrap.wrap(step.told, LEFT)]
        right = []
        for (kind, heading, body), times in outcome.entries.items():
            often = f" ×{len(times)}" if len(times) > 1 else ""
            right.append((kind, f"{clock(times[0])} {kind:<9} {heading}{often}"))
            right += [(kind, line) for text in body for line in self._wrap(text)]
        if outcome.held:
            held = ", ".join(f"{count} {event}" for event, count in outcome.held.items())
            right += [("journal", line) for line in textwrap.wrap(f"suppressed, in the journal alone: {held}", RIGHT)]
        right += [("missing", f"MISSING: {name}") for name in outcome.missing(step)]
        self.row(left, right)
        self.rule()
        sys.stdout.flush()

    @staticmethod
    def _wrap(text):
        return textwrap.wrap(text, RIGHT, initial_indent="  ", subsequent_indent="    ", max_lines=BODY_LINES,
                             break_on_hyphens=False, placeholder=" ...")

    def _paint(self, kind, line):
        if not (self._colours and COLOURS[kind]):
            return line
        return f"{COLOURS[kind]}{line}\033[0m"


def play(scene, screen, step):
    """Does one action, waits for all expected events, and a little longer for unexpected ones."""
    outcome, began = Outcome(), time.time()
    step.do(scene)
    deadline, quiet_since = began + STEP_DEADLINE, time.time()
    while time.time() < deadline and (outcome.missing(step) or time.time() - quiet_since < QUIET):
        if outcome.take(scene):
            quiet_since = time.time()
        time.sleep(0.02)
    screen.step(began, step, outcome)
    return outcome


def say(text):
    print(textwrap.fill(text, WIDTH), flush=True)


def simulated():
    say("No active InfiniBand port is used: ibsim simulates a fabric of two switches and six hosts.")
    with Fabric() as fabric:
        scene = Scene(fabric)
        say(f"OpenSM runs on sm1 as the master subnet manager (LID {fabric.lid_of('sm1')}), ibtrapd on monitor "
            f"(LID {fabric.lid_of('monitor')}).")
        say(f"ibtrapd sends to snmptrapd at {scene.snmptrapd.address} and to rsyslogd at {scene.rsyslogd.address}.")
        subscriptions = scene.gateway.wait_subscribed()["subscriptions"]
        traps = ", ".join(str(one["trap"]) for one in subscriptions)
        say(f"It has subscribed at the subnet manager to the traps {traps}, and looks at the fabric itself.")
        say("The notifications carry the sentence that syslog shows, and the event's identifier and severity, too. "
            "Consequences of another event are suppressed: the journal has them, the receivers do not.")
        scene.gateway.wait_nodes(8)
        print()
        settle(scene)
        return show(scene, Screen())


def settle(scene):
    """Discards the events of the start."""
    time.sleep(QUIET)
    Outcome().take(scene)


def show(scene, screen):
    screen.row(["Done on the fabric"], [("", "What the receivers got")])
    screen.rule()
    outcomes = [(step, play(scene, screen, step)) for step in STEPS]
    notifications = sum(outcome.notifications.total() for _, outcome in outcomes)
    lines = sum(outcome.events.total() for _, outcome in outcomes)
    held = sum(outcome.held.total() for _, outcome in outcomes)
    missing = [name for step, outcome in outcomes for name in outcome.missing(step)]
    print(f"{len(STEPS)} things done on the fabric, {notifications} notifications, {lines} syslog lines, "
          f"{held} events suppressed, {'none' if not missing else len(missing)} missing.")
    return 1 if missing else 0


def active_port():
    """The first active InfiniBand port of this machine as (device, port), or None."""
    for port in sorted(pathlib.Path("/sys/class/infiniband").glob("*/ports/*")):
        try:
            state, layer = (port / "state").read_text(), (port / "link_layer").read_text()
        except OSError:
            continue
        if "ACTIVE" in state and layer.strip() == "InfiniBand":
            return port.parent.parent.name, port.name
    return None


def real(device, port):
    say(f"{device} port {port} is active: ibtrapd listens to the real fabric. Events appear below as they happen; "
        "Ctrl-C ends it. Traps 256 to 259 need the subnet manager's SA key (see doc/begin.md). "
        "With --simulated this command shows a simulated fabric instead.")
    print(flush=True)
    with tempfile.TemporaryDirectory(prefix="ibtrapd-demo-") as directory:
        config = pathlib.Path(directory) / "ibtrapd.conf"
        config.write_text(section("fabric", device=device, port=int(port))
                          + section("journal", directory=pathlib.Path(directory) / "state")
                          + section("syslog", "screen", transport="stdout")
                          + section("control", socket=pathlib.Path(directory) / "control.sock"))
        command = [IBTRAPD, "--foreground", "--config", config]
        with subprocess.Popen(command, preexec_fn=die_with_parent) as daemon:
            try:
                return daemon.wait()
            finally:
                daemon.terminate()


def interrupt(*_):
    """The first signal ends the program in good order; further signals are ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(prog="tests/demo.sh", description="Shows ibtrapd at work.")
    parser.add_argument("--simulated", action="store_true", help="simulate the fabric even if there is a real one")
    arguments = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    port = None if arguments.simulated else active_port()
    try:
        return real(*port) if port else simulated()
    except KeyboardInterrupt:
        print("\nStopped; nothing is left running.")
        return 130
    except LabError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
