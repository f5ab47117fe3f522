// SPDX-License-Identifier: BSD-2-Clause
// The kind `http` (in_flight.h), and the module ibtrapd-http, which brings the kind
// `alertmanager`, too.
#include "base/clock.h"
#include "base/memory.h"
#include "http/alertmanager.h"
#include "http/body.h"
#include "http/otlp_metrics.h"
#include "http/state_index.h"
#include "install.h"
#include "sink/module.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

// How long an event waits for others while the caller has more; how often acknowledgements are
// asked for; how long they may take.
static const int64_t LINGER_US = 20 * CLOCK_US_PER_MS;
static const int64_t ASK_US = 250 * CLOCK_US_PER_MS;
static const int64_t ACK_US = 120 * CLOCK_US_PER_S;

enum {
    BUSY_S = 1, // until a server that is busy is asked for acknowledgements again
    BUSY_MAX_S = 30,
    GROW_FIRST = 64, // accepted requests before larger ones are tried; doubles if that fails
    GROW_LAST = 65536,
    ASK_SIZE = 4096,
    PATH_SIZE = 2048,
    ANSWER_OF_EVENT = 2048, // octets, of an answer that says something of each
    AWAITED_MAX = 64,       // requests
};

enum exchange { NO_EXCHANGE, POSTING, ASKING };

// A request that the server took, and has not acknowledged.
struct awaited {
    uint64_t ack, request; // the server's number, and ours: the mark of its tickets
    int64_t since;         // monotonic
};

struct http_sink {
    const struct conf_http *options;
    const char *name;
    struct log *log;
    struct log_limit note_limit, renew_limit;
    const struct body_format *format;
    struct body_context context;
    struct format_process process;
    char channel[CONF_HEADER_SIZE]; // a header; empty: the format has none
    struct transfer_options to;
    struct transfer *transfer;

    struct tickets *tickets;
    enum exchange exchange;
    struct awaited awaited[AWAITED_MAX];
    size_t awaited_count;
    uint64_t requests;          // that were made: the number of the last one
    struct post *posted, *next; // `posted` while the exchange is POSTING
    int64_t next_since;         // monotonic: since when `next` has an event
    int64_t asked_at;           // monotonic: when acknowledgements were asked for last
    char ask_path[PATH_SIZE], ask_body[ASK_SIZE];

    bool failed;  // `problem` says why
    bool refused; // the server refused an event
    struct error problem;

    // The sink keeps these when closed and opened again.
    size_t size_max;                    // octets of a body: the server found more too many
    size_t size_told;                   // of which the log has it
    unsigned grow_after, since_resized; // requests
    bool grew;                          // when it was resized last
    int64_t retry_at;                   // monotonic: the server asked to wait until then
};

// Takes credentials out of the sentence.
static void http_fail(struct http_sink *s, struct error *sentence)
{
    transfer_hide(s->transfer, sentence->text);
    error_set(&s->problem, "%s: %s", transfer_peer(s->transfer), sentence->text);
    s->failed = true;
}

// Opening and closing.

static void http_new_channel(struct http_sink *s)
{
    uint8_t r[16] = {0};
    char digits[sizeof r * 2 + 1];
    if (!s->format->channel_header || !s->options->ack)
        return;
    // The channel only has to differ from the channels of other senders; a short random number
    // does.
    const ssize_t got = getrandom(r, sizeof r, GRND_NONBLOCK);
    r[0] ^= (uint8_t)(got < 0 ? getpid() : 0);
    for (size_t i = 0; i < sizeof r; i++)
        snprintf(digits + 2 * i, 3, "%02x", r[i]);
    snprintf(s->channel, sizeof s->channel, "%s: %.8s-%.4s-4%.3s-a%.3s-%.12s",
             s->format->channel_header, digits, digits + 8, digits + 13, digits + 17, digits + 20);
}

static bool http_open(void *self, struct tickets *tickets, struct error *err)
{
    struct http_sink *s = self;
    s->tickets = tickets;
    const int64_t left = s->retry_at - clock_now();
    if (left > 0)
        return error_set(err, "%s (%lld s are left)", s->problem.text,
                         (long long)(left / CLOCK_US_PER_S) + 1);
    http_new_channel(s);
    s->transfer = transfer_open(&s->to, err);
    if (!s->transfer)
        return false;
    s->failed = s->refused = false;
    s->exchange = NO_EXCHANGE;
    s->awaited_count = 0;
    s->asked_at = clock_now();
    post_begin(s->next);
    return true;
}

static void http_close(void *self)
{
    struct http_sink *s = self;
    transfer_close(s->transfer);
    s->transfer = NULL;
}

// Posting.

static unsigned http_events_max(const struct http_sink *s)
{
    return s->tickets->alone ? 1 : s->options->batch;
}

static void http_begin(struct http_sink *s, const struct transfer_request *request,
                       enum exchange exchange)
{
    s->failed = !transfer_begin(s->transfer, request, &s->problem);
    s->exchange = s->failed ? NO_EXCHANGE : exchange;
}

// Posts the next batch if it has an event and nothing else is under way.
static void http_post(struct http_sink *s)
{
    if (s->failed || s->exchange != NO_EXCHANGE || s->next->count == 0 ||
        s->awaited_count == AWAITED_MAX)
        return;
    struct post *b = s->next;
    post_finish(b);
    s->next = s->posted;
    s->posted = b;
    post_begin(s->next);
    const bool other = s->context.alone && s->format->alone_type;
    const struct transfer_request request = {.content_type = other ? s->format->alone_type
                                                                   : s->format->content_type,
                                             .body = b->body.buf,
                                             .size = b->body.len,
                                             .gzip = s->options->gzip,
                                             .timeout_ms = (int)s->options->timeout * 1000};
    http_begin(s, &request, POSTING);
}

// Returns false if the request is full.
static bool http_put(struct http_sink *s, const struct event *event)
{
    const bool first = s->next->count == 0;
    if (s->next->count >= http_events_max(s) ||
        !post_add(s->next, event, s->tickets->newest, s->size_max))
        return false;
    if (first)
        s->next_since = clock_now();
    return true;
}

// Posts the next batch, unless the transfer is to be opened anew before.
static void http_post_early(struct http_sink *s)
{
    if (!transfer_is_old(s->transfer))
        http_post(s);
}

static enum sink_result http_send(void *self, const struct event *event, struct error *err)
{
    struct http_sink *s = self;
    bool put = !s->failed && http_put(s, event);
    if (!put && !s->failed) {
        http_post_early(s); // makes room if nothing is under way
        put = http_put(s, event);
    }
    if (put && s->next->count >= http_events_max(s))
        http_post_early(s);
    if (!s->failed)
        return put ? SINK_PENDING : SINK_BLOCKED;
    *err = s->problem;
    return SINK_FAILED;
}

// Answers.

// The log has each smaller size once, although the size grows in between.
static void http_shrink(struct http_sink *s, size_t size)
{
    s->size_max = size / 2;
    s->since_resized = 0;
    if (s->grew && s->grow_after < GROW_LAST)
        s->grow_after *= 2;
    s->grew = false;
    if (s->log && s->size_max < s->size_told)
        log_write(s->log, LOG_LEVEL_INFO,
                  "receiver %s: a request of %zu octets is too large for it: now it gets at most "
                  "%zu, and larger ones are tried seldom; item 'batch_size' says that from the "
                  "beginning",
                  s->name, size, s->size_max);
    s->size_told = s->size_max < s->size_told ? s->size_max : s->size_told;
}

// A request was accepted. A limit need not last: a proxy with this limit may be gone.
static void http_grow(struct http_sink *s)
{
    const size_t most = s->options->batch_size;
    if (s->size_max == most || ++s->since_resized < s->grow_after)
        return;
    s->since_resized = 0;
    s->grew = true;
    s->size_max = s->size_max < most / 2 ? s->size_max * 2 : most;
}

// The posted event `first`, and perhaps later events, were not accepted.
static void http_part(struct http_sink *s, unsigned first, struct body_result *result)
{
    const struct post *b = s->posted;
    const enum body_verdict verdict = result->verdicts[first];
    if (verdict == BODY_SMALLER)
        http_shrink(s, b->body.len);
    if (verdict == BODY_REFUSED)
        tickets_settle(s->tickets, b->tickets[first], TICKET_REFUSED);
    for (unsigned i = first; verdict == BODY_ALONE && i < b->count; i++)
        tickets_settle(s->tickets, b->tickets[i], TICKET_DOUBTED);
    s->refused = verdict == BODY_REFUSED;
    http_fail(s, &result->problem);
}

static void http_await(struct http_sink *s, uint64_t ack)
{
    const struct post *b = s->posted;
    s->requests++;
    for (unsigned i = 0; i < b->count; i++)
        tickets_at(s->tickets, b->tickets[i])->mark = s->requests;
    s->awaited[s->awaited_count++] =
        (struct awaited){.ack = ack, .request = s->requests, .since = clock_now()};
}

// Settles the tickets of what was accepted. Returns the number of the first event that was not.
static unsigned http_settle_accepted(struct http_sink *s, const struct body_result *result)
{
    const struct post *b = s->posted;
    unsigned first = b->count;
    for (unsigned i = b->count; i-- > 0;) {
        if (result->verdicts[i] == BODY_ACCEPTED)
            tickets_settle(s->tickets, b->tickets[i], TICKET_DONE);
        else
            first = i;
    }
    return first;
}

static void http_settle(struct http_sink *s, struct body_result *result)
{
    if (result->verdicts[0] == BODY_AWAIT) {
        http_grow(s);
        http_await(s, result->ack);
        return;
    }
    const unsigned first = http_settle_accepted(s, result);
    if (first < s->posted->count) {
        http_part(s, first, result);
        return;
    }
    http_grow(s);
    transfer_hide(s->transfer, result->note.text);
    if (result->note.text[0] && s->log)
        log_write_limited(s->log, &s->note_limit, LOG_LEVEL_WARNING, "receiver %s: %s: %s", s->name,
                          transfer_peer(s->transfer), result->note.text);
}

static void http_note_wait(struct http_sink *s, int retry_after)
{
    char sentence[sizeof s->problem.text];
    if (!s->failed || s->refused || retry_after == 0)
        return;
    s->retry_at = clock_now() + retry_after * CLOCK_US_PER_S;
    snprintf(sentence, sizeof sentence, "%s", s->problem.text);
    error_set(&s->problem, "%s; it asks to wait %d s", sentence, retry_after);
}

static void http_take_answer(struct http_sink *s, const struct transfer_answer *answer)
{
    enum body_verdict verdicts[HTTP_BATCH_MAX];
    struct body_result result = {.verdicts = verdicts};
    const bool good = answer->status >= 200 && answer->status < 300;
    if (good && answer->cut && s->format->judge) {
        body_give_all(&result, s->posted->count, BODY_AGAIN);
        error_set(&result.problem, "its answer is longer than %zu octets: make 'batch' smaller",
                  answer->size);
    } else {
        body_judge(s->format, &s->context, answer, s->posted->count, &result);
    }
    http_settle(s, &result);
    http_note_wait(s, answer->retry_after);
}

// Acknowledgements.

// Returns when to ask for acknowledgements, monotonic; INT64_MAX if nothing waits for one.
static int64_t http_ask_time(const struct http_sink *s)
{
    return s->awaited_count > 0 ? s->asked_at + ASK_US : INT64_MAX;
}

static void http_ask(struct http_sink *s)
{
    struct text body = text_in(s->ask_body, sizeof s->ask_body);
    struct text path = text_in(s->ask_path, sizeof s->ask_path);
    const char *after = strstr(s->options->url, "//");
    uint64_t acks[AWAITED_MAX];
    for (size_t i = 0; i < s->awaited_count; i++)
        acks[i] = s->awaited[i].ack;
    s->asked_at = clock_now();
    s->format->ack_path(&path, after ? after + 2 + strcspn(after + 2, "/?") : "");
    s->format->ack_ask(&body, acks, s->awaited_count);
    const struct transfer_request request = {.path = path.buf,
                                             .content_type = "application/json",
                                             .body = body.buf,
                                             .size = body.len,
                                             .timeout_ms = (int)s->options->timeout * 1000};
    http_begin(s, &request, ASKING);
}

// Whether a request waits too long for its acknowledgement.
static bool http_is_late(const struct http_sink *s, int64_t now)
{
    return s->awaited_count > 0 && now - s->awaited[0].since > ACK_US;
}

// A failure would send all events again that wait for an acknowledgement. A busy server is asked
// once more.
static void http_miss_acks(struct http_sink *s, const struct transfer_answer *answer, int64_t now,
                           struct error *problem)
{
    const int pause = answer->retry_after > 0 ? answer->retry_after : BUSY_S;
    const bool busy = answer->status == 429 || answer->status >= 500;
    if (busy && !http_is_late(s, now)) {
        s->asked_at = now + (pause < BUSY_MAX_S ? pause : BUSY_MAX_S) * CLOCK_US_PER_S;
        return;
    }
    http_fail(s, problem);
    http_note_wait(s, answer->retry_after);
}

static void http_settle_request(struct http_sink *s, uint64_t request)
{
    uint64_t ticket = 0;
    while ((ticket = tickets_behind(s->tickets, ticket)) != 0) {
        if (tickets_at(s->tickets, ticket)->mark == request)
            tickets_settle(s->tickets, ticket, TICKET_DONE);
    }
}

static void http_take_acks(struct http_sink *s, const struct transfer_answer *answer)
{
    bool there[AWAITED_MAX] = {false};
    uint64_t acks[AWAITED_MAX];
    struct error problem;
    const int64_t now = clock_now();
    size_t left = 0;
    for (size_t i = 0; i < s->awaited_count; i++)
        acks[i] = s->awaited[i].ack;
    if (!s->format->ack_judge(answer, acks, s->awaited_count, there, &problem)) {
        http_miss_acks(s, answer, now, &problem);
        return;
    }
    for (size_t i = 0; i < s->awaited_count; i++) {
        if (there[i])
            http_settle_request(s, s->awaited[i].request);
        else
            s->awaited[left++] = s->awaited[i];
    }
    s->awaited_count = left;
    if (http_is_late(s, now)) {
        error_set(&problem, "it took events and does not acknowledge them");
        http_fail(s, &problem);
    }
}

// Waiting.

static void http_go_on(struct http_sink *s, int timeout_ms)
{
    struct transfer_answer answer;
    const enum exchange exchange = s->exchange;
    const int ended = transfer_go_on(s->transfer, timeout_ms, &answer, &s->problem);
    if (ended == 0)
        return;
    if (ended < 0) {
        s->failed = true;
        return;
    }
    s->exchange = NO_EXCHANGE;
    if (exchange == ASKING)
        http_take_acks(s, &answer);
    else
        http_take_answer(s, &answer);
}

// Opens an old transfer anew. Otherwise, a receiver without failures would not see renewed secrets
// and addresses. Returns false if acknowledgements are due before: another server behind the name
// may not know of the requests.
static bool http_renew(struct http_sink *s)
{
    if (!transfer_is_old(s->transfer) || s->awaited_count > 0)
        return !transfer_is_old(s->transfer);
    transfer_renew_or_tell(&s->transfer, s->log, &s->renew_limit, s->name);
    return true;
}

// Begins what there is to begin.
static void http_start(struct http_sink *s, bool no_more)
{
    const int64_t now = clock_now();
    if (s->failed || s->exchange != NO_EXCHANGE)
        return;
    const bool may_post = http_renew(s);
    if (http_ask_time(s) <= now)
        http_ask(s);
    else if (may_post &&
             (no_more || s->next->count >= http_events_max(s) || now - s->next_since > LINGER_US))
        http_post(s);
}

static bool http_wait(void *self, int timeout_ms, struct error *err)
{
    struct http_sink *s = self;
    http_start(s, timeout_ms > 0);
    if (!s->failed && s->exchange != NO_EXCHANGE) {
        http_go_on(s, timeout_ms);
        http_start(s, timeout_ms > 0);
    } else if (!s->failed && s->tickets->done == 0 && timeout_ms > 0) {
        clock_sleep(timeout_ms * CLOCK_US_PER_MS); // until acknowledgements are asked for
    }
    return !s->failed || error_set(err, "%s", s->problem.text);
}

// Making.

static void http_free(void *self)
{
    struct http_sink *s = self;
    post_free(s->posted);
    post_free(s->next);
    free(s);
}

static bool http_check(const char *kind, const void *of_kind, struct error *err)
{
    const struct conf_receiver *receiver = of_kind;
    if (strcmp(kind, "alertmanager") == 0)
        return alertmanager_check(receiver, err);
    const struct transfer_options to = transfer_options_of(receiver, receiver->http.url, "");
    return transfer_check(&to, err);
}

static bool http_make(struct sink *out, const char *kind, const char *name, const void *of_kind,
                      const struct module_host *host, struct error *err)
{
    const struct conf_receiver *receiver = of_kind;
    const struct conf_http *options = &receiver->http;
    if (strcmp(kind, "alertmanager") == 0)
        return alertmanager_make(out, name, receiver, host, err);
    if (!http_check(kind, receiver, err))
        return false;
    if (options->state_index[0] != '\0') {
        state_index_make(out, name, receiver, host);
        return true;
    }
    if (options->format == HTTP_OTLP_METRICS) {
        otlp_metrics_make(out, receiver, host);
        return true;
    }
    struct http_sink *s = memory_zeroed(1, sizeof *s);
    s->options = options;
    s->name = name;
    s->log = host->log;
    s->format = body_find(options->format);
    s->context = (struct body_context){
        .index = options->index, .ack = options->ack, .alone = options->batch == 1};
    s->size_max = s->size_told = options->batch_size;
    s->grow_after = GROW_FIRST;
    format_origin_own(&s->context.origin, &s->process);
    s->posted = post_new(options->batch_size, s->format, &s->context);
    s->next = post_new(options->batch_size, s->format, &s->context);
    s->to = transfer_options_of(receiver, options->url, s->format->scheme);
    s->to.header = s->channel;
    s->to.answer_max =
        TRANSFER_ANSWER_SOME + (s->format->judge ? options->batch * (size_t)ANSWER_OF_EVENT : 0);
    *out = (struct sink){.open = http_open,
                         .send = http_send,
                         .wait = http_wait,
                         .close = http_close,
                         .free = http_free,
                         .self = s,
                         .in_flight_max = HTTP_IN_FLIGHT_MAX};
    return true;
}

const struct module ibtrapd_module = {MODULE_INTERFACE, INSTALL_VERSION, sizeof(struct event),
                                      http_make,        http_check,      NULL};
