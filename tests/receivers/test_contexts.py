# SPDX-License-Identifier: BSD-2-Clause
"""A subagent with thousands of contexts below a real snmpd: each request gets to it with its context."""

import os
import signal

import pytest
from lab.fabric import BUILD
from lab.processes import LabError, Process, wait_until
from lab.snmpd import Snmpd
from lab.tables import Manager, read_line

PROGRAM = BUILD / "tests" / "receivers" / "many_contexts"
CONTEXTS = 2000
ROOT = ".1.3.6.1.4.1.8072.9999.9999.118.2"

# One user may read in all contexts whose names begin so.
ACCESS = """
createUser reader SHA "correct horse"
group readers usm reader
view all included .1
access readers node usm auth prefix all none none
"""


def ask(snmpd, tool, context, oid):
    who = ["-v3", "-u", "reader", "-l", "authNoPriv", "-a", "SHA", "-A", "correct horse", "-n", context]
    return Manager(snmpd.address, who=who).run(tool, oid).strip()


@pytest.fixture
def snmpd(tmp_path):
    with Snmpd(tmp_path, more=ACCESS) as one:
        yield one.start()


@pytest.fixture
def subagent(snmpd, tmp_path):
    one = Process("many_contexts", [PROGRAM, snmpd.socket, CONTEXTS], log=tmp_path / "subagent.log", cwd=tmp_path)
    try:
        wait_until(lambda: one.check() and "up" in one.log_text(), "the contexts to be registered")
        yield one
    finally:
        one.kill()


@pytest.mark.usefixtures("subagent")
def test_each_context_has_its_own_values(snmpd):
    for i in (0, 1, 63, 64, 65, 1000, CONTEXTS - 1):
        context = f"node{i}"
        for tool, oid in (("snmpget", f"{ROOT}.0"), ("snmpgetnext", ROOT), ("snmpwalk", ROOT)):
            assert read_line(ask(snmpd, tool, context, oid).splitlines()[0])[1] == context.encode()
        assert "No Such Instance" in ask(snmpd, "snmpget", context, f"{ROOT}.1")


def test_a_region_gets_another_context(snmpd, subagent):
    assert read_line(ask(snmpd, "snmpget", "node0", f"{ROOT}.0"))[1] == b"node0"
    os.kill(subagent.pid, signal.SIGUSR1)
    wait_until(lambda: "moved" in subagent.log_text(), "the region to be moved")
    wait_until(lambda: "No Such" not in (said := answered(snmpd, "nodemoved")) and said, "the new context")
    assert read_line(answered(snmpd, "nodemoved"))[1] == b"nodemoved"
    assert "No Such" in answered(snmpd, "node0")
    assert read_line(ask(snmpd, "snmpget", "node1", f"{ROOT}.0"))[1] == b"node1"


def answered(snmpd, context):
    """What snmpget says; empty: snmpd does not know the context."""
    try:
        return ask(snmpd, "snmpget", context, f"{ROOT}.0")
    except LabError as error:
        assert "Timeout" in str(error)
        return ""
