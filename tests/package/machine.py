# SPDX-License-Identifier: BSD-2-Clause
"""A machine to install packages on: this one's files, or those of another root, below an overlay, booted by a systemd of
its own."""

import contextlib
import os
import pathlib
import secrets
import subprocess
import time

DEADLINE = 300  # seconds: only what has stopped takes so long, on a busy machine, too

# The mount points of the machine's parts, invisible outside of its namespaces.
TOP = pathlib.Path("/run/ibtrapd-test-machine")

# The files of a machine that names no others; such as a new root of debootstrap's (tests/README.md).
ROOT = pathlib.Path(os.environ.get("IBTRAPD_MACHINE_ROOT", "/"))

# Only systemd runs in the machine, and it must not change the shared kernel's settings. A test starts the units that it
# needs.
BOOT = f"""
set -e
mkdir -p {TOP}
mount -t tmpfs -o mode=755 top {TOP}
cd {TOP}
mkdir upper work root
mount -t overlay -o lowerdir="$2",upperdir={TOP}/upper,workdir={TOP}/work root root
cd root
mount -t proc proc proc
mount --bind -o ro proc/sys proc/sys
mount -t sysfs -o ro sys sys
mount -t cgroup2 cgroup sys/fs/cgroup
mount -t tmpfs -o mode=755 dev dev
mount -t tmpfs -o mode=755 run run
mount -t tmpfs -o mode=1777 tmp tmp
for node in null zero full random urandom tty; do touch dev/$node; mount --bind /dev/$node dev/$node; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 pts dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir run/outside run/changed
mount --bind "$1" run/outside
mount --bind ../upper run/changed
rm -rf usr/sbin/policy-rc.d etc/fstab usr/lib/systemd/system/*.wants etc/systemd/system/*.wants
mkdir -p run/systemd/system
printf '[Unit]\\nAllowIsolate=yes\\n' >run/systemd/system/nothing.target
exec setpriv --bounding-set=-sys_module,-sys_time,-sys_boot,-sys_rawio env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
    chroot . /lib/systemd/systemd --system --unit=nothing.target --log-target=null
"""


class Unavailable(Exception):
    """This host cannot run such a machine; the message says why."""


def cgroup_here():
    """The directory of this process in the unified hierarchy."""
    path = next(line[3:].strip() for line in open("/proc/self/cgroup", encoding="ascii") if line.startswith("0::"))
    for line in open("/proc/self/mountinfo", encoding="ascii"):
        fields, rest = (part.split() for part in line.split(" - "))
        if rest[0] == "cgroup2":
            return pathlib.Path(fields[4] + path)
    raise Unavailable("the unified cgroup hierarchy is not mounted")


class Machine:
    """outside: a directory that the machine sees as /run/outside. root: the directory that it has the files of."""

    def __init__(self, outside, root=ROOT):
        self._root = root
        self._outside = outside
        self._cgroup = None
        self._process = None
        self.pid = None  # process id of its systemd on the host

    def __enter__(self):
        if os.geteuid() != 0:
            raise Unavailable("only root can boot a machine")
        try:
            self._cgroup = cgroup_here() / f"ibtrapd-test-{secrets.token_hex(4)}"
            self._cgroup.mkdir()
            self._process = subprocess.Popen(
                ["sh", "-c", 'echo $$ >"$1" && exec unshare -mpfCui --kill-child sh -c "$2" boot "$3" "$4"', "machine",
                 str(self._cgroup / "cgroup.procs"), BOOT, str(self._outside), str(self._root)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self._wait_up()
        except OSError as error:
            self.__exit__()
            raise Unavailable(f"no machine can be booted here: {error}") from None
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process.stderr.close()
        if self._cgroup and self._cgroup.exists():
            wait_until(self._remove_cgroup, "the machine's processes to end")

    def run(self, *command, good=(0,)):
        """Runs a command in the machine, returns its output."""
        done = self._enter(["-a", "-r", "-w"], command)
        assert done.returncode in good, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def said(self, *command):
        """Runs a command that must succeed, returns its standard error."""
        done = self._enter(["-a", "-r", "-w"], command)
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stderr

    def fails(self, *command):
        """Runs a command that must fail, returns its standard error."""
        done = self._enter(["-a", "-r", "-w"], command)
        assert done.returncode != 0, f"{command} succeeded:\n{done.stdout}"
        return done.stderr

    def popen(self, *command):
        return subprocess.Popen(["nsenter", "-a", "-r", "-w", "-t", str(self.pid), "--", *map(str, command)])

    def path(self, path):
        """A path of the machine, as the host sees it."""
        return pathlib.Path(f"/proc/{self.pid}/root{path}")

    def changed(self):
        """Every path that changed since the machine was new."""
        return set(self.run("find", "/run/changed", "-mindepth", "1", "-printf", "/%P\\n").splitlines())

    def property(self, unit, name):
        return self.run("systemctl", "show", "--value", "-p", name, unit).strip()

    def _enter(self, namespaces, command):
        return subprocess.run(["nsenter", *namespaces, "-t", str(self.pid), "--", *map(str, command)],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)

    def _wait_up(self):
        def up():
            if self._process.poll() is not None:
                raise Unavailable(self._process.stderr.read().strip())
            children = pathlib.Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
            self.pid = int(children[0]) if children else None
            return self.pid and self._enter(["-a", "-r", "-w"], ["systemctl", "is-active", "nothing.target"]).returncode == 0

        wait_until(up, "systemd to boot")

    def _remove_cgroup(self):
        with contextlib.suppress(OSError):
            for directory, _, _ in os.walk(self._cgroup, topdown=False):
                os.rmdir(directory)
        return not self._cgroup.exists()


def wait_until(true, what, timeout=DEADLINE):
    """Returns the first result that counts as true."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        result = true()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f"waited {timeout} s in vain for {what}")
