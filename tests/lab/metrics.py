# SPDX-License-Identifier: BSD-2-Clause
"""A strict reader of the metrics that Prometheus scrapes: the text format 0.0.4."""

import http.client
import math
import re
from dataclasses import dataclass, field

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|\+Inf|-Inf|NaN", re.IGNORECASE)
UNFIT = {"counter", "gauge", "histogram", "summary", "ms", "milliseconds", "us", "microseconds", "minutes", "hours", "days",
         "kilobytes", "megabytes", "bits", "percent"}  # in names
TYPES = {"counter", "gauge", "histogram", "summary", "untyped"}
ESCAPED = {"\\": "\\", '"': '"', "n": "\n"}


class FormatError(Exception):
    """The text violates the format."""


@dataclass
class Family:
    name: str
    help: str
    type: str
    samples: dict = field(default_factory=dict)  # by name and sorted labels


class Line:
    """A reader of one line, from left to right."""

    def __init__(self, text):
        self.text, self.place = text, 0

    def take(self, pattern, what):
        found = pattern.match(self.text, self.place)
        if not found:
            raise FormatError(f"{what} expected at column {self.place} of {self.text!r}")
        self.place = found.end()
        return found[0]

    def take_text(self, text):
        if not self.text.startswith(text, self.place):
            raise FormatError(f"{text!r} expected at column {self.place} of {self.text!r}")
        self.place += len(text)

    def skip_text(self, text):
        """Skips the text if it comes next; returns whether it did."""
        found = self.text.startswith(text, self.place)
        self.place += len(text) if found else 0
        return found

    def take_quoted(self):
        self.take_text('"')
        value = ""
        while not self.skip_text('"'):
            if self.place >= len(self.text):
                raise FormatError(f"no closing quote in {self.text!r}")
            char = self.text[self.place]
            if char == "\\":
                self.place += 1
                char = ESCAPED.get(self.text[self.place: self.place + 1])
                if char is None:
                    raise FormatError(f"bad escape in {self.text!r}")
            value += char
            self.place += 1
        return value

    def take_labels(self):
        labels = {}
        if not self.skip_text("{"):
            return labels
        while True:
            name = self.take(LABEL, "a label")
            if name in labels:
                raise FormatError(f"label {name} twice in {self.text!r}")
            self.take_text("=")
            labels[name] = self.take_quoted()
            if self.skip_text("}"):
                return labels
            self.take_text(",")

    def take_end(self):
        if self.place != len(self.text):
            raise FormatError(f"more than expected at column {self.place} of {self.text!r}")


def read_sample(text):
    """Returns name, labels, value."""
    line = Line(text)
    name = line.take(METRIC, "a metric")
    labels = line.take_labels()
    line.take_text(" ")
    value = line.take(NUMBER, "a number")
    line.take_end()
    return name, labels, float(value)


def belongs(name, family):
    suffixes = {"histogram": ("_bucket", "_sum", "_count")}.get(family.type, ("",))
    return name in {family.name + suffix for suffix in suffixes}


def check_names(family):
    if family.type == "counter" and not family.name.endswith("_total"):
        raise FormatError(f"the counter {family.name} does not end with _total")
    if family.type != "counter" and family.name.endswith("_total"):
        raise FormatError(f"{family.name} is no counter")
    if words := set(family.name.split("_")) & UNFIT:
        raise FormatError(f"{family.name} has {words}, which promtool takes for a type or for no base unit")


def check_values(family):
    for (name, _), value in family.samples.items():
        if family.type in ("counter", "histogram") and not value >= 0:
            raise FormatError(f"{name} is {value}")


def check_histogram(family):
    """Checks a histogram: buckets in order and cumulative, the one of +Inf equal to the count; each has a sum and a
    count."""
    series = {}
    for (name, labels), value in family.samples.items():
        labels = dict(labels)
        limit = labels.pop("le", None)
        if (limit is None) == name.endswith("_bucket"):
            raise FormatError(f"le is for buckets: {name}")
        one = series.setdefault(tuple(sorted(labels.items())), {"buckets": []})
        if limit is None:
            one[name.removeprefix(family.name)] = value
        else:
            one["buckets"].append((float(limit), value))
    for one in series.values():
        limits, counts = zip(*one["buckets"])
        if list(limits) != sorted(set(limits)) or limits[-1] != math.inf:
            raise FormatError(f"the buckets of {family.name} are not in order: {limits}")
        if list(counts) != sorted(counts) or counts[-1] != one["_count"] or "_sum" not in one:
            raise FormatError(f"the buckets of {family.name} do not add up: {one}")


def parse(text):
    """The families by name. The help, the type and all samples of a family must be contiguous."""
    if not text.endswith("\n") or "\r" in text:
        raise FormatError("every line ends with a line feed")
    families, current, open_help = {}, None, None
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            open_help = line[7:].split(" ", 1)
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            if kind not in TYPES or name in families or open_help is None or open_help[0] != name:
                raise FormatError(f"{line!r} is of no use here")
            current = families[name] = Family(name, open_help[1], kind)
            open_help = None
            check_names(current)
        else:
            name, labels, value = read_sample(line)
            key = name, tuple(sorted(labels.items()))
            if current is None or open_help or not belongs(name, current) or key in current.samples:
                raise FormatError(f"{line!r} does not belong here")
            current.samples[key] = value
    for family in families.values():
        check_values(family)
        if family.type == "histogram":
            check_histogram(family)
    return families


class Metrics:
    """One scrape of the metrics."""

    def __init__(self, text):
        self.families = parse(text)
        self.samples = {key: value for family in self.families.values() for key, value in family.samples.items()}

    def __getitem__(self, name):
        return self.get(name)

    def get(self, name, **labels):
        return self.samples[name, tuple(sorted(labels.items()))]

    def all_of(self, name):
        """The samples with that name: labels and value."""
        return [(dict(labels), value) for (one, labels), value in self.samples.items() if one == name]


def request(port, method="GET", path="/metrics", body=None):
    """Returns the response with its body read, as `text`."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        response.text = response.read().decode()
        return response
    finally:
        connection.close()


def scrape(port):
    response = request(port)
    if response.status != 200 or response.getheader("Content-Type") != CONTENT_TYPE:
        raise FormatError(f"{response.status} {response.getheader('Content-Type')}")
    return Metrics(response.text)
