// SPDX-License-Identifier: BSD-2-Clause
#include "conf/section.h"

#include "base/secret.h"
#include "base/text.h"
#include "conf/check.h"
#include "conf/value.h"

#include <assert.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool report_is_full(const struct report *report)
{
    return report->mistakes.count == CONF_MISTAKES_MAX;
}

__attribute__((format(printf, 3, 0))) static void
report_add_args(struct report *report, unsigned line, const char *fmt, va_list args)
{
    struct conf_mistakes *m = &report->mistakes;
    char sentence[480];
    if (report_is_full(report))
        return;
    vsnprintf(sentence, sizeof sentence, fmt, args);
    size_t place = m->count++;
    for (; place > 0 && report->lines[place - 1] > line; place--) {
        m->sentences[place] = m->sentences[place - 1];
        report->lines[place] = report->lines[place - 1];
    }
    report->lines[place] = line;
    error_set(&m->sentences[place], "%s:%u: %s", report->path, line, sentence);
}

void report_add(struct report *report, unsigned line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report_add_args(report, line, fmt, args);
    va_end(args);
}

bool section_refuse(struct section *section, const char *fmt, ...)
{
    char sentence[300];
    TEXT_FILL(sentence, fmt);
    bool named = section->name != NULL;
    section->bad = true;
    report_add(section->report, section->line, "%s%s%s%s: %s", section->schema->name,
               named ? " '" : "", named ? section->name : "", named ? "'" : "", sentence);
    return false;
}

// Whether the file has the item. The schema of the section has the item.
static bool section_has(const struct section *section, const char *item)
{
    size_t place;
    const struct schema_item *found = schema_find(section->schema, item, &place);
    assert(found);
    return found && section->lines[place] != 0;
}

// Whether the file gives the item another value than its default.
static bool section_sets(const struct section *section, const char *item)
{
    const struct schema_item *found = schema_find(section->schema, item, NULL);
    return section_has(section, item) && !value_is_default(found, section->object);
}

// Unless `met`, refuses the section if the section sets one of `items`, because the item would
// silently do nothing: "item '...' has no effect without WHAT". `items` end with NULL. False: the
// section was refused.
static bool section_needs(bool met, struct section *section, const char *const *items,
                          const char *what)
{
    for (; !met && *items; items++) {
        if (section_sets(section, *items))
            return section_refuse(section, "item '%s' has no effect without %s", *items, what);
    }
    return true;
}

void section_check(struct section *section)
{
    const struct schema_item *item;
    for (size_t i = 0; (item = schema_item(section->schema, i)) && !section->bad; i++) {
        if (item->needed && ((const char *)section->object)[item->at] == '\0')
            section_refuse(section, "item '%s' is %s: %s", item->name,
                           item->initial ? "empty" : "missing", item->needed);
    }
    if (section->schema->check && !section->bad)
        section->schema->check(section);
}

// Sections that are no receivers.

#define ITEMS(...) ((const char *const[]){__VA_ARGS__, NULL})

// Reads the key of a file, if an item names one. The file was good when its item was read, and may
// have changed since.
static bool section_read_key(struct section *section, const char *path, bool *has, uint64_t *key)
{
    struct error err;
    *has = path[0] != '\0' && section->looks;
    return !*has || secret_read_key(path, key, &err) || section_refuse(section, "%s", err.text);
}

void section_check_fabric(struct section *section)
{
    struct conf_fabric *f = &((struct conf *)section->object)->fabric;
    struct error ignored; // the items were checked when they were read
    check_read_pkey(f->pkey_text, &f->pkey, &ignored);
    section_read_key(section, f->sa_key_file, &f->has_sa_key, &f->sa_key);
    check_read_guids(f->sa_key_guids, f->key_guids, CONF_KEY_GUIDS_MAX, &f->key_guid_count,
                     &ignored);
}

void section_check_sweep(struct section *section)
{
    struct conf_sweep *s = &((struct conf *)section->object)->sweep;
    section_read_key(section, s->mkey_file, &s->has_mkey, &s->mkey);
    section_read_key(section, s->vskey_file, &s->has_vskey, &s->vskey);
}

void section_check_counters(struct section *section)
{
    const struct conf_counters *c = &((const struct conf *)section->object)->counters;
    if (c->window_min[1] <= c->window_min[0])
        section_refuse(section, "'long_window' must be longer than 'short_window'");
}

void section_check_control(struct section *section)
{
    struct conf *conf = section->object;
    bool wanted = conf->group[0] && section->looks;
    const struct group *group = wanted ? getgrnam(conf->group) : NULL;
    if (wanted && !group)
        section_refuse(section, "there is no group '%s' any more", conf->group);
    conf->socket_group = group ? group->gr_gid : (gid_t)-1;
}

void section_check_subagent(struct section *section)
{
    struct conf_subagent *s = &((struct conf *)section->object)->subagent;
    s->has_context = section_has(section, "context");
    section_needs(section_has(section, "socket"), section, ITEMS("context", "contexts", "writable"),
                  "item 'socket'");
    if (s->fabric_socket[0] != '\0' && strcmp(s->fabric_socket, s->socket) == 0)
        section_refuse(section, "'fabric_socket' is 'socket', where snmpd has interfaces of the "
                                "host: an snmpd of its own is needed, as ibtrapd-snmpd.service");
}

void section_check_rule(struct section *section)
{
    const struct conf_rule *rule = section->object;
    if (rule->enabled == CONF_SAME && rule->severity == CONF_SAME && rule->category == CONF_SAME &&
        rule->hold_down_s == CONF_SAME)
        section_refuse(section, "it changes nothing: give it 'enabled', 'severity', 'category' or "
                                "'hold_down'");
}

// Receivers.

enum { PASSWORD_MIN = 8 }; // RFC 3414 11.2
enum { SNMP_TRAP_PORT = 162, SNMP_TLS_TRAP_PORT = 10162 };

static bool section_receiver_uses_tls(const struct conf_receiver *r)
{
    return r->transport == TRANSPORT_TLS || r->transport == TRANSPORT_DTLS ||
           r->transport == TRANSPORT_RELP_TLS;
}

// Reads the secret of a file, if an item names one. The file was good when its item was read, and
// may have changed since.
static bool section_receiver_read_secret(struct section *section, const char *path,
                                         char out[CONF_SECRET_SIZE])
{
    struct error err;
    return path[0] == '\0' || !section->looks ||
           secret_read_line(path, out, CONF_SECRET_SIZE, &err) ||
           section_refuse(section, "%s", err.text);
}

static bool section_receiver_read_password(struct section *section, const char *item,
                                           const char *path, char out[CONF_SECRET_SIZE])
{
    if (!section_receiver_read_secret(section, path, out))
        return false;
    return out[0] == '\0' || strlen(out) >= PASSWORD_MIN ||
           section_refuse(section, "item '%s': the password is shorter than %d characters", item,
                          (int)PASSWORD_MIN);
}

static bool section_receiver_check_address(struct section *section, uint16_t default_port)
{
    struct conf_receiver *r = section->object;
    if (r->port == 0)
        r->port = default_port;
    return r->host[0] ||
           section_refuse(section, "item 'address' is missing: it says where the receiver is");
}

static bool section_receiver_check_tls(struct section *section, const char *transports)
{
    const struct conf_receiver *r = section->object;
    return section_needs(
               section_receiver_uses_tls(r), section,
               ITEMS("ca_file", "crl_file", "certificate_file", "key_file", "server_name"),
               transports) &&
           section_needs(r->tls.certificate_file[0], section, ITEMS("key_file"),
                         "item 'certificate_file'");
}

// Checks the items of a user of version 3 together, and reads the passwords.
static bool section_snmp_check_user(struct section *section)
{
    struct conf_snmp *s = &((struct conf_receiver *)section->object)->snmp;
    bool auth = s->auth != SNMP_NO_AUTH, privacy = s->privacy != SNMP_NO_PRIV;
    if (s->version == 3 && s->user[0] == '\0')
        return section_refuse(section, "version 3 needs item 'user'");
    if (auth && s->auth_password_file[0] == '\0')
        return section_refuse(section, "item 'auth' needs item 'auth_password_file'");
    if (privacy && !auth)
        return section_refuse(section, "item 'privacy' needs item 'auth'");
    if (privacy && s->privacy_password_file[0] == '\0')
        return section_refuse(section, "item 'privacy' needs item 'privacy_password_file'");
    return section_needs(auth, section, ITEMS("auth_password_file"), "item 'auth'") &&
           section_needs(privacy, section, ITEMS("privacy_password_file"), "item 'privacy'") &&
           section_receiver_read_password(section, "auth_password_file", s->auth_password_file,
                                          s->auth_password) &&
           section_receiver_read_password(section, "privacy_password_file",
                                          s->privacy_password_file, s->privacy_password);
}

// Over TLS and DTLS, certificates take the place of user and passwords.
static bool section_snmp_check_over_tls(struct section *section)
{
    static const char *const UNUSED[] = {"user", "auth", "auth_password_file", "privacy",
                                         "privacy_password_file"};
    const struct conf_receiver *r = section->object;
    const char *transport = word_name(WORDS_SNMP_TRANSPORT, r->transport);
    if (r->snmp.version != 3)
        return section_refuse(section, "transport '%s' needs version 3", transport);
    for (size_t i = 0; i < sizeof UNUSED / sizeof *UNUSED; i++) {
        if (section_sets(section, UNUSED[i]))
            return section_refuse(section,
                                  "item '%s' has no use with transport '%s': certificates stand "
                                  "for users and passwords",
                                  UNUSED[i], transport);
    }
    return r->tls.certificate_file[0] ||
           section_refuse(section, "transport '%s' needs item 'certificate_file'", transport);
}

static bool section_snmp_check_use(struct section *section)
{
    const struct conf_snmp *s = &((const struct conf_receiver *)section->object)->snmp;
    bool v3 = s->version == 3;
    return section_needs(v3, section,
                         ITEMS("user", "context", "auth", "auth_password_file", "privacy",
                               "privacy_password_file"),
                         "version = \"3\"") &&
           section_needs(!v3, section, ITEMS("community", "community_file"),
                         "version = \"1\" or \"2c\"") &&
           section_needs(s->inform, section, ITEMS("timeout", "retries", "window"),
                         "inform = true") &&
           section_needs(s->version == 1 || s->trap_address, section, ITEMS("agent_address"),
                         "version = \"1\" or trap_address = true");
}

// The documents have a notification for each part.
static void section_receiver_take_each_part(struct conf_receiver *r)
{
    if (r->filter.each_part == CONF_SAME)
        r->filter.each_part = 1;
}

void section_check_agentx(struct section *section)
{
    section_receiver_take_each_part(section->object);
}

void section_check_snmp(struct section *section)
{
    struct conf_receiver *r = section->object;
    struct conf_snmp *s = &r->snmp;
    bool tls = section_receiver_uses_tls(r);
    section_receiver_take_each_part(r);
    if (s->version == 0)
        s->version = tls ? 3 : 2;
    if (s->inform && s->version == 1) {
        section_refuse(section, "version 1 has no informs");
    } else if (s->trap_address && s->agent_address[0] == '\0') {
        section_refuse(section, "item 'trap_address' needs item 'agent_address'");
    } else if (section_receiver_check_tls(section, "transport = \"tls\" or \"dtls\"") &&
               section_needs(r->transport == TRANSPORT_UDP || r->transport == TRANSPORT_DTLS,
                             section, ITEMS("ipv6"), "transport = \"udp\" or \"dtls\"") &&
               section_snmp_check_use(section) &&
               section_receiver_read_secret(section, s->community_file, s->community) &&
               (tls ? section_snmp_check_over_tls(section) : section_snmp_check_user(section))) {
        section_receiver_check_address(section, tls ? SNMP_TLS_TRAP_PORT : SNMP_TRAP_PORT);
    }
}

static uint16_t section_syslog_port(enum transport transport)
{
    switch (transport) {
    case TRANSPORT_TLS:
        return 6514;
    case TRANSPORT_RELP:
    case TRANSPORT_RELP_TLS:
        return 2514;
    default:
        return 514;
    }
}

// rsyslog and journald do not understand RFC 5424 on the local socket.
enum format section_syslog_format(enum transport transport)
{
    return transport == TRANSPORT_LOCAL ? FORMAT_RFC3164 : FORMAT_RFC5424;
}

void section_check_syslog(struct section *section)
{
    struct conf_receiver *r = section->object;
    bool local = r->transport == TRANSPORT_LOCAL,
         remote = !local && r->transport != TRANSPORT_STDOUT;
    bool framed = r->transport == TRANSPORT_TCP || r->transport == TRANSPORT_TLS;
    if (r->syslog.format == FORMAT_UNSET)
        r->syslog.format = section_syslog_format(r->transport);
    if (section_receiver_check_tls(section, "transport = \"tls\" or \"relp-tls\"") &&
        section_needs(local, section, ITEMS("path"), "transport = \"local\"") &&
        section_needs(framed, section, ITEMS("framing"), "transport = \"tcp\" or \"tls\"") &&
        section_needs(r->transport == TRANSPORT_UDP, section, ITEMS("ipv6"),
                      "transport = \"udp\"") &&
        section_needs(remote, section, ITEMS("address"),
                      "transport = \"udp\", \"tcp\", \"tls\", \"relp\" or \"relp-tls\"") &&
        remote)
        section_receiver_check_address(section, section_syslog_port(r->transport));
}

// Refuses what chooses events, or says how they are sent: a receiver that keeps all alarms (`item`)
// gets no events. `own`: items of the kind, NULL at the end.
static void section_refuse_choice(struct section *section, const char *item, const char *const *own)
{
    static const char *const CHOICE[] = {"severity", "security", "events",    "categories", "nodes",
                                         "guids",    "switches", "each_part", "rate",       "burst",
                                         "max_age",  "start",    NULL};
    const char *found = NULL;
    for (const char *const *one = CHOICE; *one && !found; one++)
        found = section_has(section, *one) ? *one : NULL;
    for (; *own && !found; own++)
        found = section_has(section, *own) ? *own : NULL;
    if (found)
        section_refuse(section,
                       "item '%s' has no effect beside item '%s': a receiver gets events, or keeps "
                       "all alarms; make two sections",
                       found, item);
}

static bool section_kafka_check_user(struct section *section)
{
    struct conf_receiver *r = section->object;
    const bool sasl = r->kafka.sasl != CONF_SASL_NONE;
    if (sasl && r->kafka.user[0] == '\0')
        return section_refuse(section, "item 'sasl' needs item 'user'");
    if (sasl && r->kafka.password_file[0] == '\0')
        return section_refuse(section, "item 'sasl' needs item 'password_file'");
    if (r->kafka.sasl == CONF_SASL_PLAIN && r->transport != TRANSPORT_TLS)
        return section_refuse(section, "PLAIN sends the password as it is: it needs "
                                       "transport = \"tls\"");
    return section_needs(sasl, section, ITEMS("user", "password_file"), "item 'sasl'") &&
           section_receiver_read_secret(section, r->kafka.password_file, r->kafka.password);
}

void section_check_kafka(struct section *section)
{
    if (section_sets(section, "server_name"))
        section_refuse(section, "item 'server_name' has no use here: there are several brokers, "
                                "and the certificate of each has its host's name");
    else if (section_receiver_check_tls(section, "transport = \"tls\""))
        section_kafka_check_user(section);
    if (((const struct conf_receiver *)section->object)->kafka.state_topic[0] != '\0')
        section_refuse_choice(section, "state_topic", ITEMS("topic", "format"));
    else
        section_needs(false, section, ITEMS("state_refresh"), "item 'state_topic'");
}

// Whether the URL leads to this host: nobody else hears the request.
static bool section_http_is_local(const char *url)
{
    static const char *const LOCAL[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *host = url + sizeof "http://" - 1;
    for (size_t i = 0; i < sizeof LOCAL / sizeof *LOCAL; i++) {
        const size_t length = strlen(LOCAL[i]);
        if (strncmp(host, LOCAL[i], length) == 0 && strchr("/:?, ", host[length]))
            return true;
    }
    return false;
}

// `safe`: no secret goes over the network without encryption.
static bool section_http_check_access(struct section *section, bool safe)
{
    const struct conf_http_access *a =
        &((const struct conf_receiver *)section->object)->http_access;
    const bool user = a->user[0] != '\0', password = a->password_file[0] != '\0';
    const bool token = a->token_file[0] != '\0', header = a->header_file[0] != '\0';
    if (user != password)
        return section_refuse(section, "item '%s' needs item '%s'", user ? "user" : "password_file",
                              user ? "password_file" : "user");
    if (user && token)
        return section_refuse(section, "there is either item 'user' or item 'token_file'");
    return (!user && !token && !header) || safe ||
           section_refuse(section,
                          "the secret would go over the network as it is: item '%s' needs "
                          "a URL with https, or a server on this host",
                          user    ? "password_file"
                          : token ? "token_file"
                                  : "header_file");
}

// Whether the query of a URL names an index. Elasticsearch takes an index from the query or the
// path.
static bool section_http_query_has_index(const char *query)
{
    static const char INDEX[] = "index=";
    for (; *query; query += strcspn(query, "&")) {
        query++; // '?' or '&'
        if (strncmp(query, INDEX, sizeof INDEX - 1) == 0)
            return true;
    }
    return false;
}

// Whether Elasticsearch is asked for a bulk of no index: it would refuse each document.
static bool section_http_lacks_index(const struct conf_http *http)
{
    static const char BULK[] = "/_bulk";
    const char *host = strstr(http->url, "://");
    if (http->format != HTTP_ELASTIC || http->state_index[0] != '\0' || http->index[0] != '\0' ||
        !host)
        return false;
    const char *path = host + 3 + strcspn(host + 3, "/?");
    size_t length = strcspn(path, "?");
    while (length > 0 && path[length - 1] == '/')
        length--;
    return length == sizeof BULK - 1 && memcmp(path, BULK, length) == 0 &&
           !section_http_query_has_index(path + strcspn(path, "?"));
}

// Whether the format knows the items `index` and `ack`, and whether Elasticsearch gets an index.
static bool section_http_check_format(struct section *section, const struct conf_http *http)
{
    const bool splunk = http->format == HTTP_SPLUNK;
    if (http->index[0] != '\0' && !splunk && http->format != HTTP_ELASTIC)
        return section_refuse(section, "item 'index' has no effect without format = "
                                       "\"splunk\" or \"elasticsearch\"");
    if (http->ack && !splunk)
        return section_refuse(section, "item 'ack' has no effect without format = \"splunk\"");
    return !section_http_lacks_index(http) ||
           section_refuse(section, "Elasticsearch needs an index: give item 'index', or a URL such "
                                   "as https://HOST:9200/INDEX/_bulk");
}

void section_check_http(struct section *section)
{
    struct conf_receiver *r = section->object;
    const bool tls = strncmp(r->http.url, "https:", 6) == 0;
    r->transport = tls ? TRANSPORT_TLS : TRANSPORT_TCP;
    if (section_receiver_check_tls(section, "a URL with https") &&
        section_http_check_access(section, tls || section_http_is_local(r->http.url)))
        section_http_check_format(section, &r->http);
    if (r->http.state_index[0] == '\0')
        section_needs(false, section, ITEMS("state_refresh"), "item 'state_index'");
    else if (section_needs(r->http.format == HTTP_ELASTIC, section, ITEMS("state_index"),
                           "format = \"elasticsearch\""))
        section_refuse_choice(section, "state_index", ITEMS("index", "batch"));
}

// The next URL from `*at` on, without slashes at its end; moves `*at` behind it. Its length, or 0:
// there is none.
static size_t section_alertmanager_next_url(const char **at, const char **url)
{
    *url = *at + strspn(*at, ", ");
    size_t length = strcspn(*url, ", ");
    *at = *url + length;
    while (length > 0 && (*url)[length - 1] == '/')
        length--;
    return length;
}

// `url` is `length` octets long and has no slash at its end.
static bool section_alertmanager_lists(const char *urls, const char *url, size_t length)
{
    const char *one;
    size_t n;
    while ((n = section_alertmanager_next_url(&urls, &one)) > 0) {
        if (n == length && memcmp(one, url, n) == 0)
            return true;
    }
    return false;
}

void section_check_alertmanager(struct section *section)
{
    struct conf_receiver *r = section->object;
    const char *at = r->alertmanager.urls, *url;
    bool tls = false, plain = false; // plain: without TLS, to another host
    for (size_t n; (n = section_alertmanager_next_url(&at, &url)) > 0;) {
        const bool is_tls = strncmp(url, "https:", 6) == 0;
        tls |= is_tls;
        plain |= !is_tls && !section_http_is_local(url);
        if (section_alertmanager_lists(at, url, n)) {
            section_refuse(section, "item 'urls' has '%.*s' twice", (int)n, url);
            return;
        }
    }
    r->transport = tls ? TRANSPORT_TLS : TRANSPORT_TCP;
    if (section_receiver_check_tls(section, "a URL with https"))
        section_http_check_access(section, !plain);
}
