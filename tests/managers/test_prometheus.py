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
FABRIC_RULES_TEST = pathlib.Path(__file__).with_name("fabric-rules-test.yml")
EXAMPLES = "/usr/share/doc/ibtrapd/examples"


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


def held_back():
    """Name and event of the alerts that Alertmanager has -> whether others inhibit it."""
    return {(one["labels"]["alertname"], one["labels"].get("event")): bool(one["status"]["inhibitedBy"])
            for one in ask(9093, "/api/v2/alerts")}


def answers(port):
    try:
        return ask(port, "/api/v1/status/buildinfo" if port == 9090 else "/api/v2/status")
    except OSError:
        return None


@pytest.fixture
def prometheus(site):
    return watched(site, pages.blocks("prometheus", "ibtrapd")[0])


@pytest.fixture
def ports(site):
    """The same with metrics of ports, the rules about the fabric and the example for Alertmanager."""
    site.path(f"{ETC}/alertmanager.yml").write_text(site.path(f"{EXAMPLES}/alertmanager.yml").read_text().replace(
        "group_wait: 30s", "group_wait: 1s"))
    watched(site, pages.blocks("prometheus", "ibtrapd")[1].replace("interval = 60", "interval = 5"))
    assert site.shell(pages.blocks("prometheus", "sh")[2]).count("SUCCESS") == 1
    site.wait(lambda: len(ask(9090, "/api/v1/rules")["data"]["groups"]) == 2, "the rules about the fabric")
    site.wait(lambda: query("ibtrapd_port_link_downed_total"), "the counters")
    return site


def watched(site, config):
    """The site with a gateway of that configuration, Prometheus and Alertmanager."""
    site.connect()
    site.start_gateway(config)
    restart, check, _ = pages.blocks("prometheus", "sh")
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


def test_the_checks_find_no_fault_with_ports(ports):
    assert ports.shell("curl -s http://127.0.0.1:9117/metrics | promtool check metrics 2>&1") == ""
    assert "SUCCESS" in ports.run("amtool", "check-config", f"{EXAMPLES}/alertmanager.yml")
    ports.path(f"{ETC}/test.yml").write_text(FABRIC_RULES_TEST.read_text())
    assert "SUCCESS" in ports.run("promtool", "test", "rules", f"{ETC}/test.yml")


def test_each_query_finds_data(ports):
    ports.fabric.count_errors("leaf1", 3, SymbolErrorCounter=600, PortXmitDiscards=9)
    ports.wait(lambda: query('ibtrapd_port_bit_error_ratio{window="long"}'), "the errors")
    [symbols] = query('ibtrapd_port_symbol_errors_total{node="leaf1",port="3"}').values()
    said = ports.fabric.run(["/usr/sbin/perfquery", str(ports.fabric.lid_of("leaf1")), "3"], "monitor")
    assert f"SymbolErrorCounter:{'.' * 14}{symbols:.0f}\n" in said
    dashboard = json.loads(ports.path(f"{EXAMPLES}/grafana-dashboard.json").read_text())
    queries = [one["expr"] for panel in dashboard["panels"] for one in panel.get("targets", [])]
    assert len(queries) > 20
    of_hardware = {name for row in pages.table("prometheus", "metric of a module or switch") for name in row[0].split(", ")}
    for one in queries + pages.blocks("prometheus", "promql")[0].splitlines():
        if any(name in one for name in of_hardware):
            continue  # the simulated switches have no registers
        for name, value in (("$__rate_interval", "20s"), ("$instance", ".*"), ("$node", ".*")):
            one = one.replace(name, value)
        assert ports.wait(lambda one=one: query(one), one), one
    variables = [one["query"]["query"] for one in dashboard["templating"]["list"] if one["type"] == "query"]
    for metric, label in (one.removeprefix("label_values(").removesuffix(")").rsplit(", ", 1) for one in variables):
        metric = urllib.parse.quote(metric.replace("$instance", ".*"))
        assert ask(9090, f"/api/v1/label/{label}/values?match[]={metric}")["data"], label


def test_a_dead_switch_holds_back_what_went_with_it(ports):
    ports.fabric.unlink("leaf2")
    ports.wait(lambda: held_back().get(("IbAlarm", "switch-removed")) is False, "the alert of the switch", 120)
    ports.wait(lambda: held_back().get(("IbPortDown", None)), "the alert of a port, held back", 240)
    assert not any(name == "IbWarning" for name, _ in held_back())  # what follows is no cause
    rules = [rule for group in ask(9090, "/api/v1/rules")["data"]["groups"] for rule in group["rules"]]
    assert [rule["name"] for rule in rules if rule["health"] != "ok"] == []
