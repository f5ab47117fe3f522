#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that every source names its licence in its first lines: spdx.py SOURCE [--fix]

Prints each file that does not, or that names another licence than LICENSE; exits with 1 then. A kernel
module also leaves the choice of the kernel's licence. With
--fix it adds a missing line. It skips data: corpora, and expected outputs of programs. It skips the MIB
modules, too: parts of them come from others, and their text says so.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

LICENCES = {"BSD 2-Clause License": "BSD-2-Clause"}
TAG = "SPDX-License-Identifier:"
WITHIN = 3  # lines

# The beginning of a comment, by the end of a file's name. A template NAME.in is a file like NAME.
COMMENTS = {
    ".c": "// ", ".h": "// ", ".def": "// ",
    ".py": "# ", ".sh": "# ", ".cmake": "# ", "CMakeLists.txt": "# ", ".spec": "# ",
    ".service": "# ", ".rules": "# ", ".sysusers": "# ", ".bash": "# ",
    ".1": '.\\" ', ".5": '.\\" ', ".7": '.\\" ', ".8": '.\\" ',
}
MODULE = re.compile(r"^tests/kernel/fabric/.*\.[ch]$|/Kbuild$")
LEFT_OUT = re.compile(r"^(tests/fuzz/corpus/|mibs/[^/]*-MIB\.txt$|tests/mibs/standin/)")


def tracked(source):
    """The files that git tracks, or in a tarball all files, relative to `source`."""
    # env fails where there is no git, as git does outside of a checkout.
    listed = subprocess.run(["env", "git", "-C", source, "ls-files", "-z"], capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        names = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    else:
        names = [str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()]
        names = [name for name in names if not name.startswith(("build", ".git/"))]
    return sorted(name for name in names if not LEFT_OUT.search(name))


def comment_of(source, name):
    """The beginning of a comment in a file; None: it is no source."""
    ending = name.removesuffix(".in")
    for suffix, comment in COMMENTS.items():
        if ending.endswith(suffix):
            return comment
    path = source / name
    if path.name == "Kbuild":
        return "# "
    if "." not in path.name and path.is_file() and path.read_bytes()[:2] == b"#!":
        return "# "  # a program without an ending
    return None


def find_tag(text):
    """The licence after the tag; None: the first lines have no tag."""
    for line in text.split("\n")[:WITHIN]:
        if TAG in line:
            return line.split(TAG, 1)[1].strip()
    return None


def insert(text, line):
    """Adds the line as the first one, or below the interpreter's."""
    first, newline, rest = text.partition("\n")
    return f"{first}{newline}{line}\n{rest}" if first.startswith("#!") else f"{line}\n{text}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--fix", action="store_true", help="add a missing line")
    options = parser.parse_args()
    title = (options.source / "LICENSE").read_text().partition("\n")[0]
    licence = LICENCES.get(title) or sys.exit(f"LICENSE begins with {title!r}: add that licence to {sys.argv[0]}")
    wrong, checked = 0, 0
    for name in tracked(options.source):
        comment = comment_of(options.source, name)
        path = options.source / name
        if comment is None or not path.is_file():
            continue
        checked += 1
        text = path.read_text()
        found = find_tag(text)
        wanted = f"{licence} OR GPL-2.0" if MODULE.search(name) else licence
        if found == wanted:
            continue
        if found is None and options.fix:
            path.write_text(insert(text, f"{comment}{TAG} {wanted}"))
            continue
        wrong += 1
        print(f"{name}: {f'it says {found}, not' if found else 'its first lines do not say'} {TAG} {wanted}")
    if not checked:
        sys.exit(f"no source was found below {options.source}")
    print(f"{checked} sources, {wrong} without the line")
    sys.exit(1 if wrong else 0)


main()
