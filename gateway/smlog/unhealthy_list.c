// SPDX-License-Identifier: BSD-2-Clause
#include "smlog/unhealthy_list.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// What stands between two marks of the line; empty: the marks are not there. A NodeDescription may
// have any mark: the search begins behind the last quotation mark of the line.
static void unhealthy_list_explain(const char *line, size_t length, char *out, size_t size)
{
    struct text t = text_in(out, size);
    const char *const end = line + length;
    const char *at = memrchr(line, '"', length);
    at = at ? at : line;
    const char *open = memchr(at, '{', (size_t)(end - at)),
               *close = open ? memrchr(open, '}', (size_t)(end - open)) : NULL;
    if (!close)
        return;
    text_add_n(&t, open + 1, (size_t)(close - open - 1));
    text_add_n(&t, close + 1, (size_t)(end - close - 1));
}

static bool unhealthy_list_take(const char *line, size_t length, struct unhealthy_port *out)
{
    char *end;
    *out = (struct unhealthy_port){.guid = strtoull(line, &end, 16)};
    if (end == line || *end != ',' || out->guid == 0)
        return false;
    const unsigned long port = strtoul(end + 1, &end, 10);
    if (*end != ',' || port > UINT8_MAX || end > line + length)
        return false;
    out->port = (uint8_t)port;
    unhealthy_list_explain(end, (size_t)(line + length - end), out->why, sizeof out->why);
    return out->why[0] != '\0';
}

static int unhealthy_list_compare(const void *a, const void *b)
{
    const struct unhealthy_port *const x = a, *const y = b;
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x->port - y->port;
}

struct unhealthy_list unhealthy_list_read(const char *text)
{
    struct unhealthy_list list = {0};
    struct unhealthy_port port;
    size_t capacity = 0, kept = 0;
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (length == 0 || *text == '#')
            continue;
        if (!unhealthy_list_take(text, length, &port)) {
            list.strange++;
            continue;
        }
        MEMORY_MAKE_ROOM(list.ports, list.count, capacity);
        list.ports[list.count++] = port;
    }
    if (list.count > 0)
        qsort(list.ports, list.count, sizeof *list.ports, unhealthy_list_compare);
    for (size_t i = 0; i < list.count; i++) {
        if (kept == 0 || unhealthy_list_compare(&list.ports[kept - 1], &list.ports[i]) != 0)
            list.ports[kept++] = list.ports[i];
    }
    list.count = kept;
    return list;
}

bool unhealthy_list_has(const struct unhealthy_list *list, uint64_t guid, uint8_t port)
{
    const struct unhealthy_port wanted = {.guid = guid, .port = port};
    return list->count > 0 && bsearch(&wanted, list->ports, list->count, sizeof wanted,
                                      unhealthy_list_compare) != NULL;
}
