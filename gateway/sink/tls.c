#include "sink/tls.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

struct tls {
    SSL_CTX *context;
    SSL *ssl;
    const char *name; // the options'
};

// The reason of the oldest error in OpenSSL's queue, which is emptied.
static const char *reason(void)
{
    unsigned long code = ERR_get_error();
    ERR_clear_error();
    if (code == 0)
        return errno ? strerror(errno) : "the connection ended";
    if (ERR_SYSTEM_ERROR(code))
        return strerror((int)ERR_GET_REASON(code));
    const char *text = ERR_reason_error_string(code);
    return text ? text : "unknown error";
}

static bool load_authorities(SSL_CTX *context, const char *file, struct error *err)
{
    if (file[0] == '\0')
        return SSL_CTX_set_default_verify_paths(context) == 1 ||
               error_set(err, "cannot load the system's certificate authorities: %s", reason());
    return SSL_CTX_load_verify_locations(context, file, NULL) == 1 ||
           error_set(err, "cannot load the certificate authorities in %s: %s", file, reason());
}

static bool load_own(SSL_CTX *context, const struct tls_options *o, struct error *err)
{
    const char *key = o->key_file[0] ? o->key_file : o->cert_file;
    if (o->cert_file[0] == '\0')
        return true;
    if (SSL_CTX_use_certificate_chain_file(context, o->cert_file) != 1)
        return error_set(err, "cannot load the certificate in %s: %s", o->cert_file, reason());
    return SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 ||
           error_set(err, "cannot load the key in %s: %s", key, reason());
}

static bool prepare(struct tls *t, const struct tls_options *o, struct error *err)
{
    t->context = SSL_CTX_new(TLS_client_method());
    if (!t->context)
        return error_set(err, "cannot prepare TLS: %s", reason());
    SSL_CTX_set_min_proto_version(t->context, TLS1_2_VERSION);
    SSL_CTX_set_verify(t->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(t->context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return load_authorities(t->context, o->ca_file, err) && load_own(t->context, o, err);
}

static bool is_ip_address(const char *name)
{
    unsigned char address[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

static bool expect_name(SSL *ssl, const char *name)
{
    if (is_ip_address(name))
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

static short wanted(const SSL *ssl, int rc)
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

static bool refuse(const struct tls *t, struct error *err)
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
    return error_set(err, "cannot agree on TLS: %s", reason());
}

static bool wait_for(int fd, short events, int64_t deadline)
{
    int64_t left = deadline - clock_monotonic(&clock_system);
    struct pollfd p = {.fd = fd, .events = events};
    return left > 0 && poll(&p, 1, (int)(left / CLOCK_US_PER_MS) + 1) > 0;
}

static bool handshake(struct tls *t, int fd, int64_t deadline, struct error *err)
{
    for (;;) {
        errno = 0;
        int rc = SSL_connect(t->ssl);
        if (rc == 1)
            return true;
        short events = wanted(t->ssl, rc);
        if (events == 0)
            return refuse(t, err);
        if (!wait_for(fd, events, deadline))
            return error_set(err, "cannot agree on TLS: no answer");
    }
}

struct tls *tls_open(int fd, const struct tls_options *options, int64_t deadline, struct error *err)
{
    struct tls *t = calloc(1, sizeof *t);
    if (!t) {
        error_set(err, "out of memory");
        return NULL;
    }
    ERR_clear_error();
    t->name = options->name;
    bool ok = prepare(t, options, err);
    if (ok) {
        t->ssl = SSL_new(t->context);
        ok = t->ssl && SSL_set_fd(t->ssl, fd) == 1 && expect_name(t->ssl, options->name);
        ok = ok ? handshake(t, fd, deadline, err)
                : error_set(err, "cannot prepare TLS: %s", reason());
    }
    if (ok)
        return t;
    SSL_free(t->ssl);
    SSL_CTX_free(t->context);
    free(t);
    return NULL;
}

long tls_write(struct tls *tls, const void *octets, size_t size, short *events, struct error *err)
{
    size_t n = 0;
    errno = 0;
    int rc = SSL_write_ex(tls->ssl, octets, size, &n);
    if (rc == 1)
        return (long)n;
    *events = wanted(tls->ssl, rc);
    if (*events != 0)
        return 0;
    error_set(err, "the connection broke: %s", reason());
    return -1;
}

bool tls_drain(struct tls *tls, struct error *err)
{
    char forgotten[4096];
    size_t n;
    for (;;) {
        errno = 0;
        int rc = SSL_read_ex(tls->ssl, forgotten, sizeof forgotten, &n);
        if (rc == 1)
            continue;
        if (wanted(tls->ssl, rc) != 0)
            return true;
        bool closed = SSL_get_error(tls->ssl, rc) == SSL_ERROR_ZERO_RETURN;
        return error_set(err, "it closed the connection: %s", closed ? "it ends TLS" : reason());
    }
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
