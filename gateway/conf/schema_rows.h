// SPDX-License-Identifier: BSD-2-Clause
// How the rows of the schema are written: where an item's value is, and its range. For schema.c and
// schema_receivers.c alone.
#ifndef IBTRAPD_CONF_SCHEMA_ROWS_H
#define IBTRAPD_CONF_SCHEMA_ROWS_H

#include "conf/item.h"

#include <stddef.h>

#define SIZE_OF(type, field) sizeof(((type *)NULL)->field)
#define IN(type, field)      .at = offsetof(type, field), .size = SIZE_OF(type, field)
#define IN_CONF(field)       IN(struct conf, field)
#define IN_RULE(field)       IN(struct conf_rule, field)
#define IN_RECEIVER(field)   IN(struct conf_receiver, field)
#define RANGE(least, most)   .low = (least), .high = (most)
#define COUNT(a)             (sizeof(a) / sizeof *(a))
#define PART(title, items)                                                                         \
    &(const struct schema_part)                                                                    \
    {                                                                                              \
        title, items, COUNT(items)                                                                 \
    }
#define DAY 86400
#define DERIVED(type, from, to)                                                                    \
    .derived_at = offsetof(type, from),                                                            \
    .derived_size = offsetof(type, to) + SIZE_OF(type, to) - offsetof(type, from)

#endif
