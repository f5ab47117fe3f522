// SPDX-License-Identifier: BSD-2-Clause
#include "ib/smp_decode.h"

#include "base/wire.h"

#include <assert.h>
#include <infiniband/mad.h>
#include <infiniband/umad_sm.h>
#include <string.h>

static_assert(sizeof(struct umad_smp) == MAD_SIZE, "IBA 14.2.1.2");
static_assert(offsetof(struct umad_smp, data) == SMP_DATA_OFFSET, "IBA 14.2.1.2");
static_assert(offsetof(struct umad_smp, initial_path) == 128, "IBA 14.2.1.2");

enum { PERMISSIVE_LID = 0xFFFF };

static void smp_make_request(uint8_t *out, uint8_t mgmt_class, uint64_t mkey,
                             enum smp_attribute attribute, uint32_t modifier)
{
    mad_make_request(out, mgmt_class, UMAD_METHOD_GET, (uint16_t)attribute, modifier);
    wire_put(out + offsetof(struct umad_smp, mkey), 8, mkey);
}

void smp_make_get(uint8_t *out, uint64_t mkey, enum smp_attribute attribute, uint32_t modifier,
                  const uint8_t *path, uint8_t hops)
{
    assert(hops <= SMP_HOPS_MAX);
    smp_make_request(out, MAD_CLASS_SMP_DIRECT, mkey, attribute, modifier);
    out[offsetof(struct umad_smp, hop_cnt)] = hops;
    wire_put(out + offsetof(struct umad_smp, dr_slid), 2, PERMISSIVE_LID);
    wire_put(out + offsetof(struct umad_smp, dr_dlid), 2, PERMISSIVE_LID);
    if (hops > 0) // the path's first octet is not used
        memcpy(out + offsetof(struct umad_smp, initial_path) + 1, path, hops);
}

void smp_make_lid_get(uint8_t *out, uint64_t mkey, enum smp_attribute attribute, uint32_t modifier)
{
    smp_make_request(out, MAD_CLASS_SMP_LID, mkey, attribute, modifier);
}

void smp_make_lid_set(uint8_t *out, uint64_t mkey, enum smp_attribute attribute, uint32_t modifier,
                      const uint8_t *data)
{
    mad_make_request(out, MAD_CLASS_SMP_LID, UMAD_METHOD_SET, (uint16_t)attribute, modifier);
    wire_put(out + offsetof(struct umad_smp, mkey), 8, mkey);
    memcpy(out + SMP_DATA_OFFSET, data, SMP_DATA_SIZE);
}

void smp_query_own_port(uint8_t *out, uint32_t tid, uint64_t mkey)
{
    smp_make_get(out, mkey, SMP_PORT_INFO, 0, NULL, 0);
    mad_set_tid(out, tid);
}

const uint8_t *smp_answer(const uint8_t *mad, size_t size, enum smp_attribute attribute)
{
    struct mad_header h;
    if (!mad || size < SMP_DATA_OFFSET + SMP_DATA_SIZE || !mad_read_header(mad, size, &h))
        return NULL;
    bool fits = h.method == (UMAD_METHOD_GET | MAD_METHOD_RESPONSE) && h.attribute == attribute;
    return fits && mad_status(&h) == 0 ? mad + SMP_DATA_OFFSET : NULL;
}

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

// Whether CapabilityMask2 has LinkSpeedExt2.
static bool smp_has_speeds_ext2(const uint8_t *info)
{
    enum { CAPABILITY_MASK2 = 60, HAS_EXT2 = 0x0800, HAS_XDR = 0x1000 };
    return wire_get16(info + CAPABILITY_MASK2) & (HAS_EXT2 | HAS_XDR);
}

// LinkSpeedExt2, the speeds from XDR on, which libibmad's fields lack. CapabilityMask2 says whether
// it counts; for a switch's external port that of port 0 does.
static void smp_read_speeds_ext2(const uint8_t *info, bool external, struct fabric_port *port)
{
    enum { EXT2 = 56 };
    const unsigned ext2 = info[EXT2];
    if (!external && !smp_has_speeds_ext2(info))
        return;
    const bool active = ext2 >> 5 & 1, supported = ext2 >> 3 & 1, enabled = ext2 & 1;
    if (active)
        port->speed_active = FABRIC_XDR;
    if (supported)
        port->speed_supported |= FABRIC_XDR;
    if (supported && enabled)
        port->speed_enabled |= FABRIC_XDR;
}

void smp_add_mellanox_speeds(const uint8_t data[SMP_DATA_SIZE], struct fabric_port *port)
{
    enum { SUPPORTED = 7, ENABLED = 11, ACTIVE = 15, FDR10 = 1 };
    if (data[ACTIVE] & FDR10)
        port->speed_active = FABRIC_FDR10;
    if (data[SUPPORTED] & FDR10)
        port->speed_supported |= FABRIC_FDR10;
    if (data[SUPPORTED] & data[ENABLED] & FDR10)
        port->speed_enabled |= FABRIC_FDR10;
}

// LinkSpeed and LinkSpeedExt as bits of enum fabric_speed.
static uint16_t smp_combine_speeds(uint32_t speed, uint32_t extended)
{
    return (uint16_t)((speed & 7) | (extended & 15) << 3);
}

static void smp_read_speeds(uint8_t *info, struct fabric_port *port)
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
    port->speed_supported = smp_combine_speeds(supported, ext_supported);
    port->speed_enabled = smp_combine_speeds(enabled, ext_enabled);
    // A link at an extended speed has a plain speed in LinkSpeedActive as well.
    port->speed_active = smp_combine_speeds(ext_active ? 0 : active, ext_active);
}

static void smp_read_widths(uint8_t *info, struct fabric_port *port)
{
    enum { AS_SUPPORTED = 255 };
    port->width_supported = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_WIDTH_SUPPORTED_F);
    port->width_enabled = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_WIDTH_ENABLED_F);
    port->width_active = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_WIDTH_ACTIVE_F);
    if (port->width_enabled == AS_SUPPORTED)
        port->width_enabled = port->width_supported;
}

static_assert(FABRIC_PORT_INFO_FIRST + FABRIC_PORT_INFO_SIZE <= SMP_DATA_SIZE, "IBA 14.2.5.6");

static void smp_read_detail(const uint8_t *info, bool external, struct fabric_port *port)
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
    smp_read_detail(info, external, port);
    if (!external) {
        port->gid_prefix = mad_get_field64(info, 0, IB_PORT_GID_PREFIX_F);
        port->lid = (uint16_t)mad_get_field(info, 0, IB_PORT_LID_F);
        port->lmc = (uint8_t)mad_get_field(info, 0, IB_PORT_LMC_F);
        port->capabilities = mad_get_field(info, 0, IB_PORT_CAPMASK_F);
    }
    port->detail.extends =
        port->capabilities & FABRIC_EXTENDS_SPEEDS ||
        (port->capabilities & FABRIC_HAS_CAPABILITIES2 && smp_has_speeds_ext2(info));
    smp_read_widths(info, port);
    smp_read_speeds(info, port);
    smp_read_speeds_ext2(info, external, port);
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

uint32_t smp_read_activity(const uint8_t data[SMP_DATA_SIZE])
{
    enum { ACT_COUNT = 16 };
    return wire_get32(data + ACT_COUNT);
}

void smp_read_pkeys(const uint8_t data[SMP_DATA_SIZE], uint16_t out[SMP_PKEYS])
{
    for (size_t i = 0; i < SMP_PKEYS; i++)
        out[i] = wire_get16(data + 2 * i);
}

bool smp_read_sm_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_sm *out)
{
    enum { MASTER = 3 };
    uint8_t info[SMP_DATA_SIZE];
    memcpy(info, data, sizeof info);
    out->guid = mad_get_field64(info, 0, IB_SMINFO_GUID_F);
    out->priority = (uint8_t)mad_get_field(info, 0, IB_SMINFO_PRIO_F);
    out->state = (uint8_t)mad_get_field(info, 0, IB_SMINFO_STATE_F);
    out->activity = smp_read_activity(data);
    out->counts = true;
    return out->guid != 0 && out->state <= MASTER;
}
