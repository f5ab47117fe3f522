# SPDX-License-Identifier: BSD-2-Clause
"""The files for trap receivers of doc/trap-receivers.md. The oracle is the gateway's list of events."""

import ast
import json
import re
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
from lab import pages
from lab.fabric import BUILD
from lab.gateway import Gateway, section
from lab.icinga import PROGRAM, Icinga
from lab.processes import wait_until
from lab.receivers import TrapSocket, listening
from lab.sockets import free_port
from lab.tables import MIBS

FILES = BUILD / "mibs/receivers"
SNMPTT, CONVERT = shutil.which("snmptt"), shutil.which("snmpttconvertmib")
HAS_IP = SNMPTT and subprocess.run(["perl", "-MNet::IP", "-e", "1"], capture_output=True, check=False).returncode == 0
needs_snmptt = pytest.mark.skipif(not (CONVERT and HAS_IP), reason="snmptt or libnet-ip-perl is not installed")
SEVERITIES = {"emergency": "Critical", "alert": "Critical", "critical": "Critical", "error": "Major", "warning": "Warning"}
LOGGED = re.compile(r'(\.[\d.]+) (\w+) "(\w+)" \S+ - (\w+) \[(.*?)\] (\w+)(?:\(\d\))?: (.*)')


def break_and_mend(fabric, address, **items):
    """A gateway that tells of a link that went down and came back, and of a test. Returns its events."""
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, sweep={"interval": 5, "settle": 100}, more=section(
        "snmp", "nms", address=address, extra_varbinds=True, **items)))
    gateway.wait_subscribed()
    gateway.wait_nodes(8)
    gateway.control("test", "link-down")
    fabric.unlink("leaf1", 11)
    wait_until(lambda: "link-down" in alarms(gateway), "the alarm to begin")
    fabric.relink("leaf1", 11)
    wait_until(lambda: "link-down" not in alarms(gateway), "the alarm to end")
    return gateway


def alarms(gateway):
    return [one["event"] for one in gateway.listed_alarms()]


def events(gateway):
    return json.loads(gateway.control("events", "--json").stdout)["events"]


def said(event):
    """What a receiver has of an event: kind, the alarm's key, severity, sentence."""
    kind = "test" if event.get("test") else event.get("alarmState", "none")
    return kind, event.get("alarmKey", ""), event["severity"], event["text"]


def receiver_severity(kind, severity, cleared):
    return "Normal" if kind == "test" else cleared if kind == "cleared" else SEVERITIES.get(severity, "Normal")


def start_snmptrapd(fabric, config, port, *names):
    """Runs snmptrapd with a configuration, beside which it keeps its files. `names`: how it writes OIDs, and by which modules."""
    work = config.parent
    process = fabric.start(
        "snmptrapd", ["/usr/sbin/snmptrapd", "-f", "-n", *names, "-C", "-c", config, "-p", work / "pid", "-Lf", work / "traps",
                      "-M", MIBS, f"udp:127.0.0.1:{port}"],
        env={"SNMP_PERSISTENT_DIR": str(work), "SNMPCONFPATH": str(work)})
    process.wait_ready(lambda: listening(port), "snmptrapd to listen")


BARE_NAMES = "-On", "-m", "SNMPv2-MIB"


def start_snmptt(fabric):
    """Runs snmptrapd with the page's snmptt. Returns its port and the log of snmptt."""
    port, work = free_port(), fabric.directory / "snmptt"
    work.mkdir()
    log, ini = work / "log", work / "snmptt.ini"
    packaged = open("/etc/snmp/snmptt.ini", encoding="utf-8").read()
    changes = {"/var/log/snmptt/snmptt.log": log, "syslog_enable = 1": "syslog_enable = 0",
               "syslog_system_enable = 1": "syslog_system_enable = 0",
               "/etc/snmptt/snmptt.conf": FILES / "snmptt.conf"}
    ini.write_text(pages.adapted(packaged, changes))
    config = work / "snmptrapd.conf"
    config.write_text(pages.adapted(pages.block("trap-receivers", "snmptrapd", "snmptt"),
                                    {"/usr/sbin/snmptt": f"{SNMPTT} --ini={ini}"}))
    start_snmptrapd(fabric, config, port, *BARE_NAMES)
    return port, log


@needs_snmptt
def test_snmptt_pairs_begin_and_end_of_an_alarm(fabric):
    """Each event is one line of snmptt, whose kind, key, severity and sentence are the event's."""
    port, log = start_snmptt(fabric)
    gateway = break_and_mend(fabric, f"127.0.0.1:{port}", sets=["sma", "own"])

    def lines():
        return [LOGGED.search(line) for line in log.read_text().splitlines()] if log.exists() else []
    number = {str(n): word for n, word in enumerate(
        ("emergency", "alert", "critical", "error", "warning", "notice", "informational", "debug"))}

    def read(line):
        _, severity, category, kind, key, level, text = line.groups()
        return (kind, key, number.get(level, level), text), severity, category

    def wanted():
        """snmptt takes the brackets off a value that begins with one."""
        return sorted((*rest, text.replace("[test]", "test")) for *rest, text in map(said, events(gateway)))
    expected = wait_until(lambda: sorted(read(one)[0] for one in lines() if one) == wanted() and events(gateway),
                          "snmptt to have all events")
    assert None not in lines()
    for line in lines():
        (kind, _, level, _), severity, category = read(line)
        assert severity == receiver_severity(kind, level, "Normal")
        assert category == ("LOGONLY" if kind == "test" else "ibtrapd")
    kinds = {kind: key for kind, key, _, text in map(said, expected) if "leaf1" in text and kind in ("raised", "cleared")}
    assert kinds["raised"] == kinds["cleared"] != ""


# What LibreNMS gives a handler: the lines that snmptrapd gives its traphandle, by name.
LIBRENMS = r"""<?php
namespace App\Models; class Device {}
namespace LibreNMS\Enum; enum Severity { case Ok; case Info; case Notice; case Warning; case Error; }
namespace LibreNMS\Interfaces; interface SnmptrapHandler {}
namespace LibreNMS\Snmptrap;
class Trap {
    private $data = [];
    public function __construct($text) {
        foreach (array_slice(explode("\n", trim($text)), 2) as $line) {
            [$oid, $value] = explode(' ', $line, 2) + [1 => ''];
            $this->data[$oid] = trim($value, '"');
        }
    }
    public function findOid($part) {
        foreach ($this->data as $oid => $_) { if (str_contains($oid, $part)) { return $oid; } }
    }
    public function getOidData($oid) { return $this->data[$oid]; }
    public function log($text, $severity, $type, $reference) {
        echo json_encode([$this->data['SNMPv2-MIB::snmpTrapOID.0'], $text, $severity->name, $type, $reference]), "\n";
    }
}
namespace Main;
require $argv[1];
foreach (glob($argv[2] . '/trap.*') as $file) {
    (new \LibreNMS\Snmptrap\Handlers\Ibtrapd())->handle(new \App\Models\Device(), new \LibreNMS\Snmptrap\Trap(file_get_contents($file)));
}
"""


@pytest.mark.skipif(not shutil.which("php"), reason="php-cli is not installed")
def test_the_handler_of_librenms_logs_state_key_and_severity(fabric):
    """The handler on what snmptrapd says of the gateway's notifications; LibreNMS itself is not here."""
    port, work = free_port(), fabric.directory / "librenms"
    work.mkdir()
    config = work / "snmptrapd.conf"
    config.write_text(f"disableAuthorization yes\ntraphandle default {work}/keep\n")
    (work / "keep").write_text(f"#!/bin/sh\ncat >{work}/part.$$ && mv {work}/part.$$ {work}/trap.$$\n")
    (work / "keep").chmod(0o755)
    (work / "stand-in.php").write_text(LIBRENMS)
    start_snmptrapd(fabric, config, port, "-m", "ALL")
    gateway = break_and_mend(fabric, f"127.0.0.1:{port}", sets=["sma", "own"])
    mapped = set(re.findall(r"'([\w-]+::\w+)' => ", (FILES / "librenms/snmptraps.txt").read_text()))

    def logged():
        done = subprocess.run(["php", work / "stand-in.php", FILES / "librenms/Ibtrapd.php", work], capture_output=True, text=True,
                              check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def wanted():
        """LibreNMS takes quotation marks off both ends of a value."""
        return sorted([f"{kind} [{key}]: {text}", "Info" if kind == "test" else "Ok" if kind == "cleared" else
                       {"Critical": "Error", "Major": "Error", "Warning": "Warning"}.get(SEVERITIES.get(severity), "Notice"),
                       "ibtrapd", key] for kind, key, severity, text in map(said, events(gateway)))

    wait_until(lambda: sorted(one[1:] for one in logged()) == wanted() and len(wanted()) >= 4, "LibreNMS to log all events")
    assert {oid for oid, *_ in logged()} <= mapped


SPACE = "{http://xmlns.opennms.org/xsd/eventconf}"


def opennms_events():
    return ElementTree.parse(FILES / "opennms-ibtrapd.events.xml").getroot().findall(SPACE + "event")


def fits(event, trap):
    """As OpenNMS reads a mask: the enterprise without the zero before the last number, and values by place."""
    above, _, specific = trap.oid.rpartition(".")
    wanted = {"id": "." + above.removesuffix(".0"), "generic": "6", "specific": specific}
    mask = event.find(SPACE + "mask")
    return all(wanted[one.find(SPACE + "mename").text] == one.find(SPACE + "mevalue").text
               for one in mask.findall(SPACE + "maskelement")) and all(
        str(trap.varbinds[int(one.find(SPACE + "vbnumber").text) - 1].value)
        in [value.text for value in one.findall(SPACE + "vbvalue")] for one in mask.findall(SPACE + "varbind"))


def text_of(value):
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def filled(template, trap):
    return re.sub(r"%parm\[#(\d+)]%", lambda found: text_of(trap.varbinds[int(found[1]) - 1].value), template)


def test_opennms_pairs_begin_and_end_of_an_alarm(fabric):
    """OpenNMS is not here: its rules for masks and keys, on the gateway's notifications of all kinds."""
    with TrapSocket() as traps:
        gateway = break_and_mend(fabric, traps.address, sets=["sma", "switch", "own"])
        wait_until(lambda: {text for *_, text in map(said, events(gateway))} <= {
            text_of(varbind.value) for trap in traps.poll() for varbind in trap.varbinds}, "the notifications")
    open_alarms, begun = set(), 0
    known = {said(event) for event in events(gateway)}
    for trap in traps.items:
        [event] = [one for one in opennms_events() if fits(one, trap)]
        kind = event.find(SPACE + "uei").text.rpartition("/")[2]
        text = filled(event.find(f"{SPACE}logmsg").text, trap)
        [(_, key, level, _)] = {one for one in known if one[0] == kind and one[3] == text}
        assert event.find(SPACE + "severity").text == receiver_severity(kind, level, "Cleared")
        alarm = event.find(SPACE + "alarm-data")
        assert (alarm is not None) == (kind in ("raised", "cleared"))
        if kind == "raised":
            open_alarms.add(filled(alarm.get("reduction-key"), trap))
            begun += 1
        elif kind == "cleared":
            open_alarms.discard(filled(alarm.get("clear-key"), trap))
            assert filled(alarm.get("clear-key"), trap).endswith(key)
    assert begun and open_alarms == {f"ibtrapd:raised:{one['key']}" for one in gateway.listed_alarms()}


@needs_snmptt
@pytest.mark.parametrize("module", ["IB-SMA-MIB", "IBSWITCH-MIB", "IBTRAPD-MIB"])
def test_snmpttconvertmib_reads_the_comments(tmp_path, module):
    """Each notification has a line of format with the places that snmptt.conf has, and a severity."""
    out = tmp_path / "out"
    subprocess.run([CONVERT, f"--in={FILES / 'annotated' / module}.txt", f"--out={out}"], check=True, timeout=300,
                   capture_output=True, env={"PATH": "/usr/bin:/bin", "MIBS": "ALL", "SNMP_PERSISTENT_DIR": "/dev/null",
                                             "MIBDIRS": f"{FILES / 'annotated'}:{MIBS}"})
    found = re.findall(r"^EVENT (\w+) (\S+) .*?(\w+)$\nFORMAT (.*)", out.read_text(), re.MULTILINE)
    ours = dict(re.findall(r"^EVENT (\w+ \S+) .*\nFORMAT raised (.*)", (FILES / "snmptt.conf").read_text(), re.MULTILINE))
    names = re.findall(r"^(\w+)\s+NOTIFICATION-TYPE$", (BUILD / "mibs" / f"{module}.txt").read_text(), re.MULTILINE)
    assert [name for name, *_ in found] == names
    for name, oid, severity, line in found:
        key, level, text = re.fullmatch(r"\[(\S+)] (\S+): (\S+)", ours[f"{name} {oid}"]).groups()
        assert re.search(rf": {re.escape(text)} \(alarm \$\d+, key {re.escape(key)}, severity {re.escape(level)}\)", line)
        assert severity in ("CRITICAL", "MAJOR", "WARNING", "NORMAL")


def start_icinga(fabric):
    """Icinga 2, and snmptrapd with the page's traphandle. Returns Icinga and the port of snmptrapd."""
    work, port = fabric.directory / "icinga", free_port()
    work.mkdir()
    config = FILES / "icinga/ibtrapd.conf"
    server = fabric.keep(Icinga(work, config, "ibtrapd", re.search('password = "(.*)"', config.read_text())[1]))
    access = work / "ibtrapd-icinga.conf"
    access.write_text(pages.adapted(pages.block("trap-receivers", "ini", "[icinga]"), {
        "https://localhost:5665": server.url, "/var/lib/icinga2/certs/ca.crt": server.ca}))
    traps = work / "snmptrapd.conf"
    traps.write_text(pages.adapted(pages.block("trap-receivers", "snmptrapd", "icinga"), {
        "/usr/local/sbin/ibtrapd-icinga": f"{FILES}/icinga/ibtrapd-icinga {access}"}))
    start_snmptrapd(fabric, traps, port, *BARE_NAMES)
    return server, port


@pytest.mark.skipif(not PROGRAM, reason="icinga2 is not installed")
def test_icinga_has_a_service_for_each_alarm(fabric):
    """A real Icinga 2: the service of an alarm has the alarm's state and sentence; what ended a day ago is removed."""
    server, port = start_icinga(fabric)
    gateway = break_and_mend(fabric, f"127.0.0.1:{port}", sets=["sma", "own"])
    fabric.unlink("leaf1", 12)
    fabric.unlink("node1")
    wait_until(lambda: {"link-down", "host-removed"} <= set(alarms(gateway)), "more alarms to begin")

    def states(services):
        return {name.removeprefix("ibtrapd!"): (int(one["state"]), one["last_check_result"]["output"])
                for name, one in services.items() if one["last_check_result"]}

    server.wait_services(lambda services: states(services) == as_services(gateway), "the alarms in Icinga")
    assert {state for state, _ in as_services(gateway).values()} == {0, 1, 2}
    # The alarm that ended becomes old; the next end removes its service.
    program = (FILES / "icinga/ibtrapd-icinga").read_text()
    hasty = fabric.directory / "icinga/hasty"
    hasty.write_text(program.replace("DAY_S = 86400", "DAY_S = -5"))
    subprocess.run(["/usr/bin/python3", hasty, fabric.directory / "icinga/ibtrapd-icinga.conf"], check=True, text=True,
                   input="".join(f"{line}\n" for line in notification_lines(program, AlarmState=3, AlarmKey='"another"')))
    assert states(server.services()) == open_services(gateway)


def notification_lines(program, **values):
    """What snmptrapd gives a traphandle, for the objects that the program names."""
    oids = ast.literal_eval(re.search("^OIDS = (.*)", program, re.MULTILINE)[1])
    return ["gw1", "UDP: [127.0.0.1]:1->[127.0.0.1]:162", *(f"{oids[name]} {value}" for name, value in values.items())]


def varbinds_text(trap, named):
    """A trap as the event console of Checkmk has it, with and without the modules."""
    def name(oid):
        return f"IBTRAPD-MIB::{named[oid]}" if oid in named else oid
    return ", ".join(f"{name(one.oid)}: {text_of(one.value)}" for one in trap.varbinds)


class EventConsole:
    """Stands in for Checkmk's: its rules for groups, cancellation and state, as cmk/ec has them."""

    def __init__(self):
        pack = {"rule_packs": []}
        exec((FILES / "checkmk.mk").read_text(), pack)
        [self.rule] = pack["rule_packs"][0]["rules"]
        self.open = {}

    def take(self, text):
        def groups(pattern):
            found = re.search(pattern, text, re.IGNORECASE)
            return found and found.groups("")
        if (ends := groups(self.rule["match_ok"])) is not None:
            self.open = {begin: state for begin, state in self.open.items() if begin[:len(ends)] != ends[:len(begin)]}
        elif (begins := groups(self.rule["match"])) is not None:
            states = self.rule["state"][1]
            state = next((int(n) for n in "210" if n in states and re.search(states[n], text, re.IGNORECASE)), 3)
            shown = self.rule["set_text"]
            for number, group in enumerate(begins, 1):
                shown = shown.replace(rf"\{number}", group)
            self.open[begins] = (state, shown)


def state_of(kind, severity):
    """The state of a service."""
    return 0 if kind == "cleared" else 1 if SEVERITIES.get(severity, "Normal") in ("Warning", "Normal") else 2


def as_services(gateway):
    """Of each alarm that there was: its state as a service, and its last sentence."""
    last = {}
    for event in sorted(events(gateway), key=lambda one: one["number"]):
        kind, key, severity, text = said(event)
        if kind in ("raised", "cleared"):
            last[key] = state_of(kind, severity), text
    return last


def open_services(gateway):
    return {key: (state, text) for key, (state, text) in as_services(gateway).items() if state}


def tell_all(fabric, traps, block):
    """A gateway with the page's sets for a receiver: alarms begin, one ends. Waits until the receiver has all."""
    sets = re.search(r"sets = {(.*)}", block)[1].replace('"', "").split(", ")
    gateway = break_and_mend(fabric, traps.address, sets=sets, inform=False)
    fabric.unlink("leaf1", 12)
    fabric.unlink("node1")
    wait_until(lambda: {"link-down", "host-removed"} <= set(alarms(gateway)), "more alarms to begin")
    wait_until(lambda: {text for kind, *_, text in map(said, events(gateway)) if kind != "none"} <= {
        text_of(varbind.value) for trap in traps.poll() for varbind in trap.varbinds}, "the notifications")
    return gateway


def test_checkmk_pairs_begin_and_end_of_an_alarm(fabric):
    """Checkmk is not here: its rules on the gateway's traps, before each of which come the traps so far, with names."""
    named = {}
    for name, oid in re.findall(r"'(\w+)': '\.([\d.]+)'", (FILES / "icinga/ibtrapd-icinga").read_text()):
        named[oid] = f"ibtrapd{name}.0"
    with TrapSocket() as traps:
        gateway = tell_all(fabric, traps, pages.block("trap-receivers", "ibtrapd", "checkmk"))
        for names in {}, named:
            console, begun = EventConsole(), set()
            for trap in traps.items:
                console.take(varbinds_text(trap, names))
                begun |= {key for key, *_ in console.open}
            assert {key: (state, shown) for (key, _), (state, shown) in console.open.items()} == {
                key: (state, f"{text} [{key}]") for key, (state, text) in open_services(gateway).items()}
            assert len(begun) > len(console.open)


class DynamicServices:
    """Stands in for Centreon: its traps as CLAPI made them, centreontrapd's rules, and a slot for each key."""

    def __init__(self):
        self.traps, self.slots = {}, {}
        for line in (FILES / "centreon.clapi").read_text().splitlines():
            what, action, name, *rest = line.split(";")
            if (what, action) == ("TRAP", "ADD"):
                assert name not in self.traps
                self.traps[name] = {"oid": rest[0], "rules": []}
            elif action == "SETPARAM":
                [item, value] = rest
                assert len(value) < 256
                self.traps[name][item] = value
            elif action == "ADDMATCHING":
                self.traps[name]["rules"].append(rest)

    def take(self, trap):
        def filled(text):
            for number, one in enumerate(trap.varbinds, 1):
                text = re.sub(rf"\${number}([^0-9]|$)", lambda found, one=one: text_of(one.value) + found[1], text)
            return text
        [its] = [one for one in self.traps.values() if one["oid"] == f".{trap.oid}"]
        status = next((number for text, pattern, number in its["rules"] if re.search(pattern, filled(text))), "0")
        words = shlex.split(filled(its["execution_command"].replace("@STATUS@", status)))
        given = dict(zip(words[1::2], words[2::2]))
        if given["--status"] == "0":
            self.slots.pop(given["--id"], None)
        else:
            self.slots[given["--id"]] = int(given["--status"])


def test_centreon_pairs_begin_and_end_of_an_alarm(fabric):
    with TrapSocket() as traps:
        gateway = tell_all(fabric, traps, pages.block("trap-receivers", "ibtrapd", "nms.example"))
        centreon, begun = DynamicServices(), set()
        for trap in traps.items:
            centreon.take(trap)
            begun |= set(centreon.slots)
    assert {slot.rsplit(" ", 2)[0]: state for slot, state in centreon.slots.items()} == {
        key: state for key, (state, _) in open_services(gateway).items()}
    assert len(begun) > len(centreon.slots)
