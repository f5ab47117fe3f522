// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/pages.h"

#include "ctl/client.h"
#include "ctl/show.h"

#include <stdlib.h>
#include <string.h>

void pages_list_begin(struct pages_list *list, const json_t *page, const char *name)
{
    json_t *head = json_copy((json_t *)page);
    json_object_del(head, name);
    json_object_del(head, "more");
    char *text = json_dumps(head, JSON_COMPACT);
    fprintf(list->out, "%.*s,\"%s\":[", (int)strlen(text) - 1, text, name);
    free(text);
    json_decref(head);
}

void pages_list_add(struct pages_list *list, const json_t *one)
{
    fputs(list->count++ == 0 ? "\n" : ",\n", list->out);
    json_dumpf(one, list->out, JSON_COMPACT);
}

void pages_list_end(struct pages_list *list)
{
    fputs("\n]}\n", list->out);
}

static bool pages_write_one(const struct pages *p, struct pages_list *list, const json_t *page,
                            bool first, struct error *err)
{
    size_t i;
    const json_t *one, *all = json_object_get(page, p->list);
    if (!json_is_array(all) || (p->show && !p->show(p->out, page, first)))
        return show_refuse_shape(err);
    if (p->show)
        return true;
    if (first)
        pages_list_begin(list, page, p->list);
    json_array_foreach(all, i, one) pages_list_add(list, one);
    if (!json_object_get(page, "more"))
        pages_list_end(list);
    return true;
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
    struct pages_list list = {.out = pages->out};
    bool ok, more, first = true;
    do {
        json_t *page = client_request(socket, command, json_copy(items), err);
        ok = page && pages_write_one(pages, &list, page, first, err);
        more = ok && pages_turn(items, page);
        first = false;
        json_decref(page);
    } while (more);
    json_decref(items);
    return ok;
}
