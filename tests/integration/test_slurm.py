# SPDX-License-Identifier: BSD-2-Clause
"""Slurm and ibtrapd in step, by ibtrapd-slurm: with real daemons of Slurm, and a fabric whose hosts are its nodes."""

import os
import pathlib
import re
import subprocess

import pytest
from lab import slurm
from lab.fabric import BUILD, Fabric
from lab.gateway import Gateway
from lab.processes import wait_until

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "config/slurm/ibtrapd-slurm"
NODES = ["node1", "node2", "storage1"]
PARTITIONS = {"main": "node[1-2]", "single": "storage1"}

pytestmark = pytest.mark.skipif(bool(slurm.missing()), reason=f"not installed: {', '.join(slurm.missing())}")


class Both:
    """A cluster, the gateway, and runs of the program between them."""

    def __init__(self, cluster, gateway, directory):
        self.cluster, self.gateway, self.directory = cluster, gateway, directory

    def run(self, task, *options, path=BUILD):
        """The exit status, and what a run writes."""
        environment = {**os.environ, **self.cluster.environment(), "PATH": f"{path}:{BUILD}:{os.environ['PATH']}"}
        done = subprocess.run([PROGRAM, task, "--socket", self.gateway.socket, "--lock", self.directory / "lock", *options],
                              env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        return done.returncode, done.stdout

    def state(self):
        """Of each node whether Slurm uses it, and the reason against."""
        return {node: self.cluster.reason(node) or sorted(self.cluster.states(node) - {"NOT_RESPONDING"}) for node in NODES}

    def windows(self):
        """The nodes of each maintenance window."""
        return [one["nodes"] for one in self.gateway.status()["maintenance"]]

    def alarms(self):
        return [one["event"] for one in self.gateway.listed_alarms()]

    def wait_alarms(self, count):
        return wait_until(lambda: len(self.alarms()) == count, f"{count} alarms")


@pytest.fixture
def both(fabric, tmp_path, syslog):
    fabric.subnet_manager("sm1").wait_master()
    gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], sweep={"interval": 5, "settle": 200}))
    gateway.wait_subscribed()
    gateway.wait_nodes(8)
    with slurm.Slurm(tmp_path, NODES, PARTITIONS) as cluster:
        yield Both(cluster, gateway, tmp_path)


FREE = ["IDLE"]


def test_what_slurm_drained_is_in_maintenance(both):
    def said(*options):
        """What a run says without the names of windows."""
        status, text = both.run("maintenance", *options)
        return status, re.sub("slurm-[0-9a-f]{8}", "W", text)

    assert said() == (0, "")
    both.cluster.scontrol("update", "NodeName=node1", "State=DRAIN", "Reason=new memory")
    assert said("--dry-run") == (0, "would begin W: node1\n")
    assert both.windows() == []
    assert said() == (0, "begin W: node1\n")
    assert both.windows() == [["node1"]]
    assert said("--max-nodes", "0")[0] == 1
    assert both.cluster.scontrol("create", "reservation", "starttime=now", "duration=60", "user=root", "flags=maint,ignore_jobs",
                                 "nodes=node2").returncode == 0
    assert said() == (0, "begin W: node1 node2\nend W\n")
    assert said() == (0, "renew W: node1 node2\n")

    # A run that is killed behind its first change leaves a window too many, which the next run ends.
    shim = both.directory / "shim"
    shim.mkdir()
    (shim / "ibtrapctl").write_text(f'#!/bin/sh\n{BUILD}/ibtrapctl "$@" || exit 1\ncase "$*" in *" maintenance start "*) kill -9 $PPID ;; esac\n')
    (shim / "ibtrapctl").chmod(0o755)
    both.cluster.scontrol("update", "NodeName=storage1", "State=DRAIN", "Reason=new disks")
    assert both.run("maintenance", path=shim)[0] == -9
    assert sorted(both.windows()) == [["node1", "node2"], ["node1", "node2", "storage1"]]
    assert said() == (0, "renew W: node1 node2 storage1\nend W\n")
    both.cluster.scontrol("update", "NodeName=storage1", "State=RESUME")
    assert said() == (0, "begin W: node1 node2\nend W\n")

    both.cluster.stop_controller()
    status, text = said()
    assert status == 1 and "nothing more is changed" in text
    assert both.windows() == [["node1", "node2"]]
    both.cluster.start_controller()
    both.gateway.kill()
    both.gateway.start()
    both.gateway.wait_nodes(8)
    assert said() == (0, "renew W: node1 node2\n")
    both.cluster.scontrol("update", "NodeName=node1", "State=RESUME")
    assert said() == (0, "begin W: node2\nend W\n")
    both.cluster.scontrol("delete", "reservation=root_1")
    assert said() == (0, "end W\n")
    assert both.windows() == []


def test_a_host_with_an_alarm_is_drained_until_the_alarm_ends(both, fabric):
    assert both.run("drain") == (0, "")
    fabric.unlink("node1")
    both.wait_alarms(1)
    [alarm] = both.gateway.listed_alarms()
    reason = f"ibtrapd: {alarm['text'].rstrip('.')}, alarm {alarm['number']}"
    assert both.run("drain", "--dry-run") == (0, f"would drain node1: {reason}\n")
    assert both.state() == dict.fromkeys(NODES, FREE)
    assert both.run("drain") == (0, f"drain node1: {reason}\n")
    assert both.state() == {"node1": reason, "node2": FREE, "storage1": FREE}
    assert both.run("drain") == (0, "")
    # What this program drained is a fault, and no maintenance.
    assert both.run("maintenance") == (0, "")

    both.cluster.stop_controller()
    assert both.run("drain")[0] == 1
    both.cluster.start_controller()
    wait_until(lambda: both.cluster.states("node2") == {"IDLE"}, "the nodes to be there again")
    both.gateway.kill()
    assert both.run("drain")[0] == 1
    assert both.state()["node1"] == reason
    both.gateway.start()
    both.gateway.wait_nodes(7)
    assert both.run("drain") == (0, "")
    both.gateway.control("maintenance", "start", "rack1", "60", "node1")
    assert both.run("drain") == (0, "")
    assert both.state()["node1"] == reason
    both.gateway.control("maintenance", "stop", "rack1")

    fabric.relink("node1")
    both.wait_alarms(0)
    assert both.run("drain") == (0, "resume node1\n")
    assert both.state() == dict.fromkeys(NODES, FREE)


def test_a_window_that_begins_after_the_alarm_keeps_the_node_at_work(both, fabric):
    fabric.unlink("node1")
    both.wait_alarms(1)
    both.gateway.control("maintenance", "start", "rack1", "60", "node1")
    assert both.run("drain") == (0, "")
    both.gateway.control("maintenance", "stop", "rack1")
    assert "drain node1: " in both.run("drain")[1]


def test_others_work_and_the_last_node_are_left_alone(both, fabric):
    both.cluster.scontrol("update", "NodeName=node1", "State=DRAIN", "Reason=new memory")
    for node in NODES:
        fabric.unlink(node)
    both.wait_alarms(3)
    status, said = both.run("drain", "--max-nodes", "3", "--max-percent", "100")
    assert (status, said) == (0, "leave node2: a partition has no other node\nleave storage1: a partition has no other node\n")
    assert both.state() == {"node1": "new memory", "node2": FREE, "storage1": FREE}
    both.cluster.scontrol("update", "NodeName=node1", "State=RESUME")
    wait_until(lambda: both.cluster.states("node1") == {"IDLE"}, "node1 to take jobs again")
    assert "drain node1: " in (said := both.run("drain", "--max-nodes", "3", "--max-percent", "100")[1])
    assert "leave node2: a partition has no other node\n" in said
    for node in NODES:
        fabric.relink(node)
    both.wait_alarms(0)
    assert both.run("drain") == (0, "resume node1\n")


def test_no_more_than_the_cap_and_a_run_that_is_killed(both, fabric):
    both.cluster.scontrol("update", "PartitionName=single", "Nodes=node[1-2],storage1")
    both.cluster.scontrol("update", "PartitionName=main", "Nodes=node[1-2],storage1")
    fabric.unlink("node1")
    fabric.unlink("node2")
    both.wait_alarms(2)
    shim = both.directory / "shim"
    shim.mkdir()
    # Kills the program behind its first change.
    (shim / "scontrol").write_text('#!/bin/sh\n/usr/bin/scontrol "$@" || exit 1\n[ "$1" != update ] || kill -9 $PPID\n')
    (shim / "scontrol").chmod(0o755)
    assert both.run("drain", "--max-percent", "100", path=shim)[0] == -9
    assert [node for node in NODES if both.cluster.reason(node)] == ["node1"]
    assert both.run("drain")[1] == "leave node2: 1 nodes are drained, and 1 may be\n"
    assert "drain node2: " in both.run("drain", "--max-percent", "100")[1]
    fabric.relink("node1")
    fabric.relink("node2")
    both.wait_alarms(0)
    assert both.run("drain", path=shim)[0] == -9
    assert both.run("drain") == (0, "resume node2\n")
    assert both.state() == dict.fromkeys(NODES, FREE)


def test_one_rail_of_several_drains_only_when_asked(tmp_path, syslog):
    net = tmp_path / "rails.net"
    net.write_text("".join(f'caguid=0x0002c90300b{n}0000\nHca 1 "{name}"\n[1] "leaf1"[{n}]\n\n'
                           for n, name in enumerate(("sm1", "monitor", "gpu01 mlx5_0", "gpu01 mlx5_1", "gpu02 mlx5_0", "gpu02 mlx5_1"), 1))
                   + 'switchguid=0x0002c90200c10000\nSwitch 12 "leaf1"\n'
                   + "".join(f'[{n}] "{name}"[1]\n' for n, name in
                             enumerate(("sm1", "monitor", "gpu01 mlx5_0", "gpu01 mlx5_1", "gpu02 mlx5_0", "gpu02 mlx5_1"), 1)))
    (tmp_path / "slurm").mkdir()
    with Fabric(net) as fabric, slurm.Slurm(tmp_path / "slurm", ["gpu01", "gpu02"], {"main": "gpu[01-02]"}) as cluster:
        fabric.subnet_manager("sm1").wait_master()
        gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], sweep={"interval": 5, "settle": 200}))
        gateway.wait_nodes(7)
        both = Both(cluster, gateway, tmp_path / "slurm")
        fabric.unlink("leaf1", 3)
        wait_until(lambda: "host-removed" in both.alarms(), "the adapter to be gone")
        assert both.run("drain") == (0, "")
        assert both.run("drain", "--one-rail", "--dry-run")[1].startswith("would drain gpu01: ibtrapd: ")
        fabric.unlink("leaf1", 4)
        wait_until(lambda: both.run("drain", "--dry-run")[1].startswith("would drain gpu01: ibtrapd: "), "both rails to be gone")
