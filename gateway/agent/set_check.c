// SPDX-License-Identifier: BSD-2-Clause
#include "agent/set_check.h"

#include <assert.h>
#include <string.h>

static enum agentx_error set_check_copy(struct setting *out, const void *octets, size_t size)
{
    out->size = (uint16_t)size;
    memcpy(out->value, octets, size);
    return setting_is_valid(out) ? AGENTX_NO_ERROR : AGENTX_WRONG_VALUE;
}

static size_t size_without_padding(const struct agentx_value *value)
{
    size_t size = value->size;
    while (size > 0 && value->octets[size - 1] == '\0')
        size--;
    return size;
}

static enum agentx_error set_check_name(const struct agentx_value *value, struct setting *out)
{
    if (value->type != AGENTX_OCTETS)
        return AGENTX_WRONG_TYPE;
    if (value->size > SETTING_VALUE_MAX)
        return AGENTX_WRONG_LENGTH;
    return set_check_copy(out, value->octets, size_without_padding(value));
}

static enum agentx_error check_level(const struct agentx_value *value, struct setting *out)
{
    if (value->type != AGENTX_INTEGER)
        return AGENTX_WRONG_TYPE;
    if (value->number < 0 || value->number > UINT8_MAX)
        return AGENTX_WRONG_VALUE;
    uint8_t level = (uint8_t)value->number;
    return set_check_copy(out, &level, sizeof level);
}

static enum agentx_error set_check_ascii(const struct agentx_value *value, size_t max,
                                         struct setting *out)
{
    if (value->type != AGENTX_OCTETS)
        return AGENTX_WRONG_TYPE;
    if (value->size > max)
        return AGENTX_WRONG_LENGTH;
    return set_check_copy(out, value->octets, value->size);
}

static enum agentx_error check_recipient(const struct agentx_value *value, struct setting *out)
{
    enum { ADDRESS_SIZE = 4 };
    static const uint8_t NO_ADDRESS[ADDRESS_SIZE];
    if (value->type != AGENTX_IP_ADDRESS)
        return AGENTX_WRONG_TYPE;
    if (value->size != ADDRESS_SIZE)
        return AGENTX_WRONG_LENGTH;
    bool is_none = memcmp(value->octets, NO_ADDRESS, sizeof NO_ADDRESS) == 0;
    return set_check_copy(out, value->octets, is_none ? 0 : ADDRESS_SIZE);
}

enum agentx_error set_check(const struct agent_snapshot *snapshot, const struct table_row *row,
                            enum setting_kind kind, const struct agentx_value *value,
                            struct setting *out)
{
    *out = (struct setting){
        .kind = kind, .guid = snapshot->fabric->nodes[row->node].guid, .number = row->number};
    switch (kind) {
    case SETTING_SWITCH_NAME:
    case SETTING_SAN_NAME:
    case SETTING_FABRIC_NAME:
        return set_check_name(value, out);
    case SETTING_EVENT_TRAP_LEVEL:
        return check_level(value, out);
    case SETTING_COMMUNITY:
        return set_check_ascii(value, SETTING_COMMUNITY_MAX, out);
    case SETTING_SERIAL_NUMBER:
        return set_check_ascii(value, SETTING_SERIAL_MAX, out);
    default:
        assert(kind == SETTING_TRAP_RECIPIENT);
        return check_recipient(value, out);
    }
}
