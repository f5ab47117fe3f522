// SPDX-License-Identifier: BSD-2-Clause
#include "agent/gsw.h"
#include "agent/tables.h"

#include "agent/put.h"
#include "base/search.h"

#include <time.h>

const struct fabric_node *gsw_node(const struct agent_snapshot *snapshot,
                                   const struct table_row *row)
{
    return &snapshot->fabric->nodes[row->node];
}

const struct fabric_port *gsw_port(const struct agent_snapshot *snapshot,
                                   const struct table_row *row)
{
    return &snapshot->fabric->ports[row->port];
}

bool gsw_is_element(const struct fabric_node *node)
{
    return fabric_is_element(node->type);
}

uint8_t gsw_type(const struct fabric_node *node)
{
    return node->type == FABRIC_ROUTER ? GSW_IB_ROUTER : GSW_IB_SWITCH;
}

void gsw_global_id(const struct fabric_node *node, uint8_t out[GSW_GLOBAL_ID_SIZE])
{
    mib_put_global_id(out, node->guid, node->type);
}

void gsw_add_global_id(struct agentx_oid *oid, const struct fabric_node *node)
{
    uint8_t id[GSW_GLOBAL_ID_SIZE];
    gsw_global_id(node, id);
    agentx_oid_add_octets(oid, id, sizeof id);
}

static const struct fabric_node *element(const struct agent_snapshot *snapshot, size_t at)
{
    return &snapshot->fabric->nodes[snapshot->switches[at]];
}

static void element_index(const struct agent_snapshot *snapshot, size_t at, struct agentx_oid *out)
{
    gsw_add_global_id(out, element(snapshot, at));
}

bool gsw_seek_element(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                      bool after, struct table_row *row, struct agentx_oid *found)
{
    if (!table_seek_sorted(snapshot, snapshot->switch_count, element_index, ids, length, after,
                           &row->at, found))
        return false;
    row->node = snapshot->switches[row->at];
    return true;
}

static bool gsw_is_before(const struct agent_snapshot *snapshot, size_t at, const uint32_t *ids,
                          size_t length)
{
    struct agentx_oid id = {.length = 0};
    element_index(snapshot, at, &id);
    return agentx_oid_compare(id.ids, id.length, ids, length) < 0;
}

size_t gsw_first_element(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length)
{
    size_t at;
    SEARCH_FIRST(at, 0, snapshot->switch_count, gsw_is_before(snapshot, at, ids, length));
    return at;
}

// Finds the element's first port with this number or a greater one that has a row.
static bool find_port(const struct agent_snapshot *snapshot, uint64_t number,
                      bool (*has)(const struct agent_snapshot *snapshot,
                                  const struct table_row *row),
                      struct table_row *row)
{
    const struct fabric_node *node = gsw_node(snapshot, row);
    for (row->port = node->first_port; row->port < node->first_port + node->ports; row->port++) {
        row->number = gsw_port(snapshot, row)->number;
        if (row->number >= number && has(snapshot, row))
            return true;
    }
    return false;
}

bool gsw_seek_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                   bool after,
                   bool (*has)(const struct agent_snapshot *snapshot, const struct table_row *row),
                   struct table_row *row, struct agentx_oid *found)
{
    size_t id_length = length < GSW_GLOBAL_ID_SIZE ? length : GSW_GLOBAL_ID_SIZE;
    size_t first = gsw_first_element(snapshot, ids, id_length);
    for (row->at = first; row->at < snapshot->switch_count; row->at++) {
        uint64_t number = 0;
        row->node = snapshot->switches[row->at];
        found->length = 0;
        element_index(snapshot, row->at, found);
        bool named = length > GSW_GLOBAL_ID_SIZE && row->at == first &&
                     agentx_oid_compare(found->ids, found->length, ids, id_length) == 0;
        if (named)
            number = (uint64_t)ids[id_length] + after;
        if (find_port(snapshot, number, has, row)) {
            agentx_oid_add(found, row->number);
            return after || agentx_oid_compare(found->ids, found->length, ids, length) == 0;
        }
        if (!after)
            return false;
    }
    return false;
}

static bool any(const struct agent_snapshot *snapshot, const struct table_row *row)
{
    (void)snapshot;
    (void)row;
    return true;
}

bool gsw_seek_any_port(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                       bool after, struct table_row *row, struct agentx_oid *found)
{
    return gsw_seek_port(snapshot, ids, length, after, any, row, found);
}

bool gsw_speaks_for_element(const struct fabric_node *node, const struct fabric_port *port)
{
    return port->detail.known && (node->type != FABRIC_SWITCH || port->number == 0);
}

bool gsw_get_global_id(const struct agent_snapshot *snapshot, const struct table_row *row,
                       struct agentx_value *out)
{
    uint8_t id[GSW_GLOBAL_ID_SIZE];
    gsw_global_id(gsw_node(snapshot, row), id);
    return put_octets(out, id, sizeof id);
}

bool gsw_get_port_number(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out)
{
    (void)snapshot;
    return put_number(out, row->number);
}

bool gsw_get_date(const struct agent_snapshot *snapshot, const struct table_row *row,
                  struct agentx_value *out)
{
    char text[64];
    struct tm tm;
    time_t seconds = (time_t)(snapshot->time_us / CLOCK_US_PER_S);
    (void)row;
    gmtime_r(&seconds, &tm);
    return put_octets(out, text, strftime(text, sizeof text, "%a %b %d %T %Y UTC", &tm));
}

bool gsw_get_one(const struct agent_snapshot *snapshot, const struct table_row *row,
                 struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    return put_number(out, 1);
}

const struct setting *gsw_setting(const struct agent_snapshot *snapshot,
                                  const struct table_row *row, enum setting_kind kind)
{
    return settings_find(snapshot->settings, kind, gsw_node(snapshot, row)->guid, row->number);
}
