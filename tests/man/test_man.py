# SPDX-License-Identifier: BSD-2-Clause
"""The manual describes all items, options, commands and events."""

import json
import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["IBTRAPD_BUILD_DIR"])
PAGES = ["ibtrapd.8", "ibtrapctl.8", "ibtrapd.conf.5", "ibtrapd-events.7"]

# Ignored messages: other manuals may be missing; the page footer names ibtrapd and its version on purpose.
ELSEWHERE = re.compile("referenced manual not found|outdated mandoc.db|operating system explicitly specified")


def page(name):
    return (BUILD / "config/man" / name).read_text()


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True,
                          timeout=300).stdout


@pytest.mark.parametrize("name", PAGES)
def test_mandoc_finds_nothing_wrong(name):
    done = subprocess.run(["mandoc", "-T", "lint", BUILD / "config/man" / name], capture_output=True, text=True,
                          timeout=300)
    found = [line for line in (done.stdout + done.stderr).splitlines() if not ELSEWHERE.search(line)]
    assert found == []


@pytest.mark.parametrize("name", PAGES)
def test_pages_show_what_they_should(name):
    shown = run("mandoc", "-T", "ascii", BUILD / "config/man" / name)
    assert "@CMAKE" not in shown and shown.count("\n") > 50


def test_literals_are_shown_as_they_are_written():
    """A quotation mark ends an argument of mdoc."""
    shown = " ".join(re.sub(".\b", "", run("mandoc", "-T", "utf8", BUILD / "config/man/ibtrapd.conf.5")).split())
    assert '\N{LEFT SINGLE QUOTATION MARK}active = "with-master-sm"\N{RIGHT SINGLE QUOTATION MARK}' in shown
    for name in PAGES:
        assert not re.search(r'^\.\w+ "[^"\n]*"\w', page(name), re.MULTILINE), name


# The items and their defaults, from one schema, are in two pages and in the example.

def items_of_the_example():
    """Section -> item -> its value in the example, for items outside of comments."""
    sections, section = {}, None
    for line in (BUILD / "config/ibtrapd.conf").read_text().splitlines():
        opened = re.match(r'(?:# )?(\w+)(?: "[-\w]+")? \{$', line)
        item = re.match(r"(?:#     |    )(?:(# )|#)?(\w+) = (.+)$", line)
        if opened:
            section = sections.setdefault(opened.group(1), {})
        elif item:
            section.setdefault(item.group(2), None if item.group(1) else item.group(3))
    return sections


def items_of_the_page():
    sections = {}
    for part in page("ibtrapd.conf.5").split("\n.Ss ")[1:]:
        title = part.split("\n", 1)[0]
        sections[title if title in SHARED else title.split()[0]] = {
            name: re.sub(r"Qq (\S+)", r'"\1"', value) if value else None
            for name, value in re.findall(r"^\.It Ic (\w+)(?: No = (.+))?$", part.split("\n.Sh ")[0], re.MULTILINE)}
    return sections


# In the example, these items are only in the first section that has them.
SHARED = {"TLS": "snmp", "Every receiver": "snmp", "HTTP": "http"}

# The example shows another value than the default of these items.
SHOWN = {"enabled", "each_part", "inform", "address", "brokers", "url", "urls", "format", "path", "listen", "socket", "thresholds",
         "bit_error_rates", "fec_bit_error_rates", "fec_loss_rates", "error_rates"}


def test_every_item_of_the_configuration_has_its_place():
    example, described = items_of_the_example(), items_of_the_page()
    shared = {title: described.pop(title) for title in SHARED}
    assert set(described) == set(example) and len(described) > 15
    assert sum(map(len, described.values())) > 80
    for title, section in SHARED.items():
        described[section].update(shared[title])
    for section, items in example.items():
        own = {name: value for name, value in items.items() if section == "snmp" or name in described[section]}
        assert set(own) == set(described[section]), section
        for name, value in own.items():
            if name not in SHOWN:
                assert described[section][name] == value, f"{section} {name}"


def completed(value):
    """The words that bash completion offers for this kind of value of ibtrapctl."""
    return re.search(rf"^values {value} (.+)$", run(BUILD / "ibtrapctl", "completion"), re.MULTILINE)[1].split()


def test_the_folders_of_the_log_are_those_that_are_completed():
    levels = page("ibtrapd.conf.5").split(".It Ic levels")[1].split("There are ")[1].split(".\n")[0]
    assert completed("FOLDER") == levels.replace("\n", " ").replace(",", "").split()
    assert "sink" in completed("FOLDER")


@pytest.mark.parametrize("word, item", [("SEVERITY", "severity"), ("LEVEL", "level")])
def test_words_are_those_that_are_completed(word, item):
    described = page("ibtrapd.conf.5").split(f".It Ic {item} ")[1].split(".It ")[0]
    assert re.findall(r'^\.Ql "\\&(\w+)"', described, re.MULTILINE) == completed(word)


def long_options(text):
    return set(re.findall(r"--([a-z][-a-z]+)", text))


@pytest.mark.parametrize("program", ["ibtrapd", "ibtrapctl"])
def test_every_option_is_described(program):
    options = long_options(run(BUILD / program, "--help").replace("ibtrapd --instance", ""))
    described = set(re.findall(r"^\.It Fl (?:\w , )?-([-a-z]+)", page(f"{program}.8"), re.MULTILINE))
    assert described == options and "help" in options


@pytest.mark.parametrize("program", ["ibtrapd", "ibtrapctl"])
def test_help_fits_a_terminal(program):
    assert max(map(len, run(BUILD / program, "--help").splitlines())) <= 100


def test_every_command_is_described():
    shown = re.findall(r"^  ([-a-z]+(?: [-a-z]+)*)(?: |$)", run(BUILD / "ibtrapctl", "--help"), re.MULTILINE)
    described = re.findall(r"^\.It Ic ([-a-z]+(?: [-a-z]+)*?)(?: (?:Op|Ar) .*)?$", page("ibtrapctl.8"), re.MULTILINE)
    assert described == shown and "status" in shown and "dry-run" in shown


@pytest.mark.parametrize("unit", ["ibtrapd.service", "ibtrapd@.service"])
def test_the_directories_of_the_units_are_named(unit):
    places = {"Runtime": "/run", "State": "/var/lib", "Logs": "/var/log"}
    files = page("ibtrapd.8").split(".Sh FILES")[1].split(".Sh ")[0]
    found = re.findall(r"^(Runtime|State|Logs)Directory=(.+)$", (BUILD / "systemd" / unit).read_text(), re.MULTILINE)
    assert {kind for kind, _ in found} == set(places)
    for kind, name in found:
        assert f"{places[kind]}/{name.replace('%i', ' Ns Ar instance Ns ')}/" in files


def test_every_event_is_described():
    events = json.loads(run(BUILD / "ibtrapctl", "catalogue", "--json"))["events"]
    described = re.findall(r"^\.It Ic ([-a-z0-9]+)$", page("ibtrapd-events.7"), re.MULTILINE)
    assert described == [event["event"] for event in events] and len(described) > 20
    shown = " ".join(re.sub(".\b", "", run("mandoc", "-T", "ascii", BUILD / "config/man/ibtrapd-events.7")).split())
    missing = [event["event"] for event in events if event["remedy"].replace("'", "") not in shown.replace("'", "")]
    assert missing == []
