// SPDX-License-Identifier: BSD-2-Clause
// The layers of a picture, and the order of the switches in each.
#ifndef IBTRAPD_PICTURE_LAYERS_H
#define IBTRAPD_PICTURE_LAYERS_H

#include "picture/parts.h"

enum { LAYERS_MAX = 32 }; // what is farther away is in the last one

// Sets layers and places (picture.h), and `order`. Within a layer, switches come by their names,
// numbers in them by value; those of a higher layer first by the middle of their neighbours in the
// layer below. Each layer is sorted once.
void layers_arrange(struct picture *picture);

#endif
