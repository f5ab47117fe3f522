// SPDX-License-Identifier: BSD-2-Clause
#include "http/transfer.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/secret.h"
#include "base/text.h"
#include "http/hide.h"
#include "install.h"
#include "sink/answers.h"
#include "sink/resolve.h"

#include <curl/curl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

// Older libcurls name the protocols by bits. Newer libcurls complain about the bits.
#if LIBCURL_VERSION_NUM >= 0x075500
#define TRANSFER_PROTOCOLS_OPTION CURLOPT_PROTOCOLS_STR
#define TRANSFER_PROTOCOLS        "http,https"
#else
#define TRANSFER_PROTOCOLS_OPTION CURLOPT_PROTOCOLS
#define TRANSFER_PROTOCOLS        (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)
#endif

enum {
    HOST_SIZE = 256,
    ZONE_SIZE = 32,
    PEER_SIZE = HOST_SIZE + ZONE_SIZE + 32,
    SECRET_SIZE = 8192,
    BASIC_SIZE = 2 * SECRET_SIZE,
    URL_SIZE = 2048 + PEER_SIZE,
    ANSWER_FIRST = 4096,
    ANSWER_TAKES = 16, // octets of memory for each octet of a body and the tree of its values
    // zlib's window of 32 KiB, with the header of gzip (RFC 1952); its usual memory.
    GZIP_WINDOW = 15 + 16,
    GZIP_MEMORY = 8,
};

// Where the URL leads.
struct place {
    char host[HOST_SIZE]; // an IPv6 address without brackets
    char zone[ZONE_SIZE]; // the interface that an IPv6 address is of; empty: none is said
    uint16_t port;
    bool tls;
};

struct transfer {
    const struct transfer_options *options;
    struct place place;
    int64_t old_at;       // monotonic: when it is old
    char peer[PEER_SIZE]; // scheme, host and port, for sentences
    char root[PEER_SIZE]; // the same with the certificate's name as the host, for libcurl
    char host_header[PEER_SIZE];
    char secret[SECRET_SIZE]; // the password, or the header with the token; empty: none
    size_t prefix;            // octets of the header before the token
    char basic[BASIC_SIZE];   // what goes over the network of user and password; empty: none
    char header[SECRET_SIZE]; // of header_file; empty: none

    CURLM *multi;
    CURL *easy;
    struct curl_slist *addresses, *detour; // of the host; from the certificate's name to it
    struct curl_slist *headers;            // of the request under way
    void *packed;                          // the body under way, by gzip; NULL: it is not packed
    size_t packed_size;
    char reason[CURL_ERROR_SIZE];
    struct error problem; // of a callback; empty: none
    int timeout_ms;       // of the request under way

    char *body;
    size_t size, room, header_octets;
    struct answers answers; // what the body takes
    bool cut;
    bool whole; // the headers came to their end
    // Of the headers, 0 if they lack it: Date in UTC seconds; Retry-After in seconds, or as a date.
    int64_t date, retry_after, retry_date;
};

// The URL.

// Returns a part of the URL, for curl_free, or NULL if the URL does not have it.
static char *transfer_part(CURLU *url, CURLUPart part)
{
    char *value = NULL;
    const CURLUcode code =
        curl_url_get(url, part, &value, part == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0);
    if (code == CURLUE_OUT_OF_MEMORY)
        memory_end();
    return code == CURLUE_OK ? value : NULL;
}

static bool transfer_read_host(CURLU *url, struct place *out)
{
    char *host = transfer_part(url, CURLUPART_HOST);
    char *port = transfer_part(url, CURLUPART_PORT);
    char *scheme = transfer_part(url, CURLUPART_SCHEME);
    bool ok = host && port && scheme;
    if (ok) {
        const size_t n = strlen(host);
        const bool bracketed = n > 2 && host[0] == '[';
        snprintf(out->host, sizeof out->host, "%.*s", (int)(bracketed ? n - 2 : n),
                 host + bracketed);
        out->port = (uint16_t)strtoul(port, NULL, 10);
        out->tls = strcmp(scheme, "https") == 0;
        ok = n < sizeof out->host && out->port != 0 && (out->tls || strcmp(scheme, "http") == 0);
    }
    curl_free(host);
    curl_free(port);
    curl_free(scheme);
    return ok;
}

// Reads the zone of an IPv6 address (RFC 6874). Returns false if the zone is too long.
static bool transfer_read_zone(CURLU *url, struct place *out)
{
    char *zone = transfer_part(url, CURLUPART_ZONEID);
    const int length = snprintf(out->zone, sizeof out->zone, "%s", zone ? zone : "");
    curl_free(zone);
    return (size_t)length < sizeof out->zone;
}

// No sentence shows the URL, because the URL may have a secret in it.
static bool transfer_read_url(const char *text, struct place *out, struct error *err)
{
    CURLU *url = memory_need(curl_url());
    bool ok = strlen(text) < URL_SIZE - PEER_SIZE &&
              curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
              transfer_read_host(url, out) && transfer_read_zone(url, out);
    if (!ok)
        error_set(err, "'url' must be an http or https URL, such as https://host:8088/path");
    curl_url_cleanup(url);
    return ok;
}

static void transfer_write_root(char out[PEER_SIZE], const struct place *place, const char *host,
                                const char *zone)
{
    const bool bracket = strchr(host, ':') != NULL;
    snprintf(out, PEER_SIZE, "%s://%s%s%s%s%s:%u", place->tls ? "https" : "http",
             bracket ? "[" : "", host, zone[0] ? "%25" : "", zone, bracket ? "]" : "", place->port);
}

// Opening.

static CURLcode transfer_initialised = CURLE_FAILED_INIT;

static void transfer_initialise(void)
{
    transfer_initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
}

static bool transfer_has_library(struct error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, transfer_initialise);
    return transfer_initialised == CURLE_OK ||
           error_set(err, "libcurl cannot start: %s", curl_easy_strerror(transfer_initialised));
}

struct transfer_options transfer_options_of(const struct conf_receiver *receiver, const char *url,
                                            const char *scheme)
{
    return (struct transfer_options){.url = url,
                                     .tls = tls_options_of(&receiver->tls, NULL),
                                     .access = &receiver->http_access,
                                     .scheme = scheme,
                                     .renew_ms = TRANSFER_RENEW_MS};
}

bool transfer_check(const struct transfer_options *options, struct error *err)
{
    struct place place;
    return transfer_has_library(err) && transfer_read_url(options->url, &place, err);
}

static void transfer_add(struct curl_slist **list, const char *text)
{
    *list = memory_need(curl_slist_append(*list, text));
}

// Looks up the host's addresses for libcurl, whose own look-up may take long.
static bool transfer_look_up(struct transfer *t, struct error *err)
{
    struct resolve_address all[RESOLVE_MAX];
    char line[HOST_SIZE + RESOLVE_MAX * sizeof all->text + 16];
    struct text entry = text_in(line, sizeof line);
    if (text_is_ip_address(t->place.host))
        return true;
    const size_t n = resolve_all(t->place.host, t->place.port, RESOLVE_AS_FOUND, all, err);
    if (n == 0)
        return error_prefix(err, "%s", t->peer);
    text_addf(&entry, "%s:%u:", t->place.host, t->place.port);
    for (size_t i = 0; i < n; i++)
        text_addf(&entry, "%s%s", i > 0 ? "," : "", all[i].text);
    transfer_add(&t->addresses, line);
    return true;
}

// Reads a file behind the `prefix` octets that `out` has already.
static bool transfer_read_secret(char out[SECRET_SIZE], size_t prefix, const char *item,
                                 const char *file, struct error *err)
{
    if (!secret_read_line(file, out + prefix, SECRET_SIZE - prefix, err))
        return error_prefix(err, "item '%s'", item);
    for (const char *p = out; *p; p++) {
        if ((unsigned char)*p < ' ' || *p == '\x7f')
            return error_set(err, "item '%s': the first line of '%s' has a control character in it",
                             item, file);
    }
    return true;
}

static bool transfer_read_secrets(struct transfer *t, struct error *err)
{
    const struct conf_http_access *o = t->options->access;
    if (o->header_file[0] &&
        !transfer_read_secret(t->header, 0, "header_file", o->header_file, err))
        return false;
    if (o->password_file[0]) {
        if (!transfer_read_secret(t->secret, 0, "password_file", o->password_file, err))
            return false;
        hide_write_basic(t->basic, sizeof t->basic, o->user, t->secret);
    } else if (o->token_file[0]) {
        t->prefix =
            (size_t)snprintf(t->secret, sizeof t->secret, "Authorization: %s ", t->options->scheme);
        return transfer_read_secret(t->secret, t->prefix, "token_file", o->token_file, err);
    }
    return true;
}

// libcurl reads the key itself without a look at who may read the file, and waits for a FIFO.
static CURLcode transfer_load_tls(CURL *easy, void *context, void *self)
{
    struct transfer *t = self;
    (void)easy;
    return tls_files_load(context, &t->options->tls, &t->problem) ? CURLE_OK
                                                                  : CURLE_SSL_CERTPROBLEM;
}

static bool transfer_set_tls(struct transfer *t)
{
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(t->easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
#endif
    return curl_easy_setopt(t->easy, CURLOPT_CAINFO, NULL) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_CAPATH, NULL) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) ==
               CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_SSL_CTX_FUNCTION, transfer_load_tls) == CURLE_OK &&
           curl_easy_setopt(t->easy, CURLOPT_SSL_CTX_DATA, t) == CURLE_OK;
}

// What comes in.

// Makes room for the answer's first `size` octets and a NUL. False: the answers of all peers take
// too much, and this answer more than its part.
static bool transfer_make_room(struct transfer *t, size_t size)
{
    size_t room = t->room > 0 ? t->room : ANSWER_FIRST;
    while (room <= size)
        room *= 2;
    answers_add(&t->answers, (room - t->room) * ANSWER_TAKES);
    t->body = memory_resize(t->body, room, 1);
    t->room = room;
    return !answers_are_beyond(&t->answers, ANSWERS_MAX);
}

static void transfer_drop_body(struct transfer *t)
{
    free(t->body);
    t->body = NULL;
    t->size = t->room = 0;
    answers_drop(&t->answers);
}

static size_t transfer_on_body(char *octets, size_t one, size_t n, void *self)
{
    struct transfer *t = self;
    (void)one;
    const size_t left = t->options->answer_max - t->size;
    size_t take = n < left ? n : left;
    if (t->size + take >= t->room && !transfer_make_room(t, t->size + take))
        take = 0;
    memcpy(t->body + t->size, octets, take);
    t->size += take;
    t->cut = take < n;
    return take; // fewer than all end the exchange
}

// Compares the name of a header, such as "Date:". Copies the header's value of up to 63 octets.
static bool transfer_header_is(const char *header, size_t n, const char *name, char value[64])
{
    const size_t length = strlen(name);
    if (n <= length || n - length >= 64 || strncasecmp(header, name, length) != 0)
        return false;
    snprintf(value, 64, "%.*s", (int)(n - length), header + length);
    return true;
}

// 0: it is no date.
static int64_t transfer_read_date(const char *value)
{
    const time_t when = curl_getdate(value, NULL);
    return when > 0 ? when : 0;
}

// Seconds, or a date (RFC 9110 10.2.3).
static void transfer_note_retry(struct transfer *t, const char *value)
{
    value += strspn(value, " \t");
    const size_t digits = strspn(value, "0123456789");
    const bool is_seconds = digits > 0 && value[digits + strspn(value + digits, " \t\r\n")] == '\0';
    t->retry_after = is_seconds && digits < 19 ? strtoll(value, NULL, 10) : 0;
    t->retry_date = is_seconds ? 0 : transfer_read_date(value);
}

static size_t transfer_on_header(char *octets, size_t one, size_t n, void *self)
{
    struct transfer *t = self;
    char value[64];
    (void)one;
    t->header_octets += n;
    if (t->header_octets > TRANSFER_HEADERS_MAX) {
        error_set(&t->problem, "its headers are longer than %d octets", (int)TRANSFER_HEADERS_MAX);
        return 0;
    }
    if (n > 5 && strncmp(octets, "HTTP/", 5) == 0)
        t->whole = false; // another answer, behind one of 1xx
    if (n > 0 && (octets[0] == '\r' || octets[0] == '\n'))
        t->whole = true;
    if (transfer_header_is(octets, n, "Date:", value))
        t->date = transfer_read_date(value);
    else if (transfer_header_is(octets, n, "Retry-After:", value))
        transfer_note_retry(t, value);
    return n;
}

static bool transfer_set(struct transfer *t)
{
    CURL *e = t->easy;
    const struct conf_http_access *o = t->options->access;
    bool ok = curl_easy_setopt(e, TRANSFER_PROTOCOLS_OPTION, TRANSFER_PROTOCOLS) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_PROXY, "") == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_USERAGENT, "ibtrapd/" INSTALL_VERSION) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->reason) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, transfer_on_body) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_WRITEDATA, t) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, transfer_on_header) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_HEADERDATA, t) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_RESOLVE, t->addresses) == CURLE_OK &&
              curl_easy_setopt(e, CURLOPT_CONNECT_TO, t->detour) == CURLE_OK &&
              (!t->place.tls || transfer_set_tls(t));
    if (ok && o->password_file[0])
        ok = curl_easy_setopt(e, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC) == CURLE_OK &&
             curl_easy_setopt(e, CURLOPT_USERNAME, o->user) == CURLE_OK &&
             curl_easy_setopt(e, CURLOPT_PASSWORD, t->secret) == CURLE_OK;
    return ok;
}

// Of a certificate with another name than the host's, the URL gets the name, and the connection
// goes to the host.
static void transfer_name(struct transfer *t)
{
    const char *name = t->place.tls ? t->options->tls.name : "";
    char detour[PEER_SIZE], bare[PEER_SIZE];
    transfer_write_root(t->peer, &t->place, t->place.host, t->place.zone);
    if (name[0] == '\0') {
        memcpy(t->root, t->peer, sizeof t->root);
        return;
    }
    transfer_write_root(t->root, &t->place, name, "");
    // A zone is this machine's own word; no request has it.
    transfer_write_root(bare, &t->place, t->place.host, "");
    snprintf(t->host_header, sizeof t->host_header, "Host: %s", strstr(bare, "//") + 2);
    snprintf(detour, sizeof detour, "::%s", strstr(t->peer, "//") + 2);
    transfer_add(&t->detour, detour);
}

static bool transfer_prepare(struct transfer *t, struct error *err)
{
    transfer_name(t);
    if (!transfer_read_secrets(t, err) ||
        (t->place.tls && !tls_files_check(&t->options->tls, err)) || !transfer_look_up(t, err))
        return false;
    t->multi = memory_need(curl_multi_init());
    t->easy = memory_need(curl_easy_init());
    return transfer_set(t) ||
           error_set(err, "libcurl %s lacks what ibtrapd needs, such as TLS by OpenSSL",
                     curl_version_info(CURLVERSION_NOW)->version);
}

static int64_t transfer_age_from_now(const struct transfer_options *options)
{
    uint16_t chance;
    random_system.fill(random_system.ctx, &chance, sizeof chance);
    const int64_t age = options->renew_ms * CLOCK_US_PER_MS;
    return clock_now() + age + age / 4 * chance / UINT16_MAX;
}

struct transfer *transfer_open(const struct transfer_options *options, struct error *err)
{
    struct place place;
    if (!transfer_has_library(err) || !transfer_read_url(options->url, &place, err))
        return NULL;
    struct transfer *t = memory_zeroed(1, sizeof *t);
    t->options = options;
    t->place = place;
    answers_begin(&t->answers);
    t->old_at = transfer_age_from_now(options);
    if (transfer_prepare(t, err))
        return t;
    transfer_close(t);
    return NULL;
}

bool transfer_is_old(const struct transfer *t)
{
    return clock_now() >= t->old_at;
}

bool transfer_renew(struct transfer **t, struct error *err)
{
    struct transfer *next = transfer_open((*t)->options, err);
    if (!next) {
        (*t)->old_at = transfer_age_from_now((*t)->options);
        return false;
    }
    transfer_close(*t);
    *t = next;
    return true;
}

const char *transfer_peer(const struct transfer *t)
{
    return t->peer;
}

void transfer_hide(const struct transfer *t, char *text)
{
    hide_secret(text, t->secret + t->prefix);
    hide_secret(text, t->basic);
    const char *blank = strchr(t->header, ' ');
    hide_secret(text, blank ? blank + 1 : t->header);
}

// Exchanges.

static void transfer_drop_headers(struct transfer *t)
{
    // One of them has the token.
    for (struct curl_slist *h = t->headers; h; h = h->next)
        explicit_bzero(h->data, strlen(h->data));
    curl_slist_free_all(t->headers);
    t->headers = NULL;
}

void transfer_close(struct transfer *t)
{
    if (!t)
        return;
    if (t->easy)
        curl_multi_remove_handle(t->multi, t->easy);
    curl_easy_cleanup(t->easy);
    curl_multi_cleanup(t->multi);
    transfer_drop_headers(t);
    curl_slist_free_all(t->addresses);
    curl_slist_free_all(t->detour);
    free(t->packed);
    transfer_drop_body(t);
    answers_end(&t->answers);
    explicit_bzero(t->secret, sizeof t->secret);
    explicit_bzero(t->basic, sizeof t->basic);
    explicit_bzero(t->header, sizeof t->header);
    free(t);
}

static void transfer_add_header(struct transfer *t, const char *name, const char *value)
{
    char line[CONF_HEADER_SIZE];
    snprintf(line, sizeof line, "%s: %s", name, value);
    transfer_add(&t->headers, line);
}

static void transfer_make_headers(struct transfer *t, const struct transfer_request *r)
{
    const struct transfer_options *o = t->options;
    transfer_drop_headers(t);
    transfer_add_header(t, "Content-Type", r->content_type);
    transfer_add(&t->headers, "Expect:");
    if (t->packed)
        transfer_add_header(t, "Content-Encoding", "gzip");
    if (t->host_header[0])
        transfer_add(&t->headers, t->host_header);
    if (!o->access->password_file[0] && t->secret[0])
        transfer_add(&t->headers, t->secret);
    if (t->header[0])
        transfer_add(&t->headers, t->header);
    if (o->header && o->header[0])
        transfer_add(&t->headers, o->header);
    for (size_t i = 0; i < CONF_HEADERS_MAX; i++) {
        if (o->access->headers[i][0])
            transfer_add(&t->headers, o->access->headers[i]);
    }
}

// Packs the body if the request asks for that.
static void transfer_pack(struct transfer *t, const struct transfer_request *r)
{
    z_stream z = {.next_in = (Bytef *)r->body, .avail_in = (uInt)r->size};
    free(t->packed);
    t->packed = NULL;
    if (!r->gzip || r->size < TRANSFER_GZIP_MIN || r->size > UINT_MAX / 2)
        return;
    if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        memory_end();
    const size_t room = deflateBound(&z, r->size);
    t->packed = z.next_out = memory_get(room);
    z.avail_out = (uInt)room;
    deflate(&z, Z_FINISH); // fits, by deflateBound
    t->packed_size = z.total_out;
    deflateEnd(&z);
}

// The URL's path comes from the options, although the host may be another one.
static bool transfer_set_url(struct transfer *t, const char *path)
{
    char url[URL_SIZE];
    if (!path) {
        const char *host = strstr(t->options->url, "//");
        path = host ? host + 2 + strcspn(host + 2, "/?") : "";
    }
    const int length = snprintf(url, sizeof url, "%s%s", t->root, path);
    return (size_t)length < sizeof url && curl_easy_setopt(t->easy, CURLOPT_URL, url) == CURLE_OK;
}

bool transfer_begin(struct transfer *t, const struct transfer_request *request, struct error *err)
{
    const long timeout = request->timeout_ms;
    const long connect = timeout < TRANSFER_CONNECT_MS ? timeout : TRANSFER_CONNECT_MS;
    t->reason[0] = t->problem.text[0] = '\0';
    t->header_octets = 0;
    transfer_drop_body(t);
    t->cut = t->whole = false;
    t->date = t->retry_after = t->retry_date = 0;
    t->timeout_ms = request->timeout_ms;
    transfer_pack(t, request);
    transfer_make_headers(t, request);
    const curl_off_t size = (curl_off_t)(t->packed ? t->packed_size : request->size);
    const void *octets = t->packed ? t->packed : request->body;
    const bool ok = curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers) == CURLE_OK &&
                    curl_easy_setopt(t->easy, CURLOPT_POST, 1L) == CURLE_OK &&
                    curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, size) == CURLE_OK &&
                    curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, octets) == CURLE_OK &&
                    transfer_set_url(t, request->path) &&
                    curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, timeout) == CURLE_OK &&
                    curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT_MS, connect) == CURLE_OK &&
                    curl_multi_add_handle(t->multi, t->easy) == CURLM_OK;
    return ok || error_set(err, "%s: the path of a request is too long", t->peer);
}

static void transfer_explain_time(struct transfer *t, struct error *err)
{
    curl_off_t connected = 0;
    curl_easy_getinfo(t->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
    if (connected == 0)
        error_set(err, "%s: it does not accept a connection in time", t->peer);
    else
        error_set(err, "%s: it does not answer within %g s", t->peer, t->timeout_ms / 1000.0);
}

static void transfer_explain(struct transfer *t, CURLcode code, struct error *err)
{
    char reason[CURL_ERROR_SIZE];
    long number = 0;
    const char *why = t->reason[0] ? t->reason : curl_easy_strerror(code);
    text_clean(why, strlen(why), reason, sizeof reason);
    transfer_hide(t, reason);
    if (t->problem.text[0]) {
        error_set(err, "%s: %s", t->peer, t->problem.text);
        return;
    }
    switch (code) {
    case CURLE_COULDNT_CONNECT:
        curl_easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
        error_set(err, "%s: cannot connect: %s", t->peer, number ? strerror((int)number) : reason);
        break;
    case CURLE_OPERATION_TIMEDOUT:
        transfer_explain_time(t, err);
        break;
    case CURLE_PEER_FAILED_VERIFICATION:
        error_set(err, "%s: its certificate is not accepted: %s", t->peer, reason);
        break;
    case CURLE_GOT_NOTHING:
        error_set(err, "%s: it ended the connection without an answer", t->peer);
        break;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        error_set(err, "%s: it does not answer as an HTTP server: %s", t->peer, reason);
        break;
    default:
        error_set(err, "%s: the exchange broke off: %s", t->peer, reason);
    }
}

// Returns seconds. A date is by the server's clock.
static int transfer_retry_after(const struct transfer *t)
{
    const int64_t now = t->date != 0 ? t->date : clock_utc(&clock_system) / CLOCK_US_PER_S;
    const int64_t after = t->retry_date != 0 ? t->retry_date - now : t->retry_after;
    if (after <= 0)
        return 0;
    return after < TRANSFER_RETRY_AFTER_MAX ? (int)after : TRANSFER_RETRY_AFTER_MAX;
}

static void transfer_fill(struct transfer *t, struct transfer_answer *out)
{
    long status = 0;
    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    if (t->body)
        t->body[t->size] = '\0';
    *out = (struct transfer_answer){.status = (int)status,
                                    .retry_after = transfer_retry_after(t),
                                    .date = t->date,
                                    .body = t->body ? t->body : "",
                                    .size = t->size,
                                    .cut = t->cut};
}

// Whether the exchange has ended, and how.
static bool transfer_has_ended(struct transfer *t, CURLcode *code)
{
    int more;
    const CURLMsg *m = curl_multi_info_read(t->multi, &more);
    if (!m)
        return false;
    *code = m->data.result;
    curl_multi_remove_handle(t->multi, t->easy);
    return true;
}

int transfer_go_on(struct transfer *t, int timeout_ms, struct transfer_answer *answer,
                   struct error *err)
{
    const int64_t until = clock_now() + timeout_ms * CLOCK_US_PER_MS;
    CURLcode code = CURLE_OK;
    for (;;) {
        int running;
        CURLMcode problem = curl_multi_perform(t->multi, &running);
        if (transfer_has_ended(t, &code))
            break;
        const int64_t left = until - clock_now();
        if (problem == CURLM_OK && left <= 0)
            return 0;
        if (problem == CURLM_OK)
            problem = curl_multi_poll(t->multi, NULL, 0, (int)(left / CLOCK_US_PER_MS) + 1, NULL);
        if (problem != CURLM_OK) {
            curl_multi_remove_handle(t->multi, t->easy);
            error_set(err, "%s: %s", t->peer, curl_multi_strerror(problem));
            return -1;
        }
    }
    // libcurl takes the end of the connection for the end of the headers.
    if (code == CURLE_OK && !t->whole)
        code = CURLE_RECV_ERROR;
    if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && t->cut)) {
        transfer_fill(t, answer);
        return 1;
    }
    transfer_explain(t, code, err);
    return -1;
}
