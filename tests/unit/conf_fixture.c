// SPDX-License-Identifier: BSD-2-Clause
#include "conf_fixture.h"

#include "base/text.h"
#include "install.h"

struct conf conf;
struct error err;

void load_path(const char *path)
{
    conf_free(&conf);
    if (!conf_load(path, &conf, &err))
        fail_msg("%s", err.text);
}

void load(const char *content)
{
    load_path(support_file("conf", content, 0644));
}

// The error for a file, without the file's path.
const char *error_of(const char *content)
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
const char *mistakes_of(const char *content)
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

int release(void **state)
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

struct conf_receiver make_snmp(const char *name, const char *host, uint16_t port)
{
    struct conf_receiver r = make_receiver(CONF_SNMP, name);
    r.transport = TRANSPORT_UDP;
    r.port = port;
    r.rate = 1000;
    snprintf(r.host, sizeof r.host, "%s", host);
    r.snmp = (struct conf_snmp){
        .version = 2, .community = "public", .timeout_ms = 1000, .retries = 3, .window = 64};
    return r;
}

struct conf_receiver make_syslog(const char *name, enum transport transport)
{
    struct conf_receiver r = make_receiver(CONF_SYSLOG, name);
    r.transport = transport;
    r.syslog = (struct conf_syslog){.facility = 3, .path = "/dev/log"};
    r.syslog.format = transport == TRANSPORT_LOCAL ? FORMAT_RFC3164 : FORMAT_RFC5424;
    for (int i = 0; i < 8; i++)
        r.syslog.severities[i] = i;
    return r;
}

struct conf_receiver make_remote_syslog(const char *name, enum transport transport,
                                        const char *host, uint16_t port)
{
    struct conf_receiver r = make_syslog(name, transport);
    r.port = port;
    snprintf(r.host, sizeof r.host, "%s", host);
    return r;
}

struct conf_receiver make_file(const char *name, const char *path)
{
    struct conf_receiver r = make_receiver(CONF_FILE, name);
    snprintf(r.file.path, sizeof r.file.path, "%s", path);
    r.file.sync = true;
    return r;
}

struct conf_receiver make_agentx(const char *name)
{
    struct conf_receiver r = make_receiver(CONF_AGENTX, name);
    r.rate = 1000;
    snprintf(r.agentx.socket, sizeof r.agentx.socket, "/var/agentx/master");
    return r;
}

void add_pattern(struct filter_list *list, const char *pattern)
{
    snprintf(list->patterns[list->count++], FILTER_PATTERN_SIZE, "%s", pattern);
}

void check_list(const struct filter_list *list, const struct filter_list *expected)
{
    assert_int_equal(list->count, expected->count);
    for (size_t i = 0; i < expected->count; i++)
        assert_string_equal(list->patterns[i], expected->patterns[i]);
}

void check_filter(const struct filter *f, const struct filter *expected)
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

void check_receiver(size_t i, const struct conf_receiver *expected)
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

void check_fabric(const struct conf_fabric *expected)
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

void check_sweep(const struct conf_sweep *expected)
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

void check_counters(const struct conf_counters *expected)
{
    assert_int_equal(conf.counters.ports, expected->ports);
    assert_int_equal(conf.counters.interval_s, expected->interval_s);
    for (size_t i = 0; i < COUNTER_ERRORS; i++)
        assert_int_equal(conf.counters.thresholds[i], expected->thresholds[i]);
    for (size_t i = 0; i < COUNTER_ERRORS; i++) {
        for (int w = 0; w < 4; w++) {
            assert_true(conf.counters.bit_error_rates[i][w] == expected->bit_error_rates[i][w]);
            assert_true(conf.counters.fec_bit_error_rates[i][w] ==
                        expected->fec_bit_error_rates[i][w]);
            assert_true(conf.counters.fec_loss_rates[i][w] == expected->fec_loss_rates[i][w]);
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

void check_policy(const struct conf_policy *expected)
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

void check_rule(size_t i, const struct conf_rule *expected)
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

struct conf_counters default_counters(void)
{
    return (struct conf_counters){
        .ports = COUNTERS_OF_ALL,
        .interval_s = 60,
        .thresholds = {[COUNTER_LINK_DOWNED] = 2,
                       [COUNTER_LOCAL_LINK_INTEGRITY_ERRORS] = 1,
                       [COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS] = 1},
        .window_min = {12, 125},
        .bit_error_rates = {[COUNTER_SYMBOL_ERROR] = {1e-13, 1e-14, 1e-12, 1e-12}},
        .fec_bit_error_rates = {[COUNTER_SYMBOL_ERROR] = {0, 5e-15, 1e-14, 1e-14},
                                [COUNTER_FEC_UNCORRECTABLE] = {0, 5e-12, 1e-11, 1e-11},
                                [COUNTER_EFFECTIVE_ERRORS] = {0, 5e-12, 1e-11, 1e-11}},
        .fec_loss_rates = {[COUNTER_RCV_ERRORS] = {1e-12, 1e-12}},
        .error_rates = {[COUNTER_SYMBOL_ERROR] = {120, 60},
                        [COUNTER_LINK_ERROR_RECOVERY] = {20, 2},
                        [COUNTER_RCV_ERRORS] = {120, 24},
                        [COUNTER_XMIT_DISCARDS] = {6000, 3000},
                        [COUNTER_VL15_DROPPED] = {6000, 3000},
                        [COUNTER_FEC_UNCORRECTABLE] = {120, 60},
                        [COUNTER_FEC_NEAR_LIMIT] = {120, 24},
                        [COUNTER_RECOVERIES] = {20, 2},
                        [COUNTER_UNINTENDED_DOWNS] = {20, 2}},
        .errors_min = 5,
        .clear_percent = 50,
        .congestion_clear = 5,
    };
}

void check_journal(const struct conf_journal *expected)
{
    assert_string_equal(conf.journal.directory, expected->directory);
    assert_int_equal(conf.journal.rows_max, expected->rows_max);
    assert_int_equal(conf.journal.bytes_max, expected->bytes_max);
    assert_int_equal(conf.journal.age_us, expected->age_us);
}

enum log_level level_of(enum log_folder folder)
{
    struct log *log = support_log(NULL);
    log_set_levels(log, conf.log_level, conf.folder_levels);
    enum log_level level = log_get_level(log, folder);
    log_close(log);
    return level;
}

void check_levels(enum log_level level)
{
    for (int i = 0; i < LOG_FOLDER_COUNT; i++)
        assert_int_equal(level_of((enum log_folder)i), level);
}

void check_general_defaults(void)
{
    const struct conf_fabric fabric = {.verify_interval_s = 5, .refresh_interval_s = 300};
    const struct conf_journal journal = {.directory = INSTALL_STATE_DIRECTORY,
                                         .rows_max = 1000000,
                                         .bytes_max = INT64_C(1) << 30,
                                         .age_us = INT64_C(2678400000000)};
    const struct conf_sweep sweep = {.method = SWEEP_SMP,
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

void check_defaults(const char *receiver_name)
{
    const struct conf_receiver syslog = make_syslog(receiver_name, TRANSPORT_LOCAL);
    check_general_defaults();
    assert_string_equal(conf.metrics.host, "");
    assert_string_equal(conf.subagent.socket, "");
    assert_int_equal(conf.receiver_count, 1);
    assert_int_equal(conf.policy.rule_count, 0);
    check_receiver(0, &syslog);
}

void load_defaults(void)
{
    conf_free(&conf);
    assert_true(conf_load_text("", "", true, &conf, &err));
}

// Replaces "%s", if present, by a file's path.
void name_file(char *content, size_t size, const char *path)
{
    char rest[300], *place = strstr(content, "%s");
    if (!place)
        return;
    snprintf(rest, sizeof rest, "%s", place + 2);
    snprintf(place, size - (size_t)(place - content), "%s%s", path, rest);
}
