// SPDX-License-Identifier: BSD-2-Clause
// Elasticsearch's bulk API (POST /INDEX/_bulk), also of OpenSearch: for each event a line with the
// action and a line with the document in ECS. The action is `create` with the event's
// identifier: an event that comes again gets a conflict and is not there twice.
#include "http/body.h"

#include "base/json_text.h"

#include <jansson.h>
#include <string.h>

static void body_elastic_add(struct text *t, const struct body_context *context,
                             const struct event *event)
{
    text_add(t, "{\"create\":{");
    if (context->index[0] != '\0')
        json_text_member(t, "_index", context->index);
    json_text_member(t, "_id", event->id);
    text_add(t, "}}\n");
    body_add_line(t, FORMAT_ECS, context, event);
    text_add(t, "\n");
}

static bool body_elastic_is_one_of(const json_t *word, const char *const *words, size_t count,
                                   bool whole)
{
    const char *said = json_string_value(word);
    for (size_t i = 0; said && i < count; i++) {
        if (strncmp(said, words[i], strlen(words[i]) + whole) == 0)
            return true;
    }
    return false;
}

// Whether the error is about the index or the pipeline, and not about the document: every document
// gets such an error until the admin mends the index. Many such errors have only the type of an
// illegal argument; the reason tells more.
static bool body_elastic_is_of_setup(const json_t *error)
{
    static const char *const TYPES[] = {
        "invalid_index_name_exception",
        "validation_exception", // the cluster has as many shards as it may
        "index_closed_exception",
        "routing_missing_exception", // the mapping demands what ibtrapd does not send
    };
    static const char *const REASONS[] = {
        "Validation Failed", // as many shards, in older ones; or no index is given
        "no write index is defined for alias",
        "pipeline with id [", // ... does not exist
        "request [",          // ... contains unrecognized parameter
    };
    const json_t *type = json_object_get(error, "type"), *reason = json_object_get(error, "reason");
    return body_elastic_is_one_of(type, TYPES, sizeof TYPES / sizeof *TYPES, true) ||
           body_elastic_is_one_of(reason, REASONS, sizeof REASONS / sizeof *REASONS, false);
}

// A document that cannot be indexed is refused. A missing index, a missing right and a busy node
// may be mended.
static enum body_verdict body_elastic_verdict(const json_t *item, json_int_t status)
{
    if (status / 100 == 2 || status == 409)
        return BODY_ACCEPTED;
    return (status == 400 && !body_elastic_is_of_setup(json_object_get(item, "error"))) ||
                   status == 413 || status == 422
               ? BODY_REFUSED
               : BODY_AGAIN;
}

static void body_elastic_explain(const json_t *item, json_int_t status, struct error *problem)
{
    char type[BODY_WORDS_SIZE], reason[BODY_WORDS_SIZE];
    const json_t *why = json_object_get(item, "error");
    if (status == 0) {
        error_set(problem, "its answer has no status for an event");
        return;
    }
    const json_t *t = json_object_get(why, "type"), *r = json_object_get(why, "reason");
    body_words(json_string_value(t), json_string_length(t), type);
    body_words(json_string_value(r), json_string_length(r), reason);
    error_set(problem, "it does not index an event (status %lld, %s): %s", (long long)status, type,
              reason);
}

// The items are in the order of the events, each under the name of its action.
static void body_elastic_judge_items(const json_t *items, size_t count, struct body_result *out)
{
    bool explained = false;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_object_get(json_array_get(items, i), "create");
        const json_int_t status = json_integer_value(json_object_get(item, "status"));
        out->verdicts[i] = body_elastic_verdict(item, status);
        if (out->verdicts[i] != BODY_ACCEPTED && !explained)
            body_elastic_explain(item, status, &out->problem);
        explained |= out->verdicts[i] != BODY_ACCEPTED;
    }
}

static void body_elastic_judge_response(const json_t *response, size_t count,
                                        struct body_result *out)
{
    const json_t *items = json_object_get(response, "items");
    if (json_is_false(json_object_get(response, "errors")))
        return; // all are there
    if (json_array_size(items) == count) {
        body_elastic_judge_items(items, count, out);
        return;
    }
    body_give_all(out, count, BODY_AGAIN);
    if (json_is_array(items))
        error_set(&out->problem,
                  "its answer has %zu items for %zu events: take filter_path out of "
                  "the URL",
                  json_array_size(items), count);
    else
        error_set(&out->problem, "its answer is not that of Elasticsearch's bulk API: check that "
                                 "the URL ends with /_bulk");
}

// With status 400, the request as a whole is refused for its URL.
static void body_elastic_judge(const struct body_context *context,
                               const struct transfer_answer *answer, const json_t *response,
                               size_t count, struct body_result *out)
{
    (void)context;
    if (answer->status == 400 && body_elastic_is_of_setup(json_object_get(response, "error")))
        body_give_all(out, count, BODY_AGAIN);
    else if (answer->status / 100 == 2)
        body_elastic_judge_response(response, count, out);
}

const struct body_format BODY_ELASTIC = {
    .content_type = "application/x-ndjson",
    .scheme = "ApiKey",
    .begin = "",
    .separator = "",
    .end = "",
    .add = body_elastic_add,
    .judge = body_elastic_judge,
};
