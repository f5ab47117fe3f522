#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the links of the documentation: doc_links.py DIRECTORY.

Reads every *.md below the directory, except in builds and in hidden folders. Prints each relative link that
leads to no file, or to no heading of its file; exits with 1 then.
"""

import pathlib
import re
import sys

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)(?:(?: {4}|\t).*\n|\n)+")  # an indented block, which has no links
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")  # has a scheme, such as https:
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)


def sources(top):
    for path in sorted(top.rglob("*.md")):
        parts = path.relative_to(top).parts
        if not any(part.startswith((".", "build")) for part in parts):
            yield path


def without_code(text):
    return INDENTED.sub("\n", FENCE.sub("", text))


def anchors(path):
    """The anchors of a page's headings, as forges make them: the second of two equal anchors gets -1."""
    seen = {}
    for heading in HEADING.findall(without_code(path.read_text())):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = seen[anchor] = seen.get(anchor, -1) + 1
        yield f"{anchor}-{count}" if count else anchor


def links(path):
    """Line number and target of every link to a file or a heading."""
    text = path.read_text()
    kept = CODE.sub("", without_code(text))
    for target in LINK.findall(kept):
        if not ELSEWHERE.match(target):
            yield text[:text.index(f"({target})")].count("\n") + 1, target


def broken_links(top):
    for path in sources(top):
        for number, target in links(path):
            file, _, anchor = target.partition("#")
            leads_to = (path.parent / file).resolve() if file else path
            if not leads_to.exists():
                yield f"{path}:{number}: {target} leads to no file"
            elif anchor and (leads_to.suffix != ".md" or anchor not in anchors(leads_to)):
                yield f"{path}:{number}: {target} leads to no heading"


def main():
    top = pathlib.Path(sys.argv[1])
    if not any(True for path in sources(top) for _ in links(path)):
        sys.exit(f"no page below {top} has a link")
    found = list(broken_links(top))
    print("\n".join(found) or "every link leads somewhere")
    sys.exit(1 if found else 0)


main()
