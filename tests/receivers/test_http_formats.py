# SPDX-License-Identifier: BSD-2-Clause
"""The bodies of the receiver kind http, by the rules of their readers.

http_bodies writes a test event of every kind in the catalogue in one format, as the sink does. Each
check here is written from the reader's public specification and shares nothing with the gateway:
CloudEvents 1.0 (JSON format, JSON schema, batches), OTLP 1.x (its messages and the JSON mapping of
protobuf), Loki's push API, Splunk's HTTP Event Collector, Elasticsearch's bulk API with ECS 8. What
the events are about is known from the lines that the kind file would write.
"""

import datetime
import json
import re
import subprocess
from urllib.parse import urlsplit

import pytest
from conftest import BUILD

BODIES = BUILD / "tests" / "receivers" / "http_bodies"
pytestmark = pytest.mark.skipif(not BODIES.exists(), reason="built without libcurl")

HOST = "gw1.example.org"
SEVERITY_NUMBERS = {  # of OpenTelemetry, for the severities of syslog
    "emergency": 21, "alert": 19, "critical": 18, "error": 17,
    "warning": 13, "notice": 10, "informational": 9, "debug": 5,
}  # fmt: skip
UUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}")


def strict(text):
    """Reads JSON, and refuses names that occur twice and numbers that JSON does not have."""

    def members(pairs):
        names = [name for name, _ in pairs]
        assert len(set(names)) == len(names), names
        return dict(pairs)

    def constant(word):
        raise ValueError(word)

    return json.loads(text, object_pairs_hook=members, parse_constant=constant)


def written(what):
    return subprocess.run([BODIES, what], check=True, stdout=subprocess.PIPE, timeout=300).stdout.decode("utf-8")


@pytest.fixture(scope="module")
def events():
    """What happened: one JSON object for each event."""
    found = [strict(line) for line in written("lines").split("\n")[:-1]]
    assert len(found) > 100
    assert len({event["id"] for event in found}) == len(found)
    assert {event["fabric"] for event in found} == {"halle-2"}
    return found


def bodies(what):
    """The bodies of the requests; the program ends each with a NUL."""
    found = written(what).split("\0")
    assert found.pop() == "" and found
    return found


def microseconds(event):
    when = datetime.datetime.strptime(event["time"], "%Y-%m-%dT%H:%M:%S.%fZ")
    return (when - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)


def fields(event, *but):
    return {name: value for name, value in event.items() if name not in ("time", "text", *but)}


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value)


# JSON and CloudEvents.


def test_json_is_an_array_of_all_events(events):
    assert [event for body in bodies("json") for event in strict(body)] == events


def check_cloudevent(cloud, event):
    assert isinstance(cloud, dict)
    for name, value in cloud.items():  # CloudEvents 3.1: names; JSON format 2.2: types
        assert re.fullmatch(r"[a-z0-9]{1,20}", name) or name == "data", name
        if name != "data":
            assert isinstance(value, (str, bool)) or (isinstance(value, int) and abs(value) < 2**31), (name, value)
            assert value != "", name
    assert cloud["specversion"] == "1.0"
    assert cloud["id"] == event["id"]
    assert cloud["type"] == f"ibtrapd.{event['event']}"
    source = urlsplit(cloud["source"])
    assert (source.scheme, source.netloc, source.path) == ("", HOST, "/ibtrapd/halle-2")
    assert cloud["time"] == event["time"]
    assert cloud["datacontenttype"] == "application/json" and cloud["dataschema"] == "urn:ibtrapd:event:1"
    assert "data_base64" not in cloud
    assert cloud["severitynumber"] == SEVERITY_NUMBERS[event["severity"]]  # extension `severity`
    assert cloud["severitytext"] == event["severity"]
    assert cloud["data"] == event


def test_cloudevents_structured(events):
    found = [strict(body) for body in bodies("cloudevents")]
    assert len(found) == len(events)
    for cloud, event in zip(found, events):
        check_cloudevent(cloud, event)


def test_cloudevents_batched(events):
    found = [cloud for body in bodies("cloudevents-batch") for cloud in strict(body)]
    assert len(found) == len(events)
    for cloud, event in zip(found, events):
        check_cloudevent(cloud, event)


# OTLP.

# The messages that a request of logs consists of: field -> its type in the JSON mapping. Another
# message is its name, a list repeats it. Fields that ibtrapd has no use for are there as well.
KEY_VALUES = ["KeyValue"]
OTLP = {
    "ExportLogsServiceRequest": {"resourceLogs": ["ResourceLogs"]},
    "ResourceLogs": {"resource": "Resource", "scopeLogs": ["ScopeLogs"], "schemaUrl": str},
    "Resource": {"attributes": KEY_VALUES, "droppedAttributesCount": int},
    "ScopeLogs": {"scope": "InstrumentationScope", "logRecords": ["LogRecord"], "schemaUrl": str},
    "InstrumentationScope": {"name": str, "version": str, "attributes": KEY_VALUES, "droppedAttributesCount": int},
    "LogRecord": {
        "timeUnixNano": "uint64", "observedTimeUnixNano": "uint64", "severityNumber": int, "severityText": str,
        "body": "AnyValue", "attributes": KEY_VALUES, "droppedAttributesCount": int, "flags": int,
        "traceId": str, "spanId": str, "eventName": str,
    },
    "KeyValue": {"key": str, "value": "AnyValue"},
    "AnyValue": {"stringValue": str, "boolValue": bool, "intValue": "int64", "doubleValue": float},
}  # fmt: skip
LIMITS = {"uint64": (0, 2**64 - 1), "int64": (-(2**63), 2**63 - 1)}


def check_message(kind, value):
    if isinstance(kind, list):
        assert isinstance(value, list), value
        for item in value:
            check_message(kind[0], item)
    elif kind in LIMITS:  # a decimal string
        assert re.fullmatch(r"-?(0|[1-9][0-9]*)", value), value
        assert LIMITS[kind][0] <= int(value) <= LIMITS[kind][1], value
    elif isinstance(kind, type):
        assert type(value) is kind, (kind, value)
    else:
        assert isinstance(value, dict) and set(value) <= set(OTLP[kind]), (kind, value)
        assert kind != "AnyValue" or len(value) == 1, value  # a oneof
        for name, member in value.items():
            check_message(OTLP[kind][name], member)


def attributes(pairs):
    found = {pair["key"]: next(iter(pair["value"].values())) for pair in pairs}
    assert len(found) == len(pairs), "a key occurs twice"
    assert "" not in found
    return found


def test_otlp(events):
    records = []
    for body in bodies("otlp"):
        request = strict(body)
        check_message("ExportLogsServiceRequest", request)
        for of_resource in request["resourceLogs"]:
            resource = attributes(of_resource["resource"]["attributes"])
            assert resource["service.name"] == "ibtrapd" and resource["host.name"] == HOST
            assert resource["service.version"]
            for of_scope in of_resource["scopeLogs"]:
                assert of_scope["scope"]["name"] and of_scope["scope"]["version"]
                records += of_scope["logRecords"]
    assert len(records) == len(events)
    for record, event in zip(records, events):
        assert int(record["timeUnixNano"]) == microseconds(event) * 1000
        assert record["severityNumber"] == SEVERITY_NUMBERS[event["severity"]]
        assert record["severityText"] == event["severity"]
        assert record["eventName"] == f"ibtrapd.{event['event']}"
        assert record["body"] == {"stringValue": event["text"]}
        wanted = {f"ibtrapd.{name}": value for name, value in fields(event, "id").items()}
        wanted["log.record.uid"] = event["id"]
        found = attributes(record["attributes"])
        assert {name: as_text(value) for name, value in found.items()} == {
            name: as_text(value) for name, value in wanted.items()
        }


# Loki.

LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def test_loki(events):
    entries, streams = [], set()
    for body in bodies("loki"):
        request = strict(body)
        assert set(request) == {"streams"}
        for stream in request["streams"]:
            assert set(stream) == {"stream", "values"}
            labels = stream["stream"]
            assert labels and all(LABEL.fullmatch(name) and isinstance(value, str) for name, value in labels.items())
            streams.add(tuple(sorted(labels.items())))
            for value in stream["values"]:
                when, line, metadata = value
                assert re.fullmatch(r"[1-9][0-9]*", when) and int(when) < 2**63
                assert isinstance(line, str) and line
                assert all(LABEL.fullmatch(name) and isinstance(text, str) for name, text in metadata.items())
                assert len(metadata) <= 128 and sum(map(len, [*metadata, *metadata.values()])) <= 64 * 1024
                entries.append((labels, int(when), line, metadata))
    assert len(entries) == len(events)
    assert len(streams) <= 8 * 11, "labels have few values, or Loki's index grows without end"
    assert all(len(stream) == 5 for stream in streams)
    for (labels, when, line, metadata), event in zip(entries, events):
        assert labels == {
            "service_name": "ibtrapd",
            "host": HOST,
            "level": event["severity"],
            "category": event["category"],
            "fabric": "halle-2",
        }
        assert when // 1000 == microseconds(event)
        assert line == event["text"]
        assert metadata == {name: as_text(value) for name, value in fields(event, "category", "fabric").items()}
    # Of two entries with the same labels, time and line Loki keeps one.
    assert len({(tuple(labels.items()), when, line) for labels, when, line, _ in entries}) == len(entries)


# Splunk.

SPLUNK = {"time", "host", "source", "sourcetype", "index", "event", "fields"}


@pytest.mark.parametrize("index", [None, "fabric"])
def test_splunk(events, index):
    found = []
    decoder = json.JSONDecoder()
    for body in bodies("splunk" if index is None else "splunk-index"):
        while body:  # objects one behind the other, without an array around them
            item, end = decoder.raw_decode(body)
            assert strict(body[:end]) == item
            body = body[end:].lstrip()
            found.append(item)
    assert len(found) == len(events)
    for item, event in zip(found, events):
        assert set(item) <= SPLUNK
        assert type(item["time"]) is float and round(item["time"] * 1e6) == microseconds(event)
        assert (item["host"], item["source"], item["sourcetype"]) == (HOST, "ibtrapd", "ibtrapd:event")
        assert item.get("index") == index
        assert item["event"] == event


# Elasticsearch.


@pytest.mark.parametrize("index", [None, "fabric"])
def test_elasticsearch(events, index):
    found = []
    for body in bodies("elasticsearch" if index is None else "elasticsearch-index"):
        assert body.endswith("\n")  # the last line, too
        lines = body[:-1].split("\n")
        assert len(lines) % 2 == 0 and all(lines)
        found += zip(map(strict, lines[0::2]), map(strict, lines[1::2]))
    assert len(found) == len(events)
    for (action, document), event in zip(found, events):
        assert set(action) == {"create"}, "only create knows a document that is there already"
        assert action["create"] == ({"_id": event["id"]} if index is None else {"_id": event["id"], "_index": index})
        assert len(event["id"].encode()) <= 512 and UUID.fullmatch(event["id"])
        assert document["@timestamp"] == event["time"]
        assert document["ecs"]["version"].startswith("8.")
        assert document["message"] == event["text"]
        assert document["event"]["id"] == event["id"]
        assert document["event"]["action"] == event["event"]
        assert document["event"]["kind"] in ("alert", "event")
        assert document["log"]["level"] == event["severity"]
        assert document["ibtrapd"] == fields(event, "raw")
