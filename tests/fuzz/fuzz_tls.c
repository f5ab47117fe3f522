// SPDX-License-Identifier: BSD-2-Clause
// A TLS server that agrees and then sends anything, or a server with octets that are changed, cut
// or joined by other octets on the way. The client reads the octets that the server wrote, or a
// first part of them; with another name than the certificate's there is no connection; every call
// ends. The first octet chooses the name, the version and our patience; the others change the
// server's octets: each change is a place, in two octets, and what happens there.
#include "fuzz.h"
#include "input.h"

#include "base/clock.h"
#include "scratch.h"
#include "sink/tls.h"

#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DATA_MAX = 40000, CHANGES_MAX = 8, READS_MAX = 200, WRITTEN = 500 };

static SSL_CTX *context;
static char ca_file[256];
static uint8_t plain[DATA_MAX]; // a part of the octets that the server writes

// A certificate for "receiver", which is its own authority.
static X509 *make_certificate(EVP_PKEY *key)
{
    X509 *x = X509_new();
    REQUIRE(x && X509_set_version(x, 2) && ASN1_INTEGER_set(X509_get_serialNumber(x), 1));
    X509_gmtime_adj(X509_getm_notBefore(x), -86400);
    X509_gmtime_adj(X509_getm_notAfter(x), 86400L * 365);
    X509_NAME *name = X509_get_subject_name(x);
    REQUIRE(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const uint8_t *)"receiver", -1,
                                       -1, 0));
    REQUIRE(X509_set_issuer_name(x, name) && X509_set_pubkey(x, key));
    X509_EXTENSION *san = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "DNS:receiver");
    REQUIRE(san && X509_add_ext(x, san, -1) && X509_sign(x, key, EVP_sha256()));
    X509_EXTENSION_free(san);
    return x;
}

// Like EVP_EC_gen, which OpenSSL 1.1.1 does not have.
static EVP_PKEY *make_key(void)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
    REQUIRE(c && EVP_PKEY_keygen_init(c) == 1);
    REQUIRE(EVP_PKEY_CTX_set_ec_paramgen_curve_nid(c, NID_X9_62_prime256v1) == 1);
    REQUIRE(EVP_PKEY_keygen(c, &key) == 1);
    EVP_PKEY_CTX_free(c);
    return key;
}

static void start(void)
{
    EVP_PKEY *key = make_key();
    X509 *certificate = make_certificate(key);
    snprintf(ca_file, sizeof ca_file, "%s/ca.pem", scratch_make());
    FILE *f = fopen(ca_file, "we");
    REQUIRE(f && PEM_write_X509(f, certificate) && fclose(f) == 0);
    context = SSL_CTX_new(TLS_server_method());
    REQUIRE(context && SSL_CTX_use_certificate(context, certificate) == 1);
    REQUIRE(SSL_CTX_use_PrivateKey(context, key) == 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (uint8_t)(i * 7 + i / 256);
}

static void stop(void)
{
    SSL_CTX_free(context);
}

// The server. It does its part whenever the client waits.

struct server {
    struct input in; // the changes
    int fd;
    SSL *ssl;
    uint64_t size;       // of the plain data that it writes
    bool old, closes;    // TLS 1.2; says that it closes
    uint64_t sent, next; // octets; the place of the next change
    unsigned changes;
    bool changed, cut;
    bool done; // it has said all
};

static void next_change(struct server *s)
{
    const bool more = input_left(&s->in) > 0 && s->changes++ < CHANGES_MAX;
    s->next = more ? s->sent + input_number(&s->in, 2) % 4096 : UINT64_MAX;
}

static void put(struct server *s, const uint8_t *octets, size_t size)
{
    while (size > 0 && !s->cut) {
        const ssize_t n = send(s->fd, octets, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        s->cut = n < 0;
        octets += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
        s->sent += n > 0 ? (uint64_t)n : 0;
    }
}

// Sends an octet with the change that is due there.
static void put_changed(struct server *s, uint8_t octet)
{
    const uint64_t what = input_number(&s->in, 1);
    size_t size;
    s->changed = true;
    if (what % 4 == 0)
        octet ^= (uint8_t)(what / 4 + 1);
    if (what % 4 == 1) {
        const uint8_t *others = input_part(&s->in, 1, &size);
        put(s, others, size);
    }
    if (what % 4 != 2) // else it is lost
        put(s, &octet, 1);
    s->cut |= what % 4 == 3;
    next_change(s);
}

static void forward(struct server *s)
{
    uint8_t octets[4096];
    int n;
    while ((n = BIO_read(SSL_get_wbio(s->ssl), octets, sizeof octets)) > 0) {
        for (size_t at = 0; at < (size_t)n && !s->cut;) {
            const uint64_t left = s->next - s->sent;
            const size_t whole = left < (size_t)n - at ? (size_t)left : (size_t)n - at;
            put(s, octets + at, whole);
            at += whole;
            if (at < (size_t)n && s->sent == s->next)
                put_changed(s, octets[at++]);
        }
    }
}

static void serve(struct server *s)
{
    uint8_t octets[4096];
    ssize_t n;
    while ((n = recv(s->fd, octets, sizeof octets, MSG_DONTWAIT)) > 0) {
        if (!s->done)
            REQUIRE(BIO_write(SSL_get_rbio(s->ssl), octets, (int)n) == n);
    }
    if (s->done)
        return;
    const int rc = SSL_accept(s->ssl);
    const bool waits = rc != 1 && SSL_get_error(s->ssl, rc) == SSL_ERROR_WANT_READ;
    if (rc == 1 && s->size > 0)
        SSL_write(s->ssl, plain, (int)s->size);
    if (rc == 1 && s->closes)
        SSL_shutdown(s->ssl);
    forward(s);
    s->done = !waits || s->cut;
    if (s->done)
        shutdown(s->fd, SHUT_WR);
}

static struct server server;

// Lets the server work instead of waiting for it. When both wait, it ends.
int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    (void)timeout_ms;
    serve(&server);
    long ready = syscall(SYS_poll, fds, n, 0);
    if (ready == 0) {
        server.done = true;
        shutdown(server.fd, SHUT_WR);
        ready = syscall(SYS_poll, fds, n, 0);
    }
    return (int)ready;
}

static void begin_server(struct server *s, const uint8_t *data, size_t size, int fd)
{
    *s = (struct server){.in = {data, data + size}, .fd = fd};
    const uint64_t how = input_number(&s->in, 1);
    s->old = how & 2;
    s->closes = how & 4;
    s->size = (how >> 3) * (how >> 3) * 40;
    s->ssl = SSL_new(context);
    REQUIRE(s->ssl);
    if (s->old)
        SSL_set_max_proto_version(s->ssl, TLS1_2_VERSION);
    SSL_set_bio(s->ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    BIO_set_mem_eof_return(SSL_get_rbio(s->ssl), -1);
    next_change(s);
}

// The client.

static size_t read_all(struct tls *tls, int fd, const struct server *s)
{
    uint8_t octets[4096];
    struct error err = {""};
    size_t got = 0;
    for (unsigned i = 0; i < READS_MAX; i++) {
        const long n = tls_read(tls, octets, sizeof octets, &err);
        if (n < 0) {
            REQUIRE(err.text[0] != '\0');
            return got;
        }
        REQUIRE((size_t)n <= s->size - got && memcmp(octets, plain + got, (size_t)n) == 0);
        got += (size_t)n;
        if (n == 0 && !tls_pending(tls))
            REQUIRE(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 5000) == 1);
    }
    REQUIRE(got == s->size); // the peer said more than requested
    return got;
}

static void talk(struct tls *tls, int fd, const struct server *s)
{
    struct error err = {""};
    short events;
    const long n = tls_write(tls, plain, WRITTEN, &events, &err);
    REQUIRE(n >= -1 && n <= WRITTEN);
    const size_t got = read_all(tls, fd, s);
    REQUIRE(!tls_is_connected(tls, &err) && err.text[0] != '\0');
    tls_close(tls);
    REQUIRE(s->changed || n < 0 || got == s->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool other_name = size > 0 && data[0] & 1;
    const struct tls_options options = {.ca_file = ca_file,
                                        .crl_file = "",
                                        .cert_file = "",
                                        .key_file = "",
                                        .name = other_name ? "another" : "receiver"};
    struct error err = {""};
    int fds[2];
    if (!context) {
        start();
        atexit(stop);
    }
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    REQUIRE(fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0);
    begin_server(&server, data, size, fds[1]);
    struct tls *tls =
        tls_open(fds[0], &options, clock_monotonic(&clock_system) + 600 * CLOCK_US_PER_S, &err);
    REQUIRE(tls || err.text[0] != '\0');
    REQUIRE(!tls || !other_name);
    if (tls)
        talk(tls, fds[0], &server);
    close(fds[0]);
    REQUIRE(tls || other_name || server.changed);
    SSL_free(server.ssl);
    close(fds[1]);
    return 0;
}
