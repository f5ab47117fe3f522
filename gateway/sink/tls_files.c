// SPDX-License-Identifier: BSD-2-Clause
#include "sink/tls_files.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/secret.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

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

static bool load_authorities(SSL_CTX *context, const char *file, struct error *err)
{
    if (file[0] == '\0')
        return SSL_CTX_set_default_verify_paths(context) == 1 ||
               error_set(err, "cannot load the system's certificate authorities: %s",
                         tls_files_reason());
    return tls_files_trust(context, file, true, err) || error_prefix(err, "item 'ca_file'");
}

static bool load_revoked(SSL_CTX *context, const char *file, struct error *err)
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

static bool load_certificate(SSL_CTX *context, const char *file, struct error *err)
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

static bool load_key(SSL_CTX *context, const struct tls_options *o, struct error *err)
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
    return load_authorities(context, options->ca_file, err) &&
           load_revoked(context, options->crl_file, err) &&
           (options->cert_file[0] == '\0' || (load_certificate(context, options->cert_file, err) &&
                                              load_key(context, options, err)));
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
