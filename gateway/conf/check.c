#include "conf/check.h"

#include "base/secret.h"
#include "model/catalogue.h"
#include "model/names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t THRESHOLD_MAX = UINT32_MAX;

const char *const CHECK_FACILITIES[24] = {
    "kern",   "user",   "mail",     "daemon", "auth",   "syslog", "lpr",    "news",
    "uucp",   "cron",   "authpriv", "ftp",    "ntp",    "audit",  "alert",  "clock",
    "local0", "local1", "local2",   "local3", "local4", "local5", "local6", "local7"};
const char *const CHECK_TRANSPORTS[8] = {"local", "udp",  "tcp",      "tls",
                                         "dtls",  "relp", "relp-tls", "stdout"};
const char *const CHECK_SEVERITIES[8] = {"emergency", "alert",  "critical",      "error",
                                         "warning",   "notice", "informational", "debug"};
const char *const CHECK_METHODS[3] = {"off", "smp", "sa"};
const char *const CHECK_PORTS[3] = {"off", "switches", "all"};
const char *const CHECK_TRAP_LEVELS[6] = {"none",    "critical",      "error",
                                          "warning", "informational", "debug"};
const char *const CHECK_CATEGORIES[11] = {"fabric",   "link",      "port",  "node",
                                          "security", "multicast", "sm",    "io",
                                          "counter",  "gateway",   "vendor"};

int check_find_word(const char *const *words, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], word) == 0)
            return (int)i;
    }
    return -1;
}

static int reject(cfg_t *cfg, const cfg_opt_t *opt, const char *value, const char *reason)
{
    cfg_error(cfg, "item '%s': value '%s': %s", opt->name, value, reason);
    return -1;
}

static const char *last_text(cfg_opt_t *opt)
{
    return cfg_opt_getnstr(opt, cfg_opt_size(opt) - 1);
}

static int check_word(cfg_t *cfg, cfg_opt_t *opt, const char *const *words, size_t n)
{
    if (check_find_word(words, n, last_text(opt)) >= 0)
        return 0;
    char reason[300] = "must be one of";
    for (size_t i = 0; i < n; i++) {
        size_t used = strlen(reason);
        snprintf(reason + used, sizeof reason - used, "%s %s", i ? "," : "", words[i]);
    }
    return reject(cfg, opt, last_text(opt), reason);
}

#define WORD_CHECK(name, ...)                                                                      \
    static int name(cfg_t *cfg, cfg_opt_t *opt)                                                    \
    {                                                                                              \
        static const char *const WORDS[] = {__VA_ARGS__};                                          \
        return check_word(cfg, opt, WORDS, CHECK_COUNT(WORDS));                                    \
    }

WORD_CHECK(check_syslog_transport, "local", "udp", "tcp", "tls", "relp", "relp-tls", "stdout")
WORD_CHECK(check_snmp_transport, "udp", "tcp", "tls", "dtls")
WORD_CHECK(check_snmp_version, "1", "2c", "3")
WORD_CHECK(check_snmp_set, "sma", "switch", "own", "event")
WORD_CHECK(check_auth, "none", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512")
WORD_CHECK(check_privacy, "none", "AES", "AES-192", "AES-256", "AES-192-C", "AES-256-C")
WORD_CHECK(check_format, "rfc5424", "rfc3164", "ecs", "cef", "leef")
WORD_CHECK(check_framing, "octet-counting", "lines")
WORD_CHECK(check_log_level, "error", "warning", "info", "debug")
WORD_CHECK(check_active, "always", "with-master-sm")
WORD_CHECK(check_method, "smp", "sa", "off")
WORD_CHECK(check_counter_ports, "all", "switches", "off")

static int check_facility(cfg_t *cfg, cfg_opt_t *opt)
{
    return check_word(cfg, opt, CHECK_FACILITIES, CHECK_COUNT(CHECK_FACILITIES));
}

static int check_severity(cfg_t *cfg, cfg_opt_t *opt)
{
    return check_word(cfg, opt, CHECK_SEVERITIES, CHECK_COUNT(CHECK_SEVERITIES));
}

static int check_category(cfg_t *cfg, cfg_opt_t *opt)
{
    return check_word(cfg, opt, CHECK_CATEGORIES, CHECK_COUNT(CHECK_CATEGORIES));
}

static int check_trap_level(cfg_t *cfg, cfg_opt_t *opt)
{
    return check_word(cfg, opt, CHECK_TRAP_LEVELS, CHECK_COUNT(CHECK_TRAP_LEVELS));
}

int check_read_number(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
    char *end;
    errno = 0;
    *(long *)result = strtol(value, &end, 10);
    if (errno == 0 && *end == '\0' && end != value)
        return 0;
    return reject(cfg, opt, value, "must be a whole number");
}

static int check_range(cfg_t *cfg, cfg_opt_t *opt, long low, long high)
{
    long value = cfg_opt_getnint(opt, cfg_opt_size(opt) - 1);
    if (value >= low && value <= high)
        return 0;
    char text[24], reason[80];
    snprintf(text, sizeof text, "%ld", value);
    snprintf(reason, sizeof reason, "must be from %ld to %ld", low, high);
    return reject(cfg, opt, text, reason);
}

#define RANGE_CHECK(name, low, high)                                                               \
    static int name(cfg_t *cfg, cfg_opt_t *opt)                                                    \
    {                                                                                              \
        return check_range(cfg, opt, low, high);                                                   \
    }

RANGE_CHECK(check_port, 0, 254)
RANGE_CHECK(check_udp_port, 1, 65535)
RANGE_CHECK(check_verify_interval, 1, 3600)
RANGE_CHECK(check_refresh_interval, 10, 86400)
RANGE_CHECK(check_look_interval, 5, 86400)
RANGE_CHECK(check_settle, 0, 60000)
RANGE_CHECK(check_in_flight, 1, 256)
RANGE_CHECK(check_attempts, 1, 10)
RANGE_CHECK(check_mad_timeout, 10, 60000)
RANGE_CHECK(check_rows, 1000, 1000000000)
RANGE_CHECK(check_megabytes, 1, 1000000)
RANGE_CHECK(check_days, 1, 36500)
RANGE_CHECK(check_rate, 0, 1000000)
RANGE_CHECK(check_burst, 1, 1000000)
RANGE_CHECK(check_age, 0, 31536000)
RANGE_CHECK(check_timeout, 100, 5000)
RANGE_CHECK(check_retries, 0, 10)
RANGE_CHECK(check_window, 1, 512)
RANGE_CHECK(check_up_to_a_day, 0, 86400)
RANGE_CHECK(check_day, 1, 86400)
RANGE_CHECK(check_storm_rate, 0, 100000)
RANGE_CHECK(check_storm_period, 1, 3600)

// One change is not yet flapping.
static int check_flap(cfg_t *cfg, cfg_opt_t *opt)
{
    char text[24];
    long value = cfg_opt_getnint(opt, cfg_opt_size(opt) - 1);
    if (value == 0 || (value >= 2 && value <= 16))
        return 0;
    snprintf(text, sizeof text, "%ld", value);
    return reject(cfg, opt, text, "must be 0 or from 2 to 16");
}

static int check_length(cfg_t *cfg, cfg_opt_t *opt, size_t max)
{
    const char *value = last_text(opt);
    char reason[80];
    if (value[0] == '\0')
        return reject(cfg, opt, value, "must not be empty");
    if (strlen(value) <= max)
        return 0;
    snprintf(reason, sizeof reason, "is longer than %zu octets", max);
    return reject(cfg, opt, value, reason);
}

#define LENGTH_CHECK(name, size)                                                                   \
    static int name(cfg_t *cfg, cfg_opt_t *opt)                                                    \
    {                                                                                              \
        return check_length(cfg, opt, (size)-1);                                                   \
    }

LENGTH_CHECK(check_device, CONF_DEVICE_SIZE)
LENGTH_CHECK(check_snmp_name, 33) // RFC 3414: 32 octets
LENGTH_CHECK(check_server_name, CONF_ADDRESS_SIZE)
LENGTH_CHECK(check_pattern, FILTER_PATTERN_SIZE)

static bool fits(const char *pattern, const char *name)
{
    struct filter_list list = {.count = 1};
    snprintf(list.patterns[0], sizeof list.patterns[0], "%s", pattern);
    return filter_list_has(&list, name);
}

// A rule for events that there are none of would silently do nothing, and a receiver of only these
// would get nothing.
static int check_event_pattern(cfg_t *cfg, cfg_opt_t *opt)
{
    if (check_pattern(cfg, opt) != 0)
        return -1;
    for (int kind = 0; kind < CATALOGUE_COUNT; kind++) {
        if (fits(last_text(opt), catalogue_get((enum catalogue_event)kind)->name))
            return 0;
    }
    return reject(cfg, opt, last_text(opt),
                  "there is no such event; ibtrapctl catalogue shows them all");
}

static int check_category_pattern(cfg_t *cfg, cfg_opt_t *opt)
{
    if (check_pattern(cfg, opt) != 0)
        return -1;
    for (size_t i = 0; i < CHECK_COUNT(CHECK_CATEGORIES); i++) {
        if (fits(last_text(opt), CHECK_CATEGORIES[i]))
            return 0;
    }
    return check_category(cfg, opt);
}

static int check_path(cfg_t *cfg, cfg_opt_t *opt)
{
    if (last_text(opt)[0] != '/')
        return reject(cfg, opt, last_text(opt), "must be an absolute path");
    return check_length(cfg, opt, CONF_PATH_SIZE - 1);
}

static int check_output_path(cfg_t *cfg, cfg_opt_t *opt)
{
    return strcmp(last_text(opt), "-") == 0 ? 0 : check_path(cfg, opt);
}

static int check_name_map(cfg_t *cfg, cfg_opt_t *opt)
{
    struct error err;
    if (check_path(cfg, opt) != 0)
        return -1;
    struct names *names = names_load(last_text(opt), &err);
    if (!names)
        return reject(cfg, opt, last_text(opt), err.text);
    names_unref(names);
    return 0;
}

static int check_key_file(cfg_t *cfg, cfg_opt_t *opt)
{
    struct error err;
    uint64_t key;
    if (check_path(cfg, opt) != 0)
        return -1;
    return secret_read_key(last_text(opt), &key, &err) ? 0
                                                       : reject(cfg, opt, last_text(opt), err.text);
}

// Read at each connection, so it may come later.
static int check_tls_key(cfg_t *cfg, cfg_opt_t *opt)
{
    struct error err;
    if (check_path(cfg, opt) != 0)
        return -1;
    bool ok = access(last_text(opt), F_OK) != 0 || secret_check_file(last_text(opt), &err);
    return ok ? 0 : reject(cfg, opt, last_text(opt), err.text);
}

static int check_secret_file(cfg_t *cfg, cfg_opt_t *opt)
{
    struct error err;
    char secret[CONF_SECRET_SIZE];
    if (check_path(cfg, opt) != 0)
        return -1;
    bool ok = secret_read_line(last_text(opt), secret, sizeof secret, &err);
    explicit_bzero(secret, sizeof secret);
    return ok ? 0 : reject(cfg, opt, last_text(opt), err.text);
}

gid_t check_find_group(const char *name)
{
    const struct group *group = getgrnam(name);
    return group ? group->gr_gid : (gid_t)-1;
}

static int check_group(cfg_t *cfg, cfg_opt_t *opt)
{
    return check_find_group(last_text(opt)) != (gid_t)-1
               ? 0
               : reject(cfg, opt, last_text(opt), "there is no such group");
}

// What is wrong with it is told without telling it.
static int check_community(cfg_t *cfg, cfg_opt_t *opt)
{
    size_t length = strlen(last_text(opt));
    if (length > 0 && length < CONF_SECRET_SIZE)
        return 0;
    cfg_error(cfg, "item '%s': must have 1 to %d octets", opt->name, CONF_SECRET_SIZE - 1);
    return -1;
}

static int check_ipv4(cfg_t *cfg, cfg_opt_t *opt)
{
    struct in_addr address;
    return inet_pton(AF_INET, last_text(opt), &address) == 1
               ? 0
               : reject(cfg, opt, last_text(opt), "must be an IPv4 address");
}

const char *check_split_address(const char *address, char host[CONF_ADDRESS_SIZE], uint16_t *port)
{
    const char *end, *colon;
    if (address[0] == '[') {
        address++;
        end = strchr(address, ']');
        if (!end)
            return "the closing bracket is missing";
        colon = end[1] ? end + 1 : NULL;
        if (colon && *colon != ':')
            return "after the bracket only ':port' may follow";
    } else {
        colon = strchr(address, ':');
        if (colon && strchr(colon + 1, ':'))
            return "an IPv6 address must stand in brackets, such as [2001:db8::1]:162";
        end = colon ? colon : address + strlen(address);
    }
    if (end == address)
        return "the host is missing";
    if ((size_t)(end - address) >= CONF_ADDRESS_SIZE)
        return "the host is too long";
    memcpy(host, address, (size_t)(end - address));
    host[end - address] = '\0';
    if (colon) {
        char *rest;
        unsigned long number = strtoul(colon + 1, &rest, 10);
        if (colon[1] < '0' || colon[1] > '9' || *rest || number < 1 || number > 65535)
            return "the port must be a number from 1 to 65535";
        *port = (uint16_t)number;
    }
    return NULL;
}

static int check_address(cfg_t *cfg, cfg_opt_t *opt)
{
    char host[CONF_ADDRESS_SIZE];
    uint16_t port;
    const char *wrong = check_split_address(last_text(opt), host, &port);
    return wrong ? reject(cfg, opt, last_text(opt), wrong) : 0;
}

static int check_listen(cfg_t *cfg, cfg_opt_t *opt)
{
    char host[CONF_ADDRESS_SIZE];
    uint16_t port;
    uint8_t address[16];
    const char *wrong = check_split_address(last_text(opt), host, &port);
    if (wrong)
        return reject(cfg, opt, last_text(opt), wrong);
    if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1)
        return 0;
    return reject(cfg, opt, last_text(opt),
                  "must be an IP address and a port, such as 127.0.0.1:9117");
}

// Where a master agent listens.
static int check_master(cfg_t *cfg, cfg_opt_t *opt)
{
    char host[CONF_ADDRESS_SIZE];
    uint16_t port = 0;
    uint8_t address[16];
    const char *master = last_text(opt);
    if (master[0] == '\0')
        return 0;
    if (master[0] == '/')
        return check_path(cfg, opt);
    if (strncmp(master, "tcp:", 4) != 0)
        return reject(cfg, opt, master, "must be an absolute path, or like tcp:127.0.0.1:705");
    const char *wrong = check_split_address(master + 4, host, &port);
    if (wrong)
        return reject(cfg, opt, master, wrong);
    if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1)
        return port != 0 ? 0 : reject(cfg, opt, master, "the port is missing");
    return reject(cfg, opt, master, "the host must be an IP address");
}

static int check_context(cfg_t *cfg, cfg_opt_t *opt)
{
    return last_text(opt)[0] == '\0' ? 0 : check_length(cfg, opt, CONF_CONTEXT_SIZE - 1);
}

const char *check_split_threshold(const char *threshold, enum counter *counter, uint64_t *limit)
{
    char name[64], *end;
    const char *equals = strchr(threshold, '=');
    if (!equals)
        return "must be a counter and its threshold, such as \"SymbolErrorCounter=10\"";
    snprintf(name, sizeof name, "%.*s", (int)(equals - threshold), threshold);
    *counter = counter_find(name);
    if (*counter == COUNTER_ERRORS)
        return "there is no such counter";
    errno = 0;
    *limit = strtoull(equals + 1, &end, 10);
    if (equals[1] < '0' || equals[1] > '9' || *end != '\0' || errno != 0 || *limit > THRESHOLD_MAX)
        return "the threshold must be a whole number from 0 to 4294967295";
    return NULL;
}

static int check_threshold(cfg_t *cfg, cfg_opt_t *opt)
{
    enum counter counter;
    uint64_t limit;
    const char *wrong = check_split_threshold(last_text(opt), &counter, &limit);
    return wrong ? reject(cfg, opt, last_text(opt), wrong) : 0;
}

const char *check_split_level(const char *pair, enum log_folder *folder, enum log_level *level)
{
    char name[32];
    const char *equals = strchr(pair, '=');
    if (!equals)
        return "must be a folder of the gateway and its level, such as \"ib=debug\"";
    snprintf(name, sizeof name, "%.*s", (int)(equals - pair), pair);
    if (!log_folder_from_word(name, folder))
        return log_folder_refusal();
    return log_level_from_word(equals + 1, level)
               ? NULL
               : "the level must be one of error, warning, info, debug";
}

static int check_level_pair(cfg_t *cfg, cfg_opt_t *opt)
{
    enum log_folder folder;
    enum log_level level;
    const char *wrong = check_split_level(last_text(opt), &folder, &level);
    return wrong ? reject(cfg, opt, last_text(opt), wrong) : 0;
}

static int check_name(cfg_t *cfg, cfg_opt_t *opt, const char *whose, size_t max)
{
    char reason[80];
    const char *title = cfg_title(cfg_opt_getnsec(opt, cfg_opt_size(opt) - 1));
    if (title[0] == '\0' || strlen(title) > max) {
        snprintf(reason, sizeof reason, "%s name has 1 to %zu characters", whose, max);
        return reject(cfg, opt, title, reason);
    }
    for (const char *p = title; *p; p++) {
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *p))
            continue;
        snprintf(reason, sizeof reason, "%s name has letters, digits, '.', '_', '-'", whose);
        return reject(cfg, opt, title, reason);
    }
    return 0;
}

// recipient-192.0.2.1-5f10 and so on are those that are set by SNMP.
static int check_receiver_name(cfg_t *cfg, cfg_opt_t *opt)
{
    static const char RECIPIENT[] = "recipient-";
    const char *title = cfg_title(cfg_opt_getnsec(opt, cfg_opt_size(opt) - 1));
    if (strncmp(title, RECIPIENT, sizeof RECIPIENT - 1) == 0)
        return reject(cfg, opt, title,
                      "names that begin with 'recipient-' are those of trap recipients");
    return check_name(cfg, opt, "a receiver's", CONF_NAME_SIZE - 1);
}

static int check_rule_name(cfg_t *cfg, cfg_opt_t *opt)
{
    return check_name(cfg, opt, "a policy's", CONF_RULE_NAME_SIZE - 1);
}

#define TLS_CHECKS(section)                                                                        \
    {section "|ca_file", check_path}, {section "|certificate_file", check_path},                   \
        {section "|key_file", check_tls_key},                                                      \
    {                                                                                              \
        section "|server_name", check_server_name                                                  \
    }

#define COMMON_CHECKS(section)                                                                     \
    {section, check_receiver_name}, {section "|severity", check_severity},                         \
        {section "|events", check_event_pattern}, {section "|categories", check_category_pattern}, \
        {section "|nodes", check_pattern}, {section "|guids", check_pattern},                      \
        {section "|switches", check_pattern}, {section "|rate", check_rate},                       \
        {section "|burst", check_burst},                                                           \
    {                                                                                              \
        section "|max_age", check_age                                                              \
    }

const struct check CHECKS[] = {
    {"fabric|device", check_device},
    {"fabric|port", check_port},
    {"fabric|sa_key_file", check_key_file},
    {"fabric|node_name_map", check_name_map},
    {"fabric|verify_interval", check_verify_interval},
    {"fabric|refresh_interval", check_refresh_interval},
    {"fabric|active", check_active},
    {"sweep|method", check_method},
    {"sweep|interval", check_look_interval},
    {"sweep|settle", check_settle},
    {"sweep|in_flight", check_in_flight},
    {"sweep|attempts", check_attempts},
    {"sweep|timeout", check_mad_timeout},
    {"sweep|mkey_file", check_key_file},
    {"counters|ports", check_counter_ports},
    {"counters|interval", check_look_interval},
    {"counters|thresholds", check_threshold},
    {"journal|directory", check_path},
    {"journal|rows", check_rows},
    {"journal|megabytes", check_megabytes},
    {"journal|days", check_days},
    {"policy", check_rule_name},
    {"policy|events", check_event_pattern},
    {"policy|nodes", check_pattern},
    {"policy|severity", check_severity},
    {"policy|category", check_category},
    {"policy|hold_down", check_up_to_a_day},
    {"repeats|window", check_up_to_a_day},
    {"flap|changes", check_flap},
    {"flap|within", check_day},
    {"flap|quiet", check_day},
    {"storm|rate", check_storm_rate},
    {"storm|period", check_storm_period},
    COMMON_CHECKS("snmp"),
    {"snmp|address", check_address},
    {"snmp|transport", check_snmp_transport},
    {"snmp|version", check_snmp_version},
    {"snmp|community", check_community},
    {"snmp|community_file", check_secret_file},
    {"snmp|user", check_snmp_name},
    {"snmp|context", check_snmp_name},
    {"snmp|auth", check_auth},
    {"snmp|auth_password_file", check_secret_file},
    {"snmp|privacy", check_privacy},
    {"snmp|privacy_password_file", check_secret_file},
    {"snmp|timeout", check_timeout},
    {"snmp|retries", check_retries},
    {"snmp|window", check_window},
    {"snmp|sets", check_snmp_set},
    {"snmp|agent_address", check_ipv4},
    TLS_CHECKS("snmp"),
    COMMON_CHECKS("syslog"),
    {"syslog|transport", check_syslog_transport},
    {"syslog|address", check_address},
    {"syslog|path", check_path},
    {"syslog|format", check_format},
    {"syslog|framing", check_framing},
    {"syslog|facility", check_facility},
    TLS_CHECKS("syslog"),
    COMMON_CHECKS("file"),
    {"file|path", check_output_path},
    COMMON_CHECKS("agentx"),
    {"agentx|socket", check_master},
    {"agentx|context", check_context},
    {"agentx|sets", check_snmp_set},
    {"metrics|listen", check_listen},
    {"tables|socket", check_master},
    {"tables|context", check_context},
    {"tables|event_trap_level", check_trap_level},
    {"tables|recipient_port", check_udp_port},
    {"gateway|heartbeat", check_up_to_a_day},
    {"control|socket", check_path},
    {"control|group", check_group},
    {"log|level", check_log_level},
    {"log|levels", check_level_pair},
};
const size_t CHECKS_COUNT = CHECK_COUNT(CHECKS);
