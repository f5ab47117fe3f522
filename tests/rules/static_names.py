#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that no two static functions of gateway/ have the same name: so a name in a profile, a backtrace
or a breakpoint means one function.

Prints each name that two files define; exits with 1 then. It also finds functions that a macro defines if
the macro's text has the full name.
"""

import collections
import pathlib
import re
import sys

DEFINITION = re.compile(r"^static\s+(?:[\w\s*]+?[\s*])(\w+)\(", re.MULTILINE)


def main():
    gateway = pathlib.Path(sys.argv[1])
    places = collections.defaultdict(set)
    for source in sorted(gateway.rglob("*.c")):
        for name in DEFINITION.findall(source.read_text()):
            places[name].add(str(source.relative_to(gateway)))
    if not places:
        sys.exit(f"no static function was found below {gateway}")
    shared = {name: files for name, files in sorted(places.items()) if len(files) > 1}
    for name, files in shared.items():
        print(f"{name}: {', '.join(sorted(files))}: put the file's noun before it")
    print(f"{len(places)} names of static functions")
    sys.exit(1 if shared else 0)


main()
