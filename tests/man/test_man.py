"""The manual says what there is: items, options, commands, events."""

import json
import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["IBTRAPD_BUILD_DIR"])
PAGES = ["ibtrapd.8", "ibtrapctl.8", "ibtrapd.conf.5", "ibtrapd-events.7"]

# Whether other manuals are installed is no matter of ours.
ELSEWHERE = re.compile("referenced manual not found|outdated mandoc.db")


def page(name):
    return (BUILD / "config/man" / name).read_text()


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True,
                          timeout=60).stdout


@pytest.mark.parametrize("name", PAGES)
def test_mandoc_finds_nothing_wrong(name):
    done = subprocess.run(["mandoc", "-T", "lint", BUILD / "config/man" / name], capture_output=True, text=True,
                          timeout=60)
    found = [line for line in (done.stdout + done.stderr).splitlines() if not ELSEWHERE.search(line)]
    assert found == []


@pytest.mark.parametrize("name", PAGES)
def test_pages_show_what_they_should(name):
    shown = run("mandoc", "-T", "ascii", BUILD / "config/man" / name)
    assert "@CMAKE" not in shown and shown.count("\n") > 50


# In the parser an item is TEXT("name", default) or the like, and some come as a macro.
ITEM = re.compile(r'(?:(TEXT|NUMBER|CFG_BOOL)\("(\w+)", (?:"([^"]*)"|(\w+))|(LIST|UNSET_NUMBER|UNSET_BOOL)\("(\w+)"\)'
                  r'|(RECEIVER|TLS)_ITEMS\b)')


def items_in(text):
    """Of a part of the parser: name -> default or None. The names of macros begin with a dot."""
    items = {}
    for kind, name, words, value, _, listed, macro in ITEM.findall(text):
        if macro:
            items[f".{macro}"] = None
        elif listed:
            items[listed] = None
        elif kind == "TEXT":
            items[name] = f'"{words}"' if words else None
        else:
            items[name] = value.removeprefix("cfg_")
    return items


def items_of_the_parser():
    text = (SOURCE / "gateway/conf/conf.c").read_text()
    sections = {name: items_in(body) for name, body in
                re.findall(r"static cfg_opt_t (\w+)\[\] = \{(.*?)CFG_END\(\)\}", text, re.DOTALL) if name != "top"}
    for macro in "RECEIVER", "TLS":
        body = re.search(rf"#define {macro}_ITEMS.*?[^\\]\n", text, re.DOTALL).group()
        sections[f".{macro}"] = items_in(body.split("\n", 1)[1])
    return sections


def items_of_the_page():
    titles = {"Every receiver": ".RECEIVER", "TLS": ".TLS"}
    sections = {}
    for part in page("ibtrapd.conf.5").split("\n.Ss ")[1:]:
        title = part.split("\n", 1)[0]
        sections[titles.get(title, title.split()[0])] = {
            name: re.sub(r"Qq (\S+)", r'"\1"', value) if value else None
            for name, value in re.findall(r"^\.It Ic (\w+)(?: No = (.+))?$", part.split("\n.Sh ")[0], re.MULTILINE)}
    return sections


# What depends on the build or on the kind of receiver, and is said in words; 0 that means none.
IN_WORDS = {"directory", "socket", "rate", "burst"}


def test_every_item_of_the_configuration_has_its_place():
    parser, described = items_of_the_parser(), items_of_the_page()
    assert len(parser) > 8 and sum(map(len, parser.values())) > 50
    assert set(described) == set(parser)
    for section, items in parser.items():
        own = {name: default for name, default in items.items() if not name.startswith(".")}
        assert set(described[section]) == set(own), section
        for name, default in own.items():
            if name not in IN_WORDS:
                assert described[section][name] == default, f"{section} {name}"


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
    shown = re.findall(r"^  ([a-z]+(?: [a-z]+)*)(?: |$)", run(BUILD / "ibtrapctl", "--help"), re.MULTILINE)
    described = re.findall(r"^\.It Ic ([a-z]+(?: [a-z]+)*?)(?: (?:Op|Ar) .*)?$", page("ibtrapctl.8"), re.MULTILINE)
    assert described == shown and "status" in shown


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
