# SPDX-License-Identifier: BSD-2-Clause
"""The page about Elasticsearch behind rsyslog: what RELP has confirmed is at the last hop in the end, a server that speaks
_bulk."""

import contextlib
import pathlib
import shutil
import subprocess

import peers
import pytest
from lab import pages
from lab.processes import LabError, Process, wait_until
from lab.sockets import free_port
from search_server import SearchServer

MODULES = next(pathlib.Path("/usr/lib").glob("*/rsyslog"), pathlib.Path("/nowhere"))
needs_omelasticsearch = pytest.mark.skipif(not (MODULES / "omelasticsearch.so").exists(), reason="no omelasticsearch")


# The lines of imrelp with certificates, which the page takes from another.
WITH_TLS = {'load="imrelp" ruleset="ibtrapd"': 'load="imrelp" ruleset="ibtrapd" tls.tlslib="openssl"',
            'port="2514"': 'port="2514" tls="on" tls.caCert="/etc/rsyslog/ca.pem" tls.myCert="/etc/rsyslog/collector.pem" '
                           'tls.myPrivKey="/etc/rsyslog/collector.key" tls.authMode="certvalid"'}


class Collector:
    """rsyslogd with a block of the page, without TLS or with it."""

    def __init__(self, directory, words, changes, tls):
        self._directory, self.port = directory, free_port()
        authority = peers.Authority(directory, "ca")
        self._certificate, self._authority, self._gateway = authority.issue("collector"), authority, authority.issue("gateway")
        self._tls = tls
        (directory / "collector").mkdir()
        [command] = [one for one in pages.indented("log-pipelines") if one.startswith("install ")]
        subprocess.run(["sh", "-euc", pages.adapted(command, {"/var/log/ibtrapd": directory / "log"})], check=True)
        text = pages.adapted(pages.block("log-pipelines", "rsyslog", words), (WITH_TLS if tls else {}) | {
            '"2514"': f'"{self.port}" address="127.0.0.1"', "/etc/rsyslog/ca.pem": authority.file,
            "/etc/rsyslog/collector.pem": self._certificate.cert, "/etc/rsyslog/collector.key": self._certificate.key,
            "/var/log/ibtrapd": directory / "log", 'resumeInterval="5"': 'resumeInterval="1"'} | changes)
        self._config = directory / "rsyslog.conf"
        self._config.write_text(f'global(workDirectory="{directory}/collector")\n{text}')
        self._process = None

    def __enter__(self):
        pid = self._directory / "rsyslogd.pid"
        pid.unlink(missing_ok=True)
        self._process = Process("rsyslogd", ["/usr/sbin/rsyslogd", "-n", "-f", self._config, "-i", pid],
                                log=self._directory / "rsyslogd.log", cwd=self._directory)
        self._process.wait_ready(lambda: peers.accepting(self.port), "rsyslogd to listen")
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        return self._process.stop()

    def kill(self):
        self._process.kill()

    @property
    def log(self):
        return self._process.log_text()

    def options(self, **more):
        """Those of the sender."""
        with_tls = {"transport": "relp-tls", "ca": self._authority.file, "cert": self._gateway.cert, "key": self._gateway.key}
        return (with_tls if self._tls else {"transport": "relp"}) | {"port": self.port, "format": "ecs", "deadline": 60} | more


def identifiers(count):
    return {f"01990000-0000-7000-8000-{number:012}" for number in range(count)}


def acknowledge(sender, collector, count, **more):
    """Sends so many events; each is confirmed."""
    process = sender(**collector.options(count=count, **more))
    assert process.wait(60) == 0, process.errors


# Elasticsearch.

@pytest.fixture(params=[False, True], ids=["tcp", "tls"])
def search(tmp_path, request):
    server = SearchServer()
    collector = Collector(tmp_path, "omelasticsearch",
                          {'server="search.example.org" serverport="9200"': f'server="127.0.0.1" serverport="{server.port}"'}, request.param)
    with collector:
        yield server, collector
        server.__exit__()


def wait_documents(server, count, but=frozenset()):
    def missing():
        return sorted(identifiers(count) - but - {one for _, one in server.documents})

    with contextlib.suppress(LabError):
        wait_until(lambda: not missing(), "all documents")
    assert missing() == []


@needs_omelasticsearch
def test_documents_are_the_events(search, sender):
    server, collector = search
    with server:
        acknowledge(sender, collector, 20)
        wait_documents(server, 20)
    for (index, identifier), document in server.documents.items():
        assert index == "ibtrapd" and document["event"]["id"] == identifier
        assert document["ecs"]["version"] and document["@timestamp"] and document["message"]
    assert server.doubles == 0


@needs_omelasticsearch
def test_nothing_is_confirmed_that_elasticsearch_has_not(search, sender):
    """It is away at first, and rsyslog is killed under load."""
    server, collector = search
    process = sender(**collector.options(count=200, pause=1000))
    wait_until(lambda: "suspending" in collector.log, "rsyslog to find nobody")
    assert process.acknowledged == 0
    with server:
        wait_until(lambda: process.acknowledged > 60, "some to be confirmed")
        collector.kill()
        assert process.acknowledged <= len(server.documents)
        with collector:
            assert process.wait(60) == 0, process.errors
            wait_documents(server, 200)


def post_again(server, path):
    """What the page says: rsyslog's file has the requests that were refused."""
    command = next(one for one in pages.indented("log-pipelines") if "jq" in one)
    command = pages.adapted(command, {"/var/log/ibtrapd/refused.json": path, "search.example.org:9200": f"127.0.0.1:{server.port}"})
    subprocess.run(["sh", "-euc", command], check=True, capture_output=True, timeout=300)


@needs_omelasticsearch
@pytest.mark.skipif(not shutil.which("curl") or not shutil.which("jq"), reason="no curl or no jq")
def test_what_elasticsearch_refuses_is_in_a_file_and_can_be_sent_again(search, sender, tmp_path):
    """It refuses one, has no time for another, and later for any."""
    server, collector = search
    bad, busy = "01990000-0000-7000-8000-000000000007", "01990000-0000-7000-8000-000000000003"
    server.refused.add(bad)
    server.busy.add(busy)
    refused = tmp_path / "log/refused.json"
    with server:
        acknowledge(sender, collector, 20)
        wait_until(lambda: refused.exists() and bad in refused.read_text() and busy in refused.read_text(), "the file")
        wait_documents(server, 20, {bad, busy})
        server.unavailable = True
        acknowledge(sender, collector, 40)
        wait_until(lambda: all(one in refused.read_text() for one in identifiers(40)), "the file")
        server.unavailable = False
        server.refused.clear()
        post_again(server, refused)
        wait_documents(server, 40)
