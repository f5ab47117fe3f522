"""ibtrapd's log of itself: which folder's lines are written."""

import subprocess

import pytest
from lab.gateway import IBTRAPD, section
from lab.processes import DEADLINE, wait_until

STARTED = " info: ibtrapd "  # says daemon/
NO_PORT = " warning: no InfiniBand port found"  # says ib/


def log_of(tmp_path, levels, last):
    """What a gateway without a fabric writes until that line."""
    config, log = tmp_path / "ibtrapd.conf", tmp_path / "log"
    config.write_text(
        section("journal", directory=tmp_path / "state")
        + section("control", socket=tmp_path / "sock")
        + section("file", "events", path=tmp_path / "events")
        + f'log {{ level = "error" levels = {levels} }}\n'
    )
    with open(log, "w", encoding="utf-8") as stream:
        process = subprocess.Popen([IBTRAPD, "--config", config], stderr=stream)
    try:
        wait_until(lambda: last in log.read_text(), f"'{last}' in the log")
    finally:
        process.terminate()
        assert process.wait(DEADLINE) == 0
    return log.read_text()


@pytest.mark.parametrize("levels, there, missing", [('{"daemon=info"}', STARTED, NO_PORT),
                                                    ('{"ib=warning"}', NO_PORT, STARTED)])
def test_folders_have_levels(tmp_path, levels, there, missing):
    log = log_of(tmp_path, levels, there)
    assert missing not in log
