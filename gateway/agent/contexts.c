// SPDX-License-Identifier: BSD-2-Clause
#include "agent/contexts.h"

#include "base/memory.h"
#include "base/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct port_state {
    uint8_t state; // 0: not seen yet
    int64_t changed_at;
};

struct context {
    uint64_t guid;
    bool is_there, was_met; // in the last fabric; in the one of this update
    int64_t left_at;        // unless it is there
    unsigned size;          // of `ports`, by number
    struct port_state *ports;
};

struct contexts {
    enum contexts_of of;
    size_t count;
    bool is_full; // nobody can make room at the time of the update
    uint64_t replaced;
    struct context all[CONTEXTS_MAX];
    uint16_t sorted[CONTEXTS_MAX]; // places in `all`, ascending by GUID
};

struct contexts *contexts_new(enum contexts_of of)
{
    struct contexts *contexts = memory_zeroed(1, sizeof *contexts);
    contexts->of = of;
    return contexts;
}

void contexts_free(struct contexts *contexts)
{
    if (!contexts)
        return;
    for (size_t i = 0; i < contexts->count; i++)
        free(contexts->all[i].ports);
    free(contexts);
}

size_t contexts_count(const struct contexts *contexts)
{
    return contexts->count;
}

uint64_t contexts_guid(const struct contexts *contexts, size_t at)
{
    return contexts->all[at].guid;
}

// Whether an end port gets a context if there is room.
static bool contexts_wants(enum contexts_of of, const struct fabric_node *node,
                           const struct fabric_port *port)
{
    return port->guid != 0 &&
           (of == CONTEXTS_ALL || (of == CONTEXTS_SWITCHES && node->type == FABRIC_SWITCH));
}

// The place in `sorted` of the first context whose GUID is not less.
static size_t contexts_place(const struct contexts *contexts, uint64_t guid)
{
    size_t at;
    SEARCH_FIRST(at, 0, contexts->count, contexts->all[contexts->sorted[at]].guid < guid);
    return at;
}

static struct context *contexts_find(const struct contexts *contexts, uint64_t guid)
{
    const size_t at = contexts_place(contexts, guid);
    if (at == contexts->count || contexts->all[contexts->sorted[at]].guid != guid)
        return NULL;
    return (struct context *)&contexts->all[contexts->sorted[at]];
}

bool contexts_has(const struct contexts *contexts, uint64_t guid)
{
    return contexts_find(contexts, guid) != NULL;
}

// Enters the context at place `at` of `all` into `sorted`.
static void contexts_enter(struct contexts *contexts, size_t at, uint64_t guid)
{
    const size_t place = contexts_place(contexts, guid);
    memmove(&contexts->sorted[place + 1], &contexts->sorted[place],
            (contexts->count - place) * sizeof *contexts->sorted);
    contexts->sorted[place] = (uint16_t)at;
    contexts->count++;
    contexts->all[at] = (struct context){.guid = guid, .is_there = true};
}

// The context whose port has been gone for the longest time, a day at least; the count: none.
static size_t contexts_longest_gone(const struct contexts *contexts, int64_t now)
{
    size_t longest = contexts->count;
    int64_t left_at = now - CONTEXTS_KEEP_US + 1;
    for (size_t i = 0; i < contexts->count; i++) {
        if (!contexts->all[i].is_there && contexts->all[i].left_at < left_at) {
            longest = i;
            left_at = contexts->all[i].left_at;
        }
    }
    return longest;
}

// NULL: there is no room.
static struct context *contexts_add(struct contexts *contexts, uint64_t guid, int64_t now)
{
    size_t at = contexts->count;
    if (at == CONTEXTS_MAX) {
        at = contexts->is_full ? CONTEXTS_MAX : contexts_longest_gone(contexts, now);
        contexts->is_full = at == CONTEXTS_MAX;
        if (contexts->is_full)
            return NULL;
        const size_t place = contexts_place(contexts, contexts->all[at].guid);
        contexts->count--;
        memmove(&contexts->sorted[place], &contexts->sorted[place + 1],
                (contexts->count - place) * sizeof *contexts->sorted);
        free(contexts->all[at].ports);
        contexts->replaced++;
    }
    contexts_enter(contexts, at, guid);
    return &contexts->all[at];
}

// Makes room for the states of the ports up to that number.
static void contexts_reserve(struct context *context, unsigned last)
{
    if (last < context->size)
        return;
    context->ports = memory_resize(context->ports, last + 1, sizeof *context->ports);
    memset(context->ports + context->size, 0, (last + 1 - context->size) * sizeof *context->ports);
    context->size = last + 1;
}

static void contexts_note(struct context *context, const struct fabric *fabric,
                          const struct fabric_node *node, int64_t at)
{
    if (node->ports == 0)
        return;
    const struct fabric_port *ports = &fabric->ports[node->first_port];
    contexts_reserve(context, ports[node->ports - 1].number);
    for (uint32_t i = 0; i < node->ports; i++) {
        struct port_state *known = &context->ports[ports[i].number];
        if (!ports[i].known || ports[i].state == known->state)
            continue;
        if (known->state != 0)
            known->changed_at = at;
        known->state = ports[i].state;
    }
}

// Notes the states of the ports of each end port that has a context. `welcome`: gives contexts to
// the others. Of several ports with the same GUID, one has the context. Returns false if there is
// no room.
static bool contexts_meet(struct contexts *contexts, enum contexts_of of,
                          const struct fabric *fabric, int64_t at, bool welcome)
{
    bool all = true;
    for (uint32_t k = 0; k < fabric->port_count; k++) {
        const struct fabric_node *node = &fabric->nodes[fabric_node_of_port(fabric, k)];
        const uint64_t guid = fabric->ports[k].guid;
        if (!contexts_wants(of, node, &fabric->ports[k]) ||
            fabric_find_port_guid(fabric, guid) != k)
            continue;
        struct context *context = contexts_find(contexts, guid);
        if (!context && welcome)
            context = contexts_add(contexts, guid, at);
        if (context) {
            context->was_met = true;
            contexts_note(context, fabric, node, at);
        }
        all = all && (context || !welcome);
    }
    return all;
}

bool contexts_update(struct contexts *contexts, const struct fabric *fabric, int64_t at)
{
    contexts->is_full = false;
    for (size_t i = 0; i < contexts->count; i++)
        contexts->all[i].was_met = false;
    contexts_meet(contexts, contexts->of, fabric, at, false);
    for (size_t i = 0; i < contexts->count; i++) {
        struct context *context = &contexts->all[i];
        if (context->is_there && !context->was_met)
            context->left_at = at;
        context->is_there = context->was_met;
    }
    const bool switches = contexts->of == CONTEXTS_OFF ||
                          contexts_meet(contexts, CONTEXTS_SWITCHES, fabric, at, true);
    return contexts_meet(contexts, contexts->of, fabric, at, true) && switches;
}

uint64_t contexts_replaced(const struct contexts *contexts)
{
    return contexts->replaced;
}

int64_t contexts_changed_at(const struct contexts *contexts, uint64_t guid, uint8_t port)
{
    const struct context *context = contexts_find(contexts, guid);
    return context && port < context->size ? context->ports[port].changed_at : 0;
}

void contexts_name(uint64_t guid, char out[CONTEXTS_NAME_SIZE])
{
    snprintf(out, CONTEXTS_NAME_SIZE, "%016" PRIx64, guid);
}

bool contexts_read_name(const char *name, uint64_t *guid)
{
    char again[CONTEXTS_NAME_SIZE];
    if (strlen(name) != CONTEXTS_NAME_SIZE - 1)
        return false;
    *guid = strtoull(name, NULL, 16);
    contexts_name(*guid, again);
    return *guid != 0 && strcmp(name, again) == 0;
}
