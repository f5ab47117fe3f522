#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A subnet manager pushes Reports as fast as the SA client accepts them. Measures how many are acknowledged durably and
how many traps are sent, compared with other ways to send traps. Prints a table on standard error, JSON on standard
output."""

import pathlib
import shlex
import subprocess
import tempfile
import time

import drive
import report
from lab.gateway import section
from lab.own_mib import OWN
from lab.sockets import free_port

BURST, SUSTAINED = drive.PORTS, 300000
BARE, FORKED = 300000, 200
RUNS = 3


def nobody(_):
    return section("file", "none", path="/dev/null", events=["link-down"])


def by_gateway(reports, version, policy=None):
    """Measures Reports in and traps of that version out; without a version there is no receiver."""
    port = free_port()

    def receiver(directory):
        items = drive.v3(directory) if version == "3" else {}
        return drive.receiver("snmp", address=f"127.0.0.1:{port}", **items)(directory)

    options = {"policy": policy} if policy is not None else {}
    done = drive.flood(receiver if version else nobody, reports=reports, sink=port if version else 0, **options)
    return {"acknowledgedPerS": done["acknowledgedPerS"], "trapsPerS": done.get("receivedPerS"),
            "cpuUs": done["cpuUs"], "within800msPart": within_800_ms(done)}


def within_800_ms(done):
    """The time to acknowledge a burst, as a share of 0.8 s."""
    return done["acknowledgedS"] / 0.8 if done["reports"] == BURST else None


def as_shipped(reports):
    """Measures with the default policy and the default pace of receivers."""
    port = free_port()
    done = drive.flood(lambda _: section("snmp", "bench", address=f"127.0.0.1:{port}"), policy="", reports=reports)
    return {"acknowledgedPerS": done["acknowledgedPerS"], "cpuUs": done["cpuUs"],
            "within800msPart": within_800_ms(done)}


def by_bare_loop(version):
    done = drive.run("bench-bare-snmp", version, "trap", free_port(), BARE, 1)
    return {"trapsPerS": done["perS"], "cpuUs": done["cpuUs"]}


def snmptrap(version, port):
    user = ["-v", "3", "-e", "0x8000000001020304", "-u", drive.USER, "-l", "authPriv", "-a", "SHA-256",
            "-A", drive.PASSWORD, "-x", "AES", "-X", drive.PASSWORD]
    return ["snmptrap", *(user if version == "3" else ["-v", "2c", "-c", "public"]), f"127.0.0.1:{port}", "",
            f"{OWN}.0.1", f"{OWN}.1.1.0", "s", "host00000 came into service"]


def by_forking(version):
    """Runs snmptrap(1) once for each event, as scripts do."""
    command = snmptrap(version, free_port())
    begin = time.monotonic()
    for _ in range(FORKED):
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return {"trapsPerS": FORKED / (time.monotonic() - begin)}


def by_pipeline():
    """A common script on OpenSM's log: runs snmptrap(1) for each line about a trap."""
    line = ("Nov 21 09:00:00 000000 [1234] 0x02 -> osm_report_notice: Reporting Generic Notice type:3 num:64 "
            "(GID in service) from LID:1 GID:fe80::2:c903:a1:b2c3\n")
    with tempfile.TemporaryDirectory(prefix="ibtrapd-bench-") as directory:
        log = pathlib.Path(directory) / "opensm.log"
        log.write_text(line * FORKED)
        send = shlex.join(snmptrap("2c", free_port())[:-1])
        script = (f'tail -n +1 "{log}" | grep --line-buffered "Reporting Generic Notice" | '
                  f'while read -r line; do {send} "$line"; done')
        begin = time.monotonic()
        subprocess.run(["sh", "-c", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return {"trapsPerS": FORKED / (time.monotonic() - begin)}


MEASURED = [
    ("ibtrapd, 49,151 Reports, no receiver", lambda: by_gateway(BURST, None)),
    ("ibtrapd, 49,151 Reports, as shipped", lambda: as_shipped(BURST)),
    ("ibtrapd, 49,151 Reports, v2c", lambda: by_gateway(BURST, "2c")),
    ("ibtrapd, 49,151 Reports, v3", lambda: by_gateway(BURST, "3")),
    ("ibtrapd, 300,000 Reports, v2c", lambda: by_gateway(SUSTAINED, "2c")),
    ("ibtrapd, 300,000 Reports, v3", lambda: by_gateway(SUSTAINED, "3")),
    ("bare libsnmp loop, v2c", lambda: by_bare_loop("2c")),
    ("bare libsnmp loop, v3", lambda: by_bare_loop("3")),
    ("forked snmptrap, v2c", lambda: by_forking("2c")),
    ("forked snmptrap, v3", lambda: by_forking("3")),
    ("shell pipeline over opensm.log", by_pipeline),
]


def main():
    results = []
    for name, function in MEASURED:
        results.append({"what": name, **report.median_of(RUNS, function)})
    columns = ("acknowledgedPerS", "within800msPart", "trapsPerS", "cpuUs")
    report.table(["what", "Reports/s acknowledged", "of 0.8 s", "traps/s", "CPU us each"],
                 [[one["what"], *(one.get(column) or "" for column in columns)] for one in results])
    report.emit("flood", results)


if __name__ == "__main__":
    main()
