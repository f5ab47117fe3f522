# SPDX-License-Identifier: BSD-2-Clause
"""The subagent below a real snmpd: contexts, restarts of either side, a new configuration."""

import re
import subprocess

import pytest
from lab import own_mib, pages
from lab.fabric import BUILD
from lab.gateway import Gateway, section
from lab.processes import DEADLINE, wait_until
from lab.snmpd import Snmpd
from lab.tables import GSW, Manager, dotted, read_line

OWN = (*own_mib.OWN_IDS, 1)
VERSION, DATE, SWITCHES = (*GSW, 1, 1, 0), (*GSW, 1, 2, 0), (*GSW, 2, 1, 0)

# The communities "named" and "other" use the contexts fabric-a and fabric-b, "public" the default context.
VIEWS = """
com2sec plain 127.0.0.1 public
com2sec -Cn fabric-a named 127.0.0.1 named
com2sec -Cn fabric-b other 127.0.0.1 other
group readers v2c plain
group readers v2c named
group readers v2c other
view everything included .1
access readers "" any noauth prefix everything everything none
"""


@pytest.fixture
def snmpd(tmp_path):
    with Snmpd(tmp_path, more=VIEWS) as one:
        yield one


@pytest.fixture
def serve(fabric, snmpd):
    """Starts a gateway with these items in its section `subagent`."""
    fabric.subnet_manager().wait_master()

    def start(host="monitor", more="", **items):
        tables = section("subagent", socket=snmpd.socket, **items)
        return fabric.keep(Gateway(fabric, host=host, sweep={"interval": 5}, more=tables + more))

    return start


def wait_up(gateway):
    return gateway.wait_status(lambda one: one["tables"]["up"], "the tables to be served")


def get(snmpd, oid, community="public"):
    """The value of an instance, or the error."""
    return read_line(Manager(snmpd.address, community).run("snmpget", dotted(oid)).strip())[1]


def has_tables(snmpd, community="public"):
    return get(snmpd, VERSION, community) == b"0100"


def test_scalars(snmpd, serve):
    gateway = serve()
    snmpd.start()
    wait_up(gateway)
    gateway.wait_swept()
    assert has_tables(snmpd)
    assert re.fullmatch(rb"\w{3} \w{3} \d\d \d\d:\d\d:\d\d \d{4} UTC", get(snmpd, DATE))
    switches = sum(node.startswith("Switch") for node in gateway.fabric.run(["ibnetdiscover", "-l"], "monitor").splitlines())
    assert switches > 0 and get(snmpd, SWITCHES) == switches
    assert "No Such Instance" in get(snmpd, VERSION[:-1] + (1,))
    assert "No Such Object" in get(snmpd, (*GSW, 99, 1, 0))


def lasting(oids):
    """Without rows that may change between two walks: events and alarms."""
    return [oid for oid in oids if oid[:9] != (*GSW, 15) and oid[:12] not in ((*OWN, 4), (*OWN, 5))]


def test_a_walk_covers_both_modules_in_order(snmpd, serve):
    gateway = serve()
    snmpd.start()
    wait_up(gateway)
    gateway.wait_swept()
    manager = Manager(snmpd.address)
    for root in GSW, OWN:
        walked = list(manager.walk(root))
        bulk = list(manager.walk(root, "snmpbulkwalk", ["-Cr50"]))
        assert len(walked) > 20 and walked == sorted(walked) and bulk == sorted(bulk)
        assert lasting(bulk) == lasting(walked)


def test_the_context_and_the_default_one_have_the_tables(snmpd, serve):
    gateway = serve(context="fabric-a")
    snmpd.start()
    wait_up(gateway)
    assert has_tables(snmpd, "named") and has_tables(snmpd, "public")


def test_without_snmpd_everything_else_works_and_the_status_says_why(snmpd, serve):
    gateway = serve()
    gateway.wait_subscribed()
    tables = gateway.status()["tables"]
    assert not tables["up"] and "does snmpd run" in tables["problem"]
    shown = gateway.status_text()
    assert re.search(rf"^Tables   default context, NOT SERVED below {snmpd.socket}: .+", shown, re.MULTILINE)
    snmpd.start()
    wait_up(gateway)
    assert f"Tables   default context, below {snmpd.socket}\n" in gateway.status_text()


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_snmpd_is_restarted(snmpd, serve, end):
    gateway = serve(context="fabric-a")
    snmpd.start()
    wait_up(gateway)
    getattr(snmpd, end)()
    gateway.wait_status(lambda one: not one["tables"]["up"], "the loss of snmpd to be seen")
    snmpd.start()
    wait_up(gateway)
    assert has_tables(snmpd, "named") and has_tables(snmpd, "public")


def test_the_gateway_is_restarted(snmpd, serve):
    gateway = serve()
    snmpd.start()
    wait_up(gateway)
    assert gateway.stop() == 0
    wait_until(lambda: "No Such Object" in get(snmpd, VERSION), "snmpd to see that the gateway ended")
    gateway.start()
    wait_up(gateway)
    assert has_tables(snmpd)


def test_a_killed_gateway_leaves_nothing_behind(snmpd, serve):
    gateway = serve()
    snmpd.start()
    wait_up(gateway)
    gateway.kill()
    gateway.start()
    wait_up(gateway)
    assert has_tables(snmpd)


def receivers_in(snmpd, community):
    """The names in the table of receivers, which index it."""
    column = (*OWN, 3, 1, 2)
    return {bytes(oid[len(column) + 1:]).decode() for oid in Manager(snmpd.address, community).walk(column)}


def test_two_gateways_have_a_context_each(fabric, snmpd, serve):
    """The first gateway has the default context; the second one continues without it."""
    first = serve(context="fabric-a", more=section("file", "first", path=fabric.directory / "first"))
    snmpd.start()
    wait_up(first)
    second = serve("node2", context="fabric-b", more=section("file", "second", path=fabric.directory / "second"))
    wait_up(second)
    assert receivers_in(snmpd, "named") == receivers_in(snmpd, "public") == {"first", "standard-output"}
    assert receivers_in(snmpd, "other") == {"second", "standard-output"}
    assert has_tables(snmpd, "named") and has_tables(snmpd, "other") and has_tables(snmpd, "public")


def test_a_reload_changes_the_context_and_ends_the_tables(snmpd, serve):
    gateway = serve(context="fabric-a")
    snmpd.start()
    wait_up(gateway)
    before = gateway.config.read_text()
    gateway.config.write_text(before.replace('"fabric-a"', '"fabric-b"'))
    gateway.control("reload")
    gateway.wait_status(lambda one: one["tables"]["up"] and one["tables"]["context"] == "fabric-b", "the new context")
    assert "No Such Object" in get(snmpd, VERSION, "named")
    assert has_tables(snmpd)
    gateway.config.write_text(before.replace(str(snmpd.socket), ""))
    gateway.control("reload")
    assert gateway.status()["tables"] is None
    wait_until(lambda: "No Such Object" in get(snmpd, VERSION), "snmpd to see that there are no tables")


def test_nothing_is_writable_by_default(snmpd, serve):
    gateway = serve()
    snmpd.start()
    wait_up(gateway)
    gateway.wait_swept()
    name = next(iter(Manager(snmpd.address).walk((*GSW, 2, 2, 1, 12))))
    done = subprocess.run(["snmpset", "-v2c", "-c", "public", "-M", "", "-m", "", snmpd.address, dotted(name), "s", "north"],
                          capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode != 0 and "notWritable" in done.stderr


def lines_of_the_page():
    """The lines for snmpd.conf in the page about SNMP."""
    return pages.blocks("snmp", "snmpd")[1].replace(own_mib.AS_SHIPPED, own_mib.OWN)


# The access lines of Debian's own snmpd.conf.
DEBIANS = """
view   systemonly  included   .1.3.6.1.2.1.1
view   systemonly  included   .1.3.6.1.2.1.25.1
rocommunity  public default -V systemonly
"""


def test_the_lines_of_the_manuals_are_enough_for_snmpd(tmp_path, fabric):
    lines = lines_of_the_page()
    assert lines.count("\n") == 7
    assert f".Bd -literal -offset indent\n{lines}.Ed\n" in (BUILD / "config/man/ibtrapd.conf.5.template").read_text()
    fabric.subnet_manager().wait_master()
    with Snmpd(tmp_path, more=DEBIANS + lines.replace("root ibtrapd", "root root")) as snmpd:  # the group may not exist
        gateway = fabric.keep(Gateway(fabric, more=section("subagent", socket=snmpd.socket)))
        snmpd.start()
        wait_up(gateway)
        assert has_tables(snmpd, "fabric")
        assert Manager(snmpd.address, "fabric").walk(OWN)
        assert get(snmpd, (1, 3, 6, 1, 2, 1, 1, 1, 0), "fabric").startswith(b"Linux ")  # sysDescr, which managers ask for
        assert "No Such Object" in get(snmpd, (1, 3, 6, 1, 2, 1, 25, 1, 1, 0), "fabric")  # not in the view


def test_communities_can_be_kept_out_of_the_view(tmp_path, fabric):
    [exclusion] = pages.blocks("mibs", "snmpd")
    lines = lines_of_the_page().replace("root ibtrapd", "root root") + exclusion
    fabric.subnet_manager().wait_master()
    with Snmpd(tmp_path, more=lines) as snmpd:
        gateway = fabric.keep(Gateway(fabric, sweep={"interval": 5}, more=section("subagent", socket=snmpd.socket)))
        snmpd.start()
        wait_up(gateway)
        gateway.wait_swept()
        table = (*GSW, 25, 11, 1)
        shown = {oid[len(table)] for oid in Manager(snmpd.address, "fabric").walk(table)}
        assert shown == {1, 2, 4}
