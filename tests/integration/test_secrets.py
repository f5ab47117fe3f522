# SPDX-License-Identifier: BSD-2-Clause
"""Keys and passwords: the gateway uses them, and none of its output reveals them."""

import pathlib
import subprocess
import sys
import tempfile

import pytest
from lab.gateway import Gateway, secret_file, section
from lab.processes import DEADLINE, wait_until
from lab.snmpd import Snmpd
from lab.sockets import free_port
from lab.tables import GSW, Manager, dotted, global_id

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "receivers"))

import peers  # noqa: E402

SA_KEY, M_KEY = 0x5EC1E75A12345678, 0x5EC1E73B87654321
WORDS = {"shown": "community-in-the-file", "hidden": "community-of-its-own", "auth": "password-of-authentication",
         "privacy": "password-of-privacy"}

# The commands that any user may run, and those about events and the configuration.
COMMANDS = ["status", "status --json", "catalogue --json", "topology", "topology --json", "topology list --json",
            "journal stats", "journal export", "events --json", "alarms --json", "receivers --json", "health --json",
            "explain last --json", "maintenance list --json"]


def forms(secret):
    """The forms in which a secret may appear in texts and files."""
    if isinstance(secret, str):
        return [secret.encode(), secret.encode().hex().encode()]
    octets = secret.to_bytes(8, "big")
    return [octets, octets[::-1], octets.hex().encode(), str(secret).encode(), octets.hex(" ").encode()]


class Careful(Gateway):
    """A gateway whose libraries find a directory for persistent state."""

    def _environment(self):
        kept = self.directory / "kept"
        kept.mkdir(exist_ok=True)
        return super()._environment() | {"SNMP_PERSISTENT_DIR": str(kept)}


@pytest.fixture
def certificate(fabric):
    return peers.Authority(fabric.directory, "authority").issue("gateway")


@pytest.fixture
def site(fabric, syslog, certificate):
    """A gateway that uses every kind of secret; some receivers fail."""
    fabric.subnet_manager(sa_key=f"0x{SA_KEY:016x}").wait_master()
    files = {name: secret_file(fabric.directory, name, word) for name, word in WORDS.items()}
    v3 = {"version": "3", "user": "somebody", "auth": "SHA-256", "privacy": "AES", "inform": True,
          "auth_password_file": files["auth"], "privacy_password_file": files["privacy"]}
    tls = {"certificate_file": certificate.cert, "key_file": certificate.key}
    nobody = f"127.0.0.1:{free_port()}"
    more = "".join([
        section("snmp", "shown", address=nobody, community=WORDS["shown"]),
        section("snmp", "hidden", address=nobody, community_file=files["hidden"], transport="tcp"),
        section("snmp", "v3", address=nobody, **v3),
        section("snmp", "dtls", address=nobody, transport="dtls", **tls),
        section("syslog", "tls", address=nobody, transport="tls", **tls),
        section("file", "archive", path=fabric.directory / "events.json"),
    ])
    gateway = Careful(fabric, syslog=[syslog.address], sa_key=f"0x{SA_KEY:016x}", more=more,
                      sweep={"method": "smp", "interval": 5,
                             "mkey_file": secret_file(fabric.directory, "mkey", f"0x{M_KEY:016x}")})
    return fabric.keep(gateway)


def support_file(gateway):
    with tempfile.TemporaryDirectory(dir=gateway.directory) as directory:
        path = pathlib.Path(directory) / "support.txt"
        gateway.control("support", path, "--file", gateway.state / "journal.db", check=False)
        return path.read_bytes()


def told(gateway):
    """Everything that the gateway wrote or answers, by the place."""
    process = pathlib.Path(f"/proc/{gateway.process.pid}")
    found = {name: (process / name).read_bytes() for name in ("cmdline", "environ")}
    found["log"] = gateway.log.encode(errors="surrogateescape")
    for command in COMMANDS:
        arguments = ["--file", gateway.state / "journal.db"] if command.startswith("journal") else []
        done = gateway.control(*arguments, *command.split(), check=False)
        found[command] = (done.stdout + done.stderr).encode()
    found["support"] = support_file(gateway)
    for path in [*gateway.state.iterdir(), gateway.fabric.directory / "events.json"]:
        found[path.name] = path.read_bytes()
    return found


def leaks(found, secrets):
    return [(where, secret) for where, content in found.items() for secret in secrets
            for form in forms(secret) if form.lower() in content.lower()]


def wait_failing(gateway, *names):
    def failing(status):
        return {one["name"] for one in status["receivers"] if one["problem"]} >= set(names)

    gateway.wait_status(failing, "receivers to fail")


def test_no_secret_is_told(site, syslog, certificate):
    site.wait_subscribed()  # including the traps that require the key
    site.wait_swept()
    wait_failing(site, "hidden", "v3", "dtls", "tls")
    private = "".join(certificate.key.read_text().splitlines()[1:-1])
    secrets = [SA_KEY, M_KEY, *WORDS.values(), private[:64], private[-64:]]
    found = told(site)
    assert b"gateway-started" in found["journal export"] and b"subscribed" in found["status"]
    assert b"SQLite" in found["journal.db"] and b"gateway-started" in found["events.json"]
    assert leaks(found, secrets) == []
    messages = "\n".join(map(str, syslog.poll())).encode()
    assert leaks({"syslog": messages}, secrets) == []
    site.stop()
    assert leaks(told_after(site), secrets) == []
    assert [path for path in (site.directory / "kept").rglob("*") if path.is_file()] == []  # libsnmp wrote none either


def told_after(gateway):
    return {path.name: path.read_bytes() for path in gateway.state.iterdir()} | {"log": gateway.log.encode()}


def snmpset(snmpd, *triples):
    arguments = [part for oid, kind, value in triples for part in (dotted(oid), kind, value)]
    subprocess.run(["snmpset", "-v2c", "-c", "private", "-M", "", "-m", "", "-On", "-t", "5", snmpd.address, *arguments],
                   check=True, capture_output=True, timeout=DEADLINE)


def test_a_community_set_by_snmp_is_for_nobody_else(fabric, tmp_path):
    """Members of the gateway's group may read its journal, and find no community in it."""
    word, column = "words-of-manager", (25, 11, 1, 3)
    row = (*global_id(0x0002C90200C10000), 1)
    fabric.subnet_manager().wait_master()
    with Snmpd(tmp_path, more="rwcommunity private 127.0.0.1\n") as snmpd:
        snmpd.start()
        gateway = fabric.keep(Gateway(fabric, sweep={"method": "smp", "interval": 5},
                                      more=section("subagent", socket=snmpd.socket, writable=True)))
        manager = Manager(snmpd.address, "private")
        wait_until(lambda: row in manager.column(*column), "the switch to be in the table")
        snmpset(snmpd, ((*GSW, *column, *row), "s", word))
        for again in (True, False):
            wait_until(lambda: word in str(manager.column(*column).get(row)), "the community")
            files = [path for path in gateway.state.rglob("*") if path.is_file()]
            read = {path.name: path.read_bytes() for path in files if path.stat().st_mode & 0o077}
            assert "journal.db" in read
            read |= {"log": gateway.log.encode(), "support": support_file(gateway)}
            assert b"==== Receivers, JSON ====" in read["support"]
            assert leaks(read, [word]) == []
            if again:
                gateway.stop()
                gateway.start()


def test_the_state_is_for_nobody_else(site):
    archive = site.fabric.directory / "events.json"
    site.wait_status(lambda _: (site.state / "journal.db").exists() and archive.exists(), "the journal and the file")
    assert site.state.stat().st_mode & 0o777 == 0o750
    assert archive.stat().st_mode & 0o007 == 0


@pytest.mark.parametrize("name, word", [("auth", "tiny"), ("mkey", "not-a-key-but-secret"), ("hidden", "x" * 300)])
def test_a_reload_does_not_tell_a_secret_that_it_refuses(site, name, word):
    site.wait_status(lambda _: True, "ibtrapd to run")
    (site.fabric.directory / name).write_text(f"{word}\n")
    done = site.control("reload", check=False)
    assert done.returncode == 1 and name in done.stderr
    assert word not in done.stderr + site.log


def test_a_reload_refuses_a_secret_that_has_become_readable(site):
    site.wait_status(lambda _: True, "ibtrapd to run")
    (site.fabric.directory / "auth").chmod(0o640)
    done = site.control("reload", check=False)
    assert done.returncode == 1 and "can be accessed by others (mode 0640)" in done.stderr
    (site.fabric.directory / "auth").chmod(0o600)
    site.control("reload")


def test_who_asked_for_a_change_is_logged(site):
    site.wait_status(lambda _: True, "ibtrapd to run")
    site.control("sweep", "now")
    wait_until(lambda: "command 'sweep-now' of user " in site.log, "the log")
    assert "command 'status'" not in site.log
