// SPDX-License-Identifier: BSD-2-Clause
#include "base/word.h"

#include <string.h>

bool word_value(const struct word *words, const char *name, int64_t *value)
{
    for (; words->name; words++) {
        if (strcmp(words->name, name) == 0) {
            *value = words->value;
            return true;
        }
    }
    return false;
}

const char *word_name(const struct word *words, int64_t value)
{
    while (words->name && words->value != value)
        words++;
    return words->name;
}

void word_list(const struct word *words, struct text *t)
{
    for (const char *separator = ""; words->name; words++, separator = ", ")
        text_addf(t, "%s%s", separator, words->name);
}
