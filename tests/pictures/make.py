#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the pictures of terminals in doc/pictures. See run.sh."""

import contextlib
import pathlib
import re
import sys
import time
from datetime import datetime, timedelta

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))

import drawing  # noqa: E402
from lab import notices  # noqa: E402
from lab.fabric import Fabric  # noqa: E402
from lab.gateway import IBTRAPCTL, Gateway, section  # noqa: E402
from lab.processes import LabError, wait_until  # noqa: E402
from lab.receivers import SyslogSink, TrapSocket  # noqa: E402
from lab.terminal import Terminal  # noqa: E402

PICTURES = TOP / "doc" / "pictures"
DAY = datetime(2026, 11, 22, 3, 0, 0)  # of the pictures: not when they were made
UTF8 = {"LC_ALL": "C.UTF-8"}

DEMO = "tests/demo.sh"
DEMO_COLUMNS, DEMO_LINES, DEMO_WINDOW = 100, 600, 37
DEMO_DEADLINE = 30 * 60  # with the build
HEAD, OVERLAP = 2, 2  # lines: of the columns' head; that stay when a step takes another window
PROMPT_SECONDS, STEP_SECONDS, END_SECONDS = 1.5, 3, 8
RULES = re.compile(r"─+  ─+ *")
CLOCK = re.compile(r"\b\d\d:\d\d:\d\d\.\d{3}\b")
PORT = re.compile(r"(?<=127\.0\.0\.1:)\d{5}\b")  # any free one
PORTS = ["50162", "50514"]

WATCH_COLUMNS, WATCH_LINES = 112, 27
WATCH_PAUSE = 5  # seconds between what happens, as its times are shown
STAMP = re.compile(r"\b(?:\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\d(?=Z)")
SWEEP = {"method": "smp", "interval": 3600, "settle": 300}


def save(name, picture):
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / name).write_text(picture)
    print(f"doc/pictures/{name}: {len(picture.encode()) / 1000:.0f} kB")


# The demonstration.

def record_demo():
    """The rows of all that the demonstration prints, on a machine with an InfiniBand port, too."""
    terminal = Terminal([TOP / DEMO, "--simulated"], 24, DEMO_COLUMNS, DEMO_LINES, cwd=TOP, **UTF8)
    with contextlib.closing(terminal):
        deadline = time.monotonic() + DEMO_DEADLINE
        while terminal.process.poll() is None and time.monotonic() < deadline:
            terminal.read(1)
        lines = [line for line in terminal.lines() if line]
        if terminal.process.poll() != 0 or not lines[-1].endswith("none missing."):
            raise LabError(f"{DEMO}:\n" + "\n".join(lines[-20:]))
        rows = drawing.cells(terminal.screen)
        if len(rows) >= DEMO_LINES - 1:
            raise LabError(f"{DEMO} printed more than the {DEMO_LINES} lines that DEMO_LINES has room for")
        return rows


def made_the_same(rows):
    """The rows with the clock at three in the morning at the first step, and with ports that are not by chance."""
    ports = list(dict.fromkeys(PORT.findall("\n".join(map(drawing.text_of, rows)))))
    instead = dict(zip(ports, PORTS, strict=True))
    begin = None
    for row in rows:
        text = PORT.sub(lambda match: instead[match[0]], drawing.text_of(row))
        for match in CLOCK.finditer(text):
            shown = datetime.strptime(match[0], "%H:%M:%S.%f")
            begin = begin or shown
            moved = (DAY + (shown - begin)).strftime("%H:%M:%S.%f")[:-3]
            text = text[:match.start()] + moved + text[match.end():]
        yield drawing.with_text(row, text)


def frames_of(ends, rows):
    """Pairs of the rows above the window's lower edge, and seconds. Steps that are higher than the window take several."""
    yield 1, PROMPT_SECONDS
    begin = 0
    for end in ends:
        yield from ((edge, STEP_SECONDS) for edge in range(begin + DEMO_WINDOW, end, DEMO_WINDOW - OVERLAP))
        yield end, STEP_SECONDS
        begin = end
    yield rows, END_SECONDS


def draw_demo():
    rows = list(made_the_same(record_demo()))
    plain = drawing.Look()
    rows.insert(0, [(character, plain) for character in f"$ {DEMO}".ljust(DEMO_COLUMNS)])
    ends = [number + 1 for number, row in enumerate(rows) if RULES.fullmatch(drawing.text_of(row))]
    save("demo.svg", drawing.picture(
        rows, DEMO_COLUMNS, DEMO, "A recording: what happens on the fabric, and beside it what snmptrapd and syslog get.",
        DEMO_WINDOW, list(frames_of(ends, len(rows))), still=ends[0] - HEAD + DEMO_WINDOW))


# ibtrapctl watch.

class Site:
    """A gateway with two receivers that work and one that does not."""

    def __init__(self, fabric):
        fabric.subnet_manager().wait_master()
        self.fabric = fabric
        traps, self.logs = fabric.keep(TrapSocket()), fabric.keep(SyslogSink())
        names = fabric.directory / "node-name-map"
        hosts = ("sm1", "sm2", "monitor", "node1", "node2", "storage1", "leaf1", "leaf2")
        names.write_text("".join(f'0x{fabric.guid_of(name):016x} "{name}"\n' for name in hosts))
        receivers = (section("snmp", "nms", address=traps.address)
                     + section("syslog", "logs", transport="udp", address=self.logs.address)
                     + section("syslog", "siem", transport="tcp", address="127.0.0.1:6514"))
        self.gateway = fabric.keep(Gateway(fabric, names=names, sweep=SWEEP, policy="", more=receivers))
        self.gateway.wait_subscribed()
        self.gateway.wait_nodes(8)

    def do(self, action, event):
        """Does something and waits until the log server has its event, and a while."""
        self.logs.clear()
        action()
        self.logs.wait_for(lambda one: one.message_id == event, event)
        time.sleep(WATCH_PAUSE)

    def port_errors(self):
        fabric, leaf = self.fabric, self.fabric.client("leaf1")
        notice = notices.port_error(129, leaf.lid, 12, producer=notices.SWITCH)
        notice = notice.issued(issuer_lid=leaf.lid, issuer_gid=fabric.gid_of("leaf1"))
        fabric.client("sm1").report(notice, fabric.lid_of("monitor"))


def at_three(screen):
    """The screen's rows with the clock at three in the morning at the first event."""
    rows = drawing.cells(screen)
    stamps = [stamp[-8:] for row in rows for stamp in STAMP.findall(drawing.text_of(row))]
    begin = datetime.strptime(min(stamps), "%H:%M:%S")
    for row in rows:
        text = drawing.text_of(row)
        for match in STAMP.finditer(text):
            moved = DAY + timedelta(minutes=2) + (datetime.strptime(match[0][-8:], "%H:%M:%S") - begin)
            text = text[:match.start()] + moved.isoformat()[-len(match[0]):] + text[match.end():]
        yield drawing.with_text(row, text)


def shows(terminal, text):
    wait_until(lambda: any(text in line for line in terminal.lines()), f"'{text}' on the screen")


def draw_watch():
    with Fabric() as fabric:
        site = Site(fabric)
        site.do(lambda: fabric.unlink("leaf1", 12), "link-down")
        site.do(lambda: fabric.relink("leaf1", 12), "link-up")
        site.do(site.port_errors, "link-integrity-threshold")
        site.do(lambda: fabric.unlink("leaf1", 12), "link-down")
        site.do(lambda: fabric.unlink("node2"), "host-removed")
        terminal = Terminal([IBTRAPCTL, "--socket", site.gateway.socket, "watch"], WATCH_LINES, WATCH_COLUMNS, **UTF8)
        with contextlib.closing(terminal):
            shows(terminal, "q: quit")
            terminal.press("down", "down", "down", "a")
            shows(terminal, "Enter acknowledges")
            terminal.press("a spare cable is on its way", "enter")
            shows(terminal, "(handled)")
            terminal.press("up", "up")
            shows(terminal, "q: quit")
            rows = list(at_three(terminal.screen))
    save("watch.svg", drawing.picture(rows, WATCH_COLUMNS, "ibtrapctl watch",
                                      "The verdicts, the active alarms, the receivers and the last events, live."))


def main():
    try:
        draw_demo()
        draw_watch()
    except LabError as error:
        sys.exit(f"pictures: {error}")


if __name__ == "__main__":
    main()
