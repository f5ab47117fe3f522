// SPDX-License-Identifier: BSD-2-Clause
// The configuration: general items, policies and defaults.
#include "conf_fixture.h"

#include "base/text.h"

#include <grp.h>

TEST(defaults_hold_without_a_file)
{
    load_defaults();
    check_defaults("syslog");
}

TEST(an_empty_file_changes_nothing)
{
    load("");
    check_defaults("syslog");
    load("# only a comment\nfabric {\n}\njournal { }\ncontrol { }\nlog { }\n");
    check_defaults("syslog");
    load("# no newline at its end");
    check_defaults("syslog");
}

TEST(general_items_are_taken)
{
    char content[2000];
    const char *key = support_file("key", "0x10\n", 0600);
    const char *map = support_file("map", "0x1 a\n", 0644);
    const char *expected = support_file("expected", "Switch 4 \"S-0000000000000001\"\n", 0644);
    snprintf(content, sizeof content,
             "fabric {\n"
             "    device = \"mlx5_1\"\n"
             "    port = 2\n"
             "    sa_key_file = \"%s\"\n"
             "    pkey = \"0x8005\"\n"
             "    sa_key_guids = \"0x0002c90300a10001,17\"\n"
             "    node_name_map = \"%s\"\n"
             "    expected_topology = \"%s\"\n"
             "    expected_match = \"name\"\n"
             "    verify_interval = 1\n"
             "    refresh_interval = 86400\n"
             "}\n"
             "journal { directory = \"/srv/j\" rows = 1000 megabytes = 3 days = 36500 }\n"
             "control { socket = \"/tmp/ibtrapd.sock\" group = \"daemon\" }\n"
             "metrics { listen = \"[2001:db8::7]:65535\" }\n"
             "subagent { socket = \"tcp:[::1]:705\" context = \"a\" writable = true\n"
             "    event_trap_level = \"none\" recipient_port = 65535 }\n"
             "gateway { heartbeat = 86400 name = \"gw-1.example.org/left\" }\n"
             "log { level = \"debug\" }\n",
             key, map, expected);
    load(content);
    struct conf_fabric fabric = {.device = "mlx5_1",
                                 .expected_by_name = true,
                                 .port = 2,
                                 .has_sa_key = true,
                                 .sa_key = 16,
                                 .pkey = 0x8005,
                                 .key_guids = {UINT64_C(0x0002c90300a10001), 17},
                                 .key_guid_count = 2,
                                 .verify_interval_s = 1,
                                 .refresh_interval_s = 86400};
    snprintf(fabric.node_name_map, sizeof fabric.node_name_map, "%s", map);
    snprintf(fabric.expected_topology, sizeof fabric.expected_topology, "%s", expected);
    check_fabric(&fabric);
    const struct conf_journal journal = {.directory = "/srv/j",
                                         .rows_max = 1000,
                                         .bytes_max = 3 << 20,
                                         .age_us = 36500 * INT64_C(86400000000)};
    check_journal(&journal);
    assert_string_equal(conf.socket, "/tmp/ibtrapd.sock");
    assert_int_equal(conf.socket_group, getgrnam("daemon")->gr_gid);
    assert_string_equal(conf.metrics.host, "2001:db8::7");
    assert_int_equal(conf.metrics.port, 65535);
    assert_string_equal(conf.subagent.socket, "tcp:[::1]:705");
    assert_string_equal(conf.subagent.context, "a");
    assert_true(conf.subagent.has_context);
    assert_true(conf.subagent.writable);
    assert_int_equal(conf.subagent.event_trap_level, 0);
    assert_int_equal(conf.subagent.recipient_port, 65535);
    assert_int_equal(conf.heartbeat_s, 86400);
    assert_string_equal(conf.name, "gw-1.example.org/left");
    check_levels(LOG_LEVEL_DEBUG);
}

TEST(metrics_have_a_port_of_their_own)
{
    load("metrics { listen = \"0.0.0.0\" }");
    assert_string_equal(conf.metrics.host, "0.0.0.0");
    assert_int_equal(conf.metrics.port, 9117);
}

TEST(items_of_sweeps_and_counters_are_taken)
{
    char content[2000];
    const char *key = support_file("mkey", "0xFEDCBA9876543210\n", 0600);
    snprintf(content, sizeof content,
             "fabric { active = \"with-master-sm\" }\n"
             "sweep { method = \"sa\" interval = 5 settle = 0 in_flight = 256 attempts = 10\n"
             "    timeout = 60000 mkey_file = \"%s\" }\n"
             "counters { ports = \"switches\" interval = 86400\n"
             "    thresholds = {\"SymbolErrorCounter=0\", \"LinkDowned=4294967295\"}\n"
             "    thresholds += {\"PortXmitWait=7\"} short_window = 5 long_window = 60\n"
             "    bit_error_rates = {\"SymbolError=1.5e-12/0\"} errors_min = 2 clear_below = 90\n"
             "    fec_bit_error_rates = {\"SymbolError=0/2e-15/0/4e-15\"}\n"
             "    fec_loss_rates = {\"RcvErrors=0/0\", \"VL15Dropped=0.5/1\"}\n"
             "    congestion = 20 congestion_clear = 10\n"
             "    error_rates = {\"PortRcvErrors=0.25/4294967295\"} }\n",
             key);
    load(content);
    const struct conf_sweep sweep = {.method = SWEEP_SA,
                                     .interval_s = 5,
                                     .settle_ms = 0,
                                     .in_flight = 256,
                                     .attempts = 10,
                                     .timeout_ms = 60000,
                                     .has_mkey = true,
                                     .mkey = UINT64_C(0xFEDCBA9876543210)};
    struct conf_counters counters = default_counters();
    counters.ports = COUNTERS_OF_SWITCHES;
    counters.interval_s = 86400;
    counters.thresholds[COUNTER_SYMBOL_ERROR] = 0;
    counters.thresholds[COUNTER_LINK_DOWNED] = UINT32_MAX;
    counters.thresholds[COUNTER_XMIT_WAIT] = 7;
    counters.window_min[0] = 5;
    counters.window_min[1] = 60;
    memcpy(counters.bit_error_rates[COUNTER_SYMBOL_ERROR], (double[4]){1.5e-12},
           4 * sizeof(double));
    memcpy(counters.fec_bit_error_rates[COUNTER_SYMBOL_ERROR], (double[4]){0, 2e-15, 0, 4e-15},
           4 * sizeof(double));
    counters.fec_loss_rates[COUNTER_RCV_ERRORS][0] = 0;
    counters.fec_loss_rates[COUNTER_RCV_ERRORS][1] = 0;
    counters.fec_loss_rates[COUNTER_VL15_DROPPED][0] = 0.5;
    counters.fec_loss_rates[COUNTER_VL15_DROPPED][1] = 1;
    counters.errors_min = 2;
    counters.clear_percent = 90;
    counters.congestion_percent = 20;
    counters.congestion_clear = 10;
    counters.error_rates[COUNTER_RCV_ERRORS][0] = 0.25;
    counters.error_rates[COUNTER_RCV_ERRORS][1] = UINT32_MAX;
    check_sweep(&sweep);
    check_counters(&counters);
    assert_true(conf.fabric.with_master_sm);
    load("sweep { method = \"off\" } counters { ports = \"off\" thresholds = {} }");
    assert_int_equal(conf.sweep.method, SWEEP_OFF);
    assert_int_equal(conf.counters.ports, COUNTERS_OFF);
    assert_false(conf.fabric.with_master_sm);
}

TEST(policies_are_taken_in_their_order)
{
    struct conf_rule b = {.name = "b",
                          .enabled = true,
                          .severity = SEVERITY_EMERGENCY,
                          .category = CATEGORY_FABRIC,
                          .hold_down_s = 86400};
    const struct conf_rule a = {.name = "a",
                                .enabled = CONF_SAME,
                                .severity = SEVERITY_DEBUG,
                                .category = CATEGORY_VENDOR,
                                .hold_down_s = 0};
    load("policy \"b\" { events = {\"link-*\", \"gid-in-service\"} nodes = {\"leaf[12]\"} enabled "
         "= true\n"
         " severity = \"emergency\" category = \"fabric\" hold_down = 86400 }\n"
         "log { }\n"
         "policy \"a\" { severity = \"debug\" category = \"vendor\" hold_down = 0 }\n");
    add_pattern(&b.events, "link-*");
    add_pattern(&b.events, "gid-in-service");
    add_pattern(&b.nodes, "leaf[12]");
    assert_int_equal(conf.policy.rule_count, 2);
    check_rule(0, &b);
    check_rule(1, &a);
}

TEST(when_a_link_is_unreliable_is_taken)
{
    load("unreliable { occasions = 0 days = 365 }");
    assert_int_equal(conf.unreliable.occasions, 0);
    assert_int_equal(conf.unreliable.window_us, 365 * INT64_C(86400000000));
    load("unreliable { occasions = 16 days = 1 }");
    assert_int_equal(conf.unreliable.occasions, 16);
    assert_int_equal(conf.unreliable.window_us, INT64_C(86400000000));
}

TEST(what_is_told_less_often_is_taken)
{
    static const struct {
        const char *content;
        struct conf_policy policy;
    } ROWS[] = {
        {"repeats { window = 0 } flap { changes = 0 } storm { rate = 0 } consequences { hold = "
         "false } alarms { missing_age = 0 }",
         {.flap_within_s = 300, .flap_quiet_s = 300, .storm_period_s = 60}},
        {"repeats { window = 86400 } flap { changes = 16 within = 86400 quiet = 86400 }\n"
         "storm { rate = 100000 period = 3600 } consequences { hold = true }\n"
         "alarms { missing_age = 36500 }",
         {.repeat_window_s = 86400,
          .flap_changes = 16,
          .flap_within_s = 86400,
          .flap_quiet_s = 86400,
          .missing_age_us = 36500 * INT64_C(86400000000),
          .storm_rate = 100000,
          .storm_period_s = 3600,
          .hold_consequences = true}},
        {"flap { changes = 2 within = 1 quiet = 1 } storm { rate = 1 period = 1 }",
         {.repeat_window_s = 60,
          .flap_changes = 2,
          .flap_within_s = 1,
          .flap_quiet_s = 1,
          .missing_age_us = 30 * INT64_C(86400000000),
          .storm_rate = 1,
          .storm_period_s = 1,
          .hold_consequences = true}},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        load(ROWS[i].content);
        check_policy(&ROWS[i].policy);
    }
}

TEST(a_policy_that_changes_nothing_is_refused)
{
    assert_string_equal(
        error_of("policy \"a\" {\n events = {\"link-down\"}\n}\n"),
        "3: policy 'a': it changes nothing: give it 'enabled', 'severity', 'category' or "
        "'hold_down'");
}

TEST(there_is_room_for_so_many_policies)
{
    char content[8192];
    struct text t = text_in(content, sizeof content);
    for (int i = 0; i < CONF_RULES_MAX; i++)
        text_addf(&t, "policy \"p%d\" { enabled = false }\n", i);
    load(content);
    assert_int_equal(conf.policy.rule_count, CONF_RULES_MAX);
    text_add(&t, "policy \"more\" { enabled = false }\n");
    assert_string_equal(error_of(content), "65: policy 'more': there are more than 64 of them");
}

// A file may repeat a default, or configure something that is switched off.
TEST(a_default_may_stand_anywhere)
{
    load("snmp \"a\" { address = \"x\" auth = \"none\" privacy = \"none\" timeout = 1000 window = "
         "64 }\n"
         "snmp \"b\" { address = \"x\" version = \"3\" user = \"u\" community = \"public\" }\n"
         "syslog \"c\" { address = \"x\" transport = \"udp\" path = \"/dev/log\" }\n"
         "subagent { socket = \"\" writable = true }\n"); // switched off
    assert_int_equal(conf.receiver_count, 3);
}

TEST(folders_have_levels_of_their_own)
{
    load("log { level = \"warning\" levels = {\"ib=debug\", \"sink=error\"} }\n");
    assert_int_equal(level_of(LOG_FOLDER_IB), LOG_LEVEL_DEBUG);
    assert_int_equal(level_of(LOG_FOLDER_SINK), LOG_LEVEL_ERROR);
    assert_int_equal(level_of(LOG_FOLDER_DAEMON), LOG_LEVEL_WARNING);
    assert_int_equal(level_of(LOG_FOLDER_OTHER), LOG_LEVEL_WARNING);
}

// Each item alone is enough.
TEST(a_policy_changes_something)
{
    static const char *const ITEMS[] = {"enabled = false", "severity = \"warning\"",
                                        "category = \"link\"", "hold_down = 5"};
    for (size_t i = 0; i < COUNT(ITEMS); i++) {
        char content[100];
        snprintf(content, sizeof content, "policy \"a\" { %s }\n", ITEMS[i]);
        load(content);
        assert_int_equal(conf.policy.rule_count, 1);
    }
}

TEST(standard_output_is_added_once)
{
    const struct conf_receiver expected = make_syslog("standard-output", TRANSPORT_STDOUT);
    load_defaults();
    conf_add_stdout(&conf);
    assert_int_equal(conf.receiver_count, 2);
    check_receiver(1, &expected);
    conf_add_stdout(&conf);
    assert_int_equal(conf.receiver_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONF_TEST(defaults_hold_without_a_file),
        CONF_TEST(an_empty_file_changes_nothing),
        CONF_TEST(general_items_are_taken),
        CONF_TEST(metrics_have_a_port_of_their_own),
        CONF_TEST(items_of_sweeps_and_counters_are_taken),
        CONF_TEST(policies_are_taken_in_their_order),
        CONF_TEST(when_a_link_is_unreliable_is_taken),
        CONF_TEST(what_is_told_less_often_is_taken),
        CONF_TEST(a_policy_that_changes_nothing_is_refused),
        CONF_TEST(a_policy_changes_something),
        CONF_TEST(there_is_room_for_so_many_policies),
        CONF_TEST(a_default_may_stand_anywhere),
        CONF_TEST(folders_have_levels_of_their_own),
        CONF_TEST(standard_output_is_added_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
