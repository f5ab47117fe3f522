// SPDX-License-Identifier: BSD-2-Clause
// Arbitrary requests to the server of the metrics, of several clients at a time and in pieces. Each
// whole request gets a single answer, of the length in its head or its chunks, and no client gets
// the answer of another client. The input is a list of actions: an octet for the client and its
// action, and the octets that the client sends. The first octet says whether memory is short when
// the metrics are made, and into how many pieces they come. Besides the metrics there is a document
// of the page.
#include "fuzz.h"
#include "input.h"

#include "support_clock.h"
#include "web/web_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    CLIENTS = WEB_SERVER_CLIENTS_MAX + 4, // more than the server keeps
    ACTIONS_MAX = 64,
    ANSWER_MAX = 1 << 16,
    REPEATS = 64, // of octets: short inputs make long requests
};

static const char BODY[] = "ibtrapd_up 1\n";
static const char END[] = "\r\n\r\n";

struct client {
    int fd; // -1: not connected
    char sent[WEB_SERVER_REQUEST_MAX * 2], got[ANSWER_MAX];
    size_t sent_size, got_size;
    time_t since; // monotonic seconds
    bool whole;   // the server has surely read the request, before other clients took its place
    bool closed;  // by the server
};

static struct event_base *base;
static struct log *log_;
static struct web_server *server;
static struct sockaddr_in address;
static struct client clients[CLIENTS];
static unsigned connected;
static size_t piece_size;

static void *begin_scrape(void *ctx)
{
    (void)ctx;
    return calloc(1, sizeof(size_t)); // how much was given
}

static bool next_piece(void *scrape, const char **text, size_t *size)
{
    size_t *given = scrape, left = sizeof BODY - 1 - *given;
    *text = BODY + *given;
    *size = left < piece_size ? left : piece_size;
    *given += *size;
    return *given != sizeof BODY - 1;
}

static const struct web_source SOURCE = {begin_scrape, next_piece, free, NULL};

// The page: a document at /doc.

static bool has_document(void *ctx, const char *path)
{
    (void)ctx;
    return strcmp(path, "/doc") == 0;
}

static bool make_document(void *ctx, const char *path, struct web_document *out)
{
    (void)ctx, (void)path;
    *out = (struct web_document){"text/plain", BODY, sizeof BODY - 1};
    return true;
}

static char *follow_nothing(void *ctx, int64_t *last, size_t *size)
{
    (void)ctx, (void)last, (void)size;
    return NULL;
}

static bool is_listener(int fd)
{
    int listens = 0;
    socklen_t size = sizeof listens;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens;
}

static void start(void)
{
    struct error err;
    log_ = log_open(stderr, LOG_LEVEL_ERROR, false, &SUPPORT_STOPPED);
    int fd = 3;
    base = event_base_new();
    REQUIRE(base && log_);
    server =
        web_server_start(base, "127.0.0.1", 0, &(struct filter_list){0}, &SOURCE, NULL, log_, &err);
    const struct web_page page = {has_document, make_document, "/events", follow_nothing, NULL};
    REQUIRE(server);
    web_server_serve_page(server, &page);
    while (!is_listener(fd))
        REQUIRE(++fd < 256);
    REQUIRE(getsockname(fd, (struct sockaddr *)&address, &(socklen_t){sizeof address}) == 0);
}

static void stop(void)
{
    web_server_stop(server);
    event_base_free(base);
    log_close(log_);
}

// Lets the server read and answer all that was sent.
static void serve(void)
{
    for (int i = 0; i < 20; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
}

static void hear(struct client *c)
{
    ssize_t n;
    while ((n = recv(c->fd, c->got + c->got_size, sizeof c->got - c->got_size, MSG_DONTWAIT)) > 0)
        c->got_size += (size_t)n;
    REQUIRE(c->got_size < sizeof c->got);
    c->closed = c->closed || n == 0 || errno != EAGAIN;
}

// Closing resets the connection: no port is left waiting.
static void hang_up(struct client *c)
{
    const struct linger reset = {.l_onoff = 1};
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(c->fd);
    c->fd = -1;
    serve();
}

static time_t seconds(void)
{
    struct timespec now;
    REQUIRE(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return now.tv_sec;
}

static void call(struct client *c)
{
    c->since = seconds();
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(c->fd >= 0 && connect(c->fd, (struct sockaddr *)&address, sizeof address) == 0);
    c->sent_size = c->got_size = 0;
    c->closed = false;
    c->whole = true;
    serve();
    if (++connected <= WEB_SERVER_CLIENTS_MAX)
        return;
    for (size_t i = 0; i < CLIENTS; i++) // the oldest may be gone
        clients[i].whole = clients[i].whole && &clients[i] == c;
}

static void speak(struct client *c, const uint8_t *octets, size_t size)
{
    if (size > sizeof c->sent - c->sent_size)
        size = sizeof c->sent - c->sent_size;
    const ssize_t n = send(c->fd, octets, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
        memcpy(c->sent + c->sent_size, octets, (size_t)n);
        c->sent_size += (size_t)n;
    }
    serve();
    hear(c);
}

static void act(struct input *in)
{
    const uint64_t action = input_number(in, 1);
    struct client *c = &clients[action % CLIENTS];
    size_t size;
    const uint8_t *octets = input_part(in, 2, &size);
    if (c->fd < 0)
        call(c);
    for (unsigned n = action / CLIENTS % 8 == 7 ? REPEATS : 1; n > 0; n--)
        speak(c, octets, size);
    if (action / CLIENTS % 8 == 5)
        shutdown(c->fd, SHUT_WR);
    if (action / CLIENTS % 8 == 6)
        hang_up(c);
}

// The promises.

static const char *after(const char *text, const char *begin)
{
    const size_t length = strlen(begin);
    return strncmp(text, begin, length) == 0 ? text + length : NULL;
}

// Takes the chunks out of a body.
static void read_chunks(char *body)
{
    char *to = body;
    for (unsigned long size = 1; size > 0;) {
        char *chunk;
        size = strtoul(body, &chunk, 16);
        REQUIRE(chunk > body && after(chunk, "\r\n") && strlen(chunk + 2) >= size + 2);
        memmove(to, chunk + 2, size);
        to += size;
        body = chunk + 2 + size;
        REQUIRE(after(body, "\r\n"));
        body += 2;
    }
    REQUIRE(*body == '\0');
    *to = '\0';
}

// Returns the status, and checks that there is an answer with nothing behind it.
static long read_answer(struct client *c)
{
    c->got[c->got_size] = '\0';
    const char *status = after(c->got, "HTTP/1.1 ");
    char *body = strstr(c->got, END), *length = strstr(c->got, "\r\nContent-Length: ");
    const bool chunked = body && memmem(c->got, (size_t)(body - c->got), "chunked", 7);
    REQUIRE(status && body && strlen(c->got) == c->got_size);
    REQUIRE(strstr(c->got, "\r\nConnection: close\r\n") < body);
    REQUIRE((length && length < body) || piece_size < sizeof BODY - 1);
    body += sizeof END - 1;
    if (after(c->sent, "HEAD ") && *body == '\0')
        return strtol(status, NULL, 10);
    if (chunked)
        read_chunks(body);
    else if (length && length < body)
        REQUIRE(strtoul(strchr(length, ':') + 1, NULL, 10) == strlen(body));
    if (strstr(c->got, "version=0.0.4"))
        REQUIRE(strcmp(body, BODY) == 0);
    return strtol(status, NULL, 10);
}

static void check(struct client *c)
{
    if (seconds() - c->since >= WEB_SERVER_IDLE_S)
        return; // the machine was so slow that the server may have ended the connection
    const size_t sent = c->sent_size < sizeof c->sent ? c->sent_size : sizeof c->sent - 1;
    c->sent[sent] = '\0';
    const char *end = memmem(c->sent, sent, END, sizeof END - 1);
    hear(c);
    const bool asked = end && end + sizeof END - 1 <= c->sent + WEB_SERVER_REQUEST_MAX;
    const bool too_long = !asked && sent >= WEB_SERVER_REQUEST_MAX;
    if (!c->whole && c->got_size == 0)
        return;
    if (c->got_size == 0) {
        REQUIRE(!(asked || too_long) || sent > WEB_SERVER_REQUEST_MAX);
        return;
    }
    REQUIRE(asked || too_long);
    const long status = read_answer(c);
    REQUIRE(status == 200 || status == 400 || status == 404 || status == 405 || status == 421 ||
            status == 431);
    REQUIRE((status == 431) == too_long || sent > WEB_SERVER_REQUEST_MAX);
    if (asked && after(c->sent, "GET /metrics HTTP/1.1\r\n"))
        REQUIRE(status == 200 || status == 421); // 421: the name of another host
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    if (!server) {
        start();
        atexit(stop);
    }
    const uint64_t first = input_number(&in, 1);
    piece_size = first / 2 % 4 == 0 ? sizeof BODY - 1 : 1 + first / 8;
    connected = 0;
    for (size_t i = 0; i < CLIENTS; i++)
        clients[i].fd = -1;
    for (unsigned n = 0; input_left(&in) > 0 && n < ACTIONS_MAX; n++)
        act(&in);
    for (size_t i = 0; i < CLIENTS; i++) {
        if (clients[i].fd < 0)
            continue;
        check(&clients[i]);
        hang_up(&clients[i]);
    }
    serve();
    return 0;
}
