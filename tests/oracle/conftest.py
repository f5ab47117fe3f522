# SPDX-License-Identifier: BSD-2-Clause
"""Plays the trials of this folder's tests, some at a time, as they wait most of the time."""

import concurrent.futures
import multiprocessing
import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), *(str(TESTS / name) for name in ("receivers", "faults", "oracle"))]

from integration.conftest import pytest_collection_modifyitems, pytest_sessionstart  # noqa: E402, F401
from lab.processes import die_with_parent  # noqa: E402
from oracle.sites import Untrue  # noqa: E402

AT_ONCE = 4


@pytest.fixture(scope="session")
def trials(request):
    """What comes out of each test's trial: of the function `trial` of its module, with the test's one parameter."""
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(AT_ONCE, context, die_with_parent) as pool:
        yield {item.nodeid: pool.submit(item.module.trial, *item.callspec.params.values())
               for item in request.session.items if hasattr(item.module, "trial")}


@pytest.fixture
def outcome(trials, request):
    """Waits for the end of the test's trial, and fails as it did."""

    def wait():
        error = trials[request.node.nodeid].exception()
        if isinstance(error, Untrue):
            pytest.fail(str(error), pytrace=False)
        if error:
            raise error

    return wait
