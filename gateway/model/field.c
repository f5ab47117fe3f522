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
    SHOW_WORD, // a number shown as a word or as a date
};

struct row {
    const char *name;
    enum show show;
    size_t offset, size; // in struct event; a C integer, or octets; size 0: computed
    unsigned digits;     // of SHOW_HEX
};

#define AT(member)                                                                                 \
    .offset = offsetof(struct event, member), .size = sizeof(((struct event *)0)->member)
#define NUMBER(n, member)                                                                          \
    {                                                                                              \
        .name = n, .show = SHOW_DECIMAL, AT(member)                                                \
    }
#define HEX(n, d, member)                                                                          \
    {                                                                                              \
        .name = n, .show = SHOW_HEX, AT(member), .digits = d                                       \
    }
#define GID(n, member)                                                                             \
    {                                                                                              \
        .name = n, .show = SHOW_GID, AT(member)                                                    \
    }
#define TEXT(n, member)                                                                            \
    {                                                                                              \
        .name = n, .show = SHOW_TEXT, AT(member)                                                   \
    }
#define FLAG(n, member)                                                                            \
    {                                                                                              \
        .name = n, .show = SHOW_FLAG, AT(member)                                                   \
    }
#define COMPUTED(n, how)                                                                           \
    {                                                                                              \
        .name = n, .show = how                                                                     \
    }

static const struct row ROWS[FIELD_COUNT] = {
    [FIELD_EVENT_ID] = TEXT("id", id),
    [FIELD_EVENT_NAME] = COMPUTED("event", SHOW_TEXT),
    [FIELD_TIME] = COMPUTED("time", SHOW_WORD),
    [FIELD_SEVERITY] = COMPUTED("severity", SHOW_WORD),
    [FIELD_CATEGORY] = COMPUTED("category", SHOW_WORD),
    [FIELD_ALARM_STATE] = COMPUTED("alarmState", SHOW_WORD),
    [FIELD_ALARM_KEY] = TEXT("alarmKey", alarm_key),
    [FIELD_CLEARS_ID] = TEXT("clearsId", clears_id),
    [FIELD_SUMMARISED] = COMPUTED("summarised", SHOW_TEXT),
    [FIELD_CLEARED] = COMPUTED("cleared", SHOW_TEXT),
    [FIELD_REPEAT_COUNT] = NUMBER("repeatCount", repeat_count),
    [FIELD_SINCE] = COMPUTED("since", SHOW_WORD),
    [FIELD_SUBNET_PREFIX] = HEX("subnetPrefix", 16, subnet_prefix),
    [FIELD_TEXT] = TEXT("text", text),
    [FIELD_REASON] = TEXT("reason", reason),
    [FIELD_RAW] = {.name = "raw", .show = SHOW_OCTETS, AT(raw)},
    [FIELD_RECEIVER] = TEXT("receiver", receiver),
    [FIELD_LOST] = NUMBER("lost", lost),
    [FIELD_SWITCH_GUID] = HEX("switchGuid", 16, switch_guid),
    [FIELD_SWITCH_REASON] = COMPUTED("switchReason", SHOW_DECIMAL),
    [FIELD_ISSUER_LID] = NUMBER("issuerLid", issuer.lid),
    [FIELD_ISSUER_GID] = GID("issuerGid", issuer.gid),
    [FIELD_TRAP] = NUMBER("trap", notice.trap),
    [FIELD_VENDOR_ID] = HEX("vendorId", 6, notice.producer),
    [FIELD_DEVICE_ID] = HEX("deviceId", 4, notice.trap),
    [FIELD_LID] = NUMBER("lid", notice.lid),
    [FIELD_LID2] = NUMBER("lid2", notice.lid2),
    [FIELD_GID1] = GID("gid1", notice.gid1),
    [FIELD_GID2] = GID("gid2", notice.gid2),
    [FIELD_PORT] = NUMBER("port", notice.port),
    [FIELD_LOCAL_CHANGES] = NUMBER("localChanges", notice.local_changes),
    [FIELD_CHANGE_FLAGS] = HEX("changeFlags", 4, notice.change_flags),
    [FIELD_CAPABILITY_MASK] = HEX("capabilityMask", 8, notice.capability_mask),
    [FIELD_CAPABILITY_MASK2] = HEX("capabilityMask2", 4, notice.capability_mask2),
    [FIELD_SYSTEM_IMAGE_GUID] = HEX("systemImageGuid", 16, notice.system_image_guid),
    [FIELD_MKEY] = HEX("mkey", 16, notice.key),
    [FIELD_PKEY] = HEX("pkey", 4, notice.key),
    [FIELD_QKEY] = HEX("qkey", 8, notice.key),
    [FIELD_KEY] = HEX("key", 1, notice.key),
    [FIELD_METHOD] = HEX("method", 2, notice.method),
    [FIELD_ATTRIBUTE] = HEX("attribute", 4, notice.attribute),
    [FIELD_ATTRIBUTE_MODIFIER] = HEX("attributeModifier", 8, notice.attribute_modifier),
    [FIELD_DR_SLID] = NUMBER("drSlid", notice.dr_slid),
    [FIELD_DR_TRUNCATED] = NUMBER("drPathTruncated", notice.dr_truncated),
    [FIELD_DR_PATH] = {.name = "drPath", .show = SHOW_OCTETS, AT(notice.dr_path)},
    [FIELD_SL] = NUMBER("sl", notice.sl),
    [FIELD_QP1] = HEX("qp1", 6, notice.qp1),
    [FIELD_QP2] = HEX("qp2", 6, notice.qp2),
    [FIELD_DATA_VALID] = HEX("dataValid", 4, notice.data_valid),
    [FIELD_SWITCH_LID] = NUMBER("switchLid", notice.switch_lid),
    [FIELD_SUBJECT_LID] = NUMBER("subjectLid", subject.lid),
    [FIELD_SUBJECT_NAME] = TEXT("subjectName", subject.name),
    [FIELD_SUBJECT_NODE_GUID] = HEX("subjectNodeGuid", 16, subject.node_guid),
    [FIELD_SUBJECT_TYPE] = COMPUTED("subjectType", SHOW_WORD),
    [FIELD_SUBJECT_PORT] = COMPUTED("subjectPort", SHOW_DECIMAL),
    [FIELD_PEER_NODE_GUID] = {.name = "peerNodeGuid", .show = SHOW_HEX, .digits = 16},
    [FIELD_PEER_NAME] = TEXT("peerName", peer.name),
    [FIELD_PEER_PORT] = COMPUTED("peerPort", SHOW_DECIMAL),
    [FIELD_SWITCH_PORT] = COMPUTED("switchPort", SHOW_DECIMAL),
    [FIELD_NEIGHBOUR_GUID] = {.name = "neighbourGuid", .show = SHOW_HEX, .digits = 16},
    [FIELD_TOPO_REASON] = COMPUTED("topoReason", SHOW_DECIMAL),
    [FIELD_FORMER_PORT] = NUMBER("formerPort", former.port),
    [FIELD_FORMER_GUID] = HEX("formerGuid", 16, former.node_guid),
    [FIELD_FORMER_STATUS] = COMPUTED("formerStatus", SHOW_DECIMAL),
    [FIELD_AFFECTED] = NUMBER("affected", affected),
    [FIELD_SM_GUID] = HEX("smGuid", 16, sm_guid),
    [FIELD_COUNTER] = COMPUTED("counter", SHOW_TEXT),
    [FIELD_COUNTER_OLD] = NUMBER("counterOld", counter_old),
    [FIELD_COUNTER_NEW] = NUMBER("counterNew", counter_new),
    [FIELD_ERRORS] = NUMBER("errors", errors),
    [FIELD_WINDOW] = NUMBER("window", window_min),
    [FIELD_ERROR_RATE] = TEXT("errorRate", error_rate),
    [FIELD_ERROR_RATE_LIMIT] = TEXT("errorRateLimit", error_rate_limit),
    [FIELD_LINK_RATE] = TEXT("linkRate", link_rate),
    [FIELD_OCCASIONS] = NUMBER("occasions", occasions),
    [FIELD_OCCASION_DAYS] = NUMBER("occasionDays", occasion_days),
    [FIELD_FAILURES] = NUMBER("failures", failures),
    [FIELD_FLAPS] = NUMBER("flaps", flaps),
    [FIELD_ERROR_ALARMS] = NUMBER("errorAlarms", error_alarms),
    [FIELD_DATES] = TEXT("dates", dates),
    [FIELD_FOUND_LATE] = FLAG("foundLate", found_late),
    [FIELD_DERIVED] = FLAG("derived", derived),
    [FIELD_RELATED_ID] = TEXT("relatedId", related_id),
    [FIELD_CAUSE_ID] = TEXT("causeId", cause_id),
    [FIELD_SUPPRESSED] = TEXT("suppressed", suppressed),
    [FIELD_RULE] = TEXT("rule", rule),
    [FIELD_TEST] = FLAG("test", test),
    [FIELD_EVENT_INDEX] = COMPUTED("eventIndex", SHOW_DECIMAL),
    [FIELD_EVENT_LEVEL] = COMPUTED("eventLevel", SHOW_DECIMAL),
    [FIELD_EVENT_TIMES] = COMPUTED("eventTimes", SHOW_DECIMAL),
};

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

static struct field_value words(const char *s)
{
    return (struct field_value){.octets = (const uint8_t *)s, .size = strlen(s)};
}

// The kind of events that the event summarises; an event that is no summary stands for its own
// kind.
static const char *summarised_name(const struct event *event)
{
    return event->summarised ? event->summarised->name : event->type->name;
}

// The port's number. For a switch, 0 is the management port; for other nodes, it means unknown.
static struct field_value port_of(const struct endpoint *who)
{
    enum { UNKNOWN_PORT = 255 };
    return field_number(who->port != 0 || who->type == FABRIC_SWITCH ? who->port : UNKNOWN_PORT);
}

// Whether the switch of the event is the peer's end of the link, not the subject's.
static bool switch_is_peer(const struct event *event)
{
    return event->switch_guid == event->peer.node_guid &&
           event->switch_guid != event->subject.node_guid;
}

static struct field_value switch_port(const struct event *event)
{
    if (switch_is_peer(event))
        return field_number(event->peer.port);
    return field_number(event->subject.port != 0 ? event->subject.port : event->uplink);
}

static struct field_value field_neighbour(const struct event *event)
{
    const struct endpoint *other = switch_is_peer(event) ? &event->subject : &event->peer;
    return field_number(fabric_is_element(other->type) ? other->node_guid : 0);
}

static struct field_value compute(const struct event *event, enum field field)
{
    const struct catalogue_entry *type = event->type;
    switch (field) {
    case FIELD_EVENT_NAME:
        return words(type->name);
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
        return port_of(&event->subject);
    case FIELD_PEER_PORT:
        return port_of(&event->peer);
    case FIELD_PEER_NODE_GUID:
        return field_number(event->peer.node_guid ? event->peer.node_guid : event->peer.guid);
    case FIELD_SWITCH_PORT:
        return switch_port(event);
    case FIELD_NEIGHBOUR_GUID:
        return field_neighbour(event);
    case FIELD_COUNTER:
        return words(counter_name((enum counter)event->counter));
    case FIELD_SINCE:
        return field_number((uint64_t)event->since_us);
    case FIELD_EVENT_INDEX:
        return field_number(event_index(event));
    case FIELD_EVENT_LEVEL:
        return field_number(severity_event_level(event->severity));
    case FIELD_EVENT_TIMES:
        return field_number(event_times(event));
    case FIELD_CLEARED:
        return words(event->cleared ? event->cleared->name : "unknown");
    default:
        assert(field == FIELD_SUMMARISED);
        return words(summarised_name(event));
    }
}

struct field_value field_get(const struct event *event, enum field field)
{
    assert(field > FIELD_NONE && field < FIELD_COUNT);
    const struct row *row = &ROWS[field];
    const uint8_t *p = (const uint8_t *)event + row->offset;
    if (row->size == 0)
        return compute(event, field);
    switch (row->show) {
    case SHOW_DECIMAL:
    case SHOW_HEX:
        return field_number(field_read_number(p, row->size));
    case SHOW_FLAG:
        return field_number(*(const bool *)p);
    case SHOW_TEXT:
        return words((const char *)p);
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
