#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes a C file with the files of the page as constants: embed.py OUT FILE..."""

import pathlib
import sys

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


def constant(octets):
    lines = [octets[at:at + 16] for at in range(0, len(octets), 16)]
    return "\n".join("    " + " ".join(f"{one}," for one in line) for line in lines)


def main():
    out, *files = map(pathlib.Path, sys.argv[1:])
    text = '#include "web/page.h"\n\n'
    rows = ""
    for number, file in enumerate(files):
        octets = file.read_bytes()
        text += f"static const unsigned char FILE_{number}[] = {{\n{constant(octets)}\n}};\n\n"
        path = "/" if file.name == "index.html" else f"/{file.name}"
        rows += f'    {{"{path}", {{"{TYPES[file.suffix]}", (const char *)FILE_{number}, {len(octets)}}}}},\n'
    out.write_text(f"{text}const struct page_file PAGE_FILES[] = {{\n{rows}    {{NULL, {{NULL, NULL, 0}}}},\n}};\n")


main()
