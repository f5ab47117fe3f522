# SPDX-License-Identifier: BSD-2-Clause
"""File receivers: logrotate, full disks, unfinished lines."""

import json
import re
import signal
import stat
import subprocess

import pytest
from lab.processes import wait_until, whole_lines

NUMBER = re.compile(r"01990000-0000-7000-8000-(\d{12})")


def numbers(path):
    return [int(NUMBER.fullmatch(json.loads(line)["id"])[1]) for line in whole_lines(path)]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 KiB."""
    directory = tmp_path / "small"
    directory.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", directory], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("may not mount")
    yield directory
    subprocess.run(["umount", directory], check=True)


@pytest.mark.parametrize("fsync", ["none", "each"])
def test_lines(sender, tmp_path, fsync):
    path = tmp_path / "events.json"
    process = sender(file=path, fsync=fsync, count=5000)
    assert process.wait() == 0, process.errors
    assert numbers(path) == list(range(5000))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("fsync", ["none", "each"])
def test_logrotate(sender, tmp_path, fsync):
    """The file is renamed and created again three times while events arrive: no event is lost or doubled."""
    path, config = tmp_path / "events.json", tmp_path / "logrotate.conf"
    process = sender(file=path, fsync=fsync, count=20000, pause=50)
    config.write_text(f"{path} {{\n rotate 9\n nocompress\n create 0640\n su root root\n"
                      f" postrotate\n  kill -HUP {process.pid}\n endscript\n}}\n")
    for part in (1, 2, 3):
        wait_until(lambda: process.acknowledged > part * 4000, "some to be written")
        subprocess.run(["/usr/sbin/logrotate", "-f", "-s", tmp_path / "state", config], check=True)
    assert process.wait() == 0, process.errors
    parts = sorted(tmp_path.glob("events.json*"), reverse=True)
    assert [part.name for part in parts] == ["events.json.3", "events.json.2", "events.json.1", "events.json"]
    assert all(map(numbers, parts))
    assert sum(map(numbers, parts), []) == list(range(20000))
    assert process.errors == []


@pytest.mark.parametrize("fsync", ["none", "each"])
def test_full_disk(sender, small_disk, fsync):
    path = small_disk / "events.json"
    process = sender(file=path, fsync=fsync, count=400)
    wait_until(lambda: process.errors, "the disk to be full")
    assert process.errors == [f"cannot write to {path}: No space left on device"]
    written = numbers(path)
    assert written == list(range(len(written)))
    assert 0 < process.acknowledged == len(written) < 400
    subprocess.run(["mount", "-o", "remount,size=1m", small_disk], check=True)
    assert process.wait() == 0, process.errors
    assert numbers(path) == list(range(400))


def test_an_unfinished_line_of_somebody_else_is_ended(sender, tmp_path):
    path = tmp_path / "events.json"
    path.write_text('{"cut')
    assert sender(file=path, count=2).wait() == 0
    cut, *rest = path.read_text().splitlines()
    assert cut == '{"cut'
    assert [json.loads(line)["event"] for line in rest] == ["bad-pkey-at-switch", "link-integrity-threshold"]


@pytest.mark.parametrize(("name", "problem"), [("missing/events", "No such file or directory"),
                                               ("", "Is a directory"), ("fifo", "No such device or address")])
def test_what_cannot_be_written(sender, tmp_path, name, problem):
    path = tmp_path / "place" / name
    (tmp_path / "place").mkdir()
    if name == "fifo":
        subprocess.run(["mkfifo", path], check=True)
    process = sender(file=path, count=1, deadline=1)
    assert process.wait() == 1
    assert process.errors == [f"cannot open {path}: {problem}"]


def test_standard_output(sender):
    process = sender(_stdout=subprocess.PIPE, file="-", count=3)
    lines = process.popen.stdout.read().decode().splitlines()
    assert process.wait() == 0
    assert [int(json.loads(line)["id"][-12:]) for line in lines] == [0, 1, 2]


def test_a_hangup_alone_changes_nothing(sender, tmp_path):
    path = tmp_path / "events.json"
    process = sender(file=path, count=3000, pause=500)
    wait_until(lambda: process.acknowledged > 500, "some to be written")
    process.popen.send_signal(signal.SIGHUP)
    assert process.wait() == 0, process.errors
    assert numbers(path) == list(range(3000))
