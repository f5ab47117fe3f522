# SPDX-License-Identifier: BSD-2-Clause
"""Wrong configurations: the error names the file, line, item and value."""

import pathlib
import socket
import subprocess

import pytest
from lab import pages
from lab.fabric import BUILD
from lab.gateway import check_config, without_service_user

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SNMP = 'snmp "trapd" { address = "127.0.0.1:10162" }\n'

GOOD = {
    "empty": "",
    "receivers": SNMP + 'snmp "six" { address = "[::1]:162" community = "secret" }\n'
    'syslog "u" { transport = "udp" address = "localhost:514" facility = "local3" }\n'
    'syslog "l" { transport = "local" path = "/dev/log" }\nsyslog "o" { transport = "stdout" }\n',
    "comments": "# nothing\n\n// here\n/* either */\n" + SNMP,
    "fabric": 'fabric { device = "mlx5_0" port = 2 verify_interval = 5 refresh_interval = 300 }\n',
}

# text, line of the error, and words that the message must contain
BAD = {
    "unknown section": (SNMP + 'smtp "x" { }\n', 2, ["smtp"]),
    "unknown item": (SNMP + 'log { level = "info"\n colour = "red" }\n', 3, ["colour"]),
    "no address": ('\nsnmp "x" { community = "public" }\n', 2, ["address"]),
    "address without port number": ('snmp "x" {\n address = "127.0.0.1:http" }\n', 2, ["address", "127.0.0.1:http"]),
    "port too large": ('snmp "x" { address = "127.0.0.1:65536" }\n', 1, ["address", "65536"]),
    "bad transport": ('syslog "x" { transport = "smoke" address = "[::1]:514" }\n', 1, ["transport", "smoke"]),
    "udp without address": ('syslog "x" { transport = "udp" }\n', 1, ["address"]),
    "bad facility": ('syslog "x" { transport = "stdout"\n\n facility = "moon" }\n', 3, ["facility", "moon"]),
    "bad level": ('log { level = "loud" }\n', 1, ["level", "loud"]),
    "bad port": ('fabric { port = 255 }\n', 1, ["port", "255"]),
    "negative interval": ('fabric {\n verify_interval = -1 }\n', 2, ["verify_interval", "-1"]),
    "not a number": ('fabric { refresh_interval = soon }\n', 1, ["refresh_interval", "soon"]),
    "name twice": (SNMP + SNMP, 2, ["trapd"]),
    "key file missing": ('fabric { sa_key_file = "/nonexistent/key" }\n', 1, ["sa_key_file", "/nonexistent/key"]),
    "unfinished": ('snmp "x" { address = "127.0.0.1:162"\n', 1, []),
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD.keys())
def test_good_configuration(tmp_path, text):
    status, output = check_config(text, tmp_path)
    assert status == 0 and f"The configuration {tmp_path / 'ibtrapd.conf'} is good.\n" in output


@pytest.mark.parametrize("text, line, words", BAD.values(), ids=BAD.keys())
def test_bad_configuration(tmp_path, text, line, words):
    status, output = check_config(text, tmp_path)
    assert status == 1
    assert f"{tmp_path / 'ibtrapd.conf'}:{line}: " in output
    for word in words:
        assert word in output


# text, mode of the file, and what the warning says
WARNED = {
    "port in the device": ('fabric { device = "mlx5_0:1" }\n', 0o600, 'device = "mlx5_0" and port = 1'),
    "no such device": ('fabric { device = "nodev" }\n', 0o600, "no device 'nodev'"),
    "unknown host": ('syslog "a" { transport = "tcp" address = "no-such-host.invalid:514" }\n', 0o600,
                     "no-such-host.invalid"),
    "readable community": ('snmp "a" { address = "127.0.0.1" community = "geheim" }\n', 0o644, "chmod o-r"),
}


@pytest.mark.parametrize("text, mode, words", WARNED.values(), ids=WARNED.keys())
def test_what_may_be_a_mistake_is_warned_of(tmp_path, text, mode, words):
    config = tmp_path / "ibtrapd.conf"
    config.write_text(text)
    config.chmod(mode)
    done = subprocess.run([BUILD / "ibtrapd", "--check-config", "--config", config], capture_output=True, text=True,
                          env=without_service_user(), check=True, timeout=300)
    assert words in done.stderr and "geheim" not in done.stderr and "is good" in done.stdout


@pytest.fixture
def manager(tmp_path, monkeypatch):
    """The socket of a service manager."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield manager


def run_badly_configured(tmp_path, *words):
    config = tmp_path / "ibtrapd.conf"
    config.write_text('log { level = "loud" }\n')
    return subprocess.Popen([BUILD / "ibtrapd", "--config", config, *words], stderr=subprocess.PIPE, text=True,
                            env=without_service_user())


def test_a_start_that_fails_is_told_to_the_manager(manager, tmp_path):
    with run_badly_configured(tmp_path) as daemon:
        manager.settimeout(60)
        assert manager.recv(2000).startswith(f"STATUS={tmp_path / 'ibtrapd.conf'}:1: ".encode())
        assert manager.recv(2000) == b"BARRIER=1"  # without its descriptor, which is closed so
        assert "loud" in daemon.communicate(timeout=300)[1]
        assert daemon.returncode == 1


@pytest.mark.parametrize("word", ["--check-config", "--print-config"])
def test_a_check_tells_the_manager_nothing(manager, tmp_path, word):
    with run_badly_configured(tmp_path, word) as check:
        assert "loud" in check.communicate(timeout=300)[1]
    manager.setblocking(False)
    with pytest.raises(BlockingIOError):
        manager.recv(2000)


@pytest.mark.parametrize("example", [BUILD / "config/ibtrapd.conf", SOURCE / "config/minimal.conf"])
def test_shipped_examples_work_as_they_are(tmp_path, example):
    assert check_config(example.read_text(), tmp_path)[0] == 0


@pytest.mark.parametrize("page", ["README", *pages.names()])
def test_what_a_page_shows_can_be_added_to_the_shipped_example(tmp_path, page):
    """Each item of an unnamed section stands in a comment there: an item may stand once."""
    example = (BUILD / "config/ibtrapd.conf").read_text()
    for block in pages.blocks(page, "ibtrapd"):
        _, said = check_config(example + block, tmp_path)
        assert "stands in line" not in said, said
