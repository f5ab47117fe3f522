// SPDX-License-Identifier: BSD-2-Clause
#include "control/server.h"
#include "ctl/protocol.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/secret.h"
#include "control/answer.h"
#include "ctl/client.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum rank { RANK_STRANGER, RANK_MEMBER, RANK_ROOT };

struct client {
    struct server *server;
    struct bufferevent *stream; // NULL: this place is free
    struct peer_credentials credentials;
    enum rank rank;
    uint64_t turn;       // of its last request, or of its arrival
    struct asked *asked; // the request that a worker answers; NULL: there is none
    bool ended;          // it sends no more, but still reads
};

// A request that a worker answers.
struct asked {
    struct worker_job job;
    struct worker *worker;
    struct client *client; // NULL: nobody waits for the answer any longer
    struct event *patience;
    void *work;
    struct server_later later;
};

struct server {
    struct server_options options;
    struct evconnlistener *listener;
    struct event *pause; // ends a pause of the listener
    char path[108];
    struct client clients[SERVER_CLIENTS_MAX];
    uint64_t turns; // requests and arrivals so far
    struct log_limit refusals, crowds;
};

static const struct timeval IDLE_MAX = {.tv_sec = 60}, PAUSE = {.tv_sec = 1};

// Drops the reference to the answer.
static void server_write(struct client *client, json_t *answer)
{
    answer_write(answer, bufferevent_get_output(client->stream));
    json_decref(answer);
}

// Requests that workers answer.

static void server_asked_free(struct asked *asked)
{
    if (asked->patience)
        event_free(asked->patience);
    free(asked);
}

// Nobody wants the answer. Not while the worker has the job.
static void server_asked_end(struct asked *asked)
{
    asked->later.end(asked->work, NULL);
    server_asked_free(asked);
}

// The client does not wait for its answer any longer.
static struct asked *server_asked_part(struct client *client)
{
    struct asked *asked = client->asked;
    client->asked = NULL;
    asked->client = NULL;
    event_free(asked->patience);
    asked->patience = NULL;
    return asked;
}

static void server_asked_give_up(struct client *client)
{
    struct asked *asked = server_asked_part(client);
    if (worker_take_back(asked->worker, &asked->job) != WORKER_RUNS)
        server_asked_end(asked);
}

static void server_drop_client(struct client *client)
{
    if (client->asked)
        server_asked_give_up(client);
    bufferevent_free(client->stream);
    client->stream = NULL;
}

// Adds the last line for a client that waits for a worker: the answer, if the worker has just made
// the answer; otherwise why there is no answer, and whether the request was begun.
static void server_asked_dismiss(struct client *client, const char *why)
{
    struct evbuffer *out = bufferevent_get_output(client->stream);
    struct asked *asked = server_asked_part(client);
    const enum worker_state state = worker_take_back(asked->worker, &asked->job);
    if (state != WORKER_RAN)
        server_write(
            client, answer_refuse("%s; %s", why,
                                  state == WORKER_RUNS
                                      ? "this request may be done or not: look before you ask again"
                                      : "this request was not begun: ask again"));
    if (state == WORKER_RUNS)
        return;
    asked->later.end(asked->work, state == WORKER_RAN ? out : NULL);
    server_asked_free(asked);
}

// Drops the client. A client that waits for a worker gets a last line, if the socket takes the line
// at once.
static void server_dismiss_client(struct client *client, const char *why)
{
    struct evbuffer *out = bufferevent_get_output(client->stream);
    if (client->asked) {
        server_asked_dismiss(client, why);
        evbuffer_unfreeze(out, 1); // without this, only the loop of libevent may write the buffer
        evbuffer_write(out, bufferevent_getfd(client->stream));
    }
    server_drop_client(client);
}

static void server_go_on(struct client *client);

static void server_asked_run(struct worker_job *job)
{
    const struct asked *asked = WORKER_THING(job, struct asked);
    asked->later.work(asked->work);
}

static void server_asked_done(struct worker_job *job)
{
    struct asked *asked = WORKER_THING(job, struct asked);
    struct client *client = asked->client;
    asked->later.end(asked->work, client ? bufferevent_get_output(client->stream) : NULL);
    server_asked_free(asked);
    if (!client)
        return;
    client->asked = NULL;
    server_go_on(client);
}

static void server_asked_is_late(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct client *client = ctx;
    struct asked *asked = client->asked;
    // In one step: otherwise the job might begin after the client was told the contrary.
    const enum worker_state state = worker_take_back(asked->worker, &asked->job);
    if (state == WORKER_RAN) {
        server_asked_done(&asked->job);
        return;
    }
    json_t *why = answer_refuse("%s", asked->later.late(asked->work, state == WORKER_RUNS));
    server_asked_part(client);
    if (state == WORKER_WAITS)
        server_asked_end(asked);
    server_write(client, why);
    server_go_on(client);
}

// Call server_asked_put next.
static void server_asked_begin(struct client *client, struct worker *worker, const char *command,
                               json_t *request)
{
    const struct server_options *o = &client->server->options;
    const struct server_later *later = &o->later;
    client->asked = memory_get(sizeof *client->asked);
    *client->asked =
        (struct asked){.job = {.run = server_asked_run, .done = server_asked_done},
                       .worker = worker,
                       .client = client,
                       .patience = evtimer_new(o->base, server_asked_is_late, client),
                       .work = later->begin(o->ctx, &client->credentials, command, request),
                       .later = *later};
}

// From now on the request is the worker's alone. False: the worker has stopped.
static bool server_asked_put(struct client *client)
{
    struct asked *asked = client->asked;
    const int64_t patience_us = asked->later.patience_us(asked->work);
    const struct timeval patience = {.tv_sec = patience_us / CLOCK_US_PER_S,
                                     .tv_usec = patience_us % CLOCK_US_PER_S};
    event_add(asked->patience, &patience);
    if (worker_put(asked->worker, &asked->job))
        return true;
    client->asked = NULL;
    server_asked_end(asked);
    return false;
}

// Requests.

// Whether the client may send the command. Logs each command that writes, with the user.
static bool server_may_run(struct client *client, const char *command)
{
    struct server *server = client->server;
    const struct peer_credentials *credentials = &client->credentials;
    if (server->options.reads_only(command))
        return true;
    if (credentials->privileged)
        log_write(server->options.log, LOG_LEVEL_INFO, "command '%.32s' of user %u, process %d",
                  command, (unsigned)credentials->uid, (int)credentials->pid);
    else
        log_write_limited(server->options.log, &server->refusals, LOG_LEVEL_WARNING,
                          "refused the command '%.32s' of user %u, process %d", command,
                          (unsigned)credentials->uid, (int)credentials->pid);
    return credentials->privileged;
}

// Returns NULL if a worker will answer.
static json_t *server_run_command(struct client *client, const char *command, json_t *request)
{
    const struct server_options *o = &client->server->options;
    if (!server_may_run(client, command))
        return answer_refuse("only root and the members of the control socket's group may do that");
    struct worker *worker = o->later.worker_of ? o->later.worker_of(o->ctx, command) : NULL;
    if (worker) {
        server_asked_begin(client, worker, command, request);
        return NULL;
    }
    json_t *result = o->handler(o->ctx, &client->credentials, command, request);
    log_debug(o->log, "%s '%.32s' of user %u, process %d", result ? "answered" : "unknown command",
              command, (unsigned)client->credentials.uid, (int)client->credentials.pid);
    return result ? result : answer_refuse("unknown command");
}

static json_t *server_answer_text(struct client *client, const char *line)
{
    json_error_t why;
    json_t *request = json_loads(line, 0, &why);
    const char *command = NULL;
    int version = 0;
    if (!request)
        return answer_refuse("the request is not JSON");
    json_t *result = NULL;
    if (json_unpack(request, "{s:i, s:s}", "version", &version, "command", &command) != 0)
        result = answer_refuse("the request needs 'version' and 'command'");
    else if (version != PROTOCOL_VERSION)
        result = answer_refuse("this ibtrapd speaks version 1 of the control protocol");
    else
        result = server_run_command(client, command, request);
    json_decref(request);
    return result;
}

static void server_answer_line(struct client *client, const char *line)
{
    client->turn = ++client->server->turns;
    json_t *result = server_answer_text(client, line);
    if (client->asked && server_asked_put(client))
        return;
    server_write(client, result ? result : answer_refuse("ibtrapd is stopping"));
}

static void server_read_lines(struct bufferevent *stream, void *ctx)
{
    struct client *client = ctx;
    struct evbuffer *in = bufferevent_get_input(stream), *out = bufferevent_get_output(stream);
    char *line;
    size_t length;
    bool too_long = false;
    while (!client->asked && !too_long && evbuffer_get_length(out) <= SERVER_OUTPUT_MAX &&
           (line = evbuffer_readln(in, &length, EVBUFFER_EOL_LF)) != NULL) {
        too_long = length >= PROTOCOL_LINE_MAX;
        if (!too_long)
            server_answer_line(client, line);
        secret_release(line);
    }
    const bool full = evbuffer_get_length(in) >= PROTOCOL_LINE_MAX;
    if (too_long || (full && !client->asked) || evbuffer_get_length(out) > SERVER_OUTPUT_MAX)
        server_drop_client(client);
    else if (full)
        bufferevent_disable(stream, EV_READ); // until the worker has answered
}

static void server_end_client(struct bufferevent *stream, void *ctx)
{
    (void)stream;
    server_drop_client(ctx);
}

// Whether the client has closed its socket: it also reads no more.
static bool server_has_left(struct bufferevent *stream)
{
    struct pollfd p = {.fd = bufferevent_getfd(stream)};
    return poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLERR));
}

static void server_client_event(struct bufferevent *stream, short what, void *ctx)
{
    struct client *client = ctx;
    bool waiting = evbuffer_get_length(bufferevent_get_output(stream)) > 0;
    if (what == (BEV_EVENT_READING | BEV_EVENT_EOF) && client->asked && !server_has_left(stream)) {
        client->ended = true;
        return;
    }
    if (what == (BEV_EVENT_READING | BEV_EVENT_EOF) && !client->asked && waiting) {
        // The client sends no more, but still reads.
        bufferevent_setcb(stream, NULL, server_end_client, server_client_event, ctx);
        return;
    }
    if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR | BEV_EVENT_TIMEOUT))
        server_drop_client(ctx);
}

// The worker has answered: goes on with the requests sent meanwhile.
static void server_go_on(struct client *client)
{
    if (!client->ended)
        bufferevent_enable(client->stream, EV_READ);
    server_read_lines(client->stream, client);
    if (client->stream && client->ended && !client->asked)
        server_client_event(client->stream, BEV_EVENT_READING | BEV_EVENT_EOF, client);
}

// Places.

static enum rank server_rank_of(const struct peer_credentials *credentials)
{
    if (!credentials->privileged)
        return RANK_STRANGER;
    bool is_root = credentials->uid == 0 || credentials->uid == geteuid();
    return is_root ? RANK_ROOT : RANK_MEMBER;
}

static bool server_is_idle(const struct client *client)
{
    return evbuffer_get_length(bufferevent_get_output(client->stream)) == 0;
}

// Whether `a` loses its place before `b`. `b` may be NULL.
static bool server_goes_before(const struct client *a, const struct client *b)
{
    return !b || a->rank < b->rank || (a->rank == b->rank && a->turn < b->turn);
}

// Finds a place for a client with the credentials: a free place, or the place of a client that has
// to go. A stranger with SERVER_STRANGER_MAX clients gets the place of the client that was silent
// longest. NULL: there is no place.
static struct client *server_find_place(struct server *server,
                                        const struct peer_credentials *credentials)
{
    const enum rank rank = server_rank_of(credentials);
    struct client *free_place = NULL, *found = NULL, *own = NULL;
    size_t own_count = 0;
    for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++) {
        struct client *c = &server->clients[i];
        const bool is_own = c->stream && rank == RANK_STRANGER && c->rank == rank &&
                            c->credentials.uid == credentials->uid;
        own_count += is_own;
        if (!c->stream)
            free_place = c;
        else if ((c->rank < rank || (c->rank == rank && server_is_idle(c))) &&
                 server_goes_before(c, found))
            found = c;
        if (is_own && server_goes_before(c, own))
            own = c;
    }
    if (own_count >= SERVER_STRANGER_MAX)
        return own;
    return free_place ? free_place : found;
}

// Drops `client`, to make room for a client with the credentials `other`.
static void server_crowd_out(struct client *client, const struct peer_credentials *other)
{
    struct server *server = client->server;
    log_write_limited(
        server->options.log, &server->crowds, LOG_LEVEL_WARNING,
        "too many clients of the control socket: user %u, process %d loses its place, "
        "%s, to user %u, process %d",
        (unsigned)client->credentials.uid, (int)client->credentials.pid,
        client->asked ? "waiting for an answer" : "silent", (unsigned)other->uid, (int)other->pid);
    server_dismiss_client(client, "ibtrapd has too many clients and gave this place to another");
}

static struct client *server_make_place(struct server *server,
                                        const struct peer_credentials *credentials)
{
    struct client *place = server_find_place(server, credentials);
    if (place && place->stream)
        server_crowd_out(place, credentials);
    return place;
}

// Returns NULL if there is no place.
static struct client *server_admit_client(struct server *server, evutil_socket_t fd)
{
    const struct server_options *o = &server->options;
    struct error err;
    struct peer_credentials credentials;
    gid_t group = o->group == SERVER_OWN_GROUP ? getegid() : o->group;
    if (!peer_credentials_read(fd, group, &credentials, &err)) {
        log_write(o->log, LOG_LEVEL_ERROR, "control socket: %s", err.text);
        return NULL;
    }
    struct client *client = server_make_place(server, &credentials);
    if (!client)
        return NULL;
    client->credentials = credentials;
    client->rank = server_rank_of(&credentials);
    client->turn = ++server->turns;
    client->ended = false;
    client->stream = bufferevent_socket_new(o->base, fd, BEV_OPT_CLOSE_ON_FREE);
    return client;
}

static void server_accept_client(struct evconnlistener *listener, evutil_socket_t fd,
                                 struct sockaddr *address, int length, void *ctx)
{
    (void)listener, (void)address, (void)length;
    struct client *client = server_admit_client(ctx, fd);
    if (client) {
        bufferevent_setcb(client->stream, server_read_lines, NULL, server_client_event, client);
        bufferevent_set_max_single_read(client->stream, PROTOCOL_LINE_MAX);
        bufferevent_set_timeouts(client->stream, &IDLE_MAX, &IDLE_MAX);
        bufferevent_enable(client->stream, EV_READ | EV_WRITE);
        return;
    }
    close(fd); // too many clients: the client may try again
}

// Without a descriptor for a client, accepts none for a second: trying again at once would keep
// this thread busy.
static void server_pause(struct evconnlistener *listener, void *ctx)
{
    struct server *server = ctx;
    evconnlistener_disable(listener);
    event_add(server->pause, &PAUSE);
}

static void server_end_pause(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct server *server = ctx;
    evconnlistener_enable(server->listener);
}

static bool server_make_directory(const char *path, struct error *err)
{
    char directory[108];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    if (!slash || slash == directory)
        return true;
    *slash = '\0';
    if (mkdir(directory, 0755) == 0 || errno == EEXIST)
        return true;
    return error_set(err, "cannot make the directory %s for the control socket: %s", directory,
                     strerror(errno));
}

static bool server_give_to_group(const char *path, gid_t group, struct error *err)
{
    if (group == SERVER_OWN_GROUP || lchown(path, (uid_t)-1, group) == 0)
        return true;
    const char *hint = errno == EPERM ? "; the user that runs ibtrapd must be a member of it" : "";
    return error_set(err, "cannot give the control socket %s to the group %u: %s%s", path,
                     (unsigned)group, strerror(errno), hint);
}

static int server_listen_on(const char *path, gid_t group, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        error_set(err, "cannot make a socket: %s", strerror(errno));
        return -1;
    }
    mode_t old = umask(0117); // the socket has mode 0660 from its creation on
    int rc = bind(fd, (struct sockaddr *)&address, sizeof address);
    umask(old);
    bool given = rc == 0 && server_give_to_group(path, group, err);
    if (given && listen(fd, SERVER_CLIENTS_MAX) == 0)
        return fd;
    if (rc != 0 || given)
        error_set(err, "cannot listen on the control socket %s: %s", path, strerror(errno));
    if (rc == 0)
        unlink(path);
    close(fd);
    return -1;
}

static struct server *server_make(const struct server_options *options, int fd, struct error *err)
{
    struct server *server = memory_zeroed(1, sizeof *server);
    server->options = *options;
    snprintf(server->path, sizeof server->path, "%s", options->path);
    for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++)
        server->clients[i].server = server;
    server->pause = event_new(options->base, -1, 0, server_end_pause, server);
    server->listener = evconnlistener_new(options->base, server_accept_client, server,
                                          LEV_OPT_CLOSE_ON_FREE, -1, fd);
    if (server->listener) {
        evconnlistener_set_error_cb(server->listener, server_pause);
        return server;
    }
    error_set(err, "cannot listen on the control socket %s: %s", options->path, strerror(errno));
    event_free(server->pause);
    free(server);
    return NULL;
}

static void *server_resize(void *old, size_t size)
{
    return memory_resize(old, 1, size);
}

void server_own_memory(void)
{
    event_set_mem_functions(memory_get, server_resize, secret_release);
    json_set_alloc_funcs(memory_get, secret_release);
}

struct server *server_start(const struct server_options *options, struct error *err)
{
    const char *path = options->path;
    struct error ignored;
    int other = client_connect(path, &ignored);
    if (other >= 0) {
        close(other);
        error_set(err,
                  "another ibtrapd already serves the control socket %s; give this one its own "
                  "(item 'socket' of section 'control'), and a state directory of its own",
                  path);
        return NULL;
    }
    // Nobody listens on a socket here. A file of another type stays, and bind reports the path as
    // in use.
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
        unlink(path);
    int fd = server_make_directory(path, err) ? server_listen_on(path, options->group, err) : -1;
    struct server *server = fd >= 0 ? server_make(options, fd, err) : NULL;
    if (!server && fd >= 0)
        close(fd);
    return server;
}

void server_dismiss(struct server *server)
{
    for (size_t i = 0; server && i < SERVER_CLIENTS_MAX; i++) {
        if (server->clients[i].stream)
            server_dismiss_client(&server->clients[i], "ibtrapd stops");
    }
}

void server_stop(struct server *server)
{
    if (!server)
        return;
    event_free(server->pause);
    evconnlistener_free(server->listener);
    unlink(server->path);
    for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++) {
        if (server->clients[i].stream)
            server_drop_client(&server->clients[i]);
    }
    free(server);
}
