# SPDX-License-Identifier: BSD-2-Clause
"""The page about rsyslog with Debian's rsyslog as its service runs it."""

import sys

import pytest
from conftest import TESTS
from lab import notices, pages
from lab.fabric import gid

sys.path.insert(0, str(TESTS / "receivers"))

import peers  # noqa: E402

CONFIG = "/etc/rsyslog.d/ibtrapd.conf"
HERE = {"logs.example.org": "localhost"}


@pytest.fixture
def certificates(site, tmp_path):
    """As an administrator of a certificate authority installs them, the keys for their owners alone."""
    authority = peers.Authority(tmp_path, "ca")
    collector, gateway = authority.issue("collector"), authority.issue("ibtrapd")
    site.path("/etc/rsyslog").mkdir()
    for path, file in (("/etc/rsyslog/ca.pem", authority.file), ("/etc/rsyslog/collector.pem", collector.cert),
                       ("/etc/rsyslog/collector.key", collector.key), ("/etc/ibtrapd/logs-ca.pem", authority.file),
                       ("/etc/ibtrapd/ibtrapd.pem", gateway.cert)):
        site.path(path).write_bytes(file.read_bytes())
    site.secret("/etc/ibtrapd/ibtrapd.key", gateway.key.read_text())


def start(site, words, ibtrapd):
    """With the only configuration of the page that has those words."""
    site.connect()
    site.path(CONFIG).write_text(pages.block("rsyslog", "rsyslog", words))
    site.run("rsyslogd", "-N1")
    site.run("systemctl", "restart", "syslog.socket", "rsyslog")
    site.start_gateway(ibtrapd)


def trap(site):
    gids = gid(0x0002C90300B10001), gid(0x0002C90300B20001)
    site.fabric.client("node1").trap(notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, *gids))


def wait_for_line(site, file, words):
    path = site.path("/var/log/ibtrapd") / file if "/" not in file else site.path(file)
    site.wait(lambda: path.exists() and any(words in line for line in path.read_text().splitlines()), f"'{words}' in {file}")


def test_the_plainest_case(site):
    start(site, '"514"', pages.adapted(pages.block("rsyslog", "ibtrapd", '"tcp"'), HERE))
    trap(site)
    wait_for_line(site, "/var/log/syslog", "P_Key")


@pytest.mark.parametrize("transport", ["relp-tls", "tls"])
def test_the_collector_gets_events(site, certificates, transport):
    start(site, "imrelp", pages.adapted(pages.block("rsyslog", "ibtrapd", f'"{transport}"'), HERE))
    trap(site)
    wait_for_line(site, "security.log", " warning bad-pkey ")
    wait_for_line(site, "fabric.log", " notice gateway-started ")


def test_the_structured_data_can_be_used(site):
    start(site, "mmpstrucdata", pages.block("rsyslog", "ibtrapd", '"links"'))
    site.fabric.client("node1").trap(notices.system_image_guid_change(6, 0x0002C903FFEEDDCC))
    wait_for_line(site, "links.log", "6 system-image-guid-change")


def test_lines_of_the_same_host_have_a_file(site):
    start(site, "$programname", "")
    trap(site)
    wait_for_line(site, "local.log", " event=bad-pkey ")


def test_the_same_host_gets_structured_data(site):
    start(site, '"host"', pages.block("rsyslog", "ibtrapd", '"local"'))
    trap(site)
    wait_for_line(site, "host.log", "ibtrapd bad-pkey [ibtrapd@8072 ")
