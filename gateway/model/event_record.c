// SPDX-License-Identifier: BSD-2-Clause
#include "model/event_record.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/wire.h"
#include "model/catalogue.h"
#include "model/counter.h"
#include "model/fabric.h"

#include <assert.h>
#include <string.h>

// A version octet, then fields: tag (1 octet), length (2), value.
enum { VERSION = 1, FIELD_HEAD = 3 };

enum tag {
    TAG_TYPE = 1,
    TAG_ID,
    TAG_TIME,
    TAG_SUBNET_PREFIX,
    TAG_ISSUER,
    TAG_SUBJECT,
    TAG_SOURCE,
    TAG_DESTINATION,
    TAG_SWITCH_GUID,
    TAG_RAW,
    TAG_REASON,
    TAG_ALARM_KEY,
    TAG_TEXT,
    TAG_RECEIVER,
    TAG_LOST,
    TAG_ISSUER_NODE,
    TAG_SUBJECT_NODE,
    TAG_SOURCE_NODE,
    TAG_DESTINATION_NODE,
    TAG_PEER,
    TAG_PEER_NODE,
    TAG_AFFECTED,
    TAG_SM_GUID,
    TAG_COUNTER,
    TAG_COUNTER_OLD,
    TAG_COUNTER_NEW,
    TAG_FOUND_LATE,
    TAG_DERIVED, // LID and port in the Notice that was never sent
    TAG_RELATED_ID,
    TAG_CAUSE_ID,
    TAG_SUPPRESSED,
    TAG_TEST = 40,
    TAG_ONLY_RECEIVER,
    TAG_EVENT_TRAP,
    TAG_UPLINK,
    TAG_FORMER,
    // Decisions of policy.
    TAG_SEVERITY = 60,
    TAG_CATEGORY,
    TAG_CLEARS_ID,
    TAG_RULE,
    TAG_SUMMARISED,
    TAG_REPEAT_COUNT,
    TAG_SINCE,
    TAG_CLEARED = 70,
    TAG_CLEARED_SEVERITY,
    TAG_CLEARED_CATEGORY,
    TAG_CLEARED_PEER,
    TAG_CLEARED_PEER_NODE,
    TAG_CLEARED_SWITCH_GUID,
    TAG_CLEARED_NUMBER,
    TAG_CAUSE_NUMBER = 78,
    TAG_APART,
    TAG_ERRORS = 80,
    TAG_WINDOW,
    TAG_ERROR_RATE,
    TAG_ERROR_RATE_LIMIT,
    TAG_LINK_RATE,
    TAG_OCCASIONS = 90,
    TAG_OCCASION_DAYS,
    TAG_FAILURES,
    TAG_FLAPS,
    TAG_ERROR_ALARMS,
    TAG_DATES,
    TAG_RETOLD,
};

enum {
    ENDPOINT_HEAD = 8 + 2 + ADDRESS_GID_SIZE, // GUID, LID, GID; the name follows
    ENDPOINT_NODE = 8 + 1 + 1,                // node GUID, type, port
    DERIVED_SIZE = 2 + 1,                     // LID, port
};

struct writer {
    uint8_t *out;
    size_t used;
};

static uint8_t *begin_field(struct writer *w, enum tag tag, size_t size)
{
    assert(w->used + FIELD_HEAD + size <= EVENT_RECORD_MAX);
    uint8_t *p = w->out + w->used;
    p[0] = (uint8_t)tag;
    wire_put(p + 1, 2, size);
    w->used += FIELD_HEAD + size;
    return p + FIELD_HEAD;
}

static void write_octets(struct writer *w, enum tag tag, const void *octets, size_t size)
{
    if (size > 0)
        memcpy(begin_field(w, tag, size), octets, size);
}

static void event_record_write_text(struct writer *w, enum tag tag, const char *s)
{
    write_octets(w, tag, s, strlen(s));
}

static void write_number(struct writer *w, enum tag tag, uint64_t n)
{
    wire_put(begin_field(w, tag, 8), 8, n);
}

static void write_unless_zero(struct writer *w, enum tag tag, uint64_t n)
{
    if (n != 0)
        write_number(w, tag, n);
}

static void write_node(struct writer *w, enum tag tag, const struct endpoint *who)
{
    if (who->node_guid == 0 && who->type == 0 && who->port == 0)
        return;
    uint8_t *p = begin_field(w, tag, ENDPOINT_NODE);
    wire_put(p, 8, who->node_guid);
    p[8] = who->type;
    p[9] = who->port;
}

static void write_former(struct writer *w, const struct event_former_link *former)
{
    const struct endpoint end = {
        .node_guid = former->node_guid, .type = former->type, .port = former->port};
    write_node(w, TAG_FORMER, &end);
}

static void write_derived(struct writer *w, const struct event *event)
{
    if (!event->derived)
        return;
    uint8_t *p = begin_field(w, TAG_DERIVED, DERIVED_SIZE);
    wire_put(p, 2, event->notice.lid);
    p[2] = event->notice.port;
}

// Writes the counter's name, since a later version may number the counters differently.
static void write_counter(struct writer *w, const struct event *event)
{
    if (event->counter == 0 && event->counter_old == 0 && event->counter_new == 0 &&
        event->window_min == 0)
        return;
    event_record_write_text(w, TAG_COUNTER, counter_name((enum counter)event->counter));
    write_number(w, TAG_COUNTER_OLD, event->counter_old);
    write_number(w, TAG_COUNTER_NEW, event->counter_new);
}

static void write_error_rate(struct writer *w, const struct event *event)
{
    write_unless_zero(w, TAG_ERRORS, event->errors);
    write_unless_zero(w, TAG_WINDOW, event->window_min);
    event_record_write_text(w, TAG_ERROR_RATE, event->error_rate);
    event_record_write_text(w, TAG_ERROR_RATE_LIMIT, event->error_rate_limit);
    event_record_write_text(w, TAG_LINK_RATE, event->link_rate);
}

static void write_occasions(struct writer *w, const struct event *event)
{
    write_unless_zero(w, TAG_OCCASIONS, event->occasions);
    write_unless_zero(w, TAG_OCCASION_DAYS, event->occasion_days);
    write_unless_zero(w, TAG_FAILURES, event->failures);
    write_unless_zero(w, TAG_FLAPS, event->flaps);
    write_unless_zero(w, TAG_ERROR_ALARMS, event->error_alarms);
    event_record_write_text(w, TAG_DATES, event->dates);
}

static void write_endpoint(struct writer *w, enum tag tag, const struct endpoint *who)
{
    size_t name = strlen(who->name);
    if (who->guid == 0 && who->lid == 0 && name == 0 && address_gid_is_zero(who->gid))
        return;
    uint8_t *p = begin_field(w, tag, ENDPOINT_HEAD + name);
    wire_put(p, 8, who->guid);
    wire_put(p + 8, 2, who->lid);
    memcpy(p + 10, who->gid, ADDRESS_GID_SIZE);
    memcpy(p + ENDPOINT_HEAD, who->name, name);
}

static void write_decisions(struct writer *w, const struct event *event)
{
    write_number(w, TAG_SEVERITY, event->severity);
    write_number(w, TAG_CATEGORY, event->category);
    event_record_write_text(w, TAG_CLEARS_ID, event->clears_id);
    event_record_write_text(w, TAG_RULE, event->rule);
    if (event->summarised)
        event_record_write_text(w, TAG_SUMMARISED, event->summarised->name);
    if (event->repeat_count != 0)
        write_number(w, TAG_REPEAT_COUNT, event->repeat_count);
    if (event->since_us != 0)
        write_number(w, TAG_SINCE, (uint64_t)event->since_us);
    if (event->cleared) {
        event_record_write_text(w, TAG_CLEARED, event->cleared->name);
        write_number(w, TAG_CLEARED_SEVERITY, event->cleared_severity);
        write_number(w, TAG_CLEARED_CATEGORY, event->cleared_category);
        write_endpoint(w, TAG_CLEARED_PEER, &event->cleared_peer);
        write_node(w, TAG_CLEARED_PEER_NODE, &event->cleared_peer);
        write_unless_zero(w, TAG_CLEARED_SWITCH_GUID, event->cleared_switch_guid);
    }
    if (event->cleared_number != 0)
        write_number(w, TAG_CLEARED_NUMBER, (uint64_t)event->cleared_number);
    if (event->cause_number != 0)
        write_number(w, TAG_CAUSE_NUMBER, (uint64_t)event->cause_number);
    write_unless_zero(w, TAG_APART, event->apart);
}

size_t event_record_write(const struct event *event, uint8_t out[EVENT_RECORD_MAX])
{
    struct writer w = {.out = out, .used = 1};
    out[0] = VERSION;
    event_record_write_text(&w, TAG_TYPE, event->type->name);
    event_record_write_text(&w, TAG_ID, event->id);
    write_number(&w, TAG_TIME, (uint64_t)event->time_us);
    write_number(&w, TAG_SUBNET_PREFIX, event->subnet_prefix);
    write_endpoint(&w, TAG_ISSUER, &event->issuer);
    write_endpoint(&w, TAG_SUBJECT, &event->subject);
    write_endpoint(&w, TAG_SOURCE, &event->source);
    write_endpoint(&w, TAG_DESTINATION, &event->destination);
    write_number(&w, TAG_SWITCH_GUID, event->switch_guid);
    write_octets(&w, TAG_RAW, event->raw, event->raw_size);
    event_record_write_text(&w, TAG_REASON, event->reason);
    event_record_write_text(&w, TAG_ALARM_KEY, event->alarm_key);
    event_record_write_text(&w, TAG_TEXT, event->text);
    event_record_write_text(&w, TAG_RECEIVER, event->receiver);
    write_number(&w, TAG_LOST, event->lost);
    write_node(&w, TAG_ISSUER_NODE, &event->issuer);
    write_node(&w, TAG_SUBJECT_NODE, &event->subject);
    write_node(&w, TAG_SOURCE_NODE, &event->source);
    write_node(&w, TAG_DESTINATION_NODE, &event->destination);
    write_endpoint(&w, TAG_PEER, &event->peer);
    write_node(&w, TAG_PEER_NODE, &event->peer);
    write_unless_zero(&w, TAG_AFFECTED, event->affected);
    write_unless_zero(&w, TAG_SM_GUID, event->sm_guid);
    write_counter(&w, event);
    write_error_rate(&w, event);
    write_occasions(&w, event);
    write_unless_zero(&w, TAG_FOUND_LATE, event->found_late);
    write_derived(&w, event);
    event_record_write_text(&w, TAG_RELATED_ID, event->related_id);
    event_record_write_text(&w, TAG_CAUSE_ID, event->cause_id);
    event_record_write_text(&w, TAG_SUPPRESSED, event->suppressed);
    write_decisions(&w, event);
    write_unless_zero(&w, TAG_TEST, event->test);
    write_unless_zero(&w, TAG_RETOLD, event->retold);
    event_record_write_text(&w, TAG_ONLY_RECEIVER, event->only_receiver);
    write_unless_zero(&w, TAG_EVENT_TRAP, event->event_trap);
    write_unless_zero(&w, TAG_UPLINK, event->uplink);
    write_former(&w, &event->former);
    return w.used;
}

// Reads a text without a final NUL. False: it is too long or contains a NUL, so event_record_write
// did not write it. Damaged text becomes safe to show.
static bool event_record_read_text(char *out, size_t out_size, const uint8_t *value, size_t size)
{
    if (size >= out_size || memchr(value, '\0', size))
        return false;
    text_clean((const char *)value, size, out, out_size);
    return true;
}

static bool event_record_read_number(uint64_t *out, const uint8_t *value, size_t size)
{
    *out = size == 8 ? wire_get64(value) : 0;
    return size == 8;
}

static bool read_endpoint(struct endpoint *who, const uint8_t *value, size_t size)
{
    if (size < ENDPOINT_HEAD)
        return false;
    who->guid = wire_get64(value);
    who->lid = wire_get16(value + 8);
    memcpy(who->gid, value + 10, ADDRESS_GID_SIZE);
    return event_record_read_text(who->name, sizeof who->name, value + ENDPOINT_HEAD,
                                  size - ENDPOINT_HEAD);
}

static bool event_record_read_node(struct endpoint *who, const uint8_t *value, size_t size)
{
    if (size < ENDPOINT_NODE || value[8] > FABRIC_ROUTER)
        return false;
    who->node_guid = wire_get64(value);
    who->type = value[8];
    who->port = value[9];
    return true;
}

static bool read_uplink(struct event *event, const uint8_t *value, size_t size)
{
    uint64_t port;
    if (!event_record_read_number(&port, value, size) || port > UINT8_MAX)
        return false;
    event->uplink = (uint8_t)port;
    return true;
}

static bool read_former(struct event *event, const uint8_t *value, size_t size)
{
    struct endpoint end = {0};
    if (!event_record_read_node(&end, value, size))
        return false;
    event->former = (struct event_former_link){end.node_guid, end.type, end.port};
    return true;
}

static bool read_counter(struct event *event, const uint8_t *value, size_t size)
{
    char name[64];
    enum counter counter = event_record_read_text(name, sizeof name, value, size)
                               ? counter_find(name)
                               : COUNTER_ERRORS;
    event->counter = (uint8_t)counter;
    return counter != COUNTER_ERRORS;
}

static bool read_flag(bool *out, const uint8_t *value, size_t size)
{
    uint64_t number;
    bool ok = event_record_read_number(&number, value, size);
    *out = number != 0;
    return ok;
}

static bool read_derived(struct event *event, const uint8_t *value, size_t size)
{
    if (size < DERIVED_SIZE)
        return false;
    event->derived = true;
    event->notice.lid = wire_get16(value);
    event->notice.port = value[2];
    return true;
}

static bool read_type(const struct catalogue_entry **out, const uint8_t *value, size_t size)
{
    char name[64];
    *out = event_record_read_text(name, sizeof name, value, size) ? catalogue_find(name) : NULL;
    return *out != NULL;
}

// Reads a time between 1970 and the year 9999.
static bool event_record_read_time(int64_t *out, const uint8_t *value, size_t size)
{
    const uint64_t end = UINT64_C(253402300800) * CLOCK_US_PER_S;
    uint64_t number;
    bool ok = event_record_read_number(&number, value, size) && number < end;
    *out = ok ? (int64_t)number : 0;
    return ok;
}

static bool read_severity(enum severity *out, const uint8_t *value, size_t size)
{
    uint64_t number;
    bool ok = event_record_read_number(&number, value, size) && number <= SEVERITY_DEBUG;
    *out = ok ? (enum severity)number : SEVERITY_EMERGENCY;
    return ok;
}

static bool read_category(enum category *out, const uint8_t *value, size_t size)
{
    uint64_t number;
    bool ok = event_record_read_number(&number, value, size) && number >= CATEGORY_FABRIC &&
              number <= CATEGORY_VENDOR;
    *out = ok ? (enum category)number : CATEGORY_FABRIC;
    return ok;
}

static bool read_raw(struct event *event, const uint8_t *value, size_t size)
{
    if (size > EVENT_RAW_MAX)
        return false;
    memcpy(event->raw, value, size);
    event->raw_size = size;
    return true;
}

static bool read_small(uint32_t *out, const uint8_t *value, size_t size)
{
    uint64_t number;
    bool ok = event_record_read_number(&number, value, size) && number <= UINT32_MAX;
    *out = ok ? (uint32_t)number : 0;
    return ok;
}

static bool read_field(struct event *event, unsigned tag, const uint8_t *value, size_t size)
{
    switch (tag) {
    case TAG_TYPE:
        return read_type(&event->type, value, size);
    case TAG_ID:
        return event_record_read_text(event->id, sizeof event->id, value, size);
    case TAG_TIME:
        return event_record_read_time(&event->time_us, value, size);
    case TAG_SUBNET_PREFIX:
        return event_record_read_number(&event->subnet_prefix, value, size);
    case TAG_ISSUER:
        return read_endpoint(&event->issuer, value, size);
    case TAG_SUBJECT:
        return read_endpoint(&event->subject, value, size);
    case TAG_SOURCE:
        return read_endpoint(&event->source, value, size);
    case TAG_DESTINATION:
        return read_endpoint(&event->destination, value, size);
    case TAG_SWITCH_GUID:
        return event_record_read_number(&event->switch_guid, value, size);
    case TAG_RAW:
        return read_raw(event, value, size);
    case TAG_REASON:
        return event_record_read_text(event->reason, sizeof event->reason, value, size);
    case TAG_ALARM_KEY:
        return event_record_read_text(event->alarm_key, sizeof event->alarm_key, value, size);
    case TAG_TEXT:
        return event_record_read_text(event->text, sizeof event->text, value, size);
    case TAG_RECEIVER:
        return event_record_read_text(event->receiver, sizeof event->receiver, value, size);
    case TAG_LOST:
        return event_record_read_number(&event->lost, value, size);
    case TAG_ISSUER_NODE:
        return event_record_read_node(&event->issuer, value, size);
    case TAG_SUBJECT_NODE:
        return event_record_read_node(&event->subject, value, size);
    case TAG_SOURCE_NODE:
        return event_record_read_node(&event->source, value, size);
    case TAG_DESTINATION_NODE:
        return event_record_read_node(&event->destination, value, size);
    case TAG_PEER:
        return read_endpoint(&event->peer, value, size);
    case TAG_PEER_NODE:
        return event_record_read_node(&event->peer, value, size);
    case TAG_AFFECTED:
        return event_record_read_number(&event->affected, value, size);
    case TAG_SM_GUID:
        return event_record_read_number(&event->sm_guid, value, size);
    case TAG_COUNTER:
        return read_counter(event, value, size);
    case TAG_COUNTER_OLD:
        return event_record_read_number(&event->counter_old, value, size);
    case TAG_COUNTER_NEW:
        return event_record_read_number(&event->counter_new, value, size);
    case TAG_FOUND_LATE:
        return read_flag(&event->found_late, value, size);
    case TAG_DERIVED:
        return read_derived(event, value, size);
    case TAG_RELATED_ID:
        return event_record_read_text(event->related_id, sizeof event->related_id, value, size);
    case TAG_CAUSE_ID:
        return event_record_read_text(event->cause_id, sizeof event->cause_id, value, size);
    case TAG_SUPPRESSED:
        return event_record_read_text(event->suppressed, sizeof event->suppressed, value, size);
    case TAG_SEVERITY:
        return read_severity(&event->severity, value, size);
    case TAG_CATEGORY:
        return read_category(&event->category, value, size);
    case TAG_CLEARS_ID:
        return event_record_read_text(event->clears_id, sizeof event->clears_id, value, size);
    case TAG_RULE:
        return event_record_read_text(event->rule, sizeof event->rule, value, size);
    case TAG_SUMMARISED:
        return read_type(&event->summarised, value, size);
    case TAG_REPEAT_COUNT:
        return event_record_read_number(&event->repeat_count, value, size);
    case TAG_SINCE:
        return event_record_read_time(&event->since_us, value, size);
    case TAG_CLEARED:
        return read_type(&event->cleared, value, size);
    case TAG_CLEARED_SEVERITY:
        return read_severity(&event->cleared_severity, value, size);
    case TAG_CLEARED_CATEGORY:
        return read_category(&event->cleared_category, value, size);
    case TAG_CLEARED_PEER:
        return read_endpoint(&event->cleared_peer, value, size);
    case TAG_CLEARED_PEER_NODE:
        return event_record_read_node(&event->cleared_peer, value, size);
    case TAG_CLEARED_SWITCH_GUID:
        return event_record_read_number(&event->cleared_switch_guid, value, size);
    case TAG_CLEARED_NUMBER:
        return event_record_read_time(&event->cleared_number, value, size);
    case TAG_ERRORS:
        return event_record_read_number(&event->errors, value, size);
    case TAG_WINDOW:
        return read_small(&event->window_min, value, size);
    case TAG_ERROR_RATE:
        return event_record_read_text(event->error_rate, sizeof event->error_rate, value, size);
    case TAG_ERROR_RATE_LIMIT:
        return event_record_read_text(event->error_rate_limit, sizeof event->error_rate_limit,
                                      value, size);
    case TAG_LINK_RATE:
        return event_record_read_text(event->link_rate, sizeof event->link_rate, value, size);
    case TAG_OCCASIONS:
        return read_small(&event->occasions, value, size);
    case TAG_OCCASION_DAYS:
        return read_small(&event->occasion_days, value, size);
    case TAG_FAILURES:
        return read_small(&event->failures, value, size);
    case TAG_FLAPS:
        return read_small(&event->flaps, value, size);
    case TAG_ERROR_ALARMS:
        return read_small(&event->error_alarms, value, size);
    case TAG_DATES:
        return event_record_read_text(event->dates, sizeof event->dates, value, size);
    case TAG_RETOLD:
        return read_flag(&event->retold, value, size);
    case TAG_CAUSE_NUMBER:
        return event_record_read_time(&event->cause_number, value, size);
    case TAG_APART:
        return read_flag(&event->apart, value, size);
    case TAG_TEST:
        return read_flag(&event->test, value, size);
    case TAG_UPLINK:
        return read_uplink(event, value, size);
    case TAG_FORMER:
        return read_former(event, value, size);
    case TAG_EVENT_TRAP:
        return read_flag(&event->event_trap, value, size);
    case TAG_ONLY_RECEIVER:
        return event_record_read_text(event->only_receiver, sizeof event->only_receiver, value,
                                      size);
    default:
        return true; // a field of a later version
    }
}

static bool read_fields(struct event *event, const uint8_t *p, size_t size, struct error *err)
{
    while (size >= FIELD_HEAD) {
        size_t length = wire_get16(p + 1);
        if (length > size - FIELD_HEAD)
            break;
        if (!read_field(event, p[0], p + FIELD_HEAD, length))
            return error_set(err, "field %u of the record is not valid", p[0]);
        p += FIELD_HEAD + length;
        size -= FIELD_HEAD + length;
    }
    if (size > 0)
        return error_set(err, "the record is cut short");
    if (!event->type || event->id[0] == '\0')
        return error_set(err, "the record has no type or no identifier");
    return true;
}

// Decodes the Notice again from its octets. A derived event has no octets; its Notice is made from
// its row.
static void restore_notice(struct event *event)
{
    bool is_notice = event->type != catalogue_get(CATALOGUE_MALFORMED_MAD);
    if (is_notice && event->raw_size == NOTICE_SIZE) {
        event->notice = notice_decode(event->raw);
    } else if (event->derived) {
        event->notice.generic = true;
        event->notice.trap = event->type->trap;
    }
}

bool event_record_fill(struct event *event, const uint8_t *record, size_t size, struct error *err)
{
    if (size < 1 || record[0] != VERSION)
        return error_set(err, "the record is of an unknown version");
    if (!read_fields(event, record + 1, size - 1, err))
        return false;
    assert(event->type);
    if (event->category == 0) { // written by a version without policy
        event->severity = event->type->severity;
        event->category = event->type->category;
    }
    event_complete_cleared(event);
    restore_notice(event);
    return true;
}

struct event *event_record_read(const uint8_t *record, size_t size, struct error *err)
{
    struct event *event = event_make(NULL);
    if (event_record_fill(event, record, size, err))
        return event;
    event_unref(event);
    return NULL;
}
