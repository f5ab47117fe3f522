# SPDX-License-Identifier: BSD-2-Clause
"""The page about SNMP with Debian's snmpd, as its lines are written."""

import re

import pytest
from lab import pages
from lab.own_mib import OWN
from lab.receivers import listening

NEVER_SHOWN = ".1.3.6.1.6.3.15"  # snmpd's SNMPv3 users
SYSTEM, FABRIC = ".1.3.6.1.2.1.1", ".1.3.6.1.3.2.2.1"
MANAGERS = ".1.3.6.1.3.117.7"  # IB-SM-MIB
LET_IN, EXPORT, ASK = (pages.block("snmp", "sh", words) for words in ("/var/agentx", "snmp_exporter", "snmpwalk"))


@pytest.fixture
def snmp_conf(site):
    """Debian's configuration with a block of the page after it, as an administrator adds it. Its snmpd ran before."""
    site.run("systemctl", "start", "snmpd")
    path = site.path("/etc/snmp/snmpd.conf")

    def add(number, *changes):
        path.write_text(path.read_text() + pages.adapted(pages.blocks("snmp", "snmpd")[number], dict(changes)))

    return add


def reach_snmpd(site, section, connected=True):
    """In the order of the page: the gateway's section, snmpd's lines, and the way from one to the other."""
    site.start_gateway("", connected=connected)
    site.add_config(section)
    site.shell(LET_IN)


def walk(site, *arguments):
    return site.run("snmpwalk", "-On", "-v2c", *arguments).splitlines()


def serves(site):
    return "NOT SERVED" not in site.run("ibtrapctl", "status")


def test_managers_read_the_tables(site, snmp_conf):
    site.connect()
    snmp_conf(1)
    reach_snmpd(site, pages.blocks("snmp", "ibtrapd")[2])
    site.wait(lambda: serves(site), "snmpd to serve the tables")
    shown = site.shell(ASK)
    assert "Linux" in shown and shown.count(OWN.removeprefix("1.3.6.1.4.1")) > 100
    of_system = walk(site, "-c", "fabric", "127.0.0.1", SYSTEM)
    for needed in ".1.0 = STRING: ", ".2.0 = OID: ", ".3.0 = Timeticks: ", ".5.0 = STRING: ":
        assert any(line.startswith(SYSTEM + needed) for line in of_system), needed
    assert len(walk(site, "-c", "fabric", "127.0.0.1", FABRIC)) > 100
    roots = SYSTEM, FABRIC, MANAGERS, f".{OWN}"
    everything = walk(site, "-c", "fabric", "127.0.0.1", ".1")
    assert everything and all(line.startswith(tuple(root + "." for root in roots)) or "No more variables" in line
                              for line in everything)
    assert site.log_of("snmpd") == ""


def test_a_closed_directory_is_told(site, snmp_conf):
    """As Debian's snmpd leaves it. Each message says what is to do, and the page's command does it."""
    snmp_conf(1)
    site.start_gateway("", connected=False)
    site.add_config(pages.blocks("snmp", "ibtrapd")[2])
    site.run("systemctl", "restart", "snmpd")
    for command in ("ibtrapd", "--check-config"), ("ibtrapctl", "reload"):
        assert "let the user that runs ibtrapd into the directory" in site.machine.fails(*command)
    site.run("systemctl", "restart", "ibtrapd")
    site.wait(lambda: "let the user into the directory" in site.run("ibtrapctl", "status"), "the advice")
    site.shell(LET_IN)
    site.wait(lambda: serves(site), "snmpd to serve the tables")


def test_notifications_go_through_snmpd(site, snmp_conf, manager):
    site.connect()
    snmp_conf(0, ("nms.example.org", manager.address))
    reach_snmpd(site, pages.blocks("snmp", "ibtrapd")[1])
    site.run("ibtrapctl", "test", "link-down", good=(0, 1))  # 1: not within five seconds
    manager.wait_for(lambda one: "link-down" in str(one.varbinds), "the notification")
    assert site.log_of("snmpd") == ""


def test_the_communities_of_recipients_can_be_kept_out(site, snmp_conf):
    """The line of mibs/README.md."""
    site.connect()
    snmp_conf(1)
    reach_snmpd(site, pages.blocks("snmp", "ibtrapd")[2])
    site.wait(lambda: serves(site), "snmpd to serve the tables")
    [line] = pages.blocks("mibs", "snmpd")
    column = line.split()[-1]
    assert walk(site, "-c", "fabric", "127.0.0.1", column)[0].startswith(column + ".")
    path = site.path("/etc/snmp/snmpd.conf")
    path.write_text(path.read_text() + line)
    site.run("systemctl", "restart", "snmpd")
    site.wait(lambda: serves(site) and len(walk(site, "-c", "fabric", "127.0.0.1", FABRIC)) > 100, "the tables again")
    assert not any(one.startswith(column + ".") for one in walk(site, "-c", "fabric", "127.0.0.1", FABRIC))
    assert site.log_of("snmpd") == ""


def test_a_switch_is_a_device(site, snmp_conf):
    """By SNMPv3 with its context, and by a community that leads to it."""
    site.connect()
    snmp_conf(1)
    snmp_conf(2)
    reach_snmpd(site, pages.blocks("snmp", "ibtrapd")[2])
    site.wait(lambda: serves(site), "snmpd to serve the tables")
    [ask] = [one for one in pages.indented("snmp") if "-u devices" in one]
    context = ask.split(" -n ")[1].split()[0]
    assert context in site.run("ibtrapctl", "contexts")
    rows = site.wait(lambda: len(found := site.shell(ask, good=(0, 1, 2)).splitlines()) > 100 and found, "the table")
    assert sum(re.search(r"2\.2\.1\.1\.\d+ = INTEGER", one) is not None for one in rows) == 13  # port 0, too
    [print_lines] = re.findall(r"`(ibtrapctl contexts communities) COMMUNITY`", pages.text("snmp"))
    path = site.path("/etc/snmp/snmpd.conf")
    lines = site.shell(f"{print_lines} secret")
    path.write_text(path.read_text() + lines)
    site.run("systemctl", "restart", "snmpd")
    [community] = {word for line in lines.splitlines() if context in line for word in line.split() if word.startswith("secret")}
    name = "snmpget", "-v2c", "-c", community, "127.0.0.1", SYSTEM + ".5.0"
    site.wait(lambda: "leaf1" in site.run(*name, good=(0, 1)), "the name")


def test_snmp_exporter_reads_the_ports(site, snmp_conf):
    """With the module of the examples, which is what the generator makes of its file there."""
    site.connect()
    snmp_conf(1)
    site.fabric.count_errors("node1", 1, SymbolErrorCounter=7)
    site.run("install", "-d", "-m", "755", "/var/agentx")
    site.start_gateway(pages.blocks("snmp", "ibtrapd")[2] + 'counters { interval = 5 }')
    site.shell(LET_IN)
    site.wait(lambda: serves(site) and walk(site, "-c", "fabric", "127.0.0.1", f".{OWN}.1.7.1.15"), "the ports")
    site.wait(lambda: len(walk(site, "-c", "fabric", "127.0.0.1", f".{OWN}.1.7.1.15")) > 5, "the counters")
    block = EXPORT.replace("\ncurl '", "\ncurl -s --retry 20 --retry-connrefused '")
    exported = site.shell(block)
    [symbols] = [line for line in exported.splitlines() if line.startswith("ibtrapdPortSymbolErrors{")
                 and 'ibtrapdPortNodeName="node1"' in line]
    assert symbols.endswith("} 7") and 'ibtrapdPortPeerName="leaf1"' in symbols
    lines = [line for line in walk(site, "-c", "fabric", "127.0.0.1", f".{OWN}.1.7.1.8") if " = INTEGER: " in line]
    assert exported.count("\nibtrapdPortState{") == len(lines) > 20
    offline_packages(site)
    site.shell(pages.blocks("snmptrapd-zabbix", "sh")[0])
    site.shell("mkdir /tmp/generator && cd /tmp/generator && cp /usr/share/doc/ibtrapd/examples/snmp_exporter-generator.yml "
               "generator.yml && MIBDIRS=/usr/share/snmp/mibs:/usr/local/share/ibtrapd/mibs prometheus-snmp-generator generate")
    made = site.path("/tmp/generator/snmp.yml").read_text()
    shipped = site.path("/usr/share/doc/ibtrapd/examples/snmp_exporter.yml").read_text()
    assert without_comments(made) == without_comments(shipped)


def without_comments(text):
    return [line for line in text.splitlines() if not line.startswith("#")]


def offline_packages(site):
    """Lets apt find what run.sh put into the machine's repository: the machine has no network."""
    site.path("/etc/apt/sources.list").write_text("deb [trusted=yes] file:/repository ./\n")
    site.run("apt-get", "update")


def test_the_modules_can_be_used(site, snmp_conf):
    """The steps of "Set up snmptrapd", and a table, from the installed package."""
    site.connect()
    fetch, load, watch = pages.blocks("snmptrapd-zabbix", "sh")[:3]
    offline_packages(site)
    site.machine.fails("sh", "-ec", "snmptranslate -m SNMPv2-MIB -On SNMPv2-MIB::sysUpTime.0")
    site.shell(fetch)
    site.shell(load)
    assert site.shell("snmptranslate -m SNMPv2-MIB -On SNMPv2-MIB::sysUpTime.0") == ".1.3.6.1.2.1.1.3.0\n"
    config = pages.blocks("snmptrapd-zabbix", "snmptrapd")[0]
    site.path("/etc/snmp/snmptrapd.conf").write_text(config)
    snmp_conf(1)
    reach_snmpd(site, pages.blocks("snmp", "ibtrapd")[2]
                + 'snmp "nms" { address = "127.0.0.1" community = "public" inform = true extra_varbinds = true }\n')
    site.run("systemd-run", "--unit=watch", "sh", "-c", watch)
    site.wait(lambda: listening(162), "snmptrapd to listen")
    site.run("ibtrapctl", "test", "link-down", good=(0, 1))  # 1: not within five seconds
    site.wait(lambda: "IBTRAPD-MIB::ibtrapdEventName.0 = STRING: link-down" in site.log_of("watch"), "the notification")
    site.wait(lambda: serves(site), "snmpd to serve the tables")
    rows = site.shell(pages.blocks("mibs", "sh")[0])
    assert "SNMP table: IBSWITCH-MIB::gswTopoComTable" in rows and rows.count("no-change") == 4  # two links, from both ends


def test_notifications_over_dtls(site):
    """The chapter about certificates; one machine is both hosts, and its /root has the files of both."""
    site.connect()
    hosts = site.path("/etc/hosts")
    hosts.write_text(hosts.read_text() + "127.0.0.1 nms.example.org\n")
    gateway, manager, watch = pages.blocks("snmp", "sh")[-3:]
    site.shell("cd /root\n" + gateway)
    site.shell("cd /root\n" + manager)
    site.run("install", "-m", "644", "/root/nms.pem", "/etc/ibtrapd")
    print_of = site.run("openssl", "x509", "-in", "/root/ibtrapd.pem", "-noout", "-fingerprint", "-sha256")
    [config] = pages.blocks("snmp", "snmptrapd")
    site.path("/etc/snmp/snmptrapd.conf").write_text(config.replace("FINGERPRINT", print_of.strip().split("=")[1]))
    site.run("systemd-run", "--unit=watch", "sh", "-c", watch)
    site.wait(lambda: listening(10162), "snmptrapd to listen")
    site.start_gateway(pages.blocks("snmp", "ibtrapd")[3])
    site.run("ibtrapctl", "test", "link-down", good=(0, 1))
    site.wait(lambda: "link-down" in site.log_of("watch"), "the notification")
