# SPDX-License-Identifier: BSD-2-Clause
"""Kafka for tests: librdkafka's mock cluster, and kcat as a consumer that shares no code with the gateway's producer
but the library."""

import json
import subprocess

from lab.fabric import BUILD
from lab.processes import DEADLINE, LabError

BROKER = BUILD / "tests/receivers/kafka_broker"


class MockCluster:
    """Some brokers on the loopback. It is a context manager."""

    def __init__(self, brokers=3):
        self._process = subprocess.Popen([BROKER, str(brokers)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.brokers = self._process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(DEADLINE)

    def tell(self, line):
        """down, up, lead TOPIC BROKER: see kafka_broker.c. Returns when the brokers have obeyed."""
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        if self._process.stdout.readline() != "done\n":
            raise LabError(f"the brokers ended before '{line}'")


def consume(brokers, topic, *settings):
    """All messages of a topic as kcat reads them, in the order of each partition: dictionaries with key, headers, partition
    and value, which is read as JSON, or None. Empty while there is no such topic, or no leader of it."""
    done = subprocess.run(["kcat", "-C", "-q", "-b", brokers, "-t", topic, "-o", "beginning", "-e", "-J",
                           *(part for setting in settings for part in ("-X", setting))],
                          capture_output=True, text=True, timeout=DEADLINE, check=False)
    if done.returncode != 0 and not any(word in done.stderr for word in ("Unknown topic", "Leader not available")):
        raise LabError(f"kcat: {done.stderr}")
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    for message in messages:
        headers = message.get("headers", [])
        message["headers"] = dict(zip(headers[::2], headers[1::2]))
        payload = message.pop("payload")
        message["value"] = None if payload is None else json.loads(payload)
    return messages


def produce(brokers, topic, key, value, partition=-1):
    """value: a text; None: a record without a value, which deletes. partition -1: one by the key."""
    subprocess.run(["kcat", "-P", "-b", brokers, "-t", topic, "-p", str(partition), "-K", "|", *(["-Z"] if value is None else [])],
                   input=f"{key}|{value or ''}\n", text=True, check=True, timeout=DEADLINE)


def last_values(brokers, topic):
    """What a consumer has that keeps the last value of each key, and nothing after a record without a value."""
    last = {one["key"]: one["value"] for one in consume(brokers, topic)}
    return {key: value for key, value in last.items() if value is not None}
