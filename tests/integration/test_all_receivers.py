# SPDX-License-Identifier: BSD-2-Clause
"""One gateway with receivers of every kind and real peers: all get every event, and none waits for another."""

import json
import pathlib
import re
import sys

import pytest
from lab import notices
from lab.gateway import Gateway, section
from lab.processes import wait_until, whole_lines
from lab.sockets import free_port

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "receivers"))

import peers  # noqa: E402
import snmp_manager  # noqa: E402

EVENT = "system-image-guid-change"
GUID = "1.3.6.1.3.117.3.1.1.6.0"  # ibSmaSystemImageGuid.0


def secret(directory, name, text):
    path = directory / name
    path.write_text(text + "\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def certificates(fabric):
    return snmp_manager.Certificates(fabric.directory)


@pytest.fixture
def manager(fabric, certificates):
    return fabric.keep(snmp_manager.Manager(fabric.directory, certificates=certificates))


@pytest.fixture
def rsyslog(fabric):
    return {kind: fabric.keep(peers.Rsyslogd(fabric.directory, kind)) for kind in ("tcp", "relp")}


def receivers(directory, manager, certificates, rsyslog, output):
    """The sections of the receivers. Nothing listens at the last three."""
    snmp = f"127.0.0.1:{manager.port}"
    v3 = {"version": "3", "user": "user-SHA-256-AES", "auth": "SHA-256", "privacy": "AES",
          "auth_password_file": secret(directory, "auth", snmp_manager.AUTH_PASSWORD),
          "privacy_password_file": secret(directory, "privacy", snmp_manager.PRIV_PASSWORD)}
    tls = {"certificate_file": certificates.gateway.cert, "key_file": certificates.gateway.key,
           "ca_file": certificates.managers.file}
    dead = free_port()
    return "".join([
        section("snmp", "v1", address=snmp, version="1"),
        section("snmp", "v2c-tcp", address=snmp, transport="tcp"),
        section("snmp", "v2c-informs", address=snmp, inform=True),
        section("snmp", "v3-informs", address=snmp, inform=True, **v3),
        section("snmp", "dtls", address=f"127.0.0.1:{manager.tls_port}", transport="dtls", inform=True, **tls),
        section("syslog", "tcp", transport="tcp", address=f"127.0.0.1:{rsyslog['tcp'].port}"),
        section("syslog", "relp", transport="relp", address=f"127.0.0.1:{rsyslog['relp'].port}", format="ecs"),
        section("file", "file", path=output),
        section("snmp", "dead-v3", address=f"127.0.0.1:{dead}", inform=True, **v3),
        section("snmp", "dead-tls", address=f"127.0.0.1:{dead}", transport="tls", **tls),
        section("syslog", "dead-tcp", transport="tcp", address=f"127.0.0.1:{dead}"),
    ])


@pytest.fixture
def gateway(fabric, manager, certificates, rsyslog):
    fabric.subnet_manager().wait_master()
    output = fabric.directory / "events.json"
    gateway = Gateway(fabric, more=receivers(fabric.directory, manager, certificates, rsyslog, output))
    gateway.output = output
    return fabric.keep(gateway)


def carries_guid(trap):
    return any(one.oid == GUID for one in trap.varbinds)


def thread_names(process):
    return {(task / "comm").read_text().strip() for task in pathlib.Path(f"/proc/{process}/task").iterdir()}


def test_every_receiver_gets_every_event(gateway, fabric, manager, rsyslog):
    count, client, lid = 30, fabric.client("sm1"), fabric.lid_of("monitor")
    gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")
    for number in range(1, count + 1):
        client.report(notices.system_image_guid_change(6, number), lid)
    numbers = list(range(1, count + 1))

    def in_file():
        found = [json.loads(line) for line in whole_lines(gateway.output)]
        return [int(one["systemImageGuid"], 16) for one in found if one["event"] == EVENT] == numbers

    wait_until(in_file, "the file to have all")

    def told(receiver):
        status = next(one for one in gateway.status()["receivers"] if one["name"] == receiver)
        return status["sent"] >= count and status["queued"] == 0

    for receiver in ("v1", "v2c-tcp", "v2c-informs", "v3-informs", "dtls", "tcp", "relp", "file"):
        wait_until(lambda: told(receiver), f"{receiver} to have all")  # noqa: B023
    traps = manager.wait_for(carries_guid, "notifications", count=5 * count)
    for security in ("TRAP, SNMP v1", "TRAP2, SNMP v2c", "INFORM, SNMP v2c", "INFORM, SNMP v3, user user-SHA",
                     "INFORM, SNMP v3, user gateway"):
        found = [one for one in traps if one.security.startswith(security)]
        assert [int.from_bytes(one.value(GUID), "big") for one in found] == numbers, security
    engine = gateway.status()["snmp"]["engine_id"]
    assert re.fullmatch("80001f8805[0-9a-f]{24}", engine)
    messages = [message for message in rsyslog["tcp"].poll(1) if EVENT in message]
    assert len(messages) == count
    assert all(f'[snmp ctxEngine="{engine}" ctxName="" v1=' in message for message in messages)
    ecs = [json.loads(message[message.index("{"):]) for message in rsyslog["relp"].poll(1) if EVENT in message]
    assert len(ecs) == count and {one["event"]["action"] for one in ecs} == {EVENT}

    told_by = {thread for thread in thread_names(gateway.process.pid) if thread.startswith("to ")}
    assert {f"to {name}"[:15] for name in ("v1", "v2c-informs", "dtls", "relp", "file", "dead-tcp")} <= told_by

    dead = {one["name"]: one for one in gateway.status()["receivers"] if one["name"].startswith("dead")}
    assert all(one["sent"] == 0 and one["queued"] >= count and one["problem"] for one in dead.values())
