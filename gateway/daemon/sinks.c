#include "daemon/sinks.h"

#include "sink/agentx.h"
#include "sink/file.h"
#include "sink/snmp.h"
#include "sink/syslog.h"

#include <arpa/inet.h>
#include <string.h>

// The number of a word in a list; the configuration has checked that it is there.
static unsigned sinks_find(const char *const *words, size_t n, const char *word)
{
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(words[i], word) == 0)
            return i;
    }
    return 0;
}

static enum snmp_auth auth_of(const char *word)
{
    static const char *const WORDS[] = {"", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"};
    return (enum snmp_auth)sinks_find(WORDS, 6, word);
}

static enum snmp_priv privacy_of(const char *word)
{
    static const char *const WORDS[] = {"", "AES", "AES-192", "AES-256", "AES-192-C", "AES-256-C"};
    return (enum snmp_priv)sinks_find(WORDS, 6, word);
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
        return SNMP_UDP;
    }
}

static struct tls_options tls_of(const struct conf_tls *c, struct log *log)
{
    return (struct tls_options){.ca_file = c->ca_file,
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
        .version = VERSIONS[s->version - 1],
        .inform = s->inform,
        .community = s->community,
        .user = {.name = s->user,
                 .auth = auth_of(s->auth),
                 .auth_password = s->auth_password,
                 .priv = privacy_of(s->privacy),
                 .priv_password = s->privacy_password},
        .context = s->context,
        .tls = tls_of(&c->tls, log),
        .timeout_ms = s->timeout_ms,
        .retries = s->retries,
        .window = s->window,
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
        return SYSLOG_LOCAL;
    }
}

static bool make_syslog(struct sink *out, const struct conf_receiver *c, const struct clock *clock,
                        int64_t started_at, struct log *log, struct error *err)
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
    format_find(s->format, &options.format);
    options.lines = s->lines;
    options.facility = s->facility;
    for (size_t i = 0; i < FORMAT_SEVERITIES; i++)
        options.severity_map[i] = (enum severity)s->severities[i];
    options.tls = tls_of(&c->tls, log);
    options.started_us = clock_utc(clock) - (clock_monotonic(clock) - started_at);
    return syslog_sink(out, c->name, &options, err);
}

static bool make_agentx(struct sink *out, const struct conf_receiver *c, struct error *err)
{
    const struct agentx_target target = {.master = c->agentx.socket,
                                         .context = c->agentx.context,
                                         .sets = c->agentx.sets,
                                         .extra = c->agentx.extra_varbinds,
                                         .random = &random_system};
    return agentx_sink(out, c->name, &target, err);
}

bool sinks_make(struct sink *out, const struct conf_receiver *conf, const struct clock *clock,
                int64_t started_at, struct log *log, struct error *err)
{
    bool ok;
    if (conf->kind == CONF_SNMP)
        ok = make_snmp(out, conf, clock, started_at, log, err);
    else if (conf->kind == CONF_SYSLOG)
        ok = make_syslog(out, conf, clock, started_at, log, err);
    else if (conf->kind == CONF_AGENTX)
        ok = make_agentx(out, conf, err);
    else
        ok = file_sink(
            out, conf->name,
            &(struct file_options){.path = conf->file.path,
                                   .fsync = conf->file.sync ? FILE_FSYNC_EACH : FILE_FSYNC_NONE},
            err);
    return ok || error_prefix(err, "receiver %s", conf->name);
}
