// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/pages.h"

#include "ctl/client.h"
#include "ctl/show.h"

#include <stdlib.h>
#include <string.h>

// Writes everything but the list, which follows.
static void write_json_head(FILE *out, const json_t *page, const char *list)
{
    json_t *head = json_copy((json_t *)page);
    json_object_del(head, list);
    json_object_del(head, "more");
    char *text = json_dumps(head, JSON_COMPACT);
    fprintf(out, "%.*s,\"%s\":[", (int)strlen(text) - 1, text, list);
    free(text);
    json_decref(head);
}

// Writes one object a line, and keeps no more of them in memory than one page has.
static void pages_write_array(const struct pages *p, const json_t *page, bool first)
{
    size_t i;
    json_t *one;
    if (first)
        write_json_head(p->out, page, p->list);
    json_array_foreach(json_object_get(page, p->list), i, one)
    {
        fputs(first && i == 0 ? "\n" : ",\n", p->out);
        json_dumpf(one, p->out, JSON_COMPACT);
    }
    if (!json_object_get(page, "more"))
        fputs("\n]}\n", p->out);
}

static bool write_page(const struct pages *p, const json_t *page, bool first, struct error *err)
{
    bool ok = json_is_array(json_object_get(page, p->list));
    if (ok && p->show)
        ok = p->show(p->out, page, first);
    else if (ok)
        pages_write_array(p, page, first);
    return ok || show_refuse_shape(err);
}

bool pages_turn(json_t *items, const json_t *page)
{
    json_t *next = json_object_get(page, "more");
    if (next)
        json_object_update(items, next);
    return next != NULL;
}

bool pages_write(const struct pages *pages, const char *socket, const char *command, json_t *items,
                 struct error *err)
{
    bool ok, more = false, first = true;
    do {
        json_t *page = client_request(socket, command, json_copy(items), err);
        ok = page && write_page(pages, page, first, err);
        more = ok && pages_turn(items, page);
        first = false;
        json_decref(page);
    } while (more);
    json_decref(items);
    return ok;
}
