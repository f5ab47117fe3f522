# SPDX-License-Identifier: BSD-2-Clause
"""The documentation pages: their configurations run unchanged except for paths, ports and hosts."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from lab import notices, pages
from lab.fabric import BUILD, gid
from lab.gateway import Gateway, check_config, section
from lab.metrics import scrape
from lab.processes import Process, wait_until
from lab.receivers import File, listening
from lab.sockets import free_port
from lab.tables import MIBS

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "receivers"))

import peers  # noqa: E402

MULTICAST = bytes.fromhex("ff12401bffff00000000000000000007")
GID1, GID2 = gid(0x0002C90300B10001), gid(0x0002C90300B20001)
RECEIVERS = {"from-scripts", "prometheus", "rsyslog", "siem", "snmptrapd-zabbix"}
KINDS = {"ibtrapd", "rsyslog", "snmpd", "snmptrapd", "prometheus", "prometheus-rules", "sql", "jq", "sh", "zabbix-trap",
         "zabbix-server", "logrotate", "notices", "ini", "cron", "promql", "alertmanager"}


# Debian's configuration loads that module, which reads /dev/log by default.
NO_SYSTEM_SOCKET = 'module(load="imuxsock" SysSock.Use="off")\n'


class Lines(File):
    def __init__(self, path):
        super().__init__()
        self.path = pathlib.Path(path)

    def decode(self, entry):
        return entry


@pytest.fixture
def site_files(tmp_path):
    """Sets up the files that the pages presuppose, and the replacements for their paths."""
    etc, log, rsyslog = tmp_path / "etc", tmp_path / "log", tmp_path / "rsyslog"
    for directory in etc, log, rsyslog:
        directory.mkdir()
    authority = peers.Authority(tmp_path, "ca")
    collector, gateway = authority.issue("collector"), authority.issue("ibtrapd")
    for name in ("siem-ca.pem", "logs-ca.pem", "nms.pem"):
        shutil.copy(authority.file, etc / name)
    shutil.copy(authority.file, rsyslog / "ca.pem")
    shutil.copy(collector.cert, rsyslog / "collector.pem")
    shutil.copy(collector.key, rsyslog / "collector.key")
    shutil.copy(gateway.cert, etc / "ibtrapd.pem")
    shutil.copy(gateway.key, etc / "ibtrapd.key")
    secrets = {"sa_key": "1", "nms.auth": "a long password", "nms.privacy": "another long one", "kafka.password": "a third",
               "http.token": "a fourth"}
    for name, secret in secrets.items():
        (etc / name).write_text(secret + "\n")
        (etc / name).chmod(0o600)
    (etc / "expected.topology").write_text('Switch 36 "S-0002c90200c20000"\n')
    (etc / "notices").write_text(pages.blocks("notices", "notices")[0])
    (etc / "names").write_text('0x0002c90200c20000 "leaf2"\n')
    return {"/etc/ibtrapd": etc, "/var/log/ibtrapd": log, "/etc/rsyslog": rsyslog,
            "/etc/opensm/ib-node-name-map": etc / "names"}


def bad_pkey():
    return notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, GID1, GID2)


def with_fabric(fabric, more, **options):
    """A gateway that has subscribed."""
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, more=more, **options))
    gateway.wait_subscribed()
    return gateway


# All pages.

def test_every_block_is_of_a_kind_that_is_tested():
    assert RECEIVERS <= set(pages.names())
    for page in pages.names():
        assert {kind for kind, _ in pages.fenced(page)} <= KINDS, page
        assert pages.text(page).count("```") == 2 * len(pages.fenced(page))


SHOWN = """4  2026-11-22T05:20:53Z  warning  host-removed
    Host node2 (LID 7) left after 0.3 s; see 01a2\N{HORIZONTAL ELLIPSIS}48e4, 0x02dab001, ... end"""
SAID = """  12  2027-01-02T03:04:05.678901Z  warning        host-removed
   Host node2 (LID 7) left after 12 s; see 01a203b3-0eef-712d-a383-02bdbdec1348, 0x12345678, or what
   comes to an end
"""


def test_a_shown_output_may_differ_in_what_varies_alone():
    """The tests of managers/ compare outputs so."""
    assert pages.shows(SAID, SHOWN) and pages.shows("before\n" + SAID + "after\n", SHOWN)
    for said, other in (("LID 7", "LID 8"), ("warning", "error"), ("node2", "node22"), ("left", "is left"), ("an end", "an ending"),
                        ("0x12345678", "0x123"), ("2027-01-02T", "2027-01-02 ")):
        assert said in SAID and not pages.shows(SAID.replace(said, other), SHOWN)


@pytest.mark.parametrize("page", pages.names())
def test_configurations_of_ibtrapd_are_good(page, tmp_path, site_files):
    for block in pages.blocks(page, "ibtrapd"):
        status, output = check_config(pages.adapted(block, site_files), tmp_path)
        assert status == 0, f"{output}\n{block}"


@pytest.mark.parametrize("page", pages.names())
def test_configurations_of_rsyslog_are_good(page, tmp_path, site_files):
    for block in pages.blocks(page, "rsyslog"):
        config = tmp_path / "rsyslog.conf"
        config.write_text(NO_SYSTEM_SOCKET + pages.adapted(block, site_files) + f'*.* action(type="omfile" file="{tmp_path}/all")\n')
        done = subprocess.run(["/usr/sbin/rsyslogd", "-N1", "-f", config], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "error" not in done.stderr, done.stderr


# rsyslog.

def start_rsyslogd(fabric, block, changes, is_ready, modules=""):
    work = fabric.directory / "rsyslogd"
    work.mkdir()
    config = work / "rsyslog.conf"
    config.write_text(f'global(workDirectory="{work}")\n' + modules + pages.adapted(block, changes))
    process = fabric.start("rsyslogd", ["/usr/sbin/rsyslogd", "-n", "-f", config, "-i", work / "pid"])
    process.wait_ready(is_ready, "rsyslogd to listen")


def of_rsyslog(kind, words):
    return pages.block("rsyslog", kind, words)


def test_rsyslog_collects_over_tcp(fabric, site_files):
    """The plainest case. Debian's rsyslog.conf has the rule for all messages."""
    port = free_port()
    changes = {**site_files, 'port="514"': f'port="{port}"', "logs.example.org": f"127.0.0.1:{port}"}
    everything = site_files["/var/log/ibtrapd"] / "syslog"
    start_rsyslogd(fabric, of_rsyslog("rsyslog", '"514"') + f'*.* action(type="omfile" file="{everything}")\n', changes,
                   lambda: peers.accepting(port))
    with_fabric(fabric, pages.adapted(of_rsyslog("ibtrapd", '"tcp"'), changes))
    fabric.client("node1").trap(bad_pkey())
    Lines(everything).wait_for(lambda one: "bad-pkey" in one or "P_Key" in one, "the event")


@pytest.mark.parametrize("transport", ["relp-tls", "tls"])
def test_rsyslog_collects(fabric, site_files, transport):
    ports = {"6514": free_port(), "2514": free_port()}
    changes = {**site_files, **ports, "logs.example.org": "127.0.0.1"}
    start_rsyslogd(fabric, of_rsyslog("rsyslog", "imrelp"), changes,
                   lambda: all(map(peers.accepting, ports.values())))
    with_fabric(fabric, pages.adapted(of_rsyslog("ibtrapd", f'"{transport}"'), changes))
    fabric.client("node1").trap(bad_pkey())
    log = site_files["/var/log/ibtrapd"]
    Lines(log / "security.log").wait_for(lambda one: " warning bad-pkey " in one, "the event")
    Lines(log / "fabric.log").wait_for(lambda one: " notice gateway-started " in one, "the start")
    assert "gateway-started" not in (log / "security.log").read_text()


def test_rsyslog_knows_the_fields(fabric, site_files):
    port = free_port()
    changes = {**site_files, "5514": port}
    start_rsyslogd(fabric, of_rsyslog("rsyslog", "mmpstrucdata"), changes, lambda: listening(port))
    with_fabric(fabric, pages.adapted(of_rsyslog("ibtrapd", '"links"'), changes))
    fabric.client("node1").trap(notices.system_image_guid_change(6, 0x0002C903FFEEDDCC))
    links = Lines(site_files["/var/log/ibtrapd"] / "links.log")
    [line] = links.wait_for(lambda one: True, "a line")
    assert line == f"{fabric.lid_of('node1')} system-image-guid-change"


def test_rsyslog_knows_the_program_of_local_lines(fabric, site_files):
    socket = fabric.directory / "log"
    start_rsyslogd(fabric, of_rsyslog("rsyslog", "$programname"), site_files, socket.exists,
                   f'module(load="imuxsock" SysSock.Name="{socket}")\n')
    gateway = with_fabric(fabric, section("syslog", "local", path=socket))
    fabric.client("node1").trap(bad_pkey())
    log = Lines(site_files["/var/log/ibtrapd"] / "local.log")
    [line] = log.wait_for(lambda one: "event=bad-pkey " in one, "the event")
    [event] = [one for one in gateway.journal() if one["event"] == "bad-pkey"]
    assert f" ibtrapd[{gateway.process.pid}]: {event['text']} time={event['time']} id={event['id']} event=bad-pkey " in line
    assert " severity=warning category=security " in line and f" raw={event['raw']}" in line


def test_rsyslog_knows_the_fields_of_local_messages(fabric, site_files):
    changes = {**site_files, "/run/rsyslog/ibtrapd": fabric.directory / "run/ibtrapd"}
    start_rsyslogd(fabric, of_rsyslog("rsyslog", '"host"'), changes, changes["/run/rsyslog/ibtrapd"].exists,
                   NO_SYSTEM_SOCKET)
    gateway = with_fabric(fabric, pages.adapted(of_rsyslog("ibtrapd", '"local"'), changes))
    fabric.client("node1").trap(bad_pkey())
    log = Lines(site_files["/var/log/ibtrapd"] / "host.log")
    [line] = log.wait_for(lambda one: " bad-pkey " in one, "the event")
    [event] = [one for one in gateway.journal() if one["event"] == "bad-pkey"]
    assert line.startswith(f'ibtrapd bad-pkey [ibtrapd@8072 id="{event["id"]}" event="bad-pkey" ')
    assert line.endswith(f"] {event['text']}")


# snmptrapd.

def start_snmptrapd(fabric, block):
    """Runs snmptrapd with the page's configuration. Returns its port and its output."""
    port, work = free_port(), fabric.directory / "snmptrapd"
    work.mkdir()
    config = work / "snmptrapd.conf"
    config.write_text(block)
    process = fabric.start(
        "snmptrapd", ["/usr/sbin/snmptrapd", "-f", "-n", "-C", "-c", config, "-p", work / "pid", "-Lf", work / "traps",
                      "-M", MIBS, "-m", "SNMPv2-MIB:IBTRAPD-MIB:IBSWITCH-MIB", f"udp:127.0.0.1:{port}"],
        env={"SNMP_PERSISTENT_DIR": str(work), "SNMPCONFPATH": str(work)})
    process.wait_ready(lambda: listening(port), "snmptrapd to listen")
    return port, Lines(work / "traps")


def run_snmptrapd(fabric, changes, number, sender):
    """Runs the page's snmptrapd and sender, and sends one event."""
    port, traps = start_snmptrapd(fabric, pages.adapted(pages.blocks("snmptrapd-zabbix", "snmptrapd")[number], changes))
    address = {"nms.example.org": f"127.0.0.1:{port}"}
    with_fabric(fabric, pages.adapted(pages.blocks("snmptrapd-zabbix", "ibtrapd")[sender], changes | address))
    fabric.client("node1").trap(bad_pkey())
    return traps


def test_snmptrapd_shows_names(fabric, site_files):
    traps = run_snmptrapd(fabric, site_files, 0, 0)
    traps.wait_for(lambda one: "OID: IB-SMA-MIB::ibSmaBadPartitionKey" in one
                   and "ibtrapdEventName.0 = STRING: bad-pkey" in one, "the event by name")


def test_snmptrapd_takes_version_3(fabric, site_files):
    traps = run_snmptrapd(fabric, site_files, 1, 1)
    traps.wait_for(lambda one: "OID: IB-SMA-MIB::ibSmaBadPartitionKey" in one, "the notification")


def test_zabbix_gets_each_trap(fabric, site_files, tmp_path):
    """A line with time, ZBXTRAP and the sender's address, then the objects, which the template's expressions find."""
    script, log = tmp_path / "zabbix-trap", tmp_path / "snmptrap.log"
    changes = {**site_files, "/usr/local/bin/zabbix-trap": script, "/var/log/snmptrap/snmptrap.log": log,
               "zabbix.example.org": "nms.example.org"}
    script.write_text(pages.adapted(pages.blocks("snmptrapd-zabbix", "zabbix-trap")[0], changes))
    script.chmod(0o755)
    run_snmptrapd(fabric, changes, 2, 2)
    Lines(log).wait_for(lambda one: one == "IBTRAPD-MIB::ibtrapdEventName.0 bad-pkey", "the event")
    trap = log.read_text().split(" ZBXTRAP ")[-1]
    assert trap.startswith("127.0.0.1\nSNMPv2-MIB::sysUpTime.0 ") and re.search(r"^\d{8}:\d{6} ZBXTRAP 127", log.read_text())
    template = (TESTS.parent / "config/templates/zabbix-6.0.yaml").read_text()
    for field in re.findall(r'\.regsub\("(.*?)","', template):
        if re.search("LinkCause|CableSerial", field):
            continue  # of some alarms alone: without it, the tag is empty
        assert re.search(field.replace("(.+)", ".*"), trap), field  # its value may be empty
    found = {pattern for pattern in re.findall(r'"regexp","(.*?)"\)', template) if re.search(pattern, trap)}
    assert found == {r"(?m)^IBTRAPD-MIB::ibtrapdEventCategory\.0 security$", r"(?m)^IBTRAPD-MIB::ibtrapdEventSeverity\.0 (warning)$"}


def test_no_object_begins_another_trap_of_zabbix(tmp_path):
    script, log = tmp_path / "zabbix-trap", tmp_path / "log"
    block = pages.blocks("snmptrapd-zabbix", "zabbix-trap")[0]
    script.write_text(block.replace("/var/log/snmptrap/snmptrap.log", str(log)))
    said = b"host\nUDP: [192.0.2.7]:162->[192.0.2.8]:162\nA::name.0 \xffx\\n ZBXTRAP 10.9.9.9 y $(id) %s ZBXTRAPZBXTRAP\n"
    subprocess.run(["sh", script], input=said, check=True)
    written = log.read_bytes()
    assert re.fullmatch(rb"\d{8}:\d{6} ZBXTRAP 192\.0\.2\.7\n"
                        rb"A::name\.0 \xffx\\n ZBX-TRAP 10\.9\.9\.9 y \$\(id\) %s ZBX-TRAPZBX-TRAP\n", written)


# A SIEM.

def collect_for_siem(fabric, site_files, number):
    etc, rsyslog = site_files["/etc/ibtrapd"], site_files["/etc/rsyslog"]
    certificate = peers.Certificate(rsyslog, "collector")
    collector = fabric.keep(peers.Rsyslogd(fabric.directory, "tls", certificate=certificate, ca=etc / "siem-ca.pem"))
    changes = {**site_files, "siem.example.org:6514": f"127.0.0.1:{collector.port}"}
    _, *blocks = pages.blocks("siem", "ibtrapd")
    with_fabric(fabric, pages.adapted(blocks[number] + blocks[2], changes))
    fabric.client("node1").trap(bad_pkey())
    [message] = collector.wait_for(lambda one: "bad-pkey" in one, "the event")
    archive = Lines(site_files["/var/log/ibtrapd"] / "events.json")
    [line] = archive.wait_for(lambda one: "bad-pkey" in one, "the event")
    return message, json.loads(line)


def cell_of(column):
    """The names in one column of the table, by the names in the file."""
    return {row[0]: row[column] for row in pages.table("siem", "file")}


def test_elastic_gets_ecs(fabric, site_files):
    message, own = collect_for_siem(fabric, site_files, 0)
    document = json.loads(message[message.index("{"):])
    for name, path in cell_of(1).items():
        value = document.get(path)
        if value is None:
            value = document
            for key in path.split("."):
                value = value[key]
        assert value == own[name], path


def test_others_get_cef(fabric, site_files):
    message, own = collect_for_siem(fabric, site_files, 1)
    columns = cell_of(2)
    head = message[message.index("CEF:0|"):].split("|")
    assert columns["event"] == "Signature ID" and head[4] == own["event"]
    for name in ("id", "text"):
        assert f"{columns[name]}={own[name]}" in head[-1].replace("\\=", "=")
    assert re.search(rf"\b{columns['time']}=\S+", head[-1])


# Prometheus.

def test_the_metrics_are_those_of_the_page(fabric):
    port = free_port()
    block = pages.blocks("prometheus", "ibtrapd")[0].replace("9117", str(port))
    block += section("subagent", socket="/nonexistent/agentx")
    gateway = with_fabric(fabric, block, sweep={"interval": 5}, counters={"ports": "all"})
    gateway.wait_swept()
    metrics = wait_until(lambda: (now := scrape(port)) and "ibtrapd_reading_ports" in now.families and now,
                         "a reading")
    described = {name: set(filter(None, row[1].split(", ")))
                 for row in pages.table("prometheus", "metric") for name in row[0].split(", ")}
    assert set(described) == set(metrics.families)
    for name, family in metrics.families.items():
        labels = {label for _, pairs in family.samples for label, _ in pairs} - {"le"}
        assert labels == described[name] or not family.samples, name
    [rules] = pages.blocks("prometheus", "prometheus-rules")
    expressions = re.findall(r"expr: (.*)", rules)
    assert len(expressions) == rules.count("- alert:") > 8
    sampled = {name for name, _ in metrics.samples}
    for name in re.findall(r"\bibtrapd_\w+", "\n".join(expressions)):
        assert name in sampled, name
    for name, label in re.findall(r"\b(ibtrapd_\w+)\{(\w+)=", "\n".join(expressions)):
        assert label in described[name]


PORT_LABELS = {"node", "guid", "port", "peer", "peer_port", "host"}  # host: of the links of hosts alone
NOT_OF_EACH_PORT = {"ibtrapd_port_errors_per_second", "ibtrapd_port_bit_error_ratio",
                    "ibtrapd_port_fec_corrected_blocks_total", "ibtrapd_port_fec_uncorrectable_blocks_total"}


def test_the_metrics_of_ports_are_those_of_the_page(fabric):
    port = free_port()
    block = pages.blocks("prometheus", "ibtrapd")[1].split("counters {")[0].replace("9117", str(port))
    gateway = with_fabric(fabric, block, sweep={"interval": 5}, counters={"ports": "all", "interval": 5})
    gateway.wait_swept()
    metrics = wait_until(lambda: (now := scrape(port)) and "ibtrapd_port_wait_ratio" in now.families and now,
                         "two readings of the counters")
    described = {name: set(filter(None, row[1].split(", ")))
                 for row in pages.table("prometheus", "metric of a port") for name in row[0].split(", ")}
    found = {name for name in metrics.families if name.startswith("ibtrapd_port_") and name != "ibtrapd_port_open"}
    assert found <= set(described) and set(described) - found <= NOT_OF_EACH_PORT
    for name in found:
        labels = {label for _, pairs in metrics.families[name].samples for label, _ in pairs}
        assert labels == described[name] | PORT_LABELS, name
    [queries] = pages.blocks("prometheus", "promql")
    assert set(re.findall(r"\bibtrapd_\w+", queries)) <= set(described)


@pytest.mark.parametrize("name", ["ibtrapd-fabric-rules.yml", "grafana-dashboard.json"])
def test_examples_use_metrics_and_labels_that_there_are(name):
    """tests/managers runs them."""
    text = (TESTS.parent / "config/templates" / name).read_text()
    described = {metric: set(filter(None, row[1].split(", "))) | more
                 for heading, more in (("metric", set()), ("metric of a port", PORT_LABELS),
                                       ("metric of a module or switch", PORT_LABELS))
                 for row in pages.table("prometheus", heading) for metric in row[0].split(", ")}
    used = re.findall(r"\b(ibtrapd_\w+)(?:\{([^}]*)\})?", text)
    assert len(used) > 8
    for metric, conditions in used:
        assert set(re.findall(r"(\w+)=", conditions)) <= described[metric] | {"instance"}, metric
    if name == "grafana-dashboard.json":  # it shows what alarms are raised for
        of_rates = {metric for metric, labels in described.items() if labels >= PORT_LABELS | {"window"}}
        assert of_rates and of_rates <= {metric for metric, _ in used}


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed")
@pytest.mark.parametrize("kind, command", [("prometheus", "config"), ("prometheus-rules", "rules")])
def test_promtool_likes_them(tmp_path, kind, command):
    file = tmp_path / "file.yml"
    [block] = pages.blocks("prometheus", kind)
    file.write_text(block)
    done = subprocess.run(["promtool", "check", command, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# From scripts.

def jq(program, path):
    return subprocess.run(["jq", "-r", program, path], check=True, capture_output=True, text=True).stdout.splitlines()


def raise_everything(fabric):
    node = fabric.client("node1")
    node.trap(notices.capability_change(6, 0x0251486A))
    node.trap(notices.system_image_guid_change(6, 0x0002C903FFEEDDCC))
    node.trap(notices.bad_mkey(6, 1, 0x15, 0, 99))
    node.trap(bad_pkey())
    node.trap(notices.bad_key(258, 6, 7, 0x80010000, 1, 2, 3, GID1, GID2))
    node.trap(notices.bad_pkey_at_switch(0x15, 6, 7, 0x8001, 1, 2, 3, GID1, GID2, 2, 5))
    node.trap(notices.vendor_notice(0x0002C9, 77, b"theirs"))
    node.join(MULTICAST)
    node.leave(MULTICAST)
    for trap in (129, 130, 131):
        node.trap(notices.port_error(trap, 6, 1))


def names_of(cell):
    return re.findall(r"[a-z]+(?:-[a-z]+)+", cell)


def test_the_lines_of_opensm_become_these_events(fabric, site_files, tmp_path):
    """Each line of the table is in OpenSM's log, and each event in the file; the programs of jq find theirs."""
    sm = fabric.subnet_manager().wait_master()
    path = site_files["/var/log/ibtrapd"] / "events.json"
    block = pages.adapted(pages.blocks("from-scripts", "ibtrapd")[0].split("\nfile", 1)[1], site_files)
    gateway = fabric.keep(Gateway(fabric, more="file" + block, sweep={"interval": 5}))
    gateway.wait_subscribed()
    gateway.wait_swept()
    raise_everything(fabric)
    seen = Lines(path)
    fabric.unlink("node2")
    seen.wait_for(lambda one: '"event":"host-removed"' in one, "the host to go")
    fabric.relink("node2")
    seen.wait_for(lambda one: '"event":"host-added"' in one, "the host to come")
    gateway.stop()
    events = {json.loads(line)["event"] for line in path.read_text().splitlines()}
    rows = pages.table("from-scripts", "in opensm.log")
    for phrase, trap, named in rows:
        assert phrase in sm.log, phrase
        if trap in ("129", "130", "131"):
            assert not events & set(names_of(named))
        else:
            expected = [name for name in names_of(named) if name not in ("switch-added", "switch-removed", "mcast-group-created", "mcast-group-deleted")]
            assert set(expected) <= events, named
    worst, gone, keys = pages.blocks("from-scripts", "jq")
    assert any("wrong M_Key" in line for line in jq(worst, path))
    assert [line.split()[1] for line in jq(gone, path)] == [f"0x{fabric.guid_of('node2'):016x}"]
    assert {line.split()[1] for line in jq(keys, path)} == {"bad-mkey", "bad-pkey", "bad-qkey", "bad-pkey-at-switch"}
    assert all(len(line.split()) == 5 for line in jq(keys, path))


def test_the_shell_script_works(tmp_path, site_files):
    """The script follows the file and gives each selected event to logger."""
    path, said = site_files["/var/log/ibtrapd"] / "events.json", tmp_path / "said"
    logger = tmp_path / "bin" / "logger"
    logger.parent.mkdir()
    logger.write_text(f'#!/bin/sh\n{{ printf "%s: " "$*"; cat; }} >> {said}\n')
    logger.chmod(0o755)
    path.write_text('{"event":"link-down","text":"old"}\n')
    [script] = pages.blocks("from-scripts", "sh")
    process = Process("script", ["/bin/sh", "-c", pages.adapted(script, site_files)], log=tmp_path / "script.log", cwd=tmp_path,
                      env={"PATH": f"{logger.parent}:{os.environ['PATH']}"})
    try:
        count = 0

        def heard():
            nonlocal count
            count += 1
            with path.open("a") as file:
                file.write('{"event":"gateway-started","text":"no"}\n{"event":"link-down","text":"yes"}\n')
            return said.exists() and "yes" in said.read_text()

        wait_until(heard, "the script to speak", interval=0.5)
    finally:
        process.kill()
    complete, _, _ = said.read_text().rpartition("\n")  # the kill may have truncated the last line
    assert set(complete.splitlines()) == {"-t fabric -p daemon.warning: yes"}
