// SPDX-License-Identifier: BSD-2-Clause
// A picture as SVG, with a layout for fabrics in layers: the edge switches at the bottom with their
// hosts below them, the others above. A layer of many switches has several rows.
#ifndef IBTRAPD_PICTURE_SVG_H
#define IBTRAPD_PICTURE_SVG_H

#include "picture/picture.h"

#include <stdio.h>

enum {
    SVG_SWITCHES_MAX = 8192, // further ones are left out, and the picture says so
    SVG_LINES_MAX = 10000,   // of good links: so are further ones
    SVG_TOLD_MAX = 2000,     // if there are more links, lines of good ones have no titles
};

// The colours and fonts of all that svg_write writes, as CSS: for light and dark.
extern const char SVG_STYLE[];

// Writes an SVG document. `styled`: with SVG_STYLE in it; otherwise the page around it has that.
// There is neither script nor link in it. Links of one state between the same two nodes are one
// line, whose title tells the ports. The stream keeps a write error.
void svg_write(FILE *out, const struct picture *picture, bool styled);

#endif
