// SPDX-License-Identifier: BSD-2-Clause
#include "agentx/registration.h"

#include "agentx/requests.h"
#include "base/text.h"

static const int64_t REGION_US = 60 * CLOCK_US_PER_S; // before a refused region is tried again
enum { TIMEOUT_S = 10, PRIORITY = 127 };              // in our Register (RFC 2741 6.2.3)

static void registration_ask(struct agentx_client *c, size_t i)
{
    const struct agentx_region *r = &c->options.regions[i];
    struct pdu_writer w = agentx_requests_begin(c, PDU_REGISTER, r->context);
    pdu_add_four(&w, TIMEOUT_S, PRIORITY, 0, 0);
    pdu_add_oid(&w, r->ids, r->length, false);
    c->regions[i].asked = agentx_requests_add(c, &w, PDU_REGISTER, i);
    c->registers += c->regions[i].asked;
}

static bool registration_can(struct agentx_client *c)
{
    return c->registers < REGISTERS_MAX && c->request_count < REQUESTS_MAX - 1 &&
           agentx_requests_has_room(c);
}

void agentx_registration_continue(struct agentx_client *c)
{
    while (c->is_open && c->tried < c->options.region_count && registration_can(c))
        registration_ask(c, c->tried++);
}

static void registration_describe(const struct agentx_region *r, char *out, size_t size)
{
    struct text t = text_in(out, size);
    for (size_t i = 0; i < r->length; i++)
        text_addf(&t, "%s%u", i > 0 ? "." : "", r->ids[i]);
    if (r->context[0] != '\0')
        text_addf(&t, " in context %s", r->context);
}

bool agentx_registration_read(struct agentx_client *c, size_t i, unsigned error, struct error *err)
{
    const struct agentx_region *r = &c->options.regions[i];
    struct region *region = &c->regions[i];
    char name[300];
    registration_describe(r, name, sizeof name);
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
    region->retry_at = is_taken ? agentx_requests_now(c) + REGION_US : 0;
    if (is_taken && region->retry_at < c->regions_retry_at)
        c->regions_retry_at = region->retry_at;
    c->registers--;
    agentx_registration_continue(c);
    return true;
}

void agentx_registration_retry(struct agentx_client *c, int64_t now)
{
    c->regions_retry_at = INT64_MAX;
    for (size_t i = 0; i < c->options.region_count; i++) {
        const struct region *r = &c->regions[i];
        if (r->retry_at == 0 || r->asked)
            continue;
        if (now >= r->retry_at && registration_can(c))
            registration_ask(c, i);
        if (!r->asked && r->retry_at < c->regions_retry_at)
            c->regions_retry_at = r->retry_at;
    }
}

bool agentx_registration_release(struct agentx_client *c, size_t region)
{
    const struct agentx_region *r = &c->options.regions[region];
    struct region *state = &c->regions[region];
    if (c->state == AGENTX_AWAY || region >= c->tried)
        return true; // it is registered with its next context
    if (state->asked || !registration_can(c))
        return false;
    struct pdu_writer w = agentx_requests_begin(c, PDU_UNREGISTER, r->context);
    pdu_add_four(&w, 0, PRIORITY, 0, 0);
    pdu_add_oid(&w, r->ids, r->length, false);
    if (!agentx_requests_add(c, &w, PDU_UNREGISTER, region))
        return false;
    state->retry_at = c->regions_retry_at = agentx_requests_now(c);
    return true;
}
