# SPDX-License-Identifier: BSD-2-Clause
"""The SNMP receiver against snmptrapd, event by event."""

import os
import re
import select
import signal
import socket
import subprocess
import time

import pytest
from lab.ber import Varbind
from lab.fabric import BUILD
from lab.manager import LOST, AnsweringManager, event_id
from lab.processes import DEADLINE, wait_until
from lab.receivers import TrapSocket
from lab.sockets import free_port, has_ipv6
from peers import Authority, LateServer
from snmp_manager import (AUTH_PASSWORD, EVENT_ID, EVENT_TEXT, OWN, Certificates, Manager,
                          Sender, number_of, user_names, usm_header, v3)

PROGRAM = BUILD / "tests" / "receivers" / "send_events"
NAMES = [
    "Grüße aus Würzburg HCA-1",
    'say "hello"] \\ to [rack=3]',
    "x" * 64,
    "ü" * 32,
]


@pytest.fixture
def sender(tmp_path):
    one = Sender(PROGRAM, tmp_path)
    one.run({"host": "127.0.0.1", "port": 9, "n": 0})  # creates the SNMP engine
    return one


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def manager(sender, certificates, tmp_path):
    with Manager(tmp_path / "manager", sender.engine[0], certificates) as one:
        yield one


def arrived(manager, count, timeout=300):
    return manager.wait_for(lambda one: True, "notifications", count=count, timeout=timeout)


def first_of_each(traps):
    """The events without repetitions."""
    found = {}
    for one in traps:
        found.setdefault(number_of(one), one)
    return list(found.values())


def expected_own(number, text, lid=1):
    """The varbinds of gid-in-service, the made-up event."""
    return (
        Varbind("1.3.6.1.3.117.3.1.1.24.0", "OCTET STRING", bytes(16)),
        Varbind(EVENT_ID, "OCTET STRING", f"00000000-0000-4000-8000-{number:012x}".encode()),
        Varbind(f"{OWN}.1.1.2.0", "OCTET STRING", b"gid-in-service"),
        Varbind(f"{OWN}.1.1.3.0", "OCTET STRING", bytes.fromhex("07ea0b15031303012b0000")),
        Varbind(f"{OWN}.1.1.4.0", "INTEGER", 6),
        Varbind(f"{OWN}.1.1.5.0", "INTEGER", 4),
        Varbind(f"{OWN}.1.1.8.0", "OCTET STRING", bytes.fromhex("fe80000000000000")),
        Varbind(EVENT_TEXT, "OCTET STRING", text.encode()),
        Varbind(f"{OWN}.1.1.66.0", "OCTET STRING", b""),
    )


WAYS = {
    "udp": {"host": "127.0.0.1"},
    "tcp": {"host": "127.0.0.1", "transport": "tcp"},
}
WAYS |= {"ipv6": {"host": "::1"}} if has_ipv6() else {}
SECURE = ["tls", "dtls"]
KINDS = [(way, version) for way in WAYS for version in ["2c", "3"]] + [(way, "TLS") for way in SECURE]


def reach(manager, certificates, way, version):
    """Options of send_events for a transport to the manager."""
    if way in SECURE:
        return certificates.options(way, manager.tls_port)
    user = v3("user-SHA-256-AES") if version == "3" else {"version": version, "community": "secret words"}
    return {**WAYS[way], "port": manager.port, **user}


WHO = {"2c": "community secret words", "3": "user user-SHA-256-AES", "TLS": "user gateway"}


@pytest.mark.parametrize("way, version", KINDS)
@pytest.mark.parametrize("inform", [0, 1])
def test_every_value_arrives(sender, manager, certificates, way, version, inform):
    options = reach(manager, certificates, way, version)
    for i, name in enumerate(NAMES):
        sender.run({**options, "first": i, "text": name, "inform": inform})
    arrived(manager, len(NAMES))
    found = first_of_each(manager.poll())
    for i, (one, name) in enumerate(zip(found, NAMES, strict=True)):
        assert one.oid == f"{OWN}.0.1"
        assert one.own_varbinds == expected_own(i, name)
        assert ("INFORM" if inform else "TRAP2") in one.security
        assert WHO[version] in one.security


@pytest.mark.parametrize("way", [way for way in WAYS if way in ("udp", "tcp", "ipv6")])
def test_v1(sender, manager, way):
    options = {**WAYS[way], "port": manager.port, "version": 1, "agentaddr": "192.0.2.9"}
    sender.run({**options, "text": NAMES[0]})
    sender.run({**options, "type": "link-integrity-threshold"})
    own, sma, switch = arrived(manager, 3)
    assert (own.enterprise, own.generic, own.specific) == (OWN, 6, 1)
    assert own.varbinds == expected_own(0, NAMES[0])
    assert (sma.enterprise, sma.generic, sma.specific) == ("1.3.6.1.3.117.3.2", 6, 2)
    assert [one.type for one in sma.varbinds] == ["Gauge32", "Gauge32"]
    assert (switch.enterprise, switch.generic, switch.specific) == ("1.3.6.1.3.2.2.1", 6, 5)
    assert {one.agent for one in (own, sma, switch)} == {"192.0.2.9"}


@pytest.mark.parametrize("inform", [0, 1])
def test_every_level_and_protocol_of_v3(sender, manager, inform):
    port = {"port": manager.port, "inform": inform}
    for i, name in enumerate(user_names()):
        sender.run({**port, **v3(name), "first": i})
    found = arrived(manager, len(user_names()))
    assert [number_of(one) for one in found] == list(range(len(user_names())))
    for one, name in zip(found, user_names()):
        assert f"user {name}," in one.security


@pytest.mark.parametrize("way", SECURE)
def test_a_context_over_tls(sender, manager, certificates, way):
    sender.run({**certificates.options(way, manager.tls_port), "inform": 1, "context": "fabric 1"})
    assert "context fabric 1" in arrived(manager, 1)[0].security


def test_a_manager_whose_certificate_is_revoked(sender, manager, certificates):
    options = [{**certificates.options(way, manager.tls_port), "inform": 1} for way in SECURE]
    nobody = certificates.managers.revoke()
    for one in options:
        sender.run({**one, "crl": nobody})
    arrived(manager, len(SECURE))
    somebody = certificates.managers.revoke(certificates.manager)
    for one in options:
        assert "certificate revoked" in sender.refuse({**one, "crl": somebody})


def test_a_context(sender, manager):
    sender.run({"port": manager.port, "inform": 1, **v3("user-SHA"), "context": "fabric 1"})
    assert "context fabric 1" in arrived(manager, 1)[0].security


def test_sets_and_additions(sender, manager):
    link = {"port": manager.port, "type": "link-integrity-threshold"}
    sender.run({**link, "sets": 1, "extra": 1, "trapaddr": "192.0.2.7", "text": "Too many errors."})
    sender.run({**link, "sets": 2})
    sender.run({**link, "sets": 4})  # the event has no notification of this set
    sender.run({**link, "inform": 1})
    first, switch, both1, both2 = arrived(manager, 4)
    assert first.oid == "1.3.6.1.3.117.3.2.0.2"
    assert [one.oid for one in first.own_varbinds] == [
        "1.3.6.1.3.117.3.1.1.14.0", "1.3.6.1.3.117.3.1.1.15.0",
        *(f"{OWN}.1.1.{number}.0" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 17, 35, 66, 39)), "1.3.6.1.6.3.18.1.3.0"]
    assert first.value(EVENT_TEXT) == b"Too many errors."
    assert first.varbinds[-1] == Varbind("1.3.6.1.6.3.18.1.3.0", "IpAddress", bytes([192, 0, 2, 7]))
    assert (switch.oid, both1.oid, both2.oid) == ("1.3.6.1.3.2.2.1.0.5", first.oid, "1.3.6.1.3.2.2.1.0.5")
    time.sleep(0.2)
    assert len(manager.poll()) == 4


@pytest.mark.parametrize("way, version", [kind for kind in KINDS if kind[0] != "ipv6"])
def test_two_thousand_informs_arrive_in_order(sender, manager, certificates, way, version):
    # snmptrapd reads several TLS records at once and processes only the first one until more data arrives.
    window = {"window": 1} if way == "tls" else {}
    lines, _ = sender.run({**reach(manager, certificates, way, version), "inform": 1, "n": 2000, **window})
    print(lines[0])
    arrived(manager, 2000)
    found = first_of_each(manager.poll()) if way == "tls" else manager.poll()
    assert [number_of(one) for one in found] == list(range(2000))


def test_lost_informs_do_not_change_the_order_of_an_alarm(sender):
    """The network loses the first datagram of every seventh event; all others are fine."""
    seen = set()

    def lose_some(notification):
        event = event_id(notification)
        lost = int(event[-4:], 16) % 7 == 3 and event not in seen
        seen.add(event)
        return LOST if lost else 0

    with AnsweringManager(lose_some) as manager:
        sender.run({"port": manager.port, "inform": 1, "n": 30, "alarm": "link leaf1 port 3", "timeout": 300})
        assert len(manager.lost) == 4
        assert [int(event_id(one)[-4:], 16) for one in manager.taken] == list(range(30))


@pytest.mark.parametrize("way, version", [kind for kind in KINDS if kind[0] != "ipv6"])
def test_a_manager_that_dies_misses_nothing(sender, manager, certificates, way, version):
    running = sender.start({**reach(manager, certificates, way, version), "inform": 1, "n": 2000, "pause": 500,
                            "timeout": 300})
    arrived(manager, 200)
    manager.kill()
    time.sleep(1)
    manager.start()
    output, errors = running.communicate(timeout=300)
    assert running.returncode == 0, output + errors
    time.sleep(0.3)
    numbers = [number_of(one) for one in manager.poll()]
    first_time = list(dict.fromkeys(numbers))
    assert first_time == list(range(2000))
    assert errors  # the failure was noticed


def test_tcp_traps_notice_the_end_of_the_connection(sender, manager):
    running = sender.start({"port": manager.port, "n": 400, "pause": 5000, "transport": "tcp"})
    arrived(manager, 50)
    manager.kill()
    time.sleep(0.5)
    manager.start()
    output, errors = running.communicate(timeout=300)
    assert running.returncode == 0, output + errors
    assert "closed the connection" in errors or "Connection re" in errors
    manager.wait_for(lambda one: number_of(one) == 399, "the last trap")


@pytest.fixture
def silent():
    """A UDP port that accepts everything and never answers."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        yield one


@pytest.fixture
def silent_tcp():
    """A TCP port that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        yield one


@pytest.mark.parametrize("way", SECURE)
def test_a_dead_tls_target_delays_nobody(sender, manager, certificates, silent, silent_tcp, way):
    port = (silent if way == "dtls" else silent_tcp).getsockname()[1]
    dead = {**certificates.options(way, port), "limit": 6}
    live = {**certificates.options("dtls", manager.tls_port), "inform": 1, "n": 500, "pause": 4000}
    running = sender.start(live, dead, {**dead, "inform": 1})
    output, errors = running.communicate(timeout=300)
    print(output)
    assert f"127.0.0.1 port {port}: cannot agree on TLS: no answer" in errors
    assert output.startswith("finished, 0 failures")
    assert float(re.search(r"([\d.]+) ms the longest", output)[1]) < 1000
    assert [number_of(one) for one in arrived(manager, 500)] == list(range(500))


@pytest.mark.parametrize("inform", [0, 1])
@pytest.mark.parametrize("way", SECURE)
def test_tls_refuses_a_wrong_authority(sender, manager, certificates, tmp_path, way, inform):
    options = {**certificates.options(way, manager.tls_port), "inform": inform, "ca": Authority(tmp_path, "other").file}
    assert "its certificate is not valid: " in sender.refuse(options)
    assert manager.poll() == []


@pytest.mark.parametrize("way", SECURE)
def test_tls_refuses_a_wrong_name(sender, manager, certificates, way):
    options = certificates.options(way, manager.tls_port)
    sender.run({**options, "name": "localhost"})
    assert "its certificate is not for 'nms.example'" in sender.refuse({**options, "name": "nms.example"})
    assert len(arrived(manager, 1)) == len(manager.poll()) == 1


@pytest.mark.parametrize("inform", [0, 1])
@pytest.mark.parametrize("way", SECURE)
def test_a_manager_refuses_an_unknown_certificate(sender, manager, certificates, tmp_path, way, inform):
    stranger = Authority(tmp_path, "strangers").issue("stranger")
    options = {**certificates.options(way, manager.tls_port), "cert": stranger.cert, "key": stranger.key}
    # Over DTLS snmptrapd reports nothing.
    assert ("alert" if way == "tls" else "no answer") in sender.refuse({**options, "inform": inform})
    assert manager.poll() == []


@pytest.mark.parametrize("tickets", [2, 0])
def test_a_manager_refuses_late(sender, certificates, tmp_path, tickets):
    stranger = Authority(tmp_path, "strangers").issue("stranger")
    with LateServer(certificates.manager, certificates.gateways.file, tickets) as manager:
        options = {**certificates.options("tls", manager.port), "cert": stranger.cert, "key": stranger.key}
        assert "alert unknown ca" in sender.refuse({**options, "limit": 5})


@pytest.mark.parametrize("tickets", [2, 0])
def test_a_manager_is_content_late(sender, certificates, tickets):
    with LateServer(certificates.manager, certificates.gateways.file, tickets) as manager:
        _, errors = sender.run({**certificates.options("tls", manager.port), "n": 3})
        assert errors == ""
        wait_until(lambda: manager.received.count(b"-4000-8000-") == 3, "three traps")


class DtlsServer:
    """OpenSSL as the server of one session. After a datagram of a session from before its restart, snmptrapd may send
    its answers to a wrong address for a while."""

    def __init__(self, certificates, port):
        arguments = ["openssl", "s_server", "-dtls1_2", "-listen", "-quiet", "-accept", f"127.0.0.1:{port}",
                     "-cert", certificates.manager.cert, "-key", certificates.manager.key,
                     "-CAfile", certificates.gateways.file, "-Verify", "1"]
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL)
        self._received = b""

    def wait_for_event(self):
        deadline = time.monotonic() + DEADLINE
        while b"-4000-8000-" not in self._received:
            assert select.select([self._process.stdout], [], [], max(0, deadline - time.monotonic()))[0], "no event"
            self._received += os.read(self._process.stdout.fileno(), 65536)

    def kill(self):
        self._process.kill()
        self._process.communicate()


def test_dtls_traps_find_a_receiver_that_was_restarted(sender, certificates):
    """Traps get no answers, so that only a new session shows the failure. The receiver opens one after a minute of its
    clock."""
    port = free_port()
    server = DtlsServer(certificates, port)
    options = {**certificates.options("dtls", port), "n": 4, "pause": 2000000, "leap": 61}
    running = sender.start(options)
    try:
        server.wait_for_event()
        server.kill()
        server = DtlsServer(certificates, port)
        server.wait_for_event()
    finally:
        server.kill()
        running.kill()
        running.communicate()


def test_a_dead_target_delays_nobody(sender, manager, silent):
    dead = {"port": silent.getsockname()[1], "inform": 1, "limit": 12, **v3("user-SHA-256-AES")}
    live = {"port": manager.port, "inform": 1, "n": 2000, "pause": 4000}
    sender.run({"port": manager.port, "inform": 1})  # the manager's first answer is slow
    arrived(manager, 1)
    manager.clear()
    running = sender.start(live, dead, {**dead, **v3("nobody")})
    output, errors = running.communicate(timeout=300)
    print(output)
    assert "does not answer" in errors
    assert output.startswith("finished, 0 failures")
    percentile, longest = map(float, re.search(r"([\d.]+) ms at 99 %, ([\d.]+) ms the longest", output).groups())
    # Prints the figures. Checks only that no event waited for a dead target, which would take seconds.
    assert percentile <= longest < 1000
    assert [number_of(one) for one in arrived(manager, 2000)] == list(range(2000))


def test_many_v3_receivers_at_once(sender, manager):
    users = list(user_names())[1:9]
    groups = [{"port": manager.port, "n": 300, "inform": i % 2, **v3(name), "first": 1000 * i, "pause": 2000}
              for i, name in enumerate(users)]
    sender.run(*groups)
    # All informs arrive; snmptrapd's socket may lose some traps.
    manager.wait_for(lambda one: one.security.startswith("INFORM"), "informs", count=300 * len(users) // 2)
    for i, name in enumerate(users):
        mine = [number_of(one) for one in manager.items if f"user {name}," in one.security]
        sent = list(range(1000 * i, 1000 * i + 300))
        if groups[i]["inform"]:
            # All arrived, perhaps some twice, or late because snmptrapd's socket was full.
            assert sorted(set(mine)) == sent, name
        else:
            assert mine == sorted(set(mine) & set(sent)), name


def test_one_user_name_has_one_set_of_keys(sender, manager):
    ours = {"port": manager.port, "n": 50, "pause": 20000, **v3("user-SHA")}
    running = sender.start(ours, {**ours, "limit": 1, "authpw": "another password"})
    _, errors = running.communicate(timeout=300)
    assert "in use by another receiver" in errors
    assert "another password" not in errors


def header_from(port_socket):
    assert select.select([port_socket], [], [], 10)[0]
    return usm_header(port_socket.recv(65536))


def test_engine_and_boots_survive_kill_9(sender, silent):
    engine_id, boots = sender.engine
    for i in range(1, 4):
        running = sender.start({"port": silent.getsockname()[1], "n": 1000, "pause": 200000, **v3("user-SHA")})
        try:
            first = header_from(silent)
            time.sleep(1.3)
            while select.select([silent], [], [], 0)[0]:
                later = usm_header(silent.recv(65536))
        finally:
            running.send_signal(signal.SIGKILL)
            running.communicate()
        assert (first.engine_id, first.boots) == (engine_id, boots + i) == sender.engine
        assert first.time < later.time < 60 and later.boots == first.boots
        assert first.user == "user-SHA"


def test_traps_are_accepted_after_kill_9(sender, manager):
    options = {"port": manager.port, **v3("user-SHA-256-AES")}
    for _ in range(2):
        running = sender.start({**options, "n": 5000, "pause": 10000})
        before = len(manager.poll())
        arrived(manager, before + 20)
        running.send_signal(signal.SIGKILL)
        running.communicate()


def test_an_engine_that_cannot_be_saved_sends_no_v3_traps(sender, manager, tmp_path):
    (tmp_path / "snmp-engine.new").mkdir()
    assert "cannot save" in sender.refuse({"port": manager.port, **v3("user-SHA")})
    sender.run({"port": manager.port})
    arrived(manager, 1)
    (tmp_path / "snmp-engine.new").rmdir()
    sender.run({"port": manager.port, **v3("user-SHA")})
    arrived(manager, 2)


def test_a_damaged_engine_is_set_aside(sender, tmp_path):
    before = sender.engine
    (tmp_path / "snmp-engine").write_text("boots 12\n")
    _, errors = sender.run({"host": "127.0.0.1", "port": 9, "n": 0})
    assert "was damaged and is now" in errors
    assert (tmp_path / "snmp-engine.damaged").read_text() == "boots 12\n"
    assert sender.engine[0] != before[0] and sender.engine[1] == 1


@pytest.mark.parametrize("options, words", [
    ({**v3("user-SHA"), "authpw": "not the password"}, "uthentication failure"),
    ({**v3("user-SHA"), "user": "stranger"}, "user name"),
    ({**v3("user-SHA-AES"), "user": "user-SHA"}, "security level"),
])
def test_what_the_manager_refuses_is_told(sender, manager, options, words):
    errors = sender.refuse({"port": manager.port, "inform": 1, **options})
    assert words in errors
    assert AUTH_PASSWORD not in errors and "not the password" not in errors


def test_nobody_listens(sender):
    errors = sender.refuse({"port": 9, "n": 3})
    assert "Connection refused" in errors
    errors = sender.refuse({"port": 9, "transport": "tcp"})
    assert "Connection refused" in errors
    assert "cannot resolve 'no-such-host.invalid'" in sender.refuse({"host": "no-such-host.invalid"})


def test_a_trap_socket_agrees(sender):
    """The octets, verified by the lab's decoder."""
    with TrapSocket() as traps:
        sender.run({"port": traps.address.rsplit(":", 1)[1], "text": NAMES[1]})
        one = traps.wait_for(lambda _: True, "the trap")[0]
    assert one.oid == f"{OWN}.0.1" and one.varbinds == expected_own(0, NAMES[1])
