# SPDX-License-Identifier: BSD-2-Clause
"""ibtrapctl with a running ibtrapd: the commands of an operator, and the output on a terminal."""

import contextlib
import json
import os
import pty
import pwd
import re
import signal
import socket
import subprocess
import termios

import pytest
from lab.gateway import EVERYTHING, IBTRAPCTL, section
from lab.processes import DEADLINE, wait_until
from lab.receivers import Snmptrapd
from lab.terminal import Terminal

SWEEP = {"method": "smp", "interval": 3600, "settle": 300}
COLUMNS = 100
COLOUR = re.compile(r"\033\[[0-9;]*m")
LINK = "link 0x0002c90200c10000/12-0x0002c90200c20000/12"


@pytest.fixture
def open_unlinked(open_site):
    """Brings up a site that knows the fabric, pulls a cable, and waits for all events of that."""

    def build(**options):
        return unlink(open_site(sweep=SWEEP, **options))

    return build


@pytest.fixture
def site(open_unlinked):
    return open_unlinked()


def unlink(opened):
    opened.gateway.wait_subscribed()
    opened.gateway.wait_nodes(8)
    opened.fabric.unlink("leaf1", 12)
    opened.message("link-state-change", count=2)
    opened.message("link-down")
    opened.gateway.wait_status(lambda one: one["journal"]["alarms"] == 1, "the alarm")
    return opened


def ask(site, *arguments):
    return json.loads(site.gateway.control(*arguments, "--json").stdout)


def events(site, *arguments):
    return ask(site, "events", *arguments)["events"]


def names(found):
    return [one["event"] for one in found]


def last_link_down(site):
    return events(site, "--event", "link-down")[-1]


def explain(site, event):
    """The explanation, after the event no longer waits for any receiver."""

    def settled():
        answer = ask(site, "explain", event)
        return answer if all(one["state"] != "waiting" for one in answer["receivers"]) else None

    return wait_until(settled, f"the receivers to have event {event}")


# Events.


def test_events_are_listed_oldest_first(site):
    found = events(site)
    assert found[0]["event"] == "gateway-started" and "link-down" in names(found)
    numbers = [one["number"] for one in found]
    assert numbers == list(range(1, len(found) + 1))
    told = {one.data["id"] for one in site.syslog.poll()}
    assert {one["id"] for one in found if one["event"] != "gateway-started"} <= told


def test_events_are_chosen(site):
    everything = events(site)
    down = last_link_down(site)
    assert events(site, "--limit", 1) == everything[-1:]
    assert set(names(events(site, "--severity", "warning"))) == {"link-down"}
    assert names(events(site, "--event", "gateway-*")) == ["gateway-started"]
    of_leaf2 = events(site, "--node", "leaf2")
    assert down in of_leaf2 and "gateway-started" not in names(of_leaf2)
    assert events(site, "--node", "0x0002c90200c20000") == of_leaf2
    place = everything.index(down)
    assert events(site, "--since", down["time"]) == everything[place:]
    assert events(site, "--until", down["time"]) == everything[: place + 1]
    assert events(site, "--since", "1h") == everything
    assert events(site, "--until", "1h") == []
    assert events(site, "--severity", "warning", "--event", "gateway-*") == []


def test_events_are_followed(site):
    command = [IBTRAPCTL, "--socket", site.gateway.socket, "events", "--follow", "--json", "--event", "link-*"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as follower:
        known = events(site, "--event", "link-*")
        assert [json.loads(follower.stdout.readline()) for _ in known] == known
        site.fabric.relink("leaf1", 12)
        came = [json.loads(follower.stdout.readline())]
        while came[-1]["event"] != "link-up":
            came.append(json.loads(follower.stdout.readline()))
        assert events(site, "--event", "link-*")[: len(known + came)] == known + came
        follower.kill()


# Alarms.


def test_an_alarm_is_acknowledged_shelved_and_cleared(site):
    control = site.gateway.control
    [alarm] = ask(site, "alarms")["alarms"]
    down = last_link_down(site)
    assert (alarm["key"], alarm["event"], alarm["severity"], alarm["count"]) == (LINK, "link-down", "warning", 1)
    assert (alarm["number"], alarm["id"], alarm["text"]) == (down["number"], down["id"], down["text"])
    assert alarm["acknowledged"] is None and alarm["shelved_until"] is None

    assert control("alarms", "acknowledge", LINK, "new cable ordered").stdout == f"The alarm {LINK} is acknowledged.\n"
    assert control("alarms", "shelve", down["number"], 60).stdout.startswith(f"The alarm {LINK} is shelved until 2")
    [alarm] = ask(site, "alarms")["alarms"]
    assert alarm["note"] == "new cable ordered" and alarm["acknowledged"] > alarm["raised"]
    assert alarm["shelved_until"] > alarm["acknowledged"]
    user = f"{pwd.getpwuid(os.geteuid()).pw_name} (uid {os.geteuid()})"
    assert (alarm["acknowledged_by"], alarm["shelved_by"]) == (user, user)
    assert (alarm["suppressed"], alarm["consequences"]) == (None, 0)
    assert control("alarms", "shelve", LINK, 0).stdout == f"The alarm {LINK} is shelved no longer.\n"
    assert ask(site, "alarms")["alarms"][0]["shelved_until"] is None

    site.fabric.relink("leaf1", 12)
    site.message("link-up")
    wait_until(lambda: ask(site, "alarms")["alarms"] == [], "the alarm to clear")
    assert control("alarms").stdout == "No alarm is active.\n"
    refused = control("alarms", "acknowledge", LINK, check=False)
    assert refused.returncode == 1 and "no such alarm is active" in refused.stderr


def test_an_alarm_is_cleared_by_hand(site):
    control = site.gateway.control
    [alarm] = ask(site, "alarms")["alarms"]
    for words in ([alarm["number"], ""], ["link", "no such key"], [alarm["number"] + 1, "no such number"]):
        refused = control("alarms", "clear", *words, check=False)
        assert refused.returncode == 1 and ("say why" in refused.stderr or "no such alarm" in refused.stderr)
    shown = control("alarms", "clear", alarm["number"], "the rack is gone.").stdout
    assert shown.startswith("The alarm is cleared.\n") and "goes missing again" in shown
    [message] = site.message("alarm-cleared")
    cleared = message.data
    assert (cleared["alarmKey"], cleared["clearsId"]) == (LINK, alarm["id"])
    user = pwd.getpwuid(os.geteuid()).pw_name
    assert cleared["reason"] == f"cleared by {user} (uid {os.geteuid()}): the rack is gone"
    assert ask(site, "alarms")["alarms"] == []
    refused = control("alarms", "clear", LINK, "again", check=False)
    assert refused.returncode == 1 and "no such alarm is active" in refused.stderr
    control("sweep", "now")  # which raises nothing: the link is forgotten until it has been up again
    site.fabric.relink("leaf1", 12)
    site.message("link-up")
    assert ask(site, "alarms")["alarms"] == []
    site.fabric.unlink("leaf1", 12)
    wait_until(lambda: [one["key"] for one in ask(site, "alarms")["alarms"]] == [LINK], "the link to be missed again")
    answer = ask(site, "alarms", "clear", LINK, "again")
    assert answer["key"] == LINK and "note" in answer


def test_what_people_did_with_an_alarm_survives_a_restart(site):
    site.gateway.control("alarms", "acknowledge", LINK, "seen")
    assert site.gateway.stop() == 0
    site.gateway.start()
    site.gateway.wait_status(lambda one: one["journal"]["alarms"] == 1, "the alarm to be there again")
    assert ask(site, "alarms")["alarms"][0]["note"] == "seen"


# Explanations.


def test_an_event_is_explained(site):
    down = last_link_down(site)
    answer = explain(site, down["number"])
    assert answer == ask(site, "explain", down["id"])
    assert answer["event"] == down and answer["suppressed"] == "" and answer["cause"] is None
    assert answer["related"]["event"] == "link-state-change"
    states = {one["name"]: one["state"] for one in answer["receivers"]}
    assert states["udp0"] == "sent" and states["snmp0"] == "sent"
    sent = {one["oid"] for one in answer["notifications"] if one["default"]}
    assert sent == {"1.3.6.1.3.2.2.1.0.1", "1.3.6.1.3.2.2.1.0.2"}

    cause = explain(site, answer["related"]["number"])
    raw = next(one.data["raw"] for one in site.syslog.poll() if one.data["id"] == cause["event"]["id"])
    assert cause["event"]["raw"] == raw
    [notification] = cause["notifications"]
    received = [one for one in site.traps.poll() if one.oid == notification["oid"]]
    told = {one["oid"]: one["value"] for one in notification["objects"]}
    assert told in [{one.oid: one.value for one in trap.varbinds} for trap in received]
    shown = site.gateway.control("explain", cause["number"]).stdout
    assert f"  0000  {raw[:64]}\n  0020  {raw[64:128]}\n" in shown


def test_only_what_is_confirmed_is_delivered(open_site, tmp_path):
    """snmptrapd confirms the inform, the disk the file; nobody confirms the rest."""
    with Snmptrapd(tmp_path) as manager:
        more = section("snmp", "informed", address=manager.address, inform=True)
        more += section("file", "kept", path=tmp_path / "kept") + section("file", "written", path=tmp_path / "w", sync=False)
        site = open_site(more=more)
        site.gateway.wait_subscribed()
        answer = ask(site, "test", "link-down")
        states = {one["name"]: one["state"] for one in answer["receivers"]}
        assert {name for name, state in states.items() if state == "delivered"} == {"informed", "kept"}
        assert {state for state in states.values()} == {"sent", "delivered"}
        counts = {one["name"]: (one["sent"], one["delivered"]) for one in ask(site, "receivers")["receivers"]}
        assert all(counts[name][1] is None for name in ("snmp0", "udp0", "written"))
        assert all(counts[name][1] == counts[name][0] > 0 for name in ("informed", "kept"))


def test_what_is_filtered_says_by_which_item(open_site):
    more = 'file "quiet" { path = "/dev/null" severity = "error" }\n'
    site = open_site(more=more)
    site.gateway.wait_subscribed()
    [quiet] = [one for one in explain(site, 1)["receivers"] if one["name"] == "quiet"]
    assert (quiet["state"], quiet["reason"]) == ("filtered", "severity")


def test_an_unknown_event_is_refused(site):
    for event in (4711, "0", "link-down", "01a1fd03-0547-763b-bd41-8a5721ba36bc"):
        refused = site.gateway.control("explain", event, check=False)
        assert refused.returncode == 1 and "the journal has no such event" in refused.stderr


# Tests.


def catalogue(site):
    return [one["event"] for one in ask(site, "catalogue")["events"]]


@pytest.mark.parametrize("policy", [EVERYTHING, ""], ids=["everything", "default"])
def test_every_event_can_be_tested(open_unlinked, policy):
    site = open_unlinked(policy=policy)
    before = ask(site, "alarms")
    for name in catalogue(site):
        answer = ask(site, "test", name)
        assert answer["event"]["event"] == name and answer["event"]["test"] is True
        assert answer["event"]["text"].startswith("[test] ")
        # The receivers of the lab get the event of each node instead.
        refused = {one["reason"] for one in answer["receivers"] if one["name"] in ("udp0", "snmp0") and one["reason"]}
        assert refused == ({"each_part"} if name in ("nodes-removed", "nodes-added") else set())
        messages = [one for one in site.syslog.poll() if one.data["id"] == answer["event"]["id"]]
        assert [(one.message_id, one.data["test"]) for one in messages] == ([] if refused else [(name, "true")])
        due = {one["oid"] for one in answer["notifications"] if one["default"]} if not refused else set()
        assert due <= {one.oid for one in site.traps.poll()}
        assert ask(site, "alarms") == before


def test_a_test_goes_to_the_receiver_that_was_named(site):
    site.syslog.clear()
    site.traps.clear()
    answer = ask(site, "test", "host-removed", "--receiver", "udp0")
    states = {one["name"]: (one["state"], one["reason"]) for one in answer["receivers"]}
    assert states["udp0"][0] == "sent"
    assert states["snmp0"] == ("filtered", "a test of another receiver")
    assert site.message("host-removed")[0].data["id"] == answer["event"]["id"]
    assert site.traps.poll() == []


def test_a_test_of_one_receiver_is_not_about_the_others(site):
    site.gateway.control("receivers", "pause", "snmp0")
    of_all = site.gateway.control("test", "host-removed", check=False)
    assert of_all.returncode == 1 and "receiver snmp0 has not got it: waiting, paused" in of_all.stderr
    answer = ask(site, "test", "host-removed", "--receiver", "udp0")  # the event follows one that waits for snmp0
    states = {one["name"]: one["state"] for one in answer["receivers"]}
    assert states["udp0"] == "sent" and states["snmp0"] == "waiting"


def test_a_test_is_about_the_node_that_was_named(site):
    of_leaf = ask(site, "test", "link-integrity-threshold", "--node", "leaf1")["event"]
    assert of_leaf["subjectName"] == "leaf1" and of_leaf["subjectLid"] == site.fabric.lid_of("leaf1")
    of_guid = ask(site, "test", "host-removed", "--node", f"0x{site.fabric.guid_of('node1'):016x}")["event"]
    assert of_guid["subjectName"] == "node1" and of_guid["peerName"] == "leaf1"


def test_a_test_that_cannot_be_is_refused(site):
    for arguments, why in ((["coffee-ready"], "'ibtrapctl catalogue' lists them"),
                           (["host-removde"], "there is no event 'host-removde'; did you mean 'host-removed'?"),
                           (["link-down", "--receiver", "x"], "no receiver"),
                           (["link-down", "--node", "leaf9"], "no node 'leaf9' is known")):
        refused = site.gateway.control("test", *arguments, check=False)
        assert refused.returncode == 1 and why in refused.stderr


# Receivers.


def receiver(site, name):
    return next(one for one in ask(site, "receivers")["receivers"] if one["name"] == name)


def test_a_receiver_is_paused_and_goes_on(site):
    control = site.gateway.control
    site.syslog.clear()
    assert control("receivers", "pause", "udp0").stdout == "The receiver udp0 is paused; its events wait.\n"
    assert receiver(site, "udp0")["state"] == "paused"
    tested = control("test", "gateway-started", check=False)
    assert tested.returncode == 1 and "receiver udp0 has not got it: waiting, paused" in tested.stderr
    assert receiver(site, "udp0")["queued"] == 1 and site.syslog.poll() == []
    control("receivers", "resume", "udp0")
    assert site.message("gateway-started")[0].data["test"] == "true"
    assert receiver(site, "udp0")["state"] == "working"


def test_a_wish_to_be_brought_into_line_outlives_a_kill(site):
    control = site.gateway.control
    site.fabric.relink("leaf1", 12)
    site.message("link-up")
    control("receivers", "pause", "udp0")
    assert control("receivers", "resync", "nobody", check=False).returncode == 1
    assert control("receivers", "resync", "udp0").stdout == "The receiver udp0 is sent the active alarms again.\n"
    site.gateway.kill()
    site.gateway.start()
    site.syslog.wait_for(lambda one: one.message_id == "link-up" and "Sent again: " in one.text, "the end, sent again")


def test_what_waits_for_a_receiver_is_given_up(site):
    control = site.gateway.control
    site.syslog.clear()
    control("receivers", "pause", "udp0")
    control("test", "gateway-started", check=False)
    number = events(site, "--limit", 1)[0]["number"]
    control("receivers", "flush", "udp0")
    control("receivers", "resume", "udp0")
    control("test", "gateway-stopped")
    [fate] = [one for one in explain(site, number)["receivers"] if one["name"] == "udp0"]
    assert fate["state"] == "given up"
    site.message("gateway-stopped")
    assert [one.message_id for one in site.syslog.poll()] == ["gateway-stopped"]


# Subscriptions.


def test_resubscribe_loses_nothing(site):
    before = len(events(site))
    site.gateway.control("resubscribe")
    wait_until(lambda: "subscribing again, as requested" in site.gateway.log, "the request to arrive")
    site.gateway.wait_subscribed()
    assert len(events(site)) == before


# On a terminal.


def test_the_log_tells_more_when_asked_and_less(site):
    site.gateway.control("log", "error")
    site.gateway.control("log", "debug", "ib")
    wrong = site.gateway.control("log", "loud", check=False)
    assert wrong.returncode == 1 and "error, warning, info, debug" in wrong.stderr
    assert site.gateway.control("log", "info", "attic", check=False).returncode == 1
    site.gateway.control("log", "error", "daemon")
    site.gateway.control("reload")  # the configuration's log levels apply again, so this line is logged
    assert "was reloaded" in site.gateway.log


def on_terminal(site, *arguments, columns=0, **environment):
    """Runs ibtrapctl at a pseudo terminal; returns the output and the exit status."""
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, columns))
    process = subprocess.Popen([IBTRAPCTL, "--socket", site.gateway.socket, *map(str, arguments)], stdout=follower,
                               stderr=follower, env={**os.environ, "TERM": "xterm", **environment})
    os.close(follower)
    written = b""
    try:
        while chunk := os.read(leader, 65536):
            written += chunk
    except OSError:  # Linux reports the end of a pseudo terminal this way
        pass
    os.close(leader)
    return written.decode().replace("\r\n", "\n"), process.wait(DEADLINE)


def commands(site):
    down = last_link_down(site)["number"]
    return [["status"], ["events"], ["alarms"], ["explain", 1], ["explain", down], ["explain", down - 1],
            ["test", "bad-pkey-at-switch"], ["test", "capability-change", "--node", "leaf1"],
            ["alarms", "acknowledge", down, "a note that is so long that it does not fit one line " * 3], ["alarms"],
            ["alarms", "shelve", down, 10], ["alarms", "clear", down, "it is gone"], ["receivers", "pause", "udp0"], ["receivers"], ["receivers", "flush", "udp0"],
            ["receivers", "resume", "udp0"], ["resubscribe"], ["sweep", "now"], ["catalogue"], ["topology", "list"],
            ["topology", "diff", 1, "now"], ["journal", "prune", 30]]


def test_every_command_fits_a_terminal(site):
    for command in commands(site):
        written, status = on_terminal(site, *command)
        assert status == 0, (command, written)
        for line in COLOUR.sub("", written).splitlines():
            assert len(line) <= COLUMNS, (command, line)
            assert line.isprintable(), (command, line)


def test_every_command_has_an_answer_in_json(site):
    for command in commands(site):
        written = site.gateway.control("--json", *command).stdout
        assert json.loads(written)["version"] == 1, (command, written)


@pytest.mark.parametrize("columns, longest", [(60, 60), (200, 100), (7, 40)])
def test_sentences_are_as_wide_as_the_terminal(site, columns, longest):
    number = last_link_down(site)["number"]
    site.gateway.control("alarms", "acknowledge", str(number), "a note that fits no line " * 10)
    written, status = on_terminal(site, "alarms", columns=columns)
    note = [line for line in COLOUR.sub("", written).splitlines() if line.startswith(12 * " ")]
    assert status == 0 and len(note) >= 3
    assert longest - len(" fits") <= max(len(line) for line in note) <= longest


def test_what_cannot_be_written_is_told(site):
    journal = ["--file", site.gateway.state / "journal.db", "journal"]
    last = events(site, "--limit", 1)[0]["number"]
    for command in (["status"], ["catalogue"], ["catalogue", "--json"], ["events"], ["events", "--json"],
                    ["events", "--follow"], ["explain", 1], ["explain", 1, "--json"], ["test", "link-down"], ["alarms"],
                    ["receivers"], ["topology"], ["topology", "list"], ["topology", "diff", 1, "now"],
                    ["maintenance", "list"], ["dry-run", site.gateway.config], [*journal, "check"], [*journal, "stats"],
                    [*journal, "stats", "--json"], [*journal, "export", last - 1], [*journal, "export"],
                    ["journal", "prune", 30], ["--help"], ["--version"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([IBTRAPCTL, "--socket", site.gateway.socket, *map(str, command)], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=DEADLINE, check=False)
        assert done.returncode == 1 and "cannot write" in done.stderr, command


def test_a_verdict_that_cannot_be_written_is_unknown(site):
    command = [IBTRAPCTL, "--socket", site.gateway.socket, "health", "gateway"]
    wait_until(lambda: subprocess.run(command, capture_output=True, timeout=DEADLINE, check=False).returncode == 0, "ok")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 3 and "cannot write" in done.stderr


def test_colours_are_for_terminals_only(site):
    assert "\033[33mwarning\033[0m" in on_terminal(site, "events")[0]
    assert "\033[33mwarning\033[0m" in on_terminal(site, "alarms")[0]
    assert "\033[32mworking\033[0m" in on_terminal(site, "receivers")[0]
    assert not COLOUR.search(on_terminal(site, "events", NO_COLOR="1")[0])
    assert not COLOUR.search(on_terminal(site, "events", TERM="dumb")[0])
    assert not COLOUR.search(on_terminal(site, "events", "--json")[0])
    assert not COLOUR.search(site.gateway.control("events").stdout)


def usage(*arguments, status=2):
    done = subprocess.run([IBTRAPCTL, "--socket", "/nonexistent", *arguments], capture_output=True, text=True,
                          timeout=DEADLINE, check=False)
    assert done.returncode == status
    return done


@pytest.mark.parametrize("arguments, said", [
    (["events", "--sinse", "1h"], "unrecognized option '--sinse'"), (["evants"], "no such command: evants"),
    (["status", "--since", "1h"], "status has no option --since"), (["events", "--limit", "0"], "must be from 1 to"),
    (["alarms", "ack", "4"], "no such command: alarms ack; did you mean 'alarms acknowledge'? there are: acknowledge, "),
    (["statsu"], "did you mean 'status'?"), (["alarms", "shelve", "4", "2x"], "Usage: ibtrapctl alarms shelve"),
    (["evants", "--help"], "no such command: evants"), (["explain"], "Usage: ibtrapctl explain N|ID|last"),
])
def test_a_mistake_is_the_last_thing_on_the_screen(arguments, said):
    done = usage(*arguments)
    assert said in done.stderr and "'ibtrapctl help" in done.stderr and done.stdout == ""
    assert len(done.stderr.splitlines()) <= 3


@pytest.mark.parametrize("arguments, command", [
    (["events", "--help"], "events [OPTION]..."), (["--help", "events"], "events [OPTION]..."),
    (["alarms", "shelve", "-h"], "alarms shelve ALARM MINUTES"), (["explain", "5", "--help"], "explain N|ID|last"),
])
def test_the_help_of_a_command_is_about_it(arguments, command):
    shown = usage(*arguments, status=0).stdout
    assert shown.startswith(f"Usage: ibtrapctl {command}\n") and shown.count("Usage: ") == 1
    assert usage("alarms", "--help", status=0).stdout == usage("help", "alarms", status=0).stdout
    assert len(usage("--help", status=0).stdout.splitlines()) > 40


@pytest.mark.parametrize("arguments", [
    ["explain"], ["explain", "1", "2"], ["test"], ["alarms", "shelve", "1"], ["alarms", "shelve", "1", "soon"],
    ["alarms", "clear", "1"],
    ["receivers", "pause"], ["events", "now"], ["events", "--since", "yesterday"], ["events", "--limit", "0"],
    ["events", "--limit", "10001"], ["events", "--receiver", "nms"], ["status", "--follow"],
    ["events", "--follow", "--until", "1h"], ["resubscribe", "now"],
])
def test_wrong_usage(arguments):
    done = subprocess.run([IBTRAPCTL, "--socket", "/nonexistent", *arguments], capture_output=True, text=True,
                          timeout=DEADLINE, check=False)
    assert done.returncode == 2 and "Usage: ibtrapctl " in done.stderr and done.stdout == ""


@pytest.mark.parametrize("arguments", [
    ["maintenance", "start", "work", "60", b"leaf-K\xf6ln"], ["maintenance", "start", b"w\xf6rk", "60"],
    ["maintenance", "stop", b"w\xf6rk"], ["events", "--node", b"K\xf6ln*"], ["events", "--event", b"\xf6*"],
    ["events", b"--severity=\xf6"], ["test", "link-down", "--receiver", b"K\xf6ln"],
    ["test", "link-down", "--node", b"K\xf6ln"], ["alarms", "acknowledge", "1", b"K\xf6ln"], [b"--node=\xf6", "events"],
])
def test_an_argument_that_is_not_utf8_is_refused(arguments):
    done = subprocess.run([IBTRAPCTL, "--socket", "/nonexistent", *arguments], capture_output=True, text=True,
                          timeout=DEADLINE, check=False)
    assert done.returncode == 2 and "' is not UTF-8; " in done.stderr and "\N{REPLACEMENT CHARACTER}" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [["events"], ["events", "--follow"], ["explain", "1"], ["test", "link-down"],
                                       ["alarms"], ["alarms", "shelve", "1", "1"], ["receivers"], ["resubscribe"],
                                       ["receivers", "flush", "nms"]])
def test_without_a_daemon_the_exit_status_says_so(arguments):
    done = subprocess.run([IBTRAPCTL, "--socket", "/nonexistent", *arguments], capture_output=True, text=True,
                          timeout=DEADLINE, check=False)
    assert done.returncode == 1 and "cannot reach ibtrapd" in done.stderr and done.stdout == ""


def test_a_daemon_that_accepts_nobody_is_not_waited_for(tmp_path):
    path = str(tmp_path / "control.sock")
    with socket.socket(socket.AF_UNIX) as listener, contextlib.ExitStack() as clients:
        listener.bind(path)
        listener.listen(0)
        while True:  # until the kernel lets nobody wait any more
            client = clients.enter_context(socket.socket(socket.AF_UNIX))
            client.setblocking(False)
            if client.connect_ex(path) != 0:
                break
        done = subprocess.run([IBTRAPCTL, "--socket", path, "health"], capture_output=True, text=True, timeout=DEADLINE,
                              check=False)
    assert done.returncode == 3
    assert done.stdout.startswith(f"gateway UNKNOWN: cannot reach ibtrapd on {path}: it accepts no client")


# What there is none of.


def test_an_event_or_a_node_that_nobody_knows_is_told(site):
    refused = site.gateway.control("events", "--event", "link-dwon", check=False)
    assert refused.returncode == 1 and "there is no event 'link-dwon'; did you mean 'link-down'?" in refused.stderr
    refused = site.gateway.control("events", "--event", "coffee-ready", check=False)
    assert "there is no event 'coffee-ready'; 'ibtrapctl catalogue' lists them" in refused.stderr
    said = site.gateway.control("events", "--node", "laef1").stdout
    assert said.startswith("No event fits, and no node laef1 is known now;")
    assert "no node 0x0002c90200ffffff is known now" in site.gateway.control("events", "--node", "0x0002c90200ffffff").stdout
    assert site.gateway.control("events", "--event", "bad-mkey").stdout == "No event fits.\n"
    assert site.gateway.control("events", "--node", "leaf*", "--event", "bad-mkey").stdout == "No event fits.\n"
    assert site.gateway.control("events", "--node", "0x0002c90200c1*", "--event", "bad-mkey").stdout == "No event fits.\n"
    assert events(site, "--node", "laef1") == []
    began = site.gateway.control("maintenance", "start", "work", "60", "laef1", "leaf*").stdout
    assert "no node that is known now fits laef1" in began and "fits leaf*" not in began


def test_the_last_event_is_explained_by_its_word(site):
    last = events(site, "--limit", 1)[0]
    assert explain(site, "last")["number"] == last["number"]


# Health.


def verdict(site, *arguments, code):
    done = site.gateway.control("health", *arguments, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def test_health_is_a_line_with_values_and_an_exit_status(site):
    line = verdict(site, code=1)
    assert re.fullmatch(r"fabric WARNING: [^;|]+; gateway OK: \d+ of 17 subscriptions, swept \d+ s ago, 3 receivers \| "
                        r"subscriptions=\d+;;;0;17 sweep_age=\d+s;;;0 receivers_failing=0;;;0;3 .*\n", line)
    assert " alarms_error=1;;;0" in line or " alarms_warning=1;;;0" in line
    assert verdict(site, "gateway", code=0).startswith("gateway OK: ")
    assert verdict(site, "fabric", code=1).startswith("fabric WARNING: ")
    assert site.gateway.control("status").stdout.startswith("Fabric   WARNING: ")
    answer = json.loads(verdict(site, "--json", code=1))
    assert (answer["state"], answer["worse"], answer["ready"], answer["gateway"]["findings"]) == ("warning", "fabric", True, [])
    assert answer["worst"] == ask(site, "alarms")["alarms"][0]["number"]
    assert sum(answer["alarms"].values()) == 1


def test_health_asks_for_alarms_on_request(site):
    assert verdict(site, "--severity", "warning", code=2).startswith("CRITICAL: 1 open alarm of severity warning or worse; fabric ")
    assert verdict(site, "--severity", "emergency", code=1).startswith("fabric WARNING: ")
    number = ask(site, "alarms")["alarms"][0]["number"]
    site.gateway.control("alarms", "acknowledge", str(number))
    assert verdict(site, "--severity", "warning", code=0).startswith("gateway OK: ")
    assert "no open alarm, 1 acknowledged" in verdict(site, code=0)


def test_a_dead_switch_is_one_line_with_what_follows(open_site):
    """Nodes, links and ports behind it are counted at their cause, in every view."""
    site = open_site(sweep=SWEEP)
    site.gateway.wait_subscribed()
    site.gateway.wait_nodes(8)
    site.fabric.unlink("leaf2")
    site.message("switch-removed")
    [cause] = wait_until(lambda: [one for one in ask(site, "alarms")["alarms"] if one["event"] == "switch-removed"], "the alarm")
    everything = ask(site, "alarms", "--all")["alarms"]
    assert len(everything) > 2, everything
    assert [one["number"] for one in ask(site, "alarms")["alarms"]] == [cause["number"]], everything
    assert cause["consequences"] == len(everything) - 1, everything
    assert {one["cause"] for one in everything if one["number"] != cause["number"]} == {cause["id"]}
    shown = site.gateway.control("alarms").stdout
    assert f"and {cause['consequences']} alarms that follow\n" in shown
    assert f", and {cause['consequences']} alarms that follow" in verdict(site, "fabric", code=2)
    assert ask(site, "alarms", "--node", "leaf2")["alarms"] == [cause]
    assert [one["number"] for one in ask(site, "alarms", "--node", cause["node"])["alarms"]] == [cause["number"]]
    assert ask(site, "alarms", "--severity", "critical")["alarms"] == []
    assert site.gateway.control("alarms", "--event", "link-inactive").stdout == "No active alarm fits.\n"


def test_health_warns_of_a_paused_receiver_and_of_a_refused_reload(site):
    site.gateway.control("receivers", "pause", "udp0")
    assert verdict(site, "gateway", code=1).startswith("gateway WARNING: receiver udp0 is paused | subscriptions=")
    site.gateway.config.write_text("sweep { intervall = 10 }\n")
    assert site.gateway.control("reload", check=False).returncode == 1
    assert "; the last reload was refused" in verdict(site, code=1)
    assert {one["state"] for one in json.loads(verdict(site, "--json", code=1))["gateway"]["findings"]} == {"warning"}


def test_a_gateway_that_does_not_run_is_critical(site, tmp_path):
    site.gateway.stop()
    assert verdict(site, code=2).startswith("gateway CRITICAL: cannot reach ibtrapd on ")
    assert json.loads(verdict(site, "--json", code=2))["state"] == "critical"
    done = subprocess.run([IBTRAPCTL, "--socket", tmp_path, "health"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:17]) == (2, "gateway CRITICAL:")


# Support.


def test_a_support_file_has_all_but_secrets(site, tmp_path):
    secret = "a-very-secret-community"
    with open(site.gateway.config, "a", encoding="ascii") as config:
        config.write(section("snmp", "secret", address=site.syslog.address, community=secret))
    site.gateway.control("reload")
    path = tmp_path / "support.txt"
    file = ["--file", site.gateway.state / "journal.db"]
    said = site.gateway.control("support", str(path), *file).stdout
    assert "read it before you pass it on" in said
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text()
    for part in ("System", "Adapters and ports", "Verdict", "Status", "Configuration, without secrets", "Alarms",
                 "Last events", "Fabric", "Journal", "Log"):
        assert f"\n==== {part} ====\n" in text
    for words in ("\nLinux ", "gateway OK: ", "\nPort     ibsim", 'snmp "secret" {', "# community is set, and not shown",
                  "link-down", '"leaf1"', "\nEvents     "):
        assert words in text, words
    assert secret not in text and text.isascii()
    again = site.gateway.control("support", str(path), check=False)
    assert again.returncode == 1 and "File exists" in again.stderr
    site.gateway.stop()
    late = site.gateway.control("support", str(tmp_path / "late.txt"), *file, check=False)
    assert late.returncode == 1 and "some of it could not be had" in late.stderr
    text = (tmp_path / "late.txt").read_text()
    assert "\ngateway CRITICAL: cannot reach ibtrapd" in text and "\nEvents     " in text


@contextlib.contextmanager
def silent(gateway):
    """The daemon does not answer."""
    gateway.process.popen.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        gateway.process.popen.send_signal(signal.SIGCONT)


def test_a_terminal_shows_that_an_answer_takes_long(site):
    with contextlib.ExitStack() as stack:
        with silent(site.gateway):
            terminal = Terminal([IBTRAPCTL, "--socket", site.gateway.socket, "dry-run", site.gateway.config], 24, 80)
            stack.callback(terminal.close)
            wait_until(lambda: any("waiting for ibtrapd: " in line for line in terminal.lines()), "the progress")
        wait_until(lambda: any("Receiver " in line for line in terminal.lines()), "the answer")
        assert not any("waiting" in line for line in terminal.lines())


def test_nothing_but_the_answer_is_written_elsewhere(site):
    command = [IBTRAPCTL, "--socket", site.gateway.socket, "status"]
    with silent(site.gateway):
        waiting = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(4)
    out, told = waiting.communicate(timeout=DEADLINE)
    assert waiting.returncode == 0 and out and told == ""


def test_a_daemon_that_never_answers_has_a_sentence(site):
    with silent(site.gateway):
        done = site.gateway.control("status", check=False)
    assert (done.returncode, done.stderr) == (1, "ibtrapctl: ibtrapd does not answer; look at its log\n")


def test_at_a_terminal_prune_waits_until_the_events_are_gone(site):
    journal = lambda: site.gateway.status()["journal"]
    wait_until(lambda: journal()["rows"] > 0, "events")
    assert site.gateway.control("journal", "prune", 0).stdout == \
        "ibtrapd deletes events older than 0 days that every receiver has.\n"
    site.gateway.wait_status(lambda one: not one["journal"]["pruning"], "the journal to be pruned")
    with contextlib.closing(Terminal([IBTRAPCTL, "--socket", site.gateway.socket, "journal", "prune", "0"], 24, 80)) as terminal:
        wait_until(lambda: "ibtrapd deleted the events older than 0 days that every receiver has." in terminal.lines(), "the end")
        assert not journal()["pruning"]
