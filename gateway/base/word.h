// SPDX-License-Identifier: BSD-2-Clause
// Lists of words, each with its number. Reading and printing share a list.
#pragma once

#include "base/text.h"

struct word {
    int64_t value;
    const char *name; // NULL behind the last word
};

// Finds the value of a name. False: `words` do not have the name.
bool word_value(const struct word *words, const char *name, int64_t *value);

// Returns the name of a value; NULL: no word has the value.
const char *word_name(const struct word *words, int64_t value);

// Adds all names: "a, b, c".
void word_list(const struct word *words, struct text *t);
