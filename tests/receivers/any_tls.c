// SPDX-License-Identifier: BSD-2-Clause
// Preloaded into snmptrapd: Net-SNMP before 5.10 limits its TLS over TCP to the insecure version
// 1.0. This library removes that limit.
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
