#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Builds another commit beside this one and runs benchmarks of both, in turn: beside.py REVISION [--turns N] [BENCHMARK ...]

BENCHMARK is a program of this folder, such as `flood` (default: flood and latency). The other commit runs its own
copy of the program. Both builds are without asserts, as packages are. Prints for each number of the results the
medians of both commits, and the ratio of this commit to the other one with its spread over the turns. The ratio of a
pair compares two runs that follow each other, so that slow minutes of the machine hit both. Prints the table on
standard error, and JSON on standard output."""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import report

DEFAULT = ["flood", "latency"]
NAMES = ("what", "rate", "name", "receivers", "nodes")  # the members that tell one row of results from the others
IGNORED = ("buckets", "histogram")


def git(*arguments):
    return subprocess.run(["git", "-C", str(report.PROJECT), *arguments], check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def shout(command, **options):
    """Runs a command whose output goes to standard error."""
    subprocess.run(command, check=True, stdout=sys.stderr, **options)


def build(source, directory):
    """Builds that tree as packages are built: without asserts."""
    shout(["cmake", "--preset", "default", "-B", directory, "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g -DNDEBUG"], cwd=source)
    shout(["cmake", "--build", directory], cwd=source)
    return directory


@contextlib.contextmanager
def built(revision):
    """Yields a worktree of that commit, and the builds of that worktree and of this tree. Removes all afterwards."""
    with tempfile.TemporaryDirectory(prefix="ibtrapd-beside-", dir="/var/tmp") as directory:
        tree = pathlib.Path(directory) / "tree"
        git("worktree", "add", "--detach", str(tree), revision)
        try:
            shout(["tests/packages.sh"], cwd=tree)  # an older commit may need other libraries
            yield tree, build(tree, tree / "build"), build(report.PROJECT, pathlib.Path(directory) / "build")
        finally:
            git("worktree", "remove", "--force", str(tree))


def run(tree, directory, mibs, benchmark):
    """The results of one run of a program of that tree with that build."""
    command = [tree / "tests/bench" / f"{benchmark}.py"]
    environment = os.environ | {"IBTRAPD_BUILD_DIR": str(directory), "IBTRAPD_MIB_BASE": str(mibs)}
    done = subprocess.run(["/usr/bin/python3", "-B", *command], check=True, stdout=subprocess.PIPE, cwd=tree, env=environment)
    return dict(numbers(json.loads(done.stdout)["results"]))


def numbers(value, path=()):
    """Yields (path, number) of every number in the results."""
    if isinstance(value, dict):
        own = next((str(value[name]) for name in NAMES if name in value), None)
        path = path if own is None else (*path, own)
        for name, member in value.items():
            if name not in NAMES and name not in IGNORED:
                yield from numbers(member, (*path, name))
    elif isinstance(value, list):
        for position, member in enumerate(value):
            named = isinstance(member, dict) and any(name in member for name in NAMES)
            yield from numbers(member, path if named else (*path, str(position)))
    elif report.is_number(value):
        yield path, value


def compared(pairs):
    """Rows of (path, median there, median here, median ratio, least, most) from pairs of results (there, here)."""
    for path in pairs[0][1]:
        found = [(there[path], here[path]) for there, here in pairs if path in there and path in here]
        if len(found) == len(pairs) and all(there for there, _ in found):
            ratios = sorted(here / there for there, here in found)
            yield (" ".join(path), *(statistics.median(side) for side in zip(*found)), statistics.median(ratios),
                   ratios[0], ratios[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision")
    parser.add_argument("benchmarks", nargs="*", default=DEFAULT)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_intermixed_args()
    results = {}
    with built(arguments.revision) as (tree, there, here):
        mibs = there / "mib-base"  # packages.sh has put the modules there
        for benchmark in arguments.benchmarks:
            pairs = [(run(tree, there, mibs, benchmark), run(report.PROJECT, here, mibs, benchmark))
                     for _ in range(arguments.turns)]
            rows = list(compared(pairs))
            report.table([benchmark, arguments.revision, report.commit(), "ratio", "least", "most"], rows)
            results[benchmark] = rows
    report.emit("beside", results)


if __name__ == "__main__":
    main()
