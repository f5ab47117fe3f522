# SPDX-License-Identifier: BSD-2-Clause
"""Reloads: a running gateway takes a new configuration completely or not at all, and loses or repeats no event."""

import json
import os
import re
import select
import signal
import socket
import subprocess

import pytest
from lab import notices
from lab.gateway import IBTRAPCTL, check_config, section
from lab.processes import DEADLINE, wait_until
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


def test_a_receiver_is_untried_until_something_reached_it(site, second):
    assert state_of(site, "udp0")["state"] == "working"
    add(site, second_section(second, events=[EVENT]))
    site.gateway.control("reload")
    assert state_of(site, "second")["state"] == "untried"
    assert re.search(r"^second .* untried ", site.gateway.control("status").stdout, re.MULTILINE)
    site.host("node1").trap(notices.capability_change(6, 1))
    site.message("capability-change")
    wait_until(lambda: state_of(site, "second")["filtered"] > 0, "another event")
    assert state_of(site, "second")["state"] == "untried"
    report(site, site.host("sm1"), 2)
    wait_for_guid(second, 2)
    wait_until(lambda: state_of(site, "second")["state"] == "working", "the state")
    site.gateway.control("reload")
    assert state_of(site, "second")["state"] == "working"


# Names.


def remove(site, text):
    """Takes a receiver's section out of the configuration, and returns what the reload says."""
    change(site, text, "")
    return site.gateway.control("reload").stdout


def insert(site, text):
    add(site, text)
    return site.gateway.control("reload").stdout


def words(output):
    """The output without its line breaks."""
    return " ".join(output.split())


def second_section(second, **items):
    return section("syslog", "second", transport="udp", address=second.address, **items)


@pytest.fixture
def away(site, second):
    """A second receiver got Report 1 and is gone; then came Report 2, which the first one has."""
    insert(site, second_section(second))
    report(site, site.host("sm1"), 1)
    wait_for_guid(second, 1)
    wait_until(lambda: state_of(site, "second")["queued"] == 0, "the cursor")
    assert "receiver second is gone" in words(remove(site, second_section(second)))
    report(site, site.host("sm1"), 2)
    wait_for_guid(site.syslog, 2)


def state_of(site, name):
    [one] = [one for one in listed(site)["receivers"] if one["name"] == name]
    return one


def listed(site):
    return json.loads(site.gateway.control("receivers", "--json").stdout)


def restart(site, configure):
    site.gateway.stop()
    configure(site)
    site.gateway.start()
    site.gateway.wait_status(lambda status: status["port"]["lid"] != 0, "the port to be up")


def report_3(site, second):
    report(site, site.host("sm1"), 3)
    wait_for_guid(second, 3)


def test_a_name_that_comes_back_gets_what_comes_from_then_on(site, second, away):
    told = words(insert(site, second_section(second)))
    assert re.search(r"receiver second was gone since \S+Z and begins with new events: of \d+ events? from before", told)
    assert told in words(site.gateway.log)
    report_3(site, second)
    assert guids(second) == [1, 3]


def test_a_name_that_comes_back_for_its_backlog_gets_all(site, second, away):
    told = words(insert(site, second_section(second, start="backlog")))
    assert re.search(r"receiver second was gone since \S+Z and goes on where it stopped: \d+ events? waited", told)
    report_3(site, second)
    assert guids(second) == [1, 2, 3]


def test_a_name_that_was_gone_is_so_after_a_start_too(site, second, away):
    restart(site, lambda site: None)
    restart(site, lambda site: add(site, second_section(second)))
    assert "receiver second was gone since" in site.gateway.log
    report_3(site, second)
    assert guids(second) == [1, 3]


def test_a_name_that_only_a_start_finds_gone_is_told(site, second):
    insert(site, second_section(second))
    site.gateway.control("receivers", "pause", "second")
    report(site, site.host("sm1"), 1)
    wait_for_guid(site.syslog, 1)
    restart(site, lambda site: change(site, second_section(second), ""))
    assert re.search(r"receiver second is gone, and \d+ events? that waited for it will not be sent", site.gateway.log)
    restart(site, lambda site: add(site, second_section(second)))
    report_3(site, second)
    assert guids(second) == [3]


def test_another_name_keeps_backlog_and_pause(site, second):
    insert(site, second_section(second))
    site.gateway.control("receivers", "pause", "second")
    for guid in (1, 2):
        report(site, site.host("sm1"), guid)
    wait_for_guid(site.syslog, 2)
    change(site, 'syslog "second"', 'syslog "third"')
    told = words(site.gateway.control("reload").stdout)
    assert re.fullmatch(r"receiver second is called third now and goes on where it was: \d+ events waited for it", told)
    assert state_of(site, "third")["state"] == "paused" and listed(site)["gone"] == []
    assert guids(second) == []
    site.gateway.control("receivers", "resume", "third")
    report_3(site, second)
    assert guids(second) == [1, 2, 3]


def test_a_start_finds_another_name_too(site, second):
    insert(site, second_section(second))
    site.gateway.control("receivers", "pause", "second")
    report(site, site.host("sm1"), 1)
    wait_for_guid(site.syslog, 1)
    restart(site, lambda site: change(site, 'syslog "second"', 'syslog "third"'))
    assert re.search(r"receiver second is called third now and goes on where it was: \d+ events? waited", site.gateway.log)
    wait_for_guid(second, 1)
    assert listed(site)["gone"] == []


def test_another_name_is_on_disk_when_the_reload_answers(site, second):
    insert(site, second_section(second))
    site.gateway.control("receivers", "pause", "second")
    report(site, site.host("sm1"), 1)
    wait_for_guid(site.syslog, 1)
    change(site, 'syslog "second"', 'syslog "third"')
    site.gateway.control("reload")
    site.gateway.kill()
    site.gateway.start()
    wait_for_guid(second, 1)


def test_a_pause_goes_on_when_a_reload_changes_the_receiver(site, second):
    insert(site, second_section(second))
    site.gateway.control("receivers", "pause", "second")
    report(site, site.host("sm1"), 1)
    wait_for_guid(site.syslog, 1)
    change(site, second_section(second), second_section(second, rate=500))
    told = words(site.gateway.control("reload").stdout)
    assert re.fullmatch(r"receiver second has changed and goes on where it was: \d+ events? waited for it", told)
    report(site, site.host("sm1"), 2)
    wait_for_guid(site.syslog, 2)
    assert state_of(site, "second")["state"] == "paused" and guids(second) == []
    site.gateway.control("receivers", "resume", "second")
    wait_for_guid(second, 2)
    assert guids(second) == [1, 2]


def test_who_is_gone_is_listed_and_can_be_forgotten(site, second, away):
    in_use = site.gateway.control("receivers", "forget", "udp0", check=False)
    assert in_use.returncode == 1 and "in use" in in_use.stderr
    unknown = site.gateway.control("receivers", "forget", "nobody", check=False)
    assert unknown.returncode == 1 and "no receiver of that name is gone" in unknown.stderr
    [gone] = listed(site)["gone"]
    assert gone["name"] == "second" and gone["queued"] > 0
    assert f"gone since {gone['since'][:19]}Z: second" in site.gateway.control("receivers").stdout
    site.gateway.control("receivers", "forget", "second")
    assert listed(site)["gone"] == []
    assert insert(site, second_section(second, start="backlog")) == ""
    report_3(site, second)
    assert guids(second) == [1, 3]


def test_a_reload_without_a_backlog_says_nothing(site, second):
    assert insert(site, second_section(second)) == ""
    assert site.gateway.control("reload").stdout == ""


NAMES, AT_ONCE = 300, 20


def test_three_hundred_names_over_a_life(site, second):
    """Receivers come and go under new names; one stays and gets every event."""
    client = site.host("sm1")
    insert(site, second_section(second))
    base, others = site.gateway.config.read_text(), len(listed(site)["receivers"])
    for first in range(0, NAMES, AT_ONCE):
        site.gateway.config.write_text(base + "".join(
            section("file", f"file{n}", path=site.gateway.directory / f"{n}.json") for n in range(first, first + AT_ONCE)))
        site.gateway.control("reload")
        report(site, client, first // AT_ONCE + 1)
    restart(site, lambda site: None)
    report(site, client, NAMES)
    wait_for_guid(second, NAMES)
    assert guids(second) == [*range(1, NAMES // AT_ONCE + 1), NAMES]
    assert len(listed(site)["receivers"]) == others + AT_ONCE and len(listed(site)["gone"]) == NAMES - AT_ONCE


def alarms(site):
    return [one["key"] for one in site.gateway.listed_alarms("--all")]


LATE = "gateway monitor receiver late"


@pytest.fixture
def failing(site):
    """The section of a receiver that raises an alarm: a file in a directory that is gone."""
    (site.gateway.directory / "away").mkdir()
    text = section("file", "late", path=site.gateway.directory / "away" / "late.json")
    add(site, text)
    site.gateway.control("reload")
    (site.gateway.directory / "away").rmdir()
    report(site, site.host("sm1"), 1)
    wait_until(lambda: LATE in alarms(site), "the alarm")
    return text


def wait_alarm_over(site, reason, event="receiver-back"):
    site.gateway.wait_status(lambda _: True, "an answer")
    wait_until(lambda: LATE not in alarms(site), "the alarm to be over")
    told = site.syslog.wait_for(lambda one: one.message_id == event and "late" in one.text, event)
    assert reason in told[0].text and len(told) == 1


def test_a_receiver_that_is_gone_leaves_no_alarm(site, failing):
    change(site, failing, "")
    site.gateway.control("reload")
    wait_alarm_over(site, "receiver late is no longer configured", "alarm-cleared")


def test_a_receiver_that_is_gone_at_the_next_start_leaves_no_alarm(site, failing):
    change(site, failing, "")
    site.gateway.stop()
    site.gateway.start()
    wait_alarm_over(site, "receiver late is no longer configured", "alarm-cleared")


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


def test_systemd_gets_the_reason_of_a_refusal_once(site):
    """In ExecReload=, ibtrapctl writes to the journal that has the line of ibtrapd."""
    add(site, 'sweep { intervall = 10 }\n')
    path = site.gateway.directory / "journal"
    for pid, told in (("1", False), (None, True)):
        with open(path, "wb") as journal:
            status = os.fstat(journal.fileno())
            environment = os.environ | {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
            environment |= {"MAINPID": pid} if pid else {}
            done = subprocess.run([IBTRAPCTL, "--socket", site.gateway.socket, "reload"], env=environment, stderr=journal,
                                  timeout=DEADLINE, check=False)
        assert done.returncode == 1
        assert "ibtrapctl: " in path.read_text() and ("'intervall'" in path.read_text()) == told


def test_a_refused_reload_is_seen_until_one_is_accepted(site):
    good = site.gateway.config.read_text()
    assert site.gateway.status()["reload"] is None
    add(site, 'sweep { intervall = 10 }\n')
    site.gateway.process.popen.send_signal(signal.SIGHUP)  # nobody gets an answer
    refused = site.gateway.wait_status(lambda one: one["reload"], "the reload to be refused")["reload"]
    assert "item 'intervall': there is no such item here" in refused["reason"]
    shown = site.gateway.control("status").stdout
    assert f"Reload   REFUSED {refused['refused'][:19]}Z; the former configuration is in force:" in shown
    assert "'intervall'" in shown
    site.gateway.config.write_text(good)
    site.gateway.control("reload")
    assert site.gateway.status()["reload"] is None
    assert "REFUSED" not in site.gateway.control("status").stdout


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


class Mute:
    """Takes connections and octets, and answers nothing."""

    def __enter__(self):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listening.getsockname()[1]
        return self

    def __exit__(self, *_):
        self.listening.close()


def ask(site, command):
    """Sends a command, and leaves the answer to the caller."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(DEADLINE)
    client.connect(str(site.gateway.socket))
    client.sendall(json.dumps({"version": 1, "command": command}).encode() + b"\n")
    return client


def answer(client):
    with client.makefile() as lines:
        return json.loads(lines.readline())


def is_answered(client):
    return select.select([client], [], [], 0)[0] != []


@pytest.fixture
def ending(site):
    """A reload that waits for a receiver: it is to end, and waits for an answer of its peer."""
    with Mute() as mute:
        text = section("syslog", "mute", transport="relp", address=mute.address)
        add(site, text)
        site.gateway.control("reload")
        site.gateway.control("log", "debug", "daemon")
        report(site, site.host("sm1"), 1)
        wait_for_guid(site.syslog, 1)
        site.gateway.wait_status(lambda _: site.gateway.receiver("mute")["queued"] > 0, "an event to wait")
        change(site, text, text.replace("relp", "tcp"))
        with ask(site, "reload") as client:
            site.gateway.wait_status(lambda _: "the pipeline has the new policies" in site.gateway.log, "the exchange")
            yield client


def test_clients_and_reports_get_answers_while_a_receiver_ends(site, ending):
    report(site, site.host("sm1"), 2)
    wait_for_guid(site.syslog, 2)
    assert {one["name"] for one in site.gateway.status()["receivers"]} >= {"mute"}
    assert not is_answered(ending)
    assert "receiver mute has changed and goes on where it was" in answer(ending)["backlogs"][0]


def test_a_receiver_that_is_paused_as_it_ends_has_a_paused_successor(site, ending):
    site.gateway.control("receivers", "pause", "mute")
    assert not is_answered(ending)
    assert "error" not in answer(ending)
    assert site.gateway.receiver("mute")["state"] == "paused"


def test_reloads_come_one_after_the_other(site, second, ending):
    """A signal and a client ask for one while another is under way: both bring what is configured then."""
    add(site, section("syslog", "second", transport="udp", address=second.address))
    site.gateway.process.popen.send_signal(signal.SIGHUP)
    with ask(site, "reload") as client:
        site.gateway.status()
        assert not is_answered(ending) and not is_answered(client)
        assert "error" not in answer(ending) and "error" not in answer(client)
    site.gateway.wait_status(lambda _: site.gateway.log.count("the configuration was reloaded") == 4, "all reloads")
    assert site.gateway.receiver("second")


def test_a_stop_lets_a_reload_end(site, ending):
    with ask(site, "reload") as client:
        site.gateway.status()
        assert not is_answered(ending)
        assert site.gateway.stop() == 0
        assert "error" not in answer(ending)
        assert answer(client)["error"] == "ibtrapd stops; this request was not begun: ask again"
    assert site.gateway.log.index("the pipeline has the new policies") < site.gateway.log.index("stopping: signal TERM")


def test_patterns_that_fit_no_node_are_warned_of(open_site, second):
    """By a reload, and by a check before it: the check reads the newest snapshot in the journal."""
    site = open_site(sweep={"method": "smp", "interval": 3600, "settle": 300})
    site.gateway.wait_status(lambda one: one["sweep"]["complete"] and one["sweep"]["nodes"] == 8, "a sweep")
    add(site, section("syslog", "second", transport="udp", address=second.address, nodes=["leaf*", "laef1"],
                      guids=["0x0002c90300b10000", "0x00000000000000ff"]))
    add(site, section("policy", "new", nodes=["node9*"], enabled=False))
    text = site.gateway.config.read_text()

    def found(output):
        return re.findall(r"""(\w+ "\w+": item '\w+' has "[^"]*"), which fits no node of the fabric""", output)

    expected = ["""receiver "second": item 'nodes' has "laef1\"""",
                """receiver "second": item 'guids' has "0x00000000000000ff\"""", """policy "new": item 'nodes' has "node9*\""""]
    wait_until(lambda: found(check_config(text, site.fabric.directory)[1]) == expected, "the snapshot in the journal's file")
    assert found(site.gateway.control("reload").stdout) == expected
    assert found(site.gateway.log) == expected
