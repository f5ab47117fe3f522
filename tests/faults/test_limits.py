# SPDX-License-Identifier: BSD-2-Clause
"""No descriptors, no threads, no memory: ibtrapd reports the failure and continues, or says why it cannot start."""

import os
import re
import resource

import pytest
from faults import LIBRARIES, FaultyGateway
from lab.gateway import section
from lab.processes import DEADLINE, LabError, wait_until
from peers import Authority
from peers_that_fail import Receiver, TlsReceiver
from reports import Reporter, file_section, wait_port

ALL = os.environ.get("IBTRAPD_FAULTS") == "all"  # fails every allocation; by hand


@pytest.fixture
def machine(fabric):
    """A gateway on a machine that can fail. The test starts it."""
    fabric.subnet_manager().wait_master()
    gateway = FaultyGateway(fabric, more=file_section(fabric.directory / "events.json"))
    gateway.directory.mkdir()
    gateway._write_config()
    return gateway


def runs_or_says_why(gateway):
    """Whether it runs. Otherwise it must have said why; it must not crash."""

    def settled():
        return not gateway.process.running or (gateway.status() or {}).get("port", {}).get("lid")

    wait_until(settled, "it to run or to end")
    if gateway.process.running:
        return True
    assert gateway.process.popen.returncode == 1, gateway.log[-3000:]
    return False


# The threads in the order of their starts: the signals', those of slow answers, of changes and of reloads, the WAL's, the
# journal's, the pipeline's, two receivers', the SA client's, the one that waits for adapter events, the sweeper's, the
# tables'. The gateway can run without the WAL's, the journal's and the one for adapter events.
NEEDED = [True, True, True, True, False, False, True, True, True, True, False, True, True]


@pytest.mark.parametrize("n, needed", enumerate(NEEDED, 1))
def test_a_thread_that_does_not_start(machine, fabric, n, needed):
    config = machine.config.read_text().replace('method = "off"', 'method = "smp"')
    machine.config.write_text(config + section("subagent", socket=fabric.directory / "nobody"))
    machine.faults.thread = n
    machine.start()
    started = runs_or_says_why(machine)
    assert machine.faults.thread == 0 and started == (not needed)
    if needed:
        assert re.search("cannot start the (pipeline|thread)", machine.log)
        machine.start()
        wait_port(machine)
    reporter = Reporter(fabric, machine)
    reporter.send(3)
    reporter.wait_file(fabric.directory / "events.json")
    machine.stop()


def test_a_thread_that_does_not_start_at_a_reload(machine, fabric):
    """The reload is refused with a reason and changes nothing; the next one works."""
    machine.start()
    wait_port(machine)
    machine.config.write_text(machine.config.read_text() + file_section(fabric.directory / "late.json", "late"))
    machine.faults.thread = 1
    with pytest.raises(LabError, match="cannot start the thread"):
        machine.control("reload")
    reporter = Reporter(fabric, machine)
    reporter.send(3)
    reporter.wait_file(fabric.directory / "events.json")
    machine.control("reload")
    reporter.send(3)
    reporter.wait_file(fabric.directory / "late.json")
    machine.stop()


@pytest.mark.parametrize("part, is_there", [
    ('subagent { socket = "/nowhere/agentx" }\n', lambda status: status["tables"]),
    ("", lambda status: (status["sweep"] or {}).get("sweeps"))], ids=["subagent", "sweeper"])
def test_a_part_that_does_not_start_at_a_reload_starts_at_the_next(machine, part, is_there):
    """What the reload has put in force stays so, and lacks the part."""
    machine.start()
    wait_port(machine)
    config = machine.config.read_text()
    assert not is_there(machine.status())
    machine.config.write_text(config + part if part else config.replace('method = "off"', 'method = "smp"'))
    machine.faults.thread = 1
    with pytest.raises(LabError, match="cannot start the thread"):
        machine.control("reload")
    machine.control("reload")
    machine.wait_status(is_there, "the part to work")
    machine.stop()


def test_a_thread_that_does_not_start_to_look_up_a_name(machine, fabric):
    """The receiver resolves the name again."""
    with Receiver() as receiver:
        port = receiver.socket.getsockname()[1]
        late = section("syslog", "late", transport="tcp", address=f"moving.test:{port}")
        machine.config.write_text(machine.config.read_text() + late)
        machine.faults.address = 1
        machine.start()
        wait_port(machine)
        wait_until(lambda: receiver.connections == 1, "the connection")
        reporter = Reporter(fabric, machine)
        machine.faults.thread = 1
        receiver.drop()
        reporter.send(5)
        wait_until(lambda: machine.faults.thread == 0, "the thread")
        wait_until(lambda: set(receiver.numbers) == set(reporter.numbers), "all events")
    machine.stop()


def test_memory_that_is_short_while_it_starts(machine, fabric):
    machine.start()
    runs_or_says_why(machine)
    machine.stop()
    total = machine.faults.allocations
    assert total > 20
    for nth in range(1, total, 1 if ALL else 4):
        machine.faults.allocation = nth
        machine.start()
        runs_or_says_why(machine)
        machine.stop()
    machine.faults.allocation = 0
    machine.start()
    wait_port(machine)
    machine.stop()


def test_memory_that_is_short_while_reports_come(machine, fabric):
    """A Report without memory for it is not answered, so it comes again. Answered Reports are in the journal."""
    machine.start()
    wait_port(machine)
    reporter = Reporter(fabric, machine)
    for nth in range(1, 200, 1 if ALL else 9):
        machine.faults.allocation = nth
        reporter.send_until_acknowledged(5)
    machine.faults.allocation = 0
    reporter.send(5)
    reporter.wait_file(fabric.directory / "events.json")
    machine.stop()


@pytest.fixture
def collector(machine, fabric):
    """A receiver of syslog over TLS, the only kind that requires libcrypto."""
    authority = Authority(fabric.directory, "ca")
    with TlsReceiver(authority.issue("collector")) as receiver:
        tls = section("syslog", "tls", transport="tls", address=receiver.address, ca_file=authority.file)
        machine.config.write_text(machine.config.read_text() + tls)
        yield receiver


def snmp_receivers(fabric):
    """No program listens at their addresses: they try again and again."""
    password = fabric.directory / "password"
    password.write_text("correct horse\n")
    password.chmod(0o600)
    user = {"version": "3", "user": "u", "auth": "SHA-256", "auth_password_file": password, "privacy": "AES",
            "privacy_password_file": password}
    return section("snmp", "v2c", address="127.0.0.1:9") + section("snmp", "v3", address="127.0.0.1:9", **user)


SOME = [*(range(1, 100) if ALL else [1, 2, 3, 5, 8, 13, 20, 50]), 100, 200, 500, 1000, 2000]
BY_HAND = os.environ.get("IBTRAPD_LIBRARY")


@pytest.mark.parametrize("library", [BY_HAND] if BY_HAND else ["libcrypto", "libevent", "libsqlite3", "libjansson"])
def test_memory_that_is_short_in_a_library_while_reports_come(machine, fabric, collector, library):
    """The gateway survives failed allocations in a library. README.md names libraries that crash; IBTRAPD_LIBRARY tries
    them by hand."""
    if BY_HAND:
        machine.config.write_text(machine.config.read_text() + snmp_receivers(fabric))
    machine.start()
    wait_port(machine)
    machine.faults.whose = LIBRARIES.index(library)
    reporter = Reporter(fabric, machine)

    def have_all(status):
        # A row without memory for it is missing.
        return {"file", "tls"} <= {one["name"] for one in status["receivers"] if one["queued"] == 0}

    def round_of_everything():
        """Whether the allocation that is to fail has failed."""
        reporter.send_until_acknowledged(2)
        machine.wait_status(have_all, "the file and the collector to have all")
        machine.control("reload", check=False)
        machine.process.check()
        collector.drop()  # and starts a new TLS session
        return machine.faults.allocation == 0

    round_of_everything()
    before = machine.faults.allocations
    round_of_everything()
    count = machine.faults.allocations - before
    assert count > 0
    for nth in [n for n in SOME if n <= count]:
        machine.faults.allocation = nth
        wait_until(round_of_everything, f"allocation {nth} in {library} to fail", timeout=4 * DEADLINE)
    reporter.wait_file(fabric.directory / "events.json")
    assert set(collector.numbers) == set(reporter.numbers)
    assert machine.stop() == 0


def lowest_free_descriptor(pid):
    used = set(map(int, os.listdir(f"/proc/{pid}/fd")))
    return next(n for n in range(len(used) + 1) if n not in used)


def test_no_descriptors(machine, fabric):
    machine.config.write_text(machine.config.read_text()
                              + section("syslog", "tcp", transport="tcp", address="127.0.0.1:9"))
    machine.start()
    wait_port(machine)
    reporter = Reporter(fabric, machine)
    reporter.send(5)
    pid = machine.process.pid
    hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
    old = resource.prlimit(pid, resource.RLIMIT_NOFILE, (lowest_free_descriptor(pid), hard))
    with pytest.raises(LabError):
        machine.control("status")
    reporter.send(50)
    # At most once a second while ibtrapctl waited.
    assert machine.log.count("Error from accept() call") < 100
    resource.prlimit(pid, resource.RLIMIT_NOFILE, old)
    assert machine.status()["journal"]["durable"]
    reporter.send(5)
    reporter.wait_file(fabric.directory / "events.json")
    machine.stop()
