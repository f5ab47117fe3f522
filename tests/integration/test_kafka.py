# SPDX-License-Identifier: BSD-2-Clause
"""The receiver kind of a module: ibtrapd with and without it, its events at Kafka's brokers, outages, refusals.

kcat consumes. The brokers are librdkafka's mock cluster; tests/kafka/run.sh has Apache Kafka's, by hand."""

import concurrent.futures
import contextlib
import json
import os
import shutil
import signal
import subprocess

import pytest
from lab import pages
from lab.fabric import BUILD
from lab.gateway import IBTRAPD, check_config, section, secret_file, without_service_user
from lab.gateway import begin_alone as begin
from lab.kafka import BROKER, MockCluster, consume
from lab.processes import DEADLINE, wait_until
from lab.sockets import free_port

pytestmark = pytest.mark.skipif(not BROKER.exists() or not shutil.which("kcat"), reason="built without librdkafka")


@pytest.fixture
def cluster(fabric):
    return fabric.keep(MockCluster())


def receiver(gateway, name="bus"):
    return gateway.receiver(name)


def wait_told(gateway):
    gateway.wait_told("bus")


def arrive(cluster, topic, count):
    """The messages of a topic once there are so many."""
    return wait_until(lambda: (found := consume(cluster.brokers, topic)) and len(found) >= count and found,
                      f"{count} messages in {topic}", interval=0.3)


# With and without the module.

def test_the_daemon_links_no_such_library():
    linked = subprocess.run(["ldd", IBTRAPD], capture_output=True, text=True, check=True).stdout
    assert "librdkafka" not in linked and "libcurl" not in linked


def test_without_the_module_the_package_is_named(tmp_path):
    done = subprocess.run([IBTRAPD, "--check-config", "--modules", tmp_path, "--config", "/dev/stdin"],
                          input=section("kafka", "bus", brokers="127.0.0.1:9"), capture_output=True, text=True,
                          timeout=DEADLINE, check=False, env=without_service_user())
    assert done.returncode == 1
    assert ("receiver bus: receivers of the kind kafka need the package ibtrapd-kafka: there is no "
            f"{tmp_path}/kafka.so") in done.stderr


def test_a_gateway_runs_without_the_module_and_goes_on_once_it_is_there(fabric, cluster, tmp_path):
    modules = tmp_path / "modules"
    modules.mkdir(mode=0o755)
    output = tmp_path / "events.json"
    gateway = begin(fabric, section("kafka", "bus", brokers=cluster.brokers) + section("file", "file", path=output),
                    modules=modules)
    gateway.control("test", "link-down", "--receiver", "file")
    assert "link-down" in output.read_text()
    wait_until(lambda: "need the package ibtrapd-kafka" in (receiver(gateway)["problem"] or ""), "the problem")
    assert "librdkafka" not in open(f"/proc/{gateway.process.pid}/maps", encoding="utf-8").read()
    shutil.copy(BUILD / "modules/kafka.so", modules)
    wait_told(gateway)
    assert any(one["value"]["event"] == "gateway-started" for one in arrive(cluster, "ibtrapd", 1))


def test_a_module_that_others_can_write_is_not_loaded(fabric, tmp_path):
    tmp_path.chmod(0o755)
    shutil.copy(BUILD / "modules/kafka.so", tmp_path)
    (tmp_path / "kafka.so").chmod(0o666)
    gateway = begin(fabric, section("kafka", "bus", brokers="127.0.0.1:9"), modules=tmp_path)
    wait_until(lambda: "others can write" in (receiver(gateway)["problem"] or ""), "the problem")
    assert "librdkafka" not in open(f"/proc/{gateway.process.pid}/maps", encoding="utf-8").read()


def test_check_config_asks_the_library(tmp_path):
    good = section("kafka", "bus", brokers="kafka.example.org", settings=["linger.ms=1"])
    status, output = check_config(good, tmp_path)
    assert status == 0 and "librdkafka" not in output and "rdkafka#" not in output, output
    status, output = check_config(good.replace("linger.ms=1", "linger.ms=soon"), tmp_path)
    assert status == 1 and "receiver bus: " in output and "linger.ms" in output
    status, output = check_config(good.replace("linger.ms=1", "acks=0"), tmp_path)
    assert status == 1 and "'acks' cannot be one of 'settings'" in output


# Events.

def test_events_arrive_with_their_keys_and_headers(fabric, cluster):
    gateway = begin(fabric, section("kafka", "bus", brokers=cluster.brokers, topic="ib-{severity}-{category}",
                                    events=["link-down"]))
    assert "delivered" in gateway.control("test", "link-down").stdout
    [message] = arrive(cluster, "ib-warning-link", 1)
    written = next(one for one in gateway.journal() if one["event"] == "link-down")
    assert message["value"] == written
    assert message["key"] == f"{written['fabric']} {written['alarmKey']}"
    assert message["headers"] == {"id": written["id"], "type": "link-down", "severity": "warning",
                                  "content-type": "application/json"}


@pytest.mark.parametrize("name", ["ecs", "cloudevents"])
def test_other_formats(fabric, cluster, name):
    gateway = begin(fabric, section("kafka", "bus", brokers=cluster.brokers, format=name, events=["link-down"]))
    gateway.control("test", "link-down")
    [message] = arrive(cluster, "ibtrapd", 1)
    written = next(one for one in gateway.journal() if one["event"] == "link-down")
    value = message["value"]
    if name == "ecs":
        assert (value["event"]["id"], value["message"]) == (written["id"], written["text"])
        return
    assert (value["specversion"], value["id"], value["data"]) == ("1.0", written["id"], written)
    assert value["type"] == "ibtrapd.link-down" and value["partitionkey"] == message["key"]
    assert message["headers"]["content-type"].startswith("application/cloudevents+json")


@contextlib.contextmanager
def consumer_of_the_page(cluster, directory):
    """The page's script as it is written, but for the broker: the file that it prints to."""
    script = next(one for one in pages.indented("kafka") if one.startswith("#!/bin/sh"))
    printed = directory / "printed"
    with open(printed, "w", encoding="utf-8") as output:
        running = subprocess.Popen(["sh", "-c", script.replace("kafka1.example.org:9092", cluster.brokers)], cwd=directory,
                                   stdout=output, start_new_session=True)
        try:
            yield printed
        finally:
            os.killpg(running.pid, signal.SIGTERM)
            running.wait(DEADLINE)


@pytest.mark.skipif(not shutil.which("jq"), reason="no jq")
@pytest.mark.parametrize("name", ["json", "cloudevents"])
def test_the_consumer_of_the_page(fabric, cluster, tmp_path, name):
    """It begins with what was there before it, and prints what comes twice once."""
    gateway = begin(fabric, section("kafka", "bus", brokers=cluster.brokers, format=name, events=["link-*"]))
    gateway.control("test", "link-down")
    [message] = arrive(cluster, "ibtrapd", 1)
    subprocess.run(["kcat", "-P", "-b", cluster.brokers, "-t", "ibtrapd"], input=json.dumps(message["value"]), text=True,
                   check=True, timeout=DEADLINE)
    gateway.control("test", "link-up")
    arrive(cluster, "ibtrapd", 3)
    written = {f"{one['time']} {one['severity']} {one['text']}" for one in gateway.journal() if one["event"].startswith("link-")}
    with consumer_of_the_page(cluster, tmp_path) as printed:
        seen = tmp_path / "seen"
        wait_until(lambda: seen.exists() and len(seen.read_text().splitlines()) >= 2, "the consumer to have all")
    lines = printed.read_text().splitlines()
    assert len(lines) == 2 and set(lines) == written


def test_an_outage_is_told_and_nothing_is_lost(fabric, cluster):
    gateway = begin(fabric, section("kafka", "bus", brokers=cluster.brokers))
    wait_told(gateway)
    cluster.tell("down")
    with concurrent.futures.ThreadPoolExecutor(5) as pool:  # each waits for its event
        for _ in range(5):
            pool.submit(gateway.control, "test", "link-down", "--receiver", "bus", check=False)
    wait_until(lambda: "answer" in (receiver(gateway)["problem"] or ""), "the outage to be told")
    cluster.tell("up")
    wait_told(gateway)
    sent = {one["id"] for one in gateway.journal() if one["event"] == "link-down"}
    came = {one["headers"]["id"] for one in arrive(cluster, "ibtrapd", 6) if one["value"]["event"] == "link-down"}
    assert len(sent) == 5 and came == sent
    assert receiver(gateway)["problem"] in (None, "")


def test_events_that_the_broker_refuses_wait_until_it_takes_them(fabric, cluster):
    """It refuses all of them: that is no fault of an event."""
    gateway = begin(fabric, section("kafka", "bus", brokers=cluster.brokers, events=["link-*"]))
    cluster.tell("refuse 5")
    gateway.control("test", "link-down", check=False)
    gateway.control("test", "link-up", check=False)
    assert sorted(one["value"]["event"] for one in arrive(cluster, "ibtrapd", 2)) == ["link-down", "link-up"]
    assert receiver(gateway)["dropped"] == 0
    assert "too large for topic 'ibtrapd'" in gateway.log


def test_a_reload_changes_the_topic_and_keeps_the_cursor(fabric, cluster):
    gateway = begin(fabric, section("kafka", "bus", brokers=cluster.brokers, events=["link-down"]))
    gateway.control("test", "link-down")
    gateway.config.write_text(gateway.config.read_text().replace('brokers = ', 'topic = "another" brokers = '))
    gateway.control("reload")
    gateway.control("test", "link-down")
    assert len(arrive(cluster, "ibtrapd", 1)) == 1 and len(arrive(cluster, "another", 1)) == 1


def test_a_password_is_shown_nowhere(fabric):
    """A broker that does not speak SASL: the attempt fails, and is told."""
    secret = secret_file(fabric.directory, "password", "not for others")
    gateway = begin(fabric, section("kafka", "bus", brokers=f"127.0.0.1:{free_port()}", sasl="SCRAM-SHA-256", user="u",
                                    password_file=secret))
    wait_until(lambda: "no broker of" in (receiver(gateway)["problem"] or ""), "the problem")
    shown = gateway.log + gateway.control("receivers", "--json").stdout + gateway.control("status", "--json").stdout
    assert "not for others" not in shown
