# SPDX-License-Identifier: BSD-2-Clause
"""The page about the debug log: each line that it shows, in the log of the service."""

import re

from lab import notices, pages
from lab.receivers import listening

COMMANDS, EVENT, HELD, OTHERS = pages.indented("debug-log")
FOLDERS = [name for row in pages.table("debug-log", "folder") for name in row[0].split(", ")]
[LEVELS] = re.findall(r"`(log \{[^`]*\})`", pages.text("debug-log"))
COMMUNITY = "community-that-nobody-reads"


def lines_of(block):
    """The lines of a block without their shortened times and levels. A line that begins with space belongs to the one before."""
    text = re.sub(r"\n\s+", " ", block.rstrip())
    return [re.sub(r"^:\d\d\.\d{3} debug: ", "", line) for line in text.splitlines()]


def start(site, more=""):
    site.connect()
    site.path("/etc/snmp/snmptrapd.conf").write_text(f"authCommunity log {COMMUNITY}\n")
    site.run("systemctl", "start", "snmptrapd.socket", "snmptrapd")
    site.wait(lambda: listening(162), "snmptrapd to listen")
    site.start_gateway(f'snmp "nms" {{ address = "127.0.0.1" community = "{COMMUNITY}" inform = true }}\n' + more)
    site.wait(lambda: site.json("status")["sweep"]["nodes"] == 8, "ibtrapd to know the fabric")


def find(site, line, after=-1):
    """The number of the first line of the log, after that one, that is as the page shows it."""
    def found():
        log = site.log_of("ibtrapd").splitlines()
        return next((number for number, one in enumerate(log) if number > after and pages.shows(one, line)), 0)

    try:
        return site.wait(found, line)
    except AssertionError as error:
        alike = [one for one in site.log_of("ibtrapd").splitlines() if one.startswith(line.split()[0])]
        raise AssertionError(f"{error}; the last of the folder:\n" + "\n".join(alike[-50:])) from None


def test_one_event_from_the_mad_to_the_confirmation(site):
    start(site)
    site.run("ibtrapctl", "log", "debug")
    site.fabric.client("node1").trap(notices.system_image_guid_change(6, 0x0002C903FFEEDDCC))
    place = -1
    committed = next(number for number, line in enumerate(lines_of(EVENT)) if "committed numbers" in line)
    for number, line in enumerate(lines_of(EVENT)):
        found = find(site, line, place)
        if number <= committed:
            place = found  # the threads go on side by side after the commit
    log = site.log_of("ibtrapd")
    tid = re.search(r"Report\(Notice\), TransactionID (0x\w+), trap 145", log)[1]
    assert f"Report of LID 1, TransactionID {tid}: handled" in log and COMMUNITY not in log


def test_an_event_that_waits(site):
    start(site, 'policy "hold" { events = {"link-*"} hold_down = 3 }\n')
    on, off = COMMANDS.splitlines()
    site.run("ibtrapctl", "log", "debug", "topology")
    site.shell(on)
    site.fabric.unlink("leaf1", 11)
    place = -1
    for line in lines_of(HELD):
        place = find(site, line, place)
    site.shell(off)
    site.fabric.relink("leaf1", 11)
    site.wait(lambda: "link-up" in site.run("ibtrapctl", "events"), "the link to be up")
    assert not re.search(r"^policy: event \S+ link-up", site.log_of("ibtrapd"), re.MULTILINE)


def test_all_starts_have_the_levels_of_the_configuration(site):
    start(site, LEVELS + "\n")
    site.run("ibtrapctl", "sweep", "now")
    for line in lines_of(OTHERS):
        if line.startswith("ib:"):
            find(site, line)
    assert not re.search(r"^sink: nms: number", site.log_of("ibtrapd"), re.MULTILINE)


def test_others_as_they_look(site):
    start(site, "log { level = \"debug\" }\n")
    path = site.path("/etc/snmp/snmpd.conf")
    path.write_text(path.read_text() + pages.blocks("snmp", "snmpd")[1])
    site.add_config(pages.blocks("snmp", "ibtrapd")[2])
    site.shell(pages.block("snmp", "sh", "/var/agentx"))
    site.wait(lambda: "NOT SERVED" not in site.run("ibtrapctl", "status"), "snmpd to serve the tables")
    site.run("snmpgetnext", "-v2c", "-c", "fabric", "127.0.0.1", ".1.3.6.1.3.2.2.1.2")
    site.add_config('syslog "siem" { transport = "tcp" address = "127.0.0.1:9" }\n')
    site.run("ibtrapctl", "reload")
    site.run("ibtrapctl", "test", "link-down", good=(0, 1))
    for line in lines_of(OTHERS):
        find(site, line)
    log = site.log_of("ibtrapd")
    for folder in FOLDERS:
        assert re.search(rf"^{folder}: ", log, re.MULTILINE), folder
    [listed] = re.findall(r"these have: (.*)", site.machine.fails("ibtrapctl", "log", "debug", "model"))
    assert set(listed.split()) == set(FOLDERS)
