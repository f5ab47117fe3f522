# SPDX-License-Identifier: BSD-2-Clause
"""The page about Prometheus, with Debian's Prometheus and Alertmanager, as it is written but for the intervals."""

import datetime
import json
import pathlib
import time
import urllib.parse
import urllib.request

import pytest
from lab import notices, pages
from lab.fabric import gid

ETC = "/etc/prometheus"
OFTEN = "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
RULES_TEST = pathlib.Path(__file__).with_name("ibtrapd-rules-test.yml")


def ask(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as response:
        return json.loads(response.read())


def query(expression):
    """The values of an expression, by their labels' text."""
    found = ask(9090, "/api/v1/query?query=" + urllib.parse.quote(expression))["data"]["result"]
    return {json.dumps(one["metric"], sort_keys=True): float(one["value"][1]) for one in found}


def alerts():
    """The names of the alerts that Alertmanager has."""
    return {one["labels"]["alertname"] for one in ask(9093, "/api/v2/alerts")}


def answers(port):
    try:
        return ask(port, "/api/v1/status/buildinfo" if port == 9090 else "/api/v2/status")
    except OSError:
        return None


@pytest.fixture
def prometheus(site):
    site.connect()
    site.start_gateway(pages.blocks("prometheus", "ibtrapd")[0])
    restart, check = pages.blocks("prometheus", "sh")
    assert "\nibtrapd_active 1\n" in site.shell(restart)
    # The kernel makes no user namespaces below a chroot, as the machine is one, and Alertmanager finds no address for a
    # cluster on a machine with the loopback alone.
    site.path("/run/systemd/system/prometheus.service.d").mkdir()
    site.path("/run/systemd/system/prometheus.service.d/chroot.conf").write_text("[Service]\nPrivateUsers=no\n")
    site.run("systemctl", "daemon-reload")
    site.path("/etc/default/prometheus-alertmanager").write_text('ARGS="--cluster.listen-address="\n')
    site.path(f"{ETC}/prometheus.yml").write_text(OFTEN + pages.blocks("prometheus", "prometheus")[0])
    site.path(f"{ETC}/ibtrapd-rules.yml").write_text("groups: []\n")
    site.run("systemctl", "start", "prometheus-alertmanager", "prometheus")
    site.wait(lambda: answers(9090) and answers(9093), "Prometheus and Alertmanager to answer", 120)
    site.path(f"{ETC}/ibtrapd-rules.yml").write_text(pages.blocks("prometheus", "prometheus-rules")[0])
    assert "SUCCESS" in site.shell(check)
    site.wait(lambda: sum(query('up{job="ibtrapd"}').values()) == 1, "Prometheus to scrape")
    return site


def test_the_checks_find_no_fault(prometheus):
    assert "SUCCESS" in prometheus.run("promtool", "check", "config", f"{ETC}/prometheus.yml")
    checked = prometheus.shell("curl -s http://127.0.0.1:9117/metrics | promtool check metrics 2>&1")
    assert checked == ""
    prometheus.path(f"{ETC}/test.yml").write_text(RULES_TEST.read_text())
    assert "SUCCESS" in prometheus.run("promtool", "test", "rules", f"{ETC}/test.yml")


def test_alerts_are_about_what_happened(prometheus):
    prometheus.wait(lambda: ask(9090, "/api/v1/rules")["data"]["groups"], "the rules")
    rules = ask(9090, "/api/v1/rules")["data"]["groups"][0]["rules"]
    assert len(rules) == pages.blocks("prometheus", "prometheus-rules")[0].count("- alert:")
    prometheus.run("ibtrapctl", "test", "bad-pkey")
    prometheus.wait(lambda: sum(query("ibtrapd_test_events_total").values()) == 1, "the test to be counted")
    evaluated = time.time()
    prometheus.wait(lambda: all(when > evaluated for when in evaluations()), "the rules to be evaluated")
    assert "IbtrapdSecurityEvent" not in alerts() and sum(query('ALERTS{alertname="IbtrapdSecurityEvent"}').values()) == 0
    gids = gid(0x0002C90300B10001), gid(0x0002C90300B20001)
    prometheus.fabric.client("node1").trap(notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, *gids))
    prometheus.wait(lambda: "IbtrapdSecurityEvent" in alerts(), "the alert at Alertmanager", 120)
    rules = ask(9090, "/api/v1/rules")["data"]["groups"][0]["rules"]
    assert [rule for rule in rules if rule["health"] != "ok"] == []
    assert "IbtrapdDeaf" not in alerts()


def evaluations():
    """When each rule was evaluated last, in seconds since 1970."""
    rules = ask(9090, "/api/v1/rules")["data"]["groups"][0]["rules"]
    return [datetime.datetime.fromisoformat(rule["lastEvaluation"][:19] + "+00:00").timestamp() for rule in rules]
