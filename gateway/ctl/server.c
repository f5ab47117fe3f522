#include "ctl/server.h"

#include "ctl/client.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct server {
    struct event_base *base;
    struct evconnlistener *listener;
    char path[108];
    server_handler handler;
    void *ctx;
    struct bufferevent *clients[SERVER_CLIENTS_MAX];
};

static const struct timeval IDLE_MAX = {.tv_sec = 60};

static void drop(struct server *server, struct bufferevent *client)
{
    for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++) {
        if (server->clients[i] == client)
            server->clients[i] = NULL;
    }
    bufferevent_free(client);
}

static json_t *failure(const char *sentence)
{
    return json_pack("{s:i, s:s}", "version", SERVER_PROTOCOL, "error", sentence);
}

static json_t *answer(struct server *server, const char *line)
{
    json_error_t why;
    json_t *request = json_loads(line, 0, &why);
    const char *command = NULL;
    int version = 0;
    if (!request)
        return failure("the request is not JSON");
    json_t *result = NULL;
    if (json_unpack(request, "{s:i, s:s}", "version", &version, "command", &command) != 0)
        result = failure("the request needs 'version' and 'command'");
    else if (version != SERVER_PROTOCOL)
        result = failure("this ibtrapd speaks version 1 of the control protocol");
    else
        result = server->handler(server->ctx, command, request);
    json_decref(request);
    return result ? result : failure("unknown command");
}

static void read_lines(struct bufferevent *client, void *ctx)
{
    struct server *server = ctx;
    struct evbuffer *in = bufferevent_get_input(client), *out = bufferevent_get_output(client);
    char *line;
    while (evbuffer_get_length(out) <= SERVER_OUTPUT_MAX &&
           (line = evbuffer_readln(in, NULL, EVBUFFER_EOL_LF)) != NULL) {
        json_t *result = answer(server, line);
        free(line);
        char *text = json_dumps(result, JSON_COMPACT);
        json_decref(result);
        if (text)
            evbuffer_add_printf(out, "%s\n", text);
        free(text);
    }
    if (evbuffer_get_length(in) >= SERVER_LINE_MAX || evbuffer_get_length(out) > SERVER_OUTPUT_MAX)
        drop(server, client);
}

static void answers_sent(struct bufferevent *client, void *ctx)
{
    drop(ctx, client);
}

static void client_event(struct bufferevent *client, short what, void *ctx)
{
    bool waiting = evbuffer_get_length(bufferevent_get_output(client)) > 0;
    if (what == (BEV_EVENT_READING | BEV_EVENT_EOF) && waiting) {
        // It sends no more, but still reads.
        bufferevent_setcb(client, NULL, answers_sent, client_event, ctx);
        return;
    }
    if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR | BEV_EVENT_TIMEOUT))
        drop(ctx, client);
}

static void accept_client(struct evconnlistener *listener, evutil_socket_t fd,
                          struct sockaddr *address, int length, void *ctx)
{
    (void)listener, (void)address, (void)length;
    struct server *server = ctx;
    for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++) {
        if (server->clients[i])
            continue;
        struct bufferevent *client =
            bufferevent_socket_new(server->base, fd, BEV_OPT_CLOSE_ON_FREE);
        if (!client)
            break;
        server->clients[i] = client;
        bufferevent_setcb(client, read_lines, NULL, client_event, server);
        bufferevent_setwatermark(client, EV_READ, 0, SERVER_LINE_MAX);
        bufferevent_set_timeouts(client, &IDLE_MAX, &IDLE_MAX);
        bufferevent_enable(client, EV_READ | EV_WRITE);
        return;
    }
    close(fd); // too many clients, or no memory: this one tries again
}

static bool make_directory(const char *path, struct error *err)
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

static int listen_on(const char *path, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        error_set(err, "cannot make a socket: %s", strerror(errno));
        return -1;
    }
    mode_t old = umask(0117); // 0660 from the first moment on
    int rc = bind(fd, (struct sockaddr *)&address, sizeof address);
    umask(old);
    if (rc == 0 && listen(fd, SERVER_CLIENTS_MAX) == 0)
        return fd;
    error_set(err, "cannot listen on the control socket %s: %s", path, strerror(errno));
    close(fd);
    return -1;
}

// What is no socket is not ours to remove: bind will say that the path is in use.
static void remove_dead_socket(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
        unlink(path);
}

struct server *server_start(struct event_base *base, const char *path, server_handler handler,
                            void *ctx, struct error *err)
{
    struct error ignored;
    int other = client_connect(path, &ignored);
    if (other >= 0) {
        close(other);
        error_set(err, "another ibtrapd already serves the control socket %s; give this one its own "
                       "(item 'socket' of section 'control'), and a state directory of its own", path);
        return NULL;
    }
    remove_dead_socket(path);
    int fd = make_directory(path, err) ? listen_on(path, err) : -1;
    struct server *server = fd < 0 ? NULL : calloc(1, sizeof *server);
    if (!server) {
        if (fd >= 0) {
            error_set(err, "out of memory");
            close(fd);
        }
        return NULL;
    }
    *server = (struct server){.base = base, .handler = handler, .ctx = ctx};
    snprintf(server->path, sizeof server->path, "%s", path);
    server->listener = evconnlistener_new(base, accept_client, server, LEV_OPT_CLOSE_ON_FREE, -1, fd);
    if (!server->listener) {
        error_set(err, "cannot listen on the control socket %s: out of memory", path);
        close(fd);
        free(server);
        return NULL;
    }
    return server;
}

void server_stop(struct server *server)
{
    if (!server)
        return;
    evconnlistener_free(server->listener);
    unlink(server->path);
    for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++) {
        if (server->clients[i])
            bufferevent_free(server->clients[i]);
    }
    free(server);
}
