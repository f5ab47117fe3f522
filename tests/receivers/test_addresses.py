# SPDX-License-Identifier: BSD-2-Clause
"""SNMP receivers whose name has several addresses, and nobody is at the first one."""

import subprocess

import pytest
from lab.fabric import BUILD
from snmp_manager import Certificates, Manager, Sender, number_of, v3

PROGRAM = BUILD / "tests" / "receivers" / "send_events"
INSIDE = 'mount --make-rprivate / && mount --bind "$0" /etc/hosts && exec "$@"'

# Runs the program where two addresses stand behind a name.
SCRIPT = """#!/bin/sh
exec unshare --mount sh -c '{inside}' '{hosts}' '{program}' "$@"
"""


@pytest.fixture(name="sender")
def sender_with_hosts(tmp_path):
    hosts, script = tmp_path / "hosts", tmp_path / "send"
    hosts.write_text("127.0.0.1 localhost\n127.0.0.2 nms.example\n127.0.0.1 nms.example\n")
    tried = subprocess.run(["unshare", "--mount", "sh", "-c", INSIDE, hosts, "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip("needs root, and mount namespaces")
    script.write_text(SCRIPT.format(inside=INSIDE, hosts=hosts, program=PROGRAM.resolve()))
    script.chmod(0o700)
    one = Sender(script, tmp_path)
    one.run({"host": "127.0.0.1", "port": 9, "n": 0})  # creates the SNMP engine
    return one


@pytest.fixture(name="certificates", scope="session")
def certificates_of_both(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.mark.parametrize("inform", [0, 1])
@pytest.mark.parametrize("way", ["2c", "3", "tcp", "tls", "dtls"])
def test_somebody_is_at_the_second_address(sender, certificates, tmp_path, way, inform):
    with Manager(tmp_path / "manager", sender.engine[0], certificates) as manager:
        if way in ("tls", "dtls"):
            options = {**certificates.options(way, manager.tls_port), "name": "localhost"}
        else:
            options = {"port": manager.port, **(v3("user-SHA-256-AES") if way == "3" else {"version": "2c"})}
            options |= {"transport": "tcp"} if way == "tcp" else {}
        sender.run({**options, "host": "nms.example", "inform": inform, "window": 1, "n": 3})
        manager.wait_for(lambda one: True, "notifications", count=3)
        assert {number_of(one) for one in manager.poll()} == {0, 1, 2}
