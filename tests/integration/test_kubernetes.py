# SPDX-License-Identifier: BSD-2-Clause
"""The recipe of doc/kubernetes.md, against a stand-in for the two requests of the API server."""

import http.server
import json
import os
import subprocess
import threading

import pytest
from lab import pages
from lab.fabric import BUILD
from lab.gateway import Gateway
from lab.processes import wait_until

NODES = ["node1.example.org", "node2.example.org"]


class StandIn(http.server.BaseHTTPRequestHandler):
    """Lists the nodes, and keeps what is patched."""

    def do_GET(self):
        self._answer({"items": [{"metadata": {"name": name}} for name in NODES]})

    def do_PATCH(self):
        patch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.patched[self.path] = self.headers["Content-Type"], self.headers["Authorization"], patch
        self._answer({})

    def log_message(self, *_):
        pass

    def _answer(self, value):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())


@pytest.fixture
def api():
    server = http.server.HTTPServer(("127.0.0.1", 0), StandIn)
    server.patched = {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_the_recipe(fabric, syslog, api, tmp_path):
    fabric.subnet_manager("sm1").wait_master()
    gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], sweep={"interval": 5, "settle": 200}))
    gateway.wait_nodes(8)
    fabric.unlink("node1")
    wait_until(lambda: "host-removed" in [one["event"] for one in gateway.listed_alarms()], "the alarm")
    (tmp_path / "token").write_text("secret\n")
    shim = tmp_path / "ibtrapctl"
    shim.write_text(f'#!/bin/sh\nexec {BUILD}/ibtrapctl --socket {gateway.socket} "$@"\n')
    shim.chmod(0o755)
    [script] = pages.blocks("kubernetes", "sh")
    script = pages.adapted(script, {"https://kubernetes.example.org:6443": f"http://127.0.0.1:{api.server_port}",
                                    "/etc/ibtrapd/kubernetes.token": tmp_path / "token"})

    def run():
        return subprocess.run(["/bin/sh", "-c", script], env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}, check=False,
                              timeout=60).returncode

    assert run() == 0
    assert sorted(api.patched) == [f"/api/v1/nodes/{name}/status" for name in NODES]
    for name, status in zip(NODES, ("True", "False"), strict=True):
        kind, authorization, patch = api.patched[f"/api/v1/nodes/{name}/status"]
        [condition] = patch["status"]["conditions"]
        assert kind == "application/strategic-merge-patch+json" and authorization == "Bearer secret"
        assert condition["type"] == "InfinibandProblem" and condition["status"] == status
    for alarm in gateway.listed_alarms("--all"):
        gateway.control("alarms", "shelve", alarm["number"], 60)
    assert run() == 0
    assert {patch["status"]["conditions"][0]["status"] for *_, patch in api.patched.values()} == {"False"}
    api.patched.clear()
    gateway.kill()
    assert run() == 1 and not api.patched
