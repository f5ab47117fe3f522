// SPDX-License-Identifier: BSD-2-Clause
#include "control/known_nodes.h"

#include "model/filter.h"

#include <stdio.h>
#include <string.h>

enum { NODES_MAX = 20000 }; // that one request looks at

static bool known_nodes_fit_guid(const struct fabric *fabric, const struct fabric_node *node,
                                 const struct filter_list *list)
{
    if (filter_list_has_guid(list, node->guid))
        return true;
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        if (filter_list_has_guid(list, fabric->ports[i].guid))
            return true;
    }
    return false;
}

bool known_nodes_fit(const struct control *control, const char *pattern)
{
    const struct fabric *fabric = control->fabric;
    const bool is_guid = strncmp(pattern, "0x", 2) == 0;
    struct filter_list list = {.count = 1};
    snprintf(list.patterns[0], sizeof list.patterns[0], "%s", pattern);
    const uint32_t looked_at = !fabric                          ? 0
                               : fabric->node_count < NODES_MAX ? fabric->node_count
                                                                : NODES_MAX;
    for (uint32_t i = 0; i < looked_at; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        const char *name = names_find(control->names, node->guid);
        if (is_guid ? known_nodes_fit_guid(fabric, node, &list)
                    : filter_list_has(&list, name ? name : node->description))
            return true;
    }
    return !fabric || looked_at < fabric->node_count;
}
