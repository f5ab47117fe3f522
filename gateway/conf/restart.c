// SPDX-License-Identifier: BSD-2-Clause
#include "conf/restart.h"

#include "conf/schema.h"
#include "conf/value.h"

// Returns an item of a section; NULL: there are no more, or the section is a rule or a receiver,
// which every reload may change.
static const struct schema_item *restart_item(size_t section, size_t place)
{
    return SCHEMA[section].object == SCHEMA_CONF ? schema_item(&SCHEMA[section], place) : NULL;
}

void conf_add_restart_items(const struct conf *running, const struct conf *next, struct text *t)
{
    const struct schema_item *item;
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        for (size_t i = 0; (item = restart_item(s, i)); i++) {
            if (item->reload == SCHEMA_RESTART && !value_same(item, running, next))
                text_addf(t, "%s%s", t->len ? ", " : "", item->name);
        }
    }
}

void conf_keep_restart_items(const struct conf *running, struct conf *next)
{
    const struct schema_item *item;
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        for (size_t i = 0; (item = restart_item(s, i)); i++) {
            if (item->reload == SCHEMA_RESTART)
                value_copy(item, running, next);
        }
    }
}
