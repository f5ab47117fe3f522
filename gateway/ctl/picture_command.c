// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/picture_command.h"

#include "ctl/client.h"
#include "ctl/fabric_pages.h"
#include "ctl/pages.h"
#include "ctl/show.h"
#include "picture/dot.h"
#include "picture/svg.h"

bool picture_command_wanted(const struct arguments *a)
{
    return a->values[OPTION_DOT] || a->values[OPTION_SVG] || a->values[OPTION_HOSTS];
}

static void picture_command_take(struct picture *picture, const json_t *page)
{
    size_t i;
    const json_t *alarm;
    json_array_foreach(json_object_get(page, "alarms"), i, alarm)
        picture_add_alarm(picture, member_word(alarm, "key"), member_word(alarm, "event"));
}

static bool picture_command_add_alarms(const struct arguments *a, struct picture *picture,
                                       struct error *err)
{
    json_t *items = json_object();
    bool ok, more = false;
    do {
        json_t *page = client_request(a->socket, "alarms", json_copy(items), err);
        ok = page && (json_is_array(json_object_get(page, "alarms")) || show_refuse_shape(err));
        if (ok)
            picture_command_take(picture, page);
        more = ok && pages_turn(items, page);
        json_decref(page);
    } while (more);
    json_decref(items);
    return ok;
}

static void picture_command_write(const struct arguments *a, struct picture *picture)
{
    picture_finish(picture);
    if (a->values[OPTION_DOT])
        dot_write(a->out, picture);
    else
        svg_write(a->out, picture, true);
}

enum command_outcome picture_command(const struct arguments *a, struct error *err)
{
    struct names *names;
    if (!a->values[OPTION_DOT] == !a->values[OPTION_SVG] || a->json || a->count > 0)
        return COMMAND_WRONG_USAGE;
    struct fabric *fabric = fabric_pages_read(a->socket, a->wire, &names, err);
    if (!fabric)
        return COMMAND_REFUSED;
    struct picture *picture = picture_new(fabric, names, a->values[OPTION_HOSTS] != NULL);
    const bool ok = picture_command_add_alarms(a, picture, err);
    if (ok)
        picture_command_write(a, picture);
    picture_free(picture);
    names_unref(names);
    fabric_unref(fabric);
    return command_outcome(ok);
}
