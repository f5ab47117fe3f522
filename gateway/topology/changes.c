#include "topology/changes.h"

#include "base/wire.h"
#include "topology/comparison.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *make_indices(uint32_t count)
{
    uint32_t *indices = malloc(((size_t)count + 1) * sizeof *indices);
    if (indices)
        memset(indices, 0xFF, ((size_t)count + 1) * sizeof *indices); // FABRIC_NONE
    return indices;
}

static bool open_side(struct comparison_side *side, const struct fabric *fabric)
{
    side->fabric = fabric;
    side->counterpart = make_indices(fabric->node_count);
    side->node_change = make_indices(fabric->node_count);
    side->port_change = make_indices(fabric->port_count);
    side->touched = calloc((size_t)fabric->port_count + 1, sizeof *side->touched);
    side->ports = malloc(((size_t)fabric->port_count + 1) * sizeof *side->ports);
    return side->counterpart && side->node_change && side->port_change && side->touched &&
           side->ports;
}

static void close_side(struct comparison_side *side)
{
    free(side->counterpart);
    free(side->node_change);
    free(side->port_change);
    free(side->touched);
    free(side->ports);
}

static void find_counterparts(struct comparison_side *before, struct comparison_side *after)
{
    uint32_t i = 0, j = 0;
    while (i < before->fabric->node_count && j < after->fabric->node_count) {
        uint64_t a = before->fabric->nodes[i].guid, b = after->fabric->nodes[j].guid;
        if (a == b) {
            before->counterpart[i] = j;
            after->counterpart[j] = i;
        }
        i += a <= b;
        j += b <= a;
    }
}

static void touch(struct comparison_side *side, uint32_t port)
{
    side->touched[port] = true;
    side->ports[side->port_count++] = port;
}

static void touch_all(struct comparison_side *side, uint32_t node)
{
    const struct fabric_node *n = &side->fabric->nodes[node];
    side->alone++;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++)
        touch(side, i);
}

static void keep_item(struct comparison *t, const struct diff_item *item)
{
    if (t->item_count == t->item_capacity) {
        uint32_t capacity = t->item_capacity > 0 ? t->item_capacity * 2 : 16;
        struct diff_item *items = realloc(t->items, capacity * sizeof *items);
        if (!items) {
            t->out->cut = true;
            return;
        }
        t->items = items;
        t->item_capacity = capacity;
    }
    t->items[t->item_count++] = *item;
}

static void changes_collect(void *ctx, const struct diff_item *item)
{
    struct comparison *t = ctx;
    switch (item->kind) {
    case DIFF_NODE_REMOVED:
        touch_all(&t->before, item->before);
        break;
    case DIFF_NODE_ADDED:
        touch_all(&t->after, item->after);
        break;
    case DIFF_PORT_REMOVED:
    case DIFF_PORT_ADDED:
    case DIFF_PORT_ALTERED:
        if (item->before != FABRIC_NONE)
            touch(&t->before, item->before);
        if (item->after != FABRIC_NONE)
            touch(&t->after, item->after);
        break;
    default:
        keep_item(t, item);
    }
}

void changes_between(const struct fabric *before, const struct fabric *after,
                     const struct names *names, struct changes *out)
{
    struct comparison t = {.names = names, .out = out};
    bool opened = open_side(&t.before, before);
    if (open_side(&t.after, after) && opened) {
        find_counterparts(&t.before, &t.after);
        diff_fabrics(before, after, changes_collect, &t);
        compare_nodes(&t);
        compare_ports(&t);
        compare_links(&t);
        compare_names(&t);
        compare_services(&t);
    } else {
        out->cut = true;
    }
    close_side(&t.before);
    close_side(&t.after);
    free(t.items);
}

void changes_clear(struct changes *changes)
{
    free(changes->all);
    *changes = (struct changes){0};
}

static void changes_set_name(const struct fabric_node *node, uint64_t port_guid,
                             const struct names *names, struct endpoint *out)
{
    const char *name = names_find(names, node->guid);
    if (!name && port_guid != 0)
        name = names_find(names, port_guid);
    if (!name)
        name = node->description;
    struct text text = text_in(out->name, sizeof out->name);
    text_add(&text, name);
}

static void changes_set_gid(const struct fabric *fabric, uint64_t port_guid, struct endpoint *out)
{
    if (port_guid == 0)
        return;
    wire_put(out->gid, 8, fabric->subnet_prefix);
    wire_put(out->gid + 8, 8, port_guid);
}

// The port whose LID and GUID a port goes by: its own, or a switch's port 0; FABRIC_NONE when that
// is unknown.
static uint32_t addressed_port(const struct fabric *fabric, uint32_t node, uint32_t port)
{
    bool is_switch = fabric->nodes[node].type == FABRIC_SWITCH;
    return is_switch ? fabric_find_port(fabric, node, 0) : port;
}

static void set_address(const struct fabric *fabric, uint32_t port, struct endpoint *out)
{
    if (port == FABRIC_NONE)
        return;
    out->lid = fabric->ports[port].lid;
    changes_set_gid(fabric, fabric->ports[port].guid, out);
}

void changes_describe_port(const struct fabric *fabric, uint32_t port, const struct names *names,
                           struct endpoint *out)
{
    uint32_t index = fabric_node_of_port(fabric, port);
    const struct fabric_node *node = &fabric->nodes[index];
    uint64_t guid = fabric->ports[port].guid;
    bool is_node = node->type == FABRIC_SWITCH || guid == 0;
    *out = (struct endpoint){
        .guid = is_node ? node->guid : guid,
        .node_guid = node->guid,
        .type = node->type,
        .port = fabric->ports[port].number,
    };
    set_address(fabric, addressed_port(fabric, index, port), out);
    changes_set_name(node, guid, names, out);
}

// The first of a node's ports that has a GUID, or FABRIC_NONE.
static uint32_t port_with_guid(const struct fabric *fabric, uint32_t node)
{
    const struct fabric_node *n = &fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (fabric->ports[i].guid != 0)
            return i;
    }
    return FABRIC_NONE;
}

void changes_describe_node(const struct fabric *fabric, uint32_t node, const struct names *names,
                           struct endpoint *out)
{
    const struct fabric_node *n = &fabric->nodes[node];
    uint32_t port = port_with_guid(fabric, node);
    *out = (struct endpoint){.guid = n->guid, .node_guid = n->guid, .type = n->type};
    set_address(fabric, addressed_port(fabric, node, port), out);
    changes_set_name(n, port != FABRIC_NONE ? fabric->ports[port].guid : 0, names, out);
}

static bool is_better_master(const struct fabric_sm *a, const struct fabric_sm *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->guid < b->guid;
}

uint32_t changes_master(const struct fabric *fabric)
{
    uint32_t best = FABRIC_NONE;
    for (uint32_t i = 0; i < fabric->sm_count; i++) {
        const struct fabric_sm *sm = &fabric->sms[i];
        if (sm->state == FABRIC_MASTER &&
            (best == FABRIC_NONE || is_better_master(sm, &fabric->sms[best])))
            best = i;
    }
    return best;
}

void changes_describe_sm(const struct fabric *fabric, uint32_t sm, const struct names *names,
                         struct endpoint *out)
{
    const struct fabric_sm *s = &fabric->sms[sm];
    uint32_t port = fabric_find_port(fabric, s->node, s->port);
    if (port != FABRIC_NONE)
        changes_describe_port(fabric, port, names, out);
    else
        changes_describe_node(fabric, s->node, names, out);
    out->guid = s->guid;
    out->lid = s->lid;
}

void changes_add_failover(const struct fabric *after, const struct endpoint *former,
                          const struct names *names, struct changes *out)
{
    struct comparison t = {.out = out};
    uint32_t master = changes_master(after);
    if (master == FABRIC_NONE || after->sms[master].guid == former->guid)
        return;
    const struct fabric_sm *sm = &after->sms[master];
    struct change *change = comparison_add_change(&t, CATALOGUE_SM_FAILED_OVER, NULL);
    changes_describe_sm(after, master, names, &change->subject);
    change->peer = *former;
    change->sm_guid = sm->guid;
    uint32_t port = fabric_find_port(after, sm->node, sm->port);
    if (port != FABRIC_NONE)
        change->switch_guid = comparison_switch_guid(after, port);
}
