// SPDX-License-Identifier: BSD-2-Clause
#include "sink/agentx.h"

#include "agentx/client.h"
#include "base/memory.h"
#include "model/mib.h"
#include "sink/snmp_pdu.h"

#include <stdlib.h>
#include <string.h>

enum {
    IN_FLIGHT_MAX = AGENTX_IN_FLIGHT_MAX / SNMP_PDU_NOTIFICATIONS_MAX,
    VARBINDS_MAX = 1 + 2 * MIB_OBJECTS_MAX, // snmpTrapOID.0, its objects, those of MIB_EXTRA
};
static const int64_t OPEN_US = 4500 * CLOCK_US_PER_MS;

struct agentx_sink {
    const struct conf_agentx *conf;
    const struct random *random;
    struct agentx_client *client; // NULL: none

    struct tickets *tickets; // the mark of a ticket counts the notifications without an answer
    unsigned refused;        // the master's first error answer; AGENTX_NO_ERROR: none

    struct agentx_varbind varbinds[VARBINDS_MAX]; // of the notification under construction
    size_t varbind_count;
};

// Notifications.

// Whether the error is about the notification, not about the session or the configuration.
static bool agentx_sink_is_refusal(unsigned error)
{
    return error != AGENTX_NO_ERROR && error != AGENTX_NOT_OPEN &&
           error != AGENTX_UNSUPPORTED_CONTEXT;
}

// Reads one answer. Answers come in order, so the answer belongs to the oldest ticket in flight.
// After an error, the session is over, and further answers count for nothing.
static void agentx_sink_read_answer(void *ctx, unsigned error)
{
    struct agentx_sink *s = ctx;
    const uint64_t ticket = tickets_behind(s->tickets, 0);
    if (ticket == 0 || s->refused != AGENTX_NO_ERROR)
        return;
    s->refused = error;
    if (agentx_sink_is_refusal(error))
        tickets_settle(s->tickets, ticket, TICKET_REFUSED);
    else if (error == AGENTX_NO_ERROR && --tickets_at(s->tickets, ticket)->mark == 0)
        tickets_settle(s->tickets, ticket, TICKET_DONE);
}

static struct agentx_varbind *agentx_sink_next_varbind(struct agentx_sink *s, const uint32_t *ids,
                                                       size_t length)
{
    struct agentx_varbind *v = &s->varbinds[s->varbind_count++];
    v->name.length = (uint8_t)length;
    memcpy(v->name.ids, ids, length * sizeof *ids);
    return v;
}

static void agentx_sink_add_trap_oid(struct agentx_sink *s, const struct mib_oid *oid)
{
    static const uint32_t TRAP_OID[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};
    struct agentx_value *value =
        &agentx_sink_next_varbind(s, TRAP_OID, sizeof TRAP_OID / sizeof *TRAP_OID)->value;
    value->type = AGENTX_OID;
    value->oid.length = oid->length;
    memcpy(value->oid.ids, oid->ids, oid->length * sizeof *oid->ids);
}

static bool agentx_sink_add_object(void *ctx, const struct mib_varbind *from)
{
    struct agentx_value *value = &agentx_sink_next_varbind(ctx, from->oid, from->oid_length)->value;
    switch (from->syntax) {
    case MIB_INTEGER32:
        value->type = AGENTX_INTEGER;
        value->number = (int32_t)from->number;
        break;
    case MIB_UNSIGNED32:
        value->type = AGENTX_GAUGE32;
        value->number = from->number;
        break;
    default:
        value->type = AGENTX_OCTETS;
        agentx_value_set_octets(value, from->octets, from->size);
        break;
    }
    return true;
}

static bool agentx_sink_notify(struct agentx_sink *s, const struct event *event,
                               const struct mib_notification *notification, struct error *err)
{
    s->varbind_count = 0;
    agentx_sink_add_trap_oid(s, &notification->oid);
    snmp_pdu_each_varbind(event, notification, s->conf->extra_varbinds, agentx_sink_add_object, s);
    return agentx_client_notify(s->client, s->conf->context, s->varbinds, s->varbind_count, err);
}

// The session.

// Waits until the client has work, but not beyond `until`, and lets it do the work.
static void agentx_sink_serve(struct agentx_sink *s, int64_t until)
{
    struct pollfd p;
    int64_t next = agentx_client_poll(s->client, &p),
            left = (next < until ? next : until) - clock_now();
    int timeout_ms = left > 0 ? (int)((left + CLOCK_US_PER_MS - 1) / CLOCK_US_PER_MS) : 0;
    poll(&p, 1, timeout_ms);
    agentx_client_run(s->client, p.revents);
}

static bool agentx_sink_check(const struct agentx_sink *s, struct error *err)
{
    if (agentx_client_state(s->client) != AGENTX_UP)
        return error_set(err, "%s", agentx_client_problem(s->client));
    return s->refused == AGENTX_NO_ERROR ||
           error_set(err, "master agent at %s: it refuses a notification: %s", s->conf->socket,
                     agentx_error_word(s->refused));
}

static void agentx_sink_close_session(void *self)
{
    struct agentx_sink *s = self;
    agentx_client_free(s->client);
    s->client = NULL;
}

static bool agentx_sink_open_session(void *self, struct tickets *tickets, struct error *err)
{
    struct agentx_sink *s = self;
    const struct agentx_options options = {
        .master = s->conf->socket,
        .description = "ibtrapd's notifications",
        .handler = {.notified = agentx_sink_read_answer, .ctx = s},
        .clock = &clock_system,
        .random = s->random};
    s->tickets = tickets;
    s->refused = AGENTX_NO_ERROR;
    s->client = agentx_client_new(&options, err);
    if (!s->client)
        return false;
    int64_t until = clock_now() + OPEN_US;
    agentx_client_run(s->client, 0);
    while (agentx_client_state(s->client) == AGENTX_OPENING && clock_now() < until)
        agentx_sink_serve(s, until);
    if (agentx_sink_check(s, err))
        return true;
    if (agentx_client_state(s->client) == AGENTX_OPENING)
        error_set(err, "master agent at %s: it does not answer", s->conf->socket);
    agentx_sink_close_session(s);
    return false;
}

// Opens another session if the master has ended this one, as by a restart, and no other event is in
// flight.
static bool agentx_sink_renew(struct agentx_sink *s, struct error *err)
{
    if (s->tickets->in_flight > 1)
        return true;
    agentx_sink_serve(s, 0);
    if (agentx_sink_check(s, err))
        return true;
    agentx_sink_close_session(s);
    return agentx_sink_open_session(s, s->tickets, err);
}

static enum sink_result agentx_sink_send_event(void *self, const struct event *event,
                                               struct error *err)
{
    struct agentx_sink *s = self;
    const struct mib_notification *notifications[SNMP_PDU_NOTIFICATIONS_MAX];
    size_t n = snmp_pdu_notifications(event, s->conf->sets, s->conf->extra_varbinds, notifications);
    if (n == 0)
        return SINK_SKIPPED;
    if (!agentx_sink_renew(s, err))
        return SINK_FAILED;
    tickets_at(s->tickets, s->tickets->newest)->mark = n;
    for (size_t i = 0; i < n; i++) {
        if (!agentx_sink_notify(s, event, notifications[i], err))
            return SINK_FAILED;
    }
    agentx_sink_serve(s, 0);
    return agentx_sink_check(s, err) ? SINK_PENDING : SINK_FAILED;
}

static bool agentx_sink_wait_for_answers(void *self, int timeout_ms, struct error *err)
{
    struct agentx_sink *s = self;
    int64_t until = clock_now() + timeout_ms * CLOCK_US_PER_MS;
    bool ok = true;
    do {
        agentx_sink_serve(s, until);
        ok = agentx_sink_check(s, err);
    } while (ok && s->tickets->done == 0 && s->tickets->in_flight > 0 && clock_now() < until);
    return ok;
}

// Construction.

void agentx_sink(struct sink *out, const struct conf_receiver *receiver,
                 const struct random *random)
{
    struct agentx_sink *s = memory_zeroed(1, sizeof *s);
    s->conf = &receiver->agentx;
    s->random = random;
    *out = (struct sink){.open = agentx_sink_open_session,
                         .send = agentx_sink_send_event,
                         .wait = agentx_sink_wait_for_answers,
                         .close = agentx_sink_close_session,
                         .free = free,
                         .self = s,
                         .in_flight_max = IN_FLIGHT_MAX,
                         .kind = "agentx"};
    snprintf(out->name, sizeof out->name, "%s", receiver->name);
    snprintf(out->address, sizeof out->address, "%s", s->conf->socket);
}
