# SPDX-License-Identifier: BSD-2-Clause
"""The receiver kind http at models of Elasticsearch, Loki, OpenTelemetry's collector and Splunk.

Each model keeps what it gets as the real server does by its documentation, and fails at random: it closes the connection
before or behind its work, is busy, refuses single events. In the end it has every event but those that it refused five
times, and the readers find none twice where the format promises that.
"""

import json
import random
import re
import subprocess
import time

import pytest
from lab.http_server import Server, answer, close
from lab.processes import wait_until
from test_http import PROGRAM, Done, send

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="built without libcurl")

COUNT = 600
POISON = {0, 37, 38, 299, COUNT - 1}  # what the server refuses


def number(identifier):
    return int(identifier[-12:])


def objects(text):
    """JSON texts one behind the other."""
    found, decoder = [], json.JSONDecoder()
    while text:
        item, end = decoder.raw_decode(text)
        found.append(item)
        text = text[end:].lstrip()
    return found


class Model:
    """Fails for one in five requests. Subclasses take a request and return status, body and perhaps headers."""

    def __init__(self, seed, poison=frozenset(), fails=True):
        self.chance, self.poison, self.fails = random.Random(seed), poison, fails
        self.fates = [0.15]  # of the first request

    def __call__(self, connection, request):
        fate = self.fates.pop() if self.fates else self.chance.random()
        if not self.fails:
            fate = 1
        if fate < 0.05:
            return close(connection, request)
        if fate < 0.1:
            return answer(503, body="busy")(connection, request)
        if fate < 0.13:
            return answer(429, body="slow down")(connection, request)
        status, body = self.take(request)
        if fate < 0.2:  # it has them, and nobody hears of it
            return close(connection, request)
        return answer(status, body=body)(connection, request)


def run(model, path, status=0, **options):
    with Server(model) as server:
        done = send(server.url + path, status=status, count=COUNT, **options)
    assert {number(one) for one in done.said("gave-up")} == model.poison
    return done, server


def until(condition, url, **options):
    """What was said until then by a program that would go on."""
    arguments = [f"url={url}", *(f"{name}={value}" for name, value in options.items())]
    process = subprocess.Popen([PROGRAM, *arguments], stderr=subprocess.PIPE, text=True)
    try:
        wait_until(condition, "the requests")
    finally:
        process.kill()
        process.stderr = process.communicate()[1]
    return Done(process)


class Elastic(Model):
    """Documents by name: `create` does nothing to one that is there."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.documents, self.created, self.conflicts = {}, 0, 0

    def create(self, identifier, document):
        if number(identifier) in self.poison:
            return {"status": 400, "error": {"type": "document_parsing_exception", "reason": "no"}}
        if self.fails and self.chance.random() < 0.02:
            return {"status": 429, "error": {"type": "es_rejected_execution_exception", "reason": "full"}}
        if identifier in self.documents:
            self.conflicts += 1
            return {"status": 409, "error": {"type": "version_conflict_engine_exception", "reason": "there"}}
        self.documents[identifier] = document
        self.created += 1
        return {"status": 201}

    def take(self, request):
        assert request.headers["content-type"] == "application/x-ndjson"
        assert request.body.endswith(b"\n")
        lines = [json.loads(line) for line in request.body.decode().split("\n")[:-1]]
        items = [{"create": {"_index": "x", "_id": action["create"]["_id"], **self.create(action["create"]["_id"], source)}}
                 for action, source in zip(lines[::2], lines[1::2])]
        errors = any("error" in item["create"] for item in items)
        return 200, json.dumps({"took": 1, "errors": errors, "items": items})


@pytest.mark.parametrize("seed", [1, 2])
def test_elasticsearch_has_every_event_once(seed):
    model = Elastic(seed)
    run(model, "/logs-ibtrapd-default/_bulk", format="elasticsearch", batch=16)
    assert {number(one) for one in model.documents} == set(range(COUNT))
    assert model.created == COUNT and model.conflicts > 0


def test_elasticsearch_refuses_only_what_it_cannot_index():
    model = Elastic(4, POISON)
    done, _ = run(model, "/logs-ibtrapd-default/_bulk", format="elasticsearch", batch=64)
    assert {number(one) for one in model.documents} == set(range(COUNT)) - POISON
    assert "document_parsing_exception" in done.errors


def test_elasticsearch_is_given_no_event_twice_because_another_was_refused():
    model = Elastic(5, POISON, fails=False)
    run(model, "/logs-ibtrapd-default/_bulk", format="elasticsearch", batch=64)
    assert model.conflicts == 0


class Loki(Model):
    """Streams by labels. Of two entries with one time and line it keeps one. It takes the rest of a request of which it
    refuses entries."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.entries, self.pushed = {}, 0

    def take(self, request):
        refused = False
        for stream in json.loads(request.body)["streams"]:
            labels = tuple(sorted(stream["stream"].items()))
            for when, line, metadata in stream["values"]:
                if number(metadata["id"]) in self.poison:
                    refused = True
                    continue
                self.pushed += 1
                self.entries[labels, when, line] = metadata["id"]
        return (400, "entry too far behind") if refused else (204, "")


def test_loki_has_every_event_once():
    model = Loki(1, POISON)
    done, _ = run(model, "/loki/api/v1/push", format="loki", batch=16)
    assert sorted(map(number, model.entries.values())) == sorted(set(range(COUNT)) - POISON)
    assert model.pushed > len(model.entries)  # it was told some twice
    assert "entry too far behind" in done.errors


class Collector(Model):
    """OpenTelemetry's: `poison` is rejected with a partialSuccess."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.records = []

    def take(self, request):
        records = [record for resource in json.loads(request.body)["resourceLogs"]
                   for scope in resource["scopeLogs"] for record in scope["logRecords"]]
        found = [number(a["value"]["stringValue"]) for record in records for a in record["attributes"]
                 if a["key"] == "log.record.uid"]
        assert len(found) == len(records)
        rejected = [one for one in found if one in self.poison]
        self.records += [one for one in found if one not in self.poison]
        if not rejected:
            return 200, "{}"
        return 200, json.dumps({"partialSuccess": {"rejectedLogRecords": str(len(rejected)), "errorMessage": "no"}})


def test_otlp_gets_every_event():
    model = Collector(1)
    run(model, "/v1/logs", format="otlp", batch=16)
    assert set(model.records) == set(range(COUNT))


def test_otlp_sends_nothing_again_that_was_partly_taken():
    model = Collector(2, fails=False)
    model.poison = POISON
    with Server(model) as server:
        done = send(server.url + "/v1/logs", count=COUNT, format="otlp", batch=64)
    assert not done.said("gave-up") and not done.errors
    assert sorted(model.records) == sorted(set(range(COUNT)) - POISON)


def test_otlp_refuses_single_events():
    model = Collector(3, POISON, fails=False)
    run(model, "/v1/logs", format="otlp", batch=1)
    assert sorted(model.records) == sorted(set(range(COUNT)) - POISON)


class Splunk(Model):
    """A collector. With acknowledgements, what a request brought is indexed some questions later; each is told once."""

    def __init__(self, *args, acks=False, indexes=True, busy=0, **options):
        super().__init__(*args, **options)
        self.acks, self.indexes, self.busy = acks, indexes, busy
        self.indexed, self.waiting, self.channels, self.next_id = [], {}, set(), 0

    def take(self, request):
        channel = request.headers.get("x-splunk-request-channel")
        assert request.headers["authorization"] == "Splunk a-token"
        if self.acks:
            assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", channel)
            self.channels.add(channel)
        if request.target == "/services/collector/ack":
            self.busy -= 1
            if self.busy >= 0:
                return 503, json.dumps({"text": "Server is busy", "code": 9})
            return self.tell(channel, json.loads(request.body)["acks"])
        assert request.target == "/services/collector/event"
        return self.collect(channel, [number(item["event"]["id"]) for item in objects(request.body.decode())])

    def collect(self, channel, found):
        for place, one in enumerate(found):
            if one in self.poison:  # it has those before it
                self.indexed += found[:place]
                return 400, json.dumps({"text": "Invalid data format", "code": 6, "invalid-event-number": place})
        if not self.acks:
            self.indexed += found
            return 200, '{"text":"Success","code":0}'
        self.next_id += 1
        self.waiting[channel, self.next_id] = [self.chance.randrange(3), found]
        return 200, json.dumps({"text": "Success", "code": 0, "ackId": self.next_id})

    def tell(self, channel, asked):
        told = {}
        for one in asked:
            entry = self.waiting.get((channel, one))
            told[str(one)] = bool(entry) and entry[0] == 0 and self.indexes
            if told[str(one)]:
                self.indexed += self.waiting.pop((channel, one))[1]
            elif entry and self.indexes:
                entry[0] -= 1
        return 200, json.dumps({"acks": told})


@pytest.fixture
def token(tmp_path):
    file = tmp_path / "token"
    file.write_text("a-token\n")
    file.chmod(0o600)
    return file


def test_splunk_gets_every_event(token):
    model = Splunk(1, POISON)
    run(model, "/services/collector/event", format="splunk", batch=16, token_file=token)
    assert set(model.indexed) == set(range(COUNT)) - POISON


def test_splunk_acknowledges_every_event(token):
    model = Splunk(3, acks=True, fails=False)
    _, server = run(model, "/services/collector/event", format="splunk", batch=64, token_file=token, ack=1)
    assert sorted(model.indexed) == list(range(COUNT))
    assert len(model.channels) == 1
    assert any(request.target.endswith("/ack") for request in server.requests)


def test_splunk_acknowledges_every_event_though_it_fails(token):
    model = Splunk(4, acks=True)
    run(model, "/services/collector/event", format="splunk", batch=64, token_file=token, ack=1)
    assert set(model.indexed) == set(range(COUNT))


def test_splunk_that_is_busy_is_asked_again_and_gets_no_event_twice(token):
    model = Splunk(6, acks=True, fails=False, busy=2)
    done, _ = run(model, "/services/collector/event", format="splunk", batch=64, token_file=token, ack=1)
    assert sorted(model.indexed) == list(range(COUNT)) and not done.errors
    assert model.busy < 0 and len(model.channels) == 1


def test_splunk_is_asked_for_what_it_has_before_its_connection_is_made_anew(token):
    """A collector behind the name knows of its own acknowledgements only: here each connection is to another one."""
    collectors = {}

    def serve(connection, request):
        one = collectors.setdefault(connection, Splunk(7 + len(collectors), acks=True, fails=False))
        time.sleep(0.01)
        return one(connection, request)
    with Server(serve) as server:
        done = send(server.url + "/services/collector/event", count=COUNT, format="splunk", batch=16, token_file=token, ack=1,
                    renew=30)
    assert not done.errors and len(collectors) > 1
    assert sorted(one for model in collectors.values() for one in model.indexed) == list(range(COUNT))


def test_splunk_that_refuses_to_say_what_it_has_is_explained(token):
    def judge(connection, request):
        ack = request.target.endswith("/ack")
        return answer(400 if ack else 200, body='{"text":"ACK is disabled","code":14}' if ack else
                      '{"text":"Success","code":0,"ackId":1}')(connection, request)
    with Server(judge) as server:
        asked = lambda: sum(request.target.endswith("/ack") for request in server.requests) > 2  # noqa: E731
        done = until(asked, server.url + "/services/collector/event", count=4, format="splunk", ack=1, token_file=token)
    assert done.acked == 0 and "does not say what is indexed (status 400)" in done.errors


def test_splunk_confirms_nothing_that_its_indexers_have_not(token):
    model = Splunk(5, acks=True, indexes=False, fails=False)
    with Server(model) as server:
        asked = lambda: sum(request.target.endswith("/ack") for request in server.requests) > 3  # noqa: E731
        done = until(asked, server.url + "/services/collector/event", count=8, format="splunk", ack=1, token_file=token)
    assert done.acked == 0 and model.indexed == [] and not done.errors


@pytest.mark.parametrize("format", ["otlp", "splunk", "elasticsearch"])
def test_a_success_of_something_else_confirms_nothing(format):
    with Server(answer(200, body="<html>It works!</html>")) as server:
        done = until(lambda: len(server.requests) > 7, server.url + "/", count=4, format=format)
    assert done.acked == 0 and not done.said("gave-up")
    assert "URL" in done.errors
