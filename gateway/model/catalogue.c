// SPDX-License-Identifier: BSD-2-Clause
#include "model/catalogue.h"

#include "base/text.h"
#include "mib_modules.h"
#include "model/fabric.h"
#include "model/notice.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const struct catalogue_entry ENTRIES[CATALOGUE_COUNT] = {
#define EVENT(event, ...) [event] = {__VA_ARGS__},
#include "model/catalogue.def"
};

const struct catalogue_entry *catalogue_get(enum catalogue_event event)
{
    assert(event >= 0 && event < CATALOGUE_COUNT);
    return &ENTRIES[event];
}

enum catalogue_event catalogue_event_of(const struct catalogue_entry *entry)
{
    return (enum catalogue_event)(entry - ENTRIES);
}

bool catalogue_has_field(const struct catalogue_entry *entry, enum field field)
{
    for (size_t i = 0; i < CATALOGUE_FIELDS_MAX && entry->fields[i] != FIELD_NONE; i++) {
        if (entry->fields[i] == field)
            return true;
    }
    return false;
}

bool catalogue_is_summary(const struct catalogue_entry *entry)
{
    return entry->origin == CATALOGUE_FROM_EVENTS;
}

bool catalogue_is_own(const struct catalogue_entry *entry)
{
    return entry->origin == CATALOGUE_FROM_OCCURRENCE;
}

const struct catalogue_entry *catalogue_find(const char *name)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        if (strcmp(ENTRIES[i].name, name) == 0)
            return &ENTRIES[i];
    }
    return NULL;
}

const char *catalogue_remedy(const char *name)
{
    const struct catalogue_entry *entry = catalogue_find(name);
    return entry ? entry->remedy : "";
}

void catalogue_add_hint(const char *name, struct text *t)
{
    struct nearest nearest = nearest_begin(name);
    for (int i = 0; i < CATALOGUE_COUNT; i++)
        nearest_try(&nearest, ENTRIES[i].name);
    if (nearest.name)
        text_addf(t, "; did you mean '%s'?", nearest.name);
    else
        text_add(t, "; 'ibtrapctl catalogue' lists them");
}

const struct catalogue_entry *catalogue_of_notice(const struct notice *notice)
{
    if (!notice->generic)
        return &ENTRIES[CATALOGUE_VENDOR_TRAP];
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        if (notice->trap != 0 && ENTRIES[i].trap == notice->trap)
            return &ENTRIES[i];
    }
    return &ENTRIES[CATALOGUE_UNKNOWN_TRAP];
}
