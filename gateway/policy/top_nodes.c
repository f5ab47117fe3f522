// SPDX-License-Identifier: BSD-2-Clause
#include "policy/top_nodes.h"

#include <inttypes.h>

void top_nodes_clear(struct top_nodes *top)
{
    top->used = 0;
    top->total = 0;
    top->spilled = false;
}

static bool top_nodes_is_known(const struct endpoint *who)
{
    return who->guid != 0 || who->node_guid != 0 || who->lid != 0;
}

// The node that the event is counted for.
static const struct endpoint *node_of(const struct event *event)
{
    if (top_nodes_is_known(&event->subject))
        return &event->subject;
    return top_nodes_is_known(&event->source) ? &event->source : &event->issuer;
}

static uint64_t number_of(const struct endpoint *who)
{
    if (who->node_guid != 0)
        return who->node_guid;
    return who->guid != 0 ? who->guid : who->lid;
}

static void top_nodes_add_name(struct text *t, const struct endpoint *who)
{
    char guid[ADDRESS_GUID_TEXT_SIZE];
    address_format_guid(number_of(who), guid);
    if (who->name[0] != '\0')
        text_add(t, who->name);
    else if (who->guid != 0 || who->node_guid != 0)
        text_add(t, guid);
    else
        text_addf(t, "LID %u", who->lid);
}

static struct top_node *place_for(struct top_nodes *top, uint64_t guid)
{
    struct top_node *rarest = &top->nodes[0];
    for (size_t i = 0; i < top->used; i++) {
        if (top->nodes[i].guid == guid)
            return &top->nodes[i];
        if (top->nodes[i].count < rarest->count)
            rarest = &top->nodes[i];
    }
    if (top->used < TOP_NODES_NODES_MAX) {
        rarest = &top->nodes[top->used++];
        *rarest = (struct top_node){0};
    } else {
        top->spilled = true;
    }
    return rarest;
}

void top_nodes_add(struct top_nodes *top, const struct event *event)
{
    const struct endpoint *who = node_of(event);
    if (!top_nodes_is_known(who))
        return;
    struct top_node *node = place_for(top, number_of(who));
    if (node->guid != number_of(who)) {
        node->guid = number_of(who);
        node->error = node->count;
        struct text t = text_in(node->name, sizeof node->name);
        top_nodes_add_name(&t, who);
    }
    node->count++;
    top->total++;
}

static uint64_t sure(const struct top_node *node)
{
    return node->count - node->error;
}

// The node with the largest count among those not marked yet.
static size_t next_most(const struct top_nodes *top, const bool marked[TOP_NODES_NODES_MAX])
{
    size_t best = TOP_NODES_NODES_MAX;
    for (size_t i = 0; i < top->used; i++) {
        if (!marked[i] &&
            (best == TOP_NODES_NODES_MAX || sure(&top->nodes[i]) > sure(&top->nodes[best])))
            best = i;
    }
    return best;
}

bool top_nodes_describe(const struct top_nodes *top, struct text *t)
{
    bool marked[TOP_NODES_NODES_MAX] = {false};
    size_t n = 0;
    for (; n < TOP_NODES_NAMED_MAX && n < top->used; n++) {
        const size_t i = next_most(top, marked);
        marked[i] = true;
        text_addf(t, "%s%s (%" PRIu64 ")", n ? ", " : "", top->nodes[i].name, sure(&top->nodes[i]));
    }
    if (top->used > n || top->spilled)
        text_add(t, " and others");
    return n > 0;
}
