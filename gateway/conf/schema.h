// The configuration's items, a row each. From these rows come the parser, the defaults, the checks
// of single values, what a reload may change, `ibtrapd --print-config`, the example file and the
// lists of items in ibtrapd.conf(5).
#ifndef IBTRAPD_CONF_SCHEMA_H
#define IBTRAPD_CONF_SCHEMA_H

#include "conf/conf.h"
#include "conf/word.h"

struct schema_section;
struct section;

enum schema_type {
    SCHEMA_NUMBER,   // a whole number, in an integer of any size
    SCHEMA_BOOL,     // in a bool or an int
    SCHEMA_TEXT,     // in an array of char
    SCHEMA_ADDRESS,  // a host in an array of char, and its port in the uint16_t behind that
    SCHEMA_WORD,     // one of `words`, by its value in an integer of any size
    SCHEMA_WORDS,    // a list of them: their values are bits of an unsigned
    SCHEMA_PATTERNS, // a list, in a struct filter_list
    SCHEMA_PAIRS,    // a list of "name=value", in an array
};

// What a reload may do with an item of a running gateway.
enum schema_reload { SCHEMA_LIVE, SCHEMA_RESTART };

// The array behind a list of pairs.
struct schema_pairs {
    void (*reset)(void *array); // to the defaults
    bool (*take)(const char *pair, void *array, struct error *reason);
    // The pair of a place. Nothing, if it is not set; false: there is no such place.
    bool (*add)(const void *array, size_t place, struct text *out);
    // The names that stand before "=", for the manual; NULL behind the last one. NULL: `help`
    // tells.
    const char *(*name)(size_t place);
};

struct schema_item {
    const char *name;
    enum schema_type type;
    enum schema_reload reload;
    size_t at, size; // in the section's object
    // What the section's check derives from it, such as the key in a file. A reload compares this
    // in place of the item itself. 0: nothing.
    size_t derived_at, derived_size;
    size_t given_at;   // a bool that says whether the file has the item; 0: none
    int64_t low, high; // of a number. Of a text, `high` is its length at most; 0: what there is
                       // room for. Of an address, `low` is its port if none is said
    bool zero;         // 0 is good, too
    int64_t factor;    // what is kept is so many times the number; 0: once
    int64_t unset;     // what is kept of a number or a word without default that is not there
    bool may_be_empty; // a text
    bool secret;       // is neither printed nor told
    const struct word *words;
    const struct schema_pairs *pairs;
    // Further checks of a text or of a list's member, and of what it names. False with a reason.
    bool (*check)(const struct schema_item *item, const char *value, struct error *reason);
    const char *initial; // the default, as a file has it without quotation marks; NULL: it is not
                         // set. A list begins empty, or as `pairs` has it
    const char *example; // for an item without default, as a file has it
    bool shown;          // the example file has that in force
    const char *help;    // sentences. `x` is literal, and name(1) another manual page
};

// What a section's items land in.
enum schema_object { SCHEMA_CONF, SCHEMA_RULE, SCHEMA_RECEIVER };

// Items that stand together; several kinds of sections may share them.
struct schema_part {
    const char *title; // of those that are shared; NULL: the section's own
    const struct schema_item *items;
    size_t count;
};

struct schema_section {
    const char *name;
    enum schema_object object;
    enum conf_kind kind;                // of SCHEMA_RECEIVER
    const char *title;                  // in the example, of a section that has a name of its own
    bool commented;                     // in the example
    const char *help;                   // sentences, as of an item
    const char *more;                   // another such section for the example, as a file has it
    const struct schema_part *parts[4]; // NULL behind the last one
    void (*check)(struct section *section); // of the section as a whole; NULL: none
};

extern const struct schema_section SCHEMA[];
extern const size_t SCHEMA_COUNT;
enum { SCHEMA_SECTIONS_MAX = 32, SCHEMA_ITEMS_MAX = 64 };

const struct schema_section *schema_section(const char *name); // NULL: there is none

// What a section that there was is called now; NULL: there was none of that name.
const char *schema_new_name(const char *section);

// The items of a section one after the other, from 0; NULL behind the last one.
const struct schema_item *schema_item(const struct schema_section *section, size_t i);

// NULL: the section has no such item. `place` gets its number for schema_item; it may be NULL.
const struct schema_item *schema_find(const struct schema_section *section, const char *name,
                                      size_t *place);

// Adds sentences about the values that an item may have: " From 1 to 3600." Literals stand as in
// `help`. Nothing, where `help` says it all.
void schema_add_values(const struct schema_item *item, struct text *t);

#endif
