// SPDX-License-Identifier: BSD-2-Clause
#include "agent/fetch.h"

const struct demand_answer *fetch(const struct agent_snapshot *snapshot,
                                  const struct demand_key *key)
{
    struct agent_snapshot *of = (struct agent_snapshot *)snapshot; // its content stays
    const struct snapshot_demand *demand = &snapshot->source->demand;
    int64_t ticket = 0;
    demand_answer_unref(of->fetched);
    of->fetched = NULL;
    if (!demand->ask)
        return NULL;
    const enum demand_state state = demand->ask(demand->ctx, key, &of->fetched, &ticket);
    if (state == DEMAND_LATER && of->ticket == 0)
        of->ticket = ticket;
    of->sa_away = of->sa_away || state == DEMAND_AWAY;
    return of->fetched;
}

const struct demand_answer *fetch_now(const struct agent_snapshot *snapshot,
                                      const struct demand_key *key)
{
    struct agent_snapshot *of = (struct agent_snapshot *)snapshot; // its content stays
    const int64_t ticket = of->ticket;
    const bool sa_away = of->sa_away;
    const struct demand_answer *answer = fetch(snapshot, key);
    of->ticket = ticket;
    of->sa_away = sa_away;
    return answer;
}

// Fills in who answers for that port: itself, or port 0 of a switch. False: nobody does.
static bool fetch_find(const struct agent_snapshot *snapshot, uint32_t port, struct demand_key *key)
{
    const struct fabric *fabric = snapshot->fabric;
    const uint32_t number = fabric_node_of_port(fabric, port);
    const struct fabric_node *node = &fabric->nodes[number];
    const uint32_t answering =
        node->type == FABRIC_SWITCH ? fabric_find_port(fabric, number, 0) : port;
    if (node->silent || answering == FABRIC_NONE || fabric->ports[answering].lid == 0)
        return false;
    key->guid = fabric->ports[answering].guid;
    key->lid = fabric->ports[answering].lid;
    return true;
}

bool fetch_smp_key(const struct agent_snapshot *snapshot, uint32_t port,
                   enum demand_attribute attribute, uint32_t modifier, struct demand_key *key)
{
    *key = (struct demand_key){
        .class = DEMAND_SMP, .attribute = (uint16_t)attribute, .modifier = modifier};
    return fetch_find(snapshot, port, key);
}

// The octets of an attribute.
static const uint8_t *fetch_octets(const struct agent_snapshot *snapshot,
                                   const struct demand_key *key)
{
    const struct demand_answer *answer = fetch(snapshot, key);
    return answer ? demand_answer_at(answer, 0) : NULL;
}

const uint8_t *fetch_smp(const struct agent_snapshot *snapshot, uint32_t port,
                         enum demand_attribute attribute, uint32_t modifier)
{
    struct demand_key key;
    return fetch_smp_key(snapshot, port, attribute, modifier, &key) ? fetch_octets(snapshot, &key)
                                                                    : NULL;
}

bool fetch_can_smp(const struct agent_snapshot *snapshot, uint32_t port,
                   enum demand_attribute attribute)
{
    struct demand_key key = {.class = DEMAND_SMP, .attribute = (uint16_t)attribute};
    const struct snapshot_demand *demand = &snapshot->source->demand;
    return fetch_find(snapshot, port, &key) &&
           (!demand->can_ask || demand->can_ask(demand->ctx, &key));
}

const uint8_t *fetch_perf(const struct agent_snapshot *snapshot, uint32_t port, uint16_t attribute)
{
    enum { PORT_SELECT = 1 };
    const uint8_t number = snapshot->fabric->ports[port].number;
    struct demand_key key = {.class = DEMAND_PERF, .attribute = attribute, .modifier = number};
    const uint8_t *data = fetch_find(snapshot, port, &key) ? fetch_octets(snapshot, &key) : NULL;
    return data && data[PORT_SELECT] == number ? data : NULL;
}
