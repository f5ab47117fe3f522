# SPDX-License-Identifier: BSD-2-Clause
"""The page "many subnets" with two real Prometheus: one of a subnet, and one of the site that federates it. The labels fabric
and gateway arrive, series of ports do not, and each panel of the dashboard of all fabrics has its series."""

import json
import pathlib
import shutil
import urllib.parse
import urllib.request

import pytest
from lab import pages
from lab.gateway import section
from lab.processes import wait_until
from lab.sockets import free_port

PROGRAM = shutil.which("prometheus")
DASHBOARD = pathlib.Path(__file__).resolve().parents[2] / "config/templates/grafana-dashboard-fabrics.json"
pytestmark = pytest.mark.skipif(not PROGRAM, reason="prometheus is not installed")


class Prometheus:
    def __init__(self, fabric, name, config):
        self.port = free_port()
        file = fabric.directory / f"{name}.yml"
        file.write_text("global: {scrape_interval: 1s}\n" + config)
        fabric.start(name, [PROGRAM, f"--config.file={file}", f"--web.listen-address=127.0.0.1:{self.port}",
                            f"--storage.tsdb.path={fabric.directory / name}"])

    def ask(self, query):
        """Labels and values; none while it starts."""
        url = f"http://127.0.0.1:{self.port}/api/v1/query?query=" + urllib.parse.quote(query)
        try:
            with urllib.request.urlopen(url, timeout=30) as response:
                return [(one["metric"], float(one["value"][1])) for one in json.loads(response.read())["data"]["result"]]
        except OSError:
            return []


def block(words):
    [found] = [one for one in pages.indented("many-subnets") if words in one]
    return found


def test_all_fabrics_are_in_one_prometheus(open_site):
    port = free_port()
    more = section("metrics", listen=f"127.0.0.1:{port}", ports="all")
    site = open_site(sweep={"interval": 5, "settle": 100}, more=more)
    site.gateway.wait_nodes(8)
    subnet = Prometheus(site.fabric, "subnet", pages.adapted(block("labels: {fabric: halle-2, gateway: gw2a}"), {
        "gw2a.example.org:9108": f"127.0.0.1:{port}", "gw2b.example.org:9108": f"127.0.0.1:{free_port()}"}))
    whole = Prometheus(site.fabric, "whole", pages.adapted(block("metrics_path: /federate"), {
        "prometheus-halle-2.example.org:9090": f"127.0.0.1:{subnet.port}"}))
    site.fabric.unlink("leaf1", 12)
    expected = lambda: [({"fabric": "halle-2"}, float(len([one for one in site.gateway.listed_alarms("--all")
                                                           if one["standing"] == "open"])))]
    query = block("sum by (fabric) (ibtrapd_alarms_by_standing").strip()
    wait_until(lambda: "leaf1" in str(site.gateway.listed_alarms("--all")), "the alarm")
    wait_until(lambda: whole.ask(query) == expected(), "the site's Prometheus to have the open alarms")
    wait_until(lambda: {labels["gateway"]: value for labels, value in whole.ask('up{job="ibtrapd"}')} == {"gw2a": 1, "gw2b": 0},
               "the silent gateway to be seen")
    assert subnet.ask("count(ibtrapd_port_state)") and not whole.ask('{__name__=~"ibtrapd_port_.*"}')
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        [target] = panel["targets"]
        wait_until(lambda target=target: whole.ask(target["expr"]), panel["title"])
    assert whole.ask('count(up{job="ibtrapd"} == 0) or vector(0)') == [({}, 1.0)]
