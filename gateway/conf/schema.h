// SPDX-License-Identifier: BSD-2-Clause
// The schema of the configuration: one row for each item, in sections (item.h has the columns).
// These rows decide the parser, the defaults, the checks of single values, the items that a reload
// may change, `ibtrapd --print-config`, the example file and the lists of items in ibtrapd.conf(5).
//
// Decides: Which values may an item have, and what is its default?
#pragma once

#include "conf/item.h"

enum { SCHEMA_SECTIONS_MAX = 32 };

extern const struct schema_section SCHEMA[];
extern const size_t SCHEMA_COUNT;

// Returns the section of that name; NULL: there is none.
const struct schema_section *schema_section(const char *name);

// Returns the present name of a section that older files have; NULL: no section had that name.
const char *schema_new_name(const char *section);
