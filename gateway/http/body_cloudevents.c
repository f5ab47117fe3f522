// SPDX-License-Identifier: BSD-2-Clause
// CloudEvents 1.0 over HTTP, in the batched content mode, or with one event for each request in the
// structured one.
#include "http/body_lines.h"

static void body_cloudevents_begin(struct text *t, const struct body_context *context)
{
    text_add(t, context->alone ? "" : "[");
}

static void body_cloudevents_end(struct text *t, const struct body_context *context)
{
    text_add(t, context->alone ? "" : "]");
}

static void body_cloudevents_add(struct text *t, const struct body_context *context,
                                 const struct event *event)
{
    body_add_line(t, FORMAT_CLOUDEVENTS, context, event);
}

static void body_cloudevents_judge(const struct body_context *context,
                                   const struct transfer_answer *answer, size_t count,
                                   struct body_result *out)
{
    (void)context;
    body_judge_status(answer, count, out);
}

const struct body_format BODY_CLOUDEVENTS = {
    .content_type = "application/cloudevents-batch+json; charset=utf-8",
    .alone_type = "application/cloudevents+json; charset=utf-8",
    .scheme = "Bearer",
    .separator = ",\n",
    .begin = body_cloudevents_begin,
    .end = body_cloudevents_end,
    .add = body_cloudevents_add,
    .judge = body_cloudevents_judge};
