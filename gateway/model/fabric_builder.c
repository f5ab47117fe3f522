// SPDX-License-Identifier: BSD-2-Clause
#include "model/fabric_builder.h"

#include "base/hash.h"
#include "base/memory.h"
#include "model/address.h"
#include "model/node_name.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A hash table from keys to numbers: open addressing, at most half full.
struct table {
    struct slot {
        uint64_t key;
        uint32_t value; // FABRIC_NONE: the slot is free
    } * slots;
    size_t size; // a power of two, or 0
    size_t used;
    bool chosen; // the nodes of the fabric choose the keys
};

struct port_entry {
    uint32_t node; // the builder's number, like the port's peer_node
    struct fabric_port port;
};

struct array {
    void *items;
    uint32_t count, capacity;
};

struct fabric_builder {
    struct array nodes;       // of struct fabric_node
    struct array ports;       // of struct port_entry
    struct array sms;         // of struct fabric_sm, in order of arrival
    struct array controllers; // of struct fabric_controller, in order of arrival
    struct array pkey_tables; // of struct fabric_pkey_table, one for each port at most
    struct array pkeys;       // of uint16_t
    uint32_t pkey_tables_left_out;
    struct table by_guid, by_port;
};

static uint64_t fabric_builder_mix(uint64_t key)
{
    key = (key ^ key >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    key = (key ^ key >> 29) * UINT64_C(0xD6E8FEB86659FD93);
    return key ^ key >> 32;
}

static struct hash secret; // no table: only for the secret of the digests

void fabric_builder_seed(const struct random *random)
{
    random->fill(random->ctx, secret.secret, sizeof secret.secret);
}

// Where to look for a key first. Consecutive keys, for instance the keys of a node's ports,
// begin in the same cache line. Keys of strangers begin at places that nobody can choose.
static uint64_t fabric_builder_digest(const struct table *table, uint64_t key)
{
    return table->chosen ? hash_digest(&secret, &key, sizeof key)
                         : fabric_builder_mix(key >> 2) << 2 | (key & 3);
}

// The key's slot, or a free slot for the key.
static struct slot *fabric_builder_find_slot(const struct table *table, uint64_t key)
{
    size_t i = (size_t)fabric_builder_digest(table, key) & (table->size - 1);
    // NOLINTNEXTLINE(clang-analyzer-core.*): table_reserve sets every value
    while (table->slots[i].value != FABRIC_NONE && table->slots[i].key != key)
        i = (i + 1) & (table->size - 1);
    return &table->slots[i];
}

static uint32_t fabric_builder_look_up(const struct table *table, uint64_t key)
{
    return table->size > 0 ? fabric_builder_find_slot(table, key)->value : FABRIC_NONE;
}

static void fabric_builder_grow(struct table *table)
{
    if (table->used < table->size / 2)
        return;
    struct table larger = *table;
    larger.size = table->size > 0 ? table->size * 2 : 64;
    larger.slots = memory_get(larger.size * sizeof *larger.slots);
    for (size_t i = 0; i < larger.size; i++)
        larger.slots[i].value = FABRIC_NONE;
    for (size_t i = 0; i < table->size; i++) {
        if (table->slots[i].value != FABRIC_NONE)
            *fabric_builder_find_slot(&larger, table->slots[i].key) = table->slots[i];
    }
    free(table->slots);
    *table = larger;
}

// Adds a new key.
static void fabric_builder_enter(struct table *table, uint64_t key, uint32_t value)
{
    fabric_builder_grow(table);
    *fabric_builder_find_slot(table, key) = (struct slot){key, value};
    table->used++;
}

// Copies an item to the end of the array and returns the copy. Returns NULL if the array has
// `limit` items.
static void *fabric_builder_append(struct array *array, const void *item, size_t item_size,
                                   uint32_t limit)
{
    if (array->count == limit)
        return NULL;
    if (array->count == array->capacity) {
        array->capacity = array->capacity > 0 ? array->capacity * 2 : 64;
        array->items = memory_resize(array->items, array->capacity, item_size);
    }
    assert(array->items);
    return memcpy((char *)array->items + array->count++ * item_size, item, item_size);
}

struct fabric_builder *fabric_builder_new(void)
{
    struct fabric_builder *builder = memory_zeroed(1, sizeof *builder);
    builder->by_guid.chosen = true;
    return builder;
}

static void fabric_builder_free_table(struct table *table)
{
    free(table->slots);
    *table = (struct table){.size = 0};
}

void fabric_builder_free(struct fabric_builder *builder)
{
    if (!builder)
        return;
    free(builder->nodes.items);
    free(builder->ports.items);
    free(builder->sms.items);
    free(builder->controllers.items);
    free(builder->pkey_tables.items);
    free(builder->pkeys.items);
    fabric_builder_free_table(&builder->by_guid);
    fabric_builder_free_table(&builder->by_port);
    free(builder);
}

uint32_t fabric_builder_find(const struct fabric_builder *builder, uint64_t guid)
{
    return fabric_builder_look_up(&builder->by_guid, guid);
}

struct fabric_node *fabric_builder_get(struct fabric_builder *builder, uint32_t node)
{
    assert(node < builder->nodes.count);
    return (struct fabric_node *)builder->nodes.items + node;
}

uint32_t fabric_builder_node(struct fabric_builder *builder, const struct fabric_node *node)
{
    uint32_t number = fabric_builder_find(builder, node->guid);
    if (number != FABRIC_NONE)
        return number;
    struct fabric_node *added =
        fabric_builder_append(&builder->nodes, node, sizeof *node, FABRIC_NODES_MAX);
    if (!added)
        return FABRIC_NONE;
    added->first_port = 0;
    added->ports = 0;
    number = builder->nodes.count - 1;
    fabric_builder_enter(&builder->by_guid, node->guid, number);
    return number;
}

static struct port_entry *fabric_builder_entries(const struct fabric_builder *builder)
{
    return builder->ports.items;
}

static uint64_t fabric_builder_port_key(uint32_t node, uint8_t number)
{
    return (uint64_t)node << 8 | number;
}

struct fabric_port *fabric_builder_get_port(struct fabric_builder *builder, uint32_t node,
                                            uint8_t number)
{
    uint32_t i = fabric_builder_look_up(&builder->by_port, fabric_builder_port_key(node, number));
    return i != FABRIC_NONE ? &fabric_builder_entries(builder)[i].port : NULL;
}

// The port, or a new one with nothing but its number. Returns NULL if there is no room.
static struct fabric_port *fabric_builder_need_port(struct fabric_builder *builder, uint32_t node,
                                                    uint8_t number)
{
    assert(node < builder->nodes.count);
    struct fabric_port *port = fabric_builder_get_port(builder, node, number);
    if (port)
        return port;
    const struct port_entry entry = {node, {.number = number, .peer_node = FABRIC_NONE}};
    struct port_entry *added =
        fabric_builder_append(&builder->ports, &entry, sizeof entry, FABRIC_PORTS_MAX);
    if (!added)
        return NULL;
    fabric_builder_enter(&builder->by_port, fabric_builder_port_key(node, number),
                         builder->ports.count - 1);
    fabric_builder_get(builder, node)->ports++;
    return &added->port;
}

bool fabric_builder_port(struct fabric_builder *builder, uint32_t node,
                         const struct fabric_port *port)
{
    struct fabric_port *place = fabric_builder_need_port(builder, node, port->number);
    if (!place)
        return false;
    const struct fabric_port before = *place;
    *place = *port;
    place->peer_node = before.peer_node;
    place->peer_port = before.peer_port;
    place->detail.has_pkeys = before.detail.has_pkeys;
    return true;
}

void fabric_builder_each_port(struct fabric_builder *builder,
                              void (*each)(void *ctx, uint32_t node, struct fabric_port *port),
                              void *ctx)
{
    for (uint32_t i = 0; i < builder->ports.count; i++)
        each(ctx, fabric_builder_entries(builder)[i].node,
             &fabric_builder_entries(builder)[i].port);
}

static void fabric_builder_unlink(struct fabric_port *port)
{
    port->peer_node = FABRIC_NONE;
    port->peer_port = 0;
}

static void fabric_builder_cut(struct fabric_builder *builder, struct fabric_port *port)
{
    if (port->peer_node == FABRIC_NONE)
        return;
    fabric_builder_unlink(fabric_builder_get_port(builder, port->peer_node, port->peer_port));
    fabric_builder_unlink(port);
}

bool fabric_builder_link(struct fabric_builder *builder, uint32_t node, uint8_t port, uint32_t peer,
                         uint8_t peer_port)
{
    if (!fabric_builder_need_port(builder, node, port))
        return false;
    struct fabric_port *b = fabric_builder_need_port(builder, peer, peer_port);
    if (!b)
        return false;
    struct fabric_port *a = fabric_builder_get_port(builder, node, port); // b may have moved it
    fabric_builder_cut(builder, a);
    fabric_builder_cut(builder, b);
    if (a == b)
        return true;
    a->peer_node = peer;
    a->peer_port = peer_port;
    b->peer_node = node;
    b->peer_port = port;
    return true;
}

bool fabric_builder_sm(struct fabric_builder *builder, const struct fabric_sm *sm)
{
    assert(sm->node < builder->nodes.count);
    return fabric_builder_append(&builder->sms, sm, sizeof *sm, FABRIC_SMS_MAX) != NULL;
}

bool fabric_builder_controller(struct fabric_builder *builder,
                               const struct fabric_controller *controller)
{
    assert(controller->node < builder->nodes.count);
    return fabric_builder_append(&builder->controllers, controller, sizeof *controller,
                                 FABRIC_CONTROLLERS_MAX) != NULL;
}

static int fabric_builder_compare_pkeys(const void *a, const void *b)
{
    enum { FULL = 0x8000 };
    const uint16_t x = *(const uint16_t *)a, y = *(const uint16_t *)b;
    const int order = (x & ~FULL) - (y & ~FULL);
    return order != 0 ? order : y - x;
}

// Appends each P_Key once. Returns false if there is no room.
static bool fabric_builder_add_pkeys(struct array *to, const uint16_t *sorted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool repeated = i > 0 && sorted[i] == sorted[i - 1];
        if (!repeated && !fabric_builder_append(to, &sorted[i], sizeof *sorted, FABRIC_PKEYS_MAX))
            return false;
    }
    return true;
}

bool fabric_builder_pkeys(struct fabric_builder *builder, uint32_t node, uint8_t port,
                          const uint16_t *pkeys, size_t count)
{
    uint16_t sorted[FABRIC_PORT_PKEYS_MAX];
    size_t used = 0;
    struct fabric_port *place = fabric_builder_get_port(builder, node, port);
    if (!place || place->detail.has_pkeys)
        return true;
    assert(count <= FABRIC_PORT_PKEYS_MAX);
    for (size_t i = 0; i < count; i++) {
        if ((pkeys[i] & 0x7FFF) != 0)
            sorted[used++] = pkeys[i];
    }
    qsort(sorted, used, sizeof *sorted, fabric_builder_compare_pkeys);
    struct fabric_pkey_table table = {node, builder->pkeys.count, 0, port};
    const bool added = fabric_builder_add_pkeys(&builder->pkeys, sorted, used);
    table.count = (uint16_t)(builder->pkeys.count - table.first);
    if (!added ||
        !fabric_builder_append(&builder->pkey_tables, &table, sizeof table, FABRIC_PORTS_MAX)) {
        builder->pkeys.count = table.first;
        builder->pkey_tables_left_out++;
        return false;
    }
    place->detail.has_pkeys = true;
    return true;
}

// A key and the place of its item, to be sorted by fabric_builder_finish.
struct sortable {
    uint64_t key;
    uint32_t at;
};

static int fabric_builder_compare_sortable(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void fabric_builder_sort(struct sortable *items, uint32_t count)
{
    qsort(items, count, sizeof *items, fabric_builder_compare_sortable);
}

// Keeps the latest item of each key; returns how many are left.
static uint32_t fabric_builder_keep_latest(struct sortable *items, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 == count || items[i].key != items[i + 1].key)
            items[kept++] = items[i];
    }
    return kept;
}

// The arrays of the new snapshot.
struct shape {
    struct fabric *fabric;
    struct fabric_node *nodes;
    struct fabric_port *ports;
    struct fabric_sm *sms;
    struct fabric_controller *controllers;
    struct fabric_port_key *port_guids;
    struct fabric_pkey_table *pkey_tables;
    uint32_t *lids;
    uint16_t *pkeys;
    uint32_t *index_of;     // index of each node, by the builder's number
    struct sortable *order; // room for the largest list to sort
};

static uint32_t fabric_builder_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void *fabric_builder_carve(char **next, size_t size)
{
    void *piece = *next;
    *next += size;
    return piece;
}

// The first LID behind the port's unicast LIDs; 0: the port has no LID. A host's port that is down
// may have kept a LID that belongs to another port now.
static uint32_t fabric_builder_end_of_lids(const struct fabric_port *port)
{
    const uint32_t end = port->lid + (1u << (port->lmc & 7));
    const bool is_down = port->number != 0 && port->state == FABRIC_DOWN;
    if (port->lid == 0 || port->lid > ADDRESS_LID_UNICAST_MAX || is_down)
        return 0;
    return end <= ADDRESS_LID_UNICAST_MAX ? end : ADDRESS_LID_UNICAST_MAX + 1;
}

static uint32_t fabric_builder_count_lids(const struct fabric_builder *b)
{
    const struct port_entry *ports = b->ports.items;
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->ports.count; i++)
        count = fabric_builder_larger(count, fabric_builder_end_of_lids(&ports[i].port));
    return count;
}

// Allocates the snapshot and its arrays in one block of memory, in order of decreasing alignment.
static void fabric_builder_make_shape(struct shape *shape, const struct fabric_builder *b)
{
    const uint32_t lid_count = fabric_builder_count_lids(b);
    const size_t sizes[] = {
        sizeof(struct fabric),
        b->nodes.count * sizeof(struct fabric_node),
        b->ports.count * sizeof(struct fabric_port),
        b->ports.count * sizeof(struct fabric_port_key),
        b->sms.count * sizeof(struct fabric_sm),
        b->controllers.count * sizeof(struct fabric_controller),
        b->pkey_tables.count * sizeof(struct fabric_pkey_table),
        lid_count * sizeof(uint32_t),
        b->pkeys.count * sizeof(uint16_t),
    };
    size_t total = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        total += sizes[i];
    uint32_t most =
        fabric_builder_larger(fabric_builder_larger(b->nodes.count, b->ports.count),
                              fabric_builder_larger(b->sms.count, b->controllers.count));
    char *next = memory_zeroed(1, total);
    shape->fabric = (struct fabric *)(void *)next;
    shape->index_of = memory_get(b->nodes.count * sizeof *shape->index_of);
    shape->order = memory_get(most * sizeof *shape->order);
    fabric_builder_carve(&next, sizes[0]);
    shape->nodes = fabric_builder_carve(&next, sizes[1]);
    shape->ports = fabric_builder_carve(&next, sizes[2]);
    shape->port_guids = fabric_builder_carve(&next, sizes[3]);
    shape->sms = fabric_builder_carve(&next, sizes[4]);
    shape->controllers = fabric_builder_carve(&next, sizes[5]);
    shape->pkey_tables = fabric_builder_carve(&next, sizes[6]);
    shape->lids = fabric_builder_carve(&next, sizes[7]);
    shape->pkeys = fabric_builder_carve(&next, sizes[8]);
    shape->fabric->lid_count = lid_count;
}

static_assert(sizeof(struct fabric) % 8 == 0 && sizeof(struct fabric_node) % 8 == 0 &&
                  sizeof(struct fabric_port) % 8 == 0 && sizeof(struct fabric_port_key) % 8 == 0 &&
                  sizeof(struct fabric_sm) % 8 == 0 && sizeof(struct fabric_controller) % 8 == 0 &&
                  sizeof(struct fabric_pkey_table) % 4 == 0,
              "the arrays follow each other in one piece of memory");

static void fabric_builder_place_nodes(struct shape *shape, const struct fabric_builder *builder)
{
    const struct fabric_node *nodes = builder->nodes.items;
    uint32_t count = builder->nodes.count, first_port = 0;
    for (uint32_t i = 0; i < count; i++)
        shape->order[i] = (struct sortable){.key = nodes[i].guid, .at = i};
    fabric_builder_sort(shape->order, count);
    for (uint32_t i = 0; i < count; i++) {
        struct fabric_node *node = &shape->nodes[i];
        *node = nodes[shape->order[i].at];
        node->first_port = first_port;
        first_port += node->ports;
        shape->index_of[shape->order[i].at] = i;
    }
    shape->fabric->node_count = count;
}

static bool fabric_builder_is_one_host(const struct fabric_node *node, uint32_t count)
{
    return node->type == FABRIC_CA && count <= FABRIC_BUILDER_HOST_MAX &&
           !strchr(node->description, ' ');
}

// Marks the namesakes among the nodes order[first] to order[end - 1], of one description.
static void fabric_builder_mark_namesakes(struct shape *shape, uint32_t first, uint32_t end)
{
    const struct fabric_node *one = NULL;
    uint32_t answering = 0;
    bool several = false;
    for (uint32_t i = first; i < end; i++) {
        const struct fabric_node *node = &shape->nodes[shape->order[i].at];
        if (node->silent)
            continue;
        one = one ? one : node;
        several |= node->system_guid == 0 ? node != one : node->system_guid != one->system_guid;
        answering++;
    }
    if (!several || fabric_builder_is_one_host(one, answering))
        return;
    for (uint32_t i = first; i < end; i++)
        shape->nodes[shape->order[i].at].namesake = true;
}

// Two descriptions with one digest count as one: nobody can choose them, and there is only one name
// less.
static void fabric_builder_find_namesakes(struct shape *shape)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shape->fabric->node_count; i++) {
        struct fabric_node *node = &shape->nodes[i];
        node->namesake = false;
        node->nameless = node_name_is_of_factory(node->description);
        if (!node->nameless)
            shape->order[count++] = (struct sortable){
                hash_digest(&secret, node->description, strlen(node->description)), i};
    }
    fabric_builder_sort(shape->order, count);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && shape->order[end].key == shape->order[first].key;)
            end++;
        if (end > first + 1)
            fabric_builder_mark_namesakes(shape, first, end);
    }
}

static void fabric_builder_place_ports(struct shape *shape, const struct fabric_builder *builder)
{
    const struct port_entry *ports = builder->ports.items;
    uint32_t count = builder->ports.count;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key =
            fabric_builder_port_key(shape->index_of[ports[i].node], ports[i].port.number);
        shape->order[i] = (struct sortable){.key = key, .at = i};
    }
    fabric_builder_sort(shape->order, count);
    for (uint32_t i = 0; i < count; i++) {
        struct fabric_port *port = &shape->ports[i];
        *port = ports[shape->order[i].at].port;
        if (port->peer_node != FABRIC_NONE)
            port->peer_node = shape->index_of[port->peer_node];
    }
    shape->fabric->port_count = count;
}

static void fabric_builder_place_sms(struct shape *shape, const struct fabric_builder *builder)
{
    const struct fabric_sm *sms = builder->sms.items;
    for (uint32_t i = 0; i < builder->sms.count; i++)
        shape->order[i] = (struct sortable){.key = sms[i].guid, .at = i};
    fabric_builder_sort(shape->order, builder->sms.count);
    uint32_t count = fabric_builder_keep_latest(shape->order, builder->sms.count);
    for (uint32_t i = 0; i < count; i++) {
        shape->sms[i] = sms[shape->order[i].at];
        shape->sms[i].node = shape->index_of[shape->sms[i].node];
    }
    shape->fabric->sm_count = count;
}

static void fabric_builder_place_controllers(struct shape *shape,
                                             const struct fabric_builder *builder)
{
    const struct fabric_controller *all = builder->controllers.items;
    for (uint32_t i = 0; i < builder->controllers.count; i++) {
        uint64_t key = (uint64_t)shape->index_of[all[i].node] << 8 | all[i].slot;
        shape->order[i] = (struct sortable){.key = key, .at = i};
    }
    fabric_builder_sort(shape->order, builder->controllers.count);
    uint32_t count = fabric_builder_keep_latest(shape->order, builder->controllers.count);
    for (uint32_t i = 0; i < count; i++) {
        shape->controllers[i] = all[shape->order[i].at];
        shape->controllers[i].node = shape->index_of[shape->controllers[i].node];
    }
    shape->fabric->controller_count = count;
}

static void fabric_builder_place_pkeys(struct shape *shape, const struct fabric_builder *builder)
{
    const struct fabric_pkey_table *all = builder->pkey_tables.items;
    const uint16_t *pkeys = builder->pkeys.items;
    const uint32_t count = builder->pkey_tables.count;
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        shape->order[i] = (struct sortable){
            fabric_builder_port_key(shape->index_of[all[i].node], all[i].port), i};
    fabric_builder_sort(shape->order, count);
    for (uint32_t i = 0; i < count; i++) {
        struct fabric_pkey_table *table = &shape->pkey_tables[i];
        const struct fabric_pkey_table *from = &all[shape->order[i].at];
        *table = *from;
        table->node = shape->index_of[from->node];
        table->first = used;
        for (uint32_t k = 0; k < from->count; k++)
            shape->pkeys[used++] = pkeys[from->first + k];
    }
    shape->fabric->pkey_table_count = count;
}

static void fabric_builder_index_port_guids(struct shape *shape)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shape->fabric->port_count; i++) {
        if (shape->ports[i].guid != 0)
            shape->order[count++] = (struct sortable){.key = shape->ports[i].guid, .at = i};
    }
    fabric_builder_sort(shape->order, count);
    for (uint32_t i = 0; i < count; i++)
        shape->port_guids[i] = (struct fabric_port_key){shape->order[i].key, shape->order[i].at};
    shape->fabric->port_guid_count = count;
}

// If two ports claim a LID, the first port in the order of the snapshot gets the LID.
static void fabric_builder_index_lids(struct shape *shape)
{
    for (uint32_t lid = 0; lid < shape->fabric->lid_count; lid++)
        shape->lids[lid] = FABRIC_NONE;
    for (uint32_t i = 0; i < shape->fabric->port_count; i++) {
        const struct fabric_port *port = &shape->ports[i];
        if (port->lid == 0)
            continue;
        for (uint32_t lid = port->lid; lid < fabric_builder_end_of_lids(port); lid++) {
            if (shape->lids[lid] == FABRIC_NONE)
                shape->lids[lid] = i;
        }
    }
}

static void fabric_builder_fill(struct shape *shape, const struct fabric_builder *builder)
{
    fabric_builder_place_nodes(shape, builder);
    fabric_builder_find_namesakes(shape);
    fabric_builder_place_ports(shape, builder);
    fabric_builder_place_sms(shape, builder);
    fabric_builder_place_controllers(shape, builder);
    fabric_builder_place_pkeys(shape, builder);
    fabric_builder_index_port_guids(shape);
    fabric_builder_index_lids(shape);
    struct fabric *fabric = shape->fabric;
    fabric->references = 1;
    fabric->nodes = shape->nodes;
    fabric->ports = shape->ports;
    fabric->sms = shape->sms;
    fabric->controllers = shape->controllers;
    fabric->pkey_tables = shape->pkey_tables;
    fabric->pkeys = shape->pkeys;
    fabric->pkey_tables_left_out = builder->pkey_tables_left_out;
    fabric->port_guids = shape->port_guids;
    fabric->lids = shape->lids;
}

struct fabric *fabric_builder_finish(struct fabric_builder *builder, int64_t time_us,
                                     uint64_t subnet_prefix, bool complete)
{
    struct shape shape = {0};
    fabric_builder_free_table(&builder->by_guid); // no longer needed; the snapshot needs the memory
    fabric_builder_free_table(&builder->by_port);
    fabric_builder_make_shape(&shape, builder);
    fabric_builder_fill(&shape, builder);
    shape.fabric->time_us = time_us;
    shape.fabric->subnet_prefix = subnet_prefix;
    shape.fabric->complete = complete;
    free(shape.index_of);
    free(shape.order);
    fabric_builder_free(builder);
    return shape.fabric;
}
