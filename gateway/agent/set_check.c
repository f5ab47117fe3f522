#include "agent/set_check.h"

#include "base/text.h"

#include <assert.h>
#include <string.h>

enum { COMMUNITY_MAX = 16, ADDRESS_SIZE = 4 };

static enum agentx_error take_octets(const struct agentx_value *value, size_t size,
                                     struct setting *out)
{
    out->size = (uint16_t)size;
    memcpy(out->value, value->octets, size);
    return AGENTX_NO_ERROR;
}

static size_t size_without_padding(const struct agentx_value *value)
{
    size_t size = value->size;
    while (size > 0 && value->octets[size - 1] == '\0')
        size--;
    return size;
}

static enum agentx_error check_name(const struct agentx_value *value, size_t max,
                                    struct setting *out)
{
    char clean[3 * SETTING_VALUE_MAX + 1]; // U+FFFD has three octets
    if (value->type != AGENTX_OCTETS)
        return AGENTX_WRONG_TYPE;
    if (value->size > SETTING_VALUE_MAX)
        return AGENTX_WRONG_LENGTH;
    size_t size = size_without_padding(value);
    text_clean((const char *)value->octets, size, clean, sizeof clean);
    if (size > max || strlen(clean) != size || memcmp(clean, value->octets, size) != 0)
        return AGENTX_WRONG_VALUE;
    return take_octets(value, size, out);
}

static enum agentx_error check_level(const struct agentx_value *value, struct setting *out)
{
    if (value->type != AGENTX_INTEGER)
        return AGENTX_WRONG_TYPE;
    if (value->number < EVENT_LEVEL_NONE || value->number > EVENT_LEVEL_DEBUG)
        return AGENTX_WRONG_VALUE;
    out->size = 1;
    out->value[0] = (uint8_t)value->number;
    return AGENTX_NO_ERROR;
}

static enum agentx_error check_community(const struct agentx_value *value, struct setting *out)
{
    if (value->type != AGENTX_OCTETS)
        return AGENTX_WRONG_TYPE;
    if (value->size > COMMUNITY_MAX)
        return AGENTX_WRONG_LENGTH;
    for (size_t i = 0; i < value->size; i++) {
        if (value->octets[i] < ' ' || value->octets[i] > '~')
            return AGENTX_WRONG_VALUE;
    }
    return take_octets(value, value->size, out);
}

static enum agentx_error check_recipient(const struct agentx_value *value, struct setting *out)
{
    static const uint8_t NOBODY[ADDRESS_SIZE];
    enum { THIS_NETWORK = 0, FIRST_MULTICAST = 224 };
    if (value->type != AGENTX_IP_ADDRESS)
        return AGENTX_WRONG_TYPE;
    if (value->size != ADDRESS_SIZE)
        return AGENTX_WRONG_LENGTH;
    if (memcmp(value->octets, NOBODY, sizeof NOBODY) == 0)
        return take_octets(value, 0, out);
    if (value->octets[0] == THIS_NETWORK || value->octets[0] >= FIRST_MULTICAST)
        return AGENTX_WRONG_VALUE;
    return take_octets(value, ADDRESS_SIZE, out);
}

enum agentx_error set_check(const struct view *view, const struct table_row *row,
                            enum setting_kind kind, const struct agentx_value *value,
                            struct setting *out)
{
    *out = (struct setting){
        .kind = kind, .guid = view->fabric->nodes[row->node].guid, .number = row->number};
    switch (kind) {
    case SETTING_SWITCH_NAME:
        return check_name(value, NAMES_NAME_SIZE - 1, out);
    case SETTING_SAN_NAME:
    case SETTING_FABRIC_NAME:
        return check_name(value, SETTING_VALUE_MAX, out);
    case SETTING_EVENT_TRAP_LEVEL:
        return check_level(value, out);
    case SETTING_COMMUNITY:
        return check_community(value, out);
    default:
        assert(kind == SETTING_TRAP_RECIPIENT);
        return check_recipient(value, out);
    }
}
