# SPDX-License-Identifier: BSD-2-Clause
"""Runs all tests of a build: all_tests.py BUILD [CTEST-OPTION...]. Shows the part that runs, the output of what fails,
and at the end in one line what was tried, and what was left out for want of what."""

import collections
import os
import re
import subprocess
import sys
import time

RESULT = re.compile(r" *\d+/\d+ Test +#\d+: (\S+) \.*(.*?) +[\d.]+ sec")
NOISE = re.compile(r"Internal ctest|Test project|.*% tests passed|Total Test time|The following tests|\s*\d+ - |Errors while| *Start +\d+:|$")
SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] \S+: (.*)$", re.MULTILINE)
AT_ONCE = 4  # tests for each processor: most wait for other programs


def part(name):
    return name.split("-")[0]


class Progress:
    """A line that is written over at a terminal, and a line for each finished part elsewhere."""

    def __init__(self, names):
        self.left = collections.Counter(map(part, names))
        self.total, self.done, self.width = len(names), 0, 0
        self.live = sys.stdout.isatty()

    def clear(self):
        if self.live and self.width:
            print("\r" + " " * self.width + "\r", end="")

    def add(self, name):
        self.left[part(name)] -= 1
        self.done += 1
        if self.live:
            line = f"{self.done} of {self.total} tests, now " + ", ".join(one for one, left in self.left.items() if left > 0)
            self.clear()
            self.width = len(line[:100])
            print(line[:100], end="", flush=True)
        elif self.left[part(name)] == 0:
            print(f"{self.done} of {self.total} tests: {part(name)} is done", flush=True)


def run(build, options):
    """The last result of each test, by its name."""
    listed = subprocess.run(["ctest", "--test-dir", build, "-N", *options], capture_output=True, text=True, check=True).stdout
    progress, results = Progress(re.findall(r"Test +#\d+: (\S+)", listed)), {}
    command = ["ctest", "--test-dir", build, "--output-on-failure", "--parallel", str(AT_ONCE * min(os.cpu_count(), 8)), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as ctest:
        for line in ctest.stdout:
            found = RESULT.match(line)
            if found:
                results[found[1]] = found[2].strip(" *")
                progress.add(found[1])
            if found and "Passed" not in line and "Skipped" not in line or not found and not NOISE.match(line):
                progress.clear()
                print(line, end="", flush=True)
    progress.clear()
    return results, ctest.returncode


def wants(build):
    """What was left out, by its reason: as pytest tells in the log of the last run, and as a build without a library does."""
    log = open(os.path.join(build, "Testing/Temporary/LastTest.log"), encoding="utf-8", errors="replace").read()
    reasons = collections.Counter()
    for count, reason in SKIPPED.findall(log):
        reasons[reason] += int(count)
    reasons.update(re.findall(r"^skipped: (.*)$", log, re.MULTILINE))
    reasons.pop("nothing of this holds for the kind", None)
    return reasons


def main(build, *options):
    begin = time.monotonic()
    results, status = run(build, options)
    failed = [name for name, result in results.items() if result not in ("Passed", "Skipped")]
    parts = collections.Counter(part(name) for name, result in results.items() if result == "Passed")
    minutes = (time.monotonic() - begin) / 60
    left_out = "; ".join(f"{count} ({reason})" for reason, count in sorted(wants(build).items())) or "nothing"
    if failed:
        print("Failed: " + " ".join(failed))
    print(f"{sum(parts.values())} of {len(results)} tests passed in {minutes:.0f} minutes: "
          + ", ".join(f"{name} {count}" for name, count in parts.items()) + f". Left out: {left_out}. By hand: "
          "tests/*/run.sh.")
    return status if not failed else 1


sys.exit(main(*sys.argv[1:]))
