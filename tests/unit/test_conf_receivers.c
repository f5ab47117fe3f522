// SPDX-License-Identifier: BSD-2-Clause
// The configuration: receivers over SNMP and syslog, and their secrets.
#include "conf_fixture.h"

#include "base/text.h"

TEST(items_of_snmp_receivers_are_taken)
{
    struct conf_receiver one = make_snmp("a", "192.0.2.1", 1162);
    struct conf_receiver two = make_snmp("b", "nms", 162);
    load("snmp \"a\" { address = \"192.0.2.1:1162\" version = \"1\" community = \"secret\"\n"
         " transport = \"tcp\" agent_address = \"192.0.2.7\" trap_address = true\n"
         " extra_varbinds = yes sets = {\"own\"} }\n"
         "snmp \"b\" { address = \"nms\" ipv6 = true inform = true timeout = 5000 retries = 0 "
         "window = 512\n"
         " sets = {\"switch\", \"sma\", \"event\"} rate = 0 burst = 1 max_age = 31536000 }\n");
    assert_int_equal(conf.receiver_count, 2);
    one.transport = TRANSPORT_TCP;
    one.snmp = (struct conf_snmp){.version = 1,
                                  .community = "secret",
                                  .timeout_ms = 1000,
                                  .retries = 3,
                                  .window = 64,
                                  .sets = SNMP_SET_OWN,
                                  .extra_varbinds = true,
                                  .trap_address = true,
                                  .agent_address = "192.0.2.7"};
    check_receiver(0, &one);
    two.ipv6 = true;
    two.snmp.inform = true;
    two.snmp.timeout_ms = 5000;
    two.snmp.retries = 0;
    two.snmp.window = 512;
    two.snmp.sets = SNMP_SET_SMA | SNMP_SET_SWITCH | SNMP_SET_EVENT;
    two.rate = 0;
    two.burst = 1;
    two.age_us = INT64_C(31536000000000);
    check_receiver(1, &two);
}

TEST(snmp_over_tls_is_version_3)
{
    struct conf_receiver one = make_snmp("a", "nms", 10162), two = make_snmp("b", "nms", 99);
    load("snmp \"a\" { address = \"nms\" transport = \"tls\" certificate_file = \"/c\" }\n"
         "snmp \"b\" { address = \"nms:99\" transport = \"dtls\" version = \"3\" inform = true\n"
         " ca_file = \"/ca\" crl_file = \"/crl\" certificate_file = \"/c\" key_file = \"/k\" "
         "server_name = \"n\"\n"
         " context = \"fabric\" }\n");
    one.transport = TRANSPORT_TLS;
    one.snmp.version = 3;
    one.tls = (struct conf_tls){.certificate_file = "/c"};
    check_receiver(0, &one);
    two.transport = TRANSPORT_DTLS;
    two.snmp.version = 3;
    two.snmp.inform = true;
    strcpy(two.snmp.context, "fabric");
    two.tls = (struct conf_tls){.ca_file = "/ca",
                                .crl_file = "/crl",
                                .certificate_file = "/c",
                                .key_file = "/k",
                                .server_name = "n"};
    check_receiver(1, &two);
}

TEST(items_of_syslog_receivers_are_taken)
{
    struct conf_receiver b = make_remote_syslog("b", TRANSPORT_UDP, "::1", 514);
    struct conf_receiver d = make_syslog("d", TRANSPORT_LOCAL), f = make_file("f", "-");
    load("syslog \"b\" { transport = \"udp\" address = \"[::1]\" facility = \"local7\" }\n"
         "syslog \"c\" { transport = \"stdout\" format = \"ecs\" }\n"
         "syslog \"d\" { path = \"/run/log\" facility = \"kern\" format = \"rfc5424\" }\n"
         "file \"f\" { path = \"-\" sync = false rate = 5 burst = 7 max_age = 9 }\n");
    b.syslog.facility = 23;
    check_receiver(0, &b);
    struct conf_receiver c = make_syslog("c", TRANSPORT_STDOUT);
    c.syslog.format = FORMAT_ECS;
    check_receiver(1, &c);
    d.syslog.facility = 0;
    strcpy(d.syslog.path, "/run/log");
    d.syslog.format = FORMAT_RFC5424;
    check_receiver(2, &d);
    f.file.sync = false;
    f.rate = 5;
    f.burst = 7;
    f.age_us = 9 * CLOCK_US_PER_S;
    check_receiver(3, &f);
}

TEST(each_transport_has_its_port)
{
    static const struct {
        const char *word;
        enum transport transport;
        uint16_t port;
    } ROWS[] = {{"udp", TRANSPORT_UDP, 514},
                {"tcp", TRANSPORT_TCP, 514},
                {"tls", TRANSPORT_TLS, 6514},
                {"relp", TRANSPORT_RELP, 2514},
                {"relp-tls", TRANSPORT_RELP_TLS, 2514}};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        const struct conf_receiver r =
            make_remote_syslog("s", ROWS[i].transport, "siem", ROWS[i].port);
        char content[200];
        snprintf(content, sizeof content, "syslog \"s\" { transport = \"%s\" address = \"siem\" }",
                 ROWS[i].word);
        load(content);
        check_receiver(0, &r);
    }
}

TEST(snmp_over_tls_without_what_it_needs_is_refused)
{
    static const struct {
        const char *items, *reason;
    } ROWS[] = {
        {"", "transport 'tls' needs item 'certificate_file'"},
        {"certificate_file = \"/c\" version = \"2c\"", "transport 'tls' needs version 3"},
        {"certificate_file = \"/c\" user = \"ibtrapd\"",
         "item 'user' has no use with transport 'tls': certificates stand for users and passwords"},
        {"certificate_file = \"/c\" auth = \"SHA\"",
         "item 'auth' has no use with transport 'tls': certificates stand for users and passwords"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char content[300], reason[200];
        snprintf(content, sizeof content, "snmp \"a\" { address = \"x\" transport = \"tls\" %s }",
                 ROWS[i].items);
        snprintf(reason, sizeof reason, "1: snmp 'a': %s", ROWS[i].reason);
        assert_string_equal(error_of(content), reason);
    }
}

TEST(every_kind_of_receiver_has_a_filter)
{
    static const char *const BEGINNINGS[] = {"snmp \"a\" { address = \"x\"", "syslog \"a\" {",
                                             "file \"a\" { path = \"/x\""};
    struct filter expected;
    filter_init(&expected);
    expected.severity = SEVERITY_ERROR;
    expected.security = false;
    add_pattern(&expected.events, "link-*");
    add_pattern(&expected.events, "gid-?*");
    add_pattern(&expected.categories, "link");
    add_pattern(&expected.categories, "s[em]*");
    add_pattern(&expected.nodes, "leaf[1-3]");
    add_pattern(&expected.guids, "0x*");
    add_pattern(&expected.switches, "spine 1");
    add_pattern(&expected.switches, "spine 2");
    for (size_t i = 0; i < COUNT(BEGINNINGS); i++) {
        char content[500];
        snprintf(content, sizeof content,
                 "%s severity = \"error\" security = false events = {\"link-*\", \"gid-?*\"}\n"
                 "categories = {\"link\", \"s[em]*\"} nodes = {\"leaf[1-3]\"} guids = {\"0x*\"}\n"
                 "switches = {\"spine 1\"} switches += {\"spine 2\"} }",
                 BEGINNINGS[i]);
        load(content);
        check_filter(&conf.receivers[0].filter, &expected);
    }
}

TEST(severities_can_be_mapped)
{
    load("syslog \"a\" { severity_map = {\"informational=notice\", \"emergency=debug\"} }");
    struct conf_receiver a = make_syslog("a", TRANSPORT_LOCAL);
    a.syslog.severities[SEVERITY_INFORMATIONAL] = SEVERITY_NOTICE;
    a.syslog.severities[SEVERITY_EMERGENCY] = SEVERITY_DEBUG;
    check_receiver(0, &a);
}

TEST(messages_of_a_stream_are_framed_in_two_ways)
{
    load("syslog \"a\" { transport = \"tcp\" address = \"x\" framing = \"lines\" } "
         "syslog \"b\" { framing = \"octet-counting\" } syslog \"c\" { }");
    assert_true(conf.receivers[0].syslog.lines);
    assert_false(conf.receivers[1].syslog.lines);
    assert_false(conf.receivers[2].syslog.lines);
}

TEST(secrets_come_from_files)
{
    char content[1000];
    const char *auth = support_file("auth", "authentic\n", 0600);
    const char *privacy = support_file("privacy", "very private\nnot this\n", 0400);
    const char *community = support_file("community", "hidden", 0600);
    snprintf(content, sizeof content,
             "snmp \"a\" { address = \"x\" version = \"3\" user = \"ibtrapd\" auth = \"SHA-256\"\n"
             "auth_password_file = \"%s\" privacy = \"AES\" privacy_password_file = \"%s\"\n"
             "context = \"fabric\" }\n"
             "snmp \"b\" { address = \"x\" community = \"shown\" community_file = \"%s\" }\n",
             auth, privacy, community);
    load(content);
    struct conf_receiver a = make_snmp("a", "x", 162), b = make_snmp("b", "x", 162);
    a.snmp = (struct conf_snmp){.version = 3,
                                .community = "public",
                                .user = "ibtrapd",
                                .context = "fabric",
                                .auth = SNMP_SHA256,
                                .privacy = SNMP_AES128,
                                .auth_password = "authentic",
                                .privacy_password = "very private",
                                .timeout_ms = 1000,
                                .retries = 3,
                                .window = 64};
    strcpy(b.snmp.community, "hidden");
    check_receiver(0, &a);
    check_receiver(1, &b);
}

// Each invalid combination of an SNMPv3 user's items.
TEST(half_a_version_3_is_refused)
{
    const char *password = support_file("password", "long enough\n", 0600);
    static const struct {
        const char *items, *error;
    } ROWS[] = {
        {"", "version 3 needs item 'user'"},
        {"user = \"u\" auth = \"SHA\"", "item 'auth' needs item 'auth_password_file'"},
        {"user = \"u\" privacy = \"AES\"", "item 'privacy' needs item 'auth'"},
        {"user = \"u\" privacy = \"AES\" privacy_password_file = \"%s\"",
         "item 'privacy' needs item 'auth'"},
        {"user = \"u\" auth = \"SHA\" auth_password_file = \"%s\" privacy = \"AES-256\"",
         "item 'privacy' needs item 'privacy_password_file'"},
        {"auth = \"SHA\" auth_password_file = \"%s\"", "version 3 needs item 'user'"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char content[500], expected[200];
        snprintf(content, sizeof content, "snmp \"a\" {\naddress = \"x\" version = \"3\" %s\n}\n",
                 ROWS[i].items);
        name_file(content, sizeof content, password);
        snprintf(expected, sizeof expected, "3: snmp 'a': %s", ROWS[i].error);
        assert_string_equal(error_of(content), expected);
    }
    load("snmp \"a\" { address = \"x\" version = \"3\" user = \"u\" }"); // noAuthNoPriv
    assert_string_equal(conf.receivers[0].snmp.user, "u");
}

static void check_secret(const char *item, const char *rest)
{
    char content[500], expected[700];
    const char *open = support_file("open", "secret word\n", 0640);
    const char *empty = support_file("empty", "\n", 0600);
    snprintf(content, sizeof content, "snmp \"a\" {\n%s = \"%s\" %s\n}", item, open, rest);
    snprintf(expected, sizeof expected,
             "2: item '%s': value '%s': '%s' can be accessed by others (mode 0640): run chmod 600 "
             "on it",
             item, open, open);
    assert_string_equal(error_of(content), expected);
    snprintf(content, sizeof content, "snmp \"a\" {\n%s = \"%s\" %s\n}", item, empty, rest);
    snprintf(expected, sizeof expected, "2: item '%s': value '%s': the first line of '%s' is empty",
             item, empty, empty);
    assert_string_equal(error_of(content), expected);
}

TEST(mistakes_beside_a_secret_do_not_show_it)
{
    static const char *const FILES[] = {
        "snmp \"a\" { address = \"192.0.2.1\"\n community \"hunter2\" }\n",
        "snmp \"a\" { address = \"192.0.2.1\"\n community = \"x\" \"hunter2\" }\n",
        "snmp \"a\" { address = \"192.0.2.1\"\n community += \"hunter2\" }\n",
        // the secret in place of the file with the secret
        "fabric {\n sa_key_file = hunter2 }\n", "sweep {\n mkey_file = hunter2 }\n",
        "snmp \"a\" { address = \"192.0.2.1\"\n community_file = hunter2 }\n",
        "snmp \"a\" { address = \"192.0.2.1\"\n auth_password_file = correct hunter2 }\n",
        "snmp \"a\" { address = \"192.0.2.1\"\n privacy_password_file = \"hunter2\" }\n",
        // under a name that no item has
        "snmp \"a\" { address = \"192.0.2.1\"\n comunity \"hunter2\" }\n",
        "snmp \"a\" { address = \"192.0.2.1\"\n auth_password = correct hunter2 battery }\n",
        "fabric {\n sa_key = correct hunter2 }\n", "\ncommunity = correct hunter2\n",
        "snmp \"a\" { address = \"192.0.2.1\" community =\n correct hunter2 }\n"};
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        assert_false(conf_load_text(FILES[i], "it", true, &conf, &err));
        assert_non_null(strstr(err.text, "it:2: "));
        assert_null(strstr(err.text, "hunter2"));
        assert_null(strstr(mistakes_of(FILES[i]), "hunter2"));
    }
}

TEST(secrets_that_others_can_read_are_refused)
{
    check_secret("community_file", "");
    check_secret("auth_password_file", "auth = \"SHA\"");
    check_secret("privacy_password_file", "privacy = \"AES\"");
}

TEST(a_key_of_tls_that_others_can_read_is_refused)
{
    static const char *const KINDS[] = {"snmp", "syslog"};
    const char *key = support_file("tls.key", "-----BEGIN", 0640);
    for (size_t i = 0; i < COUNT(KINDS); i++) {
        char content[300], expected[600];
        snprintf(content, sizeof content, "%s \"a\" {\nkey_file = \"%s\" }", KINDS[i], key);
        snprintf(expected, sizeof expected,
                 "2: item 'key_file': value '%s': '%s' can be accessed by others (mode 0640): run "
                 "chmod 600 on it",
                 key, key);
        assert_string_equal(error_of(content), expected);
    }
}

TEST(addresses)
{
    static const struct {
        const char *address, *host;
        uint16_t port;
    } ROWS[] = {
        {"nms", "nms", 162},
        {"nms:1", "nms", 1},
        {"192.0.2.1", "192.0.2.1", 162},
        {"192.0.2.1:65535", "192.0.2.1", 65535},
        {"[2001:db8::1]", "2001:db8::1", 162},
        {"[fe80::1%eth0]:10162", "fe80::1%eth0", 10162},
        {"NMS-1.example_1.org.:1", "NMS-1.example_1.org.", 1},
        {"1and1.com", "1and1.com", 162},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char content[200];
        snprintf(content, sizeof content, "snmp \"a\" { address = \"%s\" }", ROWS[i].address);
        load(content);
        assert_string_equal(conf.receivers[0].host, ROWS[i].host);
        assert_int_equal(conf.receivers[0].port, ROWS[i].port);
    }
}

TEST(receivers_behind_a_master_agent)
{
    const struct conf_receiver plain = make_agentx("a");
    struct conf_receiver full = make_agentx("b");
    load("agentx \"a\" { }\n"
         "agentx \"b\" { socket = \"tcp:[::1]:705\" context = \"ib0\" sets = {\"own\", \"sma\"}\n"
         "extra_varbinds = true rate = 5 }");
    assert_int_equal(conf.receiver_count, 2);
    full.rate = 5;
    full.agentx = (struct conf_agentx){.socket = "tcp:[::1]:705",
                                       .context = "ib0",
                                       .sets = SNMP_SET_SMA | SNMP_SET_OWN,
                                       .extra_varbinds = true};
    check_receiver(0, &plain);
    check_receiver(1, &full);
}

TEST(bad_master_agents_are_refused)
{
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"agentx \"a\" { socket = \"master\" }",
         "1: item 'socket': value 'master': must be an absolute path, or like tcp:127.0.0.1:705"},
        {"agentx \"a\" { socket = \"tcp:localhost:705\" }",
         "1: item 'socket': value 'tcp:localhost:705': the host must be an IP address"},
        {"agentx \"a\" { socket = \"tcp:127.0.0.1\" }",
         "1: item 'socket': value 'tcp:127.0.0.1': the port is missing"},
        {"agentx \"a\" { socket = \"\" }",
         "1: agentx 'a': item 'socket' is empty: it says where the master agent listens"},
        {"agentx \"a\" { sets = {\"all\"} }",
         "1: item 'sets': value 'all': must be one of sma, switch, own, event"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
}

TEST(a_key_that_others_can_read_is_refused)
{
    static const char *const ITEMS[][2] = {{"fabric", "sa_key_file"}, {"sweep", "mkey_file"}};
    const char *key = support_file("key", "1\n", 0644);
    for (size_t i = 0; i < COUNT(ITEMS); i++) {
        char content[300], expected[600];
        snprintf(content, sizeof content, "%s { %s = \"%s\" }", ITEMS[i][0], ITEMS[i][1], key);
        snprintf(expected, sizeof expected,
                 "1: item '%s': value '%s': '%s' can be accessed by others (mode 0644): run chmod "
                 "600 on it",
                 ITEMS[i][1], key, key);
        assert_string_equal(error_of(content), expected);
    }
}

TEST(receivers_need_their_own_names)
{
    static const char *const FILES[] = {
        "snmp \"a\" { address = \"x\" }\nsnmp \"a\" { address = \"y\" }\n",
        "syslog \"a\" { }\nsyslog \"a\" { }\n",
        "file \"a\" { path = \"/x\" }\nsyslog \"a\" { }\n",
        "snmp \"a\" { address = \"x\" }\nsyslog \"a\" { }\n",
    };
    for (size_t i = 0; i < COUNT(FILES); i++)
        assert_non_null(strstr(error_of(FILES[i]), "'a'"));
    assert_string_equal(err.text + strlen(err.text) - strlen("another receiver has that name"),
                        "another receiver has that name");
}

TEST(what_a_receiver_needs_must_be_there)
{
    assert_string_equal(error_of("\nsnmp \"a\" {\n}\n"),
                        "3: snmp 'a': item 'address' is missing: it says where the receiver is");
    static const char *const TRANSPORTS[] = {"udp", "tcp", "tls", "relp"};
    for (size_t i = 0; i < COUNT(TRANSPORTS); i++) {
        char content[100];
        snprintf(content, sizeof content, "syslog \"a\" { transport = \"%s\" }", TRANSPORTS[i]);
        assert_string_equal(
            error_of(content),
            "1: syslog 'a': item 'address' is missing: it says where the receiver is");
    }
    assert_string_equal(error_of("\nfile \"a\" { }"),
                        "2: file 'a': item 'path' is missing: it says where to write");
}

TEST(a_bad_severity_map_is_told)
{
    static const char *const VALUES[] = {
        "informational", "informational=",     "=notice",       "a=notice",
        "notice=5",      "notice=alert=debug", " notice=alert", ""};
    for (size_t i = 0; i < COUNT(VALUES); i++) {
        char content[200], expected[300];
        snprintf(content, sizeof content, "\nsyslog \"a\" { severity_map = {\"%s\"} }", VALUES[i]);
        snprintf(expected, sizeof expected,
                 "2: item 'severity_map': value '%s': must be two severities, such as "
                 "\"informational=notice\"",
                 VALUES[i]);
        assert_string_equal(error_of(content), expected);
    }
}

TEST(there_is_room_for_so_many_receivers)
{
    char content[8192];
    struct text t = text_in(content, sizeof content);
    for (int i = 0; i < CONF_RECEIVERS_MAX; i++)
        text_addf(&t, "syslog \"s%d\" { }\n", i);
    load(content);
    assert_int_equal(conf.receiver_count, CONF_RECEIVERS_MAX);
    text_add(&t, "syslog \"more\" { }\n");
    assert_string_equal(error_of(content), "65: syslog 'more': there are more than 64 receivers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONF_TEST(items_of_snmp_receivers_are_taken),
        CONF_TEST(items_of_syslog_receivers_are_taken),
        CONF_TEST(each_transport_has_its_port),
        CONF_TEST(snmp_over_tls_is_version_3),
        CONF_TEST(snmp_over_tls_without_what_it_needs_is_refused),
        CONF_TEST(every_kind_of_receiver_has_a_filter),
        CONF_TEST(severities_can_be_mapped),
        CONF_TEST(messages_of_a_stream_are_framed_in_two_ways),
        CONF_TEST(secrets_come_from_files),
        CONF_TEST(half_a_version_3_is_refused),
        CONF_TEST(mistakes_beside_a_secret_do_not_show_it),
        CONF_TEST(secrets_that_others_can_read_are_refused),
        CONF_TEST(a_key_of_tls_that_others_can_read_is_refused),
        CONF_TEST(addresses),
        CONF_TEST(receivers_behind_a_master_agent),
        CONF_TEST(bad_master_agents_are_refused),
        CONF_TEST(a_key_that_others_can_read_is_refused),
        CONF_TEST(receivers_need_their_own_names),
        CONF_TEST(what_a_receiver_needs_must_be_there),
        CONF_TEST(a_bad_severity_map_is_told),
        CONF_TEST(there_is_room_for_so_many_receivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
