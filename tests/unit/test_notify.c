// SPDX-License-Identifier: BSD-2-Clause
#include "fake_manager.h"
#include "support.h"

#include "base/notify.h"
#include "base/text.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static void check_delivery(const char *socket)
{
    struct notify notify;
    struct error err;
    int manager = fake_manager_listen(socket);
    assert_true(notify_open(&notify, socket, &err));
    notify_send(&notify, "READY=%d\n", 1);
    notify_send(&notify, "STATUS=%s\n", "up");
    assert_string_equal(fake_manager_next(manager), "READY=1\n");
    assert_string_equal(fake_manager_next(manager), "STATUS=up\n");
    assert_null(fake_manager_next(manager));
    notify_close(&notify);
    close(manager);
}

TEST(a_path_is_told)
{
    check_delivery(support_path("notify"));
}

TEST(an_abstract_name_is_told)
{
    char name[64];
    snprintf(name, sizeof name, "@ibtrapd/test/%d", (int)getpid());
    check_delivery(name);
}

TEST(without_a_manager_nobody_is_told)
{
    struct notify notify;
    struct error err;
    assert_true(notify_open(&notify, NULL, &err));
    notify_send(&notify, "READY=1\n");
    notify_close(&notify);
    assert_true(notify_open(&notify, "", &err));
    assert_int_equal(notify.fd, -1);
}

TEST(a_missing_socket_is_a_sentence)
{
    struct notify notify;
    struct error err;
    assert_false(notify_open(&notify, "/nonexistent/notify", &err));
    assert_string_equal(err.text,
                        "cannot reach the service manager at '/nonexistent/notify': No such "
                        "file or directory");
    notify_send(&notify, "READY=1\n"); // has no effect
    notify_close(&notify);
}

TEST(names_that_are_none_are_refused)
{
    struct notify notify;
    struct error err;
    char longest[110];
    memset(longest, '/', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(notify_open(&notify, "relative", &err));
    assert_false(notify_open(&notify, longest, &err));
}

// A manager that does not read must not block the daemon.
TEST(a_full_socket_loses_messages_and_waits_for_nobody)
{
    struct notify notify;
    struct error err;
    const char *path = support_path("full");
    int manager = fake_manager_listen(path), arrived = 0;
    assert_true(notify_open(&notify, path, &err));
    for (int i = 0; i < 10000; i++)
        notify_send(&notify, "%0900d", i);
    while (fake_manager_next(manager))
        arrived++;
    assert_in_range(arrived, 1, 9999);
    notify_send(&notify, "READY=1\n");
    assert_string_equal(fake_manager_next(manager), "READY=1\n");
    notify_close(&notify);
    close(manager);
}

// systemd drops a status that is not UTF-8.
TEST(a_long_sentence_is_cut_between_characters)
{
    struct notify notify;
    struct error err;
    char sentence[1200] = "";
    const char *path = support_path("long");
    int manager = fake_manager_listen(path);
    assert_true(notify_open(&notify, path, &err));
    for (size_t blanks = 0; blanks < 3; blanks++) {
        memset(sentence, ' ', blanks);
        for (size_t i = blanks; i + 3 < sizeof sentence; i += 3)
            memcpy(sentence + i, "\xe2\x82\xac", 4);
        notify_send(&notify, "STATUS=%s\n", sentence);
        const char *message = fake_manager_next(manager);
        assert_non_null(message);
        assert_in_range(strlen(message), 1020, 1023);
        assert_true(text_is_utf8(message));
    }
    notify_close(&notify);
    close(manager);
}

struct reader {
    int socket;
    atomic_bool has_status;
};

static void *read_until_barrier(void *ctx)
{
    struct reader *reader = ctx;
    for (const char *message = ""; strcmp(message, "BARRIER=1") != 0;) {
        sched_yield();
        message = fake_manager_next(reader->socket); // closes a descriptor that comes with it
        if (!message)
            message = "";
        if (strcmp(message, "STATUS=no such file\n") == 0)
            atomic_store(&reader->has_status, true);
    }
    return NULL;
}

TEST(waits_until_the_manager_has_read_all)
{
    struct notify notify;
    struct error err;
    pthread_t thread;
    const char *path = support_path("barrier");
    struct reader reader = {.socket = fake_manager_listen(path)};
    assert_true(notify_open(&notify, path, &err));
    notify_send(&notify, "STATUS=%s\n", "no such file");
    assert_int_equal(pthread_create(&thread, NULL, read_until_barrier, &reader), 0);
    notify_wait(&notify);
    assert_true(atomic_load(&reader.has_status));
    pthread_join(thread, NULL);
    notify_close(&notify);
    close(reader.socket);
}

TEST(waits_for_no_manager_that_is_gone)
{
    struct notify notify;
    struct error err;
    const char *path = support_path("gone");
    int manager = fake_manager_listen(path);
    assert_true(notify_open(&notify, path, &err));
    close(manager);
    notify_wait(&notify);
    notify_close(&notify);
    notify_wait(&notify);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_told),
        cmocka_unit_test(an_abstract_name_is_told),
        cmocka_unit_test(without_a_manager_nobody_is_told),
        cmocka_unit_test(a_missing_socket_is_a_sentence),
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(a_full_socket_loses_messages_and_waits_for_nobody),
        cmocka_unit_test(a_long_sentence_is_cut_between_characters),
        cmocka_unit_test(waits_until_the_manager_has_read_all),
        cmocka_unit_test(waits_for_no_manager_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
