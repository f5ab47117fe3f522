# SPDX-License-Identifier: BSD-2-Clause
"""Reads the fenced blocks and the tables of the documentation pages: those of the sources, or below IBTRAPD_PAGES."""

import os
import pathlib
import re

ROOT = pathlib.Path(os.environ.get("IBTRAPD_PAGES", pathlib.Path(__file__).resolve().parents[2]))
FILES = {path.stem: path for path in [*(ROOT / "doc").glob("*.md"), ROOT / "README.md"]}
FILES["mibs"] = ROOT / "mibs/README.md"
FENCED = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def names():
    """The pages with fenced blocks."""
    return sorted(page for page in FILES if fenced(page))


def text(page):
    return FILES[page].read_text()


def fenced(page):
    """The kind and text of every fenced block."""
    return FENCED.findall(text(page))


def blocks(page, kind):
    return [block for one, block in fenced(page) if one == kind]


def table(page, heading):
    """The cells of the table whose first column has that heading, without the header row."""
    lines = text(page).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def adapted(block, changes):
    """The block adapted to this machine: replaces each key of `changes` by its value."""
    for old, new in changes.items():
        block = block.replace(old, str(new))
    return block
