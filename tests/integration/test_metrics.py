# SPDX-License-Identifier: BSD-2-Clause
"""Metrics of a running gateway: the values agree with the test's actions."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

import pytest
from lab import notices
from lab.fabric import gid
from lab.gateway import EVERYTHING, Gateway, section
from lab.metrics import FormatError, Metrics, request, scrape
from lab.processes import wait_until
from lab.sockets import free_port
from lab.tables import ask, switch_ports

GID1, GID2 = gid(0x0002C90300B10001), gid(0x0002C90300B20001)


def listens(process):
    """Whether a process listens at a TCP port."""
    own = {os.readlink(link) for link in pathlib.Path(f"/proc/{process.pid}/fd").iterdir()}
    rows = [line.split() for table in ("tcp", "tcp6")
            for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
    return any(row[3] == "0A" and f"socket:[{row[9]}]" in own for row in rows)


@pytest.fixture
def port():
    return free_port()


@pytest.fixture
def lone_gateway(fabric, port):
    """A gateway on a machine without an HCA."""
    gateway = fabric.keep(Gateway(fabric, preload=False, more=section("metrics", listen=f"127.0.0.1:{port}")))
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    return gateway


def wait_metrics(port, predicate, what):
    def good():
        metrics = scrape(port)
        return metrics if predicate(metrics) else None

    return wait_until(good, what, interval=0.1)


def test_events_are_counted(open_site, port):
    site = open_site(more=section("metrics", listen=f"127.0.0.1:{port}"))
    site.gateway.wait_subscribed()
    node = site.host("node1")
    for key in (0x8001, 0x8002, 0x8003):
        node.trap(notices.bad_key(257, 6, 7, key, 1, 2, 3, GID1, GID2))
    site.message("bad-pkey", 3)
    site.gateway.control("test", "bad-mkey")
    site.message("bad-mkey")
    metrics = wait_metrics(port, lambda now: now.get("ibtrapd_events_total", event="bad-pkey", severity="warning") == 3
                           and now.get("ibtrapd_receiver_lag_events", receiver="udp0", kind="syslog") == 0,
                           "three events")
    status = site.gateway.status()
    counted = sum(value for _, value in metrics.all_of("ibtrapd_events_total"))
    assert metrics["ibtrapd_test_events_total"] == 1
    assert counted + 1 == status["counters"]["events"] == status["journal"]["rows"] == metrics["ibtrapd_journal_rows"]
    assert metrics["ibtrapd_reports_total"] == status["counters"]["reports"] == 3
    assert metrics["ibtrapd_reports_acknowledged_total"] == 3
    assert metrics.get("ibtrapd_events_total", event="bad-mkey", severity="warning") == 0


def test_receivers_are_measured(open_site, port):
    site = open_site(more=section("metrics", listen=f"127.0.0.1:{port}")
                     + section("syslog", "picky", transport="udp", address="127.0.0.1:9", events=["vendor-trap"]))
    site.gateway.wait_subscribed()
    site.host("node1").trap(notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, GID1, GID2))
    site.message("bad-pkey")
    metrics = wait_metrics(port, lambda now: all(value == 0 for _, value in now.all_of("ibtrapd_receiver_lag_events"))
                           and now.get("ibtrapd_receiver_sent_total", receiver="udp0", kind="syslog") > 1, "delivery")
    sent = metrics.get("ibtrapd_receiver_sent_total", receiver="udp0", kind="syslog")
    assert metrics.get("ibtrapd_report_to_wire_seconds_count", receiver="udp0") == sent
    assert 0 < metrics.get("ibtrapd_report_to_wire_seconds_sum", receiver="udp0") < 60 * sent
    assert metrics.get("ibtrapd_receiver_sent_total", receiver="snmp0", kind="snmp") == sent
    assert metrics.get("ibtrapd_receiver_sent_total", receiver="picky", kind="syslog") == 0
    assert metrics.get("ibtrapd_receiver_filtered_total", receiver="picky", kind="syslog") == sent
    assert metrics.get("ibtrapd_report_to_wire_seconds_count", receiver="picky") == 0
    assert metrics.get("ibtrapd_receiver_untried", receiver="picky", kind="syslog") == 1
    assert metrics.get("ibtrapd_receiver_untried", receiver="udp0", kind="syslog") == 0
    assert metrics["ibtrapd_journal_commit_seconds_count"] >= 1


def test_a_receiver_that_fails_lags(fabric, lone_gateway, port):
    # No program listens at a TCP port that was free a moment ago.
    lone_gateway.stop()
    lone_gateway.config.write_text(lone_gateway.config.read_text() + section(
        "syslog", "dead", transport="tcp", address=f"127.0.0.1:{free_port()}"))
    lone_gateway.start()
    lone_gateway.wait_status(lambda _: True, "ibtrapd to run again")
    first = wait_metrics(port, lambda now: now.get("ibtrapd_receiver_failing", receiver="dead", kind="syslog") == 1
                         and now.get("ibtrapd_receiver_lag_seconds", receiver="dead", kind="syslog") > 0, "failing")
    assert first.get("ibtrapd_receiver_lag_events", receiver="dead", kind="syslog") >= 1
    assert first.get("ibtrapd_receiver_failures_total", receiver="dead", kind="syslog") >= 1
    assert first.get("ibtrapd_receiver_sent_total", receiver="dead", kind="syslog") == 0
    before = first.get("ibtrapd_receiver_lag_seconds", receiver="dead", kind="syslog")
    wait_metrics(port, lambda now: now.get("ibtrapd_receiver_lag_seconds", receiver="dead", kind="syslog") > before,
                 "its lag to grow")


def test_the_fabric_is_measured(open_site, port):
    site = open_site(more=section("metrics", listen=f"127.0.0.1:{port}"), sweep={"interval": 5},
                     counters={"ports": "switches"})
    site.gateway.wait_subscribed()
    site.gateway.wait_swept(1)
    metrics = wait_metrics(port, lambda now: "ibtrapd_reading_age_seconds" in now.families, "a reading")
    assert metrics["ibtrapd_sweep_complete"] == 1
    assert (metrics["ibtrapd_sweep_nodes"], metrics["ibtrapd_sweep_links"]) == (8, 8)
    assert metrics["ibtrapd_sweep_silent_ports"] == 0
    assert metrics["ibtrapd_sweeps_total"] >= 1
    assert 0 < metrics["ibtrapd_sweep_duration_seconds"] < 60
    assert metrics["ibtrapd_reading_ports"] > 0
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=request(port).text, capture_output=True, text=True,
                              timeout=300, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert (metrics["ibtrapd_sm_answers"], metrics["ibtrapd_port_open"], metrics["ibtrapd_active"]) == (1, 1, 1)
    states = {labels["trap"]: labels["state"]
              for labels, value in metrics.all_of("ibtrapd_subscription_state") if value == 1}
    assert states == site.gateway.subscriptions()


def test_the_process_is_measured(lone_gateway, port):
    metrics, pid = scrape(port), lone_gateway.process.pid
    start = metrics["process_start_time_seconds"]
    assert 0 <= time.time() - start < 600
    assert metrics["process_cpu_seconds_total"] > 0
    assert 1e6 < metrics["process_resident_memory_bytes"] < metrics["process_virtual_memory_bytes"]
    # This request's connection is open then, and perhaps not any more or again now.
    assert abs(metrics["process_open_fds"] - len(os.listdir(f"/proc/{pid}/fd"))) <= 3
    [limit] = re.findall(r"Max open files +(\d+)", pathlib.Path(f"/proc/{pid}/limits").read_text())
    assert metrics["process_max_fds"] == int(limit)
    assert scrape(port)["process_start_time_seconds"] == start  # a change says that it started again


def test_without_a_fabric_there_are_metrics_too(lone_gateway, port):
    metrics = scrape(port)
    assert (metrics["ibtrapd_sm_answers"], metrics["ibtrapd_port_open"]) == (0, 0)
    assert "ibtrapd_sweep_nodes" not in metrics.families
    assert metrics["ibtrapd_journal_durable"] == 1
    [(build, value)] = metrics.all_of("ibtrapd_build_info")
    assert (build, value) == ({"version": lone_gateway.status()["release"], "fabric": lone_gateway.status()["fabric_name"]}, 1)


def test_off_by_default(fabric, lone_gateway):
    silent = fabric.keep(Gateway(fabric, preload=False))
    silent.wait_status(lambda _: True, "ibtrapd to run")
    assert listens(lone_gateway.process)
    assert not listens(silent.process)


def test_only_metrics_are_served_and_only_read(lone_gateway, port):
    assert request(port, path="/metrics?name=x").status == 200
    hint = request(port, path="/")
    assert hint.status == 200 and "/metrics" in hint.text
    for path in ("/metrics/", "/metric", "/../metrics", "//metrics", "/%6detrics", "*", "http://x/metrics"):
        assert request(port, path=path).status == 404, path
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"):
        response = request(port, method=method, body="x" * 100000 if method in ("POST", "PUT") else None)
        assert response.status == 405 and response.getheader("Allow") == "GET, HEAD", method
    assert scrape(port)["ibtrapd_active"] == 1


def test_head_gets_the_headers_alone(lone_gateway, port):
    for path, status in ("/metrics", 200), ("/", 200), ("/other", 404):
        whole, head = request(port, path=path), exchange(port, f"HEAD {path} HTTP/1.1\r\n\r\n".encode()).decode()
        assert head.startswith(f"HTTP/1.1 {status} ") and head.endswith("\r\n\r\n") and head.count("\r\n\r\n") == 1, path
        assert f"\r\nContent-Type: {whole.getheader('Content-Type')}\r\n" in head
        assert int(re.search(r"\r\nContent-Length: (\d+)\r\n", head)[1]) > 20


def exchange(port, octets):
    """Sends octets unchanged, returns the complete response."""
    with socket.create_connection(("127.0.0.1", port), timeout=300) as client:
        client.sendall(octets)
        answer = b""
        while more := client.recv(65536):
            answer += more
        return answer


@pytest.mark.parametrize("octets", [b"\r\n\r\n", b"GET /metrics\r\n\r\n", b"GET /metrics HTTP/2\r\n\r\n", b"\0" * 10 + b"\r\n\r\n",
                                    b"GET /metrics HTTP/1.1 x\r\n\r\n"])
def test_what_is_no_request_is_refused(lone_gateway, port, octets):
    assert exchange(port, octets).startswith(b"HTTP/1.1 400 ")
    assert scrape(port)["ibtrapd_active"] == 1


def test_a_request_has_a_longest_size(lone_gateway, port):
    head = b"GET /metrics HTTP/1.1\r\nX: "
    assert exchange(port, head + b"x" * (8192 - len(head) - 4) + b"\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    assert exchange(port, head + b"x" * (8192 - len(head))).startswith(b"HTTP/1.1 431 ")


def test_silent_clients_keep_nobody_out(lone_gateway, port):
    silent = [socket.create_connection(("127.0.0.1", port), timeout=300) for _ in range(50)]
    assert scrape(port)["ibtrapd_active"] == 1
    gone = 0
    for client in silent[:42]:  # the server closed all but the eight youngest connections
        gone += client.recv(1) == b""
    assert gone == 42
    for client in silent:
        client.close()


def test_a_slow_request_is_answered(lone_gateway, port):
    with socket.create_connection(("127.0.0.1", port), timeout=300) as client:
        for octet in b"GET /metrics HTTP/1.0\r\n\r\n":
            client.sendall(bytes([octet]))
            time.sleep(0.001)
        assert client.recv(12) == b"HTTP/1.1 200"


def test_others_who_can_read_are_told_of(fabric, port):
    gateway = fabric.keep(Gateway(fabric, preload=False, more=section("metrics", listen=f"0.0.0.0:{port}")))
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    assert f"metrics are served at 0.0.0.0 port {port} to every host that can reach it" in gateway.log
    assert scrape(port)["ibtrapd_active"] == 1


def test_a_port_that_is_in_use_is_told(fabric):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        gateway = fabric.keep(Gateway(fabric, preload=False, more=section("metrics", listen=f"127.0.0.1:{port}")))
        assert gateway.process.wait() == 1
        assert f"cannot serve metrics at 127.0.0.1 port {port}: Address already in use" in gateway.log


def test_what_policy_holds_back_is_counted_by_its_reason(open_site, port):
    policy = EVERYTHING.replace(section("repeats", window=0), section("repeats", window=60))
    site = open_site(more=section("metrics", listen=f"127.0.0.1:{port}"), policy=policy)
    site.gateway.wait_subscribed()
    for _ in range(3):
        site.host("node1").trap(notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, GID1, GID2))
    wait_metrics(port, lambda now: ({"reason": "duplicate"}, 2) in now.all_of("ibtrapd_events_suppressed_total"),
                 "the second and third to be held")
    # The counters of suppressed events are read last and may be newer than those above them.
    assert scrape(port).get("ibtrapd_events_total", event="bad-pkey", severity="warning") == 3


def test_it_holds_back_as_standby(open_site, port):
    site = open_site(more=section("metrics", listen=f"127.0.0.1:{port}"), active="with-master-sm")
    site.gateway.wait_subscribed()
    site.host("node1").trap(notices.bad_key(257, 6, 7, 0x8001, 1, 2, 3, GID1, GID2))
    metrics = wait_metrics(port, lambda now: now.get("ibtrapd_events_total", event="bad-pkey", severity="warning") == 1,
                           "the event")
    assert metrics["ibtrapd_active"] == 0
    assert metrics.get("ibtrapd_events_suppressed_total", reason="standby") >= 1


# Per port.

COUNTERS = {
    "SymbolErrorCounter": "symbol_errors", "LinkErrorRecoveryCounter": "link_error_recoveries",
    "LinkDownedCounter": "link_downed", "PortRcvErrors": "receive_errors",
    "PortRcvRemotePhysicalErrors": "receive_remote_physical_errors",
    "PortRcvSwitchRelayErrors": "receive_switch_relay_errors", "PortXmitDiscards": "transmit_discards",
    "PortXmitConstraintErrors": "transmit_constraint_errors", "PortRcvConstraintErrors": "receive_constraint_errors",
    "LocalLinkIntegrityErrors": "local_link_integrity_errors",
    "ExcessiveBufferOverrunErrors": "excessive_buffer_overrun_errors", "VL15Dropped": "vl15_dropped",
}
TRAFFIC = {"PortXmitData": ("transmit_bytes", 4), "PortRcvData": ("receive_bytes", 4),
           "PortXmitPkts": ("transmit_packets", 1), "PortRcvPkts": ("receive_packets", 1)}
STATES = {"Down": 1, "Initialize": 2, "Armed": 3, "Active": 4}
LEAVES = {0x0002C90200C10000: "leaf1", 0x0002C90200C20000: "leaf2"}


def by_port(metrics, family):
    """(GUID, port) -> value."""
    return {(int(labels["guid"], 16), int(labels["port"])): value for labels, value in metrics.all_of(f"ibtrapd_port_{family}")}


def open_ports(open_site, port, told, **options):
    site = open_site(more=section("metrics", listen=f"127.0.0.1:{port}", ports=told), sweep={"interval": 5},
                     counters={"ports": "all", "interval": 5}, **options)
    site.gateway.wait_subscribed()
    return site


def test_ports_are_what_iblinkinfo_says(open_site, port):
    site = open_ports(open_site, port, "errors")
    said = switch_ports(site.fabric)
    metrics = wait_metrics(port, lambda now: "ibtrapd_port_link_up" in now.families, "a sweep")
    found = {name: by_port(metrics, name) for name in ("link_up", "state", "rate_bytes_per_second")}
    switches = {one for one in found["state"] if one[0] in LEAVES}
    assert switches == said.keys()
    for one, (width, speed, state, _, peer, peer_port) in said.items():
        assert (found["state"][one], found["link_up"][one]) == (STATES[state], state != "Down")
        rate = int(width.removesuffix("X")) * float(speed) * 1e9 / 8 if width and state != "Down" else None
        assert found["rate_bytes_per_second"].get(one) == rate, one
        labels = next(labels for labels, _ in metrics.all_of("ibtrapd_port_state")
                      if (int(labels["guid"], 16), int(labels["port"])) == one)
        assert labels["node"] == LEAVES[one[0]] and labels["peer_port"] == (str(peer_port) if peer else "")
    hosts = {labels["node"] for labels, _ in metrics.all_of("ibtrapd_port_state")} - set(LEAVES.values())
    assert hosts == {labels["peer"] for labels, _ in metrics.all_of("ibtrapd_port_state")} - {*LEAVES.values(), ""}
    assert "ibtrapd_port_transmit_bytes_total" not in metrics.families


def test_port_counters_are_what_perfquery_says(open_site, port):
    site = open_ports(open_site, port, "all")
    fabric, place = site.fabric, (0x0002C90200C10000, 3)
    fabric.count_errors("leaf1", 3, **{field: 3 + n for n, field in enumerate(COUNTERS)})
    lid = fabric.lid_of("leaf1")
    before = ask(fabric, "perfquery", "-x", lid, 3)
    metrics = wait_metrics(port, lambda now: "ibtrapd_port_receive_packets_total" in now.families and all(
        by_port(now, f"{name}_total").get(place, -1) >= factor * int(before[field])
        for field, (name, factor) in TRAFFIC.items()) and by_port(now, "vl15_dropped_total")[place] > 0, "a later reading")
    said, after = ask(fabric, "perfquery", lid, 3), ask(fabric, "perfquery", "-x", lid, 3)
    assert {field: by_port(metrics, f"{name}_total")[place] for field, name in COUNTERS.items()} == {
        field: int(said[field]) for field in COUNTERS}
    for field, (name, factor) in TRAFFIC.items():
        assert by_port(metrics, f"{name}_total")[place] <= factor * int(after[field])
    active = {one for one, said in switch_ports(fabric).items() if said[2] == "Active"}
    assert {one for one in by_port(metrics, "link_downed_total") if one[0] in LEAVES} == active
    rates = metrics.all_of("ibtrapd_port_errors_per_second")
    assert not [labels for labels, _ in rates if (int(labels["guid"], 16), int(labels["port"])) != place]


def test_what_left_the_fabric_has_no_series(open_site, port):
    site = open_ports(open_site, port, "errors")
    wait_metrics(port, lambda now: any(labels["node"] == "node2" for labels, _ in now.all_of("ibtrapd_port_link_downed_total")),
                 "the counters of a host")
    site.fabric.unlink("node2", 1)
    metrics = wait_metrics(port, lambda now: not any("node2" in labels.values()
                           for labels, _ in now.all_of("ibtrapd_port_link_up")), "the host to leave")
    assert not [one for one in metrics.samples if ("node", "node2") in one[1] or ("peer", "node2") in one[1]]
    metrics = wait_metrics(port, lambda now: now.get("ibtrapd_active_alarms", event="host-removed", category="node",
                                                     severity="error") == 1, "the alarm")
    assert sum(value for _, value in metrics.all_of("ibtrapd_active_alarms")) == metrics["ibtrapd_alarms"]


def test_ports_are_told_from_a_reload_on(open_site, port):
    site = open_ports(open_site, port, "off")
    site.gateway.wait_swept(1)
    assert "ibtrapd_port_link_up" not in scrape(port).families
    config = site.gateway.config.read_text()
    assert config.count('ports = "off"') == 1
    site.gateway.config.write_text(config.replace('ports = "off"', 'ports = "errors"'))
    site.gateway.control("reload")
    assert "ibtrapd_port_link_up" in scrape(port).families


def test_counters_that_are_not_read_any_more_are_not_told(open_site, port):
    site = open_ports(open_site, port, "errors")
    wait_metrics(port, lambda now: "ibtrapd_port_link_downed_total" in now.families, "the counters")
    site.fabric.count_errors("leaf1", 3, SymbolErrorCounter=600)
    wait_metrics(port, lambda now: "ibtrapd_port_bit_error_ratio" in now.families, "the errors")
    config = site.gateway.config.read_text()
    assert config.count('ports = "all"') == 1
    site.gateway.config.write_text(config.replace('ports = "all"', 'ports = "off"'))
    site.gateway.control("reload")
    now = scrape(port).families
    assert "ibtrapd_port_link_up" in now
    assert "ibtrapd_port_link_downed_total" not in now and "ibtrapd_port_bit_error_ratio" not in now


BAD_TEXTS = [
    "a_total 1\n", "# TYPE a_total counter\na_total 1\n", "# HELP a x\n# TYPE a counter\na 1\n",
    "# HELP a x\n# TYPE a gauge\na 1", "# HELP a x\n# TYPE a gauge\na 1\na 2\n", "# HELP a x\n# TYPE a gauge\nb 1\n",
    '# HELP a x\n# TYPE a gauge\na{b="c\\d"} 1\n', '# HELP a x\n# TYPE a gauge\na{b="c} 1\n',
    "# HELP a x\n# TYPE a gauge\na  1\n", "# HELP a x\n# TYPE a gauge\na one\n", "# HELP a x\n# TYPE a gauge\na 1 \n",
    '# HELP a x\n# TYPE a gauge\na{b="1",b="2"} 1\n', "# HELP a x\n# TYPE a gauge\na 1\n\n",
    "# HELP a x\n# TYPE a gauge\n# HELP b x\n# TYPE b gauge\nb 1\na 1\n",
    '# HELP a x\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
    '# HELP a x\n# TYPE a histogram\na_bucket{le="1"} 1\na_sum 1\na_count 1\n',
    "# HELP a_counter_b x\n# TYPE a_counter_b gauge\na_counter_b 1\n", "# HELP a_minutes x\n# TYPE a_minutes gauge\na_minutes 1\n",
]


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_the_reader_is_strict(text):
    with pytest.raises(FormatError):
        Metrics(text)


def test_the_verdict_is_served(open_site, port):
    site = open_site(more=section("metrics", listen=f"127.0.0.1:{port}"))
    site.gateway.wait_subscribed()
    wait_until(lambda: request(port, path="/readyz").status == 200, "the gateway to be ready")
    verdict = request(port, path="/healthz")
    assert verdict.status == 200 and re.match(r"(OK|WARNING): .*\n$", verdict.text)
    site.gateway.control("receivers", "pause", "udp0")
    verdict = request(port, path="/healthz?verbose")
    assert verdict.status == 200 and verdict.text.startswith("WARNING: ") and "receiver udp0 is paused" in verdict.text


def test_without_a_port_no_time_of_a_request_is_made_up(lone_gateway):
    assert {one["retry_in"] for one in lone_gateway.status()["subscriptions"]} == {None}
    assert "retrying" not in lone_gateway.control("status").stdout


def test_without_a_port_it_is_not_ready(lone_gateway, port):
    verdict = request(port, path="/readyz")
    assert verdict.status == 503 and verdict.text.startswith("WARNING: no InfiniBand port")
    assert request(port, path="/healthz").status == 200  # it has only just started
    assert request(port, path="/healthz/").status == 404
