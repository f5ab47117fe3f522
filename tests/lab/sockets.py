# SPDX-License-Identifier: BSD-2-Clause
"""The machine's sockets, as the kernel lists them."""

import contextlib
import errno
import fcntl
import os
import pathlib
import random
import socket
import tempfile

TCP_ESTABLISHED, TCP_SYN_SENT = "01", "02"
UNIX_LISTENS = "00010000"
UNIX_STREAM, UNIX_CONNECTED = "0001", "03"

FIRST_PORT, LAST_PORT = 10000, 65535
KINDS = [(family, host, kind) for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
         for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM)]


def _is_free(port, family, host, kind):
    try:
        with socket.socket(family, kind) as probe:
            probe.bind((host, port))
    except OSError as error:
        return error.errno != errno.EADDRINUSE  # another reason: the machine has no IPv6
    return True


def has_ipv6():
    """Whether the loopback has IPv6 on this machine."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def has_localhost():
    """Whether that name is known: a minimal root has no /etc/hosts."""
    try:
        return bool(socket.getaddrinfo("localhost", None, socket.AF_INET))
    except socket.gaierror:
        return False


RESERVED = []  # open files: their locks end with this process


def _reserve(port):
    """Whether no other test on this machine has reserved the port: tests run side by side, and a port is free until its
    program has started."""
    directory = pathlib.Path(tempfile.gettempdir()) / f"ibtrapd-ports-{os.getuid()}"
    directory.mkdir(exist_ok=True)
    file = open(directory / str(port), "a", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return False
    RESERVED.append(file)
    return True


def free_port():
    """A port of the loopback that no socket has, UDP or TCP, IPv4 or IPv6, and that no other test was given. It is
    outside the kernel's range of automatic ports, so that it stays free for the program under test."""
    low, high = map(int, pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    ports = [port for port in range(FIRST_PORT, LAST_PORT + 1) if not low <= port <= high]
    for port in random.sample(ports, len(ports)):
        if _reserve(port) and all(_is_free(port, *kind) for kind in KINDS):
            return port
    raise OSError(errno.EADDRINUSE, f"no port outside of {low} to {high} (ip_local_port_range) is free")


def _list(kind):
    return [line.split() for line in pathlib.Path(f"/proc/net/{kind}").read_text().splitlines()[1:]]


def tcp_to(address):
    """The inodes of the sockets that are connected, or are connecting, to an IPv4 address."""
    host, port = address.rsplit(":", 1)
    peer = "".join(f"{int(part):02X}" for part in reversed(host.split("."))) + f":{int(port):04X}"
    return {one[9] for one in _list("tcp") if one[2] == peer and one[3] in (TCP_ESTABLISHED, TCP_SYN_SENT)}


def _own(pid):
    found = set()
    for one in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found.add(os.readlink(one))
    return found


def unix_of(pid):
    """The inodes of the Unix stream sockets that a process connected to others, accepted or not."""
    own = _own(pid)
    # Only the listening side's end of a connection has a name.
    return {one[6] for one in _list("unix")
            if len(one) == 7 and one[4:6] == [UNIX_STREAM, UNIX_CONNECTED] and f"socket:[{one[6]}]" in own}


def unix_listens(path):
    """Whether a program listens at a Unix socket."""
    return any(one[3] == UNIX_LISTENS and one[7:] == [str(path)] for one in _list("unix"))
