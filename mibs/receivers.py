#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes files for trap receivers from the MIB modules, the catalogue and fields.map.

    receivers.py --catalogue ROWS --fields fields.map --extra mib.c --out FOLDER MODULE.txt...

snmptt.conf is for snmptt, opennms-ibtrapd.events.xml for OpenNMS, librenms/ for LibreNMS, icinga/, centreon.clapi and
checkmk.mk for the managers of these names; annotated/ has the modules with notifications, with the comments that NNMi
and snmpttconvertmib read. All count on extra_varbinds: the objects of MIB_EXTRA follow those of a notification. So each
notification has state, key and severity of its alarm at a known place.
"""

import argparse
import pathlib
import re
from xml.sax.saxutils import escape

from generate import Modules, read_fields

ROW = re.compile(r"^EVENT\((.*?)\)$", re.S | re.M)
STRING = r'((?:\s*"(?:[^"\\]|\\.)*")+)'


class Case:
    """What one notification can mean: an alarm's end, a test, or a severity. `rules`: (field, labels, numbers)."""

    def __init__(self, name, rules, snmptt, opennms, category="ibtrapd"):
        self.name, self.rules, self.snmptt, self.opennms, self.category = name, rules, snmptt, opennms, category


# The first that fits holds. snmptt asks all, so that each excludes those before it by its own rules.
TEST = ("FIELD_TEST", ("true",), (1,))
CLEARED = ("FIELD_ALARM_STATE", ("cleared",), (3,))
RAISED = ("FIELD_ALARM_STATE", ("raised",), (2,))
NONE = ("FIELD_ALARM_STATE", ("none",), (1,))
REAL = ("FIELD_TEST", ("false",), (2,))
LEVELS = [
    (("emergency", "alert", "critical"), (0, 1, 2), "Critical", "Critical"),
    (("error",), (3,), "Major", "Major"),
    (("warning",), (4,), "Warning", "Warning"),
    (("notice", "informational", "debug"), (5, 6, 7), "Normal", "Normal"),
]
CASES = [Case("test", [TEST], "Normal", "Normal", "LOGONLY"), Case("cleared", [REAL, CLEARED], "Normal", "Cleared")]
CASES += [Case(state[1][0], [REAL, state, ("FIELD_SEVERITY", labels, numbers)], *severities)
          for state in (RAISED, NONE) for labels, numbers, *severities in LEVELS]

# --#SEVERITY and --#STATE of a notification whose rows have that severity.
NNM = {"EMERGENCY": "CRITICAL", "ALERT": "CRITICAL", "CRITICAL": "CRITICAL", "ERROR": "MAJOR", "WARNING": "WARNING"}
STATES = {"CRITICAL": "NONOPERATIONAL", "MAJOR": "NONOPERATIONAL", "WARNING": "DEGRADED"}


def text_of(row, member):
    found = re.search(rf"\.{member} = {STRING}", row)
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found[1])).replace('\\"', "'")


class Row:
    """A row of the catalogue."""

    def __init__(self, text):
        self.title, self.remedy = text_of(text, "title"), text_of(text, "remedy")
        self.severity = re.search(r"\.severity = SEVERITY_(\w+)", text)[1]
        self.notifications = set(re.findall(r"= &mib_(\w+)", text))


class Notification:
    """A notification with the places of its objects, and what its rows say of it."""

    def __init__(self, definition, modules, fields, extra, rows):
        self.name, self.module, self.oid = definition.name, definition.module, modules.oid(definition)
        objects = definition.listed("OBJECTS")
        objects += [name for name in extra if name not in objects or f"{self.name}.{name}" in fields]
        self.places = {fields[name][0]: objects.index(name) + 1 for name in extra}
        rows = [row for row in rows if self.name in row.notifications]
        titles = {row.title for row in rows}
        self.title = titles.pop() if len(titles) == 1 else f"{self.name} of ibtrapd"
        self.remedy = rows[0].remedy if len(rows) == 1 else "ibtrapctl explain NUMBER tells more."
        severities = {row.severity for row in rows}
        self.severity = NNM.get(severities.pop(), "NORMAL") if len(severities) == 1 else "NORMAL"

    def place(self, field):
        return self.places[field]


def head(comment, root):
    return [comment(line) for line in (
        f"Made by mibs/receivers.py of ibtrapd, for the IBTRAPD-MIB below {root}.",
        "ibtrapd's section for this receiver needs extra_varbinds = true. See doc/trap-receivers.md.")]


def snmptt(notifications, root):
    lines = head("# {}".format, root)
    for one in notifications:
        text, key = one.place("FIELD_TEXT"), one.place("FIELD_ALARM_KEY")
        for case in CASES:
            lines += ["", f'EVENT {one.name} .{".".join(map(str, one.oid))} "{case.category}" {case.snmptt}',
                      f"FORMAT {case.name} [${key}] ${one.place('FIELD_SEVERITY')}: ${text}", "MATCH MODE=and"]
            lines += [f"MATCH ${one.place(field)}: ({'|'.join(labels)}|^[{''.join(map(str, numbers))}]$)"
                      for field, labels, numbers in case.rules]
            lines += ["SDESC", one.title + ".", one.remedy, "EDESC"]
    return "\n".join(lines) + "\n"


def opennms_mask(one, case):
    *above, number = one.oid
    if above[-1] == 0:  # the trap's enterprise has no zero at its end
        above.pop()
    masks = [("id", "." + ".".join(map(str, above))), ("generic", 6), ("specific", number)]
    return "".join([
        "<mask>", *(f"<maskelement><mename>{name}</mename><mevalue>{value}</mevalue></maskelement>" for name, value in masks),
        *(f"<varbind><vbnumber>{one.place(field)}</vbnumber>"
          + "".join(f"<vbvalue>{number}</vbvalue>" for number in numbers) + "</varbind>"
          for field, _, numbers in case.rules), "</mask>"])


def opennms_alarm(one, case):
    key = f"%parm[#{one.place('FIELD_ALARM_KEY')}]%"
    if case.name == "raised":
        return f'<alarm-data reduction-key="ibtrapd:raised:{key}" alarm-type="1" auto-clean="false"/>'
    if case.name == "cleared":
        return (f'<alarm-data reduction-key="ibtrapd:cleared:{key}" alarm-type="2" clear-key="ibtrapd:raised:{key}" '
                'auto-clean="false"/>')
    return ""


def opennms(notifications, root):
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', *head("<!-- {} -->".format, root),
             '<events xmlns="http://xmlns.opennms.org/xsd/eventconf">']
    for one in notifications:
        text = f"%parm[#{one.place('FIELD_TEXT')}]%"
        for case in CASES:
            lines += [
                "<event>", opennms_mask(one, case), f"<uei>uei.opennms.org/vendor/ibtrapd/{one.name}/{case.name}</uei>",
                f"<event-label>ibtrapd: {escape(one.title)} ({case.name})</event-label>",
                f"<descr>{escape(one.title)}. {text}</descr>", f'<logmsg dest="logndisplay">{text}</logmsg>',
                f"<severity>{case.opennms}</severity>", f"<operinstruct>{escape(one.remedy)}</operinstruct>",
                opennms_alarm(one, case), "</event>"]
    return "\n".join(filter(None, lines + ["</events>", ""])) + "\n"


# Severities of LibreNMS, by those of snmptt.
LIBRENMS = {"Critical": "Error", "Major": "Error", "Warning": "Warning", "Normal": "Notice"}


def librenms(root):
    """A handler for all notifications: a line of the event log for each, whose reference is the alarm's key."""
    severities = "\n".join(f"        '{word}' => Severity::{LIBRENMS[snmptt]},"
                           for labels, numbers, snmptt, _ in LEVELS for word in (*labels, *numbers))
    states = ", ".join(f"'{word}' => '{labels[0]}'" for _, labels, numbers in (NONE, RAISED, CLEARED)
                       for word in (*labels, *numbers))
    return "\n".join(["<?php", *head("// {}".format, root), f"""
namespace LibreNMS\\Snmptrap\\Handlers;

use App\\Models\\Device;
use LibreNMS\\Enum\\Severity;
use LibreNMS\\Interfaces\\SnmptrapHandler;
use LibreNMS\\Snmptrap\\Trap;

class Ibtrapd implements SnmptrapHandler
{{
    private const SEVERITIES = [
{severities}
    ];
    private const STATES = [{states}];

    public function handle(Device $device, Trap $trap)
    {{
        $state = self::STATES[$this->word($trap, 'ibtrapdAlarmState')] ?? 'none';
        $severity = self::SEVERITIES[$this->word($trap, 'ibtrapdEventSeverity')] ?? Severity::Notice;
        $key = $this->value($trap, 'ibtrapdAlarmKey');
        if (in_array($this->word($trap, 'ibtrapdTest'), ['true', '1'])) {{
            $state = 'test';
        }}
        if ($state == 'cleared') {{
            $severity = Severity::Ok;
        }} elseif ($state == 'test') {{
            $severity = Severity::Info;
        }}
        $trap->log("$state [$key]: " . $this->value($trap, 'ibtrapdEventText'), $severity, 'ibtrapd', $key);
    }}

    private function value(Trap $trap, string $name): string
    {{
        $oid = $trap->findOid("IBTRAPD-MIB::$name.");

        return $oid ? (string) $trap->getOidData($oid) : '';
    }}

    private function word(Trap $trap, string $name): string
    {{
        return preg_replace('/\\(.*/', '', $this->value($trap, $name));
    }}
}}
"""])


def librenms_map(notifications, root):
    return "\n".join([*head("// {}".format, root), "// Lines for 'trap_handlers' in config/snmptraps.php of LibreNMS.",
                      *(f"        '{one.module}::{one.name}' => \\LibreNMS\\Snmptrap\\Handlers\\Ibtrapd::class," for one in notifications)]) + "\n"


# States of Nagios and its kin, by the severities of snmptt. An alarm of a notice is open, too.
STATES_OF_SERVICES = {"Critical": 2, "Major": 2, "Warning": 1, "Normal": 1}


def instance(modules, name):
    return ".".join(map(str, modules.oid(modules.get(name, "receivers.py")))) + ".0"


def icinga(template, modules, root):
    """The traphandle of mibs/, with the OIDs of the module and the words of all severities."""
    oids = {name: "." + instance(modules, f"ibtrapd{name}") for name in
            ("AlarmState", "AlarmKey", "EventSeverity", "EventText", "Test")}
    states = {str(word): STATES_OF_SERVICES[snmptt] for labels, numbers, snmptt, _ in LEVELS for word in (*labels, *numbers)}
    filled = template.replace("OIDS = {}", f"OIDS = {oids!r}").replace("STATES = {}", f"STATES = {states!r}")
    first, rest = filled.split("\n", 1)
    return "\n".join([first, *head("# {}".format, root), rest])


def centreon(notifications, root):
    """Commands of CLAPI: each notification calls the client of Centreon's dynamic services with the alarm's key."""
    lines = [f"VENDOR;ADD;ibtrapd;ibtrapd with its IBTRAPD-MIB below {root}."]
    for one in notifications:
        place = {field: f"${one.place('FIELD_' + field)}" for field in ("TEST", "ALARM_STATE", "ALARM_KEY", "SEVERITY", "TEXT")}
        # No sentence is in a command: a node may have a quotation mark in its name.
        title = one.title.translate(dict.fromkeys(map(ord, "';")))
        command = (f"/usr/share/centreon/bin/dsmclient.pl --Host @HOSTADDRESS@ --id '{place['ALARM_KEY']} {place['TEST']} ' "
                   f"--output '{title}: {place['ALARM_KEY']} ' --status @STATUS@ --time @TIME@")
        lines.append(f"TRAP;ADD;{one.name};.{'.'.join(map(str, one.oid))}")
        lines += [f"TRAP;SETPARAM;{one.name};{item};{value}" for item, value in (
            ("vendor", "ibtrapd"), ("output", f"{place['ALARM_KEY']} : {place['TEXT']} "), ("status", "OK"), ("matching_mode", 1),
            ("submit_result_enable", 0), ("execution_command_enable", 1), ("execution_command", command))]
        lines += [f"TRAP;ADDMATCHING;{one.name};{place['TEST']} {place['ALARM_STATE']} {place['SEVERITY']} ;"
                  f"^(false|2) (raised|2) ({'|'.join((*labels, *map(str, numbers)))}) ;{STATES_OF_SERVICES[snmptt]}"
                  for labels, numbers, snmptt, _ in LEVELS]
    return "\n".join(lines) + "\n"


def checkmk(modules, root):
    """A rule pack of Checkmk's event console. Its text of a trap is 'OID: VALUE, OID: VALUE'; the key stands behind the state.

    The first group of both patterns is the key: an end closes the events with that key. The key of a test is no key.
    """
    def means(name, *words):
        oid = re.escape(instance(modules, f"ibtrapd{name}"))
        return rf"(?:{oid}|IBTRAPD-MIB::ibtrapd{name}\.0): " + ("(?:" + "|".join(map(str, words)) + ")" if words else "")

    def pattern(state):
        return (f"^(?!.*{means('Test', *TEST[1], *TEST[2])}$)(?=.*{means('AlarmState', *state[1], *state[2])}, "
                rf"{means('AlarmKey')}(.*?), (?:1\.|IB))")

    def severity(state):
        return means("EventSeverity", *(word for labels, numbers, snmptt, _ in LEVELS if STATES_OF_SERVICES[snmptt] == state
                                        for word in (*labels, *numbers))) + ","
    rule = {
        "id": "ibtrapd-alarms", "description": "Alarms of ibtrapd", "comment": "", "docu_url": "", "disabled": False,
        "match": pattern(RAISED) + rf".*?{means('EventText')}(.*?), (?:1\.|IB)", "match_ok": pattern(CLEARED),
        "state": ("text_pattern", {"2": severity(2), "1": severity(1)}), "set_application": "ibtrapd", "set_text": r"\2 [\1]",
        "sl": {"value": 0, "precedence": "message"}, "actions": [], "autodelete": False}
    pack = {"id": "ibtrapd", "title": "ibtrapd", "disabled": False, "rules": [rule]}
    return "\n".join([*head("# {}".format, root), "rule_packs += \\", repr([pack])]) + "\n"


def annotated(path, notifications, root):
    """The module, with comments before the OID of each notification. Places count from 0 there."""
    text = path.read_text("ascii")
    for one in notifications:
        places = [one.place(f) for f in ("FIELD_TEXT", "FIELD_ALARM_STATE", "FIELD_ALARM_KEY", "FIELD_SEVERITY")]
        comments = "".join(f"    --#{line}\n" for line in (
            f'TYPE "{one.title}"', 'SUMMARY "%s (alarm %s, key %s, severity %s)"',
            f"ARGUMENTS {{{', '.join(str(place - 1) for place in places)}}}", f"SEVERITY {one.severity}",
            'TIMEINDEX 0', f"STATE {STATES.get(one.severity, 'OPERATIONAL')}"))
        text = re.sub(rf"(^{one.name}\s+NOTIFICATION-TYPE\b.*?)(^\s*::=)",
                      lambda found: found[1] + comments + found[2], text, count=1, flags=re.S | re.M)
    return "\n".join([*head("-- {}".format, root), text])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("catalogue", "fields", "extra", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("modules", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    modules, fields = Modules(arguments.modules), read_fields(arguments.fields)
    extra = re.findall(r"&mib_(\w+)", re.search(r"MIB_EXTRA = {(.*?)};", arguments.extra.read_text(), re.S)[1])
    rows = [Row(row) for row in ROW.findall(arguments.catalogue.read_text())]
    notifications = [Notification(one, modules, fields, extra, rows) for one in modules.notifications()]
    root = ".".join(map(str, modules.oid(modules.get("ibtrapdMIB", "receivers.py"))))
    (arguments.out / "annotated").mkdir(exist_ok=True)
    (arguments.out / "snmptt.conf").write_text(snmptt(notifications, root))
    (arguments.out / "opennms-ibtrapd.events.xml").write_text(opennms(notifications, root))
    (arguments.out / "librenms").mkdir(exist_ok=True)
    (arguments.out / "librenms/Ibtrapd.php").write_text(librenms(root))
    (arguments.out / "librenms/snmptraps.txt").write_text(librenms_map(notifications, root))
    (arguments.out / "icinga").mkdir(exist_ok=True)
    program = arguments.out / "icinga/ibtrapd-icinga"
    program.write_text(icinga((pathlib.Path(__file__).parent / "ibtrapd-icinga").read_text(), modules, root))
    program.chmod(0o755)
    config = (pathlib.Path(__file__).parent / "icinga.conf").read_text()
    (arguments.out / "icinga/ibtrapd.conf").write_text("\n".join([*head("// {}".format, root), config]))
    (arguments.out / "centreon.clapi").write_text(centreon(notifications, root))
    (arguments.out / "checkmk.mk").write_text(checkmk(modules, root))
    for path in arguments.modules:
        own = [one for one in notifications if one.module == path.stem]
        if own:
            (arguments.out / "annotated" / path.name).write_text(annotated(path, own, root))


main()
