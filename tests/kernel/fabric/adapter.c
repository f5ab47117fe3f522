// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
// The verbs of a host's adapter: what ib_core, ib_mad and ib_umad use, and a context for user
// programs that wait for asynchronous events. The driver is named RXE, because libibverbs opens
// only known adapters; a program that wants to send data is refused.
#include "fabric.h"

#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_smi.h>

enum { RECEIVES_MAX = 1024, GIDS = 8, CQE_MAX = 8192, ABI = 2 };

struct adapter_receive {
    struct ib_cqe *cqe;
    u8 *buffer;
};

struct adapter_qp {
    struct ib_qp ib;
    struct adapter_receive receives[RECEIVES_MAX];
    unsigned int posted, used;
};

struct adapter_cq {
    struct ib_cq ib;
    spinlock_t lock;
    struct ib_wc *entries;
    unsigned int size, pushed, polled;
    bool armed;
};

struct adapter_ah {
    struct ib_ah ib;
    struct rdma_ah_attr attributes;
    union ib_gid source;
};

struct adapter_pd {
    struct ib_pd ib;
};

struct adapter_context {
    struct ib_ucontext ib;
};

struct adapter {
    struct ib_device ib;
    struct fabric_node *host;
    struct adapter_qp *qps[2];
};

static struct adapter *adapter_of(struct ib_device *device)
{
    return container_of(device, struct adapter, ib);
}

static struct fabric_port *adapter_port(struct ib_device *device)
{
    return &adapter_of(device)->host->ports[1];
}

// The P_Key at an index of the table that the kernel sees: the adapter may put an entry before the
// subnet manager's entries.
static u16 adapter_pkey(const struct fabric_node *host, unsigned int index)
{
    const u16 *pkeys = host->ports[1].pkeys;

    if (host->first_pkey == 0)
        return pkeys[index];
    return index == 0 ? host->first_pkey : pkeys[index - 1];
}

static int adapter_find_pkey(const struct fabric_node *host, u16 pkey)
{
    int i;

    for (i = 0; i < PKEYS; i++) {
        if (fabric_pkeys_match(adapter_pkey(host, i), pkey))
            return i;
    }
    return -1;
}

// What the fabric does.

void adapter_raise(struct fabric_node *host, enum ib_event_type type)
{
    struct ib_event event = {.event = type, .element.port_num = 1};

    if (!host->adapter)
        return;
    event.device = &host->adapter->ib;
    ib_dispatch_event(&event);
}

static void adapter_complete(struct ib_cq *cq, const struct ib_wc *wc)
{
    struct adapter_cq *c = container_of(cq, struct adapter_cq, ib);
    unsigned long flags;
    bool call;

    spin_lock_irqsave(&c->lock, flags);
    c->entries[c->pushed++ % c->size] = *wc;
    call = c->armed;
    c->armed = false;
    spin_unlock_irqrestore(&c->lock, flags);
    if (call)
        c->ib.comp_handler(&c->ib, c->ib.cq_context);
}

// The index of the P_Key; -1: the packet is dropped.
static int adapter_admit(struct fabric_node *host, const struct fabric_packet *p,
                         struct adapter_qp *qp)
{
    struct fabric_port *port = &host->ports[1];
    const int pkey = p->to_qp == 0 ? 0 : adapter_find_pkey(host, p->pkey);

    if (pkey < 0) {
        fabric_lost.pkey++;
        put_unaligned_be16(get_unaligned_be16(port->info + PI_PKEY_VIOLATIONS) + 1,
                           port->info + PI_PKEY_VIOLATIONS);
        return -1;
    }
    if (host->needs_grh && p->to_qp != 0 && !p->has_grh) {
        fabric_lost.grh++;
        return -1;
    }
    if (!qp) {
        fabric_lost.no_agent++;
        return -1;
    }
    if (qp->posted == qp->used) {
        fabric_lost.no_buffer++;
        return -1;
    }
    return pkey;
}

void adapter_deliver(struct fabric_node *host, const struct fabric_packet *p)
{
    struct adapter_qp *qp = host->adapter && p->to_qp < 2 ? host->adapter->qps[p->to_qp] : NULL;
    const int pkey = adapter_admit(host, p, qp);
    struct adapter_receive *receive;
    struct ib_wc wc = {
        .status = IB_WC_SUCCESS,
        .opcode = IB_WC_RECV,
        .byte_len = GRH_OCTETS + MAD_OCTETS,
        .src_qp = p->from_qp,
        .slid = p->slid,
        .sl = p->sl,
        .port_num = 1,
        .wc_flags = p->has_grh ? IB_WC_GRH : 0,
    };

    if (pkey < 0)
        return;
    receive = &qp->receives[qp->used++ % RECEIVES_MAX];
    memcpy(receive->buffer, p->grh, GRH_OCTETS);
    memcpy(receive->buffer + GRH_OCTETS, p->mad, MAD_OCTETS);
    wc.wr_cqe = receive->cqe;
    wc.qp = &qp->ib;
    wc.pkey_index = pkey;
    wc.dlid_path_bits = p->dlid == LID_PERMISSIVE ? 0 : p->dlid - fabric_lid(host);
    adapter_complete(qp->ib.recv_cq, &wc);
}

// Attributes.

static int adapter_query_device(struct ib_device *device, struct ib_device_attr *a,
                                struct ib_udata *udata)
{
    *a = (struct ib_device_attr){
        .sys_image_guid = device->node_guid,
        .vendor_id = 0x2C9,
        .vendor_part_id = 0x1234,
        .max_mr_size = ~0ULL,
        .page_size_cap = PAGE_SIZE,
        .max_qp = 16,
        .max_qp_wr = RECEIVES_MAX,
        .max_send_sge = 4,
        .max_recv_sge = 4,
        .max_cq = 16,
        .max_cqe = CQE_MAX,
        .max_mr = 16,
        .max_pd = 16,
        .max_ah = 1 << 16,
        .max_pkeys = PKEYS,
    };
    return 0;
}

// As the kernel's verbs have it: each extended speed is four bits further left.
static u16 adapter_speed(const u8 *info)
{
    enum { XDR = 256 }; // ib_verbs.h of Linux 6.1 lacks it

    if (info[PI_SPEED_EXT2] >> 5)
        return XDR;
    return info[PI_SPEED_EXT] >> 4 ? (info[PI_SPEED_EXT] >> 4) * IB_SPEED_FDR : info[PI_SPEED] >> 4;
}

static int adapter_query_port(struct ib_device *device, u32 number, struct ib_port_attr *a)
{
    const u8 *info = adapter_port(device)->info;

    a->state = info[PI_STATE] & 15;
    a->phys_state = info[PI_PHYSICAL] >> 4;
    a->max_mtu = a->active_mtu = IB_MTU_4096;
    a->gid_tbl_len = GIDS;
    a->pkey_tbl_len = PKEYS;
    a->port_cap_flags = get_unaligned_be32(info + PI_CAPABILITIES);
    a->max_msg_sz = 1 << 30;
    a->lid = get_unaligned_be16(info + PI_LID);
    a->sm_lid = get_unaligned_be16(info + PI_SM_LID);
    a->lmc = info[PI_PROTECT] & 7;
    a->sm_sl = info[PI_MTU] & 15;
    a->max_vl_num = info[PI_VLS] >> 4;
    a->subnet_timeout = info[PI_TIMEOUT] & 31;
    a->active_width = info[PI_WIDTH_ACTIVE];
    a->active_speed = adapter_speed(info);
    return 0;
}

static int adapter_modify_port(struct ib_device *device, u32 number, int mask,
                               struct ib_port_modify *m)
{
    u8 *capabilities = adapter_port(device)->info + PI_CAPABILITIES;
    unsigned long flags;

    spin_lock_irqsave(&fabric_lock, flags);
    put_unaligned_be32((get_unaligned_be32(capabilities) | m->set_port_cap_mask) &
                           ~m->clr_port_cap_mask,
                       capabilities);
    spin_unlock_irqrestore(&fabric_lock, flags);
    return 0;
}

static int adapter_immutable(struct ib_device *device, u32 number,
                             struct ib_port_immutable *immutable)
{
    const struct fabric_node *host = adapter_of(device)->host;

    immutable->pkey_tbl_len = PKEYS;
    immutable->gid_tbl_len = GIDS;
    immutable->max_mad_size = IB_MGMT_MAD_SIZE;
    immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
    if (host->smps == SMPS_NO_QP0)
        immutable->core_cap_flags &= ~RDMA_CORE_CAP_IB_SMI;
    if (host->needs_grh)
        immutable->core_cap_flags |= RDMA_CORE_CAP_IB_GRH_REQUIRED;
    return 0;
}

static enum rdma_link_layer adapter_link_layer(struct ib_device *device, u32 number)
{
    return IB_LINK_LAYER_INFINIBAND;
}

static int adapter_query_gid(struct ib_device *device, u32 number, int index, union ib_gid *gid)
{
    memset(gid, 0, sizeof(*gid));
    if (index)
        return 0;
    memcpy(gid->raw, adapter_port(device)->info + PI_PREFIX, 8);
    put_unaligned_be64(adapter_of(device)->host->guid + 1, gid->raw + 8);
    return 0;
}

static int adapter_query_pkey(struct ib_device *device, u32 number, u16 index, u16 *pkey)
{
    if (index >= PKEYS)
        return -EINVAL;
    *pkey = adapter_pkey(adapter_of(device)->host, index);
    return 0;
}

// Objects.

static int adapter_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
    return 0;
}

static int adapter_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
    return 0;
}

static int adapter_alloc_context(struct ib_ucontext *context, struct ib_udata *udata)
{
    return 0;
}

static void adapter_dealloc_context(struct ib_ucontext *context)
{
}

// A program with the adapter open gets DEVICE_FATAL when it is unplugged, and does not hold it.
static void adapter_disassociate(struct ib_ucontext *context)
{
}

static int adapter_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *init,
                             struct ib_udata *udata)
{
    struct adapter_ah *a = container_of(ah, struct adapter_ah, ib);
    const struct ib_gid_attr *source = init->ah_attr->grh.sgid_attr;

    a->attributes = *init->ah_attr;
    if (rdma_ah_get_ah_flags(init->ah_attr) & IB_AH_GRH && source)
        a->source = source->gid;
    return 0;
}

static int adapter_query_ah(struct ib_ah *ah, struct rdma_ah_attr *attributes)
{
    *attributes = container_of(ah, struct adapter_ah, ib)->attributes;
    return 0;
}

static int adapter_destroy_ah(struct ib_ah *ah, u32 flags)
{
    return 0;
}

static int adapter_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attributes,
                             struct ib_udata *udata)
{
    struct adapter_cq *c = container_of(cq, struct adapter_cq, ib);

    if (udata)
        return -EOPNOTSUPP;
    spin_lock_init(&c->lock);
    c->size = roundup_pow_of_two(attributes->cqe * 4); // both counters wrap round
    cq->cqe = attributes->cqe;
    c->entries = kvcalloc(c->size, sizeof(*c->entries), GFP_KERNEL);
    return c->entries ? 0 : -ENOMEM;
}

static int adapter_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
    kvfree(container_of(cq, struct adapter_cq, ib)->entries);
    return 0;
}

static int adapter_poll_cq(struct ib_cq *cq, int count, struct ib_wc *wc)
{
    struct adapter_cq *c = container_of(cq, struct adapter_cq, ib);
    unsigned long flags;
    int i;

    spin_lock_irqsave(&c->lock, flags);
    for (i = 0; i < count && c->polled != c->pushed; i++)
        wc[i] = c->entries[c->polled++ % c->size];
    spin_unlock_irqrestore(&c->lock, flags);
    return i;
}

static int adapter_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags what)
{
    struct adapter_cq *c = container_of(cq, struct adapter_cq, ib);
    unsigned long flags;
    int missed;

    spin_lock_irqsave(&c->lock, flags);
    c->armed = true;
    missed = (what & IB_CQ_REPORT_MISSED_EVENTS) && c->pushed != c->polled;
    spin_unlock_irqrestore(&c->lock, flags);
    return missed;
}

static int adapter_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
    unsigned long flags;

    if (udata || (init->qp_type != IB_QPT_SMI && init->qp_type != IB_QPT_GSI))
        return -EOPNOTSUPP;
    qp->qp_num = init->qp_type == IB_QPT_GSI;
    spin_lock_irqsave(&fabric_lock, flags);
    adapter_of(qp->device)->qps[qp->qp_num] = container_of(qp, struct adapter_qp, ib);
    spin_unlock_irqrestore(&fabric_lock, flags);
    return 0;
}

static int adapter_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attributes, int mask,
                             struct ib_udata *udata)
{
    return 0;
}

static int adapter_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
    unsigned long flags;

    spin_lock_irqsave(&fabric_lock, flags);
    adapter_of(qp->device)->qps[qp->qp_num] = NULL;
    spin_unlock_irqrestore(&fabric_lock, flags);
    return 0;
}

static struct ib_mr *adapter_get_dma_mr(struct ib_pd *pd, int access)
{
    struct ib_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

    return mr ? mr : ERR_PTR(-ENOMEM);
}

static struct ib_mr *adapter_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 address,
                                         int access, struct ib_udata *udata)
{
    return ERR_PTR(-EOPNOTSUPP);
}

static int adapter_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
    kfree(mr);
    return 0;
}

// Datagrams.

static int adapter_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
                             const struct ib_recv_wr **bad)
{
    struct adapter_qp *q = container_of(qp, struct adapter_qp, ib);
    unsigned long flags;

    spin_lock_irqsave(&fabric_lock, flags);
    for (; wr && q->posted - q->used < RECEIVES_MAX; wr = wr->next)
        q->receives[q->posted++ % RECEIVES_MAX] =
            (struct adapter_receive){wr->wr_cqe, (u8 *)(uintptr_t)wr->sg_list[0].addr};
    spin_unlock_irqrestore(&fabric_lock, flags);
    *bad = wr;
    return wr ? -ENOMEM : 0;
}

static void adapter_write_grh(struct fabric_packet *p, const struct adapter_ah *ah)
{
    const struct ib_global_route *route = rdma_ah_read_grh(&ah->attributes);

    p->has_grh = true;
    put_unaligned_be32(6 << 28 | route->traffic_class << 20 | (route->flow_label & 0xFFFFF),
                       p->grh);
    put_unaligned_be16(MAD_OCTETS, p->grh + 4);
    p->grh[6] = 0x1B; // next: BTH
    p->grh[7] = route->hop_limit;
    memcpy(p->grh + 8, ah->source.raw, 16);
    memcpy(p->grh + 24, route->dgid.raw, 16);
}

// Whether a GMP answers another one: then the MAD has the index of the first entry. An
// acknowledgement of RMPP also has the method of a request.
static bool adapter_is_answer(const u8 *mad)
{
    enum { METHOD = 3, RMPP_TYPE = 25 };

    return mad[METHOD] & IB_MGMT_METHOD_RESP ||
           (mad[1] == IB_MGMT_CLASS_SUBN_ADM && mad[RMPP_TYPE] > IB_MGMT_RMPP_TYPE_DATA);
}

// Whether the kernel's own SA client sent it, which asks every new SA for its ClassPortInfo in the
// default partition.
static bool adapter_is_of_kernel(const u8 *mad)
{
    return mad[1] == IB_MGMT_CLASS_SUBN_ADM && mad[3] == IB_MGMT_METHOD_GET &&
           get_unaligned_be16(mad + 16) == be16_to_cpu(IB_MGMT_CLASSPORTINFO_ATTR_ID);
}

static void adapter_count(struct fabric_node *host, const struct fabric_packet *p, u16 pkey_index)
{
    if (p->from_qp == 0) {
        host->sent.smps++;
        return;
    }
    host->sent.gmps++;
    host->sent.with_grh += p->has_grh;
    host->sent.sls |= BIT(p->sl);
    host->sent.pkey_indexes |= BIT(pkey_index % PKEYS);
    if (!adapter_is_answer(p->mad) && !adapter_is_of_kernel(p->mad))
        host->sent.request_indexes |= BIT(pkey_index % PKEYS);
}

static struct fabric_packet *adapter_packet(struct ib_qp *qp, const struct ib_ud_wr *ud)
{
    struct fabric_node *host = adapter_of(qp->device)->host;
    const struct adapter_ah *ah = container_of(ud->ah, struct adapter_ah, ib);
    struct fabric_packet *p = kzalloc(sizeof(*p), GFP_ATOMIC);
    size_t length = 0;
    int i;

    for (i = 0; p && i < ud->wr.num_sge; i++) {
        const struct ib_sge *part = &ud->wr.sg_list[i];
        const size_t n = min_t(size_t, part->length, MAD_OCTETS - length);

        memcpy(p->mad + length, (void *)(uintptr_t)part->addr, n);
        length += n;
    }
    if (!p)
        return NULL;
    p->node = host;
    p->port = 1;
    p->to_qp = ud->remote_qpn;
    p->from_qp = qp->qp_num;
    p->pkey = adapter_pkey(host, ud->pkey_index % PKEYS);
    p->dlid = rdma_ah_get_dlid(&ah->attributes);
    p->slid = p->mad[1] == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE ? LID_PERMISSIVE : fabric_lid(host);
    p->sl = rdma_ah_get_sl(&ah->attributes) & 15;
    if (rdma_ah_get_ah_flags(&ah->attributes) & IB_AH_GRH)
        adapter_write_grh(p, ah);
    adapter_count(host, p, ud->pkey_index);
    return p;
}

static int adapter_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
                             const struct ib_send_wr **bad)
{
    const struct fabric_node *host = adapter_of(qp->device)->host;

    for (; wr; wr = wr->next) {
        const struct ib_wc wc = {
            .wr_cqe = wr->wr_cqe,
            .status = IB_WC_SUCCESS,
            .opcode = IB_WC_SEND,
            .qp = qp,
            .byte_len = MAD_OCTETS,
        };
        struct fabric_packet *p = adapter_packet(qp, ud_wr(wr));

        if (!p) {
            *bad = wr;
            return -ENOMEM;
        }
        if (host->smps == SMPS_KERNEL || qp->qp_num != 0)
            wire_send(p);
        else
            kfree(p);
        adapter_complete(qp->send_cq, &wc);
    }
    return 0;
}

static int adapter_process_mad(struct ib_device *device, int mad_flags, u32 port,
                               const struct ib_wc *wc, const struct ib_grh *grh,
                               const struct ib_mad *in, struct ib_mad *out, size_t *out_size,
                               u16 *out_pkey_index)
{
    struct fabric_node *host = adapter_of(device)->host;
    const u8 *mad = (const u8 *)in;
    unsigned long flags;
    bool answered;

    if (host->smps != SMPS_KERNEL && fabric_is_smp(mad))
        return IB_MAD_RESULT_FAILURE;
    spin_lock_irqsave(&fabric_lock, flags);
    answered = fabric_is_smp(mad) ? sma_answer(host, port, mad, (u8 *)out)
                                  : pma_answer(host, mad, (u8 *)out);
    spin_unlock_irqrestore(&fabric_lock, flags);
    if (!answered)
        return IB_MAD_RESULT_SUCCESS;
    if (mad[1] == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
        out->mad_hdr.status |= IB_SMP_DIRECTION;
    return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

static const struct ib_device_ops adapter_ops = {
    .owner = THIS_MODULE,
    .driver_id = RDMA_DRIVER_RXE,
    .uverbs_abi_ver = ABI,
    .query_device = adapter_query_device,
    .query_port = adapter_query_port,
    .modify_port = adapter_modify_port,
    .get_port_immutable = adapter_immutable,
    .get_link_layer = adapter_link_layer,
    .query_gid = adapter_query_gid,
    .query_pkey = adapter_query_pkey,
    .alloc_ucontext = adapter_alloc_context,
    .dealloc_ucontext = adapter_dealloc_context,
    .disassociate_ucontext = adapter_disassociate,
    .alloc_pd = adapter_alloc_pd,
    .dealloc_pd = adapter_dealloc_pd,
    .create_ah = adapter_create_ah,
    .create_user_ah = adapter_create_ah,
    .query_ah = adapter_query_ah,
    .destroy_ah = adapter_destroy_ah,
    .create_cq = adapter_create_cq,
    .destroy_cq = adapter_destroy_cq,
    .poll_cq = adapter_poll_cq,
    .req_notify_cq = adapter_notify_cq,
    .create_qp = adapter_create_qp,
    .modify_qp = adapter_modify_qp,
    .destroy_qp = adapter_destroy_qp,
    .post_send = adapter_post_send,
    .post_recv = adapter_post_recv,
    .get_dma_mr = adapter_get_dma_mr,
    .reg_user_mr = adapter_reg_user_mr,
    .dereg_mr = adapter_dereg_mr,
    .process_mad = adapter_process_mad,
    INIT_RDMA_OBJ_SIZE(ib_ah, adapter_ah, ib),
    INIT_RDMA_OBJ_SIZE(ib_cq, adapter_cq, ib),
    INIT_RDMA_OBJ_SIZE(ib_pd, adapter_pd, ib),
    INIT_RDMA_OBJ_SIZE(ib_qp, adapter_qp, ib),
    INIT_RDMA_OBJ_SIZE(ib_ucontext, adapter_context, ib),
};

// Hot-plug.

static void adapter_attach(struct fabric_node *host, struct adapter *adapter)
{
    unsigned long flags;

    spin_lock_irqsave(&fabric_lock, flags);
    host->adapter = adapter;
    spin_unlock_irqrestore(&fabric_lock, flags);
}

int adapter_plug(struct fabric_node *host)
{
    struct adapter *adapter = ib_alloc_device(adapter, ib);
    int rc;

    if (!adapter)
        return -ENOMEM;
    adapter->host = host;
    adapter->ib.node_type = RDMA_NODE_IB_CA;
    adapter->ib.phys_port_cnt = 1;
    adapter->ib.num_comp_vectors = 1;
    adapter->ib.node_guid = cpu_to_be64(host->guid);
    memcpy(adapter->ib.node_desc, host->description, sizeof(host->description));
    ib_set_device_ops(&adapter->ib, &adapter_ops);
    rc = ib_register_device(&adapter->ib, "fab%d", NULL);
    if (rc == 0)
        adapter_attach(host, adapter);
    else
        ib_dealloc_device(&adapter->ib);
    return rc;
}

void adapter_unplug(struct fabric_node *host)
{
    struct adapter *adapter = host->adapter;

    if (!adapter)
        return;
    adapter_attach(host, NULL);
    ib_unregister_device(&adapter->ib);
    ib_dealloc_device(&adapter->ib);
}
