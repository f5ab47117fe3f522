// SPDX-License-Identifier: BSD-2-Clause
#include "agent/put.h"

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

bool put_known(struct agentx_value *out, unsigned number)
{
    return number != 0 && put_number(out, number);
}

bool put_big_endian(struct agentx_value *out, uint32_t number, size_t size)
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

bool put_date(struct agentx_value *out, int64_t utc_us)
{
    out->size = MIB_DATE_SIZE;
    mib_put_date(out->octets, utc_us);
    return true;
}

bool put_time_stamp(struct agentx_value *out, const struct agent_snapshot *snapshot, int64_t at)
{
    enum { US_PER_TICK = 10000 };
    bool counts = at > snapshot->master_started_at && at != 0;
    return put_number(out,
                      counts ? (at - snapshot->master_started_at) / US_PER_TICK & UINT32_MAX : 0);
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
