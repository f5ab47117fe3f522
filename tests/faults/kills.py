#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Kills ibtrapd under load, at random times or at chosen points, and checks the promises in model.py.

    tests/faults/kills.py --kills 1000 [--seed N]
    tests/faults/kills.py --points [--every N]

The seed, which is printed, decides all actions and their times. --points counts the calls by which ibtrapd changes a
file, syncs it, renames or removes one, or answers a Report, and kills it before, after or halfway through the n-th:
all of SCHEDULE, or every N-th of it. The scratch directory is kept if a promise was broken."""

import argparse
import collections
import errno
import itertools
import json
import pathlib
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "receivers"), str(TESTS / "faults")]

import peers  # noqa: E402
from faults import FaultyGateway  # noqa: E402
from lab import notices  # noqa: E402
from lab.fabric import Fabric  # noqa: E402
from lab.gateway import section  # noqa: E402
from lab.own_mib import OWN  # noqa: E402
from lab.processes import LabError, wait_until  # noqa: E402
from lab.receivers import File, Snmptrapd, syslog_message  # noqa: E402
from model import Model, Violation, expect  # noqa: E402

EVENT = "system-image-guid-change"
GUID, EVENT_ID = "1.3.6.1.3.117.3.1.1.6.0", f"{OWN}.1.1.1.0"
ROWS = 1000  # the journal's limit, low enough for retention to drop rows
RECEIVER_EVERY = 4  # kills, on average: with one of them, the collector that confirms dies, too
REST_EVERY, REST_AFTER = 8, ROWS // 2  # kills; Reports: without a rest, receivers fall behind until retention drops events
TRIES, PATIENCE = 4, 4  # as OpenSM does: sends a Report four times, within seconds


class Manager(Snmptrapd):
    def decode(self, entry):
        values = {one.oid: one.value for one in super().decode(entry).varbinds}
        return (int.from_bytes(values[GUID], "big"), values[EVENT_ID].decode()) if GUID in values else None


class Collector(peers.Rsyslogd):
    def decode(self, entry):
        if EVENT not in entry:
            return None
        data = syslog_message(entry.encode()).data
        return int(data["systemImageGuid"], 0), data["id"]


class Output(File):
    """A file receiver's file. If a kill truncates a line, the next run ends that line and writes the event again."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def decode(self, entry):
        if EVENT not in entry or not entry.endswith("}"):
            return None
        event = json.loads(entry)
        return int(event["systemImageGuid"], 16), event["id"]


# Points of a kill: what ibtrapd does meanwhile, the kind of call, when in the call, and which one of its kind.
SCHEDULE = [
    (way, kind, when, nth)
    for way in ("load", "reload", "rename", "prune", "heal", "stop", "start")
    for kind, whens, last in (("write", ("before", "after", "inside"), 16), ("sync", ("before", "after"), 4),
                              ("name", ("before", "after"), 2), ("answer", ("before", "after"), 8))
    for when, nth in itertools.product(whens, range(1, last + 1))
]


class Receivers:
    """Real peers of different kinds, and two files."""

    def __init__(self, fabric):
        self.snmptrapd = fabric.keep(Manager(fabric.directory))
        self.rsyslog = {kind: fabric.keep(Collector(fabric.directory, kind)) for kind in ("tcp", "relp")}
        self.files = {name: Output(fabric.directory / f"{name}.json") for name in ("file", "synced")}

    def sections(self, rate, names):
        """The sections. A changed rate makes a reload replace all receivers; `names` is a part of each name."""
        syslog = {kind: f"127.0.0.1:{one.port}" for kind, one in self.rsyslog.items()}
        return "".join([
            section("snmp", f"informs{names}", address=self.snmptrapd.address, inform=True, extra_varbinds=True, rate=rate),
            *(section("syslog", f"{kind}{names}", transport=kind, address=at, rate=rate) for kind, at in syslog.items()),
            section("file", f"file{names}", path=self.files["file"].path, rate=rate),
            section("file", f"synced{names}", path=self.files["synced"].path, sync=True, rate=rate),
        ])

    def got(self):
        """For each receiver, the (number, identifier) of the Reports' events, in order."""
        inboxes = {"informs": self.snmptrapd, **self.rsyslog, **self.files}
        return {name: [one for one in inbox.poll() if one] for name, inbox in inboxes.items()}


class Mortal(FaultyGateway):
    """A gateway whose configuration the test changes."""

    def __init__(self, fabric, receivers):
        super().__init__(fabric, more=receivers.sections(0, ""))
        self.receivers = receivers
        self.rate, self.names = 0, ""

    def configure(self, standby=False):
        self._receivers = [self.receivers.sections(self.rate, self.names)]
        self._fabric_items["active"] = "with-master-sm" if standby else "always"
        self._write_config()

    def _write_config(self):
        """Replaces the file atomically, because the gateway may be reading it."""
        config, self.config = self.config, self.config.with_suffix(".new")
        super()._write_config()
        self.config.write_text(self.config.read_text().replace("journal {", f"journal {{ rows = {ROWS}"))
        self.config = self.config.replace(config)

    def wait_port(self):
        return self.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")


class Storm:
    """Sends Reports as a subnet manager does: again if they are not answered."""

    def __init__(self, fabric, model):
        self.client = fabric.client("sm1")
        self.lid = fabric.lid_of("monitor")
        self.model = model
        self.pending = collections.OrderedDict()  # number: (TransactionID, tries, until)
        self.numbers = {}  # by TransactionID

    def send(self, count, uncertain=False):
        first = len(self.model.sent) + 1
        for number in range(first, first + count):
            tid = self.client.next_tid()
            self.numbers[tid] = number
            self.model.sent.add(number)
            if uncertain:
                self.model.uncertain.add(number)
            self.pending[number] = (tid, 1, time.monotonic() + PATIENCE)
            self._report(number, tid)
        return range(first, first + count)

    def send_again(self):
        for number, (tid, tries, until) in list(self.pending.items()):
            if tries == TRIES or time.monotonic() > until:
                del self.pending[number]
            else:
                self.pending[number] = (tid, tries + 1, until)
                self._report(number, tid)

    def collect(self, seconds):
        """Collects the answers that arrive within some seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                answer = self.client.receive(max(0.01, left))
            except LabError:
                continue  # there was no gateway to deliver a Report to
            if answer:
                self._answered(int.from_bytes(answer[1][12:16], "big"))

    def _answered(self, tid):
        expect(tid in self.numbers, "answer", f"an answer to no Report: TransactionID {tid:#x}")
        self.model.acknowledged.add(self.numbers[tid])
        self.pending.pop(self.numbers[tid], None)

    def _report(self, number, tid):
        self.client.report(notices.system_image_guid_change(6, number), self.lid, tid)


class Trial:
    """Kills one gateway many times."""

    def __init__(self, fabric, seed):
        self.chance = random.Random(seed)
        self.model = Model()
        self.receivers = Receivers(fabric)
        self.gateway = fabric.keep(Mortal(fabric, self.receivers))
        self.storm = Storm(fabric, self.model)
        self.done = collections.Counter()
        self.sequence = 0  # the last row seen in the journal
        self.first = 1  # the first row that the journal still has
        self.point = None  # at which the next kill comes; None: at a random time
        self.met = self.missed = 0  # points
        self.receivers_killed = 0
        self.rested = 0  # the last Report before a rest

    WAYS = {"load": 8, "start": 3, "reload": 4, "rename": 4, "prune": 3, "standby": 2, "stop": 2}

    def run(self, kills):
        for kill in range(kills):
            self._rest_if_due(kill)
            if kill % 100 == 99:
                print(self.summary(), flush=True)
            way = self.chance.choices(list(self.WAYS), self.WAYS.values())[0]
            self.done[way] += 1
            getattr(self, f"_kill_at_{way}")()
            self._kill_and_start()
        self._finish()

    def run_points(self, points):
        for number, (way, *self.point) in enumerate(points):
            self._rest_if_due(number)
            if number % 100 == 99:
                print(self.summary(), flush=True)
            self.done[way] += 1
            getattr(self, f"_kill_at_{way}")()
            self._await_point()
            self._kill_and_start()
        self.point = None
        self._finish()

    def _arm(self):
        if self.point:
            self.gateway.faults.arm(*self.point)

    def _await_point(self):
        """Waits for the kill. It may not come: the gateway may do less than that."""
        end = time.monotonic() + 1.5
        while self.gateway.process.popen.poll() is None and time.monotonic() < end:
            self.storm.collect(0.02)
        died = self.gateway.process.popen.poll() == -signal.SIGKILL
        self.gateway.faults.kill_at = 0
        self.met += died
        self.missed += not died

    def _burst(self, uncertain=False):
        return self.storm.send(self.chance.randrange(5, 60), uncertain)

    def _wait(self, most):
        """Collects answers for a random time, which may be zero."""
        self.storm.collect(max(0, self.chance.uniform(-most / 2, most)))

    def _ready(self):
        self.gateway.wait_port()
        self._look_into_journal()
        self.storm.send_again()
        self._arm()

    def _kill_at_load(self):
        self._ready()
        self._burst()
        self._wait(0.05)

    def _kill_at_start(self):
        """Kills the process that the previous kill has just started."""
        if self.point:
            self._arm()
            self._kill_and_start()
            self._burst()
        self._wait(0.2)

    def _kill_at_heal(self):
        """Kills it when the disk is not full any more. Until then it acknowledges what is in memory only."""
        point, self.point = self.point, None
        self._ready()
        self.storm.collect(0.1)
        self.storm.pending.clear()
        self.gateway.faults.write_errno = errno.ENOSPC
        self._burst(uncertain=True)
        self.gateway.wait_status(lambda one: not one["journal"]["durable"], "it to go on in memory")
        self.storm.collect(0.1)
        self.storm.pending.clear()
        self.point = point
        self._arm()
        self.gateway.faults.write_errno = 0
        self._wait(1)

    def _kill_at_reload(self):
        self._ready()
        self.gateway.rate = self.chance.choice([0, 5000, 20000])
        self.gateway.configure()
        self._burst()
        self.gateway.process.popen.send_signal(signal.SIGHUP)
        self._burst()
        self._wait(0.08)

    def _kill_at_rename(self):
        """All receivers get other names."""
        self._ready()
        self._burst()
        self.gateway.names = self.chance.choice(["", "-b", "-c"])
        self.gateway.configure()
        self.gateway.process.popen.send_signal(signal.SIGHUP)
        self._burst()
        self._wait(0.08)

    def _kill_at_prune(self):
        self._ready()
        self._burst()
        self._wait(0.05)
        self.gateway.control("journal", "prune", "0", check=False)  # it may be killed meanwhile
        self._burst()
        self._wait(0.05)

    def _kill_at_standby(self):
        self._ready()
        self.storm.collect(0.1)
        self.storm.pending.clear()  # for Reports that are pending now, either outcome is right
        self.gateway.configure(standby=True)
        self.gateway.process.popen.send_signal(signal.SIGHUP)
        self._burst(uncertain=True)
        self.gateway.wait_status(lambda one: not one["role"]["active"], "it to stand by")
        numbers = self._burst(uncertain=True)
        self._wait(0.1)
        self.model.held |= set(numbers) & self.model.acknowledged
        self.storm.pending.clear()
        self.gateway.configure()

    def _kill_at_stop(self):
        self._ready()
        self._burst()
        self.gateway.process.popen.send_signal(signal.SIGTERM)
        self._wait(0.05)

    def _rest_if_due(self, kill):
        """Also by Reports: the receiver over TCP confirms nothing unless its process lives for a moment."""
        sent = len(self.model.sent)
        if kill % REST_EVERY == REST_EVERY - 1 or sent - self.rested > REST_AFTER:
            self._rest()
            self.rested = sent

    def _rest(self):
        point, self.point = self.point, None
        self._ready()
        self._check_journal()
        self.point = point
        self.gateway.wait_status(lambda status: all(one["queued"] == 0 for one in status["receivers"]),
                                 "receivers to have all")

    def _check_journal(self):
        checked = self.gateway.control("--file", self.gateway.state / "journal.db", "journal", "check", check=False)
        expect(checked.returncode == 0, "file", checked.stdout + checked.stderr)
        aside = [one.name for one in self.gateway.state.iterdir() if "corrupt" in one.name]
        expect(not aside, "file", f"{aside}")
        dropped = self.gateway.status()["journal"]["dropped"]
        expect(dropped == 0, "retention", f"{dropped} events are counted")

    def _kill_and_start(self):
        """Kills the gateway, and now and then the collector that confirms each message, shortly before or after: what it
        has confirmed is in its file. What other receivers have taken and not written yet would be lost with them."""
        receiver = self.receivers.rsyslog["relp"] if self.chance.randrange(RECEIVER_EVERY) == 0 else None
        first = self.chance.randrange(2) == 0
        if receiver and first:
            receiver.kill()
            self.storm.collect(self.chance.uniform(0, 0.05))
        self.gateway.kill()
        if receiver and not first:
            receiver.kill()
        self.storm.collect(0.02)
        self.gateway.start()
        if receiver:
            receiver.__enter__()
            self.receivers_killed += 1

    def _look_into_journal(self):
        """Call it only while the gateway runs: the last connection to close the file would move the WAL's pages."""
        database = sqlite3.connect(f"file:{self.gateway.state / 'journal.db'}?mode=ro", uri=True, timeout=10)
        rows = database.execute("SELECT sequence, id FROM event WHERE sequence > ?", (self.sequence,)).fetchall()
        self.first = database.execute("SELECT min(sequence) FROM event").fetchone()[0] or self.first
        database.close()
        self.model.journalled(rows)
        self.sequence = max([self.sequence, *(sequence for sequence, _ in rows)])

    def _finish(self):
        self._ready()
        self.storm.collect(0.5)
        self._look_into_journal()
        self._check_journal()
        try:
            wait_until(lambda: not any(self.model.missing(events) for events in self.receivers.got().values()),
                       "all that was acknowledged to arrive")
        except LabError:
            pass  # the model reports the missing events
        self.model.check(self.receivers.got())

    def summary(self):
        got = self.receivers.got()
        repeats = {name: len(events) - len(set(events)) for name, events in got.items()}
        ways = ", ".join(f"{count} at {way}" for way, count in self.done.items())
        points = f", {self.met} at their point, {self.missed} behind the last" if self.met else ""
        receivers = f", {self.receivers_killed} with a receiver" if self.receivers_killed else ""
        return (f"{sum(self.done.values())} kills ({ways}{points}{receivers}): {len(self.model.sent)} Reports sent, "
                f"{len(self.model.acknowledged)} acknowledged, {len(self.model.held)} suppressed for another gateway, "
                f"the journal is at {self.sequence} and begins at {self.first}; repeats {repeats}")


def run(kills, seed, points=()):
    """Kills at those points or, without any, so often at random times. Prints the actions. Raises Violation if a
    promise was broken."""
    print(f"{len(points) or kills} kills, seed {seed}", flush=True)
    with Fabric() as fabric:
        fabric.subnet_manager().wait_master()
        trial = Trial(fabric, seed)
        try:
            if points:
                trial.run_points(points)
            else:
                trial.run(kills)
        except BaseException:
            kept = pathlib.Path(tempfile.mkdtemp(prefix="ibtrapd-kills-")) / "fabric"
            shutil.copytree(fabric.directory, kept, ignore=shutil.ignore_patterns("*.sock"))
            print(f"what was left is in {kept}; {trial.summary()}", file=sys.stderr, flush=True)
            raise
        print(trial.summary(), flush=True)
        return trial


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--points", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    try:
        run(arguments.kills, arguments.seed, SCHEDULE[::arguments.every] if arguments.points else ())
    except Violation as violation:
        sys.exit(f"a promise was broken: {violation}")


if __name__ == "__main__":
    main()
