# SPDX-License-Identifier: BSD-2-Clause
"""Code that all benchmarks share: the machine's description, medians of several runs, a table on standard error and
JSON on standard output."""

import json
import os
import pathlib
import platform
import shlex
import statistics
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]


def first_value(path, key):
    """The value of the first line `key: value` of a file of /proc."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() == key:
                return value.strip()
    return "unknown"


def file_system(directory):
    """The type of the file system that a directory is on."""
    directory, best = str(pathlib.Path(directory).resolve()), ("", "unknown")
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        for line in mounts:
            _, point, kind, *_ = line.split()
            if (directory + "/").startswith(point.rstrip("/") + "/"):
                best = max(best, (point, kind), key=lambda one: len(one[0]))
    return best[1]


def machine(directory="/tmp"):
    """Describes the machine; `directory` is the journal's."""
    return {"cpu": first_value("/proc/cpuinfo", "model name"),
            "cores": os.cpu_count(),
            "memoryMiB": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
            "kernel": platform.release(),
            "fileSystem": file_system(directory),
            "load": os.getloadavg()[0]}


def median_of(runs, function):
    """Calls `function` that many times. Returns the median of numbers; for dictionaries, the median of each value.
    Other values are the first run's."""
    results = [function() for _ in range(runs)]
    if not isinstance(results[0], dict):
        return statistics.median(results)
    return {key: statistics.median(result[key] for result in results) if is_number(value) else value
            for key, value in results[0].items()}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def text_of(value):
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.2f}"
    return f"{value:,}" if is_number(value) else str(value)


def table(header, rows):
    """Prints a table on standard error, numbers aligned to the right."""
    cells = [[text_of(value) for value in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    right = [any(is_number(row[i]) for row in rows) for i in range(len(header))]
    for row in cells:
        line = "  ".join(cell.rjust(width) if to_right else cell.ljust(width)
                         for cell, width, to_right in zip(row, widths, right))
        print(line.rstrip(), file=sys.stderr)
    print(file=sys.stderr, flush=True)


def commit():
    done = subprocess.run(["git", "-C", PROJECT, "describe", "--always", "--dirty"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip() or "unknown"


def emit(name, results, directory="/tmp"):
    """Prints the JSON on standard output."""
    json.dump({"benchmark": name, "command": shlex.join(["python3", *sys.argv]), "commit": commit(),
               "machine": machine(directory), "results": results}, sys.stdout, indent=1)
    print()
