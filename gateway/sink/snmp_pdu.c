// SPDX-License-Identifier: BSD-2-Clause
#include "sink/snmp_pdu.h"

#include "base/memory.h"
#include "model/event.h"
#include "model/mib.h"
#include "sink/snmp_target.h"

#include <string.h>

static size_t snmp_pdu_add(const struct mib_notification *out[SNMP_PDU_NOTIFICATIONS_MAX], size_t n,
                           const struct mib_notification *notification, bool wanted)
{
    if (notification && wanted)
        out[n++] = notification;
    return n;
}

size_t snmp_pdu_notifications(const struct event *event, unsigned sets, bool extra,
                              const struct mib_notification *out[SNMP_PDU_NOTIFICATIONS_MAX])
{
    const struct catalogue_entry *type = event->type;
    unsigned chosen = sets != 0 ? sets : SNMP_SET_SMA | SNMP_SET_SWITCH;
    size_t n = snmp_pdu_add(out, 0, type->sma, chosen & SNMP_SET_SMA);
    if (chosen & SNMP_SET_SWITCH)
        n += mib_gsw_traps(event, out + n);
    n = snmp_pdu_add(out, n, &mib_gswEventTrap, (chosen & SNMP_SET_EVENT) && event->event_trap);
    n = snmp_pdu_add(out, n, type->own,
                     (chosen & SNMP_SET_OWN) || (sets == 0 && (n == 0 || type->own_says_more)));
    if (!event->test || extra || n == 0)
        return n;
    return snmp_pdu_add(out, 0, event->type->own ? event->type->own : &mib_ibtrapdTestEvent, true);
}

static bool snmp_pdu_take_object(const struct event *event, const struct mib_object *object,
                                 bool (*take)(void *ctx, const struct mib_varbind *varbind),
                                 void *ctx)
{
    struct mib_varbind varbind;
    mib_encode(object, event, &varbind);
    return take(ctx, &varbind);
}

static bool snmp_pdu_has_object(const struct mib_notification *notification,
                                const struct mib_object *object)
{
    for (size_t i = 0; i < MIB_OBJECTS_MAX && notification->objects[i]; i++) {
        if (notification->objects[i] == object)
            return true;
    }
    return false;
}

// Whether the object of MIB_EXTRA is added to the notification.
static bool snmp_pdu_is_added(const struct event *event,
                              const struct mib_notification *notification,
                              const struct mib_object *object, bool extra)
{
    return (extra || (event->test && object == &mib_ibtrapdTest)) &&
           !snmp_pdu_has_object(notification, object);
}

bool snmp_pdu_each_varbind(const struct event *event, const struct mib_notification *notification,
                           bool extra, bool (*take)(void *ctx, const struct mib_varbind *varbind),
                           void *ctx)
{
    bool ok = true;
    for (size_t i = 0; ok && i < MIB_OBJECTS_MAX && notification->objects[i]; i++)
        ok = snmp_pdu_take_object(event, notification->objects[i], take, ctx);
    for (size_t i = 0; ok && (extra || event->test) && MIB_EXTRA.objects[i]; i++) {
        if (snmp_pdu_is_added(event, notification, MIB_EXTRA.objects[i], extra))
            ok = snmp_pdu_take_object(event, MIB_EXTRA.objects[i], take, ctx);
    }
    return ok;
}

// Varbinds.

static size_t snmp_pdu_widen(const uint32_t *ids, size_t n, oid out[MIB_OID_MAX + MIB_INSTANCE_MAX])
{
    for (size_t i = 0; i < n; i++)
        out[i] = ids[i];
    return n;
}

// Where varbinds go: into a PDU, or encoded into a buffer.
struct snmp_pdu_output {
    bool (*put)(struct snmp_pdu_output *to, const oid *name, size_t length, u_char type,
                const void *value, size_t size);
    netsnmp_pdu *pdu;
    uint8_t *octets;
    size_t used;
};

static bool snmp_pdu_put_in_pdu(struct snmp_pdu_output *to, const oid *name, size_t length,
                                u_char type, const void *value, size_t size)
{
    return memory_need(snmp_pdu_add_variable(to->pdu, name, length, type, value, size));
}

// libsnmp puts a varbind at the end of a buffer. Without leave to reallocate this one, it uses
// nothing but its arguments.
static bool snmp_pdu_put_encoded(struct snmp_pdu_output *to, const oid *name, size_t length,
                                 u_char type, const void *value, size_t size)
{
    u_char buffer[2 * MIB_VALUE_MAX], *p = buffer;
    size_t room = sizeof buffer, used = 0;
    if (!snmp_realloc_rbuild_var_op(&p, &room, &used, 0, name, &length, type, (u_char *)value,
                                    size) ||
        used > SNMP_PDU_VARBINDS_SIZE - to->used)
        return false;
    memcpy(to->octets + to->used, buffer + sizeof buffer - used, used);
    to->used += used;
    return true;
}

static bool snmp_pdu_add_varbind(void *ctx, const struct mib_varbind *v)
{
    struct snmp_pdu_output *to = ctx;
    oid name[MIB_OID_MAX + MIB_INSTANCE_MAX];
    size_t length = snmp_pdu_widen(v->oid, v->oid_length, name);
    long integer = (long)(int32_t)v->number;
    u_long unsigned32 = v->number;
    switch (v->syntax) {
    case MIB_INTEGER32:
        return to->put(to, name, length, ASN_INTEGER, &integer, sizeof integer);
    case MIB_UNSIGNED32:
        return to->put(to, name, length, ASN_UNSIGNED, &unsigned32, sizeof unsigned32);
    default:
        return to->put(to, name, length, ASN_OCTET_STR, v->octets, v->size);
    }
}

static void snmp_pdu_add_uptime(struct snmp_pdu_output *to, uint32_t uptime_cs)
{
    static const oid UPTIME[] = {1, 3, 6, 1, 2, 1, 1, 3, 0};
    u_long uptime = uptime_cs;
    to->put(to, UPTIME, OID_LENGTH(UPTIME), ASN_TIMETICKS, &uptime, sizeof uptime);
}

static bool snmp_pdu_add_trap_oid(struct snmp_pdu_output *to,
                                  const struct mib_notification *notification)
{
    static const oid TRAP_OID[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};
    oid value[MIB_OID_MAX + MIB_INSTANCE_MAX];
    size_t length = snmp_pdu_widen(notification->oid.ids, notification->oid.length, value);
    return to->put(to, TRAP_OID, OID_LENGTH(TRAP_OID), ASN_OBJECT_ID, value,
                   length * sizeof *value);
}

static bool snmp_pdu_add_trap_address(struct snmp_pdu_output *to, const uint8_t *address)
{
    static const oid TRAP_ADDRESS[] = {1, 3, 6, 1, 6, 3, 18, 1, 3, 0};
    return !address ||
           to->put(to, TRAP_ADDRESS, OID_LENGTH(TRAP_ADDRESS), ASN_IPADDRESS, address, 4);
}

// Adds all but sysUpTime.0.
static bool snmp_pdu_add_rest(struct snmp_pdu_output *to, const struct event *event,
                              const struct mib_notification *notification,
                              const struct snmp_pdu_options *options)
{
    return snmp_pdu_add_trap_oid(to, notification) &&
           snmp_pdu_each_varbind(event, notification, options->extra, snmp_pdu_add_varbind, to) &&
           snmp_pdu_add_trap_address(to, options->trap_address);
}

size_t snmp_pdu_encode(const struct event *event, const struct mib_notification *notification,
                       const struct snmp_pdu_options *options, uint8_t out[SNMP_PDU_VARBINDS_SIZE])
{
    struct snmp_pdu_output to = {.put = snmp_pdu_put_encoded, .octets = out};
    return snmp_pdu_add_rest(&to, event, notification, options) ? to.used : 0;
}

// PDUs.

netsnmp_pdu *snmp_pdu_make(int command, const struct event *event,
                           const struct mib_notification *notification,
                           const struct snmp_pdu_options *options)
{
    netsnmp_pdu *pdu = memory_need(snmp_pdu_create(command));
    struct snmp_pdu_output to = {.put = snmp_pdu_put_in_pdu, .pdu = pdu};
    snmp_pdu_add_uptime(&to, options->uptime_cs);
    snmp_pdu_add_rest(&to, event, notification, options);
    return pdu;
}

// RFC 3584 3.2 (2) and (5): the last sub-identifier is the specific trap; the others, without a
// zero at their end, are the enterprise.
static void snmp_pdu_set_enterprise(netsnmp_pdu *pdu, const struct mib_oid *trap_oid)
{
    size_t length = trap_oid->length - 1U;
    pdu->specific_type = (long)trap_oid->ids[length];
    if (trap_oid->ids[length - 1] == 0)
        length--;
    oid ids[MIB_OID_MAX + MIB_INSTANCE_MAX];
    snmp_pdu_widen(trap_oid->ids, length, ids);
    pdu->enterprise = memory_need(snmp_duplicate_objid(ids, length));
    pdu->enterprise_length = length;
}

netsnmp_pdu *snmp_pdu_make_v1(const struct event *event,
                              const struct mib_notification *notification,
                              const struct snmp_pdu_options *options)
{
    netsnmp_pdu *pdu = memory_need(snmp_pdu_create(SNMP_MSG_TRAP));
    pdu->trap_type = SNMP_TRAP_ENTERPRISESPECIFIC;
    pdu->time = options->uptime_cs;
    memcpy(pdu->agent_addr, options->agent_address, sizeof pdu->agent_addr);
    struct snmp_pdu_output to = {.put = snmp_pdu_put_in_pdu, .pdu = pdu};
    snmp_pdu_set_enterprise(pdu, &notification->oid);
    snmp_pdu_each_varbind(event, notification, options->extra, snmp_pdu_add_varbind, &to);
    return pdu;
}
