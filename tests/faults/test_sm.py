# SPDX-License-Identifier: BSD-2-Clause
"""A subnet manager that is stopped, killed or restarted, that repeats Reports or sends Reports without a
subscription."""

import signal

import pytest
from lab import notices
from lab.gateway import Gateway
from lab.processes import wait_until
from reports import EVENT, file_section


@pytest.fixture
def made(fabric):
    manager = fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, more=file_section(fabric.directory / "events.json")))
    gateway.wait_subscribed()
    return manager, gateway, fabric.directory / "events.json"


def journalled(gateway):
    return [int(one["systemImageGuid"], 16) for one in gateway.journal() if one["event"] == EVENT]


def test_every_report_comes_four_times(made, fabric):
    """Repeats each Report as an OpenSM that gets no answers: four acknowledgements, one event."""
    _, gateway, output = made
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    for number in range(1, 101):
        tid = client.next_tid()
        for _ in range(4):
            client.report(notices.system_image_guid_change(6, number), lid, tid)
    assert all([client.receive(20) for _ in range(400)])
    assert journalled(gateway) == list(range(1, 101))
    assert gateway.counter("repeated") == 300


def test_reports_of_traps_that_nobody_subscribed(made, fabric):
    """The Reports are answered, and become events of their kind."""
    _, gateway, output = made
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    for trap in range(1000, 1050):
        client.report(notices.Notice(trap, bytes(54)), lid)
    assert all([client.receive(20) for _ in range(50)])
    assert len([one for one in gateway.journal() if one["event"] == "unknown-trap"]) == 50


def wait_journalled(gateway, event):
    wait_until(lambda: event in [one["event"] for one in gateway.journal()], event, timeout=300, interval=0.5)


def test_a_subnet_manager_that_is_stopped_for_a_while(made, fabric):
    """Its silence gives an event, and so does its end, when it answers all late requests at once."""
    manager, gateway, output = made
    manager.process.popen.send_signal(signal.SIGSTOP)
    wait_journalled(gateway, "sm-unreachable")
    manager.process.popen.send_signal(signal.SIGCONT)
    wait_journalled(gateway, "sm-back")
    gateway.wait_subscribed()
    names = [one["event"] for one in gateway.journal()]
    assert names.count("sm-unreachable") == names.count("sm-back") == 1


def test_it_is_killed_and_restarted_again_and_again(made, fabric):
    """Each time the subscriptions are restored and traps arrive."""
    manager, gateway, output = made
    node = fabric.client("node1")

    def arrives(number):
        node.trap(notices.system_image_guid_change(6, number))
        return number in journalled(gateway)

    for number in range(1, 6):
        manager.restart()
        wait_until(lambda: arrives(number), f"trap {number}", interval=0.5)  # noqa: B023
    gateway.wait_subscribed()
    assert sorted(set(journalled(gateway))) == [1, 2, 3, 4, 5]
