#!/usr/bin/python3
"""Every static function of gateway/ has a name of its own: a profile, a backtrace and a debugger's
breakpoint then say which one they mean.

Prints each name that two files define; exits with 1 then. Sees what a macro defines, too, when the
macro's text has the name in full.
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
