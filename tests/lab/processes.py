# SPDX-License-Identifier: BSD-2-Clause
"""Child processes that end with the program that started them."""

import contextlib
import ctypes
import os
import pathlib
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)

DEADLINE = 300  # seconds: only what has stopped takes so long, on a busy machine, too


class LabError(Exception):
    """A program of the lab failed, or did not become ready."""


def whole_lines(path):
    """The complete lines of a file that a program is writing. An unfinished last line is omitted; a missing file has no
    lines."""
    return path.read_text().rpartition("\n")[0].splitlines() if path.exists() else []


def wait_until(condition, what, timeout=DEADLINE, interval=0.05):
    """Returns the first true value of condition(); raises LabError after the timeout."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise LabError(f"gave up after {timeout} s waiting for {what}")
        time.sleep(interval)


def die_with_parent():
    """For preexec_fn: the kernel kills the child when its parent ends for whatever reason."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """A program in a process group of its own, its stderr (and stdout, unless piped) in a log file."""

    def __init__(self, name, argv, log, cwd, env=None, stdin=subprocess.DEVNULL, stdout=None):
        self.name = name
        self.log = pathlib.Path(log)
        with open(self.log, "ab") as output:
            self.popen = subprocess.Popen(
                [str(argument) for argument in argv],
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdin=stdin,
                stdout=output if stdout is None else stdout,
                stderr=output,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )

    @property
    def pid(self):
        return self.popen.pid

    @property
    def running(self):
        return self.popen.poll() is None

    def log_text(self):
        return self.log.read_text(errors="replace")

    def check(self):
        if not self.running:
            raise LabError(f"{self.name} ended with status {self.popen.returncode}:\n{self.log_text()[-2000:]}")
        return True

    def wait_ready(self, condition, what):
        """Waits until the program is ready; ends it if that fails."""
        try:
            wait_until(lambda: self.check() and condition(), what)
        except BaseException:
            self.kill()
            raise

    def wait(self, timeout=DEADLINE):
        """Returns the exit status."""
        try:
            return self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self.name} still runs after {timeout} s:\n{self.log_text()[-2000:]}") from None

    def stop(self, sig=signal.SIGTERM, timeout=DEADLINE):
        """Sends SIGTERM, and SIGKILL after the timeout. Returns the exit status."""
        if self.running:
            self._signal(sig)
            try:
                self.popen.wait(timeout)
            except subprocess.TimeoutExpired:
                pass
        self.kill()
        return self.popen.returncode

    def kill(self):
        """Kills the whole process group."""
        self._signal(signal.SIGKILL)
        self.popen.wait()
        for pipe in (self.popen.stdin, self.popen.stdout):
            if pipe:
                with contextlib.suppress(BrokenPipeError):  # of what the program did not read
                    pipe.close()

    def _signal(self, sig):
        try:
            os.killpg(self.pid, sig)
        except ProcessLookupError:
            pass
