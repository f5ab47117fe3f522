// SPDX-License-Identifier: BSD-2-Clause
#include "control/explain.h"

#include "control/answer.h"
#include "control/event_answers.h"
#include "ctl/protocol.h"
#include "model/catalogue.h"
#include "model/gsw_traps.h"
#include "model/mib.h"

#include <ctype.h>

// Receivers.

// Why the receiver does not have the event; empty: it has the event, or the reason is unknown.
// Points into the arguments.
static const char *explain_reason_of(struct receiver *receiver,
                                     const struct receiver_status *status,
                                     const struct receiver_event_outcome *result,
                                     const struct event *event)
{
    const char *refusal = receiver_refusal(receiver, event);
    if (result->outcome == RECEIVER_DELIVERED || result->outcome == RECEIVER_SENT ||
        result->outcome == RECEIVER_GIVEN_UP)
        return result->reason;
    if (refusal || result->outcome != RECEIVER_WAITING)
        return refusal ? refusal : "";
    return status->paused ? "paused" : status->problem;
}

static json_t *explain_receiver_json(struct receiver *receiver, int64_t number,
                                     const struct event *event)
{
    struct receiver_status status;
    receiver_get_status(receiver, &status);
    const struct receiver_event_outcome result = receiver_outcome_of(receiver, number);
    const struct sink *r = receiver_sink(receiver);
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", r->name, "kind", r->kind, "state",
                     outcomes_word(result.outcome), "time", protocol_time(result.time_us), "reason",
                     protocol_text(explain_reason_of(receiver, &status, &result, event)));
}

static json_t *explain_receivers_json(const struct control *c, int64_t number,
                                      const struct event *event)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->parts->receiver_count; i++)
        json_array_append_new(list, explain_receiver_json(c->parts->receivers[i], number, event));
    return list;
}

// Notifications.

static json_t *explain_oid_json(const uint32_t *ids, size_t count)
{
    char buffer[(MIB_OID_MAX + MIB_INSTANCE_MAX) * 11];
    struct text t = text_in(buffer, sizeof buffer);
    mib_add_oid(&t, ids, count);
    return json_string(buffer);
}

static bool is_printable(const uint8_t *octets, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!isprint(octets[i]))
            return false;
    }
    return true;
}

static json_t *value_json(const struct mib_varbind *v)
{
    char hex[MIB_VALUE_MAX * 2 + 3];
    struct text t = text_in(hex, sizeof hex);
    if (v->syntax == MIB_INTEGER32)
        return json_integer((int32_t)v->number);
    if (v->syntax == MIB_UNSIGNED32)
        return json_integer(v->number);
    if (is_printable(v->octets, v->size))
        return json_stringn((const char *)v->octets, v->size);
    text_add(&t, "0x");
    text_add_hex(&t, v->octets, v->size);
    return json_string(hex);
}

static json_t *objects_json(const struct mib_notification *n, const struct event *event)
{
    json_t *list = json_array();
    for (size_t i = 0; i < MIB_OBJECTS_MAX && n->objects[i]; i++) {
        struct mib_varbind v;
        mib_encode(n->objects[i], event, &v);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", n->objects[i]->name, "oid",
                                              explain_oid_json(v.oid, v.oid_length), "value",
                                              value_json(&v)));
    }
    return list;
}

static void add_notification(json_t *list, const struct event *event, const char *mib,
                             bool by_default, const struct mib_notification *n)
{
    if (n)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:b, s:o}", "mib", mib, "name", n->name, "oid",
                            explain_oid_json(n->oid.ids, n->oid.length), "default", (int)by_default,
                            "objects", objects_json(n, event)));
}

// Lists the notifications of all MIBs. By default, receivers get that of the IBTRAPD-MIB only if
// the other MIBs have none for the event, or say less, or if it is a test (sink/snmp_pdu.h).
static json_t *notifications_json(const struct event *event)
{
    const struct catalogue_entry *type = event->type;
    const struct mib_notification *traps[GSW_TRAPS_MAX];
    const size_t n = gsw_traps(event, traps);
    const bool real = !event->test;
    json_t *list = json_array();
    add_notification(list, event, "IB-SMA-MIB", real, type->sma);
    for (size_t i = 0; i < n; i++)
        add_notification(list, event, "IBSWITCH-MIB", real, traps[i]);
    add_notification(list, event, "IBTRAPD-MIB",
                     event->test || json_array_size(list) == 0 || type->own_says_more,
                     type->own || real ? type->own : &mib_ibtrapdTestEvent);
    return list;
}

// Other events.

static json_t *other_json(struct journal *journal, const char *id)
{
    if (id[0] == '\0')
        return json_null();
    int64_t number = event_answers_find_id(journal, id);
    struct event *event = event_answers_read(journal, number);
    if (!event)
        return json_pack("{s:s, s:n, s:n, s:n}", "id", id, "number", "event", "text");
    json_t *other = json_pack("{s:s, s:I, s:s, s:o}", "id", id, "number", (json_int_t)number,
                              "event", event->type->name, "text", protocol_text(event->text));
    event_unref(event);
    return other;
}

json_t *explain_answer(struct control *control, const json_t *request)
{
    struct journal *journal = control->parts->journal;
    int64_t number = event_answers_find(journal, request);
    struct event *event = event_answers_read(journal, number);
    if (!event)
        return answer_refuse("the journal has no such event; 'ibtrapctl events' lists numbers");
    json_t *answer = json_pack(
        "{s:i, s:I, s:s, s:o, s:o, s:o, s:o, s:o}", "version", PROTOCOL_VERSION, "number",
        (json_int_t)number, "title", event->type->title, "event", event_answers_json(number, event),
        "suppressed", protocol_text(event->suppressed), "cause",
        other_json(journal, event->cause_id), "related", other_json(journal, event->related_id),
        "notifications", notifications_json(event));
    control->found = event;
    return answer;
}

void explain_finish(struct control *control, json_t *answer)
{
    const int64_t number = json_integer_value(json_object_get(answer, "number"));
    json_object_set_new(answer, "receivers",
                        explain_receivers_json(control, number, control->found));
}
