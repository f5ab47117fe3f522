# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures of the tests with a real OpenSearch; see run.sh."""

import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "receivers"), str(TESTS / "opensearch")]

import server as opensearch  # noqa: E402
from lab.fabric import Fabric  # noqa: E402


@pytest.fixture
def fabric():
    with Fabric() as simulated:
        yield simulated


@pytest.fixture(scope="session")
def server():
    if not (opensearch.HOME / "lib").is_dir():
        pytest.skip("IBTRAPD_OPENSEARCH names no OpenSearch: use run.sh")
    with opensearch.OpenSearch() as running:
        yield running
