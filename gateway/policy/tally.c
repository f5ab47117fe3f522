#include "policy/tally.h"

#include <inttypes.h>

void tally_clear(struct tally *tally)
{
    tally->used = 0;
    tally->total = 0;
    tally->spilled = false;
}

static bool is_known(const struct endpoint *who)
{
    return who->guid != 0 || who->node_guid != 0 || who->lid != 0;
}

// Whom the event counts for.
static const struct endpoint *node_of(const struct event *event)
{
    if (is_known(&event->subject))
        return &event->subject;
    return is_known(&event->source) ? &event->source : &event->issuer;
}

static uint64_t number_of(const struct endpoint *who)
{
    if (who->node_guid != 0)
        return who->node_guid;
    return who->guid != 0 ? who->guid : who->lid;
}

static void describe(struct text *t, const struct endpoint *who)
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

static struct tally_node *place_for(struct tally *tally, uint64_t guid)
{
    struct tally_node *rarest = &tally->nodes[0];
    for (size_t i = 0; i < tally->used; i++) {
        if (tally->nodes[i].guid == guid)
            return &tally->nodes[i];
        if (tally->nodes[i].count < rarest->count)
            rarest = &tally->nodes[i];
    }
    if (tally->used < TALLY_NODES_MAX) {
        rarest = &tally->nodes[tally->used++];
        *rarest = (struct tally_node){0};
    } else {
        tally->spilled = true;
    }
    return rarest;
}

void tally_add(struct tally *tally, const struct event *event)
{
    const struct endpoint *who = node_of(event);
    if (!is_known(who))
        return;
    struct tally_node *node = place_for(tally, number_of(who));
    if (node->guid != number_of(who)) {
        node->guid = number_of(who);
        node->error = node->count;
        struct text t = text_in(node->name, sizeof node->name);
        describe(&t, who);
    }
    node->count++;
    tally->total++;
}

static uint64_t sure(const struct tally_node *node)
{
    return node->count - node->error;
}

// The most frequent of those that are not marked yet.
static size_t next_most(const struct tally *tally, const bool marked[TALLY_NODES_MAX])
{
    size_t best = TALLY_NODES_MAX;
    for (size_t i = 0; i < tally->used; i++) {
        if (!marked[i] &&
            (best == TALLY_NODES_MAX || sure(&tally->nodes[i]) > sure(&tally->nodes[best])))
            best = i;
    }
    return best;
}

bool tally_describe(const struct tally *tally, struct text *t)
{
    bool marked[TALLY_NODES_MAX] = {false};
    size_t n = 0;
    for (; n < TALLY_NAMED_MAX && n < tally->used; n++) {
        const size_t i = next_most(tally, marked);
        marked[i] = true;
        text_addf(t, "%s%s (%" PRIu64 ")", n ? ", " : "", tally->nodes[i].name,
                  sure(&tally->nodes[i]));
    }
    if (tally->used > n || tally->spilled)
        text_add(t, " and others");
    return n > 0;
}
