// SPDX-License-Identifier: BSD-2-Clause
#include "kafka/settings.h"

#include <stdio.h>
#include <string.h>

// Settings that are not the user's: what an item of the section says, what the promises of this
// receiver rest on, what loads code, and what replaces the brokers by made-up ones. A name that
// ends with a dot stands for all that begin with it.
static const char *const SETTINGS_OURS[] = {
    "acks",
    "bootstrap.servers",
    "delivery.report.only.error",
    "delivery.timeout.ms",
    SETTINGS_GAPLESS,
    "enable.idempotence",
    "enable.ssl.certificate.verification",
    "enabled_events",
    "internal.termination.signal",
    "log.queue",
    "message.send.max.retries",
    "message.timeout.ms",
    "metadata.broker.list",
    "plugin.library.paths",
    "request.required.acks",
    "retries",
    "sasl.",
    "security.protocol",
    "ssl.ca.location",
    "ssl.ca.pem",
    "ssl.certificate.",
    "ssl.crl.location",
    "ssl.endpoint.identification.algorithm",
    "ssl.engine.",
    "ssl.key.",
    "ssl.keystore.",
    "ssl.providers",
    "test.",
    "transactional.id",
    "ut_handle_ProduceResponse", // of librdkafka's own tests: an address to jump to
};

static bool settings_set(rd_kafka_conf_t *conf, const char *name, const char *value,
                         struct error *err)
{
    char reason[300];
    if (!value || value[0] == '\0' ||
        rd_kafka_conf_set(conf, name, value, reason, sizeof reason) == RD_KAFKA_CONF_OK)
        return true;
    return error_set(err, "librdkafka does not take '%s': %s", name,
                     strncmp(name, "sasl.", 5) == 0 ? "this build of it lacks it" : reason);
}

// librdkafka takes the settings of a topic with and without "topic." before them.
static bool settings_check(const char *full_name, struct error *err)
{
    const char *name = full_name + (strncmp(full_name, "topic.", 6) == 0 ? 6 : 0);
    for (size_t i = 0; i < sizeof SETTINGS_OURS / sizeof *SETTINGS_OURS; i++) {
        const char *ours = SETTINGS_OURS[i];
        const size_t length = strlen(ours);
        if (ours[length - 1] == '.' ? strncmp(name, ours, length) == 0 : strcmp(name, ours) == 0)
            return error_set(err,
                             "'%s' cannot be one of 'settings': the section's other items, or "
                             "ibtrapd's promises, decide it",
                             full_name);
    }
    return true;
}

// Asks librdkafka what it made of the setting, as there are several ways to write it.
static bool settings_check_partitioner(rd_kafka_conf_t *conf, const char *pair, struct error *err)
{
    char value[32] = "";
    size_t size = sizeof value;
    rd_kafka_conf_get(conf, "partitioner", value, &size);
    return strcmp(value, "random") != 0 ||
           error_set(err,
                     "'%s' cannot be one of 'settings': events with the same key have to come "
                     "to the same partition",
                     pair);
}

static bool settings_set_users(rd_kafka_conf_t *conf, const struct kafka_options *o,
                               struct error *err)
{
    for (size_t i = 0; i < o->setting_count; i++) {
        char name[KAFKA_SETTING_SIZE];
        const char *equals = strchr(o->settings[i], '=');
        if (!equals)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - o->settings[i]), o->settings[i]);
        if (!settings_check(name, err) || !settings_set(conf, name, equals + 1, err) ||
            !settings_check_partitioner(conf, o->settings[i], err))
            return false;
    }
    return true;
}

static bool settings_set_tls(rd_kafka_conf_t *conf, const struct tls_options *tls,
                             struct error *err)
{
    const char *key = tls->key_file[0] ? tls->key_file : tls->cert_file;
    return settings_set(conf, "ssl.ca.location", tls->ca_file, err) &&
           settings_set(conf, "ssl.crl.location", tls->crl_file, err) &&
           settings_set(conf, "ssl.certificate.location", tls->cert_file, err) &&
           settings_set(conf, "ssl.key.location", key, err) &&
           settings_set(conf, "ssl.endpoint.identification.algorithm", "https", err);
}

static bool settings_set_sasl(rd_kafka_conf_t *conf, const struct kafka_options *o,
                              struct error *err)
{
    return settings_set(conf, "sasl.mechanisms", o->mechanism, err) &&
           settings_set(conf, "sasl.username", o->user, err) &&
           settings_set(conf, "sasl.password", o->password, err);
}

// The defaults come first, the user's settings next, and what must not differ last.
static bool settings_set_all(rd_kafka_conf_t *conf, const struct kafka_options *o, bool idempotent,
                             unsigned batch_size, struct error *err)
{
    char octets[12] = "";
    if (batch_size > 0)
        snprintf(octets, sizeof octets, "%u", batch_size);
    static const char *const PROTOCOLS[2][2] = {{"plaintext", "sasl_plaintext"},
                                                {"ssl", "sasl_ssl"}};
    return settings_set(conf, "client.id", "ibtrapd", err) &&
           settings_set(conf, "partitioner", "murmur2_random", err) &&
           settings_set(conf, "topic.metadata.propagation.max.ms", "5000", err) &&
           settings_set(conf, "reconnect.backoff.max.ms", "2000", err) &&
           settings_set(conf, "receive.message.max.bytes", "8388608", err) &&
           settings_set(conf, "batch.size", octets, err) && settings_set_users(conf, o, err) &&
           settings_set(conf, "bootstrap.servers", o->brokers, err) &&
           settings_set(conf, "security.protocol", PROTOCOLS[o->uses_tls][o->mechanism != NULL],
                        err) &&
           (!o->uses_tls || settings_set_tls(conf, &o->tls, err)) &&
           (!o->mechanism || settings_set_sasl(conf, o, err)) &&
           settings_set(conf, "acks", "all", err) &&
           settings_set(conf, "enable.idempotence", idempotent ? "true" : "false", err) &&
           // An event that fails stops those behind it, and no time-out of librdkafka's fails one.
           settings_set(conf, SETTINGS_GAPLESS, idempotent ? "true" : "false", err) &&
           settings_set(conf, "message.timeout.ms", "0", err) &&
           settings_set(conf, "log.queue", "true", err);
}

rd_kafka_conf_t *settings_make(const struct kafka_options *options, bool idempotent,
                               unsigned batch_size, struct error *err)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (settings_set_all(conf, options, idempotent, batch_size, err))
        return conf;
    rd_kafka_conf_destroy(conf);
    return NULL;
}
