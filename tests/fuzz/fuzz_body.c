// SPDX-License-Identifier: BSD-2-Clause
// The formats of the kind `http`: any answer of a server, and any event. The input is an octet for
// the format, one for the request's number of events and whether they wait for acknowledgements,
// two for the status, and the answer; if the status is 0, the event's record instead.
#include "fuzz.h"
#include "input.h"

#include "http/body.h"
#include "model/catalogue.h"
#include "model/event_record.h"
#include "sink/format.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = 16, STATUS_MIN = 200, STATUSES = 400, WAITS = 0x80 };

// The letters of a sentence are clean, since logs and managers get them.
static void check_sentence(const struct error *sentence)
{
    char clean[sizeof sentence->text];
    const size_t length = strnlen(sentence->text, sizeof sentence->text);
    REQUIRE(length < sizeof sentence->text);
    text_clean(sentence->text, length, clean, sizeof clean);
    REQUIRE(strcmp(sentence->text, clean) == 0);
}

static size_t count_verdicts(const struct body_result *result, size_t count,
                             enum body_verdict verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += result->verdicts[i] == verdict;
    return n;
}

// What holds for every format and answer: no event is passed over that the server did not take.
static void check_verdicts(const struct body_context *context, int status, size_t count,
                           const struct body_result *result)
{
    size_t all = 0, waiting = count_verdicts(result, count, BODY_AWAIT);
    for (int v = 0; v <= BODY_AWAIT; v++)
        all += count_verdicts(result, count, (enum body_verdict)v);
    REQUIRE(all == count); // each event has one
    const size_t taken = count_verdicts(result, count, BODY_ACCEPTED);
    const size_t parts =
        count_verdicts(result, count, BODY_ALONE) + count_verdicts(result, count, BODY_SMALLER);
    REQUIRE(count > 1 || parts == 0);
    REQUIRE(waiting == 0 || (waiting == count && context->ack));
    REQUIRE(status < 300 || taken + waiting == 0);
    REQUIRE((taken + waiting < count) == (result->problem.text[0] != '\0'));
    REQUIRE(result->note.text[0] == '\0' || taken == count);
    check_sentence(&result->problem);
    check_sentence(&result->note);
}

static void judge_acks(const struct body_format *format, const struct transfer_answer *answer)
{
    static const uint64_t ACKS[] = {0, 1, 2, UINT64_MAX};
    enum { N = sizeof ACKS / sizeof *ACKS };
    bool there[N];
    struct error problem = {.text = ""};
    const bool says = format->ack_judge(answer, ACKS, N, there, &problem);
    REQUIRE(says == (problem.text[0] == '\0'));
    REQUIRE(!says || answer->status < 300);
    check_sentence(&problem);
    for (size_t i = 0; says && i < N; i++) {
        REQUIRE(there[i] == false || memmem(answer->body, answer->size, "true", 4));
    }
}

static void judge(const struct body_format *format, const struct body_context *context, int status,
                  size_t count, const struct input *in)
{
    enum body_verdict verdicts[COUNT_MAX];
    struct body_result result = {.verdicts = verdicts};
    char *body = malloc(input_left(in) + 1); // for the sanitizer
    REQUIRE(body);
    memcpy(body, in->p, input_left(in));
    body[input_left(in)] = '\0';
    const struct transfer_answer answer = {.status = status, .body = body, .size = input_left(in)};
    memset(verdicts, 0xEE, sizeof verdicts);
    body_judge(format, context, &answer, count, &result);
    check_verdicts(context, status, count, &result);
    if (format->ack_judge)
        judge_acks(format, &answer);
    free(body);
}

// The body is one JSON text, or one on each line, with this event.
static void check_body(enum http_format format, const char *body, const struct event *event)
{
    size_t texts = 0;
    REQUIRE(text_is_utf8(body) && strstr(body, event->type->name));
    for (size_t left = strlen(body); left > 0; texts++) {
        json_error_t error;
        json_t *read =
            json_loadb(body, left, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
        REQUIRE(read);
        json_decref(read);
        body += error.position;
        body += strspn(body, "\n");
        left = strlen(body);
    }
    REQUIRE(texts == (format == HTTP_ELASTIC ? 2 : 1));
}

static void write_event(enum http_format which, const struct body_context *context,
                        const struct event *event)
{
    static char buffer[BODY_ENDS_MAX + BODY_PIECE_MAX];
    const struct body_format *format = body_find(which);
    struct text t = text_in(buffer, sizeof buffer);
    body_begin(&t, format, context);
    const size_t before = t.len;
    body_add(&t, format, context, event);
    REQUIRE(t.len - before + strlen(format->separator) < BODY_PIECE_MAX);
    body_end(&t, format, context);
    REQUIRE(!t.cut && strlen(buffer) == t.len);
    check_body(which, buffer, event);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    struct error err;
    const enum http_format which = (enum http_format)(input_number(&in, 1) % HTTP_FORMAT_COUNT);
    const uint64_t options = input_number(&in, 1), status = input_number(&in, 2);
    const struct body_context context = {
        .origin = {.hostname = "gw1.example.org", .process_id = "42"},
        .index = options % 2 ? "fabric" : "",
        .ack = options & WAITS};
    if (status != 0) {
        judge(body_find(which), &context, (int)(STATUS_MIN + status % STATUSES),
              1 + options % COUNT_MAX, &in);
        return 0;
    }
    struct event *event = event_record_read(in.p, input_left(&in), &err);
    if (event)
        write_event(which, &context, event);
    event_unref(event);
    return 0;
}
