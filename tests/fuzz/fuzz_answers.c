// SPDX-License-Identifier: BSD-2-Clause
// Arbitrary answers to ibtrapctl. The first octet of the input selects the command; each further
// line answers a request of this command. After the last line, requests get no answer.
#include "fuzz.h"

#include "ctl/arguments.h"
#include "ctl/commands.h"
#include "ctl/handlers.h"
#include "scratch.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { INPUT_MAX = 1 << 16 };

// The other end.
static struct {
    struct sockaddr_un address;
    int listening;
    pthread_mutex_t lock;
    const char *p, *end; // the remaining answers
} daemon_ = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void set_answers(const uint8_t *data, size_t size)
{
    pthread_mutex_lock(&daemon_.lock);
    daemon_.p = (const char *)data;
    daemon_.end = daemon_.p + size;
    pthread_mutex_unlock(&daemon_.lock);
}

static void answer_one(int fd)
{
    char c = 0;
    while (c != '\n' && recv(fd, &c, 1, 0) == 1)
        continue;
    const char *newline = memchr(daemon_.p, '\n', (size_t)(daemon_.end - daemon_.p));
    const char *next = newline ? newline + 1 : daemon_.end;
    while (daemon_.p < next) {
        ssize_t n = send(fd, daemon_.p, (size_t)(next - daemon_.p), MSG_NOSIGNAL);
        daemon_.p = n > 0 ? daemon_.p + n : next;
    }
}

static void *answer_all(void *ctx)
{
    (void)ctx;
    for (;;) {
        int fd = accept(daemon_.listening, NULL, NULL);
        if (fd < 0 && errno == EINTR)
            continue;
        REQUIRE(fd >= 0);
        pthread_mutex_lock(&daemon_.lock);
        answer_one(fd);
        pthread_mutex_unlock(&daemon_.lock);
        close(fd);
    }
    return NULL;
}

static void start(void)
{
    pthread_t thread;
    daemon_.address.sun_family = AF_UNIX;
    snprintf(daemon_.address.sun_path, sizeof daemon_.address.sun_path, "%s/ctl", scratch_make());
    daemon_.listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(daemon_.listening >= 0);
    REQUIRE(bind(daemon_.listening, (struct sockaddr *)&daemon_.address, sizeof daemon_.address) ==
            0);
    REQUIRE(listen(daemon_.listening, 1) == 0);
    REQUIRE(pthread_create(&thread, NULL, answer_all, NULL) == 0);
}

static void give(unsigned choice, FILE *out, struct error *err)
{
    static char *const COMMANDS[][5] = {{"status"},
                                        {"topology"},
                                        {"topology", "list"},
                                        {"topology", "diff", "1", "now"},
                                        {"events"},
                                        {"explain", "1"},
                                        {"alarms"},
                                        {"receivers"},
                                        {"maintenance", "list"},
                                        {"dry-run", "/dev/null"}};
    const unsigned last = sizeof COMMANDS / sizeof *COMMANDS - 1;
    char *const *words = COMMANDS[choice >> 1 < last ? choice >> 1 : last];
    int count = 0, used;
    while (words[count])
        count++;
    const struct command *command = commands_find(count, words, &used);
    REQUIRE(command);
    const struct arguments a = {.out = out,
                                .command = command,
                                .socket = daemon_.address.sun_path,
                                .json = choice & 1,
                                .count = count - used,
                                .words = (char **)words + used};
    enum command_outcome outcome = command->run(&a, err);
    REQUIRE(outcome == COMMAND_DONE || (outcome == COMMAND_REFUSED && err->text[0] != '\0'));
}

// The input as a time typed by a user.
static void read_time(const uint8_t *data, size_t size)
{
    static const int64_t NOW = INT64_C(1795231143123456);
    char text[64];
    int64_t time;
    snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : sizeof text - 1),
             (const char *)data);
    if (time_parse(text, NOW, &time))
        REQUIRE(time > 0);
    maintenance_commands_read_end(text, NOW, &time);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    char *written = NULL;
    size_t length;
    if (!daemon_.listening)
        start();
    if (size == 0 || size > INPUT_MAX)
        return 0;
    read_time(data + 1, size - 1);
    set_answers(data + 1, size - 1);
    FILE *out = open_memstream(&written, &length);
    REQUIRE(out);
    give(data[0], out, &err);
    set_answers(data, 0);
    fclose(out);
    free(written);
    return 0;
}
