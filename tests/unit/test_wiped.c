// SPDX-License-Identifier: BSD-2-Clause
// No freed memory has a secret of a configuration. Replaces the C library's free; the checkers' own
// replacements do not allow this.
#include "support.h"

#include "conf/load.h"
#include "control/server.h"
#include "ctl/client.h"

#include <event2/event.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECRET "a community that nobody sees"
#define TEXT   "snmp \"nms\" { address = \"192.0.2.1\"\n community = \"" SECRET "\" }\n"

static struct conf conf;
static struct error err;
static bool watching;
static unsigned freed, found;

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
extern void __libc_free(void *memory);

void free(void *memory)
{
    if (memory && watching) {
        freed++;
        found += memmem(memory, malloc_usable_size(memory), SECRET, sizeof SECRET - 1) != NULL;
    }
    __libc_free(memory);
}
#endif

static void check_wiped(void)
{
    watching = false;
    if (freed == 0)
        skip();
    assert_int_equal(found, 0);
}

// A file without a buffer: a buffer would be freed, too.
static const char *write_file(const char *name, const char *text)
{
    const char *path = support_path(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return path;
}

static int begin(void **state)
{
    (void)state;
    freed = found = 0;
    return 0;
}

TEST(a_configuration_file_is_wiped)
{
    const char *path = write_file("conf", TEXT);
    watching = true;
    bool ok = conf_load(path, &conf, &err);
    assert_string_equal(conf.receivers[0].snmp.community, SECRET);
    conf_free(&conf);
    assert_true(ok);
    check_wiped();
}

TEST(a_configuration_with_a_mistake_is_wiped)
{
    const char *path = write_file("bad", TEXT "sweep { interval = never }\n");
    watching = true;
    bool ok = conf_load(path, &conf, &err);
    assert_false(ok);
    check_wiped();
}

TEST(a_text_of_somebody_else_is_wiped)
{
    watching = true;
    bool ok = conf_load_text(TEXT, "it", false, &conf, &err);
    conf_free(&conf);
    assert_true(ok);
    check_wiped();
}

static json_t *handle(void *ctx, const struct peer_credentials *peer, const char *command,
                      const json_t *request)
{
    (void)ctx, (void)peer, (void)command;
    return json_pack("{s:b}", "right", json_object_get(request, "config") != NULL);
}

static bool reads_only(const char *command)
{
    return strcmp(command, "dry-run") == 0;
}

// The second request comes in two pieces.
static void speak(struct event_base *base, int fd)
{
    static const char REQUEST[] =
        "{\"version\":1,\"command\":\"dry-run\",\"config\":\"" SECRET "\"}\n";
    enum { SIZE = sizeof REQUEST - 1, BEGIN = SIZE - 5 };
    const struct {
        const char *octets;
        size_t size;
    } pieces[] = {{REQUEST, SIZE}, {REQUEST, BEGIN}, {REQUEST + BEGIN, SIZE - BEGIN}};
    for (size_t i = 0; i < COUNT(pieces); i++) {
        assert_int_equal(send(fd, pieces[i].octets, pieces[i].size, 0), pieces[i].size);
        for (int n = 0; n < 8; n++)
            event_base_loop(base, EVLOOP_NONBLOCK);
    }
    char answers[100];
    assert_int_equal(recv(fd, answers, sizeof answers, MSG_DONTWAIT),
                     2 * strlen("{\"right\":true}\n"));
}

TEST(a_request_is_wiped)
{
    server_own_memory();
    struct event_base *base = event_base_new();
    struct log *log = support_log(NULL);
    const struct server_options options = {.base = base,
                                           .path = support_path("control"),
                                           .group = SERVER_OWN_GROUP,
                                           .handler = handle,
                                           .reads_only = reads_only,
                                           .log = log};
    struct server *server = server_start(&options, &err);
    assert_non_null(server);
    int fd = client_connect(options.path, &err);
    assert_true(fd >= 0);
    watching = true;
    speak(base, fd);
    server_stop(server);
    close(fd);
    watching = false;
    event_base_free(base);
    log_close(log);
    check_wiped();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_configuration_file_is_wiped, begin),
        cmocka_unit_test_setup(a_configuration_with_a_mistake_is_wiped, begin),
        cmocka_unit_test_setup(a_request_is_wiped, begin),
        cmocka_unit_test_setup(a_text_of_somebody_else_is_wiped, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
