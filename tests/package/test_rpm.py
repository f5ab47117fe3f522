# SPDX-License-Identifier: BSD-2-Clause
"""The RPM package, packed by Debian's rpmbuild and installed by rpm on a machine that systemd runs. doc/rpm.md says what
this leaves out."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from lab.fabric import BUILD
from machine import Machine, Unavailable

HERE = pathlib.Path(__file__).resolve().parent
UNITS = ["ibtrapd.service", "ibtrapd@mlx5_0-1.service", "ibtrapd-snmpd.service"]
CONFIG = "/etc/ibtrapd/ibtrapd.conf"
AGENT_CONFIG = "/etc/ibtrapd/snmpd.conf"

pytestmark = pytest.mark.skipif(not shutil.which("rpmbuild"), reason="rpmbuild is not installed")


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True,
                          timeout=300).stdout


@pytest.fixture(name="packages", scope="module")
def packages_of_two_versions(tmp_path_factory):
    directory = tmp_path_factory.mktemp("rpms")
    directory.chmod(0o755)
    for version in "1.0", "2.0":
        run(HERE / "make_rpm.sh", BUILD, directory / f"{version}.rpm", version)
    return directory


@pytest.fixture(name="machine")
def machine_for_packages(packages):
    """As RHEL and SLES are: what no preset names is not enabled."""
    try:
        with Machine(packages) as booted:
            presets = booted.path("/usr/lib/systemd/system-preset")
            presets.mkdir(exist_ok=True)
            (presets / "99-default.preset").write_text("disable *\n")
            yield booted
    except Unavailable as why:
        pytest.skip(str(why))


def install(machine, version="1.0"):
    """Without a look at what it needs: those packages have other names here, and rpm knows none of them."""
    return machine.said("rpm", "-U", "--nodeps", f"/run/outside/{version}.rpm")


def listed(package):
    """The package's files, as {name: (rights, user, group)}."""
    form = "[%{FILEMODES:perms} %{FILEUSERNAME} %{FILEGROUPNAME} %{FILENAMES}\n]"
    lines = map(str.split, run("rpm", "-qp", "--qf", form, package).splitlines())
    return {words[3]: tuple(words[:3]) for words in lines}


def check_license(files):
    """In a directory that rpm chooses."""
    [licence] = files
    assert re.fullmatch(r"/usr/share/licenses/ibtrapd[^/]*/LICENSE", licence)


def test_they_have_the_files_of_an_installation(packages, tmp_path):
    """All that cmake installs, but the licence; each module in a package of its own."""
    run("env", f"DESTDIR={tmp_path}", "cmake", "--install", BUILD)
    installed = {f"/{path.relative_to(tmp_path)}" for path in tmp_path.rglob("*") if path.is_file()}
    installed.remove("/usr/share/doc/ibtrapd/LICENSE")
    modules = {path for path in installed if path.endswith(".so")}
    installed -= modules
    entries = listed(packages / "1.0.rpm")
    own = {path for path, words in entries.items() if words[0][0] == "-"}
    check_license(own - installed)
    assert installed <= own
    owners = {path: words[1:] for path, words in entries.items()}
    assert (owners.pop(CONFIG), owners.pop(AGENT_CONFIG)) == (("root", "ibtrapd"), ("root", "ibtrapd-snmpd"))
    assert set(owners.values()) == {("root", "root")}
    directories = {path for path, words in entries.items() if words[0][0] == "d" and ".build-id" not in path}
    assert all(path.split("/")[-1].startswith("ibtrapd") or path.startswith("/usr/share/doc/ibtrapd/")
               for path in directories)
    assert run("rpm", "-qpc", packages / "1.0.rpm") == f"{CONFIG}\n{AGENT_CONFIG}\n"

    assert {os.path.basename(module) for module in modules} == {"kafka.so", "http.so"}
    for module in modules:
        check_module(packages / f"1.0-{os.path.basename(module)[:-3]}.rpm", module)


def check_module(package, module):
    entries = listed(package)
    files = {path for path in entries if ".build-id" not in path}
    assert {module, os.path.dirname(module)} <= files
    assert len([path for path in files if path.endswith(".so")]) == 1
    check_license(path for path in files if path.endswith("/LICENSE"))
    assert {words[1:] for words in entries.values()} == {("root", "root")}
    assert re.search(r"^ibtrapd(\(.*\))? = 1\.0-1\.trial$", run("rpm", "-qpR", package), re.MULTILINE)
    assert os.path.basename(module) not in run("rpm", "-qp", "--provides", package)


def test_each_library_has_its_package(packages):
    """What the build asks pkg-config for is in the spec, or is Net-SNMP, whose old packages have no file for it."""
    spec = (HERE.parents[1] / "config/packaging/ibtrapd.spec").read_text()
    lists = (HERE.parents[1] / "CMakeLists.txt").read_text()
    asked = re.findall(r"^pkg_check_modules\(.* ([\w-]+)[^ \n]*\)", lists, re.MULTILINE)
    assert {"libibumad", "rdkafka", "openssl"} <= set(asked)
    assert [name for name in asked if f"pkgconfig({name})" not in spec] == []


def test_its_life(machine):
    said = install(machine)
    assert "warning" not in said, said
    for unit in UNITS:
        assert machine.run("systemctl", "is-enabled", unit, good=(1,)) == "disabled\n"
        assert machine.property(unit, "ActiveState") == "inactive"
    assert machine.run("stat", "-c", "%U:%G %a", CONFIG) == "root:ibtrapd 640\n"
    assert machine.run("stat", "-c", "%U:%G %a", AGENT_CONFIG) == "root:ibtrapd-snmpd 640\n"
    assert machine.run("id", "-nG", "ibtrapd").split() == ["ibtrapd", "ibtrapd-umad", "ibtrapd-agentx"]
    assert machine.run("rpm", "-V", "--nodeps", "ibtrapd") == ""
    assert machine.run("ibtrapd", "--check-config") == f"The configuration {CONFIG} is good.\n"

    # An upgrade keeps a changed configuration and its rights, and restarts what runs.
    machine.path(CONFIG).write_text("sweep { interval = 10 }\n")
    machine.run("systemctl", "start", "ibtrapd")
    pid = machine.property("ibtrapd", "MainPID")
    install(machine, "2.0")
    assert machine.run("rpm", "-q", "--qf", "%{VERSION}", "ibtrapd") == "2.0"
    assert machine.path(CONFIG).read_text() == "sweep { interval = 10 }\n"
    assert machine.run("stat", "-c", "%U:%G %a", CONFIG) == "root:ibtrapd 640\n"
    assert machine.property("ibtrapd", "ActiveState") == "active"
    assert machine.property("ibtrapd", "MainPID") not in ("0", pid)

    # A removal stops it, and leaves the configuration that was changed, and the journal.
    machine.run("systemctl", "enable", *UNITS)
    machine.run("rpm", "-e", "ibtrapd")
    assert machine.property("ibtrapd", "ActiveState") == "inactive"
    assert machine.path("/var/lib/ibtrapd/journal.db").exists()
    assert machine.path(CONFIG + ".rpmsave").exists()
    left = {path for path in machine.changed() if "ibtrapd" in path and not path.startswith(("/var/lib/", "/var/log/"))}
    assert {path for path in left if not machine.path(path).is_dir()} == {CONFIG + ".rpmsave"}


def test_an_upgrade_lets_a_gateway_with_a_mistaken_configuration_go_on(machine):
    install(machine)
    machine.run("systemctl", "start", "ibtrapd")
    pid = machine.property("ibtrapd", "MainPID")
    machine.path(CONFIG).write_text('snmp "nms" { adress = "192.0.2.1" }\n')
    said = install(machine, "2.0")
    assert "item 'adress': there is no such item here" in said
    assert "ibtrapd.service was not restarted: its configuration has mistakes" in said
    assert (machine.property("ibtrapd", "ActiveState"), machine.property("ibtrapd", "MainPID")) == ("active", pid)


def test_a_site_enables_it_by_a_preset(machine):
    machine.path("/usr/lib/systemd/system-preset/50-site.preset").write_text("enable ibtrapd.service\n")
    install(machine)
    assert machine.run("systemctl", "is-enabled", "ibtrapd") == "enabled\n"
    assert machine.property("ibtrapd", "ActiveState") == "inactive"
