// SPDX-License-Identifier: BSD-2-Clause
// The notification PDUs of an event from a journal. A BER reader (X.690) in this file parses
// libsnmp's encoding and must find the varbinds that the MIBs require. The input is an octet of
// options, and the event's record.
#include "fuzz.h"

#include "model/event_record.h"
#include "model/mib.h"
#include "sink/snmp_pdu.h"

#include <string.h>

enum {
    PDU_SIZE = 65536,
    IDS_MAX = 128,
    TAG_INTEGER = 2,
    TAG_OCTETS = 4,
    TAG_OID = 6,
    TAG_SEQUENCE = 0x30,
    TAG_ADDRESS = 0x40,
    TAG_UNSIGNED = 0x42,
    TAG_TICKS = 0x43,
    TAG_TRAP_V1 = 0xA4,
    TAG_INFORM = 0xA6,
    TAG_TRAP = 0xA7
};

static const uint8_t ADDRESS[4] = {192, 0, 2, 7};

// The octets not read yet.
struct ber {
    const uint8_t *p, *end;
};

static struct ber read_tag(struct ber *b, uint8_t tag)
{
    REQUIRE(b->end - b->p >= 2 && b->p[0] == tag);
    size_t length = b->p[1];
    b->p += 2;
    if (length & 0x80) {
        size_t octets = length & 0x7F;
        REQUIRE(octets >= 1 && octets <= 3 && (size_t)(b->end - b->p) >= octets);
        for (length = 0; octets > 0; octets--)
            length = length << 8 | *b->p++;
    }
    REQUIRE((size_t)(b->end - b->p) >= length);
    struct ber inner = {b->p, b->p + length};
    b->p += length;
    return inner;
}

// Two's complement in the fewest octets.
static int64_t read_integer(struct ber *b, uint8_t tag)
{
    struct ber v = read_tag(b, tag);
    size_t size = (size_t)(v.end - v.p);
    REQUIRE(size >= 1 && size <= 5);
    REQUIRE(size == 1 || !((v.p[0] == 0 && v.p[1] < 0x80) || (v.p[0] == 0xFF && v.p[1] >= 0x80)));
    int64_t value = v.p[0] & 0x80 ? -1 : 0;
    while (v.p < v.end)
        value = (int64_t)((uint64_t)value << 8 | *v.p++);
    return value;
}

static size_t read_oid(struct ber *b, uint32_t ids[IDS_MAX])
{
    struct ber v = read_tag(b, TAG_OID);
    size_t n = 1;
    REQUIRE(v.p < v.end && v.end[-1] < 0x80);
    while (v.p < v.end) {
        uint64_t id = 0;
        REQUIRE(n < IDS_MAX && *v.p != 0x80); // no leading zeroes
        do
            id = id << 7 | (*v.p & 0x7F);
        while (*v.p++ & 0x80);
        REQUIRE(id <= UINT32_MAX);
        ids[n++] = (uint32_t)id;
    }
    ids[0] = ids[1] < 80 ? ids[1] / 40 : 2; // the first octet encodes two sub-identifiers
    ids[1] -= 40 * ids[0];
    return n;
}

static void expect_oid(struct ber *b, const uint32_t *ids, size_t n)
{
    uint32_t got[IDS_MAX];
    REQUIRE(read_oid(b, got) == n && memcmp(got, ids, n * sizeof *ids) == 0);
}

static void expect_octets(struct ber *b, uint8_t tag, const uint8_t *octets, size_t size)
{
    struct ber v = read_tag(b, tag);
    REQUIRE((size_t)(v.end - v.p) == size && memcmp(v.p, octets, size) == 0);
}

static void expect_object(struct ber *list, const struct event *event,
                          const struct mib_notification *notification, size_t i)
{
    struct mib_varbind v;
    mib_encode(notification->objects[i], event, &v);
    struct ber varbind = read_tag(list, TAG_SEQUENCE);
    expect_oid(&varbind, v.oid, v.oid_length);
    if (v.syntax == MIB_INTEGER32)
        REQUIRE(read_integer(&varbind, TAG_INTEGER) == (int32_t)v.number);
    else if (v.syntax == MIB_UNSIGNED32)
        REQUIRE(read_integer(&varbind, TAG_UNSIGNED) == v.number);
    else
        expect_octets(&varbind, TAG_OCTETS, v.octets, v.size);
    REQUIRE(varbind.p == varbind.end);
}

static void expect_objects(struct ber *list, const struct event *event,
                           const struct mib_notification *notification)
{
    for (size_t i = 0; i < MIB_OBJECTS_MAX && notification->objects[i]; i++)
        expect_object(list, event, notification, i);
}

static bool names(const struct mib_notification *notification, const struct mib_object *object)
{
    for (size_t i = 0; i < MIB_OBJECTS_MAX && notification->objects[i]; i++) {
        if (strcmp(notification->objects[i]->name, object->name) == 0)
            return true;
    }
    return false;
}

static void expect_all_objects(struct ber *list, const struct event *event,
                               const struct mib_notification *notification, bool extra)
{
    expect_objects(list, event, notification);
    for (size_t i = 0; MIB_EXTRA.objects[i]; i++) {
        bool wanted = extra || (event->test && MIB_EXTRA.objects[i] == &mib_ibtrapdTest);
        if (wanted && !names(notification, MIB_EXTRA.objects[i]))
            expect_object(list, event, &MIB_EXTRA, i);
    }
}

static void expect_head(struct ber *list, const struct mib_notification *notification,
                        uint32_t uptime)
{
    static const uint32_t UPTIME[] = {1, 3, 6, 1, 2, 1, 1, 3, 0};
    static const uint32_t TRAP_OID[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};
    struct ber varbind = read_tag(list, TAG_SEQUENCE);
    expect_oid(&varbind, UPTIME, sizeof UPTIME / sizeof *UPTIME);
    REQUIRE(read_integer(&varbind, TAG_TICKS) == uptime);
    varbind = read_tag(list, TAG_SEQUENCE);
    expect_oid(&varbind, TRAP_OID, sizeof TRAP_OID / sizeof *TRAP_OID);
    expect_oid(&varbind, notification->oid.ids, notification->oid.length);
}

static void expect_trap_address(struct ber *list)
{
    static const uint32_t TRAP_ADDRESS[] = {1, 3, 6, 1, 6, 3, 18, 1, 3, 0};
    struct ber varbind = read_tag(list, TAG_SEQUENCE);
    expect_oid(&varbind, TRAP_ADDRESS, sizeof TRAP_ADDRESS / sizeof *TRAP_ADDRESS);
    expect_octets(&varbind, TAG_ADDRESS, ADDRESS, sizeof ADDRESS);
}

// Encodes the PDU like a session of libsnmp, and frees the PDU.
static struct ber encode(netsnmp_pdu *pdu, uint8_t *buffer)
{
    size_t left = PDU_SIZE;
    REQUIRE(pdu);
    if (pdu->command != SNMP_MSG_TRAP)
        pdu->errstat = pdu->errindex = 0;
    const uint8_t *end = snmp_pdu_build(pdu, buffer, &left);
    REQUIRE(end && end > buffer);
    snmp_free_pdu(pdu);
    return (struct ber){buffer, end};
}

static void check_v2(int command, uint8_t tag, const struct event *event,
                     const struct mib_notification *notification,
                     const struct snmp_pdu_options *options)
{
    static uint8_t buffer[PDU_SIZE];
    struct ber all = encode(snmp_pdu_make(command, event, notification, options), buffer);
    struct ber pdu = read_tag(&all, tag);
    read_integer(&pdu, TAG_INTEGER); // request-id
    REQUIRE(read_integer(&pdu, TAG_INTEGER) == 0 && read_integer(&pdu, TAG_INTEGER) == 0);
    struct ber list = read_tag(&pdu, TAG_SEQUENCE);
    expect_head(&list, notification, options->uptime_cs);
    expect_all_objects(&list, event, notification, options->extra);
    if (options->trap_address)
        expect_trap_address(&list);
    REQUIRE(list.p == list.end && pdu.p == pdu.end && all.p == all.end);
}

// RFC 3584 3.1 gives the notification's identifier from the two numbers.
static void check_v1(const struct event *event, const struct mib_notification *notification,
                     const struct snmp_pdu_options *options)
{
    static uint8_t buffer[PDU_SIZE];
    uint32_t ids[IDS_MAX];
    struct ber all = encode(snmp_pdu_make_v1(event, notification, options), buffer);
    struct ber pdu = read_tag(&all, TAG_TRAP_V1);
    size_t n = read_oid(&pdu, ids);
    expect_octets(&pdu, TAG_ADDRESS, ADDRESS, sizeof ADDRESS);
    REQUIRE(read_integer(&pdu, TAG_INTEGER) == SNMP_TRAP_ENTERPRISESPECIFIC);
    uint32_t specific = (uint32_t)read_integer(&pdu, TAG_INTEGER);
    REQUIRE(read_integer(&pdu, TAG_TICKS) == options->uptime_cs);
    if (notification->oid.length == n + 2)
        ids[n++] = 0;
    ids[n++] = specific;
    REQUIRE(n == notification->oid.length &&
            memcmp(ids, notification->oid.ids, n * sizeof *ids) == 0);
    struct ber list = read_tag(&pdu, TAG_SEQUENCE);
    expect_all_objects(&list, event, notification, options->extra);
    REQUIRE(list.p == list.end && pdu.p == pdu.end && all.p == all.end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct event *event = size >= 1 ? event_record_read(data + 1, size - 1, &err) : NULL;
    if (!event)
        return 0;
    const struct snmp_pdu_options options = {.uptime_cs = UINT32_C(0x01010101) * data[0],
                                             .extra = data[0] & 1,
                                             .trap_address = data[0] & 2 ? ADDRESS : NULL,
                                             .agent_address = ADDRESS};
    const struct mib_notification *notifications[SNMP_PDU_NOTIFICATIONS_MAX];
    for (unsigned sets = 0; sets < 8; sets++) {
        size_t n = snmp_pdu_notifications(event, sets, options.extra, notifications);
        REQUIRE(n <= SNMP_PDU_NOTIFICATIONS_MAX && (n >= 1 || sets != 0));
        for (size_t i = 0; i < n; i++) {
            check_v2(SNMP_MSG_TRAP2, TAG_TRAP, event, notifications[i], &options);
            check_v2(SNMP_MSG_INFORM, TAG_INFORM, event, notifications[i], &options);
            check_v1(event, notifications[i], &options);
        }
    }
    event_unref(event);
    return 0;
}
