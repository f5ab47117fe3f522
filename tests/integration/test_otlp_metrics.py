# SPDX-License-Identifier: BSD-2-Clause
"""Metrics by OTLP, as doc/otlp-metrics.md says. The oracle is a scrape of the same gateway."""

import re

import pytest
from lab import http_server, pages
from lab.gateway import MODULES, Gateway
from lab.metrics import request as ask
from lab.processes import wait_until
from lab.sockets import free_port

pytestmark = pytest.mark.skipif(not (MODULES / "http.so").exists(), reason="built without libcurl")


def points(request):
    """The points of a request: name, kind, attributes and value."""
    [resource] = request.json["resourceMetrics"]
    [scope] = resource["scopeMetrics"]
    for metric in scope["metrics"]:
        [kind] = set(metric) & {"sum", "gauge", "histogram"}
        for point in metric[kind]["dataPoints"]:
            attributes = {one["key"]: one["value"]["stringValue"] for one in point["attributes"]}
            assert 0 < int(point["startTimeUnixNano"]) <= int(point["timeUnixNano"])
            if kind == "histogram":
                assert sum(map(int, point["bucketCounts"])) == int(point["count"])
                assert len(point["bucketCounts"]) == len(point["explicitBounds"]) + 1
            yield metric["name"], kind, attributes, point["count"] if kind == "histogram" else point["asDouble"]


def resource_of(request):
    return {one["key"]: one["value"]["stringValue"] for one in request.json["resourceMetrics"][0]["resource"]["attributes"]}


def test_each_value_of_a_scrape_arrives(fabric):
    port, collector_port = free_port(), free_port()
    fabric.subnet_manager("sm1").wait_master()
    [block] = pages.blocks("otlp-metrics", "ibtrapd")
    block = pages.adapted(block, {"otel-collector.example.org:4318": f"127.0.0.1:{collector_port}",
                                  "metrics { ports": f'metrics {{ listen = "127.0.0.1:{port}" ports',
                                  'format = "otlp-metrics"': 'format = "otlp-metrics" interval = 1 batch_size = 16384'})
    statuses = [503]
    with http_server.Server(lambda connection, request: http_server.answer(statuses[0])(connection, request),
                            port=collector_port) as collector:
        gateway = fabric.keep(Gateway(fabric, sweep={"interval": 5}, counters={"ports": "all", "interval": 5}, more=block))
        gateway.wait_nodes(8)
        wait_until(lambda: any(one["event"] == "receiver-failing" for one in gateway.listed_alarms()), "the failure to be told")
        [failure] = [one["text"] for one in gateway.listed_alarms() if "metrics" in one["text"]]
        assert failure.endswith(f"journal: http://127.0.0.1:{collector_port}: it answers the metrics with status 503.")
        statuses[0] = 200
        wait_until(lambda: not any("metrics" in one["text"] for one in gateway.listed_alarms()), "the end of the failure")

        def all_there():
            """Whether the requests of one second have each port of the last scrape."""
            text = ask(port).text
            ups = {(labels["guid"], labels["port"]) for labels in labels_of(text, "ibtrapd_port_link_up")}
            done = [one for one in collector.requests if one.accepted][-40:]
            got = {}
            for request in done:
                for name, kind, attributes, value in points(request):
                    got[name, attributes.get("hw.id"), attributes.get("error.type"), attributes.get("network.io.direction")] = (
                        kind, attributes, value)
            if not ups or {tuple(one[1].split("/")) for one in got if one[0] == "hw.network.up"} != ups:
                return None
            return text, got, done

        text, got, done = wait_until(all_there, "a post with all ports")
    assert all(len(request.body) < 16384 + 2 * 8192 for request in done)
    assert resource_of(done[-1]) == {"service.name": "ibtrapd", "service.version": resource_of(done[-1])["service.version"],
                                     "service.instance.id": "monitor", "ibtrapd.fabric": "monitor"}
    assert got["ibtrapd_sweep_nodes", None, None, None][::2] == ("gauge", 8)
    assert got["process.uptime", None, None, None][0] == "gauge"
    assert got["ibtrapd_journal_commit_seconds", None, None, None][0] == "histogram"
    for (name, number, error, _), (kind, attributes, value) in got.items():
        if name == "hw.network.up":
            assert kind == "sum" and attributes["hw.type"] == "network" and value in (0, 1)
        if name == "hw.errors":
            assert f'ibtrapd_port_{error}_total{{node="{attributes["node"]}"' in text and number
    assert {direction for name, _, _, direction in got if name == "hw.network.io"} == {"receive", "transmit"}


def labels_of(text, name):
    """The labels of each sample of a metric in the text format of Prometheus."""
    for line in re.findall(rf"^{name}{{(.*)}} ", text, re.MULTILINE):
        yield dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', line))
