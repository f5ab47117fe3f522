// SPDX-License-Identifier: BSD-2-Clause
// Answers that come in pages: item "more" of a page has the items that request the next page.
#ifndef IBTRAPD_CTL_PAGES_H
#define IBTRAPD_CTL_PAGES_H

#include "base/error.h"

#include <jansson.h>
#include <stdio.h>

// How the pages of an answer are written.
struct pages {
    FILE *out;
    const char *list; // the item whose value is spread over the pages
    bool (*show)(FILE *out, const json_t *page, bool first); // NULL: as JSON
};

// A list of an object in JSON, one item a line, so that the whole list is never in memory.
struct pages_list {
    FILE *out;
    size_t count; // of the items so far
};

// Writes the members of the object but the list `name` and "more", and begins the list.
void pages_list_begin(struct pages_list *list, const json_t *page, const char *name);
void pages_list_add(struct pages_list *list, const json_t *one);
void pages_list_end(struct pages_list *list);

// Changes `items` so that they request the page after this one. Returns whether there is one.
bool pages_turn(json_t *items, const json_t *page);

// Requests all pages and writes them; takes over the reference of `items`. False with a sentence:
// a page did not come; the pages before it are written.
bool pages_write(const struct pages *pages, const char *socket, const char *command, json_t *items,
                 struct error *err);

#endif
