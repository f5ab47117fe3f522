# SPDX-License-Identifier: BSD-2-Clause
"""ibtrapd and OpenSearch 2.5: every event is there once, whoever is killed; what cannot be indexed is told and holds up
nothing else; what can be mended waits."""

import json
import urllib.parse

import pytest
from lab import notices, pages
from lab.gateway import Gateway, section
from lab.processes import wait_until
from test_log_pipelines import Collector, needs_omelasticsearch

EVENT = "system-image-guid-change"
DATA_STREAM = {"index_patterns": ["logs-*-*"], "data_stream": {}, "priority": 1}


def gateway_with(fabric, kind, **items):
    """A gateway with a receiver "search" of that kind."""
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, more=section(kind, "search", events=[EVENT], **items)))
    gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")
    return gateway


@pytest.fixture
def begin(fabric, server):
    """A function that starts a gateway whose receiver "search" writes to that path."""
    def started(path, **items):
        return gateway_with(fabric, "http", url=f"{server.url}{path}", format="elasticsearch", **items)
    return started


@pytest.fixture
def report(fabric):
    """A function that makes the subnet manager report these numbers, as system image GUIDs of the node with that LID."""
    client = []

    def sent(numbers, lid=6):
        client[:] = client or [fabric.client("sm1")]
        for number in numbers:
            client[0].report(notices.system_image_guid_change(lid, number), fabric.lid_of("monitor"))
    return sent


def in_journal(gateway):
    return {one["id"]: int(one["systemImageGuid"], 16) for one in gateway.journal() if one["event"] == EVENT}


def check_all(server, gateway, index, count=None):
    """Each event of the journal is a document of its name and number, and there is no other. Returns the documents."""
    gateway.wait_told("search", 120)
    documents, journal = server.documents(index), in_journal(gateway)
    assert journal and len(journal) == (count or len(journal))
    assert {name: int(one["ibtrapd"]["systemImageGuid"], 16) for name, one in documents.items()} == journal
    return documents


def waits_for(gateway, words):
    said = wait_until(lambda: (problem := gateway.receiver("search")["problem"]) and words in problem and problem,
                      f"the problem '{words}'", 60)
    print(said)


def test_a_data_stream_has_the_events_as_the_page_says(server, begin, report):
    server.ask("PUT", "/_index_template/logs", DATA_STREAM)
    gateway = begin("/logs-ibtrapd-default/_bulk")
    report(range(1, 11))
    documents = check_all(server, gateway, "logs-ibtrapd-default", 10)
    one = next(iter(documents.values()))
    assert one["event"]["action"] == EVENT and one["message"]
    found = server.ask("POST", "/logs-ibtrapd-default/_search", {"query": {"bool": {"filter": [
        {"match": {"event.action": EVENT}}, {"match": {"log.level": one["log"]["level"]}},
        {"range": {"@timestamp": {"gte": "now-1h", "lte": "now+1m"}}}]}}})
    assert found["hits"]["total"]["value"] == 10
    mapping = server.ask("GET", "/logs-ibtrapd-default/_mapping")
    assert all(one["mappings"]["properties"]["@timestamp"]["type"] == "date" for one in mapping.values())


def test_a_data_stream_that_rolls_over_has_each_event(server, begin, report):
    server.ask("PUT", "/_index_template/logs", DATA_STREAM)
    gateway = begin("/logs-rolled-default/_bulk")
    for first in range(1, 301, 100):
        report(range(first, first + 100))
        wait_until(lambda: gateway.receiver("search")["delivered"] > 0, "some to come", 60)
        server.ask("POST", "/logs-rolled-default/_rollover")
    check_all(server, gateway, "logs-rolled-default", 300)


def test_an_index_may_be_named_in_the_section(server, begin, report):
    gateway = begin("/_bulk", index="ibtrapd-named")
    report(range(1, 4))
    check_all(server, gateway, "ibtrapd-named", 3)


def test_a_server_that_is_killed_loses_nothing_and_has_nothing_twice(server, begin, report):
    gateway = begin("/ibtrapd-killed/_bulk")
    report(range(1, 501))
    server.kill()
    report(range(501, 1001))
    waits_for(gateway, "connect")
    server.start()
    report(range(1001, 1501))
    check_all(server, gateway, "ibtrapd-killed", 1500)


def test_a_gateway_that_is_killed_loses_nothing_and_makes_no_doubles(server, begin, report):
    gateway = begin("/ibtrapd-gateway/_bulk")
    for number in range(1, 301):
        report([number])
        if number % 100 == 50:
            gateway.kill()
            gateway.start()
            gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")
    check_all(server, gateway, "ibtrapd-gateway")  # Reports that the dead gateway did not get are in no journal


def test_what_the_mapping_does_not_take_is_given_up_and_holds_up_nothing_else(server, begin, report):
    small = {"mappings": {"properties": {"ibtrapd": {"properties": {"lid": {"type": "byte"}}}}}}
    server.ask("PUT", "/ibtrapd-small", small)
    gateway = begin("/ibtrapd-small/_bulk")
    report([1])
    report([2], lid=300)
    report([3])
    wait_until(lambda: gateway.receiver("search")["refused"] == 1, "the event to be given up", 120)
    gateway.wait_told("search", 60)
    numbers = [int(one["ibtrapd"]["systemImageGuid"], 16) for one in server.documents("ibtrapd-small").values()]
    assert sorted(numbers) == [1, 3]
    assert "status 400, mapper_parsing_exception" in gateway.log


def test_what_can_be_mended_waits(server, begin, report):
    server.ask("PUT", "/ibtrapd-blocked", {"settings": {"index.blocks.write": True}})
    gateway = begin("/ibtrapd-blocked/_bulk")
    report(range(1, 4))
    waits_for(gateway, "cluster_block_exception")
    server.ask("PUT", "/ibtrapd-blocked/_settings", {"index.blocks.write": False})
    check_all(server, gateway, "ibtrapd-blocked", 3)
    assert gateway.receiver("search")["dropped"] == 0


def test_a_cluster_that_has_no_room_for_another_index_is_waited_for(server, begin, report):
    server.ask("PUT", "/_cluster/settings", {"transient": {"cluster.max_shards_per_node": 1}})
    try:
        gateway = begin("/ibtrapd-new/_bulk")
        report(range(1, 4))
        waits_for(gateway, "this action would add")
        assert gateway.receiver("search")["dropped"] == 0
    finally:
        server.ask("PUT", "/_cluster/settings", {"transient": {"cluster.max_shards_per_node": None}})
    check_all(server, gateway, "ibtrapd-new", 3)


def test_a_name_that_is_no_index_is_waited_for(server, begin, report):
    gateway = begin("/IBTRAPD/_bulk")
    report(range(1, 4))
    waits_for(gateway, "lowercase")
    assert gateway.receiver("search")["dropped"] == 0


def test_an_index_that_is_closed_is_waited_for(server, begin, report):
    server.ask("PUT", "/ibtrapd-closed")
    server.ask("POST", "/ibtrapd-closed/_close")
    gateway = begin("/ibtrapd-closed/_bulk")
    report(range(1, 4))
    waits_for(gateway, "index_closed_exception")
    server.ask("POST", "/ibtrapd-closed/_open")
    check_all(server, gateway, "ibtrapd-closed", 3)
    assert gateway.receiver("search")["refused"] == 0


def test_a_pipeline_that_is_missing_or_fails_is_waited_for(server, begin, report):
    gateway = begin("/ibtrapd-piped/_bulk?pipeline=made-later")
    report(range(1, 4))
    waits_for(gateway, "pipeline with id [made-later] does not exist")
    server.ask("PUT", "/_ingest/pipeline/made-later", {"processors": [{"fail": {"message": "it is not done yet"}}]})
    waits_for(gateway, "it is not done yet")
    server.ask("PUT", "/_ingest/pipeline/made-later", {"processors": [{"set": {"field": "_index", "value": "ibtrapd-led"}}]})
    check_all(server, gateway, "ibtrapd-led", 3)
    assert gateway.receiver("search")["refused"] == 0


def test_a_url_with_a_parameter_that_is_none_loses_nothing(server, begin, report):
    gateway = begin("/ibtrapd-parameter/_bulk?pipelin=x")
    report(range(1, 4))
    waits_for(gateway, "unrecognized parameter")
    assert gateway.receiver("search")["dropped"] == 0


@needs_omelasticsearch
def test_behind_rsyslog_nothing_is_lost_whichever_of_the_three_is_killed(fabric, server, report, tmp_path):
    """The page's rsyslog: RELP confirms what OpenSearch has."""
    changes = {'server="search.example.org" serverport="9200"': f'server="127.0.0.1" serverport="{server.port}"'}
    with Collector(tmp_path, "omelasticsearch", changes) as collector:
        own = collector.options()
        gateway = gateway_with(fabric, "syslog", address=f"127.0.0.1:{collector.port}", transport="relp-tls", format="ecs",
                               ca_file=own["ca"], certificate_file=own["cert"], key_file=own["key"])
        report(range(1, 201))
        collector.kill()
        report(range(201, 401))
        with collector:
            wait_until(lambda: gateway.receiver("search")["delivered"] > 200, "some to come after rsyslog's end", 60)
            server.kill()
            report(range(401, 601))
            server.start()
            wait_until(lambda: gateway.receiver("search")["delivered"] > 400, "some to come after OpenSearch's end", 60)
            gateway.kill()
            gateway.start()
            gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")
            report(range(601, 701))
            check_all(server, gateway, "ibtrapd")


STATE = "ibtrapd-alarms"


def alarms_at(server):
    server.ask("POST", f"/{STATE}/_refresh")
    found = server.documents(STATE)
    return {key: (one["id"], one["severity"]) for key, one in found.items() if "key" in one}


@pytest.mark.parametrize("mapped", [True, False])
def test_the_index_of_alarms_is_the_list(fabric, server, mapped):
    """With the template of the page, and with OpenSearch's own guesses."""
    server.ask("DELETE", f"/{STATE}?ignore_unavailable=true")
    if mapped:
        [template] = [one for one in pages.indented("many-subnets") if one.startswith("PUT /_index_template")]
        server.ask("PUT", "/_index_template/ibtrapd-alarms", json.loads(template.split("\n", 1)[1]))
    server.ask("PUT", f"/{STATE}")
    fabric.subnet_manager().wait_master()
    more = section("http", "table", url=f"{server.url}/_bulk", format="elasticsearch", state_index=STATE, state_refresh=10)
    gateway = fabric.keep(Gateway(fabric, sweep={"interval": 5, "settle": 100}, more=more))
    gateway.wait_nodes(8)

    def agree():
        listed = {f"{one['fabric']} {one['key']}": (one["id"], one["severity"]) for one in gateway.listed_alarms("--all")}
        return alarms_at(server) == listed
    fabric.unlink("leaf1", 12)
    wait_until(lambda: "leaf1" in str(gateway.listed_alarms("--all")), "the alarm")
    wait_until(agree, "the index to be the list", 60, interval=0.5)
    stray = f"{gateway.status()['fabric_name']} link 0x1-1/0x2-2"
    [one] = [one for key, one in server.documents(STATE).items() if " link " in key]
    server.ask("PUT", f"/{STATE}/_doc/{urllib.parse.quote(stray, safe='')}", {**one, "written": "2026-01-01T00:00:00.000000Z"})
    gateway.kill()
    fabric.relink("leaf1", 12)
    gateway.start()
    gateway.wait_nodes(8)
    wait_until(lambda: not gateway.listed_alarms("--all"), "the end")
    wait_until(agree, "the index to be the list", 60, interval=0.5)
