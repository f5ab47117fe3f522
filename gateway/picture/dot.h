// SPDX-License-Identifier: BSD-2-Clause
// A picture for Graphviz.
#pragma once

#include "picture/picture.h"

#include <stdio.h>

// Writes an undirected graph in the DOT language, with a line for each node and each link whose
// ends are shown. The nodes have the identifiers of ibnetdiscover(8). Names become labels in
// which nothing has a meaning for Graphviz. The stream keeps a write error.
void dot_write(FILE *out, const struct picture *picture);
