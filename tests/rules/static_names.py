#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that no two static functions of gateway/ have the same name: so a name in a profile, a backtrace
or a breakpoint means one function. In the folders of BY_NOUN a name also begins with the noun of its file, which
is the file's name or its first word, in the singular or plural, or the name of a struct that the file or its header
defines.

Prints each name that two files define or that lacks the noun; exits with 1 then. The script also finds functions
that a macro defines if the macro's text has the full name.
"""

import collections
import pathlib
import re
import sys

DEFINITION = re.compile(r"^static\s+(?:[\w\s*]+?[\s*])(\w+)\(", re.MULTILINE)

BY_NOUN = frozenset([
    "agent",
    "agentx",
    "base",
    "conf",
    "control",
    "ctl",
    "daemon",
    "event",
    "health",
    "http",
    "ib",
    "journal",
    "kafka",
    "metrics",
    "model",
    "picture",
    "pipeline",
    "policy",
    "sink",
    "smlog",
    "tables",
    "topology",
    "web",
])
STRUCT = re.compile(r"^struct (\w+) \{", re.MULTILINE)


def nouns_of(source):
    header = source.with_suffix(".h")
    text = source.read_text() + (header.read_text() if header.exists() else "")
    return {source.stem, source.stem.rstrip("s"), source.stem.split("_")[0], *STRUCT.findall(text)}


def lacks_noun(source, name):
    return source.parent.name in BY_NOUN and not any(name.startswith(f"{noun}_") for noun in nouns_of(source))


def main():
    gateway = pathlib.Path(sys.argv[1])
    places, nameless = collections.defaultdict(set), []
    for source in sorted(gateway.rglob("*.c")):
        for name in DEFINITION.findall(source.read_text()):
            places[name].add(str(source.relative_to(gateway)))
            if lacks_noun(source, name):
                nameless.append(f"{source.relative_to(gateway)}: {name}: begin with {source.stem}_")
    if not places:
        sys.exit(f"no static function was found below {gateway}")
    shared = {name: files for name, files in sorted(places.items()) if len(files) > 1}
    for name, files in shared.items():
        print(f"{name}: {', '.join(sorted(files))}: put the file's noun before it")
    print("".join(f"{line}\n" for line in nameless) + f"{len(places)} names of static functions")
    sys.exit(1 if shared or nameless else 0)


main()
