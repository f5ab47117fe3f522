// SPDX-License-Identifier: BSD-2-Clause
// Whether patterns fit a node that is known now, so that a user hears of a name that nobody has.
#ifndef IBTRAPD_CONTROL_KNOWN_NODES_H
#define IBTRAPD_CONTROL_KNOWN_NODES_H

#include "control/control.h"

// Whether the pattern fits the name of a node of the fabric, or, if it begins with 0x, the GUID of
// a node or of one of its ports. True as well when no sweep has ended yet, or the fabric is
// too large to look at all of it for one request: nobody knows then.
bool known_nodes_fit(const struct control *control, const char *pattern);

#endif
