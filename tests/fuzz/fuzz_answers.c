// What ibtrapctl makes of any answers: the first octet of the input says which command is given,
// and each line behind it answers a question of that command. Then nobody answers any more.
#include "fuzz.h"

#include "ctl/client.h"
#include "ctl/dry_run_command.h"
#include "ctl/event_commands.h"
#include "ctl/maintenance_commands.h"
#include "ctl/pages.h"
#include "ctl/show.h"
#include "ctl/time_parser.h"
#include "ctl/topology_commands.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { INPUT_MAX = 1 << 16 };

// The other end.
static struct {
    char directory[32];
    struct sockaddr_un address;
    int listening;
    pthread_mutex_t lock;
    const char *p, *end; // the answers that are left
} daemon_ = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void set_answers(const uint8_t *data, size_t size)
{
    pthread_mutex_lock(&daemon_.lock);
    daemon_.p = (const char *)data;
    daemon_.end = daemon_.p + size;
    pthread_mutex_unlock(&daemon_.lock);
}

static void stop(void)
{
    unlink(daemon_.address.sun_path);
    rmdir(daemon_.directory);
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
    snprintf(daemon_.directory, sizeof daemon_.directory, "/tmp/ibtrapd-fuzz-XXXXXX");
    REQUIRE(mkdtemp(daemon_.directory));
    daemon_.address.sun_family = AF_UNIX;
    snprintf(daemon_.address.sun_path, sizeof daemon_.address.sun_path, "%s/ctl",
             daemon_.directory);
    daemon_.listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(daemon_.listening >= 0);
    REQUIRE(bind(daemon_.listening, (struct sockaddr *)&daemon_.address, sizeof daemon_.address) ==
            0);
    REQUIRE(listen(daemon_.listening, 1) == 0);
    REQUIRE(pthread_create(&thread, NULL, answer_all, NULL) == 0);
    atexit(stop);
}

static bool give_status(FILE *out, const char *socket, struct error *err)
{
    json_t *status = client_request(socket, "status", json_object(), err);
    bool ok = status && show_answer(out, status, false, show_status, err);
    json_decref(status);
    return ok;
}

static bool give_pages(FILE *out, const char *socket, const char *list,
                       bool (*show)(FILE *out, const json_t *page, bool first), struct error *err)
{
    return pages_write(&(struct pages){out, list, show}, socket, list, json_object(), err);
}

static bool give(unsigned command, FILE *out, const char *socket, struct error *err)
{
    const struct event_choice all = {0};
    bool json = command & 1;
    switch (command >> 1) {
    case 0:
        return give_status(out, socket, err);
    case 1:
        return topology_commands_show(out, socket, 0, json, err);
    case 2:
        return topology_commands_list(out, socket, json, err);
    case 3:
        return topology_commands_diff(out, socket, 1, 0, json, err);
    case 4:
        return event_commands_list(out, socket, &all, json, err);
    case 5:
        return event_commands_explain(out, socket, "1", json, err);
    case 6:
        return give_pages(out, socket, "alarms", json ? NULL : show_alarms, err);
    case 7:
        return give_pages(out, socket, "receivers", json ? NULL : show_receivers, err);
    case 8:
        return maintenance_commands_list(out, socket, json, err);
    default:
        return dry_run_command(out, socket, "/dev/null", 0, json, err);
    }
}

// The input as what people write.
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
    if (!give(data[0], out, daemon_.address.sun_path, &err))
        REQUIRE(err.text[0] != '\0');
    set_answers(data, 0);
    fclose(out);
    free(written);
    return 0;
}
