// SPDX-License-Identifier: BSD-2-Clause
#include "model/fabric.h"

#include "base/memory.h"
#include "base/search.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct fabric *fabric_ref(struct fabric *fabric)
{
    atomic_fetch_add_explicit(&fabric->references, 1, memory_order_relaxed);
    return fabric;
}

void fabric_unref(struct fabric *fabric)
{
    if (fabric && atomic_fetch_sub_explicit(&fabric->references, 1, memory_order_acq_rel) == 1)
        free(fabric); // one block of memory, arrays included
}

bool fabric_knows_port_info(const struct fabric_port *port, enum port_info_field field)
{
    const bool is_state = field == PORT_INFO_PORT_STATE || field == PORT_INFO_PHYSICAL_STATE;
    return port->detail.known || (port->known && is_state);
}

uint32_t fabric_port_info(const struct fabric_port *port, enum port_info_field field)
{
    if (port->detail.known)
        return attribute_get(port->detail.octets, FABRIC_PORT_INFO_FIRST, field);
    return field == PORT_INFO_PORT_STATE       ? port->state
           : field == PORT_INFO_PHYSICAL_STATE ? port->physical
                                               : 0;
}

void fabric_set_port_info(struct fabric_port *port, enum port_info_field field, uint32_t value)
{
    port->detail.known = true;
    attribute_set(port->detail.octets, FABRIC_PORT_INFO_FIRST, field, value);
}

uint32_t fabric_switch_info(const struct fabric_node *node, enum switch_info_field field)
{
    return node->switch_info.known ? attribute_get(node->switch_info.octets, 0, field) : 0;
}

uint32_t *fabric_indices(size_t count)
{
    const size_t size = (count + 1) * sizeof(uint32_t);
    return memset(memory_get(size), 0xFF, size); // FABRIC_NONE
}

uint32_t fabric_find_node(const struct fabric *fabric, uint64_t guid)
{
    uint32_t at;
    if (!fabric)
        return FABRIC_NONE;
    SEARCH_FIRST(at, 0, fabric->node_count, fabric->nodes[at].guid < guid);
    return at < fabric->node_count && fabric->nodes[at].guid == guid ? at : FABRIC_NONE;
}

uint32_t fabric_find_port(const struct fabric *fabric, uint32_t node, uint8_t number)
{
    if (node == FABRIC_NONE)
        return FABRIC_NONE;
    assert(node < fabric->node_count);
    uint32_t at, first = fabric->nodes[node].first_port, end = first + fabric->nodes[node].ports;
    SEARCH_FIRST(at, first, end, fabric->ports[at].number < number);
    return at < end && fabric->ports[at].number == number ? at : FABRIC_NONE;
}

uint32_t fabric_find_end(const struct fabric *fabric, uint64_t node_guid, uint8_t number)
{
    return fabric_find_port(fabric, fabric_find_node(fabric, node_guid), number);
}

uint32_t fabric_find_port_guid(const struct fabric *fabric, uint64_t guid)
{
    uint32_t at;
    SEARCH_FIRST(at, 0, fabric->port_guid_count, fabric->port_guids[at].guid < guid);
    bool found = at < fabric->port_guid_count && fabric->port_guids[at].guid == guid;
    return found ? fabric->port_guids[at].port : FABRIC_NONE;
}

uint32_t fabric_find_lid(const struct fabric *fabric, uint16_t lid)
{
    return lid < fabric->lid_count ? fabric->lids[lid] : FABRIC_NONE;
}

// Finds the last node with its first port at or before `port`: never a node without ports.
uint32_t fabric_node_of_port(const struct fabric *fabric, uint32_t port)
{
    assert(port < fabric->port_count);
    uint32_t next;
    SEARCH_FIRST(next, 1, fabric->node_count, fabric->nodes[next].first_port <= port);
    return next - 1;
}

uint32_t fabric_peer(const struct fabric *fabric, uint32_t port)
{
    const struct fabric_port *p = port != FABRIC_NONE ? &fabric->ports[port] : NULL;
    return p ? fabric_find_port(fabric, p->peer_node, p->peer_port) : FABRIC_NONE;
}

uint32_t fabric_count_links(const struct fabric *fabric)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < fabric->port_count; i++)
        ends += fabric->ports[i].peer_node != FABRIC_NONE;
    return ends / 2;
}

static bool fabric_waits(const struct fabric_port *port)
{
    return port->known && (port->state == FABRIC_INITIALIZE || port->state == FABRIC_ARMED);
}

bool fabric_is_inactive(const struct fabric *fabric, uint32_t port)
{
    const uint32_t peer = fabric_peer(fabric, port);
    return peer != FABRIC_NONE &&
           (fabric_waits(&fabric->ports[port]) || fabric_waits(&fabric->ports[peer]));
}

uint32_t fabric_count_inactive(const struct fabric *fabric)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < fabric->port_count; i++)
        ends += fabric->ports[i].peer_node != FABRIC_NONE && fabric_is_inactive(fabric, i);
    return ends / 2;
}

static bool fabric_is_better_master(const struct fabric_sm *a, const struct fabric_sm *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->guid < b->guid;
}

uint32_t fabric_master(const struct fabric *fabric)
{
    uint32_t best = FABRIC_NONE;
    for (uint32_t i = 0; i < fabric->sm_count; i++) {
        const struct fabric_sm *sm = &fabric->sms[i];
        if (sm->state == FABRIC_MASTER &&
            (best == FABRIC_NONE || fabric_is_better_master(sm, &fabric->sms[best])))
            best = i;
    }
    return best;
}

struct speed {
    uint16_t bit;
    const char *name;
    unsigned tenths; // of Gb/s for each lane, by the usual rounding
};

// Slowest first.
static const struct speed SPEEDS[] = {
    {FABRIC_SDR, "SDR", 25},      {FABRIC_DDR, "DDR", 50},   {FABRIC_QDR, "QDR", 100},
    {FABRIC_FDR10, "FDR10", 100}, {FABRIC_FDR, "FDR", 140},  {FABRIC_EDR, "EDR", 250},
    {FABRIC_HDR, "HDR", 500},     {FABRIC_NDR, "NDR", 1000}, {FABRIC_XDR, "XDR", 2000},
};
enum { SPEEDS_COUNT = sizeof SPEEDS / sizeof *SPEEDS };

static const struct speed *fabric_find_speed(uint16_t bit)
{
    for (size_t i = 0; i < SPEEDS_COUNT; i++) {
        if (bit == SPEEDS[i].bit)
            return &SPEEDS[i];
    }
    return NULL;
}

uint16_t fabric_speed_at(size_t i)
{
    return i < SPEEDS_COUNT ? SPEEDS[i].bit : 0;
}

bool fabric_is_slower(uint16_t a, uint16_t b)
{
    const struct speed *x = fabric_find_speed(a), *y = fabric_find_speed(b);
    return y && (!x || x < y);
}

unsigned fabric_lanes(uint8_t width_bit)
{
    switch (width_bit) {
    case 1:
        return 1;
    case 2:
        return 4;
    case 4:
        return 8;
    case 8:
        return 12;
    case 16:
        return 2;
    default:
        return 0;
    }
}

const char *fabric_speed_word(uint16_t speed_bit)
{
    const struct speed *speed = fabric_find_speed(speed_bit);
    return speed ? speed->name : "?";
}

void fabric_add_rate(struct text *t, uint8_t width, uint16_t speed)
{
    unsigned lanes = fabric_lanes(width);
    const struct speed *each = fabric_find_speed(speed);
    if (lanes > 0)
        text_addf(t, "%uX ", lanes);
    else
        text_add(t, "? ");
    text_add(t, each ? each->name : "?");
    if (lanes == 0 || !each)
        return;
    unsigned tenths = lanes * each->tenths;
    text_addf(t, " (%u", tenths / 10);
    if (tenths % 10 != 0)
        text_addf(t, ".%u", tenths % 10);
    text_add(t, " Gb/s)");
}

double fabric_bits_per_second(uint8_t width, uint16_t speed)
{
    const struct speed *each = fabric_find_speed(speed);
    return each ? fabric_lanes(width) * (each->tenths * 1e8) : 0;
}

uint8_t fabric_best_width(uint8_t a, uint8_t b)
{
    uint8_t best = 0;
    for (unsigned bit = 1; bit <= 16; bit <<= 1) {
        if ((a & b & bit) && fabric_lanes((uint8_t)bit) > fabric_lanes(best))
            best = (uint8_t)bit;
    }
    return best;
}

uint16_t fabric_best_speed(uint16_t a, uint16_t b)
{
    uint16_t best = 0;
    for (size_t i = 0; i < SPEEDS_COUNT; i++) {
        if (a & b & SPEEDS[i].bit)
            best = SPEEDS[i].bit;
    }
    return best;
}

bool fabric_is_nvidia(const struct fabric_node *node)
{
    enum { MELLANOX = 0x0002c9, BULL = 0x00119f };
    return node->vendor == MELLANOX || node->vendor == BULL;
}

const char *fabric_type_word(uint8_t type)
{
    static const char *const WORDS[] = {
        [FABRIC_CA] = "host", [FABRIC_SWITCH] = "switch", [FABRIC_ROUTER] = "router"};
    return type >= FABRIC_CA && type <= FABRIC_ROUTER ? WORDS[type] : "";
}

const char *fabric_state_word(unsigned state)
{
    static const char *const WORDS[] = {"unknown", "down", "initialize", "armed", "active"};
    return WORDS[state <= FABRIC_ACTIVE ? state : 0];
}
