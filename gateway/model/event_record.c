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

enum {
    ENDPOINT_HEAD = 8 + 2 + ADDRESS_GID_SIZE, // GUID, LID, GID; the name follows
    ENDPOINT_NODE = 8 + 1 + 1,                // node GUID, type, port
    DERIVED_SIZE = 2 + 1,                     // LID, port
};

// Each field: its own tag; when the field is written; how; the member of struct event. The fields
// are written in this order. A reader passes over unknown tags.
//
// Ways: a `number` of 0 is written; a `count` or `flag` of 0 is not; empty values of the other ways
// are not. A `time` is between 1970 and the year 9999. Each of the `names` is a field. Records of
// earlier versions may have the tags 73 to 75.
#define FIELDS(FIELD)                                                                              \
    FIELD(1, true, type, type)                                                                     \
    FIELD(2, true, text, id)                                                                       \
    FIELD(3, true, time, time_us)                                                                  \
    FIELD(4, true, number, subnet_prefix)                                                          \
    FIELD(5, true, endpoint, issuer)                                                               \
    FIELD(6, true, endpoint, subject)                                                              \
    FIELD(7, true, endpoint, source)                                                               \
    FIELD(8, true, endpoint, destination)                                                          \
    FIELD(9, true, number, switch_guid)                                                            \
    FIELD(10, true, raw, raw)                                                                      \
    FIELD(11, true, text, reason)                                                                  \
    FIELD(12, true, text, alarm_key)                                                               \
    FIELD(13, true, text, text)                                                                    \
    FIELD(14, true, text, receiver)                                                                \
    FIELD(15, true, number, lost)                                                                  \
    FIELD(16, true, node, issuer)                                                                  \
    FIELD(17, true, node, subject)                                                                 \
    FIELD(18, true, node, source)                                                                  \
    FIELD(19, true, node, destination)                                                             \
    FIELD(20, true, endpoint, peer)                                                                \
    FIELD(21, true, node, peer)                                                                    \
    FIELD(22, true, count, affected)                                                               \
    FIELD(23, true, count, sm_guid)                                                                \
    FIELD(24, event_record_has_counter(event), counter, counter)                                   \
    FIELD(25, event_record_has_counter(event), number, counter_old)                                \
    FIELD(26, event_record_has_counter(event), number, counter_new)                                \
    FIELD(80, true, count, errors)                                                                 \
    FIELD(81, true, count, window_min)                                                             \
    FIELD(82, true, text, error_rate)                                                              \
    FIELD(83, true, text, error_rate_limit)                                                        \
    FIELD(84, true, text, link_rate)                                                               \
    FIELD(85, true, flag, severe)                                                                  \
    FIELD(90, true, count, occasions)                                                              \
    FIELD(91, true, count, occasion_days)                                                          \
    FIELD(92, true, count, failures)                                                               \
    FIELD(93, true, count, flaps)                                                                  \
    FIELD(94, true, count, error_alarms)                                                           \
    FIELD(95, true, text, dates)                                                                   \
    FIELD(120, true, text, link_cause)                                                             \
    FIELD(121, true, count, blame)                                                                 \
    FIELD(122, true, count, local_reason)                                                          \
    FIELD(123, true, count, remote_reason)                                                         \
    FIELD(124, true, text, device_text)                                                            \
    FIELD(125, true, text, module_vendor)                                                          \
    FIELD(126, true, text, module_part)                                                            \
    FIELD(127, true, text, module_serial)                                                          \
    FIELD(128, true, text, former_serial)                                                          \
    FIELD(27, true, flag, found_late)                                                              \
    FIELD(28, event->derived, derived, notice)                                                     \
    FIELD(29, true, text, related_id)                                                              \
    FIELD(30, true, text, cause_id)                                                                \
    FIELD(31, true, text, suppressed)                                                              \
    FIELD(60, true, severity, severity)                                                            \
    FIELD(61, true, category, category)                                                            \
    FIELD(62, true, text, clears_id)                                                               \
    FIELD(63, true, text, rule)                                                                    \
    FIELD(64, event->summarised, type, summarised)                                                 \
    FIELD(65, true, count, repeat_count)                                                           \
    FIELD(66, event->since_us != 0, time, since_us)                                                \
    FIELD(70, event->cleared, type, cleared)                                                       \
    FIELD(71, event->cleared, severity, cleared_severity)                                          \
    FIELD(72, event->cleared, category, cleared_category)                                          \
    FIELD(76, event->cleared_number != 0, time, cleared_number)                                    \
    FIELD(97, event->told_number != 0, time, told_number)                                          \
    FIELD(78, event->cause_number != 0, time, cause_number)                                        \
    FIELD(79, true, flag, apart)                                                                   \
    FIELD(40, true, flag, test)                                                                    \
    FIELD(96, true, flag, retold)                                                                  \
    FIELD(41, true, text, only_receiver)                                                           \
    FIELD(42, true, flag, event_trap)                                                              \
    FIELD(43, true, count, uplink)                                                                 \
    FIELD(44, true, former, former)                                                                \
    FIELD(98, true, names, other_names)                                                            \
    FIELD(100, true, text, subject.system)                                                         \
    FIELD(101, true, text, peer.system)                                                            \
    FIELD(102, true, text, issuer.system)                                                          \
    FIELD(103, true, text, source.system)                                                          \
    FIELD(104, true, text, destination.system)                                                     \
    FIELD(105, true, flag, subject.nameless)                                                       \
    FIELD(106, true, flag, peer.nameless)                                                          \
    FIELD(110, true, count, parts)                                                                 \
    FIELD(111, true, count, parts_changed)                                                         \
    FIELD(112, true, flag, is_part)                                                                \
    FIELD(113, true, text, fabric)

// Writing.

struct writer {
    uint8_t *out;
    size_t used;
};

static uint8_t *event_record_begin(struct writer *w, unsigned tag, size_t size)
{
    assert(w->used + FIELD_HEAD + size <= EVENT_RECORD_MAX);
    uint8_t *p = w->out + w->used;
    p[0] = (uint8_t)tag;
    wire_put(p + 1, 2, size);
    w->used += FIELD_HEAD + size;
    return p + FIELD_HEAD;
}

static void event_record_write_octets(struct writer *w, unsigned tag, const void *octets,
                                      size_t size)
{
    if (size > 0)
        memcpy(event_record_begin(w, tag, size), octets, size);
}

static void event_record_write_text(struct writer *w, unsigned tag, const char *s)
{
    event_record_write_octets(w, tag, s, strlen(s));
}

static void event_record_write_number(struct writer *w, unsigned tag, uint64_t n)
{
    wire_put(event_record_begin(w, tag, 8), 8, n);
}

static void event_record_write_count(struct writer *w, unsigned tag, uint64_t n)
{
    if (n != 0)
        event_record_write_number(w, tag, n);
}

static void event_record_write_place(struct writer *w, unsigned tag, uint64_t guid, uint8_t type,
                                     uint8_t port)
{
    if (guid == 0 && type == 0 && port == 0)
        return;
    uint8_t *p = event_record_begin(w, tag, ENDPOINT_NODE);
    wire_put(p, 8, guid);
    p[8] = type;
    p[9] = port;
}

static void event_record_write_endpoint(struct writer *w, unsigned tag, const struct endpoint *who)
{
    size_t name = strlen(who->name);
    if (who->guid == 0 && who->lid == 0 && name == 0 && address_gid_is_zero(who->gid))
        return;
    uint8_t *p = event_record_begin(w, tag, ENDPOINT_HEAD + name);
    wire_put(p, 8, who->guid);
    wire_put(p + 8, 2, who->lid);
    memcpy(p + 10, who->gid, ADDRESS_GID_SIZE);
    memcpy(p + ENDPOINT_HEAD, who->name, name);
}

static void event_record_write_names(struct writer *w, unsigned tag, const struct event *event)
{
    for (size_t i = 0; i < event->other_name_count; i++) {
        const struct event_other_name *other = &event->other_names[i];
        const size_t length = strlen(other->name);
        uint8_t *p = event_record_begin(w, tag, sizeof other->guid + length);
        wire_put(p, sizeof other->guid, other->guid);
        memcpy(p + sizeof other->guid, other->name, length);
    }
}

static void event_record_write_derived(struct writer *w, unsigned tag, const struct notice *notice)
{
    uint8_t *p = event_record_begin(w, tag, DERIVED_SIZE);
    wire_put(p, 2, notice->lid);
    p[2] = notice->port;
}

static bool event_record_has_counter(const struct event *event)
{
    return event->counter != 0 || event->counter_old != 0 || event->counter_new != 0 ||
           event->window_min != 0;
}

// A counter is written by its name, since a later version may number the counters differently.
#define WRITE_type(tag, m)     event_record_write_text(&w, tag, event->m->name)
#define WRITE_text(tag, m)     event_record_write_text(&w, tag, event->m)
#define WRITE_time(tag, m)     event_record_write_number(&w, tag, (uint64_t)event->m)
#define WRITE_number(tag, m)   event_record_write_number(&w, tag, event->m)
#define WRITE_count(tag, m)    event_record_write_count(&w, tag, event->m)
#define WRITE_flag(tag, m)     event_record_write_count(&w, tag, event->m)
#define WRITE_severity(tag, m) event_record_write_number(&w, tag, event->m)
#define WRITE_category(tag, m) event_record_write_number(&w, tag, event->m)
#define WRITE_endpoint(tag, m) event_record_write_endpoint(&w, tag, &event->m)
#define WRITE_node(tag, m)                                                                         \
    event_record_write_place(&w, tag, event->m.node_guid, event->m.type, event->m.port)
#define WRITE_former(tag, m)  WRITE_node(tag, m)
#define WRITE_raw(tag, m)     event_record_write_octets(&w, tag, event->m, event->raw_size)
#define WRITE_names(tag, m)   event_record_write_names(&w, tag, event)
#define WRITE_derived(tag, m) event_record_write_derived(&w, tag, &event->m)
#define WRITE_counter(tag, m) event_record_write_text(&w, tag, counter_name((enum counter)event->m))
#define WRITE(tag, when, how, member)                                                              \
    if (when)                                                                                      \
        WRITE_##how(tag, member);

// NOLINTNEXTLINE(readability-function-cognitive-complexity): a row for each field
size_t event_record_write(const struct event *event, uint8_t out[EVENT_RECORD_MAX])
{
    struct writer w = {.out = out, .used = 1};
    out[0] = VERSION;
    FIELDS(WRITE)
    return w.used;
}

// Reading. Each function returns false if event_record_write did not write the value.

// Reads a text without a final NUL. Damaged text becomes safe to show.
static bool event_record_read_text(char *out, size_t out_size, const uint8_t *value, size_t size)
{
    if (size >= out_size || memchr(value, '\0', size))
        return false;
    text_clean((const char *)value, size, out, out_size);
    return true;
}

static bool event_record_read_number(uint64_t *out, uint64_t least, uint64_t most,
                                     const uint8_t *value, size_t size)
{
    *out = size == 8 ? wire_get64(value) : 0;
    return size == 8 && *out >= least && *out <= most;
}

static bool event_record_read_endpoint(struct endpoint *who, const uint8_t *value, size_t size)
{
    if (size < ENDPOINT_HEAD)
        return false;
    who->guid = wire_get64(value);
    who->lid = wire_get16(value + 8);
    memcpy(who->gid, value + 10, ADDRESS_GID_SIZE);
    return event_record_read_text(who->name, sizeof who->name, value + ENDPOINT_HEAD,
                                  size - ENDPOINT_HEAD);
}

static bool event_record_read_counter(uint8_t *out, const uint8_t *value, size_t size)
{
    char name[64];
    enum counter counter = event_record_read_text(name, sizeof name, value, size)
                               ? counter_find(name)
                               : COUNTER_ERRORS;
    *out = (uint8_t)counter;
    return counter != COUNTER_ERRORS;
}

static bool event_record_read_name(struct event *event, const uint8_t *value, size_t size)
{
    if (size <= sizeof(uint64_t) || event->other_name_count == EVENT_OTHER_NAMES_MAX)
        return false;
    struct event_other_name *other = &event->other_names[event->other_name_count++];
    other->guid = wire_get64(value);
    return event_record_read_text(other->name, sizeof other->name, value + sizeof other->guid,
                                  size - sizeof other->guid);
}

static bool event_record_read_derived(struct event *event, const uint8_t *value, size_t size)
{
    if (size < DERIVED_SIZE)
        return false;
    event->derived = true;
    event->notice.lid = wire_get16(value);
    event->notice.port = value[2];
    return true;
}

static bool event_record_read_type(const struct catalogue_entry **out, const uint8_t *value,
                                   size_t size)
{
    char name[64];
    *out = event_record_read_text(name, sizeof name, value, size) ? catalogue_find(name) : NULL;
    return *out != NULL;
}

static bool event_record_read_raw(struct event *event, const uint8_t *value, size_t size)
{
    if (size > EVENT_RAW_MAX)
        return false;
    memcpy(event->raw, value, size);
    event->raw_size = size;
    return true;
}

#define TIME_MAX (UINT64_C(253402300800) * CLOCK_US_PER_S - 1)

#define READ_type(m) event_record_read_type(&event->m, value, size)
#define READ_text(m) event_record_read_text(event->m, sizeof event->m, value, size)
#define READ_INTEGER(m, least, most)                                                               \
    (event_record_read_number(&number, least, most, value, size) &&                                \
     (event->m = (__typeof__(event->m))number, true))
#define READ_time(m)     READ_INTEGER(m, 0, TIME_MAX)
#define READ_number(m)   READ_INTEGER(m, 0, (__typeof__(event->m))-1)
#define READ_count(m)    READ_number(m)
#define READ_flag(m)     READ_INTEGER(m, 0, UINT64_MAX)
#define READ_severity(m) READ_INTEGER(m, 0, SEVERITY_DEBUG)
#define READ_category(m) READ_INTEGER(m, CATEGORY_FABRIC, CATEGORY_VENDOR)
#define READ_endpoint(m) event_record_read_endpoint(&event->m, value, size)
#define READ_node(m)                                                                               \
    (size >= ENDPOINT_NODE && value[8] <= FABRIC_ROUTER &&                                         \
     (event->m.node_guid = wire_get64(value), event->m.type = value[8], event->m.port = value[9],  \
      true))
#define READ_former(m)  READ_node(m)
#define READ_raw(m)     event_record_read_raw(event, value, size)
#define READ_names(m)   event_record_read_name(event, value, size)
#define READ_derived(m) event_record_read_derived(event, value, size)
#define READ_counter(m) event_record_read_counter(&event->m, value, size)
#define READ(tag, when, how, member)                                                               \
    case tag:                                                                                      \
        return READ_##how(member);

// NOLINTNEXTLINE(readability-function-cognitive-complexity): a row for each field
static bool event_record_read_field(struct event *event, unsigned tag, const uint8_t *value,
                                    size_t size)
{
    uint64_t number;
    switch (tag) {
        FIELDS(READ)
    default:
        return true; // a field of a later version
    }
}

static bool event_record_read_fields(struct event *event, const uint8_t *p, size_t size,
                                     struct error *err)
{
    while (size >= FIELD_HEAD) {
        size_t length = wire_get16(p + 1);
        if (length > size - FIELD_HEAD)
            break;
        if (!event_record_read_field(event, p[0], p + FIELD_HEAD, length))
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
static void event_record_restore_notice(struct event *event)
{
    bool is_notice = event->type != catalogue_get(CATALOGUE_MALFORMED_MAD);
    if (is_notice && event->raw_size == NOTICE_SIZE) {
        event->notice = notice_decode(event->raw);
    } else if (event->derived) {
        event->notice.generic = true;
        event->notice.trap = event->type->trap;
    }
}

static bool event_record_fill(struct event *event, const uint8_t *record, size_t size,
                              struct error *err)
{
    if (size < 1 || record[0] != VERSION)
        return error_set(err, "the record is of an unknown version");
    if (!event_record_read_fields(event, record + 1, size - 1, err))
        return false;
    assert(event->type);
    if (event->category == 0) { // written by a version without policy
        event->severity = event->type->severity;
        event->category = event->type->category;
    }
    event_complete_cleared(event);
    event_record_restore_notice(event);
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
