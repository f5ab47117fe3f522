#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that the flood benchmarks run and lose no event, with a small flood to a receiver of traps. Measures
nothing."""

import drive
from lab.sockets import free_port

EVENTS = 2000


def main():
    for version in ("2c", "3"):
        port = free_port()

        def receiver(directory):
            items = drive.v3(directory) if version == "3" else {}
            return drive.receiver("snmp", address=f"127.0.0.1:{port}", **items)(directory)

        done = drive.flood(receiver, reports=EVENTS, sink=port)  # checks every event
        if version == "2c" and done["misplaced"]:
            raise SystemExit(f"{done['misplaced']} traps out of their turn")
        drive.run("bench-bare-snmp", version, "trap", port, EVENTS, 1)


if __name__ == "__main__":
    main()
