# SPDX-License-Identifier: BSD-2-Clause
"""The pages begin, alarms, receivers and link: their commands as they are written, and what they show. test_first_steps.py has the SA key,
test_troubleshooting.py the states of receivers and a full disk, tests/package/ installation and upgrades."""

import collections
import json
import re

import pytest
from conftest import CONFIG
from lab import pages
from lab.history import move_to_the_past
from lab.manager import AnsweringManager

ENABLE, INSTANCES, RELOAD, MISTAKE, RESTART, DRY_RUN, _, HEALTH, VERDICT, JOURNAL, STATS, LEVELS = pages.indented("begin")[4:]
ALARMS, ALARM, WORK, CLEAR, EVENTS, FOUND, EXPLAIN, *OF_ALARMS, TOPOLOGY, SNAPSHOTS, RESUBSCRIBE = pages.indented("alarms")
EXPLAINED, (STATUS, *SHOWN) = OF_ALARMS[:6], OF_ALARMS[6:]
TEST, TESTED, TEST_GOT, TEST_FAILED, RECEIVERS, FORGET, GONE = pages.indented("receivers")
_, _, ERRORS, UNRELIABLE, WORST, LINKS = pages.indented("link")
[HEARTBEAT] = pages.blocks("begin", "ibtrapd")
STATE = "/var/lib/ibtrapd"
NODES = 8
LINK = ("leaf1", 12)


def loose(block):
    """Lets the numbers of an output vary that stand alone, and identifiers."""
    block = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "...", block)
    return re.sub(r"(?<![\w.:/-])\d+(?![\w.:/-])", "...", block)


def entries(block):
    """The events of a list, which may have others between them."""
    return re.split(r"(?m)^(?= *\d+  \d{4}-)", block)[1:]


def commands(block):
    return [line.split(" #")[0].strip() for line in block.splitlines()]


def quoted(pattern):
    """The only command of that form in the text."""
    return next(iter({one for page in ("begin", "alarms") for one in re.findall(f"`({pattern})`", pages.text(page))}))


def events(site, name=None):
    return [one for one in site.json("events", "--limit", "1000")["events"] if name in (None, one["event"])]


def wait_event(site, name, count=1):
    return site.wait(lambda: (found := events(site, name))[count - 1:] and found, f"{count} {name}", 120)[-1]


def knows(site, nodes=NODES):
    site.wait(lambda: site.json("status")["sweep"]["nodes"] == nodes, "ibtrapd to know the fabric", 120)


def names(collector):
    return collections.Counter(one.message_id for one in collector.poll())


class Three:
    """The receivers of the page: nms confirms, logs does not, siem gets errors."""

    def __init__(self, site, collector, manager):
        self.site, self.collector, self.manager = site, collector, manager
        self.config = (f'snmp "nms" {{ address = "{manager.address}" inform = true }}\n'
                       f'syslog "logs" {{ transport = "udp" address = "{collector.address}" }}\n'
                       f'syslog "siem" {{ transport = "udp" address = "{collector.address}" severity = "error" }}\n')

    def start(self, more="", **options):
        self.site.connect()
        self.site.start_gateway(more + self.config, **options)
        knows(self.site)
        return self.site

    def cut_and_mend(self):
        """The history of the outputs: a link and a switch go, and come back."""
        self.site.fabric.unlink(*LINK)
        wait_event(self.site, "link-down")
        self.site.fabric.unlink("leaf2")
        wait_event(self.site, "switch-removed")
        self.site.fabric.relink("leaf2")
        wait_event(self.site, "switch-added")
        knows(self.site)


@pytest.fixture
def three(site, collector):
    with AnsweringManager() as manager:
        yield Three(site, collector, manager)


# Start and stop, and the configuration.

def test_without_a_configuration(site):
    site.connect()
    site.shell(ENABLE, good=range(256))  # the simulator may refuse the first
    site.start()
    assert site.run("systemctl", "is-enabled", "ibtrapd") == "enabled\n"
    assert site.machine.property("ibtrapd", "User") == "ibtrapd" and site.machine.property("ibtrapd", "MemoryMax") == str(1 << 30)
    knows(site)
    site.fabric.unlink(*LINK)
    every, of_node = [quoted(pattern) for pattern in ("journalctl -t ibtrapd", "journalctl IBTRAPD_NODE=leaf1")]
    site.wait(lambda: "went down" in site.shell(of_node, good=(0, 1)), "the link in the log")
    assert "leaf1" in site.shell(of_node) and "gateway-started" not in site.shell(of_node + " -o json")
    assert len(site.shell(every).splitlines()) > len(site.shell(of_node).splitlines())
    site.run("systemctl", "stop", "ibtrapd")
    assert site.machine.property("ibtrapd", "Result") == "success"


def test_in_the_foreground(site):
    site.run("systemd-run", "--unit=front", "-p", "User=ibtrapd", "-p", "StateDirectory=ibtrapd", "-p", "RuntimeDirectory=ibtrapd",
             "-p", "StandardOutput=file:/tmp/out", "-p", "StandardError=file:/tmp/err", "ibtrapd", quoted("--foreground"))
    out, err = site.path("/tmp/out"), site.path("/tmp/err")
    site.wait(lambda: out.exists() and "gateway-started" in out.read_text(), "the event on standard output")
    assert err.read_text() and "gateway-started" not in err.read_text()


def test_several_ports(site):
    """The units are bound to ports that this machine has not: this takes them off."""
    unit = site.path("/usr/lib/systemd/system/ibtrapd@.service").read_text()
    site.path("/run/systemd/system/ibtrapd@.service").write_text(re.sub("(?m)^(BindsTo|After)=sys-.*\n", "", unit))
    site.run("systemctl", "daemon-reload")
    name = quoted("/etc/ibtrapd/mlx5_0-1.conf")
    site.path("/tmp/new.conf").write_text('syslog "only-here" { transport = "tcp" address = "127.0.0.1:9" }\n')
    site.shell(f"{quoted('install -m 640 -g ibtrapd')} /tmp/new.conf {name}")
    enable, status = INSTANCES.splitlines()
    site.shell(enable)
    site.wait(lambda: "only-here" in site.shell(status, good=range(256)), "the instance")
    assert "only-here" not in site.run("ibtrapctl", "--instance", "mlx5_1-1", "status")
    site.machine.fails("runuser", "-u", "nobody", "--", "cat", name)


def test_a_configuration_is_changed(site, collector):
    site.path(CONFIG).write_text("")
    first = (f'syslog "logs" {{ transport = "udp" address = "{collector.address}" }}\n'
             'syslog "siem" { transport = "tcp" address = "127.0.0.1:9" }\n')
    site.start_gateway(first, connected=False)
    path = site.path(CONFIG)
    site.wait(lambda: {one["name"]: one for one in site.json("receivers")["receivers"]}["siem"]["queued"], "an event that waits")
    assert "is good" in site.shell(RELOAD)
    path.write_text(first + "fabric { verify_interval = 20 }\n")
    assert pages.shows(site.shell(RELOAD), RESTART)
    path.write_text('# The receiver.\n\n\n\nsnmp "nms" {\n    address = "nms:99999"\n}\n')
    assert pages.shows(site.machine.fails("ibtrapctl", "reload"), MISTAKE)
    site.machine.fails("systemctl", "reload", "ibtrapd")
    reason = MISTAKE.split(": ", 3)[3]
    site.shows("ibtrapctl status", reason)
    path.write_text(first)
    site.run("systemctl", "reload", "ibtrapd")
    assert "nms:99999" not in site.run("ibtrapctl", "status")
    site.run("ibtrapctl", "receivers", "pause", "logs")
    path.write_text(first.replace('"logs"', '"renamed"').splitlines()[0])
    assert pages.shows(site.shell("ibtrapctl reload 2>&1"), GONE)
    listed = site.run("ibtrapctl", "receivers")
    assert re.search(r"(?m)^renamed .* paused ", listed) and listed.index("renamed") < listed.index("siem")
    site.shell(FORGET)
    assert "siem" not in site.run("ibtrapctl", "receivers")


def test_a_start_says_what_is_not_sent(site):
    site.start_gateway('syslog "siem" { transport = "tcp" address = "127.0.0.1:9" }\n', connected=False)
    site.wait(lambda: site.json("receivers")["receivers"][0]["queued"], "an event that waits")
    site.path(CONFIG).write_text("")
    site.run("systemctl", "restart", "ibtrapd")
    site.shows("journalctl -o cat -u ibtrapd", GONE)


def test_another_socket(site):
    """The drop-in that the page wants."""
    socket = "/run/ibtrapd/other"
    empty, full = re.findall(r"`(ExecReload=[^`]*)`", pages.text("begin"))
    site.path("/run/systemd/system/ibtrapd.service.d").mkdir(exist_ok=True)
    site.start_gateway(f'control {{ socket = "{socket}" }}\n', connected=False)
    site.machine.fails("systemctl", "reload", "ibtrapd")
    drop_in = site.path("/run/systemd/system/ibtrapd.service.d/socket.conf")
    drop_in.write_text(f"[Service]\n{empty}\n{full.replace('PATH', socket)}\n")
    site.run("systemctl", "daemon-reload")
    site.run("systemctl", "reload", "ibtrapd")


def test_a_configuration_is_tried_first(three):
    """What a dry run tells, of the events that receivers had."""
    site = three.start()
    three.cut_and_mend()
    site.fabric.unlink("leaf2")
    three.collector.wait_for(lambda one: one.message_id == "switch-removed" and one.severity == "error", "both", count=4)
    site.path("/root/NEW.conf").write_text(three.config)
    for command in [quoted("ibtrapctl dry-run NEW.conf"), quoted("ibtrapctl dry-run NEW.conf 10000")]:
        said = site.shell(f"cd /root; {command}")
        first, suppressed, *_ = DRY_RUN.splitlines()
        assert pages.shows(said, loose(first)) and suppressed in said.splitlines()
        told = {name: counts for name, counts in re.findall(r"Receiver (\w+): (.*(?:\n +.*)*)", said)}
        counts = {name: {event: int(count) for event, count in re.findall(r"([a-z-]+) (\d+)", one)}
                  for name, one in told.items()}
        assert counts["siem"] == {"switch-removed": 2, "switch-added": 1}  # the end of an alarm that it got
        assert all(int(one.split()[0]) == sum(counts[name].values()) for name, one in told.items())
        got = names(three.collector)  # of logs and siem
        for event in "link-down", "link-up", "switch-added", "switch-removed":
            assert counts["logs"].get(event, 0) + counts["siem"].get(event, 0) == got[event], event
        assert set(counts) == {"nms", "logs", "siem"}
        assert all(counts["nms"][event] >= count for event, count in counts["logs"].items())  # managers get each trap


# What it shows.

def test_the_status(three):
    site = three.start("sweep { interval = 5 settle = 0 }\n", connected=False)
    site.run("ibtrapctl", "receivers", "pause", "nms")
    site.run("ibtrapctl", "test", "link-down", good=(0, 1))
    site.wait(lambda: site.json("status")["port_counters"]["last"], "the counters to be read")
    head, sweep, refused, traps, receivers, journal, counters = SHOWN
    site.shows(STATUS, "\n".join(head.splitlines()[:2]))
    site.shows(STATUS, re.sub(r"0x8000\w+", "...", "\n".join(head.splitlines()[2:])))
    site.shows(STATUS, sweep)
    for block in refused, traps:
        site.shows(STATUS, block, 120)
    title, nms, logs = receivers.splitlines()
    site.shows(STATUS, title)
    for line, port in (nms, three.manager.port), (logs, three.collector.address.split(":")[1]):
        *before, sent, queued, failed, dropped = re.sub(r"port \d+", f"port {port}", line).split()
        site.shows(STATUS, " ".join([*before, "..." if int(sent) else sent, "..." if int(queued) else queued, failed, dropped]))
    site.shows(STATUS, re.sub(r"\d+ events", "... events", journal))
    site.shows(STATUS, loose(counters))
    assert site.json("status")["receivers"] and site.run("ibtrapctl", "nonsense", good=(2,)) == ""


def test_what_happened_and_what_is_wrong(three):
    site = three.start()
    site.fabric.unlink(*LINK)
    number = wait_event(site, "link-down")["number"]
    *lists, follow = commands(EVENTS)
    for command in lists:
        site.shell(command)
    for event in entries(FOUND):
        site.shows(lists[0], event.replace("leaf2 (LID 3) changed", "... changed"))
    assert "link-state-change" not in site.shell(lists[1])  # a notice
    site.run("systemd-run", "--unit=follow", "sh", "-c", follow)
    site.wait(lambda: "went down" in site.log_of("follow"), "the events so far")
    for command in lists[0], quoted("ibtrapctl catalogue"), quoted("ibtrapctl catalogue --json"):
        assert "link-down" in site.shell(command)

    acknowledge, undo, shelve = commands(WORK)
    for command in acknowledge, undo, acknowledge, shelve:
        assert " 4" in command
        site.shell(command.replace(" 4", f" {number}", 1))
    site.shows(ALARMS, ALARM.replace("alice (uid 1000)", "root (uid 0)"))
    site.fabric.relink(*LINK)
    wait_event(site, "link-up")
    site.wait(lambda: "link-up" in site.log_of("follow"), "the new event")
    site.wait(lambda: not site.json("alarms", "--all")["alarms"], "the end of the alarm")

    said = site.wait(lambda: "delivered" in (out := site.shell(explain(number))) and out, "the confirmation")
    _, _, fields, related, receivers, notifications = EXPLAINED
    assert pages.shows(said, loose(fields).replace("monitor", "..."))
    assert pages.shows(said, loose(related).replace("leaf2 (LID ...)", "..."))
    for line in receivers.splitlines():
        assert pages.shows(said, line)
    assert pages.shows(said, notifications)
    assert '"notifications"' in site.shell(f"ibtrapctl --json explain {number}")
    trap = wait_event(site, "link-state-change")
    assert trap["raw"][:16] in re.sub(r"\s", "", site.shell(f"ibtrapctl explain {trap['id']}"))
    assert site.shell("ibtrapctl explain last")


def explain(number):
    [command] = commands(EXPLAIN)
    return command.replace(" 4", f" {number}")


def cleared(site, collector, alarm, count):
    """Ends an alarm with the page's command, returns what receivers get."""
    assert " 4 " in CLEAR
    site.shell(CLEAR.replace(" 4 ", f" {alarm['number']} "))
    end = collector.wait_for(lambda one: one.message_id == "alarm-cleared", "the end", count=count)[-1]
    assert "root" in end.data["reason"] and "node17 was sold" in end.data["reason"]
    return end


def test_an_alarm_is_cleared_by_hand(three):
    site = three.start()
    site.fabric.unlink("node1")
    cleared(site, three.collector, wait_event(site, "host-removed"), 1)
    site.run("ibtrapctl", "sweep", "now")
    assert not site.json("alarms", "--all")["alarms"]
    site.fabric.relink("node1")
    knows(site)
    site.fabric.unlink("node1")
    wait_event(site, "host-removed", 2)
    site.fabric.relink("node1")
    knows(site)
    site.fabric.unlink("leaf2")
    alarm = wait_event(site, "switch-removed")
    before = names(three.collector)["host-removed"]
    cleared(site, three.collector, alarm, 2)
    hosts = three.collector.wait_for(lambda one: one.message_id == "host-removed", "the hosts", count=before + 3)[before:]
    assert all(any(name in one.text for one in hosts) for name in ("sm2", "node2", "storage1"))


def test_a_test_event(three):
    site = three.start()
    said = site.shell(TEST)
    assert pages.shows(said, TESTED) and pages.shows(said, TEST_GOT)
    got = three.manager.taken[-1]
    assert "[test]" in str(got.varbinds)
    assert not site.json("alarms", "--all")["alarms"] and events(site, "link-down")[-1]["test"] is True
    site.run("ibtrapctl", "receivers", "pause", "nms")
    assert pages.shows(site.machine.fails("sh", "-ec", TEST), TEST_FAILED)


def test_a_receiver_is_paused(three):
    site = three.start()
    listed, pause, resume, flush, *_, resync = commands(RECEIVERS)

    def state():
        return {one["name"]: one for one in site.json("receivers")["receivers"]}["nms"]

    site.shell(pause)
    site.run("ibtrapctl", "test", "link-down", good=(0, 1))
    assert re.search(r"(?m)^nms .* paused ", site.shell(listed)) and state()["queued"]
    site.shell(flush)
    site.wait(lambda: not state()["queued"], "the flush")
    site.shell(resume)
    site.shell(resync)
    assert state()["state"] != "paused"
    site.shell(pause)
    site.run("systemctl", "restart", "ibtrapd")
    assert state()["state"] != "paused"


# The fabric.

def test_the_topology(three):
    site = three.start()
    three.cut_and_mend()
    node, port, show, listed, one, diff, save, check, *_, sweep = commands(TOPOLOGY)  # the pictures are tests/integration's
    title, *_, last = SNAPSHOTS.splitlines()
    said = site.shell(listed)
    assert pages.shows(said, title) and said.splitlines()[-1].split()[2:] == last.split()[2:] == ["8", "8"]
    assert said.splitlines()[1].split()[0] == "1" and "4" in {line.split()[2] for line in said.splitlines()[1:]}
    site.wait(lambda: nodes_of(site.shell(show)) == nodes_of(site.fabric.discover()), "both to agree")
    assert "1" in one.replace("7", "1") and nodes_of(site.shell(one.replace("7", "1"))) == nodes_of(site.shell(show))
    assert "leaf1" in site.shell(node) and "leaf2" in site.shell(port)
    site.fabric.unlink("node1")
    wait_event(site, "host-removed")
    assert "node1" in site.shell(diff.replace("7", "1"))
    for command in save, check:
        site.shell(f"cd /root; {command}")
    site.shell(sweep)
    site.shell(RESUBSCRIBE)
    site.wait(lambda: {one["state"] for one in site.json("status")["subscriptions"]} == {"subscribed"}, "all subscriptions")


def nodes_of(text):
    return sorted(re.findall(r"(?:ca|switch)guid=0x\w+", text))


def test_errors_of_a_link(three):
    """The windows are of one and two minutes, as in the output of the page."""
    site = three.start("counters { interval = 20 short_window = 1 long_window = 2 }\n")
    site.wait(lambda: site.json("status")["port_counters"]["last"], "the counters to be read")
    site.fabric.count_errors("leaf1", 3, SymbolErrorCounter=37)
    for event in entries(ERRORS):
        event = re.sub(r"\d+ minutes?, \S+ per bit; the limit is \S+ per bit", "... per bit; the limit is ... per bit", event)
        site.shows("ibtrapctl events", event, 600)


def test_a_link_that_fails_again_and_again(three, tmp_path):
    site = three.start("counters { interval = 5 }\nflap { changes = 0 }\n")
    site.wait(lambda: site.json("status")["port_counters"]["last"], "the counters to be read")
    site.fabric.count_errors("leaf1", 3, SymbolErrorCounter=37)
    wait_event(site, "link-errors-raised")
    for count in 1, 2, 3:
        site.fabric.unlink(*LINK)
        wait_event(site, "link-down", count)
        site.fabric.relink(*LINK)
        wait_event(site, "link-up", count)
    site.run("systemctl", "stop", "ibtrapd")
    journal, copy = site.path(f"{STATE}/journal.db"), tmp_path / "journal.db"  # SQLite does not open the one in the machine
    copy.write_bytes(journal.read_bytes())
    move_to_the_past(copy, "link-down", (19, 7, 1))
    journal.write_bytes(copy.read_bytes())
    site.start()
    knows(site)
    [event] = entries(UNRELIABLE)
    site.shows("ibtrapctl events", re.sub(r"2026-\d\d-\d\dT\d\d:\d\dZ", "...", event))
    title, worst, other = LINKS.splitlines()
    for line in title, worst, other:
        site.shows(WORST, re.sub(r"2026-\d\d-\d\dT\d\d:\d\dZ", "...", loose(line)))
    assert pages.shows(site.shell(WORST), re.sub(r"2026-\S+", "...", worst))
    site.run("ibtrapctl", "alarms", "clear", wait_event(site, "link-unreliable")["alarmKey"], "new cable")
    assert "leaf2 port 12" not in site.shell(WORST)


# The gateway itself.

def test_the_verdict(three):
    verdicts = {name: status for name, status in
                (row[0].split(", ") for row in pages.table("begin", "verdict on the gateway, exit status"))}
    site = three.start()
    command = HEALTH.strip()

    def says(verdict, more="", of="gateway"):
        status = int(verdicts[verdict])
        return site.wait(lambda: f"{of} {verdict}" in (said := site.shell(command + more, good=range(256))) and
                         site.run(*command.split(), *more.split(), good=(status,)) and said, verdict, 120)

    site.wait(lambda: {one["state"] for one in site.json("status")["subscriptions"]} == {"subscribed"}, "all subscriptions", 120)
    says("OK")
    site.run("ibtrapctl", "receivers", "pause", "nms")
    said = says("WARNING")
    assert pages.shows(said, VERDICT.replace("sweep_age=12s", "sweep_age=\N{HORIZONTAL ELLIPSIS}s").replace(";0;2 ", ";0;3 ").replace("8 nodes", "\N{HORIZONTAL ELLIPSIS} nodes")), said
    site.run("ibtrapctl", "receivers", "resume", "nms")
    site.fabric.unlink("leaf2")
    alarm = wait_event(site, "switch-removed")
    says("OK", " gateway")
    [severity] = set(re.findall(r"`(--severity warning)`", pages.text("begin")))
    says("CRITICAL", f" fabric {severity}", of="fabric")
    site.run("ibtrapctl", "alarms", "acknowledge", str(alarm["number"]), "known")
    says("OK", f" fabric {severity}", of="fabric")
    assert "gateway UNKNOWN" in site.run("runuser", "-u", "nobody", "--", *command.split(), good=(int(verdicts["UNKNOWN"]),))
    site.run("systemctl", "stop", "ibtrapd")
    says("CRITICAL")


def test_the_heartbeat(three):
    site = three.start(HEARTBEAT)
    site.path(CONFIG).write_text(site.path(CONFIG).read_text().replace("300", "1"))
    site.run("ibtrapctl", "reload")
    three.collector.wait_for(lambda one: one.message_id == "heartbeat", "heartbeats", count=2)


def test_the_journal(three):
    site = three.start()
    three.cut_and_mend()
    stats, check, export, prune = commands(JOURNAL)
    before = int(site.shell(f"cd /root; {export}; {export.replace('1000 >', '0 >')}; wc -l <events.json"))
    lines = [json.loads(line) for line in site.path("/root/events.json").read_text().splitlines()]
    assert len(lines) == before and {"link-down", "switch-removed"} <= {one["event"] for one in lines}
    site.shell(check)
    said = site.shell(stats)
    for line in STATS.splitlines():
        assert pages.shows(said, re.sub(r"\(.*\)", "...", loose(line)).replace("... active", "0 active")), (said, line)
    site.shell(prune)
    site.run("systemctl", "stop", "ibtrapd")
    with site.path(f"{STATE}/journal.db").open("r+b") as file:
        file.write(bytes(100))
    site.start()
    wait_event(site, "gateway-started")
    assert "journal.db.corrupt-" in site.run("ls", STATE)


def test_levels_of_the_log(three):
    """The next reload sets them again."""
    site = three.start()
    one, everything = commands(LEVELS)

    def said():
        before = site.log_of("ibtrapd").count("\nib: ")
        site.run("ibtrapctl", "sweep", "now")
        return site.log_of("ibtrapd").count("\nib: ") - before

    for end in everything, "ibtrapctl reload":
        site.shell(one)
        site.wait(said, "debug messages")
        site.shell(end)
        site.wait(lambda: not said(), "no debug messages")
