// Preloaded into snmptrapd: Net-SNMP before 5.10 lets its TLS over TCP have version 1.0 at most,
// which nobody should speak. Here its limit is not set.
#include <dlfcn.h>
#include <openssl/ssl.h>

long SSL_CTX_ctrl(SSL_CTX *context, int command, long number, void *pointer)
{
    static long (*original)(SSL_CTX *, int, long, void *);
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "SSL_CTX_ctrl");
    if (command == SSL_CTRL_SET_MAX_PROTO_VERSION && number == TLS1_VERSION)
        number = 0;
    return original(context, command, number, pointer);
}
