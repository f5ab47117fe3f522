// SPDX-License-Identifier: BSD-2-Clause
#include "agent/put.h"
#include "agent/tables.h"
#include "base/search.h"
#include "base/wire.h"
#include "mib_root.h"
#include "topology/describe.h"

enum { GUID_SIZE = 8, OCTETS_PER_DATA = 4 };

static const struct fabric_node *own_ports_node(const struct agent_snapshot *snapshot,
                                                const struct table_row *row)
{
    return &snapshot->fabric->nodes[row->node];
}

static const struct fabric_port *own_ports_port(const struct agent_snapshot *snapshot,
                                                const struct table_row *row)
{
    return &snapshot->fabric->ports[row->port];
}

// NULL: the port has no neighbour.
static const struct fabric_node *own_ports_peer(const struct agent_snapshot *snapshot,
                                                const struct table_row *row)
{
    const uint32_t peer = own_ports_port(snapshot, row)->peer_node;
    return peer != FABRIC_NONE ? &snapshot->fabric->nodes[peer] : NULL;
}

// The name of a node, or of the port of a host that a node-name-map names by its port.
static bool put_name(const struct agent_snapshot *snapshot, const struct fabric_node *node,
                     uint32_t port, struct agentx_value *out)
{
    const bool has_guid = node->type != FABRIC_SWITCH && port != FABRIC_NONE;
    const uint64_t guid = has_guid ? snapshot->fabric->ports[port].guid : 0;
    return put_text(out, describe_name(node, guid, snapshot->names), 255);
}

static bool own_ports_node_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    return put_name(snapshot, own_ports_node(snapshot, row), row->port, out);
}

static bool node_type(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    return put_number(out, own_ports_node(snapshot, row)->type);
}

static bool peer_guid(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    const struct fabric_node *peer = own_ports_peer(snapshot, row);
    return put_guid(out, peer ? peer->guid : 0);
}

static bool peer_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    const struct fabric_node *peer = own_ports_peer(snapshot, row);
    return peer ? put_name(snapshot, peer, fabric_peer(snapshot->fabric, row->port), out)
                : put_octets(out, "", 0);
}

static bool peer_number(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    const bool has_peer = own_ports_peer(snapshot, row) != NULL;
    return put_number(out, has_peer ? own_ports_port(snapshot, row)->peer_port : 0);
}

static bool state(const struct agent_snapshot *snapshot, const struct table_row *row,
                  struct agentx_value *out)
{
    enum { ACTIVE_DEFER = 5 };
    const uint8_t value = own_ports_port(snapshot, row)->state;
    return value >= FABRIC_DOWN && value <= ACTIVE_DEFER && put_number(out, value);
}

static bool rate(const struct agent_snapshot *snapshot, const struct table_row *row,
                 struct agentx_value *out)
{
    const struct fabric_port *port = own_ports_port(snapshot, row);
    const double bits = fabric_bits_per_second(port->width_active, port->speed_active);
    return put_gauge(out, port->state > FABRIC_DOWN ? (uint64_t)(bits / 1e6) : 0);
}

// The column's counter; data in octets.
static bool own_ports_sum(const struct agent_snapshot *snapshot, const struct table_row *row,
                          struct agentx_value *out)
{
    uint64_t sums[COUNTER_COUNT];
    const enum counter counter = row->column->field.field;
    if (!accumulated_find(snapshot->accumulated, own_ports_node(snapshot, row)->guid, row->number,
                          sums))
        return false;
    const bool is_data = counter == COUNTER_XMIT_DATA || counter == COUNTER_RCV_DATA;
    return put_number(out, (int64_t)(sums[counter] * (is_data ? OCTETS_PER_DATA : 1)));
}

// Error rates: of a port that was read.

static bool own_ports_is_read(const struct agent_snapshot *snapshot, const struct table_row *row)
{
    uint64_t sums[COUNTER_COUNT];
    return snapshot->errors &&
           accumulated_find(snapshot->accumulated, own_ports_node(snapshot, row)->guid, row->number,
                            sums);
}

// Whether the counter counts what is wrong: neither waits nor what was repaired.
static bool counts_errors(enum counter counter)
{
    return counter != COUNTER_XMIT_WAIT && counter != COUNTER_FEC_CORRECTED;
}

// The errors an hour of all counters that count errors.
static bool put_errors(const struct agent_snapshot *snapshot, const struct table_row *row,
                       enum error_window window, struct agentx_value *out)
{
    const struct measured_errors *errors = snapshot->errors;
    const uint64_t guid = own_ports_node(snapshot, row)->guid;
    double per_second = 0;
    if (!own_ports_is_read(snapshot, row))
        return false;
    for (size_t i = measured_errors_find(errors, guid, row->number);
         i < errors->count && errors->all[i].node_guid == guid &&
         errors->all[i].port == row->number;
         i++)
        per_second += counts_errors(errors->all[i].counter) ? errors->all[i].per_second[window] : 0;
    return put_gauge(out, per_second < 1e6 ? (uint64_t)(per_second * 3600 + 0.5) : UINT32_MAX);
}

// The symbol errors a bit, in units of 1e-18.
static bool put_bit_errors(const struct agent_snapshot *snapshot, const struct table_row *row,
                           enum error_window window, struct agentx_value *out)
{
    const struct measured_errors *errors = snapshot->errors;
    const uint64_t guid = own_ports_node(snapshot, row)->guid;
    if (!own_ports_is_read(snapshot, row))
        return false;
    const size_t at = measured_errors_find(errors, guid, row->number);
    const struct counter_measure *one = at < errors->count ? &errors->all[at] : NULL;
    const bool has = one && one->node_guid == guid && one->port == row->number &&
                     one->counter == COUNTER_SYMBOL_ERROR; // the first counter
    const double ratio = has ? one->per_bit[window] * 1e18 : 0;
    return put_gauge(out, ratio < UINT32_MAX ? (uint64_t)(ratio + 0.5) : UINT32_MAX);
}

// The share of the window that the port waited, in hundredths of a percent.
static bool put_wait(const struct agent_snapshot *snapshot, const struct table_row *row,
                     enum error_window window, struct agentx_value *out)
{
    double share;
    return own_ports_is_read(snapshot, row) &&
           measured_errors_find_wait(snapshot->errors, own_ports_node(snapshot, row)->guid,
                                     row->number, window, &share) &&
           put_gauge(out, (uint64_t)(share * 10000 + 0.5));
}

#define ERRORS(name, put, window)                                                                  \
    static bool name(const struct agent_snapshot *snapshot, const struct table_row *row,           \
                     struct agentx_value *out)                                                     \
    {                                                                                              \
        return put(snapshot, row, window, out);                                                    \
    }

ERRORS(errors_short, put_errors, ERROR_WINDOW_SHORT)
ERRORS(errors_long, put_errors, ERROR_WINDOW_LONG)
ERRORS(bit_errors_short, put_bit_errors, ERROR_WINDOW_SHORT)
ERRORS(bit_errors_long, put_bit_errors, ERROR_WINDOW_LONG)
ERRORS(wait_short, put_wait, ERROR_WINDOW_SHORT)
ERRORS(wait_long, put_wait, ERROR_WINDOW_LONG)

#define SUM(counter) AGENTX_COUNTER64, .get = own_ports_sum, .field = {.field = (counter)}

static const struct table_column COLUMNS[] = {
    {"ibtrapdPortNodeName", 3, AGENTX_OCTETS, .get = own_ports_node_name},
    {"ibtrapdPortNodeType", 4, AGENTX_INTEGER, .get = node_type},
    {"ibtrapdPortPeerGuid", 5, AGENTX_OCTETS, .get = peer_guid},
    {"ibtrapdPortPeerName", 6, AGENTX_OCTETS, .get = peer_name},
    {"ibtrapdPortPeerNumber", 7, AGENTX_GAUGE32, .get = peer_number},
    {"ibtrapdPortState", 8, AGENTX_INTEGER, .get = state},
    {"ibtrapdPortRate", 9, AGENTX_GAUGE32, .get = rate},
    {"ibtrapdPortXmitOctets", 10, SUM(COUNTER_XMIT_DATA)},
    {"ibtrapdPortRcvOctets", 11, SUM(COUNTER_RCV_DATA)},
    {"ibtrapdPortXmitPkts", 12, SUM(COUNTER_XMIT_PKTS)},
    {"ibtrapdPortRcvPkts", 13, SUM(COUNTER_RCV_PKTS)},
    {"ibtrapdPortXmitWait", 14, SUM(COUNTER_XMIT_WAIT)},
    {"ibtrapdPortSymbolErrors", 15, SUM(COUNTER_SYMBOL_ERROR)},
    {"ibtrapdPortLinkErrorRecoveries", 16, SUM(COUNTER_LINK_ERROR_RECOVERY)},
    {"ibtrapdPortLinkDowned", 17, SUM(COUNTER_LINK_DOWNED)},
    {"ibtrapdPortRcvErrors", 18, SUM(COUNTER_RCV_ERRORS)},
    {"ibtrapdPortRcvRemotePhysicalErrors", 19, SUM(COUNTER_RCV_REMOTE_PHYSICAL_ERRORS)},
    {"ibtrapdPortRcvSwitchRelayErrors", 20, SUM(COUNTER_RCV_SWITCH_RELAY_ERRORS)},
    {"ibtrapdPortXmitDiscards", 21, SUM(COUNTER_XMIT_DISCARDS)},
    {"ibtrapdPortXmitConstraintErrors", 22, SUM(COUNTER_XMIT_CONSTRAINT_ERRORS)},
    {"ibtrapdPortRcvConstraintErrors", 23, SUM(COUNTER_RCV_CONSTRAINT_ERRORS)},
    {"ibtrapdPortLocalLinkIntegrityErrors", 24, SUM(COUNTER_LOCAL_LINK_INTEGRITY_ERRORS)},
    {"ibtrapdPortBufferOverrunErrors", 25, SUM(COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS)},
    {"ibtrapdPortVl15Dropped", 26, SUM(COUNTER_VL15_DROPPED)},
    {"ibtrapdPortErrorsShort", 27, AGENTX_GAUGE32, .get = errors_short},
    {"ibtrapdPortErrorsLong", 28, AGENTX_GAUGE32, .get = errors_long},
    {"ibtrapdPortBitErrorsShort", 29, AGENTX_GAUGE32, .get = bit_errors_short},
    {"ibtrapdPortBitErrorsLong", 30, AGENTX_GAUGE32, .get = bit_errors_long},
    {"ibtrapdPortFecCorrected", 31, SUM(COUNTER_FEC_CORRECTED)},
    {"ibtrapdPortFecUncorrectable", 32, SUM(COUNTER_FEC_UNCORRECTABLE)},
    {"ibtrapdPortWaitShort", 33, AGENTX_GAUGE32, .get = wait_short},
    {"ibtrapdPortWaitLong", 34, AGENTX_GAUGE32, .get = wait_long},
};

static void add_node_index(struct agentx_oid *out, uint64_t guid)
{
    uint8_t octets[GUID_SIZE];
    wire_put(octets, sizeof octets, guid);
    agentx_oid_add_octets(out, octets, sizeof octets);
}

// Whether no port has a value in the column: without readings, most columns are empty.
static bool own_ports_lacks(const struct agent_snapshot *snapshot,
                            const struct table_column *column)
{
    enum { FIRST_SUM = 10, FIRST_RATE = 27 };
    return column->number >= FIRST_SUM &&
           (!snapshot->accumulated || (column->number >= FIRST_RATE && !snapshot->errors));
}

static bool own_ports_is_before(const struct fabric_node *node, const uint32_t *ids, size_t length)
{
    struct agentx_oid id = {.length = 0};
    add_node_index(&id, node->guid);
    return agentx_oid_compare(id.ids, id.length, ids, length) < 0;
}

// Finds the node's first port with this number or a greater one that has a row: not port 0 of a
// switch, which has no link, nor a port that no sweep could read.
static bool own_ports_find(const struct agent_snapshot *snapshot, uint64_t number,
                           struct table_row *row)
{
    const struct fabric_node *node = own_ports_node(snapshot, row);
    for (row->port = node->first_port; row->port < node->first_port + node->ports; row->port++) {
        const struct fabric_port *port = own_ports_port(snapshot, row);
        row->number = port->number;
        if (port->number >= number && port->known &&
            (port->number > 0 || node->type != FABRIC_SWITCH))
            return true;
    }
    return false;
}

static bool own_ports_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                           size_t length, bool after, struct table_row *row,
                           struct agentx_oid *found)
{
    const struct fabric *fabric = snapshot->fabric;
    const size_t id_length = length < GUID_SIZE ? length : GUID_SIZE;
    uint32_t first = 0;
    if (!fabric || own_ports_lacks(snapshot, row->column))
        return false;
    SEARCH_FIRST(first, 0, fabric->node_count,
                 own_ports_is_before(&fabric->nodes[first], ids, id_length));
    for (row->node = first; row->node < fabric->node_count; row->node++) {
        uint64_t number = 0;
        found->length = 0;
        add_node_index(found, fabric->nodes[row->node].guid);
        if (length > GUID_SIZE && row->node == first &&
            agentx_oid_compare(found->ids, found->length, ids, id_length) == 0)
            number = (uint64_t)ids[id_length] + after;
        if (own_ports_find(snapshot, number, row)) {
            agentx_oid_add(found, row->number);
            return after || agentx_oid_compare(found->ids, found->length, ids, length) == 0;
        }
        if (!after)
            return false;
    }
    return false;
}

static const uint32_t ENTRY[] = {MIB_ROOT_IDS, 1, 7, 1};

const struct table OWN_PORTS = TABLE("ibtrapdPortTable", ENTRY, COLUMNS, own_ports_seek);
