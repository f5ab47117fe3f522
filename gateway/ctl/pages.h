// Answers that come in pages: item "more" of each has the items that ask for the next one.
#ifndef IBTRAPD_CTL_PAGES_H
#define IBTRAPD_CTL_PAGES_H

#include "base/error.h"

#include <jansson.h>
#include <stdio.h>

// How the pages of an answer are written.
struct pages {
    FILE *out;
    const char *list; // the item that each page has a part of
    bool (*show)(FILE *out, const json_t *page, bool first); // NULL: as JSON
};

// Changes `items` so that they ask for the page after this one; `*more`: there is one. False with a
// sentence when memory is short.
bool pages_turn(json_t *items, const json_t *page, bool *more, struct error *err);

// Requests all pages and writes them; takes over the reference of `items`. False with a sentence
// when a page does not come; the pages before it are written then.
bool pages_write(const struct pages *pages, const char *socket, const char *command, json_t *items,
                 struct error *err);

#endif
