// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "ctl/client.h"

#include <string.h>

// The pages of an answer, on their way to the output.
struct request_pages {
    const struct arguments *a;
    const struct show_form *form;
    struct show_list list;
    bool has_begun;
};

static bool request_command_show(void *ctx, const json_t *page, struct error *err)
{
    struct request_pages *p = ctx;
    size_t i;
    const json_t *one, *all = json_object_get(page, p->form->list);
    const bool is_first = !p->has_begun;
    p->has_begun = true;
    if (!json_is_array(all) || (!p->a->json && !show_form(p->a->out, p->form, page, is_first)))
        return show_refuse_shape(err);
    if (!p->a->json)
        return true;
    if (is_first)
        show_list_begin(&p->list, page, p->form->list);
    json_array_foreach(all, i, one) show_list_add(&p->list, one);
    if (!json_object_get(page, "more"))
        show_list_end(&p->list);
    return true;
}

bool request_command_write(const struct arguments *a, const struct show_form *form, json_t *answer,
                           struct error *err)
{
    bool ok = true;
    if (a->json)
        ok = show_json(a->out, answer, err);
    else if (form)
        ok = show_form(a->out, form, answer, true) || show_refuse_shape(err);
    json_decref(answer);
    return ok;
}

enum command_outcome request_command_send(const struct arguments *a, const struct show_form *form,
                                          json_t *items, struct error *err)
{
    if (form && form->is_paged) {
        struct request_pages pages = {.a = a, .form = form, .list = {.out = a->out}};
        return command_outcome(client_each_page(a->socket, a->command->wire, items,
                                                request_command_show, &pages, err));
    }
    json_t *answer = client_request(a->socket, a->command->wire, items, err);
    return command_outcome(answer && request_command_write(a, form, answer, err));
}

// Makes the items that the words fill; a word that is missing fills none. NULL: a word is no
// number.
static json_t *request_command_items(const struct arguments *a)
{
    const char *p = a->command->items ? a->command->items : "";
    json_t *items = json_object();
    for (int i = 0; i < a->count; i++) {
        const bool is_minutes = *p == '@', is_number = *p == '#' || is_minutes;
        const size_t length = strcspn(p += is_number, " ");
        char name[40];
        long long number = 0;
        snprintf(name, sizeof name, "%.*s", (int)length, p);
        p += length + (p[length] == ' ');
        if (is_number &&
            !(is_minutes ? arguments_read_minutes : arguments_read_number)(a->words[i], &number)) {
            json_decref(items);
            return NULL;
        }
        json_object_set_new(items, name,
                            is_number ? json_integer(number) : json_string(a->words[i]));
    }
    return items;
}

enum command_outcome request_command_run(const struct arguments *a, struct error *err)
{
    json_t *items = request_command_items(a);
    return items ? request_command_send(a, a->command->form, items, err) : COMMAND_WRONG_USAGE;
}
