// SPDX-License-Identifier: BSD-2-Clause
// Splunk's HTTP Event Collector (POST /services/collector/event): a row of objects, each with an
// event in ibtrapd's own JSON. With acknowledgements, an answer carries a number, and Splunk says
// later, at /services/collector/ack, whether the indexers have what came with it.
#include "http/body.h"

#include "base/clock.h"
#include "base/json_text.h"

#include <jansson.h>

// What Splunk's answers say by number.
enum {
    SPLUNK_SUCCESS = 0,
    SPLUNK_INCORRECT_INDEX = 7,
    SPLUNK_CHANNEL_MISSING = 10,
    SPLUNK_INVALID_CHANNEL = 11,
    SPLUNK_ACK_DISABLED = 14,
};

// Seconds, with the microseconds behind the point. Splunk knows no time before 1970.
static void body_splunk_add_time(struct text *t, int64_t utc_us)
{
    const int64_t us = utc_us > 0 ? utc_us : 0;
    char digits[] = ".123456";
    for (int64_t i = 6, left = us % CLOCK_US_PER_S; i > 0; i--, left /= 10)
        digits[i] = (char)('0' + left % 10);
    json_text_name(t, "time");
    text_add_number(t, (uint64_t)(us / CLOCK_US_PER_S));
    text_add(t, digits);
}

static void body_splunk_add(struct text *t, const struct body_context *context,
                            const struct event *event)
{
    text_add(t, "{");
    body_splunk_add_time(t, event->time_us);
    json_text_member(t, "host", context->origin.hostname);
    json_text_member(t, "source", "ibtrapd");
    json_text_member(t, "sourcetype", "ibtrapd:event");
    if (context->index[0] != '\0')
        json_text_member(t, "index", context->index);
    text_add(t, ",\"event\":");
    body_add_line(t, FORMAT_JSON, context, event);
    text_add(t, "}");
}

// Judging an answer.

static const char *body_splunk_advice(json_int_t code, bool ack)
{
    switch (code) {
    case SPLUNK_INCORRECT_INDEX:
        return "let the token write to the index, or change 'index'";
    case SPLUNK_CHANNEL_MISSING:
    case SPLUNK_INVALID_CHANNEL:
        return ack ? "something on the way takes the header X-Splunk-Request-Channel away"
                   : "the token wants acknowledgements: say 'ack = true'";
    case SPLUNK_ACK_DISABLED:
        return "turn indexer acknowledgement on for the token, or say 'ack = false'";
    default:
        return NULL;
    }
}

static bool body_splunk_get_ack(const json_t *response, struct body_result *out)
{
    const json_t *id = json_object_get(response, "ackId");
    if (!json_is_integer(id) || json_integer_value(id) < 0)
        return false;
    out->ack = (uint64_t)json_integer_value(id);
    return true;
}

static void body_splunk_judge_success(const struct body_context *context, const json_t *response,
                                      size_t count, struct body_result *out)
{
    if (!context->ack)
        return;
    if (body_splunk_get_ack(response, out)) {
        body_give_all(out, count, BODY_AWAIT);
        return;
    }
    body_give_all(out, count, BODY_AGAIN);
    error_set(&out->problem, "its answer has no ackId: %s",
              body_splunk_advice(SPLUNK_ACK_DISABLED, true));
}

// The status has decided already; `response` has the reason. The response may name a bad event, but
// not whether Splunk has taken the events before the bad event.
static void body_splunk_judge_failure(const struct body_context *context, const json_t *response,
                                      size_t count, struct body_result *out)
{
    char words[BODY_WORDS_SIZE];
    const json_t *text = json_object_get(response, "text");
    const char *advice =
        body_splunk_advice(json_integer_value(json_object_get(response, "code")), context->ack);
    if (!advice)
        return;
    body_words(json_string_value(text), json_string_length(text), words);
    body_give_all(out, count, BODY_AGAIN);
    error_set(&out->problem, "it says '%s': %s", words, advice);
}

static void body_splunk_judge(const struct body_context *context,
                              const struct transfer_answer *answer, const json_t *response,
                              size_t count, struct body_result *out)
{
    const json_t *code = json_object_get(response, "code");
    const bool success = json_is_integer(code) && json_integer_value(code) == SPLUNK_SUCCESS;
    if (answer->status / 100 == 2 && success) {
        body_splunk_judge_success(context, response, count, out);
    } else if (answer->status / 100 == 2) {
        body_give_all(out, count, BODY_AGAIN);
        error_set(&out->problem, "its answer is not Splunk's: check that the URL is that of the "
                                 "HTTP Event Collector, such as "
                                 "https://splunk:8088/services/collector/event");
    } else if (answer->status == 400) {
        body_splunk_judge_failure(context, response, count, out);
    }
}

// Acknowledgements.

// Beside the collector's other paths: /services/collector/event becomes /services/collector/ack.
static void body_splunk_ack_path(struct text *path, const char *url_path)
{
    static const char COLLECTOR[] = "/collector";
    const size_t length = strcspn(url_path, "?");
    const char *found = strstr(url_path, COLLECTOR);
    size_t kept = length;
    if (found && found < url_path + length)
        kept = (size_t)(found - url_path) + sizeof COLLECTOR - 1;
    else if (kept > 0 && url_path[kept - 1] == '/')
        kept--;
    text_add_n(path, url_path, kept);
    text_add(path, "/ack");
}

static void body_splunk_ack_ask(struct text *t, const uint64_t *acks, size_t n)
{
    text_add(t, "{\"acks\":[");
    for (size_t i = 0; i < n; i++) {
        text_add(t, i > 0 ? "," : "");
        text_add_number(t, acks[i]);
    }
    text_add(t, "]}");
}

static void body_splunk_get_acks(const json_t *there, const uint64_t *acks, size_t n, bool *out)
{
    for (size_t i = 0; i < n; i++) {
        char key[24];
        struct text k = text_in(key, sizeof key);
        text_add_number(&k, acks[i]);
        out[i] = json_is_true(json_object_get(there, key));
    }
}

static bool body_splunk_ack_judge(const struct transfer_answer *answer, const uint64_t *acks,
                                  size_t n, bool *there, struct error *problem)
{
    json_t *response = body_read(answer, n);
    const json_t *found = json_object_get(response, "acks");
    const bool says = answer->status / 100 == 2 && json_is_object(found);
    if (says) {
        body_splunk_get_acks(found, acks, n, there);
    } else {
        char words[BODY_WORDS_SIZE];
        body_words(answer->body, answer->size, words);
        error_set(problem, "it does not say what is indexed (status %d): %s", answer->status,
                  words);
    }
    json_decref(response);
    return says;
}

const struct body_format BODY_SPLUNK = {
    .content_type = "application/json",
    .scheme = "Splunk",
    .begin = "",
    .separator = "\n",
    .end = "",
    .add = body_splunk_add,
    .judge = body_splunk_judge,
    .ack_path = body_splunk_ack_path,
    .ack_ask = body_splunk_ack_ask,
    .ack_judge = body_splunk_ack_judge,
    .channel_header = "X-Splunk-Request-Channel",
};
