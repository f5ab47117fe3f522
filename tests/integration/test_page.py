# SPDX-License-Identifier: BSD-2-Clause
"""The page of the metrics listener, over a socket: who gets it, its headers, what is in it, and those who follow.

tests/page/ looks at it in a browser, by hand."""

import contextlib
import http.client
import json
import pathlib
import re
import socket
import xml.etree.ElementTree

import pytest
from lab.fabric import Fabric
from lab.gateway import Gateway, section
from lab.metrics import request, scrape
from lab.processes import wait_until
from lab.sockets import free_port

FILES = {"/": "text/html; charset=utf-8", "/page.css": "text/css; charset=utf-8", "/fabric.css": "text/css",
         "/page.js": "text/javascript; charset=utf-8", "/icon.svg": "image/svg+xml", "/fabric.svg": "image/svg+xml",
         "/state.json": "application/json"}
SWEEP = {"method": "smp", "interval": 3600, "settle": 300}
FOLLOWERS = 8


@pytest.fixture
def port():
    return free_port()


@pytest.fixture
def site(open_site, port):
    site = open_site(sweep=SWEEP, more=section("metrics", listen=f"127.0.0.1:{port}", page=True))
    site.gateway.wait_subscribed()
    site.gateway.wait_status(lambda one: one["sweep"]["complete"] and one["sweep"]["nodes"] == 8, "a sweep")
    return site


@pytest.fixture
def lone(fabric, port):
    """A gateway on a machine without an HCA."""
    gateway = fabric.keep(Gateway(fabric, preload=False, more=section("metrics", listen=f"127.0.0.1:{port}", page=True)))
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    return gateway


def ask(port, path, host=None, method="GET"):
    """The answer, and its body."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=300)) as client:
        client.request(method, path, headers={} if host is None else {"Host": host})
        answer = client.getresponse()
        return answer, answer.read()


def state(port):
    return json.loads(ask(port, "/state.json")[1])


class Follower:
    """Reads server-sent events (HTML standard, 9.2.6)."""

    def __init__(self, port, after=None):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=300)
        last = "" if after is None else f"Last-Event-ID: {after}\r\n"
        self._socket.sendall(f"GET /events HTTP/1.1\r\nHost: localhost\r\n{last}\r\n".encode())
        self._stream = self._socket.makefile("rb")
        self.status = int(self._stream.readline().split()[1])
        self.headers = {}
        while line := self._stream.readline().strip().decode():
            name, _, value = line.partition(": ")
            self.headers[name.lower()] = value

    def event(self):
        """The next one, as (id, data); None: the answer has ended."""
        fields = {}
        while line := self._stream.readline():
            line = line.decode().rstrip("\n")
            if line == "" and fields:
                return int(fields["id"]), json.loads(fields["data"])
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                assert name not in fields
                fields[name] = value
        return None

    def wait_for(self, kind):
        while found := self.event():
            if found[1]["event"] == kind:
                return found
        raise AssertionError(f"no {kind} came")

    def close(self):
        self._stream.close()
        self._socket.close()


def test_a_browser_may_load_nothing_from_elsewhere(lone, port):
    for path, kind in FILES.items():
        answer, body = ask(port, path)
        assert (answer.status, answer.getheader("Content-Type")) == (200, kind), path
        assert int(answer.getheader("Content-Length")) == len(body) > 0
        policy = dict(part.split(" ", 1) for part in answer.getheader("Content-Security-Policy").split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
        assert {value for name, value in policy.items() if name.endswith("-src")} <= {"'none'", "'self'"}
        assert answer.getheader("X-Content-Type-Options") == "nosniff" and answer.getheader("Cache-Control") == "no-store"
        head, nothing = ask(port, path, method="HEAD")
        assert head.status == 200 and nothing == b"" and head.getheader("Content-Type") == kind
        assert ask(port, path, method="POST")[0].status in (404, 405), path
    html = ask(port, "/")[1].decode()
    assert set(re.findall(r'(?:src|href)="([^"]*)"', html)) == {"icon.svg", "page.css", "fabric.css", "page.js"}
    assert not re.search(r"<style|\son\w+=|\sstyle=|<script(?! src)", html)
    for path in ("/page.css", "/page.js", "/fabric.css"):
        assert not re.search(rb"https?://|@import|innerHTML|eval\(|document\.write", ask(port, path)[1]), path
    assert scrape(port)["ibtrapd_active"] == 1 and ask(port, "/healthz")[0].status == 200
    assert ask(port, "/page")[0].status == 404


def test_nobody_reads_it_by_a_name_of_their_own(lone, port):
    for host in ("rebind.example.org", f"rebind.example.org:{port}", "127.0.0.1.example.org", "a.b", "1.2.3.4.5", "."):
        for path in ("/", "/state.json", "/fabric.svg", "/events", "/metrics", "/healthz", "/readyz"):
            answer, body = ask(port, path, host)
            assert answer.status == 421 and b"by the address of this host" in body, (host, path)
    for host in ("127.0.0.1", f"127.0.0.1:{port}", "localhost", f"localhost:{port}", "[::1]:9117", "gw1"):
        assert ask(port, "/state.json", host)[0].status == 200, host
    with socket.create_connection(("127.0.0.1", port), timeout=300) as client:
        client.sendall(b"GET /state.json HTTP/1.1\r\nHost: localhost\r\nhost: a.example.org\r\n\r\n")
        assert client.recv(12) == b"HTTP/1.1 421"


def test_it_is_off_unless_asked_for(fabric, port):
    gateway = fabric.keep(Gateway(fabric, preload=False, more=section("metrics", listen=f"127.0.0.1:{port}", page=False)))
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    for path in {*FILES, "/events"} - {"/"}:
        assert ask(port, path)[0].status == 404, path
    assert b"<html" not in ask(port, "/")[1]
    config = gateway.config.read_text()
    gateway.config.write_text(config.replace("page = false", "page = true"))
    gateway.control("reload")
    assert b"<html" in ask(port, "/")[1]
    follower = Follower(port)
    assert follower.status == 200 and follower.event()[1]["event"] == "gateway-started"
    gateway.config.write_text(config)
    gateway.control("reload")
    while follower.event():  # the answer ends
        pass
    follower.close()
    assert ask(port, "/state.json")[0].status == 404


def test_it_tells_what_ibtrapctl_tells(site, port):
    site.fabric.unlink("leaf1", 11)
    site.message("link-down")
    shown, alarms = state(port), site.gateway.listed_alarms()
    assert [(one["number"], one["event"], one["severity"], one["text"], one["raised"]) for one in shown["alarms"]] == [
        (one["number"], one["event"], one["severity"], one["text"], one["raised"]) for one in alarms]
    assert sorted((end["name"], end["port"]) for end in shown["alarms"][0]["ends"]) == [("leaf1", 11), ("leaf2", 11)]
    status, health = site.gateway.status(), json.loads(site.gateway.control("health", "--json", check=False).stdout)
    assert shown["health"]["state"] == health["state"] and shown["health"]["alarms"] == health["alarms"]
    assert [one["name"] for one in shown["receivers"]] == [one["name"] for one in status["receivers"]]
    assert [(one["trap"], one["state"]) for one in shown["subscriptions"]] == [
        (one["trap"], one["state"]) for one in status["subscriptions"]]
    assert shown["sweep"]["nodes"] == 8
    svg = xml.etree.ElementTree.fromstring(ask(port, "/fabric.svg")[1])
    assert not list(svg.iter("{http://www.w3.org/2000/svg}style"))  # the page's policy forbids it
    [fault] = [one for one in svg.iter("{http://www.w3.org/2000/svg}path") if one.get("class") == "fault" and one.get("data-ends")]
    assert "leaf1 port 11" in fault[0].text


def test_a_node_is_told_as_ibtrapctl_tells_it(site, port):
    def told(name):
        return json.loads(ask(port, "/node/" + name)[1])

    [node] = json.loads(site.gateway.control("--json", "node", "leaf1").stdout)["nodes"]
    shown = [told(name)["nodes"] for name in ("leaf1", "%6Ceaf1", node["guid"])]
    assert shown == 3 * [[node]]
    assert told("leaf9") == {"version": 1, "nodes": [], "left_out": 0, "nearest": "leaf1"}
    assert told("le%0")["nodes"] == [] and "name or GUID" in told("")["error"]
    assert ask(port, "/node/" + 600 * "x")[0].status == 404
    assert state(port)["gateway_name"] == site.gateway.status()["gateway_name"] != ""


def test_a_node_that_is_gone_has_its_name(site, port):
    site.fabric.unlink("node1")
    site.message("host-removed")
    names = {end["name"] for one in state(port)["alarms"] for end in one["ends"]}
    assert names == {"node1"}  # its link follows from it
    assert b">node1</text>" in ask(port, "/fabric.svg")[1]


def test_events_come_as_they_happen(site, port):
    follower = Follower(port)
    assert follower.headers["content-type"] == "text/event-stream" and "content-security-policy" in follower.headers
    first = follower.event()
    assert first == (1, first[1]) and first[1]["event"] == "gateway-started" and first[1]["number"] == 1
    site.fabric.unlink("leaf1", 11)
    number, down = follower.wait_for("link-down")
    site.fabric.relink("leaf1", 11)
    follower.wait_for("link-up")
    follower.close()
    again = Follower(port, after=number - 1)
    assert again.event() == (number, down)  # a browser goes on where it was
    again.close()
    for strange in (10**18, -5, "x"):
        late = Follower(port, after=strange)
        assert late.event()[0] == 1
        late.close()


def test_a_follower_sees_the_end_of_the_last_run(lone, port):
    assert lone.stop() == 0
    lone.start()
    lone.wait_status(lambda _: True, "ibtrapd to run")
    follower, seen = Follower(port), []
    while [event["event"] for _, event in seen].count("gateway-started") < 2:
        seen.append(follower.event())
    follower.close()
    assert [number for number, _ in seen] == list(range(1, len(seen) + 1))
    assert "gateway-stopped" in [event["event"] for _, event in seen]


def test_followers_are_bounded_and_keep_nobody_out(lone, port):
    followers = [Follower(port) for _ in range(FOLLOWERS)]
    assert {one.status for one in followers} == {200}
    further = Follower(port)
    assert further.status == 503
    further.close()
    assert scrape(port)["ibtrapd_active"] == 1 and ask(port, "/state.json")[0].status == 200
    lone.control("test", "bad-mkey", "--receiver", "standard-output")
    for one in followers:
        assert one.wait_for("bad-mkey")[1]["test"] is True
    followers.pop().close()

    def may_follow():
        one = Follower(port)
        followers.append(one)
        return one.status == 200

    wait_until(may_follow, "the place to be free")
    for one in followers:
        one.close()


def test_who_does_not_read_costs_one_batch(lone, port):
    """Many events, and one who does not read: it gets the last ones, or is dropped, and others are served."""
    with socket.socket() as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        silent.settimeout(30)
        silent.connect(("127.0.0.1", port))
        silent.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        reading = Follower(port)
        for _ in range(30):
            lone.control("test", "bad-mkey", "--receiver", "standard-output")
        count = 0
        while count < 30:
            count += reading.event()[1]["event"] == "bad-mkey"
        assert request(port, path="/healthz").status == 200
        reading.close()


def test_hostile_names_are_texts(port, tmp_path):
    evil = b"</script><img src=x onerror=alert(1)>\\u2028&quot;"
    text = (pathlib.Path(__file__).parents[1] / "lab/nets/small.net").read_bytes()
    text = re.sub(rb'(?m)^(Hca\s+\d+ "node1").*$', lambda one: one[1] + b' # "' + evil + b"\xef\xbf\xbf" + b'"', text)
    evil += b"?"  # U+FFFF: no XML document may have it
    net = tmp_path / "hostile.net"
    net.write_bytes(text)
    with Fabric(net) as fabric:
        fabric.subnet_manager().wait_master()
        with Gateway(fabric, sweep=SWEEP, more=section("metrics", listen=f"127.0.0.1:{port}", page=True)) as gateway:
            gateway.wait_status(lambda one: one["sweep"]["complete"] and one["sweep"]["nodes"] == 8, "a sweep")
            fabric.unlink("node1")
            wait_until(lambda: any(end["name"] == evil.decode() for one in state(port)["alarms"] for end in one["ends"]),
                       "the alarm")
            svg = ask(port, "/fabric.svg")[1]
            titles = [one.text for one in xml.etree.ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")]
            assert any(one.startswith(evil.decode()) for one in titles) and b"<img" not in svg and b"<script" not in svg
            follower = Follower(port)
            assert evil.decode() in follower.wait_for("host-removed")[1]["text"]
            follower.close()


def test_a_slow_reader_of_the_map_stops_nobody(lone, port):
    with socket.create_connection(("127.0.0.1", port), timeout=300) as slow:
        slow.sendall(b"GET /fabric.svg HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert scrape(port)["ibtrapd_active"] == 1
        assert slow.recv(12) == b"HTTP/1.1 200"
