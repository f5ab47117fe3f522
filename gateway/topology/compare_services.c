// SPDX-License-Identifier: BSD-2-Clause
#include "topology/compare.h"

#include "base/search.h"
#include "topology/describe.h"

#include <string.h>

// The change that explains why a service of the node came or went: the node, or its I/O unit, came
// or went.
static uint32_t compare_services_cause(const struct comparison *t,
                                       const struct comparison_side *side, uint32_t node)
{
    uint32_t change = side->node_change[node];
    return comparison_is_move(t, change) ? FABRIC_NONE : change;
}

// Adds the subnet managers of one side alone.
static void compare_services_add_sms(struct comparison *t, const struct comparison_side *side,
                                     enum catalogue_event type)
{
    for (uint32_t i = 0; i < side->port_count; i++) {
        uint32_t port = side->ports[i];
        if (!comparison_has_capability(side->fabric, port, FABRIC_IS_SM))
            continue;
        uint32_t counterpart = comparison_counterpart_port(side, port);
        if (counterpart != FABRIC_NONE &&
            (!side->other->fabric->ports[counterpart].known ||
             comparison_has_capability(side->other->fabric, counterpart, FABRIC_IS_SM)))
            continue;
        struct change *change = comparison_add_change(t, type, NULL);
        comparison_describe_link(side->fabric, port, t->names, change);
        change->sm_guid = change->subject.guid;
        change->cause = compare_services_cause(t, side, fabric_node_of_port(side->fabric, port));
        comparison_guid_key(change->alarm_key, ALARM_KEY_SM, change->sm_guid);
    }
}

// Whether a node has an I/O unit.
enum unit { UNIT_NONE, UNIT_UNKNOWN, UNIT_THERE };

static enum unit compare_services_unit(const struct fabric *fabric, uint32_t node)
{
    enum unit unit = UNIT_NONE;
    const struct fabric_node *n = &fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (comparison_has_capability(fabric, i, FABRIC_IS_DM))
            return UNIT_THERE;
        if (!fabric->ports[i].known)
            unit = UNIT_UNKNOWN;
    }
    return unit;
}

// Adds the I/O units of one side alone. The change of a unit becomes the cause of the changes of
// its controllers.
static void compare_services_add_units(struct comparison *t, struct comparison_side *side,
                                       enum catalogue_event type)
{
    uint32_t last = FABRIC_NONE;
    for (uint32_t i = 0; i < side->port_count; i++) {
        uint32_t node = fabric_node_of_port(side->fabric, side->ports[i]);
        if (node == last)
            continue;
        last = node;
        if (compare_services_unit(side->fabric, node) != UNIT_THERE)
            continue;
        uint32_t counterpart = side->counterpart[node];
        if (counterpart != FABRIC_NONE &&
            compare_services_unit(side->other->fabric, counterpart) != UNIT_NONE)
            continue;
        uint32_t index;
        struct change *change = comparison_add_change(t, type, &index);
        comparison_set_subject_node(t, side, node, change);
        change->cause = compare_services_cause(t, side, node);
        comparison_guid_key(change->alarm_key, ALARM_KEY_IO_UNIT, side->fabric->nodes[node].guid);
        side->node_change[node] = index;
    }
}

static bool compare_services_is_before(const struct fabric_controller *c, uint32_t node,
                                       uint8_t slot)
{
    return c->node < node || (c->node == node && c->slot < slot);
}

static const struct fabric_controller *compare_services_find_controller(const struct fabric *fabric,
                                                                        uint32_t node, uint8_t slot)
{
    uint32_t at;
    SEARCH_FIRST(at, 0, fabric->controller_count,
                 compare_services_is_before(&fabric->controllers[at], node, slot));
    const struct fabric_controller *c = &fabric->controllers[at];
    bool found = at < fabric->controller_count && c->node == node && c->slot == slot;
    return found ? c : NULL;
}

// Whether the other side has the same controller, perhaps by another name.
static bool compare_services_is_on_other(const struct comparison_side *side,
                                         const struct fabric_controller *controller)
{
    uint32_t counterpart = side->counterpart[controller->node];
    const struct fabric_controller *same =
        counterpart != FABRIC_NONE
            ? compare_services_find_controller(side->other->fabric, counterpart, controller->slot)
            : NULL;
    return same && same->guid == controller->guid;
}

static void compare_services_add_controller(struct comparison *t,
                                            const struct comparison_side *side, uint32_t index,
                                            enum catalogue_event type)
{
    const struct fabric_controller *controller = &side->fabric->controllers[index];
    if (compare_services_is_on_other(side, controller))
        return;
    struct change *change = comparison_add_change(t, type, NULL);
    comparison_set_subject_node(t, side, controller->node, change);
    change->peer = (struct endpoint){.guid = controller->guid, .port = controller->slot};
    text_clean(controller->name, strlen(controller->name), change->peer.name,
               sizeof change->peer.name);
    change->cause = compare_services_cause(t, side, controller->node);
    comparison_guid_key(change->alarm_key, ALARM_KEY_IO_CONTROLLER, controller->guid);
}

static void compare_services_add_controllers(struct comparison *t,
                                             const struct comparison_side *side,
                                             enum diff_kind kind, enum catalogue_event type)
{
    for (uint32_t i = 0; i < t->item_count; i++) {
        const struct diff_item *item = &t->items[i];
        if (item->kind == kind)
            compare_services_add_controller(t, side,
                                            side == &t->before ? item->before : item->after, type);
    }
}

void compare_masters(struct comparison *t, const struct endpoint *former)
{
    const struct fabric *after = t->after.fabric;
    uint32_t master = fabric_master(after);
    if (master == FABRIC_NONE || after->sms[master].guid == former->guid)
        return;
    const struct fabric_sm *sm = &after->sms[master];
    struct change *change = comparison_add_change(t, CATALOGUE_SM_FAILED_OVER, NULL);
    describe_sm(after, master, t->names, &change->subject);
    change->peer = *former;
    change->sm_guid = sm->guid;
    uint32_t port = fabric_find_port(after, sm->node, sm->port);
    if (port != FABRIC_NONE)
        change->switch_guid = comparison_switch_guid(after, port);
}

static void compare_services_add_failover(struct comparison *t)
{
    uint32_t master = fabric_master(t->before.fabric);
    struct endpoint former;
    if (master == FABRIC_NONE)
        return;
    describe_sm(t->before.fabric, master, t->names, &former);
    compare_masters(t, &former);
}

void compare_services(struct comparison *t)
{
    compare_services_add_sms(t, &t->before, CATALOGUE_SM_VANISHED);
    compare_services_add_sms(t, &t->after, CATALOGUE_SM_APPEARED);
    compare_services_add_failover(t);
    compare_services_add_units(t, &t->before, CATALOGUE_IO_UNIT_REMOVED);
    compare_services_add_units(t, &t->after, CATALOGUE_IO_UNIT_ADDED);
    compare_services_add_controllers(t, &t->before, DIFF_CONTROLLER_REMOVED,
                                     CATALOGUE_IO_CONTROLLER_REMOVED);
    compare_services_add_controllers(t, &t->after, DIFF_CONTROLLER_ADDED,
                                     CATALOGUE_IO_CONTROLLER_ADDED);
}
