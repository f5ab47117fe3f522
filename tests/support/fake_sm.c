// SPDX-License-Identifier: BSD-2-Clause
#include "fake_sm.h"

#include "support.h"

#include "base/wire.h"

#include <time.h>

enum { SM_KEY = 36, DATA = 56, RECORD_STRIDE = 64, PATIENCE_S = 300 };
static const int64_t STEP_WITHOUT_PORT_US = CLOCK_US_PER_S / 2;

// Time.

static void wait_idle(struct fake_sm *sm)
{
    sm->idle = true;
    pthread_cond_broadcast(&sm->moved);
}

// While no port is open the SA client's thread does not wait for MADs. Then its reading of the
// clock advances the time.
static int64_t read_monotonic(void *ctx)
{
    struct fake_sm *sm = ctx;
    pthread_mutex_lock(&sm->lock);
    if (!pthread_equal(pthread_self(), sm->test) && !sm->is_open) {
        if (sm->unlimited || sm->now + STEP_WITHOUT_PORT_US <= sm->limit)
            sm->now += STEP_WITHOUT_PORT_US;
        else
            wait_idle(sm);
    }
    int64_t now = sm->now;
    pthread_mutex_unlock(&sm->lock);
    return now;
}

static int64_t read_utc(void *ctx)
{
    (void)ctx;
    return SUPPORT_UTC_US;
}

void fake_sm_run(struct fake_sm *sm, int64_t us)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&sm->lock);
    sm->limit += us;
    sm->idle = false;
    pthread_cond_broadcast(&sm->moved);
    int rc = 0;
    while (!sm->idle && rc == 0)
        rc = pthread_cond_timedwait(&sm->moved, &sm->lock, &deadline);
    pthread_mutex_unlock(&sm->lock);
    assert_int_equal(rc, 0);
}

void fake_sm_run_free(struct fake_sm *sm)
{
    pthread_mutex_lock(&sm->lock);
    sm->unlimited = true;
    pthread_cond_broadcast(&sm->moved);
    pthread_mutex_unlock(&sm->lock);
}

// MADs to the SA client. Call these with the lock.

static void put(struct fake_sm *sm, uint16_t lid, const uint8_t *octets, size_t size)
{
    if (sm->inbox_count == FAKE_SM_QUEUE)
        abort();
    size_t i = (sm->inbox_head + sm->inbox_count++) % FAKE_SM_QUEUE;
    memcpy(sm->inbox[i].octets, octets, size);
    sm->inbox[i].size = size;
    sm->inbox[i].at = sm->now;
    static const struct mad_grh GRH = {.gid = {0xFE, 0x80, [15] = 9}, .hop_limit = 64};
    sm->inbox[i].from = (struct mad_address){
        .lid = lid, .qpn = 1, .sl = 2, .pkey_index = 3, .grh = sm->with_grh ? &GRH : NULL};
    pthread_cond_broadcast(&sm->moved);
}

void fake_sm_arrive(struct fake_sm *sm, uint16_t lid, const uint8_t *octets, size_t size)
{
    pthread_mutex_lock(&sm->lock);
    put(sm, lid, octets, size);
    pthread_mutex_unlock(&sm->lock);
}

// Queues an answer of the SA, that much later.
static void put_late_answer(struct fake_sm *sm, uint8_t *mad, size_t size, int64_t late_us)
{
    if (sm->error)
        wire_put(mad + 4, 2, sm->error);
    put(sm, sm->asked.lid, mad, size);
    sm->inbox[(sm->inbox_head + sm->inbox_count - 1) % FAKE_SM_QUEUE].at += late_us;
}

static void put_answer(struct fake_sm *sm, uint8_t *mad, size_t size)
{
    put_late_answer(sm, mad, size, sm->late_us);
}

// The kernel overwrites the upper half of a TransactionID with a number of its own.
static void make_answer(uint8_t *out, const uint8_t *request, uint16_t status)
{
    memcpy(out, request, MAD_SIZE);
    out[3] = request[3] == 0x02 ? 0x81 : request[3] | 0x80;
    wire_put(out + 4, 2, status);
    wire_put(out + 8, 4, 0xFEDC);
}

static void answer_own_port(struct fake_sm *sm, const uint8_t *request)
{
    uint8_t mad[MAD_SIZE];
    make_answer(mad, request, 0x8000); // the direction bit of a directed-route answer
    uint8_t *info = mad + 64;
    wire_put(info + 8, 8, sm->port.subnet_prefix);
    wire_put(info + 16, 2, sm->port.lid);
    wire_put(info + 18, 2, sm->port.sm_lid);
    info[32] = (uint8_t)(0x10 | sm->port.state);
    info[34] = sm->port.lmc;
    info[36] = (uint8_t)(0x40 | sm->port.sm_sl);
    info[51] = sm->port.client_reregister ? 0x80 : 0;
    put(sm, 0xFFFF, mad, sizeof mad);
}

static void take_subscription(struct fake_sm *sm, const uint8_t *request)
{
    const uint8_t *info = request + DATA;
    uint32_t trap = info[22] ? wire_get16(info + 26) : MAD_TRAP_VENDOR;
    uint64_t key = wire_get64(request + 36);
    uint16_t status = 0;
    sm->key[trap] = key;
    if (info[23])
        sm->subscribed[trap]++;
    else
        sm->unsubscribed[trap]++;
    if (sm->report_at_unsubscribe && !info[23]) {
        uint8_t report[MAD_SIZE] = {1, 3, 2, 6, [17] = 2};
        sm->report_at_unsubscribe = false;
        put(sm, sm->lid, report, sizeof report);
    }
    if (sm->drops_sets || (key == 0 ? sm->demands_key : key != sm->sa_key))
        return; // like OpenSM, ignore a request with a wrong key
    if ((trap >= 256 && trap <= 259 && key == 0) || (trap == MAD_TRAP_ALL && sm->no_wildcard))
        status = 0x0200;
    else if (info[23] && !sm->held[trap] && sm->held_max && fake_sm_held(sm) >= sm->held_max)
        status = 0x0100;
    else
        sm->held[trap] = info[23];
    uint8_t mad[MAD_SIZE];
    make_answer(mad, request, status);
    put_answer(sm, mad, sizeof mad);
}

// Like OpenSM, ignores a request with a wrong key; like a hardened SM, a request without the key,
// if the test demands this.
static bool takes_key(const struct fake_sm *sm, uint64_t key)
{
    return key == 0 ? !sm->trusts_keys_only : key == sm->sa_key;
}

static void answer_node(struct fake_sm *sm, const uint8_t *request)
{
    uint8_t mad[MAD_SIZE];
    sm->asked_node++;
    sm->node_key = wire_get64(request + SM_KEY);
    if (sm->drops_nodes || !takes_key(sm, sm->node_key))
        return;
    make_answer(mad, request, sm->refuses_nodes ? 0x0200 : 0);
    wire_put(mad + DATA, 2, sm->lid);
    wire_put(mad + DATA + 4 + 20, 8, sm->node.port_guid);
    memcpy(mad + DATA + 44, sm->node.description, 64);
    put_answer(sm, mad, sizeof mad);
}

static void answer_list(struct fake_sm *sm, const uint8_t *request)
{
    uint8_t mad[FAKE_SM_MAD_MAX] = {0};
    size_t count = 0;
    sm->asked_list++;
    sm->list_key = wire_get64(request + SM_KEY);
    if (sm->drops_lists || !takes_key(sm, sm->list_key))
        return;
    make_answer(mad, request, 0);
    memset(mad + DATA, 0, MAD_SIZE - DATA);
    for (uint32_t trap = 0; trap <= MAD_TRAP_VENDOR; trap++) {
        if (!sm->held[trap])
            continue;
        uint8_t *record = mad + DATA + count++ * RECORD_STRIDE;
        memcpy(record, request + DATA, ADDRESS_GID_SIZE);
        record[24 + 22] = trap != MAD_TRAP_VENDOR;
        record[24 + 23] = 1;
        wire_put(record + 24 + 26, 2, trap == MAD_TRAP_VENDOR ? 0xFFFF : trap);
    }
    wire_put(mad + 44, 2, count ? RECORD_STRIDE / 8 : 0);
    if (count == 0 && sm->says_no_records)
        wire_put(mad + 4, 2, 0x0300);
    size_t size = DATA + count * RECORD_STRIDE;
    put_late_answer(sm, mad, size < MAD_SIZE ? MAD_SIZE : size, sm->late_us + sm->list_late_us);
}

static void answer_info(struct fake_sm *sm, const uint8_t *request)
{
    uint8_t mad[MAD_SIZE];
    sm->asked_info++;
    sm->other_key |= wire_get64(request + 72);
    if (sm->drops_info)
        return;
    make_answer(mad, request, 0);
    wire_put(mad + 64, 8, sm->node.port_guid);
    wire_put(mad + 80, 4, ++sm->act_count);
    mad[84] = 0x03; // priority 0, master
    put(sm, sm->lid, mad, sizeof mad);
}

// Answers with ClassPortInfo and the address.
static void redirect(struct fake_sm *sm, const uint8_t *request, const struct mad_address *to)
{
    uint8_t mad[MAD_SIZE];
    sm->redirected++;
    make_answer(mad, request, 0x0002);
    wire_put(mad + 16, 2, 0x0001);
    memset(mad + DATA, 0, MAD_SIZE - DATA);
    wire_put(mad + DATA + 8, 8, sm->redirect_prefix);
    wire_put(mad + DATA + 16, 8, to->guid);
    mad[DATA + 25] = (uint8_t)(to->sl << 4);
    wire_put(mad + DATA + 28, 2, to->lid);
    wire_put(mad + DATA + 30, 2, to->pkey);
    wire_put(mad + DATA + 32, 4, to->qpn);
    wire_put(mad + DATA + 36, 4, to->qkey);
    const bool other = sm->redirects_from != 0 && sm->asked.lid == sm->redirect.lid;
    put(sm, other ? sm->redirects_from : sm->asked.lid, mad, sizeof mad);
}

static void serve(struct fake_sm *sm, const struct mad_address *to, const uint8_t *mad)
{
    if (mad[3] == 0x86) {
        if (sm->answer_count < FAKE_SM_KEPT) {
            sm->answers[sm->answer_count].to = *to;
            if (to->grh)
                sm->answers[sm->answer_count].grh = *to->grh;
            memcpy(sm->answers[sm->answer_count++].mad, mad, MAD_SIZE);
        }
        return;
    }
    uint16_t attribute = wire_get16(mad + 16);
    bool info = mad[1] == MAD_CLASS_SMP_LID && mad[3] == 0x01 && attribute == 0x0020;
    const bool there = sm->redirect.lid != 0 && to->lid == sm->redirect.lid &&
                       to->qpn == sm->redirect.qpn && !info;
    if (sm->deaf || (!there && (to->lid != sm->lid || to->qpn != (info ? 0 : 1))))
        return;
    if (!info)
        sm->asked = *to;
    if (info)
        answer_info(sm, mad);
    else if (sm->splits && attribute == 0x0011)
        there ? redirect(sm, mad, &(struct mad_address){.lid = sm->lid, .qpn = 1})
              : answer_node(sm, mad);
    else if (sm->redirect.lid != 0 && (!there || sm->redirects_on))
        redirect(sm, mad, &sm->redirect);
    else if (mad[3] == 0x02 && attribute == 0x0003)
        take_subscription(sm, mad);
    else if (mad[3] == 0x01 && attribute == 0x0011)
        answer_node(sm, mad);
    else if (mad[3] == 0x12 && attribute == 0x00F3)
        answer_list(sm, mad);
    else
        abort();
}

// The port.

// The index of the first MAD that has arrived; FAKE_SM_QUEUE: none.
static size_t find_arrived(const struct fake_sm *sm)
{
    for (size_t n = 0; n < sm->inbox_count; n++) {
        if (sm->inbox[(sm->inbox_head + n) % FAKE_SM_QUEUE].at <= sm->now)
            return n;
    }
    return FAKE_SM_QUEUE;
}

static void take_out(struct fake_sm *sm, size_t place)
{
    for (size_t n = place; n > 0; n--)
        sm->inbox[(sm->inbox_head + n) % FAKE_SM_QUEUE] =
            sm->inbox[(sm->inbox_head + n - 1) % FAKE_SM_QUEUE];
    sm->inbox_head = (sm->inbox_head + 1) % FAKE_SM_QUEUE;
    sm->inbox_count--;
}

// Fails as the kernel does if the own port rejects an SMP.
static bool accept_smp(struct fake_sm *sm, const uint8_t *mad, struct error *err)
{
    sm->smps++;
    if (sm->no_smps)
        return error_set(err, "cannot send: Invalid argument");
    if (sm->mkey == 0 || wire_get64(mad + 24) == sm->mkey)
        return true;
    sm->refused++;
    return error_set(err, "cannot send: Invalid argument");
}

static int port_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    struct fake_sm *sm = self;
    int64_t us = timeout_ms * CLOCK_US_PER_MS;
    int rc = 0;
    pthread_mutex_lock(&sm->lock);
    sm->received++;
    while (!sm->unlimited && !sm->gone && find_arrived(sm) == FAKE_SM_QUEUE &&
           sm->now + us > sm->limit) {
        wait_idle(sm);
        pthread_cond_wait(&sm->moved, &sm->lock);
    }
    size_t place = find_arrived(sm);
    if (sm->gone) {
        error_set(err, "it was unplugged");
        rc = -1;
    } else if (sm->returns_at > 0 && sm->inbox_count == sm->returns_at) {
        sm->returns_at = 0;
    } else if (place != FAKE_SM_QUEUE) {
        size_t i = (sm->inbox_head + place) % FAKE_SM_QUEUE;
        memcpy(sm->current, sm->inbox[i].octets, sm->inbox[i].size);
        *out = (struct mad_received){sm->inbox[i].from, sm->current, sm->inbox[i].size};
        take_out(sm, place);
        sm->now += sm->read_us;
        rc = 1;
    } else {
        sm->now += us;
    }
    pthread_mutex_unlock(&sm->lock);
    return rc;
}

static bool port_send(void *self, enum mad_agent agent, const struct mad_address *to,
                      const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    (void)response_timeout_ms;
    struct fake_sm *sm = self;
    pthread_mutex_lock(&sm->lock);
    bool ok = agent != MAD_AGENT_SMP || accept_smp(sm, octets, err);
    if (agent != MAD_AGENT_SMP)
        serve(sm, to, octets);
    else if (ok)
        answer_own_port(sm, octets);
    pthread_mutex_unlock(&sm->lock);
    return ok;
}

static const char *port_smp_refusal(void *self, uint64_t mkey)
{
    (void)mkey;
    const struct fake_sm *sm = self;
    return sm->no_smps && sm->smps > 0 ? "it is a virtual function" : NULL;
}

static bool port_read(void *self, struct mad_port *out, struct error *err)
{
    (void)err;
    struct fake_sm *sm = self;
    pthread_mutex_lock(&sm->lock);
    sm->reads++;
    *out = sm->port;
    out->client_reregister = false;
    pthread_mutex_unlock(&sm->lock);
    return true;
}

static const char *port_refresh(void *self)
{
    struct fake_sm *sm = self;
    sm->refreshes++;
    return sm->pkey_lacks;
}

static void port_close(void *self)
{
    struct fake_sm *sm = self;
    pthread_mutex_lock(&sm->lock);
    sm->closed++;
    sm->is_open = sm->gone = false;
    sm->inbox_count = 0;
    pthread_mutex_unlock(&sm->lock);
}

static bool open_port(void *ctx, struct mad_io *io, struct mad_port_id *id, struct error *err)
{
    struct fake_sm *sm = ctx;
    pthread_mutex_lock(&sm->lock);
    bool ok = !sm->no_port && !sm->no_registration;
    sm->tries++;
    id->refused = sm->no_registration;
    if (ok) {
        sm->opened++;
        sm->is_open = true;
        sm->better = false;
        *io = (struct mad_io){.receive = port_receive,
                              .send = port_send,
                              .close = port_close,
                              .self = sm,
                              .smp_refusal = port_smp_refusal,
                              .read_port = port_read,
                              .refresh = port_refresh};
        *id = sm->id;
    } else {
        error_set(err, "no port: plug one in");
    }
    pthread_mutex_unlock(&sm->lock);
    return ok;
}

static bool another_is_better(void *ctx, const struct mad_port_id *id)
{
    (void)id;
    struct fake_sm *sm = ctx;
    pthread_mutex_lock(&sm->lock);
    bool better = sm->better;
    pthread_mutex_unlock(&sm->lock);
    return better;
}

struct mad_opener fake_sm_opener(struct fake_sm *sm)
{
    return (struct mad_opener){open_port, another_is_better, sm};
}

// The listener.

static bool take_report(void *ctx, struct sa_report *report)
{
    struct fake_sm *sm = ctx;
    pthread_mutex_lock(&sm->lock);
    bool room = !sm->full && sm->report_count < FAKE_SM_KEPT;
    if (room)
        sm->reports[sm->report_count++] = *report;
    pthread_mutex_unlock(&sm->lock);
    if (room)
        free(report);
    return room;
}

static void take_change(void *ctx, enum sa_change change, uint64_t prefix, const char *reason)
{
    struct fake_sm *sm = ctx;
    pthread_mutex_lock(&sm->lock);
    if (sm->change_count < FAKE_SM_KEPT) {
        size_t i = sm->change_count++;
        sm->changes[i].change = change;
        sm->changes[i].prefix = prefix;
        sm->changes[i].at = sm->now;
        snprintf(sm->changes[i].reason, sizeof sm->changes[i].reason, "%s", reason);
    }
    pthread_mutex_unlock(&sm->lock);
}

struct sa_listener fake_sm_listener(struct fake_sm *sm)
{
    return (struct sa_listener){take_report, take_change, sm};
}

void fake_sm_init(struct fake_sm *sm)
{
    memset(sm, 0, sizeof *sm);
    pthread_mutex_init(&sm->lock, NULL);
    pthread_cond_init(&sm->moved, NULL);
    sm->test = pthread_self();
    sm->now = sm->limit = 1000 * CLOCK_US_PER_S;
    sm->clock = (struct clock){read_utc, read_monotonic, sm};
    sm->id = (struct mad_port_id){
        .device = "mlx5_0", .port = 1, .guid = UINT64_C(0x0002c903000e8acf), .active = true};
    sm->port = (struct mad_port){.lid = 7,
                                 .sm_lid = 1,
                                 .sm_sl = 2,
                                 .state = 4,
                                 .subnet_prefix = UINT64_C(0xfe80000000000000)};
    sm->lid = 1;
    sm->node = (struct mad_node){UINT64_C(0x0002c90300a1b2c3), "opensm"};
    sm->sa_key = 1;
}

size_t fake_sm_held(const struct fake_sm *sm)
{
    size_t n = 0;
    for (size_t i = 0; i < COUNT(sm->held); i++)
        n += sm->held[i];
    return n;
}
