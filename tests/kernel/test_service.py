# SPDX-License-Identifier: BSD-2-Clause
"""The package on a real kernel: its unit as shipped, udev, ib_umad, OpenSM, hot-plug, modules, reload."""

import pathlib

from machine import CONFIG, GATEWAY_HOST, prop, run, subscribed, wait

NODES = 4  # three hosts, one switch


def test_a_link_down_reaches_snmptrapd(site, traps):
    site.connect(config=traps.config)
    site.gateway.wait_subscribed()
    site.gateway.wait_swept(NODES)
    site.fabric.link(2, False)
    wait(lambda: ".1.3.6.1.6.3.1.1.4.1.0" in traps.traps() and "host2" in traps.traps(), "the trap at snmptrapd")
    site.fabric.link(2, True)
    wait(lambda: "host-added" in {event["event"] for event in site.gateway.events()}, "the host to be back")
    names = [event["event"] for event in site.gateway.events()]
    assert "gid-out-of-service" in names and "host-removed" in names  # of OpenSM's Report, and of the sweep
    counters = site.gateway.status()["counters"]
    assert counters["reports"] >= 2 and counters["reports"] == counters["acknowledged"] and counters["foreign"] == 0


def test_it_waits_for_an_adapter_in_its_sandbox(site):
    CONFIG.write_text("")
    site.gateway.start()
    wait(lambda: "no InfiniBand port found" in site.gateway.status_text(), "the problem")
    status = pathlib.Path(f"/proc/{site.gateway.pid()}/status").read_text()
    assert "CapBnd:\t0000000000000000" in status and "\nUid:\t0\t" not in status
    site.fabric.load()
    site.subnet_manager.start()
    run("systemctl", "restart", "ibtrapd")
    site.gateway.wait_subscribed()


def test_an_adapter_that_comes_later_is_found(site):
    """Its driver is loaded after the service: the kernel knew no device yet when the sandbox was made."""
    site.gateway.configure()
    site.gateway.start()
    site.fabric.load()
    site.subnet_manager.start()
    site.gateway.wait_subscribed()


def test_devices_belong_to_the_group(site):
    site.fabric.load()
    assert run("stat", "-c", "%G %a", f"/dev/infiniband/umad{GATEWAY_HOST}") == "ibtrapd-umad 660\n"
    assert run("stat", "-c", "%G %a", f"/dev/infiniband/issm{GATEWAY_HOST}") == "root 600\n"


def test_an_instance_lives_with_its_port(site):
    site.fabric.load()
    site.subnet_manager.start()
    run("systemctl", "enable", "ibtrapd@fab1-1")
    assert prop("sys-subsystem-ibtrapd-fab1-1.device", "ActiveState") == "active"
    run("systemctl", "start", "ibtrapd@fab1-1")
    wait(lambda: "active, " in prop("ibtrapd@fab1-1", "StatusText"), "the instance to subscribe")
    site.fabric.plug(GATEWAY_HOST, False)
    wait(lambda: prop("ibtrapd@fab1-1", "ActiveState") == "inactive", "the instance to end with its port")
    site.fabric.plug(GATEWAY_HOST, True)
    wait(lambda: prop("ibtrapd@fab1-1", "ActiveState") == "active", "the instance to start with its port")
    run("systemctl", "disable", "--now", "ibtrapd@fab1-1")


def test_a_port_that_goes_and_comes_back(site):
    site.connect()
    site.gateway.wait_subscribed()
    site.fabric.plug(GATEWAY_HOST, False)
    site.gateway.wait_status(lambda status: subscribed(status) == 0, "the loss to be noticed")
    assert prop("ibtrapd", "ActiveState") == "active"
    site.fabric.plug(GATEWAY_HOST, True)
    site.gateway.wait_subscribed()


def test_modules_that_are_unloaded_come_back_with_the_service(site):
    site.connect()
    site.gateway.wait_subscribed()
    site.gateway.stop()
    site.subnet_manager.stop()
    run("rmmod", "ib_umad")
    assert not list(pathlib.Path("/dev/infiniband").glob("umad*"))
    site.gateway.start()
    wait(lambda: list(pathlib.Path("/dev/infiniband").glob("umad*")), "the unit to load ib_umad")
    site.subnet_manager.start()
    site.gateway.wait_subscribed()


def test_a_reload_of_a_bad_file_fails_and_says_why(site):
    site.connect()
    site.gateway.wait_subscribed()
    good = CONFIG.read_text()
    CONFIG.write_text(good + 'syslog "x" { port = 99999 }\n')
    run("systemctl", "reload", "ibtrapd", good=(1,))
    assert "the configuration was not reloaded" in site.gateway.log() and "item 'port'" in site.gateway.log()
    assert prop("ibtrapd", "ActiveState") == "active" and subscribed(site.gateway.status()) >= 13
    CONFIG.write_text(good)
    run("systemctl", "reload", "ibtrapd")
