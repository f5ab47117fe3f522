// SPDX-License-Identifier: BSD-2-Clause
#include "sink/relp.h"

#include "base/memory.h"
#include "install.h"
#include "sink/format.h"
#include "sink/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 9 };

void relp_frame_add(struct text *out, uint32_t transaction, const char *command, const char *data,
                    size_t size)
{
    text_add_number(out, transaction);
    text_add(out, " ");
    text_add(out, command);
    text_add(out, " ");
    text_add_number(out, size);
    if (size > 0)
        text_add(out, " ");
    text_add_n(out, data, size);
    text_add(out, "\n");
}

// The octets not parsed yet.
struct rest {
    const char *p, *end;
    bool wrong;
};

static bool relp_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool relp_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Reads a word of characters for which `belongs` is true, and leaves the character after it. False:
// the frame is incomplete, or wrong.
static bool relp_frame_read_word(struct rest *r, bool (*belongs)(char), size_t max,
                                 const char **word, size_t *size)
{
    const char *p = r->p;
    while (p < r->end && belongs(*p))
        p++;
    *word = r->p;
    *size = (size_t)(p - r->p);
    r->wrong = *size > max || (p < r->end && *size == 0);
    r->p = p;
    return !r->wrong && p < r->end;
}

static bool relp_frame_read_number(struct rest *r, uint32_t *out)
{
    const char *digits;
    size_t n;
    if (!relp_frame_read_word(r, relp_is_digit, DIGITS_MAX, &digits, &n))
        return false;
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out = *out * 10 + (uint32_t)(digits[i] - '0');
    return true;
}

static bool relp_read_command(struct rest *r, char out[RELP_FRAME_COMMAND_MAX + 1])
{
    const char *word;
    size_t n;
    if (!relp_frame_read_word(r, relp_is_letter, RELP_FRAME_COMMAND_MAX, &word, &n))
        return false;
    memcpy(out, word, n);
    out[n] = '\0';
    return true;
}

static bool relp_frame_read(struct rest *r, char c)
{
    if (r->p == r->end)
        return false;
    r->wrong = *r->p != c;
    r->p += !r->wrong;
    return !r->wrong;
}

static bool relp_read_data(struct rest *r, uint32_t size, struct relp_frame *out)
{
    out->data = r->p;
    out->size = size;
    if (size == 0)
        return true;
    if (!relp_frame_read(r, ' ') || (size_t)(r->end - r->p) < size)
        return false;
    out->data = r->p;
    r->p += size;
    return true;
}

long relp_frame_parse(const char *octets, size_t size, struct relp_frame *out)
{
    struct rest r = {.p = octets, .end = octets + size};
    uint32_t data_size;
    bool whole = relp_frame_read_number(&r, &out->transaction) && relp_frame_read(&r, ' ') &&
                 relp_read_command(&r, out->command) && relp_frame_read(&r, ' ') &&
                 relp_frame_read_number(&r, &data_size) && relp_read_data(&r, data_size, out) &&
                 relp_frame_read(&r, '\n');
    if (whole)
        return r.p - octets;
    return r.wrong ? -1 : 0;
}

bool relp_frame_answer(const struct relp_frame *frame, struct relp_answer *out)
{
    const char *p = frame->data, *end = p + frame->size;
    if (strcmp(frame->command, "rsp") != 0 || frame->size < 3 || !relp_is_digit(p[0]) ||
        !relp_is_digit(p[1]) || !relp_is_digit(p[2]))
        return false;
    const char *newline = memchr(p, '\n', frame->size);
    const char *line_end = newline ? newline : end;
    *out = (struct relp_answer){
        .code = (unsigned)((p[0] - '0') * 100 + (p[1] - '0') * 10 + p[2] - '0')};
    p += 3;
    if (p < line_end && *p++ != ' ')
        return false;
    out->message = p;
    out->message_size = (size_t)(line_end - p);
    out->more = newline ? newline + 1 : end;
    out->more_size = (size_t)(end - out->more);
    return true;
}

// Time limits: to connect and open a session; to confirm the oldest message; to confirm the end of
// the session.
static const int64_t OPEN_US = 4800 * CLOCK_US_PER_MS;
static const int64_t ANSWER_US = 30 * CLOCK_US_PER_S;
static const int64_t CLOSE_US = 200 * CLOCK_US_PER_MS;

// The pause before confirmations are read, if the window is full: one read gets many confirmations,
// and the receiver has messages to process meanwhile.
static const int64_t GATHER_US = 1 * CLOCK_US_PER_MS;

// The longest answer is that to "open".
enum { IN_SIZE = 4096, FRAME_OVERHEAD = 64 };

// The reads of one call; the next call goes on. The octets without a confirmation after which a
// session is broken.
enum { READS_MAX = 64, UNASKED_MAX = 65536 };

static const char OFFERS[] =
    "relp_version=0\nrelp_software=ibtrapd," INSTALL_VERSION "\ncommands=syslog";

struct relp {
    const char *host;
    uint16_t port;
    const struct tls_options *tls;
    const struct clock *clock;
    struct stream *stream; // NULL: none
    char in[IN_SIZE];      // read and not parsed yet
    size_t in_size;
    size_t unasked; // octets read since the last answer to a request
    uint32_t asked; // transaction of an unanswered "open" or "close"; 0: none
    bool broken;    // `problem` says why
    struct error problem;
    uint32_t next;           // transaction
    struct tickets *tickets; // the mark of a ticket is the transaction of its message
};

static int64_t relp_now_of(const struct relp *r)
{
    return clock_monotonic(r->clock);
}

static bool relp_fail(struct relp *r, const char *what)
{
    r->broken = true;
    return error_set(&r->problem, "%s", what);
}

static bool relp_send_frame(struct relp *r, const char *command, const char *data, size_t size,
                            struct error *err)
{
    char frame[FORMAT_SIZE + FRAME_OVERHEAD];
    struct text t = text_in(frame, sizeof frame);
    relp_frame_add(&t, r->next, command, data, size);
    r->next = relp_frame_next(r->next);
    r->broken = !stream_write(r->stream, t.buf, t.len, err);
    if (r->broken)
        r->problem = *err;
    return !r->broken;
}

// Reading the receiver's frames.

static bool relp_refuse(struct relp *r, const char *what, const struct relp_answer *a)
{
    char words[128];
    text_clean(a->message, a->message_size, words, sizeof words);
    r->broken = true;
    return error_set(&r->problem, "it refuses %s: %u %s", what, a->code, words);
}

// Whether the answer has a line "NAME=VALUE,VALUE" with this name and value.
static bool relp_offers(const struct relp_answer *a, const char *name, const char *value)
{
    char text[IN_SIZE], *lines = text, *line, *word;
    snprintf(text, sizeof text, "%.*s", (int)a->more_size, a->more);
    while ((line = strsep(&lines, "\n"))) {
        const char *key = strsep(&line, "=");
        while (strcmp(key, name) == 0 && (word = strsep(&line, ","))) {
            if (strcmp(word, value) == 0)
                return true;
        }
    }
    return false;
}

static bool relp_read_open(struct relp *r, const struct relp_answer *a)
{
    if (a->code != 200)
        return relp_refuse(r, "the session", a);
    return (relp_offers(a, "relp_version", "0") && relp_offers(a, "commands", "syslog")) ||
           relp_fail(r, "it offers another version of RELP, or no syslog");
}

static bool relp_read_confirmation(struct relp *r, uint32_t transaction,
                                   const struct relp_answer *a)
{
    uint64_t ticket = 0;
    do
        ticket = tickets_behind(r->tickets, ticket);
    while (ticket != 0 && tickets_at(r->tickets, ticket)->mark != transaction);
    if (ticket == 0)
        return relp_fail(r, "it answers a request that was not sent");
    tickets_settle(r->tickets, ticket, a->code == 200 ? TICKET_DONE : TICKET_REFUSED);
    return a->code == 200 || relp_refuse(r, "a message", a);
}

static bool relp_read_frame(struct relp *r, const struct relp_frame *f)
{
    struct relp_answer a;
    if (f->transaction == 0 && strcmp(f->command, "serverclose") == 0)
        return relp_fail(r, "it closed the session");
    if (f->transaction == 0) // another hint
        return true;
    if (!relp_frame_answer(f, &a))
        return relp_fail(r, "it does not speak RELP");
    r->unasked = 0;
    if (f->transaction != r->asked)
        return relp_read_confirmation(r, f->transaction, &a);
    bool is_open = r->asked == 1;
    r->asked = 0;
    return !is_open || relp_read_open(r, &a);
}

static void relp_parse(struct relp *r)
{
    struct relp_frame f;
    size_t used = 0;
    while (!r->broken) {
        long n = relp_frame_parse(r->in + used, r->in_size - used, &f);
        if (n < 0 || (n == 0 && used == 0 && r->in_size == IN_SIZE))
            relp_fail(r, "it does not speak RELP");
        if (n <= 0)
            break;
        used += (size_t)n;
        relp_read_frame(r, &f);
    }
    r->in_size -= used;
    memmove(r->in, r->in + used, r->in_size);
}

// Reads and processes the frames that have arrived.
static void relp_receive(struct relp *r)
{
    long n = 1;
    for (int i = 0; i < READS_MAX && !r->broken && n > 0; i++) {
        n = stream_read(r->stream, r->in + r->in_size, IN_SIZE - r->in_size, &r->problem);
        r->broken = n < 0;
        r->in_size += n > 0 ? (size_t)n : 0;
        r->unasked += n > 0 ? (size_t)n : 0;
        relp_parse(r);
        if (!r->broken && r->unasked > UNASKED_MAX)
            relp_fail(r, "it sends more than it was asked for");
    }
}

// Writes buffered frames, then reads and processes all frames that have arrived.
static void relp_serve(struct relp *r)
{
    if (!r->broken)
        r->broken = !stream_flush(r->stream, &r->problem);
    relp_receive(r);
}

// Waits for the answer to "open" or "close". False: none came, or the session is broken.
static bool relp_await(struct relp *r, int64_t until)
{
    for (relp_serve(r); r->asked != 0 && !r->broken && relp_now_of(r) < until; relp_receive(r))
        stream_pause(r->stream, (int)((until - relp_now_of(r)) / CLOCK_US_PER_MS) + 1);
    return r->asked == 0 && !r->broken;
}

// The session.

static bool relp_greet(struct relp *r, int64_t until, struct error *err)
{
    r->next = r->asked = 1;
    r->in_size = r->unasked = 0;
    r->broken = false;
    if (!relp_send_frame(r, "open", OFFERS, sizeof OFFERS - 1, err))
        return false;
    return relp_await(r, until) ||
           error_set(err, "%s",
                     r->broken ? r->problem.text : "it does not answer as a RELP server");
}

static bool relp_open_session(struct relp *r, struct error *err)
{
    int64_t until = relp_now_of(r) + OPEN_US;
    r->stream = stream_open(r->host, r->port, r->tls, err);
    if (!r->stream || relp_greet(r, until, err))
        return r->stream != NULL;
    error_prefix(err, "%s", stream_peer(r->stream));
    stream_close(r->stream);
    r->stream = NULL;
    return false;
}

static void relp_close_session(struct relp *r)
{
    struct error err;
    if (!r->stream)
        return;
    r->asked = r->next;
    // With messages unconfirmed, the receiver may not be reading, and their outcome stays unknown.
    if (!r->broken && r->tickets->in_flight == 0 && relp_send_frame(r, "close", "", 0, &err))
        relp_await(r, relp_now_of(r) + CLOSE_US);
    stream_close(r->stream);
    r->stream = NULL;
}

struct relp *relp_open(const char *host, uint16_t port, const struct tls_options *tls,
                       const struct clock *clock, struct tickets *tickets, struct error *err)
{
    struct relp *r = memory_get(sizeof *r);
    *r = (struct relp){.host = host, .port = port, .tls = tls, .clock = clock, .tickets = tickets};
    if (relp_open_session(r, err))
        return r;
    free(r);
    return NULL;
}

// Opens another session if the receiver has ended this session, as is allowed while no other
// message is unconfirmed.
static bool relp_renew(struct relp *r, struct error *err)
{
    if (r->tickets->in_flight > 1)
        return true;
    relp_receive(r);
    if (!r->broken)
        return true;
    relp_close_session(r);
    return relp_open_session(r, err);
}

bool relp_send(struct relp *relp, const char *message, size_t size, struct error *err)
{
    if (!relp_renew(relp, err))
        return false;
    tickets_at(relp->tickets, relp->tickets->newest)->mark = relp->next;
    return relp_send_frame(relp, "syslog", message, size, err) ||
           error_prefix(err, "%s", stream_peer(relp->stream));
}

bool relp_wait(struct relp *relp, int timeout_ms, struct error *err)
{
    int64_t now = relp_now_of(relp), until = now + timeout_ms * CLOCK_US_PER_MS;
    for (;; now = relp_now_of(relp)) {
        const int64_t left = until - now;
        relp_serve(relp);
        if (!relp->broken && tickets_stalled_us(relp->tickets, now) > ANSWER_US)
            relp_fail(relp, "it does not confirm a message");
        if (relp->broken)
            return error_set(err, "%s: %s", stream_peer(relp->stream), relp->problem.text);
        if (relp->tickets->done > 0 || relp->tickets->in_flight == 0 || left <= 0)
            return true;
        stream_pause(relp->stream, (int)(left / CLOCK_US_PER_MS) + 1);
        if (relp->tickets->in_flight == RELP_WINDOW)
            clock_sleep(GATHER_US);
    }
}

void relp_close(struct relp *relp)
{
    relp_close_session(relp);
    free(relp);
}
