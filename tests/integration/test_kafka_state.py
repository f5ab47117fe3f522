# SPDX-License-Identifier: BSD-2-Clause
"""The state topic of Kafka: a consumer that keeps the last value of each key has what `ibtrapctl alarms --all` has on the
gateways, whatever happened.

The brokers are librdkafka's mock cluster, which neither deletes topics nor adds partitions: tests/kafka/run.sh has these, by
hand, with Apache Kafka's."""

import json
import shutil
import time

import pytest
from lab.fabric import two_managers
from lab.gateway import Gateway, check_config, section
from lab.kafka import BROKER, MockCluster, consume, last_values, produce
from lab.processes import wait_until

pytestmark = pytest.mark.skipif(not BROKER.exists() or not shutil.which("kcat"), reason="built without librdkafka")
TOPIC = "alarms"
SWEEP = {"interval": 5, "settle": 100}


@pytest.fixture
def cluster(fabric):
    return fabric.keep(MockCluster())


def states(cluster, **items):
    return section("kafka", "table", brokers=cluster.brokers, state_topic=TOPIC, **items)


def begin(open_site, cluster, **items):
    site = open_site(sweep=SWEEP, more=states(cluster, **items))
    site.gateway.wait_subscribed()
    site.gateway.wait_nodes(8)
    return site


def parts(cluster):
    """The documents of alarms by their keys, and those of gateways."""
    all_of_them = last_values(cluster.brokers, TOPIC)
    beats = {key: value for key, value in all_of_them.items() if "lastSweep" in value}
    return {key: value for key, value in all_of_them.items() if key not in beats}, beats


def expected(*gateways):
    """The alarms about a fabric of its active gateway, and those about each gateway of its own."""
    wanted = {}
    for gateway in gateways:
        active = gateway.status()["role"]["active"]
        for alarm in gateway.listed_alarms("--all"):
            if active or alarm["category"] == "gateway":
                wanted[f"{alarm['fabric']} {alarm['key']}"] = alarm
    return wanted


def plain(alarms):
    return {key: {name: value for name, value in alarm.items() if name not in ("gateway", "ends")}
            for key, alarm in alarms.items()}


def wait_agreed(cluster, *gateways):
    """The oracle: what the topic has is what the gateways' lists say, each member of each alarm."""
    found = {}

    def agree():
        found["topic"], found["lists"] = plain(parts(cluster)[0]), expected(*gateways)
        return found["topic"] == found["lists"]
    wait_until(agree, f"the lists to agree: {found}", interval=0.5)
    return found["topic"]


def partition_of(cluster, fabric):
    def found():
        return {one["partition"] for one in consume(cluster.brokers, TOPIC) if one["key"] == f"{fabric} gateway monitor"}
    [at] = wait_until(found, "the gateway's document", interval=0.5)
    return at


def wait_alarms(gateway, *words):
    """Waits until these words, and no alarm without one of them, are in the list."""
    def found():
        alarms = [str(one) for one in gateway.listed_alarms("--all")]
        return all(word in str(alarms) for word in words) and all(any(word in one for word in words) for one in alarms)
    wait_until(found, f"alarms about {words}")


def test_alarms_are_kept_as_they_are_now(open_site, cluster):
    site = begin(open_site, cluster)
    gateway = site.gateway
    wait_agreed(cluster, gateway)
    site.fabric.unlink("leaf1", 12)
    wait_alarms(gateway, "leaf1")
    [key] = wait_agreed(cluster, gateway)
    [document] = parts(cluster)[0].values()
    fabric = gateway.status()["fabric_name"]
    assert key.startswith(f"{fabric} link 0x") and document["gateway"] and document["fabric"] == fabric
    assert [one["port"] for one in document["ends"] if one["name"] == "leaf1"] == [12] and len(document["ends"]) == 2
    gateway.control("alarms", "acknowledge", str(document["number"]), "a new cable comes on Monday")
    wait_until(lambda: [one["note"] for one in parts(cluster)[0].values()] == ["a new cable comes on Monday"], "the note")
    wait_agreed(cluster, gateway)
    gateway.control("alarms", "shelve", str(document["number"]), "10")
    wait_agreed(cluster, gateway)
    site.fabric.relink("leaf1", 12)
    wait_alarms(gateway)
    wait_agreed(cluster, gateway)
    assert gateway.receiver("table")["state"] == "working"
    beat = wait_until(lambda: next((one for one in parts(cluster)[1].values() if one["portGuid"]), None), "the port")
    assert (beat["role"], beat["fabric"]) == ("active", fabric) and beat["state"] in ("ok", "warning", "critical")


def test_kills_outages_and_reloads(open_site, cluster):
    site = begin(open_site, cluster)
    site.fabric.unlink("leaf1", 12)
    wait_alarms(site.gateway, "leaf1")
    wait_agreed(cluster, site.gateway)
    site.gateway.kill()
    site.fabric.relink("leaf1", 12)
    site.fabric.unlink("storage1", 1)
    site.gateway.start()
    site.gateway.wait_subscribed()
    wait_alarms(site.gateway, "storage1")
    wait_agreed(cluster, site.gateway)
    cluster.tell("down")
    site.fabric.relink("storage1", 1)
    wait_until(lambda: "storage1" not in str(site.gateway.listed_alarms("--all")), "the end")
    wait_until(lambda: site.gateway.receiver("table")["state"] == "failing", "the failure to be told", timeout=60)
    cluster.tell("up")
    wait_until(lambda: site.gateway.receiver("table")["state"] == "working", "the receiver to work")
    wait_alarms(site.gateway)
    wait_agreed(cluster, site.gateway)
    config = site.gateway.config.read_text()
    site.gateway.config.write_text(config.replace("state_topic", "state_refresh = 77 state_topic"))
    site.gateway.control("reload")
    site.fabric.unlink("leaf1", 12)
    wait_alarms(site.gateway, "leaf1")
    wait_agreed(cluster, site.gateway)


def test_a_journal_that_is_lost_leaves_no_alarm_behind(open_site, cluster):
    site = begin(open_site, cluster)
    site.fabric.unlink("leaf1", 12)
    wait_alarms(site.gateway, "leaf1")
    wait_agreed(cluster, site.gateway)
    assert site.gateway.stop() == 0
    for file in (site.gateway.config.parent / "journal").glob("*"):
        file.unlink()
    site.fabric.relink("leaf1", 12)
    site.gateway.start()
    site.gateway.wait_subscribed()
    site.gateway.wait_nodes(8)
    assert not wait_agreed(cluster, site.gateway)


def test_what_is_not_of_this_gateway_stays(open_site, cluster):
    others = {"halle-1 link 0x1-1/0x2-2": '{"fabric":"halle-1"}', "x": '"1"', "monitor": '"2"'}
    for key, value in others.items():
        produce(cluster.brokers, TOPIC, key, value)
    site = begin(open_site, cluster)
    fabric = site.gateway.status()["fabric_name"]
    others[f"{fabric} gateway another journal"] = '{"event":"journal-degraded"}'
    stray = f"{fabric} link 0x1-1/0x2-2"
    at = partition_of(cluster, fabric)
    produce(cluster.brokers, TOPIC, f"{fabric} gateway another journal", others[f"{fabric} gateway another journal"], at)
    produce(cluster.brokers, TOPIC, stray, '{"key":"link 0x1-1/0x2-2"}', at)
    site.gateway.kill()
    site.gateway.start()
    site.gateway.wait_subscribed()
    wait_until(lambda: stray not in last_values(cluster.brokers, TOPIC), "the stray alarm to end")
    left = last_values(cluster.brokers, TOPIC)
    assert all(left[key] == json.loads(value) for key, value in others.items())


def test_a_fabric_is_in_one_partition(open_site, cluster):
    site = begin(open_site, cluster)
    for node, port in (("leaf1", 12), ("storage1", 1)):
        site.fabric.unlink(node, port)
    wait_alarms(site.gateway, "leaf1", "storage1")
    wait_agreed(cluster, site.gateway)
    assert len({one["partition"] for one in consume(cluster.brokers, TOPIC)}) == 1


def test_all_is_written_anew_at_a_certain_age(open_site, cluster):
    site = begin(open_site, cluster, state_refresh=10)
    site.fabric.unlink("leaf1", 12)
    wait_alarms(site.gateway, "leaf1")
    [key] = wait_agreed(cluster, site.gateway)
    produce(cluster.brokers, TOPIC, key, None)
    wait_agreed(cluster, site.gateway)


def test_the_other_gateway_of_a_pair_goes_on():
    with two_managers() as (fabric, master, _):
        cluster = fabric.keep(MockCluster())
        pair = [fabric.keep(Gateway(fabric, host=host, active="with-master-sm", beside_sm=True, sweep=SWEEP,
                                    more=states(cluster))) for host in ("sm1", "sm2")]
        for gateway in pair:
            gateway.config.write_text(gateway.config.read_text().replace("fabric {", 'fabric { name = "halle-2"', 1))
            gateway.kill()
            gateway.start()
            gateway.wait_subscribed()
            gateway.wait_status(lambda one: len(one["sms"]) == 2, "both subnet managers to be known")
        pair[0].wait_status(lambda one: one["role"]["active"], "the first to be active")
        fabric.unlink("leaf1", 12)
        wait_until(lambda: all("leaf1" in str(one.listed_alarms("--all")) for one in pair), "the alarm")
        wait_agreed(cluster, *pair)
        assert len(parts(cluster)[1]) == 2
        pair[0].kill()
        master.kill()
        pair[1].wait_status(lambda one: one["role"]["active"], "the second to be active")
        fabric.relink("leaf1", 12)
        wait_until(lambda: "leaf1" not in str(pair[1].listed_alarms("--all")), "the end")
        wait_agreed(cluster, pair[1])
        wait_until(lambda: parts(cluster)[1]["halle-2 gateway sm2"]["role"] == "active", "its role")
        assert "fabric-name-shared" not in str(pair[1].journal())


@pytest.mark.parametrize("here, sentence", [(False, "and its port 0x0002c90300009999 is not in this fabric"),
                                            (True, "the gateway other of this fabric is active, too")])
def test_another_gateway_that_writes_the_same_alarms_is_told(open_site, cluster, here, sentence):
    site = begin(open_site, cluster, state_refresh=10)
    status = site.gateway.status()
    fabric = status["fabric_name"]
    at = partition_of(cluster, fabric)
    beat = {"fabric": fabric, "gateway": "other", "role": "active" if here else "standby",
            "portGuid": status["port"]["guid"] if here else "0x0002c90300009999"}
    for minute in range(10, 60):
        beat["time"] = f"2026-01-01T00:{minute}:00Z"
        produce(cluster.brokers, TOPIC, f"{fabric} gateway other", json.dumps(beat), at)
        told = [one for one in site.gateway.journal() if one["event"] == "fabric-name-shared"]
        if told:
            break
        time.sleep(1)
    assert sentence in told[0]["text"]


@pytest.mark.parametrize("value", ["", "[]", "{", "null", '"x"', "{}", '{"portGuid":5,"time":"x"}',
                                   '{"portGuid":"0x1","time":null}', '{"portGuid":"0x' + 90 * "f" + '","time":"1"}',
                                   "[" * 5000, '{"x":"' + 100000 * "y" + '"}'])
def test_documents_of_gateways_that_are_none(open_site, cluster, value):
    site = begin(open_site, cluster, state_refresh=10)
    fabric = site.gateway.status()["fabric_name"]
    produce(cluster.brokers, TOPIC, f"{fabric} gateway other", value, partition_of(cluster, fabric))
    site.fabric.unlink("leaf1", 12)
    wait_until(lambda: "leaf1" in str(site.gateway.listed_alarms("--all")), "the alarm")


def test_a_section_has_events_or_the_alarms(tmp_path):
    status, output = check_config(section("kafka", "bus", brokers="k", state_topic="a", severity="error"), tmp_path)
    assert status == 1 and "item 'severity' has no effect beside item 'state_topic'" in output
    status, output = check_config(section("kafka", "bus", brokers="k", state_topic="a-{fabric}"), tmp_path)
    assert status == 1 and "it has no placeholders" in output
    status, output = check_config(section("kafka", "bus", brokers="k", state_refresh=60), tmp_path)
    assert status == 1 and "item 'state_refresh' has no effect without item 'state_topic'" in output
