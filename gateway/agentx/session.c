// SPDX-License-Identifier: BSD-2-Clause
#include "agentx/session.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const int64_t REGION_US = 60 * CLOCK_US_PER_S; // before a refused region is tried again
enum { TIMEOUT_S = 10, PRIORITY = 127 }; // in our Open and Register (RFC 2741 6.2.1, 6.2.3)

// Our requests.

int64_t agentx_session_now(const struct agentx_client *c)
{
    return clock_monotonic(c->options.clock);
}

struct request *agentx_session_at(struct agentx_client *c, size_t i)
{
    return &c->requests[(c->request_head + i) % REQUESTS_MAX];
}

struct pdu_writer agentx_session_begin(struct agentx_client *c, enum pdu_type type,
                                       const char *context)
{
    struct pdu_writer w = agentx_link_writer(&c->link);
    pdu_begin(&w, (uint8_t)type, c->session, 0, ++c->last_packet, context);
    return w;
}

bool agentx_session_add(struct agentx_client *c, struct pdu_writer *w, enum pdu_type type,
                        size_t region)
{
    int64_t now = agentx_session_now(c);
    if (!pdu_end(w) || c->request_count == REQUESTS_MAX)
        return false;
    agentx_link_add(&c->link, w, now);
    log_debug(c->options.log, "to %s: %s, session %u, packet %u, %zu octets", c->options.master,
              pdu_type_word((uint8_t)type), (unsigned)c->session, (unsigned)c->last_packet,
              w->used);
    *agentx_session_at(c, c->request_count++) = (struct request){.type = (uint8_t)type,
                                                                 .region = (uint32_t)region,
                                                                 .packet = c->last_packet,
                                                                 .sent_at = now};
    return true;
}

bool agentx_session_has_room(struct agentx_client *c)
{
    return agentx_link_waiting(&c->link) <= AGENTX_LINK_OUT_SIZE - PDU_SIZE_MAX;
}

void agentx_session_open(struct agentx_client *c)
{
    struct pdu_writer w = agentx_session_begin(c, PDU_OPEN, "");
    pdu_add_four(&w, TIMEOUT_S, 0, 0, 0);
    pdu_add_oid(&w, NULL, 0, false);
    pdu_add_octets(&w, c->options.description, strlen(c->options.description));
    agentx_session_add(c, &w, PDU_OPEN, 0);
}

void agentx_session_ping(struct agentx_client *c)
{
    struct pdu_writer w = agentx_session_begin(c, PDU_PING, "");
    agentx_session_add(c, &w, PDU_PING, 0);
}

void agentx_session_close(struct agentx_client *c, enum pdu_reason reason)
{
    struct error err;
    if (c->link.fd < 0 || c->link.connecting)
        return;
    struct pdu_writer w = agentx_session_begin(c, PDU_CLOSE, "");
    pdu_add_four(&w, (uint8_t)reason, 0, 0, 0);
    if (pdu_end(&w))
        agentx_link_add(&c->link, &w, agentx_session_now(c));
    agentx_link_write(&c->link, agentx_session_now(c), &err);
}

struct request *agentx_session_find(struct agentx_client *c, uint32_t packet)
{
    for (size_t i = 0; i < c->request_count; i++) {
        if (agentx_session_at(c, i)->packet == packet && !agentx_session_at(c, i)->answered)
            return agentx_session_at(c, i);
    }
    return NULL;
}

void agentx_session_pass(struct agentx_client *c)
{
    const struct agentx_handler *h = &c->options.handler;
    while (c->request_count > 0 && agentx_session_at(c, 0)->answered) {
        struct request first = *agentx_session_at(c, 0);
        c->request_head = (c->request_head + 1) % REQUESTS_MAX;
        c->request_count--;
        if (first.type != PDU_NOTIFY)
            continue;
        c->notifications--;
        if (h->notified)
            h->notified(h->ctx, first.error);
    }
}

// Regions.

static void session_ask(struct agentx_client *c, size_t i)
{
    const struct agentx_region *r = &c->options.regions[i];
    struct pdu_writer w = agentx_session_begin(c, PDU_REGISTER, r->context);
    pdu_add_four(&w, TIMEOUT_S, PRIORITY, 0, 0);
    pdu_add_oid(&w, r->ids, r->length, false);
    c->regions[i].asked = agentx_session_add(c, &w, PDU_REGISTER, i);
    c->registers += c->regions[i].asked;
}

static bool session_can_register(struct agentx_client *c)
{
    return c->registers < REGISTERS_MAX && c->request_count < REQUESTS_MAX - 1 &&
           agentx_session_has_room(c);
}

void agentx_session_register(struct agentx_client *c)
{
    while (c->is_open && c->tried < c->options.region_count && session_can_register(c))
        session_ask(c, c->tried++);
}

static void session_describe(const struct agentx_region *r, char *out, size_t size)
{
    struct text t = text_in(out, size);
    for (size_t i = 0; i < r->length; i++)
        text_addf(&t, "%s%u", i > 0 ? "." : "", r->ids[i]);
    if (r->context[0] != '\0')
        text_addf(&t, " in context %s", r->context);
}

bool agentx_session_registered(struct agentx_client *c, size_t i, unsigned error, struct error *err)
{
    const struct agentx_region *r = &c->options.regions[i];
    struct region *region = &c->regions[i];
    char name[300];
    session_describe(r, name, sizeof name);
    bool is_taken = error == AGENTX_DUPLICATE_REGISTRATION && r->optional;
    if (error != AGENTX_NO_ERROR && !is_taken)
        return error_set(err, "it refuses to register %s: %s", name, agentx_error_word(error));
    if (is_taken && region->retry_at == 0 && !r->quiet)
        AGENTX_LOG(c, LOG_LEVEL_INFO,
                   "another subagent has registered %s at the master agent at %s", name,
                   c->options.master);
    if (!is_taken && region->retry_at > 0 && !r->quiet)
        AGENTX_LOG(c, LOG_LEVEL_INFO, "registered %s at the master agent at %s", name,
                   c->options.master);
    region->asked = false;
    region->retry_at = is_taken ? agentx_session_now(c) + REGION_US : 0;
    if (is_taken && region->retry_at < c->regions_retry_at)
        c->regions_retry_at = region->retry_at;
    c->registers--;
    agentx_session_register(c);
    return true;
}

void agentx_session_register_again(struct agentx_client *c, int64_t now)
{
    c->regions_retry_at = INT64_MAX;
    for (size_t i = 0; i < c->options.region_count; i++) {
        const struct region *r = &c->regions[i];
        if (r->retry_at == 0 || r->asked)
            continue;
        if (now >= r->retry_at && session_can_register(c))
            session_ask(c, i);
        if (!r->asked && r->retry_at < c->regions_retry_at)
            c->regions_retry_at = r->retry_at;
    }
}

bool agentx_session_release(struct agentx_client *c, size_t region)
{
    const struct agentx_region *r = &c->options.regions[region];
    struct region *state = &c->regions[region];
    if (c->state == AGENTX_AWAY || region >= c->tried)
        return true; // it is registered with its next context
    if (state->asked || !session_can_register(c))
        return false;
    struct pdu_writer w = agentx_session_begin(c, PDU_UNREGISTER, r->context);
    pdu_add_four(&w, 0, PRIORITY, 0, 0);
    pdu_add_oid(&w, r->ids, r->length, false);
    if (!agentx_session_add(c, &w, PDU_UNREGISTER, region))
        return false;
    state->retry_at = c->regions_retry_at = agentx_session_now(c);
    return true;
}

// Requests that wait.

void agentx_later_init(struct agentx_later *later)
{
    *later = (struct agentx_later){.count = 0};
    TAILQ_INIT(&later->requests);
}

void agentx_later_remove(struct agentx_later *later, struct agentx_later_request *request)
{
    TAILQ_REMOVE(&later->requests, request, in_order);
    later->count--;
    later->size -= request->size;
    free(request);
}

void agentx_later_clear(struct agentx_later *later)
{
    struct agentx_later_request *request, *next;
    for (request = TAILQ_FIRST(&later->requests); request; request = next) {
        next = TAILQ_NEXT(request, in_order);
        free(request);
    }
    agentx_later_init(later);
}

bool agentx_later_has_room(const struct agentx_later *later, size_t size)
{
    return later->count < AGENTX_LATER_MAX && size <= AGENTX_LATER_SIZE_MAX - later->size;
}

void agentx_later_add(struct agentx_later *later, const uint8_t *octets, size_t size,
                      int64_t ticket, int64_t until)
{
    struct agentx_later_request *request = memory_get(sizeof *request + size);
    *request = (struct agentx_later_request){.ticket = ticket, .until = until, .size = size};
    memcpy(request->octets, octets, size);
    TAILQ_INSERT_TAIL(&later->requests, request, in_order);
    later->count++;
    later->size += size;
}

int64_t agentx_later_until(const struct agentx_later *later)
{
    const struct agentx_later_request *first = TAILQ_FIRST(&later->requests);
    return first ? first->until : INT64_MAX;
}
