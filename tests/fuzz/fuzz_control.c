// A client of the control socket that sends any octets: every line gets one answer, and the server
// stays.
#include "fuzz.h"

#include "ctl/client.h"
#include "ctl/server.h"

#include <event2/event.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char directory[] = "/tmp/ibtrapd-fuzz-XXXXXX", path[sizeof directory + 8];
static struct event_base *base;
static struct server *server;

static json_t *handle(void *ctx, const char *command, const json_t *request)
{
    (void)ctx;
    REQUIRE(json_is_object(request));
    return strcmp(command, "status") == 0 ? json_pack("{s:i}", "version", SERVER_PROTOCOL) : NULL;
}

static void stop(void)
{
    server_stop(server);
    event_base_free(base);
    rmdir(directory);
}

static void start(void)
{
    struct error err;
    REQUIRE(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/ctl", directory);
    base = event_base_new();
    REQUIRE(base);
    server = server_start(base, path, handle, NULL, &err);
    REQUIRE(server);
    atexit(stop);
}

static size_t count_lines(const uint8_t *data, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += data[i] == '\n';
    return n;
}

static void check_answers(const char *text, size_t size)
{
    json_error_t why;
    for (const char *p = text, *end = text + size; p < end;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        REQUIRE(newline);
        json_t *answer = json_loadb(p, (size_t)(newline - p), 0, &why);
        REQUIRE(answer &&
                json_integer_value(json_object_get(answer, "version")) == SERVER_PROTOCOL);
        json_decref(answer);
        p = newline + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char answers[1 << 20];
    struct error err;
    if (!server)
        start();
    if (size > 8192)
        return 0;
    int fd = client_connect(path, &err);
    REQUIRE(fd >= 0);
    REQUIRE(send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size);
    REQUIRE(shutdown(fd, SHUT_WR) == 0);
    size_t length = 0;
    for (ssize_t n = 1; n != 0;) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        n = recv(fd, answers + length, sizeof answers - length, MSG_DONTWAIT);
        length += n > 0 ? (size_t)n : 0;
        REQUIRE(length < sizeof answers);
    }
    close(fd);
    check_answers(answers, length);
    REQUIRE(count_lines((const uint8_t *)answers, length) == count_lines(data, size));
    return 0;
}
