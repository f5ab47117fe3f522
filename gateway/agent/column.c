// SPDX-License-Identifier: BSD-2-Clause
#include "agent/column.h"

#include "base/text.h"
#include "base/wire.h"

#include <string.h>

bool put_number(struct agentx_value *out, int64_t number)
{
    out->number = number;
    return true;
}

bool put_gauge(struct agentx_value *out, uint64_t number)
{
    return put_number(out, number < UINT32_MAX ? (int64_t)number : UINT32_MAX);
}

bool put_octets(struct agentx_value *out, const void *octets, size_t size)
{
    out->size = (uint16_t)(size < AGENTX_OCTETS_MAX ? size : AGENTX_OCTETS_MAX);
    memcpy(out->octets, octets, out->size);
    return true;
}

bool put_text(struct agentx_value *out, const char *text, size_t most)
{
    enum { CONTINUATION = 0x80, CONTINUATION_MASK = 0xc0 };
    size_t size = strlen(text);
    if (most > AGENTX_OCTETS_MAX)
        most = AGENTX_OCTETS_MAX;
    if (size > most) {
        size = most;
        while (size > 0 && ((uint8_t)text[size] & CONTINUATION_MASK) == CONTINUATION)
            size--;
    }
    return put_octets(out, text, size);
}

bool put_known(struct agentx_value *out, uint64_t number)
{
    return number != 0 && put_number(out, (int64_t)number);
}

bool put_big_endian(struct agentx_value *out, uint64_t number, size_t size)
{
    uint8_t octets[sizeof number];
    wire_put(octets, size, number);
    return put_octets(out, octets, size);
}

bool put_guid(struct agentx_value *out, uint64_t guid)
{
    out->size = sizeof guid;
    wire_put(out->octets, sizeof guid, guid);
    return true;
}

bool put_truth(struct agentx_value *out, bool truth)
{
    return put_number(out, truth ? 1 : 2);
}

static bool column_put_date(struct agentx_value *out, int64_t utc_us)
{
    out->size = MIB_DATE_SIZE;
    mib_put_date(out->octets, utc_us);
    return true;
}

bool put_oid(struct agentx_value *out, const uint32_t *ids, size_t length)
{
    for (size_t i = 0; i < length; i++)
        agentx_oid_add(&out->oid, ids[i]);
    return true;
}

bool put_time_stamp(struct agentx_value *out, const struct look *look, int64_t at)
{
    enum { US_PER_TICK = 10000 };
    const int64_t since = at - look->snapshot->master_started_at;
    return put_number(out, since > 0 && at != 0 ? since / US_PER_TICK & UINT32_MAX : 0);
}

bool put_field(struct agentx_value *out, const struct event *event, enum mib_syntax syntax,
               uint16_t size, enum field source)
{
    struct mib_varbind value;
    mib_encode_field(syntax, size, source, event, &value);
    if (value.syntax == MIB_OCTETS)
        return put_octets(out, value.octets, value.size);
    return put_number(out, value.syntax == MIB_INTEGER32 ? (int32_t)value.number
                                                         : (int64_t)value.number);
}

// Fields.

static bool column_put(const struct look *look, uint64_t number, size_t size,
                       struct agentx_value *out)
{
    const struct table_field *how = &look->column->field;
    const bool all = how->least == 0 && how->most == 0;
    const bool within = all || (number >= how->least && number <= how->most);
    const int64_t label = within ? (int64_t)number : how->most + INT64_C(1);
    switch ((enum field_form)how->form) {
    case FIELD_NUMBER:
        return within && put_number(out, label);
    case FIELD_LABEL:
        return put_number(out, label);
    case FIELD_NEXT_LABEL:
        return put_number(out, label + 1);
    case FIELD_FROM_ZERO:
        return within && put_number(out, label - 1);
    case FIELD_TRUTH:
        return put_truth(out, number != 0);
    case FIELD_OCTETS:
        return put_big_endian(out, number, size);
    case FIELD_KNOWN:
        return put_known(out, number);
    case FIELD_GAUGE:
        return put_gauge(out, number);
    case FIELD_BIG_ENDIAN:
        return put_big_endian(out, number, how->most);
    case FIELD_STAMP:
        return put_time_stamp(out, look, (int64_t)number);
    case FIELD_DATE:
        return column_put_date(out, (int64_t)number);
    case FIELD_ARRAY:
        break;
    }
    return false;
}

static bool column_put_bits(const struct look *look, uint32_t number, struct agentx_value *out)
{
    return column_put(look, number, (attribute_bits(look->column->field.field) + 7) / 8, out);
}

bool field_of_port(struct look *look, struct agentx_value *out)
{
    const struct fabric_port *port = look_port(look);
    const uint32_t field = look->column->field.field;
    return fabric_knows_port_info(port, field) &&
           column_put_bits(look, fabric_port_info(port, field), out);
}

bool field_of_switch(struct look *look, struct agentx_value *out)
{
    const struct fabric_node *node = look_node(look);
    return node->switch_info.known &&
           column_put_bits(look, fabric_switch_info(node, look->column->field.field), out);
}

bool field_of_octets(const uint8_t *octets, const struct look *look, struct agentx_value *out)
{
    return column_put_bits(look, attribute_get(octets, 0, look->column->field.field), out);
}

// Reads an unsigned number of one, two, four or eight octets.
static uint64_t column_read(const void *at, size_t size)
{
    switch (size) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        return *(const uint16_t *)at;
    case 4:
        return *(const uint32_t *)at;
    default:
        return *(const uint64_t *)at;
    }
}

bool field_of_struct(const void *of, const struct look *look, struct agentx_value *out)
{
    const struct table_field *how = &look->column->field;
    const void *at = (const char *)of + how->field;
    if (how->form == FIELD_ARRAY)
        return put_text(out, at, how->most);
    return column_put(look, column_read(at, how->size), how->size, out);
}

bool field_of_node(struct look *look, struct agentx_value *out)
{
    return field_of_struct(look_node(look), look, out);
}

bool field_of_sm(struct look *look, struct agentx_value *out)
{
    return field_of_struct(&look->fabric->sms[look->at], look, out);
}

bool field_sm_activity(struct look *look, struct agentx_value *out)
{
    const struct fabric_sm *sm = &look->fabric->sms[look->at];
    const bool is_signed = look->column->type == AGENTX_INTEGER;
    return sm->counts && put_number(out, is_signed ? (int32_t)sm->activity : (int64_t)sm->activity);
}

bool field_zeros(struct look *look, struct agentx_value *out)
{
    static const uint8_t NONE[16];
    return put_octets(out, NONE, look->column->field.field);
}

bool field_constant(struct look *look, struct agentx_value *out)
{
    return put_number(out, look->column->field.field);
}

bool field_empty(struct look *look, struct agentx_value *out)
{
    (void)look;
    return put_octets(out, "", 0);
}

bool field_row_number(struct look *look, struct agentx_value *out)
{
    return put_number(out, look->number);
}

bool field_tail(struct look *look, struct agentx_value *out)
{
    return put_number(out, look->tail[look->column->field.field]);
}

bool field_node_guid(struct look *look, struct agentx_value *out)
{
    return put_guid(out, look_node(look)->guid);
}

bool field_node_port_guid(struct look *look, struct agentx_value *out)
{
    const struct fabric_node *node = look_node(look);
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        if (look->fabric->ports[i].guid != 0)
            return put_guid(out, look->fabric->ports[i].guid);
    }
    return false;
}

bool field_node_description(struct look *look, struct agentx_value *out)
{
    char text[64 + 1];
    text_ascii(look_node(look)->description, text, sizeof text);
    return put_text(out, text, sizeof text);
}

bool field_lid(struct look *look, struct agentx_value *out)
{
    const struct fabric_port *port = look_port(look);
    return port->detail.known && put_number(out, port->lid);
}

bool field_gid_prefix(struct look *look, struct agentx_value *out)
{
    const struct fabric_port *port = look_port(look);
    return port->detail.known && put_guid(out, port->gid_prefix);
}

bool field_sums(const struct look *look, uint64_t sums[COUNTER_COUNT])
{
    return accumulated_find(look->snapshot->accumulated, look_node(look)->guid,
                            look_port(look)->number, sums);
}
