// SPDX-License-Identifier: BSD-2-Clause
#include "conf/section.h"

#include "conf/value.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool section_refuse(struct section *section, const char *fmt, ...)
{
    char sentence[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    bool named = section->name != NULL;
    section->bad = true;
    report_add(section->report, section->line, "%s%s%s%s: %s", section->schema->name,
               named ? " '" : "", named ? section->name : "", named ? "'" : "", sentence);
    return false;
}

bool section_has(const struct section *section, const char *item)
{
    size_t place;
    const struct schema_item *found = schema_find(section->schema, item, &place);
    assert(found);
    return found && section->given & UINT64_C(1) << place;
}

bool section_sets(const struct section *section, const char *item)
{
    const struct schema_item *found = schema_find(section->schema, item, NULL);
    return section_has(section, item) && !value_is_default(found, section->object);
}

bool section_needs(bool met, struct section *section, const char *const *items, const char *what)
{
    for (; !met && *items; items++) {
        if (section_sets(section, *items))
            return section_refuse(section, "item '%s' has no effect without %s", *items, what);
    }
    return true;
}
