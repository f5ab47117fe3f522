// SPDX-License-Identifier: BSD-2-Clause
#include "inner_fabric.h"

#include "flood_sm.h"
#include "generated.h"

#include "base/clock.h"
#include "base/wire.h"
#include "ib/mad.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    DATA = 64, // of an SMP and of a performance MAD
    PATH = 128,
    ATTRIBUTE = 16,
    MODIFIER = 20,
    TID = 12,
    METHOD_GET = 1,
    NODE_DESCRIPTION = 0x10,
    NODE_INFO = 0x11,
    PORT_INFO = 0x15,
    SM_INFO = 0x20,
    LINK_UP = 5,
    POLLING = 2,
    HALF = 32,
    NODES_MAX = 1 << 16,
    PORTS_MAX = 1 << 20,
    ANSWERS_MAX = 1024, // more than a sweep has in flight
    NAP_NS = 500000,
};

// In shared memory. A node's ports are those from `first_port` on, by their numbers.
struct map {
    struct fabric_node nodes[NODES_MAX];
    struct fabric_port ports[PORTS_MAX];
    uint32_t node_count, port_count;
    uint32_t by_lid[1 << 16]; // the index of a node
    uint32_t hosts[NODES_MAX];
    uint32_t host_count;
    uint8_t answers[ANSWERS_MAX][MAD_SIZE];
};

struct inner_fabric {
    struct inner_fabric_options options;
    struct map *map;
    struct flood_sm *sm; // answers the SA client's queries
    struct mad_io io;    // of `sm`

    pthread_mutex_t lock; // protects all members below
    pthread_cond_t answered;
    size_t first_answer, answer_count;
    uint32_t first_down; // of the hosts that are down now
    bool any_down;
    uint32_t sent, acknowledged; // Reports
    struct timespec begun;       // Reports

    uint8_t current[MAD_SIZE]; // used by the SA client's thread
};

// Makes the fabric in a child process: the generator's memory stays there.

static void copy(struct map *map, const struct generated *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        struct fabric_node *node = &map->nodes[i];
        *node = g->nodes[i].node;
        node->first_port = map->port_count;
        if (node->type != FABRIC_SWITCH)
            map->hosts[map->host_count++] = i;
        for (unsigned p = 0; p <= node->port_count; p++) {
            map->ports[map->port_count] = g->nodes[i].ports[p].port;
            map->by_lid[map->ports[map->port_count++].lid] = i;
        }
    }
    map->node_count = g->count;
}

static bool generate(struct map *map, uint32_t hosts)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        struct generated g = {0};
        generated_fat_tree(&g, hosts, HALF);
        generated_port(&g, 0, 0)->capabilities |= FABRIC_IS_SM; // LID 1, as flood_sm has it
        if (g.count <= NODES_MAX)
            copy(map, &g);
        _exit(g.count > NODES_MAX);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

struct inner_fabric *inner_fabric_new(const struct inner_fabric_options *options)
{
    struct inner_fabric *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->options = *options;
    f->map = mmap(NULL, sizeof *f->map, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    f->sm = flood_sm_new(1);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->answered, NULL);
    if (f->map != MAP_FAILED && f->sm && generate(f->map, options->hosts))
        return f;
    inner_fabric_free(f);
    return NULL;
}

void inner_fabric_free(struct inner_fabric *f)
{
    if (f->map != MAP_FAILED)
        munmap(f->map, sizeof *f->map);
    if (f->sm)
        flood_sm_free(f->sm);
    free(f);
}

// Answering SMPs.

static struct fabric_port *port_of(struct map *map, uint32_t node, unsigned number)
{
    return &map->ports[map->nodes[node].first_port + number];
}

static bool is_up(const struct fabric_port *port)
{
    return port->peer_node != FABRIC_NONE && port->physical == LINK_UP;
}

static void set_link(struct map *map, uint32_t host, bool up)
{
    struct fabric_port *port = port_of(map, host, 1);
    struct fabric_port *peer = port_of(map, port->peer_node, port->peer_port);
    port->physical = peer->physical = up ? LINK_UP : POLLING;
    port->state = peer->state = up ? FABRIC_ACTIVE : FABRIC_DOWN;
}

// Takes other hosts down than last time. The first host is the gateway's own.
static void change(struct inner_fabric *f)
{
    struct map *map = f->map;
    uint32_t others = map->host_count - 1;
    for (uint32_t i = 0; f->any_down && i < f->options.changes; i++)
        set_link(map, map->hosts[1 + (f->first_down + i) % others], true);
    if (f->any_down)
        f->first_down = (f->first_down + f->options.changes) % others;
    f->any_down = true;
    for (uint32_t i = 0; i < f->options.changes; i++)
        set_link(map, map->hosts[1 + (f->first_down + i) % others], false);
}

// The node at the end of a directed route, and the port of arrival. False: the route leads nowhere.
static bool follow(struct map *map, const uint8_t *mad, uint32_t *at, uint8_t *arrival)
{
    *at = map->hosts[0];
    *arrival = 1;
    for (unsigned i = 1; i <= mad[7]; i++) {
        uint8_t out = mad[PATH + i];
        if (out > map->nodes[*at].port_count || !is_up(port_of(map, *at, out)))
            return false;
        const struct fabric_port *port = port_of(map, *at, out);
        *at = port->peer_node;
        *arrival = port->peer_port;
    }
    return true;
}

static void write_node_info(struct map *map, uint32_t at, uint8_t arrival, uint8_t *data)
{
    const struct fabric_node *node = &map->nodes[at];
    data[0] = data[1] = 1;
    data[2] = node->type;
    data[3] = node->port_count;
    wire_put(data + 4, 8, node->system_guid);
    wire_put(data + 12, 8, node->guid);
    wire_put(data + 20, 8,
             node->type == FABRIC_SWITCH ? node->guid : port_of(map, at, arrival)->guid);
    wire_put(data + 30, 2, node->device);
    wire_put(data + 32, 4, node->revision);
    data[36] = arrival;
    wire_put(data + 37, 3, node->vendor);
}

static void write_port_info(const struct fabric_port *port, uint8_t *data)
{
    wire_put(data + 16, 2, port->lid);
    wire_put(data + 20, 4, port->capabilities);
    data[29] = port->width_enabled;
    data[30] = port->width_supported;
    data[31] = port->width_active;
    data[32] = (uint8_t)((port->speed_supported & 7) << 4 | port->state);
    data[33] = (uint8_t)(port->physical << 4);
    data[35] = (uint8_t)((port->speed_active & 7) << 4 | (port->speed_enabled & 7));
    data[62] = (uint8_t)((port->speed_active >> 3) << 4 | port->speed_supported >> 3);
    data[63] = (uint8_t)(port->speed_enabled >> 3);
}

// False: no answer.
static bool answer_route(struct inner_fabric *f, uint8_t *mad)
{
    uint32_t at, modifier = wire_get32(mad + MODIFIER);
    uint8_t arrival, *data = mad + DATA;
    if (mad[7] == 0 && wire_get16(mad + ATTRIBUTE) == NODE_INFO && f->options.changes > 0)
        change(f); // a sweep begins
    if (!follow(f->map, mad, &at, &arrival) || modifier > f->map->nodes[at].port_count)
        return false;
    wire_put(mad + 4, 2, 0x8000);
    switch (wire_get16(mad + ATTRIBUTE)) {
    case NODE_INFO:
        write_node_info(f->map, at, arrival, data);
        return true;
    case NODE_DESCRIPTION:
        memcpy(data, f->map->nodes[at].description, 64);
        return true;
    case PORT_INFO:
        write_port_info(port_of(f->map, at, modifier), data);
        return true;
    default:
        return false;
    }
}

static void answer_sm(struct map *map, uint8_t *mad)
{
    wire_put(mad + DATA, 8, map->nodes[0].guid);
    mad[DATA + 20] = FABRIC_MASTER;
}

// Answers counter queries with zeroes.
static bool answer(struct inner_fabric *f, enum mad_agent agent, uint16_t lid, uint8_t *mad)
{
    if (agent == MAD_AGENT_SMP && !answer_route(f, mad))
        return false;
    if (agent == MAD_AGENT_SMP_LID && wire_get16(mad + ATTRIBUTE) == NODE_INFO)
        write_node_info(f->map, f->map->by_lid[lid], 1, mad + DATA);
    else if (agent == MAD_AGENT_SMP_LID)
        answer_sm(f->map, mad);
    mad[3] = METHOD_GET | MAD_METHOD_RESPONSE;
    return agent != MAD_AGENT_DM;
}

// Reports.

// Some trap about a host or its switch; repeated, and followed by its opposite if there is an
// opposite.
static struct notice make_notice(const struct inner_fabric *f, uint32_t number)
{
    static const uint16_t TRAPS[] = {
        NOTICE_GID_OUT_OF_SERVICE, NOTICE_GID_IN_SERVICE,      NOTICE_LINK_STATE,
        NOTICE_LINK_INTEGRITY,     NOTICE_MCAST_GROUP_CREATED, NOTICE_BAD_PKEY,
        NOTICE_CAPABILITY,         NOTICE_MCAST_GROUP_DELETED,
    };
    enum { KINDS = sizeof TRAPS / sizeof *TRAPS };
    uint32_t host = f->map->hosts[number / KINDS % f->map->host_count];
    const struct fabric_port *port = port_of(f->map, host, 1);
    struct notice notice = {.generic = true,
                            .type = 3,
                            .producer = NOTICE_PRODUCER_CLASS_MANAGER,
                            .trap = TRAPS[number % KINDS],
                            .issuer_lid = 1,
                            .lid = port->lid,
                            .lid2 = 2,
                            .port = 1,
                            .key = number % 7};
    wire_put(notice.gid1, 8, UINT64_C(0xfe80000000000000));
    wire_put(notice.gid1 + 8, 8, port->guid);
    memcpy(notice.gid2, notice.gid1, sizeof notice.gid2);
    if (notice.trap == NOTICE_LINK_STATE)
        notice.lid = port_of(f->map, port->peer_node, 0)->lid;
    return notice;
}

static void make_report(const struct inner_fabric *f, uint32_t number, uint8_t *mad)
{
    const struct notice notice = make_notice(f, number);
    memset(mad, 0, MAD_SIZE);
    mad[0] = 1;
    mad[1] = MAD_CLASS_SA;
    mad[2] = 2;
    mad[3] = MAD_METHOD_REPORT;
    wire_put(mad + 8, 8, number);
    mad[ATTRIBUTE + 1] = 2; // Notice
    notice_encode(&notice, mad + (mad_notice(mad) - mad));
}

// The lock is held.
static bool is_report_due(struct inner_fabric *f)
{
    struct timespec now;
    if (f->options.rate <= 0 || !flood_sm_is_subscribed(f->sm) ||
        f->sent - f->acknowledged >= f->options.window)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (f->begun.tv_sec == 0)
        f->begun = now;
    double seconds =
        (double)(now.tv_sec - f->begun.tv_sec) + (double)(now.tv_nsec - f->begun.tv_nsec) / 1e9;
    return f->sent < seconds * f->options.rate;
}

// The port.

static bool is_for_sm(enum mad_agent agent, const uint8_t *mad)
{
    return agent == MAD_AGENT_SA || !(wire_get32(mad + TID) & MAD_TID_SWEEPER);
}

static bool port_send(void *self, enum mad_agent agent, const struct mad_address *to,
                      const uint8_t *mad, int response_timeout_ms, struct error *err)
{
    struct inner_fabric *f = self;
    bool ok = true;
    pthread_mutex_lock(&f->lock);
    if (mad[3] == (MAD_METHOD_REPORT | MAD_METHOD_RESPONSE)) {
        f->acknowledged++;
    } else if (is_for_sm(agent, mad)) {
        ok = f->io.send(f->io.self, agent, to, mad, response_timeout_ms, err);
    } else if (f->answer_count < ANSWERS_MAX) {
        uint8_t *out = f->map->answers[(f->first_answer + f->answer_count) % ANSWERS_MAX];
        memcpy(out, mad, MAD_SIZE);
        f->answer_count += answer(f, agent, to->lid, out);
        pthread_cond_signal(&f->answered);
    }
    pthread_mutex_unlock(&f->lock);
    return ok;
}

// Call it with the lock. False: no MAD has arrived.
static bool take(struct inner_fabric *f, struct mad_received *out)
{
    struct error ignored;
    if (f->io.receive(f->io.self, out, 0, &ignored) > 0)
        return true;
    *out = (struct mad_received){{.lid = 1, .qpn = 1}, f->current, MAD_SIZE};
    if (f->answer_count > 0) {
        memcpy(f->current, f->map->answers[f->first_answer], MAD_SIZE);
        f->first_answer = (f->first_answer + 1) % ANSWERS_MAX;
        f->answer_count--;
        return true;
    }
    if (!is_report_due(f))
        return false;
    make_report(f, f->sent++, f->current);
    return true;
}

static struct timespec after(int64_t ns)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ns;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static int port_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    (void)err;
    struct inner_fabric *f = self;
    const struct timespec deadline =
        after(f->options.rate > 0 ? NAP_NS : timeout_ms * INT64_C(1000000));
    pthread_mutex_lock(&f->lock);
    bool taken = take(f, out);
    if (!taken) {
        pthread_cond_timedwait(&f->answered, &f->lock, &deadline);
        taken = take(f, out);
    }
    pthread_mutex_unlock(&f->lock);
    return taken;
}

static void port_close(void *self)
{
    (void)self;
}

static bool open_port(void *ctx, struct mad_io *io, struct mad_port_id *id, struct error *err)
{
    struct inner_fabric *f = ctx;
    const struct mad_opener opener = flood_sm_opener(f->sm);
    *io =
        (struct mad_io){.receive = port_receive, .send = port_send, .close = port_close, .self = f};
    return opener.open(opener.ctx, &f->io, id, err);
}

static bool another_is_better(void *ctx, const struct mad_port_id *id)
{
    (void)ctx, (void)id;
    return false;
}

struct mad_opener inner_fabric_opener(struct inner_fabric *f)
{
    return (struct mad_opener){open_port, another_is_better, f};
}
