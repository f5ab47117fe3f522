// SPDX-License-Identifier: BSD-2-Clause
#include "ib/gmp_decode.h"

#include "base/wire.h"

#include <assert.h>
#include <infiniband/mad.h>
#include <infiniband/umad_types.h>
#include <string.h>

static_assert(IB_PC_DATA_OFFS == GMP_DATA_OFFSET, "IBA 16.1.1");
static_assert(offsetof(struct umad_dm_packet, data) == GMP_DATA_OFFSET, "IBA 16.3.1");

void gmp_make_get(uint8_t *out, uint8_t mgmt_class, enum gmp_attribute attribute, uint32_t modifier)
{
    mad_make_request(out, mgmt_class, UMAD_METHOD_GET, (uint16_t)attribute, modifier);
}

void gmp_make_get_counters(uint8_t *out, enum gmp_attribute attribute, uint8_t port)
{
    gmp_make_get(out, MAD_CLASS_PERF, attribute, 0);
    mad_set_field(out + GMP_DATA_OFFSET, 0, IB_PC_PORT_SELECT_F, port);
}

const uint8_t *gmp_answer(const uint8_t *mad, size_t size, uint8_t mgmt_class,
                          enum gmp_attribute attribute)
{
    struct mad_header h;
    if (!mad || size < MAD_SIZE || !mad_read_header(mad, size, &h))
        return NULL;
    bool fits = h.mgmt_class == mgmt_class && h.attribute == attribute &&
                h.method == (UMAD_METHOD_GET | MAD_METHOD_RESPONSE);
    return fits && h.status == 0 ? mad + GMP_DATA_OFFSET : NULL;
}

void gmp_read_counting(const uint8_t data[GMP_DATA_SIZE], struct gmp_counting *out)
{
    // Either bit: PortCountersExtended exists, with or without unicast and multicast packets.
    enum { HAS_EXTENDED = 1 << 9 | 1 << 10, HAS_WAIT = 1 << 12, HAS_FEC = 1 << 14 };
    enum { HAS_MORE_EXTENDED = 1 << 1 }; // of CapabilityMask2
    uint8_t info[GMP_DATA_SIZE];
    memcpy(info, data, sizeof info);
    uint32_t capabilities = mad_get_field(info, 0, IB_CPI_CAPMASK_F);
    bool extended = mad_get_field(info, 0, IB_CPI_CAPMASK2_F) & HAS_MORE_EXTENDED;
    *out = (struct gmp_counting){
        .wait = capabilities & HAS_WAIT,
        .wide = extended || (capabilities & HAS_EXTENDED),
        .extended = extended,
        .fec = capabilities & HAS_FEC,
    };
}

// The field of each counter in PortCounters and in PortCountersExtended; 0: it is in neither.
static const struct {
    enum MAD_FIELDS plain, extended;
} COUNTERS[COUNTER_COUNT] = {
    [COUNTER_SYMBOL_ERROR] = {IB_PC_ERR_SYM_F, IB_PC_EXT_ERR_SYM_F},
    [COUNTER_LINK_ERROR_RECOVERY] = {IB_PC_LINK_RECOVERS_F, IB_PC_EXT_LINK_RECOVERS_F},
    [COUNTER_LINK_DOWNED] = {IB_PC_LINK_DOWNED_F, IB_PC_EXT_LINK_DOWNED_F},
    [COUNTER_RCV_ERRORS] = {IB_PC_ERR_RCV_F, IB_PC_EXT_ERR_RCV_F},
    [COUNTER_RCV_REMOTE_PHYSICAL_ERRORS] = {IB_PC_ERR_PHYSRCV_F, IB_PC_EXT_ERR_PHYSRCV_F},
    [COUNTER_RCV_SWITCH_RELAY_ERRORS] = {IB_PC_ERR_SWITCH_REL_F, IB_PC_EXT_ERR_SWITCH_REL_F},
    [COUNTER_XMIT_DISCARDS] = {IB_PC_XMT_DISCARDS_F, IB_PC_EXT_XMT_DISCARDS_F},
    [COUNTER_XMIT_CONSTRAINT_ERRORS] = {IB_PC_ERR_XMTCONSTR_F, IB_PC_EXT_ERR_XMTCONSTR_F},
    [COUNTER_RCV_CONSTRAINT_ERRORS] = {IB_PC_ERR_RCVCONSTR_F, IB_PC_EXT_ERR_RCVCONSTR_F},
    [COUNTER_LOCAL_LINK_INTEGRITY_ERRORS] = {IB_PC_ERR_LOCALINTEG_F, IB_PC_EXT_ERR_LOCALINTEG_F},
    [COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS] = {IB_PC_ERR_EXCESS_OVR_F,
                                                 IB_PC_EXT_ERR_EXCESS_OVR_F},
    [COUNTER_VL15_DROPPED] = {IB_PC_VL15_DROPPED_F, IB_PC_EXT_VL15_DROPPED_F},
    [COUNTER_XMIT_WAIT] = {IB_PC_XMT_WAIT_F, IB_PC_EXT_XMT_WAIT_F},
    [COUNTER_XMIT_DATA] = {IB_PC_XMT_BYTES_F, IB_PC_EXT_XMT_BYTES_F},
    [COUNTER_RCV_DATA] = {IB_PC_RCV_BYTES_F, IB_PC_EXT_RCV_BYTES_F},
    [COUNTER_XMIT_PKTS] = {IB_PC_XMT_PKTS_F, IB_PC_EXT_XMT_PKTS_F},
    [COUNTER_RCV_PKTS] = {IB_PC_RCV_PKTS_F, IB_PC_EXT_RCV_PKTS_F},
};

bool gmp_read_counters(const uint8_t data[GMP_DATA_SIZE], uint8_t port, bool wait,
                       uint64_t values[COUNTER_COUNT])
{
    uint8_t counters[GMP_DATA_SIZE];
    memcpy(counters, data, sizeof counters);
    if (mad_get_field(counters, 0, IB_PC_PORT_SELECT_F) != port)
        return false;
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        values[i] = COUNTERS[i].plain ? mad_get_field(counters, 0, COUNTERS[i].plain) : 0;
    if (!wait)
        values[COUNTER_XMIT_WAIT] = 0;
    return true;
}

// Reads the counters from `first` on.
static bool gmp_read_extended(const uint8_t data[GMP_DATA_SIZE], uint8_t port, enum counter first,
                              uint64_t values[COUNTER_COUNT])
{
    uint8_t counters[GMP_DATA_SIZE];
    memcpy(counters, data, sizeof counters);
    if (mad_get_field(counters, 0, IB_PC_EXT_PORT_SELECT_F) != port)
        return false;
    for (size_t i = first; i < COUNTER_COUNT; i++)
        values[i] = COUNTERS[i].extended ? mad_get_field64(counters, 0, COUNTERS[i].extended) : 0;
    return true;
}

bool gmp_read_traffic(const uint8_t data[GMP_DATA_SIZE], uint8_t port,
                      uint64_t values[COUNTER_COUNT])
{
    return gmp_read_extended(data, port, COUNTER_ERRORS, values);
}

bool gmp_read_counters_extended(const uint8_t data[GMP_DATA_SIZE], uint8_t port,
                                uint64_t values[COUNTER_COUNT])
{
    return gmp_read_extended(data, port, 0, values);
}

// PortExtendedSpeedsCounters: the places of its counters.
enum {
    FEC_PORT_SELECT = 1,
    FEC_LANES = 12, // ERROR_DETAILS_CAUSES
    FEC_LANES_CORRECTED = 44,
    FEC_LANES_UNCORRECTABLE = FEC_LANES_CORRECTED + 4 * FEC_LANES,
    FEC_CORRECTED = FEC_LANES_UNCORRECTABLE + 4 * FEC_LANES, // of the port, from here on
    FEC_UNCORRECTABLE = FEC_CORRECTED + 4,
    FEC_SYMBOLS = FEC_UNCORRECTABLE + 4,
};
static_assert((int)FEC_LANES == (int)ERROR_DETAILS_CAUSES, "each lane is a cause");

// Whether the port counts blocks, and its lanes symbols, as with RS-FEC.
static bool gmp_fec_is_of_port(const uint8_t data[GMP_DATA_SIZE])
{
    return wire_get32(data + FEC_CORRECTED) != 0 || wire_get32(data + FEC_UNCORRECTABLE) != 0 ||
           wire_get32(data + FEC_SYMBOLS) != 0;
}

static uint64_t gmp_fec_sum(const uint8_t *lanes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < FEC_LANES; i++)
        sum += wire_get32(lanes + 4 * i);
    return sum;
}

bool gmp_read_fec(const uint8_t data[GMP_DATA_SIZE], uint8_t port, uint64_t values[COUNTER_COUNT])
{
    if (data[FEC_PORT_SELECT] != port)
        return false;
    const bool of_port = gmp_fec_is_of_port(data);
    values[COUNTER_FEC_CORRECTED] =
        of_port ? wire_get32(data + FEC_CORRECTED) : gmp_fec_sum(data + FEC_LANES_CORRECTED);
    values[COUNTER_FEC_UNCORRECTABLE] = of_port ? wire_get32(data + FEC_UNCORRECTABLE)
                                                : gmp_fec_sum(data + FEC_LANES_UNCORRECTABLE);
    return true;
}

bool gmp_read_tick(const uint8_t data[GMP_DATA_SIZE], uint8_t port, uint16_t *tick)
{
    enum { PORT_SELECT = 1, TICK = 2 };
    *tick = (uint16_t)(data[TICK] + 1);
    return data[PORT_SELECT] == port;
}

enum gmp_attribute gmp_details_attribute(enum counter counter)
{
    if (counter == COUNTER_FEC_UNCORRECTABLE)
        return GMP_PORT_EXTENDED_SPEEDS_COUNTERS;
    return counter == COUNTER_RCV_ERRORS ? GMP_PORT_RCV_ERROR_DETAILS
                                         : GMP_PORT_XMIT_DISCARD_DETAILS;
}

// With RS-FEC, lanes count the symbols that were corrected.
static void gmp_fec_read_lanes(const uint8_t data[GMP_DATA_SIZE], struct error_details *out)
{
    out->symbols = gmp_fec_is_of_port(data);
    const uint8_t *lanes = data + (out->symbols ? FEC_LANES_CORRECTED : FEC_LANES_UNCORRECTABLE);
    for (size_t i = 0; out->known && i < FEC_LANES; i++)
        out->counts[i] = wire_get32(lanes + 4 * i);
}

void gmp_read_details(const uint8_t data[GMP_DATA_SIZE], struct error_details *out)
{
    // PortSelect is the second octet of all; after CounterSelect come counts of 16 bits.
    enum { PORT_SELECT = 1, COUNTS = 4, RECEIVE_CAUSES = 6, DISCARD_CAUSES = 4 };
    const size_t causes = out->counter == COUNTER_RCV_ERRORS ? RECEIVE_CAUSES : DISCARD_CAUSES;
    if (out->counter == COUNTER_FEC_UNCORRECTABLE) {
        out->known = data[FEC_PORT_SELECT] == out->port;
        gmp_fec_read_lanes(data, out);
        return;
    }
    out->known = data[PORT_SELECT] == out->port;
    for (size_t i = 0; out->known && i < causes; i++)
        out->counts[i] = wire_get16(data + COUNTS + 2 * i);
}

size_t gmp_read_slots(const uint8_t data[GMP_DATA_SIZE], uint8_t slots[GMP_SLOTS_MAX])
{
    enum { MAX_CONTROLLERS = 2, LIST = 4, PRESENT = 1 };
    size_t count = 0;
    for (unsigned slot = 0; slot < data[MAX_CONTROLLERS]; slot++) {
        uint8_t pair = data[LIST + slot / 2];
        if ((slot % 2 ? pair & 15 : pair >> 4) == PRESENT)
            slots[count++] = (uint8_t)(slot + 1);
    }
    return count;
}

bool gmp_read_controller(const uint8_t data[GMP_DATA_SIZE], struct fabric_controller *out)
{
    enum { ID_STRING = 64, ID_STRING_SIZE = 64 };
    out->guid = wire_get64(data);
    text_clean((const char *)data + ID_STRING, ID_STRING_SIZE, out->name, sizeof out->name);
    return out->guid != 0;
}
