// SPDX-License-Identifier: BSD-2-Clause
#include "truth.h"

#include "require.h"

#include <inttypes.h>
#include <string.h>

static bool is_same_end(struct plain_end a, struct plain_end b)
{
    return a.node == b.node && a.port == b.port;
}

static bool shares_end(const struct plain_end *a, const struct plain_end *b)
{
    return is_same_end(a[0], b[0]) || is_same_end(a[0], b[1]) || is_same_end(a[1], b[0]) ||
           is_same_end(a[1], b[1]);
}

// Forgets the links that the alarm supersedes, and its own former state.
static void forget_others(struct truth *t, const struct plain_cable *cable)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < t->link_count; i++) {
        if (!shares_end(t->links[i].ends, cable->ends))
            t->links[kept++] = t->links[i];
    }
    t->link_count = kept;
}

void truth_note(struct truth *truth, const struct plain_sight *sight)
{
    for (unsigned i = 0; i < truth->fabric->node_count; i++) {
        truth->visible[i] = sight->nodes[i];
        truth->seen[i] |= sight->nodes[i];
    }
    for (unsigned i = 0; i < truth->link_count; i++)
        truth->links[i].visible = false;
    for (unsigned i = 0; i < truth->fabric->cable_count; i++) {
        const struct plain_cable *cable = &truth->fabric->cables[i];
        if (!sight->cables[i])
            continue;
        forget_others(truth, cable);
        REQUIRE(truth->link_count < TRUTH_LINKS_MAX);
        truth->links[truth->link_count++] =
            (struct truth_link){{cable->ends[0], cable->ends[1]}, true, cable->degraded};
    }
}

// Keys.

static void write_node_key(const struct truth *t, uint8_t node, char *key)
{
    snprintf(key, PLAIN_KEY_SIZE, "node 0x%016" PRIx64, t->fabric->nodes[node].guid);
}

static void write_port_key(const struct truth *t, struct plain_end end, char *key)
{
    snprintf(key, PLAIN_KEY_SIZE, "port 0x%016" PRIx64 "/%u", t->fabric->nodes[end.node].guid,
             end.port);
}

static void write_link_key(const struct truth *t, const char *prefix, const struct plain_end *ends,
                           char *key)
{
    const uint64_t guids[2] = {t->fabric->nodes[ends[0].node].guid,
                               t->fabric->nodes[ends[1].node].guid};
    const unsigned first = guids[1] < guids[0];
    snprintf(key, PLAIN_KEY_SIZE, "%slink 0x%016" PRIx64 "/%u-0x%016" PRIx64 "/%u", prefix,
             guids[first], ends[first].port, guids[!first], ends[!first].port);
}

// Alarms.

static struct truth_alarm *add_alarm(struct truth_alarms *out, enum truth_kind kind, uint8_t node,
                                     const struct plain_end *ends)
{
    REQUIRE(out->count < TRUTH_ALARMS_MAX);
    struct truth_alarm *alarm = &out->all[out->count++];
    *alarm = (struct truth_alarm){.kind = kind, .node = node};
    if (ends)
        memcpy(alarm->ends, ends, sizeof alarm->ends);
    return alarm;
}

static void add_link(const struct truth *t, const struct truth_link *link, struct truth_alarms *out)
{
    if (link->visible) {
        if (link->degraded)
            write_link_key(t, "rate ", link->ends,
                           add_alarm(out, TRUTH_RATE, PLAIN_NONE, link->ends)->key);
        return;
    }
    write_link_key(t, "", link->ends, add_alarm(out, TRUTH_LINK, PLAIN_NONE, link->ends)->key);
    for (unsigned e = 0; e < 2; e++) {
        const struct plain_end end = link->ends[e];
        if (t->visible[end.node] && t->fabric->nodes[end.node].type != FABRIC_SWITCH)
            write_port_key(t, end, add_alarm(out, TRUTH_PORT, end.node, link->ends)->key);
    }
}

void truth_list(const struct truth *truth, struct truth_alarms *out)
{
    out->count = 0;
    for (unsigned i = 0; i < truth->fabric->node_count; i++) {
        if (truth->seen[i] && !truth->visible[i])
            write_node_key(truth, (uint8_t)i, add_alarm(out, TRUTH_NODE, (uint8_t)i, NULL)->key);
    }
    for (unsigned i = 0; i < truth->link_count; i++)
        add_link(truth, &truth->links[i], out);
}

const struct truth_alarm *truth_find(const struct truth_alarms *alarms, const char *key)
{
    for (unsigned i = 0; i < alarms->count; i++) {
        if (strcmp(alarms->all[i].key, key) == 0)
            return &alarms->all[i];
    }
    return NULL;
}

// Root causes.

struct search {
    const struct truth *truth;
    bool (*believes)(const void *ctx, const char *key);
    const void *ctx;
};

static bool believes_node(const struct search *s, uint8_t node)
{
    char key[PLAIN_KEY_SIZE];
    write_node_key(s->truth, node, key);
    return s->believes(s->ctx, key);
}

static bool is_missing(const struct truth *t, uint8_t node)
{
    return t->seen[node] && !t->visible[node];
}

// Goes from missing switch to missing switch, to one that receivers know to be missing.
static bool has_told_switch(const struct search *s, uint8_t node)
{
    const struct truth *t = s->truth;
    bool reached[PLAIN_NODES_MAX] = {0};
    reached[node] = true;
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < 2 * t->link_count; i++) {
            const uint8_t from = t->links[i / 2].ends[i % 2].node,
                          to = t->links[i / 2].ends[!(i % 2)].node;
            if (!reached[from] || reached[to] || !is_missing(t, to) ||
                t->fabric->nodes[to].type != FABRIC_SWITCH)
                continue;
            if (believes_node(s, to))
                return true;
            reached[to] = more = true;
        }
    }
    return false;
}

static bool is_told_missing(const struct search *s, uint8_t node)
{
    return is_missing(s->truth, node) && (believes_node(s, node) || has_told_switch(s, node));
}

bool truth_has_told_root(const struct truth *truth, const struct truth_alarm *alarm,
                         bool (*believes)(const void *ctx, const char *key), const void *ctx)
{
    const struct search search = {truth, believes, ctx};
    char key[PLAIN_KEY_SIZE];
    if (alarm->kind == TRUTH_RATE)
        return false;
    if (alarm->kind == TRUTH_NODE)
        return has_told_switch(&search, alarm->node);
    for (unsigned e = 0; e < 2; e++) {
        if (is_told_missing(&search, alarm->ends[e].node))
            return true;
        write_port_key(truth, alarm->ends[e], key);
        if (alarm->kind == TRUTH_LINK && believes(ctx, key))
            return true;
    }
    return false;
}
