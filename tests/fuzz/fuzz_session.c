// SPDX-License-Identifier: BSD-2-Clause
// RELP sessions with a peer that answers anything, in any pieces, or talks without end. A message
// counts as confirmed only if the peer has confirmed it, what we send is RELP,
// and no call reads or waits without end. The stream below is the fuzzer's, in virtual time. The
// input is a list of actions, an octet each, and their arguments.
#include "fuzz.h"
#include "input.h"

#include "sink/relp.h"
#include "sink/stream.h"
#include "support_clock.h"

enum {
    ACTIONS_MAX = 200,
    HELD_MAX = 1 << 16,       // octets of the peer that the client has not read yet
    SENT_MAX = 1 << 20,       // octets of a session that the client sends
    READ_MAX = 2 * 64 * 4096, // octets that one call may read: relp_send may end one session
    FRAMES_MAX = 4096,
    OPEN_MS = 4800,
    CLOSE_MS = 200,
    SLACK_MS = 5,
};

// The stream: one at a time.

struct stream {
    bool open, closed, deaf, endless; // closed: by the peer; deaf: writing fails
    char held[HELD_MAX];              // by the peer for the client
    size_t size, piece;               // octets that one read gets at most
};

static struct stream stream;
static struct support_time now;
static struct input in;
static size_t read_in_call;

// What went over it, by transaction.
static bool confirmed[FRAMES_MAX];
static bool refused[FRAMES_MAX];
static uint32_t next_transaction;
static struct tickets tickets;
static uint64_t first;                      // the session's first ticket
static char out[SENT_MAX], heard[HELD_MAX]; // not parsed yet
static size_t out_size, heard_size;
static bool unparsable; // the peer does not speak RELP

static void hear_answers(const char *octets, size_t size)
{
    struct relp_frame f;
    struct relp_answer a;
    long n;
    if (unparsable || size > sizeof heard - heard_size) {
        unparsable = true;
        return;
    }
    memcpy(heard + heard_size, octets, size);
    heard_size += size;
    while ((n = relp_frame_parse(heard, heard_size, &f)) > 0) {
        if (f.transaction > 0 && f.transaction < FRAMES_MAX && relp_frame_answer(&f, &a)) {
            confirmed[f.transaction] |= a.code == 200;
            refused[f.transaction] |= a.code != 200;
        }
        heard_size -= (size_t)n;
        memmove(heard, heard + n, heard_size);
    }
    unparsable = n < 0;
}

// The client numbers its transactions in order.
static void check_sent(void)
{
    struct relp_frame f;
    size_t used = 0;
    long n;
    while ((n = relp_frame_parse(out + used, out_size - used, &f)) > 0) {
        used += (size_t)n;
        REQUIRE(f.transaction == next_transaction++);
        REQUIRE(strcmp(f.command, f.transaction == 1 ? "open" : "syslog") == 0 ||
                strcmp(f.command, "close") == 0);
    }
    REQUIRE(n == 0);
    out_size -= used;
    memmove(out, out + used, out_size);
}

struct stream *stream_open(const char *host, uint16_t port, const struct tls_options *tls,
                           struct error *err)
{
    (void)host, (void)port, (void)tls;
    REQUIRE(!stream.open);
    const uint64_t how = input_number(&in, 1);
    if (how == UINT8_MAX) {
        error_set(err, "refused");
        return NULL;
    }
    stream.open = true;
    stream.closed = stream.deaf = stream.endless = unparsable = false;
    stream.piece = 1 + how % 64 * 16;
    stream.size = out_size = heard_size = 0;
    memset(confirmed, 0, sizeof confirmed);
    memset(refused, 0, sizeof refused);
    next_transaction = 1;
    first =
        tickets.newest + (tickets.in_flight == 0); // a session opened again is the newest ticket's
    if (how & 64) {
        static const char OPENED[] = "1 rsp 44 200 OK\nrelp_version=0\ncommands=syslog,other\n\n";
        memcpy(stream.held, OPENED, sizeof OPENED - 1);
        stream.size = sizeof OPENED - 1;
    }
    return &stream;
}

bool stream_write(struct stream *s, const void *octets, size_t size, struct error *err)
{
    if (s->deaf)
        return error_set(err, "deaf");
    REQUIRE(s->open && size <= sizeof out - out_size);
    memcpy(out + out_size, octets, size);
    out_size += size;
    return true;
}

bool stream_flush(struct stream *s, struct error *err)
{
    REQUIRE(s->open);
    check_sent();
    return !s->deaf || error_set(err, "deaf");
}

long stream_read(struct stream *s, void *to, size_t size, struct error *err)
{
    REQUIRE(s->open && size > 0);
    static const char HINT[] = "0 hint 0\n";
    if (s->size < sizeof HINT && s->endless) {
        while (s->size + sizeof HINT < sizeof s->held / 2) {
            memcpy(s->held + s->size, HINT, sizeof HINT - 1);
            s->size += sizeof HINT - 1;
        }
    }
    size_t n = size < s->piece ? size : s->piece;
    n = n < s->size ? n : s->size;
    if (n == 0 && s->closed) {
        error_set(err, "closed");
        return -1;
    }
    memcpy(to, s->held, n);
    hear_answers(to, n);
    s->size -= n;
    memmove(s->held, s->held + n, s->size);
    REQUIRE((read_in_call += n) <= READ_MAX);
    return (long)n;
}

// The peer may go on while the client waits.
static void peer_acts(void);

void stream_pause(const struct stream *s, int milliseconds)
{
    REQUIRE(s->open && milliseconds > 0);
    now.monotonic += milliseconds * CLOCK_US_PER_MS / 2 + CLOCK_US_PER_MS / 2;
    if (input_left(&in) > 0 && *in.p % 4 == 0)
        peer_acts();
}

const char *stream_peer(const struct stream *s)
{
    REQUIRE(s->open);
    return "peer";
}

void stream_close(struct stream *s)
{
    REQUIRE(s->open);
    s->open = false;
}

// The peer.

static void say(const void *octets, size_t size)
{
    if (size > sizeof stream.held - stream.size)
        size = sizeof stream.held - stream.size;
    memcpy(stream.held + stream.size, octets, size);
    stream.size += size;
}

static void answer(uint64_t transaction, uint64_t how)
{
    static const char *const ANSWERS[] = {"6 200 OK", "3 200", "8 500 full", "0", "6 2000 x"};
    char frame[64];
    const int n = snprintf(frame, sizeof frame, "%llu rsp %s\n", (unsigned long long)transaction,
                           ANSWERS[how % 5]);
    say(frame, (size_t)n);
}

static void peer_acts(void)
{
    const uint64_t what = input_number(&in, 1) / 4;
    size_t size;
    switch (what % 8) {
    case 0:
        say("0 serverclose 0\n", 16);
        break;
    case 1:
        stream.closed = true;
        break;
    case 2:
        stream.deaf = what & 8;
        break;
    case 3:
        stream.endless = what & 8;
        break;
    case 4: {
        const uint8_t *octets = input_part(&in, 1, &size);
        say(octets, size);
        break;
    }
    case 5:
        answer(input_number(&in, 1), what / 8);
        break;
    default: // confirms the next ones
        for (uint64_t i = input_number(&in, 1) % 8; i > 0; i--)
            answer(next_transaction - i, 0);
        break;
    }
}

// The client.

static struct relp *relp;

static int64_t begin_call(void)
{
    read_in_call = 0;
    return now.monotonic;
}

static void end_call(int64_t begun, int64_t most_ms)
{
    REQUIRE(now.monotonic - begun <= (most_ms + SLACK_MS) * CLOCK_US_PER_MS);
}

static void hang_up(void)
{
    const int64_t begun = begin_call();
    relp_close(relp);
    end_call(begun, CLOSE_MS);
    REQUIRE(!stream.open);
    relp = NULL;
    tickets_take_all_back(&tickets);
}

static void connect_again(const struct clock *clock)
{
    struct error err = {""};
    const int64_t begun = begin_call();
    relp = relp_open("receiver", 2514, NULL, clock, &tickets, &err);
    end_call(begun, OPEN_MS);
    REQUIRE(relp ? stream.open && confirmed[1] : !stream.open && err.text[0] != '\0');
}

static void send_one(size_t size)
{
    static char message[512];
    struct error err = {""};
    memset(message, 'm', sizeof message);
    if (tickets.in_flight == RELP_WINDOW || out_size > SENT_MAX / 2 ||
        next_transaction > FRAMES_MAX / 2)
        return;
    const int64_t begun = begin_call();
    REQUIRE(tickets_give(&tickets, tickets.newest + 1));
    const bool sent = relp_send(relp, message, size, &err);
    end_call(begun, CLOSE_MS + OPEN_MS);
    if (!sent) {
        REQUIRE(err.text[0] != '\0');
        hang_up();
        return;
    }
    check_sent();
}

static void wait_for(uint64_t ms)
{
    struct error err = {""};
    const int64_t begun = begin_call();
    const size_t before = tickets.in_flight;
    const bool ok = relp_wait(relp, (int)ms, &err);
    end_call(begun, (int64_t)ms);
    REQUIRE(tickets.done + tickets.in_flight == before && (ok || err.text[0] != '\0'));
    tickets.done = 0;
    for (uint64_t n = first; n <= tickets.newest; n++) {
        const struct ticket *ticket = tickets_at(&tickets, n);
        REQUIRE(ticket->state != TICKET_DONE || confirmed[ticket->mark]);
        REQUIRE(ticket->state != TICKET_REFUSED || (refused[ticket->mark] && !ok));
    }
    if (!ok)
        hang_up();
}

static void act(const struct clock *clock)
{
    const uint64_t what = *in.p;
    if (what % 4 == 0) {
        peer_acts();
        return;
    }
    in.p++;
    if (!relp)
        connect_again(clock);
    else if (what % 4 == 1)
        send_one(what);
    else if (what % 4 == 2)
        wait_for(what / 4 % 8 * 50);
    else if (what / 4 % 8 == 0)
        hang_up();
    else
        now.monotonic += (int64_t)(what / 4) * CLOCK_US_PER_S;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    now = (struct support_time){.monotonic = CLOCK_US_PER_S};
    const struct clock clock = support_clock(&now);
    in = (struct input){data, data + size};
    for (unsigned n = 0; input_left(&in) > 0 && n < ACTIONS_MAX; n++)
        act(&clock);
    if (relp)
        hang_up();
    return 0;
}
