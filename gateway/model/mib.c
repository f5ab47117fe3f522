// SPDX-License-Identifier: BSD-2-Clause
#include "model/mib.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/wire.h"
#include "model/catalogue.h"
#include "model/event.h"
#include "model/fabric.h"
#include "model/field.h"

#include <assert.h>
#include <string.h>
#include <time.h>

const struct mib_notification MIB_EXTRA = {
    .objects = {&mib_ibtrapdEventId, &mib_ibtrapdEventName, &mib_ibtrapdEventTime,
                &mib_ibtrapdEventSeverity, &mib_ibtrapdEventCategory, &mib_ibtrapdAlarmState,
                &mib_ibtrapdAlarmKey, &mib_ibtrapdSubnetPrefix, &mib_ibtrapdNodeGuid,
                &mib_ibtrapdNodeName, &mib_ibtrapdPort, &mib_ibtrapdEventText, &mib_ibtrapdDerived,
                &mib_ibtrapdFabric, &mib_ibtrapdTest}};

void mib_put_global_id(uint8_t out[MIB_GLOBAL_ID_SIZE], uint64_t guid, uint8_t type)
{
    enum { IB_SWITCH = 2, IB_ROUTER = 3 }; // GswType
    memset(out, 0, MIB_GLOBAL_ID_SIZE);
    wire_put(out, 8, guid);
    if (guid != 0)
        out[MIB_GLOBAL_ID_SIZE - 1] = type == FABRIC_ROUTER ? IB_ROUTER : IB_SWITCH;
}

void mib_put_date(uint8_t out[MIB_DATE_SIZE], int64_t utc_us)
{
    time_t s = (time_t)(utc_us / CLOCK_US_PER_S);
    struct tm tm;
    gmtime_r(&s, &tm);
    wire_put(out, 2, (uint64_t)tm.tm_year + 1900);
    const int rest[] = {tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                        tm.tm_min,     tm.tm_sec,  (int)(utc_us % CLOCK_US_PER_S / 100000),
                        '+',           0,          0};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        out[2 + i] = (uint8_t)rest[i];
}

// SNMP numbers BITS from the most significant bit of the first octet (RFC 2578 7.1.4).
static void mib_put_bits(struct mib_varbind *out, uint64_t bits, size_t octets)
{
    memset(out->octets, 0, octets);
    for (size_t i = 0; i < octets * 8; i++) {
        if (bits >> i & 1)
            out->octets[i / 8] |= (uint8_t)(0x80 >> i % 8);
    }
    out->size = octets;
}

static void mib_put_octets(struct mib_varbind *out, const struct field_value *value, size_t size)
{
    if (value->is_number) {
        wire_put(out->octets, size, value->number);
        out->size = size;
        return;
    }
    out->size = value->size < MIB_VALUE_MAX ? value->size : MIB_VALUE_MAX;
    memcpy(out->octets, value->octets, out->size);
}

static void mib_put_digits(struct mib_varbind *out, uint64_t number)
{
    struct text t = text_in((char *)out->octets, MIB_VALUE_MAX);
    text_add_number(&t, number);
    out->size = t.len;
}

static void mib_put_date_text(struct mib_varbind *out, int64_t utc_us)
{
    clock_format_utc(utc_us, (char *)out->octets);
    out->size = strlen((const char *)out->octets);
}

// Encodes a NUL-terminated text.
static void mib_put_ascii(struct mib_varbind *out, const struct field_value *value)
{
    enum { DISPLAY_STRING_MAX = 255 };
    text_ascii((const char *)value->octets, (char *)out->octets, DISPLAY_STRING_MAX + 1);
    out->size = strlen((const char *)out->octets);
}

// Adds the instance, which identifies the row of the object's table: each octet of a fixed-size
// octet string becomes a sub-identifier, and so does a number (RFC 2578 7.7).
static void mib_put_instance(struct mib_varbind *out, const struct mib_object *object,
                             const struct event *event)
{
    if (!object->index[0]) {
        out->oid[out->oid_length++] = 0;
        return;
    }
    for (size_t i = 0; i < MIB_INDEX_MAX && object->index[i]; i++) {
        const uint64_t value = field_get(event, object->index[i]->source).number;
        if (object->index[i]->syntax != MIB_GLOBAL_ID) {
            out->oid[out->oid_length++] = (uint32_t)value;
            continue;
        }
        uint8_t id[MIB_GLOBAL_ID_SIZE];
        mib_put_global_id(id, value, event_type_of(event, value));
        for (size_t k = 0; k < sizeof id; k++)
            out->oid[out->oid_length++] = id[k];
    }
}

void mib_encode_field(enum mib_syntax syntax, uint16_t size, enum field source,
                      const struct event *event, struct mib_varbind *out)
{
    struct field_value value = field_get(event, source);
    out->syntax = MIB_OCTETS;
    switch (syntax) {
    case MIB_INTEGER32:
    case MIB_UNSIGNED32:
        assert(value.is_number);
        out->syntax = syntax;
        out->number = value.number < UINT32_MAX ? (uint32_t)value.number : UINT32_MAX;
        break;
    case MIB_OCTETS:
        mib_put_octets(out, &value, size);
        break;
    case MIB_BITS:
        mib_put_bits(out, value.number, size);
        break;
    case MIB_DATE_AND_TIME:
        mib_put_date(out->octets, (int64_t)value.number);
        out->size = MIB_DATE_SIZE;
        break;
    case MIB_TRUTH:
        out->syntax = MIB_INTEGER32;
        out->number = value.number ? 1 : 2;
        break;
    case MIB_DIGITS:
        mib_put_digits(out, value.number);
        break;
    case MIB_DATE_TEXT:
        mib_put_date_text(out, (int64_t)value.number);
        break;
    case MIB_ASCII:
        mib_put_ascii(out, &value);
        break;
    case MIB_GLOBAL_ID:
        mib_put_global_id(out->octets, value.number, event_type_of(event, value.number));
        out->size = MIB_GLOBAL_ID_SIZE;
        break;
    }
}

void mib_encode(const struct mib_object *object, const struct event *event, struct mib_varbind *out)
{
    memcpy(out->oid, object->oid.ids, object->oid.length * sizeof *out->oid);
    out->oid_length = object->oid.length;
    mib_put_instance(out, object, event);
    mib_encode_field(object->syntax, object->size, object->source, event, out);
}

static char *mib_put_number(char *p, uint32_t number)
{
    size_t n = 1;
    for (uint32_t rest = number / 10; rest > 0; rest /= 10)
        n++;
    for (size_t i = n; i-- > 0; number /= 10)
        p[i] = (char)('0' + number % 10);
    return p + n;
}

// Adds all numbers at once, for speed: a notification has hundreds of sub-identifiers.
void mib_add_oid(struct text *t, const uint32_t *ids, size_t count)
{
    enum { IDS_MAX = MIB_OID_MAX + MIB_INSTANCE_MAX, DOT_AND_DIGITS = 11 };
    char all[IDS_MAX * DOT_AND_DIGITS], *p = all;
    assert(count <= IDS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *p++ = '.';
        p = mib_put_number(p, ids[i]);
    }
    text_add_n(t, all, (size_t)(p - all));
}

// Traps of the IBSWITCH-MIB.

// Whether the row's gswTopoComTrap is about a link, not about a coming or leaving element.
static bool mib_is_about_link(const struct catalogue_entry *type)
{
    return type->gsw == &mib_gswTopoComTrap &&
           (type->switch_reason == mib_gswTopoComSwitchStatus_link_added ||
            type->switch_reason == mib_gswTopoComSwitchStatus_link_deleted);
}

static bool mib_has_gsw_trap(const struct event *event)
{
    const bool between =
        fabric_is_element(event->subject.type) && fabric_is_element(event->peer.type);
    return event->type->gsw && (between || !mib_is_about_link(event->type));
}

static bool mib_has_former_trap(const struct event *event)
{
    return event->type->former && fabric_is_element(event->subject.type) &&
           fabric_is_element(event->former.type);
}

size_t mib_gsw_traps(const struct event *event,
                     const struct mib_notification *out[MIB_GSW_TRAPS_MAX])
{
    const struct catalogue_entry *type = event->type;
    size_t n = 0;
    if (event->switch_guid == 0)
        return 0;
    if (mib_has_former_trap(event))
        out[n++] = type->former;
    if (mib_has_gsw_trap(event))
        out[n++] = type->gsw;
    if (type->topo && (n > 0 || !type->between_switches))
        out[n++] = type->topo;
    return n;
}
