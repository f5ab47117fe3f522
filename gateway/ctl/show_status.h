// SPDX-License-Identifier: BSD-2-Clause
// Writes the status for people.
#ifndef IBTRAPD_CTL_SHOW_STATUS_H
#define IBTRAPD_CTL_SHOW_STATUS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// False when the answer has not the shape that this ibtrapctl knows.
bool show_status(FILE *out, const json_t *status);

#endif
