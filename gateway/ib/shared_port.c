// SPDX-License-Identifier: BSD-2-Clause
#include "ib/shared_port.h"

#include "base/memory.h"
#include "base/text.h"
#include "ib/mad.h"
#include "ib/node_mad.h"
#include "ib/register_mad.h"

#include <infiniband/mad.h>
#include <infiniband/umad_sa.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512, HALF = SHARED_PORT_SENT_MAX / 2 };
enum { HOP_COUNT_OFFSET = 7, INITIAL_PATH_OFFSET = 128 }; // IBA 14.2.1.2

// Methods have class 0. SMPs by directed route have the attributes of SMPs by LID.
static const struct {
    uint8_t mgmt_class;
    uint16_t number;
    const char *text;
} NAMES[] = {
    {0, IB_MAD_METHOD_GET, "Get"},
    {0, IB_MAD_METHOD_SET, "Set"},
    {0, IB_MAD_METHOD_GET_RESPONSE, "GetResp"},
    {0, MAD_METHOD_REPORT, "Report"},
    {0, MAD_METHOD_REPORT | MAD_METHOD_RESPONSE, "ReportResp"},
    {0, UMAD_SA_METHOD_GET_TABLE, "GetTable"},
    {0, UMAD_SA_METHOD_GET_TABLE | MAD_METHOD_RESPONSE, "GetTableResp"},
    {MAD_CLASS_SA, UMAD_ATTR_NOTICE, "Notice"},
    {MAD_CLASS_SA, UMAD_ATTR_INFORM_INFO, "InformInfo"},
    {MAD_CLASS_SA, UMAD_SA_ATTR_NODE_REC, "NodeRecord"},
    {MAD_CLASS_SA, UMAD_SA_ATTR_PORT_INFO_REC, "PortInfoRecord"},
    {MAD_CLASS_SA, UMAD_SA_ATTR_LINK_REC, "LinkRecord"},
    {MAD_CLASS_SA, UMAD_SA_ATTR_INFORM_INFO_REC, "InformInfoRecord"},
    {MAD_CLASS_SMP_LID, SMP_NODE_DESCRIPTION, "NodeDescription"},
    {MAD_CLASS_SMP_LID, SMP_NODE_INFO, "NodeInfo"},
    {MAD_CLASS_SMP_LID, SMP_PORT_INFO, "PortInfo"},
    {MAD_CLASS_SMP_LID, SMP_SM_INFO, "SMInfo"},
    {MAD_CLASS_PERF, GMP_CLASS_PORT_INFO, "ClassPortInfo"},
    {MAD_CLASS_PERF, GMP_PORT_COUNTERS, "PortCounters"},
    {MAD_CLASS_PERF, GMP_PORT_COUNTERS_EXTENDED, "PortCountersExtended"},
    {MAD_CLASS_DM, GMP_CLASS_PORT_INFO, "ClassPortInfo"},
    {MAD_CLASS_DM, GMP_IO_UNIT_INFO, "IOUnitInfo"},
    {MAD_CLASS_DM, GMP_IO_CONTROLLER_PROFILE, "IOControllerProfile"},
    {MAD_CLASS_VENDOR, REGISTER_MAD_GENERAL_INFO, "GeneralInfo"},
    {MAD_CLASS_VENDOR, REGISTER_MAD_ACCESS, "AccessRegister"},
};

static void shared_port_add_name(struct text *t, uint8_t mgmt_class, uint16_t number)
{
    const uint8_t as = mgmt_class == MAD_CLASS_SMP_DIRECT ? MAD_CLASS_SMP_LID : mgmt_class;
    bool known = false;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        known |= NAMES[i].mgmt_class == as;
        if (NAMES[i].mgmt_class == as && NAMES[i].number == number) {
            text_add(t, NAMES[i].text);
            return;
        }
    }
    if (!known)
        text_addf(t, "class 0x%02x, attribute ", mgmt_class);
    text_addf(t, "0x%04x", (unsigned)number);
}

// Adds "LID 5", or the ports of a directed route from the own node on.
static void shared_port_add_place(struct text *t, const struct mad_header *h, const uint8_t *mad,
                                  size_t size, uint16_t lid)
{
    if (h->mgmt_class != MAD_CLASS_SMP_DIRECT || size < MAD_SIZE) {
        text_addf(t, "LID %u", lid);
        return;
    }
    unsigned hops = mad[HOP_COUNT_OFFSET];
    text_add(t, hops == 0 ? "the own port" : "route ");
    for (unsigned i = 1; i <= hops && i <= SMP_HOPS_MAX; i++)
        text_addf(t, "%s%u", i > 1 ? "," : "", mad[INITIAL_PATH_OFFSET + i]);
}

// Adds "Get(NodeInfo), TransactionID 0x80001200".
static void shared_port_add_mad(struct text *t, const struct mad_header *h, const uint8_t *mad,
                                size_t size)
{
    struct error err;
    struct mad_header report = *h;
    shared_port_add_name(t, 0, h->method);
    text_add(t, "(");
    shared_port_add_name(t, h->mgmt_class, h->attribute);
    if (h->modifier != 0)
        text_addf(t, " %" PRIu32, h->modifier);
    text_addf(t, "), TransactionID 0x%08" PRIx32, (uint32_t)h->tid);
    report.method &= (uint8_t)~MAD_METHOD_RESPONSE;
    if (report.method != MAD_METHOD_REPORT)
        return;
    uint8_t copy[MAD_SIZE] = {0};
    memcpy(copy, mad, size < MAD_SIZE ? size : MAD_SIZE);
    copy[3] = report.method;
    if (!mad_check_report(copy, size, &err))
        text_addf(t, ", malformed: %s", err.text);
    else if (mad_reported_trap(copy) == MAD_TRAP_VENDOR)
        text_add(t, ", a vendor's trap");
    else
        text_addf(t, ", trap %" PRIu32, mad_reported_trap(copy));
}

// The upper half is for batches, with one place for each slot: the lowest bits of a batch's
// TransactionID are the slot's number.
static size_t shared_port_place_of(uint32_t tid)
{
    return ((tid & MAD_TID_SWEEPER) ? HALF : 0) + tid % HALF;
}

static void shared_port_note_sent(struct shared_port *port, uint32_t tid)
{
    atomic_store(&port->sent[shared_port_place_of(tid)].at, clock_monotonic(port->clock));
    atomic_store(&port->sent[shared_port_place_of(tid)].tid, tid);
}

static void shared_port_add_duration(struct text *t, struct shared_port *port, uint32_t tid)
{
    int64_t at = atomic_load(&port->sent[shared_port_place_of(tid)].at);
    if (at != 0 && atomic_load(&port->sent[shared_port_place_of(tid)].tid) == tid)
        text_addf(t, ", after %lld us", (long long)(clock_monotonic(port->clock) - at));
}

// `error`: why the MAD was not sent; NULL: it was sent.
static void shared_port_log_sent(struct shared_port *port, const struct mad_address *to,
                                 const uint8_t *mad, const char *error)
{
    struct mad_header h;
    char line[LINE_SIZE];
    if (!log_is_debug(port->log) || !mad_read_header(mad, MAD_SIZE, &h))
        return;
    struct text t = text_in(line, sizeof line);
    text_add(&t, "to ");
    shared_port_add_place(&t, &h, mad, MAD_SIZE, to->lid);
    text_add(&t, ": ");
    shared_port_add_mad(&t, &h, mad, MAD_SIZE);
    if (error)
        text_addf(&t, ", not sent: %s", error);
    shared_port_note_sent(port, (uint32_t)h.tid);
    log_debug(port->log, "%s", line);
}

static void shared_port_log_received(struct shared_port *port, const struct mad_received *in)
{
    struct mad_header h;
    char line[LINE_SIZE];
    if (!log_is_debug(port->log))
        return;
    if (!mad_read_header(in->octets, in->size, &h)) {
        log_debug(port->log, "from LID %u: %zu octets without a header", in->from.lid, in->size);
        return;
    }
    struct text t = text_in(line, sizeof line);
    text_add(&t, "from ");
    shared_port_add_place(&t, &h, in->octets, in->size, in->from.lid);
    text_add(&t, ": ");
    shared_port_add_mad(&t, &h, in->octets, in->size);
    if (h.method & MAD_METHOD_RESPONSE) {
        uint16_t status = mad_status(&h);
        text_addf(&t, ", %s (0x%04x), %zu octets", mad_status_words(status), (unsigned)status,
                  in->size);
        shared_port_add_duration(&t, port, (uint32_t)h.tid);
    }
    log_debug(port->log, "%s", line);
}

// The port.

// The `self` of a MAD client's mad_io. Its address differs from the attached one's after a
// dismissal.
struct mad_client {
    struct shared_port *port;
    enum mad_user user;
};

static bool shared_port_client_is_attached(const struct mad_client *client)
{
    return client->port->places[client->user].attached == client;
}

void shared_port_init(struct shared_port *port, struct log *log, const struct clock *clock)
{
    *port = (struct shared_port){.log = log, .clock = clock};
    pthread_mutex_init(&port->lock, NULL);
    pthread_mutex_init(&port->listener_lock, NULL);
}

void shared_port_destroy(struct shared_port *port)
{
    pthread_mutex_destroy(&port->lock);
    pthread_mutex_destroy(&port->listener_lock);
}

// For the SA client.

void shared_port_open(struct shared_port *port, const struct mad_io *io)
{
    pthread_mutex_lock(&port->lock);
    port->io = *io;
    port->admits = true;
    pthread_mutex_unlock(&port->lock);
}

// Needs no lock, since no other thread changes `io`.
bool shared_port_is_open(const struct shared_port *port)
{
    return port->io.self != NULL;
}

int shared_port_receive(struct shared_port *port, struct mad_received *out, int timeout_ms,
                        struct error *err)
{
    int rc = port->io.receive(port->io.self, out, timeout_ms, err);
    if (rc > 0)
        shared_port_log_received(port, out);
    return rc;
}

const char *shared_port_smp_refusal(struct shared_port *port, uint64_t mkey)
{
    pthread_mutex_lock(&port->lock);
    const char *why =
        port->io.self && port->io.smp_refusal ? port->io.smp_refusal(port->io.self, mkey) : NULL;
    pthread_mutex_unlock(&port->lock);
    return why;
}

bool shared_port_read_port(struct shared_port *port, struct mad_port *out, struct error *err)
{
    return port->io.read_port ? port->io.read_port(port->io.self, out, err)
                              : error_set(err, "the port cannot be read");
}

const char *shared_port_refresh(struct shared_port *port)
{
    return port->io.refresh ? port->io.refresh(port->io.self) : NULL;
}

// Whether only MAD clients send requests in this class.
static bool shared_port_is_asked_only(uint8_t mgmt_class)
{
    return mgmt_class == MAD_CLASS_SMP_LID || mgmt_class == MAD_CLASS_PERF ||
           mgmt_class == MAD_CLASS_DM || mgmt_class == MAD_CLASS_VENDOR;
}

bool shared_port_route(struct shared_port *port, const struct mad_header *header,
                       const struct mad_received *in)
{
    if (!(header->method & MAD_METHOD_RESPONSE))
        return shared_port_is_asked_only(header->mgmt_class);
    const enum mad_user user = mad_user_of((uint32_t)header->tid);
    if (user == MAD_USER_COUNT)
        return false;
    pthread_mutex_lock(&port->listener_lock);
    const struct mad_listener *listener = &port->places[user].listener;
    if (listener->take)
        listener->take(listener->ctx, in);
    pthread_mutex_unlock(&port->listener_lock);
    return true;
}

void shared_port_dismiss(struct shared_port *port, const char *reason)
{
    pthread_mutex_lock(&port->listener_lock);
    for (size_t i = 0; i < MAD_USER_COUNT; i++) {
        const struct mad_listener listener = port->places[i].listener;
        if (listener.lost)
            listener.lost(listener.ctx, reason);
    }
    pthread_mutex_lock(&port->lock);
    memset(port->places, 0, sizeof port->places);
    port->admits = false;
    pthread_mutex_unlock(&port->lock);
    pthread_mutex_unlock(&port->listener_lock);
}

void shared_port_close(struct shared_port *port)
{
    if (!shared_port_is_open(port))
        return;
    shared_port_dismiss(port, "the port was closed");
    pthread_mutex_lock(&port->lock);
    struct mad_io io = port->io;
    port->io.self = NULL;
    pthread_mutex_unlock(&port->lock);
    io.close(io.self);
}

void shared_port_set_sa_key(struct shared_port *port, uint16_t lid, uint64_t sa_key)
{
    pthread_mutex_lock(&port->lock);
    port->key_lid = lid;
    port->sa_key = sa_key;
    pthread_mutex_unlock(&port->lock);
}

// Sends, and writes the debug log. Call it with the lock. `is_open`: the sender may use the port.
static bool shared_port_transmit(struct shared_port *port, bool is_open, enum mad_agent agent,
                                 const struct mad_address *to, const uint8_t *octets,
                                 int response_timeout_ms, struct error *err)
{
    uint8_t mad[MAD_SIZE];
    struct mad_header h;
    memcpy(mad, octets, sizeof mad);
    if (agent == MAD_AGENT_SA && port->sa_key != 0 && to->lid == port->key_lid && !to->keyless &&
        mad_read_header(mad, sizeof mad, &h) && !(h.method & MAD_METHOD_RESPONSE))
        mad_add_sa_key(mad, port->sa_key);
    const bool sent = is_open
                          ? port->io.send(port->io.self, agent, to, mad, response_timeout_ms, err)
                          : error_set(err, "the port was closed");
    shared_port_log_sent(port, to, octets, sent ? NULL : err->text);
    return sent;
}

bool shared_port_send(struct shared_port *port, const struct mad_address *to, const uint8_t *octets,
                      int response_timeout_ms)
{
    struct error err;
    // The agent of Reports answers malformed MADs, too, whatever their class is.
    const enum mad_agent agent =
        response_timeout_ms == 0 ? MAD_AGENT_SA : mad_agent_of(mad_class(octets));
    pthread_mutex_lock(&port->lock);
    const bool open = port->io.self != NULL;
    const bool sent =
        open && shared_port_transmit(port, true, agent, to, octets, response_timeout_ms, &err);
    if (open && !sent)
        log_write_limited(port->log, &port->send_limit, LOG_LEVEL_WARNING, "%s", err.text);
    pthread_mutex_unlock(&port->lock);
    return sent;
}

// For the MAD clients.

static bool shared_port_client_listen(void *self, const struct mad_listener *listener,
                                      struct error *err)
{
    const struct mad_client *client = self;
    struct shared_port *port = client->port;
    pthread_mutex_lock(&port->listener_lock);
    bool ok = shared_port_client_is_attached(client) || error_set(err, "the port was closed");
    if (ok)
        port->places[client->user].listener = listener ? *listener : (struct mad_listener){0};
    pthread_mutex_unlock(&port->listener_lock);
    return ok;
}

static bool shared_port_client_send(void *self, enum mad_agent agent, const struct mad_address *to,
                                    const uint8_t *octets, int response_timeout_ms,
                                    struct error *err)
{
    const struct mad_client *client = self;
    struct shared_port *port = client->port;
    pthread_mutex_lock(&port->lock);
    const bool open = shared_port_client_is_attached(client) && port->io.self;
    const bool sent = shared_port_transmit(port, open, agent, to, octets, response_timeout_ms, err);
    pthread_mutex_unlock(&port->lock);
    return sent;
}

// Detaches, unless the client was dismissed before; another one may be attached now.
static void shared_port_client_close(void *self)
{
    struct mad_client *client = self;
    struct shared_port *port = client->port;
    pthread_mutex_lock(&port->listener_lock);
    if (shared_port_client_is_attached(client)) {
        pthread_mutex_lock(&port->lock);
        port->places[client->user] = (struct shared_port_place){0};
        pthread_mutex_unlock(&port->lock);
    }
    pthread_mutex_unlock(&port->listener_lock);
    free(client);
}

bool shared_port_attach(struct shared_port *port, enum mad_user user, struct mad_io *out,
                        struct error *err)
{
    struct mad_client *client = memory_get(sizeof *client);
    *client = (struct mad_client){port, user};
    pthread_mutex_lock(&port->listener_lock);
    pthread_mutex_lock(&port->lock);
    struct shared_port_place *place = &port->places[user];
    const bool ok = port->admits && !place->attached;
    if (ok)
        place->attached = client;
    else
        error_set(err, port->admits ? "the port has such a user already" : "no port is open");
    pthread_mutex_unlock(&port->lock);
    pthread_mutex_unlock(&port->listener_lock);
    if (!ok) {
        free(client);
        return false;
    }
    *out = (struct mad_io){.listen = shared_port_client_listen,
                           .send = shared_port_client_send,
                           .close = shared_port_client_close,
                           .self = client};
    return true;
}
