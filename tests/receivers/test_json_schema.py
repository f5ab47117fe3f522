# SPDX-License-Identifier: BSD-2-Clause
"""The JSON Schemas of the package, and events and alarms of every kind against them.

The schemas let consumers take what later versions add. Here they are closed: a member that a schema
does not name, and a word that a schema does not have, is a mistake.
"""

import copy
import json
import subprocess

import pytest
from conftest import BUILD
from jsonschema import Draft202012Validator, FormatChecker

SCHEMAS = {"json": "event", "cloudevents": "event-cloudevents", "ecs": "event-ecs", "alarm": "alarm"}


def schema_of(what):
    return json.loads((BUILD / "config" / f"ibtrapd-{SCHEMAS[what]}-1.schema.json").read_text())


def closed(schema):
    """The schema without what is open to later versions."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(value) for name, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        found["additionalProperties"] = False
    if isinstance(schema.get("examples"), list):
        found["enum"] = schema["examples"]
    return found


def records(what):
    program = BUILD / "tests" / "receivers" / "json_records"
    lines = subprocess.run([program, what], check=True, stdout=subprocess.PIPE, timeout=300).stdout.decode("utf-8")
    return [json.loads(line) for line in lines.splitlines()]


def mistakes(schema, record):
    validator = Draft202012Validator(schema, format_checker=FormatChecker())
    return [f"{error.json_path}: {error.message}"[:300] for error in validator.iter_errors(record)]


@pytest.mark.parametrize("what", SCHEMAS)
def test_every_record_is_as_its_schema_says(what):
    schema = schema_of(what)
    Draft202012Validator.check_schema(schema)
    found = records(what)
    assert len(found) > 40
    strict = closed(schema)
    wrong = {mistake for record in found for mistake in mistakes(strict, record)}
    assert not wrong, sorted(wrong)[:20]
    kinds = set(schema["$defs"]["event"]["examples"])
    assert what == "alarm" or {record.get("event") if what == "json" else
                               record["type"][len("ibtrapd."):] if what == "cloudevents" else
                               record["event"]["action"] for record in found} == kinds


@pytest.mark.parametrize("what", SCHEMAS)
def test_no_member_of_a_schema_is_without_a_record(what):
    """Else the schema promises what no gateway writes."""
    schema = schema_of(what)
    found = records(what)
    own = [record.get({"cloudevents": "data", "ecs": "ibtrapd"}.get(what), record) for record in found]
    named = schema["$defs"].get("eventObject", schema)["properties"]
    written = {name for record in own for name in record}
    assert set(named) - written == ({"time", "text", "raw"} if what == "ecs" else set())
    assert set(schema.get("properties", {})) <= {name for record in found for name in record}


def test_a_schema_refuses_what_is_wrong():
    schema, good = schema_of("json"), records("json")[0]

    def changed(**members):
        return {name: value for name, value in {**good, **members}.items() if value is not None}

    assert not mistakes(schema, good)
    for wrong in [{"id": None}, {"time": None}, {"time": 7}, {"severity": "bad"}, {"event": 1},
                  {"subnetPrefix": "fe80::"}, {"subjectLid": "7"}, {"subjectLid": -1}, {"test": "true"}]:
        assert mistakes(schema, changed(**wrong)), wrong


def test_a_field_of_the_catalogue_is_required_of_its_events():
    schema = schema_of("json")
    events = {record["event"]: record for record in records("json")}
    short = copy.deepcopy(events["bad-mkey"])
    del short["mkey"]
    assert mistakes(schema, short)


def test_a_schema_takes_what_a_later_version_adds():
    schema = schema_of("json")
    later = dict(records("json")[0], event="event-of-tomorrow", category="weather", colour="red")
    assert not mistakes(schema, later)
