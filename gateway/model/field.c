// SPDX-License-Identifier: BSD-2-Clause
#include "model/field.h"

#include "base/clock.h"
#include "mib_modules.h"
#include "model/catalogue.h"
#include "model/counter.h"
#include "model/fabric.h"

#include <assert.h>
#include <string.h>

enum show {
    SHOW_DECIMAL,
    SHOW_HEX,
    SHOW_FLAG,
    SHOW_GID,
    SHOW_OCTETS,
    SHOW_TEXT,
    SHOW_WORD, // a number, shown by a word or date
};

struct row {
    const char *name;
    enum show show;
    size_t offset, size; // in struct event; a C integer, or octets; size 0: computed
    unsigned digits;     // of SHOW_HEX
};

#define AT(member)                                                                                 \
    .offset = offsetof(struct event, member), .size = sizeof(((struct event *)0)->member)
#define NUMBER(member)      .show = SHOW_DECIMAL, AT(member)
#define HEX(count, member)  .show = SHOW_HEX, AT(member), .digits = (count)
#define GID(member)         .show = SHOW_GID, AT(member)
#define OCTETS(member)      .show = SHOW_OCTETS, AT(member)
#define TEXT(member)        .show = SHOW_TEXT, AT(member)
#define FLAG(member)        .show = SHOW_FLAG, AT(member)
#define COMPUTED_TEXT       .show = SHOW_TEXT
#define COMPUTED_WORD       .show = SHOW_WORD
#define COMPUTED_DECIMAL    .show = SHOW_DECIMAL
#define COMPUTED_HEX        .show = SHOW_HEX, .digits = 16
#define ROW(number, n, ...) [FIELD_##number] = {.name = (n), __VA_ARGS__},

static const struct row ROWS[FIELD_COUNT] = {FIELD_TABLE(ROW)};

static uint64_t field_read_number(const void *p, size_t size)
{
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } value;
    memcpy(&value, p, size);
    switch (size) {
    case 1:
        return value.u8;
    case 2:
        return value.u16;
    case 4:
        return value.u32;
    default:
        assert(size == 8);
        return value.u64;
    }
}

static struct field_value field_number(uint64_t n)
{
    return (struct field_value){.is_number = true, .number = n};
}

static struct field_value field_words(const char *s)
{
    return (struct field_value){.octets = (const uint8_t *)s, .size = strlen(s)};
}

// The kind of the summarised events. An event without a summary has its own kind.
static const char *field_summarised(const struct event *event)
{
    return event->summarised ? event->summarised->name : event->type->name;
}

// The port's number. For a switch, 0 is the management port; for other nodes, it means unknown.
static struct field_value field_port(const struct endpoint *who)
{
    enum { UNKNOWN_PORT = 255 };
    return field_number(who->port != 0 || who->type == FABRIC_SWITCH ? who->port : UNKNOWN_PORT);
}

// Whether the switch of the event is the peer's end of the link, not the subject's.
static bool field_switch_is_peer(const struct event *event)
{
    return event->switch_guid == event->peer.node_guid &&
           event->switch_guid != event->subject.node_guid;
}

static struct field_value field_switch_port(const struct event *event)
{
    if (field_switch_is_peer(event))
        return field_number(event->peer.port);
    return field_number(event->subject.port != 0 ? event->subject.port : event->uplink);
}

static struct field_value field_neighbour(const struct event *event)
{
    const struct endpoint *other = field_switch_is_peer(event) ? &event->subject : &event->peer;
    return field_number(fabric_is_element(other->type) ? other->node_guid : 0);
}

static struct field_value field_compute(const struct event *event, enum field field)
{
    const struct catalogue_entry *type = event->type;
    switch (field) {
    case FIELD_EVENT_NAME:
        return field_words(type->name);
    case FIELD_TIME:
        return field_number((uint64_t)event->time_us);
    case FIELD_SEVERITY:
        return field_number(event->severity);
    case FIELD_CATEGORY:
        return field_number(event->category);
    case FIELD_ALARM_STATE:
        return field_number(event_alarm(event));
    case FIELD_SWITCH_REASON:
        return field_number(type->switch_reason);
    case FIELD_TOPO_REASON:
        return field_number(type->topo_reason);
    case FIELD_FORMER_STATUS:
        return field_number(mib_gswTopoComSwitchStatus_link_deleted);
    case FIELD_SUBJECT_TYPE:
        return field_number(event->subject.type);
    case FIELD_SUBJECT_PORT:
        return field_port(&event->subject);
    case FIELD_PEER_PORT:
        return field_port(&event->peer);
    case FIELD_PEER_NODE_GUID:
        return field_number(event->peer.node_guid ? event->peer.node_guid : event->peer.guid);
    case FIELD_SWITCH_PORT:
        return field_switch_port(event);
    case FIELD_NEIGHBOUR_GUID:
        return field_neighbour(event);
    case FIELD_COUNTER:
        return field_words(counter_name((enum counter)event->counter));
    case FIELD_SINCE:
        return field_number((uint64_t)event->since_us);
    case FIELD_EVENT_INDEX:
        return field_number(event_index(event));
    case FIELD_EVENT_LEVEL:
        return field_number(severity_event_level(event->severity));
    case FIELD_EVENT_TIMES:
        return field_number(event_times(event));
    case FIELD_BLAME:
        return field_words(link_end_word(event->blame));
    case FIELD_LOCAL_REASON:
        return field_words(link_reason_words(event->local_reason));
    case FIELD_REMOTE_REASON:
        return field_words(link_reason_words(event->remote_reason));
    case FIELD_CLEARED:
        return field_words(event->cleared ? event->cleared->name : "unknown");
    default:
        assert(field == FIELD_SUMMARISED);
        return field_words(field_summarised(event));
    }
}

struct field_value field_get(const struct event *event, enum field field)
{
    assert(field > FIELD_NONE && field < FIELD_COUNT);
    const struct row *row = &ROWS[field];
    const uint8_t *p = (const uint8_t *)event + row->offset;
    if (row->size == 0)
        return field_compute(event, field);
    switch (row->show) {
    case SHOW_DECIMAL:
    case SHOW_HEX:
        return field_number(field_read_number(p, row->size));
    case SHOW_FLAG:
        return field_number(*(const bool *)p);
    case SHOW_TEXT:
        return field_words((const char *)p);
    default:
        break;
    }
    size_t size = row->size;
    if (field == FIELD_RAW)
        size = event->raw_size;
    if (field == FIELD_DR_PATH)
        size = event->notice.dr_hops;
    return (struct field_value){.octets = p, .size = size};
}

bool field_is_known(const struct event *event, enum field field)
{
    static const uint16_t VALID[FIELD_COUNT] = {
        [FIELD_LID] = NOTICE_VALID_LID1,  [FIELD_LID2] = NOTICE_VALID_LID2,
        [FIELD_PKEY] = NOTICE_VALID_PKEY, [FIELD_SL] = NOTICE_VALID_SL,
        [FIELD_QP1] = NOTICE_VALID_QP1,   [FIELD_QP2] = NOTICE_VALID_QP2,
        [FIELD_GID1] = NOTICE_VALID_GID1, [FIELD_GID2] = NOTICE_VALID_GID2,
    };
    return event->type->trap != NOTICE_BAD_PKEY_AT_SWITCH || VALID[field] == 0 ||
           event->notice.data_valid & VALID[field];
}

void field_set_number(struct event *event, enum field field, uint64_t number)
{
    const struct row *row = &ROWS[field];
    void *p = (uint8_t *)event + row->offset;
    switch (row->size) {
    case 1:
        memcpy(p, &(uint8_t){(uint8_t)number}, sizeof(uint8_t));
        break;
    case 2:
        memcpy(p, &(uint16_t){(uint16_t)number}, sizeof(uint16_t));
        break;
    case 4:
        memcpy(p, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
        break;
    default:
        assert(row->size == sizeof number && row->show != SHOW_TEXT);
        memcpy(p, &number, sizeof number);
        break;
    }
}

enum field_kind field_kind(enum field field)
{
    switch (ROWS[field].show) {
    case SHOW_DECIMAL:
        return FIELD_IS_NUMBER;
    case SHOW_FLAG:
        return FIELD_IS_FLAG;
    default:
        return FIELD_IS_TEXT;
    }
}

const char *field_name(enum field field)
{
    return ROWS[field].name;
}

enum field field_find(const char *name, size_t length)
{
    for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++) {
        if (strlen(ROWS[f].name) == length && memcmp(ROWS[f].name, name, length) == 0)
            return (enum field)f;
    }
    return FIELD_NONE;
}

static const char *field_word(const struct event *event, enum field field,
                              char when[CLOCK_TEXT_SIZE])
{
    switch (field) {
    case FIELD_TIME:
        clock_format_utc(event->time_us, when);
        return when;
    case FIELD_SEVERITY:
        return severity_word(event->severity);
    case FIELD_CATEGORY:
        return category_word(event->category);
    case FIELD_ALARM_STATE:
        return alarm_role_word(event_alarm(event));
    case FIELD_SINCE:
        clock_format_utc(event->since_us, when);
        return when;
    default:
        assert(field == FIELD_SUBJECT_TYPE);
        return fabric_type_word(event->subject.type);
    }
}

const char *field_text(const struct event *event, enum field field, char buffer[FIELD_TEXT_SIZE])
{
    const struct field_value v = field_get(event, field);
    struct text t;
    switch (ROWS[field].show) {
    case SHOW_WORD:
        return field_word(event, field, buffer);
    case SHOW_TEXT:
        assert(v.octets);
        return (const char *)v.octets;
    case SHOW_FLAG:
        return v.number ? "true" : "false";
    case SHOW_GID:
        address_format_gid(v.octets, buffer);
        return buffer;
    case SHOW_DECIMAL:
        t = text_in(buffer, FIELD_TEXT_SIZE);
        text_add_number(&t, v.number);
        break;
    case SHOW_HEX:
        t = text_in(buffer, FIELD_TEXT_SIZE);
        text_add(&t, "0x");
        text_add_hex_number(&t, v.number, ROWS[field].digits);
        break;
    case SHOW_OCTETS:
        t = text_in(buffer, FIELD_TEXT_SIZE);
        text_add_hex(&t, v.octets, v.size);
        break;
    }
    return buffer;
}

void field_add_text(struct text *t, const struct event *event, enum field field)
{
    char buffer[FIELD_TEXT_SIZE];
    text_add(t, field_text(event, field, buffer));
}
