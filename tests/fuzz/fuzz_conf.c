// SPDX-License-Identifier: BSD-2-Clause
// A configuration file of any octets.
#include "fuzz.h"

#include "base/text.h"
#include "conf/load.h"
#include "conf/rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Texts that appear in events, logs and answers.
static void check_name(const char *s)
{
    char clean[CONF_NAME_SIZE];
    text_clean(s, strlen(s), clean, sizeof clean);
    REQUIRE(s[0] != '\0' && strcmp(s, clean) == 0);
}

static bool uses_tls(const struct conf_receiver *r)
{
    return r->transport == TRANSPORT_TLS || r->transport == TRANSPORT_DTLS ||
           r->transport == TRANSPORT_RELP_TLS;
}

static void check_snmp(const struct conf_receiver *r)
{
    const struct conf_snmp *s = &r->snmp;
    REQUIRE(s->version >= 1 && s->version <= 3 && !(s->version == 1 && s->inform));
    REQUIRE(s->community[0] != '\0');
    REQUIRE((s->user[0] != '\0') == (s->version == 3 && !uses_tls(r)));
    REQUIRE(s->version == 3 || (s->auth == SNMP_NO_AUTH && s->context[0] == '\0'));
    REQUIRE((s->auth == SNMP_NO_AUTH) == (s->auth_password[0] == '\0'));
    REQUIRE((s->privacy == SNMP_NO_PRIV) == (s->privacy_password[0] == '\0'));
    REQUIRE(s->privacy == SNMP_NO_PRIV || s->auth != SNMP_NO_AUTH);
    REQUIRE(s->timeout_ms >= 100 && s->timeout_ms <= 5000 && s->retries <= 10);
    REQUIRE(s->window >= 1 && s->window <= 512 && s->sets <= 15);
    REQUIRE(!s->trap_address || s->agent_address[0] != '\0');
}

static void check_syslog(const struct conf_receiver *r)
{
    REQUIRE(r->syslog.facility <= 23 && r->syslog.format != FORMAT_UNSET);
    REQUIRE(r->transport != TRANSPORT_LOCAL || r->syslog.path[0] == '/');
    for (size_t i = 0; i < 8; i++)
        REQUIRE(r->syslog.severities[i] >= 0 && r->syslog.severities[i] <= 7);
}

static void check_list(const struct filter_list *list)
{
    REQUIRE(list->count <= FILTER_PATTERNS_MAX);
    for (size_t i = 0; i < list->count; i++)
        REQUIRE(list->patterns[i][0] != '\0');
}

static void check_receiver(const struct conf_receiver *r)
{
    check_name(r->name);
    REQUIRE(r->burst >= 1 && r->age_us >= 0);
    REQUIRE(r->filter.severity >= SEVERITY_EMERGENCY && r->filter.severity <= SEVERITY_DEBUG);
    check_list(&r->filter.events);
    check_list(&r->filter.categories);
    check_list(&r->filter.nodes);
    check_list(&r->filter.guids);
    check_list(&r->filter.switches);
    REQUIRE(uses_tls(r) || (r->tls.ca_file[0] == '\0' && r->tls.certificate_file[0] == '\0'));
    bool remote =
        r->kind == CONF_SNMP || (r->kind == CONF_SYSLOG && r->transport != TRANSPORT_LOCAL &&
                                 r->transport != TRANSPORT_STDOUT);
    REQUIRE(remote == (r->host[0] != '\0') && remote == (r->port != 0));
    if (r->kind == CONF_SNMP)
        check_snmp(r);
    else if (r->kind == CONF_SYSLOG)
        check_syslog(r);
    else if (r->kind == CONF_AGENTX)
        REQUIRE(r->agentx.socket[0] == '/' || strncmp(r->agentx.socket, "tcp:", 4) == 0);
    else if (r->kind == CONF_KAFKA)
        REQUIRE(r->kafka.brokers[0] != '\0' && r->kafka.topic[0] != '\0' &&
                (r->kafka.sasl == CONF_SASL_NONE) == (r->kafka.password[0] == '\0') &&
                (r->kafka.sasl != CONF_SASL_PLAIN || r->transport == TRANSPORT_TLS));
    else if (r->kind == CONF_HTTP)
        REQUIRE((strncmp(r->http.url, "https://", 8) == 0) == (r->transport == TRANSPORT_TLS) &&
                (r->transport == TRANSPORT_TLS || strncmp(r->http.url, "http://", 7) == 0) &&
                (r->http_access.user[0] != '\0') == (r->http_access.password_file[0] != '\0') &&
                (r->http_access.user[0] == '\0' || r->http_access.token_file[0] == '\0') &&
                r->http.batch >= 1 && r->http.batch <= 512);
    else if (r->kind == CONF_ALERTMANAGER)
        REQUIRE(strstr(r->alertmanager.urls, "://") && r->alertmanager.expire_s >= 20 &&
                (r->http_access.user[0] != '\0') == (r->http_access.password_file[0] != '\0'));
    else
        REQUIRE(r->file.path[0] == '/' || strcmp(r->file.path, "-") == 0);
}

static void check_policy(const struct conf_policy *p)
{
    REQUIRE(p->rule_count <= CONF_RULES_MAX);
    for (size_t i = 0; i < p->rule_count; i++) {
        const struct conf_rule *rule = &p->rules[i];
        check_name(rule->name);
        REQUIRE(rule->enabled >= CONF_SAME && rule->enabled <= 1);
        REQUIRE(rule->severity >= CONF_SAME && rule->severity <= SEVERITY_DEBUG);
        REQUIRE(rule->category == CONF_SAME ||
                (rule->category >= CATEGORY_FABRIC && rule->category <= CATEGORY_VENDOR));
        REQUIRE(rule->hold_down_s >= CONF_SAME && rule->hold_down_s <= 86400);
        check_list(&rule->events);
        check_list(&rule->nodes);
    }
    REQUIRE(p->repeat_window_s <= 86400 && p->flap_changes <= 16 && p->flap_changes != 1);
    REQUIRE(p->flap_within_s >= 1 && p->flap_quiet_s >= 1);
    REQUIRE(p->missing_age_us >= 0 && p->missing_age_us <= INT64_C(36500) * 86400000000);
    REQUIRE(p->storm_rate <= 100000 && p->storm_period_s >= 1 && p->storm_period_s <= 3600);
}

static void check_conf(const struct conf *conf)
{
    REQUIRE(conf->receiver_count >= 1 && conf->receiver_count <= CONF_RECEIVERS_MAX);
    for (size_t i = 0; i < conf->receiver_count; i++) {
        check_receiver(&conf->receivers[i]);
        for (size_t j = 0; j < i; j++)
            REQUIRE(strcmp(conf->receivers[i].name, conf->receivers[j].name) != 0);
    }
    REQUIRE(conf->fabric.port <= 254);
    REQUIRE(conf->fabric.verify_interval_s >= 1 && conf->fabric.verify_interval_s <= 3600);
    REQUIRE(conf->fabric.refresh_interval_s >= 10 && conf->fabric.refresh_interval_s <= 86400);
    REQUIRE(conf->sweep.method <= SWEEP_SA && conf->sweep.interval_s >= 5);
    REQUIRE(conf->sweep.in_flight >= 1 && conf->sweep.in_flight <= 256);
    REQUIRE(conf->sweep.attempts >= 1 && conf->sweep.timeout_ms >= 10);
    REQUIRE(conf->counters.ports <= COUNTERS_OF_ALL && conf->counters.interval_s >= 5);
    for (size_t i = 0; i < COUNTER_ERRORS; i++)
        REQUIRE(conf->counters.thresholds[i] <= UINT32_MAX);
    REQUIRE(conf->journal.directory[0] == '/' && conf->journal.rows_max >= 1000);
    REQUIRE(conf->journal.bytes_max >= 1 << 20 && conf->journal.age_us > 0);
    check_policy(&conf->policy);
    REQUIRE(conf->socket[0] == '/');
    for (size_t i = 0; i < LOG_FOLDER_COUNT; i++)
        REQUIRE(conf->folder_levels[i] >= CONF_SAME && conf->folder_levels[i] <= LOG_LEVEL_DEBUG);
}

// The printed configuration can be read, and gives the same values.
static void check_printed(const struct conf *conf)
{
    static struct conf again;
    struct error err;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    REQUIRE(f);
    conf_print(conf, f);
    REQUIRE(fclose(f) == 0);
    REQUIRE(conf_load_text(text, "printed", true, &again, &err));
    REQUIRE(again.receiver_count == conf->receiver_count);
    REQUIRE(again.policy.rule_count == conf->policy.rule_count);
    for (size_t i = 0; i < conf->receiver_count; i++)
        REQUIRE(strcmp(again.receivers[i].name, conf->receivers[i].name) == 0);
    conf_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct conf conf;
    static int fd = -1;
    struct error err;
    char path[64];
    if (memmem(data, size, "/dev/", 5) || memmem(data, size, "/proc/", 6))
        return 0; // some device files never end when read as a node-name-map
    if (fd < 0)
        fd = memfd_create("conf", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (conf_load(path, &conf, &err)) {
        check_conf(&conf);
        check_printed(&conf);
        conf_free(&conf);
    } else {
        REQUIRE(!conf.receivers && err.text[0] != '\0' && strstr(err.text, path));
    }
    return 0;
}
