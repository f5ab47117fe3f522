// SPDX-License-Identifier: BSD-2-Clause
#include "conf/item.h"

#include <stdio.h>
#include <string.h>

const struct schema_item *schema_item(const struct schema_section *section, size_t i)
{
    for (size_t p = 0; section->parts[p]; p++) {
        if (i < section->parts[p]->count)
            return &section->parts[p]->items[i];
        i -= section->parts[p]->count;
    }
    return NULL;
}

const struct schema_item *schema_find(const struct schema_section *section, const char *name,
                                      size_t *place)
{
    const struct schema_item *item;
    for (size_t i = 0; (item = schema_item(section, i)); i++) {
        if (strcmp(item->name, name) == 0) {
            if (place)
                *place = i;
            return item;
        }
    }
    return NULL;
}

// Whether `help` has each word of the item as a literal.
static bool item_explains_words(const struct schema_item *item)
{
    char literal[80];
    for (const struct word *word = item->words; word->name; word++) {
        snprintf(literal, sizeof literal, "`%s`", word->name);
        if (!strstr(item->help, literal))
            return false;
    }
    return true;
}

static void item_add_words(const struct word *words, struct text *t)
{
    text_add(t, " One of");
    for (const struct word *word = words; word->name; word++)
        text_addf(t, "%s `%s`", word == words ? "" : word[1].name ? "," : " or", word->name);
    text_add(t, ".");
}

void schema_add_values(const struct schema_item *item, struct text *t)
{
    if (item->type == SCHEMA_NUMBER)
        text_addf(t, " From %lld to %lld%s.", (long long)item->low, (long long)item->high,
                  item->zero ? ", or 0" : "");
    else if (item->words && !item_explains_words(item))
        item_add_words(item->words, t);
    if (item->pairs && item->pairs->names)
        text_addf(t, " There are %s.", item->pairs->names + strlen(", "));
}
