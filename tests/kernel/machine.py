# SPDX-License-Identifier: BSD-2-Clause
"""What the tests need in the machine that run.sh boots: the fabric in its kernel, OpenSM, the gateway, snmptrapd."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

OUTSIDE = pathlib.Path("/run/outside")
PARAMETERS = pathlib.Path("/sys/module/ibfabric/parameters")
CONFIG = pathlib.Path("/etc/ibtrapd/ibtrapd.conf")
DEADLINE = 300  # seconds; the machine's processor is emulated, and this host may have other work
HOST_GUID = 0x0002C90200A00000
SWITCH_GUID = 0x0002C90200510000
EDR, NDR, XDR = 2, 8, 16  # fabric.h
SM_HOST, GATEWAY_HOST = 0, 1  # where OpenSM and the gateway run

# What the tests want to see soon.
QUICK = "alarms { missing_age = 0 }\nconsequences { hold = false }\n"


def run(*command, good=(0,), timeout=DEADLINE):
    """Runs a command, returns its output."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode in good, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def wait(true, what, timeout=DEADLINE):
    """Returns the first result that counts as true."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        result = true()
        if result:
            return result
        time.sleep(0.3)
    raise AssertionError(f"waited {timeout} s in vain for {what}")


def prop(unit, name):
    return run("systemctl", "show", "--value", "-p", name, unit).strip()


class Fabric:
    """The module, with its parameters (fabric/fabric.c)."""

    def load(self, **parameters):
        self.unload()
        run("modprobe", "-a", "ib_umad", "ib_uverbs")
        options = [f"{name}={','.join(map(str, value)) if isinstance(value, (list, tuple)) else value}"
                   for name, value in parameters.items()]
        run("insmod", OUTSIDE / "ibfabric.ko", *options)
        run("udevadm", "settle")

    def unload(self):
        if PARAMETERS.exists():
            run("rmmod", "ibfabric")
            run("udevadm", "settle")

    @staticmethod
    def write(name, *values):
        (PARAMETERS / name).write_text(" ".join(map(str, values)))

    def link(self, host, up):
        self.write("link", host, int(up))

    def trunk(self, switch, up):
        self.write("trunk", switch, int(up))

    def plug(self, host, present):
        self.write("plug", host, int(present))
        run("udevadm", "settle")

    @staticmethod
    def sent(host):
        """What a host sent, by name."""
        line = (PARAMETERS / "sent").read_text().splitlines()[host].split()
        return {name: int(value, 0) for name, value in zip(line[2::2], line[3::2])}

    @staticmethod
    def lost():
        words = (PARAMETERS / "lost").read_text().split()
        return {name: int(value) for name, value in zip(words[::2], words[1::2])}

    @staticmethod
    def lid(host):
        return int(pathlib.Path(f"/sys/class/infiniband/fab{host}/ports/1/lid").read_text(), 16)


class SubnetManager:
    """OpenSM at a host, with lines of its configuration file."""

    directory = pathlib.Path("/var/tmp/opensm")

    def __init__(self, host=SM_HOST):
        self.host = host
        self.process = None

    def start(self, partitions=None, **options):
        self.directory.mkdir(exist_ok=True)
        settings = {"guid": f"0x{HOST_GUID + self.host * 16 + 1:016x}", "log_file": self.directory / "log",
                    "log_flags": "0x43", "force_log_flush": "TRUE", "sweep_interval": 5, "sminfo_polling_timeout": 1000,
                    "polling_retry_number": 2, "dump_files_dir": self.directory, **options}
        if partitions:
            settings["partition_config_file"] = self.directory / "partitions"
            (self.directory / "partitions").write_text(partitions)
        (self.directory / "conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        (self.directory / "log").unlink(missing_ok=True)
        environment = {**os.environ, "OSM_TMP_DIR": str(self.directory), "OSM_CACHE_DIR": str(self.directory)}
        with open(self.directory / "output", "w", encoding="ascii") as output:
            self.process = subprocess.Popen(["opensm", "-F", self.directory / "conf"], stdin=subprocess.DEVNULL,
                                            stdout=output, stderr=output, env=environment)
        wait(lambda: self.process.poll() is None and "SUBNET UP" in self.log(), f"OpenSM to be master:\n{self.log()[-800:]}")
        return self

    def log(self):
        path = self.directory / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    def stop(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None


class Gateway:
    """The installed service."""

    def configure(self, text="", fabric_items="", sweep_items=""):
        CONFIG.write_text(f'fabric {{ device = "fab{GATEWAY_HOST}" port = 1 {fabric_items} }}\n'
                          f"sweep {{ interval = 5 settle = 0 {sweep_items} }}\n" + QUICK + text)

    def start(self):
        run("systemctl", "reset-failed", "ibtrapd", good=(0, 1))
        run("systemctl", "start", "ibtrapd")
        return self

    def stop(self):
        run("systemctl", "stop", "ibtrapd", good=(0, 5))

    def status(self):
        """ibtrapctl's status; None: it does not answer."""
        done = subprocess.run(["ibtrapctl", "status", "--json"], capture_output=True, text=True, timeout=DEADLINE, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    @staticmethod
    def status_text():
        return run("ibtrapctl", "status")

    def wait_status(self, true, what, timeout=DEADLINE):
        def good():
            status = self.status()
            return status if status and true(status) else None

        try:
            return wait(good, what, timeout)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{run('ibtrapctl', 'status', good=range(256))}\n{self.log()[-4000:]}") from None

    def wait_subscribed(self, timeout=DEADLINE):
        """Waits until OpenSM has taken all subscriptions that need no SA key."""
        return self.wait_status(lambda status: subscribed(status) >= 13, "ibtrapd to subscribe", timeout)

    def wait_swept(self, nodes, timeout=DEADLINE):
        """Waits for a complete sweep that begins now and finds that many nodes."""
        before = (self.status() or {"sweep": {"sweeps": 0}})["sweep"].get("sweeps", 0)
        return self.wait_status(lambda status: status["sweep"]["sweeps"] > before + 1 and status["sweep"]["complete"]
                                and status["sweep"]["nodes"] == nodes, f"a sweep with {nodes} nodes", timeout)

    @staticmethod
    def log():
        return run("journalctl", "-u", "ibtrapd", "-o", "cat", "--no-pager", good=(0, 1))

    @staticmethod
    def events():
        """All events in the journal, oldest first."""
        return [json.loads(line) for line in run("ibtrapctl", "journal", "export").splitlines()]

    @staticmethod
    def pid():
        return int(prop("ibtrapd", "MainPID"))


def subscribed(status):
    return sum(one["state"] == "subscribed" for one in status["subscriptions"])


PORT = 10162


class TrapDaemon:
    """Debian's snmptrapd, which writes what it gets to a file."""

    path = pathlib.Path("/var/tmp/traps")

    def __init__(self):
        pathlib.Path("/var/tmp/snmptrapd.conf").write_text("authCommunity log public\n")
        self.path.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            ["snmptrapd", "-f", "-n", "-C", "-c", "/var/tmp/snmptrapd.conf", "-M", "/usr/share/snmp/mibs", "-m", "", "-On",
             "-Lf", self.path, f"udp:127.0.0.1:{PORT}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        wait(lambda: self.process.poll() is None and f":{PORT:04X} " in pathlib.Path("/proc/net/udp").read_text(), "snmptrapd to listen")

    config = f'snmp "manager" {{ address = "127.0.0.1:{PORT}" }}\n'

    def traps(self):
        return self.path.read_text(errors="replace") if self.path.exists() else ""

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(DEADLINE)


def install(version="1.0", *options):
    return run("dpkg", *options, "-i", OUTSIDE / f"{version}.deb")


WATCHDOG_OFF = pathlib.Path("/run/systemd/system/ibtrapd.service.d/no-watchdog.conf")


def without_watchdog():
    """It would end a gateway that is stopped for a minute."""
    WATCHDOG_OFF.parent.mkdir(parents=True, exist_ok=True)
    WATCHDOG_OFF.write_text("[Service]\nWatchdogSec=0\n")
    run("systemctl", "daemon-reload")


def with_watchdog():
    if WATCHDOG_OFF.exists():
        WATCHDOG_OFF.unlink()
        run("systemctl", "daemon-reload")


def kernel_log():
    return run("dmesg")


def words(text):
    return re.sub(r"\s+", " ", text)
