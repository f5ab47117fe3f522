// SPDX-License-Identifier: BSD-2-Clause
#include "flood_sm.h"

#include "base/clock.h"
#include "base/wire.h"
#include "ib/mad.h"
#include "ib/subscriptions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    DATA = 56,
    RECORD_STRIDE = 64,
    OWN_LID = 7,
    SM_LID = 1,
    ANSWERS_MAX = 64,
    ANSWER_MAX = DATA + SUBSCRIPTIONS_COUNT * RECORD_STRIDE,
    IDLE_NS = 5000000,
    NAP_NS = 500000,
};
static const uint64_t PREFIX = UINT64_C(0xfe80000000000000);
static const uint64_t OWN_GUID = UINT64_C(0x0002c903000e8acf);
static const uint64_t SM_GUID = UINT64_C(0x0002c90300a1b2c3);

struct answer {
    uint8_t octets[ANSWER_MAX];
    size_t size;
    uint16_t lid;
};

struct flood_sm {
    uint32_t reports, window;
    double rate;
    atomic_bool started;
    atomic_uint subscribed, acknowledged;
    int64_t started_ns;

    // The thread that stops the SA client sends a query, too: `lock` guards the answers.
    pthread_mutex_t lock;
    struct answer answers[ANSWERS_MAX];
    size_t first_answer, answer_count;

    // Used by the SA client's thread only.
    uint16_t held[SUBSCRIPTIONS_COUNT]; // traps
    size_t held_count;
    uint32_t next;
    uint8_t report[MAD_SIZE];

    int64_t *read_ns;
    _Atomic int64_t *answered_ns;
};

static int64_t now_ns(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

// Answers to the SA client's queries.

static struct answer *new_answer(struct flood_sm *sm, const uint8_t *request, uint16_t lid)
{
    if (sm->answer_count == ANSWERS_MAX)
        abort();
    struct answer *a = &sm->answers[(sm->first_answer + sm->answer_count++) % ANSWERS_MAX];
    memset(a, 0, sizeof *a);
    memcpy(a->octets, request, MAD_SIZE);
    a->octets[3] = request[3] == 0x02 ? 0x81 : request[3] | MAD_METHOD_RESPONSE;
    a->size = MAD_SIZE;
    a->lid = lid;
    return a;
}

static void answer_own_port(struct flood_sm *sm, const uint8_t *request)
{
    struct answer *a = new_answer(sm, request, 0xFFFF);
    uint8_t *info = a->octets + 64;
    wire_put(a->octets + 4, 2, 0x8000);
    wire_put(info + 8, 8, PREFIX);
    wire_put(info + 16, 2, OWN_LID);
    wire_put(info + 18, 2, SM_LID);
    info[32] = 0x14; // active
}

static void take_subscription(struct flood_sm *sm, const uint8_t *request)
{
    const uint8_t *info = request + DATA;
    uint16_t trap = info[22] ? wire_get16(info + 26) : 0xFFFF;
    new_answer(sm, request, SM_LID);
    for (size_t i = 0; i < sm->held_count; i++) {
        if (sm->held[i] == trap)
            return;
    }
    sm->held[sm->held_count++] = trap;
    atomic_fetch_add(&sm->subscribed, 1);
}

static void answer_node(struct flood_sm *sm, const uint8_t *request)
{
    struct answer *a = new_answer(sm, request, SM_LID);
    wire_put(a->octets + DATA, 2, SM_LID);
    wire_put(a->octets + DATA + 4 + 20, 8, SM_GUID);
    memcpy(a->octets + DATA + 44, "flood", 5);
}

static void answer_list(struct flood_sm *sm, const uint8_t *request)
{
    struct answer *a = new_answer(sm, request, SM_LID);
    memset(a->octets + DATA, 0, sizeof a->octets - DATA);
    for (size_t i = 0; i < sm->held_count; i++) {
        uint8_t *record = a->octets + DATA + i * RECORD_STRIDE;
        memcpy(record, request + DATA, ADDRESS_GID_SIZE);
        record[24 + 22] = sm->held[i] != 0xFFFF;
        record[24 + 23] = 1;
        wire_put(record + 24 + 26, 2, sm->held[i]);
    }
    wire_put(a->octets + 44, 2, RECORD_STRIDE / 8);
    a->size = DATA + sm->held_count * RECORD_STRIDE;
    if (a->size < MAD_SIZE)
        a->size = MAD_SIZE;
}

static void take_answer(struct flood_sm *sm, const uint8_t *mad)
{
    uint32_t report = wire_get32(mad + 12);
    if (report >= sm->reports)
        abort();
    atomic_store_explicit(&sm->answered_ns[report], now_ns(CLOCK_REALTIME), memory_order_relaxed);
    atomic_fetch_add(&sm->acknowledged, 1);
}

static void take_query(struct flood_sm *sm, enum mad_agent agent, const uint8_t *mad)
{
    uint16_t attribute = wire_get16(mad + 16);
    pthread_mutex_lock(&sm->lock);
    if (agent == MAD_AGENT_SMP)
        answer_own_port(sm, mad);
    else if (mad[3] == 0x02 && attribute == 0x0003)
        take_subscription(sm, mad);
    else if (mad[3] == 0x01 && attribute == 0x0011)
        answer_node(sm, mad);
    else if (mad[3] == 0x12 && attribute == 0x00F3)
        answer_list(sm, mad);
    pthread_mutex_unlock(&sm->lock);
}

static bool port_send(void *self, enum mad_agent agent, const struct mad_address *to,
                      const uint8_t *mad, int response_timeout_ms, struct error *err)
{
    (void)to, (void)response_timeout_ms, (void)err;
    struct flood_sm *sm = self;
    if (mad[3] == (MAD_METHOD_REPORT | MAD_METHOD_RESPONSE))
        take_answer(sm, mad);
    else
        take_query(sm, agent, mad);
    return true;
}

// Reports.

static void make_report(struct flood_sm *sm)
{
    uint8_t *mad = sm->report;
    mad[0] = 1;
    mad[1] = MAD_CLASS_SA;
    mad[2] = 2;
    mad[3] = MAD_METHOD_REPORT;
    mad[17] = 2; // Notice
    struct notice notice = {
        .generic = true,
        .type = 3,
        .producer = NOTICE_PRODUCER_CLASS_MANAGER,
        .trap = NOTICE_GID_IN_SERVICE,
        .issuer_lid = SM_LID,
    };
    wire_put(notice.issuer_gid, 8, PREFIX);
    wire_put(notice.issuer_gid + 8, 8, SM_GUID);
    wire_put(notice.gid1, 8, PREFIX);
    notice_encode(&notice, mad + (mad_notice(mad) - mad));
}

// DataDetails begin at octet 10 of the Notice, the GID at octet 6 of them.
static void push_report(struct flood_sm *sm, struct mad_received *out)
{
    uint8_t *notice = sm->report + (mad_notice(sm->report) - sm->report);
    wire_put(sm->report + 8, 8, sm->next);
    wire_put(notice + 24, 8, FLOOD_SM_GUID + sm->next % FLOOD_SM_PORTS);
    *out = (struct mad_received){{.lid = SM_LID, .qpn = 1}, sm->report, MAD_SIZE};
    sm->read_ns[sm->next++] = now_ns(CLOCK_REALTIME);
}

static bool has_room(struct flood_sm *sm)
{
    return sm->next - atomic_load(&sm->acknowledged) < sm->window;
}

// Nanoseconds until there may be work; 0: a Report is due.
static int64_t until_report(struct flood_sm *sm)
{
    if (!atomic_load(&sm->started) || sm->next == sm->reports)
        return IDLE_NS;
    if (!has_room(sm))
        return NAP_NS;
    if (sm->rate <= 0)
        return 0;
    int64_t due = sm->started_ns + (int64_t)(sm->next * 1e9 / sm->rate);
    int64_t left = due - now_ns(CLOCK_MONOTONIC);
    return left > 0 ? left : 0;
}

static bool pop_answer(struct flood_sm *sm, struct mad_received *out)
{
    pthread_mutex_lock(&sm->lock);
    const bool any = sm->answer_count > 0;
    if (any) {
        struct answer *a = &sm->answers[sm->first_answer];
        *out = (struct mad_received){{.lid = a->lid, .qpn = 1}, a->octets, a->size};
        sm->first_answer = (sm->first_answer + 1) % ANSWERS_MAX;
        sm->answer_count--;
    }
    pthread_mutex_unlock(&sm->lock);
    return any;
}

static int port_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    (void)err;
    struct flood_sm *sm = self;
    if (pop_answer(sm, out))
        return 1;
    int64_t left = timeout_ms * INT64_C(1000000), pause;
    while ((pause = until_report(sm)) > 0) {
        if (left <= 0)
            return 0;
        nanosleep(&(struct timespec){.tv_nsec = pause < IDLE_NS ? pause : IDLE_NS}, NULL);
        left -= pause;
    }
    push_report(sm, out);
    return 1;
}

static void port_close(void *self)
{
    (void)self;
}

static bool open_port(void *ctx, struct mad_io *io, struct mad_port_id *id, struct error *err)
{
    (void)err;
    prctl(PR_SET_TIMERSLACK, 1UL); // of the SA client's thread: Reports are on time
    *io = (struct mad_io){
        .receive = port_receive, .send = port_send, .close = port_close, .self = ctx};
    *id = (struct mad_port_id){.device = "flood", .port = 1, .guid = OWN_GUID, .active = true};
    return true;
}

static bool another_is_better(void *ctx, const struct mad_port_id *id)
{
    (void)ctx, (void)id;
    return false;
}

struct flood_sm *flood_sm_new(uint32_t reports)
{
    struct flood_sm *sm = calloc(1, sizeof *sm);
    if (!sm)
        return NULL;
    pthread_mutex_init(&sm->lock, NULL);
    sm->reports = reports;
    sm->read_ns = calloc(reports, sizeof *sm->read_ns);
    sm->answered_ns = calloc(reports, sizeof *sm->answered_ns);
    make_report(sm);
    if (sm->read_ns && sm->answered_ns)
        return sm;
    flood_sm_free(sm);
    return NULL;
}

void flood_sm_free(struct flood_sm *sm)
{
    pthread_mutex_destroy(&sm->lock);
    free(sm->read_ns);
    free(sm->answered_ns);
    free(sm);
}

struct mad_opener flood_sm_opener(struct flood_sm *sm)
{
    return (struct mad_opener){open_port, another_is_better, sm};
}

bool flood_sm_is_subscribed(struct flood_sm *sm)
{
    return atomic_load(&sm->subscribed) == SUBSCRIPTIONS_COUNT;
}

void flood_sm_start(struct flood_sm *sm, double rate, uint32_t window)
{
    sm->rate = rate;
    sm->window = window;
    sm->started_ns = now_ns(CLOCK_MONOTONIC);
    atomic_store(&sm->started, true);
}

uint32_t flood_sm_acknowledged(struct flood_sm *sm)
{
    return atomic_load(&sm->acknowledged);
}

int64_t flood_sm_read_ns(const struct flood_sm *sm, uint32_t report)
{
    return sm->read_ns[report];
}

int64_t flood_sm_answered_ns(const struct flood_sm *sm, uint32_t report)
{
    return atomic_load_explicit(&sm->answered_ns[report], memory_order_relaxed);
}
