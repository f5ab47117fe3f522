# SPDX-License-Identifier: BSD-2-Clause
"""Small stories that the random trials tell too rarely, with the same oracle. Each is a function over the actions of a
site. `SCENARIOS` has them by name, with the options of their sites."""

import errno

from lab import notices
from oracle import nets
from oracle.nets import link
from oracle.truth import link_key, node_key
from oracle.views import Filter

SCENARIOS = {}
PLAIN = ("syslog", "traps", "file", "informs")  # receivers without a filter


def scenario(which=PLAIN, **options):
    def register(function):
        SCENARIOS[function.__name__] = (function, {"which": which, **options})
        return function
    return register


def site_options(name):
    return {"net_text": nets.site_net(), **SCENARIOS[name][1]}


def play(site, name):
    SCENARIOS[name][0](site)
    site.finish()


# Cables that move.

def second_uplink(site):
    """One of two cables between leaf1 and spine1, and a place where it may go."""
    old = site.find("spine1", 2)
    (kept,) = [end for end in old if end.guid == site.net.by_name["leaf1"].guid]
    return old, link(kept, site.net.end("leaf2", 12))


@scenario()
def a_cable_moves_slowly(site):
    old, new = second_uplink(site)
    site.unplug(old)
    site.quiet()
    site.plug(new)
    site.quiet()


@scenario()
def a_cable_moves_more_slowly_than_a_sweep(site):
    """Receivers have not heard of it yet, or have."""
    old, new = second_uplink(site)
    site.unplug(old)
    site.converge()
    site.plug(new)
    site.quiet()


@scenario()
def a_host_moves_slowly(site):
    old = site.find("node1", 1)
    site.unplug(old)
    site.quiet()
    site.plug(link(site.net.end("node1", 1), site.net.end("leaf2", 12)))
    site.quiet()


@scenario()
def a_cable_moves_and_returns(site):
    old, new = second_uplink(site)
    for one, other in ((old, new), (new, old)):
        site.unplug(one)
        site.quiet()
        site.plug(other)
        site.quiet()


@scenario()
def two_hosts_exchange_their_places(site):
    one, other = site.find("node1", 1), site.find("node2", 1)
    site.unplug(one)
    site.unplug(other)
    site.converge()
    site.plug(link(site.net.end("node1", 1), next(end for end in other if end != site.net.end("node2", 1))))
    site.plug(link(site.net.end("node2", 1), next(end for end in one if end != site.net.end("node1", 1))))
    site.quiet()


# Slow links.

@scenario()
def a_slow_cable_moves(site):
    old, new = second_uplink(site)
    site.slow(old)
    site.quiet()
    site.unplug(old)
    site.plug(new)
    site.quiet()


@scenario()
def a_slow_cable_moves_while_the_gateway_is_stopped(site):
    old, new = second_uplink(site)
    site.slow(old)
    site.quiet()
    site.stop_gateway()
    site.unplug(old)
    site.plug(new)
    site.start_gateway()
    site.quiet()


@scenario()
def a_slow_cable_is_reseated(site):
    old, _ = second_uplink(site)
    site.slow(old)
    site.quiet()
    site.unplug(old)
    site.quiet()
    site.slow(old, False)
    site.plug(old)
    site.quiet()


# Hosts with two ports.

@scenario()
def a_host_with_two_ports_leaves_and_returns_whole(site):
    links = site.links_of("dual1")
    site.unplug(links[1])
    site.quiet()
    site.unplug(links[0])
    site.quiet()
    site.plug_all(links)
    site.quiet()


@scenario()
def a_router_leaves_and_returns_whole(site):
    links = site.links_of("router1")
    site.unplug(links[1])
    site.quiet()
    site.unplug(links[0])
    site.quiet()
    site.plug_all(links)
    site.quiet()


@scenario()
def one_port_moves_and_the_other_goes(site):
    moved, gone = site.find("dual1", 1), site.find("dual1", 2)
    site.unplug(gone)
    site.unplug(moved)
    site.plug(link(site.net.end("dual1", 1), site.net.end("spine1", 12)))
    site.quiet()
    site.plug(gone)
    site.quiet()


# Faults behind faults.

@scenario()
def more_is_cut_behind_a_dead_switch(site):
    links = site.unplug_node("edge1")
    site.quiet()
    site.unplug(site.find("node6", 1))
    lost = [site.find_in(links, name, 1) for name in ("node4", "node5")]
    site.plug_all([one for one in links if one not in lost])
    site.quiet()
    site.plug_all(lost)
    site.quiet()


@scenario()
def a_switch_dies_behind_a_dead_switch(site):
    edge = site.unplug_node("edge1")
    site.quiet()
    tail = site.unplug_node("tail1")
    between = [one for one in edge if any(end.guid == site.net.by_name["tail1"].guid for end in one)]
    site.plug_all([one for one in edge if one not in between])
    site.quiet()
    site.plug_all([*between, *tail])
    site.quiet()


@scenario()
def the_uplink_of_a_switch_is_cut_and_hosts_still_lead_to_it(site):
    """dual2 and router1 are seen by one port, and their other port is up."""
    uplink = site.find("edge1", 1)
    site.unplug(uplink)
    site.quiet()
    site.plug(uplink)
    site.quiet()


# Ends that are not told yet.

@scenario()
def a_slow_link_that_was_told_goes_across_a_restart(site):
    one, _ = second_uplink(site)
    site.slow(one)
    site.quiet()
    site.unplug(one)
    site.quiet()
    site.restart_gateway()
    site.quiet()
    site.slow(one, False)
    site.plug(one)
    site.quiet()


def flap(site, one):
    """Lets it flap until receivers know that it does; it is unplugged at last."""
    for _ in range(4):
        site.unplug(one)
        site.converge()
        site.plug(one)
        site.converge()
    site.unplug(one)
    site.wait_told(f"flapping {link_key(one)}")


@scenario()
def a_kill_while_a_link_flaps(site):
    one, _ = second_uplink(site)
    flap(site, one)
    site.plug(one)
    site.converge()
    site.stop_gateway(kill=True)
    site.start_gateway()
    site.quiet()


@scenario()
def a_restart_while_a_link_flaps(site):
    one, _ = second_uplink(site)
    flap(site, one)
    site.stop_gateway()
    site.start_gateway()
    site.quiet()


def degrade_the_journal(site):
    """Until receivers know that it does not work."""
    gateway = site.gateways[0]
    gateway.faults.write_errno = errno.ENOSPC
    site.fabric.client("node1").trap(notices.system_image_guid_change(6, 7))
    site.wait_event("journal-degraded")
    return gateway


@scenario(which=("syslog", "traps"), faulty=True)
def a_kill_while_the_journal_does_not_work(site):
    gateway = degrade_the_journal(site)
    site.stop_gateway(kill=True)
    gateway.faults.write_errno = 0
    site.start_gateway()
    site.quiet()


@scenario(which=("syslog", "traps"), faulty=True)
def a_stop_while_the_journal_does_not_work(site):
    gateway = degrade_the_journal(site)
    site.stop_gateway()
    gateway.faults.write_errno = 0
    site.start_gateway()
    site.quiet()


# Receivers.

@scenario(which=("syslog", "syslog-severe", "syslog-grave", "syslog-links", "syslog-nodes", "syslog-leaf2"))
def filters_pass_the_ends_of_what_they_passed(site):
    one, _ = second_uplink(site)
    links = [*site.unplug_node("node1"), *site.unplug_node("leaf2"), one]
    site.unplug(one)
    site.quiet()
    site.plug_all(links)
    site.quiet()


@scenario(which=("syslog", "syslog-links", "syslog-nodes", "syslog-leaf2", "syslog-node4"))
def filters_that_refuse_a_root_cause(site):
    """Whoever hears nothing of a dead switch hears of the hosts and links that it took away, and of their ends."""
    links = site.unplug_node("edge1")
    site.quiet()
    heard = site.observer("syslog-node4").view.active
    assert node_key(site.net.by_name["node4"].guid) in heard, heard
    lost = site.find_in(links, "node4", 1)
    site.plug_all([one for one in links if one != lost])
    site.quiet()
    site.plug(lost)
    site.quiet()


@scenario(which=("syslog", "syslog-links", "syslog-node4"), hold_down=2)
def a_restart_while_a_switch_is_dead_whose_end_filters_refuse(site):
    links = site.unplug_node("edge1")
    site.converge()
    site.restart_gateway(kill=True)
    site.quiet()
    site.plug_all(links)
    site.quiet()


@scenario(which=("syslog", "syslog-leaf2"))
def a_filter_by_node_and_a_host_that_moves(site):
    """The event of its loss names leaf2, that of its return another switch."""
    site.unplug(site.find("node2", 1))
    site.quiet()
    site.plug(link(site.net.end("node2", 1), site.net.end("spine1", 12)))
    site.quiet()


# Without a subnet manager.

def a_cable_returns_without_a_manager(site, links):
    """A port in state Init is no news: the alarms stand, and the link is told to be inactive."""
    for one in links:
        site.unplug(one)
    site.quiet()
    site.kill_manager()
    site.plug_all(links)
    site.converge()
    site.wait_event("link-inactive")
    site.quiet()
    site.start_manager()
    site.wait_event("link-active")
    site.quiet()


@scenario()
def a_host_returns_without_a_manager(site):
    a_cable_returns_without_a_manager(site, [site.find("node1", 1)])


@scenario()
def a_link_between_switches_returns_without_a_manager(site):
    a_cable_returns_without_a_manager(site, [second_uplink(site)[0]])


@scenario()
def a_switch_returns_without_a_manager(site):
    a_cable_returns_without_a_manager(site, site.links_of("leaf2"))


@scenario(which=("syslog", "manager"))
def a_manager_without_our_sets_follows_the_alarms(site):
    one, _ = second_uplink(site)
    site.unplug(one)
    site.quiet()
    site.plug(one)
    site.quiet()


@scenario(which=("syslog", "informs"), policy={"flap": {"changes": 0, "within": 60, "quiet": 1}})
def an_alarm_is_over_before_the_inform_that_raised_it_arrives(site):
    one, _ = second_uplink(site)
    site.observer("informs").path.lose_first_of = "link-down"
    for _ in range(3):
        site.unplug(one)
        site.wait_told(link_key(one))
        site.plug(one)
        site.quiet()


@scenario(which=("syslog", "informs", "relp"))
def receivers_are_away(site):
    for name in ("informs", "relp"):
        site.leave(site.observer(name))
    links = site.unplug_node("edge1")
    site.sweep()
    site.plug_all(links[1:])
    site.sweep()
    site.quiet()
    site.plug(links[0])
    site.quiet()


@scenario(which=("syslog", "syslog-severe", "syslog-links"))
def filters_change_while_an_alarm_stands(site):
    """Neither a narrower nor a wider filter keeps the end of an alarm away that was told before."""
    one, _ = second_uplink(site)
    host = site.find("node1", 1)
    site.unplug(one)
    site.unplug(host)
    site.quiet()
    site.change_filter("syslog-severe", Filter(events=("heartbeat",)))
    site.change_filter("syslog-links", Filter(severity="error"))
    site.plug(one)
    site.plug(host)
    site.quiet()
    site.change_filter("syslog-severe", Filter())
    site.unplug(one)
    site.quiet()


# What people do with alarms.

@scenario()
def an_alarm_is_cleared_by_hand(site):
    """A cleared alarm is over until its subject is back and goes missing again."""
    one, _ = second_uplink(site)
    site.unplug(one)
    site.quiet()
    site.clear(link_key(one), "the cable was sold")
    site.quiet()
    site.restart_gateway(kill=True)
    site.quiet()
    site.plug(one)
    site.quiet()
    site.unplug(one)
    site.quiet()


@scenario()
def a_host_is_cleared_by_hand(site):
    """Its link is not the alarm that is told next."""
    site.unplug_node("node1")
    site.quiet()
    site.clear(node_key(site.net.by_name["node1"].guid), "the host was sold")
    site.quiet()


@scenario()
def a_switch_is_cleared_by_hand(site):
    """The nodes that went with it are still missing, and are told now."""
    site.unplug_node("edge1")
    site.quiet()
    site.clear(node_key(site.net.by_name["edge1"].guid), "the switch was sold")
    site.quiet()


@scenario(faulty=True)
def a_clock_that_is_far_ahead_ends_no_alarm(site):
    """Neither while the gateway runs nor at a start: the clock may be set right. The rest takes an hour, in unit
    tests."""
    one, _ = second_uplink(site)
    site.slow(one)
    site.unplug_node("node1")
    site.quiet()
    site.gateways[0].faults.utc_us = 31 * 24 * 3600 * 1_000_000
    site.quiet()
    site.restart_gateway()
    site.quiet()
    site.gateways[0].faults.utc_us = 0
    site.restart_gateway()
    site.quiet()


# Handovers.

PAIR = {"which": ("syslog", "traps"), "pair": True}


@scenario(**PAIR)
def an_alarm_ends_after_a_handover(site):
    one = site.find("node1", 1)
    site.unplug(one)
    site.quiet()
    former, _ = site.hand_over()
    site.plug(one)
    site.quiet()
    site.start_manager(former)
    site.quiet()


@scenario(**PAIR, hold_down=4)
def a_handover_while_an_alarm_is_held_down(site):
    one = site.find("node1", 1)
    site.unplug(one)
    site.wait_listed(link_key(one))
    former, _ = site.hand_over()
    site.quiet()
    site.plug(one)
    site.start_manager(former)
    site.quiet()


@scenario(**PAIR)
def a_handover_while_a_link_flaps(site):
    one, _ = second_uplink(site)
    flap(site, one)
    former, _ = site.hand_over()
    site.quiet()
    site.start_manager(former)
    site.quiet()


@scenario(**PAIR)
def a_handover_in_maintenance(site):
    one = site.find("node1", 1)
    site.control("maintenance", "start", "work", 60, "node1")
    site.windows.add("work")
    site.unplug(one)
    site.wait_listed(link_key(one))
    former, _ = site.hand_over()
    site.quiet()
    site.start_manager(former)
    site.quiet()


@scenario(**PAIR)
def a_handover_while_an_alarm_is_shelved(site):
    one = site.find("node1", 1)
    site.unplug(one)
    site.quiet()
    site.shelve(link_key(one))
    site.shelve(node_key(site.net.by_name["node1"].guid))
    site.hand_over()
    site.plug(one)
    site.converge()
    site.unplug(one)
    site.quiet()


@scenario(**PAIR)
def a_handover_while_a_switch_is_dead(site):
    links = site.unplug_node("edge1")
    site.quiet()
    site.hand_over()
    lost = site.find_in(links, "node4", 1)
    site.plug_all([one for one in links if one != lost])
    site.quiet()


@scenario(which=("syslog", "traps", "syslog-links", "syslog-node4"), pair=True)
def a_handover_while_a_switch_is_dead_that_filters_refuse(site):
    links = site.unplug_node("edge1")
    site.quiet()
    former, _ = site.hand_over()
    site.plug_all(links)
    site.quiet()
    site.start_manager(former)
    site.quiet()


@scenario(**PAIR, policy={"storm": {"rate": 2, "period": 3}})
def a_handover_in_a_storm(site):
    links = [link_of for name in ("node1", "node2", "node3", "node4", "node5") for link_of in site.links_of(name)]
    for one in links:
        site.unplug(one)
    site.wait_listed(link_key(links[-1]))
    site.hand_over()
    site.quiet()


@scenario(**PAIR)
def changes_during_a_handover(site):
    one, two = site.find("node1", 1), site.find("node2", 1)
    site.unplug(one)
    site.quiet()
    site.kill_manager("sm1")
    site.unplug(two)
    site.plug(one)
    site.wait_roles("sm2")
    site.quiet()
    site.start_manager("sm1")
    site.quiet()


@scenario(**PAIR)
def a_standby_restarts_and_takes_over(site):
    one, two = site.find("node1", 1), site.find("node2", 1)
    site.unplug(one)
    site.quiet()
    standby = next(gateway for gateway in site.running if gateway not in site.active_gateways())
    site.stop_gateway(standby, kill=True)
    site.unplug(two)
    site.plug(one)
    site.start_gateway(standby)
    site.hand_over()
    site.quiet()


@scenario(**PAIR)
def there_is_no_subnet_manager_anywhere(site):
    """After a while one of the gateways tells what its sweeps find. Each tells that it reaches no subnet manager."""
    one, two = site.find("node1", 1), site.find("node2", 1)
    site.unplug(one)
    site.quiet()
    for host in site.managers:
        site.kill_manager(host)
    keys = [f"gateway {host} sm-reachable" for host in site.managers]
    for key in keys:
        site.wait_told(key)
    site.unplug(two)
    site.plug(one)
    site.quiet()
    assert len(site.active_gateways()) == 1
    for host in site.managers:
        site.start_manager(host)
    for key in keys:
        site.wait_told(key, "cleared")
    site.quiet()


@scenario(**PAIR)
def each_gateway_ends_its_own_alarms(site):
    """The receivers of both have the alarms of each, and the end of one is not that of the other."""
    second = site.gateways[1]
    for host in site.managers:
        site.kill_manager(host)
    keys = [f"gateway {host} sm-reachable" for host in site.managers]
    for key in keys:
        site.wait_told(key)
    site.stop_gateway(second, kill=True)
    for host in site.managers:
        site.start_manager(host)
    site.wait_told(keys[0], "cleared")
    site.poll()
    assert keys[1] in site.observer("syslog").view.active
    site.start_gateway(second)
    site.wait_told(keys[1], "cleared")
    site.quiet()
