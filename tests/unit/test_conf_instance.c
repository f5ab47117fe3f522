// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "conf/load.h"
#include "install.h"

#include <sys/stat.h>
#include <unistd.h>

static struct instance instance;
static struct conf conf;
static struct error err;

static bool load(const char *content)
{
    return conf_load_instance(&instance, support_file("ibtrapd.conf", content, 0644), &conf, NULL,
                              &err);
}

static int begin(void **state)
{
    (void)state;
    return instance_find("mlx5_0-1", &instance, &err) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    conf_free(&conf);
    return 0;
}

static void check_own(void)
{
    assert_string_equal(conf.fabric.device, "mlx5_0");
    assert_int_equal(conf.fabric.port, 1);
    assert_string_equal(conf.journal.directory, INSTALL_STATE_DIRECTORY "-mlx5_0-1");
    assert_string_equal(conf.socket, INSTALL_RUN_DIRECTORY "-mlx5_0-1/control.sock");
    assert_int_equal(conf.receiver_count, 1);
}

TEST(without_a_file_the_defaults_hold)
{
    snprintf(instance.config, sizeof instance.config, "/nonexistent/mlx5_0-1.conf");
    assert_true(conf_load_instance(&instance, NULL, &conf, NULL, &err));
    check_own();
}

TEST(its_own_file_is_read)
{
    const char *path = support_file("mlx5_0-1.conf", "journal { rows = 5000 }\n", 0644);
    snprintf(instance.config, sizeof instance.config, "%s", path);
    assert_true(conf_load_instance(&instance, NULL, &conf, NULL, &err));
    check_own();
    assert_int_equal(conf.journal.rows_max, 5000);
}

// The error for an instance whose file is at `path`.
static const char *error_at(const char *path)
{
    snprintf(instance.config, sizeof instance.config, "%s", path);
    assert_false(conf_load_instance(&instance, NULL, &conf, NULL, &err));
    assert_null(conf.receivers);
    return err.text;
}

static const char *path_below(const char *directory)
{
    static char path[INSTANCE_PATH_SIZE];
    snprintf(path, sizeof path, "%s/mlx5_0-1.conf", directory);
    return path;
}

TEST(only_a_file_that_is_not_there_is_none)
{
    const char *link = support_path("link.conf");
    assert_int_equal(symlink("/nonexistent/mlx5_0-1.conf", link), 0);
    assert_non_null(strstr(error_at(link), "No such file or directory"));
    unlink(link);
    assert_non_null(
        strstr(error_at(path_below(support_file("file", "", 0644))), "Not a directory"));
}

// Root may enter every directory, so the test runs as another user for a moment.
TEST(a_file_that_may_not_be_read_is_told)
{
    enum { NOBODY = 65534 };
    const char *directory = support_path("closed");
    bool root = geteuid() == 0;
    assert_int_equal(mkdir(directory, 0), 0);
    if (root)
        assert_int_equal(seteuid(NOBODY), 0);
    error_at(path_below(directory));
    if (root)
        assert_int_equal(seteuid(0), 0);
    rmdir(directory);
    assert_non_null(strstr(err.text,
                           "mlx5_0-1.conf': Permission denied: the user that runs ibtrapd "
                           "must be able to read it, and to enter the directories above it"));
}

// The log line about the file in force.
static void check_log(const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct log *log = support_log(stream);
    conf_log_file(&conf, log);
    log_close(log);
    fclose(stream);
    assert_non_null(strstr(text, expected));
    free(text);
}

TEST(what_is_in_force_is_known_and_logged)
{
    assert_true(load(""));
    assert_true(conf.has_file);
    assert_string_equal(conf.file, support_path("ibtrapd.conf"));
    check_log("the configuration is /");
    conf_free(&conf);
    snprintf(instance.config, sizeof instance.config, "/nonexistent/mlx5_0-1.conf");
    assert_true(conf_load_instance(&instance, NULL, &conf, NULL, &err));
    assert_false(conf.has_file);
    check_log("there is no configuration /nonexistent/mlx5_0-1.conf: the defaults hold");
}

TEST(a_file_in_force_must_not_go)
{
    const struct conf none = {.file = "/x.conf"}, some = {.file = "/x.conf", .has_file = true};
    assert_true(conf_may_replace(&none, &none, &err));
    assert_true(conf_may_replace(&none, &some, &err));
    assert_true(conf_may_replace(&some, &some, &err));
    assert_false(conf_may_replace(&some, &none, &err));
    assert_string_equal(err.text,
                        "the configuration '/x.conf', which is in force, is gone: put it back, "
                        "or restart ibtrapd to run with the defaults");
}

// A copy of the example contains the paths of a host's only gateway.
TEST(instances_never_share_the_plain_paths)
{
    assert_true(load("journal { directory = \"" INSTALL_STATE_DIRECTORY "\" }\n"
                     "control { socket = \"" INSTALL_CONTROL_SOCKET "\" }\n"));
    check_own();
}

TEST(paths_of_ones_own_choice_hold)
{
    assert_true(load("journal { directory = \"/srv/a\" }\ncontrol { socket = \"/run/a.sock\" }\n"));
    assert_string_equal(conf.journal.directory, "/srv/a");
    assert_string_equal(conf.socket, "/run/a.sock");
}

TEST(the_same_port_may_be_said_again)
{
    assert_true(load("fabric { device = \"mlx5_0\" port = 1 }\n"));
    check_own();
}

TEST(another_port_is_a_mistake)
{
    assert_false(load("fabric { device = \"mlx5_1\" }\n"));
    assert_non_null(strstr(err.text,
                           "ibtrapd.conf: the configuration is for device 'mlx5_1' port 0, "
                           "and the instance for 'mlx5_0' port 1"));
    assert_null(conf.receivers);
    assert_false(load("fabric { port = 2 }\n"));
    assert_false(load("fabric { device = \"mlx5_0\" port = 2 }\n"));
}

TEST(the_only_gateway_takes_any_port)
{
    assert_true(instance_find(NULL, &instance, &err));
    assert_true(load("fabric { device = \"mlx5_1\" port = 2 }\n"));
    assert_string_equal(conf.fabric.device, "mlx5_1");
    assert_int_equal(conf.fabric.port, 2);
    assert_string_equal(conf.journal.directory, INSTALL_STATE_DIRECTORY);
    assert_string_equal(conf.socket, INSTALL_CONTROL_SOCKET);
}

#define TABLES "subagent { socket = \"/var/agentx/master\" "

TEST(the_tables_have_its_name_or_another_one)
{
    assert_true(load(TABLES "}\n"));
    assert_string_equal(conf.subagent.context, "mlx5_0-1");
    conf_free(&conf);
    assert_true(load(TABLES "context = \"blue\" }\n"));
    assert_string_equal(conf.subagent.context, "blue");
    conf_free(&conf);
    assert_true(load(TABLES "context = \"\" }\n"));
    assert_string_equal(conf.subagent.context, "");
}

TEST(the_tables_of_the_only_gateway_have_no_name)
{
    assert_true(instance_find(NULL, &instance, &err));
    assert_true(load(TABLES "}\n"));
    assert_string_equal(conf.subagent.context, "");
}

TEST(a_name_that_is_too_long_for_tables_is_told)
{
    snprintf(instance.device, sizeof instance.device, "a-device-with-quite-a-long-name");
    assert_true(load("")); // without the tables
    conf_free(&conf);
    assert_true(load(TABLES "context = \"blue\" }\n"));
    conf_free(&conf);
    assert_false(load(TABLES "}\n"));
    assert_non_null(strstr(err.text, "is too long for an SNMP context"));
}

TEST(what_is_wrong_in_the_file_is_told)
{
    assert_false(load("fabric { port = 255 }\n"));
    assert_non_null(strstr(err.text, "ibtrapd.conf:1: item 'port'"));
    assert_false(conf_load_instance(&instance, "/nonexistent/x.conf", &conf, NULL, &err));
}

#define INSTANCE_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INSTANCE_TEST(without_a_file_the_defaults_hold),
        INSTANCE_TEST(its_own_file_is_read),
        INSTANCE_TEST(only_a_file_that_is_not_there_is_none),
        INSTANCE_TEST(a_file_that_may_not_be_read_is_told),
        INSTANCE_TEST(what_is_in_force_is_known_and_logged),
        INSTANCE_TEST(a_file_in_force_must_not_go),
        INSTANCE_TEST(instances_never_share_the_plain_paths),
        INSTANCE_TEST(paths_of_ones_own_choice_hold),
        INSTANCE_TEST(the_same_port_may_be_said_again),
        INSTANCE_TEST(another_port_is_a_mistake),
        INSTANCE_TEST(the_only_gateway_takes_any_port),
        INSTANCE_TEST(the_tables_have_its_name_or_another_one),
        INSTANCE_TEST(the_tables_of_the_only_gateway_have_no_name),
        INSTANCE_TEST(a_name_that_is_too_long_for_tables_is_told),
        INSTANCE_TEST(what_is_wrong_in_the_file_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
