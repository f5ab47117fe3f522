# SPDX-License-Identifier: BSD-2-Clause
"""Draws a terminal's screen as SVG: text as text, in the reader's light or dark colours, without scripts.

A recording is longer than the window that shows it. Keyframes of CSS move it past the window, frame after frame."""

import itertools
import re
from dataclasses import dataclass
from xml.sax.saxutils import escape

CELL, LINE, SIZE = 8.4, 19, 14  # of a character and of its font
PAD, BAR = 16, 34
FONTS = 'ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono","Liberation Mono",Consolas,monospace'

# The class of a colour of pyte -> what it is on dark and on light.
COLOURS = {
    "default": ("f", "#d8dee6", "#1f2328"),
    "grey": ("d", "#8f99a5", "#5c646d"),
    "red": ("r", "#ff8078", "#b91c28"),
    "brown": ("y", "#e5b84b", "#7d5200"),
    "green": ("g", "#5bd46a", "#17702f"),
    "cyan": ("c", "#5fcbdc", "#09647a"),
}
BACKGROUND = ("#0d1117", "#ffffff")
BAR_COLOUR = ("#1b222b", "#eceff3")
EDGE = ("#39424d", "#c9d0d8")
GAP = re.compile(r"  +")
RULE = "─"


@dataclass(frozen=True)
class Look:
    """How a character looks."""

    colour: str = "default"
    bold: bool = False
    reverse: bool = False

    @staticmethod
    def of(char):
        return Look(char.fg if char.fg in COLOURS else "default", char.bold, char.reverse)


@dataclass(frozen=True)
class Run:
    """Characters of one look, from a column on."""

    column: int
    text: str
    look: Look


def cells(screen):
    """The screen's rows down to the last one with a text: pairs of (character, look)."""
    rows = [[(screen.buffer[y][x].data, Look.of(screen.buffer[y][x])) for x in range(screen.columns)]
            for y in range(screen.lines)]
    while rows and not text_of(rows[-1]).strip():
        rows.pop()
    return rows


def text_of(row):
    return "".join(character for character, _ in row)


def with_text(row, text):
    """The row with other characters in the same looks."""
    assert len(text) == len(row), (text, text_of(row))
    return [(character, look) for character, (_, look) in zip(text, row)]


def runs(row):
    """The runs of a row. Blanks part them, so that no font's width moves a column."""
    at = 0
    for look, group in itertools.groupby(row, key=lambda cell: cell[1]):
        text = "".join(character for character, _ in group)
        if look.reverse:
            yield Run(at, text, look)
        else:
            start = 0
            for gap in [*GAP.finditer(text), None]:
                part = text[start:gap.start() if gap else len(text)]
                if part.strip():
                    lead = len(part) - len(part.lstrip())
                    yield Run(at + start + lead, part.strip(), look)
                start = gap.end() if gap else 0
        at += len(text)


def number(value):
    return f"{value:.1f}".removesuffix(".0")


def drawn(run, y):
    """A run as SVG, its line's top at y."""
    x, width, name = number(run.column * CELL), number(len(run.text) * CELL), COLOURS[run.look.colour][0]
    if set(run.text) == {RULE}:
        return f'<path class="l" d="M{x} {y + LINE / 2}h{width}"/>'
    if run.look.reverse:
        ground = f'<rect x="{x}" y="{y}" width="{width}" height="{LINE}" class="{name}"/>'
        text = run.text.strip()
        x, names = number((run.column + run.text.find(text)) * CELL), ["i"]
    else:
        ground, text, names = "", run.text, [name] * (name != "f") + ["b"] * run.look.bold
    looks = f' class="{" ".join(names)}"' if names else ""
    return ground + (f'<text x="{x}" y="{y + 14}"{looks}>{escape(text)}</text>' if text else "")


def palette(which):
    colours = "".join(f".{name}{{fill:{both[which]}}}" for name, *both in COLOURS.values())
    return (f"text{{fill:{COLOURS['default'][1 + which]}}}{colours}.i,.s{{fill:{BACKGROUND[which]}}}"
            f".h{{fill:{BAR_COLOUR[which]}}}.e{{stroke:{EDGE[which]};fill:none}}.l{{stroke:{EDGE[which]}}}")


def motion(frames, window, still):
    """The style that moves the recording. frames: pairs of rows above the window's lower edge, and seconds. It begins
    with the first frame that fills the window."""
    total, passed, steps = sum(seconds for _, seconds in frames), 0, []
    lead = sum(seconds for end, seconds in frames if end < window)
    for end, seconds in frames:
        steps.append(f"{number(100 * passed / total)}%{{transform:translateY({(window - end) * LINE}px)}}")
        passed += seconds
    return (f".m{{transform:translateY({(window - still) * LINE}px)}}"
            "@media (prefers-reduced-motion:no-preference)"
            f"{{.m{{animation:m {number(total)}s step-end -{number(lead)}s infinite}}}}"
            f"@keyframes m{{{''.join(steps)}}}")


def picture(rows, columns, title, description, window=None, frames=(), still=None):
    """The SVG of rows of cells. window: the lines shown, of a recording; still: the rows above the window's lower edge
    for those who want nothing to move."""
    window = window or len(rows)
    width, height = round(columns * CELL + 2 * PAD), BAR + window * LINE + 20
    lines = [drawn(run, y * LINE) for y, row in enumerate(rows) for run in runs(row)]
    style = (f"text{{font:{SIZE}px {FONTS};white-space:pre}}.b{{font-weight:700}}{palette(0)}"
             f"@media (prefers-color-scheme:light){{{palette(1)}}}"
             f"{motion(frames, window, still) if frames else ''}")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="t d">',
        f'<title id="t">{escape(title)}</title><desc id="d">{escape(description)}</desc>',
        f"<style>{style}</style>",
        f'<rect class="s" width="{width}" height="{height}" rx="8"/>',
        f'<path class="h" d="M0 {BAR}V8a8 8 0 0 1 8-8H{width - 8}a8 8 0 0 1 8 8V{BAR}z"/>',
        f'<text class="d" x="{PAD}" y="{BAR - 12}">{escape(title)}</text>',
        f'<svg x="{PAD}" y="{BAR + 10}" width="{width - 2 * PAD}" height="{window * LINE}"><g class="m">',
        *lines,
        "</g></svg>",
        f'<rect class="e" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="7.5"/>',
        "</svg>", ""])
