#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sends informs to a real snmptrapd, 64 in flight, with the gateway and, in turn, with a bare loop over libsnmp that
sends the same ones. Prints a table on standard error, JSON on standard output."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab.processes import Process  # noqa: E402
from lab.receivers import listening  # noqa: E402
from lab.sockets import free_port  # noqa: E402

import drive  # noqa: E402
import process  # noqa: E402
import report  # noqa: E402

EVENTS, WINDOW = 20000, 64
RUNS = 5


class Snmptrapd:
    """snmptrapd, which formats each notification and discards it."""

    def __init__(self):
        self.port = free_port()

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="ibtrapd-bench-")
        work = pathlib.Path(self._directory.name)
        config = work / "snmptrapd.conf"
        config.write_text("disableAuthorization yes\n"
                          f'createUser {drive.USER} SHA-256 "{drive.PASSWORD}" AES "{drive.PASSWORD}"\n')
        self._process = Process(
            "snmptrapd", ["/usr/sbin/snmptrapd", "-f", "-n", "-C", "-c", config, "-p", work / "pid", "-Lf", "/dev/null",
                          "-m", "", "-On", f"udp:127.0.0.1:{self.port}"],
            log=work / "log", cwd=work, env={"SNMP_PERSISTENT_DIR": str(work), "SNMPCONFPATH": str(work)})
        self._process.wait_ready(lambda: listening(self.port), "snmptrapd to listen")
        return self

    def __exit__(self, *_):
        self._process.stop()
        self._directory.cleanup()

    def cpu_us(self):
        """snmptrapd's processor time for each inform."""
        return process.cpu_seconds(self._process.pid) * 1e6 / EVENTS


def by_gateway(version):
    with Snmptrapd() as receiver:
        def section(directory):
            items = drive.v3(directory) if version == "3" else {}
            return drive.receiver("snmp", address=f"127.0.0.1:{receiver.port}", inform=True, window=WINDOW,
                                  **items)(directory)
        done = drive.flood(section, reports=EVENTS, hold="bench")
        return {"perS": done["drainPerS"], "cpuUs": done["drainCpuUs"], "receiverCpuUs": receiver.cpu_us()}


def by_bare_loop(version):
    with Snmptrapd() as receiver:
        done = drive.run("bench-bare-snmp", "3" if version == "3" else "2c", "inform", receiver.port, EVENTS, WINDOW)
        return {"perS": done["perS"], "cpuUs": done["cpuUs"], "receiverCpuUs": receiver.cpu_us()}


def both(version):
    own, bare = by_gateway(version), by_bare_loop(version)
    ratio = own["perS"] / bare["perS"]
    return {f"own {key}": value for key, value in own.items()} | {f"bare {key}": value for key, value in bare.items()} \
        | {"ratio": ratio}


def main():
    results, rows = [], []
    for version in ("2c", "3"):
        done = report.median_of(RUNS, lambda: both(version))
        for key, name in (("own", "ibtrapd"), ("bare", "bare loop")):
            one = {what: done[f"{key} {what}"] for what in ("perS", "cpuUs", "receiverCpuUs")}
            results.append({"version": version, "by": name, **one, "ratio": done["ratio"] if key == "own" else 1.0})
            rows.append(list(results[-1].values()))
    report.table(["version", "by", "informs/s", "CPU us each", "snmptrapd's", "of the bare loop"], rows)
    report.emit("informs", results)


if __name__ == "__main__":
    main()
