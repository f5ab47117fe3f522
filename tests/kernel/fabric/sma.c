// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
// The subnet management agent of every node.
#include "fabric.h"

#include <rdma/ib_smi.h>

enum {
    SMP_MKEY = 24,
    SMP_DATA = 64,
    SMP_METHOD = 3,
    SMP_STATUS = 4,
    SMP_ATTRIBUTE = 16,
    SMP_MODIFIER = 20
};
enum { STATUS_UNSUPPORTED = 3 << 2, STATUS_INVALID = 7 << 2 };
enum { VENDOR = 0x2C9, DEVICE = 0x1234 };

// The port that holds the node's M_Key: a switch has one for all its ports.
static struct fabric_port *sma_keeper(struct fabric_node *node, u8 port)
{
    return &node->ports[node->type == TYPE_SWITCH ? 0 : port];
}

// Checks the M_Key of a request (IBA 14.2.4). False: it is dropped.
static bool sma_may(struct fabric_port *keeper, const u8 *in, bool set, bool *hide_key)
{
    const u64 key = get_unaligned_be64(keeper->info + PI_MKEY);
    const u8 level = keeper->info[PI_PROTECT] >> 6;

    *hide_key = false;
    if (key == 0 || get_unaligned_be64(in + SMP_MKEY) == key)
        return true;
    *hide_key = level >= 1;
    if (!set && level <= 1)
        return true;
    put_unaligned_be16(get_unaligned_be16(keeper->info + PI_MKEY_VIOLATIONS) + 1,
                       keeper->info + PI_MKEY_VIOLATIONS);
    return false;
}

static void sma_tell_host(struct fabric_node *node, const u8 *old, const u8 *now, bool reregister)
{
    if (node->type != TYPE_HOST)
        return;
    if (memcmp(old + PI_LID, now + PI_LID, 2) != 0)
        adapter_raise(node, IB_EVENT_LID_CHANGE);
    if (memcmp(old + PI_SM_LID, now + PI_SM_LID, 2) != 0 ||
        (old[PI_MTU] & 15) != (now[PI_MTU] & 15))
        adapter_raise(node, IB_EVENT_SM_CHANGE);
    if (memcmp(old + PI_PREFIX, now + PI_PREFIX, 8) != 0)
        adapter_raise(node, IB_EVENT_GID_CHANGE);
    if (reregister)
        adapter_raise(node, IB_EVENT_CLIENT_REREGISTER);
    if ((old[PI_STATE] & 15) != STATE_ACTIVE && (now[PI_STATE] & 15) == STATE_ACTIVE)
        adapter_raise(node, IB_EVENT_PORT_ACTIVE);
}

// 0 changes nothing.
static void sma_set_speed_ext(u8 *info, u8 wanted)
{
    enum { AS_SUPPORTED = 31, NONE = 30 };

    if (wanted)
        info[PI_SPEED_EXT_ENABLED] = wanted == AS_SUPPORTED ? info[PI_SPEED_EXT] & 15
                                     : wanted == NONE       ? 0
                                                            : wanted;
}

// Takes what the subnet manager may set of PortInfo.
static void sma_set_port(struct fabric_node *node, u8 port, const u8 *in)
{
    u8 *info = node->ports[port].info, old[PI_SIZE];
    const u8 state = in[PI_STATE] & 15, speed = in[PI_SPEED] & 15;

    memcpy(old, info, PI_SIZE);
    memcpy(info, in, PI_CAPABILITIES); // M_Key, prefix, LIDs
    memcpy(info + PI_LEASE, in + PI_LEASE, 2);
    if (in[PI_WIDTH_ENABLED])
        info[PI_WIDTH_ENABLED] =
            in[PI_WIDTH_ENABLED] == 0xFF ? info[PI_WIDTH_SUPPORTED] : in[PI_WIDTH_ENABLED];
    if (in[PI_PHYSICAL] & 15)
        info[PI_PHYSICAL] = (info[PI_PHYSICAL] & 0xF0) | (in[PI_PHYSICAL] & 15);
    info[PI_PROTECT] = in[PI_PROTECT];
    if (speed)
        info[PI_SPEED] = (info[PI_SPEED] & 0xF0) | (speed == 15 ? info[PI_STATE] >> 4 : speed);
    info[PI_MTU] = in[PI_MTU];
    info[PI_HIGH_LIMIT] = in[PI_HIGH_LIMIT];
    info[PI_STALL] = in[PI_STALL];
    if (in[PI_OPERATIONAL_VLS] >> 4)
        info[PI_OPERATIONAL_VLS] = in[PI_OPERATIONAL_VLS];
    info[PI_TIMEOUT] = in[PI_TIMEOUT] & 0x1F; // ClientReregister does not stay
    info[PI_ERRORS] = in[PI_ERRORS];
    sma_set_speed_ext(info, in[PI_SPEED_EXT_ENABLED] & 31);
    if (state == STATE_DOWN && fabric_state(&node->ports[port]) != STATE_DOWN)
        info[PI_STATE] = (info[PI_STATE] & 0xF0) | STATE_INIT; // down, and up again at once
    else if (state >= STATE_ARMED && fabric_state(&node->ports[port]) >= STATE_INIT)
        info[PI_STATE] = (info[PI_STATE] & 0xF0) | state;
    sma_tell_host(node, old, info, in[PI_TIMEOUT] & 0x80);
}

static u16 sma_port_info(struct fabric_node *node, u8 port, u32 modifier, bool set, u8 *data)
{
    const u8 which = node->type == TYPE_HOST && !(modifier & 0xFF) ? port : modifier & 0xFF;
    u8 reregister = set ? data[PI_TIMEOUT] & 0x80 : 0;

    if (which > node->port_count)
        return STATUS_INVALID;
    if (set)
        sma_set_port(node, which, data);
    memcpy(data, node->ports[which].info, PI_SIZE);
    data[PI_LOCAL_PORT] = port;
    data[PI_TIMEOUT] |= reregister;
    return 0;
}

static u16 sma_node_info(struct fabric_node *node, u8 port, u8 *data)
{
    memset(data, 0, 64);
    data[0] = data[1] = 1;
    data[2] = node->type;
    data[3] = node->port_count;
    put_unaligned_be64(node->guid, data + 4);
    put_unaligned_be64(node->guid, data + 12);
    put_unaligned_be64(node->guid + (node->type == TYPE_HOST), data + 20);
    put_unaligned_be16(PKEYS, data + 28);
    put_unaligned_be16(DEVICE, data + 30);
    put_unaligned_be32(1, data + 32);
    put_unaligned_be32((u32)port << 24 | VENDOR, data + 36);
    return 0;
}

static u16 sma_switch_info(struct fabric_node *node, bool set, u8 *data)
{
    u8 *info = node->switch_info;

    if (node->type != TYPE_SWITCH)
        return STATUS_INVALID;
    if (set) { // a set bit clears PortStateChange
        const u8 change = data[11] & 4 ? 0 : info[11] & 4;

        memcpy(info + 6, data + 6, 5);
        info[11] = (data[11] & 0xFB) | change;
    }
    memcpy(data, info, 64);
    return 0;
}

static u16 sma_pkeys(struct fabric_node *node, u8 port, u32 modifier, bool set, u8 *data)
{
    const u8 which = node->type == TYPE_HOST ? port : (modifier >> 16) & 0xFF;
    u16 *pkeys = node->ports[which <= node->port_count ? which : 0].pkeys;
    unsigned int i;

    if (which > node->port_count || (modifier & 0xFFFF) != 0)
        return STATUS_INVALID;
    for (i = 0; i < PKEYS; i++) {
        if (set)
            pkeys[i] = get_unaligned_be16(data + 2 * i);
        else
            put_unaligned_be16(pkeys[i], data + 2 * i);
    }
    if (set && node->type == TYPE_HOST)
        adapter_raise(node, IB_EVENT_PKEY_CHANGE);
    return 0;
}

static u16 sma_lft(struct fabric_node *node, u32 modifier, bool set, u8 *data)
{
    if (node->type != TYPE_SWITCH || modifier >= LFT_SIZE / 64)
        return STATUS_INVALID;
    if (set)
        memcpy(node->lft + modifier * 64, data, 64);
    memcpy(data, node->lft + modifier * 64, 64);
    return 0;
}

static u16 sma_guids(struct fabric_node *node, u8 *data)
{
    memset(data, 0, 64);
    put_unaligned_be64(node->guid + 1, data);
    return 0;
}

// Handles the attribute in `data`. Tables that change nothing here are taken and given back.
static u16 sma_handle(struct fabric_node *node, u8 port, u16 attribute, u32 modifier, bool set,
                      u8 *data)
{
    switch (cpu_to_be16(attribute)) {
    case IB_SMP_ATTR_NODE_DESC:
        memcpy(data, node->description, 64);
        return 0;
    case IB_SMP_ATTR_NODE_INFO:
        return sma_node_info(node, port, data);
    case IB_SMP_ATTR_SWITCH_INFO:
        return sma_switch_info(node, set, data);
    case IB_SMP_ATTR_GUID_INFO:
        return sma_guids(node, data);
    case IB_SMP_ATTR_PORT_INFO:
        return sma_port_info(node, port, modifier, set, data);
    case IB_SMP_ATTR_PKEY_TABLE:
        return sma_pkeys(node, port, modifier, set, data);
    case IB_SMP_ATTR_LINEAR_FORWARD_TABLE:
        return sma_lft(node, modifier, set, data);
    case IB_SMP_ATTR_SL_TO_VL_TABLE:
    case IB_SMP_ATTR_VL_ARB_TABLE:
    case IB_SMP_ATTR_MCAST_FORWARD_TABLE:
        return 0;
    default:
        return STATUS_UNSUPPORTED;
    }
}

bool sma_answer(struct fabric_node *node, u8 port, const u8 *in, u8 *out)
{
    const u16 attribute = get_unaligned_be16(in + SMP_ATTRIBUTE);
    const bool set = in[SMP_METHOD] == IB_MGMT_METHOD_SET;
    bool hide_key;
    u16 status;

    if (!fabric_is_smp(in) || (in[SMP_METHOD] != IB_MGMT_METHOD_GET && !set))
        return false;
    if (cpu_to_be16(attribute) == IB_SMP_ATTR_SM_INFO ||
        !sma_may(sma_keeper(node, port), in, set, &hide_key))
        return false;
    memcpy(out, in, MAD_OCTETS);
    out[SMP_METHOD] = IB_MGMT_METHOD_GET_RESP;
    status = sma_handle(node, port, attribute, get_unaligned_be32(in + SMP_MODIFIER), set,
                        out + SMP_DATA);
    if (cpu_to_be16(attribute) == IB_SMP_ATTR_PORT_INFO && hide_key)
        memset(out + SMP_DATA + PI_MKEY, 0, 8);
    put_unaligned_be16(status, out + SMP_STATUS);
    return true;
}
