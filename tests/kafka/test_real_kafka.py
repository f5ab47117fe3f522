# SPDX-License-Identifier: BSD-2-Clause
"""ibtrapd and Apache Kafka: events arrive, a killed or frozen broker loses none and disorders none, and what it will not
take has its sentence. From 0.11 on no event comes twice while the gateway lives. kcat consumes."""

import json
import os
import pathlib
import subprocess
import time

import pytest
from broker import MECHANISMS, OLD, SETTINGS, Broker
from lab import notices
from lab.gateway import Gateway, section, secret_file
from lab.kafka import consume
from lab.processes import wait_until
from peers import Authority

LOAD = int(os.environ.get("IBTRAPD_LOAD", "3000"))  # events
PAGE = pathlib.Path(__file__).resolve().parents[2] / "doc/kafka.md"
EVENT = "system-image-guid-change"


def begin(fabric, broker, **items):
    fabric.subnet_manager().wait_master()
    more = section("kafka", "bus", brokers=broker.address, events=[EVENT], settings=SETTINGS, **items)
    gateway = fabric.keep(Gateway(fabric, more=more))
    gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")
    return gateway


def receiver(gateway, name="bus"):
    return gateway.receiver(name)


def came(broker, topic="ibtrapd"):
    """(number, identifier) in the order of each partition."""
    return [(int(one["value"]["systemImageGuid"], 16), one["value"]["id"])
            for one in consume(broker.address, topic, *SETTINGS)]


def check_all(broker, gateway, count=None):
    """Each event of the journal came, in order; what came twice has the same identifier, behind the first. Returns how
    many came twice."""
    events = came(broker)
    journal = [(int(one["systemImageGuid"], 16), one["id"]) for one in gateway.journal() if one["event"] == EVENT]
    assert len(journal) == count or (count is None and journal)
    assert list(dict.fromkeys(events)) == journal
    return len(events) - len(journal)


def test_events_arrive(fabric, broker):
    gateway = begin(fabric, broker)
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    for number in range(1, 11):
        client.report(notices.system_image_guid_change(6, number), lid)
    wait_until(lambda: receiver(gateway)["delivered"] >= 10, "the broker to have all")
    assert check_all(broker, gateway, 10) == 0
    assert ("have no idempotence, which needs Kafka 0.11" in gateway.log) == OLD
    assert receiver(gateway)["problem"] in (None, "")


def test_a_broker_that_is_killed_and_one_that_freezes_lose_nothing(fabric, broker):
    gateway = begin(fabric, broker)
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    for number in range(1, LOAD + 1):
        client.report(notices.system_image_guid_change(6, number), lid)
        if number == LOAD // 4:
            broker.kill()
        if number == LOAD // 2:
            wait_until(lambda: "answer" in (receiver(gateway)["problem"] or ""), "the outage to be told", 60)
            broker.start()
        if number == LOAD * 3 // 4:
            broker.freeze(True)
    wait_until(lambda: receiver(gateway)["problem"], "the frozen broker to be told", 90)
    broker.freeze(False)
    gateway.wait_told("bus", 120)
    doubles = check_all(broker, gateway, LOAD)
    print(f"{doubles} of {LOAD} events came twice")
    assert OLD or doubles == 0


def test_a_gateway_that_is_killed_loses_nothing(fabric, broker):
    gateway = begin(fabric, broker)
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    for number in range(1, 301):
        client.report(notices.system_image_guid_change(6, number), lid)
        if number % 100 == 50:
            gateway.kill()
            gateway.start()
            gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")
    gateway.wait_told("bus", 60)
    check_all(broker, gateway)  # Reports that the dead gateway did not get are in no journal


def test_a_topic_that_is_not_there_is_told(fabric, tmp_path):
    directory = tmp_path / "strict"
    directory.mkdir()
    with Broker(directory, **{"auto.create.topics.enable": "false"}) as strict:
        gateway = begin(fabric, strict)
        fabric.client("sm1").report(notices.system_image_guid_change(6, 1), fabric.lid_of("monitor"))
        wait_until(lambda: "there is no topic 'ibtrapd'" in (receiver(gateway)["problem"] or ""), "the problem", 60)
        assert receiver(gateway)["dropped"] == 0


def test_an_event_that_is_too_large_is_given_up(fabric, tmp_path):
    directory = tmp_path / "small"
    directory.mkdir()
    with Broker(directory, **{"message.max.bytes": "100"}) as small:
        gateway = begin(fabric, small)
        fabric.client("sm1").report(notices.system_image_guid_change(6, 1), fabric.lid_of("monitor"))
        wait_until(lambda: receiver(gateway)["refused"] == 1, "the event to be given up", 60)
        assert "too large for topic 'ibtrapd'" in gateway.log


def test_a_topic_that_takes_little_at_once_gets_less_at_once(fabric, tmp_path):
    """The limit of brokers before 0.11 is that of each message."""
    directory = tmp_path / "little"
    directory.mkdir()
    rounds, events = 7, 200
    with Broker(directory, partitions=1, **{"message.max.bytes": "10000"}) as broker:
        gateway = begin(fabric, broker)
        client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
        failed = []
        for one in range(rounds):
            gateway.control("receivers", "pause", "bus")
            for number in range(one * events, (one + 1) * events):
                client.report(notices.system_image_guid_change(6, 1 + number), lid)
            gateway.control("receivers", "resume", "bus")
            wait_until(lambda one=one: receiver(gateway)["delivered"] >= (one + 1) * events, "the broker to have all", 60)
            failed.append(receiver(gateway)["failed"])
        check_all(broker, gateway, rounds * events)
        assert failed[-3] == failed[-1] and receiver(gateway)["dropped"] == 0


@pytest.mark.skipif(OLD, reason="needs Kafka 0.10.2 or later")
def test_passwords(fabric, tmp_path):
    directory = tmp_path / "sasl"
    directory.mkdir()
    files = {name: secret_file(directory, name, content) for name, content in (("good", "white rabbit"), ("bad", "hatter"))}
    cases = {f"{name}-{mechanism}": (mechanism, file) for mechanism in MECHANISMS for name, file in files.items()}
    with Broker(directory, sasl=True) as broker:
        broker.add_user("alice", "white rabbit")
        gateway = fabric.keep(Gateway(fabric, preload=False, more="".join(section(
            "kafka", name, brokers=broker.guarded, topic=name, sasl=mechanism, user="alice", password_file=file)
            for name, (mechanism, file) in cases.items())))
        gateway.wait_status(lambda _: True, "ibtrapd to run")
        for name in cases:
            if name.startswith("good"):
                wait_until(lambda name=name: receiver(gateway, name)["delivered"] > 0, f"an event by {name}", 60)
                assert consume(broker.address, name)
            else:
                said = wait_until(lambda name=name: receiver(gateway, name)["problem"], f"the problem of {name}", 60)
                assert "SASL authentication error" in said and receiver(gateway, name)["delivered"] == 0, said


def test_tls_with_certificates_of_both(fabric, tmp_path):
    directory = tmp_path / "tls"
    (directory / "others").mkdir(parents=True)
    authority, others = Authority(directory, "ca"), Authority(directory / "others", "others")
    client = authority.issue("client", subject="DNS:gateway")
    stranger = others.issue("stranger", subject="DNS:gateway")
    # Each with the word that its problem has; None: events arrive.
    cases = {"good": (authority, client, None), "wrong-authority": (others, client, "certificate"),
             "no-certificate": (authority, None, "certificate"), "stranger": (authority, stranger, "SSL")}
    with Broker(directory, tls=(authority.issue("broker"), authority)) as broker:
        gateway = fabric.keep(Gateway(fabric, preload=False, more="".join(section(
            "kafka", name, brokers=broker.secure, topic=name, transport="tls", settings=SETTINGS, ca_file=ca.file,
            certificate_file=own and own.cert, key_file=own and own.key) for name, (ca, own, _) in cases.items())))
        gateway.wait_status(lambda _: True, "ibtrapd to run")
        for name, (_, _, problem) in cases.items():
            if problem is None:
                wait_until(lambda name=name: receiver(gateway, name)["delivered"] > 0, f"an event by {name}", 60)
                assert consume(broker.address, name, *SETTINGS)
            else:
                said = wait_until(lambda name=name: receiver(gateway, name)["problem"], f"the problem of {name}", 60)
                print(f"{name}: {said}")
                assert problem in said and receiver(gateway, name)["delivered"] == 0, said
    (directory / "wrong").mkdir()
    wrong_name = authority.issue("elsewhere", subject="DNS:elsewhere")
    with Broker(directory / "wrong", tls=(wrong_name, authority)) as broker:
        gateway = fabric.keep(Gateway(fabric, preload=False, more=section(
            "kafka", "bus", brokers=broker.secure, transport="tls", settings=SETTINGS, ca_file=authority.file,
            certificate_file=client.cert, key_file=client.key)))
        said = wait_until(lambda: gateway.status() and receiver(gateway)["problem"], "the problem", 60)
        assert "certificate" in said and receiver(gateway)["delivered"] == 0


def test_the_consumer_of_the_page_prints_each_event_once(fabric, broker, tmp_path):
    gateway = begin(fabric, broker)
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    for number in range(1, 4):
        client.report(notices.system_image_guid_change(6, number), lid)
    wait_until(lambda: receiver(gateway)["delivered"] >= 3, "the broker to have all")
    again = consume(broker.address, "ibtrapd", *SETTINGS)[1]
    subprocess.run(["kcat", "-P", "-b", broker.address, "-t", "ibtrapd", *(f"-X{one}" for one in SETTINGS)],
                   input=json.dumps(again["value"]), text=True, check=True, timeout=60)
    page = PAGE.read_text()
    script = "\n".join(line[4:] for line in page[page.index("    #!/bin/sh"):].split("\n\n")[0].splitlines())
    settings = " ".join(f"-X {one}" for one in [*SETTINGS, "session.timeout.ms=10000"])
    script = script.replace("kafka1.example.org:9092", f"{broker.address} {settings}")
    consumer = subprocess.Popen(["sh", "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True,
                                start_new_session=True)
    seen = tmp_path / "seen"
    wait_until(lambda: seen.exists() and len(seen.read_text().splitlines()) >= 3, "the consumer to have all", 60)
    time.sleep(1)
    os.killpg(consumer.pid, 15)
    lines = consumer.communicate()[0].splitlines()
    assert len(lines) == 3 and all(" notice " in line or " informational " in line for line in lines)


STATE = "ibtrapd-alarms"


def topics(broker, *arguments):
    broker.run("kafka.admin.TopicCommand", "--zookeeper", f"127.0.0.1:{broker.zookeeper_port}", "--topic", STATE, *arguments)


def wait_agreed(broker, gateway):
    """A consumer that keeps the last value of each key has the gateway's list."""
    def agree():
        last = {one["key"]: one["value"] for one in consume(broker.address, STATE, *SETTINGS)}
        found = {key: one["id"] for key, one in last.items() if one and "key" in one}
        return found == {f"{one['fabric']} {one['key']}": one["id"] for one in gateway.listed_alarms("--all")}
    wait_until(agree, "the lists to agree", 90, interval=1)


def test_the_topic_of_alarms_through_kills_deletion_and_more_partitions(fabric, tmp_path):
    with Broker(tmp_path, **{"delete.topic.enable": "true", "log.cleaner.enable": "false"}) as broker:
        topics(broker, "--create", "--partitions", "3", "--replication-factor", "1", "--config", "cleanup.policy=compact")
        fabric.subnet_manager().wait_master()
        more = section("kafka", "table", brokers=broker.address, settings=SETTINGS, state_topic=STATE)
        gateway = fabric.keep(Gateway(fabric, sweep={"interval": 5, "settle": 100}, more=more))
        gateway.wait_nodes(8)
        fabric.unlink("leaf1", 12)
        wait_until(lambda: "leaf1" in str(gateway.listed_alarms("--all")), "the alarm")
        wait_agreed(broker, gateway)
        broker.kill()
        fabric.unlink("storage1", 1)
        wait_until(lambda: "storage1" in str(gateway.listed_alarms("--all")), "the other alarm")
        broker.start()
        wait_agreed(broker, gateway)
        topics(broker, "--alter", "--partitions", "7")
        gateway.kill()
        fabric.relink("leaf1", 12)
        gateway.start()
        gateway.wait_nodes(7)
        wait_until(lambda: "port 12 of leaf1" not in str(gateway.listed_alarms("--all")).lower(), "the end")
        wait_agreed(broker, gateway)
        assert len({one["partition"] for one in consume(broker.address, STATE, *SETTINGS)}) == 1
        topics(broker, "--delete")
        wait_until(lambda: not consume(broker.address, STATE, *SETTINGS), "the topic to be gone", 60, interval=1)
        fabric.relink("storage1", 1)
        wait_agreed(broker, gateway)
