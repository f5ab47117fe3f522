# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures shared with the integration tests: a fabric, a subnet manager, a gateway, receivers."""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "receivers"), str(TESTS / "faults")]

from integration.conftest import (  # noqa: E402, F401
    fabric, open_site, paired_site, pytest_collection_modifyitems, pytest_sessionstart, site, syslog, traps)
