// SPDX-License-Identifier: BSD-2-Clause
#include "agentx/requests.h"

#include <string.h>

enum { TIMEOUT_S = 10 }; // in our Open (RFC 2741 6.2.1)

int64_t agentx_requests_now(const struct agentx_client *c)
{
    return clock_monotonic(c->options.clock);
}

struct request *agentx_requests_at(struct agentx_client *c, size_t i)
{
    return &c->requests[(c->request_head + i) % REQUESTS_MAX];
}

struct pdu_writer agentx_requests_begin(struct agentx_client *c, enum pdu_type type,
                                        const char *context)
{
    struct pdu_writer w = agentx_link_writer(&c->link);
    pdu_begin(&w, (uint8_t)type, c->session, 0, ++c->last_packet, context);
    return w;
}

bool agentx_requests_add(struct agentx_client *c, struct pdu_writer *w, enum pdu_type type,
                         size_t region)
{
    int64_t now = agentx_requests_now(c);
    if (!pdu_end(w) || c->request_count == REQUESTS_MAX)
        return false;
    agentx_link_add(&c->link, w, now);
    log_debug(c->options.log, "to %s: %s, session %u, packet %u, %zu octets", c->options.master,
              pdu_type_word((uint8_t)type), (unsigned)c->session, (unsigned)c->last_packet,
              w->used);
    *agentx_requests_at(c, c->request_count++) = (struct request){.type = (uint8_t)type,
                                                                  .region = (uint32_t)region,
                                                                  .packet = c->last_packet,
                                                                  .sent_at = now};
    return true;
}

bool agentx_requests_has_room(struct agentx_client *c)
{
    return agentx_link_waiting(&c->link) <= AGENTX_LINK_OUT_SIZE - PDU_SIZE_MAX;
}

void agentx_requests_open(struct agentx_client *c)
{
    struct pdu_writer w = agentx_requests_begin(c, PDU_OPEN, "");
    pdu_add_four(&w, TIMEOUT_S, 0, 0, 0);
    pdu_add_oid(&w, NULL, 0, false);
    pdu_add_octets(&w, c->options.description, strlen(c->options.description));
    agentx_requests_add(c, &w, PDU_OPEN, 0);
}

void agentx_requests_ping(struct agentx_client *c)
{
    struct pdu_writer w = agentx_requests_begin(c, PDU_PING, "");
    agentx_requests_add(c, &w, PDU_PING, 0);
}

void agentx_requests_close(struct agentx_client *c, enum pdu_reason reason)
{
    struct error err;
    if (c->link.fd < 0 || c->link.connecting)
        return;
    struct pdu_writer w = agentx_requests_begin(c, PDU_CLOSE, "");
    pdu_add_four(&w, (uint8_t)reason, 0, 0, 0);
    if (pdu_end(&w))
        agentx_link_add(&c->link, &w, agentx_requests_now(c));
    agentx_link_write(&c->link, agentx_requests_now(c), &err);
}

struct request *agentx_requests_find(struct agentx_client *c, uint32_t packet)
{
    for (size_t i = 0; i < c->request_count; i++) {
        if (agentx_requests_at(c, i)->packet == packet && !agentx_requests_at(c, i)->answered)
            return agentx_requests_at(c, i);
    }
    return NULL;
}

void agentx_requests_pass(struct agentx_client *c)
{
    const struct agentx_handler *h = &c->options.handler;
    while (c->request_count > 0 && agentx_requests_at(c, 0)->answered) {
        struct request first = *agentx_requests_at(c, 0);
        c->request_head = (c->request_head + 1) % REQUESTS_MAX;
        c->request_count--;
        if (first.type != PDU_NOTIFY)
            continue;
        c->notifications--;
        if (h->notified)
            h->notified(h->ctx, first.error);
    }
}
