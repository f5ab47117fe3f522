// Answers that come in pages, each with what asks for the next one.
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

// Makes `items` ask for the page behind this one; `*more`: there is one. False with a sentence when
// memory is short.
bool pages_turn(json_t *items, const json_t *page, bool *more, struct error *err);

// Asks for all pages and writes them; the reference of `items` is taken over. False with a sentence
// when one does not come; those before it are written then.
bool pages_write(const struct pages *pages, const char *socket, const char *command, json_t *items,
                 struct error *err);

#endif
