# SPDX-License-Identifier: BSD-2-Clause
"""Makes the machine fail for one program, with failures.c."""

import mmap
import struct

from lab.fabric import BUILD
from lab.gateway import Gateway

LIBRARY = BUILD / "tests" / "faults" / "libfailures.so"

# In the order of failures.c.
NAMES = ["write_errno", "sync_errno", "sync_us", "utc_us", "thread", "allocation", "address", "allocations",
         "whose", "hangs", "kill_at", "kill_kind", "kill_when", "reads_hang", "hung"]
KINDS = ["none", "write", "sync", "name", "answer"]
WHENS = ["before", "after", "inside"]


# The libraries whose allocations may fail, besides the program's (0). libssl allocates through libcrypto.
LIBRARIES = ["", "libnetsnmp", "libcrypto", "libevent", "libsqlite3", "libjansson"]


class Faults:
    """Each name is an attribute, a number; 0: no failure."""

    def __init__(self, directory):
        path = directory / "faults"
        path.write_bytes(bytes(8 * len(NAMES)))
        self.__dict__["path"] = path
        with open(path, "r+b") as file:
            self.__dict__["page"] = mmap.mmap(file.fileno(), 8 * len(NAMES))

    def __setattr__(self, name, value):
        struct.pack_into("q", self.page, 8 * NAMES.index(name), value)

    def __getattr__(self, name):
        return struct.unpack_from("q", self.page, 8 * NAMES.index(name))[0]


    def arm(self, kind, when, nth):
        """The n-th point of that kind from now on kills the program: before the call, after it, or halfway."""
        self.kill_at = 0
        self.kill_kind, self.kill_when = KINDS.index(kind), WHENS.index(when)
        self.kill_at = nth


class FaultyGateway(Gateway):
    """ibtrapd on a machine that fails. The failing disk is the one with the journal."""

    def __init__(self, fabric, **options):
        super().__init__(fabric, **options)
        self.faults = Faults(fabric.directory)

    def _environment(self):
        environment = super()._environment()
        preload = f"{LIBRARY}:{environment['LD_PRELOAD']}"
        return environment | {"LD_PRELOAD": preload, "FAULTS": str(self.faults.path), "FAULTS_DISK": str(self.state)}


