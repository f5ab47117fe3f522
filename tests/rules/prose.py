#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures how many words of the prose stand for other words: prose.py TOP [--worst N] [--commits]
[FILE-OR-FOLDER ...].

Prose is the comments of *.c and *.h, the paragraphs of *.md, and the messages of the commits since the one that added
this file. A clause is what ends with a full stop, a colon or a semicolon; clauses of fewer than eight words do not count.
A clause is heavy if the words below are 22 % of it or more: such a clause has to be read twice.

Prints a line for each place with too many of either, and with --worst the N worst clauses of the places. Exits with
1 if there is such a place. Without places, measures all folders and pages; with --commits, also the commits.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

WORDS_MAX, HEAVY_MAX = 6.0, 3.0  # per cent
HEAVY = 0.22
SHORT = 8  # words
STANDS_FOR_ANOTHER = frozenset(
    "it that those one ones these what which whose so as they them other others such".split())
WORD = re.compile(r"[A-Za-z']+")
CLAUSE_END = re.compile(r"(?<=[.;:])\s+")

Clause = collections.namedtuple("Clause", "share words count where text")


def comments(text):
    """Yields (line, text) of each comment; lines of comment below each other are one."""
    first, block = 0, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        line = line.strip()
        if line.startswith("//"):
            first = first or number
            if "SPDX" not in line:
                block.append(line[2:].strip())
            continue
        if block:
            yield first, " ".join(block)
        first, block = 0, []
        code, slashes, behind = line.partition(" // ")
        if slashes and code.strip() and '"' not in line:
            yield number, behind


def paragraphs(text):
    """Yields (line, text) of each paragraph and list of a page: no code, tables, headings or quotations."""
    text = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    line = 1
    for block in re.split(r"(\n\s*\n)", text):
        if block.strip() and block[0] not in " \t|#>":
            yield line, re.sub(r"`[^`]*`", "x", " ".join(block.split()))
        line += block.count("\n")


def clauses(where, blocks):
    for line, text in blocks:
        for clause in CLAUSE_END.split(text):
            words = WORD.findall(clause)
            if len(words) >= SHORT:
                count = sum(word.lower() in STANDS_FOR_ANOTHER for word in words)
                yield Clause(count / len(words), len(words), count, f"{where}:{line}", clause)


def of_files(place):
    for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if path.suffix in (".c", ".h"):
            yield from clauses(path, comments(path.read_text()))
        elif path.suffix == ".md":
            yield from clauses(path, paragraphs(path.read_text()))


def git(top, *arguments):
    return subprocess.run(["git", "-C", str(top), *arguments], capture_output=True, text=True, check=False).stdout


def of_commits(top):
    """The messages since this rule; none without the history."""
    if git(top, "rev-parse", "--is-shallow-repository").strip() != "false":
        return
    added = git(top, "log", "--diff-filter=A", "--format=%H", "--", "tests/rules/prose.py").split()
    if added:
        for message in git(top, "log", "--format=%h%n%B%x00", f"{added[-1]}..HEAD").split("\0"):
            commit, _, body = message.strip().partition("\n")
            yield from clauses(commit, [(1, " ".join(body.split()))])


def is_hidden_or_built(path, top):
    return any(part.startswith((".", "build")) for part in path.relative_to(top).parts)


def all_places(top):
    yield from sorted(path for path in (top / "gateway").iterdir() if path.is_dir())
    yield top / "tests"
    for page in sorted(top.rglob("*.md")):
        if not is_hidden_or_built(page, top) and page.name not in ("NEWS.md", "upgrade.md") and (top / "tests") not in page.parents:
            yield page


def verdict(place, found):
    """The sentence about a place with too many of these words; None: the place is fine."""
    words, count = sum(c.words for c in found), sum(c.count for c in found)
    heavy = sum(c.share >= HEAVY for c in found)
    few = len(found) < 30  # one heavy clause of a short page is no measure
    if not found or (100 * count <= WORDS_MAX * words and (few or 100 * heavy <= HEAVY_MAX * len(found))):
        return None
    return (f"{place}: {100 * count / words:.1f} % of the words stand for others ({WORDS_MAX} at most), "
            f"{100 * heavy / len(found):.1f} % of the clauses are heavy ({HEAVY_MAX} at most)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("top", type=pathlib.Path)
    parser.add_argument("places", nargs="*", type=pathlib.Path)
    parser.add_argument("--commits", action="store_true")
    parser.add_argument("--worst", type=int, default=0)
    arguments = parser.parse_args()
    measured = {place: list(of_files(place)) for place in arguments.places or all_places(arguments.top)}
    if arguments.commits:
        measured["commits"] = list(of_commits(arguments.top))
    if not any(measured.values()):
        sys.exit("no prose was found")
    sentences = list(filter(None, (verdict(place, found) for place, found in measured.items())))
    for clause in sorted((c for found in measured.values() for c in found), reverse=True)[:arguments.worst]:
        print(f"{100 * clause.share:.0f} % {clause.where}: {clause.text}")
    print("\n".join(sentences) or f"{sum(map(len, measured.values()))} clauses: the nouns are there")
    sys.exit(1 if sentences else 0)


main()
