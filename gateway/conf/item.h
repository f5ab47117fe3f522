// SPDX-License-Identifier: BSD-2-Clause
// The columns of the configuration's schema: the types of its rows, and functions for one row or
// one section. schema.h has the rows.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "conf/conf.h"
#include "conf/word.h"

enum { SCHEMA_ITEMS_MAX = 64 }; // of a section

struct section;

enum schema_type {
    SCHEMA_NUMBER,   // a whole number, in an integer of any size
    SCHEMA_BOOL,     // in a bool or an int
    SCHEMA_TEXT,     // in an array of char
    SCHEMA_ADDRESS,  // a host in an array of char, and its port in the uint16_t behind that
    SCHEMA_WORD,     // one of `words`; an integer of any size gets its value
    SCHEMA_WORDS,    // a list of them; an unsigned gets their values, which are bits
    SCHEMA_PATTERNS, // a list, in a struct filter_list
    SCHEMA_PAIRS,    // a list of "name=value", in an array
};

// Whether a reload changes an item of a running gateway, or only a restart does.
enum schema_reload { SCHEMA_LIVE, SCHEMA_RESTART };

// How an item of the type SCHEMA_PAIRS uses its array.
struct schema_pairs {
    size_t count;        // of the array's elements
    const void *initial; // the array's defaults; NULL: zeros
    // Sets the element of the pair, for instance "ib=debug". False with a reason: the pair is
    // wrong.
    bool (*take)(const struct schema_pairs *pairs, const char *pair, void *array,
                 struct error *reason);
    // Adds the pair of the element `place` as a file has the pair. Adds nothing for an element that
    // is not set.
    void (*add)(const struct schema_pairs *pairs, const void *array, size_t place,
                struct text *out);
    double max;         // of a rate
    const char *names;  // that may stand before "=", each after ", "; NULL: `help` tells the names
    const char *things; // of texts: the plural, for messages
    int (*compare)(const char *a, const char *b, size_t octets); // of texts: of their names
    const char *wanted; // the form of a pair, for the sentence "must be ..."
};

// A row: one item. Its field is in the object of its section (enum schema_object).
struct schema_item {
    const char *name;
    enum schema_type type;
    enum schema_reload reload;
    size_t at, size; // of the field in the section's object
    // The fields that the section's check derives from the item, for instance the key in a file. A
    // reload compares these fields in place of the item itself. Size 0: there are none.
    size_t derived_at, derived_size;
    size_t given_at; // of a bool that says whether the file has the item; 0: none
    // The range of a number. Of a text, `high` is the greatest length; 0: the field's size decides.
    // Of an address, `low` is the port if the value has none.
    int64_t low, high;
    bool zero;         // of a number: 0 is good, too
    int64_t factor;    // the field is the number times this; 0: the number itself
    int64_t unset;     // the field of a number or a word that has no default and is not set
    bool may_be_empty; // of a text
    bool secret; // neither messages nor printed configurations show the value; of a list the names
    const struct word *words;
    const struct schema_pairs *pairs;
    // Checks a text, a host or a member of a list beyond its length. False with a reason. NULL: the
    // type's own checks are enough.
    bool (*check)(const char *value, struct error *reason);
    // Does the same with the file or the group that a text names; opens the file. NULL: there is
    // nothing to look at.
    bool (*look)(const char *value, struct error *reason);
    // The default in the form of a file, without quotation marks; NULL: the item is not set. A list
    // has no default here: the list begins empty, or with the defaults of `pairs`.
    const char *initial;
    const char *example; // a value in the form of a file, for the example in place of the default
    const char *needed;  // of a text: says why each section must have the item; NULL: need not
    bool shown;          // the example file sets the item to `example`
    const char *help;    // sentences; `x` is literal, and name(1) is another manual page
};

// The object that has the fields of a section's items: the struct conf, or a struct conf_rule or
// conf_receiver for each section of that kind.
enum schema_object { SCHEMA_CONF, SCHEMA_RULE, SCHEMA_RECEIVER };

// Items that stand together; several sections may share them.
struct schema_part {
    const char *title; // of shared items; NULL: the items are the section's own
    const struct schema_item *items;
    size_t count;
};

struct schema_section {
    const char *name;
    enum schema_object object;
    enum conf_kind kind; // of SCHEMA_RECEIVER
    const char *title;   // the name that the example gives a rule or a receiver
    bool commented;      // the example has the section as a comment
    const char *help;    // sentences, as of an item
    const char *more;    // the text of a second section of this kind, for the example
    const struct schema_part *parts[5]; // NULL behind the last one
    // Checks the section as a whole and reports its mistakes. NULL: the section needs no check.
    void (*check)(struct section *section);
};

// Returns the section's item with the number `i`, from 0; NULL behind the last one.
const struct schema_item *schema_item(const struct schema_section *section, size_t i);

// Returns the section's item of that name; NULL: it has none. `place` gets the item's number for
// schema_item; it may be NULL.
const struct schema_item *schema_find(const struct schema_section *section, const char *name,
                                      size_t *place);

// Adds sentences about the values of an item, for instance " From 1 to 3600.", in the marks of
// `help`. Adds nothing where `help` lists the values.
void schema_add_values(const struct schema_item *item, struct text *t);
