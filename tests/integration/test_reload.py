# SPDX-License-Identifier: BSD-2-Clause
"""Reloads: a running gateway takes a new configuration completely or not at all, and loses or repeats no event."""

import json
import signal

import pytest
from lab import notices
from lab.gateway import section
from lab.processes import wait_until
from lab.receivers import SyslogSink

EVENT = "system-image-guid-change"


@pytest.fixture
def second():
    with SyslogSink() as receiver:
        yield receiver


def guids(receiver):
    return [int(one.data["systemImageGuid"], 0) for one in receiver.poll() if one.message_id == EVENT]


def wait_for_guid(receiver, guid):
    receiver.wait_for(lambda one: one.message_id == EVENT and int(one.data["systemImageGuid"], 0) == guid, f"{guid}")


def change(site, old, new):
    text = site.gateway.config.read_text()
    assert old in text
    site.gateway.config.write_text(text.replace(old, new))


def add(site, text):
    site.gateway.config.write_text(site.gateway.config.read_text() + text)


def report(site, client, guid):
    client.report(notices.system_image_guid_change(6, guid), site.gateway_lid)


def test_a_new_receiver_gets_what_comes_from_then_on(site, second):
    client = site.host("sm1")
    report(site, client, 1)
    wait_for_guid(site.syslog, 1)
    add(site, section("syslog", "second", transport="udp", address=second.address))
    site.gateway.control("reload")
    report(site, client, 2)
    wait_for_guid(second, 2)
    wait_for_guid(site.syslog, 2)
    assert guids(second) == [2] and guids(site.syslog) == [1, 2]


def test_a_receiver_that_is_gone_gets_nothing_more(site):
    client = site.host("sm1")
    text = site.gateway.config.read_text()
    start = text.index('syslog "udp0"')
    site.gateway.config.write_text(text[:start] + text[text.index("\n", start) + 1:])
    site.gateway.control("reload")
    report(site, client, 1)
    site.traps.wait_for(lambda one: one.oid.endswith(".3.2.0.6"), "the notification")
    assert guids(site.syslog) == []
    assert [one["name"] for one in site.gateway.status()["receivers"]][0] == "snmp0"


def alarms(site):
    return [one["key"] for one in json.loads(site.gateway.control("alarms", "--json").stdout)["alarms"]]


LATE = "gateway monitor receiver late"


@pytest.fixture
def failing(site):
    """The section of a receiver that raises an alarm: a file in a missing directory."""
    text = section("file", "late", path=site.gateway.directory / "away" / "late.json")
    add(site, text)
    site.gateway.control("reload")
    report(site, site.host("sm1"), 1)
    wait_until(lambda: LATE in alarms(site), "the alarm")
    return text


def wait_alarm_over(site, reason):
    site.gateway.wait_status(lambda _: True, "an answer")
    wait_until(lambda: LATE not in alarms(site), "the alarm to be over")
    told = site.syslog.wait_for(lambda one: one.message_id == "receiver-back" and "late" in one.text, "receiver-back")
    assert reason in told[0].text and len(told) == 1


def test_a_receiver_that_is_gone_leaves_no_alarm(site, failing):
    change(site, failing, "")
    site.gateway.control("reload")
    wait_alarm_over(site, "it is no longer configured")


def test_a_receiver_that_is_gone_at_the_next_start_leaves_no_alarm(site, failing):
    change(site, failing, "")
    site.gateway.stop()
    site.gateway.start()
    wait_alarm_over(site, "it is no longer configured")


@pytest.mark.parametrize("again", ["start", "reload"])
def test_a_receiver_that_works_from_its_next_beginning_is_back(site, failing, again):
    if again == "start":
        site.gateway.stop()
        (site.gateway.directory / "away").mkdir()
        site.gateway.start()
    else:
        (site.gateway.directory / "here").mkdir()
        change(site, "away/late.json", "here/late.json")
        site.gateway.control("reload")
    wait_alarm_over(site, "it takes events again")


def test_a_changed_receiver_goes_on_where_it_was_under_load(site):
    """The receiver is changed five times while Reports arrive all the time."""
    client, count = site.host("sm1"), 1000
    for guid in range(1, count + 1):
        report(site, client, guid)
        if guid % 200 == 0:
            severity = "debug" if guid % 400 else "informational"
            text = site.gateway.config.read_text().splitlines()
            text = [f'syslog "udp0" {{ transport = "udp" address = "{site.syslog.address}" severity = "{severity}" rate = 0 }}'
                    if line.startswith('syslog "udp0"') else line for line in text]
            site.gateway.config.write_text("\n".join(text) + "\n")
            site.gateway.control("reload")
    wait_for_guid(site.syslog, count)
    assert guids(site.syslog) == list(range(1, count + 1))


def test_a_wrong_configuration_changes_nothing(site):
    add(site, 'syslog "broken" { transport = "pigeon" }\n')
    refused = site.gateway.control("reload", check=False)
    assert refused.returncode == 1
    assert "pigeon" in refused.stderr and "ibtrapd.conf:" in refused.stderr
    client = site.host("sm1")
    report(site, client, 1)
    wait_for_guid(site.syslog, 1)
    assert "was not reloaded" in site.gateway.log


def test_a_configuration_that_is_gone_changes_nothing(site):
    site.gateway.config.unlink()
    assert "No such file" in site.gateway.control("reload", check=False).stderr
    report(site, site.host("sm1"), 1)
    wait_for_guid(site.syslog, 1)


def test_the_file_in_force_is_logged(site):
    site.gateway.control("reload")
    assert site.gateway.log.count(f"the configuration is {site.gateway.config}") == 2


def test_what_waits_for_a_restart_is_said(site):
    change(site, "verify_interval = 2", "verify_interval = 3")
    assert "verify_interval" in site.gateway.control("reload").stdout
    assert "wait for a restart" in site.gateway.log


def test_a_signal_reloads_too_and_names_change(site, tmp_path):
    names = tmp_path / "names.map"
    names.write_text('0x0002c90200c10000 "the-first-leaf"\n')
    change(site, "fabric { ", f'fabric {{ node_name_map = "{names}" ')
    site.gateway.process.popen.send_signal(signal.SIGHUP)
    site.gateway.wait_status(lambda _: "was reloaded" in site.gateway.log, "the reload")
    site.fabric.unlink("leaf1", 12)
    site.syslog.wait_for(lambda one: one.message_id == "link-state-change" and "the-first-leaf" in one.text, "the name")
