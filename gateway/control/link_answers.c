// SPDX-License-Identifier: BSD-2-Clause
#include "control/link_answers.h"

#include "base/memory.h"
#include "control/answer.h"
#include "ctl/protocol.h"
#include "topology/describe.h"
#include "topology/link_history.h"

#include <stdlib.h>

// An end, as far as the fabric and the names know it.
static struct endpoint link_answers_end(const struct control *c, uint64_t guid, uint8_t number)
{
    struct endpoint end = {.guid = guid, .node_guid = guid, .port = number};
    const uint32_t node = c->fabric ? fabric_find_node(c->fabric, guid) : FABRIC_NONE;
    const uint32_t port =
        node != FABRIC_NONE ? fabric_find_port(c->fabric, node, number) : FABRIC_NONE;
    const char *name = names_find(c->names, guid);
    if (port != FABRIC_NONE)
        describe_port(c->fabric, port, c->names, &end);
    else if (name)
        snprintf(end.name, sizeof end.name, "%s", name);
    return end;
}

// The share of a window that the end waited; null: it is not known.
static json_t *wait_json(const struct measured_errors *errors, const struct endpoint *end,
                         enum error_window window)
{
    double share;
    const bool known =
        errors && measured_errors_find_wait(errors, end->node_guid, end->port, window, &share);
    return known ? json_real(share) : json_null();
}

static json_t *end_json(const struct measured_errors *errors, const struct endpoint *end)
{
    return json_pack("{s:o, s:o, s:i, s:{s:o, s:o}}", "node", protocol_guid(end->node_guid), "name",
                     protocol_text(end->name), "port", (int)end->port, "wait", "short",
                     wait_json(errors, end, ERROR_WINDOW_SHORT), "long",
                     wait_json(errors, end, ERROR_WINDOW_LONG));
}

// Both ends; a switch comes before a host.
static json_t *ends_json(const struct control *c, const struct link_ends *link)
{
    struct measured_errors *errors = pipeline_measured_errors(c->parts->pipeline);
    const struct endpoint first = link_answers_end(c, link->guid, link->port);
    const struct endpoint second = link_answers_end(c, link->peer_guid, link->peer_port);
    const bool swapped = !fabric_is_element(first.type) && fabric_is_element(second.type);
    json_t *ends = json_pack("[o, o]", end_json(errors, swapped ? &second : &first),
                             end_json(errors, swapped ? &first : &second));
    measured_errors_unref(errors);
    return ends;
}

static json_t *occasions_json(const struct link_record *record)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < record->count; i++) {
        const struct link_occasion *one = &record->occasions[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:i, s:i, s:i}", "time", protocol_time(one->utc_us),
                                        "failures", (int)one->incidents[LINK_FAILED], "flaps",
                                        (int)one->incidents[LINK_FLAPPED], "error_alarms",
                                        (int)one->incidents[LINK_HAD_ERRORS]));
    }
    return list;
}

static json_t *record_json(const struct control *c, const struct link_record *record)
{
    const int64_t last = record->count > 0 ? record->occasions[record->count - 1].utc_us : 0;
    return json_pack("{s:o, s:b, s:i, s:I, s:I, s:I, s:o, s:o}", "ends",
                     ends_json(c, &record->link), "unreliable", (int)record->unreliable,
                     "occasion_count", (int)record->count, "failures",
                     (json_int_t)link_record_incidents(record, LINK_FAILED), "flaps",
                     (json_int_t)link_record_incidents(record, LINK_FLAPPED), "error_alarms",
                     (json_int_t)link_record_incidents(record, LINK_HAD_ERRORS), "last",
                     protocol_time(last), "occasions", occasions_json(record));
}

json_t *link_answers_list(struct control *control, const json_t *request)
{
    int64_t limit, worst;
    if (!answer_read_number(request, "worst", 1, &worst))
        return answer_refuse("'worst' must be 0 or 1");
    if (!answer_read_number(request, "limit", LINK_ANSWERS_MAX, &limit))
        return answer_refuse("the number of links must be from 1 to %d", (int)LINK_ANSWERS_MAX);
    const enum link_order order = worst ? LINK_WORST_FIRST : LINK_LATEST_FIRST;
    limit = limit > 0 ? limit : LINK_ANSWERS_DEFAULT;
    struct link_record *records = memory_zeroed((size_t)limit, sizeof *records);
    json_t *list = json_array();
    const size_t count =
        link_history_list(control->parts->link_history, order, records, (size_t)limit);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, record_json(control, &records[i]));
    free(records);
    return json_pack("{s:i, s:i, s:i, s:i, s:o}", "version", PROTOCOL_VERSION, "limit",
                     (int)control->parts->conf->unreliable.occasions, "days",
                     (int)(control->parts->conf->unreliable.window_us / (86400 * CLOCK_US_PER_S)),
                     "total", (int)link_history_count(control->parts->link_history), "links", list);
}
