// SPDX-License-Identifier: BSD-2-Clause
#include "sink/format.h"

#include "base/clock.h"
#include "base/hash.h"
#include "install.h"
#include "mib_root.h"
#include "model/catalogue.h"
#include "model/field.h"
#include "model/mib.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_RESERVE = 640 }; // octets reserved for the sentence when structured data is long

static const char BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";

// Adds ` name="value"` whole or not at all, and leaves room for a closing bracket.
static void format_add_param(struct text *t, const char *name, const char *value)
{
    const struct text before = *t;
    text_add_n(t, " ", 1);
    text_add(t, name);
    text_add_n(t, "=\"", 2);
    format_escape(t, value, "\"\\]"); // RFC 5424 6.3.3
    text_add_n(t, "\"", 1);
    if (t->cut || t->len + 1 >= t->size)
        text_go_back(t, &before);
}

static void format_rfc5424_add_number(struct text *t, const char *name, uint64_t number)
{
    char value[24];
    struct text v = text_in(value, sizeof value);
    text_add_number(&v, number);
    format_add_param(t, name, value);
}

// ibtrapd's own element.

static void format_add_field_param(void *ctx, const char *name, const char *value,
                                   enum field_kind kind)
{
    (void)kind;
    format_add_param(ctx, name, value);
}

static void format_add_own(struct text *t, const struct event *event)
{
    text_add(t, "[ibtrapd@" MIB_ROOT_ENTERPRISE);
    format_fields(event, format_add_field_param, t);
    text_add(t, "]");
}

// The elements `origin` and `meta` (RFC 5424 7.2, 7.3).

static void format_add_origin(struct text *t, const struct format_origin *origin)
{
    text_add(t, "[origin");
    if (origin->ip)
        format_add_param(t, "ip", origin->ip);
    format_add_param(t, "enterpriseId", MIB_ROOT_ENTERPRISE);
    format_add_param(t, "software", "ibtrapd");
    format_add_param(t, "swVersion", INSTALL_VERSION);
    text_add(t, "]");
}

// The event's sysUpTime: hundredths of a second since the start. False: the event is older.
static bool format_uptime_at(const struct format_origin *origin, const struct event *event,
                             uint32_t *out)
{
    int64_t us = event->time_us - origin->started_us;
    *out = (uint32_t)(us / 10000);
    return origin->started_us != 0 && us >= 0;
}

static void format_add_meta(struct text *t, const struct format_origin *origin,
                            const struct event *event)
{
    uint32_t uptime;
    text_add(t, "[meta");
    if (origin->sequence != 0)
        format_rfc5424_add_number(t, "sequenceId", origin->sequence);
    if (format_uptime_at(origin, event, &uptime))
        format_rfc5424_add_number(t, "sysUpTime", uptime);
    format_add_param(t, "language", "en");
    text_add(t, "]");
}

// The element `alarm` (RFC 5674). Causes and event types are words of the IANA-ITU-ALARM-TC-MIB.

static const struct nature {
    const char *event_type, *cause;
} NATURES[] = {
    [CATEGORY_FABRIC] = {"communicationsAlarm", "communicationsSubsystemFailure"},
    [CATEGORY_LINK] = {"communicationsAlarm", "lossOfSignal"},
    [CATEGORY_PORT] = {"communicationsAlarm", "communicationsSubsystemFailure"},
    [CATEGORY_NODE] = {"equipmentAlarm", "equipmentMalfunction"},
    [CATEGORY_SECURITY] = {"securityServiceOrMechanismViolation", "unauthorizedAccessAttempt"},
    [CATEGORY_MULTICAST] = {"communicationsAlarm", "communicationsSubsystemFailure"},
    [CATEGORY_SM] = {"communicationsAlarm", "communicationsSubsystemFailure"},
    [CATEGORY_IO] = {"equipmentAlarm", "inputOutputDeviceError"},
    [CATEGORY_COUNTER] = {"qualityOfServiceAlarm", "thresholdCrossed"},
    [CATEGORY_GATEWAY] = {"processingErrorAlarm", "other"},
    [CATEGORY_VENDOR] = {"other", "other"},
};

// Adds the name of the alarm's subject; else its GUID; else the alarm key.
static void format_add_resource(struct text *t, const struct event *event)
{
    char guid[ADDRESS_GUID_TEXT_SIZE];
    address_format_guid(event->subject.guid, guid);
    const char *resource = event->subject.name[0] ? event->subject.name : guid;
    format_add_param(t, "resource",
                     event->subject.name[0] || event->subject.guid ? resource : event->alarm_key);
}

// Adds the subject's GUID as a URN: a GUID is an EUI-64 (RFC 9039).
static void format_add_resource_uri(struct text *t, const struct event *event)
{
    char uri[40];
    struct text u = text_in(uri, sizeof uri);
    if (event->subject.guid == 0)
        return;
    text_add(&u, "urn:dev:mac:");
    text_add_hex_number(&u, event->subject.guid, 16);
    format_add_param(t, "resourceURI", uri);
}

static void format_add_alarm(struct text *t, const struct event *event)
{
    enum alarm_role alarm = event_alarm(event);
    bool cleared = alarm == ALARM_CLEARS;
    if (alarm == ALARM_NONE)
        return;
    text_add(t, "[alarm");
    format_add_resource(t, event);
    format_add_param(t, "probableCause", NATURES[event->category].cause);
    format_add_param(t, "perceivedSeverity",
                     cleared ? "cleared" : severity_perceived(event->severity));
    format_add_param(t, "eventType", NATURES[event->category].event_type);
    format_add_param(t, "trendIndication", cleared ? "lessSevere" : "moreSevere");
    format_add_resource_uri(t, event);
    text_add(t, "]");
}

// The element `snmp` (RFC 5675 3.2): the varbinds of the event's notification, numbered from 1. The
// parameter v has the name of a varbind; the letter of the value's parameter gives its type.

static void format_rfc5424_add_name(struct text *name, char letter, unsigned number)
{
    text_add_n(name, &letter, 1);
    text_add_number(name, number);
}

static void format_add_oid(struct text *t, char letter, unsigned number, const uint32_t *ids,
                           size_t n)
{
    char value[FORMAT_VALUE_SIZE], name[16];
    struct text v = text_in(value, sizeof value), p = text_in(name, sizeof name);
    mib_add_oid(&v, ids, n);
    format_rfc5424_add_name(&p, letter, number);
    format_add_param(t, name, value);
}

static void format_rfc5424_add_varbind(struct text *t, unsigned number,
                                       const struct mib_varbind *varbind)
{
    char value[MIB_VALUE_MAX * 2 + 1], name[16];
    struct text v = text_in(value, sizeof value), p = text_in(name, sizeof name);
    format_add_oid(t, 'v', number, varbind->oid, varbind->oid_length);
    switch (varbind->syntax) {
    case MIB_INTEGER32:
        format_rfc5424_add_name(&p, 'd', number);
        text_add(&v, (int32_t)varbind->number < 0 ? "-" : "");
        text_add_number(&v, (uint64_t)labs((long)(int32_t)varbind->number));
        break;
    case MIB_UNSIGNED32:
        format_rfc5424_add_name(&p, 'u', number);
        text_add_number(&v, varbind->number);
        break;
    default:
        format_rfc5424_add_name(&p, 'x', number);
        text_add_hex(&v, varbind->octets, varbind->size);
        break;
    }
    format_add_param(t, name, value);
}

static const struct mib_notification *format_notification_of(const struct event *event)
{
    const struct catalogue_entry *type = event->type;
    const struct mib_notification *traps[MIB_GSW_TRAPS_MAX];
    if (type->sma)
        return type->sma;
    if (type->own_says_more || mib_gsw_traps(event, traps) == 0)
        return type->own;
    return traps[0];
}

static void format_add_notification_head(struct text *t, const struct format_origin *origin,
                                         const struct event *event,
                                         const struct mib_notification *which)
{
    static const uint32_t UPTIME[] = {1, 3, 6, 1, 2, 1, 1, 3, 0};
    static const uint32_t TRAP_OID[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};
    uint32_t uptime;
    if (!format_uptime_at(origin, event, &uptime))
        uptime = 0;
    if (origin->engine_id) {
        format_add_param(t, "ctxEngine", origin->engine_id);
        format_add_param(t, "ctxName", "");
    }
    format_add_oid(t, 'v', 1, UPTIME, sizeof UPTIME / sizeof *UPTIME);
    format_rfc5424_add_number(t, "t1", uptime);
    format_add_oid(t, 'v', 2, TRAP_OID, sizeof TRAP_OID / sizeof *TRAP_OID);
    format_add_oid(t, 'o', 2, which->oid.ids, which->oid.length);
}

static void format_add_snmp(struct text *t, const struct format_origin *origin,
                            const struct event *event)
{
    const struct mib_notification *which = format_notification_of(event);
    if (!which)
        return;
    text_add(t, "[snmp");
    format_add_notification_head(t, origin, event, which);
    for (unsigned i = 0; i < MIB_OBJECTS_MAX && which->objects[i]; i++) {
        struct mib_varbind varbind;
        mib_encode(which->objects[i], event, &varbind);
        format_rfc5424_add_varbind(t, i + 3, &varbind);
    }
    text_add(t, "]");
}

// The message.

void format_rfc5424_header(struct text *t, const struct format_origin *origin,
                           const struct event *event)
{
    char when[CLOCK_TEXT_SIZE];
    clock_format_utc(event->time_us, when);
    text_add(t, "<");
    text_add_number(t, format_priority(origin, event));
    text_add(t, ">1 ");
    text_add(t, when);
    text_add(t, " ");
    text_add(t, origin->hostname);
    text_add(t, " ibtrapd ");
    text_add(t, origin->process_id);
    text_add(t, " ");
    text_add(t, event->type->name);
    text_add(t, " ");
}

static bool format_is_ascii(const char *s)
{
    while (*s && (unsigned char)*s < 0x80)
        s++;
    return *s == '\0';
}

static size_t format_text_room(const struct event *event)
{
    size_t length = strlen(event->text) + strlen(BYTE_ORDER_MARK) + 1;
    return length < TEXT_RESERVE ? length : TEXT_RESERVE;
}

// Adds the elements: ibtrapd's own element, perhaps without some parameters for want of room; the
// short elements, which always fit; the element of SNMP, whole or not at all.
static void format_add_structured_data(struct text *t, const struct format_origin *origin,
                                       const struct event *event)
{
    char own[FORMAT_SIZE], rest[FORMAT_SIZE], snmp[FORMAT_SIZE];
    struct text r = text_in(rest, sizeof rest), s = text_in(snmp, sizeof snmp);
    format_add_origin(&r, origin);
    format_add_meta(&r, origin, event);
    format_add_alarm(&r, event);
    format_add_snmp(&s, origin, event);
    size_t room = t->size - t->len - format_text_room(event) - r.len;
    struct text o = text_in(own, room < sizeof own ? room : sizeof own);
    format_add_own(&o, event);
    text_add_n(t, own, o.len);
    text_add_n(t, rest, r.len);
    if (!s.cut && o.len + s.len < room)
        text_add_n(t, snmp, s.len);
}

// What receivers share (sink/format.h): the octets of the header, of ibtrapd's own element,
// of the alarm and of SNMP's, one behind the other. All zero: the event has too much of them.
struct rfc5424_parts {
    size_t header, own, alarm, snmp;
};

static uint64_t format_rfc5424_variant(const struct format_origin *origin,
                                       const struct event *event)
{
    const char *engine = origin->engine_id ? origin->engine_id : "";
    uint64_t digest = format_shared_variant(origin, event);
    digest = digest_add(digest, &origin->started_us, sizeof origin->started_us);
    return digest_add(digest, engine, strlen(engine));
}

// Twice the room that it may need shows whether anything was left out.
static void format_rfc5424_keep(const struct format_origin *origin, const struct event *event,
                                uint64_t variant)
{
    struct {
        struct rfc5424_parts parts;
        char octets[2 * FORMAT_SIZE];
    } all;
    struct text t = text_in(all.octets, sizeof all.octets);
    all.parts = (struct rfc5424_parts){0};
    format_rfc5424_header(&t, origin, event);
    const size_t header = t.len;
    format_add_own(&t, event);
    const size_t own = t.len - header;
    format_add_alarm(&t, event);
    const size_t alarm = t.len - header - own;
    format_add_snmp(&t, origin, event);
    if (!t.cut && t.len < FORMAT_SIZE)
        all.parts = (struct rfc5424_parts){header, own, alarm, t.len - header - own - alarm};
    event_text_keep(event, EVENT_TEXT_RFC5424, variant, &all,
                    sizeof all.parts + (all.parts.header > 0 ? t.len : 0));
}

// Adds header and elements of parts that are kept. False: they do not fit; nothing is added.
static bool format_rfc5424_add_parts(struct text *t, const struct event_text *kept,
                                     const struct format_origin *origin, const struct event *event)
{
    char octets[FORMAT_SIZE];
    struct rfc5424_parts p;
    memcpy(&p, kept->octets, sizeof p);
    const char *own = kept->octets + sizeof p + p.header, *alarm = own + p.own;
    struct text r = text_in(octets, sizeof octets);
    format_add_origin(&r, origin);
    format_add_meta(&r, origin, event);
    text_add_n(&r, alarm, p.alarm);
    const size_t before = t->len + p.header + format_text_room(event) + r.len;
    if (p.header == 0 || before + p.own >= t->size)
        return false;
    text_add_n(t, own - p.header, p.header + p.own);
    text_add_n(t, octets, r.len);
    if (before + p.own + p.snmp < t->size)
        text_add_n(t, alarm + p.alarm, p.snmp);
    return true;
}

void format_rfc5424(struct text *t, const struct format_origin *origin, const struct event *event)
{
    const uint64_t variant = format_rfc5424_variant(origin, event);
    if (event_text_is_wanted(event, EVENT_TEXT_RFC5424))
        format_rfc5424_keep(origin, event, variant);
    const struct event_text *kept = event_text_find(event, EVENT_TEXT_RFC5424, variant);
    if (!kept || !format_rfc5424_add_parts(t, kept, origin, event)) {
        format_rfc5424_header(t, origin, event);
        format_add_structured_data(t, origin, event);
    }
    text_add(t, " ");
    if (!format_is_ascii(event->text)) // RFC 5424 6.4: announces UTF-8
        text_add(t, BYTE_ORDER_MARK);
    text_add(t, event->text);
}
