# SPDX-License-Identifier: BSD-2-Clause
"""The root of the IBTRAPD-MIB: a site or a distribution builds with a root of its own."""

import re

from lab.fabric import BUILD

OWN = re.search(r"^IBTRAPD_MIB_ROOT:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
OWN_IDS = tuple(map(int, OWN.split(".")))
