// SPDX-License-Identifier: BSD-2-Clause
// A section of a file while the parser reads it.
#ifndef IBTRAPD_CONF_SECTION_H
#define IBTRAPD_CONF_SECTION_H

#include "conf/item.h"
#include "conf/report.h"

struct section {
    const struct schema_section *schema;
    void *object;     // its struct conf, conf_rule or conf_receiver
    const char *name; // of a rule or a receiver; NULL: the section has no name of its own
    uint64_t given;   // the items that the file has: a bit for each number of schema_item
    unsigned line;    // the last one of the section that was read
    unsigned begins;  // its first line; 0: the file does not have the section yet
    unsigned lines[SCHEMA_ITEMS_MAX]; // of the items that the file has
    bool bad;                         // the section has a mistake
    bool looks;                       // the files and groups that it names are looked at
    struct report *report;
};

// Reports a mistake of the section as a whole. Always returns false.
bool section_refuse(struct section *section, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

// Whether the file has the item; whether the file gives it another value than its default. The
// schema of the section must have the item.
bool section_has(const struct section *section, const char *item);
bool section_sets(const struct section *section, const char *item);

// Unless `met`, refuses the section if it sets one of `items`, since that item would silently do
// nothing: "item '...' has no effect without WHAT". `items` end with NULL. False: it was refused.
bool section_needs(bool met, struct section *section, const char *const *items, const char *what);

#endif
