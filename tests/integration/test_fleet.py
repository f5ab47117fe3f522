# SPDX-License-Identifier: BSD-2-Clause
"""ibtrapctl --fleet: the alarms and verdicts of many gateways, from their pages, and who does not answer."""

import json
import socket
import threading

import pytest
from lab.processes import wait_until
from lab.sockets import free_port


@pytest.fixture
def silent():
    """A port that takes connections and says nothing, one that answers with something else, one that answers without end."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]

    def serve(listener, piece, endless):
        try:
            while True:
                with listener.accept()[0] as client:
                    client.recv(65536)  # else the end resets the connection
                    client.sendall(piece)
                    while endless:
                        client.sendall(piece)
        except OSError:
            pass
    for listener, piece, endless in ((sockets[1], b"HTTP/1.1 404 Not Found\r\n\r\n{}", False),
                                     (sockets[2], b"HTTP/1.1 200 OK\r\n\r\n" + 60000 * b"[", True)):
        threading.Thread(target=serve, args=(listener, piece, endless), daemon=True).start()
    yield [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()


def test_many_gateways_in_one_list(open_site, silent, tmp_path):
    port, closed = free_port(), free_port()
    more = f'metrics {{ listen = "127.0.0.1:{port}" page = true }}\n'
    site = open_site(sweep={"interval": 5, "settle": 100}, more=more)
    site.gateway.wait_nodes(8)
    site.fabric.unlink("leaf1", 12)
    wait_until(lambda: "leaf1" in str(site.gateway.listed_alarms()), "the alarm")
    file = tmp_path / "fleet"
    file.write_text(f"# ours\nhttp://127.0.0.1:{port}/\n\n127.0.0.1:{closed}\n" + "".join(f"127.0.0.1:{one}\n" for one in silent))
    found = wait_until(lambda: (one := json.loads(site.gateway.control("alarms", "--fleet", file, "--json").stdout))["alarms"] and
                       one, "the page to have the alarm")
    assert [one["key"] for one in found["alarms"]] == [one["key"] for one in site.gateway.listed_alarms()]
    assert found["alarms"][0]["fabric"] == site.gateway.status()["fabric_name"]
    problems = {one["port"]: one["problem"] for one in found["silent"]}
    assert "refused" in problems[closed] and problems[silent[0]] == "it does not answer"
    assert "no page" in problems[silent[1]] and "too long" in problems[silent[2]]
    shown = site.gateway.control("alarms", "--fleet", file).stdout
    assert "link-down" in shown and f"NO ANSWER: 127.0.0.1 port {closed}" in shown
    health = site.gateway.control("health", "--fleet", file, check=False)
    assert health.returncode == 2 and site.gateway.status()["fabric_name"] in health.stdout


@pytest.mark.parametrize("text, sentence", [("", "has no gateway"), ("gw1\n", "line 1: a gateway is HOST:PORT"),
                                            ("# x\ngw1:99999\n", "line 2"), ("gw1:1\n" * 1001, "line 1001: there are more"),
                                            (5000 * "x" + "\n", "line 1")])
def test_files_that_are_none(open_site, tmp_path, text, sentence):
    file = tmp_path / "fleet"
    file.write_text(text)
    done = open_site().gateway.control("alarms", "--fleet", file, check=False)
    assert done.returncode == 1 and sentence in done.stderr
