// SPDX-License-Identifier: BSD-2-Clause
#include "ib/mad.h"

#include "base/wire.h"

#include <assert.h>
#include <endian.h>
#include <infiniband/mad.h>
#include <infiniband/umad_sa.h>
#include <string.h>

// InformInfo (IBA 13.4.8.3), with DeviceID and VendorID for the trap and the producer when not
// generic; and InformInfoRecord (IBA 15.2.5.12).
enum {
    INFORM_LID_BEGIN = 16,
    INFORM_IS_GENERIC = 22,
    INFORM_SUBSCRIBE = 23,
    INFORM_TYPE = 24,
    INFORM_TRAP = 26,
    INFORM_QPN = 28, // 24 bits
    INFORM_PRODUCER_TYPE = 33,
    INFORM_RECORD_INFO = 24, // after the subscriber's GID and number
    INFORM_RECORD_SIZE = 60,
};

static_assert(sizeof(struct umad_sa_packet) == MAD_SIZE, "IBA 15.2.1.1");
static_assert(offsetof(struct umad_sa_packet, sm_key) == 36, "IBA 15.2.1.1");
static_assert(offsetof(struct umad_sa_packet, comp_mask) == 48, "IBA 15.2.1.1");
static_assert(offsetof(struct umad_sa_packet, data) == IB_SA_DATA_OFFS, "IBA 15.2.1.1");

static const uint64_t MASK_SUBSCRIBER_GID = 1, MASK_NODE_LID = 1;

bool mad_read_header(const uint8_t *mad, size_t size, struct mad_header *out)
{
    struct umad_hdr hdr;
    if (size < sizeof hdr)
        return false;
    memcpy(&hdr, mad, sizeof hdr);
    *out = (struct mad_header){
        .base_version = hdr.base_version,
        .mgmt_class = hdr.mgmt_class,
        .class_version = hdr.class_version,
        .method = hdr.method,
        .status = be16toh(hdr.status),
        .tid = be64toh(hdr.tid),
        .attribute = be16toh(hdr.attr_id),
        .modifier = be32toh(hdr.attr_mod),
    };
    return true;
}

uint8_t mad_class(const uint8_t *mad)
{
    return mad[offsetof(struct umad_hdr, mgmt_class)];
}

uint16_t mad_status(const struct mad_header *header)
{
    enum { DIRECTION = 0x8000 };
    const bool directed = header->mgmt_class == MAD_CLASS_SMP_DIRECT;
    return directed ? header->status & (uint16_t)~DIRECTION : header->status;
}

bool mad_is_busy(const uint8_t *mad, size_t size)
{
    enum { BUSY = 1 };
    struct mad_header h;
    return mad && mad_read_header(mad, size, &h) && (mad_status(&h) & BUSY);
}

void mad_write_header(uint8_t *mad, const struct mad_header *header)
{
    struct umad_hdr hdr;
    memcpy(&hdr, mad, sizeof hdr);
    hdr.base_version = header->base_version;
    hdr.mgmt_class = header->mgmt_class;
    hdr.class_version = header->class_version;
    hdr.method = header->method;
    hdr.status = htobe16(header->status);
    hdr.tid = htobe64(header->tid);
    hdr.attr_id = htobe16(header->attribute);
    hdr.attr_mod = htobe32(header->modifier);
    memcpy(mad, &hdr, sizeof hdr);
}

void mad_make_request(uint8_t *out, uint8_t mgmt_class, uint8_t method, uint16_t attribute,
                      uint32_t modifier)
{
    const uint8_t class_version = mgmt_class == MAD_CLASS_SA ? UMAD_SA_CLASS_VERSION : 1;
    memset(out, 0, MAD_SIZE);
    mad_write_header(out, &(struct mad_header){.base_version = UMAD_BASE_VERSION,
                                               .mgmt_class = mgmt_class,
                                               .class_version = class_version,
                                               .method = method,
                                               .attribute = attribute,
                                               .modifier = modifier});
}

void mad_set_tid(uint8_t *mad, uint32_t tid)
{
    wire_put(mad + offsetof(struct umad_hdr, tid) + 4, 4, tid);
}

static void mad_sa_request(uint8_t *out, uint8_t method, uint16_t attribute, uint32_t tid)
{
    mad_make_request(out, MAD_CLASS_SA, method, attribute, 0);
    mad_set_tid(out, tid);
}

static void mad_set_component_mask(uint8_t *out, uint64_t mask)
{
    wire_put(out + offsetof(struct umad_sa_packet, comp_mask), 8, mask);
}

void mad_add_sa_key(uint8_t *mad, uint64_t sa_key)
{
    uint8_t *place = mad + offsetof(struct umad_sa_packet, sm_key);
    if (wire_get64(place) == 0)
        wire_put(place, 8, sa_key);
}

void mad_subscribe(uint8_t *out, uint32_t tid, uint64_t sa_key, uint32_t trap, bool subscribe)
{
    uint8_t *info = out + IB_SA_DATA_OFFS;
    mad_sa_request(out, UMAD_METHOD_SET, UMAD_ATTR_INFORM_INFO, tid);
    wire_put(out + offsetof(struct umad_sa_packet, sm_key), 8, sa_key);
    wire_put(info + INFORM_LID_BEGIN, 2, 0xFFFF);
    info[INFORM_IS_GENERIC] = trap != MAD_TRAP_VENDOR;
    info[INFORM_SUBSCRIBE] = subscribe;
    wire_put(info + INFORM_TYPE, 2, 0xFFFF);
    wire_put(info + INFORM_TRAP, 2, trap == MAD_TRAP_VENDOR ? 0xFFFF : trap);
    // An unsubscription contains the subscriber's QP; in a subscription it is zero.
    wire_put(info + INFORM_QPN, 3, subscribe ? 0 : 1);
    wire_put(info + INFORM_PRODUCER_TYPE, 3, 0xFFFFFF);
}

void mad_query_subscriptions(uint8_t *out, uint32_t tid, const uint8_t gid[ADDRESS_GID_SIZE])
{
    mad_sa_request(out, UMAD_SA_METHOD_GET_TABLE, UMAD_SA_ATTR_INFORM_INFO_REC, tid);
    mad_set_component_mask(out, MASK_SUBSCRIBER_GID);
    memcpy(out + IB_SA_DATA_OFFS, gid, ADDRESS_GID_SIZE);
}

void mad_query_node(uint8_t *out, uint32_t tid, uint16_t lid)
{
    mad_sa_request(out, UMAD_METHOD_GET, UMAD_SA_ATTR_NODE_REC, tid);
    mad_set_component_mask(out, MASK_NODE_LID);
    wire_put(out + IB_SA_DATA_OFFS, 2, lid);
}

void mad_query_table(uint8_t *out, uint16_t attribute)
{
    mad_sa_request(out, UMAD_SA_METHOD_GET_TABLE, attribute, 0);
}

void mad_answer_report(uint8_t *out, const uint8_t *report, size_t size, uint16_t status)
{
    struct mad_header h;
    memset(out, 0, MAD_SIZE);
    memcpy(out, report, size < MAD_SIZE ? size : MAD_SIZE);
    mad_read_header(out, MAD_SIZE, &h);
    h.method |= MAD_METHOD_RESPONSE;
    h.status = status;
    mad_write_header(out, &h);
}

bool mad_check_report(const uint8_t *mad, size_t size, struct error *err)
{
    struct mad_header h;
    if (!mad_read_header(mad, size, &h))
        return error_set(err, "it has %zu octets, too few for a header", size);
    if (h.base_version != UMAD_BASE_VERSION)
        return error_set(err, "its base version is %u, not 1", h.base_version);
    if (h.mgmt_class != MAD_CLASS_SA)
        return error_set(err, "its class is 0x%02x, not 0x03", h.mgmt_class);
    if (h.class_version != UMAD_SA_CLASS_VERSION)
        return error_set(err, "its class version is %u, not 2", h.class_version);
    if (h.method != MAD_METHOD_REPORT)
        return error_set(err, "its method is 0x%02x, not Report", h.method);
    if (h.attribute != UMAD_ATTR_NOTICE)
        return error_set(err, "its attribute is 0x%04x, not Notice", h.attribute);
    if (size < IB_SA_DATA_OFFS + NOTICE_SIZE)
        return error_set(err, "it has %zu octets, too few for a Notice", size);
    return true;
}

const uint8_t *mad_notice(const uint8_t *report)
{
    return report + IB_SA_DATA_OFFS;
}

uint32_t mad_reported_trap(const uint8_t *report)
{
    enum { GENERIC = 0x80, TRAP_NUMBER = 4 }; // Notice, IBA 13.4.8.2
    const uint8_t *notice = mad_notice(report);
    return notice[0] & GENERIC ? wire_get16(notice + TRAP_NUMBER) : MAD_TRAP_VENDOR;
}

// The data of an SA answer, or NULL if it has fewer than `wanted` octets.
static const uint8_t *mad_answer_data(const uint8_t *mad, size_t size, size_t wanted)
{
    return size >= IB_SA_DATA_OFFS + wanted ? mad + IB_SA_DATA_OFFS : NULL;
}

static bool mad_is_zero(const uint8_t *octets, size_t n)
{
    while (n > 0 && octets[n - 1] == 0)
        n--;
    return n == 0;
}

bool mad_read_subscriptions(const uint8_t *mad, size_t size, struct mad_subscriptions *out,
                            void (*each)(void *ctx, uint32_t trap), void *ctx)
{
    *out = (struct mad_subscriptions){0};
    const uint8_t *data = mad_answer_data(mad, size, 0);
    if (!data)
        return false;
    size_t room = size - IB_SA_DATA_OFFS;
    size_t stride = (size_t)wire_get16(mad + offsetof(struct umad_sa_packet, attr_offset)) * 8;
    if (stride == 0 || room == 0)
        return true; // no record
    if (stride < INFORM_RECORD_SIZE)
        return false;
    for (; room >= INFORM_RECORD_SIZE; data += stride) {
        const uint8_t *info = data + INFORM_RECORD_INFO;
        if (mad_is_zero(data, ADDRESS_GID_SIZE))
            break; // padding after the last record
        out->records++;
        each(ctx, info[INFORM_IS_GENERIC] ? wire_get16(info + INFORM_TRAP) : MAD_TRAP_VENDOR);
        if (room < stride)
            break;
        room -= stride;
    }
    // A single MAD without room for one more record may be the first segment of several.
    out->cut = size <= MAD_SIZE && IB_SA_DATA_OFFS + (out->records + 1) * stride > MAD_SIZE;
    return true;
}

// Whether only the first RMPP segment of an answer arrived: the segment says that more segments
// follow, and the answer was not reassembled.
static bool mad_is_first_of_several(const uint8_t *mad, size_t size)
{
    enum { FLAGS = 26, ACTIVE = 1, LAST = 4 };
    return size <= MAD_SIZE && mad[FLAGS] & ACTIVE && !(mad[FLAGS] & LAST);
}

bool mad_read_table(const uint8_t *mad, size_t size, size_t record_size,
                    void (*each)(void *ctx, const uint8_t *record, size_t size), void *ctx,
                    struct error *err)
{
    struct mad_header h;
    if (size < IB_SA_DATA_OFFS || !mad_read_header(mad, size, &h) ||
        h.method != (UMAD_SA_METHOD_GET_TABLE | MAD_METHOD_RESPONSE))
        return error_set(err, "the answer is no table");
    if (h.status >> 8 == UMAD_SA_STATUS_NO_RECORDS)
        return true;
    if (h.status != 0)
        return error_set(err, "the answer is: %s (status 0x%04x)", mad_status_words(h.status),
                         h.status);
    if (mad_is_first_of_several(mad, size))
        return error_set(err, "only the first %zu octets of the answer arrived", size);
    const uint8_t *record = mad + IB_SA_DATA_OFFS;
    size_t room = size - IB_SA_DATA_OFFS;
    size_t stride = (size_t)wire_get16(mad + offsetof(struct umad_sa_packet, attr_offset)) * 8;
    if (stride < record_size && !mad_is_zero(record, room))
        return error_set(err, "its records have %zu octets, not %zu", stride, record_size);
    while (room >= record_size && !mad_is_zero(record, record_size)) {
        size_t taken = stride < room ? stride : room;
        each(ctx, record, taken);
        record += taken;
        room -= taken;
    }
    return mad_is_zero(record, room) || error_set(err, "the last record of the answer is cut");
}

bool mad_read_node(const uint8_t *mad, size_t size, struct mad_node *out)
{
    enum { LID_AND_PAD = 4, NODE_INFO_SIZE = 40, DESCRIPTION_SIZE = 64 };
    const uint8_t *data =
        mad_answer_data(mad, size, LID_AND_PAD + NODE_INFO_SIZE + DESCRIPTION_SIZE);
    if (!data)
        return false;
    uint8_t info[IB_SMP_DATA_SIZE] = {0};
    memcpy(info, data + LID_AND_PAD, NODE_INFO_SIZE);
    out->port_guid = mad_get_field64(info, 0, IB_NODE_PORT_GUID_F);
    memcpy(out->description, data + LID_AND_PAD + NODE_INFO_SIZE, DESCRIPTION_SIZE);
    out->description[DESCRIPTION_SIZE] = '\0';
    return out->port_guid != 0;
}

bool mad_port_is_up(const struct mad_port *port)
{
    enum { ACTIVE = 4 };
    return port->state == ACTIVE && port->lid != 0 && port->sm_lid != 0;
}

bool mad_read_own_port(const uint8_t *mad, size_t size, struct mad_port *out)
{
    if (size < IB_SMP_DATA_OFFS + IB_SMP_DATA_SIZE)
        return false;
    uint8_t info[IB_SMP_DATA_SIZE];
    memcpy(info, mad + IB_SMP_DATA_OFFS, sizeof info);
    *out = (struct mad_port){
        .lid = (uint16_t)mad_get_field(info, 0, IB_PORT_LID_F),
        .sm_lid = (uint16_t)mad_get_field(info, 0, IB_PORT_SMLID_F),
        .lmc = (uint8_t)mad_get_field(info, 0, IB_PORT_LMC_F),
        .sm_sl = (uint8_t)mad_get_field(info, 0, IB_PORT_SMSL_F),
        .state = mad_get_field(info, 0, IB_PORT_STATE_F),
        .subnet_prefix = mad_get_field64(info, 0, IB_PORT_GID_PREFIX_F),
        .client_reregister = mad_get_field(info, 0, IB_PORT_CLIENT_REREG_F) != 0,
    };
    return true;
}

const char *mad_status_words(uint16_t status)
{
    static const char *const OF_SA[] = {
        [UMAD_SA_STATUS_NO_RESOURCES] = "no resources",
        [UMAD_SA_STATUS_REQ_INVALID] = "request invalid",
        [UMAD_SA_STATUS_NO_RECORDS] = "no records",
        [UMAD_SA_STATUS_TOO_MANY_RECORDS] = "too many records",
        [UMAD_SA_STATUS_INVALID_GID] = "invalid GID",
        [UMAD_SA_STATUS_INSUF_COMPS] = "insufficient components",
        [UMAD_SA_STATUS_REQ_DENIED] = "request denied",
    };
    static const char *const OF_REQUEST[8] = {
        [1] = "version not supported",
        [2] = "method not supported",
        [3] = "method and attribute not supported together",
        [7] = "invalid field",
    };
    const unsigned of_sa = status >> 8;
    if (of_sa < sizeof OF_SA / sizeof *OF_SA && OF_SA[of_sa])
        return OF_SA[of_sa];
    if (status & 1)
        return "busy";
    if (status & MAD_STATUS_REDIRECT)
        return "redirected, and not followed";
    const char *words = OF_REQUEST[status >> 2 & 7];
    return words ? words : status ? "unknown status" : "success";
}
