// SPDX-License-Identifier: BSD-2-Clause
#include "report_port.h"

#include "require.h"

#include "base/wire.h"
#include "ib/mad.h"

#include <pthread.h>
#include <string.h>

enum { WAITING_MAX = 64, METHOD = 3, TID = 8, ATTRIBUTE = 16, SM_LID = 1, NODE_LID = 2 };
#define OWN_TIDS UINT32_C(0x7E570000) // the upper half of the TransactionIDs of these Reports

struct report_port {
    struct mad_opener opener; // of the port below
    struct mad_io io;         // the port below
    uint8_t current[MAD_SIZE];

    pthread_mutex_t lock; // protects all members below
    uint64_t waiting[WAITING_MAX];
    size_t first, count;
    uint32_t made, answered;
};

struct report_port *report_port_new(const struct mad_opener *inner)
{
    struct report_port *port = calloc(1, sizeof *port);
    REQUIRE(port);
    port->opener = *inner;
    pthread_mutex_init(&port->lock, NULL);
    return port;
}

void report_port_free(struct report_port *port)
{
    pthread_mutex_destroy(&port->lock);
    free(port);
}

void report_port_push(struct report_port *port, uint64_t guid)
{
    pthread_mutex_lock(&port->lock);
    REQUIRE(port->count < WAITING_MAX);
    port->waiting[(port->first + port->count++) % WAITING_MAX] = guid;
    pthread_mutex_unlock(&port->lock);
}

size_t report_port_left(struct report_port *port)
{
    pthread_mutex_lock(&port->lock);
    const size_t left = port->count + port->made - port->answered;
    pthread_mutex_unlock(&port->lock);
    return left;
}

static void make_report(uint8_t *mad, uint64_t guid, uint32_t number)
{
    const struct notice notice = {.generic = true,
                                  .type = 4,
                                  .producer = NOTICE_PRODUCER_CA,
                                  .trap = NOTICE_SYSTEM_IMAGE_GUID,
                                  .issuer_lid = NODE_LID,
                                  .lid = NODE_LID,
                                  .system_image_guid = guid};
    memset(mad, 0, MAD_SIZE);
    mad[0] = 1;
    mad[1] = MAD_CLASS_SA;
    mad[2] = 2;
    mad[METHOD] = MAD_METHOD_REPORT;
    wire_put(mad + TID, 4, OWN_TIDS);
    wire_put(mad + TID + 4, 4, number);
    mad[ATTRIBUTE + 1] = 2; // Notice
    notice_encode(&notice, mad + (mad_notice(mad) - mad));
}

static int port_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    struct report_port *port = self;
    bool taken = false;
    pthread_mutex_lock(&port->lock);
    if (port->count > 0) {
        make_report(port->current, port->waiting[port->first], port->made++);
        port->first = (port->first + 1) % WAITING_MAX;
        port->count--;
        taken = true;
    }
    pthread_mutex_unlock(&port->lock);
    if (!taken)
        return port->io.receive(port->io.self, out, timeout_ms, err);
    *out = (struct mad_received){{.lid = SM_LID, .qpn = 1}, port->current, MAD_SIZE};
    return 1;
}

static bool port_send(void *self, enum mad_agent agent, const struct mad_address *to,
                      const uint8_t *mad, int response_timeout_ms, struct error *err)
{
    struct report_port *port = self;
    if (mad[METHOD] != (MAD_METHOD_REPORT | MAD_METHOD_RESPONSE) ||
        wire_get32(mad + TID) != OWN_TIDS)
        return port->io.send(port->io.self, agent, to, mad, response_timeout_ms, err);
    pthread_mutex_lock(&port->lock);
    port->answered++;
    pthread_mutex_unlock(&port->lock);
    return true;
}

static void port_close(void *self)
{
    const struct report_port *port = self;
    port->io.close(port->io.self);
}

static bool port_open(void *ctx, struct mad_io *io, struct mad_port_id *id, struct error *err)
{
    struct report_port *port = ctx;
    if (!port->opener.open(port->opener.ctx, &port->io, id, err))
        return false;
    *io = (struct mad_io){
        .receive = port_receive, .send = port_send, .close = port_close, .self = port};
    return true;
}

static bool another_is_better(void *ctx, const struct mad_port_id *id)
{
    (void)ctx, (void)id;
    return false;
}

struct mad_opener report_port_opener(struct report_port *port)
{
    return (struct mad_opener){port_open, another_is_better, port};
}
