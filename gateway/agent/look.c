// SPDX-License-Identifier: BSD-2-Clause
#include "agent/look.h"

struct look look_at(struct agent_snapshot *snapshot)
{
    return (struct look){
        .snapshot = snapshot, .fabric = snapshot ? snapshot->fabric : NULL, .device = FABRIC_NONE};
}

void look_end(struct look *look)
{
    demand_answer_unref(look->fetched);
    look->fetched = NULL;
}

const struct demand_answer *look_ask(struct look *look, const struct demand_key *key)
{
    const struct snapshot_demand *demand = &look->snapshot->source->demand;
    int64_t ticket = 0;
    look_end(look);
    if (!demand->ask)
        return NULL;
    const enum demand_state state = demand->ask(demand->reads, key, &look->fetched, &ticket);
    if (state == DEMAND_LATER && look->ticket == 0)
        look->ticket = ticket;
    look->sa_away = look->sa_away || state == DEMAND_AWAY;
    return look->fetched;
}

const struct demand_answer *look_ask_now(struct look *look, const struct demand_key *key)
{
    const int64_t ticket = look->ticket;
    const bool sa_away = look->sa_away;
    const struct demand_answer *answer = look_ask(look, key);
    look->ticket = ticket;
    look->sa_away = sa_away;
    return answer;
}

// Fills in who answers for that port: the port itself, or port 0 of a switch. Returns false if
// nobody does.
static bool look_find_answering(const struct look *look, uint32_t port, struct demand_key *key)
{
    const struct fabric *fabric = look->fabric;
    const uint32_t number = fabric_node_of_port(fabric, port);
    const struct fabric_node *node = &fabric->nodes[number];
    const uint32_t answering =
        node->type == FABRIC_SWITCH ? fabric_find_port(fabric, number, 0) : port;
    if (node->silent || answering == FABRIC_NONE || fabric->ports[answering].lid == 0)
        return false;
    key->guid = fabric->ports[answering].guid;
    key->lid = fabric->ports[answering].lid;
    return true;
}

bool look_smp_key(const struct look *look, uint32_t port, enum demand_attribute attribute,
                  uint32_t modifier, struct demand_key *key)
{
    *key = (struct demand_key){
        .class = DEMAND_SMP, .attribute = (uint16_t)attribute, .modifier = modifier};
    return look_find_answering(look, port, key);
}

static const uint8_t *look_octets(struct look *look, const struct demand_key *key)
{
    const struct demand_answer *answer = look_ask(look, key);
    return answer ? demand_answer_at(answer, 0) : NULL;
}

const uint8_t *look_smp(struct look *look, uint32_t port, enum demand_attribute attribute,
                        uint32_t modifier)
{
    struct demand_key key;
    const bool answers = look_smp_key(look, port, attribute, modifier, &key);
    return answers ? look_octets(look, &key) : NULL;
}

bool look_can_smp(const struct look *look, uint32_t port, enum demand_attribute attribute)
{
    struct demand_key key;
    const struct snapshot_demand *demand = &look->snapshot->source->demand;
    return look_smp_key(look, port, attribute, 0, &key) &&
           (!demand->can_ask || demand->can_ask(demand->reads, &key));
}

const uint8_t *look_perf(struct look *look, uint32_t port, uint16_t attribute)
{
    enum { PORT_SELECT = 1 };
    const uint8_t number = look->fabric->ports[port].number;
    struct demand_key key = {.class = DEMAND_PERF, .attribute = attribute, .modifier = number};
    const bool answers = look_find_answering(look, port, &key);
    const uint8_t *data = answers ? look_octets(look, &key) : NULL;
    return data && data[PORT_SELECT] == number ? data : NULL;
}

static bool look_register_key(const struct look *look, uint32_t port, enum register_page page,
                              uint8_t number, struct demand_key *key)
{
    const struct fabric_node *node = &look->fabric->nodes[fabric_node_of_port(look->fabric, port)];
    *key = (struct demand_key){
        .class = DEMAND_REGISTER, .attribute = (uint16_t)page, .modifier = number};
    return fabric_is_nvidia(node) && look_find_answering(look, port, key);
}

static const uint8_t *look_numbered_register(struct look *look, uint32_t port,
                                             enum register_page page, uint8_t number)
{
    struct demand_key key;
    return look_register_key(look, port, page, number, &key) ? look_octets(look, &key) : NULL;
}

const uint8_t *look_register(struct look *look, uint32_t port, enum register_page page)
{
    return look_numbered_register(look, port, page, look->fabric->ports[port].number);
}

// A port by which the row's node answers. FABRIC_NONE: none.
static uint32_t look_port_with_lid(const struct look *look)
{
    const struct fabric_node *node = look_node(look);
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        if (look->fabric->ports[i].lid != 0)
            return i;
    }
    return FABRIC_NONE;
}

const uint8_t *look_device_register(struct look *look, enum register_page page)
{
    const uint32_t port = look_port_with_lid(look);
    return port != FABRIC_NONE ? look_register(look, port, page) : NULL;
}

const uint8_t *look_fan_register(struct look *look, enum register_page page, uint8_t fan)
{
    const uint32_t port = look_port_with_lid(look);
    return port != FABRIC_NONE ? look_numbered_register(look, port, page, fan) : NULL;
}

bool look_can_registers(const struct look *look)
{
    struct demand_key key;
    const struct snapshot_demand *demand = &look->snapshot->source->demand;
    const uint32_t port = look_port_with_lid(look);
    return port != FABRIC_NONE && demand->ask &&
           look_register_key(look, port, REGISTER_PAGES, 0, &key) &&
           (!demand->can_ask || demand->can_ask(demand->reads, &key));
}

bool look_firmware(struct look *look, char out[BOARD_FIRMWARE_SIZE])
{
    const uint8_t *octets = look_device_register(look, REGISTER_FIRMWARE);
    return octets && board_firmware(octets, out);
}
