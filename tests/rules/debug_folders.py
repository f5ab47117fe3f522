#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that a folder of gateway/ has a log level of its own if and only if it has debug messages.

Compares base/log.h's table, LOG_FOLDERS_WITH_DEBUG, with the sources; exits with 1 where they differ.
"""

import pathlib
import re
import sys

TABLE = re.compile(r"#define LOG_FOLDERS_WITH_DEBUG\(FOLDER\)(.*?)\n\n?(?!\s*FOLDER\()", re.DOTALL)
ROW = re.compile(r'FOLDER\(\w+, "(\w+)"\)')
MESSAGE = re.compile(r"\blog_debug\(|\blog_write\w*\([^;]*?\bLOG_LEVEL_DEBUG\b")


def main():
    gateway = pathlib.Path(sys.argv[1])
    table = TABLE.search((gateway / "base/log.h").read_text())
    if not table:
        sys.exit("base/log.h has no LOG_FOLDERS_WITH_DEBUG")
    listed = set(ROW.findall(table[1]))
    log_itself = {gateway / "base/log.c", gateway / "base/log.h"}
    speaking = {source.parent.name for source in gateway.rglob("*.[ch]")
                if source not in log_itself and MESSAGE.search(source.read_text())}
    for folder in sorted(listed - speaking):
        print(f"{folder}/ has a level, but no debug message: remove it from LOG_FOLDERS_WITH_DEBUG of base/log.h")
    for folder in sorted(speaking - listed):
        print(f"{folder}/ has debug messages, but no level: add it to LOG_FOLDERS_WITH_DEBUG of base/log.h")
    print(f"{len(speaking)} folders have debug messages")
    sys.exit(0 if listed == speaking and speaking else 1)


main()
