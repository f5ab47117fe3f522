# SPDX-License-Identifier: BSD-2-Clause
"""A terminal with a program in it. What its screen shows is what a terminal emulator (pyte) makes of the output."""

import os
import pty
import select
import signal
import subprocess
import termios

import pyte
from lab.processes import DEADLINE, die_with_parent

KEYS = {"up": "\033OA", "down": "\033OB", "escape": "\033", "enter": "\r", "erase": "\177"}


DIM = 2  # an attribute of ECMA-48


class Stream(pyte.ByteStream):
    """pyte's, which does not know CSI S and CSI T: scroll up, scroll down."""

    csi = {**pyte.ByteStream.csi, "S": "scroll_up", "T": "scroll_down"}
    events = pyte.ByteStream.events | {"scroll_up", "scroll_down"}


class Screen(pyte.Screen):
    """pyte's, which does not know dim text: here it is grey. It scrolls by deleting and inserting lines at the top."""

    def scroll_up(self, count=1):
        self._at_the_top(lambda: self.delete_lines(count))

    def scroll_down(self, count=1):
        self._at_the_top(lambda: self.insert_lines(count))

    def _at_the_top(self, change):
        x, y = self.cursor.x, self.cursor.y
        self.cursor.y = self.margins.top if self.margins else 0
        change()
        self.cursor.x, self.cursor.y = x, y

    def select_graphic_rendition(self, *attributes, **keywords):
        super().select_graphic_rendition(*attributes, **keywords)
        if attributes[-1:] == (DIM,):
            self.cursor.attrs = self.cursor.attrs._replace(fg="grey")


class Terminal:
    """Runs a program with `lines` and `columns`, both ends open until close().

    height: lines of the emulated screen, if more, so that nothing scrolls out of it."""

    def __init__(self, command, lines, columns, height=None, cwd=None, **environment):
        self.screen = Screen(columns, height or lines)
        self.stream, self.written = Stream(self.screen), b""
        self.leader, self.follower = pty.openpty()
        termios.tcsetwinsize(self.follower, (lines, columns))
        self.before = termios.tcgetattr(self.follower)
        self.process = subprocess.Popen([str(part) for part in command], cwd=cwd, stdin=self.follower,
                                        stdout=self.follower, stderr=self.follower, start_new_session=True,
                                        preexec_fn=die_with_parent,
                                        env={**os.environ, "TERM": "xterm", **environment})

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(DEADLINE)
        os.close(self.leader)
        os.close(self.follower)

    def read(self, seconds=0.05):
        while select.select([self.leader], [], [], seconds)[0]:
            chunk = os.read(self.leader, 65536)
            self.written += chunk
            self.stream.feed(chunk)
            seconds = 0

    def lines(self):
        self.read()
        return [line.rstrip() for line in self.screen.display]

    def press(self, *keys):
        for key in keys:
            os.write(self.leader, KEYS.get(key, key).encode())

    def resize(self, lines, columns):
        self.screen.resize(lines, columns)
        termios.tcsetwinsize(self.leader, (lines, columns))
        os.killpg(self.process.pid, signal.SIGWINCH)
