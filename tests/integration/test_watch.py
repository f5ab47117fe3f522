# SPDX-License-Identifier: BSD-2-Clause
"""ibtrapctl watch at a terminal (lab/terminal.py)."""

import contextlib
import os
import pty
import signal
import subprocess
import termios
import time

import pytest
from lab.gateway import IBTRAPCTL
from lab.processes import DEADLINE, LabError, wait_until
from lab.terminal import Terminal

SWEEP = {"method": "smp", "interval": 3600, "settle": 300}
LINES, COLUMNS = 30, 110
ALTERNATE = ("\033[?1049h", "\033[?1049l")  # a screen of its own, and back


class Watch(Terminal):
    """A terminal with ibtrapctl watch in it."""

    def __init__(self, gateway, **environment):
        super().__init__([IBTRAPCTL, "--socket", gateway.socket, "watch"], LINES, COLUMNS, **environment)

    def shows(self, *texts):
        """Waits until each text is in a line of the screen, and returns the lines."""
        seen = []

        def there():
            seen[:] = self.lines()
            return all(any(text in line for line in seen) for text in texts)

        with contextlib.suppress(LabError):
            wait_until(there, "the screen")
        assert all(any(text in line for line in seen) for text in texts), (texts, seen)
        return seen

    def ended(self):
        """The exit status, once the terminal is as it was before."""
        deadline = time.monotonic() + DEADLINE
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read()
        self.read()
        text = self.written.decode()
        assert text.rindex(ALTERNATE[1]) > text.rindex(ALTERNATE[0])
        assert "\033[?25h" in text[text.rindex("\033[?25l"):] or "\033[?12l\033[?25h" in text  # the cursor
        assert termios.tcgetattr(self.follower) == self.before
        return self.process.returncode


@pytest.fixture
def site(open_site):
    opened = open_site(sweep=SWEEP)
    opened.gateway.wait_subscribed()
    opened.gateway.wait_nodes(8)
    return opened


@pytest.fixture
def watch(site):
    with contextlib.ExitStack() as stack:

        def start(**environment):
            terminal = Watch(site.gateway, **environment)
            stack.callback(terminal.close)
            return terminal

        yield start


def alarms(site):
    return site.gateway.listed_alarms()


def part(lines, title):
    """The lines below a title, up to the next one."""
    at = next(i for i, line in enumerate(lines) if line.startswith(title)) + 1
    after = (i for i in range(at, len(lines)) if lines[i].split(" ")[0] in ("ALARMS", "RECEIVERS", "EVENTS"))
    return [line for line in lines[at:next(after, len(lines) - 1)] if line]


def test_what_happens_is_shown(site, watch):
    terminal = watch()
    seen = terminal.shows("No alarm is active.", "RECEIVERS", "q: quit")
    assert seen[0].startswith("gateway OK")
    site.fabric.unlink("leaf1", 12)
    seen = terminal.shows("ALARMS 1")
    [alarm] = alarms(site)
    [line] = part(seen, "ALARMS")
    assert line.startswith("warning") and alarm["text"][:60] in line
    verdicts = terminal.lines()[:2]
    assert verdicts[0].startswith("fabric WARNING: ") and verdicts[1].startswith("gateway OK: "), verdicts
    terminal.shows(alarm["text"][:60])
    assert any(alarm["text"][:60] in line for line in part(terminal.lines(), "EVENTS"))
    site.fabric.relink("leaf1", 12)
    terminal.shows("No alarm is active.")
    terminal.press("q")
    assert terminal.ended() == 0


def test_the_worst_alarm_comes_first_and_the_handled_one_last(site, watch):
    site.fabric.unlink("leaf1", 12)
    site.message("link-down")
    site.fabric.unlink("node1")
    wait_until(lambda: len(alarms(site)) == 2, "the alarms of a link and a host")
    terminal = watch()
    lines = part(terminal.shows("ALARMS 2 of 3; "), "ALARMS")
    assert [line for line in lines if "(and 1 that follows) " in line and "node1" in line]
    ranks = [["critical", "error", "warning"].index(line.split()[0]) for line in lines]
    assert ranks == sorted(ranks) and len(ranks) == 2
    handled = lines[0][32:92].removeprefix("(and 1 that follows) ")
    terminal.press("a")
    terminal.shows("Note, Enter acknowledges")
    terminal.press("xy", "erase", " spare cable", "enter")
    terminal.shows("Acknowledged.")
    [one] = [one for one in alarms(site) if one["acknowledged"]]
    assert one["note"] == "x spare cable" and one["text"].startswith(handled)
    terminal.shows("(handled)")
    assert "(handled)" in part(terminal.lines(), "ALARMS")[-1]


def test_escape_acknowledges_nothing(site, watch):
    site.fabric.unlink("leaf1", 12)
    wait_until(lambda: alarms(site), "the alarm")
    terminal = watch()
    terminal.shows("ALARMS 1")
    terminal.press("a", "not this", "escape")
    terminal.shows("Not acknowledged.")
    assert not alarms(site)[0]["acknowledged"]


def test_an_alarm_is_explained(site, watch):
    site.fabric.unlink("leaf1", 12)
    wait_until(lambda: alarms(site), "the alarm")
    terminal = watch()
    terminal.shows("ALARMS 1")
    terminal.press("e")
    terminal.shows("link-down", "Fields", "q: back")
    terminal.press("down", "down")
    terminal.press("q")
    terminal.shows("ALARMS 1", "q: quit")
    terminal.press("q")
    assert terminal.ended() == 0


def test_the_terminal_is_resized(site, watch):
    terminal = watch()
    terminal.shows("q: quit")
    terminal.resize(50, 150)
    wait_until(lambda: "q: quit" in terminal.lines()[49], "the last line to be at the end")
    terminal.resize(8, 30)
    terminal.shows("At least 40 columns")
    terminal.resize(LINES, COLUMNS)
    terminal.shows("RECEIVERS", "q: quit")


def test_a_resize_spoils_no_answer(site, watch):
    terminal = watch()
    terminal.shows("q: quit")
    daemon = site.gateway.process.popen
    daemon.send_signal(signal.SIGSTOP)
    try:
        time.sleep(1.5)  # the next reading has begun, and waits
        terminal.resize(LINES + 5, COLUMNS)
    finally:
        daemon.send_signal(signal.SIGCONT)
    wait_until(lambda: "q: quit" in terminal.lines()[LINES + 4], "the last line to be at the end")
    assert b"UNKNOWN" not in terminal.written


def test_keys_work_while_the_daemon_does_not_answer(site, watch):
    site.fabric.unlink("leaf1", 12)
    wait_until(lambda: alarms(site), "the alarm")
    terminal = watch()
    terminal.shows("ALARMS 1")
    daemon = site.gateway.process.popen
    daemon.send_signal(signal.SIGSTOP)
    try:
        terminal.shows("ibtrapd has not answered for")
        terminal.press("e", "q")
        assert terminal.ended() == 0
    finally:
        daemon.send_signal(signal.SIGCONT)
    assert b"UNKNOWN" not in terminal.written  # the request was not waited for to its end


def test_a_key_that_asks_is_kept_until_the_daemon_answers(site, watch):
    site.fabric.unlink("leaf1", 12)
    wait_until(lambda: alarms(site), "the alarm")
    terminal = watch()
    terminal.shows("ALARMS 1")
    daemon = site.gateway.process.popen
    daemon.send_signal(signal.SIGSTOP)
    try:
        terminal.shows("ibtrapd has not answered for")
        terminal.press("e")
    finally:
        daemon.send_signal(signal.SIGCONT)
    terminal.shows("Fields", "q: back")


def test_all_of_a_page_can_be_read_in_a_small_terminal(site, watch):
    site.fabric.unlink("leaf1", 12)
    wait_until(lambda: alarms(site), "the alarm")
    [alarm] = alarms(site)
    terminal = watch()
    terminal.shows("ALARMS 1")
    terminal.resize(12, 40)
    wait_until(lambda: "up, down" in terminal.lines()[11], "the last line to be at the end")
    terminal.press("e")
    terminal.shows("page up, page down")
    lines = [line for line in site.gateway.control("explain", alarm["id"]).stdout.split("\n") if line]
    assert max(map(len, lines)) > 40 and len(lines) > 12
    end = lines[-1][(len(lines[-1]) - 1) // 40 * 40:].rstrip()
    terminal.press(*[" "] * 20)
    wait_until(lambda: end in terminal.lines()[:11], "the end of the page")


def test_elsewhere_than_in_utf8_a_note_is_ascii(site, watch, tmp_path):
    made = subprocess.run(["localedef", "-i", "en_US", "-f", "ISO-8859-1", tmp_path / "en_US.ISO-8859-1"],
                          capture_output=True, timeout=DEADLINE, check=False)
    if made.returncode != 0:
        pytest.skip("no locales to make one of")
    site.fabric.unlink("leaf1", 12)
    wait_until(lambda: alarms(site), "the alarm")
    terminal = watch(LC_ALL="en_US.ISO-8859-1", LOCPATH=str(tmp_path))
    terminal.shows("ALARMS 1")
    terminal.press("a")
    terminal.shows("Note, Enter acknowledges")
    os.write(terminal.leader, b"caf\xe9 spare\r")
    terminal.shows("Acknowledged.")
    assert alarms(site)[0]["note"] == "caf spare"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_the_terminal_clean(site, watch, number):
    terminal = watch()
    terminal.shows("q: quit")
    terminal.process.send_signal(number)
    assert terminal.ended() != 0


def test_a_gateway_that_stops_and_comes_back(site, watch):
    terminal = watch()
    assert terminal.shows("q: quit")[0].startswith("gateway OK")
    site.gateway.stop()
    terminal.shows("UNKNOWN: cannot reach ibtrapd")
    terminal.press("down", "e", "a")
    site.gateway.start()
    wait_until(lambda: terminal.lines()[0].startswith(("gateway", "fabric")), "the verdict")


def test_colours_are_left_out_where_nobody_wants_them(site, watch):
    coloured, plain = watch(), watch(NO_COLOR="1")
    coloured.shows("q: quit")
    plain.shows("q: quit")
    assert b"\033[1m\033[32m" in coloured.written or b"\033[32m" in coloured.written
    assert b"[32m" not in plain.written


def test_it_needs_a_terminal(site):
    command = [IBTRAPCTL, "--socket", str(site.gateway.socket), "watch"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=DEADLINE, check=False)
    assert done.returncode == 1 and "needs a terminal" in done.stderr and done.stdout == ""
    leader, follower = pty.openpty()
    done = subprocess.run(command, stdin=follower, stdout=follower, stderr=subprocess.PIPE, text=True, timeout=DEADLINE,
                          check=False, env={**os.environ, "TERM": "nonsense"})
    assert done.returncode == 1 and "set TERM" in done.stderr
    os.close(leader)
    os.close(follower)
