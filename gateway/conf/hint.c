// SPDX-License-Identifier: BSD-2-Clause
#include "conf/hint.h"

#include "base/nearest.h"
#include "conf/schema.h"

// Returns the nearest name that may stand there; NULL: none is near.
static const char *hint_find_nearest(const struct schema_section *section, const char *name)
{
    struct nearest nearest = nearest_begin(name);
    const struct schema_item *item;
    for (size_t i = 0; section && (item = schema_item(section, i)); i++)
        nearest_try(&nearest, item->name);
    for (size_t i = 0; !section && i < SCHEMA_COUNT; i++)
        nearest_try(&nearest, SCHEMA[i].name);
    return nearest.name;
}

// Adds "'snmp', 'syslog' and 'file'": the sections that have the item.
static void hint_add_sections(const char *item, size_t count, struct text *t)
{
    size_t seen = 0;
    for (size_t i = 0; i < SCHEMA_COUNT; i++) {
        if (schema_find(&SCHEMA[i], item, NULL)) {
            text_addf(t, "%s'%s'",
                      seen == 0          ? ""
                      : seen + 1 < count ? ", "
                                         : " and ",
                      SCHEMA[i].name);
            seen++;
        }
    }
}

void hint_add(const struct schema_section *section, const char *name, struct text *t)
{
    size_t count = 0;
    for (size_t i = 0; i < SCHEMA_COUNT; i++)
        count += schema_find(&SCHEMA[i], name, NULL) != NULL;
    const char *nearest = count == 0 ? hint_find_nearest(section, name) : NULL;
    if (count > 0) {
        text_addf(t, "; it belongs to %s ", count == 1 ? "section" : "the sections");
        hint_add_sections(name, count, t);
    } else if (nearest) {
        text_addf(t, "; did you mean '%s'?", nearest);
    }
}
