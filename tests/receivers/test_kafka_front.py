# SPDX-License-Identifier: BSD-2-Clause
"""The receiver kind kafka and brokers that compare the numbers of its requests, lose some, and ask for a password or a
certificate: those of lab/kafka_front.py, in front of librdkafka's mock cluster. kcat reads what the cluster has, past the
front.

The gate tries one of each; IBTRAPD_KAFKA_FRONT=all tries all passwords and certificates."""

import concurrent.futures
import json
import os
import shutil
import ssl

import pytest
from lab import notices
from lab.fabric import Fabric
from lab.gateway import Gateway, begin_alone, section, secret_file
from lab.kafka import BROKER, MockCluster, consume
from lab.kafka_front import Front, Password
from lab.processes import wait_until
from peers import Authority

pytestmark = pytest.mark.skipif(not BROKER.exists() or not shutil.which("kcat"), reason="built without librdkafka")

EVENT = "system-image-guid-change"
ALL = os.environ.get("IBTRAPD_KAFKA_FRONT") == "all"
EVENTS, LEADERS_CHANGE = (300, 30) if ALL else (120, 20)
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512") if ALL else ("SCRAM-SHA-512",)
# Of the certificates' receivers; a broker of another name is what librdkafka does not mind unless it is told.
IN_GATE = ("good-mutual", "wrong-name")
SECRET = 'p=ss, "word" \\ für n=alle'


@pytest.fixture
def fabric():
    with Fabric() as simulated:
        yield simulated


@pytest.fixture
def cluster(fabric):
    return fabric.keep(MockCluster())


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path, "ca")


def receiver(gateway, name="bus"):
    return next(one for one in json.loads(gateway.control("receivers", "--json").stdout)["receivers"]
                if one["name"] == name)


def begin(fabric, front, **items):
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, more=section("kafka", "bus", brokers=front.brokers, events=[EVENT], **items)))
    gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")
    return gateway


def test_a_topic_that_takes_little_at_once_gets_less_at_once(fabric, cluster):
    """It refuses a few requests, until they are small enough. Then it refuses none, however many events wait."""
    rounds, events = 8, 80
    cluster.tell("single ibtrapd")
    front = fabric.keep(Front(cluster, largest=5000))
    gateway = begin(fabric, front)
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    refused = []
    for one in range(rounds):
        gateway.control("receivers", "pause", "bus")
        for number in range(one * events, (one + 1) * events):
            client.report(notices.system_image_guid_change(6, 1 + number), lid)
        gateway.control("receivers", "resume", "bus")
        wait_until(lambda: receiver(gateway)["delivered"] >= (one + 1) * events, "the brokers to have all")
        refused.append(front.too_large)
    assert refused[0] > 0
    assert refused[-3] == refused[-1]
    came = [int(one["value"]["systemImageGuid"], 16) for one in consume(cluster.brokers, "ibtrapd")]
    assert came == list(range(1, 1 + rounds * events))
    assert receiver(gateway)["dropped"] == 0


def test_requests_and_answers_that_are_lost_and_leaders_that_change_double_nothing(fabric, cluster):
    cluster.tell("single ibtrapd")
    front = fabric.keep(Front(cluster, lose_request=11, lose_answer=7))
    # Small requests, so that several are under way when one is lost.
    gateway = begin(fabric, front, settings=["batch.num.messages=2", "linger.ms=0", "retry.backoff.ms=20",
                                             "reconnect.backoff.ms=20", "reconnect.backoff.max.ms=50"])
    client, lid = fabric.client("sm1"), fabric.lid_of("monitor")
    for number in range(1, EVENTS + 1):
        client.report(notices.system_image_guid_change(6, number), lid)
        if number % LEADERS_CHANGE == 0:
            cluster.tell(f"lead ibtrapd {1 + number // LEADERS_CHANGE % 3}")
    wait_until(lambda: receiver(gateway)["delivered"] >= EVENTS, "the brokers to have all")
    came = [int(one["value"]["systemImageGuid"], 16) for one in consume(cluster.brokers, "ibtrapd")]
    assert came == list(range(1, EVENTS + 1))
    assert front.lost > 5 and front.numbers.repeats > 3
    assert not front.numbers.wrong


def check_access(fabric, cluster, fronts, items, good):
    """Starts a gateway with a receiver for each front; only the good ones bring their brokers an event. Returns the
    problems of the others."""
    gateway = fabric.keep(Gateway(fabric, preload=False, more="".join(
        section("kafka", name, brokers=front.brokers, topic=f"topic-{name}", transport="tls", **items[name])
        for name, front in fronts.items())))
    gateway.wait_status(lambda _: True, "ibtrapd to run")
    for name in good:
        wait_until(lambda name=name: receiver(gateway, name)["delivered"] > 0, f"an event by {name}")
    problems = {name: wait_until(lambda name=name: receiver(gateway, name)["problem"], f"the problem of {name}")
                for name in fronts if name not in good}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        came = dict(zip(fronts, pool.map(lambda name: consume(cluster.brokers, f"topic-{name}"), fronts)))
    assert {name for name in fronts if came[name]} == set(good)
    assert not any(receiver(gateway, name)["delivered"] for name in problems)
    assert SECRET not in gateway.log + gateway.control("receivers", "--json").stdout
    return problems


def server(certificate, clients=None):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate.cert, certificate.key)
    if clients:
        made.load_verify_locations(clients.file)
        made.verify_mode = ssl.CERT_REQUIRED
    return made


def add_passwords(fabric, cluster, authority, fronts, items):
    tls = server(authority.issue("broker"))
    for mechanism in MECHANISMS:
        for word, password in (("good", SECRET), ("bad", SECRET + "x")):
            name = f"{word}-{mechanism}"
            fronts[name] = fabric.keep(Front(cluster, password=Password(mechanism, "ibtrapd", SECRET), tls=tls))
            items[name] = {"sasl": mechanism, "user": "ibtrapd", "ca_file": authority.file,
                           "password_file": secret_file(fabric.directory, name, password)}


def add_certificates(fabric, cluster, authority, others, fronts, items):
    broker, stranger, old, client = (authority.issue("broker"), authority.issue("stranger", subject="DNS:elsewhere"),
                                     authority.issue("old", expired=True), authority.issue("client", subject="DNS:gateway"))
    own = {"certificate_file": client.cert, "key_file": client.key}
    for name, tls in {
            "good": server(broker), "good-mutual": server(broker, clients=authority), "wrong-authority": server(broker),
            "wrong-name": server(stranger), "expired": server(old), "no-certificate": server(broker, clients=authority),
            "wrong-clients": server(broker, clients=others)}.items():
        if ALL or name in IN_GATE:
            fronts[name] = fabric.keep(Front(cluster, tls=tls))
            items[name] = {"ca_file": (others if name == "wrong-authority" else authority).file}
            items[name] |= own if name in ("good-mutual", "wrong-clients") else {}


def test_passwords_and_certificates_open_or_shut_the_door(fabric, cluster, authority, tmp_path):
    (tmp_path / "others").mkdir()
    fronts, items = {}, {}
    add_passwords(fabric, cluster, authority, fronts, items)
    with_password = list(fronts)
    add_certificates(fabric, cluster, authority, Authority(tmp_path / "others", "others"), fronts, items)
    good = [name for name in fronts if name.startswith("good")]
    problems = check_access(fabric, cluster, fronts, items, good)
    assert set(problems) == set(fronts) - set(good) and set(good) & set(with_password)
    for name, problem in problems.items():
        assert ("uthentication" if name in with_password else "SSL") in problem, problems
    assert all((fronts[name].refused > 0) == (name not in good) for name in with_password)


def test_a_broker_that_asks_for_much_work_holds_up_neither_a_reload_nor_the_end(fabric, cluster):
    """A million iterations of SCRAM, the most that librdkafka agrees to: 18 s on a machine of the tests, in which nothing
    stops it. tests/unit/test_kafka.c tries a client that does not end, on any machine."""
    front = fabric.keep(Front(cluster, password=Password("SCRAM-SHA-512", "ibtrapd", SECRET, iterations=10 ** 6)))
    password = secret_file(fabric.directory, "password", SECRET)
    hostile = section("kafka", "bus", brokers=front.brokers, sasl="SCRAM-SHA-512", user="ibtrapd", password_file=password)
    gateway = begin_alone(fabric, hostile)
    wait_until(lambda: "SCRAM iterations" in (receiver(gateway)["problem"] or "") or receiver(gateway)["delivered"],
               "the problem, or a fast machine")
    gateway.config.write_text(gateway.config.read_text().replace(hostile, section("kafka", "bus", brokers=cluster.brokers)))
    gateway.control("reload")
    gateway.wait_told("bus")
    assert gateway.stop() == 0
    assert "does not end: it waits" not in gateway.log


@pytest.mark.parametrize("policy, warned", [("delete", "delete"), ("compact,delete", None)])
def test_a_topic_of_alarms_that_is_not_compacted_is_told(fabric, cluster, policy, warned):
    """A name that contains the right word is not the policy."""
    front = fabric.keep(Front(cluster, policy=policy))
    gateway = begin_alone(fabric, section("kafka", "table", brokers=front.brokers, state_topic="alarms-compact"))
    sentence = "receiver table: topic 'alarms-compact' is not compacted (cleanup.policy="
    wait_until(lambda: front.described, "the question for the configuration")
    if warned:
        wait_until(lambda: f"{sentence}{warned})" in gateway.log, "the warning")
    assert gateway.stop() == 0
    assert (sentence in gateway.log) == bool(warned)
