// SPDX-License-Identifier: BSD-2-Clause
#include "model/fabric_record.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/wire.h"
#include "model/fabric_builder.h"

#include <string.h>

// A record begins with a head of fixed size: version, whether complete, time. Then follow the
// subnet prefix (8 octets); the nodes, each followed by its ports; the subnet managers; the I/O
// controllers; in version 2, the P_Key tables. A record without tables is of version 1, for older
// versions of ibtrapd. Each list begins with its count. Unless noted otherwise, numbers have seven
// bits in each octet; a high bit means that more octets follow. The later port of a link contains
// the link.
enum { VERSION = 1, VERSION_PKEYS = 2, HEAD_SIZE = 1 + 1 + 8 };

enum port_flag {
    PORT_KNOWN = 1 << 0,
    PORT_SILENT = 1 << 1,
    PORT_NEXT = 1 << 2,    // the number follows the number of the port before
    PORT_GUID = 1 << 3,    // a GUID follows
    PORT_LID = 1 << 4,     // LID and LMC follow
    PORT_ALIKE = 1 << 5,   // state and rates are equal to the port before
    PORT_CAPABLE = 1 << 6, // the capabilities follow
    PORT_LINKED = 1 << 7,  // the peer's node and port follow
};

struct writer {
    uint8_t *octets;
    size_t used, size;
};

static uint8_t *fabric_record_add(struct writer *w, size_t n)
{
    if (n > w->size - w->used) {
        w->size = w->size * 2 + n;
        w->octets = memory_resize(w->octets, w->size, 1);
    }
    w->used += n;
    return w->octets + w->used - n;
}

static void fabric_record_put_fixed(struct writer *w, size_t octets, uint64_t value)
{
    wire_put(fabric_record_add(w, octets), octets, value);
}

static void fabric_record_put(struct writer *w, uint64_t value)
{
    uint8_t octets[10];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        octets[n++] = (uint8_t)(value | 0x80);
    octets[n++] = (uint8_t)value;
    memcpy(fabric_record_add(w, n), octets, n);
}

static void fabric_record_put_text(struct writer *w, const char *s)
{
    size_t n = strlen(s);
    fabric_record_put(w, n);
    if (n > 0)
        memcpy(fabric_record_add(w, n), s, n);
}

// Writes a GUID as its difference to another GUID; a small difference in either direction needs few
// octets.
static void fabric_record_put_near(struct writer *w, uint64_t guid, uint64_t other)
{
    uint64_t difference = guid - other;
    fabric_record_put(w, difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0));
}

static bool fabric_record_alike(const struct fabric_port *a, const struct fabric_port *b)
{
    return a->state == b->state && a->physical == b->physical &&
           a->width_active == b->width_active && a->width_enabled == b->width_enabled &&
           a->width_supported == b->width_supported && a->speed_active == b->speed_active &&
           a->speed_enabled == b->speed_enabled && a->speed_supported == b->speed_supported;
}

static void fabric_record_put_rates(struct writer *w, const struct fabric_port *port)
{
    fabric_record_put_fixed(w, 1, port->state);
    fabric_record_put_fixed(w, 1, port->physical);
    fabric_record_put_fixed(w, 1, port->width_active);
    fabric_record_put_fixed(w, 1, port->width_enabled);
    fabric_record_put_fixed(w, 1, port->width_supported);
    fabric_record_put(w, port->speed_active);
    fabric_record_put(w, port->speed_enabled);
    fabric_record_put(w, port->speed_supported);
}

static bool fabric_record_link_belongs_here(const struct fabric_port *port, uint32_t node)
{
    if (port->peer_node == FABRIC_NONE)
        return false;
    return port->peer_node < node || (port->peer_node == node && port->peer_port < port->number);
}

static void fabric_record_write_port(struct writer *w, const struct fabric *fabric, uint32_t node,
                                     const struct fabric_port *port,
                                     const struct fabric_port *previous)
{
    unsigned flags = (port->known ? PORT_KNOWN : 0) | (port->silent ? PORT_SILENT : 0) |
                     (port->number == previous->number + 1 ? PORT_NEXT : 0) |
                     (port->guid != 0 ? PORT_GUID : 0) |
                     (port->lid != 0 || port->lmc != 0 ? PORT_LID : 0) |
                     (fabric_record_alike(port, previous) ? PORT_ALIKE : 0) |
                     (port->capabilities != 0 ? PORT_CAPABLE : 0) |
                     (fabric_record_link_belongs_here(port, node) ? PORT_LINKED : 0);
    fabric_record_put_fixed(w, 1, flags);
    if (!(flags & PORT_NEXT))
        fabric_record_put_fixed(w, 1, port->number);
    if (flags & PORT_GUID)
        fabric_record_put_near(w, port->guid, fabric->nodes[node].guid);
    if (flags & PORT_LID) {
        fabric_record_put(w, port->lid);
        fabric_record_put_fixed(w, 1, port->lmc);
    }
    if (!(flags & PORT_ALIKE))
        fabric_record_put_rates(w, port);
    if (flags & PORT_CAPABLE)
        fabric_record_put_fixed(w, 4, port->capabilities);
    if (flags & PORT_LINKED) {
        fabric_record_put(w, port->peer_node);
        fabric_record_put_fixed(w, 1, port->peer_port);
    }
}

static void fabric_record_write_nodes(struct writer *w, const struct fabric *fabric)
{
    uint64_t last_guid = 0;
    struct fabric_port previous = {0};
    fabric_record_put(w, fabric->node_count);
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        fabric_record_put(w, node->guid - last_guid);
        last_guid = node->guid;
        fabric_record_put_near(w, node->system_guid, node->guid);
        fabric_record_put_fixed(w, 1, node->type);
        fabric_record_put_fixed(w, 1, node->port_count);
        fabric_record_put(w, node->vendor);
        fabric_record_put(w, node->device);
        fabric_record_put(w, node->revision);
        fabric_record_put_fixed(w, 1, node->silent);
        fabric_record_put_text(w, node->description);
        fabric_record_put(w, node->ports);
        for (uint32_t k = 0; k < node->ports; k++) {
            const struct fabric_port *port = &fabric->ports[node->first_port + k];
            fabric_record_write_port(w, fabric, i, port, &previous);
            previous = *port;
        }
    }
}

static void fabric_record_write_sms(struct writer *w, const struct fabric *fabric)
{
    fabric_record_put(w, fabric->sm_count);
    for (uint32_t i = 0; i < fabric->sm_count; i++) {
        const struct fabric_sm *sm = &fabric->sms[i];
        fabric_record_put_fixed(w, 8, sm->guid);
        fabric_record_put(w, sm->node);
        fabric_record_put_fixed(w, 1, sm->port);
        fabric_record_put(w, sm->lid);
        fabric_record_put_fixed(w, 1, sm->priority);
        fabric_record_put_fixed(w, 1, sm->state);
    }
}

static void fabric_record_write_controllers(struct writer *w, const struct fabric *fabric)
{
    fabric_record_put(w, fabric->controller_count);
    for (uint32_t i = 0; i < fabric->controller_count; i++) {
        const struct fabric_controller *controller = &fabric->controllers[i];
        fabric_record_put_fixed(w, 8, controller->guid);
        fabric_record_put(w, controller->node);
        fabric_record_put_fixed(w, 1, controller->slot);
        fabric_record_put_text(w, controller->name);
    }
}

static void fabric_record_write_pkeys(struct writer *w, const struct fabric *fabric)
{
    fabric_record_put(w, fabric->pkey_table_count);
    for (uint32_t i = 0; i < fabric->pkey_table_count; i++) {
        const struct fabric_pkey_table *table = &fabric->pkey_tables[i];
        fabric_record_put(w, table->node);
        fabric_record_put_fixed(w, 1, table->port);
        fabric_record_put(w, table->count);
        for (uint32_t k = 0; k < table->count; k++)
            fabric_record_put_fixed(w, 2, fabric->pkeys[table->first + k]);
    }
}

uint8_t *fabric_record_write(const struct fabric *fabric, size_t *size)
{
    struct writer w = {0};
    fabric_record_put_fixed(&w, 1, fabric->pkey_table_count > 0 ? VERSION_PKEYS : VERSION);
    fabric_record_put_fixed(&w, 1, fabric->complete);
    fabric_record_put_fixed(&w, 8, (uint64_t)fabric->time_us);
    fabric_record_put_fixed(&w, 8, fabric->subnet_prefix);
    fabric_record_write_nodes(&w, fabric);
    fabric_record_write_sms(&w, fabric);
    fabric_record_write_controllers(&w, fabric);
    if (fabric->pkey_table_count > 0)
        fabric_record_write_pkeys(&w, fabric);
    *size = w.used;
    return w.octets;
}

// After an error, all functions read zeros; a loop over a list checks `wrong` after each item.
struct reader {
    const uint8_t *p, *end;
    const char *wrong; // the first error; NULL: none
    struct fabric_builder *builder;
    uint32_t nodes;
};

static void fabric_record_fail(struct reader *r, const char *why)
{
    if (!r->wrong)
        r->wrong = why;
    r->p = r->end;
}

static uint64_t fabric_record_get_fixed(struct reader *r, size_t octets)
{
    if ((size_t)(r->end - r->p) < octets) {
        fabric_record_fail(r, "it is cut short");
        return 0;
    }
    r->p += octets;
    return wire_get(r->p - octets, octets);
}

static uint8_t fabric_record_get_octet(struct reader *r)
{
    return (uint8_t)fabric_record_get_fixed(r, 1);
}

static bool fabric_record_get_flag(struct reader *r)
{
    uint8_t octet = fabric_record_get_octet(r);
    if (octet > 1)
        fabric_record_fail(r, "a truth value is neither 0 nor 1");
    return octet == 1;
}

static uint64_t fabric_record_get(struct reader *r, uint64_t max)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t octet = fabric_record_get_octet(r);
        uint64_t bits = octet & 0x7F;
        if (shift > 63 || bits << shift >> shift != bits) {
            fabric_record_fail(r, "a number is too large");
            return 0;
        }
        value |= bits << shift;
        if (!(octet & 0x80))
            break;
    }
    if (value > max)
        fabric_record_fail(r, "a number is too large");
    return value > max ? 0 : value;
}

// Reads how many items follow. Each item needs at least an octet. Refuses a count greater than the
// number of octets left: a damaged count cannot cost much memory.
static uint32_t fabric_record_get_count(struct reader *r, uint32_t max)
{
    uint64_t count = fabric_record_get(r, max);
    if (count > (size_t)(r->end - r->p)) {
        fabric_record_fail(r, "it is cut short");
        return 0;
    }
    return (uint32_t)count;
}

static uint64_t fabric_record_get_near(struct reader *r, uint64_t other)
{
    uint64_t value = fabric_record_get(r, UINT64_MAX);
    return other + (value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

static void fabric_record_get_text(struct reader *r, char out[FABRIC_DESCRIPTION_SIZE])
{
    size_t n = fabric_record_get(r, FABRIC_DESCRIPTION_SIZE - 1);
    if (n > (size_t)(r->end - r->p)) {
        fabric_record_fail(r, "it is cut short");
        return;
    }
    const uint8_t *octets = r->p;
    r->p += n;
    text_clean((const char *)octets, n, out, FABRIC_DESCRIPTION_SIZE);
    if (strlen(out) != n || memcmp(out, octets, n) != 0)
        fabric_record_fail(r, "a name is not valid text");
}

static void fabric_record_get_rates(struct reader *r, struct fabric_port *port)
{
    port->state = fabric_record_get_octet(r);
    port->physical = fabric_record_get_octet(r);
    port->width_active = fabric_record_get_octet(r);
    port->width_enabled = fabric_record_get_octet(r);
    port->width_supported = fabric_record_get_octet(r);
    port->speed_active = (uint16_t)fabric_record_get(r, UINT16_MAX);
    port->speed_enabled = (uint16_t)fabric_record_get(r, UINT16_MAX);
    port->speed_supported = (uint16_t)fabric_record_get(r, UINT16_MAX);
}

// Reads the link of a port. Refuses a peer that was not read before or has a link already.
static void fabric_record_read_link(struct reader *r, uint32_t node, uint8_t number)
{
    uint32_t peer_node = (uint32_t)fabric_record_get(r, node);
    uint8_t peer_port = fabric_record_get_octet(r);
    if (r->wrong)
        return;
    if (peer_node == node && peer_port == number) {
        fabric_record_fail(r, "a port is linked to itself");
        return;
    }
    struct fabric_port *peer = fabric_builder_get_port(r->builder, peer_node, peer_port);
    if (!peer)
        fabric_record_fail(r, "a link leads to a port that is not there");
    else if (peer->peer_node != FABRIC_NONE)
        fabric_record_fail(r, "two links lead to one port");
    else
        fabric_builder_link(r->builder, node, number, peer_node, peer_port);
}

static uint8_t fabric_record_read_number(struct reader *r, unsigned flags,
                                         const struct fabric_port *previous, bool first)
{
    unsigned number = flags & PORT_NEXT ? previous->number + 1u : fabric_record_get_octet(r);
    if (number > UINT8_MAX || (!first && number <= previous->number))
        fabric_record_fail(r, "the ports of a node are not in order");
    return (uint8_t)number;
}

static void fabric_record_read_port(struct reader *r, uint32_t node, uint64_t node_guid, bool first,
                                    struct fabric_port *previous)
{
    unsigned flags = fabric_record_get_octet(r);
    struct fabric_port port = *previous;
    port.known = flags & PORT_KNOWN;
    port.silent = flags & PORT_SILENT;
    port.number = fabric_record_read_number(r, flags, previous, first);
    port.guid = flags & PORT_GUID ? fabric_record_get_near(r, node_guid) : 0;
    port.lid = flags & PORT_LID ? (uint16_t)fabric_record_get(r, UINT16_MAX) : 0;
    port.lmc = flags & PORT_LID ? fabric_record_get_octet(r) : 0;
    if (!(flags & PORT_ALIKE))
        fabric_record_get_rates(r, &port);
    port.capabilities = flags & PORT_CAPABLE ? (uint32_t)fabric_record_get_fixed(r, 4) : 0;
    if (!r->wrong && !fabric_builder_port(r->builder, node, &port))
        fabric_record_fail(r, "there are too many ports");
    if (flags & PORT_LINKED)
        fabric_record_read_link(r, node, port.number);
    *previous = port;
}

static void fabric_record_read_node(struct reader *r, struct fabric_node *node, bool first)
{
    uint64_t step = fabric_record_get(r, UINT64_MAX - node->guid);
    if (step == 0 && !first)
        fabric_record_fail(r, "the nodes are not in order");
    node->guid += step;
    node->system_guid = fabric_record_get_near(r, node->guid);
    node->type = fabric_record_get_octet(r);
    node->port_count = fabric_record_get_octet(r);
    node->vendor = (uint32_t)fabric_record_get(r, UINT32_MAX);
    node->device = (uint16_t)fabric_record_get(r, UINT16_MAX);
    node->revision = (uint32_t)fabric_record_get(r, UINT32_MAX);
    node->silent = fabric_record_get_flag(r);
    fabric_record_get_text(r, node->description);
}

static void fabric_record_read_nodes(struct reader *r)
{
    struct fabric_node node = {0};
    struct fabric_port previous = {0};
    r->nodes = fabric_record_get_count(r, FABRIC_NODES_MAX);
    for (uint32_t i = 0; i < r->nodes && !r->wrong; i++) {
        fabric_record_read_node(r, &node, i == 0);
        uint32_t ports = fabric_record_get_count(r, UINT8_MAX + 1);
        if (!r->wrong)
            fabric_builder_node(r->builder, &node);
        for (uint32_t k = 0; k < ports && !r->wrong; k++)
            fabric_record_read_port(r, i, node.guid, k == 0, &previous);
    }
}

// Reads the index of a node; fails if there is no such node.
static uint32_t fabric_record_get_node(struct reader *r)
{
    if (r->nodes == 0)
        fabric_record_fail(r, "something is at a node, and there are none");
    return (uint32_t)fabric_record_get(r, r->nodes - 1);
}

static void fabric_record_read_sms(struct reader *r)
{
    uint64_t last = 0;
    uint32_t count = fabric_record_get_count(r, FABRIC_SMS_MAX);
    for (uint32_t i = 0; i < count && !r->wrong; i++) {
        struct fabric_sm sm = {.guid = fabric_record_get_fixed(r, 8)};
        sm.node = fabric_record_get_node(r);
        sm.port = fabric_record_get_octet(r);
        sm.lid = (uint16_t)fabric_record_get(r, UINT16_MAX);
        sm.priority = fabric_record_get_octet(r);
        sm.state = fabric_record_get_octet(r);
        if (i > 0 && sm.guid <= last)
            fabric_record_fail(r, "the subnet managers are not in order");
        last = sm.guid;
        if (!r->wrong)
            fabric_builder_sm(r->builder, &sm);
    }
}

static void fabric_record_read_controllers(struct reader *r)
{
    uint64_t last = 0;
    uint32_t count = fabric_record_get_count(r, FABRIC_CONTROLLERS_MAX);
    for (uint32_t i = 0; i < count && !r->wrong; i++) {
        struct fabric_controller controller = {.guid = fabric_record_get_fixed(r, 8)};
        controller.node = fabric_record_get_node(r);
        controller.slot = fabric_record_get_octet(r);
        fabric_record_get_text(r, controller.name);
        uint64_t place = (uint64_t)controller.node << 8 | controller.slot;
        if (i > 0 && place <= last)
            fabric_record_fail(r, "the I/O controllers are not in order");
        last = place;
        if (!r->wrong)
            fabric_builder_controller(r->builder, &controller);
    }
}

// Reads a table. Refuses a table that the builder would change.
static void fabric_record_read_table(struct reader *r, uint64_t *last)
{
    uint16_t pkeys[FABRIC_PORT_PKEYS_MAX];
    const uint32_t node = fabric_record_get_node(r);
    const uint8_t port = fabric_record_get_octet(r);
    const uint64_t place = (uint64_t)node << 8 | port;
    const uint32_t count = (uint32_t)fabric_record_get(r, FABRIC_PORT_PKEYS_MAX);
    for (uint32_t i = 0; i < count && !r->wrong; i++) {
        pkeys[i] = (uint16_t)fabric_record_get_fixed(r, 2);
        // The order of the builder: by the lower bits, a full member's first.
        const unsigned rank = (pkeys[i] & 0x7FFFu) << 1 | (pkeys[i] < 0x8000);
        const unsigned before = i > 0 ? (pkeys[i - 1] & 0x7FFFu) << 1 | (pkeys[i - 1] < 0x8000) : 1;
        if (rank <= before)
            fabric_record_fail(r, "the P_Keys are not in order");
    }
    if (*last != UINT64_MAX && place <= *last)
        fabric_record_fail(r, "the P_Key tables are not in order");
    *last = place;
    if (!r->wrong && !fabric_builder_get_port(r->builder, node, port))
        fabric_record_fail(r, "a P_Key table is of a port that is not there");
    if (!r->wrong && !fabric_builder_pkeys(r->builder, node, port, pkeys, count))
        fabric_record_fail(r, "there are too many P_Keys");
}

static void fabric_record_read_pkeys(struct reader *r)
{
    uint64_t last = UINT64_MAX;
    const uint32_t count = fabric_record_get_count(r, FABRIC_PORTS_MAX);
    if (count == 0)
        fabric_record_fail(r, "it has no P_Key tables");
    for (uint32_t i = 0; i < count && !r->wrong; i++)
        fabric_record_read_table(r, &last);
}

struct fabric *fabric_record_read(const uint8_t *record, size_t size, struct error *err)
{
    struct reader r = {.p = record, .end = record + size, .builder = fabric_builder_new()};
    const uint8_t version = fabric_record_get_octet(&r);
    if (version != VERSION && version != VERSION_PKEYS)
        fabric_record_fail(&r, "it is of an unknown version");
    bool complete = fabric_record_get_flag(&r);
    int64_t time_us = (int64_t)fabric_record_get_fixed(&r, 8);
    uint64_t subnet_prefix = fabric_record_get_fixed(&r, 8);
    fabric_record_read_nodes(&r);
    fabric_record_read_sms(&r);
    fabric_record_read_controllers(&r);
    if (version == VERSION_PKEYS)
        fabric_record_read_pkeys(&r);
    if (r.p != r.end)
        fabric_record_fail(&r, "something follows its end");
    if (!r.wrong)
        return fabric_builder_finish(r.builder, time_us, subnet_prefix, complete);
    fabric_builder_free(r.builder);
    error_set(err, "cannot read the snapshot of the fabric: %s", r.wrong);
    return NULL;
}

uint64_t fabric_record_digest(const uint8_t *record, size_t size)
{
    const size_t rest = size > HEAD_SIZE ? size - HEAD_SIZE : 0;
    return digest_add(DIGEST_OF_NOTHING, record + HEAD_SIZE, rest);
}
