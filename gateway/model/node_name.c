// SPDX-License-Identifier: BSD-2-Clause
#include "model/node_name.h"

#include "base/text.h"

#include <string.h>

// Patterns of the shell. A host name "localhost" or "(none)" is one that nobody has set yet.
static const char *const OF_FACTORIES[] = {
    "*Mellanox Technologies*", // "MT4129 ConnectX7   Mellanox Technologies", "Quantum Mellanox ..."
    "*Aggregation Node*",
    "MT[0-9][0-9][0-9][0-9]*", // "MT25408 ConnectX", "MT47396 Infiniscale-III"
    "Voltaire HCA*",           "QLogic Infiniband HCA*", "localhost", "localhost[ .]*", "(none)*",
};

bool node_name_is_of_factory(const char *description)
{
    for (size_t i = 0; i < sizeof OF_FACTORIES / sizeof *OF_FACTORIES; i++) {
        if (text_fits(description, OF_FACTORIES[i]))
            return true;
    }
    return description[0] == '\0';
}

static bool node_name_is_device(const char *word)
{
    return word[0] != '\0' && word[strcspn(word, " \t")] == '\0';
}

struct node_name node_name_read(const char *pattern, const char *description)
{
    const char *const mark = strstr(pattern, "%h");
    const size_t before = mark ? (size_t)(mark - pattern) : 0;
    if (!mark || strncmp(pattern, description, before) != 0)
        return (struct node_name){0};
    const char *behind = mark + 2, *const host = description + before;
    const char stops[] = {' ', '\t', behind[0] != '%' ? behind[0] : '\0', '\0'};
    const size_t length = strcspn(host, stops);
    const char *rest = host + length;
    for (; *behind != '\0' && *behind != '%'; behind++, rest++) {
        if (*rest != *behind)
            return (struct node_name){0};
    }
    const bool has_device = *behind == '%';
    const bool fits = has_device ? node_name_is_device(rest) : *rest == '\0';
    return fits && length > 0 ? (struct node_name){host, length, has_device}
                              : (struct node_name){0};
}

bool node_name_is_pattern(const char *pattern)
{
    const char *const host = strstr(pattern, "%h");
    if (!host || host[2] == '%')
        return false;
    const char *const other = strchr(host + 1, '%');
    return strchr(pattern, '%') == host && (!other || strcmp(other, "%d") == 0);
}
