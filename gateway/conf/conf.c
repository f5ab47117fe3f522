#include "conf/conf.h"

#include "base/secret.h"
#include "conf/check.h"
#include "install.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// libconfuse tells its errors and ours through one callback, which has no context argument; this is
// set around the parser's use.
static _Thread_local struct {
    const char *path;
    struct error *err;
} parsing;

// libconfuse takes the end of the file for the end of every open section. This item follows the
// file, and is known at the top only.
#define END_ITEM "end_of_configuration"

enum { FILE_SIZE_MAX = 1 << 20, PASSWORD_MIN = 8 }; // RFC 3414 11.2
enum { SNMP_TRAP_PORT = 162, SNMP_TLS_TRAP_PORT = 10162, METRICS_PORT = 9117, FACILITY_DAEMON = 3 };

// Keeps the first error only: what follows is its consequence.
__attribute__((format(printf, 2, 0))) static void take_error(cfg_t *cfg, const char *fmt,
                                                             va_list args)
{
    if (!parsing.err || parsing.err->text[0] != '\0')
        return;
    char sentence[400];
    if (strncmp(fmt, "no such option", 14) == 0)
        vsnprintf(sentence, sizeof sentence, "item '%s': there is no such item here", args);
    else
        vsnprintf(sentence, sizeof sentence, fmt, args);
    bool no_end = strstr(sentence, END_ITEM) != NULL; // it stands in the line after the file's last
    if (no_end)
        snprintf(sentence, sizeof sentence, "section '%s' has no end: a closing brace is missing",
                 cfg->name);
    error_set(parsing.err, "%s:%d: %s", parsing.path, cfg->line - no_end, sentence);
}

static bool refuse(const cfg_t *section, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

// What is wrong with a section as a whole.
static bool refuse(const cfg_t *section, const char *fmt, ...)
{
    char sentence[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    bool named = section->title != NULL;
    return error_set(parsing.err, "%s:%d: %s%s%s%s: %s", parsing.path, section->line, section->name,
                     named ? " '" : "", named ? section->title : "", named ? "'" : "", sentence);
}

// Whether an item says something else than its default.
static bool is_set(cfg_t *section, const char *item)
{
    const cfg_opt_t *opt = cfg_getopt(section, item);
    if (opt->type == CFGT_INT)
        return cfg_getint(section, item) != opt->def.number;
    if (opt->type == CFGT_BOOL)
        return cfg_getbool(section, item) != opt->def.boolean;
    const char *text = cfg_getstr(section, item);
    return text && (!opt->def.string || strcmp(text, opt->def.string) != 0);
}

// Refuses items that would silently do nothing as their section is. `items` end with NULL.
static bool need(bool met, cfg_t *section, const char *const *items, const char *what)
{
    for (; !met && *items; items++) {
        if (is_set(section, *items))
            return refuse(section, "item '%s' has no effect without %s", *items, what);
    }
    return true;
}

#define ITEMS(...) ((const char *const[]){__VA_ARGS__, NULL})

// What a healthy fabric stays below, in the minute between two readings.
static const uint64_t THRESHOLDS[COUNTER_ERRORS] = {
    [COUNTER_SYMBOL_ERROR] = 10,
    [COUNTER_LINK_ERROR_RECOVERY] = 1,
    [COUNTER_LINK_DOWNED] = 2,
    [COUNTER_RCV_ERRORS] = 10,
    [COUNTER_XMIT_DISCARDS] = 100,
    [COUNTER_LOCAL_LINK_INTEGRITY_ERRORS] = 1,
    [COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS] = 1,
    [COUNTER_VL15_DROPPED] = 100,
};

static void set_default_thresholds(struct conf_counters *counters)
{
    memcpy(counters->thresholds, THRESHOLDS, sizeof counters->thresholds);
}

// From the checked tree into the option structs.

static void copy(char *out, size_t size, cfg_t *cfg, const char *item)
{
    const char *value = cfg_getstr(cfg, item);
    snprintf(out, size, "%s", value ? value : "");
}

static bool copy_secret(char *out, size_t size, cfg_t *cfg, const char *item)
{
    const char *path = cfg_getstr(cfg, item);
    return !path || secret_read_line(path, out, size, parsing.err);
}

static bool take_fabric(cfg_t *cfg, struct conf_fabric *out)
{
    copy(out->device, sizeof out->device, cfg, "device");
    out->port = (unsigned)cfg_getint(cfg, "port");
    copy(out->node_name_map, sizeof out->node_name_map, cfg, "node_name_map");
    out->verify_interval_s = (unsigned)cfg_getint(cfg, "verify_interval");
    out->refresh_interval_s = (unsigned)cfg_getint(cfg, "refresh_interval");
    out->with_master_sm = strcmp(cfg_getstr(cfg, "active"), "with-master-sm") == 0;
    const char *key_file = cfg_getstr(cfg, "sa_key_file");
    out->has_sa_key = key_file != NULL;
    return !key_file || secret_read_key(key_file, &out->sa_key, parsing.err);
}

static bool take_sweep(cfg_t *cfg, struct conf_sweep *out)
{
    out->method = (enum conf_sweep_method)check_find_word(CHECK_METHODS, CHECK_COUNT(CHECK_METHODS),
                                                          cfg_getstr(cfg, "method"));
    out->interval_s = (unsigned)cfg_getint(cfg, "interval");
    out->settle_ms = (unsigned)cfg_getint(cfg, "settle");
    out->in_flight = (unsigned)cfg_getint(cfg, "in_flight");
    out->attempts = (unsigned)cfg_getint(cfg, "attempts");
    out->timeout_ms = (unsigned)cfg_getint(cfg, "timeout");
    const char *key_file = cfg_getstr(cfg, "mkey_file");
    out->has_mkey = key_file != NULL;
    return !key_file || secret_read_key(key_file, &out->mkey, parsing.err);
}

static void take_counters(cfg_t *cfg, struct conf_counters *out)
{
    out->ports = (enum conf_counter_ports)check_find_word(CHECK_PORTS, CHECK_COUNT(CHECK_PORTS),
                                                          cfg_getstr(cfg, "ports"));
    out->interval_s = (unsigned)cfg_getint(cfg, "interval");
    set_default_thresholds(out);
    for (unsigned i = 0; i < cfg_size(cfg, "thresholds"); i++) {
        enum counter counter;
        uint64_t limit;
        if (!check_split_threshold(cfg_getnstr(cfg, "thresholds", i), &counter, &limit))
            out->thresholds[counter] = limit;
    }
}

static void set_levels(enum log_level out[LOG_FOLDER_COUNT], enum log_level level)
{
    for (int i = 0; i < LOG_FOLDER_COUNT; i++)
        out[i] = level;
}

static void take_levels(cfg_t *cfg, enum log_level out[LOG_FOLDER_COUNT])
{
    enum log_folder folder;
    enum log_level level = LOG_LEVEL_INFO;
    log_level_from_word(cfg_getstr(cfg, "level"), &level);
    set_levels(out, level);
    for (unsigned i = 0; i < cfg_size(cfg, "levels"); i++) {
        if (!check_split_level(cfg_getnstr(cfg, "levels", i), &folder, &level))
            out[folder] = level;
    }
}

static void take_journal(cfg_t *cfg, struct conf_journal *out)
{
    copy(out->directory, sizeof out->directory, cfg, "directory");
    out->rows_max = cfg_getint(cfg, "rows");
    out->bytes_max = (int64_t)cfg_getint(cfg, "megabytes") << 20;
    out->age_us = (int64_t)cfg_getint(cfg, "days") * 86400 * CLOCK_US_PER_S;
}

static void take_metrics(cfg_t *cfg, struct conf_metrics *out)
{
    const char *listen = cfg_getstr(cfg, "listen");
    out->port = METRICS_PORT;
    if (listen)
        check_split_address(listen, out->host, &out->port);
}

static bool take_tables(cfg_t *cfg, struct conf_tables *out)
{
    copy(out->socket, sizeof out->socket, cfg, "socket");
    copy(out->context, sizeof out->context, cfg, "context");
    out->has_context = cfg_getstr(cfg, "context") != NULL;
    out->writable = cfg_getbool(cfg, "writable");
    out->recipient_port = (uint16_t)cfg_getint(cfg, "recipient_port");
    out->event_trap_level = (uint8_t)check_find_word(
        CHECK_TRAP_LEVELS, CHECK_COUNT(CHECK_TRAP_LEVELS), cfg_getstr(cfg, "event_trap_level"));
    return need(cfg_getstr(cfg, "socket"), cfg, ITEMS("context", "writable"), "item 'socket'");
}

static void take_control(cfg_t *cfg, struct conf *out)
{
    const char *group = cfg_getstr(cfg, "group");
    copy(out->socket, sizeof out->socket, cfg, "socket");
    out->socket_group = group ? check_find_group(group) : (gid_t)-1;
}

static bool take_patterns(cfg_t *section, const char *item, struct filter_list *out)
{
    if (cfg_size(section, item) > FILTER_PATTERNS_MAX)
        return refuse(section, "item '%s' has more than %d values", item, (int)FILTER_PATTERNS_MAX);
    for (unsigned i = 0; i < cfg_size(section, item); i++)
        snprintf(out->patterns[out->count++], FILTER_PATTERN_SIZE, "%s",
                 cfg_getnstr(section, item, i));
    return true;
}

static bool take_filter(cfg_t *section, struct filter *out)
{
    filter_init(out);
    out->severity = (enum severity)check_find_word(CHECK_SEVERITIES, CHECK_COUNT(CHECK_SEVERITIES),
                                                   cfg_getstr(section, "severity"));
    out->security = cfg_getbool(section, "security");
    return take_patterns(section, "events", &out->events) &&
           take_patterns(section, "categories", &out->categories) &&
           take_patterns(section, "nodes", &out->nodes) &&
           take_patterns(section, "guids", &out->guids) &&
           take_patterns(section, "switches", &out->switches);
}

// The place of an item's word; CONF_SAME when the item is not there.
static int take_word(cfg_t *section, const char *item, const char *const *words, size_t n)
{
    const char *word = cfg_getstr(section, item);
    return word ? check_find_word(words, n, word) : CONF_SAME;
}

static int take_number(cfg_t *section, const char *item)
{
    return cfg_size(section, item) > 0 ? (int)cfg_getint(section, item) : CONF_SAME;
}

static int take_choice(cfg_t *section, const char *item)
{
    return cfg_size(section, item) > 0 ? (int)cfg_getbool(section, item) : CONF_SAME;
}

static bool take_rule(struct conf_policy *policy, cfg_t *section)
{
    if (policy->rule_count == CONF_RULES_MAX)
        return refuse(section, "there are more than %d of them", (int)CONF_RULES_MAX);
    struct conf_rule *rule = &policy->rules[policy->rule_count++];
    *rule = (struct conf_rule){
        .enabled = take_choice(section, "enabled"),
        .severity = take_word(section, "severity", CHECK_SEVERITIES, CHECK_COUNT(CHECK_SEVERITIES)),
        .category = take_word(section, "category", CHECK_CATEGORIES, CHECK_COUNT(CHECK_CATEGORIES)),
        .hold_down_s = take_number(section, "hold_down")};
    snprintf(rule->name, sizeof rule->name, "%s", cfg_title(section));
    if (rule->category != CONF_SAME)
        rule->category += CATEGORY_FABRIC;
    if (rule->enabled == CONF_SAME && rule->severity == CONF_SAME && rule->category == CONF_SAME &&
        rule->hold_down_s == CONF_SAME)
        return refuse(section, "it changes nothing: give it 'enabled', 'severity', 'category' or "
                               "'hold_down'");
    return take_patterns(section, "events", &rule->events) &&
           take_patterns(section, "nodes", &rule->nodes);
}

static bool take_policy(cfg_t *cfg, struct conf_policy *out)
{
    cfg_t *flap = cfg_getsec(cfg, "flap"), *storm = cfg_getsec(cfg, "storm");
    out->repeat_window_s = (unsigned)cfg_getint(cfg_getsec(cfg, "repeats"), "window");
    out->flap_changes = (unsigned)cfg_getint(flap, "changes");
    out->flap_within_s = (unsigned)cfg_getint(flap, "within");
    out->flap_quiet_s = (unsigned)cfg_getint(flap, "quiet");
    out->storm_rate = (unsigned)cfg_getint(storm, "rate");
    out->storm_period_s = (unsigned)cfg_getint(storm, "period");
    out->hold_consequences = cfg_getbool(cfg_getsec(cfg, "consequences"), "hold");
    for (unsigned i = 0; i < cfg_size(cfg, "policy"); i++) {
        if (!take_rule(out, cfg_getnsec(cfg, "policy", i)))
            return false;
    }
    return true;
}

static bool take_address(cfg_t *section, struct conf_receiver *r, uint16_t default_port)
{
    const char *address = cfg_getstr(section, "address");
    r->port = default_port;
    if (address && !check_split_address(address, r->host, &r->port))
        return true;
    return refuse(section, "item 'address' is missing: it says where the receiver is");
}

static enum conf_transport transport_of(cfg_t *section)
{
    return (enum conf_transport)check_find_word(CHECK_TRANSPORTS, CHECK_COUNT(CHECK_TRANSPORTS),
                                                cfg_getstr(section, "transport"));
}

static bool uses_tls(const struct conf_receiver *r)
{
    return r->transport == CONF_TLS || r->transport == CONF_DTLS || r->transport == CONF_RELP_TLS;
}

static bool take_tls(cfg_t *section, struct conf_receiver *r, const char *transports)
{
    struct conf_tls *out = &r->tls;
    copy(out->ca_file, sizeof out->ca_file, section, "ca_file");
    copy(out->certificate_file, sizeof out->certificate_file, section, "certificate_file");
    copy(out->key_file, sizeof out->key_file, section, "key_file");
    copy(out->server_name, sizeof out->server_name, section, "server_name");
    return need(uses_tls(r), section,
                ITEMS("ca_file", "certificate_file", "key_file", "server_name"), transports) &&
           need(out->certificate_file[0], section, ITEMS("key_file"), "item 'certificate_file'");
}

static bool take_password(char *out, size_t size, cfg_t *section, const char *item)
{
    if (!copy_secret(out, size, section, item))
        return false;
    return out[0] == '\0' || strlen(out) >= PASSWORD_MIN ||
           refuse(section, "item '%s': the password is shorter than %d characters", item,
                  (int)PASSWORD_MIN);
}

// Version 3 is what needs secrets, and what they need is checked together.
static bool take_user(cfg_t *section, struct conf_snmp *out)
{
    copy(out->user, sizeof out->user, section, "user");
    copy(out->auth, sizeof out->auth, section, "auth");
    copy(out->privacy, sizeof out->privacy, section, "privacy");
    bool auth = strcmp(out->auth, "none") != 0, privacy = strcmp(out->privacy, "none") != 0;
    if (!auth)
        out->auth[0] = '\0';
    if (!privacy)
        out->privacy[0] = '\0';
    if (out->version == 3 && out->user[0] == '\0')
        return refuse(section, "version 3 needs item 'user'");
    if (auth && !cfg_getstr(section, "auth_password_file"))
        return refuse(section, "item 'auth' needs item 'auth_password_file'");
    if (privacy && !auth)
        return refuse(section, "item 'privacy' needs item 'auth'");
    if (privacy && !cfg_getstr(section, "privacy_password_file"))
        return refuse(section, "item 'privacy' needs item 'privacy_password_file'");
    return need(auth, section, ITEMS("auth_password_file"), "item 'auth'") &&
           need(privacy, section, ITEMS("privacy_password_file"), "item 'privacy'") &&
           take_password(out->auth_password, sizeof out->auth_password, section,
                         "auth_password_file") &&
           take_password(out->privacy_password, sizeof out->privacy_password, section,
                         "privacy_password_file");
}

// Certificates stand for user and passwords.
static bool take_snmp_over_tls(cfg_t *section, struct conf_receiver *r)
{
    static const char *const UNUSED[] = {"user", "auth", "auth_password_file", "privacy",
                                         "privacy_password_file"};
    const char *transport = cfg_getstr(section, "transport");
    if (r->snmp.version != 3)
        return refuse(section, "transport '%s' needs version 3", transport);
    for (size_t i = 0; i < CHECK_COUNT(UNUSED); i++) {
        if (is_set(section, UNUSED[i]))
            return refuse(section,
                          "item '%s' has no use with transport '%s': certificates stand for "
                          "users and passwords",
                          UNUSED[i], transport);
    }
    return r->tls.certificate_file[0] ||
           refuse(section, "transport '%s' needs item 'certificate_file'", transport);
}

static unsigned snmp_version(cfg_t *section, bool tls)
{
    const char *version = cfg_getstr(section, "version");
    if (version)
        return (unsigned)(version[0] - '0');
    return tls ? 3 : 2;
}

static bool check_use(cfg_t *section, const struct conf_snmp *s)
{
    static const char *const USER[] = {
        "user", "context", "auth", "auth_password_file", "privacy", "privacy_password_file", NULL};
    bool v3 = s->version == 3;
    return need(v3, section, USER, "version = \"3\"") &&
           need(!v3, section, ITEMS("community", "community_file"), "version = \"1\" or \"2c\"") &&
           need(s->inform, section, ITEMS("timeout", "retries", "window"), "inform = true") &&
           need(s->version == 1 || s->trap_address, section, ITEMS("agent_address"),
                "version = \"1\" or trap_address = true");
}

static unsigned take_sets(cfg_t *section)
{
    static const char *const SETS[] = {"sma", "switch", "own", "event"};
    unsigned sets = 0;
    for (unsigned i = 0; i < cfg_size(section, "sets"); i++)
        sets |= 1U << check_find_word(SETS, CHECK_COUNT(SETS), cfg_getnstr(section, "sets", i));
    return sets;
}

static bool take_snmp(cfg_t *section, struct conf_receiver *r)
{
    struct conf_snmp *out = &r->snmp;
    r->transport = transport_of(section);
    bool tls = uses_tls(r);
    out->version = snmp_version(section, tls);
    copy(out->context, sizeof out->context, section, "context");
    out->inform = cfg_getbool(section, "inform");
    if (out->inform && out->version == 1)
        return refuse(section, "version 1 has no informs");
    copy(out->community, sizeof out->community, section, "community");
    out->timeout_ms = (unsigned)cfg_getint(section, "timeout");
    out->retries = (unsigned)cfg_getint(section, "retries");
    out->window = (unsigned)cfg_getint(section, "window");
    out->extra_varbinds = cfg_getbool(section, "extra_varbinds");
    out->trap_address = cfg_getbool(section, "trap_address");
    copy(out->agent_address, sizeof out->agent_address, section, "agent_address");
    out->sets = take_sets(section);
    if (out->trap_address && out->agent_address[0] == '\0')
        return refuse(section, "item 'trap_address' needs item 'agent_address'");
    return take_tls(section, r, "transport = \"tls\" or \"dtls\"") && check_use(section, out) &&
           copy_secret(out->community, sizeof out->community, section, "community_file") &&
           (tls ? take_snmp_over_tls(section, r) : take_user(section, out)) &&
           take_address(section, r, tls ? SNMP_TLS_TRAP_PORT : SNMP_TRAP_PORT);
}

// "informational=notice": what is sent for a severity.
static bool take_severity_map(cfg_t *section, struct conf_syslog *out)
{
    for (int i = 0; i < 8; i++)
        out->severities[i] = i;
    for (unsigned i = 0; i < cfg_size(section, "severity_map"); i++) {
        char pair[64];
        snprintf(pair, sizeof pair, "%s", cfg_getnstr(section, "severity_map", i));
        char *to = strchr(pair, '=');
        if (to)
            *to++ = '\0';
        int from = check_find_word(CHECK_SEVERITIES, CHECK_COUNT(CHECK_SEVERITIES), pair);
        int sent = to ? check_find_word(CHECK_SEVERITIES, CHECK_COUNT(CHECK_SEVERITIES), to) : -1;
        if (from < 0 || sent < 0)
            return refuse(section,
                          "item 'severity_map': value '%s': must be two severities, such as "
                          "\"informational=notice\"",
                          cfg_getnstr(section, "severity_map", i));
        out->severities[from] = sent;
    }
    return true;
}

static uint16_t syslog_port(enum conf_transport transport)
{
    switch (transport) {
    case CONF_TLS:
        return 6514;
    case CONF_RELP:
    case CONF_RELP_TLS:
        return 2514;
    default:
        return 514;
    }
}

// What rsyslog and journald read: on the local socket they know no RFC 5424.
static const char *default_format(enum conf_transport transport)
{
    return transport == CONF_LOCAL ? "rfc3164" : "rfc5424";
}

static bool take_syslog(cfg_t *section, struct conf_receiver *r)
{
    struct conf_syslog *out = &r->syslog;
    r->transport = transport_of(section);
    out->facility = (unsigned)check_find_word(CHECK_FACILITIES, CHECK_COUNT(CHECK_FACILITIES),
                                              cfg_getstr(section, "facility"));
    const char *format = cfg_getstr(section, "format");
    snprintf(out->format, sizeof out->format, "%s", format ? format : default_format(r->transport));
    copy(out->path, sizeof out->path, section, "path");
    out->lines = strcmp(cfg_getstr(section, "framing"), "lines") == 0;
    bool remote = r->transport != CONF_LOCAL && r->transport != CONF_STDOUT;
    bool framed = r->transport == CONF_TCP || r->transport == CONF_TLS;
    return take_severity_map(section, out) &&
           take_tls(section, r, "transport = \"tls\" or \"relp-tls\"") &&
           need(r->transport == CONF_LOCAL, section, ITEMS("path"), "transport = \"local\"") &&
           need(framed, section, ITEMS("framing"), "transport = \"tcp\" or \"tls\"") &&
           need(remote, section, ITEMS("address"),
                "transport = \"udp\", \"tcp\", \"tls\", \"relp\" or \"relp-tls\"") &&
           (!remote || take_address(section, r, syslog_port(r->transport)));
}

static bool take_file(cfg_t *section, struct conf_receiver *r)
{
    if (!cfg_getstr(section, "path"))
        return refuse(section, "item 'path' is missing: it says where to write");
    copy(r->file.path, sizeof r->file.path, section, "path");
    r->file.sync = cfg_getbool(section, "sync");
    return true;
}

static bool take_agentx(cfg_t *section, struct conf_agentx *out)
{
    copy(out->socket, sizeof out->socket, section, "socket");
    copy(out->context, sizeof out->context, section, "context");
    out->sets = take_sets(section);
    out->extra_varbinds = cfg_getbool(section, "extra_varbinds");
    return out->socket[0] ||
           refuse(section, "item 'socket' is empty: it says where the master agent listens");
}

static bool take_receiver(struct conf *conf, cfg_t *section, enum conf_kind kind)
{
    if (conf->receiver_count == CONF_RECEIVERS_MAX)
        return refuse(section, "there are more than %d receivers", (int)CONF_RECEIVERS_MAX);
    for (size_t i = 0; i < conf->receiver_count; i++) {
        if (strcmp(conf->receivers[i].name, cfg_title(section)) == 0)
            return refuse(section, "another receiver has that name");
    }
    struct conf_receiver *r = &conf->receivers[conf->receiver_count++];
    *r = (struct conf_receiver){.kind = kind};
    snprintf(r->name, sizeof r->name, "%s", cfg_title(section));
    r->rate = (unsigned)cfg_getint(section, "rate");
    r->burst = (unsigned)cfg_getint(section, "burst");
    r->age_us = cfg_getint(section, "max_age") * CLOCK_US_PER_S;
    if (!take_filter(section, &r->filter))
        return false;
    switch (kind) {
    case CONF_SNMP:
        return take_snmp(section, r);
    case CONF_SYSLOG:
        return take_syslog(section, r);
    case CONF_AGENTX:
        return take_agentx(section, &r->agentx);
    default:
        return take_file(section, r);
    }
}

static bool take_all(cfg_t *cfg, struct conf *conf)
{
    static const char *const KINDS[] = {"snmp", "syslog", "file", "agentx"};
    take_control(cfg_getsec(cfg, "control"), conf);
    take_levels(cfg_getsec(cfg, "log"), conf->log_levels);
    take_journal(cfg_getsec(cfg, "journal"), &conf->journal);
    take_counters(cfg_getsec(cfg, "counters"), &conf->counters);
    take_metrics(cfg_getsec(cfg, "metrics"), &conf->metrics);
    conf->heartbeat_s = (unsigned)cfg_getint(cfg_getsec(cfg, "gateway"), "heartbeat");
    if (!take_fabric(cfg_getsec(cfg, "fabric"), &conf->fabric) ||
        !take_sweep(cfg_getsec(cfg, "sweep"), &conf->sweep) ||
        !take_tables(cfg_getsec(cfg, "tables"), &conf->tables) || !take_policy(cfg, &conf->policy))
        return false;
    for (size_t k = 0; k < CHECK_COUNT(KINDS); k++) {
        for (unsigned i = 0; i < cfg_size(cfg, KINDS[k]); i++) {
            if (!take_receiver(conf, cfg_getnsec(cfg, KINDS[k], i), (enum conf_kind)k))
                return false;
        }
    }
    return true;
}

#define NUMBER(item, value) CFG_INT_CB(item, value, CFGF_NONE, check_read_number)
#define TEXT(item, value)   CFG_STR(item, value, CFGF_NONE)
#define UNSET_NUMBER(item)  CFG_INT_CB(item, 0, CFGF_NODEFAULT, check_read_number)
#define UNSET_BOOL(item)    CFG_BOOL(item, cfg_false, CFGF_NODEFAULT)
#define LIST(item)          CFG_STR_LIST(item, 0, CFGF_NONE)
#define RECEIVER_ITEMS(rate, burst)                                                                \
    TEXT("severity", "debug"), CFG_BOOL("security", cfg_true, CFGF_NONE), LIST("events"),          \
        LIST("categories"), LIST("nodes"), LIST("guids"), LIST("switches"), NUMBER("rate", rate),  \
        NUMBER("burst", burst), NUMBER("max_age", 0)

#define TLS_ITEMS                                                                                  \
    TEXT("ca_file", NULL), TEXT("certificate_file", NULL), TEXT("key_file", NULL),                 \
        TEXT("server_name", NULL)

static cfg_t *new_parser(void)
{
    static cfg_opt_t fabric[] = {TEXT("device", NULL),         NUMBER("port", 0),
                                 TEXT("sa_key_file", NULL),    TEXT("node_name_map", NULL),
                                 NUMBER("verify_interval", 5), NUMBER("refresh_interval", 300),
                                 TEXT("active", "always"),     CFG_END()};
    static cfg_opt_t sweep[] = {TEXT("method", "smp"),   NUMBER("interval", 60),
                                NUMBER("settle", 500),   NUMBER("in_flight", 8),
                                NUMBER("attempts", 4),   NUMBER("timeout", 500),
                                TEXT("mkey_file", NULL), CFG_END()};
    static cfg_opt_t counters[] = {TEXT("ports", "all"), NUMBER("interval", 60), LIST("thresholds"),
                                   CFG_END()};
    static cfg_opt_t journal[] = {TEXT("directory", INSTALL_STATE_DIRECTORY),
                                  NUMBER("rows", 1000000), NUMBER("megabytes", 1024),
                                  NUMBER("days", 31), CFG_END()};
    static cfg_opt_t policy[] = {LIST("events"),
                                 LIST("nodes"),
                                 UNSET_BOOL("enabled"),
                                 TEXT("severity", NULL),
                                 TEXT("category", NULL),
                                 UNSET_NUMBER("hold_down"),
                                 CFG_END()};
    static cfg_opt_t repeats[] = {NUMBER("window", 60), CFG_END()};
    static cfg_opt_t flap[] = {NUMBER("changes", 6), NUMBER("within", 300), NUMBER("quiet", 300),
                               CFG_END()};
    static cfg_opt_t storm[] = {NUMBER("rate", 50), NUMBER("period", 60), CFG_END()};
    static cfg_opt_t consequences[] = {CFG_BOOL("hold", cfg_true, CFGF_NONE), CFG_END()};
    static cfg_opt_t snmp[] = {TEXT("address", NULL),
                               TEXT("transport", "udp"),
                               TEXT("version", NULL),
                               CFG_BOOL("inform", cfg_false, CFGF_NONE),
                               TEXT("community", "public"),
                               TEXT("community_file", NULL),
                               TEXT("user", NULL),
                               TEXT("context", NULL),
                               TEXT("auth", "none"),
                               TEXT("auth_password_file", NULL),
                               TEXT("privacy", "none"),
                               TEXT("privacy_password_file", NULL),
                               NUMBER("timeout", 1000),
                               NUMBER("retries", 3),
                               NUMBER("window", 64),
                               LIST("sets"),
                               CFG_BOOL("extra_varbinds", cfg_false, CFGF_NONE),
                               CFG_BOOL("trap_address", cfg_false, CFGF_NONE),
                               TEXT("agent_address", NULL),
                               TLS_ITEMS,
                               RECEIVER_ITEMS(1000, 100),
                               CFG_END()};
    static cfg_opt_t syslog[] = {TEXT("transport", "local"),
                                 TEXT("address", NULL),
                                 TEXT("path", "/dev/log"),
                                 TEXT("format", NULL),
                                 TEXT("framing", "octet-counting"),
                                 TEXT("facility", "daemon"),
                                 LIST("severity_map"),
                                 TLS_ITEMS,
                                 RECEIVER_ITEMS(0, 100),
                                 CFG_END()};
    static cfg_opt_t file[] = {TEXT("path", NULL), CFG_BOOL("sync", cfg_true, CFGF_NONE),
                               RECEIVER_ITEMS(0, 100), CFG_END()};
    static cfg_opt_t agentx[] = {TEXT("socket", "/var/agentx/master"),
                                 TEXT("context", NULL),
                                 LIST("sets"),
                                 CFG_BOOL("extra_varbinds", cfg_false, CFGF_NONE),
                                 RECEIVER_ITEMS(1000, 100),
                                 CFG_END()};
    static cfg_opt_t metrics[] = {TEXT("listen", NULL), CFG_END()};
    static cfg_opt_t tables[] = {TEXT("socket", NULL),
                                 TEXT("context", NULL),
                                 CFG_BOOL("writable", cfg_false, CFGF_NONE),
                                 NUMBER("recipient_port", 162),
                                 TEXT("event_trap_level", "informational"),
                                 CFG_END()};
    static cfg_opt_t gateway[] = {NUMBER("heartbeat", 0), CFG_END()};
    static cfg_opt_t control[] = {TEXT("socket", INSTALL_CONTROL_SOCKET), TEXT("group", NULL),
                                  CFG_END()};
    static cfg_opt_t log[] = {TEXT("level", "info"), LIST("levels"), CFG_END()};
    enum { NAMED = CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES };
    static cfg_opt_t top[] = {CFG_SEC("fabric", fabric, CFGF_NONE),
                              CFG_SEC("sweep", sweep, CFGF_NONE),
                              CFG_SEC("counters", counters, CFGF_NONE),
                              CFG_SEC("journal", journal, CFGF_NONE),
                              CFG_SEC("policy", policy, NAMED),
                              CFG_SEC("repeats", repeats, CFGF_NONE),
                              CFG_SEC("flap", flap, CFGF_NONE),
                              CFG_SEC("storm", storm, CFGF_NONE),
                              CFG_SEC("consequences", consequences, CFGF_NONE),
                              CFG_SEC("snmp", snmp, NAMED),
                              CFG_SEC("syslog", syslog, NAMED),
                              CFG_SEC("file", file, NAMED),
                              CFG_SEC("agentx", agentx, NAMED),
                              CFG_SEC("metrics", metrics, CFGF_NONE),
                              CFG_SEC("tables", tables, CFGF_NONE),
                              CFG_SEC("gateway", gateway, CFGF_NONE),
                              CFG_SEC("control", control, CFGF_NONE),
                              CFG_SEC("log", log, CFGF_NONE),
                              CFG_BOOL(END_ITEM, cfg_false, CFGF_NONE),
                              CFG_END()};
    cfg_t *cfg = cfg_init(top, CFGF_NONE);
    if (!cfg)
        return NULL;
    cfg_set_error_function(cfg, take_error);
    for (size_t i = 0; i < CHECKS_COUNT; i++)
        cfg_set_validate_func(cfg, CHECKS[i].item, CHECKS[i].check);
    return cfg;
}

static char *blank_until(char *p, const char *end)
{
    for (; p < end; p++) {
        if (*p != '\n')
            *p = ' ';
    }
    return p;
}

// What libconfuse would read as something else than the admin wrote; NULL: nothing.
struct misread {
    const char *place, *sentence;
};

// Behind a comment, libconfuse 3.3 counts lines that are not there. So it gets to see none.
static struct misread blank_comments(char *text)
{
    char quote = '\0', before = ' ';
    for (char *p = text; *p; before = *p++) {
        bool begins_word = strchr(" \t\r\n{}()=+,\"'", before) != NULL;
        if (quote != '\'' && strncmp(p, "${", 2) == 0)
            return (struct misread){
                p, "a variable of the environment would stand for '${': put the text "
                   "into single quotation marks, such as 'a${b'"};
        if (quote != '\0' && *p == '\\' && p[1] != '\0')
            p++;
        else if (quote != '\0')
            quote = *p == quote ? '\0' : quote;
        else if (*p == '"' || *p == '\'')
            quote = *p;
        else if (*p == '#' || (begins_word && strncmp(p, "//", 2) == 0))
            p = blank_until(p, p + strcspn(p, "\n")) - 1;
        else if (begins_word && strncmp(p, "/*", 2) == 0) {
            const char *end = strstr(p + 2, "*/");
            if (!end)
                return (struct misread){p, "a comment has no end: '*/' is missing"};
            p = blank_until(p, end + 2) - 1;
        }
    }
    return (struct misread){0};
}

static void tell_misread(const char *text, const struct misread *misread)
{
    unsigned line = 1;
    for (; text < misread->place; text++)
        line += *text == '\n';
    error_set(parsing.err, "%s:%u: %s", parsing.path, line, misread->sentence);
}

// What is in `f` and the item that marks its end, NUL-terminated; the caller's. NULL with a
// sentence.
static char *read_file(FILE *f)
{
    static const char END[] = "\n" END_ITEM " = true";
    const char *end = END;
    char *text = f ? malloc(FILE_SIZE_MAX + sizeof END) : NULL;
    size_t n = text ? fread(text, 1, FILE_SIZE_MAX, f) : 0;
    if (!text || ferror(f))
        error_set(
            parsing.err, "cannot read the configuration '%s': %s%s", parsing.path, strerror(errno),
            errno == EACCES ? ": the user that runs ibtrapd must be able to read it, and to enter "
                              "the directories above it"
                            : "");
    else if (n == FILE_SIZE_MAX)
        error_set(parsing.err, "the configuration '%s' is longer than 1 MiB", parsing.path);
    else if (memchr(text, '\0', n))
        error_set(parsing.err, "the configuration '%s' is not a text: it has NUL octets",
                  parsing.path);
    if (n > 0 && text[n - 1] == '\n')
        end++; // that line has its end
    if (text) {
        memcpy(text + n, end, strlen(end) + 1);
        const struct misread misread = blank_comments(text);
        if (misread.place && parsing.err->text[0] == '\0')
            tell_misread(text, &misread);
    }
    if (parsing.err->text[0] == '\0')
        return text;
    free(text);
    return NULL;
}

static bool parse(cfg_t *cfg, FILE *f)
{
    char *text = read_file(f);
    if (!text)
        return false;
    bool ok = cfg_parse_buf(cfg, text) == CFG_SUCCESS;
    free(text);
    if (!ok && parsing.err->text[0] == '\0')
        error_set(parsing.err, "%s: not a valid configuration", parsing.path);
    return ok;
}

// NULL for `f`: it could not be opened, as errno says.
static bool load(FILE *f, const char *path, struct conf *conf, struct error *err)
{
    cfg_t *cfg = new_parser();
    if (!cfg)
        return error_set(err, "out of memory");
    parsing.path = path;
    parsing.err = err;
    err->text[0] = '\0';
    bool ok = parse(cfg, f) && take_all(cfg, conf);
    parsing.err = NULL;
    cfg_free(cfg);
    return ok;
}

static bool make_room(struct conf *conf, struct error *err)
{
    *conf = (struct conf){0};
    conf->receivers = calloc(CONF_RECEIVERS_MAX + 1, sizeof *conf->receivers);
    conf->policy.rules = calloc(CONF_RULES_MAX, sizeof *conf->policy.rules);
    if (conf->receivers && conf->policy.rules)
        return true;
    conf_free(conf);
    return error_set(err, "out of memory");
}

static struct conf_receiver *add_builtin(struct conf *conf, const char *name,
                                         enum conf_transport transport)
{
    struct conf_receiver *r = &conf->receivers[conf->receiver_count++];
    *r = (struct conf_receiver){.kind = CONF_SYSLOG, .transport = transport, .burst = 100};
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->syslog.format, sizeof r->syslog.format, "%s", default_format(transport));
    r->syslog.facility = FACILITY_DAEMON;
    for (int i = 0; i < 8; i++)
        r->syslog.severities[i] = i;
    filter_init(&r->filter);
    return r;
}

static void add_local_syslog(struct conf *conf)
{
    struct conf_receiver *r = add_builtin(conf, "syslog", CONF_LOCAL);
    snprintf(r->syslog.path, sizeof r->syslog.path, "/dev/log");
}

bool conf_defaults(struct conf *conf, struct error *err)
{
    if (!make_room(conf, err))
        return false;
    conf->fabric = (struct conf_fabric){.verify_interval_s = 5, .refresh_interval_s = 300};
    conf->sweep = (struct conf_sweep){.method = CONF_SWEEP_SMP,
                                      .interval_s = 60,
                                      .settle_ms = 500,
                                      .in_flight = 8,
                                      .attempts = 4,
                                      .timeout_ms = 500};
    conf->counters = (struct conf_counters){.ports = CONF_ALL_PORTS, .interval_s = 60};
    set_default_thresholds(&conf->counters);
    conf->journal = (struct conf_journal){.directory = INSTALL_STATE_DIRECTORY,
                                          .rows_max = 1000000,
                                          .bytes_max = INT64_C(1024) << 20,
                                          .age_us = INT64_C(31) * 86400 * CLOCK_US_PER_S};
    conf->metrics.port = METRICS_PORT;
    conf->tables.recipient_port = SNMP_TRAP_PORT;
    conf->tables.event_trap_level = (uint8_t)check_find_word(
        CHECK_TRAP_LEVELS, CHECK_COUNT(CHECK_TRAP_LEVELS), "informational");
    conf->policy.repeat_window_s = 60;
    conf->policy.flap_changes = 6;
    conf->policy.flap_within_s = conf->policy.flap_quiet_s = 300;
    conf->policy.storm_rate = 50;
    conf->policy.storm_period_s = 60;
    conf->policy.hold_consequences = true;
    snprintf(conf->socket, sizeof conf->socket, "%s", INSTALL_CONTROL_SOCKET);
    conf->socket_group = (gid_t)-1;
    set_levels(conf->log_levels, LOG_LEVEL_INFO);
    add_local_syslog(conf);
    return true;
}

static bool load_whole(FILE *f, const char *path, struct conf *conf, struct error *err)
{
    if (!load(f, path, conf, err)) {
        conf_free(conf);
        return false;
    }
    if (conf->receiver_count == 0)
        add_local_syslog(conf);
    return true;
}

bool conf_load(const char *path, struct conf *conf, struct error *err)
{
    if (!make_room(conf, err))
        return false;
    FILE *f = fopen(path, "re");
    bool ok = load_whole(f, path, conf, err);
    if (f)
        fclose(f);
    if (ok)
        snprintf(conf->file, sizeof conf->file, "%s", path);
    conf->has_file = ok;
    return ok;
}

bool conf_load_text(const char *text, const char *name, struct conf *conf, struct error *err)
{
    if (!make_room(conf, err))
        return false;
    FILE *f = fmemopen((char *)text, strlen(text), "r");
    bool ok = load_whole(f, name, conf, err);
    if (f)
        fclose(f);
    return ok;
}

static bool take_port(struct conf_fabric *fabric, const struct instance *instance,
                      struct error *err)
{
    bool other_device = fabric->device[0] && strcmp(fabric->device, instance->device) != 0;
    bool other_port = fabric->port && fabric->port != instance->port;
    if (instance->port == 0)
        return true;
    if (other_device || other_port)
        return error_set(err,
                         "the configuration is for device '%s' port %u, and the instance for '%s' "
                         "port %u: leave 'device' and 'port' out",
                         fabric->device, fabric->port, instance->device, instance->port);
    snprintf(fabric->device, sizeof fabric->device, "%s", instance->device);
    fabric->port = instance->port;
    return true;
}

// The tables of an instance have its name, unless the configuration has another.
static bool take_context(struct conf_tables *tables, const struct instance *instance,
                         struct error *err)
{
    if (tables->socket[0] == '\0' || tables->has_context || instance->port == 0)
        return true;
    int length = snprintf(tables->context, sizeof tables->context, "%s-%u", instance->device,
                          instance->port);
    return length < (int)sizeof tables->context ||
           error_set(err,
                     "the instance's name '%s-%u' is too long for an SNMP context: give section "
                     "'tables' an item 'context' of at most %d octets",
                     instance->device, instance->port, CONF_CONTEXT_SIZE - 1);
}

static void take_path(char path[CONF_PATH_SIZE], const char *shared, const char *own)
{
    if (strcmp(path, shared) == 0)
        snprintf(path, CONF_PATH_SIZE, "%s", own);
}

// Where a link leads nowhere, somebody wanted a file.
static bool is_absent(const char *path)
{
    struct stat st;
    return lstat(path, &st) != 0 && errno == ENOENT;
}

static bool load_own(const char *path, struct conf *conf, struct error *err)
{
    if (!is_absent(path))
        return conf_load(path, conf, err);
    if (!conf_defaults(conf, err))
        return false;
    snprintf(conf->file, sizeof conf->file, "%s", path);
    return true;
}

bool conf_load_instance(const struct instance *instance, const char *path, struct conf *conf,
                        struct error *err)
{
    if (path ? !conf_load(path, conf, err) : !load_own(instance->config, conf, err))
        return false;
    take_path(conf->journal.directory, INSTALL_STATE_DIRECTORY, instance->state);
    take_path(conf->socket, INSTALL_CONTROL_SOCKET, instance->socket);
    if (take_port(&conf->fabric, instance, err) && take_context(&conf->tables, instance, err))
        return true;
    error_prefix(err, "%s", conf->file);
    conf_free(conf);
    return false;
}

bool conf_may_replace(const struct conf *running, const struct conf *next, struct error *err)
{
    return !running->has_file || next->has_file ||
           error_set(err,
                     "the configuration '%s', which is in force, is gone: put it back, or restart "
                     "ibtrapd to run with the defaults",
                     running->file);
}

void conf_log_file(const struct conf *conf, struct log *log)
{
    if (conf->has_file)
        log_write(log, LOG_LEVEL_INFO, "the configuration is %s", conf->file);
    else
        log_write(log, LOG_LEVEL_INFO, "there is no configuration %s: the defaults hold",
                  conf->file);
}

void conf_free(struct conf *conf)
{
    if (conf->receivers)
        explicit_bzero(conf->receivers, (CONF_RECEIVERS_MAX + 1) * sizeof *conf->receivers);
    free(conf->receivers);
    free(conf->policy.rules);
    *conf = (struct conf){0};
}

void conf_add_stdout(struct conf *conf)
{
    for (size_t i = 0; i < conf->receiver_count; i++) {
        if (conf->receivers[i].kind == CONF_SYSLOG && conf->receivers[i].transport == CONF_STDOUT)
            return;
    }
    add_builtin(conf, "standard-output", CONF_STDOUT);
}
