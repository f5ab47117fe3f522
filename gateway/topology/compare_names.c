// SPDX-License-Identifier: BSD-2-Clause
#include "topology/compare.h"

#include <string.h>

static void add_renamed(struct comparison *t, uint32_t before, uint32_t after)
{
    const struct fabric_node *node = &t->after.fabric->nodes[after];
    const char *old = t->before.fabric->nodes[before].description;
    if (old[0] == '\0' || node->description[0] == '\0' || strcmp(old, node->description) == 0)
        return;
    struct change *change = comparison_add_change(t, CATALOGUE_NODE_RENAMED, NULL);
    comparison_set_subject_node(t, &t->after, after, change);
    struct text text = text_in(change->reason, sizeof change->reason);
    text_add(&text, old);
    if (names_find(t->names, node->guid))
        text_addf(&text, ", the new one is %s; the node-name-map's name stays", node->description);
}

static void add_lid(struct comparison *t, uint32_t before, uint32_t after)
{
    const struct fabric_port *old = &t->before.fabric->ports[before];
    const struct fabric_port *new = &t->after.fabric->ports[after];
    uint32_t node = fabric_node_of_port(t->after.fabric, after);
    bool has_lid = new->number == 0 || !comparison_is_switch(t->after.fabric, node);
    if (!has_lid || !old->known || !new->known || old->lid == 0 || new->lid == 0 ||
        old->lid == new->lid)
        return;
    struct change *change = comparison_add_change(t, CATALOGUE_LID_CHANGED, NULL);
    comparison_set_subject_port(t, &t->after, after, change);
    struct text text = text_in(change->reason, sizeof change->reason);
    text_addf(&text, "%u", old->lid);
}

void compare_names(struct comparison *t)
{
    for (uint32_t i = 0; i < t->item_count; i++) {
        if (t->items[i].kind == DIFF_NODE_ALTERED)
            add_renamed(t, t->items[i].before, t->items[i].after);
    }
    for (uint32_t i = 0; i < t->before.port_count; i++) {
        uint32_t counterpart =
            comparison_counterpart_port(&t->before, &t->after, t->before.ports[i]);
        if (counterpart != FABRIC_NONE)
            add_lid(t, t->before.ports[i], counterpart);
    }
}
