#!/usr/bin/python3
"""Whether the benchmarks of the flow run, and nothing is lost in them: a small flood to a receiver of traps. Says nothing
of how long it took."""

import drive
from lab.sockets import free_port

EVENTS = 2000


def main():
    for version in ("2c", "3"):
        port = free_port()

        def receiver(directory):
            items = drive.v3(directory) if version == "3" else {}
            return drive.receiver("snmp", address=f"127.0.0.1:{port}", **items)(directory)

        done = drive.flood(receiver, reports=EVENTS, sink=port)  # checks what became of each
        if version == "2c" and done["misplaced"]:
            raise SystemExit(f"{done['misplaced']} traps out of their turn")
        drive.run("bench-bare-snmp", version, "trap", port, EVENTS, 1)


if __name__ == "__main__":
    main()
