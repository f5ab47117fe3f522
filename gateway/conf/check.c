// SPDX-License-Identifier: BSD-2-Clause
#include "conf/check.h"

#include "base/secret.h"
#include "conf/schema_rows.h"
#include "model/address.h"
#include "model/catalogue.h"
#include "model/names.h"
#include "model/node_name.h"
#include "model/notice_book.h"
#include "model/topology_file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fnmatch.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool check_path(const char *value, struct error *reason)
{
    if (value[0] != '/')
        return error_set(reason, "must be an absolute path");
    return strlen(value) < CONF_PATH_SIZE ||
           error_set(reason, "is longer than %d octets", CONF_PATH_SIZE - 1);
}

bool check_notices(const char *value, struct error *reason)
{
    struct notice_book *book = notice_book_load(value, reason);
    notice_book_free(book);
    return book != NULL;
}

bool check_sm_log(const char *value, struct error *reason)
{
    if (strcmp(value, "journald") != 0 && strncmp(value, "journald:", 9) != 0)
        return check_path(value, reason);
#ifdef IBTRAPD_HAVE_SYSTEMD
    return true;
#else
    return error_set(reason, "this ibtrapd was built without libsystemd: let OpenSM write a file");
#endif
}

bool check_output_path(const char *value, struct error *reason)
{
    return strcmp(value, "-") == 0 || check_path(value, reason);
}

bool check_name_map(const char *value, struct error *reason)
{
    struct names *names = names_load(value, reason);
    names_unref(names);
    return names != NULL;
}

bool check_topology_file(const char *value, struct error *reason)
{
    struct fabric *fabric = topology_file_load(value, reason);
    fabric_unref(fabric);
    return fabric != NULL;
}

bool check_key_file(const char *value, struct error *reason)
{
    uint64_t key;
    bool ok = secret_read_key(value, &key, reason);
    explicit_bzero(&key, sizeof key);
    return ok;
}

bool check_secret_file(const char *value, struct error *reason)
{
    char secret[CONF_SECRET_SIZE];
    bool ok = secret_read_line(value, secret, sizeof secret, reason);
    explicit_bzero(secret, sizeof secret);
    return ok;
}

// No reason shows the header.
bool check_header_file(const char *value, struct error *reason)
{
    char header[CONF_SECRET_SIZE];
    const bool ok = secret_read_line(value, header, sizeof header, reason) &&
                    pairs_check_header(header, true, reason);
    explicit_bzero(header, sizeof header);
    return ok;
}

// The sink reads the file at each connection: now the file may still be missing.
bool check_tls_key(const char *value, struct error *reason)
{
    return access(value, F_OK) != 0 || secret_check_file(value, reason);
}

bool check_group(const char *value, struct error *reason)
{
    return getgrnam(value) || error_set(reason, "there is no such group");
}

bool check_community(const char *value, struct error *reason)
{
    size_t length = strlen(value);
    return (length > 0 && length < CONF_SECRET_SIZE) ||
           error_set(reason, "must have 1 to %d octets", CONF_SECRET_SIZE - 1);
}

bool check_read_guids(const char *text, uint64_t *out, size_t max, size_t *count,
                      struct error *reason)
{
    static const char *const BETWEEN = ", \t";
    *count = 0;
    for (text += strspn(text, BETWEEN); *text; text += strspn(text, BETWEEN)) {
        const size_t length = strcspn(text, BETWEEN);
        char *end;
        if (*count == max)
            return error_set(reason, "has more than %zu GUIDs", max);
        errno = 0;
        const uint64_t guid = *text >= '0' && *text <= '9' ? strtoull(text, &end, 0) : 0;
        if (guid == 0 || errno != 0 || end != text + length)
            return error_set(reason, "'%.*s' is no GUID, such as 0x0002c90300a10001", (int)length,
                             text);
        out[(*count)++] = guid;
        text = end;
    }
    return *count > 0 || error_set(reason, "has no GUID");
}

bool check_guids(const char *value, struct error *reason)
{
    uint64_t guids[CONF_KEY_GUIDS_MAX];
    size_t count;
    return check_read_guids(value, guids, CONF_KEY_GUIDS_MAX, &count, reason);
}

bool check_read_pkey(const char *text, uint16_t *out, struct error *reason)
{
    char *end;
    errno = 0;
    const unsigned long pkey = *text >= '0' && *text <= '9' ? strtoul(text, &end, 0) : 0;
    *out = (uint16_t)pkey;
    return (pkey != 0 && errno == 0 && *end == '\0' && pkey <= UINT16_MAX) ||
           error_set(reason, "must be a P_Key, such as 0x8005");
}

bool check_pkey(const char *value, struct error *reason)
{
    uint16_t pkey;
    return check_read_pkey(value, &pkey, reason);
}

bool check_printable(const char *value, struct error *reason)
{
    for (const char *p = value; *p; p++) {
        if (*p <= ' ' || *p > '~')
            return error_set(reason, "must be ASCII without blanks");
    }
    return true;
}

bool check_ipv4(const char *value, struct error *reason)
{
    struct in_addr address;
    return inet_pton(AF_INET, value, &address) == 1 || error_set(reason, "must be an IPv4 address");
}

bool check_ip(const char *value, struct error *reason)
{
    return text_is_ip_address(value) ||
           error_set(reason, "must be an IP address and a port, such as 127.0.0.1:9117");
}

// An IPv6 address may have a zone, for instance %eth0.
static bool check_is_ipv6(const char *host)
{
    char copy[CONF_ADDRESS_SIZE];
    uint8_t address[16];
    snprintf(copy, sizeof copy, "%s", host);
    copy[strcspn(copy, "%")] = '\0';
    return inet_pton(AF_INET6, copy, address) == 1;
}

static bool check_is_name(const char *host)
{
    return host[0] != '\0' && host[strspn(host, TEXT_NAME_CHARACTERS)] == '\0';
}

// Digits and dots alone are no name; the resolver would make another address of too few numbers.
bool check_host(const char *value, struct error *reason)
{
    if (strchr(value, ':'))
        return check_is_ipv6(value) || error_set(reason, "there is no such IPv6 address");
    if (value[strspn(value, "0123456789.")] == '\0')
        return text_is_ip_address(value) ||
               error_set(reason, "must be an IPv4 address with four numbers from 0 to 255");
    return check_is_name(value) ||
           error_set(reason, "must be a host name or an IP address, and a port behind a colon, "
                             "such as nms:162");
}

bool check_server_name(const char *value, struct error *reason)
{
    // The type's own check refuses an empty or a long text.
    bool has_length = value[0] != '\0' && strlen(value) < CONF_ADDRESS_SIZE;
    return !has_length || text_is_ip_address(value) || check_is_name(value) ||
           error_set(reason, "must be a host name or an IP address");
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

bool check_master(const char *value, struct error *reason)
{
    char host[CONF_ADDRESS_SIZE];
    uint16_t port = 0;
    if (value[0] == '/')
        return check_path(value, reason);
    if (strncmp(value, "tcp:", 4) != 0)
        return error_set(reason, "must be an absolute path, or like tcp:127.0.0.1:705");
    const char *wrong = check_split_address(value + 4, host, &port);
    if (wrong)
        return error_set(reason, "%s", wrong);
    if (!text_is_ip_address(host))
        return error_set(reason, "the host must be an IP address");
    return port != 0 || error_set(reason, "the port is missing");
}

bool check_brokers(const char *value, struct error *reason)
{
    char copy[CONF_BROKERS_SIZE], host[CONF_ADDRESS_SIZE], *rest = copy, *one;
    uint16_t port;
    snprintf(copy, sizeof copy, "%s", value);
    while ((one = strsep(&rest, ","))) {
        one += strspn(one, " ");
        one[strcspn(one, " ")] = '\0';
        const char *wrong = check_split_address(one, host, &port);
        if (wrong)
            return error_set(reason, "%s", wrong);
        if (!check_host(host, reason))
            return false;
    }
    return true;
}

bool check_user(const char *value, struct error *reason)
{
    return check_printable(value, reason) &&
           (!strchr(value, ':') || error_set(reason, "must not have a colon in it (RFC 7617)"));
}

bool check_url(const char *value, struct error *reason)
{
    char address[CONF_ADDRESS_SIZE + 16], host[CONF_ADDRESS_SIZE];
    uint16_t port;
    const bool tls = strncmp(value, "https://", 8) == 0;
    if (!tls && strncmp(value, "http://", 7) != 0)
        return error_set(reason, "must begin with http:// or https://");
    if (!check_printable(value, reason))
        return false;
    const char *authority = value + (tls ? 8 : 7);
    const size_t length = strcspn(authority, "/?#");
    if (memchr(authority, '@', length))
        return error_set(reason, "must not have a user in it: item 'user' says that");
    if (strpbrk(value, "#\"\\"))
        return error_set(reason, "must not have '#', quotes or backslashes in it");
    if (length >= sizeof address)
        return error_set(reason, "has too long a host");
    snprintf(address, sizeof address, "%.*s", (int)length, authority);
    const char *wrong = check_split_address(address, host, &port);
    return wrong ? error_set(reason, "%s", wrong) : check_host(host, reason);
}

// Whether the URL has the path that ibtrapd adds by itself.
static bool check_has_alert_path(const char *url)
{
    static const char *const ADDED[] = {"/api/v1", "/api/v2", "/api/v1/alerts", "/api/v2/alerts"};
    const char *host = strstr(url, "://");
    const char *path = host ? host + 3 + strcspn(host + 3, "/") : "";
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    for (size_t i = 0; i < sizeof ADDED / sizeof *ADDED; i++) {
        const size_t n = strlen(ADDED[i]);
        if (length >= n && memcmp(path + length - n, ADDED[i], n) == 0)
            return true;
    }
    return false;
}

bool check_urls(const char *value, struct error *reason)
{
    char url[CONF_ALERT_URL_SIZE];
    unsigned count = 0;
    for (const char *at = value + strspn(value, ", "); *at != '\0'; at += strspn(at, ", ")) {
        const size_t length = strcspn(at, ", ");
        if (length >= sizeof url)
            return error_set(reason, "has a URL of more than %zu octets", sizeof url - 1);
        snprintf(url, sizeof url, "%.*s", (int)length, at);
        if (strstr(url, "/#"))
            return error_set(reason, "must be without '/#' and what follows: that is the page for "
                                     "browsers");
        if (!check_url(url, reason))
            return false;
        if (strchr(url, '?'))
            return error_set(reason, "must not have '?' in a URL");
        if (check_has_alert_path(url))
            return error_set(reason, "must be without /api/v2/alerts: ibtrapd adds that");
        if (++count > CONF_ALERT_URLS_MAX)
            return error_set(reason, "has more than %d URLs", CONF_ALERT_URLS_MAX);
        at += length;
    }
    return count > 0 || error_set(reason, "has no URL");
}

bool check_name_characters(const char *value, struct error *reason)
{
    return value[strspn(value, TEXT_NAME_CHARACTERS)] == '\0' ||
           error_set(reason, "may have letters, digits and ._- only");
}

// The length of a placeholder at the beginning of `p`, and the greatest of what takes its place; 0:
// there is none.
static size_t check_placeholder(const char *p, size_t *longest)
{
    static const struct {
        const char *name;
        size_t longest;
    } ALL[] = {{"{severity}", sizeof "informational" - 1},
               {"{category}", sizeof "multicast" - 1},
               {"{subnet}", 16},
               {"{fabric}", EVENT_FABRIC_SIZE - 1}};
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++) {
        const size_t length = strlen(ALL[i].name);
        *longest = ALL[i].longest;
        if (strncmp(p, ALL[i].name, length) == 0)
            return length;
    }
    return 0;
}

bool check_topic(const char *value, struct error *reason)
{
    size_t all = 0, longest = 1;
    for (const char *p = value; *p; all += longest) {
        const size_t n = *p == '{' ? check_placeholder(p, &longest) : 1;
        if (n == 0)
            return error_set(reason,
                             "its placeholders are {severity}, {category}, {subnet} and {fabric}");
        if (*p != '{') {
            longest = 1;
            if (!strchr(TEXT_NAME_CHARACTERS, *p))
                return error_set(reason, "a topic has letters, digits, '.', '_', '-'");
        }
        p += n;
    }
    if (all >= CONF_TOPIC_SIZE)
        return error_set(reason, "topics may become longer than %d characters",
                         (int)CONF_TOPIC_SIZE - 1);
    return (strcmp(value, ".") != 0 && strcmp(value, "..") != 0) ||
           error_set(reason, "must not be '.' or '..'");
}

bool check_index(const char *value, struct error *reason)
{
    return (value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789._-")] == '\0' &&
            !strchr("._-", value[0])) ||
           error_set(reason,
                     "an index has lower-case letters, digits, '.', '_' and '-', and begins "
                     "with a letter or a digit");
}

bool check_state_topic(const char *value, struct error *reason)
{
    if (strchr(value, '{'))
        return error_set(reason, "all alarms are in one topic: it has no placeholders");
    return check_topic(value, reason);
}

static bool check_fits(const char *pattern, const char *name)
{
    struct filter_list list = {.count = 1};
    snprintf(list.patterns[0], sizeof list.patterns[0], "%s", pattern);
    return filter_list_has(&list, name);
}

// A pattern that fits no event is an error: a rule with it would silently do nothing, and a
// receiver would get nothing.
bool check_event_pattern(const char *value, struct error *reason)
{
    for (int kind = 0; kind < CATALOGUE_COUNT; kind++) {
        if (check_fits(value, catalogue_get((enum catalogue_event)kind)->name))
            return true;
    }
    char hint[80];
    struct text t = text_in(hint, sizeof hint);
    catalogue_add_hint(value, &t);
    return error_set(reason, "there is no such event%s", hint);
}

bool check_category_pattern(const char *value, struct error *reason)
{
    char all[200];
    struct text t = text_in(all, sizeof all);
    for (const struct word *word = WORDS_CATEGORY; word->name; word++) {
        if (check_fits(value, word->name))
            return true;
    }
    word_list(WORDS_CATEGORY, &t);
    return error_set(reason, "must be one of %s", all);
}

// Patterns of nodes. A pattern that nothing can fit is a mistake: a receiver would get nothing, and
// a policy would silently do nothing.

enum { GUID_LENGTH = ADDRESS_GUID_TEXT_SIZE - 1 };

// The length of the first part of a pattern, for one character or a star: "a", "\\a", "?", "*",
// "[a-f]".
static size_t check_pattern_atom(const char *p)
{
    const char *end;
    if (p[0] == '\\' && p[1] != '\0')
        return 2;
    if (p[0] != '[')
        return 1;
    // A bracket right behind the opening one, or behind its negation, is a member.
    end = p + 1;
    end += *end == '!' || *end == '^';
    end = *end != '\0' ? strchr(end + 1, ']') : NULL;
    return end ? (size_t)(end - p) + 1 : 1;
}

// Whether the character of a GUID at that place can fit the atom.
static bool check_pattern_atom_fits(const char *atom, size_t length, size_t place)
{
    char one[FILTER_PATTERN_SIZE];
    const char *digits = place == 0 ? "0" : place == 1 ? "x" : "0123456789abcdef";
    memcpy(one, atom, length);
    one[length] = '\0';
    for (; *digits != '\0'; digits++) {
        if (fnmatch(one, (char[]){*digits, '\0'}, 0) == 0)
            return true;
    }
    return false;
}

// Whether some GUID fits the pattern, which is not longer than FILTER_PATTERN_SIZE. `at` has a bit
// for each number of characters that the pattern so far can stand for.
static bool check_pattern_fits_guid(const char *pattern)
{
    uint32_t at = 1;
    for (size_t length; *pattern != '\0'; pattern += length) {
        uint32_t next = 0;
        length = check_pattern_atom(pattern);
        for (size_t i = 0; i <= GUID_LENGTH; i++) {
            if (!(at & 1U << i))
                continue;
            if (*pattern == '*')
                next |= ~0U << i;
            else if (i < GUID_LENGTH && check_pattern_atom_fits(pattern, length, i))
                next |= 1U << (i + 1);
        }
        at = next & ((2U << GUID_LENGTH) - 1);
    }
    return at & 1U << GUID_LENGTH;
}

bool check_guid_pattern(const char *value, struct error *reason)
{
    return strlen(value) >= FILTER_PATTERN_SIZE || check_pattern_fits_guid(value) ||
           error_set(reason, "no GUID fits it: write 0x and 16 lower-case digits, such as "
                             "0x0002c903000e1234, or a part of them with *");
}

// Whether the pattern has a sign that only a regular expression needs. '.', '(' and '+' may be in
// names.
static bool check_pattern_is_regular_expression(const char *value)
{
    size_t length = strlen(value);
    for (const char *p = value; *p != '\0'; p++) {
        if (*p == '|' || (*p == '\\' && p[1] != '\0' && strchr("dsw", p[1])) ||
            ((*p == ']' || *p == ')') && (p[1] == '+' || p[1] == '{')))
            return true;
    }
    return value[0] == '^' || (length > 1 && value[length - 1] == '$');
}

// Whether the text is a GUID in the form of another program: "0x0002c903000e1234",
// "0002:c903:000e:1234" or "00:02:c9:03:00:0e:12:34", perhaps with stars.
static bool check_pattern_is_guid(const char *value)
{
    const char *colon = strchr(value, ':');
    const bool groups = colon && strchr(colon + 1, ':') &&
                        strspn(value, "0123456789abcdefABCDEF:*?") == strlen(value);
    return groups || (strncmp(value, "0x", 2) == 0 && strlen(value) == GUID_LENGTH &&
                      strspn(value + 2, "0123456789abcdefABCDEF*?") == GUID_LENGTH - 2);
}

bool check_host_pattern(const char *value, struct error *reason)
{
    return node_name_is_pattern(value) ||
           error_set(reason,
                     "must have one %%h, the name of the host, and may have %%d at its end");
}

bool check_node_pattern(const char *value, struct error *reason)
{
    if (check_pattern_is_regular_expression(value))
        return error_set(reason, "looks like a regular expression: a pattern has *, ? and [a-z] "
                                 "only, and other characters stand for themselves");
    return !check_pattern_is_guid(value) ||
           error_set(reason, "looks like a GUID, and these are patterns of names: put it into item "
                             "'guids', as 0x and 16 digits");
}

bool check_any_pattern(const char *value, struct error *reason)
{
    if (strncmp(value, "0x", 2) == 0)
        return check_guid_pattern(value, reason);
    if (check_pattern_is_guid(value))
        return error_set(reason, "looks like a GUID: write it as 0x and 16 digits");
    return check_node_pattern(value, reason);
}
