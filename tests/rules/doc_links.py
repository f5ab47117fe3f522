#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the links of the documentation: doc_links.py DIRECTORY.

Reads every *.md below the directory, except in builds and in hidden folders. Prints each relative link that
leads to no file, or to no heading of its file, or that a forge would not follow: to a file that git does not
track, or out of the directory. Prints each image without a text in its place, each picture of doc/ that no page
shows, and each page of doc/ that doc/README.md does not name. Exits with 1 if there is any.
"""

import os
import pathlib
import re
import subprocess
import sys

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)(?:(?: {4}|\t).*\n|\n)+")  # an indented block, which has no links
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<(?:img|a|source) [^>]*\b(?:src|href|srcset)=\"([^\"]+)\"")
MUTE = re.compile(r"!\[\s*\]\([^)]*\)|<img (?![^>]*\balt=\"[^\"]+\")[^>]*>")
PICTURES = (".png", ".svg")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")  # has a scheme, such as https:
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)


def sources(top):
    """The pages, without a look into builds, which may change meanwhile."""
    for directory, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "build")))
        yield from (pathlib.Path(directory, name) for name in sorted(names) if name.endswith(".md"))


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
    for of_markdown, of_html in LINK.findall(kept):
        target = of_markdown or of_html
        if not ELSEWHERE.match(target):
            yield text[:text.index(target)].count("\n") + 1, target


def leads_to(path, target):
    file = target.partition("#")[0]
    return (path.parent / file).resolve() if file else path


def tracked(top):
    """The files that git tracks, and their folders; None: this is no checkout."""
    # env fails where there is no git, as git does outside of a checkout.
    listed = subprocess.run(["env", "git", "-C", top, "ls-files", "-z"], capture_output=True, check=False)
    names = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    if listed.returncode != 0 or not names:
        return None
    files = {top / name for name in names}
    return files | {folder for file in files for folder in file.parents}


def broken_links(top):
    known = tracked(top)
    for path in sources(top):
        for number, target in links(path):
            end, anchor = leads_to(path, target), target.partition("#")[2]
            if not end.exists():
                yield f"{path}:{number}: {target} leads to no file"
            elif not end.is_relative_to(top) or (known and end not in known):
                yield f"{path}:{number}: {target} leads to no file of the repository"
            elif anchor and (end.suffix != ".md" or anchor not in anchors(end)):
                yield f"{path}:{number}: {target} leads to no heading"


def mute_images(top):
    """Images that tell nothing to those who do not see them."""
    for path in sources(top):
        for image in MUTE.findall(CODE.sub("", without_code(path.read_text()))):
            yield f"{path}: {image} has no text"


def lonely_files(top):
    """Pages of doc/ that its index does not name, and pictures that no page shows."""
    index = top / "doc" / "README.md"
    named = {leads_to(index, target) for _, target in links(index)}
    for page in sorted((top / "doc").rglob("*.md")):
        if page not in named | {index}:
            yield f"{page}: {index} does not name it"
    shown = {leads_to(path, target) for path in sources(top) for _, target in links(path)}
    for picture in sorted((top / "doc").rglob("*")):
        if picture.suffix in PICTURES and picture not in shown:
            yield f"{picture}: no page shows it"


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    if not any(True for path in sources(top) for _ in links(path)):
        sys.exit(f"no page below {top} has a link")
    found = [*broken_links(top), *mute_images(top), *lonely_files(top)]
    print("\n".join(found) or "every link leads somewhere")
    sys.exit(1 if found else 0)


main()
