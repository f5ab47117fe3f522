// SPDX-License-Identifier: BSD-2-Clause
// A JSON array of objects (RFC 8259), each with every field of an event by its name.
#include "http/body_lines.h"

static void body_json_begin(struct text *t, const struct body_context *context)
{
    (void)context;
    text_add(t, "[");
}

static void body_json_end(struct text *t, const struct body_context *context)
{
    (void)context;
    text_add(t, "]");
}

static void body_json_add(struct text *t, const struct body_context *context,
                          const struct event *event)
{
    body_add_line(t, FORMAT_JSON, context, event);
}

static void body_json_judge(const struct body_context *context,
                            const struct transfer_answer *answer, size_t count,
                            struct body_result *out)
{
    (void)context;
    body_judge_status(answer, count, out);
}

const struct body_format BODY_JSON = {.content_type = "application/json",
                                      .scheme = "Bearer",
                                      .separator = ",\n",
                                      .begin = body_json_begin,
                                      .end = body_json_end,
                                      .add = body_json_add,
                                      .judge = body_json_judge};
