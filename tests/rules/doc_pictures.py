#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the pictures in doc/pictures: doc_pictures.py DIRECTORY.

Those of terminals (tests/pictures/run.sh makes them) show what the programs and README.md say today: the
command, each step of the demonstration, the events of its steps, the sentence with which README.md begins, the
keys of `ibtrapctl watch`. An SVG has no script, loads nothing, and tells nothing about the machine that made it.
Prints what does not hold; exits with 1 then.
"""

import pathlib
import re
import sys
from xml.etree import ElementTree

TEXT = "{http://www.w3.org/2000/svg}text"
LARGEST = 100_000  # octets
ACTIVE = re.compile(r"<script|<foreignObject|\son\w+=|href=\"(?!#)|url\((?!#)|@import|<!DOCTYPE|<!ENTITY", re.IGNORECASE)
PLACES = re.compile(r"(?:^|[\s\"'>])/(?:tmp|home|root|work|build|var|run)/\S*")
COMMAND = re.compile(r"^\$ (.+)$")
KEYS = re.compile(r'"(up, down: select .*?)"')
AGAIN = "make it anew: tests/pictures/run.sh"


def words(texts):
    return " ".join(" ".join(texts).split())


def shown(picture):
    """Pairs of the column in pixels and the text, from above."""
    return [(float(text.get("x")), text.text) for text in ElementTree.parse(picture).iter(TEXT)]


def active_parts(picture):
    text = picture.read_text()
    if picture.stat().st_size > LARGEST:
        yield f"it has {picture.stat().st_size} octets, more than {LARGEST}"
    for pattern, what in ((ACTIVE, "runs or loads something"), (PLACES, "names a place of a machine")):
        if found := pattern.search(text):
            yield f"it {what}: {found[0].strip()}"


def stale_demo(top, picture):
    sys.path.insert(0, str(top / "tests"))
    from lab.demo import STEPS
    texts, readme = shown(picture), (top / "README.md").read_text()
    left, everything = words(text for x, text in texts if x == 0), words(text for _, text in texts)
    commands = [found[1] for _, text in texts if (found := COMMAND.match(text))]
    if not commands:
        yield "it shows no command"
    yield from (f"README.md does not have the command '{one}'" for one in commands if f"\n    {one}\n" not in readme)
    for step in STEPS:
        if step.told not in left:
            yield f"it does not show the step '{step.told}'"
        names = [one.event for one in step.expected] + step.held
        yield from (f"it does not show {name}" for name in sorted(set(names)) if name not in everything)
    quoted = re.search(r'people who act on it: "([^"]+)"', readme)
    if not quoted or words([quoted[1]]) not in everything:
        yield "it does not show the sentence with which README.md begins"
    if not everything.endswith("none missing."):
        yield "it does not end with 'none missing.'"


def stale_watch(top, picture):
    keys = KEYS.search((top / "gateway/ctl/watch_screen.c").read_text())
    everything = words(text for _, text in shown(picture))
    if not keys or words([keys[1]]) not in everything:
        yield "it does not show the keys that gateway/ctl/watch_screen.c has"
    for title in ("ALARMS", "RECEIVERS", "EVENTS"):
        if title not in everything:
            yield f"it does not show {title}"


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    pictures, found = top / "doc/pictures", []
    for picture in sorted(pictures.glob("*.svg")):
        found += [f"{picture}: {what}" for what in active_parts(picture)]
    for name, stale in (("demo.svg", stale_demo), ("watch.svg", stale_watch)):
        there = (pictures / name).exists()
        wrong = stale(top, pictures / name) if there else ["it is missing"]
        found += [f"{pictures / name}: {what}; {AGAIN}" for what in wrong]
    print("\n".join(found) or "the pictures agree with the programs and README.md")
    sys.exit(1 if found else 0)


main()
