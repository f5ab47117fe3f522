// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/sinks.h"

#include "base/path.h"
#include "conf/word.h"
#include "http/alertmanager.h"
#include "http/http_options.h"
#include "kafka/options.h"
#include "sink/agentx.h"
#include "sink/file.h"
#include "sink/snmp.h"
#include "sink/syslog.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct tls_options sinks_tls(const struct conf_tls *c, struct log *log)
{
    return (struct tls_options){.ca_file = c->ca_file,
                                .crl_file = c->crl_file,
                                .cert_file = c->certificate_file,
                                .key_file = c->key_file,
                                .name = c->server_name,
                                .log = log};
}

static bool sinks_make_snmp(struct sink *out, const struct conf_receiver *c,
                            const struct clock *clock, int64_t started_at, struct log *log,
                            struct error *err)
{
    const struct conf_snmp *s = &c->snmp;
    struct snmp_target target = {
        .host = c->host,
        .port = c->port,
        .transport = c->transport,
        .ipv6 = c->ipv6,
        .version = (enum snmp_version)(s->version - 1),
        .inform = s->inform,
        .community = s->community,
        .user = {.name = s->user,
                 .auth = s->auth,
                 .auth_password = s->auth_password,
                 .priv = s->privacy,
                 .priv_password = s->privacy_password},
        .context = s->context,
        .tls = sinks_tls(&c->tls, log),
        .timeout_ms = s->timeout_ms,
        .retries = s->retries,
        .in_flight_max = s->window,
        .sets = s->sets,
        .extra = s->extra_varbinds,
        .has_trap_address = s->trap_address,
        .has_agent_address = s->agent_address[0],
        .clock = clock,
        .started_at = started_at,
    };
    inet_pton(AF_INET, s->agent_address, target.agent_address); // nothing if it is empty
    return snmp_sink(out, c->name, &target, err);
}

// When the gateway started, by the present time of the clock, in whole hundredths of a second like
// sysUpTime: receivers that are made one after the other then say the same time.
static int64_t sinks_started_us(const struct clock *clock, int64_t started_at)
{
    const int64_t us = clock_utc(clock) - (clock_monotonic(clock) - started_at);
    return us - us % (CLOCK_US_PER_S / 100);
}

static void sinks_make_syslog(struct sink *out, const struct conf_receiver *c,
                              const struct clock *clock, int64_t started_at, struct log *log)
{
    const struct conf_syslog *s = &c->syslog;
    char engine_id[SNMP_ENGINE_TEXT_SIZE];
    struct syslog_options options = {.engine_id = engine_id,
                                     .transport = c->transport,
                                     .path = s->path,
                                     .host = c->host,
                                     .port = c->port,
                                     .ipv6 = c->ipv6,
                                     .format = s->format,
                                     .lines = s->lines,
                                     .facility = s->facility,
                                     .tls = sinks_tls(&c->tls, log),
                                     .started_us = sinks_started_us(clock, started_at)};
    snmp_engine_text(engine_id);
    for (size_t i = 0; i < FORMAT_SEVERITIES; i++)
        options.severity_map[i] = (enum severity)s->severities[i];
    syslog_sink(out, c->name, &options);
}

static void sinks_make_agentx(struct sink *out, const struct conf_receiver *c)
{
    const struct agentx_target target = {.master = c->agentx.socket,
                                         .context = c->agentx.context,
                                         .sets = c->agentx.sets,
                                         .extra = c->agentx.extra_varbinds,
                                         .random = &random_system};
    agentx_sink(out, c->name, &target);
}

// Modules.

// The use of a module, and the options to which the use points.
struct sinks_module {
    struct module_use use;
    union {
        struct kafka_options kafka;
        struct http_options http;
        struct alertmanager_options alertmanager;
    } options;
};

static struct kafka_options sinks_kafka_options(const struct conf_receiver *c)
{
    static_assert(sizeof c->kafka.settings[0] == KAFKA_SETTING_SIZE, "one array");
    const enum conf_sasl sasl = c->kafka.sasl;
    return (struct kafka_options){.brokers = c->kafka.brokers,
                                  .topic = c->kafka.topic,
                                  .state_topic = c->kafka.state_topic,
                                  .state_refresh_s = c->kafka.state_refresh_s,
                                  .format = c->kafka.format,
                                  .uses_tls = c->transport == TRANSPORT_TLS,
                                  .tls = sinks_tls(&c->tls, NULL),
                                  .mechanism =
                                      sasl != CONF_SASL_NONE ? word_name(WORDS_SASL, sasl) : NULL,
                                  .user = c->kafka.user,
                                  .password = c->kafka.password,
                                  .settings = c->kafka.settings,
                                  .setting_count = CONF_SETTINGS_MAX};
}

static struct transfer_options sinks_server(const struct conf_receiver *c, const char *url)
{
    static_assert(sizeof c->http_access.headers[0] == TRANSFER_HEADER_SIZE, "one array");
    return (struct transfer_options){.url = url,
                                     .tls = sinks_tls(&c->tls, NULL),
                                     .user = c->http_access.user,
                                     .password_file = c->http_access.password_file,
                                     .token_file = c->http_access.token_file,
                                     .header_file = c->http_access.header_file,
                                     .headers = c->http_access.headers,
                                     .renew_ms = TRANSFER_RENEW_MS,
                                     .header_count = CONF_HEADERS_MAX};
}

static struct http_options sinks_http_options(const struct conf_receiver *c)
{
    const bool state = c->http.state_index[0] != '\0';
    return (struct http_options){.to = sinks_server(c, c->http.url),
                                 .format = c->http.format,
                                 .batch = c->http.batch,
                                 .batch_size = c->http.batch_size,
                                 .timeout = c->http.timeout,
                                 .gzip = c->http.gzip,
                                 .index = c->http.index,
                                 .state_index = state ? c->http.state_index : NULL,
                                 .state_refresh_s = c->http.state_refresh_s,
                                 .interval = c->http.interval_s,
                                 .ack = c->http.ack};
}

static struct alertmanager_options sinks_alertmanager_options(const struct conf_receiver *c)
{
    static_assert(CONF_ALERT_URLS_MAX == (int)ALERTMANAGER_PEERS_MAX, "one limit");
    return (struct alertmanager_options){.to = sinks_server(c, ""),
                                         .urls = c->alertmanager.urls,
                                         .source = c->alertmanager.source,
                                         .expire_s = c->alertmanager.expire_s,
                                         .filter = &c->filter};
}

// `c` is of a module's kind.
static void sinks_use_module(struct sinks_module *out, const struct conf_receiver *c,
                             struct log *log, const struct module_alarms *alarms)
{
    const bool keeps_state = c->kafka.state_topic[0] != '\0';
    if (c->kind == CONF_KAFKA) {
        out->options.kafka = sinks_kafka_options(c);
        out->use = (struct module_use){.kind = "kafka",
                                       .file = "kafka",
                                       .package = "ibtrapd-kafka",
                                       .options_size = sizeof out->options.kafka,
                                       .in_flight_max = keeps_state ? 0 : KAFKA_IN_FLIGHT_MAX,
                                       .keeps_state = keeps_state,
                                       .host = {.alarms = alarms}};
    } else if (c->kind == CONF_HTTP) {
        out->options.http = sinks_http_options(c);
        out->use = (struct module_use){
            .kind = "http",
            .file = "http",
            .package = "ibtrapd-http",
            .options_size = sizeof out->options.http,
            .in_flight_max = out->options.http.state_index ? 0 : HTTP_IN_FLIGHT_MAX,
            .keeps_state = c->http.format == HTTP_OTLP_METRICS || out->options.http.state_index,
            .host = {.alarms = alarms}};
    } else {
        out->options.alertmanager = sinks_alertmanager_options(c);
        out->use = (struct module_use){.kind = "alertmanager",
                                       .file = "http",
                                       .package = "ibtrapd-http",
                                       .options_size = sizeof out->options.alertmanager,
                                       .in_flight_max = ALERTMANAGER_IN_FLIGHT_MAX,
                                       .keeps_state = true,
                                       .host = {.alarms = alarms}};
    }
    out->use.options = &out->options;
    out->use.host.log = log;
}

static void sinks_add_address(struct sink *out, const struct conf_receiver *c)
{
    // Paths and queries may have secrets.
    const size_t scheme = strcspn(c->http.url, "/") + 2;
    if (c->kind == CONF_KAFKA)
        snprintf(out->address, sizeof out->address, "topic %s at %s",
                 c->kafka.state_topic[0] ? c->kafka.state_topic : c->kafka.topic, c->kafka.brokers);
    else if (c->kind == CONF_HTTP)
        snprintf(out->address, sizeof out->address, "%.*s",
                 (int)(scheme + strcspn(c->http.url + scheme, "/?")), c->http.url);
    else
        snprintf(out->address, sizeof out->address, "%s", c->alertmanager.urls);
}

static void sinks_make_module(struct sink *out, const struct conf_receiver *c, struct log *log,
                              const struct module_alarms *alarms)
{
    struct sinks_module module;
    sinks_use_module(&module, c, log, alarms);
    module_sink(out, c->name, &module.use);
    sinks_add_address(out, c);
}

bool sinks_make(struct sink *out, const struct conf_receiver *conf, const struct clock *clock,
                int64_t started_at, const struct module_alarms *alarms, struct log *log,
                struct error *err)
{
    switch (conf->kind) {
    case CONF_SNMP:
        return sinks_make_snmp(out, conf, clock, started_at, log, err) ||
               error_prefix(err, "receiver %s", conf->name);
    case CONF_SYSLOG:
        sinks_make_syslog(out, conf, clock, started_at, log);
        break;
    case CONF_AGENTX:
        sinks_make_agentx(out, conf);
        break;
    case CONF_FILE:
        file_sink(out, conf->name, conf->file.path, conf->file.sync);
        break;
    case CONF_KAFKA:
    case CONF_HTTP:
    case CONF_ALERTMANAGER:
        sinks_make_module(out, conf, log, alarms);
        break;
    }
    return true;
}

bool sinks_check_socket(const char *path, struct error *err)
{
    struct stat st;
    if (path[0] != '/' || (stat(path, &st) != 0 && errno == ENOENT))
        return true;
    if (stat(path, &st) != 0)
        return writable_cannot_look(path, err);
    return S_ISSOCK(st.st_mode) || error_set(err, "'%s' is not a socket", path);
}

static bool sinks_check_parts(const struct conf_receiver *conf, struct error *err)
{
    const enum transport transport = conf->transport;
    const struct tls_options tls = sinks_tls(&conf->tls, NULL);
    struct sinks_module module;
    if ((transport == TRANSPORT_TLS || transport == TRANSPORT_DTLS ||
         transport == TRANSPORT_RELP_TLS) &&
        !tls_files_check(&tls, err))
        return false;
    switch (conf->kind) {
    case CONF_SNMP:
        break;
    case CONF_SYSLOG:
        return transport != TRANSPORT_LOCAL || sinks_check_socket(conf->syslog.path, err);
    case CONF_AGENTX:
        return sinks_check_socket(conf->agentx.socket, err);
    case CONF_FILE:
        return file_sink_check(conf->file.path, err);
    case CONF_KAFKA:
    case CONF_HTTP:
    case CONF_ALERTMANAGER:
        sinks_use_module(&module, conf, NULL, NULL);
        return module_check(&module.use, err);
    }
    return true;
}

bool sinks_check(const struct conf_receiver *conf, struct error *err)
{
    return sinks_check_parts(conf, err) || error_prefix(err, "receiver %s", conf->name);
}
