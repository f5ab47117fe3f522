# SPDX-License-Identifier: BSD-2-Clause
"""The first configuration of the README: what the README says and nothing else, then with snmptrapd and rsyslog."""

from conftest import CONFIG
from lab import pages
from lab.receivers import listening


def states(said):
    return {line.split()[0]: line for line in said.splitlines() if line.startswith(("nms ", "logs ", "local "))}


def test_the_first_configuration(site):
    """A host without receivers, keys and names: the gateway works, and says why it cannot send."""
    site.connect()
    site.path("/etc/ibtrapd/sa_key").unlink()
    site.start()
    reference = site.path(CONFIG).read_text()
    [added] = pages.blocks("README", "ibtrapd")
    site.add_config(added)
    first, second, fabric = pages.blocks("README", "sh")
    said = site.run("sh", "-c", first, good=(0, 1))
    assert "is good" in said and "link-down" in said and "cannot resolve 'nms.example.org'" in said
    site.wait(lambda: "[test] Port 1 of test-switch" in site.shell("journalctl -t ibtrapd --no-pager"), "the event in the local log")
    hosts = site.path("/etc/hosts")
    hosts.write_text(hosts.read_text() + "127.0.0.1 nms.example.org logs.example.org\n")
    site.path("/etc/snmp/snmptrapd.conf").write_text("authCommunity log public\n")
    site.path("/etc/rsyslog.d/ibtrapd.conf").write_text(pages.block("rsyslog", "rsyslog", '"514"'))
    site.run("systemctl", "start", "snmptrapd.socket", "snmptrapd", "syslog.socket", "rsyslog")
    site.wait(lambda: listening(162), "snmptrapd to listen")
    site.wait(lambda: all(" working " in line for line in states(site.shell("ibtrapctl status", good=(0, 1))).values()), "all to work")
    site.wait(lambda: "[test] Port 1 of test-switch" in site.path("/var/log/syslog").read_text(), "the line")
    assert reference in site.path(CONFIG).read_text()
    assert "is good" in site.shell(second)
    assert site.run("stat", "-c", "%U %a", "/etc/ibtrapd/sa_key") == "ibtrapd 600\n"
    site.wait(lambda: "active, 17 of 17 subscriptions" in site.machine.property("ibtrapd", "StatusText"), "all subscriptions")
    site.shell(fabric)
    site.wait(lambda: "leaf1/12" in site.shell("snmpwalk -v2c -c fabric 127.0.0.1:1161 .1.3.6.1.2.1.31.1.1.1.1", good=(0, 1, 2)),
              "the switches' ports at snmpd")
