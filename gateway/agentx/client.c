// SPDX-License-Identifier: BSD-2-Clause
#include "agentx/client.h"

#include "agentx/session.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const int64_t RETRY_FIRST_US = CLOCK_US_PER_S, RETRY_LAST_US = 60 * CLOCK_US_PER_S;
static const int64_t STEADY_US = 60 * CLOCK_US_PER_S; // of a session; then the back-off begins anew
static const int64_t ANSWER_US = 20 * CLOCK_US_PER_S; // to answer us, and to connect
static const int64_t UNREAD_US = 30 * CLOCK_US_PER_S; // to read our PDUs
static const int64_t PING_US = 15 * CLOCK_US_PER_S;   // of silence, before a Ping
static const int64_t SET_US = 60 * CLOCK_US_PER_S;    // between the phases of a Set
static const int64_t LATER_US = 3 * CLOCK_US_PER_S;   // a response waits for its values

// Responses in a row to no request of ours; then the client leaves the master.
enum { UNASKED_MAX = 1000 };

// States.

static void client_report_problem(struct agentx_client *c)
{
    if (strcmp(c->reported.text, c->problem.text) == 0)
        return;
    c->reported = c->problem;
    AGENTX_LOG(c, LOG_LEVEL_WARNING, "no session with the %s; trying again", c->problem.text);
}

static void client_drop(struct agentx_client *c, const struct error *why)
{
    int64_t now = agentx_session_now(c);
    agentx_link_close(&c->link);
    agentx_answer_abandon(&c->options.handler, &c->set);
    agentx_later_clear(&c->later);
    if (c->state == AGENTX_UP && now - c->up_since >= STEADY_US)
        c->failures = 0;
    c->failures++;
    c->retry_at = now + backoff_us(c->failures, RETRY_FIRST_US, RETRY_LAST_US, c->options.random);
    c->state = AGENTX_AWAY;
    c->request_count = c->notifications = 0;
    error_set(&c->problem, "master agent at %s: %s", c->options.master, why->text);
    log_debug(c->options.log, "%s; failure %u in a row, tried again in %lld ms", c->problem.text,
              c->failures, (long long)(c->retry_at - now) / CLOCK_US_PER_MS);
    client_report_problem(c);
}

// Enters AGENTX_UP once each region was tried: a region that is refused and not optional ends the
// session.
static void client_check_up(struct agentx_client *c)
{
    if (c->state == AGENTX_UP || c->tried < c->options.region_count || c->registers > 0)
        return;
    c->state = AGENTX_UP;
    c->up_since = agentx_session_now(c);
    c->problem.text[0] = c->reported.text[0] = '\0';
    AGENTX_LOG(c, LOG_LEVEL_INFO, "a session with the master agent at %s is open",
               c->options.master);
}

static void client_start(struct agentx_client *c)
{
    struct error err;
    int64_t now = agentx_session_now(c);
    c->session = c->unasked = 0;
    c->is_open = c->is_full = false;
    c->opened_at = c->heard_at = now;
    if (!agentx_link_open(&c->link, &c->address, now, &err)) {
        client_drop(c, &err);
        return;
    }
    c->state = AGENTX_OPENING;
    memset(c->regions, 0, c->options.region_count * sizeof *c->regions);
    c->tried = c->registers = 0;
    c->regions_retry_at = INT64_MAX;
    if (!c->link.connecting)
        agentx_session_open(c);
}

// PDUs of the master.

static bool client_read_open(struct agentx_client *c, const struct pdu_header *header,
                             unsigned error, struct error *err)
{
    if (error != AGENTX_NO_ERROR)
        return error_set(err, "it refuses a session: %s", agentx_error_word(error));
    c->session = header->session;
    c->is_open = true;
    agentx_session_register(c);
    return true;
}

// The time that a response travels makes the result a little too late, each time by another amount.
// So the first result of a session stays, unless a later result differs by more than a second.
static void client_note_uptime(struct agentx_client *c, uint32_t uptime, bool anew)
{
    enum { US_PER_TICK = 10000 };
    int64_t started_at = agentx_session_now(c) - (int64_t)uptime * US_PER_TICK;
    int64_t difference = started_at - c->master_started_at;
    if (anew || difference > CLOCK_US_PER_S || difference < -CLOCK_US_PER_S)
        c->master_started_at = started_at;
}

static bool client_read_response(struct agentx_client *c, const struct pdu_header *header,
                                 struct pdu_reader *in, struct error *err)
{
    uint32_t uptime;
    uint16_t error;
    bool ok = true;
    if (!pdu_read32(in, &uptime) || !pdu_read16(in, &error))
        return error_set(err, "it sent a malformed response");
    struct request *request = agentx_session_find(c, header->packet);
    if (!request)
        return ++c->unasked <= UNASKED_MAX ||
               error_set(err, "it sends responses that nobody asked for");
    c->unasked = 0;
    client_note_uptime(c, uptime, request->type == PDU_OPEN);
    log_debug(c->options.log, "packet %u, %s: %s, after %lld us", (unsigned)header->packet,
              pdu_type_word(request->type), agentx_error_word(error),
              (long long)(agentx_session_now(c) - request->sent_at));
    request->answered = true;
    request->error = error;
    const uint8_t type = request->type;
    const uint32_t region = request->region;
    agentx_session_pass(c);
    if (type == PDU_OPEN)
        ok = client_read_open(c, header, error, err);
    else if (type == PDU_REGISTER)
        ok = agentx_session_registered(c, region, error, err);
    else if (error == AGENTX_NOT_OPEN)
        ok = error_set(err, "it does not know the session any more");
    if (ok)
        client_check_up(c);
    return ok;
}

static bool client_read_close(struct pdu_reader *in, struct error *err)
{
    static const char *const REASONS[] = {"for an unknown reason",
                                          "without a reason",
                                          "as it could not read what we sent",
                                          "for an error of the protocol",
                                          "as we did not answer in time",
                                          "as it shuts down",
                                          "as its manager wants it"};
    uint8_t reason = in->at < in->end ? in->at[0] : 0;
    bool is_known = reason < sizeof REASONS / sizeof *REASONS;
    return error_set(err, "it closed the session %s", REASONS[is_known ? reason : 0]);
}

static bool client_malformed(struct agentx_client *c, struct error *err)
{
    agentx_session_close(c, PDU_REASON_PARSE_ERROR);
    return error_set(err, "malformed or oversized AgentX PDU");
}

// Logs nothing after a CleanupSet: there is no response.
static void client_log_answer(const struct agentx_client *c, const struct pdu_header *request,
                              const struct pdu_writer *w)
{
    enum { ERROR_OFFSET = PDU_HEADER_SIZE + 4, ERROR_END = ERROR_OFFSET + 2 };
    if (w->used >= ERROR_END)
        log_debug(c->options.log,
                  "to %s: Response, session %u, transaction %u, packet %u, %zu octets, %s",
                  c->options.master, (unsigned)request->session, (unsigned)request->transaction,
                  (unsigned)request->packet, w->used,
                  agentx_error_word(wire_get16(w->octets + ERROR_OFFSET)));
}

// Answers a whole PDU, unless the PDU has to wait. False: it is malformed.
static bool client_respond(struct agentx_client *c, const uint8_t *octets,
                           const struct pdu_header *header, struct pdu_reader in,
                           struct agentx_wait *wait)
{
    char context[AGENTX_CONTEXT_SIZE];
    struct pdu_writer w = agentx_link_writer(&c->link);
    const char *known = pdu_read_context(octets, header, context) ? context : NULL;
    const int64_t now = agentx_session_now(c);
    if (!agentx_answer(&c->options.handler, &c->set, header, known, &in, &w, wait, now))
        return false;
    if (wait->ticket)
        return true;
    client_log_answer(c, header, &w);
    agentx_link_add(&c->link, &w, now);
    return true;
}

static bool client_answer(struct agentx_client *c, const uint8_t *octets,
                          const struct pdu_header *header, const struct pdu_reader *in,
                          struct error *err)
{
    const size_t size = PDU_HEADER_SIZE + header->payload;
    struct agentx_wait wait = {.may = agentx_later_has_room(&c->later, size)};
    if (!agentx_answer_is_for(header) || !c->is_open ||
        !client_respond(c, octets, header, *in, &wait))
        return client_malformed(c, err);
    if (wait.ticket)
        agentx_later_add(&c->later, octets, size, wait.ticket, agentx_session_now(c) + LATER_US);
    return true;
}

// Answers the request if its values are there now, or its time is over.
static void client_resume_one(struct agentx_client *c, struct agentx_later_request *request)
{
    const struct agentx_handler *h = &c->options.handler;
    struct pdu_header header;
    struct pdu_reader in;
    struct agentx_wait wait = {.may = agentx_session_now(c) < request->until};
    if (wait.may && !h->is_ready(h->ctx, request->ticket))
        return;
    const bool ok = pdu_parse(request->octets, request->size, &header) > 0 &&
                    pdu_read(request->octets, &header, &in) &&
                    client_respond(c, request->octets, &header, in, &wait);
    request->ticket = wait.ticket;
    if (!ok || !wait.ticket)
        agentx_later_remove(&c->later, request);
}

static void client_resume(struct agentx_client *c)
{
    struct agentx_later_request *request, *next;
    for (request = TAILQ_FIRST(&c->later.requests); request && agentx_session_has_room(c);
         request = next) {
        next = TAILQ_NEXT(request, in_order);
        client_resume_one(c, request);
    }
}

static bool client_read_pdu(struct agentx_client *c, const uint8_t *octets,
                            const struct pdu_header *header, struct error *err)
{
    struct pdu_reader in;
    log_debug(c->options.log, "from %s: %s, session %u, transaction %u, packet %u, %u octets",
              c->options.master, pdu_type_word(header->type), (unsigned)header->session,
              (unsigned)header->transaction, (unsigned)header->packet,
              PDU_HEADER_SIZE + (unsigned)header->payload);
    if (!pdu_read(octets, header, &in))
        return client_malformed(c, err);
    if (header->type == PDU_RESPONSE)
        return client_read_response(c, header, &in, err);
    if (header->type == PDU_CLOSE)
        return client_read_close(&in, err);
    return client_answer(c, octets, header, &in, err);
}

// Handles the received PDUs while there is room for responses.
static bool client_read_all(struct agentx_client *c, struct error *err)
{
    struct pdu_header header;
    size_t used = 0;
    int whole = 0;
    bool ok = true;
    c->is_full = false;
    while (ok && !c->is_full &&
           (whole = pdu_parse(c->link.in + used, c->link.in_size - used, &header)) > 0) {
        c->is_full = !agentx_session_has_room(c);
        if (c->is_full)
            break;
        ok = client_read_pdu(c, c->link.in + used, &header, err);
        used += PDU_HEADER_SIZE + header.payload;
    }
    if (ok && whole < 0)
        ok = client_malformed(c, err);
    agentx_link_drop_read(&c->link, used);
    return ok;
}

static bool client_read(struct agentx_client *c, struct error *err)
{
    size_t before = c->link.in_size;
    if (!agentx_link_read(&c->link, err))
        return false;
    if (c->link.in_size > before)
        c->heard_at = agentx_session_now(c);
    bool again;
    do {
        if (!client_read_all(c, err) || !agentx_link_write(&c->link, agentx_session_now(c), err))
            return false;
        again = c->is_full && agentx_session_has_room(c);
    } while (again);
    return true;
}

// Timers.

// The time of the next Ping or Register. There is none while PDUs wait to be written.
static int64_t client_next_request(const struct agentx_client *c)
{
    if (agentx_link_waiting(&c->link) > 0)
        return INT64_MAX;
    const int64_t next = c->request_count == 0 ? c->heard_at + PING_US : INT64_MAX;
    return c->registers == 0 ? clock_earlier(next, c->regions_retry_at) : next;
}

// The time of the next work, if the master sends nothing until then.
static int64_t client_next_time(const struct agentx_client *c)
{
    if (c->link.connecting)
        return c->opened_at + ANSWER_US;
    int64_t next = client_next_request(c);
    if (agentx_link_waiting(&c->link) == 0)
        next = clock_earlier(next, agentx_later_until(&c->later));
    if (c->is_open && c->tried < c->options.region_count && c->registers == 0 &&
        agentx_link_waiting(&c->link) == 0)
        next = 0; // regions that were added
    if (c->request_count > 0)
        next = clock_earlier(next, c->requests[c->request_head].sent_at + ANSWER_US);
    if (agentx_link_waiting(&c->link) > 0)
        next = clock_earlier(next, c->link.moved_at + UNREAD_US);
    if (c->set.phase != AGENTX_SET_NONE)
        next = clock_earlier(next, c->set.heard_at + SET_US);
    return next;
}

static bool client_check_answers(struct agentx_client *c, int64_t now, struct error *err)
{
    bool is_unread = agentx_link_waiting(&c->link) > 0 && now >= c->link.moved_at + UNREAD_US;
    bool is_unanswered =
        c->link.connecting
            ? now >= c->opened_at + ANSWER_US
            : c->request_count > 0 && now >= agentx_session_at(c, 0)->sent_at + ANSWER_US;
    if (!is_unread && !is_unanswered)
        return true;
    agentx_session_close(c, PDU_REASON_TIMEOUTS);
    return error_set(err, is_unread ? "it does not read what we send" : "it does not answer");
}

static void client_ask_again(struct agentx_client *c, int64_t now)
{
    if (now < client_next_request(c))
        return;
    if (c->request_count == 0 && now >= c->heard_at + PING_US)
        agentx_session_ping(c);
    if (now >= c->regions_retry_at)
        agentx_session_register_again(c, now);
}

static bool client_run_timers(struct agentx_client *c, struct error *err)
{
    int64_t now = agentx_session_now(c);
    if (!client_check_answers(c, now, err))
        return false;
    if (c->link.connecting)
        return true;
    if (c->set.phase != AGENTX_SET_NONE && now >= c->set.heard_at + SET_US)
        agentx_answer_abandon(&c->options.handler, &c->set);
    client_resume(c);
    client_ask_again(c, now);
    agentx_session_register(c);
    return agentx_link_write(&c->link, now, err);
}

static bool client_finish_connecting(struct agentx_client *c, short revents, struct error *err)
{
    if (!c->link.connecting || revents == 0)
        return true;
    if (!agentx_link_finish_connecting(&c->link, agentx_session_now(c), err))
        return false;
    agentx_session_open(c);
    return true;
}

// The interface.

struct agentx_client *agentx_client_new(const struct agentx_options *options, struct error *err)
{
    if (options->region_count > AGENTX_REGIONS_MAX) {
        error_set(err, "there are more than %d regions to register", AGENTX_REGIONS_MAX);
        return NULL;
    }
    struct agentx_address address;
    if (!agentx_link_address(options->master, &address, err))
        return NULL;
    struct agentx_client *c = memory_zeroed(1, sizeof *c);
    c->address = address;
    c->options = *options;
    c->link.fd = -1;
    agentx_later_init(&c->later);
    error_set(&c->problem, "master agent at %s: not tried yet", options->master);
    c->regions = memory_zeroed(options->region_count + 1, sizeof *c->regions);
    return c;
}

void agentx_client_free(struct agentx_client *client)
{
    if (!client)
        return;
    agentx_session_close(client, PDU_REASON_SHUTDOWN);
    agentx_link_close(&client->link);
    agentx_answer_abandon(&client->options.handler, &client->set);
    agentx_later_clear(&client->later);
    free(client->regions);
    free(client);
}

void agentx_client_extend(struct agentx_client *client, const struct agentx_region *regions,
                          size_t count)
{
    const size_t before = client->options.region_count;
    assert(count >= before && count <= AGENTX_REGIONS_MAX);
    client->regions = memory_resize(client->regions, count + 1, sizeof *client->regions);
    memset(client->regions + before, 0, (count + 1 - before) * sizeof *client->regions);
    client->options.regions = regions;
    client->options.region_count = count;
}

bool agentx_client_release(struct agentx_client *client, size_t region)
{
    return agentx_session_release(client, region);
}

int64_t agentx_client_poll(const struct agentx_client *client, struct pollfd *out)
{
    const struct agentx_link *link = &client->link;
    *out = (struct pollfd){.fd = link->fd};
    if (link->fd < 0)
        return client->retry_at;
    if (link->connecting || agentx_link_waiting(link) > 0)
        out->events |= POLLOUT;
    if (!link->connecting && !client->is_full)
        out->events |= POLLIN;
    return client_next_time(client);
}

void agentx_client_run(struct agentx_client *client, short revents)
{
    struct error err;
    if (client->link.fd < 0) {
        if (agentx_session_now(client) < client->retry_at)
            return;
        client_start(client);
        revents = 0; // these belong to an earlier connection, or to none
    }
    if (client->link.fd < 0)
        return;
    bool ok = client_finish_connecting(client, revents, &err) &&
              (client->link.connecting || client_read(client, &err)) &&
              client_run_timers(client, &err);
    if (!ok)
        client_drop(client, &err);
}

enum agentx_state agentx_client_state(const struct agentx_client *client)
{
    return client->state;
}

const char *agentx_client_problem(const struct agentx_client *client)
{
    return client->problem.text;
}

int64_t agentx_client_master_started_at(const struct agentx_client *client)
{
    return client->master_started_at;
}

bool agentx_client_notify(struct agentx_client *client, const char *context,
                          const struct agentx_varbind *varbinds, size_t n, struct error *err)
{
    if (client->state != AGENTX_UP)
        return error_set(err, "%s", client->problem.text);
    if (client->notifications == AGENTX_IN_FLIGHT_MAX)
        return error_set(err, "master agent at %s: too many notifications are unanswered",
                         client->options.master);
    struct pdu_writer w = agentx_session_begin(client, PDU_NOTIFY, context);
    for (size_t i = 0; i < n; i++)
        pdu_add_varbind(&w, &varbinds[i].name, &varbinds[i].value);
    if (!agentx_session_add(client, &w, PDU_NOTIFY, 0))
        return error_set(err, "master agent at %s: it does not read what we send",
                         client->options.master);
    client->notifications++;
    return true;
}
