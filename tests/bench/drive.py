# SPDX-License-Identifier: BSD-2-Clause
"""Runs bench-flood: the whole gateway, flooded with Reports, with a benchmark's receivers."""

import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab.fabric import BUILD  # noqa: E402
from lab.gateway import EVERYTHING, section  # noqa: E402

PROGRAMS = BUILD / "tests" / "bench"
PORTS = 49151  # as FLOOD_SM_PORTS
FIRST_GUID = 0x0002c9f000000000
LIMIT_S = 300
USER, PASSWORD = "bench", "correct horse"


def run(program, *arguments, limit_s=LIMIT_S):
    """Runs a program of tests/bench, returns the JSON it prints."""
    done = subprocess.run([PROGRAMS / program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=limit_s, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{program} failed:\n{done.stderr[-3000:]}{done.stdout}")
    return json.loads(done.stdout)


def secret(directory):
    """A file with the password of SNMPv3."""
    path = pathlib.Path(directory) / "password"
    path.write_text(PASSWORD + "\n")
    path.chmod(0o600)
    return path


def v3(directory):
    """The items of a section "snmp" for SNMPv3 with SHA-256 and AES-128."""
    return {"version": "3", "user": USER, "auth": "SHA-256", "auth_password_file": secret(directory),
            "privacy": "AES", "privacy_password_file": secret(directory)}


def journalled(path):
    """How many of the flood's events are on disk."""
    with sqlite3.connect(path) as journal:
        return journal.execute("SELECT count(*) FROM event WHERE type = 'gid-in-service'").fetchone()[0]


def check(done, stored):
    """Checks that no event was lost."""
    counts = {"acknowledged": done["acknowledged"], "journalled": stored, "received": done.get("received", stored),
              "sent": done.get("sent", stored)}
    if set(counts.values()) != {done["reports"]}:
        raise SystemExit(f"of {done['reports']} Reports: {counts}")
    return done


def flood(receivers, policy=EVERYTHING, rows=None, limit_s=LIMIT_S, **options):
    """Sends Reports to a new gateway. `receivers` makes sections from a directory; `options` are bench-flood's. `rows`:
    the journal keeps no more, and its events are not counted."""
    with tempfile.TemporaryDirectory(prefix="ibtrapd-bench-") as directory:
        here = pathlib.Path(directory)
        names = here / "names"
        names.write_text("".join(f'0x{FIRST_GUID + i:016x} "host{i:05}"\n' for i in range(PORTS)))
        config = here / "ibtrapd.conf"
        config.write_text(
            section("fabric", node_name_map=names) + section("sweep", method="off") + section("counters", ports="off")
            + section("journal", directory=here / "state", **({"rows": rows} if rows else {})) + policy + receivers(here)
            + section("control", socket=here / "ctl") + section("log", level="warning"))
        done = run("bench-flood", config, *(f"{name}={value}" for name, value in options.items()), limit_s=limit_s)
        return check(done, done["reports"] if rows else journalled(here / "state" / "journal.db"))


def receiver(kind, **items):
    """Returns a function that makes the section of the only receiver, unpaced and limited to the flood's events."""
    return lambda directory: section(kind, "bench", events=["gid-in-service"], rate=0, **items)
