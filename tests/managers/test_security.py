# SPDX-License-Identifier: BSD-2-Clause
"""The page about security: rights, files, sockets and the sandbox of the installed service. What it says of datagrams, names
and limits is tested in tests/unit/, tests/integration/, tests/receivers/ and tests/fuzz/."""

import re

import pytest
from conftest import CONFIG, DROP_IN
from lab import notices, pages
from lab.sockets import free_port

UNIT = "ibtrapd"
STATE = "/var/lib/ibtrapd"
PASSWORDS = """snmp "nms" {
    address = "127.0.0.1:9" version = "3" user = "u" inform = true
    auth = "SHA-256" auth_password_file = "/etc/ibtrapd/password"
    privacy = "AES" privacy_password_file = "/etc/ibtrapd/password"
}
"""
PASSWORD = "a password that nobody reads"


def stat(site, path):
    return site.run("stat", "-c", "%U:%G %a", path).strip()


def process_status(site):
    return site.path(f"/proc/{site.machine.property(UNIT, 'MainPID')}/status").read_text()


def user_of(site, *command):
    """Runs a command as a user who is in no group of ibtrapd's."""
    return site.machine.fails("runuser", "-u", "nobody", "--", *command)


def test_the_page_names_what_is_tested():
    assert len(pages.table("security", "do")) == 6 and "`systemd-analyze security`: 1.6" in pages.text("security")


# Set it up safely.

@pytest.mark.parametrize("change", ["chmod 640", "chmod 604", "chown nobody"])
def test_files_that_others_can_access_are_refused(site, change):
    site.connect()
    site.secret("/etc/ibtrapd/password", PASSWORD)
    site.path(CONFIG).write_text('fabric { sa_key_file = "/etc/ibtrapd/sa_key" }\n' + PASSWORDS)
    site.run("ibtrapd", "--check-config")
    for path in "/etc/ibtrapd/sa_key", "/etc/ibtrapd/password":
        site.shell(f"{change} {path}")
        assert path in site.machine.fails("ibtrapd", "--check-config")
        site.shell(f"chown ibtrapd {path} && chmod 600 {path}")
    site.run("ibtrapd", "--check-config")


def test_secrets_are_regular_files_and_links_to_them(site):
    site.connect()
    site.path(CONFIG).write_text('fabric { sa_key_file = "/etc/ibtrapd/link" }\n')
    site.shell("ln -s sa_key /etc/ibtrapd/link")
    site.run("ibtrapd", "--check-config")
    site.shell("ln -sf fifo /etc/ibtrapd/link && mkfifo -m 600 /etc/ibtrapd/fifo && chown ibtrapd /etc/ibtrapd/fifo")
    assert "/etc/ibtrapd/link" in site.machine.fails("timeout", "20", "ibtrapd", "--check-config")


def test_the_units_run_in_a_sandbox(site):
    site.connect()
    site.start_gateway("")
    said = site.run("systemd-analyze", "security", "--no-pager", UNIT)
    assert re.search(r"Overall exposure level for ibtrapd\.service: 1\.6 ", said), said.splitlines()[-1]
    assert "Overall exposure level for ibtrapd@mlx5_0-1.service: 1.6 " in site.run(
        "systemd-analyze", "security", "--no-pager", "ibtrapd@mlx5_0-1.service")
    status = process_status(site)
    user = site.run("id", "-u", "ibtrapd").strip()
    assert re.search(rf"(?m)^Uid:\s+{user}\s+{user}\s+{user}\s+{user}$", status) and user != "0"
    assert set(re.findall(r"(?m)^Cap\w+:\s+(\w+)$", status)) == {"0" * 16}
    assert "NoNewPrivs:\t1\n" in status and "Seccomp:\t2\n" in status


PROBE = "touch /srv/mine/probe && echo wrote; ls /home/somebody && echo saw a home; touch /tmp/probe && echo wrote to tmp"


def test_the_sandbox_holds(site):
    """What the service's user can do outside of the unit, and in it."""
    site.shell("install -d -o ibtrapd /srv/mine /home/somebody")
    outside = ["wrote", "saw a home", "wrote to tmp"]
    assert site.run("runuser", "-u", "ibtrapd", "--", "sh", "-c", PROBE).splitlines() == outside
    site.shell("rm /srv/mine/probe /tmp/probe")
    own = " ".join(f"/{top}/ibtrapd" for top in ("var/lib", "var/log", "run"))
    site.path(DROP_IN).mkdir()
    site.path(DROP_IN + "/probe.conf").write_text(
        "[Service]\nType=oneshot\nRestart=no\nExecStart=\n"
        f"ExecStart=/bin/sh -c '({PROBE}; for one in {own}; do touch $one/probe && echo $one; done) 2>/dev/null; echo done'\n")
    site.run("systemctl", "daemon-reload")
    site.start()
    site.wait(lambda: "done" in site.log_of(UNIT).splitlines(), "the end of the probe")
    said = [line for line in site.log_of(UNIT).splitlines() if line in (*outside, *own.split())]
    assert said == ["wrote to tmp", *own.split()]
    assert not site.path("/tmp/probe").exists()  # a /tmp of its own
    assert site.machine.property(UNIT, "DevicePolicy") == "closed"
    allowed = set(site.machine.property(UNIT, "DeviceAllow").splitlines())
    assert allowed - {"char-rtc r"} == {"char-infiniband_mad rw", "char-infiniband_verbs rw"}  # the clock: ProtectClock=


def test_the_devices_have_a_group_of_their_own(site):
    assert set(site.run("id", "-nG", "ibtrapd").split()) == {"ibtrapd", "ibtrapd-umad", "ibtrapd-agentx"}
    assert site.run("getent", "group", "ibtrapd-umad").strip().split(":")[3] == "ibtrapd"
    site.run("usermod", "-a", "-G", "ibtrapd", "nobody")
    assert "ibtrapd-umad" not in site.run("id", "-nG", "nobody").split()
    rules = site.path("/usr/lib/udev/rules.d/95-ibtrapd.rules").read_text()
    assert 'KERNEL=="umad*", GROUP="ibtrapd-umad", MODE="0660"' in rules and "issm" not in re.sub(r"(?m)^#.*", "", rules)


# The host and the network.

def test_the_control_socket(site):
    site.start_gateway("", connected=False)
    assert stat(site, "/run/ibtrapd/control.sock") == "ibtrapd:ibtrapd 660"
    assert "Permission denied" in user_of(site, "ibtrapctl", "status")
    site.run("chmod", "666", "/run/ibtrapd/control.sock")  # somebody opens the socket to others
    site.run("runuser", "-u", "nobody", "--", "ibtrapctl", "status")
    refused = "only root and the members of the control socket's group may do that"
    assert refused in user_of(site, "ibtrapctl", "log", "debug")
    site.run("ibtrapctl", "log", "info", "policy")
    told = re.compile(r"control: command 'log' of user 0, process \d+")
    site.wait(lambda: told.search(site.log_of(UNIT)), "the user and the process in the log")


SILENT = ('my @clients; push @clients, IO::Socket::UNIX->new("/run/ibtrapd/control.sock") for 1 .. 40;'
          ' $| = 1; print scalar(grep { defined } @clients), " clients\\n"; sleep 600')


def test_nobody_keeps_root_out(site):
    """More clients than ibtrapd serves, of somebody whom somebody let in, and all are silent."""
    site.start_gateway("", connected=False)
    site.run("chmod", "666", "/run/ibtrapd/control.sock")
    site.run("systemd-run", "--unit=silent", "--uid=nobody", "perl", "-MIO::Socket::UNIX", "-e", SILENT)
    site.wait(lambda: "40 clients" in site.log_of("silent"), "the silent clients")
    for _ in range(3):
        site.run("ibtrapctl", "log", "info", "policy")


def test_the_metrics_port_is_closed_unless_it_is_opened(site):
    site.start_gateway("", connected=False)
    pid = site.machine.property(UNIT, "MainPID")
    sockets = site.shell(f"ls -l /proc/{pid}/fd | grep -o 'socket:.[0-9]*' | tr -d -c '0-9\\n'").split()
    tables = [site.path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    assert not [line for table in tables for line in table if line.split()[3] == "0A" and line.split()[9] in sockets]
    port = free_port()
    site.path(CONFIG).write_text(f'metrics {{ listen = "127.0.0.1:{port}" }}\n')
    site.run("systemctl", "restart", UNIT)
    assert "ibtrapd_" in site.run("curl", "-s", f"http://127.0.0.1:{port}/metrics")
    assert "no InfiniBand port" in site.run("curl", "-s", f"http://127.0.0.1:{port}/healthz")


def test_the_socket_of_snmpd_is_for_its_user_alone(site):
    [line] = set(re.findall(r"`(agentXPerms [^`]*)`", pages.text("security")))
    path = site.path("/etc/snmp/snmpd.conf")
    path.write_text(path.read_text() + f"\nmaster agentx\n{line}\n")
    site.start_gateway("", connected=False)
    site.add_config(pages.blocks("snmp", "ibtrapd")[2])
    site.shell(pages.block("snmp", "sh", "/var/agentx"))
    site.wait(lambda: site.path("/var/agentx/master").exists(), "snmpd's socket")
    assert re.fullmatch(r"ibtrapd:\w+ 600", stat(site, "/var/agentx/master"))
    site.wait(lambda: "NOT SERVED" not in site.run("ibtrapctl", "status"), "snmpd to serve the tables")


# Secrets and the journal.

def test_no_place_has_a_secret(site, collector):
    site.connect()
    site.secret("/etc/ibtrapd/sa_key", "0x1122334455667788")
    site.secret("/etc/ibtrapd/password", PASSWORD)
    site.secret("/etc/ibtrapd/community", "a-community-that-nobody-reads")
    site.path(CONFIG).write_text(
        f'fabric {{ sa_key_file = "/etc/ibtrapd/sa_key" }}\nlog {{ level = "debug" }}\n{PASSWORDS}'
        'metrics { listen = "127.0.0.1:9117" }\n'
        'snmp "old" { address = "127.0.0.1:9" community_file = "/etc/ibtrapd/community" }\n'
        f'syslog "logs" {{ transport = "udp" address = "{collector.address}" }}\n')
    site.start()
    site.fabric.client("node1").trap(notices.bad_mkey(6, 1, 0x15, 0, 0xBAD0BAD0))
    site.run("ibtrapctl", "test", "link-down", good=(0, 1))
    collector.wait_for(lambda one: one.message_id == "link-down", "the test")
    site.shell("ibtrapctl support /tmp/support", good=(0, 1))
    texts = [site.log_of(UNIT), site.run("ibtrapctl", "--json", "status"), site.run("ibtrapctl", "journal", "export"),
             site.run("curl", "-s", "http://127.0.0.1:9117/metrics"), site.path("/tmp/support").read_text(),
             site.path(f"/proc/{site.machine.property(UNIT, 'MainPID')}/cmdline").read_text(), str(collector.poll())]
    for secret in PASSWORD, "a-community-that-nobody-reads", "1122334455667788", str(0x1122334455667788):
        assert not [text for text in texts if secret in text], secret


def test_the_journal_is_for_the_user_and_the_group(site):
    site.connect()
    path = site.path("/etc/snmp/snmpd.conf")
    path.write_text(path.read_text() + pages.blocks("snmp", "snmpd")[1])
    site.start_gateway("")
    site.add_config(pages.blocks("snmp", "ibtrapd")[2])
    site.shell(pages.block("snmp", "sh", "/var/agentx"))
    assert stat(site, STATE) == "ibtrapd:ibtrapd 750"
    assert stat(site, f"{STATE}/journal.db") == "ibtrapd:ibtrapd 640"
    for name in "communities", "snmp-engine", "lock":
        if site.path(f"{STATE}/{name}").exists():
            assert stat(site, f"{STATE}/{name}") == "ibtrapd:ibtrapd 600"
    assert "Permission denied" in user_of(site, "ls", STATE)
    site.run("usermod", "-a", "-G", "ibtrapd", "nobody")
    export = "runuser", "-u", "nobody", "--", "ibtrapctl", "--file", f"{STATE}/journal.db", "journal", "export"
    assert "gateway-started" in site.run(*export)
    assert stat(site, CONFIG) == "root:ibtrapd 640"


def test_swap_can_be_forbidden(site):
    [line] = re.findall(r"`(MemorySwapMax=0)`", pages.text("security"))
    site.connect()
    site.path(DROP_IN + "/swap.conf").write_text(f"[Service]\n{line}\n")
    site.run("systemctl", "daemon-reload")
    site.start_gateway("")
    assert site.machine.property(UNIT, "MemorySwapMax") == "0"
