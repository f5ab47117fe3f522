#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Keeps the table "Where is it decided?" of doc/developers/architecture.md: decisions.py TOP [--write].

A header below gateway/ names each question that it decides in a line of its own, `// Decides: Why ...?`, and behind
the question, in brackets, the source file with the rule, if another file than the header's own has it. The table has a
row for each question. Exits with 1 if the table differs from the headers, if a question stands twice, is no question or
is within a line, or if there is no such source file. With --write, writes the table first.
"""

import collections
import pathlib
import re
import sys

DECIDES = re.compile(r"^// Decides: (.*?)(?: \(([\w/]+\.c)\))?$", re.MULTILINE)
TABLE = re.compile(r"(?<=^\| question \| begin at \|\n\|---\|---\|\n)(?:\|.*\n)*", re.MULTILINE)


def decisions(gateway):
    """Yields (question, header, source file or None) of all headers."""
    for header in sorted(gateway.rglob("*.h")):
        name = header.relative_to(gateway)
        for question, source in DECIDES.findall(header.read_text()):
            place = source if not source or "/" in source else f"{name.parent.as_posix()}/{source}"
            yield question.strip(), name.as_posix(), place


def complaints(rows, gateway):
    counts = collections.Counter(question for question, *_ in rows)
    for question, header, source in rows:
        if not question.endswith("?"):
            yield f"gateway/{header}: no question: {question}"
        if counts[question] > 1:
            yield f"gateway/{header}: another header decides this, too: {question}"
        if source and not (gateway / source).exists():
            yield f"gateway/{header}: there is no gateway/{source}"
    for header in sorted(gateway.rglob("*.h")):
        text = header.read_text()
        if text.count("Decides:") != len(DECIDES.findall(text)):
            yield f"{header}: a question is not at the begin of its line"


def row(question, header, source):
    return f"| {question} | `{header}`{f', `{source}`' if source else ''} |\n"


def main():
    top = pathlib.Path(sys.argv[1])
    page = top / "doc" / "developers" / "architecture.md"
    rows = list(decisions(top / "gateway"))
    table = "".join(row(*each) for each in rows)
    text = page.read_text()
    if not TABLE.search(text):
        sys.exit(f"{page} has no table of questions")
    if "--write" in sys.argv[2:]:
        text = TABLE.sub(lambda _: table, text, count=1)
        page.write_text(text)
    wrong = list(complaints(rows, top / "gateway"))
    if TABLE.search(text)[0] != table:
        wrong.append(f"{page}: the table differs from the headers: tests/rules/decisions.py . --write")
    print("\n".join(wrong) or f"{len(rows)} questions have their headers")
    sys.exit(1 if wrong else 0)


main()
