// SPDX-License-Identifier: BSD-2-Clause
#include "control/answer.h"

#include "base/text.h"
#include "ctl/protocol.h"

#include <event2/buffer.h>
#include <stdio.h>
#include <string.h>

json_t *answer_done(void)
{
    return json_pack("{s:i}", "version", PROTOCOL_VERSION);
}

json_t *answer_refuse(const char *fmt, ...)
{
    char sentence[600];
    TEXT_FILL(sentence, fmt);
    return json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "error", protocol_text(sentence));
}

bool answer_read_number(const json_t *request, const char *item, int64_t max, int64_t *out)
{
    const json_t *value = json_object_get(request, item);
    *out = json_integer_value(value);
    return !value || (json_is_integer(value) && *out >= 0 && *out <= max);
}

bool answer_read_text(const json_t *request, const char *item, char *out, size_t size)
{
    const json_t *value = json_object_get(request, item);
    const char *text = json_string_value(value);
    out[0] = '\0';
    if (!value)
        return true;
    if (!text || strlen(text) >= size)
        return false;
    snprintf(out, size, "%s", text);
    return true;
}

static int answer_add(const char *octets, size_t size, void *out)
{
    return evbuffer_add(out, octets, size);
}

void answer_write(const json_t *answer, struct evbuffer *out)
{
    json_dump_callback(answer, answer_add, out, JSON_COMPACT);
    evbuffer_add(out, "\n", 1);
}
