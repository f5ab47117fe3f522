# SPDX-License-Identifier: BSD-2-Clause
"""The oracle itself: what is wrong with a fabric, by its cables."""

import random

import pytest
from oracle import nets
from oracle.nets import End, Net, link
from oracle.truth import Truth, link_key, node_key, port_key, rate_key
from oracle.views import RAISED, Filter, Message, View, different_orders, wrong_names


@pytest.fixture
def net():
    return Net(nets.site_net())


@pytest.fixture
def truth(net):
    made = Truth(net, "monitor")
    made.seen()
    return made


def of(truth, name, port):
    return next(one for one in truth.plugged if truth.net.end(name, port) in one)


def all_of(truth, name):
    return [one for one in truth.plugged if any(end.guid == truth.net.by_name[name].guid for end in one)]


def keys(truth):
    (world,) = truth.worlds
    return set(truth.alarms(world))


def node(truth, name):
    return node_key(truth.net.by_name[name].guid)


def excused(truth, key, *told):
    (world,) = truth.worlds
    return truth.is_excused(key, world, set(told))


def test_a_net_is_read(net):
    assert net.by_name["leaf1"].kind == nets.SWITCH and net.by_name["router1"].kind == nets.ROUTER
    assert link(net.end("sm1", 1), net.end("leaf1", 1)) in net.links
    assert net.words(net.end("dual1", 2)) == '"dual1"[2]'
    assert not all_of(Truth(net, "monitor"), "spare1")


def test_random_nets_are_sound():
    for seed in range(50):
        made = Net(nets.random_net(random.Random(seed)))
        ends = [end for one in made.links for end in one]
        assert len(ends) == len(set(ends)) and all(end.port <= made.nodes[end.guid].ports for end in ends)
        assert len(Truth(made, "monitor").sight().nodes) == len(made.nodes) - 1  # all but the spare host


def test_nothing_is_wrong(truth):
    assert keys(truth) == set()


def test_a_link_between_switches(truth):
    cable = of(truth, "spine1", 1)
    truth.unplug(cable)
    assert keys(truth) == {link_key(cable)}
    truth.plug(cable)
    assert keys(truth) == set()


def test_a_host(truth):
    cable = of(truth, "node1", 1)
    truth.unplug(cable)
    assert keys(truth) == {link_key(cable), node(truth, "node1")}
    assert excused(truth, link_key(cable), node(truth, "node1")) and not excused(truth, node(truth, "node1"))


def test_an_alarm_about_many_nodes(truth):
    text = "Many nodes left the fabric at once, 3 in all: node1, node12, edge1; with them went 9 nodes behind them."
    many = Message("id", "nodes-removed", RAISED, "together node 0x0000000000000001", "", text, (), ())
    one = Message("id", "host-removed", RAISED, node(truth, "node2"), "", "Host node2 left the fabric.", (), ())
    told = truth.named([many, one])
    assert told == {node(truth, "node1"), node(truth, "edge1")}
    truth.unplug(of(truth, "node1", 1), of(truth, "node2", 1))
    assert excused(truth, node(truth, "node1"), *told) and not excused(truth, node(truth, "node2"), *told)


def test_a_port_of_a_host(truth):
    cable = of(truth, "dual1", 2)
    truth.unplug(cable)
    assert keys(truth) == {link_key(cable), port_key(truth.net.end("dual1", 2))}
    assert excused(truth, link_key(cable), port_key(truth.net.end("dual1", 2)))
    truth.unplug(of(truth, "dual1", 1))
    assert port_key(truth.net.end("dual1", 2)) not in keys(truth) and node(truth, "dual1") in keys(truth)


def test_what_is_behind_a_dead_switch(truth):
    truth.unplug(*all_of(truth, "edge1"))
    edge, tail, host = node(truth, "edge1"), node(truth, "tail1"), node(truth, "node6")
    assert {edge, tail, host, node(truth, "dual3")} <= keys(truth)
    assert not excused(truth, edge, host)
    assert excused(truth, tail, edge) and excused(truth, host, edge) and not excused(truth, host)
    uplink = link(truth.net.end("leaf2", 3), truth.net.end("edge1", 1))
    assert excused(truth, link_key(uplink), edge)


def test_what_is_still_missing_when_the_switch_returns(truth):
    cables = all_of(truth, "edge1")
    truth.unplug(*cables)
    inner = of(truth, "tail1", 2)
    truth.unplug(inner)
    for cable in cables:
        truth.plug(cable)
    assert keys(truth) == {node(truth, "node6"), link_key(inner)}
    assert not excused(truth, node(truth, "node6"), node(truth, "edge1"))


def test_a_host_does_not_forward(truth):
    truth.unplug(of(truth, "edge1", 1))
    assert node(truth, "edge1") in keys(truth)  # dual2 and router1 still lead there


def test_a_moved_cable_supersedes_the_old_link(truth):
    old = of(truth, "node1", 1)
    new = link(truth.net.end("node1", 1), truth.net.end("leaf2", 12))
    truth.unplug(old)
    truth.seen()
    truth.plug(new)
    assert keys(truth) == set()
    truth.seen()
    truth.unplug(new)
    assert keys(truth) == {node(truth, "node1"), link_key(new)}


def test_a_short_life_is_seen_or_not(truth):
    old = of(truth, "node1", 1)
    new = link(truth.net.end("node1", 1), truth.net.end("leaf2", 12))
    truth.watch(True)
    truth.unplug(old)
    truth.plug(new)
    truth.unplug(new)
    both = {frozenset(truth.alarms(world)) for world in truth.worlds}
    assert both == {frozenset({node(truth, "node1"), link_key(one)}) for one in (old, new)}
    assert not truth.fits({node(truth, "node1")}) and truth.fits({node(truth, "node1"), link_key(new)})
    truth.settle({node(truth, "node1"), link_key(new)})
    assert keys(truth) == {node(truth, "node1"), link_key(new)}


def test_nobody_sees_what_happens_while_the_gateway_is_away(truth):
    old = of(truth, "node1", 1)
    new = link(truth.net.end("node1", 1), truth.net.end("leaf2", 12))
    truth.unplug(old)
    truth.plug(new)
    truth.unplug(new)
    assert keys(truth) == {node(truth, "node1"), link_key(old)}


def test_a_crash_may_forget_a_new_link(truth):
    old = of(truth, "node1", 1)
    new = link(truth.net.end("node1", 1), truth.net.end("leaf2", 12))
    truth.settle(set())
    truth.unplug(old)
    truth.plug(new)
    truth.seen()
    truth.crash()
    truth.unplug(new)
    assert {frozenset(truth.alarms(world)) for world in truth.worlds} == {
        frozenset({node(truth, "node1"), link_key(one)}) for one in (old, new)}


def test_a_slow_link(truth):
    cable = of(truth, "spine1", 1)
    truth.slow.add(cable)
    assert keys(truth) == {rate_key(cable)}
    truth.unplug(cable)
    assert keys(truth) == {link_key(cable)}


# Views.

def message(number, event, state=None, key="", clears="", **more):
    end = (None, None, 0)
    return Message(str(number), event, state, key, clears and str(clears), more.get("text", ""),
                   more.get("subject", end), more.get("peer", end), more.get("sender", ""))


def test_filters(truth):
    truth.unplug(*all_of(truth, "edge1"))
    (world,) = truth.worlds
    alarms = truth.alarms(world)
    edge, host = alarms[node(truth, "edge1")], alarms[node(truth, "node4")]
    cable = alarms[link_key(link(truth.net.end("leaf2", 3), truth.net.end("edge1", 1)))]
    wants = [Filter("error").wants(one) for one in (edge, host, cable)]
    assert wants == [True, True, False]
    assert [Filter(events=("link-*",)).wants(one) for one in (edge, host, cable)] == [False, False, True]
    assert [Filter(categories=("node",)).wants(one) for one in (edge, host, cable)] == [True, True, False]
    assert [Filter(nodes=("edge1",)).wants(one) for one in (edge, host, cable)] == [True, None, True]


def test_a_view_finds(truth):
    cable = of(truth, "spine1", 1)
    truth.unplug(cable)
    (world,) = truth.worlds
    alarms, key, none = truth.alarms(world), link_key(cable), lambda _: False
    view = View("all")
    assert "was not told: link-down" in view.compare(alarms, none, True)[0]
    assert not view.compare(alarms, lambda _: True, True)
    view.take(message(1, "link-down", "raised", key))
    view.take(message(1, "link-down", "raised", key))
    assert not view.compare(alarms, none, True) and len(view.messages) == 1
    assert "is not true" in view.compare({}, none, True)[0]
    view.take(message(2, "link-up", "cleared", key, 1))
    view.take(message(3, "link-up", "cleared", key, 7))
    view.take(message(4, "sm-vanished", "raised", "sm 1"))
    view.take(message(5, "link-down", "raised"))
    found = "\n".join(view.compare({}, none, True))
    assert "clears an event that never came" in found and "still believes" in found and "no alarm key" in found
    assert "still believes" not in "\n".join(view.compare({}, none, False))


def test_orders_are_compared():
    one, other = View("one"), View("other")
    for number in (1, 2):
        one.take(message(number, "x", "raised", "k"))
    for number in (3, 2, 1):
        other.take(message(number, "x", "raised", "k"))
    assert len(different_orders([one, other])) == 1 and not different_orders([one, one])


def test_what_two_gateways_send_has_no_order():
    """Each has its own path to each receiver. What one of them sends has an order."""
    stories = [("raised", "A"), ("cleared", "A"), ("cleared", "B"), ("raised", "B")]

    def view(*order):
        made = View("one")
        for number in order:
            state, sender = stories[number - 1]
            made.take(message(number, "x", state, "node k", sender=sender))
        return made

    one, between, other = view(1, 2, 3, 4), view(1, 3, 4, 2), view(1, 2, 4, 3)
    assert len(different_orders([one, between])) == 1
    assert not different_orders([one, between], of_one_gateway=False)
    assert len(different_orders([one, other], of_one_gateway=False)) == 1


def test_names_and_ends(net):
    cable = link(net.end("leaf1", 4), net.end("spine1", 1))
    subject, peer = [(end.guid, net.name(end.guid), end.port) for end in sorted(cable)]
    text = "Port 4 of leaf1 to port 1 of spine1 went down."
    fields = {"text": text, "subject": subject, "peer": peer}
    good = message(1, "link-down", "raised", link_key(cable), **fields)
    assert not wrong_names(net, good)
    for bad, words in (({"text": "Port 4 of leaf1 went down."}, "lacks spine1"), ({"peer": subject}, "other ends"),
                       ({"peer": (peer[0], "leaf9", 1)}, "names 'leaf9'")):
        assert any(words in one for one in wrong_names(net, message(1, "link-down", "raised", link_key(cable),
                                                                    **fields | bad)))


def test_ends_have_an_order():
    assert link_key(link(End(2, 1), End(1, 9))) == "link 0x0000000000000001/9-0x0000000000000002/1"
