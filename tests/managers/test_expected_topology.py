# SPDX-License-Identifier: BSD-2-Clause
"""The page about the fabric as it should be: its commands, its configurations, and each alarm that the simulator can make."""

import json
import re

from conftest import CONFIG
from lab import pages

SAVE, RELOAD, MISCABLED, ACCEPT, UNTIL, TABLE = pages.indented("expected-topology")
NAMED, GUESTS, BY_NAME = pages.blocks("expected-topology", "ibtrapd")
FILE = re.search('= "(.*)"', NAMED)[1]
ROWS = pages.table("expected-topology", "event")
SEVERITIES = {name: row[1] for row in ROWS for name in re.findall("`([^`]*)`", row[0])}
NODE1, REPLACED = "2c90300b1", "2c90300bf"
LINK = ("leaf1", 12)


def alarms(site):
    """The active alarms that the page lists, by event."""
    return {one["event"]: one for one in site.json("alarms", "--all")["alarms"] if one["event"] in SEVERITIES}


def wait_alarms(site, *expected):
    try:
        return site.wait(lambda: set(alarms(site)) == set(expected) and (alarms(site) or True), f"alarms {expected}")
    except AssertionError as error:
        raise AssertionError(f"{error}\n{site.run('ibtrapctl', 'alarms')}") from None


def events(site, name):
    return [one for one in site.json("events", "--limit", "1000")["events"] if one["event"] == name]


def knows(site, nodes=8):
    site.wait(lambda: site.json("status")["sweep"]["nodes"] == nodes, "ibtrapd to know the fabric")


def start(site, collector, config="", text=None):
    """A gateway that expects what `text` says, where the site is connected, or the fabric as it is."""
    if not text:
        site.connect()
    site.path(FILE).write_text(text or site.fabric.discover())
    receiver = f'syslog "logs" {{ transport = "udp" address = "{collector.address}" }}\n'
    site.start_gateway((config or NAMED) + receiver)


def without(text, node):
    """The file without a node: "with its block and the lines of its links"."""
    blocks = [one for one in text.split("\n\n") if not re.search(rf'(?m)^\w+\s+\d+ "[^"]*"\s+# "{node}', one)]
    assert len(blocks) == len(text.split("\n\n")) - 1
    return "".join(line + "\n" for line in "\n\n".join(blocks).splitlines() if f'# "{node}' not in line)


def test_what_is_right_is_saved(site):
    """Each of the two commands that write the file, and what the page says of a wrong file."""
    site.connect()
    site.start_gateway("")
    knows(site)
    site.shell(SAVE)
    assert len(re.findall(r"(?m)^(?:Ca|Switch)\s", site.path(FILE).read_text())) == 8
    site.add_config(NAMED)
    check, reload = RELOAD.splitlines()
    saved = site.path(FILE).read_text()
    for text in TABLE + "\n", saved:
        site.path(FILE).write_text(text)
        assert "is good" in site.shell(check)
    site.shell(reload)
    environment = site.fabric.env_for("node1")
    site.shell("export " + " ".join(f"'{name}={value}'" for name, value in environment.items()) + f"\nibnetdiscover >{FILE}")
    site.shell(RELOAD)
    assert not alarms(site)
    site.path(FILE).write_text(site.path(FILE).read_text() + "nonsense\n")
    line = site.path(FILE).read_text().count("\n")
    for command in check, reload:
        assert f"{FILE}:{line}: " in site.machine.fails("sh", "-ec", command)
    site.fabric.unlink(*LINK)
    wait_alarms(site, "link-missing")  # the former file is in force
    site.machine.fails("sh", "-ec", "systemctl restart ibtrapd")
    site.shell(f"cd /tmp; rm {FILE}")
    assert FILE in site.machine.fails("sh", "-ec", check)
    site.machine.fails("sh", "-ec", "systemctl start ibtrapd")


def test_each_alarm_from_the_first_sweep_on(site, collector):
    site.connect()
    whole = site.fabric.discover()
    text = without(whole, "monitor")
    text = re.sub(rf'(?m)^(.*"H-000{NODE1}0000"\[1\].*) 4xSDR', r"\1 4xEDR", text)
    text = "".join(line + "\n" for line in text.splitlines() if not re.match(r'\[11\]\s+"S-', line))
    assert text != whole
    site.path(FILE).write_text(text)
    site.fabric.unlink(*LINK)
    site.fabric.unlink("node2")
    site.fabric.unlink("storage1")
    site.fabric.link("storage1", 1, "leaf2", 7)
    site.start_gateway(NAMED + f'syslog "logs" {{ transport = "udp" address = "{collector.address}" }}\n')
    expected = set(SEVERITIES) - {"switch-missing", "router-missing"}
    found = wait_alarms(site, *expected)
    for name in expected:
        [message] = collector.wait_for(lambda one, wanted=name: one.message_id == wanted, name)
        assert message.data["severity"] == found[name]["severity"] == SEVERITIES[name]
    site.shows("ibtrapctl alarms", MISCABLED)
    assert "4X SDR" in found["link-below-expected"]["text"] and "4X EDR" in found["link-below-expected"]["text"]
    site.run("systemctl", "restart", "ibtrapd")
    knows(site, 7)
    assert {name: one["id"] for name, one in alarms(site).items()} == {name: one["id"] for name, one in found.items()}
    site.fabric.unlink("storage1")
    site.fabric.link("storage1", 1, "leaf2", 4)
    site.fabric.relink("node2")
    site.fabric.relink(*LINK)
    site.path(FILE).write_text(whole)
    site.run("ibtrapctl", "reload")
    wait_alarms(site)
    ended = collector.wait_for(lambda one: one.message_id == "as-expected", "the ends", count=len(expected))
    assert {one.data["alarmKey"] for one in ended} == {one["key"] for one in found.values()}


def test_a_missing_switch_is_one_alarm(site, collector):
    site.connect()
    text = site.fabric.discover()
    site.fabric.unlink("leaf2")
    start(site, collector, text=text)
    [missing] = wait_alarms(site, "switch-missing").values()
    assert missing["severity"] == SEVERITIES["switch-missing"]
    assert all(name in missing["text"] for name in ("sm2", "node2", "storage1"))
    for port in 11, 12, 3:
        site.fabric.relink("leaf2", port)
    found = wait_alarms(site, "host-missing")
    assert len([one for one in site.json("alarms", "--all")["alarms"] if one["event"] == "host-missing"]) == 2, found
    site.path(CONFIG).write_text(site.path(CONFIG).read_text().replace(NAMED, ""))
    site.run("ibtrapctl", "reload")
    wait_alarms(site)
    ended = collector.wait_for(lambda one: one.message_id == "alarm-cleared", "the ends", count=2)
    assert all("no topology is expected any more" in one.text for one in ended)


def test_a_switch_that_leaves(site, collector):
    start(site, collector)
    knows(site)
    site.fabric.unlink("leaf2")
    wait_alarms(site, "switch-missing")
    assert events(site, "switch-missing")[-1]["suppressed"] == "consequence"
    site.fabric.relink("leaf2")
    wait_alarms(site)
    assert not [one for one in collector.poll() if one.message_id == "switch-missing"]
    site.add_config("consequences { hold = false }\n")
    site.run("ibtrapctl", "reload")
    site.fabric.unlink("leaf2")
    for name, count in ("switch-removed", 2), ("switch-missing", 1):
        collector.wait_for(lambda one, wanted=name: one.message_id == wanted, name, count=count)


def test_what_is_silent_is_not_told(site, collector):
    site.connect()
    text = site.fabric.discover()
    site.fabric.lose("node2", 1, 100)
    start(site, collector, text=text)
    for _ in range(2):
        site.run("ibtrapctl", "sweep", "now")
    site.wait(lambda: site.json("status")["sweep"]["silent"], "a node that is silent")
    assert not alarms(site)
    site.fabric.unlink("node2")
    wait_alarms(site, "host-missing")


def test_guests_are_not_told(site, collector):
    site.connect()
    site.path("/etc/ibtrapd/names").write_text('0x0002c90300b30000 "guest1"\n')
    text = without(without(site.fabric.discover(), "storage1"), "monitor")
    start(site, collector, NAMED.replace("{", '{ node_name_map = "/etc/ibtrapd/names"', 1) + GUESTS, text)
    told = collector.wait_for(lambda one: one.message_id == "node-unexpected", "the other")
    site.wait(lambda: len(events(site, "node-unexpected")) == 2, "both")
    assert {one.get("suppressed") for one in events(site, "node-unexpected")} == {None, "disabled"}
    assert "monitor" in told[0].text
    assert not [one for one in collector.poll() if one.message_id == "node-unexpected" and "guest1" in one.text]


def test_after_work_on_the_fabric(site, collector):
    start(site, collector)
    knows(site)
    check, *save = ACCEPT.splitlines()
    assert check in UNTIL
    assert site.shell(check)
    site.fabric.unlink(*LINK)
    found = wait_alarms(site, "link-missing")["link-missing"]
    site.shell(f"{check} || [ $? = 1 ]")
    site.machine.fails("sh", "-ec", check)
    assert found["text"].split(" is ")[0] in site.run("sh", "-c", check, good=(1,)).replace("\n", " ")
    [one] = json.loads(site.run(*check.split(), "--json", good=(1,)))["differences"]
    assert (one["event"], one["alarmKey"]) == ("link-missing", found["key"])
    site.run("systemd-run", "--unit=work", "sh", "-c", UNTIL)
    site.fabric.relink(*LINK)
    site.wait(lambda: site.machine.property("work", "ActiveState") == "inactive", "the script to see it", 150)
    wait_alarms(site)
    site.fabric.unlink(*LINK)
    wait_alarms(site, "link-missing")
    site.shell("\n".join(save))
    wait_alarms(site)
    site.shell(check)
    site.run("sh", "-c", check.replace(FILE, "/nowhere"), good=(2,))
    site.run("systemctl", "stop", "ibtrapd")
    site.run("sh", "-c", check, good=(2,))


def test_an_adapter_is_replaced(site, collector):
    site.connect()
    text = site.fabric.discover().replace(NODE1, REPLACED)
    start(site, collector, text=text)
    wait_alarms(site, "host-missing", "node-unexpected")
    [try_it] = re.findall(r"`(ibtrapctl topology check FILE name)`", pages.text("expected-topology"))
    command = try_it.replace("FILE", FILE)
    site.shell(command)
    site.run("sh", "-c", command.removesuffix(" name"), good=(1,))
    path = site.path(CONFIG)
    path.write_text(path.read_text().replace(NAMED, BY_NAME))
    site.shell(RELOAD)
    wait_alarms(site)


def test_nothing_is_compared_without_sweeps(site, collector):
    site.connect()
    text = site.fabric.discover()
    site.fabric.unlink(*LINK)
    [off] = re.findall(r"`(sweep \{[^`]*\})`", pages.text("expected-topology"))
    site.path(FILE).write_text(text)
    site.path(CONFIG).write_text(NAMED + off + "\n")
    site.start()
    site.wait(lambda: any(one["state"] == "subscribed" for one in site.json("status")["subscriptions"]), "subscriptions")
    assert not alarms(site)
