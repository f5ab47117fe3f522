# SPDX-License-Identifier: BSD-2-Clause
"""A receiver of the kind alertmanager alone, with a server of the tests."""

import contextlib
import subprocess

import pytest
from lab.alertmanager import FakeAlertmanager
from lab.fabric import BUILD
from lab.gateway import secret_file
from lab.processes import wait_until

PROGRAM = BUILD / "tests" / "receivers" / "send_alerts"
RENEW_MS = 50
EXPIRE = 4  # seconds: it posts every second

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="built without libcurl")


@contextlib.contextmanager
def one_alarm(peer, **options):
    """Keeps one alarm at the peer. No failure may come."""
    with subprocess.Popen([PROGRAM, f"urls={peer.url}", *(f"{name}={value}" for name, value in options.items())],
                          stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        yield
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 0 and not errors, errors


@pytest.fixture
def peer(tmp_path):
    with FakeAlertmanager(tmp_path) as one:
        yield one


def test_a_token_is_renewed_without_a_failure(peer, tmp_path):
    token = secret_file(tmp_path, "token", "old")
    with one_alarm(peer, token_file=token, renew=RENEW_MS, expire=EXPIRE):
        wait_until(lambda: len(peer.tokens) >= 2, "the alert to be posted twice")
        assert set(peer.tokens) == {"Bearer old"}
        token.write_text("new\n")
        wait_until(lambda: peer.tokens[-1] == "Bearer new", "a post with the new token")
        [alert] = peer.alerts()
        assert alert["labels"]["alarmkey"] == "link 1"
    assert peer.tokens == sorted(peer.tokens, reverse=True)  # "old" is behind "new"
    assert len({post["startsAt"] for batch in peer.posts for post in batch}) == 1
