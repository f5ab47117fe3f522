// SPDX-License-Identifier: BSD-2-Clause
#include "sink/tls.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/secret.h"
#include "base/text.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct tls_options tls_options_of(const struct conf_tls *conf, struct log *log)
{
    return (struct tls_options){.ca_file = conf->ca_file,
                                .crl_file = conf->crl_file,
                                .cert_file = conf->certificate_file,
                                .key_file = conf->key_file,
                                .name = conf->server_name,
                                .log = log};
}

const char *tls_files_reason(void)
{
    unsigned long code = ERR_get_error();
    ERR_clear_error();
    if (code == 0)
        return errno ? strerror(errno) : "the connection ended";
    if (ERR_GET_LIB(code) == ERR_LIB_SYS) // OpenSSL 1.1.1 has no ERR_SYSTEM_ERROR
        return strerror((int)ERR_GET_REASON(code));
    const char *text = ERR_reason_error_string(code);
    return text ? text : "unknown error";
}

// Keeps OpenSSL from asking the terminal for a password.
static int tls_files_no_password(char *out, int size, int writing, void *ctx)
{
    (void)out, (void)size, (void)writing, (void)ctx;
    return 0;
}

// A file's content in memory: OpenSSL itself would wait for the writer of a FIFO, and read a device
// without end.
struct tls_content {
    char *octets;
    size_t size;
    BIO *bio;
};

// `octets`: the content; NULL if it could not be read.
static bool tls_files_take(struct tls_content *content, char *octets)
{
    ERR_clear_error();
    errno = 0;
    content->octets = octets;
    if (octets)
        content->bio = memory_need(BIO_new_mem_buf(octets, (int)content->size));
    return octets;
}

static bool tls_files_open(struct tls_content *content, const char *file, struct error *err)
{
    *content = (struct tls_content){0};
    return tls_files_take(content, regular_file_read(file, TLS_FILE_MAX, &content->size, err));
}

static void tls_files_close(struct tls_content *content)
{
    BIO_free(content->bio);
    secret_free(content->octets, content->size); // the key may stand beside its certificate
    ERR_clear_error();
}

// Adds the certificates, or the lists, of a file to what peers' certificates are verified with.
// Returns their number; -1: OpenSSL has an error.
static int tls_files_add(X509_STORE *store, BIO *from, bool certificates)
{
    STACK_OF(X509_INFO) *all = PEM_X509_INFO_read_bio(from, NULL, tls_files_no_password, NULL);
    int n = all ? 0 : -1;
    for (int i = 0; n >= 0 && i < sk_X509_INFO_num(all); i++) {
        const X509_INFO *one = sk_X509_INFO_value(all, i);
        bool has = certificates ? one->x509 != NULL : one->crl != NULL;
        bool ok = (!certificates || !one->x509 || X509_STORE_add_cert(store, one->x509) == 1) &&
                  (!one->crl || X509_STORE_add_crl(store, one->crl) == 1);
        n = ok ? n + has : -1;
    }
    sk_X509_INFO_pop_free(all, X509_INFO_free);
    return n;
}

static bool tls_files_trust(SSL_CTX *context, const char *file, bool certificates,
                            struct error *err)
{
    struct tls_content content;
    const char *what = certificates ? "certificate authorities" : "revocation lists";
    bool ok = tls_files_open(&content, file, err) || error_prefix(err, "cannot load the %s", what);
    int n = ok ? tls_files_add(SSL_CTX_get_cert_store(context), content.bio, certificates) : -1;
    if (ok && n < 0)
        error_set(err, "cannot load the %s in %s: %s", what, file, tls_files_reason());
    else if (ok && n == 0)
        error_set(err, "cannot load the %s in %s: there is no %s in PEM in it", what, file,
                  certificates ? "certificate" : "list of revoked certificates");
    tls_files_close(&content);
    return n > 0;
}

static bool tls_load_authorities(SSL_CTX *context, const char *file, struct error *err)
{
    if (file[0] == '\0')
        return SSL_CTX_set_default_verify_paths(context) == 1 ||
               error_set(err, "cannot load the system's certificate authorities: %s",
                         tls_files_reason());
    return tls_files_trust(context, file, true, err) || error_prefix(err, "item 'ca_file'");
}

static bool tls_load_revoked(SSL_CTX *context, const char *file, struct error *err)
{
    if (file[0] == '\0')
        return true;
    X509_STORE *store = SSL_CTX_get_cert_store(context);
    X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
    return tls_files_trust(context, file, false, err) || error_prefix(err, "item 'crl_file'");
}

// Takes the first certificate for our own, and those behind it for its chain.
static bool tls_files_use_chain(SSL_CTX *context, BIO *from)
{
    X509 *one = PEM_read_bio_X509_AUX(from, NULL, tls_files_no_password, NULL);
    bool ok = one && SSL_CTX_use_certificate(context, one) == 1;
    X509_free(one);
    while (ok && (one = PEM_read_bio_X509(from, NULL, tls_files_no_password, NULL))) {
        ok = SSL_CTX_add0_chain_cert(context, one) == 1;
        if (!ok)
            X509_free(one);
    }
    return ok && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

static bool tls_load_certificate(SSL_CTX *context, const char *file, struct error *err)
{
    struct tls_content content;
    bool ok =
        tls_files_open(&content, file, err)
            ? tls_files_use_chain(context, content.bio) ||
                  error_set(err, "cannot load the certificate in %s: %s", file, tls_files_reason())
            : error_prefix(err, "cannot load the certificate");
    tls_files_close(&content);
    return ok || error_prefix(err, "item 'certificate_file'");
}

static bool tls_files_names_key(const struct tls_content *content)
{
    static const char WORDS[] = "PRIVATE KEY-----";
    return content->octets && memmem(content->octets, content->size, WORDS, sizeof WORDS - 1);
}

static bool tls_files_use_key(SSL_CTX *context, const struct tls_content *content, const char *file,
                              struct error *err)
{
    EVP_PKEY *key = PEM_read_bio_PrivateKey(content->bio, NULL, tls_files_no_password, NULL);
    bool none = !key && !tls_files_names_key(content);
    bool used = key && SSL_CTX_use_PrivateKey(context, key) == 1;
    bool ok = used && SSL_CTX_check_private_key(context) == 1; // the kinds may differ, too
    bool other = key && !ok && (used || ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_X509);
    EVP_PKEY_free(key);
    if (none)
        return error_set(err, "cannot load the key in %s: there is no private key in PEM in it",
                         file);
    if (other)
        return error_set(err, "cannot load the key in %s: it is not the key of the certificate",
                         file);
    return ok || error_set(err, "cannot load the key in %s: %s", file, tls_files_reason());
}

// Whether a file that others may read has a key at all, before anybody is told to guard it.
static bool tls_files_has_key(const char *file, struct error *err)
{
    struct tls_content content;
    bool has = tls_files_open(&content, file, err) && tls_files_names_key(&content);
    if (content.bio && !has)
        error_set(err, "there is no private key in %s: item 'key_file' says where it is", file);
    tls_files_close(&content);
    return has;
}

static bool tls_load_key(SSL_CTX *context, const struct tls_options *o, struct error *err)
{
    struct tls_content content = {0};
    const char *file = o->key_file[0] ? o->key_file : o->cert_file;
    if (!o->key_file[0] && !tls_files_has_key(file, err))
        return error_prefix(err, "item 'certificate_file'");
    bool ok = tls_files_take(&content, secret_read_file(file, &content.size, err))
                  ? tls_files_use_key(context, &content, file, err)
                  : error_prefix(err, "cannot load the key");
    tls_files_close(&content);
    return ok || error_prefix(err, "item '%s'", o->key_file[0] ? "key_file" : "certificate_file");
}

bool tls_files_load(struct ssl_ctx_st *context, const struct tls_options *options,
                    struct error *err)
{
    return tls_load_authorities(context, options->ca_file, err) &&
           tls_load_revoked(context, options->crl_file, err) &&
           (options->cert_file[0] == '\0' ||
            (tls_load_certificate(context, options->cert_file, err) &&
             tls_load_key(context, options, err)));
}

bool tls_files_check(const struct tls_options *options, struct error *err)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context)
        return error_set(err, "cannot prepare TLS: %s", tls_files_reason());
    bool ok = tls_files_load(context, options, err);
    SSL_CTX_free(context);
    ERR_clear_error();
    return ok;
}

// Size of a handshake datagram, which fits every path.
enum { HANDSHAKE_MTU = 1200 };

struct tls {
    SSL_CTX *context;
    SSL *ssl;
    bool datagrams;
    bool dry;          // all received data has been read
    bool judging;      // the peer may still refuse our certificate
    size_t readable;   // octets that this call may still read from the socket
    int64_t deadline;  // monotonic: of the handshake
    int64_t agreed_at; // monotonic
    const char *name;  // points into the options
};

// Watches the handshake of TLS 1.3: a server that requests a certificate sends no session ticket
// before it has verified that certificate (RFC 8446 4.6.1).
static void tls_watch(int written, int version, int type, const void *octets, size_t size, SSL *ssl,
                      void *self)
{
    (void)ssl;
    struct tls *t = self;
    const uint8_t *message = octets;
    if (written || version != TLS1_3_VERSION || type != SSL3_RT_HANDSHAKE || size == 0)
        return;
    if (message[0] == SSL3_MT_CERTIFICATE_REQUEST)
        t->judging = true;
    else if (message[0] == SSL3_MT_NEWSESSION_TICKET)
        t->judging = false;
}

static bool tls_prepare(struct tls *t, const struct tls_options *o, struct error *err)
{
    t->context = SSL_CTX_new(t->datagrams ? DTLS_client_method() : TLS_client_method());
    if (!t->context)
        return error_set(err, "cannot prepare TLS: %s", tls_files_reason());
    SSL_CTX_set_min_proto_version(t->context, t->datagrams ? DTLS1_2_VERSION : TLS1_2_VERSION);
    SSL_CTX_set_verify(t->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(t->context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_msg_callback(t->context, tls_watch);
    SSL_CTX_set_msg_callback_arg(t->context, t);
    return tls_files_load(t->context, o, err);
}

static bool tls_expect_name(SSL *ssl, const char *name)
{
    if (text_is_ip_address(name))
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

static bool tls_is_datagram_socket(int fd)
{
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM;
}

static bool tls_set_datagram_socket(SSL *ssl, int fd)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    BIO *bio = BIO_new_dgram(fd, BIO_NOCLOSE);
    if (!bio || getpeername(fd, (struct sockaddr *)&peer, &size) != 0) {
        BIO_free(bio);
        return false;
    }
    BIO_ctrl_set_connected(bio, &peer);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_options(ssl, SSL_OP_NO_QUERY_MTU);
    return SSL_set_mtu(ssl, HANDSHAKE_MTU) > 0;
}

static bool tls_set_socket(const struct tls *t, int fd)
{
    return t->datagrams ? tls_set_datagram_socket(t->ssl, fd) : SSL_set_fd(t->ssl, fd) == 1;
}

// Refuses to read after the octets of one call, or after the time of the handshake. OpenSSL itself
// goes on inside a call while octets without data come.
static long tls_limit(BIO *bio, int operation, const char *octets, size_t size, int argi, long argl,
                      int result, size_t *done)
{
    (void)octets, (void)size, (void)argi, (void)argl;
    struct tls *t = (struct tls *)BIO_get_callback_arg(bio);
    if (operation == (BIO_CB_READ | BIO_CB_RETURN) && result > 0)
        t->readable -= *done < t->readable ? *done : t->readable;
    bool over = operation == BIO_CB_READ && (t->readable == 0 || clock_now() >= t->deadline);
    if (over)
        BIO_clear_retry_flags(bio);
    return over ? -1 : result;
}

static short tls_wanted_events(const SSL *ssl, int rc)
{
    switch (SSL_get_error(ssl, rc)) {
    case SSL_ERROR_WANT_READ:
        return POLLIN;
    case SSL_ERROR_WANT_WRITE:
        return POLLOUT;
    default:
        return 0;
    }
}

static bool tls_refuse_peer(const struct tls *t, struct error *err)
{
    long verdict = SSL_get_verify_result(t->ssl);
    if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
        ERR_clear_error();
        return error_set(err, "its certificate is not for '%s'", t->name);
    }
    if (verdict != X509_V_OK) {
        ERR_clear_error();
        return error_set(err, "its certificate is not valid: %s",
                         X509_verify_cert_error_string(verdict));
    }
    if (t->readable == 0)
        error_set(err, "cannot agree on TLS: it sends more than a handshake needs");
    else if (clock_now() >= t->deadline)
        error_set(err, "cannot agree on TLS: no answer");
    else
        error_set(err, "cannot agree on TLS: %s", tls_files_reason());
    ERR_clear_error();
    return false;
}

// False: the deadline has passed.
static bool tls_wait_for(int fd, short events, int64_t until, int64_t deadline)
{
    int64_t now = clock_now(), left = (until < deadline ? until : deadline) - now;
    struct pollfd p = {.fd = fd, .events = events};
    if (left > 0)
        poll(&p, 1, (int)(left / CLOCK_US_PER_MS) + 1);
    return clock_now() < deadline;
}

// The time at which to send unanswered handshake datagrams again.
static int64_t tls_next_try(SSL *ssl, int64_t deadline)
{
    struct timeval left;
    if (!SSL_is_dtls(ssl) || !DTLSv1_get_timeout(ssl, &left))
        return deadline;
    return clock_now() + left.tv_sec * CLOCK_US_PER_S + left.tv_usec;
}

static bool tls_handshake(struct tls *t, int fd, int64_t deadline, struct error *err)
{
    BIO *bio = SSL_get_rbio(t->ssl);
    t->readable = TLS_READ_MAX;
    t->deadline = deadline;
    BIO_set_callback_arg(bio, (char *)t);
    BIO_set_callback_ex(bio, tls_limit);
    for (;;) {
        errno = 0;
        int rc = SSL_connect(t->ssl);
        if (rc == 1)
            return true;
        short events = tls_wanted_events(t->ssl, rc);
        if (events == 0)
            return tls_refuse_peer(t, err);
        if (!tls_wait_for(fd, events, tls_next_try(t->ssl, deadline), deadline))
            return error_set(err, "cannot agree on TLS: no answer");
        if (t->datagrams)
            DTLSv1_handle_timeout(t->ssl);
    }
}

// `problem`: why the handshake failed; NULL: it succeeded.
static void tls_log_handshake(const struct tls *t, const struct tls_options *options,
                              const char *problem)
{
    if (problem)
        log_debug(options->log, "TLS with '%s': %s", options->name, problem);
    else
        log_debug(options->log, "TLS with '%s': agreed on %s, %s, %s a certificate of ours",
                  options->name, SSL_get_version(t->ssl), SSL_get_cipher_name(t->ssl),
                  options->cert_file[0] ? "with" : "without");
}

struct tls *tls_open(int fd, const struct tls_options *options, int64_t deadline, struct error *err)
{
    struct tls *t = memory_zeroed(1, sizeof *t);
    int reason = 0;
    ERR_clear_error();
    t->name = options->name;
    t->datagrams = tls_is_datagram_socket(fd);
    bool ok = tls_prepare(t, options, err);
    if (ok) {
        t->ssl = SSL_new(t->context);
        ok = t->ssl && tls_set_socket(t, fd) && tls_expect_name(t->ssl, options->name);
        bool ready = ok || error_set(err, "cannot prepare TLS: %s", tls_files_reason());
        ok = ready && tls_handshake(t, fd, deadline, err);
        reason = ready && !ok ? errno : 0;
    }
    t->agreed_at = clock_now();
    t->deadline = INT64_MAX;
    tls_log_handshake(t, options, ok ? NULL : err->text);
    if (ok)
        return t;
    SSL_free(t->ssl);
    SSL_CTX_free(t->context);
    free(t);
    errno = reason;
    return NULL;
}

long tls_write(struct tls *tls, const void *octets, size_t size, short *events, struct error *err)
{
    size_t n = 0;
    errno = 0;
    tls->readable = TLS_READ_MAX;
    int rc = SSL_write_ex(tls->ssl, octets, size, &n);
    if (rc == 1)
        return (long)n;
    *events = tls_wanted_events(tls->ssl, rc);
    if (*events != 0)
        return 0;
    error_set(err, "the connection broke: %s", tls_files_reason());
    return -1;
}

long tls_send(struct tls *tls, int fd, const void *octets, size_t size, short *events,
              struct error *err)
{
    if (tls)
        return tls_write(tls, octets, size, events, err);
    const ssize_t n = send(fd, octets, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    const int problem = errno;
    *events = POLLOUT;
    if (n >= 0 || problem == EAGAIN || problem == EINTR)
        return n >= 0 ? n : 0;
    error_set(err, "the connection broke: %s", strerror(problem));
    errno = problem;
    return -1;
}

// As tls_read, with SSL_read_ex or SSL_peek_ex.
static long tls_read_records(struct tls *t, int (*read)(SSL *, void *, size_t, size_t *), void *out,
                             size_t size, struct error *err)
{
    size_t n = 0;
    errno = 0;
    t->readable = TLS_READ_MAX;
    int rc = read(t->ssl, out, size, &n);
    t->dry = rc != 1;
    t->judging = t->judging && rc != 1;
    if (rc == 1)
        return (long)n;
    if (tls_wanted_events(t->ssl, rc) != 0)
        return 0;
    if (SSL_get_error(t->ssl, rc) == SSL_ERROR_ZERO_RETURN)
        error_set(err, "it closed the connection");
    else if (t->readable == 0)
        error_set(err, "it sends more than it was asked for");
    else
        error_set(err, "the connection broke: %s", tls_files_reason());
    ERR_clear_error();
    return -1;
}

long tls_read(struct tls *tls, void *out, size_t size, struct error *err)
{
    return tls_read_records(tls, SSL_read_ex, out, size, err);
}

bool tls_pending(const struct tls *tls)
{
    return !tls->dry && SSL_has_pending(tls->ssl);
}

bool tls_is_connected(struct tls *tls, struct error *err)
{
    char octet;
    return tls_read_records(tls, SSL_peek_ex, &octet, 1, err) >= 0;
}

bool tls_accepted(const struct tls *tls)
{
    return !tls->judging || clock_now() - tls->agreed_at >= TLS_ACCEPT_WAIT_US;
}

uint64_t tls_written(const struct tls *tls)
{
    return BIO_number_written(SSL_get_wbio(tls->ssl));
}

void tls_close(struct tls *tls)
{
    SSL_shutdown(tls->ssl);
    ERR_clear_error();
    SSL_free(tls->ssl);
    SSL_CTX_free(tls->context);
    free(tls);
}
