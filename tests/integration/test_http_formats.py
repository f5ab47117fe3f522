# SPDX-License-Identifier: BSD-2-Clause
"""A gateway that sends to OpenTelemetry, Loki, Splunk and Elasticsearch at once, from the configuration to the answer.
receivers/test_http_formats.py and test_http_servers.py have the formats and the servers' whims."""

import json

import pytest
from lab.fabric import BUILD
from lab.gateway import Gateway, section, secret_file
from lab.http_server import Server, answer

pytestmark = pytest.mark.skipif(not (BUILD / "modules/http.so").exists(), reason="built without libcurl")

TAKEN = '{"took":1,"errors":true,"items":[{"create":{"_id":"x","status":409,"error":{"type":"there already"}}}]}'


def splunk(connection, request):
    """Takes events, and tells at the second question that they are indexed."""
    asked = sum(one.target.endswith("/ack") for one in connection.server.requests)
    if request.target == "/services/collector/event":
        body = {"text": "Success", "code": 0, "ackId": 5}
    else:
        assert request.target == "/services/collector/ack" and request.json == {"acks": [5]}
        body = {"acks": {"5": asked > 1}}
    return answer(200, body=json.dumps(body))(connection, request)


def test_every_format_at_once(fabric, tmp_path):
    token = secret_file(tmp_path, "token", "a-token")
    peers = {
        "otlp": (Server(answer(200)), "/v1/logs", {"token_file": token}),
        "loki": (Server(answer(204, body="")), "/loki/api/v1/push", {}),
        "splunk": (Server(splunk), "/services/collector/event", {"token_file": token, "index": "ib", "ack": True}),
        "elasticsearch": (Server(answer(200, body=TAKEN)), "/_bulk", {"token_file": token, "index": "ib"}),
    }
    more = ""
    for name, (server, path, items) in peers.items():
        fabric.keep(server)
        more += section("http", name, url=server.url + path, format=name, events=["link-down"], **items)
    gateway = fabric.keep(Gateway(fabric, preload=False, more=more))
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    told = gateway.control("test", "link-down").stdout
    assert told.count("delivered") == len(peers), told
    identifier = next(one["id"] for one in gateway.journal() if one["event"] == "link-down")
    for name, (server, path, _) in peers.items():
        assert server.requests[0].target == path
        assert identifier in server.requests[0].body.decode(), name
    first = {name: server.requests[0] for name, (server, _, _) in peers.items()}
    assert first["otlp"].headers["authorization"] == "Bearer a-token"
    assert first["splunk"].headers["authorization"] == "Splunk a-token"
    assert first["elasticsearch"].headers["authorization"] == "ApiKey a-token"
    assert "authorization" not in first["loki"].headers
    assert first["splunk"].json["index"] == "ib"
    assert json.loads(first["elasticsearch"].body.split(b"\n")[0])["create"]["_index"] == "ib"
    channels = {one.headers["x-splunk-request-channel"] for one in peers["splunk"][0].requests}
    assert len(channels) == 1 and len(peers["splunk"][0].requests) == 3
