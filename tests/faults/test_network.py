# SPDX-License-Identifier: BSD-2-Clause
"""Receivers that refuse, vanish, answer late, break off, read nothing or move: each gets all events in the end, in
order."""

import contextlib
import socket

import pytest
from faults import FaultyGateway
from lab import ber
from lab.attempts import wait_passing
from lab.gateway import section
from lab.processes import wait_until
from lab.sockets import free_port, tcp_to
from netns import FarMachine
from peers_that_fail import LateManager, Receiver, RelpBreaker, Sleeper, Talker, TalkingManager
from reports import Reporter, file_section, wait_port

FOLLOWERS = 8  # that the page has places for
GUID = "1.3.6.1.3.117.3.1.1.6.0"


@pytest.fixture
def made(fabric):
    """A gateway with the receiver under test, and a file receiver that must not be affected."""
    fabric.subnet_manager().wait_master()

    def make(receiver):
        gateway = fabric.keep(FaultyGateway(fabric, more=receiver + file_section(fabric.directory / "events.json")))
        wait_port(gateway)
        return gateway, Reporter(fabric, gateway)

    return make


def syslog(address, transport="tcp"):
    return section("syslog", "tested", transport=transport, address=address)


def firsts(numbers):
    return list(dict.fromkeys(numbers))


def wait_all(fabric, reporter, numbers):
    """numbers() returns the arrived events; unconfirmed ones may have arrived twice."""
    reporter.wait_file(fabric.directory / "events.json")
    wait_until(lambda: set(numbers()) == set(reporter.numbers), "all events")
    assert firsts(numbers()) == reporter.numbers


def test_one_that_refuses_at_first(made, fabric):
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    gateway, reporter = made(syslog("127.0.0.1:%d" % listening.getsockname()[1]))
    reporter.send(20)
    gateway.wait_status(lambda status: any("refused" in one["problem"] for one in status["receivers"]), "the problem")
    with Receiver(listening) as receiver:
        reporter.send(20)
        wait_all(fabric, reporter, lambda: receiver.numbers)


def test_one_that_breaks_off_in_the_middle_of_frames(made, fabric):
    """Uses RELP: over plain TCP, messages that the receiver had not read would be lost unnoticed."""
    with RelpBreaker(times=4) as receiver:
        _, reporter = made(syslog(receiver.address, "relp"))
        reporter.send(40)
        wait_all(fabric, reporter, lambda: receiver.numbers)
        assert receiver.connections > 4


def test_one_that_reads_nothing_for_a_while(made, fabric):
    with Sleeper() as receiver:
        _, reporter = made(syslog(receiver.address))
        for _ in range(20):  # many times the size of the windows
            reporter.send(200)
        reporter.wait_file(fabric.directory / "events.json")
        assert receiver.numbers == []
        receiver.awake.set()
        wait_all(fabric, reporter, lambda: receiver.numbers)


def test_a_manager_that_answers_late(made, fabric):
    """Informs are sent again before the answers come; each answer counts once."""
    with LateManager(ber.notification, late=1.2) as manager:
        gateway, reporter = made(section("snmp", "tested", address=manager.address, inform=True, window=8, timeout=500))
        reporter.send(20)
        wait_all(fabric, reporter, lambda: numbers_of(manager.came))
        gateway.wait_status(lambda status: all(one["queued"] == 0 for one in status["receivers"]), "the last answer")
        assert len(manager.came) > len(reporter.numbers)


def test_a_reload_waits_for_informs_in_flight(made):
    """The receiver is changed while ten informs wait for their answers: none is sent again."""
    with LateManager(ber.notification, late=3) as manager:
        text = section("snmp", "tested", address=manager.address, inform=True, window=10, timeout=5000)
        gateway, reporter = made(text)
        wait_until(lambda: queued(gateway) == 0, "the start's events to be answered")
        reporter.send(10)
        wait_until(lambda: len(numbers_of(manager.came)) == 10, "the informs")
        gateway.config.write_text(gateway.config.read_text().replace(text, text.replace("5000", "4000")))
        gateway.control("reload")
        reporter.send(1)
        wait_until(lambda: queued(gateway) == 0, "all answers")
        assert numbers_of(manager.came) == reporter.numbers


def queued(gateway):
    return next(one["queued"] for one in gateway.status()["receivers"] if one["name"] == "tested")


def numbers_of(traps):
    values = [{one.oid: one.value for one in trap.varbinds} for trap in list(traps)]
    return [int.from_bytes(one[GUID], "big") for one in values if GUID in one]


def wait_passes_beside(fabric, reporter, receiver):
    """The file receiver gets events while the other receiver does not answer, and the gateway does not give that one up."""

    def pass_one():
        reporter.send(1)
        reporter.wait_file(fabric.directory / "events.json")

    wait_passing(lambda: tcp_to(receiver.address), pass_one)


HINT = b"0 hint 1000 " + bytes(1000) + b"\n"
OPENED = b"1 rsp 41 200 OK\nrelp_version=0\ncommands=syslog,x,y\n"
REQUESTS = b"\x16\x03\x03\x0f\xa0" + bytes(4000)  # HelloRequests of TLS, which clients skip during a handshake


def test_those_that_never_stop_talking(fabric):
    """Each is a failure of that receiver alone; a reload and a stop do not wait for them."""
    fabric.subnet_manager().wait_master()
    with (Talker(b"words" * 1000) as tcp, Talker(HINT, OPENED) as relp, Talker(REQUESTS) as tls,
          TalkingManager() as manager):
        receivers = {"tcp": section("syslog", "tcp", transport="tcp", address=tcp.address),
                     "relp": section("syslog", "relp", transport="relp", address=relp.address),
                     "tls": section("syslog", "tls", transport="tls", address=tls.address),
                     "snmp": section("snmp", "snmp", address=manager.address, inform=True)}
        output = fabric.directory / "events.json"
        gateway = fabric.keep(FaultyGateway(fabric, more="".join(receivers.values()) + file_section(output)))
        wait_port(gateway)
        reporter = Reporter(fabric, gateway)
        reporter.send(5)
        reporter.wait_file(output)

        def all_failed(status):
            problems = {one["name"]: one["problem"] for one in status["receivers"]}
            return problems["snmp"] and all("it sends more than" in problems[name] for name in ("tcp", "relp", "tls"))

        gateway.wait_status(all_failed, "all of them to fail")
        gateway.config.write_text(gateway.config.read_text().replace(receivers["tcp"], ""))
        gateway.control("reload")
        assert gateway.stop() == 0


def test_one_that_vanishes(made, fabric):
    """Packets to it vanish without an error. Those that TCP keeps arrive when it is back."""
    with FarMachine() as far, Receiver(far.listen()) as receiver:
        gateway, reporter = made(syslog(receiver.address))
        reporter.send(20)
        wait_all(fabric, reporter, lambda: receiver.numbers)
        far.pull()
        reporter.send(50)
        reporter.wait_file(fabric.directory / "events.json")
        wait_passes_beside(fabric, reporter, receiver)
        assert receiver.numbers[-1] <= 20
        assert next(one for one in gateway.status()["receivers"] if one["name"] == "tested")["queued"] >= 50
        far.plug()
        wait_all(fabric, reporter, lambda: receiver.numbers)


def test_one_that_cannot_be_reached_at_start(made, fabric):
    """Connecting to it takes long; the file receiver does not wait for it."""
    with FarMachine() as far, Receiver(far.listen()) as receiver:
        far.pull()
        _, reporter = made(syslog(receiver.address))
        reporter.send(50)
        wait_passes_beside(fabric, reporter, receiver)
        assert receiver.numbers == []
        far.plug()
        wait_all(fabric, reporter, lambda: receiver.numbers)


def test_one_that_moves_to_another_address(made, fabric):
    """After the connection to the old address is lost, its name is resolved again."""
    with Receiver() as old:
        port = old.socket.getsockname()[1]
        gateway, reporter = made(syslog(f"moving.test:{port}"))
        gateway.faults.address = 1
        reporter.send(20)
        wait_all(fabric, reporter, lambda: old.numbers)
    gateway.faults.address = 2
    with Receiver(socket.create_server(("127.0.0.2", port))) as new:
        old.drop()
        reporter.send(20)
        wait_all(fabric, reporter, lambda: old.numbers + new.numbers)
        assert new.numbers[-1] == 40


def test_a_manager_that_moves_to_another_address(made, fabric):
    """After unanswered informs, the name is resolved again."""
    with LateManager(ber.notification, late=0) as old:
        port = int(old.address.rsplit(":", 1)[1])
        gateway, reporter = made(section("snmp", "tested", address=f"moving.test:{port}", inform=True, timeout=100,
                                         retries=1))
        gateway.faults.address = 1
        reporter.send(10)
        wait_all(fabric, reporter, lambda: numbers_of(old.came))
    gateway.faults.address = 2
    with LateManager(ber.notification, late=0, at=("127.0.0.2", port)) as new:
        reporter.send(10)
        wait_all(fabric, reporter, lambda: numbers_of(old.came) + numbers_of(new.came))


def follow(address, ours):
    """Asks for the events of the page; returns the status of the answer, and keeps the connection in `ours`."""
    ours.settimeout(20)
    ours.connect(address)
    ours.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return int(ours.recv(65536).split()[1])


def test_followers_of_the_page_whose_host_vanishes_lose_their_places(made):
    """TCP alone would keep them for a quarter of an hour."""
    with FarMachine() as far, contextlib.ExitStack() as stack:

        def ours():
            return stack.enter_context(socket.socket())

        page = (far.near, free_port())
        _, reporter = made(section("metrics", listen="%s:%d" % page, page=True))
        assert [follow(page, stack.enter_context(far.listen())) for _ in range(FOLLOWERS)] == [200] * FOLLOWERS
        far.pull()
        assert follow(page, ours()) == 503
        reporter.send(1)
        wait_until(lambda: follow(page, ours()) == 200, "a place")
