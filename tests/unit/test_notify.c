// SPDX-License-Identifier: BSD-2-Clause
#include "fake_manager.h"
#include "support.h"

#include "base/notify.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_told),
        cmocka_unit_test(an_abstract_name_is_told),
        cmocka_unit_test(without_a_manager_nobody_is_told),
        cmocka_unit_test(a_missing_socket_is_a_sentence),
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(a_full_socket_loses_messages_and_waits_for_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
