# SPDX-License-Identifier: BSD-2-Clause
"""The state index of the kind http: the documents of an index are the alarms of the gateway, whatever happened.

The server is written from the documentation of Elasticsearch; tests/opensearch/run.sh has OpenSearch, by hand."""

import http.server
import json
import threading

import pytest
from lab.gateway import check_config, section
from lab.processes import wait_until
from lab.sockets import free_port

INDEX = "ibtrapd-alarms"
SWEEP = {"interval": 5, "settle": 100}


class IndexServer:
    """Keeps the documents of a bulk, and deletes by a query of the form that ibtrapd sends. fault: a status for all."""

    def __init__(self):
        self.port, self.documents, self.fault, self.queries = free_port(), {}, None, []
        self.url = f"http://127.0.0.1:{self.port}/_bulk"
        self._server = None

    def bulk(self, lines):
        items = []
        while lines:
            [(action, name)] = json.loads(lines.pop(0)).items()
            assert name["_index"] == INDEX
            if action == "index":
                self.documents[name["_id"]] = json.loads(lines.pop(0))
                items.append({action: {"status": 200}})
            else:
                items.append({action: {"status": 200 if self.documents.pop(name["_id"], None) else 404}})
        return {"errors": False, "items": items}

    def delete(self, query):
        self.queries.append(query)
        owner, written = query["query"]["bool"]["filter"]
        gone = [key for key, one in self.documents.items()
                if one.get("owner") in owner["terms"]["owner"] and one["written"] < written["range"]["written"]["lt"]]
        for key in gone:
            del self.documents[key]
        return {"deleted": len(gone)}

    def __enter__(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                answer = {}
                if not outer.fault and self.path == "/_bulk":
                    answer = outer.bulk(body.splitlines())
                elif not outer.fault:
                    assert self.path == f"/{INDEX}/_delete_by_query?conflicts=proceed&refresh=true"
                    answer = outer.delete(json.loads(body))
                octets = json.dumps(answer).encode()
                self.send_response(outer.fault or 200)
                self.send_header("Content-Length", str(len(octets)))
                self.end_headers()
                self.wfile.write(octets)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server(fabric):
    return fabric.keep(IndexServer())


def begin(open_site, server, **items):
    site = open_site(sweep=SWEEP, more=section("http", "table", url=server.url, format="elasticsearch", state_index=INDEX,
                                               **items))
    site.gateway.wait_subscribed()
    site.gateway.wait_nodes(8)
    return site


def alarms_at(server):
    return {key: {name: value for name, value in one.items() if name not in ("written", "owner", "gateway", "ends")}
            for key, one in list(server.documents.items()) if "key" in one}


def wait_agreed(server, gateway):
    wait_until(lambda: alarms_at(server) == {f"{one['fabric']} {one['key']}": one for one in gateway.listed_alarms("--all")},
               "the lists to agree", interval=0.3)


def wait_alarm(gateway, word, there=True):
    wait_until(lambda: (word in str(gateway.listed_alarms("--all"))) == there, f"the alarms about {word}")


def test_the_index_has_the_alarms_as_they_are_now(open_site, server):
    site = begin(open_site, server)
    gateway = site.gateway
    site.fabric.unlink("leaf1", 12)
    wait_alarm(gateway, "leaf1")
    wait_agreed(server, gateway)
    gateway.control("alarms", "acknowledge", gateway.listed_alarms("--all")[0]["key"], "seen")
    wait_agreed(server, gateway)
    gateway.kill()
    site.fabric.relink("leaf1", 12)
    site.fabric.unlink("storage1", 1)
    gateway.start()
    gateway.wait_subscribed()
    wait_alarm(gateway, "storage1")
    wait_agreed(server, gateway)
    server.fault = 503
    site.fabric.relink("storage1", 1)
    wait_alarm(gateway, "storage1", there=False)
    wait_until(lambda: "answers 503" in (gateway.receiver("table")["problem"] or ""), "the failure to be told")
    server.fault = None
    wait_until(lambda: gateway.receiver("table")["state"] == "working", "the receiver to work")
    wait_agreed(server, gateway)
    fabric = gateway.status()["fabric_name"]
    assert server.documents[f"{fabric} gateway monitor"]["role"] == "active"


def test_what_was_left_behind_is_deleted_and_what_is_of_others_stays(open_site, server):
    site = begin(open_site, server, state_refresh=10)
    fabric = site.gateway.status()["fabric_name"]
    site.fabric.unlink("leaf1", 12)
    wait_alarm(site.gateway, "leaf1")
    wait_agreed(server, site.gateway)
    [alarm] = [one for key, one in server.documents.items() if " link " in key]
    server.documents[f"{fabric} link 0x1-1/0x2-2"] = {**alarm, "written": "2026-01-01T00:00:00.000000Z"}
    others = {"halle link 0x1-1/0x2-2": {**alarm, "owner": "0123456789abcdef", "written": "2026-01-01T00:00:00.000000Z"}}
    server.documents.update(others)
    wait_until(lambda: f"{fabric} link 0x1-1/0x2-2" not in server.documents, "the stray alarm to be deleted")
    assert server.documents.items() >= others.items()


def test_a_section_has_events_or_the_alarms(tmp_path):
    items = {"url": "http://127.0.0.1/_bulk", "state_index": INDEX}
    for more, sentence in (({"format": "elasticsearch", "severity": "error"}, "item 'severity' has no effect beside item"),
                           ({"format": "json"}, "item 'state_index' has no effect without format = \"elasticsearch\""),
                           ({"format": "elasticsearch", "state_index": "A/b"}, "an index has lower-case letters")):
        status, output = check_config(section("http", "x", **{**items, **more}), tmp_path)
        assert status == 1 and sentence in output, output
