// SPDX-License-Identifier: BSD-2-Clause
#include "agent/contexts.h"

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
    unsigned size; // of `ports`, by number
    struct port_state *ports;
};

struct contexts {
    enum contexts_of of;
    size_t count;
    struct context all[CONTEXTS_MAX];
    uint16_t sorted[CONTEXTS_MAX]; // places in `all`, ascending by GUID
};

struct contexts *contexts_new(enum contexts_of of)
{
    struct contexts *contexts = calloc(1, sizeof *contexts);
    if (contexts)
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

// Whether an end port gets a context, as far as there is room.
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

// NULL: there is no room.
static struct context *contexts_add(struct contexts *contexts, uint64_t guid)
{
    if (contexts->count == CONTEXTS_MAX)
        return NULL;
    const size_t at = contexts_place(contexts, guid);
    memmove(&contexts->sorted[at + 1], &contexts->sorted[at],
            (contexts->count - at) * sizeof *contexts->sorted);
    contexts->sorted[at] = (uint16_t)contexts->count;
    struct context *added = &contexts->all[contexts->count++];
    *added = (struct context){.guid = guid};
    return added;
}

// Makes room for the states of the ports up to that number.
static bool contexts_reserve(struct context *context, unsigned last)
{
    if (last < context->size)
        return true;
    struct port_state *ports = realloc(context->ports, (last + 1) * sizeof *ports);
    if (!ports)
        return false;
    memset(ports + context->size, 0, (last + 1 - context->size) * sizeof *ports);
    context->ports = ports;
    context->size = last + 1;
    return true;
}

static bool contexts_note(struct context *context, const struct fabric *fabric,
                          const struct fabric_node *node, int64_t at)
{
    if (node->ports == 0)
        return true;
    const struct fabric_port *ports = &fabric->ports[node->first_port];
    if (!contexts_reserve(context, ports[node->ports - 1].number))
        return false;
    for (uint32_t i = 0; i < node->ports; i++) {
        struct port_state *known = &context->ports[ports[i].number];
        if (!ports[i].known || ports[i].state == known->state)
            continue;
        if (known->state != 0)
            known->changed_at = at;
        known->state = ports[i].state;
    }
    return true;
}

bool contexts_update(struct contexts *contexts, const struct fabric *fabric, int64_t at)
{
    bool all = true;
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        for (uint32_t k = node->first_port; k < node->first_port + node->ports; k++) {
            const struct fabric_port *port = &fabric->ports[k];
            if (!contexts_wants(contexts->of, node, port))
                continue;
            struct context *context = contexts_find(contexts, port->guid);
            if (!context)
                context = contexts_add(contexts, port->guid);
            all = context && contexts_note(context, fabric, node, at) && all;
        }
    }
    return all;
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
