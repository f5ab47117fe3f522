// SPDX-License-Identifier: BSD-2-Clause
// Grafana Loki's push API (POST /loki/api/v1/push). An event is an entry: its sentence, with all
// fields as structured metadata. The labels make 88 streams of a gateway at most: 8 severities by
// 11 categories.
#include "http/body_shared.h"

#include "base/json_text.h"
#include "sink/format_fields.h"

static void body_loki_begin(struct text *t, const struct body_context *context)
{
    (void)context;
    text_add(t, "{\"streams\":[");
}

static void body_loki_add_labels(struct text *t, const struct format_origin *origin,
                                 const struct event *event)
{
    text_add(t, "{");
    json_text_member(t, "service_name", "ibtrapd");
    json_text_member(t, "host", origin->hostname);
    json_text_member(t, "level", severity_word(format_severity(origin, event)));
    json_text_member(t, "category", category_word(event->category));
    text_add(t, "}");
}

static void body_loki_take(void *ctx, const char *name, const char *value, enum field_kind kind)
{
    (void)kind;
    if (strcmp(name, "category") != 0) // a label has it
        json_text_member(ctx, name, value);
}

// Loki takes two entries of a stream with the same time and line for one. The nanoseconds, which an
// event has not, tell them apart; an event that is sent again has the same.
static void body_loki_make(struct text *t, const struct format_origin *origin,
                           const struct event *event)
{
    text_add(t, "{\"stream\":");
    body_loki_add_labels(t, origin, event);
    text_add(t, ",\"values\":[[");
    json_text_time_ns(t, event->time_us, (unsigned)(event->number % 1000));
    text_add(t, ",");
    json_text_add(t, event->text);
    text_add(t, ",{");
    format_fields(event, body_loki_take, t);
    text_add(t, "}]]}");
}

static void body_loki_add(struct text *t, const struct body_context *context,
                          const struct event *event)
{
    body_add_shared(t, EVENT_TEXT_LOKI, body_loki_make, context, event);
}

static void body_loki_end(struct text *t, const struct body_context *context)
{
    (void)context;
    text_add(t, "]}");
}

static void body_loki_judge(const struct body_context *context,
                            const struct transfer_answer *answer, size_t count,
                            struct body_result *out)
{
    (void)context;
    body_judge_status(answer, count, out);
}

const struct body_format BODY_LOKI = {
    .content_type = "application/json",
    .scheme = "Bearer",
    .separator = ",",
    .begin = body_loki_begin,
    .end = body_loki_end,
    .add = body_loki_add,
    .judge = body_loki_judge,
};
