// SPDX-License-Identifier: BSD-2-Clause
#include "http/state_index.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "http/body.h"
#include "sink/kept_state.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Until the server is asked again after a failure.
static const int64_t PAUSE_US = 5 * CLOCK_US_PER_S;

enum {
    BATCH_MAX = 256,
    DOCUMENT_MAX = 16 << 10,
    STEP_MS = 10,
    PATH_SIZE = 1024,
    ANSWER_OF_ONE = 2048
};

enum exchange { NO_EXCHANGE, WRITING, CLEANING };

struct state_index {
    const struct conf_http *options;
    const char *name; // the receiver's
    const struct module_alarms *alarms;
    struct log *log;
    struct log_limit renew_limit;
    struct kept_state *kept;
    struct transfer_options to;
    struct transfer *transfer; // NULL: not open
    enum exchange exchange;
    char *body;
    char path[PATH_SIZE];     // of the bulk API, or of what is deleted by a query
    void *written[BATCH_MAX]; // the handles of the documents of the request under way
    size_t count;
    char begun[CLOCK_TEXT_SIZE]; // when everything began to be written anew
    bool owes_cleaning;          // older documents than that are to be deleted
    int64_t retry_at;
    struct error problem;
};

// The digest stands for the fabric, or for a gateway of the fabric: one word for a query, however
// the index maps texts.
static void state_index_add_owner(struct text *t, const char *fabric, const char *gateway)
{
    uint64_t digest = digest_add(DIGEST_OF_NOTHING, fabric, strlen(fabric) + 1);
    if (gateway)
        digest = digest_add(digest, gateway, strlen(gateway) + 1);
    text_addf(t, "\"%016" PRIx64 "\"", digest);
}

// Requests.

static bool state_index_begin(struct state_index *s, const struct text *body, enum exchange what,
                              struct error *err)
{
    const struct transfer_request request = {
        .path = what == CLEANING ? s->path : NULL,
        .content_type = what == WRITING ? "application/x-ndjson" : "application/json",
        .body = body->buf,
        .size = body->len,
        .gzip = s->options->gzip,
        .timeout_ms = (int)s->options->timeout * 1000};
    s->exchange = what;
    return transfer_begin(s->transfer, &request, err);
}

static void state_index_add(struct state_index *s, struct text *t, const struct kept_document *one)
{
    char now[CLOCK_TEXT_SIZE];
    clock_format_utc(clock_utc(&clock_system), now);
    text_add(t, one->document ? "{\"index\":{" : "{\"delete\":{");
    json_text_member(t, "_index", s->options->state_index);
    json_text_member(t, "_id", one->key);
    text_add(t, "}}\n");
    if (!one->document)
        return;
    text_addf(t, "{\"written\":\"%s\",\"owner\":", now);
    state_index_add_owner(t, s->alarms->fabric_name,
                          kept_state_is_of_gateway(s->kept, one->key) ? s->alarms->gateway : NULL);
    text_addf(t, ",%s\n", one->document + 1);
}

static bool state_index_write(struct state_index *s, struct error *err)
{
    struct text body = text_in(s->body, s->options->batch_size + DOCUMENT_MAX);
    struct kept_document one;
    s->count = 0;
    while (s->count < BATCH_MAX && body.len < s->options->batch_size &&
           kept_state_next(s->kept, &one)) {
        state_index_add(s, &body, &one);
        free(one.document);
        s->written[s->count++] = one.handle;
    }
    return s->count == 0 || state_index_begin(s, &body, WRITING, err);
}

// The path of the URL before /_bulk. Returns its length.
static int state_index_base(const char *url, const char **base)
{
    static const char BULK[] = "/_bulk";
    const char *host = strstr(url, "://");
    *base = host ? host + 3 + strcspn(host + 3, "/?") : "";
    const char *end = strstr(*base, BULK);
    return end ? (int)(end - *base) : 0;
}

// Deletes what was not written anew: documents of alarms that are over.
static bool state_index_clean(struct state_index *s, struct error *err)
{
    struct text body = text_in(s->body, s->options->batch_size);
    const char *base;
    const int length = state_index_base(s->options->url, &base);
    text_add(&body, "{\"query\":{\"bool\":{\"filter\":[{\"terms\":{\"owner\":[");
    state_index_add_owner(&body, s->alarms->fabric_name, s->alarms->gateway);
    if (!s->alarms->state(s->alarms->ctx).is_standby) {
        text_add(&body, ",");
        state_index_add_owner(&body, s->alarms->fabric_name, NULL);
    }
    text_addf(&body, "]}},{\"range\":{\"written\":{\"lt\":\"%s\"}}}]}}}", s->begun);
    snprintf(s->path, sizeof s->path, "%.*s/%s/_delete_by_query?conflicts=proceed&refresh=true",
             length, base, s->options->state_index);
    return state_index_begin(s, &body, CLEANING, err);
}

// Answers.

static bool state_index_refuse(struct error *err, const struct transfer_answer *answer)
{
    char words[BODY_WORDS_SIZE];
    body_words(answer->body, answer->size, words);
    return error_set(err, "it answers %d: %s", answer->status, words);
}

// A document that was to be deleted may be gone already (404).
static bool state_index_has(const json_t *item)
{
    const json_t *deleted = json_object_get(item, "delete");
    const json_t *one = deleted ? deleted : json_object_get(item, "index");
    const json_int_t status = json_integer_value(json_object_get(one, "status"));
    return status / 100 == 2 || (deleted && status == 404);
}

static bool state_index_take_written(struct state_index *s, const struct transfer_answer *answer,
                                     struct error *err)
{
    bool all = true;
    json_t *response = answer->status / 100 == 2 ? body_read(answer, s->count) : NULL;
    const json_t *items = json_object_get(response, "items");
    const bool reads = json_array_size(items) == s->count;
    for (size_t i = 0; i < s->count; i++) {
        const bool has = reads && state_index_has(json_array_get(items, i));
        kept_state_settle(s->kept, s->written[i], has);
        all &= has;
    }
    json_decref(response);
    s->count = 0;
    return all || state_index_refuse(err, answer);
}

// An index that is not there (404) has nothing to delete.
static bool state_index_take_cleaned(struct state_index *s, const struct transfer_answer *answer,
                                     struct error *err)
{
    s->owes_cleaning = answer->status / 100 != 2 && answer->status != 404;
    return !s->owes_cleaning || state_index_refuse(err, answer);
}

static bool state_index_go_on(struct state_index *s, struct error *err)
{
    struct transfer_answer answer;
    const enum exchange exchange = s->exchange;
    const int ended = transfer_go_on(s->transfer, STEP_MS, &answer, err);
    if (ended == 0)
        return true;
    s->exchange = NO_EXCHANGE;
    return ended > 0 && (exchange == WRITING ? state_index_take_written(s, &answer, err)
                                             : state_index_take_cleaned(s, &answer, err));
}

// The state.

// The receiver is not read: all is written anew, and what is older is deleted.
static void state_index_begin_anew(struct state_index *s)
{
    const int64_t now = clock_now();
    if (!kept_state_wants_reading(s->kept, now))
        return;
    clock_format_utc(clock_utc(&clock_system), s->begun);
    kept_state_end_reading(s->kept, now);
    s->owes_cleaning = true;
}

static bool state_index_start(struct state_index *s, struct error *err)
{
    if (s->exchange != NO_EXCHANGE)
        return true;
    if (transfer_is_old(s->transfer))
        transfer_renew_or_tell(&s->transfer, s->log, &s->renew_limit, s->name);
    state_index_begin_anew(s);
    kept_state_compare(s->kept, clock_now());
    if (!state_index_write(s, err))
        return false;
    return s->exchange != NO_EXCHANGE || !s->owes_cleaning || !kept_state_is_whole(s->kept) ||
           state_index_clean(s, err);
}

static void state_index_close(void *self)
{
    struct state_index *s = self;
    transfer_close(s->transfer);
    s->transfer = NULL;
    s->exchange = NO_EXCHANGE;
    s->count = 0;
    kept_state_lose(s->kept);
}

static bool state_index_step(struct state_index *s, struct error *err)
{
    if (!s->transfer)
        s->transfer = transfer_open(&s->to, err);
    return s->transfer && state_index_start(s, err) &&
           (s->exchange == NO_EXCHANGE || state_index_go_on(s, err));
}

static bool state_index_keep(void *self, struct sink_progress *progress, struct error *err)
{
    struct state_index *s = self;
    struct error why;
    if (clock_now() < s->retry_at)
        return error_set(err, "%s", s->problem.text);
    if (state_index_step(s, &why)) {
        progress->is_busy = s->exchange != NO_EXCHANGE || kept_state_is_busy(s->kept);
        return true;
    }
    if (s->transfer)
        transfer_hide(s->transfer, why.text);
    error_set(&s->problem, "the alarms in index '%s': %s", s->options->state_index, why.text);
    state_index_close(s);
    kept_state_read_again(s->kept);
    s->retry_at = clock_now() + PAUSE_US;
    progress->failed = 1;
    return error_set(err, "%s", s->problem.text);
}

// The sink.

static void state_index_free(void *self)
{
    struct state_index *s = self;
    kept_state_free(s->kept);
    free(s->body);
    free(s);
}

void state_index_make(struct sink *out, const char *name, const struct conf_receiver *receiver,
                      const struct module_host *host)
{
    struct state_index *s = memory_zeroed(1, sizeof *s);
    s->name = name;
    s->options = &receiver->http;
    s->alarms = host->alarms;
    s->log = host->log;
    s->to = transfer_options_of(receiver, receiver->http.url, BODY_ELASTIC.scheme);
    s->to.answer_max = TRANSFER_ANSWER_SOME + BATCH_MAX * (size_t)ANSWER_OF_ONE;
    s->body = memory_get(s->options->batch_size + DOCUMENT_MAX);
    s->kept =
        kept_state_new(host->alarms, s->options->state_refresh_s * CLOCK_US_PER_S, &random_system);
    *out = (struct sink){
        .keep = state_index_keep, .close = state_index_close, .free = state_index_free, .self = s};
}
