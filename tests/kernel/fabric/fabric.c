// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
// The nodes and cables, and what user space may do to them by the module's parameters.
#include "fabric.h"

#include <linux/module.h>
#include <linux/slab.h>

enum { PKEY_DEFAULT = 0xFFFF, PKEY_FULL = 0x8000 };
enum { SPEED_QDR = 7, SPEED_ACTIVE_QDR = 4, WIDTH_4X = 2, WIDTHS = 3, MTU_4096 = 5, VLS = 4 };

// CapabilityMask: Trap, AutomaticMigration, SLMapping, LEDInfo, SystemImageGUID,
// ConnectionManagement, ClientReregistration.
enum { CAPABILITIES_HOST = 0x02010A68, CAPABILITIES_SWITCH = 0x00000848 };
enum { HAS_SPEEDS_EXT = 0x4000, HAS_SPEEDS_EXT2 = 0x0800, HAS_XDR = 0x1000 };

// LinkSpeedExt2 of a port at XDR: XDR is active, supported and enabled.
enum { EXT2_XDR = 1 << 5 | 1 << 3 | 1 };

#define HOST_GUID   0x0002C90200A00000ULL
#define SWITCH_GUID 0x0002C90200510000ULL
#define LINK_LOCAL  0xFE80000000000000ULL

DEFINE_SPINLOCK(fabric_lock);
struct fabric_node *fabric_hosts[HOSTS_MAX], *fabric_switches[SWITCHES_MAX];
struct fabric_lost fabric_lost;
unsigned int fabric_host_count = 3, fabric_drop_permille;

static unsigned int switch_count = 1;
static unsigned int smps[HOSTS_MAX], first_pkey[HOSTS_MAX], speed[HOSTS_MAX];
static bool grh[HOSTS_MAX];
module_param_named(hosts, fabric_host_count, uint, 0444);
MODULE_PARM_DESC(hosts, "number of hosts, 1 to 16");
module_param_named(switches, switch_count, uint, 0444);
MODULE_PARM_DESC(switches, "number of switches, 1 to 4");
module_param_array(smps, uint, NULL, 0444);
MODULE_PARM_DESC(smps, "of each host: 0 the kernel handles SMPs, 1 no QP0 (multi-plane), 2 SMPs "
                       "refused (virtual function)");
module_param_array(grh, bool, NULL, 0444);
MODULE_PARM_DESC(grh,
                 "of each host: whether its port requires a GRH; its kernel then handles no SMPs");
module_param_array(first_pkey, uint, NULL, 0444);
MODULE_PARM_DESC(
    first_pkey,
    "of each host: the P_Key that its kernel sees before the table of the subnet manager; 0: none");
module_param_array(speed, uint, NULL, 0444);
MODULE_PARM_DESC(speed, "of each host: the highest speed of its link: 0 QDR, 1 FDR, 2 EDR, 4 HDR, "
                        "8 NDR, 16 XDR");
module_param_named(drop_permille, fabric_drop_permille, uint, 0644);
MODULE_PARM_DESC(drop_permille, "packets of 1000 that each cable loses");

bool fabric_pkeys_match(u16 a, u16 b)
{
    return a != 0 && ((a ^ b) & ~PKEY_FULL) == 0 && ((a | b) & PKEY_FULL) != 0;
}

// Sets the speeds from FDR on. A switch can do all, a link what its host can.
static void fabric_set_speeds(const struct fabric_node *node, u8 port, u8 *info)
{
    const bool own = node->type == TYPE_SWITCH && port == 0;
    const struct fabric_node *host = node->type == TYPE_HOST ? node : node->ports[port].peer;
    const unsigned int highest = host && host->type == TYPE_HOST ? host->speed : 0;
    const u8 ext = highest ? min_t(u8, highest, SPEED_NDR) : 0;

    if (node->type == TYPE_HOST ? highest > 0 : own)
        put_unaligned_be32(get_unaligned_be32(info + PI_CAPABILITIES) | HAS_SPEEDS_EXT,
                           info + PI_CAPABILITIES);
    if (node->type == TYPE_HOST ? highest == SPEED_XDR : own)
        put_unaligned_be16(HAS_SPEEDS_EXT2 | HAS_XDR, info + PI_CAPABILITIES2);
    if (highest == SPEED_XDR)
        info[PI_SPEED_EXT2] = EXT2_XDR;
    info[PI_SPEED_EXT] = (highest == SPEED_XDR ? 0 : ext) << 4 | (ext ? 2 * ext - 1 : 0);
    info[PI_SPEED_EXT_ENABLED] = ext ? 2 * ext - 1 : 0;
}

void fabric_reset_port(struct fabric_node *node, u8 port, bool up)
{
    u8 *info = node->ports[port].info, kept[PI_CAPABILITIES];
    const bool own = node->type == TYPE_SWITCH && port == 0; // has no cable

    memcpy(kept, info, sizeof(kept));
    memset(info, 0, PI_SIZE);
    memcpy(info, kept, sizeof(kept));
    put_unaligned_be64(LINK_LOCAL, info + PI_PREFIX);
    put_unaligned_be32(node->type == TYPE_HOST ? CAPABILITIES_HOST
                       : own                   ? CAPABILITIES_SWITCH
                                               : 0,
                       info + PI_CAPABILITIES);
    info[PI_LOCAL_PORT] = port;
    info[PI_WIDTH_ENABLED] = info[PI_WIDTH_SUPPORTED] = WIDTHS;
    info[PI_WIDTH_ACTIVE] = WIDTH_4X;
    info[PI_STATE] = SPEED_QDR << 4 | (own ? STATE_ACTIVE : up ? STATE_INIT : STATE_DOWN);
    info[PI_PHYSICAL] = (own ? 0 : up ? PHYSICAL_UP : PHYSICAL_POLLING) << 4 | (own ? 0 : 2);
    info[PI_SPEED] = SPEED_ACTIVE_QDR << 4 | SPEED_QDR;
    info[PI_MTU] = MTU_4096 << 4;
    info[PI_VLS] = VLS << 4;
    info[PI_MTU_CAP] = MTU_4096;
    info[PI_OPERATIONAL_VLS] = VLS << 4;
    info[PI_GUID_CAP] = 1;
    info[PI_TIMEOUT] = 18;
    info[PI_RESPONSE_TIME] = 16;
    fabric_set_speeds(node, port, info);
}

// Plugs or pulls the cable of a port: both ends see it, and a switch with a changed port tells its
// subnet manager.
static void fabric_set_cable(struct fabric_node *node, u8 port, bool up)
{
    struct fabric_port *near = &node->ports[port], *far = &near->peer->ports[near->peer_port];
    struct {
        struct fabric_node *node;
        u8 port;
    } ends[] = {{node, port}, {near->peer, near->peer_port}};
    int i;

    if (near->up == up)
        return;
    near->up = far->up = up;
    for (i = 0; i < 2; i++) {
        fabric_reset_port(ends[i].node, ends[i].port, up);
        if (ends[i].node->type == TYPE_HOST)
            adapter_raise(ends[i].node, up ? IB_EVENT_LID_CHANGE : IB_EVENT_PORT_ERR);
        else
            ends[i].node->switch_info[11] |= 4; // PortStateChange
    }
    for (i = 0; i < 2; i++) {
        if (ends[i].node->type == TYPE_SWITCH)
            wire_send_link_trap(ends[i].node);
    }
}

// Parameters that user space writes: "NUMBER VALUE".

static int fabric_read_pair(const char *text, unsigned int limit, unsigned int *number,
                            unsigned int *value)
{
    return sscanf(text, "%u %u", number, value) == 2 && *number < limit ? 0 : -EINVAL;
}

static void fabric_cable(struct fabric_node *node, u8 port, bool up)
{
    unsigned long flags;

    spin_lock_irqsave(&fabric_lock, flags);
    fabric_set_cable(node, port, up);
    spin_unlock_irqrestore(&fabric_lock, flags);
}

static int fabric_set_link(const char *text, const struct kernel_param *param)
{
    unsigned int host, up;

    if (fabric_read_pair(text, fabric_host_count, &host, &up) != 0 || !fabric_hosts[host])
        return -EINVAL;
    fabric_cable(fabric_hosts[host], 1, up);
    return 0;
}

static int fabric_set_trunk(const char *text, const struct kernel_param *param)
{
    unsigned int which, up;

    if (fabric_read_pair(text, switch_count - 1, &which, &up) != 0 || !fabric_switches[which])
        return -EINVAL;
    fabric_cable(fabric_switches[which], PORT_NEXT, up);
    return 0;
}

static int fabric_set_plug(const char *text, const struct kernel_param *param)
{
    unsigned int host, in;
    struct fabric_node *node;

    if (fabric_read_pair(text, fabric_host_count, &host, &in) != 0 || !fabric_hosts[host])
        return -EINVAL;
    node = fabric_hosts[host];
    if (!in == !node->adapter)
        return 0;
    fabric_cable(node, 1, in);
    if (in)
        return adapter_plug(node);
    adapter_unplug(node);
    return 0;
}

static int fabric_set_errors(const char *text, const struct kernel_param *param)
{
    unsigned int port, errors;

    if (fabric_read_pair(text, SWITCH_PORTS + 1, &port, &errors) != 0 || errors > 0xFFFF ||
        !fabric_switches[0])
        return -EINVAL;
    fabric_switches[0]->ports[port].symbol_errors = errors;
    return 0;
}

static int fabric_get_sent(char *buffer, const struct kernel_param *param)
{
    unsigned int i;
    int n = 0;

    for (i = 0; i < fabric_host_count && fabric_hosts[i]; i++) {
        const struct fabric_node *host = fabric_hosts[i];

        n += scnprintf(buffer + n, PAGE_SIZE - n,
                       "host %u smps %lu gmps %lu with_grh %lu sls 0x%x pkey_indexes 0x%x "
                       "request_indexes 0x%x\n",
                       i, host->sent.smps, host->sent.gmps, host->sent.with_grh, host->sent.sls,
                       host->sent.pkey_indexes, host->sent.request_indexes);
    }
    return n;
}

static int fabric_get_lost(char *buffer, const struct kernel_param *param)
{
    return scnprintf(
        buffer, PAGE_SIZE,
        "cable %lu route %lu pkey %lu grh %lu no_buffer %lu no_agent %lu by_chance %lu\n",
        fabric_lost.cable, fabric_lost.route, fabric_lost.pkey, fabric_lost.grh,
        fabric_lost.no_buffer, fabric_lost.no_agent, fabric_lost.by_chance);
}

static const struct kernel_param_ops fabric_link_ops = {.set = fabric_set_link};
static const struct kernel_param_ops fabric_trunk_ops = {.set = fabric_set_trunk};
static const struct kernel_param_ops fabric_plug_ops = {.set = fabric_set_plug};
static const struct kernel_param_ops fabric_errors_ops = {.set = fabric_set_errors};
static const struct kernel_param_ops fabric_sent_ops = {.get = fabric_get_sent};
static const struct kernel_param_ops fabric_lost_ops = {.get = fabric_get_lost};
module_param_cb(link, &fabric_link_ops, NULL, 0200);
MODULE_PARM_DESC(link, "HOST 0|1: pull or plug its cable");
module_param_cb(trunk, &fabric_trunk_ops, NULL, 0200);
MODULE_PARM_DESC(trunk, "SWITCH 0|1: pull or plug the cable to the next switch");
module_param_cb(plug, &fabric_plug_ops, NULL, 0200);
MODULE_PARM_DESC(plug, "HOST 0|1: remove or add the adapter itself, with its cable");
module_param_cb(symbol_errors, &fabric_errors_ops, NULL, 0200);
MODULE_PARM_DESC(symbol_errors, "PORT COUNT: of the first switch");
module_param_cb(flood, &flood_ops, NULL, 0200);
MODULE_PARM_DESC(flood, "HOST COUNT RATE: Reports from its subnet manager, RATE a second");
module_param_cb(sent, &fabric_sent_ops, NULL, 0444);
MODULE_PARM_DESC(sent, "what each host sent");
module_param_cb(lost, &fabric_lost_ops, NULL, 0444);
MODULE_PARM_DESC(lost, "packets that were dropped");

// Start and end.

static struct fabric_node *fabric_node(u8 type, u8 port_count, u64 guid, const char *name,
                                       unsigned int index)
{
    struct fabric_node *node = kvzalloc(sizeof(*node), GFP_KERNEL);
    unsigned int i;

    if (!node)
        return NULL;
    node->type = type;
    node->port_count = port_count;
    node->guid = guid;
    node->index = index;
    scnprintf(node->description, sizeof(node->description), "%s%u", name, index);
    memset(node->lft, 0xFF, sizeof(node->lft));
    put_unaligned_be16(LFT_SIZE - 1, node->switch_info);
    node->switch_info[11] = 18 << 3; // LifeTimeValue
    put_unaligned_be16(PKEYS, node->switch_info + 14);
    for (i = 0; i <= port_count; i++) {
        fabric_reset_port(node, i, false);
        node->ports[i].pkeys[0] = PKEY_DEFAULT;
    }
    return node;
}

static void fabric_connect(struct fabric_node *a, u8 a_port, struct fabric_node *b, u8 b_port)
{
    a->ports[a_port].peer = b;
    a->ports[a_port].peer_port = b_port;
    b->ports[b_port].peer = a;
    b->ports[b_port].peer_port = a_port;
    fabric_cable(a, a_port, true);
}

static int fabric_make_switches(void)
{
    unsigned int i;

    for (i = 0; i < switch_count; i++) {
        fabric_switches[i] =
            fabric_node(TYPE_SWITCH, SWITCH_PORTS, SWITCH_GUID + i * 0x100, "leaf", i + 1);
        if (!fabric_switches[i])
            return -ENOMEM;
        if (i > 0)
            fabric_connect(fabric_switches[i - 1], PORT_NEXT, fabric_switches[i], PORT_PREVIOUS);
    }
    return 0;
}

static int fabric_make_hosts(void)
{
    unsigned int i;
    int rc;

    for (i = 0; i < fabric_host_count; i++) {
        struct fabric_node *host = fabric_node(TYPE_HOST, 1, HOST_GUID + i * 0x10, "host", i);

        if (!host)
            return -ENOMEM;
        fabric_hosts[i] = host;
        host->smps = grh[i] && smps[i] == SMPS_KERNEL ? SMPS_REFUSED : smps[i]; // SMPs have no GRH
        host->needs_grh = grh[i];
        host->first_pkey = first_pkey[i];
        host->speed = speed[i];
        fabric_connect(host, 1, fabric_switches[i % switch_count], i + 1);
        rc = adapter_plug(host);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static void fabric_exit(void)
{
    unsigned int i;

    flood_stop();
    for (i = 0; i < HOSTS_MAX; i++) {
        if (fabric_hosts[i])
            adapter_unplug(fabric_hosts[i]);
    }
    wire_stop();
    for (i = 0; i < HOSTS_MAX; i++)
        kvfree(fabric_hosts[i]);
    for (i = 0; i < SWITCHES_MAX; i++)
        kvfree(fabric_switches[i]);
}

static int __init fabric_init(void)
{
    int rc;

    if (fabric_host_count < 1 || fabric_host_count > HOSTS_MAX || switch_count < 1 ||
        switch_count > SWITCHES_MAX)
        return -EINVAL;
    rc = wire_start();
    if (rc == 0)
        rc = fabric_make_switches();
    if (rc == 0)
        rc = fabric_make_hosts();
    if (rc != 0)
        fabric_exit();
    return rc;
}

static void __exit fabric_end(void)
{
    fabric_exit();
}

module_init(fabric_init);
module_exit(fabric_end);
MODULE_DESCRIPTION("InfiniBand fabric in software, for tests");
MODULE_LICENSE("Dual BSD/GPL");
