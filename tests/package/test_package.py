# SPDX-License-Identifier: BSD-2-Clause
"""The Debian package, packed as debian/rules packs it and installed on a machine that systemd runs."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest
from lab.fabric import BUILD, LIBRARIES, PROGRAMS, SA_KEY, Fabric, SubnetManager
from lab.receivers import SyslogSink
from machine import Machine, Unavailable, wait_until

HERE = pathlib.Path(__file__).resolve().parent
UNITS = ["ibtrapd.service", "ibtrapd@mlx5_0-1.service", "ibtrapd-snmpd.service"]
CONFIG = "/etc/ibtrapd/ibtrapd.conf"
PACKED_VERSION = re.search(r"\((.*)\)", (HERE.parents[1] / "debian/changelog").read_text())[1]
JOURNAL = re.compile("^Journal +[1-9]", re.MULTILINE)

# Stops every thread except the first until the process ends, to simulate a stuck pipeline.
HOLD = """
import ctypes, os, sys
SEIZE, INTERRUPT, ALL = 0x4206, 0x4207, 0x40000000
ptrace = ctypes.CDLL(None, use_errno=True).ptrace
for thread in os.listdir(f"/proc/{sys.argv[1]}/task"):
    if thread != sys.argv[1]:
        for request in SEIZE, INTERRUPT:
            if ptrace(request, int(thread), None, None) != 0:
                sys.exit(os.strerror(ctypes.get_errno()))
try:
    while True:
        os.waitpid(-1, ALL)
except ChildProcessError:
    pass
"""


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True,
                          timeout=300).stdout


def pack(directory, version, kind=""):
    """Packs what the directory `new` has as that version, hardly compressed: that takes the most time."""
    own = directory / "new/DEBIAN/control"
    own.write_text(own.read_text().replace(PACKED_VERSION, version))
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "-b", directory / "new", directory / f"{version}{kind}.deb")
    shutil.rmtree(directory / "new")


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """A directory with the packages as they are, and with those of three versions. The last one's configuration has one more
    line."""
    directory = tmp_path_factory.mktemp("packages")
    directory.chmod(0o755)
    run(HERE / "make_deb.sh", BUILD, directory / "packed.deb")
    for version in "0.1", "1.0", "2.0":
        run("dpkg-deb", "-R", directory / "packed.deb", directory / "new")
        if version == "2.0":
            with open(directory / "new" / CONFIG[1:], "a", encoding="ascii") as config:
                config.write("# New in this version.\n")
        pack(directory, version)
    for version in "1.0", "2.0":
        run("dpkg-deb", "-R", directory / "packed-kafka.deb", directory / "new")
        pack(directory, version, "-kafka")
    return directory


@pytest.fixture
def machine(packages):
    try:
        with Machine(packages) as booted:
            yield booted
    except Unavailable as why:
        pytest.skip(str(why))


def install(machine, version="1.0", *options):
    return machine.run("dpkg", *options, "-i", f"/run/outside/{version}.deb")


def control(packages, field, package="packed.deb"):
    return run("dpkg-deb", "-f", packages / package, field).strip()


def test_what_is_in_it(packages):
    lines = [line.split(None, 5) for line in run("dpkg-deb", "-c", packages / "packed.deb").splitlines()]
    assert {line[1] for line in lines} == {"root/root"}
    assert {line[0] for line in lines} == {"drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x"}
    files = {line[5][1:] for line in lines if line[0][0] == "-"}
    assert {"/usr/sbin/ibtrapd", "/usr/bin/ibtrapctl", CONFIG,
            "/usr/lib/systemd/system/ibtrapd.service", "/usr/lib/systemd/system/ibtrapd@.service",
            "/usr/lib/udev/rules.d/95-ibtrapd.rules", "/usr/lib/sysusers.d/ibtrapd.conf",
            "/usr/lib/systemd/catalog/ibtrapd.catalog", "/usr/share/ibtrapd/ibtrapd-event-1.schema.json",
            "/usr/share/snmp/mibs/IBTRAPD-MIB.txt", "/usr/share/doc/ibtrapd/README.md", "/usr/share/doc/ibtrapd/ibtrapd.spdx.json",
            "/usr/share/doc/ibtrapd/copyright"} <= files
    assert {line[5][1:] for line in lines if line[0] == "-rwxr-xr-x"} == {
        "/usr/sbin/ibtrapd", "/usr/bin/ibtrapctl", "/usr/libexec/ibtrapd/after-install",
        "/usr/share/doc/ibtrapd/examples/slurm/ibtrapd-slurm",
        "/usr/share/doc/ibtrapd/examples/trap-receivers/icinga/ibtrapd-icinga"}
    strays = [name for name in files if not re.match(
        r"/etc/ibtrapd/|/usr/s?bin/ibtrap|/usr/libexec/ibtrapd/|/usr/share/(ibtrapd|doc/ibtrapd|lintian/overrides|snmp/mibs|man/man\d|bash-completion/completions|zsh/vendor-completions|fish/vendor_completions.d)/"
        r"|/usr/lib/(systemd/(system|catalog)|udev/rules\.d|sysusers\.d)/", name)]
    assert not strays


def test_what_it_says_of_itself(packages):
    assert control(packages, "Package") == "ibtrapd"
    assert control(packages, "Version") == PACKED_VERSION
    depends = control(packages, "Depends")
    for package in "libc6", "libsnmp40", "libibumad3", "libsqlite3-0", "libssl3", "systemd-standalone-sysusers":
        assert package in depends
    run("dpkg-deb", "-e", packages / "packed.deb", packages / "control")
    assert (packages / "control/conffiles").read_text() == CONFIG + "\n/etc/ibtrapd/snmpd.conf\n"
    for script in "postinst", "prerm", "postrm":
        run("sh", "-n", packages / "control" / script)
        assert (packages / "control" / script).stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("name, library", [("kafka", "librdkafka1"), ("http", "libcurl4")])
def test_a_module_has_a_package_of_its_own(packages, name, library):
    files = [line.split(None, 5) for line in run("dpkg-deb", "-c", packages / f"packed-{name}.deb").splitlines()]
    [module] = [line[5] for line in files if line[0][0] == "-" and not line[5].startswith("./usr/share/")]
    assert re.fullmatch(r"\./usr/lib/[^/]+/ibtrapd/" + name + r"\.so", module)
    assert {line[1] for line in files} == {"root/root"}
    needs = control(packages, "Depends", f"packed-{name}.deb")
    assert f"ibtrapd (= {PACKED_VERSION})" in needs and library in needs
    assert library not in control(packages, "Depends")


@pytest.mark.skipif(not shutil.which("lintian"), reason="lintian is not installed")
def test_lintian_finds_nothing(packages):
    found = subprocess.run(["lintian", "--allow-root", "--fail-on=error,warning", packages / "packed.deb",
                            packages / "packed-kafka.deb", packages / "packed-http.deb"], capture_output=True, text=True, timeout=300, check=False)
    assert (found.returncode, found.stdout) == (0, ""), found.stdout + found.stderr


def test_installing_enables_and_starts_nothing(machine):
    install(machine)
    for unit in UNITS:
        assert machine.run("systemctl", "is-enabled", unit, good=(1,)) == "disabled\n"
        assert machine.property(unit, "ActiveState") == "inactive"
    assert not machine.path("/var/lib/ibtrapd").exists()
    assert machine.run("ibtrapd", "--version").startswith("ibtrapd ")
    assert machine.run("ibtrapd", "--check-config") == f"The configuration {CONFIG} is good.\n"
    assert machine.run("ibtrapctl", "--version").startswith("ibtrapctl ")


def test_the_user_gets_the_datagrams_and_no_shell(machine):
    install(machine)
    user = machine.run("getent", "passwd", "ibtrapd").strip().split(":")
    assert user[5:] == ["/var/lib/ibtrapd", "/usr/sbin/nologin"]
    assert machine.run("id", "-nG", "ibtrapd").split() == ["ibtrapd", "ibtrapd-umad", "ibtrapd-agentx"]
    # A user who may run ibtrapctl may not manage the fabric.
    machine.run("useradd", "-G", "ibtrapd", "oncall")
    assert "ibtrapd-umad" not in machine.run("id", "-nG", "oncall").split()


def test_the_service_runs_in_its_sandbox(machine):
    install(machine)
    machine.run("systemctl", "start", "ibtrapd")  # returns when ibtrapd has sent READY=1
    assert machine.property("ibtrapd", "StatusText") == "Waiting for an InfiniBand port"
    status = machine.path(f"/proc/{machine.property('ibtrapd', 'MainPID')}/status").read_text()
    user = machine.run("id", "-u", "ibtrapd").strip()
    assert re.search(rf"^Uid:\s+{user}\s+{user}\s+{user}\s+{user}$", status, re.MULTILINE)
    assert re.findall(r"^Cap\w+:\s+(\w+)$", status, re.MULTILINE) == ["0" * 16] * 5
    assert "NoNewPrivs:\t1\n" in status and "Seccomp:\t2\n" in status
    assert machine.run("stat", "-c", "%U:%G %a", "/run/ibtrapd/control.sock") == "ibtrapd:ibtrapd 660\n"
    assert machine.run("stat", "-c", "%U:%G %a", "/var/lib/ibtrapd") == "ibtrapd:ibtrapd 750\n"
    assert JOURNAL.search(machine.run("ibtrapctl", "status"))
    machine.run("systemctl", "reload", "ibtrapd")
    wait_until(lambda: machine.property("ibtrapd", "ActiveState") == "active", "the reload to end")
    machine.run("systemctl", "stop", "ibtrapd")
    assert machine.property("ibtrapd", "Result") == "success"
    assert machine.run("ibtrapctl", "journal", "export").count("gateway-stopped") == 1


def test_a_configuration_is_never_lost_from_sight(machine):
    """Without a file the defaults apply. An unreadable file, or one missing at a reload, is reported."""
    install(machine)
    machine.run("systemctl", "start", "ibtrapd")
    machine.run("chmod", "700", "/etc/ibtrapd")
    assert f"cannot read the configuration '{CONFIG}': Permission denied" in machine.fails("ibtrapctl", "reload")
    machine.run("chmod", "755", "/etc/ibtrapd")
    machine.path(CONFIG).unlink()
    assert f"the configuration '{CONFIG}', which is in force, is gone" in machine.fails("ibtrapctl", "reload")
    assert machine.run("ibtrapd", "--check-config") == f"There is no configuration {CONFIG}: the defaults hold.\n"
    machine.run("systemctl", "restart", "ibtrapd")
    machine.run("ibtrapctl", "reload")


@pytest.mark.parametrize("unit", ["ibtrapd.service", "ibtrapd@mlx5_0-2.service"])
def test_a_refused_reload_fails(machine, unit):
    install(machine)
    release_from_port(machine)
    instance = ["--instance", "mlx5_0-2"] if "@" in unit else []
    config = machine.path("/etc/ibtrapd/mlx5_0-2.conf" if instance else CONFIG)
    config.write_text("sweep { interval = 10 }\n")
    machine.run("systemctl", "start", unit)
    pid = machine.property(unit, "MainPID")
    config.write_text("sweep { intervall = 10 }\n")
    machine.fails("systemctl", "reload", unit)
    assert "item 'intervall'" in machine.run("ibtrapctl", *instance, "status")
    wait_until(lambda: "reload was refused" in machine.property(unit, "StatusText"), "the status")
    config.write_text("sweep { interval = 20 }\n")
    machine.run("systemctl", "reload", unit)
    assert "REFUSED" not in machine.run("ibtrapctl", *instance, "status")
    assert (machine.property(unit, "ActiveState"), machine.property(unit, "MainPID")) == ("active", pid)


def test_the_control_socket_is_for_the_group_of_ones_choice(machine):
    install(machine)
    machine.run("groupadd", "oncall")
    for name, groups in ("alice", "oncall"), ("bob", "ibtrapd"), ("eve", "users"):
        machine.run("useradd", "-G", groups, name)
    machine.path("/etc/ibtrapd/ibtrapd.conf").write_text('control { group = "oncall" }\n')
    machine.fails("systemctl", "start", "ibtrapd")  # its user is not in the group
    machine.path("/run/systemd/system/ibtrapd.service.d").mkdir()
    machine.path("/run/systemd/system/ibtrapd.service.d/group.conf").write_text("[Service]\nSupplementaryGroups=oncall\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "reset-failed", "ibtrapd")
    machine.run("systemctl", "start", "ibtrapd")
    assert machine.run("stat", "-c", "%U:%G %a", "/run/ibtrapd/control.sock") == "ibtrapd:oncall 660\n"
    machine.run("runuser", "-u", "alice", "ibtrapctl", "reload")
    for stranger in "bob", "eve":
        assert "Permission denied; run it as root or as a member of the socket's group" in machine.fails(
            "runuser", "-u", stranger, "ibtrapctl", "status")
    machine.run("chmod", "666", "/run/ibtrapd/control.sock")
    assert JOURNAL.search(machine.run("runuser", "-u", "eve", "ibtrapctl", "status"))
    assert "only root and the members of the control socket's group may do that" in machine.fails(
        "runuser", "-u", "eve", "ibtrapctl", "reload")


def configure(machine, fabric, syslog):
    """Connects the service to a simulated fabric, with receivers of all kinds."""
    machine.run("install", "-o", "ibtrapd", "-m", "600", "/dev/null", "/etc/ibtrapd/sa_key")
    machine.path("/etc/ibtrapd/sa_key").write_text(f"{SA_KEY}\n")
    machine.run("install", "-o", "ibtrapd", "-m", "600", "/dev/null", "/etc/ibtrapd/password")
    machine.path("/etc/ibtrapd/password").write_text("a password\n")
    machine.path(CONFIG).write_text(f"""
fabric {{ sa_key_file = "/etc/ibtrapd/sa_key" }}
file "archive" {{ path = "/var/log/ibtrapd/events.json" }}
syslog "udp" {{ transport = "udp" address = "{syslog.address}" }}
syslog "tls" {{ transport = "tls" address = "localhost:9" }}
syslog "relp" {{ transport = "relp" address = "localhost:9" }}
snmp "nms" {{
    address = "localhost:9" version = "3" inform = true user = "u"
    auth = "SHA-256" auth_password_file = "/etc/ibtrapd/password"
    privacy = "AES" privacy_password_file = "/etc/ibtrapd/password"
}}
""")
    environment = fabric.env_for("monitor", "libsimreports.so")
    environment["LD_PRELOAD"] = environment["LD_PRELOAD"].replace(str(PROGRAMS), "/run/outside")
    environment["SIM_TABLES"] = "/var/lib/ibtrapd"
    machine.path("/run/systemd/system/ibtrapd.service.d").mkdir()
    machine.path("/run/systemd/system/ibtrapd.service.d/simulated.conf").write_text(
        "[Service]\nWorkingDirectory=/var/lib/ibtrapd\n"
        + "".join(f'Environment="{name}={value}"\n' for name, value in environment.items()))
    machine.run("systemctl", "daemon-reload")


def test_the_sandbox_lets_it_work(machine, packages):
    for library in LIBRARIES:
        shutil.copy(PROGRAMS / library, packages)
    install(machine)
    with Fabric() as fabric, SubnetManager(fabric, "node1"), SyslogSink() as syslog:
        configure(machine, fabric, syslog)
        machine.run("systemctl", "start", "ibtrapd")

        def works():
            status = json.loads(machine.run("ibtrapctl", "status", "--json"))
            return status["sweep"]["sweeps"] > 0 and all(one["state"] == "subscribed" for one in status["subscriptions"])

        wait_until(works, "ibtrapd to subscribe, and to know the fabric")
        fabric.unlink("node2", 1)
        syslog.wait_for(lambda one: one.message_id == "host-removed", "the event in syslog")
        wait_until(lambda: "host-removed" in machine.run("cat", "/var/log/ibtrapd/events.json"),
                   "the event in the file")
        wait_until(lambda: re.fullmatch(r"ibsim\d port 1 active, (\d+) of \1 subscriptions",
                                        machine.property("ibtrapd", "StatusText")), "the status")
        assert "Switch" in machine.run("ibtrapctl", "topology")


def test_a_second_snmpd_shows_the_fabric_and_nothing_of_the_host(machine, packages):
    for library in LIBRARIES:
        shutil.copy(PROGRAMS / library, packages)
    install(machine)
    machine.run("systemctl", "start", "ibtrapd-snmpd")  # returns when snmpd has sent READY=1
    status = machine.path(f"/proc/{machine.property('ibtrapd-snmpd', 'MainPID')}/status").read_text()
    assert machine.run("id", "-u", "ibtrapd-snmpd").strip() in re.search("^Uid:(.*)$", status, re.MULTILINE)[1].split()
    assert re.findall(r"^Cap\w+:\s+(\w+)$", status, re.MULTILINE) == ["0" * 16] * 5
    assert "NoNewPrivs:\t1\n" in status and "Seccomp:\t2\n" in status
    socket = "/run/ibtrapd-snmpd/agentx"
    assert machine.run("stat", "-c", "%U:%G %a", socket) == "ibtrapd-snmpd:ibtrapd-agentx 660\n"
    assert machine.run("stat", "-c", "%U:%G %a", "/run/ibtrapd-snmpd") == "ibtrapd-snmpd:ibtrapd-agentx 750\n"
    as_ibtrapd = "setpriv", "--reuid=ibtrapd", "--regid=ibtrapd", "--init-groups"
    machine.run(*as_ibtrapd, "test", "-w", socket)
    machine.run(*as_ibtrapd, "test", "-r", "/etc/ibtrapd/snmpd.conf", good=(1,))
    walk = "snmpbulkwalk", "-v2c", "-c", "fabric", "-On", "-m", "", "127.0.0.1:1161"
    with Fabric() as fabric, SubnetManager(fabric, "node1"), SyslogSink() as syslog:
        configure(machine, fabric, syslog)
        config = machine.path(CONFIG)
        config.write_text(config.read_text() + f'sweep {{ interval = 5 settle = 0 }}\nsubagent {{ fabric_socket = "{socket}" }}\n')
        machine.run("systemctl", "start", "ibtrapd")
        wait_until(lambda: '"leaf1/12"' in machine.run(*walk, ".1", good=(0, 1, 2)), "the fabric")
        assert f"Fabric   one device, below {socket}" in machine.run("ibtrapctl", "status")
        roots = {line.split(" = ")[0] for line in machine.run(*walk, ".1").splitlines() if line.startswith(".1.")}
        assert all(re.match(r"\.1\.(0\.8802\.1\.1\.2|3\.6\.1\.2\.1\.(1|2|11|31)|3\.6\.1\.6\.3\.10\.2\.1)\.", one) for one in roots)
        boots = "snmpget", "-Oqv", *walk[1:], ".1.3.6.1.6.3.10.2.1.2.0"
        before = int(machine.run(*boots))
        machine.run("systemctl", "restart", "ibtrapd-snmpd")
        assert int(machine.run(*boots)) == before + 1  # otherwise SNMPv3 managers take its answers for replays
        wait_until(lambda: '"leaf1/12"' in machine.run(*walk, ".1", good=(0, 1, 2)), "the fabric again")
    machine.run("dpkg", "-P", "ibtrapd")
    assert machine.property("ibtrapd-snmpd", "ActiveState") == "inactive"
    assert [path for path in sorted(machine.changed()) if "ibtrapd" in path] == []


def test_its_log_has_priorities(machine):
    install(machine)
    machine.run("systemctl", "start", "systemd-journald.socket", "systemd-journald-dev-log.socket", "ibtrapd")
    for priority, words in ("6", " runs"), ("4", "no InfiniBand port found"):
        wait_until(lambda: words in machine.run("journalctl", "-u", "ibtrapd", f"PRIORITY={priority}", "_TRANSPORT=stdout",
                                                good=(0, 1)), f"'{words}' in the journal")


def test_the_journal_has_the_fields_of_its_events(machine):
    install(machine)
    machine.run("systemctl", "start", "systemd-journald.socket", "systemd-journald-dev-log.socket", "ibtrapd")

    def entries():
        return machine.run("journalctl", "-t", "ibtrapd", "IBTRAPD_EVENT=gateway-started", "-x", "-o", "short",
                           good=(0, 1)).splitlines()

    wait_until(lambda: len(entries()) > 1, "the event in the journal")
    assert any("The event gateway-started of an InfiniBand subnet" in line for line in entries()), entries()


def release_from_port(machine):
    """Makes an instance start without its device, which will not appear."""
    unit = machine.path("/usr/lib/systemd/system/ibtrapd@.service").read_text()
    machine.path("/run/systemd/system/ibtrapd@.service").write_text(re.sub("(?m)^(BindsTo|After)=sys-.*\n", "", unit))
    machine.run("systemctl", "daemon-reload")


def test_a_condition_stands_once_in_its_log(machine):
    install(machine)
    machine.path(CONFIG).write_text('syslog "local" { }\nsyslog "away" { transport = "tcp" address = "127.0.0.1:9" }\n')
    machine.run("systemctl", "start", "systemd-journald.socket", "systemd-journald-dev-log.socket", "ibtrapd")

    def said():
        lines = machine.run("journalctl", "-u", "ibtrapd", "-o", "cat", good=(0, 1)).splitlines()
        return [line for line in lines if "eceiver away" in line]

    wait_until(said, "the condition in the journal")
    machine.run("ibtrapctl", "test", "link-down", "--receiver", "local")  # what came before is there by now
    assert len(said()) == 1 and "does not take events" in said()[0], said()


def test_several_gateways_side_by_side(machine):
    install(machine)
    release_from_port(machine)
    machine.path("/etc/ibtrapd/mlx5_0-2.conf").write_text("journal { rows = 5000 }\n")
    names = ["", "mlx5_0-1", "mlx5_0-2"]
    machine.run("systemctl", "start", *(f"ibtrapd@{name}" if name else "ibtrapd" for name in names))
    for name in names:
        directory = f"/var/lib/ibtrapd-{name}" if name else "/var/lib/ibtrapd"
        assert machine.path(directory + "/journal.db").exists()
        ask = ["ibtrapctl", "--instance", name] if name else ["ibtrapctl"]
        assert JOURNAL.search(machine.run(*ask, "status"))
        assert "gateway-started" in machine.run(*ask, "journal", "export")
    machine.run("systemctl", "stop", "ibtrapd")
    assert JOURNAL.search(machine.run("ibtrapctl", "--instance", "mlx5_0-1", "status"))


def test_an_instance_needs_its_port(machine):
    install(machine)
    device = machine.run("systemd-escape", "--path", "--suffix=device", "/sys/subsystem/ibtrapd/mlx5_0/1").strip()
    assert machine.property(UNITS[1], "BindsTo") == device
    machine.fails("systemctl", "start", UNITS[1])
    assert machine.property(UNITS[1], "ActiveState") == "inactive"
    machine.run("systemctl", "enable", UNITS[1])
    assert machine.path(f"/etc/systemd/system/{device}.wants/{UNITS[1]}").is_symlink()


def test_a_stuck_pipeline_is_found_by_the_watchdog(machine):
    install(machine)
    machine.path("/run/systemd/system/ibtrapd.service.d").mkdir()
    machine.path("/run/systemd/system/ibtrapd.service.d/fast.conf").write_text(
        "[Service]\nWatchdogSec=4\nRestartSec=0\nLimitCORE=0\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "ibtrapd")
    pid = machine.property("ibtrapd", "MainPID")
    fed = {machine.property("ibtrapd", "WatchdogTimestampMonotonic")}
    while len(fed) < 4:
        fed.add(machine.property("ibtrapd", "WatchdogTimestampMonotonic"))
    assert machine.property("ibtrapd", "MainPID") == pid
    holder = machine.popen("python3", "-c", HOLD, pid)  # the main loop continues
    wait_until(lambda: machine.property("ibtrapd", "NRestarts") == "1", "the watchdog")
    assert holder.wait(60) == 0
    wait_until(lambda: machine.property("ibtrapd", "ActiveState") == "active", "ibtrapd to run again")
    assert machine.property("ibtrapd", "MainPID") != pid


def test_an_upgrade_keeps_the_configuration_and_restarts_what_runs(machine):
    install(machine)
    mine = machine.path(CONFIG).read_text() + "# Mine.\n"
    machine.path(CONFIG).write_text(mine)
    machine.run("systemctl", "start", "ibtrapd")
    pid = machine.property("ibtrapd", "MainPID")
    install(machine, "2.0", "--force-confold")
    assert machine.path(CONFIG).read_text() == mine
    assert machine.path(CONFIG + ".dpkg-dist").read_text().endswith("# New in this version.\n")
    assert machine.property("ibtrapd", "ActiveState") == "active"
    assert machine.property("ibtrapd", "MainPID") != pid
    assert machine.property(UNITS[1], "ActiveState") == "inactive"
    assert machine.run("systemctl", "is-enabled", "ibtrapd", good=(1,)) == "disabled\n"


def rights(machine, path=CONFIG):
    return machine.run("stat", "-c", "%U:%G %a", path).strip()


def test_a_configuration_is_for_root_and_the_service(machine):
    """It may hold communities. Who gives it other rights keeps them; an older version's open ones are closed."""
    install(machine)
    assert rights(machine) == "root:ibtrapd 640"
    assert rights(machine, "/etc/ibtrapd/snmpd.conf") == "root:ibtrapd-snmpd 640"
    machine.run("chmod", "600", CONFIG)
    machine.run("chown", "ibtrapd:root", CONFIG)
    install(machine, "2.0")
    assert machine.path(CONFIG).read_text().endswith("# New in this version.\n")
    assert rights(machine) == "ibtrapd:root 600"
    machine.run("dpkg", "-P", "ibtrapd")
    install(machine, "0.1")
    instance = "/etc/ibtrapd/mlx5_0-1.conf"
    machine.path(instance).write_text('snmp "nms" { address = "192.0.2.1" community = "secret" }\n')
    for path in CONFIG, instance:
        machine.run("chown", "root:root", path)
        machine.run("chmod", "644", path)
    install(machine)
    assert (rights(machine), rights(machine, instance)) == ("root:ibtrapd 640",) * 2


def test_an_upgrade_lets_a_gateway_with_a_mistaken_configuration_go_on(machine, packages):
    install(machine)
    machine.run("systemctl", "start", "ibtrapd")
    pid = machine.property("ibtrapd", "MainPID")
    machine.path(CONFIG).write_text("snmp \"nms\" { adress = \"192.0.2.1\" }\n")
    upgrade = machine.said("dpkg", "--force-confold", "-i", "/run/outside/2.0.deb")
    assert "item 'adress': there is no such item here" in upgrade
    assert "ibtrapd.service was not restarted: its configuration has mistakes" in upgrade
    assert machine.property("ibtrapd", "ActiveState") == "active"
    assert machine.property("ibtrapd", "MainPID") == pid
    assert machine.run("dpkg-query", "-W", "-f", "${Status} ${Version}", "ibtrapd") == "install ok installed 2.0"
    machine.run("dpkg", "-r", "ibtrapd")
    assert machine.property("ibtrapd", "ActiveState") == "inactive"
    machine.run("dpkg", "-P", "ibtrapd")


KAFKA = 'kafka "bus" { brokers = "127.0.0.1:9" topic = "ibtrapd" }\n'


def test_a_gateway_gets_its_module_while_it_runs(machine):
    install(machine)
    machine.path(CONFIG).write_text(KAFKA)
    assert "need the package ibtrapd-kafka" in machine.fails("ibtrapd", "--check-config")
    machine.run("systemctl", "start", "ibtrapd")  # its other receivers work
    wait_until(lambda: "need the package ibtrapd-kafka" in machine.run("ibtrapctl", "status"), "the reason")
    pid = machine.property("ibtrapd", "MainPID")
    install(machine, "1.0-kafka")
    wait_until(lambda: "127.0.0.1:9" in machine.run("ibtrapctl", "status"), "the module to miss its broker")
    assert machine.property("ibtrapd", "MainPID") == pid
    machine.run("dpkg", "-P", "ibtrapd-kafka", "ibtrapd")
    assert [path for path in sorted(machine.changed()) if "ibtrapd" in path] == []


def test_a_gateway_that_awaits_the_module_of_the_new_version_is_restarted(machine):
    """By the package of the module, if its configuration was refused before that came."""
    machine.run("dpkg", "-i", "/run/outside/1.0.deb", "/run/outside/1.0-kafka.deb")
    machine.path(CONFIG).write_text(KAFKA)
    machine.run("systemctl", "start", "ibtrapd")
    former = machine.property("ibtrapd", "MainPID")
    module = machine.run("dpkg", "-L", "ibtrapd-kafka").split("\n/")
    [module] = [f"/{path}" for path in module if path.endswith(".so")]
    machine.path(module).unlink()  # instead of one that the new program does not accept
    assert "ibtrapd.service was not restarted" in machine.said("dpkg", "--force-confold,depends", "-i", "/run/outside/2.0.deb")
    assert machine.property("ibtrapd", "MainPID") == former
    install(machine, "2.0-kafka")
    restarted = machine.property("ibtrapd", "MainPID")
    assert restarted not in ("0", former)
    install(machine, "2.0-kafka")
    assert machine.property("ibtrapd", "MainPID") == restarted


def test_an_upgrade_starts_nothing(machine):
    install(machine)
    install(machine, "2.0")
    assert machine.path(CONFIG).read_text().endswith("# New in this version.\n")
    assert machine.property("ibtrapd", "ActiveState") == "inactive"


def test_what_is_purged_is_gone(machine):
    install(machine)
    machine.run("systemctl", "enable", *UNITS)
    machine.run("systemctl", "start", "ibtrapd")
    secret = "/etc/ibtrapd/sa_key"  # as doc/begin.md makes it
    machine.run("install", "-o", "ibtrapd", "-m", "600", "/dev/null", secret)
    machine.path("/etc/ibtrapd/mlx5_0-1.conf").write_text('sweep { interval = 10 }\n')
    machine.run("dpkg", "-r", "ibtrapd")
    assert machine.path(secret).exists()
    assert machine.property("ibtrapd", "ActiveState") == "inactive"
    assert machine.property("ibtrapd", "LoadState") == "not-found"
    assert machine.path(CONFIG).exists() and machine.path("/var/lib/ibtrapd/journal.db").exists()
    assert not machine.path("/usr/sbin/ibtrapd").exists()
    machine.run("dpkg", "-P", "ibtrapd")
    assert [path for path in sorted(machine.changed()) if "ibtrapd" in path] == []
    machine.run("getent", "passwd", "ibtrapd")  # Debian packages leave their users
    install(machine)
    assert machine.run("systemctl", "is-enabled", "ibtrapd", good=(1,)) == "disabled\n"


def test_a_check_judges_as_the_service(machine, packages):
    install(machine)
    machine.path(CONFIG).write_text('file "archive" { path = "/srv/archive/events.json" }\n')
    assert "the directory /srv/archive does not exist" in machine.fails("ibtrapd", "--check-config")
    machine.run("install", "-d", "/srv/archive")
    said = machine.fails("ibtrapd", "--check-config")
    assert "cannot write to /srv/archive: Permission denied" in said and "as user ibtrapd" in said
    machine.run("chown", "ibtrapd", "/srv/archive")
    assert "set ReadWritePaths=/srv/archive there" in machine.fails("ibtrapd", "--check-config")
    drop_in = machine.path("/run/systemd/system/ibtrapd.service.d/archive.conf")
    drop_in.parent.mkdir(exist_ok=True)
    drop_in.write_text("[Service]\nReadWritePaths=-/srv/archive\n")
    machine.run("systemctl", "daemon-reload")
    assert machine.run("ibtrapd", "--check-config") == f"The configuration {CONFIG} is good.\n"
