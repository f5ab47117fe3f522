#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Keeps the table "Where is it decided?" of doc/architecture.md: decisions.py TOP [--write].

A header below gateway/ names each question that it decides in a line of its own, `// Decides: Why ...?`. The table has
a row for each. Exits with 1 if the table differs from the headers, if a question stands twice, or is no question. With
--write, writes the table first.
"""

import collections
import pathlib
import re
import sys

DECIDES = re.compile(r"^// Decides: (.*)$", re.MULTILINE)
TABLE = re.compile(r"(?<=^\| question \| begin at \|\n\|---\|---\|\n)(?:\|.*\n)*", re.MULTILINE)


def decisions(gateway):
    """Yields (question, header) of all headers."""
    for header in sorted(gateway.rglob("*.h")):
        for question in DECIDES.findall(header.read_text()):
            yield question.strip(), header.relative_to(gateway).as_posix()


def complaints(rows):
    counts = collections.Counter(question for question, _ in rows)
    for question, header in rows:
        if not question.endswith("?"):
            yield f"gateway/{header}: no question: {question}"
        if counts[question] > 1:
            yield f"gateway/{header}: another header decides this, too: {question}"


def main():
    top = pathlib.Path(sys.argv[1])
    page = top / "doc" / "architecture.md"
    rows = list(decisions(top / "gateway"))
    table = "".join(f"| {question} | `{header}` |\n" for question, header in rows)
    text = page.read_text()
    if not TABLE.search(text):
        sys.exit(f"{page} has no table of questions")
    if "--write" in sys.argv[2:]:
        text = TABLE.sub(lambda _: table, text, count=1)
        page.write_text(text)
    wrong = list(complaints(rows))
    if TABLE.search(text)[0] != table:
        wrong.append(f"{page}: the table differs from the headers: tests/rules/decisions.py . --write")
    print("\n".join(wrong) or f"{len(rows)} questions have their headers")
    sys.exit(1 if wrong else 0)


main()
