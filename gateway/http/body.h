// SPDX-License-Identifier: BSD-2-Clause
// The formats of the kind `http`: the body of a request, and the verdict of an answer on each
// event.
//
// Pure: no network, no clock, no memory but the caller's, and what jansson takes to read an answer.
// A body is `begin`, then the pieces of the events with `separator` between them, then `end`; a
// piece depends on its event alone, so that any row of pieces makes a body.
//
// Decides: What does a request's answer say of each event?
#ifndef IBTRAPD_HTTP_BODY_H
#define IBTRAPD_HTTP_BODY_H

#include "base/text.h"
#include "http/http_options.h"
#include "sink/format.h"
#include "sink/format_parts.h"

enum {
    BODY_ENDS_MAX = 4096,  // octets of `begin` and `end` together
    BODY_PIECE_MAX = 32768 // octets of a piece and a separator
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

struct body_format {
    const char *content_type;
    const char *alone_type; // with context->alone; NULL: the same
    const char *scheme;     // of the token: "Bearer"
    const char *separator;
    bool needs_answer; // the answer's body is read: a cut one cannot be judged

    void (*begin)(struct text *t, const struct body_context *context);
    void (*end)(struct text *t, const struct body_context *context);

    // Adds an event's piece. `t` has room for BODY_PIECE_MAX octets.
    void (*add)(struct text *t, const struct body_context *context, const struct event *event);

    // Fills in `out` for a request of `count` events, at least 1, from any answer.
    void (*judge)(const struct body_context *context, const struct transfer_answer *answer,
                  size_t count, struct body_result *out);

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

// Returns NULL if the format is unknown.
const struct body_format *body_find(enum http_format format);

// Gives all `count` events the verdict of the status:
// - 2xx accepts;
// - 400, 409 and 422 refuse the request: BODY_ALONE, or BODY_REFUSED for one event;
// - 413 wants a smaller request: BODY_SMALLER, or BODY_REFUSED for one event;
// - 3xx, 401, 403, 404, 415, 429, 5xx and all others do not judge the events: BODY_AGAIN, with a
//   sentence of advice.
void body_judge_status(const struct transfer_answer *answer, size_t count, struct body_result *out);

// Fills `count` verdicts.
void body_give_all(struct body_result *out, size_t count, enum body_verdict verdict);

// Adds the event's line in a format that receivers of other kinds have, too.
void body_add_line(struct text *t, enum format format, const struct body_context *context,
                   const struct event *event);

// Adds a piece that `make` makes of the event and format_shared_variant alone. Receivers of a
// format share the piece (model/event.h).
void body_add_shared(struct text *t, enum event_text_place place, format_part *make,
                     const struct body_context *context, const struct event *event);

// Copies the beginning of the server's words, clean and in one line, for a sentence.
enum { BODY_WORDS_SIZE = 201 };
void body_words(const char *text, size_t size, char out[BODY_WORDS_SIZE]);

#endif
