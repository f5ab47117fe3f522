// SPDX-License-Identifier: BSD-2-Clause
// Makes a snapshot of the fabric from the pages of the command "topology".
#ifndef IBTRAPD_CTL_FABRIC_PAGES_H
#define IBTRAPD_CTL_FABRIC_PAGES_H

#include "base/error.h"
#include "model/fabric.h"
#include "model/names.h"

#include <jansson.h>

// Requests all pages of the present fabric, and calls `each` for every one. False with a sentence:
// a page did not come, or `each` returned false and set it.
bool fabric_pages_each(const char *socket, const char *command,
                       bool (*each)(void *ctx, const json_t *page, bool first, struct error *err),
                       void *ctx, struct error *err);

// The present fabric: nodes with their descriptions, ports with states, rates and links; SMs, I/O
// units and all else are left out. `names` gets the names that differ from the descriptions. One
// reference each, the caller's. NULL with a sentence: failed.
struct fabric *fabric_pages_read(const char *socket, const char *command, struct names **names,
                                 struct error *err);

#endif
