// SPDX-License-Identifier: BSD-2-Clause
#include "page/page_alarms.h"

#include "control/answer.h"
#include "control/worst_alarms.h"
#include "ctl/protocol.h"
#include "picture/picture.h"

struct page_alarms {
    struct journal *journal;
    const struct fabric *fabric;
    const struct names *names;
    struct page_names *then;
    unsigned names_read;
};

// What an end was called in the event that raised the alarm, if that was about it.
static const char *page_alarms_name_then(const struct page_name *then, uint64_t guid)
{
    return !then                     ? ""
           : then->guid == guid      ? then->name
           : then->peer_guid == guid ? then->peer_name
                                     : "";
}

static bool page_alarms_is_there(const struct page_alarms *all, uint64_t guid)
{
    return names_find(all->names, guid) ||
           (all->fabric && fabric_find_node(all->fabric, guid) != FABRIC_NONE);
}

static json_t *page_alarms_end(const struct page_alarms *all, const struct page_name *then,
                               uint64_t guid, uint8_t port)
{
    const uint32_t node = all->fabric ? fabric_find_node(all->fabric, guid) : FABRIC_NONE;
    const char *name = names_find(all->names, guid);
    if (!name)
        name = node != FABRIC_NONE ? all->fabric->nodes[node].description
                                   : page_alarms_name_then(then, guid);
    return json_pack("{s:o, s:o, s:i}", "guid", protocol_guid(guid), "name", protocol_text(name),
                     "port", (int)port);
}

static json_t *page_alarms_ends(struct page_alarms *all, const struct alarm *a)
{
    struct alarm_key what;
    json_t *ends = json_array();
    if (!picture_read_key(a->key, &what) || what.kind > ALARM_KEY_RATE)
        return ends;
    const bool gone = !page_alarms_is_there(all, what.guid) ||
                      (what.peer_guid != 0 && !page_alarms_is_there(all, what.peer_guid));
    const struct page_name *then = gone && all->names_read++ < PAGE_NAMES_MAX
                                       ? page_names_find(all->then, all->journal, a->event_sequence)
                                       : NULL;
    json_array_append_new(ends, page_alarms_end(all, then, what.guid, what.port));
    if (what.peer_guid != 0)
        json_array_append_new(ends, page_alarms_end(all, then, what.peer_guid, what.peer_port));
    return ends;
}

static json_t *page_alarms_one(struct page_alarms *all, const struct alarm *a)
{
    return json_pack("{s:I, s:s, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "number",
                     (json_int_t)a->event_sequence, "event", a->type, "severity",
                     severity_word(a->severity), "text", protocol_text(a->text), "raised",
                     protocol_time(a->raised_us), "count", (json_int_t)a->count, "acknowledged",
                     protocol_time(a->acknowledged_us), "note", protocol_text(a->note),
                     "shelved_until", protocol_time(a->shelved_until_us), "ends",
                     page_alarms_ends(all, a));
}

json_t *page_alarms_json(struct journal *journal, const struct fabric *fabric,
                         const struct names *names, struct page_names *then)
{
    struct page_alarms all = {.journal = journal, .fabric = fabric, .names = names, .then = then};
    struct worst_alarms worst;
    json_t *list = json_array();
    worst_alarms_find(journal, clock_utc(&clock_system), PAGE_ALARMS_MAX, &worst);
    for (size_t i = 0; i < worst.count; i++)
        json_array_append_new(list, page_alarms_one(&all, worst.all[i]));
    worst_alarms_free(&worst);
    return list;
}
