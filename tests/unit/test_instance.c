// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/instance.h"
#include "install.h"

static struct instance instance;
static struct error err;

TEST(the_only_gateway_has_the_plain_paths)
{
    assert_true(instance_find(NULL, &instance, &err));
    assert_string_equal(instance.device, "");
    assert_int_equal(instance.port, 0);
    assert_string_equal(instance.config, INSTALL_CONFIG_FILE);
    assert_string_equal(instance.state, INSTALL_STATE_DIRECTORY);
    assert_string_equal(instance.socket, INSTALL_CONTROL_SOCKET);
}

TEST(a_named_one_has_its_own)
{
    assert_true(instance_find("mlx5_0-1", &instance, &err));
    assert_string_equal(instance.device, "mlx5_0");
    assert_int_equal(instance.port, 1);
    assert_string_equal(instance.config, INSTALL_CONFIG_DIRECTORY "/mlx5_0-1.conf");
    assert_string_equal(instance.state, INSTALL_STATE_DIRECTORY "-mlx5_0-1");
    assert_string_equal(instance.socket, INSTALL_RUN_DIRECTORY "-mlx5_0-1/control.sock");
}

TEST(the_last_dash_separates)
{
    assert_true(instance_find("a-b-254", &instance, &err));
    assert_string_equal(instance.device, "a-b");
    assert_int_equal(instance.port, 254);
}

TEST(other_names_are_refused)
{
    static const char *const WRONG[] = {
        "",         "mlx5_0",    "-1",      "mlx5_0-",
        "mlx5_0-0", "m-255",     "m-1x",    "../etc/x-1",
        "a b-1",    "m-01",      ".-1",     "m-+1",
        "m/1",      "m\\x2d1-1", "m-1\n-1", "m-99999999999999999999"};
    for (size_t i = 0; i < COUNT(WRONG); i++)
        assert_false(instance_find(WRONG[i], &instance, &err));
    assert_string_equal(err.text,
                        "the instance 'm-99999999999999999999' is not DEVICE-PORT, such as "
                        "mlx5_0-1");
}

TEST(a_device_name_is_as_long_as_the_kernel_has_them)
{
    char name[80];
    memset(name, 'd', sizeof name);
    strcpy(name + INSTANCE_DEVICE_SIZE - 1, "-1");
    assert_true(instance_find(name, &instance, &err));
    memset(name, 'd', sizeof name);
    strcpy(name + INSTANCE_DEVICE_SIZE, "-1");
    assert_false(instance_find(name, &instance, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_only_gateway_has_the_plain_paths),
        cmocka_unit_test(a_named_one_has_its_own),
        cmocka_unit_test(the_last_dash_separates),
        cmocka_unit_test(other_names_are_refused),
        cmocka_unit_test(a_device_name_is_as_long_as_the_kernel_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
