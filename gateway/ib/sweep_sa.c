// SPDX-License-Identifier: BSD-2-Clause
#include "ib/node_mad.h"
#include "ib/sweep_ask.h"

#include "base/memory.h"
#include "base/wire.h"

#include <infiniband/umad_sa.h>
#include <stdlib.h>
#include <string.h>

// The SA needs seconds to collect a table of a large fabric, and the kernel's timeout runs until
// the last segment arrives.
enum { ATTEMPTS = 2 };
enum { INFO = 4 }; // where records of nodes, ports, subnet managers and switches have the attribute
static const int64_t TIMEOUT_US = 20 * CLOCK_US_PER_S;

struct sweep_sa {
    struct sweep *sweep;
    struct fabric_builder *builder;
    uint32_t node_of[ADDRESS_LID_UNICAST_MAX + 1]; // by LID; FABRIC_NONE: no known node

    // The table of P_Keys that is read. The blocks of a port arrive in a row; only a whole table is
    // kept.
    uint8_t port_of[ADDRESS_LID_UNICAST_MAX + 1]; // by LID
    uint32_t node;                                // FABRIC_NONE: no table is read
    uint8_t port;
    uint16_t read; // entries
    uint16_t pkeys[FABRIC_PORT_PKEYS_MAX];
};

static struct sweep_sa *sweep_sa_new(struct sweep *sweep, struct fabric_builder *builder)
{
    struct sweep_sa *s = memory_zeroed(1, sizeof *s);
    s->sweep = sweep;
    s->builder = builder;
    s->node = FABRIC_NONE;
    for (size_t lid = 0; lid <= ADDRESS_LID_UNICAST_MAX; lid++)
        s->node_of[lid] = FABRIC_NONE;
    return s;
}

static uint32_t sweep_sa_find_lid(const struct sweep_sa *state, uint16_t lid)
{
    return lid <= ADDRESS_LID_UNICAST_MAX ? state->node_of[lid] : FABRIC_NONE;
}

static void sweep_sa_note_lids(void *ctx, uint32_t node, struct fabric_port *port)
{
    struct sweep_sa *s = ctx;
    const uint32_t end = port->lid + (1U << (port->lmc & 7));
    if (port->lid == 0 || port->state == FABRIC_DOWN)
        return;
    for (uint32_t i = port->lid; i < end && i <= ADDRESS_LID_UNICAST_MAX; i++) {
        s->node_of[i] = node;
        s->port_of[i] = port->number;
    }
}

// The attribute within a record, which may be shorter than the attribute of an SMP.
static const uint8_t *sweep_sa_info(const uint8_t *record, size_t size, uint8_t info[SMP_DATA_SIZE])
{
    const size_t has = size - INFO;
    memset(info, 0, SMP_DATA_SIZE);
    memcpy(info, record + INFO, has < SMP_DATA_SIZE ? has : SMP_DATA_SIZE);
    return info;
}

// NodeRecord: one record for a switch, one record for each port of another node.

enum { DESCRIPTION = 44, NODE_RECORD_SIZE = 108 };

// Whether two records of one node agree.
static bool sweep_sa_is_same(const struct fabric_node *a, const struct fabric_node *b)
{
    return a->type == b->type && a->port_count == b->port_count;
}

static void sweep_sa_read_node(void *ctx, const uint8_t *record, size_t size)
{
    (void)size;
    struct sweep_sa *state = ctx;
    struct fabric_node node;
    struct fabric_port port = {.lid = wire_get16(record), .peer_node = FABRIC_NONE};
    if (!smp_read_node_info(record + INFO, &node, &port.guid, &port.number)) {
        state->sweep->complete = false;
        return;
    }
    if (node.type == FABRIC_SWITCH)
        port.number = 0;
    smp_read_description(record + DESCRIPTION, node.description);
    uint32_t number = fabric_builder_node(state->builder, &node);
    if (number == FABRIC_NONE)
        state->sweep->full = true;
    else if (!sweep_sa_is_same(fabric_builder_get(state->builder, number), &node))
        state->sweep->complete = false;
    else if (!fabric_builder_port(state->builder, number, &port))
        state->sweep->full = true;
    else
        sweep_sa_note_lids(state, number, &port);
}

// PortInfoRecord: one for each port of all nodes.

enum { PORT_NUMBER = 2, PORT_RECORD_SIZE = 64 }; // before the extended link speeds

// Whether a LinkRecord is expected for the port, since its link is up. Without one the port is
// silent: the SM got no answer from the other end, either.
static bool sweep_sa_needs_link(const struct fabric_node *node, const struct fabric_port *port)
{
    bool internal = port->number == 0 && node->type == FABRIC_SWITCH;
    return !internal && port->state > FABRIC_DOWN;
}

// Of a port that is down, OpenSM keeps the two states. All else is 0, or what the port had before.
static struct fabric_port sweep_sa_keep_states(const struct fabric_port *port)
{
    return (struct fabric_port){.number = port->number,
                                .known = true,
                                .state = port->state,
                                .physical = port->physical,
                                .peer_node = FABRIC_NONE};
}

static void sweep_sa_read_port(void *ctx, const uint8_t *record, size_t size)
{
    struct sweep_sa *state = ctx;
    uint32_t number = sweep_sa_find_lid(state, wire_get16(record));
    if (number == FABRIC_NONE) {
        state->sweep->complete = false;
        return;
    }
    uint8_t info[SMP_DATA_SIZE];
    struct fabric_port port;
    const struct fabric_node *node = fabric_builder_get(state->builder, number);
    smp_read_port_info(sweep_sa_info(record, size, info), node->type, record[PORT_NUMBER], &port);
    if (port.number > node->port_count) {
        state->sweep->complete = false;
        return;
    }
    if (port.state == FABRIC_DOWN)
        port = sweep_sa_keep_states(&port);
    const struct fabric_port *from_node =
        fabric_builder_get_port(state->builder, number, port.number);
    if (from_node) {
        port.guid = from_node->guid;
        if (port.state == FABRIC_DOWN)
            port.lid = from_node->lid;
    }
    port.silent = sweep_sa_needs_link(node, &port);
    sweep_sa_note_lids(state, number, &port);
    if (!fabric_builder_port(state->builder, number, &port))
        state->sweep->full = true;
}

// LinkRecord: two records for each link, one from either end.

enum { FROM_LID = 0, FROM_PORT = 2, TO_PORT = 3, TO_LID = 4, LINK_RECORD_SIZE = 6 };

static bool sweep_sa_has_link_port(struct sweep_sa *state, uint32_t node, uint8_t port)
{
    return node != FABRIC_NONE && port > 0 &&
           port <= fabric_builder_get(state->builder, node)->port_count;
}

// A loopback plug, which leads back to its own port, has a record, too.
static void sweep_sa_read_link(void *ctx, const uint8_t *record, size_t size)
{
    (void)size;
    struct sweep_sa *state = ctx;
    uint32_t from = sweep_sa_find_lid(state, wire_get16(record + FROM_LID));
    uint32_t to = sweep_sa_find_lid(state, wire_get16(record + TO_LID));
    uint8_t from_port = record[FROM_PORT], to_port = record[TO_PORT];
    if (!sweep_sa_has_link_port(state, from, from_port) ||
        !sweep_sa_has_link_port(state, to, to_port)) {
        state->sweep->complete = false;
    } else if (!fabric_builder_link(state->builder, from, from_port, to, to_port)) {
        state->sweep->full = true;
    } else if (from == to && from_port == to_port) {
        fabric_builder_get_port(state->builder, from, from_port)->silent = false;
    }
}

// SMInfoRecord: one for each subnet manager.

enum { SM_RECORD_SIZE = 25 };

static void sweep_sa_read_sm(void *ctx, const uint8_t *record, size_t size)
{
    struct sweep_sa *state = ctx;
    uint8_t info[SMP_DATA_SIZE];
    struct fabric_sm sm = {.lid = wire_get16(record)};
    sm.node = sweep_sa_find_lid(state, sm.lid);
    if (sm.node == FABRIC_NONE || !smp_read_sm_info(sweep_sa_info(record, size, info), &sm))
        return;
    const uint8_t ports = fabric_builder_get(state->builder, sm.node)->port_count;
    for (unsigned number = 0; number <= ports; number++) {
        const struct fabric_port *port =
            fabric_builder_get_port(state->builder, sm.node, (uint8_t)number);
        if (!port || port->guid != sm.guid)
            continue;
        sm.port = (uint8_t)number;
        state->sweep->full |= !fabric_builder_sm(state->builder, &sm);
        return;
    }
}

// SwitchInfoRecord: one for each switch.

enum { SWITCH_RECORD_SIZE = INFO + FABRIC_SWITCH_INFO_SIZE };

static void sweep_sa_read_switch(void *ctx, const uint8_t *record, size_t size)
{
    struct sweep_sa *state = ctx;
    const uint32_t number = sweep_sa_find_lid(state, wire_get16(record));
    struct fabric_node *node =
        number != FABRIC_NONE ? fabric_builder_get(state->builder, number) : NULL;
    if (node && node->type == FABRIC_SWITCH) {
        uint8_t info[SMP_DATA_SIZE];
        smp_read_switch_info(sweep_sa_info(record, size, info), &node->switch_info);
    }
}

// P_KeyTableRecord: one for each block of 32 entries of each port's table.

enum {
    PKEY_BLOCK = 2,
    PKEY_PORT = 4,
    PKEY_TABLE = 8,
    PKEY_RECORD_SIZE = PKEY_TABLE + SMP_DATA_SIZE
};

// Whether the record is block `number`. OpenSM 3.3.23 writes it in the order of its host.
static bool sweep_sa_is_block(const uint8_t *record, unsigned number)
{
    const unsigned written = wire_get16(record + PKEY_BLOCK);
    return written == number || (written >> 8 | (written & 0xFF) << 8) == number;
}

static void sweep_sa_read_pkeys(void *ctx, const uint8_t *record, size_t size)
{
    (void)size;
    struct sweep_sa *s = ctx;
    const uint16_t lid = wire_get16(record);
    const uint32_t node = sweep_sa_find_lid(s, lid);
    if (node == FABRIC_NONE)
        return;
    const struct fabric_node *n = fabric_builder_get(s->builder, node);
    // Of a node other than a switch, a LID belongs to one port.
    const uint8_t port = n->type == FABRIC_SWITCH ? record[PKEY_PORT] : s->port_of[lid];
    const uint16_t entries = sweep_pkey_entries(n, port);
    if (sweep_sa_is_block(record, 0)) {
        s->node = node;
        s->port = port;
        s->read = 0;
    }
    if (node != s->node || port != s->port || s->read >= entries ||
        !sweep_sa_is_block(record, s->read / SMP_PKEYS)) {
        s->node = FABRIC_NONE;
        return;
    }
    smp_read_pkeys(record + PKEY_TABLE, s->pkeys + s->read);
    s->read += SMP_PKEYS;
    if (s->read >= entries)
        fabric_builder_pkeys(s->builder, node, port, s->pkeys, entries);
}

// The queries.

static const struct table {
    const char *name;
    uint16_t attribute;
    size_t record_size;
    void (*read)(void *ctx, const uint8_t *record, size_t size);
} TABLES[] = {
    {"NodeRecords", UMAD_SA_ATTR_NODE_REC, NODE_RECORD_SIZE, sweep_sa_read_node},
    {"PortInfoRecords", UMAD_SA_ATTR_PORT_INFO_REC, PORT_RECORD_SIZE, sweep_sa_read_port},
    {"LinkRecords", UMAD_SA_ATTR_LINK_REC, LINK_RECORD_SIZE, sweep_sa_read_link},
};
static const struct table MANAGERS = {"SMInfoRecords", UMAD_SA_ATTR_SM_INFO_REC, SM_RECORD_SIZE,
                                      sweep_sa_read_sm};
static const struct table SWITCHES = {"SwitchInfoRecords", UMAD_SA_ATTR_SWITCH_INFO_REC,
                                      SWITCH_RECORD_SIZE, sweep_sa_read_switch};

// The part that reads a table.
struct sweep_sa_reading {
    const struct table *table;
    void *ctx; // of table->read
    struct error *err;
    bool ok;
};

static uint16_t sweep_sa_lid(const struct sweep *sweep)
{
    return mad_sa_address(&sweep->sa, &sweep->port).lid;
}

static void sweep_sa_explain(uint16_t sa_lid, const struct table *table, const char *why,
                             struct error *err)
{
    error_set(err,
              "the subnet administration at LID %u was asked for all %s: %s; the sweep "
              "method 'smp' does without it",
              sa_lid, table->name, why);
}

static void sweep_sa_take(struct sweep_part *part, const struct sweep_query *query,
                          const struct request_answer *answer)
{
    (void)query;
    struct sweep_sa_reading *r = part->own;
    struct error why;
    if (!answer->mad)
        error_set(&why, "it does not answer");
    else
        r->ok = mad_read_table(answer->mad, answer->size, r->table->record_size, r->table->read,
                               r->ctx, &why);
    if (!r->ok)
        sweep_sa_explain(sweep_sa_lid(part->sweep), r->table, why.text, r->err);
}

// Gives the SA time. `is_optional`: the sweep is complete without the table.
static bool sweep_sa_ask(struct sweep *sweep, const struct table *table, bool is_optional,
                         void *ctx, struct error *err)
{
    struct sweep_sa_reading r = {.table = table, .ctx = ctx, .err = err};
    struct sweep_part part = {.sweep = sweep, .is_optional = is_optional, .own = &r};
    const struct requests_options usual = sweep->requests;
    sweep->requests.attempts = ATTEMPTS;
    if (sweep->requests.timeout_us < TIMEOUT_US)
        sweep->requests.timeout_us = TIMEOUT_US;
    sweep_part_begin(&part);
    sweep->requests = usual;
    sweep_part_ask(&part, &(struct sweep_query){.take = sweep_sa_take,
                                                .attribute = table->attribute,
                                                .mgmt_class = MAD_CLASS_SA});
    const bool ok = sweep_part_end(&part, err);
    if (ok && part.ended)
        sweep_sa_explain(sweep_sa_lid(sweep), table, "it does not answer within the time limit",
                         err);
    return ok && r.ok;
}

static bool sweep_sa_is_usable(const struct sweep_sa *state, const struct sweep *sweep,
                               const struct table *table, struct error *err)
{
    if (sweep_sa_find_lid(state, state->sweep->port.lid) != FABRIC_NONE)
        return true;
    struct error why;
    error_set(&why, "the own port, LID %u, is not among them", state->sweep->port.lid);
    sweep_sa_explain(sweep->port.sm_lid, table, why.text, err);
    return false;
}

static bool sweep_sa_ask_all(struct sweep *sweep, struct sweep_sa *state, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES && ok; i++)
        ok = sweep_sa_ask(sweep, &TABLES[i], false, state, err) &&
             sweep_sa_is_usable(state, sweep, &TABLES[i], err);
    struct error why;
    if (ok && sweep->no_smps && !sweep_sa_ask(sweep, &MANAGERS, false, state, &why))
        log_debug(sweep->requests.log, "the subnet managers are not known: %s", why.text);
    if (ok && sweep->no_smps && !sweep_sa_ask(sweep, &SWITCHES, false, state, &why))
        log_debug(sweep->requests.log, "SwitchInfo is not known: %s", why.text);
    return ok;
}

// Counts the ports of a switch without a PortInfoRecord.
static void sweep_sa_count_hidden(void *ctx, uint32_t node, struct fabric_port *port)
{
    struct sweep_sa *s = ctx;
    const struct fabric_node *n = fabric_builder_get(s->builder, node);
    for (unsigned i = 1; n->type == FABRIC_SWITCH && port->number == 0 && i <= n->port_count; i++)
        s->sweep->hidden += !fabric_builder_get_port(s->builder, node, (uint8_t)i);
}

bool sweep_sa(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    struct sweep_sa *state = sweep_sa_new(sweep, builder);
    bool ok = sweep_sa_ask_all(sweep, state, err);
    fabric_builder_each_port(builder, sweep_sa_count_hidden, state);
    sweep_check_silence(sweep, builder);
    free(state);
    return ok;
}

void sweep_sa_pkeys(struct sweep *sweep, struct fabric_builder *builder)
{
    static const struct table PKEYS = {"P_KeyTableRecords", UMAD_SA_ATTR_PKEY_TABLE_REC,
                                       PKEY_RECORD_SIZE, sweep_sa_read_pkeys};
    struct error why;
    struct sweep_sa *s = sweep_sa_new(sweep, builder);
    fabric_builder_each_port(builder, sweep_sa_note_lids, s);
    if (!sweep_sa_ask(sweep, &PKEYS, true, s, &why))
        log_debug(sweep->requests.log, "the P_Key tables are not known: %s", why.text);
    sweep_keep_pkeys(sweep->known, builder);
    free(s);
}

// NodeRecords alone.

struct sweep_sa_each {
    void (*each)(void *ctx, const struct sweep_node *found);
    void *ctx;
};

static void sweep_sa_pass_node(void *ctx, const uint8_t *record, size_t size)
{
    (void)size;
    const struct sweep_sa_each *to = ctx;
    struct sweep_node found = {.lid = wire_get16(record)};
    if (smp_read_node_info(record + INFO, &found.node, &found.port_guid, &found.port))
        to->each(to->ctx, &found);
}

bool sweep_sa_nodes(struct sweep *sweep, void (*each)(void *ctx, const struct sweep_node *found),
                    void *ctx, struct error *err)
{
    static const struct table NODES = {"NodeRecords", UMAD_SA_ATTR_NODE_REC, NODE_RECORD_SIZE,
                                       sweep_sa_pass_node};
    return sweep_sa_ask(sweep, &NODES, false, &(struct sweep_sa_each){each, ctx}, err);
}

static void sweep_sa_count_node(void *ctx, const struct sweep_node *found)
{
    struct sweep_size *counted = ctx;
    counted->nodes++;
    counted->ports += found->node.type == FABRIC_SWITCH ? found->node.port_count + 1U : 1;
}

bool sweep_sa_count(struct sweep *sweep, struct sweep_size *size, struct error *err)
{
    *size = (struct sweep_size){0};
    return sweep_sa_nodes(sweep, sweep_sa_count_node, size, err);
}
