// SPDX-License-Identifier: BSD-2-Clause
#include "metrics/metrics_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static const char TEXT[] = "text/plain; charset=utf-8";
static const char METRICS[] = "text/plain; version=0.0.4; charset=utf-8";
static const struct timeval IDLE_MAX = {.tv_sec = METRICS_SERVER_IDLE_S}, PAUSE = {.tv_sec = 1};

struct metrics_server {
    struct event_base *base;
    struct evconnlistener *listener;
    struct event *pause; // ends a pause of the listener
    metrics_renderer render;
    metrics_judge judge; // NULL: no verdict is served
    void *ctx;
    struct bufferevent *clients[METRICS_SERVER_CLIENTS_MAX]; // oldest first
    size_t client_count;
};

static void metrics_server_drop(struct metrics_server *server, struct bufferevent *client)
{
    size_t i = 0;
    while (server->clients[i] != client)
        i++;
    server->client_count--;
    memmove(&server->clients[i], &server->clients[i + 1],
            (server->client_count - i) * sizeof(struct bufferevent *));
    bufferevent_free(client);
}

// Answering.

static void metrics_server_discard(struct bufferevent *client, void *ctx)
{
    (void)ctx;
    struct evbuffer *in = bufferevent_get_input(client);
    evbuffer_drain(in, evbuffer_get_length(in));
}

static void metrics_server_client_event(struct bufferevent *client, short what, void *ctx)
{
    (void)what; // the client has closed, or the time is over
    metrics_server_drop(ctx, client);
}

// Ends our side only, and waits for the client to close: closing while it still sends would reset
// the connection, and it could lose the answer.
static void answer_sent(struct bufferevent *client, void *ctx)
{
    shutdown(bufferevent_getfd(client), SHUT_WR);
    bufferevent_setcb(client, metrics_server_discard, NULL, metrics_server_client_event, ctx);
}

// `head_only`: the request is HEAD, whose answer has no body, but the headers of the one that GET
// gets (RFC 9110 9.3.2).
static void metrics_server_answer(struct metrics_server *server, struct bufferevent *client,
                                  bool head_only, const char *status, const char *type,
                                  const char *body, size_t size)
{
    struct evbuffer *out = bufferevent_get_output(client);
    evbuffer_add_printf(
        out,
        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%sConnection: close\r\n\r\n",
        status, type, size, strncmp(status, "405", 3) == 0 ? "Allow: GET, HEAD\r\n" : "");
    if (!head_only)
        evbuffer_add(out, body, size);
    bufferevent_setcb(client, metrics_server_discard, answer_sent, metrics_server_client_event,
                      server);
    metrics_server_discard(client, server);
}

static void answer_text(struct metrics_server *server, struct bufferevent *client, bool head_only,
                        const char *status, const char *body)
{
    metrics_server_answer(server, client, head_only, status, TEXT, body, strlen(body));
}

static void answer_metrics(struct metrics_server *server, struct bufferevent *client,
                           bool head_only)
{
    size_t size;
    char *text = server->render(server->ctx, &size);
    if (text)
        metrics_server_answer(server, client, head_only, "200 OK", METRICS, text, size);
    else
        answer_text(server, client, head_only, "500 Internal Server Error",
                    "ibtrapd is out of memory.\n");
    free(text);
}

static bool is_health(const struct metrics_server *server, const char *target)
{
    return server->judge && (strcmp(target, "/healthz") == 0 || strcmp(target, "/readyz") == 0);
}

static void answer_health(struct metrics_server *server, struct bufferevent *client, bool head_only,
                          bool ready)
{
    char line[METRICS_SERVER_VERDICT_SIZE];
    bool good = server->judge(server->ctx, ready, line, sizeof line);
    answer_text(server, client, head_only, good ? "200 OK" : "503 Service Unavailable", line);
}

static void answer_request(struct metrics_server *server, struct bufferevent *client, char *line)
{
    char *rest, *method = strtok_r(line, " ", &rest), *target = strtok_r(NULL, " ", &rest);
    const char *version = strtok_r(NULL, " ", &rest);
    if (!version || strncmp(version, "HTTP/1.", 7) != 0 || strtok_r(NULL, " ", &rest)) {
        answer_text(server, client, false, "400 Bad Request", "This is not HTTP/1.\n");
        return;
    }
    bool head_only = strcmp(method, "HEAD") == 0;
    target[strcspn(target, "?")] = '\0';
    if (strcmp(target, "/metrics") != 0 && strcmp(target, "/") != 0 && !is_health(server, target))
        answer_text(server, client, head_only, "404 Not Found", "The metrics are at /metrics.\n");
    else if (!head_only && strcmp(method, "GET") != 0)
        answer_text(server, client, false, "405 Method Not Allowed",
                    "Only GET and HEAD are served here.\n");
    else if (is_health(server, target))
        answer_health(server, client, head_only, strcmp(target, "/readyz") == 0);
    else if (target[1] == '\0')
        answer_text(server, client, head_only, "200 OK", "ibtrapd: the metrics are at /metrics.\n");
    else
        answer_metrics(server, client, head_only);
}

// Reading.

static bool has_head(struct evbuffer *in)
{
    static const char END[] = "\r\n\r\n";
    ev_ssize_t at = evbuffer_search(in, END, sizeof END - 1, NULL).pos;
    return at >= 0 && at + (ev_ssize_t)sizeof END - 1 <= METRICS_SERVER_REQUEST_MAX;
}

static void read_request(struct bufferevent *client, void *ctx)
{
    struct evbuffer *in = bufferevent_get_input(client);
    if (has_head(in)) {
        char *line = evbuffer_readln(in, NULL, EVBUFFER_EOL_CRLF_STRICT);
        if (line)
            answer_request(ctx, client, line);
        free(line);
    } else if (evbuffer_get_length(in) >= METRICS_SERVER_REQUEST_MAX) {
        answer_text(ctx, client, false, "431 Request Header Fields Too Large",
                    "The request is too long.\n");
    }
}

static void metrics_server_accept_client(struct evconnlistener *listener, evutil_socket_t fd,
                                         struct sockaddr *address, int length, void *ctx)
{
    (void)listener, (void)address, (void)length;
    struct metrics_server *server = ctx;
    struct bufferevent *client = bufferevent_socket_new(server->base, fd, BEV_OPT_CLOSE_ON_FREE);
    if (!client) {
        evutil_closesocket(fd);
        return;
    }
    if (server->client_count == METRICS_SERVER_CLIENTS_MAX)
        metrics_server_drop(server, server->clients[0]);
    server->clients[server->client_count++] = client;
    bufferevent_setcb(client, read_request, NULL, metrics_server_client_event, server);
    // A watermark would do the same, but libevent 2.1 crashes if it has no memory for one.
    bufferevent_set_max_single_read(client, METRICS_SERVER_REQUEST_MAX);
    bufferevent_set_timeouts(client, &IDLE_MAX, &IDLE_MAX);
    bufferevent_enable(client, EV_READ | EV_WRITE);
}

// Listening.

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool read_address(const char *text, uint16_t port, union address *out)
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

static bool is_loopback(const union address *a)
{
    if (a->any.sa_family == AF_INET)
        return ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

// Without a descriptor for a client, accepts none for a second, as control/server.c does.
static void metrics_server_pause(struct evconnlistener *listener, void *ctx)
{
    struct metrics_server *server = ctx;
    evconnlistener_disable(listener);
    event_add(server->pause, &PAUSE);
}

static void metrics_server_end_pause(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct metrics_server *server = ctx;
    evconnlistener_enable(server->listener);
}

static struct evconnlistener *listen_at(struct metrics_server *server, const char *address,
                                        uint16_t port, struct log *log, struct error *err)
{
    enum { FLAGS = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE };
    union address a;
    if (!read_address(address, port, &a)) {
        error_set(err, "cannot serve metrics at '%s': it is not an IP address", address);
        return NULL;
    }
    struct evconnlistener *listener =
        evconnlistener_new_bind(server->base, metrics_server_accept_client, server, FLAGS,
                                METRICS_SERVER_CLIENTS_MAX, &a.any, sizeof a);
    if (!listener)
        error_set(err, "cannot serve metrics at %s port %u: %s", address, (unsigned)port,
                  strerror(errno));
    else if (!is_loopback(&a))
        log_write(log, LOG_LEVEL_WARNING,
                  "metrics are served at %s port %u to every host that can reach it, without "
                  "password or encryption",
                  address, (unsigned)port);
    return listener;
}

struct metrics_server *metrics_server_start(struct event_base *base, const char *address,
                                            uint16_t port, metrics_renderer render, void *ctx,
                                            struct log *log, struct error *err)
{
    struct metrics_server *server = calloc(1, sizeof *server);
    if (!server) {
        error_set(err, "out of memory");
        return NULL;
    }
    *server = (struct metrics_server){.base = base, .render = render, .ctx = ctx};
    server->pause = event_new(base, -1, 0, metrics_server_end_pause, server);
    if (server->pause)
        server->listener = listen_at(server, address, port, log, err);
    else
        error_set(err, "out of memory");
    if (server->listener) {
        evconnlistener_set_error_cb(server->listener, metrics_server_pause);
        return server;
    }
    if (server->pause)
        event_free(server->pause);
    free(server);
    return NULL;
}

void metrics_server_serve_health(struct metrics_server *server, metrics_judge judge)
{
    server->judge = judge;
}

void metrics_server_stop(struct metrics_server *server)
{
    if (!server)
        return;
    event_free(server->pause);
    evconnlistener_free(server->listener);
    while (server->client_count > 0)
        metrics_server_drop(server, server->clients[0]);
    free(server);
}
