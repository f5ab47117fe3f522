// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "daemon/gateway.h"
#include "daemon/own_alarms.h"

static struct conf conf;
static struct gateway gateway;

static int begin(void **state)
{
    (void)state;
    conf = (struct conf){0};
    gateway = (struct gateway){.conf = &conf, .parts.gateway_name = "gw1/mlx5_0-1"};
    return 0;
}

static void check_name(const char *host, const char *expected)
{
    char name[CONF_GATEWAY_NAME_SIZE];
    own_alarms_name(&conf, host, name);
    assert_string_equal(name, expected);
}

TEST(a_gateway_is_named_after_its_host_and_port)
{
    check_name("gw1", "gw1");
    strcpy(conf.fabric.device, "mlx5_0");
    check_name("gw1", "gw1/mlx5_0");
    conf.fabric.port = 2;
    check_name("gw1.example.org", "gw1.example.org/mlx5_0-2");
    strcpy(conf.name, "left");
    check_name("gw1", "left");
}

TEST(a_long_host_name_loses_its_end_and_keeps_the_port)
{
    const char *host = "a-host-whose-name-is-as-long-as-some-clouds-make-them.example.org";
    check_name(host, "a-host-whose-name-is-as-long-as-some-clouds-m");
    strcpy(conf.fabric.device, "mlx5_0");
    conf.fabric.port = 1;
    check_name(host, "a-host-whose-name-is-as-long-as-some/mlx5_0-1");
    memset(conf.fabric.device, 'd', sizeof conf.fabric.device - 1);
    check_name(host, "/dddddddddddddddddddddddddddddddddddddddddddd");
}

TEST(a_fabric_without_a_name_is_called_after_the_gateway)
{
    char name[EVENT_FABRIC_SIZE];
    own_alarms_name_fabric(&conf, "gw1/mlx5_0-1", name);
    assert_string_equal(name, "gw1.mlx5_0-1");
    own_alarms_name_fabric(&conf, "j\xc3\xbclich 1", name);
    assert_string_equal(name, "j..lich.1");
    strcpy(conf.fabric.name, "cluster-a");
    own_alarms_name_fabric(&conf, "gw1/mlx5_0-1", name);
    assert_string_equal(name, "cluster-a");
}

TEST(the_keys_of_two_gateways_differ)
{
    char key[EVENT_KEY_SIZE], other[EVENT_KEY_SIZE];
    struct gateway second = {.conf = &conf, .parts.gateway_name = "gw2"};
    own_alarms_key(&gateway, OWN_ALARMS_SUBSCRIPTIONS, key);
    own_alarms_key(&second, OWN_ALARMS_SUBSCRIPTIONS, other);
    assert_string_equal(key, "gateway gw1/mlx5_0-1 subscriptions");
    assert_string_equal(other, "gateway gw2 subscriptions");
    own_alarms_receiver_key(&gateway, "nms", key);
    assert_string_equal(key, "gateway gw1/mlx5_0-1 receiver nms");
}

TEST(the_longest_key_is_whole)
{
    char key[EVENT_KEY_SIZE], receiver[CONF_NAME_SIZE] = "";
    memset(gateway.parts.gateway_name, 'g', sizeof gateway.parts.gateway_name - 1);
    memset(receiver, 'r', sizeof receiver - 1);
    own_alarms_receiver_key(&gateway, receiver, key);
    assert_int_equal(strlen(key), EVENT_KEY_SIZE - 1);
    assert_string_equal(key + strlen(key) - sizeof receiver + 1, receiver);
}

TEST(keys_of_a_former_name_are_known)
{
    static const char *const FORMER[] = {"subscriptions",
                                         "sm-reachable",
                                         "journal",
                                         "receiver nms",
                                         "flapping sm-reachable",
                                         "gateway gw1 journal",
                                         "gateway gw1/mlx5_0-10 journal",
                                         "flapping gateway gw2 sm-reachable"};
    static const char *const OTHERS[] = {"gateway gw1/mlx5_0-1 journal",
                                         "gateway gw1/mlx5_0-1 receiver nms",
                                         "flapping gateway gw1/mlx5_0-1 sm-reachable",
                                         "node 0x0000000000000011",
                                         "flapping link 0x0000000000000011/1-0x0000000000000012/1",
                                         "sm 0x0000000000000011",
                                         ""};
    for (size_t i = 0; i < COUNT(FORMER); i++)
        assert_true(own_alarms_is_former(&gateway, FORMER[i]));
    for (size_t i = 0; i < COUNT(OTHERS); i++)
        assert_false(own_alarms_is_former(&gateway, OTHERS[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_gateway_is_named_after_its_host_and_port, begin),
        cmocka_unit_test_setup(a_long_host_name_loses_its_end_and_keeps_the_port, begin),
        cmocka_unit_test_setup(a_fabric_without_a_name_is_called_after_the_gateway, begin),
        cmocka_unit_test_setup(the_keys_of_two_gateways_differ, begin),
        cmocka_unit_test_setup(the_longest_key_is_whole, begin),
        cmocka_unit_test_setup(keys_of_a_former_name_are_known, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
