// SPDX-License-Identifier: BSD-2-Clause
#include "sink/snmp.h"

#include "base/memory.h"
#include "base/text.h"
#include "sink/snmp_engine.h"
#include "sink/snmp_link.h"
#include "sink/snmp_pdu.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 100, PROOF_MS = 50 };

// The longest DTLS session for traps. A receiver that was restarted has lost the session, and the
// sender of traps does not learn of that.
static const int64_t DTLS_TRAPS_US = 60 * CLOCK_US_PER_S;

// The mark of a ticket counts the informs without an answer. SENT_AGAIN is added after the first
// repeat of an inform.
enum { SENT_AGAIN = 1 << 8 };

struct snmp_sink {
    struct snmp_target target; // without passwords
    struct snmp_keys keys;
    struct snmp_link link;
    int64_t opened_at; // on the clock of the target
    struct tickets *tickets;
    unsigned sending_again; // events with SENT_AGAIN
    bool proven; // since the opening: it has answered an inform, or no error followed a trap
};

void snmp_begin(const char *state_directory, const struct random *random, struct log *log)
{
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE, 1);
    setenv("MIBS", "", 1);
    snmp_disable_stderrlog();
    init_snmp("ibtrapd");
    struct error err;
    snmp_tsm_begin();
    if (!snmp_engine_start(state_directory, random, &err))
        log_write(log, LOG_LEVEL_WARNING, "%s", err.text);
}

void snmp_end(void)
{
    snmp_shutdown("ibtrapd");
}

void snmp_engine_text(char out[SNMP_ENGINE_TEXT_SIZE])
{
    uint8_t id[SNMP_ENGINE_ID_MAX];
    struct text t = text_in(out, SNMP_ENGINE_TEXT_SIZE);
    text_add_hex(&t, id, snmp_engine_id(id));
}

// Opening.

static void snmp_sink_find_agent_address(struct snmp_sink *s)
{
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
        if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET || (a->ifa_flags & IFF_LOOPBACK) ||
            !(a->ifa_flags & IFF_UP))
            continue;
        memcpy(s->target.agent_address, &((const struct sockaddr_in *)a->ifa_addr)->sin_addr,
               sizeof s->target.agent_address);
        break;
    }
    freeifaddrs(all);
}

static bool snmp_sink_open_session(void *self, struct tickets *tickets, struct error *err)
{
    struct snmp_sink *s = self;
    s->tickets = tickets;
    if (s->target.inform)
        tickets->order_key = tickets_alarm_key;
    s->sending_again = 0;
    s->proven = false;
    s->opened_at = clock_monotonic(s->target.clock);
    if (!s->target.has_agent_address)
        snmp_sink_find_agent_address(s);
    return snmp_link_open(&s->link, &s->target, &s->keys, s, err);
}

static void snmp_sink_close_session(void *self)
{
    struct snmp_sink *s = self;
    snmp_link_close(&s->link);
}

// Informs.

static void snmp_sink_count_answer(struct snmp_sink *s, uint64_t ticket)
{
    uint64_t *mark = &tickets_at(s->tickets, ticket)->mark;
    s->proven = true;
    if ((--*mark & ~(uint64_t)SENT_AGAIN) != 0)
        return;
    s->sending_again -= *mark == SENT_AGAIN;
    tickets_settle(s->tickets, ticket, TICKET_DONE);
}

static void snmp_sink_note_repeat(struct snmp_sink *s, uint64_t ticket)
{
    uint64_t *mark = &tickets_at(s->tickets, ticket)->mark;
    s->sending_again += (*mark & SENT_AGAIN) == 0;
    *mark |= SENT_AGAIN;
}

// `magic` is the number of the ticket.
static int snmp_sink_read_answer(int operation, netsnmp_session *session, int id, netsnmp_pdu *pdu,
                                 void *magic)
{
    (void)id;
    struct snmp_sink *s = session->callback_magic;
    const uint64_t ticket = (uintptr_t)magic;
    if (operation == NETSNMP_CALLBACK_OP_RESEND)
        snmp_sink_note_repeat(s, ticket);
    // A Report is about the configuration, not about the event.
    if (operation == NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE && pdu->command == SNMP_MSG_RESPONSE &&
        pdu->errstat != SNMP_ERR_NOERROR)
        tickets_settle(s->tickets, ticket, TICKET_REFUSED);
    if (snmp_link_check_response(&s->link, operation, pdu))
        snmp_sink_count_answer(s, ticket);
    return 1;
}

// Returns whether all events wait, so that a receiver that comes back gets the events in order, and
// a dead receiver is not flooded: until the first event after an opening is answered, while an
// inform is sent again, and once an inform has failed.
static bool snmp_sink_holds(const struct snmp_sink *s)
{
    return s->tickets->in_flight > 1 &&
           (!s->proven || s->link.problem[0] != '\0' || s->sending_again > 0);
}

static bool snmp_sink_wait_for_answers(void *self, int timeout_ms, struct error *err)
{
    struct snmp_sink *s = self;
    int64_t now = clock_now(), until = now + timeout_ms * CLOCK_US_PER_MS;
    bool ok = true;
    do {
        const int64_t left_ms = (until - now + CLOCK_US_PER_MS - 1) / CLOCK_US_PER_MS;
        ok = snmp_link_serve(&s->link, left_ms < TICK_MS ? (int)left_ms : TICK_MS, err);
        now = clock_now();
    } while (ok && s->tickets->done == 0 && s->tickets->in_flight > 0 && now < until);
    return ok;
}

// Sending.

static struct snmp_pdu_options snmp_sink_pdu_options(const struct snmp_sink *s)
{
    const struct snmp_target *t = &s->target;
    int64_t up_us = clock_monotonic(t->clock) - t->started_at;
    return (struct snmp_pdu_options){
        .uptime_cs = (uint32_t)(up_us / (CLOCK_US_PER_S / 100)),
        .extra = t->extra,
        .trap_address = t->has_trap_address ? t->agent_address : NULL,
        .agent_address = t->agent_address,
    };
}

// Under the lock.
static netsnmp_pdu *snmp_sink_make_pdu(const struct snmp_sink *s, const struct event *event,
                                       const struct mib_notification *notification,
                                       const struct snmp_pdu_options *options)
{
    if (s->target.version == SNMP_V1)
        return snmp_pdu_make_v1(event, notification, options);
    return snmp_pdu_make(s->target.inform ? SNMP_MSG_INFORM : SNMP_MSG_TRAP2, event, notification,
                         options);
}

static bool snmp_sink_queue_pdu(struct snmp_sink *s, const struct event *event,
                                const struct mib_notification *notification,
                                const struct snmp_pdu_options *options, struct error *err)
{
    const bool inform = s->target.inform;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no address
    void *magic = inform ? (void *)(uintptr_t)s->tickets->newest : NULL;
    snmp_lock();
    netsnmp_pdu *pdu = snmp_sink_make_pdu(s, event, notification, options);
    bool ok = snmp_link_queue(&s->link, pdu, inform ? snmp_sink_read_answer : NULL, magic, err);
    snmp_unlock();
    return ok;
}

// What confirms nothing is encoded once for all receivers, unless it is an SNMPv1 trap.
static bool snmp_sink_queue_nth(struct snmp_sink *s, const struct event *event, size_t nth,
                                const struct mib_notification *notification, struct error *err)
{
    const struct snmp_pdu_options options = snmp_sink_pdu_options(s);
    const bool is_trap = !s->target.inform && s->target.version != SNMP_V1;
    return (is_trap && snmp_trap_queue(&s->link, event, nth, notification, &options)) ||
           snmp_sink_queue_pdu(s, event, notification, &options, err);
}

static bool snmp_sink_send_all(struct snmp_sink *s, const struct event *event,
                               const struct mib_notification *const *notifications, size_t n,
                               struct error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = snmp_sink_queue_nth(s, event, i, notifications[i], err);
    return ok && snmp_link_flush(&s->link, err);
}

// After the first event since the opening, waits for an error of the kernel: no program listens,
// and a trap would be lost. The answer proves an inform. Only an inform to a name with several
// addresses waits for the error.
static bool snmp_sink_prove(struct snmp_sink *s, struct error *err)
{
    const struct snmp_target *t = &s->target;
    bool answered = t->inform && (t->transport != TRANSPORT_UDP || s->link.wire.count == 1);
    bool sound = s->proven || answered || snmp_wire_settle(&s->link.wire, PROOF_MS, err);
    s->proven = sound && (s->proven || !t->inform);
    return sound;
}

// Sends, at first to the address of the name where somebody is.
static bool snmp_sink_send_somewhere(struct snmp_sink *s, const struct event *event,
                                     const struct mib_notification *const *notifications, size_t n,
                                     struct error *err)
{
    const int64_t until = s->proven ? 0 : snmp_link_deadline();
    while (!snmp_sink_send_all(s, event, notifications, n, err) || !snmp_sink_prove(s, err)) {
        if (s->proven || !snmp_link_open_next(&s->link, until, err))
            return false;
    }
    return true;
}

static bool snmp_sink_renew(struct snmp_sink *s, struct error *err)
{
    bool may_be_lost = s->target.transport == TRANSPORT_DTLS && !s->target.inform;
    if (!may_be_lost || clock_monotonic(s->target.clock) - s->opened_at < DTLS_TRAPS_US)
        return true;
    snmp_sink_close_session(s);
    return snmp_sink_open_session(s, s->tickets, err);
}

static enum sink_result snmp_sink_send_event(void *self, const struct event *event,
                                             struct error *err)
{
    struct snmp_sink *s = self;
    const struct mib_notification *notifications[SNMP_PDU_NOTIFICATIONS_MAX];
    size_t n = snmp_pdu_notifications(event, s->target.sets, s->target.extra, notifications);
    if (n == 0)
        return SINK_SKIPPED;
    if (!s->target.inform)
        return snmp_sink_renew(s, err) && snmp_sink_send_somewhere(s, event, notifications, n, err)
                   ? SINK_DONE
                   : SINK_FAILED;
    if (snmp_sink_holds(s))
        return SINK_BLOCKED;
    tickets_at(s->tickets, s->tickets->newest)->mark = n;
    return snmp_sink_send_somewhere(s, event, notifications, n, err) ? SINK_PENDING : SINK_FAILED;
}

// Construction.

// Copies the target, without passwords.
static void snmp_sink_copy_target(struct snmp_sink *s, const struct snmp_target *t)
{
    struct snmp_target *own = &s->target;
    *own = *t;
    own->user.auth_password = own->user.priv_password = NULL;
    if (t->tls.name[0] == '\0')
        own->tls.name = t->host;
}

static void snmp_sink_free(void *self)
{
    struct snmp_sink *s = self;
    snmp_keys_wipe(&s->keys);
    free(s);
}

static void snmp_sink_describe_address(const struct snmp_target *t, char *out, size_t size)
{
    static const char *const WORDS[] = {[TRANSPORT_UDP] = "",
                                        [TRANSPORT_TCP] = "tcp ",
                                        [TRANSPORT_TLS] = "tls ",
                                        [TRANSPORT_DTLS] = "dtls "};
    snprintf(out, size, "%s%s port %u", WORDS[t->transport], t->host, t->port);
}

bool snmp_sink(struct sink *out, const char *name, const struct snmp_target *target,
               struct error *err)
{
    struct snmp_sink *s = memory_zeroed(1, sizeof *s);
    snmp_sink_copy_target(s, target);
    if (snmp_target_has_user(target) && !snmp_keys_make(&s->keys, &target->user, err)) {
        snmp_sink_free(s);
        return false;
    }
    *out = (struct sink){.open = snmp_sink_open_session,
                         .send = snmp_sink_send_event,
                         .wait = target->inform ? snmp_sink_wait_for_answers : NULL,
                         .close = snmp_sink_close_session,
                         .free = snmp_sink_free,
                         .self = s,
                         .in_flight_max = target->inform ? target->in_flight_max : 0,
                         .kind = "snmp"};
    snprintf(out->name, sizeof out->name, "%s", name);
    snmp_sink_describe_address(target, out->address, sizeof out->address);
    return true;
}
