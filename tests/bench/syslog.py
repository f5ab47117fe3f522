#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures syslog over TCP and RELP to a real rsyslogd that writes a file, compared with a bare loop that sends the
same messages. Prints a table on standard error, JSON on standard output."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab.processes import Process, wait_until  # noqa: E402
from lab.sockets import free_port  # noqa: E402
from receivers.peers import accepting  # noqa: E402

import drive  # noqa: E402
import report  # noqa: E402

EVENTS = 200000
RUNS = 3
INPUTS = {
    "tcp": 'module(load="imtcp")\ninput(type="imtcp" address="127.0.0.1" port="{port}" ruleset="all")',
    "relp": 'module(load="imrelp" ruleset="all")\ninput(type="imrelp" address="127.0.0.1" port="{port}")',
}
CONFIG = """\
global(workDirectory="{work}" maxMessageSize="16k")
template(name="line" type="string" string="%msg%\\n")
ruleset(name="all" queue.type="Direct") {{
    action(type="omfile" file="{path}" template="line" ioBufferSize="256k" flushOnTXEnd="off"
           asyncWriting="on" flushInterval="1")
}}
{input}
"""


class Rsyslogd:
    """rsyslogd with one input and a file."""

    def __init__(self, kind):
        self._kind = kind
        self.port = free_port()

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="ibtrapd-bench-")
        work = pathlib.Path(self._directory.name)
        self._path = work / "messages"
        config = work / "rsyslog.conf"
        config.write_text(CONFIG.format(work=work, path=self._path, input=INPUTS[self._kind].format(port=self.port)))
        self._process = Process("rsyslogd", ["/usr/sbin/rsyslogd", "-n", "-f", config, "-i", work / "pid"],
                                log=work / "log", cwd=work)
        self._process.wait_ready(lambda: accepting(self.port), "rsyslogd to listen")
        return self

    def __exit__(self, *_):
        self._process.stop()
        self._directory.cleanup()

    def lines(self):
        if not self._path.exists():
            return 0
        with open(self._path, "rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))

    def check(self, count):
        """Waits until the file has that many messages, so that none is lost."""
        wait_until(lambda: self.lines() >= count, f"{count} messages", interval=0.2)
        if self.lines() != count:
            raise SystemExit(f"{self.lines()} messages instead of {count}")


def by_gateway(kind):
    with Rsyslogd(kind) as receiver:
        section = drive.receiver("syslog", address=f"127.0.0.1:{receiver.port}", transport=kind)
        done = drive.flood(section, reports=EVENTS, hold="bench")
        receiver.check(EVENTS)
    return {"perS": done["drainPerS"], "cpuUs": done["drainCpuUs"]}


def by_bare_loop(kind):
    with Rsyslogd(kind) as receiver:
        done = drive.run("bench-bare-syslog", kind, receiver.port, EVENTS)
        receiver.check(EVENTS)
    return {"perS": done["perS"], "cpuUs": done["cpuUs"]}


def main():
    results, rows = [], []
    for kind in INPUTS:
        for name, function in (("ibtrapd", by_gateway), ("bare loop", by_bare_loop)):
            one = {"transport": kind, "by": name} | report.median_of(RUNS, lambda: function(kind))
            results.append(one)
            rows.append(list(one.values()))
    report.table(["transport", "by", "events/s", "CPU us/event"], rows)
    report.emit("syslog", results)


if __name__ == "__main__":
    main()
