// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/sinks.h"

#include "base/path.h"
#include "http/alertmanager.h"
#include "http/in_flight.h"
#include "kafka/in_flight.h"
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
        .tls = tls_options_of(&c->tls, log),
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

// Modules.

// `c` is of a module's kind.
static struct module_use sinks_use_module(const struct conf_receiver *c, struct log *log,
                                          const struct module_alarms *alarms)
{
    struct module_use use = {.options = c, .host = {.alarms = alarms, .log = log}};
    if (c->kind == CONF_KAFKA) {
        use.kind = use.file = "kafka";
        use.package = "ibtrapd-kafka";
        use.keeps_state = c->kafka.state_topic[0] != '\0';
        use.in_flight_max = use.keeps_state ? 0 : KAFKA_IN_FLIGHT_MAX;
    } else if (c->kind == CONF_HTTP) {
        const bool keeps_alarms = c->http.state_index[0] != '\0';
        use.kind = use.file = "http";
        use.package = "ibtrapd-http";
        use.keeps_state = c->http.format == HTTP_OTLP_METRICS || keeps_alarms;
        use.in_flight_max = keeps_alarms ? 0 : HTTP_IN_FLIGHT_MAX;
    } else {
        use.kind = "alertmanager";
        use.file = "http";
        use.package = "ibtrapd-http";
        use.keeps_state = true;
        use.in_flight_max = ALERTMANAGER_IN_FLIGHT_MAX;
    }
    return use;
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
    const struct module_use use = sinks_use_module(c, log, alarms);
    module_sink(out, c->name, &use);
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
        syslog_sink(out, conf, sinks_started_us(clock, started_at), log);
        break;
    case CONF_AGENTX:
        agentx_sink(out, conf, &random_system);
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
    const struct tls_options tls = tls_options_of(&conf->tls, NULL);
    const struct module_use use = sinks_use_module(conf, NULL, NULL);
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
        return module_check(&use, err);
    }
    return true;
}

bool sinks_check(const struct conf_receiver *conf, struct error *err)
{
    return sinks_check_parts(conf, err) || error_prefix(err, "receiver %s", conf->name);
}
