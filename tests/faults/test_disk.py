# SPDX-License-Identifier: BSD-2-Clause
"""The disk below the journal is full, read-only, slow, or gone, and comes back; test_disk.c fails it at each operation."""

import contextlib
import errno
import http.client
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import time

import pytest
from faults import FaultyGateway
from lab.gateway import IBTRAPCTL, section
from lab.processes import DEADLINE, wait_until
from lab.sockets import free_port
from peers_that_fail import Receiver
from reports import Reporter, file_section, names_in, numbers_in, wait_port


def durable(gateway, is_durable):
    return gateway.wait_status(lambda status: status["journal"]["durable"] == is_durable, f"durable={is_durable}")


def fill(disk):
    """Leaves no room on the disk, though the gateway may write at the same time."""
    with contextlib.suppress(OSError):
        (disk / "others").write_bytes(bytes(shutil.disk_usage(disk).free + 4096))


@pytest.fixture
def made(fabric):
    """A gateway on a machine that can fail, the file that its receiver writes, and the sender of its Reports."""
    fabric.subnet_manager().wait_master()

    def make(**options):
        output = fabric.directory / "events.json"
        gateway = fabric.keep(FaultyGateway(fabric, more=file_section(output), **options))
        wait_port(gateway)
        return gateway, output, Reporter(fabric, gateway)

    return make


@pytest.mark.parametrize("fault, code", [
    ("write_errno", errno.ENOSPC), ("write_errno", errno.EROFS), ("sync_errno", errno.EIO)])
def test_a_disk_that_fails_for_a_while(made, fault, code):
    gateway, output, reporter = made()
    reporter.send(20)
    setattr(gateway.faults, fault, code)
    reporter.send(20)
    durable(gateway, False)
    reporter.send(20)
    setattr(gateway.faults, fault, 0)
    status = durable(gateway, True)
    assert status["journal"]["dropped"] == 0
    reporter.send(20)
    reporter.wait_file(output)
    gateway.kill()  # all events are on disk again
    output.unlink()
    gateway.start()
    wait_port(gateway)
    assert len([one for one in gateway.journal() if one["event"] == "system-image-guid-change"]) == 80
    names = [one["event"] for one in gateway.journal()]
    assert names.count("journal-degraded") == names.count("journal-healed") == 1


def test_a_disk_of_a_receiver_that_hangs(fabric):
    """Neither a reload nor a stop waits for it without end, and no event is lost."""
    fabric.subnet_manager().wait_master()
    archive = fabric.directory / "archive.json"
    gateway = fabric.keep(FaultyGateway(fabric, more=section("file", "archive", path=archive, sync=True)))
    wait_port(gateway)
    reporter = Reporter(fabric, gateway)
    reporter.send(5)
    wait_until(lambda: numbers_in(archive) == reporter.numbers, "the archive")
    gateway.faults.hangs = 1
    reporter.send(5)
    wait_until(lambda: len(numbers_in(archive)) > 5, "a line whose sync hangs")
    text = gateway.config.read_text()
    gateway.config.write_text(text.replace('archive.json"', 'archive.json"\n    rate = 1000'))
    gateway.control("reload")
    assert "receiver archive does not end" in gateway.log
    gateway.faults.hangs = 0
    reporter.send(5)
    wait_until(lambda: set(numbers_in(archive)) == set(reporter.numbers), "all events")
    gateway.faults.hangs = 1
    reporter.send(5)
    wait_until(lambda: max(numbers_in(archive)) > 15, "a line whose sync hangs")
    assert gateway.stop() == 0
    fabric.forget(gateway.process)  # it left without its last words
    assert not gateway.socket.exists()
    gateway.faults.hangs = 0
    gateway.start()
    wait_port(gateway)
    reporter.send(1)
    wait_until(lambda: set(numbers_in(archive)) == set(reporter.numbers), "all events")


def test_a_disk_that_fails_until_the_end(made, fabric):
    """The last commit, while the gateway waits for a receiver, writes the events in memory. The next start clears the
    alarm."""
    gateway, output, reporter = made()
    gateway.config.write_text(gateway.config.read_text()
                              + section("syslog", "tcp", transport="tcp", address="127.0.0.1:9"))
    gateway.control("reload")
    reporter.send(20)
    gateway.faults.write_errno = errno.ENOSPC
    reporter.send(20)
    durable(gateway, False)
    gateway.process.popen.terminate()
    wait_until(lambda: "gateway-stopped" in names_in(output), "it to begin to stop")
    gateway.faults.write_errno = 0
    assert gateway.stop() == 0, gateway.log[-3000:]
    gateway.start()
    wait_port(gateway)
    durable(gateway, True)
    assert len([one for one in gateway.journal() if one["event"] == "system-image-guid-change"]) == 40
    wait_until(lambda: "journal-healed" in names_in(output), "the end of the alarm")
    assert "gateway monitor journal" not in [one["key"] for one in gateway.listed_alarms("--all")]


def test_a_stop_while_the_disk_fails(made):
    """The gateway says what is lost, and fails."""
    gateway, output, reporter = made()
    reporter.send(20)
    gateway.faults.write_errno = errno.ENOSPC
    reporter.send(20)
    durable(gateway, False)
    gateway.process.popen.terminate()
    assert gateway.process.popen.wait(DEADLINE) != 0
    assert "are lost" in gateway.log, gateway.log[-3000:]
    gateway.faults.write_errno = 0
    gateway.start()
    wait_port(gateway)
    reporter.send(20)
    wait_until(lambda: numbers_in(output)[-1:] == [60], "the last event")
    assert set(numbers_in(output)) == set(reporter.numbers)  # the receiver had them all, and may get some again
    assert gateway.stop() == 0


def test_a_disk_that_fails_from_the_start(made, fabric):
    """Receivers are notified of the failure and of its end; afterwards the events of the time between are on disk."""
    gateway, output, reporter = made()
    gateway.stop()
    gateway.faults.write_errno = errno.EROFS
    gateway.start()
    wait_port(gateway)
    durable(gateway, False)
    reporter.send(20)
    gateway.faults.write_errno = 0
    durable(gateway, True)
    reporter.send(20)
    reporter.wait_file(output)
    wait_until(lambda: "journal-healed" in names_in(output), "the end of the alarm")
    names = names_in(output)
    assert names.count("journal-degraded") == names.count("journal-healed") == 1
    assert len([one for one in gateway.journal() if one["event"] == "system-image-guid-change"]) == 40


def test_a_journal_that_is_read_late(made):
    """The disk fails at the start. Once it works, the windows and alarms of the run before hold again."""
    gateway, output, reporter = made()
    late = socket.socket()
    late.bind(("127.0.0.1", 0))
    gateway.config.write_text(gateway.config.read_text() + section(
        "syslog", "late", transport="tcp", address="127.0.0.1:%d" % late.getsockname()[1]))
    gateway.control("reload")
    reporter.send(1)
    wait_until(lambda: "receiver-failing" in names_in(output), "the alarm about the receiver")
    gateway.control("maintenance", "start", "work", 60, "--all")
    gateway.stop()
    gateway.faults.write_errno = errno.EROFS
    with Receiver(late):
        gateway.start()
        wait_port(gateway)
        durable(gateway, False)
        gateway.faults.write_errno = 0
        durable(gateway, True)
        wait_until(lambda: "receiver-back" in [one["event"] for one in gateway.journal()], "the receiver's alarm to end")
        reporter.send(1)
        wait_until(lambda: "maintenance" in [one.get("suppressed") for one in gateway.journal()
                                             if one["event"] == "system-image-guid-change"], "the window to hold")
    assert not [one for one in gateway.listed_alarms("--all") if "late" in one["key"]]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of a megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=False).returncode != 0:
        pytest.skip("the kernel does not let us mount a tmpfs")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def test_a_full_disk(made, small_disk):
    gateway, output, reporter = made(state=small_disk / "state")
    reporter.send(10)
    fill(small_disk)
    while gateway.status()["journal"]["durable"]:  # until the journal's file has to grow
        assert reporter.count < 10000
        reporter.send(50)
    (small_disk / "others").unlink()
    durable(gateway, True)
    reporter.send(10)
    reporter.wait_file(output)
    assert "journal-degraded" in names_in(output)


def test_a_slow_disk(made):
    gateway, output, reporter = made()
    gateway.faults.sync_us = 300000
    reporter.send(200)
    assert gateway.status()["journal"]["durable"]
    reporter.wait_file(output)


def test_a_reload_that_reads_from_a_disk_that_hangs_holds_up_nobody(made):
    """It reads an expected topology, which takes a third of a second for 48,000 hosts even from a good disk."""
    gateway, output, reporter = made()
    path = gateway.state / "expected"
    path.write_text('Switch 2 "S-0002c90200c10000" # "leaf1" base port 0 lid 2 lmc 0\n')
    text = gateway.config.read_text()
    gateway.config.write_text(text.replace("fabric { ", f'fabric {{ expected_topology = "{path}" '))
    gateway.faults.reads_hang = 1
    with subprocess.Popen([IBTRAPCTL, "--socket", gateway.socket, "reload"]) as reload:
        wait_until(lambda: gateway.faults.hung, "a read that hangs")
        reporter.send(20)
        reporter.wait_file(output)
        assert gateway.status()
        assert reload.poll() is None
        gateway.faults.reads_hang = 0
        assert reload.wait(DEADLINE) == 0
    assert "read 1 nodes" in gateway.log


def test_a_disk_that_hangs(made):
    """A sync takes long: the flow goes on through memory, and receivers hear of it. Then all is on disk."""
    gateway, output, reporter = made()
    reporter.send(20)
    gateway.faults.sync_us = 15_000_000
    with subprocess.Popen([IBTRAPCTL, "--socket", gateway.socket, "maintenance", "start", "work", "60", "nobody"],
                          stdout=subprocess.DEVNULL) as change:
        assert gateway.status()
        reporter.send(20)
        assert change.wait(DEADLINE) == 0
    assert "does not answer" in durable(gateway, False)["journal"]["problem"]
    reporter.send(20)
    gateway.faults.sync_us = 0
    durable(gateway, True)
    reporter.send(20)
    reporter.wait_file(output)
    wait_until(lambda: "journal-healed" in names_in(output), "the end of the alarm")
    names = names_in(output)
    assert names.count("journal-degraded") == names.count("journal-healed") == 1
    gateway.kill()
    gateway.start()
    wait_port(gateway)
    assert len([one for one in gateway.journal() if one["event"] == "system-image-guid-change"]) == 80


def test_a_stop_while_the_disk_hangs(made):
    """The gateway does not wait for the disk for ever."""
    gateway, output, reporter = made()
    reporter.send(20)
    gateway.faults.sync_us = 600_000_000
    reporter.send(20)
    durable(gateway, False)
    gateway.process.popen.terminate()
    assert gateway.process.popen.wait(80) != 0
    assert "are lost" in gateway.log


def test_a_stop_while_the_disk_does_not_read(made, fabric):
    """A thread reads old events for somebody, and hangs. The gateway ends without it."""
    gateway, output, reporter = made()
    for _ in range(10):
        reporter.send(150)
    reporter.wait_file(output)
    gateway.faults.reads_hang = 1
    with subprocess.Popen([IBTRAPCTL, "--socket", gateway.socket, "events", "--since", "1h"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as reader:
        wait_until(lambda: gateway.faults.hung, "a read that hangs")
        gateway.process.popen.terminate()
        assert gateway.process.popen.wait(DEADLINE) in (0, 1)  # 1: the writer had to read, too
        assert "the stop takes longer" not in gateway.log
        fabric.forget(gateway.process)
        reader.wait(60)
    gateway.faults.reads_hang = 0
    gateway.start()
    wait_port(gateway)
    reporter.send(1)
    wait_until(lambda: numbers_in(output)[-1:] == [1501], "the last event")
    assert set(numbers_in(output)) == set(reporter.numbers)  # some may come again
    assert gateway.stop() == 0


def test_somebody_asks_for_old_events_while_the_disk_does_not_read(made):
    """Only he waits: Reports are acknowledged, and others get their answers. He hears why there is none."""
    gateway, output, reporter = made()
    for _ in range(10):
        reporter.send(150)
    reporter.wait_file(output)
    gateway.faults.reads_hang = 1
    with subprocess.Popen([IBTRAPCTL, "--socket", gateway.socket, "events", "--since", "1h"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as reader:
        wait_until(lambda: gateway.faults.hung, "a read that hangs")
        assert gateway.status()
        reporter.send(20)
        assert "the journal's disk does not read" in reader.communicate(timeout=DEADLINE)[1]
        assert reader.returncode != 0
    assert gateway.status()
    gateway.faults.reads_hang = 0
    durable(gateway, True)  # the writer may have had to read, too
    reporter.send(1)
    reporter.wait_file(output)
    assert len([one for one in gateway.journal() if one["event"] == "system-image-guid-change"]) == 1521
    assert gateway.stop() == 0


def test_somebody_looks_at_the_page_while_the_disk_does_not_read(fabric):
    """He waits for what a thread makes, and hears why it is not there; the files of the page and the metrics come."""
    fabric.subnet_manager().wait_master()
    port = free_port()
    gateway = fabric.keep(FaultyGateway(fabric, more=section("metrics", listen=f"127.0.0.1:{port}", page=True)))
    wait_port(gateway)
    reporter = Reporter(fabric, gateway)

    def ask(path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
        with contextlib.closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()

    assert [ask(path)[0] for path in ("/state.json", "/fabric.svg")] == [200, 200]
    for _ in range(10):
        reporter.send(150)
    gateway.faults.reads_hang = 1
    with subprocess.Popen([IBTRAPCTL, "--socket", gateway.socket, "events", "--since", "1h"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as reader:
        wait_until(lambda: gateway.faults.hung, "a read that hangs")
        wait_until(lambda: ask("/state.json")[0] == 503, "a state that is not made")
        assert b"disk does not read" in ask("/state.json")[1]
        assert [ask(path)[0] for path in ("/", "/metrics", "/page.js")] == [200, 200, 200]
        gateway.faults.reads_hang = 0
        reader.wait(DEADLINE)
    assert [ask(path)[0] for path in ("/state.json", "/fabric.svg")] == [200, 200]
    assert gateway.stop() == 0
    gateway.start()  # what a follower sees of the last run is in the file only
    wait_port(gateway)
    hung, gateway.faults.reads_hang = gateway.faults.hung, 1
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)) as follower:
        follower.request("GET", "/events")
        events = follower.getresponse()
        wait_until(lambda: gateway.faults.hung > hung, "a read that hangs")
        assert ask("/metrics")[0] == 200
        gateway.faults.reads_hang = 0
        assert events.readline().startswith(b"id: ")
    assert gateway.stop() == 0

def test_another_program_that_locks_the_journal(made):
    """Only the first Report waits for the lock."""
    gateway, output, reporter = made()
    reporter.send(20)
    with contextlib.closing(sqlite3.connect(gateway.state / "journal.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        reporter.send(1)
        durable(gateway, False)
        begin = time.monotonic()
        for _ in range(40):
            reporter.send(1)
        assert time.monotonic() - begin < DEADLINE
        other.execute("ROLLBACK")
    durable(gateway, True)
    reporter.send(20)
    reporter.wait_file(output)


def test_a_directory_that_is_removed(made):
    """Later events, and those in memory, are on disk in a directory that the gateway creates again."""
    gateway, output, reporter = made()
    reporter.send(20)
    shutil.rmtree(gateway.state)
    reporter.send(20)
    gateway.wait_status(lambda status: status["journal"]["durable"] and
                        (gateway.state / "journal.db").exists(), "a new journal")
    reporter.send(20)
    reporter.wait_file(output)
    gateway.kill()
    gateway.start()
    wait_port(gateway)
    assert len([one for one in gateway.journal() if one["event"] == "system-image-guid-change"]) == 60


def test_a_kill_ends_only_an_alarm_that_receivers_have(made):
    gateway, output, reporter = made()

    def kill_and_restart():
        gateway.kill()
        gateway.faults.write_errno = 0
        output.unlink()
        gateway.start()
        wait_port(gateway)
        reporter.send(20)
        wait_until(lambda: numbers_in(output)[-1:] == [reporter.count], "the last event")
        return names_in(output).count("alarm-cleared")

    reporter.send(20)
    assert [kill_and_restart() for _ in range(3)] == [0, 0, 0]
    gateway.faults.write_errno = errno.EIO
    reporter.send(20)
    durable(gateway, False)
    wait_until(lambda: "journal-degraded" in names_in(output), "the alarm")
    assert [kill_and_restart() for _ in range(3)] == [1, 0, 0]
    gateway.faults.write_errno = errno.EIO
    reporter.send(20)
    durable(gateway, False)
    gateway.faults.write_errno = 0
    wait_until(lambda: "journal-healed" in names_in(output), "the end of the alarm")
    assert kill_and_restart() == 0


def test_a_file_that_is_damaged(made):
    """The file's pages are overwritten while it is in use. Nobody needs them, until the next start: then the gateway sets
    the file aside. No later event is lost."""
    gateway, output, reporter = made()
    reporter.send(200)
    reporter.wait_file(output)
    gateway.stop()
    gateway.start()
    wait_port(gateway)
    damage(gateway.state / "journal.db")
    gateway.control("events", check=False)
    reporter.send(200)
    reporter.wait_file(output)
    gateway.stop()
    gateway.start()
    wait_port(gateway)
    gateway.wait_status(lambda status: any(gateway.state.glob("journal.db.corrupt-*")), "it to be set aside")
    reporter.send(20)
    durable(gateway, True)
    reporter.wait_file(output)


def damage(path: pathlib.Path, pages=None):
    """Without `pages`: all but the first."""
    with open(path, "r+b") as file:
        for page in pages or range(1, path.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(b"x" * 4096)


@pytest.fixture
def behind(made):
    """A gateway with a receiver that cannot be reached yet and has to get 3,000 events, most of them from the file."""
    gateway, output, reporter = made()
    late = socket.socket()
    late.bind(("127.0.0.1", 0))
    address = "127.0.0.1:%d" % late.getsockname()[1]
    gateway.config.write_text(gateway.config.read_text()
                              + section("syslog", "late", transport="tcp", address=address))
    gateway.control("reload")
    for _ in range(20):
        reporter.send(150)
    reporter.wait_file(output)
    return gateway, output, reporter, late


def wait_late(receiver, reporter):
    """The receiver gets the rest, in order. Returns what it does not get."""
    wait_until(lambda: receiver.numbers[-1:] == [reporter.count], "the last event")
    assert receiver.numbers == sorted(set(receiver.numbers))
    return set(reporter.numbers) - set(receiver.numbers)


def test_a_file_that_is_removed(behind):
    """A receiver that is away gets everything all the same."""
    gateway, output, reporter, late = behind
    (gateway.state / "journal.db").unlink()
    reporter.send(20)
    gateway.wait_status(lambda status: status["journal"]["durable"] and
                        (gateway.state / "journal.db").exists(), "a new journal")
    reporter.send(20)
    with Receiver(late) as receiver:
        assert wait_late(receiver, reporter) == set()
    assert "journal-dropping" not in names_in(output)


def test_a_page_that_a_receiver_needs_is_damaged(behind):
    """All other events arrive, and the alarm has the number of those that do not."""
    gateway, output, reporter, late = behind
    gateway.stop()  # moves the WAL into the file
    gateway.start()
    wait_port(gateway)
    damage(gateway.state / "journal.db", range(150, 160))
    with Receiver(late) as receiver:
        wait_until(lambda: "journal-dropping" in names_in(output), "the alarm")
        durable(gateway, True)
        reporter.send(20)
        missing = wait_late(receiver, reporter)
    dropped = [one for one in gateway.journal() if one["event"] == "journal-dropping"]
    assert len(dropped) == 1 and dropped[0]["lost"] == len(missing) > 0
    assert gateway.status()["journal"]["dropped"] == len(missing)
    reporter.wait_file(output)


def test_a_pager_at_the_end_of_an_export(made):
    """While somebody reads the first page of the export, all of the WAL can be moved into the file."""
    gateway, output, reporter = made()
    for _ in range(10):
        reporter.send(150)
    reporter.wait_file(output)
    path = gateway.state / "journal.db"
    with subprocess.Popen([IBTRAPCTL, "--file", path, "journal", "export"], stdout=subprocess.PIPE) as export:
        export.stdout.readline()
        reporter.send(20)
        with contextlib.closing(sqlite3.connect(path)) as other:
            wait_until(lambda: other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0, "a checkpoint")
        assert len(export.stdout.readlines()) >= 1500
    reporter.wait_file(output)


def test_another_program_that_reads_the_journal_without_end(made):
    """The WAL cannot begin anew: the admin hears of it. When the program ends, the WAL gets its size back."""
    gateway, output, reporter = made()
    reporter.send(20)
    wal = gateway.state / "journal.db-wal"
    size = wal.stat().st_size
    with contextlib.closing(sqlite3.connect(gateway.state / "journal.db", isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM event").fetchone()
        while not (warning := gateway.status()["journal"]["warning"]):
            assert wal.stat().st_size < 8 * size
            reporter.send(100)
        assert all("another program reads" in one for one in (warning, gateway.control("status").stdout))  # and how far it grew
        assert gateway.log.count("another program reads") == 1
        assert gateway.status()["journal"]["durable"]
        other.execute("COMMIT")
    wait_until(lambda: not gateway.status()["journal"]["warning"], "the warning to end")
    while wal.stat().st_size > size:
        assert reporter.count < 30000
        reporter.send(100)
    reporter.wait_file(output)


def test_a_file_receiver_without_room(made, small_disk):
    """A file receiver's disk fills up; the journal is on another one."""
    gateway, output, reporter = made()
    late = small_disk / "late.json"
    gateway.config.write_text(gateway.config.read_text() + file_section(late, "late"))
    gateway.control("reload")
    reporter.send(10)
    fill(small_disk)
    reporter.send(100)
    reporter.wait_file(output)
    (small_disk / "others").unlink()
    reporter.wait_file(late)
    assert numbers_in(output) == numbers_in(late)
