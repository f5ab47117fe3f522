// SPDX-License-Identifier: BSD-2-Clause
// A picture as SVG, with a layout for fabrics in layers: at the bottom the edge switches with their
// hosts, above the other switches. A layer of many switches has several rows.
#pragma once

#include "picture/picture.h"

#include <stdio.h>

enum {
    SVG_SWITCHES_MAX = 8192, // the picture leaves out more, and says this
    SVG_LINES_MAX = 10000,   // of good links; the picture leaves out more
    SVG_TOLD_MAX = 2000,     // with more links, lines of good links have no titles
};

// The colours and fonts of the documents of svg_write, as CSS: for light and dark.
extern const char SVG_STYLE[];

// Writes an SVG document. `styled`: the document contains SVG_STYLE; otherwise the page around the
// document does. The document has neither script nor link. Links of one state between the same two
// nodes share a line, and its title tells the ports. The stream keeps a write error.
void svg_write(FILE *out, const struct picture *picture, bool styled);
