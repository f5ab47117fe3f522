// SPDX-License-Identifier: BSD-2-Clause
#include "conf/hint.h"

#include "conf/schema.h"

#include <string.h>

enum { NAME_MAX_LENGTH = 32, DISTANCE_MAX = 2 };

static unsigned hint_least(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

// Counts the letters that must be inserted, removed, replaced or exchanged with their neighbour to
// make one name of the other: the distance of optimal string alignment.
static unsigned hint_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    unsigned rows[3][NAME_MAX_LENGTH + 1]; // for the last three letters of `a`
    if (m > NAME_MAX_LENGTH || n > NAME_MAX_LENGTH)
        return NAME_MAX_LENGTH;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            row[j] =
                hint_least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
    }
    return rows[m % 3][n];
}

struct hint_nearest {
    const char *wanted, *name;
    unsigned distance;
};

static void hint_try(struct hint_nearest *nearest, const char *name)
{
    unsigned distance = hint_distance(nearest->wanted, name);
    if (distance < nearest->distance && distance < strlen(name)) {
        nearest->distance = distance;
        nearest->name = name;
    }
}

// Returns the nearest name that may stand there; NULL: none is near.
static const char *hint_find_nearest(const struct schema_section *section, const char *name)
{
    struct hint_nearest nearest = {.wanted = name, .distance = DISTANCE_MAX + 1};
    const struct schema_item *item;
    for (size_t i = 0; section && (item = schema_item(section, i)); i++)
        hint_try(&nearest, item->name);
    for (size_t i = 0; !section && i < SCHEMA_COUNT; i++)
        hint_try(&nearest, SCHEMA[i].name);
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
