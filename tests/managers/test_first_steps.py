# SPDX-License-Identifier: BSD-2-Clause
"""The first configuration of the README with Debian's snmptrapd and rsyslog, as it is written."""

from conftest import CONFIG
from lab import pages
from lab.receivers import listening


def test_the_first_configuration(site):
    site.connect()
    [key] = pages.blocks("operation", "sh")
    site.path("/etc/ibtrapd/sa_key").unlink()
    site.shell(key)
    assert site.run("stat", "-c", "%U %a", "/etc/ibtrapd/sa_key") == "ibtrapd 600\n"
    hosts = site.path("/etc/hosts")
    hosts.write_text(hosts.read_text() + "127.0.0.1 nms.example.org logs.example.org\n")
    site.path("/etc/opensm").mkdir(exist_ok=True)
    site.path("/etc/opensm/ib-node-name-map").write_text('0x0002c90200c20000 "spine"\n')
    site.path("/etc/snmp/snmptrapd.conf").write_text("authCommunity log public\n")
    site.path("/etc/rsyslog.d/tcp.conf").write_text('module(load="imtcp")\ninput(type="imtcp" port="514")\n')
    site.run("systemctl", "start", "snmptrapd.socket", "snmptrapd", "syslog.socket", "rsyslog")
    site.wait(lambda: listening(162), "snmptrapd to listen")
    site.start_gateway("", connected=False)
    site.path(CONFIG).write_text(pages.blocks("README", "ibtrapd")[0])
    commands, fabric = pages.blocks("README", "sh")
    said = site.shell(commands)
    assert "is good" in said and "link-down" in said
    states = [line for line in said.splitlines() if line.startswith(("nms ", "logs "))]
    assert sum("delivered" in line or " sent " in line for line in states) == 2 and sum(" working " in line for line in states) == 2
    site.wait(lambda: "[test] Port 1 of test-switch" in site.path("/var/log/syslog").read_text(), "the line")
    site.wait(lambda: "active, 17 of 17 subscriptions" in site.machine.property("ibtrapd", "StatusText"), "all subscriptions")
