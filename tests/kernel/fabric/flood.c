// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
// Sends Reports to a host as its subnet manager does, faster than a program could: trap 64 with a
// GID of its own each.
#include "fabric.h"

#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

enum {
    CLASS_VERSION = 2,
    ATTRIBUTE_NOTICE = 2,
    TRAP_GID_IN_SERVICE = 64,
    SA_DATA = 56,
    PAUSE_US = 500
};

static DEFINE_MUTEX(flood_mutex);
static struct task_struct *flood_task; // with flood_mutex
static struct {
    struct fabric_node *host;
    u32 count, rate;
} flood_order;

static void flood_write(struct fabric_packet *p, const struct fabric_node *host, u32 number)
{
    u8 *notice = p->mad + SA_DATA;

    memset(p, 0, sizeof(*p));
    p->node = (struct fabric_node *)host;
    p->to_qp = p->from_qp = 1;
    p->slid = get_unaligned_be16(host->ports[1].info + PI_SM_LID);
    p->dlid = fabric_lid(host);
    p->pkey = 0xFFFF;
    p->mad[0] = 1;
    p->mad[1] = IB_MGMT_CLASS_SUBN_ADM;
    p->mad[2] = CLASS_VERSION;
    p->mad[3] = IB_MGMT_METHOD_REPORT;
    put_unaligned_be32(number + 1, p->mad + 12);
    p->mad[17] = ATTRIBUTE_NOTICE;
    notice[0] = 0x80 | 3; // generic, subnet management
    notice[3] = 4;        // the producer is a class manager
    put_unaligned_be16(TRAP_GID_IN_SERVICE, notice + 4);
    put_unaligned_be16(p->slid, notice + 6);
    memcpy(notice + 16, host->ports[1].info + PI_PREFIX,
           8); // DataDetails: 6 reserved octets, the GID
    put_unaligned_be64(0x0002C90300000000ULL + number, notice + 24);
}

static void flood_send(struct fabric_packet *p, struct fabric_node *host, u32 number)
{
    unsigned long flags;

    spin_lock_irqsave(&fabric_lock, flags);
    flood_write(p, host, number);
    adapter_deliver(host, p);
    spin_unlock_irqrestore(&fabric_lock, flags);
}

// Sends what is due by now, at most all at once after a pause. No two Reports are alike.
static int flood_run(void *unused)
{
    static u32 number; // one task at a time
    struct fabric_packet *p = kzalloc(sizeof(*p), GFP_KERNEL);
    const ktime_t began = ktime_get();
    u32 sent = 0;

    while (p && sent < flood_order.count && !kthread_should_stop()) {
        const u64 due =
            div_u64(ktime_us_delta(ktime_get(), began) * flood_order.rate, USEC_PER_SEC);

        for (; sent < flood_order.count && sent < due; sent++)
            flood_send(p, flood_order.host, number++);
        usleep_range(PAUSE_US, 2 * PAUSE_US);
    }
    pr_info("ibfabric: %u Reports in %lld us\n", sent, ktime_us_delta(ktime_get(), began));
    kfree(p);
    return 0;
}

static void flood_end(void)
{
    if (flood_task) {
        kthread_stop(flood_task);
        put_task_struct(flood_task);
    }
    flood_task = NULL;
}

void flood_stop(void)
{
    mutex_lock(&flood_mutex);
    flood_end();
    mutex_unlock(&flood_mutex);
}

static int flood_set(const char *text, const struct kernel_param *param)
{
    unsigned int host, count, rate;
    struct task_struct *task;

    if (sscanf(text, "%u %u %u", &host, &count, &rate) != 3 || host >= fabric_host_count ||
        !fabric_hosts[host] || rate == 0)
        return -EINVAL;
    mutex_lock(&flood_mutex);
    flood_end();
    flood_order.host = fabric_hosts[host];
    flood_order.count = count;
    flood_order.rate = rate;
    task = kthread_create(flood_run, NULL, "ibfabric-flood");
    if (!IS_ERR(task)) {
        flood_task = task;
        get_task_struct(task); // it may end before flood_end
        wake_up_process(task);
    }
    mutex_unlock(&flood_mutex);
    return IS_ERR(task) ? PTR_ERR(task) : 0;
}

const struct kernel_param_ops flood_ops = {.set = flood_set};
