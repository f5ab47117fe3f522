# SPDX-License-Identifier: BSD-2-Clause
"""No descriptors, no threads, no memory: ibtrapd reports the failure and continues, or says why it cannot start."""

import os
import re
import resource

import pytest
from faults import FaultyGateway
from lab.gateway import section
from lab.processes import DEADLINE, LabError, wait_until
from peers_that_fail import Receiver
from reports import Reporter, file_section, numbers_in, wait_port

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
    gateway.fabric.forget(gateway.process)
    return False


# The threads in the order of their starts: the signals', those of slow answers, of changes and of reloads, the WAL's, the
# journal's, the pipeline's two, two receivers', the SA client's, the sweeper's, the tables'. The gateway can run without the
# WAL's and the journal's.
NEEDED = [True, True, True, True, False, False, True, True, True, True, True, True, True]


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


def is_acknowledged(reporter, number):
    """Whether the gateway answers the Report. A MAD to a gateway that has ended is not delivered."""
    try:
        return reporter.is_acknowledged(number)
    except LabError:
        return False


def send_while_memory_ends(machine, reporter, nth):
    """Lets the nth allocation fail while Reports come. Returns the acknowledged Reports and whether the gateway ended."""
    machine.faults.allocation = nth
    acknowledged = []
    for number in range(1000 * nth, 1000 * nth + 5):
        if is_acknowledged(reporter, number):
            acknowledged.append(number)
        elif not machine.process.running:
            return acknowledged, ended_without_memory(machine)
    machine.faults.allocation = 0
    return acknowledged, not goes_on(machine) and ended_without_memory(machine)


def ended_without_memory(machine):
    assert machine.process.popen.returncode == 1, machine.log[-3000:]
    assert "out of memory" in machine.log
    machine.fabric.forget(machine.process)
    return True


def goes_on(machine):
    """Whether the gateway answers still. It may end after the last answer to a Report."""
    try:
        wait_port(machine)
    except LabError:
        if machine.process.running:
            raise
        return False
    return True


def stop_or_end(machine):
    """Stops the gateway. The memory may end first, even while the gateway stops."""
    if machine.process.running and machine.stop() != 0:
        ended_without_memory(machine)


def test_memory_that_ends_while_the_gateway_starts(machine):
    """The gateway says why it does not start, or starts."""
    machine.start()
    runs_or_says_why(machine)
    machine.stop()
    total = machine.faults.allocations
    assert total > 20
    for nth in range(1, total, 1 if ALL else total // 12):
        machine.faults.allocation = nth
        machine.start()
        runs_or_says_why(machine)
        stop_or_end(machine)
    machine.faults.allocation = 0
    machine.start()
    wait_port(machine)
    machine.stop()


def test_memory_that_ends_while_reports_come(machine, fabric):
    """The gateway ends with a line. The next start delivers what the gateway had acknowledged."""
    reporter = Reporter(fabric, machine)
    acknowledged, ends = [], 0
    machine.start()
    for nth in range(1, 200, 1 if ALL else 17):
        wait_port(machine)
        some, ended = send_while_memory_ends(machine, reporter, nth)
        acknowledged += some
        if ended:
            ends += 1
            machine.start()
    assert ends > 0
    wait_until(lambda: set(acknowledged) <= set(numbers_in(fabric.directory / "events.json")), "what was acknowledged")
    machine.stop()


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
