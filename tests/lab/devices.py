# SPDX-License-Identifier: BSD-2-Clause
"""Nodes as devices: a gateway below a master agent that lets a manager ask in the context of each node."""

from lab.gateway import Gateway, section
from lab.processes import LabError, wait_until
from lab.snmpd import Snmpd
from lab.tables import Manager

SYSTEM = (1, 3, 6, 1, 2, 1, 1)

# One user may read in all contexts whose names begin with 0002c9; a community has the context of leaf1.
ACCESS = """
createUser reader SHA "correct horse"
group readers usm reader
view all included .1
access readers "" usm auth exact all none none
access readers 0002c9 usm auth prefix all all none
com2sec -Cn 0002c90200c10000 leaf1 127.0.0.1 leaf1
group communities v2c leaf1
access communities 0002c9 v2c noauth prefix all none none
"""


class Devices:
    """A gateway below a master agent, and managers that ask it in contexts."""

    def __init__(self, fabric, contexts=None, sweep=None, **options):
        self._snmpd = fabric.keep(Snmpd(fabric.directory, more=ACCESS)).start()
        self.gateway = fabric.keep(Gateway(fabric, sweep={"interval": 5, "settle": 300} | (sweep or {}), **options,
                                           more=section("subagent", socket=self._snmpd.socket, contexts=contexts)))
        self._fabric = fabric

    def restart_snmpd(self, lines):
        """Starts snmpd anew, with further lines in its configuration."""
        self._snmpd.stop()
        self._snmpd.start(lines)

    def manager(self, name):
        """Asks in the context of a node; an empty name: in the default one."""
        context = ["-n", f"{self._fabric.guid_of(name):016x}"] if name else []
        return Manager(self._snmpd.address, who=["-v3", "-u", "reader", "-l", "authNoPriv", "-a", "SHA",
                                                 "-A", "correct horse", *context])

    def by_community(self, community):
        return Manager(self._snmpd.address, community)

    def wait_for(self, name):
        """A manager in the context of a node, once that has a name."""
        manager = self.manager(name)
        wait_until(lambda: scalars(manager).get(5) == name.encode(), f"the context of {name}")
        return manager


def scalars(manager):
    """The system group by number; empty: nobody answers in that context."""
    try:
        return {oid[-2]: value for oid, value in manager.walk(SYSTEM).items()}
    except LabError as error:
        assert "Timeout" in str(error), error
        return {}


def rows(manager, entry):
    """Index of one number -> {column: value}"""
    found = {}
    for oid, value in manager.walk(entry).items():
        column, index = oid[len(entry):]
        found.setdefault(index, {})[column] = value
    return found
