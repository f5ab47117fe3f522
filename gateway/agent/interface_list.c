// SPDX-License-Identifier: BSD-2-Clause
#include "agent/interface_list.h"

#include "base/memory.h"
#include "base/search.h"
#include "journal/journal.h"

#include <stdlib.h>

static bool interface_list_wants(const struct fabric_node *node, enum contexts_of of)
{
    return node->guid != 0 &&
           (of == CONTEXTS_ALL || (of == CONTEXTS_SWITCHES && node->type == FABRIC_SWITCH));
}

// The index of the node's first port whose number is `least` or greater; port 0 is no interface.
static uint32_t interface_list_first(const struct fabric *fabric, uint32_t node, uint32_t least)
{
    const struct fabric_node *of = &fabric->nodes[node];
    const uint32_t number = least > 0 ? least : 1;
    uint32_t at;
    SEARCH_FIRST(at, of->first_port, of->first_port + of->ports, fabric->ports[at].number < number);
    return at;
}

static uint32_t interface_list_end(const struct fabric *fabric, uint32_t node)
{
    return fabric->nodes[node].first_port + fabric->nodes[node].ports;
}

struct interface_list *interface_list_make(const struct fabric *fabric,
                                           const struct node_numbers *numbers, enum contexts_of of)
{
    const size_t count = fabric ? node_numbers_count(numbers) : 0;
    struct interface_list *list = memory_zeroed(1, sizeof *list + count * sizeof *list->nodes);
    for (size_t i = 0; i < count; i++) {
        const struct node_number *one = node_numbers_at(numbers, i);
        const uint32_t node = fabric_find_node(fabric, one->guid);
        if (node == FABRIC_NONE || !interface_list_wants(&fabric->nodes[node], of))
            continue;
        list->nodes[list->count++] = (struct interface_node){one->number, node};
        list->interfaces +=
            interface_list_end(fabric, node) - interface_list_first(fabric, node, 1);
    }
    return list;
}

bool interface_list_number(struct journal *journal, const struct fabric *fabric,
                           enum contexts_of of)
{
    uint64_t *guids = memory_get(fabric->node_count * sizeof *guids);
    size_t n = 0;
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        if (interface_list_wants(&fabric->nodes[i], of))
            guids[n++] = fabric->nodes[i].guid;
    }
    const bool numbered = journal_number_nodes(journal, guids, n);
    free(guids);
    return numbered;
}

uint32_t interface_list_find(const struct interface_list *list, const struct fabric *fabric,
                             uint32_t least, uint32_t *node, uint32_t *port)
{
    const uint32_t number = least / NODE_NUMBERS_STEP;
    size_t at;
    SEARCH_FIRST(at, 0, list->count, list->nodes[at].number < number);
    for (; at < list->count; at++) {
        const struct interface_node *one = &list->nodes[at];
        const uint32_t from = one->number == number ? least % NODE_NUMBERS_STEP : 0;
        *node = one->node;
        *port = interface_list_first(fabric, one->node, from);
        if (*port < interface_list_end(fabric, one->node))
            return one->number * NODE_NUMBERS_STEP + fabric->ports[*port].number;
    }
    return 0;
}
