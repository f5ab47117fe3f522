# SPDX-License-Identifier: BSD-2-Clause
"""The root of the IBTRAPD-MIB: a site or a distribution builds with a root of its own."""

import re

from lab.fabric import BUILD

AS_SHIPPED = "1.3.6.1.4.1.8072.9999.9999.117"
OWN = re.search(r"^IBTRAPD_MIB_ROOT:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
OWN_IDS = tuple(map(int, OWN.split(".")))
SYSLOG_ELEMENT = f"ibtrapd@{OWN_IDS[6]}"  # RFC 5424: with the enterprise's number
