# SPDX-License-Identifier: BSD-2-Clause
"""Many gateways and Apache Kafka: IBTRAPD_FLEET has gateways, alarms of each, events a second of each, and the seconds of
the storm and of the outage. run.sh -s -k many_gateways shows the figures; IBTRAPD_FLEET="100 10000 1000 60 600" takes twenty
minutes, and 5 GB of the disk."""

import os
import subprocess

from broker import SETTINGS, Broker
from lab.fabric import BUILD

FLEET = os.environ.get("IBTRAPD_FLEET", "10 1000 100 10 10").split()


def used(broker):
    """Seconds of processors and the most memory of the broker since its start."""
    if not broker.pid:
        return "no broker"
    with open(f"/proc/{broker.pid}/stat", encoding="utf-8") as file:
        ticks = file.read().rsplit(")", 1)[1].split()[11:13]
    with open(f"/proc/{broker.pid}/status", encoding="utf-8") as file:
        peak = next(line.split()[1] for line in file if line.startswith("VmHWM"))
    return f"broker: {sum(map(int, ticks)) / os.sysconf('SC_CLK_TCK'):.0f} s of processors, {int(peak) // 1024} MiB"


def follow(program, broker):
    for line in program.stdout:
        print(line.strip(), used(broker), sep="; ", flush=True)
        if line.startswith("brokers"):
            if "down" in line:
                broker.kill()
            else:
                broker.start(patience=900)
            program.stdin.write("done\n")
            program.stdin.flush()


def test_a_consumer_has_what_many_gateways_have(tmp_path):
    with Broker(tmp_path, partitions=6) as broker:
        command = [BUILD / "tests/bench/bench-fleet", *FLEET, broker.address, *SETTINGS]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            follow(program, broker)
        print(subprocess.run(["du", "-sm", tmp_path], capture_output=True, text=True, check=True).stdout)
        assert program.returncode == 0
