#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints how much of the code the tests of a coverage build reached: coverage.py BUILD

One table has lines and branches by folder. The other has them by file, for the files with a bound: the
decoders, which read octets from outside, and the journal. Branches are those of the source, as gcov counts
them: both ways of each condition, without branches that the compiler adds. Asserts are compiled out, as no
test may reach them. Exits with 1 when a file is below its bound.
"""

import collections
import json
import pathlib
import subprocess
import sys

LEAST = 95.0  # percent of the branches
DECODERS = {"agentx/pdu.c", "agentx/value.c", "ib/mad.c", "ib/node_mad.c",
            "model/event_record.c", "model/fabric_record.c", "model/names.c", "model/notice.c"}


def measure(build):
    """File -> the numbers of gcovr's summary."""
    command = ["gcovr", "--root", ".", "--filter", "gateway/", "--exclude-unreachable-branches",
               "--json-summary", "-", build]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {f["filename"].removeprefix("gateway/"): f for f in json.loads(found)["files"]}


def percent(covered, total):
    return 100.0 * covered / total if total else 100.0


def row(name, files):
    numbers = [sum(f[key] for f in files)
               for key in ("line_covered", "line_total", "branch_covered", "branch_total")]
    lines, branches = percent(*numbers[:2]), percent(*numbers[2:])
    print(f"{name:26}{numbers[1]:7}{lines:9.1f}{numbers[3]:10}{branches:9.1f}")
    return branches


def head(what):
    print(f"{what:26}{'LINES':>7}{'%':>9}{'BRANCHES':>10}{'%':>9}")


def main():
    files = measure(sys.argv[1])
    folders = collections.defaultdict(list)
    for name, numbers in files.items():
        folders[pathlib.PurePath(name).parts[0]].append(numbers)
    head("FOLDER")
    for folder in sorted(folders):
        row(folder, folders[folder])
    row("all", files.values())
    print()
    head("DECODERS, JOURNAL")
    bound = [name for name in sorted(files) if name in DECODERS or name.startswith("journal/")]
    low = [name for name in bound if row(name, [files[name]]) < LEAST]
    if low or not DECODERS <= set(files):
        sys.exit(f"below {LEAST} % of the branches: {', '.join(low) or 'a decoder was not measured'}")


main()
