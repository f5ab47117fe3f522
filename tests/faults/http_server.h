// SPDX-License-Identifier: BSD-2-Clause
// For tests of HTTP in which memory is short: a server on the loopback, in a thread of its own,
// that needs none, one request a connection, and no more than 65,535 octets of it; and the
// libraries.
#ifndef IBTRAPD_TESTS_HTTP_SERVER_H
#define IBTRAPD_TESTS_HTTP_SERVER_H

#include "base/text.h"

#include <stdbool.h>

// Lets libcurl and jansson allocate by this program's functions, which the tests make fail. False:
// libcurl cannot begin.
bool http_libraries_begin(void);
void http_libraries_end(void);

// Writes the body of the answer, whose status is 200, to a request: its head and its body. Called
// in the server's thread.
typedef void http_server_answer(const char *request, struct text *body);

// Both are called once. Writes scheme, host and port to `root`. 0; another number: it cannot start.
int http_server_start(http_server_answer *answer, char root[64]);
int http_server_stop(void);

#endif
