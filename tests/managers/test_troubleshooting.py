# SPDX-License-Identifier: BSD-2-Clause
"""The page about troubleshooting: each symptom that can be made on a simulated fabric, and what the page's command says of
it. test_snmpd.py has the chapter about snmptrapd, tests/integration/ what is made with fewer programs."""

import re

import pytest
from conftest import CONFIG
from lab import notices, pages
from lab.manager import GEN_ERR, AnsweringManager

(CHECK, MISTAKE, NO_CA, _, NO_PORT, _, _, _, _, NO_KEY, _, SILENT, ASK, TRY, LIST, FAILING, _, MEMORY, DEGRADED, _, HELD_WAL,
 LSLOCKS, _, _, _, NOT_SERVED, SUPPORT) = pages.indented("troubleshooting")
STATUS = "ibtrapctl status"
SECURITY = ("256", "257", "258", "259")
UNREADABLE = "/etc/ibtrapd/siem.pem"
STATE = "/var/lib/ibtrapd"


def row(heading, cell, lines=None):
    """A row of the table with that heading, whose first cell has those words. The page must have it."""
    [found] = [one for one in pages.table("troubleshooting", heading) if cell in one[0]][:lines]
    return found


def start(site, config="", **options):
    site.connect()
    site.start_gateway(config, **options)
    site.wait(lambda: site.json("status")["sweep"]["nodes"] == 8, "ibtrapd to know the fabric")


def events(site, name):
    return [one for one in site.json("events", "--limit", "1000")["events"] if one["event"] == name]


def wait_event(site, name, timeout=120):
    return site.wait(lambda: events(site, name), name, timeout)[-1]


def states(site, traps=None):
    return {one["state"] for one in site.json("status")["subscriptions"] if not traps or str(one["trap"]) in traps}


class Changes:
    """Reports of the subnet manager, each of another change of a port's system image GUID."""

    def __init__(self, site):
        self.client, self.lid, self.guid = site.fabric.client("sm1"), site.fabric.lid_of("monitor"), 0

    def report(self, count=1):
        for self.guid in range(self.guid + 1, self.guid + count + 1):
            self.client.report(notices.system_image_guid_change(6, self.guid), self.lid)


# It does not start, and cannot be reached.

def test_a_mistake_is_told_everywhere(site):
    site.path(CONFIG).write_text('# The receiver.\n\n\n\nsnmp "nms" {\n    address = "nms:99999"\n}\n')
    check, status = CHECK.splitlines()
    assert pages.shows(site.machine.fails("sh", "-c", check), MISTAKE)
    site.machine.fails("systemctl", "start", "ibtrapd")
    reason = MISTAKE.split(": ", 1)[1]
    site.shows(status, f'Status: "{reason.strip()}"')
    site.shows("journalctl -u ibtrapd", reason)


def test_the_check_is_that_of_the_user(site):
    config = f'syslog "siem" {{ transport = "tls" address = "localhost" ca_file = "{UNREADABLE}" }}\n'
    site.path(CONFIG).write_text(config)
    assert pages.shows(site.machine.fails("ibtrapd", "--check-config"), NO_CA)
    site.run("install", "-m", "600", "/dev/null", UNREADABLE)
    assert "Permission denied" in site.machine.fails("ibtrapd", "--check-config")
    site.start()  # a start warns, and goes on without the receiver
    site.wait(lambda: "receiver siem" in site.log_of("ibtrapd"), "the warning")


def test_ibtrapctl_cannot_reach_it(site):
    [denied, missing] = [one[0].strip("`") for one in pages.table("troubleshooting", "message has")]
    assert missing in site.machine.fails("ibtrapctl", "status")
    site.start_gateway("", connected=False)
    assert denied in site.machine.fails("runuser", "-u", "nobody", "--", "ibtrapctl", "status")
    site.run("usermod", "-a", "-G", "ibtrapd", "nobody")
    site.run("runuser", "-u", "nobody", "--", "ibtrapctl", "status")
    assert missing in site.machine.fails("ibtrapctl", "--instance", "mlx5_0-1", "status")


# Ports and subscriptions.

def test_there_is_no_port(site):
    site.start_gateway("", connected=False)
    site.shows(STATUS, NO_PORT)
    site.connect()
    site.run("systemctl", "restart", "ibtrapd")
    site.wait(lambda: "active" in site.machine.property("ibtrapd", "StatusText"), "ibtrapd to subscribe")


def test_the_subnet_manager_does_not_answer(site):
    start(site)
    site.wait(lambda: states(site) == {"subscribed"}, "all subscriptions")
    row("lines under TRAP", "all `subscribed`, and", 1)
    site.subnet_manager.kill()
    problem = re.search(r"`(Problem .*)`", row("lines under TRAP", "all `no-answer`")[0])[1]
    site.shows(STATUS, problem, 120)
    site.wait(lambda: states(site) == {"no-answer"}, "no answers", 120)
    for name in "sm-unreachable", "subscription-lost":
        wait_event(site, name)
    site.subnet_manager.start()
    for name in "sm-back", "subscription-restored":
        wait_event(site, name)
    site.wait(lambda: states(site) == {"subscribed"}, "all subscriptions again", 120)


@pytest.mark.parametrize("key", [None, "2"], ids=["no key", "wrong key"])
def test_there_are_no_security_events(site, key):
    site.connect()
    if key:
        site.secret("/etc/ibtrapd/sa_key", key)
        site.start_gateway("")
        asks = re.search(r"`(is the SA key right\?)`", row("lines under TRAP", "256 to 259 `no-answer`")[0])[1]
        site.wait(lambda: states(site, SECURITY) == {"no-answer"} and asks in site.run("ibtrapctl", "status"), "the question", 120)
    else:
        row("lines under TRAP", "256 to 259 `rejected`, `needs the SA key`")
        site.start_gateway("", connected=False)
        site.shows(STATUS, NO_KEY)
    site.shell(pages.blocks("begin", "sh")[0])
    site.start_gateway("")
    site.run("systemctl", "restart", "ibtrapd")
    site.wait(lambda: states(site) == {"subscribed"}, "all subscriptions", 120)


def test_the_own_port_wants_an_mkey(site):
    site.subnet_manager = site.fabric.subnet_manager().wait_master()
    site.attach("monitor", SIM_MKEY="4711")
    site.secret("/etc/ibtrapd/mkey", "4712")
    site.path(CONFIG).write_text('sweep { mkey_file = "/etc/ibtrapd/mkey" }\n')
    site.start()
    site.wait(lambda: "the kernel refuses them" in site.run("ibtrapctl", "status"), "the problem")
    site.secret("/etc/ibtrapd/mkey", "4711")
    site.run("ibtrapctl", "reload")
    site.wait(lambda: "subscribed" in states(site), "subscriptions")


# Sweeps.

def test_a_node_is_silent(site):
    start(site)
    site.shows(STATUS, "Sweep smp, last 2026-11-22T05:23:16.080302Z, 1 ms, complete: ...")
    site.fabric.lose("node2", 1, 100)
    site.run("ibtrapctl", "sweep", "now")
    site.shows(STATUS, SILENT)
    assert not events(site, "host-removed") and not events(site, "link-down")


def test_a_sweep_reaches_its_limit(site):
    words = re.search(r"`(it reached its limit of)`", row("the line has", "it reached its limit of")[0])[1]
    site.connect()
    site.path(CONFIG).write_text("sweep { max_nodes = 4 }\n")
    site.start()
    site.shows(STATUS, f"NOT COMPLETE: ... {words} ... port ...")


def test_there_are_no_sweeps(site):
    row("the line has", "no `Sweep` line")
    site.connect()
    site.path(CONFIG).write_text('sweep { method = "off" }\n')
    site.start()
    site.wait(lambda: "subscribed" in states(site), "subscriptions")
    assert not re.search("(?m)^Sweep", site.run("ibtrapctl", "status"))


def test_a_link_was_down_for_a_moment(site):
    site.connect()
    site.path(CONFIG).write_text("sweep { settle = 3000 }\ncounters { interval = 3600 }\n")
    site.start()
    site.wait(lambda: site.json("status")["port_counters"]["last"], "the counters to be read")
    site.fabric.unlink("leaf1", 12)
    site.fabric.relink("leaf1", 12)
    for leaf in "leaf1", "leaf2":
        site.fabric.count_errors(leaf, 12, LinkDownedCounter=1)
    assert "ort 12 of leaf1" in wait_event(site, "link-interrupted")["text"]
    [look] = re.findall(r"`(ibtrapctl events --event [^`]*)`", row("the line has", "`complete`")[1])
    assert "link-interrupted" in site.shell(look)


# Receivers.

def explained(site, number, receiver):
    """The line of the receiver in the explanation of an event."""
    _, explain = ASK.splitlines()
    said = site.shell(explain.replace("NUMBER", str(number)))
    return re.search(rf"(?m)^{receiver} +\w+ +(.*(?:\n +.*)*)", said)[1]


def refuse_the_first(notification):
    """Refuses the first of the Changes."""
    return GEN_ERR if any(one.value == (1).to_bytes(8, "big") for one in notification.varbinds) else 0


def test_what_explain_shows(site, collector):
    """Each row of the table but `suppressed:`, which test_policy.py makes."""
    shown = {word for one in pages.table("troubleshooting", "shown") for word in re.findall(r"`([^`]*)`", one[0])}
    assert shown - {"suppressed:", "events", "explain", "sets"} == {
        "filtered", "passed", "waiting", "given up", "refused 5 times", "sent", "delivered"}
    with AnsweringManager() as manager, AnsweringManager(refuse_the_first) as refuses:
        start(site, f"""
syslog "udp" {{ transport = "udp" address = "{collector.address}" }}
syslog "errors" {{ transport = "udp" address = "{collector.address}" severity = "error" }}
syslog "away" {{ transport = "tcp" address = "127.0.0.1:9" }}
snmp "nms" {{ address = "{manager.address}" inform = true }}
snmp "no" {{ address = "{refuses.address}" inform = true timeout = 100 events = {{"system-*"}} }}
snmp "older" {{ address = "{manager.address}" sets = {{"switch"}} }}
""")
        changes = Changes(site)
        changes.report()
        number = wait_event(site, "system-image-guid-change")["number"]
        listed, _ = ASK.splitlines()
        assert "system-image-guid-change" in site.shell(listed)
        site.wait(lambda: explained(site, number, "nms").startswith("delivered"), "the confirmation")
        site.wait(lambda: explained(site, number, "udp").startswith("sent"), "the datagram")
        assert re.match(r"filtered +\S+ +severity", explained(site, number, "errors"))
        assert re.match(r"filtered +\S+$", explained(site, number, "older"))
        assert explained(site, number, "away").startswith("waiting")
        changes.report(10)  # which it takes
        refused = re.compile(r"given up.*refused\s+5\s+times", re.DOTALL)
        site.wait(lambda: refused.match(explained(site, number, "no")), "the end of its attempts")
        site.run("ibtrapctl", "receivers", "flush", "away")
        site.wait(lambda: explained(site, number, "away").startswith("given up"), "the flush")
        site.run("systemctl", "restart", "ibtrapd")
        site.wait(lambda: explained(site, number, "udp").startswith("passed"), "the restart")
        site.shell(TRY.replace("NAME", "nms"))


def test_a_receiver_falls_behind(site, collector):
    start(site, 'syslog "logs" { transport = "tcp" address = "127.0.0.1:9" }\n'
          f'syslog "quiet" {{ transport = "udp" address = "{collector.address}" severity = "critical" }}\n'
          f'syslog "other" {{ transport = "udp" address = "{collector.address}" }}\n')
    shown = re.sub(r"failing .*", "failing ...", FAILING)
    assert shown != FAILING
    site.shows(LIST.strip(), shown.splitlines()[0])
    site.shows(LIST.strip(), "\n".join(shown.splitlines()[1:]))
    failing = collector.wait_for(lambda one: one.message_id == "receiver-failing", "the alarm")[0]
    assert failing.data["receiver"] == "logs"
    said = site.shell(LIST)
    assert re.search(r"(?m)^quiet .* untried ", said) and re.search(r"(?m)^other .* working ", said)
    [resume] = re.findall(r"`(ibtrapctl receivers resume NAME)`", pages.text("troubleshooting"))
    site.run("ibtrapctl", "receivers", "pause", "other")
    assert re.search(r"(?m)^other .* paused ", site.shell(LIST))
    site.shell(resume.replace("NAME", "other"))
    assert re.search(r"(?m)^other .* working ", site.shell(LIST))
    path = site.path(CONFIG)
    path.write_text(path.read_text().replace("127.0.0.1:9", "127.0.0.1:514"))
    site.path("/etc/rsyslog.d/tcp.conf").write_text('module(load="imtcp")\ninput(type="imtcp" port="514")\n')
    site.run("systemctl", "start", "syslog.socket", "rsyslog")
    site.run("ibtrapctl", "reload")
    collector.wait_for(lambda one: one.message_id == "receiver-back", "the end of the alarm", 120)


# The journal.

def test_the_disk_is_full(site, collector):
    site.shell(f"install -d -o ibtrapd -g ibtrapd -m 750 {STATE}\nmount -t tmpfs -o size=24m,mode=750 state {STATE}\n"
               f"chown ibtrapd:ibtrapd {STATE}")
    start(site, f'syslog "logs" {{ transport = "udp" address = "{collector.address}" }}\n')
    site.run("sh", "-c", f"cat /dev/zero >{STATE}/large", good=(1,))
    changes = Changes(site)

    def degraded():
        changes.report(200)
        return "IN MEMORY ONLY" in site.run("ibtrapctl", "status")

    site.wait(degraded, "the journal to fail", 300)
    # The disk says which: that it is full, or an error.
    site.shows(STATUS, MEMORY.replace("disk I/O error", "..."))
    name = site.run("hostname").strip()
    site.shows("ibtrapctl alarms", DEGRADED.replace("database or disk is full.", "...").replace("gw1", name))
    collector.wait_for(lambda one: one.message_id == "journal-degraded", "the alarm")
    site.path(f"{STATE}/large").unlink()
    collector.wait_for(lambda one: one.message_id == "journal-healed", "the end of the alarm", 120)
    [check] = re.findall(r"`(ibtrapctl journal check)` examines", pages.text("troubleshooting"))
    site.shell(check)


def test_another_program_reads_without_end(site):
    start(site, "storm { rate = 0 }\n")
    site.run("systemd-run", "--unit=forgotten", "sh", "-c",
             f"(echo 'BEGIN; SELECT count(*) FROM sqlite_schema;'; sleep 3600) | sqlite3 {STATE}/journal.db")
    shown = re.sub(r"\d+ (events|alarms|MiB)", r"... \1", HELD_WAL)
    changes = Changes(site)

    def held():
        changes.report(500)
        return "without end" in site.run("ibtrapctl", "status")

    site.wait(held, "the warning", 600)
    assert pages.shows(site.run("ibtrapctl", "status"), shown)
    found = site.shell(LSLOCKS)
    assert {line.split()[0] for line in found.splitlines()} == {"ibtrapd", "sqlite3"}, found
    site.run("systemctl", "stop", "forgotten")

    def ended():
        changes.report()
        return "without end" not in site.run("ibtrapctl", "status") and size() == 16 << 20

    def size():
        return site.path(f"{STATE}/journal.db-wal").stat().st_size

    site.wait(ended, "the WAL to be small again", 120)


# The rest.

def test_the_tables_are_not_served(site):
    site.start_gateway(pages.blocks("snmp", "ibtrapd")[2], connected=False)
    site.shows(STATUS, NOT_SERVED)


def test_a_support_file(site):
    start(site, 'snmp "nms" { address = "127.0.0.1" community = "nobody-reads-this" }\n')
    site.shell(SUPPORT)
    path = site.path(SUPPORT.split()[-1])
    text = path.read_text()
    assert "nobody-reads-this" not in text and "leaf1" in text and "gateway-started" in text
    assert path.stat().st_mode & 0o077 == 0
    number = events(site, "gateway-started")[-1]["number"]
    [explain] = re.findall(r"`(ibtrapctl --json explain) NUMBER`", pages.text("troubleshooting"))
    assert '"receivers"' in site.shell(f"{explain} {number}")
