// SPDX-License-Identifier: BSD-2-Clause
// A control socket served by its own thread, for tests of the client. One at a time.
#pragma once

#include "control/server.h"

// Listens on the path of the options; uses an event base of the thread instead of their `base`.
// Fails the test on an error. The handler runs in the thread.
void server_thread_start(const struct server_options *options);

void server_thread_stop(void);
