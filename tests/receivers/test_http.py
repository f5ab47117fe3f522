# SPDX-License-Identifier: BSD-2-Clause
"""The receiver kind http alone, at a server of the tests that fails in every way.

The promise: what is confirmed was in a request that the server answered with 2xx, in the order of the events but for
repeats, and nothing waits for ever behind a failure that passed."""

import base64
import datetime
import email.utils
import gzip
import json
import os
import re
import ssl
import subprocess
import sys
import time

import pytest
from lab.fabric import BUILD
from lab.http_server import Server, answer, close, each, flood, hang, raw, trickle
from lab.sockets import has_localhost
from peers import Authority

PROGRAM = BUILD / "tests" / "receivers" / "send_http"
CALL_MS = 300_000  # no call waits for ever (sink.h: five seconds; a busy machine adds to them)

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="built without libcurl")


class Done:
    def __init__(self, process):
        self.status, self.text = process.returncode, process.stderr

    def said(self, word):
        return [line.split(" ", 1)[1] for line in self.text.splitlines() if line.startswith(word + " ")]

    @property
    def errors(self):
        return "\n".join(self.said("error"))

    @property
    def acked(self):
        return max(map(int, self.said("acked")), default=0)


def send(url, status=0, environment=None, **options):
    process = subprocess.run([PROGRAM, f"url={url}", *(f"{name}={value}" for name, value in options.items())], text=True,
                             capture_output=True, timeout=300, check=False, env={**os.environ, **(environment or {})})
    done = Done(process)
    assert done.status == status, done.text
    if status != 2:
        assert float(done.said("slowest")[0]) < CALL_MS, done.text
    return done


def numbers(request):
    """The events of a request in JSON."""
    events = request.json
    return [int(one["id"][-12:]) for one in (events if isinstance(events, list) else [events])]


def accepted(server):
    return [n for request in server.accepted for n in numbers(request)]


def check_order(came, count, missing=()):
    """Each number comes, and for the first time behind those before it."""
    first = list(dict.fromkeys(came))
    assert first == [n for n in range(count) if n not in missing]


# What arrives.

def test_batches_arrive_in_order_over_one_connection():
    with Server() as server:
        send(server.url + "/in?site=a", count=1000, batch=64)
        assert accepted(server) == list(range(1000))
        assert server.connections == 1
        assert max(len(numbers(request)) for request in server.requests) == 64
        assert len(server.requests) < 60, "batches are full"
        first = server.requests[0]
        assert (first.method, first.target) == ("POST", "/in?site=a")
        assert first.headers["content-type"] == "application/json" and "expect" not in first.headers
        assert first.headers["user-agent"].startswith("ibtrapd/") and "authorization" not in first.headers
        assert first.headers["host"] == f"127.0.0.1:{server.port}"


def test_an_event_does_not_wait_for_others():
    with Server() as server:
        assert float(send(server.url, count=1).said("took")[0]) < 2
        assert accepted(server) == [0]


def test_a_request_has_what_came_during_the_one_before():
    slow = each(lambda _: time.sleep(0.05) or 200)
    with Server(slow) as server:
        send(server.url, count=600, batch=200)
        assert accepted(server) == list(range(600))
        assert len(server.requests) <= 6


def test_batch_size_bounds_a_request():
    with Server() as server:
        send(server.url, count=300, batch=512, batch_size=16384)
        assert accepted(server) == list(range(300))
        assert max(len(request.body) for request in server.requests) <= 16384 < sum(len(r.body) for r in server.requests)


def test_gzip():
    with Server() as server:
        send(server.url, count=200, gzip=1)
        assert accepted(server) == list(range(200))
        packed = [request for request in server.requests if len(request.body) >= 1024]
        assert packed and all(request.headers["content-encoding"] == "gzip" for request in packed)
        assert sum(len(request.raw) for request in packed) < sum(len(request.body) for request in packed) / 3
        send(server.url, count=1, gzip=1)
        assert "content-encoding" not in server.requests[-1].headers, "a short body is sent as it is"


def test_cloudevents():
    with Server() as server:
        send(server.url, count=20, format="cloudevents")
        [request] = server.requests
        assert request.headers["content-type"] == "application/cloudevents-batch+json; charset=utf-8"
        assert [one["specversion"] for one in request.json] == ["1.0"] * 20
        assert [int(one["data"]["id"][-12:]) for one in request.json] == list(range(20))


def test_one_cloudevent_for_each_request_is_structured():
    with Server() as server:
        send(server.url, count=5, format="cloudevents", batch=1)
        assert [int(request.json["id"][-12:]) for request in server.requests] == list(range(5))
        assert server.requests[0].headers["content-type"] == "application/cloudevents+json; charset=utf-8"


def secret(tmp_path, content, name="secret"):
    path = tmp_path / name
    path.write_text(content)
    path.chmod(0o600)
    return path


def test_credentials(tmp_path):
    with Server() as server:
        send(server.url, token_file=secret(tmp_path, "tok-en\n"), header="X-Scope-OrgID: fabric")
        assert server.requests[0].headers["authorization"] == "Bearer tok-en"
        assert server.requests[0].headers["x-scope-orgid"] == "fabric"
        send(server.url, user="me", password_file=secret(tmp_path, "pass:word\n"))
        assert server.requests[1].headers["authorization"] == "Basic " + base64.b64encode(b"me:pass:word").decode()


def test_a_header_with_a_secret(tmp_path):
    file = secret(tmp_path, "X-Api-Key: k-e-y-of-mine\n")
    with Server(repeat) as server:
        done = send(server.url, status=1, once=1, header_file=file, header="X-Scope-OrgID: fabric")
        assert server.requests[0].headers["x-api-key"] == "k-e-y-of-mine"
        assert server.requests[0].headers["x-scope-orgid"] == "fabric"
        assert "no: " in done.errors and "k-e-y-of" not in done.text
    with Server() as server:
        send(server.url, header_file=file, token_file=secret(tmp_path, "tok-en\n", "token"))
        assert server.requests[0].headers["authorization"] == "Bearer tok-en"
        assert server.requests[0].headers["x-api-key"] == "k-e-y-of-mine"


def test_a_token_is_read_again_after_a_failure(tmp_path):
    token = secret(tmp_path, "old\n")

    def renew(request):
        token.write_text("new\n")
        return 200 if request.headers["authorization"] == "Bearer new" else 401
    with Server(each(renew)) as server:
        done = send(server.url, token_file=token)
        assert "status 401: it does not accept the credentials: check 'token_file'" in done.errors
        assert "old" not in done.text and "new" not in done.text
        assert accepted(server) == [0]


def repeat(connection, request):
    return answer(403, body=f"no: {json.dumps(dict(request.headers))}")(connection, request)


def test_a_server_that_repeats_the_token_tells_it_to_nobody(tmp_path):
    for length in (4, 40, 150, 1000):  # of long ones only the beginning is in the words
        token = "".join(chr(33 + (i * i + 7 * i) % 90) for i in range(length)).replace('"', "q").replace("\\", "b")
        with Server(repeat) as server:
            done = send(server.url, status=1, once=1, token_file=secret(tmp_path, token + "\n"))
            assert "403" in done.errors and "*" * min(length, 8) in done.errors
            assert not any(token[i:i + 8] in done.text for i in range(max(1, length - 8)))


def test_a_server_that_repeats_a_password_tells_it_to_nobody(tmp_path):
    for user, password in (("me", "pass:word"), ("m", "12345678"), ("mee", "1234567")):
        basic = base64.b64encode(f"{user}:{password}".encode()).decode()
        for body in (basic, password):
            with Server(answer(403, body=f"no: {body}.")) as server:
                done = send(server.url, status=1, once=1, user=user,
                            password_file=secret(tmp_path, password + "\n"))
                assert f"no: {'*' * len(body)}." in done.errors and body not in done.text


@pytest.mark.parametrize("content, reason", [("a\rX-Other: b\n", "control character"), ("\n", "empty")])
def test_a_token_that_would_break_the_request_is_refused(tmp_path, content, reason):
    with Server() as server:
        done = send(server.url, status=1, once=1, token_file=secret(tmp_path, content))
        assert "item 'token_file'" in done.errors and reason in done.errors
        assert not server.requests


def test_nothing_of_the_environment_is_used():
    with Server() as server, Server() as proxy:
        send(server.url, environment={"http_proxy": proxy.url, "ALL_PROXY": proxy.url, "all_proxy": proxy.url})
        assert accepted(server) == [0] and not proxy.requests and proxy.connections == 0


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "http://me:secret@127.0.0.1/", "file:///etc/passwd", "http://", "x"])
def test_other_urls_are_refused(url):
    done = send(url, status=2)
    assert "'url'" in done.text and "secret" not in done.text


# Failures that pass: the first answers are bad, the next ones good. `said` is in the sentence that the admin gets.

PASSING = {
    "closes": (close, "it ended the connection without an answer"),
    "breaks off in the headers": (raw("HTTP/1.1 200 OK\r\nContent-Le"), "broke off|without an answer"),
    "breaks off in the body": (raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), "broke off"),
    "breaks off in a chunk": (raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\nhalf"), "broke off"),
    "garbage": (raw("\x00\x01\x02\xff garbage\r\n\r\n".encode("latin-1")), "does not answer as an HTTP server"),
    "another protocol": (raw("220 mail.example.org ESMTP\r\n"), "does not answer as an HTTP server"),
    "moved": (answer(301, "Location: http://127.0.0.1:9/"), "redirects, and redirects are not followed"),
    "elsewhere": (answer(307, "Location: /other"), "give the final address in 'url'"),
    "unauthorised": (answer(401, "WWW-Authenticate: Basic"), "does not accept the credentials"),
    "forbidden": (answer(403), "the right to write"),
    "not found": (answer(404), "check the path in 'url'"),
    "no POST": (answer(405), "check the path in 'url'"),
    "other content": (answer(415), "'gzip'"),
    "too many": (answer(429), "status 429: it gets too many requests"),
    "a problem": (answer(500, body="disk\r\nfull\x1b[2J"), r"status 500: it has a problem of its own\. It says: disk full\?\[2J$"),
    "not now": (answer(503), "status 503"),
    "strange": (answer(799), "status 799"),
    "endless headers": (flood("HTTP/1.1 200 OK\r\n", "X-Filler: " + "x" * 1000 + "\r\n"), "headers are longer|broke off"),
    "endless continue": (flood("", "HTTP/1.1 100 Continue\r\n\r\n" * 100), "headers are longer"),
    "one long header": (flood("HTTP/1.1 200 OK\r\nX-Filler: ", "x" * 4096), "broke off|headers are longer"),
}


@pytest.mark.parametrize("name", PASSING)
def test_a_failure_that_passes_loses_nothing(name):
    bad, said = PASSING[name]
    with Server(answer(200), bad, bad, answer(200)) as server:
        done = send(server.url, count=400, batch=50)
        assert re.search(said, done.errors, re.MULTILINE), done.errors
        assert f"{server.url}: " in done.errors
        check_order(accepted(server), 400)
        assert done.acked == 400 and not done.said("gave-up")


@pytest.mark.parametrize("bad", [hang, trickle("HTTP/1.1 200 OK\r\nX: "),
                                 trickle("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")],
                         ids=["no answer", "slow headers", "slow body"])
def test_a_slow_server_is_given_up_in_time(bad):
    with Server(bad, answer(200)) as server:
        done = send(server.url, count=100, timeout=1)
        assert "it does not answer within 1 s" in done.errors
        check_order(accepted(server), 100)


def test_continue_is_passed_over():
    def hesitate(connection, request):
        connection.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        return answer(200)(connection, request)
    with Server(hesitate) as server:
        assert not send(server.url, count=100, batch=10).errors
        assert accepted(server) == list(range(100))


def test_chunks_and_trailers_are_read():
    whole = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n"
    with Server(raw(whole, keep=True)) as server:
        assert not send(server.url, count=20, batch=10).errors
        assert len(server.requests) == 2 and server.connections == 1


def test_a_server_that_ends_each_connection():
    with Server(answer(200, "Connection: close", keep=False)) as server:
        assert not send(server.url, count=50, batch=10).errors
        assert accepted(server) == list(range(50)) and server.connections == len(server.requests)


def test_a_connection_that_was_ended_silently_is_renewed():
    with Server(answer(200, keep=False)) as server:  # the client cannot know before it sends
        send(server.url, count=50, batch=10)
        check_order(accepted(server), 50)


def test_a_huge_answer_is_not_read_and_the_events_count():
    with Server(flood("HTTP/1.1 200 OK\r\n\r\n", "x" * 65536)) as server:
        done = send(server.url, count=100, batch=50)
        assert done.acked == 100 and not done.errors
        assert [n for request in server.requests for n in numbers(request)] == list(range(100))


def test_statuses_of_2xx_are_all_good():
    with Server(answer(202), answer(299), raw("HTTP/1.1 204 No Content\r\n\r\n", keep=True)) as server:
        assert not send(server.url, count=30, batch=10).errors
        assert len(server.requests) == 3


def test_nobody_listens():
    with Server() as server:
        pass
    done = send(server.url, status=1, once=1)
    assert f"{server.url}: cannot connect: Connection refused" in done.errors


@pytest.mark.skipif(not has_localhost(), reason="no /etc/hosts, as in a minimal root")
def test_a_name_with_several_addresses():
    """localhost may have ::1, too, where nobody listens."""
    with Server() as server:
        assert not send(server.url.replace("127.0.0.1", "localhost"), count=5, batch=1).errors
        assert accepted(server) == list(range(5)) and server.connections == 1
        assert server.requests[0].headers["host"] == f"localhost:{server.port}"


def test_the_zone_of_an_address_is_kept_to():
    """Without its zone a link-local address leads nowhere. One at the loopback takes a network of the test's own."""
    own = ["unshare", "--user", "--map-root-user", "--net"]
    prepare = "ip link set lo up && ip -6 address add fe80::1/64 dev lo nodad"
    if subprocess.run([*own, "sh", "-c", prepare], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may have no network of its own")
    script = """
import socket, subprocess, sys
with socket.socket(socket.AF_INET6) as listener:
    listener.bind(("fe80::1", 0, 0, socket.if_nametoindex("lo")))
    listener.listen()
    listener.settimeout(20)
    port = listener.getsockname()[1]
    with subprocess.Popen([sys.argv[1], f"url=http://[fe80::1%25lo]:{port}/"]) as client:
        connection, _ = listener.accept()
        head = b""
        while b"\\r\\n\\r\\n" not in head:
            head += connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n")
        assert client.wait(20) == 0
        assert f"Host: [fe80::1]:{port}\\r\\n".encode() in head, head
"""
    subprocess.run([*own, "sh", "-c", prepare + ' && exec "$@"', "sh", sys.executable, "-c", script, PROGRAM], check=True,
                   timeout=300)


def test_a_name_that_nobody_has():
    done = send("http://no-such-host.invalid:8080/", status=1, once=1)
    assert "no-such-host.invalid" in done.errors


def bulk(words):
    def behave(connection, request):
        items = [{"create": {"status": 201, "words": words}} for _ in request.body.splitlines()[1::2]]
        return answer(200, body=json.dumps({"errors": True, "items": items}))(connection, request)
    return behave


def test_an_answer_about_each_event_may_be_long_and_is_bounded():
    with Server(bulk("x" * 1900)) as server:
        done = send(server.url, count=1024, batch=512, format="elasticsearch")
        assert done.acked == 1024 and not done.errors
    with Server(answer(200, body='{"errors":true,"items":[' + "{}," * 500000 + "{}]}")) as server:
        done = send(server.url, status=1, once=1, format="elasticsearch", batch=512)
        assert "its answer is longer than 1310720 octets: make 'batch' smaller" in done.errors


def test_a_packed_answer_is_not_unpacked():
    """ibtrapd asks for none. This one is 64 MiB of zeros."""
    bomb = gzip.compress(bytes(64 << 20))

    def pack(connection, request):
        request.accepted = True
        connection.send(f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n".encode() + bomb)
        return True
    with Server(pack) as server:
        assert not send(server.url, count=100, batch=50).errors
        assert accepted(server) == list(range(100))
        assert not any("accept-encoding" in request.headers for request in server.requests)
        done = send(server.url, status=1, once=1, format="elasticsearch")
        assert "not that of Elasticsearch" in done.errors


@pytest.mark.parametrize("items", [0, 1, 3, 10002])
def test_an_answer_about_other_events_confirms_nothing(items):
    """One about far too many is not read."""
    problem = f"has {items} items for 2 events" if items < 10000 else "is not that of Elasticsearch"
    body = json.dumps({"errors": True, "items": [{"create": {"status": 201}}] * items})
    with Server(answer(200, body=body)) as server:
        done = send(server.url, status=1, once=1, count=2, format="elasticsearch")
        assert f"its answer {problem}" in done.errors and done.acked == 0


# Retry-After.

def in_seconds(seconds):
    return f"Retry-After: {seconds}"


def as_a_date(seconds):
    when = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return "Retry-After: " + email.utils.format_datetime(when, usegmt=True)


@pytest.mark.parametrize("status, form", [(429, in_seconds), (503, as_a_date)])
def test_retry_after_is_kept_to(status, form):
    times = []

    def note(_):
        times.append(time.monotonic())
        return 200

    def wait(connection, request):
        times.append(time.monotonic())
        return answer(status, form(3))(connection, request)
    with Server(wait, each(note)) as server:
        done = send(server.url, count=10, batch=10)
        assert re.search(r"it asks to wait [23] s", done.errors)
        assert times[1] - times[0] > 1.9  # a date has whole seconds
        check_order(accepted(server), 10)


@pytest.mark.parametrize("ahead", [-7200, 7200])
def test_a_date_to_retry_after_is_by_the_clock_of_the_server(ahead):
    def at(seconds):
        return as_a_date(ahead + seconds)[len("Retry-After: "):]
    with Server(answer(503, f"Retry-After: {at(100)}", f"Date: {at(0)}"), answer(200)) as server:
        done = send(server.url, status=1, once=1)
        assert re.search(r"it asks to wait (99|100|101) s", done.errors), done.errors


@pytest.mark.parametrize("value", ["999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_hostile_retry_after_is_bounded(value):
    with Server(answer(429, f"Retry-After: {value}"), answer(200)) as server:
        done = send(server.url, status=1, once=1)
        assert re.search(r"it asks to wait 3600 s", done.errors), done.errors


@pytest.mark.parametrize("value", ["-5", "soon", "", "99999999999999999999", "0", "Thu, 01 Jan 1970 00:00:00 GMT"])
def test_a_strange_retry_after_is_none(value):
    with Server(answer(503, f"Retry-After: {value}"), answer(200)) as server:
        done = send(server.url)
        assert "asks to wait" not in done.errors and accepted(server) == [0]


# Refusals.

@pytest.mark.parametrize("status", [400, 409, 422])
def test_only_the_event_that_is_refused_is_given_up(status):
    def judge(request):
        return status if 77 in numbers(request) else 200
    with Server(each(judge)) as server:
        done = send(server.url, count=300, batch=50)
        assert done.said("gave-up") == ["77"]
        assert f"status {status}: it refuses a request" in done.errors
        assert f"status {status}: it refuses an event" in done.errors
        check_order(accepted(server), 300, missing={77})
        assert len(numbers(server.requests[-1])) > 1, "events go together again"
        alone = [request for request in server.requests if numbers(request) == [77]]
        assert len(alone) >= 4


def test_a_request_too_large_is_made_smaller():
    def judge(request):
        return 413 if len(request.body) > 20000 else 200
    with Server(each(judge)) as server:
        done = send(server.url, count=1000, batch=500)
        assert not done.said("gave-up") and "413: a request is too large" in done.errors
        check_order(accepted(server), 1000)
        refused = [request for request in server.requests if not request.accepted]
        assert len(refused) < 8, "it finds a size, and stays with it"


def test_requests_grow_again_where_a_server_takes_larger_ones():
    def judge(request):
        if not server.accepted:
            return 413 if len(request.body) > 3000 else 200
        return 200
    with Server(each(judge)) as server:
        done = send(server.url, count=3000, batch=512, batch_size=16384)
        assert "413: a request is too large" in done.errors
        check_order(accepted(server), 3000)
        small = server.accepted[:60]
        assert max(len(request.body) for request in small) < 3000, "it stays with what it found for a while"
        assert max(len(request.body) for request in server.accepted) > 6000


def test_requests_that_cannot_grow_are_tried_seldom():
    def judge(request):
        return 413 if len(request.body) > 3000 else 200
    with Server(each(judge)) as server:
        send(server.url, count=3000, batch=512, batch_size=16384)
        check_order(accepted(server), 3000)
        assert len(server.accepted) > 500
        refused = [request for request in server.requests if not request.accepted]
        assert 4 <= len(refused) < 4 + 6, "after 64, 128, 256 requests"


def test_a_server_that_refuses_before_it_has_read():
    with Server(limit=50000) as server:
        done = send(server.url, count=1000, batch=512)
        assert "413: a request is too large" in done.errors and not done.said("gave-up")
        check_order(accepted(server), 1000)


def test_an_event_too_large_is_given_up():
    def judge(request):
        return 413 if 5 in numbers(request) else 200
    with Server(each(judge)) as server:
        done = send(server.url, count=20)
        assert done.said("gave-up") == ["5"]
        check_order(accepted(server), 20, missing={5})


# TLS.

@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"), "ca")


@pytest.fixture(scope="module")
def certificate(authority):
    return authority.issue("good")


@pytest.fixture(scope="module")
def client(authority):
    return authority.issue("client", subject="DNS:gateway")


def serving(certificate, ca=None, least=ssl.TLSVersion.TLSv1_2, most=ssl.TLSVersion.TLSv1_3):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.cert, certificate.key)
    context.minimum_version, context.maximum_version = least, most
    if ca:
        context.load_verify_locations(ca)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def test_tls(authority, certificate):
    with Server(context=serving(certificate)) as server:
        assert not send(server.url, count=100, batch=10, ca=authority.file).errors
        assert accepted(server) == list(range(100)) and server.connections == 1


def test_a_certificate_with_another_name(authority):
    with Server(context=serving(authority.issue("other", subject="DNS:collector.example.org"))) as server:
        done = send(server.url, status=1, once=1, ca=authority.file)
        assert "its certificate is not accepted" in done.errors and not server.requests
        assert not send(server.url, ca=authority.file, name="collector.example.org").errors
        assert server.requests[0].headers["host"] == f"127.0.0.1:{server.port}"


def test_a_certificate_that_has_expired(authority):
    with Server(context=serving(authority.issue("old", expired=True))) as server:
        done = send(server.url, status=1, once=1, ca=authority.file)
        assert "certificate has expired" in done.errors and not server.requests


def test_an_authority_that_is_not_trusted(authority, certificate, tmp_path):
    other = Authority(tmp_path, "other")
    with Server(context=serving(certificate)) as server:
        assert "its certificate is not accepted" in send(server.url, status=1, once=1, ca=other.file).errors
        assert "its certificate is not accepted" in send(server.url, status=1, once=1).errors
        assert not server.requests


def test_a_certificate_that_was_revoked(authority, certificate):
    bad = authority.issue("revoked")
    crl = authority.revoke(bad)
    with Server(context=serving(certificate)) as server:
        assert not send(server.url, ca=authority.file, crl=crl).errors
    with Server(context=serving(bad)) as server:
        assert "revoked" in send(server.url, status=1, once=1, ca=authority.file, crl=crl).errors
        assert not server.requests


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_mutual_tls(authority, certificate, client, version):
    with Server(context=serving(certificate, ca=authority.file, least=version, most=version)) as server:
        done = send(server.url, status=1, once=1, ca=authority.file)
        assert "broke off" in done.errors and not server.requests
        assert not send(server.url, count=20, ca=authority.file, cert=client.cert, key=client.key).errors
        assert accepted(server) == list(range(20))


def test_a_key_that_others_can_read_is_refused(authority, certificate, client, tmp_path):
    key = tmp_path / "key"
    key.write_bytes(client.key.read_bytes())
    key.chmod(0o644)
    with Server(context=serving(certificate)) as server:
        done = send(server.url, status=1, once=1, ca=authority.file, cert=client.cert, key=key)
        assert "item 'key_file'" in done.errors and not server.requests


def test_plain_http_at_a_tls_port_and_the_other_way_round(authority, certificate):
    with Server(context=serving(certificate)) as server:
        assert send(server.url.replace("https", "http"), status=1, once=1).errors
    with Server() as server:
        done = send(server.url.replace("http", "https"), status=1, once=1, timeout=1, ca=authority.file)
        assert "it does not accept a connection in time" in done.errors


# Renewal: of a receiver that never fails.

RENEW_MS = 50


def at_leisure(behave=answer(200)):
    """Answers in a while, so that the receiver grows old."""
    def wait(connection, request):
        time.sleep(0.01)
        return behave(connection, request)
    return wait


def renew(server, behave, **options):
    """The server does `behave` after some requests. No request fails. Returns the requests behind that one."""
    def answer_one(connection, request):
        if len(server.requests) == 5:
            behave()
        return answer(200)(connection, request)
    server.script = [at_leisure(answer_one)]
    done = send(server.url, count=500, batch=5, renew=RENEW_MS, **options)
    assert not done.errors
    assert accepted(server) == list(range(500)) and server.connections > 1
    return server.requests[5:]


def test_a_token_is_renewed_without_a_failure(tmp_path):
    token = secret(tmp_path, "old\n")
    with Server() as server:
        later = renew(server, lambda: token.write_text("new\n"), token_file=token)
        tokens = [request.headers["authorization"] for request in later]
        assert tokens[-1] == "Bearer new" and tokens == sorted(tokens, reverse=True)  # "old" is behind "new"


def test_a_token_that_cannot_be_read_is_not_taken(tmp_path):
    token = secret(tmp_path, "old\n")
    states = iter([lambda: token.write_text(""), token.unlink, lambda: token.touch(0o600),
                   lambda: token.write_text("new\n")])

    def change():
        for state in states:
            state()
            yield

    with Server() as server:
        step = change()

        def rotate(connection, request):
            if len(server.requests) % 15 == 0:
                next(step, None)
            return answer(200)(connection, request)
        server.script = [at_leisure(rotate)]
        done = send(server.url, count=500, batch=5, renew=RENEW_MS, token_file=token)
        assert not done.errors and accepted(server) == list(range(500))
        tokens = [request.headers["authorization"] for request in server.requests]
        assert {*tokens} == {"Bearer old", "Bearer new"} and tokens == sorted(tokens, reverse=True)


def test_a_client_certificate_is_renewed_without_a_failure(authority, certificate, client, tmp_path):
    other = authority.issue("second", subject="DNS:gateway")
    cert, key = tmp_path / "cert", secret(tmp_path, client.key.read_text(), "key")
    cert.write_bytes(client.cert.read_bytes())

    def rotate():
        cert.write_bytes(other.cert.read_bytes())
        key.write_bytes(other.key.read_bytes())

    seen = []

    class Watched(Server):
        def _talk(self, connection):
            seen.append(connection.socket.getpeercert()["serialNumber"])
            super()._talk(connection)

    with Watched(context=serving(certificate, ca=authority.file)) as server:
        renew(server, rotate, ca=authority.file, cert=cert, key=key)
    assert len({*seen}) == 2 and seen[0] != seen[-1]


def test_a_name_that_moves_is_followed_without_a_failure(tmp_path):
    """The hosts of the client's own file system say which server the name is."""
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.2 collector.test\n")
    own = ["unshare", "--user", "--map-root-user", "--mount"]
    inside = [*own, "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', str(hosts)]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may have no file systems of its own")

    def move(connection, request):
        if len(first.requests) == 5:
            hosts.write_text("127.0.0.3 collector.test\n")
        return answer(200)(connection, request)

    with Server(at_leisure(move), host="127.0.0.2") as first, \
            Server(at_leisure(), host="127.0.0.3", port=first.port) as second:
        url = f"http://collector.test:{first.port}/"
        done = subprocess.run([*inside, PROGRAM, f"url={url}", "count=500", "batch=5", f"renew={RENEW_MS}"], check=True,
                              capture_output=True, text=True, timeout=300)
        assert "error" not in done.stderr
        assert accepted(first) + accepted(second) == list(range(500))
        assert second.requests and len(first.requests) >= 5


# Everything at once.

def test_a_server_that_fails_at_random_loses_nothing_and_keeps_the_order():
    bad = [close, answer(500), answer(429), raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), answer(200, keep=False),
           raw("nonsense"), answer(200), answer(200, "Connection: close", keep=False), answer(301), answer(413)]
    script = [bad[(i * i * 7 + i) % len(bad)] for i in range(60)]
    with Server(*script, answer(200)) as server:
        done = send(server.url, count=3000, batch=100, gzip=1)
        came = accepted(server)
        check_order(came, 3000)
        assert done.acked == 3000
        for request in server.requests:
            part = numbers(request)
            assert part == list(range(part[0], part[0] + len(part))), "a request has its events in a row"
