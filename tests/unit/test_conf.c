// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/text.h"
#include "conf/load.h"
#include "install.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

static struct conf conf;
static struct error err;

static void load_path(const char *path)
{
    conf_free(&conf);
    if (!conf_load(path, &conf, &err))
        fail_msg("%s", err.text);
}

static void load(const char *content)
{
    load_path(support_file("conf", content, 0644));
}

// The error for a file, without the file's path.
static const char *error_of(const char *content)
{
    const char *path = support_file("conf", content, 0644);
    conf_free(&conf);
    assert_false(conf_load(path, &conf, &err));
    assert_null(conf.receivers);
    assert_memory_equal(err.text, path, strlen(path));
    assert_int_equal(err.text[strlen(path)], ':');
    return err.text + strlen(path) + 1;
}

// All errors of a content, one line each, without the path.
static const char *mistakes_of(const char *content)
{
    static char all[8192];
    static struct conf_mistakes mistakes;
    struct text t = text_in(all, sizeof all);
    const char *path = support_file("conf", content, 0644);
    struct instance instance;
    assert_true(instance_find(NULL, &instance, &err));
    assert_false(conf_load_instance(&instance, path, &conf, &mistakes, &err));
    assert_in_range(mistakes.count, 1, CONF_MISTAKES_MAX);
    for (size_t i = 0; i < mistakes.count; i++)
        text_addf(&t, "%s\n", mistakes.sentences[i].text + strlen(path) + 1);
    return all;
}

static int release(void **state)
{
    (void)state;
    conf_free(&conf);
    return 0;
}

// The defaults of a receiver with an empty section.
static struct conf_receiver make_receiver(enum conf_kind kind, const char *name)
{
    struct conf_receiver r = {.kind = kind, .burst = 100};
    snprintf(r.name, sizeof r.name, "%s", name);
    filter_init(&r.filter);
    return r;
}

static struct conf_receiver make_snmp(const char *name, const char *host, uint16_t port)
{
    struct conf_receiver r = make_receiver(CONF_SNMP, name);
    r.transport = CONF_UDP;
    r.port = port;
    r.rate = 1000;
    snprintf(r.host, sizeof r.host, "%s", host);
    r.snmp = (struct conf_snmp){
        .version = 2, .community = "public", .timeout_ms = 1000, .retries = 3, .window = 64};
    return r;
}

static struct conf_receiver make_syslog(const char *name, enum conf_transport transport)
{
    struct conf_receiver r = make_receiver(CONF_SYSLOG, name);
    r.transport = transport;
    r.syslog = (struct conf_syslog){.facility = 3, .path = "/dev/log"};
    r.syslog.format = transport == CONF_LOCAL ? CONF_RFC3164 : CONF_RFC5424;
    for (int i = 0; i < 8; i++)
        r.syslog.severities[i] = i;
    return r;
}

static struct conf_receiver make_remote_syslog(const char *name, enum conf_transport transport,
                                               const char *host, uint16_t port)
{
    struct conf_receiver r = make_syslog(name, transport);
    r.port = port;
    snprintf(r.host, sizeof r.host, "%s", host);
    return r;
}

static struct conf_receiver make_file(const char *name, const char *path)
{
    struct conf_receiver r = make_receiver(CONF_FILE, name);
    snprintf(r.file.path, sizeof r.file.path, "%s", path);
    r.file.sync = true;
    return r;
}

static struct conf_receiver make_agentx(const char *name)
{
    struct conf_receiver r = make_receiver(CONF_AGENTX, name);
    r.rate = 1000;
    snprintf(r.agentx.socket, sizeof r.agentx.socket, "/var/agentx/master");
    return r;
}

static void add_pattern(struct filter_list *list, const char *pattern)
{
    snprintf(list->patterns[list->count++], FILTER_PATTERN_SIZE, "%s", pattern);
}

static void check_list(const struct filter_list *list, const struct filter_list *expected)
{
    assert_int_equal(list->count, expected->count);
    for (size_t i = 0; i < expected->count; i++)
        assert_string_equal(list->patterns[i], expected->patterns[i]);
}

static void check_filter(const struct filter *f, const struct filter *expected)
{
    assert_int_equal(f->severity, expected->severity);
    assert_int_equal(f->security, expected->security);
    check_list(&f->events, &expected->events);
    check_list(&f->categories, &expected->categories);
    check_list(&f->nodes, &expected->nodes);
    check_list(&f->guids, &expected->guids);
    check_list(&f->switches, &expected->switches);
}

static void check_snmp(const struct conf_snmp *s, const struct conf_snmp *expected)
{
    assert_int_equal(s->version, expected->version);
    assert_int_equal(s->inform, expected->inform);
    assert_string_equal(s->community, expected->community);
    assert_string_equal(s->user, expected->user);
    assert_string_equal(s->context, expected->context);
    assert_int_equal(s->auth, expected->auth);
    assert_int_equal(s->privacy, expected->privacy);
    assert_string_equal(s->auth_password, expected->auth_password);
    assert_string_equal(s->privacy_password, expected->privacy_password);
    assert_int_equal(s->timeout_ms, expected->timeout_ms);
    assert_int_equal(s->retries, expected->retries);
    assert_int_equal(s->window, expected->window);
    assert_int_equal(s->sets, expected->sets);
    assert_int_equal(s->extra_varbinds, expected->extra_varbinds);
    assert_int_equal(s->trap_address, expected->trap_address);
    assert_string_equal(s->agent_address, expected->agent_address);
}

static void check_syslog(const struct conf_syslog *s, const struct conf_syslog *expected)
{
    assert_int_equal(s->format, expected->format);
    assert_int_equal(s->facility, expected->facility);
    for (size_t i = 0; i < COUNT(s->severities); i++)
        assert_int_equal(s->severities[i], expected->severities[i]);
    assert_string_equal(s->path, expected->path);
}

static void check_tls(const struct conf_tls *t, const struct conf_tls *expected)
{
    assert_string_equal(t->ca_file, expected->ca_file);
    assert_string_equal(t->crl_file, expected->crl_file);
    assert_string_equal(t->certificate_file, expected->certificate_file);
    assert_string_equal(t->key_file, expected->key_file);
    assert_string_equal(t->server_name, expected->server_name);
}

static void check_receiver(size_t i, const struct conf_receiver *expected)
{
    const struct conf_receiver *r = &conf.receivers[i];
    assert_in_range(i + 1, 1, conf.receiver_count);
    assert_string_equal(r->name, expected->name);
    assert_int_equal(r->kind, expected->kind);
    assert_int_equal(r->transport, expected->transport);
    assert_string_equal(r->host, expected->host);
    assert_int_equal(r->port, expected->port);
    assert_int_equal(r->ipv6, expected->ipv6);
    assert_int_equal(r->rate, expected->rate);
    assert_int_equal(r->burst, expected->burst);
    assert_int_equal(r->age_us, expected->age_us);
    check_filter(&r->filter, &expected->filter);
    check_snmp(&r->snmp, &expected->snmp);
    check_syslog(&r->syslog, &expected->syslog);
    check_tls(&r->tls, &expected->tls);
    assert_string_equal(r->file.path, expected->file.path);
    assert_int_equal(r->file.sync, expected->file.sync);
    assert_string_equal(r->agentx.socket, expected->agentx.socket);
    assert_string_equal(r->agentx.context, expected->agentx.context);
    assert_int_equal(r->agentx.sets, expected->agentx.sets);
    assert_int_equal(r->agentx.extra_varbinds, expected->agentx.extra_varbinds);
}

static void check_fabric(const struct conf_fabric *expected)
{
    assert_string_equal(conf.fabric.device, expected->device);
    assert_int_equal(conf.fabric.port, expected->port);
    assert_int_equal(conf.fabric.has_sa_key, expected->has_sa_key);
    assert_int_equal(conf.fabric.sa_key, expected->sa_key);
    assert_int_equal(conf.fabric.pkey, expected->pkey);
    assert_int_equal(conf.fabric.key_guid_count, expected->key_guid_count);
    assert_memory_equal(conf.fabric.key_guids, expected->key_guids, sizeof expected->key_guids);
    assert_string_equal(conf.fabric.node_name_map, expected->node_name_map);
    assert_string_equal(conf.fabric.expected_topology, expected->expected_topology);
    assert_int_equal(conf.fabric.expected_by_name, expected->expected_by_name);
    assert_int_equal(conf.fabric.verify_interval_s, expected->verify_interval_s);
    assert_int_equal(conf.fabric.refresh_interval_s, expected->refresh_interval_s);
    assert_int_equal(conf.fabric.with_master_sm, expected->with_master_sm);
}

static void check_sweep(const struct conf_sweep *expected)
{
    assert_int_equal(conf.sweep.method, expected->method);
    assert_int_equal(conf.sweep.interval_s, expected->interval_s);
    assert_int_equal(conf.sweep.settle_ms, expected->settle_ms);
    assert_int_equal(conf.sweep.in_flight, expected->in_flight);
    assert_int_equal(conf.sweep.attempts, expected->attempts);
    assert_int_equal(conf.sweep.timeout_ms, expected->timeout_ms);
    assert_int_equal(conf.sweep.has_mkey, expected->has_mkey);
    assert_int_equal(conf.sweep.mkey, expected->mkey);
}

static void check_counters(const struct conf_counters *expected)
{
    assert_int_equal(conf.counters.ports, expected->ports);
    assert_int_equal(conf.counters.interval_s, expected->interval_s);
    for (size_t i = 0; i < COUNTER_ERRORS; i++)
        assert_int_equal(conf.counters.thresholds[i], expected->thresholds[i]);
    for (size_t i = 0; i < COUNTER_ERRORS; i++) {
        for (int w = 0; w < 2; w++) {
            assert_true(conf.counters.bit_error_rates[i][w] == expected->bit_error_rates[i][w]);
            assert_true(conf.counters.error_rates[i][w] == expected->error_rates[i][w]);
        }
    }
    assert_int_equal(conf.counters.window_min[0], expected->window_min[0]);
    assert_int_equal(conf.counters.window_min[1], expected->window_min[1]);
    assert_int_equal(conf.counters.errors_min, expected->errors_min);
    assert_int_equal(conf.counters.clear_percent, expected->clear_percent);
    assert_int_equal(conf.counters.congestion_percent, expected->congestion_percent);
    assert_int_equal(conf.counters.congestion_clear, expected->congestion_clear);
}

static void check_policy(const struct conf_policy *expected)
{
    assert_int_equal(conf.policy.repeat_window_s, expected->repeat_window_s);
    assert_int_equal(conf.policy.flap_changes, expected->flap_changes);
    assert_int_equal(conf.policy.flap_within_s, expected->flap_within_s);
    assert_int_equal(conf.policy.flap_quiet_s, expected->flap_quiet_s);
    assert_int_equal(conf.policy.missing_age_us, expected->missing_age_us);
    assert_int_equal(conf.policy.storm_rate, expected->storm_rate);
    assert_int_equal(conf.policy.storm_period_s, expected->storm_period_s);
    assert_int_equal(conf.policy.hold_consequences, expected->hold_consequences);
}

static void check_rule(size_t i, const struct conf_rule *expected)
{
    const struct conf_rule *rule = &conf.policy.rules[i];
    assert_in_range(i + 1, 1, conf.policy.rule_count);
    assert_string_equal(rule->name, expected->name);
    check_list(&rule->events, &expected->events);
    check_list(&rule->nodes, &expected->nodes);
    assert_int_equal(rule->enabled, expected->enabled);
    assert_int_equal(rule->severity, expected->severity);
    assert_int_equal(rule->category, expected->category);
    assert_int_equal(rule->hold_down_s, expected->hold_down_s);
}

static struct conf_counters default_counters(void)
{
    return (struct conf_counters){
        .ports = CONF_ALL_PORTS,
        .interval_s = 60,
        .thresholds = {[COUNTER_LINK_DOWNED] = 2,
                       [COUNTER_LOCAL_LINK_INTEGRITY_ERRORS] = 1,
                       [COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS] = 1},
        .window_min = {12, 125},
        .bit_error_rates =
            {[COUNTER_SYMBOL_ERROR] = {1e-13, 1e-14}, [COUNTER_FEC_UNCORRECTABLE] = {1e-13, 1e-14}},
        .error_rates = {[COUNTER_SYMBOL_ERROR] = {120, 60},
                        [COUNTER_LINK_ERROR_RECOVERY] = {20, 2},
                        [COUNTER_RCV_ERRORS] = {120, 24},
                        [COUNTER_XMIT_DISCARDS] = {6000, 3000},
                        [COUNTER_VL15_DROPPED] = {6000, 3000},
                        [COUNTER_FEC_UNCORRECTABLE] = {120, 60}},
        .errors_min = 5,
        .clear_percent = 50,
        .congestion_clear = 5,
    };
}

static void check_journal(const struct conf_journal *expected)
{
    assert_string_equal(conf.journal.directory, expected->directory);
    assert_int_equal(conf.journal.rows_max, expected->rows_max);
    assert_int_equal(conf.journal.bytes_max, expected->bytes_max);
    assert_int_equal(conf.journal.age_us, expected->age_us);
}

static void check_levels(enum log_level level)
{
    for (int i = 0; i < LOG_FOLDER_COUNT; i++)
        assert_int_equal(conf.log_levels[i], level);
}

static void check_general_defaults(void)
{
    const struct conf_fabric fabric = {.verify_interval_s = 5, .refresh_interval_s = 300};
    const struct conf_journal journal = {.directory = INSTALL_STATE_DIRECTORY,
                                         .rows_max = 1000000,
                                         .bytes_max = INT64_C(1) << 30,
                                         .age_us = INT64_C(2678400000000)};
    const struct conf_sweep sweep = {.method = CONF_SWEEP_SMP,
                                     .interval_s = 60,
                                     .settle_ms = 500,
                                     .in_flight = 8,
                                     .attempts = 4,
                                     .timeout_ms = 500};
    const struct conf_counters counters = default_counters();
    const struct conf_policy policy = {.repeat_window_s = 60,
                                       .flap_changes = 6,
                                       .flap_within_s = 300,
                                       .flap_quiet_s = 300,
                                       .missing_age_us = 30 * INT64_C(86400000000),
                                       .storm_rate = 50,
                                       .storm_period_s = 60,
                                       .hold_consequences = true};
    check_fabric(&fabric);
    check_sweep(&sweep);
    check_counters(&counters);
    check_journal(&journal);
    assert_int_equal(conf.heartbeat_s, 0);
    assert_string_equal(conf.name, "");
    assert_int_equal(conf.metrics.port, 9117);
    assert_string_equal(conf.subagent.context, "");
    assert_false(conf.subagent.has_context);
    assert_false(conf.subagent.writable);
    assert_int_equal(conf.subagent.event_trap_level, 4); // informational
    assert_int_equal(conf.subagent.recipient_port, 162);
    check_policy(&policy);
    assert_int_equal(conf.unreliable.occasions, 3);
    assert_int_equal(conf.unreliable.window_us, 30 * INT64_C(86400000000));
    assert_string_equal(conf.socket, INSTALL_CONTROL_SOCKET);
    assert_int_equal(conf.socket_group, (gid_t)-1);
    check_levels(LOG_LEVEL_INFO);
}

static void check_defaults(const char *receiver_name)
{
    const struct conf_receiver syslog = make_syslog(receiver_name, CONF_LOCAL);
    check_general_defaults();
    assert_string_equal(conf.metrics.host, "");
    assert_string_equal(conf.subagent.socket, "");
    assert_int_equal(conf.receiver_count, 1);
    assert_int_equal(conf.policy.rule_count, 0);
    check_receiver(0, &syslog);
}

static void load_defaults(void)
{
    conf_free(&conf);
    assert_true(conf_defaults(&conf, &err));
}

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
        "sa_key_file",    "mkey_file", "node_name_map", "expected_topology",
        "_password_file", "context",   "user =",        "community_file"};
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
    struct conf_receiver r = make_remote_syslog("siem", CONF_TLS, "siem.example.org", 6514);
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
    const struct conf_receiver local = make_syslog("local", CONF_LOCAL);
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
    nms.transport = CONF_DTLS;
    nms.snmp.version = 3;
    nms.snmp.inform = true;
    nms.snmp.trap_address = true;
    nms.tls = (struct conf_tls){.ca_file = "/etc/ibtrapd/nms-ca.pem",
                                .crl_file = "/etc/ibtrapd/nms.crl",
                                .certificate_file = "/etc/ibtrapd/ibtrapd.pem",
                                .key_file = "/etc/ibtrapd/ibtrapd.key",
                                .server_name = "nms.example.org"};
    snprintf(nms.snmp.agent_address, sizeof nms.snmp.agent_address, "192.0.2.7");
    nms.snmp.sets = CONF_SET_SMA | CONF_SET_SWITCH | CONF_SET_OWN | CONF_SET_EVENT;
    add_pattern(&nms.filter.events, "link-*");
    add_pattern(&nms.filter.events, "gid-*");
    add_pattern(&nms.filter.categories, "link");
    add_pattern(&nms.filter.categories, "node");
    add_pattern(&nms.filter.nodes, "leaf*");
    add_pattern(&nms.filter.guids, "0x0002c903*");
    add_pattern(&nms.filter.switches, "leaf1*");
    check_receiver(find_receiver("nms"), &nms);
    struct conf_receiver local = make_remote_syslog("local", CONF_TLS, "siem.example.org", 6514);
    local.syslog.format = CONF_RFC3164;
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
    const struct conf_receiver local = make_syslog("local", CONF_LOCAL);
    nms.snmp.inform = true;
    load_path(CONFIG_DIRECTORY "/minimal.conf");
    assert_int_equal(conf.receiver_count, 2);
    check_receiver(0, &nms);
    check_receiver(1, &local);
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
             "    congestion = 20 congestion_clear = 10\n"
             "    error_rates = {\"PortRcvErrors=0.25/4294967295\"} }\n",
             key);
    load(content);
    const struct conf_sweep sweep = {.method = CONF_SWEEP_SA,
                                     .interval_s = 5,
                                     .settle_ms = 0,
                                     .in_flight = 256,
                                     .attempts = 10,
                                     .timeout_ms = 60000,
                                     .has_mkey = true,
                                     .mkey = UINT64_C(0xFEDCBA9876543210)};
    struct conf_counters counters = default_counters();
    counters.ports = CONF_SWITCH_PORTS;
    counters.interval_s = 86400;
    counters.thresholds[COUNTER_SYMBOL_ERROR] = 0;
    counters.thresholds[COUNTER_LINK_DOWNED] = UINT32_MAX;
    counters.thresholds[COUNTER_XMIT_WAIT] = 7;
    counters.window_min[0] = 5;
    counters.window_min[1] = 60;
    counters.bit_error_rates[COUNTER_SYMBOL_ERROR][0] = 1.5e-12;
    counters.bit_error_rates[COUNTER_SYMBOL_ERROR][1] = 0;
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
    assert_int_equal(conf.sweep.method, CONF_SWEEP_OFF);
    assert_int_equal(conf.counters.ports, CONF_NO_PORTS);
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
    one.transport = CONF_TCP;
    one.snmp = (struct conf_snmp){.version = 1,
                                  .community = "secret",
                                  .timeout_ms = 1000,
                                  .retries = 3,
                                  .window = 64,
                                  .sets = CONF_SET_OWN,
                                  .extra_varbinds = true,
                                  .trap_address = true,
                                  .agent_address = "192.0.2.7"};
    check_receiver(0, &one);
    two.ipv6 = true;
    two.snmp.inform = true;
    two.snmp.timeout_ms = 5000;
    two.snmp.retries = 0;
    two.snmp.window = 512;
    two.snmp.sets = CONF_SET_SMA | CONF_SET_SWITCH | CONF_SET_EVENT;
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
    one.transport = CONF_TLS;
    one.snmp.version = 3;
    one.tls = (struct conf_tls){.certificate_file = "/c"};
    check_receiver(0, &one);
    two.transport = CONF_DTLS;
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
    struct conf_receiver b = make_remote_syslog("b", CONF_UDP, "::1", 514);
    struct conf_receiver d = make_syslog("d", CONF_LOCAL), f = make_file("f", "-");
    load("syslog \"b\" { transport = \"udp\" address = \"[::1]\" facility = \"local7\" }\n"
         "syslog \"c\" { transport = \"stdout\" format = \"ecs\" }\n"
         "syslog \"d\" { path = \"/run/log\" facility = \"kern\" format = \"rfc5424\" }\n"
         "file \"f\" { path = \"-\" sync = false rate = 5 burst = 7 max_age = 9 }\n");
    b.syslog.facility = 23;
    check_receiver(0, &b);
    struct conf_receiver c = make_syslog("c", CONF_STDOUT);
    c.syslog.format = CONF_ECS;
    check_receiver(1, &c);
    d.syslog.facility = 0;
    strcpy(d.syslog.path, "/run/log");
    d.syslog.format = CONF_RFC5424;
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
        enum conf_transport transport;
        uint16_t port;
    } ROWS[] = {{"udp", CONF_UDP, 514},
                {"tcp", CONF_TCP, 514},
                {"tls", CONF_TLS, 6514},
                {"relp", CONF_RELP, 2514},
                {"relp-tls", CONF_RELP_TLS, 2514}};
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
    struct conf_receiver a = make_syslog("a", CONF_LOCAL);
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
                                .auth = CONF_AUTH_SHA_256,
                                .privacy = CONF_PRIVACY_AES,
                                .auth_password = "authentic",
                                .privacy_password = "very private",
                                .timeout_ms = 1000,
                                .retries = 3,
                                .window = 64};
    strcpy(b.snmp.community, "hidden");
    check_receiver(0, &a);
    check_receiver(1, &b);
}

// Replaces "%s", if present, by a file's path.
static void name_file(char *content, size_t size, const char *path)
{
    char rest[300], *place = strstr(content, "%s");
    if (!place)
        return;
    snprintf(rest, sizeof rest, "%s", place + 2);
    snprintf(place, size - (size_t)(place - content), "%s%s", path, rest);
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
        assert_false(conf_load_text(FILES[i], "it", &conf, &err));
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

TEST(bad_values_are_told_with_line_item_value_and_reason)
{
    static const char FACILITIES[] =
        "1: item 'facility': value 'local8': must be one of kern, user, mail, daemon, auth, "
        "syslog, "
        "lpr, news, uucp, cron, authpriv, ftp, ntp, audit, alert, clock, local0, local1, local2, "
        "local3, local4, local5, local6, local7";
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"fabric { device = \"\" }", "1: item 'device': value '': must not be empty"},
        {"fabric {\n port = 255\n}", "2: item 'port': value '255': must be from 0 to 254"},
        {"fabric {\n port = -1\n}", "2: item 'port': value '-1': must be from 0 to 254"},
        {"fabric {\n\n port = one\n}", "3: item 'port': value 'one': must be a whole number"},
        {"fabric { port = 1.5 }", "1: item 'port': value '1.5': must be a whole number"},
        {"fabric { port = \"\" }", "1: item 'port': value '': must be a whole number"},
        {"fabric { port = 99999999999999999999 }",
         "1: item 'port': value '99999999999999999999': must be a whole number"},
        {"fabric { verify_interval = 0 }",
         "1: item 'verify_interval': value '0': must be from 1 to 3600"},
        {"fabric { verify_interval = 3601 }",
         "1: item 'verify_interval': value '3601': must be from 1 to 3600"},
        {"fabric { refresh_interval = 9 }",
         "1: item 'refresh_interval': value '9': must be from 10 to 86400"},
        {"fabric { refresh_interval = 86401 }",
         "1: item 'refresh_interval': value '86401': must be from 10 to 86400"},
        {"fabric { sa_key_file = \"key\" }", "1: item 'sa_key_file': must be an absolute path"},
        {"fabric { sa_key_guids = \"0x1, x\" }",
         "1: item 'sa_key_guids': value '0x1, x': 'x' is no GUID, such as 0x0002c90300a10001"},
        {"fabric { pkey = \"0\" }", "1: item 'pkey': value '0': must be a P_Key, such as 0x8005"},
        {"fabric { pkey = \"65536\" }",
         "1: item 'pkey': value '65536': must be a P_Key, such as 0x8005"},
        {"fabric { pkey = \"0x8005x\" }",
         "1: item 'pkey': value '0x8005x': must be a P_Key, such as 0x8005"},
        {"fabric { pkey = \"0x0000800005\" }",
         "1: item 'pkey': value '0x0000800005': must be a P_Key, such as 0x8005"},
        {"fabric { sa_key_guids = \"\" }", "1: item 'sa_key_guids': value '': has no GUID"},
        {"fabric { sa_key_guids = \"0\" }",
         "1: item 'sa_key_guids': value '0': '0' is no GUID, such as 0x0002c90300a10001"},
        {"fabric { sa_key_guids = \"18446744073709551616\" }",
         "1: item 'sa_key_guids': value '18446744073709551616': '18446744073709551616' is no GUID, "
         "such as 0x0002c90300a10001"},
        {"fabric { sa_key_guids = \"1 2 3 4 5 6 7 8 9\" }",
         "1: item 'sa_key_guids': value '1 2 3 4 5 6 7 8 9': has more than 8 GUIDs"},
        {"fabric { sa_key_file = \"/nonexistent\" }",
         "1: item 'sa_key_file': value '/nonexistent': cannot open '/nonexistent': No such file or "
         "directory"},
        {"fabric { active = \"never\" }",
         "1: item 'active': value 'never': must be one of always, with-master-sm"},
        {"sweep {\n method = \"fast\"\n}",
         "2: item 'method': value 'fast': must be one of smp, sa, off"},
        {"sweep { interval = 4 }", "1: item 'interval': value '4': must be from 5 to 86400"},
        {"sweep { settle = 60001 }", "1: item 'settle': value '60001': must be from 0 to 60000"},
        {"sweep { in_flight = 0 }", "1: item 'in_flight': value '0': must be from 1 to 256"},
        {"sweep { in_flight = 257 }", "1: item 'in_flight': value '257': must be from 1 to 256"},
        {"sweep { attempts = 11 }", "1: item 'attempts': value '11': must be from 1 to 10"},
        {"sweep { timeout = 9 }", "1: item 'timeout': value '9': must be from 10 to 60000"},
        {"sweep { mkey_file = \"key\" }", "1: item 'mkey_file': must be an absolute path"},
        {"counters { ports = \"1\" }",
         "1: item 'ports': value '1': must be one of all, switches, off"},
        {"counters { interval = 86401 }",
         "1: item 'interval': value '86401': must be from 5 to 86400"},
        {"counters {\n thresholds = {\"VL15Dropped=1\",\n \"VL15Drops=1\"}\n}",
         "3: item 'thresholds': value 'VL15Drops=1': there is no such counter"},
        {"counters { thresholds = {\"=1\"} }",
         "1: item 'thresholds': value '=1': there is no such counter"},
        {"counters { thresholds = {\"VL15Dropped\"} }",
         "1: item 'thresholds': value 'VL15Dropped': must be a counter and its threshold, such as "
         "\"SymbolErrorCounter=10\""},
        {"counters { thresholds = {\"VL15Dropped=\"} }",
         "1: item 'thresholds': value 'VL15Dropped=': the threshold must be a whole number from 0 "
         "to "
         "4294967295"},
        {"counters { thresholds = {\"VL15Dropped=-1\"} }",
         "1: item 'thresholds': value 'VL15Dropped=-1': the threshold must be a whole number from "
         "0 to "
         "4294967295"},
        {"counters { thresholds = {\"VL15Dropped=4294967296\"} }",
         "1: item 'thresholds': value 'VL15Dropped=4294967296': the threshold must be a whole "
         "number "
         "from 0 to 4294967295"},
        {"counters { bit_error_rates = {\"SymbolError=1e-12\"} }",
         "1: item 'bit_error_rates': value 'SymbolError=1e-12': must be two rates from 0 to 1, for "
         "the short and for the long window, with \"/\" between them"},
        {"counters { bit_error_rates = {\"SymbolError=2/1\"} }",
         "1: item 'bit_error_rates': value 'SymbolError=2/1': must be two rates from 0 to 1, for "
         "the short and for the long window, with \"/\" between them"},
        {"counters { bit_error_rates = {\"SymbolError\"} }",
         "1: item 'bit_error_rates': value 'SymbolError': must be a counter and its two rates, "
         "such as \"SymbolErrorCounter=1e-13/1e-14\""},
        {"counters { error_rates = {\"RcvErrors=0x10/1\"} }",
         "1: item 'error_rates': value 'RcvErrors=0x10/1': must be two rates from 0 to "
         "4.29497e+09, for the short and for the long window, with \"/\" between them"},
        {"counters { error_rates = {\"Errors=1/1\"} }",
         "1: item 'error_rates': value 'Errors=1/1': there is no such counter"},
        {"counters { short_window = 60 long_window = 60 }",
         "1: counters: 'long_window' must be longer than 'short_window'"},
        {"policy \"a\" { events = {\"link-dwon\"} }",
         "1: item 'events': value 'link-dwon': there is no such event; did you mean "
         "'link-down'?"},
        {"policy \"a\" { events = {\"\"} }", "1: item 'events': value '': must not be empty"},
        {"policy \"a\" { nodes = {\"\"} }", "1: item 'nodes': value '': must not be empty"},
        {"policy \"a\" {\n severity = \"high\"\n}",
         "2: item 'severity': value 'high': must be one of emergency, alert, critical, error, "
         "warning, "
         "notice, informational, debug"},
        {"policy \"a\" { category = \"links\" }",
         "1: item 'category': value 'links': must be one of fabric, link, port, node, security, "
         "multicast, "
         "sm, io, counter, gateway, vendor"},
        {"policy \"a\" { hold_down = 86401 }",
         "1: item 'hold_down': value '86401': must be from 0 to 86400"},
        {"policy \"a\" { hold_down = -1 }",
         "1: item 'hold_down': value '-1': must be from 0 to 86400"},
        {"policy \"a b\" { }",
         "1: item 'policy': value 'a b': a policy's name has letters, digits, '.', '_', '-'"},
        {"policy \"\" { }", "1: item 'policy': value '': a policy's name has 1 to 63 characters"},
        {"repeats { window = 86401 }", "1: item 'window': value '86401': must be from 0 to 86400"},
        {"flap { changes = 1 }", "1: item 'changes': value '1': must be 0 or from 2 to 16"},
        {"flap { changes = 17 }", "1: item 'changes': value '17': must be 0 or from 2 to 16"},
        {"flap { within = 0 }", "1: item 'within': value '0': must be from 1 to 86400"},
        {"flap { quiet = 0 }", "1: item 'quiet': value '0': must be from 1 to 86400"},
        {"storm { rate = 100001 }", "1: item 'rate': value '100001': must be from 0 to 100000"},
        {"storm { period = 0 }", "1: item 'period': value '0': must be from 1 to 3600"},
        {"storm { period = 3601 }", "1: item 'period': value '3601': must be from 1 to 3600"},
        {"fabric { node_name_map = \"map\" }",
         "1: item 'node_name_map': value 'map': must be an absolute path"},
        {"fabric { node_name_map = \"/nonexistent\" }",
         "1: item 'node_name_map': value '/nonexistent': node-name-map: cannot open "
         "'/nonexistent': "
         "No such file or directory"},
        {"snmp \"a\" { address = \"\" }", "1: item 'address': value '': the host is missing"},
        {"snmp \"a\" { address = \":162\" }",
         "1: item 'address': value ':162': the host is missing"},
        {"snmp \"a\" { address = \"[]\" }", "1: item 'address': value '[]': the host is missing"},
        {"snmp \"a\" { address = \"::1\" }",
         "1: item 'address': value '::1': an IPv6 address must stand in brackets, such as "
         "[2001:db8::1]:162"},
        {"snmp \"a\" { address = \"[::1\" }",
         "1: item 'address': value '[::1': the closing bracket is missing"},
        {"snmp \"a\" { address = \"[::1]162\" }",
         "1: item 'address': value '[::1]162': after the bracket only ':port' may follow"},
        {"snmp \"a\" { address = \"a:0\" }",
         "1: item 'address': value 'a:0': the port must be a number from 1 to 65535"},
        {"snmp \"a\" { address = \"a:65536\" }",
         "1: item 'address': value 'a:65536': the port must be a number from 1 to 65535"},
        {"snmp \"a\" { address = \"a:\" }",
         "1: item 'address': value 'a:': the port must be a number from 1 to 65535"},
        {"snmp \"a\" { address = \"a:16x\" }",
         "1: item 'address': value 'a:16x': the port must be a number from 1 to 65535"},
        {"snmp \"a\" { address = \"nms 162\" }",
         "1: item 'address': value 'nms 162': must be a host name or an IP address, and a port "
         "behind a colon, such as nms:162"},
        {"snmp \"a\" { address = \"nms/162\" }",
         "1: item 'address': value 'nms/162': must be a host name or an IP address, and a port "
         "behind a colon, such as nms:162"},
        {"syslog \"a\" { address = \"udp6:nms\" }",
         "1: item 'address': value 'udp6:nms': the port must be a number from 1 to 65535"},
        {"snmp \"a\" { address = \"[2001:db8::x]:162\" }",
         "1: item 'address': value '[2001:db8::x]:162': there is no such IPv6 "
         "address"},
        {"snmp \"a\" { address = \"192.0.2\" }",
         "1: item 'address': value '192.0.2': must be an IPv4 address with four numbers from 0 to "
         "255"},
        {"snmp \"a\" { address = \"192.0.2.256:162\" }",
         "1: item 'address': value '192.0.2.256:162': must be an IPv4 address with four numbers "
         "from 0 to 255"},
        {"snmp \"a\" { server_name = \"nms .example.org\" }",
         "1: item 'server_name': value 'nms .example.org': must be a host name or an IP address"},
        {"snmp \"a\" {\n address = \"a\"\n community = \"\"\n}",
         "3: item 'community': must have 1 to 255 octets"},
        {"syslog \"a\" {\n transport = \"http\"\n}",
         "2: item 'transport': value 'http': must be one of local, udp, tcp, tls, relp, "
         "relp-tls, stdout"},
        {"syslog \"a\" {\n format = \"xml\"\n}",
         "2: item 'format': value 'xml': must be one of rfc5424, rfc3164, ecs, cef, leef"},
        {"syslog \"a\" {\n framing = \"nul\"\n}",
         "2: item 'framing': value 'nul': must be one of octet-counting, lines"},
        {"syslog \"a\" { ca_file = \"ca\" }",
         "1: item 'ca_file': value 'ca': must be an absolute path"},
        {"syslog \"a\" { certificate_file = \"c\" }",
         "1: item 'certificate_file': value 'c': must be an absolute path"},
        {"syslog \"a\" { key_file = \"\" }",
         "1: item 'key_file': value '': must be an absolute path"},
        {"syslog \"a\" { server_name = \"\" }",
         "1: item 'server_name': value '': must not be empty"},
        {"snmp \"a\" { transport = \"relp\" }",
         "1: item 'transport': value 'relp': must be one of udp, tcp, tls, dtls"},
        {"snmp \"a\" { certificate_file = \"c\" }",
         "1: item 'certificate_file': value 'c': must be an absolute path"},
        {"snmp \"a\" { version = \"2\" }", "1: item 'version': value '2': must be one of 1, 2c, 3"},
        {"snmp \"a\" { user = \"\" }", "1: item 'user': value '': must not be empty"},
        {"snmp \"a\" { context = \"\" }", "1: item 'context': value '': must not be empty"},
        {"snmp \"a\" { auth = \"MD5\" }", "1: item 'auth': value 'MD5': must be one of none, SHA, "
                                          "SHA-224, SHA-256, SHA-384, SHA-512"},
        {"snmp \"a\" { privacy = \"DES\" }",
         "1: item 'privacy': value 'DES': must be one of none, AES, AES-192, AES-256, "
         "AES-192-C, AES-256-C"},
        {"snmp \"a\" { community_file = \"c\" }",
         "1: item 'community_file': must be an absolute path"},
        {"snmp \"a\" { auth_password_file = \"/nonexistent\" }",
         "1: item 'auth_password_file': value '/nonexistent': cannot open '/nonexistent': No such "
         "file or directory"},
        {"snmp \"a\" { privacy_password_file = \"/\" }",
         "1: item 'privacy_password_file': value '/': '/' is not a regular file"},
        {"snmp \"a\" { timeout = 99 }", "1: item 'timeout': value '99': must be from 100 to 5000"},
        {"snmp \"a\" { timeout = 5001 }",
         "1: item 'timeout': value '5001': must be from 100 to 5000"},
        {"snmp \"a\" { retries = -1 }", "1: item 'retries': value '-1': must be from 0 to 10"},
        {"snmp \"a\" { retries = 11 }", "1: item 'retries': value '11': must be from 0 to 10"},
        {"snmp \"a\" { window = 0 }", "1: item 'window': value '0': must be from 1 to 512"},
        {"snmp \"a\" { window = 513 }", "1: item 'window': value '513': must be from 1 to 512"},
        {"snmp \"a\" {\n sets = {\"sma\",\n \"all\"}\n}",
         "3: item 'sets': value 'all': must be one of sma, switch, own, event"},
        {"snmp \"a\" { agent_address = \"::1\" }",
         "1: item 'agent_address': value '::1': must be an IPv4 address"},
        {"file \"a\" { path = \"log\" }", "1: item 'path': value 'log': must be an absolute path"},
        {"file \"a\" { path = \"\" }", "1: item 'path': value '': must be an absolute path"},
        {"journal { directory = \"j\" }",
         "1: item 'directory': value 'j': must be an absolute path"},
        {"journal { rows = 999 }", "1: item 'rows': value '999': must be from 1000 to 1000000000"},
        {"journal { rows = 1000000001 }",
         "1: item 'rows': value '1000000001': must be from 1000 to 1000000000"},
        {"journal { megabytes = 0 }", "1: item 'megabytes': value '0': must be from 1 to 1000000"},
        {"journal { megabytes = 1000001 }",
         "1: item 'megabytes': value '1000001': must be from 1 to 1000000"},
        {"journal { days = 0 }", "1: item 'days': value '0': must be from 1 to 36500"},
        {"journal { days = 36501 }", "1: item 'days': value '36501': must be from 1 to 36500"},
        {"journal { days = many }", "1: item 'days': value 'many': must be a whole number"},
        {"syslog \"a\" { facility = \"local8\" }", FACILITIES},
        {"syslog \"a\" { path = \"log\" }",
         "1: item 'path': value 'log': must be an absolute path"},
        {"syslog \"a\" { address = \"1:2:3\" }",
         "1: item 'address': value '1:2:3': an IPv6 address must stand in brackets, such as "
         "[2001:db8::1]:162"},
        {"control { group = \"no such\" }",
         "1: item 'group': value 'no such': there is no such group"},
        {"control { group = \"\" }", "1: item 'group': value '': must not be empty"},
        {"metrics { listen = \"localhost:9117\" }",
         "1: item 'listen': value 'localhost:9117': must be an IP address and a port, such as "
         "127.0.0.1:9117"},
        {"metrics { listen = \"127.0.0.1:0\" }",
         "1: item 'listen': value '127.0.0.1:0': the port must be a number from 1 to 65535"},
        {"metrics { listen = \"::1\" }",
         "1: item 'listen': value '::1': an IPv6 address must stand in "
         "brackets, such as [2001:db8::1]:162"},
        {"subagent { socket = \"master\" }",
         "1: item 'socket': value 'master': must be an absolute path, or like tcp:127.0.0.1:705"},
        {"subagent { socket = \"tcp:localhost:705\" }",
         "1: item 'socket': value 'tcp:localhost:705': the host must be an IP address"},
        {"subagent { socket = \"tcp:127.0.0.1\" }",
         "1: item 'socket': value 'tcp:127.0.0.1': the port is missing"},
        {"subagent { socket = \"tcp:127.0.0.1:0\" }",
         "1: item 'socket': value 'tcp:127.0.0.1:0': the port must be a number from 1 to 65535"},
        {"subagent { context = \"123456789012345678901234567890123\" }",
         "1: item 'context': value '123456789012345678901234567890123': is longer than 32 octets"},
        {"subagent { event_trap_level = \"notice\" }",
         "1: item 'event_trap_level': value 'notice': must be one of none, critical, error, "
         "warning, "
         "informational, debug"},
        {"subagent { recipient_port = 0 }",
         "1: item 'recipient_port': value '0': must be from 1 to 65535"},
        {"snmp \"recipient-192.0.2.1-1\" { address = \"192.0.2.1\" }",
         "1: item 'snmp': value 'recipient-192.0.2.1-1': names that begin with 'recipient-' are "
         "those "
         "of trap recipients"},
        {"gateway { name = \"gw 1\" }",
         "1: item 'name': value 'gw 1': must be ASCII without blanks"},
        {"gateway { name = \"g\303\274\" }",
         "1: item 'name': value 'g\303\274': must be ASCII without blanks"},
        {"gateway { name = \"a-name-that-is-longer-than-forty-five-octets-is\" }",
         "1: item 'name': value 'a-name-that-is-longer-than-forty-five-octets-is': is longer than "
         "45 "
         "octets"},
        {"gateway { heartbeat = -1 }", "1: item 'heartbeat': value '-1': must be from 0 to 86400"},
        {"gateway { heartbeat = 86401 }",
         "1: item 'heartbeat': value '86401': must be from 0 to 86400"},
        {"control { socket = \"s\" }", "1: item 'socket': value 's': must be an absolute path"},
        {"log { level = \"loud\" }",
         "1: item 'level': value 'loud': must be one of error, warning, info, debug"},
        {"snmp \"\" { address = \"a\" }",
         "1: item 'snmp': value '': a receiver's name has 1 to 64 characters"},
        {"file \"a/b\" { }",
         "1: item 'file': value 'a/b': a receiver's name has letters, digits, '.', '_', '-'"},
        {"log { levels = {\"ib\"} }",
         "1: item 'levels': value 'ib': must be a folder of the gateway and "
         "its level, such as \"ib=debug\""},
        {"log { levels = {\"ib=debug\",\n\"ibs=debug\"} }",
         "2: item 'levels': value 'ibs=debug': no folder of that name has debug messages; these "
         "have: "
         "ib topology policy journal sink agentx agent pipeline control daemon"},
        {"log { levels = {\"model=debug\"} }",
         "1: item 'levels': value 'model=debug': no folder of that name has debug messages; these "
         "have: ib topology policy journal sink agentx agent pipeline control daemon"},
        {"log { levels = {\"ib=loud\"} }",
         "1: item 'levels': value 'ib=loud': the level must be one of error, warning, info, debug"},
        {"syslog \"a b\" { }",
         "1: item 'syslog': value 'a b': a receiver's name has letters, digits, '.', '_', '-'"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
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
                                       .sets = CONF_SET_SMA | CONF_SET_OWN,
                                       .extra_varbinds = true};
    check_receiver(0, &plain);
    check_receiver(1, &full);
}

TEST(kafka_receivers)
{
    const char *secret = support_file("kafka", "pass word\n", 0600);
    char text[600];
    snprintf(text, sizeof text,
             "kafka \"a\" { brokers = \"k1\" }\n"
             "kafka \"b\" { brokers = \"k1:9093,[::1]\" topic = \"x.{severity}\" format = \"ecs\"\n"
             "transport = \"tls\" sasl = \"PLAIN\" user = \"u\" password_file = \"%s\"\n"
             "settings = {\"a=1\", \"b=2=3\", \"a=4\"} settings += \"c= 5\" }",
             secret);
    load(text);
    const struct conf_kafka *plain = &conf.receivers[0].kafka, *full = &conf.receivers[1].kafka;
    assert_int_equal(conf.receivers[0].kind, CONF_KAFKA);
    assert_int_equal(conf.receivers[0].transport, CONF_TCP);
    assert_int_equal(conf.receivers[0].rate, 0);
    assert_string_equal(plain->brokers, "k1");
    assert_string_equal(plain->topic, "ibtrapd");
    assert_int_equal(plain->format, CONF_JSON);
    assert_int_equal(plain->sasl, CONF_SASL_NONE);
    assert_string_equal(plain->settings[0], "");
    assert_int_equal(conf.receivers[1].transport, CONF_TLS);
    assert_string_equal(full->topic, "x.{severity}");
    assert_int_equal(full->format, CONF_ECS);
    assert_int_equal(full->sasl, CONF_SASL_PLAIN);
    assert_string_equal(full->password, "pass word");
    assert_string_equal(full->settings[0], "a=4");
    assert_string_equal(full->settings[1], "b=2=3");
    assert_string_equal(full->settings[2], "c= 5");
    assert_string_equal(full->settings[3], "");
}

#define KAFKA(items) "kafka \"a\" { brokers = \"k\" " items " }"

TEST(bad_kafka_receivers_are_refused)
{
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"kafka \"a\" { }", "1: kafka 'a': item 'brokers' is missing: it says where Kafka is"},
        {"kafka \"a\" { brokers = \"k1,,k2\" }",
         "1: item 'brokers': value 'k1,,k2': the host is missing"},
        {"kafka \"a\" { brokers = \"k1:99999\" }",
         "1: item 'brokers': value 'k1:99999': the port must be a number from 1 to 65535"},
        {KAFKA("topic = \"a b\""),
         "1: item 'topic': value 'a b': a topic has letters, digits, '.', '_', '-'"},
        {KAFKA("topic = \"a{node}\""), "1: item 'topic': value 'a{node}': its placeholders are "
                                       "{severity}, {category} and {subnet}"},
        {KAFKA("topic = \"..\""), "1: item 'topic': value '..': must not be '.' or '..'"},
        {KAFKA("format = \"cef\""),
         "1: item 'format': value 'cef': must be one of json, ecs, cloudevents"},
        {KAFKA("transport = \"udp\""), "1: item 'transport': value 'udp': must be one of tcp, tls"},
        {KAFKA("settings = {\"acks\"}"),
         "1: item 'settings': value 'acks': must be a setting and its value, such as "
         "\"compression.codec=lz4\""},
        {KAFKA("sasl = \"PLAIN\""), "1: kafka 'a': item 'sasl' needs item 'user'"},
        {KAFKA("sasl = \"SCRAM-SHA-256\" user = \"u\""),
         "1: kafka 'a': item 'sasl' needs item 'password_file'"},
        {KAFKA("user = \"u\""), "1: kafka 'a': item 'user' has no effect without item 'sasl'"},
        {KAFKA("ca_file = \"/c\""),
         "1: kafka 'a': item 'ca_file' has no effect without transport = \"tls\""},
        {KAFKA("transport = \"tls\" server_name = \"n\""),
         "1: kafka 'a': item 'server_name' has no use here: there are several brokers, and the "
         "certificate of each has its host's name"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
}

TEST(a_password_needs_tls_unless_it_is_hashed)
{
    const char *secret = support_file("kafka", "pass word\n", 0600);
    char text[300];
    snprintf(text, sizeof text, KAFKA("sasl = \"PLAIN\" user = \"u\" password_file = \"%s\""),
             secret);
    assert_string_equal(error_of(text), "1: kafka 'a': PLAIN sends the password as it is: it needs "
                                        "transport = \"tls\"");
}

TEST(topics_and_settings_have_their_limits)
{
    char text[1200], long_topic[251], many[600];
    struct text t = text_in(many, sizeof many);
    memset(long_topic, 'x', 250);
    long_topic[250] = '\0';
    memcpy(long_topic, "{severity}", 10); // 10 characters, and 13 in the longest topic
    for (size_t length = 246; length <= 247; length++) {
        snprintf(text, sizeof text, KAFKA("topic = \"%.*s\""), (int)length, long_topic);
        assert_int_equal(conf_load_text(text, "t", &conf, &err), length == 246);
        if (length == 246)
            conf_free(&conf);
    }
    for (int i = 0; i <= CONF_SETTINGS_MAX; i++)
        text_addf(&t, "%s\"s%d=1\"", i == 0 ? "" : ", ", i);
    snprintf(text, sizeof text, KAFKA("settings = {%s}"), many);
    assert_string_equal(error_of(text),
                        "1: item 'settings': value 's16=1': there are more than 16 settings");
}

TEST(http_receivers)
{
    const char *secret = support_file("http", "pass word\n", 0600);
    char text[600];
    snprintf(
        text, sizeof text,
        "http \"a\" { url = \"http://[::1]:8080/in?x=1\" token_file = \"%s\" }\n"
        "http \"b\" { url = \"https://h\" format = cloudevents batch = 1 gzip = yes timeout = 9\n"
        "user = \"u\" password_file = \"%s\" server_name = \"n\" batch_size = 16384\n"
        "headers = {\"X-A: 1\", \"X-B: a: b\", \"x-a: 2\"} }",
        secret, secret);
    load(text);
    const struct conf_receiver *plain = &conf.receivers[0], *full = &conf.receivers[1];
    assert_int_equal(plain->kind, CONF_HTTP);
    assert_int_equal(plain->transport, CONF_TCP);
    assert_string_equal(plain->http.url, "http://[::1]:8080/in?x=1");
    assert_int_equal(plain->http.format, CONF_HTTP_JSON);
    assert_int_equal(plain->http.batch, 256);
    assert_int_equal(plain->http.batch_size, 524288);
    assert_int_equal(plain->http.timeout, 30);
    assert_false(plain->http.gzip);
    assert_string_equal(plain->http_access.token_file, secret);
    assert_int_equal(full->transport, CONF_TLS);
    assert_int_equal(full->http.format, CONF_HTTP_CLOUDEVENTS);
    assert_int_equal(full->http.batch, 1);
    assert_int_equal(full->http.timeout, 9);
    assert_true(full->http.gzip);
    assert_string_equal(full->http_access.user, "u");
    assert_string_equal(full->http_access.headers[0], "x-a: 2");
    assert_string_equal(full->http_access.headers[1], "X-B: a: b");
    assert_string_equal(full->http_access.headers[2], "");
}

#define HTTP(items) "http \"a\" { url = \"https://h/\" " items " }"

TEST(bad_http_receivers_are_refused)
{
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"http \"a\" { }", "1: http 'a': item 'url' is missing: it says where to send events"},
        {"http \"a\" { url = \"http://u:p@h/\" }",
         "1: item 'url': must not have a user in it: item 'user' says that"},
        {"http \"a\" { url = \"http://h/?token=t#x\" }",
         "1: item 'url': must not have '#', quotes or backslashes in it"},
        {HTTP("format = xml"), "1: item 'format': value 'xml': must be one of json, cloudevents, "
                               "otlp, loki, splunk, elasticsearch"},
        {HTTP("batch = 0"), "1: item 'batch': value '0': must be from 1 to 512"},
        {HTTP("user = u"), "1: http 'a': item 'user' needs item 'password_file'"},
        {HTTP("headers = {\"X-A\"}"), "1: item 'headers': value 'X-A': must be a header such as "
                                      "\"X-Scope-OrgID: fabric\""},
        {HTTP("headers = {\"X-A: \"}"),
         "1: item 'headers': value 'X-A: ': must be a header such as "
         "\"X-Scope-OrgID: fabric\""},
        {HTTP("headers = {\"authorization: x\"}"),
         "1: item 'headers': value 'authorization: x': other items, or ibtrapd itself, decide this "
         "header"},
        {"http \"a\" { url = \"http://h/\" ca_file = \"/c\" }",
         "1: http 'a': item 'ca_file' has no effect without a URL with https"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
}

TEST(bad_urls_are_refused)
{
    static const char *const BAD[] = {
        "h",          "ftp://h/",      "http:/h",    "http://",          "http:///x",
        "http://:80", "http://h:0/",   "http://h:x", "http://h:99999/",  "http://u@h/",
        "http://h /", "http://h/\x01", "http://h/#", "http://\xc3\xbc/", "http://u:p@[::1]/",
        "http://::1", "http://h/\\\\", "HTTP://h/",  "https://h?u@h#x",  "http://a_b\x7f/"};
    char text[100];
    for (size_t i = 0; i < COUNT(BAD); i++) {
        snprintf(text, sizeof text, "http \"a\" { url = \"%s\" }", BAD[i]);
        if (conf_load_text(text, "t", &conf, &err))
            fail_msg("%s is accepted", BAD[i]);
    }
    load("http \"a\" { url = \"http://h?u@h\" }");
}

TEST(alertmanager_receivers)
{
    load("alertmanager \"a\" { urls = \"http://am1:9093, https://am2/prefix\" }\n"
         "alertmanager \"b\" { urls = \"http://am1\" source = \"fabric-1\" expire = 60 }");
    const struct conf_receiver *plain = &conf.receivers[0], *full = &conf.receivers[1];
    assert_int_equal(plain->kind, CONF_ALERTMANAGER);
    assert_int_equal(plain->transport, CONF_TLS);
    assert_string_equal(plain->alertmanager.urls, "http://am1:9093, https://am2/prefix");
    assert_string_equal(plain->alertmanager.source, "");
    assert_int_equal(plain->alertmanager.expire_s, 300);
    assert_int_equal(full->transport, CONF_TCP);
    assert_string_equal(full->alertmanager.source, "fabric-1");
    assert_int_equal(full->alertmanager.expire_s, 60);
}

#define ALERTS(urls, items) "alertmanager \"a\" { urls = \"" urls "\" " items " }"

TEST(bad_alertmanager_receivers_are_refused)
{
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"alertmanager \"a\" { }",
         "1: alertmanager 'a': item 'urls' is missing: it says where the Alertmanagers are"},
        {ALERTS(", ", ""), "1: item 'urls': value ', ': has no URL"},
        {ALERTS("http://a,b", ""),
         "1: item 'urls': value 'http://a,b': must begin with http:// or https://"},
        {ALERTS("http://a/?x", ""), "1: item 'urls': must not have '?' in a URL"},
        {ALERTS("http://a:9093/#/alerts", ""),
         "1: item 'urls': value 'http://a:9093/#/alerts': must be without '/#' and what follows: "
         "that is the page for browsers"},
        {ALERTS("http://a:9093, http://b, http://a:9093/", ""),
         "1: alertmanager 'a': item 'urls' has 'http://a:9093' twice"},
        {ALERTS("http://a, http://b:9093/am/api/v2/alerts/", ""),
         "1: item 'urls': value 'http://a, http://b:9093/am/api/v2/alerts/': must be without "
         "/api/v2/alerts: ibtrapd adds that"},
        {ALERTS("http://a/api/v2", ""), "1: item 'urls': value 'http://a/api/v2': must be without "
                                        "/api/v2/alerts: ibtrapd adds that"},
        {ALERTS("http://a", "source = \"a b\""),
         "1: item 'source': value 'a b': may have letters, digits and ._- only"},
        {ALERTS("http://a", "expire = 19"),
         "1: item 'expire': value '19': must be from 20 to 86400"},
        {ALERTS("http://a", "ca_file = \"/c\""),
         "1: alertmanager 'a': item 'ca_file' has no effect without a URL with https"},
        {ALERTS("http://a,http://b,http://c,http://d,http://e,http://f,http://g,http://h,http://i",
                ""),
         "1: item 'urls': value "
         "'http://a,http://b,http://c,http://d,http://e,http://f,http://g,http://h,http://i': has "
         "more than 8 URLs"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
}

// Neither ends the alerts of the other.
TEST(two_sections_may_have_one_source_at_one_alertmanager)
{
    load(
        ALERTS("http://a", "") "\nalertmanager \"b\" { urls = \"http://a\" severity = \"error\" }");
}

TEST(a_secret_for_alertmanagers_needs_tls_at_each_that_is_elsewhere)
{
    static const struct {
        const char *urls;
        bool good;
    } ROWS[] = {{"https://h", true},
                {"http://h", false},
                {"https://h,http://g", false},
                {"https://h,http://localhost:9", true},
                {"http://localhost.example.org", false}};
    const char *secret = support_file("http", "pass word\n", 0600);
    char text[300];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        snprintf(text, sizeof text, "alertmanager \"a\" { urls = \"%s\" token_file = \"%s\" }",
                 ROWS[i].urls, secret);
        assert_int_equal(conf_load_text(text, "t", &conf, &err), ROWS[i].good);
        if (ROWS[i].good)
            conf_free(&conf);
    }
}

TEST(a_secret_over_http_needs_tls_unless_the_server_is_here)
{
    static const struct {
        const char *url;
        bool good;
    } ROWS[] = {{"https://h/", true},
                {"http://h/", false},
                {"http://localhost:9/", true},
                {"http://127.0.0.1", true},
                {"http://[::1]?x", true},
                {"http://localhost.example.org/", false},
                {"http://127.0.0.1.example.org/", false}};
    const char *secret = support_file("http", "pass word\n", 0600);
    char text[300];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        snprintf(text, sizeof text, "http \"a\" { url = \"%s\" token_file = \"%s\" }", ROWS[i].url,
                 secret);
        assert_int_equal(conf_load_text(text, "t", &conf, &err), ROWS[i].good);
        if (ROWS[i].good)
            conf_free(&conf);
    }
    assert_string_equal(err.text,
                        "t:1: http 'a': the secret would go over the network as it is: item "
                        "'token_file' needs a URL with https, or a server on this host");
    snprintf(text, sizeof text, HTTP("user = u password_file = \"%s\" token_file = \"%s\""), secret,
             secret);
    assert_string_equal(error_of(text),
                        "1: http 'a': there is either item 'user' or item 'token_file'");
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

// The items that every kind of receiver has.
TEST(bad_values_are_told_in_every_kind_of_receiver)
{
    static const char *const KINDS[] = {"snmp", "syslog", "file", "agentx"};
    static const struct {
        const char *items, *error;
    } ROWS[] = {
        {"severity = \"bad\"",
         "item 'severity': value 'bad': must be one of emergency, alert, critical, "
         "error, warning, notice, informational, debug"},
        {"events = {\"link-*\", \"\"}", "item 'events': value '': must not be empty"},
        {"events = {\"link_down\"}", "item 'events': value 'link_down': there is no such event; "
                                     "did you mean 'link-down'?"},
        {"categories = {\"link\", \"lnik*\"}", "item 'categories': value 'lnik*': must be one of "
                                               "fabric, link, port, node, security, multicast, "
                                               "sm, io, counter, gateway, vendor"},
        {"categories = {\"\"}", "item 'categories': value '': must not be empty"},
        {"nodes = {\"\"}", "item 'nodes': value '': must not be empty"},
        {"guids = {\"\"}", "item 'guids': value '': must not be empty"},
        {"switches = {\"\"}", "item 'switches': value '': must not be empty"},
        {"rate = -1", "item 'rate': value '-1': must be from 0 to 1000000"},
        {"rate = 1000001", "item 'rate': value '1000001': must be from 0 to 1000000"},
        {"rate = 0.5", "item 'rate': value '0.5': must be a whole number"},
        {"burst = 0", "item 'burst': value '0': must be from 1 to 1000000"},
        {"burst = 1000001", "item 'burst': value '1000001': must be from 1 to 1000000"},
        {"max_age = -1", "item 'max_age': value '-1': must be from 0 to 31536000"},
        {"max_age = 31536001", "item 'max_age': value '31536001': must be from 0 to 31536000"},
    };
    for (size_t i = 0; i < COUNT(ROWS) * COUNT(KINDS); i++) {
        char content[200], expected[300];
        snprintf(content, sizeof content, "%s \"a\" {\n%s\n}\n", KINDS[i % COUNT(KINDS)],
                 ROWS[i / COUNT(KINDS)].items);
        snprintf(expected, sizeof expected, "2: %s", ROWS[i / COUNT(KINDS)].error);
        assert_string_equal(error_of(content), expected);
    }
}

TEST(what_is_neither_true_nor_false_is_told)
{
    static const char *const FILES[] = {
        "snmp \"a\" {\ninform = maybe\n}", "snmp \"a\" {\nextra_varbinds = 2\n}",
        "snmp \"a\" {\ntrap_address = \"\"\n}", "syslog \"a\" {\nsecurity = 1.5\n}",
        "file \"a\" {\nsync = full\n}"};
    for (size_t i = 0; i < COUNT(FILES); i++) {
        assert_memory_equal(error_of(FILES[i]), "2: ", 3);
        assert_non_null(strstr(err.text, "boolean"));
    }
}

static void check_too_long(const char *before, size_t max, const char *after, const char *reason)
{
    char content[700], value[500];
    assert_in_range(max, 1, sizeof value - 2);
    memset(value, 'a', sizeof value);
    value[0] = '/';
    value[max + 1] = '\0';
    snprintf(content, sizeof content, "%s%s%s", before, value, after);
    const char *told = error_of(content);
    assert_string_equal(told + strlen(told) - strlen(reason), reason);
}

TEST(values_too_long_are_told)
{
    check_too_long("fabric { device = \"", 63, "\" }", "': is longer than 63 octets");
    check_too_long("control { socket = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("syslog \"a\" { path = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("sweep { mkey_file = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("snmp \"a\" { community = \"", 255, "\" }", "': must have 1 to 255 octets");
    assert_null(strstr(err.text, "aaaa")); // the value is a secret
    check_too_long("snmp \"a\" { address = \"", 299, "\" }", "': the host is too long");
    check_too_long("snmp \"a\" { user = \"", 32, "\" }", "': is longer than 32 octets");
    check_too_long("snmp \"a\" { context = \"", 32, "\" }", "': is longer than 32 octets");
    check_too_long("syslog \"a\" { server_name = \"", 299, "\" }", "': is longer than 299 octets");
    check_too_long("syslog \"a\" { ca_file = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("file \"a\" { path = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("file \"a\" { nodes = {\"", 127, "\"} }", "': is longer than 127 octets");
    check_too_long("journal { directory = \"", 107, "\" }", "': is longer than 107 octets");
    check_too_long("snmp \"", 64, "\" { }", "': a receiver's name has 1 to 64 characters");
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

TEST(a_bad_name_map_is_told_with_its_own_line)
{
    char content[300], expected[600];
    const char *map = support_file("map", "0x1 a\nnonsense\n", 0644);
    snprintf(content, sizeof content, "fabric { node_name_map = \"%s\" }", map);
    snprintf(expected, sizeof expected,
             "1: item 'node_name_map': value '%s': %s:2: a line must begin with a GUID such as "
             "0x0002c90200001234",
             map, map);
    assert_string_equal(error_of(content), expected);
}

TEST(unknown_items_are_errors)
{
    assert_string_equal(error_of("\nfabrik { }\n"),
                        "2: section 'fabrik': there is no such section; did you mean 'fabric'?");
    assert_string_equal(error_of("fabric {\n color = 1\n}\n"),
                        "2: item 'color': there is no such item here");
    assert_string_equal(error_of("snmp \"a\" {\n address = \"a\"\n facility = \"kern\"\n}\n"),
                        "3: item 'facility': there is no such item here; it belongs to section "
                        "'syslog'");
    assert_string_equal(
        error_of("port = 1\n"),
        "1: item 'port': there is no such item here; it belongs to section 'fabric'");
}

TEST(what_stands_twice_is_told)
{
    assert_string_equal(
        mistakes_of("fabric {\n port = 1\n port = 1\n}\nlog { level = info }\n"
                    "log { levels = \"ib=debug\" level = info }\n"
                    "file \"a\" {\n nodes = x\n path = /x\n nodes += y\n nodes = z\n}\n"),
        "3: item 'port' stands in line 2 already\n"
        "6: item 'level' stands in line 5 already\n"
        "11: item 'nodes' stands in line 10 already: add to it with '+='\n");
    load("log { level = error }\nlog { levels = \"ib=debug\" }\n"); // in pieces
    assert_int_equal(conf.log_levels[LOG_FOLDER_IB], LOG_LEVEL_DEBUG);
    assert_int_equal(conf.log_levels[LOG_FOLDER_SINK], LOG_LEVEL_ERROR);
}

// After a mistake that leaves a line unclear, the next line with a known name is read again.
TEST(the_reading_goes_on_after_a_mistake)
{
    static const struct {
        const char *content, *mistakes;
    } ROWS[] = {
        {"snmp \"a\" {\n address = \"192.0.2.1\n inform = maybe\n}\nlog { lewel = info }\n",
         "2: a text has no end in its line: the closing quotation mark is missing\n"
         "3: item 'inform': value 'maybe': must be a boolean, true or false\n"
         "5: item 'lewel': there is no such item here; did you mean 'level'?\n"},
        {"snmp \"a\" { address = \"192.0.2.1 }\nlog { lewel = info }\n",
         "1: a text has no end in its line: the closing quotation mark is missing\n"
         "2: item 'lewel': there is no such item here; did you mean 'level'?\n"},
        {"snmp \"a\" {\n address = x\n\nlog { lewel = info }\nsweep { intervall = 3 }\n",
         "4: section 'log' begins in section 'snmp' of line 1: a closing brace is missing\n"
         "4: item 'lewel': there is no such item here; did you mean 'level'?\n"
         "5: item 'intervall': there is no such item here; did you mean 'interval'?\n"},
        {"snmp \"a\"\n address = x\n inform = maybe\n}\nsweep { intervall = 3 }\n",
         "2: '{' is expected, and there is 'address'\n"
         "3: item 'inform': value 'maybe': must be a boolean, true or false\n"
         "5: item 'intervall': there is no such item here; did you mean 'interval'?\n"},
        {"snmp \"a\" { sweep { interval = 10 } address = x }\nlog { lewel = info }\n",
         "1: section 'sweep' begins in section 'snmp' of line 1: a closing brace is missing\n"
         "2: item 'lewel': there is no such item here; did you mean 'level'?\n"},
        {"snmp {\n address = x\n inform = maybe\n}\nlog { lewel = info }\n",
         "1: section 'snmp' needs a name: write snmp \"name\" {\n"
         "5: item 'lewel': there is no such item here; did you mean 'level'?\n"},
        {"smnp \"a\" {\n address = x\n inform = maybe\n}\nlog { lewel = info }\n",
         "1: section 'smnp': there is no such section; did you mean 'snmp'?\n"
         "5: item 'lewel': there is no such item here; did you mean 'level'?\n"},
        {"log { }}\nlog2 { } = = {\n } sweep { interval x }\nsweep { interval y }\n",
         "1: a section is expected, and there is '}'\n"
         "2: section 'log2': there is no such section; did you mean 'log'?\n"
         "2: a section is expected, and there is '='\n"
         "3: '=' is expected, and there is 'x'\n"
         "4: '=' is expected, and there is 'y'\n"},
        {"fabric {\n port = {1, 2}\n device = \n}\nsweep { intervall = 3 }\n",
         "2: a value for item 'port' is expected, and there is '{'\n"
         "4: a value for item 'device' is expected, and there is '}'\n"
         "5: item 'intervall': there is no such item here; did you mean 'interval'?\n"},
        {"fabric { port = 1 } /* no end\nsweep { intervall = 3 }\n",
         "1: a comment has no end: '*/' is missing\n"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(mistakes_of(ROWS[i].content), ROWS[i].mistakes);
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

TEST(what_does_not_go_together_is_told)
{
    assert_string_equal(error_of("snmp \"a\" { address = \"x\" version = \"1\" inform = true }"),
                        "1: snmp 'a': version 1 has no informs");
    assert_string_equal(error_of("snmp \"a\" { address = \"x\" trap_address = true }"),
                        "1: snmp 'a': item 'trap_address' needs item 'agent_address'");
}

TEST(what_would_have_no_effect_is_told)
{
    const char *secret = support_file("secret", "long enough\n", 0600);
    static const struct {
        const char *section, *items, *item, *needs; // of %s: a file with a secret
    } ROWS[] = {
        {"snmp", "user = \"u\"", "user", "version = \"3\""},
        {"snmp", "context = \"c\"", "context", "version = \"3\""},
        {"snmp", "auth = \"SHA\"", "auth", "version = \"3\""},
        {"snmp", "auth_password_file = \"%s\"", "auth_password_file", "version = \"3\""},
        {"snmp", "privacy = \"AES\"", "privacy", "version = \"3\""},
        {"snmp", "version = \"1\" privacy_password_file = \"%s\"", "privacy_password_file",
         "version = \"3\""},
        {"snmp", "version = \"3\" user = \"u\" auth_password_file = \"%s\"", "auth_password_file",
         "item 'auth'"},
        {"snmp", "version = \"3\" user = \"u\" privacy_password_file = \"%s\"",
         "privacy_password_file", "item 'privacy'"},
        {"snmp", "version = \"3\" user = \"u\" community = \"c\"", "community",
         "version = \"1\" or \"2c\""},
        {"snmp", "version = \"3\" user = \"u\" community_file = \"%s\"", "community_file",
         "version = \"1\" or \"2c\""},
        {"snmp", "ca_file = \"/c\"", "ca_file", "transport = \"tls\" or \"dtls\""},
        {"snmp", "transport = \"tcp\" certificate_file = \"/c\"", "certificate_file",
         "transport = \"tls\" or \"dtls\""},
        {"snmp", "key_file = \"/k\"", "key_file", "transport = \"tls\" or \"dtls\""},
        {"snmp", "server_name = \"n\"", "server_name", "transport = \"tls\" or \"dtls\""},
        {"snmp", "ipv6 = true transport = \"tcp\"", "ipv6", "transport = \"udp\" or \"dtls\""},
        {"syslog", "ipv6 = true", "ipv6", "transport = \"udp\""},
        {"snmp", "timeout = 2000", "timeout", "inform = true"},
        {"snmp", "retries = 0", "retries", "inform = true"},
        {"snmp", "window = 1", "window", "inform = true"},
        {"snmp", "agent_address = \"192.0.2.7\"", "agent_address",
         "version = \"1\" or trap_address = true"},
        {"syslog", "", "address",
         "transport = \"udp\", \"tcp\", \"tls\", \"relp\" or \"relp-tls\""},
        {"syslog", "transport = \"stdout\"", "address",
         "transport = \"udp\", \"tcp\", \"tls\", \"relp\" or \"relp-tls\""},
        {"syslog", "transport = \"udp\" path = \"/run/log\"", "path", "transport = \"local\""},
        {"syslog", "transport = \"udp\" framing = \"lines\"", "framing",
         "transport = \"tcp\" or \"tls\""},
        {"syslog", "transport = \"tcp\" ca_file = \"/c\"", "ca_file",
         "transport = \"tls\" or \"relp-tls\""},
        {"syslog", "transport = \"relp\" certificate_file = \"/c\"", "certificate_file",
         "transport = \"tls\" or \"relp-tls\""},
        {"syslog", "key_file = \"/k\"", "key_file", "transport = \"tls\" or \"relp-tls\""},
        {"syslog", "server_name = \"n\"", "server_name", "transport = \"tls\" or \"relp-tls\""},
        {"syslog", "transport = \"tls\" key_file = \"/k\"", "key_file", "item 'certificate_file'"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char content[400], expected[300];
        snprintf(content, sizeof content, "%s \"a\" { address = \"x\" %s }", ROWS[i].section,
                 ROWS[i].items);
        name_file(content, sizeof content, secret);
        snprintf(expected, sizeof expected, "1: %s 'a': item '%s' has no effect without %s",
                 ROWS[i].section, ROWS[i].item, ROWS[i].needs);
        assert_string_equal(error_of(content), expected);
    }
    assert_string_equal(error_of("subagent { writable = true }"),
                        "1: subagent: item 'writable' has no effect without item 'socket'");
    assert_string_equal(error_of("subagent { context = \"\" }"),
                        "1: subagent: item 'context' has no effect without item 'socket'");
    assert_non_null(strstr(error_of("subagent { socket = \"/a\" fabric_socket = \"/a\" }"),
                           "1: subagent: 'fabric_socket' is 'socket'"));
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

TEST(folders_have_levels_of_their_own)
{
    load("log { level = \"warning\" levels = {\"ib=debug\", \"sink=error\"} }\n");
    assert_int_equal(conf.log_levels[LOG_FOLDER_IB], LOG_LEVEL_DEBUG);
    assert_int_equal(conf.log_levels[LOG_FOLDER_SINK], LOG_LEVEL_ERROR);
    assert_int_equal(conf.log_levels[LOG_FOLDER_DAEMON], LOG_LEVEL_WARNING);
    assert_int_equal(conf.log_levels[LOG_FOLDER_OTHER], LOG_LEVEL_WARNING);
}

// An item with the number of values, and one more if `more`.
static void fill_item(char content[4096], const char *section, const char *item, const char *value,
                      bool more)
{
    struct text t = text_in(content, 4096);
    text_addf(&t, "%s %s = {%s", section, item, value);
    for (int i = 1; i < FILTER_PATTERNS_MAX + more; i++)
        text_addf(&t, ", %s", value);
    text_add(&t, "} }");
}

TEST(there_is_room_for_so_many_patterns)
{
    static const char FILE_[] = "file \"a\" { path = \"/x\"",
                      POLICY[] = "policy \"a\" { enabled = false";
    static const struct {
        const char *section, *kind, *item, *value;
    } ROWS[] = {{FILE_, "file", "events", "link-up"}, {FILE_, "file", "categories", "link"},
                {FILE_, "file", "nodes", "node1"},    {FILE_, "file", "guids", "0x1*"},
                {FILE_, "file", "switches", "leaf1"}, {POLICY, "policy", "events", "link-up"},
                {POLICY, "policy", "nodes", "node1"}};
    char content[4096], expected[100];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        fill_item(content, ROWS[i].section, ROWS[i].item, ROWS[i].value, false);
        load(content);
        fill_item(content, ROWS[i].section, ROWS[i].item, ROWS[i].value, true);
        snprintf(expected, sizeof expected, "1: %s 'a': item '%s' has more than 64 values",
                 ROWS[i].kind, ROWS[i].item);
        assert_string_equal(error_of(content), expected);
    }
    fill_item(content, FILE_, "switches", "leaf1", false);
    load(content);
    assert_int_equal(conf.receivers[0].filter.switches.count, FILTER_PATTERNS_MAX);
    assert_string_equal(conf.receivers[0].filter.switches.patterns[63], "leaf1");
}

TEST(a_missing_brace_is_told)
{
    assert_string_equal(error_of("snmp \"a\" {\n address = \"x\"\n"),
                        "2: section 'snmp' of line 1 has no end: a closing brace is missing");
    assert_string_equal(error_of("log {"),
                        "1: section 'log' of line 1 has no end: a closing brace is missing");
    assert_string_equal(error_of("journal {\n\n# }"),
                        "3: section 'journal' of line 1 has no end: a closing brace is missing");
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

TEST(comments_do_not_shift_lines)
{
    static const char *const BEFORE[] = {"# a\n",
                                         "\n# a\n",
                                         "  # a\n\n# \"b\n# don't\n",
                                         "#\n#\n",
                                         "// a\n",
                                         "/* a */\n",
                                         "/* a\n * b\n */\n",
                                         "log { } # a\n",
                                         "log { }# a\n",
                                         "log { } // it's\n",
                                         "log { level = \"info\" # a\n}\n"};
    for (size_t i = 0; i < COUNT(BEFORE); i++) {
        char content[200], expected[100];
        int line = 1;
        for (const char *p = BEFORE[i]; *p; p++)
            line += *p == '\n';
        snprintf(content, sizeof content, "%sfabrik { }\n", BEFORE[i]);
        snprintf(expected, sizeof expected,
                 "%d: section 'fabrik': there is no such section; did you mean 'fabric'?", line);
        assert_string_equal(error_of(content), expected);
    }
}

TEST(a_comment_without_an_end_is_told)
{
    assert_string_equal(error_of("log { }\n/* a\nfabrik { }\n"),
                        "2: a comment has no end: '*/' is missing");
    assert_string_equal(error_of("log { /*"), "1: a comment has no end: '*/' is missing");
}

TEST(what_looks_like_a_comment_may_be_a_value)
{
    load("file \"a\" { path = \"/x#y//z/*\" nodes = {\"a\\\"#b\", '#c', '// \"d'} switches = "
         "{e//f} } # */");
    assert_string_equal(conf.receivers[0].file.path, "/x#y//z/*");
    const struct filter *f = &conf.receivers[0].filter;
    assert_int_equal(f->nodes.count, 3);
    assert_string_equal(f->nodes.patterns[0], "a\"#b");
    assert_string_equal(f->nodes.patterns[1], "#c");
    assert_string_equal(f->nodes.patterns[2], "// \"d");
    assert_string_equal(f->switches.patterns[0], "e//f");
}

TEST(the_environment_takes_no_part)
{
    load("# \"${HOME}\n/* ${HOME} */\n"
         "snmp \"a\" { address = \"x\" community = \"pa${HOME}ss\" nodes = {\"$HOME\", "
         "\"\\${HOME}\", '${HOME}'} }");
    assert_string_equal(conf.receivers[0].snmp.community, "pa${HOME}ss");
    assert_string_equal(conf.receivers[0].filter.nodes.patterns[0], "$HOME");
    assert_string_equal(conf.receivers[0].filter.nodes.patterns[1], "${HOME}");
    assert_string_equal(conf.receivers[0].filter.nodes.patterns[2], "${HOME}");
}

TEST(syntax_errors_are_told_with_their_line)
{
    static const struct {
        const char *content;
        const char *line;
    } ROWS[] = {{"fabric {\n port = \n", "2: "},
                {"log { }\n}\n", "2: "},
                {"fabric { port = {1, 2} }", "1: "},
                {"fabric { port += 1 }", "1: "},
                {"fabric }\n", "1: "},
                {"fabric { port 1 }\n", "1: "},
                {"log { level = \"info }\n", "1: "},
                {"log {\n level = \"info\\", "2: "},
                {"snmp { address = \"a\" }\n", "1: "}};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        const char *told = error_of(ROWS[i].content);
        assert_memory_equal(told, ROWS[i].line, 3);
        assert_true(strlen(told) > 10);
    }
}

TEST(a_file_that_cannot_be_read_is_told)
{
    assert_false(conf_load("/nonexistent.conf", &conf, &err));
    assert_string_equal(err.text, "cannot read the configuration '/nonexistent.conf': No such file "
                                  "or directory");
    assert_false(conf_load("/tmp", &conf, &err));
    assert_string_equal(err.text, "cannot read the configuration '/tmp': Is a directory");
}

TEST(a_file_is_bounded)
{
    char expected[300];
    const char *path = support_file("large.conf", "", 0644);
    assert_int_equal(truncate(path, 1 << 20), 0); // filled with NULs
    assert_false(conf_load(path, &conf, &err));
    snprintf(expected, sizeof expected, "the configuration '%s' is longer than 1 MiB", path);
    assert_string_equal(err.text, expected);
    assert_int_equal(truncate(path, (1 << 20) - 1), 0);
    assert_false(conf_load(path, &conf, &err));
    snprintf(expected, sizeof expected, "the configuration '%s' is not a text: it has NUL octets",
             path);
    assert_string_equal(err.text, expected);
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

TEST(a_text_that_is_no_file_is_read_alike)
{
    conf_free(&conf);
    assert_true(conf_load_text("storm { rate = 7 } # seven", "x.conf", &conf, &err));
    assert_int_equal(conf.policy.storm_rate, 7);
    assert_int_equal(conf.receiver_count, 1);
    conf_free(&conf);
    assert_true(conf_load_text("", "x.conf", &conf, &err));
    check_defaults("syslog");
    conf_free(&conf);
    assert_false(conf_load_text("\nstorm { rate = 7", "x.conf", &conf, &err));
    assert_string_equal(
        err.text, "x.conf:2: section 'storm' of line 2 has no end: a closing brace is missing");
}

// A client of the control socket must neither learn which files exist, nor make ibtrapd wait for
// the other end of a FIFO.
TEST(the_text_of_somebody_else_opens_no_file)
{
    const char *fifo = support_path("fifo");
    char text[4000];
    conf_free(&conf);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    for (int i = 0; i < 2; i++) {
        const char *file = i == 0 ? "/nonexistent/file" : fifo;
        snprintf(text, sizeof text,
                 "fabric { sa_key_file = \"%s\"\n node_name_map = \"%s\" }\n"
                 "sweep { mkey_file = \"%s\" }\n"
                 "control { group = \"no-such-group\" }\n"
                 "snmp \"a\" { address = \"192.0.2.1\"\n community_file = \"%s\" }\n"
                 "snmp \"b\" { address = \"192.0.2.1\"\n version = \"3\"\n user = \"u\"\n"
                 "auth = \"SHA\"\n auth_password_file = \"%s\"\n privacy = \"AES\"\n"
                 "privacy_password_file = \"%s\" }\n"
                 "syslog \"c\" { address = \"192.0.2.1\"\n transport = \"tls\"\n"
                 "ca_file = \"%s\"\n certificate_file = \"%s\"\n key_file = \"%s\" }\n"
                 "file \"d\" { path = \"%s\" }\n",
                 file, file, file, file, file, file, file, file, file, file);
        if (!conf_load_foreign(text, "it", &conf, &err))
            fail_msg("%s", err.text);
        assert_int_equal(conf.receiver_count, 4);
        assert_false(conf.fabric.has_sa_key || conf.sweep.has_mkey);
        conf_free(&conf);
    }
    assert_false(conf_load_foreign("sweep {\n mkey_file = \"mkey\"\n}", "it", &conf, &err));
    assert_string_equal(err.text, "it:2: item 'mkey_file': must be an absolute path");
}

TEST(every_mistake_is_told_in_the_order_of_lines)
{
    assert_string_equal(
        mistakes_of("log {\n level = \"loud\"\n levels = {\"ib=no\"}\n}\n"
                    "subagent { writable = true }\n"
                    "tables { socket = { a } }\n"
                    "snmp \"a\" {\n adress = x\n window = 0\n}\n"
                    "policy \"p\" { nodes = x }\n"),
        "2: item 'level': value 'loud': must be one of error, warning, info, debug\n"
        "3: item 'levels': value 'ib=no': the level must be one of error, warning, "
        "info, debug\n"
        "5: subagent: item 'writable' has no effect without item 'socket'\n"
        "6: section 'tables' is called 'subagent' now\n"
        "8: item 'adress': there is no such item here; did you mean 'address'?\n"
        "9: item 'window': value '0': must be from 1 to 512\n"
        "11: policy 'p': it changes nothing: give it 'enabled', 'severity', "
        "'category' or 'hold_down'\n");
    const char *first =
        "item 'level': value 'loud': must be one of error, warning, info, debug (and "
        "6 more mistakes)";
    assert_string_equal(err.text + strlen(err.text) - strlen(first), first);
}

TEST(a_pattern_that_nothing_fits_is_told)
{
    static const struct {
        const char *item, *good, *bad;
    } ROWS[] = {
        {"nodes", "leaf[0-9]", "leaf[0-9]+"},
        {"nodes", "a.b+c (1)", "leaf(1|2)"},
        {"nodes", "leaf[!a]*", "^leaf"},
        {"nodes", "leaf\\\\*", "leaf\\\\d"},
        {"nodes", "$1 node", "leaf.$"},
        {"nodes", "host 12:34", "0002:c903:000e:1234"},
        {"nodes", "fe80::x", "00:02:c9:*"},
        {"nodes", "0x12 node", "0x0002c903000e1234"},
        {"guids", "0x0002c903000e1234", "0002:c903:000e:1234"},
        {"guids", "*1234", "0x0002C903000e1234"},
        {"guids", "0x[0-3]*", "0x[g-z]*"},
        {"guids", "0x0002c903??????34", "0x0002c903"},
        {"guids", "[!1]*", "[!0]*"},
        {"guids", "*", "0x0002c903000e1234*5"},
        {"guids", "0x[]0]*", "0x[]*"},
        {"guids", "0x0002c903000e123\\\\4", "0x0002c903000e123\\\\g"},
        {"switches", "leaf*", "leaf(1|2)"},
        {"switches", "0x0002c9*", "0x0002C9*"},
        {"switches", "leaf1", "0002:c903:000e:1234"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char content[200];
        snprintf(content, sizeof content, "file \"a\" { path = /x %s = {\"%s\"} }", ROWS[i].item,
                 ROWS[i].good);
        load(content);
        snprintf(content, sizeof content, "file \"a\" { path = /x\n%s = {\"%s\"} }", ROWS[i].item,
                 ROWS[i].bad);
        assert_memory_equal(error_of(content), "2: item '", 9);
    }
    assert_string_equal(error_of("policy \"p\" { enabled = no nodes = \"0X12\" events = x }"),
                        "1: item 'events': value 'x': there is no such event; 'ibtrapctl "
                        "catalogue' lists them");
    assert_string_equal(error_of("file \"a\" { path = /x nodes = \"leaf[0-9]+\" }"),
                        "1: item 'nodes': value 'leaf[0-9]+': looks like a regular expression: a "
                        "pattern has *, ? and [a-z] only, and other characters stand for "
                        "themselves");
    assert_string_equal(
        error_of("file \"a\" { path = /x guids = \"0002:c903:000e:1234\" }"),
        "1: item 'guids': value '0002:c903:000e:1234': no GUID fits it: write 0x and "
        "16 lower-case digits, such as 0x0002c903000e1234, or a part of them with *");
}

TEST(so_many_mistakes_are_enough)
{
    char content[4096];
    struct text t = text_in(content, sizeof content);
    size_t lines = 0;
    for (int i = 0; i < CONF_MISTAKES_MAX + 5; i++)
        text_add(&t, "fabric { port = x }\n");
    for (const char *p = mistakes_of(content); *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, CONF_MISTAKES_MAX);
}

TEST(a_name_that_there_is_not_is_helped)
{
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"logg { }", "1: section 'logg': there is no such section; did you mean 'log'?"},
        {"fabric { prot = 1 }", "1: item 'prot': there is no such item here; did you mean 'port'?"},
        {"fabric { community = x }",
         "1: item 'community': there is no such item here; it belongs to section 'snmp'"},
        {"fabric { interval = 1 }",
         "1: item 'interval': there is no such item here; it belongs to the sections 'sweep' and "
         "'counters'"},
        {"alertmanager a { url = x }",
         "1: item 'url': there is no such item here; did you mean 'urls'? 'url' belongs to section "
         "'http'"},
        {"fabric { frobnicate { a = { b } } } ",
         "1: section 'frobnicate': there is no such section"},
        {"fabric {\n port = 1\nlog {\n",
         "3: section 'log' begins in section 'fabric' of line 1: a closing brace is missing (and 1 "
         "more mistake)"},
        {"snmp {\n", "1: section 'snmp' needs a name: write snmp \"name\" {"},
        {"log \"x\" {\n", "1: section 'log' has no name of its own: write log {"},
        {"log { level info }", "1: '=' is expected, and there is 'info'"},
        {"log { levels = {a b} }",
         "1: item 'levels': value 'a': must be a folder of the gateway and its level, such as "
         "\"ib=debug\" (and 1 more mistake)"},
        {"fabric { port += 1 }", "1: item 'port' has one value only: write '=' for '+='"},
        {"log { level = (info) }", "1: parentheses have no meaning here: put a text with them into "
                                   "quotation marks"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
}

TEST(texts_have_escapes)
{
    load("file \"a\" { path = /x nodes = {\"\\x41\\102\\t\\n\\\"\\\\\\q\", 'a\\n\\'\\\\', "
         "\"b\\\nc\", "
         "'d\\\ne', leaf*, +1} }");
    static const char *const TEXTS[] = {"AB\t\n\"\\q", "a\\n'\\", "bc", "de", "leaf*", "+1"};
    const struct filter_list *nodes = &conf.receivers[0].filter.nodes;
    assert_int_equal(nodes->count, COUNT(TEXTS));
    for (size_t i = 0; i < COUNT(TEXTS); i++)
        assert_string_equal(nodes->patterns[i], TEXTS[i]);
    static const char *const BAD[] = {"\\0", "\\x00", "\\777", "\\8"};
    for (size_t i = 0; i < COUNT(BAD); i++) {
        char content[100];
        snprintf(content, sizeof content, "file \"a\" {\n path = \"/%s\" }", BAD[i]);
        assert_string_equal(error_of(content), "2: no character has the number behind '\\': put a "
                                               "backslash itself as '\\\\'");
    }
}

TEST(lists_are_continued)
{
    load("counters { thresholds = {\"VL15Dropped=8\"} thresholds += {\"PortXmitWait=9\",} }\n"
         "file \"a\" { path = /x nodes += c nodes += d }\n");
    assert_int_equal(conf.counters.thresholds[COUNTER_VL15_DROPPED], 8);
    assert_int_equal(conf.counters.thresholds[COUNTER_XMIT_WAIT], 9);
    struct filter_list expected = {.count = 0};
    add_pattern(&expected, "c");
    add_pattern(&expected, "d");
    check_list(&conf.receivers[0].filter.nodes, &expected);
}

TEST(standard_output_is_added_once)
{
    const struct conf_receiver expected = make_syslog("standard-output", CONF_STDOUT);
    load_defaults();
    conf_add_stdout(&conf);
    assert_int_equal(conf.receiver_count, 2);
    check_receiver(1, &expected);
    conf_add_stdout(&conf);
    assert_int_equal(conf.receiver_count, 2);
}

#define CONF_TEST(f) cmocka_unit_test_teardown(f, release)

TEST(http_formats)
{
    static const char *const FORMATS[] = {"json", "cloudevents", "otlp",
                                          "loki", "splunk",      "elasticsearch"};
    char text[200];
    for (size_t i = 0; i < COUNT(FORMATS); i++) {
        snprintf(text, sizeof text, "http \"a\" { url = \"http://h/\" format = \"%s\" }",
                 FORMATS[i]);
        load(text);
        assert_int_equal(conf.receivers[0].http.format, i);
        assert_string_equal(conf.receivers[0].http.index, "");
        assert_false(conf.receivers[0].http.ack);
    }
    load("http \"a\" { url = \"http://h/\" format = \"splunk\" index = \"ib\" ack = true }");
    assert_string_equal(conf.receivers[0].http.index, "ib");
    assert_true(conf.receivers[0].http.ack);
    load("http \"a\" { url = \"http://h/\" format = \"elasticsearch\" index = \"ib-1\" }");
    assert_string_equal(conf.receivers[0].http.index, "ib-1");
}

TEST(items_that_an_http_format_has_not_are_refused)
{
    assert_string_equal(
        error_of("http \"a\" { url = \"http://h/\" format = \"loki\" index = \"ib\" }"),
        "1: http 'a': item 'index' has no effect without format = \"splunk\" or "
        "\"elasticsearch\"");
    assert_string_equal(
        error_of("http \"a\" { url = \"http://h/\" format = \"elasticsearch\" ack = true }"),
        "1: http 'a': item 'ack' has no effect without format = \"splunk\"");
}

#define BULK(path, items)                                                                          \
    "http \"a\" { url = \"http://h:9200" path "\" format = \"elasticsearch\" " items " }"

TEST(a_bulk_for_elasticsearch_needs_an_index)
{
    static const char MESSAGE[] = "1: http 'a': Elasticsearch needs an index: give item 'index', "
                                  "or a URL such as https://HOST:9200/INDEX/_bulk";
    assert_string_equal(error_of(BULK("/_bulk", "")), MESSAGE);
    assert_string_equal(error_of(BULK("/_bulk/?refresh=true", "")), MESSAGE);
    load(BULK("/_bulk", "index = \"ib\""));
    load(BULK("/logs-ib/_bulk", ""));
    load(BULK("/_bulks", ""));
    load(BULK("/_bulk?index=ib", "")); // OpenSearch 2.5 takes it
    load(BULK("/_bulk/?refresh=true&index=ib", ""));
    assert_string_equal(error_of(BULK("/_bulk?a=index=ib&", "")), MESSAGE);
}

TEST(an_alertmanager_may_have_the_name_of_a_path)
{
    load(ALERTS("http://api/v2", ""));
    assert_non_null(strstr(error_of(ALERTS("http://api/api/v2", "")), "must be without"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONF_TEST(defaults_hold_without_a_file),
        CONF_TEST(an_empty_file_changes_nothing),
        CONF_TEST(the_example_shows_the_defaults),
        CONF_TEST(the_examples_sections_show_the_defaults_too),
        CONF_TEST(the_example_is_proper_where_it_is_commented_out),
        CONF_TEST(the_minimal_file_is_enough),
        CONF_TEST(general_items_are_taken),
        CONF_TEST(metrics_have_a_port_of_their_own),
        CONF_TEST(items_of_sweeps_and_counters_are_taken),
        CONF_TEST(policies_are_taken_in_their_order),
        CONF_TEST(when_a_link_is_unreliable_is_taken),
        CONF_TEST(what_is_told_less_often_is_taken),
        CONF_TEST(a_policy_that_changes_nothing_is_refused),
        CONF_TEST(a_policy_changes_something),
        CONF_TEST(there_is_room_for_so_many_policies),
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
        CONF_TEST(bad_values_are_told_with_line_item_value_and_reason),
        CONF_TEST(receivers_behind_a_master_agent),
        CONF_TEST(bad_master_agents_are_refused),
        CONF_TEST(kafka_receivers),
        CONF_TEST(bad_kafka_receivers_are_refused),
        CONF_TEST(http_receivers),
        CONF_TEST(bad_http_receivers_are_refused),
        CONF_TEST(bad_urls_are_refused),
        CONF_TEST(alertmanager_receivers),
        CONF_TEST(two_sections_may_have_one_source_at_one_alertmanager),
        CONF_TEST(bad_alertmanager_receivers_are_refused),
        CONF_TEST(a_secret_for_alertmanagers_needs_tls_at_each_that_is_elsewhere),
        CONF_TEST(a_secret_over_http_needs_tls_unless_the_server_is_here),
        CONF_TEST(http_formats),
        CONF_TEST(items_that_an_http_format_has_not_are_refused),
        CONF_TEST(a_bulk_for_elasticsearch_needs_an_index),
        CONF_TEST(an_alertmanager_may_have_the_name_of_a_path),
        CONF_TEST(a_password_needs_tls_unless_it_is_hashed),
        CONF_TEST(topics_and_settings_have_their_limits),
        CONF_TEST(bad_values_are_told_in_every_kind_of_receiver),
        CONF_TEST(what_is_neither_true_nor_false_is_told),
        CONF_TEST(values_too_long_are_told),
        CONF_TEST(a_key_that_others_can_read_is_refused),
        CONF_TEST(a_bad_name_map_is_told_with_its_own_line),
        CONF_TEST(unknown_items_are_errors),
        CONF_TEST(what_stands_twice_is_told),
        CONF_TEST(the_reading_goes_on_after_a_mistake),
        CONF_TEST(receivers_need_their_own_names),
        CONF_TEST(what_a_receiver_needs_must_be_there),
        CONF_TEST(what_does_not_go_together_is_told),
        CONF_TEST(what_would_have_no_effect_is_told),
        CONF_TEST(a_default_may_stand_anywhere),
        CONF_TEST(a_bad_severity_map_is_told),
        CONF_TEST(folders_have_levels_of_their_own),
        CONF_TEST(there_is_room_for_so_many_patterns),
        CONF_TEST(a_missing_brace_is_told),
        CONF_TEST(there_is_room_for_so_many_receivers),
        CONF_TEST(comments_do_not_shift_lines),
        CONF_TEST(a_comment_without_an_end_is_told),
        CONF_TEST(what_looks_like_a_comment_may_be_a_value),
        CONF_TEST(the_environment_takes_no_part),
        CONF_TEST(syntax_errors_are_told_with_their_line),
        CONF_TEST(a_file_that_cannot_be_read_is_told),
        CONF_TEST(a_file_is_bounded),
        CONF_TEST(a_text_that_is_no_file_is_read_alike),
        CONF_TEST(the_text_of_somebody_else_opens_no_file),
        CONF_TEST(every_mistake_is_told_in_the_order_of_lines),
        CONF_TEST(a_pattern_that_nothing_fits_is_told),
        CONF_TEST(so_many_mistakes_are_enough),
        CONF_TEST(a_name_that_there_is_not_is_helped),
        CONF_TEST(texts_have_escapes),
        CONF_TEST(lists_are_continued),
        CONF_TEST(standard_output_is_added_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
