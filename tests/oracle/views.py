# SPDX-License-Identifier: BSD-2-Clause
"""What a receiver believes, from what it received alone, and what it ought to believe."""

import fnmatch
import re
from dataclasses import dataclass

from oracle.nets import End
from oracle.truth import is_about_fabric, is_about_many

RAISED, CLEARED = "raised", "cleared"
SEVERITIES = ["emergency", "alert", "critical", "error", "warning", "notice", "informational", "debug"]
ENDS = re.compile(r"0x([0-9a-f]{16})/(\d+)")
GUID = re.compile(r"0x([0-9a-f]{16})")


@dataclass(frozen=True)
class Message:
    """One event at a receiver, whatever its form. Ends are (GUID of the node, name, port), None: unknown. sender: of
    one run of one gateway; empty: this form does not say."""

    id: str
    event: str
    state: str | None
    key: str
    clears: str
    text: str
    subject: tuple
    peer: tuple
    sender: str = ""

    def __str__(self):
        return f"{self.id[-6:]} {self.event} {self.state or ''} {self.key}" + (
            f" clears {self.clears[-6:]}" if self.clears else "")


def of_fields(fields, text, sender=""):
    """A message from the fields of structured data or of a JSON object."""
    def end(who):
        guid = fields.get(f"{who}NodeGuid")
        return guid and int(guid, 16), fields.get(f"{who}Name"), int(fields.get(f"{who}Port", 0))

    state = fields.get("alarmState")
    return Message(fields["id"], fields["event"], state if state in (RAISED, CLEARED) else None,
                   fields.get("alarmKey", ""), fields.get("clearsId", ""), text, end("subject"), end("peer"), sender)


@dataclass(frozen=True)
class Filter:
    """The items of a receiver's section that filter, and what they mean, written from the manual."""

    severity: str | None = None
    events: tuple = ()
    categories: tuple = ()
    nodes: tuple = ()

    @property
    def items(self):
        lists = {"events": self.events, "categories": self.categories, "nodes": self.nodes}
        return {"severity": self.severity, **{name: list(one) for name, one in lists.items() if one}}

    def wants(self, alarm):
        """True, False, or None: unknown. The event of a node's loss also names where the node hung."""
        if self.severity and SEVERITIES.index(alarm.severity) > SEVERITIES.index(self.severity):
            return False
        if self.events and not _matches(self.events, {alarm.event}):
            return False
        if self.categories and not _matches(self.categories, {alarm.category}):
            return False
        if not self.nodes or _matches(self.nodes, alarm.names):
            return True
        return None if alarm.key.startswith("node ") else False


def _matches(patterns, words):
    return any(fnmatch.fnmatchcase(word, pattern) for pattern in patterns for word in words)


class View:
    """The alarms that a receiver believes to be active: raised less cleared, in the order of arrival."""

    def __init__(self, name, receiver_filter=None):
        self.name = name
        self.filter = receiver_filter or Filter()
        self.messages = []
        self.active = {}  # by alarm key: the message that raised it
        self.faults = []
        self._ids = {}

    def take(self, message):
        """A receiver may get an event again, with the same identifier."""
        if message.id in self._ids:
            if self._ids[message.id] != (message.event, message.key):
                self.faults.append(f"one identifier for two events: {message}")
            return
        self._ids[message.id] = (message.event, message.key)
        self.messages.append(message)
        if message.state is None:
            return
        if not message.key:
            self.faults.append(f"no alarm key: {message}")
        elif message.state == RAISED:
            self.active[message.key] = message
        else:
            self._clear(message)

    def _clear(self, message):
        if message.clears and message.clears not in self._ids:
            self.faults.append(f"it clears an event that never came: {message}")
        elif self._ids.get(message.clears, (None, message.key))[1] != message.key:
            self.faults.append(f"it clears another alarm's event: {message}")
        self.active.pop(message.key, None)

    def compare(self, alarms, excused, others_end):
        """The differences from the truth. alarms: all true alarms by key; excused(key): whether this receiver need not be
        told of it; others_end: no alarm that is not about the fabric is active either."""
        told = {key for key in self.active if is_about_fabric(key)}
        differences = [f"believes, and is not true: {self.active[key]}" for key in sorted(told - set(alarms))]
        for key, alarm in sorted(alarms.items()):
            wants = self.filter.wants(alarm)
            if key in told and wants is False:
                differences.append(f"was told, against its filter: {self.active[key]}")
            elif key not in told and wants and not excused(key):
                differences.append(f"was not told: {alarm.event} {key}")
        is_missed = any(key.startswith("node ") for key in alarms)
        if others_end:
            differences += [f"still believes: {message}" for key, message in sorted(self.active.items())
                            if not is_about_fabric(key) and not (is_about_many(key) and is_missed)]
        return [f"{self.name}: {one}" for one in self.faults + differences]


def different_orders(views, of_one_gateway=True):
    """Two receivers get the common events of one alarm key in the same order. Nobody knows the order of what two
    gateways send, as each has its own paths to the receivers: after a handover, both may send the end of an alarm."""
    senders = {message.id: message.sender for view in views for message in view.messages if message.sender}

    def stories_of(view):
        stories = {}
        for message in view.messages:
            if message.state:
                sender = None if of_one_gateway else senders.get(message.id)
                stories.setdefault((message.key, sender), []).append(message.id)
        return stories

    first, *others = views
    stories, found = stories_of(first), []
    for other in others:
        for subject, story in stories_of(other).items():
            here = stories.get(subject, [])
            common = set(story) & set(here)
            if [one for one in story if one in common] != [one for one in here if one in common]:
                found.append(f"{first.name} and {other.name}: the events of {subject[0]} came in different orders")
    return found


def wrong_names(net, message):
    """What an alarm of the fabric says about its subject must be right: its names, and both ends of a link."""
    if not message.state or not is_about_fabric(message.key) or message.event not in EVENTS:
        return []
    guids = [int(guid, 16) for guid in GUID.findall(message.key)]
    found = [f"names {name!r} for {net.name(guid)}: {message}" for guid, name, _ in (message.subject, message.peer)
             if guid in net.nodes and name is not None and name != net.name(guid)]
    found += [f"the sentence lacks {net.name(guid)}: {message} {message.text!r}" for guid in guids
              if net.name(guid) not in message.text]
    if message.subject[0] is None:
        return found  # this form does not say
    if message.key.startswith("node ") and message.subject[0] != guids[0]:
        found.append(f"is about another node: {message}")
    if "link " in message.key:
        ends = {End(int(guid, 16), int(port)) for guid, port in ENDS.findall(message.key)}
        if {End(message.subject[0], message.subject[2]), End(message.peer[0], message.peer[2])} != ends:
            found.append(f"has other ends: {message} {message.subject} {message.peer}")
    return found


# Events that are about the subject of their alarm key and whose sentence names it.
EVENTS = {f"{kind}-{what}" for kind in ("switch", "host", "router") for what in ("removed", "added")} | {
    "link-down", "link-up", "link-degraded", "link-restored"}
