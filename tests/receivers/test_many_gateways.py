# SPDX-License-Identifier: BSD-2-Clause
"""Many gateways with one topic of events and one of alarms, through a start of all at once, a storm and an outage of all
brokers: at the end a consumer has what the gateways have. tests/kafka/run.sh has a hundred of them with Apache Kafka."""

import subprocess

import pytest
from lab.fabric import BUILD

FLEET = BUILD / "tests/bench/bench-fleet"


@pytest.mark.skipif(not FLEET.exists(), reason="built without librdkafka")
def test_a_consumer_has_what_the_gateways_have():
    """The mock cluster keeps 5 MiB of a partition: the numbers are small."""
    done = subprocess.run([FLEET, "10", "100", "50", "3", "3"], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
