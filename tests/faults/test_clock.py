"""The clock is wrong, and is set while ibtrapd runs: nothing is lost, doubled, or put into another order."""

import pytest
from faults import FaultyGateway
from reports import Reporter, file_section, wait_port

HOUR = 3600 * 1000000
DAY = 24 * HOUR


@pytest.mark.parametrize("jump", [-HOUR, HOUR, -40 * DAY, 20 * DAY])
def test_the_clock_is_set(fabric, jump):
    fabric.subnet_manager().wait_master()
    output = fabric.directory / "events.json"
    gateway = fabric.keep(FaultyGateway(fabric, more=file_section(output)))
    wait_port(gateway)
    reporter = Reporter(fabric, gateway)
    reporter.send(20)
    gateway.faults.utc_us = jump
    reporter.send(20)
    reporter.wait_file(output)
    gateway.kill()
    gateway.start()  # with the clock as it is now
    wait_port(gateway)
    reporter.send(20)
    gateway.faults.utc_us = 0
    reporter.send(20)
    assert gateway.status()["journal"]["durable"]
    assert len([one for one in gateway.journal() if one["event"] == "system-image-guid-change"]) == 80
    gateway.wait_status(lambda status: all(one["queued"] == 0 for one in status["receivers"]), "the file to have all")
    assert gateway.stop() == 0
