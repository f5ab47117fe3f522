// SPDX-License-Identifier: BSD-2-Clause
// The configuration: the example file.
#include "conf_fixture.h"

#include "base/text.h"
#include "install.h"

// Two paths of the example depend on where ibtrapd is installed.
static void use_installed_paths(void)
{
    snprintf(conf.socket, sizeof conf.socket, "%s", INSTALL_CONTROL_SOCKET);
    snprintf(conf.journal.directory, sizeof conf.journal.directory, "%s", INSTALL_STATE_DIRECTORY);
}

TEST(the_example_shows_the_defaults)
{
    load_path(EXAMPLE);
    use_installed_paths();
    check_defaults("local");
}

static bool begins_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool is_section(const char *line)
{
    return begins_with(line, "# snmp \"") || begins_with(line, "# syslog \"") ||
           begins_with(line, "# file \"") || begins_with(line, "# agentx \"") ||
           begins_with(line, "# policy \"") || begins_with(line, "# metrics {") ||
           begins_with(line, "# subagent {");
}

// Matches "    # item = value", except items that name secrets and items with a placeholder as
// value.
static bool is_item(const char *line)
{
    static const char *const NOT[] = {
        "sa_key_file", "mkey_file",      "vskey_file", "node_name_map", "expected_topology",
        "notices",     "_password_file", "context",    "user =",        "community_file"};
    const char *p = line + strspn(line, " ");
    if (!begins_with(p, "# "))
        return false;
    size_t word = strspn(p + 2, "abcdefghijklmnopqrstuvwxyz_");
    for (size_t i = 0; i < COUNT(NOT); i++) {
        if (strstr(p, NOT[i]))
            return false;
    }
    return word > 0 && begins_with(p + 2 + word, " = ");
}

// The buffer has room after the content.
static void replace(char *content, const char *old, const char *new)
{
    char *place = strstr(content, old);
    assert_non_null(place);
    memmove(place + strlen(new), place + strlen(old), strlen(place + strlen(old)) + 1);
    memcpy(place, new, strlen(new));
}

// Sections and items that the commented items require.
static void let_them_have_effect(char *content)
{
    char *snmp = strstr(content, " snmp \"nms\"");
    assert_non_null(snmp);
    replace(snmp, "transport = \"udp\"", "transport = \"dtls\"");
    replace(snmp, "version = \"2c\"", "version = \"3\"");
    replace(snmp, "trap_address = false", "trap_address = true");
    replace(snmp, "transport = \"local\"", "transport = \"tls\"");
}

// The example with its commented sections, and, if `items`, with the items in comments too.
static void load_example(bool items)
{
    FILE *f = fopen(EXAMPLE, "r");
    char line[300], content[65536];
    struct text t = text_in(content, sizeof content);
    bool inside = false;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        bool comment = inside || is_section(line);
        char *p = line;
        inside = comment && !begins_with(line, "# }");
        if (comment) {
            assert_int_equal(line[0], '#');
            p++;
        }
        if (items && is_item(p))
            *strchr(p, '#') = ' ';
        text_add(&t, p);
    }
    fclose(f);
    assert_false(t.cut);
    assert_false(inside);
    if (items)
        let_them_have_effect(content);
    load(content);
    use_installed_paths();
}

static size_t find_receiver(const char *name)
{
    for (size_t i = 0; i < conf.receiver_count; i++) {
        if (strcmp(conf.receivers[i].name, name) == 0)
            return i;
    }
    fail_msg("there is no receiver %s", name);
    return 0;
}

static struct conf_receiver example_siem(void)
{
    struct conf_receiver r = make_remote_syslog("siem", TRANSPORT_TLS, "siem.example.org", 6514);
    snprintf(r.tls.ca_file, sizeof r.tls.ca_file, "/etc/ibtrapd/siem-ca.pem");
    snprintf(r.tls.server_name, sizeof r.tls.server_name, "siem.example.org");
    r.syslog.facility = 19;
    r.syslog.severities[SEVERITY_INFORMATIONAL] = SEVERITY_NOTICE;
    r.filter.severity = SEVERITY_WARNING;
    return r;
}

TEST(the_examples_sections_show_the_defaults_too)
{
    struct conf_receiver nms = make_snmp("nms", "nms.example.org", 162);
    const struct conf_receiver local = make_syslog("local", TRANSPORT_LOCAL);
    const struct conf_receiver siem = example_siem();
    nms.snmp.inform = true; // the example is better than the default
    load_example(false);
    check_general_defaults();
    check_receiver(find_receiver("nms"), &nms);
    check_receiver(find_receiver("local"), &local);
    check_receiver(find_receiver("siem"), &siem);
    const struct conf_receiver *file = &conf.receivers[find_receiver("archive")];
    const struct conf_receiver archive = make_file("archive", file->file.path);
    check_receiver(find_receiver("archive"), &archive);
    const struct conf_receiver snmpd = make_agentx("snmpd");
    check_receiver(find_receiver("snmpd"), &snmpd);
    assert_string_equal(conf.metrics.host, "127.0.0.1");
    assert_string_equal(conf.subagent.socket, "/var/agentx/master");
    assert_int_equal(conf.receiver_count, 5);
    const struct conf_rule rule = {.name = "no-drains",
                                   .enabled = false,
                                   .severity = CONF_SAME,
                                   .category = CONF_SAME,
                                   .hold_down_s = CONF_SAME};
    check_rule(0, &rule);
}

TEST(the_example_is_proper_where_it_is_commented_out)
{
    struct conf_receiver nms = make_snmp("nms", "nms.example.org", 10162);
    const struct conf_receiver siem = example_siem();
    load_example(true);
    assert_string_equal(conf.fabric.device, "mlx5_0");
    nms.transport = TRANSPORT_DTLS;
    nms.snmp.version = 3;
    nms.snmp.inform = true;
    nms.snmp.trap_address = true;
    nms.tls = (struct conf_tls){.ca_file = "/etc/ibtrapd/nms-ca.pem",
                                .crl_file = "/etc/ibtrapd/nms.crl",
                                .certificate_file = "/etc/ibtrapd/ibtrapd.pem",
                                .key_file = "/etc/ibtrapd/ibtrapd.key",
                                .server_name = "nms.example.org"};
    snprintf(nms.snmp.agent_address, sizeof nms.snmp.agent_address, "192.0.2.7");
    nms.snmp.sets = SNMP_SET_SMA | SNMP_SET_SWITCH | SNMP_SET_OWN | SNMP_SET_EVENT;
    add_pattern(&nms.filter.events, "link-*");
    add_pattern(&nms.filter.events, "gid-*");
    add_pattern(&nms.filter.categories, "link");
    add_pattern(&nms.filter.categories, "node");
    add_pattern(&nms.filter.nodes, "leaf*");
    add_pattern(&nms.filter.guids, "0x0002c903*");
    add_pattern(&nms.filter.switches, "leaf1*");
    check_receiver(find_receiver("nms"), &nms);
    struct conf_receiver local =
        make_remote_syslog("local", TRANSPORT_TLS, "siem.example.org", 6514);
    local.syslog.format = FORMAT_RFC3164;
    local.syslog.severities[SEVERITY_INFORMATIONAL] = SEVERITY_NOTICE;
    check_receiver(find_receiver("local"), &local);
    check_receiver(find_receiver("siem"), &siem);
    struct conf_rule rule = {.name = "no-drains",
                             .enabled = false,
                             .severity = SEVERITY_WARNING,
                             .category = CATEGORY_LINK,
                             .hold_down_s = 30};
    add_pattern(&rule.events, "link-*");
    add_pattern(&rule.events, "switch-removed");
    add_pattern(&rule.nodes, "leaf*");
    add_pattern(&rule.nodes, "0x0002c903*");
    check_rule(0, &rule);
}

TEST(the_minimal_file_is_enough)
{
    struct conf_receiver nms = make_snmp("nms", "127.0.0.1", 162);
    const struct conf_receiver local = make_syslog("local", TRANSPORT_LOCAL);
    nms.snmp.inform = true;
    load_path(CONFIG_DIRECTORY "/minimal.conf");
    assert_int_equal(conf.receiver_count, 2);
    check_receiver(0, &nms);
    check_receiver(1, &local);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONF_TEST(the_example_shows_the_defaults),
        CONF_TEST(the_examples_sections_show_the_defaults_too),
        CONF_TEST(the_example_is_proper_where_it_is_commented_out),
        CONF_TEST(the_minimal_file_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
