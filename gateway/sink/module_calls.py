#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes options of a compiler that export what receiver modules call: module_calls.py OUT NM MODULE..."""

import pathlib
import subprocess
import sys


def calls(nm, module):
    """The functions without a version: those of the daemon, and of some libraries, which the linker passes over."""
    command = [nm, "--dynamic", "--undefined-only", "--format=posix", module]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name for name, kind in (line.split()[:2] for line in lines) if kind == "U" and "@" not in name}


def main():
    out, nm, *modules = sys.argv[1:]
    names = sorted(set().union(*(calls(nm, module) for module in modules)))
    text = "".join(f"-Wl,--undefined={name},--export-dynamic-symbol={name}\n" for name in names)
    pathlib.Path(out).write_text(text)


if __name__ == "__main__":
    main()
