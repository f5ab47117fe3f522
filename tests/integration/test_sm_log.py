# SPDX-License-Identifier: BSD-2-Clause
"""What OpenSM wrote into its own log: a real OpenSM on the simulator, with real faults. The oracle counts the lines of
the log by itself."""

import re
import signal

import pytest
from lab import notices
from lab.fabric import SA_KEY, Fabric
from lab.gateway import Gateway
from lab.journald import Journald, missing
from lab.processes import LabError, wait_until

# The fabric stays as the first sweep found it: what the subnet manager loses has its name still.
STILL = {"sweep": {"interval": 3600, "settle": 60000}}
LINES = {
    "sm-guid-duplicate": "ERR 0D15: ",
    "sm-no-answer": "ERR 3120: ",
    "sm-sweep-failed": "ERR 3119: |Errors during initialization|: cannot build ",
    "sm-no-route": "No routing engine able",
    "sm-conflict": "ERR 2F18: |Found remote SM ",
    "sm-partition-error": "PARSE ERROR: line|Partition configuration in error|ERR 0512: |ERR 0507: ",
}


@pytest.fixture
def site(fabric):
    """A subnet manager, and a gateway beside it that reads its log."""
    sm = fabric.subnet_manager("sm1").wait_master()
    gateway = fabric.keep(Gateway(fabric, host="sm1", beside_sm=True, sm_log=sm.directory / "osm.log", **STILL))
    gateway.wait_nodes(8)
    return fabric, sm, gateway


def told(gateway):
    """The sentences of the events of the log, by name."""
    found = {name: [] for name in LINES}
    for event in gateway.journal():
        if event["event"] in found:
            found[event["event"]].append(event["text"])
    return found


def expected(log):
    """How many lines of each kind the log has. A line on the way of ERR 0D15 is one line."""
    return {name: len(re.findall(pattern, log)) for name, pattern in LINES.items()}


def wait_told(gateway, name, sentence):
    """Waits for an event whose sentence fits."""
    return wait_until(lambda: [text for text in told(gateway)[name] if re.fullmatch(sentence, text)],
                      f"{name}: {sentence}")


def test_a_port_that_does_not_answer_and_a_sweep_that_fails(site):
    fabric, sm, gateway = site
    fabric.console('Error "node1"[1] 100 21')  # PortInfo, as a port does with another M_Key
    sm.reload()
    wait_told(gateway, "sm-no-answer", r"The subnet manager gets no answer from port 1 of node1 \(LID \d+\) to port 3 of "
                                       r"leaf1 \(LID \d+\): PortInfo timed out; the M_Key may be wrong\.")
    fabric.console('Error "node1"[1] 0')
    for port in (11, 12):  # OpenSM finds leaf2 by the one that answers first
        fabric.console(f'Error "leaf2"[{port}] 100 25')  # LinearForwardingTable
    sm.kill()
    sm.start()
    wait_told(gateway, "sm-sweep-failed", r"A sweep of the subnet manager failed at port (1[12]) of leaf2 \(LID \d+\) to port \1 of "
                                          r"leaf1 \(LID \d+\): LinearForwardingTable could not be set\.")
    wait_told(gateway, "sm-sweep-failed", r"A sweep of the subnet manager failed: OpenSM met errors during initialization\.")


def test_a_second_subnet_manager_with_another_key(site):
    fabric, sm, gateway = site
    sm.options["sm_key"] = "0x1111"
    fabric.subnet_manager("sm2", sm_key="0x2222")

    def meets(attempts=20):
        """umad2sim has no timeouts: a subnet manager that lost a packet waits for ever, and is started again."""
        for _ in range(attempts):
            sm.kill()
            sm.start()
            try:
                return wait_until(lambda: told(gateway)["sm-conflict"], "the conflict", timeout=10)
            except LabError:
                pass
        raise LabError(f"the subnet managers did not meet in {attempts} attempts")

    meets()
    wait_told(gateway, "sm-conflict", r"A subnet manager on port 1 of sm2 \(LID \d+\) to port 1 of leaf2 \(LID \d+\) works "
                                      r"beside this one: its SM_Key is another\.")


@pytest.mark.parametrize("key, event", [(None, "sm-bad-mkey"), (SA_KEY, "bad-mkey")])
def test_a_wrong_mkey_is_told_once(fabric, key, event):
    """By the trap where the gateway has the SA key, else by OpenSM's line about the trap."""
    sm = fabric.subnet_manager("sm1").wait_master()
    gateway = fabric.keep(Gateway(fabric, sa_key=key, sm_log=sm.directory / "osm.log", **STILL))
    gateway.wait_nodes(8)
    gateway.wait_subscribed(except_for=() if key else ("256", "257", "258", "259"))
    fabric.client("node1").trap(notices.bad_mkey(fabric.lid_of("node2"), 1, 0x11, 0, 0x1234))
    about = wait_until(lambda: [one for one in gateway.journal() if one["event"] in ("sm-bad-mkey", "bad-mkey")], "the wrong key")
    assert [one["event"] for one in about] == [event]
    if not key:
        assert re.fullmatch(r"Port 1 of node1 \(LID \d+\) to port 3 of leaf1 \(LID \d+\) told the subnet manager of a packet with a "
                            r"wrong M_Key: its trap 256 is in the log\.", about[0]["text"])
    partitions = fabric.directory / "partitions.conf"
    partitions.write_text("broken\n")
    sm.options["partition_config_file"] = partitions
    sm.restart()
    wait_told(gateway, "sm-partition-error", ".*default partition alone.*")  # what came before is told by now
    assert [one["event"] for one in gateway.journal() if one["event"] in ("sm-bad-mkey", "bad-mkey")] == [event]


def test_no_route_and_partitions(site):
    fabric, sm, gateway = site
    partitions = fabric.directory / "partitions.conf"
    partitions.write_text("Default=0x7fff,ipoib: ALL=full;\nbroken\n")
    sm.kill()
    sm.options |= {"routing_engine": "ftree,no_fallback", "partition_config_file": partitions}
    sm.start()
    wait_told(gateway, "sm-no-route", r"The subnet manager could not make routes: no routing engine fits the fabric\.")
    wait_told(gateway, "sm-sweep-failed", r"A sweep of the subnet manager failed: the routing engine ftree does not fit the "
                                          r"fabric\.")
    wait_told(gateway, "sm-partition-error", r"The subnet manager cannot set the partitions as configured: the partition "
                                             r"configuration is wrong in line 2: no partition definition found\.")
    wait_told(gateway, "sm-partition-error", r".*: OpenSM uses the default partition alone\.")
    partitions.write_text("Default=0x7fff: ALL=full;\n" + "".join(f"p{n}=0x{n:04x}: ALL=full;\n" for n in range(1, 80)))
    sm.kill()
    sm.start()
    wait_told(gateway, "sm-partition-error", r"The subnet manager cannot set the partitions as configured on leaf1 "
                                             r"\(LID \d+\): its table of P_Keys is full\.")


def test_repeats_are_told_once(fabric, syslog):
    """OpenSM writes a line for each P_Key for which a port has no room; receivers hear of each switch once."""
    partitions = fabric.directory / "partitions.conf"
    partitions.write_text("Default=0x7fff: ALL=full;\n" + "".join(f"p{n}=0x{n:04x}: ALL=full;\n" for n in range(1, 80)))
    sm = fabric.subnet_manager("sm1").wait_master()
    gateway = fabric.keep(Gateway(fabric, host="sm1", beside_sm=True, sm_log=sm.directory / "osm.log", policy="",
                                  syslog=[syslog.address], **STILL))
    gateway.wait_nodes(8)
    sm.options["partition_config_file"] = partitions
    sm.restart()
    lines = sm.log.count("ERR 0512: ")
    wait_until(lambda: len(told(gateway)["sm-partition-error"]) == lines, "all lines to be in the journal")
    about = syslog.wait_for(lambda one: one.message_id == "sm-partition-error", "both switches", count=2)
    assert lines > 100 and len(about) == 2
    assert {re.search("leaf[12]", one.text)[0] for one in about} == {"leaf1", "leaf2"}


def test_a_duplicated_guid(tmp_path):
    net = tmp_path / "twice.net"
    text = (Fabric().net).read_text()
    # Port 2 of storage1 has the GUID of port 1 of node1.
    text = text.replace("caguid=0x0002c90300b30000", "caguid=0x0002c90300b0ffff")
    net.write_text(text.replace('[1]\t"leaf2"[4]', '[2]\t"leaf2"[4]').replace('"storage1"[1]', '"storage1"[2]'))
    with Fabric(net) as fabric:
        sm = fabric.subnet_manager("sm1")
        sm.wait_master()
        gateway = fabric.keep(Gateway(fabric, host="sm1", beside_sm=True, sm_log=sm.directory / "osm.log", **STILL))
        gateway.wait_nodes(8)
        sm.restart()
        wait_told(gateway, "sm-guid-duplicate", r"The subnet manager found one GUID at two places, one of them port \d of "
                                                r"(node1|storage1).*: it is the GUID of a port\.")


def test_two_nodes_with_one_guid(site):
    """ibsim refuses such nodes: the answers of node2 have node1's GUIDs."""
    fabric, sm, gateway = site
    sm.faults["SIM_TWIN"] = f"0x{fabric.guid_of('node2'):x}=0x{fabric.guid_of('node1'):x}"
    sm.kill()
    sm.start()
    wait_told(gateway, "sm-guid-duplicate", r"The subnet manager found one GUID at two places, one of them port 1 of node1.* to port 3 of "
                                            r"leaf1.*: the node is reachable from the node 0x[0-9a-f]+ port \d+ and remote node 0x[0-9a-f]+ port \d+\.")
    assert "ERR 0D01: Found duplicated node GUID" in sm.log


def test_nothing_is_told_twice_nor_left_out(fabric):
    """Kills of the gateway, and a rotation by rename as OpenSM knows it, while partitions are wrong."""
    partitions = fabric.directory / "partitions.conf"
    partitions.write_text("broken\n")
    sm = fabric.subnet_manager("sm1").wait_master()
    log = sm.directory / "osm.log"
    gateway = fabric.keep(Gateway(fabric, host="sm1", beside_sm=True, sm_log=log, **STILL))
    gateway.wait_nodes(8)
    wait_until(lambda: gateway.journal(), "the journal")
    sm.options["partition_config_file"] = partitions

    def break_partitions():
        before = log.read_text().count("Partition configuration in error")
        sm.kill()
        sm.start()
        wait_until(lambda: log.read_text().count("Partition configuration in error") > before, "the line")

    break_partitions()
    wait_told(gateway, "sm-partition-error", r".*default partition alone\.")
    gateway.kill()
    break_partitions()
    log.rename(sm.directory / "osm.log.1")
    sm.process.popen.send_signal(signal.SIGUSR1)
    wait_until(log.exists, "OpenSM to begin a new log")
    gateway.start()
    break_partitions()

    def all_told():
        lines = expected((sm.directory / "osm.log.1").read_text() + log.read_text())
        return {name: len(texts) for name, texts in told(gateway).items()} == lines and lines["sm-partition-error"] >= 6

    wait_until(all_told, "each line to be told once")
    gateway.kill()
    gateway.start()
    gateway.wait_nodes(8)
    break_partitions()
    wait_until(all_told, "each line to be told once, after another kill")


def test_the_list_of_unhealthy_ports_is_a_list_of_alarms(fabric, tmp_path):
    """Alarms follow the list of NVIDIA's subnet manager, also over restarts of the gateway. The lines are as the page has them."""
    path = tmp_path / "opensm-unhealthy-ports.dump"
    head = "# NodeGUID, PortNum, NodeDesc, PeerNodeGUID, PeerPortNum, PeerNodeDesc, {Conditions}, TimeStamp\n"

    def line(port, conditions):
        return f'0x{fabric.guid_of("leaf1"):016x}, {port}, "leaf1", 0x0, 0, "", {{{conditions}}}, Fri Mar 20 01:13:40 2026\n'

    def unhealthy():
        return {one["key"]: one["text"] for one in gateway.listed_alarms("--all") if one["event"] == "sm-port-unhealthy"}

    def keys(*ports):
        return {f"unhealthy 0x{fabric.guid_of('leaf1'):016x}/{port}" for port in ports}

    def wait(*ports):
        wait_until(lambda: set(unhealthy()) == keys(*ports), f"the alarms of {ports}")

    path.write_text(head + line(3, "FLAPPING"))
    fabric.subnet_manager("sm1").wait_master()
    gateway = fabric.keep(Gateway(fabric, unhealthy=path, **STILL))
    gateway.wait_nodes(8)
    wait(3)
    [text] = unhealthy().values()
    assert re.fullmatch(r"The subnet manager calls port 3 of leaf1( \(LID \d+\))? to port 1 of node1( \(LID \d+\))? unhealthy: FLAPPING, Fri Mar 20 "
                        r"01:13:40 2026\.", text), text
    path.write_text(head + line(3, "FLAPPING, REBOOT") + line(12, "MANUAL"))
    wait(3, 12)
    path.unlink()  # says nothing of ports
    wait_until(lambda: "the alarms sm-port-unhealthy stay as they are" in gateway.log, "the complaint")
    assert set(unhealthy()) == keys(3, 12)
    gateway.stop()
    path.write_text(line(12, "MANUAL"))
    gateway.start()
    gateway.wait_nodes(8)
    wait(12)
    [ended] = [one["text"] for one in gateway.journal() if one["event"] == "alarm-cleared"]
    assert ended.endswith("is over: the list of the subnet manager has the port no longer.")
    gateway.stop()
    gateway.config.write_text(re.sub(r".*unhealthy_ports.*\n", "", gateway.config.read_text()))
    gateway.start()
    gateway.wait_nodes(8)
    wait()


@pytest.mark.skipif(missing(), reason="systemd-journald does not start without /sys/fs/cgroup")
def test_the_journal_of_systemd(fabric, tmp_path):
    """The lines that OpenSM writes to its log, in a journal: those before the gateway's first start are old."""
    journald = Journald(tmp_path)
    journald.start()
    partitions = fabric.directory / "partitions.conf"
    partitions.write_text("broken\n")
    try:
        sm = fabric.subnet_manager("sm1", partition_config_file=partitions)
        lines = wait_until(lambda: re.findall("-> (.*(?:PARSE ERROR|Partition configuration in error).*)", sm.log), "the lines")
        for line in lines:
            journald.send("OpenSM", line)
        gateway = fabric.keep(Gateway(fabric, host="sm1", beside_sm=True, sm_log=f"journald:{journald.name}", **STILL))
        gateway.wait_nodes(8)
        sent = []

        def follows():
            """Sends a line until the gateway, which begins at the end of the journal, tells of it."""
            if count() == 0:
                sent.append(journald.send("OpenSM", lines[0]))
            return count() > 0

        def count():
            return len(told(gateway)["sm-partition-error"])

        wait_until(follows, "the first line")
        gateway.kill()
        for line in lines:
            sent.append(journald.send("opensm", line))
            journald.send("another", line)
        gateway.start()
        wait_until(lambda: count() == len(sent), "the lines that came meanwhile")
        gateway.kill()
        gateway.start()
        sent.append(journald.send("opensm", lines[0]))
        wait_until(lambda: count() == len(sent), "one line more")
    finally:
        journald.remove()
