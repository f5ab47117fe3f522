// SPDX-License-Identifier: BSD-2-Clause
// IBTRAPD-MIB: ibtrapdPortTable, the ports of all nodes with their neighbours, counters and error
// rates. Port 0 of a switch, which has no link, has no row, and neither has a port that no sweep
// could read.
#include "agent/column.h"
#include "mib_root.h"
#include "tables/tables.h"
#include "topology/describe.h"

enum { OCTETS_PER_DATA = 4 };
enum { FIRST_SUM = 10, FIRST_RATE = 27 }; // columns that readings of counters fill

// Without readings, most columns are empty.
static size_t own_ports_count(struct look *look)
{
    const uint32_t column = look->column->number;
    const struct agent_snapshot *s = look->snapshot;
    const bool lacks =
        (column >= FIRST_SUM && !s->accumulated) || (column >= FIRST_RATE && !s->errors);
    return look->fabric && !lacks ? look->fabric->port_count : 0;
}

static bool own_ports_has(struct look *look)
{
    return look_port(look)->known && (look->number > 0 || look_node(look)->type != FABRIC_SWITCH);
}

// Returns NULL if the port has no neighbour.
static const struct fabric_node *own_ports_peer(const struct look *look)
{
    const uint32_t peer = look_port(look)->peer_node;
    return peer != FABRIC_NONE ? &look->fabric->nodes[peer] : NULL;
}

// The name of a node, or of the port of a host that a node-name-map names by its port.
static bool own_ports_put_name(const struct look *look, const struct fabric_node *node,
                               uint32_t port, struct agentx_value *out)
{
    char label[NAMES_NAME_SIZE];
    const struct fabric *fabric = look->fabric;
    const uint32_t index = (uint32_t)(node - fabric->nodes);
    const uint32_t named = node->type != FABRIC_SWITCH ? port : FABRIC_NONE;
    return put_text(out, describe_label(fabric, index, named, look->snapshot->names, label), 255);
}

GETTER(own_ports_node_name, own_ports_put_name(look, look_node(look), look->port, out))

static bool own_ports_peer_guid(struct look *look, struct agentx_value *out)
{
    const struct fabric_node *peer = own_ports_peer(look);
    return put_guid(out, peer ? peer->guid : 0);
}

static bool own_ports_peer_name(struct look *look, struct agentx_value *out)
{
    const struct fabric_node *peer = own_ports_peer(look);
    return peer ? own_ports_put_name(look, peer, fabric_peer(look->fabric, look->port), out)
                : put_octets(out, "", 0);
}

GETTER(own_ports_peer_number,
       put_number(out, own_ports_peer(look) ? look_port(look)->peer_port : 0))

static bool own_ports_state(struct look *look, struct agentx_value *out)
{
    enum { ACTIVE_DEFER = 5 };
    const uint8_t value = look_port(look)->state;
    return value >= FABRIC_DOWN && value <= ACTIVE_DEFER && put_number(out, value);
}

static bool own_ports_rate(struct look *look, struct agentx_value *out)
{
    const struct fabric_port *port = look_port(look);
    const double bits = fabric_bits_per_second(port->width_active, port->speed_active);
    return put_gauge(out, port->state > FABRIC_DOWN ? (uint64_t)(bits / 1e6) : 0);
}

// The column's counter; data in octets.
static bool own_ports_sum(struct look *look, struct agentx_value *out)
{
    uint64_t sums[COUNTER_COUNT];
    const enum counter counter = look->column->field.field;
    if (!field_sums(look, sums))
        return false;
    const bool is_data = counter == COUNTER_XMIT_DATA || counter == COUNTER_RCV_DATA;
    return put_number(out, (int64_t)(sums[counter] * (is_data ? OCTETS_PER_DATA : 1)));
}

// Error rates: of a port that was read. `field` of the column is the window.

static bool own_ports_is_read(const struct look *look)
{
    uint64_t sums[COUNTER_COUNT];
    return look->snapshot->errors && field_sums(look, sums);
}

// Whether the counter counts errors: neither waits nor repaired errors.
static bool own_ports_counts_errors(enum counter counter)
{
    return counter != COUNTER_XMIT_WAIT && counter != COUNTER_FEC_CORRECTED;
}

// The errors an hour, of all counters of errors.
static bool own_ports_errors(struct look *look, struct agentx_value *out)
{
    const enum error_window window = look->column->field.field;
    const struct measured_errors *errors = look->snapshot->errors;
    const uint64_t guid = look_node(look)->guid;
    double per_second = 0;
    if (!own_ports_is_read(look))
        return false;
    for (size_t i = measured_errors_find(errors, guid, look->number);
         i < errors->count && errors->all[i].node_guid == guid &&
         errors->all[i].port == look->number;
         i++)
        per_second +=
            own_ports_counts_errors(errors->all[i].counter) ? errors->all[i].per_second[window] : 0;
    return put_gauge(out, per_second < 1e6 ? (uint64_t)(per_second * 3600 + 0.5) : UINT32_MAX);
}

// The symbol errors a bit, in units of 1e-18.
static bool own_ports_bit_errors(struct look *look, struct agentx_value *out)
{
    const enum error_window window = look->column->field.field;
    const struct measured_errors *errors = look->snapshot->errors;
    const uint64_t guid = look_node(look)->guid;
    if (!own_ports_is_read(look))
        return false;
    const size_t at = measured_errors_find(errors, guid, look->number);
    const struct counter_measure *one = at < errors->count ? &errors->all[at] : NULL;
    const bool has = one && one->node_guid == guid && one->port == look->number &&
                     one->counter == COUNTER_SYMBOL_ERROR; // the first counter
    const double ratio = has ? one->per_bit[window] * 1e18 : 0;
    return put_gauge(out, ratio < UINT32_MAX ? (uint64_t)(ratio + 0.5) : UINT32_MAX);
}

// The share of the window that the port waited, in hundredths of a percent.
static bool own_ports_wait(struct look *look, struct agentx_value *out)
{
    const enum error_window window = look->column->field.field;
    double share;
    return own_ports_is_read(look) &&
           measured_errors_find_wait(look->snapshot->errors, look_node(look)->guid, look->number,
                                     window, &share) &&
           put_gauge(out, (uint64_t)(share * 10000 + 0.5));
}

#define SUM(counter)        AGENTX_COUNTER64, .get = own_ports_sum, .field = {.field = (counter)}
#define RATE(which, window) .get = own_ports_##which, .field = {.field = ERROR_WINDOW_##window}

static const struct table_column OWN_PORTS_COLUMNS[] = {
    {"ibtrapdPortNodeName", 3, AGENTX_OCTETS, .get = own_ports_node_name},
    {"ibtrapdPortNodeType", 4, AGENTX_INTEGER, NODE_MEMBER(type, FIELD_NUMBER)},
    {"ibtrapdPortPeerGuid", 5, AGENTX_OCTETS, .get = own_ports_peer_guid},
    {"ibtrapdPortPeerName", 6, AGENTX_OCTETS, .get = own_ports_peer_name},
    {"ibtrapdPortPeerNumber", 7, AGENTX_GAUGE32, .get = own_ports_peer_number},
    {"ibtrapdPortState", 8, AGENTX_INTEGER, .get = own_ports_state},
    {"ibtrapdPortRate", 9, AGENTX_GAUGE32, .get = own_ports_rate},
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
    {"ibtrapdPortErrorsShort", 27, AGENTX_GAUGE32, RATE(errors, SHORT)},
    {"ibtrapdPortErrorsLong", 28, AGENTX_GAUGE32, RATE(errors, LONG)},
    {"ibtrapdPortBitErrorsShort", 29, AGENTX_GAUGE32, RATE(bit_errors, SHORT)},
    {"ibtrapdPortBitErrorsLong", 30, AGENTX_GAUGE32, RATE(bit_errors, LONG)},
    {"ibtrapdPortFecCorrected", 31, SUM(COUNTER_FEC_CORRECTED)},
    {"ibtrapdPortFecUncorrectable", 32, SUM(COUNTER_FEC_UNCORRECTABLE)},
    {"ibtrapdPortWaitShort", 33, AGENTX_GAUGE32, RATE(wait, SHORT)},
    {"ibtrapdPortWaitLong", 34, AGENTX_GAUGE32, RATE(wait, LONG)},
};

const struct table OWN_PORTS = {
    "ibtrapdPortTable", TABLE_OID(MIB_ROOT_IDS, 1, 7, 1), TABLE_COLUMNS(OWN_PORTS_COLUMNS),
    TABLE_SORTED(own_ports_count, tables_enter_port), .has = own_ports_has};
