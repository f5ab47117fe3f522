# SPDX-License-Identifier: BSD-2-Clause
"""Reads an SNMP agent's tables with net-snmp's tools, and the same fabric with infiniband-diags."""

import os
import re
import subprocess

from lab.fabric import BUILD
from lab.processes import DEADLINE, LabError

GSW = (1, 3, 6, 1, 3, 2, 2, 1)
MIBS = f"{os.environ.get('IBTRAPD_MIB_BASE', BUILD / 'mib-base')}:{BUILD / 'mibs'}"

LINE = re.compile(r"^\.([0-9.]+) = (?:([A-Za-z0-9-]+): )?(.*)$", re.DOTALL)


class Manager:
    """Queries an agent by SNMPv2c, or with the net-snmp options in `who`."""

    def __init__(self, address, community="public", who=()):
        self.address = address
        self._who = who or ["-v2c", "-c", community]

    def run(self, tool, *arguments, mibs=False, check=True):
        """The output of one of net-snmp's tools, run with the project's MIB modules or with none."""
        modules = ["-M", MIBS, "-m", "IBSWITCH-MIB"] if mibs else ["-M", "", "-m", "", "-Onx"]
        done = subprocess.run([tool, *self._who, "-t", "5", "-r", "2", *modules, *arguments[:-1],
                               self.address, arguments[-1]], capture_output=True, text=True, timeout=6 * DEADLINE,
                              env={**os.environ, "SNMPCONFPATH": "/nonexistent", "LC_ALL": "C"}, check=False)
        if check and done.returncode != 0:
            raise LabError(f"{tool} {arguments}: {done.stdout[-1000:]}{done.stderr}")
        return done.stdout

    def set(self, oid, kind, value):
        """What snmpset says."""
        done = subprocess.run(["snmpset", *self._who, "-t", "5", "-r", "0", "-M", "", "-m", "", self.address, dotted(oid),
                               kind, value], capture_output=True, text=True, timeout=DEADLINE, check=False)
        return done.stdout + done.stderr

    def walk(self, below=GSW, tool="snmpwalk", options=()):
        """OID -> value of all instances below an OID, in the order in which they came."""
        text = self.run(tool, *options, dotted(below))
        lines = re.split(r"\n(?=\.1)", text.strip())
        return dict(read_line(line) for line in lines if "No Such" not in line and "No more variables" not in line)

    def column(self, *ids):
        """Index -> value of a column, or of all scalars and columns below `ids`, which are below gsw."""
        above = GSW + ids
        return {oid[len(above):]: value for oid, value in self.walk(above).items()}


def dotted(oid):
    return "." + ".".join(map(str, oid))


def read_line(line):
    found = LINE.match(line)
    if not found:
        raise LabError(f"net-snmp printed {line!r}")
    oid, kind, value = tuple(map(int, found[1].split("."))), found[2], found[3].strip()
    if kind == "Hex-STRING":
        return oid, bytes.fromhex(value)
    if kind in ("INTEGER", "Gauge32", "Counter32", "Counter64"):
        return oid, int(value)
    if kind is None and value == '""':
        return oid, b""
    return oid, value


def global_id(guid, kind=2):
    """GswGlobalId of a switch, or of a router (3), as octets; tuple() of it is an index."""
    return guid.to_bytes(8, "big") + bytes(7) + bytes([kind])


def fields(text):
    """The output of smpquery or perfquery: name -> value as text."""
    return dict(re.findall(r"^(\w[\w ]*?):\.*(.*?)\s*$", text, re.MULTILINE))


def ask(fabric, program, *arguments):
    return fields(fabric.run([f"/usr/sbin/{program}", *map(str, arguments)], "monitor"))


# A line of `iblinkinfo -l`: a port of a switch, its rate and states, and what is at the other end.
LINK = re.compile(r'^0x([0-9a-f]+) ".*?"\s+(\d+)\s+(\d+)\[ *\] ==\(\s*(?:(\S+)\s+(\S+) Gbps\s+)?(\w+)/\s*(\w+)\)==>'
                  r'\s+(?:0x([0-9a-f]+)\s+\d+\s+(\d+))?')


def switch_ports(fabric):
    """(GUID, port) of each external port of a switch -> (width, Gb/s of a lane, state, physical state, peer's port GUID,
    peer's port), as iblinkinfo prints them; None: not printed."""
    found = {}
    for line in fabric.run(["/usr/sbin/iblinkinfo", "-l", "--switches-only"], "monitor").splitlines():
        match = LINK.match(line)
        if not match:
            raise LabError(f"iblinkinfo printed {line!r}")
        peer = (int(match[8], 16), int(match[9])) if match[8] else (None, None)
        found[int(match[1], 16), int(match[3])] = (match[4], match[5], match[6], match[7], *peer)
    return found
