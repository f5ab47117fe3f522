// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/sinks.h"

#include "base/path.h"
#include "conf/word.h"
#include "http/alertmanager.h"
#include "http/http_options.h"
#include "kafka/options.h"
#include "sink/agentx.h"
#include "sink/file.h"
#include "sink/module.h"
#include "sink/snmp.h"
#include "sink/syslog.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static enum snmp_auth sinks_auth(enum conf_auth auth)
{
    static const enum snmp_auth AUTHS[] = {
        [CONF_AUTH_NONE] = SNMP_NO_AUTH,   [CONF_AUTH_SHA] = SNMP_SHA1,
        [CONF_AUTH_SHA_224] = SNMP_SHA224, [CONF_AUTH_SHA_256] = SNMP_SHA256,
        [CONF_AUTH_SHA_384] = SNMP_SHA384, [CONF_AUTH_SHA_512] = SNMP_SHA512,
    };
    assert(auth < sizeof AUTHS / sizeof *AUTHS);
    return AUTHS[auth];
}

static enum snmp_priv sinks_privacy(enum conf_privacy privacy)
{
    static const enum snmp_priv PRIVACIES[] = {
        [CONF_PRIVACY_NONE] = SNMP_NO_PRIV,           [CONF_PRIVACY_AES] = SNMP_AES128,
        [CONF_PRIVACY_AES_192] = SNMP_AES192,         [CONF_PRIVACY_AES_256] = SNMP_AES256,
        [CONF_PRIVACY_AES_192_C] = SNMP_AES192_CISCO, [CONF_PRIVACY_AES_256_C] = SNMP_AES256_CISCO,
    };
    assert(privacy < sizeof PRIVACIES / sizeof *PRIVACIES);
    return PRIVACIES[privacy];
}

static enum format sinks_format(enum conf_format format)
{
    static const enum format FORMATS[] = {
        [CONF_RFC5424] = FORMAT_RFC5424,
        [CONF_RFC3164] = FORMAT_RFC3164,
        [CONF_ECS] = FORMAT_ECS,
        [CONF_CEF] = FORMAT_CEF,
        [CONF_LEEF] = FORMAT_LEEF,
        [CONF_JSON] = FORMAT_JSON,
        [CONF_CLOUDEVENTS] = FORMAT_CLOUDEVENTS,
    };
    assert(format != CONF_FORMAT_UNSET && format < sizeof FORMATS / sizeof *FORMATS);
    return FORMATS[format];
}

static enum snmp_transport snmp_transport_of(enum conf_transport transport)
{
    switch (transport) {
    case CONF_TCP:
        return SNMP_TCP;
    case CONF_TLS:
        return SNMP_TLS;
    case CONF_DTLS:
        return SNMP_DTLS;
    default:
        assert(transport == CONF_UDP);
        return SNMP_UDP;
    }
}

static struct tls_options tls_of(const struct conf_tls *c, struct log *log)
{
    return (struct tls_options){.ca_file = c->ca_file,
                                .crl_file = c->crl_file,
                                .cert_file = c->certificate_file,
                                .key_file = c->key_file,
                                .name = c->server_name,
                                .log = log};
}

static bool make_snmp(struct sink *out, const struct conf_receiver *c, const struct clock *clock,
                      int64_t started_at, struct log *log, struct error *err)
{
    static const enum snmp_version VERSIONS[] = {SNMP_V1, SNMP_V2C, SNMP_V3};
    const struct conf_snmp *s = &c->snmp;
    struct snmp_target target = {
        .host = c->host,
        .port = c->port,
        .transport = snmp_transport_of(c->transport),
        .ipv6 = c->ipv6,
        .version = VERSIONS[s->version - 1],
        .inform = s->inform,
        .community = s->community,
        .user = {.name = s->user,
                 .auth = sinks_auth(s->auth),
                 .auth_password = s->auth_password,
                 .priv = sinks_privacy(s->privacy),
                 .priv_password = s->privacy_password},
        .context = s->context,
        .tls = tls_of(&c->tls, log),
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
    if (s->agent_address[0]) {
        inet_pton(AF_INET, s->agent_address, target.agent_address);
        memcpy(target.trap_address, target.agent_address, sizeof target.trap_address);
    }
    return snmp_sink(out, c->name, &target, err);
}

static enum syslog_transport syslog_transport_of(enum conf_transport transport)
{
    switch (transport) {
    case CONF_UDP:
        return SYSLOG_UDP;
    case CONF_TCP:
        return SYSLOG_TCP;
    case CONF_TLS:
        return SYSLOG_TLS;
    case CONF_RELP:
        return SYSLOG_RELP;
    case CONF_RELP_TLS:
        return SYSLOG_RELP_TLS;
    case CONF_STDOUT:
        return SYSLOG_STDOUT;
    default:
        assert(transport == CONF_LOCAL);
        return SYSLOG_LOCAL;
    }
}

// When the gateway started, by the clock as it is now, in whole hundredths of a second, as
// sysUpTime counts: receivers that are made one after the other are to say the same.
static int64_t sinks_started_us(const struct clock *clock, int64_t started_at)
{
    const int64_t us = clock_utc(clock) - (clock_monotonic(clock) - started_at);
    return us - us % (CLOCK_US_PER_S / 100);
}

static void make_syslog(struct sink *out, const struct conf_receiver *c, const struct clock *clock,
                        int64_t started_at, struct log *log)
{
    const struct conf_syslog *s = &c->syslog;
    struct syslog_options options = SYSLOG_DEFAULTS;
    char engine_id[SNMP_ENGINE_TEXT_SIZE];
    snmp_engine_text(engine_id);
    options.engine_id = engine_id;
    options.transport = syslog_transport_of(c->transport);
    options.path = s->path;
    options.host = c->host;
    options.port = c->port;
    options.ipv6 = c->ipv6;
    options.format = sinks_format(s->format);
    options.lines = s->lines;
    options.facility = s->facility;
    for (size_t i = 0; i < FORMAT_SEVERITIES; i++)
        options.severity_map[i] = (enum severity)s->severities[i];
    options.tls = tls_of(&c->tls, log);
    options.started_us = sinks_started_us(clock, started_at);
    syslog_sink(out, c->name, &options);
}

static void make_agentx(struct sink *out, const struct conf_receiver *c)
{
    const struct agentx_target target = {.master = c->agentx.socket,
                                         .context = c->agentx.context,
                                         .sets = c->agentx.sets,
                                         .extra = c->agentx.extra_varbinds,
                                         .random = &random_system};
    agentx_sink(out, c->name, &target);
}

static void make_file(struct sink *out, const struct conf_receiver *c)
{
    const struct file_options options = {.path = c->file.path,
                                         .fsync = c->file.sync ? FILE_FSYNC_EACH : FILE_FSYNC_NONE};
    file_sink(out, c->name, &options);
}

// Modules.

static const char *sinks_mechanism(enum conf_sasl sasl)
{
    return sasl == CONF_SASL_NONE ? NULL : word_name(WORDS_SASL, sasl);
}

static struct kafka_options sinks_kafka_options(const struct conf_receiver *c)
{
    static_assert(sizeof c->kafka.settings[0] == KAFKA_SETTING_SIZE, "one array");
    return (struct kafka_options){.brokers = c->kafka.brokers,
                                  .topic = c->kafka.topic,
                                  .format = sinks_format(c->kafka.format),
                                  .uses_tls = c->transport == CONF_TLS,
                                  .tls = tls_of(&c->tls, NULL),
                                  .mechanism = sinks_mechanism(c->kafka.sasl),
                                  .user = c->kafka.user,
                                  .password = c->kafka.password,
                                  .settings = c->kafka.settings,
                                  .setting_count = CONF_SETTINGS_MAX};
}

static struct module_use sinks_kafka_use(const struct kafka_options *options, struct log *log)
{
    return (struct module_use){.kind = "kafka",
                               .file = "kafka",
                               .package = "ibtrapd-kafka",
                               .options = options,
                               .options_size = sizeof *options,
                               .in_flight_max = KAFKA_IN_FLIGHT_MAX,
                               .host = {.log = log}};
}

static void make_kafka(struct sink *out, const struct conf_receiver *c, struct log *log)
{
    const struct kafka_options options = sinks_kafka_options(c);
    const struct module_use use = sinks_kafka_use(&options, log);
    module_sink(out, c->name, &use);
    snprintf(out->address, sizeof out->address, "topic %s at %s", c->kafka.topic, c->kafka.brokers);
}

static bool sinks_check_kafka(const struct conf_receiver *c, struct error *err)
{
    const struct kafka_options options = sinks_kafka_options(c);
    const struct module_use use = sinks_kafka_use(&options, NULL);
    return (!options.uses_tls || tls_files_check(&options.tls, err)) && module_check(&use, err);
}

static struct transfer_options sinks_server(const struct conf_receiver *c, const char *url)
{
    static_assert(sizeof c->http_access.headers[0] == TRANSFER_HEADER_SIZE, "one array");
    return (struct transfer_options){.url = url,
                                     .tls = tls_of(&c->tls, NULL),
                                     .user = c->http_access.user,
                                     .password_file = c->http_access.password_file,
                                     .token_file = c->http_access.token_file,
                                     .headers = c->http_access.headers,
                                     .renew_ms = TRANSFER_RENEW_MS,
                                     .header_count = CONF_HEADERS_MAX};
}

static struct http_options sinks_http_options(const struct conf_receiver *c)
{
    static_assert(CONF_HTTP_ELASTIC == (int)HTTP_ELASTIC, "one order");
    return (struct http_options){.to = sinks_server(c, c->http.url),
                                 .format = (enum http_format)c->http.format,
                                 .batch = c->http.batch,
                                 .batch_size = c->http.batch_size,
                                 .timeout = c->http.timeout,
                                 .gzip = c->http.gzip,
                                 .index = c->http.index,
                                 .ack = c->http.ack};
}

static struct module_use sinks_http_use(const struct http_options *options, struct log *log)
{
    return (struct module_use){.kind = "http",
                               .file = "http",
                               .package = "ibtrapd-http",
                               .options = options,
                               .options_size = sizeof *options,
                               .in_flight_max = HTTP_IN_FLIGHT_MAX,
                               .host = {.log = log}};
}

static void make_http(struct sink *out, const struct conf_receiver *c, struct log *log)
{
    const struct http_options options = sinks_http_options(c);
    const struct module_use use = sinks_http_use(&options, log);
    module_sink(out, c->name, &use);
    // Paths and queries may have secrets in them.
    const size_t scheme = strcspn(c->http.url, "/") + 2;
    const size_t host = strcspn(c->http.url + scheme, "/?");
    snprintf(out->address, sizeof out->address, "%.*s", (int)(scheme + host), c->http.url);
}

static bool sinks_check_http(const struct conf_receiver *c, struct error *err)
{
    const struct http_options options = sinks_http_options(c);
    const struct module_use use = sinks_http_use(&options, NULL);
    return (c->transport != CONF_TLS || tls_files_check(&options.to.tls, err)) &&
           module_check(&use, err);
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

static struct module_use sinks_alertmanager_use(const struct alertmanager_options *options,
                                                const struct module_alarms *alarms, struct log *log)
{
    return (struct module_use){.kind = "alertmanager",
                               .file = "http",
                               .package = "ibtrapd-http",
                               .options = options,
                               .options_size = sizeof *options,
                               .in_flight_max = ALERTMANAGER_IN_FLIGHT_MAX,
                               .keeps_state = true,
                               .host = {.log = log, .alarms = alarms}};
}

static void make_alertmanager(struct sink *out, const struct conf_receiver *c,
                              const struct module_alarms *alarms, struct log *log)
{
    const struct alertmanager_options options = sinks_alertmanager_options(c);
    const struct module_use use = sinks_alertmanager_use(&options, alarms, log);
    module_sink(out, c->name, &use);
    snprintf(out->address, sizeof out->address, "%s", c->alertmanager.urls);
}

static bool sinks_check_alertmanager(const struct conf_receiver *c, struct error *err)
{
    const struct alertmanager_options options = sinks_alertmanager_options(c);
    const struct module_use use = sinks_alertmanager_use(&options, NULL, NULL);
    return (c->transport != CONF_TLS || tls_files_check(&options.to.tls, err)) &&
           module_check(&use, err);
}

bool sinks_make(struct sink *out, const struct conf_receiver *conf, const struct clock *clock,
                int64_t started_at, const struct module_alarms *alarms, struct log *log,
                struct error *err)
{
    switch (conf->kind) {
    case CONF_SNMP:
        return make_snmp(out, conf, clock, started_at, log, err) ||
               error_prefix(err, "receiver %s", conf->name);
    case CONF_SYSLOG:
        make_syslog(out, conf, clock, started_at, log);
        break;
    case CONF_AGENTX:
        make_agentx(out, conf);
        break;
    case CONF_FILE:
        make_file(out, conf);
        break;
    case CONF_KAFKA:
        make_kafka(out, conf, log);
        break;
    case CONF_HTTP:
        make_http(out, conf, log);
        break;
    case CONF_ALERTMANAGER:
        make_alertmanager(out, conf, alarms, log);
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
    const struct tls_options tls = tls_of(&conf->tls, NULL);
    switch (conf->kind) {
    case CONF_SNMP:
        return (conf->transport != CONF_TLS && conf->transport != CONF_DTLS) ||
               tls_files_check(&tls, err);
    case CONF_SYSLOG:
        if (conf->transport == CONF_LOCAL)
            return sinks_check_socket(conf->syslog.path, err);
        return (conf->transport != CONF_TLS && conf->transport != CONF_RELP_TLS) ||
               tls_files_check(&tls, err);
    case CONF_AGENTX:
        return sinks_check_socket(conf->agentx.socket, err);
    case CONF_FILE:
        return file_sink_check(conf->file.path, err);
    case CONF_KAFKA:
        return sinks_check_kafka(conf, err);
    case CONF_HTTP:
        return sinks_check_http(conf, err);
    case CONF_ALERTMANAGER:
        return sinks_check_alertmanager(conf, err);
    }
    return true;
}

bool sinks_check(const struct conf_receiver *conf, struct error *err)
{
    return sinks_check_parts(conf, err) || error_prefix(err, "receiver %s", conf->name);
}
