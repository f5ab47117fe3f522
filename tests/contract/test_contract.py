# SPDX-License-Identifier: BSD-2-Clause
"""What every kind of receiver promises, by the record of a peer that shares no code with it. kinds.py has the kinds."""

import contextlib
import sqlite3
import time

import pytest
from conftest import EACH, NAMES
from lab.processes import wait_until
from stupid import AWAY, CLOSE, ENDLESS, GARBAGE, GOOD, HOLD, MANY, number_in, wait_took

REFUSALS = 4  # after which others are tried in the place of the event that is refused
HOSTILE = [b"\x1b", b"\x07", b"\xff\xfe", b"\xed\xa0\x80", b"\xc2\x9b", b"\x7f"]
HOSTILE_MODES = (GARBAGE, ENDLESS, CLOSE)
RECEIVERS, ROOM_MIB = 60, 512  # 64 may be; half of what the unit allows
TEXT = ("syslog", "file", "kafka", "http")


def only(run, what):
    """The kinds of which something holds; skips the test if there is none."""
    return [kind for kind in run.peers if what(kind)] or pytest.skip("nothing of this holds for the kind")


def test_a_peer_that_comes_late_gets_all_in_order_and_unharmed(run):
    kept = only(run, lambda kind: kind.keeps)
    run.become(AWAY)
    run.start()
    early = run.send(20)
    run.wait_problem(kept)
    run.become(GOOD)
    late = run.send(20)
    run.wait_all(early + late, kept)
    run.wait_all(late)
    run.wait_confirmed()
    for kind, peer in run.peers.items():
        run.check_once(kind)
        check_harmless(kind, peer)


def check_harmless(kind, peer):
    """No octet of a name is more than text in the message, and names do not make it long."""
    messages = [octets for _, octets in peer.came]
    assert max(map(len, messages)) <= (32768 if kind.name == "journald" else 8192)
    for octets in messages:
        number = number_in(peer.pattern, octets)
        if kind.section in TEXT:
            octets.decode()
            assert not [one for one in HOSTILE if one in octets], (kind.name, octets)
            lines = octets.rstrip(b"\n").count(b"\n")
            assert lines == 0 or kind.name == "journald", (kind.name, octets)
        elif "extra_varbinds" in kind.items and number % 5 == 0:  # the name of leaf2
            assert b"?[2J?]0;owned? %n%s" in octets and NAMES["leaf2"] not in octets
    named = kind.section in TEXT or "extra_varbinds" in kind.items
    assert any(b"owned" in octets for octets in messages) == named, kind.name


def test_a_peer_that_is_killed_under_load_loses_nothing_that_waits(run):
    run.start()
    run.wait_all(run.send(10))
    dying = only(run, lambda kind: kind.dies)
    during = run.send(150, seen=False)
    run.become(AWAY)
    away = run.send(20)
    run.wait_problem([kind for kind in dying if kind.keeps])
    run.become(GOOD)
    after = run.send(10)
    for kind in run.peers:
        peer = run.peers[kind]
        wait_took(peer, after, kind.name)
        run.check_order(kind)
        missing = sorted(set(range(1, run.count + 1)) - set(peer.numbers))
        if kind.confirms or not kind.dies:
            assert missing == [], kind.name
        elif kind.keeps:  # what the dead peer's host had for it, in one piece
            assert set(missing) <= set(during) and missing == list(range(missing[0], missing[-1] + 1) if missing else [])
        else:
            assert set(missing) <= set(during + away)


def saved_cursors(gateway):
    """The cursors in the journal's file."""
    with contextlib.closing(sqlite3.connect(f"file:{gateway.state}/journal.db?mode=ro", uri=True)) as journal:
        return dict(journal.execute("SELECT name, cursor FROM receiver"))


def test_a_killed_gateway_sends_again_what_was_not_confirmed_and_nothing_else(run):
    confirming = only(run, lambda kind: kind.confirms)
    run.start()
    run.wait_all(first := run.send(20))
    run.wait_confirmed()
    before = {kind: run.status(kind)["cursor"] for kind in run.peers}
    wait_until(lambda: all(saved_cursors(run.gateway).get(kind.name, 0) >= before[kind] for kind in run.peers),
               "the journal to have the cursors")
    run.become(HOLD)
    second = run.send(20)
    taking = [kind for kind in confirming if kind.ahead]
    for kind in taking:  # all of them, unless the machine is slow: who waits too long for an answer sends one again, and no more
        wait_took(run.peers[kind], second[:2], kind.name)
    for kind in confirming:
        shown = run.status(kind)
        assert shown["cursor"] == before[kind] or shown["queued"] >= len(second), kind.name
    run.gateway.kill()
    for kind in taking:
        run.peers[kind].become(AWAY)  # ends what is on the way
    before_kill = {kind: len(run.peers[kind].numbers) for kind in taking}
    run.become(GOOD)
    run.gateway.start()
    run.wait_ready()
    run.wait_all(run.send(5))
    for kind, peer in run.peers.items():
        missing = sorted(set(range(1, run.count + 1)) - set(peer.numbers))
        assert missing == [], kind.name
        assert [number for number in peer.numbers if number in first] == first, f"{kind.name} has what it confirmed twice"
    for kind in taking:
        again = [number for number in run.peers[kind].numbers[before_kill[kind]:] if number in second]
        assert list(dict.fromkeys(again)) == second, kind.name


def test_a_gateway_that_is_killed_under_load_loses_and_disorders_nothing(run):
    run.start()
    for _ in range(3):
        run.send(40, seen=False)
        run.gateway.kill()
        run.gateway.start()
        run.wait_ready()
    run.send(10)
    run.wait_all()


def test_an_event_that_is_refused_is_given_up_and_no_other(run):
    refusing = only(run, lambda kind: kind.refuses)
    run.start()
    run.wait_all(run.send(5))
    bad = run.count + 1
    for kind in refusing:
        run.peers[kind].refused.add(bad)
    run.send(6)
    run.wait_all([number for number in range(1, run.count + 1) if number != bad])
    for kind in refusing:  # given up when others pass before and after it
        wait_until(lambda: len(run.peers[kind].refusals) >= REFUSALS, kind.name)  # noqa: B023
    run.send(3)
    run.wait_all([number for number in range(1, run.count + 1) if number != bad])
    for kind in refusing:
        run.wait_confirmed([kind])
        shown = run.status(kind)
        assert (shown["refused"], shown["dropped"]) == (1, 1), kind.name
        assert set(run.peers[kind].refusals) == {bad}, kind.name
        assert bad not in run.peers[kind].numbers, kind.name
        assert f"receiver {kind.name}: gave up number" in run.gateway.log


def test_peers_that_hang_delay_no_other_and_no_stop(run):
    run.start()
    run.wait_all(run.send(5))
    run.become(HOLD)
    run.send(200)  # the witness has them
    assert run.gateway.stop() == 0
    run.become(GOOD)
    run.gateway.start()
    run.wait_ready()
    run.send(5)
    run.wait_all()


@pytest.mark.parametrize("first", range(len(HOSTILE_MODES) if EACH else 1))
def test_a_hostile_peer_is_its_receivers_failure_alone(run, first):
    """Each peer misbehaves in another way; `first` is that of the first. Without confirmations nobody can know whether it takes
    anything; nothing of this may disturb the others."""
    talking = only(run, lambda kind: kind.answers)
    run.start()
    run.wait_all(run.send(5))
    for number, kind in enumerate(talking, first):
        run.peers[kind].become(HOSTILE_MODES[number % len(HOSTILE_MODES)])
    run.send(20)
    run.wait_problem([kind for kind in talking if kind.confirms])
    run.wait_all(these=[kind for kind in run.peers if kind not in talking])
    assert run.gateway.stop() == 0
    run.become(GOOD)
    run.gateway.start()
    run.wait_ready()
    after = run.send(5)
    run.wait_all(these=[kind for kind in run.peers if kind.confirms])
    run.wait_all(after)


def test_many_hostile_peers_take_little_memory_and_delay_no_other(run):
    """As many receivers as there may be, each at a peer that sends as much as it can."""
    talking = only(run, lambda kind: kind.answers)
    more = "".join(kind.text(run.site, run.peers[kind], name=f"{kind.name}-{number}", **kind.many)
                   for kind in talking for number in range(RECEIVERS // len(talking) - 1))
    run.start(more=more)
    for kind in talking:
        run.peers[kind].become(MANY)
    run.send(20)
    names = [f"{kind.name}-0" for kind in talking if kind.confirms]
    wait_until(lambda: all(run.gateway.receiver(name)["problem"] for name in names), "all to complain")
    run.wait_all(these=[kind for kind in run.peers if kind not in talking])
    assert not run.gateway.has_taken(ROOM_MIB)


def test_pause_resume_and_flush(run):
    run.start()
    first = run.send(5)
    run.wait_all(first)
    run.wait_confirmed()
    for kind in run.peers:
        run.gateway.control("receivers", "pause", kind.name)
    second = run.send(5)
    for kind, peer in run.peers.items():
        assert not set(second) & set(peer.numbers), kind.name
        assert run.status(kind)["queued"] >= len(second)
        run.gateway.control("receivers", "resume", kind.name)
    run.wait_all(first + second)
    run.wait_confirmed()
    for kind in run.peers:
        run.gateway.control("receivers", "pause", kind.name)
    third = run.send(5)
    for kind in run.peers:
        run.gateway.control("receivers", "flush", kind.name)
        run.gateway.control("receivers", "resume", kind.name)
    fourth = run.send(5)
    run.wait_all(first + second + fourth)
    for kind, peer in run.peers.items():
        run.check_once(kind)
        assert not set(third) & set(peer.numbers), kind.name
        assert run.status(kind)["dropped"] == len(third), kind.name


def test_the_rate_is_kept(run):
    rate, burst, count = 50, 5, 80
    run.start(rate=rate, burst=burst)
    began = time.monotonic()
    run.send(count)
    run.wait_all()
    assert time.monotonic() - began >= (count - burst) / rate


def test_a_reload_that_changes_the_address_loses_and_doubles_nothing(run):
    run.start()
    run.send(20, seen=False)
    text = run.gateway.config.read_text()
    successors = {kind: run.stack.enter_context(kind.make(run.site)) for kind in run.peers}
    for kind, peer in run.peers.items():
        text = text.replace(kind.text(run.site, peer), kind.text(run.site, successors[kind]))
    run.gateway.config.write_text(text)
    run.gateway.control("reload")
    after = run.send(20)
    for kind, peer in run.peers.items():
        wait_took(successors[kind], after, kind.name)
        both = peer.numbers + successors[kind].numbers
        assert both == list(range(1, run.count + 1)), f"{kind.name}: {peer.numbers}, then {successors[kind].numbers}"
