# SPDX-License-Identifier: BSD-2-Clause
"""Reads the blocks and the tables of the documentation pages: those of the sources, or below IBTRAPD_PAGES."""

import os
import pathlib
import re
import textwrap

ROOT = pathlib.Path(os.environ.get("IBTRAPD_PAGES", pathlib.Path(__file__).resolve().parents[2]))
FILES = {path.stem: path for path in [*(ROOT / "doc").rglob("*.md"), ROOT / "README.md"]}
FILES["mibs"] = ROOT / "mibs/README.md"
FENCED = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^ {4}.*\n)+", re.MULTILINE)

# What differs from run to run in an output that a page shows, and the patterns of its words there.
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z"
SHORTENED = "(?:\\.\\.\\.|\N{HORIZONTAL ELLIPSIS})"
VARIABLE = [(re.compile(rf"(\W*?){variable}(\W*)"), there) for variable, there in (
    (TIME, TIME),
    ("0x[0-9a-f]{8}", "0x[0-9a-f]{8}"),  # a TransactionID
    (f"[0-9a-f]{{4}}{SHORTENED}[0-9a-f]{{4}}", "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),  # an event's identifier
    (SHORTENED, r"\S.*?"),
)]
UNITS = ("us", "ms", "s", "octets", "events", "MADs", "cursors")  # a number before one of these, or after one of those, varies
NUMBERED = ("session", "transaction", "packet")


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


def block(page, kind, words):
    """The only block of that kind that has those words."""
    [found] = [one for one in blocks(page, kind) if words in one]
    return found


def indented(page):
    """Every indented block: commands, or an output. An empty line ends one."""
    return [textwrap.dedent(one) for one in INDENTED.findall(FENCED.sub("", text(page)))]


def _pattern(words):
    """The patterns of the words of an output."""
    for before, word, following in zip(["", *words], words, [*words[1:], ""]):
        number = re.fullmatch(r"\d+(?:\.\d+)?(\W*)", word)
        if number and (before in NUMBERED or following.rstrip(".,;:") in UNITS or re.fullmatch(TIME, following)):
            yield r"\d+(?:\.\d+)?" + re.escape(number[1])
            continue
        found = [(one, there) for variable, there in VARIABLE if (one := variable.fullmatch(word))]
        if found:
            (one, there), *_ = found
            yield re.escape(one[1]) + there + re.escape(one[2])
        else:
            yield re.escape(word).replace("\N{HORIZONTAL ELLIPSIS}", r"\S*?")


def shows(output, block):
    """Whether an output has what a page shows: its words in their order, but for the number of an event, times, measured
    values and identifiers. "..." stands for any text."""
    return re.search(r"(?<!\S)" + r"\s+".join(_pattern(block.split())) + r"(?!\S)", output, re.DOTALL) is not None


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
