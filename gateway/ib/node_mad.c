// SPDX-License-Identifier: BSD-2-Clause
#include "ib/node_mad.h"

#include "base/wire.h"

#include <assert.h>
#include <infiniband/mad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>
#include <string.h>

static_assert(sizeof(struct umad_smp) == MAD_SIZE, "IBA 14.2.1.2");
static_assert(offsetof(struct umad_smp, data) == NODE_MAD_OFFSET, "IBA 14.2.1.2");
static_assert(offsetof(struct umad_smp, initial_path) == 128, "IBA 14.2.1.2");
static_assert(IB_PC_DATA_OFFS == NODE_MAD_OFFSET, "IBA 16.1.1");
static_assert(offsetof(struct umad_dm_packet, data) == NODE_MAD_OFFSET, "IBA 16.3.1");

enum { PERMISSIVE_LID = 0xFFFF };
enum { PORT_SELECT = 1 }; // the octet with the port, in each attribute of counters

// Requests.

static bool node_mad_is_smp(uint8_t mgmt_class)
{
    return mgmt_class == MAD_CLASS_SMP_LID || mgmt_class == MAD_CLASS_SMP_DIRECT;
}

void node_mad_make_get(uint8_t *out, uint8_t mgmt_class, uint16_t attribute, uint32_t modifier,
                       uint64_t mkey)
{
    const bool of_counters = mgmt_class == MAD_CLASS_PERF;
    mad_make_request(out, mgmt_class, UMAD_METHOD_GET, attribute, of_counters ? 0 : modifier);
    if (node_mad_is_smp(mgmt_class))
        wire_put(out + offsetof(struct umad_smp, mkey), 8, mkey);
    if (of_counters)
        out[NODE_MAD_OFFSET + PORT_SELECT] = (uint8_t)modifier;
}

void smp_make_get(uint8_t *out, uint64_t mkey, enum smp_attribute attribute, uint32_t modifier,
                  const uint8_t *path, uint8_t hops)
{
    assert(hops <= SMP_HOPS_MAX);
    node_mad_make_get(out, MAD_CLASS_SMP_DIRECT, (uint16_t)attribute, modifier, mkey);
    out[offsetof(struct umad_smp, hop_cnt)] = hops;
    wire_put(out + offsetof(struct umad_smp, dr_slid), 2, PERMISSIVE_LID);
    wire_put(out + offsetof(struct umad_smp, dr_dlid), 2, PERMISSIVE_LID);
    if (hops > 0) // the path's first octet is not used
        memcpy(out + offsetof(struct umad_smp, initial_path) + 1, path, hops);
}

void smp_make_lid_set(uint8_t *out, uint64_t mkey, uint16_t attribute, uint32_t modifier,
                      const uint8_t *data)
{
    mad_make_request(out, MAD_CLASS_SMP_LID, UMAD_METHOD_SET, attribute, modifier);
    wire_put(out + offsetof(struct umad_smp, mkey), 8, mkey);
    memcpy(out + NODE_MAD_OFFSET, data, SMP_DATA_SIZE);
}

void smp_query_own_port(uint8_t *out, uint32_t tid, uint64_t mkey)
{
    smp_make_get(out, mkey, SMP_PORT_INFO, 0, NULL, 0);
    mad_set_tid(out, tid);
}

const uint8_t *node_mad_answer(const uint8_t *mad, size_t size, uint8_t mgmt_class,
                               uint16_t attribute)
{
    struct mad_header h;
    const size_t data_size = node_mad_is_smp(mgmt_class) ? SMP_DATA_SIZE : GMP_DATA_SIZE;
    if (!mad || size < NODE_MAD_OFFSET + data_size || !mad_read_header(mad, size, &h))
        return NULL;
    const bool fits = h.mgmt_class == mgmt_class && h.attribute == attribute &&
                      h.method == (UMAD_METHOD_GET | MAD_METHOD_RESPONSE);
    return fits && mad_status(&h) == 0 ? mad + NODE_MAD_OFFSET : NULL;
}

// Subnet management.

bool smp_read_node_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_node *node,
                        uint64_t *port_guid, uint8_t *local_port)
{
    enum { PORTS_MAX = 254 };
    uint8_t info[SMP_DATA_SIZE];
    memcpy(info, data, sizeof info);
    *node = (struct fabric_node){
        .guid = mad_get_field64(info, 0, IB_NODE_GUID_F),
        .system_guid = mad_get_field64(info, 0, IB_NODE_SYSTEM_GUID_F),
        .type = (uint8_t)mad_get_field(info, 0, IB_NODE_TYPE_F),
        .port_count = (uint8_t)mad_get_field(info, 0, IB_NODE_NPORTS_F),
        .vendor = mad_get_field(info, 0, IB_NODE_VENDORID_F),
        .device = (uint16_t)mad_get_field(info, 0, IB_NODE_DEVID_F),
        .revision = mad_get_field(info, 0, IB_NODE_REVISION_F),
        .base_version = (uint8_t)mad_get_field(info, 0, IB_NODE_BASE_VERS_F),
        .class_version = (uint8_t)mad_get_field(info, 0, IB_NODE_CLASS_VERS_F),
        .partition_cap = (uint16_t)mad_get_field(info, 0, IB_NODE_PARTITION_CAP_F),
    };
    *port_guid = mad_get_field64(info, 0, IB_NODE_PORT_GUID_F);
    *local_port = node->local_port = (uint8_t)mad_get_field(info, 0, IB_NODE_LOCAL_PORT_F);
    bool port_exists =
        *local_port <= node->port_count && (*local_port > 0 || node->type == FABRIC_SWITCH);
    return node->guid != 0 && node->type >= FABRIC_CA && node->type <= FABRIC_ROUTER &&
           node->port_count <= PORTS_MAX && port_exists;
}

static void node_mad_add_speed(struct fabric_port *port, uint16_t speed, bool active,
                               bool supported, bool enabled)
{
    if (active)
        port->speed_active = speed;
    if (supported)
        port->speed_supported |= speed;
    if (supported && enabled)
        port->speed_enabled |= speed;
}

// Whether CapabilityMask2 has LinkSpeedExt2.
static bool node_mad_has_speeds_ext2(const uint8_t *info)
{
    enum { CAPABILITY_MASK2 = 60, HAS_EXT2 = 0x0800, HAS_XDR = 0x1000 };
    return wire_get16(info + CAPABILITY_MASK2) & (HAS_EXT2 | HAS_XDR);
}

// LinkSpeedExt2, the speeds from XDR on, which libibmad's fields lack. CapabilityMask2 says whether
// it counts; for a switch's external port that of port 0 does.
static void node_mad_read_speeds_ext2(const uint8_t *info, bool external, struct fabric_port *port)
{
    enum { EXT2 = 56 };
    const unsigned ext2 = info[EXT2];
    if (!external && !node_mad_has_speeds_ext2(info))
        return;
    node_mad_add_speed(port, FABRIC_XDR, ext2 >> 5 & 1, ext2 >> 3 & 1, ext2 & 1);
}

void smp_add_mellanox_speeds(const uint8_t data[SMP_DATA_SIZE], struct fabric_port *port)
{
    enum { SUPPORTED = 7, ENABLED = 11, ACTIVE = 15, FDR10 = 1 };
    node_mad_add_speed(port, FABRIC_FDR10, data[ACTIVE] & FDR10, data[SUPPORTED] & FDR10,
                       data[ENABLED] & FDR10);
}

// LinkSpeed and LinkSpeedExt as bits of enum fabric_speed.
static uint16_t node_mad_combine_speeds(uint32_t speed, uint32_t extended)
{
    return (uint16_t)((speed & 7) | (extended & 15) << 3);
}

static void node_mad_read_speeds(uint8_t *info, struct fabric_port *port)
{
    enum { AS_SUPPORTED = 15, EXT_AS_SUPPORTED = 31, EXT_DISABLED = 30 };
    uint32_t supported = mad_get_field(info, 0, IB_PORT_LINK_SPEED_SUPPORTED_F);
    uint32_t enabled = mad_get_field(info, 0, IB_PORT_LINK_SPEED_ENABLED_F);
    uint32_t active = mad_get_field(info, 0, IB_PORT_LINK_SPEED_ACTIVE_F);
    uint32_t ext_supported = mad_get_field(info, 0, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F);
    uint32_t ext_enabled = mad_get_field(info, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F);
    uint32_t ext_active = mad_get_field(info, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F);
    if (enabled == AS_SUPPORTED)
        enabled = supported;
    if (ext_enabled == EXT_AS_SUPPORTED)
        ext_enabled = ext_supported;
    else if (ext_enabled == EXT_DISABLED)
        ext_enabled = 0;
    port->speed_supported = node_mad_combine_speeds(supported, ext_supported);
    port->speed_enabled = node_mad_combine_speeds(enabled, ext_enabled);
    // A link at an extended speed has a plain speed in LinkSpeedActive as well.
    port->speed_active = node_mad_combine_speeds(ext_active ? 0 : active, ext_active);
}

static void node_mad_read_widths(uint8_t *info, struct fabric_port *port)
{
    enum { AS_SUPPORTED = 255 };
    port->width_supported = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_WIDTH_SUPPORTED_F);
    port->width_enabled = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_WIDTH_ENABLED_F);
    port->width_active = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_WIDTH_ACTIVE_F);
    if (port->width_enabled == AS_SUPPORTED)
        port->width_enabled = port->width_supported;
}

static_assert(FABRIC_PORT_INFO_FIRST + FABRIC_PORT_INFO_SIZE <= SMP_DATA_SIZE, "IBA 14.2.5.6");

static void node_mad_read_detail(const uint8_t *info, bool external, struct fabric_port *port)
{
    port->detail.known = true;
    memcpy(port->detail.octets, info + FABRIC_PORT_INFO_FIRST, FABRIC_PORT_INFO_SIZE);
    if (external) {
        fabric_set_port_info(port, PORT_INFO_MASTER_SM_LID, 0);
        fabric_set_port_info(port, PORT_INFO_CAPABILITY_MASK, 0);
    }
}

void smp_read_port_info(const uint8_t data[SMP_DATA_SIZE], uint8_t node_type, uint8_t number,
                        struct fabric_port *port)
{
    const bool external = node_type == FABRIC_SWITCH && number != 0;
    uint8_t info[SMP_DATA_SIZE];
    memcpy(info, data, sizeof info);
    *port = (struct fabric_port){
        .number = number,
        .known = true,
        .state = (uint8_t)mad_get_field(info, 0, IB_PORT_STATE_F),
        .physical = (uint8_t)mad_get_field(info, 0, IB_PORT_PHYS_STATE_F),
        .peer_node = FABRIC_NONE,
    };
    node_mad_read_detail(info, external, port);
    if (!external) {
        port->gid_prefix = mad_get_field64(info, 0, IB_PORT_GID_PREFIX_F);
        port->lid = (uint16_t)mad_get_field(info, 0, IB_PORT_LID_F);
        port->lmc = (uint8_t)mad_get_field(info, 0, IB_PORT_LMC_F);
        port->capabilities = mad_get_field(info, 0, IB_PORT_CAPMASK_F);
    }
    port->detail.extends =
        port->capabilities & FABRIC_EXTENDS_SPEEDS ||
        (port->capabilities & FABRIC_HAS_CAPABILITIES2 && node_mad_has_speeds_ext2(info));
    node_mad_read_widths(info, port);
    node_mad_read_speeds(info, port);
    node_mad_read_speeds_ext2(info, external, port);
}

bool smp_has_other_mkey(const uint8_t data[SMP_DATA_SIZE], uint64_t mkey)
{
    enum { MKEY = 0, PROTECTION = 34, PROTECTION_SHIFT = 6 };
    const uint64_t own = wire_get64(data + MKEY);
    return own == 0 ? data[PROTECTION] >> PROTECTION_SHIFT == 1 : own != mkey;
}

void smp_read_description(const uint8_t data[SMP_DATA_SIZE], char out[FABRIC_DESCRIPTION_SIZE])
{
    text_clean((const char *)data, SMP_DATA_SIZE, out, FABRIC_DESCRIPTION_SIZE);
}

void smp_read_switch_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_switch_info *out)
{
    out->known = true;
    memcpy(out->octets, data, sizeof out->octets);
}

void smp_read_pkeys(const uint8_t data[SMP_DATA_SIZE], uint16_t out[SMP_PKEYS])
{
    for (size_t i = 0; i < SMP_PKEYS; i++)
        out[i] = wire_get16(data + 2 * i);
}

bool smp_read_sm_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_sm *out)
{
    enum { MASTER = 3, ACT_COUNT = 16 };
    uint8_t info[SMP_DATA_SIZE];
    memcpy(info, data, sizeof info);
    out->guid = mad_get_field64(info, 0, IB_SMINFO_GUID_F);
    out->priority = (uint8_t)mad_get_field(info, 0, IB_SMINFO_PRIO_F);
    out->state = (uint8_t)mad_get_field(info, 0, IB_SMINFO_STATE_F);
    out->activity = wire_get32(data + ACT_COUNT);
    out->counts = true;
    return out->guid != 0 && out->state <= MASTER;
}

// Performance management.

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

bool gmp_read_counters(const uint8_t data[GMP_DATA_SIZE], uint8_t port, bool extended,
                       enum counter first, uint64_t values[COUNTER_COUNT])
{
    uint8_t counters[GMP_DATA_SIZE];
    memcpy(counters, data, sizeof counters);
    for (size_t i = first; i < COUNTER_COUNT && data[PORT_SELECT] == port; i++) {
        const enum MAD_FIELDS field = extended ? COUNTERS[i].extended : COUNTERS[i].plain;
        values[i] = !field     ? 0
                    : extended ? mad_get_field64(counters, 0, field)
                               : mad_get_field(counters, 0, field);
    }
    return data[PORT_SELECT] == port;
}

// PortExtendedSpeedsCounters: the places of its counters.
enum {
    FEC_LANES = 12, // ERROR_DETAILS_CAUSES
    FEC_LANES_CORRECTED = 44,
    FEC_LANES_UNCORRECTABLE = FEC_LANES_CORRECTED + 4 * FEC_LANES,
    FEC_CORRECTED = FEC_LANES_UNCORRECTABLE + 4 * FEC_LANES, // of the port, from here on
    FEC_UNCORRECTABLE = FEC_CORRECTED + 4,
    FEC_SYMBOLS = FEC_UNCORRECTABLE + 4,
};
static_assert((int)FEC_LANES == (int)ERROR_DETAILS_CAUSES, "each lane is a cause");

// Whether the port counts blocks, and its lanes symbols, as with RS-FEC.
static bool node_mad_fec_is_of_port(const uint8_t data[GMP_DATA_SIZE])
{
    return wire_get32(data + FEC_CORRECTED) != 0 || wire_get32(data + FEC_UNCORRECTABLE) != 0 ||
           wire_get32(data + FEC_SYMBOLS) != 0;
}

static uint64_t node_mad_fec_sum(const uint8_t *lanes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < FEC_LANES; i++)
        sum += wire_get32(lanes + 4 * i);
    return sum;
}

bool gmp_read_fec(const uint8_t data[GMP_DATA_SIZE], uint8_t port, uint64_t values[COUNTER_COUNT])
{
    if (data[PORT_SELECT] != port)
        return false;
    const bool of_port = node_mad_fec_is_of_port(data);
    values[COUNTER_FEC_CORRECTED] =
        of_port ? wire_get32(data + FEC_CORRECTED) : node_mad_fec_sum(data + FEC_LANES_CORRECTED);
    values[COUNTER_FEC_UNCORRECTABLE] = of_port ? wire_get32(data + FEC_UNCORRECTABLE)
                                                : node_mad_fec_sum(data + FEC_LANES_UNCORRECTABLE);
    return true;
}

bool gmp_read_tick(const uint8_t data[GMP_DATA_SIZE], uint8_t port, uint16_t *tick)
{
    enum { TICK = 2 };
    *tick = (uint16_t)(data[TICK] + 1);
    return data[PORT_SELECT] == port;
}

// With RS-FEC, lanes count the symbols that were corrected.
static void node_mad_fec_read_lanes(const uint8_t data[GMP_DATA_SIZE], struct error_details *out)
{
    out->symbols = node_mad_fec_is_of_port(data);
    const uint8_t *lanes = data + (out->symbols ? FEC_LANES_CORRECTED : FEC_LANES_UNCORRECTABLE);
    for (size_t i = 0; out->known && i < FEC_LANES; i++)
        out->counts[i] = wire_get32(lanes + 4 * i);
}

void gmp_read_details(const uint8_t data[GMP_DATA_SIZE], struct error_details *out)
{
    // After CounterSelect come counts of 16 bits.
    enum { COUNTS = 4, RECEIVE_CAUSES = 6, DISCARD_CAUSES = 4 };
    const size_t causes = out->counter == COUNTER_RCV_ERRORS ? RECEIVE_CAUSES : DISCARD_CAUSES;
    out->known = data[PORT_SELECT] == out->port;
    if (out->counter == COUNTER_FEC_UNCORRECTABLE) {
        node_mad_fec_read_lanes(data, out);
        return;
    }
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
