# SPDX-License-Identifier: BSD-2-Clause
"""What a configuration names outside of itself: --check-config and a reload open it as ibtrapd will, and refuse what
ibtrapd could not use."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

import pytest
from lab.gateway import IBTRAPD, Gateway, check_config, secret_file, section, without_service_user
from lab.processes import DEADLINE

USER, NOBODY = "ibtrapd", 65534


def make(name, directory):
    """A certificate that signs itself, and its key."""
    certificate, key = directory / f"{name}.pem", directory / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", f"/CN={name}", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    key.chmod(0o600)
    return certificate, key


@pytest.fixture(name="files", scope="module")
def files_for_tls(tmp_path_factory):
    directory = tmp_path_factory.mktemp("tls")
    certificate, key = make("own", directory)
    other_certificate, other_key = make("other", directory)
    both = secret_file(directory, "both.pem", certificate.read_text() + key.read_text())
    text = directory / "text.pem"
    text.write_text("no certificate\n")
    empty = directory / "empty.pem"
    empty.touch()
    os.mkfifo(directory / "fifo")
    huge = directory / "huge.pem"
    with open(huge, "wb") as file:
        file.truncate(1 << 40)
    rsa = directory / "rsa.key"
    subprocess.run(["openssl", "genrsa", "-out", rsa, "2048"], check=True, capture_output=True)
    rsa.chmod(0o600)
    link = directory / "link.pem"
    link.symlink_to(certificate)
    return {"ca": certificate, "certificate": certificate, "key": key, "other_key": other_key, "both": both,
            "other": other_certificate, "text": text, "empty": empty, "fifo": directory / "fifo",
            "zero": pathlib.Path("/dev/zero"), "huge": huge, "directory": directory, "link": link, "rsa": rsa,
            "missing": directory / "missing.pem"}


def tls(**items):
    return section("syslog", "siem", transport="tls", address="127.0.0.1:6514", **items)


GOOD = {
    "the system's authorities": {},
    "an authority": {"ca_file": "ca"},
    "a link": {"ca_file": "link"},
    "a pair": {"certificate_file": "certificate", "key_file": "key"},
    "a pair in one file": {"certificate_file": "both"},
}
# items, and words that the message must contain
BAD = {
    "no such authority": ({"ca_file": "missing"}, ["ca_file", "missing.pem", "No such file"]),
    "an authority that is none": ({"ca_file": "text"}, ["ca_file", "text.pem", "no certificate in PEM"]),
    "an empty authority": ({"ca_file": "empty"}, ["ca_file", "empty.pem", "no certificate in PEM"]),
    "a key as authority": ({"ca_file": "key"}, ["ca_file", "own.key", "no certificate in PEM"]),
    "a FIFO as authority": ({"ca_file": "fifo"}, ["ca_file", "not a regular file"]),
    "a device as authority": ({"ca_file": "zero"}, ["ca_file", "not a regular file"]),
    "a directory as authority": ({"ca_file": "directory"}, ["ca_file", "not a regular file"]),
    "an endless authority": ({"ca_file": "huge"}, ["ca_file", "is longer than"]),
    "no such list": ({"crl_file": "missing"}, ["crl_file", "No such file"]),
    "a list that is none": ({"crl_file": "ca"}, ["crl_file", "no list of revoked certificates"]),
    "a FIFO as list": ({"crl_file": "fifo"}, ["crl_file", "not a regular file"]),
    "no such certificate": ({"certificate_file": "missing", "key_file": "key"}, ["certificate_file", "No such file"]),
    "a certificate that is none": ({"certificate_file": "text", "key_file": "key"}, ["certificate_file", "text.pem"]),
    "a FIFO as certificate": ({"certificate_file": "fifo", "key_file": "key"}, ["certificate_file", "not a regular"]),
    "a certificate without its key": ({"certificate_file": "ca"}, ["own.pem", "no private key", "key_file"]),
    "no such key": ({"certificate_file": "certificate", "key_file": "missing"}, ["key_file", "No such file"]),
    "a key that is none": ({"certificate_file": "certificate", "key_file": "secret"}, ["key_file", "no private key"]),
    "the key of another": ({"certificate_file": "certificate", "key_file": "other_key"},
                           ["key_file", "other.key", "is not the key of the certificate"]),
    "a key of another kind": ({"certificate_file": "certificate", "key_file": "rsa"},
                              ["key_file", "is not the key of the certificate"]),
}


def paths(items, files, tmp_path):
    files = {**files, "secret": secret_file(tmp_path, "secret", "no key")}
    return {name: files[file] for name, file in items.items()}


@pytest.mark.parametrize("items", GOOD.values(), ids=GOOD.keys())
def test_good_files_for_tls(tmp_path, files, items):
    assert check_config(tls(**paths(items, files, tmp_path)), tmp_path)[0] == 0


@pytest.mark.parametrize("items, words", BAD.values(), ids=BAD.keys())
def test_bad_files_for_tls(tmp_path, files, items, words):
    status, output = check_config(tls(**paths(items, files, tmp_path)), tmp_path)
    assert status == 1
    for word in ["receiver siem", *words]:
        assert word in output


def test_a_certificate_for_nobody_else_still_needs_its_key(tmp_path, files):
    alone = secret_file(tmp_path, "alone.pem", files["certificate"].read_text())
    status, output = check_config(tls(certificate_file=alone), tmp_path)
    assert status == 1
    assert "there is no private key" in output
    assert "key_file" in output


def test_snmp_too(tmp_path, files):
    status, output = check_config(section("snmp", "nms", transport="dtls", address="127.0.0.1",
                                          certificate_file=files["certificate"], key_file=files["other_key"]), tmp_path)
    assert status == 1
    assert "receiver nms" in output


def archive(path):
    return section("file", "archive", path=path)


def test_a_file_that_can_be_written(tmp_path):
    (tmp_path / "there").touch()
    for path in ["-", "/dev/null", tmp_path / "there", tmp_path / "new"]:
        assert check_config(archive(path), tmp_path)[0] == 0
    assert not (tmp_path / "new").exists()


def test_the_directories_that_the_unit_makes_may_be_missing_still(tmp_path):
    config = tmp_path / "ibtrapd.conf"
    for instance, path, good in ((None, "/var/log/ibtrapd/x", True), (None, "/var/lib/ibtrapd/x", True),
                                 (None, "/var/log/ibtrapd-mlx5_0-1/x", False),
                                 ("mlx5_0-1", "/var/log/ibtrapd-mlx5_0-1/x", True)):
        if pathlib.Path(path).parent.exists():
            pytest.skip(f"{path} is in use on this machine")
        config.write_text(archive(path))
        command = [IBTRAPD, "--check-config", "--config", config, *(["--instance", instance] if instance else [])]
        done = subprocess.run(command, capture_output=True, timeout=DEADLINE, check=False, env=without_service_user())
        assert (done.returncode == 0) == good, path


def test_a_file_that_cannot_be_written(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "socket"))
    (tmp_path / "text").touch()
    bad = {
        tmp_path / "no" / "events.json": ["the directory", "/no", "does not exist"],
        tmp_path / "text" / "events.json": ["/text", "Not a directory"],
        tmp_path: ["neither a regular file nor a character device"],
        tmp_path / "fifo": ["neither a regular file nor a character device"],
        tmp_path / "socket": ["neither a regular file nor a character device"],
    }
    for path, words in bad.items():
        status, output = check_config(archive(path), tmp_path)
        assert status == 1, path
        for word in ["receiver archive", *words]:
            assert word in output


def test_directories(tmp_path):
    (tmp_path / "file").touch()
    for made in (lambda path: section("journal", directory=path),
                 lambda path: section("control", socket=path / "control.sock")):
        for path in (tmp_path, tmp_path / "new"):
            assert check_config(made(path), tmp_path)[0] == 0
        for path, words in ((tmp_path / "no" / "new", f"the directory {tmp_path}/no does not exist"),
                            (tmp_path / "file", f"{tmp_path}/file is not a directory")):
            status, output = check_config(made(path), tmp_path)
            assert status == 1
            assert words in output
    assert not (tmp_path / "new").exists()


def test_sockets(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "socket"))
    for made in (lambda path: section("syslog", "l", path=path), lambda path: section("agentx", "a", socket=path),
                 lambda path: section("subagent", socket=path), lambda path: section("control", socket=path)):
        for path in (tmp_path / "socket", tmp_path / "comes-later"):
            assert check_config(made(path), tmp_path)[0] == 0
        for path in (tmp_path, file):
            status, output = check_config(made(path), tmp_path)
            assert status == 1
            assert f"'{path}' is not a socket" in output


def test_all_mistakes_are_told_at_once(tmp_path, files):
    status, output = check_config(tls(ca_file=files["missing"]) + archive(tmp_path / "no" / "x"), tmp_path)
    assert status == 1
    assert len(output.splitlines()) == 2
    assert all(line.startswith(f"ibtrapd: {tmp_path / 'ibtrapd.conf'}: receiver ") for line in output.splitlines())


root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def unshared(command, *mounts):
    """Runs a command in a mount namespace of its own, after some commands of the shell."""
    script = " && ".join(["mount --make-rprivate /", *mounts, 'exec "$@"'])
    return subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", *map(str, command)], capture_output=True,
                          text=True, timeout=DEADLINE, check=False)


@pytest.fixture(name="as_root")
def check_as_root_for_the_service(request):
    """Checks a configuration as root, on a machine with the service's user.

    The directory is none of pytest's: each session of pytest closes the directory above its own to other users."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="ibtrapd-service-"))
    request.addfinalizer(lambda: shutil.rmtree(directory))
    directory.chmod(0o755)
    passwd, group = directory / "passwd", directory / "group"
    passwd.write_text(f"{USER}:x:{NOBODY}:{NOBODY}::/:/bin/false\n" + pathlib.Path("/etc/passwd").read_text())
    group.write_text(f"{USER}:x:{NOBODY}:\n" + pathlib.Path("/etc/group").read_text())
    shutil.copy(IBTRAPD, directory / "ibtrapd")
    config = directory / "ibtrapd.conf"

    def check(text, *mounts):
        config.write_text(text)
        done = unshared([directory / "ibtrapd", "--check-config", "--config", config],
                        f"mount --bind {passwd} /etc/passwd", f"mount --bind {group} /etc/group", *mounts)
        if "unshare" in done.stderr or "mount:" in done.stderr:
            pytest.skip(f"no mount namespaces here: {done.stderr}")
        return done.returncode, done.stdout + done.stderr

    check.directory, check.config = directory, config
    return check


@root
def test_root_checks_as_the_service_reads(as_root):
    key = secret_file(as_root.directory, "sa.key", 1)
    os.chown(key, NOBODY, NOBODY)
    assert as_root(section("fabric", sa_key_file=key))[0] == 0
    os.chown(key, 0, 0)
    status, output = as_root(section("fabric", sa_key_file=key))
    assert status == 1
    assert str(key) in output and "Permission denied" in output
    assert "user ibtrapd" in output


@root
def test_root_checks_as_the_service_writes(as_root):
    directory = as_root.directory / "archive"
    directory.mkdir(mode=0o755)
    status, output = as_root(archive(directory / "events.json"))
    assert status == 1
    assert str(directory) in output and "user ibtrapd" in output
    os.chown(directory, NOBODY, NOBODY)
    assert as_root(archive(directory / "events.json"))[0] == 0
    os.chown(directory, 0, 0)
    directory.chmod(0o700)
    status, output = as_root(archive(directory / "events.json"))
    assert status == 1
    assert "Permission denied; let the user that runs ibtrapd into the directory" in output


@root
def test_root_is_told_to_let_the_service_reach_a_socket(as_root):
    """As Debian's snmpd leaves the directory of its socket."""
    directory = as_root.directory / "agentx"
    directory.mkdir(mode=0o700)
    for text in section("subagent", socket=directory / "master"), section("agentx", "snmpd", socket=directory / "master"):
        directory.chmod(0o700)
        status, output = as_root(text)
        assert status == 1
        assert f"'{directory / 'master'}': Permission denied; let the user that runs ibtrapd into the directory" in output
        directory.chmod(0o711)
        assert as_root(text)[0] == 0


@root
def test_root_checks_where_the_service_keeps_its_journal(as_root):
    directory = as_root.directory / "journal"
    directory.mkdir(mode=0o755)
    status, output = as_root(section("journal", directory=directory))
    assert status == 1
    assert f"section 'journal': cannot write to {directory}" in output


@root
def test_what_is_read_only_where_it_runs_is_told(as_root):
    directory = as_root.directory / "read-only"
    directory.mkdir()
    os.chown(directory, NOBODY, NOBODY)
    status, output = as_root(archive(directory / "events.json"),
                             f"mount --bind {directory} {directory}", f"mount -o remount,bind,ro {directory}")
    assert status == 1
    assert "Read-only file system" in output
    assert f"ReadWritePaths={directory}" in output


def names(gateway):
    return [one["name"] for one in gateway.status()["receivers"]]


def test_a_reload_refuses_them_too(fabric, files):
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric))
    gateway.wait_subscribed()
    before, receivers = gateway.config.read_text(), names(gateway)
    for wrong, word in ((tls(ca_file=files["fifo"]), "not a regular file"),
                        (archive(fabric.directory / "no" / "x"), "does not exist"),
                        (tls(certificate_file=files["certificate"], key_file=files["other_key"]), "is not the key")):
        gateway.config.write_text(before + wrong)
        done = gateway.control("reload", check=False)
        assert done.returncode != 0
        assert word in done.stdout + done.stderr
        gateway.config.write_text(before)
        gateway.control("reload")
    assert names(gateway) == receivers


def test_a_start_goes_on_without_them(fabric, syslog, files):
    fabric.subnet_manager().wait_master()
    gateway = fabric.keep(Gateway(fabric, syslog=[syslog.address], more=tls(ca_file=files["missing"])
                                  + archive(fabric.directory / "no" / "x")))
    gateway.wait_subscribed()
    for name, word in ("siem", "item 'ca_file'"), ("archive", "does not exist"):
        assert any(f"receiver {name}: " in line and word in line for line in gateway.log.splitlines())
    syslog.wait_for(lambda one: one.message_id == "receiver-failing", "both to be told", count=2)
