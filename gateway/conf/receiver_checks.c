// SPDX-License-Identifier: BSD-2-Clause
#include "conf/receiver_checks.h"

#include "base/secret.h"

#include <stdio.h>
#include <string.h>

enum { PASSWORD_MIN = 8 }; // RFC 3414 11.2
enum { SNMP_TRAP_PORT = 162, SNMP_TLS_TRAP_PORT = 10162 };

#define ITEMS(...) ((const char *const[]){__VA_ARGS__, NULL})

static bool receiver_uses_tls(const struct conf_receiver *r)
{
    return r->transport == CONF_TLS || r->transport == CONF_DTLS || r->transport == CONF_RELP_TLS;
}

// Reads the secret of a file, if an item names one. The file was good when its item was read, and
// may have changed since.
static bool receiver_read_secret(struct section *section, const char *path,
                                 char out[CONF_SECRET_SIZE])
{
    struct error err;
    return path[0] == '\0' || !section->looks ||
           secret_read_line(path, out, CONF_SECRET_SIZE, &err) ||
           section_refuse(section, "%s", err.text);
}

static bool receiver_read_password(struct section *section, const char *item, const char *path,
                                   char out[CONF_SECRET_SIZE])
{
    if (!receiver_read_secret(section, path, out))
        return false;
    return out[0] == '\0' || strlen(out) >= PASSWORD_MIN ||
           section_refuse(section, "item '%s': the password is shorter than %d characters", item,
                          (int)PASSWORD_MIN);
}

static bool receiver_check_address(struct section *section, uint16_t default_port)
{
    struct conf_receiver *r = section->object;
    if (r->port == 0)
        r->port = default_port;
    return r->host[0] ||
           section_refuse(section, "item 'address' is missing: it says where the receiver is");
}

static bool receiver_check_tls(struct section *section, const char *transports)
{
    const struct conf_receiver *r = section->object;
    return section_needs(
               receiver_uses_tls(r), section,
               ITEMS("ca_file", "crl_file", "certificate_file", "key_file", "server_name"),
               transports) &&
           section_needs(r->tls.certificate_file[0], section, ITEMS("key_file"),
                         "item 'certificate_file'");
}

// Checks the items of a user of version 3 together, and reads the passwords.
static bool snmp_check_user(struct section *section)
{
    struct conf_snmp *s = &((struct conf_receiver *)section->object)->snmp;
    bool auth = s->auth != CONF_AUTH_NONE, privacy = s->privacy != CONF_PRIVACY_NONE;
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
           receiver_read_password(section, "auth_password_file", s->auth_password_file,
                                  s->auth_password) &&
           receiver_read_password(section, "privacy_password_file", s->privacy_password_file,
                                  s->privacy_password);
}

// Over TLS and DTLS, certificates take the place of user and passwords.
static bool snmp_check_over_tls(struct section *section)
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

static bool snmp_check_use(struct section *section)
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

void section_check_snmp(struct section *section)
{
    struct conf_receiver *r = section->object;
    struct conf_snmp *s = &r->snmp;
    bool tls = receiver_uses_tls(r);
    if (s->version == 0)
        s->version = tls ? 3 : 2;
    if (s->inform && s->version == 1) {
        section_refuse(section, "version 1 has no informs");
    } else if (s->trap_address && s->agent_address[0] == '\0') {
        section_refuse(section, "item 'trap_address' needs item 'agent_address'");
    } else if (receiver_check_tls(section, "transport = \"tls\" or \"dtls\"") &&
               section_needs(r->transport == CONF_UDP || r->transport == CONF_DTLS, section,
                             ITEMS("ipv6"), "transport = \"udp\" or \"dtls\"") &&
               snmp_check_use(section) &&
               receiver_read_secret(section, s->community_file, s->community) &&
               (tls ? snmp_check_over_tls(section) : snmp_check_user(section))) {
        receiver_check_address(section, tls ? SNMP_TLS_TRAP_PORT : SNMP_TRAP_PORT);
    }
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

// rsyslog and journald do not understand RFC 5424 on the local socket.
enum conf_format section_syslog_format(enum conf_transport transport)
{
    return transport == CONF_LOCAL ? CONF_RFC3164 : CONF_RFC5424;
}

void section_check_syslog(struct section *section)
{
    struct conf_receiver *r = section->object;
    bool local = r->transport == CONF_LOCAL, remote = !local && r->transport != CONF_STDOUT;
    bool framed = r->transport == CONF_TCP || r->transport == CONF_TLS;
    if (r->syslog.format == CONF_FORMAT_UNSET)
        r->syslog.format = section_syslog_format(r->transport);
    if (receiver_check_tls(section, "transport = \"tls\" or \"relp-tls\"") &&
        section_needs(local, section, ITEMS("path"), "transport = \"local\"") &&
        section_needs(framed, section, ITEMS("framing"), "transport = \"tcp\" or \"tls\"") &&
        section_needs(r->transport == CONF_UDP, section, ITEMS("ipv6"), "transport = \"udp\"") &&
        section_needs(remote, section, ITEMS("address"),
                      "transport = \"udp\", \"tcp\", \"tls\", \"relp\" or \"relp-tls\"") &&
        remote)
        receiver_check_address(section, syslog_port(r->transport));
}

void section_check_file(struct section *section)
{
    const struct conf_receiver *r = section->object;
    if (r->file.path[0] == '\0')
        section_refuse(section, "item 'path' is missing: it says where to write");
}

void section_check_agentx(struct section *section)
{
    const struct conf_receiver *r = section->object;
    if (r->agentx.socket[0] == '\0')
        section_refuse(section, "item 'socket' is empty: it says where the master agent listens");
}

static bool kafka_check_user(struct section *section)
{
    struct conf_receiver *r = section->object;
    const bool sasl = r->kafka.sasl != CONF_SASL_NONE;
    if (sasl && r->kafka.user[0] == '\0')
        return section_refuse(section, "item 'sasl' needs item 'user'");
    if (sasl && r->kafka.password_file[0] == '\0')
        return section_refuse(section, "item 'sasl' needs item 'password_file'");
    if (r->kafka.sasl == CONF_SASL_PLAIN && r->transport != CONF_TLS)
        return section_refuse(section, "PLAIN sends the password as it is: it needs "
                                       "transport = \"tls\"");
    return section_needs(sasl, section, ITEMS("user", "password_file"), "item 'sasl'") &&
           receiver_read_secret(section, r->kafka.password_file, r->kafka.password);
}

void section_check_kafka(struct section *section)
{
    const struct conf_receiver *r = section->object;
    if (r->kafka.brokers[0] == '\0')
        section_refuse(section, "item 'brokers' is missing: it says where Kafka is");
    else if (section_sets(section, "server_name"))
        section_refuse(section, "item 'server_name' has no use here: there are several brokers, "
                                "and the certificate of each has its host's name");
    else if (receiver_check_tls(section, "transport = \"tls\""))
        kafka_check_user(section);
}

// Whether the host of the URL is this one, which nobody else hears.
static bool http_is_local(const char *url)
{
    static const char *const LOCAL[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *host = url + sizeof "http://" - 1;
    for (size_t i = 0; i < sizeof LOCAL / sizeof *LOCAL; i++) {
        const size_t length = strlen(LOCAL[i]);
        if (strncmp(host, LOCAL[i], length) == 0 && strchr("/:?", host[length]))
            return true;
    }
    return false;
}

static bool http_check_access(struct section *section, const char *url, bool tls)
{
    const struct conf_http_access *a =
        &((const struct conf_receiver *)section->object)->http_access;
    const bool user = a->user[0] != '\0', password = a->password_file[0] != '\0';
    const bool token = a->token_file[0] != '\0';
    if (user != password)
        return section_refuse(section, "item '%s' needs item '%s'", user ? "user" : "password_file",
                              user ? "password_file" : "user");
    if (user && token)
        return section_refuse(section, "there is either item 'user' or item 'token_file'");
    return (!user && !token) || tls || http_is_local(url) ||
           section_refuse(section,
                          "the secret would go over the network as it is: item '%s' needs "
                          "a URL with https, or a server on this host",
                          user ? "password_file" : "token_file");
}

// Whether the query of a URL names an index, which Elasticsearch takes as well as one in the path.
static bool http_query_has_index(const char *query)
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
static bool http_lacks_index(const struct conf_http *http)
{
    static const char BULK[] = "/_bulk";
    const char *host = strstr(http->url, "://");
    if (http->format != CONF_HTTP_ELASTIC || http->index[0] != '\0' || !host)
        return false;
    const char *path = host + 3 + strcspn(host + 3, "/?");
    size_t length = strcspn(path, "?");
    while (length > 0 && path[length - 1] == '/')
        length--;
    return length == sizeof BULK - 1 && memcmp(path, BULK, length) == 0 &&
           !http_query_has_index(path + strcspn(path, "?"));
}

// Whether the format has what the items ask for, and the items what it needs.
static bool http_check_format(struct section *section, const struct conf_http *http)
{
    const bool splunk = http->format == CONF_HTTP_SPLUNK;
    if (http->index[0] != '\0' && !splunk && http->format != CONF_HTTP_ELASTIC)
        return section_refuse(section, "item 'index' has no effect without format = "
                                       "\"splunk\" or \"elasticsearch\"");
    if (http->ack && !splunk)
        return section_refuse(section, "item 'ack' has no effect without format = \"splunk\"");
    return !http_lacks_index(http) ||
           section_refuse(section, "Elasticsearch needs an index: give item 'index', or a URL such "
                                   "as https://HOST:9200/INDEX/_bulk");
}

void section_check_http(struct section *section)
{
    struct conf_receiver *r = section->object;
    const bool tls = strncmp(r->http.url, "https:", 6) == 0;
    r->transport = tls ? CONF_TLS : CONF_TCP;
    if (r->http.url[0] == '\0')
        section_refuse(section, "item 'url' is missing: it says where to send events");
    else if (receiver_check_tls(section, "a URL with https") &&
             http_check_access(section, r->http.url, tls))
        http_check_format(section, &r->http);
}

// The next URL from `*at` on, without slashes at its end; moves `*at` behind it. Its length, or 0:
// there is none.
static size_t alertmanager_next_url(const char **at, const char **url)
{
    *url = *at + strspn(*at, ", ");
    size_t length = strcspn(*url, ", ");
    *at = *url + length;
    while (length > 0 && (*url)[length - 1] == '/')
        length--;
    return length;
}

// Whether some URL of the list is of the scheme; `tls`: https, otherwise http to another host.
static bool alertmanager_has(const char *urls, bool tls)
{
    const char *one;
    size_t n;
    while ((n = alertmanager_next_url(&urls, &one)) > 0) {
        char url[CONF_ALERT_URL_SIZE];
        snprintf(url, sizeof url, "%.*s/", (int)n, one);
        const bool is_tls = strncmp(url, "https:", 6) == 0;
        if (tls ? is_tls : !is_tls && !http_is_local(url))
            return true;
    }
    return false;
}

// `url` is `length` octets long and has no slash at its end.
static bool alertmanager_lists(const char *urls, const char *url, size_t length)
{
    const char *one;
    size_t n;
    while ((n = alertmanager_next_url(&urls, &one)) > 0) {
        if (n == length && memcmp(one, url, n) == 0)
            return true;
    }
    return false;
}

static bool alertmanager_has_each_once(struct section *section, const char *urls)
{
    const char *one;
    size_t n;
    while ((n = alertmanager_next_url(&urls, &one)) > 0) {
        if (alertmanager_lists(urls, one, n))
            return section_refuse(section, "item 'urls' has '%.*s' twice", (int)n, one);
    }
    return true;
}

void section_check_alertmanager(struct section *section)
{
    struct conf_receiver *r = section->object;
    const char *urls = r->alertmanager.urls;
    const bool plain = alertmanager_has(urls, false);
    r->transport = alertmanager_has(urls, true) ? CONF_TLS : CONF_TCP;
    if (urls[0] == '\0')
        section_refuse(section, "item 'urls' is missing: it says where the Alertmanagers are");
    else if (alertmanager_has_each_once(section, urls) &&
             receiver_check_tls(section, "a URL with https"))
        http_check_access(section, plain ? "http://elsewhere" : "http://localhost/", !plain);
}
