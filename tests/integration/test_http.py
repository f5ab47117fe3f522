# SPDX-License-Identifier: BSD-2-Clause
"""Receivers behind HTTP servers: ibtrapd's configuration, delivery, outages and restarts. receivers/test_http.py has the
ways in which servers fail."""

import concurrent.futures
import subprocess

import pytest
from lab.fabric import BUILD
from lab.gateway import IBTRAPD, check_config, section, secret_file, without_service_user
from lab.gateway import begin_alone as begin
from lab.http_server import Server, answer, each
from lab.processes import DEADLINE, wait_until

pytestmark = pytest.mark.skipif(not (BUILD / "modules/http.so").exists(), reason="built without libcurl")


@pytest.fixture
def server(fabric):
    return fabric.keep(Server())


def receiver(gateway, name="collector"):
    return gateway.receiver(name)


def wait_told(gateway):
    gateway.wait_told("collector")


def came(server, event="link-down"):
    return [one for request in server.accepted for one in request.json if one["event"] == event]


def test_without_the_module_the_package_is_named(tmp_path):
    done = subprocess.run([IBTRAPD, "--check-config", "--modules", tmp_path, "--config", "/dev/stdin"],
                          input=section("http", "collector", url="http://127.0.0.1:9/"), capture_output=True, text=True,
                          timeout=DEADLINE, check=False, env=without_service_user())
    assert done.returncode == 1
    assert ("receiver collector: receivers of the kind http need the package ibtrapd-http: there is no "
            f"{tmp_path}/http.so") in done.stderr


def test_a_gateway_at_rest_has_no_such_library(fabric):
    gateway = begin(fabric, "")
    assert "libcurl" not in open(f"/proc/{gateway.process.pid}/maps", encoding="utf-8").read()


@pytest.mark.parametrize("items, said", [
    ({"url": "https://collector.example.org/in"}, None),
    ({"url": "ftp://collector.example.org/in"}, "must begin with http:// or https://"),
    ({"url": "https://u:p@collector.example.org/in"}, "must not have a user in it"),
    ({"url": "http://collector.example.org/in", "ca_file": "/x"}, "has no effect without a URL with https"),
    ({"url": "https://collector.example.org/in", "ca_file": "/no/such"}, "item 'ca_file'"),
])
def test_the_configuration_is_checked(tmp_path, items, said):
    status, output = check_config(section("http", "collector", **items), tmp_path)
    assert (status == 0) if said is None else (status == 1 and said in output), output


def test_events_arrive_whole(fabric, server):
    gateway = begin(fabric, section("http", "collector", url=f"{server.url}/hidden-path?hidden=1", events=["link-down"]))
    assert "delivered" in gateway.control("test", "link-down").stdout
    [event] = came(server)
    assert event == next(one for one in gateway.journal() if one["event"] == "link-down")
    assert server.requests[0].target == "/hidden-path?hidden=1"
    shown = gateway.control("receivers").stdout + gateway.control("status", "--json").stdout + gateway.log
    assert server.url in shown and "hidden" not in shown


def test_an_outage_is_told_and_nothing_is_lost(fabric):
    trouble = [True]
    server = fabric.keep(Server(each(lambda _: 503 if trouble else 200)))
    gateway = begin(fabric, section("http", "collector", url=server.url))
    wait_until(lambda: "status 503" in (receiver(gateway)["problem"] or ""), "the outage to be told")
    with concurrent.futures.ThreadPoolExecutor(5) as pool:  # each waits for its event
        for _ in range(5):
            pool.submit(gateway.control, "test", "link-down", "--receiver", "collector", check=False)
    assert not came(server)
    assert (receiver(gateway)["sent"], receiver(gateway)["delivered"]) == (0, 0)
    trouble.clear()
    wait_told(gateway)
    assert [one["id"] for one in came(server)] == [one["id"] for one in gateway.journal() if one["event"] == "link-down"]
    assert receiver(gateway)["problem"] in (None, "")


def test_a_gateway_that_is_killed_sends_again_what_was_not_confirmed(fabric):
    def wait(connection, request):
        connection.server.done.wait(0.5)
        return answer(503)(connection, request)
    server = fabric.keep(Server(wait))
    gateway = begin(fabric, section("http", "collector", url=server.url))
    gateway.control("test", "link-down", "--receiver", "collector", check=False)
    gateway.kill()
    server.script[:] = [answer(200)]
    gateway.start()
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    wait_told(gateway)
    written = [one["id"] for one in gateway.journal()]
    arrived = list(dict.fromkeys(one["id"] for request in server.accepted for one in request.json))
    assert arrived == written[-len(arrived):] and len(came(server)) == 1


def test_a_reload_changes_the_server_and_keeps_the_cursor(fabric, server):
    other = fabric.keep(Server())
    gateway = begin(fabric, section("http", "collector", url=server.url, events=["link-down"]))
    gateway.control("test", "link-down")
    gateway.config.write_text(gateway.config.read_text().replace(server.url, other.url))
    gateway.control("reload")
    gateway.control("test", "link-down")
    assert len(came(server)) == 1 and len(came(other)) == 1


def test_a_gateway_stops_in_time_while_the_server_hangs(fabric):
    server = fabric.keep(Server(lambda connection, _: connection.server.done.wait()))  # which comes after the test
    gateway = begin(fabric, section("http", "collector", url=server.url))
    wait_until(lambda: server.requests, "a request")
    assert gateway.stop() == 0


def test_a_token_is_shown_nowhere(fabric):
    secret = secret_file(fabric.directory, "token", "not-for-others")
    server = fabric.keep(Server(each(lambda request: 401 if "not-for-others" in request.headers["authorization"] else 200)))
    gateway = begin(fabric, section("http", "collector", url=server.url, token_file=secret))
    wait_until(lambda: "credentials" in (receiver(gateway)["problem"] or ""), "the problem")
    shown = gateway.log + gateway.control("receivers", "--json").stdout + gateway.control("status", "--json").stdout
    assert "not-for-others" not in shown


def test_a_long_answer_of_an_alertmanager_takes_no_memory(fabric):
    """ibtrapd reads the status of an answer and a bounded piece of its body."""
    server = fabric.keep(Server(answer(200, body="[" + "{}," * 4_000_000 + "no alert]")))
    gateway = begin(fabric, section("alertmanager", "alerts", urls=server.url))
    wait_until(lambda: len(server.requests) > 1, "two posts")
    assert not receiver(gateway, "alerts")["problem"]
    assert not gateway.has_taken(100)
