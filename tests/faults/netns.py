# SPDX-License-Identifier: BSD-2-Clause
"""A network namespace as a separate machine. Its cable can be pulled: then packets vanish without an error."""

import ctypes
import os
import secrets
import socket
import subprocess
import threading

import pytest

CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def _ip(*words):
    return subprocess.run(["ip", *words], check=False, capture_output=True, text=True)


class FarMachine:
    """A network namespace, reached over a pair of virtual interfaces."""

    def __init__(self):
        self.name = f"ibtrapd-{secrets.token_hex(3)}"
        self._near, self._far = f"{self.name[8:]}n", f"{self.name[8:]}f"
        net = secrets.randbelow(250 * 250)
        self._prefix = f"198.{18 + net % 2}.{net % 250}"
        self.near, self.address = f"{self._prefix}.1", f"{self._prefix}.2"  # of this machine and of that one

    def __enter__(self):
        made = _ip("netns", "add", self.name)
        if made.returncode != 0:
            pytest.skip(f"the kernel does not let us make a network namespace: {made.stderr.strip()}")
        for words in (
            f"link add {self._near} type veth peer name {self._far} netns {self.name}",
            f"addr add {self.near}/24 dev {self._near}",
            f"link set {self._near} up",
            f"-n {self.name} addr add {self.address}/24 dev {self._far}",
            f"-n {self.name} link set {self._far} up",
        ):
            done = _ip(*words.split())
            if done.returncode != 0:
                self.__exit__()
                pytest.skip(f"the kernel does not let us: ip {words}: {done.stderr.strip()}")
        return self

    def __exit__(self, *_):
        _ip("link", "del", self._near)
        _ip("netns", "del", self.name)

    def pull(self):
        """From now on packets to it vanish, because they go to a MAC address that does not exist. The link stays up."""
        _ip("neigh", "replace", self.address, "lladdr", "02:00:00:00:00:01", "dev", self._near, "nud", "permanent")

    def plug(self):
        _ip("neigh", "del", self.address, "dev", self._near)

    def listen(self, kind=socket.SOCK_STREAM):
        """A socket in the namespace, bound to its address."""
        made = []
        thread = threading.Thread(target=self._bind, args=(kind, made))
        thread.start()
        thread.join()
        return made[0]

    def _bind(self, kind, made):
        namespace = os.open(f"/run/netns/{self.name}", os.O_RDONLY)
        if _libc.setns(namespace, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        os.close(namespace)
        bound = socket.socket(socket.AF_INET, kind)
        bound.bind((self.address, 0))
        made.append(bound)
