# SPDX-License-Identifier: BSD-2-Clause
"""The promises that ibtrapd must keep however it ends. Records the Reports sent, their outcome, and the events at
receivers."""


class Violation(Exception):
    """ibtrapd broke a promise."""


# Each promise by its name in a Violation.
PROMISES = {
    "number": "an event keeps its number in the journal, and two events have two",
    "answer": "an answer belongs to a Report that was sent",
    "invented": "receivers get events of Reports that were sent, and no others",
    "standby": "what came while the gateway stood by is for the other one to tell",
    "once": "a Report and its repeats are one event, whenever they arrive",
    "lost": "a receiver gets every acknowledged event, also after a kill, a reload, another name, retention",
    "order": "a receiver gets events in the order of their numbers",
    "agreement": "two receivers get their common events in the same order",
    "retention": "no event is counted as lost while none is, and none is while there is room",
    "file": "the journal's file is sound after a kill, and none was set aside",
}


def expect(holds, promise, what):
    if not holds:
        raise Violation(f"{promise} ({PROMISES[promise]}): {what}")


class Model:
    """A Report is a number; an event is the number in it and its identifier."""

    def __init__(self):
        self.sent = set()
        self.acknowledged = set()
        self.uncertain = set()  # sent while the gateway may have been standby: receivers may get them or not
        self.held = set()  # acknowledged while the gateway was standby for certain: receivers must not get them
        self.places = {}  # identifier: sequence number in the journal

    def journalled(self, rows):
        """Rows of the journal: (sequence number, identifier)."""
        for sequence, identifier in rows:
            known = self.places.setdefault(identifier, sequence)
            expect(known == sequence, "number", f"event {identifier} was number {known} of the journal and is {sequence}")
        expect(len(set(self.places.values())) == len(self.places), "number", "two events have one number in the journal")

    @property
    def due(self):
        """The events that every receiver must get in the end."""
        return self.acknowledged - self.uncertain - self.held

    def missing(self, events):
        return self.due - {number for number, _ in events}

    def check(self, receivers):
        """receivers: for each name, the (number, identifier) that arrived, in order, repeats included."""
        identifiers = {}
        for name, events in receivers.items():
            for number, identifier in events:
                expect(number in self.sent, "invented", f"{name}: nobody sent {number}")
                expect(number not in self.held, "standby", f"{name}: {number} is for the other gateway to tell")
                first = identifiers.setdefault(number, identifier)
                expect(first == identifier, "once", f"{name}: {number} is event {first} and event {identifier}")
            missing = self.missing(events)
            expect(not missing, "lost", f"{name}: lost {sorted(missing)[:10]}, {len(missing)} in all")
            self._check_order(name, events)
        self._check_agreement(receivers)

    def _check_order(self, name, events):
        last = 0
        for identifier in dict.fromkeys(identifier for _, identifier in events):
            place = self.places.get(identifier)  # None: retention dropped the row before the test saw it
            expect(place is None or place > last, "order", f"{name}: event {identifier}, number {place}, came after {last}")
            last = place or last

    def _check_agreement(self, receivers):
        """Two receivers get their common events in the same order."""
        firsts = {name: list(dict.fromkeys(identifier for _, identifier in events))
                  for name, events in receivers.items()}
        (reference, order), *others = firsts.items()
        for name, other in others:
            common = set(order) & set(other)
            expect([one for one in order if one in common] == [one for one in other if one in common],
                   "agreement", f"{name} and {reference} got the events in different orders")
