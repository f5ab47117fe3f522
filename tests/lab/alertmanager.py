# SPDX-License-Identifier: BSD-2-Clause
"""Alertmanagers: Debian's, and a server that does what Alertmanager's API v2 promises, and fails on request."""

import datetime
import http.server
import json
import shutil
import signal
import subprocess
import threading
import time
import urllib.parse
import urllib.request

from lab.processes import LabError, wait_until
from lab.sockets import free_port

PROGRAM = shutil.which("prometheus-alertmanager")


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def written(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat().replace("+00:00", "Z")


class Alertmanager:
    """Debian's. Its alerts are in memory: a restart forgets them, as Alertmanager's authors meant it."""

    def __init__(self, directory, config="route: {receiver: none}\nreceivers: [{name: none}]\n"):
        self.directory, self.port, self.process = directory, free_port(), None
        self.url = f"http://127.0.0.1:{self.port}"
        (directory / "alertmanager.yml").write_text(config)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        log = open(self.directory / "alertmanager.log", "ab")  # pylint: disable=consider-using-with
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [PROGRAM, f"--config.file={self.directory}/alertmanager.yml", f"--storage.path={self.directory}/data",
             f"--web.listen-address=127.0.0.1:{self.port}", "--cluster.listen-address="], stdout=log, stderr=log)
        log.close()
        wait_until(self.answers, "Alertmanager to answer")

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def fail(self):
        """It answers no request well until `recover`; what it has stays."""
        self.process.send_signal(signal.SIGSTOP)

    def recover(self):
        self.process.send_signal(signal.SIGCONT)

    def ask(self, path, body=None, method=None):
        request = urllib.request.Request(self.url + path, data=body and json.dumps(body).encode(), method=method,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or "null")

    def answers(self):
        try:
            return self.ask("/api/v2/status")
        except (OSError, LabError):
            return None

    def alerts(self):
        """The active alerts."""
        return self.ask("/api/v2/alerts")


class FakeAlertmanager(Alertmanager):
    """A server of the tests with the same interface. `fault` is what it does with requests instead of its work: None, a
    status, or "hang"; `post_fault`, with posts of alerts only. It answers 400 to a post with an alert that `refuses` returns True
    for, and takes nothing of it. `answer`: octets that it answers to a post. `greetings`: how many posts had no alert."""

    def __init__(self, directory):  # pylint: disable=super-init-not-called
        self.directory, self.port, self.server = directory, free_port(), None
        self.url = f"http://127.0.0.1:{self.port}"
        self.kept, self.posts, self.greetings, self.fault, self.ahead = {}, [], 0, None, 0
        self.tokens = []  # of the posts: the headers Authorization
        self.post_fault, self.refuses, self.answer = None, lambda alert: False, None
        self.lock = threading.Lock()

    def start(self):
        self.kept = {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), type("Handler", (_Handler,), {"peer": self}))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
        self.server = None

    def fail(self):
        self.fault = 503

    def recover(self):
        self.fault = None

    def now(self):
        return time.time() + self.ahead

    def answers(self):
        return self.server is not None

    def alerts(self):
        with self.lock:
            return self.active()

    def active(self):
        now = self.now()
        return [{"labels": one["labels"], "annotations": one["annotations"], "startsAt": written(one["start"]),
                 "endsAt": written(one["end"]), "updatedAt": written(one["updated"]), "fingerprint": "0",
                 "receivers": [{"name": "none"}], "status": {"state": "active", "silencedBy": [], "inhibitedBy": []}}
                for one in self.kept.values() if one["end"] > now]

    def take(self, alerts):
        """As Alertmanager's documentation says: labels identify, the earliest start and the latest end count."""
        now = self.now()
        for alert in alerts:
            labels = {name: value for name, value in alert["labels"].items() if value}
            key = json.dumps(labels, sort_keys=True)
            end = moment(alert["endsAt"])
            start = moment(alert["startsAt"]) if "startsAt" in alert else min(end, now)
            assert labels and start <= end, alert
            old = self.kept.get(key)
            if old and old["start"] < end and start < old["end"]:
                start = min(start, old["start"])
                if end > now:
                    end = max(end, old["end"])
            self.kept[key] = {"labels": labels, "annotations": alert.get("annotations", {}), "start": start, "end": end,
                              "updated": now}


class _Handler(http.server.BaseHTTPRequestHandler):
    peer = None
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string(self.peer.now() if timestamp is None else timestamp)

    def say(self, status, body):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
        except ConnectionError:  # the other side has enough
            self.close_connection = True

    def fails(self, its_fault=None):
        if not self.peer.server:  # a connection from before the stop
            self.close_connection = True
            return True
        fault = self.peer.fault or its_fault
        if fault == "hang":
            time.sleep(30)
        if isinstance(fault, int):
            self.say(fault, {"message": "no"})
        return bool(fault)

    def do_GET(self):  # pylint: disable=invalid-name
        if self.fails():
            return
        url = urllib.parse.urlsplit(self.path)
        with self.peer.lock:
            self.say(200, self.peer.active() if url.path == "/api/v2/alerts" else {})

    def do_POST(self):  # pylint: disable=invalid-name
        alerts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.fails(alerts and self.peer.post_fault):
            return
        if any(self.peer.refuses(alert) for alert in alerts):
            self.say(400, "start time must be before end time")
            return
        with self.peer.lock:
            if alerts:
                self.peer.posts.append(alerts)
                self.peer.tokens.append(self.headers["Authorization"])
            else:
                self.peer.greetings += 1
            self.peer.take(alerts)
        self.say(200, self.peer.answer or {})
