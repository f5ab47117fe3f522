# SPDX-License-Identifier: BSD-2-Clause
"""Each panel of the dashboard by its queries in a real Prometheus: what the panel shows of a fault. No package brings
Grafana; what Grafana puts into the queries is put in here."""

import json
import pathlib
import re
import shutil
import urllib.error
import urllib.parse
import urllib.request

import pytest
from lab.fabric import Fabric
from lab.gateway import Gateway, section
from lab.processes import wait_until
from lab.receivers import SyslogSink
from lab.sockets import free_port

PROGRAM = shutil.which("prometheus")
DASHBOARD = pathlib.Path(__file__).resolve().parents[2] / "config/templates/grafana-dashboard.json"
LEAF1, PORT = "leaf1", 3  # to a host
OF_WINDOWS = {"Highest bit error ratios", "Most frequent errors", "Waiting to send, share of the time"}
OF_REGISTERS = {"Hottest modules", "Switches", "Bit errors behind the error correction", "Why links are down",
                "Fans too slow, and supplies with power", "Blocks near the limit of the error correction, in an hour"}

pytestmark = pytest.mark.skipif(not PROGRAM, reason="prometheus is not installed")


def panels():
    """The queries of each panel, by its title."""
    found = {}
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        found.setdefault(panel["title"], []).extend(one["expr"] for one in panel.get("targets", []))
    return {title: queries for title, queries in found.items() if queries}


class Dashboard:
    def __init__(self, fabric, gateway, metrics_port):
        self.fabric, self.gateway, self.port = fabric, gateway, free_port()
        config = fabric.directory / "prometheus.yml"
        config.write_text(f"""global: {{scrape_interval: 1s}}
scrape_configs: [{{job_name: ibtrapd, static_configs: [{{targets: ["127.0.0.1:{metrics_port}"]}}]}}]\n""")
        fabric.start("prometheus", [PROGRAM, f"--config.file={config}", f"--web.listen-address=127.0.0.1:{self.port}",
                                    f"--storage.tsdb.path={fabric.directory / 'tsdb'}"])

    def ask(self, query):
        for name, value in ("$instance", ".*"), ("$node", ".*"), ("$__rate_interval", "30s"):
            query = query.replace(name, value)
        assert "$" not in query, query
        url = f"http://127.0.0.1:{self.port}/api/v1/query?query=" + urllib.parse.quote(query)
        try:
            with urllib.request.urlopen(url, timeout=30) as response:
                return json.loads(response.read())["data"]["result"]
        except urllib.error.HTTPError as error:
            if error.code == 503:
                return []  # it starts
            raise AssertionError(f"{query}: {error.read().decode()}") from error
        except OSError:
            return []

    def series(self, title):
        """Labels and value of all that the panel shows."""
        return [(one["metric"], float(one["value"][1])) for query in panels()[title] for one in self.ask(query)]

    def value(self, title, **labels):
        """What the panel shows of these labels; None: nothing."""
        fits = [value for found, value in self.series(title) if labels.items() <= found.items()]
        return max(fits, default=None)

    def wait(self, title, condition, **labels):
        wait_until(lambda: (value := self.value(title, **labels)) is not None and condition(value),
                   f"the panel '{title}'", interval=0.5)


@pytest.fixture
def dashboard():
    port = free_port()
    with SyslogSink() as syslog, Fabric("small") as fabric:
        fabric.subnet_manager().wait_master()
        gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], policy="", sweep={"method": "smp", "interval": 5},
                                      counters={"ports": "all", "interval": 5},
                                      more=section("metrics", listen=f"127.0.0.1:{port}", ports="all")))
        gateway.wait_subscribed()
        gateway.wait_swept()
        yield Dashboard(fabric, gateway, port)


def test_each_panel_shows_its_fault(dashboard):
    fabric, seen = dashboard.fabric, set()

    def shows(title, condition, **labels):
        dashboard.wait(title, condition, **labels)
        seen.add(title)

    # All is well.
    shows("Open alarms", lambda value: value == 0)
    shows("Links down", lambda value: value == 0)  # the switches have unused ports
    shows("Nodes", lambda value: value == 8)
    shows("Last sweep", lambda value: value < 30)
    shows("Queue", lambda value: value >= 0)
    shows("Traffic", lambda value: value >= 0)
    for title in "Busiest links", "Traffic of ports", "Packets", "Waiting to send, in ticks of the port":
        shows(title, lambda value: value >= 0)
    up = dashboard.value("Links up, by their ends")

    # A bad cable.
    fabric.count_errors(LEAF1, PORT, SymbolErrorCounter=1, PortRcvErrors=1, PortXmitDiscards=1, LinkDownedCounter=1)
    place = {"node": LEAF1, "port": str(PORT)}
    shows("Symbol errors in an hour", lambda value: value >= 0, **place)
    fabric.count_errors(LEAF1, PORT, SymbolErrorCounter=900, PortRcvErrors=700, PortXmitDiscards=500, LinkDownedCounter=20)
    shows("Symbol errors in an hour", lambda value: value > 0, **place)
    shows("Received with errors", lambda value: value > 0, **place)
    shows("Discarded packets", lambda value: value > 0, **place)
    shows("Links that went down, in a day", lambda value: value > 0, **place)

    # A receiver that does not take its events, and a link that is down meanwhile.
    dashboard.gateway.control("receivers", "pause", "udp0")
    before = dashboard.value("Open alarms")
    fabric.unlink("leaf1", 12)
    shows("Links down", lambda value: value == 1)
    shows("Links up, by their ends", lambda value: value == up - 2)
    shows("Ports", lambda value: value == 1, node="leaf1", port="12")
    shows("Open alarms", lambda value: value == before + 1)
    shows("Active alarms by event", lambda value: value == 1, event="link-down")
    shows("What is wrong", lambda value: value == 1, event="link-down", node=LEAF1)
    assert any("12 of leaf1" in labels["text"] for labels, _ in dashboard.series("What is wrong"))
    shows("Events", lambda value: value > 0, event="link-down")
    shows("Reports", lambda value: value > 0)
    shows("Lag of receivers", lambda value: value > 0, receiver="udp0")

    # A switch that dies is one alarm more, and takes its links along.
    fabric.relink("leaf1", 12)
    shows("Links down", lambda value: value == 0)
    alarms = dashboard.value("Open alarms")
    fabric.unlink("leaf2")
    shows("Links down", lambda value: value >= 3)
    shows("Open alarms", lambda value: value == alarms + 1)
    shows("Nodes", lambda value: value < 8)
    shows("What is wrong", lambda value: value == 1, event="switch-removed", severity="error")
    assert "link-down" not in {labels["event"] for labels, _ in dashboard.series("What is wrong")}  # it follows

    # Rates of windows, which take a quarter of an hour, and registers, which the simulator does not have
    # (unit-port_metrics): Prometheus takes the queries.
    assert set(panels()) - seen == OF_WINDOWS | OF_REGISTERS
    for title in OF_WINDOWS | OF_REGISTERS:
        dashboard.series(title)
