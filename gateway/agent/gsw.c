#include "agent/gsw.h"

#include "agent/put.h"
#include "base/search.h"
#include "base/wire.h"

#include <string.h>
#include <time.h>

const struct fabric_node *gsw_node(const struct view *view, const struct table_row *row)
{
    return &view->fabric->nodes[row->node];
}

const struct fabric_port *gsw_port(const struct view *view, const struct table_row *row)
{
    return &view->fabric->ports[row->port];
}

bool gsw_is_element(const struct fabric_node *node)
{
    return node->type == FABRIC_SWITCH || node->type == FABRIC_ROUTER;
}

uint8_t gsw_type(const struct fabric_node *node)
{
    return node->type == FABRIC_ROUTER ? GSW_IB_ROUTER : GSW_IB_SWITCH;
}

void gsw_global_id(const struct fabric_node *node, uint8_t out[GSW_GLOBAL_ID_SIZE])
{
    memset(out, 0, GSW_GLOBAL_ID_SIZE);
    wire_put(out, GSW_LOCAL_ID_SIZE, node->guid);
    out[GSW_GLOBAL_ID_SIZE - 1] = gsw_type(node);
}

void gsw_add_global_id(struct agentx_oid *oid, const struct fabric_node *node)
{
    uint8_t id[GSW_GLOBAL_ID_SIZE];
    gsw_global_id(node, id);
    agentx_oid_add_octets(oid, id, sizeof id);
}

static const struct fabric_node *element(const struct view *view, size_t at)
{
    return &view->fabric->nodes[view->switches[at]];
}

static void element_index(const struct view *view, size_t at, struct agentx_oid *out)
{
    gsw_add_global_id(out, element(view, at));
}

bool gsw_seek_element(const struct view *view, const uint32_t *ids, size_t length, bool after,
                      struct table_row *row, struct agentx_oid *found)
{
    if (!table_seek_sorted(view, view->switch_count, element_index, ids, length, after, &row->at,
                           found))
        return false;
    row->node = view->switches[row->at];
    return true;
}

static bool is_before(const struct view *view, size_t at, const uint32_t *ids, size_t length)
{
    struct agentx_oid id = {.length = 0};
    element_index(view, at, &id);
    return agentx_oid_compare(id.ids, id.length, ids, length) < 0;
}

size_t gsw_first_element(const struct view *view, const uint32_t *ids, size_t length)
{
    size_t at;
    SEARCH_FIRST(at, 0, view->switch_count, is_before(view, at, ids, length));
    return at;
}

// The first port from `number` on that has a row.
static bool find_port(const struct view *view, uint64_t number,
                      bool (*has)(const struct view *view, const struct table_row *row),
                      struct table_row *row)
{
    const struct fabric_node *node = gsw_node(view, row);
    for (row->port = node->first_port; row->port < node->first_port + node->ports; row->port++) {
        row->number = gsw_port(view, row)->number;
        if (row->number >= number && has(view, row))
            return true;
    }
    return false;
}

bool gsw_seek_port(const struct view *view, const uint32_t *ids, size_t length, bool after,
                   bool (*has)(const struct view *view, const struct table_row *row),
                   struct table_row *row, struct agentx_oid *found)
{
    size_t id_length = length < GSW_GLOBAL_ID_SIZE ? length : GSW_GLOBAL_ID_SIZE;
    size_t first = gsw_first_element(view, ids, id_length);
    for (row->at = first; row->at < view->switch_count; row->at++) {
        uint64_t number = 0;
        row->node = view->switches[row->at];
        found->length = 0;
        element_index(view, row->at, found);
        bool named = length > GSW_GLOBAL_ID_SIZE && row->at == first &&
                     agentx_oid_compare(found->ids, found->length, ids, id_length) == 0;
        if (named)
            number = (uint64_t)ids[id_length] + after;
        if (find_port(view, number, has, row)) {
            agentx_oid_add(found, row->number);
            return after || agentx_oid_compare(found->ids, found->length, ids, length) == 0;
        }
        if (!after)
            return false;
    }
    return false;
}

static bool any(const struct view *view, const struct table_row *row)
{
    (void)view;
    (void)row;
    return true;
}

bool gsw_seek_any_port(const struct view *view, const uint32_t *ids, size_t length, bool after,
                       struct table_row *row, struct agentx_oid *found)
{
    return gsw_seek_port(view, ids, length, after, any, row, found);
}

bool gsw_get_global_id(const struct view *view, const struct table_row *row,
                       struct agentx_value *out)
{
    uint8_t id[GSW_GLOBAL_ID_SIZE];
    gsw_global_id(gsw_node(view, row), id);
    return put_octets(out, id, sizeof id);
}

bool gsw_get_port_number(const struct view *view, const struct table_row *row,
                         struct agentx_value *out)
{
    (void)view;
    return put_number(out, row->number);
}

bool gsw_get_date(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    char text[64];
    struct tm tm;
    time_t seconds = (time_t)(view->time_us / CLOCK_US_PER_S);
    (void)row;
    localtime_r(&seconds, &tm);
    return put_octets(out, text, strftime(text, sizeof text, "%a %b %d %T %Y", &tm));
}

bool gsw_get_one(const struct view *view, const struct table_row *row, struct agentx_value *out)
{
    (void)view;
    (void)row;
    return put_number(out, 1);
}

const struct setting *gsw_setting(const struct view *view, const struct table_row *row,
                                  enum setting_kind kind)
{
    return settings_find(view->settings, kind, gsw_node(view, row)->guid, row->number);
}
