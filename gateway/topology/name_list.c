// SPDX-License-Identifier: BSD-2-Clause
#include "topology/name_list.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

char *name_list_add(struct name_list *list)
{
    MEMORY_MAKE_ROOM(list->all, list->count, list->capacity);
    char *name = list->all[list->count++].text;
    name[0] = '\0';
    return name;
}

void name_list_clear(struct name_list *list)
{
    free(list->all);
    *list = (struct name_list){0};
}

static int name_list_compare_names(const void *a, const void *b)
{
    const struct name_list_entry *m = a, *n = b;
    return strverscmp(m->text, n->text);
}

static bool name_list_is_digit(char c)
{
    return isdigit((unsigned char)c) != 0;
}

// Whether the two names differ in a number at `*at` alone, and `next` has the next number.
static bool name_list_follows(const char *name, const char *next, size_t *at)
{
    size_t i = 0;
    while (name[i] != '\0' && name[i] == next[i])
        i++;
    while (i > 0 && name_list_is_digit(name[i - 1]))
        i--;
    const size_t digits = strspn(name + i, "0123456789"), other = strspn(next + i, "0123456789");
    *at = i;
    return digits > 0 && digits < 10 && other < 10 &&
           strcmp(name + i + digits, next + i + other) == 0 &&
           (digits == other || next[i] != '0') &&
           strtoul(next + i, NULL, 10) == strtoul(name + i, NULL, 10) + 1;
}

// Writes the first name, with `joins` also the names with the next numbers. Returns how many.
static uint32_t name_list_write_run(const struct name_list *names, uint32_t first, bool joins,
                                    struct text *t)
{
    const char *name = names->all[first].text;
    uint32_t last = first;
    size_t at = 0, same;
    while (joins && last + 1 < names->count &&
           name_list_follows(names->all[last].text, names->all[last + 1].text, &same) &&
           (last == first || same == at)) {
        at = same;
        last++;
    }
    if (last == first) {
        text_add(t, name);
        return 1;
    }
    const size_t digits = strspn(name + at, "0123456789");
    const char *end = names->all[last].text + at;
    text_addf(t, "%.*s[%.*s-%.*s]%s", (int)at, name, (int)digits, name + at,
              (int)strspn(end, "0123456789"), end, name + at + digits);
    return last - first + 1;
}

struct name_list_limits {
    uint32_t most;
    size_t end; // of the text
    bool joins;
};

// Returns whether all names are there. Without `joins`, writes nothing otherwise.
static bool name_list_try(const struct name_list *names, const struct name_list_limits *limits,
                          struct text *t)
{
    static const char MORE[] = " and 1000000 more";
    const struct text before = *t;
    uint32_t n = 0;
    for (uint32_t pieces = 0; n < names->count && pieces < limits->most; pieces++) {
        char buf[2 * NAMES_NAME_SIZE];
        struct text piece = text_in(buf, sizeof buf);
        const uint32_t taken = name_list_write_run(names, n, limits->joins, &piece);
        if (t->len + strlen(", ") + piece.len + sizeof MORE > limits->end)
            break;
        text_addf(t, "%s%s", n > 0 ? ", " : "", buf);
        n += taken;
    }
    if (n < names->count && !limits->joins)
        text_go_back(t, &before);
    else if (n < names->count)
        text_addf(t, " and %u more", (unsigned)(names->count - n));
    return n == names->count;
}

void name_list_write(struct name_list *list, uint32_t most, size_t room, struct text *t)
{
    struct name_list_limits limits = {most, t->len + room < t->size ? t->len + room : t->size,
                                      false};
    if (list->count > NAME_LIST_FEW)
        qsort(list->all, list->count, sizeof *list->all, name_list_compare_names);
    if (name_list_try(list, &limits, t))
        return;
    limits.joins = true;
    name_list_try(list, &limits, t);
}
