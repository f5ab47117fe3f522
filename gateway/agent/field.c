// SPDX-License-Identifier: BSD-2-Clause
#include "agent/field.h"

#include "agent/put.h"
#include "base/wire.h"

static bool field_put(struct agentx_value *out, const struct table_field *how, uint32_t number)
{
    uint8_t octets[sizeof number];
    const size_t size = (attribute_bits(how->field) + 7) / 8;
    const bool all = how->least == 0 && how->most == 0;
    const bool within = all || (number >= how->least && number <= how->most);
    switch ((enum field_form)how->form) {
    case FIELD_NUMBER:
        return within && put_number(out, number);
    case FIELD_LABEL:
        return put_number(out, within ? number : how->most + 1u);
    case FIELD_NEXT_LABEL:
        return put_number(out, (within ? number : how->most + 1u) + 1u);
    case FIELD_FROM_ZERO:
        return within && put_number(out, (int64_t)number - 1);
    case FIELD_TRUTH:
        return put_truth(out, number != 0);
    case FIELD_OCTETS:
        wire_put(octets, size, number);
        return put_octets(out, octets, size);
    }
    return false;
}

bool field_of_port(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out)
{
    const struct fabric_port *port = &snapshot->fabric->ports[row->port];
    const struct table_field *how = &row->column->field;
    return port->detail.known && field_put(out, how, fabric_port_info(port, how->field));
}

bool field_of_switch(const struct agent_snapshot *snapshot, const struct table_row *row,
                     struct agentx_value *out)
{
    const struct fabric_node *node = &snapshot->fabric->nodes[row->node];
    const struct table_field *how = &row->column->field;
    return node->switch_info.known && field_put(out, how, fabric_switch_info(node, how->field));
}

bool field_of_octets(const uint8_t *octets, const struct table_row *row, struct agentx_value *out)
{
    const struct table_field *how = &row->column->field;
    return field_put(out, how, attribute_get(octets, 0, how->field));
}

bool field_get_key(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out)
{
    static const uint8_t NONE[16];
    (void)snapshot;
    return put_octets(out, NONE, attribute_bits(row->column->field.field) / 8);
}
