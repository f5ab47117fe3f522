// SPDX-License-Identifier: BSD-2-Clause
#include "policy/storms.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const int64_t GATHER_US = STORMS_GATHER_S * CLOCK_US_PER_S;
static const int64_t QUIET_US = STORMS_QUIET_S * CLOCK_US_PER_S;

// The hosts and boxes (model/systems.h) that most events of a storm are about, or the nodes whose
// systems are not known, counted in a fixed amount of memory.

enum { TOP_NODES_NODES_MAX = 32, TOP_NODES_NAMED_MAX = 5, TOP_NODES_NAME_SIZE = 41 };

// Space-Saving (Metwally, Agrawal, El Abbadi, 2005): when all places are taken, a new node replaces
// the node with the smallest count, and inherits that count as its error.
struct top_nodes {
    struct top_node {
        uint64_t id; // see storms_number_of
        uint64_t count, error;
        char name[TOP_NODES_NAME_SIZE]; // may be cut
    } nodes[TOP_NODES_NODES_MAX];
    size_t used;
    uint64_t total;
    bool spilled; // there were more nodes than places
};

static void top_nodes_clear(struct top_nodes *top)
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
static const struct endpoint *storms_node_of(const struct event *event)
{
    if (top_nodes_is_known(&event->subject))
        return &event->subject;
    return top_nodes_is_known(&event->source) ? &event->source : &event->issuer;
}

// A digest of the system's name; or the GUID, or the LID where no GUID is known.
static uint64_t storms_number_of(const struct endpoint *who)
{
    if (who->system[0] != '\0')
        return digest_add(DIGEST_OF_NOTHING, who->system, strlen(who->system));
    if (who->node_guid != 0)
        return who->node_guid;
    return who->guid != 0 ? who->guid : who->lid;
}

static void top_nodes_add_name(struct text *t, const struct endpoint *who)
{
    char guid[ADDRESS_GUID_TEXT_SIZE];
    address_format_guid(storms_number_of(who), guid);
    if (who->system[0] != '\0')
        text_add(t, who->system);
    else if (who->name[0] != '\0')
        text_add(t, who->name);
    else if (who->guid != 0 || who->node_guid != 0)
        text_add(t, guid);
    else
        text_addf(t, "LID %u", who->lid);
}

static struct top_node *storms_place_for(struct top_nodes *top, uint64_t id)
{
    struct top_node *rarest = &top->nodes[0];
    for (size_t i = 0; i < top->used; i++) {
        if (top->nodes[i].id == id)
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

static void top_nodes_add(struct top_nodes *top, const struct event *event)
{
    const struct endpoint *who = storms_node_of(event);
    if (!top_nodes_is_known(who))
        return;
    const uint64_t id = storms_number_of(who);
    struct top_node *node = storms_place_for(top, id);
    if (node->id != id) {
        node->id = id;
        node->error = node->count;
        struct text t = text_in(node->name, sizeof node->name);
        top_nodes_add_name(&t, who);
    }
    node->count++;
    top->total++;
}

static uint64_t storms_sure(const struct top_node *node)
{
    return node->count - node->error;
}

// The node with the largest count among those not marked yet.
static size_t storms_next_most(const struct top_nodes *top, const bool marked[TOP_NODES_NODES_MAX])
{
    size_t best = TOP_NODES_NODES_MAX;
    for (size_t i = 0; i < top->used; i++) {
        if (!marked[i] && (best == TOP_NODES_NODES_MAX ||
                           storms_sure(&top->nodes[i]) > storms_sure(&top->nodes[best])))
            best = i;
    }
    return best;
}

bool top_nodes_describe(const struct top_nodes *top, struct text *t)
{
    enum { PART_SIZE = TOP_NODES_NAME_SIZE + 26 };
    static const char OTHERS[] = " and others";
    bool marked[TOP_NODES_NODES_MAX] = {false};
    const size_t most = top->spilled ? TOP_NODES_NAMED_MAX : top->used;
    size_t n = 0;
    for (; n < most; n++) {
        const size_t i = storms_next_most(top, marked);
        char part[PART_SIZE];
        struct text p = text_in(part, sizeof part);
        marked[i] = true;
        text_addf(&p, "%s%s", n ? ", " : "", top->nodes[i].name);
        if (storms_sure(&top->nodes[i]) != 1)
            text_addf(&p, " (%" PRIu64 ")", storms_sure(&top->nodes[i]));
        if (t->len + p.len + sizeof OTHERS > t->size)
            break;
        text_add(t, part);
    }
    if (top->used > n || top->spilled)
        text_add(t, OTHERS);
    return n > 0;
}

struct storm {
    int64_t second_began; // of the second being counted
    uint32_t in_second;
    bool on;
    int64_t last_over, next_account;
    bool summarised; // a summary was reported
    bool postponed;  // the next summary waits, since it may be the last summary
    uint64_t suppressed;
    int64_t since_us;
    enum severity worst;
    enum category category;
};

struct storms {
    const struct policy_options *options;
    void (*report)(void *ctx, const struct storm_account *account);
    void *ctx;
    struct storm kinds[CATALOGUE_COUNT];
    size_t on;
    struct top_nodes nodes[CATALOGUE_COUNT]; // apart, since each tick looks at all kinds
};

struct storms *storms_new(const struct policy_options *options,
                          void (*report)(void *ctx, const struct storm_account *account), void *ctx)
{
    struct storms *storms = memory_get(sizeof *storms); // a storm clears its nodes when it begins
    memset(storms, 0, offsetof(struct storms, nodes));
    storms->options = options;
    storms->report = report;
    storms->ctx = ctx;
    return storms;
}

void storms_free(struct storms *storms)
{
    free(storms);
}

static ptrdiff_t storms_number(const struct catalogue_entry *kind)
{
    return kind - catalogue_get((enum catalogue_event)0);
}

static struct top_nodes *storms_nodes(struct storms *storms, const struct storm *s)
{
    return &storms->nodes[s - storms->kinds];
}

static int64_t storms_due_at(const struct storm *s)
{
    const int64_t quiet = s->last_over + QUIET_US;
    return s->next_account < quiet ? s->next_account : quiet;
}

static void storms_begin(struct storms *storms, struct storm *s, int64_t now)
{
    s->on = true;
    s->next_account = now + GATHER_US;
    s->suppressed = 0;
    s->summarised = s->postponed = false;
    top_nodes_clear(storms_nodes(storms, s));
    storms->on++;
}

static void storms_count_suppressed(struct storms *storms, struct storm *s,
                                    const struct event *event)
{
    if (s->suppressed++ == 0) {
        s->since_us = event->time_us;
        s->worst = event->severity;
    }
    if (event->severity < s->worst)
        s->worst = event->severity;
    s->category = event->category;
    top_nodes_add(storms_nodes(storms, s), event);
}

bool storms_suppress(struct storms *storms, const struct event *event, int64_t now_us)
{
    const uint32_t rate = storms->options->storm_rate;
    struct storm *s = &storms->kinds[storms_number(event->type)];
    if (rate == 0 && !s->on)
        return false;
    if (now_us - s->second_began >= CLOCK_US_PER_S || s->in_second == 0) {
        s->second_began = now_us;
        s->in_second = 0;
    }
    if (++s->in_second > rate && rate > 0) {
        s->last_over = now_us;
        if (!s->on)
            storms_begin(storms, s, now_us);
    }
    if (s->on)
        storms_count_suppressed(storms, s, event);
    return s->on;
}

int64_t storms_of(const struct storms *storms, const struct catalogue_entry *kind)
{
    const struct storm *s = &storms->kinds[storms_number(kind)];
    return s->on ? storms_due_at(s) : 0;
}

// When the rate has fallen, postpones the summary until the storm may be over, so that one summary
// reports both the count and the end.
static bool storms_postpone(struct storm *s, int64_t now)
{
    const int64_t calm = now - s->last_over;
    if (!s->summarised || s->postponed || calm < CLOCK_US_PER_S || calm >= QUIET_US)
        return false;
    s->postponed = true;
    s->next_account = s->last_over + QUIET_US;
    return true;
}

static void storms_account_for(struct storms *storms, struct storm *s, bool over)
{
    const struct storm_account account = {
        .kind = catalogue_get((enum catalogue_event)(s - storms->kinds)),
        .suppressed = s->suppressed,
        .since_us = s->since_us,
        .worst = s->worst,
        .category = s->category,
        .over = over,
        .nodes = storms_nodes(storms, s)};
    if (s->suppressed > 0)
        storms->report(storms->ctx, &account);
    s->suppressed = 0;
    top_nodes_clear(storms_nodes(storms, s));
}

static void storms_finish(struct storms *storms, struct storm *s)
{
    s->on = false;
    storms->on--;
}

static void storms_check(struct storms *storms, struct storm *s, int64_t now)
{
    if (storms_postpone(s, now))
        return;
    const bool over = now - s->last_over >= QUIET_US;
    s->next_account = now + storms->options->storm_period_us;
    s->summarised = true;
    s->postponed = false;
    if (over)
        storms_finish(storms, s);
    storms_account_for(storms, s, over);
}

void storms_tick(struct storms *storms, int64_t now_us)
{
    for (size_t i = 0; storms->on > 0 && i < CATALOGUE_COUNT; i++) {
        struct storm *s = &storms->kinds[i];
        if (s->on && storms_due_at(s) <= now_us)
            storms_check(storms, s, now_us);
    }
}

void storms_end(struct storms *storms)
{
    for (size_t i = 0; storms->on > 0 && i < CATALOGUE_COUNT; i++) {
        struct storm *s = &storms->kinds[i];
        if (!s->on)
            continue;
        storms_finish(storms, s);
        storms_account_for(storms, s, false);
    }
}

int64_t storms_due(const struct storms *storms)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; storms->on > 0 && i < CATALOGUE_COUNT; i++) {
        const struct storm *s = &storms->kinds[i];
        if (s->on && storms_due_at(s) < first)
            first = storms_due_at(s);
    }
    return first;
}
