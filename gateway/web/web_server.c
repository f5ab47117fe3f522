// SPDX-License-Identifier: BSD-2-Clause
#include "web/web_server.h"

#include "base/clock.h"
#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

static const char TEXT[] = "text/plain; charset=utf-8";
static const char ALLOW[] = "Allow: GET, HEAD\r\n";
static const char METRICS[] = "text/plain; version=0.0.4; charset=utf-8";
static const struct timeval IDLE_MAX = {.tv_sec = WEB_SERVER_IDLE_S},
                            CLIENT_MAX = {.tv_sec = WEB_SERVER_CLIENT_S}, PAUSE = {.tv_sec = 1};

// Calls the callback after an empty piece, as if all were written, once the loop has served the
// other clients.
enum { SOON = BEV_TRIG_IGNORE_WATERMARKS | BEV_TRIG_DEFER_CALLBACKS };

enum { HEADERS_SIZE = 1024 }; // octets of an answer's headers

enum web_stage {
    STAGE_ANSWERED, // all is written; the client is to close
    STAGE_ASKING,   // its request is not whole yet
    STAGE_ANSWERING,
};

// A client that asks nothing for so long, or takes nothing of its answer, loses its place before a
// client that just came.
static const int64_t STILL_US = CLOCK_US_PER_S;

struct web_client {
    struct web_server *server;
    enum web_stage stage;
    int64_t moved_us; // monotonic: the time of its arrival, its request or its last read
    struct bufferevent *stream;
    struct event *deadline;      // of the connection
    void *scrape;                // whose pieces are yet to come; NULL: none
    bool chunked;                // the answer is: the client speaks HTTP/1.1
    char awaited[WEB_PATH_SIZE]; // the document that is made later; empty: none
    bool head_only;              // the request is HEAD
    bool ended;                  // the client sends no more, but may still read
};

struct web_server {
    struct event_base *base;
    struct evconnlistener *listener;
    struct event *pause; // ends a pause of the listener
    struct web_source source;
    struct filter_list hosts;
    struct web_page page;
    struct followers *followers; // NULL: there is no page
    void *ctx;
    struct web_client *clients[WEB_SERVER_CLIENTS_MAX]; // oldest first
    size_t client_count;
};

static void web_server_note_move(struct evbuffer *out, const struct evbuffer_cb_info *info,
                                 void *ctx)
{
    struct web_client *client = ctx;
    (void)out;
    if (info->n_deleted > 0)
        client->moved_us = clock_now();
}

// The stream is no longer the client's.
static void web_server_part(struct web_client *client)
{
    evbuffer_remove_cb(bufferevent_get_output(client->stream), web_server_note_move, client);
    event_free(client->deadline);
    free(client);
}

// Ends a scrape before its last piece by a reset. For a client of HTTP/1.0, an orderly end would
// mean a whole answer.
static void web_server_break_off(const struct web_client *client)
{
    const struct linger reset = {.l_onoff = 1};
    setsockopt(bufferevent_getfd(client->stream), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    client->server->source.end(client->scrape);
}

static void web_server_free_client(struct web_client *client)
{
    struct bufferevent *stream = client->stream;
    if (client->scrape)
        web_server_break_off(client);
    web_server_part(client);
    bufferevent_free(stream);
}

static void web_server_take_out(struct web_client *client)
{
    struct web_server *server = client->server;
    size_t i = 0;
    while (server->clients[i] != client)
        i++;
    server->client_count--;
    memmove(&server->clients[i], &server->clients[i + 1],
            (server->client_count - i) * sizeof *server->clients);
}

static void web_server_drop(struct web_client *client)
{
    web_server_take_out(client);
    web_server_free_client(client);
}

// Answering.

static void web_server_miss_document(struct web_client *client);

static void web_server_client_event(struct bufferevent *stream, short what, void *ctx)
{
    struct web_client *client = ctx;
    (void)stream;
    if (what == (BEV_EVENT_READING | BEV_EVENT_EOF) && client->stage == STAGE_ANSWERING) {
        client->ended = true;
        // Without reading, the stream has no timeout to end the wait for a document.
        if (client->awaited[0] != '\0')
            evtimer_add(client->deadline, &IDLE_MAX);
    } else if ((what & BEV_EVENT_TIMEOUT) && client->awaited[0] != '\0') {
        web_server_miss_document(client);
    } else {
        web_server_drop(client); // the client has closed, or the time is over
    }
}

static void web_server_end_client(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct web_client *client = ctx;
    if (client->ended && client->awaited[0] != '\0') {
        evtimer_add(client->deadline, &IDLE_MAX);
        web_server_miss_document(client);
    } else {
        web_server_drop(client);
    }
}

// Ends our side only, and waits for the client to close. Closing the connection while the client
// still sends would reset the connection, and the client could lose the answer.
static void web_server_on_sent(struct bufferevent *stream, void *ctx)
{
    struct web_client *client = ctx;
    client->stage = STAGE_ANSWERED;
    if (client->ended) {
        web_server_drop(client);
        return;
    }
    bufferevent_set_timeouts(stream, &IDLE_MAX, &IDLE_MAX);
    shutdown(bufferevent_getfd(stream), SHUT_WR);
    bufferevent_setcb(stream, followers_discard, NULL, web_server_client_event, ctx);
}

// Discards all octets from the client from now on. `sent` is called whenever all is written.
static void web_server_await(struct web_client *client, bufferevent_data_cb sent)
{
    bufferevent_setcb(client->stream, followers_discard, sent, web_server_client_event, client);
    followers_discard(client->stream, client);
}

static void web_server_add_head(const struct web_client *client, const char *status,
                                const char *type, const char *headers)
{
    evbuffer_add_printf(bufferevent_get_output(client->stream),
                        "HTTP/1.1 %s\r\nContent-Type: %s\r\n%sConnection: close\r\n\r\n", status,
                        type, headers);
}

// `headers`: further ones, each with its line end. The answer to HEAD has no body, but the
// headers of the answer to GET (RFC 9110 9.3.2).
static void web_server_answer(struct web_client *client, const char *status, const char *headers,
                              const struct web_document *body)
{
    char all[HEADERS_SIZE];
    snprintf(all, sizeof all, "Content-Length: %zu\r\n%s", body->size, headers);
    web_server_add_head(client, status, body->type, all);
    if (!client->head_only)
        evbuffer_add(bufferevent_get_output(client->stream), body->text, body->size);
    web_server_await(client, web_server_on_sent);
}

static void web_server_answer_text(struct web_client *client, const char *status, const char *body)
{
    web_server_answer(client, status, strncmp(status, "405", 3) == 0 ? ALLOW : "",
                      &(struct web_document){TEXT, body, strlen(body)});
}

static void web_server_end_scrape(struct web_client *client)
{
    client->server->source.end(client->scrape);
    client->scrape = NULL;
}

// Adds a piece of a long answer.
static void web_server_add_piece(const struct web_client *client, const char *text, size_t size,
                                 bool last)
{
    struct evbuffer *out = bufferevent_get_output(client->stream);
    const bool chunked = client->chunked && size > 0;
    if (chunked)
        evbuffer_add_printf(out, "%zx\r\n", size);
    evbuffer_add(out, text, size);
    evbuffer_add_printf(out, "%s%s", chunked ? "\r\n" : "",
                        client->chunked && last ? "0\r\n\r\n" : "");
}

static void web_server_go_on(struct bufferevent *stream, void *ctx);

// Adds the first piece of a long answer behind the answer's head, or adds a later piece.
static void web_server_go_on_with(struct web_client *client, bool more, const char *text,
                                  size_t size)
{
    web_server_add_piece(client, text, size, !more);
    if (!more) {
        web_server_end_scrape(client);
        web_server_await(client, web_server_on_sent);
    } else {
        web_server_await(client, web_server_go_on);
    }
    if (evbuffer_get_length(bufferevent_get_output(client->stream)) == 0)
        bufferevent_trigger(client->stream, EV_WRITE, SOON);
}

// All pieces so far are written.
static void web_server_go_on(struct bufferevent *stream, void *ctx)
{
    struct web_client *client = ctx;
    const char *text = "";
    size_t size = 0;
    const bool more = client->server->source.next(client->scrape, &text, &size);
    web_server_go_on_with(client, more, text, size);
    (void)stream;
}

static void web_server_answer_at_length(struct web_client *client, const char *text, size_t size)
{
    web_server_add_head(client, "200 OK", METRICS,
                        client->chunked ? "Transfer-Encoding: chunked\r\n" : "");
    if (!client->head_only) {
        // While it reads, it need not send.
        bufferevent_set_timeouts(client->stream, NULL, &IDLE_MAX);
        web_server_go_on_with(client, true, text, size);
        return;
    }
    web_server_end_scrape(client);
    web_server_await(client, web_server_on_sent);
}

static void web_server_answer_metrics(struct web_client *client)
{
    const struct web_source *source = &client->server->source;
    struct web_document whole = {.type = METRICS};
    client->scrape = source->begin(client->server->ctx);
    if (source->next(client->scrape, &whole.text, &whole.size)) {
        web_server_answer_at_length(client, whole.text, whole.size);
        return;
    }
    web_server_answer(client, "200 OK", "", &whole);
    web_server_end_scrape(client);
}

static bool web_server_is_health(const struct web_server *server, const char *target)
{
    return server->source.judge &&
           (strcmp(target, "/healthz") == 0 || strcmp(target, "/readyz") == 0);
}

static void web_server_answer_health(struct web_client *client, bool ready)
{
    char line[WEB_SERVER_VERDICT_SIZE];
    bool good = client->server->source.judge(client->server->ctx, ready, line, sizeof line);
    web_server_answer_text(client, good ? "200 OK" : "503 Service Unavailable", line);
}

// The page.

#define PAGE_HEADERS                                                                               \
    "Cache-Control: no-store\r\n"                                                                  \
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "           \
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "                    \
    "frame-ancestors 'none'\r\n"                                                                   \
    "Cross-Origin-Opener-Policy: same-origin\r\n"                                                  \
    "Cross-Origin-Resource-Policy: same-origin\r\n"                                                \
    "Referrer-Policy: no-referrer\r\n"                                                             \
    "X-Content-Type-Options: nosniff\r\n"

// The headers of a request that ibtrapd reads.
struct web_request {
    char host[256];
    bool many_hosts;
    int64_t after; // Last-Event-ID; -1: none
};

// Returns the value of the header `name`, without blanks before the value (RFC 9110 5.1). NULL: the
// line is another header.
static const char *web_server_header_value(const char *line, const char *name)
{
    const size_t length = strlen(name);
    if (strncasecmp(line, name, length) != 0 || line[length] != ':')
        return NULL;
    line += length + 1;
    return line + strspn(line, " \t");
}

static void web_server_read_headers(struct evbuffer *in, struct web_request *out)
{
    char *line;
    bool more = true;
    *out = (struct web_request){.after = -1};
    while (more && (line = evbuffer_readln(in, NULL, EVBUFFER_EOL_CRLF_STRICT))) {
        const char *host = web_server_header_value(line, "Host"),
                   *id = web_server_header_value(line, "Last-Event-ID");
        more = line[0] != '\0';
        if (host) {
            out->many_hosts |= out->host[0] != '\0' || strlen(host) >= sizeof out->host;
            snprintf(out->host, sizeof out->host, "%s", host);
        }
        if (id && id[0] >= '0' && id[0] <= '9')
            out->after = strtoll(id, NULL, 10);
        free(line);
    }
}

// Whether the host is an IP address, a name without a dot, such as localhost, or a configured name.
static bool web_server_is_near(const struct web_server *server, const struct web_request *request)
{
    char host[sizeof request->host];
    struct in_addr v4;
    snprintf(host, sizeof host, "%s", request->host);
    if (host[0] == '[')
        return !request->many_hosts;
    host[strcspn(host, ": \t")] = '\0';
    return !request->many_hosts && (!strchr(host, '.') || inet_pton(AF_INET, host, &v4) == 1 ||
                                    filter_list_has(&server->hosts, host));
}

// Answers with a document of the page, or lets the client wait for the document.
static void web_server_answer_made(struct web_client *client, const char *path)
{
    const struct web_page *page = &client->server->page;
    struct web_document document = {0};
    if (page->make(page->ctx, path, &document)) {
        web_server_answer(client, "200 OK", PAGE_HEADERS, &document);
    } else {
        snprintf(client->awaited, sizeof client->awaited, "%s", path);
        web_server_await(client, NULL);
    }
}

static void web_server_miss_document(struct web_client *client)
{
    client->awaited[0] = '\0';
    bufferevent_enable(client->stream, EV_READ); // the end of a timeout disabled it
    web_server_answer_text(
        client, "503 Service Unavailable",
        "The journal's disk does not read, or somebody asks ibtrapd for too much.\n");
}

void web_server_take_documents(struct web_server *server)
{
    char path[WEB_PATH_SIZE];
    for (size_t i = 0; i < server->client_count; i++) {
        struct web_client *client = server->clients[i];
        if (client->awaited[0] == '\0')
            continue;
        memcpy(path, client->awaited, sizeof path);
        client->awaited[0] = '\0';
        web_server_answer_made(client, path);
        if (client->ended && client->awaited[0] == '\0')
            evtimer_add(client->deadline, &CLIENT_MAX); // no longer that of the wait
    }
}

static void web_server_answer_events(struct web_client *client, int64_t after)
{
    struct web_server *server = client->server;
    if (followers_are_full(server->followers)) {
        web_server_answer_text(client, "503 Service Unavailable", "Too many follow already.\n");
        return;
    }
    web_server_add_head(client, "200 OK", "text/event-stream",
                        PAGE_HEADERS "X-Accel-Buffering: no\r\n");
    if (client->head_only) {
        web_server_await(client, web_server_on_sent);
    } else {
        followers_add(server->followers, client->stream, after);
        web_server_take_out(client);
        web_server_part(client);
    }
}

// False: it is no request for the page.
static bool web_server_answer_page(struct web_client *client, const char *method, const char *path,
                                   int64_t after)
{
    const struct web_server *server = client->server;
    const struct web_page *page = &server->page;
    if (!server->followers || (!client->head_only && strcmp(method, "GET") != 0) ||
        !page->has(page->ctx, path))
        return false;
    if (strcmp(path, page->events) == 0)
        web_server_answer_events(client, after);
    else
        web_server_answer_made(client, path);
    return true;
}

static void web_server_answer_request(struct web_client *client, char *line)
{
    struct web_request request;
    char *rest, *method = strtok_r(line, " ", &rest), *target = strtok_r(NULL, " ", &rest);
    const char *version = strtok_r(NULL, " ", &rest);
    if (!version || strncmp(version, "HTTP/1.", 7) != 0 || strtok_r(NULL, " ", &rest)) {
        web_server_answer_text(client, "400 Bad Request", "This is not HTTP/1.\n");
        return;
    }
    client->head_only = strcmp(method, "HEAD") == 0;
    client->chunked = strcmp(version, "HTTP/1.0") != 0;
    target[strcspn(target, "?")] = '\0';
    const bool health = web_server_is_health(client->server, target);
    web_server_read_headers(bufferevent_get_input(client->stream), &request);
    if (!web_server_is_near(client->server, &request))
        web_server_answer_text(client, "421 Misdirected Request",
                               "Ask by the address of this host, by a name without a dot, or by a "
                               "name of item 'hosts' in section 'metrics'.\n");
    else if (web_server_answer_page(client, method, target, request.after))
        return;
    else if (strcmp(target, "/metrics") != 0 && strcmp(target, "/") != 0 && !health)
        web_server_answer_text(client, "404 Not Found", "The metrics are at /metrics.\n");
    else if (!client->head_only && strcmp(method, "GET") != 0)
        web_server_answer_text(client, "405 Method Not Allowed",
                               "Only GET and HEAD are served here.\n");
    else if (health)
        web_server_answer_health(client, strcmp(target, "/readyz") == 0);
    else if (target[1] == '\0')
        web_server_answer_text(client, "200 OK", "ibtrapd: the metrics are at /metrics.\n");
    else
        web_server_answer_metrics(client);
}

// Reading.

static bool web_server_has_head(struct evbuffer *in)
{
    static const char END[] = "\r\n\r\n";
    ev_ssize_t at = evbuffer_search(in, END, sizeof END - 1, NULL).pos;
    return at >= 0 && at + (ev_ssize_t)sizeof END - 1 <= WEB_SERVER_REQUEST_MAX;
}

static void web_server_begin_answer(struct web_client *client)
{
    client->stage = STAGE_ANSWERING;
    client->moved_us = clock_now();
}

static void web_server_read_request(struct bufferevent *stream, void *ctx)
{
    struct evbuffer *in = bufferevent_get_input(stream);
    if (web_server_has_head(in)) {
        web_server_begin_answer(ctx);
        char *line = evbuffer_readln(in, NULL, EVBUFFER_EOL_CRLF_STRICT);
        if (line)
            web_server_answer_request(ctx, line);
        free(line);
    } else if (evbuffer_get_length(in) >= WEB_SERVER_REQUEST_MAX) {
        web_server_answer_text(ctx, "431 Request Header Fields Too Large",
                               "The request is too long.\n");
    }
}

static struct web_client *web_server_new_client(struct web_server *server, evutil_socket_t fd)
{
    struct web_client *client = memory_zeroed(1, sizeof *client);
    client->server = server;
    client->stage = STAGE_ASKING;
    client->moved_us = clock_now();
    client->deadline = evtimer_new(server->base, web_server_end_client, client);
    evtimer_add(client->deadline, &CLIENT_MAX);
    client->stream = bufferevent_socket_new(server->base, fd, BEV_OPT_CLOSE_ON_FREE);
    return client;
}

// A client that just came is about to ask. An idle answer loses its place before this client does:
// otherwise each new client would lose its place to the next new client.
static int web_server_rank(const struct web_client *client, int64_t now_us)
{
    const int moves = now_us - client->moved_us < STILL_US ? STAGE_ANSWERING : 0;
    return client->stage == STAGE_ANSWERED ? 0 : (int)client->stage + moves;
}

// Returns the client that loses its place to a further client. Answers under way are broken off
// last. Of equals, the oldest client goes.
static struct web_client *web_server_find_victim(const struct web_server *server)
{
    const int64_t now_us = clock_now();
    struct web_client *victim = server->clients[0];
    for (size_t i = 1; i < server->client_count; i++) {
        if (web_server_rank(server->clients[i], now_us) < web_server_rank(victim, now_us))
            victim = server->clients[i];
    }
    return victim;
}

static void web_server_accept_client(struct evconnlistener *listener, evutil_socket_t fd,
                                     struct sockaddr *address, int length, void *ctx)
{
    (void)listener, (void)address, (void)length;
    struct web_server *server = ctx;
    struct web_client *client = web_server_new_client(server, fd);
    if (server->client_count == WEB_SERVER_CLIENTS_MAX)
        web_server_drop(web_server_find_victim(server));
    server->clients[server->client_count++] = client;
    bufferevent_setcb(client->stream, web_server_read_request, NULL, web_server_client_event,
                      client);
    evbuffer_add_cb(bufferevent_get_output(client->stream), web_server_note_move, client);
    bufferevent_set_max_single_read(client->stream, WEB_SERVER_REQUEST_MAX);
    bufferevent_set_timeouts(client->stream, &IDLE_MAX, &IDLE_MAX);
    bufferevent_enable(client->stream, EV_READ | EV_WRITE);
}

// Listening.

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool web_server_read_address(const char *text, uint16_t port, union address *out)
{
    *out = (union address){0};
    if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons(port);
        return true;
    }
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = htons(port);
    return inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1;
}

static bool web_server_is_loopback(const union address *a)
{
    if (a->any.sa_family == AF_INET)
        return ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

// Without a descriptor for a client, the server accepts no client for a second, like
// control/server.c.
static void web_server_pause(struct evconnlistener *listener, void *ctx)
{
    struct web_server *server = ctx;
    evconnlistener_disable(listener);
    event_add(server->pause, &PAUSE);
}

static void web_server_end_pause(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct web_server *server = ctx;
    evconnlistener_enable(server->listener);
}

static struct evconnlistener *web_server_listen(struct web_server *server, const char *address,
                                                uint16_t port, struct log *log, struct error *err)
{
    enum { FLAGS = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE };
    union address a;
    if (!web_server_read_address(address, port, &a)) {
        error_set(err, "cannot serve metrics at '%s': it is not an IP address", address);
        return NULL;
    }
    struct evconnlistener *listener =
        evconnlistener_new_bind(server->base, web_server_accept_client, server, FLAGS,
                                WEB_SERVER_CLIENTS_MAX, &a.any, sizeof a);
    if (!listener)
        error_set(err, "cannot serve metrics at %s port %u: %s", address, (unsigned)port,
                  strerror(errno));
    else if (!web_server_is_loopback(&a))
        log_write(log, LOG_LEVEL_WARNING,
                  "metrics are served at %s port %u to every host that can reach it, without "
                  "password or encryption",
                  address, (unsigned)port);
    return listener;
}

struct web_server *web_server_start(struct event_base *base, const char *address, uint16_t port,
                                    const struct filter_list *hosts,
                                    const struct web_source *source, void *ctx, struct log *log,
                                    struct error *err)
{
    struct web_server *server = memory_get(sizeof *server);
    *server = (struct web_server){.base = base, .hosts = *hosts, .source = *source, .ctx = ctx};
    server->pause = event_new(base, -1, 0, web_server_end_pause, server);
    server->listener = web_server_listen(server, address, port, log, err);
    if (server->listener) {
        evconnlistener_set_error_cb(server->listener, web_server_pause);
        return server;
    }
    event_free(server->pause);
    free(server);
    return NULL;
}

void web_server_serve_page(struct web_server *server, const struct web_page *page)
{
    server->page = *page;
    server->followers = followers_new(server->base, page->follow, page->ctx);
}

void web_server_stop(struct web_server *server)
{
    if (!server)
        return;
    followers_free(server->followers);
    event_free(server->pause);
    evconnlistener_free(server->listener);
    for (size_t i = 0; i < server->client_count; i++)
        web_server_free_client(server->clients[i]);
    free(server);
}
