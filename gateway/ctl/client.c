// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/client.h"

#include "base/clock.h"
#include "base/memory.h"
#include "ctl/progress.h"
#include "ctl/protocol.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    CONNECT_WAIT_S = 5, // while the daemon accepts nobody, and more clients wait than may
    WAIT_S = 10,
    RELOAD_WAIT_S = 30, // a reload gives receivers ten seconds to end
};

// Says why nobody can be reached.
static void client_tell(const char *path, int why, struct error *err)
{
    if (why == EAGAIN)
        error_set(err, "cannot reach ibtrapd on %s: it accepts no client; look at its log", path);
    else
        error_set(err, "cannot reach ibtrapd on %s: %s%s", path, strerror(why),
                  why == EACCES ? "; run it as root or as a member of the socket's group"
                                : "; is ibtrapd running?");
}

// `at_once`: fails at once if the daemon has no room for another waiting client.
static int client_try(const char *path, bool at_once, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (at_once ? SOCK_NONBLOCK : 0), 0);
    if (fd < 0) {
        error_set(err, "cannot make a socket: %s", strerror(errno));
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = CONNECT_WAIT_S},
               sizeof(struct timeval));
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    const int why = errno;
    client_tell(path, why, err);
    close(fd);
    errno = why;
    return -1;
}

int client_connect(const char *path, struct error *err)
{
    return client_try(path, false, err);
}

// A request under way.
struct exchange {
    int fd; // does not block
    int64_t patience_us, until_us;
    const struct client_idle *idle; // NULL: nothing is done meanwhile
    int why;                        // the errno of the failure; ECANCELED: it was given up
};

// Waits until poll(2) reports that the socket may be read or written. False: the time is over, or
// the caller gave up.
static bool client_wait(struct exchange *x, short events)
{
    const int64_t left_us = x->until_us - clock_now();
    x->why = left_us > 0 ? 0 : ETIMEDOUT;
    if (x->why == 0 && x->idle && !x->idle->wait(x->idle->ctx, x->fd, events))
        x->why = ECANCELED;
    else if (x->why == 0 && !x->idle)
        poll(&(struct pollfd){.fd = x->fd, .events = events}, 1, (int)(left_us / 1000) + 1);
    return x->why == 0;
}

// Judges what send or recv returned. True: it is to be called again.
static bool client_again(struct exchange *x, ssize_t n, short events)
{
    if (n >= 0) {
        x->until_us = clock_now() + x->patience_us;
        return false;
    }
    x->why = errno;
    return errno == EINTR || (errno == EAGAIN && client_wait(x, events));
}

static bool client_send_all(struct exchange *x, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = send(x->fd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && !client_again(x, n, POLLOUT))
            return false;
        text += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static size_t client_receive(void *out, size_t size, void *ctx)
{
    struct exchange *x = ctx;
    ssize_t n;
    do
        n = recv(x->fd, out, size, MSG_DONTWAIT);
    while (client_again(x, n, POLLIN));
    return n < 0 ? (size_t)-1 : (size_t)n;
}

static json_t *client_read_answer(struct exchange *x, struct error *err)
{
    json_error_t why;
    json_t *answer = json_load_callback(client_receive, x, JSON_DISABLE_EOF_CHECK, &why);
    const char *sentence;
    if (!answer && (x->why == ETIMEDOUT || x->why == ECANCELED)) {
        error_set(err, "ibtrapd does not answer; look at its log");
    } else if (!answer) {
        error_set(err, "ibtrapd sent no valid answer: %s", why.text);
    } else if (json_unpack(answer, "{s:s}", "error", &sentence) == 0) {
        error_set(err, "ibtrapd: %s", sentence);
        json_decref(answer);
        answer = NULL;
    }
    return answer;
}

// Makes one line of JSON, and drops the reference to `request`. The caller frees the line.
static char *client_make_line(const char *command, json_t *request)
{
    json_object_set_new(request, "version", json_integer(PROTOCOL_VERSION));
    json_object_set_new(request, "command", json_string(command));
    char *line = memory_need(json_dumps(request, JSON_COMPACT));
    json_decref(request);
    return line;
}

// Connects like client_connect. Calls `idle` of the request while the daemon has no room for
// another waiting client.
static int client_reach(struct exchange *x, const char *path, struct error *err)
{
    x->until_us = clock_now() + CONNECT_WAIT_S * CLOCK_US_PER_S;
    int fd = client_try(path, x->idle != NULL, err);
    while (fd < 0 && errno == EAGAIN && x->idle && client_wait(x, 0))
        fd = client_try(path, true, err);
    return fd;
}

json_t *client_request_idly(const char *path, const char *command, json_t *items,
                            const struct client_idle *idle, struct error *err)
{
    if (!items) {
        error_set(err, "the request is not UTF-8");
        return NULL;
    }
    char *line = client_make_line(command, items);
    const int wait_s = strcmp(command, "reload") == 0 ? RELOAD_WAIT_S : WAIT_S;
    struct exchange x = {.fd = -1, .patience_us = wait_s * CLOCK_US_PER_S, .idle = idle};
    const int fd = client_reach(&x, path, err);
    json_t *answer = NULL;
    if (fd >= 0) {
        x.fd = fd;
        x.until_us = clock_now() + x.patience_us;
        if (client_send_all(&x, line, strlen(line)) && client_send_all(&x, "\n", 1))
            answer = client_read_answer(&x, err);
        else
            error_set(err, "cannot send to ibtrapd: %s", strerror(x.why));
        close(fd);
    }
    free(line);
    return answer;
}

json_t *client_request(const char *path, const char *command, json_t *items, struct error *err)
{
    struct progress *progress =
        progress_begin(&(struct progress_task){.what = "waiting for ibtrapd"});
    json_t *answer = client_request_idly(path, command, items, NULL, err);
    progress_end(progress);
    return answer;
}

bool client_each_page(const char *path, const char *command, json_t *items, client_take *take,
                      void *ctx, struct error *err)
{
    bool ok, more;
    do {
        json_t *page = client_request(path, command, json_copy(items), err);
        json_t *next = json_object_get(page, "more");
        ok = page && take(ctx, page, err);
        more = ok && next && json_object_update(items, next) == 0;
        json_decref(page);
    } while (more);
    json_decref(items);
    return ok;
}
