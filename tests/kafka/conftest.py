# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures of the tests with a real Kafka; see run.sh."""

import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "receivers"), str(TESTS / "kafka")]

import broker as kafka  # noqa: E402
from lab.fabric import Fabric  # noqa: E402


@pytest.fixture
def fabric():
    with Fabric() as simulated:
        yield simulated


@pytest.fixture
def broker(tmp_path):
    if not (kafka.HOME / "libs").is_dir():
        pytest.skip("IBTRAPD_KAFKA names no Kafka: use run.sh")
    with kafka.Broker(tmp_path) as running:
        yield running
