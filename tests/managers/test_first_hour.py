# SPDX-License-Identifier: BSD-2-Clause
"""A stranger's first hour, in the order of the pages: the package, the README's first configuration, then snmptrapd, rsyslog
and Prometheus by their pages, and a fault that is seen in each. -s shows how long each step took."""

import re
import time

from conftest import CONFIG
from lab import pages
from lab.receivers import listening
from test_prometheus import query
from test_snmpd import offline_packages

OF_HOSTS = "127.0.0.1 nms.example.org logs.example.org\n"


class Steps:
    def __init__(self):
        self.since = time.monotonic()

    def done(self, what):
        now = time.monotonic()
        print(f"{now - self.since:6.1f} s  {what}")
        self.since = now


def test_the_first_hour(site):
    steps = Steps()
    site.connect()
    site.path("/etc/ibtrapd/sa_key").unlink()
    hosts = site.path("/etc/hosts")
    hosts.write_text(hosts.read_text() + OF_HOSTS)
    site.start()
    steps.done("the gateway runs")

    first, second, _ = pages.blocks("README", "sh")
    [added] = pages.blocks("README", "ibtrapd")
    site.add_config(added)
    site.run("sh", "-c", first, good=(0, 1))
    steps.done("README: the first configuration")
    site.shell(second)
    steps.done("README: names and security traps")

    offline_packages(site)
    fetch, load, watch, *_ = pages.blocks("snmptrapd-zabbix", "sh")
    site.shell(fetch + load)
    site.path("/etc/snmp/snmptrapd.conf").write_text(pages.blocks("snmptrapd-zabbix", "snmptrapd")[0])
    site.run("systemd-run", "--unit=watch", "sh", "-c", watch)
    site.wait(lambda: listening(162), "snmptrapd to listen")
    site.shell("ibtrapctl reload && ibtrapctl test link-down --receiver nms")  # which failed until now
    steps.done("snmptrapd")

    site.path("/etc/rsyslog.d/ibtrapd.conf").write_text(pages.block("rsyslog", "rsyslog", '"514"'))
    site.run("systemctl", "restart", "syslog.socket", "rsyslog")
    site.shell("ibtrapctl test link-down --receiver logs")
    steps.done("rsyslog")

    site.add_config(pages.blocks("prometheus", "ibtrapd")[0])
    site.path("/run/systemd/system/prometheus.service.d").mkdir()
    site.path("/run/systemd/system/prometheus.service.d/chroot.conf").write_text("[Service]\nPrivateUsers=no\n")  # of the test's machine
    site.run("systemctl", "daemon-reload")
    site.path("/etc/prometheus/prometheus.yml").write_text(pages.blocks("prometheus", "prometheus")[0])
    site.path("/etc/prometheus/ibtrapd-rules.yml").write_text(pages.blocks("prometheus", "prometheus-rules")[0])
    restart, check, _ = pages.blocks("prometheus", "sh")
    site.run("ibtrapd", "--check-config")
    site.run("sh", "-c", restart, good=range(256))
    site.start()  # the simulator may refuse the first
    site.run("systemctl", "restart", "prometheus")
    assert "SUCCESS" in site.shell(check.splitlines()[0])
    site.wait(lambda: "active, 17 of 17" in site.machine.property("ibtrapd", "StatusText"), "all subscriptions", 120)
    site.wait(lambda: site.json("status")["sweep"]["nodes"] == 8, "the fabric", 120)
    steps.done("Prometheus")

    site.fabric.unlink("leaf1", 12)
    sentence = re.compile(r"Port 12 of leaf1 \(LID 2\) to port 12 of leaf. \(LID 3\) went down\.")  # the README names one
    site.wait(lambda: sentence.search(site.log_of("watch")), "the fault at snmptrapd", 120)
    assert re.search("ibtrapdEventName.0 = STRING: link-down", site.log_of("watch"))
    site.wait(lambda: sentence.search(site.path("/var/log/syslog").read_text()), "the fault at rsyslog", 120)
    site.wait(lambda: sum(query('ibtrapd_events_total{event="link-down"}').values()) >= 1, "the fault at Prometheus", 180)
    assert sentence.search(site.shell("ibtrapctl alarms"))
    steps.done("a fault is seen in each")
    assert site.path(CONFIG).exists()
