// A control socket that a thread of its own serves, for tests of the client. One at a time.
#ifndef IBTRAPD_TESTS_SERVER_THREAD_H
#define IBTRAPD_TESTS_SERVER_THREAD_H

#include "control/server.h"

// Listens on the path of the options; their `base` is the thread's. Fails the test when it cannot.
// The handler runs in the thread.
void server_thread_start(const struct server_options *options);

void server_thread_stop(void);

#endif
