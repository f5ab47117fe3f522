// SPDX-License-Identifier: BSD-2-Clause
#include "conf/hint.h"

#include "base/text.h"
#include "conf/schema.h"

// Finds the nearest name that may stand there.
static struct nearest hint_find_nearest(const struct schema_section *section, const char *name)
{
    struct nearest nearest = nearest_begin(name);
    const struct schema_item *item;
    for (size_t i = 0; section && (item = schema_item(section, i)); i++)
        nearest_try(&nearest, item->name);
    for (size_t i = 0; !section && i < SCHEMA_COUNT; i++)
        nearest_try(&nearest, SCHEMA[i].name);
    return nearest;
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
    const struct nearest nearest = hint_find_nearest(section, name);
    // An item of another section may still be a slip, such as url for urls.
    const bool is_slip = nearest.name && (count == 0 || (section && nearest.distance == 1));
    if (is_slip)
        text_addf(t, "; did you mean '%s'?", nearest.name);
    if (count == 0)
        return;
    if (is_slip)
        text_addf(t, " '%s'", name);
    text_addf(t, "%s belongs to %s ", is_slip ? "" : "; it",
              count == 1 ? "section" : "the sections");
    hint_add_sections(name, count, t);
}
