// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/protocol.h"

#include "base/clock.h"
#include "base/text.h"
#include "model/address.h"
#include "model/mib.h"

#include <string.h>

enum { PROTOCOL_TEXT_MAX = 1100 };

json_t *protocol_text(const char *s)
{
    char clean[PROTOCOL_TEXT_MAX];
    text_clean(s, strlen(s), clean, sizeof clean);
    return json_string(clean);
}

json_t *protocol_guid(uint64_t guid)
{
    char text[ADDRESS_GUID_TEXT_SIZE];
    address_format_guid(guid, text);
    return json_string(text);
}

json_t *protocol_time(int64_t utc_us)
{
    char text[CLOCK_TEXT_SIZE];
    if (utc_us == 0)
        return json_null();
    clock_format_utc(utc_us, text);
    return json_string(text);
}

json_t *protocol_oid(const uint32_t *ids, size_t count)
{
    char buffer[(MIB_OID_MAX + MIB_INSTANCE_MAX) * 11];
    struct text t = text_in(buffer, sizeof buffer);
    mib_add_oid(&t, ids, count);
    return json_string(buffer);
}
