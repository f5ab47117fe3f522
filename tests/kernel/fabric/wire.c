// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
// Cables and switches: carries each packet to its end, in order.
#include "fabric.h"

#include <linux/random.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/ib_smi.h>

// A directed route in an SMP (IBA 14.2.2).
enum {
    DR_STATUS = 4,
    DR_POINTER = 6,
    DR_COUNT = 7,
    DR_INITIAL = 128,
    DR_RETURN = 192,
    DR_BACK = 0x80,
    DR_MAX = 63
};
enum { STEPS_MAX = 2 * (SWITCHES_MAX + 2), TRAP_LINK_STATE = 128 };

static LIST_HEAD(wire_queue);
static DEFINE_SPINLOCK(wire_queue_lock);
static struct workqueue_struct *wire_work;

static bool wire_is_directed(const struct fabric_packet *p)
{
    return p->to_qp == 0 && p->mad[1] == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

static void wire_turn_round(struct fabric_packet *p)
{
    u8 gid[16];

    swap(p->slid, p->dlid);
    swap(p->to_qp, p->from_qp);
    memcpy(gid, p->grh + 8, 16);
    memcpy(p->grh + 8, p->grh + 24, 16);
    memcpy(p->grh + 24, gid, 16);
}

// The node's firmware answers the packet, in place. False: it does not.
static bool wire_answer(struct fabric_packet *p, u8 in)
{
    u8 out[MAD_OCTETS];

    if (!(p->to_qp == 0 ? sma_answer(p->node, in, p->mad, out) : pma_answer(p->node, p->mad, out)))
        return false;
    memcpy(p->mad, out, MAD_OCTETS);
    if (wire_is_directed(p))
        p->mad[DR_STATUS] |= DR_BACK;
    else
        wire_turn_round(p);
    return true;
}

// A directed route through a switch. False: the packet ends here.
static bool wire_route_directed(struct fabric_packet *p, u8 in)
{
    u8 *m = p->mad, *pointer = m + DR_POINTER;
    const u8 count = min_t(u8, m[DR_COUNT], DR_MAX);

    if (m[DR_STATUS] & DR_BACK) {
        if (*pointer < 2 || *pointer > count)
            return false;
        p->port = m[DR_RETURN + --*pointer];
    } else if (*pointer && *pointer < count) {
        m[DR_RETURN + *pointer] = in;
        p->port = m[DR_INITIAL + ++*pointer];
    } else if (*pointer == count) {
        m[DR_RETURN + *pointer] = in;
        p->port = in;
        return wire_answer(p, in);
    } else {
        return false;
    }
    return true;
}

static bool wire_is_member(const struct fabric_port *port, u16 pkey)
{
    int i;

    for (i = 0; i < PKEYS; i++) {
        if (fabric_pkeys_match(port->pkeys[i], pkey))
            return true;
    }
    return false;
}

static bool wire_route(struct fabric_packet *p, u8 in)
{
    const struct fabric_node *node = p->node;

    if (p->dlid == fabric_lid(node) && p->dlid != 0) {
        if (p->to_qp != 0 && !wire_is_member(&node->ports[0], p->pkey)) {
            fabric_lost.pkey++;
            return false;
        }
        if (!wire_answer(p, in))
            return false;
    }
    p->port = p->dlid < LFT_SIZE ? node->lft[p->dlid] : 0xFF;
    return true;
}

// A packet arrives at a host. True: the adapter's firmware has turned it into an answer.
static bool wire_arrive(struct fabric_packet *p, u8 in)
{
    if (p->node->smps == SMPS_KERNEL || p->to_qp != 0) {
        adapter_deliver(p->node, p);
        return false;
    }
    p->port = in;
    if (!wire_answer(p, in))
        return false;
    if (wire_is_directed(p))
        p->mad[DR_RETURN + (p->mad[DR_POINTER] & DR_MAX)] = in;
    return true;
}

// Carries a packet through one cable. True: it goes on from there.
static bool wire_step(struct fabric_packet *p)
{
    const struct fabric_port *out =
        p->port && p->port <= p->node->port_count ? &p->node->ports[p->port] : NULL;

    if (!out || !out->peer) {
        fabric_lost.route++;
        return false;
    }
    if (!out->up) {
        fabric_lost.cable++;
        return false;
    }
    if (fabric_drop_permille && get_random_u32() % 1000 < fabric_drop_permille) {
        fabric_lost.by_chance++;
        return false;
    }
    p->node = out->peer;
    if (p->node->type == TYPE_HOST)
        return wire_arrive(p, out->peer_port);
    return wire_is_directed(p) ? wire_route_directed(p, out->peer_port)
                               : wire_route(p, out->peer_port);
}

// Whether a host's packet is for the host itself.
static bool wire_stays(const struct fabric_packet *p)
{
    const struct fabric_node *node = p->node;
    const u16 base = fabric_lid(node), lids = 1 << (node->ports[1].info[PI_PROTECT] & 7);

    return node->type == TYPE_HOST && !wire_is_directed(p) && p->dlid >= base &&
           p->dlid < base + lids;
}

void wire_carry(struct fabric_packet *p)
{
    int steps = 0;

    if (wire_stays(p) && !wire_arrive(p, 1))
        return;
    while (steps++ < STEPS_MAX && wire_step(p))
        ;
}

static struct fabric_packet *wire_take(void)
{
    struct fabric_packet *p;
    unsigned long flags;

    spin_lock_irqsave(&wire_queue_lock, flags);
    p = list_first_entry_or_null(&wire_queue, struct fabric_packet, entry);
    if (p)
        list_del(&p->entry);
    spin_unlock_irqrestore(&wire_queue_lock, flags);
    return p;
}

static void wire_pump(struct work_struct *work)
{
    struct fabric_packet *p;
    unsigned long flags;

    while ((p = wire_take())) {
        spin_lock_irqsave(&fabric_lock, flags);
        wire_carry(p);
        spin_unlock_irqrestore(&fabric_lock, flags);
        kfree(p);
        cond_resched();
    }
}

static DECLARE_WORK(wire_pump_work, wire_pump);

void wire_send(struct fabric_packet *p)
{
    unsigned long flags;

    spin_lock_irqsave(&wire_queue_lock, flags);
    list_add_tail(&p->entry, &wire_queue);
    spin_unlock_irqrestore(&wire_queue_lock, flags);
    queue_work(wire_work, &wire_pump_work);
}

void wire_send_link_trap(struct fabric_node *node)
{
    static u32 tid;
    struct fabric_packet *p;
    const u16 lid = fabric_lid(node), sm = get_unaligned_be16(node->ports[0].info + PI_SM_LID);
    u8 *notice;

    if (!lid || !sm || sm >= LFT_SIZE)
        return;
    p = kzalloc(sizeof(*p), GFP_ATOMIC);
    if (!p)
        return;
    p->node = node;
    p->port = node->lft[sm];
    p->slid = lid;
    p->dlid = sm;
    p->mad[0] = p->mad[2] = 1;
    p->mad[1] = IB_MGMT_CLASS_SUBN_LID_ROUTED;
    p->mad[3] = IB_MGMT_METHOD_TRAP;
    put_unaligned_be32(++tid, p->mad + 12);
    p->mad[17] = 2; // Notice
    memcpy(p->mad + 24, node->ports[0].info + PI_MKEY, 8);
    notice = p->mad + 64;
    notice[0] = 0x80 | 1; // generic, urgent
    notice[3] = TYPE_SWITCH;
    put_unaligned_be16(TRAP_LINK_STATE, notice + 4);
    put_unaligned_be16(lid, notice + 6);
    put_unaligned_be16(lid, notice + 10);
    wire_send(p);
}

int wire_start(void)
{
    wire_work = alloc_ordered_workqueue("ibfabric", 0);
    return wire_work ? 0 : -ENOMEM;
}

void wire_stop(void)
{
    struct fabric_packet *p;

    if (!wire_work)
        return;
    destroy_workqueue(wire_work);
    while ((p = wire_take()))
        kfree(p);
}
