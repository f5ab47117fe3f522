# SPDX-License-Identifier: BSD-2-Clause
"""The tables of doc/many-subnets.md in a real ClickHouse, which reads them from a broker."""

import datetime
import json
import random
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from lab.kafka import BROKER, MockCluster
from lab.sockets import free_port

PAGE = Path(__file__).resolve().parents[2] / "doc" / "many-subnets.md"
pytestmark = [
    pytest.mark.skipif(not shutil.which("clickhouse-server"), reason="apt-get install clickhouse-server"),
    pytest.mark.skipif(not BROKER.exists(), reason="built without librdkafka"),
]
CONFIG = """<yandex>
    <logger><level>warning</level><log>{0}/log</log><errorlog>{0}/errors</errorlog></logger>
    <tcp_port>{1}</tcp_port><listen_host>127.0.0.1</listen_host>
    <path>{0}/data/</path><tmp_path>{0}/tmp/</tmp_path><users_config>{0}/users.xml</users_config>
    <default_profile>default</default_profile><default_database>default</default_database>
    <mark_cache_size>5368709</mark_cache_size>{2}
</yandex>"""
USERS = """<yandex>{0}
    <users><default><password></password><networks><ip>127.0.0.1</ip></networks>
        <profile>default</profile><quota>default</quota></default></users>
    <quotas><default></default></quotas>
</yandex>"""


class Server:
    def __init__(self, directory):
        self.port = free_port()
        settings = re.findall(r"^    (<.*>)$", PAGE.read_text(), re.M)
        (directory / "config.xml").write_text(CONFIG.format(directory, self.port, settings[1]))
        (directory / "users.xml").write_text(USERS.format(settings[0]))
        self.process = subprocess.Popen(["clickhouse-server", f"--config-file={directory}/config.xml"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=directory)

    def ask(self, query, check=True):
        return subprocess.run(["clickhouse-client", "--host", "127.0.0.1", "--port", str(self.port), "--multiquery"],
                              input=query, check=check, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=300).stdout

    def wait_for(self, query, answer):
        """Bounded, so that a failure shows the last answer instead of a hanging test."""
        for _ in range(600):
            found = self.ask(query, check=False)
            if found == answer:
                return
            time.sleep(0.1)
        assert found == answer


@pytest.fixture
def server(tmp_path):
    running = Server(tmp_path)
    try:
        running.wait_for("SELECT 1;", "1\n")
        yield running
    finally:
        running.process.kill()
        running.process.wait()


@pytest.fixture
def broker():
    with MockCluster(1) as cluster:
        yield cluster.brokers


def statements():
    return re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.S)


def make_events():
    """Events in the order of time, and which alarms are active at the end."""
    chance, active, events = random.Random(41), {}, []
    begin = datetime.datetime(2026, 11, 28, 23, 59, 59)
    for i in range(4000):
        up = chance.random() < 0.6
        place = (f"fabric-{chance.randrange(20)}", f"link 0x{chance.randrange(40):016x}/{chance.randrange(3)}")
        when = begin + datetime.timedelta(microseconds=733 * i)
        events.append({"time": when.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "id": f"{i:036d}", "fabric": place[0],
                       "event": "link-up" if up else "link-down", "severity": "notice" if up else "critical",
                       "category": "link", "alarmState": "cleared" if up else "raised", "alarmKey": place[1],
                       "subjectName": 'leaf "1"', "text": "A link.", "memberOfTomorrow": {"a": [1]}})
        active[place] = None if up else events[-1]["id"]
    return events, {(*place, event) for place, event in active.items() if event}


def test_the_table_has_the_alarms_that_are_active(server, broker):
    events, active = make_events()
    test = dict(events[0], id="test", alarmKey="test", alarmState="raised", test=True)
    sent = events + random.Random(1).sample(events, 500) + [test]
    random.Random(2).shuffle(sent)
    tables, worst, subnets = statements()[:3]
    server.ask(tables.replace("kafka1.example.org:9092", broker))
    subprocess.run(["kcat", "-P", "-b", broker, "-t", "ibtrapd"], check=True, text=True, timeout=300,
                   input="".join(json.dumps(event) + "\n" for event in sent))
    server.wait_for("SELECT count() FROM ibtrapd.events FINAL;", f"{len(events) + 1}\n")
    server.wait_for("SELECT count() FROM ibtrapd.alarms FINAL WHERE alarmState = 'raised';", f"{len(active)}\n")
    found = server.ask("SELECT fabric, alarmKey, id FROM ibtrapd.alarms FINAL WHERE alarmState = 'raised';")
    assert {tuple(line.split("\t")) for line in found.splitlines()} == active
    assert len(server.ask(worst).splitlines()) == len(active)
    assert sum(int(line.split("\t")[2]) for line in server.ask(subnets).splitlines()) == len(active)


def fill_topic(broker):
    """Alarms that are raised, change and end, and two gateways, one of which is silent. Returns the lines of the last."""
    chance, last, records = random.Random(42), {}, []
    for i in range(2000):
        key, text = f"link 0x{chance.randrange(60):016x}/1", f'It says "{i}" at the\\second\nline.'
        alarm = {"fabric": f"fabric-{chance.randrange(5)}", "key": key, "severity": chance.choice(["error", "warning"]),
                 "raised": f"2026-11-28T00:00:{i % 60:02d}Z", "standing": "open", "text": text, "ends": [{"name": "leaf"}]}
        last[f"{alarm['fabric']} {key}"] = alarm if chance.random() < 0.6 else None
        records.append((f"{alarm['fabric']} {key}", last[f"{alarm['fabric']} {key}"]))
    for gateway, age in (("gw1", -3600), ("gw2", 3600)):
        time_of_it = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=age)
        records.append((f"fabric-1 gateway {gateway}", {"fabric": "fabric-1", "gateway": gateway, "lastSweep": None,
                                                        "time": time_of_it.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}))
    lines = [f"{key}|{json.dumps(value, separators=(',', ':')) if value else ''}\n" for key, value in records]
    subprocess.run(["kcat", "-P", "-Z", "-b", broker, "-t", "ibtrapd-alarms", "-p", "0", "-K", "|"], input="".join(lines),
                   check=True, text=True, timeout=300)
    return [one for one in last.values() if one]


def test_the_table_has_the_alarms_as_they_are_now(server, broker):
    alarms, (tables, worst, silent) = fill_topic(broker), statements()[3:]
    server.ask("CREATE DATABASE ibtrapd;" + tables)
    script = "\n".join(line[4:] for line in re.search(r"(    kcat .*\n)+(    .*\n)+", PAGE.read_text())[0].splitlines())
    script = script.replace("kafka1.example.org:9092", broker).replace(
        "clickhouse-client", f"clickhouse-client --host 127.0.0.1 --port {server.port}")
    for _ in range(2):  # as the timer does
        subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], check=True, timeout=300)
    found = [json.loads(line) for line in server.ask(worst.rstrip().rstrip(";") + " FORMAT JSONEachRow;").splitlines()]
    expected = [{name: one[name] for name in ("fabric", "severity", "raised", "standing", "text")} | {"alarm": one["key"]}
                for one in alarms]
    order = sorted(expected, key=lambda one: (one["severity"] != "error", one["raised"]))
    assert [(one["severity"], one["raised"]) for one in found] == [(one["severity"], one["raised"]) for one in order]
    assert {json.dumps(one, sort_keys=True) for one in found} == {json.dumps(one, sort_keys=True) for one in expected}
    assert [line.split("\t")[1] for line in server.ask(silent).splitlines()] == ["gw2"]
