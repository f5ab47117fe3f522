// SPDX-License-Identifier: BSD-2-Clause
// The formats of the kind `http`: the body of a request, the events of a request, and the verdict
// of an answer on each event.
//
// Pure: no network, no clock, no memory but the caller's, and what jansson takes to read an answer.
// A body has a begin, the pieces of the events with `separator` between them, and an end. A piece
// depends on its event alone, so any row of pieces makes a body.
//
// Decides: What does a request's answer say of each event?
// Decides: When is an HTTP request full?
#pragma once

#include "base/text.h"
#include "http/in_flight.h"
#include "http/transfer.h"
#include "sink/format.h"

enum {
    BODY_ENDS_MAX = 4096,   // octets of `begin` and `end` together
    BODY_PIECE_MAX = 32768, // octets of a piece and a separator
    // Marks of JSON in an answer, each one of {[,: outside a text: for each event, and besides. An
    // item of Elasticsearch has some 30. jansson takes up to 181 octets of memory for a mark.
    BODY_MARKS_OF_EVENT = 48,
    BODY_MARKS_SOME = 1024,
};

struct body_context {
    struct format_origin origin;
    const char *index; // empty: none
    bool ack;
    bool alone; // `batch = 1`: each request has one event
};

enum body_verdict {
    BODY_ACCEPTED,
    BODY_AGAIN,   // not now: later, perhaps, or once the admin has mended something
    BODY_REFUSED, // this very event, and again if it came again
    BODY_ALONE,   // the request was refused, perhaps for one event: send each in one of its own
    BODY_SMALLER, // the request was too large: send fewer events at a time
    BODY_AWAIT,   // accepted, and confirmed once the server acknowledges `ack`
};

// What an answer says. All events of one request are BODY_AWAIT, or none is.
struct body_result {
    enum body_verdict *verdicts; // the caller's array, one for each event of the request
    uint64_t ack;                // with BODY_AWAIT
    // The reason for the first event that is not accepted. The caller puts the server's name before
    // the reason. Text of the server in the reason is clean (text_clean).
    struct error problem;
    struct error note; // a warning for the admin although all is accepted; empty: none
};

struct json_t; // jansson's

struct body_format {
    const char *content_type;
    const char *alone_type; // with context->alone: the piece is the body; NULL: nothing differs
    const char *scheme;     // of the token: "Bearer"
    const char *begin, *separator, *end;
    void (*head)(struct text *t,
                 const struct body_context *context); // goes behind `begin`, or NULL

    // An event's piece has one of three forms: `add` adds the piece; `make` makes the piece of the
    // event and format_shared_variant alone, and receivers share the piece at `place`
    // (model/event.h); or the piece is the event's `line`.
    void (*add)(struct text *t, const struct body_context *context, const struct event *event);
    format_part *make;
    enum event_text_place place;
    enum format line;

    // Corrects the verdict of the status, from the JSON of the answer. `response` is NULL if the
    // answer is not JSON. NULL: the status alone decides, and the answer may be cut.
    void (*judge)(const struct body_context *context, const struct transfer_answer *answer,
                  const struct json_t *response, size_t count, struct body_result *out);

    // Acknowledgements (Splunk's), with context->ack. NULL: the format has none.

    // Adds the path and query of the request that asks for them, from the URL's own path.
    void (*ack_path)(struct text *path, const char *url_path);
    // Adds the body that asks for `n` acknowledgements.
    void (*ack_ask)(struct text *t, const uint64_t *acks, size_t n);
    // Sets which are there. False with a sentence: the answer does not say.
    bool (*ack_judge)(const struct transfer_answer *answer, const uint64_t *acks, size_t n,
                      bool *there, struct error *problem);
    const char *channel_header; // "X-Splunk-Request-Channel": gets a random UUID for each open
};

extern const struct body_format BODY_OTLP, BODY_SPLUNK, BODY_ELASTIC;

const struct body_format *body_find(enum http_format format);

// The parts of a body. `t` has room for BODY_PIECE_MAX octets of a piece.
void body_begin(struct text *t, const struct body_format *format,
                const struct body_context *context);
void body_add(struct text *t, const struct body_format *format, const struct body_context *context,
              const struct event *event);
void body_end(struct text *t, const struct body_format *format, const struct body_context *context);

// Reads the JSON of an answer about `count` events, which the caller releases. Returns NULL if the
// answer is not JSON, or has more marks than such an answer may have.
struct json_t *body_read(const struct transfer_answer *answer, size_t count);

// Fills in `out` for a request of `count` events, at least 1, from any answer. The status gives all
// events one verdict, which `judge` of the format corrects:
// - 2xx accepts;
// - 400, 409 and 422 refuse the request: BODY_ALONE, or BODY_REFUSED for one event;
// - 413 wants a smaller request: BODY_SMALLER, or BODY_REFUSED for one event;
// - 3xx, 401, 403, 404, 415, 429, 5xx and all others do not judge the events: BODY_AGAIN, with a
//   sentence of advice.
void body_judge(const struct body_format *format, const struct body_context *context,
                const struct transfer_answer *answer, size_t count, struct body_result *out);

// Fills `count` verdicts.
void body_give_all(struct body_result *out, size_t count, enum body_verdict verdict);

// Adds the event's line in a format that receivers of other kinds have, too.
void body_add_line(struct text *t, enum format format, const struct body_context *context,
                   const struct event *event);

// Copies the beginning of the server's words, clean and in one line, for a sentence.
enum { BODY_WORDS_SIZE = 201 };
void body_words(const char *text, size_t size, char out[BODY_WORDS_SIZE]);

// The events of one request, in their order, and the body of the request.
struct post {
    const struct body_format *format;
    const struct body_context *context; // the caller's; outlives the post
    struct text body;                   // without its end, until post_finish
    unsigned count;                     // events
    uint64_t tickets[HTTP_BATCH_MAX];
};

// Makes a post with room for `size_max` octets, and begins the post. Free it with post_free.
struct post *post_new(size_t size_max, const struct body_format *format,
                      const struct body_context *context);
void post_free(struct post *p);

// Empties the post and begins its body.
void post_begin(struct post *p);

// Adds an event, whose ticket is `ticket`; fewer than HTTP_BATCH_MAX are in the post. Returns
// false, and adds nothing, if the post is not empty and the body would have more than `size_max`
// octets. `size_max` may be less than post_new got.
bool post_add(struct post *p, const struct event *event, uint64_t ticket, size_t size_max);

// Adds the end of the body.
void post_finish(struct post *p);
