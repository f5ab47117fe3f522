// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/client.h"

#include "ctl/protocol.h"

#include <errno.h>
#include <stdio.h>
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
static void ctl_client_tell(const char *path, int why, struct error *err)
{
    if (why == EAGAIN)
        error_set(err, "cannot reach ibtrapd on %s: it accepts no client; look at its log", path);
    else
        error_set(err, "cannot reach ibtrapd on %s: %s%s", path, strerror(why),
                  why == EACCES ? "; run it as root or as a member of the socket's group"
                                : "; is ibtrapd running?");
}

int client_connect(const char *path, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        error_set(err, "cannot make a socket: %s", strerror(errno));
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = CONNECT_WAIT_S},
               sizeof(struct timeval));
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    const int why = errno;
    ctl_client_tell(path, why, err);
    close(fd);
    errno = why;
    return -1;
}

static bool ctl_client_send_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = send(fd, text, size, MSG_NOSIGNAL);
        if (n < 0)
            return false;
        text += n;
        size -= (size_t)n;
    }
    return true;
}

static json_t *read_answer(int fd, struct error *err)
{
    json_error_t why;
    FILE *stream = fdopen(dup(fd), "r");
    json_t *answer = stream ? json_loadf(stream, JSON_DISABLE_EOF_CHECK, &why) : NULL;
    if (stream)
        fclose(stream);
    const char *sentence;
    if (!answer) {
        error_set(err, "ibtrapd sent no valid answer: %s", stream ? why.text : strerror(errno));
    } else if (json_unpack(answer, "{s:s}", "error", &sentence) == 0) {
        error_set(err, "ibtrapd: %s", sentence);
        json_decref(answer);
        answer = NULL;
    }
    return answer;
}

// Makes one line of JSON, which the caller frees, and drops the reference to `request`. NULL: out
// of memory.
static char *ctl_client_make_line(const char *command, json_t *request)
{
    bool ok = json_object_set_new(request, "version", json_integer(PROTOCOL_VERSION)) == 0 &&
              json_object_set_new(request, "command", json_string(command)) == 0;
    char *line = ok ? json_dumps(request, JSON_COMPACT) : NULL;
    json_decref(request);
    return line;
}

json_t *client_request(const char *path, const char *command, json_t *items, struct error *err)
{
    char *line = ctl_client_make_line(command, items);
    int fd = line ? client_connect(path, err) : -1;
    if (!line)
        error_set(err, "out of memory");
    json_t *answer = NULL;
    const int wait_s = strcmp(command, "reload") == 0 ? RELOAD_WAIT_S : WAIT_S;
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = wait_s},
                   sizeof(struct timeval));
        if (ctl_client_send_all(fd, line, strlen(line)) && ctl_client_send_all(fd, "\n", 1))
            answer = read_answer(fd, err);
        else
            error_set(err, "cannot send to ibtrapd: %s", strerror(errno));
        close(fd);
    }
    free(line);
    return answer;
}

bool client_send(const char *path, const char *command, json_t *items, struct error *err)
{
    json_t *answer = client_request(path, command, items, err);
    json_decref(answer);
    return answer != NULL;
}
