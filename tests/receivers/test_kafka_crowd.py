# SPDX-License-Identifier: BSD-2-Clause
"""The receiver kind kafka and brokers that say that they are many, or have many partitions: hundreds of threads. So no other
test runs meanwhile."""

import concurrent.futures
import json
import os
import shutil

import pytest
from lab.gateway import begin_alone, section
from lab.kafka import BROKER
from lab.kafka_front import Front
from lab.processes import wait_until
from test_kafka_front import cluster, fabric, receiver  # noqa: F401

pytestmark = pytest.mark.skipif(not BROKER.exists() or not shutil.which("kcat"), reason="built without librdkafka")

CROWD = 1500
ROOM_MIB = 512  # half of what the unit allows


def threads(gateway):
    return len(os.listdir(f"/proc/{gateway.process.pid}/task"))


@pytest.mark.parametrize("idle", [False, True])
def test_brokers_that_say_that_they_are_many_take_few_threads(fabric, cluster, idle):
    """At once, or when all was well and nothing waits; a thread each is what librdkafka gives them."""
    front = fabric.keep(Front(cluster, crowd=0 if idle else CROWD))
    gateway = begin_alone(fabric, section("kafka", "bus", brokers=front.brokers,
                                          settings=["topic.metadata.refresh.interval.ms=1000"]))
    if idle:
        gateway.wait_told("bus")
        front.crowd = CROWD
        wait_until(lambda: front.crowd_told and not front.connected, "the client to end without an event")
        gateway.control("test", "link-down", check=False)
    wait_until(lambda: "there are more than 1000 of them" in (receiver(gateway)["problem"] or ""), "the problem")
    wait_until(lambda: threads(gateway) < 200, "the threads to end")
    front.crowd = 0
    gateway.wait_told("bus")
    assert gateway.stop() == 0


CLIENTS = 6
PEAK = 5000  # threads: half of the budget (2,560), another answer, and what still ends


def test_many_receivers_at_brokers_that_say_that_they_are_many_take_few_threads(fabric, cluster):
    """Their answers come at the same time, and each would take more threads than the budget has room for."""
    front = fabric.keep(Front(cluster, crowd=CROWD))
    gateway = begin_alone(fabric, "".join(section("kafka", f"bus{number}", brokers=front.brokers) for number in range(CLIENTS)))
    peak, told = 0, set()

    def have_all_failed():
        nonlocal peak
        peak = max(peak, threads(gateway))
        told.update(name for name in (f"bus{number}" for number in range(CLIENTS)) if receiver(gateway, name)["problem"])
        return len(told) == CLIENTS

    wait_until(have_all_failed, "the problems")
    assert peak < PEAK and not gateway.has_taken(ROOM_MIB // 2)
    front.crowd = 0
    for number in range(CLIENTS):
        gateway.wait_told(f"bus{number}")
    assert gateway.stop() == 0


PARTITION = 18  # octets of one in an answer, at least


@pytest.mark.parametrize("partitions,receivers,reason", [(99_999, 1, "receive.message.max.bytes"),
                                                         (65_000 // PARTITION, 60, "say too much")])
def test_topics_of_many_partitions_do_not_end_the_gateway(fabric, cluster, partitions, receivers, reason):
    """A topic for each severity and category. Each answer is beyond the bound of one, or all are beyond that of all."""
    front = fabric.keep(Front(cluster, partitions=partitions))
    gateway = begin_alone(fabric, "".join(section("kafka", f"bus{number}", brokers=front.brokers, topic="{severity}-{category}")
                                          for number in range(receivers)))
    one_of_each = {(one["severity"], one["category"]): one["event"]
                   for one in json.loads(gateway.control("catalogue", "--json").stdout)["events"]}
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        for event in one_of_each.values():
            pool.submit(gateway.control, "test", event, check=False)
        wait_until(lambda: reason in (receiver(gateway, "bus0")["problem"] or ""), "the problem")
    assert not gateway.has_taken(ROOM_MIB)
    front.partitions = 0
    gateway.wait_told("bus0")
    assert gateway.stop() == 0


def test_a_topic_of_alarms_with_many_partitions_does_not_end_the_gateway(fabric, cluster):
    front = fabric.keep(Front(cluster, partitions=99_999))
    gateway = begin_alone(fabric, section("kafka", "table", brokers=front.brokers, state_topic="alarms"))
    wait_until(lambda: "receive.message.max.bytes" in (receiver(gateway, "table")["problem"] or ""), "the problem")
    assert not gateway.has_taken(ROOM_MIB)
    front.partitions = 0
    wait_until(lambda: receiver(gateway, "table")["state"] == "working", "the receiver to work")
    assert gateway.stop() == 0


def test_answers_that_add_up_cost_a_new_client_and_no_failure(fabric, cluster):
    """An honest cluster that is large, or asked often."""
    front = fabric.keep(Front(cluster, crowd=900))
    gateway = begin_alone(fabric, section("kafka", "bus", brokers=front.brokers,
                                          settings=["topic.metadata.refresh.interval.ms=60"]))
    gateway.wait_told("bus")
    wait_until(lambda: front.crowd_told and not front.connected, "the client to end without an event")
    gateway.control("test", "link-down", "--receiver", "bus")
    gateway.wait_told("bus")
    assert "receiver bus" not in gateway.log and not receiver(gateway)["problem"]
    assert gateway.stop() == 0
